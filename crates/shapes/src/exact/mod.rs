//! Exact arithmetic on f32 and f64 numbers, for the signs that rounding cannot decide.
//!
//! A predicate is the sign of a polynomial in its inputs. It is evaluated in f64 first; where the
//! value is smaller than its error bound, the same polynomial is evaluated here, without rounding,
//! overflow or underflow: every finite float is an integer times a power of two, and so is every
//! sum and product of such numbers.

mod integer;

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

use glam::{DVec3, Quat, Vec3};

use self::integer::Integer;
use crate::filter::{Rotation, Vector};

/// An exact number `mantissa · 2^exponent`.
///
/// ```
/// use impinge_shapes::exact::Exact;
///
/// let tiny = Exact::from(1e-45_f32);
/// let sum = Exact::from(1e38_f32) + tiny.clone();
/// assert!(sum > Exact::from(1e38_f32)); // nothing is rounded away
/// assert!((sum - Exact::from(1e38_f32)) == tiny);
/// ```
#[derive(Clone, Debug)]
pub struct Exact {
    mantissa: Integer,
    exponent: i64,
}

impl Exact {
    /// Zero.
    pub const ZERO: Self = Self { mantissa: Integer::ZERO, exponent: 0 };

    /// Compares with zero.
    #[must_use]
    #[inline]
    pub fn sign(&self) -> Ordering {
        self.mantissa.sign()
    }

    /// Absolute value.
    #[must_use]
    pub fn abs(&self) -> Self {
        if self.sign() == Ordering::Less { self.negated() } else { self.clone() }
    }

    /// The number itself where positive, zero elsewhere.
    #[must_use]
    pub fn positive_part(&self) -> Self {
        if self.sign() == Ordering::Greater { self.clone() } else { Self::ZERO }
    }

    /// The number in f64, within one ulp; saturates to infinity and flushes below the smallest
    /// denormal to zero.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        let (top, dropped) = self.mantissa.leading_bits();
        let value = times_power_of_two(top as f64, self.exponent + i64::from(dropped));
        if self.sign() == Ordering::Less { -value } else { value }
    }

    /// The number where it is an f64 one that is not denormal and comes of few digits.
    #[inline]
    pub(crate) fn as_f64(&self) -> Option<f64> {
        let Integer::Short(short) = self.mantissa else { return None };
        let short = i64::try_from(short).ok()?;
        let biased =
            u64::try_from(self.exponent + 1023).ok().filter(|biased| *biased < 1023 + 900)?;
        let is_small = short.unsigned_abs() < 1 << 53 && biased > 0;
        is_small.then(|| short as f64 * f64::from_bits(biased << 52))
    }

    /// `count · 2^last`.
    #[inline]
    pub(crate) fn of_steps(count: i128, last: i64) -> Self {
        Self { mantissa: Integer::Short(count), exponent: last }
    }

    /// The number in units of `2^last`, of which it must be less than `2^120`.
    #[inline]
    pub(crate) fn steps(&self, last: i64) -> Option<i128> {
        let Integer::Short(short) = self.mantissa else { return None };
        let by = u32::try_from(self.exponent - last).ok().filter(|&by| by < 120);
        match by {
            Some(by) => (short.unsigned_abs() < 1 << (120 - by)).then(|| short << by),
            None => (short == 0).then_some(0),
        }
    }

    /// The number times itself.
    #[must_use]
    pub fn square(&self) -> Self {
        self.times(self)
    }

    /// The quotient `self / divisor` in f64; zero for a divisor of zero.
    ///
    /// - Error: 2^-52 relative, where the quotient is a normal f64 number.
    #[must_use]
    pub fn ratio(&self, divisor: &Self) -> f64 {
        if divisor.sign() == Ordering::Equal || self.sign() == Ordering::Equal {
            return 0.0;
        }
        let (quotient, exponent) = self.mantissa.quotient(&divisor.mantissa);
        let exponent = self.exponent - divisor.exponent + exponent;
        let value = times_power_of_two(quotient, exponent);
        if self.sign() == divisor.sign() { value } else { -value }
    }

    #[inline]
    pub(crate) fn plus(&self, other: &Self) -> Self {
        // A zero's exponent means nothing, and would only lengthen the other mantissa.
        if self.sign() == Ordering::Equal {
            return other.clone();
        }
        if other.sign() == Ordering::Equal {
            return self.clone();
        }
        let swap = self.exponent < other.exponent;
        let (high, low) = if swap { (other, self) } else { (self, other) };
        let by = high.exponent.abs_diff(low.exponent);
        Self { mantissa: high.mantissa.shifted_plus(by, &low.mantissa), exponent: low.exponent }
    }

    #[inline]
    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
    }

    #[inline]
    pub(crate) fn times(&self, other: &Self) -> Self {
        let mantissa = self.mantissa.times(&other.mantissa);
        Self { mantissa, exponent: self.exponent + other.exponent }
    }

    #[inline]
    pub(crate) fn negated(&self) -> Self {
        Self { mantissa: self.mantissa.negated(), exponent: self.exponent }
    }
}

