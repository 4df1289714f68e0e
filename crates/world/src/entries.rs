//! Where the contacts of a world lie, in the order of their bodies.

use std::iter::FusedIterator;
use std::slice::from_ref;
use std::sync::{Arc, OnceLock};

use prefetch_index::prefetch_index;
use rayon::prelude::*;

use crate::BodyId;
use crate::contacts::ContactId;
use crate::events::{Key, Keyed};
use crate::patch::Kept;
use crate::store::narrow;

/// Slots of the smaller bodies whose entries share a bucket.
///
/// - Reason: a begin or an end moves a part of one bucket, and a snapshot shares the others.
const SLOTS: usize = 16;
/// Buckets of one task that takes entries over.
const TAKEN: usize = 64;
/// Entries of a row that begin in its first cache line and end in its last one, or nearly so.
const SHORT: usize = 4;
/// Buckets between the one in hand and the one whose entries are fetched; where these lie is fetched
/// as many before.
const BUCKETS_AHEAD: usize = 2;
/// Cache lines of a bucket that are fetched ahead at most.
///
/// - Reason: a ground has as many contacts as there are bodies, and a task looks at few of them.
const LINES: usize = 128;
/// Entries that lie in a cache line.
const IN_LINE: usize = 64 / size_of::<Entry>();

/// Place of a contact on the pages of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) page: u32,
    pub(crate) index: u32,
}

impl Place {
    /// Page of a contact that lies on its task's own, not yet numbered page.
    pub(crate) const FRESH: u32 = u32::MAX;
}

/// Where the contact of two bodies lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) a: BodyId,
    pub(crate) b: BodyId,
    pub(crate) id: ContactId,
    pub(crate) place: Place,
}

impl Keyed for Entry {
    fn key(&self) -> Key {
        (self.a, self.b)
    }

    fn contact(&self) -> Option<ContactId> {
        Some(self.id)
    }
}

/// Entries of [`SLOTS`] smaller bodies, in order.
#[derive(Clone, Debug, Default)]
struct Bucket {
    /// Where the entries of each slot end.
    ends: [u32; SLOTS],
    entries: Vec<Entry>,
}

impl Bucket {
    fn row(&self, slot: u32) -> std::ops::Range<usize> {
        let lane = slot as usize % SLOTS;
        let start = lane.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[lane] as usize
    }

    /// The place of the entry of these slots, or where it would be.
    fn search(&self, (a, b): (u32, u32)) -> Result<usize, usize> {
        let row = self.row(a);
        let place =
            row.start + self.entries[row.clone()].partition_point(|entry| entry.b.index() < b);
        let is_there = place < row.end && self.entries[place].b.index() == b;
        if is_there { Ok(place) } else { Err(place) }
    }

    /// Fetches ahead where the entries lie.
    #[inline]
    fn prefetch(&self) {
        prefetch_index(&self.ends[..], 0);
        prefetch_index(from_ref(&self.entries), 0);
    }

    /// Fetches the entries ahead, the first of them where there are very many; where they lie was
    /// fetched before.
    #[inline]
    fn prefetch_entries(&self) {
        let places = (0..self.entries.len()).step_by(IN_LINE).take(LINES);
        places.for_each(|place| prefetch_index(&self.entries, place));
    }

    /// The row of the slot has so many entries more.
    fn grow(&mut self, slot: u32, by: u32) {
        self.ends[slot as usize % SLOTS..].iter_mut().for_each(|end| *end += by);
    }
}

fn bucket_of(slot: u32) -> usize {
    slot as usize / SLOTS
}

/// Fetches ahead what lies after the bucket in hand: entries, and where entries lie.
#[inline]
fn prefetch_after(buckets: &[Arc<Bucket>], place: usize) {
    buckets.get(place + 2 * BUCKETS_AHEAD).into_iter().for_each(|bucket| bucket.prefetch());
    buckets.get(place + BUCKETS_AHEAD).into_iter().for_each(|bucket| bucket.prefetch_entries());
}

