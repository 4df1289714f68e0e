//! Worlds that are saved and loaded, and their hashes.

use crate::common::{Rng, random_change, random_world};
use impinge_shapes::glam::{Quat, Vec3};
use impinge_shapes::{Pose, Shape};
use impinge_world::{Body, BodyId, BodyKind, Groups, World};

const SIDE: f32 = 3.0;

/// Changes and updates at random; the hashes after each.
fn history(world: &mut World, seed: u64, steps: usize) -> Vec<u64> {
    let mut rng = Rng::new(seed);
    let mut hashes = Vec::new();
    for _ in 0..steps {
        for _ in 0..rng.below(6) {
            random_change(&mut rng, world, SIDE);
        }
        match rng.below(16) {
            0 => world.set_margin(rng.range(0.0, 0.3)).unwrap(),
            1 => world.set_recycling(rng.range(0.0, 0.2)).unwrap(),
            2 => {
                for contact in world.contacts_mut() {
                    contact.slots.fill([rng.range(-1.0, 1.0); 4]);
                }
            }
            _ => {}
        }
        if rng.chance(80) {
            world.update();
        }
        hashes.push(world.hash());
    }
    hashes
}

#[test]
fn a_loaded_world_goes_on_as_the_saved_one_did() {
    let mut between = 0;
    for seed in 0..16 {
        let mut rng = Rng::new(seed);
        let mut world = random_world(&mut rng, 60, SIDE);
        world.set_slots(rng.chance(60));
        history(&mut world, seed + 100, 1 + rng.below(8));
        let (bytes, hash) = (world.to_bytes(), world.hash());
        between += usize::from(world.view().is_none());
        let then = world.snapshot();
        let mut loaded = World::from_bytes(&bytes).unwrap();
        assert_eq!((loaded.hash(), then.hash()), (hash, hash), "seed {seed}");
        assert!(loaded.to_bytes() == bytes && then.to_bytes() == bytes, "seed {seed}");
        assert!(loaded.pairs().eq(world.pairs()), "seed {seed}");
        let ids = |world: &World| world.iter().map(|(id, _)| id).collect::<Vec<_>>();
        assert_eq!(ids(&loaded), ids(&world), "seed {seed}");
        // Queries bring the index up to date, and nothing else.
        if rng.chance(50) {
            world.prepare_queries();
            assert_eq!(world.hash(), hash, "seed {seed}");
        }
        let expected = history(&mut world, seed + 200, 15);
        assert_eq!(history(&mut loaded, seed + 200, 15), expected, "seed {seed}");
        loaded.restore(&then);
        assert_eq!(loaded.hash(), hash, "seed {seed}");
        let mut distinct = expected.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert!(distinct.len() > 10, "seed {seed}");
    }
    assert!((2..15).contains(&between), "{between}");
}

#[test]
fn any_difference_changes_the_hash() {
    let base = || {
        let mut world = World::new();
        for x in 0..3_u8 {
            let ball = Body::moving(Shape::sphere(0.75).unwrap()).at(Vec3::X * f32::from(x));
            world.insert(ball).unwrap();
        }
        world.update();
        world
    };
    type Change = fn(&mut World, BodyId, BodyId);
    let nudge = |world: &mut World, id: BodyId, _: BodyId| {
        let next = f32::from_bits(1.0_f32.to_bits() + 1);
        world.set_pose(id, Pose::from_position(Vec3::X * next).unwrap()).unwrap();
    };
    let negative_zero = |world: &mut World, id: BodyId, _: BodyId| {
        let pose = Pose::from_position(Vec3::new(1.0, -0.0, 0.0)).unwrap();
        world.set_pose(id, pose).unwrap();
    };
    let turn = |world: &mut World, id: BodyId, _: BodyId| {
        let half = Quat::from_xyzw(0.0, 0.0, 0.0, 2.0);
        world.set_pose(id, Pose::new(Vec3::X, half).unwrap()).unwrap();
    };
    let changes: [Change; 17] = [
        |_, _, _| {},
        nudge,
        negative_zero,
        turn,
        |world, id, _| world.set_shape(id, Shape::sphere(0.5).unwrap()).unwrap(),
        |world, id, _| world.set_groups(id, Groups::new(1, !0)).unwrap(),
        |world, id, _| world.set_kind(id, BodyKind::Fixed).unwrap(),
        |world, id, _| world.set_sensor(id, true).unwrap(),
        |world, id, _| world.set_user_data(id, 1).unwrap(),
        |world, id, _| world.set_body_margin(id, 0.5).unwrap(),
        |world, id, other| world.set_ignored(id, other, true).unwrap(),
        |world, _, _| world.set_margin(0.5).unwrap(),
        |world, _, _| world.set_recycling(0.5).unwrap(),
        |world, _, _| world.set_slots(true),
        |world, id, _| drop(world.remove(id)),
        |world, id, _| {
            let body = world.remove(id).unwrap();
            world.insert(body).unwrap();
        },
        |world, _, _| assert_eq!(world.update().persisted, 2),
    ];
    let mut hashes: Vec<u64> = changes
        .iter()
        .map(|change| {
            let mut world = base();
            let ids: Vec<BodyId> = world.iter().map(|(id, _)| id).collect();
            change(&mut world, ids[1], ids[2]);
            let loaded = World::from_bytes(&world.to_bytes()).unwrap();
            assert_eq!(loaded.hash(), world.hash());
            world.hash()
        })
        .collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), changes.len());
}

#[test]
fn slots_and_contacts_are_hashed() {
    let mut world = World::new();
    world.set_slots(true);
    for x in 0..2_u8 {
        let cube = Body::moving(Shape::cuboid(Vec3::splat(0.5)).unwrap());
        world.insert(cube.at(Vec3::X * f32::from(x))).unwrap();
    }
    world.update();
    let before = world.hash();
    let mut seen = vec![before];
    for point in 0..4 {
        world.contacts_mut()[0].slots[point][3] = f32::from_bits(1);
        seen.push(world.hash());
    }
    assert!(seen.is_sorted_by(|a, b| a != b));
    for contact in world.contacts_mut() {
        contact.slots.fill([0.0; 4]);
    }
    assert_eq!(world.hash(), before);
}

#[test]
fn the_order_of_insertion_does_not_matter_where_ids_are_equal() {
    let mut hashes = Vec::new();
    for seed in 0..6 {
        let mut bodies = Rng::new(77);
        let bodies: Vec<Body> = (0..40).map(|_| bodies.body(SIDE)).collect();
        // Slots are given back in an order of the caller's, the last one first.
        let mut order: Vec<usize> = (0..bodies.len()).collect();
        Rng::new(seed).shuffle(&mut order);
        let mut world = World::new();
        let none = Body::moving(Shape::sphere(1.0).unwrap());
        let ids: Vec<BodyId> = bodies.iter().map(|_| world.insert(none.clone()).unwrap()).collect();
        for &place in order.iter().rev() {
            world.remove(ids[place]).unwrap();
        }
        for &place in &order {
            let id = world.insert(bodies[place].clone()).unwrap();
            assert_eq!(id.index(), ids[place].index());
        }
        world.update();
        assert!(world.contacts().len() > 10);
        hashes.push(world.hash());
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:x?}");
}
