//! Batches of sweeps answer to the bit what single sweeps answer.

use impinge_narrowphase::batch::{SweepRef, sweeps};
use impinge_narrowphase::{ShapeSweepHit, SweepOptions, sweep};
use impinge_shapes::glam::Vec3;
use impinge_testkit::{
    check::{for_each_case, levels},
    claims::same::assert_same,
    generate::{Kind, SweepCase, sweep_case},
    rng::Rng,
};

fn reference(case: &SweepCase) -> SweepRef<'_> {
    let SweepCase { pair, displacement } = case;
    SweepRef {
        mover: &pair.a,
        pose: &pair.pose_a,
        displacement: *displacement,
        target: &pair.b,
        target_pose: &pair.pose_b,
    }
}

fn all_options() -> impl Iterator<Item = SweepOptions> {
    (0..8).map(|bits| SweepOptions {
        stop_on_touch: bits & 1 > 0,
        skip_started: bits & 2 > 0,
        skip_leaving: bits & 4 > 0,
    })
}

fn one_by_one(asked: &[SweepRef<'_>], options: &SweepOptions) -> Vec<Option<ShapeSweepHit>> {
    asked
        .iter()
        .map(|at| sweep(at.mover, at.pose, at.displacement, at.target, at.target_pose, options))
        .collect()
}

/// The share of hits must lie between a tenth and nine tenths.
fn check(mut cases: Vec<SweepCase>, seed: u64) {
    // What goes nowhere, and what is no way at all.
    let ways = [Vec3::ZERO, Vec3::NAN, Vec3::X * f32::INFINITY, Vec3::NEG_Y * f32::MAX];
    for (case, way) in cases.iter_mut().step_by(97).zip(ways.into_iter().cycle()) {
        case.displacement = way;
    }
    Rng::new(seed).shuffle(&mut cases);
    let asked: Vec<SweepRef<'_>> = cases.iter().map(reference).collect();
    // All that starts in overlap is left out, whatever is said of a part of it.
    let [skipped, skipped_twice] = [false, true].map(|skip_leaving| {
        let plain = SweepOptions::default();
        one_by_one(&asked, &SweepOptions { skip_started: true, skip_leaving, ..plain })
    });
    assert!(skipped == skipped_twice, "seed {seed:#x}");
    for options in all_options() {
        let expected = one_by_one(&asked, &options);
        let hits = expected.iter().flatten().count();
        let (least, all) = (cases.len() / 10, cases.len());
        assert!(hits > least && all - hits > least, "seed {seed:#x}: {hits} of {all}");
        for level in levels() {
            // What is there is replaced.
            let mut found = vec![None; 3];
            sweeps(&asked, &options, level, &mut found);
            assert_same(&expected, &found, &cases, "sweeps", level);
        }
    }
}

/// Cases of ordered pairs of these kinds.
fn cases(seed: u64, each: usize, kinds: &[(Kind, Kind)]) -> Vec<SweepCase> {
    let mut cases = Vec::new();
    for &(a, b) in kinds {
        for_each_case(seed, each, |class, rng| {
            cases.push(sweep_case(class, a, b, rng));
            Ok(())
        });
    }
    cases
}

#[test]
fn any_mix_of_kinds_sweeps_as_one_by_one() {
    let kinds: Vec<_> = Kind::ALL.iter().flat_map(|&a| Kind::ALL.map(|b| (a, b))).collect();
    check(cases(0x5b1d, 24, &kinds), 0x5b1e);
}

/// Whose lanes settle nearly all of many cases.
#[test]
fn many_spheres_sweep_as_one_by_one() {
    check(cases(0x5b2d, 8_000, &[(Kind::Sphere, Kind::Sphere)]), 0x5b2e);
}

/// Everything that has lanes beside a half-space, in either order.
#[test]
fn many_shapes_over_half_spaces_sweep_as_one_by_one() {
    let both = Kind::SIMPLE.map(|kind| [(kind, Kind::HalfSpace), (Kind::HalfSpace, kind)]);
    check(cases(0x5b3d, 800, both.as_flattened()), 0x5b3e);
}

/// What is told by bounds to miss, and what starts inside.
#[test]
fn many_boxes_and_balls_sweep_as_one_by_one() {
    let kinds =
        [(Kind::Cuboid, Kind::Cuboid), (Kind::Sphere, Kind::Cuboid), (Kind::Cuboid, Kind::Sphere)];
    check(cases(0x5b4d, 2_000, &kinds), 0x5b4e);
}

/// Blocks that are not full.
#[test]
fn every_number_of_sweeps_is_answered() {
    let kinds = [(Kind::Sphere, Kind::Sphere), (Kind::HalfSpace, Kind::Cylinder)];
    for kind in kinds {
        let cases = cases(0x5b5d, 25, &[kind]);
        let options = SweepOptions::default();
        for count in 0..=cases.len() {
            let asked: Vec<SweepRef<'_>> = cases[..count].iter().map(reference).collect();
            let expected = one_by_one(&asked, &options);
            for level in levels() {
                let mut found = Vec::new();
                sweeps(&asked, &options, level, &mut found);
                assert_same(&expected, &found, &cases[..count], "sweeps", level);
            }
        }
    }
}
