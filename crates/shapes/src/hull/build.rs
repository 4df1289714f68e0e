//! From points to the faces of their hull.

use glam::{DVec3, Vec3};

use super::predicates::{side, spread};
use super::{Polygons, merge, planar, quick, to_u32};

/// The points without repetitions and negative zeros, in lexicographic order.
pub(super) fn weld(points: &[Vec3]) -> Vec<Vec3> {
    let mut points: Vec<Vec3> = points.iter().map(|&p| p + Vec3::ZERO).collect();
    points.sort_unstable_by(|a, b| {
        a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z))
    });
    points.dedup();
    points
}

/// What the hull of some points is, in indices of these points.
#[derive(Debug)]
pub(super) enum Hull {
    /// One point.
    Point,
    /// A segment from the first point to the last.
    Segment,
    /// A polygon; its two faces look opposite ways.
    Flat(Polygons),
    /// A solid.
    Solid(Polygons),
}

/// The hull of points from [`weld`].
pub(super) fn build(points: &[Vec3]) -> Hull {
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else { return Hull::Point };
    if points.len() == 1 {
        return Hull::Point;
    }
    let far = |p: Vec3| area(first, last, p).length_squared();
    let Some(third) = choose(points, far, |p| spread(first, last, p).is_some()) else {
        return Hull::Segment;
    };
    let beside = points[third as usize];
    let normal = area(first, last, beside);
    let high = |p: Vec3| normal.dot(p.as_dvec3() - first.as_dvec3()).abs();
    let is_off = |p: Vec3| side(first, last, beside, p).is_ne();
    let Some(fourth) = choose(points, high, is_off) else {
        let axes = spread(first, last, beside).unwrap_or([0, 1]);
        let polygon = planar::polygon(points, axes);
        let mut faces = Polygons::default();
        faces.push(polygon.iter().copied());
        faces.push(polygon.iter().rev().copied());
        return Hull::Flat(faces);
    };
    let end = to_u32(points.len() - 1);
    // The fourth corner belongs below the plane of the others.
    let simplex = if side(first, last, beside, points[fourth as usize]).is_lt() {
        [0, end, third, fourth]
    } else {
        [end, 0, third, fourth]
    };
    Hull::Solid(merge::merge(points, &quick::triangulate(points, simplex)))
}

/// Twice the area of a triangle, as a vector.
fn area(a: Vec3, b: Vec3, c: Vec3) -> DVec3 {
    let a = a.as_dvec3();
    (b.as_dvec3() - a).cross(c.as_dvec3() - a)
}

/// The point with the largest measure, or if that one does not qualify the first that does.
fn choose(
    points: &[Vec3],
    measure: impl Fn(Vec3) -> f64,
    qualifies: impl Fn(Vec3) -> bool,
) -> Option<u32> {
    let (mut best, mut largest) = (0, f64::NEG_INFINITY);
    for (index, &point) in points.iter().enumerate() {
        let measure = measure(point);
        if measure > largest {
            (best, largest) = (index, measure);
        }
    }
    if qualifies(points[best]) {
        return Some(to_u32(best));
    }
    points.iter().position(|&point| qualifies(point)).map(to_u32)
}
