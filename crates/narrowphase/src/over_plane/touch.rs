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

/// What is known of a first touch before its place.
struct Arrival<R: Real> {
    /// Whether the shape is the mover; otherwise it is the half-space.
    moves: R::Mask,
    way: Real3<R>,
    /// Distance at the start, and by how much it becomes less.
    gap: R,
    approach: R,
    started: R::Mask,
    hits: R::Mask,
    certain: R::Mask,
}

impl<R: Real> Arrival<R> {
    /// Of a shape of this radius around a core.
    #[inline(always)]
    fn new(
        over: &Over<R>,
        core: &Deepest<R>,
        (reach, radius): (Real3<R>, R),
        (moves, going): (R::Mask, Going<Real3<R>>),
    ) -> Self {
        let (noise, way) = (over.noise(reach, radius), going.by);
        let gap = over.distance(core, radius);
        let approach = closing(over.outward, moves, way);
        let noise_of_both = noise + noise.all(2.0 * tolerance::FRAME) * way.sum_abs();
        let beyond = approach - gap;
        let started = if going.starts { (-gap).above(noise) } else { moves.never() };
        let certain = started | (gap.above(noise) & beyond.abs().above(noise_of_both));
        let hits = started | beyond.above(noise.all(0.0));
        Self { moves, way, gap, approach, started, hits, certain }
    }

    /// Settles what is not certain over a floor.
    #[inline(always)]
    fn settle(&mut self, level: &Level<R>, height: Gap<R>) {
        let Self { moves, way, certain, .. } = *self;
        let rise = closing(level.outward, moves, way);
        let (known, meets) = height.is_met(rise);
        self.gap = R::pick(certain, self.gap, height.height);
        self.approach = R::pick(certain, self.approach, rise);
        self.hits = (certain & self.hits) | (!certain & meets);
        self.certain = certain | known;
    }

    /// The touch of a shape of this radius around a core whose lowest place in the world is known.
    #[inline(always)]
    fn touch(&self, outward: Real3<R>, lowest: Real3<R>, radius: R) -> Touch<R> {
        let Self { moves, way, gap, approach, started, hits, certain } = *self;
        if !(certain & hits).any() {
            return Touch::none(certain, gap);
        }
        let zero = gap.all(0.0);
        let fraction = R::pick(started, zero, gap / approach);
        let depth = R::pick(started, -gap, zero);
        let lowest = lowest - outward * radius;
        let met = lowest + (way * fraction + outward * depth);
        Touch {
            certain,
            hits,
            started,
            depth,
            fraction,
            normal: Real3::pick(moves, outward, -outward),
            point: Real3::pick(moves, met, lowest),
        }
    }
}

/// How much less the distance becomes by the motion of the shape, where that moves, or of the
/// half-space.
#[inline(always)]
fn closing<R: Real>(outward: Real3<R>, moves: R::Mask, way: Real3<R>) -> R {
    let rise = outward.dot(way);
    R::pick(moves, -rise, rise)
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
    let core = T::deepest(over.lie.up, &solid.numbers);
    let lowest = over.lowest::<T>(core.place);
    let (reach, radius) = (T::reach(&solid.numbers), T::radius(&solid.numbers));
    let mut arrival = Arrival::new(&over, &core, (reach, radius), (moves, way));
    // Not by a closure, which stays out of line.
    if (!arrival.certain).any() {
        let (level, gap) = level_gap::<T, R>(solid, &facing);
        arrival.settle(&level, gap.unless_touching(way.is_held()));
    }
    arrival.touch(over.outward, lowest, radius)
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
    let mut floor = None;
    if shape.is_searched() {
        floor = seen.floor_below(&way);
        if let Some((level, gap)) = &floor
            && let (true, false) = gap.is_met(closing(level.outward, moves, way.by))
        {
            return Some(None);
        }
    }
    let core = shape.deepest(seen.over.lie.up);
    let radius = shape.radius();
    let mut arrival = Arrival::new(&seen.over, &core, (shape.reach(), radius), (moves, way));
    if !arrival.certain {
        if !shape.is_searched() {
            floor = seen.floor_below(&way);
        }
        if let Some((level, gap)) = &floor {
            arrival.settle(level, *gap);
        }
    }
    arrival.touch(seen.over.outward, seen.lowest(core.place), radius).told()
}

impl<T: Shows> Seen<'_, T> {
    /// What is known over a floor, but whether what touches it is met where that is held.
    #[inline(always)]
    fn floor_below(&self, way: &Going<Real3<f64>>) -> Option<(Level<f64>, Gap<f64>)> {
        let (level, gap) = self.over_floor()?;
        Some((level, gap.unless_touching(way.is_held())))
    }
}
