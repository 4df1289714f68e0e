//! Tests between two shapes, on near pairs of which about half overlap.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use glam::Vec3;
use impinge_benches::{
    MEASUREMENT, SAMPLES, SEED, WARM_UP,
    near::{self, Case, Kind},
    quick,
};
use impinge_narrowphase::batch::{self, PairRef, PlacedRay, RayRef};
use impinge_narrowphase::{self as narrow, SweepOptions};
use impinge_shapes::simd::simd_level;
use impinge_shapes::{RayOptions, Shape};

fn overlaps(case: &Case) -> bool {
    narrow::overlaps(&case.a, &case.pose_a, &case.b, &case.pose_b)
}

fn closest(case: &Case) -> Option<f32> {
    let Case { a, pose_a, b, pose_b, .. } = case;
    Some(narrow::closest(a, pose_a, b, pose_b, f32::INFINITY)?.distance)
}

fn manifold(case: &Case) -> Option<f32> {
    Some(narrow::manifold(&case.a, &case.pose_a, &case.b, &case.pose_b, 0.0)?.distance())
}

/// The first shape goes past or into the second one.
fn sweep(case: &Case) -> Option<f32> {
    let Case { a, pose_a, b, pose_b, ray } = case;
    let (way, options): (Vec3, _) = (ray.direction() * 2.0, SweepOptions::default());
    Some(narrow::sweep(a, pose_a, way, b, pose_b, &options)?.fraction)
}

fn raycast(case: &Case) -> Option<f32> {
    let hit = case.a.raycast(&case.pose_a, &case.ray, 10.0, &RayOptions::default())?;
    Some(hit.distance)
}

/// A kernel that finds a number or nothing.
type Test = fn(&Case) -> Option<f32>;

/// Panics unless the kernels agree with each other on every pair, and both outcomes occur.
fn check(cases: &[Case]) {
    let overlapping = cases.iter().filter(|case| overlaps(case)).count();
    assert!((cases.len() / 4..cases.len() * 3 / 4).contains(&overlapping), "{overlapping}");
    for case in cases {
        let apart = !overlaps(case);
        assert_eq!(manifold(case).is_none(), apart, "{case:?}");
        assert!(closest(case).is_some_and(|distance| distance >= 0.0 || !apart), "{case:?}");
        assert!(apart || sweep(case).is_some_and(|fraction| fraction <= 0.0), "{case:?}");
    }
}

fn kernels(criterion: &mut Criterion) {
    let count = if quick() { 64 } else { 2048 };
    let kinds = [
        ("box-box", Kind::BoxBox),
        ("box-sphere", Kind::BoxSphere),
        ("capsule-capsule", Kind::CapsuleCapsule),
        ("capsule-box", Kind::CapsuleBox),
        ("sphere-sphere", Kind::SphereSphere),
        ("hull-hull", Kind::HullHull),
    ];
    for (name, kind) in kinds {
        let cases = near::pairs(kind, count, SEED);
        check(&cases);
        let mut group = criterion.benchmark_group(format!("kernels/{name}"));
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function("overlaps", |b| {
            b.iter(|| cases.iter().filter(|case| overlaps(case)).count());
        });
        let tests: [(&str, Test); 3] =
            [("closest", closest), ("manifold", manifold), ("sweep", sweep)];
        for (test_name, test) in tests {
            group.bench_function(test_name, |b| {
                b.iter(|| cases.iter().filter_map(test).sum::<f32>());
            });
        }
        batches(&mut group, &cases);
        group.finish();
    }
}

