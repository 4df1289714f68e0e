//! Boxes by id, in pages, so that sparse ids cost pages and not the whole range.

use fearless_simd::{Simd, f32x4, prelude::*};
use impinge_shapes::Aabb;
use prefetch_index::prefetch_index;
use rayon::prelude::*;

use crate::fat::Fat;
use crate::lanes::{Bits, Bounds, narrow};
use crate::leeway::{Corners, Promise};

/// Slots of one page.
pub(crate) const PAGE: usize = 4096;

/// The box is not in the index.
pub(crate) const NOWHERE: u32 = u32::MAX;
/// Bit of [`Slot::place`] that says "young forest"; the rest is the lane there.
pub(crate) const YOUNG: u32 = 1 << 31;

pub(crate) const ALIVE: u32 = 1;
/// Listed for the next refresh of the index: its fat box changed.
pub(crate) const INDEX_PENDING: u32 = 2;
/// Listed for the next refresh of the near pairs: its fat box changed.
pub(crate) const NEAR_PENDING: u32 = 4;
/// Listed for the next refresh of the pairs: its box changed.
pub(crate) const PAIRS_PENDING: u32 = 8;
/// It has leeway, unless leeway counts for nothing at present.
pub(crate) const LOOSE: u32 = 16;

/// The box was never given leeway.
const HOMELESS: u16 = u16::MAX;

/// One motion in the upper half of [`Slot::flags`], which counts those since the fat box was made.
const MOTION: u32 = 1 << 16;

/// One box: 32 bytes, so that two share a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Slot {
    pub(crate) lo: [f32; 3],
    pub(crate) place: u32,
    pub(crate) hi: [f32; 3],
    pub(crate) flags: u32,
}

impl Slot {
    const VACANT: Self = Self { lo: [0.0; 3], place: NOWHERE, hi: [0.0; 3], flags: 0 };

    #[inline(always)]
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds { lo: self.lo, hi: self.hi }
    }

    /// Its corners, each with something else behind it, as they lie in memory.
    #[inline(always)]
    pub(crate) fn corners<S: Simd>(&self, simd: S) -> Corners<S> {
        let ([a, b, c], [d, e, f]) = (self.lo, self.hi);
        let (place, flags) = (f32::from_bits(self.place), f32::from_bits(self.flags));
        [f32x4::load_array(simd, [a, b, c, place]), f32x4::load_array(simd, [d, e, f, flags])]
    }

    #[inline(always)]
    pub(crate) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Counts a motion within the fat box, if it moved. After 2^16 of them the count begins anew,
    /// which costs nothing but a worse guess.
    #[inline(always)]
    pub(crate) fn count_motion(&mut self, moved: bool) {
        self.flags = self.flags.wrapping_add(MOTION * u32::from(moved));
    }

    /// Motions since the fat box was made; starts the count anew.
    #[inline(always)]
    fn take_motions(&mut self) -> u32 {
        let count = self.flags / MOTION;
        self.flags %= MOTION;
        count
    }
}

/// What is kept of the ids of one page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    slots: Vec<Slot>,
    fat: Vec<Fat>,
    /// Each box as it was when its fat box was made.
    bases: Vec<Bounds>,
    /// Leeways of the boxes that were ever given some, side by side in the order of the first time.
    leeways: Vec<Promise>,
    /// Where the leeway of each box lies, [`HOMELESS`] if nowhere; empty as long as there is none.
    homes: Vec<u16>,
    calm: Calm,
}

/// Boxes of a page that were set within their leeway since an update: bits of their own, because
/// the leeway of such a box is only read.
#[derive(Clone, Debug, Default)]
struct Calm {
    /// Number of the update to come; before another there are none.
    update: u64,
    /// Made with the first update: there may be many pages that hold nothing.
    words: Vec<u64>,
}

impl Calm {
    /// Sets or clears the bit of a box; whether it was the other way.
    #[inline(always)]
    fn put(&mut self, index: usize, update: u64, calm: bool) -> bool {
        if self.update != update {
            self.update = update;
            self.words.clear();
            self.words.resize(PAGE / 64, 0);
        }
        let (word, bit) = (&mut self.words[index / 64], 1 << (index % 64));
        let before = *word;
        *word = if calm { before | bit } else { before & !bit };
        *word != before
    }
}

impl Page {
    /// Makes the slots, if there are none.
    #[inline(always)]
    fn make(&mut self) {
        if self.slots.is_empty() {
            self.slots.resize(PAGE, Slot::VACANT);
            self.fat.resize(PAGE, Fat::NONE);
            self.bases.resize(PAGE, Bounds::EMPTY);
        }
    }

    /// Fetches ahead what setting the box of an id of this page reads.
    #[inline(always)]
    pub(crate) fn prefetch(&self, id: u32) {
        let index = id as usize % PAGE;
        prefetch_index(&self.slots, index);
        prefetch_index(&self.fat, index);
        prefetch_index(&self.bases, index);
    }

