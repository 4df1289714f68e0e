//! Traversal of both forests, nearest first, for queries that reach as far as the best so far.

use std::hint::select_unpredictable;

use fearless_simd::{Simd, dispatch, f32x16, mask32x16, prelude::*, u32x16, u64x8};

use super::QueryIndex;
use crate::forest::Forest;
use crate::lanes::{Bits, Lanes, WIDTH, compresses_fast, narrow};

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
type Entry = u64;

/// Marks an [`Entry`], in its upper half, as that of a box.
const BOX: u32 = 1 << 31;

/// Bits of a node's number within its level: 2^32 boxes are 2^28 blocks.
pub(super) const NODE_BITS: u32 = 28;

/// Names a node, or a block on level 0.
#[inline(always)]
pub(super) fn node(level: u32, index: u32) -> u32 {
    level << NODE_BITS | index
}

/// The level that a traversal begins with, and its nodes, at most [`ROOTS`]: those at the top have
/// few children, and all of them are looked at together.
#[inline(always)]
pub(super) fn top_of(forest: &Forest) -> (u32, &[Lanes]) {
    let mut levels = forest.levels.iter();
    let top = levels.rposition(|nodes| nodes.len() > ROOTS).map_or(0, |top| top + 1);
    (narrow(top), forest.levels.get(top).map_or(&[], |nodes| nodes))
}

/// What stands in the lanes of a node or block: the sum of `first` and the lane's number in
/// `others`.
struct Names<'f> {
    first: u32,
    others: &'f [u32; WIDTH],
    /// [`BOX`], or 0 for nodes and blocks.
    kind: u32,
}

/// Entries in a row, aligned so that each is read from a whole vector in one step.
#[repr(align(64))]
struct Room([Entry; WIDTH]);

impl Room {
    /// The first four, the farthest first; what is not in use is 0 and comes last.
    ///
    /// Nobody can guess their order: no branches.
    ///
    /// - Source: Knuth, *The Art of Computer Programming* 3, §5.3.4, on networks for sorting.
    #[inline(always)]
    fn first_four(&self) -> [Entry; 4] {
        let [a, b, c, d, ..] = self.0;
        let (a, b) = (a.max(b), a.min(b));
        let (c, d) = (c.max(d), c.min(d));
        let (a, c) = (a.max(c), a.min(c));
        let (b, d) = (b.max(d), b.min(d));
        let (b, c) = (b.max(c), b.min(c));
        [a, b, c, d]
    }
}

/// Two lists that begin with their largest entries as one.
#[inline(always)]
fn merged(one: [Entry; 4], other: [Entry; 4]) -> [Entry; 8] {
    let ([a, b, c, d], [h, g, f, e]) = (one, other);
    let (a, e) = (a.max(e), a.min(e));
    let (b, f) = (b.max(f), b.min(f));
    let (c, g) = (c.max(g), c.min(g));
    let (d, h) = (d.max(h), d.min(h));
    let (a, c) = (a.max(c), a.min(c));
    let (b, d) = (b.max(d), b.min(d));
    let (e, g) = (e.max(g), e.min(g));
    let (f, h) = (f.max(h), f.min(h));
    [a.max(b), a.min(b), c.max(d), c.min(d), e.max(f), e.min(f), g.max(h), g.min(h)]
}

/// The children of a node follow each other.
const CHILDREN: [u32; WIDTH] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The way of one query through a forest, from box to box.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    stack: [Entry; STACK],
    depth: usize,
}

impl Walk {
    pub(super) fn new() -> Self {
        Self { stack: [0; STACK], depth: 0 }
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
        let (top, nodes) = top_of(forest);
        let first = |index| node(top, index * 16);
        if compresses_fast(simd) {
            let mut rooms = [const { Room([0; WIDTH]) }; ROOTS];
            let mut counts = [0; ROOTS];
            for (index, lanes) in (0..).zip(nodes).take(ROOTS) {
                let met = Meeting::new(simd, query, lanes, limit);
                let names = Names { first: first(narrow(index)), others: &CHILDREN, kind: 0 };
                rooms[index] = met.compressed(simd, &names);
                counts[index] = met.count();
            }
            let [one, other] = &rooms;
            self.depth = counts[0] + counts[1];
            if counts[0] <= 4 && counts[1] <= 4 {
                self.stack[..8].copy_from_slice(&merged(one.first_four(), other.first_four()));
                return;
            }
            self.stack[..WIDTH].copy_from_slice(&one.0);
            self.stack[counts[0]..counts[0] + WIDTH].copy_from_slice(&other.0);
        } else {
            for (index, lanes) in (0..).zip(nodes) {
                let names = Names { first: first(index), others: &CHILDREN, kind: 0 };
                self.meet(simd, query, lanes, limit, &names);
            }
        }
        self.sort(0);
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
        let mut top = self.pop(limit)?;
        loop {
            let (at, name) = (upper(top), lower(top));
            if at & BOX != 0 {
                return Some((name, f32::from_bits(at & !BOX)));
            }
            let (level, index) = (name >> NODE_BITS, name % (1 << NODE_BITS));
            let nearest = if level == 0 {
                let others = &forest.members[index as usize].ids;
                let names = Names { first: 0, others, kind: BOX };
                self.enter(simd, query, &forest.blocks[index as usize], limit, &names)
            } else {
                let lanes = &forest.levels[level as usize - 1][index as usize];
                let first = node(level - 1, index * 16);
                let names = Names { first, others: &CHILDREN, kind: 0 };
                self.enter(simd, query, lanes, limit, &names)
            };
            // What is nearest in a node is known before it could be read from the stack. It is
            // within the limit but for the slack of slabs, by which a visitor is asked in vain.
            top = match nearest {
                Some(nearest) => nearest,
                None => self.pop(limit)?,
            };
        }
    }

