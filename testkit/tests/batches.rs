//! Batches answer to the bit what the single functions answer.

use impinge_narrowphase::batch::{self, PairOf, PlacedPair, PlacedRay, PointRef, RayOf};
use impinge_narrowphase::{self as narrow, Manifold};
use impinge_shapes::glam::{Quat, Vec3};
use impinge_shapes::{Pose, Ray, RayOptions, Shape, ShapeRayHit, StartedInside};
use impinge_testkit::{
    check::{for_each_case, levels},
    claims::batch::{check, check_limit, references},
    claims::same::assert_same,
    generate::{Class, Kind, PairCase, RayCase, pair, ray_case},
    rng::Rng,
};

/// Cases of all classes of every ordered pair of kinds, shuffled.
fn cases(seed: u64, each: usize) -> Vec<PairCase> {
    let mut cases = Vec::new();
    for a in Kind::ALL {
        for b in Kind::ALL {
            for_each_case(seed, each, |class, rng| {
                cases.push(pair(class, a, b, rng));
                Ok(())
            });
        }
    }
    Rng::new(seed).shuffle(&mut cases);
    cases
}

#[test]
fn any_mix_of_kinds_answers_as_one_by_one() {
    check_mix(&cases(0xba7c, 48));
}

/// Few are asked one by one, and lanes that are not full hold a pair more than once.
#[test]
fn few_of_any_mix_answer_as_one_by_one() {
    let cases = cases(0xfe70, 8);
    let (mut first, mut yes) = (0, 0);
    for length in (0..20).cycle() {
        let Some(of) = cases.get(first..first + length) else { break };
        yes += check(of);
        first += length;
    }
    assert!(first > 1_000 && yes > first / 5 && yes < first * 4 / 5, "{yes} of {first}");
}

/// Whose lanes settle nearly all of many cases, in either order, one point or two.
#[test]
fn many_capsules_and_boxes_answer_as_one_by_one() {
    let mut cases = Vec::new();
    for (a, b) in [(Kind::Capsule, Kind::Cuboid), (Kind::Cuboid, Kind::Capsule)] {
        for_each_case(0xcab1, 8_000, |class, rng| {
            cases.push(pair(class, a, b, rng));
            Ok(())
        });
    }
    Rng::new(0xcab2).shuffle(&mut cases);
    check_mix(&cases);
}

/// Everything that has lanes beside a half-space, in either order.
#[test]
fn many_shapes_over_half_spaces_answer_as_one_by_one() {
    let mut cases = Vec::new();
    for kind in Kind::SIMPLE {
        for (a, b) in [(kind, Kind::HalfSpace), (Kind::HalfSpace, kind)] {
            for_each_case(0x9a1f, 800, |class, rng| {
                cases.push(pair(class, a, b, rng));
                Ok(())
            });
        }
    }
    Rng::new(0x9a20).shuffle(&mut cases);
    check_mix(&cases);
}

/// Whose lanes settle most of many cases, and leave the others to one at a time.
#[test]
fn many_boxes_answer_as_one_by_one() {
    let mut cases = Vec::new();
    for_each_case(0xb0b0, 12_000, |class, rng| {
        cases.push(pair(class, Kind::Cuboid, Kind::Cuboid, rng));
        Ok(())
    });
    let mut rng = Rng::new(0xb0b1);
    cases.extend((0..6_000).map(|_| face_over_face(&mut rng)));
    cases.extend((0..200).map(|_| at_the_end_of_numbers(&mut rng)));
    Rng::new(0xb0b2).shuffle(&mut cases);
    check_mix(&cases);
}

/// Boxes that are apart in every way: any of face, edge and corner beside any other, at distances
/// that are known, of which the limits let some pass.
#[test]
fn boxes_apart_answer_as_one_by_one() {
    const NEAR: f32 = 0.2;
    let mut rng = Rng::new(0xb0b3);
    let (mut cases, mut gaps) = (Vec::new(), Vec::new());
    for k in 0..9_000 {
        let (case, gap) = beside(k % 3, k / 3 % 3, &mut rng);
        cases.push(case);
        gaps.push(gap);
    }
    let pairs = references(&cases);
    for (limit, least) in [(NEAR, 3_000), (f32::INFINITY, 9_000)] {
        let expected = check_limit(&cases, &pairs, limit);
        for ((found, &gap), case) in expected.iter().zip(&gaps).zip(&cases) {
            let distance = found.map_or(f32::INFINITY, |found| found.distance);
            if gap < limit * 0.99 {
                assert!((distance - gap).abs() < 1e-5, "{gap}: {distance}, {case:?}");
            } else if gap > limit * 1.01 {
                assert!(found.is_none(), "{gap}: {distance}, {case:?}");
            }
        }
        let count = expected.iter().flatten().count();
        assert!(count >= least && (limit > NEAR || count < 6_000), "{count}");
    }
}

