//! Bounded convex shapes over the boundary of a half-space, straight from the two poses.
//!
//! The plane's normal is taken into the shape's frame once, and what of the core lies deepest along
//! it is known in closed form. Where rounding might change a yes or no, and where a shape shows more
//! than a few points, the answer is `None` and the room is asked, whose answers these are.

use impinge_shapes::convex::Solid;
use impinge_shapes::{HalfSpace, Pose, Sphere, round};

use crate::level::Gap;
use crate::real::{Mask, Placed, Real, Real3, Turn, quaternion};
use crate::slot::Slot;
use crate::touch::{Going, Touch, Touching};
use crate::witness::{One, Room, Rounded, Witness};
use crate::{Closest, ContactPoint, Manifold, tolerance};

mod deepest;
mod eight;
mod face;
mod ground;
mod hull;
mod level;
mod plane;
mod points;
mod shows;
mod side_by_side;
mod sides;
mod touch;

pub(crate) use deepest::Deep;
use deepest::Deepest;
pub(crate) use eight::Eight;
pub(crate) use ground::Ground;
use level::Level;
pub(crate) use plane::{Facing, Plane, is_clear};
use points::{Look, Point, Shown};
pub(crate) use shows::Shows;
pub(crate) use sides::{relation, sides, sides_of_one};
pub(crate) use touch::{sweep, sweep_of_pair, touch};

/// A kind of pair of a bounded convex shape and a half-space.
pub(crate) trait OverPlane: Room<B = HalfSpace> {
    /// The shape as a half-space sees it.
    type Seen<'a>: Shows;

    /// The same.
    fn seen(a: &Self::A) -> Self::Seen<'_>;
}

impl<K: OverPlane<A: Deep>> Touching for K {
    #[inline(always)]
    fn touch<R: Real>(
        a: &Placed<R>,
        b: &Placed<R>,
        a_moves: R::Mask,
        way: Going<Real3<R>>,
    ) -> Touch<R> {
        touch::<K::A, R>(a, b, a_moves, way)
    }
}

/// What a [`Room`] answers of its own that is an [`OverPlane`].
macro_rules! seen_over_plane {
    () => {
        #[inline(always)]
        fn points(
            (a, pose_a): (&Self::A, &Pose),
            b: (&HalfSpace, &Pose),
            flipped: bool,
            margin: f64,
            found: &mut impl Slot,
        ) -> Option<()> {
            let seen = <Self as OverPlane>::seen(a);
            over_plane::fill((&seen, pose_a), b, flipped, margin, found)
        }

        #[inline(always)]
        fn first_touch(
            (a, pose_a): (&Self::A, &Pose),
            b: (&HalfSpace, &Pose),
            a_moves: bool,
            way: $crate::touch::Going<Vec3>,
        ) -> Option<Option<$crate::touch::Met>> {
            let seen = <Self as OverPlane>::seen(a);
            over_plane::sweep((&seen, pose_a), b, a_moves, way)
        }
    };
}
pub(crate) use seen_over_plane;

/// A placed solid as the boundary of a half-space sees it.
pub(crate) struct Over<R> {
    /// The solid's axes in the world, by `1 / per` too long.
    axes: Turn<R>,
    per: R,
    /// The solid's origin in the world.
    position: Real3<R>,
    /// Unit, out of the half-space, in the world.
    outward: Real3<R>,
    lie: Lie<R>,
}

/// How a solid lies to the boundary.
#[derive(Clone, Copy)]
pub(crate) struct Lie<R> {
    /// Unit, out of the half-space, in the solid's frame.
    up: Real3<R>,
    /// Height of the solid's origin over the boundary.
    height: R,
    /// Sum of the lengths that went into the height.
    size: R,
}

impl<R: Real> Over<R> {
    #[inline(always)]
    fn new(position: Real3<R>, rotation: [R; 4], facing: &Facing<'_, R>) -> Self {
        let plane = Plane::new(facing);
        let away = position - facing.half_space.position;
        let (axes, norm) = Turn::scaled(rotation);
        let per = norm.all(1.0) / norm;
        Self {
            axes,
            per,
            position,
            outward: plane.outward,
            lie: Lie {
                up: axes.undo(plane.outward) * per,
                height: plane.height(away),
                size: away.sum_abs() + plane.offset.abs(),
            },
        }
    }

    /// The distance of a shape of this radius around a core.
    #[inline(always)]
    fn distance(&self, core: &Deepest<R>, radius: R) -> R {
        self.lie.height - (core.depth + radius)
    }

