//! Filters: a change holds at the next update, and at once in every query.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::Rng;
use impinge_narrowphase::Motion;
use impinge_shapes::glam::Vec3;
use impinge_shapes::{Aabb, Plane, Pose, Ray, Shape};
use impinge_world::{
    AabbQuery, Body, BodyId, BodyKind, ClosestQuery, EventKind, Filter, FirstImpact, Groups, Hits,
    ImpactQuery, Kinds, MovementQuery, OverlapQuery, PlanesQuery, PointQuery, Queries, RayHit,
    RayQuery, SweepQuery, UpdateOptions, World,
};

/// Whether each query of a view, and each batch of them, sees the body at the origin.
fn seen(view: &Queries<'_>, filter: Filter<'_>) -> Vec<(&'static str, bool)> {
    let ball = Shape::sphere(0.5).unwrap();
    let (left, pose) = (Pose::from_position(Vec3::X * -5.0).unwrap(), Pose::IDENTITY);
    let ray = RayQuery::new(Ray::new(Vec3::X * -5.0, Vec3::X).unwrap(), 9.0).filter(filter);
    let sweep = SweepQuery::new(&ball, left, Vec3::X * 9.0).filter(filter);
    let way = Motion::new(left, Vec3::X * 9.0, Vec3::Y).unwrap();
    let impact = ImpactQuery::new(&ball, way).filter(filter);
    let overlap = OverlapQuery::new(&ball, pose).filter(filter);
    let closest = ClosestQuery::new(&ball, left, 9.0).filter(filter);
    let point = PointQuery::new(Vec3::ZERO, 9.0).filter(filter);
    let bounds = Aabb::new(Vec3::splat(-0.1), Vec3::splat(0.1)).unwrap();
    let aabb = AabbQuery::new(bounds).filter(filter);
    let plane = [Plane::new(Vec3::X, 0.0).unwrap()];
    let planes = PlanesQuery::new(&plane).filter(filter);
    let mover = Aabb::new(Vec3::new(-5.0, -1.0, -1.0), Vec3::new(-4.0, 1.0, 1.0)).unwrap();
    let movement = MovementQuery::new(mover, Vec3::X * 9.0).filter(filter);
    let mut all = Vec::new();
    let (mut hits, mut sweeps, mut near) = (Vec::new(), Vec::new(), Vec::new());
    view.raycast_all_with(&ray, &mut hits);
    view.sweep_all_with(&sweep, &mut sweeps);
    view.closest_all_with(&closest, &mut near);
    let split = view.classify_plane(&plane[0], &filter);
    all.push(("raycast", view.raycast_with(&ray).is_some()));
    all.push(("raycast_any", view.raycast_any_with(&ray)));
    all.push(("raycast_all", !hits.is_empty()));
    all.push(("sweep", view.sweep_with(&sweep).is_some()));
    all.push(("sweep_any", view.sweep_any_with(&sweep)));
    all.push(("sweep_all", !sweeps.is_empty()));
    all.push(("time_of_impact", view.time_of_impact_with(&impact) != FirstImpact::Apart));
    all.push(("overlap", !view.overlap(&ball, &pose, &filter).is_empty()));
    all.push(("overlap_any", view.overlap_any_with(&overlap)));
    all.push(("closest", view.closest_with(&closest).is_some()));
    all.push(("closest_any", view.closest_any_with(&closest)));
    all.push(("closest_all", !near.is_empty()));
    all.push(("closest_point", view.closest_point(Vec3::ZERO, 9.0, &filter).is_some()));
    all.push(("contains_point", !view.contains_point(Vec3::ZERO, &filter).is_empty()));
    all.push(("overlap_aabb", !view.overlap_aabb(&bounds, &filter).is_empty()));
    all.push(("aabb_candidates", !view.aabb_candidates(&bounds, &filter).is_empty()));
    all.push(("overlap_plane", !view.overlap_plane(&plane[0], &filter).is_empty()));
    all.push(("classify_plane", !split.straddling.is_empty()));
    all.push(("overlap_frustum", !view.overlap_frustum(&plane, &filter).is_empty()));
    let allowed = view.clamp_movement(&mover, Vec3::X * 9.0, &filter);
    all.push(("clamp_movement", allowed.x < 9.0));

    let (mut some_hits, mut some_sweeps, mut some_near) = (Vec::new(), Vec::new(), Vec::new());
    let (mut any, mut impacts, mut moves) = (Vec::new(), Vec::new(), Vec::new());
    let mut bodies: Hits<BodyId> = Hits::new();
    view.raycast_batch(&[ray], &mut some_hits);
    all.push(("raycast_batch", some_hits[0].is_some()));
    view.sweep_batch(&[sweep], &mut some_sweeps);
    all.push(("sweep_batch", some_sweeps[0].is_some()));
    view.time_of_impact_batch(&[impact], &mut impacts);
    all.push(("time_of_impact_batch", impacts[0] != FirstImpact::Apart));
    view.overlap_any_batch(&[overlap], &mut any);
    all.push(("overlap_any_batch", any[0]));
    view.overlap_batch(&[overlap], &mut bodies);
    all.push(("overlap_batch", !bodies[0].is_empty()));
    view.closest_batch(&[closest], &mut some_near);
    all.push(("closest_batch", some_near[0].is_some()));
    view.contains_point_batch(&[point], &mut bodies);
    all.push(("contains_point_batch", !bodies[0].is_empty()));
    view.overlap_aabb_batch(&[aabb], &mut bodies);
    all.push(("overlap_aabb_batch", !bodies[0].is_empty()));
    view.overlap_frustum_batch(&[planes], &mut bodies);
    all.push(("overlap_frustum_batch", !bodies[0].is_empty()));
    view.clamp_movement_batch(&[movement], &mut moves);
    all.push(("clamp_movement_batch", moves[0].x < 9.0));
    all
}

