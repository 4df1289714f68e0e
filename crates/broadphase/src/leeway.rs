//! Leeway: where a box may go before any answer about its near pairs can change.
//!
//! Each of two near boxes promises to stay on its side of planes between them: of one plane, if
//! they are apart, and of one for each face of each, if they touch. While both keep their promises,
//! the answer for the pair stays; what a box promised to all its partners is one outer box that it
//! stays in and one inner box that it covers, so that a move within both needs no look at any of
//! them. A box that breaks its promises is tested anew, and makes new ones.
//!
//! - Source: certificates as in kinetic data structures (Basch, Guibas, Hershberger, *Data
//!   Structures for Mobile Data*, 1999), one for all pairs of a box and without a queue of events.

use fearless_simd::{Simd, f32x4, prelude::*};

use crate::lanes::Bounds;

/// What a box promises: to stay within one box, and to cover another.
///
/// It may have broken it already when it is made; then its next move is looked at in any case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Promise {
    /// No face may reach it, so that two may be apart from the same plane.
    pub(crate) outer: Bounds,
    /// Upper faces may lie below the lower ones.
    pub(crate) inner: Bounds,
}

impl Promise {
    /// Promises nothing.
    pub(crate) const NONE: Self = Self { outer: Bounds::EVERYTHING, inner: Bounds::EMPTY };

    /// Of a box that rests.
    #[inline(always)]
    pub(crate) fn to_stay(bounds: &Bounds) -> Self {
        Self { outer: *bounds, inner: *bounds }
    }

    #[inline(always)]
    pub(crate) fn is_kept_by(&self, bounds: &Bounds) -> bool {
        self.outer.surrounds(bounds) & bounds.holds(&self.inner)
    }

    /// Promises all that the other does, too.
    #[inline(always)]
    pub(crate) fn join(&mut self, other: &Self) {
        self.outer.narrow_to(&other.outer);
        self.inner.include(&other.inner);
    }

    /// Promises of two boxes that settle whether they touch: adds to that of the first, and returns
    /// what the second has to promise beyond what it did, if anything.
    ///
    /// The answer is the same in mirror image where both have promised nothing, so that each may be
    /// worked out without the other.
    #[inline(always)]
    pub(crate) fn settle(
        &mut self,
        bounds: &Bounds,
        other: &Bounds,
        promised: &Self,
        touch: bool,
    ) -> Option<Self> {
        if touch {
            self.settle_touching(bounds, other, promised)
        } else {
            self.settle_apart(bounds, other, promised)
        }
    }

    #[inline(always)]
    fn settle_touching(
        &mut self,
        bounds: &Bounds,
        other: &Bounds,
        promised: &Self,
    ) -> Option<Self> {
        let mut asked = Self::NONE;
        let mut enough = true;
        for axis in 0..3 {
            let plane = between(bounds.lo[axis], other.hi[axis]);
            let theirs = promised.inner.hi[axis];
            enough &= theirs >= plane;
            asked.inner.hi[axis] = plane;
            let plane = if theirs > plane { theirs } else { plane };
            self.inner.lo[axis] = lesser(self.inner.lo[axis], plane);

            let plane = between(other.lo[axis], bounds.hi[axis]);
            let theirs = promised.inner.lo[axis];
            enough &= theirs <= plane;
            asked.inner.lo[axis] = plane;
            let plane = if theirs < plane { theirs } else { plane };
            self.inner.hi[axis] = greater(self.inner.hi[axis], plane);
        }
        (!enough).then_some(asked)
    }

    #[inline(always)]
    fn settle_apart(&mut self, bounds: &Bounds, other: &Bounds, promised: &Self) -> Option<Self> {
        // The axis with the largest gap, whichever of the two lies above.
        let (mut widest, mut at, mut above) = (0.0, 0, false);
        for axis in 0..3 {
            let (up, down) = (other.lo[axis] - bounds.hi[axis], bounds.lo[axis] - other.hi[axis]);
            let gap = if down > up { down } else { up };
            if gap > widest {
                (widest, at, above) = (gap, axis, down > up);
            }
        }
        let mut asked = Self::NONE;
        if above {
            let plane = between(other.hi[at], bounds.lo[at]);
            let theirs = promised.outer.hi[at];
            let enough = theirs <= plane;
            asked.outer.hi[at] = plane;
            self.outer.lo[at] = greater(self.outer.lo[at], lesser(theirs, plane));
            (!enough).then_some(asked)
        } else {
            let plane = between(bounds.hi[at], other.lo[at]);
            let theirs = promised.outer.lo[at];
            let enough = theirs >= plane;
            asked.outer.lo[at] = plane;
            self.outer.hi[at] = lesser(self.outer.hi[at], greater(theirs, plane));
            (!enough).then_some(asked)
        }
    }
}

