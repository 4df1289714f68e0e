//! Pairs of a whole forest, from scratch: each pair of touching blocks is tested sixteen lanes at
//! a time.

use fearless_simd::{Simd, mask32x16, prelude::*, u32x16};
use impinge_shapes::at_level;
use rayon::prelude::*;

use crate::forest::Forest;
use crate::lanes::{Bits, Bounds, Lanes, WIDTH, compresses_fast};
use crate::pair::{Found, Ranges};
use crate::rows::Rows;
use impinge_shapes::simd::SimdLevel;

/// Nodes of the first level (256 boxes each) that one task takes.
const TASK_NODES: usize = 8;

/// Candidates that are walked without looking for a side with fewer.
const FEW: u32 = 2;

/// Scratch memory of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllPairs {
    tasks: Vec<Task>,
}

#[derive(Clone, Debug, Default)]
struct Task {
    found: Found,
    /// Nodes of the first level that touch the node in hand.
    near: Vec<u32>,
    stack: Vec<(u32, u32)>,
}

impl AllPairs {
    /// Rows of all pairs in the forest; ids lie below `end`.
    /// Returns how often sixteen boxes were tested against one.
    pub(crate) fn search(
        &mut self,
        simd: SimdLevel,
        forest: &Forest,
        end: u64,
        rows: &mut Rows,
    ) -> usize {
        let nodes = forest.levels.first().map_or(0, Vec::len);
        let count = nodes.div_ceil(TASK_NODES);
        self.tasks.resize_with(count, Task::default);
        let ranges = Ranges::new(end);
        let run = |(index, task): (usize, &mut Task)| {
            let first = index * TASK_NODES;
            let last = nodes.min(first + TASK_NODES);
            task.found.len = 0;
            task.found.tests = 0;
            at_level!(simd, simd => task.search(simd, forest, first..last));
            task.found.group(ranges);
        };
        if count <= 1 {
            self.tasks.iter_mut().enumerate().for_each(run);
        } else {
            self.tasks.par_iter_mut().enumerate().for_each(run);
        }
        let found: Vec<&Found> = self.tasks.iter().map(|task| &task.found).collect();
        rows.rebuild(&found, ranges, end);
        found.iter().map(|found| found.tests).sum()
    }
}

impl Task {
    #[inline(always)]
    fn search<S: Simd>(&mut self, simd: S, forest: &Forest, nodes: std::ops::Range<usize>) {
        for node in nodes {
            self.near.clear();
            let bounds = node_bounds(simd, forest, node);
            find_near(simd, forest, node, &bounds, &mut self.near, &mut self.stack);
            self.found.tests += self.near.len();
            for &other in &self.near {
                node_pair(simd, forest, node, other as usize, &mut self.found);
            }
        }
    }
}

/// Bounds of a node of the first level.
#[inline(always)]
fn node_bounds<S: Simd>(simd: S, forest: &Forest, node: usize) -> Bounds {
    match forest.levels.get(1) {
        Some(level) => level[node / WIDTH].get(node % WIDTH),
        None => forest.levels[0][node].bounds(simd),
    }
}

/// Lists the nodes of the first level from `node` on that touch the bounds.
#[inline(always)]
fn find_near<S: Simd>(
    simd: S,
    forest: &Forest,
    node: usize,
    bounds: &Bounds,
    near: &mut Vec<u32>,
    stack: &mut Vec<(u32, u32)>,
) {
    let top = forest.levels.len() - 1;
    stack.push((crate::lanes::narrow(top), 0));
    while let Some((level, index)) = stack.pop() {
        if level == 0 {
            near.push(index);
            continue;
        }
        // The first leaf-side index below child `c` of this node is `c << shift`.
        let shift = 4 * (level - 1);
        let bits = forest.levels[level as usize][index as usize].touching(simd, bounds);
        for lane in Bits(bits) {
            let child = index * 16 + crate::lanes::narrow(lane);
            let last = ((u64::from(child) + 1) << shift) - 1;
            if last >= node as u64 {
                stack.push((level - 1, child));
            }
        }
    }
}

