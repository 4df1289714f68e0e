//! Tests between two shapes: overlap, closest points, contact manifold, sweep, time of
//! impact.
//!
//! Knows shapes, never ids. Every ordered pair has every query: the free functions take any
//! two shapes, the rooms in [`pairs`] take two of known kinds, and [`convex`] takes any two convex
//! ones. Meshes, height fields and compounds are taken apart into their triangles and parts.
//! `batch` asks many pairs at once; it is a feature that is on unless it is left out, for those who
//! ask pair by pair and want less to compile.
//!
//! ```
//! use impinge_narrowphase::{SweepOptions, closest, sweep};
//! use impinge_shapes::{Pose, Shape, glam::Vec3};
//!
//! let floor = Shape::half_space(Vec3::Y, 0.0)?;
//! let ball = Shape::sphere(0.5)?;
//! let above = Pose::from_position(Vec3::new(0.0, 3.0, 0.0))?;
//! let gap = closest(&floor, &Pose::IDENTITY, &ball, &above, f32::INFINITY).expect("no limit");
//! assert_eq!((gap.distance, gap.normal), (2.5, Vec3::Y));
//!
//! let fall = Vec3::new(0.0, -5.0, 0.0);
//! let options = SweepOptions::default();
//! let hit = sweep(&ball, &above, fall, &floor, &Pose::IDENTITY, &options).expect("it lands");
//! assert_eq!((hit.fraction, hit.normal), (0.5, Vec3::Y));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(
    not(feature = "batch"),
    allow(dead_code, unused_imports, reason = "what only batches ask for stands beside the rest")
)]

#[cfg(feature = "batch")]
pub mod batch;
mod bounds;
mod clamp_movement;
mod clip;
mod common;
mod compound;
mod contacts;
pub mod convex;
#[cfg(feature = "counters")]
pub mod counters;
mod dispatch;
mod exact_pair;
#[cfg(test)]
mod filter_tests;
mod lanes;
mod level;
mod manifold_of_parts;
mod motion;
mod obb;
mod over_plane;
pub mod pairs;
mod parts;
mod profile;
mod quadratic;
mod queries;
mod real;
mod relative;
mod result;
mod segment;
mod shadow;
mod sixteen;
mod slot;
mod solids;
mod surface;
pub mod sweep_bounds;
mod swept;
mod swept_aabb;
mod time_of_impact;
pub mod tolerance;
mod touch;
mod triangle;
mod turn;
mod witness;
mod zonotope;

pub use clamp_movement::clamp_movement;
pub use motion::{Motion, MotionError};
pub use obb::{obb_overlaps_obb, sphere_overlaps_obb};
pub use queries::{closest, distance, manifold, manifolds, overlaps, project_point, relation};
pub use relative::Relative;
pub use result::{
    Closest, ContactPoint, ContactPoints, FeatureId, Impact, Manifold, Patch, PatchPoint,
    Projection, Relation, Separation, ShapeSweepHit, SweepOptions,
};
pub use swept::{sweep, sweep_within};
pub use swept_aabb::{AabbSweepHit, sweep_aabb};
pub use time_of_impact::{ImpactHit, ImpactOptions, TimeOfImpact, time_of_impact};
