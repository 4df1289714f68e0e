//! Planes and half-spaces against bodies of discs, exactly.
//!
//! A body reaches `c·n + r·√(n_x² + n_z²) + m·|n|` along a normal, taken in its frame. The signs
//! of such sums are found with so many digits that only zero could have none of them.

use std::cmp::Ordering;

use glam::Vec3;
use impinge_shapes::{HalfSpace, Plane, PlaneSide, Pose};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{Body, Bounds, Disc, Outcome};
use crate::oracle::{
    convex::Contact,
    number::{Fraction, Rotation, Scale, Vector},
};

/// The sign of `a + b·√p + c·√q`, for `p` and `q` not negative.
fn sign(a: &BigInt, [b, p]: [&BigInt; 2], [c, q]: [&BigInt; 2]) -> Ordering {
    let (bp, cq) = (b * b * p, c * c * q);
    // The product of the four numbers with either sign of each root is whole. If it is not zero,
    // this one is at least one over the cube of what each is at most.
    let bits = a.bits().max(bp.bits() / 2 + 1).max(cq.bits() / 2 + 1) + 2;
    let digits = 3 * bits + 8;
    let root = |square: &BigInt, sign: &BigInt| {
        let root = (square << (2 * digits)).sqrt();
        if sign.is_negative() { -root } else { root }
    };
    // Each root is less than one unit off, and the least number that is not zero has 2^8.
    let sum: BigInt = (a << digits) + root(&bp, b) + root(&cq, c);
    if sum.abs() <= BigInt::from(4) { Ordering::Equal } else { sum.cmp(&BigInt::zero()) }
}

/// `normal · x − constant` over a body, in whole numbers.
struct Form {
    /// Times the squared length of the quaternion, in the body's frame.
    normal: Vector,
    constant: BigInt,
    /// What a way of the body adds.
    slope: BigInt,
    scale: Scale,
}

impl Form {
    /// The plane `normal · x = distance` that turns with a pose.
    fn new(body: &Body, normal: Vec3, distance: f32, pose: &Pose) -> Self {
        Self::along(Vec3::ZERO, body, normal, distance, pose)
    }

    /// As [`Form::new`], for a body that goes a way.
    fn along(way: Vec3, body: &Body, normal: Vec3, distance: f32, pose: &Pose) -> Self {
        let lengths = body.lengths().chain([distance]).chain(pose.position().to_array());
        let scale = Scale::of(lengths.chain(way.to_array()));
        // One is among the numbers, so its exponent is not positive.
        let normals = Scale::of(normal.to_array().into_iter().chain([1.0]));
        let unit = BigInt::one() << usize::try_from(-normals.exponent()).unwrap_or(0);
        let (outer, inner) = (Rotation::of_pose(pose), Rotation::of_pose(&body.pose));
        let turned = outer.turn(&normals.vector(normal));
        let offset = scale.vector(pose.position()).minus(&scale.vector(body.pose.position()));
        let constant = scale.whole(distance) * unit * &outer.norm + turned.dot(&offset);
        let normal = inner.turn_back(&turned);
        let slope = turned.dot(&scale.vector(way)) * &inner.norm;
        Self { normal, constant: constant * inner.norm, slope, scale }
    }

    /// The sign of the least or greatest value over a disc with the radii.
    fn sign(&self, body: &Body, i: usize, side: i32) -> Ordering {
        let disc = &body.discs[i];
        let n = &self.normal;
        let middle = n.dot(&self.scale.vector(disc.center)) - &self.constant;
        let across = &n.0[0] * &n.0[0] + &n.0[2] * &n.0[2];
        let radius = self.scale.whole(disc.radius) * side;
        let grown = (self.scale.whole(body.radius) + self.scale.whole(body.margin)) * side;
        sign(&middle, [&radius, &across], [&grown, &n.dot(n)])
    }

    fn slope_f64(&self) -> f64 {
        Fraction::whole(self.slope.clone()).to_f64()
    }

    /// The least value over a disc with the radii, within an ulp or so; it must be positive.
    fn height(&self, body: &Body, i: usize) -> f64 {
        let disc = &body.discs[i];
        let n = &self.normal;
        let middle = n.dot(&self.scale.vector(disc.center)) - &self.constant;
        let across = &n.0[0] * &n.0[0] + &n.0[2] * &n.0[2];
        let radius = self.scale.whole(disc.radius);
        let grown = self.scale.whole(body.radius) + self.scale.whole(body.margin);
        let squares = [across * &radius * &radius, n.dot(n) * &grown * &grown];
        // So many digits that at least 60 bits of the difference are right.
        let mut digits = 64_u64;
        loop {
            let roots: BigInt = squares.iter().map(|square| (square << (2 * digits)).sqrt()).sum();
            let value = (&middle << digits) - roots;
            if value.bits() >= 62 || digits > 1 << 16 {
                return Fraction::new(value, BigInt::one() << digits).to_f64();
            }
            digits *= 2;
        }
    }

