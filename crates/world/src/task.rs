//! One task of an update: a run of the sorted pairs.

use impinge_broadphase::Pair;
use impinge_narrowphase::batch::{self, ManifoldSink, PairRef};
use impinge_narrowphase::{self as narrow, ContactPoints, Manifold};
use impinge_shapes::Pose;
use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::SimdLevel;
use smallvec::SmallVec;

use crate::bodies::Encounter;
use crate::body::Stored;
use crate::contacts::{Contact, ContactId, SensorOverlap};
use crate::entries::{self, Entries, Entry, Place};
use crate::face::Brief;
use crate::page::{Extras, Page};
use crate::patch::{self, Kept};
use crate::state::{CHANGED, RESHAPED, State};
use crate::store::{Part, count, narrow};
use crate::work::ScratchPool;
use crate::{BodyId, BodyKind, anchors};

/// Pairs between the one in hand and the one whose bodies are fetched.
const AHEAD: usize = 32;

/// Slots between the smaller body in hand and the one that is fetched, where all are met in order.
const NEXT: u32 = 16;

/// What a task needs to test its pairs.
pub(crate) struct Task<'w> {
    pub(crate) level: SimdLevel,
    /// The world, with contacts, sensor overlaps and filtered pairs as of the last update.
    pub(crate) state: &'w State,
    pub(crate) contact_filter: Option<&'w (dyn Fn(BodyId, BodyId) -> bool + Sync)>,
    /// Contacts get anchors and slots.
    pub(crate) has_anchors: bool,
    /// Pairs of bodies that did not change keep their answers.
    pub(crate) keeps_answers: bool,
    /// No contact is carried along with its bodies.
    pub(crate) retests: bool,
    /// The contact that a tested pair had is looked up once the pair touches: what is found replaces
    /// all contacts, so that nobody is told here of those that end, and none is carried along with
    /// its bodies.
    pub(crate) names_late: bool,
    /// No filter, ignored pairs, margins of bodies or contacts that are carried along with them.
    pub(crate) is_plain: bool,
    pub(crate) scratch: &'w ScratchPool,
}

impl<'w> Task<'w> {
    /// Tests a run of the pairs, which is sorted unless all are of bodies that changed; `part` is
    /// written anew.
    pub(crate) fn run(&self, pairs: &[Pair], part: &mut Part) {
        part.clear();
        let mut open: Open<'w> = self.scratch.take();
        if self.names_late {
            self.enter_all(pairs, part, &mut open);
        } else {
            self.enter_changed(pairs, part, &mut open);
        }
        self.settle(part, &mut open);
        self.scratch.give_back(open);
    }

    /// Enters the pairs that are to be tested, which are most, as if they had not touched before.
    fn enter_all(&self, pairs: &[Pair], part: &mut Part, open: &mut Open<'w>) {
        let (entries, bodies) = (self.state.contacts.entries(), &self.state.bodies);
        let mut before = Before::new(self.state, pairs);
        let mut ahead = pairs.iter();
        ahead.by_ref().take(AHEAD).for_each(|pair| bodies.prefetch(pair.b));
        let (mut slot, mut one) = (0, None);
        for pair in pairs {
            ahead.next().into_iter().for_each(|pair| bodies.prefetch(pair.b));
            // The pairs of a body come in a row.
            if pair.a != slot {
                if !entries::share_bucket(pair.a, slot) {
                    entries.prefetch_after(pair.a);
                }
                (slot, one) = (pair.a, bodies.glimpse(pair.a));
                bodies.prefetch(pair.a.saturating_add(NEXT));
            }
            if self.is_to_be_tested(*pair) {
                self.enter(*pair, one, None, part, open);
            } else {
                before.keep(*pair, part);
            }
        }
    }

    /// Enters the pairs that are to be tested, and keeps the answers about the others.
    fn enter_changed(&self, pairs: &[Pair], part: &mut Part, open: &mut Open<'w>) {
        let entries = self.state.contacts.entries();
        let mut before = Before::new(self.state, pairs);
        // One pair after the other, because many prefetches in a row wait for each other.
        let mut buckets = pairs.iter();
        buckets.by_ref().take(2 * AHEAD).for_each(|pair| entries.prefetch_bucket(pair.a));
        let mut ahead = pairs.iter();
        let mut last = 0;
        let mut fetch = |pair: &Pair| {
            self.prefetch(*pair, last);
            last = pair.a;
        };
        ahead.by_ref().take(AHEAD).for_each(&mut fetch);
        for pair in pairs {
            buckets.next().into_iter().for_each(|pair| entries.prefetch_bucket(pair.a));
            ahead.next().into_iter().for_each(&mut fetch);
            if self.is_to_be_tested(*pair) {
                let (one, old) = (self.state.bodies.glimpse(pair.a), before.contact(*pair));
                self.enter(*pair, one, old, part, open);
            } else {
                before.keep(*pair, part);
            }
        }
    }

