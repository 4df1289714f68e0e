//! impinge's broad phase.

use impinge_broadphase::{BroadPhase, Mobility, Pair as Touching};
use impinge_shapes::Aabb;
use impinge_testkit::scenes::Scene;

use super::{Contender, Pair, Step};

struct Sweep {
    broad_phase: BroadPhase,
    moved: Vec<(u32, Aabb)>,
    /// The pairs as one slice, if asked for.
    list: Option<Vec<Touching>>,
}

/// `BroadPhase::set_many` and `BroadPhase::update`: the sorted list of all pairs.
pub(super) fn sweep(scene: &Scene) -> Box<dyn Contender> {
    Box::new(Sweep::new(scene, None))
}

/// The same, and all pairs copied into one slice.
pub(super) fn slice(scene: &Scene) -> Box<dyn Contender> {
    Box::new(Sweep::new(scene, Some(Vec::new())))
}

impl Sweep {
    fn new(scene: &Scene, list: Option<Vec<Touching>>) -> Self {
        let mut broad_phase = BroadPhase::new();
        for ((id, bounds), body) in (0..).zip(scene.aabbs()).zip(&scene.bodies) {
            let mobility = if body.fixed { Mobility::Fixed } else { Mobility::Moving };
            broad_phase.set(id, bounds, mobility);
        }
        broad_phase.update();
        Self { broad_phase, moved: Vec::new(), list }
    }
}

impl Contender for Sweep {
    fn prepare(&mut self, step: &Step) {
        self.moved = step.moved_bounds().collect();
    }

    fn step(&mut self) {
        self.broad_phase.set_many(&self.moved);
        self.broad_phase.update();
        if let Some(list) = &mut self.list {
            self.broad_phase.pairs().copy_into(list);
        }
    }

    fn pairs(&mut self) -> Vec<Pair> {
        let pair = |pair: Touching| (pair.a, pair.b);
        match &self.list {
            Some(list) => list.iter().copied().map(pair).collect(),
            None => self.broad_phase.pairs().iter().map(pair).collect(),
        }
    }

    fn uneven(&self) -> bool {
        true
    }
}
