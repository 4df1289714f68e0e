//! Where contacts live from update to update.

use std::sync::{Arc, OnceLock};

use impinge_broadphase::Pair;
use impinge_shapes::Pose;

use crate::by_slot::BySlot;
use crate::contacts::{Contact, ContactMut, ContactRef, SensorOverlap};
use crate::entries::{Cursor, Entries, Entry, Place, Run, Takeover};
use crate::events::{self, Event, EventKind};
use crate::names::ContactIds;
use crate::page::{Extras, Page};
use crate::patch::Kept;
use crate::shared::put;

/// How far ahead of the contact in hand contacts are fetched.
const AHEAD: usize = 16;

/// What one task of an update found: its part of the entries, and the new contacts among them.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) entries: Vec<Entry>,
    pub(crate) page: Page,
    /// Where the contacts of the page lay before, for those that were there; those beyond the end
    /// were not, or nobody asks.
    pub(crate) old: Vec<Option<Place>>,
    /// Places of the entries that have no name yet, in order.
    pub(crate) unnamed: Vec<u32>,
    /// Pages of the entries whose pairs were not looked at again.
    pub(crate) kept: Vec<u32>,
    /// Contacts of its pairs that are no more.
    pub(crate) ended: Vec<Entry>,
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
        self.old.clear();
        self.unnamed.clear();
        self.kept.clear();
        self.ended.clear();
        self.sensors.clear();
        self.filtered.clear();
        (self.tested, self.recycled) = (0, 0);
    }

    /// Takes over what another part found but for its contacts.
    pub(crate) fn take_in(&mut self, other: &mut Self) {
        self.ended.append(&mut other.ended);
        self.sensors.append(&mut other.sensors);
        self.filtered.append(&mut other.filtered);
        self.tested += other.tested;
        self.recycled += other.recycled;
    }
}

/// Contacts in pages, in whatever order; the sorted entries say where each lies.
///
/// A contact is large (some 200 bytes), an entry is small. An update of all bodies leaves each
/// contact on the page of the task that found it, an update of a few writes it to where it was.
/// Snapshots share the pages, and a page that is shared is not written to: what changes goes
/// elsewhere, until little of the page is alive.
#[derive(Debug, Default)]
pub(crate) struct ContactStore {
    entries: Entries,
    pages: Vec<Arc<Page>>,
    /// Pages without contacts.
    vacant: Vec<u32>,
    /// Places of contacts that ended, of which some may be on pages that are shared.
    holes: Vec<Place>,
    /// The page that single contacts are added to.
    open: Option<u32>,
    ids: ContactIds,
    /// Made when it is first asked for.
    by_slot: OnceLock<Arc<BySlot>>,
    /// Pages that ended, whose memory is for the tasks of the next update; these empty them, too.
    spare: Vec<Page>,
    work: Edits,
}

/// Room to work in.
#[derive(Debug, Default)]
struct Edits {
    ended: Vec<Entry>,
    /// Entries of new contacts, and of those whose page is shared: where they are on `page`, and
    /// whether they are new.
    moved: Vec<(Entry, usize, bool)>,
    page: Page,
    /// What takes over the entries of an update of all.
    takeovers: Vec<Takeover>,
}

impl Clone for ContactStore {
    /// The same contacts without what only an update needs; all is shared.
    fn clone(&self) -> Self {
        Self {
            entries: self.entries.clone(),
            pages: self.pages.clone(),
            vacant: self.vacant.clone(),
            holes: self.holes.clone(),
            open: self.open,
            ids: self.ids.clone(),
            by_slot: self.by_slot.clone(),
            spare: Vec::new(),
            work: Edits::default(),
        }
    }
}

impl ContactStore {
    /// Tasks that found fewer contacts than this share a page.
    const SMALL: usize = 64;
    /// Contacts of a page to which single ones are added.
    const PAGE: usize = 256;

    pub(crate) fn entries(&self) -> &Entries {
        &self.entries
    }

