//! The boxes of a world, their touching pairs and their query index.

mod refresh;

use impinge_shapes::Aabb;
use impinge_shapes::simd::{SimdLevel, simd_level};

use crate::all_pairs::AllPairs;
use crate::fat::{FIXED, Room, STRETCHED, Scene};
use crate::index::QueryIndex;
use crate::moved_pairs::MovedPairs;
use crate::order::Order;
use crate::pair::{Changes, Pair, Pairs};
use crate::pending::{Pending, list};
use crate::retest::Retest;
use crate::rows::{self, Rows};
use crate::slots::{ALIVE, INDEX_PENDING, LOOSE, NEAR_PENDING, PAIRS_PENDING, Slots};
use crate::steps::{Step, in_steps};
use crate::tight::Tight;
use crate::tolerance::{AHEAD_FEW, FULL_SHARE, LEFT_SHARE, SEARCH_SHARE};

/// Whether a box takes part in pairs with every other box, or only with moving ones.
///
/// ```
/// use impinge_broadphase::{BroadPhase, Mobility};
/// use impinge_shapes::{Aabb, glam::Vec3};
///
/// let mut broad = BroadPhase::new();
/// let bounds = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
/// for id in 0..3 {
///     broad.set(id, bounds, Mobility::Fixed);
/// }
/// assert_eq!(broad.update().pairs, 0);
/// broad.set(1, bounds, Mobility::Moving);
/// assert_eq!(broad.update().pairs, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Mobility {
    /// Two fixed boxes never make a pair.
    Fixed,
    /// Pairs with every box that it touches.
    #[default]
    Moving,
}

/// What one update did, in counts.
///
/// ```
/// use impinge_broadphase::{BroadPhase, Mobility};
/// use impinge_shapes::{Aabb, glam::Vec3};
///
/// let mut broad = BroadPhase::new();
/// for (id, x) in [(3, 0.0), (5, 1.0), (8, 2.0)] {
///     let low = Vec3::X * x;
///     broad.set(id, Aabb::new(low, low + Vec3::ONE)?, Mobility::Moving);
/// }
/// let report = broad.update();
/// assert_eq!((report.moved, report.resting, report.pairs), (3, 0, 2));
/// broad.remove(5);
/// let report = broad.update();
/// assert_eq!((report.moved, report.resting, report.removed, report.pairs), (0, 2, 1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct UpdateReport {
    /// Boxes that were set since the last update.
    pub moved: usize,
    /// Boxes that were not.
    pub resting: usize,
    /// Boxes that were removed since the last update.
    pub removed: usize,
    /// Touching pairs.
    pub pairs: usize,
    /// Pairs that may touch before the next search: the pairs were chosen from these.
    pub near: usize,
    /// How often sixteen boxes were tested against one in the search for near pairs: its work,
    /// without the noise of a clock.
    pub tests: usize,
    /// Boxes whose near pairs were searched, because they left the room that was foreseen for
    /// them.
    pub searched: usize,
    /// Whether all pairs were made anew, rather than those of the boxes that were set.
    pub searched_all: bool,
    /// Whether the boxes were packed anew, here or by
    /// [`BroadPhase::update_index`] since the last update.
    pub packed: bool,
}

