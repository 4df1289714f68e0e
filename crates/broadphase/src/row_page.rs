//! Rows of neighbouring ids, that can be edited in place.

use prefetch_index::prefetch_index;

use crate::lanes::narrow;
use crate::slots::Slots;

/// Ids of one page. A page is made when the first of its rows is used.
pub(crate) const PAGE: usize = 4096;

/// Partners whose marks share a word.
const MARKS: u32 = u32::BITS;
/// Partners between the one in hand and the one whose box is fetched.
const AHEAD: usize = 40;

/// Where a row lies in its page: 16 bytes, so that four share a cache line.
///
/// A page has at most 2^32 places, 16 GB, for its rows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Head {
    start: u32,
    pub(crate) len: u32,
    /// How many of its ids are smaller than the id whose row it is; they come first.
    smaller: u32,
    /// Ids that there are places for. The marks follow them, if the rows go both ways.
    room: u32,
}

impl Head {
    fn ids(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }

    fn larger(self) -> std::ops::Range<usize> {
        (self.start + self.smaller) as usize..(self.start + self.len) as usize
    }

    fn marks(self) -> std::ops::Range<usize> {
        let first = (self.start + self.room) as usize;
        first..first + self.room.div_ceil(MARKS) as usize
    }

    /// Places of ids and marks, a multiple of four.
    fn size(self) -> u32 {
        (self.room + self.room.div_ceil(MARKS)).next_multiple_of(4)
    }
}

/// Room for that many ids at least: what fills a multiple of four places with the marks, so that
/// short rows lie in one cache line.
fn room_for(len: u32) -> u32 {
    let size = (len + len.div_ceil(MARKS)).next_multiple_of(4);
    size - size.div_ceil(MARKS + 1)
}

/// Rows of neighbouring ids.
///
/// The rows hold the larger partners of each id, one row after the other without gaps; or all
/// partners, with gaps and with a mark for each. Only the latter can be edited.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    heads: Vec<Head>,
    items: Vec<u32>,
    /// Larger partners in all rows.
    pub(crate) len: usize,
    /// Places that belong to no row any more.
    lost: usize,
}

impl Page {
    pub(crate) fn boxed() -> Box<Self> {
        let heads = vec![Head::default(); PAGE];
        Box::new(Self { heads, items: Vec::new(), len: 0, lost: 0 })
    }

