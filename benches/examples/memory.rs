//! What a body costs in memory: 100,000 bodies of each scene, in a broad phase alone and in a world
//! with its contacts, at rest and after updates in which all move.
//!
//! `cargo run --release -p impinge-benches --example memory`
#![expect(clippy::print_stdout, reason = "prints its result")]

use std::alloc::System;

use impinge_benches::{BOXES, SEED, moving_bounds, moving_poses, world};
use impinge_broadphase::{BroadPhase, Mobility};
use impinge_testkit::scenes::{self, SceneKind};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

/// Counts what all threads ask for and give back.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const BODIES: usize = 100_000;
const UPDATES: usize = 20;

/// Bytes that are held since the region began, for each body.
fn held(region: &Region<'_, System>) -> f64 {
    let change = region.change();
    (change.bytes_allocated as f64 - change.bytes_deallocated as f64) / BODIES as f64
}

fn row(kind: SceneKind) -> String {
    let scene = scenes::build(kind, BODIES, 100.0, SEED);
    let bounds = scene.aabbs();
    let mut boxes = moving_bounds(&scene);
    let region = Region::new(ALLOCATOR);
    let mut broad_phase = BroadPhase::new();
    for (id, bounds) in (0..).zip(&bounds) {
        broad_phase.set(id, *bounds, Mobility::Moving);
    }
    broad_phase.update();
    let (pairs, still) = (broad_phase.pairs().len() as f64 / BODIES as f64, held(&region));
    for _ in 0..UPDATES {
        broad_phase.set_many(boxes.advance());
        broad_phase.update();
    }
    let moved = held(&region);
    drop((broad_phase, boxes, bounds));

    let region = Region::new(ALLOCATOR);
    let (mut world, ids) = world(&scene);
    world.update();
    let ids_held = size_of_val(&ids[..]) as f64 / BODIES as f64;
    let contacts = world.contacts().len() as f64 / BODIES as f64;
    let world_still = held(&region) - ids_held;
    let mut poses = moving_poses(&scene, &ids);
    let before = held(&region);
    for _ in 0..UPDATES {
        world.set_poses(poses.advance()).expect("no body was removed");
        world.update();
    }
    let world_moved = world_still + held(&region) - before;
    format!(
        "| {kind} | {pairs:.2} | {still:.0} | {moved:.0} | {contacts:.2} | {world_still:.0} | \
         {world_moved:.0} |"
    )
}

fn main() {
    println!("bytes a body, {BODIES} bodies; after the first update, and after {UPDATES} more");
    println!("| scene | pairs | broad phase | all moved | contacts | world | all moved |");
    println!("|---|---|---|---|---|---|---|");
    for kind in BOXES {
        println!("{}", row(kind));
    }
}
