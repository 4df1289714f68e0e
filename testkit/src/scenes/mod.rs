//! The scenes that the program, the tests, the benches and the comparisons with other libraries
//! share. Equal arguments give equal bits, on every platform.

mod boxes;
mod ground;
mod hard;
pub mod level;
mod pruning;
mod queries;

use std::{fmt, str::FromStr};

use glam::{Quat, Vec3};
use impinge_shapes::{Aabb, Capsule, Cuboid, Pose, Shape, Sphere, round};
use thiserror::Error;

use crate::{hash, naive, rng::Rng};

pub use queries::{OverlapCase, QueryShape, RayCase, SweepCase};

/// Distance that a moving body drifts in one step.
pub const DRIFT: f32 = 0.03;

/// Which scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SceneKind {
    /// Rotated boxes of half extents 0.25 to 0.75, uniform in a cube of side `2·N^⅓`.
    Uniform,
    /// The boxes of `Uniform` on a square of side `1.6·√N`, at heights 0 to 3.
    Plain,
    /// The boxes of `Uniform` in `max(4, N/500)` Gaussian clusters (deviation 6 on each axis)
    /// whose centres are uniform in a cube of twice the side of `Uniform`.
    Clusters,
    /// `Uniform` with each body's size times `0.8·10^u`, `u` uniform between -1.3 and 0.7.
    Mixed,
    /// Unit cubes on a lattice, unrotated, all neighbours touching.
    Stack,
    /// N rotated spheres, boxes and capsules on the square of `Plain` at heights 0 to 0.25, all
    /// touching one fixed box of 10 km by 10 km that comes first and is not counted.
    GiantGround,
    /// The unrotated boxes of the box-pruning benchmark: whole-number centres within 2048, whole
    /// half extents up to 127. Its seed is 42; 10,000 of them make 11,811 pairs.
    Pruning,
    /// The 4,221 boxes of a game level, fixed, and N spheres, boxes and capsules among them.
    Level,
    /// The boxes of `Uniform` with all centres on a line of length `1.5·N`.
    Line,
    /// The boxes of `Uniform` with all centres on a horizontal square of side `2·√N`.
    Flat,
    /// The boxes of `Uniform`, all at one place, so that each meets every other.
    Spot,
    /// `Uniform` with each body's size times `10^u`, `u` uniform between -3.3 and 0.7.
    Sizes,
    /// Unrotated rods in three directions, 0.1 thick and half as long as the cube of `Uniform`.
    Rods,
    /// The clusters of `Clusters` in a cube of 20 km.
    Islands,
    /// `Uniform` 10 km from the origin.
    Far,
}

/// A name that is no scene's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no scene is called {0:?}; there are {names}", names = SceneKind::every().map(SceneKind::name).collect::<Vec<_>>().join(", "))]
pub struct UnknownScene(pub String);

impl SceneKind {
    /// The scenes of reports, in their order.
    pub const ALL: [Self; 8] = [
        Self::Uniform,
        Self::Plain,
        Self::Clusters,
        Self::Mixed,
        Self::Stack,
        Self::GiantGround,
        Self::Pruning,
        Self::Level,
    ];

    /// Scenes that are hard for sweeps, grids or trees; so are `Mixed`, whose sizes are a factor of
    /// 100 apart, and `GiantGround`.
    pub const HARD: [Self; 7] =
        [Self::Line, Self::Flat, Self::Spot, Self::Sizes, Self::Rods, Self::Islands, Self::Far];

    /// All scenes that there are.
    pub fn every() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain(Self::HARD)
    }

    /// Its name on the command line and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Plain => "plain",
            Self::Clusters => "clusters",
            Self::Mixed => "mixed",
            Self::Stack => "stack",
            Self::GiantGround => "giant-ground",
            Self::Pruning => "pruning",
            Self::Level => "level",
            Self::Line => "line",
            Self::Flat => "flat",
            Self::Spot => "spot",
            Self::Sizes => "sizes",
            Self::Rods => "rods",
            Self::Islands => "islands",
            Self::Far => "far",
        }
    }

    /// Number of bodies to take when the user states none.
    #[must_use]
    pub fn default_bodies(self) -> usize {
        match self {
            Self::Level | Self::Spot => 1_000,
            _ => 10_000,
        }
    }
}

impl fmt::Display for SceneKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for SceneKind {
    type Err = UnknownScene;

    fn from_str(name: &str) -> Result<Self, UnknownScene> {
        let known = Self::every().find(|kind| kind.name() == name);
        known.ok_or_else(|| UnknownScene(name.to_owned()))
    }
}

/// One body of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneBody {
    /// Its shape.
    pub shape: Shape,
    /// Its pose at step 0.
    pub pose: Pose,
    /// Part of the surroundings: never moves, and makes no contacts with its like.
    pub fixed: bool,
    /// Whether it drifts; a body that is neither fixed nor moving rests.
    pub moving: bool,
    /// Unit direction in which it drifts by [`DRIFT`] a step if it moves.
    pub drift: Vec3,
}

