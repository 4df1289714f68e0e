//! Sorted lists of which a few places change.

use std::sync::Arc;

use impinge_broadphase::Pair;

use crate::contacts::SensorOverlap;
use crate::entries::Entry;

/// What has a place in a list that is sorted by slots.
pub(crate) trait Kept {
    /// Among contacts and pairs of one update they are unique, because a slot holds one body.
    fn slots(&self) -> (u32, u32);
}

impl Kept for Entry {
    fn slots(&self) -> (u32, u32) {
        (self.a.index(), self.b.index())
    }
}

impl Kept for SensorOverlap {
    fn slots(&self) -> (u32, u32) {
        (self.a.index(), self.b.index())
    }
}

impl Kept for Pair {
    fn slots(&self) -> (u32, u32) {
        (self.a, self.b)
    }
}

/// Number of items before `key`, found in steps that double.
///
/// - Cost: the logarithm of the answer.
#[inline]
pub(crate) fn before<T: Kept>(list: &[T], key: (u32, u32)) -> usize {
    let mut step = 1;
    while step < list.len() && list[step - 1].slots() < key {
        step *= 2;
    }
    let (from, to) = (step / 2, step.min(list.len()));
    from + list[from..to].partition_point(|item| item.slots() < key)
}

/// Stretches of a list and what takes their places.
///
/// - Cost: of [`Edits::apply`], that of the edits, and of moving what lies behind the first place at
///   which the list grows or shrinks.
#[derive(Debug)]
pub(crate) struct Edits<T> {
    /// Start and length of each stretch, and how many items take its place; in order.
    stretches: Vec<(usize, usize, usize)>,
    items: Vec<T>,
}

impl<T> Default for Edits<T> {
    fn default() -> Self {
        Self { stretches: Vec::new(), items: Vec::new() }
    }
}

