//! Boxes by id, in pages, so that sparse ids cost pages and not the whole range.

use crate::lanes::{Bounds, narrow};

/// Slots of one page.
const PAGE: usize = 4096;

/// The box is not in the index.
pub(crate) const NOWHERE: u32 = u32::MAX;
/// Bit of [`Slot::place`] that says "young forest"; the rest is the lane there.
pub(crate) const YOUNG: u32 = 1 << 31;

pub(crate) const ALIVE: u32 = 1;
pub(crate) const FIXED: u32 = 2;
/// Listed for the next refresh of the index.
pub(crate) const INDEX_PENDING: u32 = 4;
/// Listed for the next refresh of the pairs.
pub(crate) const PAIRS_PENDING: u32 = 8;

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
}

/// All slots. A page is made when the first of its ids is used.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    pages: Vec<Vec<Slot>>,
}

impl Slots {
    #[inline]
    pub(crate) fn get(&self, id: u32) -> Option<&Slot> {
        self.pages.get(id as usize / PAGE)?.get(id as usize % PAGE)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: u32) -> Option<&mut Slot> {
        self.pages.get_mut(id as usize / PAGE)?.get_mut(id as usize % PAGE)
    }

    /// The slot of an id that is known to have a page.
    #[inline(always)]
    pub(crate) fn at(&self, id: u32) -> &Slot {
        &self.pages[id as usize / PAGE][id as usize % PAGE]
    }

    /// The slot of any id; makes its page.
    #[inline]
    pub(crate) fn make(&mut self, id: u32) -> &mut Slot {
        let page = id as usize / PAGE;
        if page >= self.pages.len() {
            self.pages.resize(page + 1, Vec::new());
        }
        let page = &mut self.pages[page];
        if page.is_empty() {
            page.resize(PAGE, Slot::VACANT);
        }
        &mut page[id as usize % PAGE]
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
            let alive = page.iter().enumerate().filter(|(_, slot)| slot.has(ALIVE));
            ids.extend(alive.map(|(index, _)| narrow(first + index)));
        }
    }

    pub(crate) fn clear(&mut self) {
        self.pages.clear();
    }
}
