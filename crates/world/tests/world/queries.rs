//! Every query against a loop over all bodies.

use crate::common::{Model, Rng, nameless, random_change, random_world};
use impinge_narrowphase::{self as narrow, SweepOptions};
use impinge_shapes::glam::Vec3;
use impinge_shapes::{
    Aabb, Cuboid, Plane, PlaneSide, Pose, Ray, RayOptions, Shape, ShapeRayHit, StartedInside,
};
use impinge_world::{
    Body, BodyId, ClosestBody, ClosestQuery, Filter, Groups, Hits, Kinds, OverlapQuery, Queries,
    RayHit, RayQuery, SweepHit, SweepQuery,
};

/// How often each query found something, and how often nothing.
#[derive(Debug, Default)]
struct Rate {
    hits: usize,
    misses: usize,
}

impl Rate {
    fn count(&mut self, hit: bool) {
        if hit {
            self.hits += 1;
        } else {
            self.misses += 1;
        }
    }

    fn assert_both(&self, what: &str) {
        assert!(self.hits > 20 && self.misses > 20, "{what}: {self:?}");
    }
}

fn even(id: BodyId) -> bool {
    id.index().is_multiple_of(2)
}

fn filter(rng: &mut Rng, model: &Model) -> Filter<'static> {
    let mut filter = Filter::new();
    if rng.chance(30) {
        filter = filter.groups(rng.groups());
    }
    if rng.chance(40) {
        let kinds = [Kinds::ALL, Kinds::FIXED, Kinds::MOVING, Kinds::SENSORS, Kinds::SOLID];
        filter = filter.kinds(kinds[rng.below(kinds.len())]);
    }
    if rng.chance(20) && !model.bodies.is_empty() {
        filter = filter.exclude(model.bodies[rng.below(model.bodies.len())].id);
    }
    if rng.chance(20) && !model.bodies.is_empty() {
        filter = filter.asked_by(model.bodies[rng.below(model.bodies.len())].id);
    }
    if rng.chance(15) {
        filter = filter.predicate(&even);
    }
    filter
}

/// Runs `check` on worlds of all sizes and histories.
fn for_worlds(mut check: impl FnMut(&mut Rng, &Queries<'_>, &Model, f32, u64)) {
    for (seed, count) in (0..24_u64).zip([1, 3, 10, 40, 100, 300].into_iter().cycle()) {
        one_world(seed, count, &mut check);
    }
    one_world(100, 3000, &mut check);
}

fn one_world(
    seed: u64,
    count: usize,
    check: &mut impl FnMut(&mut Rng, &Queries<'_>, &Model, f32, u64),
) {
    let mut rng = Rng::new(seed);
    let side = 1.3 * (count as f32).cbrt();
    let mut world = random_world(&mut rng, count, side);
    for round in 0..3 {
        if round == 1 {
            world.set_margin(0.25).unwrap();
            world.update();
        }
        let model = Model::of(&world);
        check(&mut rng, &world.queries(), &model, side, seed);
        for _ in 0..rng.below(count / 2 + 2).min(200) {
            random_change(&mut rng, &mut world, side);
        }
    }
}

fn ray(rng: &mut Rng, side: f32) -> Ray {
    loop {
        let direction = if rng.chance(40) { rng.lattice(1.0) } else { rng.vec(-1.0, 1.0) };
        if let Ok(ray) = Ray::new(rng.pose(side * 1.2).position(), direction) {
            return ray;
        }
    }
}

fn ray_query<'q>(rng: &mut Rng, model: &Model, side: f32) -> RayQuery<'q> {
    let distance =
        [side * 0.5, side * 2.0, f32::INFINITY, 0.0, -1.0, f32::NAN][rng.below(12).min(5) % 6];
    let distance = if rng.chance(70) { side } else { distance };
    let started = [StartedInside::Hit, StartedInside::Skip, StartedInside::Exit];
    let options =
        RayOptions { started_inside: started[rng.below(3)], cull_back_faces: rng.chance(20) };
    RayQuery::new(ray(rng, side), distance).options(options).filter(filter(rng, model))
}

fn all_ray_hits(model: &Model, query: &RayQuery<'_>) -> Vec<RayHit> {
    let mut hits: Vec<_> = model
        .seen(&query.filter)
        .filter_map(|body| {
            let hit =
                body.shape.raycast(&body.pose, &query.ray, query.max_distance, &query.options)?;
            let ShapeRayHit { distance, point, normal, started_inside, part, barycentric } = hit;
            let body = body.id;
            Some(RayHit { body, distance, point, normal, started_inside, part, barycentric })
        })
        .collect();
    hits.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.body.cmp(&b.body)));
    hits
}

