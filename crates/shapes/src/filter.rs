//! Filtered evaluation: one polynomial, first in f64 with a bound on its error, then in f64 that knows
//! what was rounded, then exactly.
//!
//! A predicate is written once, over [`Number`]. With [`Approx`] it is fast and may answer `None`,
//! "rounding hides it", with [`Tracked`](crate::tracked::Tracked) it tells what is zero without any
//! rounding, and with [`Exact`] it always answers.
//! `f::<Approx>().or_else(f::<Tracked>).or_else(f::<Exact>)` is the whole pattern.

use std::cmp::Ordering;

use glam::{DVec3, Quat, Vec3};

use crate::exact::Exact;
use crate::tolerance;

/// What a polynomial is evaluated in.
pub(crate) trait Number: Clone {
    /// Zero.
    const ZERO: Self;
    /// A finite f64, taken exactly.
    fn new(x: f64) -> Self;
    /// The difference of two finite f32 numbers.
    fn difference(a: f32, b: f32) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    fn negated(&self) -> Self;
    fn magnitude(&self) -> Self;
    /// Comparison with zero, `None` where rounding hides it.
    fn known_sign(&self) -> Option<Ordering>;
    /// The number in f64, off by at most [`Number::error`].
    fn value(&self) -> f64;
    /// Bound on the error of [`Number::value`].
    fn error(&self) -> f64;

    fn squared(&self) -> Self {
        self.times(self)
    }

    /// Comparison with another number.
    fn compared(&self, other: &Self) -> Option<Ordering> {
        self.minus(other).known_sign()
    }

    /// Whether `self ≤ other`.
    fn at_most(&self, other: &Self) -> Option<bool> {
        Some(self.compared(other)? != Ordering::Greater)
    }
}

/// A value in f64 and its magnitude: the same expression with every term made positive.
///
/// - Error: the value is off by at most `magnitude · `[`tolerance::FILTER`].
/// - Source: Shewchuk, *Adaptive Precision Floating-Point Arithmetic* (1997), §4, on filters
///   whose bound is relative to the permanent of the expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Approx {
    value: f64,
    magnitude: f64,
}

impl Approx {
    /// Least magnitude of a product that is not zero: 2^-900.
    ///
    /// What an f64 loses by underflow, 2^-1074, is far below a rounding of this. A magnitude of
    /// zero therefore means a zero that is no artefact.
    pub(crate) const LEAST: f64 = f64::from_bits((1023 - 900) << 52);

    /// A value that was rounded before: it is off by no more than some roundings of `magnitude`,
    /// which count towards those that [`tolerance::FILTER`] allows.
    #[inline(always)]
    pub(crate) fn rounded(value: f64, magnitude: f64) -> Self {
        Self { value, magnitude }
    }
}

impl Number for Approx {
    const ZERO: Self = Self { value: 0.0, magnitude: 0.0 };

    #[inline(always)]
    fn new(value: f64) -> Self {
        Self { value, magnitude: value.abs() }
    }

    #[inline(always)]
    fn difference(a: f32, b: f32) -> Self {
        // Rounded once, relative to the difference itself, which is what makes the filter work
        // far from the world's origin.
        Self::new(f64::from(a) - f64::from(b))
    }

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        Self { value: self.value + other.value, magnitude: self.magnitude + other.magnitude }
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        Self { value: self.value - other.value, magnitude: self.magnitude + other.magnitude }
    }

    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        let zero = self.magnitude <= 0.0 || other.magnitude <= 0.0;
        let least = if zero { 0.0 } else { Self::LEAST };
        let magnitude = self.magnitude * other.magnitude;
        // Not `max`, which would replace the NaN of zero times an overflow.
        let magnitude = if magnitude < least { least } else { magnitude };
        Self { value: self.value * other.value, magnitude }
    }

    #[inline(always)]
    fn negated(&self) -> Self {
        Self { value: -self.value, magnitude: self.magnitude }
    }

    #[inline(always)]
    fn magnitude(&self) -> Self {
        Self { value: self.value.abs(), magnitude: self.magnitude }
    }

    #[inline(always)]
    fn known_sign(&self) -> Option<Ordering> {
        // An overflow makes the bound infinite, or the comparison false by a NaN: undecided.
        if self.value.abs() > self.error() {
            return Some(if self.value > 0.0 { Ordering::Greater } else { Ordering::Less });
        }
        (self.magnitude <= 0.0).then_some(Ordering::Equal)
    }

    #[inline(always)]
    fn value(&self) -> f64 {
        self.value
    }

    #[inline(always)]
    fn error(&self) -> f64 {
        self.magnitude * tolerance::FILTER
    }
}

