//! One task of an update: a run of the sorted pairs.

use impinge_broadphase::Pair;
use impinge_narrowphase::batch::{self, PairRef};
use impinge_narrowphase::{self as narrow, Manifold};
use impinge_shapes::Pose;
use impinge_shapes::simd::SimdLevel;
use smallvec::SmallVec;

use crate::contacts::{Contact, ContactId, SensorOverlap};
use crate::patch::{self, Kept};
use crate::store::{ContactStore, Entry, Extras, Page, Part, count};
use crate::world::{CHANGED, Marks, RESHAPED};
use crate::{BodyId, BodyKind, anchors, bodies::Bodies};

/// What a task needs to test its pairs.
pub(crate) struct Task<'w> {
    pub(crate) level: SimdLevel,
    pub(crate) bodies: &'w Bodies,
    pub(crate) marks: &'w Marks,
    /// Contacts and sensor overlaps of the last update.
    pub(crate) contacts: &'w ContactStore,
    pub(crate) sensors: &'w [SensorOverlap],
    /// Pairs that were kept apart at the last update.
    pub(crate) filtered: &'w [Pair],
    pub(crate) contact_filter: Option<&'w (dyn Fn(BodyId, BodyId) -> bool + Sync)>,
    pub(crate) margin: f32,
    /// Contacts get anchors and slots.
    pub(crate) has_anchors: bool,
    /// Length that a pair may move before its contact is found anew.
    pub(crate) recycling: f32,
    /// Nothing of the last update can be kept.
    pub(crate) retest_all: bool,
    pub(crate) had_contact_filter: bool,
}

impl<'w> Task<'w> {
    /// Tests a run of the sorted pairs.
    pub(crate) fn run(&self, pairs: &[Pair]) -> Part {
        // Entries are small, so that room for all is cheaper than growing.
        let mut part = Part { entries: Vec::with_capacity(pairs.len()), ..Part::default() };
        let first = pairs.first().map_or((0, 0), |pair| (pair.a, pair.b));
        let mut contacts = Cursor::at(self.contacts.entries(), first);
        let mut sensors = Cursor::at(self.sensors, first);
        let mut filtered = Cursor::at(self.filtered, first);
        // A filter of this update or the last may change the answer for any pair.
        let keep = !self.retest_all && !self.had_contact_filter && self.contact_filter.is_none();
        let mut open = Open::default();
        for pair in pairs {
            let key = (pair.a, pair.b);
            let old = contacts.seek(key);
            if keep && !self.marks.any(pair.a, pair.b, CHANGED) {
                // Neither body changed, so the last answer holds. A slot that was given to another
                // body counts as changed, so equal slots mean equal bodies.
                if let Some(entry) = old {
                    part.entries.push(*entry);
                } else if let Some(overlap) = sensors.seek(key) {
                    part.sensors.push(*overlap);
                } else {
                    part.filtered.extend(filtered.seek(key));
                }
                continue;
            }
            self.enter(*pair, old, &mut part, &mut open);
        }
        self.settle(&mut part, &mut open);
        part
    }

    /// Enters a pair as if it touched; [`Task::settle`] takes out those that do not.
    fn enter(&self, pair: Pair, old: Option<&Entry>, part: &mut Part, open: &mut Open<'w>) {
        let (tag_a, tag_b) = (self.bodies.tag(pair.a), self.bodies.tag(pair.b));
        let (a, b) = (self.bodies.id(pair.a), self.bodies.id(pair.b));
        if tag_a.kind == BodyKind::Fixed && tag_b.kind == BodyKind::Fixed {
            return;
        }
        let allowed = tag_a.groups.meets(tag_b.groups)
            && !self.bodies.are_ignored(a, b)
            && self.contact_filter.is_none_or(|filter| filter(a, b));
        if !allowed {
            part.filtered.push(pair);
            return;
        }
        let stored = (self.bodies.stored(pair.a), self.bodies.stored(pair.b));
        let (Some(one), Some(other)) = stored else { return };
        let shapes =
            PairRef { a: &one.shape, pose_a: &one.pose, b: &other.shape, pose_b: &other.pose };
        if tag_a.sensor || tag_b.sensor {
            open.sensor_places.push(part.sensors.len());
            open.sensors.push(shapes);
            part.sensors.push(SensorOverlap { a, b });
            part.tested += 1;
            return;
        }
        // The slots may have been another pair's.
        let old = old.filter(|entry| entry.a == a && entry.b == b);
        let margin = self.bodies.pair_margin(pair.a, pair.b, self.margin);
        let id = old.map_or(ContactId::NONE, |entry| entry.id);
        if let Some((manifolds, extras)) =
            self.recycled(pair, old, [&one.pose, &other.pose], margin)
        {
            let index = count_of(&part.page);
            part.entries.push(Entry { a, b, id, page: Entry::FRESH, index });
            part.page.push(Contact { id, a, b, manifolds }, Some(extras));
            part.recycled += 1;
            return;
        }
        part.tested += 1;
        // A part holds one chunk, so the index is small.
        let index = count(&open.solid);
        open.solid.push(shapes);
        open.old.push(old.copied());
        // Margins of bodies are the exception, and each such pair is tested on its own.
        open.margins.push((margin > self.margin).then_some(margin));
        part.entries.push(Entry { a, b, id, page: Entry::OPEN, index });
    }