/// Pairs of the boxes below two nodes of the first level, `first <= second`.
#[inline(always)]
fn node_pair<S: Simd>(simd: S, forest: &Forest, first: usize, second: usize, found: &mut Found) {
    let (ours, theirs) = (&forest.levels[0][first], &forest.levels[0][second]);
    let same = first == second;
    let rows = if same { 0xffff } else { ours.touching(simd, &node_bounds(simd, forest, second)) };
    for row in Bits(rows) {
        let i = first * WIDTH + row;
        if i >= forest.blocks.len() {
            break;
        }
        let bounds = ours.get(row);
        let mut columns = theirs.touching(simd, &bounds);
        found.tests += 1;
        if same {
            within_block(simd, forest, i, found);
            columns &= !1 << row;
        }
        for column in Bits(columns) {
            let j = second * WIDTH + column;
            block_pair(simd, forest, (i, &bounds), (j, &theirs.get(column)), found);
        }
    }
}

/// Pairs inside one block.
#[inline(always)]
fn within_block<S: Simd>(simd: S, forest: &Forest, i: usize, found: &mut Found) {
    let (block, masks) = (&forest.blocks[i], forest.masks[i]);
    let ids = &forest.members[i].ids;
    found.reserve(WIDTH * WIDTH + WIDTH);
    found.tests += masks.alive.count_ones() as usize;
    for lane in Bits(u64::from(masks.alive)) {
        let allowed = allowed(masks.fixed, masks.fixed, lane) & (0xfffe << lane);
        let bits = block.touching(simd, &block.get(lane)) & allowed;
        emit(simd, ids[lane % WIDTH], ids, bits, found);
    }
}

/// Lanes of the other block that may pair with `lane`: a fixed box pairs with no fixed one.
#[inline(always)]
pub(crate) fn allowed(fixed: u32, others_fixed: u32, lane: usize) -> u64 {
    if fixed >> lane & 1 == 1 { !u64::from(others_fixed) } else { u64::MAX }
}

/// Pairs between two blocks that touch.
#[inline(always)]
fn block_pair<S: Simd>(
    simd: S,
    forest: &Forest,
    (i, bounds_i): (usize, &Bounds),
    (j, bounds_j): (usize, &Bounds),
    found: &mut Found,
) {
    found.reserve(WIDTH * WIDTH + WIDTH);
    let in_j = forest.blocks[j].touching(simd, bounds_i);
    found.tests += 1;
    if in_j == 0 {
        return;
    }
    // Fewer lanes are tested one by one if the side with fewer candidates is walked. One call of
    // `walk`, because all of it is inlined.
    let (mut walked, mut other) = ((j, in_j), (i, u64::MAX));
    if in_j.count_ones() > FEW {
        other.1 = forest.blocks[i].touching(simd, bounds_j);
        found.tests += 1;
        if other.1.count_ones() <= in_j.count_ones() {
            std::mem::swap(&mut walked, &mut other);
        }
    }
    walk(simd, forest, walked, other, found);
}

/// Tests each candidate of one block against all candidates of the other.
#[inline(always)]
fn walk<S: Simd>(
    simd: S,
    forest: &Forest,
    (walked, rows): (usize, u64),
    (other, columns): (usize, u64),
    found: &mut Found,
) {
    let block: &Lanes = &forest.blocks[walked];
    let against: &Lanes = &forest.blocks[other];
    let (fixed, others_fixed) = (forest.masks[walked].fixed, forest.masks[other].fixed);
    let ids = &forest.members[walked].ids;
    let others = &forest.members[other].ids;
    found.tests += rows.count_ones() as usize;
    for lane in Bits(rows) {
        let columns = columns & allowed(fixed, others_fixed, lane);
        let bits = against.touching(simd, &block.get(lane)) & columns;
        emit(simd, ids[lane % WIDTH], others, bits, found);
    }
}

/// Stores the pairs of one box with the marked boxes of a block, for which there must be room.
#[inline(always)]
fn emit<S: Simd>(simd: S, id: u32, others: &[u32; WIDTH], bits: u64, found: &mut Found) {
    // Where compressing is one instruction, storing nothing costs less than a wrong guess.
    if compresses_fast(simd) {
        let marked = mask32x16::from_bitmask(simd, bits);
        let others = u32x16::load_array_ref(simd, others).compress(marked);
        let id = u32x16::splat(simd, id);
        let at = found.len;
        id.min(others).store_slice(&mut found.a[at..at + WIDTH]);
        id.max(others).store_slice(&mut found.b[at..at + WIDTH]);
        found.len += bits.count_ones() as usize;
        return;
    }
    for lane in Bits(bits) {
        let other = others[lane % WIDTH];
        found.a[found.len] = id.min(other);
        found.b[found.len] = id.max(other);
        found.len += 1;
    }
}
