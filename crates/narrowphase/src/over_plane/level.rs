//! Shapes over a floor: a boundary across an axis of the world which both frames have.
//!
//! Heights are then sums of given numbers, which f64 mostly has without any rounding, also where
//! they are zero, as for all that rests. [`crate::level`] knows frames turned by quarters, too.

use crate::level::{Gap, is_zero, two_sum};
use crate::real::{Placed, Real, Real3, Turn};

/// Shapes over half-spaces that may be floors.
pub(super) struct Level<R: Real> {
    /// Where it is a floor; the rest is of no meaning elsewhere.
    known: R::Mask,
    /// Unit, out of the half-space, in the world.
    pub(super) outward: Real3<R>,
    /// The same in the solid's frame.
    pub(super) up: Real3<R>,
    /// Height of the solid's origin over the boundary.
    pub(super) height: R,
}

/// Whether no more than one component is other than zero.
///
/// - Range: products of components above 2^-500, as of all that a product of given numbers makes.
#[inline(always)]
pub(super) fn is_axis<R: Real>(v: Real3<R>) -> R::Mask {
    is_zero((v.x * v.y).abs() + (v.y * v.z).abs() + (v.z * v.x).abs())
}

/// What a rotation makes of an axis, times the squared length of its quaternion, as the unit vector
/// that it is if it lies along the same axis, and whether it does.
///
/// - Derivation: the other two entries of that column, or row, are sums of two products of f32
///   numbers, which are zero in f64 only where they are zero.
#[inline(always)]
fn snap<R: Real>(axis: Real3<R>, image: Real3<R>) -> (Real3<R>, R::Mask) {
    let (zero, one) = (axis.x.all(0.0), axis.x.all(1.0));
    let [x, y, z] = [is_zero(axis.x), is_zero(axis.y), is_zero(axis.z)];
    let leak = Real3 {
        x: R::pick(x, image.x, zero),
        y: R::pick(y, image.y, zero),
        z: R::pick(z, image.z, zero),
    };
    let unit = |other: R::Mask, x: R| R::pick(other, zero, R::pick(x.below(zero), -one, one));
    let snapped = Real3 { x: unit(x, image.x), y: unit(y, image.y), z: unit(z, image.z) };
    (snapped, is_zero(leak.sum_abs()))
}

impl<R: Real> Level<R> {
    /// `turned`: whether the solid shows how it is turned.
    #[inline(always)]
    pub(super) fn new(
        position: Real3<R>,
        rotation: [R; 4],
        half_space: &Placed<R>,
        turned: bool,
    ) -> Self {
        let (stored, offset) = (half_space.vector(0), half_space.numbers[3]);
        let one = offset.all(1.0);
        // No more than one component, and of length 1.
        let long = stored.sum_abs();
        let mut known = is_axis(stored) & long.at_most(one) & one.at_most(long);
        let (turn, _) = Turn::scaled(half_space.rotation);
        let (outward, is_along) = snap(stored, turn.apply(stored));
        known = known & is_along;
        let mut up = outward;
        if turned {
            let (axes, _) = Turn::scaled(rotation);
            let (own, is_along) = snap(outward, axes.undo(outward));
            (up, known) = (own, known & is_along);
        }
        let there = half_space.position;
        let (away, error) = two_sum(outward.dot(position), -outward.dot(there));
        let (height, other) = two_sum(away, -offset);
        known = known & is_zero(error.abs() + other.abs());
        Self { known, outward, up, height }
    }

    /// Of a shape of this radius around a core that reaches this far down along the axis.
    #[inline(always)]
    pub(super) fn gap(&self, depth: R, radius: R) -> Gap<R> {
        Gap::of(self.known, self.height, [depth, radius])
    }
}
