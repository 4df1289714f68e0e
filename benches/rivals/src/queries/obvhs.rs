//! obvhs's trees over the bounds of the boxes, with parry3d's tests for the pair of shapes.

use std::time::Duration;

use glam::Vec3A;
use impinge_testkit::scenes::{RayCase, Scene};
use obvhs::{
    BvhBuildParams,
    aabb::Aabb,
    bvh2::{Bvh2, builder::build_bvh2},
    cwbvh::{CwBvh, builder::build_cwbvh},
    ray::{Ray, RayHit},
};
use parry3d::math::Pose;
use parry3d::query::RayCast;
use parry3d::shape::{Ball, Cuboid, SupportMap};

use super::{
    Answers, Contender, Questions, asked, listed,
    parry::{self, Mover, Probe},
};
use crate::convert;

/// The best trees it builds. One box in a leaf: a test of a box costs more than one of its bounds.
pub(super) const BUILD: BvhBuildParams =
    BvhBuildParams { max_prims_per_leaf: 1, ..BvhBuildParams::very_slow_build() };

/// A tree, and the boxes in the order of its leaves.
struct Boxes<T> {
    tree: T,
    boxes: Vec<(Pose, Cuboid)>,
    /// The bodies, in the same order.
    ids: Vec<u32>,
}

impl<T> Boxes<T> {
    fn new(scene: &Scene, build: fn(&[Aabb]) -> T, order: fn(&T) -> &[u32]) -> Self {
        let bounds: Vec<Aabb> = scene.aabbs().iter().map(convert::wide_aabb).collect();
        let tree = build(&bounds);
        let ids = order(&tree).to_vec();
        let bodies = ids.iter().map(|&id| &scene.bodies[id as usize]);
        let boxes = bodies.map(|body| (convert::pose(&body.pose), parry::cuboid(&body.shape)));
        Self { boxes: boxes.collect(), tree, ids }
    }
}

/// The eight-wide tree.
fn wide(scene: &Scene) -> Boxes<CwBvh> {
    let build = |bounds: &[Aabb]| build_cwbvh(bounds, BUILD, &mut Duration::default());
    Boxes::new(scene, build, |tree| &tree.primitive_indices)
}

/// The binary tree.
fn binary(scene: &Scene) -> Boxes<Bvh2> {
    let build = |bounds: &[Aabb]| build_bvh2(bounds, BUILD, &mut Duration::default());
    Boxes::new(scene, build, |tree| &tree.primitive_indices)
}

/// What both trees do with a ray.
trait Tree {
    fn cast(&self, ray: Ray, hit: &mut RayHit, test: impl FnMut(&Ray, usize) -> f32) -> bool;

    fn misses(&self, ray: Ray, test: impl FnMut(&Ray, usize) -> f32) -> bool;

    fn meets(&self, ray: Ray, visit: impl FnMut(&Ray, usize));
}

impl Tree for CwBvh {
    fn cast(&self, ray: Ray, hit: &mut RayHit, test: impl FnMut(&Ray, usize) -> f32) -> bool {
        self.ray_traverse(ray, hit, test)
    }

    fn misses(&self, ray: Ray, test: impl FnMut(&Ray, usize) -> f32) -> bool {
        self.ray_traverse_miss(ray, test)
    }

    fn meets(&self, ray: Ray, visit: impl FnMut(&Ray, usize)) {
        self.ray_traverse_anyhit(ray, visit);
    }
}

impl Tree for Bvh2 {
    fn cast(&self, ray: Ray, hit: &mut RayHit, test: impl FnMut(&Ray, usize) -> f32) -> bool {
        self.ray_traverse(ray, hit, test)
    }

    fn misses(&self, ray: Ray, test: impl FnMut(&Ray, usize) -> f32) -> bool {
        self.ray_traverse_miss(ray, test)
    }

    fn meets(&self, ray: Ray, visit: impl FnMut(&Ray, usize)) {
        self.ray_traverse_anyhit(ray, visit);
    }
}

struct Rays<T> {
    boxes: Boxes<T>,
    rays: Vec<(Ray, parry3d::query::Ray)>,
    hits: Vec<Option<(u32, f32)>>,
}

