//! Reads shapes.

use std::path::Path;

use impinge::glam::Vec3;
use impinge::{HeightField, Pose, RoundedError, Shape, TriangleError};

use super::fields::{Fields, Problem, list, number, numbers, whole};
use super::json::{Json, quote};
use super::mesh_file::Triangles;

/// The shape at `path`; files that it names are relative to the folder `base`.
pub(crate) fn read(json: &Json, path: &str, base: &Path) -> Result<Shape, Problem> {
    let mut fields = Fields::new(json, path)?;
    let shape = match fields.text("type")? {
        "sphere" => built(path, Shape::sphere(fields.number("radius")?))?,
        "cuboid" => built(path, Shape::cuboid(fields.vector("half_extents")?))?,
        "capsule" => capsule(&mut fields)?,
        "cylinder" => {
            let half_height = fields.number("half_height")?;
            built(path, Shape::cylinder(half_height, fields.number("radius")?))?
        }
        "cone" => {
            let half_height = fields.number("half_height")?;
            built(path, Shape::cone(half_height, fields.number("radius")?))?
        }
        "triangle" => triangle(&mut fields)?,
        "hull" => {
            let points = vectors(&mut fields, "points")?;
            built(path, Shape::convex_hull(&points))?
        }
        "rounded" => {
            let core_path = fields.path_of("shape");
            let core = read(fields.required("shape")?, &core_path, base)?;
            let rounded = Shape::rounded(core, fields.number("radius")?);
            rounded.map_err(|error| match error {
                // The constructor's word for what the format calls `shape`.
                RoundedError::Core(kind) => {
                    let message = format!("must be a bounded convex shape, got {kind}");
                    Problem::at(&core_path, message)
                }
                other @ RoundedError::Radius(_) => Problem::of(path, &other),
            })?
        }
        "half_space" => {
            let normal: Vec3 = fields.vector("normal")?;
            built(path, Shape::half_space(normal, fields.number_or("offset", 0.0)?))?
        }
        "mesh" => mesh(&mut fields, base)?,
        "height_field" => height_field(&mut fields)?,
        "compound" => {
            let parts = parts(&mut fields, base)?;
            built(path, Shape::compound(parts))?
        }
        other => {
            let message = format!("unknown shape {}", quote(other));
            return Err(Problem::at(&fields.path_of("type"), message));
        }
    };
    fields.finish()?;
    Ok(shape)
}

/// The constructor's answer, with its error placed at `path`.
fn built<E: std::fmt::Display>(path: &str, shape: Result<Shape, E>) -> Result<Shape, Problem> {
    shape.map_err(|error| Problem::of(path, &error))
}

/// Either form: two points, or a half height along Y.
fn capsule(fields: &mut Fields<'_>) -> Result<Shape, Problem> {
    if fields.has("half_height") {
        let half_height = fields.number("half_height")?;
        let radius = fields.number("radius")?;
        built(fields.path(), Shape::capsule_along_y(half_height, radius))
    } else {
        let (a, b) = (fields.vector("a")?, fields.vector("b")?);
        let radius = fields.number("radius")?;
        built(fields.path(), Shape::capsule(a, b, radius))
    }
}

fn triangle(fields: &mut Fields<'_>) -> Result<Shape, Problem> {
    let vertices = vectors(fields, "vertices")?;
    let [a, b, c] = vertices[..] else {
        let message = format!("must be 3 points, got {}", vertices.len());
        return Err(Problem::at(&fields.path_of("vertices"), message));
    };
    Shape::triangle(a, b, c).map_err(|error| {
        let (place, value) = match error {
            TriangleError::A(value) => (0, value),
            TriangleError::B(value) => (1, value),
            TriangleError::C(value) => (2, value),
        };
        let path = format!("{}[{place}]", fields.path_of("vertices"));
        Problem::at(&path, format!("must be finite, got {value}"))
    })
}

/// Either form: vertices and triangles, or a file.
fn mesh(fields: &mut Fields<'_>, base: &Path) -> Result<Shape, Problem> {
    if fields.has("file") {
        let path = fields.path_of("file");
        let file = base.join(fields.text("file")?);
        let read = Triangles::read(&file).map_err(|message| Problem::at(&path, message))?;
        return built(fields.path(), Shape::triangle_mesh(read.vertices, read.triangles));
    }
    let vertices = vectors(fields, "vertices")?;
    let path = fields.path_of("triangles");
    let items = list(fields.required("triangles")?, &path)?;
    let mut triangles = Vec::with_capacity(items.len());
    for (i, item) in items.iter().enumerate() {
        let path = format!("{path}[{i}]");
        let corners = list(item, &path)?;
        let [a, b, c] = corners else {
            let message = format!("must be 3 indices, got {}", corners.len());
            return Err(Problem::at(&path, message));
        };
        let index = |k: usize, corner: &Json| -> Result<u32, Problem> {
            let path = format!("{path}[{k}]");
            let index = whole(corner, &path)?;
            u32::try_from(index).map_err(|_| Problem::at(&path, "must be below 2^32"))
        };
        triangles.push([index(0, a)?, index(1, b)?, index(2, c)?]);
    }
    built(fields.path(), Shape::triangle_mesh(vertices, triangles))
}

