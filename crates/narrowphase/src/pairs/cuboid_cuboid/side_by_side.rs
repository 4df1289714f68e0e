//! Manifolds of eight pairs of boxes side by side, to the bit those of [`super::manifold`].
//!
//! A face over a face is what most manifolds of boxes are. Everything of them is the same steps for
//! every pair, once the numbers of the boxes are turned so that the reference face comes first. What
//! rounding might touch, edges across edges and boxes that are nearest elsewhere are left to one
//! pair at a time.

use fearless_simd::{Simd, f64x8, mask64x8, prelude::*};
use impinge_shapes::glam::Vec3;

use super::axes::{EDGES, after, edges};
use super::contact::EDGE_FEATURE;
use super::lanes::{FRAMES, frames};
use crate::batch::gather::turn_back;
use crate::clip::eight::{Corners, Eighth, Places, Quads, WIDTH};
use crate::real::{Placed, Real3, Turn};
use crate::witness::feature_id;
use crate::{ContactPoint, FeatureId, tolerance};

type Lane<S> = f64x8<S>;
type Yes<S> = mask64x8<S>;
type Three<S> = [Lane<S>; 3];

/// What is asked about eight pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// Bits of the lanes with a pair.
    pub(crate) used: u64,
    /// Bits of the pairs that are apart; the others penetrate.
    pub(crate) apart: u64,
    /// Edge axes that may be the best of some pair, a bit each.
    pub(crate) edges: u64,
    /// Some edges may be so nearly parallel that their axis must be looked at by itself.
    pub(crate) slanted: bool,
    /// Share of its depth by which an edge must beat the best face.
    pub(crate) preference: f64,
    pub(crate) margin: f64,
    /// Fewer faces over faces than this are put off.
    pub(crate) worthwhile: u32,
}

/// Room for eight pairs and their answers.
#[repr(align(64))]
pub(crate) struct Eight {
    /// Numbers of [`frames`].
    pub(crate) rows: [[f64; WIDTH]; FRAMES],
    /// Numbers of the best axes, and the signed distances along them.
    best: [[f64; WIDTH]; 2],
    /// Bits of the pairs of which the best axis is known.
    chosen: u64,
    /// Bits of the pairs that have a manifold.
    pub(crate) met: u64,
    /// Bits of the pairs that are left to one at a time.
    pub(crate) open: u64,
    /// Bits of the pairs whose best axis is a face's, which are to be asked about again.
    pub(crate) put_off: u64,
    /// Bits of those of the pairs that meet by edges.
    crossed: u64,
    /// Their manifolds.
    crossings: Crossings,
    /// The normals, and a number for nothing.
    normals: [[f32; 4]; WIDTH],
    /// Of up to four points the three numbers of A's and the first of B's, the others of B's and
    /// the distance, and a number for nothing.
    points: [[[[f32; 4]; WIDTH]; 2]; POINTS],
    /// The numbers of the features, but for the edges that meet.
    faces: [f64; WIDTH],
    /// The corners behind the points.
    corners: Corners,
    places: Places,
}

impl Eight {
    pub(crate) const EMPTY: Self = Self {
        rows: [[0.0; WIDTH]; FRAMES],
        best: [[0.0; WIDTH]; 2],
        chosen: 0,
        met: 0,
        open: 0,
        put_off: 0,
        crossed: 0,
        crossings: Crossings::EMPTY,
        normals: [[0.0; 4]; WIDTH],
        points: [[[[0.0; 4]; WIDTH]; 2]; POINTS],
        faces: [0.0; WIDTH],
        corners: Corners::EMPTY,
        places: Places::EMPTY,
    };
}

/// [`super::axes::Boxes`] of eight pairs.
struct Boxes<S: Simd> {
    a: Three<S>,
    b: Three<S>,
    t: Three<S>,
    /// B's axes: `r[j][i]` is component `i` of axis `j`.
    r: [Three<S>; 3],
}

