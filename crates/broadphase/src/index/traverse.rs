//! Traversal of both forests, nearest first, for queries that reach as far as the best so far.

use std::ops::Range;

use fearless_simd::{Simd, dispatch, f32x16, mask32x16, prelude::*};

use super::QueryIndex;
use crate::forest::Forest;
use crate::lanes::{Bits, Lanes, WIDTH, narrow};

/// A query that meets boxes at some fraction or distance.
pub(crate) trait Reach {
    /// Lower bounds, none of them negative, of where the query meets each of sixteen boxes, and the
    /// mask of those met at most at `limit`. Lanes not in use may give anything.
    fn reach<S: Simd>(&self, simd: S, lanes: &Lanes, limit: f32) -> (mask32x16<S>, f32x16<S>);
}

/// Most entries of the stack: seven levels of nodes hold 2^32 boxes; each leaves at most fifteen
/// siblings behind, and [`ROOTS`] nodes together at most 32 children.
const STACK: usize = 128;

/// Most nodes of one level that a traversal begins with.
const ROOTS: usize = 2;

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

/// Where something is met, and what: one number, so that the nearest is the least.
///
/// The upper half holds the bits of the entry bound, which are in the order of the bounds as none
/// is negative; the lower half a [`node`] or the id of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry(u64);

impl Entry {
    #[inline(always)]
    fn new(at: f32, what: u32) -> Self {
        // A zero may be a negative one.
        Self(u64::from(at.to_bits() & i32::MAX.unsigned_abs()) << 32 | u64::from(what))
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the halves are wanted")]
    fn parts(self) -> (f32, u32) {
        (f32::from_bits((self.0 >> 32) as u32), self.0 as u32)
    }
}

/// Bits of a node's number within its level: 2^32 boxes are 2^28 blocks.
const NODE_BITS: u32 = 28;

/// Names a node, or a block on level 0.
#[inline(always)]
fn node(level: u32, index: u32) -> u32 {
    level << NODE_BITS | index
}

#[inline(always)]
fn walk<S: Simd>(
    simd: S,
    forest: &Forest,
    query: &impl Reach,
    mut limit: f32,
    visit: &mut dyn FnMut(u32, f32) -> f32,
) -> f32 {
    let mut stack = [Entry(0); STACK];
    let mut depth = 0;
    // The nodes at the top have few children: all of them are looked at together.
    let top = forest.levels.iter().rposition(|nodes| nodes.len() > ROOTS).map_or(0, |top| top + 1);
    for (index, lanes) in (0..).zip(forest.levels.get(top).into_iter().flatten()) {
        let children = node(narrow(top), index * 16);
        depth =
            meet(simd, query, lanes, limit, &mut stack, 0..depth, |lane| children + narrow(lane));
    }
    while depth > 0 {
        depth -= 1;
        let (entry, name) = stack[depth % STACK].parts();
        if entry > limit {
            continue;
        }
        let (level, index) = (name >> NODE_BITS, name % (1 << NODE_BITS));
        let bottom = depth;
        if level > 0 {
            let lanes = &forest.levels[level as usize - 1][index as usize];
            let children = node(level - 1, index * 16);
            depth = meet(simd, query, lanes, limit, &mut stack, bottom..bottom, |lane| {
                children + narrow(lane)
            });
            continue;
        }
        let lanes = &forest.blocks[index as usize];
        let ids = &forest.members[index as usize].ids;
        depth =
            meet(simd, query, lanes, limit, &mut stack, bottom..bottom, |lane| ids[lane % WIDTH]);
        while depth > bottom {
            depth -= 1;
            let (entry, id) = stack[depth % STACK].parts();
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

/// Puts what the query meets of sixteen boxes on the stack, the nearest of `range` on top, which
/// ends at the stack's depth; returns the new depth.
#[inline(always)]
fn meet<S: Simd>(
    simd: S,
    query: &impl Reach,
    lanes: &Lanes,
    limit: f32,
    stack: &mut [Entry; STACK],
    range: Range<usize>,
    name: impl Fn(usize) -> u32,
) -> usize {
    let (met, found) = query.reach(simd, lanes, limit);
    // A lane that is not in use holds NaN.
    let lo = lanes.plane(simd, 0);
    let bits = (met & lo.simd_eq(lo)).to_bitmask();
    if bits == 0 {
        return range.end;
    }
    let mut entries = [0.0_f32; WIDTH];
    found.store_array(&mut entries);
    let mut depth = range.end;
    for lane in Bits(bits) {
        let item = Entry::new(entries[lane % WIDTH], name(lane));
        let mut place = depth;
        while place > range.start && stack[(place - 1) % STACK] < item {
            stack[place % STACK] = stack[(place - 1) % STACK];
            place -= 1;
        }
        stack[place % STACK] = item;
        depth += 1;
    }
    depth
}
