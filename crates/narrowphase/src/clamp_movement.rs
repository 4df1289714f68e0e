//! How far a box may move before obstacles stop it, axis by axis.

use impinge_shapes::glam::Vec3;
use impinge_shapes::{Aabb, round};

/// The part of `movement` that the obstacles permit, each axis on its own.
///
/// An obstacle concerns an axis when its interval overlaps the mover's strictly on the other two
/// axes and the mover lies entirely before or behind it on this one, touching allowed; then a
/// movement towards it is cut to the gap. All axes use the mover's start, so sliding along a wall
/// that touches is free, running into it gives 0 on that axis, and an obstacle that overlaps the
/// mover cuts nothing.
///
/// This is a slide rule, not a time of impact: a mover whose path is diagonal may pass an edge.
/// For the first touch use [`sweep_aabb`](crate::sweep_aabb).
///
/// - Error: a gap that is not an f32 number is rounded toward zero, so that the mover never passes
///   an obstacle.
/// - Degenerate: a component that is NaN permits no movement on its axis; one that is infinite is
///   cut like any other and stays infinite where nothing is in the way.
///
/// ```
/// use impinge_narrowphase::clamp_movement;
/// use impinge_shapes::{Aabb, glam::Vec3};
///
/// let mover = Aabb::new(Vec3::ZERO, Vec3::ONE).unwrap();
/// let wall = Aabb::new(Vec3::new(3.0, -5.0, -5.0), Vec3::new(4.0, 5.0, 5.0)).unwrap();
/// let permitted = clamp_movement(&mover, Vec3::new(9.0, -1.0, 0.0), [wall]);
/// assert_eq!(permitted, Vec3::new(2.0, -1.0, 0.0));
/// ```
#[must_use]
pub fn clamp_movement(
    mover: &Aabb,
    movement: Vec3,
    obstacles: impl IntoIterator<Item = Aabb>,
) -> Vec3 {
    let mut permitted = Vec3::from_array(
        movement.to_array().map(|component| if component.is_nan() { 0.0 } else { component }),
    );
    for obstacle in obstacles {
        let beside: [bool; 3] = std::array::from_fn(|axis| {
            mover.min()[axis] < obstacle.max()[axis] && obstacle.min()[axis] < mover.max()[axis]
        });
        for axis in 0..3 {
            if !(beside[(axis + 1) % 3] && beside[(axis + 2) % 3]) {
                continue;
            }
            let wanted = permitted[axis];
            if wanted > 0.0 && mover.max()[axis] <= obstacle.min()[axis] {
                permitted[axis] = wanted.min(gap(mover.max()[axis], obstacle.min()[axis]));
            } else if wanted < 0.0 && obstacle.max()[axis] <= mover.min()[axis] {
                let gap = gap(obstacle.max()[axis], mover.min()[axis]);
                // The sum turns a negative zero into a plain one.
                permitted[axis] = wanted.max(-gap) + 0.0;
            }
        }
    }
    permitted
}

/// `to - from` for `from ≤ to`, rounded toward zero.
fn gap(from: f32, to: f32) -> f32 {
    let gap = round::sum_down(to.into(), -f64::from(from));
    // Two boxes that end at the same infinity have no gap between them.
    if gap.is_nan() { 0.0 } else { gap.max(0.0) }
}
