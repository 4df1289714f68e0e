//! Nearest points of points and segments, in f64.

use impinge_shapes::glam::DVec3;

use crate::tolerance;

/// Nearest point to the origin of the segment from `start` along `direction`: its parameter in
/// `[0, 1]` and itself.
///
/// - Degenerate: a direction of zeros gives the start.
/// - Error: the point's distance is within 2^-49 of the sum of both lengths.
/// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.1.2.
pub(crate) fn nearest_to_origin(start: DVec3, direction: DVec3) -> (f64, DVec3) {
    let square = direction.length_squared();
    let s = if square > 0.0 { (-start.dot(direction) / square).clamp(0.0, 1.0) } else { 0.0 };
    (s, start + direction * s)
}

/// Nearest points of two segments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// Parameter of A's point, in `[0, 1]`.
    pub(crate) s: f64,
    /// Parameter of B's point, in `[0, 1]`.
    pub(crate) t: f64,
    /// From A's point to B's.
    pub(crate) between: DVec3,
    /// Along the normal: `between`, or `cross` to the side of `between` where both points lie
    /// inside their segments, because then it is the more precise.
    pub(crate) direction: DVec3,
    /// `along_a × along_b`; zero where the segments count as parallel.
    pub(crate) cross: DVec3,
}

/// Nearest points of the segments from A's start along `along_a` and from B's start, which lies
/// at `offset` from A's, along `along_b`.
///
/// - Ties: parallel segments take the pair of points nearest to A's start.
/// - Degenerate: segments without length are points.
/// - Error: the distance is within 2^-40 of the segments' lengths where they are parallel within
///   2^-40, otherwise within 2^-48 of the coordinates.
/// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.1.9; the inner solution is taken
///   from cross products, whose relative error stays small down to tiny angles, and refined once.
pub(crate) fn nearest(offset: DVec3, along_a: DVec3, along_b: DVec3) -> Nearest {
    let (square_a, square_b) = (along_a.length_squared(), along_b.length_squared());
    let cross = along_a.cross(along_b);
    let square = cross.length_squared();
    let least = tolerance::PARALLEL_SINE * tolerance::PARALLEL_SINE;
    if square <= least * square_a * square_b {
        return parallel(offset, along_a, along_b);
    }
    let solve = |from: DVec3| {
        (from.cross(along_b).dot(cross) / square, from.cross(along_a).dot(cross) / square)
    };
    let place = |s: f64, t: f64| offset + along_b * t - along_a * s;
    let (s, t) = solve(offset);
    let (ds, dt) = solve(place(s, t));
    let (s, t) = (s + ds, t + dt);
    let inside = |x: f64| (0.0..=1.0).contains(&x);
    if inside(s) && inside(t) {
        let between = place(s, t);
        let direction = if between.dot(cross) < 0.0 { -cross } else { cross };
        return Nearest { s, t, between, direction, cross };
    }
    // The squared distance falls all the way to the inner solution, so the nearest pair holds an
    // end on whose outer side that lies: at most one end of each segment.
    let on_b = |s: f64| {
        let (t, between) = nearest_to_origin(offset - along_a * s, along_b);
        Nearest { s, t, between, direction: between, cross }
    };
    let on_a = |t: f64| {
        let (s, between) = nearest_to_origin(offset + along_b * t, -along_a);
        Nearest { s, t, between, direction: between, cross }
    };
    let end = |x: f64| if x > 0.5 { 1.0 } else { 0.0 };
    match (inside(s), inside(t)) {
        (false, true) => on_b(end(s)),
        (true, _) => on_a(end(t)),
        (false, false) => {
            let (one, two) = (on_b(end(s)), on_a(end(t)));
            let first = one.between.length_squared() <= two.between.length_squared();
            if first { one } else { two }
        }
    }
}

/// [`nearest`] for segments that are parallel or without length.
fn parallel(offset: DVec3, along_a: DVec3, along_b: DVec3) -> Nearest {
    let (low, high) = common_interval(offset, along_a, along_b);
    // Without a common interval, A's end on B's side is the nearest, and so are both bounds.
    let s = if low <= high { low } else { low.min(1.0) };
    let (t, between) = nearest_to_origin(offset - along_a * s, along_b);
    Nearest { s, t, between, direction: between, cross: DVec3::ZERO }
}

/// Bounds of A's parameters beside B's segment; crossed (`low > high`) where there are none.
pub(crate) fn common_interval(offset: DVec3, along_a: DVec3, along_b: DVec3) -> (f64, f64) {
    let square = along_a.length_squared();
    if square <= 0.0 {
        return (0.0, 0.0);
    }
    let first = offset.dot(along_a) / square;
    let last = (offset + along_b).dot(along_a) / square;
    (first.min(last).max(0.0), first.max(last).min(1.0))
}

/// Which part of a segment a parameter lies on: 0 its start, 1 its end, 2 between them.
pub(crate) fn feature(s: f64) -> u32 {
    if s <= 0.0 {
        0
    } else if s >= 1.0 {
        1
    } else {
        2
    }
}

