//! Small worlds of every sort after some updates, each with the same bodies as a plain list.

use glam::{DVec3, Quat, Vec3};
use impinge_shapes::{Pose, Shape, round};
use impinge_testkit::{
    generate::{self, Kind},
    naive,
    rng::Rng,
};
use impinge_world::{Body, BodyId, World};

/// What is special about a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sort {
    /// Boxes and balls whose faces and edges lie in each other's, to the last bit.
    Lattice,
    /// Any shapes, about half of the space filled.
    Crowd,
    /// Plates, needles, segments, points and flat hulls.
    Thin,
    /// A crowd 10 km from the origin.
    Far,
    /// Sizes from a millimetre to 30 metres among each other.
    Sizes,
}

impl Sort {
    pub(crate) const ALL: [Self; 5] =
        [Self::Lattice, Self::Crowd, Self::Thin, Self::Far, Self::Sizes];
}

/// A body as the narrow phase sees it.
pub(crate) struct Placed {
    pub(crate) id: BodyId,
    pub(crate) shape: Shape,
    pub(crate) pose: Pose,
}

impl Placed {
    pub(crate) fn parts(&self) -> naive::Placed<'_> {
        (self.id, &self.shape, &self.pose)
    }
}

/// A world and its bodies in the order of ids.
pub(crate) struct Scene {
    pub(crate) sort: Sort,
    pub(crate) world: World,
    pub(crate) bodies: Vec<Placed>,
    /// Middle of the bodies.
    pub(crate) center: Vec3,
    /// Half of the edge of the cube they lie in.
    pub(crate) side: f64,
    /// Cells along the edge of a lattice.
    edge: usize,
}

/// The kinds whose questions are decided exactly, so that no answer goes beyond their bounds.
const EXACT: [Kind; 6] = [
    Kind::Sphere,
    Kind::Cuboid,
    Kind::Capsule,
    Kind::ConvexHull,
    Kind::Triangle,
    Kind::RoundedPolytope,
];

/// A turn that keeps the axes; exact, and of no unit length.
pub(crate) fn quarter_turn(rng: &mut Rng) -> Quat {
    let axis = rng.pick(&[Vec3::X, Vec3::Y, Vec3::Z]);
    Quat::from_vec4((axis * rng.pick(&[0.0, 1.0, -1.0])).extend(1.0))
}

impl Scene {
    /// A world of this sort; `round_sides` lets in cylinders and cones.
    pub(crate) fn draw(sort: Sort, round_sides: bool, rng: &mut Rng) -> Self {
        // Mostly few: the narrow phase is asked about each of them.
        let count = match rng.below(64) {
            0 => 300,
            1..4 => 100,
            _ => 20 + rng.below(16),
        };
        let edge = lattice_edge(count);
        let side = match sort {
            Sort::Lattice => edge as f64 * 0.5,
            Sort::Sizes => 20.0,
            _ => impinge_testkit::rng::cube_root(count as f64),
        };
        let center = match sort {
            Sort::Lattice => rng.cube(-9.0, 9.0).round(),
            Sort::Far => {
                let far = Vec3::new(rng.pick(&[0.0, 1.0]), 1.0, rng.pick(&[0.0, -1.0]));
                far * rng.pick(&[10_000.0, -10_000.0])
            }
            _ => rng.cube(-side, side),
        };
        let mut scene = Self { sort, world: World::new(), bodies: Vec::new(), center, side, edge };
        for number in 0..count {
            scene.insert(number, round_sides, rng);
        }
        scene.world.update();
        scene.live(round_sides, rng);
        scene.read();
        scene
    }

    fn insert(&mut self, number: usize, round_sides: bool, rng: &mut Rng) {
        let Some((shape, pose)) = self.body(number, round_sides, rng) else { return };
        let body = if rng.one_in(3) { Body::fixed(shape) } else { Body::moving(shape) };
        self.world.insert(body.pose(pose)).expect("it is valid");
    }

