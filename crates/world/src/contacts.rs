//! Contacts and sensor overlaps, kept from update to update.

use impinge_broadphase::Pair;
use impinge_narrowphase::Manifold;
use smallvec::SmallVec;

use crate::BodyId;
use crate::events::{Key, Keyed};

/// Two bodies that touch, or nearly do if the world has a contact margin.
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, World};
///
/// let mut world = World::new();
/// world.insert(Body::fixed(Shape::cuboid(Vec3::ONE)?))?;
/// world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::Y * 1.5))?;
/// world.update();
/// for contact in world.contacts() {
///     let manifold = &contact.manifolds[0];
///     assert_eq!(manifold.normal, Vec3::Y); // from the box to the ball
///     assert_eq!(manifold.points[0].distance, -0.5);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// The smaller id.
    pub a: BodyId,
    /// The larger id.
    pub b: BodyId,
    /// One for two simple shapes; one for each pair of touching parts otherwise. Never empty.
    pub manifolds: SmallVec<[Manifold; 1]>,
}

impl Contact {
    /// The least signed distance of all its points.
    #[must_use]
    pub fn distance(&self) -> f32 {
        self.manifolds.iter().map(Manifold::distance).fold(f32::INFINITY, f32::min)
    }
}

/// Two bodies that overlap, at least one of which is a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SensorOverlap {
    /// The smaller id.
    pub a: BodyId,
    /// The larger id.
    pub b: BodyId,
}

/// The contacts of the last update, sorted by their bodies.
#[derive(Clone, Copy, Debug)]
pub struct Contacts<'w> {
    store: &'w ContactStore,
}

impl<'w> Contacts<'w> {
    pub(crate) fn new(store: &'w ContactStore) -> Self {
        Self { store }
    }

    /// Number of contacts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.store.entries.len()
    }

    /// Whether nothing touches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.store.entries.is_empty()
    }

    /// The contacts in the order of their bodies.
    #[must_use]
    pub fn iter(&self) -> ContactIter<'w> {
        ContactIter { store: self.store, entries: self.store.entries.iter() }
    }

    /// The contact at this place of the order.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<&'w Contact> {
        self.store.entries.get(place).map(|entry| self.store.at(entry))
    }

    /// The contact of two bodies, in either order.
    ///
    /// - Cost: a binary search.
    #[must_use]
    pub fn between(&self, a: BodyId, b: BodyId) -> Option<&'w Contact> {
        let key = (a.min(b), a.max(b));
        let place = self.store.entries.binary_search_by_key(&key, Entry::key).ok()?;
        self.get(place)
    }
}

impl<'w> IntoIterator for Contacts<'w> {
    type Item = &'w Contact;
    type IntoIter = ContactIter<'w>;

    fn into_iter(self) -> ContactIter<'w> {
        self.iter()
    }
}

/// Iterator over [`Contacts`].
#[derive(Clone, Debug)]
pub struct ContactIter<'w> {
    store: &'w ContactStore,
    entries: std::slice::Iter<'w, Entry>,
}

impl<'w> Iterator for ContactIter<'w> {
    type Item = &'w Contact;

    fn next(&mut self) -> Option<&'w Contact> {
        self.entries.next().map(|entry| self.store.at(entry))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entries.size_hint()
    }
}

impl DoubleEndedIterator for ContactIter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.entries.next_back().map(|entry| self.store.at(entry))
    }
}

impl ExactSizeIterator for ContactIter<'_> {}

/// Where the contact of two bodies lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) a: BodyId,
    pub(crate) b: BodyId,
    pub(crate) page: u32,
    pub(crate) index: u32,
}

impl Entry {
    /// Page of an entry whose contact lies on its task's own, not yet numbered page.
    pub(crate) const FRESH: u32 = u32::MAX;
}

impl Keyed for Entry {
    fn key(&self) -> Key {
        (self.a, self.b)
    }
}

impl Keyed for SensorOverlap {
    fn key(&self) -> Key {
        (self.a, self.b)
    }
}

/// What one task of an update found: its part of the entries, and the new contacts among them.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) entries: Vec<Entry>,
    pub(crate) page: Vec<Contact>,
    pub(crate) sensors: Vec<SensorOverlap>,
    pub(crate) filtered: Vec<Pair>,
}

