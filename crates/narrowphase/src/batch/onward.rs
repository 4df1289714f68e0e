//! Where the manifolds of a batch's pairs go.

use impinge_shapes::glam::Vec3;
use smallvec::SmallVec;

use super::ManifoldSink;
use crate::slot::{Slot, Slots};
use crate::{ContactPoints, Manifold};

/// A sink, as the pairs from `first` on see it.
pub(super) struct Onward<'s, S: ?Sized> {
    pub(super) sink: &'s mut S,
    pub(super) first: usize,
}

impl<S: ManifoldSink + ?Sized> Onward<'_, S> {
    /// Puts all that `list` finds where those of a pair go.
    pub(super) fn put_all(&mut self, pair: usize, list: impl FnOnce(&mut SmallVec<[Manifold; 1]>)) {
        let mut all = SmallVec::new();
        list(&mut all);
        let mut slot = SinkSlot { sink: self.sink, pair: self.first + pair };
        all.into_iter().for_each(|found| slot.fill(Some(found)));
    }
}

impl<S: ManifoldSink + ?Sized> Slots for Onward<'_, S> {
    type Slot<'s>
        = SinkSlot<'s, S>
    where
        Self: 's;

    #[inline(always)]
    fn slot(&mut self, pair: usize) -> Option<SinkSlot<'_, S>> {
        Some(SinkSlot { sink: self.sink, pair: self.first + pair })
    }
}

/// A pair of a sink.
pub(super) struct SinkSlot<'s, S: ?Sized> {
    sink: &'s mut S,
    pair: usize,
}

impl<S: ManifoldSink + ?Sized> Slot for SinkSlot<'_, S> {
    #[inline(always)]
    fn make_of(&mut self, normal: Vec3, parts: (u32, u32)) -> Option<&mut ContactPoints> {
        Some(self.sink.begin(self.pair, normal, parts))
    }
}
