//! What a body costs in memory: 100,000 bodies of each scene, in a broad phase alone and in a world
//! with its contacts, after the first update and after more in which all or one in ten move.
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

/// Bytes a body of a broad phase after its first update and after more of them, and pairs a body.
fn broad_phase(kind: SceneKind, moving: f32) -> [f64; 3] {
    let scene = scenes::build(kind, BODIES, moving, SEED);
    let bounds = scene.aabbs();
    let mut boxes = moving_bounds(&scene);
    let region = Region::new(ALLOCATOR);
    let mut broad_phase = BroadPhase::new();
    for (id, bounds) in (0..).zip(&bounds) {
        broad_phase.set(id, *bounds, Mobility::Moving);
    }
    broad_phase.update();
    let (first, pairs) = (held(&region), broad_phase.pairs().len() as f64 / BODIES as f64);
    for _ in 0..UPDATES {
        broad_phase.set_many(boxes.advance());
        broad_phase.update();
    }
    [first, held(&region), pairs]
}

/// The same of a world, and contacts a body.
fn whole_world(kind: SceneKind, moving: f32) -> [f64; 3] {
    let scene = scenes::build(kind, BODIES, moving, SEED);
    let region = Region::new(ALLOCATOR);
    let (mut world, ids) = world(&scene);
    world.update();
    let first = held(&region) - size_of_val(&ids[..]) as f64 / BODIES as f64;
    let contacts = world.contacts().len() as f64 / BODIES as f64;
    let mut poses = moving_poses(&scene, &ids);
    let before = held(&region);
    for _ in 0..UPDATES {
        world.set_poses(poses.advance()).expect("no body was removed");
        world.update();
    }
    [first, first + held(&region) - before, contacts]
}

fn row(kind: SceneKind) -> String {
    let ([first, all, pairs], [_, few, _]) = (broad_phase(kind, 100.0), broad_phase(kind, 10.0));
    let mut text = format!("| {kind} | {pairs:.2} | {first:.0} | {all:.0} | {few:.0} |");
    let ([first, all, contacts], [_, few, _]) = (whole_world(kind, 100.0), whole_world(kind, 10.0));
    text += &format!(" {contacts:.2} | {first:.0} | {all:.0} | {few:.0} |");
    text
}

fn main() {
    println!("bytes a body, {BODIES} bodies; after the first update, and after {UPDATES} more");
    println!(
        "| scene | pairs | broad phase | all move | 10 % move | contacts | world | all move | 10 % move |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for kind in BOXES {
        println!("{}", row(kind));
    }
}
