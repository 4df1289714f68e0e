//! Sweeps of any placed shape along a line to any other.

use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Pose, Shape, round};

use crate::convex::{self, Course};
use crate::dispatch::{Pair, Simple};
use crate::level::may_have_own;
use crate::pairs::capsule_half_space::CapsuleHalfSpace;
use crate::pairs::convex_half_space::{
    ConeHalfSpace, CylinderHalfSpace, HullHalfSpace, RoundCuboidHalfSpace, RoundedHalfSpace,
    TriangleHalfSpace,
};
use crate::pairs::cuboid_half_space::CuboidHalfSpace;
use crate::pairs::half_space_sphere::HalfSpaceSphere;
use crate::pairs::sphere_sphere::SphereSphere;
use crate::parts::Leaf;
use crate::surface::Deepest;
use crate::sweep_bounds::SweepBounds;
use crate::touch::{Going, Met};
use crate::witness::{self, Room};
use crate::{
    Impact, Relation, Relative, ShapeSweepHit, SweepOptions, over_plane, surface, tolerance,
};

mod of_parts;

use of_parts::of_parts;

/// Where `mover`, going by `displacement` without turning, first touches `target`.
///
/// - Frame: `displacement` and the result are in the world.
/// - Normal: out of the target, against the motion. At an edge within a mesh or a height field,
///   whichever of the two it is, it is the triangle's.
/// - Ties: the deeper of two overlaps at the start, then the first pair of parts (the mover's
///   first), then the rules of the pair's room.
/// - Degenerate: zero displacement is an overlap test; a displacement that is not finite hits
///   nothing.
/// - Error: `fraction` is rounded to nearest; the rooms state the error before that.
///
/// ```
/// use impinge_narrowphase::{SweepOptions, sweep};
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let (ball, wall) = (Shape::sphere(1.0)?, Shape::half_space(Vec3::NEG_X, -5.0)?);
/// let (start, options) = (Pose::IDENTITY, SweepOptions::default());
/// let hit = sweep(&ball, &start, Vec3::X * 8.0, &wall, &start, &options).expect("it is in the way");
/// assert_eq!((hit.fraction, hit.distance, hit.normal), (0.5, 4.0, Vec3::NEG_X));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn sweep(
    mover: &Shape,
    pose: &Pose,
    displacement: Vec3,
    target: &Shape,
    target_pose: &Pose,
    options: &SweepOptions,
) -> Option<ShapeSweepHit> {
    if !displacement.is_finite() {
        return None;
    }
    // Each call is the last, so that the answer is made where it stays: it is large.
    let look = match (mover, target) {
        (Shape::Sphere(_), Shape::Sphere(_)) => of_kind::<SphereSphere>,
        (solid, Shape::HalfSpace(_)) | (Shape::HalfSpace(_), solid) => match solid {
            Shape::Sphere(_) => of_kind::<HalfSpaceSphere>,
            Shape::Cuboid(_) => of_kind::<CuboidHalfSpace>,
            Shape::Capsule(_) => of_kind::<CapsuleHalfSpace>,
            Shape::Cylinder(_) => of_kind::<CylinderHalfSpace>,
            Shape::Cone(_) => of_kind::<ConeHalfSpace>,
            Shape::Triangle(_) => of_kind::<TriangleHalfSpace>,
            Shape::ConvexHull(_) => of_kind::<HullHalfSpace>,
            Shape::Rounded(it) if matches!(it.core(), Shape::Cuboid(_)) => {
                of_kind::<RoundCuboidHalfSpace>
            }
            Shape::Rounded(_) => of_kind::<RoundedHalfSpace>,
            Shape::HalfSpace(_)
            | Shape::TriangleMesh(_)
            | Shape::HeightField(_)
            | Shape::Compound(_) => sweep_of_any,
        },
        _ => sweep_of_any,
    };
    look(mover, pose, displacement, target, target_pose, options)
}

/// [`sweep`] of two shapes of one part of a kind whose first touch plain numbers may tell.
#[inline(never)]
fn of_kind<K: Room>(
    mover: &Shape,
    pose: &Pose,
    displacement: Vec3,
    target: &Shape,
    target_pose: &Pose,
    options: &SweepOptions,
) -> Option<ShapeSweepHit> {
    let look = match K::of(mover, target) {
        Some((a, b, flipped)) => {
            let (p, q) = if flipped { (target_pose, pose) } else { (pose, target_pose) };
            let way = Going::new(displacement, options);
            K::first_touch((a, p), (b, q), !flipped, way)
        }
        None => None,
    };
    match look {
        Some(found) => answer(found, displacement),
        None => looked_at(mover, pose, displacement, target, target_pose, options),
    }
}

/// What plain numbers tell, as an answer.
#[inline(always)]
fn answer(found: Option<Met>, displacement: Vec3) -> Option<ShapeSweepHit> {
    // Not by `map`, whose closure may stay out of line.
    let Met { impact, started, depth } = found?;
    let mut hit = hit_of(&impact, displacement);
    (hit.started_overlapping, hit.depth) = (started, round::nearest(depth));
    Some(hit)
}

