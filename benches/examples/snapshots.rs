//! What snapshots cost: 100,000 boxes (`uniform`) of which one in a hundred moves, scattered or
//! side by side.
//!
//! `cargo run --release -p impinge-benches --example snapshots`
#![expect(clippy::disallowed_methods, reason = "this example measures times")]
#![expect(clippy::print_stdout, reason = "prints its result")]

use std::collections::VecDeque;
use std::hint::black_box;
use std::time::Instant;

use impinge_benches::{SEED, moving_poses, world};
use impinge_shapes::Pose;
use impinge_testkit::scenes::{self, SceneKind};
use impinge_world::{BodyId, World};

const BODIES: usize = 100_000;
const ROUNDS: usize = 24;
/// Snapshots that are kept, as for lag compensation.
const KEPT: usize = 8;

/// Least time of some rounds in milliseconds, because the machine may have other work.
fn least(rounds: usize, mut run: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..rounds {
        let start = Instant::now();
        run();
        least = least.min(start.elapsed().as_secs_f64());
    }
    least * 1e3
}

/// Times of moving and updating, and of snapshots in between, if any are kept.
fn updates(world: &mut World, steps: &[Vec<(BodyId, Pose)>], kept: usize) -> (f64, f64) {
    let (mut update, mut snapshot) = (f64::INFINITY, f64::INFINITY);
    let mut snapshots = VecDeque::new();
    for round in 0..ROUNDS {
        update = update.min(least(1, || {
            world.set_poses(&steps[round % steps.len()]).expect("all bodies exist");
            black_box(world.update());
        }));
        if kept > 0 {
            snapshot = snapshot.min(least(1, || snapshots.push_back(world.snapshot())));
            if snapshots.len() > kept {
                snapshots.pop_front();
            }
        }
    }
    (update, snapshot)
}

fn main() {
    let scene = scenes::build(SceneKind::Uniform, BODIES, 1.0, SEED);
    let (mut world, ids) = world(&scene);
    world.update();
    let mut scattered = moving_poses(&scene, &ids);
    let scattered: Vec<Vec<_>> = (0..6).map(|_| scattered.advance().to_vec()).collect();
    let beside: Vec<Vec<_>> = (1..7)
        .map(|step| {
            let moved = |place: usize| {
                let mut body = scene.bodies[place].clone();
                body.moving = true;
                (ids[place], body.pose_at(step))
            };
            (0..BODIES / 100).map(moved).collect()
        })
        .collect();
    for (name, steps) in [("scattered", &scattered), ("side by side", &beside)] {
        let (update, _) = updates(&mut world, steps, 0);
        let (with, snapshot) = updates(&mut world, steps, KEPT);
        println!(
            "1 % moving, {name}: update {update:.2} ms, with {KEPT} snapshots kept {with:.2} ms \
             and {snapshot:.3} ms for each snapshot"
        );
        let then = world.snapshot();
        let restore = least(ROUNDS, || {
            for step in &steps[..3] {
                world.set_poses(step).expect("all bodies exist");
            }
            world.update();
            let start = Instant::now();
            world.restore(&then);
            black_box(start.elapsed());
        });
        let mut back = f64::INFINITY;
        for _ in 0..ROUNDS {
            world.set_poses(&steps[1]).expect("all bodies exist");
            world.update();
            back = back.min(least(1, || world.restore(&then)));
        }
        println!("  back by one update: {back:.2} ms; update and back {restore:.2} ms");
    }
    // What a world costs that shares nothing.
    let bytes = world.to_bytes();
    let then = world.snapshot();
    println!("whole world anew: {:.1} ms", least(5, || drop(black_box(then.to_world()))));
    println!("hash: {:.2} ms", least(5, || _ = black_box(world.hash())));
    println!("to bytes: {:.1} ms", least(5, || drop(black_box(world.to_bytes()))));
    println!("from bytes: {:.1} ms", least(5, || drop(black_box(World::from_bytes(&bytes)))));
    println!("{:.1} MB, {} contacts", bytes.len() as f64 / 1e6, world.contacts().len());
    println!("clone: {:.2} ms", least(5, || drop(black_box(world.clone()))));
}
