//! Shapes of each kind: of any sizes, or of sizes that exact turns keep exact.

use glam::{DVec3, Vec3};
use impinge_shapes::{Pose, Shape, round};

use super::{ExactTurn, Kind, exact, points, points::Cloud, pose};
use crate::rng::Rng;

/// A shape of a kind, of about the given size; `flat` makes some of its sizes zero.
#[must_use]
pub fn shape(kind: Kind, size: f64, flat: bool, rng: &mut Rng) -> Shape {
    let mut length = |low: f64, high: f64| {
        let length = rng.range(low * size, high * size);
        if flat && rng.one_in(2) { 0.0 } else { length }
    };
    let made = match kind {
        Kind::Sphere => Shape::sphere(length(0.1, 1.0)).ok(),
        Kind::Cuboid => {
            Shape::cuboid(Vec3::new(length(0.1, 1.0), length(0.1, 1.0), length(0.1, 1.0))).ok()
        }
        Kind::Capsule => {
            let (reach, radius) = (length(0.1, 1.0), length(0.05, 0.6));
            if rng.one_in(2) {
                Shape::capsule_along_y(reach, radius).ok()
            } else {
                let far = f64::from(reach);
                Shape::capsule(rng.cube(-far, far), rng.cube(-far, far), radius).ok()
            }
        }
        Kind::Cylinder => Shape::cylinder(length(0.1, 1.0), length(0.1, 1.0)).ok(),
        Kind::Cone => Shape::cone(length(0.1, 1.0), length(0.1, 1.0)).ok(),
        Kind::Triangle => {
            let [a, b, c] = points::corners(size, flat, rng);
            Shape::triangle(a, b, c).ok()
        }
        Kind::ConvexHull => {
            let cloud = if flat { rng.pick(&Cloud::ALL) } else { rng.pick(&Cloud::SOLID) };
            Shape::convex_hull(&points::cloud(cloud, size, rng)).ok()
        }
        Kind::Rounded => {
            let margin = length(0.02, 0.4);
            let core = shape(rng.pick(&CORES), size, flat, rng);
            Shape::rounded(core, margin).ok()
        }
        Kind::RoundedPolytope => {
            let margin = length(0.02, 0.4);
            let core = shape(rng.pick(&CORES[..4]), size, flat, rng);
            Shape::rounded(core, margin).ok()
        }
        Kind::HalfSpace => Shape::half_space(rng.direction(), rng.range(-size, size)).ok(),
        Kind::TriangleMesh => mesh(size, flat, rng),
        Kind::HeightField => height_field(size, flat, rng),
        Kind::Compound => {
            let parts: Vec<_> = (0..2 + rng.below(2))
                .filter_map(|_| {
                    let part = rng.pick(&[Kind::Sphere, Kind::Cuboid, Kind::Capsule]);
                    let at = Pose::new(rng.cube(-size, size), rng.rotation()).ok()?;
                    Some((at, shape(part, size * 0.6, flat, rng)))
                })
                .collect();
            Shape::compound(parts).ok()
        }
    };
    made.expect("generated sizes are finite and not negative")
}

/// What is grown to make a round shape; the first four have corners only.
const CORES: [Kind; 6] =
    [Kind::Cuboid, Kind::ConvexHull, Kind::Triangle, Kind::Capsule, Kind::Cylinder, Kind::Cone];

/// A closed hull's triangles, a fan, or loose triangles.
fn mesh(size: f64, flat: bool, rng: &mut Rng) -> Option<Shape> {
    match rng.below(3) {
        0 => {
            // A square of two triangles with a bent diagonal, or a flat one.
            let lift = if flat { 0.0 } else { rng.range(-0.5 * size, 0.5 * size) };
            let s = round::nearest(size * (0.3 + rng.unit()));
            let corner = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
            let vertices = vec![
                corner(-s, 0.0, -s),
                corner(s, lift, -s),
                corner(s, 0.0, s),
                corner(-s, lift, s),
            ];
            Shape::triangle_mesh(vertices, vec![[0, 2, 1], [0, 3, 2]]).ok()
        }
        1 => {
            // A tetrahedron.
            let vertices = (0..4).map(|_| rng.cube(-size, size)).collect();
            Shape::triangle_mesh(vertices, vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]).ok()
        }
        _ => {
            let count = 1 + u32::try_from(rng.below(3)).unwrap_or(0);
            let corners = (0..count).flat_map(|_| points::corners(size, flat, rng));
            let vertices = corners.collect();
            let triangles = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]);
            Shape::triangle_mesh(vertices, triangles.collect()).ok()
        }
    }
}