impl Number for Exact {
    const ZERO: Self = Self::ZERO;

    fn new(x: f64) -> Self {
        Self::from(x)
    }

    fn difference(a: f32, b: f32) -> Self {
        Self::from(a) - Self::from(b)
    }

    fn plus(&self, other: &Self) -> Self {
        self.plus(other)
    }

    fn minus(&self, other: &Self) -> Self {
        self.minus(other)
    }

    fn times(&self, other: &Self) -> Self {
        self.times(other)
    }

    fn negated(&self) -> Self {
        self.negated()
    }

    fn magnitude(&self) -> Self {
        self.abs()
    }

    fn known_sign(&self) -> Option<Ordering> {
        Some(self.sign())
    }

    fn value(&self) -> f64 {
        self.to_f64()
    }

    fn error(&self) -> f64 {
        self.to_f64().abs() * f64::EPSILON
    }
}

/// Three numbers.
#[derive(Clone, Debug)]
pub(crate) struct Vector<N>(pub(crate) [N; 3]);

impl<N: Number> Vector<N> {
    #[inline]
    pub(crate) fn new(v: Vec3) -> Self {
        Self(v.to_array().map(|x| N::new(x.into())))
    }

    /// From one point to another.
    #[inline]
    pub(crate) fn between(from: Vec3, to: Vec3) -> Self {
        Self(std::array::from_fn(|i| N::difference(to[i], from[i])))
    }

    #[inline]
    pub(crate) fn dot(&self, other: &Self) -> N {
        let [x, y, z] = std::array::from_fn(|i| self.0[i].times(&other.0[i]));
        x.plus(&y).plus(&z)
    }

    #[inline]
    pub(crate) fn length_squared(&self) -> N {
        self.dot(self)
    }

    #[inline]
    pub(crate) fn cross(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            self.0[j].times(&other.0[k]).minus(&self.0[k].times(&other.0[j]))
        }))
    }

    #[inline]
    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].plus(&other.0[i])))
    }

    #[inline]
    pub(crate) fn minus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].minus(&other.0[i])))
    }

    #[inline]
    pub(crate) fn scaled(&self, factor: &N) -> Self {
        Self(std::array::from_fn(|i| self.0[i].times(factor)))
    }

    /// The vector in f64.
    #[inline]
    pub(crate) fn value(&self) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|i| self.0[i].value()))
    }

    /// Bound on the length of the error of [`Vector::value`].
    #[inline]
    pub(crate) fn error(&self) -> f64 {
        self.0[0].error() + self.0[1].error() + self.0[2].error()
    }
}

/// `s · R(q)` for some positive number `s`, the `norm`: polynomials in the quaternion.
#[derive(Clone, Debug)]
pub(crate) struct Rotation<N> {
    pub(crate) columns: [Vector<N>; 3],
    pub(crate) norm: N,
}

impl<N: Number> Rotation<N> {
    /// The rotation of a quaternion that is not zero, scaled first by a power of two, so that no
    /// polynomial overflows for quaternions far from unit length.
    #[inline]
    pub(crate) fn new(q: Quat) -> Self {
        Self::from_components(normal_components(q).map(N::new))
    }

    /// The rotation with `norm = |q|²`.
    #[inline]
    pub(crate) fn from_components([x, y, z, w]: [N; 4]) -> Self {
        let (xx, yy, zz, ww) = (x.squared(), y.squared(), z.squared(), w.squared());
        let diagonal = |own: &N, b: &N, c: &N| ww.plus(own).minus(&b.plus(c));
        let (xy, xz, yz) = (x.times(&y), x.times(&z), y.times(&z));
        let (wx, wy, wz) = (w.times(&x), w.times(&y), w.times(&z));
        let twice = |a: N| a.plus(&a);
        let plus = |a: &N, b: &N| twice(a.plus(b));
        let minus = |a: &N, b: &N| twice(a.minus(b));
        Self {
            columns: [
                Vector([diagonal(&xx, &yy, &zz), plus(&xy, &wz), minus(&xz, &wy)]),
                Vector([minus(&xy, &wz), diagonal(&yy, &xx, &zz), plus(&yz, &wx)]),
                Vector([plus(&xz, &wy), minus(&yz, &wx), diagonal(&zz, &xx, &yy)]),
            ],
            norm: xx.plus(&yy).plus(&zz.plus(&ww)),
        }
    }

