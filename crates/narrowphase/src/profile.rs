//! A point beside a solid that turns around an axis, a cylinder or a cone: the way to the nearest
//! place on the surface, from the profile that turns.
//!
//! Round sides take GJK and the expanding polytope many steps, each of which adds one corner.

use crate::real::{Placed, Real, Real3, Turn};
use crate::tolerance;
use crate::witness::Witness;

/// Signed distance of a point from a profile, and the unit normal there, out of the solid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Profile<R> {
    pub(crate) distance: R,
    /// Away from the axis, and up along it.
    pub(crate) normal: [R; 2],
    /// 0 for the side, 1 and 2 for what is flat or the apex at the upper and the lower end, 3 and 4
    /// for the rims there.
    pub(crate) feature: R,
}

impl<R: Real> Profile<R> {
    /// Of a cylinder with an inside, given by half its height and its radius, where the point lies
    /// `out` from the axis at a height.
    ///
    /// - Error: distances from planes and from the round side are differences and products of a few
    ///   coordinates, each rounded to 2^-53 of the size, at most twelve of them in a row: less
    ///   than 2^-44 of the size. Within that of a rim the normal is any of those there.
    /// - Ties: inside, the round side comes before a flat one.
    #[inline(always)]
    pub(crate) fn of_cylinder([half, radius]: [R; 2], [out, height]: [R; 2]) -> Self {
        let (zero, one) = (half.all(0.0), half.all(1.0));
        let is_low = height.below(zero);
        let (x, y) = (out - radius, height.abs() - half);
        let at_rim = x.above(zero) & y.above(zero);
        let on_side = y.at_most(x);
        let length = (x * x + y * y).sqrt();
        let scale = one / length;
        let aside = R::pick(at_rim, x * scale, R::pick(on_side, one, zero));
        let up = R::pick(at_rim, y * scale, R::pick(on_side, zero, one));
        let end = R::pick(is_low, half.all(2.0), one);
        Self {
            distance: R::pick(at_rim, length, R::pick(on_side, x, y)),
            normal: [aside, R::pick(is_low, -up, up)],
            feature: R::pick(at_rim, end + half.all(2.0), R::pick(on_side, zero, end)),
        }
    }

    /// The same of a cone.
    ///
    /// - Error: as [`Profile::of_cylinder`], the apex included.
    /// - Ties: as there.
    #[inline(always)]
    pub(crate) fn of_cone([half, radius]: [R; 2], [out, height]: [R; 2]) -> Self {
        let (zero, one) = (half.all(0.0), half.all(1.0));
        let whole = half + half;
        let length = (radius * radius + whole * whole).sqrt();
        // Out of the side, and up along it.
        let scale = one / length;
        let side = [whole * scale, radius * scale];
        let along = [-side[1], side[0]];
        // From the rim.
        let (x, y) = (out - radius, height + half);
        let above_side = side[0] * x + side[1] * y;
        let up = along[0] * x + along[1] * y;
        let below = -y;
        let inside = above_side.at_most(zero) & below.at_most(zero);
        let under = below.above(zero) & x.at_most(zero);
        let on_base = under | (inside & above_side.below(below));
        let at_rim = up.below(zero);
        let at_corner = !(inside | under) & (at_rim | up.above(length));
        let arm = [R::pick(at_rim, x, out), R::pick(at_rim, y, height - half)];
        let far = (arm[0] * arm[0] + arm[1] * arm[1]).sqrt();
        let scale = one / far;
        let clear = at_corner & far.above(zero);
        let aside = R::pick(on_base, zero, R::pick(clear, arm[0] * scale, side[0]));
        let upward = R::pick(on_base, -one, R::pick(clear, arm[1] * scale, side[1]));
        let corner = R::pick(at_rim, half.all(4.0), one);
        Self {
            distance: R::pick(on_base, below, R::pick(at_corner, far, above_side)),
            normal: [aside, upward],
            feature: R::pick(on_base, half.all(2.0), R::pick(at_corner, corner, zero)),
        }
    }
}

/// A ball (B) beside a placed solid (A) whose axis is the second one of its frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball<R> {
    /// Unit, in the world.
    axis: Real3<R>,
    /// To the ball's centre from the axis.
    sideways: Real3<R>,
    /// How far that is, and how high the centre lies.
    pub(crate) place: [R; 2],
}

impl<R: Real> Ball<R> {
    /// - Error: the axis is within 2^-49, and so are the lengths as a share of the distance between
    ///   the two positions.
    #[inline(always)]
    pub(crate) fn new(a: &Placed<R>, b: &Placed<R>) -> Self {
        let axis = Turn::second(a.rotation);
        let between = b.position - a.position;
        let height = axis.dot(between);
        let sideways = between - axis * height;
        Self { axis, sideways, place: [sideways.dot(sideways).sqrt(), height] }
    }

    /// The common case: a solid with an inside, a centre off the axis, touch out of reach of
    /// rounding. `sizes` are the solid's lengths.
    #[inline(always)]
    pub(crate) fn witness(
        &self,
        profile: &Profile<R>,
        b: &Placed<R>,
        [half, radius]: [R; 2],
    ) -> Witness<R> {
        let Self { axis, sideways, place: [out, height] } = *self;
        let (zero, reach) = (out.all(0.0), b.numbers[0]);
        let size = (half + radius + reach) + (out + height.abs());
        let distance = profile.distance - reach;
        let certain = distance.abs().above((size + size) * out.all(tolerance::FRAME))
            & out.above(zero)
            & half.above(zero)
            & radius.above(zero);
        let [aside, up] = profile.normal;
        let normal = sideways * (aside / out) + axis * up;
        Witness::at_ball(certain, distance, normal, (b.position, reach), profile.feature)
    }
}
