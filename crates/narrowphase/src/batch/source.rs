//! Where a kernel finds its pairs, and where its answers go.

use fearless_simd::Simd;
use impinge_shapes::{Cuboid, Pose, Shape};

use super::gather::{Sixteen, eight_from};
use super::sort::RUN;
use super::{AsPair, PairOf, PairRef};
use crate::common;
use crate::turn::{WIDTH, each};
use crate::witness::Room;
use crate::{Closest, Manifold};

/// A pair in its room's order.
pub(super) struct Item<'a, K: Room> {
    pub(super) pair: PairOf<'a, K::A, K::B>,
    /// The caller's A is the room's B.
    pub(super) flipped: bool,
}

impl<K: Room> Item<'_, K> {
    /// The poses in the caller's order.
    #[inline(always)]
    pub(super) fn poses(&self) -> (&Pose, &Pose) {
        let PairOf { pose_a, pose_b, .. } = self.pair;
        if self.flipped { (pose_b, pose_a) } else { (pose_a, pose_b) }
    }
}

/// A list of pairs of one kind.
pub(super) trait Source<'a, K: Room> {
    /// How many there are.
    fn count(&self) -> usize;

    /// The pair at an index below [`Source::count`].
    fn item(&self, index: usize) -> Option<Item<'a, K>>;

    /// Eight pairs from `first` on; the last one stands for those beyond the end, too.
    fn eight(&self, first: usize) -> Option<[Item<'a, K>; WIDTH]>;

    /// Index of its answer.
    fn place(&self, index: usize) -> usize;

    /// Whether they are picked out of a mix.
    #[inline(always)]
    fn is_picked(&self) -> bool {
        true
    }

    /// Sixteen pairs of boxes from `first` on in lanes, where so many lie side by side.
    ///
    /// Those of a mix are borrowed first, one by one; see [`Borrowed`](super::gather::Borrowed).
    #[inline(always)]
    fn sixteen<S: Simd>(&self, _simd: S, _first: usize) -> Option<Sixteen<S>>
    where
        K: Room<A = Cuboid, B = Cuboid>,
    {
        None
    }

    /// The places of eight answers from `first` on, where they lie side by side.
    #[inline(always)]
    fn slots<'o, O>(&self, _first: usize, _out: &'o mut [O]) -> Option<&'o mut [O; WIDTH]> {
        None
    }
}

/// Pairs of a known kind.
pub(super) struct Known<'a, P>(pub(super) &'a [P]);

impl<'a, K: Room, P: AsPair<K::A, K::B>> Source<'a, K> for Known<'a, P> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn item(&self, index: usize) -> Option<Item<'a, K>> {
        Some(Item { pair: self.0.get(index)?.as_pair(), flipped: false })
    }

    #[inline(always)]
    fn eight(&self, first: usize) -> Option<[Item<'a, K>; WIDTH]> {
        let pairs = eight_from(self.0, first)?;
        Some(each!(pairs, pair => Item { pair: pair.as_pair(), flipped: false }))
    }

    #[inline(always)]
    fn place(&self, index: usize) -> usize {
        index
    }

    #[inline(always)]
    fn is_picked(&self) -> bool {
        false
    }

    #[inline(always)]
    fn sixteen<S: Simd>(&self, simd: S, first: usize) -> Option<Sixteen<S>>
    where
        K: Room<A = Cuboid, B = Cuboid>,
    {
        let pairs = self.0.get(first..)?.first_chunk()?;
        Some(Sixteen::beside(simd, pairs))
    }

    #[inline(always)]
    fn slots<'o, O>(&self, first: usize, out: &'o mut [O]) -> Option<&'o mut [O; WIDTH]> {
        out.get_mut(first..)?.first_chunk_mut()
    }
}

/// The pairs at these places of a mix, all of one kind.
pub(super) struct Picked<'r, P = PairRef<'r>> {
    pub(super) run: &'r [P],
    pub(super) places: &'r [u16],
}

