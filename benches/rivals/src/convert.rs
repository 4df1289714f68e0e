//! From impinge's types to the peers'; done at setup, never while the clock runs.

use glam::{Quat, Vec3, Vec3A};
#[cfg(any(feature = "embree", feature = "box3d"))]
use impinge_foreign::Bounds;
use impinge_shapes::{Aabb, Pose, Shape};
use obvhs::aabb::Aabb as WideAabb;
use parry3d::bounding_volume::Aabb as PeerAabb;
use parry3d::math::{Pose as PeerPose, Rotation, Vector};
use parry3d::shape::{Ball, Capsule, Cuboid, SharedShape};

/// A vector.
pub(crate) fn vector(v: Vec3) -> Vector {
    Vector::from_array(v.to_array())
}

/// A rotation; the peers want unit quaternions.
fn rotation(q: Quat) -> Rotation {
    Rotation::from_array(q.normalize().to_array())
}

/// A pose.
pub(crate) fn pose(pose: &Pose) -> PeerPose {
    PeerPose::from_parts(vector(pose.position()), rotation(pose.rotation()))
}

/// Bounds.
pub(crate) fn aabb(aabb: &Aabb) -> PeerAabb {
    PeerAabb::new(vector(aabb.min()), vector(aabb.max()))
}

/// A vector of parry3d's, which is obvhs's in another version.
pub(crate) fn padded(v: Vector) -> Vec3A {
    Vec3A::from_array(v.to_array())
}

/// Bounds for obvhs.
pub(crate) fn wide_aabb(aabb: &Aabb) -> WideAabb {
    WideAabb::new(aabb.min().into(), aabb.max().into())
}

/// A shape; `None` for kinds that the scenes do not hold.
pub(crate) fn shape(shape: &Shape) -> Option<SharedShape> {
    Some(match shape {
        Shape::Sphere(sphere) => SharedShape::new(Ball::new(sphere.radius())),
        Shape::Cuboid(cuboid) => SharedShape::new(Cuboid::new(vector(cuboid.half_extents()))),
        Shape::Capsule(capsule) => SharedShape::new(Capsule::new(
            vector(capsule.a()),
            vector(capsule.b()),
            capsule.radius(),
        )),
        Shape::ConvexHull(hull) => {
            let points: Vec<Vector> = hull.vertices().iter().copied().map(vector).collect();
            SharedShape::convex_hull(&points)?
        }
        _ => return None,
    })
}

/// Bounds for the libraries that are not Rust.
#[cfg(any(feature = "embree", feature = "box3d"))]
pub(crate) fn foreign_aabb(aabb: &Aabb) -> Bounds {
    Bounds { min: aabb.min().to_array(), max: aabb.max().to_array() }
}

/// A pose for Box3D, made of one of parry3d's.
#[cfg(feature = "box3d")]
pub(crate) fn foreign_pose(pose: &PeerPose) -> impinge_foreign::Pose {
    let (position, rotation) = (pose.translation.to_array(), pose.rotation.to_array());
    impinge_foreign::Pose { position, rotation }
}
