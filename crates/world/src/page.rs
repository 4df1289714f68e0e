//! Contacts side by side, in whatever order.

use std::slice::from_ref;

use impinge_shapes::Pose;
use prefetch_index::prefetch_index;
use smallvec::SmallVec;

use crate::BodyId;
use crate::contacts::{Anchor, Contact, ContactId, ContactMut, ContactRef, Slot};

/// What is kept beside a contact in worlds with slots.
#[derive(Clone, Debug)]
pub(crate) struct Extras {
    /// Poses of the two bodies when their shapes were last looked at.
    pub(crate) made: [Pose; 2],
    pub(crate) anchors: SmallVec<[Anchor; 4]>,
    pub(crate) slots: SmallVec<[Slot; 4]>,
}

/// Contacts, and in worlds with slots what goes with them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    contacts: Vec<Contact>,
    /// As many, or none.
    extras: Vec<Extras>,
}

impl Page {
    pub(crate) fn len(&self) -> usize {
        self.contacts.len()
    }

    pub(crate) fn has_memory(&self) -> bool {
        self.contacts.capacity() > 0
    }

    /// Empties it and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.contacts.clear();
        self.extras.clear();
    }

    #[inline]
    pub(crate) fn push(&mut self, contact: Contact, extras: Option<Extras>) {
        self.contacts.push(contact);
        self.extras.extend(extras);
    }

    pub(crate) fn append(&mut self, other: &mut Self) {
        self.contacts.append(&mut other.contacts);
        self.extras.append(&mut other.extras);
    }

    pub(crate) fn push_copy(&mut self, other: &Self, index: usize) {
        self.push(other.contacts[index].clone(), other.extras.get(index).cloned());
    }

    /// Appends a contact of another page, which keeps an empty one.
    pub(crate) fn push_from(&mut self, other: &mut Self, index: usize) {
        let (none, body) = (ContactId::NONE, BodyId::default());
        let empty = Contact { id: none, a: body, b: body, manifolds: SmallVec::new() };
        let contact = std::mem::replace(&mut other.contacts[index], empty);
        self.push(contact, other.extras.get(index).cloned());
    }

    /// Exchanges a contact with one of another page.
    pub(crate) fn swap(&mut self, index: usize, other: &mut Self, from: usize) {
        std::mem::swap(&mut self.contacts[index], &mut other.contacts[from]);
        if let (Some(one), Some(other)) = (self.extras.get_mut(index), other.extras.get_mut(from)) {
            std::mem::swap(one, other);
        }
    }

    pub(crate) fn contact(&self, index: usize) -> &Contact {
        &self.contacts[index]
    }

    /// Fetches a contact ahead.
    #[inline]
    pub(crate) fn prefetch(&self, index: usize) {
        let Some(contact) = self.contacts.get(index) else { return };
        // In steps of a cache line, and where it ends.
        let words = size_of::<Contact>() / size_of::<ContactId>();
        let line = 64 / size_of::<ContactId>();
        let steps = (0..words).step_by(line).chain([words - 1]);
        steps.for_each(|word| prefetch_index(from_ref(&contact.id), word));
    }

    pub(crate) fn name(&mut self, index: usize, id: ContactId) {
        self.contacts[index].id = id;
    }

    /// Poses of the two bodies when their shapes were last looked at, in worlds with slots.
    pub(crate) fn made(&self, index: usize) -> Option<[Pose; 2]> {
        self.extras.get(index).map(|extras| extras.made)
    }

    pub(crate) fn with_slots(&self, index: usize) -> ContactRef<'_> {
        let extras = self.extras.get(index);
        let anchors = extras.map_or(&[][..], |extras| &extras.anchors);
        let slots = extras.map_or(&[][..], |extras| &extras.slots);
        ContactRef { contact: &self.contacts[index], anchors, slots }
    }

    /// Appends all contacts, their slots to be written.
    pub(crate) fn open<'w>(&'w mut self, all: &mut Vec<Option<ContactMut<'w>>>) {
        let mut extras = self.extras.iter_mut();
        for contact in &self.contacts {
            let (anchors, slots) = match extras.next() {
                Some(extras) => (&*extras.anchors, &mut *extras.slots),
                None => (&[][..], &mut [][..]),
            };
            all.push(Some(ContactMut { contact, anchors, slots }));
        }
    }
}
