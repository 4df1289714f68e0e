//! Rays against every shape, and points in them: the second source algorithm and its kin.

use impinge_shapes::{Pose, RayOptions, Shape};
use impinge_testkit::{
    check::{Tally, expect_near, expect_same, for_each_case, ulp},
    generate::{Kind, RayCase, point_case, ray_case},
    oracle::{self, curved::Outcome},
};

/// A ray within `ulps` of the exact distance.
fn check_rays(kind: Kind, ulps: f64, count: usize) {
    let mut tally = Tally::default();
    for_each_case(0x7a11, count, |class, rng| {
        let case = ray_case(class, kind, rng);
        let exact = oracle::raycast(&case.shape, &case.pose, &case.ray, case.max_distance)
            .ok_or("no oracle")?;
        let found =
            case.shape.raycast(&case.pose, &case.ray, case.max_distance, &RayOptions::default());
        tally.count(class, exact.is_some());
        expect_same(found.is_some(), exact.is_some(), &case)?;
        let (Some(found), Some(exact)) = (found, exact) else { return Ok(()) };
        let exact = exact.to_f64();
        expect_near(found.distance, exact, ulps, exact, &case)?;
        expect_same(found.started_inside, exact <= 0.0, &case)?;
        if (found.normal.length() - 1.0).abs() > 1e-6 {
            return Err(format!("normal {} for {case:?}", found.normal));
        }
        // The normal opposes the ray, a grazing one within rounding.
        if found.normal.dot(case.ray.direction()) > 1e-6 {
            return Err(format!("normal {} along the ray for {case:?}", found.normal));
        }
        expect_same(found.distance <= case.max_distance, true, &case)
    });
    let (hits, misses) = (tally.of(true), tally.of(false));
    assert!(hits > count / 20 && misses > count / 20, "{kind:?}: {tally:?}");
}

#[test]
fn boxes_are_hit_where_they_are() {
    check_rays(Kind::Cuboid, 1.0, 18_000);
}

#[test]
fn spheres_are_hit_where_they_are() {
    check_rays(Kind::Sphere, 1.0, 10_000);
}

#[test]
fn capsules_are_hit_where_they_are() {
    check_rays(Kind::Capsule, 1.0, 10_000);
}

#[test]
fn half_spaces_are_hit_where_they_are() {
    check_rays(Kind::HalfSpace, 1.0, 10_000);
}

#[test]
fn triangles_and_hulls_are_hit_where_they_are() {
    check_rays(Kind::Triangle, 2.0, 10_000);
    check_rays(Kind::ConvexHull, 2.0, 10_000);
}

#[test]
fn cylinders_and_cones_are_hit_where_they_are() {
    check_rays(Kind::Cylinder, 2.0, 10_000);
    check_rays(Kind::Cone, 2.0, 10_000);
}

/// The farthest that a ray needs to go for a shape, a power of two.
fn beyond(case: &RayCase) -> f64 {
    let size = case.shape.aabb(&Pose::IDENTITY).max().as_dvec3().length();
    let between = case.pose.translation().distance(case.ray.origin().as_dvec3());
    let mut length = 1.0_f64;
    while length < 4.0 * (size + between) {
        length *= 2.0;
    }
    length
}

