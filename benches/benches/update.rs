//! Whole updates of a world: bounds, pairs, manifolds and events.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use impinge_benches::{BOXES, MEASUREMENT, SAMPLES, SEED, WARM_UP, moving_poses, sizes, world};
use impinge_narrowphase as narrow;
use impinge_testkit::{
    naive,
    scenes::{self, Scene, SceneKind},
};
use impinge_world::World;

/// Panics unless the contacts are those of every pair of bounds, tested.
fn check(world: &World, scene: &Scene, step: u32) {
    let touches = |&(a, b): &(u32, u32)| {
        let (a, b) = (&scene.bodies[a as usize], &scene.bodies[b as usize]);
        // Two fixed bodies make no contact.
        !(a.fixed && b.fixed)
            && narrow::overlaps(&a.shape, &a.pose_at(step), &b.shape, &b.pose_at(step))
    };
    let near = naive::pairs_sorted(&scene.aabbs_at(step));
    assert_eq!(world.contacts().len(), near.iter().filter(|pair| touches(pair)).count());
}

fn update(criterion: &mut Criterion) {
    for kind in BOXES.into_iter().chain([SceneKind::GiantGround]) {
        let mut group = criterion.benchmark_group(format!("update/{kind}"));
        for &bodies in sizes() {
            group.throughput(Throughput::Elements(bodies as u64));
            for moving in [100.0, 10.0] {
                let scene = scenes::build(kind, bodies, moving, SEED);
                let (mut world, ids) = world(&scene);
                world.update();
                check(&world, &scene, 0);
                let mut steps = moving_poses(&scene, &ids);
                world.set_poses(steps.advance()).expect("no body was removed");
                world.update();
                check(&world, &scene, 1);
                group.bench_function(BenchmarkId::new(format!("{moving} % move"), bodies), |b| {
                    b.iter(|| {
                        world.set_poses(steps.advance()).expect("no body was removed");
                        world.update()
                    });
                });
            }
        }
        group.finish();
    }
}

fn settings() -> Criterion {
    Criterion::default().sample_size(SAMPLES).measurement_time(MEASUREMENT).warm_up_time(WARM_UP)
}

criterion_group! { name = benches; config = settings(); targets = update }
criterion_main!(benches);
