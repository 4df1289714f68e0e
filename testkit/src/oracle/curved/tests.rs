//! The bounds of curved bodies against exact distances of polytopes within and around them, and
//! the exact rays and planes against the bounds.

use glam::Vec3;
use impinge_shapes::{Plane, PlaneSide, Pose, Ray, Shape};

use super::*;
use crate::{
    check::{case_factor, for_each_case},
    claims::sweep::draw as draw_sweep,
    generate::{Kind, pair},
    oracle::{Sweep, convex},
    rng::Rng,
};

#[test]
fn bounds_hold_exact_distances() {
    let mut counts = [0; 2];
    for (a, b) in [
        (Kind::Cuboid, Kind::Cuboid),
        (Kind::Cuboid, Kind::Capsule),
        (Kind::Capsule, Kind::Capsule),
        (Kind::Sphere, Kind::Cuboid),
    ] {
        for_each_case(0xb0d5, 480, |_, rng| {
            let class = rng.pick(&crate::generate::Class::ALL);
            let case = pair(class, a, b, rng);
            let first = Polytope::of(&case.a, &case.pose_a).ok_or("no polytope")?;
            let second = Polytope::of(&case.b, &case.pose_b).ok_or("no polytope")?;
            let exact = convex::distance(&first, &second);
            let bounds = distance(&Body::from(&first), &Body::from(&second));
            counts[usize::from(exact < 0.0)] += 1;
            let size = (case.pose_a.translation() - case.pose_b.translation()).length()
                + case.a.aabb(&Pose::IDENTITY).half_extents().as_dvec3().length()
                + case.b.aabb(&Pose::IDENTITY).half_extents().as_dvec3().length();
            if bounds.miss(exact) > 0.0 || bounds.width() > 4e-6 * exact.abs() + 1e-12 * size {
                return Err(format!("{exact} and {bounds:?} for {case:?}"));
            }
            Ok(())
        });
    }
    assert!(counts.iter().all(|&n| n > 300), "{counts:?}");
}

/// Whole numbers find no touch where f64 finds a plane, which it does for most of what misses.
#[test]
fn what_a_plane_parts_never_meets() {
    let (mut parted_ones, mut missed, mut met) = (0, 0, 0);
    for kind in [Kind::Capsule, Kind::Triangle, Kind::ConvexHull, Kind::RoundedPolytope] {
        for index in 0..600 * case_factor() {
            let rng = &mut Rng::stream(0x9a47, index);
            let case = draw_sweep(index, kind, Kind::Cuboid, rng);
            let of = |shape: &Shape, pose: &Pose| Polytope::of(shape, pose).expect("a polytope");
            let (a, b) = (of(&case.pair.a, &case.pair.pose_a), of(&case.pair.b, &case.pair.pose_b));
            let way = case.displacement;
            let is_miss = matches!(convex::sweep(&a, way, &b), Sweep::Miss);
            let is_parted = parted(&Body::from(&a), way.as_dvec3(), &Body::from(&b));
            assert!(is_miss || !is_parted, "stream {index}: {case:?}");
            parted_ones += u32::from(is_parted);
            missed += u32::from(is_miss);
            met += u32::from(!is_miss);
        }
    }
    assert!(met > 500 && parted_ones * 10 > missed * 9, "{met} met, {parted_ones} of {missed}");
}

/// Points on the rim of each disc, all inside it or around it.
fn with_corners(body: &Body, count: u32, around: bool) -> Polytope {
    let mut vertices = Vec::new();
    for disc in &body.discs {
        let step = std::f64::consts::TAU / f64::from(count);
        let stretch = if around { 1.0 + step * step / 7.0 } else { 1.0 - 1e-6 };
        let (mut x, mut z) = (1.0_f64, 0.0_f64);
        // A turn by a small angle, without sine and cosine: its tangent of the half is step/2, so
        // the corners do not quite close, by less than the stretch allows for.
        let half = step / 2.0;
        let (c, s) = ((1.0 - half * half) / (1.0 + half * half), step / (1.0 + half * half));
        for _ in 0..=count {
            let r = f64::from(disc.radius) * stretch;
            let rim = DVec3::new(x * r, 0.0, z * r);
            vertices.push(impinge_shapes::round::nearest_vec(disc.center.as_dvec3() + rim));
            (x, z) = (c * x - s * z, s * x + c * z);
        }
    }
    Polytope { vertices, pose: body.pose, radius: body.radius, margin: body.margin }
}

fn draw(rng: &mut Rng, size: f64) -> Body {
    let (half, radius) = (rng.range(0.2 * size, size), rng.range(0.2 * size, size));
    let position = rng.cube(-size, size);
    let pose = Pose::new(position, rng.rotation()).expect("finite");
    let mut body = if rng.one_in(2) {
        Body::cylinder(half, radius, &pose)
    } else {
        Body::cone(half, radius, &pose)
    };
    body.margin = rng.pick(&[0.0, 0.0, radius * 0.25]);
    body
}