/// Best axes.
struct Best<S: Simd> {
    index: Lane<S>,
    separation: Lane<S>,
    /// Some edge axis must be looked at by itself.
    short: Yes<S>,
}

/// Which face is the reference.
struct Reference<S: Simd> {
    /// It is B's.
    is_b: Yes<S>,
    /// It is on the box's second or third axis.
    second: Yes<S>,
    third: Yes<S>,
    /// It looks along the negative axis.
    negative: Yes<S>,
    /// From A to B.
    normal: Three<S>,
    /// It is not the best axis' own but one that looks nearly along it.
    steady: Yes<S>,
}

/// A reference face and the face of the other box over it.
struct Faces<S: Simd> {
    quads: Quads<S>,
    /// The unit of errors.
    size: Lane<S>,
    /// What both faces' names make.
    name: Lane<S>,
    /// How far the reference is from its box's middle, and on which side.
    half: Lane<S>,
    sign: Lane<S>,
}

/// What points are made with.
struct Settling<S: Simd> {
    apart: Yes<S>,
    least: Lane<S>,
    ties: Lane<S>,
    margin: Lane<S>,
}

#[inline(always)]
fn dot<S: Simd>(a: &Three<S>, b: &Three<S>) -> Lane<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn pick<S: Simd>(mask: Yes<S>, yes: &Three<S>, no: &Three<S>) -> Three<S> {
    [mask.select(yes[0], no[0]), mask.select(yes[1], no[1]), mask.select(yes[2], no[2])]
}

#[inline(always)]
fn negated<S: Simd>(v: &Three<S>) -> Three<S> {
    [-v[0], -v[1], -v[2]]
}

