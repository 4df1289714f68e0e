//! Tests between two shapes: overlap, closest points, contact manifold, sweep.
//!
//! Knows shapes, never ids. Every ordered pair has every query.

mod clip;
mod gjk;
pub mod pairs;
mod relative;
mod result;
mod swept_aabb;
pub mod tolerance;

pub use relative::Relative;
pub use result::{
    Closest, ContactPoint, FeatureId, Impact, Manifold, Patch, PatchPoint, Relation, Separation,
    ShapeSweepHit, SweepOptions,
};
pub use swept_aabb::{AabbSweepHit, sweep_aabb};
