//! The boundary of a half-space, in the world.

use crate::level::is_zero;
use crate::real::{Mask, Placed, Real, Real3, Turn};
use crate::tolerance;

/// A half-space whose normal is known in the world, but for its length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facing<'a, R> {
    pub(super) half_space: &'a Placed<R>,
    /// As it is stored, times `norm`; no zero is negative.
    pub(super) normal: Real3<R>,
    /// The squared length of the half-space's quaternion.
    pub(super) norm: R,
    /// Whether none of the lanes has one that is turned.
    pub(super) still: bool,
}

impl<'a, R: Real> Facing<'a, R> {
    #[inline(always)]
    pub(crate) fn of(half_space: &'a Placed<R>) -> Self {
        let ([x, y, z, w], mut normal) = (half_space.rotation, half_space.vector(0));
        let (zero, mut norm) = (w.all(0.0), w.all(1.0));
        let still = !(!(is_zero(x) & is_zero(y) & is_zero(z) & w.equals(norm))).any();
        if !still {
            let (turn, square) = Turn::scaled(half_space.rotation);
            (normal, norm) = (turn.apply(normal), square);
        }
        // Both ways to the same bits.
        let normal = normal + Real3::new(zero, zero, zero);
        Self { half_space, normal, norm, still }
    }
}

/// The boundary of a placed half-space, in the world's axes and from its own position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane<R> {
    /// Unit, out of the half-space.
    pub(crate) outward: Real3<R>,
    /// As it is stored: for a normal of the stored length.
    pub(crate) offset: R,
    /// Height of the boundary.
    level: R,
}

impl<R: Real> Plane<R> {
    /// The stored normal is a unit vector within an ulp; the set it bounds is meant exactly, so
    /// that its length is divided out.
    #[inline(always)]
    pub(crate) fn new(facing: &Facing<'_, R>) -> Self {
        let (stored, offset) = (facing.half_space.vector(0), facing.half_space.numbers[3]);
        let per_length = Self::per_length(stored.dot(stored));
        // Scaling once at the end takes the place of dividing each entry of the rotation, so that
        // the error is no larger than that of a rotation's.
        let scale = if facing.still { per_length } else { per_length / facing.norm };
        let outward = facing.normal * scale;
        Self { outward, offset, level: offset * per_length }
    }

    /// One over the root of a square, which is nearly always next to 1.
    ///
    /// - Error: within 2^-52: the fourth term of the series is below 2^-61 of the first.
    #[inline(always)]
    fn per_length(square: R) -> R {
        let excess = square - square.all(1.0);
        let near = square.all(1.0) - excess * (square.all(0.5) - excess * square.all(0.375));
        let far = excess.abs().above(square.all(tolerance::NEAR_UNIT));
        if !far.any() {
            return near;
        }
        R::pick(far, square.all(1.0) / square.sqrt(), near)
    }

    /// The length of a stored normal.
    #[inline(always)]
    pub(crate) fn length(stored: Real3<R>) -> R {
        let square = stored.dot(stored);
        square * Self::per_length(square)
    }

    /// Height over the boundary.
    #[inline(always)]
    pub(crate) fn height(&self, point: Real3<R>) -> R {
        self.outward.dot(point) - self.level
    }
}

/// Whether a distance from the boundary is proven to have its sign, where `size` is the sum of all
/// lengths of the other shape and its coordinates, and of the half-space's offset.
///
/// The normal is within 2^-49 and the other shape's axes are within 2^-49 of the exact ones, so that
/// a product of the two is within 2^-47, and fewer than 16 roundings of 2^-53 follow: less than 2^-46
/// of the size together, a quarter of the bound.
#[inline(always)]
pub(crate) fn is_clear<R: Real>(distance: R, size: R) -> R::Mask {
    distance.abs().above(size * size.all(tolerance::FRAME))
}
