//! A box and a triangle, as far as f64 can tell how they lie to each other from their axes.

use impinge_shapes::convex::Core;
use impinge_shapes::glam::DVec3;

use super::Cores;
use crate::Relation;

/// Relation of a box and a triangle without radii; `None` inside where rounding or an edge that is
/// nearly parallel to an axis leaves it open, and outside for other cores.
///
/// - Source: Akenine-Möller, *Fast 3D triangle-box overlap testing* (2001), with error bounds: no
///   direction along which they are certainly apart can be missed by rounding, and what overlaps
///   by more than the error of the corners along all thirteen axes overlaps along all directions.
pub(super) fn relation(cores: &Cores<'_>) -> Option<Option<Relation>> {
    let (half, corners) = match (&cores.a.core, &cores.b.core) {
        (Core::Cuboid(half), Core::Triangle(corners)) => {
            (half, corners.map(|corner| cores.at.point_from_b(corner.as_dvec3())))
        }
        (Core::Triangle(corners), Core::Cuboid(half)) => {
            let from_a = |point: DVec3| cores.at.vector_to_b(point - cores.at.translation());
            (half, corners.map(|corner| from_a(corner.as_dvec3())))
        }
        _ => return None,
    };
    if cores.radius > 0.0 {
        return None;
    }
    let (half, error) = (half.as_dvec3(), cores.error());
    let [p, q, r] = corners;
    let gap = p.min(q).min(r).max(-p.max(q).max(r)) - half;
    if gap.max_element() > error {
        return Some(Some(Relation::Apart));
    }
    let sides = [q - p, r - q, p - r];
    let mut overlaps = gap.max_element() < -error;
    // What an axis may be off by, times the size, is far less than the error times `slack`.
    let mut look = |axis: DVec3, slack: f64| {
        let (reach, size) = (axis.abs().dot(half), axis.abs().element_sum());
        let [low, middle, high] = corners.map(|corner| axis.dot(corner));
        let gap = low.min(middle).min(high).max(-low.max(middle).max(high)) - reach;
        overlaps &= gap < -error * (size + slack);
        gap > error * size
    };
    let lengths = sides.map(|side| side.abs().element_sum());
    if look(sides[0].cross(sides[1]), lengths[0] * lengths[1]) {
        return Some(Some(Relation::Apart));
    }
    for (side, length) in sides.into_iter().zip(lengths) {
        let DVec3 { x, y, z } = side;
        let crosses = [DVec3::new(0.0, -z, y), DVec3::new(z, 0.0, -x), DVec3::new(-y, x, 0.0)];
        for axis in crosses {
            // An edge along an axis has no direction across both; differences of f64 are zero
            // only where they are exactly.
            if axis.abs().max_element() > 0.0 && look(axis, length) {
                return Some(Some(Relation::Apart));
            }
        }
    }
    Some(overlaps.then_some(Relation::Penetrating))
}