    fn is_to_be_tested(&self, pair: Pair) -> bool {
        !self.keeps_answers || self.state.marks.any(pair.a, pair.b, CHANGED)
    }

    /// Fetches ahead the contact that a pair had, and its bodies if it is to be tested; `last` is the
    /// smaller slot of the pair before it.
    #[inline]
    fn prefetch(&self, pair: Pair, last: u32) {
        self.state.contacts.entries().prefetch_row(pair.a, last);
        if self.is_to_be_tested(pair) {
            self.state.bodies.prefetch(pair.a);
            self.state.bodies.prefetch(pair.b);
        }
    }

    /// Enters a pair to be tested by [`Task::settle`]; `one` is its smaller body, `old` the contact of
    /// its slots, if that was looked up.
    #[inline(always)]
    fn enter(
        &self,
        pair: Pair,
        one: Option<(&'w Stored, Brief)>,
        old: Option<&'w Entry>,
        part: &mut Part,
        open: &mut Open<'w>,
    ) {
        // Most bodies are of no special sort, and most worlds.
        if self.is_plain
            && let (Some((one, face_a)), Some((other, face_b))) =
                (one, self.state.bodies.glimpse(pair.b))
            && face_a.is_known()
            && face_b.is_known()
            && !(face_a.is_fixed() && face_b.is_fixed())
        {
            let bodies = [face_a.id(pair.a), face_b.id(pair.b)];
            let (old, others) = same_bodies(old, bodies);
            part.ended.extend(others);
            open.add(bodies, [one, other], old, self.state.margin, part);
        } else {
            self.enter_any(pair, old, part, open);
        }
    }

    /// [`Task::enter`] of bodies of any sort.
    #[inline(never)]
    fn enter_any(&self, pair: Pair, old: Option<&'w Entry>, part: &mut Part, open: &mut Open<'w>) {
        let met = (self.state.bodies.met(pair.a), self.state.bodies.met(pair.b));
        let (Some(Encounter { id: a, tag: tag_a, stored: one }), Some(other)) = met else {
            part.ended.extend(old);
            return;
        };
        let Encounter { id: b, tag: tag_b, stored: other } = other;
        if tag_a.kind == BodyKind::Fixed && tag_b.kind == BodyKind::Fixed {
            part.ended.extend(old);
            return;
        }
        let allowed = tag_a.groups.meets(tag_b.groups)
            && !self.state.bodies.are_ignored(a, b)
            && self.contact_filter.is_none_or(|filter| filter(a, b));
        if !allowed {
            part.ended.extend(old);
            part.filtered.push(pair);
            return;
        }
        if tag_a.sensor || tag_b.sensor {
            part.ended.extend(old);
            open.sensor_places.push(part.sensors.len());
            open.sensors.push(pair_of([one, other]));
            part.sensors.push(SensorOverlap { a, b });
            part.tested += 1;
            return;
        }
        // The slots may have been another pair's.
        let (old, others) = same_bodies(old, [a, b]);
        part.ended.extend(others);
        let margin = self.state.bodies.pair_margin(pair.a, pair.b, self.state.margin);
        if let Some((manifolds, extras)) =
            self.recycled(pair, old, [&one.pose, &other.pose], margin)
        {
            let id = old.map_or(ContactId::NONE, |entry| entry.id);
            let place = Place { page: Place::FRESH, index: narrow(part.page.len()) };
            part.entries.push(Entry { a, b, id, place });
            part.page.push(Contact { id, a, b, manifolds }, Some(extras));
            part.old.push(old.map(|entry| entry.place));
            part.recycled += 1;
            return;
        }
        open.add([a, b], [one, other], old, margin, part);
    }

    /// The contact as its bodies carried it along, if they hardly moved relative to each other.
    fn recycled(
        &self,
        pair: Pair,
        old: Option<&Entry>,
        poses: [&Pose; 2],
        margin: f32,
    ) -> Option<(SmallVec<[Manifold; 1]>, Extras)> {
        if self.retests
            || self.state.recycling <= 0.0
            || self.state.marks.any(pair.a, pair.b, RESHAPED)
        {
            return None;
        }
        let old = old?;
        let made = self.state.contacts.made(old)?;
        let bounds = [self.state.bodies.bounds(pair.a), self.state.bodies.bounds(pair.b)];
        anchors::recycled(
            self.state.contacts.with_slots(old),
            made,
            poses,
            bounds,
            self.state.recycling,
            margin,
        )
    }

    /// Tests the open pairs, all at once, and keeps those that touch.
    fn settle(&self, part: &mut Part, open: &mut Open<'_>) {
        if !open.solid.is_empty() {
            part.tested += open.solid.len();
            open.places.clear();
            open.places.resize(open.solid.len(), NOWHERE);
            let candidates = &open.candidates;
            let mut found = Found { page: &mut part.page, places: &mut open.places, candidates };
            batch::manifolds_into(&open.solid, self.state.margin, self.level, &mut found);
            self.take_touching(part, open);
        }
        if !open.sensors.is_empty() {
            batch::overlaps(&open.sensors, self.level, &mut open.overlaps);
            let mut tested = open.sensor_places.iter().zip(&open.overlaps).peekable();
            let mut place = 0;
            part.sensors.retain(|_| {
                let is_open = tested.next_if(|(open, _)| **open == place);
                place += 1;
                is_open.is_none_or(|(_, overlaps)| *overlaps)
            });
        }
    }

    /// Takes over the contacts of the candidates that touch.
    fn take_touching(&self, part: &mut Part, open: &mut Open<'_>) {
        let mut rows = Rows::new(self.state.contacts.entries());
        // Those of the entries that are there already go between the new ones.
        open.there.clear();
        open.there.append(&mut part.entries);
        // Entries are small, so that room for all is cheaper than growing.
        part.entries.reserve(open.there.len() + open.candidates.len());
        let mut there = 0;
        for (place, candidate) in open.candidates.iter().enumerate() {
            let mut index = open.places[place];
            // Margins of bodies are the exception, and each such pair is tested on its own.
            if candidate.margin > self.state.margin {
                index = within_margin(candidate, &open.solid[place], index, part);
            }
            if index == NOWHERE {
                part.ended.extend(candidate.old);
                continue;
            }
            let &Candidate { bodies: [a, b], mut old, after, .. } = candidate;
            if self.names_late {
                (old, _) = same_bodies(rows.seek((a.index(), b.index())), [a, b]);
            }
            if self.has_anchors {
                let poses = [*open.solid[place].pose_a, *open.solid[place].pose_b];
                let old = old.map(|entry| self.state.contacts.with_slots(entry));
                let manifolds = &part.page.contact(index as usize).manifolds;
                let extras = anchors::made(manifolds, poses, old);
                part.page.set_extras(index as usize, extras);
            }
            if there < after as usize {
                part.entries.extend_from_slice(&open.there[there..after as usize]);
                there = after as usize;
            }
            let mut id = ContactId::NONE;
            if let Some(old) = old {
                id = old.id;
                part.page.name(index as usize, id);
                // Nobody goes back there where all contacts are replaced.
                if !self.names_late {
                    part.old.resize(part.page.len(), None);
                    part.old[index as usize] = Some(old.place);
                }
            } else {
                part.unnamed.push(count(&part.entries));
            }
            part.entries.push(Entry { a, b, id, place: Place { page: Place::FRESH, index } });
        }
        part.entries.extend_from_slice(&open.there[there..]);
    }
}

/// Tests a pair with a margin of its own, which lies at this index of the part's page, if anywhere:
/// where it lies then.
#[cold]
fn within_margin(
    candidate: &Candidate<'_>,
    pair: &PairRef<'_>,
    mut index: u32,
    part: &mut Part,
) -> u32 {
    let PairRef { a, pose_a, b, pose_b } = *pair;
    let manifolds = narrow::manifolds(a, pose_a, b, pose_b, candidate.margin);
    // What touches within the world's margin does so within a larger one.
    if !manifolds.is_empty() {
        if index == NOWHERE {
            index = narrow(part.page.begin(candidate.bodies));
        }
        part.page.replace_manifolds(index as usize, manifolds);
    }
    index
}

fn pair_of<'w>([one, other]: [&'w Stored; 2]) -> PairRef<'w> {
    PairRef { a: &one.shape, pose_a: &one.pose, b: &other.shape, pose_b: &other.pose }
}

