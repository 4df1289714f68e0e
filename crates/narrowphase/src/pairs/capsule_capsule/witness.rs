//! The common case of two capsules, written once for one pair and for eight.

use impinge_shapes::Capsule;

use super::both;
use crate::pairs::capsule_sphere::cap;
use crate::real::{Mask, Placed, Real, Real3, Turn};
use crate::tolerance;
use crate::witness::{One, Round, Sides, Witness, room};

/// The common case: cores with lengths, not nearly parallel, clear of each other, touch out of
/// reach of rounding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CapsuleCapsule;

/// Two cores in world axes, from A's position.
#[derive(Clone, Copy)]
struct Lines<R> {
    /// From A's start to B's.
    offset: Real3<R>,
    along_a: Real3<R>,
    along_b: Real3<R>,
    square_a: R,
    square_b: R,
}

/// The nearest points of two lines: parameters, the vector between them, and the one that gives
/// the normal.
#[derive(Clone, Copy)]
struct Meeting<R> {
    s: R,
    t: R,
    between: Real3<R>,
    direction: Real3<R>,
}

impl<R: Real> Lines<R> {
    /// The place nearest to A's end `s`.
    #[inline(always)]
    fn beside_a(&self, s: R) -> Meeting<R> {
        let start = self.offset - self.along_a * s;
        let t = (-start.dot(self.along_b) / self.square_b).to_share();
        let between = start + self.along_b * t;
        let between = clear_of(between, self.along_b, self.square_b, t);
        Meeting { s, t, between, direction: between }
    }

    /// The place nearest to B's end `t`.
    #[inline(always)]
    fn beside_b(&self, t: R) -> Meeting<R> {
        let start = self.offset + self.along_b * t;
        let s = (start.dot(self.along_a) / self.square_a).to_share();
        let between = start - self.along_a * s;
        let between = clear_of(between, self.along_a, self.square_a, s);
        Meeting { s, t, between, direction: between }
    }

    /// Where the two are nearest if not between their ends, which is where the inner solution
    /// (`s`, `t`) lies beyond one: see [`segment::nearest`].
    #[inline(always)]
    fn at_ends(&self, s: R, t: R) -> Meeting<R> {
        let (one, other) = (self.beside_a(nearer_end(s)), self.beside_b(nearer_end(t)));
        let square = other.between.dot(other.between);
        let first = one.between.dot(one.between).at_most(square);
        Meeting::pick(beyond(s) & (!beyond(t) | first), one, other)
    }
}

impl<R: Real> Meeting<R> {
    #[inline(always)]
    fn pick(mask: R::Mask, yes: Self, no: Self) -> Self {
        Self {
            s: R::pick(mask, yes.s, no.s),
            t: R::pick(mask, yes.t, no.t),
            between: Real3::pick(mask, yes.between, no.between),
            direction: Real3::pick(mask, yes.direction, no.direction),
        }
    }
}

/// Whether a parameter lies beyond the ends.
#[inline(always)]
pub(super) fn beyond<R: Real>(share: R) -> R::Mask {
    share.below(share.all(0.0)) | share.above(share.all(1.0))
}

/// The end on whose side a parameter lies.
#[inline(always)]
pub(super) fn nearer_end<R: Real>(share: R) -> R {
    R::pick(share.above(share.all(0.5)), share.all(1.0), share.all(0.0))
}

/// The vector to a core's inside made perpendicular to it, which it is but for rounding; a short
/// one shows that the more.
#[inline(always)]
fn clear_of<R: Real>(between: Real3<R>, along: Real3<R>, square: R, share: R) -> Real3<R> {
    let (zero, one) = (share.all(0.0), share.all(1.0));
    let inner = share.above(zero) & share.below(one);
    between - along * R::pick(inner, between.dot(along) / square, zero)
}

room!(CapsuleCapsule, Capsule, Capsule);

impl Round for CapsuleCapsule {
    const IN_TWOS: [bool; 2] = [true, false];

    #[inline(always)]
    fn witness_of_one(a: &One<'_, Capsule>, b: &One<'_, Capsule>) -> Witness<f64> {
        both::witness(a, b)
    }

    #[inline(always)]
    fn sides_of_one(a: &One<'_, Capsule>, b: &One<'_, Capsule>) -> Sides<bool> {
        Sides::of(&both::witness(a, b))
    }

    #[inline(always)]
    fn witness<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Witness<R> {
        let (first_a, second_a, radius_a) = (a.vector(0), a.vector(3), a.numbers[6]);
        let (first_b, second_b) = (b.vector(0), b.vector(3));
        let (zero, one) = (radius_a.all(0.0), radius_a.all(1.0));
        let reach = radius_a + b.numbers[6];
        let arm = b.position - a.position;
        let [start, along_a] = Turn::apply_twice(a.rotation, first_a, second_a - first_a);
        let [start_b, along_b] = Turn::apply_twice(b.rotation, first_b, second_b - first_b);
        let lines = Lines {
            offset: (arm + start_b) - start,
            along_a,
            along_b,
            square_a: along_a.dot(along_a),
            square_b: along_b.dot(along_b),
        };
        let size = (first_a.sum_abs() + second_a.sum_abs())
            + (first_b.sum_abs() + second_b.sum_abs())
            + arm.sum_abs()
            + reach;
        let noise = size * one.all(tolerance::FRAME);
        let cross = along_a.cross(along_b);
        let square = cross.dot(cross);
        let sine = tolerance::SIDE_BY_SIDE_SINE;
        let slanted = square.above(one.all(sine * sine) * lines.square_a * lines.square_b);
        let scaled = cross * (one / square);
        let s = lines.offset.cross(along_b).dot(scaled);
        let t = lines.offset.cross(along_a).dot(scaled);
        let inner = !(beyond(s) | beyond(t));
        let between = lines.offset + along_b * t - along_a * s;
        let side = R::pick(between.dot(cross).below(zero), -one, one);
        let mut found = Meeting { s, t, between, direction: cross * side };
        if (!inner).any() {
            found = Meeting::pick(inner, found, lines.at_ends(s, t));
        }
        let length = found.direction.dot(found.direction).sqrt();
        let normal = found.direction * (one / length);
        let height = found.between.dot(normal);
        let distance = height - reach;
        let certain = distance.abs().above(noise) & height.above(noise) & slanted;
        let point_a = a.position + (start + along_a * found.s + normal * radius_a);
        Witness {
            certain,
            single: certain,
            distance,
            normal,
            point_a,
            point_b: point_a + normal * distance,
            feature: one.all(3.0) * cap(found.s) + cap(found.t),
        }
    }
}
