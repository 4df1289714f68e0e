//! Batches of every query, fixed memory, cancelling, and grids of movers and motions.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::{Rng, random_world};
use impinge_narrowphase::{ImpactOptions, Motion, SweepOptions};
use impinge_shapes::glam::Vec3;
use impinge_shapes::{Aabb, Plane, Pose, Ray, RayOptions, Shape, StartedInside};
use impinge_world::{
    AabbQuery, BatchControl, Body, BodyId, ClosestQuery, Filter, FirstImpact, FixedHits,
    GridMotion, GridMover, Hits, ImpactGrid, ImpactQuery, Kinds, MovementQuery, OverlapQuery,
    PlanesQuery, PointQuery, QueryCounter, RayHit, RayQuery, SweepGrid, SweepQuery, World,
};

fn filter(rng: &mut Rng, ids: &[BodyId]) -> Filter<'static> {
    match rng.below(4) {
        0 => Filter::new().kinds(Kinds::ALL),
        1 => Filter::new().groups(rng.groups()),
        2 => Filter::new().asked_by(ids[rng.below(ids.len())]),
        _ => Filter::new(),
    }
}

fn scene(seed: u64, count: usize, side: f32) -> (Rng, World, Vec<BodyId>) {
    let mut rng = Rng::new(seed);
    let world = random_world(&mut rng, count, side);
    let ids = world.iter().map(|(id, _)| id).collect();
    (rng, world, ids)
}

fn planes(rng: &mut Rng, side: f32) -> Vec<Plane> {
    (0..3).filter_map(|_| Plane::new(rng.vec(-1.0, 1.0), rng.range(-side, side)).ok()).collect()
}

#[test]
fn plain_batches_are_their_single_calls() {
    let (mut rng, mut world, ids) = scene(70, 300, 6.0);
    let (mut boxes, mut points, mut cuts, mut moves) = (vec![], vec![], vec![], vec![]);
    let all_planes: Vec<Vec<Plane>> = (0..200).map(|_| planes(&mut rng, 6.0)).collect();
    for planes in &all_planes {
        let (low, size) = (rng.vec(-7.0, 6.0), rng.vec(0.0, 3.0));
        let bounds = Aabb::new(low, low + size).unwrap();
        boxes.push(AabbQuery { bounds, filter: filter(&mut rng, &ids) });
        let (point, max_distance) = (rng.pose(6.0).position(), rng.range(0.0, 2.0));
        points.push(PointQuery { point, max_distance, filter: filter(&mut rng, &ids) });
        let planes = &planes[..rng.below(planes.len() + 1)];
        cuts.push(PlanesQuery { planes, filter: filter(&mut rng, &ids) });
        let movement = rng.vec(-3.0, 3.0);
        moves.push(MovementQuery { mover: bounds, movement, filter: filter(&mut rng, &ids) });
    }
    let queries = world.queries();
    let mut lists: Hits<BodyId> = Hits::new();
    let mut found = [0; 5];
    queries.overlap_aabb_batch(&boxes, &mut lists);
    for (query, list) in boxes.iter().zip(lists.iter()) {
        assert_eq!(list, queries.overlap_aabb(&query.bounds, &query.filter));
        found[0] += list.len();
    }
    queries.aabb_candidates_batch(&boxes, &mut lists);
    for (query, list) in boxes.iter().zip(lists.iter()) {
        assert_eq!(list, queries.aabb_candidates(&query.bounds, &query.filter));
    }
    queries.contains_point_batch(&points, &mut lists);
    for (query, list) in points.iter().zip(lists.iter()) {
        assert_eq!(list, queries.contains_point(query.point, &query.filter));
        found[1] += list.len();
    }
    let mut closest = Vec::new();
    queries.closest_point_batch(&points, &mut closest);
    for (query, near) in points.iter().zip(&closest) {
        let single = queries.closest_point(query.point, query.max_distance, &query.filter);
        assert_eq!(*near, single);
        found[2] += usize::from(near.is_some());
    }
    queries.overlap_frustum_batch(&cuts, &mut lists);
    for (query, list) in cuts.iter().zip(lists.iter()) {
        assert_eq!(list, queries.overlap_frustum(query.planes, &query.filter));
    }
    queries.overlap_plane_batch(&cuts, &mut lists);
    let mut splits = Vec::new();
    queries.classify_plane_batch(&cuts, &mut splits);
    assert_eq!((lists.len(), splits.len()), (200, 200));
    for ((query, list), split) in cuts.iter().zip(lists.iter()).zip(&splits) {
        let Some(plane) = query.planes.first() else {
            assert!(list.is_empty() && *split == Default::default());
            continue;
        };
        assert_eq!(list, queries.overlap_plane(plane, &query.filter));
        assert_eq!(*split, queries.classify_plane(plane, &query.filter));
        found[3] += list.len();
    }
    let mut allowed = Vec::new();
    queries.clamp_movement_batch(&moves, &mut allowed);
    for (query, allowed) in moves.iter().zip(&allowed) {
        let single = queries.clamp_movement(&query.mover, query.movement, &query.filter);
        assert!(allowed.cmpeq(single).all());
        found[4] += usize::from(allowed.cmpne(query.movement).any());
    }
    assert!(found.iter().all(|&found| found > 20), "{found:?}");
    assert!(closest.iter().any(Option::is_none));
}

