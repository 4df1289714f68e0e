//! Points cut in two by their places along an axis, sixteen side by side.
//!
//! - Source: Floyd, Rivest, *Algorithm 489: SELECT* (1975): the pivot is drawn from a sample a
//!   little beyond the place that is looked for, so that the next round has few left. Rounds copy
//!   by masks and not by branches, which nobody could guess.

use std::cmp::Ordering;
use std::ops::Range;

use fearless_simd::{Simd, f32x16, mask32x16, prelude::*, u32x16};

use crate::lanes::{WIDTH, splat};

/// Points that are put in order by comparing each with each.
const FEW: usize = 64;
/// Points from which on pivots are drawn from a sample of [`FEW`] instead of [`WIDTH`].
const MANY: usize = 2048;

/// Points, each with an id; no coordinate is NaN or infinite.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points {
    axes: [Vec<f32>; 3],
    pub(crate) ids: Vec<u32>,
}

impl Points {
    /// Room for this many; what is in it is of no use.
    pub(crate) fn resize(&mut self, count: usize) {
        for axis in &mut self.axes {
            axis.resize(count, 0.0);
        }
        self.ids.resize(count, 0);
    }

    #[inline(always)]
    pub(crate) fn put(&mut self, place: usize, point: [f32; 3], id: u32) {
        for (axis, along) in self.axes.iter_mut().zip(point) {
            axis[place] = along;
        }
        self.ids[place] = id;
    }

    /// All of them, to be put in order.
    pub(crate) fn part(&mut self) -> Part<'_> {
        let [x, y, z] = &mut self.axes;
        Part { axes: [x, y, z], ids: &mut self.ids }
    }
}

/// Room for as many points again, but for their ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spare {
    axes: [Vec<f32>; 3],
}

impl Spare {
    /// Room for as many as there are ids; what is in them is of no use any more.
    pub(crate) fn part<'a>(&'a mut self, ids: &'a mut [u32]) -> Part<'a> {
        for axis in &mut self.axes {
            axis.resize(ids.len(), 0.0);
        }
        let [x, y, z] = &mut self.axes;
        Part { axes: [x, y, z], ids }
    }
}

/// Neighbouring points.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    axes: [&'a mut [f32]; 3],
    ids: &'a mut [u32],
}

impl Part<'_> {
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn point(&self, place: usize) -> [f32; 3] {
        [0, 1, 2].map(|axis| self.axes[axis][place])
    }

    /// Those before a place, and the others.
    pub(crate) fn split(&mut self, at: usize) -> (Part<'_>, Part<'_>) {
        let [x, y, z] = &mut self.axes;
        let ((x, x2), (y, y2), (z, z2)) =
            (x.split_at_mut(at), y.split_at_mut(at), z.split_at_mut(at));
        let (ids, ids2) = self.ids.split_at_mut(at);
        (Part { axes: [x, y, z], ids }, Part { axes: [x2, y2, z2], ids: ids2 })
    }

    /// The same ones, beginning at a place.
    pub(crate) fn slice(&mut self, range: Range<usize>) -> Part<'_> {
        let [x, y, z] = &mut self.axes;
        let axes = [&mut x[range.clone()], &mut y[range.clone()], &mut z[range.clone()]];
        Part { axes, ids: &mut self.ids[range] }
    }

    /// The coordinates with those along an axis first, and those along the next ones after it.
    #[inline(always)]
    fn along(&mut self, axis: usize) -> ([&mut [f32]; 3], &mut [u32]) {
        let [x, y, z] = &mut self.axes;
        let axes: [&mut [f32]; 3] = match axis {
            0 => [x, y, z],
            1 => [y, z, x],
            _ => [z, x, y],
        };
        (axes, self.ids)
    }

    /// How far apart the points lie along each axis.
    #[inline(always)]
    pub(crate) fn extent<S: Simd>(&self, simd: S) -> [f32; 3] {
        let mut extent = [0.0; 3];
        for (extent, axis) in extent.iter_mut().zip(&self.axes) {
            let mut least = splat(simd, f32::INFINITY);
            let mut most = splat(simd, f32::NEG_INFINITY);
            let (lanes, rest) = axis.as_chunks::<WIDTH>();
            for lanes in lanes {
                let lanes = f32x16::load_array_ref(simd, lanes);
                least = lanes.simd_lt(least).select(lanes, least);
                most = lanes.simd_gt(most).select(lanes, most);
            }
            let (mut lo, mut hi) = (least.reduce_min(), most.reduce_max());
            for &along in rest {
                lo = if along < lo { along } else { lo };
                hi = if along > hi { along } else { hi };
            }
            *extent = if lo < hi { hi - lo } else { 0.0 };
        }
        extent
    }
}

