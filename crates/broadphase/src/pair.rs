//! Pairs, and how they are put in order.

use rayon::prelude::*;

/// Two boxes that touch; `a < b`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
/// Smallest width of such a range.
const NARROWEST: u64 = 1024;
/// Rows of one `a` longer than this are not sorted by insertion.
const LONG_ROW: usize = 24;
/// Pairs below which the ranges are sorted one after the other.
const SERIAL: usize = 1 << 14;

/// Pairs in no order, as one task found them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// Both ids, stored with slack: only the first `len` count.
    pub(crate) a: Vec<u32>,
    pub(crate) b: Vec<u32>,
    pub(crate) len: usize,
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

/// Equal ranges of ids, a power of two wide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranges {
    shift: u32,
    count: usize,
}

impl Ranges {
    /// Ranges for ids below `end`.
    pub(crate) fn new(end: u64) -> Self {
        let width = (end / RANGES).max(NARROWEST).next_power_of_two();
        let shift = width.trailing_zeros();
        let count = usize::try_from((end >> shift) + 1).unwrap_or(1);
        Self { shift, count }
    }

    #[inline(always)]
    fn of(self, id: u32) -> usize {
        // A range as wide as all ids shifts out every bit.
        id.checked_shr(self.shift).unwrap_or(0) as usize
    }
}

/// Joins grouped pairs into one sorted list.
pub(crate) fn join_sorted<'a>(
    found: impl Iterator<Item = &'a Found>,
    ranges: Ranges,
    sorted: &mut Vec<Pair>,
) {
    let found: Vec<&Found> = found.collect();
    let found = found.as_slice();
    let total = found.iter().map(|f| f.len).sum();
    sorted.resize(total, Pair::default());
    let mut rest = sorted.as_mut_slice();
    let mut tasks = Vec::with_capacity(ranges.count);
    for range in 0..ranges.count {
        let size = found.iter().map(|f| f.range(range).len()).sum();
        let (mine, others) = rest.split_at_mut(size);
        rest = others;
        if size > 0 {
            tasks.push((range, mine));
        }
    }
    let sort = |counts: &mut Vec<u32>, (range, out): (usize, &mut [Pair])| {
        sort_range(found, range, ranges.shift, counts, out);
    };
    if total <= SERIAL {
        let mut counts = Vec::new();
        tasks.into_iter().for_each(|task| sort(&mut counts, task));
    } else {
        tasks.into_par_iter().with_min_len(4).for_each_init(Vec::new, sort);
    }
}

fn sort_range(found: &[&Found], range: usize, shift: u32, counts: &mut Vec<u32>, out: &mut [Pair]) {
    let width = 1_usize << shift;
    let mask = width - 1;
    let all = || found.iter().flat_map(|f| f.range(range));
    if width > 8 * out.len() {
        // Few pairs, or sparse ids: counting would cost more than comparing.
        for (place, pair) in out.iter_mut().zip(all()) {
            *place = *pair;
        }
        out.sort_unstable();
        return;
    }
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
    // Few rows are long. Short ones are sorted by insertion, all in one go, which guesses wrong
    // less often than a loop for each row.
    let mut start = 0;
    for &end in counts.iter() {
        if end as usize - start > LONG_ROW {
            out[start..end as usize].sort_unstable_by_key(|pair| pair.b);
        }
        start = end as usize;
    }
    insertion_sort(out);
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

/// Replaces the pairs of the boxes that changed: keeps what `changed` does not name, and merges
/// `fresh` in. Both lists are sorted.
pub(crate) fn merge(old: &[Pair], fresh: &[Pair], changed: &Changed, merged: &mut Vec<Pair>) {
    merged.resize(old.len() + fresh.len(), Pair::default());
    let mut length = 0;
    let mut fresh = fresh.iter().peekable();
    for &kept in old {
        while let Some(&&pair) = fresh.peek().filter(|pair| pair.key() < kept.key()) {
            merged[length] = pair;
            length += 1;
            fresh.next();
        }
        // Written always and counted when kept, so that nothing is mispredicted.
        merged[length] = kept;
        length += usize::from(!(changed.has(kept.a) | changed.has(kept.b)));
    }
    for &pair in fresh {
        merged[length] = pair;
        length += 1;
    }
    merged.truncate(length);
}

/// The set of boxes whose pairs must be found again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changed {
    /// One bit for each id; not used when ids are too sparse.
    bits: Vec<u64>,
    /// Ids, ascending.
    list: Vec<u32>,
    dense: bool,
}

impl Changed {
    pub(crate) fn fill(&mut self, ids: &[u32], end: u64, pairs: usize) {
        let words = usize::try_from(end.div_ceil(64)).unwrap_or(usize::MAX);
        self.dense = words <= pairs + ids.len() + 1024;
        self.bits.clear();
        self.list.clear();
        if self.dense {
            self.bits.resize(words, 0);
            for &id in ids {
                self.bits[id as usize / 64] |= 1 << (id % 64);
            }
        } else {
            self.list.extend_from_slice(ids);
            self.list.sort_unstable();
        }
    }

    #[inline(always)]
    pub(crate) fn has(&self, id: u32) -> bool {
        if self.dense {
            self.bits[id as usize / 64] >> (id % 64) & 1 == 1
        } else {
            self.list.binary_search(&id).is_ok()
        }
    }
}
