//! Choice of the SIMD level that the kernels run at.

use fearless_simd::Level;

/// Instruction set that the kernels use.
///
/// Every level gives the same answers, bit for bit; the choice is about speed and tests only.
/// A level that the machine does not have cannot be made.
///
/// ```
/// use impinge_shapes::simd::{SimdLevel, simd_level};
///
/// assert_eq!(SimdLevel::by_name("scalar").map(SimdLevel::name), Some("scalar"));
/// assert!(SimdLevel::by_name("abacus").is_none());
/// assert!(!simd_level().name().is_empty()); // what IMPINGE_SIMD names, or the best
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SimdLevel(Level);

impl SimdLevel {
    /// Names that [`SimdLevel::by_name`] knows.
    pub const NAMES: [&'static str; 5] = ["scalar", "sse2", "avx2", "avx512", "neon"];

    /// The best level of this machine.
    #[must_use]
    #[inline]
    pub fn detected() -> Self {
        Self(Level::try_detect().unwrap_or(Level::baseline()))
    }

    /// One lane at a time, but where vectors that every machine of the architecture has serve at any
    /// level.
    #[must_use]
    pub fn scalar() -> Self {
        Self(Level::fallback())
    }

    /// The level of that name, `None` where the machine or the build lacks it.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        let vector = {
            let best = Self::detected().0;
            match name {
                "sse2" => best.as_sse2().map(Level::Sse2),
                "avx2" => best.as_avx2().map(Level::Avx2),
                "avx512" => best.as_avx512().map(Level::Avx512),
                _ => None,
            }
        };
        #[cfg(target_arch = "aarch64")]
        let vector =
            if name == "neon" { Self::detected().0.as_neon().map(Level::Neon) } else { None };
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
        let vector = None;
        if name == "scalar" { Some(Self::scalar()) } else { vector.map(Self) }
    }

    /// Short name for reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            level if level.is_fallback() => "scalar",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Sse2(_) => "sse2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Sse4_2(_) => "sse4.2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Avx2(_) => "avx2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Avx512(_) => "avx512",
            #[cfg(target_arch = "aarch64")]
            Level::Neon(_) => "neon",
            _ => "simd",
        }
    }

    /// What `fearless_simd::dispatch!` takes.
    #[must_use]
    #[inline]
    pub fn level(self) -> Level {
        self.0
    }
}

/// Runs a kernel at a level, one of those that it is compiled for: vectors of 512 bits, of 256, and
/// those of [`at_baseline`](crate::at_baseline) for whatever is below.
///
/// One lane at a time would take most of the time to compile, and serve no machine.
#[doc(hidden)]
#[macro_export]
macro_rules! at_level {
    ($level:expr, $simd:ident => $kernel:expr) => {
        match $level.level() {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            fearless_simd::Level::Avx512($simd) => $crate::vectorized!($simd => $kernel),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            fearless_simd::Level::Avx2($simd) => $crate::vectorized!($simd => $kernel),
            _ => $crate::at_baseline!($simd => $kernel),
        }
    };
}

/// Runs a kernel with the vectors that the compiler may use anyway, which every machine of the
/// architecture has.
///
/// `dispatch!` compiles it for all levels, although it is known which of them it is.
#[doc(hidden)]
#[macro_export]
macro_rules! at_baseline {
    ($simd:ident => $kernel:expr) => {{
        #[cfg(all(
            any(target_arch = "x86", target_arch = "x86_64"),
            target_feature = "fxsr",
            target_feature = "sse2",
            not(target_feature = "avx")
        ))]
        let answer = match fearless_simd::Level::baseline().as_sse2() {
            Some($simd) => $crate::vectorized!($simd => $kernel),
            None => unreachable!("compiled for machines with SSE2"),
        };
        #[cfg(not(all(
            any(target_arch = "x86", target_arch = "x86_64"),
            target_feature = "fxsr",
            target_feature = "sse2",
            not(target_feature = "avx")
        )))]
        let answer = fearless_simd::dispatch!(fearless_simd::Level::baseline(), $simd => $kernel);
        answer
    }};
}

/// Runs a kernel in a function that may use the instructions of a level.
#[doc(hidden)]
#[macro_export]
macro_rules! vectorized {
    ($simd:ident => $kernel:expr) => {
        fearless_simd::Simd::vectorize(
            $simd,
            #[inline(always)]
            || $kernel,
        )
    };
}

/// The level to use by default: the one that the environment variable `IMPINGE_SIMD` names
/// (`scalar`, `sse2`, `avx2`, `avx512`, `neon`), otherwise the best of this machine.
///
/// - Degenerate: a name that is unknown, or a level that the machine lacks, counts as absent.
#[must_use]
pub fn simd_level() -> SimdLevel {
    std::env::var("IMPINGE_SIMD")
        .ok()
        .and_then(|name| SimdLevel::by_name(&name))
        .unwrap_or_else(SimdLevel::detected)
}

/// Indices of the set bits, lowest first.
///
/// Kernels loop over it rather than pass a closure: a closure that the compiler does not inline
/// is compiled without the vector instructions of its surroundings, which made the search for
/// pairs several times slower.
#[derive(Clone, Copy, Debug)]
pub struct Bits(pub u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let index = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_that_exists_bears_its_name() {
        let found: Vec<_> = SimdLevel::NAMES
            .iter()
            .filter_map(|name| SimdLevel::by_name(name).map(|level| (name, level.name())))
            .collect();
        assert!(found.iter().any(|(_, name)| *name == "scalar"), "{found:?}");
        for (asked, got) in found {
            assert_eq!(*asked, got);
        }
        assert!(SimdLevel::by_name("mmx").is_none());
    }
}
