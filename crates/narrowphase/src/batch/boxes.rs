//! Two boxes: the axes in sixteen f32 lanes, what meets along them in eight of f64, and one by one
//! only what these leave open.

use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::{Bits, SimdLevel};
use impinge_shapes::{Cuboid, Pose};
use smallvec::SmallVec;

use super::box_axes::{Axes, Known as Relations, axes_in_lanes, relation_in_lanes};
use super::gather::{Borrowed, Sixteen};
use super::source::{self, Item, Source};
use crate::lanes::lanes;
use crate::pairs::cuboid_cuboid::lanes::{Settled, Workroom};
use crate::pairs::cuboid_cuboid::side_by_side::{Asked, Eight};
use crate::sixteen::WIDE;
use crate::slot::{Slot, Slots};
use crate::turn::{WIDTH, each};
use crate::witness::Room;
use crate::{Closest, ContactPoint, Relation, tolerance};

/// Whether the pairs overlap, each answer at its place of `out`.
pub(super) fn overlaps<'a, K: Room<A = Cuboid, B = Cuboid>>(
    source: &(impl Source<'a, K> + ?Sized),
    level: SimdLevel,
    out: &mut [bool],
) {
    for first in (0..source.count()).step_by(WIDE) {
        let beside = !source.is_picked() && first + WIDE <= source.count();
        let found = if beside {
            lanes!(level, simd => match source.sixteen(simd, first) {
                Some(pairs) => relation_in_lanes(simd, &pairs),
                None => Relations::default(),
            })
        } else {
            let Some(Item { pair, .. }) = source.item(first) else { continue };
            let mut pairs = Borrowed::all(&pair);
            take(&mut pairs, source, first);
            relations_of(level, &pairs)
        };
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

/// Distances of the pairs, zero where they overlap, each answer at its place of `out`.
pub(super) fn distances<'a, K: Room<A = Cuboid, B = Cuboid>>(
    source: &(impl Source<'a, K> + ?Sized),
    level: SimdLevel,
    out: &mut [f32],
) {
    source::distances_of(source, out, |nearest| closest(source, f32::INFINITY, level, nearest));
}

/// Closest points of the pairs, each answer at its place of `out`, which holds none yet.
pub(super) fn closest<'a, K: Room<A = Cuboid, B = Cuboid>>(
    source: &(impl Source<'a, K> + ?Sized),
    max_distance: f32,
    level: SimdLevel,
    out: &mut [Option<Closest>],
) {
    let sieve = Sieve { level, preference: 0.0, margin: max_distance.into(), closest: true };
    source::clear(source, out);
    Bench::new(level).run(&sieve, source, &mut ClosestOf { out, max_distance });
}

/// Manifolds of the pairs, each at its place of `out`; `margin` is not negative.
pub(super) fn manifolds<'a, K: Room<A = Cuboid, B = Cuboid>>(
    source: &(impl Source<'a, K> + ?Sized),
    margin: f32,
    level: SimdLevel,
    out: &mut (impl Slots + ?Sized),
) {
    let preference = tolerance::FACE_PREFERENCE;
    let sieve = Sieve { level, preference, margin: margin.into(), closest: false };
    Bench::new(level).run(&sieve, source, &mut ManifoldsOf { out, margin });
}

/// Where answers go.
trait Answers {
    /// That of a pair that meets by a face over a face, in a lane of the room.
    fn meet(&mut self, place: usize, room: &Eight, lane: usize);

    /// That of a pair with one point on each box, in a lane of the room: it meets by an edge across
    /// an edge, or is apart.
    fn cross(&mut self, place: usize, room: &Eight, lane: usize);

    /// That of a pair whose best axis is known.
    fn settle(&mut self, place: usize, settled: &Settled, workroom: &mut Workroom);

    /// That of a pair of which nothing is known, at this index of its source.
    fn ask<'a, K: Room<A = Cuboid, B = Cuboid>>(
        &mut self,
        source: &(impl Source<'a, K> + ?Sized),
        index: usize,
    );
}

struct ManifoldsOf<'o, O: ?Sized> {
    out: &'o mut O,
    margin: f32,
}

impl<O: Slots + ?Sized> Answers for ManifoldsOf<'_, O> {
    #[inline(always)]
    fn meet(&mut self, place: usize, room: &Eight, lane: usize) {
        let (normal, count) = room.normal(lane);
        let Some(mut slot) = self.out.slot(place) else { return };
        if let Some(points) = slot.make(normal) {
            let [first, second] = [room.point(0, lane), room.point(1, lane)];
            let [third, fourth] = [room.point(2, lane), room.point(3, lane)];
            // How many they are is no branch, which would have to be guessed.
            *points = SmallVec::from_buf_and_len([first, second, third, fourth], count.min(4));
        }
    }

    #[inline(always)]
    fn cross(&mut self, place: usize, room: &Eight, lane: usize) {
        let (normal, point) = room.crossing(lane);
        let Some(mut slot) = self.out.slot(place) else { return };
        if let Some(points) = slot.make(normal) {
            points.push(point);
        }
    }

    fn settle(&mut self, place: usize, settled: &Settled, workroom: &mut Workroom) {
        if let Some(mut slot) = self.out.slot(place) {
            settled.manifold(self.margin.into(), workroom, |normal| slot.make(normal));
        }
    }

    fn ask<'a, K: Room<A = Cuboid, B = Cuboid>>(
        &mut self,
        source: &(impl Source<'a, K> + ?Sized),
        index: usize,
    ) {
        if let Some(mut slot) = self.out.slot(source.place(index)) {
            slot.fill(source::manifold(source, index, self.margin));
        }
    }
}

