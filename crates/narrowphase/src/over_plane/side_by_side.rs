//! The points that eight shapes of a kind show, side by side, as one by one to the bit: each of these
//! gives bits of the lanes of which that holds, and the others are shown by themselves.

use std::f64::consts::FRAC_1_SQRT_2;

use fearless_simd::{Simd, f64x8, mask64x8, prelude::*};
use impinge_shapes::simd::Bits;

use super::Lie;
use super::eight::Points;
use super::points::{IN_ORDER, Look, MOST, NAMES, same};
use crate::real::{Mask, Real, Real3, known_sum};
use crate::turn::WIDTH;
use crate::{FeatureId, tolerance};

/// Corners of a box.
const CORNERS: usize = 8;

/// As [`Shown::ends`](super::points::Shown::ends).
#[inline(always)]
pub(super) fn ends<S: Simd>(
    look: &Look<'_, f64x8<S>>,
    ends: [Real3<f64x8<S>>; 2],
    radius: f64x8<S>,
    noise: f64x8<S>,
    points: &mut Points,
) -> u64 {
    let [a, b] = ends;
    let mut told = !(a.x.equals(b.x) & a.y.equals(b.y) & a.z.equals(b.z));
    for (k, end) in ends.into_iter().enumerate() {
        let along = look.lie.up.dot(end);
        let mut height = (look.lie.height + along) - radius;
        let open = Real::abs(height).at_most(noise);
        if open.any() {
            // As `level::sum`, of what lies over a floor.
            let (part, is_known) = known_sum(look.lie.height + height.all(0.0), along);
            let (sum, is_exact) = known_sum(part, -radius);
            let over_floor = Real::abs(look.distance).at_most(noise);
            told &= !open | (over_floor & is_known & is_exact);
            height = Real::pick(open, sum, height);
        }
        points.set(k, end - look.lie.up * radius, height, height.simd_le(look.margin));
    }
    points.features = [[FeatureId(0), FeatureId(1), FeatureId(0), FeatureId(0)]; WIDTH];
    told.to_bitmask()
}

/// As [`Shown::lowest_corners`](super::points::Shown::lowest_corners).
#[inline(always)]
pub(super) fn lowest_corners<S: Simd>(
    simd: S,
    &Look { lie: &Lie { up, height, size }, distance, margin }: &Look<'_, f64x8<S>>,
    half: Real3<f64x8<S>>,
    points: &mut Points,
) -> u64 {
    let zero = f64x8::splat(simd, 0.0);
    let told = half.x.above(zero) & half.y.above(zero) & half.z.above(zero);
    let tie = (size + (half.x + half.y + half.z)) * tolerance::TIE;
    let (x, y, z) = (up.x * half.x, up.y * half.y, up.z * half.z);
    let (floor, lowest) = ([height - z, height + z], distance + tie);
    let (mut heights, mut within) = ([[0.0; WIDTH]; CORNERS], 0);
    for (k, row) in heights.iter_mut().enumerate() {
        let level = floor[k >> 2];
        let level = if k & 2 == 0 { level - y } else { level + y };
        let height = if k & 1 == 0 { level - x } else { level + x };
        let height = Real::pick(height.at_most(lowest), distance, height);
        height.store_array(row);
        within |= height.simd_le(margin).to_bitmask() << (k * WIDTH);
    }
    let mut ties = [0.0; WIDTH];
    tie.store_array(&mut ties);
    let mut signs = [[0; 3]; MOST];
    for (lane, within) in turned_over(within).to_le_bytes().into_iter().enumerate() {
        let few = within.count_ones() <= 4;
        let chosen = if few { within } else { four_lowest(&heights, within, lane, ties[lane]) };
        for (k, corner) in Bits(chosen.into()).take(MOST).enumerate() {
            for (axis, signs) in signs[k].iter_mut().enumerate() {
                *signs |= u64::from(corner >> axis & 1 == 1) << lane;
            }
            points.heights[k][lane] = heights[corner % CORNERS][lane];
            points.features[lane][k] = FEATURES[corner % CORNERS];
            points.shown[k] |= 1 << lane;
        }
    }
    for ([to_x, to_y, to_z], [x, y, z]) in points.places.iter_mut().zip(signs) {
        signed(simd, half.x, x).store_array(to_x);
        signed(simd, half.y, y).store_array(to_y);
        signed(simd, half.z, z).store_array(to_z);
    }
    told.to_bitmask()
}

/// Of the corners of a box.
const FEATURES: [FeatureId; CORNERS] = {
    let mut features = [FeatureId(0); CORNERS];
    let mut k = 0;
    while k < 8 {
        features[k as usize] = FeatureId(k);
        k += 1;
    }
    features
};

/// Eight rows of eight bits, the rows made columns.
#[inline(always)]
fn turned_over(mut bits: u64) -> u64 {
    for (by, which) in
        [(7, 0x00AA_00AA_00AA_00AA), (14, 0x0000_CCCC_0000_CCCC), (28, 0x0000_0000_F0F0_F0F0)]
    {
        let changed = (bits ^ bits >> by) & which;
        bits ^= changed ^ changed << by;
    }
    bits
}

