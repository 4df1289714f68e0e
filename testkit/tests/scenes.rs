//! The broad phase on every scene, against the naive searches.

use impinge_broadphase::{BroadPhase, Mobility};
use impinge_shapes::{Aabb, RayOptions};
use impinge_testkit::{
    naive,
    scenes::{Scene, SceneKind, build},
};

fn fill(scene: &Scene) -> BroadPhase {
    let mut phase = BroadPhase::new();
    for ((id, body), bounds) in (0_u32..).zip(&scene.bodies).zip(scene.aabbs()) {
        phase.set(id, bounds, if body.fixed { Mobility::Fixed } else { Mobility::Moving });
    }
    phase
}

/// Pairs of which at least one body is not fixed.
fn expected_pairs(scene: &Scene, boxes: &[Aabb]) -> Vec<(u32, u32)> {
    let mut pairs = naive::pairs_sorted(boxes);
    let fixed = |id: u32| scene.bodies[id as usize].fixed;
    pairs.retain(|&(a, b)| !(fixed(a) && fixed(b)));
    pairs
}

#[test]
fn pairs_of_every_scene_step_by_step() {
    for kind in SceneKind::every() {
        for moving_percent in [100.0, 10.0, 1.0] {
            let scene = build(kind, 1_500, moving_percent, 42);
            let mut phase = fill(&scene);
            for step in [0, 1, 2, 3, 40] {
                let boxes = scene.aabbs_at(step);
                let moved: Vec<(u32, Aabb)> = scene
                    .poses_at(step)
                    .filter_map(|(index, _)| Some((u32::try_from(index).ok()?, boxes[index])))
                    .collect();
                phase.set_many(&moved);
                phase.update();
                let found: Vec<(u32, u32)> = phase.pairs().iter().map(|p| (p.a, p.b)).collect();
                let expected = expected_pairs(&scene, &boxes);
                assert!(found == expected, "{kind} at {moving_percent} %, step {step}");
                assert!(
                    expected.len() > 100 || kind == SceneKind::Pruning,
                    "{kind}: {}",
                    expected.len()
                );
            }
        }
    }
}

#[test]
fn the_closest_ray_hit_of_every_scene() {
    for kind in SceneKind::ALL {
        let scene = build(kind, 1_000, 0.0, 42);
        let mut phase = fill(&scene);
        phase.update();
        let (mut hits, mut misses) = (0, 0);
        for case in scene.rays(300, 5) {
            let cast = |id: usize| {
                let body = &scene.bodies[id];
                body.shape.raycast(&body.pose, &case.ray, case.max_distance, &RayOptions::default())
            };
            let expected = naive::query_closest(scene.bodies.len(), cast, |hit| hit.distance);
            let mut found: Option<(usize, f32)> = None;
            let (origin, direction) = (case.ray.origin(), case.ray.direction());
            phase.index().ray(origin, direction, case.max_distance, |id, _| {
                let id = id as usize;
                if let Some(hit) = cast(id) {
                    let better = found.is_none_or(|(best, distance)| {
                        hit.distance < distance || hit.distance <= distance && id < best
                    });
                    if better {
                        found = Some((id, hit.distance));
                    }
                }
                found.map_or(case.max_distance, |(_, distance)| distance)
            });
            let expected = expected.map(|(id, hit)| (id, hit.distance));
            assert_eq!(found, expected, "{kind}: {case:?}");
            if found.is_some() { hits += 1 } else { misses += 1 }
        }
        assert!(hits > 20 && (misses > 20 || kind == SceneKind::Stack), "{kind}: {hits} {misses}");
    }
}