/// Two boxes and their distance; a face, an edge or a corner (0, 1, 2) of A is next to one of B,
/// some of them level with each other.
fn beside(of_a: usize, of_b: usize, rng: &mut Rng) -> (PairCase, f32) {
    let toward = |count: usize, rng: &mut Rng| {
        let (mut found, first) = (Vec3::ZERO, rng.below(3));
        for k in 0..=count {
            let size = rng.range(0.2, 1.0);
            found[(first + k) % 3] = if rng.one_in(2) { -size } else { size };
        }
        found.normalize()
    };
    let on = |half: Vec3, toward: Vec3, rng: &mut Rng| {
        let free = rng.cube(-0.9, 0.9);
        half * Vec3::select(toward.cmpeq(Vec3::ZERO), free, toward.signum())
    };
    let (line, back) = (toward(of_a, rng), toward(of_b, rng));
    let spin = [0.0, std::f32::consts::FRAC_PI_4, rng.range(-3.0, 3.0)][rng.below(3)];
    let turn = Quat::from_axis_angle(line, spin) * Quat::from_rotation_arc(back, -line);
    let (a, b) = (rng.cube(0.1, 1.5), rng.cube(0.1, 1.5));
    let gap = [rng.range(0.0, 0.4), rng.range(0.0, 0.01), rng.range(0.0, 4.0)][rng.below(3)];
    let way = on(a, line, rng) + line * gap - turn * on(b, back, rng);
    let frame = if rng.one_in(2) { Quat::IDENTITY } else { rng.rotation() };
    let place = if rng.one_in(2) { Vec3::ZERO } else { rng.cube(-5.0, 5.0) };
    let pose = |at: Vec3, turn: Quat| Pose::new(at, turn).expect("finite");
    let (pose_a, pose_b) = (pose(place, frame), pose(place + frame * way, frame * turn));
    let cuboid = |half: Vec3| Shape::cuboid(half).expect("positive sizes");
    (PairCase { class: Class::Random, a: cuboid(a), pose_a, b: cuboid(b), pose_b }, gap)
}

/// Hulls with few vertices, with as many as go into lanes, and with more.
#[test]
fn many_hulls_answer_as_one_by_one() {
    let mut cases = Vec::new();
    for_each_case(0x4011, 600, |class, rng| {
        cases.push(pair(class, Kind::ConvexHull, Kind::ConvexHull, rng));
        Ok(())
    });
    let mut rng = Rng::new(0x4012);
    let hull = |rng: &mut Rng| {
        let (count, radii) = ([4, 12, 32, 48, 90][rng.below(5)], rng.cube(0.35, 0.85));
        let points: Vec<Vec3> = (0..count).map(|_| rng.direction() * radii).collect();
        Shape::convex_hull(&points).expect("finite points")
    };
    for _ in 0..1_200 {
        let (a, b) = (hull(&mut rng), hull(&mut rng));
        let place = rng.cube(-9.0, 9.0);
        let beside = place + rng.direction() * rng.range(0.2, 2.0);
        let mut pose = |place| Pose::new(place, rng.rotation()).expect("finite");
        let (pose_a, pose_b) = (pose(place), pose(beside));
        cases.push(PairCase { class: Class::Random, a, pose_a, b, pose_b });
    }
    Rng::new(0x4013).shuffle(&mut cases);
    check_mix(&cases);
}

/// Two boxes so far away that few numbers are left beside them, small enough for lanes of f32.
fn at_the_end_of_numbers(rng: &mut Rng) -> PairCase {
    let place = Vec3::AXES[rng.below(3)] * [3e38, -3e38, 1e37][rng.below(3)];
    let mut body = || {
        let turn = if rng.one_in(2) { Quat::IDENTITY } else { rng.rotation() };
        let shape = Shape::cuboid(rng.cube(0.1, 1.0) * 1e29).expect("positive sizes");
        (shape, Pose::new(place, turn).expect("finite"))
    };
    let ((a, pose_a), (b, pose_b)) = (body(), body());
    PairCase { class: Class::Random, a, pose_a, b, pose_b }
}

