//! The index without the room of moving boxes, for those who ask much between two changes.
//!
//! Where most boxes move, queries through fat boxes look at up to twice as many boxes as need be.
//! Copying all boxes without their room costs what a few thousand rays among 100,000 boxes lose;
//! so it is done once so many were asked, as whoever cannot know how long to rent buys once the
//! rent has reached the price.
//!
//! - Source: Karlin, Manasse, Rudolph, Sleator, *Competitive Snoopy Caching* (Algorithmica 3,
//!   1988), on when to buy.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::index::QueryIndex;
use crate::slots::Slots;
use crate::tolerance::{ROOMY_SHARE, TIGHT_SHARE};

/// The index without room, and what is known on whether it pays.
#[derive(Debug, Default)]
pub(crate) struct Tight {
    made: OnceLock<QueryIndex>,
    /// Queries since the last change. Whose own reach the number that pays decides for all.
    asked: AtomicUsize,
    /// The one before, for its memory.
    spare: Mutex<Option<QueryIndex>>,
}

impl Clone for Tight {
    /// A copy makes its own where that pays.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Tight {
    /// A box changed.
    #[inline(always)]
    pub(crate) fn forget(&mut self) {
        *self.asked.get_mut() = 0;
        if self.made.get().is_some() {
            self.put_aside();
        }
    }

    fn put_aside(&mut self) {
        if let Some(made) = self.made.take() {
            // A thread that panicked while it held this leaves nothing to be repaired.
            let spare = self.spare.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
            *spare = Some(made);
        }
    }

    /// The index for this many queries more: `fat`, or the one without room once that pays. Nobody
    /// waits for who makes it, because threads that wait may be those that it needs.
    pub(crate) fn index_for<'a>(
        &'a self,
        queries: usize,
        fat: &'a QueryIndex,
        slots: &Slots,
    ) -> &'a QueryIndex {
        if let Some(made) = self.made.get() {
            return made;
        }
        let enough = fat.len().div_ceil(TIGHT_SHARE);
        let before = self.asked.fetch_add(queries, Ordering::Relaxed);
        let decides = before < enough && before.saturating_add(queries) >= enough;
        if !decides || fat.roomy() * ROOMY_SHARE < fat.len() {
            return fat;
        }
        let spare = self.spare.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        let mut index = spare.unwrap_or_else(|| QueryIndex::new(fat.simd_level()));
        index.copy_without_room(fat, slots);
        self.made.get_or_init(|| index)
    }
}