/// Asks a list of queries in both forms and checks that the one with fixed memory holds the first
/// results of the other; both are the value.
macro_rules! first_of_all {
    ($view:ident.$fixed:ident, $same:ident.$all:ident, $list:expr, $room:expr, $most:expr) => {{
        let (mut fixed, mut all) = ($room, Hits::new());
        $view.$fixed(&$list, &mut fixed);
        $same.$all(&$list, &mut all);
        assert_eq!(fixed.len(), $list.len());
        for (i, all) in all.iter().enumerate() {
            assert!(fixed.of(i).eq(all.iter().take($most)));
            assert_eq!(fixed.found(i), all.len());
            assert_eq!(fixed.left_out(i), all.len().saturating_sub($most));
        }
        assert_eq!(fixed.of($list.len()).count(), 0);
        (fixed, all)
    }};
}

#[test]
fn fixed_memory_keeps_the_first_and_counts_the_rest() {
    let (mut rng, mut world, ids) = scene(71, 800, 6.0);
    let shapes: Vec<Shape> = (0..150).map(|_| rng.shape()).collect();
    let (mut rays, mut sweeps, mut overlaps, mut near) = (vec![], vec![], vec![], vec![]);
    for shape in &shapes {
        let at = rng.pose(6.0);
        if let Ok(ray) = Ray::new(at.position(), rng.vec(-1.0, 1.0)) {
            rays.push(RayQuery::new(ray, 8.0).filter(filter(&mut rng, &ids)));
        }
        let way = rng.vec(-4.0, 4.0);
        sweeps.push(SweepQuery::new(shape, at, way).filter(filter(&mut rng, &ids)));
        overlaps.push(OverlapQuery::new(shape, at).filter(filter(&mut rng, &ids)));
        near.push(ClosestQuery::new(shape, at, rng.range(0.0, 2.0)));
    }
    let queries = world.queries();
    for room in [0, 1, 3, 1000] {
        let (mut left_out, mut kept) = (0, 0);
        macro_rules! compare {
            ($fixed:ident, $all:ident, $list:expr) => {
                let fixed = FixedHits::with_capacity(10, room);
                let (fixed, _) = first_of_all!(queries.$fixed, queries.$all, $list, fixed, room);
                kept += (0..$list.len()).map(|i| fixed.of(i).count()).sum::<usize>();
                left_out += fixed.left_out_in_all();
            };
        }
        compare!(raycast_all_fixed, raycast_all_batch, rays);
        compare!(sweep_all_fixed, sweep_all_batch, sweeps);
        compare!(overlap_fixed, overlap_batch, overlaps);
        compare!(closest_all_fixed, closest_all_batch, near);
        assert_eq!(left_out > 100, room < 1000, "room {room}: {left_out}");
        assert_eq!(kept > 100, room > 0, "room {room}: {kept}");
    }
}