impl From<f64> for Exact {
    /// Exact for every finite number; NaN and infinities, which no validated input holds, count
    /// as zero.
    fn from(x: f64) -> Self {
        if !x.is_finite() {
            return Self::ZERO;
        }
        let bits = x.to_bits();
        let biased = i64::try_from((bits >> 52) & 0x7ff).unwrap_or(0);
        let fraction = bits & ((1 << 52) - 1);
        let (magnitude, exponent) =
            if biased == 0 { (fraction, -1074) } else { (fraction | (1 << 52), biased - 1075) };
        if magnitude == 0 {
            return Self::ZERO;
        }
        // Without trailing zeros an f32 has 24 bits, and products of five stay short.
        let zeros = magnitude.trailing_zeros();
        let (mantissa, exponent) = (i128::from(magnitude >> zeros), exponent + i64::from(zeros));
        let mantissa = Integer::Short(if x.is_sign_negative() { -mantissa } else { mantissa });
        Self { mantissa, exponent }
    }
}

impl From<f32> for Exact {
    fn from(x: f32) -> Self {
        Self::from(f64::from(x))
    }
}

impl Add for Exact {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.plus(&other)
    }
}

impl Sub for Exact {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.minus(&other)
    }
}

impl Mul for Exact {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.times(&other)
    }
}

impl Neg for Exact {
    type Output = Self;
    fn neg(self) -> Self {
        self.negated()
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Exact {}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Self) -> Ordering {
        self.minus(other).sign()
    }
}

/// `x · 2^exponent`, in steps whose factors are f64 numbers.
fn times_power_of_two(mut x: f64, mut exponent: i64) -> f64 {
    while exponent != 0 && x != 0.0 && x.is_finite() {
        let step = exponent.clamp(-1000, 1000);
        let bits = u64::try_from(step + 1023).unwrap_or(1023) << 52;
        x *= f64::from_bits(bits);
        exponent -= step;
    }
    x
}

/// Three exact components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactVec3(pub [Exact; 3]);

impl ExactVec3 {
    /// Dot product.
    #[must_use]
    pub fn dot(&self, other: &Self) -> Exact {
        let [a, b, c] = std::array::from_fn(|i| self.0[i].times(&other.0[i]));
        a.plus(&b).plus(&c)
    }

    /// Cross product.
    #[must_use]
    pub fn cross(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            self.0[j].times(&other.0[k]).minus(&self.0[k].times(&other.0[j]))
        }))
    }

    /// Every component times `factor`.
    #[must_use]
    pub fn scale(&self, factor: &Exact) -> Self {
        Self(std::array::from_fn(|i| self.0[i].times(factor)))
    }

    /// Component-wise sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].plus(&other.0[i])))
    }

    /// Component-wise difference.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].minus(&other.0[i])))
    }

    /// Squared length.
    #[must_use]
    pub fn length_squared(&self) -> Exact {
        self.dot(self)
    }
}

impl From<Vec3> for ExactVec3 {
    fn from(v: Vec3) -> Self {
        Self(v.to_array().map(Exact::from))
    }
}

impl From<DVec3> for ExactVec3 {
    fn from(v: DVec3) -> Self {
        Self(v.to_array().map(Exact::from))
    }
}

/// `|q|² · R(q)`, a matrix of polynomials in the quaternion: its columns are perpendicular and all
/// of length `norm = |q|²`.
#[derive(Clone, Debug)]
pub struct ExactRotation {
    /// Columns: the body's axes in the world, each of length `norm`.
    pub columns: [ExactVec3; 3],
    /// `|q|²`, positive.
    pub norm: Exact,
}

