//! The capsule's segment against the box, for one pair or for several side by side.
//!
//! The steps of [`Core`](super::core::Core), to the bit, with a choice in place of each branch.

use crate::real::{Mask, Real, Real3};
use crate::tolerance;

/// A segment and a box around the origin.
#[derive(Clone, Copy)]
pub(super) struct Rod<R> {
    /// First end of the segment.
    pub(super) start: Real3<R>,
    /// From the first end to the second.
    pub(super) along: Real3<R>,
    /// The box's half extents.
    pub(super) half: Real3<R>,
    /// The capsule's radius.
    pub(super) radius: R,
    /// Sum of all lengths involved: the unit of all errors.
    pub(super) size: R,
}

/// The place on the segment nearest to the box.
#[derive(Clone, Copy)]
pub(super) struct Place<R> {
    /// Its place on the segment, from 0 to 1.
    pub(super) share: R,
    /// From the nearest point of the box to it; zero inside the box.
    pub(super) excess: Real3<R>,
}

/// An axis on which the segment and the box overlap least.
#[derive(Clone, Copy)]
pub(super) struct Best<R: Real> {
    /// Whether it is a face of the box, or one of its edges against the segment.
    pub(super) face: R::Mask,
    /// The box's axis that it belongs to; see [`axis_of`].
    pub(super) index: R,
    /// Signed distance of the segment and the box along the axis.
    pub(super) separation: R,
    /// Unit, from the segment to the box.
    pub(super) normal: Real3<R>,
}

/// Where the segment crosses the planes of the box's faces, for each axis the negative one first.
#[derive(Clone, Copy)]
pub(super) struct Crossings<R> {
    x: [R; 2],
    y: [R; 2],
    z: [R; 2],
}

#[inline(always)]
fn crossings<R: Real>(at: R, by: R, half: R) -> [R; 2] {
    [(-half - at) / by, (half - at) / by]
}

/// Which of x, y and z a number of an axis is.
#[inline(always)]
pub(super) fn axis_of<R: Real>(index: R) -> [R::Mask; 3] {
    let (half, most) = (index.all(0.5), index.all(1.5));
    [index.below(half), index.above(half) & index.below(most), index.above(most)]
}

/// The component that a mask for each axis names; of several the last one.
#[inline(always)]
pub(super) fn component<R: Real>([_, y, z]: [R::Mask; 3], of: Real3<R>) -> R {
    R::pick(z, of.z, R::pick(y, of.y, of.x))
}

/// No lane.
#[inline(always)]
pub(super) fn nowhere<R: Real>(number: R) -> R::Mask {
    number.below(number)
}

/// From the nearest number in `[-half, half]`.
#[inline(always)]
fn over<R: Real>(at: R, half: R) -> R {
    at - at.most(-half).least(half)
}

/// What is known of the zeros of the derivative of the squared distance along the segment.
struct Bracket<R> {
    low: R,
    low_slope: R,
    high: R,
    high_slope: R,
    first_zero: R,
    last_zero: R,
}

impl<R: Real> Bracket<R> {
    #[inline(always)]
    fn note(&mut self, share: R, slope: R, known: R::Mask) {
        let zero = share.all(0.0);
        let lower = known & slope.below(zero) & self.low.at_most(share);
        let higher = known & slope.above(zero) & share.at_most(self.high);
        let level = known & slope.abs().at_most(zero);
        self.low = R::pick(lower, share, self.low);
        self.low_slope = R::pick(lower, slope, self.low_slope);
        self.high = R::pick(higher, share, self.high);
        self.high_slope = R::pick(higher, slope, self.high_slope);
        self.first_zero = R::pick(level & share.below(self.first_zero), share, self.first_zero);
        self.last_zero = R::pick(level & share.above(self.last_zero), share, self.last_zero);
    }
}

impl<R: Real> Rod<R> {
    /// A point of the segment.
    #[inline(always)]
    pub(super) fn at(&self, share: R) -> Real3<R> {
        self.start + self.along * share
    }

    /// The segment after a move.
    #[inline(always)]
    pub(super) fn moved(&self, by: Real3<R>) -> Self {
        Self { start: self.start + by, ..*self }
    }

    /// A share of the size.
    #[inline(always)]
    pub(super) fn part(&self, share: f64) -> R {
        self.size * self.size.all(share)
    }

    /// From the nearest point of the box to `point`.
    #[inline(always)]
    fn excess(&self, point: Real3<R>) -> Real3<R> {
        let half = self.half;
        Real3::new(over(point.x, half.x), over(point.y, half.y), over(point.z, half.z))
    }

    #[inline(always)]
    fn slope(&self, share: R, moving: Real3<R>) -> R {
        self.excess(self.at(share)).dot(moving)
    }

