//! The boxes of a world, their touching pairs and their query index.

use impinge_shapes::Aabb;

use crate::all_pairs::AllPairs;
use crate::index::{OpenIndex, QueryIndex, to_rebuild};
use crate::lanes::Bounds;
use crate::moved_pairs::{Known, MovedPairs};
use crate::order::Order;
use crate::pair::{Changes, Pair, Pairs};
use crate::rows::Rows;
use crate::slots::{ALIVE, FIXED, INDEX_PENDING, NOWHERE, PAIRS_PENDING, Slots, YOUNG};
use crate::tolerance::{FULL_SHARE, WORN, YOUNG_SHARE};
use impinge_shapes::simd::{SimdLevel, simd_level};

/// Whether a box takes part in pairs with every other box, or only with moving ones.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UpdateReport {
    /// Boxes that were set since the last update.
    pub moved: usize,
    /// Boxes that were not.
    pub resting: usize,
    /// Boxes that were removed since the last update.
    pub removed: usize,
    /// Touching pairs.
    pub pairs: usize,
    /// How often sixteen boxes were tested against one in the search for pairs: its work, without
    /// the noise of a clock.
    pub tests: usize,
    /// Whether all pairs were searched anew, rather than those of the boxes that were set.
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
/// - Cost: an update costs what was set since the last one. From a quarter of all boxes on, all
///   pairs are searched anew.
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
    /// Larger partners of each box.
    larger: Rows,
    /// Smaller partners of each box, made when an update first needs them.
    smaller: Rows,
    has_smaller: bool,
    /// What began and ended in the last update.
    changes: Changes,
    tracks_changes: bool,
    /// Boxes set or removed since the index was brought up to date, each once.
    index_pending: Vec<u32>,
    /// Boxes set or removed since the pairs were brought up to date, each once.
    pairs_pending: Vec<u32>,
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
    removed: Vec<u32>,
    /// Pairs of the update before, to compare with.
    before: Rows,
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
            larger: Rows::default(),
            smaller: Rows::default(),
            has_smaller: false,
            changes: Changes::default(),
            tracks_changes: false,
            index_pending: Vec::new(),
            pairs_pending: Vec::new(),
            packed: false,
            scratch: Scratch::default(),
        }
    }

    /// Level that the kernels run at.
    #[must_use]
    pub fn simd_level(&self) -> SimdLevel {
        self.index.simd()
    }

    /// Inserts a box, moves it, or changes its mobility.
    pub fn set(&mut self, id: u32, bounds: Aabb, mobility: Mobility) {
        self.place(id, &bounds, Some(mobility));
    }

    /// Sets the bounds of many boxes. Ids that are not known are inserted as moving.
    pub fn set_many(&mut self, boxes: &[(u32, Aabb)]) {
        for (id, bounds) in boxes {
            self.place(*id, bounds, None);
        }
    }

    #[inline(always)]
    fn place(&mut self, id: u32, bounds: &Aabb, mobility: Option<Mobility>) {
        let slot = self.slots.make(id);
        slot.lo = bounds.min().to_array();
        slot.hi = bounds.max().to_array();
        if !slot.has(ALIVE) {
            self.len += 1;
            slot.flags = (slot.flags | ALIVE) & !FIXED;
        }
        match mobility {
            Some(Mobility::Fixed) => slot.flags |= FIXED,
            Some(Mobility::Moving) => slot.flags &= !FIXED,
            None => {}
        }
        if !slot.has(INDEX_PENDING) {
            slot.flags |= INDEX_PENDING;
            self.index_pending.push(id);
        }
        if !slot.has(PAIRS_PENDING) {
            slot.flags |= PAIRS_PENDING;
            self.pairs_pending.push(id);
        }
    }

    /// Removes a box; `false` if there is none of that id.
    pub fn remove(&mut self, id: u32) -> bool {
        let Some(slot) = self.slots.get_mut(id) else { return false };
        if !slot.has(ALIVE) {
            return false;
        }
        let pending = slot.flags & (INDEX_PENDING | PAIRS_PENDING);
        slot.flags = INDEX_PENDING | PAIRS_PENDING;
        self.len -= 1;
        if pending & INDEX_PENDING == 0 {
            self.index_pending.push(id);
        }
        if pending & PAIRS_PENDING == 0 {
            self.pairs_pending.push(id);
        }
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
        let slot = self.slots.get(id).filter(|slot| slot.has(ALIVE))?;
        Some(if slot.has(FIXED) { Mobility::Fixed } else { Mobility::Moving })
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
        self.larger.clear();
        self.has_smaller = false;
        self.changes.clear();
        self.index_pending.clear();
        self.pairs_pending.clear();
    }

    /// Touching pairs as of the last update, sorted by `a`, then `b`.
    #[must_use]
    pub fn pairs(&self) -> Pairs<'_> {
        Pairs::new(&self.larger)
    }

    /// The ids that a box is paired with: the smaller ones, then the larger ones, both ascending.
    /// `None` after an update that [searched all pairs](UpdateReport::searched_all), which knows
    /// the larger ones only.
    #[must_use]
    pub fn partners(&self, id: u32) -> Option<(&[u32], &[u32])> {
        self.has_smaller.then(|| (self.smaller.row(id), self.larger.row(id)))
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

    /// Whether pairs and index know every change.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.pairs_pending.is_empty() && self.index_is_current()
    }

    /// Whether the index knows every change.
    #[must_use]
    pub fn index_is_current(&self) -> bool {
        self.index_pending.is_empty()
    }

    /// Brings pairs and index up to date.
    pub fn update(&mut self) -> UpdateReport {
        self.update_index();
        let pending = self.pairs_pending.len();
        let mut report = UpdateReport {
            searched_all: pending > 0 && pending * FULL_SHARE >= self.len,
            ..UpdateReport::default()
        };
        self.scratch.removed.clear();
        let mut marked = (pending > 0 && !report.searched_all).then(|| self.index.open());
        for &id in &self.pairs_pending {
            let Some(slot) = self.slots.get(id) else { continue };
            if !slot.has(ALIVE) {
                self.scratch.removed.push(id);
            } else {
                report.moved += 1;
                if let Some(index) = &mut marked {
                    index.mark(slot.place);
                }
            }
        }
        report.removed = pending - report.moved;
        report.resting = self.len - report.moved;
        self.changes.clear();
        if report.searched_all {
            report.tests = self.search_all();
        } else if pending > 0 {
            report.tests = self.search_moved();
        }
        for &id in &self.pairs_pending {
            if let Some(slot) = self.slots.get_mut(id) {
                slot.flags &= !PAIRS_PENDING;
            }
        }
        self.pairs_pending.clear();
        report.pairs = self.larger.len();
        report.packed = std::mem::take(&mut self.packed);
        report
    }

    fn search_all(&mut self) -> usize {
        if !self.index.young.is_empty() {
            self.pack();
        }
        let (simd, end) = (self.index.simd(), self.slots.end());
        self.has_smaller = false;
        if self.tracks_changes {
            std::mem::swap(&mut self.larger, &mut self.scratch.before);
        }
        let tests = self.scratch.all.search(simd, &self.index.main, end, &mut self.larger);
        if self.tracks_changes {
            self.larger.compare(&self.scratch.before, &mut self.changes);
        }
        tests
    }

    fn search_moved(&mut self) -> usize {
        if !self.has_smaller {
            self.larger.transpose(&mut self.smaller);
            self.has_smaller = true;
        }
        let Self { index, slots, larger, smaller, scratch, changes, .. } = self;
        let known = Known { index: &*index, slots, larger, smaller };
        let tests = scratch.moved.search(known, &scratch.removed, changes);
        index.open().unmark();
        changes.sort();
        for pair in &changes.ended {
            larger.remove(pair.a, pair.b);
            smaller.remove(pair.b, pair.a);
        }
        for pair in &changes.begun {
            larger.insert(pair.a, pair.b);
            smaller.insert(pair.b, pair.a);
        }
        tests
    }

    /// Brings the index, but not the pairs, up to date.
    pub fn update_index(&mut self) {
        if self.index_pending.is_empty() {
            return;
        }
        let many = self.index_pending.len() * FULL_SHARE >= self.len;
        let mut pending = std::mem::take(&mut self.index_pending);
        let mut young = std::mem::take(&mut self.scratch.ids);
        young.clear();
        let mut index = self.index.open();
        for &id in &pending {
            refresh_box(&mut self.slots, &mut index, id, many, &mut young);
        }
        let fresh = young.len();
        let all = self.index.len() + fresh;
        let vacant = self.index.main.vacant() + self.index.young.vacant();
        let pack = (self.index.young.len() + fresh) * YOUNG_SHARE > all || vacant > all / 4 + 64;
        if pack {
            self.scratch.ids = young;
            self.pack();
        } else {
            if fresh > 0 {
                self.index.young.each_id(|id| young.push(id));
                young.sort_unstable();
                let order = &mut self.scratch.order;
                let simd = self.index.simd();
                let forest = to_rebuild(&mut self.index.young);
                forest.build(simd, &mut self.slots, &mut young, YOUNG, order);
            }
            self.scratch.ids = young;
            let mut index = self.index.open();
            if many {
                index.gather(&self.slots);
            } else {
                index.refresh();
            }
            if index.main.wear().is_some_and(|wear| wear > WORN) {
                self.pack();
            }
        }
        pending.clear();
        self.index_pending = pending;
    }

    /// Packs all boxes anew into one forest.
    fn pack(&mut self) {
        let Scratch { order, ids, .. } = &mut self.scratch;
        self.slots.alive_into(ids);
        let simd = self.index.simd();
        to_rebuild(&mut self.index.young).clear();
        to_rebuild(&mut self.index.main).build(simd, &mut self.slots, ids, 0, order);
        self.packed = true;
    }
}

/// Brings one box of the index up to date, or lists it as homeless. With `many`, boxes that
/// keep their place are left for the copying of all.
#[inline(always)]
fn refresh_box(
    slots: &mut Slots,
    index: &mut OpenIndex<'_>,
    id: u32,
    many: bool,
    homeless: &mut Vec<u32>,
) {
    let Some(slot) = slots.get_mut(id) else { return };
    slot.flags &= !INDEX_PENDING;
    let place = slot.place;
    if !slot.has(ALIVE) {
        if place != NOWHERE {
            slot.place = NOWHERE;
            index.erase(place);
        }
        return;
    }
    if place == NOWHERE {
        homeless.push(id);
        return;
    }
    if many {
        return;
    }
    let bounds: Bounds = slot.bounds();
    if index.block_bounds(place).touches(&bounds) {
        index.write(place, &bounds, slot.has(FIXED));
    } else {
        // It jumped: its block would stretch all the way.
        slot.place = NOWHERE;
        index.erase(place);
        homeless.push(id);
    }
}
