//! Box3D: the queries of its world, and its dynamic tree over boxes and poses side by side.

use impinge_foreign::box3d::{self, BoxHull, Cloud, Motion, Tree, World};
use impinge_foreign::{Bounds, Vector};
use impinge_shapes::{Aabb, Pose as OurPose, Shape};
use impinge_testkit::scenes::{RayCase, Scene, SweepCase};
use parry3d::math::{Pose, Vector as PeerVector};

use super::{Answers, Contender, Questions, asked, listed};
use crate::convert;

/// A box; the scenes of this suite hold nothing else.
fn cuboid(shape: &Shape) -> BoxHull {
    let Shape::Cuboid(cuboid) = shape else { panic!("queries are measured on scenes of boxes") };
    BoxHull::new(cuboid.half_extents().to_array())
}

/// Static bodies, the tree of which is built at once.
fn world(scene: &Scene) -> World {
    let mut world = World::new(1);
    for body in &scene.bodies {
        let pose = convert::foreign_pose(&convert::pose(&body.pose));
        world.insert(cuboid(&body.shape).hull(), &pose, Motion::Static);
    }
    world.rebuild_static_tree();
    world
}

/// The tree, and the boxes in the order of its leaves.
struct Boxes {
    tree: Tree,
    boxes: Vec<(Pose, BoxHull)>,
    /// The bodies, in the same order.
    ids: Vec<u32>,
}

impl Boxes {
    fn new(scene: &Scene) -> Self {
        let bounds: Vec<Bounds> = scene.aabbs().iter().map(convert::foreign_aabb).collect();
        let numbered = (0..).zip(bounds.iter().copied()).collect::<Vec<_>>();
        let tree = Tree::new(numbered.into_iter());
        let everything = Bounds { min: [f32::MIN; 3], max: [f32::MAX; 3] };
        let mut ids: Vec<u32> = Vec::with_capacity(bounds.len());
        tree.query(everything, |id| ids.push(id));
        let places = (0..).zip(ids.iter().map(|&id| bounds[id as usize])).collect::<Vec<_>>();
        let bodies = ids.iter().map(|&id| &scene.bodies[id as usize]);
        let boxes = bodies.map(|body| (convert::pose(&body.pose), cuboid(&body.shape))).collect();
        Self { tree: Tree::new(places.into_iter()), boxes, ids }
    }
}

/// A first hit of the tree as the body and how far away it is.
fn first(boxes: &Boxes, hit: Option<(u32, f32)>, length: f32) -> Option<(u32, f32)> {
    hit.map(|(place, part)| (boxes.ids[place as usize], part * length))
}

/// A ray: origin, the whole way and its length.
type Ray = (PeerVector, PeerVector, f32);

fn ray(case: &RayCase) -> Ray {
    let (origin, way) = (case.ray.origin(), case.ray.direction() * case.max_distance);
    (convert::vector(origin), convert::vector(way), case.max_distance)
}

struct Rays<S> {
    scene: S,
    rays: Vec<Ray>,
    hits: Vec<Option<(u32, f32)>>,
}

fn new_rays<S>(questions: &Questions, scene: S) -> Rays<S> {
    Rays { scene, rays: questions.rays.iter().map(ray).collect(), hits: Vec::new() }
}

/// Which part of the way leads to a box, by `b3RayCastHull`.
fn meet(boxes: &Boxes, place: u32, origin: PeerVector, way: PeerVector, most: f32) -> Option<f32> {
    let (pose, cuboid) = &boxes.boxes[place as usize];
    let origin = pose.inverse_transform_point(origin).to_array();
    let way = pose.inverse_transform_vector(way).to_array();
    box3d::ray_hull(cuboid.hull(), origin, way, most).map(|(part, _)| part)
}

/// `b3World_CastRay`, ended at the first shape.
pub(super) fn any_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    let world = world(&questions.scene);
    asked(questions.rays.iter().map(ray), move |(origin, way, _)| {
        world.meets_ray(origin.to_array(), way.to_array())
    })
}

