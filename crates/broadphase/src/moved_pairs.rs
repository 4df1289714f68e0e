//! Near pairs of the boxes whose fat box changed: each searches the index for its partners, which
//! are compared with those it had.

use fearless_simd::{Simd, dispatch};
use rayon::prelude::*;

use crate::all_pairs::allowed;
use crate::forest::Forest;
use crate::index::QueryIndex;
use crate::lanes::{Bits, Bounds, WIDTH, narrow};
use crate::pair::Changes;
use crate::rows::Rows;
use crate::slots::{ALIVE, Slots, YOUNG};

/// Boxes of one task.
const TASK_BOXES: usize = 256;

/// What is known before a search for the partners of some boxes.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) slots: &'a Slots,
    /// The pairs so far, both ways.
    pub(crate) rows: &'a Rows,
    /// Flag of the boxes that are searched for.
    pub(crate) pending: u32,
}

impl Known<'_> {
    /// Adds how the partners of `id`, ascending, differ from those known.
    #[inline(always)]
    fn compare(&self, id: u32, partners: &[u32], changes: &mut Changes) {
        let before = self.rows.all(id);
        // Most boxes keep their partners.
        if partners != before {
            // Both boxes of a pair may be searched for: it is counted once.
            let counts = |other| id < other || !self.slots.at(other).has(self.pending);
            changes.compare(id, before, partners, counts);
        }
    }
}

/// Scratch memory of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct MovedPairs {
    /// Where the boxes in hand lie in the index, ascending.
    places: Vec<u32>,
    tasks: Vec<Task>,
}

#[derive(Clone, Debug, Default)]
struct Task {
    changes: Changes,
    /// Blocks that the boxes in hand touch; [`YOUNG`] marks those of the young forest.
    near: Vec<u32>,
    stack: Vec<(u32, u32)>,
    /// The boxes searched for, and where the partners of each end.
    found: Vec<(u32, usize)>,
    /// Partners of one box after the other, ascending.
    partners: Vec<u32>,
    tests: usize,
}

impl MovedPairs {
    /// Adds how the pairs of `pending` boxes, removed ones among them, differ from those known;
    /// neither list of changes is sorted.
    ///
    /// Returns how often sixteen boxes were tested against one.
    pub(crate) fn search(
        &mut self,
        index: &QueryIndex,
        known: Known<'_>,
        pending: &[u32],
        changes: &mut Changes,
    ) -> usize {
        self.places.clear();
        for &id in pending {
            let slot = known.slots.at(id);
            if slot.has(ALIVE) {
                self.places.push(slot.place);
            } else {
                known.compare(id, &[], changes);
            }
        }
        self.places.sort_unstable();
        self.tasks.resize_with(self.places.len().div_ceil(TASK_BOXES), Task::default);
        let run = |(task, places): (&mut Task, &[u32])| {
            task.changes.clear();
            task.tests = 0;
            dispatch!(index.simd_level().level(), simd => task.search(simd, index, known, places));
        };
        if self.tasks.len() <= 1 {
            self.tasks.iter_mut().zip(self.places.chunks(TASK_BOXES)).for_each(run);
        } else {
            self.tasks.par_iter_mut().zip(self.places.par_chunks(TASK_BOXES)).for_each(run);
        }
        for task in &self.tasks {
            changes.begun.extend_from_slice(&task.changes.begun);
            changes.ended.extend_from_slice(&task.changes.ended);
        }
        self.tasks.iter().map(|task| task.tests).sum()
    }
}

impl Task {
    /// Searches for the boxes at some places.
    #[inline(always)]
    fn search<S: Simd>(&mut self, simd: S, index: &QueryIndex, known: Known<'_>, places: &[u32]) {
        self.found.clear();
        self.partners.clear();
        let forests = index.forests();
        let block_of = |place: u32| ((place & !YOUNG) / narrow(WIDTH)) | (place & YOUNG);
        for places in places.chunk_by(|&one, &next| block_of(one) == block_of(next)) {
            let here = block_of(places[0]);
            let (forest, block) = (forests[forest_of(here)], (here & !YOUNG) as usize);
            let (boxes, fixed) = (&forest.blocks[block], forest.masks[block].fixed);
            let lanes = || places.iter().map(|&place| place as usize % WIDTH);
            // One walk down the trees for all boxes of the block.
            let mut all = Bounds::EMPTY;
            lanes().for_each(|lane| all.include(&boxes.get(lane)));
            self.near.clear();
            for (number, other) in forests.into_iter().enumerate() {
                if !other.is_empty() {
                    self.tests +=
                        find_blocks(simd, other, number, &all, &mut self.near, &mut self.stack);
                }
            }
            for lane in lanes() {
                let bounds = boxes.get(lane);
                let first = self.partners.len();
                self.tests += self.near.len();
                for &near in &self.near {
                    let other = forests[forest_of(near)];
                    let at = (near & !YOUNG) as usize;
                    let mut bits = other.blocks[at].touching(simd, &bounds)
                        & allowed(fixed, other.masks[at].fixed, lane);
                    if near == here {
                        bits &= !(1 << lane);
                    }
                    let ids = &other.members[at].ids;
                    for lane in Bits(bits) {
                        self.partners.push(ids[lane % WIDTH]);
                    }
                }
                self.partners[first..].sort_unstable();
                self.found.push((forest.members[block].ids[lane], self.partners.len()));
            }
        }
        self.compare(known);
    }

    /// Compares what was found with what is known.
    fn compare(&mut self, known: Known<'_>) {
        let mut start = 0;
        for (place, &(id, end)) in self.found.iter().enumerate() {
            known.rows.prefetch_after(|after| self.found.get(place + after).map(|&(id, _)| [id]));
            known.compare(id, &self.partners[start..end], &mut self.changes);
            start = end;
        }
    }
}

/// Number of the forest that a place or block belongs to.
#[inline(always)]
fn forest_of(place: u32) -> usize {
    usize::from(place & YOUNG != 0)
}

/// Lists the blocks of a forest that touch the bounds; returns the number of nodes looked at.
#[inline(always)]
fn find_blocks<S: Simd>(
    simd: S,
    forest: &Forest,
    number: usize,
    bounds: &Bounds,
    near: &mut Vec<u32>,
    stack: &mut Vec<(u32, u32)>,
) -> usize {
    let mut nodes = 0;
    let tag = if number == 0 { 0 } else { YOUNG };
    stack.push((narrow(forest.levels.len()), 0));
    while let Some((level, index)) = stack.pop() {
        nodes += 1;
        let bits = forest.levels[level as usize - 1][index as usize].touching(simd, bounds);
        for lane in Bits(bits) {
            let child = index * 16 + narrow(lane);
            if level > 1 { stack.push((level - 1, child)) } else { near.push(child | tag) }
        }
    }
    nodes
}