    /// Fetches ahead where the leeway of an id of this page lies.
    #[inline(always)]
    pub(crate) fn prefetch_home(&self, id: u32) {
        prefetch_index(&self.homes, id as usize % PAGE);
    }

    /// Fetches ahead what setting the box of an id reads that has leeway.
    #[inline(always)]
    pub(crate) fn prefetch_leeway(&self, id: u32) {
        let index = id as usize % PAGE;
        prefetch_index(&self.slots, index);
        if let Some(&home) = self.homes.get(index) {
            prefetch_index(&self.leeways, home.into());
        }
    }

    #[inline(always)]
    fn leeway(&mut self, index: usize) -> Option<&mut Promise> {
        let home = *self.homes.get(index)?;
        self.leeways.get_mut(usize::from(home))
    }

    fn give_leeway(&mut self, index: usize, promise: Option<Promise>) {
        let Some(promise) = promise else {
            self.slots[index].flags &= !LOOSE;
            return;
        };
        self.slots[index].flags |= LOOSE;
        if self.homes.is_empty() {
            self.homes.resize(PAGE, HOMELESS);
        }
        let count = self.leeways.len();
        match self.leeways.get_mut(usize::from(self.homes[index])) {
            Some(own) => *own = promise,
            None => {
                self.homes[index] = u16::try_from(count).unwrap_or(HOMELESS);
                self.leeways.push(promise);
            }
        }
    }

    /// Counts a box as set within its leeway before this update, or as not; whether that is new.
    #[inline(always)]
    pub(crate) fn put_calm(&mut self, id: u32, update: u64, calm: bool) -> bool {
        self.calm.put(id as usize % PAGE, update, calm)
    }

    /// A box that has leeway, with this, if it is not listed in any case.
    #[inline(always)]
    pub(crate) fn calm(&mut self, id: u32) -> Option<(&mut Slot, &Promise)> {
        let index = id as usize % PAGE;
        let slot = self.slots.get_mut(index)?;
        if slot.flags & (LOOSE | PAIRS_PENDING | ALIVE) != LOOSE | ALIVE {
            return None;
        }
        let home = *self.homes.get(index)?;
        Some((slot, self.leeways.get(usize::from(home))?))
    }

    /// The entry of an id of this page, which was made.
    #[inline(always)]
    pub(crate) fn entry(&mut self, id: u32) -> Entry<'_> {
        let index = id as usize % PAGE;
        Entry {
            slot: &mut self.slots[index],
            fat: &mut self.fat[index],
            base: &mut self.bases[index],
        }
    }
}

/// All slots. A page is made when the first of its ids is used.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    pages: Vec<Page>,
}

/// All that is kept of one id.
pub(crate) struct Entry<'a> {
    pub(crate) slot: &'a mut Slot,
    pub(crate) fat: &'a mut Fat,
    base: &'a mut Bounds,
}

impl Entry<'_> {
    /// How far each face moved in a motion on average since the fat box was made, and the number
    /// of motions. A fat box is about to be made: both are counted anew.
    pub(crate) fn take_motion(&mut self) -> ([f32; 6], u32) {
        let now = self.slot.bounds();
        let count = self.slot.take_motions();
        let each = 1.0 / count.max(1) as f32;
        let way = now.minus(self.base).map(|way| way * each);
        *self.base = now;
        (way, count)
    }
}

impl Slots {
    #[inline]
    pub(crate) fn get(&self, id: u32) -> Option<&Slot> {
        self.pages.get(id as usize / PAGE)?.slots.get(id as usize % PAGE)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: u32) -> Option<&mut Slot> {
        self.pages.get_mut(id as usize / PAGE)?.slots.get_mut(id as usize % PAGE)
    }

    /// The slot of an id that is known to have a page.
    #[inline(always)]
    pub(crate) fn at(&self, id: u32) -> &Slot {
        &self.pages[id as usize / PAGE].slots[id as usize % PAGE]
    }

    /// The fat box of an id that is known to have a page.
    #[inline(always)]
    pub(crate) fn fat(&self, id: u32) -> &Fat {
        &self.pages[id as usize / PAGE].fat[id as usize % PAGE]
    }

    /// What a box that has leeway promised.
    #[inline(always)]
    pub(crate) fn promise(&self, id: u32) -> &Promise {
        let (page, index) = (&self.pages[id as usize / PAGE], id as usize % PAGE);
        &page.leeways[usize::from(page.homes[index])]
    }

    /// Gives leeway to a box that has a page, or takes it away.
    #[inline(always)]
    pub(crate) fn give_leeway(&mut self, id: u32, promise: Option<Promise>) {
        if let Some(page) = self.pages.get_mut(id as usize / PAGE) {
            page.give_leeway(id as usize % PAGE, promise);
        }
    }

    /// Makes a box that has leeway promise more.
    pub(crate) fn join_promise(&mut self, id: u32, promise: &Promise) {
        let page = self.pages.get_mut(id as usize / PAGE);
        let leeway = page.and_then(|page| page.leeway(id as usize % PAGE));
        leeway.into_iter().for_each(|leeway| leeway.join(promise));
    }