    /// The contact as its bodies carried it along, if they hardly moved relative to each other.
    fn recycled(
        &self,
        pair: Pair,
        old: Option<&Entry>,
        poses: [&Pose; 2],
        margin: f32,
    ) -> Option<(SmallVec<[Manifold; 1]>, Extras)> {
        if self.retest_all || self.recycling <= 0.0 || self.marks.any(pair.a, pair.b, RESHAPED) {
            return None;
        }
        let old = old?;
        let made = self.contacts.made(old)?;
        let bounds = [self.bodies.bounds(pair.a), self.bodies.bounds(pair.b)];
        anchors::recycled(
            self.contacts.with_slots(old),
            made,
            poses,
            bounds,
            self.recycling,
            margin,
        )
    }

    /// Tests the open pairs, all at once, and keeps those that touch.
    fn settle(&self, part: &mut Part, open: &mut Open<'_>) {
        if !open.solid.is_empty() {
            let mut manifolds = Vec::new();
            batch::manifolds(&open.solid, self.margin, self.level, &mut manifolds);
            let own = open.solid.iter().zip(&open.margins).zip(&mut manifolds);
            for ((pair, margin), found) in own {
                if let Some(margin) = *margin {
                    *found = narrow::manifolds(pair.a, pair.pose_a, pair.b, pair.pose_b, margin);
                }
            }
            let page = &mut part.page;
            part.entries.retain_mut(|entry| {
                if entry.page != Entry::OPEN {
                    return true;
                }
                let place = entry.index as usize;
                let found = manifolds.get_mut(place).map(std::mem::take);
                let Some(manifolds) = found.filter(|found| !found.is_empty()) else { return false };
                let extras = self.has_anchors.then(|| {
                    let (pair, old) = (&open.solid[place], open.old[place]);
                    let old = old.map(|entry| self.contacts.with_slots(&entry));
                    anchors::made(&manifolds, [*pair.pose_a, *pair.pose_b], old)
                });
                (entry.page, entry.index) = (Entry::FRESH, count_of(page));
                page.push(Contact { id: entry.id, a: entry.a, b: entry.b, manifolds }, extras);
                true
            });
        }
        if !open.sensors.is_empty() {
            let mut overlaps = Vec::new();
            batch::overlaps(&open.sensors, self.level, &mut overlaps);
            let mut tested = open.sensor_places.iter().zip(&overlaps).peekable();
            let mut place = 0;
            part.sensors.retain(|_| {
                let is_open = tested.next_if(|(open, _)| **open == place);
                place += 1;
                is_open.is_none_or(|(_, overlaps)| *overlaps)
            });
        }
    }
}

/// Pairs of a task that are yet to be tested.
#[derive(Default)]
struct Open<'w> {
    /// Those that may be in contact, in the order of their entries.
    solid: Vec<PairRef<'w>>,
    /// Their contacts at the last update.
    old: Vec<Option<Entry>>,
    /// Their margins where these are not the world's.
    margins: Vec<Option<f32>>,
    /// Those with a sensor.
    sensors: Vec<PairRef<'w>>,
    /// Their places among the part's sensor overlaps, in order.
    sensor_places: Vec<usize>,
}

/// Number of contacts of a page; below the number of pairs, which are `u32`.
fn count_of(page: &Page) -> u32 {
    u32::try_from(page.len()).unwrap_or(u32::MAX)
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
