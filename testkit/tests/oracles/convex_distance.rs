//! Signed distances, normals and witnesses of every pair of convex shapes, against exact distances
//! or certain bounds.

use impinge_narrowphase::{Closest, closest};
use impinge_shapes::{
    Pose, Shape,
    glam::{Quat, Vec3},
};
use impinge_testkit::{
    check::for_each_case,
    claims::distance::{Worst, check},
    generate::{Class, Kind, pair},
    oracle,
    rng::Rng,
};

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
        check(&case, &found, exact, case.magnitude(), &mut worst)
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
