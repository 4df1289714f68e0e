//! Pairs chosen from the near pairs: the boxes of each are tested as they are now, what was found
//! before is read from its place, and promises settle how long what is found now stays true.

use fearless_simd::Simd;
use impinge_shapes::at_level;
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
/// Boxes between one and the next that is a step further.
const AHEAD: usize = 8;
/// Boxes in hand, from the second step to the last, and some more for a power of two.
const HANDS: usize = 4 * AHEAD;

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
    /// What the boxes promise, in their order.
    promises: Vec<Promised>,
    /// What boxes that were not set have to promise beside what they did.
    asked: Vec<(u32, Promise)>,
}

/// A box in hand.
#[derive(Clone, Copy, Debug, Default)]
struct Hand {
    head: Head,
    /// Its near pairs, if they are few.
    near: [u32; FEW],
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

impl Retest {
    /// Adds how the pairs of some boxes differ from the parts of `near`, which goes both ways;
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
            at_level!(simd, simd => task.search(simd, slots, near, ids));
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
            for (place, promised) in task.promises.iter().enumerate() {
                if let Some(later) = task.promises.get(place + AHEAD) {
                    slots.prefetch_leeway(later.id);
                }
                slots.give_leeway(promised.id, promised.moves.then_some(promised.promise));
            }
        }
        // In any order: these boxes are others, and promise more and more.
        for task in &self.tasks {
            for (place, (id, promise)) in task.asked.iter().enumerate() {
                if let Some((later, _)) = task.asked.get(place + AHEAD) {
                    slots.prefetch_leeway(*later);
                }
                slots.join_promise(*id, promise);
            }
        }
    }
}

impl Task {
    /// What each step looks up may miss the cache, and where it lies is known from the step before.
    /// So each step is done for some boxes while what it needs for others is on its way: one box
    /// after the other, because many prefetches in a row wait for each other.
    #[inline(always)]
    fn search<S: Simd>(&mut self, simd: S, slots: &Slots, near: &Rows, ids: &[u32]) {
        let mut lanes = Lanes::UNUSED;
        for turn in 0..ids.len() + 4 * AHEAD {
            let at = |step: usize| {
                let place = turn.checked_sub(step * AHEAD)?;
                Some((place % HANDS, *ids.get(place)?))
            };
            if let Some((_, id)) = at(0) {
                near.prefetch_head(id);
                slots.prefetch_box(id);
                slots.prefetch_fat(id);
            }
            if let Some((hand, id)) = at(1) {
                let head = near.head(id);
                near.prefetch(id, head);
                self.hands[hand].head = head;
            }
            if let Some((hand, id)) = at(2) {
                self.hands[hand].list(slots, near, id);
            }
            if let Some((hand, id)) = at(3) {
                for &other in self.hands[hand].partners(near, id) {
                    if slots.at(other).has(LOOSE) {
                        slots.prefetch_leeway(other);
                    }
                }
            }
            if let Some((hand, id)) = at(4) {
                let (slot, fat) = (slots.at(id), slots.fat(id));
                let moves = slot.has(ALIVE) && fat.has(STRETCHED);
                let mut promise = Promise { outer: fat.bounds(), ..Promise::NONE };
                let (hand, own) = (self.hands[hand], slot.bounds());
                if hand.is_crowded() {
                    let row = (id, hand.head);
                    self.test_many(simd, slots, near, row, &own, &mut promise, &mut lanes);
                } else {
                    self.test(slots, id, &own, &hand, &mut promise);
                }
                self.promises.push(Promised { id, moves, promise });
            }
        }
    }

    /// Tests the near pairs of a box.
    #[inline(always)]
    fn test(&mut self, slots: &Slots, id: u32, own: &Bounds, hand: &Hand, promise: &mut Promise) {
        let touched = hand.head.touching as usize;
        let mut flips = 0;
        for (place, &other) in hand.few().iter().enumerate() {
            let slot = slots.at(other);
            let theirs = slot.bounds();
            let touches = own.meets(&theirs);
            flips |= u64::from(touches ^ (place < touched)) << place;
            if slot.flags & (LOOSE | PAIRS_PENDING) == 0 {
                promise.settle_resting(own, &theirs, touches);
            } else if slot.has(PAIRS_PENDING) {
                // It makes promises of its own.
                promise.settle(own, &theirs, &Promise::NONE, touches);
            } else if let Some(asked) = promise.settle(own, &theirs, slots.promise(other), touches)
            {
                self.asked.push((other, asked));
            }
        }
        for place in Bits(flips) {
            let other = hand.near[place % FEW];
            // Where both boxes were set, the pair is looked at twice.
            if id < other || !slots.at(other).has(PAIRS_PENDING) {
                let pairs =
                    if place < touched { &mut self.changes.ended } else { &mut self.changes.begun };
                pairs.push(Pair::new(id, other));
            }
        }
    }

    /// Tests the near pairs of a box sixteen by sixteen.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "inlined")]
    fn test_many<S: Simd>(
        &mut self,
        simd: S,
        slots: &Slots,
        near: &Rows,
        (id, head): (u32, Head),
        own: &Bounds,
        promise: &mut Promise,
        lanes: &mut Lanes,
    ) {
        let mut left = head.touching as usize;
        for partners in near.ids(id, head).chunks(WIDTH) {
            let valid = (1 << partners.len()) - 1;
            let touched = (1 << left.min(WIDTH)) - 1;
            left = left.saturating_sub(WIDTH);
            let mut resting = 0;
            for (lane, &other) in partners.iter().enumerate() {
                let slot = slots.at(other);
                lanes.set(lane, &slot.bounds());
                resting |= u64::from(slot.flags & (LOOSE | PAIRS_PENDING) == 0) << lane;
            }
            let touching = lanes.touching(simd, own) & valid;
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
            promise.settle_lanes(simd, own, lanes, resting & touching, resting & !touching);
            for lane in Bits(valid & !resting) {
                let (other, touch) = (partners[lane % WIDTH], touching >> lane & 1 == 1);
                let slot = slots.at(other);
                if slot.has(PAIRS_PENDING) {
                    // It makes promises of its own.
                    promise.settle(own, &slot.bounds(), &Promise::NONE, touch);
                } else if let Some(asked) =
                    promise.settle(own, &slot.bounds(), slots.promise(other), touch)
                {
                    self.asked.push((other, asked));
                }
            }
        }
    }
}

impl Hand {
    /// Whether the box has more near pairs than are tested one by one.
    fn is_crowded(&self) -> bool {
        self.head.len as usize > FEW
    }

    /// The near pairs of a box that has few.
    #[inline(always)]
    fn few(&self) -> &[u32] {
        &self.near[..(self.head.len as usize).min(FEW)]
    }

    /// The near pairs of the box, of this id.
    #[inline(always)]
    fn partners<'h>(&'h self, near: &'h Rows, id: u32) -> &'h [u32] {
        if self.is_crowded() { near.ids(id, self.head) } else { self.few() }
    }

    /// Lists the near pairs of a box if they are few, and fetches the boxes ahead.
    #[inline(always)]
    fn list(&mut self, slots: &Slots, near: &Rows, id: u32) {
        // A box that was removed has no near pairs.
        let partners = near.ids(id, self.head);
        partners.iter().for_each(|&other| slots.prefetch_box(other));
        if !self.is_crowded() {
            for (place, &other) in self.near.iter_mut().zip(partners) {
                *place = other;
            }
        }
    }
}
