//! rapier3d's `QueryPipeline` over its own broad phase.

use impinge_testkit::scenes::{RayCase, SweepCase};
use rapier3d::math::{Pose, Vector};
use rapier3d::parry::query::{DefaultQueryDispatcher, details::ShapeCastOptions};
use rapier3d::prelude::{
    BroadPhaseBvh, ColliderBuilder, ColliderHandle, ColliderSet, IntegrationParameters,
    QueryFilter, QueryPipeline, Ray, RigidBodySet, SharedShape,
};

use super::{Answers, Contender, Questions, asked, listed};
use crate::convert;

/// Colliders without bodies, and the tree over them.
struct Colliders {
    broad_phase: BroadPhaseBvh,
    bodies: RigidBodySet,
    colliders: ColliderSet,
}

impl Colliders {
    fn new(questions: &Questions) -> Self {
        let mut colliders = ColliderSet::new();
        let handles: Vec<ColliderHandle> = questions
            .scene
            .bodies
            .iter()
            .filter_map(|body| {
                let builder = ColliderBuilder::new(convert::shape(&body.shape)?);
                Some(colliders.insert(builder.position(convert::pose(&body.pose))))
            })
            .collect();
        let (mut broad_phase, bodies) = (BroadPhaseBvh::new(), RigidBodySet::new());
        let parameters =
            IntegrationParameters { normalized_prediction_distance: 0.0, ..Default::default() };
        // The second update runs the tree's optimiser if the first one left that pending.
        for modified in [handles.as_slice(), &[]] {
            let mut events = Vec::new();
            broad_phase.update(&parameters, &colliders, &bodies, modified, &[], &mut events);
        }
        Self { broad_phase, bodies, colliders }
    }

    fn queries(&self) -> QueryPipeline<'_> {
        let Self { broad_phase, bodies, colliders } = self;
        let filter = QueryFilter::default();
        broad_phase.as_query_pipeline(&DefaultQueryDispatcher, bodies, colliders, filter)
    }
}

/// A collider's place in the scene.
fn place(handle: ColliderHandle) -> u32 {
    handle.into_raw_parts().0
}

struct Rays {
    colliders: Colliders,
    rays: Vec<(Ray, f32)>,
    hits: Vec<Option<(u32, f32)>>,
}

/// A ray and its length.
fn ray(case: &RayCase) -> (Ray, f32) {
    let (origin, direction) = (case.ray.origin(), case.ray.direction());
    (Ray::new(convert::vector(origin), convert::vector(direction)), case.max_distance)
}

/// `QueryPipeline::cast_ray`.
pub(super) fn rays(questions: &Questions) -> Box<dyn Contender + '_> {
    let rays = questions.rays.iter().map(ray).collect();
    Box::new(Rays { colliders: Colliders::new(questions), rays, hits: Vec::new() })
}

impl Contender for Rays {
    fn ask(&mut self) {
        let queries = self.colliders.queries();
        self.hits.clear();
        self.hits.extend(self.rays.iter().map(|(ray, max_distance)| {
            let (handle, distance) = queries.cast_ray(ray, *max_distance, true)?;
            Some((place(handle), distance))
        }));
    }

    fn answers(&self) -> Answers {
        Answers::First(self.hits.clone())
    }
}

/// `QueryPipeline::intersect_ray`, left at the first collider.
pub(super) fn any_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    let colliders = Colliders::new(questions);
    asked(questions.rays.iter().map(ray), move |(ray, length)| {
        colliders.queries().intersect_ray(*ray, *length, true).next().is_some()
    })
}

/// `QueryPipeline::intersect_ray`.
pub(super) fn all_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    let colliders = Colliders::new(questions);
    listed(questions.rays.iter().map(ray), move |(ray, length), tell| {
        for (handle, _, hit) in colliders.queries().intersect_ray(*ray, *length, true) {
            tell(place(handle), hit.time_of_impact);
        }
    })
}

struct Sweeps {
    colliders: Colliders,
    movers: Vec<(SharedShape, Pose, Vector, f32)>,
    hits: Vec<Option<(u32, f32)>>,
}

/// `QueryPipeline::cast_shape`.
pub(super) fn sweeps(questions: &Questions) -> Box<dyn Contender + '_> {
    let mover = |case: &SweepCase| {
        let length = case.displacement.length();
        let direction = convert::vector(case.displacement / length);
        Some((convert::shape(&case.shape)?, convert::pose(&case.pose), direction, length))
    };
    let movers = questions.sweeps.iter().filter_map(mover).collect();
    Box::new(Sweeps { colliders: Colliders::new(questions), movers, hits: Vec::new() })
}

impl Contender for Sweeps {
    fn ask(&mut self) {
        let queries = self.colliders.queries();
        self.hits.clear();
        self.hits.extend(self.movers.iter().map(|(shape, pose, direction, length)| {
            let options = ShapeCastOptions::with_max_time_of_impact(*length);
            let (handle, hit) = queries.cast_shape(pose, *direction, shape.as_ref(), options)?;
            Some((place(handle), hit.time_of_impact))
        }));
    }

    fn answers(&self) -> Answers {
        Answers::First(self.hits.clone())
    }
}

struct Overlaps {
    colliders: Colliders,
    shapes: Vec<(SharedShape, Pose)>,
    found: Vec<(u32, u32)>,
}

/// `QueryPipeline::intersect_shape`.
pub(super) fn overlaps(questions: &Questions) -> Box<dyn Contender + '_> {
    let cases = questions.overlaps.iter();
    let shapes = cases
        .filter_map(|case| Some((convert::shape(&case.shape)?, convert::pose(&case.pose))))
        .collect();
    Box::new(Overlaps { colliders: Colliders::new(questions), shapes, found: Vec::new() })
}

impl Contender for Overlaps {
    fn ask(&mut self) {
        let queries = self.colliders.queries();
        self.found.clear();
        for (question, (shape, pose)) in (0..).zip(&self.shapes) {
            let hits = queries.intersect_shape(*pose, shape.as_ref());
            self.found.extend(hits.map(|(handle, _)| (question, place(handle))));
        }
    }

    fn answers(&self) -> Answers {
        let mut found = self.found.clone();
        found.sort_unstable();
        Answers::All(found)
    }
}
