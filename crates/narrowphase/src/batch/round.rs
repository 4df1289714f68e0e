//! Kinds of pairs that meet in one place, eight pairs at a time.
//!
//! All of a batch's loop runs in the lanes: shapes go from memory into registers, and answers back.

use std::hint::select_unpredictable;

use fearless_simd::{Simd, f32x16, f64x8, mask64x8, prelude::*};
use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::{Bits, SimdLevel};

use super::gather::Eight;
use super::source::{self, Source};
use super::two::Two;
use crate::Closest;
use crate::lanes::lanes;
use crate::real::Real3;
use crate::slot::{Slot, Slots};
use crate::turn::{WIDTH, is_wide, turn_back};
use crate::witness::{Round, Rounded, Witness, feature_id};

/// Whether the pairs overlap, each answer at its place of `out`.
pub(super) fn overlaps<'a, K: Round>(
    source: &(impl Source<'a, K> + ?Sized),
    level: SimdLevel,
    out: &mut [bool],
) {
    let done = lanes!(level, simd => overlaps_in_lanes::<_, K>(simd, source, out));
    if done.is_none() {
        for index in 0..source.count() {
            if let Some(slot) = out.get_mut(source.place(index)) {
                *slot = source::overlaps(source, index);
            }
        }
    }
}

