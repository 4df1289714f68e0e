//! All points within a radius of a segment.

use std::cmp::Ordering;

use glam::{DMat3, DVec3, Vec3};
use thiserror::Error;

use crate::crossing::{self, Found, Limits, Pass};
use crate::exact::Exact;
use crate::filter::{Approx, Number, Rotation, Vector};
use crate::pose::first_not_finite;
use crate::tracked::Tracked;
use crate::tube::{Tube, TubeRay};
use crate::{
    Aabb, MassProperties, Plane, PlaneSide, Pose, Ray, RayCrossings, RayOptions, ShapeRayHit,
    round, tolerance,
};

/// All points within `radius` of the segment from `a` to `b`, in the shape's frame.
///
/// ```
/// use impinge_shapes::{Capsule, Pose};
/// use glam::Vec3;
///
/// let capsule = Capsule::along_y(1.0, 0.5)?;
/// assert_eq!(capsule, Capsule::new(Vec3::NEG_Y, Vec3::Y, 0.5)?);
/// assert!(capsule.contains_point(&Pose::IDENTITY, Vec3::new(0.0, 1.5, 0.0)));
/// # Ok::<(), impinge_shapes::CapsuleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    a: Vec3,
    b: Vec3,
    radius: f32,
}

/// Why a [`Capsule`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum CapsuleError {
    /// A component of the first end is NaN or infinite.
    #[error("a: must be finite, got {0}")]
    A(f32),
    /// A component of the second end is NaN or infinite.
    #[error("b: must be finite, got {0}")]
    B(f32),
    /// The half height is negative, NaN or infinite.
    #[error("half_height: must be finite and not negative, got {0}")]
    HalfHeight(f32),
    /// The radius is negative, NaN or infinite.
    #[error("radius: must be finite and not negative, got {0}")]
    Radius(f32),
}

impl Capsule {
    /// A capsule between two points; equal points make it a sphere, radius 0 a segment.
    ///
    /// # Errors
    /// A point that is not finite, or a radius that is negative, NaN or infinite.
    pub fn new(a: Vec3, b: Vec3, radius: f32) -> Result<Self, CapsuleError> {
        if let Some(bad) = first_not_finite(&a.to_array()) {
            return Err(CapsuleError::A(bad));
        }
        if let Some(bad) = first_not_finite(&b.to_array()) {
            return Err(CapsuleError::B(bad));
        }
        if !(radius.is_finite() && radius >= 0.0) {
            return Err(CapsuleError::Radius(radius));
        }
        Ok(Self { a, b, radius: radius.abs() })
    }

    /// A capsule along Y around the origin, from `-half_height` to `half_height` plus the radius.
    ///
    /// # Errors
    /// A half height or radius that is negative, NaN or infinite.
    pub fn along_y(half_height: f32, radius: f32) -> Result<Self, CapsuleError> {
        if !(half_height.is_finite() && half_height >= 0.0) {
            return Err(CapsuleError::HalfHeight(half_height));
        }
        Self::new(Vec3::new(0.0, -half_height, 0.0), Vec3::new(0.0, half_height, 0.0), radius)
    }

    /// First end of the segment.
    #[must_use]
    #[inline]
    pub fn a(&self) -> Vec3 {
        self.a
    }

    /// Second end of the segment.
    #[must_use]
    #[inline]
    pub fn b(&self) -> Vec3 {
        self.b
    }

