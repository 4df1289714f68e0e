//! Bodies that are the hull of a few points, grown by a radius: points, segments, triangles, boxes,
//! hulls and their round versions, at any pose.
//!
//! Two bodies penetrate if the inside of the difference of their points contains the origin. So
//! two flat bodies penetrate where they cross, for no small move along both planes parts them;
//! two that lie in one plane only touch, and so do two segments, two points, or a point and a
//! triangle, whose difference is flat. With a radius between them, bodies penetrate when their
//! points come nearer than the radii.

mod approach;
mod difference;
mod enter;
mod expand;
mod guess;
mod nearest;

use std::cmp::Ordering;

use glam::Vec3;
use impinge_shapes::{Cuboid, Plane, PlaneSide, Pose, Ray, Shape};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

pub(super) use self::{
    expand::{Room, room},
    guess::{Guess, guess},
    nearest::{Corner, Nearest, Support, nearest},
};

use self::difference::{Difference, Way};
use super::{
    Sweep,
    number::{Fraction, Scale, Surd, Time},
};

/// The hull of a few points in a frame of their own, placed, and grown by a radius.
#[derive(Clone, Debug)]
pub struct Polytope {
    /// At least one point; neither their order nor points inside the hull matter.
    pub vertices: Vec<Vec3>,
    /// Where the frame is.
    pub pose: Pose,
    /// By how much the hull is grown.
    pub radius: f32,
    /// By how much more it is grown: the radii of a round shape with a round core add up exactly.
    pub margin: f32,
}

/// How two closed sets lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Contact {
    /// No common point.
    Apart,
    /// Common points, but some arbitrarily small move parts them.
    Touching,
    /// Overlapping by more than touch.
    Penetrating,
}

fn corners(cuboid: &Cuboid) -> Vec<Vec3> {
    let half = cuboid.half_extents();
    let side = |bit: usize, h: f32| if bit == 0 { -h } else { h };
    (0..8)
        .map(|i| Vec3::new(side(i & 1, half.x), side(i & 2, half.y), side(i & 4, half.z)))
        .collect()
}

impl Polytope {
    /// The polytope that a shape is; `None` for curved, unbounded and composed ones.
    #[must_use]
    pub fn of(shape: &Shape, pose: &Pose) -> Option<Self> {
        let (vertices, radius) = match shape {
            Shape::Sphere(sphere) => (vec![Vec3::ZERO], sphere.radius()),
            Shape::Capsule(capsule) => (vec![capsule.a(), capsule.b()], capsule.radius()),
            Shape::Cuboid(cuboid) => (corners(cuboid), 0.0),
            Shape::Triangle(triangle) => (triangle.vertices().to_vec(), 0.0),
            Shape::ConvexHull(hull) => (hull.vertices().to_vec(), 0.0),
            Shape::Rounded(rounded) => {
                let core = Self::of(rounded.core(), pose)?;
                return Some(Self { margin: rounded.radius(), ..core });
            }
            _ => return None,
        };
        Some(Self { vertices, pose: *pose, radius, margin: 0.0 })
    }

    /// A point of the world.
    #[must_use]
    pub fn point(at: Vec3) -> Self {
        Self { vertices: vec![at], pose: Pose::IDENTITY, radius: 0.0, margin: 0.0 }
    }
}

/// How two bodies lie to each other.
#[must_use]
pub fn relation(a: &Polytope, b: &Polytope) -> Contact {
    start(&Difference::new(a, b, &Way::none())).contact
}

/// How the bodies of a difference lie, and where they are nearest.
struct Start {
    contact: Contact,
    nearest: Nearest,
    /// The points overlap without regard to the radii, and their difference has no inside.
    is_flat: bool,
}

fn start(difference: &Difference) -> Start {
    let nearest = nearest(difference);
    let order = nearest.square.cmp(&difference.reach());
    let mut is_flat = false;
    let contact = if order.is_gt() {
        Contact::Apart
    } else if order.is_lt() {
        Contact::Penetrating
    } else if difference.has_radius() {
        Contact::Touching
    } else {
        let room = expand::side(difference, &nearest);
        is_flat = matches!(room, Room::Flat);
        if room.is_inside() { Contact::Penetrating } else { Contact::Touching }
    };
    Start { contact, nearest, is_flat }
}

/// Signed distance of two bodies, within an ulp or so of f64.
///
/// Where the points overlap without regard to the radii, minus the least distance by which a move
/// of one parts them, less the radii.
#[must_use]
pub fn distance(a: &Polytope, b: &Polytope) -> f64 {
    let difference = Difference::new(a, b, &Way::none());
    let nearest = nearest(&difference);
    if !nearest.is_origin() {
        return less_radius(&difference, &nearest.square, false);
    }
    match room(&difference, &nearest) {
        Room::Flat => less_radius(&difference, &Fraction::zero(), true),
        Room::Depth { square, .. } => less_radius(&difference, &square, true),
    }
}

