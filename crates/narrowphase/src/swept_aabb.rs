//! Axis-aligned boxes that move: exact first time of impact.

use std::cmp::Ordering;

use impinge_shapes::exact::Exact;
use impinge_shapes::glam::Vec3;
use impinge_shapes::{Aabb, round};

/// First touch of a moving box with a resting one.
///
/// ```
/// use impinge_narrowphase::sweep_aabb;
/// use impinge_shapes::{Aabb, glam::{Vec3, vec3}};
///
/// let mover = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
/// let wall = Aabb::new(Vec3::X * 3.0, Vec3::splat(5.0))?;
/// let hit = sweep_aabb(&mover, vec3(4.0, 1.0, 0.0), &wall).unwrap();
/// assert_eq!((hit.fraction, hit.normal, hit.started_overlapping), (0.5, Vec3::NEG_X, false));
/// assert!(sweep_aabb(&wall, Vec3::X, &wall).unwrap().started_overlapping);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AabbSweepHit {
    /// Part of the displacement done at the touch, in `[0, 1]`.
    pub fraction: f32,
    /// Unit, out of the obstacle, against the motion; zero for boxes that overlap at the start.
    pub normal: Vec3,
    /// The boxes overlap or touch at the start.
    pub started_overlapping: bool,
}

/// A time as a quotient of exact differences, `numerator / denominator` with a positive
/// denominator.
#[derive(Clone, Copy)]
struct Time {
    /// Minuend, subtrahend: the gap in the direction of motion.
    gap: (f32, f32),
    /// Absolute speed on the axis.
    speed: f32,
}

impl Time {
    fn value(self) -> f64 {
        (f64::from(self.gap.0) - f64::from(self.gap.1)) / f64::from(self.speed)
    }

    /// Compares two times; exact, by cross-multiplication where the quotients are too close.
    fn compare(self, other: Self) -> Ordering {
        let (a, b) = (self.value(), other.value());
        // A difference and a quotient of f32 numbers: two roundings of 2^-53 relative each.
        let bound = (a.abs() + b.abs()) * (f64::EPSILON * 2.0);
        if (a - b).abs() > bound {
            return a.total_cmp(&b);
        }
        let side =
            |x: Self, y: Self| (Exact::from(x.gap.0) - Exact::from(x.gap.1)) * Exact::from(y.speed);
        side(self, other).cmp(&side(other, self))
    }
}

