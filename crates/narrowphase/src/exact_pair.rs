//! Two placed shapes in exact arithmetic, and the step from f64 to it.

use std::cmp::Ordering;

use impinge_shapes::convex::wolfe::Place;
use impinge_shapes::exact::{Exact, ExactRotation, ExactVec3};
use impinge_shapes::glam::{DVec3, Vec3, Vec3Swizzles};
use impinge_shapes::{HalfSpace, Pose, round};

use crate::level::{self, Floor};
use crate::real::known_sum;
use crate::{Relation, Relative, tolerance};

/// Bound of the error of a distance computed in A's frame from these coordinates and lengths.
#[inline]
pub(crate) fn noise<const N: usize>(vectors: [DVec3; N], lengths: f64) -> f64 {
    let size = vectors.iter().fold(lengths, |sum, v| sum + (v.x.abs() + v.y.abs() + v.z.abs()));
    size * tolerance::FRAME
}

/// The sign of `value`, unless an error of `bound` may have changed it.
#[inline]
pub(crate) fn certain(value: f64, bound: f64) -> Option<Ordering> {
    if value > bound {
        Some(Ordering::Greater)
    } else if value < -bound {
        Some(Ordering::Less)
    } else {
        None
    }
}

/// The relation of two sets whose distance compares like this with the sum of their radii.
#[inline]
pub(crate) fn relation_of(distance_to_reach: Ordering) -> Relation {
    match distance_to_reach {
        Ordering::Greater => Relation::Apart,
        Ordering::Equal => Relation::Touching,
        Ordering::Less => Relation::Penetrating,
    }
}

/// The distance with the sign that the exact relation has; `noise` is the bound of its error and
/// within it the relation is asked.
#[inline]
pub(crate) fn settle(distance: f64, noise: f64, relation: impl FnOnce() -> Relation) -> f64 {
    if distance.abs() > noise || distance.is_nan() {
        return distance;
    }
    let least = noise * tolerance::LEAST_GAP;
    match relation() {
        Relation::Apart => distance.max(least),
        Relation::Touching => 0.0,
        Relation::Penetrating => distance.min(-least),
    }
}

/// `a + b` where it is an f64 number.
pub(crate) fn exact_sum(a: f64, b: f64) -> Option<f64> {
    let (sum, is_exact) = known_sum(a, b);
    is_exact.then_some(sum)
}

/// The squared length of a vector where neither it nor a step to it needs rounding: of f32
/// numbers, whose squares are f64 numbers.
pub(crate) fn exact_length_squared(v: DVec3) -> Option<f64> {
    let short = round::nearest_vec(v).as_dvec3() == v;
    let squares = v * v;
    let sum = exact_sum(exact_sum(squares.x, squares.y)?, squares.z)?;
    short.then_some(sum)
}

/// The components of `b - a` where they are f64 numbers.
pub(crate) fn exact_difference(b: DVec3, a: DVec3) -> Option<DVec3> {
    let difference = |i: usize| exact_sum(b[i], -a[i]);
    Some(DVec3::new(difference(0)?, difference(1)?, difference(2)?))
}

/// How a way of the world leads out of a half-space: the sign of its product with the normal, exact.
pub(crate) fn leads_out(shape: &HalfSpace, pose: &Pose, way: Vec3) -> Ordering {
    if let Some(floor) = Floor::new(shape, pose, pose) {
        return level::sign(floor.along(way));
    }
    Turn::new(pose).rotate(shape.normal().into()).dot(&way.into()).sign()
}

/// A rotation in exact arithmetic; none for the identity, which most resting bodies have.
#[derive(Clone, Debug)]
struct Turn(Option<ExactRotation>);

impl Turn {
    fn new(pose: &Pose) -> Self {
        Self((!pose.is_unrotated()).then(|| pose.rotation().into()))
    }

    /// For points which may all lie on the axis of the rotation: then it does not move them.
    fn of(pose: &Pose, points: &[Vec3]) -> Self {
        let axis = pose.rotation().xyz().as_dvec3();
        // Products of two f32 numbers are not rounded.
        let lies_on = |point: &Vec3| {
            let point = point.as_dvec3();
            point.yzx() * axis.zxy() == point.zxy() * axis.yzx()
        };
        if points.iter().all(lies_on) { Self(None) } else { Self::new(pose) }
    }

    fn rotate(&self, v: ExactVec3) -> ExactVec3 {
        match &self.0 {
            Some(rotation) => rotation.rotate(&v),
            None => v,
        }
    }

    fn unrotate(&self, v: &ExactVec3) -> ExactVec3 {
        self.0.as_ref().map_or_else(|| v.clone(), |rotation| rotation.unrotate(v))
    }

