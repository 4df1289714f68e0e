//! Everything on one side of a plane.

use glam::{DVec3, Vec3};
use thiserror::Error;

use crate::{Aabb, Plane, PlaneError, Pose, round, tolerance};

/// The points with `normal · x ≤ offset` in the shape's frame; `normal` points out of the solid.
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
        match Plane::new(normal, offset) {
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
        let normal = pose.rotation_matrix() * self.normal().as_dvec3();
        let (mut min, mut max) = (Vec3::NEG_INFINITY, Vec3::INFINITY);
        for axis in 0..3 {
            let mut off_axis = normal;
            off_axis[axis] = 0.0;
            // A rotation that turned the normal onto an axis only by rounding still tilts it a
            // little, and a tilted half-space has no bounds: only exact turns count.
            if off_axis != DVec3::ZERO || !turns_axes_exactly(pose) {
                continue;
            }
            let offset = f64::from(self.offset()) / normal[axis].abs();
            let slack = offset.abs() * tolerance::ROTATED_BOUNDS;
            let slack = if normal[axis].abs() < 1.0 { slack } else { 0.0 };
            if normal[axis] > 0.0 {
                max[axis] = round::sum_up(pose.translation()[axis], offset + slack);
            } else {
                min[axis] = round::sum_down(pose.translation()[axis], -offset - slack);
            }
        }
        Aabb::from_sorted(min, max)
    }

    /// See [`Shape::support`](crate::Shape::support): a point for the normal's own direction only.
    #[must_use]
    pub fn support(&self, direction: DVec3) -> Option<DVec3> {
        let normal = self.normal().as_dvec3();
        let bounded = direction.cross(normal) == DVec3::ZERO && direction.dot(normal) >= 0.0;
        bounded.then(|| normal * f64::from(self.offset()))
    }
}

/// Whether the rotation maps every axis onto an axis without rounding.
fn turns_axes_exactly(pose: &Pose) -> bool {
    let m = pose.rotation_matrix().to_cols_array();
    m.iter().all(|&x| x.abs() >= 1.0 || x.abs() <= 0.0)
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
