//! Where contacts live from update to update.

use std::sync::{Arc, OnceLock};

use impinge_broadphase::Pair;
use impinge_shapes::Pose;

use crate::BodyId;
use crate::contacts::{Anchor, Contact, ContactId, ContactMut, ContactRef, SensorOverlap, Slot};
use crate::events::{self, Event, Key, Keyed};
use crate::patch::Edits;
use crate::shared::{Column, put, take};

/// Where the contact of two bodies lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) a: BodyId,
    pub(crate) b: BodyId,
    pub(crate) id: ContactId,
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

    fn contact(&self) -> Option<ContactId> {
        Some(self.id)
    }
}

/// What one task of an update found: its part of the entries, and the new contacts among them.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) entries: Vec<Entry>,
    pub(crate) page: Page,
    pub(crate) sensors: Vec<SensorOverlap>,
    pub(crate) filtered: Vec<Pair>,
    /// Pairs whose shapes were looked at.
    pub(crate) tested: usize,
    /// Contacts that were carried along with their bodies instead.
    pub(crate) recycled: usize,
}

impl Part {
    /// Empties it and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.page.clear();
        self.sensors.clear();
        self.filtered.clear();
        (self.tested, self.recycled) = (0, 0);
    }
}

/// What is kept beside a contact in worlds with slots.
#[derive(Clone, Debug)]
pub(crate) struct Extras {
    /// Poses of the two bodies when their shapes were last looked at.
    pub(crate) made: [Pose; 2],
    pub(crate) anchors: smallvec::SmallVec<[Anchor; 4]>,
    pub(crate) slots: smallvec::SmallVec<[Slot; 4]>,
}

/// Contacts in whatever order, and in worlds with slots what goes with them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    contacts: Vec<Contact>,
    /// In worlds with slots, where the anchors and slots of each contact start.
    starts: Vec<u32>,
    made: Vec<[Pose; 2]>,
    anchors: Vec<Anchor>,
    slots: Vec<Slot>,
}

impl Page {
    pub(crate) fn len(&self) -> usize {
        self.contacts.len()
    }

    pub(crate) fn push(&mut self, contact: Contact, extras: Option<Extras>) {
        self.contacts.push(contact);
        if let Some(extras) = extras {
            self.starts.push(count(&self.slots));
            self.made.push(extras.made);
            self.anchors.extend(extras.anchors);
            self.slots.extend(extras.slots);
        }
    }

    /// Empties it and keeps its memory.
    fn clear(&mut self) {
        self.contacts.clear();
        self.starts.clear();
        self.made.clear();
        self.anchors.clear();
        self.slots.clear();
    }

    fn append(&mut self, other: &mut Self) {
        let shift = count(&self.slots);
        self.contacts.append(&mut other.contacts);
        self.starts.extend(other.starts.drain(..).map(|start| start + shift));
        self.made.append(&mut other.made);
        self.anchors.append(&mut other.anchors);
        self.slots.append(&mut other.slots);
    }

    fn push_copy(&mut self, other: &Self, index: usize) {
        let extras = other.made.get(index).map(|&made| {
            let all = other.with_slots(index);
            Extras { made, anchors: all.anchors.into(), slots: all.slots.into() }
        });
        self.push(other.contacts[index].clone(), extras);
    }

    fn with_slots(&self, index: usize) -> ContactRef<'_> {
        let contact = &self.contacts[index];
        let range = self
            .starts
            .get(index)
            .map_or(0..0, |&start| start as usize..start as usize + contact.point_count());
        ContactRef { contact, anchors: &self.anchors[range.clone()], slots: &self.slots[range] }
    }

    /// Appends all contacts, their slots to be written.
    fn open<'w>(&'w mut self, all: &mut Vec<Option<ContactMut<'w>>>) {
        let (mut anchors, mut slots) = (self.anchors.as_slice(), self.slots.as_mut_slice());
        let has_slots = !self.starts.is_empty();
        for contact in &self.contacts {
            let points = if has_slots { contact.point_count() } else { 0 };
            let (own_anchors, rest_anchors) = anchors.split_at(points);
            let (own_slots, rest_slots) = std::mem::take(&mut slots).split_at_mut(points);
            (anchors, slots) = (rest_anchors, rest_slots);
            all.push(Some(ContactMut { contact, anchors: own_anchors, slots: own_slots }));
        }
    }
}

