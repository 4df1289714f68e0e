//! Everything on one side of a plane.

use std::cmp::Ordering;

use glam::{DVec3, Vec3};
use thiserror::Error;

use crate::crossing::{self, Found, Limits, Pass};
use crate::exact::Exact;
use crate::filter::{Approx, Number, Rotation, Vector};
use crate::ray::StartedInside;
use crate::slab::{self, Slab};
use crate::tracked::Tracked;
use crate::{
    Aabb, Plane, PlaneError, PlaneSide, Pose, Ray, RayCrossings, RayOptions, ShapeRayHit, round,
    tolerance,
};

/// The points with `normal · x ≤ offset` in the shape's frame; `normal` points out of the solid.
///
/// ```
/// use impinge_shapes::{HalfSpace, Pose};
/// use glam::Vec3;
///
/// let ground = HalfSpace::new(Vec3::Y, 2.0)?;
/// assert!(ground.contains_point(&Pose::IDENTITY, Vec3::new(7.0, 2.0, 0.0)));
/// let top = ground.aabb(&Pose::IDENTITY).max();
/// assert_eq!(top, Vec3::new(f32::INFINITY, 2.0, f32::INFINITY));
/// # Ok::<(), impinge_shapes::HalfSpaceError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    plane: Plane,
}

/// Why a [`HalfSpace`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum HalfSpaceError {
    /// A component of the normal is NaN or infinite.
    #[error("normal: must be finite, got {0}")]
    NormalNotFinite(f32),
    /// The normal has no length.
    #[error("normal: must not be zero")]
    NormalZero,
    /// The offset is NaN or infinite.
    #[error("offset: must be finite, got {0}")]
    Offset(f32),
}

impl HalfSpace {
    /// A half-space from its outward normal, which is normalised, and the offset along the unit
    /// normal.
    ///
    /// # Errors
    /// A value that is not finite, or a normal of zeros.
    pub fn new(normal: Vec3, offset: f32) -> Result<Self, HalfSpaceError> {
        Self::of(Plane::new(normal, offset))
    }

    /// A half-space whose normal has unit length already, up to rounding, and is kept to the bit;
    /// any other is normalised.
    ///
    /// # Errors
    /// As [`HalfSpace::new`].
    pub fn from_unit(normal: Vec3, offset: f32) -> Result<Self, HalfSpaceError> {
        Self::of(Plane::from_unit(normal, offset))
    }

    fn of(plane: Result<Plane, PlaneError>) -> Result<Self, HalfSpaceError> {
        match plane {
            Ok(plane) => Ok(Self { plane }),
            Err(PlaneError::NormalNotFinite(bad) | PlaneError::PointNotFinite(bad)) => {
                Err(HalfSpaceError::NormalNotFinite(bad))
            }
            Err(PlaneError::NormalZero) => Err(HalfSpaceError::NormalZero),
            Err(PlaneError::DistanceNotFinite(bad)) => Err(HalfSpaceError::Offset(bad)),
        }
    }

    /// Outward unit normal.
    #[must_use]
    #[inline]
    pub fn normal(&self) -> Vec3 {
        self.plane.normal()
    }

    /// Offset of the boundary along the normal.
    #[must_use]
    #[inline]
    pub fn offset(&self) -> f32 {
        self.plane.distance()
    }

