//! What rounded numbers know of sweeps holds of what sweeps tell.

use impinge_narrowphase::sweep_bounds::{SweepAt, SweepBounds, of_boxes, of_spheres};
use impinge_narrowphase::{SweepOptions, sweep, sweep_within};
use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::{SimdLevel, simd_level};
use impinge_shapes::{Cuboid, Pose, Shape, round};
use impinge_testkit::{
    check::{Tally, for_each_case},
    generate::{Class, Kind, SweepCase, sweep_case},
    rng::Rng,
};

/// The bounds of sixteen cases, most of which are no multiple of a block.
fn bounds(cases: &[SweepCase], level: SimdLevel) -> Vec<SweepBounds> {
    let targets: Vec<&Cuboid> = cases.iter().map(|case| cuboid(&case.pair.b)).collect();
    let (mut boxes, mut spheres) = (Vec::new(), Vec::new());
    for (case, target) in cases.iter().zip(targets) {
        let (pose, target_pose) = (&case.pair.pose_a, &case.pair.pose_b);
        let displacement = case.displacement;
        match &case.pair.a {
            Shape::Cuboid(mover) => {
                boxes.push(SweepAt { mover, pose, displacement, target, target_pose });
            }
            Shape::Sphere(mover) => {
                spheres.push(SweepAt { mover, pose, displacement, target, target_pose });
            }
            other => panic!("{other:?}"),
        }
    }
    let mut found = Vec::new();
    if spheres.is_empty() {
        of_boxes(&boxes, level, &mut found);
    } else {
        of_spheres(&spheres, level, &mut found);
    }
    found
}

fn cuboid(shape: &Shape) -> &Cuboid {
    let Shape::Cuboid(cuboid) = shape else { panic!("{shape:?}") };
    cuboid
}

/// What is counted of the bounds.
#[derive(Debug, Default)]
struct Counts {
    missed: usize,
    hit: usize,
    inside: usize,
    open: usize,
}

fn check(case: &SweepCase, found: &SweepBounds, counts: &mut Counts) -> Result<bool, String> {
    let pair = &case.pair;
    let ask = |options: &SweepOptions| {
        let (way, at) = (case.displacement, &pair.pose_b);
        let hit = sweep(&pair.a, &pair.pose_a, way, &pair.b, at, options);
        let again = sweep_within(&pair.a, &pair.pose_a, way, &pair.b, at, options, found);
        assert_eq!(hit, again, "{found:?} of {case:?}");
        hit
    };
    let plain = ask(&SweepOptions::default());
    for (skip_started, stop_on_touch) in [(false, false), (false, true), (true, false)] {
        let skip_leaving = false;
        let hit = ask(&SweepOptions { skip_started, stop_on_touch, skip_leaving });
        let holds = hit.is_none_or(|hit| {
            hit.fraction >= found.earliest && (hit.fraction <= found.latest || skip_started)
        });
        let certain = found.latest <= 1.0 && (!skip_started || found.earliest > 0.0);
        let started = hit.is_some_and(|hit| hit.started_overlapping);
        let inside = !found.starts_inside() || started != skip_started;
        if !holds || (certain && hit.is_none()) || (found.misses() && hit.is_some()) || !inside {
            return Err(format!("{found:?} but {hit:?} for {case:?}"));
        }
    }
    counts.missed += usize::from(found.misses());
    counts.inside += usize::from(found.starts_inside());
    counts.hit += usize::from(found.latest <= 1.0);
    counts.open += usize::from(!found.misses() && found.latest > 1.0);
    Ok(plain.is_some())
}

/// Boxes as those of a scene: turned anyhow, not at all, or nearly alike.
fn ordinary(kind: Kind, rng: &mut Rng) -> SweepCase {
    let mut case = sweep_case(Class::ALL[0], kind, Kind::Cuboid, rng);
    let scale = rng.power_of_ten(-3.0, 3.0);
    let size = |rng: &mut Rng| rng.cube(0.1 * scale, scale);
    let target = Cuboid::new(size(rng)).expect("finite");
    case.pair.b = target.into();
    case.pair.a = match kind {
        Kind::Sphere => Shape::sphere(rng.range(0.05 * scale, scale)).expect("finite"),
        _ => Shape::cuboid(size(rng)).expect("finite"),
    };
    let place = |rng: &mut Rng| rng.cube(-3.0 * scale, 3.0 * scale);
    let rotation = rng.rotation();
    let pose = |at: Vec3, turned| Pose::new(at, turned).expect("finite");
    let share = round::nearest(rng.power_of_ten(-8.0, -1.0));
    let nearly = (rotation + rng.rotation() * share).normalize();
    let (a, b) = match rng.below(4) {
        0 => (nearly, rotation),
        1 => (Default::default(), Default::default()),
        _ => (rng.rotation(), rotation),
    };
    case.pair.pose_a = pose(place(rng), a);
    case.pair.pose_b = pose(place(rng), b);
    // Some ways are far longer than the sizes.
    let long = if rng.below(8) == 0 { rng.power_of_ten(6.0, 20.0) } else { 2.0 };
    case.displacement = place(rng) * round::nearest(long);
    case
}

fn check_kind(kind: Kind, seed: u64) {
    let (mut tally, mut counts) = (Tally::default(), Counts::default());
    let levels = ["avx512", "avx2", "neon", "sse2"].map(SimdLevel::by_name);
    let mut levels: Vec<SimdLevel> = levels.into_iter().flatten().collect();
    levels.push(simd_level());
    for_each_case(seed, 2_000, |class, rng| {
        let cases: Vec<SweepCase> = (0..19)
            .map(|k| {
                if k % 3 == 0 {
                    sweep_case(class, kind, Kind::Cuboid, rng)
                } else {
                    ordinary(kind, rng)
                }
            })
            .collect();
        for &level in &levels {
            for (case, found) in cases.iter().zip(&bounds(&cases, level)) {
                tally.count(class, check(case, found, &mut counts)?);
            }
        }
        Ok(())
    });
    tally.assert_balanced();
    if SimdLevel::by_name("avx2").is_some() {
        let least = 5_000;
        let Counts { missed, hit, inside, open } = counts;
        assert!(missed > least && hit > least && inside > least / 4 && open > 100, "{counts:?}");
    }
}

#[test]
fn bounds_of_boxes_hold() {
    check_kind(Kind::Cuboid, 0x5b0b);
}

#[test]
fn bounds_of_spheres_hold() {
    check_kind(Kind::Sphere, 0x5b05);
}
