//! Rays against every shape, and points in them: the second source algorithm and its kin.

use impinge_shapes::Shape;
use impinge_testkit::{
    check::{Tally, expect_same, for_each_case},
    claims::ray::{check, check_round},
    generate::{Kind, point_case, ray_case},
    oracle,
};

/// A ray within `ulps` of the exact distance.
fn check_rays(kind: Kind, ulps: f64, count: usize) {
    let mut tally = Tally::default();
    for_each_case(0x7a11, count, |class, rng| {
        let case = ray_case(class, kind, rng);
        tally.count(class, check(&case, ulps)?);
        Ok(())
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
            match check_round(&case)? {
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