struct ClosestOf<'o> {
    out: &'o mut [Option<Closest>],
    max_distance: f32,
}

impl ClosestOf<'_> {
    #[inline(always)]
    fn put(&mut self, place: usize, normal: Vec3, point: &ContactPoint) {
        let &ContactPoint { point_a, point_b, distance, .. } = point;
        if let Some(slot) = self.out.get_mut(place)
            && distance <= self.max_distance
        {
            *slot = Some(Closest { distance, normal, point_a, point_b, part_a: 0, part_b: 0 });
        }
    }
}

impl Answers for ClosestOf<'_> {
    #[inline(always)]
    fn meet(&mut self, place: usize, room: &Eight, lane: usize) {
        let (normal, _) = room.normal(lane);
        self.put(place, normal, &room.point(0, lane));
    }

    #[inline(always)]
    fn cross(&mut self, place: usize, room: &Eight, lane: usize) {
        let (normal, point) = room.crossing(lane);
        self.put(place, normal, &point);
    }

    fn settle(&mut self, place: usize, settled: &Settled, workroom: &mut Workroom) {
        let answer = settled.closest(workroom);
        if let Some(slot) = self.out.get_mut(place)
            && answer.distance <= self.max_distance
        {
            *slot = Some(answer);
        }
    }

    fn ask<'a, K: Room<A = Cuboid, B = Cuboid>>(
        &mut self,
        source: &(impl Source<'a, K> + ?Sized),
        index: usize,
    ) {
        if let Some(slot) = self.out.get_mut(source.place(index)) {
            *slot = source::closest(source, index, self.max_distance);
        }
    }
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
        (
            count,
            each!([0, 1, 2, 3, 4, 5, 6, 7_usize], lane => {
                self.known[(first + lane.min(count.max(1) - 1)) % WAITING]
            }),
        )
    }
}

/// Where answers are made.
struct Bench {
    room: Eight,
    workroom: Workroom,
    /// Pairs whose best axis may be an edge's, and those where it is surely a face's.
    near: [Queue; 2],
    /// Pairs whose best axis is an edge axis along which a face nearly looks.
    steady: Queue,
    /// As `near`, of pairs that are apart and whose closest points are wanted.
    parted: [Queue; 2],
}

impl Bench {
    fn new(level: SimdLevel) -> Self {
        Self {
            room: Eight::EMPTY,
            workroom: Workroom::new(level),
            near: [Queue::EMPTY, Queue::EMPTY],
            steady: Queue::EMPTY,
            parted: [Queue::EMPTY, Queue::EMPTY],
        }
    }

    /// Answers for all pairs.
    #[inline(always)]
    fn run<'a, K: Room<A = Cuboid, B = Cuboid>>(
        &mut self,
        sieve: &Sieve,
        source: &(impl Source<'a, K> + ?Sized),
        answers: &mut impl Answers,
    ) {
        for first in (0..source.count()).step_by(WIDE) {
            let beside = !source.is_picked() && first + WIDE <= source.count();
            let axes = if beside {
                lanes!(sieve.level, simd => match source.sixteen(simd, first) {
                    Some(pairs) => axes_in_lanes(simd, &pairs, sieve.preference, sieve.margin),
                    None => Axes::NOTHING,
                })
            } else {
                let Some(Item { pair, .. }) = source.item(first) else { continue };
                let mut pairs = Borrowed::all(&pair);
                take(&mut pairs, source, first);
                axes_of(sieve, &pairs)
            };
            let axes = axes.unwrap_or(Axes::NOTHING);
            let beyond = if sieve.margin > 0.0 { axes.beyond } else { axes.apart };
            let near = ((1 << WIDE.min(source.count() - first)) - 1) & !beyond;
            let mut known = near & (axes.apart | axes.deep);
            let open = near & !known;
            if sieve.closest {
                for lane in Bits(near & axes.apart) {
                    let is_plain = axes.plain >> lane & 1;
                    self.parted[is_plain as usize].add(Known::new(first, lane, &axes));
                }
                known &= !axes.apart;
            }
            for lane in Bits(known) {
                let is_plain = axes.plain >> lane & 1;
                self.near[is_plain as usize].add(Known::new(first, lane, &axes));
            }
            for lane in Bits(open) {
                answers.ask(source, first + lane);
            }
            self.work(sieve, source, WIDTH, answers);
        }
        self.work(sieve, source, 1, answers);
    }

