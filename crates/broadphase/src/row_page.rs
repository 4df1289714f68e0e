//! Rows of neighbouring ids, that can be edited in place.

use std::ops::Range;

use prefetch_index::prefetch_index;

use crate::lanes::narrow;
use crate::slots::Slots;

/// Ids of one page. A page is made when the first of its rows is used.
pub(crate) const PAGE: usize = 4096;

/// Partners between the one in hand and the one whose box is fetched.
const AHEAD: usize = 40;
/// Places of a cache line.
const LINE: usize = 16;
/// Lines of a row that are fetched ahead beside its first and its last.
const LINES: usize = 2;

/// Where a row lies in its page: 16 bytes, so that four share a cache line.
///
/// A page has at most 2^32 places, 16 GB, for its rows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Head {
    start: u32,
    /// How many of those that touch are smaller than the id whose row it is; they come first.
    smaller: u32,
    /// How many touch; the others follow.
    touching: u32,
    len: u32,
}

impl Head {
    /// Of a row of larger partners.
    fn one_way(start: u32, len: u32) -> Self {
        Self { start, smaller: 0, touching: len, len }
    }

    /// All of the row.
    fn ids(self) -> Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }

    /// Those that touch and are larger.
    fn larger(self) -> Range<usize> {
        (self.start + self.smaller) as usize..(self.start + self.touching) as usize
    }

    /// How many of those that touch are larger.
    fn count(self) -> usize {
        (self.touching - self.smaller) as usize
    }
}

/// Places for that many ids at least, so that with the one before them they fill a multiple of
/// four.
fn room_for(len: u32) -> u32 {
    (len + 1).next_multiple_of(4) - 1
}

/// Rows of neighbouring ids.
///
/// The rows hold the larger partners of each id, one row after the other without gaps; or all
/// partners, with gaps, each with its room in the place before it. Only the latter can be edited.
/// They may have two parts: those that touch, and those that are apart; both ascend. Where nothing
/// is known of that, all count as touching.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    heads: Vec<Head>,
    items: Vec<u32>,
    /// Larger partners in all rows that touch.
    pub(crate) len: usize,
    /// Larger partners in all rows that are apart.
    pub(crate) apart: usize,
    /// Places that belong to no row any more.
    lost: usize,
}

impl Page {
    pub(crate) fn boxed() -> Box<Self> {
        let heads = vec![Head::default(); PAGE];
        Box::new(Self { heads, items: Vec::new(), len: 0, apart: 0, lost: 0 })
    }

    pub(crate) fn clear(&mut self) {
        self.heads.fill(Head::default());
        self.items.clear();
        (self.len, self.apart, self.lost) = (0, 0, 0);
    }

    #[inline(always)]
    pub(crate) fn head(&self, row: usize) -> Head {
        self.heads[row % PAGE]
    }

    #[inline(always)]
    pub(crate) fn ids(&self, head: Head) -> &[u32] {
        &self.items[head.ids()]
    }

    #[inline(always)]
    pub(crate) fn larger(&self, head: Head) -> &[u32] {
        &self.items[head.larger()]
    }

    /// Fetches ahead where a row lies.
    #[inline(always)]
    pub(crate) fn prefetch_head(&self, row: usize) {
        prefetch_index(&self.heads, row % PAGE);
    }

    /// Fetches ahead a row with its room; of a long one, the first lines and the last.
    #[inline(always)]
    pub(crate) fn prefetch(&self, head: Head) {
        let Range { start, end } = head.ids();
        prefetch_index(&self.items, start.wrapping_sub(1));
        for place in (start..end).step_by(LINE).skip(1).take(LINES) {
            prefetch_index(&self.items, place);
        }
        prefetch_index(&self.items, end);
    }

    /// Those that touch, and those that are apart.
    #[inline(always)]
    pub(crate) fn parts(&self, head: Head) -> (&[u32], &[u32]) {
        self.ids(head).split_at(head.touching as usize)
    }

    /// Smaller and larger partners that touch.
    pub(crate) fn both(&self, head: Head) -> (&[u32], &[u32]) {
        self.parts(head).0.split_at(head.smaller as usize)
    }

    /// Rows that hold larger partners that touch, with these.
    pub(crate) fn each_larger(&self) -> impl Iterator<Item = (usize, &[u32])> {
        let rows = self.heads.iter().enumerate().filter(|(_, head)| head.count() > 0);
        rows.map(|(row, &head)| (row, self.larger(head)))
    }

