//! Eight pairs of boxes side by side: where edges cross.

use fearless_simd::{Simd, prelude::*};

use super::super::axes::EDGES;
use super::super::contact::EDGE_FEATURE;
use super::boxes::{Boxes, Lane, NUMBERS, Yes, dot, turned};
use crate::real::Real3;
use crate::tolerance;

/// Where two edges cross.
pub(super) struct Crossing<S: Simd> {
    pub(super) normal: Real3<Lane<S>>,
    pub(super) point_a: Real3<Lane<S>>,
    pub(super) point_b: Real3<Lane<S>>,
    pub(super) feature: Lane<S>,
    /// They cross indeed.
    pub(super) meets: Yes<S>,
    /// Some face looks nearly along the axis.
    pub(super) steady: Yes<S>,
}

impl<S: Simd> Boxes<S> {
    /// [`super::contact::edge_point`] to the bit, along the edge axis of this number.
    #[inline(always)]
    pub(super) fn crossing(
        &self,
        simd: S,
        index: Lane<S>,
        separation: Lane<S>,
        size: Lane<S>,
    ) -> Crossing<S> {
        let Self { a, b, t, r } = self;
        let (zero, one, two) =
            (Lane::splat(simd, 0.0), Lane::splat(simd, 1.0), Lane::splat(simd, 2.0));
        let third_i = index.simd_ge(Lane::splat(simd, NUMBERS[EDGES + 6]));
        let second_i = index.simd_ge(Lane::splat(simd, NUMBERS[EDGES + 3])) & !third_i;
        // The edge of B, from 0 to 2.
        let row = third_i.select(one * 12.0, second_i.select(one * 9.0, one * 6.0));
        let (second_j, third_j) = ((index - row).simd_eq(one), (index - row).simd_eq(two));
        let first_i = !(second_i | third_i);
        let along_a = Real3::new(
            first_i.select(one, zero),
            second_i.select(one, zero),
            third_i.select(one, zero),
        );
        let [x_j, x_k, x_l] = turned(second_j, third_j, [r[0][0], r[1][0], r[2][0]]);
        let [y_j, y_k, y_l] = turned(second_j, third_j, [r[0][1], r[1][1], r[2][1]]);
        let [z_j, z_k, z_l] = turned(second_j, third_j, [r[0][2], r[1][2], r[2][2]]);
        let [b_j, b_k, b_l] = turned(second_j, third_j, *b);
        let (along_b, axis_k) = (Real3::new(x_j, y_j, z_j), Real3::new(x_k, y_k, z_k));
        let axis_l = Real3::new(x_l, y_l, z_l);
        let cross = along_a.cross(along_b);
        let square = cross.dot(cross);
        let length = square.sqrt();
        let unit = Real3::new(cross.x / length, cross.y / length, cross.z / length);
        let [_, t_m, t_n] = turned(second_i, third_i, *t);
        let [_, r_m, r_n] = turned(second_i, third_i, [x_j, y_j, z_j]);
        let normal = Real3::pick((t_n * r_m - t_m * r_n).simd_lt(zero), -unit, unit);
        let below = [normal.x.simd_lt(zero), normal.y.simd_lt(zero), normal.z.simd_lt(zero)];
        let on_a = Real3::new(
            first_i.select(zero, below[0].select(-a[0], a[0])),
            second_i.select(zero, below[1].select(-a[1], a[1])),
            third_i.select(zero, below[2].select(-a[2], a[2])),
        );
        let (above_k, above_l) =
            (axis_k.dot(normal).simd_gt(zero), axis_l.dot(normal).simd_gt(zero));
        let on_b = Real3::new(t[0], t[1], t[2])
            + axis_k * above_k.select(-b_k, b_k)
            + axis_l * above_l.select(-b_l, b_l);
        let [_, below_m, below_n] = turned(
            second_i,
            third_i,
            [below[0].select(one, zero), below[1].select(one, zero), below[2].select(one, zero)],
        );
        let name = (below_m * 8.0 + below_n * 4.0)
            + (above_k.select(two, zero) + above_l.select(one, zero));
        let between = on_b - on_a;
        let at_a = between.cross(along_b).dot(cross) / square;
        let at_b = between.cross(along_a).dot(cross) / square;
        let [a_i, ..] = turned(second_i, third_i, *a);
        let (on_a, on_b) = (on_a + along_a * within(at_a, a_i), on_b + along_b * within(at_b, b_j));
        let off = on_b - on_a;
        let aside = off - normal * off.dot(normal);
        let meets = aside.dot(aside).sqrt().simd_le(size * tolerance::SAME_POINT);
        let (middle, half) = ((on_a + on_b) * (one * 0.5), normal * (separation * 0.5));
        let limit = Lane::splat(simd, tolerance::NEAR_FACE);
        let mut steady = zero.simd_lt(zero);
        for axis in r {
            let cosine = dot(axis, &[normal.x, normal.y, normal.z]);
            steady |= (one - cosine * cosine).simd_le(limit);
        }
        for cosine in [normal.x, normal.y, normal.z] {
            steady |= (one - cosine * cosine).simd_le(limit);
        }
        Crossing {
            normal,
            point_a: middle - half,
            point_b: middle + half,
            feature: index * 16.0 + name + f64::from(EDGE_FEATURE),
            meets,
            steady,
        }
    }
}

/// The number nearest to this one in a range around zero.
#[inline(always)]
fn within<S: Simd>(number: Lane<S>, most: Lane<S>) -> Lane<S> {
    let number = number.simd_lt(-most).select(-most, number);
    number.simd_gt(most).select(most, number)
}
