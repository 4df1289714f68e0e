//! The query index: which boxes a box, a moving box, a ray or a plane may meet.

mod cast;
mod everything;
mod flight;
mod nearest;
mod overlap;
mod packet;
mod plane;
mod traverse;
mod walk;

use std::sync::Arc;

use crate::fat::Fat;
use crate::forest::Forest;
use crate::lanes::Bounds;
use crate::slots::{Slots, YOUNG};
use impinge_shapes::simd::SimdLevel;

pub use cast::{Cast, Met};
pub use nearest::Near;
pub(crate) use traverse::{Reach, best_first};

/// Boxes packed for queries.
///
/// All queries take `&self` and may run on many threads at once. They see the boxes as of the last
/// [`BroadPhase::update`](crate::BroadPhase::update) or
/// [`BroadPhase::update_index`](crate::BroadPhase::update_index).
///
/// A box that moves is packed a little larger than it is, so that most updates need not touch it:
/// every query visits all boxes that it meets, and perhaps some that it passes by within the room
/// given to them. Callers look at the box itself
/// ([`BroadPhase::bounds`](crate::BroadPhase::bounds)), or at what is in it. Who asks much between two
/// changes may have an index without that room
/// ([`BroadPhase::index_for`](crate::BroadPhase::index_for)).
///
/// - Ties: the order of visits depends on the history of the index, the set of boxes that a query
///   must visit does not. Callers who need one order sort what they keep.
/// - Cost: a clone shares all memory. The update after it copies what is shared still.
///
/// ```
/// use std::ops::ControlFlow;
/// use impinge_broadphase::{BroadPhase, Mobility};
/// use impinge_shapes::{Aabb, glam::Vec3};
///
/// let mut broad = BroadPhase::new();
/// for (id, x) in [(3, 0.0), (5, 1.0), (8, 2.0)] {
///     let low = Vec3::X * x;
///     broad.set(id, Aabb::new(low, low + Vec3::ONE)?, Mobility::Moving);
/// }
/// broad.update();
/// let mut met = Vec::new();
/// broad.index().overlap(&Aabb::new(Vec3::splat(0.25), Vec3::splat(0.5))?, |id| {
///     met.push(id);
///     ControlFlow::Continue(())
/// });
/// assert!(met.contains(&3) && !met.contains(&8)); // perhaps 5, which is near
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct QueryIndex {
    simd: SimdLevel,
    /// Almost all boxes, in the order they were packed in.
    pub(crate) main: Arc<Forest>,
    /// Boxes that came, or jumped away from their block, since then.
    pub(crate) young: Arc<Forest>,
}

/// The forests of an index to be written; each is this index's own while it is open.
#[derive(Debug)]
pub(crate) struct OpenIndex<'a> {
    pub(crate) main: &'a mut Forest,
    pub(crate) young: &'a mut Forest,
    simd: SimdLevel,
}

/// A forest to be built anew: what it holds is of no use, so that a shared one is not copied.
pub(crate) fn to_rebuild(forest: &mut Arc<Forest>) -> &mut Forest {
    if Arc::get_mut(forest).is_none() {
        *forest = Arc::default();
    }
    Arc::make_mut(forest)
}

impl QueryIndex {
    pub(crate) fn new(simd: SimdLevel) -> Self {
        Self { simd, main: Arc::default(), young: Arc::default() }
    }

    pub(crate) fn open(&mut self) -> OpenIndex<'_> {
        let (main, young) = (Arc::make_mut(&mut self.main), Arc::make_mut(&mut self.young));
        OpenIndex { main, young, simd: self.simd }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.simd);
    }

    /// Number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.main.len() + self.young.len()
    }

    /// Whether there is no box.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls with the id of every box, in no particular order.
    pub fn for_each(&self, mut visit: impl FnMut(u32)) {
        for forest in self.forests() {
            forest.each_id(&mut visit);
        }
    }

    pub(crate) fn forests(&self) -> [&Forest; 2] {
        [&self.main, &self.young]
    }

    /// Boxes that may be larger than those that they stand for.
    pub(crate) fn roomy(&self) -> usize {
        self.main.roomy() + self.young.roomy()
    }

    /// Takes over who lives where in another index, each box without its room. Boxes cannot be
    /// written after it.
    pub(crate) fn copy_without_room(&mut self, from: &Self, slots: &Slots) {
        to_rebuild(&mut self.main).copy_without_room(self.simd, slots, &from.main);
        to_rebuild(&mut self.young).copy_without_room(self.simd, slots, &from.young);
    }

    /// The level that its kernels run at.
    #[must_use]
    pub fn simd_level(&self) -> SimdLevel {
        self.simd
    }
}

impl OpenIndex<'_> {
    /// Fetches ahead what is written at a place, which may be none.
    pub(crate) fn prefetch(&self, place: u32) {
        let (forest, block) = self.block_of(place);
        forest.prefetch(block);
    }

    /// The forest and the block that a place belongs to.
    fn block_of(&self, place: u32) -> (&Forest, usize) {
        let forest = if place & YOUNG == 0 { &*self.main } else { &*self.young };
        (forest, (place & !YOUNG) as usize / crate::lanes::WIDTH)
    }

    /// Copies one fat box into its place.
    pub(crate) fn write(&mut self, place: u32, fat: &Fat) {
        if place & YOUNG == 0 {
            self.main.write(place, fat);
        } else {
            self.young.write(place & !YOUNG, fat);
        }
    }

    /// Takes one box out of its place.
    pub(crate) fn erase(&mut self, place: u32) {
        if place & YOUNG == 0 {
            self.main.erase(place);
        } else {
            self.young.erase(place & !YOUNG);
        }
    }

    /// Bounds of the block that a place belongs to, as of the last refresh.
    pub(crate) fn block_bounds(&self, place: u32) -> Bounds {
        let (forest, block) = self.block_of(place);
        forest.block_bounds(block)
    }

    /// Copies all boxes from their slots.
    pub(crate) fn gather(&mut self, slots: &Slots) {
        self.main.gather(self.simd, slots);
        self.young.gather(self.simd, slots);
    }

    /// Brings the trees up to date with single writes.
    pub(crate) fn refresh(&mut self) {
        self.main.refresh(self.simd);
        self.young.refresh(self.simd);
    }
}
