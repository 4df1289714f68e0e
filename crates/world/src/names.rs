//! Names of contacts.

use crate::contacts::ContactId;
use crate::events::Key;
use crate::shared::Column;

/// Names of contacts.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactIds {
    /// By index: how often it was used, and by whom last.
    used: Column<(u32, Key)>,
    vacant: Vec<u32>,
    /// Names that are in use.
    alive: Bits,
}

/// A set of indices of names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    pub(crate) fn clear(&mut self) {
        self.words.clear();
    }

    #[inline]
    pub(crate) fn insert(&mut self, index: u32) {
        let word = index as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (index % 64);
    }

    fn remove(&mut self, index: u32) {
        if let Some(word) = self.words.get_mut(index as usize / 64) {
            *word &= !(1 << (index % 64));
        }
    }

    /// What is in this set and not in the other, ascending.
    fn without<'b>(&'b self, other: &'b Self) -> impl Iterator<Item = u32> + 'b {
        let others = other.words.iter().copied().chain(std::iter::repeat(0));
        (0..).step_by(64).zip(self.words.iter().zip(others)).flat_map(|(first, (word, other))| {
            let mut rest = word & !other;
            std::iter::from_fn(move || {
                let lane = rest.trailing_zeros();
                rest &= rest.checked_sub(1)?;
                Some(first + lane)
            })
        })
    }
}

impl ContactIds {
    /// Names that were used so often, now by these bodies; the last vacant one is given next.
    pub(crate) fn of(used: Vec<(u32, Key)>, vacant: Vec<u32>) -> Self {
        let mut alive = Bits::default();
        (0..).zip(&used).for_each(|(index, _)| alive.insert(index));
        vacant.iter().for_each(|&index| alive.remove(index));
        Self { used: used.into_iter().collect(), vacant, alive }
    }

    /// How often each index was used.
    pub(crate) fn versions(&self) -> impl Iterator<Item = u32> {
        self.used.iter().map(|(version, _)| *version)
    }

    pub(crate) fn len(&self) -> usize {
        self.used.len()
    }

    /// Indices that are not in use; the last one is given next.
    pub(crate) fn vacant(&self) -> &[u32] {
        &self.vacant
    }

    /// A name for the contact of these bodies.
    pub(crate) fn take(&mut self, bodies: Key) -> ContactId {
        let index = self.vacant.pop().unwrap_or_else(|| {
            self.used.push((0, bodies));
            u32::try_from(self.used.len() - 1).unwrap_or(u32::MAX)
        });
        let mut version = 1;
        if let Some(used) = self.used.get_mut(index as usize) {
            version = used.0.checked_add(1).unwrap_or(1);
            *used = (version, bodies);
        }
        self.alive.insert(index);
        ContactId { index, version }
    }

    /// Names in use that are not among these, and their bodies.
    pub(crate) fn others<'b>(&'b self, names: &'b Bits) -> impl Iterator<Item = (ContactId, Key)> {
        let used = |index: u32| self.used.get(index as usize).map(|used| (index, used));
        let others = self.alive.without(names).filter_map(used);
        others.map(|(index, &(version, bodies))| (ContactId { index, version }, bodies))
    }

    /// Lets the name of an ended contact be used again.
    pub(crate) fn free(&mut self, id: ContactId) {
        self.vacant.push(id.index);
        self.alive.remove(id.index);
    }

    /// The bodies that the name was given to, last or long ago.
    pub(crate) fn bodies(&self, id: ContactId) -> Option<Key> {
        self.used.get(id.index as usize).map(|(_, bodies)| *bodies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BodyId;

    fn id(slot: u64) -> BodyId {
        BodyId::from_bits(1 << 32 | slot)
    }

    #[test]
    fn names_are_used_again_but_never_the_same() {
        let mut ids = ContactIds::default();
        let (first, second) = (ids.take((id(1), id(2))), ids.take((id(1), id(3))));
        ids.free(first);
        let third = ids.take((id(2), id(3)));
        assert_eq!(third.index(), first.index());
        assert!(third != first && second.index() != first.index());
        assert_eq!(ids.bodies(third), Some((id(2), id(3))));
        let mut kept = Bits::default();
        kept.insert(second.index());
        assert!(ids.others(&kept).eq([(third, (id(2), id(3)))]));
        ids.free(third);
        assert_eq!(ids.others(&kept).count(), 0);
    }

    #[test]
    fn names_that_are_not_among_others_come_in_order() {
        let mut ids = ContactIds::default();
        let names: Vec<ContactId> = (2..200).map(|b| ids.take((id(1), id(b)))).collect();
        let (kept, others): (Vec<ContactId>, Vec<ContactId>) =
            names.iter().partition(|name| name.index() % 3 == 0 && name.index() < 70);
        let mut bits = Bits::default();
        kept.iter().for_each(|name| bits.insert(name.index()));
        assert!(ids.others(&bits).map(|(name, _)| name).eq(others));
    }
}
