//! Signed distances, normals and witnesses of every pair of convex shapes, against exact distances
//! or certain bounds.

use impinge_narrowphase::{Closest, closest};
use impinge_shapes::{
    Pose, Shape,
    glam::{DVec3, Vec3},
};
use impinge_testkit::{
    check::{for_each_case, ulp},
    generate::{Class, Kind, PairCase, pair},
    oracle::{self, curved::Bounds},
};

/// The largest coordinate that takes part: where results in f32 are rounded.
fn magnitude(case: &PairCase) -> f64 {
    let reach = |shape: &Shape, pose: &Pose| {
        let bounds = shape.aabb(pose);
        f64::from(bounds.min().abs().max(bounds.max().abs()).max_element())
    };
    reach(&case.a, &case.pose_a).max(reach(&case.b, &case.pose_b))
}

/// How far two shapes are apart along a direction: at most their distance, and minus the depth to
/// which they overlap where a move along it is the shortest that parts them.
fn gap_along(case: &PairCase, normal: DVec3) -> Option<f64> {
    let farthest = |shape: &Shape, pose: &Pose, direction: DVec3| {
        let m = pose.rotation_matrix();
        let point = m * shape.support(m.transpose() * direction)? + pose.translation();
        Some(direction.dot(point))
    };
    let top = farthest(&case.a, &case.pose_a, normal)?;
    let bottom = farthest(&case.b, &case.pose_b, -normal)?;
    Some(-bottom - top)
}

/// How far a point is from a shape, from the oracle.
fn off_shape(shape: &Shape, pose: &Pose, point: Vec3) -> Option<f64> {
    let dot = Shape::sphere(0.0).ok()?;
    oracle::clearance(shape, pose, &dot, &Pose::from_position(point).ok()?)
}

/// The largest errors seen, in last places of the largest coordinate.
#[derive(Debug, Default)]
struct Worst {
    distance: f64,
    /// Of the gap along the normal that was told.
    normal: f64,
    /// Of points off the shapes.
    points: f64,
}

fn check_answer(
    case: &PairCase,
    found: &Closest,
    exact: Bounds,
    worst: &mut Worst,
) -> Result<(), String> {
    let told = || format!("{found:?}, exact {exact:?}, for {case:?}");
    let magnitude = magnitude(case);
    let unit = ulp(magnitude);
    // The depth of curved shapes is found step by step, and its place is as flat as they are.
    let curved = case.is_curved();
    let depth_slack = if curved && exact.low < 0.0 { magnitude / f64::from(1 << 20) } else { 0.0 };
    let place_slack = if curved { magnitude / f64::from(1 << 11) } else { 0.0 };
    let miss = exact.miss(found.distance.into());
    worst.distance = worst.distance.max(miss / unit);
    if miss.is_nan() || miss > 4.0 * unit + depth_slack {
        return Err(format!("{} ulp off: {}", miss / unit, told()));
    }
    let normal = found.normal.as_dvec3();
    if (normal.length() - 1.0).abs() > 1e-6 {
        return Err(format!("no unit normal: {}", told()));
    }
    // The normal is rounded, which tilts it by an ulp of 1 times the sizes.
    let gap = gap_along(case, normal.normalize()).ok_or_else(told)?;
    let off = (gap - f64::from(found.distance)).abs();
    worst.normal = worst.normal.max((off - miss - exact.width()) / unit);
    if off > 8.0 * unit + miss + exact.width() + place_slack {
        return Err(format!("{gap} along the normal: {}", told()));
    }
    let step = (found.point_b.as_dvec3() - found.point_a.as_dvec3()) - normal * gap;
    if step.length() > 16.0 * unit + exact.width() + place_slack {
        return Err(format!("points {} off the normal: {}", step.length() / unit, told()));
    }
    let on_a = off_shape(&case.a, &case.pose_a, found.point_a).ok_or_else(told)?;
    let on_b = off_shape(&case.b, &case.pose_b, found.point_b).ok_or_else(told)?;
    worst.points = worst.points.max(on_a.max(on_b) / unit);
    if on_a.max(on_b) > if curved { 64.0 } else { 4.0 } * unit {
        return Err(format!("points {on_a} and {on_b} off the shapes: {}", told()));
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "accuracy.md is written from these numbers")]
fn check_distances(a: Kind, b: Kind, count: usize) {
    let (mut counts, mut worst) = ([0; 2], Worst::default());
    for_each_case(0xd157, count, |class, rng| {
        let case = pair(class, a, b, rng);
        if class == Class::Denormal {
            return Ok(());
        }
        let exact = oracle::bounds(&case.a, &case.pose_a, &case.b, &case.pose_b)
            .ok_or_else(|| format!("no oracle for {case:?}"))?;
        let found = closest(&case.a, &case.pose_a, &case.b, &case.pose_b, f32::INFINITY)
            .ok_or_else(|| format!("no answer without a limit for {case:?}"))?;
        counts[usize::from(exact.high < 0.0)] += 1;
        check_answer(&case, &found, exact, &mut worst)
    });
    println!("{a:?} and {b:?}: {counts:?} {worst:.3?}");
    assert!(counts.iter().all(|&n| n > count / 50), "{counts:?} of {count}");
}

#[test]
fn spheres_and_boxes() {
    check_distances(Kind::Sphere, Kind::Sphere, 10_000);
    check_distances(Kind::Sphere, Kind::Cuboid, 10_000);
    check_distances(Kind::Cuboid, Kind::Cuboid, 10_000);
}

#[test]
fn capsules() {
    check_distances(Kind::Capsule, Kind::Sphere, 10_000);
    check_distances(Kind::Capsule, Kind::Cuboid, 10_000);
    check_distances(Kind::Capsule, Kind::Capsule, 10_000);
}

#[test]
fn triangles() {
    for other in [Kind::Sphere, Kind::Capsule, Kind::Cuboid, Kind::Triangle] {
        check_distances(Kind::Triangle, other, 10_000);
    }
}

#[test]
fn hulls() {
    for other in [Kind::Sphere, Kind::Capsule, Kind::Cuboid, Kind::Triangle, Kind::ConvexHull] {
        check_distances(Kind::ConvexHull, other, 10_000);
    }
}

#[test]
fn rounded_shapes() {
    for other in [Kind::Sphere, Kind::Cuboid, Kind::Triangle, Kind::ConvexHull] {
        check_distances(Kind::RoundedPolytope, other, 10_000);
    }
    check_distances(Kind::RoundedPolytope, Kind::RoundedPolytope, 10_000);
}

fn check_round(round: Kind) {
    let others = [
        Kind::Sphere,
        Kind::Capsule,
        Kind::Cuboid,
        Kind::Triangle,
        Kind::ConvexHull,
        Kind::Rounded,
    ];
    for other in others {
        check_distances(round, other, 10_000);
    }
}

#[test]
fn cylinders() {
    check_round(Kind::Cylinder);
    check_distances(Kind::Cylinder, Kind::Cylinder, 10_000);
}

#[test]
fn cones() {
    check_round(Kind::Cone);
    check_distances(Kind::Cylinder, Kind::Cone, 10_000);
    check_distances(Kind::Cone, Kind::Cone, 10_000);
}
