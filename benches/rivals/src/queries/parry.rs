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

use super::{Answers, Contender, Questions};
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
fn cuboid(shape: &Shape) -> Cuboid {
    let shape = convert::shape(shape).and_then(|shape| shape.as_cuboid().copied());
    shape.expect("queries are measured on scenes of boxes")
}

fn ball(shape: &Shape) -> Ball {
    let shape = convert::shape(shape).and_then(|shape| shape.as_ball().copied());
    shape.expect("sphere queries hold spheres")
}

struct Rays {
    boxes: Boxes,
    rays: Vec<(Ray, f32)>,
    hits: Vec<Option<(u32, f32)>>,
}

/// `Bvh::cast_ray` with the ray test of a box.
pub(super) fn rays(questions: &Questions) -> Box<dyn Contender + '_> {
    let ray = |case: &RayCase| {
        let (origin, direction) = (case.ray.origin(), case.ray.direction());
        (Ray::new(convert::vector(origin), convert::vector(direction)), case.max_distance)
    };
    let rays = questions.rays.iter().map(ray).collect();
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

/// A mover, and how far it goes along a unit direction.
struct Mover<S> {
    shape: S,
    pose: Pose,
    bounds: Aabb,
    direction: Vector,
    length: f32,
}

struct Sweeps<S> {
    boxes: Boxes,
    movers: Vec<Mover<S>>,
    hits: Vec<Option<(u32, f32)>>,
}

fn movers<S>(
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
                |id, best| {
                    let (pose, cuboid) = &boxes[id as usize];
                    let hit = details::cast_shapes_support_map_support_map(
                        &pose.inv_mul(&mover.pose),
                        pose.rotation.inverse() * mover.direction,
                        cuboid,
                        &mover.shape,
                        ShapeCastOptions::with_max_time_of_impact(best),
                    );
                    hit.map(|hit| hit.time_of_impact)
                },
            )
        }));
    }

    fn answers(&self) -> Answers {
        Answers::First(self.hits.clone())
    }
}

struct Overlaps<S> {
    boxes: Boxes,
    shapes: Vec<(S, Pose)>,
    bounds: fn(&S, &Pose) -> Aabb,
    test: fn(&Pose, &Cuboid, &S) -> bool,
    found: Vec<(u32, u32)>,
}

fn shapes<S>(questions: &Questions, shape: fn(&Shape) -> S) -> Vec<(S, Pose)> {
    let cases = questions.overlaps.iter();
    cases.map(|case| (shape(&case.shape), convert::pose(&case.pose))).collect()
}

/// `Bvh::intersect_aabb` and its test of a box and a ball.
pub(super) fn sphere_overlaps(questions: &Questions) -> Box<dyn Contender + '_> {
    Box::new(Overlaps {
        boxes: Boxes::new(&questions.scene),
        shapes: shapes(questions, ball),
        bounds: Ball::aabb,
        test: |pose, cuboid, ball| {
            details::intersection_test_point_query_ball(pose, cuboid, ball).intersecting
        },
        found: Vec::new(),
    })
}

/// `Bvh::intersect_aabb` and its test of two boxes.
pub(super) fn box_overlaps(questions: &Questions) -> Box<dyn Contender + '_> {
    Box::new(Overlaps {
        boxes: Boxes::new(&questions.scene),
        shapes: shapes(questions, cuboid),
        bounds: Cuboid::aabb,
        test: details::intersection_test_cuboid_cuboid,
        found: Vec::new(),
    })
}

impl<S> Contender for Overlaps<S> {
    fn ask(&mut self) {
        let Boxes { tree, boxes } = &self.boxes;
        self.found.clear();
        for (question, (shape, pose)) in (0..).zip(&self.shapes) {
            let bounds = (self.bounds)(shape, pose);
            let near = tree.intersect_aabb(&bounds);
            self.found.extend(near.filter_map(|id| {
                let (box_pose, cuboid) = &boxes[id as usize];
                (self.test)(&box_pose.inv_mul(pose), cuboid, shape).then_some((question, id))
            }));
        }
    }

    fn answers(&self) -> Answers {
        let mut found = self.found.clone();
        found.sort_unstable();
        Answers::All(found)
    }
}
