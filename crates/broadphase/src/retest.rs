//! Pairs chosen from the near pairs: the boxes of each are tested as they are now, what was found
//! before is read from its mark, and promises settle how long what is found now stays true.

use fearless_simd::{Simd, dispatch};
use impinge_shapes::simd::SimdLevel;
use rayon::prelude::*;

use crate::fat::STRETCHED;
use crate::lanes::{Bits, Bounds, Lanes, WIDTH};
use crate::leeway::Promise;
use crate::pair::{Changes, Pair};
use crate::row_page::Head;
use crate::rows::Rows;
use crate::slots::{ALIVE, LOOSE, PAIRS_PENDING, Slots};

/// Boxes of one task.
const TASK_BOXES: usize = 256;
/// Boxes whose near pairs are tested together.
const BATCH: usize = 16;
/// Batches that are in hand side by side, each a step further than the one after it.
const HANDS: usize = 4;

/// Near pairs of a box up to which they are tested one by one.
const FEW: usize = 8;

/// Scratch memory of the choice for some boxes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Retest {
    tasks: Vec<Task>,
}

#[derive(Clone, Debug, Default)]
struct Task {
    changes: Changes,
    hands: [Hand; HANDS],
    /// Places in `near` of the pairs whose mark is not true any more.
    flips: Vec<u32>,
    /// What the boxes promise, in their order.
    promises: Vec<Promised>,
    /// What boxes that were not set have to promise beside what they did.
    asked: Vec<(u32, Promise)>,
}

/// Boxes in hand.
#[derive(Clone, Debug, Default)]
struct Hand {
    heads: [Head; BATCH],
    /// Near pairs of those that have few, one box after the other.
    near: Vec<Near>,
    /// Numbers of the boxes that have many.
    crowded: Vec<u16>,
}

/// What a box promises to those near it.
#[derive(Clone, Copy, Debug)]
struct Promised {
    id: u32,
    /// Whether it has room to move in. One that has none promises to stay, which the others have to
    /// know all the same.
    moves: bool,
    promise: Promise,
}

/// A box near one of those in hand.
#[derive(Clone, Copy, Debug, Default)]
struct Near {
    id: u32,
    /// Number of the box in hand.
    of: u16,
    /// Whether they touched.
    touched: bool,
}

impl Retest {
    /// Adds how the pairs of some boxes differ from the marks of `near`, which goes both ways;
    /// neither list of changes is sorted.
    pub(crate) fn search(
        &mut self,
        simd: SimdLevel,
        slots: &Slots,
        near: &Rows,
        ids: &[u32],
        changes: &mut Changes,
    ) {
        self.tasks.resize_with(ids.len().div_ceil(TASK_BOXES), Task::default);
        let run = |(task, ids): (&mut Task, &[u32])| {
            task.changes.clear();
            task.promises.clear();
            task.asked.clear();
            dispatch!(simd.level(), simd => task.search(simd, slots, near, ids));
        };
        if self.tasks.len() <= 1 {
            self.tasks.iter_mut().zip(ids.chunks(TASK_BOXES)).for_each(run);
        } else {
            self.tasks.par_iter_mut().zip(ids.par_chunks(TASK_BOXES)).for_each(run);
        }
        for task in &self.tasks {
            changes.begun.extend_from_slice(&task.changes.begun);
            changes.ended.extend_from_slice(&task.changes.ended);
        }
    }

    /// Gives leeway to the boxes of the last search, by what they promised there.
    pub(crate) fn give_leeway(&self, slots: &mut Slots) {
        for task in &self.tasks {
            for promised in &task.promises {
                slots.give_leeway(promised.id, promised.moves.then_some(promised.promise));
            }
        }
        // In any order: these boxes are others, and promise more and more.
        for task in &self.tasks {
            for (id, promise) in &task.asked {
                slots.join_promise(*id, promise);
            }
        }
    }
}

impl Task {
    /// What each step looks up may miss the cache, and where it lies is known from the step before.
    /// So each step is done for some boxes while what it needs for others is on its way.
    #[inline(always)]
    fn search<S: Simd>(&mut self, simd: S, slots: &Slots, near: &Rows, ids: &[u32]) {
        let batches = ids.len().div_ceil(BATCH);
        let mut lanes = Lanes::UNUSED;
        for turn in 0..batches + HANDS {
            let at = |step: usize| turn.checked_sub(step).filter(|&number| number < batches);
            let of = |number: usize| ids.chunks(BATCH).nth(number).unwrap_or_default();
            if let Some(number) = at(0) {
                for &id in of(number) {
                    near.prefetch_head(id);
                    slots.prefetch_box(id);
                    slots.prefetch_fat(id);
                }
            }
            if let Some(number) = at(1) {
                let heads = &mut self.hands[number % HANDS].heads;
                for (head, &id) in heads.iter_mut().zip(of(number)) {
                    *head = near.head(id);
                    near.prefetch(id, *head);
                }
            }
            if let Some(number) = at(2) {
                self.hands[number % HANDS].list(slots, near, of(number));
            }
            if let Some(number) = at(3) {
                let hand = &self.hands[number % HANDS];
                let fetch = |id: u32| {
                    if slots.at(id).has(LOOSE) {
                        slots.prefetch_leeway(id);
                    }
                };
                hand.near.iter().for_each(|near| fetch(near.id));
                for place in hand.crowded.iter().map(|&of| usize::from(of) % BATCH) {
                    near.ids(of(number)[place], hand.heads[place]).iter().for_each(|&id| fetch(id));
                }
            }
            if let Some(number) = at(4) {
                let hand = std::mem::take(&mut self.hands[number % HANDS]);
                let (ids, first) = (of(number), self.promises.len());
                self.test(slots, &hand.near, ids);
                for of in hand.crowded.iter().map(|&of| usize::from(of) % BATCH) {
                    let row = (ids[of], hand.heads[of]);
                    self.test_many(simd, slots, near, row, first + of, &mut lanes);
                }
                self.hands[number % HANDS] = hand;
            }
        }
    }

