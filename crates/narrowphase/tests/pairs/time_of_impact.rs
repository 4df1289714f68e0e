//! When two shapes that move and turn first touch.

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use crate::common::{Random, pose};
use impinge_narrowphase::{
    ImpactHit, ImpactOptions, Motion, Relation, SweepOptions, TimeOfImpact, closest, relation,
    sweep, time_of_impact,
};
use impinge_shapes::glam::{Quat, Vec3, vec3};
use impinge_shapes::{Pose, Shape};

const TOLERANCE: f32 = 1.0 / 512.0;

fn options() -> ImpactOptions {
    ImpactOptions { tolerance: Some(TOLERANCE), ..ImpactOptions::default() }
}

fn motion(at: Pose, displacement: Vec3, turn: Vec3) -> Motion {
    Motion::new(at, displacement, turn).expect("finite")
}

fn at(position: Vec3) -> Pose {
    pose(position, Quat::IDENTITY)
}

fn ball(radius: f32) -> Shape {
    Shape::sphere(radius).expect("valid")
}

fn cuboid(x: f32, y: f32, z: f32) -> Shape {
    Shape::cuboid(vec3(x, y, z)).expect("valid")
}

fn floor() -> Shape {
    Shape::half_space(Vec3::Y, 0.0).expect("valid")
}

fn hit(found: TimeOfImpact) -> ImpactHit {
    match found {
        TimeOfImpact::Touches(hit) => hit,
        other => panic!("no touch: {other:?}"),
    }
}

fn tetrahedron(scale: f32) -> Shape {
    let corners = [Vec3::NEG_ONE, vec3(1.0, 1.0, -1.0), vec3(1.0, -1.0, 1.0), vec3(-1.0, 1.0, 1.0)];
    let corners = corners.map(|corner| corner * scale).to_vec();
    let faces = vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]];
    Shape::triangle_mesh(corners, faces).expect("valid")
}

/// One of each kind.
fn shapes() -> Vec<Shape> {
    let cylinder = Shape::cylinder(0.75, 0.5).expect("valid");
    let heights = [0.0, 0.5, 0.0, 0.25, 1.0, -0.5, 0.0, 0.25, 0.0, 0.0, 0.0, 0.75].to_vec();
    let parts =
        [(at(vec3(0.75, -0.25, 0.0)), cylinder.clone()), (Pose::IDENTITY, tetrahedron(1.0))];
    let octahedron = Vec3::AXES.map(|axis| [axis, -axis]).concat();
    vec![
        ball(0.75),
        cuboid(1.0, 0.5, 0.75),
        Shape::capsule(vec3(-0.5, 0.0, 0.25), vec3(0.75, 0.5, 0.0), 0.5).expect("valid"),
        cylinder,
        Shape::cone(0.75, 0.75).expect("valid"),
        Shape::triangle(vec3(-1.0, 0.0, 0.0), vec3(1.0, 0.25, 0.0), vec3(0.0, 0.5, 1.0))
            .expect("valid"),
        Shape::convex_hull(&octahedron).expect("valid"),
        Shape::rounded(cuboid(1.0, 0.5, 0.75), 0.25).expect("valid"),
        Shape::half_space(vec3(0.5, 1.0, -0.25), -0.5).expect("valid"),
        tetrahedron(1.0),
        Shape::height_field(3, 4, heights, vec3(3.0, 1.0, 2.5)).expect("valid"),
        Shape::compound(parts).expect("valid"),
    ]
}

