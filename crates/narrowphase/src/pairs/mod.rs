//! One room per pair, holding every query of that pair; names in alphabetical order.
//!
//! A room's functions take A, B and [`Relative`](crate::Relative) and answer in A's frame in f64:
//! `relation` (exact where it says so), `closest`, `manifold` and `sweep`, in which B moves.
pub mod cuboid_cuboid;
