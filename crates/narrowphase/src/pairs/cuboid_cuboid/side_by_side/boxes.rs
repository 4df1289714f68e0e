//! Eight pairs of boxes side by side: the best axis, and which faces meet along it.

use fearless_simd::{Simd, f64x8, mask64x8, prelude::*};

use super::super::axes::{EDGES, after, edges};
use super::Asked;
use crate::clip::eight::{Eighth, Quads};
use crate::real::Real3;
use crate::tolerance;

pub(super) type Lane<S> = f64x8<S>;
pub(super) type Yes<S> = mask64x8<S>;
pub(super) type Three<S> = [Lane<S>; 3];

/// Numbers of the axes.
pub(super) const NUMBERS: [f64; 15] =
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0];

/// [`super::axes::Boxes`] of eight pairs.
pub(super) struct Boxes<S: Simd> {
    pub(super) a: Three<S>,
    pub(super) b: Three<S>,
    pub(super) t: Three<S>,
    /// B's axes: `r[j][i]` is component `i` of axis `j`.
    pub(super) r: [Three<S>; 3],
}

/// Best axes.
pub(super) struct Best<S: Simd> {
    pub(super) index: Lane<S>,
    pub(super) separation: Lane<S>,
    /// Some edge axis must be looked at by itself.
    pub(super) short: Yes<S>,
}

/// Which face is the reference.
pub(super) struct Reference<S: Simd> {
    /// It is B's.
    pub(super) is_b: Yes<S>,
    /// It is on the box's second or third axis.
    pub(super) second: Yes<S>,
    pub(super) third: Yes<S>,
    /// It looks along the negative axis.
    pub(super) negative: Yes<S>,
    /// From A to B.
    pub(super) normal: Three<S>,
    /// It is not the best axis' own but one that looks nearly along it.
    pub(super) steady: Yes<S>,
}

/// A reference face and the face of the other box over it.
pub(super) struct Faces<S: Simd> {
    pub(super) quads: Quads<S>,
    /// The unit of errors.
    pub(super) size: Lane<S>,
    /// What both faces' names make.
    pub(super) name: Lane<S>,
    /// How far the reference is from its box's middle, and on which side.
    pub(super) half: Lane<S>,
    pub(super) sign: Lane<S>,
}

#[inline(always)]
pub(super) fn dot<S: Simd>(a: &Three<S>, b: &Three<S>) -> Lane<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn pick<S: Simd>(mask: Yes<S>, yes: &Three<S>, no: &Three<S>) -> Three<S> {
    [mask.select(yes[0], no[0]), mask.select(yes[1], no[1]), mask.select(yes[2], no[2])]
}

#[inline(always)]
pub(super) fn negated<S: Simd>(v: &Three<S>) -> Three<S> {
    [-v[0], -v[1], -v[2]]
}

/// What can be chosen lane by lane.
pub(super) trait Choose<S: Simd>: Copy {
    fn choose(mask: Yes<S>, yes: Self, no: Self) -> Self;
}

impl<S: Simd> Choose<S> for Lane<S> {
    #[inline(always)]
    fn choose(mask: Yes<S>, yes: Self, no: Self) -> Self {
        mask.select(yes, no)
    }
}

impl<S: Simd> Choose<S> for Three<S> {
    #[inline(always)]
    fn choose(mask: Yes<S>, yes: Self, no: Self) -> Self {
        pick(mask, &yes, &no)
    }
}

/// What belongs to this axis, then what belongs to the two after it.
#[inline(always)]
pub(super) fn turned<S: Simd, T: Choose<S>>(
    second: Yes<S>,
    third: Yes<S>,
    [x, y, z]: [T; 3],
) -> [T; 3] {
    [
        T::choose(third, z, T::choose(second, y, x)),
        T::choose(third, x, T::choose(second, z, y)),
        T::choose(third, y, T::choose(second, x, z)),
    ]
}