/// Corners with the three axes side by side; in the fourth lane lies anything.
pub(crate) type Corners<S> = [f32x4<S>; 2];

/// What a box promises while it is tested against those near it, with its axes side by side: nobody
/// can guess whether two boxes touch, nor the axis on which they are apart.
pub(crate) struct Settling<S: Simd> {
    /// The box; its fourth lane is such that nothing follows from that of others.
    lo: f32x4<S>,
    hi: f32x4<S>,
    /// What a gap below and above is multiplied with for its share of the room there.
    shares: [f32x4<S>; 2],
    outer: Corners<S>,
    inner: Corners<S>,
    /// What is promised besides.
    pub(crate) others: Promise,
}

/// Lanes of the three axes.
const AXES: u64 = 7;

impl<S: Simd> Settling<S> {
    /// A box, and the room that it was given.
    #[inline(always)]
    pub(crate) fn new(simd: S, bounds: &Bounds, room: &Bounds) -> Self {
        let lo = wide(simd, bounds.lo, f32::NEG_INFINITY);
        let hi = wide(simd, bounds.hi, f32::INFINITY);
        let outer = [wide(simd, room.lo, 0.0), wide(simd, room.hi, 0.0)];
        let shares = [share_of(simd, lo - outer[0]), share_of(simd, outer[1] - hi)];
        let inner = [f32x4::splat(simd, f32::INFINITY), f32x4::splat(simd, f32::NEG_INFINITY)];
        Self { lo, hi, shares, outer, inner, others: Promise::NONE }
    }

    /// Whether the box touches another one.
    #[inline(always)]
    pub(crate) fn touches(&self, [lo, hi]: Corners<S>) -> bool {
        (self.lo.simd_le(hi) & lo.simd_le(self.hi)).to_bitmask() & AXES == AXES
    }

    /// Adds what settles whether the box touches one that rests, and stays where it is.
    ///
    /// Of two that are apart it is a plane across the axis on which the gap takes the largest part
    /// of the room that there is: the box was given room where it moves to.
    #[inline(always)]
    pub(crate) fn settle_resting(
        &mut self,
        simd: S,
        bounds: &Bounds,
        other: Corners<S>,
        touch: bool,
    ) {
        let [lo, hi] = other;
        let (none, least) = (f32x4::splat(simd, 0.0), f32x4::splat(simd, f32::MIN_POSITIVE));
        let (down, up) = (self.lo - hi, lo - self.hi);
        let below = down.simd_gt(none).select(down * self.shares[0], none);
        let above = up.simd_gt(none).select(up * self.shares[1], none);
        // The largest one, in all lanes.
        let most = below.max(above);
        let most = most.max(most.slide::<2>(most));
        let most = most.max(most.slide::<1>(most));
        let best = most.max(least);
        let (at_lo, at_hi) = (below.simd_ge(best), above.simd_ge(best));
        self.outer[0] = at_lo.select(self.outer[0].max(hi), self.outer[0]);
        self.outer[1] = at_hi.select(self.outer[1].min(lo), self.outer[1]);
        let together = most.simd_lt(least);
        self.inner[0] = together.select(self.inner[0].min(hi), self.inner[0]);
        self.inner[1] = together.select(self.inner[1].max(lo), self.inner[1]);
        if (together.to_bitmask() & 1 == 1) != touch {
            // The gap is so small that its share is no normal number; what was promised as if both
            // touched is broken already, so that the next move is looked at.
            let other = narrow(other);
            self.others.settle(bounds, &other, &Promise::to_stay(&other), touch);
        }
    }

    /// What is promised by now.
    #[inline(always)]
    pub(crate) fn promise(&self) -> Promise {
        let mut promise = Promise { outer: narrow(self.outer), inner: narrow(self.inner) };
        promise.join(&self.others);
        promise
    }
}

/// The reciprocal of a room, whatever its sign; neither infinite nor zero nor no number, so that
/// every gap times it is a number.
#[inline(always)]
fn share_of<S: Simd>(simd: S, room: f32x4<S>) -> f32x4<S> {
    let (least, most) = (f32x4::splat(simd, f32::MIN_POSITIVE), f32x4::splat(simd, f32::MAX));
    let share = f32x4::splat(simd, 1.0) / room.abs();
    let share = share.simd_lt(most).select(share, most);
    share.simd_gt(least).select(share, least)
}

#[inline(always)]
fn wide<S: Simd>(simd: S, [a, b, c]: [f32; 3], d: f32) -> f32x4<S> {
    f32x4::load_array(simd, [a, b, c, d])
}

#[inline(always)]
fn narrow<S: Simd>([lo, hi]: Corners<S>) -> Bounds {
    let ([a, b, c, _], [d, e, f, _]): ([f32; 4], [f32; 4]) = (lo.into(), hi.into());
    Bounds { lo: [a, b, c], hi: [d, e, f] }
}

