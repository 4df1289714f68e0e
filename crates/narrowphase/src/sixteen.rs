//! Vectors and rotations of sixteen pairs side by side, in f32.

use fearless_simd::{Simd, f32x16, mask32x16, prelude::*};

use crate::tolerance;

/// Pairs side by side.
pub(crate) const WIDE: usize = 16;

pub(crate) type Lane<S> = f32x16<S>;

/// Three numbers of sixteen pairs.
pub(crate) type Three<S> = [Lane<S>; 3];

#[inline(always)]
pub(crate) fn dot<S: Simd>(a: &Three<S>, b: &Three<S>) -> Lane<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The sum of the components' magnitudes.
#[inline(always)]
pub(crate) fn sum<S: Simd>(a: &Three<S>) -> Lane<S> {
    a[0].abs() + a[1].abs() + a[2].abs()
}

/// Rotation matrices by their columns, and the quaternions' squared lengths.
///
/// - Error: see [`tolerance::AXIS_ERROR_F32`].
#[inline(always)]
pub(crate) fn turn<S: Simd>(simd: S, &[x, y, z, w]: &[Lane<S>; 4]) -> ([Three<S>; 3], Lane<S>) {
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    let (xy, xz, yz) = (x * y, x * z, y * z);
    let (wx, wy, wz) = (w * x, w * y, w * z);
    let n = (xx + yy) + (zz + ww);
    let share = f32x16::splat(simd, 1.0) / n;
    let twice = share + share;
    let columns = [
        [((ww + xx) - (yy + zz)) * share, (xy + wz) * twice, (xz - wy) * twice],
        [(xy - wz) * twice, ((ww + yy) - (xx + zz)) * share, (yz + wx) * twice],
        [(xz + wy) * twice, (yz - wx) * twice, ((ww + zz) - (xx + yy)) * share],
    ];
    (columns, n)
}

/// Where neither overflow nor underflow can have touched what was made of the number.
#[inline(always)]
pub(crate) fn within<S: Simd>(simd: S, number: Lane<S>) -> mask32x16<S> {
    let low = f32x16::splat(simd, tolerance::LEAST_F32);
    let high = f32x16::splat(simd, 1.0 / tolerance::LEAST_F32);
    number.simd_ge(low) & number.simd_le(high)
}