#[test]
fn fixed_memory_of_plain_queries_keeps_the_first_and_counts_the_rest() {
    let (mut rng, mut world, ids) = scene(74, 600, 4.0);
    let (mut boxes, mut points, mut cuts) = (vec![], vec![], vec![]);
    let all_planes: Vec<Vec<Plane>> = (0..100).map(|_| planes(&mut rng, 4.0)).collect();
    for planes in &all_planes {
        let (low, size) = (rng.vec(-5.0, 4.0), rng.vec(0.0, 3.0));
        let bounds = Aabb::new(low, low + size).unwrap();
        boxes.push(AabbQuery::new(bounds).filter(filter(&mut rng, &ids)));
        points.push(PointQuery::new(rng.pose(4.0).position(), 0.0).filter(filter(&mut rng, &ids)));
        let planes = &planes[..rng.below(planes.len() + 1)];
        cuts.push(PlanesQuery::new(planes).filter(filter(&mut rng, &ids)));
    }
    let queries = world.queries();
    for room in [0, 2, 1000] {
        macro_rules! compare {
            ($fixed:ident, $all:ident, $list:expr) => {
                let fixed = FixedHits::new(room);
                let (fixed, all) = first_of_all!(queries.$fixed, queries.$all, $list, fixed, room);
                let name = stringify!($fixed);
                assert_eq!(fixed.left_out_in_all() > 10, room < 1000, "{name} {room}");
                assert!(all.items().len() > 20, "{name}");
            };
        }
        compare!(overlap_aabb_fixed, overlap_aabb_batch, boxes);
        compare!(aabb_candidates_fixed, aabb_candidates_batch, boxes);
        compare!(contains_point_fixed, contains_point_batch, points);
        compare!(overlap_plane_fixed, overlap_plane_batch, cuts);
        compare!(overlap_frustum_fixed, overlap_frustum_batch, cuts);
    }
}

/// These asked for more memory than there can be, and panicked.
#[test]
fn fixed_memory_for_more_results_than_there_are_bodies_keeps_all() {
    let (mut rng, mut world, _) = scene(76, 10, 1.0);
    let points: Vec<_> = (0..1000).map(|_| PointQuery::new(rng.vec(-1.0, 1.0), 0.0)).collect();
    let view = world.queries();
    for most in [10, 1_000_000_000, usize::MAX / 1000, usize::MAX] {
        for room in [FixedHits::new(most), FixedHits::with_capacity(usize::MAX, most)] {
            let (_, all) = first_of_all!(
                view.contains_point_fixed,
                view.contains_point_batch,
                points,
                room,
                most
            );
            assert!(all.items().len() > 1000);
        }
    }
    assert!(FixedHits::<RayHit>::with_capacity(usize::MAX, 4).is_empty());
}

#[test]
fn a_cancelled_batch_is_empty_and_a_whole_one_complete() {
    let (mut rng, mut world, _) = scene(72, 200, 5.0);
    let shape = Shape::sphere(1.0).unwrap();
    let queries: Vec<_> = (0..1000).map(|_| OverlapQuery::new(&shape, rng.pose(5.0))).collect();
    let mut expected: Hits<BodyId> = Hits::new();
    world.queries().overlap_batch(&queries, &mut expected);
    for limit in [0, 100, 600, usize::MAX] {
        let stop = AtomicBool::new(limit == 0);
        let told = Mutex::new(Vec::new());
        let progress = |done: usize, all: usize| {
            assert_eq!(all, 1000);
            told.lock().unwrap().push(done);
            stop.fetch_or(done >= limit, Ordering::Relaxed);
        };
        let control = BatchControl::new().cancel_when(&stop).progress(&progress);
        let view = world.queries().controlled(&control);
        let (mut lists, mut any) = (expected.clone(), vec![true; 7]);
        view.overlap_batch(&queries, &mut lists);
        let done = control.done();
        if limit == usize::MAX {
            assert_eq!((&lists, done, control.is_cancelled()), (&expected, 1000, false));
            let mut told = told.lock().unwrap().clone();
            told.sort_unstable();
            let every: Vec<usize> = (1..=15).map(|i| i * 64).chain([1000]).collect();
            assert_eq!(told, every);
        } else {
            assert!(lists.is_empty() && control.is_cancelled());
            assert!(done >= limit.min(64) && done < 1000, "{done}");
            // It stays cancelled as long as the flag is set.
            let mut fixed: FixedHits<BodyId> = FixedHits::new(2);
            view.overlap_any_batch(&queries, &mut any);
            view.overlap_fixed(&queries, &mut fixed);
            assert!(any.is_empty() && fixed.is_empty() && control.done() == 0);
        }
    }
}