    /// Fetches ahead the box of an id, which is known to have a page.
    #[inline(always)]
    pub(crate) fn prefetch_box(&self, id: u32) {
        prefetch_index(&self.pages[id as usize / PAGE].slots, id as usize % PAGE);
    }

    /// Fetches ahead the box of what may be an id.
    #[inline(always)]
    pub(crate) fn prefetch_any(&self, id: u32) {
        let page = self.page_at(id);
        page.into_iter().for_each(|page| prefetch_index(&page.slots, id as usize % PAGE));
    }

    /// Fetches ahead the fat box of an id, which is known to have a page.
    #[inline(always)]
    pub(crate) fn prefetch_fat(&self, id: u32) {
        prefetch_index(&self.pages[id as usize / PAGE].fat, id as usize % PAGE);
    }

    /// Fetches ahead the fat box of an id, if it has a page.
    #[inline(always)]
    pub(crate) fn prefetch_known_fat(&self, id: u32) {
        if let Some(page) = self.page_at(id) {
            prefetch_index(&page.fat, id as usize % PAGE);
        }
    }

    /// Fetches ahead the leeway of an id.
    #[inline(always)]
    pub(crate) fn prefetch_leeway(&self, id: u32) {
        self.page_at(id).into_iter().for_each(|page| page.prefetch_leeway(id));
    }

    /// The page of an id, if there is one.
    #[inline(always)]
    pub(crate) fn page_at(&self, id: u32) -> Option<&Page> {
        self.pages.get(id as usize / PAGE)
    }

    /// The page of an id; makes it.
    #[inline(always)]
    pub(crate) fn page_of(&mut self, id: u32) -> &mut Page {
        let page = id as usize / PAGE;
        if page >= self.pages.len() {
            self.pages.resize(page + 1, Page::default());
        }
        let page = &mut self.pages[page];
        page.make();
        page
    }

    /// The entry of any id; makes its page.
    #[inline]
    pub(crate) fn make(&mut self, id: u32) -> Entry<'_> {
        self.page_of(id).entry(id)
    }

    /// Calls for each page with those of the boxes that belong to it and a part of its own, on as
    /// many threads as there are; ids ascend.
    pub(crate) fn by_page<T: Default + Send>(
        &mut self,
        boxes: &[(u32, Aabb)],
        parts: &mut Vec<T>,
        work: impl Fn(&mut Page, &mut T, &[(u32, Aabb)]) + Sync,
    ) {
        let (Some((first, _)), Some((last, _))) = (boxes.first(), boxes.last()) else { return };
        let (first, pages) = (*first as usize / PAGE, *last as usize / PAGE + 1);
        self.pages.resize_with(pages.max(self.pages.len()), Page::default);
        parts.resize_with(pages - first, T::default);
        let tasks = (first..pages).into_par_iter().zip(&mut self.pages[first..pages]).zip(parts);
        tasks.for_each(|((number, page), part)| {
            let start = boxes.partition_point(|(id, _)| (*id as usize) < number * PAGE);
            let rest = &boxes[start..];
            let end = rest.partition_point(|(id, _)| *id as usize / PAGE == number);
            if end > 0 {
                page.make();
                work(page, part, &rest[..end]);
            }
        });
    }

    /// Clears a flag of all boxes; returns how many there are that had it.
    pub(crate) fn clear_all(&mut self, flag: u32) -> usize {
        let clear = |page: &mut Page| {
            let mut count = 0;
            for slot in &mut page.slots {
                count += usize::from(slot.flags & (flag | ALIVE) == flag | ALIVE);
                slot.flags &= !flag;
            }
            count
        };
        self.pages.par_iter_mut().map(clear).sum()
    }

    /// Adds the ids of boxes that were set within their leeway before this update, ascending.
    pub(crate) fn calm_into(&self, update: u64, ids: &mut Vec<u32>) {
        for (number, page) in self.pages.iter().enumerate() {
            if page.calm.update == update {
                for (word, &bits) in page.calm.words.iter().enumerate() {
                    ids.extend(Bits(bits).map(|bit| narrow(number * PAGE + word * 64 + bit)));
                }
            }
        }
    }

    /// One past the largest id that has a page.
    pub(crate) fn end(&self) -> u64 {
        (self.pages.len() * PAGE) as u64
    }

    /// Ids of all boxes, ascending.
    pub(crate) fn alive_into(&self, ids: &mut Vec<u32>) {
        ids.clear();
        for (number, page) in self.pages.iter().enumerate() {
            let first = number * PAGE;
            let alive = page.slots.iter().enumerate().filter(|(_, slot)| slot.has(ALIVE));
            ids.extend(alive.map(|(index, _)| narrow(first + index)));
        }
    }

    pub(crate) fn clear(&mut self) {
        self.pages.clear();
    }
}