    /// Where `item` stands among those that touch and among those that are apart, or would stand.
    #[inline(always)]
    fn places(&self, head: Head, item: u32) -> [Result<usize, usize>; 2] {
        let (touching, apart) = self.parts(head);
        let behind = |place| touching.len() + place;
        [touching.binary_search(&item), apart.binary_search(&item).map(behind).map_err(behind)]
    }

    /// Adds `item` to the row of `id`, unless it is there, as one that touches or not.
    pub(crate) fn insert(&mut self, id: u32, item: u32, touches: bool) {
        let row = id as usize % PAGE;
        let [Err(touching), Err(apart)] = self.places(self.heads[row], item) else { return };
        if self.heads[row].len >= self.room(row) {
            self.grow(row);
        }
        let place = if touches { touching } else { apart };
        let Range { start, end } = self.heads[row].ids();
        self.items.copy_within(start + place..end, start + place + 1);
        self.items[start + place] = item;
        self.heads[row].len += 1;
        self.count(id, item, touches, 1);
    }

    /// Takes `item` out of the row of `id`, if it is there; whether it touched.
    pub(crate) fn remove(&mut self, id: u32, item: u32) -> bool {
        let row = id as usize % PAGE;
        let [touching, apart] = self.places(self.heads[row], item);
        let Ok(place) = touching.or(apart) else { return false };
        let Range { start, end } = self.heads[row].ids();
        self.items.copy_within(start + place + 1..end, start + place);
        self.heads[row].len -= 1;
        self.count(id, item, touching.is_ok(), -1);
        touching.is_ok()
    }

    /// Moves `item` in the row of `id` to those that touch or to those that are apart, if it is
    /// among the others.
    pub(crate) fn flip(&mut self, id: u32, item: u32, touches: bool) {
        let head = self.heads[id as usize % PAGE];
        let places = self.places(head, item);
        let row = &mut self.items[head.ids()];
        match (touches, places) {
            (true, [Err(to), Ok(from)]) => {
                row.copy_within(to..from, to + 1);
                row[to] = item;
            }
            (false, [Ok(from), Err(to)]) => {
                row.copy_within(from + 1..to, from);
                row[to - 1] = item;
            }
            _ => return,
        }
        self.count(id, item, touches, 1);
        self.count(id, item, !touches, -1);
    }

    /// Counts one more or less in the row of `id`, among those that touch or those that are apart.
    #[inline(always)]
    fn count(&mut self, id: u32, item: u32, touches: bool, more: i32) {
        let larger = if item > id { more as isize } else { 0 };
        if touches {
            let head = &mut self.heads[id as usize % PAGE];
            head.touching = head.touching.wrapping_add_signed(more);
            head.smaller = head.smaller.wrapping_add_signed(if item < id { more } else { 0 });
            self.len = self.len.wrapping_add_signed(larger);
        } else {
            self.apart = self.apart.wrapping_add_signed(larger);
        }
    }

    /// Parts a row all of which counts as touching: what stands in `touching`, which is ascending,
    /// touches, and nothing else; calls with what is not in the row.
    pub(crate) fn part(
        &mut self,
        id: u32,
        touching: &[u32],
        others: &mut Vec<u32>,
        mut missing: impl FnMut(u32),
    ) {
        let head = &mut self.heads[id as usize % PAGE];
        let row = &mut self.items[head.ids()];
        others.clear();
        let mut left = touching.iter().copied().peekable();
        let mut count = 0;
        for place in 0..row.len() {
            let item = row[place];
            while let Some(other) = left.next_if(|&other| other < item) {
                missing(other);
            }
            if left.next_if_eq(&item).is_some() {
                row[count] = item;
                count += 1;
            } else {
                others.push(item);
            }
        }
        left.for_each(missing);
        let (those, rest) = row.split_at_mut(count);
        rest.copy_from_slice(others);
        head.touching = narrow(count);
        head.smaller = narrow(those.partition_point(|&other| other < id));
        let apart = others.iter().filter(|&&other| other > id).count();
        self.len -= apart;
        self.apart += apart;
    }

    /// Forgets what touches and what does not: all count as touching.
    pub(crate) fn join(&mut self, first: u32) {
        for (id, head) in (first..).zip(&mut self.heads) {
            if head.touching < head.len {
                let row = &mut self.items[head.ids()];
                row.sort_unstable();
                head.touching = head.len;
                head.smaller = narrow(row.partition_point(|&other| other < id));
            }
        }
        self.len += std::mem::take(&mut self.apart);
    }

