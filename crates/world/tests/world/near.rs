//! What is near, in batches: bit for bit the single calls, whatever else is in the batch.

use crate::common::{Rng, move_most, random_world};
use impinge_shapes::glam::Vec3;
use impinge_shapes::{Pose, Shape};
use impinge_world::{
    Body, ClosestBody, ClosestQuery, Filter, Hits, PointQuery, Queries, QueryCounter, World,
};

/// Asks single calls and batches; how many queries found nothing, and how many something.
fn compare(view: Queries<'_>, queries: &[ClosestQuery<'_>], what: &str) -> [usize; 2] {
    let (mut first, mut any, mut all) = (Vec::new(), Vec::new(), Hits::new());
    view.closest_batch(queries, &mut first);
    view.closest_any_batch(queries, &mut any);
    view.closest_all_batch(queries, &mut all);
    let mut found = [0; 2];
    let mut list = Vec::new();
    for (place, query) in queries.iter().enumerate() {
        let single = view.closest_with(query);
        let bits = |found: &Option<ClosestBody>| {
            found.map(|ClosestBody { body, closest }| {
                let [on_a, on_b, normal] = [closest.point_a, closest.point_b, closest.normal];
                let numbers = [on_a, on_b, normal].map(|point| point.to_array().map(f32::to_bits));
                (body, closest.distance.to_bits(), numbers)
            })
        };
        assert_eq!(bits(&first[place]), bits(&single), "{what} {place}");
        assert_eq!(any[place], single.is_some(), "{what} {place}");
        view.closest_all_with(query, &mut list);
        assert_eq!(all.get(place), Some(list.as_slice()), "{what} {place}");
        found[usize::from(single.is_some())] += 1;
    }
    found
}

#[test]
fn batches_among_all_kinds_of_bodies_are_their_single_calls() {
    let mut found = [0; 2];
    for seed in 0..6 {
        let (mut rng, side) = (Rng::new(seed), 8.0);
        let mut world = random_world(&mut rng, 300, side);
        for round in 0..4 {
            let shapes: Vec<Shape> = (0..150).map(|_| rng.shape()).collect();
            let ids: Vec<_> = world.iter().map(|(id, _)| id).collect();
            let queries: Vec<ClosestQuery<'_>> = shapes
                .iter()
                .map(|shape| {
                    let far = match rng.below(6) {
                        0 => f32::INFINITY,
                        1 => f32::NAN,
                        2 => -rng.range(0.0, 0.5),
                        3 => 0.0,
                        _ => rng.range(0.0, 2.0),
                    };
                    let filter = Filter::new().exclude(ids[rng.below(ids.len())]);
                    ClosestQuery::new(shape, rng.pose(side), far).filter(filter)
                })
                .collect();
            let what = format!("seed {seed}, round {round}");
            let [nothing, something] = compare(world.queries(), &queries, &what);
            found = [found[0] + nothing, found[1] + something];
            move_most(&mut rng, &mut world);
        }
    }
    assert!(found.iter().all(|&count| count > 300), "{found:?}");
}

#[test]
fn bodies_at_the_end_of_a_query_and_as_near_as_others_come_as_in_single_calls() {
    let mut world = World::new();
    let shapes = [
        Shape::sphere(0.5).unwrap(),
        Shape::cuboid(Vec3::splat(0.5)).unwrap(),
        Shape::capsule_along_y(0.25, 0.25).unwrap(),
    ];
    let places = || (0..4).flat_map(|x| (0..4).flat_map(move |y| (0..4).map(move |z| [x, y, z])));
    for (number, place) in places().enumerate() {
        let at = Vec3::from_array(place.map(|along| along as f32 * 3.0));
        world.insert(Body::moving(shapes[number % 3].clone()).at(at)).unwrap();
    }
    let mut queries = Vec::new();
    for (number, place) in places().enumerate() {
        // Between two, four or eight bodies, and at some of them.
        let at = Vec3::from_array(place.map(|along| along as f32 * 1.5));
        let pose = Pose::from_position(at).unwrap();
        for far in [0.0, 0.5, 1.0, 2.0_f32.next_down(), 2.0, 2.0_f32.next_up(), 2.5] {
            queries.push(ClosestQuery::new(&shapes[number % 3], pose, far));
        }
    }
    let [nothing, something] = compare(world.queries(), &queries, "lattice");
    assert!(nothing > 50 && something > 150, "{nothing} {something}");
}

#[test]
fn points_in_batches_are_their_single_calls() {
    let (mut rng, side) = (Rng::new(5), 8.0);
    let mut world = random_world(&mut rng, 200, side);
    let queries: Vec<PointQuery<'_>> = (0..300)
        .map(|number| {
            let point = rng.pose(side).position();
            let point = if number % 50 == 7 { point * f32::INFINITY } else { point };
            PointQuery { point, max_distance: rng.range(-0.5, 1.5), filter: Filter::new() }
        })
        .collect();
    let view = world.queries();
    let mut found = Vec::new();
    let [alone, together] = [QueryCounter::default(), QueryCounter::default()];
    view.counting(&together).closest_point_batch(&queries, &mut found);
    let mut counts = [0; 2];
    for (query, found) in queries.iter().zip(&found) {
        let view = view.counting(&alone);
        let single = view.closest_point(query.point, query.max_distance, &query.filter);
        assert_eq!(*found, single, "{query:?}");
        counts[usize::from(single.is_some())] += 1;
    }
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
    assert_eq!(together.candidates(), alone.candidates());
}
