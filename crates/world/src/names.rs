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
}

impl ContactIds {
    /// Names that were used so often, now by these bodies; the last vacant one is given next.
    pub(crate) fn of(used: Vec<(u32, Key)>, vacant: Vec<u32>) -> Self {
        Self { used: used.into_iter().collect(), vacant }
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
        ContactId { index, version }
    }

    /// Lets the name of an ended contact be used again.
    pub(crate) fn free(&mut self, id: ContactId) {
        self.vacant.push(id.index);
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
    }
}
