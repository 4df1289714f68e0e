//! Kinds of pairs that meet in one place, eight pairs at a time.

use fearless_simd::{Simd, f32x16, f64x8, prelude::*};
use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::SimdLevel;

use super::gather::{Bits, Block, WIDTH};
use super::lanes::lanes;
use super::source::{self, Slot, Source};
use crate::Closest;
use crate::witness::{Round, Rounded, feature_id};

/// Whether the pairs overlap, each answer at its place of `out`.
pub(super) fn overlaps<'a, K: Round>(
    source: &(impl Source<'a, K> + ?Sized),
    level: SimdLevel,
    out: &mut [bool],
) {
    let mut block = Block::<WIDTH>::EMPTY;
    for first in (0..source.count()).step_by(WIDTH) {
        block.gather(source, first);
        let found = answers::<K>(level, &block);
        for lane in Bits(block.used) {
            let answer = if found.certain >> lane & 1 == 1 {
                found.deep >> lane & 1 == 1
            } else {
                source::overlaps(source, first + lane)
            };
            if let Some(slot) = out.get_mut(block.places[lane % WIDTH]) {
                *slot = answer;
            }
        }
    }
}

/// Closest points of the pairs, each answer at its place of `out`.
pub(super) fn closest<'a, K: Round>(
    source: &(impl Source<'a, K> + ?Sized),
    max_distance: f32,
    level: SimdLevel,
    out: &mut [Option<Closest>],
) {
    let mut block = Block::<WIDTH>::EMPTY;
    for first in (0..source.count()).step_by(WIDTH) {
        block.gather(source, first);
        let found = answers::<K>(level, &block);
        let certain = found.certain & found.finite;
        for lane in Bits(block.used) {
            let Some(slot) = out.get_mut(block.places[lane % WIDTH]) else { continue };
            if certain >> lane & 1 == 0 {
                *slot = source::closest(source, first + lane, max_distance);
            } else if found.rows[0][lane % WIDTH] <= max_distance {
                *slot = Some(found.get(lane, block.flipped).closest());
            }
        }
    }
}

/// Manifolds of the pairs, each at its place of `out`; `margin` is not negative.
pub(super) fn manifolds<'a, K: Round>(
    source: &(impl Source<'a, K> + ?Sized),
    margin: f32,
    level: SimdLevel,
    out: &mut [impl Slot],
) {
    let mut block = Block::<WIDTH>::EMPTY;
    block.margin = margin.into();
    for first in (0..source.count()).step_by(WIDTH) {
        block.gather(source, first);
        let found = answers::<K>(level, &block);
        let certain = found.certain & found.single & found.finite;
        // Where the distance is certain, one beyond the margin needs no more.
        for lane in Bits(block.used & !(found.certain & found.beyond)) {
            let Some(slot) = out.get_mut(block.places[lane % WIDTH]) else { continue };
            if certain >> lane & 1 == 0 {
                slot.fill(source::manifold(source, first + lane, margin));
            } else {
                let feature = feature_id(found.rows[10][lane % WIDTH].into());
                slot.fill(Some(found.get(lane, block.flipped).manifold(feature)));
            }
        }
    }
}

/// Rounded witnesses of a block, a row for each number, and bits of lanes.
struct Answers {
    /// Distance, normal, point of A, point of B, feature, nothing.
    rows: [[f32; WIDTH]; 12],
    /// The numbers are the answer.
    certain: u64,
    /// They are also the only contact point.
    single: u64,
    /// None of them is infinite.
    finite: u64,
    /// The distance is negative.
    deep: u64,
    /// The distance is above the block's margin.
    beyond: u64,
}

fn answers<K: Round>(level: SimdLevel, block: &Block<WIDTH>) -> Answers {
    lanes!(level, simd => in_lanes::<_, K>(simd, block)).unwrap_or(Answers::UNKNOWN)
}

#[inline(always)]
fn in_lanes<S: Simd, K: Round>(simd: S, block: &Block<WIDTH>) -> Answers {
    let (a, b) = block.load(simd);
    let found = K::witness(&a, &b);
    let (normal, a, b) = (&found.normal, &found.point_a, &found.point_b);
    let pairs = [
        found.distance.narrow(normal.x),
        normal.y.narrow(normal.z),
        a.x.narrow(a.y),
        a.z.narrow(b.x),
        b.y.narrow(b.z),
        found.feature.narrow(found.feature),
    ];
    let mut rows = [[0.0; WIDTH]; 12];
    // Zero, unless one of the numbers is infinite or none.
    let zero = f32x16::splat(simd, 0.0);
    let mut sum = zero;
    for (pair, rows) in pairs.into_iter().zip(rows.chunks_exact_mut(2)) {
        pair.store_slice(rows.as_flattened_mut());
        sum += pair * zero;
    }
    let finite = sum.simd_eq(zero).to_bitmask();
    Answers {
        rows,
        certain: found.certain.to_bitmask(),
        single: found.single.to_bitmask(),
        finite: finite & finite >> WIDTH,
        deep: found.distance.simd_lt(f64x8::splat(simd, 0.0)).to_bitmask(),
        beyond: found.distance.simd_gt(f64x8::splat(simd, block.margin)).to_bitmask(),
    }
}

impl Answers {
    /// Every pair is left to its room.
    const UNKNOWN: Self =
        Self { rows: [[0.0; WIDTH]; 12], certain: 0, single: 0, finite: 0, deep: 0, beyond: 0 };

    #[inline(always)]
    fn get(&self, lane: usize, flipped: u64) -> Rounded {
        let at = |row: usize| self.rows[row][lane % WIDTH];
        let vector = |row: usize| Vec3::new(at(row), at(row + 1), at(row + 2));
        let found =
            Rounded { distance: at(0), normal: vector(1), point_a: vector(4), point_b: vector(7) };
        found.oriented(flipped >> lane & 1 == 1)
    }
}
