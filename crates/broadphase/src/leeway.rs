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

use fearless_simd::{Simd, mask32x16, prelude::*};

use crate::lanes::{Bits, Bounds, Lanes, splat};

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

    /// Adds what settles whether a box touches one that rests, and stays where it is.
    #[inline(always)]
    pub(crate) fn settle_resting(&mut self, bounds: &Bounds, other: &Bounds, touch: bool) {
        if touch {
            for axis in 0..3 {
                self.inner.lo[axis] = lesser(self.inner.lo[axis], other.hi[axis]);
                self.inner.hi[axis] = greater(self.inner.hi[axis], other.lo[axis]);
            }
            return;
        }
        // The axis on which the gap takes the smallest part of the room that there is: the box
        // was given room where it moves to.
        let (mut best, mut at, mut above) = (0.0, 3, false);
        for axis in 0..3 {
            let up = other.lo[axis] - bounds.hi[axis];
            let down = bounds.lo[axis] - other.hi[axis];
            let below = up > 0.0;
            let room = if below {
                self.outer.hi[axis] - bounds.hi[axis]
            } else {
                bounds.lo[axis] - self.outer.lo[axis]
            };
            let gap = if below { up } else { down };
            // Room may be a zero below zero, and then a box that is not apart would seem to be.
            let share = if gap > 0.0 { gap / room } else { 0.0 };
            if share > best {
                (best, at, above) = (share, axis, !below);
            }
        }
        match (at, above) {
            (3, _) => {
                // Infinities have no number for it, nor has a box at the end of its room.
                self.settle_apart(bounds, other, &Self::to_stay(other));
            }
            (_, true) => self.outer.lo[at] = greater(self.outer.lo[at], other.hi[at]),
            _ => self.outer.hi[at] = lesser(self.outer.hi[at], other.lo[at]),
        }
    }

    /// The same for the lanes of two masks: those that touch, and those that are apart.
    #[inline(always)]
    pub(crate) fn settle_lanes<S: Simd>(
        &mut self,
        simd: S,
        bounds: &Bounds,
        others: &Lanes,
        touching: u64,
        apart: u64,
    ) {
        if simd.level().is_fallback() {
            for lane in Bits(touching | apart) {
                self.settle_resting(bounds, &others.get(lane), touching >> lane & 1 == 1);
            }
            return;
        }
        let (least, most) = (splat(simd, f32::NEG_INFINITY), splat(simd, f32::INFINITY));
        if touching != 0 {
            let lanes = mask32x16::from_bitmask(simd, touching);
            for axis in 0..3 {
                let (lo, hi) = (others.lower(simd, axis), others.upper(simd, axis));
                let (lo, hi) = (lanes.select(lo, least), lanes.select(hi, most));
                self.inner.lo[axis] = lesser(self.inner.lo[axis], hi.reduce_min());
                self.inner.hi[axis] = greater(self.inner.hi[axis], lo.reduce_max());
            }
        }
        if apart == 0 {
            return;
        }
        let none = splat(simd, 0.0);
        let lanes = mask32x16::from_bitmask(simd, apart);
        let nobody = none.simd_gt(none);
        let (mut best, mut at, mut from_below) = (none, [nobody; 3], [nobody; 3]);
        for axis in 0..3 {
            let (lo, hi) = (splat(simd, bounds.lo[axis]), splat(simd, bounds.hi[axis]));
            let (up, down) = (others.lower(simd, axis) - hi, lo - others.upper(simd, axis));
            let below = up.simd_gt(none);
            let room = below.select(
                splat(simd, self.outer.hi[axis] - bounds.hi[axis]),
                splat(simd, bounds.lo[axis] - self.outer.lo[axis]),
            );
            let gap = below.select(up, down);
            let share = (gap.simd_gt(none) & lanes).select(gap / room, none);
            let better = share.simd_gt(best);
            best = better.select(share, best);
            for before in &mut at {
                *before &= !better;
            }
            (at[axis], from_below[axis]) = (better, below);
        }
        for axis in 0..3 {
            let (upper, lower) = (at[axis] & from_below[axis], at[axis] & !from_below[axis]);
            let lo = upper.select(others.lower(simd, axis), most);
            let hi = lower.select(others.upper(simd, axis), least);
            self.outer.hi[axis] = lesser(self.outer.hi[axis], lo.reduce_min());
            self.outer.lo[axis] = greater(self.outer.lo[axis], hi.reduce_max());
        }
        let settled = (at[0] | at[1] | at[2]).to_bitmask();
        for lane in Bits(apart & !settled) {
            let other = others.get(lane);
            self.settle_apart(bounds, &other, &Self::to_stay(&other));
        }
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
                    if random(2) == 0 {
                        assert!(first.settle(&one, &other, &second, touch).is_none());
                    } else {
                        let room = draw(&mut random);
                        if room.holds(&one) {
                            first.outer = room;
                        }
                        first.settle_resting(&one, &other, touch);
                    }
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

    /// A box and up to sixteen that rest near it.
    #[test]
    fn promises_to_lanes_settle_what_touches() {
        let mut random = random(12_345);
        let levels: Vec<SimdLevel> =
            SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name)).collect();
        let (mut kept, mut touching, mut broken) = (0, 0, 0);
        for round in 0..40_000 {
            let own = draw(&mut random);
            let others: Vec<Bounds> = (0..=random(16)).map(|_| draw(&mut random)).collect();
            let mut lanes = Lanes::UNUSED;
            let mut masks = [0, 0];
            for (lane, other) in others.iter().enumerate() {
                lanes.set(lane, other);
                masks[usize::from(!own.meets(other))] |= 1 << lane;
            }
            let mut begun = Promise::NONE;
            let room = draw(&mut random);
            if room.holds(&own) {
                begun.outer = room;
            }
            for level in &levels {
                let mut promise = begun;
                dispatch!(level.level(), simd => {
                    promise.settle_lanes(simd, &own, &lanes, masks[0], masks[1]);
                });
                for _ in 0..4 {
                    let mut moved = own;
                    let axis = random(3) as usize;
                    let face = draw(&mut random);
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
