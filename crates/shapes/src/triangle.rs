//! Three points and everything between them.

use glam::{DMat3, DVec3, Vec3};
use thiserror::Error;

use crate::crossing::{self, Limits};
use crate::exact::Exact;
use crate::facet::FacetRay;
use crate::filter::{Approx, Number, Rotation, Vector};
use crate::local::LocalPoint;
use crate::pose::first_not_finite;
use crate::tracked::Tracked;
use crate::{
    Aabb, MassProperties, Plane, PlaneSide, Pose, Ray, RayCrossings, RayOptions, ShapeRayHit,
    round, tolerance,
};

/// The flat triangle with the corners `a`, `b` and `c` in the shape's frame.
///
/// Two-sided; its front is where the corners run counter-clockwise, along `(b - a) × (c - a)`.
/// Corners on one line make it a segment, equal ones a point.
///
/// ```
/// use impinge_shapes::{Pose, Ray, RayOptions, Triangle};
/// use glam::Vec3;
///
/// let triangle = Triangle::new(Vec3::ZERO, Vec3::Z * 4.0, Vec3::X * 4.0)?;
/// let down = Ray::new(Vec3::new(1.0, 3.0, 2.0), Vec3::NEG_Y).unwrap();
/// let hit = triangle.raycast(&Pose::IDENTITY, &down, 10.0, &RayOptions::default()).unwrap();
/// assert_eq!((hit.distance, hit.normal), (3.0, Vec3::Y));
/// assert_eq!(hit.barycentric, Some([0.25, 0.5, 0.25]));
/// # Ok::<(), impinge_shapes::TriangleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    corners: [Vec3; 3],
}

/// Why a [`Triangle`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum TriangleError {
    /// A component of the first corner is NaN or infinite.
    #[error("a: must be finite, got {0}")]
    A(f32),
    /// A component of the second corner is NaN or infinite.
    #[error("b: must be finite, got {0}")]
    B(f32),
    /// A component of the third corner is NaN or infinite.
    #[error("c: must be finite, got {0}")]
    C(f32),
}

impl Triangle {
    /// A triangle of three corners, which may lie on one line or coincide.
    ///
    /// # Errors
    /// A corner that is not finite.
    pub fn new(a: Vec3, b: Vec3, c: Vec3) -> Result<Self, TriangleError> {
        let bad = |corner: Vec3| first_not_finite(&corner.to_array());
        match (bad(a), bad(b), bad(c)) {
            (Some(bad), _, _) => Err(TriangleError::A(bad)),
            (_, Some(bad), _) => Err(TriangleError::B(bad)),
            (_, _, Some(bad)) => Err(TriangleError::C(bad)),
            (None, None, None) => Ok(Self { corners: [a, b, c] }),
        }
    }

    /// Corners known to be finite; shapes of many triangles use it.
    #[inline]
    pub(crate) fn from_finite(corners: [Vec3; 3]) -> Self {
        Self { corners }
    }

    /// The corners `a`, `b`, `c`.
    #[must_use]
    #[inline]
    pub fn vertices(&self) -> [Vec3; 3] {
        self.corners
    }

    /// First corner.
    #[must_use]
    #[inline]
    pub fn a(&self) -> Vec3 {
        self.corners[0]
    }

    /// Second corner.
    #[must_use]
    #[inline]
    pub fn b(&self) -> Vec3 {
        self.corners[1]
    }

    /// Third corner.
    #[must_use]
    #[inline]
    pub fn c(&self) -> Vec3 {
        self.corners[2]
    }