/// The unit vector of an axis of A.
#[inline(always)]
pub(super) fn unit_along<S: Simd>(simd: S, second: Yes<S>, third: Yes<S>) -> Three<S> {
    let (zero, one) = (Lane::splat(simd, 0.0), Lane::splat(simd, 1.0));
    [(second | third).select(zero, one), second.select(one, zero), third.select(one, zero)]
}

/// The number of a face, from 0 to 5; no closure, for these may stay out of line.
#[inline(always)]
fn number<S: Simd>(simd: S, second: Yes<S>, third: Yes<S>, negative: Yes<S>) -> Lane<S> {
    let (zero, one, two) = (Lane::splat(simd, 0.0), Lane::splat(simd, 1.0), Lane::splat(simd, 2.0));
    third.select(two + two, second.select(two, zero)) + negative.select(one, zero)
}

/// Sum of the absolute components of the centre and all half extents.
#[inline(always)]
pub(super) fn size_of<S: Simd>(a: &Three<S>, b: &Three<S>, t: &Three<S>) -> Lane<S> {
    (t[0].abs() + t[1].abs() + t[2].abs()) + (a[0] + a[1] + a[2]) + (b[0] + b[1] + b[2])
}

impl<S: Simd> Boxes<S> {
    /// [`super::axes::Boxes::best_of`] to the bit, but where `short` says that it says otherwise.
    #[inline(always)]
    pub(super) fn best(&self, simd: S, asked: &Asked, tie: Lane<S>) -> Best<S> {
        let Self { a, b, t, r } = self;
        let zero = Lane::splat(simd, 0.0);
        let (mut index, mut separation) = (zero, Lane::splat(simd, f64::NEG_INFINITY));
        for i in 0..3 {
            let reach = a[i] + (b[0] * r[0][i].abs() + b[1] * r[1][i].abs() + b[2] * r[2][i].abs());
            let here = -(reach - t[i].abs());
            let wins = here.simd_gt(separation + tie);
            index = wins.select(Lane::splat(simd, NUMBERS[i]), index);
            separation = wins.select(here, separation);
        }
        for j in 0..3 {
            let c = &r[j];
            let reach = b[j] + (a[0] * c[0].abs() + a[1] * c[1].abs() + a[2] * c[2].abs());
            let here = -(reach - dot(t, c).abs());
            let wins = here.simd_gt(separation + tie);
            index = wins.select(Lane::splat(simd, NUMBERS[3 + j]), index);
            separation = wins.select(here, separation);
        }
        let mut threshold = separation + separation.abs() * asked.preference;
        let parallel = Lane::splat(simd, tolerance::PARALLEL_SQUARED);
        for k in 0..9 {
            if asked.edges >> k & 1 == 0 {
                continue;
            }
            let (i, j) = edges(EDGES + k);
            let squared = self.edge_length_squared(i, j);
            let ((m, n), (k2, l)) = (after(i), after(j));
            let reach = (a[m] * r[j][n].abs() + a[n] * r[j][m].abs())
                + (b[k2] * r[l][i].abs() + b[l] * r[k2][i].abs());
            let overlap = reach - (t[n] * r[j][m] - t[m] * r[j][n]).abs();
            let here = -overlap - tie;
            let (square, limit) = (here * here, threshold * threshold * squared);
            let inside = here.simd_le(zero);
            let loses = inside & limit.simd_le(square)
                | threshold.simd_gt(zero) & (inside | square.simd_le(limit));
            let length = squared.sqrt();
            let wins = squared.simd_gt(parallel) & !loses & here.simd_gt(threshold * length);
            index = wins.select(Lane::splat(simd, NUMBERS[EDGES + k]), index);
            separation = wins.select((here + tie) / length, separation);
            threshold = wins.select(separation, threshold);
        }
        let mut short = zero.simd_lt(zero);
        if asked.slanted {
            let least = Lane::splat(simd, tolerance::SHORT_SQUARED);
            for i in 0..3 {
                for j in 0..3 {
                    let squared = self.edge_length_squared(i, j);
                    short |= squared.simd_gt(parallel) & squared.simd_le(least);
                }
            }
        }
        Best { index, separation, short }
    }