    /// The vector times the squared length of the quaternion.
    fn scale(&self, v: ExactVec3) -> ExactVec3 {
        match &self.0 {
            Some(rotation) => v.scale(&rotation.norm),
            None => v,
        }
    }

    /// The number times the squared length of the quaternion.
    fn times(&self, x: Exact) -> Exact {
        match &self.0 {
            Some(rotation) => x * rotation.norm.clone(),
            None => x,
        }
    }
}

/// Two poses in exact arithmetic. Everything is in world axes, from A's position, and times
/// the product of both squared quaternion lengths, which count as 1 for the identity.
#[derive(Clone, Debug)]
pub(crate) struct ExactPair {
    turn_a: Turn,
    turn_b: Turn,
    offset: ExactVec3,
    /// Back from B's position.
    to_a: Place,
}

impl ExactPair {
    pub(crate) fn new(b_in_a: &Relative) -> Self {
        let (a, b) = (b_in_a.pose_a(), b_in_a.pose_b());
        Self::with_turns(b_in_a, Turn::new(a), Turn::new(b))
    }

    /// For these points of A and of B alone, in their frames.
    pub(crate) fn of_points(b_in_a: &Relative, of_a: &[Vec3], of_b: &[Vec3]) -> Self {
        let (a, b) = (b_in_a.pose_a(), b_in_a.pose_b());
        Self::with_turns(b_in_a, Turn::of(a, of_a), Turn::of(b, of_b))
    }

    fn with_turns(b_in_a: &Relative, turn_a: Turn, turn_b: Turn) -> Self {
        crate::common::passed_on!(Room);
        let (a, b) = (b_in_a.pose_a(), b_in_a.pose_b());
        let offset = ExactVec3::from(b.position()).minus(&ExactVec3::from(a.position()));
        let to_a = Place::from(b.position()).to(&a.position().into());
        Self { offset: turn_a.scale(turn_b.scale(offset)), turn_a, turn_b, to_a }
    }

    /// A number of the shapes' own units.
    pub(crate) fn number(&self, x: Exact) -> Exact {
        self.turn_a.times(self.turn_b.times(x))
    }

    /// The sum of two radii.
    pub(crate) fn reach(&self, radius_a: f32, radius_b: f32) -> Exact {
        self.number(Exact::from(radius_a) + Exact::from(radius_b))
    }

    /// A vector, or a point, of A.
    pub(crate) fn of_a(&self, v: Vec3) -> ExactVec3 {
        self.turn_b.scale(self.turn_a.rotate(v.into()))
    }

    /// A vector of B.
    pub(crate) fn vector_of_b(&self, v: Vec3) -> ExactVec3 {
        self.turn_a.scale(self.turn_b.rotate(v.into()))
    }

    /// A point of B.
    pub(crate) fn point_of_b(&self, v: Vec3) -> ExactVec3 {
        self.vector_of_b(v).plus(&self.offset)
    }

    /// The exponent of a digit that stands for the last one of points within `size`, unless they
    /// have very many.
    pub(crate) fn last_digit(&self, size: f64) -> i64 {
        let size = self.number(Exact::from(size)).to_f64();
        // The leading digit, with room for differences of differences.
        i64::try_from(size.to_bits() >> 52).unwrap_or(0) - 1023 - 116
    }

    /// A point of A.
    #[inline]
    pub(crate) fn place_of_a(&self, v: Vec3, last_digit: i64) -> Place {
        match self {
            Self { turn_a: Turn(None), turn_b: Turn(None), .. } => v.into(),
            _ => Place::with_last_digit(self.of_a(v), last_digit),
        }
    }

    /// A point of B.
    #[inline]
    pub(crate) fn place_of_b(&self, v: Vec3, last_digit: i64) -> Place {
        match self {
            Self { turn_a: Turn(None), turn_b: Turn(None), to_a, .. } => to_a.to(&v.into()),
            _ => Place::with_last_digit(self.point_of_b(v), last_digit),
        }
    }

    /// A way of the world.
    pub(crate) fn way(&self, v: Vec3, last_digit: i64) -> Place {
        match self {
            Self { turn_a: Turn(None), turn_b: Turn(None), .. } => v.into(),
            _ => Place::with_last_digit(self.world(v), last_digit),
        }
    }

    /// B's position.
    pub(crate) fn position_of_b(&self) -> ExactVec3 {
        self.offset.clone()
    }

    /// A vector of the world.
    pub(crate) fn world(&self, v: Vec3) -> ExactVec3 {
        self.turn_a.scale(self.turn_b.scale(v.into()))
    }