/// Whether the entries of these smaller bodies lie in one bucket.
#[inline]
pub(crate) fn share_bucket(one: u32, other: u32) -> bool {
    bucket_of(one) == bucket_of(other)
}

/// Sorted entries in buckets, by the slot of the smaller body.
///
/// - Cost: a look-up is two steps to a row and a binary search in it, a begin or an end moves a part
///   of one bucket.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entries {
    buckets: Vec<Arc<Bucket>>,
    len: usize,
    /// Number of entries before each bucket, made when it is first asked for.
    before: OnceLock<Vec<usize>>,
}

impl Entries {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The entry of the bodies in these slots.
    #[inline]
    pub(crate) fn find(&self, slots: (u32, u32)) -> Option<&Entry> {
        let bucket = self.buckets.get(bucket_of(slots.0))?;
        bucket.search(slots).ok().map(|place| &bucket.entries[place])
    }

    /// The entries of the smaller body in this slot.
    #[inline]
    pub(crate) fn row(&self, a: u32) -> &[Entry] {
        self.buckets.get(bucket_of(a)).map_or(&[], |bucket| &bucket.entries[bucket.row(a)])
    }

    /// Fetches ahead where the entries of the smaller body in this slot lie.
    #[inline]
    pub(crate) fn prefetch_bucket(&self, a: u32) {
        self.buckets.get(bucket_of(a)).into_iter().for_each(|bucket| bucket.prefetch());
    }

    /// Fetches ahead the entries of the smaller body in this slot; where they lie was fetched before.
    /// `last` is the slot of the call before.
    #[inline]
    pub(crate) fn prefetch_row(&self, a: u32, last: u32) {
        if let Some(bucket) = self.buckets.get(bucket_of(a)) {
            let row = bucket.row(a);
            // Most rows are short, and how many lines they take could not be guessed.
            prefetch_index(&bucket.entries, row.start);
            prefetch_index(&bucket.entries, row.end);
            if row.len() > SHORT && a != last {
                row.step_by(2).for_each(|place| prefetch_index(&bucket.entries, place));
            }
        }
    }

    /// Fetches ahead what lies after the bucket of this slot; for who walks along the buckets.
    #[inline]
    pub(crate) fn prefetch_after(&self, a: u32) {
        prefetch_after(&self.buckets, bucket_of(a));
    }

