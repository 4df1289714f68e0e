//! One placed shape and a ray, a plane, a point or a path; and axis-aligned boxes.

use glam::{DVec3, Vec3};
use impinge_shapes::{Aabb, Plane, Pose, Ray, Shape, round};

use super::{Class, ExactTurn, Kind, any_size, beside, nudge, pair, pose, shape, shapes::landmark};
use crate::rng::Rng;

/// A placed shape and a ray.
#[derive(Clone, Debug)]
pub struct RayCase {
    /// What is special about them.
    pub class: Class,
    /// The shape.
    pub shape: Shape,
    /// Its pose.
    pub pose: Pose,
    /// The ray.
    pub ray: Ray,
    /// Its length.
    pub max_distance: f32,
}

/// A placed shape and a plane.
#[derive(Clone, Debug)]
pub struct PlaneCase {
    /// What is special about them.
    pub class: Class,
    /// The shape.
    pub shape: Shape,
    /// Its pose.
    pub pose: Pose,
    /// The plane.
    pub plane: Plane,
}

/// Two placed shapes of which the first moves.
#[derive(Clone, Debug)]
pub struct SweepCase {
    /// The shapes at the start.
    pub pair: super::PairCase,
    /// Where the first goes.
    pub displacement: Vec3,
}

/// A box that moves, and one that does not.
#[derive(Clone, Copy, Debug)]
pub struct AabbCase {
    /// What is special about them.
    pub class: Class,
    /// The mover.
    pub mover: Aabb,
    /// Where it goes.
    pub displacement: Vec3,
    /// The other.
    pub obstacle: Aabb,
}

/// A placed shape of a class, by itself.
fn placed(class: Class, kind: Kind, rng: &mut Rng) -> (Shape, Pose, f64) {
    let case = pair(class, kind, Kind::Sphere, rng);
    let size = match &case.a {
        Shape::HalfSpace(_) => any_size(rng),
        bounded => f64::from(bounded.aabb(&Pose::IDENTITY).half_extents().max_element()),
    };
    (case.a, case.pose_a, size)
}

/// A ray and a shape; exact classes send rays along the axes of the world, so that they graze to
/// the last bit.
#[must_use]
pub fn ray_case(class: Class, kind: Kind, rng: &mut Rng) -> RayCase {
    let (mut shape, mut at, mut size) = placed(class, kind, rng);
    let on_grid = matches!(class, Class::Touching | Class::UlpFromTouching | Class::NegativeZero);
    if on_grid && rng.one_in(2) {
        // A turn that keeps corners on the grid, without an offset that would hide them.
        at = pose(at.position(), ExactTurn::draw(rng).rotation);
    }
    if size <= 0.0 {
        size = 1.0;
    }
    if class == Class::Identical {
        shape = super::shape(kind, size, false, rng);
    }
    let target = at.rotation_matrix() * landmark(&shape, rng) + at.translation();
    let zero = rng.pick(&[0.0_f32, -0.0]);
    let direction = if on_grid || rng.one_in(4) {
        let mut axis = Vec3::splat(zero);
        axis[rng.below(3)] = rng.pick(&[1.0, -1.0]);
        axis
    } else if rng.one_in(3) {
        // Along one of the shape's own faces or edges, within rounding.
        round::nearest_vec(at.rotation_matrix().col(rng.below(3)))
    } else {
        rng.direction()
    };
    let back = size * rng.pick(&[0.0, 0.5, 2.0, 8.0]);
    let mut origin = round::nearest_vec(target - direction.as_dvec3() * back);
    match class {
        Class::Random => origin = beside(at.position(), size, 4.0, rng),
        Class::Contained => origin = at.position(),
        Class::Touching | Class::NegativeZero => {}
        _ => origin = nudge(origin, 1, rng),
    }
    let max_distance = match rng.below(4) {
        0 => f32::INFINITY,
        1 => round::nearest(back),
        _ => rng.range(0.0, size * 8.0),
    };
    let ray = Ray::new(origin, direction).expect("generated rays are finite");
    RayCase { class, shape, pose: at, ray, max_distance }
}

/// A point near a shape's boundary, on it, or inside.
#[must_use]
pub fn point_case(class: Class, kind: Kind, rng: &mut Rng) -> (Shape, Pose, Vec3) {
    let case = ray_case(class, kind, rng);
    (case.shape, case.pose, case.ray.origin())
}

