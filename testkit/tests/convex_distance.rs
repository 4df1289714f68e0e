//! Signed distances, normals and witnesses of every pair of convex shapes, against exact distances
//! or certain bounds.

use impinge_narrowphase::{Closest, closest};
use impinge_shapes::{
    Pose, Shape,
    glam::{DVec3, Quat, Vec3},
};
use impinge_testkit::{
    check::{for_each_case, ulp},
    generate::{Class, Kind, PairCase, pair},
    oracle::{self, curved::Bounds},
    rng::Rng,
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

/// A box, capsule, triangle or hull, most of them flat, thin or with corners far away.
fn uneven(rng: &mut Rng, size: f32) -> Shape {
    let mut point = || rng.cube(-1.0, 1.0) * (size * rng.pick(&[1.0, 1.0, 1e-4, 1e-7]));
    let points: Vec<_> = (0..9).map(|_| point()).collect();
    match rng.below(5) {
        0 => {
            let mut half = || rng.range(0.1, 1.0) * (size * rng.pick(&[1.0, 1.0, 1e-5, 0.0]));
            Shape::cuboid(Vec3::new(half(), half(), half())).expect("sizes are valid")
        }
        1 => {
            let radius = rng.range(-0.1, 0.1).max(0.0) * size;
            Shape::capsule(points[0], points[1], radius).expect("radii are valid")
        }
        2 | 3 => Shape::triangle(points[0], points[1], points[2]).expect("corners are valid"),
        _ => Shape::convex_hull(&points[..4 + rng.below(6)]).expect("points are valid"),
    }
}

fn placed(position: Vec3, rotation: Quat) -> Pose {
    Pose::new(position, rotation).expect("poses are valid")
}

fn found(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> Closest {
    closest(a.0, a.1, b.0, b.1, f32::INFINITY).expect("there is no limit")
}

/// Two of these, of which A is up to 10^8 times as large; most are moved to a short distance.
fn uneven_pair(rng: &mut Rng) -> [(Shape, Pose); 2] {
    let scale = rng.pick(&[1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8]);
    let (a, b) = (uneven(rng, scale), uneven(rng, 1.0));
    let place = rng.cube(-1.0, 1.0) * rng.pick(&[1.0, scale]);
    let far = rng.cube(-1.0, 1.0) * rng.pick(&[1e-6, 1e-3, 1.0, 2.0]);
    let pose_a = placed(place, rng.rotation());
    let mut pose_b = placed(place + far, rng.rotation());
    if !rng.one_in(4) {
        let gap = rng.range(0.0, 1.0) * rng.pick(&[1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5]);
        for by in [0.0, 0.0, gap] {
            let near = found((&a, &pose_a), (&b, &pose_b));
            let place = pose_b.position() - near.normal * (near.distance - by);
            pose_b = placed(place, pose_b.rotation());
        }
    }
    [(a, pose_a), (b, pose_b)]
}

/// Distances and depths keep their bound where corners are up to 10^8 times as far away as the
/// nearest points: `docs/accuracy.md`.
#[test]
fn polytopes_of_which_one_is_up_to_a_hundred_million_times_as_large() {
    let mut seen = [0; 3];
    for seed in 0..10_000 {
        let [(a, pose_a), (b, pose_b)] = uneven_pair(&mut Rng::new(seed));
        let (a, b) = ((&a, &pose_a), (&b, &pose_b));
        let exact = oracle::bounds(a.0, a.1, b.0, b.1).expect("both are solid");
        let extents = [a, b].map(|(shape, _)| shape.aabb(&Pose::IDENTITY).half_extents());
        let between = (pose_a.position() - pose_b.position()).abs();
        let size = f64::from((extents[0] + extents[1] + between).element_sum());
        // In A's frame the size may be √3 times this one.
        let allowed = (exact.high.abs() + 3.0_f64.sqrt() * size) / (1_u64 << 40) as f64;
        for told in [found(a, b), found(b, a)] {
            let miss = exact.miss(told.distance.into());
            let rounding = f64::from(told.distance.abs()) / f64::from(1 << 24);
            assert!(miss <= allowed + rounding, "seed {seed}: {told:?} {exact:?} {a:?} {b:?}");
        }
        let is_short = exact.low * f64::from(1 << 20) < size;
        seen[if exact.high < 0.0 { 0 } else { 1 + usize::from(is_short) }] += 1;
    }
    assert!(seen.iter().all(|&count| count > 500), "{seen:?}");
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