    /// Bound within which a distance is the room's affair.
    ///
    /// Twice that of a room, whose coordinates are those of the solid's frame and may be smaller in
    /// sum by a factor of √3: so that the two never differ about what touches.
    #[inline(always)]
    fn noise(&self, reach: Real3<R>, radius: R) -> R {
        noise(self.lie.size, reach, radius)
    }

    /// Settles what is not certain by heights over floors, and takes these for its own there; of a
    /// shape that is searched everything there is over a floor.
    #[inline(always)]
    fn settle<T: Deep>(
        &mut self,
        solid: &Placed<R>,
        facing: &Facing<'_, R>,
        certain: &mut R::Mask,
        distance: &mut R,
    ) {
        if !T::SEARCHED && !(!*certain).any() {
            return;
        }
        let (level, gap) = level_gap::<T, R>(solid, facing);
        if T::SEARCHED {
            *certain = *certain & !gap.known;
        }
        let open = gap.known & !*certain;
        self.outward = Real3::pick(open, level.outward, self.outward);
        self.lie.up = Real3::pick(open, level.up, self.lie.up);
        self.lie.height = R::pick(open, level.height, self.lie.height);
        gap.settle(certain, distance);
    }

    /// A point of the solid's frame in the world.
    #[inline(always)]
    fn world(&self, point: Real3<R>) -> Real3<R> {
        self.position + self.axes.apply(point) * self.per
    }

    /// A point of the frame of a shape of this kind in the world; a ball has none but its centre.
    #[inline(always)]
    fn lowest<T: Deep>(&self, deepest: Real3<R>) -> Real3<R> {
        if T::TURNED { self.world(deepest) } else { self.position }
    }

    /// The witness of a shape of this radius around a core whose lowest place in the world is known.
    #[inline(always)]
    fn witness(&self, certain: R::Mask, distance: R, lowest: Real3<R>, radius: R) -> Witness<R> {
        let place = lowest - self.outward * radius;
        let (single, feature) = (certain.never(), distance.all(0.0));
        Witness::from_a((certain, single), distance, -self.outward, place, feature)
    }
}

/// As [`Over::noise`], of a shape whose height is a sum of lengths of this size.
#[inline(always)]
fn noise<R: Real>(size: R, reach: Real3<R>, radius: R) -> R {
    let own = (reach.x + reach.y) + (reach.z + radius);
    (size + own) * own.all(2.0 * tolerance::FRAME)
}

/// A shape that is a few numbers, over a floor.
#[inline(always)]
fn level_gap<T: Deep, R: Real>(solid: &Placed<R>, facing: &Facing<'_, R>) -> (Level<R>, Gap<R>) {
    let level = Level::new(solid.position, solid.rotation, facing, T::TURNED);
    let depth = T::level_depth(level.up, &solid.numbers);
    let gap = level.gap(depth, T::radius(&solid.numbers));
    (level, gap)
}

/// A ball over the boundary: the direction out of the half-space, the distance, and where that has a
/// proven sign.
#[inline(always)]
pub(crate) fn ball<R: Real>(ball: &Placed<R>, half_space: &Placed<R>) -> (Real3<R>, R, R::Mask) {
    let facing = Facing::of(half_space);
    let (level, gap) = level_gap::<Sphere, R>(ball, &facing);
    if !(!gap.known).any() {
        return (level.outward, gap.height, gap.known);
    }
    let (plane, radius) = (Plane::new(&facing), ball.numbers[0]);
    let center = ball.position - half_space.position;
    let distance = plane.height(center) - radius;
    let certain = gap.known | is_clear(distance, (center.sum_abs() + radius) + plane.offset.abs());
    let outward = Real3::pick(gap.known, level.outward, plane.outward);
    (outward, R::pick(gap.known, gap.height, distance), certain)
}

/// Settles distances that are not certain, where a shape is over a floor.
#[inline(always)]
pub(crate) fn settle<T: Deep, R: Real>(
    solid: &Placed<R>,
    facing: &Facing<'_, R>,
    certain: &mut R::Mask,
    distance: &mut R,
) {
    if (!*certain).any() {
        level_gap::<T, R>(solid, facing).1.settle(certain, distance);
    }
}

