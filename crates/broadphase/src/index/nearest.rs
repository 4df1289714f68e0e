//! Boxes near a box.

use fearless_simd::{Simd, f32x16, mask32x16, prelude::*};
use impinge_shapes::Aabb;

use super::{QueryIndex, Reach, best_first};
use crate::lanes::{Bounds, Lanes, splat};
use crate::tolerance::{DISTANCE, LEAST_SQUARE};

impl QueryIndex {
    /// Visits the boxes within `max_distance` of a box, roughly nearest first.
    ///
    /// The visitor gets the id and a lower bound of the distance between the boxes, and returns the
    /// new largest distance that is of interest; a negative number stops.
    ///
    /// - Error: conservative, as [`QueryIndex::cast`]. Touching and overlapping boxes have distance 0.
    pub fn nearest(&self, from: &Aabb, max_distance: f32, mut visit: impl FnMut(u32, f32) -> f32) {
        self.visit_near(&Near { from: Bounds::of(from) }, max_distance, &mut visit);
    }

    fn visit_near(&self, near: &Near, limit: f32, visit: &mut dyn FnMut(u32, f32) -> f32) {
        best_first(self, near, limit, visit);
    }
}

struct Near {
    from: Bounds,
}

impl Reach for Near {
    #[inline(always)]
    fn reach<S: Simd>(&self, simd: S, lanes: &Lanes, limit: f32) -> (mask32x16<S>, f32x16<S>) {
        let zero = splat(simd, 0.0);
        let mut sum = zero;
        let mut longest = zero;
        for axis in 0..3 {
            let above = lanes.lower(simd, axis) - splat(simd, self.from.hi[axis]);
            let below = splat(simd, self.from.lo[axis]) - lanes.upper(simd, axis);
            // Comparisons, because differences of equal infinities are NaN and mean no gap.
            let gap = above.simd_gt(zero).select(above, zero);
            let gap = below.simd_gt(gap).select(below, gap);
            longest = gap.simd_gt(longest).select(gap, longest);
            sum += gap * gap;
        }
        // Where the squares overflow or lose digits, the longest gap still is a lower bound.
        let sound =
            sum.simd_lt(splat(simd, f32::INFINITY)) & sum.simd_ge(splat(simd, LEAST_SQUARE));
        let root = sound.select(sum.sqrt(), longest);
        let distance = root * splat(simd, 1.0 - DISTANCE);
        (distance.simd_le(splat(simd, limit)), distance)
    }
}
