//! Fractions against brackets of the true one, found by exact yes/no sweeps over shorter motions.

use impinge_narrowphase::{Relation, Relative};
use impinge_shapes::Pose;

use crate::random::Random;
use crate::rooms::{Kind, Room, every_room};

/// Motions are small whole numbers, so that their products with multiples of 2^-20 are f32.
const STEPS: u32 = 1 << 20;

#[test]
fn fractions_lie_in_their_exact_brackets() {
    fn check<A: Kind, B: Kind>(room: &Room<A, B>) {
        let mut hits = 0;
        for seed in 0..4000 {
            let mut random = Random(seed);
            let (a, b, motion);
            let (mut pose_a, mut pose_b) = random.poses();
            if seed % 2 == 0 {
                (a, b) = (A::whole(&mut random), B::whole(&mut random));
                pose_a = Pose::new(random.whole_vec(6), random.quarter_turn()).unwrap();
                pose_b = Pose::new(random.whole_vec(6), random.quarter_turn()).unwrap();
                motion = random.whole_vec(4) * 4.0;
            } else {
                (a, b) = (A::random(&mut random), B::random(&mut random));
                motion = random.whole_vec(8);
            }
            let b_in_a = Relative::new(&pose_a, &pose_b);
            if (room.relation)(&a, &b, &b_in_a) != Relation::Apart {
                continue;
            }
            let Some(hit) = (room.sweep)(&a, &b, &b_in_a, motion) else { continue };
            hits += 1;
            let part = |steps: u32| f64::from(steps) / f64::from(STEPS);
            let (mut free, mut reached) = (0, STEPS);
            while reached - free > 1 {
                let middle = u32::midpoint(free, reached);
                let shorter = motion * impinge_shapes::round::nearest(part(middle));
                if (room.sweep)(&a, &b, &b_in_a, shorter).is_some() {
                    reached = middle;
                } else {
                    free = middle;
                }
            }
            let context = format!("{} seed {seed}: {a:?} {b:?} {b_in_a:?} {motion}", room.name);
            // Never late; early by what a graze makes of the coordinates' rounding.
            assert!(hit.fraction <= part(reached) + 1e-13, "{context}: {hit:?}");
            assert!(hit.fraction >= part(free) - 1e-6, "{context}: {hit:?} after {free} steps");
        }
        assert!(hits > 50, "{}: {hits}", room.name);
    }
    every_room!(check);
}