/// A null height is a hole.
fn height_field(fields: &mut Fields<'_>) -> Result<Shape, Problem> {
    let (rows, columns) = (fields.whole("rows")?, fields.whole("columns")?);
    let path = fields.path_of("heights");
    let items = list(fields.required("heights")?, &path)?;
    let mut heights = Vec::with_capacity(items.len());
    for (i, item) in items.iter().enumerate() {
        heights.push(match item {
            Json::Null => None,
            height => Some(number(height, &format!("{path}[{i}]"))?),
        });
    }
    let scale = fields.vector("scale")?;
    let field = HeightField::with_holes(rows, columns, heights, scale);
    built(fields.path(), field.map(Shape::from))
}

/// A list of points.
fn vectors(fields: &mut Fields<'_>, name: &'static str) -> Result<Vec<Vec3>, Problem> {
    let path = fields.path_of(name);
    let items = list(fields.required(name)?, &path)?;
    let point = |(i, item)| numbers(item, &format!("{path}[{i}]")).map(Vec3::from_array);
    items.iter().enumerate().map(point).collect()
}

/// The parts of a compound. The depth of nesting is bounded by the parser of the text.
fn parts(fields: &mut Fields<'_>, base: &Path) -> Result<Vec<(Pose, Shape)>, Problem> {
    let path = fields.path_of("parts");
    let items = list(fields.required("parts")?, &path)?;
    let mut parts = Vec::with_capacity(items.len());
    for (i, item) in items.iter().enumerate() {
        let mut part = Fields::new(item, &format!("{path}[{i}]"))?;
        let shape_path = part.path_of("shape");
        let shape = read(part.required("shape")?, &shape_path, base)?;
        let pose = part.pose()?;
        part.finish()?;
        parts.push((pose, shape));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Result<Shape, String> {
        let json = serde_json::from_str(text).unwrap();
        read(&json, "shape", Path::new("")).map_err(|problem| problem.to_string())
    }

    #[test]
    fn both_forms_of_a_capsule_meet() {
        let along_y = shape(r#"{"type":"capsule","half_height":2,"radius":0.5}"#);
        let points = shape(r#"{"type":"capsule","a":[0,-2,0],"b":[0,2,0],"radius":0.5}"#);
        assert_eq!(along_y, points);
        let both = shape(r#"{"type":"capsule","half_height":2,"a":[0,0,0],"radius":0.5}"#);
        assert_eq!(both, Err("shape: unknown field \"a\"".to_owned()));
    }

    #[test]
    fn errors_name_the_innermost_field() {
        let nested = shape(
            r#"{"type":"compound","parts":[{"shape":{"type":"compound","parts":[
                {"shape":{"type":"cuboid","half_extents":[1,-2,1]}}]}}]}"#,
        );
        let path = "shape.parts[0].shape.parts[0].shape.half_extents[1]";
        assert_eq!(nested, Err(format!("{path}: must be finite and not negative, got -2")));
        let empty = shape(r#"{"type":"compound","parts":[]}"#);
        assert_eq!(empty, Err("shape.parts: must not be empty".to_owned()));
        let cone = shape(r#"{"type":"cone","half_height":1,"radius":-1}"#);
        let message = "shape.radius: must be finite and not negative, got -1";
        assert_eq!(cone, Err(message.to_owned()));
        let torus = shape(r#"{"type":"torus"}"#);
        assert_eq!(torus, Err("shape.type: unknown shape \"torus\"".to_owned()));
    }

    #[test]
    fn shapes_of_points_and_triangles_are_read() {
        let triangle = shape(r#"{"type":"triangle","vertices":[[0,0,0],[1,0,0],[0,1,0]]}"#);
        assert_eq!(triangle, Ok(Shape::triangle(Vec3::ZERO, Vec3::X, Vec3::Y).unwrap()));
        let two = shape(r#"{"type":"triangle","vertices":[[0,0,0],[1,0,0]]}"#);
        assert_eq!(two, Err("shape.vertices: must be 3 points, got 2".to_owned()));
        let hull = shape(r#"{"type":"hull","points":[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[0,0,0]]}"#);
        let reach = hull.unwrap().aabb(&Pose::IDENTITY).max();
        assert_eq!(reach, Vec3::ONE);
        let mesh =
            shape(r#"{"type":"mesh","vertices":[[0,0,0],[1,0,0],[0,1,0]],"triangles":[[0,1,3]]}"#);
        let message = "shape.triangles[0]: must name vertices below 3, got 3";
        assert_eq!(mesh, Err(message.to_owned()));
        let half = shape(
            r#"{"type":"mesh","vertices":[[0,0,0],[1,0,0],[0,1,0]],"triangles":[[0,1,0.5]]}"#,
        );
        let message = "shape.triangles[0][2]: must be a whole number that is not negative, got 0.5";
        assert_eq!(half, Err(message.to_owned()));
        let round =
            shape(r#"{"type":"rounded","radius":0.5,"shape":{"type":"sphere","radius":1}}"#);
        assert_eq!(round.unwrap().kind_name(), "rounded");
    }

    #[test]
    fn a_null_height_is_a_hole() {
        let field = shape(
            r#"{"type":"height_field","rows":2,"columns":3,"heights":[0,1,null,0,1,2],
                "scale":[2,1,2]}"#,
        );
        // Two triangles of the first cell, and the one of the second without the hole.
        assert_eq!(field.map(|field| field.part_count()), Ok(4));
        let short = shape(
            r#"{"type":"height_field","rows":2,"columns":2,"heights":[0,1,2],"scale":[2,1,2]}"#,
        );
        assert!(short.is_err_and(|error| error.starts_with("shape.heights: ")));
    }
}
