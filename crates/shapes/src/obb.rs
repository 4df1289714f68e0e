//! Oriented bounding boxes: a cuboid together with its pose.

use glam::{DMat3, DQuat, DVec3, Mat3, Quat, Vec3};
use thiserror::Error;

use crate::pose::first_not_finite;
use crate::{
    Aabb, Cuboid, CuboidError, Plane, PlaneSide, Pose, PoseError, Ray, RayOptions, ShapeRayHit,
    round, tolerance,
};

/// A box anywhere in the world.
///
/// The closed set `{ c + R(q)·x : |x_i| ≤ h_i }` of its pose and half extents.
///
/// ```
/// use impinge_shapes::Obb;
/// use glam::Vec3;
///
/// let turned = Obb::from_axes(Vec3::ZERO, [Vec3::Y, Vec3::Z, Vec3::X], Vec3::new(2.0, 4.0, 6.0))?;
/// assert_eq!(turned.aabb().max(), Vec3::new(3.0, 1.0, 2.0));
/// # Ok::<(), impinge_shapes::ObbError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb {
    pose: Pose,
    cuboid: Cuboid,
}

/// Why an [`Obb`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum ObbError {
    /// The centre or the rotation is not finite, or the rotation is zero.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// A half extent (or half of a full size) is negative, NaN or infinite.
    #[error(transparent)]
    HalfExtents(#[from] CuboidError),
    /// A component of this axis is NaN or infinite.
    #[error("axes[{0}]: must be finite, got {1}")]
    AxisNotFinite(usize, f32),
    /// This axis has no length.
    #[error("axes[{0}]: must not be zero")]
    AxisZero(usize),
    /// These two axes are not perpendicular.
    #[error("axes[{0}] and axes[{1}]: must be perpendicular, their cosine is {2}")]
    NotPerpendicular(usize, usize, f32),
}

impl Obb {
    /// A box from its pose and half extents.
    ///
    /// # Errors
    /// A half extent that is negative, NaN or infinite.
    pub fn new(pose: Pose, half_extents: Vec3) -> Result<Self, ObbError> {
        Ok(Self { pose, cuboid: Cuboid::new(half_extents)? })
    }

    /// A box from a cuboid and where it is.
    #[must_use]
    pub fn from_cuboid(cuboid: Cuboid, pose: Pose) -> Self {
        Self { pose, cuboid }
    }

