//! Traversal of both forests, nearest first, for queries that reach as far as the best so far.

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
pub(super) const STACK: usize = 128;

/// Most nodes of one level that a traversal begins with.
pub(super) const ROOTS: usize = 2;

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
            limit = dispatch!(index.simd_level().level(), simd => alone(simd, forest, query, limit, visit));
        }
    }
}

#[inline(always)]
fn alone<S: Simd>(
    simd: S,
    forest: &Forest,
    query: &impl Reach,
    mut limit: f32,
    visit: &mut dyn FnMut(u32, f32) -> f32,
) -> f32 {
    let mut walk = Walk::new();
    walk.begin(simd, forest, query, limit);
    loop {
        let Some((id, at)) = walk.next(simd, forest, query, limit) else { return limit };
        let answer = visit(id, at);
        if answer < limit {
            limit = answer;
        }
        if answer.is_nan() || answer < 0.0 {
            return -1.0;
        }
    }
}

/// Where something is met, and what: one number, so that the nearest of a kind is the least.
///
/// The highest bit says that it is a box. The rest of the upper half holds the bits of the entry
/// bound, which are in the order of the bounds as none is negative; the lower half a [`node`] or
/// the id of the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry(u64);

/// Marks an [`Entry`] as that of a box.
const BOX: u64 = 1 << 63;

impl Entry {
    #[inline(always)]
    fn new(at: f32, what: u64) -> Self {
        // A zero may be a negative one.
        Self(u64::from(at.to_bits() & i32::MAX.unsigned_abs()) << 32 | what)
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the halves are wanted")]
    fn parts(self) -> (f32, u32) {
        (f32::from_bits(((self.0 & !BOX) >> 32) as u32), self.0 as u32)
    }
}

/// Bits of a node's number within its level: 2^32 boxes are 2^28 blocks.
pub(super) const NODE_BITS: u32 = 28;

/// Names a node, or a block on level 0.
#[inline(always)]
pub(super) fn node(level: u32, index: u32) -> u32 {
    level << NODE_BITS | index
}

/// The way of one query through a forest, from box to box.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    stack: [Entry; STACK],
    depth: usize,
}

impl Walk {
    pub(super) fn new() -> Self {
        Self { stack: [Entry(0); STACK], depth: 0 }
    }

    /// Enters a forest that holds something.
    #[inline(always)]
    pub(super) fn begin<S: Simd>(
        &mut self,
        simd: S,
        forest: &Forest,
        query: &impl Reach,
        limit: f32,
    ) {
        self.depth = 0;
        // The nodes at the top have few children: all of them are looked at together.
        let mut levels = forest.levels.iter();
        let top = levels.rposition(|nodes| nodes.len() > ROOTS).map_or(0, |top| top + 1);
        for (index, lanes) in (0..).zip(forest.levels.get(top).into_iter().flatten()) {
            let children = node(narrow(top), index * 16);
            self.meet(simd, query, lanes, limit, 0, |lane| u64::from(children + narrow(lane)));
        }
    }

    /// Goes on to the next box within `limit`: its id, and a lower bound of where it is met.
    #[inline(always)]
    pub(super) fn next<S: Simd>(
        &mut self,
        simd: S,
        forest: &Forest,
        query: &impl Reach,
        limit: f32,
    ) -> Option<(u32, f32)> {
        while self.depth > 0 {
            self.depth -= 1;
            let top = self.stack[self.depth % STACK];
            let (at, name) = top.parts();
            if at > limit {
                continue;
            }
            if top.0 & BOX != 0 {
                return Some((name, at));
            }
            let (level, index) = (name >> NODE_BITS, name % (1 << NODE_BITS));
            if level == 0 {
                let lanes = &forest.blocks[index as usize];
                let ids = &forest.members[index as usize].ids;
                let named = |lane: usize| BOX | u64::from(ids[lane % WIDTH]);
                self.meet(simd, query, lanes, limit, self.depth, named);
            } else {
                let lanes = &forest.levels[level as usize - 1][index as usize];
                let children = node(level - 1, index * 16);
                let named = |lane| u64::from(children + narrow(lane));
                self.meet(simd, query, lanes, limit, self.depth, named);
            }
        }
        None
    }

    /// Puts what the query meets of sixteen boxes on the stack, the nearest of what lies above
    /// `bottom` on top. `name` gives each entry but for its bound.
    #[inline(always)]
    fn meet<S: Simd>(
        &mut self,
        simd: S,
        query: &impl Reach,
        lanes: &Lanes,
        limit: f32,
        bottom: usize,
        name: impl Fn(usize) -> u64,
    ) {
        let (met, found) = query.reach(simd, lanes, limit);
        // A lane that is not in use holds NaN.
        let lo = lanes.plane(simd, 0);
        let bits = (met & lo.simd_eq(lo)).to_bitmask();
        if bits == 0 {
            return;
        }
        let mut entries = [0.0_f32; WIDTH];
        found.store_array(&mut entries);
        let (stack, mut depth) = (&mut self.stack, self.depth);
        for lane in Bits(bits) {
            let item = Entry::new(entries[lane % WIDTH], name(lane));
            let mut place = depth;
            while place > bottom && stack[(place - 1) % STACK] < item {
                stack[place % STACK] = stack[(place - 1) % STACK];
                place -= 1;
            }
            stack[place % STACK] = item;
            depth += 1;
        }
        self.depth = depth;
    }
}
