//! One update: bounds, pairs, contacts, events.

use std::fmt;

use impinge_broadphase::Pair;
use impinge_narrowphase::batch::{self, PairRef};
use impinge_shapes::simd::SimdLevel;

use crate::contacts::{Contact, Entry, Part, SensorOverlap, count};
use crate::events;
use crate::world::{CHANGED, Marks, World};
use crate::{BodyId, BodyKind, bodies::Bodies, parallel};

/// Pairs of one task of the narrow phase.
const CHUNK: usize = 256;

/// Stage of an update, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// World bounds of the bodies that moved.
    Bounds,
    /// Pairs of bodies whose bounds overlap.
    Pairs,
    /// Contacts and sensor overlaps of these pairs.
    Contacts,
    /// Comparison with the last update.
    Events,
    /// Nothing more to do.
    Done,
}

/// Hears when each stage of an update begins.
///
/// The library reads no clocks; whoever wants times reads one here.
///
/// ```
/// use std::time::{Duration, Instant};
/// use impinge_world::{Stage, UpdateObserver, UpdateOptions, World};
///
/// struct Stopwatch(Vec<(Stage, Instant)>);
/// impl UpdateObserver for Stopwatch {
///     fn stage(&mut self, stage: Stage) {
///         self.0.push((stage, Instant::now()));
///     }
/// }
/// let mut watch = Stopwatch(Vec::new());
/// World::new().update_with(UpdateOptions::new().observer(&mut watch));
/// let times: Vec<(Stage, Duration)> =
///     watch.0.windows(2).map(|pair| (pair[0].0, pair[1].1 - pair[0].1)).collect();
/// assert_eq!(times.len(), 4);
/// ```
pub trait UpdateObserver {
    /// Called at the start of each stage, and once with [`Stage::Done`] at the end.
    fn stage(&mut self, stage: Stage);
}

/// How to update a world.
#[derive(Default)]
pub struct UpdateOptions<'a> {
    /// A last word on each pair whose groups meet. It is called from any thread, and only about
    /// pairs whose bounds overlap; the smaller id comes first.
    pub contact_filter: Option<&'a (dyn Fn(BodyId, BodyId) -> bool + Sync)>,
    /// Hears when each stage begins.
    pub observer: Option<&'a mut dyn UpdateObserver>,
}

impl<'a> UpdateOptions<'a> {
    /// No filter, no observer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With a last word on each pair.
    #[must_use]
    pub fn contact_filter(mut self, filter: &'a (dyn Fn(BodyId, BodyId) -> bool + Sync)) -> Self {
        self.contact_filter = Some(filter);
        self
    }

    /// With an observer.
    #[must_use]
    pub fn observer(mut self, observer: &'a mut dyn UpdateObserver) -> Self {
        self.observer = Some(observer);
        self
    }

    fn enter(&mut self, stage: Stage) {
        if let Some(observer) = &mut self.observer {
            observer.stage(stage);
        }
    }
}

impl fmt::Debug for UpdateOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpdateOptions")
            .field("contact_filter", &self.contact_filter.is_some())
            .field("observer", &self.observer.is_some())
            .finish()
    }
}

/// What an update did, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct UpdateReport {
    /// Bodies that were inserted or changed since the last update: pose, shape, kind, groups or
    /// sensor.
    pub moved: usize,
    /// The other bodies.
    pub resting: usize,
    /// Pairs of bodies whose bounds overlap, two fixed bodies never.
    pub pairs: usize,
    /// Those of them that groups or the contact filter kept apart.
    pub filtered_pairs: usize,
    /// Contacts now.
    pub contacts: usize,
    /// Sensor overlaps now.
    pub sensor_overlaps: usize,
    /// Contacts and sensor overlaps that began.
    pub begun: usize,
    /// Contacts and sensor overlaps that lasted.
    pub persisted: usize,
    /// Contacts and sensor overlaps that ended.
    pub ended: usize,
}

