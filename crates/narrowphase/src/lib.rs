//! Tests between two shapes: overlap, closest points, contact manifold, sweep.
//!
//! Knows shapes, never ids. Every ordered pair has every query.

mod clip;
pub mod convex;
mod gjk;

mod clamp_movement;
mod exact_pair;
pub mod pairs;
mod quadratic;
mod relative;
mod result;
mod segment;
mod swept_aabb;
pub mod tolerance;
mod zonotope;

pub use clamp_movement::clamp_movement;
pub use relative::Relative;
pub use result::{
    Closest, ContactPoint, FeatureId, Impact, Manifold, Patch, PatchPoint, Relation, Separation,
    ShapeSweepHit, SweepOptions,
};
pub use swept_aabb::{AabbSweepHit, sweep_aabb};
