//! Sorted rows of ids, one for each id, that can be edited in place.

use rayon::prelude::*;

use crate::lanes::narrow;
use crate::pair::{Changes, Found, Ranges, Sorter};
use crate::slots::Slots;

/// Ids of one page. A page is made when the first of its rows is used.
pub(crate) const PAGE: usize = 4096;
/// Pairs below which the ranges are sorted one after the other.
const SERIAL: usize = 1 << 14;

/// Where a row lies in its page.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    start: usize,
    len: u32,
    /// Places that belong to the row.
    room: u32,
}

/// Rows of neighbouring ids.
#[derive(Clone, Debug)]
struct Page {
    heads: Vec<Head>,
    /// Rows in any order, with gaps between them.
    items: Vec<u32>,
    /// Entries of all rows.
    len: usize,
    /// Places that belong to no row any more.
    lost: usize,
}

impl Page {
    fn boxed() -> Box<Self> {
        let heads = vec![Head::default(); PAGE];
        Box::new(Self { heads, items: Vec::new(), len: 0, lost: 0 })
    }

    #[inline]
    fn row(&self, row: usize) -> &[u32] {
        let head = self.heads[row % PAGE];
        &self.items[head.start..head.start + head.len as usize]
    }

    fn clear(&mut self) {
        self.heads.fill(Head::default());
        self.items.clear();
        (self.len, self.lost) = (0, 0);
    }

    fn insert(&mut self, row: usize, item: u32) {
        let Err(place) = self.row(row).binary_search(&item) else { return };
        if self.heads[row % PAGE].len == self.heads[row % PAGE].room {
            self.grow(row);
        }
        let head = &mut self.heads[row % PAGE];
        let (start, end) = (head.start, head.start + head.len as usize);
        head.len += 1;
        self.len += 1;
        self.items.copy_within(start + place..end, start + place + 1);
        self.items[start + place] = item;
    }

    fn remove(&mut self, row: usize, item: u32) {
        let Ok(place) = self.row(row).binary_search(&item) else { return };
        let head = &mut self.heads[row % PAGE];
        let (start, end) = (head.start, head.start + head.len as usize);
        head.len -= 1;
        self.len -= 1;
        self.items.copy_within(start + place + 1..end, start + place);
    }

    /// Moves a row to the end, with twice the room.
    fn grow(&mut self, row: usize) {
        if self.lost > self.items.len() / 2 + PAGE {
            self.compact();
        }
        let head = self.heads[row % PAGE];
        let room = head.room.saturating_mul(2).max(4);
        let start = self.items.len();
        self.items.extend_from_within(head.start..head.start + head.len as usize);
        self.items.resize(start + room as usize, 0);
        self.lost += head.room as usize;
        self.heads[row % PAGE] = Head { start, room, ..head };
    }

    /// Lays all rows out anew, with a little room for each.
    fn compact(&mut self) {
        let mut items = Vec::with_capacity(self.len + 4 * PAGE);
        for head in &mut self.heads {
            let start = items.len();
            items.extend_from_slice(&self.items[head.start..head.start + head.len as usize]);
            head.room = if head.len == 0 { 0 } else { head.len + 2 };
            items.resize(start + head.room as usize, 0);
            head.start = start;
        }
        self.items = items;
        self.lost = 0;
    }

    /// Replaces everything by the entries of `near` whose boxes touch; the ids of the rows begin at
    /// `first`.
    fn fill_touching(&mut self, near: &Self, first: u32, slots: &Slots) {
        self.items.resize(near.len, 0);
        let mut end = 0;
        for (id, (head, theirs)) in (first..).zip(self.heads.iter_mut().zip(&near.heads)) {
            let start = end;
            if theirs.len > 0 {
                let bounds = slots.at(id).bounds();
                for &other in &near.items[theirs.start..theirs.start + theirs.len as usize] {
                    // Stored in any case: whether they touch cannot be guessed.
                    self.items[end] = other;
                    end += usize::from(bounds.meets(&slots.at(other).bounds()));
                }
            }
            let len = narrow(end - start);
            *head = Head { start, len, room: len };
        }
        self.items.truncate(end);
        (self.len, self.lost) = (end, 0);
    }

    fn each(&self) -> impl Iterator<Item = (usize, &[u32])> {
        self.heads
            .iter()
            .enumerate()
            .filter(|(_, head)| head.len > 0)
            .map(|(row, head)| (row, &self.items[head.start..head.start + head.len as usize]))
    }
}

/// For each id the ascending list of ids that it is paired with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pages: Vec<Option<Box<Page>>>,
}

impl Rows {
    /// Entries of all rows.
    pub(crate) fn len(&self) -> usize {
        self.pages.iter().flatten().map(|page| page.len).sum()
    }

    pub(crate) fn clear(&mut self) {
        self.pages.clear();
    }

    /// The row of an id.
    #[inline]
    pub(crate) fn row(&self, id: u32) -> &[u32] {
        match self.pages.get(id as usize / PAGE) {
            Some(Some(page)) => page.row(id as usize),
            _ => &[],
        }
    }

    /// Ids whose rows are not empty, with their rows, ascending.
    pub(crate) fn each(&self) -> impl Iterator<Item = (u32, &[u32])> {
        self.pages.iter().enumerate().flat_map(|(number, page)| {
            let rows = page.iter().flat_map(|page| page.each());
            rows.map(move |(row, items)| (narrow(number * PAGE + row), items))
        })
    }

    fn page(&mut self, id: u32) -> &mut Page {
        let number = id as usize / PAGE;
        if number >= self.pages.len() {
            self.pages.resize_with(number + 1, || None);
        }
        self.pages[number].get_or_insert_with(Page::boxed)
    }

