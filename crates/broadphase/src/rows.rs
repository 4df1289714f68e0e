//! Sorted rows of ids, one for each id, that can be edited in place.

use rayon::prelude::*;

use crate::lanes::narrow;
use crate::pair::{Changes, Found, Pair, Ranges, Sorter};
use crate::row_page::{Head, PAGE, Page};
use crate::slots::Slots;
use crate::steps::{Step, in_steps};

/// Places of a list from one step to the next in the fetching of rows.
pub(crate) const AHEAD: usize = 16;
/// Pairs below which the ranges are sorted one after the other.
const SERIAL: usize = 1 << 14;

/// For each id the ascending list of ids that it is paired with: the larger ones, and the smaller
/// ones, too, once an update needs them, which may then stand in two parts, those that touch and
/// those that are apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pages: Vec<Option<Box<Page>>>,
    /// Whether each pair stands in the rows of both its ids.
    both: bool,
    /// Memory of the pages that go both ways, while others are in use, and the other way round.
    spare: Vec<Option<Box<Page>>>,
}

impl Rows {
    /// Whether smaller partners are known, too.
    pub(crate) fn go_both_ways(&self) -> bool {
        self.both
    }

    /// Pairs that touch, each counted once.
    pub(crate) fn len(&self) -> usize {
        self.pages.iter().flatten().map(|page| page.len).sum()
    }