    /// Where the segment crosses the planes that lie beyond the box's faces by the slack.
    #[inline(always)]
    pub(super) fn crossings(&self, slack: R) -> Crossings<R> {
        let (start, along, half) = (self.start, self.along, self.half);
        Crossings {
            x: crossings(start.x, along.x, half.x + slack),
            y: crossings(start.y, along.y, half.y + slack),
            z: crossings(start.z, along.z, half.z + slack),
        }
    }

    /// The place on the segment nearest to the box; see [`Core::nearest`](super::core::Core::nearest).
    #[inline(always)]
    pub(super) fn nearest(&self, crossings: &Crossings<R>) -> Place<R> {
        let (zero, one) = (self.size.all(0.0), self.size.all(1.0));
        let still = self.part(tolerance::TIE);
        let Real3 { x, y, z } = self.along;
        let flat = [x.abs().at_most(still), y.abs().at_most(still), z.abs().at_most(still)];
        let moving = Real3::new(
            R::pick(flat[0], zero, x),
            R::pick(flat[1], zero, y),
            R::pick(flat[2], zero, z),
        );
        let (at_start, at_end) = (self.slope(zero, moving), self.slope(one, moving));
        let (before, behind) = (at_start.above(zero), at_end.below(zero));
        let inside = !(before | behind);
        let mut share = R::pick(before, zero, one);
        if inside.any() {
            let mut bracket = Bracket {
                low: zero,
                low_slope: at_start,
                high: one,
                high_slope: at_end,
                first_zero: R::pick(at_start.abs().at_most(zero), zero, one),
                last_zero: R::pick(at_end.abs().at_most(zero), one, zero),
            };
            self.note(&mut bracket, moving, crossings.x, flat[0]);
            self.note(&mut bracket, moving, crossings.y, flat[1]);
            self.note(&mut bracket, moving, crossings.z, flat[2]);
            let Bracket { low, low_slope, high, high_slope, first_zero, last_zero } = bracket;
            let middle = one.all(0.5) * (first_zero + last_zero);
            let between = low + (high - low) * (low_slope / (low_slope - high_slope));
            let found = R::pick(first_zero.at_most(last_zero), middle, between);
            share = R::pick(inside, found, share);
        }
        Place { share, excess: self.excess(self.at(share)) }
    }

    /// Notes the places where the segment crosses the two faces of an axis.
    #[inline(always)]
    fn note(
        &self,
        bracket: &mut Bracket<R>,
        moving: Real3<R>,
        [first, second]: [R; 2],
        flat: R::Mask,
    ) {
        let (zero, one) = (first.all(0.0), first.all(1.0));
        // Not skipped where no lane has such a place, which no branch can guess.
        let on = !flat & first.above(zero) & first.below(one);
        bracket.note(first, self.slope(first, moving), on);
        let on = !flat & second.above(zero) & second.below(one);
        bracket.note(second, self.slope(second, moving), on);
    }

    /// The part of the segment between the face planes of the axes in `taken`, which it crosses as
    /// told, and where there is one; `wanted` are the lanes that matter.
    #[inline(always)]
    pub(super) fn between(
        &self,
        crossings: &Crossings<R>,
        taken: [R::Mask; 3],
        wanted: R::Mask,
    ) -> (R, R, R::Mask) {
        let (low, high, found) = self.between_planes(crossings, taken, self.size.all(0.0));
        if !(wanted & !found).any() {
            return (low, high, found);
        }
        let slack = self.part(tolerance::TIE);
        let (wide_low, wide_high, wide) = self.between_planes(&self.crossings(slack), taken, slack);
        (R::pick(found, low, wide_low), R::pick(found, high, wide_high), found | wide)
    }

    #[inline(always)]
    fn between_planes(
        &self,
        crossings: &Crossings<R>,
        [x, y, z]: [R::Mask; 3],
        slack: R,
    ) -> (R, R, R::Mask) {
        let still = self.part(tolerance::TIE);
        let mut span = Span { low: slack.all(0.0), high: slack.all(1.0), empty: nowhere(slack) };
        let (start, along, half) = (self.start, self.along, self.half);
        span.cut(x, crossings.x, along.x.abs().at_most(still), (start.x, half.x + slack));
        span.cut(y, crossings.y, along.y.abs().at_most(still), (start.y, half.y + slack));
        span.cut(z, crossings.z, along.z.abs().at_most(still), (start.z, half.z + slack));
        (span.low, span.high, !span.empty & span.low.at_most(span.high))
    }

