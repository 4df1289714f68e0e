//! One task of an update: a run of the sorted pairs.

use impinge_broadphase::Pair;
use impinge_narrowphase::batch::{self, PairRef};
use impinge_narrowphase::{self as narrow, Manifold};
use impinge_shapes::Pose;
use impinge_shapes::simd::SimdLevel;
use smallvec::SmallVec;

use crate::bodies::Encounter;
use crate::contacts::{Contact, ContactId, SensorOverlap};
use crate::entries::{Entry, Place};
use crate::page::Extras;
use crate::patch::{self, Kept};
use crate::state::{CHANGED, RESHAPED, State};
use crate::store::{Part, count, narrow};
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
    pub(crate) scratch: &'w ScratchPool,
}

impl<'w> Task<'w> {
    /// Tests a run of the pairs, which is sorted unless all are of bodies that changed; `part` is
    /// written anew.
    pub(crate) fn run(&self, pairs: &[Pair], part: &mut Part) {
        part.clear();
        // Entries are small, so that room for all is cheaper than growing.
        part.entries.reserve(pairs.len());
        let first = pairs.first().map_or((0, 0), |pair| (pair.a, pair.b));
        let mut sensors = Cursor::at(&self.state.sensors, first);
        let mut filtered = Cursor::at(&self.state.filtered, first);
        // A filter of this update or the last may change the answer for any pair.
        let had_filter = self.state.had_contact_filter || self.contact_filter.is_some();
        let keep = !self.state.retest_all && !had_filter;
        let mut open: Open<'w> = self.scratch.take();
        let entries = self.state.contacts.entries();
        // One pair after the other, because many prefetches in a row wait for each other.
        let mut buckets = pairs.iter();
        buckets.by_ref().take(2 * AHEAD).for_each(|pair| entries.prefetch_bucket(pair.a));
        let mut ahead = pairs.iter();
        let mut last = 0;
        let mut fetch = |pair: &Pair| {
            self.prefetch(*pair, keep, last);
            last = pair.a;
        };
        ahead.by_ref().take(AHEAD).for_each(&mut fetch);
        let (mut slot, mut row) = (0, &[][..]);
        for pair in pairs {
            buckets.next().into_iter().for_each(|pair| entries.prefetch_bucket(pair.a));
            ahead.next().into_iter().for_each(&mut fetch);
            let key = (pair.a, pair.b);
            // The pairs of a body come in order.
            if pair.a != slot {
                (slot, row) = (pair.a, entries.row(pair.a));
            }
            row = &row[patch::before(row, key)..];
            let old = row.first().filter(|entry| entry.b.index() == pair.b);
            if self.is_to_be_tested(*pair, keep) {
                self.enter(*pair, old, part, &mut open);
                continue;
            }
            // Neither body changed, so the last answer holds. A slot that was given to another body
            // counts as changed, so equal slots mean equal bodies.
            if let Some(entry) = old {
                part.kept.push(entry.place.page);
                part.entries.push(*entry);
            } else if let Some(overlap) = sensors.seek(key) {
                part.sensors.push(*overlap);
            } else {
                part.filtered.extend(filtered.seek(key));
            }
        }
        self.settle(part, &mut open);
        self.scratch.give_back(open);
    }

    fn is_to_be_tested(&self, pair: Pair, keep: bool) -> bool {
        !keep || self.state.marks.any(pair.a, pair.b, CHANGED)
    }

    /// Fetches ahead the contact that a pair had, and its bodies if it is to be tested; `last` is the
    /// smaller slot of the pair before it.
    #[inline]
    fn prefetch(&self, pair: Pair, keep: bool, last: u32) {
        self.state.contacts.entries().prefetch_row(pair.a, last);
        if self.is_to_be_tested(pair, keep) {
            self.state.bodies.prefetch(pair.a);
            self.state.bodies.prefetch(pair.b);
        }
    }