/// Contacts in pages, in whatever order; the sorted entries say where each lies.
///
/// A contact is large (some 200 bytes), an entry is small. A task writes its contacts to a page of
/// its own, and there they stay until most of the page has ended: neither an update of all bodies
/// nor one of a few moves the contacts that it keeps. Snapshots share the pages.
#[derive(Debug, Default)]
pub(crate) struct ContactStore {
    entries: Arc<Vec<Entry>>,
    pages: Vec<Arc<Page>>,
    vacant: Vec<u32>,
    ids: ContactIds,
    /// Entries of the update before the last, for their memory.
    before: Arc<Vec<Entry>>,
    /// Made when it is first asked for.
    by_slot: OnceLock<Arc<BySlot>>,
    /// Empty pages with the memory of those that ended, for the tasks of the next update.
    spare: Vec<Page>,
}

impl Clone for ContactStore {
    /// The same contacts without what only an update needs; all is shared.
    fn clone(&self) -> Self {
        Self {
            entries: Arc::clone(&self.entries),
            pages: self.pages.clone(),
            vacant: self.vacant.clone(),
            ids: self.ids.clone(),
            by_slot: self.by_slot.clone(),
            before: Arc::default(),
            spare: Vec::new(),
        }
    }
}

impl ContactStore {
    /// Tasks that found fewer contacts than this share a page.
    const SMALL: usize = 64;

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entries before the last [`ContactStore::replace`]; only their ids still mean anything.
    pub(crate) fn entries_before(&self) -> &[Entry] {
        &self.before
    }

    /// The store of these sorted contacts of an update, their names and the names that are not in
    /// use, of which the last is given next. All contacts have extras, or none has.
    pub(crate) fn of(contacts: Vec<(Contact, Option<Extras>)>, ids: ContactIds) -> Self {
        let (mut entries, mut page) = (Vec::with_capacity(contacts.len()), Page::default());
        for (index, (contact, extras)) in (0..).zip(contacts) {
            let Contact { id, a, b, .. } = contact;
            entries.push(Entry { a, b, id, page: 0, index });
            page.push(contact, extras);
        }
        let pages = if entries.is_empty() { Vec::new() } else { vec![Arc::new(page)] };
        Self { entries: Arc::new(entries), pages, ids, ..Self::default() }
    }

    /// Gives the first `count` parts the memory of pages that ended, and lets go of the rest.
    pub(crate) fn lend_pages(&mut self, parts: &mut Vec<Part>, count: usize) {
        // What an update of fewer pairs does not need, a later one is not likely to need either.
        parts.truncate(count);
        parts.resize_with(count, Part::default);
        for part in parts.iter_mut().filter(|part| part.page.contacts.capacity() == 0) {
            let Some(page) = self.spare.pop() else { break };
            part.page = page;
        }
        self.spare.truncate(count);
    }

    pub(crate) fn ids(&self) -> &ContactIds {
        &self.ids
    }

    pub(crate) fn ids_mut(&mut self) -> &mut ContactIds {
        &mut self.ids
    }

    pub(crate) fn at(&self, entry: &Entry) -> &Contact {
        &self.pages[entry.page as usize].contacts[entry.index as usize]
    }

