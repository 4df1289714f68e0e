//! Whole numbers, vectors of them and fractions: what every oracle computes with.

use std::cmp::Ordering;

use glam::{Quat, Vec3};
use impinge_shapes::Pose;
use num_bigint::{BigInt, BigUint, Sign};
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// The whole number and the exponent of two that make a finite f32; `None` for zero.
fn decompose(x: f32) -> Option<(i64, i32)> {
    let bits = x.to_bits();
    let (stored, mantissa) = ((bits >> 23) & 0xff, i64::from(bits & 0x7f_ffff));
    assert!(stored != 0xff, "oracles take finite numbers, got {x}");
    let (whole, exponent) = match stored {
        0 => (mantissa, -149),
        _ => (mantissa | 0x80_0000, i32::try_from(stored).unwrap_or(0) - 150),
    };
    if whole == 0 {
        return None;
    }
    let zeros = whole.trailing_zeros();
    let whole = whole >> zeros;
    let sign = if x.is_sign_negative() { -1 } else { 1 };
    Some((sign * whole, exponent + i32::try_from(zeros).unwrap_or(0)))
}

/// `x · 2^shift`, which must be whole.
fn shifted(x: BigInt, shift: i32) -> BigInt {
    match usize::try_from(shift) {
        Ok(left) => x << left,
        Err(_) => x >> usize::try_from(-shift).unwrap_or(0),
    }
}

/// A power of two of which all numbers of a case are whole multiples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale(i32);

impl Scale {
    pub(super) fn of(numbers: impl IntoIterator<Item = f32>) -> Self {
        let exponents = numbers.into_iter().filter_map(|x| decompose(x).map(|(_, e)| e));
        Self(exponents.min().unwrap_or(0))
    }

    pub(super) fn whole(self, x: f32) -> BigInt {
        decompose(x).map_or_else(BigInt::zero, |(m, e)| shifted(m.into(), e - self.0))
    }

    pub(super) fn vector(self, v: Vec3) -> Vector {
        Vector(v.to_array().map(|x| self.whole(x)))
    }

    /// Exponent of the unit.
    pub(super) fn exponent(self) -> i32 {
        self.0
    }

    /// The scale that also holds whole multiples of `2^exponent`.
    pub(super) fn with(self, exponent: i32) -> Self {
        Self(self.0.min(exponent))
    }
}

/// A number as `mantissa · 2^exponent` with a mantissa of 0 or from 1 to 2, within 2^-50 of it.
///
/// Whole numbers of this module often lie beyond the range of f64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rough {
    pub(super) mantissa: f64,
    pub(super) exponent: i64,
}

impl Rough {
    pub(super) fn of(x: &BigInt) -> Self {
        let digits = x.iter_u64_digits();
        let below = 64 * (i64::try_from(digits.len()).unwrap_or(0) - 2);
        let mut digits = digits.rev();
        let mut next = || u128::from(digits.next().unwrap_or(0));
        let size = Self::new((next() << 64 | next()) as f64, below);
        if x.is_negative() { Self { mantissa: -size.mantissa, ..size } } else { size }
    }

    fn new(value: f64, exponent: i64) -> Self {
        if value.abs() > 0.0 {
            // The exponent that f64 stores; values here are far from denormal.
            let stored = i64::try_from((value.to_bits() >> 52) & 0x7ff).unwrap_or(0) - 1023;
            let power = f64::from_bits(u64::try_from(1023 - stored).unwrap_or(0) << 52);
            Self { mantissa: value * power, exponent: exponent + stored }
        } else {
            Self { mantissa: 0.0, exponent: 0 }
        }
    }

    pub(super) fn over(self, other: Self) -> Self {
        Self::new(self.mantissa / other.mantissa, self.exponent - other.exponent)
    }

    pub(super) fn squared(self) -> Self {
        Self::new(self.mantissa * self.mantissa, self.exponent * 2)
    }

    /// The sum of two numbers that are not negative.
    pub(super) fn plus(self, other: Self) -> Self {
        let most = self.exponent.max(other.exponent);
        Self::new(self.over_power(most) + other.over_power(most), most)
    }