    /// Radius.
    #[must_use]
    #[inline]
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// See [`Shape::aabb`](crate::Shape::aabb).
    #[must_use]
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let m = pose.rotation_matrix();
        let c = pose.translation();
        let r = f64::from(self.radius);
        let (a, b) = (m * self.a.as_dvec3(), m * self.b.as_dvec3());
        let sums = |v: DVec3| v.x.abs() + v.y.abs() + v.z.abs();
        let size = sums(self.a.as_dvec3()).max(sums(self.b.as_dvec3()));
        let slack = if pose.permutes_axes() { 0.0 } else { size * tolerance::ROTATED_BOUNDS };
        // Each sum is directed, so that neither the slack nor the radius is rounded away.
        let reach = |end: f64| round::add_up(round::add_up(end, slack), r);
        let lower = |i: usize| round::sum_down(c[i], -reach((-a[i]).max(-b[i])));
        let upper = |i: usize| round::sum_up(c[i], reach(a[i].max(b[i])));
        Aabb::from_sorted(
            Vec3::new(lower(0), lower(1), lower(2)),
            Vec3::new(upper(0), upper(1), upper(2)),
        )
    }

    /// See [`Shape::support`](crate::Shape::support).
    #[must_use]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let (a, b) = (self.a.as_dvec3(), self.b.as_dvec3());
        let end = if direction.dot(b) > direction.dot(a) { b } else { a };
        end + direction.normalize_or_zero() * f64::from(self.radius)
    }

    /// See [`Shape::raycast`](crate::Shape::raycast).
    #[must_use]
    pub fn raycast(
        &self,
        pose: &Pose,
        ray: &Ray,
        max_distance: f32,
        options: &RayOptions,
    ) -> Option<ShapeRayHit> {
        let limits = Limits::new(max_distance, options)?;
        match self.plainly(pose, ray, &limits) {
            Some(found) => found.hit_here(ray, &limits),
            None => self.carefully(pose, ray, &limits)?.hit(ray, &limits),
        }
    }

    fn find(&self, pose: &Pose, ray: &Ray, limits: &Limits) -> Option<Found> {
        self.plainly(pose, ray, limits).or_else(|| self.carefully(pose, ray, limits))
    }

    /// What plain f64 tells of a ray from outside; `None` where that is not enough.
    ///
    /// All numbers are taken where the ray is nearest to the capsule's middle, so that a start far
    /// away costs no more than the error of that place.
    ///
    /// - Error: of the distance 2^-29 of it, of the normal 2^-29.
    /// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.3.7, with the balls of the ends
    ///   asked where the cylinder is met beyond them.
    #[inline(always)]
    pub(crate) fn plainly(&self, pose: &Pose, ray: &Ray, limits: &Limits) -> Option<Found> {
        let (turn, norm) = pose.scaled_rotation();
        let per = 1.0 / norm;
        let local =
            |v: DVec3| DVec3::new(turn.x_axis.dot(v), turn.y_axis.dot(v), turn.z_axis.dot(v)) * per;
        let arm = ray.origin().as_dvec3() - pose.translation();
        let (a, b, radius) = (self.a.as_dvec3(), self.b.as_dvec3(), f64::from(self.radius));
        let axis = b - a;
        let whole = axis.length();
        let reach = 0.5 * whole + radius;
        let size = arm.abs().element_sum() + (a.abs().element_sum() + b.abs().element_sum());
        let error = tolerance::PLAIN * (size + radius);

        let direction = local(ray.direction().as_dvec3());
        let speed = direction.length_squared();
        let start = local(arm) - 0.5 * (a + b);
        let begin = -start.dot(direction) / speed;
        let near = start + direction * begin;
        let beside = (reach + error) * (1.0 + tolerance::PLAIN_REPORTED);
        let nearest = if begin <= 0.0 { start } else { near };
        if nearest.length_squared() > beside * beside {
            return Some(Found::Miss);
        }

        // Across the axis.
        let unit = axis / whole;
        let (climb, height) = (unit.dot(direction), unit.dot(near));
        let (across, off) = (direction - unit * climb, near - unit * height);
        let steepness = across.length_squared();
        if !(steepness >= tolerance::STEEP && whole > 0.0) {
            return None;
        }
        let meet = |off: DVec3, way: DVec3, square: f64, reach: f64| {
            let along = off.dot(way);
            let discriminant = along * along - square * (off.length_squared() - radius * radius);
            // A coordinate is off by a quarter of the error at most, the discriminant by less than
            // 3 errors times the reach.
            let hidden = 8.0 * reach * error;
            if discriminant.abs() <= hidden {
                return None;
            }
            if discriminant < 0.0 {
                return Some(None);
            }
            let root = discriminant.sqrt();
            Some(Some(((-along - root) / square, 4.0 * (error + hidden / root) / square)))
        };
        let Some((mut place, mut slack)) = meet(off, across, steepness, reach)? else {
            return Some(Found::Miss);
        };
        let (end, level) = (0.5 * whole, height + climb * place);
        let beyond = level.abs() - end;
        if beyond.abs() <= slack + error {
            return None;
        }
        let mut center = unit * level;
        if beyond > 0.0 {
            center = unit * end.copysign(level);
            let Some(met) = meet(near - center, direction, speed, whole + radius)? else {
                return Some(Found::Miss);
            };
            (place, slack) = met;
        }
        let distance = begin + place;
        let known = slack <= distance * tolerance::PLAIN_REPORTED
            && slack + error <= radius * tolerance::PLAIN_REPORTED;
        if !known {
            return None;
        }
        if !limits.reaches(distance)? {
            return Some(Found::Miss);
        }
        let normal = turn * (near + direction * place - center);
        Some(Found::Entry { distance, normal: normal / normal.length() })
    }

    /// What plain f64 does not tell.
    #[inline(never)]
    fn carefully(&self, pose: &Pose, ray: &Ray, limits: &Limits) -> Option<Found> {
        self.probe::<Approx>(pose, ray, limits)
            .or_else(|| self.probe::<Tracked>(pose, ray, limits))
            .or_else(|| self.probe::<Exact>(pose, ray, limits))
    }

    #[cfg(test)]
    pub(crate) fn exactly(&self, pose: &Pose, ray: &Ray, limits: &Limits) -> Found {
        self.probe::<Exact>(pose, ray, limits).expect("exact numbers tell")
    }

    fn probe<N: Number>(&self, pose: &Pose, ray: &Ray, limits: &Limits) -> Option<Found> {
        self.tube_ray::<N>(pose, ray).probe(limits)
    }

    fn tube_ray<N: Number>(&self, pose: &Pose, ray: &Ray) -> TubeRay<N> {
        let rotation = Rotation::<N>::new(pose.rotation());
        TubeRay {
            tube: self.tube(&rotation),
            from: self.seen_from_a(pose, &rotation, ray.origin()),
            direction: Vector::new(ray.direction()).scaled(&rotation.norm),
        }
    }

    /// See [`Shape::crossings`](crate::Shape::crossings).
    #[must_use]
    pub fn crossings(&self, pose: &Pose, ray: &Ray, max_distance: f32) -> RayCrossings {
        crossing::crossings(
            ray,
            max_distance,
            |limits| self.find(pose, ray, limits),
            |max| {
                self.leave::<Approx>(pose, ray, max)
                    .or_else(|| self.leave::<Tracked>(pose, ray, max))
                    .or_else(|| self.leave::<Exact>(pose, ray, max))
                    .flatten()
            },
        )
    }

    fn leave<N: Number>(&self, pose: &Pose, ray: &Ray, max: Option<f64>) -> Option<Option<Pass>> {
        self.tube_ray::<N>(pose, ray).leave(max)
    }

    /// The capsule in the world as seen from its first end, `norm` times as large.
    fn tube<N: Number>(&self, rotation: &Rotation<N>) -> Tube<N> {
        Tube {
            segment: rotation.rotate(&Vector::between(self.a, self.b)),
            radius: rotation.norm.times(&N::new(self.radius.into())),
        }
    }

    /// The world's point as seen from the first end, `norm` times as far.
    fn seen_from_a<N: Number>(
        &self,
        pose: &Pose,
        rotation: &Rotation<N>,
        point: Vec3,
    ) -> Vector<N> {
        Vector::between(pose.position(), point)
            .scaled(&rotation.norm)
            .minus(&rotation.rotate(&Vector::new(self.a)))
    }

    /// See [`Shape::contains_point`](crate::Shape::contains_point).
    #[must_use]
    pub fn contains_point(&self, pose: &Pose, point: Vec3) -> bool {
        point.is_finite()
            && self
                .compare_distance::<Approx>(pose, point)
                .or_else(|| self.compare_distance::<Tracked>(pose, point))
                .or_else(|| self.compare_distance::<Exact>(pose, point))
                .is_some_and(Ordering::is_le)
    }

    fn compare_distance<N: Number>(&self, pose: &Pose, point: Vec3) -> Option<Ordering> {
        let rotation = Rotation::<N>::new(pose.rotation());
        self.tube(&rotation).compare_distance(&self.seen_from_a(pose, &rotation, point))
    }

    /// See [`Shape::classify`](crate::Shape::classify).
    #[must_use]
    pub fn classify(&self, pose: &Pose, plane: &Plane) -> PlaneSide {
        self.side::<Approx>(pose, plane)
            .or_else(|| self.side::<Tracked>(pose, plane))
            .or_else(|| self.side::<Exact>(pose, plane))
            .unwrap_or(PlaneSide::Straddling)
    }

    fn side<N: Number>(&self, pose: &Pose, plane: &Plane) -> Option<PlaneSide> {
        let rotation = Rotation::<N>::new(pose.rotation());
        let normal = Vector::<N>::new(plane.normal());
        let height = normal
            .dot(&Vector::new(pose.position()))
            .minus(&N::new(plane.distance().into()))
            .times(&rotation.norm);
        let along = rotation.unrotate(&normal);
        let radius = rotation.norm.times(&N::new(self.radius.into()));
        let end = |end: Vec3| {
            let height = height.plus(&along.dot(&Vector::new(end)));
            PlaneSide::of_ball(&height, &radius, &normal.length_squared())
        };
        Some(end(self.a)?.with(end(self.b)?))
    }

    /// See [`Shape::mass_properties`](crate::Shape::mass_properties).
    ///
    /// - Source: a cylinder and two half balls, whose centres of mass lie 3/8 of the radius
    ///   outside the segment's ends.
    #[must_use]
    pub fn mass_properties(&self) -> MassProperties {
        let (a, b) = (self.a.as_dvec3(), self.b.as_dvec3());
        let r = f64::from(self.radius);
        let length = (b - a).length();
        let pi = std::f64::consts::PI;
        let (cylinder, ball) = (pi * r * r * length, 4.0 / 3.0 * pi * r * r * r);
        let along = 0.5 * cylinder * r * r + 0.4 * ball * r * r;
        let across = cylinder * (length * length / 12.0 + r * r / 4.0)
            + ball * (0.4 * r * r + length * length / 4.0 + 0.375 * length * r);
        let axis = (b - a).normalize_or_zero();
        let outer = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
        let inertia = DMat3::IDENTITY * across + outer * (along - across);
        MassProperties::from_f64(cylinder + ball, (a + b) * 0.5, inertia)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_capsules_are_refused_and_named() {
        let error = Capsule::along_y(-1.0, 1.0).unwrap_err();
        assert_eq!(error.to_string(), "half_height: must be finite and not negative, got -1");
        assert_eq!(Capsule::new(Vec3::ZERO, Vec3::X, -1.0), Err(CapsuleError::Radius(-1.0)));
        assert!(matches!(Capsule::new(Vec3::NAN, Vec3::X, 1.0), Err(CapsuleError::A(_))));
    }

    #[test]
    fn a_capsule_without_length_weighs_like_a_sphere() {
        let capsule = Capsule::along_y(0.0, 1.5).unwrap().mass_properties();
        let sphere = crate::Sphere::new(1.5).unwrap().mass_properties();
        assert_eq!(capsule, sphere);
    }

    #[test]
    fn unrotated_bounds_are_exact() {
        let pose = Pose::from_position(Vec3::new(1.0, 2.0, 3.0)).unwrap();
        let bounds = Capsule::along_y(1.0, 0.5).unwrap().aabb(&pose);
        assert_eq!(bounds.min(), Vec3::new(0.5, 0.5, 2.5));
        assert_eq!(bounds.max(), Vec3::new(1.5, 3.5, 3.5));
    }
}
