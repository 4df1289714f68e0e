//! How many calls each stage of an answer passes on to the next; with the feature `counters`.
//!
//! For measuring only: the counts are of the whole process, and of all threads.

use std::sync::atomic::{AtomicU64, Ordering};

/// Stages that may pass a pair on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Lanes of a batch, to the functions for one pair.
    Lanes,
    /// The formula of a kind's common case, to the room of the pair.
    Common,
    /// A room's f64, to numbers of any length.
    Room,
}

static COUNTS: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

/// Counts a pair that a stage passes on.
pub(crate) fn passed_on(stage: Stage) {
    COUNTS[stage as usize].fetch_add(1, Ordering::Relaxed);
}

/// How many a stage passed on since it was last asked.
///
/// - Ties: a room that makes the long numbers of a pair twice in one call counts it twice.
#[must_use]
pub fn take(stage: Stage) -> u64 {
    COUNTS[stage as usize].swap(0, Ordering::Relaxed)
}