/// What can be chosen lane by lane.
trait Choose<S: Simd>: Copy {
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
fn turned<S: Simd, T: Choose<S>>(second: Yes<S>, third: Yes<S>, [x, y, z]: [T; 3]) -> [T; 3] {
    [
        T::choose(third, z, T::choose(second, y, x)),
        T::choose(third, x, T::choose(second, z, y)),
        T::choose(third, y, T::choose(second, x, z)),
    ]
}

/// The unit vector of an axis of A.
#[inline(always)]
fn unit_along<S: Simd>(simd: S, second: Yes<S>, third: Yes<S>) -> Three<S> {
    let (zero, one) = (Lane::splat(simd, 0.0), Lane::splat(simd, 1.0));
    [(second | third).select(zero, one), second.select(one, zero), third.select(one, zero)]
}

/// Sum of the absolute components of the centre and all half extents.
#[inline(always)]
fn size_of<S: Simd>(a: &Three<S>, b: &Three<S>, t: &Three<S>) -> Lane<S> {
    (t[0].abs() + t[1].abs() + t[2].abs()) + (a[0] + a[1] + a[2]) + (b[0] + b[1] + b[2])
}

impl<S: Simd> Boxes<S> {
    /// [`super::axes::Boxes::best_of`] to the bit, but where `short` says that it says otherwise.
    #[inline(always)]
    fn best(&self, simd: S, asked: &Asked, tie: Lane<S>) -> Best<S> {
        let Self { a, b, t, r } = self;
        let zero = Lane::splat(simd, 0.0);
        let (mut index, mut separation) = (zero, Lane::splat(simd, f64::NEG_INFINITY));
        for i in 0..3 {
            let reach =
                a[i] + (b[0] * r[0][i].abs() + b[1] * r[1][i].abs() + b[2] * r[2][i].abs());
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
    fn edge_length_squared(&self, i: usize, j: usize) -> Lane<S> {
        let (m, n) = after(i);
        self.r[j][m] * self.r[j][m] + self.r[j][n] * self.r[j][n]
    }

    /// The reference face: that of the best axis, or the first face that looks nearly along it.
    ///
    /// `edges` are the pairs whose best axis is an edge axis, which has this normal.
    #[inline(always)]
    fn reference(
        &self,
        simd: S,
        best: &Best<S>,
        edges: Yes<S>,
        across: &Three<S>,
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
        let asks = is_b | edges;
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
    fn faces(&self, simd: S, reference: &Reference<S>, size: Lane<S>) -> Faces<S> {
        let Self { a, b, t, r } = self;
        let (zero, one, two) =
            (Lane::splat(simd, 0.0), Lane::splat(simd, 1.0), Lane::splat(simd, 2.0));
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
        let number = |second: Yes<S>, third: Yes<S>, negative: Yes<S>| {
            let axis = third.select(two + two, second.select(two, zero));
            axis + negative.select(one, zero)
        };
        let name = is_b.select(Lane::splat(simd, 4096.0), zero)
            + number(second, third, negative) * 512.0
            + number(second_j, third_j, incident_negative) * 64.0;
        Faces { quads, size, name, half, sign }
    }
}

/// Most points of a manifold.
const POINTS: usize = 4;

/// Numbers of the axes.
const NUMBERS: [f64; 15] =
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0];

/// Beyond this, a coordinate might be too large for f32.
const LARGE: f64 = (1_u128 << 120) as f64;

impl Eight {
    /// Answers for eight pairs, where nothing is said but in `open`.
    #[inline(always)]
    pub(crate) fn fill<S: Simd>(
        &mut self,
        simd: S,
        (placed_a, placed_b): (&Placed<Lane<S>>, &Placed<Lane<S>>),
        asked: &Asked,
    ) {
        let numbers = frames(placed_a, placed_b);
        for (row, number) in self.rows.iter_mut().zip(&numbers) {
            number.store_slice(row);
        }
        let [t0, t1, t2, x0, x1, x2, y0, y1, y2, z0, z1, z2, ..] = numbers;
        let [a0, a1, a2, ..] = placed_a.numbers;
        let [b0, b1, b2, ..] = placed_b.numbers;
        let boxes = Boxes {
            a: [a0, a1, a2],
            b: [b0, b1, b2],
            t: [t0, t1, t2],
            r: [[x0, x1, x2], [y0, y1, y2], [z0, z1, z2]],
        };
        let size = size_of(&boxes.a, &boxes.b, &boxes.t);
        let tie = size * tolerance::TIE;
        let best = boxes.best(simd, asked, tie);
        best.index.store_slice(&mut self.best[0]);
        best.separation.store_slice(&mut self.best[1]);
        let apart = mask64x8::from_bitmask(simd, asked.apart);
        let used = mask64x8::from_bitmask(simd, asked.used);
        let (least, ties) = (size * tolerance::LEAST_GAP, size * (16.0 * tolerance::TIE));
        let margin = Lane::splat(simd, asked.margin);
        let separation = apart
            .select(best.separation.max(least), best.separation.min(-least));
        let asks = used & (best.short | separation.simd_le(margin));
        let origin = placed_a.position;
        let is_small = (size + origin.sum_abs()).simd_le(Lane::splat(simd, LARGE));
        let is_face = best.index.simd_lt(Lane::splat(simd, NUMBERS[EDGES]));
        (self.chosen, self.met, self.crossed) = ((!best.short).to_bitmask(), 0, 0);
        (self.open, self.put_off) = (asks.to_bitmask(), 0);
        let turn = Turn {
            columns: [
                Real3::new(numbers[12], numbers[13], numbers[14]),
                Real3::new(numbers[15], numbers[16], numbers[17]),
                Real3::new(numbers[18], numbers[19], numbers[20]),
            ],
        };
        let settling = Settling { apart, least, ties, margin };
        let sure = asks & is_small & !best.short;
        let by_edges = sure & !is_face;
        let (no_edges, nowhere) = (by_edges & is_face, Lane::splat(simd, 0.0));
        let mut across = [nowhere; 3];
        let (mut steady, mut meets) = (no_edges, no_edges);
        if by_edges.any_true() {
            let crossing = boxes.crossing(simd, best.index, separation, size);
            steady = by_edges & crossing.steady;
            meets = by_edges & crossing.meets;
            across = [crossing.normal.x, crossing.normal.y, crossing.normal.z];
            self.crossed = (meets & !steady).to_bitmask();
            self.open &= !self.crossed;
            self.crossings.fill(&crossing, settling.settled(separation), &turn, origin);
        }
        let mut done = (sure & is_face) | (steady & !apart);
        let faces = done.to_bitmask();
        if faces.count_ones() < asked.worthwhile {
            self.put_off = faces;
            self.open &= !faces;
            return;
        }
        let reference = boxes.reference(simd, &best, steady, &across);
        let faces = boxes.faces(simd, &reference, size);
        let wants_deepest = (done & (apart | reference.steady)).any_true();
        let same = faces.size * tolerance::SAME_POINT;
        let names = self.places.find(simd, &faces.quads, same, margin + ties, wants_deepest);
        done &= names.clear & !(apart & reference.steady);
        if wants_deepest {
            let beyond = apart & names.deepest.simd_gt(separation + ties);
            let explained = !reference.steady | names.deepest.simd_le(separation * 0.5 + ties);
            // Where the face tells too little, the edges stay.
            let stays = done & meets & !explained;
            self.crossed |= stays.to_bitmask();
            self.open &= !self.crossed;
            done &= !beyond & explained;
        }
        self.corners.take(simd, &self.places, &names, done.to_bitmask(), tie);
        let counts = Lane::load_array_ref(simd, self.corners.counts());
        self.met = (done & counts.simd_gt(Lane::splat(simd, 0.0))).to_bitmask();
        self.open &= !self.met;
        faces.name.store_slice(&mut self.faces);
        let [x, y, z] = reference.normal;
        let normal = turn.apply(Real3::new(x, y, z));
        turn_back(normal.x.narrow(normal.y), normal.z.narrow(counts), &mut self.normals);
        for k in 0..POINTS {
            if !counts.simd_gt(Lane::splat(simd, NUMBERS[k])).any_true() {
                break;
            }
            let corner = self.corners.corner(simd, k);
            let distance = settling.settled(corner.distance);
            let on_a = boxes.on_a(&reference, &faces, &corner);
            let on_b = on_a + Real3::new(x, y, z) * distance;
            let (on_a, on_b) = (turn.apply(on_a) + origin, turn.apply(on_b) + origin);
            let [one, other] = &mut self.points[k];
            turn_back(on_a.x.narrow(on_a.y), on_a.z.narrow(on_b.x), one);
            turn_back(on_b.y.narrow(on_b.z), distance.narrow(distance), other);
        }
    }

    /// The number of a pair's best axis and the signed distance along it, where they are known.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "axes are small whole numbers"
    )]
    #[inline(always)]
    pub(crate) fn best(&self, lane: usize) -> Option<(usize, f64)> {
        let [index, separation] = &self.best;
        let lane = lane % WIDTH;
        if self.chosen >> lane & 1 == 1 {
            Some((index[lane] as usize, separation[lane]))
        } else {
            None
        }
    }

