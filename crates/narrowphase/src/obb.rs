//! The source algorithms on oriented boxes, spheres and rays, without shapes or poses around them.

use impinge_shapes::glam::Vec3;
use impinge_shapes::{Obb, Pose, PoseError, Sphere};

use crate::pairs::{cuboid_cuboid, cuboid_sphere};
use crate::{Relation, Relative};

/// Whether two oriented boxes have a common point, by separating axes; exact, touching counts.
///
/// - Degenerate: parallel edges give no axis, so they neither separate nor hide anything.
/// - Source: Gottschalk, Lin, Manocha, *OBBTree* (1996); Ericson, *Real-Time Collision Detection*
///   (2005), §4.4.1.
///
/// ```
/// use impinge_narrowphase::obb_overlaps_obb;
/// use impinge_shapes::{Obb, ObbError, glam::Vec3};
///
/// let axes = [Vec3::X, Vec3::Y, Vec3::Z];
/// let a = Obb::from_axes(Vec3::ZERO, axes, Vec3::splat(2.0))?;
/// let b = Obb::from_axes(Vec3::new(2.0, 0.0, 0.0), axes, Vec3::splat(2.0))?;
/// assert!(obb_overlaps_obb(&a, &b)); // equal interval ends count as overlap
/// # Ok::<(), ObbError>(())
/// ```
#[must_use]
pub fn obb_overlaps_obb(a: &Obb, b: &Obb) -> bool {
    cuboid_cuboid::relation(a.cuboid(), b.cuboid(), &Relative::new(a.pose(), b.pose())).overlaps()
}

/// Whether a ball and an oriented box have a common point; exact, touching counts.
///
/// - Source: Arvo, *A Simple Method for Box-Sphere Intersection Testing*, Graphics Gems (1990).
///
/// ```
/// use impinge_narrowphase::sphere_overlaps_obb;
/// use impinge_shapes::{Obb, Pose, Sphere, glam::Vec3};
///
/// let cube = Obb::new(Pose::IDENTITY, Vec3::ONE)?;
/// assert!(sphere_overlaps_obb(Vec3::X * 3.0, &Sphere::new(2.0)?, &cube)?); // touching counts
/// assert!(!sphere_overlaps_obb(Vec3::X * 3.0, &Sphere::new(1.875)?, &cube)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A centre that is not finite.
pub fn sphere_overlaps_obb(center: Vec3, sphere: &Sphere, obb: &Obb) -> Result<bool, PoseError> {
    let at = Relative::new(obb.pose(), &Pose::from_position(center)?);
    Ok(cuboid_sphere::relation(obb.cuboid(), sphere, &at) != Relation::Apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_on_a_corner_touches() {
        let obb = Obb::from_axes(Vec3::ZERO, [Vec3::X, Vec3::Y, Vec3::Z], Vec3::splat(2.0));
        let obb = obb.unwrap();
        let ball = Sphere::new(3.0).unwrap();
        // The corner (1, 1, 1) lies exactly 3 away from (2, 3, 3).
        let center = Vec3::new(2.0, 3.0, 3.0);
        assert_eq!(sphere_overlaps_obb(center, &ball, &obb), Ok(true));
        let beyond = Vec3::new(2.0, 3.0, 3.0_f32.next_up());
        assert_eq!(sphere_overlaps_obb(beyond, &ball, &obb), Ok(false));
        assert!(sphere_overlaps_obb(Vec3::NAN, &ball, &obb).is_err());
    }
}