#[test]
fn polytopes_within_and_around_enclose_the_bounds() {
    let (mut apart, mut overlapping, mut widest) = (0, 0, 0.0_f64);
    for seed in 0..200 * case_factor() {
        let rng = &mut Rng::stream(0xc4_12ed, seed);
        let (a, b) = (draw(rng, 1.0), draw(rng, 1.0));
        let bounds = distance(&a, &b);
        let told = format!("seed {seed}: {bounds:?} of {a:?} and {b:?}");
        let within = convex::distance(&with_corners(&a, 16, false), &with_corners(&b, 16, false));
        let around = convex::distance(&with_corners(&a, 16, true), &with_corners(&b, 16, true));
        assert!(around <= bounds.high && bounds.low <= within, "{around} to {within}: {told}");
        assert!(bounds.low <= bounds.high && within - around < 0.3, "{told}");
        apart += usize::from(bounds.low > 0.0);
        overlapping += usize::from(bounds.high < 0.0);
        widest = widest.max(bounds.width());
    }
    assert!(apart > 40 && overlapping > 40, "{apart} {overlapping}");
    assert!(widest < 1e-5, "{widest}");
}

#[test]
fn distances_that_are_known() {
    let drum = Body::cylinder(2.0, 1.0, &Pose::IDENTITY);
    let at = |x: f32, y: f32, z: f32| Pose::from_position(Vec3::new(x, y, z)).unwrap();
    let ball = |radius: f32, pose: &Pose| Body::of(&Shape::sphere(radius).unwrap(), pose).unwrap();
    let near = |bounds: Bounds, exact: f64| {
        assert!(bounds.miss(exact) <= 0.0 && bounds.width() < 1e-7, "{bounds:?}, not {exact}");
    };
    near(distance(&drum, &ball(0.5, &at(4.0, 1.0, 0.0))), 2.5);
    near(distance(&drum, &ball(0.5, &at(4.0, 6.0, 0.0))), 4.5);
    near(distance(&drum, &ball(0.5, &at(0.25, 0.0, 0.0))), -1.25);
    near(distance(&drum, &Body::cylinder(1.0, 3.0, &at(5.0, 0.5, 0.0))), 1.0);
    near(distance(&drum, &Body::cylinder(1.0, 3.0, &at(2.0, 2.5, 0.0))), -0.5);
    // The side of a cone of 3-4-5: half height 2, radius 3; the normal is (4, 3) / 5.
    let cone = Body::cone(2.0, 3.0, &Pose::IDENTITY);
    near(distance(&cone, &ball(1.0, &at(1.5 + 4.0, 3.0, 0.0))), 4.0);
    near(distance(&cone, &ball(0.5, &at(0.0, 3.5, 0.0))), 1.0);
    // The core of all of it is one circle: the bounds are wider, but hold.
    let inside = distance(&drum, &Body::cylinder(9.0, 0.5, &Pose::IDENTITY));
    assert!(inside.miss(-1.5) <= 0.0 && inside.width() < 2e-3, "{inside:?}");
}

#[test]
fn rays_agree_with_swept_points() {
    let mut counts = [0; 3];
    for seed in 0..1_500 * case_factor() {
        let rng = &mut Rng::stream(0x2a15, seed);
        let mut body = draw(rng, 1.0);
        body.margin = 0.0;
        let (spread, aside) = (rng.pick(&[0.5, 2.0]), rng.cube(-1.0, 1.0));
        let origin = body.pose.position() + rng.cube(-spread, spread);
        let way = (body.pose.position() + aside - origin) * rng.range(0.2, 2.0);
        let ray = Ray::new(origin, way).unwrap();
        let exact = raycast(&body, &ray, way.length()).expect("a ray has an oracle");
        let point = Body::from(&Polytope::point(origin));
        let told = format!("seed {seed}: {exact:?} of {ray:?} and {body:?}");
        let inside = contains_point(&body, origin).expect("a point has an oracle");
        match sweep(&point, way.as_dvec3(), &body) {
            Outcome::Miss => {
                counts[0] += 1;
                // The length of the way is rounded.
                assert!(exact.is_none_or(|t| t.to_f64() > f64::from(way.length()) * 0.9999));
                assert!(!inside, "{told}");
            }
            Outcome::StartOverlapping => {
                counts[1] += 1;
                assert!(inside && exact.is_some_and(|t| t.to_f64() <= 0.0), "{told}");
            }
            Outcome::Hit { time, .. } => {
                counts[2] += 1;
                assert!(!inside, "{told}");
                let length = way.as_dvec3().length();
                assert!(time.width() < 1e-5, "{time:?}: {told}");
                match exact {
                    Some(exact) => {
                        let miss = time.miss(exact.to_f64() / length);
                        assert!(miss < 1e-6, "{time:?}: {told}");
                    }
                    None => assert!(time.high > 0.9999, "{time:?}: {told}"),
                }
            }
            Outcome::StartTouching { .. } | Outcome::Unknown => {}
        }
    }
    assert!(counts.iter().all(|&n| n > 100), "{counts:?}");
}

