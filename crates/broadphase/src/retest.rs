//! Pairs chosen from the near pairs: the boxes of each are tested as they are now.

use rayon::prelude::*;

use crate::pair::Changes;
use crate::pair_rows::{Known, PairRows};

/// Boxes of one task.
const TASK_BOXES: usize = 1024;

/// Scratch memory of the choice for some boxes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Retest {
    tasks: Vec<Task>,
}

#[derive(Clone, Debug, Default)]
struct Task {
    changes: Changes,
    /// Room for the partners of one box.
    partners: Vec<u32>,
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
            for &id in ids {
                task.search(known, near, id);
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
    fn search(&mut self, known: Known<'_>, near: &PairRows, id: u32) {
        // A box that was removed has no near pairs.
        let (bounds, (smaller, larger)) = (known.slots.at(id).bounds(), near.rows(id));
        let most = smaller.len() + larger.len();
        if most > self.partners.len() {
            self.partners.resize(2 * most, 0);
        }
        let mut end = 0;
        for row in [smaller, larger] {
            for &other in row {
                // Stored in any case: whether they touch cannot be guessed.
                self.partners[end] = other;
                end += usize::from(bounds.meets(&known.slots.at(other).bounds()));
            }
        }
        known.compare(id, &self.partners[..end], &mut self.changes);
    }
}
