//! The tree of the crate `bvh` over the bounds of the boxes, with parry3d's tests for the pair of
//! shapes.

use std::cell::Cell;

use bvh::aabb::{Aabb, Bounded, IntersectsAabb};
use bvh::bounding_hierarchy::BHShape;
use bvh::bvh::Bvh;
use bvh::ray::Ray;
use impinge_testkit::scenes::{RayCase, Scene};
use parry3d::math::{Pose, Vector};
use parry3d::query::RayCast;
use parry3d::shape::{Ball, Cuboid, SupportMap};

use super::{
    Answers, Contender, Questions, asked, listed,
    parry::{self, Mover, Probe},
};
use crate::convert;

/// A body as the tree wants it.
pub(super) struct Placed {
    bounds: Aabb<f32, 3>,
    node: usize,
    id: u32,
    shape: (Pose, Cuboid),
}

impl Bounded<f32, 3> for Placed {
    fn aabb(&self) -> Aabb<f32, 3> {
        self.bounds
    }
}

impl BHShape<f32, 3> for Placed {
    fn set_bh_node_index(&mut self, node: usize) {
        self.node = node;
    }

    fn bh_node_index(&self) -> usize {
        self.node
    }
}

/// The scene as the tree and the boxes that it sorts.
struct Boxes {
    tree: Bvh<f32, 3>,
    bodies: Vec<Placed>,
}

/// All bodies.
pub(super) fn placed(scene: &Scene) -> Vec<Placed> {
    let bodies = (0..).zip(scene.bodies.iter().zip(scene.aabbs()));
    let bodies = bodies.map(|(id, (body, bounds))| {
        let (min, max) = (bounds.min().to_array(), bounds.max().to_array());
        Placed {
            bounds: Aabb::with_bounds(min.into(), max.into()),
            node: 0,
            id,
            shape: (convert::pose(&body.pose), parry::cuboid(&body.shape)),
        }
    });
    bodies.collect()
}

impl Boxes {
    fn new(scene: &Scene) -> Self {
        let mut bodies = placed(scene);
        Self { tree: Bvh::build(&mut bodies), bodies }
    }
}

/// A way that ends at the best hit so far, for boxes grown by `half`. Its own ray has no end.
struct Way {
    from: [f32; 3],
    inverse: [f32; 3],
    half: [f32; 3],
    best: Cell<f32>,
}

impl Way {
    fn new(from: Vector, direction: Vector, half: Vector, length: f32) -> Self {
        // Zero components get so great an inverse that no product with it is no number.
        let inverse = |x: f32| if x.abs() < 1e-20 { 1e20_f32.copysign(x) } else { 1.0 / x };
        let inverse = direction.to_array().map(inverse);
        Self { from: from.to_array(), inverse, half: half.to_array(), best: Cell::new(length) }
    }
}

impl IntersectsAabb<f32, 3> for Way {
    fn intersects_aabb(&self, aabb: &Aabb<f32, 3>) -> bool {
        let (mut enter, mut leave) = (0.0_f32, self.best.get());
        for axis in 0..3 {
            let (from, half) = (self.from[axis], self.half[axis]);
            let one = (aabb.min[axis] - half - from) * self.inverse[axis];
            let other = (aabb.max[axis] + half - from) * self.inverse[axis];
            enter = enter.max(one.min(other));
            leave = leave.min(one.max(other));
        }
        enter <= leave
    }
}

/// The first body along a way, by its lazy traversal, whose query shortens with each hit.
fn first(
    Boxes { tree, bodies }: &Boxes,
    way: &Way,
    length: f32,
    test: impl Fn(&(Pose, Cuboid), f32) -> Option<f32>,
) -> Option<(u32, f32)> {
    way.best.set(length);
    let mut first = None;
    for body in tree.traverse_iterator(way, bodies) {
        if let Some(distance) = test(&body.shape, way.best.get()) {
            way.best.set(distance);
            first = Some((body.id, distance));
            if distance <= 0.0 {
                break;
            }
        }
    }
    first
}

struct Rays {
    boxes: Boxes,
    rays: Vec<(Way, parry3d::query::Ray, f32)>,
    hits: Vec<Option<(u32, f32)>>,
}

/// A ray as its tree and as parry3d wants it, and its length.
fn way(case: &RayCase) -> (Way, parry3d::query::Ray, f32) {
    let (ray, length) = (parry::ray(case), case.max_distance);
    (Way::new(ray.origin, ray.dir, Vector::ZERO, length), ray, length)
}

/// `Bvh::traverse_iterator` and parry3d's ray test of a box.
pub(super) fn all_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    let Boxes { tree, bodies } = Boxes::new(&questions.scene);
    listed(questions.rays.iter().map(way), move |(way, ray, length), tell| {
        for body in tree.traverse_iterator(way, &bodies) {
            let (pose, cuboid) = &body.shape;
            if let Some(distance) = cuboid.cast_ray(pose, ray, *length, true) {
                tell(body.id, distance);
            }
        }
    })
}

/// `Bvh::traverse_iterator` and parry3d's ray test of a box, left at the first that is met.
pub(super) fn any_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    let Boxes { tree, bodies } = Boxes::new(&questions.scene);
    asked(questions.rays.iter().map(way), move |(way, ray, length)| {
        tree.traverse_iterator(way, &bodies).any(|body| {
            let (pose, cuboid) = &body.shape;
            cuboid.intersects_ray(pose, ray, *length)
        })
    })
}

