//! All corners of a clipped quad at once, where none is so near to a border that rounding matters.
//!
//! The part of a parallelogram over a rectangle has corners of three sorts: the quad's own, where
//! it crosses the rectangle's sides, and the rectangle's own. Which there are follows from which
//! side of each line the corners of both lie on, without a branch for any of them.

use fearless_simd::{Simd, f64x4, prelude::*};
use impinge_shapes::simd::Bits;

use super::{Corner, MOST, Quad, SIGNS};
use crate::tolerance;

/// Corners by fours: the quad's own, its crossings with each of the four sides, the rectangle's; each
/// coordinate by itself.
type Places<const FOURS: usize> = [[[f64; 4]; FOURS]; 3];

/// The place of the corner that a name, two numbers of edges below 8, stands for.
pub(super) const PLACE: [u8; 64] = places();

const fn places() -> [u8; 64] {
    let mut places = [0; 64];
    let mut edge = 0;
    while edge < 4 {
        places[corner_name(edge) as usize] = edge;
        let mut side = 0;
        while side < 4 {
            let place = 4 + 4 * side + edge;
            places[(edge << 3 | (4 + side)) as usize] = place;
            places[((4 + side) << 3 | edge) as usize] = place;
            side += 1;
        }
        let [before, next] = BORDERS[edge as usize];
        places[(before << 3 | next) as usize] = 20 + edge;
        places[(next << 3 | before) as usize] = 20 + edge;
        edge += 1;
    }
    places
}

/// Name of the quad's corner that begins an edge.
pub(super) const fn corner_name(edge: u8) -> u8 {
    ((edge + 3) % 4) << 3 | edge
}

/// The sides that meet in each corner of the rectangle, in the order in which a way around that
/// turns left comes along them.
pub(super) const BORDERS: [[u8; 2]; 4] = [[4, 6], [6, 5], [5, 7], [7, 4]];

/// The corners of the rectangle that each side joins; sides as in [`super::cut`].
pub(super) const ENDS: [[usize; 2]; 4] = [[0, 3], [1, 2], [0, 1], [2, 3]];

/// A corner of the quad in each lane, and half of the way from there to the next.
struct Edges<S: Simd> {
    u: f64x4<S>,
    v: f64x4<S>,
    distance: f64x4<S>,
    along_u: f64x4<S>,
    along_v: f64x4<S>,
    rise: f64x4<S>,
    /// How far inside each of the rectangle's sides the corner is.
    inside: [f64x4<S>; 4],
}

/// Finds the corners, in the order of their names; `None` where some corner of one lies so near to
/// a line of the other that corners might coincide or lie in line, within `same`.
///
/// - Derivation: with each corner [`tolerance::CLEAR_OF_BORDERS`] times `same` off each line, and no
///   side shorter, neighbours are at least that far apart times the sine of the angle between the
///   quad's sides, which is not below 1/√3, the cosine between the two faces; and a corner is off
///   the line between its neighbours by at least a quarter of it.
#[inline(always)]
pub(super) fn find<S: Simd>(
    simd: S,
    quad: &Quad,
    half @ [half_u, half_v]: [f64; 2],
    same: f64,
    corners: &mut [Corner; MOST],
) -> Option<usize> {
    let clear = tolerance::CLEAR_OF_BORDERS * same;
    let [k, l] = &quad.halves;
    let shortest = (k[0].abs() + k[1].abs()).min(l[0].abs() + l[1].abs()).min(half_u).min(half_v);
    if shortest < clear {
        return None;
    }
    let edges = Edges::new(simd, quad, half);
    let [right, left, above, below] = edges.inside;
    let outside = [bits(right), bits(left), bits(above), bits(below)];
    let own = !(outside[0] | outside[1] | outside[2] | outside[3]) & 0b1111;
    let [u, v, distance] = [edges.u, edges.v, edges.distance].map(f64x4::to_array);
    if own == 0b1111 {
        return take(corners, own_names(own), &[[u], [v], [distance]]);
    }
    let area = k[0] * l[1] - k[1] * l[0];
    let beyond = edges.beyond(simd, clear, area < 0.0)?;
    let names = own_names(own) | crossing_names(outside, beyond) | border_names(beyond, area < 0.0);
    let [[u1, v1, d1], [u2, v2, d2], [u3, v3, d3], [u4, v4, d4]] = edges.across_sides(simd, half);
    let [u5, v5, d5] = cover_corners(simd, quad, half, area);
    let places = [[u, u1, u2, u3, u4, u5], [v, v1, v2, v3, v4, v5], [distance, d1, d2, d3, d4, d5]];
    take(corners, names, &places)
}

