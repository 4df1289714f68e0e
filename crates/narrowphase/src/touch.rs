//! First touches in plain numbers, of one pair or of several side by side.

use crate::level::is_zero;
use crate::real::{Mask, Placed, Real, Real3};
use crate::witness::Room;
use crate::{Impact, SweepOptions};

/// How one of two shapes moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Going<V> {
    pub(crate) by: V,
    /// Whether a touch at the start ends it, also where the way leads out or along.
    pub(crate) stops: bool,
    /// Whether every overlap at the start is a hit.
    pub(crate) starts: bool,
}

impl<V> Going<V> {
    pub(crate) fn new(by: V, options: &SweepOptions) -> Self {
        Self { by, stops: options.stop_on_touch, starts: options.keep_starts() }
    }

    /// The same way in other numbers.
    #[inline(always)]
    pub(crate) fn with<W>(&self, by: W) -> Going<W> {
        Going { by, stops: self.stops, starts: self.starts }
    }
}

impl<R: Real> Going<Real3<R>> {
    /// Whether a touch at the start is a hit for this alone; also of what stays where it is.
    #[inline(always)]
    pub(crate) fn is_held(&self) -> R::Mask {
        let rests = is_zero(self.by.sum_abs());
        if self.stops { !rests.never() } else { rests }
    }
}

/// What becomes of two shapes, one of which moves along a line.
pub(crate) struct Touch<R: Real> {
    /// Whether yes or no is proven, and the rest is the answer; elsewhere the room is asked.
    pub(crate) certain: R::Mask,
    /// They come to touch; nothing else is of any meaning where they do not.
    pub(crate) hits: R::Mask,
    /// Those of them that overlap at the start.
    pub(crate) started: R::Mask,
    /// How deep these are there.
    pub(crate) depth: R,
    /// Part of the way that is done.
    pub(crate) fraction: R,
    /// Unit, out of what rests.
    pub(crate) normal: Real3<R>,
    pub(crate) point: Real3<R>,
}

impl<R: Real> Touch<R> {
    /// Those that are certain touch nothing; `number` only tells how many there are.
    #[inline(always)]
    pub(crate) fn none(certain: R::Mask, number: R) -> Self {
        let zero = number.all(0.0);
        let nowhere = Real3::new(zero, zero, zero);
        let never = certain.never();
        Self {
            certain,
            hits: never,
            started: never,
            depth: zero,
            fraction: zero,
            normal: nowhere,
            point: nowhere,
        }
    }
}

impl Touch<f64> {
    /// As [`Room::first_touch`] tells it.
    #[inline(always)]
    pub(crate) fn told(self) -> Option<Option<Met>> {
        if !self.certain {
            return None;
        }
        if !self.hits {
            return Some(None);
        }
        let Self { fraction, normal, point, started, depth, .. } = self;
        let impact = Impact { fraction, normal: normal.into(), point: point.into() };
        Some(Some(Met { impact, started, depth }))
    }
}

/// A first touch, and how deep two are that overlap at the start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Met {
    pub(crate) impact: Impact,
    pub(crate) started: bool,
    /// Zero but for those.
    pub(crate) depth: f64,
}

/// A kind of pair whose first touch plain numbers tell, for most.
pub(crate) trait Touching: Room {
    /// The touch of two placed shapes in the room's order, in the world, of which A moves, or B
    /// instead.
    fn touch<R: Real>(
        a: &Placed<R>,
        b: &Placed<R>,
        a_moves: R::Mask,
        way: Going<Real3<R>>,
    ) -> Touch<R>;
}