#[test]
fn rays_agree_with_a_loop_over_all_bodies() {
    let (mut rate, mut ties) = (Rate::default(), 0);
    for_worlds(|rng, queries, model, side, seed| {
        let batch: Vec<_> = (0..70).map(|_| ray_query(rng, model, side)).collect();
        let (mut nearest, mut any, mut all) = (vec![None; 3], vec![true], Hits::new());
        queries.raycast_batch(&batch, &mut nearest);
        queries.raycast_any_batch(&batch, &mut any);
        queries.raycast_all_batch(&batch, &mut all);
        assert_eq!((nearest.len(), any.len(), all.len()), (70, 70, 70));
        for (i, query) in batch.iter().enumerate() {
            let expected = all_ray_hits(model, query);
            assert_eq!(queries.raycast_with(query), expected.first().copied(), "seed {seed}");
            assert_eq!(queries.raycast_any_with(query), !expected.is_empty(), "seed {seed}");
            let mut hits = vec![];
            queries.raycast_all_with(query, &mut hits);
            assert_eq!(hits, expected, "seed {seed}");
            assert_eq!(nearest[i], expected.first().copied());
            assert_eq!(any[i], !expected.is_empty());
            assert_eq!(&all[i], expected);
            let plain = RayQuery { options: RayOptions::default(), ..*query };
            let (ray, max, filter) = (&query.ray, query.max_distance, &query.filter);
            assert_eq!(queries.raycast(ray, max, filter), queries.raycast_with(&plain));
            assert_eq!(queries.raycast_any(ray, max, filter), queries.raycast_any_with(&plain));
            rate.count(!expected.is_empty());
            ties += usize::from(
                expected.len() > 1
                    && expected[0].distance.to_bits() == expected[1].distance.to_bits(),
            );
        }
    });
    rate.assert_both("rays");
    assert!(ties > 20, "{ties}");
}

fn displacement(rng: &mut Rng, side: f32) -> Vec3 {
    match rng.below(12) {
        0 => Vec3::ZERO,
        1 => Vec3::new(f32::NAN, 0.0, 0.0),
        2 => Vec3::new(0.0, f32::INFINITY, 0.0),
        3..=6 => rng.lattice(side * 0.7),
        _ => rng.vec(-side, side) * 0.7,
    }
}

fn all_sweep_hits(model: &Model, query: &SweepQuery<'_>) -> Vec<SweepHit> {
    let mut hits: Vec<_> = model
        .seen(&query.filter)
        .filter_map(|body| {
            let hit = narrow::sweep(
                query.shape,
                &query.pose,
                query.displacement,
                &body.shape,
                &body.pose,
                &query.options,
            )?;
            Some(SweepHit {
                body: body.id,
                fraction: hit.fraction,
                distance: hit.distance,
                point: hit.point,
                normal: hit.normal,
                started_overlapping: hit.started_overlapping,
                depth: hit.depth,
                part_mover: hit.part_mover,
                part: hit.part,
            })
        })
        .collect();
    hits.sort_by(|a, b| a.fraction.total_cmp(&b.fraction).then(a.body.cmp(&b.body)));
    hits
}

#[test]
fn sweeps_agree_with_a_loop_over_all_bodies() {
    let (mut rate, mut ties) = (Rate::default(), 0);
    for_worlds(|rng, queries, model, side, seed| {
        let mut shapes: Vec<_> = (0..66).map(|_| rng.shape()).collect();
        shapes.push(Shape::half_space(Vec3::Y, -side).unwrap());
        let batch: Vec<_> = shapes
            .iter()
            .map(|shape| {
                let [stop_on_touch, skip_started, skip_leaving] = [30; 3].map(|p| rng.chance(p));
                let options = SweepOptions { stop_on_touch, skip_started, skip_leaving };
                SweepQuery::new(shape, rng.pose(side), displacement(rng, side))
                    .options(options)
                    .filter(filter(rng, model))
            })
            .collect();
        let (mut nearest, mut any, mut all) = (vec![], vec![], Hits::new());
        queries.sweep_batch(&batch, &mut nearest);
        queries.sweep_any_batch(&batch, &mut any);
        queries.sweep_all_batch(&batch, &mut all);
        for (i, query) in batch.iter().enumerate() {
            let expected = all_sweep_hits(model, query);
            assert_eq!(
                queries.sweep_with(query),
                expected.first().copied(),
                "seed {seed} {query:?}"
            );
            assert_eq!(queries.sweep_any_with(query), !expected.is_empty(), "seed {seed}");
            assert_eq!(nearest[i], expected.first().copied());
            assert_eq!(any[i], !expected.is_empty());
            assert_eq!(&all[i], expected, "seed {seed}");
            let plain = SweepQuery { options: SweepOptions::default(), ..*query };
            let hit = queries.sweep(query.shape, &query.pose, query.displacement, &query.filter);
            assert_eq!(hit, queries.sweep_with(&plain));
            rate.count(!expected.is_empty());
            ties += usize::from(
                expected.len() > 1
                    && expected[0].fraction.to_bits() == expected[1].fraction.to_bits(),
            );
        }
    });
    rate.assert_both("sweeps");
    assert!(ties > 20, "{ties}");
}

