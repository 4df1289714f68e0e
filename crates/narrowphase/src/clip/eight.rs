//! The corners of eight clipped quads side by side, to the bit those of [`super::crossings`].
//!
//! Every place where a corner may be is computed for all eight, so that there is no branch; which
//! of them are corners is a mask. What differs from pair to pair is only how many there are: each
//! quad's corners are moved together, and the choice of four goes side by side again.

use fearless_simd::{Simd, f64x8, mask64x8, prelude::*, u64x8};
use impinge_shapes::simd::Bits;

use super::crossings::{BORDERS, ENDS, PLACE, corner_name};
use super::{MOST, SIGNS};
use crate::tolerance;

/// Quads side by side.
pub(crate) const WIDTH: usize = 8;

type Lane<S> = f64x8<S>;
type Yes<S> = mask64x8<S>;

/// Eight quads, as [`super::Quad`], above rectangles of these half sides.
pub(crate) struct Quads<S: Simd> {
    pub(crate) centre: [Lane<S>; 3],
    pub(crate) halves: [[Lane<S>; 3]; 2],
    pub(crate) half: [Lane<S>; 2],
}

/// Room for all places of [`super::crossings`], each coordinate by itself.
#[repr(align(64))]
pub(crate) struct Places([[[f64; WIDTH]; 32]; 3]);

/// Which corners there are.
pub(crate) struct Names<S: Simd> {
    /// The names of each quad's corners, as bits.
    bits: u64x8<S>,
    /// Where rounding cannot matter; elsewhere the rest means nothing.
    pub(crate) clear: Yes<S>,
    /// The least distance of any corner, if it was asked for; infinite where there is none.
    pub(crate) deepest: Lane<S>,
}

/// Corners of eight quads, in the order of their names.
#[repr(align(64))]
pub(crate) struct Corners {
    /// Each coordinate: the first corner of all, the second of all, and so on.
    at: [[[f64; WIDTH]; MOST]; 3],
    /// Their names.
    names: [[u8; WIDTH]; MOST],
    /// How many each quad has, twice.
    counts: [f64; WIDTH],
    numbers: [u8; WIDTH],
}

/// One corner of each of eight quads.
pub(crate) struct Eighth<S: Simd> {
    pub(crate) u: Lane<S>,
    pub(crate) v: Lane<S>,
    pub(crate) distance: Lane<S>,
}

impl Places {
    pub(crate) const EMPTY: Self = Self([[[0.0; WIDTH]; 32]; 3]);

    #[inline(always)]
    fn put<S: Simd>(&mut self, place: usize, u: Lane<S>, v: Lane<S>, distance: Lane<S>) {
        u.store_slice(&mut self.0[0][place]);
        v.store_slice(&mut self.0[1][place]);
        distance.store_slice(&mut self.0[2][place]);
    }