impl SceneBody {
    /// Its pose after `step` steps, computed from the start and rounded once.
    #[must_use]
    pub fn pose_at(&self, step: u32) -> Pose {
        if !self.moving {
            return self.pose;
        }
        let way = self.drift.as_dvec3() * (f64::from(DRIFT) * f64::from(step));
        let position = round::nearest_vec(self.pose.translation() + way);
        Pose::new(position, self.pose.rotation()).unwrap_or(self.pose)
    }
}

/// Bodies, and the region that they fill.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The scene's name.
    pub name: &'static str,
    /// The bodies, in the order of insertion.
    pub bodies: Vec<SceneBody>,
    /// Where the bodies' centres were drawn (for a level, the bounds of its boxes); origins of
    /// rays are drawn there too.
    pub bounds: Aabb,
    /// Most of the region is empty, so that sweeps and overlaps start within 4 of a body, on every
    /// axis, instead of anywhere in the bounds.
    pub sparse: bool,
}

impl Scene {
    /// The moving bodies' poses after `step` steps, with their index.
    ///
    /// Computed from the start, so that step 1,000 is the same whether or not the steps before it
    /// were asked for.
    pub fn poses_at(&self, step: u32) -> impl Iterator<Item = (usize, Pose)> + '_ {
        let moving = self.bodies.iter().enumerate().filter(|(_, body)| body.moving);
        moving.map(move |(index, body)| (index, body.pose_at(step)))
    }

    /// Every body's bounds at the start.
    #[must_use]
    pub fn aabbs(&self) -> Vec<Aabb> {
        self.aabbs_at(0)
    }

    /// Every body's bounds after `step` steps.
    #[must_use]
    pub fn aabbs_at(&self, step: u32) -> Vec<Aabb> {
        self.bodies.iter().map(|body| body.shape.aabb(&body.pose_at(step))).collect()
    }

    /// Number of bodies that move.
    #[must_use]
    pub fn moving_count(&self) -> usize {
        self.bodies.iter().filter(|body| body.moving).count()
    }

    /// The scene with `percent` of its bodies made part of the surroundings, drawn from those that
    /// rest, exact in number as long as enough of them do.
    #[must_use]
    pub fn with_fixed(mut self, percent: f32, seed: u64) -> Self {
        let bodies = self.bodies.iter().filter(|body| !body.fixed).count();
        let resting = self.bodies.iter_mut().filter(|body| !body.fixed && !body.moving);
        let mut resting: Vec<&mut SceneBody> = resting.collect();
        let mut draw = Draw::new(seed, stream::FIXED, resting.len(), share_of(bodies, percent));
        resting.iter_mut().for_each(|body| body.fixed = draw.take());
        self
    }

    /// Pairs of bodies whose bounds overlap after `step` steps, smaller first, sorted; two fixed
    /// bodies are none.
    #[must_use]
    pub fn pairs_at(&self, step: u32) -> Vec<(u32, u32)> {
        let mut pairs = naive::pairs_sorted(&self.aabbs_at(step));
        pairs.retain(|&(a, b)| self.meet(a, b));
        pairs
    }

    /// Whether these two bodies may make a pair: not if both are fixed.
    #[must_use]
    pub fn meet(&self, a: u32, b: u32) -> bool {
        !(self.bodies[a as usize].fixed && self.bodies[b as usize].fixed)
    }

    /// Hash of every bit of the scene, the order of the bodies included.
    #[must_use]
    pub fn hash(&self) -> u64 {
        hash::of_words(self.bodies.iter().flat_map(|body| {
            let flags = u64::from(body.fixed) | u64::from(body.moving) << 1;
            let pose = body.pose.position().to_array().into_iter();
            let numbers = pose.chain(body.pose.rotation().to_array()).chain(body.drift.to_array());
            let bits = numbers.chain(shape_numbers(&body.shape)).map(|x| u64::from(x.to_bits()));
            std::iter::once(flags).chain(bits).collect::<Vec<u64>>()
        }))
    }

    /// Longest side of the region.
    #[must_use]
    pub fn side(&self) -> f64 {
        (self.bounds.max().as_dvec3() - self.bounds.min().as_dvec3()).max_element()
    }
}

/// The numbers that make a shape; scenes hold no compounds.
fn shape_numbers(shape: &Shape) -> Vec<f32> {
    match shape {
        Shape::Sphere(sphere) => vec![sphere.radius()],
        Shape::Cuboid(cuboid) => cuboid.half_extents().to_array().to_vec(),
        Shape::Capsule(capsule) => {
            let (a, b) = (capsule.a().to_array(), capsule.b().to_array());
            a.into_iter().chain(b).chain([capsule.radius()]).collect()
        }
        _ => Vec::new(),
    }
}

