//! All tests of pairs that need no program of their own: to compile and link one takes seconds.
#![allow(clippy::unwrap_used, reason = "test code")]

mod awkward;
#[cfg(feature = "batch")]
mod capsule_cuboid;
mod common;
mod convex;
mod cuboid_cuboid;
mod cuboid_exact;
mod cuboid_triangle;
mod half_spaces;
#[cfg(feature = "batch")]
mod hulls_over_half_spaces;
mod matrix;
mod over_planes;
mod side_by_side;
mod slivers;
mod surfaces;
mod time_of_impact;