#[test]
fn random_pairs_agree_with_samples_of_the_distance() {
    let shapes = shapes();
    let (mut touching, mut apart, mut started) = (0, 0, 0);
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate() {
            for seed in 0..32 {
                let mut random = Random(seed ^ (i as u64) << 32 ^ (j as u64) << 48);
                let far = random.vector(100.0);
                let from = |random: &mut Random, reach: f32| {
                    let place = pose(far + random.vector(reach), random.rotation());
                    let turn = if random.one_in(4) { Vec3::ZERO } else { random.vector(3.0) };
                    let motion = motion(place, random.vector(4.0), turn);
                    motion.about(random.vector(0.5)).expect("finite")
                };
                let (on_a, on_b) = (from(&mut random, 0.25), from(&mut random, 4.0));
                let name = format!("{} {i} {} {j} seed {seed}", a.kind_name(), b.kind_name());
                let distance = |fraction: f32| {
                    let (at_a, at_b) = (on_a.pose_at(fraction), on_b.pose_at(fraction));
                    closest(a, &at_a, b, &at_b, f32::INFINITY).expect("no limit").distance
                };
                // Poses in f32 at coordinates of 100 add their own rounding.
                let slack = TOLERANCE + 1e-4;
                let end = match time_of_impact(a, &on_a, b, &on_b, &options()) {
                    TimeOfImpact::Touches(hit) if hit.started_overlapping => {
                        let start = relation(a, on_a.pose(), b, on_b.pose());
                        assert_eq!(start, Relation::Penetrating, "{name}: {hit:?}");
                        assert!(hit.fraction <= 0.0, "{name}: {hit:?}");
                        let depth = -distance(0.0);
                        assert!(
                            hit.depth >= depth * 0.999 || !depth.is_finite(),
                            "{name}: {hit:?}"
                        );
                        started += 1;
                        continue;
                    }
                    TimeOfImpact::Touches(hit) => {
                        assert!((0.0..=1.0).contains(&hit.fraction), "{name}: {hit:?}");
                        let there = distance(hit.fraction);
                        let two_half_spaces = there == f32::NEG_INFINITY;
                        assert!(
                            !two_half_spaces && there.abs() <= slack,
                            "{name}: {hit:?} {there}"
                        );
                        assert!((hit.normal.length() - 1.0).abs() < 1e-6, "{name}: {hit:?}");
                        touching += 1;
                        hit.fraction
                    }
                    TimeOfImpact::Apart => {
                        apart += 1;
                        1.0
                    }
                    TimeOfImpact::Unconverged { safe } => panic!("{name}: {safe}"),
                };
                // What starts apart does not even sink in by less than the tolerance.
                let start = relation(a, on_a.pose(), b, on_b.pose());
                let least = if start == Relation::Apart { slack - TOLERANCE } else { slack };
                for k in 0_u8..=48 {
                    let fraction = end * f32::from(k) / 48.0;
                    let there = distance(fraction);
                    assert!(there >= -least, "{name}: {there} at {fraction} of {end}");
                }
            }
        }
    }
    assert!(touching > 400 && apart > 400 && started > 400, "{touching} {apart} {started}");
}

#[test]
fn without_turning_it_is_a_sweep_within_the_tolerance() {
    let shapes = shapes();
    let (mut hits, mut misses) = (0, 0);
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate() {
            for seed in 0..12 {
                let mut random = Random(seed ^ (i as u64) << 32 ^ (j as u64) << 48);
                let from = pose(random.vector(0.25), random.rotation());
                let target = pose(random.vector(4.0), random.rotation());
                let way = random.vector(4.0);
                let name = format!("{} {i} {} {j} seed {seed}", a.kind_name(), b.kind_name());
                let swept = sweep(a, &from, way, b, &target, &SweepOptions::default());
                let moving = motion(from, way, Vec3::ZERO);
                let found = time_of_impact(a, &moving, b, &Motion::still(target), &options());
                match (swept, found) {
                    (Some(swept), TimeOfImpact::Touches(hit)) => {
                        assert_eq!(swept.started_overlapping, hit.started_overlapping, "{name}");
                        let later = swept.fraction.next_up().next_up();
                        assert!(hit.fraction <= later, "{name}: {hit:?} {swept:?}");
                        // As early as the tolerance over the speed along either normal.
                        let speed = hit.normal.dot(way).min(-swept.normal.dot(way)) / way.length();
                        let early = (swept.fraction - hit.fraction) * way.length();
                        let grazes = speed < 0.1;
                        assert!(
                            grazes || early <= TOLERANCE / speed * 1.5 + 1e-6,
                            "{name}: {hit:?} {swept:?}"
                        );
                        hits += 1;
                    }
                    (None, TimeOfImpact::Apart) => misses += 1,
                    // Passes within the tolerance.
                    (None, TimeOfImpact::Touches(hit)) => {
                        let there = moving.pose_at(hit.fraction);
                        let near = closest(a, &there, b, &target, TOLERANCE + 1e-5);
                        assert!(near.is_some(), "{name}: {hit:?}");
                    }
                    // Penetrates less than the tolerance, from a touch.
                    (Some(swept), TimeOfImpact::Apart) => panic!("{name}: {swept:?}"),
                    (_, TimeOfImpact::Unconverged { safe }) => panic!("{name}: {safe}"),
                }
            }
        }
    }
    assert!(hits > 200 && misses > 200, "{hits} {misses}");
}