    /// A shape and its place; none for a hole in a lattice.
    fn body(&self, number: usize, round_sides: bool, rng: &mut Rng) -> Option<(Shape, Pose)> {
        if self.sort == Sort::Lattice {
            if rng.one_in(6) {
                return None;
            }
            let edge = self.edge;
            let cell = [number % edge, number / edge % edge, number / edge / edge];
            let low = self.center - Vec3::splat(round::nearest(self.side));
            let at = low + Vec3::from_array(cell.map(|x| x as f32));
            let shape = match rng.below(8) {
                0 => Shape::sphere(0.5).ok(),
                1 => Shape::capsule_along_y(0.25, 0.25).ok(),
                2 => Shape::cuboid(Vec3::new(0.5, 0.0, 0.5)).ok(),
                3 => Shape::convex_hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).ok(),
                _ => Shape::cuboid(Vec3::splat(0.5)).ok(),
            };
            return Some((shape?, Pose::new(at, quarter_turn(rng)).ok()?));
        }
        let mut kind = rng.pick(&EXACT);
        if round_sides && rng.one_in(6) {
            kind = rng.pick(&[Kind::Cylinder, Kind::Cone]);
        }
        let size = match self.sort {
            Sort::Sizes => rng.power_of_ten(-3.0, 1.5),
            _ => 0.8,
        };
        let shape = if self.sort == Sort::Thin && rng.one_in(2) {
            let mut length = || if rng.one_in(2) { rng.range(0.0, 1e-4) } else { 0.0 };
            let (thin, thinner) = (length(), length());
            let long = rng.range(0.3, 2.0);
            match rng.below(3) {
                0 => Shape::cuboid(Vec3::new(long, thin, long)),
                1 => Shape::cuboid(Vec3::new(thin, long, thinner)),
                _ => Shape::cuboid(Vec3::new(long, long, thinner)),
            }
            .ok()?
        } else {
            generate::shape(kind, size, self.sort == Sort::Thin, rng)
        };
        let rotation = match rng.below(4) {
            0 => Quat::IDENTITY,
            1 => quarter_turn(rng),
            _ => rng.rotation(),
        };
        Some((shape, Pose::new(self.anywhere(1.0, rng), rotation).ok()?))
    }

    /// Some updates in which bodies move on, turn, come and go, so that the index holds boxes with
    /// room around them, blocks that grew and bodies that are young.
    fn live(&mut self, round_sides: bool, rng: &mut Rng) {
        let step = if self.sort == Sort::Lattice { 0.125 } else { 0.04 };
        let mut movers: Vec<(BodyId, Pose)> =
            self.world.iter().map(|(id, body)| (id, body.pose())).collect();
        movers.retain(|_| rng.one_in(2));
        let ways: Vec<Vec3> = movers.iter().map(|_| rng.cube(-2.0, 2.0).round() * step).collect();
        for _ in 0..rng.below(6) {
            for ((_, pose), way) in movers.iter_mut().zip(&ways) {
                *pose = generate_pose(pose.position() + *way, pose.rotation());
            }
            self.world.set_poses(&movers).expect("they are there");
            self.world.update();
        }
        for _ in 0..rng.below(4) {
            let number = rng.below(20);
            self.insert(number, round_sides, rng);
        }
        let gone: Vec<BodyId> =
            self.world.iter().map(|(id, _)| id).filter(|_| rng.one_in(24)).collect();
        for id in gone {
            self.world.remove(id);
        }
        if rng.one_in(2) {
            self.world.update();
        }
        self.world.prepare_queries();
    }

    fn read(&mut self) {
        let placed = |(id, body): (BodyId, impinge_world::BodyRef<'_>)| Placed {
            id,
            shape: body.shape().clone(),
            pose: body.pose(),
        };
        self.bodies = self.world.iter().map(placed).collect();
        assert!(self.bodies.is_sorted_by(|a, b| a.id < b.id));
    }

    /// A point among the bodies, or `reach` times as far out.
    pub(crate) fn anywhere(&self, reach: f64, rng: &mut Rng) -> Vec3 {
        let off = rng.cube(-self.side * reach, self.side * reach);
        let near = if self.sort == Sort::Lattice && rng.one_in(2) {
            (off * 4.0).round() * 0.25
        } else {
            off
        };
        self.center + near
    }

    pub(crate) fn body_at_random(&self, rng: &mut Rng) -> &Placed {
        &self.bodies[rng.below(self.bodies.len())]
    }

    /// A corner, or a point of an edge, a face or the inside of a body, rounded once.
    pub(crate) fn landmark(&self, rng: &mut Rng) -> Vec3 {
        let body = self.body_at_random(rng);
        let local: DVec3 = generate::landmark(&body.shape, rng);
        round::nearest_vec(body.pose.rotation_matrix() * local + body.pose.translation())
    }
}

/// Cells along an edge of a lattice for so many bodies.
fn lattice_edge(count: usize) -> usize {
    (1..).find(|edge| edge * edge * edge >= count).unwrap_or(1)
}

fn generate_pose(position: Vec3, rotation: Quat) -> Pose {
    Pose::new(position, rotation).expect("bodies do not leave the range of f32")
}