fn rays(questions: &Questions) -> Vec<(Ray, parry3d::query::Ray)> {
    let ray = |case: &RayCase| {
        let (origin, direction) = (case.ray.origin().into(), case.ray.direction().into());
        (Ray::new(origin, direction, 0.0, case.max_distance), parry::ray(case))
    };
    questions.rays.iter().map(ray).collect()
}

/// `CwBvh::ray_traverse` with parry3d's ray test of a box.
pub(super) fn wide_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    let (boxes, rays) = (wide(&questions.scene), rays(questions));
    Box::new(Rays { boxes, rays, hits: Vec::new() })
}

/// `Bvh2::ray_traverse` with parry3d's ray test of a box.
pub(super) fn binary_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    let (boxes, rays) = (binary(&questions.scene), rays(questions));
    Box::new(Rays { boxes, rays, hits: Vec::new() })
}

impl<T: Tree> Contender for Rays<T> {
    fn ask(&mut self) {
        let Boxes { tree, boxes, ids } = &self.boxes;
        self.hits.clear();
        self.hits.extend(self.rays.iter().map(|(ray, peer)| {
            let mut hit = RayHit::none();
            let found = tree.cast(*ray, &mut hit, |ray, place| {
                let (pose, cuboid) = &boxes[place];
                cuboid.cast_ray(pose, peer, ray.tmax, true).unwrap_or(f32::INFINITY)
            });
            found.then(|| (ids[hit.primitive_id as usize], hit.t))
        }));
    }

    fn answers(&self) -> Answers {
        Answers::First(self.hits.clone())
    }
}

fn any<'q>(questions: &'q Questions, boxes: Boxes<impl Tree + 'q>) -> Box<dyn Contender + 'q> {
    let Boxes { tree, boxes, .. } = boxes;
    asked(rays(questions).into_iter(), move |(ray, peer)| {
        !tree.misses(*ray, |ray, place| {
            let (pose, cuboid) = &boxes[place];
            cuboid.cast_ray(pose, peer, ray.tmax, true).unwrap_or(f32::INFINITY)
        })
    })
}

/// `CwBvh::ray_traverse_miss` with parry3d's ray test of a box.
pub(super) fn any_wide_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    any(questions, wide(&questions.scene))
}

/// `Bvh2::ray_traverse_miss` with parry3d's ray test of a box.
pub(super) fn any_binary_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    any(questions, binary(&questions.scene))
}

fn all<'q>(questions: &'q Questions, boxes: Boxes<impl Tree + 'q>) -> Box<dyn Contender + 'q> {
    let Boxes { tree, boxes, ids } = boxes;
    listed(rays(questions).into_iter(), move |(ray, peer), tell| {
        tree.meets(*ray, |ray, place| {
            let (pose, cuboid) = &boxes[place];
            if let Some(distance) = cuboid.cast_ray(pose, peer, ray.tmax, true) {
                tell(ids[place], distance);
            }
        });
    })
}

/// `CwBvh::ray_traverse_anyhit` with parry3d's ray test of a box.
pub(super) fn all_wide_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    all(questions, wide(&questions.scene))
}

/// `Bvh2::ray_traverse_anyhit` with parry3d's ray test of a box.
pub(super) fn all_binary_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    all(questions, binary(&questions.scene))
}

struct Sweeps<S> {
    boxes: Boxes<Bvh2>,
    movers: Vec<(Mover<S>, Ray, Vec3A)>,
    stack: Vec<(u32, f32)>,
    hits: Vec<Option<(u32, f32)>>,
}

fn sweeps<S>(questions: &Questions, movers: Vec<Mover<S>>) -> Sweeps<S> {
    let with_ray = |mover: Mover<S>| {
        let (from, way) = (mover.bounds.center(), mover.direction);
        let ray = Ray::new(convert::padded(from), convert::padded(way), 0.0, mover.length);
        let half = convert::padded(mover.bounds.half_extents());
        (mover, ray, half)
    };
    let movers = movers.into_iter().map(with_ray).collect();
    Sweeps { boxes: binary(&questions.scene), movers, stack: Vec::new(), hits: Vec::new() }
}

/// The nodes of its binary tree, grown by the mover, nearest first; parry3d's cast.
pub(super) fn sphere_sweeps(questions: &Questions) -> Box<dyn Contender + '_> {
    Box::new(sweeps(questions, parry::movers(questions, parry::ball, Ball::aabb)))
}

