//! When a moving point enters a ball or a cylinder: the stable form of the quadratic.

use impinge_shapes::glam::DVec3;

/// Where a straight path enters a round set and where it is deepest inside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Fraction of the motion at the entry, not negative; may lie beyond 1.
    pub(crate) first: f64,
    /// Fraction of the motion at the least distance, not before `first`; may lie beyond 1.
    pub(crate) middle: f64,
}

/// Entry of a point that starts at `start` and moves by `motion` into the ball of `radius` around
/// the origin.
///
/// - Sign: `None` when the point moves away or along, or passes farther than `radius + slack`.
/// - Degenerate: a start inside the ball enters at 0.
/// - Error: never later than the true entry by more than rounding, because the chord is taken at
///   `radius + slack`; where the path grazes the ball this is early by at most the chord that the
///   slack adds, `sqrt(2 * radius * slack)`.
/// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.3.2, with the discriminant
///   `b² - a·c` written as `a·r² - |start × motion|²` and the root as `c / (sqrt(..) - b)`, so
///   that no two nearly equal numbers are subtracted away from a graze.
#[inline(always)]
pub(crate) fn ball_entry(start: DVec3, motion: DVec3, radius: f64, slack: f64) -> Option<Entry> {
    let b = start.dot(motion);
    if b >= 0.0 || b.is_nan() {
        return None;
    }
    let a = motion.length_squared();
    let outer = radius + slack;
    let chord = outer * outer * a - start.cross(motion).length_squared();
    if chord < 0.0 {
        return None;
    }
    // No root of the square, which would be rounded, too.
    let outside = start.length_squared() - radius * radius;
    let first = (outside / (chord.sqrt() - b)).max(0.0);
    Some(Entry { first, middle: (-b / a).max(first) })
}

/// Entry into the side of the cylinder of `radius` around the segment from the origin along
/// `axis`; `None` also where the path enters it beyond the segment's ends.
///
/// - Degenerate: no axis, no side.
/// - Error: as [`ball_entry`].
pub(crate) fn side_entry(
    start: DVec3,
    motion: DVec3,
    axis: DVec3,
    radius: f64,
    slack: f64,
) -> Option<Entry> {
    let square = axis.length_squared();
    if square <= 0.0 {
        return None;
    }
    let across = |v: DVec3| v - axis * (v.dot(axis) / square);
    let entry = ball_entry(across(start), across(motion), radius, slack)?;
    let along = (start + motion * entry.first).dot(axis);
    (along >= 0.0 && along <= square).then_some(entry)
}

/// The earlier of two entries.
pub(crate) fn earlier(a: Option<Entry>, b: Option<Entry>) -> Option<Entry> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.first < a.first { b } else { a }),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_enters_where_the_textbook_says() {
        let entry = ball_entry(DVec3::new(-5.0, 3.0, 0.0), DVec3::X * 2.0, 5.0, 0.0).unwrap();
        assert!((entry.first - 0.5).abs() < 1e-15 && (entry.middle - 2.5).abs() < 1e-15);
        let graze = ball_entry(DVec3::new(-5.0, 1.0, 0.0), DVec3::X, 1.0, 0.0).unwrap();
        assert!((graze.first - 5.0).abs() < 1e-7 && graze.first <= graze.middle);
        assert!(ball_entry(DVec3::new(-5.0, 1.5, 0.0), DVec3::X, 1.0, 0.0).is_none());
        assert!(ball_entry(DVec3::new(5.0, 0.0, 0.0), DVec3::X, 1.0, 0.0).is_none());
        assert!(ball_entry(DVec3::X, DVec3::ZERO, 0.5, 0.0).is_none());
    }

    #[test]
    fn the_whole_range_of_f32_neither_overflows_nor_underflows() {
        for scale in [1e-45_f32, 1.0, 1e38] {
            let s = f64::from(scale);
            let start = DVec3::new(-3.0 * s, 0.0, 0.0);
            let entry = ball_entry(start, DVec3::X * (2.0 * s), s, 0.0).unwrap();
            assert!((entry.first - 1.0).abs() < 1e-12);
            let side = side_entry(start, DVec3::X * (2.0 * s), DVec3::Y * s, s, 0.0).unwrap();
            assert!((side.first - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn the_side_of_a_cylinder_ends_with_its_axis() {
        let (motion, axis) = (DVec3::X * 4.0, DVec3::Y);
        let hit = |y: f64| side_entry(DVec3::new(-3.0, y, 0.0), motion, axis, 1.0, 0.0);
        assert!(hit(0.0).is_some() && hit(1.0).is_some() && hit(0.5).is_some());
        assert!(hit(-1e-9).is_none() && hit(1.0 + 1e-9).is_none());
        assert!(side_entry(DVec3::X, -DVec3::X, DVec3::ZERO, 0.5, 0.0).is_none());
    }
}