    /// See [`Shape::aabb`](crate::Shape::aabb): bounded on one side if the normal lies exactly
    /// along a world axis, all of space otherwise.
    #[must_use]
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let (mut min, mut max) = (Vec3::NEG_INFINITY, Vec3::INFINITY);
        let along = self
            .bounded_axis::<Approx>(pose)
            .or_else(|| self.bounded_axis::<Tracked>(pose))
            .or_else(|| self.bounded_axis::<Exact>(pose))
            .unwrap_or(None);
        if let Some((axis, ascending)) = along {
            // An axis of the body turned onto one of the world is exact; any other normal has a
            // rounded length.
            let local = self.normal().as_dvec3();
            let unit = local.abs().max_element() >= 1.0 && local.abs().element_sum() <= 1.0;
            let offset = f64::from(self.offset()) / if unit { 1.0 } else { local.length() };
            let slack = if unit { 0.0 } else { offset.abs() * tolerance::ROTATED_BOUNDS };
            let end = offset + slack;
            if ascending {
                max[axis] = round::sum_up(pose.translation()[axis], end);
            } else {
                min[axis] = round::sum_down(pose.translation()[axis], -end);
            }
        }
        Aabb::from_sorted(min, max)
    }

    /// The world axis along which the normal lies, and whether it ascends; `None` inside for a
    /// tilted one, outside where rounding hides it.
    ///
    /// A rotation that turns the normal onto an axis only by rounding still tilts it a little,
    /// and a tilted half-space has no bounds.
    fn bounded_axis<N: Number>(&self, pose: &Pose) -> Option<Option<(usize, bool)>> {
        let Vector(normal) =
            Rotation::<N>::new(pose.rotation()).rotate(&Vector::new(self.normal()));
        let mut along = None;
        for (axis, component) in normal.iter().enumerate() {
            match (component.known_sign()?, along) {
                (Ordering::Equal, _) => {}
                (_, Some(_)) => return Some(None),
                (sign, None) => along = Some((axis, sign == Ordering::Greater)),
            }
        }
        Some(along)
    }

    /// The normal in the world and how far above the boundary a point lies, both `norm` times as
    /// large.
    fn height<N: Number>(&self, pose: &Pose, point: Vec3) -> (Vector<N>, N) {
        let rotation = Rotation::<N>::new(pose.rotation());
        let normal = rotation.rotate(&Vector::new(self.normal()));
        let arm = Vector::between(pose.position(), point);
        let offset = rotation.norm.times(&N::new(self.offset().into()));
        let height = normal.dot(&arm).minus(&offset);
        (normal, height)
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

    /// What plain f64 tells with one bound of its error; `None` where that is not enough.
    #[inline(always)]
    pub(crate) fn plainly(&self, pose: &Pose, ray: &Ray, limits: &Limits) -> Option<Found> {
        let (turn, norm) = pose.scaled_rotation();
        let (normal, offset) = (turn * self.normal().as_dvec3(), f64::from(self.offset()));
        let arm = ray.origin().as_dvec3() - pose.translation();
        // Both times the squared length of the quaternion.
        let height = normal.dot(arm) - norm * offset;
        let slope = normal.dot(ray.direction().as_dvec3());
        let error = norm * tolerance::PLAIN;
        let height_error = error * (arm.abs().element_sum() + offset.abs());
        if height < -height_error {
            return match limits.started_inside {
                StartedInside::Hit => Some(Found::Inside),
                StartedInside::Skip => Some(Found::Miss),
                StartedInside::Exit => None,
            };
        }
        // No component of a unit vector is larger than 1, nor is their sum above 2.
        let slope_error = 2.0 * error;
        let outside = height > height_error;
        if outside && slope > slope_error {
            return Some(Found::Miss);
        }
        let distance = height / -slope;
        let known = height_error <= height * tolerance::PLAIN_REPORTED
            && slope_error <= -slope * tolerance::PLAIN_REPORTED;
        if !(outside && known) {
            return None;
        }
        match limits.reaches(distance)? {
            true => Some(Found::Entry { distance, normal: normal / normal.length() }),
            false => Some(Found::Miss),
        }
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
        slab::probe(&[self.slab::<N>(pose, ray)], |_| self.outward(pose), limits)
    }

    fn slab<N: Number>(&self, pose: &Pose, ray: &Ray) -> Slab<N> {
        let (normal, height) = self.height::<N>(pose, ray.origin());
        let slope = normal.dot(&Vector::new(ray.direction()));
        Slab { lower: None, upper: Some(height.negated()), slope }
    }

    /// The normal in the world.
    fn outward(&self, pose: &Pose) -> DVec3 {
        pose.rotation_matrix() * self.normal().as_dvec3()
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
        slab::leave(&[self.slab::<N>(pose, ray)], |_| self.outward(pose), max)
    }

    /// See [`Shape::contains_point`](crate::Shape::contains_point).
    #[must_use]
    pub fn contains_point(&self, pose: &Pose, point: Vec3) -> bool {
        point.is_finite()
            && self
                .height::<Approx>(pose, point)
                .1
                .known_sign()
                .or_else(|| self.height::<Exact>(pose, point).1.known_sign())
                .is_some_and(Ordering::is_le)
    }

    /// See [`Shape::classify`](crate::Shape::classify): straddling unless the planes are exactly
    /// parallel.
    #[must_use]
    pub fn classify(&self, pose: &Pose, plane: &Plane) -> PlaneSide {
        self.side::<Approx>(pose, plane)
            .or_else(|| self.side::<Tracked>(pose, plane))
            .or_else(|| self.side::<Exact>(pose, plane))
            .unwrap_or(PlaneSide::Straddling)
    }

    fn side<N: Number>(&self, pose: &Pose, plane: &Plane) -> Option<PlaneSide> {
        let rotation = Rotation::<N>::new(pose.rotation());
        let own = rotation.rotate(&Vector::new(self.normal()));
        let normal = Vector::<N>::new(plane.normal());
        for component in own.cross(&normal).0 {
            if component.known_sign()? != Ordering::Equal {
                return Some(PlaneSide::Straddling);
            }
        }
        // The plane's normal is k times the half-space's own, with k = n·w / w·w, so over the
        // half-space n·x is bounded by n·c + k · norm · offset, which is compared with the
        // plane's distance after multiplication by w·w.
        let cosine = normal.dot(&own);
        let height =
            normal.dot(&Vector::new(pose.position())).minus(&N::new(plane.distance().into()));
        let end = height
            .times(&own.length_squared())
            .plus(&cosine.times(&rotation.norm.times(&N::new(self.offset().into()))));
        let same_way = cosine.known_sign()? == Ordering::Greater;
        Some(match (same_way, end.known_sign()?) {
            (true, Ordering::Less) => PlaneSide::Behind,
            (false, Ordering::Greater) => PlaneSide::Front,
            _ => PlaneSide::Straddling,
        })
    }

    /// See [`Shape::support`](crate::Shape::support): a point for the normal's own direction only.
    #[must_use]
    pub fn support(&self, direction: DVec3) -> Option<DVec3> {
        let normal = self.normal().as_dvec3();
        let bounded = direction.cross(normal) == DVec3::ZERO && direction.dot(normal) >= 0.0;
        bounded.then(|| normal * f64::from(self.offset()))
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;

    #[test]
    fn bad_half_spaces_are_refused_and_named() {
        let zero = HalfSpace::new(Vec3::ZERO, 1.0).unwrap_err();
        assert_eq!(zero.to_string(), "normal: must not be zero");
        assert!(matches!(HalfSpace::new(Vec3::Y, f32::NAN), Err(HalfSpaceError::Offset(_))));
    }

    #[test]
    fn bounds_end_only_along_an_axis() {
        let floor = HalfSpace::new(Vec3::Y, 1.0).unwrap();
        let pose = Pose::from_position(Vec3::new(0.0, 2.0, 0.0)).unwrap();
        let bounds = floor.aabb(&pose);
        assert_eq!(bounds.max(), Vec3::new(f32::INFINITY, 3.0, f32::INFINITY));
        let tilted = Pose::new(Vec3::ZERO, Quat::from_xyzw(0.1, 0.0, 0.0, 1.0)).unwrap();
        assert_eq!(floor.aabb(&tilted), Aabb::EVERYTHING);
    }

    #[test]
    fn support_exists_along_the_normal_only() {
        let floor = HalfSpace::new(Vec3::Y, 1.0).unwrap();
        assert_eq!(floor.support(DVec3::Y * 3.0), Some(DVec3::Y));
        assert_eq!(floor.support(DVec3::NEG_Y), None);
        assert_eq!(floor.support(DVec3::X), None);
    }
}