    pub(crate) fn iter(&self) -> EntryIter<'_> {
        let none = [].iter();
        EntryIter { buckets: self.buckets.iter(), front: none.clone(), back: none, len: self.len }
    }

    /// All entries to be written, but for their bodies, in order. Buckets that are shared are copied
    /// where `is_changed` says so of one of their entries.
    pub(crate) fn change(
        &mut self,
        is_changed: impl Fn(&Entry) -> bool,
        mut change: impl FnMut(&mut Entry),
    ) {
        for bucket in &mut self.buckets {
            if bucket.entries.iter().any(&is_changed) {
                let entries = Arc::make_mut(bucket).entries.iter_mut();
                entries.filter(|entry| is_changed(entry)).for_each(&mut change);
            }
        }
    }

    /// The entry at this place of the order, which is below the length; `cursor` makes the next one
    /// cheap.
    pub(crate) fn at(&self, place: usize, cursor: &mut Cursor) -> &Entry {
        let is_in = |bucket: &Bucket, first: usize| {
            place.checked_sub(first).is_some_and(|index| index < bucket.entries.len())
        };
        if !self.buckets.get(cursor.bucket).is_some_and(|bucket| is_in(bucket, cursor.first)) {
            let before = self.before();
            // The last bucket that does not begin behind the place, so that it is not empty.
            cursor.bucket = before.partition_point(|&first| first <= place).saturating_sub(1);
            cursor.first = before[cursor.bucket];
        }
        &self.buckets[cursor.bucket].entries[place - cursor.first]
    }

    fn before(&self) -> &[usize] {
        self.before.get_or_init(|| {
            let count = |sum: &mut usize, bucket: &Arc<Bucket>| {
                let first = *sum;
                *sum += bucket.entries.len();
                Some(first)
            };
            self.buckets.iter().scan(0, count).collect()
        })
    }

    /// Takes the entries of these slots out.
    pub(crate) fn remove(&mut self, slots: (u32, u32)) {
        let Some(bucket) = self.buckets.get_mut(bucket_of(slots.0)) else { return };
        let Ok(place) = bucket.search(slots) else { return };
        let bucket = Arc::make_mut(bucket);
        bucket.entries.remove(place);
        bucket.ends[slots.0 as usize % SLOTS..].iter_mut().for_each(|end| *end -= 1);
        self.len -= 1;
        self.before.take();
    }

    /// Puts an entry in, in place of any that its slots have.
    pub(crate) fn insert(&mut self, entry: Entry) {
        let bucket = self.bucket_mut(entry.a.index());
        match bucket.search(entry.slots()) {
            Ok(place) => bucket.entries[place] = entry,
            Err(place) => {
                bucket.entries.insert(place, entry);
                bucket.grow(entry.a.index(), 1);
                self.len += 1;
                self.before.take();
            }
        }
    }

    /// Appends sorted entries, which come after all.
    pub(crate) fn append(&mut self, entries: &[Entry]) {
        for run in
            entries.chunk_by(|one, other| bucket_of(one.a.index()) == bucket_of(other.a.index()))
        {
            let Some(first) = run.first() else { continue };
            let bucket = self.bucket_mut(first.a.index());
            bucket.entries.extend_from_slice(run);
            for row in run.chunk_by(|one, other| one.a == other.a) {
                bucket.grow(row[0].a.index(), narrow(row.len()));
            }
        }
        self.len += entries.len();
        self.before.take();
    }

    fn bucket_mut(&mut self, slot: u32) -> &mut Bucket {
        let bucket = bucket_of(slot);
        if bucket >= self.buckets.len() {
            self.buckets.resize_with(bucket + 1, Arc::default);
        }
        Arc::make_mut(&mut self.buckets[bucket])
    }

    /// Takes over the entries of all tasks of an update in place of what was there, in parallel;
    /// the runs are in order, and none is empty. Fills `work` with what each task needs, the entries
    /// whose contacts are no more among it, in order.
    pub(crate) fn replace(&mut self, runs: &[Run<'_>], work: &mut Vec<Takeover>) {
        let last = runs.last().and_then(|run| run.entries.last());
        let count = last.map_or(0, |last| bucket_of(last.a.index()) + 1);
        if count > self.buckets.len() {
            self.buckets.resize_with(count, Arc::default);
        }
        self.len = runs.iter().map(|run| run.entries.len()).sum();
        self.before.take();
        work.resize_with(self.buckets.len().div_ceil(TAKEN), Takeover::default);
        let pieces = self.buckets.par_chunks_mut(TAKEN).zip(&mut *work).enumerate();
        pieces.for_each(|(piece, (buckets, work))| work.run(buckets, piece * TAKEN, runs));
    }
}

/// Entries of one task of an update, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run<'e> {
    pub(crate) entries: &'e [Entry],
    /// Number of the task's own page, and what to add to places on it.
    pub(crate) page: u32,
    pub(crate) shift: u32,
}

/// What a task of [`Entries::replace`] needs, and what it found.
#[derive(Debug, Default)]
pub(crate) struct Takeover {
    /// Entries of a bucket.
    fresh: Vec<Entry>,
    /// Entries that were there and whose contacts are no more.
    pub(crate) ended: Vec<Entry>,
}

