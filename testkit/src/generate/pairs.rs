//! Two placed shapes.

use glam::{DVec3, Quat, Vec3};
use impinge_shapes::{Pose, Shape, round};

use super::{
    Class, ExactTurn, Kind, any_size, beside, exact, nudge, pose, shape,
    shapes::{exact_shape, exact_support, scale_shape},
};
use crate::rng::Rng;

/// Two placed shapes.
#[derive(Clone, Debug)]
pub struct PairCase {
    /// What is special about them.
    pub class: Class,
    /// First shape.
    pub a: Shape,
    /// Its pose.
    pub pose_a: Pose,
    /// Second shape.
    pub b: Shape,
    /// Its pose.
    pub pose_b: Pose,
}

/// A case of a class; for kinds to which the class does not apply, the nearest thing to it.
#[must_use]
pub fn pair(class: Class, a: Kind, b: Kind, rng: &mut Rng) -> PairCase {
    let mut case = match class {
        Class::Random => random(a, b, any_size(rng), false, rng),
        Class::Flat => flat(a, b, rng),
        Class::NearTouching => {
            let mut case = random(a, b, any_size(rng), false, rng);
            bring_together(&mut case, rng);
            case
        }
        Class::Touching => touching(a, b, rng),
        Class::UlpFromTouching => {
            let mut case = touching(a, b, rng);
            case.pose_b = pose(nudge(case.pose_b.position(), 1, rng), case.pose_b.rotation());
            case
        }
        Class::Parallel => parallel(a, b, rng),
        Class::Identical => {
            let mut case = random(a, a, any_size(rng), false, rng);
            case.b = case.a.clone();
            case.pose_b = case.pose_a;
            if a != b {
                case.b = shape(b, any_size(rng), false, rng);
            }
            case
        }
        Class::Contained => {
            let mut case = random(a, b, any_size(rng), false, rng);
            let size = case.a.aabb(&Pose::IDENTITY).half_extents().min_element().min(1e4);
            case.b = shape(b, f64::from(size) * 0.05, false, rng);
            let center = middle(&case.a, &case.pose_a);
            let inside = beside(center, f64::from(size), 0.3, rng);
            case.pose_b = pose(inside, case.pose_b.rotation());
            case
        }
        Class::FarAway => {
            let mut case = random(a, b, 1.0, false, rng);
            if rng.one_in(2) {
                bring_together(&mut case, rng);
            }
            let there = rng.direction().as_dvec3() * rng.power_of_ten(4.0, 6.0);
            let far = |at: &Pose| pose(round::nearest_vec(at.translation() + there), at.rotation());
            (case.pose_a, case.pose_b) = (far(&case.pose_a), far(&case.pose_b));
            case
        }
        Class::Denormal => {
            let size = rng.power_of_ten(-43.0, -37.0);
            random(a, b, size, false, rng)
        }
        Class::NegativeZero => negative_zero(a, b, rng),
        Class::MixedScale => {
            let mut case = random(a, b, any_size(rng), false, rng);
            case.b = shape(b, any_size(rng), false, rng);
            bring_together(&mut case, rng);
            case
        }
    };
    case.class = class;
    case
}

/// Two shapes of about one size, near enough to each other to overlap in about half of all cases.
fn random(a: Kind, b: Kind, size: f64, flat: bool, rng: &mut Rng) -> PairCase {
    let first = shape(a, size, flat, rng);
    let second = shape(b, size, flat, rng);
    let at = rng.cube(-2.0 * size, 2.0 * size);
    let apart = if a == Kind::HalfSpace || b == Kind::HalfSpace { 4.0 } else { 2.2 };
    let pose_a = pose(at, rng.rotation());
    let pose_b = pose(beside(at, size, apart, rng), rng.rotation());
    PairCase { class: Class::Random, a: first, pose_a, b: second, pose_b }
}

/// Zero sizes; a third of the cases share a centre or lie on a common axis, where flat shapes meet.
fn flat(a: Kind, b: Kind, rng: &mut Rng) -> PairCase {
    let mut case = random(a, b, any_size(rng), true, rng);
    match rng.below(4) {
        0 => bring_together(&mut case, rng),
        1 => case.pose_b = pose(case.pose_a.position(), case.pose_b.rotation()),
        2 => {
            // Aligned on the grid of the exact turns, within a plane or on a line of it.
            let (turn_a, turn_b) = (ExactTurn::draw(rng), ExactTurn::draw(rng));
            case.a = exact_shape(a, true, rng);
            case.b = exact_shape(b, true, rng);
            let mut offset =
                DVec3::new(exact::length(4, rng), exact::length(4, rng), exact::length(4, rng));
            offset[rng.below(3)] = 0.0;
            offset[rng.below(3)] = 0.0;
            case.pose_a = pose(Vec3::ZERO, turn_a.rotation);
            case.pose_b = pose(round::nearest_vec(offset), turn_b.rotation);
        }
        _ => {}
    }
    case
}

