//! Boxes that touch a box.

use std::ops::ControlFlow;

use fearless_simd::{Simd, dispatch};
use impinge_shapes::Aabb;

use super::QueryIndex;
use crate::forest::Forest;
use crate::lanes::{Bits, Bounds, WIDTH, narrow};

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
            let flow =
                dispatch!(self.simd_level().level(), simd => overlap(simd, forest, bounds, visit));
            if flow.is_break() {
                return;
            }
        }
    }
}

#[inline(always)]
fn overlap<S: Simd>(
    simd: S,
    forest: &Forest,
    bounds: &Bounds,
    visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    // Seven levels of nodes hold 2^32 boxes; each leaves at most fifteen siblings behind.
    let mut stack = [(0_u32, 0_u32); 128];
    let mut depth = 1;
    stack[0] = (narrow(forest.levels.len()), 0);
    while depth > 0 {
        depth -= 1;
        let (level, index) = stack[depth % 128];
        if level > 0 {
            let node = &forest.levels[level as usize - 1][index as usize];
            for lane in Bits(node.touching(simd, bounds)) {
                stack[depth % 128] = (level - 1, index * 16 + narrow(lane));
                depth += 1;
            }
            continue;
        }
        let ids = &forest.members[index as usize].ids;
        let mut bits = forest.blocks[index as usize].touching(simd, bounds);
        while bits != 0 {
            visit(ids[bits.trailing_zeros() as usize % WIDTH])?;
            bits &= bits - 1;
        }
    }
    ControlFlow::Continue(())
}