#[test]
fn overlaps_agree_with_a_loop_over_all_bodies() {
    let mut rate = Rate::default();
    for_worlds(|rng, queries, model, side, seed| {
        let mut shapes: Vec<_> = (0..66).map(|_| rng.shape()).collect();
        shapes.push(Shape::half_space(rng.vec(-1.0, 1.0), -side).unwrap());
        let batch: Vec<_> = shapes
            .iter()
            .map(|shape| OverlapQuery::new(shape, rng.pose(side)).filter(filter(rng, model)))
            .collect();
        let (mut any, mut all) = (vec![], Hits::new());
        queries.overlap_any_batch(&batch, &mut any);
        queries.overlap_batch(&batch, &mut all);
        for (i, query) in batch.iter().enumerate() {
            let expected: Vec<BodyId> = model
                .seen(&query.filter)
                .filter(|body| narrow::overlaps(query.shape, &query.pose, &body.shape, &body.pose))
                .map(|body| body.id)
                .collect();
            let (shape, pose, filter) = (query.shape, &query.pose, &query.filter);
            assert_eq!(queries.overlap(shape, pose, filter), expected, "seed {seed}");
            assert_eq!(queries.overlap_any(shape, pose, filter), !expected.is_empty());
            assert_eq!(any[i], !expected.is_empty());
            assert_eq!(&all[i], expected);
            let mut reused = vec![BodyId::default()];
            queries.overlap_into(query, &mut reused);
            assert_eq!(reused, expected);
            rate.count(!expected.is_empty());
        }
    });
    rate.assert_both("overlaps");
}

fn all_closest(model: &Model, query: &ClosestQuery<'_>) -> Vec<ClosestBody> {
    let mut found: Vec<ClosestBody> = model
        .seen(&query.filter)
        .filter_map(|body| {
            let (shape, pose, max) = (query.shape, &query.pose, query.max_distance);
            let closest = narrow::closest(shape, pose, &body.shape, &body.pose, max)?;
            Some(ClosestBody { body: body.id, closest })
        })
        .collect();
    found.sort_by(|a, b| {
        a.closest.distance.total_cmp(&b.closest.distance).then(a.body.cmp(&b.body))
    });
    found
}

#[test]
fn closest_bodies_agree_with_a_loop_over_all_bodies() {
    let (mut rate, mut deep) = (Rate::default(), 0);
    for_worlds(|rng, queries, model, side, seed| {
        let mut shapes: Vec<_> = (0..40).map(|_| rng.shape()).collect();
        shapes.push(Shape::half_space(Vec3::Y, -side).unwrap());
        shapes.push(Shape::half_space(rng.vec(-1.0, 1.0), -side).unwrap());
        let batch: Vec<_> = shapes
            .iter()
            .map(|shape| {
                let max = [0.0, 0.5, 1.0, -0.25, f32::INFINITY, f32::NAN][rng.below(6)];
                let query = ClosestQuery::new(shape, rng.pose(side * 1.3), max);
                query.filter(filter(rng, model))
            })
            .collect();
        let (mut nearest, mut any, mut all) = (vec![], vec![], Hits::new());
        queries.closest_batch(&batch, &mut nearest);
        queries.closest_any_batch(&batch, &mut any);
        queries.closest_all_batch(&batch, &mut all);
        for (i, query) in batch.iter().enumerate() {
            let expected = all_closest(model, query);
            let first = expected.first().copied();
            assert_eq!(queries.closest_with(query), first, "seed {seed} {query:?}");
            assert_eq!(queries.closest_any_with(query), first.is_some(), "seed {seed}");
            assert_eq!(nearest[i], first);
            assert_eq!(any[i], first.is_some());
            assert_eq!(&all[i], expected, "seed {seed}");
            rate.count(first.is_some());
            deep += usize::from(first.is_some_and(|found| found.closest.distance < 0.0));
        }
        let point = rng.pose(side).position();
        let dot = Shape::sphere(0.0).unwrap();
        let at = Pose::from_position(point).unwrap();
        let all = Filter::default();
        assert_eq!(queries.closest_point(point, 1.0, &all), queries.closest(&dot, &at, 1.0, &all));
        assert_eq!(queries.closest_point(Vec3::NAN, 1.0, &all), None);
    });
    rate.assert_both("closest");
    assert!(deep > 50, "{deep}");
}