#[test]
fn grids_hold_every_movers_first_conflict() {
    let (mut rng, mut world, ids) = scene(73, 300, 6.0);
    let shapes = vec![Shape::sphere(0.2).unwrap(); 5];
    let movers: Vec<_> = shapes
        .iter()
        .map(|shape| GridMover { shape, place: rng.pose(1.0), filter: filter(&mut rng, &ids) })
        .collect();
    let motions: Vec<_> = (0..60)
        .map(|_| GridMotion { pose: rng.pose(6.0), displacement: rng.vec(-0.3, 0.3) })
        .collect();
    let options = SweepOptions { skip_started: true, ..SweepOptions::default() };
    let queries = world.queries();
    let mut grid = SweepGrid::new();
    queries.sweep_grid(&movers, &motions, &options, &mut grid);
    let (mut hit, mut clear) = (0, 0);
    for (l, motion) in motions.iter().enumerate() {
        let mut first: Option<(usize, f32)> = None;
        for (k, mover) in movers.iter().enumerate() {
            let pose = motion.pose.compose(&mover.place);
            let query = SweepQuery::new(mover.shape, pose, motion.displacement)
                .options(options)
                .filter(mover.filter);
            let single = queries.sweep_with(&query);
            assert_eq!(grid.hit(l, k).copied(), single);
            if let Some(single) = single
                && first.is_none_or(|(_, fraction)| single.fraction < fraction)
            {
                first = Some((k, single.fraction));
            }
        }
        let found = grid.first(l).map(|(mover, hit)| (mover, hit.fraction.to_bits()));
        assert_eq!(found, first.map(|(mover, fraction)| (mover, fraction.to_bits())));
        if found.is_some() {
            hit += 1;
        } else {
            clear += 1;
        }
    }
    assert!(hit > 5 && clear > 5, "{hit} {clear}");
    assert_eq!(grid.hits().len(), 300);
    assert!(grid.hit(60, 0).is_none() && grid.hit(0, 5).is_none() && grid.of_motion(60).is_empty());
    queries.sweep_grid(&[], &motions, &options, &mut grid);
    assert!(grid.hits().is_empty() && grid.first(0).is_none());
    let still = Vec3::ZERO;
    let at = |pose| GridMotion { pose, displacement: still };
    queries.sweep_grid(&movers, &[at(rng.pose(1.0))], &options, &mut grid);
    assert_eq!(grid.of_motion(0).len(), 5);
}

#[test]
fn grids_of_turning_motions_hold_every_movers_first_impact() {
    let (mut rng, mut world, ids) = scene(75, 120, 5.0);
    let shapes: Vec<Shape> = (0..4).map(|_| rng.simple_shape()).collect();
    let movers: Vec<_> = shapes
        .iter()
        .map(|shape| GridMover::new(shape, rng.pose(1.0)).filter(filter(&mut rng, &ids)))
        .collect();
    let motions: Vec<_> = (0..40)
        .map(|_| {
            let motion = Motion::new(rng.pose(5.0), rng.vec(-0.5, 0.5), rng.vec(-0.5, 0.5));
            motion.unwrap().about(rng.vec(-1.0, 1.0)).unwrap()
        })
        .collect();
    // So few steps that some do not come to an end.
    let options =
        ImpactOptions { skip_started: true, max_iterations: 4, ..ImpactOptions::default() };
    let queries = world.queries();
    let mut grid = ImpactGrid::new();
    queries.impact_grid(&movers, &motions, &options, &mut grid);
    let (mut touches, mut apart, mut unconverged) = (0, 0, 0);
    for (l, motion) in motions.iter().enumerate() {
        let mut first: Option<(usize, f32)> = None;
        for (k, mover) in movers.iter().enumerate() {
            let query = ImpactQuery::new(mover.shape, motion.of_part(&mover.place))
                .options(options)
                .filter(mover.filter);
            let single = queries.time_of_impact_with(&query);
            assert_eq!(grid.impact(l, k), Some(&single));
            let end = match single {
                FirstImpact::Apart => f32::INFINITY,
                FirstImpact::Touches(hit) => hit.fraction,
                FirstImpact::Unconverged { safe } => safe,
            };
            if end <= 1.0 && first.is_none_or(|(_, before)| end < before) {
                first = Some((k, end));
            }
        }
        let found = grid.first(l);
        assert_eq!(found.map(|(mover, _)| mover), first.map(|(mover, _)| mover));
        match found {
            None => apart += 1,
            Some((_, FirstImpact::Touches(_))) => touches += 1,
            Some(_) => unconverged += 1,
        }
    }
    assert!(touches > 3 && apart > 3 && unconverged > 0, "{touches} {apart} {unconverged}");
    assert_eq!(grid.impacts().len(), 160);
    assert!(grid.impact(40, 0).is_none() && grid.impact(0, 4).is_none());
    assert!(grid.of_motion(40).is_empty() && grid.first(40).is_none());
    queries.impact_grid(&[], &motions, &options, &mut grid);
    assert!(grid.impacts().is_empty() && grid.first(0).is_none());
}

