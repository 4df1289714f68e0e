//! The same bits for any number of threads.

use std::collections::BTreeSet;
use std::sync::Mutex;

use crate::common::{Rng, random_change, random_world};
use impinge_shapes::Shape;
use impinge_shapes::glam::Vec3;
use impinge_world::{
    BodyId, ClosestQuery, Filter, Hits, Kinds, OverlapQuery, RayQuery, SweepQuery, UpdateOptions,
    World,
};

/// Everything a world says in a few updates and batches, with all bits of its numbers.
fn transcript(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let side = 12.0;
    let mut world = random_world(&mut rng, 2500, side);
    let mut said = String::new();
    world.set_slots(true);
    for round in 0..3 {
        // Recycling makes answers depend on history, but not on threads.
        if round == 1 {
            world.set_recycling(0.25).unwrap();
        }
        let report = world.update();
        assert!(report.contacts > 500, "seed {seed}");
        assert_eq!(report.recycled_pairs > 50, round == 2, "seed {seed}: {report:?}");
        said += &format!("{report:?} {:?}", world.events());
        for contact in world.contacts().with_slots() {
            said += &format!("{contact:?}");
        }
        for contact in world.contacts_mut() {
            for (slot, place) in contact.slots.iter_mut().zip(1_u8..) {
                *slot = [f32::from(place); 4];
            }
        }
        said += &batches(&mut rng, &mut world, side);
        for _ in 0..150 {
            random_change(&mut rng, &mut world, side);
        }
        move_all(&mut rng, &mut world);
    }
    said
}

fn move_all(rng: &mut Rng, world: &mut World) {
    let mut poses: Vec<_> = world
        .iter()
        .map(|(id, body)| {
            let position = body.pose().position() + rng.vec(-0.1, 0.1);
            (id, impinge_shapes::Pose::new(position, body.pose().rotation()).unwrap())
        })
        .collect();
    world.set_poses(&poses).unwrap();
    // Not sorted, and a body twice: the last pose counts.
    let twice = (poses[7].0, poses[8].1);
    poses.reverse();
    poses.push(twice);
    world.set_poses(&poses).unwrap();
    assert_eq!(world.body(twice.0).unwrap().pose(), twice.1);
}

fn batches(rng: &mut Rng, world: &mut World, side: f32) -> String {
    let shapes: Vec<Shape> = (0..300).map(|_| rng.shape()).collect();
    let all = Filter::new().kinds(Kinds::ALL);
    let rays: Vec<_> = (0..300)
        .filter_map(|_| {
            let ray = impinge_shapes::Ray::new(rng.pose(side).position(), rng.vec(-1.0, 1.0));
            Some(RayQuery::new(ray.ok()?, side).filter(all))
        })
        .collect();
    let mut sweeps = Vec::new();
    let mut overlaps = Vec::new();
    let mut closest = Vec::new();
    for shape in &shapes {
        sweeps.push(SweepQuery::new(shape, rng.pose(side), rng.vec(-5.0, 5.0)));
        overlaps.push(OverlapQuery::new(shape, rng.pose(side)).filter(all));
        closest.push(ClosestQuery::new(shape, rng.pose(side), 2.0));
    }
    let queries = world.queries();
    let (mut ray_hits, mut sweep_hits, mut near) = (vec![], vec![], vec![]);
    let (mut all_rays, mut all_sweeps, mut all_near) = (Hits::new(), Hits::new(), Hits::new());
    let mut bodies: Hits<BodyId> = Hits::new();
    queries.raycast_batch(&rays, &mut ray_hits);
    queries.raycast_all_batch(&rays, &mut all_rays);
    queries.sweep_batch(&sweeps, &mut sweep_hits);
    queries.sweep_all_batch(&sweeps, &mut all_sweeps);
    queries.closest_batch(&closest, &mut near);
    queries.closest_all_batch(&closest, &mut all_near);
    queries.overlap_batch(&overlaps, &mut bodies);
    format!(
        "{ray_hits:?}{all_rays:?}{sweep_hits:?}{all_sweeps:?}{near:?}{all_near:?}{bodies:?}\
         {:?}",
        queries.contains_point(Vec3::ZERO, &all)
    )
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let seed = 11;
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| transcript(seed))
    };
    let reference = run(1);
    for threads in [2, 3, 8] {
        // The transcript is too long to be printed.
        assert!(run(threads) == reference, "{threads} threads differ, seed {seed}");
    }
}

#[test]
fn all_work_is_done_in_the_callers_pool() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(3)
        .thread_name(|index| format!("the caller's {index}"))
        .build()
        .unwrap();
    let seen = Mutex::new(BTreeSet::new());
    let see = || {
        let name = std::thread::current().name().unwrap_or("unnamed").to_owned();
        seen.lock().unwrap().insert(name);
        // Long enough for the other threads to take their part.
        std::thread::sleep(std::time::Duration::from_micros(20));
        true
    };
    let mut rng = Rng::new(12);
    let mut world = random_world(&mut rng, 1500, 9.0);
    let shapes: Vec<Shape> = (0..400).map(|_| rng.shape()).collect();
    let of_body = |_: BodyId| see();
    let queries: Vec<_> = shapes
        .iter()
        .map(|shape| {
            OverlapQuery::new(shape, rng.pose(9.0)).filter(Filter::new().predicate(&of_body))
        })
        .collect();
    pool.install(|| {
        let of_pair = |_, _| see();
        let report = world.update_with(UpdateOptions::new().contact_filter(&of_pair));
        assert!(report.contacts > 500, "{report:?}");
        let mut found: Hits<BodyId> = Hits::new();
        world.queries().overlap_batch(&queries, &mut found);
        assert!(found.items().len() > 500);
    });
    let seen = seen.into_inner().unwrap();
    assert!(seen.iter().all(|name| name.starts_with("the caller's")), "{seen:?}");
    assert!(seen.len() > 1, "{seen:?}");
}