    /// The next entry within `limit`.
    #[inline(always)]
    fn pop(&mut self, limit: f32) -> Option<Entry> {
        // Bits of numbers, neither of which is a negative zero, compare as the numbers do.
        let most = (limit + 0.0).to_bits().cast_signed();
        while self.depth > 0 {
            self.depth -= 1;
            let top = self.stack[self.depth % STACK];
            if (upper(top) & !BOX).cast_signed() <= most {
                return Some(top);
            }
        }
        None
    }

    /// Takes the nearest of what the query meets of sixteen boxes, and puts the others on the
    /// stack, the next one on top.
    #[inline(always)]
    fn enter<S: Simd>(
        &mut self,
        simd: S,
        query: &impl Reach,
        lanes: &Lanes,
        limit: f32,
        names: &Names<'_>,
    ) -> Option<Entry> {
        if !compresses_fast(simd) {
            let bottom = self.depth;
            self.meet(simd, query, lanes, limit, names);
            self.sort(bottom);
            if self.depth == bottom {
                return None;
            }
            self.depth -= 1;
            return Some(self.stack[self.depth % STACK]);
        }
        let met = Meeting::new(simd, query, lanes, limit);
        let count = met.count();
        if count == 0 {
            return None;
        }
        let room = met.compressed(simd, names);
        let [a, b, c, d] = room.first_four();
        // The stack is never so full: see `STACK`.
        let depth = self.depth.min(STACK - 4);
        self.stack[depth..depth + 4].copy_from_slice(&[a, b, c, d]);
        self.depth = depth + count - 1;
        if count <= 4 {
            let odd = select_unpredictable(count > 2, c, a);
            let even = select_unpredictable(count > 2, d, b);
            return Some(select_unpredictable(count % 2 == 1, odd, even));
        }
        for (next, &item) in room.0.iter().enumerate().take(count).skip(4) {
            self.insert(depth, depth + next, item);
        }
        Some(self.stack[self.depth % STACK])
    }

    /// Puts what the query meets of sixteen boxes on the stack, in the order of the lanes.
    #[inline(always)]
    fn meet<S: Simd>(
        &mut self,
        simd: S,
        query: &impl Reach,
        lanes: &Lanes,
        limit: f32,
        names: &Names<'_>,
    ) {
        let met = Meeting::new(simd, query, lanes, limit);
        let mut ats = [0.0; WIDTH];
        met.found.store_array(&mut ats);
        for lane in Bits(met.bits) {
            // A zero may be a negative one.
            let at = ats[lane % WIDTH].to_bits() & !BOX | names.kind;
            let name = names.first.wrapping_add(names.others[lane % WIDTH]);
            self.stack[self.depth % STACK] = u64::from(at) << 32 | u64::from(name);
            self.depth += 1;
        }
    }

    /// Brings what lies above `bottom` into order, the nearest on top.
    #[inline(always)]
    fn sort(&mut self, bottom: usize) {
        for next in bottom + 1..self.depth {
            self.insert(bottom, next, self.stack[next % STACK]);
        }
    }

    /// Puts an item among those from `bottom` to `place`, which are in order.
    #[inline(always)]
    fn insert(&mut self, bottom: usize, mut place: usize, item: Entry) {
        let stack = &mut self.stack;
        while place > bottom && stack[(place - 1) % STACK] < item {
            stack[place % STACK] = stack[(place - 1) % STACK];
            place -= 1;
        }
        stack[place % STACK] = item;
    }
}

/// What a query meets of sixteen boxes.
struct Meeting<S: Simd> {
    met: mask32x16<S>,
    bits: u64,
    found: f32x16<S>,
}

impl<S: Simd> Meeting<S> {
    #[inline(always)]
    fn new(simd: S, query: &impl Reach, lanes: &Lanes, limit: f32) -> Self {
        let (met, found) = query.reach(simd, lanes, limit);
        // A lane that is not in use holds NaN.
        let lo = lanes.plane(simd, 0);
        let met = met & lo.simd_eq(lo);
        Self { met, bits: met.to_bitmask(), found }
    }

    #[inline(always)]
    fn count(&self) -> usize {
        self.bits.count_ones() as usize
    }

    /// One entry after the other, then zeros.
    #[inline(always)]
    fn compressed(&self, simd: S, names: &Names<'_>) -> Room {
        let others = u32x16::load_array_ref(simd, names.others);
        let names_here = others + u32x16::splat(simd, names.first);
        // A zero may be a negative one.
        let at = self.found.bitcast::<u32x16<S>>() & u32x16::splat(simd, !BOX);
        let at = at | u32x16::splat(simd, names.kind);
        let (name, at) = (names_here.compress(self.met), at.compress(self.met));
        let mut room = Room([0; WIDTH]);
        let (low, high) = room.0.split_at_mut(WIDTH / 2);
        name.zip_low(at).bitcast::<u64x8<S>>().store_slice(low);
        name.zip_high(at).bitcast::<u64x8<S>>().store_slice(high);
        room
    }
}

#[inline(always)]
fn upper(entry: Entry) -> u32 {
    (entry >> 32) as u32
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the half is wanted")]
fn lower(entry: Entry) -> u32 {
    entry as u32
}