/// Two boxes of which a face of one lies on, in or near a face of the other, turned about their
/// common normal, in line or with corners on borders, exactly parallel or nearly, near the origin or
/// far from it; half of them in a frame that is turned itself.
fn face_over_face(rng: &mut Rng) -> PairCase {
    let class = Class::Random;
    let size = |rng: &mut Rng| match rng.below(3) {
        0 => Vec3::splat(0.5),
        1 => rng.cube(0.25, 0.75),
        _ => rng.cube(0.05, 3.0),
    };
    let (a, b) = (size(rng), size(rng));
    let up = rng.below(3);
    let sign = if rng.one_in(2) { -1.0 } else { 1.0 };
    let gap = match rng.below(4) {
        0 => 0.0,
        1 => rng.range(-0.3, 0.0),
        2 => rng.range(-2e-3, 2e-3),
        _ => rng.range(0.0, 0.15),
    };
    let mut way = match rng.below(3) {
        0 => Vec3::ZERO,
        1 => a - b,
        _ => rng.cube(-1.0, 1.0) * (a + b),
    };
    way[up] = sign * (a[up] + b[up] + gap);
    let about = Vec3::AXES[up];
    let spin = match rng.below(3) {
        0 => Quat::IDENTITY,
        1 => Quat::from_axis_angle(about, std::f32::consts::FRAC_PI_4),
        _ => Quat::from_axis_angle(about, rng.range(-3.0, 3.0)),
    };
    let angle = [0.0, 0.0, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2, 0.06][rng.below(8)];
    let tilt = Quat::from_axis_angle(rng.direction(), angle);
    let place = [0.0, 10.0, 1e4][rng.below(3)] * rng.direction();
    let frame = if rng.one_in(2) { Quat::IDENTITY } else { rng.rotation() };
    let pose = |at: Vec3, turn: Quat| Pose::new(at, turn).expect("finite");
    let cuboid = |half: Vec3| Shape::cuboid(half).expect("positive sizes");
    let (one, other) = (pose(place, frame), pose(place + frame * way, frame * (tilt * spin)));
    if rng.one_in(2) {
        PairCase { class, a: cuboid(a), pose_a: one, b: cuboid(b), pose_b: other }
    } else {
        PairCase { class, a: cuboid(b), pose_a: other, b: cuboid(a), pose_b: one }
    }
}

fn check_mix(cases: &[PairCase]) {
    let yes = check(cases);
    assert!(yes > cases.len() / 5 && yes < cases.len() * 4 / 5, "{yes} of {}", cases.len());
}

