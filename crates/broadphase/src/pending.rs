//! Boxes that were set or removed, and what is still to be done about them.

use impinge_shapes::Aabb;
use rayon::prelude::*;

use crate::broad_phase::Mobility;
use crate::fat::{FIXED, Fat, Scene};
use crate::lanes::Bounds;
use crate::slots::{ALIVE, Entry, INDEX_PENDING, NEAR_PENDING, PAGE, PAIRS_PENDING, Slot, Slots};

/// Boxes that are looked up together when they are set.
const BATCH: usize = 64;

/// Boxes up to which one thread sets all.
const ALONE: usize = 2 * PAGE;

/// Ids in which one is set at least, on average, for the boxes of a page to be set together.
const FEW: usize = 64;

/// Boxes to be brought up to date, each once in each list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    /// Boxes whose fat box changed since the index was brought up to date.
    pub(crate) index: Vec<u32>,
    /// Boxes whose fat box changed since the near pairs were brought up to date.
    pub(crate) near: Vec<u32>,
    /// Boxes set or removed since the pairs were brought up to date.
    pub(crate) pairs: Vec<u32>,
    parts: Vec<Part>,
}

/// What is listed of the boxes of one page, while several threads set boxes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    listed: Pending,
    new: usize,
}

impl Pending {
    pub(crate) fn clear(&mut self) {
        self.index.clear();
        self.near.clear();
        self.pairs.clear();
    }

    /// Lists a box; with `changed` its fat box, too.
    #[inline(always)]
    pub(crate) fn list(&mut self, id: u32, slot: &mut Slot, changed: bool) {
        if changed {
            list(id, slot, INDEX_PENDING, &mut self.index);
            list(id, slot, NEAR_PENDING, &mut self.near);
        }
        list(id, slot, PAIRS_PENDING, &mut self.pairs);
    }

    /// Sets a box; without a mobility it keeps the one that it has. Whether there was none.
    #[inline(always)]
    pub(crate) fn place(
        &mut self,
        id: u32,
        mut entry: Entry<'_>,
        bounds: &Aabb,
        mobility: Option<Mobility>,
        scene: Scene,
    ) -> bool {
        let (before, now) = (entry.slot.bounds(), Bounds::of(bounds));
        (entry.slot.lo, entry.slot.hi) = (now.lo, now.hi);
        let new = !entry.slot.has(ALIVE);
        let mut changed = new;
        if new {
            entry.slot.flags |= ALIVE;
            entry.take_motion();
            *entry.fat = Fat::tight(&now);
        } else if before != now {
            entry.slot.count_motion();
            if !entry.fat.stands_for(&now) {
                let (motion, lasted) = entry.take_motion();
                entry.fat.stretch(&now, &motion, lasted, scene);
                changed = true;
            }
        }
        if let Some(mobility) = mobility {
            changed |= entry.fat.put(FIXED, mobility == Mobility::Fixed);
        }
        self.list(id, entry.slot, changed);
        new
    }

    /// Sets many boxes; returns how many are new.
    pub(crate) fn place_many(
        &mut self,
        slots: &mut Slots,
        boxes: &[(u32, Aabb)],
        scene: Scene,
    ) -> usize {
        if boxes.len() > ALONE && ascend(boxes) {
            return self.place_by_page(slots, boxes, scene);
        }
        let mut new = 0;
        for boxes in boxes.chunks(BATCH) {
            look_up(boxes, |id| slots.touch(id));
            for (id, bounds) in boxes {
                new += usize::from(self.place(*id, slots.make(*id), bounds, None, scene));
            }
        }
        new
    }

    /// The same where ids ascend, on as many threads as there are; lists what one thread would, in
    /// its order.
    fn place_by_page(&mut self, slots: &mut Slots, boxes: &[(u32, Aabb)], scene: Scene) -> usize {
        let mut parts = std::mem::take(&mut self.parts);
        slots.by_page(boxes, &mut parts, |page, part, boxes| {
            for boxes in boxes.chunks(BATCH) {
                look_up(boxes, |id| page.touch(id));
                for (id, bounds) in boxes {
                    let new = part.listed.place(*id, page.entry(*id), bounds, None, scene);
                    part.new += usize::from(new);
                }
            }
        });
        let mut new = 0;
        for part in &mut parts {
            self.index.append(&mut part.listed.index);
            self.near.append(&mut part.listed.near);
            self.pairs.append(&mut part.listed.pairs);
            new += std::mem::take(&mut part.new);
        }
        self.parts = parts;
        new
    }
}

/// Looks boxes up before they are set: each may miss the cache, and here they can wait side by side.
/// Where nearly all boxes in a row are set, they come by themselves.
#[inline(always)]
fn look_up(boxes: &[(u32, Aabb)], touch: impl Fn(u32) -> u32) {
    let ends = boxes.first().zip(boxes.last());
    if ends.is_none_or(|(first, last)| first.0.abs_diff(last.0) as usize > 2 * BATCH) {
        std::hint::black_box(boxes.iter().fold(0, |all, (id, _)| all ^ touch(*id)));
    }
}

/// Lists a box once.
#[inline(always)]
pub(crate) fn list(id: u32, slot: &mut Slot, flag: u32, pending: &mut Vec<u32>) {
    if !slot.has(flag) {
        slot.flags |= flag;
        pending.push(id);
    }
}

/// Whether each id is larger than the one before, and many of them share a page.
fn ascend(boxes: &[(u32, Aabb)]) -> bool {
    let span = boxes.first().zip(boxes.last()).map_or(0, |(first, last)| first.0.abs_diff(last.0));
    span as usize / FEW <= boxes.len()
        && boxes.par_chunks(PAGE).enumerate().all(|(number, part)| {
            let before = (number * PAGE).checked_sub(1).and_then(|before| boxes.get(before));
            part.is_sorted_by(|one, next| one.0 < next.0)
                && before.zip(part.first()).is_none_or(|(before, first)| before.0 < first.0)
        })
}
