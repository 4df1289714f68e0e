//! Two blocks in one pass: while one waits for a quotient or a root, the other goes on.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use crate::real::{Mask, Placed, Real, Real3};
use crate::witness::Witness;

/// A number of one block and of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Two<T>(T, T);

/// Implements an operator of two numbers.
macro_rules! operator {
    ($($trait:ident, $name:ident, $bound:ident;)*) => {$(
        impl<T: $bound> $trait for Two<T> {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self($trait::$name(self.0, other.0), $trait::$name(self.1, other.1))
            }
        }
    )*};
}
operator! {
    Add, add, Real;
    Sub, sub, Real;
    Mul, mul, Real;
    Div, div, Real;
    BitAnd, bitand, Mask;
    BitOr, bitor, Mask;
}

impl<R: Real> Neg for Two<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl<M: Mask> Not for Two<M> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0, !self.1)
    }
}

impl<M: Mask> Mask for Two<M> {
    #[inline(always)]
    fn any(self) -> bool {
        (self.0 | self.1).any()
    }
}

impl<R: Real> Real for Two<R> {
    type Mask = Two<R::Mask>;

    #[inline(always)]
    fn all(self, value: f64) -> Self {
        Self(self.0.all(value), self.1.all(value))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs(), self.1.abs())
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt(), self.1.sqrt())
    }

    #[inline(always)]
    fn below(self, other: Self) -> Self::Mask {
        Two(self.0.below(other.0), self.1.below(other.1))
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> Self::Mask {
        Two(self.0.at_most(other.0), self.1.at_most(other.1))
    }

    #[inline(always)]
    fn pick(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(R::pick(mask.0, yes.0, no.0), R::pick(mask.1, yes.1, no.1))
    }
}

impl<R: Real> Two<R> {
    #[inline(always)]
    fn vectors(one: Real3<R>, other: Real3<R>) -> Real3<Self> {
        Real3 { x: Self(one.x, other.x), y: Self(one.y, other.y), z: Self(one.z, other.z) }
    }

    /// Shapes of one block and of another.
    #[inline(always)]
    pub(super) fn placed(one: &Placed<R>, other: &Placed<R>) -> Placed<Self> {
        let two = |p: R, q: R| Self(p, q);
        let ([a, b, c, d], [e, f, g, h]) = (one.rotation, other.rotation);
        let ([i, j, k, l, m, n, o], [p, q, r, s, t, u, v]) = (one.numbers, other.numbers);
        Placed {
            position: Self::vectors(one.position, other.position),
            rotation: [two(a, e), two(b, f), two(c, g), two(d, h)],
            numbers: [two(i, p), two(j, q), two(k, r), two(l, s), two(m, t), two(n, u), two(o, v)],
        }
    }
}

impl<R: Real> Witness<Two<R>> {
    /// The answers of one block and of the other.
    #[inline(always)]
    pub(super) fn parted(&self) -> [Witness<R>; 2] {
        let Self { certain, single, distance, normal, point_a, point_b, feature } = *self;
        let one = |v: Real3<Two<R>>| Real3 { x: v.x.0, y: v.y.0, z: v.z.0 };
        let other = |v: Real3<Two<R>>| Real3 { x: v.x.1, y: v.y.1, z: v.z.1 };
        [
            Witness {
                certain: certain.0,
                single: single.0,
                distance: distance.0,
                normal: one(normal),
                point_a: one(point_a),
                point_b: one(point_b),
                feature: feature.0,
            },
            Witness {
                certain: certain.1,
                single: single.1,
                distance: distance.1,
                normal: other(normal),
                point_a: other(point_a),
                point_b: other(point_b),
                feature: feature.1,
            },
        ]
    }
}