#[test]
fn points_agree_with_a_loop_over_all_bodies() {
    let mut rate = Rate::default();
    for_worlds(|rng, queries, model, side, seed| {
        for _ in 0..60 {
            let (point, filter) = (rng.pose(side).position(), filter(rng, model));
            let expected: Vec<BodyId> = model
                .seen(&filter)
                .filter(|body| body.shape.contains_point(&body.pose, point))
                .map(|body| body.id)
                .collect();
            assert_eq!(queries.contains_point(point, &filter), expected, "seed {seed} {point}");
            rate.count(!expected.is_empty());
        }
        assert!(queries.contains_point(Vec3::NAN, &Filter::default()).is_empty());
        assert!(queries.contains_point(Vec3::INFINITY, &Filter::default()).is_empty());
    });
    rate.assert_both("points");
}

#[test]
fn boxes_agree_with_a_loop_over_all_bodies() {
    let (mut shapes, mut bounds, mut only_bounds) = (Rate::default(), Rate::default(), 0);
    for_worlds(|rng, queries, model, side, seed| {
        for _ in 0..60 {
            // Quarters, so that the box is a cuboid of exactly these corners.
            let (a, b) = (rng.lattice(side), rng.lattice(side));
            let b = if rng.chance(50) { a + (b / 8.0).abs() } else { b };
            let query = Aabb::new(a.min(b), a.max(b)).unwrap();
            let filter = filter(rng, model);
            let near: Vec<_> =
                model.seen(&filter).filter(|body| body.aabb().overlaps(&query)).collect();
            let cuboid: Shape = Cuboid::new(query.half_extents()).unwrap().into();
            let pose = Pose::from_position(query.center()).unwrap();
            let exact: Vec<BodyId> = near
                .iter()
                .filter(|body| narrow::overlaps(&cuboid, &pose, &body.shape, &body.pose))
                .map(|body| body.id)
                .collect();
            let near: Vec<BodyId> = near.iter().map(|body| body.id).collect();
            assert_eq!(queries.aabb_candidates(&query, &filter), near, "seed {seed}");
            let found = queries.overlap_aabb(&query, &filter);
            // The loop's cuboid is the box itself, the query's is cut to the body's bounds and
            // may be rounded.
            assert!(exact.iter().all(|id| found.contains(id)), "seed {seed}");
            for id in found.iter().filter(|id| !exact.contains(id)) {
                let body = model.bodies.iter().find(|body| body.id == *id).unwrap();
                let gap = narrow::closest(&cuboid, &pose, &body.shape, &body.pose, 1.0).unwrap();
                assert!(gap.distance <= side * 1e-6, "{id:?} is too far, seed {seed}");
            }
            shapes.count(!found.is_empty());
            bounds.count(!near.is_empty());
            only_bounds += near.len() - found.len();
        }
        let everything = queries.overlap_aabb(&Aabb::EVERYTHING, &Filter::default());
        assert_eq!(everything.len(), model.seen(&Filter::default()).count());
    });
    shapes.assert_both("boxes");
    bounds.assert_both("bounds");
    assert!(only_bounds > 20, "{only_bounds}");
}

