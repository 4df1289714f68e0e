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
/// How many groups ahead the blocks are fetched that they lie in, and those that they may touch.
const AHEAD: usize = 8;

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
        // Both boxes of a pair may be searched for: it is counted once.
        let counts = |other| id < other || !self.slots.at(other).has(self.pending);
        changes.compare(id, self.rows.parts(id), partners, counts);
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
    groups: Vec<Group>,
    /// Blocks that one group after the other may touch; [`YOUNG`] marks those of the young forest.
    near: Vec<u32>,
    stack: Vec<(u32, u32)>,
    /// The boxes searched for, and where the partners of each end.
    found: Vec<(u32, usize)>,
    /// Partners of one box after the other, ascending.
    partners: Vec<u32>,
    tests: usize,
}

/// Boxes of one block that are searched for.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// [`YOUNG`] marks one of the young forest.
    block: u32,
    /// A bit for each of the boxes.
    lanes: u64,
    /// Where the blocks end that they may touch.
    near: usize,
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
    ///
    /// What is looked at may miss the cache, and where it lies is known from the step before. So
    /// each step is done for some groups while what it needs for others is on its way.
    #[inline(always)]
    fn search<S: Simd>(&mut self, simd: S, index: &QueryIndex, known: Known<'_>, places: &[u32]) {
        self.found.clear();
        self.partners.clear();
        self.near.clear();
        self.groups.clear();
        let forests = index.forests();
        for places in places.chunk_by(|&one, &next| block_of(one) == block_of(next)) {
            let lanes =
                places.iter().fold(0, |lanes, &place| lanes | 1 << (place as usize % WIDTH));
            self.groups.push(Group { block: block_of(places[0]), lanes, near: 0 });
        }
        let fetch = |group: Option<&Group>| {
            if let Some(&Group { block, .. }) = group {
                forests[forest_of(block)].prefetch((block & !YOUNG) as usize);
            }
        };
        (0..AHEAD).for_each(|number| fetch(self.groups.get(number)));
        for number in 0..self.groups.len() + AHEAD {
            fetch(self.groups.get(number + AHEAD));
            if number < self.groups.len() {
                self.walk(simd, forests, number);
            }
            if let Some(number) = number.checked_sub(AHEAD) {
                self.test(simd, forests, number);
            }
        }
        self.compare(known);
    }

    /// Lists the blocks that a group may touch, by one walk down the trees for all its boxes.
    #[inline(always)]
    fn walk<S: Simd>(&mut self, simd: S, forests: [&Forest; 2], number: usize) {
        let Group { block, lanes, .. } = self.groups[number];
        let boxes = &forests[forest_of(block)].blocks[(block & !YOUNG) as usize];
        let mut all = Bounds::EMPTY;
        for lane in Bits(lanes) {
            all.include(&boxes.get(lane));
        }
        let first = self.near.len();
        for (number, other) in forests.into_iter().enumerate() {
            if !other.is_empty() {
                self.tests +=
                    find_blocks(simd, other, number, &all, &mut self.near, &mut self.stack);
            }
        }
        for &near in &self.near[first..] {
            forests[forest_of(near)].prefetch((near & !YOUNG) as usize);
        }
        self.groups[number].near = self.near.len();
    }

    /// Finds the partners of the boxes of a group in the blocks that it may touch.
    #[inline(always)]
    fn test<S: Simd>(&mut self, simd: S, forests: [&Forest; 2], number: usize) {
        let first = number.checked_sub(1).map_or(0, |before| self.groups[before].near);
        let Group { block: here, lanes, near: end } = self.groups[number];
        let (forest, block) = (forests[forest_of(here)], (here & !YOUNG) as usize);
        let (boxes, fixed) = (&forest.blocks[block], forest.masks[block].fixed);
        for lane in Bits(lanes) {
            let bounds = boxes.get(lane);
            let start = self.partners.len();
            self.tests += end - first;
            for &near in &self.near[first..end] {
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
            self.partners[start..].sort_unstable();
            self.found.push((forest.members[block].ids[lane % WIDTH], self.partners.len()));
        }
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

/// The block of a place; [`YOUNG`] stays.
#[inline(always)]
fn block_of(place: u32) -> u32 {
    ((place & !YOUNG) / narrow(WIDTH)) | (place & YOUNG)
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
