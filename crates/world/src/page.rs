//! Contacts side by side, in whatever order.

use std::slice::from_ref;

use impinge_narrowphase::{ContactPoints, Manifold};
use impinge_shapes::Pose;
use impinge_shapes::glam::Vec3;
use prefetch_index::prefetch_index;
use smallvec::SmallVec;

use crate::BodyId;
use crate::contacts::{Anchor, Contact, ContactId, ContactMut, ContactRef, Slot};

/// Contacts between the one that is written over and the one that is fetched.
const AHEAD: usize = 12;

/// What is kept beside a contact in worlds with slots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    /// Poses of the two bodies when their shapes were last looked at.
    pub(crate) made: [Pose; 2],
    pub(crate) anchors: SmallVec<[Anchor; 4]>,
    pub(crate) slots: SmallVec<[Slot; 4]>,
}

/// Contacts, and in worlds with slots what goes with them.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Behind the first `len` of them lie some that ended, to be written over: a contact is large,
    /// and looking at it only to drop it would bring it into the cache once more.
    contacts: Vec<Contact>,
    len: usize,
    /// As many as contacts, or none.
    extras: Vec<Extras>,
}

impl Clone for Page {
    fn clone(&self) -> Self {
        let (contacts, extras) = (self.contacts().to_vec(), self.extras.clone());
        Self { contacts, len: self.len, extras }
    }
}

impl Page {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    fn contacts(&self) -> &[Contact] {
        &self.contacts[..self.len]
    }

    pub(crate) fn has_memory(&self) -> bool {
        self.contacts.capacity() > 0
    }