/// The witness of a shape that is a few numbers.
#[inline(always)]
pub(crate) fn witness<T: Deep, R: Real>(solid: &Placed<R>, half_space: &Placed<R>) -> Witness<R> {
    let facing = Facing::of(half_space);
    let mut over = Over::new(solid.position, solid.rotation, &facing);
    let core = T::deepest(over.lie.up, &solid.numbers);
    let radius = T::radius(&solid.numbers);
    let mut distance = over.distance(&core, radius);
    let mut certain = distance.abs().above(over.noise(T::reach(&solid.numbers), radius));
    over.settle::<T>(solid, &facing, &mut certain, &mut distance);
    over.witness(certain, distance, over.world(core.place), radius)
}

/// [`witness`] of one shape.
#[inline(always)]
pub(crate) fn witness_of_one<T: Shows>(
    solid: &One<'_, T>,
    half_space: &One<'_, HalfSpace>,
) -> Witness<f64> {
    let mut seen = Seen::new(solid.shape, solid.pose, half_space.shape, half_space.pose);
    let radius = solid.shape.radius();
    match seen.measured(false) {
        Some((deepest, distance)) => {
            seen.over.witness(true, distance, seen.lowest(deepest), radius)
        }
        None => seen.over.witness(false, 0.0, seen.over.position, radius),
    }
}

/// A shape as the boundary of a half-space sees it.
struct Seen<'a, T> {
    shape: &'a T,
    pose: &'a Pose,
    half_space: &'a HalfSpace,
    plane_at: &'a Pose,
    over: Over<f64>,
}

impl<'a, T: Shows> Seen<'a, T> {
    #[inline(always)]
    fn new(shape: &'a T, pose: &'a Pose, half_space: &'a HalfSpace, plane_at: &'a Pose) -> Self {
        let plane = Placed::of(half_space, plane_at);
        let over = Over::new(pose.position().into(), quaternion(pose), &Facing::of(&plane));
        Self { shape, pose, half_space, plane_at, over }
    }

    #[inline(always)]
    fn noise(&self) -> f64 {
        self.over.noise(self.shape.reach(), self.shape.radius())
    }

    /// The distance; `None` if rounding might hide its sign.
    #[inline(always)]
    fn distance(&mut self) -> Option<f64> {
        if self.shape.is_searched()
            && let Some(found) = self.over_floor()
        {
            return Some(self.stand(found));
        }
        Some(self.measured(true)?.1)
    }

    /// The core's deepest point, too; and where `points` are to follow, their heights over a floor.
    #[inline(always)]
    fn measured(&mut self, points: bool) -> Option<(Real3<f64>, f64)> {
        let core = self.shape.deepest(self.over.lie.up);
        let distance = self.over.distance(&core, self.shape.radius());
        let is_clear = distance.abs() > self.noise();
        if is_clear && !self.shape.is_searched() {
            return Some((core.place, distance));
        }
        let standing = if !points
            && self.may_stand()
            && let Some(ground) = Ground::of(self.half_space, self.plane_at)
        {
            // Its direction is known.
            ground.gap(self.shape, self.pose)
        } else {
            self.over_floor().map(|found| self.stand(found))
        };
        match standing {
            Some(distance) => Some((core.place, distance)),
            None if is_clear => Some((core.place, distance)),
            None => None,
        }
    }

    /// What is known over a floor.
    #[inline(always)]
    fn over_floor(&self) -> Option<(Level<f64>, Gap<f64>)> {
        if self.may_stand() {
            level_of(self.shape, self.pose, self.half_space, self.plane_at)
        } else {
            None
        }
    }

    /// Whether its height may be known over a floor.
    #[inline(always)]
    fn may_stand(&self) -> bool {
        !self.shape.is_turned() || level::is_axis(self.over.lie.up)
    }

    /// Takes the heights over a floor for its own.
    #[inline(always)]
    fn stand(&mut self, (level, gap): (Level<f64>, Gap<f64>)) -> f64 {
        self.over.outward = level.outward;
        self.over.lie.up = level.up;
        self.over.lie.height = level.height;
        gap.height
    }

    /// The core's lowest point in the world.
    #[inline(always)]
    fn lowest(&self, deepest: Real3<f64>) -> Real3<f64> {
        self.shape.lowest(&self.over, deepest)
    }
}

/// A shape over a floor, and its known distance.
#[inline]
fn level_of<T: Shows>(
    shape: &T,
    pose: &Pose,
    half_space: &HalfSpace,
    plane_at: &Pose,
) -> Option<(Level<f64>, Gap<f64>)> {
    match Ground::of(half_space, plane_at) {
        Some(ground) => ground.level(shape, pose),
        None => level_of_any(shape, pose, half_space, plane_at),
    }
}