    /// Enters a pair as if it touched; [`Task::settle`] takes out those that do not.
    fn enter(&self, pair: Pair, old: Option<&'w Entry>, part: &mut Part, open: &mut Open<'w>) {
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
        let shapes =
            PairRef { a: &one.shape, pose_a: &one.pose, b: &other.shape, pose_b: &other.pose };
        if tag_a.sensor || tag_b.sensor {
            part.ended.extend(old);
            open.sensor_places.push(part.sensors.len());
            open.sensors.push(shapes);
            part.sensors.push(SensorOverlap { a, b });
            part.tested += 1;
            return;
        }
        // The slots may have been another pair's.
        let (old, others) = match old {
            Some(entry) if (entry.a, entry.b) == (a, b) => (old, None),
            _ => (None, old),
        };
        part.ended.extend(others);
        let margin = self.state.bodies.pair_margin(pair.a, pair.b, self.state.margin);
        let id = old.map_or(ContactId::NONE, |entry| entry.id);
        if let Some((manifolds, extras)) =
            self.recycled(pair, old, [&one.pose, &other.pose], margin)
        {
            let place = Place { page: Place::FRESH, index: narrow(part.page.len()) };
            part.entries.push(Entry { a, b, id, place });
            part.page.push(Contact { id, a, b, manifolds }, Some(extras));
            part.old.push(old.map(|entry| entry.place));
            part.recycled += 1;
            return;
        }
        part.tested += 1;
        // A part holds one chunk, so the index is small.
        let place = Place { page: Place::OPEN, index: count(&open.solid) };
        open.solid.push(shapes);
        open.old.push(old);
        // Margins of bodies are the exception, and each such pair is tested on its own.
        open.margins.push((margin > self.state.margin).then_some(margin));
        part.entries.push(Entry { a, b, id, place });
    }

    /// The contact as its bodies carried it along, if they hardly moved relative to each other.
    fn recycled(
        &self,
        pair: Pair,
        old: Option<&Entry>,
        poses: [&Pose; 2],
        margin: f32,
    ) -> Option<(SmallVec<[Manifold; 1]>, Extras)> {
        if self.state.retest_all
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
            let manifolds = &mut open.manifolds;
            batch::manifolds(&open.solid, self.state.margin, self.level, manifolds);
            let own = open.solid.iter().zip(&open.margins).zip(&mut *manifolds);
            for ((pair, margin), found) in own {
                if let Some(margin) = *margin {
                    *found = narrow::manifolds(pair.a, pair.pose_a, pair.b, pair.pose_b, margin);
                }
            }
            let (page, places, ended) = (&mut part.page, &mut part.old, &mut part.ended);
            let (unnamed, mut count) = (&mut part.unnamed, 0);
            part.entries.retain_mut(|entry| {
                if entry.place.page != Place::OPEN {
                    count += 1;
                    return true;
                }
                let place = entry.place.index as usize;
                let old = open.old[place];
                let manifolds = &mut manifolds[place];
                if manifolds.is_empty() {
                    ended.extend(old);
                    return false;
                }
                let extras = self.has_anchors.then(|| {
                    let pair = &open.solid[place];
                    let old = old.map(|entry| self.state.contacts.with_slots(entry));
                    anchors::made(manifolds, [*pair.pose_a, *pair.pose_b], old)
                });
                entry.place = Place { page: Place::FRESH, index: narrow(page.len()) };
                let manifolds = std::mem::take(manifolds);
                page.push(Contact { id: entry.id, a: entry.a, b: entry.b, manifolds }, extras);
                places.push(old.map(|entry| entry.place));
                if old.is_none() {
                    unnamed.push(count);
                }
                count += 1;
                true
            });
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
}

/// Pairs of a task that are yet to be tested, and room for the answers.
#[derive(Debug, Default)]
pub(crate) struct Open<'w> {
    /// Those that may be in contact, in the order of their entries.
    solid: Vec<PairRef<'w>>,
    /// Their contacts at the last update.
    old: Vec<Option<&'w Entry>>,
    /// Their margins where these are not the world's.
    margins: Vec<Option<f32>>,
    /// Those with a sensor.
    sensors: Vec<PairRef<'w>>,
    /// Their places among the part's sensor overlaps, in order.
    sensor_places: Vec<usize>,
    manifolds: Vec<SmallVec<[Manifold; 1]>>,
    overlaps: Vec<bool>,
}

impl Open<'_> {
    /// Its memory, without what it borrows.
    pub(crate) fn emptied(mut self) -> Open<'static> {
        self.margins.clear();
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
