//! What motion does to the query index: closest rays through 100,000 boxes after 1,000 updates,
//! beside the same rays through an index made from nothing.
//!
//! `cargo run --release -p impinge-benches --example aged_index`
#![expect(clippy::disallowed_methods, reason = "this example measures times")]
#![expect(clippy::print_stdout, reason = "prints its result")]

use std::time::Instant;

use impinge_benches::{BOXES, SEED, world};
use impinge_testkit::scenes::{self, RayCase, SceneKind};
use impinge_world::{QueryCounter, RayHit, RayQuery, World};

const BODIES: usize = 100_000;
const UPDATES: u32 = 1_000;
const RAYS: usize = 50_000;
const ROUNDS: usize = 9;

/// Seconds that the rays take, and what they hit.
fn ask(world: &World, rays: &[RayQuery<'_>], hits: &mut Vec<Option<RayHit>>) -> f64 {
    let queries = world.view().expect("the index is up to date");
    let start = Instant::now();
    queries.raycast_batch(rays, hits);
    start.elapsed().as_secs_f64()
}

/// Bodies that the rays looked at.
fn candidates(world: &World, rays: &[RayQuery<'_>]) -> u64 {
    let counter = QueryCounter::default();
    let queries = world.view().expect("the index is up to date");
    queries.counting(&counter).raycast_batch(rays, &mut Vec::new());
    counter.candidates()
}

fn measure(kind: SceneKind, moving: f32) {
    let scene = scenes::build(kind, BODIES, moving, SEED);
    let (mut old, ids) = world(&scene);
    for step in 1..=UPDATES {
        let poses: Vec<_> = scene.poses_at(step).map(|(place, pose)| (ids[place], pose)).collect();
        old.set_poses(&poses).expect("all bodies exist");
        old.prepare_queries();
    }
    let mut moved = scene.clone();
    for (place, pose) in scene.poses_at(UPDATES) {
        moved.bodies[place].pose = pose;
    }
    let (mut fresh, _) = world(&moved);
    fresh.prepare_queries();
    let rays: Vec<RayQuery<'_>> = moved
        .rays(RAYS, SEED)
        .iter()
        .map(|RayCase { ray, max_distance }| RayQuery::new(*ray, *max_distance))
        .collect();
    let (mut times, mut hits) = ([f64::INFINITY; 2], [Vec::new(), Vec::new()]);
    for _ in 0..ROUNDS {
        for ((world, least), hits) in [&old, &fresh].into_iter().zip(&mut times).zip(&mut hits) {
            *least = least.min(ask(world, &rays, hits));
        }
    }
    assert_eq!(hits[0], hits[1], "the history of an index shows in no answer");
    let looked = [&old, &fresh].map(|world| candidates(world, &rays));
    println!(
        "{:9} {moving:>4} % moving: {:.0} and {:.0} ns a ray, {:.2} times as long; {:.2} times as \
         many bodies looked at",
        kind.name(),
        times[0] * 1e9 / RAYS as f64,
        times[1] * 1e9 / RAYS as f64,
        times[0] / times[1],
        looked[0] as f64 / looked[1] as f64,
    );
}

fn main() {
    for moving in [100.0, 10.0, 1.0] {
        for kind in BOXES {
            measure(kind, moving);
        }
    }
}