/// Rays of a batch share one call of a kernel, which goes as far as the longest of them.
#[test]
fn each_ray_of_a_batch_ends_where_it_should() {
    let seed = 11;
    let mut rng = Rng::new(seed);
    let mut world = World::new();
    for _ in 0..400 {
        let shape = match rng.below(3) {
            0 => Shape::sphere(0.5).unwrap(),
            1 => Shape::cuboid(Vec3::splat(0.5)).unwrap(),
            _ => Shape::triangle(Vec3::ZERO, Vec3::X, Vec3::Y).unwrap(),
        };
        world.insert(Body::fixed(shape).pose(rng.pose(8.0))).unwrap();
    }
    let queries = world.queries();
    let mut rays = Vec::new();
    while rays.len() < 2000 {
        let Ok(ray) = Ray::new(rng.pose(8.0).position(), rng.vec(-1.0, 1.0)) else { continue };
        let free = RayQuery::new(ray, 20.0);
        let Some(hit) = queries.raycast_with(&free).filter(|hit| hit.distance > 0.0) else {
            continue;
        };
        let ends = [hit.distance.next_down(), hit.distance, hit.distance.next_up(), 20.0, 0.5];
        rays.push(RayQuery { max_distance: ends[rng.below(ends.len())], ..free });
    }
    let (mut nearest, mut any, mut all) = (Vec::new(), Vec::new(), Hits::new());
    queries.raycast_batch(&rays, &mut nearest);
    queries.raycast_any_batch(&rays, &mut any);
    queries.raycast_all_batch(&rays, &mut all);
    let (mut hits, mut list) = (0, Vec::new());
    for (place, query) in rays.iter().enumerate() {
        let hit = queries.raycast_with(query);
        assert_eq!((nearest[place], any[place]), (hit, hit.is_some()), "seed {seed}: {query:?}");
        queries.raycast_all_with(query, &mut list);
        assert_eq!(&all[place], list, "seed {seed}: {query:?}");
        hits += usize::from(hit.is_some());
    }
    assert!(hits > 500 && rays.len() - hits > 200, "{hits}");
}

#[test]
fn rays_that_start_in_several_bodies_name_the_first_of_them() {
    let seed = 12;
    let mut rng = Rng::new(seed);
    let mut world = World::new();
    for _ in 0..600 {
        let size = rng.range(0.1, 1.5);
        let shape = match rng.below(3) {
            0 => Shape::sphere(size).unwrap(),
            1 => Shape::cuboid(Vec3::splat(size)).unwrap(),
            _ => Shape::capsule_along_y(size, 0.5 * size).unwrap(),
        };
        world.insert(Body::fixed(shape).pose(rng.pose(6.0))).unwrap();
    }
    let started_inside = [StartedInside::Hit, StartedInside::Skip, StartedInside::Exit];
    let mut rays = Vec::new();
    // Starts are looked for in tasks of at least 256 rays.
    while rays.len() < 64 * 300 {
        let Ok(ray) = Ray::new(rng.vec(-7.0, 7.0), rng.vec(-1.0, 1.0)) else { continue };
        let options =
            RayOptions { started_inside: started_inside[rng.below(3)], ..RayOptions::default() };
        rays.push(RayQuery::new(ray, [0.0, 3.0, 20.0][rng.below(3)]).options(options));
    }
    let (counter, everything) = (QueryCounter::new(), QueryCounter::new());
    let (mut nearest, mut all) = (Vec::new(), Hits::new());
    world.queries().counting(&counter).raycast_batch(&rays, &mut nearest);
    world.queries().counting(&everything).raycast_all_batch(&rays, &mut all);
    let (mut inside, mut outside, mut saved) = (0, 0, 0);
    let mut any = Vec::new();
    world.queries().raycast_any_batch(&rays, &mut any);
    for (place, query) in rays.iter().enumerate() {
        let single = QueryCounter::new();
        let hit = world.queries().counting(&single).raycast_with(query);
        assert_eq!(nearest[place], hit, "seed {seed}: {query:?}");
        assert_eq!(hit.as_ref(), all[place].first(), "seed {seed}: {query:?}");
        assert_eq!(any[place], hit.is_some(), "seed {seed}: {query:?}");
        match hit {
            Some(hit) if hit.started_inside => inside += 1,
            _ => outside += 1,
        }
        // Nothing lies before or behind a ray without length: all bodies around its start are met.
        if query.max_distance <= 0.0 {
            let listed = QueryCounter::new();
            world.queries().counting(&listed).raycast_all_with(query, &mut Vec::new());
            saved += usize::from(single.candidates() < listed.candidates());
        }
    }
    assert!(inside > 300 && outside > 1000 && saved > 50, "{inside} {outside} {saved}");
    assert!(counter.candidates() < everything.candidates());
}

