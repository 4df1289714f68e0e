//! Inputs at the ends of the range: nothing panics, nothing loops, no answer is a NaN.

use glam::{Quat, Vec3};
use impinge_narrowphase::{
    SweepOptions, clamp_movement, closest, manifolds, overlaps, relation, sweep, sweep_aabb,
};
use impinge_shapes::{Aabb, Plane, Pose, Ray, RayOptions, Shape, StartedInside};
use impinge_testkit::{check::case_factor, oracle, rng::Rng};

const NUMBERS: [f32; 16] = [
    0.0,
    -0.0,
    1e-45,
    -1e-45,
    f32::MIN_POSITIVE,
    1e-20,
    0.1,
    1.0,
    -1.0,
    16_777_216.0,
    1e20,
    -1e20,
    1e30,
    f32::MAX,
    -f32::MAX,
    3.0,
];

fn vector(rng: &mut Rng) -> Vec3 {
    Vec3::new(rng.pick(&NUMBERS), rng.pick(&NUMBERS), rng.pick(&NUMBERS))
}

fn rotation(rng: &mut Rng) -> Quat {
    loop {
        let v = vector(rng);
        let q = Quat::from_xyzw(v.x, v.y, v.z, rng.pick(&NUMBERS));
        if Pose::new(Vec3::ZERO, q).is_ok() {
            return if rng.one_in(2) { q } else { rng.rotation() };
        }
    }
}

fn pose(rng: &mut Rng) -> Pose {
    Pose::new(vector(rng), rotation(rng)).expect("the numbers are finite")
}

fn shape(rng: &mut Rng) -> Shape {
    let size = |rng: &mut Rng| rng.pick(&NUMBERS).abs();
    let sizes = vector(rng).abs();
    let made = match rng.below(5) {
        0 => Shape::sphere(size(rng)).ok(),
        1 => Shape::cuboid(sizes).ok(),
        2 => Shape::capsule(vector(rng), vector(rng), size(rng)).ok(),
        3 => Shape::half_space(rng.direction(), rng.pick(&NUMBERS)).ok(),
        _ => {
            let parts = [(pose(rng), shape(rng)), (Pose::IDENTITY, shape(rng))];
            Shape::compound(parts).ok()
        }
    };
    made.expect("the sizes are finite and not negative")
}

fn is_number(v: Vec3) -> bool {
    !v.is_nan()
}

/// Length 1, computed so that it cannot overflow.
fn is_unit(v: Vec3) -> bool {
    (v.as_dvec3().length() - 1.0).abs() < 1e-5
}

#[test]
fn pairs_at_the_ends_of_the_range() {
    let mut hits = 0;
    for seed in 0..10_000 * case_factor() {
        let rng = &mut Rng::stream(0xde6e, seed);
        let (a, b) = (shape(rng), shape(rng));
        let (at, to) = (pose(rng), pose(rng));
        let told = format!("seed {seed}: {a:?} at {at:?}, {b:?} at {to:?}");
        let overlap = overlaps(&a, &at, &b, &to);
        if let Some(exact) = oracle::overlaps(&a, &at, &b, &to) {
            assert_eq!(overlap, exact, "{told}");
        }
        assert_eq!(overlaps(&b, &to, &a, &at), overlap, "{told}");
        hits += usize::from(overlap);
        let near = closest(&a, &at, &b, &to, f32::INFINITY).expect("there is no limit");
        assert!(!near.distance.is_nan() && is_unit(near.normal), "{near:?}: {told}");
        assert!(is_number(near.point_a) && is_number(near.point_b), "{near:?}: {told}");
        assert!(!overlap || near.distance <= 0.0, "{near:?}: {told}");
        for patch in manifolds(&a, &at, &b, &to, 1.0) {
            assert!(is_unit(patch.normal), "{patch:?}: {told}");
            for point in &patch.points {
                assert!(!point.distance.is_nan(), "{patch:?}: {told}");
                assert!(is_number(point.point_a) && is_number(point.point_b), "{told}");
            }
        }
        let way = vector(rng);
        if let Some(hit) = sweep(&a, &at, way, &b, &to, &SweepOptions::default()) {
            assert!((0.0..=1.0).contains(&hit.fraction), "{hit:?} by {way}: {told}");
            assert!(is_unit(hit.normal) && is_number(hit.point), "{hit:?} by {way}: {told}");
            assert!(hit.depth >= 0.0 && hit.distance >= 0.0, "{hit:?} by {way}: {told}");
        }
    }
    assert!(hits > 1_000, "{hits}");
}

