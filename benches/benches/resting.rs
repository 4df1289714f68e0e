//! Bodies that rest exactly on a flat floor of triangles: rounding hides what is zero, and every
//! scene has it.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::{Quat, Vec3};
use impinge_benches::{MEASUREMENT, SAMPLES, SEED, WARM_UP, quick};
use impinge_narrowphase::{self as narrow, SweepOptions};
use impinge_shapes::{Pose, Shape};
use impinge_testkit::rng::Rng;

/// Cells along a side of the floor, each 1 wide.
const SIDE: u16 = 8;

/// A flat floor of two triangles a cell.
fn floor() -> Shape {
    let (side, row) = (u32::from(SIDE), u32::from(SIDE) + 1);
    let half = f32::from(SIDE) * 0.5;
    let vertices = (0..row * row).map(|k| {
        let [x, z] = [k % row, k / row].map(|at| at as f32 - half);
        Vec3::new(x, 0.0, z)
    });
    let cells = (0..side * side).map(|k| k / side * row + k % side);
    let triangles = cells.flat_map(|k| [[k, k + row, k + 1], [k + row, k + row + 1, k + 1]]);
    Shape::triangle_mesh(vertices.collect(), triangles.collect()).expect("a floor")
}

/// The bodies, each with the height of its origin where it rests.
fn bodies() -> [(&'static str, Shape, f32); 6] {
    let half = Vec3::splat(0.3);
    let corners: Vec<Vec3> = (0..8)
        .map(|k| Vec3::from([1, 2, 4].map(|bit| if k & bit == 0 { -0.3 } else { 0.3 })))
        .collect();
    let new = "finite and positive";
    [
        ("sphere", Shape::sphere(0.3).expect(new), 0.3),
        ("capsule", Shape::capsule_along_y(0.3, 0.3).expect(new), 0.6),
        ("box", Shape::cuboid(half).expect(new), 0.3),
        ("cylinder", Shape::cylinder(0.3, 0.3).expect(new), 0.3),
        ("cone", Shape::cone(0.3, 0.3).expect(new), 0.3),
        ("hull", Shape::convex_hull(&corners).expect(new), 0.3),
    ]
}

/// Anywhere on the floor, turned around the vertical or not.
fn places(height: f32, turned: bool, count: usize) -> Vec<Pose> {
    let mut rng = Rng::new(SEED);
    let mut place = |_| {
        let at = rng.vec(Vec3::new(-2.0, height, -2.0), Vec3::new(2.0, height, 2.0));
        let turn = Quat::from_rotation_y(if turned { rng.range(-3.0, 3.0) } else { 0.0 });
        Pose::new(Vec3::new(at.x, height, at.z), turn).expect("finite")
    };
    (0..count).map(&mut place).collect()
}

fn resting(criterion: &mut Criterion) {
    let count = if quick() { 16 } else { 256 };
    let (floor, at, options) = (floor(), Pose::IDENTITY, SweepOptions::default());
    for (name, body, height) in bodies() {
        for (way, turned) in [("not turned", false), ("turned", true)] {
            let poses = places(height, turned, count);
            let overlaps = |pose: &Pose| narrow::overlaps(&body, pose, &floor, &at);
            let distance = |pose: &Pose| narrow::distance(&body, pose, &floor, &at);
            let manifold = |pose: &Pose| narrow::manifold(&body, pose, &floor, &at, 0.0);
            let slide = |pose: &Pose| narrow::sweep(&body, pose, Vec3::X, &floor, &at, &options);
            for pose in &poses {
                assert!(overlaps(pose) && manifold(pose).is_some(), "{name} {pose:?}");
                assert!(distance(pose).abs() <= 0.0, "{name} {pose:?}");
                assert!(slide(pose).is_none(), "{name} {pose:?}");
            }
            let mut group = criterion.benchmark_group(format!("resting/{name}, {way}"));
            group.throughput(Throughput::Elements(count as u64));
            group.bench_function("overlaps", |b| {
                b.iter(|| poses.iter().filter(|pose| overlaps(pose)).count());
            });
            group.bench_function("distance", |b| {
                b.iter(|| poses.iter().map(distance).sum::<f32>());
            });
            group.bench_function("manifold", |b| {
                b.iter(|| poses.iter().filter_map(manifold).count());
            });
            group.bench_function("sweep along", |b| {
                b.iter(|| poses.iter().filter_map(slide).count());
            });
            group.finish();
        }
    }
}

fn settings() -> Criterion {
    Criterion::default().sample_size(SAMPLES).measurement_time(MEASUREMENT).warm_up_time(WARM_UP)
}

criterion_group! { name = benches; config = settings(); targets = resting }
criterion_main!(benches);
