//! Answers of one room agree with each other, on random pairs.

use impinge_narrowphase::{Relation, Relative, Separation};
use impinge_shapes::Pose;
use impinge_shapes::glam::Vec3;

use crate::random::{Random, moved, with_b_moved};
use crate::rooms::{Kind, Room, every_room};

const CASES: u64 = 10_000;

/// The size of the numbers of a pair, for relative errors.
fn size(b_in_a: &Relative) -> f64 {
    b_in_a.pose_b().translation().length() + b_in_a.pose_a().translation().length() + 10.0
}

fn assert_sound(found: &Separation, context: &str) {
    assert!((found.normal.length() - 1.0).abs() < 1e-14, "{context}: {found:?}");
    assert!(!found.distance.is_nan() && found.point_a.is_finite(), "{context}: {found:?}");
    assert!(found.point_b.is_finite(), "{context}: {found:?}");
    if found.distance.is_finite() {
        let gap = found.point_b - found.point_a - found.normal * found.distance;
        let size = found.point_a.length() + found.point_b.length() + found.distance.abs();
        assert!(gap.length() <= size * 1e-14, "{context}: {found:?}");
    }
}

#[test]
fn signs_witnesses_and_manifolds_agree_with_the_relation() {
    fn check<A: Kind, B: Kind>(room: &Room<A, B>) {
        let mut counts = [0; 3];
        for seed in 0..CASES {
            let mut random = Random(seed);
            let whole = seed % 4 == 0;
            let make = |random: &mut Random| {
                if whole {
                    (A::whole(random), B::whole(random))
                } else {
                    (A::random(random), B::random(random))
                }
            };
            let (a, b) = make(&mut random);
            let (mut pose_a, mut pose_b) = random.poses();
            if whole {
                pose_a = Pose::new(random.whole_vec(4), random.quarter_turn()).unwrap();
                pose_b = Pose::new(random.whole_vec(4), random.quarter_turn()).unwrap();
            }
            let b_in_a = Relative::new(&pose_a, &pose_b);
            let context = format!("{} seed {seed}: {a:?} {b:?} {b_in_a:?}", room.name);
            let relation = (room.relation)(&a, &b, &b_in_a);
            let found = (room.closest)(&a, &b, &b_in_a);
            assert_sound(&found, &context);
            let sign = match relation {
                Relation::Apart => found.distance > 0.0,
                Relation::Touching => found.distance.to_bits() == 0.0_f64.to_bits(),
                Relation::Penetrating => found.distance < 0.0,
            };
            assert!(sign, "{context}: {relation:?} {found:?}");
            counts[relation as usize] += 1;
            let margin = if seed % 2 == 0 { 0.0 } else { 0.25 };
            let patch = (room.manifold)(&a, &b, &b_in_a, margin);
            assert_eq!(patch.is_some(), found.distance <= margin, "{context}: {found:?}");
            for point in patch.iter().flat_map(|patch| &patch.points) {
                assert!(point.distance <= margin, "{context}: {point:?}");
                let least = found.distance - size(&b_in_a) * 1e-12;
                assert!(point.distance >= least, "{context}: {point:?} {found:?}");
            }
            let features = patch.iter().flat_map(|patch| &patch.points).map(|p| p.feature);
            assert!(features.is_sorted_by(|a, b| a < b), "{context}: {patch:?}");
        }
        assert!(counts.iter().all(|&count| count > 20), "{}: {counts:?}", room.name);
    }
    every_room!(check);
}

