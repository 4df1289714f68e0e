//! Eight hulls side by side.

use fearless_simd::{Simd, f32x4, f32x8, f64x8, prelude::*};

use super::ConvexHull;
use super::support::{LANES, Lanes, VertexLanes};
use crate::tolerance;

/// Stands for the vertices of a hull of more than one block.
const NONE: VertexLanes = VertexLanes { x: [0.0; LANES], y: [0.0; LANES], z: [0.0; LANES] };

impl ConvexHull {
    /// [`ConvexHull::support_nearly`] of eight hulls, the place and a zero, and bits of those of which
    /// f32 numbers tell it: they have up to eight vertices. Second come the largest coordinates of each
    /// by magnitude.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub fn supports_in_lanes<S: Simd>(
        simd: S,
        hulls: [&Self; LANES],
        [x, y, z]: [f64x8<S>; 3],
        [far_x, far_y, far_z]: [f64x8<S>; 3],
    ) -> (u64, [[f32; 4]; LANES]) {
        let ((x, y), (z, far_z)) =
            (simd.narrow_f64x8(x, y).split(), simd.narrow_f64x8(z, far_z).split());
        let (far_x, far_y) = simd.narrow_f64x8(far_x, far_y).split();
        let size = x.abs() * far_x + y.abs() * far_y + z.abs() * far_z;
        let slack = size * tolerance::HULL_SCAN_ERROR;
        let least = f32x8::splat(simd, tolerance::HULL_SCAN_LEAST);
        let told = slack.simd_gt(least) & size.simd_lt(f32x8::splat(simd, f32::MAX));
        let told = told.to_bitmask();
        let ([x, y, z], mut all) = (rows([x, y, z]), [f32x8::splat(simd, 0.0); LANES]);
        for (k, heights) in all.iter_mut().enumerate() {
            *heights = hulls[k].block().along(simd, [x[k], y[k], z[k]]);
        }
        let [least] = rows([greatest(all) - slack]);
        let (mut known, mut places) = (0, [[0.0; 4]; LANES]);
        for (k, heights) in all.iter().enumerate() {
            let (hull, near) = (hulls[k], heights.simd_ge(f32x8::splat(simd, least[k])));
            // The first one fills the rest of the block.
            let near = near.to_bitmask() & ((1 << (hull.vertices.len() % 64)) - 1);
            let (block, lane) = (hull.block(), near.trailing_zeros() as usize % LANES);
            places[k] = [block.x[lane], block.y[lane], block.z[lane], 0.0];
            known |= u64::from(near.is_power_of_two() && hull.blocks.len() == 1) << k;
        }
        (known & told, places)
    }

    #[inline(always)]
    fn block(&self) -> &VertexLanes {
        if let [block] = &self.blocks[..] { block } else { &NONE }
    }
}

/// The lanes of some vectors.
#[inline(always)]
fn rows<S: Simd, const N: usize>(vectors: [f32x8<S>; N]) -> [[f32; LANES]; N] {
    let mut rows = [[0.0; LANES]; N];
    for (row, vector) in rows.iter_mut().zip(vectors) {
        vector.store_array(row);
    }
    rows
}

/// The greatest number of each of eight vectors, in their order.
#[inline(always)]
fn greatest<S: Simd>([a, b, c, d, e, f, g, h]: [f32x8<S>; LANES]) -> f32x8<S> {
    let [a, b, c, d] = [halved(a), halved(b), halved(c), halved(d)];
    let [e, f, g, h] = [halved(e), halved(f), halved(g), halved(h)];
    of_four([a, b, c, d]).combine(of_four([e, f, g, h]))
}

#[inline(always)]
fn halved<S: Simd>(vector: f32x8<S>) -> f32x4<S> {
    let (low, high) = vector.split();
    low.max(high)
}

#[inline(always)]
fn of_four<S: Simd>([a, b, c, d]: [f32x4<S>; 4]) -> f32x4<S> {
    let even = a.zip_low(c).max(a.zip_high(c));
    let odd = b.zip_low(d).max(b.zip_high(d));
    even.zip_low(odd).max(even.zip_high(odd))
}