    pub(crate) fn with_slots(&self, entry: &Entry) -> ContactRef<'_> {
        self.pages[entry.page as usize].with_slots(entry.index as usize)
    }

    /// Poses of the two bodies when their shapes were last looked at, in worlds with slots.
    pub(crate) fn made(&self, entry: &Entry) -> Option<[Pose; 2]> {
        self.pages[entry.page as usize].made.get(entry.index as usize).copied()
    }

    pub(crate) fn by_slot(&self) -> &BySlot {
        self.by_slot.get_or_init(|| Arc::new(BySlot::new(&self.entries)))
    }

    /// All contacts in order, their slots to be written.
    pub(crate) fn open(&mut self) -> Vec<ContactMut<'_>> {
        let mut firsts = Vec::with_capacity(self.pages.len());
        let mut all = Vec::with_capacity(self.entries.len());
        for page in &mut self.pages {
            firsts.push(all.len());
            Arc::make_mut(page).open(&mut all);
        }
        let place = |entry: &Entry| firsts[entry.page as usize] + entry.index as usize;
        self.entries.iter().filter_map(|entry| all[place(entry)].take()).collect()
    }

    /// Takes over all that an update found, and names what is new.
    pub(crate) fn replace(&mut self, parts: &mut [Part]) {
        std::mem::swap(&mut self.entries, &mut self.before);
        let mut entries = take(&mut self.entries);
        entries.reserve(parts.iter().map(|part| part.entries.len()).sum());
        let homes = self.house(parts);
        for entry in fresh(parts, &homes) {
            entries.push(named(entry, &mut self.ids, &mut self.pages));
        }
        put(&mut self.entries, entries);
        self.by_slot.take();
        self.drop_sparse_pages();
    }

    /// Takes over what an update found at the sorted `keys`, the rest being as it was, names what
    /// is new, and appends the events at the keys to `told`. `edits` is room to work in.
    pub(crate) fn patch(
        &mut self,
        parts: &mut [Part],
        keys: &[Pair],
        edits: &mut Edits<Entry>,
        told: &mut Vec<Event>,
    ) {
        let homes = self.house(parts);
        let (ids, pages) = (&mut self.ids, &mut self.pages);
        let fresh = fresh(parts, &homes).map(|entry| named(entry, ids, pages));
        edits.at_keys(&self.entries, fresh, keys, |was, now| {
            events::compare_one(was, now, false, told);
        });
        edits.apply(&mut self.entries);
        self.by_slot.take();
        let stored: usize = self.pages.iter().map(|page| page.len()).sum();
        // With more contacts ended than alive there are sparse pages, and their cost is paid for.
        if stored > 2 * self.entries.len() + Self::SMALL {
            self.drop_sparse_pages();
        }
    }

    /// Finds pages for the contacts of the tasks: for each its page, and what to add to indices.
    fn house(&mut self, parts: &mut [Part]) -> Vec<(u32, u32)> {
        let shared = self.add_page(Page::default());
        let mut small = self.spare.pop().unwrap_or_default();
        let homes = parts.iter_mut().map(|part| {
            if part.page.len() < Self::SMALL {
                let shift = count(&small.contacts);
                small.append(&mut part.page);
                (shared, shift)
            } else {
                (self.add_page(std::mem::take(&mut part.page)), 0)
            }
        });
        let homes = homes.collect();
        if small.len() == 0 {
            self.vacant.push(shared);
            self.spare.extend(has_memory(small));
        } else {
            put(&mut self.pages[shared as usize], small);
        }
        homes
    }

    /// Number of the page that now holds these contacts.
    fn add_page(&mut self, contacts: Page) -> u32 {
        let page = self.vacant.pop().unwrap_or_else(|| {
            self.pages.push(Arc::default());
            count(&self.pages) - 1
        });
        put(&mut self.pages[page as usize], contacts);
        page
    }

    /// Frees the pages of which less than half is still alive; what lives there moves together.
    ///
    /// - Cost: a contact that moves is paid for by one that ended.
    fn drop_sparse_pages(&mut self) {
        let mut living = vec![0; self.pages.len()];
        for entry in self.entries.iter() {
            living[entry.page as usize] += 1;
        }
        let is_sparse: Vec<bool> =
            self.pages.iter().zip(&living).map(|(page, &living)| living * 2 < page.len()).collect();
        let mut moved = self.spare.pop().unwrap_or_default();
        let target = self.add_page(Page::default());
        for entry in Arc::make_mut(&mut self.entries) {
            if is_sparse.get(entry.page as usize).is_some_and(|&sparse| sparse) {
                let index = count(&moved.contacts);
                moved.push_copy(&self.pages[entry.page as usize], entry.index as usize);
                (entry.page, entry.index) = (target, index);
            }
        }
        for (page, &sparse) in self.pages.iter_mut().zip(&is_sparse) {
            if sparse {
                self.spare.extend(freed(page));
            }
        }
        if moved.len() == 0 {
            self.spare.extend(has_memory(moved));
        } else {
            put(&mut self.pages[target as usize], moved);
        }
        // Every page without contacts is vacant, whether it was freed now or never filled.
        self.vacant.clear();
        let numbered = (0..).zip(&self.pages);
        self.vacant.extend(numbered.filter(|(_, page)| page.len() == 0).map(|(number, _)| number));
    }
}

/// The entry with a name, which its contact gets, too.
fn named(mut entry: Entry, ids: &mut ContactIds, pages: &mut [Arc<Page>]) -> Entry {
    if entry.id == ContactId::NONE {
        entry.id = ids.take(entry.key());
        let page = Arc::make_mut(&mut pages[entry.page as usize]);
        page.contacts[entry.index as usize].id = entry.id;
    }
    entry
}

/// Empties a page; returns its memory, unless a snapshot has the page too.
fn freed(page: &mut Arc<Page>) -> Option<Page> {
    let Some(own) = Arc::get_mut(page) else {
        *page = Arc::default();
        return None;
    };
    let mut memory = std::mem::take(own);
    memory.clear();
    has_memory(memory)
}

