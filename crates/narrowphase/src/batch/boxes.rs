//! Two boxes: the axes in sixteen f32 lanes, the frames in eight of f64, the rest one by one.

use fearless_simd::{Simd, prelude::*};
use impinge_shapes::simd::{Bits, SimdLevel};
use impinge_shapes::{Cuboid, Pose};

use super::box_axes::{Axes, WIDE, axes_in_lanes, relation_in_lanes};
use super::gather::{Block, Borrowed, Sixteen, WIDTH, each};
use super::source::{self, Item, Slot, Source};
use crate::lanes::lanes;
use crate::pairs::cuboid_cuboid::lanes::{FRAMES, Settled, Workroom, frames};
use crate::pairs::cuboid_cuboid::side_by_side::{Asked, Eight};
use crate::witness::Room;
use crate::{Closest, Relation, tolerance};

/// Whether the pairs overlap, each answer at its place of `out`.
pub(super) fn overlaps<'a, K: Room<A = Cuboid, B = Cuboid>>(
    source: &(impl Source<'a, K> + ?Sized),
    level: SimdLevel,
    out: &mut [bool],
) {
    for first in (0..source.count()).step_by(WIDE) {
        let Some(pairs) = borrowed(source, first) else { continue };
        let found =
            lanes!(level, simd => relation_in_lanes(simd, &Sixteen::gather(simd, &pairs)));
        let found = found.unwrap_or_default();
        for lane in 0..WIDE.min(source.count() - first) {
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
    let mut bench = Bench {
        room: Eight::EMPTY,
        workroom: Workroom::new(level),
        faces: Queue::EMPTY,
        others: Queue::EMPTY,
        steady: Queue::EMPTY,
    };
    sieve.sort(source, |first, near, axes| {
        let known = near & (axes.apart | axes.deep);
        for lane in Bits(known & axes.plain) {
            bench.faces.add(Known::new(first, lane, axes));
        }
        for lane in Bits(known & !axes.plain) {
            bench.others.add(Known::new(first, lane, axes));
        }
        for lane in Bits(near & !known) {
            if let Some(slot) = out.get_mut(source.place(first + lane)) {
                slot.fill(source::manifold(source, first + lane, margin));
            }
        }
        bench.work(&sieve, source, WIDTH, out);
    });
    bench.work(&sieve, source, 1, out);
}

/// Number of face axes.
const FACES: usize = 6;

/// Faces over faces are put off unless so many of eight pairs have one.
const WORTHWHILE: u32 = 5;

/// Most pairs that wait: those of a block, and too few to be worked on before.
const WAITING: usize = 32;

/// Pairs that wait until there are as many as lanes.
struct Queue {
    known: [Known; WAITING],
    count: usize,
}

impl Queue {
    const EMPTY: Self = Self { known: [Known::NOTHING; WAITING], count: 0 };

    #[inline(always)]
    fn add(&mut self, known: Known) {
        self.known[self.count % WAITING] = known;
        self.count += 1;
    }

    /// Takes as many as lanes, or all; how many that are comes first.
    #[inline(always)]
    fn take(&mut self) -> (usize, [Known; WIDTH]) {
        let count = self.count.min(WIDTH);
        self.count -= count;
        let first = self.count;
        (count, each!([0, 1, 2, 3, 4, 5, 6, 7_usize], lane => {
            self.known[(first + lane.min(count.max(1) - 1)) % WAITING]
        }))
    }
}

/// Where manifolds are made.
struct Bench {
    room: Eight,
    workroom: Workroom,
    /// Pairs whose best axis is surely a face's.
    faces: Queue,
    others: Queue,
    /// Pairs whose best axis is an edge axis along which a face nearly looks.
    steady: Queue,
}

impl Bench {
    /// Works off the queues, until fewer than `least` pairs are left in each.
    #[inline(always)]
    fn work<'a, K: Room<A = Cuboid, B = Cuboid>>(
        &mut self,
        sieve: &Sieve,
        source: &(impl Source<'a, K> + ?Sized),
        least: usize,
        out: &mut [impl Slot],
    ) {
        loop {
            let (queue, worthwhile) = if self.others.count >= least {
                (&mut self.others, WORTHWHILE)
            } else if self.faces.count >= least {
                (&mut self.faces, 1)
            } else if self.steady.count >= least {
                (&mut self.steady, 1)
            } else {
                return;
            };
            let (count, known) = queue.take();
            self.finish(sieve, source, (count, &known), worthwhile, out);
            for lane in Bits(self.room.put_off) {
                let known = known[lane % WIDTH];
                if self.room.is_by_edges(lane) {
                    self.steady.add(known);
                } else {
                    // No edge has won, so that the best face is the best axis.
                    self.faces.add(Known { candidates: (0, false), ..known });
                }
            }
        }
    }

    /// Writes the manifolds of a queue's pairs.
    #[inline(always)]
    fn finish<'a, K: Room<A = Cuboid, B = Cuboid>>(
        &mut self,
        sieve: &Sieve,
        source: &(impl Source<'a, K> + ?Sized),
        (count, known): (usize, &[Known; WIDTH]),
        worthwhile: u32,
        out: &mut [impl Slot],
    ) {
        self.room.put_off = 0;
        let Some(Item { pair, .. }) = source.item(known[0].index) else { return };
        let mut pairs = Borrowed::<WIDTH>::all(&pair);
        for (lane, known) in known.iter().enumerate().take(count).skip(1) {
            let Some(Item { pair, .. }) = source.item(known.index) else { return };
            pairs.set(lane, &pair);
        }
        let mut asked = Asked {
            used: (1 << count) - 1,
            apart: 0,
            edges: 0,
            slanted: false,
            preference: sieve.preference,
            margin: sieve.margin,
            worthwhile,
        };
        for (lane, known) in known.iter().enumerate().take(count) {
            let (axes, slanted) = known.candidates;
            asked.apart |= u64::from(known.apart) << lane;
            asked.edges |= axes >> FACES;
            asked.slanted |= slanted;
        }
        let room = &mut self.room;
        lanes!(sieve.level, simd => {
            let (a, b) = pairs.load(simd);
            room.fill(simd, (&a, &b), &asked);
        });
        for lane in Bits(self.room.met) {
            let lane = lane % WIDTH;
            let Some(slot) = out.get_mut(source.place(known[lane].index)) else { continue };
            let (normal, count) = self.room.normal(lane);
            let Some(points) = slot.make(normal) else { continue };
            for k in 0..count {
                points.push(self.room.point(k, lane));
            }
        }
        for lane in Bits(self.room.crossed()) {
            let Some(slot) = out.get_mut(source.place(known[lane % WIDTH].index)) else { continue };
            let (normal, point) = self.room.crossing(lane);
            let Some(points) = slot.make(normal) else { continue };
            points.push(point);
        }
        for lane in Bits(self.room.open) {
            let (lane, known) = (lane % WIDTH, known[lane % WIDTH]);
            let Some(slot) = out.get_mut(source.place(known.index)) else { continue };
            let place = |cuboid: &Cuboid, pose: &Pose| {
                (pose.translation(), cuboid.half_extents().as_dvec3().to_array())
            };
            let a = place(pairs.a[lane], pairs.pose_a[lane]);
            let b = place(pairs.b[lane], pairs.pose_b[lane]);
            let frames = (&self.room.rows, lane);
            let settled = match self.room.best(lane) {
                Some(best) => Settled::along(a, b, known.relation(), frames, best),
                None => {
                    let preference = sieve.preference;
                    Settled::new(a, b, known.relation(), frames, known.candidates, preference)
                }
            };
            settled.manifold(sieve.margin, &mut self.workroom, |normal| slot.make(normal));
        }
    }
}

/// The pairs from `first` on; that one stands in the places without a pair, too.
#[inline(always)]
fn borrowed<'a, K: Room<A = Cuboid, B = Cuboid>>(
    source: &(impl Source<'a, K> + ?Sized),
    first: usize,
) -> Option<Borrowed<'a, WIDE>> {
    let mut pairs = Borrowed::all(&source.item(first)?.pair);
    for place in 1..WIDE.min(source.count() - first) {
        pairs.set(place, &source.item(first + place)?.pair);
    }
    Some(pairs)
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
#[derive(Clone, Copy)]
struct Known {
    index: usize,
    apart: bool,
    /// See [`Axes::candidates`].
    candidates: (u64, bool),
}

impl Known {
    const NOTHING: Self = Self { index: 0, apart: false, candidates: (0, false) };

    #[inline(always)]
    fn new(first: usize, lane: usize, axes: &Axes) -> Self {
        let apart = axes.apart >> lane & 1 == 1;
        Self { index: first + lane, apart, candidates: axes.candidates(lane) }
    }

    fn relation(&self) -> Relation {
        if self.apart { Relation::Apart } else { Relation::Penetrating }
    }
}

/// As many pairs that are worth it as there are f64 lanes.
struct Group {
    known: [Known; WIDTH],
    count: usize,
    block: Block<WIDTH>,
}

impl Sieve {
    /// Calls `sort` for each block of lanes with the place of its first pair, bits of those that are
    /// not surely farther apart than the margin, and what is known about the axes.
    #[inline(always)]
    fn sort<'a, K: Room<A = Cuboid, B = Cuboid>>(
        &self,
        source: &(impl Source<'a, K> + ?Sized),
        mut sort: impl FnMut(usize, u64, &Axes),
    ) {
        for first in (0..source.count()).step_by(WIDE) {
            let Some(pairs) = borrowed(source, first) else { continue };
            let axes = lanes!(self.level, simd => {
                axes_in_lanes(simd, &Sixteen::gather(simd, &pairs), self.preference, self.margin)
            });
            let axes = axes.unwrap_or(Axes::NOTHING);
            let beyond = if self.margin > 0.0 { axes.beyond } else { axes.apart };
            let used = (1 << WIDE.min(source.count() - first)) - 1;
            sort(first, used & !beyond, &axes);
        }
    }

    /// Calls `finish` for each pair that is not surely farther apart than the margin: with what is
    /// settled about it, or with nothing where the lanes leave it open.
    fn run<'a, K: Room<A = Cuboid, B = Cuboid>>(
        &self,
        source: &(impl Source<'a, K> + ?Sized),
        mut finish: impl FnMut(usize, Option<&Settled>),
    ) {
        let mut group = Group { known: [Known::NOTHING; WIDTH], count: 0, block: Block::EMPTY };
        self.sort(source, |first, near, axes| {
            for lane in Bits(near) {
                if (axes.apart | axes.deep) >> lane & 1 == 0 {
                    finish(first + lane, None);
                    continue;
                }
                let Some(Item { pair, .. }) = source.item(first + lane) else { continue };
                group.block.set(group.count, &pair);
                group.known[group.count % WIDTH] = Known::new(first, lane, axes);
                group.count += 1;
                if group.count == WIDTH {
                    self.settle(&mut group, &mut finish);
                }
            }
        });
        self.settle(&mut group, &mut finish);
    }

    /// Settles the pairs of a group, which is empty again then.
    fn settle(&self, group: &mut Group, mut finish: impl FnMut(usize, Option<&Settled>)) {
        let mut rows = [[0.0; WIDTH]; FRAMES];
        // Pairs are known only on a level that has these lanes, too.
        lanes!(self.level, simd => frames_in_lanes(simd, &group.block, &mut rows));
        for (lane, known) in group.known.iter().enumerate().take(group.count) {
            let (a, b) = (group.block.a.place(lane), group.block.b.place(lane));
            let frames = (&rows, lane);
            let settled = Settled::new(a, b, known.relation(), frames, known.candidates, self.preference);
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