    /// The segment from `from` to `to` in A's frame, as a vector.
    pub(crate) fn segment_of_a(&self, from: Vec3, to: Vec3) -> ExactVec3 {
        self.of_a(to).minus(&self.of_a(from))
    }

    /// The segment from `from` to `to` in B's frame, as a vector.
    pub(crate) fn segment_of_b(&self, from: Vec3, to: Vec3) -> ExactVec3 {
        self.vector_of_b(to).minus(&self.vector_of_b(from))
    }

    /// Components along A's axes, times A's squared quaternion length once more.
    pub(crate) fn along_a(&self, v: &ExactVec3) -> ExactVec3 {
        self.turn_a.unrotate(v)
    }

    /// [`Self::number`] times A's squared quaternion length, to compare with [`Self::along_a`].
    pub(crate) fn number_along_a(&self, x: f32) -> Exact {
        self.turn_a.times(self.number(x.into()))
    }

    /// A half-space that is A.
    pub(crate) fn half_space_a(&self, shape: &HalfSpace) -> ExactHalfSpace {
        ExactHalfSpace {
            normal: self.turn_a.rotate(shape.normal().into()),
            offset: self.number_along_a(shape.offset()),
            norm: self.turn_a.times(Exact::from(1.0)),
            length_squared: ExactVec3::from(shape.normal()).length_squared(),
        }
    }

    /// A half-space that is B.
    pub(crate) fn half_space_b(&self, shape: &HalfSpace) -> ExactHalfSpace {
        let normal = self.turn_b.rotate(shape.normal().into());
        let own = self.turn_b.times(self.number(shape.offset().into()));
        ExactHalfSpace {
            offset: own + normal.dot(&self.offset),
            normal,
            norm: self.turn_b.times(Exact::from(1.0)),
            length_squared: ExactVec3::from(shape.normal()).length_squared(),
        }
    }
}

/// A half-space in the frame and units of its [`ExactPair`].
///
/// - Degenerate: the stored normal is a unit vector only within an ulp; the set is meant exactly,
///   so that lengths along the normal are compared with its own length.
#[derive(Clone, Debug)]
pub(crate) struct ExactHalfSpace {
    /// The normal in the world, `norm` times as long as in the shape's frame.
    pub(crate) normal: ExactVec3,
    /// `normal · x ≤ offset` for the points of the half-space.
    pub(crate) offset: Exact,
    norm: Exact,
    length_squared: Exact,
}

impl ExactHalfSpace {
    /// Compares the distance of a point from the boundary with a length.
    pub(crate) fn compare(&self, point: &ExactVec3, length: &Exact) -> Ordering {
        self.compare_height(&(self.normal.dot(point) - self.offset.clone()), length)
    }

    /// Compares `height`, a product with the normal, with a length.
    fn compare_height(&self, height: &Exact, length: &Exact) -> Ordering {
        let length = length.clone() * self.norm.clone();
        match (height.sign(), length.sign()) {
            (Ordering::Greater, _) => {
                height.square().cmp(&(length.square() * self.length_squared.clone()))
            }
            (_, Ordering::Greater) => Ordering::Less,
            (sign, _) => sign,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_shapes::glam::Quat;

    #[test]
    fn heights_compare_with_lengths_of_normals_that_are_not_unit() {
        let shape = HalfSpace::new(Vec3::new(1.0, 2.0, 2.0), 1.0).unwrap();
        let turn = Quat::from_xyzw(0.3, 0.1, -0.7, 0.2);
        let pose = Pose::new(Vec3::new(5.0, 0.0, 1.0), turn).unwrap();
        let b_in_a = Relative::new(&pose, &Pose::IDENTITY);
        let pair = ExactPair::new(&b_in_a);
        let exact = pair.half_space_a(&shape);
        let point = pair.of_a(shape.normal() * 3.0);
        let length = |x: f32| pair.number(x.into());
        assert_eq!(exact.compare(&point, &length(1.9)), Ordering::Greater);
        assert_eq!(exact.compare(&point, &length(2.1)), Ordering::Less);
        assert_eq!(exact.compare(&pair.of_a(Vec3::ZERO), &length(0.0)), Ordering::Less);
        let flipped = ExactPair::new(&b_in_a.flipped());
        let same = flipped.half_space_b(&shape);
        let point = flipped.point_of_b(shape.normal() * 3.0);
        assert_eq!(same.compare(&point, &flipped.number(1.9_f32.into())), Ordering::Greater);
        assert_eq!(same.compare(&point, &flipped.number(2.1_f32.into())), Ordering::Less);
    }
}
