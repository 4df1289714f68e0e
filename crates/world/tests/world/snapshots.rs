//! Snapshots: what they keep, how the world goes on from them.

use crate::common::{Rng, random_change, random_world};
use impinge_shapes::glam::{Vec3, vec3};
use impinge_shapes::{Pose, Ray, Shape};
use impinge_world::{Body, Filter, Kinds, Queries, Snapshot, World};

const SIDE: f32 = 3.0;

/// Everything that the world says now, with all bits of its numbers.
fn said(world: &World) -> String {
    let bodies: Vec<_> = world
        .iter()
        .map(|(id, body)| {
            let ignored: Vec<_> = body.ignored().collect();
            let numbers = (body.user_data(), body.margin(), body.pose());
            (id, numbers, body.groups(), body.kind(), body.is_sensor(), ignored)
        })
        .collect();
    let contacts: Vec<_> = world.contacts().with_slots().collect();
    let pairs: Vec<_> = world.pairs().collect();
    let settings = (world.margin(), world.has_slots(), world.recycling());
    let (events, overlaps) = (world.events(), world.sensor_overlaps());
    format!("{bodies:?}{contacts:?}{pairs:?}{settings:?}{events:?}{overlaps:?}")
}

/// Answers of each kind of query.
fn answers(queries: Queries<'_>, seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let all = Filter::new().kinds(Kinds::ALL);
    let mut said = String::new();
    for _ in 0..40 {
        let Ok(ray) = Ray::new(rng.vec(-SIDE, SIDE), rng.vec(-1.0, 1.0)) else { continue };
        let shape = rng.shape();
        let (pose, way) = (rng.pose(SIDE), rng.vec(-2.0, 2.0));
        let (mut rays, mut sweeps) = (Vec::new(), Vec::new());
        queries.raycast_all(&ray, 9.0, &all, &mut rays);
        queries.sweep_all(&shape, &pose, way, &all, &mut sweeps);
        said += &format!("{rays:?}{sweeps:?}");
        said += &format!("{:?}", queries.overlap(&shape, &pose, &all));
        said += &format!("{:?}", queries.closest(&shape, &pose, 1.0, &all));
        said += &format!("{:?}", queries.contains_point(pose.position(), &all));
    }
    said
}

/// Changes, updates and settings at random; what was said after each.
fn history(world: &mut World, seed: u64, steps: usize) -> Vec<String> {
    let mut rng = Rng::new(seed);
    let mut all = Vec::new();
    for _ in 0..steps {
        for _ in 0..rng.below(6) {
            random_change(&mut rng, world, SIDE);
        }
        match rng.below(20) {
            0 => world.set_margin(rng.range(0.0, 0.3)).unwrap(),
            1 => world.set_slots(rng.chance(70)),
            2 => world.set_recycling(rng.range(0.0, 0.2)).unwrap(),
            3 => {
                for contact in world.contacts_mut() {
                    contact.slots.fill([rng.range(-1.0, 1.0); 4]);
                }
            }
            4 => world.prepare_queries(),
            _ => {}
        }
        let report = if rng.chance(85) { Some(world.update()) } else { None };
        all.push(format!("{report:?}{}", said(world)));
    }
    all
}

#[test]
fn a_restored_world_goes_on_as_the_original_did() {
    let (mut between, mut contacts) = (0, 0);
    for seed in 0..24 {
        let mut rng = Rng::new(seed);
        let mut world = random_world(&mut rng, 60, SIDE);
        world.set_slots(rng.chance(60));
        history(&mut world, seed + 100, 1 + rng.below(6));
        let then = world.snapshot();
        let here = said(&world);
        between += usize::from(world.view().is_none());
        contacts += world.contacts().len();
        let expected = history(&mut world, seed + 200, 12);
        // The same world, another one that does not share a bit, and one of nothing.
        let mut other = random_world(&mut rng, 30, SIDE);
        history(&mut other, seed + 300, 3);
        for (name, mut restored) in [
            ("same", world),
            ("other", other),
            ("new", then.to_world()),
            ("clone", then.to_world().clone()),
        ] {
            restored.restore(&then);
            assert_eq!(said(&restored), here, "{name}, seed {seed}");
            let found = history(&mut restored, seed + 200, 12);
            for (step, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert!(found == expected, "{name}, seed {seed}, step {step}");
            }
            // And once more, as the snapshot must not have changed.
            restored.restore(&then);
            assert_eq!(said(&restored), here, "{name} again, seed {seed}");
        }
    }
    assert!((2..23).contains(&between) && contacts > 500, "{between} {contacts}");
}