    /// Adds `item` to the row of `id`, unless it is there.
    pub(crate) fn insert(&mut self, id: u32, item: u32) {
        self.page(id).insert(id as usize % PAGE, item);
    }

    /// Takes `item` out of the row of `id`, if it is there.
    pub(crate) fn remove(&mut self, id: u32, item: u32) {
        self.page(id).remove(id as usize % PAGE, item);
    }

    /// Replaces everything by what the tasks found; ids lie below `end`.
    pub(crate) fn rebuild(&mut self, found: &[&Found], ranges: Ranges, end: u64) {
        let pages = usize::try_from(end.div_ceil(PAGE as u64)).unwrap_or(usize::MAX);
        self.pages.resize_with(pages, || None);
        let width = ranges.width();
        let fill = |sorter: &mut Sorter, (range, pages): (usize, &mut [Option<Box<Page>>])| {
            fill_range(found, range, width, sorter, pages);
        };
        let chunks = width / PAGE;
        if found.iter().map(|f| f.len).sum::<usize>() <= SERIAL {
            let mut sorter = Sorter::default();
            self.pages.chunks_mut(chunks).enumerate().for_each(|task| fill(&mut sorter, task));
        } else {
            let tasks = self.pages.par_chunks_mut(chunks).enumerate();
            tasks.for_each_init(Sorter::default, fill);
        }
    }

    /// Replaces everything by the pairs of `near` whose boxes touch.
    pub(crate) fn fill_touching(&mut self, near: &Self, slots: &Slots) {
        self.pages.resize_with(near.pages.len(), || None);
        let fill =
            |(number, (page, near)): (usize, (&mut Option<_>, &Option<Box<Page>>))| match near {
                Some(near) => {
                    let page = page.get_or_insert_with(Page::boxed);
                    page.fill_touching(near, narrow(number * PAGE), slots);
                }
                None => *page = None,
            };
        if near.len() <= SERIAL {
            self.pages.iter_mut().zip(&near.pages).enumerate().for_each(fill);
        } else {
            self.pages.par_iter_mut().zip(&near.pages).enumerate().for_each(fill);
        }
    }

    /// Rows of the pairs the other way round: `b` in the row of `a` becomes `a` in the row of `b`.
    pub(crate) fn transpose(&self, into: &mut Self) {
        for page in into.pages.iter_mut().flatten() {
            page.clear();
        }
        for (_, row) in self.each() {
            for &b in row {
                into.page(b).heads[b as usize % PAGE].room += 1;
            }
        }
        for page in into.pages.iter_mut().flatten() {
            for head in &mut page.heads {
                head.start = page.len;
                page.len += head.room as usize;
            }
            page.items.resize(page.len, 0);
        }
        for (a, row) in self.each() {
            for &b in row {
                let page = into.page(b);
                let head = &mut page.heads[b as usize % PAGE];
                page.items[head.start + head.len as usize] = a;
                head.len += 1;
            }
        }
    }

    /// Adds what was not there before, and what is not there any more.
    pub(crate) fn compare(&self, before: &Self, changes: &mut Changes) {
        let pages = self.pages.len().max(before.pages.len());
        let has = |rows: &Self, page: usize| matches!(rows.pages.get(page), Some(Some(_)));
        let used: Vec<usize> =
            (0..pages).filter(|&page| has(self, page) || has(before, page)).collect();
        let compare_page = |&page: &usize| {
            let mut part = Changes::default();
            for a in narrow(page * PAGE)..=narrow(page * PAGE + PAGE - 1) {
                part.compare(a, before.row(a).iter().copied(), self.row(a), |_| true);
            }
            part
        };
        let parts: Vec<Changes> = used.par_iter().map(compare_page).collect();
        for part in parts {
            changes.begun.extend_from_slice(&part.begun);
            changes.ended.extend_from_slice(&part.ended);
        }
    }
}

/// Sorts one range of ids, and lays its rows out in their pages.
fn fill_range(
    found: &[&Found],
    range: usize,
    width: usize,
    sorter: &mut Sorter,
    pages: &mut [Option<Box<Page>>],
) {
    let ends = sorter.sort(found, range, width);
    let mut rest = sorter.pairs.as_slice();
    let mut done = 0;
    for (number, page) in pages.iter_mut().enumerate() {
        let first = (range * width + number * PAGE) as u64;
        let count = if ends {
            sorter.ends[(number + 1) * PAGE - 1] as usize - done
        } else {
            rest.partition_point(|pair| u64::from(pair.a) < first + PAGE as u64)
        };
        let (mine, others) = rest.split_at(count);
        rest = others;
        if mine.is_empty() {
            if let Some(page) = page {
                page.clear();
            }
            continue;
        }
        let page = page.get_or_insert_with(Page::boxed);
        page.len = count;
        page.lost = 0;
        page.items.clear();
        page.items.extend(mine.iter().map(|pair| pair.b));
        if ends {
            let mut start = 0;
            let ends = &sorter.ends[number * PAGE..(number + 1) * PAGE];
            for (head, &end) in page.heads.iter_mut().zip(ends) {
                let end = end as usize - done;
                let len = narrow(end - start);
                *head = Head { start, len, room: len };
                start = end;
            }
        } else {
            page.heads.fill(Head::default());
            for (start, pair) in mine.iter().enumerate().rev() {
                let head = &mut page.heads[pair.a as usize % PAGE];
                *head = Head { start, len: head.len + 1, room: head.room + 1 };
            }
        }
        done += count;
    }
}
