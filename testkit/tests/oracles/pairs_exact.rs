//! Overlap, touch and signed distance of pairs against the exact oracles: the first and the fourth
//! source algorithm, and the other pairs that have an oracle.

use impinge_narrowphase::{Relation, closest, overlaps, relation};
use impinge_shapes::glam::Vec3;
use impinge_testkit::{
    check::{Tally, expect_near, expect_same, for_each_case, ulp},
    generate::{Class, Kind, PairCase, pair},
    oracle::{self, Sweep},
};

/// The largest number that takes part in a distance: where the f32 results are rounded.
fn magnitude(case: &PairCase) -> f64 {
    let reach = |shape: &impinge_shapes::Shape, pose: &impinge_shapes::Pose| {
        let bounds = shape.aabb(pose);
        let corners = bounds.min().abs().max(bounds.max().abs());
        if corners.is_finite() { f64::from(corners.max_element()) } else { 0.0 }
    };
    reach(&case.a, &case.pose_a).max(reach(&case.b, &case.pose_b))
}

fn exact_overlap(case: &PairCase) -> Result<bool, String> {
    let exact = oracle::overlaps(&case.a, &case.pose_a, &case.b, &case.pose_b);
    exact.ok_or_else(|| format!("no oracle for {case:?}"))
}

/// Yes or no of a pair, both ways round.
fn check_overlaps(a: Kind, b: Kind, count: usize) {
    let mut tally = Tally::default();
    for_each_case(0x0b0b, count, |class, rng| {
        let case = pair(class, a, b, rng);
        let exact = exact_overlap(&case)?;
        tally.count(class, exact);
        expect_same(overlaps(&case.a, &case.pose_a, &case.b, &case.pose_b), exact, &case)?;
        expect_same(overlaps(&case.b, &case.pose_b, &case.a, &case.pose_a), exact, &case)
    });
    tally.assert_balanced();
}

/// The signed distance where the oracle knows it, and what comes with it.
fn check_distances(a: Kind, b: Kind, count: usize) {
    let mut known = 0;
    for_each_case(0xd157, count, |class, rng| {
        let case = pair(class, a, b, rng);
        let exact = oracle::distance(&case.a, &case.pose_a, &case.b, &case.pose_b);
        let found = closest(&case.a, &case.pose_a, &case.b, &case.pose_b, f32::INFINITY);
        let Some(found) = found else {
            return Err(format!("no answer without a limit for {case:?}"));
        };
        let overlap = exact_overlap(&case)?;
        // Shapes that are barely apart may be reported at 0, but never as overlapping.
        let sign_fits = if overlap { found.distance <= 0.0 } else { found.distance >= 0.0 };
        expect_same(sign_fits, true, &(&case, found))?;
        let Some(exact) = exact else { return Ok(()) };
        known += 1;
        // Depths beside nearly parallel edges are less sure: see the room of two boxes.
        let parallel = class == Class::Parallel && (a, b) == (Kind::Cuboid, Kind::Cuboid);
        let share = if parallel { 1_u64 << 23 } else { 1_u64 << 43 } as f64;
        let allowed = 1.0 + magnitude(&case) / share / ulp(exact);
        expect_near(found.distance, exact, allowed, exact, &case)
    });
    assert!(known > count / 4, "{known} of {count} have an exact distance");
}

#[test]
fn box_box_yes_or_no() {
    check_overlaps(Kind::Cuboid, Kind::Cuboid, 24_000);
}

#[test]
fn box_box_touching_or_penetrating() {
    let mut counts = [0; 3];
    for_each_case(0x0b0c, 12_000, |class, rng| {
        let case = pair(class, Kind::Cuboid, Kind::Cuboid, rng);
        let swept = oracle::sweep(&case.a, &case.pose_a, Vec3::ZERO, &case.b, &case.pose_b);
        let exact = match swept {
            Some(Sweep::StartOverlapping) => Relation::Penetrating,
            // Flat boxes cannot penetrate: some small move parts them.
            Some(Sweep::StartTouching { .. }) => Relation::Touching,
            _ => Relation::Apart,
        };
        counts[exact as usize] += 1;
        expect_same(relation(&case.a, &case.pose_a, &case.b, &case.pose_b), exact, &case)
    });
    assert!(counts.iter().all(|&n| n > 500), "{counts:?}");
}

#[test]
fn sphere_box_yes_or_no() {
    check_overlaps(Kind::Sphere, Kind::Cuboid, 24_000);
}

#[test]
fn sphere_sphere_yes_or_no() {
    check_overlaps(Kind::Sphere, Kind::Sphere, 12_000);
}

#[test]
fn sphere_capsule_yes_or_no() {
    check_overlaps(Kind::Sphere, Kind::Capsule, 12_000);
}

#[test]
fn capsule_capsule_yes_or_no() {
    check_overlaps(Kind::Capsule, Kind::Capsule, 12_000);
}

#[test]
fn capsule_box_yes_or_no() {
    check_overlaps(Kind::Capsule, Kind::Cuboid, 12_000);
}

#[test]
fn half_spaces_yes_or_no() {
    for other in [Kind::Sphere, Kind::Cuboid, Kind::Capsule] {
        check_overlaps(Kind::HalfSpace, other, 6_000);
    }
}

#[test]
fn box_box_depth() {
    check_distances(Kind::Cuboid, Kind::Cuboid, 12_000);
}

#[test]
fn sphere_box_distance() {
    check_distances(Kind::Sphere, Kind::Cuboid, 12_000);
}

#[test]
fn round_distances() {
    check_distances(Kind::Sphere, Kind::Sphere, 6_000);
    check_distances(Kind::Capsule, Kind::Sphere, 6_000);
    check_distances(Kind::Capsule, Kind::Capsule, 6_000);
}

#[test]
fn capsule_box_distance() {
    check_distances(Kind::Capsule, Kind::Cuboid, 6_000);
}

#[test]
fn half_space_distances() {
    for other in [Kind::Sphere, Kind::Cuboid, Kind::Capsule] {
        check_distances(Kind::HalfSpace, other, 6_000);
    }
}

#[test]
fn exact_touches_are_exact() {
    // The generator's promise: its touching cases touch, and do not overlap with depth.
    for (a, b) in [(Kind::Cuboid, Kind::Cuboid), (Kind::Sphere, Kind::Cuboid)] {
        let mut touching = 0;
        for_each_case(0x70c4, 2_400, |class, rng| {
            let case = pair(class, a, b, rng);
            if class != Class::Touching {
                return Ok(());
            }
            let swept = oracle::sweep(&case.a, &case.pose_a, Vec3::ZERO, &case.b, &case.pose_b);
            match swept {
                Some(Sweep::StartTouching { .. }) => touching += 1,
                Some(Sweep::StartOverlapping) => return Err(format!("overlap in {case:?}")),
                // Faces may miss each other where only corners reach.
                _ => {}
            }
            Ok(())
        });
        assert!(touching > 60, "{touching} of 200 touch");
    }
}
