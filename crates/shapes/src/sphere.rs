//! A ball around the origin of its frame.

use std::cmp::Ordering;

use glam::{DMat3, DVec3, Vec3};
use thiserror::Error;

use crate::ball::{self, Ball};
use crate::crossing::{self, Found, Limits, Pass};
use crate::exact::Exact;
use crate::filter::{Approx, Number, Vector};
use crate::tracked::Tracked;
use crate::{
    Aabb, MassProperties, Plane, PlaneSide, Pose, Ray, RayCrossings, RayOptions, ShapeRayHit, round,
};

/// All points within a radius of the origin of the shape's frame.
///
/// ```
/// use impinge_shapes::{Plane, PlaneSide, Pose, Sphere};
/// use glam::Vec3;
///
/// let ball = Sphere::new(0.5)?;
/// let resting = Pose::from_position(Vec3::new(0.0, 0.5, 0.0)).unwrap();
/// let ground = Plane::new(Vec3::Y, 0.0).unwrap();
/// assert_eq!(ball.classify(&resting, &ground), PlaneSide::Straddling); // touching counts
/// assert!(ball.contains_point(&resting, Vec3::ZERO));
/// assert!(Sphere::new(-0.5).is_err());
/// # Ok::<(), impinge_shapes::SphereError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    radius: f32,
}

/// Why a [`Sphere`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SphereError {
    /// The radius is negative, NaN or infinite.
    #[error("radius: must be finite and not negative, got {0}")]
    Radius(f32),
}

impl Sphere {
    /// A sphere; radius 0 is a point.
    ///
    /// # Errors
    /// A radius that is negative, NaN or infinite.
    pub fn new(radius: f32) -> Result<Self, SphereError> {
        if radius.is_finite() && radius >= 0.0 {
            Ok(Self { radius: radius.abs() })
        } else {
            Err(SphereError::Radius(radius))
        }
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
        ball_bounds(pose.position(), self.radius)
    }

    /// See [`Shape::support`](crate::Shape::support).
    #[must_use]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        direction.normalize_or_zero() * f64::from(self.radius)
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
        self.find(pose, ray, &limits)?.hit(ray, &limits)
    }

    #[inline]
    fn find(&self, pose: &Pose, ray: &Ray, limits: &Limits) -> Option<Found> {
        self.plainly(pose, ray, limits).or_else(|| self.carefully(pose, ray, limits))
    }

    /// What plain f64 tells of a ray from outside; `None` where that is not enough.
    #[inline(always)]
    fn plainly(&self, pose: &Pose, ray: &Ray, limits: &Limits) -> Option<Found> {
        let from = ray.origin().as_dvec3() - pose.translation();
        ball::plainly(from, ray.direction().as_dvec3(), self.radius.into(), limits)
    }

    /// What plain f64 does not tell.
    #[inline(never)]
    fn carefully(&self, pose: &Pose, ray: &Ray, limits: &Limits) -> Option<Found> {
        self.probe::<Approx>(pose, ray, limits)
            .or_else(|| self.probe::<Tracked>(pose, ray, limits))
            .or_else(|| self.probe::<Exact>(pose, ray, limits))
    }

    fn probe<N: Number>(&self, pose: &Pose, ray: &Ray, limits: &Limits) -> Option<Found> {
        self.ball::<N>(pose, ray).probe(limits)
    }

    fn ball<N: Number>(&self, pose: &Pose, ray: &Ray) -> Ball<N> {
        Ball {
            from: Vector::between(pose.position(), ray.origin()),
            direction: Vector::new(ray.direction()),
            radius: N::new(self.radius.into()),
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
        self.ball::<N>(pose, ray).leave(max)
    }

    /// See [`Shape::contains_point`](crate::Shape::contains_point).
    #[must_use]
    pub fn contains_point(&self, pose: &Pose, point: Vec3) -> bool {
        fn compare<N: Number>(center: Vec3, point: Vec3, radius: f32) -> Option<Ordering> {
            let arm = Vector::<N>::between(center, point);
            Ball::compare_distance(&arm, &N::new(radius.into()))
        }
        let center = pose.position();
        point.is_finite()
            && compare::<Approx>(center, point, self.radius)
                .or_else(|| compare::<Tracked>(center, point, self.radius))
                .or_else(|| compare::<Exact>(center, point, self.radius))
                .is_some_and(Ordering::is_le)
    }

    /// See [`Shape::classify`](crate::Shape::classify).
    #[must_use]
    pub fn classify(&self, pose: &Pose, plane: &Plane) -> PlaneSide {
        fn side<N: Number>(center: Vec3, radius: f32, plane: &Plane) -> Option<PlaneSide> {
            let normal = Vector::<N>::new(plane.normal());
            let height = normal.dot(&Vector::new(center)).minus(&N::new(plane.distance().into()));
            PlaneSide::of_ball(&height, &N::new(radius.into()), &normal.length_squared())
        }
        side::<Approx>(pose.position(), self.radius, plane)
            .or_else(|| side::<Tracked>(pose.position(), self.radius, plane))
            .or_else(|| side::<Exact>(pose.position(), self.radius, plane))
            .unwrap_or(PlaneSide::Straddling)
    }

    /// See [`Shape::mass_properties`](crate::Shape::mass_properties).
    #[must_use]
    pub fn mass_properties(&self) -> MassProperties {
        let r = f64::from(self.radius);
        let volume = 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
        let moment = 0.4 * volume * r * r;
        MassProperties::from_f64(volume, DVec3::ZERO, DMat3::from_diagonal(DVec3::splat(moment)))
    }
}

/// Outward bounds of a ball.
fn ball_bounds(center: Vec3, radius: f32) -> Aabb {
    let r = f64::from(radius);
    let lower = |x: f32| round::sum_down(x.into(), -r);
    let upper = |x: f32| round::sum_up(x.into(), r);
    Aabb::from_sorted(
        Vec3::new(lower(center.x), lower(center.y), lower(center.z)),
        Vec3::new(upper(center.x), upper(center.y), upper(center.z)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_radii_are_refused_and_named() {
        for bad in [-1.0, f32::NAN, f32::INFINITY] {
            assert!(Sphere::new(bad).is_err(), "{bad}");
        }
        let error = Sphere::new(-1.0).unwrap_err();
        assert_eq!(error.to_string(), "radius: must be finite and not negative, got -1");
        assert!(Sphere::new(-0.0).unwrap().radius().is_sign_positive());
    }

    #[test]
    fn unit_ball_has_the_textbook_mass() {
        let mass = Sphere::new(1.0).unwrap().mass_properties();
        assert!((mass.volume - 4.188_790_3).abs() < 1e-6);
        assert!((mass.inertia.x_axis.x - 0.4 * mass.volume).abs() < 1e-6);
    }
}