/// Puts the `at` points first that come first along the axis and, so that a layer of a lattice is
/// not cut at random, along the next ones where they lie level.
#[inline(always)]
pub(crate) fn halve<S: Simd>(
    simd: S,
    points: &mut Part<'_>,
    spare: &mut Part<'_>,
    at: usize,
    axis: usize,
) {
    let (mut start, mut end) = (0, points.len());
    let mut state = 1_u32;
    while end - start > FEW {
        if at <= start || at >= end {
            return;
        }
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let pivot = pivot(simd, points, start..end, at - start, axis, state);
        let mut middle = partition(simd, points, spare, start..end, axis, pivot, false);
        if middle == start {
            // Nothing comes before it: those that lie level with it come first, in any order.
            middle = partition(simd, points, spare, start..end, axis, pivot, true);
            if at <= middle {
                return;
            }
        }
        if at < middle { end = middle } else { start = middle }
    }
    sort_few(simd, points, start..end, axis);
}

/// A point that lies a little beyond the place looked for, as a sample has it.
#[inline(always)]
fn pivot<S: Simd>(
    simd: S,
    points: &mut Part<'_>,
    range: Range<usize>,
    at: usize,
    axis: usize,
    state: u32,
) -> [f32; 3] {
    let all = range.len();
    let count = if all < MANY { WIDTH } else { FEW };
    let (axes, _) = points.along(axis);
    let mut sample = Few::EMPTY;
    let shift = state as usize % all;
    for number in 0..count {
        let place = range.start + (number * all + shift) / count;
        let place = if place < range.end { place } else { place - all };
        sample.put(number, [axes[0][place], axes[1][place], axes[2][place]]);
    }
    // One place in sixteen beyond, on the side of the longer part.
    let (rank, beyond) = (at * count / all, count / WIDTH);
    let wanted = if 2 * at <= all { rank + 1 + beyond } else { rank.saturating_sub(beyond) };
    let wanted = wanted.clamp(1, count - 1);
    let mut best = sample.get(0);
    for number in 0..count {
        if sample.rank(simd, number, count) == wanted {
            best = sample.get(number);
        }
    }
    best
}

/// Puts the points of a range first that come before a pivot, or with `level` at it; returns where
/// they end. All keep their order.
#[inline(always)]
fn partition<S: Simd>(
    simd: S,
    points: &mut Part<'_>,
    spare: &mut Part<'_>,
    range: Range<usize>,
    axis: usize,
    pivot: [f32; 3],
    level: bool,
) -> usize {
    let ([p, q, r], ids) = points.along(axis);
    let ([sp, sq, sr], spare_ids) = spare.along(axis);
    let (mut left, mut right, mut at) = (range.start, range.start, range.start);
    let pivots = splats(simd, pivot);
    let level_too = mask32x16::splat(simd, level);
    // What goes first is written to where it was read already; the others lie in the spare room
    // until the end, so that both stores have sixteen places.
    let vectors_end = if simd.level().is_fallback() { at } else { range.end };
    while at + WIDTH <= vectors_end {
        let lanes = [
            f32x16::from_slice(simd, &p[at..at + WIDTH]),
            f32x16::from_slice(simd, &q[at..at + WIDTH]),
            f32x16::from_slice(simd, &r[at..at + WIDTH]),
        ];
        let id = u32x16::from_slice(simd, &ids[at..at + WIDTH]);
        let (less, same) = before(lanes, pivots);
        let first = less | same & level_too;
        let others = !first;
        let count = first.to_bitmask().count_ones() as usize;
        lanes[0].compress(first).store_slice(&mut p[left..left + WIDTH]);
        lanes[1].compress(first).store_slice(&mut q[left..left + WIDTH]);
        lanes[2].compress(first).store_slice(&mut r[left..left + WIDTH]);
        id.compress(first).store_slice(&mut ids[left..left + WIDTH]);
        lanes[0].compress(others).store_slice(&mut sp[right..right + WIDTH]);
        lanes[1].compress(others).store_slice(&mut sq[right..right + WIDTH]);
        lanes[2].compress(others).store_slice(&mut sr[right..right + WIDTH]);
        id.compress(others).store_slice(&mut spare_ids[right..right + WIDTH]);
        left += count;
        right += WIDTH - count;
        at += WIDTH;
    }
    for at in at..range.end {
        let (point, id) = ([p[at], q[at], r[at]], ids[at]);
        let (less, same) = is_before(point, pivot);
        let first = less | same & level;
        [p[left], q[left], r[left]] = point;
        ids[left] = id;
        [sp[right], sq[right], sr[right]] = point;
        spare_ids[right] = id;
        left += usize::from(first);
        right += usize::from(!first);
    }
    let (to, from) = (left..range.end, range.start..right);
    p[to.clone()].copy_from_slice(&sp[from.clone()]);
    q[to.clone()].copy_from_slice(&sq[from.clone()]);
    r[to.clone()].copy_from_slice(&sr[from.clone()]);
    ids[to].copy_from_slice(&spare_ids[from]);
    left
}

