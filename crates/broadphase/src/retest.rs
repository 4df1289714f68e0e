//! Pairs chosen from the near pairs: the boxes of each are tested as they are now.

use rayon::prelude::*;

use crate::lanes::Bounds;
use crate::pair::Changes;
use crate::pair_rows::{Known, PairRows};

/// Boxes of one task.
const TASK_BOXES: usize = 1024;
/// Boxes whose near pairs are tested together.
const BATCH: usize = 64;

/// Scratch memory of the choice for some boxes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Retest {
    tasks: Vec<Task>,
}

#[derive(Clone, Debug, Default)]
struct Task {
    changes: Changes,
    /// Near pairs of the boxes in hand, one box after the other.
    near: Vec<Near>,
    /// The partners among them that touch, and where those of each box end.
    partners: Vec<u32>,
    ends: Vec<usize>,
}

/// A box near one of those in hand.
#[derive(Clone, Copy, Debug, Default)]
struct Near {
    id: u32,
    /// Number of the box in hand.
    of: u32,
}

impl Retest {
    /// Adds what changed to the pairs of some boxes, removed ones among them; neither list of
    /// changes is sorted.
    pub(crate) fn search(
        &mut self,
        known: Known<'_>,
        near: &PairRows,
        ids: &[u32],
        changes: &mut Changes,
    ) {
        self.tasks.resize_with(ids.len().div_ceil(TASK_BOXES), Task::default);
        let run = |(task, ids): (&mut Task, &[u32])| {
            task.changes.clear();
            for ids in ids.chunks(BATCH) {
                task.search(known, near, ids);
            }
        };
        if self.tasks.len() <= 1 {
            self.tasks.iter_mut().zip(ids.chunks(TASK_BOXES)).for_each(run);
        } else {
            self.tasks.par_iter_mut().zip(ids.par_chunks(TASK_BOXES)).for_each(run);
        }
        for task in &self.tasks {
            changes.begun.extend_from_slice(&task.changes.begun);
            changes.ended.extend_from_slice(&task.changes.ended);
        }
    }
}

impl Task {
    /// Boxes are looked up for many pairs at once, without a branch between them: each look-up may
    /// miss the cache, and they can wait side by side.
    fn search(&mut self, known: Known<'_>, near: &PairRows, ids: &[u32]) {
        self.near.clear();
        let mut bounds = [Bounds::EMPTY; BATCH];
        for ((of, &id), bounds) in (0..).zip(ids).zip(&mut bounds) {
            *bounds = known.slots.at(id).bounds();
            // A box that was removed has no near pairs.
            let (smaller, larger) = near.rows(id);
            self.near.extend(smaller.iter().chain(larger).map(|&id| Near { id, of }));
        }
        self.partners.resize(self.near.len(), 0);
        self.ends.clear();
        self.ends.resize(BATCH, 0);
        let mut end = 0;
        for near in &self.near {
            // Stored in any case: whether they touch cannot be guessed.
            self.partners[end] = near.id;
            let of = near.of as usize % BATCH;
            end += usize::from(bounds[of].meets(&known.slots.at(near.id).bounds()));
            self.ends[of] = end;
        }
        let mut start = 0;
        for (&id, &end) in ids.iter().zip(&self.ends) {
            // A box without near pairs has no end.
            let end = end.max(start);
            known.compare(id, &self.partners[start..end], &mut self.changes);
            start = end;
        }
    }
}