    /// Finds the corners of the quads that are no farther than `limit`.
    ///
    /// There are never more than [`MOST`]: where all is clear, they are those of the part of a
    /// parallelogram over a rectangle.
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "the indices are those of edges and sides")]
    #[allow(clippy::too_many_lines, reason = "one formula after the other")]
    pub(crate) fn find<S: Simd>(
        &mut self,
        simd: S,
        quads: &Quads<S>,
        same: Lane<S>,
        limit: Lane<S>,
        wants_deepest: bool,
    ) -> Names<S> {
        let (zero, one) = (Lane::splat(simd, 0.0), Lane::splat(simd, 1.0));
        let [centre_u, centre_v, centre] = quads.centre;
        let [k, l] = quads.halves;
        let [half_u, half_v] = quads.half;
        let clear = same * tolerance::CLEAR_OF_BORDERS;
        let shortest = (k[0].abs() + k[1].abs()).min(l[0].abs() + l[1].abs());
        let long_enough = shortest.min(half_u).min(half_v).simd_ge(clear);
        // The quad's corners and what leads from each to the next.
        let (u, v) = (corners(centre_u, k[0], l[0]), corners(centre_v, k[1], l[1]));
        let distance = corners(centre, k[2], l[2]);
        let along_u = [-k[0], -l[0], k[0], l[0]];
        let along_v = [-k[1], -l[1], k[1], l[1]];
        let rise = [-k[2], -l[2], k[2], l[2]];
        let area = k[0] * l[1] - k[1] * l[0];
        let turns_right = area.simd_lt(zero);
        let no = zero.simd_lt(zero);
        let mut sure = long_enough;
        let (mut outside, mut beyond) = ([[no; 4]; 4], [[no; 4]; 4]);
        let mut ways = [[zero; 4]; 4];
        let (per_k, per_l) = ([one / k[0], one / k[1]], [one / l[0], one / l[1]]);
        let per_u = [-per_k[0], -per_l[0], per_k[0], per_l[0]];
        let per_v = [-per_k[1], -per_l[1], per_k[1], per_l[1]];
        for e in 0..4 {
            let inside = [half_u - u[e], half_u + u[e], half_v - v[e], half_v + v[e]];
            let [right, left, above, below] = inside;
            let (du, dv) = (along_u[e], along_v[e]);
            let (above_left, below_left) = (du * above, du * below);
            let (right_left, left_left) = (dv * right, dv * left);
            let off = [
                above_left - right_left,
                above_left + left_left,
                left_left - below_left,
                zero - (below_left + right_left),
            ];
            let length = (du.abs() + dv.abs()) * clear;
            for s in 0..4 {
                outside[s][e] = inside[s].simd_lt(zero);
                beyond[s][e] = off[s].simd_lt(zero) ^ turns_right;
                sure &= inside[s].abs().simd_ge(clear) & off[s].abs().simd_ge(length);
            }
            ways[0][e] = right * per_u[e];
            ways[1][e] = zero - left * per_u[e];
            ways[2][e] = above * per_v[e];
            ways[3][e] = zero - below * per_v[e];
        }
        let mut whole = !no;
        let mut own = [no; 4];
        for e in 0..4 {
            own[e] = !(outside[0][e] | outside[1][e] | outside[2][e] | outside[3][e]);
            whole &= own[e];
        }
        let parted = !whole;
        let nothing = u64x8::splat(simd, 0);
        let bit = |name: usize| u64x8::splat(simd, 1 << (name & 63));
        let mut found = nothing;
        let mut deepest = Lane::splat(simd, f64::INFINITY);
        for e in 0..4 {
            self.put(e, u[e], v[e], distance[e]);
            let is_near = own[e] & distance[e].simd_le(limit);
            found |= is_near.select(bit(OWN_NAMES[e]), nothing);
            if wants_deepest {
                deepest = own[e].select(deepest.min(distance[e]), deepest);
            }
        }
        for s in 0..4 {
            let [from, to] = ENDS[s];
            for e in 0..4 {
                let out = outside[s][e];
                let parts = (out ^ outside[s][(e + 1) & 3]) & (beyond[from][e] ^ beyond[to][e]);
                let parts = parts & parted;
                let way = ways[s][e];
                let here = distance[e] + rise[e] * way;
                let (at_u, at_v) = match s {
                    0 => (half_u, v[e] + along_v[e] * way),
                    1 => (-half_u, v[e] + along_v[e] * way),
                    2 => (u[e] + along_u[e] * way, half_v),
                    _ => (u[e] + along_u[e] * way, -half_v),
                };
                self.put(4 + 4 * s + e, at_u, at_v, here);
                let (leaving, coming) = (bit(e << 3 | (4 + s)), bit((4 + s) << 3 | e));
                let is_near = parts & here.simd_le(limit);
                found |= is_near.select(out.select(coming, leaving), nothing);
                if wants_deepest {
                    deepest = parts.select(deepest.min(here), deepest);
                }
            }
        }
        let (rise_u, rise_v) = (k[2] * l[1] - l[2] * k[1], l[2] * k[0] - k[2] * l[0]);
        let (rise_u, rise_v) = (rise_u / area, rise_v / area);
        for c in 0..4 {
            let at_u = if SIGNS[0][c] < 0.0 { -half_u } else { half_u };
            let at_v = if SIGNS[1][c] < 0.0 { -half_v } else { half_v };
            let here = centre + ((at_u - centre_u) * rise_u + (at_v - centre_v) * rise_v);
            self.put(20 + c, at_u, at_v, here);
            let [before, next] = [usize::from(BORDERS[c][0]), usize::from(BORDERS[c][1])];
            let name = turns_right.select(bit(next << 3 | before), bit(before << 3 | next));
            let is_corner = parted & !(beyond[c][0] | beyond[c][1] | beyond[c][2] | beyond[c][3]);
            found |= (is_corner & here.simd_le(limit)).select(name, nothing);
            if wants_deepest {
                deepest = is_corner.select(deepest.min(here), deepest);
            }
        }
        Names { bits: found, clear: sure | (whole & long_enough), deepest }
    }
}