    /// The normal of a pair that has a manifold, and how many points that has.
    #[inline(always)]
    pub(crate) fn normal(&self, lane: usize) -> (Vec3, usize) {
        let [x, y, z, _] = self.normals[lane % WIDTH];
        (Vec3::new(x, y, z), self.corners.count(lane))
    }

    /// One of a pair's points.
    #[inline(always)]
    pub(crate) fn point(&self, k: usize, lane: usize) -> ContactPoint {
        let FeatureId(faces) = feature_id(self.faces[lane % WIDTH]);
        let feature = FeatureId(faces | u32::from(self.corners.name(k, lane)));
        point(&self.points[k % POINTS], lane, feature)
    }

    /// Whether a pair's best axis is an edge axis.
    #[inline(always)]
    pub(crate) fn is_by_edges(&self, lane: usize) -> bool {
        self.best[0][lane % WIDTH] >= NUMBERS[EDGES]
    }

    /// Bits of the pairs that meet by an edge across an edge.
    pub(crate) fn crossed(&self) -> u64 {
        self.crossed
    }

    /// The normal of such a pair, and its point.
    #[inline(always)]
    pub(crate) fn crossing(&self, lane: usize) -> (Vec3, ContactPoint) {
        let Crossings { normals, points, features } = &self.crossings;
        let [x, y, z, _] = normals[lane % WIDTH];
        (Vec3::new(x, y, z), point(points, lane, feature_id(features[lane % WIDTH])))
    }
}

/// A lane's point.
#[inline(always)]
fn point([one, other]: &[[[f32; 4]; WIDTH]; 2], lane: usize, feature: FeatureId) -> ContactPoint {
    let [ax, ay, az, bx] = one[lane % WIDTH];
    let [by, bz, distance, _] = other[lane % WIDTH];
    let (point_a, point_b) = (Vec3::new(ax, ay, az), Vec3::new(bx, by, bz));
    ContactPoint { point_a, point_b, distance, feature }
}

/// Manifolds of one point, as [`Eight`] keeps those of several.
#[repr(align(64))]
struct Crossings {
    normals: [[f32; 4]; WIDTH],
    points: [[[f32; 4]; WIDTH]; 2],
    features: [f64; WIDTH],
}

/// Where two edges cross.
struct Crossing<S: Simd> {
    normal: Real3<Lane<S>>,
    point_a: Real3<Lane<S>>,
    point_b: Real3<Lane<S>>,
    feature: Lane<S>,
    /// They cross indeed.
    meets: Yes<S>,
    /// Some face looks nearly along the axis.
    steady: Yes<S>,
}

impl Crossings {
    const EMPTY: Self = Self {
        normals: [[0.0; 4]; WIDTH],
        points: [[[0.0; 4]; WIDTH]; 2],
        features: [0.0; WIDTH],
    };

