//! Near pairs of the boxes whose fat box changed: each searches the index for its partners, which
//! are compared with those it had.

use fearless_simd::{Simd, dispatch};
use rayon::prelude::*;

use crate::all_pairs::allowed;
use crate::forest::Forest;
use crate::index::QueryIndex;
use crate::lanes::{Bits, Bounds, WIDTH, narrow};
use crate::pair::Changes;
use crate::pair_rows::Known;
use crate::slots::{ALIVE, YOUNG};

/// Blocks of one task.
const TASK_BLOCKS: usize = 256;

/// Scratch memory of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct MovedPairs {
    tasks: Vec<Task>,
}

#[derive(Clone, Debug, Default)]
struct Task {
    changes: Changes,
    /// Blocks that the boxes in hand touch; [`YOUNG`] marks those of the young forest.
    near: Vec<u32>,
    stack: Vec<(u32, u32)>,
    partners: Vec<u32>,
    tests: usize,
}

impl MovedPairs {
    /// Adds what changed to the pairs of all boxes that are marked, and of those removed among
    /// `pending`; neither list of changes is sorted.
    ///
    /// Returns how often sixteen boxes were tested against one.
    pub(crate) fn search(
        &mut self,
        index: &QueryIndex,
        known: Known<'_>,
        pending: &[u32],
        changes: &mut Changes,
    ) -> usize {
        let main = index.main.blocks.len().div_ceil(TASK_BLOCKS);
        let young = index.young.blocks.len().div_ceil(TASK_BLOCKS);
        self.tasks.resize_with(main + young, Task::default);
        let run = |(number, task): (usize, &mut Task)| {
            task.changes.clear();
            task.tests = 0;
            let (own, number) = if number < main { (0, number) } else { (1, number - main) };
            let level = index.simd().level();
            dispatch!(level, simd => task.search(simd, index, known, own, number * TASK_BLOCKS));
        };
        if main + young <= 1 {
            self.tasks.iter_mut().enumerate().for_each(run);
        } else {
            self.tasks.par_iter_mut().enumerate().for_each(run);
        }
        for task in &self.tasks {
            changes.begun.extend_from_slice(&task.changes.begun);
            changes.ended.extend_from_slice(&task.changes.ended);
        }
        for &id in pending {
            if !known.slots.at(id).has(ALIVE) {
                known.compare(id, &[], changes);
            }
        }
        self.tasks.iter().map(|task| task.tests).sum()
    }
}

impl Task {
    /// Searches for the boxes set in some blocks of forest number `own`.
    #[inline(always)]
    fn search<S: Simd>(
        &mut self,
        simd: S,
        index: &QueryIndex,
        known: Known<'_>,
        own: usize,
        first: usize,
    ) {
        let forests = index.forests();
        let forest = forests[own];
        let last = forest.blocks.len().min(first + TASK_BLOCKS);
        for block in first..last {
            let masks = forest.masks[block];
            if masks.set == 0 {
                continue;
            }
            let here = if own == 0 { narrow(block) } else { narrow(block) | YOUNG };
            // One walk down the trees for all boxes of the block.
            let mut all = Bounds::EMPTY;
            for lane in Bits(u64::from(masks.set)) {
                all.include(&forest.blocks[block].get(lane));
            }
            self.near.clear();
            for (number, other) in forests.into_iter().enumerate() {
                if !other.is_empty() {
                    self.tests +=
                        find_blocks(simd, other, number, &all, &mut self.near, &mut self.stack);
                }
            }
            for lane in Bits(u64::from(masks.set)) {
                let bounds = forest.blocks[block].get(lane);
                self.partners.clear();
                self.tests += self.near.len();
                for &near in &self.near {
                    let other = forests[usize::from(near & YOUNG != 0)];
                    let at = (near & !YOUNG) as usize;
                    let mut bits = other.blocks[at].touching(simd, &bounds)
                        & allowed(masks.fixed, other.masks[at].fixed, lane);
                    if near == here {
                        bits &= !(1 << lane);
                    }
                    let ids = &other.members[at].ids;
                    for lane in Bits(bits) {
                        self.partners.push(ids[lane % WIDTH]);
                    }
                }
                self.partners.sort_unstable();
                let id = forest.members[block].ids[lane % WIDTH];
                known.compare(id, &self.partners, &mut self.changes);
            }
        }
    }
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
