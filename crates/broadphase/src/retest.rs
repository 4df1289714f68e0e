//! Pairs chosen from the near pairs: the boxes of each are tested as they are now, what was found
//! before is read from its place, and promises settle how long what is found now stays true.

use fearless_simd::Simd;
use impinge_shapes::at_level;
use impinge_shapes::simd::SimdLevel;
use rayon::prelude::*;

use crate::fat::STRETCHED;
use crate::lanes::{Bits, Bounds};
use crate::leeway::{Promise, Settling};
use crate::pair::{Changes, Pair};
use crate::rows::Rows;
use crate::slots::{ALIVE, LOOSE, PAIRS_PENDING, Slots};

/// Boxes of one task.
const TASK_BOXES: usize = 256;
/// Boxes between one and the next that is a step further.
const AHEAD: usize = 8;

/// Scratch memory of the choice for some boxes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Retest {
    tasks: Vec<Task>,
}

#[derive(Clone, Debug, Default)]
struct Task {
    changes: Changes,
    /// What the boxes promise, in their order.
    promises: Vec<Promised>,
    /// What boxes that were not set have to promise beside what they did.
    asked: Vec<(u32, Promise)>,
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
        for turn in 0..ids.len() + 3 * AHEAD {
            let at = |step: usize| ids.get(turn.checked_sub(step * AHEAD)?).copied();
            if let Some(id) = at(0) {
                near.prefetch_head(id);
                slots.prefetch_box(id);
                slots.prefetch_fat(id);
            }
            if let Some(id) = at(1) {
                near.prefetch(id, near.head(id));
            }
            if let Some(id) = at(2) {
                // A box that was removed has no near pairs.
                let partners = near.ids(id, near.head(id));
                partners.iter().for_each(|&other| slots.prefetch_box(other));
            }
            if let Some(id) = at(3) {
                let (slot, fat) = (slots.at(id), slots.fat(id));
                let moves = slot.has(ALIVE) && fat.has(STRETCHED);
                let (own, room) = (slot.bounds(), fat.bounds());
                let promise = self.test(simd, slots, near.parts(id), id, &own, &room);
                self.promises.push(Promised { id, moves, promise });
            }
        }
    }

    /// Tests the near pairs of a box with this room, those that touched and those that did not;
    /// what it promises to them.
    #[inline(always)]
    fn test<S: Simd>(
        &mut self,
        simd: S,
        slots: &Slots,
        parts: [&[u32]; 2],
        id: u32,
        own: &Bounds,
        room: &Bounds,
    ) -> Promise {
        let mut settling = Settling::new(simd, own, room);
        for (part, touched) in parts.into_iter().zip([true, false]) {
            for partners in part.chunks(u64::BITS as usize) {
                let mut flips = 0;
                for (place, &other) in partners.iter().enumerate() {
                    let slot = slots.at(other);
                    let corners = slot.corners(simd);
                    let touches = settling.touches(corners);
                    flips |= u64::from(touches ^ touched) << place;
                    if slot.has(LOOSE | PAIRS_PENDING) {
                        self.settle(slots, other, own, touches, &mut settling.others);
                    } else {
                        settling.settle_resting(simd, own, corners, touches);
                    }
                }
                for place in Bits(flips) {
                    self.flip(slots, id, partners[place], !touched);
                }
            }
        }
        settling.promise()
    }

    /// Lists a pair that began or ended.
    #[inline(always)]
    fn flip(&mut self, slots: &Slots, id: u32, other: u32, begins: bool) {
        // Where both boxes were set, the pair is looked at twice.
        if id < other || !slots.at(other).has(PAIRS_PENDING) {
            let pairs = if begins { &mut self.changes.begun } else { &mut self.changes.ended };
            pairs.push(Pair::new(id, other));
        }
    }

    /// Settles whether a box touches another one that moves.
    #[inline(always)]
    fn settle(
        &mut self,
        slots: &Slots,
        other: u32,
        own: &Bounds,
        touches: bool,
        promise: &mut Promise,
    ) {
        let slot = slots.at(other);
        if slot.has(PAIRS_PENDING) {
            // It makes promises of its own.
            promise.settle(own, &slot.bounds(), &Promise::NONE, touches);
        } else if let Some(asked) =
            promise.settle(own, &slot.bounds(), slots.promise(other), touches)
        {
            self.asked.push((other, asked));
        }
    }
}