    /// `norm · R · v`.
    #[inline]
    pub(crate) fn rotate(&self, v: &Vector<N>) -> Vector<N> {
        let [a, b, c] = std::array::from_fn(|i| self.columns[i].scaled(&v.0[i]));
        a.plus(&b).plus(&c)
    }

    /// `norm · Rᵀ · v`.
    #[inline]
    pub(crate) fn unrotate(&self, v: &Vector<N>) -> Vector<N> {
        Vector(std::array::from_fn(|i| self.columns[i].dot(v)))
    }
}

/// A quaternion times the power of two that makes its largest component one at least, and less than
/// two.
#[inline]
pub(crate) fn normal_components(q: Quat) -> [f64; 4] {
    let q = q.to_array().map(f64::from);
    let largest = q.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    // 2^-e of the largest component m · 2^e: an f32 is a normal number in f64, so its
    // exponent field is between 1 and 2045.
    let exponent = (largest.to_bits() >> 52).clamp(1, 2045);
    let scale = f64::from_bits((2046 - exponent) << 52);
    q.map(|x| x * scale)
}

/// `numerator / denominator` of a denominator that is not zero; `None` where the error exceeds
/// [`tolerance::REPORTED`].
#[inline]
pub(crate) fn quotient<N: Number>(numerator: &N, denominator: &N) -> Option<f64> {
    quotient_within(numerator, denominator, tolerance::REPORTED)
}

/// [`quotient`] with another bound of its relative error, beside that of the division.
#[inline]
pub(crate) fn quotient_within<N: Number>(
    numerator: &N,
    denominator: &N,
    bound: f64,
) -> Option<f64> {
    let quotient = numerator.value() / denominator.value();
    let error = numerator.error() + quotient.abs() * denominator.error();
    let room = denominator.value().abs() - denominator.error();
    (error <= quotient.abs() * room * bound).then_some(quotient)
}

/// Square root in f64 of a number that is not negative, and a bound on its error.
///
/// - Derivation: `|√x - √y| = |x - y| / (√x + √y)`, which is at most `|x - y| / √x` and at most
///   `√|x - y|`.
#[inline]
pub(crate) fn square_root<N: Number>(x: &N) -> (f64, f64) {
    let (root, error) = (x.value().max(0.0).sqrt(), x.error());
    let bound = if root * root > error { error / root } else { (2.0 * error).sqrt() };
    (root, bound + root * f64::EPSILON)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_hides_a_sign_and_exact_arithmetic_finds_it() {
        fn sum<N: Number>() -> Option<Ordering> {
            let (one, tiny) = (N::new(1.0), N::new(1e-30));
            one.plus(&tiny).minus(&one).known_sign()
        }
        assert_eq!(sum::<Approx>(), None);
        assert_eq!(sum::<Exact>(), Some(Ordering::Greater));
    }

    #[test]
    fn underflow_and_overflow_decide_nothing() {
        let tiny = Approx::new(1e-200);
        assert_eq!(tiny.times(&tiny).known_sign(), None);
        let huge = Approx::new(1e200);
        assert_eq!(huge.times(&huge).known_sign(), None);
        assert_eq!(tiny.times(&Approx::ZERO).known_sign(), Some(Ordering::Equal));
    }

    #[test]
    fn the_bound_holds_the_exact_value() {
        let mut seed = 1_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f64::from(u32::try_from(seed >> 32).unwrap()) / 65536.0 - 32768.0
        };
        for round in 0..1000 {
            let (a, b, c) = (next(), next() * 1e-9, next());
            let y = Approx::new(a).times(&Approx::new(b)).plus(&Approx::new(c));
            let y = y.squared().minus(&Approx::new(a));
            let exact =
                (Exact::from(a) * Exact::from(b) + Exact::from(c)).square() - Exact::from(a);
            let off = (exact - Exact::from(y.value())).abs();
            assert!(off <= Exact::from(y.error()), "round {round}");
        }
    }

    #[test]
    fn quaternions_of_any_length_rotate_alike() {
        for scale in [1e-44_f32, 1e-20, 1.0, 1e38] {
            let rotation = Rotation::<Exact>::new(Quat::from_xyzw(0.0, 0.0, scale, scale));
            let turned = rotation.rotate(&Vector::new(Vec3::X));
            assert_eq!(turned.0[1], rotation.norm);
            assert_eq!(turned.0[0], Exact::ZERO);
        }
    }
}
