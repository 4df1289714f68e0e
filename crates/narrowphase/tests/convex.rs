//! The generic convex path against the rooms, which decide the same pairs in other ways, and
//! against itself.

mod common;

use common::{
    Random, Room, nudged, outside_capsule, outside_cuboid, pose, random_capsule, random_cuboid,
};
use impinge_narrowphase::pairs::{capsule_cuboid, cuboid_cuboid};
use impinge_narrowphase::{Relation, Relative, convex};
use impinge_shapes::glam::{Quat, Vec3};
use impinge_shapes::{Capsule, ConvexHull, Cuboid, Pose};

const CASES: u64 = 4000;

fn boxes() -> Room<Cuboid, Cuboid> {
    Room {
        relation: |a, b, at| convex::relation(a, b, at),
        closest: |a, b, at| convex::closest(a, b, at),
        manifold: |a, b, at, margin| convex::manifold(a, b, at, margin),
        sweep: |a, b, at, motion| convex::sweep(a, b, at, motion),
        outside_a: outside_cuboid,
        outside_b: outside_cuboid,
        size: 8.0,
    }
}

fn capsules() -> Room<Capsule, Cuboid> {
    Room {
        relation: |a, b, at| convex::relation(a, b, at),
        closest: |a, b, at| convex::closest(a, b, at),
        manifold: |a, b, at, margin| convex::manifold(a, b, at, margin),
        sweep: |a, b, at, motion| convex::sweep(a, b, at, motion),
        outside_a: outside_capsule,
        outside_b: outside_cuboid,
        size: 8.0,
    }
}

/// Poses on a lattice, many of which make the shapes touch exactly.
fn lattice_pose(random: &mut Random) -> Pose {
    pose(random.whole_vector(2), random.whole_rotation())
}

fn hull_of(cuboid: &Cuboid) -> ConvexHull {
    ConvexHull::new(&cuboid.corners()).expect("eight corners")
}

#[test]
fn boxes_on_a_lattice_relate_as_their_room_says() {
    let mut seen = [0; 3];
    for seed in 0..CASES {
        let mut random = Random(seed);
        let (a, b) = (random_cuboid(&mut random), random_cuboid(&mut random));
        let round = |c: &Cuboid| Cuboid::new((c.half_extents() * 2.0).round() * 0.5).unwrap();
        let (a, b) = (round(&a), round(&b));
        let at = Relative::new(&lattice_pose(&mut random), &lattice_pose(&mut random));
        let expected = cuboid_cuboid::relation(&a, &b, &at);
        assert_eq!(convex::relation(&a, &b, &at), expected, "seed {seed}");
        let (hull_a, hull_b) = (hull_of(&a), hull_of(&b));
        assert_eq!(convex::relation(&hull_a, &hull_b, &at), expected, "seed {seed}");
        seen[expected as usize] += 1;
    }
    assert!(seen.iter().all(|&n| n > 50), "{seen:?}");
}

#[test]
fn nudged_boxes_relate_as_their_room_says() {
    let mut seen = [0; 3];
    for seed in 0..CASES {
        let mut random = Random(seed);
        let (a, b) = (Cuboid::new(Vec3::ONE).unwrap(), random_cuboid(&mut random));
        let at_b = nudged(&lattice_pose(&mut random), &mut random);
        let at = Relative::new(&lattice_pose(&mut random), &at_b);
        let expected = cuboid_cuboid::relation(&a, &b, &at);
        assert_eq!(convex::relation(&a, &b, &at), expected, "seed {seed}");
        let (one, other) = (cuboid_cuboid::closest(&a, &b, &at), convex::closest(&a, &b, &at));
        let off = (one.distance - other.distance).abs();
        assert!(off <= 1e-6, "seed {seed}: {one:?} {other:?}");
        seen[expected as usize] += 1;
    }
    assert!(seen[0] > 100 && seen[2] > 100, "{seen:?}");
}

#[test]
fn capsules_relate_to_boxes_as_their_room_says() {
    let mut seen = [0; 3];
    for seed in 0..CASES {
        let mut random = Random(seed);
        let (a, b) = (random_capsule(&mut random), random_cuboid(&mut random));
        let at = if random.one_in(2) {
            Relative::new(&lattice_pose(&mut random), &lattice_pose(&mut random))
        } else {
            Relative::new(&Pose::IDENTITY, &pose(random.vector(2.5), random.rotation()))
        };
        let expected = capsule_cuboid::relation(&a, &b, &at);
        assert_eq!(convex::relation(&a, &b, &at), expected, "seed {seed}");
        let (one, other) = (capsule_cuboid::closest(&a, &b, &at), convex::closest(&a, &b, &at));
        let off = (one.distance - other.distance).abs();
        assert!(off <= 1e-6, "seed {seed}: {one:?} {other:?}");
        seen[expected as usize] += 1;
    }
    assert!(seen[0] > 100 && seen[2] > 100, "{seen:?}");
}

