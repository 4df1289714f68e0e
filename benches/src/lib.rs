//! What the benches share: sizes, steps of a scene, worlds, near pairs.
//!
//! Every bench checks the answers before it measures, and runs small and once under `cargo test`.

pub mod near;

use std::time::Duration;

use impinge_shapes::{Aabb, Pose};
use impinge_testkit::scenes::{Scene, SceneBody, SceneKind};
use impinge_world::{Body, BodyId, World};

/// Seed of all scenes and queries.
pub const SEED: u64 = 1;

/// Samples of each bench.
pub const SAMPLES: usize = 10;

/// Time that each bench measures for.
pub const MEASUREMENT: Duration = Duration::from_millis(600);

/// Time that each bench runs before.
pub const WARM_UP: Duration = Duration::from_millis(150);

/// The scenes of boxes.
pub const BOXES: [SceneKind; 5] =
    [SceneKind::Uniform, SceneKind::Plain, SceneKind::Clusters, SceneKind::Mixed, SceneKind::Stack];

/// Whether the benches only have to pass: without `--bench`, which `cargo bench` gives, or with
/// `--test`.
#[must_use]
pub fn quick() -> bool {
    let has = |flag: &str| std::env::args().any(|argument| argument == flag);
    !has("--bench") || has("--test")
}

/// Numbers of bodies.
#[must_use]
pub fn sizes() -> &'static [usize] {
    if quick() { &[300] } else { &[1_000, 10_000, 100_000] }
}

/// How many steps ahead the moves are computed; the scene then goes back the way it came.
const STEPS: u32 = 6;

/// The moves of a scene, step after step, there and back again.
#[derive(Clone, Debug)]
pub struct Steps<T> {
    moves: Vec<Vec<T>>,
    next: usize,
}

impl<T> Steps<T> {
    fn new(at: impl FnMut(u32) -> Vec<T>) -> Self {
        let there_and_back = (1..=STEPS).chain((0..STEPS).rev());
        Self { moves: there_and_back.map(at).collect(), next: 0 }
    }

    /// What moves in the next step, and where to.
    pub fn advance(&mut self) -> &[T] {
        let moves = &self.moves[self.next];
        self.next = (self.next + 1) % self.moves.len();
        moves
    }
}

/// The bounds of those that move in each step; ids are places in the scene.
#[must_use]
pub fn moving_bounds(scene: &Scene) -> Steps<(u32, Aabb)> {
    let moving = || (0..).zip(&scene.bodies).filter(|(_, body)| body.moving);
    Steps::new(|step| {
        moving().map(|(id, body)| (id, body.shape.aabb(&body.pose_at(step)))).collect()
    })
}

/// The poses of those that move in each step.
#[must_use]
pub fn moving_poses(scene: &Scene, ids: &[BodyId]) -> Steps<(BodyId, Pose)> {
    Steps::new(|step| scene.poses_at(step).map(|(place, pose)| (ids[place], pose)).collect())
}

/// A world of the scene's bodies, and their ids in the scene's order.
///
/// # Panics
/// A scene with a pose that is not finite.
#[must_use]
pub fn world(scene: &Scene) -> (World, Vec<BodyId>) {
    let mut world = World::with_capacity(scene.bodies.len());
    let insert = |body: &SceneBody| {
        let shape = body.shape.clone();
        let kind = if body.fixed { Body::fixed(shape) } else { Body::moving(shape) };
        world.insert(kind.pose(body.pose)).expect("scenes hold finite poses")
    };
    let ids = scene.bodies.iter().map(insert).collect();
    (world, ids)
}
