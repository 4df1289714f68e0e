//! Poses, bounds, rays, planes and the shapes of impinge.
//!
//! Every shape is a closed set: touching counts. Numbers come in and go out as f32; computations
//! run in f64 and are rounded once. [`convex`] holds what all convex shapes have in common,
//! [`exact`] the arithmetic that decides what rounding hides.
//!
//! ```
//! use impinge_shapes::glam::{Vec3, vec3};
//! use impinge_shapes::{Pose, Ray, RayOptions, Shape, ShapeRayHit};
//!
//! let pillar = Shape::cylinder(2.0, 0.5)?;
//! let there = Pose::from_position(vec3(10.0, 2.0, 0.0))?;
//! assert!(pillar.contains_point(&there, vec3(10.5, 4.0, 0.0))); // on its rim
//! let ray = Ray::new(vec3(0.0, 1.0, 0.0), Vec3::X)?;
//! let hit = pillar.raycast(&there, &ray, 100.0, &RayOptions::default());
//! assert!(matches!(hit, Some(ShapeRayHit { distance: 9.5, normal: Vec3::NEG_X, .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aabb;
mod ball;
mod capsule;
mod compound;
mod cone;
pub mod convex;
mod crossing;
mod cuboid;
mod cylinder;
pub mod exact;
mod facet;
mod filter;
mod half_space;
mod height_field;
mod hull;
mod local;
mod mass;
mod mesh;
mod miss;
mod obb;
#[cfg(test)]
mod plain_tests;
mod plane;
mod pose;
mod ray;
pub mod round;
mod rounded;
#[cfg(feature = "serde")]
mod serial;
mod shape;
pub mod simd;
mod slab;
mod span;
mod sphere;
pub mod tolerance;
mod tracked;
mod triangle;
mod triangles;
mod tube;

pub use aabb::{Aabb, AabbError};
pub use capsule::{Capsule, CapsuleError};
pub use compound::{Compound, CompoundError, PartsByBound, PlacedCompound};
pub use cone::{Cone, ConeError};
pub use cuboid::{Cuboid, CuboidError};
pub use cylinder::{Cylinder, CylinderError};
pub use glam;
pub use half_space::{HalfSpace, HalfSpaceError};
pub use height_field::{HeightField, HeightFieldError};
pub use hull::{
    ConvexHull, ConvexHullError, FaceCorners, HullEdge, HullFace, HullPart, VertexLanes,
};
pub use mass::MassProperties;
pub use mesh::{TriangleMesh, TriangleMeshError};
pub use obb::{Obb, ObbError};
pub use plane::{Plane, PlaneError, PlaneSide};
pub use pose::{Pose, PoseError};
pub use ray::{Ray, RayCrossing, RayCrossings, RayError, RayOptions, ShapeRayHit, StartedInside};
pub use rounded::{Rounded, RoundedError};
pub use shape::Shape;
pub use sphere::{Sphere, SphereError};
pub use triangle::{Triangle, TriangleError};
pub use triangles::{EdgeKind, Sides, TriangleSet, first_pair, for_each_pair_in, nearest_pair};
