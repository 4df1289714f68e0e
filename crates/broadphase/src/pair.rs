//! Pairs, and how they are put in order.

use std::fmt;

use crate::row_page::PAGE;
use crate::rows::Rows;

/// Two boxes that touch; `a < b`.
///
/// ```
/// use impinge_broadphase::Pair;
///
/// assert_eq!(Pair::new(7, 2), Pair { a: 2, b: 7 });
/// assert!(Pair::new(2, 7) < Pair::new(3, 4)); // by the smaller id first
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pair {
    /// Smaller id.
    pub a: u32,
    /// Larger id.
    pub b: u32,
}

impl Pair {
    /// The pair of two ids in order.
    #[must_use]
    #[inline]
    pub fn new(a: u32, b: u32) -> Self {
        Self { a: a.min(b), b: a.max(b) }
    }

    /// Orders as the pair does.
    #[inline(always)]
    fn key(self) -> u64 {
        u64::from(self.a) << 32 | u64::from(self.b)
    }
}

/// Ranges of `a` that are sorted apart from each other.
const RANGES: u64 = 256;
/// Rows of one `a` longer than this are not sorted by insertion.
const LONG_ROW: usize = 24;

/// Pairs in no order, as one task found them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// Both ids, stored with slack: only the first `len` count.
    pub(crate) a: Vec<u32>,
    pub(crate) b: Vec<u32>,
    pub(crate) len: usize,
    /// How often sixteen boxes were tested against one.
    pub(crate) tests: usize,
    /// The same, grouped by range of `a`.
    grouped: Vec<Pair>,
    /// End of each range in `grouped`.
    ends: Vec<u32>,
}

impl Found {
    /// Room for that many more, at most 4,096.
    #[inline(always)]
    pub(crate) fn reserve(&mut self, more: usize) {
        if self.len + more > self.a.len() {
            self.grow();
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let size = 2 * self.a.len() + 8192;
        self.a.resize(size, 0);
        self.b.resize(size, 0);
    }

    /// Groups the pairs by range of `a`.
    pub(crate) fn group(&mut self, ranges: Ranges) {
        let (a, b) = (&self.a[..self.len], &self.b[..self.len]);
        self.ends.clear();
        self.ends.resize(ranges.count, 0);
        for &a in a {
            self.ends[ranges.of(a)] += 1;
        }
        let mut next = 0;
        for end in &mut self.ends {
            next += std::mem::replace(end, next);
        }
        self.grouped.resize(self.len, Pair::default());
        for (&a, &b) in a.iter().zip(b) {
            let place = &mut self.ends[ranges.of(a)];
            self.grouped[*place as usize] = Pair { a, b };
            *place += 1;
        }
    }

    fn range(&self, range: usize) -> &[Pair] {
        let start = if range == 0 { 0 } else { self.ends[range - 1] };
        &self.grouped[start as usize..self.ends[range] as usize]
    }
}

/// Equal ranges of ids, a power of two of pages wide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranges {
    shift: u32,
    count: usize,
}

impl Ranges {
    /// Ranges for ids below `end`.
    pub(crate) fn new(end: u64) -> Self {
        let width = (end / RANGES).max(PAGE as u64).next_power_of_two();
        let shift = width.trailing_zeros();
        let count = usize::try_from((end >> shift) + 1).unwrap_or(1);
        Self { shift, count }
    }

    /// Ids of one range.
    pub(crate) fn width(self) -> usize {
        1 << self.shift
    }

    #[inline(always)]
    fn of(self, id: u32) -> usize {
        // A range as wide as all ids shifts out every bit.
        id.checked_shr(self.shift).unwrap_or(0) as usize
    }
}

/// Scratch memory of sorting one range.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sorter {
    /// The pairs of the range, sorted.
    pub(crate) pairs: Vec<Pair>,
    /// End of the row of each id in `pairs`.
    pub(crate) ends: Vec<u32>,
}

impl Sorter {
    /// Sorts the pairs of one range. Whether `ends` was filled: it is not for few pairs of many
    /// ids, where counting would cost more than comparing.
    pub(crate) fn sort(&mut self, found: &[&Found], range: usize, width: usize) -> bool {
        let total = found.iter().map(|f| f.range(range).len()).sum::<usize>();
        let all = || found.iter().flat_map(|f| f.range(range));
        if width > 8 * total && width > PAGE || total > u32::MAX as usize {
            self.pairs.clear();
            self.pairs.extend(all());
            self.pairs.sort_unstable();
            return false;
        }
        self.pairs.resize(total, Pair::default());
        let mask = width - 1;
        let (out, counts) = (&mut self.pairs, &mut self.ends);
        counts.clear();
        counts.resize(width, 0);
        for f in found {
            for pair in f.range(range) {
                counts[pair.a as usize & mask] += 1;
            }
        }
        let mut next = 0;
        for count in counts.iter_mut() {
            next += std::mem::replace(count, next);
        }
        for f in found {
            for pair in f.range(range) {
                let place = &mut counts[pair.a as usize & mask];
                out[*place as usize] = *pair;
                *place += 1;
            }
        }
        // Few rows are long. Short ones are sorted by insertion, all in one go, which guesses
        // wrong less often than a loop for each row.
        let mut start = 0;
        for &end in counts.iter() {
            if end as usize - start > LONG_ROW {
                out[start..end as usize].sort_unstable_by_key(|pair| pair.b);
            }
            start = end as usize;
        }
        insertion_sort(out);
        true
    }
}