    /// The store of these sorted contacts of an update, their names and the names that are not in
    /// use, of which the last is given next. All contacts have extras, or none has.
    pub(crate) fn of(contacts: Vec<(Contact, Option<Extras>)>, ids: ContactIds) -> Self {
        let mut store = Self { ids, ..Self::default() };
        for (contact, extras) in contacts {
            let page = match store.pages.last() {
                Some(page) if page.len() < Self::PAGE => count(&store.pages) - 1,
                _ => store.add_page(Page::default()),
            };
            let Contact { id, a, b, .. } = contact;
            let page_of = Arc::make_mut(&mut store.pages[page as usize]);
            let index = narrow(page_of.len());
            store.entries.append(&[Entry { a, b, id, place: Place { page, index } }]);
            page_of.push(contact, extras);
        }
        store
    }

    /// Gives the first `count` parts the memory of pages that ended, and lets go of the rest.
    pub(crate) fn lend_pages(&mut self, parts: &mut Vec<Part>, count: usize) {
        // What an update of fewer pairs does not need, a later one is not likely to need either.
        parts.truncate(count);
        parts.resize_with(count, Part::default);
        for part in parts.iter_mut().filter(|part| !part.page.has_memory()) {
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

    fn on_page(&self, place: Place) -> (&Page, usize) {
        (&self.pages[place.page as usize], place.index as usize)
    }

    pub(crate) fn at(&self, place: Place) -> &Contact {
        let (page, index) = self.on_page(place);
        page.contact(index)
    }

    /// The contact at this place of the order, which is below the length; `cursor` makes the next
    /// one cheap.
    pub(crate) fn nth(&self, place: usize, cursor: &mut Cursor) -> &Contact {
        self.at(self.entries.at(place, cursor).place)
    }

    pub(crate) fn with_slots(&self, entry: &Entry) -> ContactRef<'_> {
        let (page, index) = self.on_page(entry.place);
        page.with_slots(index)
    }

    /// Poses of the two bodies when their shapes were last looked at, in worlds with slots.
    pub(crate) fn made(&self, entry: &Entry) -> Option<[Pose; 2]> {
        let (page, index) = self.on_page(entry.place);
        page.made(index)
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
        let place = |place: Place| firsts[place.page as usize] + place.index as usize;
        self.entries.iter().filter_map(|entry| all[place(entry.place)].take()).collect()
    }

    /// Takes over all that an update found, names what is new, and appends begins and ends to
    /// `told`, in no order.
    pub(crate) fn replace(&mut self, parts: &mut [Part], told: &mut Vec<Event>) {
        // What an update left that ended half way.
        self.work.moved.clear();
        self.work.page.clear();
        let found: Vec<usize> = parts.iter().map(|part| part.page.len()).collect();
        let homes = self.house(parts);
        let mut living = vec![0; self.pages.len()];
        for ((part, &(page, shift)), found) in parts.iter_mut().zip(&homes).zip(found) {
            living[page as usize] += found;
            part.kept.iter().for_each(|&page| living[page as usize] += 1);
            if part.unnamed.is_empty() {
                continue;
            }
            let page = Arc::make_mut(&mut self.pages[page as usize]);
            for &place in &part.unnamed {
                let entry = &mut part.entries[place as usize];
                entry.id = self.ids.take((entry.a, entry.b));
                page.name((entry.place.index + shift) as usize, entry.id);
                told.push(events::event(EventKind::Begin, entry, false));
            }
        }
        let runs = parts.iter().zip(&homes);
        let runs: Vec<Run<'_>> = runs
            .filter(|(part, _)| !part.entries.is_empty())
            .map(|(part, &(page, shift))| Run { entries: &part.entries, page, shift })
            .collect();
        self.entries.replace(&runs, &mut self.work.takeovers);
        let ended = self.work.takeovers.iter().flat_map(|work| &work.ended);
        told.extend(ended.map(|entry| events::event(EventKind::End, entry, false)));
        self.by_slot.take();
        self.drop_sparse_pages(&living);
    }

    /// Puts the contacts of some parts of an update of a few where they were; those that have no
    /// place of their own wait until [`ContactStore::patch`].
    pub(crate) fn put_back(&mut self, parts: &mut [Part]) {
        for Part { entries, page, old, .. } in parts {
            let home = |place: usize| *old.get(entries.get(place)?.place.index as usize)?;
            let ahead = (0..AHEAD).filter_map(home);
            ahead.for_each(|next| self.pages[next.page as usize].prefetch(next.index as usize));
            let mut place = 0;
            while let Some(entry) = entries.get(place) {
                let first = home(place);
                let number = first.map_or(self.pages.len(), |first| first.page as usize);
                let (before, rest) = self.pages.split_at_mut(number);
                let own = rest.split_first_mut();
                let own = own.and_then(|(own, after)| Some((Arc::get_mut(own)?, after)));
                let Some((own, after)) = own else {
                    let index = self.work.page.len();
                    self.work.moved.push((*entry, index, first.is_none()));
                    self.work.page.push_from(page, entry.place.index as usize);
                    place += 1;
                    continue;
                };
                // Those of the same page; contacts lie anywhere.
                while let (Some(entry), Some(to)) = (entries.get(place), home(place))
                    && to.page as usize == number
                {
                    if let Some(next) = home(place + AHEAD) {
                        let page = match (next.page as usize).checked_sub(number) {
                            None => &before[next.page as usize],
                            Some(0) => &*own,
                            Some(on) => &after[on - 1],
                        };
                        page.prefetch(next.index as usize);
                    }
                    own.take_over(to.index as usize, page, entry.place.index as usize);
                    place += 1;
                }
            }
        }
    }

    /// Takes over what is left of an update of a few after [`ContactStore::put_back`], the rest being
    /// as it was but for the contacts that `ended` and the pairs that are `gone`; names what is new,
    /// and appends begins and ends to `told`.
    pub(crate) fn patch(&mut self, ended: &[Entry], gone: &[Pair], told: &mut Vec<Event>) {
        let mut work = std::mem::take(&mut self.work);
        self.end(ended, gone, &mut work.ended, told);
        work.moved.sort_unstable_by_key(|(entry, ..)| entry.slots());
        for &(mut entry, index, is_new) in &work.moved {
            if is_new {
                entry.id = self.ids.take((entry.a, entry.b));
                work.page.name(index, entry.id);
                told.push(events::event(EventKind::Begin, &entry, false));
            }
            entry.place = self.add(&mut work.page, index);
            self.entries.insert(entry);
        }
        if !(work.moved.is_empty() && work.ended.is_empty()) {
            self.by_slot.take();
        }
        work.moved.clear();
        work.page.clear();
        self.work = work;
        let stored: usize = self.pages.iter().map(|page| page.len()).sum();
        // With more contacts ended than alive there are sparse pages, and their cost is paid for.
        if stored > 2 * self.entries.len() + Self::SMALL {
            let mut living = vec![0; self.pages.len()];
            for entry in self.entries.iter() {
                living[entry.place.page as usize] += 1;
            }
            self.drop_sparse_pages(&living);
        }
    }

    /// Takes out the contacts that ended, and tells of them in their order.
    fn end(
        &mut self,
        found: &[Entry],
        gone: &[Pair],
        ended: &mut Vec<Entry>,
        told: &mut Vec<Event>,
    ) {
        ended.clear();
        ended.extend_from_slice(found);
        ended.extend(gone.iter().filter_map(|pair| self.entries.find((pair.a, pair.b))));
        ended.sort_unstable_by_key(Entry::slots);
        for entry in &*ended {
            told.push(events::event(EventKind::End, entry, false));
            self.entries.remove(entry.slots());
            self.holes.push(entry.place);
        }
    }

    /// Finds a place for a contact of another page.
    fn add(&mut self, from: &mut Page, index: usize) -> Place {
        while let Some(hole) = self.holes.pop() {
            // A hole of a shared page stays one until the page is dropped.
            if let Some(page) = Arc::get_mut(&mut self.pages[hole.page as usize]) {
                page.take_over(hole.index as usize, from, index);
                return hole;
            }
        }
        let has_room = |page: &u32| {
            let page = &self.pages[*page as usize];
            page.len() < Self::PAGE && Arc::strong_count(page) == 1
        };
        let number = match self.open.filter(has_room) {
            Some(number) => number,
            None => {
                let memory = self.empty_page();
                self.add_page(memory)
            }
        };
        self.open = Some(number);
        let page = Arc::make_mut(&mut self.pages[number as usize]);
        page.push_from(from, index);
        Place { page: number, index: narrow(page.len() - 1) }
    }

    /// Finds pages for the contacts of the tasks: for each its page, and what to add to indices.
    fn house(&mut self, parts: &mut [Part]) -> Vec<(u32, u32)> {
        let shared = self.add_page(Page::default());
        let mut small = self.empty_page();
        let homes = parts.iter_mut().map(|part| {
            if part.page.len() < Self::SMALL {
                let shift = narrow(small.len());
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

    /// A page with the memory of one that ended, if there is any.
    fn empty_page(&mut self) -> Page {
        let mut page = self.spare.pop().unwrap_or_default();
        page.clear();
        page
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
    /// `living` says how many contacts do on each page.
    ///
    /// - Cost: a contact that moves is paid for by one that ended.
    fn drop_sparse_pages(&mut self, living: &[usize]) {
        let counted = self.pages.iter().zip(living);
        let sparse: Vec<bool> = counted.map(|(page, &living)| living * 2 < page.len()).collect();
        let is_sparse = |page: u32| sparse.get(page as usize).is_some_and(|&sparse| sparse);
        let mut moved = self.empty_page();
        let target = self.add_page(Page::default());
        let pages = &self.pages;
        if sparse.iter().zip(living).any(|(&sparse, &living)| sparse && living > 0) {
            self.entries.change(
                |entry| is_sparse(entry.place.page),
                |entry| {
                    let index = narrow(moved.len());
                    moved.push_copy(&pages[entry.place.page as usize], entry.place.index as usize);
                    entry.place = Place { page: target, index };
                },
            );
        }
        self.holes.retain(|hole| !is_sparse(hole.page));
        self.open = None;
        for (page, &sparse) in self.pages.iter_mut().zip(&sparse) {
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

/// Takes a page out, unless a snapshot has it too.
fn freed(page: &mut Arc<Page>) -> Option<Page> {
    let Some(own) = Arc::get_mut(page) else {
        *page = Arc::default();
        return None;
    };
    has_memory(std::mem::take(own))
}

/// The page, if it is worth keeping.
fn has_memory(page: Page) -> Option<Page> {
    page.has_memory().then_some(page)
}

/// Length as a page or place number; both stay below the number of pairs, which are `u32`.
pub(crate) fn count<T>(items: &[T]) -> u32 {
    narrow(items.len())
}

/// A number of contacts, which stays below the number of pairs.
pub(crate) fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use smallvec::SmallVec;

    use super::*;
    use crate::{BodyId, ContactId};

    fn id(slot: u64) -> BodyId {
        BodyId::from_bits(1 << 32 | slot)
    }

    /// What a task found: pairs, of which those of the store lay there before.
    fn fresh(store: &ContactStore, pairs: &[(u64, u64)]) -> Part {
        let mut part = Part::default();
        for (index, &(a, b)) in (0..).zip(pairs) {
            let (a, b) = (id(a), id(b));
            let old = store.entries().find((a.index(), b.index()));
            let id = old.map_or(ContactId::NONE, |entry| entry.id);
            if id == ContactId::NONE {
                part.unnamed.push(index);
            }
            part.entries.push(Entry { a, b, id, place: Place { page: Place::FRESH, index } });
            part.page.push(Contact { id, a, b, manifolds: SmallVec::new() }, None);
            part.old.push(old.map(|entry| entry.place));
        }
        part
    }

    fn patch(store: &mut ContactStore, mut parts: Vec<Part>, gone: &[Pair], told: &mut Vec<Event>) {
        store.put_back(&mut parts);
        let ended: Vec<Entry> = parts.iter().flat_map(|part| part.ended.clone()).collect();
        store.patch(&ended, gone, told);
    }

    fn bodies(store: &ContactStore) -> Vec<(BodyId, BodyId)> {
        let contacts = store.entries().iter().map(|entry| (entry, store.at(entry.place)));
        contacts
            .map(|(entry, contact)| {
                assert_eq!((entry.a, entry.b, entry.id), (contact.a, contact.b, contact.id));
                (contact.a, contact.b)
            })
            .collect()
    }

    #[test]
    fn contacts_survive_their_pages() {
        let mut store = ContactStore::default();
        let none = ContactStore::default();
        let mut told = Vec::new();
        store.replace(&mut [fresh(&none, &[(1, 2), (1, 3)]), fresh(&none, &[(2, 3)])], &mut told);
        let name = store.entries().find((1, 3)).unwrap().id;
        // The contact (1, 3) is kept, (1, 2) made anew, (2, 3) ends.
        for _ in 0..500 {
            let kept = *store.entries().find((1, 3)).unwrap();
            let mut part = fresh(&none, &[(1, 2)]);
            part.kept.push(kept.place.page);
            part.entries.push(kept);
            store.replace(&mut [part], &mut told);
            for event in told.drain(..).filter(|event| event.kind == EventKind::End) {
                store.ids.free(event.contact.unwrap());
            }
        }
        assert_eq!(bodies(&store), [(id(1), id(2)), (id(1), id(3))]);
        assert_eq!(store.ids.len(), 4);
        assert_eq!(store.entries().find((1, 3)).unwrap().id, name);
        let of = |slot| store.by_slot().of(slot).iter().map(|&place| store.at(place).b);
        assert!(of(1).eq([id(2), id(3)]) && of(3).eq([id(3)]));
        assert!(store.by_slot().of(0).is_empty() && store.by_slot().of(4).is_empty());
        assert!(store.pages.iter().map(|page| page.len()).sum::<usize>() < 5);
        assert!(store.pages.len() < 6);
    }

    #[test]
    fn contacts_that_last_stay_where_they_are() {
        let mut store = ContactStore::default();
        let part = fresh(&store, &[(1, 2), (1, 3)]);
        store.replace(&mut [part], &mut Vec::new());
        let (pages, places) = (store.pages.len(), store.entries().iter().map(|entry| entry.place));
        let places: Vec<Place> = places.collect();
        let mut told = Vec::new();
        for _ in 0..500 {
            let part = fresh(&store, &[(1, 2)]);
            patch(&mut store, vec![Part::default(), part], &[], &mut told);
        }
        assert!(told.is_empty() && store.pages.len() == pages, "{} pages", store.pages.len());
        assert!(store.entries().iter().map(|entry| entry.place).eq(places));
        // One that begins takes the place of one that ended.
        for _ in 0..500 {
            let part = fresh(&store, &[(1, 5)]);
            patch(&mut store, vec![part], &[], &mut told);
            patch(&mut store, vec![], &[Pair { a: 1, b: 5 }], &mut told);
        }
        assert_eq!((store.entries().len(), told.len()), (2, 1000));
        assert!(store.pages.len() <= pages + 1, "{} pages", store.pages.len());
        bodies(&store);
    }

    #[test]
    fn pages_that_are_shared_are_left_alone() {
        let mut store = ContactStore::default();
        let pairs: Vec<(u64, u64)> = (1..200).map(|a| (a, a + 1)).collect();
        let part = fresh(&store, &pairs);
        store.replace(&mut [part], &mut Vec::new());
        let mut told = Vec::new();
        for round in 0..500 {
            let kept = store.clone();
            let before: Vec<ContactId> = kept.entries().iter().map(|entry| entry.id).collect();
            let at = |k: usize| pairs[(round * 7 + k * 31) % pairs.len()];
            let mut part = fresh(&store, &[at(0), at(1)]);
            let gone = Pair { a: id(at(2).0).index(), b: id(at(2).1).index() };
            part.ended.extend(store.entries().find((gone.a, gone.b)));
            patch(&mut store, vec![part], &[], &mut told);
            assert_eq!(bodies(&kept).len(), before.len());
            assert!(kept.entries().iter().map(|entry| entry.id).eq(before));
            bodies(&store);
        }
        assert!(told.len() > 100, "{}", told.len());
        assert!(store.pages.len() < 300, "{} pages", store.pages.len());
        assert!(store.pages.iter().map(|page| page.len()).sum::<usize>() < 500);
    }
}
