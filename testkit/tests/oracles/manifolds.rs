//! Contact points of every ordered pair of convex kinds against the definitions of the shapes.

use impinge_narrowphase::{closest, manifold};
use impinge_shapes::{
    Pose, Shape,
    glam::{Quat, Vec3},
};
use impinge_testkit::{
    check::{case_factor, for_each_case, ulp},
    claims::manifold::{Seen, margin},
    generate::{Class, Kind, pair},
    oracle::manifolds::Body,
    rng::Rng,
};
use rayon::prelude::*;

/// Cases of each ordered pair of kinds.
const CASES: usize = 10_000;
/// One of so many is compared with the exact depth, too; no multiple of the number of classes.
const THOROUGH: usize = 49;

fn measure(a: Kind, b: Kind) -> Seen {
    let mut seen = Seen::default();
    let mut number = 0;
    for_each_case(0x3a41, CASES, |class, rng| {
        let case = pair(class, a, b, rng);
        if class == Class::Denormal {
            return Ok(());
        }
        number += 1;
        let margin = margin(&case, rng);
        seen.look(&case, margin, number % THOROUGH == 0)
    });
    seen
}

fn check((a, b): (Kind, Kind)) -> Seen {
    let seen = measure(a, b);
    assert!(seen.fits(a, b, 0.0), "{a:?} and {b:?}: {seen:.4?}");
    let many = seen.exact > CASES / 200 && seen.manifolds[0] > CASES / 10;
    assert!(many, "{a:?} and {b:?}: {seen:.4?}");
    seen
}

#[test]
fn manifolds_are_what_the_shapes_show_each_other() {
    let kinds = || Kind::CONVEX.into_iter().chain([Kind::HalfSpace]);
    let pairs = kinds().flat_map(|a| kinds().map(move |b| (a, b)));
    let pairs: Vec<(Kind, Kind)> =
        pairs.filter(|pair| *pair != (Kind::HalfSpace, Kind::HalfSpace)).collect();
    let seen: Vec<Seen> = pairs.par_iter().map(|&pair| check(pair)).collect();
    for (pair, seen) in pairs.iter().zip(&seen) {
        println!("{pair:?} {seen:.3?}");
    }
    let sum = |count: fn(&Seen) -> usize| seen.iter().map(count).sum::<usize>();
    let (patches, covered) = (sum(|seen| seen.patches), sum(|seen| seen.covered));
    let (points, far) = (sum(|seen| seen.points), sum(|seen| seen.far));
    let manifolds = sum(|seen| seen.manifolds[1..].iter().sum());
    let large = sum(|seen| seen.large_patches);
    println!("{manifolds} manifolds, {points} points, {far} far, {covered} of {patches}, {large}");
    assert!(manifolds > 500_000 && patches > 5_000 && large > 400, "{manifolds} {patches} {large}");
    assert!(200 * covered >= 199 * patches, "{covered} of {patches}");
    assert!(100_000 * far <= points, "{far} of {points}");
}

