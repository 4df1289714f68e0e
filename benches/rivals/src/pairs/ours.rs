//! impinge's broad phase.

use impinge_broadphase::{BroadPhase, Mobility};
use impinge_shapes::Aabb;
use impinge_testkit::scenes::Scene;

use super::{Contender, Pair, Step};

struct Sweep {
    broad_phase: BroadPhase,
    moved: Vec<(u32, Aabb)>,
}

/// `BroadPhase::set_many` and `BroadPhase::update`: the sorted list of all pairs.
pub(super) fn sweep(scene: &Scene) -> Box<dyn Contender> {
    let mut broad_phase = BroadPhase::new();
    for (id, bounds) in (0..).zip(scene.aabbs()) {
        broad_phase.set(id, bounds, Mobility::Moving);
    }
    broad_phase.update();
    Box::new(Sweep { broad_phase, moved: Vec::new() })
}

impl Contender for Sweep {
    fn prepare(&mut self, step: &Step) {
        self.moved = step.moved_bounds().collect();
    }

    fn step(&mut self) {
        self.broad_phase.set_many(&self.moved);
        self.broad_phase.update();
    }

    fn pairs(&mut self) -> Vec<Pair> {
        self.broad_phase.pairs().iter().map(|pair| (pair.a, pair.b)).collect()
    }
}
