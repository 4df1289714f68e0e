//! The exact narrow phase, asked about every body.

use glam::Vec3;
use impinge_narrowphase as narrow;
use impinge_shapes::{Aabb, Pose, Shape, round};
use impinge_world::BodyId;

use super::scene::Placed;

/// In the order of ids.
pub(crate) fn overlaps(bodies: &[Placed], shape: &Shape, pose: &Pose) -> Vec<BodyId> {
    let overlapping =
        bodies.iter().filter(|body| narrow::overlaps(shape, pose, &body.shape, &body.pose));
    overlapping.map(|body| body.id).collect()
}

/// A cuboid in the box, as large as f32 numbers make it, and one around it, four last places of
/// its coordinates larger.
pub(crate) fn cuboids(bounds: &Aabb) -> [(Shape, Pose); 2] {
    let center = bounds.center();
    let (low, high) = (bounds.min().as_dvec3(), bounds.max().as_dvec3());
    let middle = center.as_dvec3();
    let half = |axis: usize| {
        let below = round::sum_down(middle[axis], -low[axis]);
        below.min(round::sum_down(high[axis], -middle[axis])).max(0.0)
    };
    let largest = bounds.min().abs().max(bounds.max().abs());
    let wide = |axis: usize| {
        let below = round::sum_up(middle[axis], -low[axis]);
        let grown = below.max(round::sum_up(high[axis], -middle[axis]));
        (grown + largest[axis] * (4.0 * f32::EPSILON)).next_up()
    };
    let at = Pose::from_position(center).expect("the box is finite");
    let cuboid = |half: Vec3| Shape::cuboid(half).expect("and not empty");
    [
        (cuboid(Vec3::new(half(0), half(1), half(2))), at),
        (cuboid(Vec3::new(wide(0), wide(1), wide(2))), at),
    ]
}