#[test]
fn a_turning_rod_meets_a_ball_at_the_angle_known() {
    let rod = cuboid(2.0, 0.125, 0.125);
    for (angle, radius) in [(FRAC_PI_2, 0.25_f32), (PI * 0.75, 0.25), (PI * 1.25, 0.5)] {
        let turning = motion(Pose::IDENTITY, Vec3::ZERO, Vec3::Z * TAU);
        // At a right angle to the rod the ball is its radius and the rod's half width away. A rod
        // has two ends: each is in front of the other by half a turn.
        let (distance, gap) = (1.5_f64, f64::from(radius) + 0.125);
        let center = vec3(sine(angle + FRAC_PI_2), sine(angle), 0.0) * 1.5;
        let resting = Motion::still(at(center));
        let tight = ImpactOptions { tolerance: Some(1e-5), ..ImpactOptions::default() };
        let found = hit(time_of_impact(&rod, &turning, &ball(radius), &resting, &tight));
        // The rod has turned so far that the sine of what is left is the gap over the distance.
        let left = f64::from(angle.rem_euclid(PI)) - f64::from(found.fraction) * f64::from(TAU);
        let sine_left = left - left.powi(3) / 6.0 + left.powi(5) / 120.0 - left.powi(7) / 5040.0;
        let off = sine_left * distance - gap;
        assert!((-1e-6..3e-5).contains(&off), "{angle}: {found:?} {off}");
        assert!(found.normal.z.abs() < 1e-5, "{found:?}");
    }
}

/// The sine that a motion turns by.
fn sine(x: f32) -> f32 {
    let turned = Motion::new(Pose::IDENTITY, Vec3::ZERO, Vec3::Z * x).expect("finite").pose_at(1.0);
    turned.transform_vector(Vec3::X).y
}

#[test]
fn a_bar_that_spins_fast_meets_what_lies_between_samples() {
    // Eight turns: at all multiples of a sixteenth it lies along X, far from the ball.
    let bar = cuboid(3.0, 0.01, 0.01);
    let spinning = motion(Pose::IDENTITY, Vec3::ZERO, Vec3::Z * TAU * 8.0);
    let small = ball(0.02);
    let beside = Motion::still(at(vec3(0.0, 2.9, 0.0)));
    let found = hit(time_of_impact(&bar, &spinning, &small, &beside, &ImpactOptions::default()));
    assert!((0.029..0.03125).contains(&found.fraction), "{found:?}");
    // Just out of its reach it never does.
    let outside = Motion::still(at(vec3(0.0, 3.03, 0.0)));
    let none = time_of_impact(&bar, &spinning, &small, &outside, &ImpactOptions::default());
    assert_eq!(none, TimeOfImpact::Apart);
    // A bullet through a thin spinning bar.
    let bullet = motion(at(vec3(1.0, 50.0, 0.0)), vec3(0.0, -100.0, 0.0), Vec3::ZERO);
    let slow = motion(Pose::IDENTITY, Vec3::ZERO, Vec3::X * 20.0);
    let found = hit(time_of_impact(&bar, &slow, &small, &bullet, &ImpactOptions::default()));
    assert!((0.499..0.5).contains(&found.fraction), "{found:?}");
}

