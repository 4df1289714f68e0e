//! Rays and points against cylinders and cones, exactly: in the body's frame, the ray stays
//! between two planes for an interval of times, and within the round side for another.

use glam::Vec3;
use impinge_shapes::Ray;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::Body;
use crate::oracle::number::{Fraction, Rotation, Scale, Surd, Time, Vector};

/// A ray in whole numbers, in the frame of a body.
struct Line {
    start: Vector,
    motion: Vector,
    last: Option<Fraction>,
}

/// `a·t² + 2·b·t + c ≤ 0` on the round side.
struct Side {
    a: BigInt,
    b: BigInt,
    c: BigInt,
}

/// The two discs of a cylinder or cone: the half height, and the radii above and below, one of
/// which is that of the other or zero.
struct Tapered {
    half: BigInt,
    top: BigInt,
    bottom: BigInt,
}

impl Side {
    /// The square of the distance from the axis, times `(2·half)²`, is at most the square of
    /// `top·(half + y) + bottom·(half − y)`, which is not negative between the discs.
    fn of(line: &Line, body: &Tapered) -> Self {
        let [x, y, z] = &line.start.0;
        let [dx, dy, dz] = &line.motion.0;
        let (a, b, c) = (dx * dx + dz * dz, x * dx + z * dz, x * x + z * z);
        if body.half.is_zero() {
            let most = body.top.clone().max(body.bottom.clone());
            return Self { a, b, c: c - &most * &most };
        }
        let square = &body.half * &body.half * 4;
        let reach = &body.top * (&body.half + y) + &body.bottom * (&body.half - y);
        let slope = (&body.top - &body.bottom) * dy;
        Self {
            a: a * &square - &slope * &slope,
            b: b * &square - &reach * &slope,
            c: c * square - &reach * &reach,
        }
    }

    fn holds_at(&self, time: &Fraction) -> bool {
        let (p, q) = (&time.numerator, &time.denominator);
        let value: BigInt = &self.a * p * p + &self.b * p * q * 2 + &self.c * q * q;
        !value.is_positive()
    }

    /// The first time in an interval at which the side holds, if within it these times form an
    /// interval.
    fn first(&self, from: Fraction, to: Option<&Fraction>) -> Option<Time> {
        if self.holds_at(&from) {
            return Some(Time::Exact(from));
        }
        if self.a.is_zero() {
            // Linear, and too great at the start.
            let falls = self.b.is_negative();
            let time = falls.then(|| Fraction::new(self.c.clone(), &self.b * -2))?;
            return to.is_none_or(|to| time <= *to).then_some(Time::Exact(time));
        }
        let discriminant = &self.b * &self.b - &self.a * &self.c;
        if discriminant.is_negative() {
            return None;
        }
        // Above the parabola's ends, both roots come before or both come after the start; below
        // them the start lies between and the greater root, which has the same form, comes after.
        if self.a.is_positive() && Fraction::new(-self.b.clone(), self.a.clone()) <= from {
            return None;
        }
        let in_time = to.is_none_or(|to| {
            // −b − √disc against a·to.
            let lead = -&self.b * &to.denominator - &self.a * &to.numerator;
            let (square, root) = (&lead * &lead, &discriminant * &to.denominator * &to.denominator);
            if self.a.is_positive() {
                !lead.is_positive() || square <= root
            } else {
                lead.is_positive() && square >= root || lead.is_zero() && root.is_zero()
            }
        });
        let (minus_b, a) = (-self.b.clone(), self.a.clone());
        in_time.then(|| Time::Root(Box::new(Surd { minus_b, discriminant, a, exponent: 0 })))
    }
}

/// The ray and the body in whole numbers; `None` for bodies that are no cylinder or cone.
fn local(body: &Body, origin: Vec3, direction: &Vector, scale: Scale) -> Option<(Line, Tapered)> {
    let [top, bottom] = body.discs.as_slice() else { return None };
    let on_axis = |v: Vec3| v.x.abs() <= 0.0 && v.z.abs() <= 0.0;
    let is_plain =
        on_axis(top.center) && on_axis(bottom.center) && body.radius + body.margin <= 0.0;
    if !is_plain || top.center.y.to_bits() != (-bottom.center.y).to_bits() {
        return None;
    }
    let rotation = Rotation::of_pose(&body.pose);
    let offset = scale.vector(origin).minus(&scale.vector(body.pose.position()));
    let length = |x: f32| scale.whole(x) * &rotation.norm;
    let tapered = Tapered {
        half: length(top.center.y),
        top: length(top.radius),
        bottom: length(bottom.radius),
    };
    let (start, motion) = (rotation.turn_back(&offset), rotation.turn_back(direction));
    Some((Line { start, motion, last: None }, tapered))
}

fn first_hit(line: &Line, body: &Tapered) -> Option<Time> {
    let (mut from, mut to) = (Fraction::zero(), line.last.clone());
    let (y, dy) = (&line.start.0[1], &line.motion.0[1]);
    if dy.is_zero() {
        if y.abs() > body.half {
            return None;
        }
    } else {
        let low = Fraction::new(-&body.half - y, dy.clone());
        let high = Fraction::new(&body.half - y, dy.clone());
        let (low, high) = if low <= high { (low, high) } else { (high, low) };
        from = from.max(low);
        to = Some(to.map_or_else(|| high.clone(), |to| to.min(high.clone())));
    }
    if to.as_ref().is_some_and(|to| *to < from) {
        return None;
    }
    Side::of(line, body).first(from, to.as_ref())
}

/// The first distance at which a ray meets a cylinder or cone, `None` inside for no hit; `None`
/// outside for other bodies.
#[must_use]
pub fn raycast(body: &Body, ray: &Ray, max_distance: f32) -> Option<Option<Time>> {
    let scale = Scale::of(body.lengths().chain(ray.origin().to_array()));
    let directions = Scale::of(ray.direction().to_array());
    let unit = scale.exponent() - directions.exponent();
    let direction = directions.vector(ray.direction());
    let (mut line, tapered) = local(body, ray.origin(), &direction, scale)?;
    line.last = max_distance.is_finite().then(|| Fraction::of(max_distance).shifted(-unit));
    Some(first_hit(&line, &tapered).map(|time| time.shifted(unit)))
}

/// Whether a cylinder or cone contains a point of the world; `None` for other bodies.
#[must_use]
pub fn contains_point(body: &Body, point: Vec3) -> Option<bool> {
    let scale = Scale::of(body.lengths().chain(point.to_array()));
    let (mut line, tapered) = local(body, point, &Vector::zero(), scale)?;
    line.last = Some(Fraction::whole(BigInt::one()));
    Some(first_hit(&line, &tapered).is_some())
}
