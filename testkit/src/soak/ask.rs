//! Questions to the world against a loop over all bodies.

use glam::Vec3;
use impinge_narrowphase::{self as narrow, ImpactOptions, Motion, SweepOptions, TimeOfImpact};
use impinge_shapes::{Aabb, Plane, PlaneSide, Pose, Shape, round};
use impinge_world::{
    AabbQuery, BodyId, BodyImpact, ClosestBody, ClosestQuery, Filter, FirstImpact, Hits,
    ImpactQuery, MovementQuery, OverlapQuery, PointQuery, RayQuery, SweepQuery,
};

use super::naive::Naive;
use super::{Soak, draw};
use crate::check::expect_same;
use crate::naive;

impl Soak {
    /// One question of a random sort; a few at once as a batch.
    pub(super) fn ask(&mut self) -> Result<(), String> {
        match self.rng.below(10) {
            0 | 1 => self.ask_rays(),
            2 | 3 => self.ask_sweeps(),
            4 => self.ask_overlaps(),
            5 | 6 => self.ask_closest(),
            7 => self.ask_impacts(),
            8 => self.ask_boxes(),
            _ => self.ask_places(),
        }
    }

    fn ask_rays(&mut self) -> Result<(), String> {
        let mut query = || draw::ray_query(&self.setting, &self.naive, &mut self.rng);
        let batch: Vec<RayQuery<'static>> = (0..4).map(|_| query()).collect();
        let queries = self.world.queries();
        let (mut first, mut any, mut all) = (Vec::new(), Vec::new(), Hits::new());
        queries.raycast_batch(&batch, &mut first);
        queries.raycast_any_batch(&batch, &mut any);
        queries.raycast_all_batch(&batch, &mut all);
        let mut found = Vec::new();
        for (place, query) in batch.iter().enumerate() {
            let expected = naive::ray_hits(self.naive.placed(&query.filter), query);
            let nearest = expected.first().copied();
            expect_same(queries.raycast_with(query), nearest, query)?;
            expect_same(queries.raycast_any_with(query), nearest.is_some(), query)?;
            let mut hits = Vec::new();
            queries.raycast_all_with(query, &mut hits);
            expect_same(hits, expected.clone(), query)?;
            expect_same((first[place], any[place]), (nearest, nearest.is_some()), query)?;
            expect_same(&all[place], &expected[..], query)?;
            found.push(nearest.is_some());
        }
        found.into_iter().for_each(|found| self.count("rays", found));
        Ok(())
    }

    fn ask_sweeps(&mut self) -> Result<(), String> {
        let shapes: Vec<Shape> =
            (0..2).map(|_| draw::shape(&self.setting, &mut self.rng).1).collect();
        let mut batch = Vec::new();
        for shape in &shapes {
            let rng = &mut self.rng;
            let options = SweepOptions {
                stop_on_touch: rng.one_in(3),
                skip_started: rng.one_in(3),
                skip_leaving: rng.one_in(2),
            };
            let pose = draw::pose(&self.setting, rng);
            let query = SweepQuery::new(shape, pose, draw::displacement(&self.setting, rng));
            batch.push(query.options(options).filter(draw::filter(&self.naive, rng)));
        }
        let queries = self.world.queries();
        let (mut first, mut any, mut all) = (Vec::new(), Vec::new(), Hits::new());
        queries.sweep_batch(&batch, &mut first);
        queries.sweep_any_batch(&batch, &mut any);
        queries.sweep_all_batch(&batch, &mut all);
        let mut found = Vec::new();
        for (place, query) in batch.iter().enumerate() {
            let expected = naive::sweep_hits(self.naive.placed(&query.filter), query);
            let nearest = expected.first().copied();
            expect_same(queries.sweep_with(query), nearest, query)?;
            expect_same(queries.sweep_any_with(query), nearest.is_some(), query)?;
            let mut hits = Vec::new();
            queries.sweep_all_with(query, &mut hits);
            expect_same(hits, expected.clone(), query)?;
            expect_same((first[place], any[place]), (nearest, nearest.is_some()), query)?;
            expect_same(&all[place], &expected[..], query)?;
            found.push(nearest.is_some());
        }
        found.into_iter().for_each(|found| self.count("sweeps", found));
        Ok(())
    }