#[test]
fn starts_in_overlap_or_touch() {
    let unit = cuboid(1.0, 1.0, 1.0);
    let turn = vec3(0.0, 0.5, 0.0);
    let sunk = motion(at(vec3(0.0, 0.75, 0.0)), Vec3::Y, turn);
    let still = Motion::still(Pose::IDENTITY);
    let deep = hit(time_of_impact(&floor(), &still, &unit, &sunk, &options()));
    assert!(deep.started_overlapping && deep.fraction <= 0.0, "{deep:?}");
    assert_eq!((deep.depth, deep.normal), (0.25, Vec3::Y));
    let skip = ImpactOptions { skip_started: true, ..options() };
    assert_eq!(time_of_impact(&floor(), &still, &unit, &sunk, &skip), TimeOfImpact::Apart);

    let on_floor = at(Vec3::Y);
    let run = |displacement, turn| {
        let moving = motion(on_floor, displacement, turn);
        let forth = time_of_impact(&floor(), &still, &unit, &moving, &options());
        let block = cuboid(20.0, 5.0, 20.0);
        let below = Motion::still(at(Vec3::Y * -5.0));
        let back = time_of_impact(&unit, &moving, &block, &below, &options());
        match (forth, back) {
            (TimeOfImpact::Touches(a), TimeOfImpact::Touches(b)) => {
                assert!((a.fraction - b.fraction).abs() < 0.01, "{a:?} {b:?}");
            }
            _ => assert_eq!(forth, back),
        }
        forth
    };
    // Rises, slides, spins on the spot, and all of it.
    for away in [Vec3::Y, vec3(3.0, 0.0, 1.0), Vec3::ZERO, vec3(1.0, 2.0, 0.0)] {
        for turn in [Vec3::ZERO, Vec3::Y * 3.0] {
            if away.length() + turn.length() > 0.0 {
                assert_eq!(run(away, turn), TimeOfImpact::Apart, "{away} {turn}");
            }
        }
    }
    // Presses in, or tips over an edge that goes down at once.
    assert!(hit(run(Vec3::Y * -0.5, Vec3::ZERO)).fraction <= 0.0);
    assert!(hit(run(Vec3::ZERO, Vec3::Z * 0.5)).fraction <= 0.0);
    // Rises a little faster than the edge goes down, or a little slower.
    assert_eq!(run(Vec3::Y * 3.25, Vec3::Z * PI), TimeOfImpact::Apart);
    assert!(hit(run(Vec3::Y * 3.0, Vec3::Z * PI)).fraction <= 0.0);
    // At rest in touch it is an overlap test, as a sweep is.
    let rest = Motion::still(on_floor);
    assert!(!hit(time_of_impact(&floor(), &still, &unit, &rest, &options())).started_overlapping);
    let stop = ImpactOptions { stop_on_touch: true, ..options() };
    let slide = motion(on_floor, Vec3::X, Vec3::ZERO);
    assert!(hit(time_of_impact(&floor(), &still, &unit, &slide, &stop)).fraction <= 0.0);
}

#[test]
fn a_box_that_slides_over_a_corner_in_touch_goes_on() {
    let unit = cuboid(1.0, 1.0, 1.0);
    // Edge to edge: it slides onto the other's top, or falls into its side.
    let beside = at(vec3(2.0, 2.0, 0.0));
    let still = Motion::still(Pose::IDENTITY);
    let along = motion(beside, Vec3::X * -4.0, Vec3::ZERO);
    assert_eq!(time_of_impact(&unit, &still, &unit, &along, &options()), TimeOfImpact::Apart);
    let down = motion(beside, Vec3::Y * -4.0, Vec3::ZERO);
    assert_eq!(time_of_impact(&unit, &still, &unit, &down, &options()), TimeOfImpact::Apart);
    let into = motion(beside, vec3(-1.0, -1.0, 0.0), Vec3::ZERO);
    assert!(hit(time_of_impact(&unit, &still, &unit, &into, &options())).fraction <= 0.0);
}