#[test]
fn rays_points_and_planes_at_the_ends_of_the_range() {
    let mut hits = 0;
    for seed in 0..10_000 * case_factor() {
        let rng = &mut Rng::stream(0xde6f, seed);
        let (shape, at, origin) = (shape(rng), pose(rng), vector(rng));
        let told = format!("seed {seed}: {shape:?} at {at:?} from {origin}");
        let bounds = shape.aabb(&at);
        assert!(is_number(bounds.min()) && is_number(bounds.max()), "{told}");
        let inside = shape.contains_point(&at, origin);
        if let Some(exact) = oracle::contains_point(&shape, &at, origin) {
            assert_eq!(inside, exact, "{told}");
        }
        assert!(!inside || bounds.contains_point(origin), "{told}");
        let direction = if rng.one_in(2) { rng.direction() } else { vector(rng) };
        let Ok(ray) = Ray::new(origin, direction) else { continue };
        for started_inside in [StartedInside::Hit, StartedInside::Skip, StartedInside::Exit] {
            let options = RayOptions { started_inside, cull_back_faces: rng.one_in(2) };
            let found = shape.raycast(&at, &ray, f32::INFINITY, &options);
            hits += usize::from(found.is_some());
            if let Some(found) = found {
                assert!(
                    found.distance >= 0.0 && is_unit(found.normal),
                    "{found:?} {ray:?}: {told}"
                );
                assert!(is_number(found.point), "{found:?} {ray:?}: {told}");
            }
            if started_inside == StartedInside::Hit
                && let Some(exact) = oracle::raycast(&shape, &at, &ray, f32::INFINITY)
            {
                assert_eq!(found.is_some(), exact.is_some(), "{ray:?}: {told}");
            }
        }
        if let Ok(plane) = Plane::new(direction, rng.pick(&NUMBERS)) {
            let side = shape.classify(&at, &plane);
            if let Some(exact) = oracle::side_of_plane(&shape, &at, &plane) {
                assert_eq!(side, exact, "{plane:?}: {told}");
            }
        }
    }
    assert!(hits > 1_000, "{hits}");
}

#[test]
fn limits_that_are_no_numbers_find_nothing() {
    let ball = Shape::sphere(1.0).unwrap();
    let far = Pose::from_position(Vec3::new(5.0, 0.0, 0.0)).unwrap();
    let here = Pose::IDENTITY;
    let ray = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
    for limit in [f32::NAN, -1.0, f32::NEG_INFINITY] {
        assert_eq!(closest(&ball, &here, &ball, &far, limit), None);
        assert_eq!(ball.raycast(&far, &ray, limit, &RayOptions::default()), None);
    }
    for margin in [f32::NAN, -1.0, f32::NEG_INFINITY] {
        assert!(manifolds(&ball, &here, &ball, &far, margin).is_empty());
    }
    for way in [Vec3::NAN, Vec3::INFINITY, Vec3::new(0.0, f32::NEG_INFINITY, 0.0)] {
        assert!(sweep(&ball, &here, way, &ball, &far, &SweepOptions::default()).is_none());
        let unit = Aabb::new(Vec3::ZERO, Vec3::ONE).unwrap();
        assert!(sweep_aabb(&unit, way, &unit).is_none());
        let clamped = clamp_movement(&unit, way, [unit]);
        assert!(!clamped.is_nan(), "{clamped}");
    }
    assert!(!ball.contains_point(&here, Vec3::NAN));
}

#[test]
fn concentric_shapes_part_along_the_first_axis() {
    let ball = Shape::sphere(1.0).unwrap();
    let cube = Shape::cuboid(Vec3::ONE).unwrap();
    let tube = Shape::capsule_along_y(0.0, 1.0).unwrap();
    let here = Pose::IDENTITY;
    for (a, b) in [(&cube, &ball), (&ball, &cube), (&cube, &cube)] {
        let found = closest(a, &here, b, &here, 0.0).expect("they overlap");
        assert_eq!(found.distance.to_bits(), (-2.0_f32).to_bits(), "{found:?}");
        assert_eq!(found.normal.abs(), Vec3::X, "{found:?}");
        let expected = if a == &cube { Vec3::X } else { Vec3::NEG_X };
        assert_eq!(found.normal, expected, "{a:?} against {b:?}: {found:?}");
    }
    for (a, b) in [(&ball, &ball), (&tube, &ball), (&tube, &tube)] {
        let found = closest(a, &here, b, &here, 0.0).expect("they overlap");
        assert_eq!(found.distance.to_bits(), (-2.0_f32).to_bits(), "{found:?}");
        assert!(is_unit(found.normal), "{found:?}");
        assert!(relation(a, &here, b, &here).overlaps());
    }
}
