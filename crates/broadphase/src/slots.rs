//! Boxes by id, in pages, so that sparse ids cost pages and not the whole range.

use crate::fat::Fat;
use crate::lanes::{Bounds, narrow};

/// Slots of one page.
const PAGE: usize = 4096;

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

    #[inline(always)]
    pub(crate) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Counts a motion within the fat box. After 2^16 of them the count begins anew, which costs
    /// nothing but a worse guess.
    #[inline(always)]
    pub(crate) fn count_motion(&mut self) {
        self.flags = self.flags.wrapping_add(MOTION);
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
struct Page {
    slots: Vec<Slot>,
    fat: Vec<Fat>,
    /// Each box as it was when its fat box was made.
    bases: Vec<Bounds>,
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

    /// The entry of any id; makes its page.
    #[inline]
    pub(crate) fn make(&mut self, id: u32) -> Entry<'_> {
        let page = id as usize / PAGE;
        if page >= self.pages.len() {
            self.pages.resize(page + 1, Page::default());
        }
        let page = &mut self.pages[page];
        if page.slots.is_empty() {
            page.slots.resize(PAGE, Slot::VACANT);
            page.fat.resize(PAGE, Fat::NONE);
            page.bases.resize(PAGE, Bounds::EMPTY);
        }
        let index = id as usize % PAGE;
        Entry {
            slot: &mut page.slots[index],
            fat: &mut page.fat[index],
            base: &mut page.bases[index],
        }
    }

    /// Looks an id up, for nothing but to have it in the cache.
    #[inline(always)]
    pub(crate) fn touch(&self, id: u32) -> u32 {
        let index = id as usize % PAGE;
        match self.pages.get(id as usize / PAGE) {
            Some(page) if !page.slots.is_empty() => {
                page.slots[index].flags ^ page.fat[index].kind()
            }
            _ => 0,
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
