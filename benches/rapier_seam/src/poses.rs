//! Poses between the two libraries; vectors and quaternions are the same, those of glam.

use impinge_shapes::Pose;
use parry3d::math::Pose as PeerPose;
use parry3d::query::Unsupported;

/// From parry; poses that are not finite are not supported.
pub(crate) fn pose(pose: &PeerPose) -> Result<Pose, Unsupported> {
    Pose::new(pose.translation, pose.rotation).map_err(|_| Unsupported)
}

/// To parry.
pub(crate) fn peer_pose(pose: &Pose) -> PeerPose {
    PeerPose::from_parts(pose.position(), pose.rotation().normalize())
}