    #[inline(always)]
    fn fill<S: Simd>(
        &mut self,
        crossing: &Crossing<S>,
        distance: Lane<S>,
        turn: &Turn<Lane<S>>,
        origin: Real3<Lane<S>>,
    ) {
        let normal = turn.apply(crossing.normal);
        turn_back(normal.x.narrow(normal.y), normal.z.narrow(normal.z), &mut self.normals);
        let on_a = turn.apply(crossing.point_a) + origin;
        let on_b = turn.apply(crossing.point_b) + origin;
        let [one, other] = &mut self.points;
        turn_back(on_a.x.narrow(on_a.y), on_a.z.narrow(on_b.x), one);
        turn_back(on_b.y.narrow(on_b.z), distance.narrow(distance), other);
        crossing.feature.store_slice(&mut self.features);
    }
}

impl<S: Simd> Boxes<S> {
    /// [`super::contact::edge_point`] to the bit, along the edge axis of this number.
    #[inline(always)]
    fn crossing(
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
        let (on_a, on_b) =
            (on_a + along_a * within(at_a, a_i), on_b + along_b * within(at_b, b_j));
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

impl<S: Simd> Settling<S> {
    /// A point's distance, as [`super::manifold::Meeting`] settles it.
    #[inline(always)]
    fn settled(&self, here: Lane<S>) -> Lane<S> {
        let Self { apart, least, ties, margin } = *self;
        let deep = here.abs().simd_le(ties).select(here.min(-least), here);
        apart.select(here.max(least), deep).min(margin)
    }
}

impl<S: Simd> Boxes<S> {
    /// The corner's point of A, in A's frame: [`super::contact::Faces::on_a`] to the bit.
    #[inline(always)]
    fn on_a(
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
