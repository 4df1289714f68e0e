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

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3, Vec4};

    use super::super::tests::{Draw, KINDS, cloud};
    use super::*;
    use crate::at_level;
    use crate::simd::SimdLevel;

    /// What is told is what one hull tells, and what is not told is large, far out of proportion, or
    /// has several vertices as far.
    #[test]
    fn eight_hulls_tell_the_vertex_that_each_of_them_tells() {
        let levels = SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name));
        let levels: Vec<SimdLevel> = levels.collect();
        let (mut told_of_small, mut open, mut large) = (0, 0, 0);
        for seed in 0..600 {
            let mut draw = Draw(seed);
            let hulls: [ConvexHull; LANES] = std::array::from_fn(|k| {
                loop {
                    let count = [4, 8, 8, 30][k % 4];
                    let kind = draw.below(KINDS);
                    let points = cloud(kind, count, &mut draw);
                    if let Ok(hull) = ConvexHull::new(&points) {
                        break hull;
                    }
                }
            });
            let scale = [1.0, 1e-38, 1e30][usize::from(draw.below(16)) / 7];
            let along: [DVec3; LANES] = std::array::from_fn(|_| {
                let direction = draw.direction();
                let direction = if draw.below(4) == 0 { direction.round() } else { direction };
                direction.as_dvec3() * scale
            });
            let row = |of: &dyn Fn(usize) -> f64| std::array::from_fn::<f64, LANES, _>(of);
            let ways = [0, 1, 2].map(|axis| row(&|k| along[k][axis]));
            let extents = [0, 1, 2].map(|axis| row(&|k| hulls[k].extents[axis].into()));
            for level in &levels {
                let (told, places) = at_level!(level, simd => {
                    let [x, y, z] = ways;
                    let [u, v, w] = extents;
                    let load = |row| f64x8::load_array(simd, row);
                    let hulls = std::array::from_fn(|k| &hulls[k]);
                    let ways = [load(x), load(y), load(z)];
                    ConvexHull::supports_in_lanes(simd, hulls, ways, [load(u), load(v), load(w)])
                });
                for (k, hull) in hulls.iter().enumerate() {
                    let is_small = hull.vertices.len() <= LANES;
                    if told >> k & 1 == 0 {
                        *(if is_small { &mut open } else { &mut large }) += 1;
                        continue;
                    }
                    told_of_small += usize::from(is_small);
                    let expected: Vec3 = hull.support_nearly(along[k]).as_vec3();
                    let found = Vec4::from(places[k]);
                    assert_eq!(found, expected.extend(0.0), "seed {seed}, {k}, {}", level.name());
                    assert!(is_small, "seed {seed}, {k}");
                }
            }
        }
        let seen = [told_of_small, open, large];
        assert!(seen.iter().all(|&count| count > 500), "{seen:?}");
    }
}
