//! Boxes that were set or removed, and what is still to be done about them.

use impinge_shapes::Aabb;
use rayon::prelude::*;

use crate::broad_phase::Mobility;
use crate::fat::{FIXED, Fat, Scene};
use crate::lanes::Bounds;
use crate::slots::{
    ALIVE, Entry, INDEX_PENDING, NEAR_PENDING, PAGE, PAIRS_PENDING, Page, Slot, Slots,
};

/// Boxes between the one that is set and the one that is fetched.
const AHEAD: usize = 16;
/// Boxes that left their leeway and wait until they are fetched, a power of two.
const WAITING: usize = 16;

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
    /// Boxes set or removed since the pairs were brought up to date, but those counted in `calm`.
    pub(crate) pairs: Vec<u32>,
    /// Boxes set since then that stayed within their leeway, so that no pair changed.
    pub(crate) calm: isize,
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
        self.calm = 0;
    }

    /// Boxes set or removed since the pairs were brought up to date.
    pub(crate) fn count(&self) -> usize {
        self.pairs.len().saturating_add_signed(self.calm)
    }

    /// Sets a box that stays within its leeway; whether it does, in a settled scene.
    ///
    /// One that does not is listed at once, so that it is not taken for calm until the update.
    #[inline(always)]
    pub(crate) fn keep_calm(
        &mut self,
        id: u32,
        page: &mut Page,
        bounds: &Aabb,
        scene: Scene,
    ) -> bool {
        let now = Bounds::of(bounds);
        if let Some((slot, promise)) = page.calm(id)
            && promise.is_kept_by(&now)
        {
            let moved = slot.bounds() != now;
            (slot.lo, slot.hi) = (now.lo, now.hi);
            slot.count_motion(moved);
            self.calm += isize::from(page.put_calm(id, scene.update, true));
            return true;
        }
        self.stir(id, page, scene);
        false
    }

    /// Lists a box for the pairs, as one that is not calm any more.
    #[inline(always)]
    pub(crate) fn stir(&mut self, id: u32, page: &mut Page, scene: Scene) {
        if scene.settled {
            self.calm -= isize::from(page.put_calm(id, scene.update, false));
        }
        list(id, page.entry(id).slot, PAIRS_PENDING, &mut self.pairs);
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
            entry.slot.count_motion(true);
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
        self.place_all(slots, boxes, scene)
    }

    /// The same where ids ascend, on as many threads as there are; lists what one thread would, in
    /// its order.
    fn place_by_page(&mut self, slots: &mut Slots, boxes: &[(u32, Aabb)], scene: Scene) -> usize {
        let mut parts = std::mem::take(&mut self.parts);
        slots.by_page(boxes, &mut parts, |page, part, boxes| {
            part.new += part.listed.place_all(page, boxes, scene);
        });
        let mut new = 0;
        for part in &mut parts {
            self.index.append(&mut part.listed.index);
            self.near.append(&mut part.listed.near);
            self.pairs.append(&mut part.listed.pairs);
            self.calm += std::mem::take(&mut part.listed.calm);
            new += std::mem::take(&mut part.new);
        }
        self.parts = parts;
        new
    }

    /// Sets a box; returns whether it is new, as a number.
    #[inline(always)]
    fn place_at(
        &mut self,
        pages: &mut impl Pages,
        (id, bounds): &(u32, Aabb),
        scene: Scene,
    ) -> usize {
        let entry = pages.page(*id).entry(*id);
        usize::from(self.place(*id, entry, bounds, None, scene))
    }

    /// Sets boxes; returns how many are new. Each may miss the cache, so that those after the one in
    /// hand are fetched ahead: one for each that is set, because many at once wait for each other.
    #[inline(always)]
    fn place_all(&mut self, pages: &mut impl Pages, boxes: &[(u32, Aabb)], scene: Scene) -> usize {
        let mut new = 0;
        boxes.iter().take(2 * AHEAD).for_each(|(id, _)| pages.prefetch_home(*id));
        boxes.iter().take(AHEAD).for_each(|(id, _)| fetch(pages, *id, scene));
        // Places of those that left their leeway, of which the first ones are set already.
        let mut restless = [0; WAITING];
        let (mut left, mut done) = (0, 0);
        for (place, next) in boxes.iter().enumerate() {
            // Where nearly all boxes in a row are set, they come by themselves.
            if let Some((later, _)) = boxes.get(place + AHEAD)
                && later.abs_diff(next.0) as usize > 2 * AHEAD
            {
                fetch(pages, *later, scene);
                if let Some((last, _)) = boxes.get(place + 2 * AHEAD) {
                    pages.prefetch_home(*last);
                }
            }
            if !scene.settled {
                new += self.place_at(pages, next, scene);
                continue;
            }
            if self.keep_calm(next.0, pages.page(next.0), &next.1, scene) {
                continue;
            }
            pages.prefetch(next.0);
            if left - done == WAITING {
                new += self.place_at(pages, &boxes[restless[done % WAITING]], scene);
                done += 1;
            }
            restless[left % WAITING] = place;
            left += 1;
        }
        for number in done..left {
            new += self.place_at(pages, &boxes[restless[number % WAITING]], scene);
        }
        new
    }
}

/// All pages, or the one that the boxes in hand belong to.
trait Pages {
    /// The page of an id, made if there is none.
    fn page(&mut self, id: u32) -> &mut Page;
    fn prefetch(&self, id: u32);
    fn prefetch_home(&self, id: u32);
    fn prefetch_leeway(&self, id: u32);
}

impl Pages for Page {
    #[inline(always)]
    fn page(&mut self, _: u32) -> &mut Page {
        self
    }

    #[inline(always)]
    fn prefetch(&self, id: u32) {
        self.prefetch(id);
    }

    #[inline(always)]
    fn prefetch_home(&self, id: u32) {
        self.prefetch_home(id);
    }

    #[inline(always)]
    fn prefetch_leeway(&self, id: u32) {
        self.prefetch_leeway(id);
    }
}

impl Pages for Slots {
    #[inline(always)]
    fn page(&mut self, id: u32) -> &mut Page {
        self.page_of(id)
    }

    #[inline(always)]
    fn prefetch(&self, id: u32) {
        self.page_at(id).into_iter().for_each(|page| page.prefetch(id));
    }

    #[inline(always)]
    fn prefetch_home(&self, id: u32) {
        self.page_at(id).into_iter().for_each(|page| page.prefetch_home(id));
    }

    #[inline(always)]
    fn prefetch_leeway(&self, id: u32) {
        self.prefetch_leeway(id);
    }
}

/// Fetches ahead what is read first of a box that is set.
#[inline(always)]
fn fetch(pages: &impl Pages, id: u32, scene: Scene) {
    if scene.settled { pages.prefetch_leeway(id) } else { pages.prefetch(id) }
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
