//! The only places where f64 becomes f32.
//!
//! Computations run in f64 and are rounded once. Which way is part of each
//! answer's meaning: reported numbers to nearest, bounds outward.

use glam::{DVec3, Vec3};

/// Nearest f32, saturating at the largest finite value.
///
/// - Degenerate: infinities stay infinite, so that "unbounded" survives.
#[must_use]
#[inline]
pub fn nearest(x: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "the one rounding of the result")]
    let y = x as f32;
    if y.is_infinite() && x.is_finite() { f32::MAX.copysign(y) } else { y }
}

/// Largest f32 that is not above `x`.
#[must_use]
#[inline]
pub fn down(x: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "corrected below to round downward")]
    let y = x as f32;
    // Every other number is above, which nobody can guess: a step on the line of all numbers
    // instead of a branch. A positive zero is never above, as numbers below zero keep their sign.
    let bits = y.to_bits().cast_signed();
    let line = |bits: i32| bits ^ (bits >> 31 & i32::MAX);
    f32::from_bits(line(line(bits) - i32::from(f64::from(y) > x)).cast_unsigned())
}

/// Smallest f32 that is not below `x`.
#[must_use]
#[inline]
pub fn up(x: f64) -> f32 {
    -down(-x)
}

/// [`nearest`] of each component.
#[must_use]
#[inline]
pub fn nearest_vec(v: DVec3) -> Vec3 {
    Vec3::new(nearest(v.x), nearest(v.y), nearest(v.z))
}

/// [`nearest`] of each number.
#[must_use]
#[inline]
pub fn nearest_array<const N: usize>(values: [f64; N]) -> [f32; N] {
    // Not by `map`, whose closure may stay out of line.
    let mut rounded = [0.0; N];
    for (y, x) in rounded.iter_mut().zip(&values) {
        #[expect(clippy::cast_possible_truncation, reason = "the one rounding of the results")]
        let nearest = *x as f32;
        *y = nearest;
    }
    // One test for all instead of one for each, without branches, so that it goes side by side.
    let finite = rounded.iter().fold(true, |finite, y| finite & y.is_finite());
    if finite { rounded } else { values.map(nearest) }
}

/// Nearest f32 numbers, infinite for what is beyond the largest one.
#[must_use]
#[inline]
pub(crate) fn nearest_unbounded(v: DVec3) -> Vec3 {
    v.as_vec3()
}

/// The nearest whole number; the nearest i16 for what is beyond those.
#[must_use]
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the nearest one is asked for")]
pub(crate) fn to_units(x: f64) -> i16 {
    x.round_ties_even() as i16
}

/// A sum and its rounding error: the two add up to `a + b` exactly, unless it overflows.
///
/// - Source: Knuth's two-sum (Shewchuk, *Adaptive Precision*, 1997, theorem 7).
#[must_use]
#[inline]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let from_b = sum - a;
    (sum, (a - (sum - from_b)) + (b - from_b))
}

/// Largest f64 that is known not to be above the exact sum `a + b`.
#[must_use]
#[inline]
pub fn add_down(a: f64, b: f64) -> f64 {
    // The sign of the error tells which way the sum was rounded, which nobody can guess: a step as
    // in `down`. A sum that is zero or infinite has no error.
    let (sum, error) = two_sum(a, b);
    let line = |bits: i64| bits ^ (bits >> 63 & i64::MAX);
    let bits = line(sum.to_bits().cast_signed()) - i64::from(error < 0.0);
    f64::from_bits(line(bits).cast_unsigned())
}

/// Smallest f64 that is known not to be below the exact sum `a + b`.
#[must_use]
#[inline]
pub fn add_up(a: f64, b: f64) -> f64 {
    -add_down(-a, -b)
}

/// Lower bound in f32 of the exact sum `a + b` of two f64 values.
#[must_use]
#[inline]
pub fn sum_down(a: f64, b: f64) -> f32 {
    // An f64 that lies above the exact sum is stepped down before it is rounded.
    down(add_down(a, b))
}

