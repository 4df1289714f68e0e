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
    /// Page of an entry that is yet to be tested.
    pub(crate) const OPEN: u32 = u32::MAX - 1;
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
/// its own, and there they stay until most of the page has ended: neither an update of all bodies
/// nor one of a few moves the contacts that it keeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactStore {
    entries: Vec<Entry>,
    pages: Vec<Vec<Contact>>,
    vacant: Vec<u32>,
    /// Entries of the update before the last, for their memory.
    spare: Vec<Entry>,
}

impl ContactStore {
    /// Tasks that found fewer contacts than this share a page.
    const SMALL: usize = 64;

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
        let (shared, mut small) = (self.add_page(Vec::new()), Vec::new());
        for part in parts {
            let (page, shift) = if part.page.len() < Self::SMALL {
                let shift = count(&small);
                small.append(&mut part.page);
                (shared, shift)
            } else {
                (self.add_page(std::mem::take(&mut part.page)), 0)
            };
            entries.extend(part.entries.iter().map(|&entry| match entry.page {
                Entry::FRESH => Entry { page, index: entry.index + shift, ..entry },
                _ => entry,
            }));
        }
        self.pages[shared as usize] = small;
        self.spare = std::mem::replace(&mut self.entries, entries);
        self.drop_sparse_pages();
    }

    /// Number of the page that now holds these contacts.
    fn add_page(&mut self, contacts: Vec<Contact>) -> u32 {
        let page = self.vacant.pop().unwrap_or_else(|| {
            self.pages.push(Vec::new());
            count(&self.pages) - 1
        });
        self.pages[page as usize] = contacts;
        page
    }

    /// Frees the pages of which less than half is still alive; what lives there moves together.
    ///
    /// - Cost: a contact that moves is paid for by one that ended.
    fn drop_sparse_pages(&mut self) {
        let mut living = vec![0; self.pages.len()];
        for entry in &self.entries {
            living[entry.page as usize] += 1;
        }
        let is_sparse: Vec<bool> =
            self.pages.iter().zip(&living).map(|(page, &living)| living * 2 < page.len()).collect();
        let mut moved: Vec<Contact> = Vec::new();
        let target = self.add_page(Vec::new());
        for entry in &mut self.entries {
            if is_sparse.get(entry.page as usize).is_some_and(|&sparse| sparse) {
                let index = count(&moved);
                moved.push(self.pages[entry.page as usize][entry.index as usize].clone());
                (entry.page, entry.index) = (target, index);
            }
        }
        for (page, &sparse) in self.pages.iter_mut().zip(&is_sparse) {
            if sparse {
                *page = Vec::new();
            }
        }
        self.pages[target as usize] = moved;
        // Every page without contacts is vacant, whether it was freed now or never filled.
        self.vacant.clear();
        let numbered = (0..).zip(&self.pages);
        self.vacant.extend(numbered.filter(|(_, page)| page.is_empty()).map(|(number, _)| number));
    }
}

/// Length as a page or place number; both stay below the number of pairs, which are `u32`.
pub(crate) fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).unwrap_or(u32::MAX)
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
        for _ in 0..500 {
            let kept = store.entries()[1];
            let mut part = fresh(vec![contact(1, 2)]);
            part.entries.push(kept);
            store.replace(&mut [part]);
        }
        let seen: Vec<_> = Contacts::new(&store).iter().map(|c| (c.a, c.b)).collect();
        assert_eq!(seen, [(id(1), id(2)), (id(1), id(3))]);
        assert!(Contacts::new(&store).between(id(3), id(1)).is_some());
        assert!(Contacts::new(&store).between(id(3), id(2)).is_none());
        assert!(store.pages.iter().map(Vec::len).sum::<usize>() < 5);
        assert!(store.pages.len() < 6);
    }
}