    /// Root of a number that is not negative.
    pub(super) fn sqrt(self) -> Self {
        let odd = if self.exponent & 1 == 1 { 2.0 } else { 1.0 };
        Self::new((self.mantissa * odd).sqrt(), self.exponent >> 1)
    }

    /// The number over `2^exponent`, zero where f64 ends.
    pub(super) fn over_power(self, exponent: i64) -> f64 {
        let power = i32::try_from(self.exponent - exponent).unwrap_or(i32::MIN);
        if power < -1000 { 0.0 } else { self.mantissa * 2.0_f64.powi(power.min(1000)) }
    }

    /// The order of two positive numbers, `None` if they are too close to tell.
    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        if self.mantissa <= 0.0 || other.mantissa <= 0.0 {
            return None;
        }
        let apart = self.exponent - other.exponent;
        if apart.abs() >= 2 {
            return Some(apart.cmp(&0));
        }
        let quotient = self.over(other);
        let value = if quotient.exponent < 0 {
            quotient.mantissa / 2.0
        } else {
            quotient.mantissa * if quotient.exponent > 0 { 2.0 } else { 1.0 }
        };
        let close = (value - 1.0).abs() < 1e-12;
        if close { None } else { value.partial_cmp(&1.0) }
    }
}

/// Three whole numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Vector(pub(super) [BigInt; 3]);

impl Vector {
    pub(super) fn map(&self, f: impl Fn(&BigInt) -> BigInt) -> Self {
        Self([f(&self.0[0]), f(&self.0[1]), f(&self.0[2])])
    }

    pub(super) fn times(&self, factor: &BigInt) -> Self {
        self.map(|x| x * factor)
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| &self.0[i] + &other.0[i]))
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| &self.0[i] - &other.0[i]))
    }

    pub(super) fn dot(&self, other: &Self) -> BigInt {
        &self.0[0] * &other.0[0] + &self.0[1] * &other.0[1] + &self.0[2] * &other.0[2]
    }

    pub(super) fn cross(&self, other: &Self) -> Self {
        let minor = |i: usize, j: usize| &self.0[i] * &other.0[j] - &self.0[j] * &other.0[i];
        Self([minor(1, 2), minor(2, 0), minor(0, 1)])
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.iter().all(Zero::is_zero)
    }

    pub(super) fn zero() -> Self {
        Self(std::array::from_fn(|_| BigInt::zero()))
    }

    pub(super) fn negated(&self) -> Self {
        self.map(|x| -x)
    }

    pub(super) fn unit(axis: usize) -> Self {
        Self(std::array::from_fn(|i| BigInt::from(u8::from(i == axis))))
    }

    pub(super) fn rough(&self) -> [Rough; 3] {
        self.0.each_ref().map(Rough::of)
    }
}

/// `R(q) = columns / norm`, exactly, for any quaternion but zero.
#[derive(Clone, Debug)]
pub(super) struct Rotation {
    pub(super) columns: [Vector; 3],
    pub(super) norm: BigInt,
}

impl Rotation {
    pub(super) fn of(q: Quat) -> Self {
        let scale = Scale::of(q.to_array());
        let [x, y, z, w] = q.to_array().map(|c| scale.whole(c));
        let two = |a: &BigInt, b: &BigInt| a * b * 2;
        let (xx, yy, zz, ww) = (&x * &x, &y * &y, &z * &z, &w * &w);
        let columns = [
            Vector([&ww + &xx - &yy - &zz, two(&x, &y) + two(&w, &z), two(&x, &z) - two(&w, &y)]),
            Vector([two(&x, &y) - two(&w, &z), &ww - &xx + &yy - &zz, two(&y, &z) + two(&w, &x)]),
            Vector([two(&x, &z) + two(&w, &y), two(&y, &z) - two(&w, &x), &ww - &xx - &yy + &zz]),
        ];
        Self { columns, norm: ww + xx + yy + zz }
    }

    pub(super) fn of_pose(pose: &Pose) -> Self {
        Self::of(pose.rotation())
    }

    /// `norm · R · v`.
    pub(super) fn turn(&self, v: &Vector) -> Vector {
        let [x, y, z] = &self.columns;
        x.times(&v.0[0]).plus(&y.times(&v.0[1])).plus(&z.times(&v.0[2]))
    }

