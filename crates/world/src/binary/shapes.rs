//! Shapes as numbers.

use impinge_shapes::glam::{Quat, Vec3};
use impinge_shapes::{
    Capsule, Compound, Cone, ConvexHull, Cuboid, Cylinder, HalfSpace, HeightField, Pose, Rounded,
    Shape, Sides, Sphere, Triangle, TriangleMesh,
};

use super::reader::{Reader, Refusal};
use super::sink::Sink;

/// A shape of the table, by its place.
pub(super) const REFERENCE: u8 = 0;
const SPHERE: u8 = 1;
const CUBOID: u8 = 2;
const CAPSULE: u8 = 3;
const CYLINDER: u8 = 4;
const CONE: u8 = 5;
const TRIANGLE: u8 = 6;
const CONVEX_HULL: u8 = 7;
const ROUNDED: u8 = 8;
const HALF_SPACE: u8 = 9;
const TRIANGLE_MESH: u8 = 10;
const HEIGHT_FIELD: u8 = 11;
const COMPOUND: u8 = 12;

/// Writes what the shape is made of; what follows from it is found again by reading.
pub(super) fn write<S: Sink>(shape: &Shape, to: &mut S) {
    match shape {
        Shape::Sphere(sphere) => {
            to.u8(SPHERE);
            to.f32(sphere.radius());
        }
        Shape::Cuboid(cuboid) => {
            to.u8(CUBOID);
            to.vec(cuboid.half_extents());
        }
        Shape::Capsule(capsule) => {
            to.u8(CAPSULE);
            to.vec(capsule.a());
            to.vec(capsule.b());
            to.f32(capsule.radius());
        }
        Shape::Cylinder(cylinder) => {
            to.u8(CYLINDER);
            to.f32s(&[cylinder.half_height(), cylinder.radius()]);
        }
        Shape::Cone(cone) => {
            to.u8(CONE);
            to.f32s(&[cone.half_height(), cone.radius()]);
        }
        Shape::Triangle(triangle) => {
            to.u8(TRIANGLE);
            triangle.vertices().into_iter().for_each(|corner| to.vec(corner));
        }
        Shape::ConvexHull(hull) => {
            to.u8(CONVEX_HULL);
            to.count(hull.vertices().len());
            hull.vertices().iter().for_each(|&vertex| to.vec(vertex));
        }
        Shape::Rounded(rounded) => {
            to.u8(ROUNDED);
            to.f32(rounded.radius());
            to.shape(rounded.core());
        }
        Shape::HalfSpace(half_space) => {
            to.u8(HALF_SPACE);
            to.vec(half_space.normal());
            to.f32(half_space.offset());
        }
        Shape::TriangleMesh(mesh) => write_mesh(mesh, to),
        Shape::HeightField(field) => write_field(field, to),
        Shape::Compound(compound) => {
            to.u8(COMPOUND);
            to.count(compound.parts().len());
            for (pose, part) in compound.parts() {
                write_pose(pose, to);
                to.shape(part);
            }
        }
    }
}

pub(super) fn write_pose<S: Sink>(pose: &Pose, to: &mut S) {
    to.vec(pose.position());
    to.f32s(&pose.rotation().to_array());
}

fn write_mesh<S: Sink>(mesh: &TriangleMesh, to: &mut S) {
    to.u8(TRIANGLE_MESH);
    to.u8(sides_to_number(mesh.sides()));
    to.count(mesh.vertices().len());
    mesh.vertices().iter().for_each(|&vertex| to.vec(vertex));
    to.count(mesh.triangles().len());
    mesh.triangles().iter().flatten().for_each(|&vertex| to.u32(vertex));
}

fn write_field<S: Sink>(field: &HeightField, to: &mut S) {
    to.u8(HEIGHT_FIELD);
    to.u8(sides_to_number(field.sides()));
    to.vec(field.scale());
    to.count(field.rows());
    to.count(field.columns());
    // No height is infinite.
    field.scaled_heights().for_each(|height| to.f32(height.unwrap_or(f32::INFINITY)));
}

fn sides_to_number(sides: Sides) -> u8 {
    match sides {
        Sides::Both => 0,
        Sides::Front => 1,
    }
}

/// Reads a shape that is not shared, or finds the shared one of that place.
pub(super) fn read(from: &mut Reader<'_>, table: &[Shape]) -> Result<Shape, Refusal> {
    match from.u8()? {
        REFERENCE => {
            let place = from.u32()? as usize;
            table.get(place).cloned().ok_or_else(|| from.refuse("a shape that is not in the table"))
        }
        kind => read_plain(kind, from),
    }
}

