//! Instructions of kernels, of the pair search, of whole updates and of rays: the same number on a
//! busy machine as on a quiet one. Counted by valgrind, which shows AVX2 at most; see `README.md`.
//!
//! Answers are not checked here: `kernels`, `broad_phase`, `update` and `queries` do so on the same
//! cases.

#![expect(
    missing_docs,
    unused_qualifications,
    reason = "the macros of gungraun make modules and repeat paths"
)]

use std::hint::black_box;

use gungraun::prelude::*;
use impinge_benches::{
    SEED, moving_bounds, moving_poses,
    near::{self, Case, Kind},
    world,
};
use impinge_broadphase::{BroadPhase, Mobility};
use impinge_narrowphase::batch::{self, PairRef, RayRef};
use impinge_narrowphase::{self as narrow, Closest};
use impinge_shapes::simd::simd_level;
use impinge_shapes::{Aabb, Pose, RayOptions, ShapeRayHit};
use impinge_testkit::scenes::{self, QueryShape, RayCase, Scene, SceneKind, SweepCase};
use impinge_world::{BodyId, RayHit, RayQuery, SweepHit, SweepQuery, World};
use rayon::ThreadPoolBuilder;

/// Pairs of each kernel; counts are of all of them.
const PAIRS: usize = 256;

/// Bodies of the scenes.
const BODIES: usize = 10_000;

/// Updates before the one that is counted.
const STEPS: usize = 2;

/// Rays or sweeps of a batch.
const QUERIES: usize = 1_000;

/// Work on other threads would not be counted.
fn one_thread() {
    let pool = ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("each count has a process of its own");
}

fn cases(kind: Kind) -> Vec<Case> {
    near::pairs(kind, PAIRS, SEED)
}

fn references(cases: &[Case]) -> Vec<PairRef<'_>> {
    cases.iter().map(|Case { a, pose_a, b, pose_b, .. }| PairRef { a, pose_a, b, pose_b }).collect()
}

#[library_benchmark(setup = cases)]
#[bench::box_box(Kind::BoxBox)]
#[bench::box_sphere(Kind::BoxSphere)]
#[bench::sphere_sphere(Kind::SphereSphere)]
#[bench::capsule_capsule(Kind::CapsuleCapsule)]
#[bench::capsule_box(Kind::CapsuleBox)]
#[bench::hull_hull(Kind::HullHull)]
fn overlaps(cases: Vec<Case>) -> usize {
    let overlap = |case: &&Case| narrow::overlaps(&case.a, &case.pose_a, &case.b, &case.pose_b);
    black_box(&cases).iter().filter(overlap).count()
}

#[library_benchmark(setup = cases)]
#[bench::box_box(Kind::BoxBox)]
#[bench::box_sphere(Kind::BoxSphere)]
#[bench::sphere_sphere(Kind::SphereSphere)]
#[bench::capsule_capsule(Kind::CapsuleCapsule)]
#[bench::capsule_box(Kind::CapsuleBox)]
#[bench::hull_hull(Kind::HullHull)]
fn closest(cases: Vec<Case>) -> Vec<Option<Closest>> {
    let limit = f32::INFINITY;
    let nearest =
        |case: &Case| narrow::closest(&case.a, &case.pose_a, &case.b, &case.pose_b, limit);
    black_box(&cases).iter().map(nearest).collect()
}

#[library_benchmark(setup = cases)]
#[bench::box_box(Kind::BoxBox)]
#[bench::box_sphere(Kind::BoxSphere)]
#[bench::sphere_sphere(Kind::SphereSphere)]
#[bench::capsule_capsule(Kind::CapsuleCapsule)]
#[bench::capsule_box(Kind::CapsuleBox)]
#[bench::hull_hull(Kind::HullHull)]
fn manifold(cases: Vec<Case>) -> usize {
    let touch = |case: &&Case| {
        narrow::manifold(&case.a, &case.pose_a, &case.b, &case.pose_b, 0.0).is_some()
    };
    black_box(&cases).iter().filter(touch).count()
}