    /// Empties it and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.extras.clear();
    }

    pub(crate) fn push(&mut self, mut contact: Contact, extras: Option<Extras>) {
        let Contact { id, a, b, manifolds } = &mut contact;
        self.push_out_of(*id, [*a, *b], manifolds);
        self.extras.extend(extras);
    }

    /// Appends the contact of two bodies, whose manifolds it takes; what is left in their place means
    /// nothing. In worlds with slots its extras are to be pushed, too.
    #[inline]
    pub(crate) fn push_out_of(
        &mut self,
        id: ContactId,
        bodies: [BodyId; 2],
        manifolds: &mut SmallVec<[Manifold; 1]>,
    ) {
        let index = self.begin(bodies);
        put(&mut self.contacts[index], id, bodies, manifolds);
    }

    /// Appends a contact of two bodies without manifolds or a name: its place, where manifolds are
    /// to be begun. In worlds with slots its extras are to be set, too.
    #[inline]
    pub(crate) fn begin(&mut self, [a, b]: [BodyId; 2]) -> usize {
        let id = ContactId::NONE;
        if self.len == self.contacts.len() {
            self.contacts.push(Contact { id, a, b, manifolds: SmallVec::new() });
        }
        if let Some(next) = self.contacts.get(self.len + AHEAD) {
            fetch(next);
        }
        let place = &mut self.contacts[self.len];
        (place.id, place.a, place.b) = (id, a, b);
        self.len += 1;
        self.len - 1
    }

    /// Begins the first manifold of a contact that was begun: the list for its points, which is
    /// empty.
    #[inline]
    pub(crate) fn first_manifold(
        &mut self,
        index: usize,
        normal: Vec3,
        (part_a, part_b): (u32, u32),
    ) -> &mut ContactPoints {
        let manifolds = &mut self.contacts[..self.len][index].manifolds;
        // Memory of their own is not kept for what has room without.
        if manifolds.len() != 1 || manifolds.spilled() {
            let points = SmallVec::new();
            *manifolds = SmallVec::from_buf([Manifold { normal, points, part_a, part_b }]);
            return &mut manifolds[0].points;
        }
        // What lay there is written over.
        let first = &mut manifolds[0];
        (first.normal, first.part_a, first.part_b) = (normal, part_a, part_b);
        first.points.clear();
        &mut first.points
    }

    /// Begins another one of such a contact.
    #[cold]
    pub(crate) fn next_manifold(
        &mut self,
        index: usize,
        normal: Vec3,
        (part_a, part_b): (u32, u32),
    ) -> &mut ContactPoints {
        let manifolds = &mut self.contacts[..self.len][index].manifolds;
        manifolds.push(Manifold { normal, points: SmallVec::new(), part_a, part_b });
        let last = manifolds.len() - 1;
        &mut manifolds[last].points
    }

    /// Puts other manifolds in the place of those of a contact.
    pub(crate) fn replace_manifolds(&mut self, index: usize, manifolds: SmallVec<[Manifold; 1]>) {
        self.contacts[..self.len][index].manifolds = manifolds;
    }

    /// The extras of a contact that was begun, in worlds with slots.
    pub(crate) fn set_extras(&mut self, index: usize, extras: Extras) {
        self.extras.resize_with(self.len, Extras::default);
        self.extras[index] = extras;
    }

    pub(crate) fn append(&mut self, other: &mut Self) {
        for contact in &mut other.contacts[..other.len] {
            let bodies = [contact.a, contact.b];
            self.push_out_of(contact.id, bodies, &mut contact.manifolds);
        }
        self.extras.append(&mut other.extras);
        other.clear();
    }

    pub(crate) fn push_copy(&mut self, other: &Self, index: usize) {
        self.push(other.contacts()[index].clone(), other.extras.get(index).cloned());
    }

    /// Appends a contact of another page, which keeps one that means nothing.
    pub(crate) fn push_from(&mut self, other: &mut Self, index: usize) {
        let contact = &mut other.contacts[..other.len][index];
        self.push_out_of(contact.id, [contact.a, contact.b], &mut contact.manifolds);
        self.extras.extend(other.extras.get(index).cloned());
    }

    /// Puts a contact of another page, which keeps one that means nothing, in the place of one.
    pub(crate) fn take_over(&mut self, index: usize, other: &mut Self, from: usize) {
        let Contact { id, a, b, manifolds } = &mut other.contacts[..other.len][from];
        put(&mut self.contacts[..self.len][index], *id, [*a, *b], manifolds);
        if let (Some(one), Some(other)) = (self.extras.get_mut(index), other.extras.get_mut(from)) {
            std::mem::swap(one, other);
        }
    }

    pub(crate) fn contact(&self, index: usize) -> &Contact {
        &self.contacts()[index]
    }

    /// Fetches a contact ahead.
    #[inline]
    pub(crate) fn prefetch(&self, index: usize) {
        self.contacts().get(index).into_iter().for_each(fetch);
    }

    pub(crate) fn name(&mut self, index: usize, id: ContactId) {
        self.contacts[..self.len][index].id = id;
    }

    /// Poses of the two bodies when their shapes were last looked at, in worlds with slots.
    pub(crate) fn made(&self, index: usize) -> Option<[Pose; 2]> {
        self.extras.get(index).map(|extras| extras.made)
    }

    pub(crate) fn with_slots(&self, index: usize) -> ContactRef<'_> {
        let extras = self.extras.get(index);
        let anchors = extras.map_or(&[][..], |extras| &extras.anchors);
        let slots = extras.map_or(&[][..], |extras| &extras.slots);
        ContactRef { contact: self.contact(index), anchors, slots }
    }

    /// Appends all contacts, their slots to be written.
    pub(crate) fn open<'w>(&'w mut self, all: &mut Vec<Option<ContactMut<'w>>>) {
        let mut extras = self.extras.iter_mut();
        for contact in &self.contacts[..self.len] {
            let (anchors, slots) = match extras.next() {
                Some(extras) => (&*extras.anchors, &mut *extras.slots),
                None => (&[][..], &mut [][..]),
            };
            all.push(Some(ContactMut { contact, anchors, slots }));
        }
    }
}

/// Fetches a contact ahead.
#[inline]
fn fetch(contact: &Contact) {
    // In steps of a cache line, and where it ends.
    let words = size_of::<Contact>() / size_of::<ContactId>();
    let line = 64 / size_of::<ContactId>();
    let steps = (0..words).step_by(line).chain([words - 1]);
    steps.for_each(|word| prefetch_index(from_ref(&contact.id), word));
}