#[test]
fn moving_by_the_distance_leaves_the_pair_touching() {
    fn check<A: Kind, B: Kind>(room: &Room<A, B>) {
        let mut moves = 0;
        for seed in 0..CASES {
            let mut random = Random(seed);
            let (mut a, mut b) = (A::random(&mut random), B::random(&mut random));
            let (mut pose_a, mut pose_b) = random.poses();
            if seed % 4 == 0 {
                (a, b) = (A::whole(&mut random), B::whole(&mut random));
                pose_a = Pose::new(random.whole_vec(4), random.quarter_turn()).unwrap();
                pose_b = Pose::new(random.whole_vec(4), random.quarter_turn()).unwrap();
            }
            let b_in_a = Relative::new(&pose_a, &pose_b);
            let found = (room.closest)(&a, &b, &b_in_a);
            if found.distance.is_infinite() {
                continue;
            }
            moves += 1;
            let by = b_in_a.vector_to_world(found.normal) * -found.distance;
            let there = moved(&pose_b, impinge_shapes::round::nearest_vec(by));
            let left = (room.closest)(&a, &b, &Relative::new(&pose_a, &there));
            // The moved position is an f32 vector.
            let error = f64::from(f32::EPSILON) * size(&b_in_a);
            let context = format!("{} seed {seed}: {a:?} {b:?} {b_in_a:?}", room.name);
            assert!(left.distance.abs() <= error, "{context}: {found:?} {left:?}");
        }
        assert!(moves > 20, "{}: {moves}", room.name);
    }
    every_room!(check);
}

#[test]
fn sweeps_agree_with_the_relations_along_the_path() {
    fn check<A: Kind, B: Kind>(room: &Room<A, B>) {
        let (mut hits, mut misses, mut touches) = (0, 0, 0);
        for seed in 0..CASES {
            let mut random = Random(seed);
            let whole = seed % 2 == 0;
            let (a, b) = if whole {
                (A::whole(&mut random), B::whole(&mut random))
            } else {
                (A::random(&mut random), B::random(&mut random))
            };
            let (mut pose_a, mut pose_b) = random.poses();
            let mut motion = random.grid_vec(8, 4);
            if whole {
                pose_a = Pose::new(random.whole_vec(4), random.quarter_turn()).unwrap();
                pose_b = Pose::new(random.whole_vec(4), random.quarter_turn()).unwrap();
                motion = random.whole_vec(4) * 2.0;
            }
            let b_in_a = Relative::new(&pose_a, &pose_b);
            let context = format!("{} seed {seed}: {a:?} {b:?} {b_in_a:?} {motion}", room.name);
            let at = |step: i16| with_b_moved(&b_in_a, motion * (f32::from(step) / 16.0));
            let start = (room.relation)(&a, &b, &b_in_a);
            if start == Relation::Penetrating {
                continue;
            }
            let impact = (room.sweep)(&a, &b, &b_in_a, motion);
            let Some(impact) = impact else {
                misses += 1;
                let free = |relation: Relation| match start {
                    Relation::Apart => relation == Relation::Apart,
                    _ => relation != Relation::Penetrating,
                };
                for step in 1..=16 {
                    let relation = (room.relation)(&a, &b, &at(step));
                    assert!(free(relation), "{context}: missed at {step}/16");
                }
                continue;
            };
            assert!((0.0..=1.0).contains(&impact.fraction), "{context}: {impact:?}");
            assert!((impact.normal.length() - 1.0).abs() < 1e-14, "{context}: {impact:?}");
            assert!(impact.point.is_finite(), "{context}: {impact:?}");
            let along = b_in_a.vector_from_world(motion.as_dvec3());
            let slack = size(&b_in_a) * 1e-7;
            assert!(impact.normal.dot(along) <= slack, "{context}: {impact:?}");
            for step in 1..=16 {
                let relation = (room.relation)(&a, &b, &at(step));
                let fraction = f64::from(step) / 16.0;
                if fraction < impact.fraction * (1.0 - 1e-12) {
                    assert_eq!(relation, Relation::Apart, "{context}: {impact:?} at {step}/16");
                }
                if relation.overlaps() {
                    let late = impact.fraction - fraction;
                    assert!(late <= 1e-9, "{context}: {impact:?}, overlap at {step}/16");
                }
            }
            if start == Relation::Touching {
                touches += 1;
                assert!(impact.fraction <= 0.0, "{context}: {impact:?}");
                continue;
            }
            hits += 1;
            // The place of the impact is an f32 vector, so the distance there is not quite zero.
            let by = motion.as_dvec3() * impact.fraction;
            let there = with_b_moved(&b_in_a, impinge_shapes::round::nearest_vec(by));
            let left = (room.closest)(&a, &b, &there).distance;
            let error = f64::from(f32::EPSILON) * (size(&b_in_a) + by.length());
            assert!(left.abs() <= error, "{context}: {impact:?} leaves {left}");
        }
        let counts = [hits, misses, touches];
        assert!(counts.iter().all(|&count| count > 10), "{}: {counts:?}", room.name);
    }
    every_room!(check);
}

