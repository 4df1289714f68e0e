//! Instructions of kernels and of the pair search: the same number on a busy machine as on a quiet
//! one. Counted by valgrind, which shows AVX2 at most; see `README.md`.
//!
//! Answers are not checked here: `kernels` and `broad_phase` do so on the same cases.

#![expect(
    missing_docs,
    unused_qualifications,
    reason = "the macros of gungraun make modules and repeat paths"
)]

use std::hint::black_box;

use gungraun::prelude::*;
use impinge_benches::{
    SEED, moving_bounds,
    near::{self, Case, Kind},
};
use impinge_broadphase::{BroadPhase, Mobility};
use impinge_narrowphase::batch::{self, PairRef, RayRef};
use impinge_narrowphase::{self as narrow, Closest};
use impinge_shapes::simd::simd_level;
use impinge_shapes::{Aabb, RayOptions, ShapeRayHit};
use impinge_testkit::scenes::{self, SceneKind};

/// Pairs of each kernel; counts are of all of them.
const PAIRS: usize = 256;

/// Boxes of the pair search.
const BODIES: usize = 10_000;

fn cases(kind: Kind) -> Vec<Case> {
    near::pairs(kind, PAIRS, SEED)
}

fn references(cases: &[Case]) -> Vec<PairRef<'_>> {
    cases.iter().map(|Case { a, pose_a, b, pose_b, .. }| PairRef { a, pose_a, b, pose_b }).collect()
}

#[library_benchmark(setup = cases)]
#[bench::box_box(Kind::BoxBox)]
#[bench::box_sphere(Kind::BoxSphere)]
#[bench::hull_hull(Kind::HullHull)]
fn overlaps(cases: Vec<Case>) -> usize {
    let overlap = |case: &&Case| narrow::overlaps(&case.a, &case.pose_a, &case.b, &case.pose_b);
    black_box(&cases).iter().filter(overlap).count()
}

#[library_benchmark(setup = cases)]
#[bench::box_box(Kind::BoxBox)]
#[bench::box_sphere(Kind::BoxSphere)]
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
fn overlaps_batch(cases: Vec<Case>) -> Vec<bool> {
    let mut found = Vec::new();
    batch::overlaps(&references(black_box(&cases)), simd_level(), &mut found);
    found
}

#[library_benchmark(setup = cases)]
#[bench::box_box(Kind::BoxBox)]
#[bench::box_sphere(Kind::BoxSphere)]
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
fn search(moving: f32) -> (BroadPhase, Vec<(u32, Aabb)>) {
    let scene = scenes::build(SceneKind::Uniform, BODIES, moving, SEED);
    let mut broad_phase = BroadPhase::new();
    for (id, bounds) in (0..).zip(scene.aabbs()) {
        broad_phase.set(id, bounds, Mobility::Moving);
    }
    broad_phase.update();
    let mut steps = moving_bounds(&scene);
    for _ in 0..2 {
        broad_phase.set_many(steps.advance());
        broad_phase.update();
    }
    (broad_phase, steps.advance().to_vec())
}

#[library_benchmark(setup = search)]
#[bench::all_moving(100.0)]
#[bench::one_percent_moving(1.0)]
fn update((mut broad_phase, moves): (BroadPhase, Vec<(u32, Aabb)>)) -> BroadPhase {
    broad_phase.set_many(black_box(&moves));
    broad_phase.update();
    broad_phase
}

library_benchmark_group!(name = kernels, benchmarks = [overlaps, closest, manifold, raycast]);
library_benchmark_group!(
    name = batches,
    benchmarks = [overlaps_batch, manifolds_batch, raycast_batch]
);
library_benchmark_group!(name = pair_search, benchmarks = [update]);

gungraun::main!(library_benchmark_groups = [kernels, batches, pair_search]);