/// Writes the contact of two bodies over one; what is left in place of the manifolds means nothing.
#[inline]
fn put(
    place: &mut Contact,
    id: ContactId,
    [a, b]: [BodyId; 2],
    manifolds: &mut SmallVec<[Manifold; 1]>,
) {
    (place.id, place.a, place.b) = (id, a, b);
    // Memory of their own is not kept for what has room without.
    let has_room = !place.manifolds.spilled();
    if let ([to], [from], true) = (&mut place.manifolds[..], &manifolds[..], has_room) {
        // As many points as there are, instead of room for all that there may be.
        let Manifold { normal, points, part_a, part_b } = from;
        (to.normal, to.part_a, to.part_b) = (*normal, *part_a, *part_b);
        to.points.clear();
        to.points.extend_from_slice(points);
    } else {
        std::mem::swap(&mut place.manifolds, manifolds);
    }
}

#[cfg(test)]
mod tests {
    use impinge_narrowphase::{ContactPoint, FeatureId};

    use super::*;

    /// A contact with manifolds of so many points.
    fn contact(number: u32, points: &[usize]) -> Contact {
        let manifold = |&count: &usize| {
            let place = Vec3::splat(number as f32);
            let (point_a, point_b, feature) = (place, -place, FeatureId(number));
            let point = ContactPoint { point_a, point_b, distance: 0.0, feature };
            let points = std::iter::repeat_n(point, count).collect();
            Manifold { normal: Vec3::X, points, part_a: number, part_b: 0 }
        };
        let id = ContactId { index: number, version: 1 };
        let body = |slot: u32| BodyId::from_bits(1 << 32 | u64::from(slot));
        let manifolds = points.iter().map(manifold).collect();
        Contact { id, a: body(number), b: body(number + 1), manifolds }
    }

    /// Makes the contact where it stays.
    fn begin(page: &mut Page, contact: &Contact) {
        let index = page.begin([contact.a, contact.b]);
        for (place, manifold) in contact.manifolds.iter().enumerate() {
            let parts = (manifold.part_a, manifold.part_b);
            let points = match place {
                0 => page.first_manifold(index, manifold.normal, parts),
                _ => page.next_manifold(index, manifold.normal, parts),
            };
            points.extend_from_slice(&manifold.points);
        }
        page.name(index, contact.id);
    }

    fn held(page: &Page) -> Vec<&Contact> {
        (0..page.len()).map(|index| page.contact(index)).collect()
    }

    #[test]
    fn what_a_page_held_before_shows_nowhere() {
        let all = [contact(1, &[4]), contact(2, &[1, 2, 3]), contact(3, &[2]), contact(4, &[3])];
        for first in &all {
            for later in &all {
                let (mut page, mut other) = (Page::default(), Page::default());
                (0..3).for_each(|_| page.push(first.clone(), None));
                page.clear();
                page.push(later.clone(), None);
                assert_eq!(held(&page), [later]);
                assert_eq!((held(&page.clone()), page.clone().contacts.len()), (vec![later], 1));
                let mut open = Vec::new();
                page.open(&mut open);
                assert_eq!(open.len(), 1);
                page.clear();
                begin(&mut page, later);
                assert_eq!(held(&page), [later]);
                // One manifold needs no memory of its own, whatever lay there before.
                let spilled = page.contact(0).manifolds.spilled();
                assert_eq!(spilled, later.manifolds.len() > 1);
                other.push(first.clone(), None);
                other.push_from(&mut page, 0);
                assert_eq!(held(&other), [first, later]);
                page.clear();
                page.push(first.clone(), None);
                page.take_over(0, &mut other, 1);
                assert_eq!(held(&page), [later]);
                page.append(&mut other);
                assert_eq!((page.len(), page.contact(1), other.len()), (3, first, 0));
            }
        }
    }
}