    /// `norm · Rᵀ · v`.
    pub(super) fn turn_back(&self, v: &Vector) -> Vector {
        Vector(std::array::from_fn(|i| self.columns[i].dot(v)))
    }
}

/// The leading 192 to 256 bits of a number, and the exponent of two that belongs to them.
fn leading(x: &BigInt) -> (BigInt, i64) {
    let bits = x.bits();
    if bits <= 256 {
        return (x.clone(), 0);
    }
    let shift = bits - 192;
    (x >> shift, i64::try_from(shift).unwrap_or(0))
}

/// The root of a number that is not negative, times `2^shift`, within 2^-95 of itself; and the
/// shift.
fn root(x: &BigInt) -> (BigUint, u64) {
    let bits = x.bits();
    let shift = 96_u64.saturating_sub(bits / 2);
    let idle = bits.saturating_sub(256) / 2;
    let root = (x.magnitude() >> (2 * idle) << (2 * shift)).sqrt();
    (root << idle, shift)
}

/// A rational number, not reduced; the denominator is positive.
#[derive(Clone, Debug)]
pub struct Fraction {
    pub(super) numerator: BigInt,
    pub(super) denominator: BigInt,
}

impl Fraction {
    /// The quotient of two whole numbers; the second must not be zero.
    pub(super) fn new(numerator: BigInt, denominator: BigInt) -> Self {
        if denominator.is_negative() {
            Self { numerator: -numerator, denominator: -denominator }
        } else {
            Self { numerator, denominator }
        }
    }

    pub(super) fn whole(numerator: BigInt) -> Self {
        Self { numerator, denominator: BigInt::one() }
    }

    /// Zero.
    #[must_use]
    pub fn zero() -> Self {
        Self::whole(BigInt::zero())
    }

    /// The value of a finite f64.
    #[must_use]
    pub fn of_f64(x: f64) -> Self {
        BigRational::from_float(x).map_or_else(Self::zero, |ratio| Self {
            numerator: ratio.numer().clone(),
            denominator: ratio.denom().clone(),
        })
    }

    /// The value of a finite f32.
    #[must_use]
    pub fn of(x: f32) -> Self {
        let scale = Scale::of([x]);
        Self::whole(scale.whole(x)).shifted(scale.0)
    }

    /// This times `2^exponent`.
    #[must_use]
    pub fn shifted(mut self, exponent: i32) -> Self {
        let bits = usize::try_from(exponent.unsigned_abs()).unwrap_or(0);
        if exponent >= 0 {
            self.numerator <<= bits;
        } else {
            self.denominator <<= bits;
        }
        self
    }

    pub(super) fn midpoint(&self, other: &Self) -> Self {
        let numerator = &self.numerator * &other.denominator + &other.numerator * &self.denominator;
        Self { numerator, denominator: &self.denominator * &other.denominator * 2 }
    }

    pub(super) fn plus_one(&self) -> Self {
        Self {
            numerator: &self.numerator + &self.denominator,
            denominator: self.denominator.clone(),
        }
    }