    pub(crate) fn clear(&mut self) {
        self.heads.fill(Head::default());
        self.items.clear();
        (self.len, self.lost) = (0, 0);
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

    /// One bit for each id of a row, 32 to a word.
    #[inline(always)]
    pub(crate) fn marks(&self, head: Head) -> &[u32] {
        &self.items[head.marks()]
    }

    /// Fetches ahead where a row lies.
    #[inline(always)]
    pub(crate) fn prefetch_head(&self, row: usize) {
        prefetch_index(&self.heads, row % PAGE);
    }

    /// Fetches ahead both ends of a row, which may lie in two cache lines.
    #[inline(always)]
    pub(crate) fn prefetch(&self, head: Head) {
        prefetch_index(&self.items, head.start as usize);
        prefetch_index(&self.items, head.start as usize + head.room as usize);
    }

    /// Smaller and larger partners.
    pub(crate) fn both(&self, head: Head) -> (&[u32], &[u32]) {
        self.ids(head).split_at(head.smaller as usize)
    }

    /// Rows that hold larger partners, with these.
    pub(crate) fn each_larger(&self) -> impl Iterator<Item = (usize, &[u32])> {
        let rows = self.heads.iter().enumerate().filter(|(_, head)| head.len > head.smaller);
        rows.map(|(row, &head)| (row, self.larger(head)))
    }

    /// Adds `item`, without a mark, to the row of `id`, unless it is there.
    pub(crate) fn insert(&mut self, id: u32, item: u32) {
        let row = id as usize % PAGE;
        let Err(place) = self.ids(self.heads[row]).binary_search(&item) else { return };
        if self.heads[row].len == self.heads[row].room {
            self.grow(row);
        }
        let ids = self.heads[row].ids();
        self.items.copy_within(ids.start + place..ids.end, ids.start + place + 1);
        self.items[ids.start + place] = item;
        insert_bit(&mut self.items[self.heads[row].marks()], place);
        let head = &mut self.heads[row];
        head.len += 1;
        head.smaller += u32::from(item < id);
        self.len += usize::from(item > id);
    }

    /// Takes `item` out of the row of `id`, if it is there; whether it had a mark.
    pub(crate) fn remove(&mut self, id: u32, item: u32) -> bool {
        let row = id as usize % PAGE;
        let Ok(place) = self.ids(self.heads[row]).binary_search(&item) else { return false };
        let ids = self.heads[row].ids();
        self.items.copy_within(ids.start + place + 1..ids.end, ids.start + place);
        let marked = remove_bit(&mut self.items[self.heads[row].marks()], place);
        let head = &mut self.heads[row];
        head.len -= 1;
        head.smaller -= u32::from(item < id);
        self.len -= usize::from(item > id);
        marked
    }

    /// Gives `item` a mark in the row of `id`, or takes it away.
    pub(crate) fn flip(&mut self, id: u32, item: u32) {
        let head = self.heads[id as usize % PAGE];
        if let Ok(place) = self.ids(head).binary_search(&item) {
            self.items[head.marks().start + place / MARKS as usize] ^=
                1 << (place % MARKS as usize);
        }
    }

    /// Marks what stands in `touching`, which is ascending, and nothing else; calls with what is
    /// not in the row.
    pub(crate) fn mark(&mut self, row: usize, touching: &[u32], mut missing: impl FnMut(u32)) {
        let head = self.heads[row % PAGE];
        self.items[head.marks()].fill(0);
        let (ids, marks) =
            self.items[head.ids().start..head.marks().end].split_at_mut(head.room as usize);
        let mut ids = ids[..head.len as usize].iter().enumerate().peekable();
        for &other in touching {
            while ids.next_if(|&(_, &id)| id < other).is_some() {}
            match ids.next_if(|&(_, &id)| id == other) {
                Some((place, _)) => marks[place / MARKS as usize] |= 1 << (place % MARKS as usize),
                None => missing(other),
            }
        }
    }

    /// Moves a row to the end, with twice the room.
    fn grow(&mut self, row: usize) {
        if self.lost > self.items.len() / 2 + PAGE {
            self.compact();
        }
        let old = self.heads[row];
        let room = room_for(old.len.saturating_mul(2).max(1));
        self.lost += old.size() as usize;
        let head = Head { start: narrow(self.items.len()), room, ..old };
        self.items.resize(self.items.len() + head.size() as usize, 0);
        self.items.copy_within(old.ids(), head.start as usize);
        self.items.copy_within(old.marks(), head.marks().start);
        self.heads[row] = head;
    }

    /// Lays all rows out anew, with a little room for each.
    fn compact(&mut self) {
        let mut items = Vec::with_capacity(self.items.len() - self.lost);
        for head in &mut self.heads {
            let old = *head;
            *head = Head { start: narrow(items.len()), room: room_for(old.len), ..old };
            items.extend_from_slice(&self.items[old.ids()]);
            items.resize(head.marks().start, 0);
            let words = old.len.div_ceil(MARKS) as usize;
            items.extend_from_slice(&self.items[old.marks()][..words]);
            items.resize((head.start + head.size()) as usize, 0);
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
            *head = Head { start, len, smaller: 0, room: len };
            start += len;
        }
        (self.len, self.lost) = (self.items.len(), 0);
    }

    /// Replaces everything by the larger partners in `near` whose boxes touch; the ids of the rows
    /// begin at `first`.
    pub(crate) fn fill_touching(&mut self, near: &Self, first: u32, slots: &Slots) {
        self.items.resize(near.len, 0);
        let mut end = 0;
        for (id, (head, &theirs)) in (first..).zip(self.heads.iter_mut().zip(&near.heads)) {
            let start = end;
            if theirs.len > theirs.smaller {
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
            *head = Head { start: narrow(start), len, smaller: 0, room: len };
        }
        self.items.truncate(end);
        (self.len, self.lost) = (end, 0);
    }

    /// Counts one more smaller partner of a row that is to be laid out.
    pub(crate) fn expect_smaller(&mut self, row: usize) {
        self.heads[row % PAGE].room += 1;
    }

    /// Lays out rows of the smaller partners that were counted and the larger ones of `one_way`,
    /// which are copied; nothing is marked.
    pub(crate) fn lay_out(&mut self, one_way: Option<&Self>) {
        let mut size = 0;
        for (row, head) in self.heads.iter_mut().enumerate() {
            let smaller = head.room;
            let larger = one_way.map_or(0, |page| page.heads[row].len);
            *head = Head {
                start: size,
                len: smaller + larger,
                smaller,
                room: room_for(smaller + larger),
            };
            size += head.size();
        }
        self.items.clear();
        self.items.resize(size as usize, 0);
        for (row, head) in self.heads.iter_mut().enumerate() {
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
}

/// Moves the bits from `place` on by one; the one there becomes 0.
fn insert_bit(words: &mut [u32], place: usize) {
    let (first, bit) = (place / MARKS as usize, place % MARKS as usize);
    let mut carry = 0;
    for (index, word) in words.iter_mut().enumerate().skip(first) {
        let stays = if index == first { *word & ((1 << bit) - 1) } else { 0 };
        let moves = *word & !stays;
        carry = std::mem::replace(word, stays | moves << 1 | carry) >> (MARKS - 1);
    }
}

/// Takes out the bit at `place`, and moves those behind it down by one.
fn remove_bit(words: &mut [u32], place: usize) -> bool {
    let (first, bit) = (place / MARKS as usize, place % MARKS as usize);
    let mut carry = 0;
    for word in words[first + 1..].iter_mut().rev() {
        carry = std::mem::replace(word, *word >> 1 | carry << (MARKS - 1)) & 1;
    }
    let word = words[first];
    let stays = word & ((1 << bit) - 1);
    words[first] = stays | (word >> 1) & !((1 << bit) - 1) | carry << (MARKS - 1);
    word >> bit & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_enough_and_fills_its_places() {
        for len in 0..2000 {
            let head = Head { room: room_for(len), ..Head::default() };
            assert!(head.room >= len && head.size() <= len + len.div_ceil(32) + 4, "{len}");
        }
    }

    /// A row beside a plain list, through changes drawn at random.
    #[test]
    fn rows_keep_order_and_marks() {
        let mut state = 12_345_u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        let mut page = Page::boxed();
        let mut lists: [Vec<(u32, bool)>; 3] = Default::default();
        let (mut inserted, mut removed) = (0, 0);
        for step in 0..20_000 {
            // Rows grow in the first half, and shrink in the second.
            let wanted = if step < 10_000 { 3 } else { 5 };
            let row = random(3);
            let (id, item) = (100 * row + 50, random(300));
            let list = &mut lists[row as usize];
            let at = list.binary_search_by_key(&item, |&(item, _)| item);
            match (at, random(8)) {
                (Err(at), choice) if choice >= wanted && item != id => {
                    page.insert(id, item);
                    list.insert(at, (item, false));
                    inserted += 1;
                }
                (Ok(at), choice) if choice < wanted => {
                    assert_eq!(page.remove(id, item), list[at].1, "step {step}");
                    list.remove(at);
                    removed += 1;
                }
                (Ok(at), _) => {
                    page.flip(id, item);
                    list[at].1 = !list[at].1;
                }
                _ => {}
            }
        }
        assert!(inserted > 1000 && removed > 1000, "{inserted} {removed}");
        for (row, list) in (0..).zip(&lists) {
            let head = page.head(100 * row + 50);
            let (ids, marks) = (page.ids(head), page.marks(head));
            let marked = |place: usize| marks[place / 32] >> (place % 32) & 1 == 1;
            let found: Vec<(u32, bool)> =
                ids.iter().enumerate().map(|(place, &id)| (id, marked(place))).collect();
            assert!(list.len() > 40, "{}", list.len());
            assert_eq!(&found, list);
            let id = 100 * row + 50;
            assert!(page.both(head).0.iter().all(|&other| (other as usize) < id));
            assert!(page.both(head).1.iter().all(|&other| (other as usize) > id));
        }
        let larger = lists.iter().zip([50, 150, 250]);
        let larger = larger.flat_map(|(list, id)| list.iter().filter(move |(item, _)| *item > id));
        assert_eq!(page.len, larger.count());
    }

    #[test]
    fn marks_follow_a_list_and_what_is_missing_is_told() {
        let mut page = Page::boxed();
        for item in [1, 2, 5, 9] {
            page.insert(4, item);
        }
        page.flip(4, 1);
        let mut missing = Vec::new();
        page.mark(4, &[2, 3, 9, 12], |other| missing.push(other));
        assert_eq!(missing, [3, 12]);
        assert_eq!(page.marks(page.head(4)), [0b1010]);
    }
}