/// The contact, if it is one of these bodies, and else the other one.
fn same_bodies(old: Option<&Entry>, bodies: [BodyId; 2]) -> (Option<&Entry>, Option<&Entry>) {
    match old {
        Some(entry) if [entry.a, entry.b] == bodies => (old, None),
        _ => (None, old),
    }
}

/// A pair whose bodies may be in contact.
#[derive(Clone, Copy, Debug)]
struct Candidate<'w> {
    bodies: [BodyId; 2],
    /// Their contact at the last update, if that was looked up.
    old: Option<&'w Entry>,
    /// That of the world, or a larger one.
    margin: f32,
    /// Number of the part's entries that come before it.
    after: u32,
}

/// Pairs of a task that are yet to be tested, and room for the answers.
#[derive(Debug, Default)]
pub(crate) struct Open<'w> {
    /// The shapes of those that may be in contact, in order.
    solid: Vec<PairRef<'w>>,
    /// As many as these.
    candidates: Vec<Candidate<'w>>,
    /// Entries that were there before those of the candidates.
    there: Vec<Entry>,
    /// Those with a sensor.
    sensors: Vec<PairRef<'w>>,
    /// Their places among the part's sensor overlaps, in order.
    sensor_places: Vec<usize>,
    /// Where the contacts of the candidates lie on the part's page, [`NOWHERE`] for none.
    places: Vec<u32>,
    overlaps: Vec<bool>,
}