    /// Ids that there are places for in a row that can be edited. One that was never written lies
    /// nowhere.
    #[inline(always)]
    fn room(&self, row: usize) -> u32 {
        self.heads[row].start.checked_sub(1).map_or(0, |place| self.items[place as usize])
    }

    /// Moves a row to the end, with twice the room.
    fn grow(&mut self, row: usize) {
        if self.lost > self.items.len() / 2 + PAGE {
            self.compact();
        }
        let old = self.heads[row];
        self.lost += self.room(row) as usize + usize::from(old.start > 0);
        let head = Head { start: narrow(self.items.len() + 1), ..old };
        let room = room_for(old.len.saturating_mul(2).max(1));
        self.items.push(room);
        self.items.resize(self.items.len() + room as usize, 0);
        self.items.copy_within(old.ids(), head.start as usize);
        self.heads[row] = head;
    }

    /// Lays all rows out anew, with a little room for each.
    fn compact(&mut self) {
        let mut items = Vec::with_capacity(self.items.len() - self.lost);
        for head in &mut self.heads {
            if head.len == 0 {
                *head = Head::default();
                continue;
            }
            let old = head.ids();
            let room = room_for(head.len);
            items.push(room);
            head.start = narrow(items.len());
            items.extend_from_slice(&self.items[old]);
            items.resize(head.start as usize + room as usize, 0);
        }
        self.items = items;
        self.lost = 0;
    }

    /// Replaces everything by rows of larger partners that follow each other in `ids`, each of the
    /// length that `lens` gives.
    pub(crate) fn fill(&mut self, ids: impl Iterator<Item = u32>, lens: impl Iterator<Item = u32>) {
        self.items.clear();
        self.items.extend(ids);
        let mut start = 0;
        for (head, len) in self.heads.iter_mut().zip(lens) {
            *head = Head::one_way(start, len);
            start += len;
        }
        (self.len, self.apart, self.lost) = (self.items.len(), 0, 0);
    }

    /// Replaces everything by the larger partners in `near` whose boxes touch; the ids of the rows
    /// begin at `first`.
    pub(crate) fn fill_touching(&mut self, near: &Self, first: u32, slots: &Slots) {
        self.items.resize(near.len, 0);
        let mut end = 0;
        for (id, (head, &theirs)) in (first..).zip(self.heads.iter_mut().zip(&near.heads)) {
            let start = end;
            if theirs.count() > 0 {
                let bounds = slots.at(id).bounds();
                for place in theirs.larger() {
                    let other = near.items[place];
                    // What lies between rows may be any number.
                    if let Some(&later) = near.items.get(place + AHEAD) {
                        slots.prefetch_any(later);
                    }
                    // Stored in any case: whether they touch cannot be guessed.
                    self.items[end] = other;
                    end += usize::from(bounds.meets(&slots.at(other).bounds()));
                }
            }
            let len = narrow(end - start);
            *head = Head::one_way(narrow(start), len);
        }
        self.items.truncate(end);
        (self.len, self.apart, self.lost) = (end, 0, 0);
    }

    /// Counts one more smaller partner of a row that is to be laid out.
    pub(crate) fn expect_smaller(&mut self, row: usize) {
        self.heads[row % PAGE].smaller += 1;
    }

    /// Lays out rows of the smaller partners that were counted and the larger ones of `one_way`,
    /// which are copied.
    pub(crate) fn lay_out(&mut self, one_way: Option<&Self>) {
        let mut size = 0;
        for (row, head) in self.heads.iter_mut().enumerate() {
            let len = head.smaller + one_way.map_or(0, |page| page.heads[row].len);
            if len > 0 {
                head.start = size + 1;
                (head.touching, head.len) = (len, len);
                size += room_for(len) + 1;
            }
        }
        self.items.clear();
        self.items.resize(size as usize, 0);
        for (row, head) in self.heads.iter_mut().enumerate().filter(|(_, head)| head.len > 0) {
            self.items[head.start as usize - 1] = room_for(head.len);
            if let Some(page) = one_way {
                let larger = page.ids(page.heads[row]);
                self.items[head.larger()].copy_from_slice(larger);
                self.len += larger.len();
            }
            // Counts those that were added.
            head.smaller = 0;
        }
    }

    /// Adds a smaller partner that was counted before; they come in ascending order.
    pub(crate) fn push_smaller(&mut self, row: usize, item: u32) {
        let head = &mut self.heads[row % PAGE];
        self.items[(head.start + head.smaller) as usize] = item;
        head.smaller += 1;
    }