#[test]
fn a_cylinder_rolls_on_the_floor_until_a_wall_stops_it() {
    let roller = Shape::cylinder(1.0, 0.5).expect("valid");
    let lying = pose(vec3(0.0, 0.5, 0.0), Quat::from_xyzw(1.0, 0.0, 0.0, 1.0));
    // Without slip: as far as the angle times the radius.
    let rolling = motion(lying, vec3(4.0, 0.0, 0.0), Vec3::Z * -8.0);
    let still = Motion::still(Pose::IDENTITY);
    let found = time_of_impact(&floor(), &still, &roller, &rolling, &options());
    assert_eq!(found, TimeOfImpact::Apart);
    let wall = (at(vec3(3.5, 0.0, 0.0)), cuboid(0.5, 3.0, 3.0));
    let room = Shape::compound([(Pose::IDENTITY, floor()), wall]).expect("valid");
    let stopped = hit(time_of_impact(&room, &still, &roller, &rolling, &options()));
    assert!((0.624..0.6251).contains(&stopped.fraction), "{stopped:?}");
    assert_eq!((stopped.part_a, stopped.part_b), (1, 0));
    assert!(stopped.normal.distance(Vec3::NEG_X) < 1e-3, "{stopped:?}");
}

#[test]
fn half_spaces_stay_opposite_or_meet_at_once() {
    let ceiling = Shape::half_space(Vec3::NEG_Y, -3.0).expect("valid");
    let still = Motion::still(Pose::IDENTITY);
    let run = |displacement, turn_a, turn_b| {
        let a = motion(Pose::IDENTITY, Vec3::ZERO, turn_a);
        let b = motion(Pose::IDENTITY, displacement, turn_b);
        time_of_impact(&floor(), &a, &ceiling, &b, &options())
    };
    assert_eq!(run(Vec3::Y * -2.5, Vec3::ZERO, Vec3::Y), TimeOfImpact::Apart);
    let falls = hit(run(Vec3::Y * -6.0, Vec3::Y * 3.0, Vec3::ZERO));
    assert!((0.499..=0.5).contains(&falls.fraction), "{falls:?}");
    assert_eq!(run(Vec3::ZERO, Vec3::X, Vec3::X), TimeOfImpact::Apart);
    let tips = hit(run(Vec3::Y, Vec3::ZERO, Vec3::X * 0.25));
    assert!(tips.fraction <= 0.0 && !tips.started_overlapping, "{tips:?}");
    // A floor that tips up meets a ball at the angle whose tangent is known.
    let tipping = motion(Pose::IDENTITY, Vec3::ZERO, Vec3::Z * FRAC_PI_2);
    let beside = Motion::still(at(vec3(2.0, 0.5, 0.0)));
    let found = hit(time_of_impact(&ball(0.5), &beside, &floor(), &tipping, &options()));
    // The distance to the turned plane is 0.5 cos - 2 sin: no more than the radius at once.
    assert!(found.fraction <= 0.0, "{found:?}");
    let higher = Motion::still(at(vec3(2.0, 2.0, 0.0)));
    let found = hit(time_of_impact(&ball(0.5), &higher, &floor(), &tipping, &options()));
    // 2 cos - 2 sin = 0.5 at 34.8 degrees.
    assert!((0.384..0.3871).contains(&found.fraction), "{found:?}");
    assert!(found.normal.x > 0.5 && found.normal.y < -0.8, "{found:?}");
    assert_eq!(
        time_of_impact(&floor(), &still, &ball(0.5), &higher, &options()),
        TimeOfImpact::Apart
    );
}