/// One instruction, where the functions for it have to look for NaN.
#[inline(always)]
fn lesser(one: f32, other: f32) -> f32 {
    if one < other { one } else { other }
}

#[inline(always)]
fn greater(one: f32, other: f32) -> f32 {
    if one > other { one } else { other }
}

/// A number from `lower` on, and below `upper` if that is larger.
#[inline(always)]
fn between(lower: f32, upper: f32) -> f32 {
    let middle = lower * 0.5 + upper * 0.5;
    // Infinities may leave no number in the middle, and neighbours have none.
    if lower <= middle && middle < upper { middle } else { lower }
}

#[cfg(test)]
mod tests {
    use fearless_simd::dispatch;
    use impinge_shapes::simd::SimdLevel;

    use super::*;
    use crate::lanes::tests::{draw, random};

    #[test]
    fn promises_that_are_kept_settle_whether_boxes_touch() {
        let mut random = random(12_345);
        let (mut kept, mut touching) = (0, 0);
        for _ in 0..200_000 {
            let (one, other) = (draw(&mut random), draw(&mut random));
            let touch = one.meets(&other);
            let [mut first, mut second] = [Promise::NONE; 2];
            match random(3) {
                // Both at once, each without the other.
                0 => {
                    first.settle(&one, &other, &Promise::NONE, touch);
                    second.settle(&other, &one, &Promise::NONE, touch);
                }
                // The second rests.
                1 => {
                    second = Promise::to_stay(&other);
                    assert!(first.settle(&one, &other, &second, touch).is_none());
                }
                // The second has promised something, and may have to promise more.
                _ => {
                    let third = draw(&mut random);
                    second.settle(&other, &third, &Promise::NONE, other.meets(&third));
                    if let Some(asked) = first.settle(&one, &other, &second, touch) {
                        second.join(&asked);
                    }
                }
            }
            for _ in 0..8 {
                // One that is where it was may have broken its promise already.
                let mut next = |bounds, promise: &Promise| {
                    let moved = draw(&mut random);
                    let calm = promise.is_kept_by(&moved);
                    if moved.lo[0] < 2.0 { Some(bounds) } else { calm.then_some(moved) }
                };
                if let (Some(one), Some(other)) = (next(one, &first), next(other, &second)) {
                    assert_eq!(one.meets(&other), touch, "{one:?} {other:?} {first:?} {second:?}");
                    kept += 1;
                    touching += usize::from(touch);
                }
            }
        }
        assert!(touching > 1000 && kept > 2 * touching, "{touching} of {kept}");
    }

    /// A box and some that rest near it.
    #[test]
    fn promises_to_those_that_rest_settle_what_touches_at_every_level() {
        let mut random = random(12_345);
        let levels: Vec<SimdLevel> =
            SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name)).collect();
        let (mut kept, mut touching, mut broken) = (0, 0, 0);
        for round in 0..40_000 {
            // Gaps down to those that no share tells.
            let scale = [1.0, 1e-37, f32::from_bits(1)][random(3) as usize];
            let mut draw = || {
                let Bounds { lo, hi } = draw(&mut random);
                Bounds { lo: lo.map(|face| face * scale), hi: hi.map(|face| face * scale) }
            };
            let (own, room) = (draw(), draw());
            let others: Vec<Bounds> = (0..16).map(|_| draw()).collect();
            let moves: Vec<Bounds> = (0..4).map(|_| draw()).collect();
            let room = if room.holds(&own) { room } else { Bounds::EVERYTHING };
            for level in &levels {
                let promise = dispatch!(level.level(), simd => {
                    let mut settling = Settling::new(simd, &own, &room);
                    for other in &others {
                        let corners = [wide(simd, other.lo, f32::NAN), wide(simd, other.hi, -1.0)];
                        assert_eq!(settling.touches(corners), own.meets(other));
                        settling.settle_resting(simd, &own, corners, own.meets(other));
                    }
                    settling.promise()
                });
                for (number, face) in moves.iter().enumerate() {
                    let (mut moved, axis) = (own, number % 3);
                    (moved.lo[axis], moved.hi[axis]) = (face.lo[axis], face.hi[axis]);
                    if !promise.is_kept_by(&moved) {
                        broken += 1;
                        continue;
                    }
                    for other in &others {
                        let touch = own.meets(other);
                        assert_eq!(
                            moved.meets(other),
                            touch,
                            "round {round} {level:?}: {own:?} {moved:?} {other:?} {promise:?}"
                        );
                        kept += 1;
                        touching += usize::from(touch);
                    }
                }
            }
        }
        assert!(touching > 1000 && kept > 2 * touching, "{touching} of {kept}");
        assert!(broken > 1000, "{broken}");
    }
}
