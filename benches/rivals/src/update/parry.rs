//! parry3d assembled by hand: bounds, a tree of the moving and one of the resting bodies, and its
//! manifold of two boxes for each pair.

use impinge_testkit::scenes::Scene;
use parry3d::bounding_volume::Aabb;
use parry3d::math::{Pose, Vector};
use parry3d::query::{ContactManifold, details};
use parry3d::shape::Cuboid;

use super::{Contender, Pair, Step};
use crate::{convert, pairs::parry::TwoTrees};

/// A pair in contact: who, the normal in the first one's frame, and where its points are.
struct Contact {
    pair: Pair,
    _normal: Vector,
    end: usize,
}

/// A contact point: both witnesses in their own frames, and the distance.
type Point = (Vector, Vector, f32);

struct ByHand {
    trees: TwoTrees,
    boxes: Vec<Cuboid>,
    poses: Vec<Pose>,
    moved: Vec<(u32, Pose)>,
    bounds: Vec<(u32, Aabb)>,
    scratch: ContactManifold<(), ()>,
    contacts: Vec<Contact>,
    points: Vec<Point>,
    /// Contacts and points of resting pairs, which stay at the head of the lists.
    kept: (usize, usize),
}

pub(super) fn by_hand(scene: &Scene) -> Box<dyn Contender> {
    let cuboid = |shape| convert::shape(shape).and_then(|shape| shape.as_cuboid().copied());
    let boxes = scene.bodies.iter().map(|body| cuboid(&body.shape).expect("scenes of boxes"));
    let trees = TwoTrees::new(scene);
    let mut contender = ByHand {
        boxes: boxes.collect(),
        poses: scene.bodies.iter().map(|body| convert::pose(&body.pose)).collect(),
        moved: Vec::new(),
        bounds: Vec::new(),
        scratch: ContactManifold::new(),
        contacts: Vec::new(),
        points: Vec::new(),
        kept: (0, 0),
        trees,
    };
    contender.touch(0);
    contender.kept = (contender.contacts.len(), contender.points.len());
    Box::new(contender)
}

impl ByHand {
    /// Manifolds of the pairs from this one on.
    fn touch(&mut self, first: usize) {
        for &(a, b) in &self.trees.pairs[first..] {
            let (i, j) = (a as usize, b as usize);
            let b_in_a = self.poses[i].inv_mul(&self.poses[j]);
            let manifold = &mut self.scratch;
            manifold.clear();
            let (box_a, box_b) = (&self.boxes[i], &self.boxes[j]);
            details::contact_manifold_cuboid_cuboid(&b_in_a, box_a, box_b, 0.0, manifold);
            if manifold.points.is_empty() {
                continue;
            }
            let points = manifold.points.iter();
            self.points.extend(points.map(|point| (point.local_p1, point.local_p2, point.dist)));
            let (normal, end) = (manifold.local_n1, self.points.len());
            self.contacts.push(Contact { pair: (a, b), _normal: normal, end });
        }
    }
}

impl Contender for ByHand {
    fn prepare(&mut self, step: &Step) {
        self.moved = step.moved.iter().map(|(id, pose)| (*id, convert::pose(pose))).collect();
    }

    fn step(&mut self) {
        self.bounds.clear();
        for &(id, pose) in &self.moved {
            self.poses[id as usize] = pose;
            self.bounds.push((id, self.boxes[id as usize].aabb(&pose)));
        }
        self.trees.step(&self.bounds);
        self.contacts.truncate(self.kept.0);
        self.points.truncate(self.kept.1);
        self.touch(self.trees.kept);
    }

    fn touching(&self) -> Vec<Pair> {
        debug_assert_eq!(self.contacts.last().map_or(0, |contact| contact.end), self.points.len());
        self.contacts.iter().map(|Contact { pair: (a, b), .. }| (*a.min(b), *a.max(b))).collect()
    }
}
