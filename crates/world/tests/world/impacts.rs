//! Times of impact in a world against a loop over all bodies.

use crate::common::{Model, Rng, random_change, random_world};
use impinge_narrowphase::{ImpactOptions, Motion, TimeOfImpact, time_of_impact};
use impinge_shapes::glam::{Vec3, vec3};
use impinge_shapes::{Pose, Shape};
use impinge_world::{Body, Filter, FirstImpact, ImpactQuery, Kinds, World};

/// The first touch of all bodies, in the order of their ids.
fn first_of_all(model: &Model, query: &ImpactQuery<'_>) -> FirstImpact {
    let bounds = query.shape.aabb(&Pose::IDENTITY);
    let no_extent = bounds.min() == bounds.max();
    let options = match query.options.tolerance {
        None if no_extent => ImpactOptions { tolerance: Some(0.0), ..query.options },
        _ => query.options,
    };
    let mut first = FirstImpact::Apart;
    for body in model.seen(&query.filter) {
        let resting = Motion::still(body.pose);
        let found = time_of_impact(&body.shape, &resting, query.shape, &query.motion, &options);
        let TimeOfImpact::Touches(hit) = found else {
            assert_eq!(found, TimeOfImpact::Apart, "enough steps");
            continue;
        };
        if !matches!(first, FirstImpact::Touches(best) if best.fraction <= hit.fraction) {
            first = FirstImpact::Touches(impinge_world::BodyImpact {
                body: body.id,
                fraction: hit.fraction,
                point: hit.point,
                normal: hit.normal,
                started_overlapping: hit.started_overlapping,
                depth: hit.depth,
                part_mover: hit.part_b,
                part: hit.part_a,
            });
        }
    }
    first
}

#[test]
fn times_of_impact_agree_with_a_loop_over_all_bodies() {
    let (mut started, mut later, mut none) = (0, 0, 0);
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let (count, side) = [(1, 2.0), (12, 4.0), (60, 8.0)][rng.below(3)];
        let mut world = random_world(&mut rng, count, side);
        for _ in 0..rng.below(6) {
            random_change(&mut rng, &mut world, side);
        }
        let model = Model::of(&world);
        let shapes: Vec<Shape> = (0..12).map(|_| rng.shape()).collect();
        let queries: Vec<ImpactQuery<'_>> = shapes
            .iter()
            .map(|shape| {
                let turn = if rng.chance(30) { Vec3::ZERO } else { rng.vec(-4.0, 4.0) };
                let motion = Motion::new(rng.pose(side), rng.vec(-side, side), turn).unwrap();
                let center = if rng.chance(50) { Vec3::ZERO } else { rng.vec(-1.0, 1.0) };
                let options = ImpactOptions {
                    tolerance: rng.chance(30).then(|| rng.range(0.0, 0.01)),
                    stop_on_touch: rng.chance(30),
                    skip_started: rng.chance(50),
                    ..ImpactOptions::default()
                };
                let kinds = if rng.chance(30) { Kinds::MOVING } else { Kinds::SOLID };
                ImpactQuery::new(shape, motion.about(center).unwrap())
                    .options(options)
                    .filter(Filter::new().kinds(kinds))
            })
            .collect();
        let view = world.queries();
        let mut batch = Vec::new();
        view.time_of_impact_batch(&queries, &mut batch);
        for (query, of_batch) in queries.iter().zip(batch) {
            let expected = first_of_all(&model, query);
            let found = view.time_of_impact_with(query);
            assert_eq!(found, expected, "seed {seed}: {query:?}");
            assert_eq!(found, of_batch, "seed {seed}");
            match found {
                FirstImpact::Touches(hit) if hit.started_overlapping => started += 1,
                FirstImpact::Touches(_) => later += 1,
                _ => none += 1,
            }
        }
    }
    assert!(started > 50 && later > 100 && none > 100, "{started} {later} {none}");
}

#[test]
fn steps_that_run_out_are_told_and_an_earlier_touch_is_not_withheld() {
    let mut world = World::new();
    let wall = Shape::cuboid(vec3(0.125, 4.0, 4.0)).unwrap();
    let near = world.insert(Body::fixed(wall.clone()).at(vec3(3.0, 0.0, 0.0))).unwrap();
    let rod = Shape::cuboid(vec3(1.0, 0.25, 0.25)).unwrap();
    let motion = Motion::new(Pose::IDENTITY, vec3(9.0, 0.0, 0.0), vec3(0.0, 9.0, 3.0)).unwrap();
    let few = ImpactOptions { max_iterations: 1, ..ImpactOptions::default() };
    let query = ImpactQuery::new(&rod, motion).options(few);
    let FirstImpact::Unconverged { safe } = world.queries().time_of_impact_with(&query) else {
        panic!("one step is not enough")
    };
    let first = world.queries().time_of_impact(&rod, &motion, &Filter::default());
    let FirstImpact::Touches(hit) = first else { panic!("they meet") };
    assert!(hit.body == near && safe <= hit.fraction && hit.normal.x < 0.0, "{hit:?} {safe}");
    // What overlaps at the start comes before all that is not known.
    let there = world.insert(Body::fixed(wall)).unwrap();
    let FirstImpact::Touches(hit) = world.queries().time_of_impact_with(&query) else {
        panic!("they overlap")
    };
    assert!(hit.body == there && hit.started_overlapping && hit.depth > 0.0, "{hit:?}");
}