#[test]
fn a_scene_scaled_by_a_power_of_two_has_the_same_fractions() {
    let mut touching = 0;
    for seed in 0..64 {
        let run = |scale: f32| {
            let mut random = Random(seed);
            let half = (random.vector(0.5) + Vec3::ONE) * scale;
            let cube = Shape::cuboid(half).expect("valid");
            let tube = Shape::cylinder(half.y, half.x).expect("valid");
            let shapes = [cube, tube, tetrahedron(scale)];
            let [a, b] = [random.axis(), random.axis()].map(|kind| &shapes[kind]);
            let mut from = |reach: f32| {
                let place = pose(random.vector(reach) * scale, random.rotation());
                let center = random.vector(0.5) * scale;
                motion(place, random.vector(3.0) * scale, random.vector(2.0))
                    .about(center)
                    .expect("finite")
            };
            let (on_a, on_b) = (from(0.5), from(4.0));
            time_of_impact(a, &on_a, b, &on_b, &ImpactOptions::default())
        };
        let plain = run(1.0);
        for scale in [1.0 / 1024.0, 4096.0] {
            match (plain, run(scale)) {
                (TimeOfImpact::Touches(a), TimeOfImpact::Touches(b)) => {
                    assert_eq!(a.fraction.to_bits(), b.fraction.to_bits(), "seed {seed}");
                    assert_eq!(a.point * scale, b.point, "seed {seed}");
                    assert_eq!(a.normal, b.normal, "seed {seed}");
                    touching += 1;
                }
                (a, b) => assert_eq!(a, b, "seed {seed}"),
            }
        }
    }
    assert!((16..120).contains(&touching), "{touching}");
}

#[test]
fn few_steps_end_unconverged_at_a_time_that_is_safe() {
    let (mut unconverged, mut done, mut late) = (0, 0, 0);
    for seed in 0..200 {
        let mut random = Random(seed);
        let (a, b) = (cuboid(1.0, 0.25, 0.5), Shape::cone(1.0, 0.5).expect("valid"));
        let on_a = motion(Pose::IDENTITY, random.vector(1.0), random.vector(4.0));
        let on_b = motion(at(random.vector(3.0)), random.vector(3.0), random.vector(4.0));
        let few = ImpactOptions { max_iterations: 2, ..options() };
        let full = time_of_impact(&a, &on_a, &b, &on_b, &options());
        match time_of_impact(&a, &on_a, &b, &on_b, &few) {
            TimeOfImpact::Unconverged { safe } => {
                unconverged += 1;
                late += usize::from(safe > 0.0);
                if let TimeOfImpact::Touches(hit) = full {
                    assert!(safe <= hit.fraction, "seed {seed}: {safe} {hit:?}");
                }
                for k in 0_u8..=64 {
                    let fraction = safe * f32::from(k) / 64.0;
                    let (at_a, at_b) = (on_a.pose_at(fraction), on_b.pose_at(fraction));
                    let there = closest(&a, &at_a, &b, &at_b, f32::INFINITY).expect("no limit");
                    assert!(there.distance >= -TOLERANCE, "seed {seed}: {there:?}");
                }
            }
            other => {
                done += 1;
                assert_eq!(other, full, "seed {seed}");
            }
        }
    }
    assert!(unconverged > 20 && done > 20 && late > 20, "{unconverged} {done} {late}");
    let none = ImpactOptions { max_iterations: 0, ..options() };
    let still = Motion::still(at(Vec3::X * 9.0));
    let found =
        time_of_impact(&ball(1.0), &still, &ball(1.0), &Motion::still(Pose::IDENTITY), &none);
    assert_eq!(found, TimeOfImpact::Unconverged { safe: 0.0 });
}

#[test]
fn strange_numbers_do_not_stop_it() {
    let huge = motion(at(Vec3::splat(1e30)), Vec3::splat(-3e38), Vec3::splat(3e38));
    let still = Motion::still(Pose::IDENTITY);
    for shape in shapes() {
        for tolerance in [None, Some(f32::NAN), Some(-1.0), Some(0.0), Some(f32::INFINITY)] {
            let options = ImpactOptions { tolerance, max_iterations: 16, ..options() };
            let there = time_of_impact(&shape, &huge, &cuboid(1.0, 2.0, 3.0), &still, &options);
            if let TimeOfImpact::Touches(hit) = there {
                assert!((0.0..=1.0).contains(&hit.fraction), "{hit:?}");
            }
            let near = motion(at(vec3(0.0, 9.0, 0.0)), Vec3::Y * -11.0, Vec3::Y * 1e-30);
            let found = time_of_impact(&shape, &still, &ball(0.25), &near, &options);
            let TimeOfImpact::Touches(hit) = found else { panic!("{tolerance:?}: {found:?}") };
            assert!((0.0..=1.0).contains(&hit.fraction), "{hit:?}");
        }
    }
}