    /// Works off the queues, until fewer than `least` pairs are left in each.
    #[inline(always)]
    fn work<'a, K: Room<A = Cuboid, B = Cuboid>>(
        &mut self,
        sieve: &Sieve,
        source: &(impl Source<'a, K> + ?Sized),
        least: usize,
        answers: &mut impl Answers,
    ) {
        loop {
            let (queue, worthwhile) = if self.near[0].count >= least {
                (&mut self.near[0], WORTHWHILE)
            } else if self.near[1].count >= least {
                (&mut self.near[1], 1)
            } else if self.steady.count >= least {
                (&mut self.steady, 1)
            } else if self.parted[0].count >= least {
                (&mut self.parted[0], 1)
            } else if self.parted[1].count >= least {
                (&mut self.parted[1], 1)
            } else {
                return;
            };
            let (count, known) = queue.take();
            self.finish(sieve, source, (count, &known), worthwhile, answers);
            for lane in Bits(self.room.put_off) {
                let known = known[lane % WIDTH];
                if self.room.is_by_edges(lane) {
                    self.steady.add(known);
                } else {
                    // No edge has won, so that the best face is the best axis.
                    self.near[1].add(Known { candidates: (0, false), ..known });
                }
            }
        }
    }

    /// Answers for a queue's pairs.
    fn finish<'a, K: Room<A = Cuboid, B = Cuboid>>(
        &mut self,
        sieve: &Sieve,
        source: &(impl Source<'a, K> + ?Sized),
        (count, known): (usize, &[Known; WIDTH]),
        worthwhile: u32,
        answers: &mut impl Answers,
    ) {
        self.room.put_off = 0;
        let Some(Item { pair, .. }) = source.item(known[0].index) else { return };
        let mut pairs = Borrowed::<WIDTH>::all(&pair);
        let mut asked = Asked {
            used: (1 << count) - 1,
            apart: 0,
            edges: 0,
            slanted: false,
            preference: sieve.preference,
            margin: sieve.margin,
            closest: sieve.closest,
            worthwhile,
        };
        for (lane, known) in known.iter().enumerate().take(count) {
            let Some(Item { pair, .. }) = source.item(known.index) else { return };
            pairs.set(lane, &pair);
            let (axes, slanted) = known.candidates;
            asked.apart |= u64::from(known.apart) << lane;
            asked.edges |= axes >> FACES;
            asked.slanted |= slanted;
        }
        let room = &mut self.room;
        fill(sieve.level, room, &pairs, &asked);
        for lane in Bits(room.met) {
            answers.meet(source.place(known[lane % WIDTH].index), room, lane);
        }
        for lane in Bits(room.crossed()) {
            answers.cross(source.place(known[lane % WIDTH].index), room, lane);
        }
        for lane in Bits(room.open) {
            let (lane, known) = (lane % WIDTH, known[lane % WIDTH]);
            let place = |cuboid: &Cuboid, pose: &Pose| {
                (pose.translation(), cuboid.half_extents().as_dvec3().to_array())
            };
            let a = place(pairs.a[lane], pairs.pose_a[lane]);
            let b = place(pairs.b[lane], pairs.pose_b[lane]);
            let frames = (&room.rows, lane);
            let settled = match room.best(lane) {
                Some(best) => Settled::along(a, b, known.relation(), frames, best),
                None => {
                    let preference = sieve.preference;
                    Settled::new(a, b, known.relation(), frames, known.candidates, preference)
                }
            };
            answers.settle(source.place(known.index), &settled, &mut self.workroom);
        }
    }
}

/// The relations of sixteen pairs.
///
/// This and the next two depend neither on where pairs come from nor on where answers go, and are
/// compiled once for all of these.
fn relations_of(level: SimdLevel, pairs: &Borrowed<'_, WIDE>) -> Option<Relations> {
    lanes!(level, simd => relation_in_lanes(simd, &Sixteen::gather(simd, pairs)))
}

/// What the axes of sixteen pairs say.
fn axes_of(sieve: &Sieve, pairs: &Borrowed<'_, WIDE>) -> Option<Axes> {
    lanes!(sieve.level, simd => {
        let pairs = Sixteen::gather(simd, pairs);
        axes_in_lanes(simd, &pairs, sieve.preference, sieve.margin)
    })
}

/// What eight pairs meet along.
fn fill(level: SimdLevel, room: &mut Eight, pairs: &Borrowed<'_, WIDTH>, asked: &Asked) {
    lanes!(level, simd => {
        let (a, b) = pairs.load(simd);
        room.fill(simd, (&a, &b), asked);
    });
}

/// Takes the pairs after `first`, as many as there are places and pairs.
#[inline(always)]
fn take<'a, K: Room<A = Cuboid, B = Cuboid>>(
    pairs: &mut Borrowed<'a, WIDE>,
    source: &(impl Source<'a, K> + ?Sized),
    first: usize,
) {
    for place in 1..WIDE.min(source.count() - first) {
        if let Some(Item { pair, .. }) = source.item(first + place) {
            pairs.set(place, &pair);
        }
    }
}

/// Which pairs are worth a closer look, and for what.
struct Sieve {
    level: SimdLevel,
    /// Share of its depth by which an edge must beat the best face.
    preference: f64,
    /// Pairs farther apart are left out.
    margin: f64,
    /// The closest points are wanted instead of a manifold.
    closest: bool,
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