/// The four lowest of some corners of a box, where others are lower by more than the tie.
#[inline(never)]
fn four_lowest(heights: &[[f64; WIDTH]; CORNERS], of: u8, lane: usize, tie: f64) -> u8 {
    let mut chosen = 0;
    for _ in 0..MOST {
        let (mut best, mut least) = (0, f64::INFINITY);
        for corner in Bits((of & !chosen).into()) {
            let height = heights[corner % CORNERS][lane % WIDTH];
            (best, least) = if height < least - tie { (corner, height) } else { (best, least) };
        }
        chosen |= 1 << best;
    }
    chosen
}

/// The length, its sign changed where there is no bit.
#[inline(always)]
fn signed<S: Simd>(simd: S, length: f64x8<S>, bits: u64) -> f64x8<S> {
    mask64x8::from_bitmask(simd, bits).select(length, -length)
}

/// Shapes around Y that show a rim or the line along their side.
pub(super) struct Around<'l, S: Simd> {
    pub(super) look: &'l Look<'l, f64x8<S>>,
    pub(super) half: f64x8<S>,
    /// Of the lower rim, and of the upper one.
    pub(super) radii: [f64x8<S>; 2],
    /// The slope of the plane, as they see it.
    pub(super) sideways: f64x8<S>,
    /// Those that show a rim.
    pub(super) on_rim: mask64x8<S>,
    /// Those whose lower rim is meant.
    pub(super) below: mask64x8<S>,
}

/// Features of a line along the side, of an upper rim and of a lower one.
const AROUND: [[FeatureId; MOST]; 3] = {
    let mut all = [[FeatureId(0); MOST]; 3];
    let mut k = 0;
    while k < MOST {
        all[1][k] = NAMES[IN_ORDER[0][k].0 as usize];
        all[2][k] = NAMES[IN_ORDER[1][k].0 as usize];
        k += 1;
    }
    (all[0][0], all[0][1]) = (NAMES[SIDE[0]], NAMES[SIDE[1]]);
    all
};

/// Ends of a line along the side in the order of their features.
const SIDE: [usize; 2] = if NAMES[0].0 < NAMES[1].0 { [0, 1] } else { [1, 0] };

/// A point of each shape, its height, and those that show it.
type Corner<S> = (Real3<f64x8<S>>, f64x8<S>, mask64x8<S>);