/// The empty page, if it is worth keeping.
fn has_memory(page: Page) -> Option<Page> {
    (page.contacts.capacity() > 0).then_some(page)
}

/// The entries that the tasks found, in order, with the pages of the new contacts among them.
fn fresh(parts: &[Part], homes: &[(u32, u32)]) -> impl Iterator<Item = Entry> {
    parts.iter().zip(homes).flat_map(|(part, &(page, shift))| {
        part.entries.iter().map(move |&entry| match entry.page {
            Entry::FRESH => Entry { page, index: entry.index + shift, ..entry },
            _ => entry,
        })
    })
}

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
    fn take(&mut self, bodies: Key) -> ContactId {
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

/// Places of the entries of each body, by its slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct BySlot {
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl BySlot {
    fn new(entries: &[Entry]) -> Self {
        let slots = |entry: &Entry| [entry.a.index() as usize, entry.b.index() as usize];
        let end = entries.iter().flat_map(slots).max().map_or(0, |last| last + 1);
        let mut starts = vec![0_u32; end + 1];
        for slot in entries.iter().flat_map(slots) {
            starts[slot + 1] += 1;
        }
        for slot in 0..end {
            starts[slot + 1] += starts[slot];
        }
        let mut next = starts.clone();
        let mut places = vec![0; entries.len() * 2];
        for (place, entry) in (0..).zip(entries) {
            for slot in slots(entry) {
                places[next[slot] as usize] = place;
                next[slot] += 1;
            }
        }
        Self { starts, places }
    }

    pub(crate) fn of(&self, slot: u32) -> &[u32] {
        let bound = |at: usize| self.starts.get(at).map(|&start| start as usize);
        match (bound(slot as usize), bound(slot as usize + 1)) {
            (Some(start), Some(end)) => &self.places[start..end],
            _ => &[],
        }
    }
}

/// Length as a page or place number; both stay below the number of pairs, which are `u32`.
pub(crate) fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use smallvec::SmallVec;

    use super::*;

    fn id(slot: u64) -> BodyId {
        BodyId::from_bits(1 << 32 | slot)
    }

    fn fresh(pairs: &[(u64, u64)]) -> Part {
        let mut part = Part::default();
        for (index, &(a, b)) in (0..).zip(pairs) {
            let (a, b, none) = (id(a), id(b), ContactId::NONE);
            part.entries.push(Entry { a, b, id: none, page: Entry::FRESH, index });
            part.page.push(Contact { id: none, a, b, manifolds: SmallVec::new() }, None);
        }
        part
    }

    #[test]
    fn contacts_survive_their_pages() {
        let mut store = ContactStore::default();
        store.replace(&mut [fresh(&[(1, 2), (1, 3)]), fresh(&[(2, 3)])]);
        let name = store.entries()[1].id;
        // The contact (1, 3) is kept, (1, 2) made anew, (2, 3) ends.
        for _ in 0..500 {
            let kept = store.entries()[1];
            let mut part = fresh(&[(1, 2)]);
            part.entries.push(kept);
            store.replace(&mut [part]);
        }
        let seen: Vec<_> = store.entries().iter().map(|entry| store.at(entry)).collect();
        assert_eq!((seen.len(), seen[0].b, seen[1].b, seen[1].id), (2, id(2), id(3), name));
        assert_eq!(store.by_slot().of(1), [0, 1]);
        assert_eq!(store.by_slot().of(3), [1]);
        assert!(store.by_slot().of(0).is_empty() && store.by_slot().of(4).is_empty());
        assert!(store.pages.iter().map(|page| page.len()).sum::<usize>() < 5);
        assert!(store.pages.len() < 6);
    }

    #[test]
    fn updates_without_new_contacts_keep_no_pages() {
        let mut store = ContactStore::default();
        store.replace(&mut [fresh(&[(1, 2), (1, 3)])]);
        let pages = store.pages.len();
        let (mut edits, mut told) = (Edits::default(), Vec::new());
        for _ in 0..100 {
            store.patch(&mut [Part::default()], &[], &mut edits, &mut told);
        }
        assert_eq!((store.entries().len(), told.len()), (2, 0));
        assert!(store.pages.len() <= pages + 1, "{} pages", store.pages.len());
        // A contact that is made anew in every update does not leave its old ones behind for ever.
        for _ in 0..500 {
            store.patch(&mut [fresh(&[(1, 2)])], &[Pair { a: 1, b: 2 }], &mut edits, &mut told);
        }
        assert_eq!((store.entries().len(), told.len()), (2, 500));
        assert!(store.pages.len() < 100, "{} pages", store.pages.len());
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
