//! parry3d's `Bvh` over boxes and poses side by side, with its own tests for the pair of shapes.

use impinge_shapes::Shape;
use impinge_testkit::scenes::{RayCase, Scene, SweepCase};
use parry3d::bounding_volume::Aabb;
use parry3d::math::{Pose, Vector};
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhNode};
use parry3d::query::{
    Ray, RayCast,
    details::{self, ShapeCastOptions},
};
use parry3d::shape::{Ball, Cuboid, SupportMap};

use super::{Answers, Contender, Questions, asked, listed};
use crate::convert;

/// The scene as the tree and the boxes that it sorts.
struct Boxes {
    tree: Bvh,
    boxes: Vec<(Pose, Cuboid)>,
}

impl Boxes {
    fn new(scene: &Scene) -> Self {
        let bounds: Vec<Aabb> = scene.aabbs().iter().map(convert::aabb).collect();
        let boxes = scene.bodies.iter();
        let boxes = boxes.map(|body| (convert::pose(&body.pose), cuboid(&body.shape))).collect();
        Self { tree: Bvh::from_leaves(BvhBuildStrategy::Binned, &bounds), boxes }
    }
}

/// A box; the scenes of this suite hold nothing else.
pub(super) fn cuboid(shape: &Shape) -> Cuboid {
    let shape = convert::shape(shape).and_then(|shape| shape.as_cuboid().copied());
    shape.expect("queries are measured on scenes of boxes")
}

/// A ball.
pub(super) fn ball(shape: &Shape) -> Ball {
    let shape = convert::shape(shape).and_then(|shape| shape.as_ball().copied());
    shape.expect("sphere queries hold spheres")
}

struct Rays {
    boxes: Boxes,
    rays: Vec<(Ray, f32)>,
    hits: Vec<Option<(u32, f32)>>,
}

/// A ray, without its length.
pub(super) fn ray(case: &RayCase) -> Ray {
    Ray::new(convert::vector(case.ray.origin()), convert::vector(case.ray.direction()))
}

/// `Bvh::cast_ray` with the ray test of a box.
pub(super) fn rays(questions: &Questions) -> Box<dyn Contender + '_> {
    let rays = questions.rays.iter().map(|case| (ray(case), case.max_distance)).collect();
    Box::new(Rays { boxes: Boxes::new(&questions.scene), rays, hits: Vec::new() })
}

impl Contender for Rays {
    fn ask(&mut self) {
        let Boxes { tree, boxes } = &self.boxes;
        self.hits.clear();
        self.hits.extend(self.rays.iter().map(|(ray, max_distance)| {
            tree.cast_ray(ray, *max_distance, |id, best| {
                let (pose, cuboid) = &boxes[id as usize];
                cuboid.cast_ray(pose, ray, best, true)
            })
        }));
    }

    fn answers(&self) -> Answers {
        Answers::First(self.hits.clone())
    }
}

/// `Bvh::leaves` with the ray test of a box, left at the first that is met.
pub(super) fn any_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    let Boxes { tree, boxes } = Boxes::new(&questions.scene);
    let rays = questions.rays.iter().map(|case| (ray(case), case.max_distance));
    asked(rays, move |(ray, length)| {
        let mut near = tree.leaves(|node| node.cast_ray(ray, *length) < f32::MAX);
        near.any(|id| {
            let (pose, cuboid) = &boxes[id as usize];
            cuboid.intersects_ray(pose, ray, *length)
        })
    })
}

/// `Bvh::leaves` with the ray test of a box.
pub(super) fn all_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    let Boxes { tree, boxes } = Boxes::new(&questions.scene);
    let rays = questions.rays.iter().map(|case| (ray(case), case.max_distance));
    listed(rays, move |(ray, length), tell| {
        for id in tree.leaves(|node| node.cast_ray(ray, *length) < f32::MAX) {
            let (pose, cuboid) = &boxes[id as usize];
            if let Some(distance) = cuboid.cast_ray(pose, ray, *length, true) {
                tell(id, distance);
            }
        }
    })
}

/// A mover, and how far it goes along a unit direction.
pub(super) struct Mover<S> {
    shape: S,
    pose: Pose,
    /// Its bounds at the start.
    pub(super) bounds: Aabb,
    /// Where it goes.
    pub(super) direction: Vector,
    /// How far it goes.
    pub(super) length: f32,
}

impl<S: SupportMap> Mover<S> {
    /// How far it goes until it touches the box, if less far than `best`.
    pub(super) fn cast(&self, (pose, cuboid): &(Pose, Cuboid), best: f32) -> Option<f32> {
        let hit = details::cast_shapes_support_map_support_map(
            &pose.inv_mul(&self.pose),
            pose.rotation.inverse() * self.direction,
            cuboid,
            &self.shape,
            ShapeCastOptions::with_max_time_of_impact(best),
        );
        hit.map(|hit| hit.time_of_impact)
    }
}