/// Plus or minus the root of a squared length of the difference, less the radii.
fn less_radius(difference: &Difference, square: &Fraction, is_depth: bool) -> f64 {
    // `±√(n/d) − r` is `(−r·d ± √(n·d)) / d`; the lower root of a quadratic has the minus.
    let along = &difference.radius * &square.denominator;
    let d = &square.denominator * &difference.factor;
    let (minus_b, a) = if is_depth { (-along, d) } else { (along, -d) };
    let discriminant = &square.numerator * &square.denominator;
    let exponent = difference.scale.exponent();
    Time::Root(Box::new(Surd { minus_b, discriminant, a, exponent })).to_f64()
}

/// Linear motion of A against B.
///
/// The incidence of a hit on a body without radius is that of the last billionth of the way.
#[must_use]
pub fn sweep(a: &Polytope, displacement: Vec3, b: &Polytope) -> Sweep {
    approach::sweep(&Difference::new(a, b, &Way::of(displacement)))
}

/// As [`sweep`] of bodies that are apart at the start.
#[must_use]
pub fn first_touch(a: &Polytope, displacement: Vec3, b: &Polytope) -> Sweep {
    approach::first_touch(&Difference::new(a, b, &Way::of(displacement)))
}

/// The first distance at which a ray meets a body, from 0 to `max_distance`, both included.
#[must_use]
pub fn raycast(body: &Polytope, ray: &Ray, max_distance: f32) -> Option<Time> {
    let origin = Polytope::point(ray.origin());
    let directions = Scale::of(ray.direction().to_array());
    let vector = directions.vector(ray.direction());
    let (times, exponent) = if max_distance.is_finite() {
        let lengths = Scale::of([max_distance]);
        (lengths.whole(max_distance), lengths.exponent())
    } else {
        (BigInt::one(), beyond(body, ray))
    };
    let way = Way { vector: vector.times(&times), exponent: directions.exponent() + exponent };
    let difference = Difference::new(&origin, body, &way);
    if start(&difference).contact != Contact::Apart {
        return Some(Time::Exact(Fraction::zero()));
    }
    if times.is_zero() {
        return None;
    }
    let Sweep::Hit { time, .. } = approach::first_touch(&difference) else { return None };
    let whole = |fraction: Fraction| {
        let numerator = fraction.numerator * &times;
        Fraction { numerator, denominator: fraction.denominator }.shifted(exponent)
    };
    Some(match time {
        Time::Exact(fraction) => Time::Exact(whole(fraction)),
        Time::Between(low, high) => Time::Between(whole(low), whole(high)),
        root @ Time::Root(_) => root,
    })
}

/// An exponent of a power of two so large that a ray of this length ends beyond the body.
fn beyond(body: &Polytope, ray: &Ray) -> i32 {
    let numbers = body.vertices.iter().copied().chain([body.pose.position(), ray.origin()]);
    let numbers = numbers.flat_map(|v| v.to_array()).chain([body.radius, body.margin]);
    let most = numbers.map(f32::abs).fold(f32::MIN_POSITIVE, f32::max);
    // The exponent of a number above the greatest; ten of those reach beyond, along a direction of
    // about unit length.
    i32::try_from(most.to_bits() >> 23).unwrap_or(0) - 126 + 5
}

/// Whether a body contains a point of the world.
#[must_use]
pub fn contains_point(body: &Polytope, point: Vec3) -> bool {
    relation(&Polytope::point(point), body) != Contact::Apart
}

/// Whether a point lies behind, in or before the plane of three others, which run
/// counter-clockwise seen from before it.
#[must_use]
pub fn side_of_points(plane: [Vec3; 3], point: Vec3) -> Ordering {
    let numbers = plane.iter().chain([&point]).flat_map(|v| v.to_array());
    let scale = Scale::of(numbers);
    let [p, q, r] = plane.map(|v| scale.vector(v));
    let normal = q.minus(&p).cross(&r.minus(&p));
    normal.dot(&scale.vector(point).minus(&p)).cmp(&BigInt::zero())
}

/// Side of a plane on which a body lies.
#[must_use]
pub fn side_of_plane(body: &Polytope, plane: &Plane) -> PlaneSide {
    let point = Polytope::point(Vec3::ZERO);
    let normals = Scale::of(plane.normal().to_array());
    let normal = normals.vector(plane.normal());
    let distances = Scale::of([plane.distance()]);
    let way = Way { vector: super::number::Vector::zero(), exponent: 0 };
    let difference = Difference::new(&point, body, &way);
    // Everything over the finest of the scales: `normal · x − distance` and the radius.
    let exponent = normals.exponent() + difference.scale.exponent();
    let least = exponent.min(distances.exponent());
    let lift = |x: BigInt, from: i32| x << usize::try_from(from - least).unwrap_or(0);
    let constant =
        lift(distances.whole(plane.distance()), distances.exponent()) * &difference.factor;
    let values = difference.b.iter().map(|v| lift(normal.dot(v), exponent) - &constant);
    let values: Vec<BigInt> = values.collect();
    let radius = lift(difference.radius.clone(), exponent);
    let reach = &radius * &radius * normal.dot(&normal);
    let is_beyond = |value: &BigInt| value.is_positive() && value * value > reach;
    if values.iter().all(is_beyond) {
        PlaneSide::Front
    } else if values.iter().all(|value| is_beyond(&-value)) {
        PlaneSide::Behind
    } else {
        PlaneSide::Straddling
    }
}

#[cfg(test)]
mod tests;