    fn all(&self, body: &Body, side: i32, wanted: Ordering) -> bool {
        (0..body.discs.len()).all(|i| self.sign(body, i, side) == wanted)
    }
}

/// Side of a plane on which a body lies.
#[must_use]
pub fn side_of_plane(body: &Body, plane: &Plane) -> PlaneSide {
    let form = Form::new(body, plane.normal(), plane.distance(), &Pose::IDENTITY);
    if form.all(body, -1, Ordering::Greater) {
        PlaneSide::Front
    } else if form.all(body, 1, Ordering::Less) {
        PlaneSide::Behind
    } else {
        PlaneSide::Straddling
    }
}

/// How a body lies to a half-space.
#[must_use]
pub fn half_space_relation(half_space: &HalfSpace, pose: &Pose, body: &Body) -> Contact {
    let form = Form::new(body, half_space.normal(), half_space.offset(), pose);
    let signs: Vec<Ordering> = (0..body.discs.len()).map(|i| form.sign(body, i, -1)).collect();
    match signs.into_iter().min() {
        Some(Ordering::Less) => Contact::Penetrating,
        Some(Ordering::Equal) => Contact::Touching,
        _ => Contact::Apart,
    }
}

/// Signed distance of a body from a half-space, within some ulp of f64 of the sizes.
#[must_use]
pub fn half_space_distance(half_space: &HalfSpace, pose: &Pose, body: &Body) -> f64 {
    let form = Form::new(body, half_space.normal(), half_space.offset(), pose);
    let n = &form.normal;
    let square = n.dot(n);
    let across = Fraction::new(&n.0[0] * &n.0[0] + &n.0[2] * &n.0[2], square.clone()).sqrt_f64();
    let value = |disc: &Disc| {
        let middle = n.dot(&form.scale.vector(disc.center)) - &form.constant;
        let size = Fraction::new(&middle * &middle, square.clone());
        let size = size.shifted(2 * form.scale.exponent()).sqrt_f64();
        let along = if middle.is_negative() { -size } else { size };
        along - f64::from(disc.radius) * across
    };
    let least = body.discs.iter().map(value).fold(f64::INFINITY, f64::min);
    least - f64::from(body.radius) - f64::from(body.margin)
}

/// Linear motion of a body by `way` to a half-space, or of the half-space to the body the other
/// way: the least height of the body above the plane falls evenly.
#[must_use]
pub fn half_space_sweep(half_space: &HalfSpace, pose: &Pose, body: &Body, way: Vec3) -> Outcome {
    let mut form = Form::along(way, body, half_space.normal(), half_space.offset(), pose);
    let falls = form.slope.is_negative();
    match half_space_relation(half_space, pose, body) {
        Contact::Penetrating => return Outcome::StartOverlapping,
        Contact::Touching => return Outcome::StartTouching { enters: Some(falls) },
        Contact::Apart if !falls => return Outcome::Miss,
        Contact::Apart => {}
    }
    let times = (0..body.discs.len()).map(|i| form.height(body, i) / -form.slope_f64());
    let time = times.fold(f64::INFINITY, f64::min);
    let normal = Fraction::new(&form.slope * &form.slope, form.normal.dot(&form.normal));
    let speed = normal.shifted(2 * form.scale.exponent()).sqrt_f64();
    // At the end of the way.
    form.constant -= &form.slope;
    if (0..body.discs.len()).all(|i| form.sign(body, i, -1) == Ordering::Greater) {
        return Outcome::Miss;
    }
    let error = time * (64.0 * f64::EPSILON);
    let time = Bounds { low: time - error, high: (time + error).min(1.0) };
    Outcome::Hit { time, incidence: (speed / way.as_dvec3().length()).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_sums_of_roots() {
        let whole = |x: i64| BigInt::from(x);
        let sign_of = |a: i64, b: i64, p: i64, c: i64, q: i64| {
            sign(&whole(a), [&whole(b), &whole(p)], [&whole(c), &whole(q)])
        };
        assert_eq!(sign_of(-5, 1, 4, 1, 9), Ordering::Equal);
        assert_eq!(sign_of(0, 3, 2, -1, 18), Ordering::Equal);
        assert_eq!(sign_of(-3, 1, 2, 1, 3), Ordering::Greater);
        // √(10^18 + 1) − √(10^18) is 5·10^-10.
        let big = 1_000_000_000_000_000_000;
        assert_eq!(sign_of(0, 1, big + 1, -1, big), Ordering::Greater);
        assert_eq!(sign_of(0, -1, big + 1, 1, big), Ordering::Less);
    }
}
