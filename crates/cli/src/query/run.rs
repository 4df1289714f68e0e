//! Answers the queries of one scene.

use std::io::Write;
use std::path::Path;

use impinge::broadphase::{BroadPhase, Mobility};
use impinge::narrowphase as narrow;
use impinge::{Body, BodyId, Filter, Queries, RayHit, RayQuery, SweepHit, SweepQuery, World};

use super::answer::{
    Answer, ClosestOut, ContactOut, Line, Number, PairOut, RayHitOut, SweepHitOut,
};
use super::fields::{Fields, Problem};
use super::json::Json;
use super::request::{self, Mode, Request};
use super::scene::{Scene, SceneBody};
use super::write_line;

/// Reads the scene and answers its queries, line by line.
///
/// Says whether every query was good; a bad scene is the inner error.
pub(crate) fn answer(
    json: &Json,
    number: Option<usize>,
    base: &Path,
    out: &mut impl Write,
) -> anyhow::Result<Result<bool, Problem>> {
    let scene = match Scene::read(json, base) {
        Ok(scene) => scene,
        Err(problem) => return Ok(Err(problem)),
    };
    let mut world = World::with_capacity(scene.bodies.len());
    let mut ids = Vec::with_capacity(scene.bodies.len());
    for body in &scene.bodies {
        ids.push(world.insert(body_of(body))?);
    }
    let asked = Asked { scene: &scene, ids: &ids, view: &world.queries() };
    let mut all_good = true;
    for (place, query) in scene.queries.iter().enumerate() {
        let line = asked.line(query, place, number);
        all_good &= !matches!(line.answer, Answer::Error { .. });
        write_line(&line, out)?;
    }
    Ok(Ok(all_good))
}

fn body_of(body: &SceneBody) -> Body {
    let shape = body.shape.clone();
    let fresh = if body.fixed { Body::fixed(shape) } else { Body::moving(shape) };
    fresh.pose(body.pose)
}

/// A scene in a world.
struct Asked<'a> {
    scene: &'a Scene<'a>,
    /// In the order of the scene's bodies, and sorted: a new world hands out ids in order.
    ids: &'a [BodyId],
    view: &'a Queries<'a>,
}

impl<'a> Asked<'a> {
    fn line(&self, query: &'a Json, place: usize, number: Option<usize>) -> Line<'a> {
        let id = match Fields::new(query, &format!("queries[{place}]"))
            .and_then(|mut fields| fields.text("id"))
        {
            Ok(id) => id,
            Err(problem) => {
                // Nothing else names the query, so the error is one of the scene.
                let answer = Answer::Error { error: problem.to_string() };
                return Line { scene: Some(number.unwrap_or(0)), id: None, answer };
            }
        };
        let answer = match request::read(query, self.scene) {
            Ok(request) => self.answer(request),
            Err(problem) => Answer::Error { error: problem.to_string() },
        };
        Line { scene: number, id: Some(id), answer }
    }

    fn answer(&self, request: Request) -> Answer<'a> {
        let filter = Filter::default();
        match request {
            Request::Raycast { ray, max_distance, options, mode } => {
                self.raycast(&RayQuery::new(ray, max_distance).options(options), mode)
            }
            Request::Sweep { shape, pose, displacement, options, mode } => {
                self.sweep(&SweepQuery::new(&shape, pose, displacement).options(options), mode)
            }
            Request::Overlap { shape, pose } => {
                Answer::Bodies { bodies: self.names(&self.view.overlap(&shape, &pose, &filter)) }
            }
            Request::Pair { a, b } => self.pair(a, b),
            Request::Closest { point, max_distance } => {
                let found = self.view.closest_point(point, max_distance, &filter);
                Answer::Closest(ClosestOut {
                    body: found.map(|found| self.name(found.body)),
                    distance: found.map(|found| Number(found.closest.distance)),
                    point: found.map(|found| found.closest.point_b.into()),
                })
            }
            Request::Plane(plane) => {
                let split = self.view.classify_plane(&plane, &filter);
                Answer::Sides {
                    front: self.names(&split.front),
                    straddling: self.names(&split.straddling),
                    behind: self.names(&split.behind),
                }
            }
            Request::ClampMovement { body, movement } => {
                let mover = &self.scene.bodies[body];
                let bounds = mover.shape.aabb(&mover.pose);
                let others = filter.exclude(self.ids[body]);
                let permitted = self.view.clamp_movement(&bounds, movement, &others);
                Answer::Movement { movement: permitted.into() }
            }
            Request::AabbPairs => self.pairs(|_, _| true),
            Request::BodyPairs => {
                self.pairs(|a, b| narrow::overlaps(&a.shape, &a.pose, &b.shape, &b.pose))
            }
        }
    }