/// Unit vector perpendicular to `direction`, as near to `hint` as can be.
///
/// - Ties: without a hint, or with one along `direction`, the axis of the smallest component, the
///   first of +x, +y, +z among equals.
/// - Degenerate: no direction gives the hint itself, +x without one.
pub(crate) fn perpendicular(direction: DVec3, hint: DVec3) -> DVec3 {
    let square = direction.length_squared();
    let across = |v: DVec3| {
        if square > 0.0 { v - direction * (v.dot(direction) / square) } else { v }
    };
    let wanted = across(hint);
    if wanted.length() > hint.length() * tolerance::PARALLEL_SINE {
        // Once more: of a hint that is nearly along it, rounding leaves the more.
        return across(wanted.normalize()).normalize();
    }
    let size = direction.abs();
    let axis = if size.x <= size.y && size.x <= size.z {
        DVec3::X
    } else if size.y <= size.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    across(axis).normalize()
}

/// The unit vector made perpendicular to a segment, to which it is so but for rounding.
///
/// The rounding of a vector between two nearest points is no smaller for a short one, so that its
/// direction is off by the more, the nearer the points.
pub(crate) fn straighten(unit: DVec3, along: DVec3) -> DVec3 {
    let square = along.length_squared();
    let tilt = if square > 0.0 { unit.dot(along) / square } else { 0.0 };
    (unit - along * tilt).normalize()
}

/// Unit normal from A's core segment to B's.
///
/// - Ties: cores that meet within `noise` have no direction between them; the cross product of
///   the segments stands in, or else a vector perpendicular to the longer one, on the side of
///   `hint`.
pub(crate) fn normal(
    nearest: &Nearest,
    along_a: DVec3,
    along_b: DVec3,
    noise: f64,
    hint: DVec3,
) -> DVec3 {
    if nearest.between.length() > noise {
        let unit = nearest.direction / nearest.direction.length();
        let unit = if feature(nearest.s) == 2 { straighten(unit, along_a) } else { unit };
        return if feature(nearest.t) == 2 { straighten(unit, along_b) } else { unit };
    }
    let cross = nearest.cross;
    if cross.length_squared() > 0.0 {
        let unit = straighten(cross.normalize(), along_a);
        let side = if hint == DVec3::ZERO { nearest.between } else { hint };
        return if unit.dot(side) < 0.0 { -unit } else { unit };
    }
    let longer =
        if along_b.length_squared() > along_a.length_squared() { along_b } else { along_a };
    perpendicular(longer, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossing_end_and_parallel_cases() {
        let found = nearest(DVec3::new(1.0, -1.0, 3.0), DVec3::X * 2.0, DVec3::Y * 2.0);
        assert_eq!(found.between, DVec3::Z * 3.0);
        assert!((found.s - 0.5).abs() < 1e-15 && (found.t - 0.5).abs() < 1e-15);

        let found = nearest(DVec3::new(4.0, 1.0, 0.0), DVec3::X * 2.0, DVec3::Y);
        assert_eq!((found.s, found.t, found.between), (1.0, 0.0, DVec3::new(2.0, 1.0, 0.0)));

        // Parallel and side by side: the common points nearest to A's start.
        for (offset, along) in [(0.5, 4.0), (4.5, -4.0)] {
            let found = nearest(DVec3::new(offset, 2.0, 0.0), DVec3::X * 2.0, DVec3::X * along);
            assert_eq!((found.s, found.between), (0.25, DVec3::Y * 2.0));
        }
        // Parallel, one behind the other, on both sides.
        let found = nearest(DVec3::new(5.0, 0.0, 0.0), DVec3::X * 2.0, DVec3::X);
        assert_eq!((found.s, found.t, found.between), (1.0, 0.0, DVec3::X * 3.0));
        let found = nearest(DVec3::new(-5.0, 0.0, 0.0), DVec3::X * 2.0, DVec3::X);
        assert_eq!((found.s, found.t, found.between), (0.0, 1.0, DVec3::X * -4.0));
    }

    #[test]
    fn segments_without_length_are_points() {
        let found = nearest(DVec3::ONE, DVec3::ZERO, DVec3::ZERO);
        assert_eq!((found.s, found.t, found.between), (0.0, 0.0, DVec3::ONE));
        let found = nearest(DVec3::new(-1.0, 1.0, 0.0), DVec3::ZERO, DVec3::X * 2.0);
        assert_eq!((found.t, found.between), (0.5, DVec3::Y));
        let found = nearest(DVec3::new(1.0, 1.0, 0.0), DVec3::X * 2.0, DVec3::ZERO);
        assert_eq!((found.s, found.between), (0.5, DVec3::Y));
    }

    #[test]
    fn perpendiculars_follow_the_order_of_the_axes() {
        assert_eq!(perpendicular(DVec3::Y, DVec3::ZERO), DVec3::X);
        assert_eq!(perpendicular(DVec3::X * 5.0, DVec3::ZERO), DVec3::Y);
        assert_eq!(perpendicular(DVec3::ZERO, DVec3::ZERO), DVec3::X);
        assert_eq!(perpendicular(DVec3::Y, DVec3::new(0.0, 3.0, -2.0)), DVec3::NEG_Z);
        assert_eq!(perpendicular(DVec3::Y, DVec3::Y), DVec3::X);
    }
}