    /// A box from its centre, three perpendicular axes of any length and its full edge lengths
    /// along them.
    ///
    /// - Error: the axes are orthonormalised in f64 (the first keeps its direction) and stored as
    ///   a quaternion, so [`Obb::axes`] returns them within 2 ulp of 1.
    /// - Degenerate: left-handed axes are valid; a box is symmetric, so the third is turned round.
    ///
    /// # Errors
    /// A value that is NaN or infinite, a negative size, an axis of zeros, or two axes whose
    /// cosine exceeds [`tolerance::PERPENDICULAR_COSINE`].
    pub fn from_axes(center: Vec3, axes: [Vec3; 3], size: Vec3) -> Result<Self, ObbError> {
        let mut unit = [DVec3::ZERO; 3];
        for (i, axis) in axes.iter().enumerate() {
            if let Some(bad) = first_not_finite(&axis.to_array()) {
                return Err(ObbError::AxisNotFinite(i, bad));
            }
            let length = axis.as_dvec3().length();
            if length <= 0.0 {
                return Err(ObbError::AxisZero(i));
            }
            unit[i] = axis.as_dvec3() / length;
        }
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let cosine = unit[i].dot(unit[j]);
            if cosine.abs() > tolerance::PERPENDICULAR_COSINE {
                return Err(ObbError::NotPerpendicular(i, j, round::nearest(cosine)));
            }
        }
        let x = unit[0];
        let y = (unit[1] - x * x.dot(unit[1])).normalize();
        let rotation = DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)));
        let [qx, qy, qz, qw] = rotation.to_array().map(round::nearest);
        let pose = Pose::new(center, Quat::from_xyzw(qx, qy, qz, qw))?;
        // Checked before it is halved, so that an error names the size as it was given. Halving
        // is exact but for the last bit of a denormal.
        Cuboid::new(size)?;
        Self::new(pose, size * 0.5)
    }

    /// Centre and rotation.
    #[must_use]
    #[inline]
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// The box in its own frame.
    #[must_use]
    #[inline]
    pub fn cuboid(&self) -> &Cuboid {
        &self.cuboid
    }

    /// Half edge lengths along the box's axes.
    #[must_use]
    #[inline]
    pub fn half_extents(&self) -> Vec3 {
        self.cuboid.half_extents()
    }

    /// Centre of the box.
    #[must_use]
    #[inline]
    pub fn center(&self) -> Vec3 {
        self.pose.position()
    }

    /// The three unit axes in the world, as the columns of a rotation; each rounded once.
    #[must_use]
    pub fn axes(&self) -> Mat3 {
        let m = self.pose.rotation_matrix();
        Mat3::from_cols(
            round::nearest_vec(m.x_axis),
            round::nearest_vec(m.y_axis),
            round::nearest_vec(m.z_axis),
        )
    }

    /// The eight corners in the world, each rounded once; bit 0 of the index chooses the side
    /// along the first axis, bit 1 the second, bit 2 the third (0 = negative).
    #[must_use]
    pub fn corners(&self) -> [Vec3; 8] {
        let m = self.pose.rotation_matrix();
        self.cuboid
            .corners()
            .map(|corner| round::nearest_vec(m * corner.as_dvec3() + self.pose.translation()))
    }

    /// Bounds in the world, rounded outward; exact for unrotated boxes whose corners are f32.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        self.cuboid.aabb(&self.pose)
    }

    /// Where a ray first meets the box; see [`Shape::raycast`](crate::Shape::raycast).
    ///
    /// ```
    /// use impinge_shapes::{Obb, Pose, Ray, RayOptions};
    /// use glam::{Quat, Vec3};
    ///
    /// // A cube that stands on its edge, met at the edge that looks against the ray.
    /// let turned = Pose::new(Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 1.0, 1.0 + 2.0_f32.sqrt()))?;
    /// let cube = Obb::new(turned, Vec3::ONE)?;
    /// let ray = Ray::new(Vec3::new(-5.0, 0.0, 0.0), Vec3::X).unwrap();
    /// let hit = cube.raycast(&ray, 100.0, &RayOptions::default()).unwrap();
    /// assert!((hit.distance - (5.0 - 2.0_f32.sqrt())).abs() < 1e-5);
    /// # Ok::<(), impinge_shapes::ObbError>(())
    /// ```
    #[must_use]
    pub fn raycast(
        &self,
        ray: &Ray,
        max_distance: f32,
        options: &RayOptions,
    ) -> Option<ShapeRayHit> {
        self.cuboid.raycast(&self.pose, ray, max_distance, options)
    }

    /// Whether the world point lies in the box or on its boundary. Exact.
    #[must_use]
    pub fn contains_point(&self, point: Vec3) -> bool {
        self.cuboid.contains_point(&self.pose, point)
    }

    /// Side of the plane on which the box lies. Exact.
    #[must_use]
    pub fn classify(&self, plane: &Plane) -> PlaneSide {
        self.cuboid.classify(&self.pose, plane)
    }

    /// The corner farthest along a direction, both in the world; ties take the lower side of the
    /// box's own axes.
    #[must_use]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let m = self.pose.rotation_matrix();
        m * self.cuboid.support(m.transpose() * direction) + self.pose.translation()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_axes_are_refused_and_named() {
        let skew = [Vec3::X, Vec3::new(0.1, 1.0, 0.0), Vec3::Z];
        let error = Obb::from_axes(Vec3::ZERO, skew, Vec3::ONE).unwrap_err();
        assert!(matches!(error, ObbError::NotPerpendicular(0, 1, _)), "{error}");
        let zero = [Vec3::X, Vec3::Y, Vec3::ZERO];
        assert_eq!(Obb::from_axes(Vec3::ZERO, zero, Vec3::ONE), Err(ObbError::AxisZero(2)));
        let negative = Obb::from_axes(Vec3::ZERO, [Vec3::X, Vec3::Y, Vec3::Z], Vec3::NEG_ONE);
        assert!(matches!(negative, Err(ObbError::HalfExtents(_))));
    }

    #[test]
    fn left_handed_axes_give_the_same_corners() {
        let axes = [Vec3::X, Vec3::Y, Vec3::NEG_Z];
        let mirrored = Obb::from_axes(Vec3::ONE, axes, Vec3::new(2.0, 4.0, 6.0)).unwrap();
        let plain = Obb::new(Pose::from_position(Vec3::ONE).unwrap(), Vec3::new(1.0, 2.0, 3.0));
        assert_eq!(mirrored, plain.unwrap());
    }

    #[test]
    fn corners_lie_in_the_bounds_and_reach_them() {
        let pose = Pose::new(Vec3::new(5.0, -1.0, 2.0), Quat::from_xyzw(0.1, -0.7, 0.3, 0.4));
        let obb = Obb::new(pose.unwrap(), Vec3::new(0.5, 1.5, 2.5)).unwrap();
        let bounds = obb.aabb();
        let mut tight = Aabb::from_point(obb.corners()[0]).unwrap();
        for corner in obb.corners() {
            assert!(bounds.contains_point(corner), "{corner}");
            tight = tight.union(&Aabb::from_point(corner).unwrap());
        }
        assert!((tight.max() - bounds.max()).abs().max_element() < 1e-5);
        assert!((tight.min() - bounds.min()).abs().max_element() < 1e-5);
    }
}