    /// The axis of largest signed separation; see [`Core::best`](super::core::Core::best).
    #[inline(always)]
    pub(super) fn best(&self) -> Best<R> {
        let (zero, one) = (self.size.all(0.0), self.size.all(1.0));
        let center = self.at(one.all(0.5));
        let tie = self.part(tolerance::TIE);
        let mut best = Choice {
            face: !nowhere(one),
            index: zero,
            separation: one.all(f64::NEG_INFINITY),
            axis: Real3::new(one, zero, zero),
            length: one,
            across: zero,
        };
        let (along, half) = (self.along, self.half);
        let [x, y, z] =
            [Real3::new(one, zero, zero), Real3::new(zero, one, zero), Real3::new(zero, zero, one)];
        best.offer_face(0.0, x, (center.x, along.x, half.x), tie);
        best.offer_face(1.0, y, (center.y, along.y, half.y), tie);
        best.offer_face(2.0, z, (center.z, along.z, half.z), tie);
        let length = along.dot(along).sqrt();
        best.offer_edge(0.0, x.cross(along), center, half, (tie, length));
        best.offer_edge(1.0, y.cross(along), center, half, (tie, length));
        best.offer_edge(2.0, z.cross(along), center, half, (tie, length));
        let unit = Real3::new(
            best.axis.x / best.length,
            best.axis.y / best.length,
            best.axis.z / best.length,
        );
        Best {
            face: best.face,
            index: best.index,
            separation: best.separation,
            normal: Real3::pick(best.across.above(zero), -unit, unit),
        }
    }

    /// The place on the segment that the axis makes touch the box last; see
    /// [`Core::deepest`](super::core::Core::deepest).
    #[inline(always)]
    pub(super) fn deepest(&self, crossings: &Crossings<R>, best: &Best<R>, wanted: R::Mask) -> R {
        let (zero, one) = (self.size.all(0.0), self.size.all(1.0));
        let [x, y, z] = axis_of(best.index);
        let edge = !best.face;
        // The others of a face, an edge itself.
        let taken =
            [(x & edge) | (!x & !edge), (y & edge) | (!y & !edge), (z & edge) | (!z & !edge)];
        let (low, high, found) = self.between(crossings, taken, wanted);
        let (low, high) = (R::pick(found, low, zero), R::pick(found, high, one));
        let rise = self.along.dot(best.normal);
        let level = rise.abs().at_most(self.part(tolerance::TIE));
        let end = R::pick(rise.above(zero), high, low);
        let over_face = R::pick(level, one.all(0.5) * (low + high), end);
        if !(wanted & edge).any() {
            return over_face;
        }
        // Where the segment passes the edge: along the faster one of the edge's two planes.
        let [m, n] = [[z, x, y], [y, z, x]];
        let (speed_m, speed_n) = (component(m, self.along), component(n, self.along));
        let first = speed_n.abs().at_most(speed_m.abs());
        let pick = |v: Real3<R>| R::pick(first, component(m, v), component(n, v));
        let (normal, half) = (pick(best.normal), pick(self.half));
        let side = R::pick(normal.above(zero), -half, half);
        let on_segment = side - normal * best.separation;
        let share = (on_segment - pick(self.start)) / pick(self.along);
        let share = R::pick(share.below(low), low, R::pick(share.above(high), high, share));
        R::pick(edge, share, over_face)
    }
}

/// The part of the segment that is left.
struct Span<R: Real> {
    low: R,
    high: R,
    empty: R::Mask,
}

impl<R: Real> Span<R> {
    #[inline(always)]
    fn cut(&mut self, taken: R::Mask, [enter, leave]: [R; 2], flat: R::Mask, (at, half): (R, R)) {
        self.empty = self.empty | (taken & flat & at.abs().above(half));
        let cuts = taken & !flat;
        self.low = R::pick(cuts, enter.least(leave).most(self.low), self.low);
        self.high = R::pick(cuts, enter.most(leave).least(self.high), self.high);
    }
}

/// The best axis so far, not yet a unit vector.
struct Choice<R: Real> {
    face: R::Mask,
    index: R,
    separation: R,
    axis: Real3<R>,
    length: R,
    /// The segment's middle along the axis.
    across: R,
}

impl<R: Real> Choice<R> {
    #[inline(always)]
    fn offer_face(&mut self, index: f64, axis: Real3<R>, (center, along, half): (R, R, R), tie: R) {
        let here = center.abs() - tie.all(0.5) * along.abs() - half;
        let better = here.above(self.separation + tie);
        self.index = R::pick(better, tie.all(index), self.index);
        self.separation = R::pick(better, here, self.separation);
        self.axis = Real3::pick(better, axis, self.axis);
        self.across = R::pick(better, center, self.across);
    }

    #[inline(always)]
    fn offer_edge(
        &mut self,
        index: f64,
        axis: Real3<R>,
        center: Real3<R>,
        half: Real3<R>,
        (tie, along): (R, R),
    ) {
        let length = axis.dot(axis).sqrt();
        let across = axis.dot(center);
        let here = across.abs() - half.dot(axis.abs());
        // The projection of a nearly parallel edge is all rounding.
        let error = tie * (length + along);
        let better = length.above(tie.all(0.0)) & (here - error).above(self.separation * length);
        self.face = self.face & !better;
        self.index = R::pick(better, tie.all(index), self.index);
        self.separation = R::pick(better, here / length, self.separation);
        self.axis = Real3::pick(better, axis, self.axis);
        self.length = R::pick(better, length, self.length);
        self.across = R::pick(better, across, self.across);
    }
}
