//! Where a manifold goes, which is large: made where it stays.

use impinge_shapes::glam::Vec3;
use smallvec::SmallVec;

use crate::{ContactPoint, Manifold};

/// Where a manifold goes.
pub(crate) trait Slot {
    /// Puts it there; called at most once for a slot that is empty.
    fn fill(&mut self, found: Option<Manifold>);

    /// Makes one there without points, which go where this says; called as [`Slot::fill`] is.
    fn make(&mut self, normal: Vec3) -> Option<&mut SmallVec<[ContactPoint; 4]>>;
}

impl Slot for Option<Manifold> {
    #[inline(always)]
    fn fill(&mut self, found: Option<Manifold>) {
        *self = found;
    }

    #[inline(always)]
    fn make(&mut self, normal: Vec3) -> Option<&mut SmallVec<[ContactPoint; 4]>> {
        let empty = Manifold { normal, points: SmallVec::new(), part_a: 0, part_b: 0 };
        Some(&mut self.insert(empty).points)
    }
}

impl Slot for SmallVec<[Manifold; 1]> {
    #[inline(always)]
    fn fill(&mut self, found: Option<Manifold>) {
        self.extend(found);
    }

    #[inline(always)]
    fn make(&mut self, normal: Vec3) -> Option<&mut SmallVec<[ContactPoint; 4]>> {
        self.push(Manifold { normal, points: SmallVec::new(), part_a: 0, part_b: 0 });
        self.last_mut().map(|manifold| &mut manifold.points)
    }
}
