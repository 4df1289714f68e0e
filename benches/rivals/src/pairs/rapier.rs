//! rapier3d's broad phase, driven without the rest of the engine.

use std::collections::BTreeSet;

use impinge_testkit::scenes::Scene;
use rapier3d::prelude::{
    ActiveCollisionTypes, BroadPhaseBvh, BroadPhasePairEvent, ColliderBuilder, ColliderHandle,
    ColliderSet, IntegrationParameters, RigidBodySet,
};

use super::{Contender, Pair, Step};
use crate::convert;

/// Its broad phase keeps fat boxes and reports what begins and ends; nobody keeps a list for it
/// while the clock runs.
struct Events {
    broad_phase: BroadPhaseBvh,
    parameters: IntegrationParameters,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    handles: Vec<ColliderHandle>,
    modified: Vec<ColliderHandle>,
    events: Vec<BroadPhasePairEvent>,
    pairs: BTreeSet<Pair>,
}

/// Colliders without bodies, moved colliders named to `update`, no prediction distance.
pub(super) fn events(scene: &Scene) -> Box<dyn Contender> {
    let mut colliders = ColliderSet::new();
    let handles: Vec<ColliderHandle> = scene
        .bodies
        .iter()
        .filter_map(|body| {
            let builder = ColliderBuilder::new(convert::shape(&body.shape)?)
                .position(convert::pose(&body.pose))
                .active_collision_types(ActiveCollisionTypes::all());
            Some(colliders.insert(builder))
        })
        .collect();
    let _ = colliders.take_modified();
    let parameters =
        IntegrationParameters { normalized_prediction_distance: 0.0, ..Default::default() };
    let mut contender = Events {
        broad_phase: BroadPhaseBvh::new(),
        parameters,
        bodies: RigidBodySet::new(),
        colliders,
        modified: handles.clone(),
        handles,
        events: Vec::new(),
        pairs: BTreeSet::new(),
    };
    contender.step();
    Box::new(contender)
}

impl Contender for Events {
    fn prepare(&mut self, step: &Step) {
        self.note_events();
        self.modified.clear();
        for &(id, pose) in &step.moved {
            let handle = self.handles[id as usize];
            if let Some(collider) = self.colliders.get_mut(handle) {
                collider.set_position(convert::pose(&pose));
            }
            self.modified.push(handle);
        }
        let _ = self.colliders.take_modified();
    }

    fn step(&mut self) {
        self.events.clear();
        self.broad_phase.update(
            &self.parameters,
            &self.colliders,
            &self.bodies,
            &self.modified,
            &[],
            &mut self.events,
        );
    }

    fn pairs(&mut self) -> Vec<Pair> {
        self.note_events();
        self.pairs.iter().copied().collect()
    }

    fn fat(&self) -> bool {
        true
    }

    fn uneven(&self) -> bool {
        true
    }
}

impl Events {
    /// Takes the last step's events over into the set of pairs; not timed.
    fn note_events(&mut self) {
        let name = |handle: ColliderHandle| handle.into_raw_parts().0;
        for event in self.events.drain(..) {
            match event {
                BroadPhasePairEvent::AddPair(pair) => {
                    self.pairs.insert((name(pair.collider1), name(pair.collider2)));
                }
                BroadPhasePairEvent::DeletePair(pair) => {
                    self.pairs.remove(&(name(pair.collider1), name(pair.collider2)));
                }
            }
        }
    }
}
