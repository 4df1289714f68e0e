//! A capsule and a box, eight pairs at a time.
//!
//! In two halves, because the numbers of four pairs side by side nearly fit into the registers: all
//! eight at once take half as long again.

use fearless_simd::{Simd, f32x8, f64x4, mask64x4, prelude::*};
use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::{Bits, SimdLevel};
use impinge_shapes::{Capsule, Cuboid};

use super::gather::{Block, HALF};
use super::source::{self, Source};
use crate::lanes::lanes;
use crate::pairs::capsule_cuboid::lanes::{Point, nearest, points, sides};
use crate::slot::{Slot, Slots};
use crate::turn::WIDTH;
use crate::witness::{Room, Rounded, feature_id};
use crate::{Closest, ContactPoint};

/// Whether the pairs overlap, each answer at its place of `out`.
pub(super) fn overlaps<'a, K: Room<A = Capsule, B = Cuboid>>(
    source: &(impl Source<'a, K> + ?Sized),
    level: SimdLevel,
    out: &mut [bool],
) {
    let mut block = Block::<WIDTH>::EMPTY;
    for first in (0..source.count()).step_by(WIDTH) {
        block.gather(source, first);
        let (certain, deep) = sides_of(level, &block).unwrap_or_default();
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

/// Distances of the pairs, zero where they overlap, each answer at its place of `out`.
pub(super) fn distances<'a, K: Room<A = Capsule, B = Cuboid>>(
    source: &(impl Source<'a, K> + ?Sized),
    level: SimdLevel,
    out: &mut [f32],
) {
    source::distances_of(source, out, |nearest| closest(source, f32::INFINITY, level, nearest));
}

/// Closest points of the pairs, each answer at its place of `out`.
pub(super) fn closest<'a, K: Room<A = Capsule, B = Cuboid>>(
    source: &(impl Source<'a, K> + ?Sized),
    max_distance: f32,
    level: SimdLevel,
    out: &mut [Option<Closest>],
) {
    let (mut block, mut found) = (Block::<WIDTH>::EMPTY, Answers::UNKNOWN);
    for first in (0..source.count()).step_by(WIDTH) {
        block.gather(source, first);
        found.take_closest(level, &block, max_distance);
        let certain = found.certain & found.finite;
        for lane in Bits(block.used) {
            let Some(slot) = out.get_mut(source.place(first + lane)) else { continue };
            *slot = if certain >> lane & 1 == 0 {
                source::closest(source, first + lane, max_distance)
            } else if found.beyond >> lane & 1 == 0 {
                Some(found.closest(lane, block.flipped >> lane & 1 == 1))
            } else {
                None
            };
        }
    }
}

/// Manifolds of the pairs, each at its place of `out`; `margin` is not negative.
pub(super) fn manifolds<'a, K: Room<A = Capsule, B = Cuboid>>(
    source: &(impl Source<'a, K> + ?Sized),
    margin: f32,
    level: SimdLevel,
    out: &mut (impl Slots + ?Sized),
) {
    let (mut block, mut found) = (Block::<WIDTH>::EMPTY, Answers::UNKNOWN);
    block.margin = margin.into();
    for first in (0..source.count()).step_by(WIDTH) {
        block.gather(source, first);
        found.take_points(level, &block);
        // Where the distance is certain, one beyond the margin needs no more.
        for lane in Bits(block.used & !(found.certain & found.beyond)) {
            let Some(mut slot) = out.slot(source.place(first + lane)) else { continue };
            if (found.certain & found.finite) >> lane & 1 == 1 {
                found.manifold(lane, block.flipped >> lane & 1 == 1, &mut slot);
            } else {
                slot.fill(source::manifold(source, first + lane, margin));
            }
        }
    }
}

/// Lanes whose relation is certain, and those that penetrate each other.
///
/// Wherever pairs come from, this is compiled once, as are the answers of a block.
fn sides_of(level: SimdLevel, block: &Block<WIDTH>) -> Option<(u64, u64)> {
    lanes!(level, simd => sides_in_lanes(simd, block))
}

#[inline(always)]
fn sides_in_lanes<S: Simd>(simd: S, block: &Block<WIDTH>) -> (u64, u64) {
    let ((a, b), (c, d)) = (block.load_half::<S, 0>(simd), block.load_half::<S, HALF>(simd));
    let (low, high) = (sides(&a, &b), sides(&c, &d));
    (
        low.0.to_bitmask() | high.0.to_bitmask() << HALF,
        low.1.to_bitmask() | high.1.to_bitmask() << HALF,
    )
}

#[inline(always)]
fn numbers_of<S: Simd>(point: &Point<f64x4<S>>) -> [f32x8<S>; 4] {
    let (a, b) = (&point.on_a, &point.on_b);
    [point.distance.narrow(a.x), a.y.narrow(a.z), b.x.narrow(b.y), b.z.narrow(point.feature)]
}

/// Where a point's numbers begin: distance, place on A, place on B, feature.
const POINTS: [usize; 2] = [0, 8];

/// Where its feature is from there.
const FEATURE: usize = 7;

/// Where the normal begins.
const NORMAL: usize = 16;

/// Rounded answers of a block, a row for each number, and bits of lanes.
#[repr(align(64))]
struct Answers {
    /// Two points, the normal, nothing.
    rows: [[f32; WIDTH]; 20],
    /// The numbers are the answer.
    certain: u64,
    /// There are two points.
    two: u64,
    /// None of the numbers is infinite.
    finite: u64,
    /// The distance is above what it is compared with.
    beyond: u64,
}

impl Answers {
    /// Every pair is left to its room.
    const UNKNOWN: Self =
        Self { rows: [[0.0; WIDTH]; 20], certain: 0, two: 0, finite: 0, beyond: 0 };

    /// Takes the closest points of a block, in place: what a dispatched function returns goes
    /// through memory.
    fn take_closest(&mut self, level: SimdLevel, block: &Block<WIDTH>, most: f32) {
        let _ = lanes!(level, simd => self.closest_in_lanes(simd, block, most));
    }

    /// Takes the points of contact of a block.
    fn take_points(&mut self, level: SimdLevel, block: &Block<WIDTH>) {
        let _ = lanes!(level, simd => self.points_in_lanes(simd, block));
    }

    #[inline(always)]
    fn closest_in_lanes<S: Simd>(&mut self, simd: S, block: &Block<WIDTH>, most: f32) {
        (self.certain, self.finite, self.beyond) = (0, 0, 0);
        self.closest_of_half::<S, 0>(simd, block, most);
        self.closest_of_half::<S, HALF>(simd, block, most);
    }

    #[inline(always)]
    fn closest_of_half<S: Simd, const FIRST: usize>(
        &mut self,
        simd: S,
        block: &Block<WIDTH>,
        most: f32,
    ) {
        let (a, b) = block.load_half::<S, FIRST>(simd);
        let flipped = mask64x4::from_bitmask(simd, block.flipped >> FIRST);
        let found = nearest(&a, &b, flipped);
        let (normal, a, b) = (&found.normal, &found.point_a, &found.point_b);
        let distance = found.distance.narrow(a.x);
        let point = [distance, a.y.narrow(a.z), b.x.narrow(b.y), b.z.narrow(b.z)];
        let normal = [normal.x.narrow(normal.y), normal.z.narrow(normal.z)];
        let sum = self.keep::<S, 4, FIRST>(simd, POINTS[0], point)
            + self.keep::<S, 2, FIRST>(simd, NORMAL, normal);
        self.note::<S, FIRST>(simd, sum);
        let within = distance.simd_le(f32x8::splat(simd, most)).to_bitmask();
        self.beyond |= (!within & 0b1111) << FIRST;
        self.certain |= found.certain.to_bitmask() << FIRST;
    }

    #[inline(always)]
    fn points_in_lanes<S: Simd>(&mut self, simd: S, block: &Block<WIDTH>) {
        (self.certain, self.two, self.finite, self.beyond) = (0, 0, 0, 0);
        self.points_of_half::<S, 0>(simd, block);
        self.points_of_half::<S, HALF>(simd, block);
    }

    #[inline(always)]
    fn points_of_half<S: Simd, const FIRST: usize>(&mut self, simd: S, block: &Block<WIDTH>) {
        let (a, b) = block.load_half::<S, FIRST>(simd);
        let margin = f64x4::splat(simd, block.margin);
        let found = points(&a, &b, margin);
        // Not in a loop over the points, whose numbers would go through memory.
        let normal = [found.normal.x.narrow(found.normal.y), found.normal.z.narrow(found.normal.z)];
        let sum = self.keep::<S, 4, FIRST>(simd, POINTS[0], numbers_of(&found.first))
            + self.keep::<S, 4, FIRST>(simd, POINTS[1], numbers_of(&found.second))
            + self.keep::<S, 2, FIRST>(simd, NORMAL, normal);
        self.note::<S, FIRST>(simd, sum);
        self.certain |= found.certain.to_bitmask() << FIRST;
        self.two |= found.two.to_bitmask() << FIRST;
        self.beyond |= found.first.distance.simd_gt(margin).to_bitmask() << FIRST;
    }

    /// Writes rows of half a block, two at a time; the sum is zero where all of them are finite.
    #[inline(always)]
    fn keep<S: Simd, const N: usize, const FIRST: usize>(
        &mut self,
        simd: S,
        row: usize,
        numbers: [f32x8<S>; N],
    ) -> f32x8<S> {
        let zero = f32x8::splat(simd, 0.0);
        let mut sum = zero;
        for (two, rows) in numbers.into_iter().zip(self.rows[row..].chunks_exact_mut(2)) {
            let (one, other) = two.split();
            one.store_slice(&mut rows[0][FIRST..FIRST + HALF]);
            other.store_slice(&mut rows[1][FIRST..FIRST + HALF]);
            sum += two * zero;
        }
        sum
    }

    /// Notes the lanes whose numbers are finite.
    #[inline(always)]
    fn note<S: Simd, const FIRST: usize>(&mut self, simd: S, sum: f32x8<S>) {
        let finite = sum.simd_eq(f32x8::splat(simd, 0.0)).to_bitmask();
        self.finite |= (finite & finite >> HALF & 0b1111) << FIRST;
    }

    /// Three numbers from a row on.
    #[inline(always)]
    fn vector(&self, lane: usize, row: usize) -> Vec3 {
        let at = |row: usize| self.rows[row][lane % WIDTH];
        Vec3::new(at(row), at(row + 1), at(row + 2))
    }

    #[inline(always)]
    fn closest(&self, lane: usize, flipped: bool) -> Closest {
        let found = Rounded {
            distance: self.rows[0][lane % WIDTH],
            normal: self.vector(lane, NORMAL),
            point_a: self.vector(lane, 1),
            point_b: self.vector(lane, 4),
        };
        found.oriented(flipped).closest()
    }

    /// Makes a lane's manifold in its place, points by feature.
    #[inline(always)]
    fn manifold(&self, lane: usize, flipped: bool, slot: &mut impl Slot) {
        let normal = self.vector(lane, NORMAL);
        let Some(points) = slot.make(if flipped { -normal } else { normal }) else { return };
        if self.two >> lane & 1 == 0 {
            points.push(self.point(lane, flipped, POINTS[0]));
            return;
        }
        let feature = |row: usize| self.rows[row + FEATURE][lane % WIDTH];
        let [one, other] = POINTS;
        let (one, other) = if feature(one) < feature(other) { (one, other) } else { (other, one) };
        points.push(self.point(lane, flipped, one));
        points.push(self.point(lane, flipped, other));
    }

    /// The point whose numbers begin in this row.
    #[inline(always)]
    fn point(&self, lane: usize, flipped: bool, row: usize) -> ContactPoint {
        let (a, b) = (self.vector(lane, row + 1), self.vector(lane, row + 4));
        let (point_a, point_b) = if flipped { (b, a) } else { (a, b) };
        let (distance, feature) = (self.rows[row], self.rows[row + FEATURE]);
        let feature = feature_id(feature[lane % WIDTH].into());
        ContactPoint { point_a, point_b, distance: distance[lane % WIDTH], feature }
    }
}