    /// Pairs of both parts, each counted once.
    pub(crate) fn len_of_both(&self) -> usize {
        self.pages.iter().flatten().map(|page| page.len + page.apart).sum()
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    #[inline(always)]
    fn get(&self, id: u32) -> Option<&Page> {
        self.pages.get(id as usize / PAGE)?.as_deref()
    }

    /// Larger partners of an id that touch.
    #[inline]
    pub(crate) fn larger(&self, id: u32) -> &[u32] {
        self.get(id).map_or(&[], |page| page.larger(page.head(id as usize)))
    }

    /// Smaller and larger partners that touch, if both are known.
    pub(crate) fn partners(&self, id: u32) -> Option<(&[u32], &[u32])> {
        let page = self.both.then(|| self.get(id))?;
        Some(page.map_or((&[], &[]), |page| page.both(page.head(id as usize))))
    }

    /// Partners, where both ways are known: those that touch, and those that are apart.
    #[inline(always)]
    pub(crate) fn parts(&self, id: u32) -> [&[u32]; 2] {
        self.get(id).map_or([&[], &[]], |page| page.parts(page.head(id as usize)).into())
    }

    /// Where the row of an id lies.
    #[inline(always)]
    pub(crate) fn head(&self, id: u32) -> Head {
        self.get(id).map_or(Head::default(), |page| page.head(id as usize))
    }

    /// Fetches ahead where the row of an id lies.
    #[inline(always)]
    pub(crate) fn prefetch_head(&self, id: u32) {
        self.get(id).into_iter().for_each(|page| page.prefetch_head(id as usize));
    }

    /// Fetches ahead a row that goes both ways.
    #[inline(always)]
    pub(crate) fn prefetch(&self, id: u32, head: Head) {
        self.get(id).into_iter().for_each(|page| page.prefetch(head));
    }

    /// Fetches ahead the rows of some ids in two steps: where they lie, then what is there.
    #[inline(always)]
    pub(crate) fn fetch<const N: usize>(&self, step: Step, ids: [u32; N]) {
        for id in ids {
            match step {
                Step::First => self.prefetch_head(id),
                Step::Second => self.prefetch(id, self.head(id)),
                Step::Last => {}
            }
        }
    }

    /// Partners at a head of an id's: those that touch, then those that are apart.
    #[inline(always)]
    pub(crate) fn ids(&self, id: u32, head: Head) -> &[u32] {
        self.get(id).map_or(&[], |page| page.ids(head))
    }

    /// Ids that have larger partners that touch, with these, ascending.
    pub(crate) fn each(&self) -> impl Iterator<Item = (u32, &[u32])> {
        self.pages.iter().enumerate().flat_map(|(number, page)| {
            let rows = page.iter().flat_map(|page| page.each_larger());
            rows.map(move |(row, items)| (narrow(number * PAGE + row), items))
        })
    }

    /// Writes all pairs to `out`, which is as long, on as many threads as there are.
    pub(crate) fn copy_into(&self, out: &mut [Pair]) {
        copy_pages(&self.pages, 0, out);
    }

    /// Replaces everything by what the tasks found; ids lie below `end`.
    pub(crate) fn rebuild(&mut self, found: &[&Found], ranges: Ranges, end: u64) {
        self.go_one_way();
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

    /// Replaces everything by the pairs of `near` whose boxes touch; those are not known there.
    pub(crate) fn fill_touching(&mut self, near: &Self, slots: &Slots) {
        self.fill_from(near, |page, near, first| page.fill_touching(near, first, slots));
    }

    /// Replaces everything by the pairs of `near` that are known to touch, one way.
    pub(crate) fn fill_larger(&mut self, near: &Self) {
        self.fill_from(near, |page, near, _| page.fill_larger(near));
    }

    /// Replaces each page by what is made of that of `near`, and of the first of its ids.
    fn fill_from(&mut self, near: &Self, make: impl Fn(&mut Page, &Page, u32) + Sync) {
        self.go_one_way();
        self.pages.resize_with(near.pages.len(), || None);
        let fill =
            |(number, (page, near)): (usize, (&mut Option<_>, &Option<Box<Page>>))| match near {
                Some(near) => {
                    let page = page.get_or_insert_with(Page::boxed);
                    make(page, near, narrow(number * PAGE));
                }
                None => *page = None,
            };
        if near.len() <= SERIAL {
            self.pages.iter_mut().zip(&near.pages).enumerate().for_each(fill);
        } else {
            self.pages.par_iter_mut().zip(&near.pages).enumerate().for_each(fill);
        }
    }

    /// Takes the memory for rows of larger partners; what is in it is of no use.
    fn go_one_way(&mut self) {
        if self.both {
            std::mem::swap(&mut self.pages, &mut self.spare);
            self.both = false;
        }
    }

    /// Enters each pair in the rows of both its ids, if it is not yet; all count as touching.
    pub(crate) fn make_both(&mut self) {
        if self.both {
            return;
        }
        self.both = true;
        std::mem::swap(&mut self.pages, &mut self.spare);
        let (one_way, pages) = (&self.spare, &mut self.pages);
        pages.resize_with(one_way.len().max(pages.len()), || None);
        for page in pages.iter_mut().flatten() {
            page.clear();
        }
        each_pair(one_way, |_, b| {
            pages[b as usize / PAGE].get_or_insert_with(Page::boxed).expect_smaller(b as usize);
        });
        for (number, page) in pages.iter_mut().enumerate() {
            let one_way = one_way.get(number).and_then(Option::as_deref);
            if one_way.is_some() || page.is_some() {
                page.get_or_insert_with(Page::boxed).lay_out(one_way);
            }
        }
        each_pair(one_way, |a, b| {
            if let Some(page) = &mut pages[b as usize / PAGE] {
                page.push_smaller(b as usize, a);
            }
        });
    }

    fn page(&mut self, id: u32) -> &mut Page {
        let number = id as usize / PAGE;
        if number >= self.pages.len() {
            self.pages.resize_with(number + 1, || None);
        }
        self.pages[number].get_or_insert_with(Page::boxed)
    }

    /// Applies changes where both ways are known; what begins touches, or is apart. Calls with the
    /// pairs that ended and touched.
    pub(crate) fn patch(&mut self, changes: &Changes, touches: bool, mut lost: impl FnMut(Pair)) {
        let ended = changes.ended.len();
        in_steps(ended + changes.begun.len(), AHEAD, |step, place| {
            let pair = changes.at(place);
            match step {
                Step::Last if place < ended => {
                    self.page(pair.b).remove(pair.b, pair.a);
                    if self.page(pair.a).remove(pair.a, pair.b) {
                        lost(pair);
                    }
                }
                Step::Last => {
                    self.page(pair.a).insert(pair.a, pair.b, touches);
                    self.page(pair.b).insert(pair.b, pair.a, touches);
                }
                _ => self.fetch(step, [pair.a, pair.b]),
            }
        });
    }

    /// Moves pairs that begun to those that touch, and pairs that ended to those that are apart.
    pub(crate) fn flip(&mut self, changes: &Changes) {
        let ended = changes.ended.len();
        in_steps(ended + changes.begun.len(), AHEAD, |step, place| {
            let (pair, touches) = (changes.at(place), place >= ended);
            if step == Step::Last {
                self.page(pair.a).flip(pair.a, pair.b, touches);
                self.page(pair.b).flip(pair.b, pair.a, touches);
            } else {
                self.fetch(step, [pair.a, pair.b]);
            }
        });
    }

    /// Parts the pairs into those that stand in `touching` and the others, where both go both ways;
    /// adds those to `missing` that are not here.
    pub(crate) fn part(&mut self, touching: &Self, missing: &mut Vec<Pair>) {
        let pages = self.pages.len().max(touching.pages.len());
        self.pages.resize_with(pages, || None);
        let part_page = |others: &mut Vec<u32>, (number, page): (usize, &mut Option<Box<Page>>)| {
            let mut missing = Vec::new();
            let theirs = touching.pages.get(number).and_then(Option::as_deref);
            if theirs.is_none() && page.is_none() {
                return missing;
            }
            let page = page.get_or_insert_with(Page::boxed);
            for row in 0..PAGE {
                let id = narrow(number * PAGE + row);
                let touching = theirs.map_or(&[][..], |theirs| theirs.ids(theirs.head(row)));
                page.part(id, touching, others, |other| {
                    if id < other {
                        missing.push(Pair { a: id, b: other });
                    }
                });
            }
            missing
        };
        let pages = self.pages.par_iter_mut().enumerate();
        let parts: Vec<Vec<Pair>> = pages.map_init(Vec::new, part_page).collect();
        parts.iter().for_each(|part| missing.extend_from_slice(part));
    }

    /// Forgets what touches and what does not: all count as touching.
    pub(crate) fn join(&mut self) {
        let pages = self.pages.par_iter_mut().enumerate();
        pages.for_each(|(number, page)| {
            page.iter_mut().for_each(|page| page.join(narrow(number * PAGE)));
        });
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
                part.compare(a, [before.larger(a), &[]], self.larger(a));
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

/// Calls with each pair, in order.
fn each_pair(pages: &[Option<Box<Page>>], mut call: impl FnMut(u32, u32)) {
    for (number, page) in pages.iter().enumerate() {
        for (row, larger) in page.iter().flat_map(|page| page.each_larger()) {
            larger.iter().for_each(|&b| call(narrow(number * PAGE + row), b));
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
        let ids = mine.iter().map(|pair| pair.b);
        if ends {
            let ends = &sorter.ends[number * PAGE..(number + 1) * PAGE];
            let mut start = narrow(done);
            page.fill(ids, ends.iter().map(|&end| end - std::mem::replace(&mut start, end)));
        } else {
            let row_of = |pair: &Pair| pair.a as usize % PAGE;
            let mut runs = mine.chunk_by(|one, next| one.a == next.a).peekable();
            let len = |row| runs.next_if(|run| row_of(&run[0]) == row).map_or(0, <[Pair]>::len);
            page.fill(ids, (0..PAGE).map(len).map(narrow));
        }
        done += count;
    }
}

/// Writes the pairs of these pages, of which the first has this number; halves write to halves.
fn copy_pages(pages: &[Option<Box<Page>>], first: usize, out: &mut [Pair]) {
    // With ids far apart most pages are empty.
    if out.is_empty() {
        return;
    }
    if pages.len() <= 1 {
        let mut out = out.iter_mut();
        for (row, items) in pages.iter().flatten().flat_map(|page| page.each_larger()) {
            let a = narrow(first * PAGE + row);
            for (&b, place) in items.iter().zip(out.by_ref()) {
                *place = Pair { a, b };
            }
        }
        return;
    }
    let (left, right) = pages.split_at(pages.len() / 2);
    let is_short = out.len() <= SERIAL;
    let (left_out, right_out) = out.split_at_mut(left.iter().flatten().map(|page| page.len).sum());
    let mut one = || copy_pages(left, first, left_out);
    let mut other = || copy_pages(right, first + left.len(), right_out);
    if is_short {
        one();
        other();
    } else {
        rayon::join(one, other);
    }
}
