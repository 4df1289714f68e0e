//! Linear motion: the third source algorithm as the per-axis rule and as a true swept test, and
//! the sweeps that have an exact oracle.

use impinge_narrowphase::{SweepOptions, clamp_movement, sweep, sweep_aabb};
use impinge_shapes::{Aabb, glam::Vec3};
use impinge_testkit::{
    check::{Tally, expect_near, expect_same, for_each_case, ulp},
    generate::{Class, Kind, SweepCase, aabbs, sweep_case},
    oracle::{self, Sweep, Time},
};

#[test]
fn movement_is_clamped_by_the_rule() {
    let mut tally = Tally::default();
    for_each_case(0xc1a3, 24_000, |class, rng| {
        let case = aabbs(class, rng);
        let mut obstacles: Vec<Aabb> = vec![case.obstacle];
        for _ in 0..rng.below(4) {
            obstacles.push(aabbs(class, rng).obstacle);
        }
        let exact = oracle::clamp_movement(&case.mover, case.displacement, &obstacles);
        let found = clamp_movement(&case.mover, case.displacement, obstacles.iter().copied());
        let mut cut = false;
        for axis in 0..3 {
            let (wanted, exact) = (case.displacement[axis], exact[axis].to_f64());
            cut |= exact.abs() < f64::from(wanted).abs();
            expect_near(found[axis], exact, 1.0, exact, &(case, &obstacles))?;
            // Rounded toward zero, so that the mover never passes the obstacle.
            if f64::from(found[axis]).abs() > exact.abs() {
                return Err(format!("{found} passes {exact} on axis {axis}: {case:?}"));
            }
        }
        tally.count(class, cut);
        Ok(())
    });
    assert!(tally.of(true) > 1_000 && tally.of(false) > 1_000, "{tally:?}");
}

#[test]
fn swept_bounds_hit_when_they_touch() {
    let mut tally = Tally::default();
    for_each_case(0x5aab, 24_000, |class, rng| {
        let case = aabbs(class, rng);
        let exact = oracle::sweep_aabbs(&case.mover, case.displacement, &case.obstacle);
        let found = sweep_aabb(&case.mover, case.displacement, &case.obstacle);
        tally.count(class, !matches!(exact, Sweep::Miss));
        match (exact, found) {
            (Sweep::Miss, None) => Ok(()),
            (Sweep::Hit { time, .. }, Some(hit)) if !hit.started_overlapping => {
                let exact = time.to_f64();
                expect_near(hit.fraction, exact, 1.0, exact, &case)
            }
            (Sweep::StartOverlapping | Sweep::StartTouching { .. }, Some(hit)) => {
                expect_same(hit.fraction <= 0.0 && hit.started_overlapping, true, &case)
            }
            (exact, found) => Err(format!("found {found:?}, expected {exact:?} for {case:?}")),
        }
    });
    tally.assert_balanced();
}

fn go(case: &SweepCase, options: &SweepOptions) -> Option<impinge_narrowphase::ShapeSweepHit> {
    let pair = &case.pair;
    sweep(&pair.a, &pair.pose_a, case.displacement, &pair.b, &pair.pose_b, options)
}

/// The fraction within one unit in the last place, and what a rounding of 2^-40 of the sizes makes
/// of it: divided by the speed of approach, or where the path only grazes, the chord that such a
/// shell adds to a round shape. Never later than the true touch by more than the unit.
fn check_fraction(found: f32, time: &Time, incidence: f64, case: &SweepCase) -> Result<(), String> {
    let exact = time.to_f64();
    let pair = &case.pair;
    let extent = |shape: &impinge_shapes::Shape| {
        f64::from(shape.aabb(&impinge_shapes::Pose::IDENTITY).half_extents().length())
    };
    let apart = pair.pose_b.translation() - pair.pose_a.translation();
    let way = case.displacement.as_dvec3().length();
    let size = apart.length() + extent(&pair.a) + extent(&pair.b) + way;
    let shell = size / (1_u64 << 40) as f64;
    let round = matches!(time, Time::Root(_));
    let along = if round {
        (shell / incidence).min((2.0 * size * shell).sqrt())
    } else {
        shell / incidence
    };
    let last_place = ulp(exact);
    // Among nearly parallel edges, the room of two boxes prefers a face that is met earlier.
    let boxes = pair.a.kind_name() == "cuboid" && pair.b.kind_name() == "cuboid";
    let parallel = boxes && pair.class == Class::Parallel;
    let preferred = if parallel { size / f64::from(1 << 23) } else { 0.0 };
    let early = last_place + (along + preferred) / way;
    let late = last_place + if round { shell / way } else { along / way };
    let error = f64::from(found) - exact;
    if error <= late && -error <= early {
        Ok(())
    } else {
        Err(format!("found {found:?}, exact {exact:?} at incidence {incidence:?} for {case:?}"))
    }
}

