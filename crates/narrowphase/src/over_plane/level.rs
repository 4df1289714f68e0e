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
/// - Range: so do vectors of which no two components have a product that f64 has.
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

#[cfg(test)]
mod tests {
    use impinge_shapes::convex::Core;
    use impinge_shapes::glam::{Quat, Vec3};
    use impinge_shapes::{Cuboid, HalfSpace, Pose};

    use super::super::Deep;
    use super::*;
    use crate::convex::draw::Draw;
    use crate::level::Floor;
    use crate::real::{Numbers, quaternion};

    /// What is known side by side is what one by one is known, and that knows more.
    #[test]
    fn heights_are_those_of_floors() {
        let (mut known, mut turned_by_quarters, mut open) = (0, 0, 0);
        for seed in 0..20_000 {
            let mut draw = Draw(seed);
            let mut steps = |most: f32| (draw.next() * most).round() * 0.25;
            let mut point = |most: f32| Vec3::new(steps(most), steps(most), steps(most));
            let (half, place, there, signs) =
                (point(4.0).abs(), point(6.0), point(6.0), point(1.0));
            let offset = steps(4.0);
            let axis = usize::try_from(draw.below(3)).unwrap();
            let normal = Vec3::AXES[axis] * if signs.x < 0.0 { -1.0 } else { 1.0 };
            let tilted = normal + draw.vector() * 1e-3;
            let normal = if draw.below(8) == 0 { tilted } else { normal };
            let plane = HalfSpace::new(normal, offset).unwrap();
            let mut turn = || {
                let around = (Vec3::AXES[axis] * draw.next(), draw.next()).into();
                let quarters = (draw.vector().round(), 1.0).into();
                let anyhow = (draw.vector(), draw.next()).into();
                let all = [Quat::IDENTITY.into(), around, around, quarters, anyhow];
                Quat::from_vec4(all[usize::try_from(draw.below(5)).unwrap()])
            };
            let (Ok(pose), Ok(plane_at)) = (Pose::new(place, turn()), Pose::new(there, turn()))
            else {
                continue;
            };
            let solid = Cuboid::new(half).unwrap();
            let below = Placed::of(&plane, &plane_at);
            let level = Level::new(place.into(), quaternion(&pose), &below, true);
            let gap = level.gap(Cuboid::deepest(level.up, &solid.wide()).depth, 0.0);
            let floor = Floor::new(&plane, &plane_at, &pose);
            let expected =
                floor.and_then(|floor| floor.gap(&pose, &Core::Cuboid(half), Vec3::ZERO, [0.0; 2]));
            if gap.known {
                assert_eq!(expected, Some(gap.height), "seed {seed}");
                known += 1;
            } else if expected.is_some() {
                turned_by_quarters += 1;
            } else {
                open += 1;
            }
        }
        let seen = [known, turned_by_quarters, open];
        assert!(seen.iter().all(|&count| count > 1_000), "{seen:?}");
    }
}