    fn raycast(&self, query: &RayQuery<'_>, mode: Mode) -> Answer<'a> {
        let mut hits = Vec::new();
        match mode {
            Mode::Closest | Mode::Any => hits.extend(self.view.raycast_with(query)),
            Mode::All => self.view.raycast_all_with(query, &mut hits),
        }
        Answer::RayHits { hits: hits.iter().map(|hit| self.ray_hit(hit)).collect() }
    }

    fn sweep(&self, query: &SweepQuery<'_>, mode: Mode) -> Answer<'a> {
        let mut hits = Vec::new();
        match mode {
            Mode::Closest | Mode::Any => hits.extend(self.view.sweep_with(query)),
            Mode::All => self.view.sweep_all_with(query, &mut hits),
        }
        Answer::SweepHits { hits: hits.iter().map(|hit| self.sweep_hit(hit)).collect() }
    }

    fn name(&self, id: BodyId) -> &'a str {
        let place = self.ids.binary_search(&id).expect("views answer with ids of their world");
        &self.scene.bodies[place].id
    }

    fn names(&self, ids: &[BodyId]) -> Vec<&'a str> {
        ids.iter().map(|&id| self.name(id)).collect()
    }

    fn ray_hit(&self, hit: &RayHit) -> RayHitOut<'a> {
        RayHitOut {
            body: self.name(hit.body),
            distance: Number(hit.distance),
            point: hit.point.into(),
            normal: hit.normal.into(),
            started_inside: hit.started_inside,
        }
    }

    fn sweep_hit(&self, hit: &SweepHit) -> SweepHitOut<'a> {
        SweepHitOut {
            body: self.name(hit.body),
            fraction: Number(hit.fraction),
            distance: Number(hit.distance),
            point: hit.point.into(),
            normal: hit.normal.into(),
            started_overlapping: hit.started_overlapping,
        }
    }

    /// Contact points only where the two overlap: apart they have none, however near.
    fn pair(&self, a: usize, b: usize) -> Answer<'a> {
        let (a, b) = (&self.scene.bodies[a], &self.scene.bodies[b]);
        let closest = narrow::closest(&a.shape, &a.pose, &b.shape, &b.pose, f32::INFINITY);
        let Some(closest) = closest else {
            return Answer::Error { error: "the two are too far apart to measure".to_owned() };
        };
        let mut manifold = Vec::new();
        for patch in narrow::manifolds(&a.shape, &a.pose, &b.shape, &b.pose, 0.0) {
            manifold.extend(patch.points.iter().map(|point| ContactOut {
                point_a: point.point_a.into(),
                point_b: point.point_b.into(),
                distance: Number(point.distance),
                normal: patch.normal.into(),
                feature: point.feature.0,
            }));
        }
        Answer::Pair(PairOut {
            overlap: narrow::overlaps(&a.shape, &a.pose, &b.shape, &b.pose),
            distance: Number(closest.distance),
            normal: closest.normal.into(),
            point_a: closest.point_a.into(),
            point_b: closest.point_b.into(),
            manifold,
        })
    }

    /// The pairs of bodies with overlapping bounds that pass the test, fixed ones among them.
    ///
    /// The world's own pairs leave out two fixed bodies, so the broad phase is asked directly.
    fn pairs(&self, test: impl Fn(&SceneBody, &SceneBody) -> bool) -> Answer<'a> {
        let bodies = &self.scene.bodies;
        let mut broad = BroadPhase::new();
        for (place, body) in (0..).zip(bodies) {
            broad.set(place, body.shape.aabb(&body.pose), Mobility::Moving);
        }
        broad.update();
        let pairs: Vec<[&str; 2]> = broad
            .pairs()
            .iter()
            .map(|pair| (&bodies[pair.a as usize], &bodies[pair.b as usize]))
            .filter(|(a, b)| test(a, b))
            .map(|(a, b)| [a.id.as_str(), b.id.as_str()])
            .collect();
        Answer::Pairs { count: pairs.len(), pairs }
    }
}