/// A plane and a shape, half of them near touching.
#[must_use]
pub fn plane_case(class: Class, kind: Kind, rng: &mut Rng) -> PlaneCase {
    let (shape, at, size) = placed(class, kind, rng);
    let on_grid = matches!(class, Class::Touching | Class::UlpFromTouching | Class::NegativeZero);
    let normal = if on_grid || rng.one_in(3) {
        let mut axis = Vec3::splat(rng.pick(&[0.0_f32, -0.0]));
        axis[rng.below(3)] = rng.pick(&[1.0, -1.0]);
        axis
    } else if rng.one_in(3) {
        round::nearest_vec(at.rotation_matrix().col(rng.below(3)))
    } else {
        rng.direction()
    };
    let m = at.rotation_matrix();
    let direction = if rng.one_in(2) { normal.as_dvec3() } else { -normal.as_dvec3() };
    let touch = shape.support(m.transpose() * direction);
    let point = match touch {
        Some(touch) if class != Class::Random => round::nearest_vec(m * touch + at.translation()),
        _ => beside(at.position(), size, 2.0, rng),
    };
    let point = if class == Class::UlpFromTouching { nudge(point, 1, rng) } else { point };
    let plane = Plane::through(point, normal).expect("generated planes are finite");
    PlaneCase { class, shape, pose: at, plane }
}

/// A mover and a target. The exact classes start apart and end in the exact touch, pass through
/// it, or start in it.
#[must_use]
pub fn sweep_case(class: Class, a: Kind, b: Kind, rng: &mut Rng) -> SweepCase {
    let mut case = pair(class, a, b, rng);
    let size = |shape: &Shape| match shape {
        Shape::HalfSpace(_) => 1.0,
        bounded => bounded.aabb(&Pose::IDENTITY).half_extents().max_element(),
    };
    let size = f64::from(size(&case.a).max(size(&case.b)));
    let on_grid = matches!(class, Class::Touching | Class::UlpFromTouching | Class::NegativeZero);
    let way = if on_grid {
        // Whole steps on the grid of the exact shapes, which the scale of the case divides.
        let step = f64::from(round::nearest(size)) * 4.0;
        let mut way = DVec3::new(rng.range(-2.0, 2.0).round().into(), 0.0, 0.0);
        way.y = rng.range(-2.0, 2.0).round().into();
        way.z = rng.pick(&[0.0, 0.0, 1.0, -1.0]);
        way * step
    } else {
        rng.direction().as_dvec3() * (size * 6.0 * rng.unit())
    };
    let displacement = round::nearest_vec(way);
    let start = case.pose_a.translation();
    let position = match rng.below(4) {
        // The interesting place is the end of the way.
        0 | 1 => start - displacement.as_dvec3(),
        // Somewhere along it.
        2 => start - displacement.as_dvec3() * 0.5,
        // The start.
        _ => start,
    };
    case.pose_a = pose(round::nearest_vec(position), case.pose_a.rotation());
    SweepCase { pair: case, displacement }
}

/// A box of a class around a point.
fn aabb(center: Vec3, size: f64, flat: bool, rng: &mut Rng) -> Aabb {
    let Shape::Cuboid(cuboid) = shape(Kind::Cuboid, size, flat, rng) else {
        return Aabb::EVERYTHING;
    };
    let bounds = Aabb::from_center_half_extents(center, cuboid.half_extents());
    bounds.expect("generated bounds are finite")
}

/// Two boxes and a way of the first; the exact classes live on a grid.
#[must_use]
pub fn aabbs(class: Class, rng: &mut Rng) -> AabbCase {
    let grid = |rng: &mut Rng, most: f64| rng.cube(-most, most).round();
    let (mover, obstacle, displacement) = match class {
        Class::Touching | Class::UlpFromTouching | Class::NegativeZero | Class::Identical => {
            let (low_a, low_b) = (grid(rng, 4.0), grid(rng, 4.0));
            let box_at = |low: Vec3, rng: &mut Rng| {
                let size = rng.cube(0.0, 3.0).round();
                Aabb::new(low, low + size).expect("a size is not negative")
            };
            let mut b = box_at(low_b, rng);
            let a = box_at(low_a, rng);
            if class == Class::UlpFromTouching {
                let (p, q) = (nudge(b.min(), 1, rng), nudge(b.max(), 1, rng));
                b = Aabb::new(p.min(q), p.max(q)).expect("sorted corners");
            }
            let b = if class == Class::Identical { a } else { b };
            (a, b, grid(rng, 8.0) * rng.pick(&[1.0, -1.0]))
        }
        _ => {
            let size = match class {
                Class::Denormal => rng.power_of_ten(-43.0, -37.0),
                Class::FarAway => 1.0,
                _ => any_size(rng),
            };
            let far = if class == Class::FarAway { rng.power_of_ten(4.0, 6.0) } else { size };
            let center = rng.cube(-far, far);
            let flat = class == Class::Flat;
            let a = aabb(center, size, flat, rng);
            let other = if class == Class::MixedScale { any_size(rng) } else { size };
            let b = aabb(beside(center, size, 6.0, rng), other, flat, rng);
            let mut way = rng.cube(-6.0 * size, 6.0 * size);
            if class == Class::NearTouching {
                // Just to the obstacle on one axis, within rounding.
                let axis = rng.below(3);
                way[axis] = (b.min()[axis] - a.max()[axis]).clamp(-1e30, 1e30);
                way = nudge(way, 1, rng);
            }
            if class == Class::Parallel {
                way[rng.below(3)] = 0.0;
            }
            (a, b, way)
        }
    };
    AabbCase { class, mover, displacement, obstacle }
}
