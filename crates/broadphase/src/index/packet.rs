//! Boxes that go through a forest together, up to 64 at a time.
//!
//! A query alone waits at each node for the numbers of the node, and for a branch that nobody can
//! guess. Queries near each other need the same nodes: each is read once for all of them, and no
//! branch depends on the answer of one.
//!
//! - Source: Wald, Slusallek, Benthin and Wagner, *Interactive Rendering with Coherent Ray Tracing*
//!   (2001), on packets.

use fearless_simd::{Simd, prelude::*, u16x32};
use prefetch_index::prefetch_index;

use super::traverse::{NODE_BITS, STACK, node, top_of};
use crate::forest::Forest;
use crate::lanes::{Bits, Bounds, Lanes, Loaded, narrow};
use crate::tolerance::TOUCHED_MOST;

/// Queries of a packet at most: one for each bit of a number.
pub(super) const PACKET: usize = u64::BITS as usize;

/// Lanes of a block that one of the queries touches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Touched {
    pub(super) query: u16,
    pub(super) lanes: u16,
    block: u32,
}

impl Touched {
    /// Marks the blocks of the second forest.
    const SECOND: u32 = 1 << NODE_BITS;

    /// Which of the forests it is in, and number of the block there.
    #[inline(always)]
    pub(super) fn block(self) -> (usize, usize) {
        (usize::from(self.block & Self::SECOND != 0), (self.block % Self::SECOND) as usize)
    }
}

/// Queries that go together, and what they touch.
#[derive(Debug)]
pub(super) struct Packet {
    queries: [Bounds; PACKET],
    count: usize,
    /// Nodes still to be looked at, each with the queries that touch it.
    stack: [(u32, u64); STACK],
    /// The lanes of the node in hand that each query touches.
    masks: [u16; PACKET],
    /// How many of what follows are in use.
    found: usize,
    unsorted: Vec<Touched>,
    /// The same by query, each query's in the order of the walk; empty while they are not known.
    touched: Vec<Touched>,
}

impl Packet {
    pub(super) fn new() -> Self {
        Self {
            queries: [Bounds::UNUSED; PACKET],
            count: 0,
            stack: [(0, 0); STACK],
            masks: [0; PACKET],
            found: 0,
            unsorted: Vec::new(),
            touched: Vec::new(),
        }
    }

    /// Finds what some queries touch in both forests; `false` if that is more than should be kept.
    #[inline(always)]
    pub(super) fn find<S: Simd>(
        &mut self,
        simd: S,
        [one, other]: [&Forest; 2],
        queries: impl Iterator<Item = Bounds>,
    ) -> bool {
        self.count = 0;
        for (own, query) in self.queries.iter_mut().zip(queries) {
            *own = query;
            self.count += 1;
        }
        self.found = 0;
        self.touched.clear();
        let is_all = self.walk(simd, one, 0) && self.walk(simd, other, Touched::SECOND);
        if is_all {
            self.sort();
        }
        is_all
    }

    /// The queries.
    pub(super) fn queries(&self) -> &[Bounds] {
        &self.queries[..self.count]
    }

    /// What they touch, by query, each query's in the order in which it would meet it alone.
    pub(super) fn touched(&self) -> &[Touched] {
        &self.touched
    }

    /// Finds what the queries touch in one of the forests, whose `mark` goes with its blocks;
    /// `false` if that is more than should be kept.
    #[inline(always)]
    fn walk<S: Simd>(&mut self, simd: S, forest: &Forest, mark: u32) -> bool {
        if forest.is_empty() || self.count == 0 {
            return true;
        }
        let all = u64::MAX >> (PACKET - self.count);
        let (top, nodes) = top_of(forest);
        let mut depth = 0;
        for (index, lanes) in (0..).zip(nodes) {
            depth = self.enter(simd, forest, (lanes, node(top, index * 16)), all, depth);
        }
        while depth > 0 {
            depth -= 1;
            let (name, queries) = self.stack[depth % STACK];
            let (level, index) = (name >> NODE_BITS, name % (1 << NODE_BITS));
            if level > 0 {
                let lanes = &forest.levels[level as usize - 1][index as usize];
                let children = node(level - 1, index * 16);
                depth = self.enter(simd, forest, (lanes, children), queries, depth);
                continue;
            }
            if self.found > TOUCHED_MOST {
                return false;
            }
            self.meet(simd, &forest.blocks[index as usize], index | mark, queries);
        }
        true
    }

    /// Puts the children of a node that any of the queries touches on the stack; its new depth.
    #[inline(always)]
    fn enter<S: Simd>(
        &mut self,
        simd: S,
        forest: &Forest,
        (lanes, children): (&Lanes, u32),
        queries: u64,
        mut depth: usize,
    ) -> usize {
        let lanes = Loaded::new(simd, lanes);
        self.masks = [0; PACKET];
        let mut any = 0;
        for query in Bits(queries) {
            let touched = lanes.touching(&self.queries[query % PACKET]);
            self.masks[query % PACKET] = narrow_16(touched);
            any |= touched;
        }
        let (low, high) = self.masks.split_at(PACKET / 2);
        let (low, high) = (u16x32::from_slice(simd, low), u16x32::from_slice(simd, high));
        for lane in Bits(any) {
            let bit = u16x32::splat(simd, 1 << lane);
            let (low, high) = ((low & bit).simd_eq(bit), (high & bit).simd_eq(bit));
            let name = children + narrow(lane);
            if name >> NODE_BITS == 0
                && let Some(block) = forest.blocks.get(name as usize)
            {
                block.prefetch();
                prefetch_index(&forest.members, name as usize);
            }
            self.stack[depth % STACK] = (name, low.to_bitmask() | high.to_bitmask() << 32);
            depth += 1;
        }
        depth
    }

    /// Notes what the queries touch in a block.
    #[inline(always)]
    fn meet<S: Simd>(&mut self, simd: S, lanes: &Lanes, block: u32, queries: u64) {
        let lanes = Loaded::new(simd, lanes);
        // Whether there is anything could not be guessed: each is written, and overwritten if not.
        if self.unsorted.len() < self.found + PACKET {
            self.unsorted.resize(2 * self.found + PACKET, Touched::default());
        }
        let room = &mut self.unsorted[self.found..self.found + PACKET];
        let mut count = 0;
        for query in Bits(queries) {
            let touched = lanes.touching(&self.queries[query % PACKET]);
            let query = narrow_16(query as u64);
            room[count % PACKET] = Touched { block, query, lanes: narrow_16(touched) };
            count += usize::from(touched != 0);
        }
        self.found += count;
    }

    /// Brings what was found into the order of the queries.
    ///
    /// - Source: Knuth, *The Art of Computer Programming* 3, §5.2, on sorting by counting.
    fn sort(&mut self) {
        let mut next = [0; PACKET];
        for touched in &self.unsorted[..self.found] {
            next[usize::from(touched.query) % PACKET] += 1;
        }
        let mut first = 0;
        for place in &mut next {
            first += std::mem::replace(place, first);
        }
        self.touched.resize(self.found, Touched::default());
        for touched in &self.unsorted[..self.found] {
            let place = &mut next[usize::from(touched.query) % PACKET];
            self.touched[*place] = *touched;
            *place += 1;
        }
    }
}

/// The lower bits of a number that has no others.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "lanes and queries of a packet are few")]
fn narrow_16(bits: u64) -> u16 {
    bits as u16
}