/// The same pairs in one call each.
fn batches(group: &mut BenchmarkGroup<'_, WallTime>, cases: &[Case]) {
    let pairs: Vec<PairRef<'_>> = cases
        .iter()
        .map(|Case { a, pose_a, b, pose_b, .. }| PairRef { a, pose_a, b, pose_b })
        .collect();
    let level = simd_level();
    let (mut yes, mut nearest, mut contacts) = (Vec::new(), Vec::new(), Vec::new());
    batch::overlaps(&pairs, level, &mut yes);
    batch::closest(&pairs, f32::INFINITY, level, &mut nearest);
    batch::manifolds(&pairs, 0.0, level, &mut contacts);
    for (k, case) in cases.iter().enumerate() {
        assert_eq!(yes[k], overlaps(case), "{case:?}");
        assert_eq!(nearest[k].map(|found| found.distance), closest(case), "{case:?}");
        assert_eq!(contacts[k].first().map(narrow::Manifold::distance), manifold(case), "{case:?}");
    }
    group.bench_function("overlaps, batch", |b| {
        b.iter(|| batch::overlaps(&pairs, level, &mut yes));
    });
    group.bench_function("closest, batch", |b| {
        b.iter(|| batch::closest(&pairs, f32::INFINITY, level, &mut nearest));
    });
    group.bench_function("manifolds, batch", |b| {
        b.iter(|| batch::manifolds(&pairs, 0.0, level, &mut contacts));
    });
}

fn rays(criterion: &mut Criterion) {
    let count = if quick() { 64 } else { 2048 };
    let kinds = [
        ("ray-box", Kind::RayBox),
        ("ray-sphere", Kind::RaySphere),
        ("ray-triangle", Kind::RayTriangle),
    ];
    for (name, kind) in kinds {
        let cases = near::pairs(kind, count, SEED);
        let hits = cases.iter().filter_map(raycast).count();
        assert!((count / 4..count * 3 / 4).contains(&hits), "{hits}");
        let mut group = criterion.benchmark_group(format!("kernels/{name}"));
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function("raycast", |b| {
            b.iter(|| cases.iter().filter_map(raycast).sum::<f32>());
        });
        let rays: Vec<RayRef<'_>> = cases
            .iter()
            .map(|case| RayRef { ray: &case.ray, shape: &case.a, pose: &case.pose_a })
            .collect();
        let (options, mut found) = (RayOptions::default(), Vec::new());
        group.bench_function("raycast, one by one into a list", |b| {
            b.iter(|| {
                found.clear();
                found.extend(
                    cases
                        .iter()
                        .map(|case| case.a.raycast(&case.pose_a, &case.ray, 10.0, &options)),
                );
                found.len()
            });
        });
        let level = simd_level();
        batch::raycast(&rays, 10.0, &options, level, &mut found);
        for (case, found) in cases.iter().zip(&found) {
            assert_eq!(found.map(|hit| hit.distance), raycast(case), "{case:?}");
        }
        group.bench_function("raycast, batch", |b| {
            b.iter(|| batch::raycast(&rays, 10.0, &options, level, &mut found));
        });
        typed_rays(&mut group, &cases);
        group.finish();
    }
}

/// The same rays by the module of their kind, side by side in memory.
fn typed_rays(group: &mut BenchmarkGroup<'_, WallTime>, cases: &[Case]) {
    let (mut boxes, mut spheres, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    for Case { a, pose_a, ray, .. } in cases {
        let (ray, pose) = (*ray, *pose_a);
        match a {
            Shape::Cuboid(shape) => boxes.push(PlacedRay { ray, shape: *shape, pose }),
            Shape::Sphere(shape) => spheres.push(PlacedRay { ray, shape: *shape, pose }),
            Shape::Triangle(shape) => triangles.push(PlacedRay { ray, shape: **shape, pose }),
            _ => {}
        }
    }
    let (options, level, mut found) = (RayOptions::default(), simd_level(), Vec::new());
    group.bench_function("raycast, batch of one kind", |b| {
        b.iter(|| {
            if !boxes.is_empty() {
                batch::ray_cuboid::raycast(&boxes, 10.0, &options, level, &mut found);
            } else if !spheres.is_empty() {
                batch::ray_sphere::raycast(&spheres, 10.0, &options, level, &mut found);
            } else {
                batch::ray_triangle::raycast(&triangles, 10.0, &options, level, &mut found);
            }
            found.len()
        });
    });
}

fn settings() -> Criterion {
    Criterion::default().sample_size(SAMPLES).measurement_time(MEASUREMENT).warm_up_time(WARM_UP)
}

criterion_group! { name = benches; config = settings(); targets = kernels, rays }
criterion_main!(benches);