impl Takeover {
    /// Fills these buckets, the first of which has this number.
    fn run(&mut self, buckets: &mut [Arc<Bucket>], first: usize, runs: &[Run<'_>]) {
        self.ended.clear();
        let slot = |entry: &Entry| entry.a.index() as usize;
        let is_before = |entry: &Entry| slot(entry) < first * SLOTS;
        let skipped = runs.partition_point(|run| run.entries.last().is_some_and(is_before));
        let mut runs = runs[skipped..].iter();
        let Some(mut run) = runs.next().copied() else {
            buckets.iter_mut().for_each(|bucket| self.fill(bucket));
            return;
        };
        run.entries = &run.entries[run.entries.partition_point(is_before)..];
        for place in 0..buckets.len() {
            prefetch_after(buckets, place);
            let number = first + place;
            loop {
                let end = (number + 1) * SLOTS;
                let count = run.entries.iter().take_while(|entry| slot(entry) < end).count();
                let (own, rest) = run.entries.split_at(count);
                self.fresh.extend_from_slice(own);
                run.entries = rest;
                let added = self.fresh.len() - count;
                for entry in &mut self.fresh[added..] {
                    if entry.place.page == Place::FRESH {
                        let index = entry.place.index + run.shift;
                        entry.place = Place { page: run.page, index };
                    }
                }
                match runs.as_slice().first() {
                    Some(next) if rest.is_empty() => run = *next,
                    _ => break,
                }
                runs.next();
            }
            self.fill(&mut buckets[place]);
        }
    }

    /// Puts the collected entries into a bucket in place of its own, which are told of if they are
    /// not among them.
    fn fill(&mut self, bucket: &mut Arc<Bucket>) {
        let mut rest = &self.fresh[..];
        for old in &bucket.entries {
            let same = rest.iter().position(|entry| entry.slots() >= old.slots());
            rest = &rest[same.unwrap_or(rest.len())..];
            if rest.first().is_none_or(|entry| entry.id != old.id) {
                self.ended.push(*old);
            }
        }
        if self.fresh.is_empty() && bucket.entries.is_empty() {
            return;
        }
        if Arc::get_mut(bucket).is_none() {
            *bucket = Arc::default();
        }
        let bucket = Arc::make_mut(bucket);
        bucket.entries.clear();
        bucket.entries.extend_from_slice(&self.fresh);
        bucket.ends = [0; SLOTS];
        for entry in &self.fresh {
            bucket.ends[entry.a.index() as usize % SLOTS] += 1;
        }
        for lane in 1..SLOTS {
            bucket.ends[lane] += bucket.ends[lane - 1];
        }
        self.fresh.clear();
    }
}

/// Where [`Entries::at`] looks first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cursor {
    bucket: usize,
    /// Number of entries before the bucket.
    first: usize,
}

/// Iterator over [`Entries`].
#[derive(Clone, Debug)]
pub(crate) struct EntryIter<'w> {
    buckets: std::slice::Iter<'w, Arc<Bucket>>,
    front: std::slice::Iter<'w, Entry>,
    back: std::slice::Iter<'w, Entry>,
    len: usize,
}

impl<'w> Iterator for EntryIter<'w> {
    type Item = &'w Entry;

    fn next(&mut self) -> Option<&'w Entry> {
        loop {
            if let Some(entry) = self.front.next() {
                self.len -= 1;
                return Some(entry);
            }
            match self.buckets.next() {
                Some(bucket) => self.front = bucket.entries.iter(),
                None => {
                    let entry = self.back.next()?;
                    self.len -= 1;
                    return Some(entry);
                }
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl DoubleEndedIterator for EntryIter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(entry) = self.back.next_back() {
                self.len -= 1;
                return Some(entry);
            }
            match self.buckets.next_back() {
                Some(bucket) => self.back = bucket.entries.iter(),
                None => {
                    let entry = self.front.next_back()?;
                    self.len -= 1;
                    return Some(entry);
                }
            }
        }
    }
}

impl ExactSizeIterator for EntryIter<'_> {}