impl<S: Simd> Edges<S> {
    #[inline(always)]
    fn new(simd: S, quad: &Quad, [half_u, half_v]: [f64; 2]) -> Self {
        let [k, l] = &quad.halves;
        let (u, v) = (corners_on(simd, quad, 0), corners_on(simd, quad, 1));
        let (half_u, half_v) = (f64x4::splat(simd, half_u), f64x4::splat(simd, half_v));
        Self {
            u,
            v,
            distance: corners_on(simd, quad, 2),
            along_u: f64x4::load_array(simd, [-k[0], -l[0], k[0], l[0]]),
            along_v: f64x4::load_array(simd, [-k[1], -l[1], k[1], l[1]]),
            rise: f64x4::load_array(simd, [-k[2], -l[2], k[2], l[2]]),
            inside: [half_u - u, half_u + u, half_v - v, half_v + v],
        }
    }

    /// Edges beyond whose lines each corner of the rectangle lies, as bits; `None` where a corner
    /// is not clear of a line.
    ///
    /// - `turns_right`: the quad lies on the right side of its edges.
    #[inline(always)]
    fn beyond(&self, simd: S, clear: f64, turns_right: bool) -> Option<[u64; 4]> {
        let (du, dv) = (self.along_u, self.along_v);
        let [right, left, above, below] = self.inside;
        // How far left of each line a corner is, times the line's length.
        let (above_left, below_left) = (du * above, du * below);
        let (right_left, left_left) = (dv * right, dv * left);
        let off = [
            above_left - right_left,
            above_left + left_left,
            left_left - below_left,
            f64x4::splat(simd, 0.0) - (below_left + right_left),
        ];
        let clears = f64x4::splat(simd, clear);
        let length = (du.abs() + dv.abs()) * clears;
        let is_clear = off[0].abs().simd_ge(length)
            & off[1].abs().simd_ge(length)
            & off[2].abs().simd_ge(length)
            & off[3].abs().simd_ge(length)
            & right.abs().simd_ge(clears)
            & left.abs().simd_ge(clears)
            & above.abs().simd_ge(clears)
            & below.abs().simd_ge(clears);
        let turn = if turns_right { 0b1111 } else { 0 };
        let beyond =
            [bits(off[0]) ^ turn, bits(off[1]) ^ turn, bits(off[2]) ^ turn, bits(off[3]) ^ turn];
        is_clear.all_true().then_some(beyond)
    }

    /// Where each edge's line crosses that of each side.
    #[inline(always)]
    fn across_sides(&self, simd: S, [half_u, half_v]: [f64; 2]) -> [[[f64; 4]; 3]; 4] {
        let (zero, one) = (f64x4::splat(simd, 0.0), f64x4::splat(simd, 1.0));
        let (per_u, per_v) = (one / self.along_u, one / self.along_v);
        let [right, left, above, below] = self.inside;
        let ways = [right * per_u, zero - left * per_u, above * per_v, zero - below * per_v];
        [
            [[half_u; 4], self.v_at(ways[0]), self.distance_at(ways[0])],
            [[-half_u; 4], self.v_at(ways[1]), self.distance_at(ways[1])],
            [self.u_at(ways[2]), [half_v; 4], self.distance_at(ways[2])],
            [self.u_at(ways[3]), [-half_v; 4], self.distance_at(ways[3])],
        ]
    }

    #[inline(always)]
    fn u_at(&self, way: f64x4<S>) -> [f64; 4] {
        (self.u + self.along_u * way).to_array()
    }

    #[inline(always)]
    fn v_at(&self, way: f64x4<S>) -> [f64; 4] {
        (self.v + self.along_v * way).to_array()
    }

    #[inline(always)]
    fn distance_at(&self, way: f64x4<S>) -> [f64; 4] {
        (self.distance + self.rise * way).to_array()
    }
}

