//! Sides of planes: the fifth source algorithm, for boxes of both kinds and every other shape.

use glam::Vec3;
use impinge_shapes::{Plane, PlaneSide};
use impinge_testkit::{
    check::{Tally, expect_same, for_each_case},
    generate::{Kind, aabbs, plane_case},
    oracle,
};

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