/// Boxes by id, their touching pairs and their query index.
///
/// Ids are the caller's slot numbers; memory follows the number of boxes and, in pages of 4,096
/// ids, how far the ids are spread. Setting and removing boxes takes effect at the
/// next [`BroadPhase::update`].
///
/// - Ties: boxes are closed sets, touching counts, and `-0.0` is `0.0`.
/// - Cost: an update costs what was set since the last one. Boxes that move are given room for
///   some updates in the direction that they move in; while they stay in it, only pairs known to be
///   near are tested. When many have left it, one update searches all near pairs anew, and takes
///   several times as long as those between.
///
/// ```
/// use impinge_broadphase::{BroadPhase, Mobility, Pair};
/// use impinge_shapes::Aabb;
/// use impinge_shapes::glam::Vec3;
///
/// let mut broad = BroadPhase::new();
/// broad.set(0, Aabb::new(Vec3::ZERO, Vec3::ONE)?, Mobility::Fixed);
/// broad.set(7, Aabb::new(Vec3::ONE, Vec3::splat(2.0))?, Mobility::Moving);
/// broad.update();
/// assert_eq!(broad.pairs().to_vec(), [Pair { a: 0, b: 7 }]);
/// # Ok::<(), impinge_shapes::AabbError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BroadPhase {
    slots: Slots,
    len: usize,
    index: QueryIndex,
    /// The same without room, where many ask.
    tight: Tight,
    /// Pairs of boxes that touch, unless the scene is settled: then `near` knows them.
    pairs: Rows,
    /// Pairs of fat boxes that touch, as of the last update.
    near: Rows,
    /// What began and ended in the last update.
    changes: Changes,
    tracks_changes: bool,
    pending: Pending,
    /// Boxes searched one by one since all near pairs were searched.
    searched: usize,
    room: Room,
    /// What the room of moving boxes depends on.
    scene: Scene,
    packed: bool,
    scratch: Scratch,
}

/// Memory kept between updates.
#[derive(Clone, Debug, Default)]
struct Scratch {
    order: Order,
    ids: Vec<u32>,
    all: AllPairs,
    moved: MovedPairs,
    retest: Retest,
    /// Pairs of the update before, to compare with.
    before: Rows,
    /// Pairs that ended because they are not near any more.
    parted: Vec<Pair>,
}

impl Default for BroadPhase {
    fn default() -> Self {
        Self::new()
    }
}

impl BroadPhase {
    /// No boxes yet; kernels run at the level that [`simd_level`] gives.
    #[must_use]
    pub fn new() -> Self {
        Self::with_simd_level(simd_level())
    }

    /// The same at a level of the caller's choice, for tests and measurements.
    #[must_use]
    pub fn with_simd_level(simd: SimdLevel) -> Self {
        Self {
            slots: Slots::default(),
            len: 0,
            index: QueryIndex::new(simd),
            tight: Tight::default(),
            pairs: Rows::default(),
            near: Rows::default(),
            changes: Changes::default(),
            tracks_changes: false,
            pending: Pending::default(),
            searched: 0,
            room: Room::default(),
            scene: Scene::EMPTY,
            packed: false,
            scratch: Scratch::default(),
        }
    }

    /// Level that the kernels run at.
    #[must_use]
    pub fn simd_level(&self) -> SimdLevel {
        self.index.simd_level()
    }

    /// Inserts a box, moves it, or changes its mobility.
    pub fn set(&mut self, id: u32, bounds: Aabb, mobility: Mobility) {
        self.tight.forget();
        let page = self.slots.page_of(id);
        let same = page.entry(id).fat.has(FIXED) == (mobility == Mobility::Fixed);
        if self.scene.settled && same && self.pending.keep_calm(id, page, &bounds, self.scene) {
            return;
        }
        self.pending.stir(id, page, self.scene);
        let entry = page.entry(id);
        let new = self.pending.place(id, entry, &bounds, Some(mobility), self.scene);
        self.len += usize::from(new);
    }

    /// Sets the bounds of many boxes. Ids that are not known are inserted as moving.
    ///
    /// - Cost: on as many threads as there are where ids ascend.
    pub fn set_many(&mut self, boxes: &[(u32, Aabb)]) {
        self.tight.forget();
        self.len += self.pending.place_many(&mut self.slots, boxes, self.scene);
    }

    /// Removes a box; `false` if there is none of that id.
    pub fn remove(&mut self, id: u32) -> bool {
        if !self.slots.get(id).is_some_and(|slot| slot.has(ALIVE)) {
            return false;
        }
        self.tight.forget();
        let page = self.slots.page_of(id);
        self.pending.stir(id, page, self.scene);
        let entry = page.entry(id);
        entry.slot.flags &= !ALIVE;
        self.len -= 1;
        self.pending.list(id, entry.slot, true);
        true
    }

