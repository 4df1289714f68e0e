//! Capsules against boxes: known answers, and random pairs whose queries must agree with each
//! other and with the generic path.

mod common;

use common::{Random, Room, outside_capsule, outside_cuboid, pose, random_capsule, random_cuboid};
use impinge_narrowphase::pairs::capsule_cuboid::{closest, manifold, relation, sweep};
use impinge_narrowphase::{Relation, Relative, convex};
use impinge_shapes::{Capsule, Cuboid, Pose};

const ROOM: Room<Capsule, Cuboid> = Room {
    relation,
    closest,
    manifold,
    sweep,
    outside_a: outside_capsule,
    outside_b: outside_cuboid,
    size: 8.0,
};

fn random_pair(random: &mut Random) -> (Capsule, Cuboid, Pose, Pose) {
    let (a, b) = (random_capsule(random), random_cuboid(random));
    let at_a = pose(random.vector(1.0), random.rotation());
    let turned = if random.one_in(4) { at_a.rotation() } else { random.rotation() };
    (a, b, at_a, pose(random.vector(1.75), turned))
}

#[test]
fn random_pairs_agree_with_themselves() {
    let mut counts = [0; 3];
    for seed in 0..10_000 {
        let (a, b, at_a, at_b) = random_pair(&mut Random(seed));
        counts[ROOM.check_still(&a, &b, &at_a, &at_b, seed) as usize] += 1;
        let relative = Relative::new(&at_a, &at_b);
        let (found, generic) = (closest(&a, &b, &relative), convex::closest(&a, &b, &relative));
        assert!(
            (generic.distance - found.distance).abs() < 1e-9,
            "seed {seed}: {generic:?} {found:?}"
        );
    }
    assert!(counts[0] > 2000 && counts[2] > 2000, "{counts:?}");
}

#[test]
fn random_sweeps_end_in_touch() {
    let mut counts = [0; 2];
    for seed in 0..10_000 {
        let mut random = Random(seed);
        let (a, b, at_a, at_b) = random_pair(&mut random);
        let relative = Relative::new(&at_a, &at_b);
        if relation(&a, &b, &relative) != Relation::Apart {
            continue;
        }
        let motion = random.vector(3.0);
        counts[usize::from(ROOM.check_sweep((&a, &b), (&at_a, &at_b), motion, seed))] += 1;
        let found = sweep(&a, &b, &relative, motion);
        let generic = convex::sweep(&a, &b, &relative, motion);
        assert_eq!(found.is_some(), generic.is_some(), "seed {seed}");
        if let (Some(found), Some(generic)) = (found, generic) {
            let late = (found.fraction - generic.fraction).abs();
            let speed = relative.vector_from_world(motion.as_dvec3()).dot(found.normal).abs();
            assert!(late * speed < 1e-9, "seed {seed}: {found:?} {generic:?}");
        }
    }
    assert!(counts[0] > 1000 && counts[1] > 1000, "{counts:?}");
}
