//! The step into the machine's lanes.

/// Runs a kernel in the machine's lanes; `None` on a level whose lanes are too few to be worth it.
///
/// Vectors of 512 or 256 bits are used where there are any, those of NEON on its machines. Two f64
/// side by side in SSE2 are no faster than one after the other, and every level more is compiled
/// once more for each kernel.
macro_rules! lanes {
    ($level:expr, $simd:ident => $kernel:expr) => {{
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        let (widest, token) = ($level.level().as_avx512(), $level.level().as_avx2());
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        let widest: Option<fearless_simd::Fallback> = None;
        #[cfg(target_arch = "aarch64")]
        let token = $level.level().as_neon();
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
        let token: Option<fearless_simd::Fallback> = None;
        if let Some($simd) = widest {
            Some(impinge_shapes::vectorized!($simd => $kernel))
        } else if let Some($simd) = token {
            Some(impinge_shapes::vectorized!($simd => $kernel))
        } else {
            None
        }
    }};
}
pub(crate) use lanes;
