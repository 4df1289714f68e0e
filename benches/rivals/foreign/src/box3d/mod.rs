//! Box3D: its world with queries and steps, its dynamic tree, and its tests of two shapes.
//!
//! Its assertions are not in the build, so that numbers that are not finite give answers without
//! meaning, as in any release build of it.

mod hull;
mod kernels;
mod tree;
mod world;

use std::ptr;

use box3d_sys::{b3AABB, b3GetVersion, b3Quat, b3ShapeProxy, b3Transform, b3Vec3};

pub use hull::{BoxHull, Hull, PointHull};
pub use kernels::{
    Capsule, Manifold, OVERLAP_SLOP, Sphere, cast, collide_capsules, collide_hull_and_capsule,
    collide_hull_and_sphere, collide_hulls, collide_spheres, distance, ray_hull,
};
pub use tree::Tree;
pub use world::{Body, Motion, World};

use crate::{Bounds, Pose, Vector};

/// The version of the library, as in 0.1.0.
pub fn version() -> String {
    // SAFETY: it only returns constants.
    let version = unsafe { b3GetVersion() };
    format!("{}.{}.{}", version.major, version.minor, version.revision)
}

fn vector([x, y, z]: Vector) -> b3Vec3 {
    b3Vec3 { x, y, z }
}

fn array(v: b3Vec3) -> Vector {
    [v.x, v.y, v.z]
}

fn quaternion([x, y, z, s]: [f32; 4]) -> b3Quat {
    b3Quat { v: vector([x, y, z]), s }
}

fn transform(pose: &Pose) -> b3Transform {
    b3Transform { p: vector(pose.position), q: quaternion(pose.rotation) }
}

fn aabb(bounds: Bounds) -> b3AABB {
    b3AABB { lowerBound: vector(bounds.min), upperBound: vector(bounds.max) }
}

/// How many points a cloud may have.
const MOST_POINTS: usize = box3d_sys::B3_MAX_HULL_VERTICES as usize;

/// The convex hull of some points, grown by a radius.
#[derive(Clone, Copy, Debug)]
pub struct Cloud<'a> {
    points: &'a [Vector],
    radius: f32,
}

impl<'a> Cloud<'a> {
    /// A cloud of at least one point and at most 128.
    ///
    /// # Panics
    ///
    /// Panics with no point or too many.
    #[inline]
    pub fn new(points: &'a [Vector], radius: f32) -> Self {
        assert!((1..=MOST_POINTS).contains(&points.len()), "too few or too many points");
        Self { points, radius }
    }

    fn proxy(&self) -> b3ShapeProxy {
        let points = self.points.as_ptr().cast();
        b3ShapeProxy { points, count: self.points.len() as i32, radius: self.radius }
    }
}

/// A pointer to a closure, for a callback that is called with it.
fn context<F>(closure: &mut F) -> *mut std::ffi::c_void {
    ptr::from_mut(closure).cast()
}

// Slices of points are handed over as they are.
const _: () = assert!(
    size_of::<Vector>() == size_of::<b3Vec3>() && align_of::<Vector>() == align_of::<b3Vec3>()
);

#[cfg(test)]
mod tests;
