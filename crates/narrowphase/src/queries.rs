//! The public queries between any two placed shapes.
//!
//! Shapes of several parts are taken apart, poses become [`Relative`] frames, and the rooms' f64
//! answers become f32 answers in the world.

use std::ops::ControlFlow;

use impinge_shapes::convex::Solid;
use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{Pose, Shape, Sphere, round};
use smallvec::SmallVec;

use crate::common::answer_known_kinds;
use crate::convex::glance;
use crate::dispatch::{Pair, Simple};
use crate::pairs::sphere_sphere::SphereSphere;
use crate::parts::{self, Leaf};
use crate::sweep_bounds::SweepBounds;
use crate::{
    Closest, Manifold, Projection, Relation, Relative, ShapeSweepHit, SweepOptions, common, convex,
    surface, tolerance,
};

/// How two placed shapes lie to each other.
///
/// - Error: none for half-spaces, spheres, capsules, boxes, triangles and hulls, grown or not, nor
///   for what is made of them. With a cylinder or a cone, distances within 2^-44 of the pair's
///   size count as touching, beside parallel round sides those within 2^-30.
/// - Degenerate: shapes of several parts are penetrating if any two parts are.
///
/// ```
/// use impinge_narrowphase::{Relation, relation};
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let ball = Shape::sphere(1.0)?;
/// let at = Pose::from_position(Vec3::X * 2.0)?;
/// assert_eq!(relation(&ball, &Pose::IDENTITY, &ball, &at), Relation::Touching);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn relation(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Relation {
    answer_known_kinds!(a, b, relation_of_kind(pose_a, pose_b));
    if let (Shape::ConvexHull(a), Shape::ConvexHull(b)) = (a, b)
        && let Some(found) = glance::relation(SimdLevel::detected(), (a, pose_a), (b, pose_b))
    {
        return found;
    }
    relation_of_any(a, pose_a, b, pose_b)
}