impl<S: Simd> Around<'_, S> {
    /// As [`Corners::cylinder`](super::points::Corners::cylinder),
    /// [`Corners::cone`](super::points::Corners::cone) and
    /// [`Corners::finished`](super::points::Corners::finished), of all that show no part of a rim.
    #[inline(always)]
    pub(super) fn show(&self, points: &mut Points) -> u64 {
        let (any_rim, any_side) = (self.on_rim.any(), (!self.on_rim).any());
        let mut told = 0;
        let on_rim = self.on_rim.to_bitmask();
        if any_side {
            let (corners, is_told) = self.side();
            told |= is_told.to_bitmask() & !on_rim;
            for (k, (place, height, shown)) in corners.into_iter().enumerate() {
                points.set(k, place, height, shown & !self.on_rim);
            }
        }
        if any_rim {
            let (corners, is_told) = self.rim();
            told |= is_told.to_bitmask() & on_rim;
            for (k, (place, height, shown)) in corners.into_iter().enumerate() {
                points.set_some(k, place, height, (shown, self.on_rim));
            }
        }
        let below = self.below.to_bitmask();
        for (lane, features) in points.features.iter_mut().enumerate() {
            let on_rim = usize::from(on_rim >> lane & 1 == 1);
            *features = AROUND[on_rim + (on_rim & usize::from(below >> lane & 1 == 1))];
        }
        told
    }

    /// As [`Corners::size`](super::points::Corners).
    #[inline(always)]
    fn size(&self) -> f64x8<S> {
        let [radius, _] = self.radii;
        self.look.lie.size + (radius + self.half + radius)
    }

    #[inline(always)]
    fn same(&self) -> f64x8<S> {
        same(self.size())
    }

    /// Where the lowest of the heights is that of the whole shape, which it is made.
    #[inline(always)]
    fn finished<const N: usize>(&self, corners: &mut [Corner<S>; N]) -> mask64x8<S> {
        let distance = self.look.distance;
        let mut least = distance.all(f64::INFINITY);
        for (_, height, shown) in corners.iter_mut() {
            *height = height.most(distance);
            *shown = height.simd_le(self.look.margin);
            least = Real::least(*height, least);
        }
        let raised = least.above(distance);
        if raised.any() {
            for (_, height, _) in corners {
                *height = Real::pick(raised & height.at_most(least), distance, *height);
            }
        }
        !least.above(distance + self.size() * tolerance::UNPROVEN)
    }

    /// The line along the side.
    #[inline(always)]
    fn side(&self) -> ([Corner<S>; 2], mask64x8<S>) {
        let (up, sideways, half) = (self.look.lie.up, self.sideways, self.half);
        let told = sideways.above(half.all(tolerance::SAME_POINT)) & half.above(half.all(0.0));
        let out = (-up.x / sideways, -up.z / sideways);
        let (one, other) = (self.end(SIDE[0], out), self.end(SIDE[1], out));
        let mut corners = [
            (one, self.look.lie.height + up.dot(one), self.on_rim),
            (other, self.look.lie.height + up.dot(other), self.on_rim),
        ];
        let told = told & self.finished(&mut corners);
        let (way, same) = (other - one, self.same());
        let twice = corners[0].2 & corners[1].2 & way.dot(way).at_most(same * same);
        (corners, told & !twice)
    }

    /// The rim at an end, of which all is within the margin.
    #[inline(always)]
    fn rim(&self) -> ([Corner<S>; MOST], mask64x8<S>) {
        let &Look { lie: &Lie { up, height, .. }, distance, margin } = self.look;
        let (sideways, below, [radius, _]) = (self.sideways, self.below, self.radii);
        let told = radius.above(self.same() * tolerance::WIDE_RIM);
        let y = Real::pick(below, -self.half, self.half);
        let level = height + up.y * y;
        let (is_flat, leans) =
            (sideways.at_most(y.all(0.0)), sideways.above(y.all(tolerance::SAME_POINT)));
        let (x, z) = (Real::abs(up.x), Real::abs(up.z));
        let steepest = x.most(z).most((x + z) * FRAC_1_SQRT_2);
        let highest = level + steepest * radius;
        // Of those that hardly lean all eight corners are asked, which may round differently.
        let slack = highest + self.size() * tolerance::TIE;
        let is_whole =
            is_flat | (leans & !highest.above(margin)) | (!leans & slack.at_most(margin));
        let lowest = (-up.x / sideways, -up.z / sideways);
        // One by one, because closures may stay out of line.
        let (first, second) = (self.turn(0), self.turn(1));
        let (third, last) = (self.turn(2), self.turn(3));
        let least = first.rise.least(second.rise).least(third.rise.least(last.rise));
        let rim = Rim { y, level, radius, distance, is_flat, lowest, least };
        let (first, open) = rim.corner(&first, leans);
        let (second, open) = rim.corner(&second, open);
        let (third, open) = rim.corner(&third, open);
        let (last, _) = rim.corner(&last, open);
        let mut corners = [first, second, third, last];
        let told = told & is_whole & self.finished(&mut corners);
        (corners, told)
    }

    /// An end of the line along the side; `out` is the way to it from the axis.
    #[inline(always)]
    fn end(&self, k: usize, (x, z): (f64x8<S>, f64x8<S>)) -> Real3<f64x8<S>> {
        let radius = self.radii[k];
        Real3 { x: x * radius, y: if k == 0 { -self.half } else { self.half }, z: z * radius }
    }

    /// A quarter of the rim, in the order of features.
    #[inline(always)]
    fn turn(&self, k: usize) -> Quarter<S> {
        let ((_, cos, sin), (_, cosine, sine)) = (IN_ORDER[1][k], IN_ORDER[0][k]);
        let (up, below) = (self.look.lie.up, self.below);
        let cosine = Real::pick(below, up.x.all(cos), up.x.all(cosine));
        let sine = Real::pick(below, up.x.all(sin), up.x.all(sine));
        Quarter { cosine, sine, rise: up.x * cosine + up.z * sine }
    }
}

/// A corner of a rim of radius 1.
struct Quarter<S: Simd> {
    cosine: f64x8<S>,
    sine: f64x8<S>,
    /// Over the middle.
    rise: f64x8<S>,
}

/// What corners of a rim are made with.
struct Rim<S: Simd> {
    /// Where it is along the axis.
    y: f64x8<S>,
    /// Height of its middle.
    level: f64x8<S>,
    radius: f64x8<S>,
    distance: f64x8<S>,
    is_flat: mask64x8<S>,
    /// The way to its lowest point.
    lowest: (f64x8<S>, f64x8<S>),
    /// The least of all rises.
    least: f64x8<S>,
}

impl<S: Simd> Rim<S> {
    /// A corner, which gives its place to the lowest point where that is `open` and none rises less;
    /// and where that is open still.
    #[inline(always)]
    fn corner(&self, turn: &Quarter<S>, open: mask64x8<S>) -> (Corner<S>, mask64x8<S>) {
        let replaced = open & turn.rise.equals(self.least);
        let x = Real::pick(replaced, self.lowest.0, turn.cosine);
        let z = Real::pick(replaced, self.lowest.1, turn.sine);
        let rises = self.level + turn.rise * self.radius;
        let height = Real::pick(replaced | self.is_flat, self.distance, rises);
        let place = Real3 { x: x * self.radius, y: self.y, z: z * self.radius };
        ((place, height, replaced), open & !replaced)
    }
}