#[test]
fn the_queries_agree_with_each_other() {
    let (boxes, capsules) = (boxes(), capsules());
    let mut seen = [0; 3];
    for seed in 0..CASES / 2 {
        let mut random = Random(seed);
        let (a, b) = (random_cuboid(&mut random), random_cuboid(&mut random));
        let at_b = pose(random.vector(2.5), random.rotation());
        let at_b = if random.one_in(2) { lattice_pose(&mut random) } else { at_b };
        let relation = boxes.check_still(&a, &b, &Pose::IDENTITY, &at_b, seed);
        seen[relation as usize] += 1;
        let a = random_capsule(&mut random);
        let relation = capsules.check_still(&a, &b, &Pose::IDENTITY, &at_b, seed);
        seen[relation as usize] += 1;
    }
    assert!(seen[0] > 100 && seen[2] > 100, "{seen:?}");
}

#[test]
fn sweeps_end_in_touch_or_never_meet() {
    let (boxes, capsules) = (boxes(), capsules());
    let (mut hits, mut misses) = (0, 0);
    for seed in 0..CASES / 2 {
        let mut random = Random(seed);
        let (a, b) = (random_cuboid(&mut random), random_cuboid(&mut random));
        let at_b = pose(random.vector(4.0), random.rotation());
        let motion = random.vector(6.0);
        if boxes_apart(&a, &b, &at_b) {
            let hit = boxes.check_sweep((&a, &b), (&Pose::IDENTITY, &at_b), motion, seed);
            let at = Relative::new(&Pose::IDENTITY, &at_b);
            let room = cuboid_cuboid::sweep(&a, &b, &at, motion);
            assert_eq!(hit, room.is_some(), "seed {seed}");
            if let (Some(one), Some(other)) = (room, convex::sweep(&a, &b, &at, motion)) {
                assert!((one.fraction - other.fraction).abs() < 1e-7, "seed {seed}");
            }
            *if hit { &mut hits } else { &mut misses } += 1;
        }
        let a = random_capsule(&mut random);
        let at = Relative::new(&Pose::IDENTITY, &at_b);
        if convex::relation(&a, &b, &at) == Relation::Apart {
            let hit = capsules.check_sweep((&a, &b), (&Pose::IDENTITY, &at_b), motion, seed);
            *if hit { &mut hits } else { &mut misses } += 1;
        }
    }
    assert!(hits > 200 && misses > 200, "{hits} {misses}");
}

fn boxes_apart(a: &Cuboid, b: &Cuboid, at_b: &Pose) -> bool {
    convex::relation(a, b, &Relative::new(&Pose::IDENTITY, at_b)) == Relation::Apart
}

#[test]
fn sweeps_on_a_lattice_hit_as_the_room_of_boxes_says() {
    let (mut hits, mut misses) = (0, 0);
    for seed in 0..CASES {
        let mut random = Random(seed);
        let half = |random: &mut Random| Cuboid::new(random.whole_vector(2).abs() * 0.5).unwrap();
        let (a, b) = (half(&mut random), half(&mut random));
        let at_b = pose(random.whole_vector(3), random.whole_rotation());
        let at_a = pose(random.whole_vector(1), Quat::IDENTITY);
        let at = Relative::new(&at_a, &at_b);
        if cuboid_cuboid::relation(&a, &b, &at) == Relation::Penetrating {
            continue;
        }
        let motion = random.whole_vector(4);
        let (room, generic) =
            (cuboid_cuboid::sweep(&a, &b, &at, motion), convex::sweep(&a, &b, &at, motion));
        assert_eq!(room.is_some(), generic.is_some(), "seed {seed}: {room:?} {generic:?}");
        if let (Some(room), Some(generic)) = (room, generic) {
            let off = (room.fraction - generic.fraction).abs();
            assert!(off < 1e-7, "seed {seed}: {room:?} {generic:?}");
            hits += 1;
        } else {
            misses += 1;
        }
    }
    assert!(hits > 200 && misses > 200, "{hits} {misses}");
}
