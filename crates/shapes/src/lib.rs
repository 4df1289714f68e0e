//! Poses, bounds, rays, planes and the shapes of impinge.
//!
//! Every shape is a closed set: touching counts. Numbers come in and go out as f32; computations
//! run in f64 and are rounded once.

mod aabb;
mod ball;
mod capsule;
mod compound;
mod cone;
mod crossing;
mod cuboid;
mod cylinder;
pub mod exact;
mod facet;
mod filter;
mod half_space;
mod hull;
mod local;
mod mass;
mod miss;
mod obb;
mod plane;
mod pose;
mod ray;
pub mod round;
mod shape;
mod slab;
mod span;
mod sphere;
pub mod tolerance;
mod triangle;
mod tube;

pub use aabb::{Aabb, AabbError};
pub use capsule::{Capsule, CapsuleError};
pub use compound::{Compound, CompoundError};
pub use cone::{Cone, ConeError};
pub use cuboid::{Cuboid, CuboidError};
pub use cylinder::{Cylinder, CylinderError};
pub use glam;
pub use half_space::{HalfSpace, HalfSpaceError};
pub use hull::{ConvexHull, ConvexHullError, HullEdge, HullFace};
pub use mass::MassProperties;
pub use obb::{Obb, ObbError};
pub use plane::{Plane, PlaneError, PlaneSide};
pub use pose::{Pose, PoseError};
pub use ray::{Ray, RayCrossing, RayCrossings, RayError, RayOptions, ShapeRayHit, StartedInside};
pub use shape::Shape;
pub use sphere::{Sphere, SphereError};
pub use triangle::{Triangle, TriangleError};