/// A world in which a body rests, and one in which it moved there, so that its index has larger
/// bounds.
fn resting_and_moved(shape: &Shape, there: Vec3) -> [World; 2] {
    [&[0.0][..], &[0.0, 0.01, 0.02, 0.01, 0.0]].map(|steps| {
        let mut world = World::new();
        let id = world.insert(Body::moving(shape.clone()).at(there)).unwrap();
        for &step in steps {
            world.set_pose(id, Pose::from_position(there + Vec3::splat(step)).unwrap()).unwrap();
            world.update();
        }
        world
    })
}

/// Whether a point is in a rounded cylinder is told to 2^-44 of its size; that the index has larger
/// bounds for bodies that move must not make a hit of what a resting body's bounds rule out.
#[test]
fn rays_beside_a_rounded_cylinder_do_not_depend_on_how_it_came_there() {
    let drum = Shape::rounded(Shape::cylinder(999.0, 999.0).unwrap(), 1.0).unwrap();
    let there = Vec3::NEG_Y * 1000.0;
    let [resting, mut moved] = resting_and_moved(&drum, there);
    let pose = Pose::from_position(there).unwrap();
    let mut rays = Vec::new();
    for height in [-1.0, -1e-12, 0.0, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1.0] {
        for direction in [Vec3::Y, Vec3::X, Vec3::NEG_Y] {
            for max_distance in [0.0, 1e-12, 10.0] {
                let ray = Ray::new(Vec3::new(0.5, height, 0.25), direction).unwrap();
                rays.push(RayQuery::new(ray, max_distance));
            }
        }
    }
    let (mut hits, mut misses, mut ruled_out) = (0, 0, 0);
    let mut batch = Vec::new();
    moved.queries().raycast_batch(&rays, &mut batch);
    for (query, of_batch) in rays.iter().zip(&batch) {
        let told = |world: &World| {
            let queries = world.view().unwrap();
            let mut all = Vec::new();
            queries.raycast_all_with(query, &mut all);
            (queries.raycast_with(query), all, queries.raycast_any_with(query))
        };
        let found = told(&resting);
        assert_eq!(found, told(&moved), "{query:?}");
        assert_eq!(found.0, *of_batch, "{query:?}");
        if let Some(hit) = found.0 {
            assert!(!hit.started_inside || hit.distance <= 0.0, "{query:?}");
        }
        assert_eq!((found.1.len(), found.2), (usize::from(found.0.is_some()), found.0.is_some()));
        if found.0.is_some() {
            hits += 1;
        } else {
            misses += 1;
        }
        let alone = drum.raycast(&pose, &query.ray, query.max_distance, &query.options);
        ruled_out += usize::from(alone.is_some() && found.0.is_none());
    }
    assert!(hits > 10 && misses > 10 && ruled_out > 0, "{hits} {misses} {ruled_out}");
}

