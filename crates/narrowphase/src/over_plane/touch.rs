//! First touch of shapes and half-spaces, either of which moves.

use impinge_shapes::glam::Vec3;
use impinge_shapes::{HalfSpace, Pose};

use super::deepest::{Deep, Deepest};
use super::{Facing, Level, Over, Seen, Shows, level_gap};
use crate::dispatch::Pair;
use crate::level::Gap;
use crate::real::{Mask, Placed, Real, Real3};
use crate::tolerance;
use crate::touch::{Going, Met, Touch};

impl<R: Real> Over<R> {
    /// The touch of a shape of this radius around a core whose lowest place in the world is known.
    ///
    /// `moves`: whether the shape is the mover; otherwise it is the half-space.
    #[inline(always)]
    fn touch(
        &self,
        (core, lowest): (&Deepest<R>, Real3<R>),
        (reach, radius): (Real3<R>, R),
        (moves, going): (R::Mask, Going<Real3<R>>),
        floor: impl FnOnce() -> Option<(Level<R>, Gap<R>)>,
    ) -> Touch<R> {
        let (noise, way) = (self.noise(reach, radius), going.by);
        let mut gap = self.distance(core, radius);
        let rise = self.outward.dot(way);
        let mut approach = R::pick(moves, -rise, rise);
        let noise_of_both = noise + noise.all(2.0 * tolerance::FRAME) * way.sum_abs();
        let beyond = approach - gap;
        let started = if going.starts { (-gap).above(noise) } else { moves.never() };
        let mut certain = started | (gap.above(noise) & beyond.abs().above(noise_of_both));
        let mut hits = started | beyond.above(noise.all(0.0));
        if (!certain).any()
            && let Some((level, height)) = floor()
        {
            let rise = level.outward.dot(way);
            let rise = R::pick(moves, -rise, rise);
            let (known, meets) = height.is_met(rise);
            gap = R::pick(certain, gap, height.height);
            approach = R::pick(certain, approach, rise);
            hits = (certain & hits) | (!certain & meets);
            certain = certain | known;
        }
        if !(certain & hits).any() {
            return Touch::none(certain, gap);
        }
        let fraction = R::pick(started, noise.all(0.0), gap / approach);
        let depth = R::pick(started, -gap, noise.all(0.0));
        let lowest = lowest - self.outward * radius;
        let met = lowest + (way * fraction + self.outward * depth);
        Touch {
            certain,
            hits,
            started,
            depth,
            fraction,
            normal: Real3::pick(moves, self.outward, -self.outward),
            point: Real3::pick(moves, met, lowest),
        }
    }
}

/// [`Touch`] of a shape that is a few numbers.
#[inline(always)]
pub(crate) fn touch<T: Deep, R: Real>(
    solid: &Placed<R>,
    half_space: &Placed<R>,
    moves: R::Mask,
    way: Going<Real3<R>>,
) -> Touch<R> {
    let facing = Facing::of(half_space);
    let over = Over::new(solid.position, solid.rotation, &facing);
    let core = T::deepest(over.up, &solid.numbers);
    let lowest = over.lowest::<T>(core.place);
    let (reach, radius) = (T::reach(&solid.numbers), T::radius(&solid.numbers));
    let floor = || {
        let (level, gap) = level_gap::<T, R>(solid, &facing);
        Some((level, gap.unless_touching(way.is_held())))
    };
    over.touch((&core, lowest), (reach, radius), (moves, way), floor)
}

/// [`sweep`] of a pair in its room's order of which A moves or B; `None` for other pairs, too.
#[inline(always)]
pub(crate) fn sweep_of_pair(
    pair: Pair<'_>,
    (pose_a, pose_b): (&Pose, &Pose),
    a_moves: bool,
    way: Going<Vec3>,
) -> Option<Option<Met>> {
    match pair {
        Pair::CapsuleHalfSpace(a, b) => sweep((a, pose_a), (b, pose_b), a_moves, way),
        Pair::CuboidHalfSpace(a, b) => sweep((a, pose_a), (b, pose_b), a_moves, way),
        Pair::ConvexHalfSpace(a, b) => sweep((&a, pose_a), (b, pose_b), a_moves, way),
        Pair::HalfSpaceSphere(a, b) => sweep((b, pose_b), (a, pose_a), !a_moves, way),
        _ => None,
    }
}

/// First touch, in the world, of two, one of which moves: `None` inside for none.
///
/// `moves`: whether the shape is the mover; otherwise it is the half-space.
#[inline(always)]
pub(crate) fn sweep<T: Shows>(
    (shape, pose): (&T, &Pose),
    (half_space, plane_at): (&HalfSpace, &Pose),
    moves: bool,
    way: Going<Vec3>,
) -> Option<Option<Met>> {
    let seen = Seen::new(shape, pose, half_space, plane_at);
    let way = way.with(Real3::from(way.by));
    let floor = || {
        let (level, gap) = seen.over_floor()?;
        Some((level, gap.unless_touching(way.is_held())))
    };
    if shape.is_searched()
        && let Some((level, gap)) = floor()
    {
        let rise = level.outward.dot(way.by);
        let (known, meets) = gap.is_met(if moves { -rise } else { rise });
        if known && !meets {
            return Some(None);
        }
    }
    let core = shape.deepest(seen.over.up);
    let (lowest, own) = (seen.lowest(core.place), (shape.reach(), shape.radius()));
    seen.over.touch((&core, lowest), own, (moves, way), floor).told()
}
