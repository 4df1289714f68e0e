//! Traversal of both forests, nearest first, for queries that reach as far as the best so far.

use fearless_simd::{Simd, dispatch, f32x16, prelude::*};

use super::QueryIndex;
use crate::forest::Forest;
use crate::lanes::{Bits, Lanes, WIDTH, narrow};

/// A query that meets boxes at some fraction or distance.
pub(crate) trait Reach {
    /// Lower bounds of where the query meets each of sixteen boxes, and the mask of those met at
    /// most at `limit`. Lanes not in use may give anything.
    fn reach<S: Simd>(&self, simd: S, lanes: &Lanes, limit: f32) -> (u64, f32x16<S>);
}

/// Most entries of the stack: seven levels of nodes hold 2^32 boxes; each leaves at most fifteen
/// siblings behind.
const STACK: usize = 128;

/// Visits every box that the query reaches within `limit`, which the visitor's answers lower; a
/// negative answer stops.
///
/// The visitor is called through a pointer: a call for each box that is met is cheap beside what
/// the visitor does, and the traversal is compiled once for each query and level, not once more for
/// each visitor.
pub(crate) fn best_first(
    index: &QueryIndex,
    query: &impl Reach,
    mut limit: f32,
    visit: &mut dyn FnMut(u32, f32) -> f32,
) {
    for forest in index.forests() {
        // A NaN is no limit that anything could be within.
        if !forest.is_empty() && limit >= 0.0 {
            limit =
                dispatch!(index.simd().level(), simd => walk(simd, forest, query, limit, visit));
        }
    }
}

/// Entry bound, level and number of a node (level 0: a block).
type Entry = (f32, u32, u32);

#[inline(always)]
fn walk<S: Simd>(
    simd: S,
    forest: &Forest,
    query: &impl Reach,
    mut limit: f32,
    visit: &mut dyn FnMut(u32, f32) -> f32,
) -> f32 {
    let mut stack: [Entry; STACK] = [(0.0, 0, 0); STACK];
    let mut depth = 1;
    stack[0] = (0.0, narrow(forest.levels.len()), 0);
    let mut entries = [0.0_f32; WIDTH];
    while depth > 0 {
        depth -= 1;
        let (entry, level, index) = stack[depth % STACK];
        if entry > limit {
            continue;
        }
        if level > 0 {
            let node = &forest.levels[level as usize - 1][index as usize];
            let (bits, found) = query.reach(simd, node, limit);
            found.store_array(&mut entries);
            let bits = bits & used_children(forest, level, index);
            let bottom = depth;
            for lane in Bits(bits) {
                let item = (entries[lane % WIDTH], level - 1, index * 16 + narrow(lane));
                insert(&mut stack, bottom, depth, item);
                depth += 1;
            }
            continue;
        }
        let (bits, found) = query.reach(simd, &forest.blocks[index as usize], limit);
        found.store_array(&mut entries);
        let bits = bits & u64::from(forest.masks[index as usize].alive);
        let ids = &forest.members[index as usize].ids;
        let bottom = depth;
        for lane in Bits(bits) {
            insert(&mut stack, bottom, depth, (entries[lane % WIDTH], 0, ids[lane % WIDTH]));
            depth += 1;
        }
        while depth > bottom {
            depth -= 1;
            let (entry, _, id) = stack[depth % STACK];
            if entry > limit {
                depth = bottom;
                break;
            }
            let answer = visit(id, entry);
            if answer < limit {
                limit = answer;
            }
            if answer.is_nan() || answer < 0.0 {
                return -1.0;
            }
        }
    }
    limit
}

/// Lanes of a node that have a child. A lane without one holds NaN, of which a reach test may make
/// anything; a child that is an empty block is harmless, one past the end of its level is not.
#[inline(always)]
fn used_children(forest: &Forest, level: u32, index: u32) -> u64 {
    let below =
        if level == 1 { forest.blocks.len() } else { forest.levels[level as usize - 2].len() };
    let count = (below - index as usize * WIDTH).min(WIDTH);
    (1 << count) - 1
}

/// Keeps the entries from `bottom` on in descending order, so that the nearest is on top.
#[inline(always)]
fn insert(stack: &mut [Entry; STACK], bottom: usize, depth: usize, item: Entry) {
    let mut place = depth;
    while place > bottom && stack[(place - 1) % STACK].0 < item.0 {
        stack[place % STACK] = stack[(place - 1) % STACK];
        place -= 1;
    }
    stack[place % STACK] = item;
}
