//! Boxes that touch any of many boxes, which go through the tree together.
//!
//! A query alone waits at each node for the numbers of the node, and for a branch that nobody can
//! guess. Queries near each other need the same nodes: each is read once for up to 64 of them, and
//! whatever is asked of one query is known before the loop over all of them begins.
//!
//! - Source: Wald, Slusallek, Benthin and Wagner, *Interactive Rendering with Coherent Ray Tracing*
//!   (2001), on packets.

use fearless_simd::{Simd, prelude::*, u16x32};
use impinge_shapes::Aabb;
use prefetch_index::prefetch_index;

use super::overlap::Walk;
use super::traverse::{NODE_BITS, STACK, node, top_of};
use super::{Met, QueryIndex};
use crate::forest::Forest;
use crate::lanes::{Bits, Bounds, Lanes, Loaded, WIDTH, narrow};
use crate::tolerance::{TOLD, TOUCHED_MOST};

/// Queries that go together: one for each bit of a number.
const PACKET: usize = u64::BITS as usize;

/// Marks the blocks of the second forest.
const YOUNG: u32 = 1 << NODE_BITS;

/// Lanes of a block that one of the queries touches.
#[derive(Clone, Copy, Debug, Default)]
struct Touched {
    block: u32,
    query: u16,
    lanes: u16,
}

/// What goes through the trees, and what was found.
#[derive(Debug)]
pub(super) struct Packet {
    bounds: [Bounds; PACKET],
    count: usize,
    /// Nodes still to be looked at, each with the queries that touch it.
    stack: [(u32, u64); STACK],
    /// The lanes of the node in hand that each query touches.
    masks: [u16; PACKET],
    /// The first so many of what follows are in use.
    found: usize,
    touched: Vec<Touched>,
    /// The same by query, each query's in the order of the walk.
    sorted: Vec<Touched>,
    met: Vec<Met>,
}

impl Packet {
    pub(super) fn new() -> Self {
        Self {
            bounds: [Bounds::UNUSED; PACKET],
            count: 0,
            stack: [(0, 0); STACK],
            masks: [0; PACKET],
            found: 0,
            touched: Vec::new(),
            sorted: Vec::new(),
            met: Vec::with_capacity(TOLD + WIDTH),
        }
    }

    /// Tells `visit` what each of the boxes touches, one box after the other.
    #[inline(always)]
    pub(super) fn visit<S: Simd>(
        &mut self,
        simd: S,
        index: &QueryIndex,
        boxes: &[Aabb],
        visit: &mut dyn FnMut(&[Met]),
    ) {
        let forests = index.forests();
        for (first, boxes) in (0..).step_by(PACKET).zip(boxes.chunks(PACKET)) {
            self.count = boxes.len();
            for (own, bounds) in self.bounds.iter_mut().zip(boxes) {
                *own = Bounds::of(bounds);
            }
            self.found = 0;
            if self.walk(simd, forests[0], 0) && self.walk(simd, forests[1], YOUNG) {
                self.sort();
                self.tell(forests, first, visit);
            } else {
                self.one_by_one(simd, forests, first, visit);
            }
        }
        if !self.met.is_empty() {
            visit(&self.met);
            self.met.clear();
        }
    }

    /// Finds what the queries touch in one of the forests, whose `mark` goes with its blocks;
    /// `false` if that is more than should be kept.
    #[inline(always)]
    fn walk<S: Simd>(&mut self, simd: S, forest: &Forest, mark: u32) -> bool {
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
            let touched = lanes.touching(&self.bounds[query % PACKET]);
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
                for plane in 0..block.planes.len() {
                    prefetch_index(&block.planes[..], plane);
                }
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
        if self.touched.len() < self.found + PACKET {
            self.touched.resize(2 * self.found + PACKET, Touched::default());
        }
        let room = &mut self.touched[self.found..self.found + PACKET];
        let mut count = 0;
        for query in Bits(queries) {
            let touched = lanes.touching(&self.bounds[query % PACKET]);
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
        for touched in &self.touched[..self.found] {
            next[usize::from(touched.query) % PACKET] += 1;
        }
        let mut first = 0;
        for place in &mut next {
            first += std::mem::replace(place, first);
        }
        self.sorted.clear();
        self.sorted.resize(self.found, Touched::default());
        for touched in &self.touched[..self.found] {
            let place = &mut next[usize::from(touched.query) % PACKET];
            self.sorted[*place] = *touched;
            *place += 1;
        }
    }

    /// Tells what was found; the number of the packet's first query is `first`.
    #[inline(always)]
    fn tell(&mut self, forests: [&Forest; 2], first: u32, visit: &mut dyn FnMut(&[Met])) {
        for touched in &self.sorted {
            let query = first + u32::from(touched.query);
            let forest = forests[usize::from(touched.block & YOUNG != 0)];
            let ids = &forest.members[(touched.block % YOUNG) as usize].ids;
            for lane in Bits(touched.lanes.into()) {
                self.met.push(Met { query, id: ids[lane % WIDTH], at: 0.0 });
            }
            if self.met.len() >= TOLD {
                visit(&self.met);
                self.met.clear();
            }
        }
    }

    /// The same with one walk for each query, which keeps nothing.
    #[inline(always)]
    fn one_by_one<S: Simd>(
        &mut self,
        simd: S,
        forests: [&Forest; 2],
        first: u32,
        visit: &mut dyn FnMut(&[Met]),
    ) {
        let mut walk = Walk::new();
        for (query, bounds) in (first..).zip(&self.bounds[..self.count]) {
            for forest in forests {
                walk.begin(simd, forest, bounds);
                while let Some((ids, bits)) = walk.next(simd, forest, bounds) {
                    for lane in Bits(bits) {
                        self.met.push(Met { query, id: ids[lane % WIDTH], at: 0.0 });
                    }
                    if self.met.len() >= TOLD {
                        visit(&self.met);
                        self.met.clear();
                    }
                }
            }
        }
    }
}

/// The lower bits of a number that has no others.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "lanes and queries of a packet are few")]
fn narrow_16(bits: u64) -> u16 {
    bits as u16
}
