//! One task of an update: a run of the sorted pairs.

use impinge_broadphase::Pair;
use impinge_narrowphase::batch::{self, PairRef};
use impinge_narrowphase::{self as narrow, Manifold};
use impinge_shapes::Pose;
use impinge_shapes::simd::SimdLevel;
use smallvec::SmallVec;

use crate::bodies::Encounter;
use crate::contacts::{ContactId, SensorOverlap};
use crate::entries::{Entries, Entry, Place};
use crate::page::Extras;
use crate::patch::{self, Kept};
use crate::state::{CHANGED, RESHAPED, State};
use crate::store::{Part, narrow};
use crate::work::ScratchPool;
use crate::{BodyId, BodyKind, anchors};

/// Pairs between the one in hand and the one whose bodies are fetched.
const AHEAD: usize = 16;

/// What a task needs to test its pairs.
pub(crate) struct Task<'w> {
    pub(crate) level: SimdLevel,
    /// The world, with contacts, sensor overlaps and filtered pairs as of the last update.
    pub(crate) state: &'w State,
    pub(crate) contact_filter: Option<&'w (dyn Fn(BodyId, BodyId) -> bool + Sync)>,
    /// Contacts get anchors and slots.
    pub(crate) has_anchors: bool,
    /// The pairs are those of bodies that changed, and contacts of theirs that ended are to be
    /// listed. Else the pairs are all there are, and what ended is what was not found again.
    pub(crate) is_patch: bool,
    pub(crate) scratch: &'w ScratchPool,
}

impl<'w> Task<'w> {
    /// Tests a run of the pairs, which is sorted unless all are of bodies that changed; `part` is
    /// written anew.
    pub(crate) fn run(&self, pairs: &[Pair], part: &mut Part) {
        part.clear();
        let mut open: Open<'w> = self.scratch.take();
        self.enter_all(pairs, part, &mut open);
        self.settle(part, &mut open);
        self.scratch.give_back(open);
    }

    /// Sorts out which pairs are to be tested; what is known of the others goes to `part`.
    fn enter_all(&self, pairs: &[Pair], part: &mut Part, open: &mut Open<'w>) {
        let first = pairs.first().map_or((0, 0), |pair| (pair.a, pair.b));
        let mut sensors = Cursor::at(&self.state.sensors, first);
        let mut filtered = Cursor::at(&self.state.filtered, first);
        // A filter of this update or the last may change the answer for any pair.
        let had_filter = self.state.had_contact_filter || self.contact_filter.is_some();
        let keep = !self.is_patch && !self.state.retest_all && !had_filter;
        let mut rows = Rows::of(self.state.contacts.entries());
        let (bodies, entries) = (&self.state.bodies, self.state.contacts.entries());
        let mut last = 0;
        let mut fetch = |pair: &Pair| {
            if pair.a != last {
                bodies.prefetch(pair.a);
                if self.is_patch {
                    entries.prefetch_row(pair.a, last);
                }
                last = pair.a;
            }
            bodies.prefetch(pair.b);
        };
        // Contacts of a few bodies lie anywhere.
        let mut buckets = if self.is_patch { pairs.iter() } else { [].iter() };
        buckets.by_ref().take(2 * AHEAD).for_each(|pair| entries.prefetch_bucket(pair.a));
        let mut ahead = pairs.iter();
        ahead.by_ref().take(AHEAD).for_each(&mut fetch);
        let (mut slot, mut one) = (0, None);
        for &pair in pairs {
            buckets.next().into_iter().for_each(|pair| entries.prefetch_bucket(pair.a));
            ahead.next().into_iter().for_each(&mut fetch);
            if keep && !self.state.marks.any(pair.a, pair.b, CHANGED) {
                // Neither body changed, so the last answer holds. A slot that was given to another
                // body counts as changed, so equal slots mean equal bodies.
                let key = (pair.a, pair.b);
                if let Some(entry) = rows.find(key) {
                    open.kept.push((open.solid.len(), *entry));
                } else if let Some(overlap) = sensors.seek(key) {
                    part.sensors.push(*overlap);
                } else {
                    part.filtered.extend(filtered.seek(key));
                }
                continue;
            }
            // The pairs of a body come in a row.
            if pair.a != slot {
                (slot, one) = (pair.a, bodies.met(pair.a));
            }
            // Where few changed, while the row is in the nearest cache; else once the two touch.
            let old = if self.is_patch { rows.find((pair.a, pair.b)) } else { None };
            match (&one, bodies.met(pair.b)) {
                (Some(one), Some(other)) => self.enter(pair, old, (one, &other), part, open),
                _ => part.ended.extend(old),
            }
        }
    }