#[test]
fn planes_agree_with_a_loop_over_all_bodies() {
    let (mut front, mut on, mut behind) = (Rate::default(), Rate::default(), Rate::default());
    for_worlds(|rng, queries, model, side, seed| {
        let mut plane = || loop {
            let normal = if rng.chance(50) { rng.lattice(1.0) } else { rng.vec(-1.0, 1.0) };
            if let Ok(plane) = Plane::through(rng.lattice(side), normal) {
                return plane;
            }
        };
        let planes: Vec<Plane> = (0..20).map(|_| plane()).collect();
        for (i, plane) in planes.iter().enumerate() {
            let filter = filter(rng, model);
            let on_side = |side: PlaneSide| -> Vec<BodyId> {
                model
                    .seen(&filter)
                    .filter(|body| body.shape.classify(&body.pose, plane) == side)
                    .map(|body| body.id)
                    .collect()
            };
            let split = queries.classify_plane(plane, &filter);
            assert_eq!(split.front, on_side(PlaneSide::Front), "seed {seed}");
            assert_eq!(split.straddling, on_side(PlaneSide::Straddling), "seed {seed}");
            assert_eq!(split.behind, on_side(PlaneSide::Behind), "seed {seed}");
            assert_eq!(queries.overlap_plane(plane, &filter), split.straddling);
            front.count(!split.front.is_empty());
            on.count(!split.straddling.is_empty());
            behind.count(!split.behind.is_empty());
            let frustum = &planes[i..(i + i % 5).min(planes.len())];
            let inside: Vec<BodyId> = model
                .seen(&filter)
                .filter(|body| {
                    let side = |plane| body.shape.classify(&body.pose, plane);
                    frustum.iter().all(|plane| side(plane) != PlaneSide::Behind)
                })
                .map(|body| body.id)
                .collect();
            assert_eq!(queries.overlap_frustum(frustum, &filter), inside, "seed {seed}");
        }
    });
    front.assert_both("front");
    on.assert_both("on");
    behind.assert_both("behind");
}

#[test]
fn movements_agree_with_a_loop_over_all_bodies() {
    let mut rate = Rate::default();
    for_worlds(|rng, queries, model, side, seed| {
        for _ in 0..40 {
            let (a, filter) = (rng.lattice(side), filter(rng, model));
            let mover = Aabb::new(a, a + rng.vec(0.0, 1.0)).unwrap();
            let movement = displacement(rng, side);
            let all: Vec<Aabb> = model.seen(&filter).map(|body| body.aabb()).collect();
            let expected = narrow::clamp_movement(&mover, movement, all);
            let allowed = queries.clamp_movement(&mover, movement, &filter);
            assert_eq!(allowed, expected, "seed {seed} {movement}");
            rate.count(allowed != movement);
        }
    });
    rate.assert_both("movements");
}

/// Numbers of both signs within a factor of `2^spread` of one, and the ends of that range.
struct Wild {
    spread: i32,
    scale: f32,
}

impl Wild {
    fn number(&self, rng: &mut Rng) -> f32 {
        let exponents = usize::try_from(2 * self.spread).unwrap();
        let exponent = i32::try_from(rng.below(exponents)).unwrap() - self.spread;
        let number = 2.0_f32.powi(exponent) * rng.range(1.0, 2.0);
        let ends = 2.0_f32.powi(self.spread);
        let choice = [number, -number, number, -number, 0.0, 1.0, -1.0, ends, -1.0 / ends];
        choice[rng.below(choice.len())] * self.scale
    }

    fn vec(&self, rng: &mut Rng) -> Vec3 {
        Vec3::new(self.number(rng), self.number(rng), self.number(rng))
    }

    fn pose(&self, rng: &mut Rng) -> Pose {
        Pose::new(self.vec(rng), rng.rotation()).unwrap()
    }

    fn shape(&self, rng: &mut Rng) -> Shape {
        let size = self.vec(rng).abs();
        match rng.below(3) {
            0 => Shape::sphere(size.x).unwrap(),
            1 => Shape::cuboid(size).unwrap(),
            _ => Shape::capsule_along_y(size.x, size.y).unwrap(),
        }
    }
}