    #[inline(always)]
    pub(super) fn edge_length_squared(&self, i: usize, j: usize) -> Lane<S> {
        let (m, n) = after(i);
        self.r[j][m] * self.r[j][m] + self.r[j][n] * self.r[j][n]
    }

    /// The reference face: that of the best axis, or the first face that looks nearly along it.
    ///
    /// `edges` are the pairs whose best axis is an edge axis, which has this normal; faces that look
    /// nearly along it count if `steadies`.
    #[inline(always)]
    pub(super) fn reference(
        &self,
        simd: S,
        best: &Best<S>,
        edges: Yes<S>,
        across: &Three<S>,
        steadies: bool,
    ) -> Reference<S> {
        let (zero, one) = (Lane::splat(simd, 0.0), Lane::splat(simd, 1.0));
        let is = |k: usize| best.index.simd_eq(Lane::splat(simd, NUMBERS[k]));
        let (second_b, third_b) = (is(4), is(5));
        let mut is_b = is(3) | second_b | third_b;
        let (mut second, mut third) = (is(1) | second_b, is(2) | third_b);
        let axis = turned(second, third, self.r)[0];
        let length = dot(&axis, &axis).sqrt();
        let unit_b = [axis[0] / length, axis[1] / length, axis[2] / length];
        let unit = pick(is_b, &unit_b, &unit_along(simd, second, third));
        let along = is_b.select(dot(&self.t, &axis), turned(second, third, self.t)[0]);
        let normal = pick(along.simd_lt(zero), &negated(&unit), &unit);
        let mut normal = pick(edges, across, &normal);
        // Of unit vectors, the sine's square is what the cosine's lacks.
        let limit = Lane::splat(simd, tolerance::NEAR_FACE);
        let asks = if steadies { is_b | edges } else { edges };
        let near = |cosine: Lane<S>| (one - cosine * cosine).simd_le(limit);
        let [x, y, z] = [near(normal[0]), near(normal[1]), near(normal[2])];
        let (x, y, z) = (asks & x, asks & y & !x, asks & z & !x & !y);
        let mut steady = x | y | z;
        let (mut u, mut v, mut w) = (edges & !edges, edges & !edges, edges & !edges);
        if edges.any_true() {
            let [along_u, along_v, along_w] =
                [dot(&self.r[0], &normal), dot(&self.r[1], &normal), dot(&self.r[2], &normal)];
            u = edges & !steady & near(along_u);
            v = edges & !steady & near(along_v) & !u;
            w = edges & !steady & near(along_w) & !u & !v;
            steady |= u | v | w;
        }
        if steady.any_true() {
            is_b = u | v | w | (!steady & is_b);
            second = y | v | (!steady & second);
            third = z | w | (!steady & third);
            let axis = turned(second, third, self.r)[0];
            let axis = pick(is_b, &axis, &unit_along(simd, second, third));
            let back = dot(&axis, &normal).simd_lt(zero);
            normal = pick(steady, &pick(back, &negated(&axis), &axis), &normal);
        }
        let axis = turned(second, third, self.r)[0];
        let from_b = dot(&axis, &negated(&normal));
        let negative = is_b.select(from_b, turned(second, third, normal)[0]).simd_lt(zero);
        Reference { is_b, second, third, negative, normal, steady }
    }

