//! One scene for either dispatcher, and the figures that tell how it went.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use impinge_narrowphase::closest;
use impinge_testkit::rng::Rng;
use parry3d::query::DefaultQueryDispatcher;
use rapier3d::math::{Pose as PeerPose, Rotation, Vector};
use rapier3d::prelude::{
    ColliderBuilder, NarrowPhase, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, SharedShape,
};

use crate::{Seam, ShapeCache, poses};
use parry3d::query::QueryDispatcher;

/// Whose narrow phase rapier uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// parry's own.
    Parry,
    /// impinge's, every pair anew at each step.
    Impinge,
    /// impinge's, with parry's shortcut for pairs that hardly moved.
    ImpingeReusing,
}

impl Driver {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::Parry, Self::Impinge, Self::ImpingeReusing];
}

/// How a run went.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    /// Moving bodies.
    pub bodies: usize,
    /// Time of all steps.
    pub time: Duration,
    /// Deepest overlap of two bodies at the end, by impinge's distances for every driver.
    pub depth: f32,
    /// Pairs that overlap by more than 2 cm.
    pub deep: usize,
    /// Pairs whose shapes touch at the end, by the same.
    pub touching: usize,
    /// Kinetic energy for each unit of mass at the end.
    pub energy: f32,
    /// Farthest that a box of the stack went aside.
    pub drift: f32,
    /// How far the top box of the stack sank.
    pub sunk: f32,
    /// Bodies outside of the container.
    pub lost: usize,
}

/// Half of the inner edge of the container.
const WALL: f32 = 8.0;
/// Where the stack stands, beside the container, and how high its floor is.
const STACK: f32 = 40.0;
const FLOOR: f32 = 0.5;
/// Bodies on the floor of the stack.
const BESIDE: u8 = 14;
/// Boxes of the stack.
const STACKED: u8 = 10;

/// Twice of what rapier's solver leaves between bodies at rest, and a little.
const DEEP: f32 = 0.02;

struct Run {
    world: PhysicsWorld,
    cache: ShapeCache,
    dropped: Vec<RigidBodyHandle>,
    stack: Vec<RigidBodyHandle>,
}

/// Drops bodies of every kind into a container, beside a stack of ten boxes, for so many steps of a
/// sixtieth of a second.
///
/// # Errors
/// A shape that does not exist for both libraries.
pub fn run(driver: Driver, bodies: usize, steps: usize) -> Result<Figures> {
    let mut run = Run::new(driver, bodies)?;
    let start = Instant::now();
    for _ in 0..steps {
        run.world.step();
    }
    let time = start.elapsed();
    run.figures(time)
}

impl Run {
    fn new(driver: Driver, bodies: usize) -> Result<Self> {
        let cache = ShapeCache::default();
        let mut world = PhysicsWorld::new();
        let seam = |reuse| Seam { cache: cache.clone(), reuse }.chain(DefaultQueryDispatcher);
        world.narrow_phase = match driver {
            Driver::Parry => NarrowPhase::new(),
            Driver::Impinge => NarrowPhase::with_query_dispatcher(seam(false)),
            Driver::ImpingeReusing => NarrowPhase::with_query_dispatcher(seam(true)),
        };
        let mut run = Self { world, cache, dropped: Vec::new(), stack: Vec::new() };
        run.add_container()?;
        let mut rng = Rng::new(7);
        for number in 0..bodies {
            let shape = shape(number, &mut rng)?;
            let [across, up] = [u16::try_from(number % 36)?, u16::try_from(number / 36)?];
            let place = |i: u16| 2.3 * (f32::from(i) - 2.5);
            let at = Vector::new(place(across % 6), 2.0 + 2.3 * f32::from(up), place(across / 6));
            let turn = rng.rotation().normalize();
            let handle = run.add(shape, PeerPose::from_parts(at, turn))?;
            run.dropped.push(handle);
        }
        run.add_stack(&mut rng)?;
        Ok(run)
    }

    /// Ten boxes on a floor of triangles, and some of every kind around them.
    fn add_stack(&mut self, rng: &mut Rng) -> Result<()> {
        for i in 0..STACKED {
            let at = Vector::new(STACK, FLOOR + 0.5 + f32::from(i), 0.0);
            let cube = SharedShape::cuboid(0.5, 0.5, 0.5);
            let handle = self.add(cube, PeerPose::from_parts(at, Rotation::IDENTITY))?;
            self.stack.push(handle);
        }
        for i in 0..BESIDE {
            let across = 3.0 * f32::from(i % 7) - 9.0;
            let along = if i < BESIDE / 2 { 4.0 } else { -4.0 };
            let at = Vector::new(STACK + across, FLOOR + 1.5, along);
            let turn = rng.rotation().normalize();
            let shape = shape(usize::from(i), rng)?;
            self.add(shape, PeerPose::from_parts(at, turn))?;
        }
        Ok(())
    }

