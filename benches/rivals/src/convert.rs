//! From impinge's types to the peers'; done at setup, never while the clock runs.

use glam::{Quat, Vec3, Vec3A};
#[cfg(any(feature = "embree", feature = "box3d"))]
use impinge_foreign::Bounds;
use impinge_shapes::{Aabb, HeightField, Pose, Shape};
use obvhs::aabb::Aabb as WideAabb;
use parry3d::bounding_volume::Aabb as PeerAabb;
use parry3d::math::{Pose as PeerPose, Rotation, Vector};
use parry3d::shape::{
    Ball, Capsule, Cone, Cuboid, Cylinder, HalfSpace, RoundShape, SharedShape, Triangle, TypedShape,
};
use parry3d::utils::Array2;

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

/// A shape; `None` for what parry3d does not have.
pub(crate) fn shape(of: &Shape) -> Option<SharedShape> {
    Some(match of {
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
        Shape::Cylinder(cylinder) => {
            SharedShape::new(Cylinder::new(cylinder.half_height(), cylinder.radius()))
        }
        Shape::Cone(cone) => SharedShape::new(Cone::new(cone.half_height(), cone.radius())),
        Shape::Triangle(triangle) => {
            let [a, b, c] = triangle.vertices().map(vector);
            SharedShape::new(Triangle::new(a, b, c))
        }
        Shape::HalfSpace(plane) if plane.offset() == 0.0 => {
            SharedShape::new(HalfSpace::new(vector(plane.normal())))
        }
        Shape::Rounded(rounded) => return round(&shape(rounded.core())?, rounded.radius()),
        Shape::TriangleMesh(mesh) => {
            let vertices = mesh.vertices().iter().copied().map(vector).collect();
            SharedShape::trimesh(vertices, mesh.triangles().to_vec()).ok()?
        }
        Shape::HeightField(field) => height_field(field)?,
        Shape::Compound(compound) => {
            let parts = compound.parts().iter();
            let parts = parts.map(|(at, part)| Some((pose(at), shape(part)?)));
            SharedShape::compound(parts.collect::<Option<_>>()?)
        }
        Shape::HalfSpace(_) => return None,
    })
}

/// A shape grown by a radius.
fn round(core: &SharedShape, border_radius: f32) -> Option<SharedShape> {
    Some(match core.as_typed_shape() {
        TypedShape::Cuboid(&inner_shape) => {
            SharedShape::new(RoundShape { inner_shape, border_radius })
        }
        TypedShape::Cylinder(&inner_shape) => {
            SharedShape::new(RoundShape { inner_shape, border_radius })
        }
        TypedShape::Cone(&inner_shape) => {
            SharedShape::new(RoundShape { inner_shape, border_radius })
        }
        TypedShape::ConvexPolyhedron(hull) => {
            SharedShape::new(RoundShape { inner_shape: hull.clone(), border_radius })
        }
        _ => return None,
    })
}

/// A height field without holes; heights are scaled already.
fn height_field(field: &HeightField) -> Option<SharedShape> {
    let (rows, columns, scale) = (field.rows(), field.columns(), field.scale());
    let mut heights = Array2::repeat(rows, columns, 0.0);
    for (index, height) in field.scaled_heights().enumerate() {
        heights[(index / columns, index % columns)] = height?;
    }
    Some(SharedShape::heightfield(heights, vector(Vec3::new(scale.x, 1.0, scale.z))))
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