/// [`sweep`] of two shapes of one part, of which a first look has told nothing.
#[cold]
#[inline(never)]
fn looked_at(
    mover: &Shape,
    pose: &Pose,
    displacement: Vec3,
    target: &Shape,
    target_pose: &Pose,
    options: &SweepOptions,
) -> Option<ShapeSweepHit> {
    let (a, b) = (Simple::of(mover)?, Simple::of(target)?);
    let (mover, target) = (Leaf::whole(a, pose), Leaf::whole(b, target_pose));
    sweep_in_room(&mover, displacement, &target, options, &Known::NOTHING).1
}

/// [`sweep`] of shapes of any kind.
#[inline(never)]
fn sweep_of_any(
    mover: &Shape,
    pose: &Pose,
    displacement: Vec3,
    target: &Shape,
    target_pose: &Pose,
    options: &SweepOptions,
) -> Option<ShapeSweepHit> {
    if let (Some(a), Some(b)) = (Simple::of(mover), Simple::of(target)) {
        let (mover, target) = (Leaf::whole(a, pose), Leaf::whole(b, target_pose));
        return sweep_of_pair(&mover, displacement, &target, options, &Known::NOTHING).1;
    }
    of_parts((mover, pose), displacement, (target, target_pose), options)
}

/// The hit of an impact in the world, of shapes of one part that do not overlap at the start.
#[inline(always)]
fn hit_of(impact: &Impact, displacement: Vec3) -> ShapeSweepHit {
    let distance = impact.fraction * displacement.as_dvec3().length();
    let (distance, point) = witness::rounded_place(distance, impact.point.into());
    ShapeSweepHit {
        fraction: witness::narrow(impact.fraction),
        distance,
        point,
        normal: witness::narrow_vec(impact.normal.into()),
        started_overlapping: false,
        depth: 0.0,
        part_mover: 0,
        part: 0,
    }
}

/// [`sweep`] of two shapes of which [`sweep_bounds`](crate::sweep_bounds) has told something: the
/// same answer, with less to find out.
///
/// - Ties: as [`sweep`].
///
/// ```
/// use impinge_narrowphase::sweep_bounds::{SweepAt, of_boxes};
/// use impinge_narrowphase::{SweepOptions, sweep, sweep_within};
/// use impinge_shapes::{Cuboid, Pose, Shape, glam::Vec3, simd::simd_level};
///
/// let cube = Cuboid::new(Vec3::ONE)?;
/// let (start, there) = (Pose::IDENTITY, Pose::from_position(Vec3::X * 4.0)?);
/// let (pose, target_pose, displacement) = (&start, &there, Vec3::X * 4.0);
/// let mut found = Vec::new();
/// let at = SweepAt { mover: &cube, pose, displacement, target: &cube, target_pose };
/// of_boxes(&[at], simd_level(), &mut found);
/// let (cube, options) = (Shape::from(cube), SweepOptions::default());
/// let hit = sweep_within(&cube, pose, displacement, &cube, target_pose, &options, &found[0]);
/// assert_eq!(hit, sweep(&cube, pose, displacement, &cube, target_pose, &options));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn sweep_within(
    mover: &Shape,
    pose: &Pose,
    displacement: Vec3,
    target: &Shape,
    target_pose: &Pose,
    options: &SweepOptions,
    bounds: &SweepBounds,
) -> Option<ShapeSweepHit> {
    let known = bounds.relation();
    match (Simple::of(mover), Simple::of(target)) {
        (Some(a), Some(b)) if known.is_some() => {
            let (mover, target) = (Leaf::whole(a, pose), Leaf::whole(b, target_pose));
            let known = Known { relation: known, ..Known::NOTHING };
            sweep_of_pair(&mover, displacement, &target, options, &known).1
        }
        _ => sweep(mover, pose, displacement, target, target_pose, options),
    }
}

/// Whether a mover goes along what it overlaps, or out.
fn goes_out(hit: &ShapeSweepHit, displacement: Vec3) -> bool {
    let way = displacement.as_dvec3();
    hit.normal.as_dvec3().dot(way) >= -tolerance::GOING_ALONG * way.length()
}

/// What is known of a pair before it is looked at.
#[derive(Clone, Copy)]
struct Known<'a> {
    /// How the two lie at the start.
    relation: Option<Relation>,
    /// What an axis of the world tells of the path.
    course: Option<Option<Course>>,
    /// The target's frame, and the mover in it.
    at: Option<&'a Relative>,
    /// A touch after this share of the way may be left out.
    most: f64,
    /// An overlap at the start that is no deeper, and of parts that come later if as deep, may be left
    /// out.
    deepest: Option<Deepest>,
}

impl Known<'_> {
    const NOTHING: Self = Self { relation: None, course: None, at: None, most: 1.0, deepest: None };
}