    fn add(&mut self, shape: SharedShape, pose: PeerPose) -> Result<RigidBodyHandle> {
        self.cache.adopt(&shape).context("a shape that both know")?;
        let body = RigidBodyBuilder::dynamic().pose(pose);
        Ok(self.world.insert(body, ColliderBuilder::new(shape)).0)
    }

    /// A half-space with four walls on it, and the floor of the stack.
    fn add_container(&mut self) -> Result<()> {
        let ground = SharedShape::halfspace(Vector::Y);
        let corner = |x: f32, z: f32| Vector::new(STACK + 20.0 * x, FLOOR, 20.0 * z);
        let corners = vec![
            corner(-1.0, -1.0),
            corner(1.0, -1.0),
            corner(1.0, 1.0),
            corner(-1.0, 1.0),
            corner(0.0, 0.0),
        ];
        let fan = vec![[4, 1, 0], [4, 2, 1], [4, 3, 2], [4, 0, 3]];
        let floor = SharedShape::trimesh(corners, fan)?;
        let mut fixed = vec![(ground, Vector::ZERO), (floor, Vector::ZERO)];
        for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
            let (x, z): (f32, f32) = (x, z);
            let half = |along: f32| if along.abs() > 0.0 { 1.0 } else { WALL + 2.0 };
            let wall = SharedShape::cuboid(half(x), 30.0, half(z));
            fixed.push((wall, Vector::new(x * (WALL + 1.0), 30.0, z * (WALL + 1.0))));
        }
        for (shape, at) in fixed {
            self.cache.adopt(&shape).context("a shape that both know")?;
            let pose = PeerPose::from_parts(at, Rotation::IDENTITY);
            self.world.insert_collider(ColliderBuilder::new(shape).position(pose), None);
        }
        Ok(())
    }

    fn figures(&self, time: Duration) -> Result<Figures> {
        let (mut depth, mut deep, mut touching) = (0.0_f32, 0, 0);
        let world = &self.world;
        for pair in world.narrow_phase.contact_pairs() {
            let of = |handle| world.colliders.get(handle).context("a collider of the world");
            let (one, other) = (of(pair.collider1)?, of(pair.collider2)?);
            let found = closest(
                &self.cache.shape(one.shape())?,
                &poses::pose(one.position())?,
                &self.cache.shape(other.shape())?,
                &poses::pose(other.position())?,
                0.0,
            );
            touching += usize::from(found.is_some());
            deep += usize::from(found.is_some_and(|found| found.distance < -DEEP));
            depth = depth.max(found.map_or(0.0, |found| -found.distance));
        }
        let at = |handle: &RigidBodyHandle| world.bodies[*handle].translation();
        let energy = |handle: &RigidBodyHandle| {
            let body = &world.bodies[*handle];
            body.kinetic_energy() / body.mass()
        };
        let aside = |handle: &RigidBodyHandle| (at(handle).x - STACK).abs().max(at(handle).z.abs());
        let is_lost = |handle: &&RigidBodyHandle| {
            let at = at(handle);
            at.x.abs().max(at.z.abs()) > WALL || at.y < -0.5 || !at.is_finite()
        };
        let all = self.dropped.len() + self.stack.len();
        let top = self.stack.last().context("a stack")?;
        Ok(Figures {
            bodies: all,
            time,
            depth,
            deep,
            touching,
            energy: self.dropped.iter().chain(&self.stack).map(energy).sum::<f32>() / all as f32,
            drift: self.stack.iter().map(aside).fold(0.0, f32::max),
            sunk: FLOOR + f32::from(STACKED) - 0.5 - at(top).y,
            lost: self.dropped.iter().filter(is_lost).count(),
        })
    }
}

/// The shapes in turn, each of a random size.
fn shape(number: usize, rng: &mut Rng) -> Result<SharedShape> {
    let mut size = || rng.range(0.4, 0.8);
    Ok(match number % 7 {
        0 => SharedShape::ball(size()),
        1 | 2 => SharedShape::cuboid(size(), size(), size()),
        3 => SharedShape::capsule_y(size(), 0.5 * size()),
        4 => SharedShape::cylinder(size(), size()),
        5 => SharedShape::cone(size(), size()),
        _ => {
            let points: Vec<Vector> = (0..16).map(|_| rng.direction() * 0.8).collect();
            SharedShape::convex_hull(&points).context("points that are not flat")?
        }
    })
}