/// Where a contact lies that there is not.
const NOWHERE: u32 = u32::MAX;

/// Makes the contacts of the candidates where they stay.
struct Found<'p, 'w> {
    page: &'p mut Page,
    places: &'p mut [u32],
    candidates: &'p [Candidate<'w>],
}

impl ManifoldSink for Found<'_, '_> {
    #[inline]
    fn begin(&mut self, pair: usize, normal: Vec3, parts: (u32, u32)) -> &mut ContactPoints {
        let place = &mut self.places[pair];
        if *place != NOWHERE {
            return self.page.next_manifold(*place as usize, normal, parts);
        }
        let index = self.page.begin(self.candidates[pair].bodies);
        *place = narrow(index);
        self.page.first_manifold(index, normal, parts)
    }
}

impl<'w> Open<'w> {
    #[inline]
    fn add(
        &mut self,
        bodies: [BodyId; 2],
        stored: [&'w Stored; 2],
        old: Option<&'w Entry>,
        margin: f32,
        part: &Part,
    ) {
        self.solid.push(pair_of(stored));
        self.candidates.push(Candidate { bodies, old, margin, after: count(&part.entries) });
    }

    /// Its memory, without what it borrows.
    pub(crate) fn emptied(mut self) -> Open<'static> {
        self.sensor_places.clear();
        Open {
            solid: emptied(self.solid),
            candidates: emptied(self.candidates),
            sensors: emptied(self.sensors),
            ..self
        }
    }
}

/// The list without its items, for others of the same layout; the collection of none of them takes
/// over its memory.
fn emptied<T, U>(mut items: Vec<T>) -> Vec<U> {
    items.clear();
    items.into_iter().map_while(|_| None).collect()
}

/// Walks the contacts of the last update along with the pairs of this one.
struct Rows<'w> {
    entries: &'w Entries,
    slot: u32,
    /// What is left of those of the slot.
    rest: &'w [Entry],
}

impl<'w> Rows<'w> {
    fn new(entries: &'w Entries) -> Self {
        Self { entries, slot: 0, rest: &[] }
    }

    /// The contact of these slots; those of one smaller body are to be asked for in a row, in order.
    #[inline]
    fn seek(&mut self, key: (u32, u32)) -> Option<&'w Entry> {
        if key.0 != self.slot {
            (self.slot, self.rest) = (key.0, self.entries.row(key.0));
        }
        self.rest = &self.rest[patch::before(self.rest, key)..];
        self.rest.first().filter(|entry| entry.b.index() == key.1)
    }
}

/// What the last update found, to be asked about sorted pairs.
struct Before<'w> {
    rows: Rows<'w>,
    sensors: Cursor<'w, SensorOverlap>,
    filtered: Cursor<'w, Pair>,
}

impl<'w> Before<'w> {
    fn new(state: &'w State, pairs: &[Pair]) -> Self {
        let first = pairs.first().map_or((0, 0), Kept::slots);
        Self {
            rows: Rows::new(state.contacts.entries()),
            sensors: Cursor::at(&state.sensors, first),
            filtered: Cursor::at(&state.filtered, first),
        }
    }

    fn contact(&mut self, pair: Pair) -> Option<&'w Entry> {
        self.rows.seek(pair.slots())
    }

    /// Keeps the answer about two bodies that did not change. A slot that was given to another body
    /// counts as changed, so equal slots mean equal bodies.
    fn keep(&mut self, pair: Pair, part: &mut Part) {
        if let Some(entry) = self.contact(pair) {
            part.kept.push(entry.place.page);
            part.entries.push(*entry);
        } else if let Some(overlap) = self.sensors.seek(pair.slots()) {
            part.sensors.push(*overlap);
        } else {
            part.filtered.extend(self.filtered.seek(pair.slots()));
        }
    }
}

/// Walks the pairs of the last update along with those of this one.
struct Cursor<'w, T> {
    rest: &'w [T],
}

impl<'w, T: Kept> Cursor<'w, T> {
    /// At the first pair whose slots do not come before `key`.
    fn at(all: &'w [T], key: (u32, u32)) -> Self {
        Self { rest: &all[all.partition_point(|kept| kept.slots() < key)..] }
    }

    /// The pair of these slots.
    #[inline]
    fn seek(&mut self, key: (u32, u32)) -> Option<&'w T> {
        self.rest = &self.rest[patch::before(self.rest, key)..];
        self.rest.first().filter(|first| first.slots() == key)
    }
}