#[test]
fn exchanged_shapes_give_the_flipped_answer() {
    fn check<A: Kind>(room: &Room<A, A>) {
        for seed in 0..CASES {
            let mut random = Random(seed);
            let whole = seed % 2 == 0;
            let make =
                |random: &mut Random| if whole { A::whole(random) } else { A::random(random) };
            let (a, b) = (make(&mut random), make(&mut random));
            let (pose_a, pose_b) = random.poses();
            let b_in_a = Relative::new(&pose_a, &pose_b);
            let a_in_b = b_in_a.flipped();
            let context = format!("{} seed {seed}: {a:?} {b:?} {b_in_a:?}", room.name);
            let relation = (room.relation)(&a, &b, &b_in_a);
            assert_eq!(relation, (room.relation)(&b, &a, &a_in_b), "{context}");
            let (one, two) = ((room.closest)(&a, &b, &b_in_a), (room.closest)(&b, &a, &a_in_b));
            if one.distance.is_infinite() {
                assert!(two.distance.is_infinite(), "{context}");
                continue;
            }
            let error = size(&b_in_a) * 1e-12;
            assert!((one.distance - two.distance).abs() <= error, "{context}: {one:?} {two:?}");
            let motion = random.grid_vec(8, 4);
            let (hit, back) =
                ((room.sweep)(&a, &b, &b_in_a, motion), (room.sweep)(&b, &a, &a_in_b, -motion));
            assert_eq!(hit.is_some(), back.is_some(), "{context} {motion}");
        }
    }
    check(&crate::rooms::sphere_sphere_room());
    check(&crate::rooms::capsule_capsule_room());
    check(&crate::rooms::half_space_half_space_room());
}

#[test]
fn scaling_by_powers_of_two_scales_every_bit() {
    fn check<A: Kind, B: Kind>(room: &Room<A, B>) {
        for seed in 0..CASES / 4 {
            let mut random = Random(seed);
            let (a, b) = (A::random(&mut random), B::random(&mut random));
            let (pose_a, pose_b) = random.poses();
            let motion: Vec3 = random.grid_vec(8, 4);
            let b_in_a = Relative::new(&pose_a, &pose_b);
            let found = (room.closest)(&a, &b, &b_in_a);
            let hit = (room.sweep)(&a, &b, &b_in_a, motion);
            let patch = (room.manifold)(&a, &b, &b_in_a, 0.25);
            for power in [-90, -20, 3, 100] {
                let factor = 2.0_f32.powi(power);
                let scale = |pose: &Pose| Pose::new(pose.position() * factor, pose.rotation());
                let there = Relative::new(&scale(&pose_a).unwrap(), &scale(&pose_b).unwrap());
                let (a, b) = (a.scaled(factor), b.scaled(factor));
                let context = format!("{} seed {seed} times 2^{power}", room.name);
                let factor64 = f64::from(factor);
                let scaled = (room.closest)(&a, &b, &there);
                let bits = |s: &Separation, factor: f64| {
                    let [x, y, z] = (s.point_a * factor).to_array();
                    let [u, v, w] = s.normal.to_array();
                    [s.distance * factor, x, y, z, u, v, w].map(f64::to_bits)
                };
                assert_eq!(bits(&scaled, 1.0), bits(&found, factor64), "{context}");
                let swept = (room.sweep)(&a, &b, &there, motion * factor);
                let fraction =
                    |hit: Option<impinge_narrowphase::Impact>| hit.map(|h| h.fraction.to_bits());
                assert_eq!(fraction(swept), fraction(hit), "{context}");
                let contacts = (room.manifold)(&a, &b, &there, 0.25 * factor64);
                let distances = |patch: &Option<impinge_narrowphase::Patch>, factor: f64| {
                    let points = patch.iter().flat_map(|patch| patch.points.clone());
                    points.map(|p| (p.distance * factor).to_bits()).collect::<Vec<_>>()
                };
                assert_eq!(distances(&contacts, 1.0), distances(&patch, factor64), "{context}");
            }
        }
    }
    every_room!(check);
}
