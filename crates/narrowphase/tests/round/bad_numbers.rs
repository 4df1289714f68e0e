//! Denormals, the largest f32, zeros of both signs: no NaN, no panic, unit normals.

use impinge_narrowphase::{Relation, Relative};
use impinge_shapes::Pose;
use impinge_shapes::glam::{Quat, Vec3};

use crate::random::Random;
use crate::rooms::{Kind, Room, every_room, extreme_vec};

#[test]
fn numbers_from_both_ends_of_f32_give_sound_answers() {
    fn check<A: Kind, B: Kind>(room: &Room<A, B>) {
        let mut counts = [0; 3];
        for seed in 0..4000 {
            let mut random = Random(seed);
            let (a, b) = (A::extreme(&mut random), B::extreme(&mut random));
            let mut pose = || {
                let q = random.pick(&[
                    Quat::IDENTITY,
                    Quat::from_xyzw(1e-45, -1e-45, 0.0, 1e-45),
                    Quat::from_xyzw(3e38, 1e38, -3e38, 1e38),
                    Quat::from_xyzw(0.1, -0.2, 0.3, 0.4),
                ]);
                Pose::new(extreme_vec(&mut random), q).unwrap()
            };
            let b_in_a = Relative::new(&pose(), &pose());
            let motion = extreme_vec(&mut random);
            let context = format!("{} seed {seed}: {a:?} {b:?} {b_in_a:?} {motion}", room.name);
            let relation = (room.relation)(&a, &b, &b_in_a);
            counts[relation as usize] += 1;
            let found = (room.closest)(&a, &b, &b_in_a);
            assert!((found.normal.length() - 1.0).abs() < 1e-12, "{context}: {found:?}");
            assert!(!found.distance.is_nan(), "{context}: {found:?}");
            assert!(found.point_a.is_finite() && found.point_b.is_finite(), "{context}: {found:?}");
            let sign = match relation {
                Relation::Apart => found.distance > 0.0,
                Relation::Touching => found.distance.to_bits() == 0.0_f64.to_bits(),
                Relation::Penetrating => found.distance < 0.0,
            };
            assert!(sign, "{context}: {relation:?} {found:?}");
            let patch = (room.manifold)(&a, &b, &b_in_a, 0.0);
            assert_eq!(patch.is_some(), relation.overlaps(), "{context}: {patch:?}");
            if let Some(hit) = (room.sweep)(&a, &b, &b_in_a, motion) {
                assert!((0.0..=1.0).contains(&hit.fraction), "{context}: {hit:?}");
                assert!((hit.normal.length() - 1.0).abs() < 1e-12, "{context}: {hit:?}");
                assert!(hit.point.is_finite(), "{context}: {hit:?}");
            }
        }
        assert!(counts[0] > 2 && counts[2] > 20, "{}: {counts:?}", room.name);
    }
    every_room!(check);
}

#[test]
fn motions_that_are_not_finite_move_nothing() {
    fn check<A: Kind, B: Kind>(room: &Room<A, B>) {
        let mut random = Random(1);
        let (a, b) = (A::random(&mut random), B::random(&mut random));
        let b_in_a = Relative::from_b_in_a(&Pose::from_position(Vec3::splat(50.0)).unwrap());
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert!((room.sweep)(&a, &b, &b_in_a, Vec3::new(-1.0, bad, 0.0)).is_none());
        }
    }
    every_room!(check);
}
