//! Planes of triangles, four side by side.

use fearless_simd::{Simd, f64x4, prelude::*};
use impinge_shapes::at_level;
use impinge_shapes::glam::DVec3;
use impinge_shapes::simd::SimdLevel;

use crate::real::{Mask, Real, Real3};

/// Triangles that are worked out at once.
pub(super) const LANES: usize = 4;

/// Corners of triangles: of each corner, each coordinate lane by lane.
pub(super) type Corners = [[[f64; LANES]; 3]; 3];

/// Planes of triangles.
#[derive(Default)]
pub(super) struct Planes {
    /// Unit normals, coordinate by coordinate.
    normals: [[f64; LANES]; 3],
    /// How high above the origin the lowest corner of each is.
    pub(super) heights: [f64; LANES],
}

impl Planes {
    /// `None` if one of the triangles has no area.
    #[inline]
    pub(super) fn new(level: SimdLevel, corners: &Corners) -> Option<Self> {
        let mut planes = Self::default();
        let found = at_level!(level, simd => side_by_side(simd, corners, &mut planes));
        found.then_some(planes)
    }

    #[inline]
    pub(super) fn normal(&self, lane: usize) -> DVec3 {
        let ([x, y, z], lane) = (&self.normals, lane % LANES);
        DVec3::new(x[lane], y[lane], z[lane])
    }
}

#[inline(always)]
fn side_by_side<S: Simd>(simd: S, corners: &Corners, planes: &mut Planes) -> bool {
    let [p, q, r] = corners;
    let (p, q, r) = (loaded(simd, p), loaded(simd, q), loaded(simd, r));
    let (normal, height, is_flat) = plane([p, q, r]);
    planes.normals = [normal.x.into(), normal.y.into(), normal.z.into()];
    planes.heights = height.into();
    !is_flat.any()
}

#[inline(always)]
fn loaded<S: Simd>(simd: S, [x, y, z]: &[[f64; LANES]; 3]) -> Real3<f64x4<S>> {
    let of = |lanes| f64x4::load_array(simd, lanes);
    Real3::new(of(*x), of(*y), of(*z))
}

/// The unit normal of a triangle, the height of its lowest corner, and whether it has no area.
///
/// The normal is that of the two shorter sides, whose cross product is the most precise.
#[inline(always)]
fn plane<R: Real>([p, q, r]: [Real3<R>; 3]) -> (Real3<R>, R, R::Mask) {
    let sides = [q - p, r - q, p - r];
    let squares = [sides[0].dot(sides[0]), sides[1].dot(sides[1]), sides[2].dot(sides[2])];
    let first = squares[0].at_most(squares[1]) & squares[2].at_most(squares[1]);
    let second = squares[0].at_most(squares[2]);
    let zero = p.x.all(0.0);
    let choose = |one, two, three| Real3::pick(first, one, Real3::pick(second, two, three));
    let one = choose(sides[0], sides[1], sides[2]);
    // What is subtracted from zero has the zeros of the difference the other way around.
    let other = Real3::new(zero, zero, zero) - choose(sides[2], sides[0], sides[1]);
    let normal = one.cross(other);
    let scale = p.x.all(1.0) / normal.dot(normal).sqrt();
    let is_flat = !(zero.below(scale) & scale.below(p.x.all(f64::INFINITY)));
    let normal = normal * scale;
    let height = normal.dot(p).least(normal.dot(q)).least(normal.dot(r));
    (normal, height, is_flat)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(triangles: &[[DVec3; 3]; LANES]) -> Corners {
        let mut corners = Corners::default();
        for (lane, triangle) in triangles.iter().enumerate() {
            for (coordinates, point) in corners.iter_mut().zip(triangle) {
                for (axis, lanes) in coordinates.iter_mut().enumerate() {
                    lanes[lane] = point[axis];
                }
            }
        }
        corners
    }

    #[test]
    fn four_planes_are_those_of_each_triangle_to_the_bit() {
        let mut state = 1_u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 32) as f64 / 2_147_483_648.0 - 1.0
        };
        let mut seen = [0; 3];
        for round in 0..500 {
            let mut corner = || DVec3::new(number(), number(), number());
            let triangles = [0; LANES].map(|_| [corner(), corner(), corner()]);
            let planes = Planes::new(SimdLevel::scalar(), &lanes(&triangles)).unwrap();
            for (lane, [p, q, r]) in triangles.into_iter().enumerate() {
                let sides = [q - p, r - q, p - r].map(DVec3::length_squared);
                let longest = (0..3).max_by(|&i, &j| sides[i].total_cmp(&sides[j])).unwrap();
                seen[longest] += 1;
                let (one, other) = [(p - r, q - r), (q - p, r - p), (r - q, p - q)][longest];
                let normal = one.cross(other).normalize();
                let height = normal.dot(p).min(normal.dot(q)).min(normal.dot(r));
                assert_eq!(planes.normal(lane), normal, "{round} {lane}");
                assert_eq!(planes.heights[lane].to_bits(), height.to_bits(), "{round} {lane}");
            }
        }
        assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
    }

    #[test]
    fn every_level_gives_the_same_planes() {
        let corner = |k: u8| DVec3::new(f64::from(k % 5), f64::from(k % 7), 1.0 / f64::from(k + 1));
        let triangle = |k: u8| [corner(k), corner(k + 1), corner(k + 2)];
        let corners = lanes(&[triangle(0), triangle(9), triangle(21), triangle(30)]);
        let bits = |level: SimdLevel| {
            let Planes { normals, heights } = Planes::new(level, &corners).unwrap();
            [normals[0], normals[1], normals[2], heights].map(|lanes| lanes.map(f64::to_bits))
        };
        for level in SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name)) {
            assert_eq!(bits(level), bits(SimdLevel::scalar()), "{}", level.name());
        }
    }

    #[test]
    fn no_planes_where_one_triangle_has_no_area() {
        let plain = [DVec3::ZERO, DVec3::X, DVec3::Y];
        assert!(Planes::new(SimdLevel::scalar(), &lanes(&[plain; LANES])).is_some());
        for lane in 0..LANES {
            let mut triangles = [plain; LANES];
            triangles[lane] = [DVec3::ZERO, DVec3::X, DVec3::X * 3.0];
            assert!(Planes::new(SimdLevel::scalar(), &lanes(&triangles)).is_none(), "{lane}");
        }
    }
}