/// Upper bound in f32 of the exact sum `a + b` of two f64 values.
#[must_use]
#[inline]
pub fn sum_up(a: f64, b: f64) -> f32 {
    -sum_down(-a, -b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directed_rounding_brackets_the_value() {
        for x in [0.1_f64, -0.1, 1.0, 1.0 + 1e-12, -1.0 - 1e-12, 1e300, -1e300, 5e-324, 0.0] {
            assert!(f64::from(down(x)) <= x, "{x}");
            assert!(f64::from(up(x)) >= x, "{x}");
        }
        assert_eq!(down(1.0).to_bits(), 1.0_f32.to_bits());
        assert_eq!(up(1.0).to_bits(), 1.0_f32.to_bits());
    }

    #[test]
    fn a_sum_is_stepped_down_where_it_was_rounded_up() {
        let least = f64::from_bits(1);
        let ends = [f64::MAX, f64::MIN_POSITIVE, least, 1.0, 0.1, 1e-17, 0.0, f64::INFINITY];
        let all: Vec<f64> = ends.into_iter().flat_map(|x| [x, -x, x * 0.7, x * -1.3]).collect();
        let (mut stepped, mut exact) = (0, 0);
        for &a in &all {
            for &b in &all {
                let (sum, error) = two_sum(a, b);
                let expected = if error < 0.0 { sum.next_down() } else { sum };
                let found = add_down(a, b);
                assert!(found.to_bits() == expected.to_bits() || sum.is_nan(), "{a:e} {b:e}");
                stepped += usize::from(error < 0.0);
                exact += usize::from(error >= 0.0);
            }
        }
        assert!(stepped > 20 && exact > 20, "{stepped} {exact}");
    }

    #[test]
    fn a_step_down_is_that_of_the_numbers() {
        let ends = [f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1), 1.0, 0.0, f32::INFINITY];
        for x in ends.into_iter().flat_map(|x| [x, -x, x.next_up(), -x.next_up()]) {
            assert_eq!(down(x.into()).to_bits(), x.to_bits(), "{x:?}");
            for beside in [f64::from(x).next_down(), f64::from(x).next_up()] {
                #[expect(clippy::cast_possible_truncation, reason = "as the function does")]
                let near = beside as f32;
                let expected = if f64::from(near) > beside { near.next_down() } else { near };
                assert_eq!(down(beside).to_bits(), expected.to_bits(), "{beside:?}");
            }
        }
        assert!(down(f64::NAN).is_nan() && down(-f64::NAN).is_nan());
    }

    #[test]
    fn nearest_saturates_finite_values_only() {
        assert_eq!(nearest(1e300).to_bits(), f32::MAX.to_bits());
        assert_eq!(nearest(-1e300).to_bits(), (-f32::MAX).to_bits());
        assert!(nearest(f64::INFINITY).is_infinite());
    }

    #[test]
    fn arrays_round_as_their_numbers() {
        for x in [0.1_f64, -1e300, f64::INFINITY, -0.0, 1e-60] {
            let all = nearest_array([1.5, x, -2.5]);
            assert_eq!(all.map(f32::to_bits), [1.5, nearest(x), -2.5].map(f32::to_bits));
        }
        assert!(nearest_array([f64::NAN, 1.0])[0].is_nan());
    }

    #[test]
    fn sums_round_outward_only_when_inexact() {
        assert_eq!(sum_down(1.0, 2.0).to_bits(), 3.0_f32.to_bits());
        assert_eq!(sum_up(1.0, 2.0).to_bits(), 3.0_f32.to_bits());
        // 1 + 1e-30 is 1 in f64; the exact sum lies just above it.
        assert_eq!(sum_down(1.0, 1e-30).to_bits(), 1.0_f32.to_bits());
        assert!(sum_up(1.0, 1e-30) > 1.0);
    }
}