fn read_plain(kind: u8, from: &mut Reader<'_>) -> Result<Shape, Refusal> {
    let shape: Result<Shape, String> = match kind {
        SPHERE => Sphere::new(from.f32()?).map(Shape::from).map_err(|e| e.to_string()),
        CUBOID => Cuboid::new(from.vec()?).map(Shape::from).map_err(|e| e.to_string()),
        CAPSULE => {
            let (a, b, radius) = (from.vec()?, from.vec()?, from.f32()?);
            Capsule::new(a, b, radius).map(Shape::from).map_err(|e| e.to_string())
        }
        CYLINDER => {
            let (half_height, radius) = (from.f32()?, from.f32()?);
            Cylinder::new(half_height, radius).map(Shape::from).map_err(|e| e.to_string())
        }
        CONE => {
            let (half_height, radius) = (from.f32()?, from.f32()?);
            Cone::new(half_height, radius).map(Shape::from).map_err(|e| e.to_string())
        }
        HALF_SPACE => {
            let (normal, offset) = (from.vec()?, from.f32()?);
            HalfSpace::from_unit(normal, offset).map(Shape::from).map_err(|e| e.to_string())
        }
        _ => Err(format!("a shape of no kind: {kind}")),
    };
    shape.map_err(|what| from.refuse(&what))
}

/// Reads the next shape of the table.
pub(super) fn read_shared(from: &mut Reader<'_>, table: &[Shape]) -> Result<Shape, Refusal> {
    let kind = from.u8()?;
    let shape: Result<Shape, String> = match kind {
        TRIANGLE => {
            let (a, b, c) = (from.vec()?, from.vec()?, from.vec()?);
            Triangle::new(a, b, c).map(Shape::from).map_err(|e| e.to_string())
        }
        CONVEX_HULL => {
            let points = read_vectors(from)?;
            ConvexHull::new(&points).map(Shape::from).map_err(|e| e.to_string())
        }
        ROUNDED => {
            let radius = from.f32()?;
            match read(from, table)? {
                Shape::Rounded(_) => Err("a rounded shape within another".to_owned()),
                core => Rounded::new(core, radius).map(Shape::from).map_err(|e| e.to_string()),
            }
        }
        TRIANGLE_MESH => {
            let sides = read_sides(from)?;
            let vertices = read_vectors(from)?;
            let count = from.count(12)?;
            let mut triangles = Vec::with_capacity(count);
            for _ in 0..count {
                triangles.push([from.u32()?, from.u32()?, from.u32()?]);
            }
            let mesh = TriangleMesh::new(vertices, triangles).map(|mesh| mesh.with_sides(sides));
            mesh.map(Shape::from).map_err(|e| e.to_string())
        }
        HEIGHT_FIELD => read_field(from)?,
        COMPOUND => {
            // A part has a pose of seven numbers and a kind at least.
            let count = from.count(29)?;
            let mut parts = Vec::with_capacity(count);
            for _ in 0..count {
                let part = (read_pose(from)?, read(from, table)?);
                if matches!(part.1, Shape::Compound(_)) {
                    return Err(from.refuse("a compound within another"));
                }
                parts.push(part);
            }
            Compound::new(parts).map(Shape::from).map_err(|e| e.to_string())
        }
        _ => Err(format!("a shared shape of no kind: {kind}")),
    };
    shape.map_err(|what| from.refuse(&what))
}

fn read_field(from: &mut Reader<'_>) -> Result<Result<Shape, String>, Refusal> {
    let sides = read_sides(from)?;
    let scale = from.vec()?;
    let (rows, columns) = (from.number()?, from.number()?);
    let samples = rows.checked_mul(columns).filter(|&samples| from.has(samples, 4));
    let Some(samples) = samples else { return Err(from.refuse("more heights than bytes")) };
    let mut heights = Vec::with_capacity(samples);
    for _ in 0..samples {
        let height = from.f32()?;
        heights.push((height < f32::INFINITY || height.is_nan()).then_some(height));
    }
    let field = HeightField::from_scaled_heights(rows, columns, heights, scale);
    Ok(field.map(|field| field.with_sides(sides).into()).map_err(|e| e.to_string()))
}

pub(super) fn read_pose(from: &mut Reader<'_>) -> Result<Pose, Refusal> {
    let position = from.vec()?;
    let rotation = Quat::from_xyzw(from.f32()?, from.f32()?, from.f32()?, from.f32()?);
    Pose::new(position, rotation).map_err(|error| from.refuse(&error.to_string()))
}

fn read_vectors(from: &mut Reader<'_>) -> Result<Vec<Vec3>, Refusal> {
    let count = from.count(12)?;
    let mut vectors = Vec::with_capacity(count);
    for _ in 0..count {
        vectors.push(from.vec()?);
    }
    Ok(vectors)
}

fn read_sides(from: &mut Reader<'_>) -> Result<Sides, Refusal> {
    match from.u8()? {
        0 => Ok(Sides::Both),
        1 => Ok(Sides::Front),
        _ => Err(from.refuse("sides of no kind")),
    }
}