#[inline(never)]
fn relation_of_any(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Relation {
    if let (Some(a), Some(b)) = (Simple::of(a), Simple::of(b)) {
        return relation_of_pair(&a, pose_a, &b, pose_b);
    }
    let mut found = Relation::Apart;
    // Whether it ended early does not matter.
    let _ = parts::for_each_leaf_pair((a, pose_a), (b, pose_b), 0.0, &mut |a, b, at| {
        match relation_of_leaves(&a, &b, at) {
            Relation::Apart => ControlFlow::Continue(()),
            Relation::Touching => {
                found = Relation::Touching;
                ControlFlow::Continue(())
            }
            Relation::Penetrating => {
                found = Relation::Penetrating;
                ControlFlow::Break(())
            }
        }
    });
    found
}

/// [`relation_of_pair`] of parts, in their frame where it is known.
fn relation_of_leaves(a: &Leaf<'_>, b: &Leaf<'_>, at: Option<&Relative>) -> Relation {
    match (at, Pair::of(&a.simple, &b.simple)) {
        (Some(at), (pair @ Pair::ConvexConvex(..), false)) => pair.relation(at),
        _ => relation_of_pair(&a.simple, &a.pose, &b.simple, &b.pose),
    }
}

#[inline(never)]
fn relation_of_pair(a: &Simple<'_>, pose_a: &Pose, b: &Simple<'_>, pose_b: &Pose) -> Relation {
    let (pair, flipped) = Pair::of(a, b);
    common::relation(pair, flipped, pose_a, pose_b)
}

/// Whether two placed shapes have a common point: touching counts.
///
/// ```
/// use impinge_narrowphase::overlaps;
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let ball = Shape::sphere(1.0)?;
/// let touching = Pose::from_position(Vec3::new(0.0, 2.0, 0.0)).expect("finite");
/// assert!(overlaps(&ball, &Pose::IDENTITY, &ball, &touching));
/// # Ok::<(), impinge_shapes::SphereError>(())
/// ```
#[must_use]
pub fn overlaps(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    answer_known_kinds!(a, b, overlaps_of_kind(pose_a, pose_b));
    if let (Shape::ConvexHull(a), Shape::ConvexHull(b)) = (a, b) {
        glance::prefetch(a, b);
        if let Some(found) = glance::relation(SimdLevel::detected(), (a, pose_a), (b, pose_b)) {
            return found.overlaps();
        }
    }
    overlaps_of_any(a, pose_a, b, pose_b)
}

#[inline(never)]
fn overlaps_of_any(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    if let (Some(a), Some(b)) = (Simple::of(a), Simple::of(b)) {
        return relation_of_pair(&a, pose_a, &b, pose_b).overlaps();
    }
    parts::for_each_leaf_pair((a, pose_a), (b, pose_b), 0.0, &mut |a, b, at| {
        let found = relation_of_leaves(&a, &b, at);
        if found.overlaps() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .is_break()
}

/// Signed distance of two placed shapes, with the points that witness it.
///
/// `None` means farther apart than `max_distance`, which may be infinite.
///
/// - Frame: the result is in the world.
/// - Sign: positive apart, zero touching, negative by the depth of overlap; it never contradicts
///   [`overlaps`], but for gaps and depths that f32 cannot tell from zero.
/// - Normal: unit, from A to B. Moving B by `-distance * normal` leaves the two just touching; for
///   overlapping shapes of several parts this holds for the reported parts, which are the deepest
///   pair.
/// - Ties: the first pair of parts, then the rules of the pair's room.
/// - Degenerate: a `max_distance` that is NaN finds nothing, a negative one only overlaps at least
///   that deep.
///
/// ```
/// use impinge_narrowphase::closest;
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let (cube, ball) = (Shape::cuboid(Vec3::ONE)?, Shape::sphere(0.5)?);
/// let at = Pose::from_position(Vec3::X * 4.0)?;
/// let near = closest(&cube, &Pose::IDENTITY, &ball, &at, 9.0).expect("within the limit");
/// assert_eq!((near.distance, near.point_a, near.normal), (2.5, Vec3::X, Vec3::X));
/// assert!(closest(&cube, &Pose::IDENTITY, &ball, &at, 2.0).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn closest(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    max_distance: f32,
) -> Option<Closest> {
    if let (Shape::Sphere(a), Shape::Sphere(b)) = (a, b) {
        return common::closest_inline::<SphereSphere>(a, b, false, pose_a, pose_b, max_distance);
    }
    answer_known_kinds!(a, b, closest_of_kind(pose_a, pose_b, max_distance));
    closest_of_any(a, pose_a, b, pose_b, max_distance)
}

#[inline(never)]
fn closest_of_any(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    max_distance: f32,
) -> Option<Closest> {
    if let (Some(a), Some(b)) = (Simple::of(a), Simple::of(b)) {
        return closest_of_pair(&a, pose_a, &b, pose_b, max_distance);
    }
    let mut best: Option<Closest> = None;
    // A little farther than the limit, for what rounds to it.
    let reach = if max_distance.is_nan() { 0.0 } else { max_distance.next_up().into() };
    parts::nearest_leaves((a, pose_a), (b, pose_b), reach, &mut |a, b, at| {
        let most = best.map_or(f32::INFINITY, |best| best.distance);
        let found = closest_of_leaves(&a, &b, at, most).map(|found| Closest {
            part_a: a.part,
            part_b: b.part,
            ..found
        });
        if let Some(found) = found
            && best.is_none_or(|best| is_closer(&found, &best))
        {
            best = Some(found);
        }
        // As far as what rounds to the same distance, which may come first among equals.
        best.map_or(reach, |best| reach.min(best.distance.next_up().into()))
    });
    best.filter(|best| best.distance <= max_distance)
}

/// Closer, or as close and of parts that come first.
fn is_closer(a: &Closest, b: &Closest) -> bool {
    let parts = |x: &Closest| (x.part_a, x.part_b);
    a.distance < b.distance || (a.distance <= b.distance && parts(a) < parts(b))
}

/// [`closest_of_pair`] of parts, in their frame where it is known.
fn closest_of_leaves(
    a: &Leaf<'_>,
    b: &Leaf<'_>,
    at: Option<&Relative>,
    max_distance: f32,
) -> Option<Closest> {
    match (at, Pair::of(&a.simple, &b.simple)) {
        (Some(at), (pair @ Pair::ConvexConvex(..), false)) => {
            common::closest_at(pair, false, at, max_distance)
        }
        _ => closest_of_pair(&a.simple, &a.pose, &b.simple, &b.pose, max_distance),
    }
}

#[inline(never)]
fn closest_of_pair(
    a: &Simple<'_>,
    pose_a: &Pose,
    b: &Simple<'_>,
    pose_b: &Pose,
    max_distance: f32,
) -> Option<Closest> {
    let (pair, flipped) = Pair::of(a, b);
    if let Pair::ConvexConvex(a, b) = &pair {
        prefetch(a, b);
    }
    common::closest(pair, flipped, pose_a, pose_b, max_distance)
}

/// Distance of two placed shapes, and zero where they touch or overlap.
///
/// The same as that of [`closest`], but for its sign, and sooner for convex shapes that overlap,
/// whose depth nobody asks for.
///
/// ```
/// use impinge_narrowphase::distance;
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let ball = Shape::sphere(1.0)?;
/// let at = |x| Pose::from_position(Vec3::new(x, 0.0, 0.0)).expect("finite");
/// assert_eq!(distance(&ball, &at(0.0), &ball, &at(5.0)), 3.0);
/// assert_eq!(distance(&ball, &at(0.0), &ball, &at(1.0)), 0.0);
/// # Ok::<(), impinge_shapes::SphereError>(())
/// ```
#[must_use]
pub fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f32 {
    if let (Some(a), Some(b)) = (Simple::of(a), Simple::of(b)) {
        return distance_of_pair((&a, pose_a), (&b, pose_b), None, f32::INFINITY);
    }
    let mut best = f32::INFINITY;
    parts::nearest_leaves((a, pose_a), (b, pose_b), f64::INFINITY, &mut |a, b, at| {
        if best > 0.0 {
            let (a, b) = ((&a.simple, &a.pose), (&b.simple, &b.pose));
            best = best.min(distance_of_pair(a, b, at, best));
        }
        // Nothing is nearer than what touches.
        if best > 0.0 { best.into() } else { f64::NEG_INFINITY }
    });
    best
}

/// Zero, the distance, or infinity for more than the limit; of two convex solids in their frame
/// where it is known.
#[inline(never)]
fn distance_of_pair(
    (a, pose_a): (&Simple<'_>, &Pose),
    (b, pose_b): (&Simple<'_>, &Pose),
    at: Option<&Relative>,
    limit: f32,
) -> f32 {
    let (pair, flipped) = Pair::of(a, b);
    if let Pair::ConvexConvex(solid_a, solid_b) = pair {
        prefetch(&solid_a, &solid_b);
        let clearance = |at: &Relative| convex::clearance(solid_a, solid_b, at, limit.into());
        let found = at.map_or_else(|| clearance(&Relative::new(pose_a, pose_b)), clearance);
        return round::nearest(found);
    }
    common::closest(pair, flipped, pose_a, pose_b, limit)
        .map_or(f32::INFINITY, |found| found.distance.max(0.0))
}

/// Has two solids fetched if they are hulls, which lie elsewhere in memory.
#[inline]
fn prefetch(a: &Solid<'_>, b: &Solid<'_>) {
    if let Some((a, b)) = glance::hulls(a, b) {
        glance::prefetch(a, b);
    }
}

/// The point of a placed shape's boundary nearest to a world point, and how far it is.
///
/// `None` means farther than `max_distance`, or a point that is not finite.
///
/// - Frame: the point and the result are in the world.
/// - Sign: `distance` is positive outside, zero on the boundary, negative inside; a surface has no
///   inside.
/// - Ties, Degenerate: as [`closest`] with a sphere without radius.
///
/// ```
/// use impinge_narrowphase::project_point;
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let ball = Shape::sphere(2.0)?;
/// let inside = project_point(&ball, &Pose::IDENTITY, Vec3::X, 9.0).expect("no limit matters");
/// assert_eq!((inside.distance, inside.point), (-1.0, Vec3::X * 2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn project_point(
    shape: &Shape,
    pose: &Pose,
    point: Vec3,
    max_distance: f32,
) -> Option<Projection> {
    let at = Pose::from_position(point).ok()?;
    let tip = Shape::from(Sphere::new(0.0).ok()?);
    let found = closest(shape, pose, &tip, &at, max_distance)?;
    Some(Projection {
        distance: found.distance,
        normal: found.normal,
        point: found.point_a,
        part: found.part_a,
    })
}

/// Contact points of two placed shapes that are at most `margin` apart, one manifold for each pair
/// of parts in contact; empty when there is none.
///
/// - Frame: the result is in the world.
/// - Normal: unit, from A to B. At an edge within a mesh or a height field, where the surface goes
///   on level or rises, it is the triangle's.
/// - Ties: manifolds in the order of A's parts, then B's; points by feature.
/// - Degenerate: a `margin` that is negative or NaN counts as 0.
///
/// ```
/// use impinge_narrowphase::manifolds;
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let (floor, cube) = (Shape::half_space(Vec3::Y, 0.0)?, Shape::cuboid(Vec3::ONE)?);
/// let at = Pose::from_position(Vec3::Y * 0.75)?;
/// let found = manifolds(&floor, &Pose::IDENTITY, &cube, &at, 0.0);
/// assert_eq!((found.len(), found[0].points.len(), found[0].normal), (1, 4, Vec3::Y));
/// assert_eq!(found[0].distance(), -0.25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn manifolds(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    margin: f32,
) -> SmallVec<[Manifold; 1]> {
    let margin = margin.max(0.0);
    let mut found: SmallVec<[Manifold; 1]> = SmallVec::new();
    if let (Some(a), Some(b)) = (Simple::of(a), Simple::of(b)) {
        let whole = |simple, pose: &Pose| Leaf { part: 0, pose: *pose, simple, surface: None };
        found.extend(manifold_of_pair(&whole(a, pose_a), &whole(b, pose_b), None, margin));
        return found;
    }
    let _ = parts::for_each_leaf_pair((a, pose_a), (b, pose_b), margin, &mut |a, b, at| {
        found.extend(manifold_of_pair(&a, &b, at, margin));
        ControlFlow::Continue(())
    });
    found.sort_by_key(|manifold| (manifold.part_a, manifold.part_b));
    found
}

/// The manifold of two simple shapes, or of the deepest pair of parts; see [`manifolds`].
///
/// ```
/// use impinge_narrowphase::{manifold, manifolds};
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let at = |x: f32| Pose::from_position(Vec3::X * x).unwrap();
/// let (small, large) = (Shape::sphere(1.0)?, Shape::sphere(1.5)?);
/// let dumbbell = Shape::compound([(at(-2.0), small), (at(2.0), large)])?;
/// let floor = Shape::half_space(Vec3::Y, 0.0)?;
/// let low = Pose::from_position(Vec3::Y * 0.75)?;
/// assert_eq!(manifolds(&dumbbell, &low, &floor, &Pose::IDENTITY, 0.0).len(), 2);
/// let deepest = manifold(&dumbbell, &low, &floor, &Pose::IDENTITY, 0.0).unwrap();
/// assert_eq!((deepest.part_a, deepest.distance()), (1, -0.75));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn manifold(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    margin: f32,
) -> Option<Manifold> {
    answer_known_kinds!(a, b, manifold_of_kind(pose_a, pose_b, margin.max(0.0).into()));
    manifolds(a, pose_a, b, pose_b, margin)
        .into_iter()
        .reduce(|deepest, next| if next.distance() < deepest.distance() { next } else { deepest })
}

/// The manifold of two parts, in their frame where it is known.
fn manifold_of_pair(
    a: &Leaf<'_>,
    b: &Leaf<'_>,
    at: Option<&Relative>,
    margin: f32,
) -> Option<Manifold> {
    let (pair, flipped) = Pair::of(&a.simple, &b.simple);
    if let Pair::ConvexConvex(a, b) = &pair {
        prefetch(a, b);
    }
    if a.surface.is_none() && b.surface.is_none() {
        let manifold = common::manifold(pair, flipped, &a.pose, &b.pose, margin.into())?;
        return Some(Manifold { part_a: a.part, part_b: b.part, ..manifold });
    }
    // The order of the room, and where it takes any the same one whichever of the two is A: what
    // lies right in a surface leaves it either way.
    let (pair, flipped) = match pair {
        Pair::ConvexConvex(one, other) if surface::comes_first(b, a) => {
            (Pair::ConvexConvex(other, one), true)
        }
        _ => (pair, flipped),
    };
    let at = at.filter(|_| !flipped).copied();
    let at = at.unwrap_or_else(|| pair.frame(&a.pose, &b.pose, flipped));
    let (first, second) = if flipped { (b, a) } else { (a, b) };
    let patch = pair.manifold(&at, margin.into())?;
    let patch = surface::smoothed(patch, (first, second), &at, margin.into())?;
    let manifold = patch.in_world(at.world_from_a(), at.pose_a().translation());
    let oriented = if flipped { manifold.flipped() } else { manifold };
    Some(Manifold { part_a: a.part, part_b: b.part, ..oriented })
}

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
    let whole = |simple, pose: &Pose| Leaf { part: 0, pose: *pose, simple, surface: None };
    if let (Some(a), Some(b)) = (Simple::of(mover), Simple::of(target)) {
        let (mover, target) = (whole(a, pose), whole(b, target_pose));
        return sweep_of_pair(&mover, displacement, &target, options).1;
    }
    let mut best: Option<ShapeSweepHit> = None;
    // The same without triangles of a surface that the mover comes to touch along the way.
    let mut entering: Option<ShapeSweepHit> = None;
    let mut rests_on_surface = false;
    let keep = |best: &mut Option<ShapeSweepHit>, hit: ShapeSweepHit| {
        if best.is_none_or(|best| is_before(&hit, &best)) {
            *best = Some(hit);
        }
    };
    let shapes = ((mover, pose), (target, target_pose));
    parts::first_leaves(shapes.0, displacement.as_dvec3(), shapes.1, &mut |moving, resting| {
        let (relation, hit) = sweep_of_pair(&moving, displacement, &resting, options);
        let on_surface = moving.surface.is_some() || resting.surface.is_some();
        rests_on_surface |= relation == Relation::Touching && on_surface;
        if let Some(hit) = hit {
            keep(&mut best, hit);
            let beside = relation == Relation::Apart && on_surface;
            if !(beside && surface::runs_along(&hit, displacement)) {
                keep(&mut entering, hit);
            }
        }
        // What is met a little later may be reported level with it, and come first among equals.
        entering.map_or(1.0, |hit| f64::from(hit.fraction) * (1.0 + tolerance::SWEPT_SLACK))
    });
    // A surface that is touched at the start goes on as it is: what slides over it, or away from
    // it, meets no triangle anew.
    if rests_on_surface && !options.stop_on_touch { entering } else { best }
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
    let whole = |simple, pose: &Pose| Leaf { part: 0, pose: *pose, simple, surface: None };
    match (Simple::of(mover), Simple::of(target)) {
        (Some(a), Some(b)) if known.is_some() => {
            let (mover, target) = (whole(a, pose), whole(b, target_pose));
            sweep_of_known_pair(&mover, displacement, &target, options, known).1
        }
        _ => sweep(mover, pose, displacement, target, target_pose, options),
    }
}

