//! Rays against every shape, and points in them: the second source algorithm and its kin.

use glam::Vec3;
use impinge_shapes::{Plane, PlaneSide, RayOptions, Shape};
use impinge_testkit::{
    check::{Tally, expect_near, expect_same, for_each_case},
    generate::{Kind, aabbs, plane_case, point_case, ray_case},
    oracle,
};

fn check_rays(kind: Kind, count: usize) {
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
        expect_near(found.distance, exact, 1.0, exact, &case)?;
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
    tally.assert_balanced();
}

#[test]
fn boxes_are_hit_where_they_are() {
    check_rays(Kind::Cuboid, 18_000);
}

#[test]
fn spheres_are_hit_where_they_are() {
    check_rays(Kind::Sphere, 10_000);
}

#[test]
fn capsules_are_hit_where_they_are() {
    check_rays(Kind::Capsule, 10_000);
}

#[test]
fn half_spaces_are_hit_where_they_are() {
    check_rays(Kind::HalfSpace, 10_000);
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
        tally.assert_balanced();
    }
}

#[test]
fn shapes_lie_on_their_side_of_a_plane() {
    for kind in [Kind::Cuboid, Kind::Sphere, Kind::Capsule] {
        let mut tally = Tally::default();
        let mut sides = [0; 3];
        for_each_case(0x51de, 10_000, |class, rng| {
            let case = plane_case(class, kind, rng);
            let exact = oracle::side_of_plane(&case.shape, &case.pose, &case.plane);
            let exact = exact.ok_or("no oracle")?;
            tally.count(class, exact == PlaneSide::Straddling);
            sides[exact as usize] += 1;
            let flipped = case.shape.classify(&case.pose, &case.plane.flipped());
            expect_same(flipped, exact.flipped(), &case)?;
            expect_same(case.shape.classify(&case.pose, &case.plane), exact, &case)
        });
        tally.assert_balanced();
        assert!(sides.iter().all(|&n| n > 300), "{sides:?}");
    }
}

#[test]
fn bounds_lie_on_their_side_of_a_plane() {
    let mut tally = Tally::default();
    for_each_case(0xaabb, 12_000, |class, rng| {
        let bounds = aabbs(class, rng).mover;
        // Through a corner, along an axis or aslant, within rounding or a little off.
        let mut normal = rng.direction();
        if rng.one_in(2) {
            normal = Vec3::ZERO;
            normal[rng.below(3)] = rng.pick(&[1.0, -1.0]);
        }
        let corner = if rng.one_in(2) {
            let along = normal.cmpge(Vec3::ZERO);
            Vec3::select(along, bounds.max(), bounds.min())
        } else {
            rng.pick(&bounds.corners())
        };
        let point = corner * rng.pick(&[1.0, 1.0, 1.0 + f32::EPSILON, 0.99, 1.01]);
        let plane = Plane::through(point, normal).map_err(|error| error.to_string())?;
        let exact = oracle::side_of_aabb(&bounds, &plane);
        tally.count(class, exact == PlaneSide::Straddling);
        expect_same(bounds.classify(&plane), exact, &(bounds, plane))
    });
    tally.assert_balanced();
}

#[test]
fn bounds_hold_what_they_bound() {
    for_each_case(0xb0d5, 5_000, |class, rng| {
        for kind in [Kind::Sphere, Kind::Cuboid, Kind::Capsule] {
            let (shape, pose, point) = point_case(class, kind, rng);
            let inside = shape.contains_point(&pose, point);
            let bounded = shape.aabb(&pose).contains_point(point);
            expect_same(inside && !bounded, false, &(&shape, &pose, point))?;
            expect_same(matches!(shape, Shape::Compound(_)), false, &shape)?;
        }
        Ok(())
    });
}