/// Asks the module of a pair for every length up to three blocks of its lanes: for half of the
/// answers of pairs that are borrowed, for the others of pairs that are held.
macro_rules! typed {
    ($name:ident, $module:ident, $a:ident, $b:ident, $seed:literal) => {
        #[test]
        fn $name() {
            let mut cases = Vec::new();
            for_each_case($seed, 600, |class, rng| {
                cases.push(pair(class, Kind::$a, Kind::$b, rng));
                Ok(())
            });
            let pairs: Vec<_> = cases
                .iter()
                .filter_map(|case| match (&case.a, &case.b) {
                    (Shape::$a(a), Shape::$b(b)) => {
                        // Some are in an `Arc`, some are not.
                        let (a, b): (&impinge_shapes::$a, &impinge_shapes::$b) = (a, b);
                        Some(PairOf { a, pose_a: &case.pose_a, b, pose_b: &case.pose_b })
                    }
                    _ => None,
                })
                .collect();
            assert_eq!(pairs.len(), cases.len());
            let held: Vec<_> = pairs
                .iter()
                .map(|pair| PlacedPair {
                    a: *pair.a,
                    pose_a: *pair.pose_a,
                    b: *pair.b,
                    pose_b: *pair.pose_b,
                })
                .collect();
            let (mut overlaps, mut closest, mut manifolds) = (vec![], vec![], vec![]);
            let mut distances = vec![];
            let limit = 0.1;
            for level in levels() {
                let mut first = 0;
                for length in (0..50).cycle() {
                    if first + length > pairs.len() {
                        break;
                    }
                    let of = &cases[first..first + length];
                    let (run, held) = (&pairs[first..first + length], &held[first..first + length]);
                    batch::$module::overlaps(run, level, &mut overlaps);
                    let one = |c: &PairCase| narrow::overlaps(&c.a, &c.pose_a, &c.b, &c.pose_b);
                    let expected: Vec<_> = of.iter().map(one).collect();
                    assert_same(&expected, &overlaps, of, "overlaps", level);
                    batch::$module::distances(held, level, &mut distances);
                    let one = |c: &PairCase| narrow::distance(&c.a, &c.pose_a, &c.b, &c.pose_b);
                    let expected: Vec<_> = of.iter().map(one).collect();
                    assert_same(&expected, &distances, of, "distances", level);
                    batch::$module::closest(held, limit, level, &mut closest);
                    let one =
                        |c: &PairCase| narrow::closest(&c.a, &c.pose_a, &c.b, &c.pose_b, limit);
                    let expected: Vec<_> = of.iter().map(one).collect();
                    assert_same(&expected, &closest, of, "closest", level);
                    batch::$module::manifolds(run, limit, level, &mut manifolds);
                    let one = |c: &PairCase| -> Option<Manifold> {
                        narrow::manifold(&c.a, &c.pose_a, &c.b, &c.pose_b, limit)
                    };
                    let expected: Vec<_> = of.iter().map(one).collect();
                    assert_same(&expected, &manifolds, of, "manifolds", level);
                    first += length;
                }
                assert!(first > 500, "{first}");
                batch::$module::closest(&held, limit, level, &mut closest);
                let one = |c: &PairCase| narrow::closest(&c.a, &c.pose_a, &c.b, &c.pose_b, limit);
                let expected: Vec<_> = cases.iter().map(one).collect();
                assert_same(&expected, &closest, &cases, "closest of all", level);
                let found = closest.iter().flatten().count();
                assert!(found > 100 && found < closest.len(), "{found}");
            }
        }
    };
}

typed!(two_capsules, capsule_capsule, Capsule, Capsule, 0xcaca);
typed!(a_capsule_and_a_box, capsule_cuboid, Capsule, Cuboid, 0xcab0);
typed!(a_capsule_and_a_sphere, capsule_sphere, Capsule, Sphere, 0xca5b);
typed!(a_cone_and_a_sphere, cone_sphere, Cone, Sphere, 0xc05b);
typed!(two_boxes, cuboid_cuboid, Cuboid, Cuboid, 0xb0b0);
typed!(a_box_and_a_sphere, cuboid_sphere, Cuboid, Sphere, 0xb05b);
typed!(a_cylinder_and_a_sphere, cylinder_sphere, Cylinder, Sphere, 0xc15b);
typed!(a_half_space_and_a_sphere, half_space_sphere, HalfSpace, Sphere, 0x4a5b);
typed!(two_spheres, sphere_sphere, Sphere, Sphere, 0x5b5b);
typed!(a_sphere_and_a_triangle, sphere_triangle, Sphere, Triangle, 0x5b7a);
typed!(a_triangle_and_a_half_space, triangle_half_space, Triangle, HalfSpace, 0x7a4a);

/// Rays of all classes at these kinds of shapes: near and far, grazing faces, edges and corners,
/// at flat, tiny and distant shapes, from outside and within.
fn rays(seed: u64, each: usize, kinds: &[Kind]) -> Vec<RayCase> {
    let mut cases = Vec::new();
    for &kind in kinds {
        for_each_case(seed, each, |class, rng| {
            cases.push(ray_case(class, kind, rng));
            Ok(())
        });
    }
    Rng::new(seed).shuffle(&mut cases);
    cases
}

fn ray_options() -> impl Iterator<Item = RayOptions> {
    [StartedInside::Hit, StartedInside::Skip, StartedInside::Exit].into_iter().flat_map(|inside| {
        [false, true].map(|cull_back_faces| RayOptions { started_inside: inside, cull_back_faces })
    })
}

/// Lengths of rays; the sizes of the cases are between 1e-3 and 1e4.
const LENGTHS: [f32; 6] = [f32::INFINITY, 1.0, 300.0, 0.0, -1.0, f32::NAN];