impl World {
    /// Finds all contacts and sensor overlaps, and what changed since the last update.
    ///
    /// - Cost: bounds and shapes are looked at again only where a body changed.
    pub fn update(&mut self) -> UpdateReport {
        self.update_with(UpdateOptions::new())
    }

    /// [`World::update`] with a filter for pairs or an observer of the stages.
    ///
    /// ```
    /// use impinge_shapes::Shape;
    /// use impinge_world::{Body, UpdateOptions, World};
    ///
    /// let mut world = World::new();
    /// world.insert(Body::moving(Shape::sphere(1.0)?))?;
    /// world.insert(Body::moving(Shape::sphere(1.0)?))?;
    /// let nothing = |_, _| false;
    /// let report = world.update_with(UpdateOptions::new().contact_filter(&nothing));
    /// assert_eq!((report.pairs, report.filtered_pairs, report.contacts), (1, 1, 0));
    /// assert_eq!(world.update().begun, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn update_with(&mut self, mut options: UpdateOptions<'_>) -> UpdateReport {
        options.enter(Stage::Bounds);
        self.refresh_bounds();
        options.enter(Stage::Pairs);
        self.broad.update();
        options.enter(Stage::Contacts);
        let mut parts = self.test_pairs(options.contact_filter);
        options.enter(Stage::Events);
        let mut report = self.compare(&mut parts);
        report.moved = self.marks.clear_changed(&mut self.changed);
        report.resting = self.bodies.len() - report.moved;
        report.pairs = self.broad.pairs().len();
        self.retest_all = false;
        self.had_contact_filter = options.contact_filter.is_some();
        options.enter(Stage::Done);
        report
    }

    fn test_pairs(
        &self,
        contact_filter: Option<&(dyn Fn(BodyId, BodyId) -> bool + Sync)>,
    ) -> Vec<Part> {
        let task = Task {
            level: self.broad.simd_level(),
            bodies: &self.bodies,
            marks: &self.marks,
            contacts: self.contacts.entries(),
            sensors: &self.sensors,
            filtered: &self.filtered,
            contact_filter,
            margin: self.margin,
            retest_all: self.retest_all,
            had_contact_filter: self.had_contact_filter,
        };
        parallel::chunks(self.broad.pairs(), CHUNK, |pairs| task.run(pairs))
    }

    /// Takes over the parts and writes the events.
    fn compare(&mut self, parts: &mut [Part]) -> UpdateReport {
        self.contacts.replace(parts);
        self.events.clear();
        let (old, new) = (self.contacts.entries_before(), self.contacts.entries());
        let solid = events::compare(old, new, false, &mut self.events);
        let middle = self.events.len();
        let sensors: Vec<SensorOverlap> =
            parts.iter().flat_map(|part| part.sensors.iter().copied()).collect();
        let sensed = events::compare(&self.sensors, &sensors, true, &mut self.events);
        events::merge(&mut self.events, middle);
        self.sensors = sensors;
        self.filtered.clear();
        self.filtered.extend(parts.iter().flat_map(|part| &part.filtered));
        UpdateReport {
            filtered_pairs: self.filtered.len(),
            contacts: self.contacts.entries().len(),
            sensor_overlaps: self.sensors.len(),
            begun: solid.begun + sensed.begun,
            persisted: solid.persisted + sensed.persisted,
            ended: solid.ended + sensed.ended,
            ..UpdateReport::default()
        }
    }
}

/// What a task needs to test its pairs.
struct Task<'w> {
    level: SimdLevel,
    bodies: &'w Bodies,
    marks: &'w Marks,
    /// Contacts and sensor overlaps of the last update.
    contacts: &'w [Entry],
    sensors: &'w [SensorOverlap],
    /// Pairs that were kept apart at the last update.
    filtered: &'w [Pair],
    contact_filter: Option<&'w (dyn Fn(BodyId, BodyId) -> bool + Sync)>,
    margin: f32,
    /// Nothing of the last update can be kept.
    retest_all: bool,
    had_contact_filter: bool,
}