fn height_field(size: f64, flat: bool, rng: &mut Rng) -> Option<Shape> {
    let (rows, columns) = (2 + rng.below(2), 2 + rng.below(3));
    let height = |rng: &mut Rng| if flat { 0.0 } else { rng.range(-0.5, 0.5) };
    let heights = (0..rows * columns).map(|_| height(rng)).collect();
    // Among the denormal numbers it may round to nothing, which is no scale.
    let length = |x: f64| round::nearest(x).max(f32::from_bits(1));
    let scale = (rng.cube(0.3, 2.0).as_dvec3() * size).to_array().map(length);
    Shape::height_field(rows, columns, heights, Vec3::from_array(scale)).ok()
}

/// A point of the lattice of exact shapes.
fn lattice(flat: bool, rng: &mut Rng) -> Vec3 {
    let mut coordinate = || 7.8125 * rng.pick(&[-2.0_f32, -1.0, 0.0, 1.0, 2.0]);
    let point = Vec3::new(coordinate(), coordinate(), coordinate());
    if flat { point * Vec3::new(1.0, 1.0, 0.0) } else { point }
}

/// A shape whose sizes are multiples of 125/16; a half-space is bounded by a plane along y.
pub(super) fn exact_shape(kind: Kind, flat: bool, rng: &mut Rng) -> Shape {
    let mut length = || {
        let length = round::nearest(exact::length(4, rng) + 7.8125);
        if flat && rng.one_in(2) { 0.0 } else { length }
    };
    let made = match kind {
        Kind::Sphere => Shape::sphere(length()).ok(),
        Kind::Cuboid => Shape::cuboid(Vec3::new(length(), length(), length())).ok(),
        Kind::Capsule => Shape::capsule_along_y(length(), length()).ok(),
        Kind::Cylinder => Shape::cylinder(length(), length()).ok(),
        Kind::Cone => Shape::cone(length(), length()).ok(),
        Kind::Triangle => {
            let [a, b, c] = [0, 1, 2].map(|_| lattice(false, rng));
            Shape::triangle(a, b, c).ok()
        }
        Kind::ConvexHull => {
            let points: Vec<Vec3> = (0..3 + rng.below(8)).map(|_| lattice(flat, rng)).collect();
            Shape::convex_hull(&points).ok()
        }
        Kind::Rounded => {
            let margin = length();
            Shape::rounded(exact_shape(rng.pick(&CORES), flat, rng), margin).ok()
        }
        Kind::RoundedPolytope => {
            let margin = length();
            Shape::rounded(exact_shape(rng.pick(&CORES[..4]), flat, rng), margin).ok()
        }
        Kind::HalfSpace => Shape::half_space(Vec3::Y, length()).ok(),
        Kind::TriangleMesh => {
            let vertices = (0..4).map(|_| lattice(flat, rng)).collect();
            Shape::triangle_mesh(vertices, vec![[0, 1, 2], [1, 3, 2]]).ok()
        }
        Kind::HeightField => {
            let mut height = || rng.pick(&[-1.0_f32, 0.0, 0.0, 1.0]);
            let heights = (0..6).map(|_| if flat { 0.0 } else { height() }).collect();
            Shape::height_field(2, 3, heights, Vec3::splat(31.25)).ok()
        }
        Kind::Compound => {
            let parts =
                [exact_shape(Kind::Cuboid, flat, rng), exact_shape(Kind::Sphere, flat, rng)];
            Shape::compound(parts.map(|part| (Pose::IDENTITY, part))).ok()
        }
    };
    made.expect("generated sizes are finite and not negative")
}

/// A whole number whose square this is.
fn whole_root(square: f64) -> Option<f64> {
    let root = square.sqrt().round();
    ((root * root - square).abs() <= 0.0).then_some(root)
}