    /// Bounds of a box as last set, whether or not an update has seen them.
    #[must_use]
    pub fn bounds(&self, id: u32) -> Option<Aabb> {
        let slot = self.slots.get(id).filter(|slot| slot.has(ALIVE))?;
        Aabb::new(slot.lo.into(), slot.hi.into()).ok()
    }

    /// Mobility of a box as last set.
    #[must_use]
    pub fn mobility(&self, id: u32) -> Option<Mobility> {
        self.slots.get(id).filter(|slot| slot.has(ALIVE))?;
        Some(if self.slots.fat(id).has(FIXED) { Mobility::Fixed } else { Mobility::Moving })
    }

    /// Number of boxes, those of which no update knows yet included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no box.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Removes all boxes and pairs at once.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.len = 0;
        self.index.clear();
        self.tight.forget();
        self.pairs.clear();
        self.near.clear();
        self.scene.settled = false;
        self.changes.clear();
        self.pending.clear();
    }

    /// Touching pairs as of the last update, sorted by `a`, then `b`.
    #[must_use]
    pub fn pairs(&self) -> Pairs<'_> {
        Pairs::new(self.touching())
    }

    fn touching(&self) -> &Rows {
        if self.scene.settled { &self.near } else { &self.pairs }
    }

    /// The ids that a box is paired with: the smaller ones, then the larger ones, both ascending.
    /// `None` after an update that [searched all pairs](UpdateReport::searched_all), which knows
    /// the larger ones only.
    #[must_use]
    pub fn partners(&self, id: u32) -> Option<(&[u32], &[u32])> {
        self.touching().partners(id)
    }

    /// Tells the [partners](BroadPhase::partners) of many boxes in the order of the ids, those of
    /// one while those of others are fetched from memory; `false` if they are not known.
    ///
    /// ```
    /// use impinge_broadphase::{BroadPhase, Mobility};
    /// use impinge_shapes::{Aabb, glam::Vec3};
    ///
    /// let mut broad_phase = BroadPhase::new();
    /// for id in 0..1000 {
    ///     let low = Vec3::X * id as f32;
    ///     broad_phase.set(id, Aabb::new(low, low + Vec3::ONE)?, Mobility::Moving);
    /// }
    /// broad_phase.update();
    /// let mut found = Vec::new();
    /// // The first update searches all pairs.
    /// assert!(!broad_phase.partners_of(&[7], |id, smaller, larger| panic!("{id}")));
    /// broad_phase.set(7, Aabb::new(Vec3::X * 6.5, Vec3::X * 7.5 + Vec3::ONE)?, Mobility::Moving);
    /// broad_phase.update();
    /// assert!(broad_phase.partners_of(&[7, 0], |id, smaller, larger| {
    ///     found.push((id, smaller.to_vec(), larger.to_vec()));
    /// }));
    /// assert_eq!(found, [(7, vec![6], vec![8]), (0, vec![], vec![1])]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn partners_of(&self, ids: &[u32], mut tell: impl FnMut(u32, &[u32], &[u32])) -> bool {
        let rows = self.touching();
        if !rows.go_both_ways() {
            return false;
        }
        in_steps(ids.len(), rows::AHEAD, |step, place| match (step, ids[place]) {
            (Step::Last, id) => {
                if let Some((smaller, larger)) = rows.partners(id) {
                    tell(id, smaller, larger);
                }
            }
            (_, id) => rows.fetch(step, [id]),
        });
        true
    }

    /// Whether updates that search all pairs anew compare them with those of the update before, as
    /// the others always do; at first they do not.
    ///
    /// - Cost: a pass over both lists.
    pub fn track_changes(&mut self, track: bool) {
        self.tracks_changes = track;
    }

    /// Pairs that the last update found and the one before did not, sorted.
    ///
    /// - Degenerate: empty after an update that [searched all pairs](UpdateReport::searched_all),
    ///   unless [`BroadPhase::track_changes`] was set before it.
    #[must_use]
    pub fn begun(&self) -> &[Pair] {
        &self.changes.begun
    }

    /// Pairs that the update before found and the last one did not, sorted.
    ///
    /// - Degenerate: empty where [`BroadPhase::begun`] is; [`BroadPhase::clear`] forgets the pairs
    ///   without an end.
    #[must_use]
    pub fn ended(&self) -> &[Pair] {
        &self.changes.ended
    }

    /// The query index as of the last update or [`BroadPhase::update_index`].
    #[must_use]
    pub fn index(&self) -> &QueryIndex {
        &self.index
    }

    /// The query index for so many queries, and for those after them until a box is set or removed:
    /// where most boxes have room, and many queries were asked for, it is made without that room,
    /// and has each box as last set.
    ///
    /// - Cost: making it once costs what some rays spare, on as many threads as there are, in memory
    ///   of the one before; some 30 bytes a box. Nobody waits for a thread that makes it.
    ///
    /// ```
    /// use impinge_broadphase::{BroadPhase, Mobility};
    /// use impinge_shapes::{Aabb, glam::Vec3};
    /// use std::ops::ControlFlow;
    ///
    /// let mut broad = BroadPhase::new();
    /// let bounds = |step: u8| Aabb::new(Vec3::X * f32::from(step) / 32.0, Vec3::ONE * 2.0);
    /// for step in 0..3 {
    ///     broad.set(0, bounds(step)?, Mobility::Moving);
    ///     broad.update();
    /// }
    /// // The box has room for the next steps, which this one needs but not the box itself.
    /// let probe = Aabb::new(Vec3::splat(2.01), Vec3::splat(2.02))?;
    /// let mut met = [0, 0];
    /// for (count, index) in met.iter_mut().zip([broad.index(), broad.index_for(1000)]) {
    ///     index.overlap(&probe, |_| {
    ///         *count += 1;
    ///         ControlFlow::Continue(())
    ///     });
    /// }
    /// assert_eq!(met, [1, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn index_for(&self, queries: usize) -> &QueryIndex {
        if !self.index_is_current() {
            return &self.index;
        }
        self.tight.index_for(queries, &self.index, &self.slots)
    }

    /// Whether pairs and index know every change.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.pending.count() == 0 && self.index_is_current()
    }

    /// Whether the index knows every change.
    #[must_use]
    pub fn index_is_current(&self) -> bool {
        self.pending.index.is_empty()
    }

    /// Brings pairs and index up to date.
    pub fn update(&mut self) -> UpdateReport {
        let (pending, changed) = (self.pending.count(), self.pending.near.len());
        self.scratch.parted.clear();
        let searched_all = pending > 0 && pending * FULL_SHARE >= self.len;
        let mut report = UpdateReport { searched: changed, searched_all, ..Default::default() };
        self.room.count(changed * LEFT_SHARE > self.len);
        self.scene.ahead = if searched_all { self.room.ahead } else { AHEAD_FEW };
        // Where pairs are made anew in any case, one search of all is paid back by the room it
        // gives to all.
        let spent = if searched_all { self.searched } else { 0 };
        if changed > 0 && (changed + spent) * SEARCH_SHARE >= self.len {
            self.room.adapt();
            self.stretch_moved();
            report.searched = self.len;
            self.searched = 0;
            self.update_index();
            if self.scene.settled {
                self.unsettle(!searched_all || self.tracks_changes);
            }
            report.tests = self.search_all();
        } else {
            self.update_index();
            if self.scene.settled && searched_all {
                self.unsettle(self.tracks_changes);
                self.near.join();
            }
            self.searched += changed;
            report.tests = self.search_changed();
        }
        let mut near_pending = std::mem::take(&mut self.pending.near);
        self.clear_flags(&mut near_pending, NEAR_PENDING);
        self.pending.near = near_pending;
        if searched_all {
            self.choose_all();
        } else {
            self.choose_set();
        }
        let mut pairs_pending = std::mem::take(&mut self.pending.pairs);
        report.moved = self.clear_flags(&mut pairs_pending, PAIRS_PENDING);
        self.pending.pairs = pairs_pending;
        report.moved = report.moved.saturating_add_signed(std::mem::take(&mut self.pending.calm));
        self.scene.update += 1;
        report.removed = pending - report.moved;
        report.resting = self.len - report.moved;
        report.near = self.near.len_of_both();
        report.pairs = self.touching().len();
        report.packed = std::mem::take(&mut self.packed);
        report
    }

    /// Empties a list, whose flag its boxes lose; returns how many of them there are still.
    fn clear_flags(&mut self, pending: &mut Vec<u32>, flag: u32) -> usize {
        if pending.len() * FULL_SHARE >= self.len {
            pending.clear();
            return self.slots.clear_all(flag);
        }
        let mut count = 0;
        for id in pending.drain(..) {
            let Some(slot) = self.slots.get_mut(id) else { continue };
            slot.flags &= !flag;
            count += usize::from(slot.has(ALIVE));
        }
        count
    }

    /// Gives new room to all boxes that were set, as those have that left theirs.
    fn stretch_moved(&mut self) {
        let calm = &mut self.scratch.ids;
        calm.clear();
        if self.scene.settled {
            self.slots.calm_into(self.scene.update, calm);
        }
        for &id in self.pending.pairs.iter().chain(&*calm) {
            let mut entry = self.slots.make(id);
            // What changed has its room already; what never had any rests, or moves too fast.
            if !entry.slot.has(NEAR_PENDING) && entry.slot.has(ALIVE) && entry.fat.has(STRETCHED) {
                let (motion, _) = entry.take_motion();
                entry.fat.stretch(&entry.slot.bounds(), &motion, u32::MAX, self.scene);
                list(id, entry.slot, INDEX_PENDING, &mut self.pending.index);
            }
        }
    }

    /// Searches all near pairs.
    fn search_all(&mut self) -> usize {
        if !self.index.young.is_empty() {
            self.pack();
        }
        let Self { index, slots, near, scratch, .. } = self;
        scratch.all.search(index.simd_level(), &index.main, slots.end(), near)
    }

    /// Searches the near pairs of the boxes whose fat box changed.
    fn search_changed(&mut self) -> usize {
        if self.pending.near.is_empty() {
            return 0;
        }
        self.near.make_both();
        let Self { index, slots, near, pending, scratch, changes, .. } = self;
        changes.clear();
        let tests = scratch.moved.search(index, slots, near, &pending.near, changes);
        near.patch(changes, !self.scene.settled, |pair| scratch.parted.push(pair));
        tests
    }

    /// Leaves it to the list of pairs to know what touches; with `keep` it does.
    fn unsettle(&mut self, keep: bool) {
        if keep {
            self.pairs.fill_larger(&self.near);
        }
        self.scene.settled = false;
    }

    /// Makes all pairs anew.
    fn choose_all(&mut self) {
        self.changes.clear();
        if self.tracks_changes {
            std::mem::swap(&mut self.pairs, &mut self.scratch.before);
        }
        self.pairs.fill_touching(&self.near, &self.slots);
        if self.tracks_changes {
            self.pairs.compare(&self.scratch.before, &mut self.changes);
        }
    }

    /// Makes the pairs of the boxes anew that were set.
    fn choose_set(&mut self) {
        self.changes.clear();
        if self.pending.pairs.is_empty() {
            return;
        }
        let Self { slots, near, pairs, scratch, changes, .. } = self;
        if !self.scene.settled {
            slots.clear_all(LOOSE);
            near.make_both();
            pairs.make_both();
            scratch.parted.clear();
            near.part(pairs, &mut scratch.parted);
            pairs.clear();
            self.scene.settled = true;
        }
        scratch.retest.search(self.index.simd_level(), slots, near, &self.pending.pairs, changes);
        scratch.retest.give_leeway(slots);
        near.flip(changes);
        changes.ended.append(&mut scratch.parted);
        changes.sort();
    }
}
