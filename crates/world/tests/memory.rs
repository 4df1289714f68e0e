//! Steady updates ask for hardly any memory, on one thread and on two.
#![allow(clippy::unwrap_used, reason = "test code")]

mod common;

use std::alloc::System;

use common::Rng;
use impinge_shapes::glam::Vec3;
use impinge_shapes::{Pose, Shape};
use impinge_world::{Body, BodyId, World};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

/// Counts what all threads ask for.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Bodies that tremble around their places.
struct Scene {
    rng: Rng,
    world: World,
    places: Vec<(BodyId, Vec3)>,
    /// Kept, so that the moves themselves ask for no memory.
    poses: Vec<(BodyId, Pose)>,
}

impl Scene {
    /// With capsules, some depths are found by polytopes, which ask for memory.
    fn new(count: usize, capsules: bool, slots: bool) -> Self {
        let mut rng = Rng::new(77);
        let mut world = World::new();
        world.set_slots(slots);
        world.insert(Body::fixed(Shape::half_space(Vec3::Y, -9.0).unwrap())).unwrap();
        let side = 0.9 * (count as f32).cbrt();
        let places = (0..count).map(|i| {
            let shape = match i % 3 {
                0 => Shape::cuboid(Vec3::splat(0.5)).unwrap(),
                1 if capsules => Shape::capsule_along_y(0.25, 0.375).unwrap(),
                _ => Shape::sphere(0.5).unwrap(),
            };
            let place = rng.vec(-side, side);
            let gate = i % 50 == 0;
            (world.insert(Body::moving(shape).at(place).sensor(gate)).unwrap(), place)
        });
        let places = places.collect();
        Self { rng, world, places, poses: Vec::new() }
    }

    /// Moves one body of every so many; returns how often and for how many bytes the update asked.
    fn step(&mut self, every: usize) -> (usize, usize) {
        self.poses.clear();
        for (id, place) in self.places.iter().step_by(every) {
            let at = *place + self.rng.vec(-0.02, 0.02);
            self.poses.push((*id, Pose::from_position(at).unwrap()));
        }
        self.world.set_poses(&self.poses).unwrap();
        let region = Region::new(ALLOCATOR);
        self.world.update();
        let asked = region.change();
        (asked.allocations + asked.reallocations, asked.bytes_allocated)
    }
}

#[test]
fn steady_updates_reuse_their_memory() {
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            for (capsules, slots) in [(false, false), (false, true), (true, true)] {
                let mut scene = Scene::new(6000, capsules, slots);
                for every in [1, 50, 10_000] {
                    for _ in 0..30 {
                        scene.step(every);
                    }
                    let (mut times, mut bytes): (Vec<_>, Vec<_>) =
                        (0..21).map(|_| scene.step(every)).unzip();
                    times.sort_unstable();
                    bytes.sort_unstable();
                    let case = format!(
                        "{threads} threads, {capsules} {slots} {every}: {times:?} {bytes:?}"
                    );
                    assert!(scene.world.contacts().len() > 2000, "{case}");
                    // What sorts pairs when all move is made anew, and so are some short lists.
                    let most = if every == 1 { (60, 200_000) } else { (8, 8_000) };
                    assert!(times[10] <= most.0 && bytes[10] <= most.1, "{case}");
                    // Now and then a list or a page of contacts grows.
                    assert!(times[20] <= 100 && bytes[20] <= 400_000, "{case}");
                }
            }
        });
    }
}
