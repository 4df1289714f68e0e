//! Reads shapes.

use impinge::glam::Vec3;
use impinge::{Pose, Shape};

use super::fields::{Fields, Problem, list};
use super::json::{Json, quote};

/// Shapes of the format that this version of the program cannot build.
const NOT_SUPPORTED: [&str; 6] = ["cylinder", "cone", "triangle", "hull", "mesh", "height_field"];

/// The shape at `path`.
pub(crate) fn read(json: &Json, path: &str) -> Result<Shape, Problem> {
    let mut fields = Fields::new(json, path)?;
    let kind = fields.text("type")?;
    let shape = match kind {
        "sphere" => built(path, Shape::sphere(fields.number("radius")?))?,
        "cuboid" => built(path, Shape::cuboid(fields.vector("half_extents")?))?,
        "capsule" => capsule(&mut fields)?,
        "half_space" => {
            let normal: Vec3 = fields.vector("normal")?;
            built(path, Shape::half_space(normal, fields.number_or("offset", 0.0)?))?
        }
        "compound" => {
            let parts = parts(&mut fields)?;
            built(path, Shape::compound(parts))?
        }
        other => {
            let message = if NOT_SUPPORTED.contains(&other) {
                format!("{} is not supported by this version", quote(other))
            } else {
                format!("unknown shape {}", quote(other))
            };
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

/// The parts of a compound. The depth of nesting is bounded by the parser of the text.
fn parts(fields: &mut Fields<'_>) -> Result<Vec<(Pose, Shape)>, Problem> {
    let path = fields.path_of("parts");
    let items = list(fields.required("parts")?, &path)?;
    let mut parts = Vec::with_capacity(items.len());
    for (i, item) in items.iter().enumerate() {
        let mut part = Fields::new(item, &format!("{path}[{i}]"))?;
        let shape_path = part.path_of("shape");
        let shape = read(part.required("shape")?, &shape_path)?;
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
        read(&json, "shape").map_err(|problem| problem.to_string())
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
        let cone = shape(r#"{"type":"cone","half_height":1,"radius":1}"#);
        assert_eq!(cone, Err("shape.type: \"cone\" is not supported by this version".to_owned()));
    }
}