/// When a box that moves by `displacement` first touches another; exact yes/no, grazing counts.
///
/// - Normal: the axis on which the boxes touch last; ties take the first of x, y, z.
/// - Degenerate: zero displacement is an overlap test; a displacement that is not finite hits
///   nothing. Boxes may be unbounded.
/// - Error: `fraction` is the exact time rounded to nearest, within one ulp.
/// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.5.8.
///
/// ```
/// use impinge_narrowphase::sweep_aabb;
/// use impinge_shapes::{Aabb, glam::{Vec3, vec3}};
///
/// let mover = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
/// let wall = Aabb::new(Vec3::X * 2.0, Vec3::splat(3.0))?;
/// let time = |way| sweep_aabb(&mover, way, &wall).map(|hit| hit.fraction);
/// assert_eq!(time(vec3(2.0, 0.0, 0.0)), Some(0.5));
/// assert_eq!(time(vec3(1.0, -1.0, 0.0)), Some(1.0)); // grazes an edge: touching counts
/// assert_eq!(time(vec3(1.0, -1.0_f32.next_up(), 0.0)), None); // below it by one step of f32
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn sweep_aabb(mover: &Aabb, displacement: Vec3, obstacle: &Aabb) -> Option<AabbSweepHit> {
    if !displacement.is_finite() {
        return None;
    }
    if mover.overlaps(obstacle) {
        return Some(AabbSweepHit { fraction: 0.0, normal: Vec3::ZERO, started_overlapping: true });
    }
    let one = Time { gap: (1.0, 0.0), speed: 1.0 };
    let zero = Time { gap: (0.0, 0.0), speed: 1.0 };
    let (mut entry, mut exit, mut axis_of_entry) = (zero, one, None);
    for axis in 0..3 {
        let (mover_min, mover_max) = (mover.min()[axis], mover.max()[axis]);
        let (min, max) = (obstacle.min()[axis], obstacle.max()[axis]);
        let step = displacement[axis];
        let (enter, leave) = if step > 0.0 {
            ((min, mover_max), (max, mover_min))
        } else if step < 0.0 {
            ((mover_min, max), (mover_max, min))
        } else if mover_min <= max && min <= mover_max {
            continue;
        } else {
            return None;
        };
        let apart_before = enter.0 > enter.1;
        // A gap of infinite numbers is closed before the start or never.
        if apart_before && !(enter.0.is_finite() && enter.1.is_finite()) {
            return None;
        }
        if apart_before {
            let time = Time { gap: enter, speed: step.abs() };
            if time.compare(entry).is_gt() {
                (entry, axis_of_entry) = (time, Some(axis));
            }
        }
        if leave.0.is_finite() && leave.1.is_finite() {
            let time = Time { gap: leave, speed: step.abs() };
            if time.compare(exit).is_lt() {
                exit = time;
            }
        }
    }
    if entry.compare(exit).is_gt() {
        return None;
    }
    let axis = axis_of_entry?;
    let mut normal = Vec3::ZERO;
    normal[axis] = -displacement[axis].signum();
    let fraction = round::nearest(entry.value()).clamp(0.0, 1.0);
    Some(AabbSweepHit { fraction, normal, started_overlapping: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aabb(min: [f32; 3], max: [f32; 3]) -> Aabb {
        Aabb::new(min.into(), max.into()).unwrap()
    }

    #[test]
    fn corner_to_corner_is_a_hit_and_one_ulp_off_is_not() {
        let mover = aabb([0.0; 3], [1.0; 3]);
        let obstacle = aabb([3.0, 3.0, 0.0], [4.0, 4.0, 1.0]);
        let hit = sweep_aabb(&mover, Vec3::new(4.0, 4.0, 0.0), &obstacle).unwrap();
        assert_eq!(hit.fraction.to_bits(), 0.5_f32.to_bits());
        assert_eq!(hit.normal, Vec3::NEG_X);
        // Passes the edge of a flat obstacle at its very end, or an ulp beside it.
        let flat = aabb([3.0, 1.0, 0.0], [3.0, 1.0, 1.0]);
        assert!(sweep_aabb(&mover, Vec3::new(2.0, 0.0, 0.0), &flat).is_some());
        let beside = aabb([3.0, 1.0_f32.next_up(), 0.0], [3.0, 2.0, 1.0]);
        assert!(sweep_aabb(&mover, Vec3::new(2.0, 0.0, 0.0), &beside).is_none());
    }

    #[test]
    fn starts_ends_and_strange_displacements() {
        let mover = aabb([0.0; 3], [1.0; 3]);
        let wall = aabb([2.0, -5.0, -5.0], [3.0, 5.0, 5.0]);
        assert!(sweep_aabb(&mover, Vec3::ZERO, &wall).is_none());
        assert!(sweep_aabb(&mover, Vec3::new(f32::NAN, 0.0, 0.0), &wall).is_none());
        assert!(sweep_aabb(&mover, Vec3::new(0.999, 0.0, 0.0), &wall).is_none());
        let end = sweep_aabb(&mover, Vec3::X, &wall).unwrap();
        assert_eq!(end.fraction.to_bits(), 1.0_f32.to_bits());
        let inside = sweep_aabb(&wall, Vec3::ZERO, &wall).unwrap();
        assert!(inside.started_overlapping);
        let everything = sweep_aabb(&mover, Vec3::X, &Aabb::EVERYTHING).unwrap();
        assert!(everything.started_overlapping);
    }

    #[test]
    fn half_bounded_obstacles_are_met_on_their_bounded_side() {
        let mover = aabb([0.0; 3], [1.0; 3]);
        let ground = aabb(
            [f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY],
            [f32::INFINITY, -1.0, f32::INFINITY],
        );
        let hit = sweep_aabb(&mover, Vec3::new(5.0, -4.0, 1.0), &ground).unwrap();
        assert_eq!(hit.fraction.to_bits(), 0.25_f32.to_bits());
        assert_eq!(hit.normal, Vec3::Y);
    }
}
