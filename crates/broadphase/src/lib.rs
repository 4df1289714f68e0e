//! Broad phase of impinge: which boxes touch, and the index that queries run on.
//!
//! - [`BroadPhase`] owns axis-aligned boxes by id, and keeps the sorted list of touching pairs.
//! - [`QueryIndex`] answers which boxes a box, a moving box, a ray or a plane may meet.
//!
//! Nothing here knows shapes. Answers are the same bits for any number of threads, any
//! [`SimdLevel`] and any history that leads to the same boxes.
//!
//! ```
//! use impinge_broadphase::{BroadPhase, Mobility, Pair};
//! use impinge_shapes::{Aabb, glam::Vec3};
//!
//! let mut broad = BroadPhase::new();
//! for id in 0..10_u8 {
//!     let low = Vec3::X * (f32::from(id) * 0.75);
//!     broad.set(id.into(), Aabb::new(low, low + Vec3::ONE)?, Mobility::Moving);
//! }
//! assert_eq!(broad.update().pairs, 9); // each with the next
//! broad.remove(4);
//! broad.update();
//! assert!(broad.pairs().iter().all(|pair| pair.a != 4 && pair.b != 4));
//! let mut along = Vec::new();
//! broad.index().ray(Vec3::NEG_X, Vec3::X, f32::INFINITY, |id, _| {
//!     along.push(id);
//!     f32::INFINITY
//! });
//! assert_eq!(along.len(), 9);
//! # Ok::<(), impinge_shapes::AabbError>(())
//! ```

mod all_pairs;
mod broad_phase;
mod fat;
mod forest;
mod halves;
mod index;
mod lanes;
mod leeway;
mod moved_pairs;
mod order;
mod pair;
mod pending;
mod retest;
mod row_page;
mod rows;
mod slots;
mod steps;
mod tight;
mod tolerance;

pub use broad_phase::{BroadPhase, Mobility, UpdateReport};
pub use impinge_shapes::simd::{SimdLevel, simd_level};
pub use index::{Cast, Met, Near, QueryIndex};
pub use pair::{Pair, Pairs};