/// A point in the middle of a bounded shape; on the boundary of a half-space.
fn middle(shape: &Shape, at: &Pose) -> Vec3 {
    match shape {
        Shape::HalfSpace(half_space) => {
            let n = half_space.normal().as_dvec3() * f64::from(half_space.offset() - 1.0);
            round::nearest_vec(at.rotation_matrix() * n + at.translation())
        }
        _ => shape.aabb(at).center(),
    }
}

/// Farthest point of a placed shape along a direction.
fn farthest(shape: &Shape, at: &Pose, direction: DVec3) -> Option<DVec3> {
    let m = at.rotation_matrix();
    Some(m * shape.support(m.transpose() * direction)? + at.translation())
}

/// A direction along which two shapes may touch: random, a face's, or across an edge of each.
fn touch_direction(case: &PairCase, rng: &mut Rng) -> DVec3 {
    let (ma, mb) = (case.pose_a.rotation_matrix(), case.pose_b.rotation_matrix());
    let sign = if rng.one_in(2) { 1.0 } else { -1.0 };
    let flat_side = |shape: &Shape| match shape {
        Shape::HalfSpace(half_space) => Some(half_space.normal().as_dvec3()),
        _ => None,
    };
    if let Some(normal) = flat_side(&case.a) {
        return ma * normal;
    }
    if let Some(normal) = flat_side(&case.b) {
        return mb * -normal;
    }
    let (i, j) = (rng.below(3), rng.below(3));
    let direction = match rng.below(4) {
        0 => rng.direction().as_dvec3(),
        1 => ma.col(i),
        2 => mb.col(j),
        _ => ma.col(i).cross(mb.col(j)),
    };
    direction.try_normalize().unwrap_or(DVec3::X) * sign
}

/// Moves B until it touches A, within rounding and a few units in the last place, and slides it
/// along.
fn bring_together(case: &mut PairCase, rng: &mut Rng) {
    let normal = touch_direction(case, rng);
    bring_together_along(case, normal, rng);
}

/// Moves B along a direction until it touches A with that normal; see [`bring_together`].
pub(super) fn bring_together_along(case: &mut PairCase, normal: DVec3, rng: &mut Rng) {
    let flipped_a = matches!(case.b, Shape::HalfSpace(_));
    let (Some(of_a), Some(of_b)) =
        (farthest(&case.a, &case.pose_a, normal), farthest(&case.b, &case.pose_b, -normal))
    else {
        return;
    };
    let size = |shape: &Shape| match shape {
        Shape::HalfSpace(_) => 1.0,
        _ => f64::from(shape.aabb(&Pose::IDENTITY).half_extents().max_element()),
    };
    let slide = rng.direction().as_dvec3();
    let slide = (slide - normal * slide.dot(normal)) * size(&case.a).min(size(&case.b));
    let move_b = of_a - of_b + slide * rng.pick(&[0.0, 0.0, 0.1, 0.7]);
    if flipped_a {
        let position = round::nearest_vec(case.pose_a.translation() - move_b);
        case.pose_a = pose(nudge(position, 2, rng), case.pose_a.rotation());
    } else {
        let position = round::nearest_vec(case.pose_b.translation() + move_b);
        case.pose_b = pose(nudge(position, 2, rng), case.pose_b.rotation());
    }
}

/// Same rotation, or nearly.
fn parallel(a: Kind, b: Kind, rng: &mut Rng) -> PairCase {
    let mut case = random(a, b, any_size(rng), false, rng);
    let mut rotation = case.pose_a.rotation();
    match rng.below(4) {
        0 => {}
        1 => rotation = -rotation,
        2 => rotation = nudge_quat(rotation, rng),
        _ => {
            let tilt = rng.power_of_ten(-8.0, -2.0);
            let axis = rng.direction().as_dvec3() * tilt;
            let [x, y, z] = axis.to_array().map(round::nearest);
            rotation *= Quat::from_xyzw(x, y, z, 1.0);
        }
    }
    case.pose_b = pose(case.pose_b.position(), rotation);
    bring_together(&mut case, rng);
    case
}

fn nudge_quat(q: Quat, rng: &mut Rng) -> Quat {
    let v = nudge(Vec3::new(q.x, q.y, q.z), 2, rng);
    Quat::from_xyzw(v.x, v.y, v.z, q.w)
}

