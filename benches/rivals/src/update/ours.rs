//! impinge's world.

use impinge_shapes::Pose;
use impinge_testkit::scenes::Scene;
use impinge_world::{Body, BodyId, World};

use super::{Contender, Pair, Step};

struct Update {
    world: World,
    ids: Vec<BodyId>,
    moved: Vec<(BodyId, Pose)>,
}

/// `World::set_poses` and `World::update`, events included.
pub(super) fn update(scene: &Scene) -> Box<dyn Contender> {
    let mut world = World::new();
    let bodies = scene.bodies.iter();
    let ids = bodies.map(|body| {
        let shape = body.shape.clone();
        let fresh = if body.fixed { Body::fixed(shape) } else { Body::moving(shape) };
        world.insert(fresh.pose(body.pose)).expect("scenes hold finite poses")
    });
    let ids = ids.collect();
    world.update();
    Box::new(Update { world, ids, moved: Vec::new() })
}

impl Contender for Update {
    fn prepare(&mut self, step: &Step) {
        let ids = &self.ids;
        self.moved = step.moved.iter().map(|&(id, pose)| (ids[id as usize], pose)).collect();
    }

    fn step(&mut self) {
        self.world.set_poses(&self.moved).expect("no body was removed");
        self.world.update();
    }

    fn touching(&self) -> Vec<Pair> {
        // Ids ascend in the order of insertion, so an id's place among them is the body's.
        let place = |id: BodyId| self.ids.binary_search(&id).map_or(u32::MAX, |place| place as u32);
        self.world.contacts().iter().map(|contact| (place(contact.a), place(contact.b))).collect()
    }
}
