//! Boxes that touch a box.

use std::ops::ControlFlow;

use fearless_simd::Simd;
use impinge_shapes::Aabb;
use impinge_shapes::at_level;

use super::packet::{PACKET, Packet};
use super::traverse::{NODE_BITS, STACK, node, top_of};
use super::{Met, QueryIndex};
use crate::forest::Forest;
use crate::lanes::{Bits, Bounds, WIDTH, narrow};
use crate::tolerance::TOLD;

impl QueryIndex {
    /// Visits every box that touches `bounds`, until the visitor breaks.
    ///
    /// - Error: exact but for the room given to moving boxes.
    pub fn overlap(&self, bounds: &Aabb, mut visit: impl FnMut(u32) -> ControlFlow<()>) {
        self.visit_touching(&Bounds::of(bounds), &mut visit);
    }

    fn visit_touching(&self, bounds: &Bounds, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        for forest in self.forests() {
            if forest.is_empty() {
                continue;
            }
            let flow = at_level!(self.simd_level(), simd => overlap(simd, forest, bounds, visit));
            if flow.is_break() {
                return;
            }
        }
    }

    /// [`QueryIndex::overlap`] of many boxes, which go through the index together.
    ///
    /// The visitor gets what is touched in lists of some hundred, at 0: what belongs to one query
    /// lies together, in the order of the queries, and each visits what it visits alone, in the same
    /// order.
    ///
    /// ```
    /// use impinge_broadphase::{BroadPhase, Mobility};
    /// use impinge_shapes::{Aabb, glam::Vec3};
    ///
    /// let mut broad = BroadPhase::new();
    /// for (id, x) in [(3, 0.0), (5, 4.0)] {
    ///     broad.set(id, Aabb::from_point(Vec3::X * x)?, Mobility::Fixed);
    /// }
    /// broad.update();
    /// let around = |x: f32| Aabb::from_point(Vec3::X * x).map(|point| point.inflate(1.0));
    /// let mut touched = Vec::new();
    /// broad.index().overlap_many(&[around(4.5)?, around(2.0)?, around(-0.5)?], |met| {
    ///     touched.extend(met.iter().map(|met| (met.query, met.id)));
    /// });
    /// assert_eq!(touched, [(0, 5), (2, 3)]);
    /// # Ok::<(), impinge_shapes::AabbError>(())
    /// ```
    pub fn overlap_many(&self, boxes: &[Aabb], mut visit: impl FnMut(&[Met])) {
        self.visit_touching_many(boxes, &mut visit);
    }

    fn visit_touching_many(&self, boxes: &[Aabb], visit: &mut dyn FnMut(&[Met])) {
        let forests = self.forests();
        at_level!(self.simd_level(), simd => overlap_many(simd, forests, boxes, visit));
    }
}

#[inline(always)]
fn overlap<S: Simd>(
    simd: S,
    forest: &Forest,
    bounds: &Bounds,
    visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut walk = Walk::new();
    walk.begin(simd, forest, bounds);
    while let Some((ids, mut bits)) = walk.next(simd, forest, bounds) {
        while bits != 0 {
            visit(ids[bits.trailing_zeros() as usize % WIDTH])?;
            bits &= bits - 1;
        }
    }
    ControlFlow::Continue(())
}

#[inline(always)]
fn overlap_many<S: Simd>(
    simd: S,
    forests: [&Forest; 2],
    boxes: &[Aabb],
    visit: &mut dyn FnMut(&[Met]),
) {
    let mut packet = Packet::new();
    let mut met = Vec::with_capacity(TOLD + WIDTH);
    for (first, boxes) in (0..).step_by(PACKET).zip(boxes.chunks(PACKET)) {
        if packet.find(simd, forests, boxes.iter().map(Bounds::of)) {
            for touched in packet.touched() {
                let (forest, block) = touched.block();
                let query = first + u32::from(touched.query);
                let ids = &forests[forest].members[block].ids;
                tell(query, (ids, touched.lanes.into()), &mut met, visit);
            }
            continue;
        }
        // So many that they should not be kept: one walk for each.
        let mut walk = Walk::new();
        for (query, bounds) in (first..).zip(packet.queries()) {
            for forest in forests {
                walk.begin(simd, forest, bounds);
                while let Some(touched) = walk.next(simd, forest, bounds) {
                    tell(query, touched, &mut met, visit);
                }
            }
        }
    }
    if !met.is_empty() {
        visit(&met);
    }
}

/// Lists what a query touches in a block, and tells of the list once it is long.
#[inline(always)]
fn tell(
    query: u32,
    (ids, bits): (&[u32; WIDTH], u64),
    met: &mut Vec<Met>,
    visit: &mut dyn FnMut(&[Met]),
) {
    for lane in Bits(bits) {
        met.push(Met { query, id: ids[lane % WIDTH], at: 0.0 });
    }
    if met.len() >= TOLD {
        visit(met);
        met.clear();
    }
}

/// The way of one query through a forest, from block to block.
struct Walk {
    /// Nodes still to be looked at.
    stack: [u32; STACK],
    depth: usize,
}

impl Walk {
    fn new() -> Self {
        Self { stack: [0; STACK], depth: 0 }
    }

    /// Enters a forest.
    #[inline(always)]
    fn begin<S: Simd>(&mut self, simd: S, forest: &Forest, bounds: &Bounds) {
        self.depth = 0;
        let (top, nodes) = top_of(forest);
        for (index, lanes) in (0..).zip(nodes) {
            let children = node(top, index * 16);
            for lane in Bits(lanes.touching(simd, bounds)) {
                self.push(children + narrow(lane));
            }
        }
    }

    /// Goes on to the next block with boxes that touch, and tells which.
    #[inline(always)]
    fn next<'f, S: Simd>(
        &mut self,
        simd: S,
        forest: &'f Forest,
        bounds: &Bounds,
    ) -> Option<(&'f [u32; WIDTH], u64)> {
        while self.depth > 0 {
            self.depth -= 1;
            let name = self.stack[self.depth % STACK];
            let (level, index) = (name >> NODE_BITS, name % (1 << NODE_BITS));
            if level == 0 {
                let bits = forest.blocks[index as usize].touching(simd, bounds);
                if bits != 0 {
                    return Some((&forest.members[index as usize].ids, bits));
                }
                continue;
            }
            let lanes = &forest.levels[level as usize - 1][index as usize];
            let children = node(level - 1, index * 16);
            for lane in Bits(lanes.touching(simd, bounds)) {
                self.push(children + narrow(lane));
            }
        }
        None
    }

    #[inline(always)]
    fn push(&mut self, name: u32) {
        self.stack[self.depth % STACK] = name;
        self.depth += 1;
    }
}