    /// The nearest f64, or its neighbour where both are as near within 2^-180.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        let (numerator, above) = leading(&self.numerator);
        let (denominator, below) = leading(&self.denominator);
        let ratio = BigRational::new_raw(numerator, denominator);
        let exponent = above - below;
        // Powers of two that f64 holds do not round, away from the denormal numbers.
        let value = ratio.to_f64().unwrap_or(f64::NAN);
        let scaled = if exponent.abs() < 512 {
            value * 2.0_f64.powi(i32::try_from(exponent).unwrap_or(0))
        } else {
            f64::NAN
        };
        if exponent == 0 {
            value
        } else if scaled.is_normal() && value.is_normal() {
            scaled
        } else {
            let ratio = BigRational::new_raw(self.numerator.clone(), self.denominator.clone());
            ratio.to_f64().unwrap_or(f64::NAN)
        }
    }

    /// Square root, within an ulp or so of f64; the number must not be negative.
    #[must_use]
    pub fn sqrt_f64(&self) -> f64 {
        Time::Root(Box::new(Surd {
            minus_b: BigInt::zero(),
            discriminant: &self.numerator * &self.denominator,
            a: -self.denominator.clone(),
            exponent: 0,
        }))
        .to_f64()
    }

    /// Below, at or above zero.
    #[must_use]
    pub fn sign(&self) -> Ordering {
        match self.numerator.sign() {
            Sign::Minus => Ordering::Less,
            Sign::NoSign => Ordering::Equal,
            Sign::Plus => Ordering::Greater,
        }
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Fraction {}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

/// `(minus_b − √discriminant) / a · 2^exponent`.
#[derive(Clone, Debug)]
pub struct Surd {
    pub(super) minus_b: BigInt,
    pub(super) discriminant: BigInt,
    pub(super) a: BigInt,
    pub(super) exponent: i32,
}

/// When something happens first: a rational number, the lower root of a quadratic, or a number
/// that is known to lie between two others.
#[derive(Clone, Debug)]
pub enum Time {
    /// A rational number.
    Exact(Fraction),
    /// A root.
    Root(Box<Surd>),
    /// Above the first and at most the second.
    Between(Fraction, Fraction),
}

impl Time {
    /// The value in f64, within an ulp or so.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        match self {
            Self::Exact(fraction) => fraction.to_f64(),
            Self::Between(low, high) => low.midpoint(high).to_f64(),
            Self::Root(surd) => {
                let Surd { minus_b, discriminant, a, exponent } = surd.as_ref();
                let (root, shift) = root(discriminant);
                // Nothing cancels out: from a positive number the root is taken by way of the
                // other one, `(−b)² − disc` over `−b + √disc`.
                let size = (minus_b.magnitude() << shift) + root;
                let size = BigInt::from(size);
                let quotient = if minus_b.is_positive() {
                    let product = minus_b * minus_b - discriminant;
                    Fraction::new(product << shift, size * a)
                } else {
                    Fraction::new(-size, a << shift)
                };
                quotient.shifted(*exponent).to_f64()
            }
        }
    }

    /// This times `2^exponent`.
    #[must_use]
    pub fn shifted(self, exponent: i32) -> Self {
        match self {
            Self::Exact(fraction) => Self::Exact(fraction.shifted(exponent)),
            Self::Between(low, high) => {
                Self::Between(low.shifted(exponent), high.shifted(exponent))
            }
            Self::Root(mut surd) => {
                surd.exponent += exponent;
                Self::Root(surd)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_the_way_there_and_back() {
        for x in [0.0, -0.0, 1.0, -1.5, 0.1, 1e-45, -3e-39, f32::MAX, 1e-30] {
            let back = Fraction::of(x).to_f64();
            assert_eq!(back.abs().to_bits(), f64::from(x).abs().to_bits(), "{x}");
            assert_eq!(back < 0.0, x < 0.0);
        }
        assert!(Fraction::of(0.1) > Fraction::new(1.into(), 10.into()));
        assert_eq!(Fraction::new(2.into(), (-4).into()), Fraction::of(-0.5));
    }

    #[test]
    fn rotations_are_the_textbook_ones() {
        // A turn around z by the angle of the 3-4-5 triangle.
        let turn = Rotation::of(Quat::from_xyzw(0.0, 0.0, 0.5, 1.0));
        assert_eq!(turn.norm, 5.into());
        assert_eq!(turn.columns[0], Vector([3.into(), 4.into(), 0.into()]));
        let v = Vector([1.into(), 2.into(), 3.into()]);
        assert_eq!(turn.turn_back(&turn.turn(&v)), v.times(&25.into()));
    }

    #[test]
    fn roots_keep_their_digits() {
        let two = Fraction::of(2.0).sqrt_f64();
        assert_eq!(two.to_bits(), std::f64::consts::SQRT_2.to_bits());
        // 10^20 − √(10^40 − 1) = 5·10^-21 (1 + tiny).
        let ten: BigInt = BigInt::from(10).pow(20);
        let root = Time::Root(Box::new(Surd {
            discriminant: &ten * &ten - 1,
            minus_b: ten,
            a: BigInt::one(),
            exponent: 0,
        }));
        assert!((root.to_f64() / 5e-21 - 1.0).abs() < 1e-15);
    }
}
