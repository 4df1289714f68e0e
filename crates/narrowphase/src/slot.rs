//! Where a manifold goes, which is large: made where it stays.

use impinge_shapes::glam::Vec3;
use smallvec::SmallVec;

use crate::{ContactPoint, Manifold};

/// Where a manifold goes.
pub(crate) trait Slot {
    /// Puts it there; called at most once for a slot that is empty.
    fn fill(&mut self, found: Option<Manifold>);

    /// Makes one there without points, which go where this says; called as [`Slot::fill`] is.
    #[inline(always)]
    fn make(&mut self, normal: Vec3) -> Option<&mut SmallVec<[ContactPoint; 4]>> {
        self.make_of(normal, (0, 0))
    }

    /// As [`Slot::make`], of these parts.
    fn make_of(
        &mut self,
        normal: Vec3,
        parts: (u32, u32),
    ) -> Option<&mut SmallVec<[ContactPoint; 4]>>;
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
    ) -> Option<&mut SmallVec<[ContactPoint; 4]>> {
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
    fn make_of(
        &mut self,
        normal: Vec3,
        (part_a, part_b): (u32, u32),
    ) -> Option<&mut SmallVec<[ContactPoint; 4]>> {
        self.push(Manifold { normal, points: SmallVec::new(), part_a, part_b });
        self.last_mut().map(|manifold| &mut manifold.points)
    }
}
