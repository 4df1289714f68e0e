//! Batches of queries over resting bodies.

use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use impinge_benches::{MEASUREMENT, SAMPLES, SEED, WARM_UP, quick, sizes, world};
use impinge_narrowphase::{self as narrow, SweepOptions};
use impinge_shapes::RayOptions;
use impinge_testkit::scenes::{
    self, OverlapCase, QueryShape, RayCase, Scene, SceneBody, SceneKind, SweepCase,
};
use impinge_world::{ClosestQuery, Hits, OverlapQuery, Queries, RayQuery, SweepQuery};

/// How many queries are also put to every single body.
const SAMPLE: usize = 20;

type Group<'a> = BenchmarkGroup<'a, WallTime>;

/// Number of bodies that a test hits.
fn count(scene: &Scene, test: impl Fn(&SceneBody) -> bool) -> usize {
    scene.bodies.iter().filter(|body| test(body)).count()
}

/// Panics unless a sample of queries finds what a search through all bodies finds, and some of
/// all queries find something and some nothing.
fn check(found: &[usize], naive: impl Fn(usize) -> usize) {
    for (query, &found) in found.iter().enumerate().take(SAMPLE) {
        assert_eq!(found, naive(query), "query {query}");
    }
    let hits = found.iter().filter(|&&found| found > 0).count();
    assert!(hits > 0 && hits < found.len(), "{hits} of {}", found.len());
}

fn rays(group: &mut Group<'_>, bodies: usize, scene: &Scene, queries: &Queries<'_>) {
    let cases = scene.rays(if quick() { 100 } else { 1_000 }, SEED);
    let query = |case: &RayCase| RayQuery::new(case.ray, case.max_distance);
    let rays: Vec<RayQuery<'_>> = cases.iter().map(query).collect();
    let (mut first, mut any, mut all) = (Vec::new(), Vec::new(), Hits::new());
    queries.raycast_batch(&rays, &mut first);
    queries.raycast_any_batch(&rays, &mut any);
    queries.raycast_all_batch(&rays, &mut all);
    let found: Vec<usize> = all.iter().map(<[_]>::len).collect();
    check(&found, |query| {
        let RayCase { ray, max_distance } = &cases[query];
        let options = RayOptions::default();
        count(scene, |body| body.shape.raycast(&body.pose, ray, *max_distance, &options).is_some())
    });
    for query in 0..rays.len() {
        assert_eq!(first[query].as_ref(), all[query].first(), "query {query}");
        assert_eq!(any[query], !all[query].is_empty(), "query {query}");
    }
    group.throughput(Throughput::Elements(rays.len() as u64));
    group.bench_function(BenchmarkId::new("raycast", bodies), |b| {
        b.iter(|| queries.raycast_batch(&rays, &mut first));
    });
    group.bench_function(BenchmarkId::new("raycast any", bodies), |b| {
        b.iter(|| queries.raycast_any_batch(&rays, &mut any));
    });
    group.bench_function(BenchmarkId::new("raycast all", bodies), |b| {
        b.iter(|| queries.raycast_all_batch(&rays, &mut all));
    });
}

fn sweeps(group: &mut Group<'_>, bodies: usize, scene: &Scene, queries: &Queries<'_>) {
    for (name, shape) in [("sweep sphere", QueryShape::Sphere), ("sweep box", QueryShape::Cuboid)] {
        let cases = scene.sweeps(shape, if quick() { 100 } else { 500 }, SEED);
        let sweeps: Vec<SweepQuery<'_>> = cases
            .iter()
            .map(|case| SweepQuery::new(&case.shape, case.pose, case.displacement))
            .collect();
        let mut hits = Vec::new();
        queries.sweep_batch(&sweeps, &mut hits);
        let found: Vec<usize> = hits.iter().map(|hit| usize::from(hit.is_some())).collect();
        check(&found, |query| {
            let SweepCase { shape, pose, displacement } = &cases[query];
            let options = SweepOptions::default();
            let hits = count(scene, |body| {
                narrow::sweep(shape, pose, *displacement, &body.shape, &body.pose, &options)
                    .is_some()
            });
            hits.min(1)
        });
        group.throughput(Throughput::Elements(sweeps.len() as u64));
        group.bench_function(BenchmarkId::new(name, bodies), |b| {
            b.iter(|| queries.sweep_batch(&sweeps, &mut hits));
        });
    }
}

fn overlaps(group: &mut Group<'_>, bodies: usize, scene: &Scene, queries: &Queries<'_>) {
    let kinds = [("overlap sphere", QueryShape::Sphere), ("overlap box", QueryShape::Cuboid)];
    for (name, shape) in kinds {
        let cases = scene.overlaps(shape, if quick() { 100 } else { 1_000 }, SEED);
        let overlaps: Vec<OverlapQuery<'_>> =
            cases.iter().map(|case| OverlapQuery::new(&case.shape, case.pose)).collect();
        let mut hits = Hits::new();
        queries.overlap_batch(&overlaps, &mut hits);
        let found: Vec<usize> = hits.iter().map(<[_]>::len).collect();
        check(&found, |query| {
            let OverlapCase { shape, pose } = &cases[query];
            count(scene, |body| narrow::overlaps(shape, pose, &body.shape, &body.pose))
        });
        group.throughput(Throughput::Elements(overlaps.len() as u64));
        group.bench_function(BenchmarkId::new(name, bodies), |b| {
            b.iter(|| queries.overlap_batch(&overlaps, &mut hits));
        });
    }
}

fn closest(group: &mut Group<'_>, bodies: usize, scene: &Scene, queries: &Queries<'_>) {
    let cases = scene.overlaps(QueryShape::Sphere, if quick() { 100 } else { 500 }, SEED);
    let reach = 0.25;
    let near: Vec<ClosestQuery<'_>> =
        cases.iter().map(|case| ClosestQuery::new(&case.shape, case.pose, reach)).collect();
    let mut hits = Vec::new();
    queries.closest_batch(&near, &mut hits);
    let found: Vec<usize> = hits.iter().map(|hit| usize::from(hit.is_some())).collect();
    check(&found, |query| {
        let OverlapCase { shape, pose } = &cases[query];
        let near = |body: &SceneBody| {
            narrow::closest(shape, pose, &body.shape, &body.pose, reach).is_some()
        };
        count(scene, near).min(1)
    });
    group.throughput(Throughput::Elements(near.len() as u64));
    group.bench_function(BenchmarkId::new("closest", bodies), |b| {
        b.iter(|| queries.closest_batch(&near, &mut hits));
    });
}

fn all(criterion: &mut Criterion) {
    for kind in [SceneKind::Uniform, SceneKind::Plain, SceneKind::Mixed] {
        let mut group = criterion.benchmark_group(format!("queries/{kind}"));
        for &bodies in sizes() {
            let scene = scenes::build(kind, bodies, 0.0, SEED);
            let (mut world, _) = world(&scene);
            let queries = world.queries();
            rays(&mut group, bodies, &scene, &queries);
            sweeps(&mut group, bodies, &scene, &queries);
            overlaps(&mut group, bodies, &scene, &queries);
            closest(&mut group, bodies, &scene, &queries);
        }
        group.finish();
    }
}

fn settings() -> Criterion {
    Criterion::default().sample_size(SAMPLES).measurement_time(MEASUREMENT).warm_up_time(WARM_UP)
}

criterion_group! { name = benches; config = settings(); targets = all }
criterion_main!(benches);
