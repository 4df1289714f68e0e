//! Sweeps of any placed shape along a line to any other.

use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Pose, Shape, round};

use crate::dispatch::{Pair, Simple};
use crate::pairs::sphere_sphere;
use crate::parts::{self, Leaf};
use crate::sweep_bounds::SweepBounds;
use crate::{Impact, Relation, ShapeSweepHit, SweepOptions, over_plane, surface, tolerance};

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
    let known = match (mover, target) {
        (solid, Shape::HalfSpace(plane)) => {
            over_plane::sweep_of_shape((solid, pose), (plane, target_pose), true, displacement)
        }
        (Shape::HalfSpace(plane), solid) => {
            over_plane::sweep_of_shape((solid, target_pose), (plane, pose), false, displacement)
        }
        _ => None,
    };
    if let Some(found) = known {
        return found;
    }
    if let (Shape::Sphere(a), Shape::Sphere(b)) = (target, mover)
        && let Some(found) = sphere_sphere::first_touch((a, target_pose), (b, pose), displacement)
    {
        return found.map(|impact| hit_of_spheres(&impact, target_pose, displacement));
    }
    if let (Some(a), Some(b)) = (Simple::of(mover), Simple::of(target)) {
        let (mover, target) = (Leaf::whole(a, pose), Leaf::whole(b, target_pose));
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

/// The hit of an impact along the world's axes, from the target's place.
#[inline(always)]
fn hit_of_spheres(impact: &Impact, target_pose: &Pose, displacement: Vec3) -> ShapeSweepHit {
    let Impact { fraction, normal, point } = *impact;
    ShapeSweepHit {
        fraction: round::nearest(fraction),
        distance: round::nearest(fraction * displacement.as_dvec3().length()),
        point: round::nearest_vec(point + target_pose.translation()),
        normal: round::nearest_vec(normal),
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
    if mover.surface.is_none() && target.surface.is_none() {
        let found = match (&mover.simple, &target.simple) {
            (solid, Simple::HalfSpace(plane)) => solid.solid().and_then(|solid| {
                let target = (*plane, &target.pose);
                over_plane::sweep((&solid, &mover.pose), target, true, displacement)
            }),
            (Simple::HalfSpace(plane), solid) => solid.solid().and_then(|solid| {
                let mover = (*plane, &mover.pose);
                over_plane::sweep((&solid, &target.pose), mover, false, displacement)
            }),
            _ => None,
        };
        if let Some(hit) = found {
            let (part_mover, part) = (mover.part, target.part);
            return (Relation::Apart, hit.map(|hit| ShapeSweepHit { part_mover, part, ..hit }));
        }
    }
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