impl<'w> Task<'w> {
    /// Tests a run of the sorted pairs.
    fn run(&self, pairs: &[Pair]) -> Part {
        // Entries are small, so that room for all is cheaper than growing.
        let mut part = Part { entries: Vec::with_capacity(pairs.len()), ..Part::default() };
        let first = pairs.first().map_or((0, 0), |pair| (pair.a, pair.b));
        let mut contacts = Cursor::at(self.contacts, first);
        let mut sensors = Cursor::at(self.sensors, first);
        let mut filtered = Cursor::at(self.filtered, first);
        // A filter of this update or the last may change the answer for any pair.
        let keep = !self.retest_all && !self.had_contact_filter && self.contact_filter.is_none();
        let mut open = Open::default();
        for pair in pairs {
            if keep && !self.marks.any(pair.a, pair.b, CHANGED) {
                // Neither body changed, so the last answer holds. A slot that was given to another
                // body counts as changed, so equal slots mean equal bodies.
                let key = (pair.a, pair.b);
                if let Some(entry) = contacts.seek(key) {
                    part.entries.push(*entry);
                } else if let Some(overlap) = sensors.seek(key) {
                    part.sensors.push(*overlap);
                } else {
                    part.filtered.extend(filtered.seek(key));
                }
                continue;
            }
            self.enter(*pair, &mut part, &mut open);
        }
        self.settle(&mut part, &open);
        part
    }

    /// Enters a pair as if it touched; [`Task::settle`] takes out those that do not.
    fn enter(&self, pair: Pair, part: &mut Part, open: &mut Open<'w>) {
        let (tag_a, tag_b) = (self.bodies.tag(pair.a), self.bodies.tag(pair.b));
        let (a, b) = (self.bodies.id(pair.a), self.bodies.id(pair.b));
        if tag_a.kind == BodyKind::Fixed && tag_b.kind == BodyKind::Fixed {
            return;
        }
        let allowed = tag_a.groups.meets(tag_b.groups)
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
        } else {
            // A part holds one chunk, so the index is small.
            let index = u32::try_from(open.solid.len()).unwrap_or(u32::MAX);
            open.solid.push(shapes);
            part.entries.push(Entry { a, b, page: Entry::OPEN, index });
        }
    }

    /// Tests the open pairs, all at once, and keeps those that touch.
    fn settle(&self, part: &mut Part, open: &Open<'_>) {
        if !open.solid.is_empty() {
            let mut manifolds = Vec::new();
            batch::manifolds(&open.solid, self.margin, self.level, &mut manifolds);
            let page = &mut part.page;
            part.entries.retain_mut(|entry| {
                if entry.page != Entry::OPEN {
                    return true;
                }
                let found = manifolds.get_mut(entry.index as usize).map(std::mem::take);
                let Some(manifolds) = found.filter(|found| !found.is_empty()) else { return false };
                (entry.page, entry.index) = (Entry::FRESH, count(page));
                page.push(Contact { a: entry.a, b: entry.b, manifolds });
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
    /// Those with a sensor.
    sensors: Vec<PairRef<'w>>,
    /// Their places among the part's sensor overlaps, in order.
    sensor_places: Vec<usize>,
}

/// A pair of the last update.
trait Kept {
    /// At one update they are unique, because a slot holds one body.
    fn slots(&self) -> (u32, u32);
}

impl Kept for Entry {
    fn slots(&self) -> (u32, u32) {
        (self.a.index(), self.b.index())
    }
}

impl Kept for SensorOverlap {
    fn slots(&self) -> (u32, u32) {
        (self.a.index(), self.b.index())
    }
}

impl Kept for Pair {
    fn slots(&self) -> (u32, u32) {
        (self.a, self.b)
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
        while let [first, rest @ ..] = self.rest {
            let slots = first.slots();
            if slots >= key {
                return (slots == key).then_some(first);
            }
            self.rest = rest;
        }
        None
    }
}