/// Sorts what is almost in order.
fn insertion_sort(pairs: &mut [Pair]) {
    // One pass of exchanges without branches: most rows hold two pairs or three, and are in order
    // after it more often than not.
    let Some((first, rest)) = pairs.split_first_mut() else { return };
    let mut place = first;
    let mut largest = *place;
    for next in rest {
        let pair = *next;
        let ordered = largest.key() <= pair.key();
        *place = if ordered { largest } else { pair };
        largest = if ordered { pair } else { largest };
        place = next;
    }
    *place = largest;
    for index in 1..pairs.len() {
        let pair = pairs[index];
        let mut place = index;
        while place > 0 && pairs[place - 1].key() > pair.key() {
            pairs[place] = pairs[place - 1];
            place -= 1;
        }
        pairs[place] = pair;
    }
}

/// Pairs that began or ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    pub(crate) begun: Vec<Pair>,
    pub(crate) ended: Vec<Pair>,
}

impl Changes {
    pub(crate) fn clear(&mut self) {
        self.begun.clear();
        self.ended.clear();
    }

    /// Those that ended, and after them those that began.
    #[inline(always)]
    pub(crate) fn at(&self, place: usize) -> Pair {
        place.checked_sub(self.ended.len()).map_or_else(|| self.ended[place], |k| self.begun[k])
    }

    pub(crate) fn sort(&mut self) {
        self.begun.sort_unstable();
        self.ended.sort_unstable();
    }

    /// Adds the differences between an old row of `id`, in two parts, and a new one, all ascending;
    /// in order where the second part is empty.
    #[inline(always)]
    pub(crate) fn compare(&mut self, id: u32, mut old: [&[u32]; 2], new: &[u32]) {
        let Self { begun, ended } = self;
        let mut end = |gone: &[u32]| ended.extend(gone.iter().map(|&gone| Pair::new(id, gone)));
        for &item in new {
            // Most are there, and in which part cannot be guessed.
            let mut known = old.map(|part| part.first() == Some(&item));
            if !(known[0] | known[1]) {
                for (part, known) in old.iter_mut().zip(&mut known) {
                    let (gone, rest) = part.split_at(part.partition_point(|&gone| gone < item));
                    end(gone);
                    (*part, *known) = (rest, rest.first() == Some(&item));
                }
                if !(known[0] | known[1]) {
                    begun.push(Pair::new(id, item));
                }
            }
            for (part, known) in old.iter_mut().zip(known) {
                *part = &part[usize::from(known)..];
            }
        }
        old.into_iter().for_each(end);
    }
}

/// The complete list of pairs, sorted by `a`, then `b`.
///
/// ```
/// use impinge_broadphase::{BroadPhase, Mobility};
/// use impinge_shapes::{Aabb, glam::Vec3};
///
/// let mut broad = BroadPhase::new();
/// for (id, x) in [(3, 0.0), (5, 1.0), (8, 2.0)] {
///     let low = Vec3::X * x;
///     broad.set(id, Aabb::new(low, low + Vec3::ONE)?, Mobility::Moving);
/// }
/// broad.update();
/// let pairs = broad.pairs();
/// assert_eq!((pairs.len(), pairs.row(5), pairs.row(8)), (2, &[8][..], &[][..]));
/// assert!(pairs.rows().eq([(3, &[5][..]), (5, &[8][..])]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Pairs<'a> {
    rows: &'a Rows,
}

impl<'a> Pairs<'a> {
    pub(crate) fn new(rows: &'a Rows) -> Self {
        Self { rows }
    }

    /// Number of pairs.
    #[must_use]
    pub fn len(self) -> usize {
        self.rows.len()
    }

    /// Whether there is no pair.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// All pairs in order.
    pub fn iter(self) -> impl Iterator<Item = Pair> + 'a {
        self.rows().flat_map(|(a, row)| row.iter().map(move |&b| Pair { a, b }))
    }

    /// Ids that are the smaller one of a pair, ascending, each with its larger partners, ascending.
    pub fn rows(self) -> impl Iterator<Item = (u32, &'a [u32])> {
        self.rows.each()
    }

    /// Larger partners of `a`, ascending; empty for unknown ids.
    #[must_use]
    pub fn row(self, a: u32) -> &'a [u32] {
        self.rows.larger(a)
    }

    /// Replaces `list` by all pairs in order.
    pub fn copy_into(self, list: &mut Vec<Pair>) {
        list.resize(self.len(), Pair::default());
        self.rows.copy_into(list);
    }

    /// All pairs in order, as a list of their own.
    #[must_use]
    pub fn to_vec(self) -> Vec<Pair> {
        let mut list = Vec::new();
        self.copy_into(&mut list);
        list
    }
}

impl fmt::Debug for Pairs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
