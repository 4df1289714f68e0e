//! Kinds of pairs that meet in one place, eight pairs at a time.

use fearless_simd::{Simd, f32x16, f64x8, prelude::*};
use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::{Bits, SimdLevel};

use super::gather::{Block, WIDTH};
use super::source::{self, Slot, Source};
use crate::Closest;
use crate::lanes::lanes;
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
        let sides = lanes!(level, simd => sides_in_lanes::<_, K>(simd, &block));
        let (certain, deep) = sides.unwrap_or_default();
        for lane in Bits(block.used) {
            let answer = if certain >> lane & 1 == 1 {
                deep >> lane & 1 == 1
            } else {
                source::overlaps(source, first + lane)
            };
            if let Some(slot) = out.get_mut(source.place(first + lane)) {
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
    let (mut block, mut found) = (Block::<WIDTH>::EMPTY, Answers::UNKNOWN);
    for first in (0..source.count()).step_by(WIDTH) {
        block.gather(source, first);
        found.fill::<K>(level, &block, max_distance);
        let certain = found.certain & found.finite;
        for lane in Bits(block.used & certain & found.within) {
            if let Some(slot) = out.get_mut(source.place(first + lane)) {
                *slot = Some(found.get(lane, block.flipped).closest());
            }
        }
        for lane in Bits(block.used & !certain) {
            if let Some(slot) = out.get_mut(source.place(first + lane)) {
                *slot = source::closest(source, first + lane, max_distance);
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
    let (mut block, mut found) = (Block::<WIDTH>::EMPTY, Answers::UNKNOWN);
    block.margin = margin.into();
    for first in (0..source.count()).step_by(WIDTH) {
        block.gather(source, first);
        found.fill::<K>(level, &block, margin);
        let certain = found.certain & found.single & found.finite;
        // Where the distance is certain, one beyond the margin needs no more.
        for lane in Bits(block.used & !(found.certain & found.beyond)) {
            let Some(slot) = out.get_mut(source.place(first + lane)) else { continue };
            if certain >> lane & 1 == 0 {
                slot.fill(source::manifold(source, first + lane, margin));
            } else {
                let feature = feature_id(found.rows[10][lane % WIDTH].into());
                slot.fill(Some(found.get(lane, block.flipped).manifold(feature)));
            }
        }
    }
}

/// Lanes whose sign of the distance is proven, and those where it is negative.
#[inline(always)]
fn sides_in_lanes<S: Simd, K: Round>(simd: S, block: &Block<WIDTH>) -> (u64, u64) {
    let (a, b) = block.load(simd);
    let found = K::witness(&a, &b);
    let deep = found.distance.simd_lt(f64x8::splat(simd, 0.0));
    (found.certain.to_bitmask(), deep.to_bitmask())
}

/// Rounded witnesses of a block, a row for each number, and bits of lanes.
#[repr(align(64))]
struct Answers {
    /// Distance, normal, point of A, point of B, feature, nothing.
    rows: [[f32; WIDTH]; 12],
    /// The numbers are the answer.
    certain: u64,
    /// They are also the only contact point.
    single: u64,
    /// None of them is infinite.
    finite: u64,
    /// The distance is above the block's margin.
    beyond: u64,
    /// The rounded distance is at most what it is compared with.
    within: u64,
}

impl Answers {
    /// Every pair is left to its room.
    const UNKNOWN: Self =
        Self { rows: [[0.0; WIDTH]; 12], certain: 0, single: 0, finite: 0, beyond: 0, within: 0 };

    /// Takes the answers of a block; leaves them as they were on a level without lanes.
    #[inline(always)]
    fn fill<K: Round>(&mut self, level: SimdLevel, block: &Block<WIDTH>, most: f32) {
        // Written in place: what a dispatched function returns goes through memory.
        let _ = lanes!(level, simd => self.fill_in_lanes::<_, K>(simd, block, most));
    }

    #[inline(always)]
    fn fill_in_lanes<S: Simd, K: Round>(&mut self, simd: S, block: &Block<WIDTH>, most: f32) {
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
        let within = pairs[0].simd_le(f32x16::splat(simd, most)).to_bitmask();
        // Zero, unless one of the numbers is infinite or none.
        let zero = f32x16::splat(simd, 0.0);
        let mut sum = zero;
        for (pair, rows) in pairs.into_iter().zip(self.rows.chunks_exact_mut(2)) {
            pair.store_slice(rows.as_flattened_mut());
            sum += pair * zero;
        }
        let finite = sum.simd_eq(zero).to_bitmask();
        self.certain = found.certain.to_bitmask();
        self.single = found.single.to_bitmask();
        self.finite = finite & finite >> WIDTH;
        self.within = within & ((1 << WIDTH) - 1);
        self.beyond = found.distance.simd_gt(f64x8::splat(simd, block.margin)).to_bitmask();
    }

    #[inline(always)]
    fn get(&self, lane: usize, flipped: u64) -> Rounded {
        let at = |row: usize| self.rows[row][lane % WIDTH];
        let vector = |row: usize| Vec3::new(at(row), at(row + 1), at(row + 2));
        let found =
            Rounded { distance: at(0), normal: vector(1), point_a: vector(4), point_b: vector(7) };
        found.oriented(flipped >> lane & 1 == 1)
    }
}