    fn ask_overlaps(&mut self) -> Result<(), String> {
        let shapes: Vec<Shape> =
            (0..2).map(|_| draw::shape(&self.setting, &mut self.rng).1).collect();
        let mut batch = Vec::new();
        for shape in &shapes {
            let pose = draw::pose(&self.setting, &mut self.rng);
            let filter = draw::filter(&self.naive, &mut self.rng);
            batch.push(OverlapQuery::new(shape, pose).filter(filter));
        }
        let queries = self.world.queries();
        let mut all = Hits::new();
        queries.overlap_batch(&batch, &mut all);
        let mut found = Vec::new();
        for (place, query) in batch.iter().enumerate() {
            let expected = ids(&self.naive, &query.filter, |shape, pose| {
                narrow::overlaps(query.shape, &query.pose, shape, pose)
            });
            let (shape, pose, filter) = (query.shape, &query.pose, &query.filter);
            expect_same(queries.overlap(shape, pose, filter), expected.clone(), query)?;
            expect_same(queries.overlap_any(shape, pose, filter), !expected.is_empty(), query)?;
            expect_same(&all[place], &expected[..], query)?;
            found.push(!expected.is_empty());
        }
        found.into_iter().for_each(|found| self.count("overlaps", found));
        Ok(())
    }

    fn ask_closest(&mut self) -> Result<(), String> {
        let (_, shape) = draw::shape(&self.setting, &mut self.rng);
        let rng = &mut self.rng;
        let reach = draw::reach(&self.setting, rng);
        let query = ClosestQuery::new(&shape, draw::pose(&self.setting, rng), reach)
            .filter(draw::filter(&self.naive, rng));
        let queries = self.world.queries();
        let expected = closest(&self.naive, &query);
        let nearest = expected.first().copied();
        expect_same(queries.closest_with(&query), nearest, &query)?;
        expect_same(queries.closest_any_with(&query), nearest.is_some(), &query)?;
        let mut found = Vec::new();
        queries.closest_all_with(&query, &mut found);
        expect_same(found, expected, &query)?;
        let mut batch = Vec::new();
        queries.closest_batch(&[query, query], &mut batch);
        expect_same(batch, vec![nearest; 2], &query)?;
        self.count("closest", nearest.is_some());
        let is_deep = nearest.is_some_and(|found| found.closest.distance < 0.0);
        self.count("deepest", is_deep);
        Ok(())
    }

    fn ask_impacts(&mut self) -> Result<(), String> {
        let (_, shape) = draw::shape(&self.setting, &mut self.rng);
        let rng = &mut self.rng;
        let turn = if rng.one_in(3) { Vec3::ZERO } else { rng.cube(-4.0, 4.0) };
        let (pose, way) = (
            draw::pose(&self.setting, rng),
            rng.cube(-2.0, 2.0) * round::nearest(self.setting.unit),
        );
        let motion = Motion::new(pose, way, turn).map_err(|error| error.to_string())?;
        let options = ImpactOptions {
            stop_on_touch: rng.one_in(3),
            skip_started: rng.one_in(2),
            ..ImpactOptions::default()
        };
        let filter = draw::filter(&self.naive, rng);
        let query = ImpactQuery::new(&shape, motion).options(options).filter(filter);
        let expected = first_impact(&self.naive, &query);
        expect_same(self.world.queries().time_of_impact_with(&query), expected, &query)?;
        self.count("impacts", matches!(expected, FirstImpact::Touches(_)));
        Ok(())
    }

    fn ask_boxes(&mut self) -> Result<(), String> {
        let rng = &mut self.rng;
        let center = draw::pose(&self.setting, rng).position();
        let size = rng.cube(0.0, self.setting.side).abs() * rng.pick(&[0.0, 0.1, 1.0]);
        let far = (center + size).min(Vec3::MAX).max(center);
        let bounds = Aabb::new(center, far).map_err(|error| error.to_string())?;
        let filter = draw::filter(&self.naive, rng);
        let movement = draw::displacement(&self.setting, rng);
        let queries = self.world.queries();
        let near: Vec<_> = self.naive.seen(&filter);
        let overlapping = near.iter().filter(|body| body.aabb().overlaps(&bounds));
        let mut expected: Vec<BodyId> = overlapping.map(|body| body.id).collect();
        expected.sort_unstable();
        expect_same(queries.aabb_candidates(&bounds, &filter), expected.clone(), &bounds)?;
        let found = queries.overlap_aabb(&bounds, &filter);
        if !found.iter().all(|id| expected.contains(id)) {
            return Err(format!("beyond their bounds: {found:?} in {bounds:?}"));
        }
        let mut batch = Hits::new();
        queries.overlap_aabb_batch(&[AabbQuery { bounds, filter }], &mut batch);
        expect_same(&batch[0], &found[..], &bounds)?;
        let all: Vec<Aabb> = near.iter().map(|body| body.aabb()).collect();
        let expected_way = narrow::clamp_movement(&bounds, movement, all);
        expect_same(queries.clamp_movement(&bounds, movement, &filter), expected_way, &movement)?;
        let mut ways = Vec::new();
        queries
            .clamp_movement_batch(&[MovementQuery { mover: bounds, movement, filter }], &mut ways);
        expect_same(ways, vec![expected_way], &movement)?;
        self.count("bounds", !expected.is_empty());
        self.count("boxes", !found.is_empty());
        self.count("cut movements", movement.is_finite() && expected_way != movement);
        Ok(())
    }

