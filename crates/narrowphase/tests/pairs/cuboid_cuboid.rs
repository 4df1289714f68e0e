//! Boxes against boxes: known answers, exact touching, degenerate boxes, and random pairs whose
//! queries must agree with each other.

use crate::common::{Random, Room, cuboid, outside_cuboid, pose, random_cuboid};
use impinge_narrowphase::pairs::cuboid_cuboid::{closest, manifold, relation, sweep};
use impinge_narrowphase::{Relation, Relative, convex};
use impinge_shapes::glam::{DVec3, Quat};
use impinge_shapes::{Cuboid, Pose};

const ROOM: Room<Cuboid, Cuboid> = Room {
    relation,
    closest,
    manifold,
    sweep,
    outside_a: outside_cuboid,
    outside_b: outside_cuboid,
    size: 8.0,
};

struct Pair {
    a: Cuboid,
    b: Cuboid,
    at_a: Pose,
    at_b: Pose,
}

impl Pair {
    fn relative(&self) -> Relative {
        Relative::new(&self.at_a, &self.at_b)
    }

    fn flipped(&self) -> Self {
        Self { a: self.b, b: self.a, at_a: self.at_b, at_b: self.at_a }
    }

    fn random(random: &mut Random) -> Self {
        let (a, b) = (random_cuboid(random), random_cuboid(random));
        let at_a = pose(random.vector(1.0), random.rotation());
        let at_b = pose(random.vector(1.75), random.rotation());
        Self { a, b, at_a, at_b }
    }

    /// Small whole numbers: a third of these pairs touch exactly.
    fn whole(random: &mut Random) -> Self {
        let (a, b) = (random.whole_vector(2).abs(), random.whole_vector(2).abs());
        let at_a = pose(random.whole_vector(1), random.whole_rotation());
        let turned = if random.one_in(2) { at_a.rotation() } else { random.whole_rotation() };
        Self { a: cuboid(a), b: cuboid(b), at_a, at_b: pose(random.whole_vector(3), turned) }
    }
}

#[test]
fn depths_that_peers_got_wrong() {
    let first = Pair {
        a: cuboid([0.407_455_77, 0.509_751_6, 0.472_506_7]),
        b: cuboid([0.707_055_3, 0.686_152_6, 0.323_586_46]),
        at_a: pose(
            [250.1714, 0.481_038, 53.436_848],
            Quat::from_xyzw(0.461_800_7, 0.561_586_14, 0.588_830_95, -0.353_042_87),
        ),
        at_b: pose(
            [251.48564, 1.237_220_4, 53.09353],
            Quat::from_xyzw(0.265_647_74, 0.085_019_14, -0.348_037_33, 0.895_026_86),
        ),
    };
    let second = Pair {
        a: cuboid([2.494_981, 1.670_790_2, 1.087_987_5]),
        b: cuboid([0.199_923_74, 0.139_655_55, 0.198_026_66]),
        at_a: pose(
            [73.49193, 35.3338, 1.566_285_1],
            Quat::from_xyzw(-0.261_053_38, 0.963_163, -0.065_404_244, -0.016_592_9),
        ),
        at_b: pose(
            [72.57556, 35.117794, 1.096_991_1],
            Quat::from_xyzw(-0.218_008, -0.892_531_16, 0.278_427_1, -0.279_891_07),
        ),
    };
    for (pair, exact, tolerance) in [(&first, -0.030_468, 1e-6), (&second, -0.902, 5e-4)] {
        for pair in [pair, &pair.flipped()] {
            let found = closest(&pair.a, &pair.b, &pair.relative());
            assert!((found.distance - exact).abs() < tolerance, "{found:?}");
            let patch = manifold(&pair.a, &pair.b, &pair.relative(), 0.0).unwrap();
            let deepest = patch.points.iter().map(|p| p.distance).fold(0.0, f64::min);
            assert!((deepest - exact).abs() < 2.0 * tolerance, "{patch:?}");
        }
    }
}

/// A stack of boxes falls when a small tilt takes four points down to one, or exchanges their
/// features.
#[test]
fn boxes_at_rest_keep_their_four_points() {
    let mut random = Random(77);
    let cube = cuboid([0.5, 0.5, 0.5]);
    let (mut by_edge, mut named) = (0, None);
    for seed in 0..2000 {
        let tilt = random.vector(0.01);
        let lower = pose([0.0; 3], Quat::IDENTITY);
        let shift = random.vector(0.02);
        let turned = Quat::from_xyzw(tilt.x, tilt.y, tilt.z, 1.0);
        let upper = pose([shift.x, 0.99, shift.z], turned);
        let at = Relative::new(&lower, &upper);
        let patch = manifold(&cube, &cube, &at, 0.03).unwrap();
        assert_eq!(patch.points.len(), 4, "seed {seed}: {patch:?}");
        // Always along A's upper face, and at most one pair of names for its corners' faces.
        assert!(patch.normal == DVec3::Y, "seed {seed}: {patch:?}");
        let faces: Vec<u32> = patch.points.iter().map(|point| point.feature.0 >> 6).collect();
        assert!(faces.iter().all(|face| *face == *named.get_or_insert(faces[0])), "seed {seed}");
        let deepest = closest(&cube, &cube, &at).normal;
        by_edge += usize::from(deepest.cross(patch.normal).length() > 1e-6);
    }
    assert!(by_edge > 500, "{by_edge}");
}

