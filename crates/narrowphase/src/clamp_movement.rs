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

#[cfg(test)]
mod tests {
    use super::*;

    fn aabb(min: [f32; 3], max: [f32; 3]) -> Aabb {
        Aabb::new(min.into(), max.into()).unwrap()
    }

    fn unit() -> Aabb {
        aabb([0.0; 3], [1.0; 3])
    }

    fn wall() -> Aabb {
        aabb([3.0, -5.0, -5.0], [4.0, 5.0, 5.0])
    }

    #[test]
    fn movement_is_cut_to_the_gap_from_both_sides() {
        let right = clamp_movement(&unit(), Vec3::X * 9.0, [wall()]);
        assert_eq!(right, Vec3::X * 2.0);
        let mover = aabb([6.0, 0.0, 0.0], [7.0, 1.0, 1.0]);
        assert_eq!(clamp_movement(&mover, Vec3::X * -9.0, [wall()]), Vec3::X * -2.0);
        assert_eq!(clamp_movement(&mover, Vec3::X * 9.0, [wall()]), Vec3::X * 9.0);
        assert_eq!(clamp_movement(&mover, Vec3::X * -1.0, [wall()]), Vec3::X * -1.0);
    }

    #[test]
    fn a_wall_that_touches_lets_slide_and_stops_inward() {
        let mover = aabb([2.0, 0.0, 0.0], [3.0, 1.0, 1.0]);
        let permitted = clamp_movement(&mover, Vec3::new(5.0, 2.0, -2.0), [wall()]);
        assert_eq!(permitted, Vec3::new(0.0, 2.0, -2.0));
        let from_right = aabb([4.0, 0.0, 0.0], [5.0, 1.0, 1.0]);
        let stopped = clamp_movement(&from_right, Vec3::X * -1.0, [wall()]);
        assert_eq!(stopped.x.to_bits(), 0.0_f32.to_bits());
    }

    #[test]
    fn touching_beside_is_not_in_the_way_and_overlap_cuts_nothing() {
        // The wall's top lies exactly at the mover's foot.
        let low = aabb([3.0, -5.0, -5.0], [4.0, 0.0, 5.0]);
        assert_eq!(clamp_movement(&unit(), Vec3::X * 9.0, [low]), Vec3::X * 9.0);
        let inside = aabb([0.5, -5.0, -5.0], [4.0, 5.0, 5.0]);
        assert_eq!(clamp_movement(&unit(), Vec3::splat(9.0), [inside]), Vec3::splat(9.0));
    }

    #[test]
    fn axes_use_the_start_so_that_a_diagonal_may_pass_an_edge() {
        let corner = aabb([2.0, 2.0, 0.0], [3.0, 3.0, 1.0]);
        let diagonal = Vec3::new(5.0, 5.0, 0.0);
        assert_eq!(clamp_movement(&unit(), diagonal, [corner]), diagonal);
    }

    #[test]
    fn the_nearest_of_several_obstacles_decides_in_any_order() {
        let far = aabb([4.0, 0.0, 0.0], [5.0, 1.0, 1.0]);
        let near = aabb([1.5, 0.5, 0.5], [2.0, 2.0, 2.0]);
        for order in [[far, near], [near, far]] {
            assert_eq!(clamp_movement(&unit(), Vec3::X * 9.0, order), Vec3::X * 0.5);
        }
    }

    #[test]
    fn gaps_round_toward_zero() {
        let mover = aabb([0.0; 3], [1e-10, 1.0, 1.0]);
        let permitted = clamp_movement(&mover, Vec3::X * 9.0, [wall()]).x;
        assert_eq!(permitted.to_bits(), 3.0_f32.next_down().to_bits());
        let mover = aabb([10.0, 0.0, 0.0], [11.0, 1.0, 1.0]);
        let obstacle = aabb([-1.0, 0.0, 0.0], [1e-10, 1.0, 1.0]);
        let permitted = clamp_movement(&mover, Vec3::X * -99.0, [obstacle]).x;
        assert_eq!(permitted.to_bits(), (-10.0_f32).next_up().to_bits());
    }

    #[test]
    fn numbers_that_are_not_finite_are_defined() {
        let lost = clamp_movement(&unit(), Vec3::new(f32::NAN, 1.0, 1.0), []);
        assert_eq!(lost, Vec3::new(0.0, 1.0, 1.0));
        let endless = Vec3::new(f32::INFINITY, f32::NEG_INFINITY, 0.0);
        let permitted = clamp_movement(&unit(), endless, [wall()]);
        assert_eq!(permitted.x.to_bits(), 2.0_f32.to_bits());
        assert!(permitted.y.is_infinite() && permitted.y < 0.0);
        let ground = Aabb::new(Vec3::NEG_INFINITY, Vec3::new(f32::INFINITY, -1.0, f32::INFINITY));
        let fall = clamp_movement(&unit(), Vec3::Y * -9.0, [ground.unwrap()]);
        assert_eq!(fall, Vec3::Y * -1.0);
        let edge = aabb([f32::INFINITY; 3], [f32::INFINITY; 3]);
        assert!(!clamp_movement(&Aabb::EVERYTHING, Vec3::X, [edge]).is_nan());
    }
}