fn check_sweeps(a: Kind, b: Kind, count: usize) {
    let mut tally = Tally::default();
    let mut starts = [0; 3];
    for_each_case(0x53e9, count, |class, rng| {
        let case = sweep_case(class, a, b, rng);
        let pair = &case.pair;
        let exact = oracle::sweep(&pair.a, &pair.pose_a, case.displacement, &pair.b, &pair.pose_b);
        let exact = exact.ok_or("no oracle")?;
        let found = go(&case, &SweepOptions::default());
        let stopped = go(&case, &SweepOptions { stop_on_touch: true, ..SweepOptions::default() });
        let skipped = go(&case, &SweepOptions { skip_started: true, ..SweepOptions::default() });
        tally.count(class, !matches!(exact, Sweep::Miss));
        let moves = case.displacement != Vec3::ZERO;
        match exact {
            Sweep::Miss => {
                expect_same((found, stopped, skipped), (None, None, None), &case)?;
            }
            Sweep::Hit { time, incidence } => {
                let Some(hit) = found else { return Err(format!("missed {time:?} of {case:?}")) };
                expect_same(hit.started_overlapping, false, &case)?;
                check_fraction(hit.fraction, &time, incidence, &case)?;
                expect_same((stopped, skipped), (found, found), &case)?;
            }
            Sweep::StartOverlapping => {
                starts[0] += 1;
                let Some(hit) = found else { return Err(format!("missed the start of {case:?}")) };
                expect_same((hit.fraction <= 0.0, hit.started_overlapping), (true, true), &case)?;
                // Half of the least denormal number rounds to 0.
                let depth_fits = hit.depth > 0.0 || class == Class::Denormal && hit.depth >= 0.0;
                expect_same(depth_fits, true, &case)?;
                expect_same(skipped, None, &case)?;
            }
            Sweep::StartTouching { enters: Some(enters) } if moves => {
                starts[1 + usize::from(enters)] += 1;
                expect_same(found.map(|hit| hit.fraction), enters.then_some(0.0), &case)?;
                expect_same(stopped.map(|hit| hit.fraction), Some(0.0), &case)?;
            }
            Sweep::StartTouching { .. } => {
                if !moves {
                    expect_same(found.map(|hit| hit.fraction), Some(0.0), &case)?;
                }
                expect_same(stopped.map(|hit| hit.fraction), Some(0.0), &case)?;
            }
        }
        Ok(())
    });
    tally.assert_balanced();
    assert!(starts.iter().all(|&n| n > 20), "{starts:?}");
}

#[test]
fn swept_boxes_hit_boxes() {
    check_sweeps(Kind::Cuboid, Kind::Cuboid, 12_000);
}

#[test]
fn swept_spheres_hit_boxes() {
    check_sweeps(Kind::Sphere, Kind::Cuboid, 12_000);
}

#[test]
fn swept_boxes_hit_spheres() {
    check_sweeps(Kind::Cuboid, Kind::Sphere, 12_000);
}

#[test]
fn swept_spheres_hit_spheres_and_capsules() {
    check_sweeps(Kind::Sphere, Kind::Sphere, 12_000);
    check_sweeps(Kind::Sphere, Kind::Capsule, 12_000);
    check_sweeps(Kind::Capsule, Kind::Sphere, 12_000);
}
