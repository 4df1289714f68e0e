//! Answers do not depend on how bodies came to where they are.

use std::fmt::Debug;

use impinge_shapes::glam::{Quat, Vec3, vec3};
use impinge_shapes::{Pose, Ray, Shape};
use impinge_world::{
    Body, BodyId, ClosestQuery, Filter, Hits, OverlapQuery, Queries, RayQuery, SweepQuery, World,
};

use crate::common::Rng;

/// A world with these bodies; `moved` ones came there step by step, so that the index gives them
/// room.
fn world(bodies: &[(Shape, Pose)], moved: bool) -> World {
    let mut world = World::new();
    let insert = |(shape, pose): &(Shape, Pose)| {
        world.insert(Body::moving(shape.clone()).pose(*pose)).unwrap()
    };
    let ids: Vec<BodyId> = bodies.iter().map(insert).collect();
    world.update();
    if moved {
        for step in [-0.04, -0.03, -0.02, -0.01, 0.0] {
            for (id, (_, pose)) in ids.iter().zip(bodies) {
                let at = pose.position() + Vec3::splat(step);
                world.set_pose(*id, Pose::new(at, pose.rotation()).unwrap()).unwrap();
            }
            world.update();
        }
    }
    world
}

/// All that can be asked about a shape here, each single answer beside that of a batch and the first
/// of the list.
fn answers(queries: &Queries<'_>, shape: &Shape, pose: &Pose, way: Vec3, max: f32) -> Vec<String> {
    let mut answers = Vec::new();
    let closest = ClosestQuery::new(shape, *pose, max);
    let first = queries.closest_with(&closest);
    let (mut all, mut firsts, mut any, mut lists) =
        (Vec::new(), Vec::new(), Vec::new(), Hits::new());
    queries.closest_all_with(&closest, &mut all);
    queries.closest_batch(&[closest], &mut firsts);
    queries.closest_any_batch(&[closest], &mut any);
    queries.closest_all_batch(&[closest], &mut lists);
    let anyhow = queries.closest_any_with(&closest);
    agree("closest", &mut answers, (first, &all, anyhow), (&firsts, &lists[0], &any));

    let sweep = SweepQuery::new(shape, *pose, way);
    let first = queries.sweep_with(&sweep);
    let (mut all, mut firsts, mut lists) = (Vec::new(), Vec::new(), Hits::new());
    queries.sweep_all_with(&sweep, &mut all);
    queries.sweep_batch(&[sweep], &mut firsts);
    queries.sweep_any_batch(&[sweep], &mut any);
    queries.sweep_all_batch(&[sweep], &mut lists);
    let anyhow = queries.sweep_any_with(&sweep);
    agree("sweep", &mut answers, (first, &all, anyhow), (&firsts, &lists[0], &any));

    let overlaps = queries.overlap(shape, pose, &Filter::default());
    let mut lists = Hits::new();
    queries.overlap_batch(&[OverlapQuery::new(shape, *pose)], &mut lists);
    assert_eq!(overlaps, &lists[0]);
    // Without a way it is an overlap test.
    let mut hits = Vec::new();
    queries.sweep_all_with(&SweepQuery::new(shape, *pose, Vec3::ZERO), &mut hits);
    let mut swept: Vec<BodyId> = hits.iter().map(|hit| hit.body).collect();
    swept.sort_unstable();
    assert_eq!(overlaps, swept);
    answers.push(format!("{overlaps:?}"));

    if let Ok(ray) = Ray::new(pose.position(), way) {
        let ray = RayQuery::new(ray, way.length());
        let mut all = Vec::new();
        queries.raycast_all_with(&ray, &mut all);
        let first = queries.raycast_with(&ray);
        assert_eq!(first.as_ref(), all.first());
        answers.push(format!("{all:?}"));
    }
    answers
}

fn agree<T: Debug + PartialEq>(
    what: &str,
    answers: &mut Vec<String>,
    (first, all, any): (Option<T>, &[T], bool),
    (firsts, lists, anys): (&[Option<T>], &[T], &[bool]),
) {
    assert_eq!(first.as_ref(), all.first(), "{what}");
    assert_eq!((&first, any), (&firsts[0], anys[0]), "{what}");
    assert_eq!((all, any), (lists, !all.is_empty()), "{what}");
    answers.push(format!("{what} {all:?}"));
}