/// Builds a scene.
///
/// - `bodies`: how many; for `GiantGround` and `Level` the surroundings come on top.
/// - `moving_percent`: share of these bodies that moves, drawn at random but exact in number
///   (rounded to nearest); the bodies themselves do not depend on it.
/// - `seed`: equal seeds give equal bits. [`SceneKind::Pruning`] takes its low 32 bits as the state
///   of that benchmark's own generator.
#[must_use]
pub fn build(kind: SceneKind, bodies: usize, moving_percent: f32, seed: u64) -> Scene {
    let mut scene = match kind {
        SceneKind::Uniform => boxes::uniform(bodies, seed),
        SceneKind::Plain => boxes::plain(bodies, seed),
        SceneKind::Clusters => boxes::clusters(bodies, seed),
        SceneKind::Mixed => boxes::mixed(bodies, seed),
        SceneKind::Stack => boxes::stack(bodies),
        SceneKind::GiantGround => ground::giant_ground(bodies, seed),
        SceneKind::Pruning => pruning::pruning(bodies, seed),
        SceneKind::Level => level::build(level::Map::Two, bodies, seed),
        SceneKind::Line => hard::line(bodies, seed),
        SceneKind::Flat => hard::flat(bodies, seed),
        SceneKind::Spot => hard::spot(bodies, seed),
        SceneKind::Sizes => hard::sizes(bodies, seed),
        SceneKind::Rods => hard::rods(bodies, seed),
        SceneKind::Islands => hard::islands(bodies, seed),
        SceneKind::Far => hard::far(bodies, seed),
    };
    scene.name = kind.name();
    set_in_motion(&mut scene.bodies, moving_percent, seed);
    scene
}

/// Purposes of the streams that a seed is split into.
mod stream {
    pub(super) const BODIES: u64 = 1;
    pub(super) const DRIFT: u64 = 2;
    pub(super) const MOVING: u64 = 3;
    pub(super) const CENTERS: u64 = 4;
    pub(super) const RAYS: u64 = 5;
    pub(super) const SWEEPS: u64 = 6;
    pub(super) const OVERLAPS: u64 = 7;
    pub(super) const FIXED: u64 = 8;
}

/// Gives each body its direction and lets `percent` of those that are not fixed move.
fn set_in_motion(bodies: &mut [SceneBody], percent: f32, seed: u64) {
    let mut directions = Rng::stream(seed, stream::DRIFT);
    let left = bodies.iter().filter(|body| !body.fixed).count();
    let mut draw = Draw::new(seed, stream::MOVING, left, share_of(left, percent));
    for body in bodies.iter_mut().filter(|body| !body.fixed) {
        body.drift = directions.direction();
        body.moving = draw.take();
    }
}

/// That share of a number, a whole number.
fn share_of(count: usize, percent: f32) -> f64 {
    (count as f64 * (f64::from(percent.clamp(0.0, 100.0)) / 100.0)).round()
}

/// Drawing without replacement: each is taken with what is still wanted over what is left, so that
/// the count comes out exact.
struct Draw {
    choice: Rng,
    left: usize,
    wanted: f64,
}

impl Draw {
    fn new(seed: u64, stream: u64, left: usize, wanted: f64) -> Self {
        Self { choice: Rng::stream(seed, stream), left, wanted }
    }

    /// Whether the next one is taken.
    fn take(&mut self) -> bool {
        let taken = self.choice.unit() * (self.left as f64) < self.wanted;
        if taken {
            self.wanted -= 1.0;
        }
        self.left -= 1;
        taken
    }
}

/// A body at rest; [`set_in_motion`] decides about its motion.
fn body(shape: Shape, position: Vec3, rotation: Quat) -> SceneBody {
    let pose = Pose::new(position, rotation).expect("scenes draw finite poses");
    SceneBody { shape, pose, fixed: false, moving: false, drift: Vec3::X }
}

fn cuboid(half_extents: Vec3) -> Shape {
    Cuboid::new(half_extents).expect("scenes draw finite sizes that are not negative").into()
}

fn sphere(radius: f32) -> Shape {
    Sphere::new(radius).expect("scenes draw finite sizes that are not negative").into()
}

fn capsule(half_height: f32, radius: f32) -> Shape {
    let capsule = Capsule::along_y(half_height, radius);
    capsule.expect("scenes draw finite sizes that are not negative").into()
}

fn bounds(min: Vec3, max: Vec3) -> Aabb {
    Aabb::new(min, max).expect("scenes have ordered bounds")
}

/// A sphere, a box or a capsule in turn, of half extents and radii around `0.25·unit` to
/// `0.75·unit`.
fn mixed_shape(index: usize, unit: f64, rng: &mut Rng) -> Shape {
    let mut size = |low: f64, high: f64| rng.range(low * unit, high * unit);
    match index % 3 {
        0 => sphere(size(0.25, 0.75)),
        1 => cuboid(Vec3::new(size(0.25, 0.75), size(0.25, 0.75), size(0.25, 0.75))),
        _ => capsule(size(0.1, 0.5), size(0.15, 0.4)),
    }
}

#[cfg(test)]
mod tests;