/// Earlier, or as early and deeper, or as deep and of parts that come first.
fn is_before(a: &ShapeSweepHit, b: &ShapeSweepHit) -> bool {
    let key = |x: &ShapeSweepHit| (x.fraction, -x.depth);
    let parts = |x: &ShapeSweepHit| (x.part_mover, x.part);
    key(a) < key(b) || (key(a) <= key(b) && parts(a) < parts(b))
}

/// How the two lie at the start, and the hit.
fn sweep_of_pair(
    mover: &Leaf<'_>,
    displacement: Vec3,
    target: &Leaf<'_>,
    options: &SweepOptions,
) -> (Relation, Option<ShapeSweepHit>) {
    sweep_of_known_pair(mover, displacement, target, options, None)
}

/// [`sweep_of_pair`] where the relation at the start may be known.
#[inline]
fn sweep_of_known_pair(
    mover: &Leaf<'_>,
    displacement: Vec3,
    target: &Leaf<'_>,
    options: &SweepOptions,
    known: Option<Relation>,
) -> (Relation, Option<ShapeSweepHit>) {
    let (pair, flipped) = Pair::of(&target.simple, &mover.simple);
    let at = pair.frame(&target.pose, &mover.pose, flipped);
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
            fraction: round::nearest(fraction),
            distance: round::nearest(fraction * displacement.as_dvec3().length()),
            point: round::nearest_vec(point),
            normal: round::nearest_vec(normal),
            started_overlapping: started,
            depth: round::nearest(depth),
            part_mover: mover.part,
            part: target.part,
        }
    };
    let relation = known.unwrap_or_else(|| pair.relation(&at));
    let started = relation == Relation::Penetrating;
    let resting = displacement.cmpeq(Vec3::ZERO).all();
    if started && options.skip_started {
        return (relation, None);
    }
    if started || (relation == Relation::Touching && (resting || options.stop_on_touch)) {
        let found = pair.closest(&at);
        let on_target = if flipped { found.point_b } else { found.point_a };
        let depth = if started { (-found.distance).max(0.0) } else { 0.0 };
        return (relation, Some(hit(0.0, found.normal, on_target, depth, started)));
    }
    if resting {
        return (relation, None);
    }
    let impact = pair.sweep(&at, motion);
    let hit = impact.map(|impact| {
        hit(impact.fraction.clamp(0.0, 1.0), impact.normal, impact.point, 0.0, false)
    });
    (relation, hit)
}
