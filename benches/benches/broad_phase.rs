//! The broad phase alone: pairs of moving bounds, worst cases, and building the index from nothing.

use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use impinge_benches::{BOXES, MEASUREMENT, SAMPLES, SEED, WARM_UP, moving_bounds, sizes};
use impinge_broadphase::{BroadPhase, Mobility};
use impinge_shapes::Aabb;
use impinge_testkit::{
    naive,
    scenes::{self, SceneKind},
};

fn filled(bounds: &[Aabb]) -> BroadPhase {
    let mut broad_phase = BroadPhase::new();
    for (id, bounds) in (0..).zip(bounds) {
        broad_phase.set(id, *bounds, Mobility::Moving);
    }
    broad_phase
}

/// Panics unless the pairs are those of every box against every other.
fn check(broad_phase: &BroadPhase, bounds: &[Aabb]) {
    let reference = naive::pairs_sorted(bounds);
    let pairs = broad_phase.pairs().iter().map(|pair| (pair.a, pair.b));
    assert!(pairs.eq(reference.iter().copied()), "of {} pairs some differ", reference.len());
}

/// Steps of a scene, after a look at the pairs of two of them.
fn bench_steps(
    group: &mut BenchmarkGroup<'_, WallTime>,
    kind: SceneKind,
    bodies: usize,
    moving: f32,
) {
    let scene = scenes::build(kind, bodies, moving, SEED);
    let mut broad_phase = filled(&scene.aabbs());
    broad_phase.update();
    check(&broad_phase, &scene.aabbs());
    let mut steps = moving_bounds(&scene);
    broad_phase.set_many(steps.advance());
    broad_phase.update();
    check(&broad_phase, &scene.aabbs_at(1));
    group.bench_function(BenchmarkId::new(format!("{moving} % move"), bodies), |b| {
        b.iter(|| {
            broad_phase.set_many(steps.advance());
            broad_phase.update()
        });
    });
}

fn pairs(criterion: &mut Criterion) {
    for kind in BOXES {
        let mut group = criterion.benchmark_group(format!("pairs/{kind}"));
        for &bodies in sizes() {
            group.throughput(Throughput::Elements(bodies as u64));
            for moving in [100.0, 10.0, 1.0] {
                bench_steps(&mut group, kind, bodies, moving);
            }
        }
        group.finish();
    }
}

/// Worst cases: where all boxes move, where few do, and where all come and go at once.
fn worst_cases(criterion: &mut Criterion) {
    for kind in SceneKind::HARD.into_iter().chain([SceneKind::GiantGround]) {
        let mut group = criterion.benchmark_group(format!("worst cases/{kind}"));
        // Each of a spot's boxes has all others as its pairs.
        for &bodies in sizes().iter().filter(|&&bodies| kind != SceneKind::Spot || bodies <= 1_000)
        {
            group.throughput(Throughput::Elements(bodies as u64));
            for moving in [100.0, 1.0] {
                bench_steps(&mut group, kind, bodies, moving);
            }
            let bounds = scenes::build(kind, bodies, 0.0, SEED).aabbs();
            group.bench_function(BenchmarkId::new("all come and go", bodies), |b| {
                b.iter(|| {
                    let mut broad_phase = filled(&bounds);
                    broad_phase.update();
                    for (id, _) in (0..).zip(&bounds) {
                        broad_phase.remove(id);
                    }
                    assert_eq!(broad_phase.update().removed, bounds.len());
                });
            });
        }
        group.finish();
    }
}

fn build(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("build");
    for &bodies in sizes() {
        let bounds = scenes::build(SceneKind::Uniform, bodies, 0.0, SEED).aabbs();
        group.throughput(Throughput::Elements(bodies as u64));
        group.bench_function(BenchmarkId::new("index", bodies), |b| {
            b.iter(|| {
                let mut broad_phase = filled(&bounds);
                broad_phase.update_index();
                assert_eq!(broad_phase.index().len(), bodies);
            });
        });
    }
    group.finish();
}

fn settings() -> Criterion {
    Criterion::default().sample_size(SAMPLES).measurement_time(MEASUREMENT).warm_up_time(WARM_UP)
}

criterion_group! { name = benches; config = settings(); targets = pairs, worst_cases, build }
criterion_main!(benches);