/// The single answers of rays of this length, of which some are hits and some are not.
fn one_by_one(cases: &[RayCase], length: f32, options: &RayOptions) -> Vec<Option<ShapeRayHit>> {
    let single = |case: &RayCase| case.shape.raycast(&case.pose, &case.ray, length, options);
    let expected: Vec<_> = cases.iter().map(single).collect();
    let hits = expected.iter().flatten().count();
    if length >= 1.0 {
        let few = cases.len() / 40;
        assert!(hits > few && hits + few < cases.len(), "{hits} of {}", cases.len());
    } else if length < 0.0 || length.is_nan() {
        assert_eq!(hits, 0);
    }
    expected
}

#[test]
fn rays_at_any_mix_of_kinds_answer_as_one_by_one() {
    let cases = rays(0x7a1b, 480, &Kind::ALL);
    let refs: Vec<_> = cases
        .iter()
        .map(|case| RayOf { ray: &case.ray, shape: &case.shape, pose: &case.pose })
        .collect();
    let mut found = Vec::new();
    for options in ray_options() {
        for length in LENGTHS {
            let expected = one_by_one(&cases, length, &options);
            for level in levels() {
                batch::raycast(&refs, length, &options, level, &mut found);
                assert_same(&expected, &found, &cases, "raycast", level);
                // A few at a time, too.
                for few in 0..20 {
                    batch::raycast(&refs[few..2 * few], length, &options, level, &mut found);
                    assert_same(&expected[few..2 * few], &found, &cases, "few rays", level);
                }
            }
        }
    }
}

/// Asks the module of a kind for every length up to three blocks of its lanes: for all answers of
/// rays that are held, for the hits alone of rays that are borrowed.
macro_rules! typed_rays {
    ($name:ident, $module:ident, $kind:ident, $seed:literal) => {
        #[test]
        fn $name() {
            let cases = rays($seed, 3_000, &[Kind::$kind]);
            let refs: Vec<_> = cases
                .iter()
                .filter_map(|case| {
                    let Shape::$kind(shape) = &case.shape else { return None };
                    // Some are in an `Arc`, some are not.
                    let shape: &impinge_shapes::$kind = shape;
                    Some(RayOf { ray: &case.ray, shape, pose: &case.pose })
                })
                .collect();
            assert_eq!(refs.len(), cases.len());
            let held: Vec<_> = refs
                .iter()
                .map(|one| PlacedRay { ray: *one.ray, shape: *one.shape, pose: *one.pose })
                .collect();
            let (mut found, mut hits) = (Vec::new(), Vec::new());
            for (options, length) in ray_options().flat_map(|o| LENGTHS.map(|l| (o, l))) {
                let expected = one_by_one(&cases, length, &options);
                for level in levels() {
                    batch::$module::raycast(&held, length, &options, level, &mut found);
                    assert_same(&expected, &found, &cases, "all rays", level);
                    let mut first = 0;
                    for count in (0..25).cycle() {
                        let Some(run) = refs.get(first..first + count) else { break };
                        let of = first..first + count;
                        let held = &held[of.clone()];
                        batch::$module::raycast(held, length, &options, level, &mut found);
                        assert_same(&expected[of.clone()], &found, &cases[of], "rays", level);
                        batch::$module::hits(run, length, &options, level, &mut hits);
                        let told = hits.iter().map(|(place, hit)| (*place, Some(*hit)));
                        let all = found.iter().copied().enumerate();
                        assert!(told.eq(all.filter(|(_, hit)| hit.is_some())), "{level:?}");
                        first += count;
                    }
                    assert!(first + 25 > refs.len(), "{first}");
                }
            }
        }
    };
}

typed_rays!(rays_at_boxes, ray_cuboid, Cuboid, 0x7ab0);
typed_rays!(rays_at_capsules, ray_capsule, Capsule, 0x7aca);
typed_rays!(rays_at_half_spaces, ray_half_space, HalfSpace, 0x7a45);
typed_rays!(rays_at_spheres, ray_sphere, Sphere, 0x7a5b);
typed_rays!(rays_at_triangles, ray_triangle, Triangle, 0x7a37);

