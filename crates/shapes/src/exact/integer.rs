//! Whole numbers of any length: in a register pair while they fit, which those of ordinary scenes
//! do, and on the heap where they do not.

use std::cmp::Ordering;

use dashu_int::IBig;
use dashu_int::ops::{Abs, BitTest};

/// A whole number.
#[derive(Clone, Debug)]
pub(super) enum Integer {
    /// Any number of up to 127 bits is of this kind.
    Short(i128),
    Long(IBig),
}

impl Integer {
    pub(super) const ZERO: Self = Self::Short(0);

    /// Compares with zero.
    #[inline]
    pub(super) fn sign(&self) -> Ordering {
        match self {
            Self::Short(short) => short.cmp(&0),
            Self::Long(long) => long.cmp(&IBig::ZERO),
        }
    }

    #[inline]
    pub(super) fn negated(&self) -> Self {
        if let Self::Short(short) = self
            && let Some(negated) = short.checked_neg()
        {
            return Self::Short(negated);
        }
        Self::Long(-self.long())
    }

    /// `self · 2^by + other`.
    #[inline]
    pub(super) fn shifted_plus(&self, by: u64, other: &Self) -> Self {
        if let (&Self::Short(high), &Self::Short(low)) = (self, other)
            && let Some(by) = u32::try_from(by).ok().filter(|&by| by < i128::BITS)
            && (high << by) >> by == high
            && let Some(sum) = (high << by).checked_add(low)
        {
            return Self::Short(sum);
        }
        self.long_shifted_plus(by, other)
    }

    #[cold]
    #[inline(never)]
    fn long_shifted_plus(&self, by: u64, other: &Self) -> Self {
        let by = usize::try_from(by).unwrap_or(usize::MAX);
        Self::shortened((self.long() << by) + other.long())
    }

    #[inline]
    pub(super) fn times(&self, other: &Self) -> Self {
        if let (&Self::Short(a), &Self::Short(b)) = (self, other) {
            // One multiplication instead of the several of the whole range.
            if let (Ok(a), Ok(b)) = (i64::try_from(a), i64::try_from(b)) {
                return Self::Short(i128::from(a) * i128::from(b));
            }
            if let Some(product) = a.checked_mul(b) {
                return Self::Short(product);
            }
        }
        self.long_times(other)
    }

    #[cold]
    #[inline(never)]
    fn long_times(&self, other: &Self) -> Self {
        Self::shortened(self.long() * other.long())
    }

    /// The magnitude's leading bits, at most 64 of them, and how many follow.
    #[inline]
    pub(super) fn leading_bits(&self) -> (u64, u32) {
        match self {
            Self::Short(short) => {
                let magnitude = short.unsigned_abs();
                let drop = 64_u32.saturating_sub(magnitude.leading_zeros());
                (u64::try_from(magnitude >> drop).unwrap_or(u64::MAX), drop)
            }
            Self::Long(long) => {
                let drop = long.bit_len().saturating_sub(64);
                let top = u64::try_from(long.clone().abs() >> drop).unwrap_or(u64::MAX);
                (top, u32::try_from(drop).unwrap_or(u32::MAX))
            }
        }
    }

    /// The magnitude of the quotient in f64 without a power of two, which is the second number;
    /// neither may be zero.
    ///
    /// - Error: that of an integer of at least 64 bits, rounded down and then to f64.
    #[inline]
    pub(super) fn quotient(&self, divisor: &Self) -> (f64, i64) {
        if let (Self::Short(a), Self::Short(b)) = (self, divisor)
            && let Ok(divisor) = u64::try_from(b.unsigned_abs())
        {
            let magnitude = a.unsigned_abs();
            let (bits, wanted) = (128 - magnitude.leading_zeros(), 128 - divisor.leading_zeros());
            let (up, down) = (wanted.saturating_sub(bits), bits.saturating_sub(wanted));
            let quotient = ((magnitude << up) >> down) / u128::from(divisor);
            return (quotient as f64, i64::from(down) - i64::from(up));
        }
        self.long_quotient(divisor)
    }

    #[cold]
    #[inline(never)]
    fn long_quotient(&self, divisor: &Self) -> (f64, i64) {
        let (magnitude, divisor) = (self.long().abs(), divisor.long().abs());
        let (bits, wanted) = (magnitude.bit_len(), 64 + divisor.bit_len());
        let (up, down) = (wanted.saturating_sub(bits), bits.saturating_sub(wanted));
        let quotient = ((magnitude << up) >> down) / divisor;
        let shift = |by: usize| i64::try_from(by).unwrap_or(0);
        (quotient.to_f64().value(), shift(down) - shift(up))
    }

    fn long(&self) -> IBig {
        match self {
            &Self::Short(short) => IBig::from(short),
            Self::Long(long) => long.clone(),
        }
    }

    fn shortened(long: IBig) -> Self {
        i128::try_from(&long).map_or_else(|_| Self::Long(long), Self::Short)
    }
}
