//! Sorted lists of which a few places change.

use impinge_broadphase::Pair;

use crate::contacts::SensorOverlap;
use crate::store::Entry;

/// What has a place in a list that is sorted by slots.
pub(crate) trait Kept {
    /// At one update they are unique, because a slot holds one body.
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

/// Walks a sorted list along the sorted `keys`: `keep` gets the stretches between them, `change`
/// what was and what is now at each key. `fresh` holds items at keys only, in order.
pub(crate) fn walk<T: Kept>(
    mut old: &[T],
    fresh: impl IntoIterator<Item = T>,
    keys: &[Pair],
    mut step: impl FnMut(Step<'_, T>),
) {
    let mut fresh = fresh.into_iter().peekable();
    for key in keys {
        let key = key.slots();
        let (kept, rest) = old.split_at(before(old, key));
        if !kept.is_empty() {
            step(Step::Keep(kept));
        }
        let (was, rest) = match rest {
            [first, rest @ ..] if first.slots() == key => (Some(first), rest),
            _ => (None, rest),
        };
        old = rest;
        let now = fresh.next_if(|item| item.slots() == key);
        if was.is_some() || now.is_some() {
            step(Step::Change(was, now));
        }
    }
    if !old.is_empty() {
        step(Step::Keep(old));
    }
}

/// Part of a [`walk`].
pub(crate) enum Step<'o, T> {
    /// Nothing changed here.
    Keep(&'o [T]),
    /// What was at a key, and what is there now; one of them is something.
    Change(Option<&'o T>, Option<T>),
}

/// [`walk`] for lists without a history: what the list becomes.
pub(crate) fn patched<T: Kept + Copy>(
    old: &[T],
    fresh: impl IntoIterator<Item = T>,
    keys: &[Pair],
) -> Vec<T> {
    let mut list = Vec::with_capacity(old.len());
    walk(old, fresh, keys, |step| match step {
        Step::Keep(kept) => list.extend_from_slice(kept),
        Step::Change(_, now) => list.extend(now),
    });
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_and_changes_cover_the_list() {
        let pair = |b| Pair { a: 0, b };
        let old: Vec<Pair> = (0..100).filter(|b| b % 3 != 0).map(pair).collect();
        let keys: Vec<Pair> = [0, 1, 6, 7, 50, 98, 99, 200].map(pair).to_vec();
        let fresh = [1, 6, 99, 200].map(pair);
        let expected: Vec<Pair> = (0..=200)
            .filter(|b| {
                if keys.contains(&pair(*b)) {
                    fresh.contains(&pair(*b))
                } else {
                    *b < 100 && b % 3 != 0
                }
            })
            .map(pair)
            .collect();
        assert_eq!(patched(&old, fresh, &keys), expected);
        assert_eq!(patched(&[], fresh, &keys), fresh);
        assert_eq!(patched(&old, [], &[]), old);
        for key in 0..120 {
            let (found, slow) = (before(&old, (0, key)), old.partition_point(|p| p.b < key));
            assert_eq!(found, slow, "{key}");
        }
    }
}
