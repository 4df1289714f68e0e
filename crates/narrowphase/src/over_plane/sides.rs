//! On which side of touch a shape and a half-space are, by numbers that are all too long by one and
//! the same factor, so that nothing waits for a quotient.

use impinge_shapes::convex::Solid;
use impinge_shapes::{HalfSpace, Pose};

use super::level::is_axis;
use super::{Deep, Facing, Ground, Plane, Shows, level_gap, level_of};
use crate::exact_pair::relation_of;
use crate::real::{Mask, Placed, Real, Real3, Turn, quaternion};
use crate::witness::{One, Sides};
use crate::{Relation, level, tolerance};

/// A placed solid as the boundary of a half-space sees it, all but the sizes times `scale`.
struct Long<R> {
    /// The half-space's normal, of its stored length, in the solid's frame.
    up: Real3<R>,
    /// Height of the solid's origin over the boundary, by such a normal.
    height: R,
    /// The squared lengths of the quaternions.
    scale: R,
    /// Of the stored normal.
    length: R,
    /// Sum of the lengths that went into the height.
    size: R,
}

impl<R: Real> Long<R> {
    /// `turned`: whether the solid shows how it is turned.
    #[inline(always)]
    fn new(position: Real3<R>, rotation: [R; 4], facing: &Facing<'_, R>, turned: bool) -> Self {
        let Facing { half_space, normal: mut up, norm: mut scale, .. } = *facing;
        let (stored, offset) = (half_space.vector(0), half_space.numbers[3]);
        let away = position - half_space.position;
        let mut height = up.dot(away) - offset * scale;
        if turned {
            let (axes, norm) = Turn::scaled(rotation);
            (up, height, scale) = (axes.undo(up), height * norm, scale * norm);
        }
        let size = away.sum_abs() + offset.abs();
        Self { up, height, scale, length: Plane::length(stored), size }
    }

    /// As [`Over`](super::Over) tells them, within its bound.
    #[inline(always)]
    fn sides(&self, depth: R, reach: Real3<R>, radius: R) -> Sides<R::Mask> {
        let excess = self.height - (depth + radius * (self.length * self.scale));
        let size = self.size + ((reach.x + reach.y) + (reach.z + radius));
        let noise = (size * self.scale) * size.all(2.0 * tolerance::FRAME);
        Sides::new(excess.abs().above(noise), excess.below(size.all(0.0)))
    }
}

/// Of a shape that is a few numbers.
#[inline(always)]
pub(crate) fn sides<T: Deep, R: Real>(solid: &Placed<R>, half_space: &Placed<R>) -> Sides<R::Mask> {
    let numbers = &solid.numbers;
    let facing = Facing::of(half_space);
    let told = if T::FLOOR_FIRST { Some(level_gap::<T, R>(solid, &facing).1) } else { None };
    if let Some(gap) = told
        && !(!gap.known).any()
    {
        return gap.sides();
    }
    let long = Long::new(solid.position, solid.rotation, &facing, T::TURNED);
    let depth = T::deepest(long.up, numbers).depth;
    let mut sides = long.sides(depth, T::reach(numbers), T::radius(numbers));
    if let Some(gap) = told {
        sides.certain = sides.certain & !gap.known;
        return gap.settle_sides(sides);
    }
    if (!sides.certain).any() {
        sides = level_gap::<T, R>(solid, &facing).1.settle_sides(sides);
    }
    sides
}

/// [`sides`] of one shape.
#[inline(always)]
pub(crate) fn sides_of_one<T: Deep + Shows>(
    solid: &One<'_, T>,
    half_space: &One<'_, HalfSpace>,
) -> Sides<bool> {
    if let Some(ground) = Ground::of(half_space.shape, half_space.pose) {
        ground.sides(solid.shape, solid.pose)
    } else {
        sides::<T, f64>(&solid.placed, &half_space.placed)
    }
}

/// How the two lie to each other, where that is certain.
#[inline(always)]
pub(crate) fn relation(
    solid: &Solid<'_>,
    pose: &Pose,
    half_space: &HalfSpace,
    plane_at: &Pose,
) -> Option<Relation> {
    if let Some(ground) = Ground::of(half_space, plane_at) {
        return ground.sides(solid, pose).told();
    }
    let plane = Placed::of(half_space, plane_at);
    let facing = Facing::of(&plane);
    let long = Long::new(pose.position().into(), quaternion(pose), &facing, true);
    let over_floor = || {
        let (_, gap) = level_of(solid, pose, half_space, plane_at)?;
        Some(relation_of(level::sign(gap.height)))
    };
    let may_stand = !solid.is_turned() || is_axis(long.up);
    if may_stand
        && solid.is_searched()
        && let Some(found) = over_floor()
    {
        return Some(found);
    }
    let depth = solid.deepest(long.up).depth;
    let sides = long.sides(depth, Shows::reach(solid), Shows::radius(solid));
    if sides.certain {
        return sides.told();
    }
    // Not by `then`, whose closure stays out of line.
    if may_stand { over_floor() } else { None }
}