/// `Bvh::traverse_iterator` with a query that shortens, and parry3d's ray test of a box.
pub(super) fn rays(questions: &Questions) -> Box<dyn Contender + '_> {
    let rays = questions.rays.iter().map(way).collect();
    Box::new(Rays { boxes: Boxes::new(&questions.scene), rays, hits: Vec::new() })
}

impl Contender for Rays {
    fn ask(&mut self) {
        self.hits.clear();
        self.hits.extend(self.rays.iter().map(|(way, ray, length)| {
            first(&self.boxes, way, *length, |(pose, cuboid), best| {
                cuboid.cast_ray(pose, ray, best, true)
            })
        }));
    }

    fn answers(&self) -> Answers {
        Answers::First(self.hits.clone())
    }
}

struct NearestRays {
    boxes: Boxes,
    rays: Vec<(Ray<f32, 3>, parry3d::query::Ray, f32)>,
    hits: Vec<Option<(u32, f32)>>,
}

/// `Bvh::nearest_traverse_iterator`, left where bounds begin behind the best hit.
pub(super) fn nearest_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    let ray = |case: &RayCase| {
        let (from, way) = (case.ray.origin().to_array(), case.ray.direction().to_array());
        (Ray::new(from.into(), way.into()), parry::ray(case), case.max_distance)
    };
    let rays = questions.rays.iter().map(ray).collect();
    Box::new(NearestRays { boxes: Boxes::new(&questions.scene), rays, hits: Vec::new() })
}

impl Contender for NearestRays {
    fn ask(&mut self) {
        let Boxes { tree, bodies } = &self.boxes;
        self.hits.clear();
        self.hits.extend(self.rays.iter().map(|(ray, peer, length)| {
            let (mut first, mut best) = (None, *length);
            for body in tree.nearest_traverse_iterator(ray, bodies) {
                if ray.intersection_slice_for_aabb(&body.bounds)?.0 > best {
                    break;
                }
                let (pose, cuboid) = &body.shape;
                if let Some(distance) = cuboid.cast_ray(pose, peer, best, true) {
                    best = distance;
                    first = Some((body.id, distance));
                }
            }
            first
        }));
    }

    fn answers(&self) -> Answers {
        Answers::First(self.hits.clone())
    }
}

struct Sweeps<S> {
    boxes: Boxes,
    movers: Vec<(Mover<S>, Way)>,
    hits: Vec<Option<(u32, f32)>>,
}

fn sweeps<S>(questions: &Questions, movers: Vec<Mover<S>>) -> Sweeps<S> {
    let with_way = |mover: Mover<S>| {
        let (from, half) = (mover.bounds.center(), mover.bounds.half_extents());
        let way = Way::new(from, mover.direction, half, mover.length);
        (mover, way)
    };
    let movers = movers.into_iter().map(with_way).collect();
    Sweeps { boxes: Boxes::new(&questions.scene), movers, hits: Vec::new() }
}

/// `Bvh::traverse_iterator` with a query that grows boxes and shortens, and parry3d's cast.
pub(super) fn sphere_sweeps(questions: &Questions) -> Box<dyn Contender + '_> {
    Box::new(sweeps(questions, parry::movers(questions, parry::ball, Ball::aabb)))
}

/// `Bvh::traverse_iterator` with a query that grows boxes and shortens, and parry3d's cast.
pub(super) fn box_sweeps(questions: &Questions) -> Box<dyn Contender + '_> {
    Box::new(sweeps(questions, parry::movers(questions, parry::cuboid, Cuboid::aabb)))
}

impl<S: SupportMap> Contender for Sweeps<S> {
    fn ask(&mut self) {
        self.hits.clear();
        self.hits.extend(self.movers.iter().map(|(mover, way)| {
            first(&self.boxes, way, mover.length, |shape, best| mover.cast(shape, best))
        }));
    }

    fn answers(&self) -> Answers {
        Answers::First(self.hits.clone())
    }
}

struct Overlaps<S> {
    boxes: Boxes,
    probes: Vec<(S, Pose)>,
    found: Vec<(u32, u32)>,
}

/// `Bvh::traverse_iterator` with bounds, and parry3d's test of a box and a ball.
pub(super) fn sphere_overlaps(questions: &Questions) -> Box<dyn Contender + '_> {
    let probes = parry::probes(questions, parry::ball);
    Box::new(Overlaps { boxes: Boxes::new(&questions.scene), probes, found: Vec::new() })
}

/// `Bvh::traverse_iterator` with bounds, and parry3d's test of two boxes.
pub(super) fn box_overlaps(questions: &Questions) -> Box<dyn Contender + '_> {
    let probes = parry::probes(questions, parry::cuboid);
    Box::new(Overlaps { boxes: Boxes::new(&questions.scene), probes, found: Vec::new() })
}

impl<S: Probe> Contender for Overlaps<S> {
    fn ask(&mut self) {
        let Boxes { tree, bodies } = &self.boxes;
        self.found.clear();
        for (question, (shape, pose)) in (0..).zip(&self.probes) {
            let bounds = shape.bounds(pose);
            let (min, max) = (bounds.mins.to_array(), bounds.maxs.to_array());
            let bounds = Aabb::with_bounds(min.into(), max.into());
            let near = tree.traverse_iterator(&bounds, bodies);
            self.found.extend(near.filter_map(|body| {
                let (box_pose, cuboid) = &body.shape;
                shape.touches(&box_pose.inv_mul(pose), cuboid).then_some((question, body.id))
            }));
        }
    }

    fn answers(&self) -> Answers {
        let mut found = self.found.clone();
        found.sort_unstable();
        Answers::All(found)
    }
}
