//! Broad phase of impinge: which boxes touch, and the index that queries run on.
//!
//! - [`BroadPhase`] owns axis-aligned boxes by id, and keeps the sorted list of touching pairs.
//! - [`QueryIndex`] answers which boxes a box, a moving box, a ray or a plane may meet.
//!
//! Nothing here knows shapes. Answers are the same bits for any number of threads, any
//! [`SimdLevel`] and any history that leads to the same boxes.

mod all_pairs;
mod broad_phase;
mod fat;
mod forest;
mod hilbert;
mod index;
mod lanes;
mod moved_pairs;
mod order;
mod pair;
mod pair_rows;
mod radix;
mod retest;
mod rows;
mod slots;
mod tolerance;

pub use broad_phase::{BroadPhase, Mobility, UpdateReport};
pub use impinge_shapes::simd::{SimdLevel, simd_level};
pub use index::QueryIndex;
pub use pair::{Pair, Pairs};