/// A body at the origin, one that touches it from the side of the probes' ways, and contacts.
fn scene() -> (World, BodyId, BodyId) {
    let mut world = World::new();
    let cube = Shape::cuboid(Vec3::ONE).unwrap();
    let body = world.insert(Body::moving(cube.clone())).unwrap();
    let other = world.insert(Body::moving(cube).at(Vec3::Z * 2.0)).unwrap();
    // Enough bodies at rest for updates that look at what changed only.
    for i in 0..100_u8 {
        let at = Vec3::new(f32::from(i) * -3.0 - 50.0, 50.0, 0.0);
        world.insert(Body::moving(Shape::sphere(1.0).unwrap()).at(at)).unwrap();
    }
    world.update();
    world.update();
    (world, body, other)
}

#[test]
fn a_change_holds_at_once_in_queries_and_at_the_next_update() {
    type Change = fn(&mut World, BodyId, BodyId);
    type Case<'c> = (&'c str, Change, Change, &'c dyn Fn(BodyId) -> Filter<'static>);
    // What changes, what undoes it, and the filter that is asked with.
    let solo = |_: BodyId| Filter::new().groups(Groups::new(0b1, 0b1));
    let ignored = |other: BodyId| Filter::new().asked_by(other);
    let moving_only = |_: BodyId| Filter::new().kinds(Kinds::MOVING);
    let plain = |_: BodyId| Filter::new();
    let cases: [Case<'_>; 4] = [
        (
            "groups",
            |world, body, _| world.set_groups(body, Groups::new(0b10, 0b10)).unwrap(),
            |world, body, _| world.set_groups(body, Groups::ALL).unwrap(),
            &solo,
        ),
        (
            "sensor",
            |world, body, _| world.set_sensor(body, true).unwrap(),
            |world, body, _| world.set_sensor(body, false).unwrap(),
            &plain,
        ),
        (
            "ignored",
            |world, body, other| world.set_ignored(body, other, true).unwrap(),
            |world, body, other| world.set_ignored(other, body, false).unwrap(),
            &ignored,
        ),
        (
            "kind",
            |world, body, _| world.set_kind(body, BodyKind::Fixed).unwrap(),
            |world, body, _| world.set_kind(body, BodyKind::Moving).unwrap(),
            &moving_only,
        ),
    ];
    for (name, change, undo, filter) in cases {
        let (mut world, body, other) = scene();
        let filter = filter(other).exclude(other);
        if name == "groups" {
            world.set_groups(other, Groups::new(0b1, 0b1)).unwrap();
            world.update();
        }
        let contacts = world.contacts().of(body).count();
        assert_eq!(contacts, 1);
        for (hides, change) in [(true, change), (false, undo)] {
            change(&mut world, body, other);
            for (query, sees) in seen(&world.queries(), filter) {
                assert_eq!(sees, !hides, "{name}: {query}");
            }
            // A snapshot between two updates sees what the world sees.
            for (query, sees) in seen(&world.snapshot().queries(), filter) {
                assert_eq!(sees, !hides, "{name}, snapshot: {query}");
            }
            // Contacts are those of the last update until the next.
            let before = world.contact(body, other).is_some();
            world.update();
            if name == "kind" {
                // Another kind keeps a body from queries, not from contacts.
                assert!(before && world.contact(body, other).is_some());
            } else {
                assert_eq!((before, world.contact(body, other).is_some()), (hides, !hides));
                let told = world.events().iter().filter(|event| event.contact.is_some());
                let expected = if hides { EventKind::End } else { EventKind::Begin };
                assert!(told.map(|event| event.kind).eq([expected]), "{name}");
            }
        }
    }
}