/// The nodes of its binary tree, grown by the mover, nearest first; parry3d's cast.
pub(super) fn box_sweeps(questions: &Questions) -> Box<dyn Contender + '_> {
    Box::new(sweeps(questions, parry::movers(questions, parry::cuboid, Cuboid::aabb)))
}

/// What comes first along the ray among the nodes grown by `half`. Its own traversals meet nodes
/// as they are, so that this one is ours.
fn first_grown(
    tree: &Bvh2,
    stack: &mut Vec<(u32, f32)>,
    mut ray: Ray,
    half: Vec3A,
    test: impl Fn(usize, f32) -> Option<f32>,
) -> Option<(u32, f32)> {
    let enter = |index: u32, ray: &Ray| {
        let bounds = tree.nodes[index as usize].aabb();
        let grown = Aabb::new(bounds.min - half, bounds.max + half);
        // Behind the start it is no nearer than at it.
        (index, grown.intersect_ray(ray).max(0.0))
    };
    let mut first = None;
    stack.clear();
    stack.push(enter(0, &ray));
    while let Some((index, distance)) = stack.pop() {
        if distance >= ray.tmax {
            continue;
        }
        let node = &tree.nodes[index as usize];
        if node.is_leaf() {
            for place in node.first_index..node.first_index + node.prim_count {
                if let Some(distance) = test(place as usize, ray.tmax) {
                    ray.tmax = distance;
                    first = Some((place, distance));
                }
            }
            continue;
        }
        let (left, right) = (enter(node.first_index, &ray), enter(node.first_index + 1, &ray));
        let (near, far) = if right.1 < left.1 { (right, left) } else { (left, right) };
        stack.extend([far, near].into_iter().filter(|&(_, distance)| distance < ray.tmax));
    }
    first
}

impl<S: SupportMap> Contender for Sweeps<S> {
    fn ask(&mut self) {
        let Boxes { tree, boxes, ids } = &self.boxes;
        let stack = &mut self.stack;
        self.hits.clear();
        self.hits.extend(self.movers.iter().map(|(mover, ray, half)| {
            let test = |place: usize, best| mover.cast(&boxes[place], best);
            let (place, distance) = first_grown(tree, stack, *ray, *half, test)?;
            Some((ids[place as usize], distance))
        }));
    }

    fn answers(&self) -> Answers {
        Answers::First(self.hits.clone())
    }
}

struct Overlaps<S> {
    boxes: Boxes<Bvh2>,
    probes: Vec<(S, Pose)>,
    found: Vec<(u32, u32)>,
}

/// `Bvh2::aabb_traverse` and parry3d's test of a box and a ball.
pub(super) fn sphere_overlaps(questions: &Questions) -> Box<dyn Contender + '_> {
    let probes = parry::probes(questions, parry::ball);
    Box::new(Overlaps { boxes: binary(&questions.scene), probes, found: Vec::new() })
}

/// `Bvh2::aabb_traverse` and parry3d's test of two boxes.
pub(super) fn box_overlaps(questions: &Questions) -> Box<dyn Contender + '_> {
    let probes = parry::probes(questions, parry::cuboid);
    Box::new(Overlaps { boxes: binary(&questions.scene), probes, found: Vec::new() })
}

impl<S: Probe> Contender for Overlaps<S> {
    fn ask(&mut self) {
        let Boxes { tree, boxes, ids } = &self.boxes;
        let found = &mut self.found;
        found.clear();
        for (question, (shape, pose)) in (0..).zip(&self.probes) {
            let bounds = shape.bounds(pose);
            let bounds = Aabb::new(convert::padded(bounds.mins), convert::padded(bounds.maxs));
            tree.aabb_traverse(bounds, |tree, index| {
                let node = &tree.nodes[index as usize];
                let places = node.first_index..node.first_index + node.prim_count;
                found.extend(places.filter_map(|place| {
                    let (box_pose, cuboid) = &boxes[place as usize];
                    let touch = shape.touches(&box_pose.inv_mul(pose), cuboid);
                    touch.then(|| (question, ids[place as usize]))
                }));
                true
            });
        }
    }

    fn answers(&self) -> Answers {
        let mut found = self.found.clone();
        found.sort_unstable();
        Answers::All(found)
    }
}