    /// Enters a pair of bodies that is to be tested, or that may not meet.
    #[inline(always)]
    fn enter(
        &self,
        pair: Pair,
        old: Option<&'w Entry>,
        (one, other): (&Encounter<'w>, &Encounter<'w>),
        part: &mut Part,
        open: &mut Open<'w>,
    ) {
        let (&Encounter { id: a, tag: tag_a, stored: one }, other) = (one, other);
        let &Encounter { id: b, tag: tag_b, stored: other } = other;
        if tag_a.kind == BodyKind::Fixed && tag_b.kind == BodyKind::Fixed {
            part.ended.extend(old);
            return;
        }
        let allowed = tag_a.groups.meets(tag_b.groups)
            && !self.state.bodies.are_ignored(a, b)
            && self.contact_filter.is_none_or(|filter| filter(a, b));
        if !allowed {
            part.filtered.push(pair);
            part.ended.extend(old);
            return;
        }
        let shapes =
            PairRef { a: &one.shape, pose_a: &one.pose, b: &other.shape, pose_b: &other.pose };
        if tag_a.sensor || tag_b.sensor {
            open.sensor_places.push(part.sensors.len());
            open.sensors.push(shapes);
            part.sensors.push(SensorOverlap { a, b });
            part.tested += 1;
            part.ended.extend(old);
            return;
        }
        let margin = self.state.bodies.pair_margin(pair.a, pair.b, self.state.margin);
        if self.state.recycling > 0.0 && self.recycle((a, b), shapes, margin, part, open) {
            return;
        }
        // Margins of bodies are the exception, and each such pair is tested on its own.
        if margin > self.state.margin {
            open.margins.push((open.solid.len(), margin));
        }
        open.solid.push(shapes);
        open.bodies.push((a, b));
        if self.is_patch {
            open.old.push(old);
        }
    }

    /// Carries the contact of two bodies along with them, if they hardly moved relative to each
    /// other.
    fn recycle(
        &self,
        (a, b): (BodyId, BodyId),
        shapes: PairRef<'w>,
        margin: f32,
        part: &mut Part,
        open: &mut Open<'w>,
    ) -> bool {
        let pair = Pair { a: a.index(), b: b.index() };
        let old = self.state.contacts.entries().find((pair.a, pair.b));
        // The slots may have been another pair's.
        let Some(old) = old.filter(|old| (old.a, old.b) == (a, b)) else { return false };
        let Some((mut manifolds, extras)) =
            self.recycled(pair, old, [shapes.pose_a, shapes.pose_b], margin)
        else {
            return false;
        };
        let place = Place { page: Place::FRESH, index: narrow(part.page.len()) };
        let entry = Entry { a, b, id: old.id, place };
        open.kept.push((open.solid.len(), entry));
        part.page.push(&entry, &mut manifolds, Some(extras));
        part.old.push(Some(old.place));
        part.recycled += 1;
        true
    }

