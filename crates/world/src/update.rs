//! One update: bounds, pairs, contacts, events.

use std::fmt;
use std::sync::Arc;

use impinge_broadphase::Pair;

use crate::event_list::EventList;
use crate::patch::Kept;
use crate::shared::{put, take};
use crate::spans::{self, Span};
use crate::state::CHANGED;
use crate::store::Part;
use crate::task::Task;
use crate::world::World;
use crate::{BodyId, EventKind, events, parallel};

/// Pairs of one task of the narrow phase.
const CHUNK: usize = 256;
/// Pairs of one task where all pairs are looked at, and as many again where that leaves enough
/// tasks.
///
/// - Reason: a task's last lanes are not full, and it makes room for its contacts on a page of its
///   own; batches go through 512 pairs at a time.
const LONG_CHUNK: usize = 512;
/// Tasks that are enough for the threads of most machines.
const MANY: usize = 64;
/// Tasks after which their contacts are put where they were, so that these are in cache still.
const TURN: usize = 16;

/// An update at which more than one body of this many changed looks at all pairs in order, which
/// costs less for each.
const MOST: usize = 3;

/// Stage of an update, in this order.
///
/// ```
/// use impinge_world::{Stage, UpdateObserver, UpdateOptions, World};
///
/// struct Heard(Vec<Stage>);
/// impl UpdateObserver for Heard {
///     fn stage(&mut self, stage: Stage) {
///         self.0.push(stage);
///     }
/// }
/// let mut heard = Heard(Vec::new());
/// World::new().update_with(UpdateOptions::new().observer(&mut heard));
/// assert!(heard.0.is_sorted() && heard.0.first() == Some(&Stage::Bounds));
/// assert_eq!(heard.0.last(), Some(&Stage::Done));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
///
/// ```
/// use impinge_shapes::Shape;
/// use impinge_world::{Body, BodyId, UpdateOptions, World};
///
/// // A chain whose neighbours do not meet, by the numbers that the caller gave them.
/// let mut world = World::new();
/// let ball = Shape::sphere(1.0)?;
/// for number in 0..4 {
///     world.insert(Body::moving(ball.clone()).user_data(number))?;
/// }
/// let links: Vec<(BodyId, u64)> = world.iter().map(|(id, body)| (id, body.user_data())).collect();
/// let number = |id| links.iter().find(|link| link.0 == id).map_or(0, |link| link.1);
/// let not_neighbours = |a, b| number(a).abs_diff(number(b)) > 1;
/// let report = world.update_with(UpdateOptions::new().contact_filter(&not_neighbours));
/// assert_eq!((report.pairs, report.filtered_pairs, report.contacts), (6, 3, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

    /// Tells the observer; the span lasts until it is dropped.
    fn enter(&mut self, stage: Stage) -> Span {
        let span = spans::stage(stage);
        if let Some(observer) = &mut self.observer {
            observer.stage(stage);
        }
        span
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
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, World};
///
/// let mut world = World::new();
/// let a = world.insert(Body::moving(Shape::sphere(1.0)?))?;
/// let b = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::X * 1.5))?;
/// let report = world.update();
/// assert_eq!((report.moved, report.pairs, report.contacts, report.begun), (2, 1, 1, 1));
/// let report = world.update();
/// assert_eq!((report.moved, report.resting, report.persisted), (0, 2, 1));
/// # assert!(a < b);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct UpdateReport {
    /// Bodies that were inserted or changed since the last update: pose, shape, kind, groups,
    /// sensor, margin or ignored pairs.
    pub moved: usize,
    /// The other bodies.
    pub resting: usize,
    /// Pairs of bodies whose bounds overlap, two fixed bodies never.
    pub pairs: usize,
    /// Those of them that groups, ignored pairs or the contact filter kept apart.
    pub filtered_pairs: usize,
    /// Those of them whose shapes were looked at; the answer about the others was kept.
    pub tested_pairs: usize,
    /// Those of them whose contact was carried along with the bodies, see
    /// [`World::set_recycling`].
    pub recycled_pairs: usize,
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

