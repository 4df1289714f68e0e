//! A step of Box3D's world that takes no time, and so has no solver.

use impinge_foreign::Pose;
use impinge_foreign::box3d::{BoxHull, Motion, World};
use impinge_shapes::Shape;
use impinge_testkit::scenes::{Scene, SceneBody};

use super::{Contender, Pair, Step};
use crate::convert;

struct Stepped {
    world: World,
    moved: Vec<(u32, Pose)>,
    /// Touching pairs of resting bodies, which are static and do not meet in the world.
    resting: Vec<Pair>,
}

fn pose(pose: &impinge_shapes::Pose) -> Pose {
    convert::foreign_pose(&convert::pose(pose))
}

fn insert(world: &mut World, body: &SceneBody) {
    let Shape::Cuboid(cuboid) = &body.shape else { panic!("scenes of boxes") };
    let hull = BoxHull::new(cuboid.half_extents().to_array());
    world.insert(hull.hull(), &pose(&body.pose), Motion::Dynamic);
}

/// `b3Body_SetTransform` and `b3World_Step`; moving bodies are dynamic and resting ones static.
pub(super) fn step(scene: &Scene) -> Box<dyn Contender> {
    let mut world = World::new(rayon::current_num_threads());
    for body in &scene.bodies {
        insert(&mut world, body);
    }
    // All contacts once, before the resting bodies no longer meet.
    world.update();
    let rests = |id: u32| !scene.bodies[id as usize].moving;
    let mut resting = world.touching();
    resting.retain(|&(a, b)| rests(a) && rests(b) && scene.meet(a, b));
    for id in (0..scene.bodies.len() as u32).filter(|&id| rests(id)) {
        world.set_motion(id, Motion::Static);
    }
    world.rebuild_static_tree();
    world.update();
    Box::new(Stepped { world, moved: Vec::new(), resting })
}

impl Contender for Stepped {
    fn prepare(&mut self, step: &Step) {
        self.moved = step.moved.iter().map(|(id, at)| (*id, pose(at))).collect();
    }

    fn step(&mut self) {
        for (id, pose) in &self.moved {
            self.world.set_pose(*id, pose);
        }
        self.world.update();
    }

    fn touching(&self) -> Vec<Pair> {
        let mut pairs = self.world.touching();
        pairs.extend_from_slice(&self.resting);
        pairs
    }
}