#[test]
fn random_pairs_agree_with_themselves() {
    let mut counts = [0; 3];
    for seed in 0..10_000 {
        let pair = Pair::random(&mut Random(seed));
        let relation = ROOM.check_still(&pair.a, &pair.b, &pair.at_a, &pair.at_b, seed);
        counts[relation as usize] += 1;
        let found = closest(&pair.a, &pair.b, &pair.relative());
        let flipped = pair.flipped();
        let other = closest(&flipped.a, &flipped.b, &flipped.relative());
        assert!((other.distance - found.distance).abs() < 1e-10, "seed {seed}");
        let generic = convex::closest(&pair.a, &pair.b, &pair.relative());
        assert!((generic.distance - found.distance).abs() < 1e-9, "seed {seed}: {generic:?}");
    }
    assert!(counts[0] > 2000 && counts[2] > 2000, "{counts:?}");
}

#[test]
fn random_sweeps_end_in_touch() {
    let mut counts = [0; 2];
    for seed in 0..10_000 {
        let mut random = Random(seed);
        let pair = Pair::random(&mut random);
        if relation(&pair.a, &pair.b, &pair.relative()) != Relation::Apart {
            continue;
        }
        let motion = random.vector(3.0);
        let hit = ROOM.check_sweep((&pair.a, &pair.b), (&pair.at_a, &pair.at_b), motion, seed);
        counts[usize::from(hit)] += 1;
        let relative = pair.relative();
        let found = sweep(&pair.a, &pair.b, &relative, motion);
        let generic = convex::sweep(&pair.a, &pair.b, &relative, motion);
        assert_eq!(found.is_some(), generic.is_some(), "seed {seed}");
        if let (Some(found), Some(generic)) = (found, generic) {
            let late = (found.fraction - generic.fraction).abs();
            let speed = relative.vector_from_world(motion.as_dvec3()).dot(found.normal).abs();
            assert!(late * speed < 1e-9, "seed {seed}: {found:?} {generic:?}");
        }
    }
    assert!(counts[0] > 1000 && counts[1] > 1000, "{counts:?}");
}

#[test]
fn pairs_of_whole_numbers_agree_with_themselves() {
    let (mut counts, mut sweeps) = ([0; 3], [0; 2]);
    for seed in 0..4000 {
        let mut random = Random(seed);
        let pair = Pair::whole(&mut random);
        let found = ROOM.check_still(&pair.a, &pair.b, &pair.at_a, &pair.at_b, seed);
        counts[found as usize] += 1;
        let (flipped, motion) = (pair.flipped(), random.whole_vector(4));
        assert_eq!(found, relation(&flipped.a, &flipped.b, &flipped.relative()), "seed {seed}");
        let there = (&pair.at_a, &pair.at_b);
        let hit = match found {
            Relation::Apart => ROOM.check_sweep((&pair.a, &pair.b), there, motion, seed),
            Relation::Touching => {
                // Inward means that a short way on they penetrate, or else that they do not.
                let hit = sweep(&pair.a, &pair.b, &pair.relative(), motion).is_some();
                let on = crate::common::moved(&pair.at_b, motion.as_dvec3() / 1024.0);
                let after = relation(&pair.a, &pair.b, &Relative::new(&pair.at_a, &on));
                assert_eq!(hit, after == Relation::Penetrating, "seed {seed}");
                hit
            }
            Relation::Penetrating => continue,
        };
        sweeps[usize::from(hit)] += 1;
        // The same path walked by A the other way.
        if let Some(back) = sweep(&flipped.a, &flipped.b, &flipped.relative(), -motion) {
            let there = sweep(&pair.a, &pair.b, &pair.relative(), motion).map(|hit| hit.fraction);
            assert!((there.unwrap_or(9.0) - back.fraction).abs() < 1e-12, "seed {seed}");
        } else {
            assert!(!hit, "seed {seed}");
        }
    }
    assert!(
        counts.iter().all(|&n| n > 200) && sweeps.iter().all(|&n| n > 200),
        "{counts:?} {sweeps:?}"
    );
}

#[test]
fn nearly_parallel_and_nearly_touching_pairs_agree_with_themselves() {
    let (mut counts, mut sweeps) = ([0; 3], [0; 2]);
    for seed in 0..10_000 {
        let mut random = Random(seed);
        let mut pair = Pair::whole(&mut random);
        pair.at_b = crate::common::nudged(&pair.at_b, &mut random);
        let found = ROOM.check_still(&pair.a, &pair.b, &pair.at_a, &pair.at_b, seed);
        counts[found as usize] += 1;
        let generic = convex::closest(&pair.a, &pair.b, &pair.relative());
        let distance = closest(&pair.a, &pair.b, &pair.relative()).distance;
        assert!((generic.distance - distance).abs() < 1e-6, "seed {seed}: {generic:?} {distance}");
        if found == Relation::Apart {
            let motion = random.whole_vector(4);
            let there = (&pair.at_a, &pair.at_b);
            let hit = ROOM.check_sweep((&pair.a, &pair.b), there, motion, seed);
            sweeps[usize::from(hit)] += 1;
        }
    }
    assert!(counts[0] > 2000 && counts[2] > 2000, "{counts:?}");
    assert!(sweeps.iter().all(|&n| n > 500), "{sweeps:?}");
}