/// The same over any half-space.
#[inline]
fn level_of_any<T: Shows>(
    shape: &T,
    pose: &Pose,
    half_space: &HalfSpace,
    plane_at: &Pose,
) -> Option<(Level<f64>, Gap<f64>)> {
    let plane = Placed::of(half_space, plane_at);
    let facing = Facing::of(&plane);
    let level = Level::new(pose.position().into(), quaternion(pose), &facing, shape.is_turned());
    let gap = level.gap(shape.level_depth(level.up), shape.radius());
    (gap.known && shape.has_exact_radius()).then_some((level, gap))
}

/// Zero or the distance.
#[inline(always)]
pub(crate) fn distance(
    solid: &Solid<'_>,
    pose: &Pose,
    half_space: &HalfSpace,
    plane_at: &Pose,
) -> Option<f32> {
    let distance = distance_of_one((solid, pose), (half_space, plane_at))?;
    Some(round::nearest(distance).max(0.0))
}

/// The distance of any kind of shape.
#[inline(always)]
pub(crate) fn distance_of_one<T: Shows>(
    (shape, pose): (&T, &Pose),
    (half_space, plane_at): (&HalfSpace, &Pose),
) -> Option<f64> {
    match Ground::of(half_space, plane_at) {
        Some(ground) => ground.distance(shape, pose),
        None => Seen::new(shape, pose, half_space, plane_at).distance(),
    }
}

/// Closest points, `None` inside for farther apart than `most`; `flipped`: the caller's A is the
/// half-space.
#[inline(always)]
pub(crate) fn closest(
    solid: &Solid<'_>,
    pose: &Pose,
    half_space: &HalfSpace,
    plane_at: &Pose,
    flipped: bool,
    most: f32,
) -> Option<Option<Closest>> {
    let mut seen = Seen::new(solid, pose, half_space, plane_at);
    let (deepest, distance) = seen.measured(false)?;
    // Not by `then`, whose closure stays out of line; and a limit that is no number finds nothing.
    Some(if round::nearest(distance) <= most {
        let found = seen.over.witness(true, distance, seen.lowest(deepest), seen.shape.radius());
        Some(found.rounded().oriented(flipped).closest())
    } else {
        None
    })
}

/// The manifold of a solid without a room of its own, `None` inside for none.
#[inline(always)]
pub(crate) fn manifold(
    solid: &Solid<'_>,
    pose: &Pose,
    half_space: &HalfSpace,
    plane_at: &Pose,
    flipped: bool,
    margin: f64,
) -> Option<Option<Manifold>> {
    let mut found = None;
    fill((solid, pose), (half_space, plane_at), flipped, margin, &mut found)?;
    Some(found)
}

/// The manifold of a shape, written where it stays: it is large.
#[inline(always)]
pub(crate) fn fill<T: Shows>(
    (shape, pose): (&T, &Pose),
    (half_space, plane_at): (&HalfSpace, &Pose),
    flipped: bool,
    margin: f64,
    found: &mut impl Slot,
) -> Option<()> {
    let mut seen = Seen::new(shape, pose, half_space, plane_at);
    let distance = seen.distance()?;
    if distance > margin {
        return Some(());
    }
    points(shape, &seen.over, &Look { lie: &seen.over.lie, distance, margin }, flipped, found)
}

/// The points of a shape that is within the margin.
#[inline(always)]
fn points<T: Shows>(
    shape: &T,
    over: &Over<f64>,
    look: &Look<'_, f64>,
    flipped: bool,
    found: &mut impl Slot,
) -> Option<()> {
    let mut shown = Shown::NONE;
    shape.show(look, &mut shown)?;
    let met = over.witness(true, look.distance, over.position, 0.0);
    let points = found.make(met.rounded().oriented(flipped).normal)?;
    for point in shown.points() {
        points.push(over.contact(&met, point, flipped));
    }
    Some(())
}

impl Over<f64> {
    /// A point in the world.
    #[inline(always)]
    fn contact(&self, met: &Witness<f64>, point: &Point, flipped: bool) -> ContactPoint {
        let point_a = self.world(point.place.into());
        let point_b = point_a + met.normal * point.height;
        let met = Witness { distance: point.height, point_a, point_b, ..*met };
        let Rounded { point_a, point_b, distance, .. } = met.rounded().oriented(flipped);
        ContactPoint { point_a, point_b, distance, feature: point.feature }
    }
}