/// The names of the quad's own corners.
const OWN_NAMES: [usize; 4] = [
    corner_name(0) as usize,
    corner_name(1) as usize,
    corner_name(2) as usize,
    corner_name(3) as usize,
];

/// A number below 256.
#[inline(always)]
fn narrow(number: u32) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

/// One coordinate of the quads' corners, to the bit that of [`super::Quad::corners`].
#[inline(always)]
fn corners<S: Simd>(centre: Lane<S>, k: Lane<S>, l: Lane<S>) -> [Lane<S>; 4] {
    [centre + (k + l), centre + (l - k), centre + (-k - l), centre + (k - l)]
}

impl Corners {
    pub(crate) const EMPTY: Self = Self {
        at: [[[0.0; WIDTH]; MOST]; 3],
        names: [[0; WIDTH]; MOST],
        counts: [0.0; WIDTH],
        numbers: [0; WIDTH],
    };

    /// Takes the corners of the quads of these lanes. If there may be four at `most`, it leaves those
    /// of each that span the others: [`super::Polygon::reduce`] to the bit.
    #[inline(always)]
    pub(crate) fn take<S: Simd>(
        &mut self,
        simd: S,
        places: &Places,
        names: &Names<S>,
        lanes: u64,
        tie: Lane<S>,
        most: usize,
    ) {
        let mut bits = [0; WIDTH];
        names.bits.store_slice(&mut bits);
        let (mut many, mut longest) = (0, 0);
        for (lane, names) in bits.iter_mut().enumerate() {
            *names = if lanes >> lane & 1 == 1 { *names } else { 0 };
            let count = names.count_ones();
            longest = longest.max(count);
            (self.counts[lane], self.numbers[lane]) = (count.into(), narrow(count));
            many |= u64::from(count as usize > most) << lane;
        }
        // As many turns for all, of which the last ones find nothing in most lanes: a number of
        // turns for each would have to be guessed for each.
        for slot in 0..MOST.min(longest as usize) {
            for (lane, names) in bits.iter_mut().enumerate() {
                let name = names.trailing_zeros() & 63;
                let place = usize::from(PLACE[name as usize] & 31);
                self.at[0][slot][lane] = places.0[0][place][lane];
                self.at[1][slot][lane] = places.0[1][place][lane];
                self.at[2][slot][lane] = places.0[2][place][lane];
                self.names[slot][lane] = narrow(name);
                *names &= names.wrapping_sub(1);
            }
        }
        if many == 0 {
            return;
        }
        let mut kept = [0; WIDTH];
        self.four(simd, tie).store_slice(&mut kept);
        for lane in Bits(many) {
            let mut count = 0_u8;
            for slot in Bits(kept[lane % WIDTH]) {
                let (to, slot, lane) = (usize::from(count) % MOST, slot % MOST, lane % WIDTH);
                for row in &mut self.at {
                    row[to][lane] = row[slot][lane];
                }
                self.names[to][lane] = self.names[slot][lane];
                count += 1;
            }
            (self.counts[lane % WIDTH], self.numbers[lane % WIDTH]) = (count.into(), count);
        }
    }