#[test]
fn wild_numbers_agree_with_a_loop_over_all_bodies() {
    let (mut rays, mut sweeps, mut near) = (Rate::default(), Rate::default(), Rate::default());
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let scale = [1.0, 2.0_f32.powi(70), 2.0_f32.powi(-70)][rng.below(3)];
        let wild = Wild { spread: [8, 16, 40][rng.below(3)], scale };
        let mut world = impinge_world::World::new();
        for _ in 0..60 {
            let shape = wild.shape(&mut rng);
            world.insert(Body::moving(shape).pose(wild.pose(&mut rng))).unwrap();
        }
        let mut model = Model::of(&world);
        world.update();
        model.update(0.0, &|_, _| true);
        assert!(nameless(&world) == model.contacts, "seed {seed}");
        let queries = world.queries();
        for _ in 0..60 {
            let (pose, shape) = (wild.pose(&mut rng), wild.shape(&mut rng));
            let direction = wild.vec(&mut rng);
            let max = [f32::INFINITY, scale, 20.0 * scale][rng.below(3)];
            if let Ok(ray) = Ray::new(pose.position(), direction) {
                let query = RayQuery::new(ray, max);
                let expected = all_ray_hits(&model, &query);
                let hit = queries.raycast_with(&query);
                assert_eq!(hit, expected.first().copied(), "seed {seed} {query:?}");
                let mut hits = vec![];
                queries.raycast_all_with(&query, &mut hits);
                assert_eq!(hits, expected, "seed {seed} {query:?}");
                rays.count(hit.is_some());
            }
            // A displacement of more than 2^53 times the sizes leaves the narrow phase no digits.
            if wild.spread < 40 {
                let query = SweepQuery::new(&shape, pose, direction);
                let expected = all_sweep_hits(&model, &query);
                let hit = queries.sweep_with(&query);
                assert_eq!(hit, expected.first().copied(), "seed {seed} {query:?}");
                sweeps.count(hit.is_some());
            }
            let query = ClosestQuery::new(&shape, pose, max);
            let expected = all_closest(&model, &query);
            let found = queries.closest_with(&query);
            assert_eq!(found, expected.first().copied(), "seed {seed} {query:?}");
            near.count(found.is_some());
        }
    }
    rays.assert_both("rays");
    sweeps.assert_both("sweeps");
    near.assert_both("closest");
}

#[test]
fn an_empty_world_answers_nothing() {
    let mut world = impinge_world::World::new();
    let queries = world.queries();
    let filter = Filter::new().groups(Groups::ALL).kinds(Kinds::ALL);
    let shape = Shape::sphere(1.0).unwrap();
    let ray = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
    assert_eq!(queries.raycast(&ray, f32::INFINITY, &filter), None);
    assert_eq!(queries.sweep(&shape, &Pose::IDENTITY, Vec3::X, &filter), None);
    assert_eq!(queries.closest(&shape, &Pose::IDENTITY, f32::INFINITY, &filter), None);
    assert!(queries.overlap(&shape, &Pose::IDENTITY, &filter).is_empty());
    let mut hits = Hits::new();
    queries.raycast_all_batch(&[], &mut hits);
    assert!(hits.is_empty() && hits.get(0).is_none());
}

#[test]
fn large_batches_in_large_worlds_answer_like_single_calls() {
    let seed = 5;
    let mut rng = Rng::new(seed);
    let mut world = random_world(&mut rng, 17_000, 31.0);
    let queries = world.queries();
    let all = Filter::new().kinds(Kinds::ALL);
    let rays: Vec<_> =
        (0..2000).map(|_| RayQuery::new(ray(&mut rng, 25.0), 20.0).filter(all)).collect();
    let shapes: Vec<_> = (0..1500).map(|_| rng.shape()).collect();
    let (mut sweeps, mut overlaps, mut closest) = (vec![], vec![], vec![]);
    for shape in &shapes {
        sweeps.push(SweepQuery::new(shape, rng.pose(25.0), rng.vec(-2.0, 2.0)));
        overlaps.push(OverlapQuery::new(shape, rng.pose(25.0)));
        closest.push(ClosestQuery::new(shape, rng.pose(25.0), 0.25));
    }
    let (mut ray_hits, mut sweep_hits, mut near) = (vec![], vec![], vec![]);
    let (mut all_rays, mut bodies) = (Hits::new(), Hits::new());
    queries.raycast_batch(&rays, &mut ray_hits);
    queries.raycast_all_batch(&rays, &mut all_rays);
    queries.sweep_batch(&sweeps, &mut sweep_hits);
    queries.overlap_batch(&overlaps, &mut bodies);
    queries.closest_batch(&closest, &mut near);
    let mut rate = Rate::default();
    for (i, query) in rays.iter().enumerate() {
        assert_eq!(ray_hits[i], queries.raycast_with(query), "seed {seed}");
        let mut hits = vec![];
        queries.raycast_all_with(query, &mut hits);
        assert_eq!(&all_rays[i], hits, "seed {seed}");
        rate.count(!hits.is_empty());
    }
    for i in 0..shapes.len() {
        assert_eq!(sweep_hits[i], queries.sweep_with(&sweeps[i]), "seed {seed}");
        assert_eq!(near[i], queries.closest_with(&closest[i]), "seed {seed}");
        let mut found = vec![];
        queries.overlap_into(&overlaps[i], &mut found);
        assert_eq!(&bodies[i], found, "seed {seed}");
        rate.count(!found.is_empty());
    }
    rate.assert_both("large batches");
}