/// `b3DynamicTree_RayCast` with `b3RayCastHull`, ended at the first box that is met.
pub(super) fn any_tree_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    let boxes = Boxes::new(&questions.scene);
    asked(questions.rays.iter().map(ray), move |(origin, way, _)| {
        let mut met = false;
        boxes.tree.cast_ray(origin.to_array(), way.to_array(), |place, most| {
            met |= meet(&boxes, place, *origin, *way, most).is_some();
            if met { 0.0 } else { most }
        });
        met
    })
}

/// `b3DynamicTree_RayCast` with `b3RayCastHull`, which goes on after each box.
pub(super) fn all_tree_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    let boxes = Boxes::new(&questions.scene);
    listed(questions.rays.iter().map(ray), move |(origin, way, length), tell| {
        boxes.tree.cast_ray(origin.to_array(), way.to_array(), |place, most| {
            if let Some(part) = meet(&boxes, place, *origin, *way, most) {
                tell(boxes.ids[place as usize], part * length);
            }
            most
        });
    })
}

/// `b3World_CastRay`.
pub(super) fn rays(questions: &Questions) -> Box<dyn Contender + '_> {
    Box::new(new_rays(questions, world(&questions.scene)))
}

/// `b3DynamicTree_RayCast` with `b3RayCastHull`.
pub(super) fn tree_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    Box::new(new_rays(questions, Boxes::new(&questions.scene)))
}

impl Contender for Rays<World> {
    fn ask(&mut self) {
        let world = &self.scene;
        self.hits.clear();
        self.hits.extend(self.rays.iter().map(|(origin, way, length)| {
            let (body, part) = world.cast_ray(origin.to_array(), way.to_array())?;
            Some((body, part * length))
        }));
    }

    fn answers(&self) -> Answers {
        Answers::First(self.hits.clone())
    }
}

impl Contender for Rays<Boxes> {
    fn ask(&mut self) {
        let boxes = &self.scene;
        self.hits.clear();
        self.hits.extend(self.rays.iter().map(|(origin, way, length)| {
            let mut hit = None;
            boxes.tree.cast_ray(origin.to_array(), way.to_array(), |place, most| {
                let Some(part) = meet(boxes, place, *origin, *way, most) else { return most };
                hit = Some((place, part));
                part
            });
            first(boxes, hit, *length)
        }));
    }

    fn answers(&self) -> Answers {
        Answers::First(self.hits.clone())
    }
}

/// A sphere or a box: its points and a radius.
struct Probe {
    pose: Pose,
    bounds: Bounds,
    /// Points in its own frame.
    local: Vec<Vector>,
    /// Points turned as it is, around its position.
    turned: Vec<Vector>,
    radius: f32,
}

impl Probe {
    fn new(shape: &Shape, pose: &OurPose) -> Self {
        let (local, radius) = match shape {
            Shape::Sphere(sphere) => (vec![[0.0; 3]], sphere.radius()),
            other => (cuboid(other).hull().points().to_vec(), 0.0),
        };
        let bounds: Aabb = shape.aabb(pose);
        let pose = convert::pose(pose);
        let turn =
            |point: &Vector| pose.transform_vector(PeerVector::from_array(*point)).to_array();
        let (turned, bounds) = (local.iter().map(turn).collect(), convert::foreign_aabb(&bounds));
        Self { pose, bounds, local, turned, radius }
    }

    fn local(&self) -> Cloud<'_> {
        Cloud::new(&self.local, self.radius)
    }

    fn turned(&self) -> Cloud<'_> {
        Cloud::new(&self.turned, self.radius)
    }
}

struct Sweeps<S> {
    scene: S,
    /// Movers, their whole way and its length.
    movers: Vec<(Probe, PeerVector, f32)>,
    hits: Vec<Option<(u32, f32)>>,
}

fn new_sweeps<S>(questions: &Questions, scene: S) -> Sweeps<S> {
    let mover = |case: &SweepCase| {
        let way = case.displacement;
        (Probe::new(&case.shape, &case.pose), convert::vector(way), way.length())
    };
    Sweeps { scene, movers: questions.sweeps.iter().map(mover).collect(), hits: Vec::new() }
}