    /// Those of more than four corners that are kept, as bits: see [`super::Polygon::reduce`].
    #[inline(always)]
    fn four<S: Simd>(&self, simd: S, tie: Lane<S>) -> u64x8<S> {
        let zero = Lane::splat(simd, 0.0);
        let [u, v, distance] = &self.at;
        let counts = Lane::load_array_ref(simd, &self.counts);
        let mut us = [zero; MOST];
        let mut vs = [zero; MOST];
        let mut is_there = [zero.simd_lt(zero); MOST];
        let mut slot = zero;
        let mut slots = [zero; MOST];
        for k in 0..MOST {
            us[k] = Lane::load_array_ref(simd, &u[k]);
            vs[k] = Lane::load_array_ref(simd, &v[k]);
            is_there[k] = slot.simd_lt(counts);
            slots[k] = slot;
            slot += 1.0;
        }
        let none = Lane::splat(simd, f64::NEG_INFINITY);
        let (mut best, mut deepest, mut from_u, mut from_v) = (none, zero, zero, zero);
        for k in 0..MOST {
            let here = -Lane::load_array_ref(simd, &distance[k]);
            let wins = is_there[k] & here.simd_gt(best + tie);
            best = wins.select(here, best);
            deepest = wins.select(slots[k], deepest);
            from_u = wins.select(us[k], from_u);
            from_v = wins.select(vs[k], from_v);
        }
        let mut reach = [zero; MOST];
        let mut spread = none;
        for k in 0..MOST {
            let (u, v) = (us[k] - from_u, vs[k] - from_v);
            reach[k] = u * u + v * v;
            spread = is_there[k].select(spread.max(reach[k]), spread);
        }
        let tie = tie * 4.0 * spread.sqrt();
        let (mut best, mut farthest, mut far_u, mut far_v) = (none, zero, zero, zero);
        for k in 0..MOST {
            let wins = is_there[k] & reach[k].simd_gt(best + tie);
            best = wins.select(reach[k], best);
            farthest = wins.select(slots[k], farthest);
            far_u = wins.select(us[k], far_u);
            far_v = wins.select(vs[k], far_v);
        }
        let (along_u, along_v) = (far_u - from_u, far_v - from_v);
        let (mut most, mut above, mut least, mut below) = (none, zero, none, zero);
        for k in 0..MOST {
            let side = along_u * (vs[k] - from_v) - along_v * (us[k] - from_u);
            let wins = is_there[k] & side.simd_gt(most + tie);
            most = wins.select(side, most);
            above = wins.select(slots[k], above);
            let wins = is_there[k] & (-side).simd_gt(least + tie);
            least = wins.select(-side, least);
            below = wins.select(slots[k], below);
        }
        let nothing = u64x8::splat(simd, 0);
        let mut kept = nothing;
        for (k, slot) in slots.into_iter().enumerate() {
            let is_kept = slot.simd_eq(deepest)
                | slot.simd_eq(farthest)
                | slot.simd_eq(above)
                | slot.simd_eq(below);
            kept |= is_kept.select(u64x8::splat(simd, 1 << k), nothing);
        }
        kept
    }

    /// The middle of each quad's corners that are no farther than `limit`.
    #[inline(always)]
    pub(crate) fn middle<S: Simd>(&self, simd: S, limit: Lane<S>) -> Eighth<S> {
        let (zero, one) = (Lane::splat(simd, 0.0), Lane::splat(simd, 1.0));
        let counts = Lane::load_array_ref(simd, &self.counts);
        let (mut u, mut v, mut distance, mut count) = (zero, zero, zero, zero);
        let mut slot = zero;
        for k in 0..MOST {
            let corner = self.corner(simd, k);
            let counts = slot.simd_lt(counts) & corner.distance.simd_le(limit);
            u = counts.select(u + corner.u, u);
            v = counts.select(v + corner.v, v);
            distance = counts.select(distance + corner.distance, distance);
            count = counts.select(count + one, count);
            slot += 1.0;
        }
        Eighth { u: u / count, v: v / count, distance: distance / count }
    }

    /// How many corners each quad has.
    #[inline(always)]
    pub(crate) fn counts(&self) -> &[f64; WIDTH] {
        &self.counts
    }

    /// How many corners one of them has.
    #[inline(always)]
    pub(crate) fn count(&self, lane: usize) -> usize {
        self.numbers[lane % WIDTH].into()
    }

    /// The name of a corner.
    #[inline(always)]
    pub(crate) fn name(&self, k: usize, lane: usize) -> u8 {
        self.names[k % MOST][lane % WIDTH]
    }

    /// One corner of each; what stands where there is none means nothing.
    #[inline(always)]
    pub(crate) fn corner<S: Simd>(&self, simd: S, k: usize) -> Eighth<S> {
        let [u, v, distance] = &self.at;
        let k = k % MOST;
        Eighth {
            u: Lane::load_array_ref(simd, &u[k]),
            v: Lane::load_array_ref(simd, &v[k]),
            distance: Lane::load_array_ref(simd, &distance[k]),
        }
    }
}
