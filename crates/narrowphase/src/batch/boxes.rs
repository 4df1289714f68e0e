//! Two boxes: the axes in sixteen f32 lanes, the frames in eight of f64, the rest one by one.

use fearless_simd::{Simd, prelude::*};
use impinge_shapes::Cuboid;
use impinge_shapes::simd::{Bits, SimdLevel};

use super::box_axes::{Axes, WIDE, axes_in_lanes, relation_in_lanes};
use super::gather::{Block, WIDTH};
use super::source::{self, Item, Slot, Source};
use crate::lanes::lanes;
use crate::pairs::cuboid_cuboid::lanes::{FRAMES, Settled, Workroom, frames};
use crate::witness::Room;
use crate::{Closest, Relation, tolerance};

/// Whether the pairs overlap, each answer at its place of `out`.
pub(super) fn overlaps<'a, K: Room<A = Cuboid, B = Cuboid>>(
    source: &(impl Source<'a, K> + ?Sized),
    level: SimdLevel,
    out: &mut [bool],
) {
    let mut block = Block::<WIDE>::EMPTY;
    for first in (0..source.count()).step_by(WIDE) {
        block.gather(source, first);
        let found = lanes!(level, simd => relation_in_lanes(simd, &block)).unwrap_or_default();
        for lane in Bits(block.used) {
            let known = (found.apart | found.deep) >> lane & 1 == 1;
            let Some(slot) = out.get_mut(source.place(first + lane)) else { continue };
            *slot = if known {
                found.deep >> lane & 1 == 1
            } else {
                source::overlaps(source, first + lane)
            };
        }
    }
}

/// Closest points of the pairs, each answer at its place of `out`.
pub(super) fn closest<'a, K: Room<A = Cuboid, B = Cuboid>>(
    source: &(impl Source<'a, K> + ?Sized),
    max_distance: f32,
    level: SimdLevel,
    out: &mut [Option<Closest>],
) {
    let sieve = Sieve { level, preference: 0.0, margin: max_distance.into() };
    let mut workroom = Workroom::new(level);
    sieve.run(source, |index, settled| {
        let Some(slot) = out.get_mut(source.place(index)) else { return };
        *slot = match settled {
            Some(settled) => {
                let answer = settled.closest(&mut workroom);
                (answer.distance <= max_distance).then_some(answer)
            }
            None => source::closest(source, index, max_distance),
        };
    });
}

/// Manifolds of the pairs, each at its place of `out`; `margin` is not negative.
pub(super) fn manifolds<'a, K: Room<A = Cuboid, B = Cuboid>>(
    source: &(impl Source<'a, K> + ?Sized),
    margin: f32,
    level: SimdLevel,
    out: &mut [impl Slot],
) {
    let preference = tolerance::FACE_PREFERENCE;
    let sieve = Sieve { level, preference, margin: margin.into() };
    let mut workroom = Workroom::new(level);
    sieve.run(source, |index, settled| {
        let Some(slot) = out.get_mut(source.place(index)) else { return };
        match settled {
            Some(settled) => {
                settled.manifold(margin.into(), &mut workroom, |normal| slot.make(normal));
            }
            None => slot.fill(source::manifold(source, index, margin)),
        }
    });
}

/// Sorts out the pairs that are worth a closer look, and prepares them.
struct Sieve {
    level: SimdLevel,
    /// Share of its depth by which an edge must beat the best face.
    preference: f64,
    /// Pairs farther apart are left out.
    margin: f64,
}

/// A pair that is worth it.
#[derive(Clone, Copy, Default)]
struct Known {
    index: usize,
    apart: bool,
    /// See [`Axes::candidates`].
    candidates: (u64, bool),
}

/// As many pairs that are worth it as there are f64 lanes.
struct Group {
    known: [Known; WIDTH],
    count: usize,
    block: Block<WIDTH>,
}

impl Sieve {
    /// Calls `finish` for each pair that is not surely farther apart than the margin: with what is
    /// settled about it, or with nothing where the lanes leave it open.
    fn run<'a, K: Room<A = Cuboid, B = Cuboid>>(
        &self,
        source: &(impl Source<'a, K> + ?Sized),
        mut finish: impl FnMut(usize, Option<&Settled>),
    ) {
        let mut block = Block::<WIDE>::EMPTY;
        block.margin = self.margin;
        let mut group = Group { known: [Known::default(); WIDTH], count: 0, block: Block::EMPTY };
        for first in (0..source.count()).step_by(WIDE) {
            block.gather(source, first);
            let axes = lanes!(self.level, simd => axes_in_lanes(simd, &block, self.preference));
            let axes = axes.unwrap_or(Axes::NOTHING);
            let beyond = if self.margin > 0.0 { axes.beyond } else { axes.apart };
            for lane in Bits(block.used & !beyond) {
                let (index, apart) = (first + lane, axes.apart >> lane & 1 == 1);
                if !apart && axes.deep >> lane & 1 == 0 {
                    finish(index, None);
                    continue;
                }
                let Some(Item { pair, .. }) = source.item(index) else { continue };
                group.block.set(group.count, &pair);
                group.known[group.count % WIDTH] =
                    Known { index, apart, candidates: axes.candidates(lane) };
                group.count += 1;
                if group.count == WIDTH {
                    self.settle(&mut group, &mut finish);
                }
            }
        }
        self.settle(&mut group, &mut finish);
    }

    /// Settles the pairs of a group, which is empty again then.
    fn settle(&self, group: &mut Group, mut finish: impl FnMut(usize, Option<&Settled>)) {
        let mut rows = [[0.0; WIDTH]; FRAMES];
        // Pairs are known only on a level that has these lanes, too.
        lanes!(self.level, simd => frames_in_lanes(simd, &group.block, &mut rows));
        for (lane, known) in group.known.iter().enumerate().take(group.count) {
            let relation = if known.apart { Relation::Apart } else { Relation::Penetrating };
            let (a, b) = (group.block.a.place(lane), group.block.b.place(lane));
            let frames = (&rows, lane);
            let settled = Settled::new(a, b, relation, frames, known.candidates, self.preference);
            finish(known.index, Some(&settled));
        }
        group.count = 0;
    }
}

#[inline(always)]
fn frames_in_lanes<S: Simd>(simd: S, block: &Block<WIDTH>, rows: &mut [[f64; WIDTH]; FRAMES]) {
    let (a, b) = block.load(simd);
    for (row, numbers) in rows.iter_mut().zip(frames(&a, &b)) {
        numbers.store_slice(row);
    }
}