    /// Replaces everything by the larger partners in `both` that touch.
    pub(crate) fn fill_larger(&mut self, both: &Self) {
        self.items.clear();
        for (head, &theirs) in self.heads.iter_mut().zip(&both.heads) {
            let (start, len) = (narrow(self.items.len()), narrow(theirs.count()));
            self.items.extend_from_slice(both.larger(theirs));
            *head = Head::one_way(start, len);
        }
        (self.len, self.apart, self.lost) = (self.items.len(), 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::tests::random;

    #[test]
    fn room_is_enough_and_fills_its_places() {
        for len in 0..2000 {
            let room = room_for(len);
            assert!((len..len + 4).contains(&room) && (room + 1).is_multiple_of(4), "{len}");
        }
    }

    /// A row beside a plain list, through changes drawn at random.
    #[test]
    fn rows_keep_order_and_parts() {
        let mut random = random(12_345);
        let mut page = Page::boxed();
        let mut lists: [Vec<(u32, bool)>; 3] = Default::default();
        let (mut inserted, mut removed, mut flipped) = (0, 0, [0, 0]);
        for step in 0..20_000 {
            // Rows grow in the first half, and shrink in the second.
            let wanted = if step < 10_000 { 3 } else { 5 };
            let row = random(3);
            let (id, item, touches) = (100 * row + 50, random(300), random(2) == 0);
            let list = &mut lists[row as usize];
            let at = list.binary_search_by_key(&item, |&(item, _)| item);
            match (at, random(8)) {
                (Err(at), choice) if choice >= wanted && item != id => {
                    page.insert(id, item, touches);
                    // One that is there stays what it is.
                    page.insert(id, item, !touches);
                    list.insert(at, (item, touches));
                    inserted += 1;
                }
                (Ok(at), choice) if choice < wanted => {
                    assert_eq!(page.remove(id, item), list[at].1, "step {step}");
                    list.remove(at);
                    removed += 1;
                }
                (Ok(at), _) => {
                    page.flip(id, item, touches);
                    flipped[usize::from(touches)] += u32::from(list[at].1 != touches);
                    list[at].1 = touches;
                }
                _ => {
                    page.flip(id, id, touches);
                    assert!(!page.remove(id, id));
                }
            }
        }
        assert!(inserted > 1000 && removed > 1000, "{inserted} {removed}");
        assert!(flipped[0] > 1000 && flipped[1] > 1000, "{flipped:?}");
        let count = |touches| {
            let larger = lists.iter().zip([50, 150, 250]);
            let larger = larger.flat_map(|(list, id)| list.iter().filter(move |(i, _)| *i > id));
            larger.filter(|(_, touching)| *touching == touches).count()
        };
        assert_eq!((page.len, page.apart), (count(true), count(false)));
        for joined in [false, true] {
            for (row, list) in (0..).zip(&lists) {
                let id = 100 * row + 50;
                let (touching, apart) = page.parts(page.head(id as usize));
                let of = |touches| -> Vec<u32> {
                    let those = list.iter().filter(|(_, own)| joined || *own == touches);
                    those.map(|&(item, _)| item).collect()
                };
                assert!(list.len() > 40, "{}", list.len());
                assert_eq!(touching, of(true));
                assert!(joined || apart == of(false));
                assert_eq!(apart.is_empty(), joined);
                let (smaller, larger) = page.both(page.head(id as usize));
                assert!(smaller.iter().all(|&other| other < id));
                assert!(larger.iter().all(|&other| other > id));
                assert_eq!(smaller.len() + larger.len(), touching.len());
            }
            page.join(0);
            assert_eq!((page.len, page.apart), (count(true) + count(false), 0));
        }
    }

    #[test]
    fn a_row_is_parted_by_a_list_and_what_is_missing_is_told() {
        let mut page = Page::boxed();
        for item in [1, 2, 5, 9] {
            page.insert(4, item, true);
        }
        let (mut missing, mut others) = (Vec::new(), Vec::new());
        page.part(4, &[2, 3, 9, 12], &mut others, |other| missing.push(other));
        assert_eq!(missing, [3, 12]);
        assert_eq!(page.parts(page.head(4)), (&[2, 9][..], &[1, 5][..]));
        assert_eq!(page.both(page.head(4)), (&[2][..], &[9][..]));
        assert_eq!((page.len, page.apart), (1, 1));
    }
}
