//! The way of one query through a forest, from box to box.

use std::hint::select_unpredictable;

use fearless_simd::{Simd, f32x16, mask32x16, prelude::*, u32x4, u32x16, u64x2, u64x8};
use prefetch_index::prefetch_index;

use super::Reach;
use super::traverse::{NODE_BITS, STACK, node, top_of};
use crate::forest::{Forest, Members};
use crate::lanes::{Bits, Lanes, WIDTH, compresses_fast};

/// Levels of a forest, that of its blocks included: seven levels of nodes hold 2^32 boxes.
const LEVELS: usize = 8;

/// Where something is met, and what: one number, so that the nearest is the least.
///
/// The upper half is a [`key`](Meeting::keys), which names the lane; the lower half the [`node`]
/// whose lane it is.
type Entry = u64;

/// What of a key is the lane.
pub(super) const LANE: u32 = 15;

/// The lanes by their numbers.
pub(super) const LANES: [u32; WIDTH] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Marks numbers as negative.
const SIGN: u32 = 1 << 31;

/// The level in the name of a [`node`].
const LEVEL: u32 = !0 << NODE_BITS;

/// Lies at the bottom of a stack, where it stops a walk as a box does.
const BOTTOM: Entry = 0;

#[inline(always)]
fn entry(key: u32, parent: u32) -> Entry {
    u64::from(key) << 32 | u64::from(parent)
}

#[inline(always)]
fn key_of(entry: Entry) -> u32 {
    (entry >> 32) as u32
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the half is wanted")]
fn parent_of(entry: Entry) -> u32 {
    entry as u32
}

/// Whether it is in a block, so that a walk stops.
#[inline(always)]
fn stops(entry: Entry) -> bool {
    parent_of(entry) & LEVEL == 0
}

/// The node or block in a lane of a node.
#[inline(always)]
fn child(entry: Entry) -> u32 {
    let parent = parent_of(entry);
    let level = (parent & LEVEL).wrapping_sub(1 << NODE_BITS);
    level | parent << 4 & !LEVEL | key_of(entry) & LANE
}

/// What comes after all entries within a limit.
#[inline(always)]
fn end_of(limit: f32) -> Entry {
    // Bits of numbers that are not negative compare as the numbers do.
    let key = if limit >= 0.0 { ((limit + 0.0).to_bits() | LANE) + 1 } else { 0 };
    entry(key, 0)
}

/// A forest by levels.
#[derive(Debug)]
pub(super) struct Levels<'f> {
    /// Nodes; on level 0, blocks.
    lanes: [&'f [Lanes]; LEVELS],
    members: &'f [Members],
    /// Those that walks begin with, and their level.
    roots: [&'f Lanes; 2],
    top: u32,
}

impl<'f> Levels<'f> {
    pub(super) fn new(forest: &'f Forest) -> Self {
        let mut lanes: [&[Lanes]; LEVELS] = [&[]; LEVELS];
        lanes[0] = &forest.blocks;
        for (place, nodes) in lanes[1..].iter_mut().zip(&forest.levels) {
            *place = nodes;
        }
        let (below, nodes) = top_of(forest);
        let roots = [0, 1].map(|root| nodes.get(root).unwrap_or(&Lanes::UNUSED));
        Self { lanes, members: &forest.members, roots, top: below + 1 }
    }

    /// The nodes of a level, or the blocks.
    #[inline(always)]
    pub(super) fn of_level(&self, level: usize) -> &'f [Lanes] {
        self.lanes[level % LEVELS]
    }

    /// The level that walks begin with.
    #[inline(always)]
    pub(super) fn top(&self) -> usize {
        self.top as usize
    }

    /// Who lives in a block.
    #[inline(always)]
    pub(super) fn ids(&self, block: u32) -> &'f [u32; WIDTH] {
        &self.members[block as usize].ids
    }

    /// The id of a box, and a lower bound of where it is met.
    #[inline(always)]
    fn box_of(&self, entry: Entry) -> (u32, f32) {
        let (key, block) = (key_of(entry), parent_of(entry));
        let ids = self.ids(block);
        (ids[(key & LANE) as usize], f32::from_bits(key & !LANE))
    }
}