/// The same of points and of what touches a cylinder: its bounds end at height 0.
#[test]
fn what_touches_a_cylinder_does_not_depend_on_how_it_came_there() {
    let cylinder = Shape::cylinder(1000.0, 1000.0).unwrap();
    let drum = Shape::rounded(Shape::cylinder(999.0, 999.0).unwrap(), 1.0).unwrap();
    let there = Vec3::NEG_Y * 1000.0;
    let probe = Shape::sphere(0.0).unwrap();
    let (mut inside, mut outside, mut ruled_out) = (0, 0, 0);
    for shape in [cylinder, drum] {
        let [resting, moved] = resting_and_moved(&shape, there);
        for height in [-1.0, -1e-12, 0.0, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1.0] {
            let point = Vec3::new(0.5, height, 0.25);
            let at = Pose::from_position(point).unwrap();
            let query = OverlapQuery::new(&probe, at);
            let told = |world: &World| {
                let queries = world.view().unwrap();
                let (mut one, mut many) = (Vec::new(), Hits::new());
                queries.overlap_into(&query, &mut one);
                queries.overlap_batch(&[query; 2], &mut many);
                let any = queries.overlap_any_with(&query);
                assert_eq!((&many[0], &many[1], any), (&one[..], &one[..], !one.is_empty()));
                (queries.contains_point(point, &Filter::default()).len(), one.len())
            };
            let found = told(&resting);
            assert_eq!(found, told(&moved), "{} at {height}", shape.kind_name());
            if found.1 > 0 {
                inside += 1;
            } else {
                outside += 1;
            }
            let there = Pose::from_position(there).unwrap();
            let alone = impinge_narrowphase::overlaps(&probe, &at, &shape, &there);
            ruled_out += usize::from(alone && found.1 == 0);
        }
    }
    assert!(inside >= 6 && outside >= 4 && ruled_out > 0, "{inside} {outside} {ruled_out}");
}

/// Where many rays of a task start in a body, those are looked for around the starts.
#[test]
fn a_large_batch_of_rays_in_a_crowd_answers_as_one_by_one() {
    let seed = 31;
    let mut rng = Rng::new(seed);
    let mut world = World::new();
    for _ in 0..500 {
        let size = rng.range(0.5, 2.0);
        let shape = match rng.below(5) {
            0 => Shape::sphere(size).unwrap(),
            1 => Shape::cuboid(Vec3::splat(size)).unwrap(),
            2 => Shape::capsule_along_y(size, 0.5 * size).unwrap(),
            3 => Shape::cylinder(size, 0.5 * size).unwrap(),
            _ => Shape::rounded(Shape::cylinder(size, 0.5 * size).unwrap(), 0.25).unwrap(),
        };
        world.insert(Body::fixed(shape).pose(rng.pose(6.0))).unwrap();
    }
    world.prepare_queries();
    let mut rays = Vec::new();
    while rays.len() < 40_000 {
        // A third of them far outside.
        let half = if rng.below(3) == 0 { 20.0 } else { 5.0 };
        let Ok(ray) = Ray::new(rng.vec(-half, half), rng.vec(-1.0, 1.0)) else { continue };
        let length = [0.0, 1.0, 2.0, 3.0, 5.0, f32::INFINITY, -1.0, f32::NAN][rng.below(8)];
        rays.push(RayQuery::new(ray, length));
    }
    let queries = world.view().unwrap();
    let mut hits = Vec::new();
    queries.raycast_batch(&rays, &mut hits);
    let (mut inside, mut outside, mut misses) = (0, 0, 0);
    for (query, hit) in rays.iter().zip(&hits) {
        assert_eq!(*hit, queries.raycast_with(query), "seed {seed}: {query:?}");
        match hit {
            Some(hit) if hit.started_inside => inside += 1,
            Some(_) => outside += 1,
            None => misses += 1,
        }
    }
    // Enough of them in every task for the search around the starts.
    assert!(inside > 12_000 && outside > 1_000 && misses > 10_000, "{inside} {outside} {misses}");
    // For rays at any body there must be more of them.
    let starts_inside = |hit: &Option<RayHit>| hit.is_some_and(|hit| hit.started_inside);
    let crowded = rays.iter().zip(&hits).filter(|(_, hit)| starts_inside(hit) || rng.below(4) == 0);
    let crowded: Vec<RayQuery<'_>> = crowded.map(|(query, _)| *query).collect();
    assert!(inside * 8 > crowded.len() * 5, "{inside} of {}", crowded.len());
    let mut any = Vec::new();
    queries.raycast_any_batch(&crowded, &mut any);
    for (query, any) in crowded.iter().zip(&any) {
        assert_eq!(*any, queries.raycast_any_with(query), "seed {seed}: {query:?}");
    }
    assert!(any.contains(&true) && any.contains(&false));
}
