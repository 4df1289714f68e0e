//! rapier3d's `CollisionPipeline`.

use impinge_testkit::scenes::Scene;
use rapier3d::math::Pose;
use rapier3d::prelude::{
    ActiveCollisionTypes, BroadPhaseBvh, ColliderBuilder, ColliderHandle, ColliderSet,
    CollisionPipeline, ContactPair, Group, InteractionGroups, InteractionTestMode, IslandManager,
    NarrowPhase, RigidBodySet,
};

use super::{Contender, Pair, Step};
use crate::convert;

struct Pipeline {
    pipeline: CollisionPipeline,
    islands: IslandManager,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    handles: Vec<ColliderHandle>,
    moved: Vec<(ColliderHandle, Pose)>,
}

/// Fixed colliders meet the others alone: without bodies, it takes all for fixed ones.
fn groups(fixed: bool) -> InteractionGroups {
    let (own, met) = if fixed {
        (Group::GROUP_2, Group::ALL ^ Group::GROUP_2)
    } else {
        (Group::GROUP_1, Group::ALL)
    };
    InteractionGroups::new(own, met, InteractionTestMode::And)
}

/// Colliders without bodies, all pairs of which may touch but of two fixed ones; no prediction
/// distance.
pub(super) fn pipeline(scene: &Scene) -> Box<dyn Contender> {
    let mut colliders = ColliderSet::new();
    let handles = scene.bodies.iter().map(|body| {
        let shape = convert::shape(&body.shape).expect("scenes of simple shapes");
        let builder = ColliderBuilder::new(shape)
            .position(convert::pose(&body.pose))
            .collision_groups(groups(body.fixed))
            .active_collision_types(ActiveCollisionTypes::all());
        colliders.insert(builder)
    });
    let handles = handles.collect();
    let mut contender = Pipeline {
        pipeline: CollisionPipeline::new(),
        islands: IslandManager::new(),
        broad_phase: BroadPhaseBvh::new(),
        narrow_phase: NarrowPhase::new(),
        bodies: RigidBodySet::new(),
        colliders,
        handles,
        moved: Vec::new(),
    };
    contender.step();
    Box::new(contender)
}

impl Contender for Pipeline {
    fn prepare(&mut self, step: &Step) {
        let handle = |id: u32| self.handles[id as usize];
        self.moved =
            step.moved.iter().map(|(id, pose)| (handle(*id), convert::pose(pose))).collect();
    }

    fn step(&mut self) {
        for (handle, pose) in &self.moved {
            if let Some(collider) = self.colliders.get_mut(*handle) {
                collider.set_position(*pose);
            }
        }
        self.pipeline.step(
            0.0,
            &mut self.islands,
            &mut self.broad_phase,
            &mut self.narrow_phase,
            &mut self.bodies,
            &mut self.colliders,
            &(),
            &(),
        );
    }

    fn touching(&self) -> Vec<Pair> {
        let touches = |pair: &&ContactPair| {
            pair.manifolds().iter().any(|manifold| !manifold.points.is_empty())
        };
        let name = |handle: ColliderHandle| handle.into_raw_parts().0;
        let pair = |pair: &ContactPair| {
            let (a, b) = (name(pair.collider1), name(pair.collider2));
            (a.min(b), a.max(b))
        };
        self.narrow_phase.contact_pairs().filter(touches).map(pair).collect()
    }
}