    /// See [`Shape::aabb`](crate::Shape::aabb).
    #[must_use]
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let m = pose.rotation_matrix();
        let translation = pose.translation();
        let corners = self.corners.map(|corner| corner.as_dvec3());
        let turned = corners.map(|corner| m * corner);
        let size = corners.iter().fold(0.0_f64, |size, v| size.max(v.abs().element_sum()));
        let slack = if pose.permutes_axes() { 0.0 } else { size * tolerance::ROTATED_BOUNDS };
        let [a, b, c] = turned;
        let (least, most) = (a.min(b).min(c), a.max(b).max(c));
        // Each sum is directed, so that the slack is not rounded away.
        let lower = |i: usize| round::sum_down(translation[i], round::add_down(least[i], -slack));
        let upper = |i: usize| round::sum_up(translation[i], round::add_up(most[i], slack));
        Aabb::from_sorted(
            Vec3::new(lower(0), lower(1), lower(2)),
            Vec3::new(upper(0), upper(1), upper(2)),
        )
    }

    /// See [`Shape::support`](crate::Shape::support).
    #[must_use]
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let [a, b, c] = self.corners.map(|corner| corner.as_dvec3());
        let farther = |best: DVec3, corner: DVec3| {
            if direction.dot(corner) > direction.dot(best) { corner } else { best }
        };
        farther(farther(a, b), c)
    }

    /// See [`Shape::raycast`](crate::Shape::raycast).
    ///
    /// - Normal: the side from which the ray comes; `-direction` for a ray in the triangle's plane
    ///   and for a triangle without area. Culled unless `(b - a) × (c - a)` opposes the ray.
    /// - Degenerate: a ray in the plane hits where it first touches the triangle. A ray that
    ///   starts on the triangle starts inside; under
    ///   [`StartedInside::Exit`](crate::StartedInside::Exit) it leaves where it starts, in the
    ///   plane where it last touches.
    #[must_use]
    pub fn raycast(
        &self,
        pose: &Pose,
        ray: &Ray,
        max_distance: f32,
        options: &RayOptions,
    ) -> Option<ShapeRayHit> {
        let facet_ray = FacetRay::new(pose, ray, Limits::new(max_distance, options)?);
        facet_ray.hit(&facet_ray.cast(&self.corners)?)
    }

    /// See [`Shape::crossings`](crate::Shape::crossings).
    ///
    /// - Degenerate: a ray across the triangle enters and leaves it at the same distance, one in
    ///   its plane enters and leaves through the edges; its normals are along it.
    #[must_use]
    pub fn crossings(&self, pose: &Pose, ray: &Ray, max_distance: f32) -> RayCrossings {
        let Some(limits) = Limits::both_ways(max_distance) else { return RayCrossings::new() };
        let facet_ray = FacetRay::new(pose, ray, limits);
        crossing::crossings(
            ray,
            max_distance,
            |_| Some(facet_ray.found(&facet_ray.cast(&self.corners)?)),
            |_| facet_ray.leave(&self.corners),
        )
    }

    /// See [`Shape::contains_point`](crate::Shape::contains_point): points of the triangle itself.
    #[must_use]
    pub fn contains_point(&self, pose: &Pose, point: Vec3) -> bool {
        point.is_finite()
            && self
                .holds::<Approx>(pose, point)
                .or_else(|| self.holds::<Tracked>(pose, point))
                .or_else(|| self.holds::<Exact>(pose, point))
                .unwrap_or(false)
    }

    fn holds<N: Number>(&self, pose: &Pose, point: Vec3) -> Option<bool> {
        LocalPoint::<N>::new(pose, &Rotation::new(pose.rotation()), point).is_on(&self.corners)
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
        let side = |corner: Vec3| {
            let height = height.plus(&along.dot(&Vector::new(corner)));
            PlaneSide::of_interval(&height, &N::ZERO)
        };
        let [a, b, c] = self.corners;
        Some(side(a)?.with(side(b)?).with(side(c)?))
    }

    /// See [`Shape::mass_properties`](crate::Shape::mass_properties): no volume and no inertia;
    /// the centre is the mean of the corners.
    #[must_use]
    pub fn mass_properties(&self) -> MassProperties {
        let [a, b, c] = self.corners.map(|corner| corner.as_dvec3());
        MassProperties::from_f64(0.0, (a + b + c) / 3.0, DMat3::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_triangles_are_refused_and_named() {
        let nan = Vec3::new(0.0, f32::NAN, 0.0);
        let error = Triangle::new(Vec3::ZERO, Vec3::X, nan).unwrap_err();
        assert_eq!(error.to_string(), "c: must be finite, got NaN");
        assert!(matches!(Triangle::new(nan, nan, nan), Err(TriangleError::A(_))));
        let far = Triangle::new(Vec3::ZERO, Vec3::NEG_INFINITY, nan);
        assert_eq!(far, Err(TriangleError::B(f32::NEG_INFINITY)));
    }

    #[test]
    fn unrotated_bounds_are_exact() {
        let pose = Pose::from_position(Vec3::new(1.0, 2.0, 3.0)).unwrap();
        let triangle = Triangle::new(Vec3::ZERO, Vec3::new(-1.0, 0.5, 2.0), Vec3::Y * 4.0).unwrap();
        let bounds = triangle.aabb(&pose);
        assert_eq!(bounds.min(), Vec3::new(0.0, 2.0, 3.0));
        assert_eq!(bounds.max(), Vec3::new(1.0, 6.0, 5.0));
    }

    #[test]
    fn a_triangle_weighs_nothing_at_its_middle() {
        let triangle = Triangle::new(Vec3::ZERO, Vec3::X * 3.0, Vec3::Y * 6.0).unwrap();
        let mass = triangle.mass_properties();
        assert_eq!(mass.volume.to_bits(), 0);
        assert_eq!(mass.center_of_mass, Vec3::new(1.0, 2.0, 0.0));
        assert_eq!(mass.inertia, glam::Mat3::ZERO);
    }

    #[test]
    fn support_takes_the_first_of_equal_corners() {
        let triangle = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0)).unwrap();
        assert_eq!(triangle.support(DVec3::X), DVec3::X);
        assert_eq!(triangle.support(DVec3::ZERO), DVec3::ZERO);
    }
}