impl FusedIterator for EntryIter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry((a, b): (u32, u32)) -> Entry {
        let id = |slot: u32| BodyId::from_bits(1 << 32 | u64::from(slot));
        let place = Place { page: a, index: b };
        Entry { a: id(a), b: id(b), id: ContactId::NONE, place }
    }

    /// A generator of whole numbers, so that the lists are the same every time.
    fn draw(state: &mut u32, below: u32) -> u32 {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*state >> 16) % below
    }

    #[test]
    fn buckets_hold_what_a_sorted_list_does() {
        let (mut state, mut entries) = (1, Entries::default());
        let mut list: Vec<(u32, u32)> = Vec::new();
        let (mut removed, mut replaced) = (0, 0);
        for step in 0..3000 {
            let a = 1 + draw(&mut state, 100);
            let slots = (a, a + 1 + draw(&mut state, 9));
            let kept = entries.clone();
            match (list.binary_search(&slots), step % 3) {
                (Ok(place), 0) => {
                    list.remove(place);
                    entries.remove(slots);
                    removed += 1;
                }
                (Ok(_), _) => {
                    entries.insert(entry(slots));
                    replaced += 1;
                }
                (Err(place), 1) => {
                    list.insert(place, slots);
                    entries.insert(entry(slots));
                }
                (Err(_), _) => entries.remove(slots),
            }
            assert_eq!(entries.find(slots).is_some(), list.binary_search(&slots).is_ok());
            assert!(entries.iter().map(Entry::slots).eq(list.iter().copied()), "{slots:?}");
            assert!(entries.iter().rev().map(Entry::slots).eq(list.iter().rev().copied()));
            assert_eq!((entries.len(), entries.iter().len()), (list.len(), list.len()));
            assert_eq!(kept.iter().count(), kept.len());
        }
        assert!(removed > 100 && replaced > 100 && list.len() > 100, "{removed} {replaced}");
        // From both ends at once.
        let (mut both, mut fronts, mut backs) = (entries.iter(), Vec::new(), Vec::new());
        while let Some(front) = both.next() {
            fronts.push(front.slots());
            backs.extend(both.next_back().map(Entry::slots));
        }
        fronts.extend(backs.iter().rev());
        assert_eq!(fronts, list);
        // By their places, in any order.
        let mut cursor = Cursor::default();
        for place in (0..list.len()).chain((0..list.len()).rev()).chain([7, 90, 3]) {
            assert_eq!(entries.at(place, &mut cursor).slots(), list[place], "{place}");
        }
    }

    #[test]
    fn replaced_buckets_leave_shared_ones_alone() {
        let mut entries = Entries::default();
        entries.append(&(1..200).map(|a| entry((a, 300))).collect::<Vec<_>>());
        let kept = entries.clone();
        let mut work = Vec::new();
        entries.replace(&[], &mut work);
        assert_eq!((entries.len(), entries.iter().count(), kept.iter().count()), (0, 0, 199));
        let ended = work.iter().flat_map(|work| &work.ended);
        assert!(ended.map(Entry::slots).eq(kept.iter().map(Entry::slots)));
        let new = [entry((5, 6)), entry((5, 7)), entry((6, 7)), entry((90, 91))];
        let run = |entries| Run { entries, page: 7, shift: 0 };
        entries.replace(&[run(&new[..1]), run(&new[1..])], &mut work);
        assert!(work.iter().all(|work| work.ended.is_empty()));
        assert!(entries.iter().map(Entry::slots).eq([(5, 6), (5, 7), (6, 7), (90, 91)]));
        assert!(entries.find((5, 6)).is_some() && entries.find((5, 300)).is_none());
        let before = entries.clone();
        // Another contact of the same slots, and one that is gone.
        let new = [new[0], Entry { id: ContactId { index: 9, version: 1 }, ..new[1] }, new[2]];
        entries.replace(&[run(&new)], &mut work);
        let ended = work.iter().flat_map(|work| &work.ended);
        assert!(ended.map(Entry::slots).eq([(5, 7), (90, 91)]));
        assert_eq!((before.len(), before.iter().count()), (4, 4));
        entries.change(|entry| entry.place.index == 6, |entry| entry.place.page = 9);
        assert_eq!(entries.iter().next().unwrap().place, Place { page: 9, index: 6 });
        assert_eq!(before.iter().next().unwrap().place, Place { page: 5, index: 6 });
    }
}