/// One coordinate of the quad's corners, to the bit that of [`Quad::corners`].
#[inline(always)]
fn corners_on<S: Simd>(simd: S, quad: &Quad, n: usize) -> f64x4<S> {
    let [sign_k, sign_l] = &SIGNS;
    let [k, l] = &quad.halves;
    let along_k = f64x4::load_array_ref(simd, sign_k) * f64x4::splat(simd, k[n]);
    let along_l = f64x4::load_array_ref(simd, sign_l) * f64x4::splat(simd, l[n]);
    f64x4::splat(simd, quad.centre[n]) + (along_k + along_l)
}

/// The rectangle's corners, and how high the quad's plane is there.
#[inline(always)]
fn cover_corners<S: Simd>(
    simd: S,
    quad: &Quad,
    [half_u, half_v]: [f64; 2],
    area: f64,
) -> [[f64; 4]; 3] {
    let ([sign_u, sign_v], [k, l]) = (&SIGNS, &quad.halves);
    let (rise_u, rise_v) = (k[2] * l[1] - l[2] * k[1], l[2] * k[0] - k[2] * l[0]);
    let u = f64x4::load_array_ref(simd, sign_u) * f64x4::splat(simd, half_u);
    let v = f64x4::load_array_ref(simd, sign_v) * f64x4::splat(simd, half_v);
    let off_u = u - f64x4::splat(simd, quad.centre[0]);
    let off_v = v - f64x4::splat(simd, quad.centre[1]);
    let rise =
        off_u * f64x4::splat(simd, rise_u / area) + off_v * f64x4::splat(simd, rise_v / area);
    let distance = f64x4::splat(simd, quad.centre[2]) + rise;
    [u.to_array(), v.to_array(), distance.to_array()]
}

/// The lanes of numbers below zero.
#[inline(always)]
fn bits<S: Simd>(numbers: f64x4<S>) -> u64 {
    numbers.simd_lt(f64x4::splat(numbers.token(), 0.0)).to_bitmask()
}

/// The names of the quad's own corners, as bits.
#[inline(always)]
fn own_names(own: u64) -> u64 {
    let name = |edge: u8| (own >> edge & 1) << corner_name(edge);
    name(0) | name(1) | name(2) | name(3)
}

/// The names of the crossings, as bits: a side crosses the edges whose corners it parts and that
/// part its own. An edge comes before the side where the way around leaves by it, after it where
/// it comes in.
#[inline(always)]
fn crossing_names(outside: [u64; 4], beyond: [u64; 4]) -> u64 {
    let mut names = 0;
    for (side, (out, [one, other])) in outside.into_iter().zip(ENDS).enumerate() {
        let next_out = out >> 1 | (out & 1) << 3;
        let crossed = (out ^ next_out) & (beyond[one] ^ beyond[other]);
        let (coming, leaving) = (crossed & out, crossed & !out);
        // A byte for each edge.
        let spread = leaving & 1 | (leaving & 2) << 7 | (leaving & 4) << 14 | (leaving & 8) << 21;
        names |= spread << (4 + side) | coming << (32 + 8 * side);
    }
    names
}

/// The names of the rectangle's corners that are beyond no edge, as bits.
#[inline(always)]
fn border_names(beyond: [u64; 4], turns_right: bool) -> u64 {
    let mut names = 0;
    for (beyond, [before, next]) in beyond.into_iter().zip(BORDERS) {
        let name = if turns_right { next << 3 | before } else { before << 3 | next };
        names |= u64::from(beyond == 0) << name;
    }
    names
}

/// Writes the corners of these names, if they are not too many.
#[inline(always)]
fn take<const FOURS: usize>(
    corners: &mut [Corner; MOST],
    names: u64,
    [u, v, distance]: &Places<FOURS>,
) -> Option<usize> {
    let (u, v, distance) = (u.as_flattened(), v.as_flattened(), distance.as_flattened());
    for (corner, name) in corners.iter_mut().zip(Bits(names)) {
        let place = usize::from(PLACE[name % PLACE.len()]) % (4 * FOURS);
        let edges = u8::try_from(name).unwrap_or(0);
        *corner = Corner {
            u: u[place],
            v: v[place],
            distance: distance[place],
            next_edge: edges & 0b111,
            edges,
        };
    }
    let count = names.count_ones() as usize;
    (count <= MOST).then_some(count)
}