impl<'r, P: AsPair<Shape, Shape>> Picked<'r, P> {
    #[inline(always)]
    fn at<K: Room>(&self, place: u16) -> Option<Item<'r, K>> {
        let PairOf { a, pose_a, b, pose_b } = self.run.get(usize::from(place))?.as_pair();
        let (a, b, flipped) = K::of(a, b)?;
        let (pose_a, pose_b) = if flipped { (pose_b, pose_a) } else { (pose_a, pose_b) };
        Some(Item { pair: PairOf { a, pose_a, b, pose_b }, flipped })
    }
}

impl<'a, K: Room, P: AsPair<Shape, Shape>> Source<'a, K> for Picked<'a, P> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.places.len()
    }

    #[inline(always)]
    fn item(&self, index: usize) -> Option<Item<'a, K>> {
        self.at(*self.places.get(index)?)
    }

    #[inline(always)]
    fn eight(&self, first: usize) -> Option<[Item<'a, K>; WIDTH]> {
        let places = eight_from(self.places, first)?;
        Some(each!(places, &place => self.at(place)?))
    }

    #[inline(always)]
    fn place(&self, index: usize) -> usize {
        self.places.get(index).map_or(usize::MAX, |&place| place.into())
    }
}

/// Puts no answer at the place of each pair, for kernels that write only those that there are.
#[inline(always)]
pub(super) fn clear<'a, K: Room>(
    source: &(impl Source<'a, K> + ?Sized),
    out: &mut [Option<Closest>],
) {
    for index in 0..source.count() {
        if let Some(slot) = out.get_mut(source.place(index)) {
            *slot = None;
        }
    }
}

/// One pair by its room.
#[cold]
pub(super) fn overlaps<'a, K: Room>(source: &(impl Source<'a, K> + ?Sized), index: usize) -> bool {
    common::passed_on!(Lanes);
    source.item(index).is_some_and(|item| {
        let ((pose_a, pose_b), PairOf { a, b, .. }) = (item.poses(), item.pair);
        common::relation_of_kind::<K>(a, b, item.flipped, pose_a, pose_b).overlaps()
    })
}

/// One pair by its room; infinite for none.
#[cold]
pub(super) fn distance<'a, K: Room>(source: &(impl Source<'a, K> + ?Sized), index: usize) -> f32 {
    common::passed_on!(Lanes);
    source.item(index).map_or(f32::INFINITY, |item| {
        let ((pose_a, pose_b), PairOf { a, b, .. }) = (item.poses(), item.pair);
        common::distance_of_kind::<K>(a, b, item.flipped, pose_a, pose_b)
    })
}

/// Distances of the pairs of a run by their closest points, each at its place of `out`: of kinds
/// whose lanes tell nothing less.
#[inline(always)]
pub(super) fn distances_of<'a, K: Room>(
    source: &(impl Source<'a, K> + ?Sized),
    out: &mut [f32],
    closest: impl FnOnce(&mut [Option<Closest>]),
) {
    if source.count() == 0 {
        return;
    }
    let mut nearest = [None; RUN];
    closest(&mut nearest);
    for index in 0..source.count() {
        let place = source.place(index);
        if let (Some(found), Some(slot)) = (nearest.get(place), out.get_mut(place)) {
            *slot = found.map_or(f32::INFINITY, |found| found.distance.max(0.0));
        }
    }
}

/// One pair by its room.
#[cold]
pub(super) fn closest<'a, K: Room>(
    source: &(impl Source<'a, K> + ?Sized),
    index: usize,
    max_distance: f32,
) -> Option<Closest> {
    common::passed_on!(Lanes);
    let item = source.item(index)?;
    let ((pose_a, pose_b), PairOf { a, b, .. }) = (item.poses(), item.pair);
    common::closest_of_kind::<K>(a, b, item.flipped, pose_a, pose_b, max_distance)
}

/// One pair by its room.
#[cold]
pub(super) fn manifold<'a, K: Room>(
    source: &(impl Source<'a, K> + ?Sized),
    index: usize,
    margin: f32,
) -> Option<Manifold> {
    common::passed_on!(Lanes);
    let item = source.item(index)?;
    let ((pose_a, pose_b), PairOf { a, b, .. }) = (item.poses(), item.pair);
    common::manifold_of_kind::<K>(a, b, item.flipped, pose_a, pose_b, margin.into())
}