/// Contacts in pages, in whatever order; the sorted entries say where each lies.
///
/// A contact is large (some 200 bytes), an entry is small. A task writes its contacts to a page of
/// its own, where they stay until they end: neither a full update nor a small one moves them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactStore {
    entries: Vec<Entry>,
    pages: Vec<Vec<Contact>>,
    vacant: Vec<u32>,
    /// Entries of the update before the last, for their memory.
    spare: Vec<Entry>,
}

impl ContactStore {
    /// A quarter of the pages' places may hold ended contacts, and this many more.
    const SLACK: usize = 4096;

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entries before the last [`ContactStore::replace`]; only their ids still mean anything.
    pub(crate) fn entries_before(&self) -> &[Entry] {
        &self.spare
    }

    fn at(&self, entry: &Entry) -> &Contact {
        &self.pages[entry.page as usize][entry.index as usize]
    }

    /// Takes over what an update found.
    pub(crate) fn replace(&mut self, parts: &mut [Part]) {
        let mut entries = std::mem::take(&mut self.spare);
        entries.clear();
        entries.reserve(parts.iter().map(|part| part.entries.len()).sum());
        for part in parts {
            let page = self.add_page(std::mem::take(&mut part.page));
            entries.extend(part.entries.iter().map(|&entry| {
                if entry.page == Entry::FRESH { Entry { page, ..entry } } else { entry }
            }));
        }
        self.spare = std::mem::replace(&mut self.entries, entries);
        self.drop_dead_pages();
    }

    /// Number of a page that now holds these contacts; any number if there are none.
    fn add_page(&mut self, contacts: Vec<Contact>) -> u32 {
        if contacts.is_empty() {
            return Entry::FRESH;
        }
        let page = self.vacant.pop().unwrap_or_else(|| {
            self.pages.push(Vec::new());
            u32::try_from(self.pages.len() - 1).unwrap_or(Entry::FRESH)
        });
        self.pages[page as usize] = contacts;
        page
    }

    /// Frees pages without a living contact, and moves all contacts to new ones once too many
    /// places are dead.
    fn drop_dead_pages(&mut self) {
        let mut living = vec![0_u32; self.pages.len()];
        for entry in &self.entries {
            living[entry.page as usize] += 1;
        }
        let mut places = 0;
        for (number, (page, &living)) in (0..).zip(self.pages.iter_mut().zip(&living)) {
            if living == 0 && !page.is_empty() {
                *page = Vec::new();
                self.vacant.push(number);
            }
            places += page.len();
        }
        if places > self.entries.len() + self.entries.len() / 4 + Self::SLACK {
            self.compact();
        }
    }

    /// Moves every living contact to one new page.
    fn compact(&mut self) {
        let page = self.entries.iter().map(|entry| self.at(entry).clone()).collect();
        for (index, entry) in (0..).zip(&mut self.entries) {
            (entry.page, entry.index) = (0, index);
        }
        self.pages = vec![page];
        self.vacant.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(slot: u64) -> BodyId {
        BodyId::from_bits(1 << 32 | slot)
    }

    fn contact(a: u64, b: u64) -> Contact {
        Contact { a: id(a), b: id(b), manifolds: SmallVec::new() }
    }

    fn fresh(contacts: Vec<Contact>) -> Part {
        let entries = (0..)
            .zip(&contacts)
            .map(|(index, c)| Entry { a: c.a, b: c.b, page: Entry::FRESH, index })
            .collect();
        Part { entries, page: contacts, ..Part::default() }
    }

    #[test]
    fn contacts_survive_their_pages() {
        let mut store = ContactStore::default();
        store.replace(&mut [fresh(vec![contact(1, 2), contact(1, 3)]), fresh(vec![contact(2, 3)])]);
        // The contact (1, 3) is kept, (1, 2) made anew, (2, 3) ends.
        for _ in 0..3 * ContactStore::SLACK {
            let kept = store.entries()[1];
            let mut part = fresh(vec![contact(1, 2)]);
            part.entries.push(kept);
            store.replace(&mut [part]);
        }
        let seen: Vec<_> = Contacts::new(&store).iter().map(|c| (c.a, c.b)).collect();
        assert_eq!(seen, [(id(1), id(2)), (id(1), id(3))]);
        assert!(Contacts::new(&store).between(id(3), id(1)).is_some());
        assert!(Contacts::new(&store).between(id(3), id(2)).is_none());
        assert!(store.pages.len() < 4);
    }
}
