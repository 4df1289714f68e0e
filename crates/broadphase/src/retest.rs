//! Pairs chosen from the near pairs: the boxes of each are tested as they are now, and what was
//! found before is read from its mark.

use std::hint::black_box;

use rayon::prelude::*;

use crate::lanes::Bounds;
use crate::pair::{Changes, Pair};
use crate::row_page::Head;
use crate::rows::Rows;
use crate::slots::{PAIRS_PENDING, Slots};

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
    /// Places in `near` of the pairs whose mark is not true any more.
    flips: Vec<u32>,
}

/// A box near one of those in hand.
#[derive(Clone, Copy, Debug, Default)]
struct Near {
    id: u32,
    /// Number of the box in hand.
    of: u16,
    /// Whether they touched.
    touched: bool,
}

impl Retest {
    /// Adds how the pairs of some boxes differ from the marks of `near`, which goes both ways;
    /// neither list of changes is sorted.
    pub(crate) fn search(
        &mut self,
        slots: &Slots,
        near: &Rows,
        ids: &[u32],
        changes: &mut Changes,
    ) {
        self.tasks.resize_with(ids.len().div_ceil(TASK_BOXES), Task::default);
        let run = |(task, ids): (&mut Task, &[u32])| {
            task.changes.clear();
            for ids in ids.chunks(BATCH) {
                task.search(slots, near, ids);
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
    /// Each step is done for many boxes before the next, without a branch between them: what is
    /// looked up may miss the cache, and the misses can wait side by side. What is looked up for
    /// nothing is in the cache when it is needed.
    fn search(&mut self, slots: &Slots, near: &Rows, ids: &[u32]) {
        let mut heads = [Head::default(); BATCH];
        let mut bounds = [Bounds::EMPTY; BATCH];
        for ((head, bounds), &id) in heads.iter_mut().zip(&mut bounds).zip(ids) {
            *head = near.head(id);
            *bounds = slots.at(id).bounds();
        }
        let rows = heads.iter().zip(ids);
        black_box(rows.fold(0, |all, (&head, &id)| all ^ near.touch(id, head)));
        self.near.clear();
        for ((of, &id), &head) in (0..).zip(ids).zip(&heads) {
            // A box that was removed has no near pairs.
            let (partners, marks) = near.marked(id, head);
            for (partners, &marks) in partners.chunks(32).zip(marks) {
                let marked = (0..).zip(partners).map(|(bit, &id)| (id, marks >> bit & 1 == 1));
                self.near.extend(marked.map(|(id, touched)| Near { id, of, touched }));
            }
        }
        black_box(self.near.iter().fold(0, |all, near| all ^ slots.at(near.id).flags));
        self.flips.resize(self.near.len().max(self.flips.len()), 0);
        let mut count = 0;
        for (place, near) in (0..).zip(&self.near) {
            let touches = bounds[usize::from(near.of) % BATCH].meets(&slots.at(near.id).bounds());
            self.flips[count] = place;
            count += usize::from(touches != near.touched);
        }
        for &place in &self.flips[..count] {
            let near = self.near[place as usize];
            let id = ids[usize::from(near.of)];
            // Where both boxes were set, the pair is looked at twice.
            if id < near.id || !slots.at(near.id).has(PAIRS_PENDING) {
                let pairs =
                    if near.touched { &mut self.changes.ended } else { &mut self.changes.begun };
                pairs.push(Pair::new(id, near.id));
            }
        }
    }
}
