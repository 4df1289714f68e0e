//! Planes and half-spaces, with the normal and the distance as they are stored.

use std::cmp::Ordering;

use glam::Vec3;
use impinge_shapes::{Aabb, HalfSpace, Plane, PlaneSide, Pose, Ray, Shape};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{
    Placed, lengths,
    number::{Fraction, Rotation, Scale, Time, Vector},
    place, solids,
};

/// `normal · x − distance`, times a positive factor.
struct Form {
    normal: Vector,
    constant: BigInt,
    lengths: Scale,
}

impl Form {
    /// The plane that turns with a pose. `scale` must measure the position and the distance.
    fn new(normal: Vec3, distance: f32, pose: &Pose, scale: Scale) -> Self {
        let normals = Scale::of(normal.to_array().into_iter().chain([1.0]));
        let rotation = Rotation::of_pose(pose);
        let normal = rotation.turn(&normals.vector(normal));
        // One is among the numbers of the scale of normals, so its exponent is not positive.
        let unit = BigInt::one() << usize::try_from(-normals.exponent()).unwrap_or(0);
        let factor = unit * &rotation.norm;
        let constant = scale.whole(distance) * &factor + normal.dot(&scale.vector(pose.position()));
        Self { normal, constant, lengths: scale }
    }

    /// The value at a point given over a denominator, times that denominator.
    fn at(&self, point: &Vector, denominator: &BigInt) -> BigInt {
        self.normal.dot(point) - &self.constant * denominator
    }

    /// Least and greatest value over a shape without its radius, and the radius, each times
    /// the factor (the radius without it) and a common denominator.
    fn range(&self, shape: &Placed) -> (BigInt, BigInt, BigInt, BigInt) {
        match shape {
            Placed::Segment { ends: [a, b], denominator, radius } => {
                let (a, b) = (self.at(a, denominator), self.at(b, denominator));
                (a.clone().min(b.clone()), a.max(b), radius * denominator, denominator.clone())
            }
            Placed::Cuboid { center, rotation, half } => {
                let denominator = &rotation.norm;
                let middle = self.at(&center.times(denominator), denominator);
                let reach: BigInt = (0..3)
                    .map(|i| (self.normal.dot(&rotation.columns[i]) * &half.0[i]).abs())
                    .sum();
                (&middle - &reach, middle + reach, BigInt::zero(), denominator.clone())
            }
        }
    }

    /// Compares `value` with `±radius · |normal|`: the sign of `value + sign · radius · |normal|`.
    fn compare(&self, value: &BigInt, radius: &BigInt, sign: i8) -> Ordering {
        let square = radius * radius * self.normal.dot(&self.normal);
        let signed_square = value * value.abs();
        signed_square.cmp(&(square * -i32::from(sign)))
    }
}

/// Side of a plane on which a shape lies; `None` for half-spaces and compounds.
#[must_use]
pub fn side_of_plane(shape: &Shape, pose: &Pose, plane: &Plane) -> Option<PlaneSide> {
    let scale = Scale::of(lengths(shape, pose).into_iter().chain([plane.distance()]));
    let form = Form::new(plane.normal(), plane.distance(), &Pose::IDENTITY, scale);
    let Some(placed) = place(shape, pose, scale) else {
        return solids::side_of_plane(shape, pose, plane);
    };
    let (least, greatest, radius, _) = form.range(&placed);
    Some(if form.compare(&least, &radius, -1) == Ordering::Greater {
        PlaneSide::Front
    } else if form.compare(&greatest, &radius, 1) == Ordering::Less {
        PlaneSide::Behind
    } else {
        PlaneSide::Straddling
    })
}

/// Side of a plane on which a finite axis-aligned box lies.
#[must_use]
pub fn side_of_aabb(aabb: &Aabb, plane: &Plane) -> PlaneSide {
    let numbers = aabb.min().to_array().into_iter().chain(aabb.max().to_array());
    let scale = Scale::of(numbers.chain([plane.distance()]));
    let form = Form::new(plane.normal(), plane.distance(), &Pose::IDENTITY, scale);
    let values = aabb.corners().map(|corner| form.at(&scale.vector(corner), &BigInt::one()));
    if values.iter().all(Signed::is_positive) {
        PlaneSide::Front
    } else if values.iter().all(Signed::is_negative) {
        PlaneSide::Behind
    } else {
        PlaneSide::Straddling
    }
}

fn form_of(half_space: &HalfSpace, pose: &Pose, numbers: Vec<f32>) -> (Form, Scale) {
    let more = [half_space.offset()].into_iter().chain(pose.position().to_array());
    let scale = Scale::of(numbers.into_iter().chain(more));
    (Form::new(half_space.normal(), half_space.offset(), pose, scale), scale)
}

pub(super) fn overlaps(
    half_space: &HalfSpace,
    pose: &Pose,
    other: &Shape,
    other_pose: &Pose,
) -> Option<bool> {
    let (form, scale) = form_of(half_space, pose, lengths(other, other_pose));
    let (least, _, radius, _) = form.range(&place(other, other_pose, scale)?);
    Some(form.compare(&least, &radius, -1) != Ordering::Greater)
}

pub(super) fn distance(
    half_space: &HalfSpace,
    pose: &Pose,
    other: &Shape,
    other_pose: &Pose,
) -> Option<f64> {
    let (form, scale) = form_of(half_space, pose, lengths(other, other_pose));
    let (least, _, radius, denominator) = form.range(&place(other, other_pose, scale)?);
    // The stored normal has length 1 within an ulp only; distances are along the unit normal.
    let square =
        Fraction::new(&least * &least, &denominator * &denominator * form.normal.dot(&form.normal));
    let size = square.shifted(2 * form.lengths.exponent()).sqrt_f64();
    let along = if least.is_negative() { -size } else { size };
    let radius = Fraction::new(radius, denominator).shifted(scale.exponent()).to_f64();
    Some(along - radius)
}

pub(super) fn raycast(
    half_space: &HalfSpace,
    pose: &Pose,
    ray: &Ray,
    max_distance: f32,
) -> Option<Time> {
    let (form, scale) = form_of(half_space, pose, ray.origin().to_array().to_vec());
    let start = form.at(&scale.vector(ray.origin()), &BigInt::one());
    if !start.is_positive() {
        return Some(Time::Exact(Fraction::zero()));
    }
    let directions = Scale::of(ray.direction().to_array());
    let slope = form.normal.dot(&directions.vector(ray.direction()));
    if !slope.is_negative() {
        return None;
    }
    let time = Fraction::new(-start, slope).shifted(scale.exponent() - directions.exponent());
    let in_time = !max_distance.is_finite() || time <= Fraction::of(max_distance);
    in_time.then_some(Time::Exact(time))
}