/// Which pairs an update looks at.
struct Terms {
    /// Pairs of bodies that did not change keep their answers.
    holds: bool,
    /// Only those of bodies that changed are listed.
    keeps: bool,
    /// No contact is carried along with its bodies.
    retests: bool,
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
    /// - Panics: where the filter or the observer does. Contacts and events are then as after the last
    ///   update or half way to the next one, and right again after the next update.
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
        let _whole = spans::update(self.state.bodies.len());
        let span = options.enter(Stage::Bounds);
        self.refresh_bounds();
        span.end();
        let span = options.enter(Stage::Pairs);
        let holds = self.answers_hold(&options);
        // Until the end: a filter or an observer that panics leaves what the update found half told.
        let retests = std::mem::replace(&mut self.state.retest_all, true);
        let pairs = self.broad.update();
        let keeps = holds && self.few_changed() && !pairs.searched_all && self.list_touched();
        let terms = Terms { holds, keeps, retests };
        if !keeps {
            self.broad.pairs().copy_into(&mut self.work.pair_list);
        }
        span.end();
        let span = options.enter(Stage::Contacts);
        let list = std::mem::take(&mut self.work.pair_list);
        let mut all = std::mem::take(&mut self.work.parts);
        let mut found = std::mem::take(&mut self.work.found);
        found.clear();
        let chunk = chunk_of(keeps, list.len());
        let turn = if keeps { TURN } else { usize::MAX / chunk };
        let tasks = list.len().div_ceil(chunk).min(turn);
        self.state.contacts.lend_pages(&mut all, tasks);
        for pairs in list.chunks(turn * chunk) {
            let parts = self.test_pairs(pairs, chunk, &terms, &options, &mut all);
            if keeps {
                self.state.contacts.put_back(parts);
            }
            parts.iter_mut().for_each(|part| found.take_in(part));
        }
        self.work.pair_list = list;
        span.end();
        let span = options.enter(Stage::Events);
        if keeps {
            self.patch(&mut found);
        } else {
            self.replace(&mut all[..tasks], &mut found);
        }
        self.free_names();
        let mut report = self.report();
        (report.tested_pairs, report.recycled_pairs) = (found.tested, found.recycled);
        (self.work.parts, self.work.found) = (all, found);
        report.moved = self.state.marks.clear_changed(&mut self.state.changed);
        report.resting = self.state.bodies.len() - report.moved;
        report.pairs = pairs.pairs;
        self.state.retest_all = false;
        self.state.pairs_before = None;
        self.state.had_contact_filter = options.contact_filter.is_some();
        span.end();
        options.enter(Stage::Done);
        report
    }

    /// Tests some of the listed pairs, so many a task. What is found stays in `parts`.
    fn test_pairs<'p>(
        &self,
        pairs: &[Pair],
        chunk: usize,
        terms: &Terms,
        options: &UpdateOptions<'_>,
        parts: &'p mut Vec<Part>,
    ) -> &'p mut [Part] {
        let task = Task {
            level: self.broad.simd_level(),
            state: &self.state,
            contact_filter: options.contact_filter,
            has_anchors: self.state.has_slots || self.state.recycling > 0.0,
            keeps_answers: terms.holds,
            retests: terms.retests,
            names_late: !terms.keeps && self.state.recycling <= 0.0,
            is_plain: options.contact_filter.is_none()
                && self.state.recycling <= 0.0
                && self.state.bodies.are_plain(),
            scratch: &self.work.scratch,
        };
        parallel::chunks_into(pairs, chunk, parts, |pairs, part| task.run(pairs, part))
    }

    /// Whether pairs of bodies that did not change keep their answers.
    fn answers_hold(&self, options: &UpdateOptions<'_>) -> bool {
        // A filter of this update or the last may change the answer for any pair.
        !self.state.retest_all && !self.state.had_contact_filter && options.contact_filter.is_none()
    }

    /// Whether pairs of bodies that did not change are worth leaving out.
    fn few_changed(&self) -> bool {
        // Else the broad phase does not know the pairs of the last update.
        self.state.pairs_before.is_none()
            && self.state.changed.len() * MOST <= self.state.bodies.len()
    }

    /// Lists the pairs of the bodies that changed, each once; `false` if the broad phase cannot tell
    /// them apart without a pass over all.
    fn list_touched(&mut self) -> bool {
        let (list, behind) = (&mut self.work.pair_list, &mut self.work.behind);
        list.clear();
        behind.clear();
        // In the order of slots, so that the order of calls shows nowhere.
        self.state.changed.sort_unstable();
        self.state.changed.dedup();
        let marks = &self.state.marks;
        let known = self.broad.partners_of(&self.state.changed, |slot, smaller, larger| {
            // A pair of two bodies that changed is listed by the smaller one.
            let resting = |other: &&u32| !marks.any(**other, **other, CHANGED);
            behind.extend(smaller.iter().filter(resting).map(|&other| Pair { a: other, b: slot }));
            list.extend(larger.iter().map(|&other| Pair { a: slot, b: other }));
        });
        if !known {
            return false;
        }
        // Two runs in the order of what is looked up for them.
        behind.sort_unstable();
        list.append(behind);
        true
    }

    /// Takes over what was found about the pairs of bodies that changed, and writes the events.
    fn patch(&mut self, found: &mut Part) {
        let (state, work) = (&mut self.state, &mut self.work);
        let told = events_of(&mut state.events).renew();
        state.contacts.patch(&found.ended, self.broad.ended(), told);
        let is_plain = state.sensors.is_empty() && state.filtered.is_empty();
        if !(is_plain && found.sensors.is_empty() && found.filtered.is_empty()) {
            let keys = &mut work.pair_list;
            keys.extend_from_slice(self.broad.ended());
            keys.sort_unstable();
            let sensors = sorted(std::mem::take(&mut found.sensors));
            let filtered = sorted(std::mem::take(&mut found.filtered));
            work.sensor_edits.at_keys(&state.sensors, sensors, keys, |was, now| {
                events::compare_one(was, now, true, told);
            });
            work.sensor_edits.apply(&mut state.sensors);
            work.pair_edits.at_keys(&state.filtered, filtered, keys, |_, _| {});
            work.pair_edits.apply(&mut state.filtered);
        }
        events::sort(told);
    }

    /// Takes over what was found about all pairs, and writes the events.
    fn replace(&mut self, parts: &mut [Part], found: &mut Part) {
        let state = &mut self.state;
        let told = events_of(&mut state.events).renew();
        state.contacts.replace(parts, told);
        let mut filtered = take(&mut state.filtered);
        filtered.append(&mut found.filtered);
        put(&mut state.filtered, filtered);
        let sensors = std::mem::take(&mut found.sensors);
        events::compare(&state.sensors, &sensors, true, told);
        put(&mut state.sensors, sensors);
        events::sort(told);
    }

    /// Frees the names of contacts that ended.
    fn free_names(&mut self) {
        for event in self.state.events.changes() {
            if let (EventKind::End, Some(id)) = (event.kind, event.contact) {
                self.state.contacts.ids_mut().free(id);
            }
        }
    }

    fn report(&self) -> UpdateReport {
        let (contacts, sensor_overlaps) =
            (self.state.contacts.entries().len(), self.state.sensors.len());
        let counts = self.state.events.counts(contacts + sensor_overlaps);
        UpdateReport {
            filtered_pairs: self.state.filtered.len(),
            contacts,
            sensor_overlaps,
            begun: counts.begun,
            persisted: counts.persisted,
            ended: counts.ended,
            ..UpdateReport::default()
        }
    }
}

/// Pairs of one task of so many; `keeps` if only those of bodies that changed are listed.
fn chunk_of(keeps: bool, pairs: usize) -> usize {
    match keeps {
        true => CHUNK,
        false if pairs > 2 * LONG_CHUNK * MANY => 2 * LONG_CHUNK,
        false => LONG_CHUNK,
    }
}

fn sorted<T: Kept>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable_by_key(Kept::slots);
    items
}

/// The list of events to be written, a new one if a snapshot has it, too.
fn events_of(events: &mut Arc<EventList>) -> &mut EventList {
    if Arc::get_mut(events).is_none() {
        *events = Arc::default();
    }
    Arc::make_mut(events)
}