#[test]
fn predicates_hold_for_one_query_and_one_update() {
    let (mut world, body, other) = scene();
    let asked = AtomicUsize::new(0);
    let not_it = |id: BodyId| {
        asked.fetch_add(1, Ordering::Relaxed);
        id != body
    };
    let without = Filter::new().exclude(other).predicate(&not_it);
    for (query, sees) in seen(&world.queries(), without) {
        assert!(!sees, "{query}");
    }
    assert!(asked.load(Ordering::Relaxed) >= 30);
    for (query, sees) in seen(&world.queries(), Filter::new().exclude(other)) {
        assert!(sees, "{query}");
    }
    let apart = |a: BodyId, b: BodyId| (a, b) != (body, other);
    assert_eq!(world.update_with(UpdateOptions::new().contact_filter(&apart)).contacts, 0);
    assert_eq!(world.update().contacts, 1);
}

#[test]
fn each_query_of_a_batch_has_its_own_filter_and_limit() {
    let mut world = World::new();
    let ids: Vec<BodyId> = (1..=8_u8)
        .map(|x| {
            let ball = Body::moving(Shape::sphere(0.25).unwrap()).at(Vec3::X * f32::from(x));
            world.insert(ball.groups(Groups::new(1 << (x % 2), u32::MAX))).unwrap()
        })
        .collect();
    let beyond = |id: BodyId| id > ids[3];
    let filters = [
        Filter::new(),
        Filter::new().exclude(ids[0]),
        Filter::new().groups(Groups::new(u32::MAX, 0b01)),
        Filter::new().predicate(&beyond),
        Filter::new().kinds(Kinds::FIXED),
    ];
    let ray = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
    // 400 queries, so that many tasks share them.
    let queries: Vec<RayQuery<'_>> = (0..400_u16)
        .map(|i| {
            let limit = f32::from(i % 9) + 0.5;
            RayQuery::new(ray, limit).filter(filters[usize::from(i) % filters.len()])
        })
        .collect();
    let view = world.queries();
    let (mut first, mut all) = (Vec::new(), Hits::new());
    view.raycast_batch(&queries, &mut first);
    view.raycast_all_batch(&queries, &mut all);
    let (mut found, mut none) = (0, 0);
    for (i, query) in queries.iter().enumerate() {
        let admitted = |place: usize| match i % 5 {
            0 => true,
            1 => place != 0,
            2 => !place.is_multiple_of(2),
            3 => place > 3,
            _ => false,
        };
        let near = |place: &usize| *place as f32 + 0.75 <= query.max_distance;
        let expected: Vec<BodyId> =
            (0..8).filter(near).filter(|place| admitted(*place)).map(|i| ids[i]).collect();
        let hits: Vec<BodyId> = all[i].iter().map(|hit| hit.body).collect();
        assert_eq!(hits, expected, "query {i}");
        assert_eq!(first[i].map(|hit| hit.body), expected.first().copied());
        if expected.is_empty() {
            none += 1;
        } else {
            found += 1;
        }
    }
    assert!(found > 100 && none > 100, "{found} {none}");
}

/// Rays that no rule holds back pass most bodies unasked.
#[test]
fn rays_of_a_batch_without_rules_see_what_single_ones_see() {
    let seed = 41;
    let mut rng = Rng::new(seed);
    let mut world = World::new();
    let mut ids: Vec<BodyId> = Vec::new();
    for round in 0..900 {
        let shape = Shape::cuboid(rng.vec(0.2, 0.8)).unwrap();
        let body = if rng.below(2) == 0 { Body::fixed(shape) } else { Body::moving(shape) };
        let body = body.pose(rng.pose(6.0)).sensor(rng.below(4) == 0);
        let body = if rng.below(4) == 0 { body.groups(rng.groups()) } else { body };
        ids.push(world.insert(body).unwrap());
        if round % 3 == 0 {
            // Its slot is used again.
            world.remove(ids.swap_remove(rng.below(ids.len())));
        }
    }
    let mut rays = Vec::new();
    while rays.len() < 3000 {
        let Ok(ray) = Ray::new(rng.vec(-6.0, 6.0), rng.vec(-1.0, 1.0)) else { continue };
        rays.push(RayQuery::new(ray, 12.0));
    }
    let (mut batch, mut sensors) = (Vec::new(), [0, 0]);
    for (kinds, sensors) in [Kinds::SOLID, Kinds::ALL].into_iter().zip(&mut sensors) {
        rays.iter_mut().for_each(|ray| ray.filter = Filter::new().kinds(kinds));
        world.queries().raycast_batch(&rays, &mut batch);
        for (ray, hit) in rays.iter().zip(&batch) {
            assert_eq!(*hit, world.queries().raycast_with(ray), "seed {seed}: {ray:?}");
            let is_sensor = |hit: &RayHit| world.body(hit.body).unwrap().is_sensor();
            *sensors += usize::from(hit.as_ref().is_some_and(is_sensor));
        }
        assert!(batch.iter().flatten().count() > 1000 && batch.contains(&None));
    }
    assert!(sensors[0] == 0 && sensors[1] > 200, "{sensors:?}");
}