    /// The contact as its bodies carried it along, if they hardly moved relative to each other.
    fn recycled(
        &self,
        pair: Pair,
        old: &Entry,
        poses: [&Pose; 2],
        margin: f32,
    ) -> Option<(SmallVec<[Manifold; 1]>, Extras)> {
        if self.state.retest_all || self.state.marks.any(pair.a, pair.b, RESHAPED) {
            return None;
        }
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
    fn settle(&self, part: &mut Part, open: &mut Open<'w>) {
        part.tested += open.solid.len();
        batch::manifolds(&open.solid, self.state.margin, self.level, &mut open.manifolds);
        for &(place, margin) in &open.margins {
            let PairRef { a, pose_a, b, pose_b } = open.solid[place];
            open.manifolds[place] = narrow::manifolds(a, pose_a, b, pose_b, margin);
        }
        self.keep(part, open);
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

    /// Lists the contacts of the tested pairs and those that were kept, in order.
    fn keep(&self, part: &mut Part, open: &mut Open<'w>) {
        // Those whose last contact matters. Noted in any case, because nothing can guess which do.
        open.looked.resize(open.manifolds.len(), 0);
        let mut count = 0;
        for (place, found) in open.manifolds.iter().enumerate() {
            open.looked[count] = place;
            count += usize::from(self.is_patch || !found.is_empty());
        }
        open.looked.truncate(count);
        part.entries.reserve(open.looked.len() + open.kept.len());
        let entries = self.state.contacts.entries();
        let bodies = &open.bodies;
        let slot = |&place: &usize| bodies[place].0.index();
        // One after the other, because many prefetches in a row wait for each other.
        let unfetched = if self.is_patch { &[][..] } else { &open.looked[..] };
        let mut buckets = unfetched.iter();
        buckets.by_ref().take(2 * AHEAD).for_each(|place| entries.prefetch_bucket(slot(place)));
        let (mut ahead, mut last) = (unfetched.iter(), 0);
        let mut fetch = |place: &usize| {
            entries.prefetch_row(slot(place), last);
            last = slot(place);
        };
        ahead.by_ref().take(AHEAD).for_each(&mut fetch);
        let mut rows = Rows::of(entries);
        let mut kept = open.kept.iter().peekable();
        for &place in &open.looked {
            buckets.next().into_iter().for_each(|place| entries.prefetch_bucket(slot(place)));
            ahead.next().into_iter().for_each(&mut fetch);
            while let Some((_, entry)) = kept.next_if(|(before, _)| *before <= place) {
                part.entries.push(*entry);
            }
            let (a, b) = bodies[place];
            let old =
                if self.is_patch { open.old[place] } else { rows.find((a.index(), b.index())) };
            let manifolds = &mut open.manifolds[place];
            // The slots may have been another pair's.
            let lasts = old.filter(|old| (old.a, old.b) == (a, b) && !manifolds.is_empty());
            if lasts.is_none() {
                part.ended.extend(old);
            }
            if manifolds.is_empty() {
                continue;
            }
            let extras = self.has_anchors.then(|| {
                let pair = &open.solid[place];
                let old = lasts.map(|entry| self.state.contacts.with_slots(entry));
                anchors::made(manifolds, [*pair.pose_a, *pair.pose_b], old)
            });
            let id = lasts.map_or(ContactId::NONE, |entry| entry.id);
            let place = Place { page: Place::FRESH, index: narrow(part.page.len()) };
            let entry = Entry { a, b, id, place };
            part.entries.push(entry);
            part.page.push(&entry, manifolds, extras);
            part.old.push(lasts.map(|entry| entry.place));
        }
        part.entries.extend(kept.map(|(_, entry)| *entry));
    }
}

/// Pairs of a task that are yet to be tested, and room for the answers.
#[derive(Debug, Default)]
pub(crate) struct Open<'w> {
    /// Those that may be in contact, and their bodies.
    solid: Vec<PairRef<'w>>,
    bodies: Vec<(BodyId, BodyId)>,
    /// Their contacts at the last update, where these were looked up before the test.
    old: Vec<Option<&'w Entry>>,
    /// Those whose margin is not the world's, by their places.
    margins: Vec<(usize, f32)>,
    /// Contacts that need no test, each with the number of those pairs that come before it.
    kept: Vec<(usize, Entry)>,
    /// Pairs with a sensor.
    sensors: Vec<PairRef<'w>>,
    /// Their places among the part's sensor overlaps, in order.
    sensor_places: Vec<usize>,
    manifolds: Vec<SmallVec<[Manifold; 1]>>,
    /// Places of answers that are looked at.
    looked: Vec<usize>,
    overlaps: Vec<bool>,
}

impl Open<'_> {
    /// Its memory, without what it borrows.
    pub(crate) fn emptied(mut self) -> Open<'static> {
        self.bodies.clear();
        self.margins.clear();
        self.kept.clear();
        self.sensor_places.clear();
        Open {
            solid: emptied(self.solid),
            old: emptied(self.old),
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

/// Looks up contacts of the last update for pairs of which those of one body come in order.
struct Rows<'w> {
    entries: &'w Entries,
    slot: u32,
    rest: &'w [Entry],
}

impl<'w> Rows<'w> {
    fn of(entries: &'w Entries) -> Self {
        Self { entries, slot: 0, rest: &[] }
    }

    /// The contact of these slots.
    #[inline]
    fn find(&mut self, key: (u32, u32)) -> Option<&'w Entry> {
        if key.0 != self.slot {
            (self.slot, self.rest) = (key.0, self.entries.row(key.0));
        }
        self.rest = &self.rest[patch::before(self.rest, key)..];
        self.rest.first().filter(|entry| entry.b.index() == key.1)
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