/// Two shapes that touch exactly: a plane through a point of both has them on either side. All of
/// them scaled by one power of two.
fn touching(a: Kind, b: Kind, rng: &mut Rng) -> PairCase {
    let (turn_a, turn_b, first, second, n5, mut offset) = loop {
        let (turn_a, turn_b) = (ExactTurn::draw(rng), ExactTurn::draw(rng));
        let (first, second) = (exact_shape(a, false, rng), exact_shape(b, false, rng));
        // The direction is an axis of A or B; with a half-space, its normal.
        let sign = if rng.one_in(2) { 1.0 } else { -1.0 };
        let n5 = match (a, b) {
            (Kind::HalfSpace, _) => turn_a.columns[1],
            (_, Kind::HalfSpace) => -turn_b.columns[1],
            _ if rng.one_in(2) => turn_a.columns[rng.below(3)] * sign,
            _ => turn_b.columns[rng.below(3)] * sign,
        };
        let top = exact_support(&first, &turn_a, n5);
        let bottom = exact_support(&second, &turn_b, -n5);
        // The rim of a disc is rational for some directions only.
        if let (Some(top), Some(bottom)) = (top, bottom) {
            break (turn_a, turn_b, first, second, n5, top - bottom);
        }
    };
    // Sliding along another axis keeps the touch, as long as the faces still meet.
    if rng.one_in(2) {
        let across = turn_a.columns[rng.below(3)];
        if across.dot(n5).abs() <= 0.0 {
            offset += across * rng.pick(&[0.0625, 0.5, -0.25]);
        }
    }
    let center = rng.cube(-64.0, 64.0).round();
    let scale = round::nearest(rng.pick(&[1.0, 0.5, 1.0 / 1024.0, 4096.0]));
    let scaled = |shape: Shape| scale_shape(&shape, scale);
    let at = |v: DVec3| round::nearest_vec((center.as_dvec3() + v) * f64::from(scale));
    PairCase {
        class: Class::Touching,
        a: scaled(first),
        pose_a: pose(at(DVec3::ZERO), turn_a.rotation),
        b: scaled(second),
        pose_b: pose(at(offset), turn_b.rotation),
    }
}

fn is_curved(shape: &Shape) -> bool {
    match shape {
        Shape::Cylinder(_) | Shape::Cone(_) => true,
        Shape::Rounded(rounded) => is_curved(rounded.core()),
        Shape::Compound(compound) => compound.parts().iter().any(|(_, part)| is_curved(part)),
        _ => false,
    }
}

impl PairCase {
    /// Whether there is a cylinder or a cone in it.
    #[must_use]
    pub fn is_curved(&self) -> bool {
        is_curved(&self.a) || is_curved(&self.b)
    }

    /// Largest coordinate of A and of B that takes part, without the infinite ones.
    #[must_use]
    pub fn reaches(&self) -> [f64; 2] {
        [(&self.a, &self.pose_a), (&self.b, &self.pose_b)].map(|(shape, pose)| match shape {
            Shape::HalfSpace(half_space) => {
                pose.translation().length() + f64::from(half_space.offset().abs())
            }
            bounded => {
                let bounds = bounded.aabb(pose);
                f64::from(bounds.min().abs().max(bounds.max().abs()).max_element())
            }
        })
    }

    /// The larger of these: what rounding to f32 is relative to.
    #[must_use]
    pub fn magnitude(&self) -> f64 {
        self.reaches().into_iter().fold(0.0, f64::max)
    }

    /// Sum of the lengths of what both reach in their own frames and of the way between them.
    #[must_use]
    pub fn size(&self) -> f64 {
        let extent = |shape: &Shape| match shape {
            Shape::HalfSpace(half_space) => f64::from(half_space.offset().abs()),
            bounded => {
                let bounds = bounded.aabb(&Pose::IDENTITY);
                bounds.min().abs().max(bounds.max().abs()).as_dvec3().length()
            }
        };
        let apart = self.pose_b.translation() - self.pose_a.translation();
        apart.length() + extent(&self.a) + extent(&self.b)
    }

    /// The case with all lengths times a power of two, exactly unless it leaves the range of
    /// normal numbers.
    #[must_use]
    pub fn scaled(&self, factor: f32) -> Self {
        let at = |p: &Pose| pose(p.position() * factor, p.rotation());
        Self {
            class: self.class,
            a: scale_shape(&self.a, factor),
            pose_a: at(&self.pose_a),
            b: scale_shape(&self.b, factor),
            pose_b: at(&self.pose_b),
        }
    }

    /// The case with A and B exchanged.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Self {
            class: self.class,
            a: self.b.clone(),
            pose_a: self.pose_b,
            b: self.a.clone(),
            pose_b: self.pose_a,
        }
    }
}

/// Unit boxes and the like on a grid, with zeros of both signs.
fn negative_zero(a: Kind, b: Kind, rng: &mut Rng) -> PairCase {
    let mut coordinate = || rng.pick(&[0.0_f32, -0.0, 7.8125, -7.8125, 15.625]);
    let position_a = Vec3::new(coordinate(), coordinate(), coordinate());
    let position_b = Vec3::new(coordinate(), coordinate(), coordinate());
    let turns = [
        Quat::from_xyzw(0.0, -0.0, 0.0, 1.0),
        Quat::from_xyzw(-0.0, 0.0, -0.0, -1.0),
        Quat::from_xyzw(-1.0, -0.0, 0.0, -0.0),
        Quat::from_xyzw(0.0, -0.0, -1.0, 1.0),
    ];
    PairCase {
        class: Class::NegativeZero,
        a: exact_shape(a, rng.one_in(4), rng),
        pose_a: pose(position_a, rng.pick(&turns)),
        b: exact_shape(b, rng.one_in(4), rng),
        pose_b: pose(position_b, rng.pick(&turns)),
    }
}
