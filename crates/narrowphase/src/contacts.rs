//! Contact points of eight pairs, rounded in lanes and told one by one.

use fearless_simd::{Simd, f64x8, prelude::*};
use impinge_shapes::glam::Vec3;

use crate::real::Real3;
use crate::turn::{WIDTH, turn_back};
use crate::{ContactPoint, FeatureId};

/// A point of each pair in two parts: the one on A and the first number of the one on B; the others,
/// the distance, and a number for nothing.
pub(crate) type Points = [[[f32; 4]; WIDTH]; 2];

/// No points.
pub(crate) const NONE: Points = [[[0.0; 4]; WIDTH]; 2];

/// Rounds points in the world and their distances.
#[inline(always)]
pub(crate) fn put_points<S: Simd>(
    on_a: Real3<f64x8<S>>,
    on_b: Real3<f64x8<S>>,
    distance: f64x8<S>,
    [one, other]: &mut Points,
) {
    turn_back(on_a.x.narrow(on_a.y), on_a.z.narrow(on_b.x), one);
    turn_back(on_b.y.narrow(on_b.z), distance.narrow(distance), other);
}

/// Rounds normals in the world; each has a number for nothing at the end.
#[inline(always)]
pub(crate) fn put_normals<S: Simd>(normal: Real3<f64x8<S>>, normals: &mut [[f32; 4]; WIDTH]) {
    turn_back(normal.x.narrow(normal.y), normal.z.narrow(normal.z), normals);
}

/// A lane's point.
#[inline(always)]
pub(crate) fn point([one, other]: &Points, lane: usize, feature: FeatureId) -> ContactPoint {
    let [ax, ay, az, bx] = one[lane % WIDTH];
    let [by, bz, distance, _] = other[lane % WIDTH];
    let (point_a, point_b) = (Vec3::new(ax, ay, az), Vec3::new(bx, by, bz));
    ContactPoint { point_a, point_b, distance, feature }
}

/// A lane's normal.
#[inline(always)]
pub(crate) fn normal(normals: &[[f32; 4]; WIDTH], lane: usize) -> Vec3 {
    let [x, y, z, _] = normals[lane % WIDTH];
    Vec3::new(x, y, z)
}