#[test]
fn a_gap_that_shapes_count_as_touch_is_told_the_same_whatever_the_history() {
    let gap = 2_f32.powi(-48);
    let (disc, drum) = (Shape::cylinder(0.0, 1.0).unwrap(), Shape::cylinder(1.0, 1.0).unwrap());
    let at = |x, y| Pose::from_position(vec3(x, y, 0.0)).unwrap();
    let bodies = [(disc, at(0.0, gap)), (drum.clone(), at(1.5, 1.0))];
    for max in [0.0, 9.0] {
        let ask = |moved| {
            let mut world = world(&bodies, moved);
            let ids: Vec<BodyId> = world.iter().map(|(id, _)| id).collect();
            let from = ClosestQuery::new(&drum, at(0.75, -1.0), max);
            let found = world.queries().closest_with(&from).unwrap();
            // The other one touches.
            assert_eq!((found.body, found.closest.distance), (ids[1], 0.0));
            answers(&world.queries(), &drum, &at(0.75, -1.0), Vec3::ZERO, max)
        };
        assert_eq!(ask(false), ask(true), "up to {max}");
    }
}

#[test]
fn a_mover_at_rest_over_a_large_plate_hits_what_it_overlaps_whatever_the_history() {
    let plate = Shape::cuboid(vec3(9e4, 1.0, 9e4)).unwrap();
    let mover = Shape::rounded(Shape::cylinder(0.25, 0.25).unwrap(), 0.25).unwrap();
    let bodies = [(plate, Pose::from_position(Vec3::NEG_Y).unwrap())];
    for gap in [0.0, 1e-7, 1.3e-6, 1e-5] {
        let pose = Pose::from_position(vec3(0.0, 0.5 + gap, 0.0)).unwrap();
        let ask = |moved| answers(&world(&bodies, moved).queries(), &mover, &pose, Vec3::ZERO, 0.0);
        assert_eq!(ask(false), ask(true), "gap {gap}");
    }
}

#[test]
fn near_gaps_are_told_the_same_whatever_the_history() {
    let seed = 7;
    println!("seed {seed}");
    let mut rng = Rng::new(seed);
    let (mut touch, mut apart) = (0, 0);
    for _ in 0..4000 {
        let [a, b] = [0.25, 0.0].map(|half| Shape::cylinder(half, 0.5).unwrap());
        let [c, d] = [(0.5, 0.5), (0.0, 1.0)].map(|(half, wide)| Shape::cone(half, wide).unwrap());
        let cube = Shape::cuboid(Vec3::splat(0.5)).unwrap();
        let shapes = [
            Shape::rounded(a.clone(), 0.125).unwrap(),
            Shape::rounded(cube.clone(), 0.25).unwrap(),
            Shape::compound([(Pose::IDENTITY, b.clone())]).unwrap(),
            Shape::sphere(0.5).unwrap(),
            Shape::capsule(Vec3::ZERO, Vec3::X, 0.25).unwrap(),
            a,
            b,
            c,
            d,
            cube,
        ];
        let mut pick = || shapes[rng.below(shapes.len())].clone();
        let (mover, first, second) = (pick(), pick(), pick());
        let turns =
            [Quat::IDENTITY, Quat::from_rotation_x(0.3), Quat::from_xyzw(1.0, 0.0, 0.0, 1.0)];
        let turn = turns[rng.below(turns.len())];
        let lift = 2_f32.powi(-i32::try_from(1 + rng.below(68)).unwrap());
        let lift = if rng.below(2) == 0 { lift } else { -lift };
        // Upper and lower ends of the two, as far as bounds tell.
        let top = |shape: &Shape, turn| shape.aabb(&Pose::new(Vec3::ZERO, turn).unwrap());
        let floor = top(&mover, Quat::IDENTITY).max().y;
        let bodies = [(first, turn), (second, Quat::IDENTITY)].map(|(shape, turn)| {
            let rise = floor - top(&shape, turn).min().y;
            let x = 0.5 - f32::from(u8::try_from(rng.below(3)).unwrap()) / 2.0;
            (shape, Pose::new(vec3(x, rise + lift, 0.0), turn).unwrap())
        });
        let ways = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::NEG_Y, vec3(0.0, lift, 0.0)];
        let (way, max) = (ways[rng.below(5)], [0.0, lift.abs(), 1.0][rng.below(3)]);
        let ask =
            |moved| answers(&world(&bodies, moved).queries(), &mover, &Pose::IDENTITY, way, max);
        let fresh = ask(false);
        assert_eq!(fresh, ask(true), "{mover:?} {bodies:?} {way} {max}");
        *(if fresh[0].contains("[]") { &mut apart } else { &mut touch }) += 1;
    }
    assert!(touch > 500 && apart > 200, "{touch} {apart}");
}
