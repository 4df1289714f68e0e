//! Where manifolds go, which are large: made where they stay.

use impinge_shapes::glam::Vec3;
use smallvec::SmallVec;

use crate::{ContactPoints, Manifold};

/// Where a manifold goes.
pub(crate) trait Slot {
    /// Puts it there; called at most once for a slot that is empty.
    #[inline(always)]
    fn fill(&mut self, found: Option<Manifold>) {
        let Some(Manifold { normal, points, part_a, part_b }) = found else { return };
        if let Some(to) = self.make_of(normal, (part_a, part_b)) {
            *to = points;
        }
    }

    /// Makes one there without points, which go where this says; called as [`Slot::fill`] is.
    #[inline(always)]
    fn make(&mut self, normal: Vec3) -> Option<&mut ContactPoints> {
        self.make_of(normal, (0, 0))
    }

    /// As [`Slot::make`], of these parts.
    fn make_of(&mut self, normal: Vec3, parts: (u32, u32)) -> Option<&mut ContactPoints>;
}

impl<T: Slot> Slot for &mut T {
    #[inline(always)]
    fn fill(&mut self, found: Option<Manifold>) {
        T::fill(self, found);
    }

    #[inline(always)]
    fn make_of(&mut self, normal: Vec3, parts: (u32, u32)) -> Option<&mut ContactPoints> {
        T::make_of(self, normal, parts)
    }
}

impl Slot for Option<Manifold> {
    #[inline(always)]
    fn fill(&mut self, found: Option<Manifold>) {
        *self = found;
    }

    #[inline(always)]
    fn make_of(
        &mut self,
        normal: Vec3,
        (part_a, part_b): (u32, u32),
    ) -> Option<&mut ContactPoints> {
        let empty = Manifold { normal, points: SmallVec::new(), part_a, part_b };
        Some(&mut self.insert(empty).points)
    }
}

impl Slot for SmallVec<[Manifold; 1]> {
    #[inline(always)]
    fn fill(&mut self, found: Option<Manifold>) {
        self.extend(found);
    }

    #[inline(always)]
    fn make_of(&mut self, normal: Vec3, parts: (u32, u32)) -> Option<&mut ContactPoints> {
        Some(begin_in(self, normal, parts))
    }
}

/// A manifold without points at the end of a list.
#[inline(always)]
pub(crate) fn begin_in(
    list: &mut SmallVec<[Manifold; 1]>,
    normal: Vec3,
    (part_a, part_b): (u32, u32),
) -> &mut ContactPoints {
    let place = list.len();
    list.push(Manifold { normal, points: SmallVec::new(), part_a, part_b });
    &mut list[place].points
}

/// Where the manifolds of many pairs go.
pub(crate) trait Slots {
    type Slot<'s>: Slot
    where
        Self: 's;

    /// Where those of a pair go.
    fn slot(&mut self, pair: usize) -> Option<Self::Slot<'_>>;
}

impl<T: Slot> Slots for [T] {
    type Slot<'s>
        = &'s mut T
    where
        T: 's;

    #[inline(always)]
    fn slot(&mut self, pair: usize) -> Option<&mut T> {
        self.get_mut(pair)
    }
}