#[library_benchmark(setup = cases)]
#[bench::ray_box(Kind::RayBox)]
#[bench::ray_sphere(Kind::RaySphere)]
#[bench::ray_triangle(Kind::RayTriangle)]
fn raycast(cases: Vec<Case>) -> Vec<Option<ShapeRayHit>> {
    let options = RayOptions::default();
    let hit = |case: &Case| case.a.raycast(&case.pose_a, &case.ray, 10.0, &options);
    black_box(&cases).iter().map(hit).collect()
}

#[library_benchmark(setup = cases)]
#[bench::box_box(Kind::BoxBox)]
#[bench::box_sphere(Kind::BoxSphere)]
#[bench::sphere_sphere(Kind::SphereSphere)]
#[bench::capsule_capsule(Kind::CapsuleCapsule)]
#[bench::capsule_box(Kind::CapsuleBox)]
#[bench::hull_hull(Kind::HullHull)]
fn overlaps_batch(cases: Vec<Case>) -> Vec<bool> {
    let mut found = Vec::new();
    batch::overlaps(&references(black_box(&cases)), simd_level(), &mut found);
    found
}

#[library_benchmark(setup = cases)]
#[bench::box_box(Kind::BoxBox)]
#[bench::box_sphere(Kind::BoxSphere)]
#[bench::sphere_sphere(Kind::SphereSphere)]
#[bench::capsule_capsule(Kind::CapsuleCapsule)]
#[bench::capsule_box(Kind::CapsuleBox)]
#[bench::hull_hull(Kind::HullHull)]
fn closest_batch(cases: Vec<Case>) -> Vec<Option<Closest>> {
    let mut found = Vec::new();
    batch::closest(&references(black_box(&cases)), f32::INFINITY, simd_level(), &mut found);
    found
}

#[library_benchmark(setup = cases)]
#[bench::box_box(Kind::BoxBox)]
#[bench::box_sphere(Kind::BoxSphere)]
#[bench::sphere_sphere(Kind::SphereSphere)]
#[bench::capsule_capsule(Kind::CapsuleCapsule)]
#[bench::capsule_box(Kind::CapsuleBox)]
#[bench::hull_hull(Kind::HullHull)]
fn manifolds_batch(cases: Vec<Case>) -> usize {
    let mut found = Vec::new();
    batch::manifolds(&references(black_box(&cases)), 0.0, simd_level(), &mut found);
    found.iter().filter(|manifolds| !manifolds.is_empty()).count()
}

#[library_benchmark(setup = cases)]
#[bench::ray_box(Kind::RayBox)]
#[bench::ray_sphere(Kind::RaySphere)]
#[bench::ray_triangle(Kind::RayTriangle)]
fn raycast_batch(cases: Vec<Case>) -> Vec<Option<ShapeRayHit>> {
    let rays: Vec<RayRef<'_>> = black_box(&cases)
        .iter()
        .map(|case| RayRef { ray: &case.ray, shape: &case.a, pose: &case.pose_a })
        .collect();
    let mut found = Vec::new();
    batch::raycast(&rays, 10.0, &RayOptions::default(), simd_level(), &mut found);
    found
}

/// A pair search after two steps of a scene, and what moves in the next one.
fn search((kind, moving): (SceneKind, f32)) -> (BroadPhase, Vec<(u32, Aabb)>) {
    one_thread();
    let scene = scenes::build(kind, BODIES, moving, SEED);
    let mut broad_phase = BroadPhase::new();
    for (id, bounds) in (0..).zip(scene.aabbs()) {
        broad_phase.set(id, bounds, Mobility::Moving);
    }
    broad_phase.update();
    let mut steps = moving_bounds(&scene);
    for _ in 0..STEPS {
        broad_phase.set_many(steps.advance());
        broad_phase.update();
    }
    (broad_phase, steps.advance().to_vec())
}