    /// Points and planes.
    fn ask_places(&mut self) -> Result<(), String> {
        let rng = &mut self.rng;
        let (point, filter) =
            (draw::pose(&self.setting, rng).position(), draw::filter(&self.naive, rng));
        let reach = draw::reach(&self.setting, rng);
        let plane = loop {
            let through = draw::pose(&self.setting, rng).position();
            if let Ok(plane) = Plane::through(through, draw::ray(&self.setting, rng).direction()) {
                break plane;
            }
        };
        let queries = self.world.queries();
        let containing = ids(&self.naive, &filter, |shape, pose| shape.contains_point(pose, point));
        expect_same(queries.contains_point(point, &filter), containing.clone(), &point)?;
        let dot = Shape::sphere(0.0).map_err(|error| error.to_string())?;
        let at = Pose::from_position(point).map_err(|error| error.to_string())?;
        let query = ClosestQuery::new(&dot, at, reach).filter(filter);
        let nearest = closest(&self.naive, &query).first().copied();
        expect_same(queries.closest_point(point, reach, &filter), nearest, &query)?;
        let mut batch = Vec::new();
        let points = [PointQuery { point, max_distance: reach, filter }];
        queries.closest_point_batch(&points, &mut batch);
        expect_same(batch, vec![nearest], &query)?;
        let split = queries.classify_plane(&plane, &filter);
        let on =
            |side| ids(&self.naive, &filter, |shape, pose| shape.classify(pose, &plane) == side);
        expect_same(split.front.clone(), on(PlaneSide::Front), &plane)?;
        expect_same(split.straddling.clone(), on(PlaneSide::Straddling), &plane)?;
        expect_same(split.behind, on(PlaneSide::Behind), &plane)?;
        expect_same(queries.overlap_plane(&plane, &filter), split.straddling.clone(), &plane)?;
        self.count("points", !containing.is_empty());
        self.count("nearest to points", nearest.is_some());
        self.count("planes", !split.straddling.is_empty());
        Ok(())
    }
}

/// The bodies that pass a test, in the order of ids.
fn ids(
    naive: &Naive,
    filter: &Filter<'_>,
    mut test: impl FnMut(&Shape, &Pose) -> bool,
) -> Vec<BodyId> {
    let mut ids: Vec<BodyId> = naive
        .seen(filter)
        .into_iter()
        .filter(|body| test(&body.shape, &body.pose))
        .map(|body| body.id)
        .collect();
    ids.sort_unstable();
    ids
}

fn closest(naive: &Naive, query: &ClosestQuery<'_>) -> Vec<ClosestBody> {
    let mut found = Vec::new();
    for body in naive.seen(&query.filter) {
        let (shape, pose, max) = (query.shape, &query.pose, query.max_distance);
        let closest = narrow::closest(shape, pose, &body.shape, &body.pose, max);
        found.extend(closest.map(|closest| ClosestBody { body: body.id, closest }));
    }
    found.sort_by(|a: &ClosestBody, b: &ClosestBody| {
        a.closest.distance.total_cmp(&b.closest.distance).then(a.body.cmp(&b.body))
    });
    found
}

/// The first touch of all bodies, unless something before it is not known.
fn first_impact(naive: &Naive, query: &ImpactQuery<'_>) -> FirstImpact {
    let bounds = query.shape.aabb(&Pose::IDENTITY);
    let extent = (bounds.max() - bounds.min()).max_element();
    // A mover without extent, or without end, has no tolerance of its own.
    let options = if extent > 0.0 && extent.is_finite() {
        query.options
    } else {
        ImpactOptions { tolerance: Some(0.0), ..query.options }
    };
    let mut first: Option<BodyImpact> = None;
    let mut safe = f32::INFINITY;
    for body in naive.seen(&query.filter) {
        let still = Motion::still(body.pose);
        let found =
            narrow::time_of_impact(&body.shape, &still, query.shape, &query.motion, &options);
        match found {
            TimeOfImpact::Apart => {}
            TimeOfImpact::Unconverged { safe: known } => safe = safe.min(known),
            TimeOfImpact::Touches(hit) => {
                let key = (hit.fraction, body.id);
                if first.is_none_or(|best| key < (best.fraction, best.body)) {
                    first = Some(BodyImpact {
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
        }
    }
    match first {
        Some(hit) if hit.fraction <= safe => FirstImpact::Touches(hit),
        _ if safe < f32::INFINITY => FirstImpact::Unconverged { safe },
        _ => FirstImpact::Apart,
    }
}