#[test]
fn old_snapshots_answer_as_the_world_did_then() {
    for seed in 0..6 {
        let mut rng = Rng::new(seed);
        let mut world = random_world(&mut rng, 80, SIDE);
        let mut kept: Vec<(Snapshot, String)> = Vec::new();
        for step in 0..12 {
            for _ in 0..rng.below(8) {
                random_change(&mut rng, &mut world, SIDE);
            }
            if rng.chance(70) {
                world.update();
            }
            let then = world.snapshot();
            // What the world says itself, before anything else changes.
            kept.push((then, answers(world.queries(), seed + step)));
            if kept.len() > 6 {
                kept.remove(0);
            }
            let first = (seed + step + 1).saturating_sub(kept.len() as u64);
            for (query_seed, (then, expected)) in (first..).zip(&kept) {
                let found = answers(then.queries(), query_seed);
                assert!(found == *expected, "seed {seed}, step {step}, {query_seed}");
            }
        }
    }
}

#[test]
fn snapshots_read_like_worlds() {
    let mut rng = Rng::new(5);
    let mut world = random_world(&mut rng, 60, SIDE);
    world.update();
    let then = world.snapshot();
    let contacts: Vec<_> = world.contacts().iter().cloned().collect();
    let (events, overlaps) = (world.events().to_vec(), world.sensor_overlaps().to_vec());
    let bodies: Vec<_> = world.iter().map(|(id, body)| (id, body.pose())).collect();
    world.clear();
    world.update();
    assert!(world.is_empty() && !then.is_empty() && !contacts.is_empty());
    assert_eq!((then.len(), then.events()), (bodies.len(), &*events));
    assert_eq!(then.sensor_overlaps(), overlaps);
    assert!(then.contacts().iter().eq(&contacts));
    assert_eq!(then.contact(contacts[0].b, contacts[0].a), Some(&contacts[0]));
    let read: Vec<_> = then.iter().map(|(id, body)| (id, body.pose())).collect();
    assert_eq!(read, bodies);
    assert!(then.contains(bodies[0].0) && then.body(bodies[0].0).is_some());
    assert!(format!("{then:?}").contains("bodies"));
}

#[test]
fn snapshots_can_be_read_from_many_threads() {
    let mut world = World::new();
    let ball = Body::moving(Shape::sphere(1.0).unwrap());
    let id = world.insert(ball).unwrap();
    let between = world.snapshot();
    world.update();
    let after = world.snapshot();
    world.set_pose(id, Pose::from_position(Vec3::X * 9.0).unwrap()).unwrap();
    world.update();
    std::thread::scope(|scope| {
        for snapshot in [between, after] {
            for x in 0..2_u8 {
                let snapshot = snapshot.clone();
                let see = move || {
                    let ray = Ray::new(vec3(f32::from(x) * 9.0, 5.0, 0.0), Vec3::NEG_Y).unwrap();
                    let hit = snapshot.queries().raycast(&ray, 9.0, &Filter::default());
                    assert_eq!(hit.map(|hit| hit.body), (x == 0).then_some(id));
                };
                scope.spawn(see);
            }
        }
    });
}

#[test]
fn tasks_of_one_pool_may_index_the_same_snapshot() {
    use rayon::prelude::*;

    let mut rng = Rng::new(3);
    for round in 0..8_u8 {
        let mut world = random_world(&mut rng, 3000, 12.0);
        world.update();
        world.insert(Body::moving(Shape::sphere(9.0).unwrap())).unwrap();
        let between = world.snapshot();
        let expected = world.queries().contains_point(Vec3::ZERO, &Filter::default());
        assert!(!expected.is_empty());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let ask = |_| between.queries().contains_point(Vec3::ZERO, &Filter::default()) == expected;
        let same = pool.install(|| (0..64_u8).into_par_iter().map(ask).all(|same| same));
        assert!(same, "round {round}");
    }
}