/// `b3World_CastShape`.
pub(super) fn sweeps(questions: &Questions) -> Box<dyn Contender + '_> {
    Box::new(new_sweeps(questions, world(&questions.scene)))
}

/// `b3DynamicTree_BoxCast` with `b3ShapeCast`.
pub(super) fn tree_sweeps(questions: &Questions) -> Box<dyn Contender + '_> {
    Box::new(new_sweeps(questions, Boxes::new(&questions.scene)))
}

impl Contender for Sweeps<World> {
    fn ask(&mut self) {
        let world = &self.scene;
        self.hits.clear();
        self.hits.extend(self.movers.iter().map(|(mover, way, length)| {
            let origin = mover.pose.translation.to_array();
            let (body, part) = world.cast(origin, mover.turned(), way.to_array())?;
            Some((body, part * length))
        }));
    }

    fn answers(&self) -> Answers {
        Answers::First(self.hits.clone())
    }
}

impl Contender for Sweeps<Boxes> {
    fn ask(&mut self) {
        let boxes = &self.scene;
        self.hits.clear();
        self.hits.extend(self.movers.iter().map(|(mover, way, length)| {
            let mut hit = None;
            boxes.tree.cast_box(mover.bounds, way.to_array(), |place, most| {
                let (pose, cuboid) = &boxes.boxes[place as usize];
                let relative = convert::foreign_pose(&pose.inv_mul(&mover.pose));
                let way = pose.inverse_transform_vector(*way).to_array();
                let (still, moving) = (cuboid.hull().cloud(), mover.local());
                let Some(part) = box3d::cast(still, moving, &relative, way, most) else {
                    return most;
                };
                hit = Some((place, part));
                part
            });
            first(boxes, hit, *length)
        }));
    }

    fn answers(&self) -> Answers {
        Answers::First(self.hits.clone())
    }
}

struct Overlaps<S> {
    scene: S,
    probes: Vec<Probe>,
    found: Vec<(u32, u32)>,
}

fn new_overlaps<S>(questions: &Questions, scene: S) -> Overlaps<S> {
    let cases = questions.overlaps.iter();
    let probes = cases.map(|case| Probe::new(&case.shape, &case.pose)).collect();
    Overlaps { scene, probes, found: Vec::new() }
}

/// `b3World_OverlapShape`.
pub(super) fn overlaps(questions: &Questions) -> Box<dyn Contender + '_> {
    Box::new(new_overlaps(questions, world(&questions.scene)))
}

/// `b3DynamicTree_Query` with `b3ShapeDistance`.
pub(super) fn tree_overlaps(questions: &Questions) -> Box<dyn Contender + '_> {
    Box::new(new_overlaps(questions, Boxes::new(&questions.scene)))
}

/// Question and body, sorted.
fn all(found: &[(u32, u32)]) -> Answers {
    let mut found = found.to_vec();
    found.sort_unstable();
    Answers::All(found)
}

impl Contender for Overlaps<World> {
    fn ask(&mut self) {
        let Self { scene: world, probes, found } = self;
        found.clear();
        for (question, probe) in (0..).zip(probes) {
            let origin = probe.pose.translation.to_array();
            world.overlap(origin, probe.turned(), |body| found.push((question, body)));
        }
    }

    fn answers(&self) -> Answers {
        all(&self.found)
    }
}

impl Contender for Overlaps<Boxes> {
    fn ask(&mut self) {
        let Self { scene: Boxes { tree, boxes, ids }, probes, found } = self;
        found.clear();
        for (question, probe) in (0..).zip(probes) {
            tree.query(probe.bounds, |place| {
                let (pose, cuboid) = &boxes[place as usize];
                let relative = convert::foreign_pose(&pose.inv_mul(&probe.pose));
                if box3d::distance(cuboid.hull().cloud(), probe.local(), &relative) <= 0.0 {
                    found.push((question, ids[place as usize]));
                }
            });
        }
    }

    fn answers(&self) -> Answers {
        all(&self.found)
    }
}