/// A ray at a rounded cylinder or cone, within certain bounds; `None` where they do not tell.
fn check_round_ray(case: &RayCase) -> Result<Option<bool>, String> {
    let is_endless = case.max_distance.is_infinite();
    let length = if is_endless { beyond(case) } else { f64::from(case.max_distance) };
    let outcome = oracle::ray_outcome(&case.shape, &case.pose, &case.ray, length);
    let found =
        case.shape.raycast(&case.pose, &case.ray, case.max_distance, &RayOptions::default());
    let outcome = outcome.ok_or("no oracle")?;
    // A start next to the surface may count as inside.
    let starts = oracle::ray_gap(&case.shape, &case.pose, &case.ray).ok_or("no oracle")?;
    let size = case.shape.aabb(&case.pose).half_extents().as_dvec3().length();
    let near = starts.low.max(-starts.high) < size / (1_u64 << 41) as f64;
    if found.is_some_and(|hit| hit.started_inside) && near {
        return Ok(None);
    }
    match outcome {
        Outcome::Unknown | Outcome::StartTouching { .. } => return Ok(None),
        Outcome::Miss => expect_same(found, None, case)?,
        Outcome::StartOverlapping => {
            let inside = found.is_some_and(|hit| hit.started_inside && hit.distance <= 0.0);
            expect_same(inside, true, &(case, found))?;
        }
        Outcome::Hit { time, incidence } => {
            let Some(hit) = found else { return Err(format!("missed {time:?}: {case:?}")) };
            let exact = [time.low * length, time.high * length];
            let size = case.shape.aabb(&Pose::IDENTITY).max().as_dvec3().length() + exact[1];
            // What a shell four times as thick as promised around the shape makes of it.
            let shell = size / (1_u64 << 41) as f64;
            let late = 2.0 * ulp(exact[1]) + shell / incidence;
            let chord = (2.0 * size * shell).sqrt();
            let early = 2.0 * ulp(exact[1]) + (shell / incidence).min(chord);
            let at = f64::from(hit.distance);
            if at < exact[0] - early || at > exact[1] + late {
                return Err(format!("{hit:?}, exact {exact:?} at {incidence}: {case:?}"));
            }
            expect_same(hit.started_inside, false, case)?;
            let along = hit.normal.dot(case.ray.direction());
            let fits = (hit.normal.length() - 1.0).abs() < 1e-6 && along <= 1e-6;
            expect_same(fits, true, &(case, hit))?;
        }
    }
    Ok(Some(found.is_some()))
}

#[test]
fn rounded_cylinders_and_cones_are_hit_where_they_are() {
    for is_cone in [false, true] {
        let (mut tally, mut unknown) = (Tally::default(), 0);
        for_each_case(0x40_7a11, 10_000, |class, rng| {
            let case = loop {
                let case = ray_case(class, Kind::Rounded, rng);
                let Shape::Rounded(rounded) = &case.shape else { continue };
                match rounded.core() {
                    Shape::Cylinder(_) if !is_cone => break case,
                    Shape::Cone(_) if is_cone => break case,
                    _ => {}
                }
            };
            match check_round_ray(&case)? {
                Some(answer) => tally.count(class, answer),
                None => unknown += 1,
            }
            Ok(())
        });
        tally.assert_balanced();
        assert!(unknown < 2_500, "{unknown} of 10000 unknown");
    }
}

#[test]
fn shapes_contain_exactly_their_points() {
    for kind in Kind::SIMPLE {
        let mut tally = Tally::default();
        for_each_case(0x90e7, 10_000, |class, rng| {
            let (shape, pose, point) = point_case(class, kind, rng);
            let exact = oracle::contains_point(&shape, &pose, point).ok_or("no oracle")?;
            tally.count(class, exact);
            expect_same(shape.contains_point(&pose, point), exact, &(&shape, &pose, point))
        });
        // Flat shapes hold few points.
        let (inside, outside) = (tally.of(true), tally.of(false));
        assert!(inside > 200 && outside > 2_000, "{kind:?}: {tally:?}");
    }
}

#[test]
fn bounds_hold_what_they_bound() {
    for_each_case(0xb0d5, 5_000, |class, rng| {
        for kind in [Kind::Sphere, Kind::Cuboid, Kind::Capsule] {
            let (shape, pose, point) = point_case(class, kind, rng);
            let inside = shape.contains_point(&pose, point);
            let bounded = shape.aabb(&pose).contains_point(point);
            expect_same(inside && !bounded, false, &(&shape, &pose, point))?;
        }
        Ok(())
    });
}
