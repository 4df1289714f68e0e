//! Pairs of the boxes that were set: block by block, each searched in both forests.

use fearless_simd::{Simd, dispatch};
use rayon::prelude::*;

use crate::all_pairs::{allowed, emit};
use crate::forest::Forest;
use crate::index::QueryIndex;
use crate::lanes::{Bits, Bounds, WIDTH, narrow};
use crate::pair::{Found, Pair, Ranges, join_sorted};
use impinge_shapes::simd::SimdLevel;

/// Blocks that one task looks through for boxes that were set.
const TASK_BLOCKS: usize = 512;

/// Scratch memory of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct MovedPairs {
    tasks: Vec<Task>,
}

#[derive(Clone, Debug, Default)]
struct Task {
    found: Found,
    /// Blocks that touch the block in hand.
    near: Vec<u32>,
    stack: Vec<(u32, u32)>,
}

impl MovedPairs {
    /// Sorted list of the pairs that hold at least one of the boxes that are marked as set in
    /// their block's masks; ids lie below `end`.
    pub(crate) fn search(
        &mut self,
        simd: SimdLevel,
        index: &QueryIndex,
        end: u64,
        sorted: &mut Vec<Pair>,
    ) {
        let main = index.main.blocks.len().div_ceil(TASK_BLOCKS);
        let young = index.young.blocks.len().div_ceil(TASK_BLOCKS);
        self.tasks.resize_with(main + young, Task::default);
        let ranges = Ranges::new(end);
        let run = |(number, task): (usize, &mut Task)| {
            task.found.len = 0;
            let (own, number) = if number < main { (0, number) } else { (1, number - main) };
            dispatch!(simd.level(), simd => task.search(simd, index, own, number * TASK_BLOCKS));
            task.found.group(ranges);
        };
        if main + young <= 1 {
            self.tasks.iter_mut().enumerate().for_each(run);
        } else {
            self.tasks.par_iter_mut().enumerate().for_each(run);
        }
        join_sorted(self.tasks.iter().map(|task| &task.found), ranges, sorted);
    }
}

impl Task {
    /// Searches for the boxes set in some blocks of forest number `own`.
    #[inline(always)]
    fn search<S: Simd>(&mut self, simd: S, index: &QueryIndex, own: usize, first: usize) {
        let forests = index.forests();
        let forest = forests[own];
        let last = forest.blocks.len().min(first + TASK_BLOCKS);
        for block in first..last {
            let set = forest.masks[block].set;
            if set == 0 {
                continue;
            }
            let mut bounds = Bounds::EMPTY;
            for lane in Bits(u64::from(set)) {
                bounds.include(&forest.blocks[block].get(lane));
            }
            for (number, other) in forests.into_iter().enumerate() {
                if other.is_empty() {
                    continue;
                }
                find_blocks(simd, other, &bounds, &mut self.near, &mut self.stack);
                for &near in &self.near {
                    // Two boxes that were both set find each other twice; the first one counts.
                    let order = (number, near as usize).cmp(&(own, block));
                    block_pairs(
                        simd,
                        (forest, block),
                        (other, near as usize),
                        order,
                        &mut self.found,
                    );
                }
            }
        }
    }
}

/// Lists the blocks that touch the bounds.
#[inline(always)]
fn find_blocks<S: Simd>(
    simd: S,
    forest: &Forest,
    bounds: &Bounds,
    near: &mut Vec<u32>,
    stack: &mut Vec<(u32, u32)>,
) {
    near.clear();
    stack.push((narrow(forest.levels.len()), 0));
    while let Some((level, index)) = stack.pop() {
        let bits = forest.levels[level as usize - 1][index as usize].touching(simd, bounds);
        for lane in Bits(bits) {
            let child = index * 16 + narrow(lane);
            if level > 1 { stack.push((level - 1, child)) } else { near.push(child) }
        }
    }
}

/// Pairs of the boxes set in one block with the boxes of another, which comes before it, is it, or
/// comes after it, as `order` says.
#[inline(always)]
fn block_pairs<S: Simd>(
    simd: S,
    (forest, block): (&Forest, usize),
    (other, near): (&Forest, usize),
    order: std::cmp::Ordering,
    found: &mut Found,
) {
    found.reserve(WIDTH * WIDTH + WIDTH);
    let (ours, theirs) = (forest.masks[block], other.masks[near]);
    let ids = &forest.members[block].ids;
    for lane in Bits(u64::from(ours.set)) {
        let twice = u64::from(theirs.set);
        let taken = match order {
            std::cmp::Ordering::Less => twice,
            std::cmp::Ordering::Equal => twice & ((2 << lane) - 1),
            std::cmp::Ordering::Greater => 0,
        };
        let bits = other.blocks[near].touching(simd, &forest.blocks[block].get(lane))
            & allowed(ours.fixed, theirs.fixed, lane)
            & !taken;
        emit(simd, ids[lane % WIDTH], &other.members[near].ids, bits, found);
    }
}
