//! Traversal of both forests, nearest first, for queries that reach as far as the best so far.

use fearless_simd::{Simd, f32x16, mask32x16};
use impinge_shapes::at_level;

use super::QueryIndex;
use super::walk::{Levels, Walk};
use crate::forest::Forest;
use crate::lanes::{Lanes, narrow};

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
            let levels = Levels::new(forest);
            limit =
                at_level!(index.simd_level(), simd => alone(simd, &levels, query, limit, visit));
        }
    }
}

#[inline(always)]
fn alone<S: Simd>(
    simd: S,
    levels: &Levels<'_>,
    query: &impl Reach,
    mut limit: f32,
    visit: &mut dyn FnMut(u32, f32) -> f32,
) -> f32 {
    let mut walk = Walk::new();
    walk.begin(simd, levels, query, limit);
    loop {
        let Some((id, at)) = walk.next(simd, levels, query, limit) else { return limit };
        let answer = visit(id, at);
        if answer.is_nan() || answer < 0.0 {
            return -1.0;
        }
        if answer < limit {
            limit = answer;
            walk.cut(limit);
        }
    }
}

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