    /// The reference face and the one that looks at it, as [`super::contact::Faces`] finds it.
    #[inline(always)]
    pub(super) fn faces(&self, simd: S, reference: &Reference<S>, size: Lane<S>) -> Faces<S> {
        let Self { a, b, t, r } = self;
        let (zero, one) = (Lane::splat(simd, 0.0), Lane::splat(simd, 1.0));
        let Reference { is_b, second, third, negative, .. } = *reference;
        // As the reference sees it.
        let back = negated(t);
        let t_b = [dot(&r[0], &back), dot(&r[1], &back), dot(&r[2], &back)];
        let size = is_b.select(size_of(b, a, &t_b), size);
        let (t, a, b) = (pick(is_b, &t_b, t), pick(is_b, b, a), pick(is_b, a, b));
        let (xy, yx) = (is_b.select(r[1][0], r[0][1]), is_b.select(r[0][1], r[1][0]));
        let (xz, zx) = (is_b.select(r[2][0], r[0][2]), is_b.select(r[0][2], r[2][0]));
        let (yz, zy) = (is_b.select(r[2][1], r[1][2]), is_b.select(r[1][2], r[2][1]));
        // The reference's axis first, then the two sides of its face.
        let x = turned(second, third, [r[0][0], xy, xz]);
        let y = turned(second, third, [yx, r[1][1], yz]);
        let z = turned(second, third, [zx, zy, r[2][2]]);
        let [t_i, t_u, t_v] = turned(second, third, t);
        let [half, half_u, half_v] = turned(second, third, a);
        // The axis of the face that looks at it first, then its two sides.
        let two_over_one = y[0].abs().simd_gt(x[0].abs());
        let so_far = two_over_one.select(y[0].abs(), x[0].abs());
        let third_j = z[0].abs().simd_gt(so_far);
        let second_j = two_over_one & !third_j;
        let [j_i, k_i, l_i] = turned(second_j, third_j, [x[0], y[0], z[0]]);
        let [j_u, k_u, l_u] = turned(second_j, third_j, [x[1], y[1], z[1]]);
        let [j_v, k_v, l_v] = turned(second_j, third_j, [x[2], y[2], z[2]]);
        let [b_j, b_k, b_l] = turned(second_j, third_j, b);
        let incident_negative = j_i.simd_gt(zero) ^ negative;
        let height = incident_negative.select(-b_j, b_j);
        let sign = negative.select(-one, one);
        let quads = Quads {
            centre: [t_u + j_u * height, t_v + j_v * height, sign * (t_i + j_i * height) - half],
            halves: [
                [k_u * b_k, k_v * b_k, sign * (k_i * b_k)],
                [l_u * b_l, l_v * b_l, sign * (l_i * b_l)],
            ],
            half: [half_u, half_v],
        };
        let name = is_b.select(Lane::splat(simd, 4096.0), zero)
            + number(simd, second, third, negative) * 512.0
            + number(simd, second_j, third_j, incident_negative) * 64.0;
        Faces { quads, size, name, half, sign }
    }
}

impl<S: Simd> Boxes<S> {
    /// The corner's point of A, in A's frame: [`super::contact::Faces::on_a`] to the bit.
    #[inline(always)]
    pub(super) fn on_a(
        &self,
        reference: &Reference<S>,
        faces: &Faces<S>,
        corner: &Eighth<S>,
    ) -> Real3<Lane<S>> {
        let Reference { is_b, second, third, .. } = *reference;
        let Faces { half, sign, .. } = *faces;
        let flat = sign * half;
        let i = is_b.select(flat + sign * corner.distance, flat);
        let (u, v) = (corner.u, corner.v);
        let x = third.select(u, second.select(v, i));
        let y = third.select(v, second.select(i, u));
        let z = third.select(i, second.select(u, v));
        let [[a, b, c], [d, e, f], [g, h, j]] = self.r;
        let [t0, t1, t2] = self.t;
        Real3::new(
            is_b.select(a * x + d * y + g * z + t0, x),
            is_b.select(b * x + e * y + h * z + t1, y),
            is_b.select(c * x + f * y + j * z + t2, z),
        )
    }
}