impl From<Quat> for ExactRotation {
    fn from(q: Quat) -> Self {
        let Rotation { columns, norm } = Rotation::from_components(q.to_array().map(Exact::from));
        Self { columns: columns.map(|Vector(column)| ExactVec3(column)), norm }
    }
}

impl ExactRotation {
    /// `|q|² · R(q) · v`.
    #[must_use]
    pub fn rotate(&self, v: &ExactVec3) -> ExactVec3 {
        let [a, b, c] = std::array::from_fn(|i| self.columns[i].scale(&v.0[i]));
        a.plus(&b).plus(&c)
    }

    /// `|q|² · R(q)ᵀ · v`: the components of `v` along the body's axes.
    #[must_use]
    pub fn unrotate(&self, v: &ExactVec3) -> ExactVec3 {
        ExactVec3(std::array::from_fn(|i| self.columns[i].dot(v)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_rounded_over_the_whole_range() {
        let numbers = [f64::from(f32::MAX), 1.0, -3.5, f64::from(f32::MIN_POSITIVE), 1e-45, 0.0];
        for a in numbers {
            for b in numbers {
                let (x, y) = (Exact::from(a), Exact::from(b));
                assert_eq!((x.clone() + y.clone()) - y.clone(), x);
                assert_eq!(x.cmp(&y), a.partial_cmp(&b).unwrap());
                assert_eq!((x * y).sign() == Ordering::Equal, a == 0.0 || b == 0.0);
            }
        }
    }

    #[test]
    fn conversion_to_f64_rounds_once() {
        for x in [0.0, 1.0, -1.5, 1e300, -1e-300, 5e-324, 0.1, f64::from(f32::MAX)] {
            assert_eq!(Exact::from(x).to_f64().to_bits(), x.to_bits());
        }
        let huge = Exact::from(1e300).square();
        assert!(huge.to_f64().is_infinite());
        assert_eq!(Exact::from(1e-300).square().to_f64().to_bits(), 0);
        let product = (Exact::from(0.1) * Exact::from(0.3)).to_f64();
        assert!((product - 0.1 * 0.3).abs() <= f64::EPSILON * product);
    }

    #[test]
    fn signs_and_zeros() {
        assert_eq!(Exact::from(-0.0_f32), Exact::ZERO);
        assert_eq!(Exact::from(-2.0_f32).abs(), Exact::from(2.0_f32));
        assert_eq!(Exact::from(-2.0_f32).positive_part(), Exact::ZERO);
        assert_eq!(Exact::from(5e-324).sign(), Ordering::Greater);
    }

    #[test]
    fn ratios_are_the_nearest_quotients() {
        for (a, b) in [(1.0, 3.0), (-2.0, 7.0), (1e-300, 1e-280), (6.0, 2.0), (1e300, -1e200)] {
            let ratio = Exact::from(a).ratio(&Exact::from(b));
            assert!((ratio - a / b).abs() <= (a / b).abs() * f64::EPSILON, "{a} / {b}: {ratio}");
        }
        let long = Exact::from(2.0_f64.powi(1000)) + Exact::from(2.0_f64.powi(-1000));
        assert!((long.ratio(&Exact::from(2.0_f64.powi(1000))) - 1.0).abs() <= f64::EPSILON);
        assert_eq!(Exact::from(1.0).ratio(&Exact::ZERO).to_bits(), 0.0_f64.to_bits());
    }

    #[test]
    fn rotations_have_perpendicular_columns_of_equal_length() {
        let rotation = ExactRotation::from(Quat::from_xyzw(0.1, -0.2, 0.3, 0.7));
        for i in 0..3 {
            assert_eq!(rotation.columns[i].length_squared(), rotation.norm.square());
            let next = (i + 1) % 3;
            assert_eq!(rotation.columns[i].dot(&rotation.columns[next]), Exact::ZERO);
            let cross = rotation.columns[i].cross(&rotation.columns[next]);
            assert_eq!(cross, rotation.columns[(i + 2) % 3].scale(&rotation.norm));
        }
        let v = ExactVec3::from(Vec3::new(1.0, 2.0, 3.0));
        let round_trip = rotation.unrotate(&rotation.rotate(&v));
        assert_eq!(round_trip, v.scale(&rotation.norm.square()));
    }
}