/// The way of one query through a forest.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    stack: [Entry; STACK],
    depth: usize,
}

impl Walk {
    pub(super) fn new() -> Self {
        Self { stack: [BOTTOM; STACK], depth: 1 }
    }

    /// Enters a forest.
    #[inline(always)]
    pub(super) fn begin<S: Simd>(
        &mut self,
        simd: S,
        levels: &Levels<'_>,
        query: &impl Reach,
        limit: f32,
    ) {
        let [one, other] = [node(levels.top, 0), node(levels.top, 1)];
        // Of one that there is not nothing is met.
        let [first, second] = levels.roots;
        let first = Meeting::new(simd, query, first, limit);
        let second = Meeting::new(simd, query, second, limit);
        let (count, others) = (first.count(), second.count());
        self.depth = 1 + count + others;
        if count <= 4 && others <= 4 {
            // What is not in use comes last.
            let one = entries(first.four(simd), first.parents(simd, one));
            let other = entries(second.four(simd), second.parents(simd, other));
            self.stack[1..9].copy_from_slice(&merged(one, other));
            return;
        }
        for (bottom, met, name) in [(1, first, one), (1 + count, second, other)] {
            let entries = met.all(simd).map(|key| entry(key, name));
            self.stack[bottom..bottom + WIDTH].copy_from_slice(&entries);
        }
        for next in 2..self.depth.min(STACK) {
            self.insert(1, next, self.stack[next]);
        }
    }

    /// Whether a box or nothing is on top.
    #[inline(always)]
    pub(super) fn is_stopped(&self) -> bool {
        stops(self.stack[(self.depth - 1) % STACK])
    }

    /// Takes what is on top, if there is anything.
    #[inline(always)]
    fn pop(&mut self) -> Option<Entry> {
        let depth = self.depth - 1;
        if depth == 0 {
            return None;
        }
        self.depth = depth;
        Some(self.stack[depth % STACK])
    }

    /// Takes the box from the top, if there is one: its id, and a lower bound of where it is met.
    #[inline(always)]
    pub(super) fn take(&mut self, levels: &Levels<'_>) -> Option<(u32, f32)> {
        Some(levels.box_of(self.pop()?))
    }

    /// Drops what lies beyond a limit.
    #[inline(always)]
    pub(super) fn cut(&mut self, limit: f32) {
        self.cut_from(1, 1, end_of(limit));
    }

    /// [`Walk::cut`], where what is on the stack was put there long ago: a vector would have to wait
    /// for several stores.
    #[inline(always)]
    pub(super) fn cut_later<S: Simd>(&mut self, simd: S, limit: f32) {
        let end = end_of(limit);
        let (mut kept, mut place) = (1, 1);
        while compresses_fast(simd) && place < self.depth && place + 8 <= STACK {
            let items = u64x8::from_slice(simd, &self.stack[place..place + 8]);
            let places = u64x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
            let stay = items.simd_lt(end) & places.simd_lt((self.depth - place) as u64);
            items.compress(stay).store_slice(&mut self.stack[kept..kept + 8]);
            kept += stay.to_bitmask().count_ones() as usize;
            place += 8;
        }
        self.cut_from(place, kept, end);
    }

    /// Keeps of the entries from `place` on those before `end`, behind the first `kept`.
    #[inline(always)]
    fn cut_from(&mut self, place: usize, mut kept: usize, end: Entry) {
        for place in place..self.depth.min(STACK) {
            let item = self.stack[place];
            self.stack[kept % STACK] = item;
            kept += usize::from(item < end);
        }
        self.depth = kept;
    }

