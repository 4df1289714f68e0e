//! Embree over the boxes as primitives of ours: its best tree, and a test of a box that it calls.

use glam::{Mat3A, Vec3, Vec3A};
use impinge_foreign::embree::{self, Primitive};
use impinge_foreign::{Bounds, Vector};
use impinge_shapes::{Aabb, Shape};
use impinge_testkit::scenes::{RayCase, SceneBody};

use super::{Answers, Contender, Questions};
use crate::convert;

/// A box, ready to be met by rays.
struct Block {
    bounds: Bounds,
    centre: Vec3A,
    half: Vec3A,
    /// From the world into its frame.
    turn: Mat3A,
}

impl Block {
    fn new(body: &SceneBody, bounds: &Aabb) -> Self {
        let Shape::Cuboid(cuboid) = &body.shape else {
            panic!("queries are measured on scenes of boxes")
        };
        Self {
            bounds: convert::foreign_aabb(bounds),
            centre: body.pose.position().into(),
            half: cuboid.half_extents().into(),
            turn: Mat3A::from_quat(body.pose.rotation().normalize()).transpose(),
        }
    }
}

impl Primitive for Block {
    fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Where the ray enters the last of the three slabs, if it has left none of them.
    #[inline]
    fn cast(&self, origin: Vector, direction: Vector, most: f32) -> Option<f32> {
        let origin = self.turn * (Vec3A::from_array(origin) - self.centre);
        let inverse = (self.turn * Vec3A::from_array(direction)).recip();
        let (one, other) = ((-self.half - origin) * inverse, (self.half - origin) * inverse);
        let near = one.min(other).max_element().max(0.0);
        (near <= one.max(other).min_element() && near < most).then_some(near)
    }
}

/// A ray: origin, direction and length.
type Asked = (Vector, Vector, f32);

/// A body and how far away it is.
type Hit = Option<(u32, f32)>;

struct Rays {
    scene: embree::Scene<Block>,
    rays: Vec<Asked>,
    /// Whether neighbours are cast one after the other, and room for that.
    sorted: bool,
    order: Vec<u64>,
    hits: Vec<Hit>,
    /// Whether any hit is enough; then those kept say nothing else.
    any: bool,
}

fn new(questions: &Questions, sorted: bool, any: bool) -> Box<dyn Contender + '_> {
    let scene = &questions.scene;
    let bounds = scene.aabbs();
    let blocks = scene.bodies.iter().zip(&bounds).map(|(body, bounds)| Block::new(body, bounds));
    let library = embree::library().expect("left out where it is not found");
    let scene = embree::Scene::new(library, blocks.collect()).expect("Embree builds its tree");
    let ray = |case: &RayCase| {
        let (origin, direction) = (case.ray.origin(), case.ray.direction());
        (origin.to_array(), direction.to_array(), case.max_distance)
    };
    let rays = questions.rays.iter().map(ray).collect();
    Box::new(Rays { scene, rays, sorted, order: Vec::new(), hits: Vec::new(), any })
}

/// `rtcIntersect1`, ray after ray.
pub(super) fn rays(questions: &Questions) -> Box<dyn Contender + '_> {
    new(questions, false, false)
}

/// The same in the order of a Morton curve through the origins, rays that go the same way
/// together; the sort is part of the answer.
pub(super) fn sorted_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    new(questions, true, false)
}

/// `rtcOccluded1`, ray after ray.
pub(super) fn any_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    new(questions, false, true)
}

/// The same in the order of [`sorted_rays`].
pub(super) fn any_sorted_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    new(questions, true, true)
}

/// The lowest ten bits, two zeros between each and the next.
fn spread(bits: u32) -> u32 {
    let bits = (bits | (bits << 16)) & 0x0300_00ff;
    let bits = (bits | (bits << 8)) & 0x0300_f00f;
    let bits = (bits | (bits << 4)) & 0x030c_30c3;
    (bits | (bits << 2)) & 0x0924_9249
}

/// The order in which to cast: in the upper half what it is sorted by, in the lower the ray.
fn sort(rays: &[Asked], order: &mut Vec<u64>) {
    let origins = || rays.iter().map(|(origin, ..)| Vec3::from_array(*origin));
    let least = origins().fold(Vec3::MAX, Vec3::min);
    let most = origins().fold(Vec3::MIN, Vec3::max);
    let scale = 1023.0 / (most - least).max(Vec3::splat(f32::MIN_POSITIVE));
    order.clear();
    order.extend((0..).zip(rays).map(|(ray, (origin, direction, _))| {
        let cell = ((Vec3::from_array(*origin) - least) * scale).as_uvec3();
        let place = spread(cell.x) | (spread(cell.y) << 1) | (spread(cell.z) << 2);
        let ways = direction.map(|part| u64::from(part.is_sign_negative()));
        let way = ways[0] | (ways[1] << 1) | (ways[2] << 2);
        // Eight cells an axis, then the way, then the rest: there are few rays in a cell.
        (u64::from(place) >> 21 << 56) | (way << 53) | ((u64::from(place) & 0x1f_ffff) << 32) | ray
    }));
    order.sort_unstable();
}

fn cast(rays: &[Asked], hits: &mut Vec<Hit>, test: impl Fn(&Asked) -> Hit) {
    hits.clear();
    hits.extend(rays.iter().map(test));
}

fn cast_in_order(rays: &[Asked], order: &[u64], hits: &mut Vec<Hit>, test: impl Fn(&Asked) -> Hit) {
    hits.resize(rays.len(), None);
    for &key in order {
        let ray = key as u32 as usize;
        hits[ray] = test(&rays[ray]);
    }
}

impl Contender for Rays {
    fn ask(&mut self) {
        let Self { scene, rays, sorted, order, hits, any } = self;
        let first = |&(origin, direction, length): &Asked| scene.cast(origin, direction, length);
        let met = |&(origin, direction, length): &Asked| {
            scene.meets(origin, direction, length).then_some((0, 0.0))
        };
        if *sorted {
            sort(rays, order);
        }
        match (*any, *sorted) {
            (false, false) => cast(rays, hits, first),
            (false, true) => cast_in_order(rays, order, hits, first),
            (true, false) => cast(rays, hits, met),
            (true, true) => cast_in_order(rays, order, hits, met),
        }
    }

    fn answers(&self) -> Answers {
        if self.any {
            return Answers::Any(self.hits.iter().map(Option::is_some).collect());
        }
        Answers::First(self.hits.clone())
    }
}