#[library_benchmark(setup = search)]
#[bench::uniform_all((SceneKind::Uniform, 100.0))]
#[bench::uniform_one_in_ten((SceneKind::Uniform, 10.0))]
#[bench::uniform_one_in_a_hundred((SceneKind::Uniform, 1.0))]
#[bench::stack_all((SceneKind::Stack, 100.0))]
#[bench::stack_one_in_a_hundred((SceneKind::Stack, 1.0))]
fn pairs((mut broad_phase, moves): (BroadPhase, Vec<(u32, Aabb)>)) -> BroadPhase {
    broad_phase.set_many(black_box(&moves));
    broad_phase.update();
    broad_phase
}

/// A world after two steps of a scene, and what moves in the next one.
fn moved_world((kind, moving): (SceneKind, f32)) -> (World, Vec<(BodyId, Pose)>) {
    one_thread();
    let scene = scenes::build(kind, BODIES, moving, SEED);
    let (mut world, ids) = world(&scene);
    world.update();
    let mut steps = moving_poses(&scene, &ids);
    for _ in 0..STEPS {
        world.set_poses(steps.advance()).expect("no body was removed");
        world.update();
    }
    (world, steps.advance().to_vec())
}

#[library_benchmark(setup = moved_world)]
#[bench::uniform_all((SceneKind::Uniform, 100.0))]
#[bench::uniform_one_in_ten((SceneKind::Uniform, 10.0))]
#[bench::uniform_one_in_a_hundred((SceneKind::Uniform, 1.0))]
#[bench::stack_all((SceneKind::Stack, 100.0))]
#[bench::stack_one_in_a_hundred((SceneKind::Stack, 1.0))]
fn update((mut world, moves): (World, Vec<(BodyId, Pose)>)) -> World {
    world.set_poses(black_box(&moves)).expect("no body was removed");
    world.update();
    world
}

/// A world at rest and the scene that it holds.
fn resting(kind: SceneKind) -> (World, Scene) {
    one_thread();
    let scene = scenes::build(kind, BODIES, 100.0, SEED);
    let (mut world, _) = world(&scene);
    world.update();
    (world, scene)
}

fn rays_through(kind: SceneKind) -> (World, Vec<RayCase>) {
    let (world, scene) = resting(kind);
    let rays = scene.rays(QUERIES, SEED);
    (world, rays)
}

#[library_benchmark(setup = rays_through)]
#[bench::uniform(SceneKind::Uniform)]
#[bench::stack(SceneKind::Stack)]
fn rays((mut world, cases): (World, Vec<RayCase>)) -> Vec<Option<RayHit>> {
    let rays: Vec<RayQuery<'_>> =
        black_box(&cases).iter().map(|case| RayQuery::new(case.ray, case.max_distance)).collect();
    let mut found = Vec::new();
    world.queries().raycast_batch(&rays, &mut found);
    found
}

fn sweeps_through((kind, shape): (SceneKind, QueryShape)) -> (World, Vec<SweepCase>) {
    let (world, scene) = resting(kind);
    let sweeps = scene.sweeps(shape, QUERIES, SEED);
    (world, sweeps)
}

#[library_benchmark(setup = sweeps_through)]
#[bench::uniform_sphere((SceneKind::Uniform, QueryShape::Sphere))]
#[bench::uniform_box((SceneKind::Uniform, QueryShape::Cuboid))]
#[bench::stack_box((SceneKind::Stack, QueryShape::Cuboid))]
fn sweeps((mut world, cases): (World, Vec<SweepCase>)) -> Vec<Option<SweepHit>> {
    let sweeps: Vec<SweepQuery<'_>> = black_box(&cases)
        .iter()
        .map(|case| SweepQuery::new(&case.shape, case.pose, case.displacement))
        .collect();
    let mut found = Vec::new();
    world.queries().sweep_batch(&sweeps, &mut found);
    found
}

library_benchmark_group!(name = kernels, benchmarks = [overlaps, closest, manifold, raycast]);
library_benchmark_group!(
    name = batches,
    benchmarks = [overlaps_batch, closest_batch, manifolds_batch, raycast_batch]
);
library_benchmark_group!(name = updates, benchmarks = [pairs, update]);
library_benchmark_group!(name = queries, benchmarks = [rays, sweeps]);

gungraun::main!(library_benchmark_groups = [kernels, batches, updates, queries]);
