//! Numbers in f64 that know how far they may be off, and that they are not where nothing was
//! rounded.
//!
//! Where bodies rest on each other, what is zero is mostly zero without any rounding: coordinates
//! are equal, directions lie along an axis. Between the filter, which takes every zero for a
//! rounding, and exact arithmetic, these numbers tell such zeros from what merely is small.

use std::cmp::Ordering;

use crate::exact::Exact;
use crate::filter::{Approx, Number};
use crate::round;

/// A value, and a bound of its error: zero where it is exact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tracked {
    value: f64,
    error: f64,
}

impl Tracked {
    /// Half an ulp of 1.
    const ROUNDING: f64 = 0.5 * f64::EPSILON;

    /// The number, exactly where it is an f64 one.
    #[inline]
    pub(crate) fn of(x: &Exact) -> Self {
        x.as_f64().map_or_else(
            || {
                let value = x.to_f64();
                Self::off(value, value.abs() * f64::EPSILON)
            },
            Self::new,
        )
    }

    /// `count · 2^last`.
    #[inline]
    pub(crate) fn of_steps(count: i128, last: i64) -> Self {
        let biased = u64::try_from(last + 1023).ok().filter(|biased| (100..1900).contains(biased));
        let Some(biased) = biased else { return Self::of(&Exact::of_steps(count, last)) };
        let value = count as f64 * f64::from_bits(biased << 52);
        let magnitude = count.unsigned_abs();
        let digits = magnitude.leading_zeros() + magnitude.trailing_zeros();
        if digits + 53 >= 128 {
            return Self::new(value);
        }
        Self::off(value, value.abs() * Self::ROUNDING)
    }

    /// With a bound that is itself rounded a few times, and with more room than underflow takes.
    #[inline]
    fn off(value: f64, error: f64) -> Self {
        Self { value, error: error * (1.0 + 8.0 * f64::EPSILON) + Approx::LEAST }
    }

    #[inline]
    pub(crate) fn is_exact(&self) -> bool {
        self.error <= 0.0
    }

    #[inline]
    fn is_zero(&self) -> bool {
        self.value.abs() + self.error <= 0.0
    }

    #[inline]
    fn sum(&self, other: f64, error: f64) -> Self {
        let (value, rounding) = round::two_sum(self.value, other);
        let errors = self.error + error;
        if errors + rounding.abs() <= 0.0 {
            return Self { value, error: 0.0 };
        }
        Self::off(value, errors + rounding.abs())
    }
}

/// Whether the product of two f64 numbers is one, as far as the count of their digits tells.
#[inline]
fn is_short(a: f64, b: f64, product: f64) -> bool {
    let zeros = |x: f64| (x.to_bits() | 1 << 52).trailing_zeros();
    let is_normal = (Approx::LEAST..f64::INFINITY).contains(&product.abs());
    is_normal & (zeros(a) + zeros(b) >= 53)
}

impl Number for Tracked {
    const ZERO: Self = Self { value: 0.0, error: 0.0 };

    #[inline]
    fn new(value: f64) -> Self {
        Self { value, error: 0.0 }
    }

    #[inline]
    fn difference(a: f32, b: f32) -> Self {
        Self::new(a.into()).sum(-f64::from(b), 0.0)
    }

    #[inline]
    fn plus(&self, other: &Self) -> Self {
        self.sum(other.value, other.error)
    }

    #[inline]
    fn minus(&self, other: &Self) -> Self {
        self.sum(-other.value, other.error)
    }

    #[inline]
    fn times(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::ZERO;
        }
        let value = self.value * other.value;
        let is_exact = self.is_exact() & other.is_exact();
        if is_exact & is_short(self.value, other.value, value) {
            return Self { value, error: 0.0 };
        }
        let errors = self.value.abs() * other.error
            + other.value.abs() * self.error
            + self.error * other.error;
        Self::off(value, errors + value.abs() * Self::ROUNDING)
    }

    #[inline]
    fn negated(&self) -> Self {
        Self { value: -self.value, ..*self }
    }

    #[inline]
    fn magnitude(&self) -> Self {
        Self { value: self.value.abs(), ..*self }
    }

    #[inline]
    fn known_sign(&self) -> Option<Ordering> {
        // No number is not more than anything.
        if self.value.abs() > self.error {
            return Some(if self.value > 0.0 { Ordering::Greater } else { Ordering::Less });
        }
        self.is_zero().then_some(Ordering::Equal)
    }

    #[inline]
    fn value(&self) -> f64 {
        self.value
    }

    #[inline]
    fn error(&self) -> f64 {
        self.error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums and products of what a lattice, a scene or nobody would have, beside exact ones.
    #[test]
    fn errors_are_bounded_and_what_is_known_is_true() {
        let mut state = 5_u64;
        let mut bits = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state >> 16
        };
        let (mut exact, mut known, mut open, mut zeros) = (0, 0, 0, 0);
        for round in 0..40_000 {
            let mut pair = || {
                let whole = i32::try_from(bits() % 17).unwrap() - 8;
                let power = i32::try_from(bits() % 9).unwrap() - 4;
                let power = if round % 100 == 0 { power * 120 } else { power };
                let digits = [f64::from(whole), whole as f32 as f64 / 3.0, f64::from(whole) / 7.0];
                let x = digits[usize::try_from(bits() % 3).unwrap()] * 2.0_f64.powi(power);
                (Tracked::new(x), Exact::from(x))
            };
            let (mut x, mut y) = pair();
            for _ in 0..8 {
                let (a, b) = pair();
                // A difference with itself now and then, so that zeros come up.
                let (a, b) = if a.value > 5.0 { (x, y.clone()) } else { (a, b) };
                (x, y) = match a.value {
                    v if v < -1.0 => (x.times(&a), y.times(&b)),
                    v if v < 0.5 => (x.plus(&a), y.plus(&b)),
                    _ => (x.minus(&a), y.minus(&b)),
                };
                if !x.error.is_finite() {
                    assert_eq!(x.known_sign(), None);
                    break;
                }
                let off = y.minus(&Exact::from(x.value)).abs();
                assert!(off <= Exact::from(x.error), "{round}: {x:?} {}", y.to_f64());
                assert!(x.known_sign().is_none_or(|sign| sign == y.sign()), "{round}: {x:?}");
                exact += u32::from(x.is_exact());
                known += u32::from(x.known_sign().is_some());
                open += u32::from(x.known_sign().is_none());
                zeros += u32::from(x.known_sign() == Some(Ordering::Equal));
                let told = Tracked::of(&y);
                let off = y.minus(&Exact::from(told.value)).abs();
                assert!(off <= Exact::from(told.error), "{round}: {told:?} {}", y.to_f64());
                assert_eq!(y.as_f64().is_some(), told.is_exact(), "{round}: {told:?}");
            }
        }
        assert!(exact > 40_000 && known > 200_000, "{exact} {known}");
        assert!(open > 5_000 && zeros > 5_000, "{open} {zeros}");
    }

    #[test]
    fn what_overflows_is_open() {
        let large = Tracked::new(1e300);
        assert_eq!(large.times(&large).known_sign(), None);
        let infinite = large.times(&large);
        assert_eq!(infinite.minus(&infinite).known_sign(), None);
        assert_eq!(infinite.times(&Tracked::ZERO).known_sign(), Some(Ordering::Equal));
        let small = Tracked::new(1e-300);
        assert_eq!(small.times(&small).known_sign(), None);
        assert_eq!(small.minus(&small).known_sign(), Some(Ordering::Equal));
    }
}
