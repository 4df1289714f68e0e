//! Near pairs of the boxes whose fat box changed: each searches the index for its partners, which
//! are compared with those it had.

use fearless_simd::Simd;
use impinge_shapes::at_level;
use rayon::prelude::*;

use crate::all_pairs::allowed;
use crate::forest::Forest;
use crate::index::QueryIndex;
use crate::lanes::{Bits, Bounds, Lanes, WIDTH, narrow};
use crate::pair::Changes;
use crate::rows::{self, Rows};
use crate::slots::{ALIVE, Slots, YOUNG};
use crate::steps::{Step, in_steps};

/// Boxes of one task.
const TASK_BOXES: usize = 256;
/// How many groups ahead the blocks are fetched that they lie in, and those that they may touch.
const AHEAD: usize = 8;
/// How many nodes ahead one is fetched.
const NODES_AHEAD: usize = 8;

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
    /// Groups with nodes that they may touch, of one level and of the one below.
    above: Vec<(u32, u32)>,
    below: Vec<(u32, u32)>,
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
    /// What holds them all.
    bounds: Bounds,
    /// Where the blocks end that they may touch.
    near: usize,
}

impl MovedPairs {
    /// Adds how the pairs of `pending` boxes, removed ones among them, differ from those known;
    /// neither list of changes is sorted, and a pair whose boxes are both searched for is told twice,
    /// which costs less than a look at each other box.
    ///
    /// Returns how often sixteen boxes were tested against one.
    pub(crate) fn search(
        &mut self,
        index: &QueryIndex,
        slots: &Slots,
        rows: &Rows,
        pending: &[u32],
        changes: &mut Changes,
    ) -> usize {
        self.places.clear();
        for &id in pending {
            let slot = slots.at(id);
            if slot.has(ALIVE) {
                self.places.push(slot.place);
            } else {
                changes.compare(id, rows.parts(id), &[]);
            }
        }
        self.places.sort_unstable();
        self.tasks.resize_with(self.places.len().div_ceil(TASK_BOXES), Task::default);
        let run = |(task, places): (&mut Task, &[u32])| {
            task.changes.clear();
            task.tests = 0;
            at_level!(index.simd_level(), simd => task.search(simd, index, rows, places));
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
    fn search<S: Simd>(&mut self, simd: S, index: &QueryIndex, rows: &Rows, places: &[u32]) {
        self.found.clear();
        self.partners.clear();
        self.groups.clear();
        let forests = index.forests();
        for places in places.chunk_by(|&one, &next| block_of(one) == block_of(next)) {
            let lanes =
                places.iter().fold(0, |lanes, &place| lanes | 1 << (place as usize % WIDTH));
            let block = block_of(places[0]);
            self.groups.push(Group { block, lanes, bounds: Bounds::EMPTY, near: 0 });
        }
        for number in 0..self.groups.len() + AHEAD {
            if let Some(group) = self.groups.get(number) {
                let (forest, block) = at(forests, group.block);
                forest.prefetch(block);
            }
            if let Some(number) = number.checked_sub(AHEAD) {
                let group = &mut self.groups[number];
                let (forest, block) = at(forests, group.block);
                let boxes = &forest.blocks[block];
                Bits(group.lanes).for_each(|lane| group.bounds.include(&boxes.get(lane)));
            }
        }
        self.descend(simd, forests);
        for number in 0..self.groups.len() + AHEAD {
            if number < self.groups.len() {
                for &near in &self.near[self.first_near(number)..self.groups[number].near] {
                    let (forest, block) = at(forests, near);
                    forest.prefetch(block);
                }
            }
            if let Some(number) = number.checked_sub(AHEAD) {
                self.test(simd, forests, number);
            }
        }
        self.compare(rows);
    }

    /// Lists the blocks that each group may touch: all go down the trees together, level by level.
    #[inline(always)]
    fn descend<S: Simd>(&mut self, simd: S, forests: [&Forest; 2]) {
        let heights = forests.map(|forest| forest.levels.len());
        self.near.clear();
        let mut above = std::mem::take(&mut self.above);
        above.clear();
        for group in 0..narrow(self.groups.len()) {
            for (forest, tag) in forests.iter().zip([0, YOUNG]) {
                if !forest.is_empty() {
                    above.push((group, tag));
                }
            }
        }
        let mut below = std::mem::take(&mut self.below);
        for level in (0..heights[0].max(heights[1])).rev() {
            below.clear();
            for (place, &(group, node)) in above.iter().enumerate() {
                if let Some(&(_, later)) = above.get(place + NODES_AHEAD) {
                    let (forest, index) = at(forests, later);
                    let node = forest.levels.get(level).and_then(|nodes| nodes.get(index));
                    node.into_iter().for_each(Lanes::prefetch);
                }
                let (forest, index) = at(forests, node);
                let Some(nodes) = forest.levels.get(level) else {
                    // Its forest is not as high.
                    below.push((group, node));
                    continue;
                };
                let bounds = &self.groups[group as usize].bounds;
                let bits = nodes[index].touching(simd, bounds);
                self.tests += 1;
                let first = narrow(index * WIDTH) | (node & YOUNG);
                below.extend(Bits(bits).map(|lane| (group, first + narrow(lane))));
            }
            std::mem::swap(&mut above, &mut below);
        }
        for (group, block) in &above {
            self.near.push(*block);
            self.groups[*group as usize].near = self.near.len();
        }
        // Who touches no block ends where the one before does.
        let mut end = 0;
        for group in &mut self.groups {
            end = group.near.max(end);
            group.near = end;
        }
        (self.above, self.below) = (above, below);
    }

    /// Where the blocks begin that a group may touch.
    fn first_near(&self, number: usize) -> usize {
        number.checked_sub(1).map_or(0, |before| self.groups[before].near)
    }

    /// Finds the partners of the boxes of a group in the blocks that it may touch.
    #[inline(always)]
    fn test<S: Simd>(&mut self, simd: S, forests: [&Forest; 2], number: usize) {
        let first = self.first_near(number);
        let Group { block: here, lanes, near: end, .. } = self.groups[number];
        let (forest, block) = at(forests, here);
        let (boxes, fixed) = (&forest.blocks[block], forest.masks[block].fixed);
        for lane in Bits(lanes) {
            let bounds = boxes.get(lane);
            let start = self.partners.len();
            self.tests += end - first;
            for &near in &self.near[first..end] {
                let (other, at) = at(forests, near);
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
    fn compare(&mut self, rows: &Rows) {
        let mut start = 0;
        in_steps(self.found.len(), rows::AHEAD, |step, place| {
            let (id, end) = self.found[place];
            if step == Step::Last {
                self.changes.compare(id, rows.parts(id), &self.partners[start..end]);
                start = end;
            } else {
                rows.fetch(step, [id]);
            }
        });
    }
}

/// The block of a place; [`YOUNG`] stays.
#[inline(always)]
fn block_of(place: u32) -> u32 {
    ((place & !YOUNG) / narrow(WIDTH)) | (place & YOUNG)
}

/// The forest of a node or block and its number there; [`YOUNG`] marks those of the young one.
#[inline(always)]
fn at([main, young]: [&Forest; 2], block: u32) -> (&Forest, usize) {
    (if block & YOUNG == 0 { main } else { young }, (block & !YOUNG) as usize)
}