/// A point of a shape of [`exact_shape`] farthest along `n5 / 5`, turned but not moved, exactly;
/// `None` where it is not rational. Of a face or an edge it is the middle.
pub(super) fn exact_support(shape: &Shape, turn: &ExactTurn, n5: DVec3) -> Option<DVec3> {
    // Products of whole numbers with multiples of 125/16, divided by 5 twice: all exact.
    let local = DVec3::from_array([0, 1, 2].map(|axis| n5.dot(turn.columns[axis])));
    let sign = |x: f64| if x.abs() <= 0.0 { 0.0 } else { x.signum() };
    let world = |v: DVec3| {
        let [x, y, z] = turn.columns;
        (x * v.x + y * v.y + z * v.z) / 5.0
    };
    let rim = |radius: f32| {
        let root = whole_root(local.x * local.x + local.z * local.z)?;
        let radius = f64::from(radius);
        let along = |x: f64| if root > 0.0 { x * radius / root } else { 0.0 };
        Some(DVec3::new(along(local.x), 0.0, along(local.z)))
    };
    Some(match shape {
        Shape::Sphere(sphere) => n5 * (f64::from(sphere.radius()) / 5.0),
        Shape::Cuboid(cuboid) => {
            let h = cuboid.half_extents().as_dvec3();
            world(DVec3::new(sign(local.x) * h.x, sign(local.y) * h.y, sign(local.z) * h.z))
        }
        Shape::Capsule(capsule) => {
            let end = capsule.b().as_dvec3() * sign(local.y);
            world(end) + n5 * (f64::from(capsule.radius()) / 5.0)
        }
        Shape::Cylinder(cylinder) => {
            let up = DVec3::Y * f64::from(cylinder.half_height()) * sign(local.y);
            world(up + rim(cylinder.radius())?)
        }
        Shape::Cone(cone) => {
            let (up, rim) = (DVec3::Y * f64::from(cone.half_height()), rim(cone.radius())?);
            world(if local.dot(up) >= local.dot(rim - up) { up } else { rim - up })
        }
        Shape::Rounded(rounded) => {
            exact_support(rounded.core(), turn, n5)? + n5 * (f64::from(rounded.radius()) / 5.0)
        }
        Shape::HalfSpace(half_space) => world(DVec3::Y * f64::from(half_space.offset())),
        Shape::Compound(compound) => {
            let points = compound.parts().iter().map(|(_, part)| exact_support(part, turn, n5));
            let points: Option<Vec<DVec3>> = points.collect();
            farthest(points?, n5)?
        }
        other => {
            let points = vertices(other)?.into_iter().map(|v| world(v.as_dvec3()));
            farthest(points.collect(), n5)?
        }
    })
}

fn farthest(points: Vec<DVec3>, direction: DVec3) -> Option<DVec3> {
    let further =
        |best: DVec3, p: DVec3| if direction.dot(p) > direction.dot(best) { p } else { best };
    points.into_iter().reduce(further)
}

/// The vertices of a shape that has some.
pub(super) fn vertices(shape: &Shape) -> Option<Vec<Vec3>> {
    match shape {
        Shape::Triangle(triangle) => Some(triangle.vertices().to_vec()),
        Shape::ConvexHull(hull) => Some(hull.vertices().to_vec()),
        Shape::TriangleMesh(mesh) => Some(mesh.vertices().to_vec()),
        Shape::HeightField(field) => {
            let cells = (0..field.rows()).flat_map(|r| (0..field.columns()).map(move |c| (r, c)));
            cells.map(|(r, c)| field.vertex(r, c)).collect()
        }
        _ => None,
    }
}