/// A regression, at the first seed: thin capsules that cross at a degree had two points at their far
/// ends, beside the other one by most of its radius, as deep as where they cross, and none there.
#[test]
fn capsules_that_cross_nearly_parallel_have_their_points_on_both() {
    let count = 8_000 * case_factor();
    let mut counts = [0; 4];
    for seed in 0..count {
        let rng = &mut Rng::new(seed);
        let [one, other] = match seed {
            0 => [0.01; 2],
            _ => [0, 1].map(|_| rng.pick(&[0.0, 0.01, 0.1, 0.5]) * rng.range(0.5, 1.0)),
        };
        let (angle, gap, margin) = match seed {
            0 => (1.0 / 70.0, -0.01, 0.0),
            _ => {
                let gap = rng.range(-1.0, 0.5) * (one + other + 0.01);
                (rng.range(0.0, 1.0 / 60.0), gap, rng.pick(&[0.0, 0.01, 0.2]))
            }
        };
        let capsule = |radius| Shape::capsule(Vec3::Y, Vec3::NEG_Y, radius).expect("valid");
        let (a, b) = (capsule(one), capsule(other));
        let aside = rng.cube(-0.5, 0.5) * rng.pick(&[0.0, 0.01, 1.0]);
        let place = Vec3::new(aside.x * 0.01, aside.y, one + other + gap);
        let tilt = Quat::from_rotation_x(rng.pick(&[0.0, 0.0, 1e-3]));
        let base = if seed == 0 { Quat::IDENTITY } else { rng.rotation() };
        let pose = |place, turn| Pose::new(place, turn).expect("finite");
        let pose_a = pose(Vec3::ZERO, base);
        let pose_b = pose(base * place, base * tilt * Quat::from_rotation_z(angle));
        let found = manifold(&a, &pose_a, &b, &pose_b, margin);
        let nearest = closest(&a, &pose_a, &b, &pose_b, margin);
        let told =
            || format!("seed {seed}: {found:?} {nearest:?} {a:?} {pose_a:?} {b:?} {pose_b:?}");
        assert_eq!(found.is_some(), nearest.is_some(), "{}", told());
        let (Some(found), Some(nearest)) = (&found, nearest) else {
            counts[0] += 1;
            continue;
        };
        counts[found.points.len()] += 1;
        assert!((found.distance() - nearest.distance).abs() <= 1e-9, "{}", told());
        let bodies = [(&a, &pose_a), (&b, &pose_b)].map(|(shape, pose)| Body::of(shape, pose));
        for point in &found.points {
            assert!(point.distance <= margin, "{}", told());
            for (body, place) in bodies.iter().zip([point.point_a, point.point_b]) {
                let body = body.as_ref().expect("capsules are solid");
                let off = body.signed_distance(place.as_dvec3()).abs();
                let most = 4.0 * ulp(1.5) + f64::from(one.max(other)) / 2048.0;
                // Inside of a segment there is nothing.
                let deep = if body.radius() > 0.0 { most } else { 4.0 * ulp(1.5) };
                assert!(off <= deep, "{off} off: {}", told());
            }
        }
    }
    assert!(counts.iter().all(|&seen| seen > count / 100), "{counts:?}");
}

/// A rounded triangle 4e-6 wide and its margin six times as much: beside its edge the flat side was
/// taken to go on, and a point lay off both, by 0.04 of the margin.
#[test]
fn a_point_beside_a_rounded_sliver_lay_off_it() {
    let pose = |p: [f32; 3], q: [f32; 4]| Pose::new(p.into(), Quat::from_array(q)).expect("finite");
    let wide = 0.001_000_131_1;
    let corners = [
        Vec3::new(0.000_996_484, 0.000_994_026_9, wide),
        Vec3::splat(wide),
        Vec3::new(wide, -0.000_656_336_1, wide),
    ];
    let margin = 2.181_484_3e-5;
    let core = Shape::triangle(corners[0], corners[1], corners[2]).expect("valid");
    let sliver = Shape::rounded(core, margin).expect("valid");
    let pose_a = pose([0.002_000_262_3; 3], [0.062_683_105, 0.066_666_67, 0.704_14, 0.704_14]);
    let cube = Shape::cuboid(Vec3::new(wide, 0.001_000_117_4, wide)).expect("valid");
    let at = [0.002_702_608, 0.001_957_541_8, 0.004_299_106];
    let pose_b = pose(at, [0.069_009_09, 0.067_827, 0.698_399_36, 0.709_207_65]);
    let body = Body::of(&sliver, &pose_a).expect("a solid");
    let found = manifold(&sliver, &pose_a, &cube, &pose_b, 0.001_6).expect("within the margin");
    let back = manifold(&cube, &pose_b, &sliver, &pose_a, 0.001_6).expect("within the margin");
    let places = found.points.iter().map(|point| point.point_a);
    let places: Vec<_> = places.chain(back.points.iter().map(|point| point.point_b)).collect();
    assert_eq!(places.len(), 4, "{found:?} {back:?}");
    for place in places {
        let off = body.signed_distance(place.as_dvec3()).abs();
        assert!(
            off <= 4.0 * ulp(0.005) + f64::from(margin) / 512.0,
            "{off} off: {found:?} {back:?}"
        );
    }
}