    /// Puts what the query meets of the node or block on top in its place, the nearest on top;
    /// whether the walk is stopped then.
    #[inline(always)]
    pub(super) fn step<S: Simd>(
        &mut self,
        simd: S,
        levels: &Levels<'_>,
        query: &impl Reach,
        limit: f32,
    ) -> bool {
        let depth = self.depth - 1;
        let name = child(self.stack[depth % STACK]);
        let (level, index) = (name >> NODE_BITS, name & !LEVEL);
        let lanes = &levels.lanes[level as usize % LEVELS][index as usize];
        let met = Meeting::new(simd, query, lanes, limit);
        // The stack is never so full: see `STACK`.
        let depth = depth.min(STACK - 4);
        // Ids are read when a walk stops at a box.
        prefetch_index(levels.members, select_unpredictable(level == 0, index, 0) as usize);
        // Which one will be on top is known before all are in order.
        let below = stops(self.stack[(depth - 1) % STACK]);
        let nearest = entries(met.four(simd), u32x4::splat(simd, name));
        self.stack[depth..depth + 4].copy_from_slice(&nearest);
        let count = met.count();
        self.depth = depth + count;
        if count > 4 {
            self.insert_others(depth, &met.all(simd), count, name);
        }
        select_unpredictable(count > 0, level == 0, below)
    }

    /// [`Walk::step`] until the walk is stopped, and [`Walk::take`]; faster where nothing else is to
    /// be done meanwhile.
    #[inline(always)]
    pub(super) fn next<S: Simd>(
        &mut self,
        simd: S,
        levels: &Levels<'_>,
        query: &impl Reach,
        limit: f32,
    ) -> Option<(u32, f32)> {
        let mut top = self.pop()?;
        while !stops(top) {
            let name = child(top);
            let (level, index) = (name >> NODE_BITS, name & !LEVEL);
            // Guessing which kind it is costs less than waiting for where it lies.
            let nearest = if level == 0 {
                prefetch_index(levels.members, index as usize);
                self.enter(simd, query, &levels.lanes[0][index as usize], limit, name)
            } else {
                let lanes = &levels.lanes[level as usize % LEVELS][index as usize];
                self.enter(simd, query, lanes, limit, name)
            };
            // What is nearest in a node is known before it could be read from the stack.
            top = match nearest {
                Some(nearest) => nearest,
                None => self.pop()?,
            };
        }
        Some(levels.box_of(top))
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
        name: u32,
    ) -> Option<Entry> {
        let met = Meeting::new(simd, query, lanes, limit);
        let count = met.count();
        if count == 0 {
            return None;
        }
        let [a, b, c, d] = sorted(met.four(simd).into()).map(|key| entry(key, name));
        let depth = self.depth.min(STACK - 4);
        self.stack[depth..depth + 4].copy_from_slice(&[a, b, c, d]);
        self.depth = depth + count - 1;
        if count <= 4 {
            let odd = select_unpredictable(count > 2, c, a);
            let even = select_unpredictable(count > 2, d, b);
            return Some(select_unpredictable(count % 2 == 1, odd, even));
        }
        self.insert_others(depth, &met.all(simd), count, name);
        Some(self.stack[self.depth % STACK])
    }

    /// Puts all but the first four keys among these, which are in order.
    #[inline(always)]
    fn insert_others(&mut self, bottom: usize, keys: &[u32; WIDTH], count: usize, parent: u32) {
        for (next, &key) in keys.iter().enumerate().take(count).skip(4) {
            self.insert(bottom, bottom + next, entry(key, parent));
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
pub(super) struct Meeting<S: Simd> {
    met: mask32x16<S>,
    bits: u64,
    found: f32x16<S>,
}

impl<S: Simd> Meeting<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, query: &impl Reach, lanes: &Lanes, limit: f32) -> Self {
        let (met, found) = query.reach(simd, lanes, limit);
        // A lane that is not in use holds NaN.
        let lo = lanes.lower(simd, 0);
        let met = met & lo.simd_eq(lo);
        Self { met, bits: met.to_bitmask(), found }
    }

    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.bits.count_ones() as usize
    }

    /// The bits of each bound, which are in the order of the bounds as none is negative, with the
    /// lane in place of the lowest four.
    #[inline(always)]
    pub(super) fn keys(&self, simd: S) -> u32x16<S> {
        // A zero may be a negative one.
        let at = self.found.bitcast::<u32x16<S>>() & u32x16::splat(simd, !(SIGN | LANE));
        at | u32x16::load_array_ref(simd, &LANES)
    }