    /// Tests the near pairs of some boxes.
    fn test(&mut self, slots: &Slots, near: &[Near], ids: &[u32]) {
        let mut bounds = [Bounds::EMPTY; BATCH];
        let first = self.promises.len();
        for (bounds, &id) in bounds.iter_mut().zip(ids) {
            let (slot, fat) = (slots.at(id), slots.fat(id));
            *bounds = slot.bounds();
            let moves = slot.has(ALIVE) && fat.has(STRETCHED);
            let promise = Promise { outer: fat.bounds(), ..Promise::NONE };
            self.promises.push(Promised { id, moves, promise });
        }
        self.flips.resize(near.len().max(self.flips.len()), 0);
        let mut count = 0;
        for (place, near) in (0..).zip(near) {
            let of = usize::from(near.of) % BATCH;
            let slot = slots.at(near.id);
            let touches = bounds[of].meets(&slot.bounds());
            self.flips[count] = place;
            count += usize::from(touches != near.touched);
            let promise = &mut self.promises[first + of].promise;
            let (own, theirs) = (&bounds[of], slot.bounds());
            if slot.flags & (LOOSE | PAIRS_PENDING) == 0 {
                promise.settle_resting(own, &theirs, touches);
            } else if slot.has(PAIRS_PENDING) {
                // It makes promises of its own.
                promise.settle(own, &theirs, &Promise::NONE, touches);
            } else if let Some(asked) =
                promise.settle(own, &theirs, slots.promise(near.id), touches)
            {
                self.asked.push((near.id, asked));
            }
        }
        for &place in &self.flips[..count] {
            let near = near[place as usize];
            let id = ids[usize::from(near.of)];
            // Where both boxes were set, the pair is looked at twice.
            if id < near.id || !slots.at(near.id).has(PAIRS_PENDING) {
                let pairs =
                    if near.touched { &mut self.changes.ended } else { &mut self.changes.begun };
                pairs.push(Pair::new(id, near.id));
            }
        }
    }

    /// Tests the near pairs of a box sixteen by sixteen; its promise is begun at a place.
    #[inline(always)]
    fn test_many<S: Simd>(
        &mut self,
        simd: S,
        slots: &Slots,
        near: &Rows,
        (id, head): (u32, Head),
        place: usize,
        lanes: &mut Lanes,
    ) {
        let own = slots.at(id).bounds();
        let promise = &mut self.promises[place].promise;
        let (partners, marks) = near.marked(id, head);
        for (number, partners) in partners.chunks(WIDTH).enumerate() {
            let valid = (1 << partners.len()) - 1;
            let touched = u64::from(marks[number / 2] >> (number % 2 * WIDTH)) & valid;
            let mut resting = 0;
            for (lane, &other) in partners.iter().enumerate() {
                let slot = slots.at(other);
                lanes.set(lane, &slot.bounds());
                resting |= u64::from(slot.flags & (LOOSE | PAIRS_PENDING) == 0) << lane;
            }
            let touching = lanes.touching(simd, &own) & valid;
            for lane in Bits(touching ^ touched) {
                let other = partners[lane % WIDTH];
                // Where both boxes were set, the pair is looked at twice.
                if id < other || !slots.at(other).has(PAIRS_PENDING) {
                    let ended = touched >> lane & 1 == 1;
                    let pairs =
                        if ended { &mut self.changes.ended } else { &mut self.changes.begun };
                    pairs.push(Pair::new(id, other));
                }
            }
            promise.settle_lanes(simd, &own, lanes, resting & touching, resting & !touching);
            for lane in Bits(valid & !resting) {
                let (other, touch) = (partners[lane % WIDTH], touching >> lane & 1 == 1);
                let slot = slots.at(other);
                if slot.has(PAIRS_PENDING) {
                    // It makes promises of its own.
                    promise.settle(&own, &slot.bounds(), &Promise::NONE, touch);
                } else if let Some(asked) =
                    promise.settle(&own, &slot.bounds(), slots.promise(other), touch)
                {
                    self.asked.push((other, asked));
                }
            }
        }
    }
}

impl Hand {
    /// Lists the near pairs of boxes that have few, and the others.
    fn list(&mut self, slots: &Slots, near: &Rows, ids: &[u32]) {
        self.near.clear();
        self.crowded.clear();
        for ((of, &id), &head) in (0..).zip(ids).zip(&self.heads) {
            if head.len as usize > FEW {
                self.crowded.push(of);
                near.ids(id, head).iter().for_each(|&other| slots.prefetch_box(other));
                continue;
            }
            // A box that was removed has no near pairs.
            let (partners, marks) = near.marked(id, head);
            for (bit, &id) in (0..).zip(partners) {
                slots.prefetch_box(id);
                self.near.push(Near { id, of, touched: marks[0] >> bit & 1 == 1 });
            }
        }
    }
}