/// How the two lie at the start, and the hit.
#[inline]
fn sweep_of_pair(
    mover: &Leaf<'_>,
    displacement: Vec3,
    target: &Leaf<'_>,
    options: &SweepOptions,
    known: &Known<'_>,
) -> (Relation, Option<ShapeSweepHit>) {
    if mover.surface.is_none() && target.surface.is_none() {
        let (pair, flipped) = Pair::of(&mover.simple, &target.simple);
        let (a, b) = if flipped { (target, mover) } else { (mover, target) };
        let poses = (&a.pose, &b.pose);
        let way = Going::new(displacement, options);
        if let Some(found) = over_plane::sweep_of_pair(pair, poses, !flipped, way) {
            let (part_mover, part) = (mover.part, target.part);
            let hit = answer(found, displacement);
            // Whether they touched counts beside surfaces alone.
            let started = hit.is_some_and(|hit| hit.started_overlapping);
            let relation = if started { Relation::Penetrating } else { Relation::Apart };
            return (relation, hit.map(|hit| ShapeSweepHit { part_mover, part, ..hit }));
        }
    }
    sweep_in_room(mover, displacement, target, options, known)
}

/// The path where an axis of the world tells that nowhere on it the two penetrate.
#[inline]
fn course_of(mover: &Leaf<'_>, displacement: Vec3, target: &Leaf<'_>) -> Option<Course> {
    if !(may_have_own(&mover.pose) && may_have_own(&target.pose)) {
        return None;
    }
    course_of_level(mover, displacement, target)
}

/// Out of the way of those that are askew.
#[inline(never)]
fn course_of_level(mover: &Leaf<'_>, displacement: Vec3, target: &Leaf<'_>) -> Option<Course> {
    let (a, b) = (target.simple.solid()?, mover.simple.solid()?);
    convex::level_course((&a, &target.pose), (&b, &mover.pose), displacement)
}

/// [`sweep_of_pair`] without the first look.
fn sweep_in_room(
    mover: &Leaf<'_>,
    displacement: Vec3,
    target: &Leaf<'_>,
    options: &SweepOptions,
    known: &Known<'_>,
) -> (Relation, Option<ShapeSweepHit>) {
    let (pair, flipped) = Pair::of(&target.simple, &mover.simple);
    let of_its_own;
    let at = match (known.at, pair) {
        (Some(at), Pair::ConvexConvex(..)) if !flipped => at,
        _ => {
            of_its_own = pair.frame(&target.pose, &mover.pose, flipped);
            &of_its_own
        }
    };
    // In the room's order A rests: if that is the mover, the target moves the other way instead.
    let motion = if flipped { -displacement } else { displacement };
    let outward = if flipped { -1.0 } else { 1.0 };
    let hit = |fraction: f64, normal: DVec3, point: DVec3, depth: f64, started: bool| {
        let travel = if flipped { displacement.as_dvec3() * fraction } else { DVec3::ZERO };
        let point = at.point_to_world(point) + travel;
        let normal = at.vector_to_world(normal * outward);
        let way = displacement.as_dvec3();
        let normal = surface::smoothed_normal(normal, point, target, way);
        // The edges of a mover are known where it was at the start, and what it hits comes to it.
        let at_start = point - way * fraction;
        let normal = -surface::smoothed_normal(-normal, at_start, mover, -way);
        ShapeSweepHit {
            started_overlapping: started,
            depth: round::nearest(depth),
            part_mover: mover.part,
            part: target.part,
            ..hit_of(&Impact { fraction, normal, point }, displacement)
        }
    };
    let met = |impact: Impact| {
        hit(impact.fraction.clamp(0.0, 1.0), impact.normal, impact.point, 0.0, false)
    };
    let resting = displacement.cmpeq(Vec3::ZERO).all();
    let course = known.course.unwrap_or_else(|| course_of(mover, displacement, target));
    if course == Some(Course::Clear) {
        return (Relation::Apart, None);
    }
    let mut relation = known.relation;
    if course == Some(Course::Along) && !resting && !options.stop_on_touch {
        let found = relation.unwrap_or_else(|| pair.relation(at));
        if found == Relation::Touching {
            return (found, None);
        }
        relation = Some(found);
    }
    if relation.is_none_or(|known| known == Relation::Apart)
        && let Some(impact) = pair.sweep_from_afar(at, motion, known.most)
    {
        return (Relation::Apart, impact.map(met));
    }
    let relation = relation.unwrap_or_else(|| pair.relation(at));
    let started = relation == Relation::Penetrating;
    if started && options.skip_started {
        return (relation, None);
    }
    if started || (relation == Relation::Touching && (resting || options.stop_on_touch)) {
        let found = pair.closest(at);
        let on_target = if flipped { found.point_b } else { found.point_a };
        let depth = if started { (-found.distance).max(0.0) } else { 0.0 };
        let parts = (mover.part, target.part);
        let is_before = |it: Deepest| it.is_before(-round::nearest(depth), parts);
        if started && known.deepest.is_some_and(is_before) {
            return (relation, None);
        }
        let hit = hit(0.0, found.normal, on_target, depth, started);
        let leaves = started && options.skip_leaving && !resting && goes_out(&hit, displacement);
        return (relation, (!leaves).then_some(hit));
    }
    if resting {
        return (relation, None);
    }
    let impact = match pair {
        Pair::ConvexConvex(a, b) => convex::sweep_from(a, b, at, motion, relation),
        _ => pair.sweep(at, motion),
    };
    (relation, impact.map(met))
}