impl<T: Copy> Edits<T> {
    pub(crate) fn clear(&mut self) {
        self.stretches.clear();
        self.items.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    /// Puts items in the place of `len` items from `start` on, which is behind all stretches so far.
    pub(crate) fn replace(&mut self, start: usize, len: usize, items: impl IntoIterator<Item = T>) {
        let before = self.items.len();
        self.items.extend(items);
        let count = self.items.len() - before;
        if len > 0 || count > 0 {
            self.stretches.push((start, len, count));
        }
    }

    /// Notes what becomes of a sorted list at the sorted `keys`, where it holds what `fresh` does,
    /// and nothing else. `told` hears what was and what is now at each key that has something.
    pub(crate) fn at_keys(
        &mut self,
        list: &[T],
        fresh: impl IntoIterator<Item = T>,
        keys: &[Pair],
        mut told: impl FnMut(Option<&T>, Option<&T>),
    ) where
        T: Kept,
    {
        self.clear();
        let (mut fresh, mut place) = (fresh.into_iter().peekable(), 0);
        for key in keys {
            let key = key.slots();
            place += before(&list[place..], key);
            let was = list.get(place).filter(|item| item.slots() == key);
            let now = fresh.next_if(|item| item.slots() == key);
            told(was, now.as_ref());
            self.replace(place, usize::from(was.is_some()), now);
            place += usize::from(was.is_some());
        }
    }

    /// What takes the place of each stretch, and where that is in the list after the edits.
    pub(crate) fn places(&self) -> impl Iterator<Item = (usize, &[T])> {
        let (mut shift, mut from) = (0_isize, 0);
        self.stretches.iter().map(move |&(start, len, count)| {
            let place = start.wrapping_add_signed(shift);
            let items = &self.items[from..from + count];
            shift += difference(count, len);
            from += count;
            (place, items)
        })
    }

    /// Edits a list, a copy of it if it is shared and anything changes.
    pub(crate) fn apply(&self, list: &mut Arc<Vec<T>>) {
        if !self.is_empty() {
            self.apply_in_place(Arc::make_mut(list));
        }
    }

    pub(crate) fn apply_in_place(&self, list: &mut Vec<T>) {
        let old_len = list.len();
        let growth: isize =
            self.stretches.iter().map(|&(_, len, count)| difference(count, len)).sum();
        if let (true, Some(&filler)) = (growth > 0, self.items.first()) {
            list.resize(old_len.wrapping_add_signed(growth), filler);
        }
        // What lies between the stretches: first what moves forward, from the front on, then what
        // moves backward, from the back on, so that nothing is written over that is to be moved.
        let mut shift = 0;
        for (k, &(start, len, count)) in self.stretches.iter().enumerate() {
            shift += difference(count, len);
            if shift < 0 {
                let end = self.stretches.get(k + 1).map_or(old_len, |next| next.0);
                list.copy_within(start + len..end, (start + len).wrapping_add_signed(shift));
            }
        }
        let mut end = old_len;
        for &(start, len, count) in self.stretches.iter().rev() {
            if shift > 0 {
                list.copy_within(start + len..end, (start + len).wrapping_add_signed(shift));
            }
            shift -= difference(count, len);
            end = start;
        }
        for (place, items) in self.places() {
            list[place..place + items.len()].copy_from_slice(items);
        }
        list.truncate(old_len.wrapping_add_signed(growth));
    }
}

/// `count - len`, both far below the largest number there is.
fn difference(count: usize, len: usize) -> isize {
    0_isize.wrapping_add_unsigned(count).wrapping_sub_unsigned(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hold_what_is_fresh_at_the_keys_and_the_rest_stays() {
        let pair = |b| Pair { a: 0, b };
        let old: Vec<Pair> = (0..100).filter(|b| b % 3 != 0).map(pair).collect();
        let keys: Vec<Pair> = [0, 1, 6, 7, 7, 50, 98, 99, 200].map(pair).to_vec();
        let expected = |old: &[Pair], fresh: &[Pair]| -> Vec<Pair> {
            let kept = old.iter().filter(|pair| !keys.contains(pair)).chain(fresh);
            let mut all: Vec<Pair> = kept.copied().collect();
            all.sort();
            all
        };
        let (fresh, mut edits) = ([1, 6, 99, 200].map(pair), Edits::default());
        for (old, fresh) in [(&old[..], &fresh[..]), (&[], &fresh), (&old, &[]), (&[], &[])] {
            let (mut list, mut was_there, mut is_there) = (Arc::new(old.to_vec()), 0, 0);
            edits.at_keys(old, fresh.iter().copied(), &keys, |was, now| {
                was_there += usize::from(was.is_some());
                is_there += usize::from(now.is_some());
            });
            edits.apply(&mut list);
            assert_eq!(*list, expected(old, fresh));
            assert_eq!(is_there, fresh.len());
            assert_eq!(old.len() - was_there + is_there, list.len());
            let told: Vec<Pair> = edits.places().flat_map(|(_, items)| items).copied().collect();
            assert_eq!(told, fresh);
            assert!(edits.places().all(|(place, items)| list[place..].starts_with(items)));
        }
        for key in 0..120 {
            let (found, slow) = (before(&old, (0, key)), old.partition_point(|p| p.b < key));
            assert_eq!(found, slow, "{key}");
        }
    }

    #[test]
    fn stretches_of_any_lengths_change_places() {
        // A generator of whole numbers, so that the lists are the same every time.
        let mut state = 1_u32;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let (mut grew, mut shrank) = (0, 0);
        for _ in 0..500 {
            let old: Vec<u32> = (0..draw(40)).collect();
            let (mut edits, mut expected, mut place) = (Edits::default(), Vec::new(), 0);
            while place < old.len() {
                let (kept, len) = (draw(4) as usize, draw(4) as usize);
                let start = (place + kept).min(old.len());
                let end = (start + len).min(old.len());
                let items: Vec<u32> = (0..draw(4)).map(|item| 100 + item).collect();
                expected.extend_from_slice(&old[place..start]);
                expected.extend_from_slice(&items);
                edits.replace(start, end - start, items);
                place = end;
            }
            let mut list = old.clone();
            edits.apply_in_place(&mut list);
            assert_eq!(list, expected);
            grew += usize::from(list.len() > old.len());
            shrank += usize::from(list.len() < old.len());
        }
        assert!(grew > 50 && shrank > 50, "{grew} {shrank}");
    }
}