    /// Those of sixteen numbers whose lanes are met; after them anything.
    #[inline(always)]
    pub(super) fn put(&self, simd: S, all: u32x16<S>, to: &mut [u32]) {
        if compresses_fast(simd) {
            all.compress(self.met).store_slice(to);
        } else {
            let all: [u32; WIDTH] = all.into();
            for (place, lane) in to.iter_mut().zip(Bits(self.bits)) {
                *place = all[lane % WIDTH];
            }
        }
    }

    /// One key of what is met after the other, then zeros.
    #[inline(always)]
    fn all(&self, simd: S) -> [u32; WIDTH] {
        let mut all = [0; WIDTH];
        if compresses_fast(simd) {
            self.keys(simd).compress(self.met).store_array(&mut all);
        } else {
            let mut keys = [0; WIDTH];
            self.keys(simd).store_array(&mut keys);
            for (place, lane) in all.iter_mut().zip(Bits(self.bits)) {
                *place = keys[lane % WIDTH];
            }
        }
        all
    }

    /// The first four of them, without branches.
    #[inline(always)]
    fn four(&self, simd: S) -> u32x4<S> {
        if compresses_fast(simd) {
            return self.keys(simd).compress(self.met).split().0.split().0;
        }
        // Beyond the lanes lie zeros, which are taken once the bits are used up.
        let mut keys = [0; 2 * WIDTH];
        self.keys(simd).store_slice(&mut keys[..WIDTH]);
        let (mut bits, mut four) = (self.bits | !0 << WIDTH, [0; 4]);
        for place in &mut four {
            *place = keys[bits.trailing_zeros() as usize % keys.len()];
            bits &= bits - 1;
        }
        u32x4::load_array(simd, four)
    }

    /// The parent for each of the first four that are in use, else 0.
    #[inline(always)]
    fn parents(&self, simd: S, parent: u32) -> u32x4<S> {
        let places = u32x4::load_array(simd, [0, 1, 2, 3]);
        let used = places.simd_lt(u32x4::splat(simd, self.bits.count_ones()));
        used.select(u32x4::splat(simd, parent), u32x4::splat(simd, 0))
    }
}

/// Four keys in order, the farthest first.
///
/// Nobody can guess their order: no branches.
///
/// - Source: Knuth, *The Art of Computer Programming* 3, §5.3.4, on networks for sorting.
#[inline(always)]
fn sorted([a, b, c, d]: [u32; 4]) -> [u32; 4] {
    let (a, b) = (a.max(b), a.min(b));
    let (c, d) = (c.max(d), c.min(d));
    let (a, c) = (a.max(c), a.min(c));
    let (b, d) = (b.max(d), b.min(d));
    let (b, c) = (b.max(c), b.min(c));
    [a, b, c, d]
}

/// The entries of four keys, [`sorted`] in a vector: fewer instructions, but a longer wait.
#[inline(always)]
fn entries<S: Simd>(keys: u32x4<S>, parents: u32x4<S>) -> [Entry; 4] {
    // The larger and smaller ones of two pairs, side by side, then those of these.
    let others = keys.slide::<2>(keys);
    let pairs = keys.max(others).zip_low(keys.min(others));
    let others = pairs.slide::<2>(pairs);
    let (large, small) = (pairs.max(others), pairs.min(others));
    // The first and the last are known; those between are here in this order and there in that one.
    let here = large.zip_low(small);
    let there = large.bitcast::<u64x2<S>>().zip_low(small.bitcast::<u64x2<S>>());
    let there = there.bitcast::<u32x4<S>>();
    let mut entries = [0; 4];
    let (far, near) = entries.split_at_mut(2);
    parents.zip_low(here.max(there)).bitcast::<u64x2<S>>().store_slice(far);
    parents.zip_high(here.min(there)).bitcast::<u64x2<S>>().store_slice(near);
    entries
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