struct Sweeps<S> {
    boxes: Boxes,
    movers: Vec<Mover<S>>,
    hits: Vec<Option<(u32, f32)>>,
}

/// All movers.
pub(super) fn movers<S>(
    questions: &Questions,
    shape: fn(&Shape) -> S,
    bounds: fn(&S, &Pose) -> Aabb,
) -> Vec<Mover<S>> {
    let mover = |case: &SweepCase| {
        let (shape, pose) = (shape(&case.shape), convert::pose(&case.pose));
        let (length, bounds) = (case.displacement.length(), bounds(&shape, &pose));
        let direction = convert::vector(case.displacement / length);
        Mover { shape, pose, bounds, direction, length }
    };
    questions.sweeps.iter().map(mover).collect()
}

/// `Bvh::find_best` over boxes grown by the mover's, with its cast of two support maps.
pub(super) fn sphere_sweeps(questions: &Questions) -> Box<dyn Contender + '_> {
    let movers = movers(questions, ball, Ball::aabb);
    Box::new(Sweeps { boxes: Boxes::new(&questions.scene), movers, hits: Vec::new() })
}

/// `Bvh::find_best` over boxes grown by the mover's, with its cast of two support maps.
pub(super) fn box_sweeps(questions: &Questions) -> Box<dyn Contender + '_> {
    let movers = movers(questions, cuboid, Cuboid::aabb);
    Box::new(Sweeps { boxes: Boxes::new(&questions.scene), movers, hits: Vec::new() })
}

impl<S: SupportMap> Contender for Sweeps<S> {
    fn ask(&mut self) {
        let Boxes { tree, boxes } = &self.boxes;
        self.hits.clear();
        self.hits.extend(self.movers.iter().map(|mover| {
            let ray = Ray::new(mover.bounds.center(), mover.direction);
            let half = mover.bounds.half_extents();
            let grown = |node: &BvhNode| Aabb::new(node.mins() - half, node.maxs() + half);
            tree.find_best(
                mover.length,
                |node, best| grown(node).cast_local_ray(&ray, best, true).unwrap_or(f32::MAX),
                |id, best| mover.cast(&boxes[id as usize], best),
            )
        }));
    }

    fn answers(&self) -> Answers {
        Answers::First(self.hits.clone())
    }
}

/// A shape that asks which boxes it overlaps.
pub(super) trait Probe {
    /// Its bounds.
    fn bounds(&self, pose: &Pose) -> Aabb;

    /// Whether it touches a box, from its pose relative to the box.
    fn touches(&self, pose: &Pose, cuboid: &Cuboid) -> bool;
}

impl Probe for Ball {
    fn bounds(&self, pose: &Pose) -> Aabb {
        self.aabb(pose)
    }

    fn touches(&self, pose: &Pose, cuboid: &Cuboid) -> bool {
        details::intersection_test_point_query_ball(pose, cuboid, self).intersecting
    }
}

impl Probe for Cuboid {
    fn bounds(&self, pose: &Pose) -> Aabb {
        self.aabb(pose)
    }

    fn touches(&self, pose: &Pose, cuboid: &Cuboid) -> bool {
        details::intersection_test_cuboid_cuboid(pose, cuboid, self)
    }
}

/// All shapes that ask.
pub(super) fn probes<S>(questions: &Questions, shape: fn(&Shape) -> S) -> Vec<(S, Pose)> {
    let cases = questions.overlaps.iter();
    cases.map(|case| (shape(&case.shape), convert::pose(&case.pose))).collect()
}

struct Overlaps<S> {
    boxes: Boxes,
    probes: Vec<(S, Pose)>,
    found: Vec<(u32, u32)>,
}

/// `Bvh::intersect_aabb` and its test of a box and a ball.
pub(super) fn sphere_overlaps(questions: &Questions) -> Box<dyn Contender + '_> {
    let probes = probes(questions, ball);
    Box::new(Overlaps { boxes: Boxes::new(&questions.scene), probes, found: Vec::new() })
}

/// `Bvh::intersect_aabb` and its test of two boxes.
pub(super) fn box_overlaps(questions: &Questions) -> Box<dyn Contender + '_> {
    let probes = probes(questions, cuboid);
    Box::new(Overlaps { boxes: Boxes::new(&questions.scene), probes, found: Vec::new() })
}

impl<S: Probe> Contender for Overlaps<S> {
    fn ask(&mut self) {
        let Boxes { tree, boxes } = &self.boxes;
        self.found.clear();
        for (question, (shape, pose)) in (0..).zip(&self.probes) {
            let bounds = shape.bounds(pose);
            let near = tree.intersect_aabb(&bounds);
            self.found.extend(near.filter_map(|id| {
                let (box_pose, cuboid) = &boxes[id as usize];
                shape.touches(&box_pose.inv_mul(pose), cuboid).then_some((question, id))
            }));
        }
    }

    fn answers(&self) -> Answers {
        let mut found = self.found.clone();
        found.sort_unstable();
        Answers::All(found)
    }
}