/// Half of these normals have a component in the middle between two f32, where the last bit of what
/// is rounded decides; batches took them to unit length by other quotients than single calls.
#[test]
fn rays_whose_normals_lie_between_two_floats_answer_as_one_by_one() {
    let shape = Shape::sphere(0.5).unwrap();
    let unit = 0.5_f32.powi(26);
    let mut rng = Rng::new(0x7a1f);
    let cases: Vec<_> = (0..4_096)
        .map(|_| {
            // Beside the centre by a distance that is no f32.
            let pose = Pose::from_position(Vec3::new(0.0, 0.0, -0.5)).unwrap();
            let at = rng.below(1 << 23) as f32 * unit - 0.25;
            let ray = Ray::new(Vec3::new(-2.0, 0.0, at), Vec3::X).unwrap();
            let (class, shape) = (Class::Touching, shape.clone());
            RayCase { class, shape, pose, ray, max_distance: 4.0 }
        })
        .collect();
    let refs: Vec<_> = cases
        .iter()
        .map(|case| RayOf { ray: &case.ray, shape: &case.shape, pose: &case.pose })
        .collect();
    let options = RayOptions::default();
    let single = |case: &RayCase| case.shape.raycast(&case.pose, &case.ray, 4.0, &options);
    let expected: Vec<_> = cases.iter().map(single).collect();
    assert!(expected.iter().all(Option::is_some), "seed 0x7a1f");
    let mut found = Vec::new();
    for level in levels() {
        batch::raycast(&refs, 4.0, &options, level, &mut found);
        assert_same(&expected, &found, &cases, "raycast between two floats", level);
    }
}

/// A hit at the start is the start itself and the way back, with the signs of their zeros.
#[test]
fn rays_that_start_inside_answer_as_one_by_one() {
    let mut cases = Vec::new();
    for shape in [Shape::cuboid(Vec3::ONE).unwrap(), Shape::sphere(1.0).unwrap()] {
        for zero in [0.0, -0.0, 0.5] {
            for way in [Vec3::X, Vec3::NEG_Y, Vec3::new(-0.0, 0.6, 0.8)] {
                let ray = Ray::new(Vec3::new(zero, -0.0, 0.25), way).unwrap();
                let (class, shape, pose) = (Class::Contained, shape.clone(), Pose::IDENTITY);
                cases.push(RayCase { class, shape, pose, ray, max_distance: 1.0 });
            }
        }
    }
    let refs: Vec<_> = cases
        .iter()
        .map(|case| RayOf { ray: &case.ray, shape: &case.shape, pose: &case.pose })
        .collect();
    let mut found = Vec::new();
    for (options, length) in ray_options().flat_map(|o| LENGTHS.map(|l| (o, l))) {
        let single = |case: &RayCase| case.shape.raycast(&case.pose, &case.ray, length, &options);
        let expected: Vec<_> = cases.iter().map(single).collect();
        for level in levels() {
            batch::raycast(&refs, length, &options, level, &mut found);
            assert_same(&expected, &found, &cases, "raycast from within", level);
        }
    }
}

#[test]
fn points_beside_any_mix_of_kinds_answer_as_one_by_one() {
    let cases = rays(47, 100, &Kind::ALL);
    let (mut near, mut far, mut nowhere) = (0, 0, 0);
    for max_distance in [f32::INFINITY, 0.5, 0.0, -1.0, f32::NAN] {
        let mut points: Vec<PointRef<'_>> = Vec::new();
        for (place, case) in cases.iter().enumerate() {
            let point = if place % 97 == 0 { Vec3::splat(f32::NAN) } else { case.ray.origin() };
            points.push(PointRef { point, shape: &case.shape, pose: &case.pose });
        }
        let alone = |asked: &PointRef<'_>| {
            narrow::project_point(asked.shape, asked.pose, asked.point, max_distance)
        };
        let expected: Vec<_> = points.iter().map(alone).collect();
        for (asked, found) in points.iter().zip(&expected) {
            match found {
                Some(_) => near += 1,
                None if asked.point.is_nan() => nowhere += 1,
                None => far += 1,
            }
        }
        for level in levels() {
            let mut found = vec![None; 3];
            batch::project_points(&points, max_distance, level, &mut found);
            assert_same(&expected, &found, &cases, "points", level);
        }
    }
    assert!(near > 1000 && far > 1000 && nowhere > 20, "{near} {far} {nowhere}");
}