#[test]
fn rays_graze_cones_and_cylinders() {
    let at = |y: f32| Pose::from_position(Vec3::new(0.0, y, 0.0)).unwrap();
    let cast = |body: &Body, origin: Vec3, way: Vec3| {
        let ray = Ray::new(origin, way).unwrap();
        raycast(body, &ray, f32::INFINITY).unwrap().map(|t| t.to_f64())
    };
    let (drum, cone) = (Body::cylinder(2.0, 1.0, &at(1.0)), Body::cone(2.0, 3.0, &at(1.0)));
    assert_eq!(cast(&drum, Vec3::new(-5.0, 3.0, 0.0), Vec3::X), Some(4.0));
    assert_eq!(cast(&drum, Vec3::new(-5.0, 3.0_f32.next_up(), 0.0), Vec3::X), None);
    assert_eq!(cast(&drum, Vec3::new(-5.0, 0.0, 1.0), Vec3::X), Some(5.0));
    assert_eq!(cast(&drum, Vec3::new(-5.0, 0.0, 1.0_f32.next_up()), Vec3::X), None);
    assert_eq!(cast(&drum, Vec3::new(1.0, 9.0, 0.0), Vec3::NEG_Y), Some(6.0));
    // Through the apex only, and past it.
    assert_eq!(cast(&cone, Vec3::new(-5.0, 3.0, 0.0), Vec3::X), Some(5.0));
    assert_eq!(cast(&cone, Vec3::new(-5.0, 3.0_f32.next_up(), 0.0), Vec3::X), None);
    assert_eq!(cast(&cone, Vec3::new(-5.0, 1.0, 0.0), Vec3::X), Some(3.5));
    assert_eq!(cast(&cone, Vec3::new(1.5, 9.0, 0.0), Vec3::NEG_Y), Some(8.0));
    assert_eq!(cast(&cone, Vec3::new(0.0, 9.0, 0.0), Vec3::NEG_Y), Some(6.0));
    assert_eq!(cast(&cone, Vec3::new(0.0, -9.0, 3.0), Vec3::Y), Some(8.0));
    assert_eq!(cast(&cone, Vec3::new(0.0, 9.0, 0.0), Vec3::Y), None);
    // Along the side, from above the apex: a straight line of the surface.
    let steep = Body::cone(2.0, 4.0, &at(1.0));
    let down = Vec3::new(1.0, -1.0, 0.0);
    assert!(cast(&steep, Vec3::new(-3.0, 6.0, 0.0), down).is_some());
    assert_eq!(cast(&steep, Vec3::new(-3.0, 6.0_f32.next_up(), 0.0), down), None);
}

#[test]
fn planes_agree_with_the_reach() {
    let mut counts = [0; 3];
    for seed in 0..1_500 * case_factor() {
        let rng = &mut Rng::stream(0x91a9e, seed);
        let body = draw(rng, 1.0);
        let plane = Plane::new(rng.direction(), rng.range(-2.0, 2.0)).unwrap();
        let found = side_of_plane(&body, &plane);
        counts[found as usize] += 1;
        let placed = Placed::new(&body, DVec3::ZERO);
        let n = plane.normal().as_dvec3();
        let high = n.dot(placed.farthest(n)) + placed.radius() * n.length();
        let low = n.dot(placed.farthest(-n)) - placed.radius() * n.length();
        let d = f64::from(plane.distance());
        let expected = if low > d {
            PlaneSide::Front
        } else if high < d {
            PlaneSide::Behind
        } else {
            PlaneSide::Straddling
        };
        assert_eq!(found, expected, "seed {seed}: {plane:?} and {body:?}");
        let half_space = impinge_shapes::HalfSpace::new(-plane.normal(), -plane.distance());
        let half_space = half_space.unwrap();
        let there = half_space_distance(&half_space, &Pose::IDENTITY, &body);
        let expected = (d - high) / n.length();
        // The normal is normalised twice.
        assert!((there - expected).abs() < 1e-6, "seed {seed}: {there}, not {expected}");
        let relation = half_space_relation(&half_space, &Pose::IDENTITY, &body);
        let is_apart = relation == convex::Contact::Apart;
        assert_eq!(is_apart, found == PlaneSide::Behind, "seed {seed}");
    }
    assert!(counts.iter().all(|&n| n > 100), "{counts:?}");
    let drum = Body::cylinder(2.0, 1.0, &Pose::IDENTITY);
    let top = Plane::new(Vec3::Y, 2.0).unwrap();
    assert_eq!(side_of_plane(&drum, &top), PlaneSide::Straddling);
    let above = Plane::new(Vec3::Y, 2.0_f32.next_up()).unwrap();
    assert_eq!(side_of_plane(&drum, &above), PlaneSide::Behind);
    let floor = impinge_shapes::HalfSpace::new(Vec3::Y, -2.0).unwrap();
    let touch = half_space_relation(&floor, &Pose::IDENTITY, &drum);
    assert_eq!(touch, convex::Contact::Touching);
}
