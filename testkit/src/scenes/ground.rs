//! Thousands of small bodies on one huge box.

use glam::{Quat, Vec3};

use super::{Scene, body, bounds, boxes, cuboid, mixed_shape, stream};
use crate::rng::Rng;

pub(super) fn giant_ground(count: usize, seed: u64) -> Scene {
    let mut rng = Rng::stream(seed, stream::BODIES);
    let square = boxes::plain_region(count);
    // Low enough for every body to reach the ground.
    let region = bounds(square.min(), square.max().with_y(0.25));
    let mut ground =
        body(cuboid(Vec3::new(5_000.0, 5.0, 5_000.0)), Vec3::new(0.0, -5.0, 0.0), Quat::IDENTITY);
    ground.fixed = true;
    let mut bodies = vec![ground];
    for index in 0..count {
        let position = rng.vec(region.min(), region.max());
        let shape = mixed_shape(index, 1.0, &mut rng);
        bodies.push(body(shape, position, rng.rotation()));
    }
    Scene { name: "", bodies, bounds: region, sparse: false }
}