#[inline(always)]
fn overlaps_in_lanes<'a, S: Simd, K: Round>(
    simd: S,
    source: &(impl Source<'a, K> + ?Sized),
    out: &mut [bool],
) {
    for first in (0..source.count()).step_by(WIDTH) {
        let (mut certain, mut deep) = (0, 0);
        if let Some(Eight { a, b, .. }) = Eight::gather(simd, source, first, false) {
            let found = K::sides(&a, &b);
            (certain, deep) = (found.certain.to_bitmask(), found.overlaps().to_bitmask());
        }
        if certain == ALL
            && let Some(slots) = source.slots(first, out)
        {
            let [deep, ..] = deep.to_le_bytes();
            *slots = BOOLS[usize::from(deep)];
            continue;
        }
        for lane in 0..WIDTH.min(source.count() - first) {
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
pub(super) fn distances<'a, K: Round>(
    source: &(impl Source<'a, K> + ?Sized),
    level: SimdLevel,
    out: &mut [f32],
) {
    let done = lanes!(level, simd => distances_in_lanes::<_, K>(simd, source, out));
    if done.is_none() {
        for index in 0..source.count() {
            if let Some(slot) = out.get_mut(source.place(index)) {
                *slot = source::distance(source, index);
            }
        }
    }
}

#[inline(always)]
fn distances_in_lanes<'a, S: Simd, K: Round>(
    simd: S,
    source: &(impl Source<'a, K> + ?Sized),
    out: &mut [f32],
) {
    let none = f64x8::splat(simd, 0.0);
    for first in (0..source.count()).step_by(WIDTH) {
        let (mut certain, mut lanes) = (0, [0.0; 2 * WIDTH]);
        if let Some(Eight { a, b, .. }) = Eight::gather(simd, source, first, false) {
            let found = K::witness(&a, &b);
            let distance = found.distance.narrow(none);
            let finite = distance.simd_lt(f32x16::splat(simd, f32::INFINITY)).to_bitmask();
            certain = found.certain.to_bitmask() & finite;
            lanes = distance.into();
        }
        if certain == ALL
            && let Some(slots) = source.slots(first, out)
        {
            for (slot, distance) in slots.iter_mut().zip(lanes) {
                *slot = distance.max(0.0);
            }
            continue;
        }
        for (lane, &distance) in lanes[..WIDTH.min(source.count() - first)].iter().enumerate() {
            let answer = if certain >> lane & 1 == 1 {
                distance.max(0.0)
            } else {
                source::distance(source, first + lane)
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
    let most = max_distance;
    let mut nowhere = None;
    let kept = &mut nowhere;
    let done = lanes!(level, simd => closest_in_lanes::<_, K>(simd, source, most, out, kept));
    if done.is_none() {
        for index in 0..source.count() {
            if let Some(slot) = out.get_mut(source.place(index)) {
                *slot = source::closest(source, index, max_distance);
            }
        }
    }
}

/// `nowhere` is what is struck out where an answer stays; it comes from outside, because the compiler
/// makes a branch again of a choice between places that it knows.
#[inline(always)]
fn closest_in_lanes<'a, S: Simd, K: Round>(
    simd: S,
    source: &(impl Source<'a, K> + ?Sized),
    max_distance: f32,
    out: &mut [Option<Closest>],
    nowhere: &mut Option<Closest>,
) {
    let none = f64x8::splat(simd, 0.0);
    let mut first = 0;
    if is_wide::<S>() && K::IN_TWOS[usize::from(source.is_picked())] {
        let [mut here, mut there] = [Answers::UNKNOWN; 2];
        while first + WIDTH < source.count() {
            let one = Eight::gather(simd, source, first, true);
            let other = Eight::gather(simd, source, first + WIDTH, true);
            let (Some(one), Some(other)) = (one, other) else { break };
            let (a, b) = (Two::placed(&one.a, &other.a), Two::placed(&one.b, &other.b));
            let [witness, next] = K::witness(&a, &b).parted();
            here.fill(simd, &oriented(simd, witness, one.flipped), none, max_distance);
            there.fill(simd, &oriented(simd, next, other.flipped), none, max_distance);
            put_closest(source, first, &here, max_distance, out, nowhere);
            put_closest(source, first + WIDTH, &there, max_distance, out, nowhere);
            first += 2 * WIDTH;
        }
    }
    let mut found = Answers::UNKNOWN;
    while first < source.count() {
        found.certain = 0;
        if let Some(Eight { a, b, flipped }) = Eight::gather(simd, source, first, true) {
            found.fill(simd, &oriented(simd, K::witness(&a, &b), flipped), none, max_distance);
        }
        put_closest(source, first, &found, max_distance, out, nowhere);
        first += WIDTH;
    }
}

/// Writes the answers of the block that begins at `first`.
#[inline(always)]
fn put_closest<'a, K: Round>(
    source: &(impl Source<'a, K> + ?Sized),
    first: usize,
    found: &Answers,
    max_distance: f32,
    out: &mut [Option<Closest>],
    nowhere: &mut Option<Closest>,
) {
    let used = WIDTH.min(source.count() - first);
    let certain = found.certain & found.finite;
    if certain == ALL && used == WIDTH && found.within != 0 {
        // No branch for those beyond, which nothing could guess: their answers are written,
        // too, and struck out again.
        let within = |lane: usize| found.within >> lane & 1 == 1;
        if let Some(slots) = source.slots(first, out) {
            for (lane, slot) in slots.iter_mut().enumerate() {
                *slot = Some(found.get(lane).closest());
                *select_unpredictable(within(lane), &mut *nowhere, slot) = None;
            }
            return;
        }
        for lane in 0..WIDTH {
            if let Some(slot) = out.get_mut(source.place(first + lane)) {
                *slot = Some(found.get(lane).closest());
                *select_unpredictable(within(lane), &mut *nowhere, slot) = None;
            }
        }
        return;
    }
    for lane in 0..used {
        if let Some(slot) = out.get_mut(source.place(first + lane)) {
            *slot = None;
        }
    }
    for lane in Bits(ALL >> (WIDTH - used) & found.within & certain) {
        if let Some(slot) = out.get_mut(source.place(first + lane)) {
            *slot = Some(found.get(lane).closest());
        }
    }
    for lane in Bits(ALL >> (WIDTH - used) & !certain) {
        if let Some(slot) = out.get_mut(source.place(first + lane)) {
            *slot = source::closest(source, first + lane, max_distance);
        }
    }
}

/// Manifolds of the pairs, each at its place of `out`; `margin` is not negative.
pub(super) fn manifolds<'a, K: Round>(
    source: &(impl Source<'a, K> + ?Sized),
    margin: f32,
    level: SimdLevel,
    out: &mut (impl Slots + ?Sized),
) {
    let done = lanes!(level, simd => manifolds_in_lanes::<_, K>(simd, source, margin, out));
    if done.is_none() {
        for index in 0..source.count() {
            if let Some(mut slot) = out.slot(source.place(index)) {
                slot.fill(source::manifold(source, index, margin));
            }
        }
    }
}

#[inline(always)]
fn manifolds_in_lanes<'a, S: Simd, K: Round>(
    simd: S,
    source: &(impl Source<'a, K> + ?Sized),
    margin: f32,
    out: &mut (impl Slots + ?Sized),
) {
    let mut found = Answers::UNKNOWN;
    let wide = f64x8::splat(simd, margin.into());
    for first in (0..source.count()).step_by(WIDTH) {
        let used = ALL >> (WIDTH - WIDTH.min(source.count() - first));
        (found.certain, found.beyond) = (0, 0);
        if let Some(Eight { a, b, flipped }) = Eight::gather(simd, source, first, true) {
            let witness = oriented(simd, K::witness(&a, &b), flipped);
            found.beyond = witness.distance.simd_gt(wide).to_bitmask();
            found.fill(simd, &witness, witness.feature, margin);
        }
        let certain = found.certain & found.single & found.finite;
        // Where the distance is certain, one beyond the margin needs no more.
        for lane in Bits(used & !(found.certain & found.beyond)) {
            let Some(mut slot) = out.slot(source.place(first + lane)) else { continue };
            if certain >> lane & 1 == 0 {
                slot.fill(source::manifold(source, first + lane, margin));
            } else {
                let feature = feature_id(found.parts[2][lane % WIDTH][2].into());
                found.get(lane).put_manifold(feature, &mut slot);
            }
        }
    }
}

/// [`Rounded::oriented`] in lanes.
#[inline(always)]
fn oriented<S: Simd>(simd: S, mut found: Witness<f64x8<S>>, flipped: u64) -> Witness<f64x8<S>> {
    if flipped != 0 {
        let flipped = mask64x8::from_bitmask(simd, flipped);
        let (normal, a, b) = (found.normal, found.point_a, found.point_b);
        found.normal = Real3::pick(flipped, -normal, normal);
        found.point_a = Real3::pick(flipped, b, a);
        found.point_b = Real3::pick(flipped, a, b);
    }
    found
}

/// The bits of each byte.
const BOOLS: [[bool; WIDTH]; 1 << WIDTH] = {
    let mut bools = [[false; WIDTH]; 1 << WIDTH];
    let mut at = 0;
    while at < WIDTH << WIDTH {
        bools[at / WIDTH][at % WIDTH] = (at / WIDTH) >> (at % WIDTH) & 1 == 1;
        at += 1;
    }
    bools
};

/// Bits of all lanes.
const ALL: u64 = (1 << WIDTH) - 1;

/// Rounded witnesses of a block, pair by pair, and bits of lanes.
#[repr(align(64))]
struct Answers {
    /// Distance and normal; point of A and the first number of B's; the others, the feature, and
    /// nothing.
    parts: [[[f32; 4]; WIDTH]; 3],
    /// The numbers are the answer.
    certain: u64,
    /// They are also the only contact point.
    single: u64,
    /// None of them is infinite.
    finite: u64,
    /// The distance is above the margin.
    beyond: u64,
    /// The rounded distance is at most what it is compared with.
    within: u64,
}

impl Answers {
    /// Every pair is left to its room.
    const UNKNOWN: Self = Self {
        parts: [[[0.0; 4]; WIDTH]; 3],
        certain: 0,
        single: 0,
        finite: 0,
        beyond: 0,
        within: 0,
    };

    /// Takes the answers of a block.
    #[inline(always)]
    fn fill<S: Simd>(&mut self, simd: S, found: &Witness<f64x8<S>>, feature: f64x8<S>, most: f32) {
        let (normal, a, b) = (&found.normal, &found.point_a, &found.point_b);
        let distance = found.distance.narrow(normal.x);
        let (normal, first) = (normal.y.narrow(normal.z), a.x.narrow(a.y));
        let (second, third) = (a.z.narrow(b.x), b.y.narrow(b.z));
        let last = feature.narrow(f64x8::splat(simd, 0.0));
        let within = distance.simd_le(f32x16::splat(simd, most)).to_bitmask();
        // Finite, unless one of the numbers is infinite or none, or they are so large that they
        // are left to their rooms as well.
        let sum = (distance + normal) + (first + second) + third;
        let finite = sum.abs().simd_lt(f32x16::splat(simd, f32::INFINITY)).to_bitmask();
        let [one, two, three] = &mut self.parts;
        turn_back(distance, normal, one);
        turn_back(first, second, two);
        turn_back(third, last, three);
        self.certain = found.certain.to_bitmask();
        self.single = found.single.to_bitmask();
        self.finite = finite & finite >> WIDTH;
        self.within = within & ALL;
    }

    #[inline(always)]
    fn get(&self, lane: usize) -> Rounded {
        let [one, two, three] = &self.parts;
        let [distance, x, y, z] = one[lane % WIDTH];
        let [i, j, k, u] = two[lane % WIDTH];
        let [v, w, ..] = three[lane % WIDTH];
        Rounded {
            distance,
            normal: Vec3::new(x, y, z),
            point_a: Vec3::new(i, j, k),
            point_b: Vec3::new(u, v, w),
        }
    }
}
