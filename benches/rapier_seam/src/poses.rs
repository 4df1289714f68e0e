//! Vectors and poses between the two libraries.

use impinge_shapes::Pose;
use impinge_shapes::glam::{Quat, Vec3};
use parry3d::math::{Pose as PeerPose, Rotation, Vector};
use parry3d::query::Unsupported;

/// To parry.
pub(crate) fn vector(v: Vec3) -> Vector {
    Vector::from_array(v.to_array())
}

/// From parry.
pub(crate) fn vec3(v: Vector) -> Vec3 {
    Vec3::from_array(v.to_array())
}

/// From parry; poses that are not finite are not supported.
pub(crate) fn pose(pose: &PeerPose) -> Result<Pose, Unsupported> {
    let rotation = Quat::from_array(pose.rotation.to_array());
    Pose::new(vec3(pose.translation), rotation).map_err(|_| Unsupported)
}

/// To parry.
pub(crate) fn peer_pose(pose: &Pose) -> PeerPose {
    let rotation = Rotation::from_array(pose.rotation().normalize().to_array());
    PeerPose::from_parts(vector(pose.position()), rotation)
}
