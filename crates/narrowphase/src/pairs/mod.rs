//! One room per pair, holding every query of that pair; names in alphabetical order.
//!
//! A room's functions take A, B and [`Relative`](crate::Relative) and answer in A's frame in f64:
//! `relation` (exact where it says so), `closest`, `manifold` and `sweep`, in which B moves.

pub mod capsule_capsule;
pub mod capsule_cuboid;
pub mod capsule_half_space;
pub mod capsule_sphere;
pub mod cone_sphere;
pub mod convex_half_space;
pub mod cuboid_cuboid;
pub mod cuboid_half_space;
pub mod cuboid_sphere;
pub mod cylinder_sphere;
pub mod half_space_half_space;
pub mod half_space_sphere;
pub mod sphere_sphere;
pub mod sphere_triangle;