/// The shape with all its lengths times a factor, which must not be negative; exact for powers of
/// two away from the ends of the range of f32.
#[must_use]
pub(super) fn scale_shape(shape: &Shape, factor: f32) -> Shape {
    let scaled = |points: &[Vec3]| points.iter().map(|&p| p * factor).collect::<Vec<Vec3>>();
    let made = match shape {
        Shape::Sphere(sphere) => Shape::sphere(sphere.radius() * factor).ok(),
        Shape::Cuboid(cuboid) => Shape::cuboid(cuboid.half_extents() * factor).ok(),
        Shape::Capsule(c) => {
            Shape::capsule(c.a() * factor, c.b() * factor, c.radius() * factor).ok()
        }
        Shape::Cylinder(c) => Shape::cylinder(c.half_height() * factor, c.radius() * factor).ok(),
        Shape::Cone(c) => Shape::cone(c.half_height() * factor, c.radius() * factor).ok(),
        Shape::Triangle(t) => Shape::triangle(t.a() * factor, t.b() * factor, t.c() * factor).ok(),
        Shape::ConvexHull(hull) => Shape::convex_hull(&scaled(hull.vertices())).ok(),
        Shape::Rounded(r) => {
            Shape::rounded(scale_shape(r.core(), factor), r.radius() * factor).ok()
        }
        Shape::HalfSpace(h) => Shape::half_space(h.normal(), h.offset() * factor).ok(),
        Shape::TriangleMesh(mesh) => {
            Shape::triangle_mesh(scaled(mesh.vertices()), mesh.triangles().to_vec()).ok()
        }
        Shape::HeightField(field) => {
            // The heights of the vertices themselves, so that nothing is rounded twice.
            let samples = (0..field.rows()).flat_map(|r| (0..field.columns()).map(move |c| (r, c)));
            let heights = samples.filter_map(|(r, c)| Some(field.vertex(r, c)?.y * factor));
            let scale = field.scale() * factor;
            let scale = Vec3::new(scale.x, 1.0, scale.z);
            Shape::height_field(field.rows(), field.columns(), heights.collect(), scale).ok()
        }
        Shape::Compound(compound) => Shape::compound(compound.parts().iter().map(|(at, part)| {
            (pose(at.position() * factor, at.rotation()), scale_shape(part, factor))
        }))
        .ok(),
    };
    made.unwrap_or_else(|| panic!("{factor} is no factor for {shape:?}"))
}

/// A point of interest in a shape's frame: a corner, the middle of an edge or a face, an end, or
/// any point inside.
#[must_use]
pub fn landmark(shape: &Shape, rng: &mut Rng) -> DVec3 {
    let mut side = || rng.pick(&[-1.0, 0.0, 1.0]);
    let sides = DVec3::new(side(), side(), side());
    let on_disc = |h: f32, r: f32| {
        let rim = DVec3::new(sides.x, 0.0, sides.z).normalize_or_zero() * f64::from(r);
        rim + DVec3::Y * (f64::from(h) * sides.y)
    };
    match shape {
        Shape::Cuboid(cuboid) => cuboid.half_extents().as_dvec3() * sides,
        Shape::Sphere(sphere) => sides.normalize_or_zero() * f64::from(sphere.radius()),
        Shape::Capsule(capsule) => {
            let end = if rng.one_in(2) { capsule.a() } else { capsule.b() };
            end.as_dvec3() + sides.normalize_or_zero() * f64::from(capsule.radius())
        }
        Shape::Cylinder(cylinder) => on_disc(cylinder.half_height(), cylinder.radius()),
        Shape::Cone(cone) if rng.one_in(3) => DVec3::Y * f64::from(cone.half_height()),
        Shape::Cone(cone) => {
            let p = on_disc(cone.half_height(), cone.radius());
            let share = 0.5 - 0.5 * sides.y;
            DVec3::new(p.x * share, p.y, p.z * share)
        }
        Shape::Rounded(rounded) => {
            landmark(rounded.core(), rng) + sides.normalize_or_zero() * f64::from(rounded.radius())
        }
        Shape::HalfSpace(half_space) => {
            let n = half_space.normal().as_dvec3();
            n * f64::from(half_space.offset()) + n.cross(sides)
        }
        Shape::Compound(compound) => {
            let (at, part) = &compound.parts()[rng.below(compound.parts().len())];
            at.rotation_matrix() * landmark(part, rng) + at.translation()
        }
        other => {
            let points = vertices(other).unwrap_or_default();
            let mut point = || points[rng.below(points.len())].as_dvec3();
            let [a, b, c] = [point(), point(), point()];
            // A vertex, the middle of two, or a point between three.
            match (sides.x, sides.y) {
                (x, _) if x < 0.0 => a,
                (x, _) if x > 0.0 => (a + b) * 0.5,
                _ => (a + b + c * 2.0) * 0.25,
            }
        }
    }
}