#[inline(always)]
fn splats<S: Simd>(simd: S, [a, b, c]: [f32; 3]) -> [f32x16<S>; 3] {
    [splat(simd, a), splat(simd, b), splat(simd, c)]
}

/// Which lanes come before others, and which lie level with them.
#[inline(always)]
fn before<S: Simd>(
    [p, q, r]: [f32x16<S>; 3],
    [a, b, c]: [f32x16<S>; 3],
) -> (mask32x16<S>, mask32x16<S>) {
    let (level_p, level_q) = (p.simd_eq(a), q.simd_eq(b));
    let less = p.simd_lt(a) | level_p & (q.simd_lt(b) | level_q & r.simd_lt(c));
    (less, level_p & level_q & r.simd_eq(c))
}

/// The same for one point.
#[inline(always)]
#[expect(clippy::float_cmp, reason = "points that lie level are told apart by the next axis")]
fn is_before([p, q, r]: [f32; 3], [a, b, c]: [f32; 3]) -> (bool, bool) {
    let less = (p < a) | (p == a) & ((q < b) | (q == b) & (r < c));
    (less, (p == a) & (q == b) & (r == c))
}

/// Puts up to [`FEW`] points in order.
#[inline(always)]
fn sort_few<S: Simd>(simd: S, points: &mut Part<'_>, range: Range<usize>, axis: usize) {
    let ([p, q, r], ids) = points.along(axis);
    let count = range.len();
    let (mut few, mut few_ids) = (Few::EMPTY, [0; FEW]);
    few.axes[0][..count].copy_from_slice(&p[range.clone()]);
    few.axes[1][..count].copy_from_slice(&q[range.clone()]);
    few.axes[2][..count].copy_from_slice(&r[range.clone()]);
    few_ids[..count].copy_from_slice(&ids[range.clone()]);
    if simd.level().is_fallback() {
        let order = few.order_one_by_one(count);
        for (place, &number) in range.zip(&order[..count]) {
            [p[place], q[place], r[place]] = few.get(number);
            ids[place] = few_ids[number % FEW];
        }
        return;
    }
    for (number, &id) in few_ids.iter().enumerate().take(count) {
        let place = range.start + few.rank(simd, number, count);
        [p[place], q[place], r[place]] = few.get(number);
        ids[place] = id;
    }
}

/// A few points, and behind them points that come after all.
struct Few {
    axes: [[f32; FEW]; 3],
}

impl Few {
    const EMPTY: Self = Self { axes: [[f32::INFINITY; FEW]; 3] };

    #[inline(always)]
    fn put(&mut self, number: usize, point: [f32; 3]) {
        for (axis, along) in point.into_iter().enumerate() {
            self.axes[axis][number % FEW] = along;
        }
    }

    #[inline(always)]
    fn get(&self, number: usize) -> [f32; 3] {
        let [p, q, r] = &self.axes;
        [p[number % FEW], q[number % FEW], r[number % FEW]]
    }

    /// How many of the first `count` points come before one: by their number where they lie level.
    #[inline(always)]
    fn rank<S: Simd>(&self, simd: S, number: usize, count: usize) -> usize {
        if simd.level().is_fallback() {
            return self.rank_one_by_one(number, count);
        }
        let point = splats(simd, self.get(number));
        let [p, q, r] = &self.axes;
        let (mut rank, mut earlier) = (0, (1_u64 << number) - 1);
        let lanes = p.as_chunks().0.iter().zip(q.as_chunks().0).zip(r.as_chunks().0);
        for ((p, q), r) in lanes.take(count.div_ceil(WIDTH)) {
            let lanes = [
                f32x16::load_array_ref(simd, p),
                f32x16::load_array_ref(simd, q),
                f32x16::load_array_ref(simd, r),
            ];
            let (less, same) = before(lanes, point);
            rank += (less.to_bitmask() | same.to_bitmask() & earlier & 0xffff).count_ones();
            earlier >>= WIDTH;
        }
        rank as usize
    }

