//! Exact signs of orientations of f32 points.
//!
//! The polynomials have degree 3 in differences of f32 numbers, so nothing in f64 underflows or
//! overflows: products are multiples of 2^-447 and stay below 2^390.

use std::cmp::Ordering;

use glam::{DVec3, Vec3};
use robust::{Coord, Coord3D};

use crate::tolerance;

/// Side of the plane through `a`, `b` and `c` on which `d` lies: `Greater` on the side from which
/// they run counter-clockwise.
///
/// - Source: Shewchuk, *Adaptive Precision Floating-Point Arithmetic* (1997), §4.3.
pub(crate) fn side(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Ordering {
    let at = |p: Vec3| Coord3D { x: p.x, y: p.y, z: p.z };
    // Positive there means below the plane.
    sign(-robust::orient3d(at(a), at(b), at(c), at(d)))
}

/// Turn of the path `a`, `b`, `c` seen against the third axis of `axes`: `Greater` for a turn to
/// the left, `Equal` for none.
///
/// - Source: as [`side`], §4.2.
pub(crate) fn turn(a: Vec3, b: Vec3, c: Vec3, axes: [usize; 2]) -> Ordering {
    let [i, j] = axes;
    let at = |p: Vec3| Coord { x: p[i], y: p[j] };
    sign(robust::orient2d(at(a), at(b), at(c)))
}

/// A pair of axes along which the three points do not lie on a line; `None` if they do in space.
pub(crate) fn spread(a: Vec3, b: Vec3, c: Vec3) -> Option<[usize; 2]> {
    [[0, 1], [1, 2], [2, 0]].into_iter().find(|&axes| turn(a, b, c, axes) != Ordering::Equal)
}

fn sign(x: f64) -> Ordering {
    x.partial_cmp(&0.0).unwrap_or(Ordering::Equal)
}

/// The plane of a triangle, ready for many points.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrianglePlane {
    corners: [Vec3; 3],
    /// Counter-clockwise product of two sides in f64.
    normal: DVec3,
    /// The terms of the normal made positive.
    terms: DVec3,
}

impl TrianglePlane {
    pub(super) fn new(corners: [Vec3; 3]) -> Self {
        let [a, b, c] = corners.map(|p| p.as_dvec3());
        let (u, v) = (b - a, c - a);
        let (s, t) = (u.abs(), v.abs());
        let terms = DVec3::new(s.y * t.z + s.z * t.y, s.z * t.x + s.x * t.z, s.x * t.y + s.y * t.x);
        Self { corners, normal: u.cross(v), terms }
    }

    /// Height above the plane, in units that are the same for all points, of a point that lies
    /// strictly above it. Whether it does is decided exactly; the height is rounded.
    #[inline]
    pub(super) fn above(&self, point: Vec3) -> Option<f64> {
        let arm = point.as_dvec3() - self.corners[0].as_dvec3();
        let height = self.normal.dot(arm);
        let bound = self.terms.dot(arm.abs()) * tolerance::HULL_FILTER;
        if height > bound {
            return Some(height);
        }
        if height < -bound || bound <= 0.0 {
            // A bound of zero is an exact zero, because no product underflows.
            return None;
        }
        let [a, b, c] = self.corners;
        (side(a, b, c, point) == Ordering::Greater).then_some(height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Exact;
    use crate::filter::{Number, Vector};

    #[test]
    fn signs_agree_with_whole_numbers_over_the_whole_range() {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state >> 40
        };
        let mut counts = [0; 3];
        for round in 0..4000 {
            // Few distinct values, from the smallest denormal to 2^127, so that many are coplanar.
            let scale = [f32::from_bits(1), 1.0, 1e9, 2.0_f32.powi(120)]
                [usize::try_from(next() % 4).unwrap()];
            let mut point = || {
                let mut coordinate = || {
                    let lattice = f32::from(u8::try_from(next() % 4).unwrap()) - 1.0;
                    if next() % 16 == 0 { f32::from_bits(1) } else { lattice * scale }
                };
                Vec3::new(coordinate(), coordinate(), coordinate())
            };
            let (a, b, c, d) = (point(), point(), point(), point());
            let vector = |to: Vec3| Vector::<Exact>::between(a, to);
            let exact = vector(b).cross(&vector(c)).dot(&vector(d)).known_sign().unwrap();
            assert_eq!(side(a, b, c, d), exact, "{round}: {a} {b} {c} {d}");
            let above = TrianglePlane::new([a, b, c]).above(d).is_some();
            assert_eq!(above, exact == Ordering::Greater, "{round}: {a} {b} {c} {d}");
            let flat = vector(b).cross(&vector(c)).0.iter().all(|x| x.sign().is_eq());
            assert_eq!(spread(a, b, c).is_none(), flat, "{round}: {a} {b} {c}");
            counts[usize::from(exact.is_ge()) + usize::from(exact.is_gt())] += 1;
        }
        assert!(counts.iter().all(|&n| n > 500), "{counts:?}");
    }
}
