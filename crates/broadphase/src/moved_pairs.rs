//! Pairs of the boxes that were set, each searched in both forests.

use fearless_simd::{Simd, dispatch};
use rayon::prelude::*;

use crate::index::QueryIndex;
use crate::lanes::{Bits, Bounds, WIDTH, narrow};
use crate::pair::{Changed, Found, Pair, Ranges, join_sorted};
use crate::simd::SimdLevel;
use crate::slots::{ALIVE, FIXED, Slots};

/// Boxes that one task searches for.
const TASK: usize = 256;

/// Scratch memory of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct MovedPairs {
    tasks: Vec<Task>,
}

#[derive(Clone, Debug, Default)]
struct Task {
    found: Found,
    stack: Vec<(u32, u32)>,
}

/// What a search reads.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    pub(crate) index: &'a QueryIndex,
    pub(crate) slots: &'a Slots,
    pub(crate) changed: &'a Changed,
}

impl MovedPairs {
    /// Sorted list of the pairs that hold at least one of the boxes; ids lie below `end`.
    pub(crate) fn search(
        &mut self,
        simd: SimdLevel,
        search: Search<'_>,
        ids: &[u32],
        end: u64,
        sorted: &mut Vec<Pair>,
    ) {
        let count = ids.len().div_ceil(TASK);
        self.tasks.resize_with(count, Task::default);
        let ranges = Ranges::new(end);
        let run = |(task, ids): (&mut Task, &[u32])| {
            task.found.len = 0;
            dispatch!(simd.level(), simd => task.search(simd, search, ids));
            task.found.group(ranges);
        };
        if count <= 1 {
            self.tasks.iter_mut().zip(ids.chunks(TASK)).for_each(run);
        } else {
            self.tasks.par_iter_mut().zip(ids.par_chunks(TASK)).for_each(run);
        }
        join_sorted(self.tasks.iter().map(|task| &task.found), ranges, sorted);
    }
}

impl Task {
    #[inline(always)]
    fn search<S: Simd>(&mut self, simd: S, search: Search<'_>, ids: &[u32]) {
        for &id in ids {
            let slot = search.slots.at(id);
            if slot.has(ALIVE) {
                self.partners(simd, search, id, &slot.bounds(), slot.has(FIXED));
            }
        }
    }

    #[inline(always)]
    fn partners<S: Simd>(
        &mut self,
        simd: S,
        search: Search<'_>,
        id: u32,
        bounds: &Bounds,
        fixed: bool,
    ) {
        for forest in search.index.forests() {
            if forest.is_empty() {
                continue;
            }
            self.stack.push((narrow(forest.levels.len()), 0));
            while let Some((level, index)) = self.stack.pop() {
                if level > 0 {
                    let node = &forest.levels[level as usize - 1][index as usize];
                    for lane in Bits(node.touching(simd, bounds)) {
                        self.stack.push((level - 1, index * 16 + narrow(lane)));
                    }
                    continue;
                }
                let block = index as usize;
                let mut bits = forest.blocks[block].touching(simd, bounds);
                if fixed {
                    bits &= !u64::from(forest.masks[block].fixed);
                }
                for lane in Bits(bits) {
                    let other = forest.members[block].ids[lane % WIDTH];
                    // Two boxes that were both set find each other twice; the smaller id counts.
                    if id < other || (id > other && !search.changed.has(other)) {
                        self.found.push(Pair::new(id, other));
                    }
                }
            }
        }
    }
}