    /// [`Few::rank`] without vectors, whose emulation takes many times as long.
    fn rank_one_by_one(&self, number: usize, count: usize) -> usize {
        let point = self.get(number);
        let comes_before = |&other: &usize| {
            let (less, same) = is_before(self.get(other), point);
            less | same & (other < number)
        };
        (0..count).filter(comes_before).count()
    }

    /// Numbers of the first `count` points by their ranks, without vectors.
    fn order_one_by_one(&self, count: usize) -> [usize; FEW] {
        let mut order = std::array::from_fn(|number| number);
        order[..count].sort_unstable_by(|&one, &other| {
            let (a, b) = (self.get(one), self.get(other));
            if is_before(a, b).0 {
                Ordering::Less
            } else if is_before(b, a).0 {
                Ordering::Greater
            } else {
                one.cmp(&other)
            }
        });
        order
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "points are moved, not changed")]
mod tests {
    use fearless_simd::dispatch;
    use impinge_shapes::simd::SimdLevel;

    use super::*;
    use crate::lanes::tests::random;

    /// Points on a lattice of this many places along each axis, in a shuffled order.
    fn draw(count: usize, places: [u32; 3], seed: u32) -> Points {
        let mut random = random(seed);
        let mut points = Points::default();
        points.resize(count);
        for (place, id) in (0..count).zip(0..) {
            let mut along = |axis: usize| random(places[axis]) as f32 - 3.0;
            points.put(place, [along(0), along(1), along(2)], id);
        }
        points
    }

    /// What decides the order along an axis.
    fn keys(points: &Points, axis: usize) -> Vec<[f32; 3]> {
        let along = |place: usize, axis: usize| points.axes[axis % 3][place];
        (0..points.ids.len()).map(|at| [0, 1, 2].map(|next| along(at, axis + next))).collect()
    }

    #[test]
    fn the_first_points_are_those_that_a_sort_puts_first_at_every_level() {
        let levels: Vec<SimdLevel> =
            SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name)).collect();
        let (mut level_at_cut, mut apart_at_cut) = (0, 0);
        let counts = [2, 15, 16, 17, 63, 64, 65, 100, 257, 1000, 2047, 2048, 5000];
        let lattices = [[1, 1, 1], [2, 2, 2], [7, 9, 8], [1 << 20, 3, 3], [1 << 20; 3]];
        for (seed, (&count, places)) in
            (1..).zip(counts.iter().flat_map(|count| lattices.map(|places| (count, places))))
        {
            for (axis, at) in [(0, count / 2), (1, 1), (2, count - 1), (0, count / 4 + 1)] {
                let drawn = draw(count, places, seed);
                let mut sorted = keys(&drawn, axis);
                sorted.sort_by(|one, other| one.partial_cmp(other).expect("no NaN"));
                let same = sorted[at - 1] == sorted[at];
                level_at_cut += usize::from(same);
                apart_at_cut += usize::from(!same);
                let mut first: Option<Vec<u32>> = None;
                for level in &levels {
                    let (mut points, mut spare) = (drawn.clone(), Spare::default());
                    let mut ids = vec![0; count];
                    let (mut part, mut room) = (points.part(), spare.part(&mut ids));
                    dispatch!(level.level(), simd => halve(simd, &mut part, &mut room, at, axis));
                    let told = format!("{count} points, seed {seed}, {at}, axis {axis}");
                    for half in [0..at, at..count] {
                        let mut found = keys(&points, axis)[half.clone()].to_vec();
                        found.sort_by(|one, other| one.partial_cmp(other).expect("no NaN"));
                        assert!(found == sorted[half], "{told}");
                    }
                    let (now, before) = (keys(&points, 0), keys(&drawn, 0));
                    let stays = |(now, id): (&[f32; 3], &u32)| *now == before[*id as usize];
                    assert!(now.iter().zip(&points.ids).all(stays), "{told}");
                    let mut ids = points.ids.clone();
                    ids.sort_unstable();
                    assert!(ids.into_iter().eq(0..u32::try_from(count).expect("few")), "{told}");
                    let first = first.get_or_insert_with(|| points.ids.clone());
                    assert!(*first == points.ids, "{told}: {}", level.name());
                }
            }
        }
        assert!(level_at_cut > 50 && apart_at_cut > 50, "{level_at_cut} {apart_at_cut}");
    }
}
