//! The least result so far, by where it lies and then by body.

use crate::tolerance::SEARCH_SLACK;
use crate::{BodyId, BodyImpact, ClosestBody, RayHit, SweepHit};

/// A result that comes before those farther on, and at the same place before those of later bodies.
pub(super) trait Found {
    /// A distance or fraction, and the body.
    fn rank(&self) -> (f32, BodyId);
}

impl Found for RayHit {
    #[inline]
    fn rank(&self) -> (f32, BodyId) {
        (self.distance, self.body)
    }
}

impl Found for SweepHit {
    #[inline]
    fn rank(&self) -> (f32, BodyId) {
        (self.fraction, self.body)
    }
}

impl Found for ClosestBody {
    #[inline]
    fn rank(&self) -> (f32, BodyId) {
        (self.closest.distance, self.body)
    }
}

impl Found for BodyImpact {
    #[inline]
    fn rank(&self) -> (f32, BodyId) {
        (self.fraction, self.body)
    }
}

/// The best result so far, or none yet.
pub(super) trait Best<T> {
    /// How far the narrow phase must look.
    ///
    /// A body at the same distance as the best one may still win by its id. The narrow phase
    /// compares unrounded numbers, so it is given one step more; what that lets in too much is
    /// dropped by [`Best::offer`].
    fn limit(&self, max: f32) -> f32;

    /// How far the search must go on: a little farther than the best result, see
    /// [`SEARCH_SLACK`].
    fn reach(&self, max: f32) -> f32;

    /// Whether it lies at zero and its body comes before the one in this slot, so that nothing of
    /// the latter could take its place.
    fn is_first_before(&self, slot: u32) -> bool;

    /// Whether nothing can lie before it.
    fn is_at_start(&self) -> bool;

    /// Takes another one, if that is better.
    fn offer(&mut self, result: T);
}

impl<T: Found> Best<T> for Option<T> {
    #[inline]
    fn limit(&self, max: f32) -> f32 {
        self.as_ref().map_or(max, |best| best.rank().0.next_up().min(max))
    }

    #[inline]
    fn reach(&self, max: f32) -> f32 {
        let Some((at, _)) = self.as_ref().map(T::rank) else { return max };
        (at + at.abs() * SEARCH_SLACK).min(max)
    }

    #[inline]
    fn is_first_before(&self, slot: u32) -> bool {
        self.as_ref().map(T::rank).is_some_and(|(at, body)| at <= 0.0 && body.index() < slot)
    }

    #[inline]
    fn is_at_start(&self) -> bool {
        self.as_ref().is_some_and(|best| best.rank().0 <= 0.0)
    }

    #[inline]
    fn offer(&mut self, result: T) {
        let (at, body) = result.rank();
        let wins = |(best, first)| at < best || (at <= best && body < first);
        if self.as_ref().map(T::rank).is_none_or(wins) {
            *self = Some(result);
        }
    }
}
