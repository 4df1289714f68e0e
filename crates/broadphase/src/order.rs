//! The order in which boxes are packed: by class of size, then halved again and again.
//!
//! - Classes: a block of sixteen neighbours must not be blown up by one large box among them.
//!   Class 0 holds everything up to at least 32 times the median size, each further class a factor
//!   of eight. The blocks of all classes lie in the same places, so that queries go through all.
//! - Rods along an axis are kept apart by that axis, and their place along it counts for nothing:
//!   sixteen parallel neighbours make a slim block, sixteen crossing ones a block as wide as long.
//! - The boxes of a class are cut in two by their middles, across their longest extent, and so on
//!   down to single blocks. It looks at where the boxes are, so that a flat scene is cut along two
//!   axes, a line along one, and a cluster gets cells as small as it needs. A curve over fixed
//!   cells makes blocks that overlap more (`docs/tried.md`).

use std::ops::Range;

use fearless_simd::Simd;
use impinge_shapes::at_level;
use impinge_shapes::simd::SimdLevel;

use crate::halves::{Part, Points, Spare, halve};
use crate::lanes::{Bounds, WIDTH, narrow};
use crate::slots::Slots;

/// Largest class; it also takes the boxes without end.
const TOP_CLASS: u8 = 7;
/// Groups that are ordered each by itself: a class and one of three rods, or none.
const GROUPS: usize = (TOP_CLASS as usize + 1) * 4;
/// A box this many times longer than wide is a rod.
const ROD: f32 = 4.0;
/// Bins of a class: two bins are a factor of two.
const CLASS_STEP: usize = 6;
/// Bins from the median up to where the first class ends (`docs/tried.md`).
const CLASS_FIRST: usize = 10;
/// Size histogram: exponent and upper mantissa bit of an f32.
const BINS: usize = 512;
/// Least number of boxes by which the longest extent is told.
const SAMPLE: usize = 256;
/// Boxes whose two halves are ordered on two threads.
const TASK_BOXES: usize = 4096;

/// Scratch memory of the ordering.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    points: Points,
    spare: Spare,
    /// Median of the longest edges of the boxes ordered last, rounded down to a power of two or one
    /// and a half of it.
    pub(crate) typical: f32,
}

/// Middle of a box, halved, so that differences cannot overflow; 0 where it has none.
#[inline(always)]
fn middle(bounds: &Bounds) -> [f32; 3] {
    [0, 1, 2].map(|axis| {
        let middle = bounds.lo[axis] * 0.25 + bounds.hi[axis] * 0.25;
        if middle.is_finite() { middle } else { 0.0 }
    })
}

impl Order {
    /// Brings the ids into packing order.
    pub(crate) fn sort(&mut self, simd: SimdLevel, slots: &Slots, ids: &mut [u32]) {
        let plan = Plan::new(slots, ids);
        self.typical = plan.typical;
        let mut ends = [0; GROUPS];
        for &id in ids.iter() {
            ends[plan.group(&slots.at(id).bounds())] += 1;
        }
        let mut end = 0;
        for count in &mut ends {
            // Each group's begin for now; placing its boxes moves it to the end.
            end += std::mem::replace(count, end);
        }
        self.points.resize(ids.len());
        for &id in ids.iter() {
            let bounds = slots.at(id).bounds();
            let place = &mut ends[plan.group(&bounds)];
            self.points.put(*place, middle(&bounds), id);
            *place += 1;
        }
        let (mut points, mut spare) = (self.points.part(), self.spare.part(ids));
        let mut start = 0;
        for (group, &end) in ends.iter().enumerate() {
            let (points, spare) = (points.slice(start..end), spare.slice(start..end));
            order(simd, points, spare, start, group % 4);
            start = end;
        }
        ids.copy_from_slice(&self.points.ids);
    }
}

/// Orders the boxes of one group, whose first one gets the place `first`. The place of rods along
/// their own axis, one less than `rod`, counts only if no other does.
fn order(simd: SimdLevel, mut points: Part<'_>, mut spare: Part<'_>, first: usize, rod: usize) {
    if points.len() <= TASK_BOXES {
        at_level!(simd, simd => order_few(simd, &mut points, &mut spare, first, rod));
        return;
    }
    let at = at_level!(simd, simd => halve_once(simd, &mut points, &mut spare, first, rod));
    let Some(at) = at else { return };
    let ((low, high), (spare_low, spare_high)) = (points.split(at), spare.split(at));
    rayon::join(
        || order(simd, low, spare_low, first, rod),
        || order(simd, high, spare_high, first + at, rod),
    );
}

/// The same on one thread.
#[inline(always)]
fn order_few<S: Simd>(
    simd: S,
    points: &mut Part<'_>,
    spare: &mut Part<'_>,
    first: usize,
    rod: usize,
) {
    let mut open = vec![(0, points.len())];
    while let Some((start, end)) = open.pop() {
        let range = start..end;
        let (mut points, mut spare) = (points.slice(range.clone()), spare.slice(range.clone()));
        if let Some(at) = halve_once(simd, &mut points, &mut spare, first + start, rod) {
            let middle = start + at;
            open.push((middle, end));
            open.push((start, middle));
        }
    }
}

/// Cuts points in two; returns how many come first, and nothing where there is nothing to cut.
#[inline(always)]
fn halve_once<S: Simd>(
    simd: S,
    points: &mut Part<'_>,
    spare: &mut Part<'_>,
    first: usize,
    rod: usize,
) -> Option<usize> {
    let at = cut(first..first + points.len())? - first;
    let axis = longest(simd, points, rod)?;
    halve(simd, points, spare, at, axis);
    Some(at)
}

/// Where to cut a range of places in two: between two blocks, with at least a quarter on either
/// side, and there where most nodes of the tree end; `None` within one block.
fn cut(places: Range<usize>) -> Option<usize> {
    // Blocks that begin within the range, its own first one left out.
    let (begin, end) = (places.start / WIDTH + 1, places.end.div_ceil(WIDTH));
    if begin >= end {
        return None;
    }
    let quarter = (end - begin) / 4;
    let (least, most) = (begin + quarter, end - 1 - quarter);
    // The multiple of the largest power of two: the bits that both ends have in common and the
    // highest one that they have not.
    let differing = (least - 1) ^ most;
    let block = most >> differing.ilog2() << differing.ilog2();
    Some(block * WIDTH)
}

/// The axis along which the middles lie farthest apart; `None` if they are all the same.
#[inline(always)]
fn longest<S: Simd>(simd: S, points: &Part<'_>, rod: usize) -> Option<usize> {
    // All of few, and of many a sample, in which no runaway box decides.
    let step = if points.len() > TASK_BOXES { points.len() / SAMPLE } else { 1 };
    let mut extent = if step > 1 { extent_of(points, step) } else { points.extent(simd) };
    if step > 1 && extent.iter().all(|&extent| extent <= 0.0) {
        extent = points.extent(simd);
    }
    let across = (0..3).filter(|axis| axis + 1 != rod && extent[*axis] > 0.0);
    let best = across.reduce(|best, axis| if extent[axis] > extent[best] { axis } else { best });
    best.or_else(|| (0..3).find(|&axis| extent[axis] > 0.0))
}

/// How far apart every so manieth of the middles lies along each axis; there is one.
fn extent_of(points: &Part<'_>, step: usize) -> [f32; 3] {
    let (mut lo, mut hi) = (points.point(0), points.point(0));
    for place in (0..points.len()).step_by(step) {
        let middle = points.point(place);
        for axis in 0..3 {
            // Choices, not branches: nobody can guess them.
            lo[axis] = if middle[axis] < lo[axis] { middle[axis] } else { lo[axis] };
            hi[axis] = if middle[axis] > hi[axis] { middle[axis] } else { hi[axis] };
        }
    }
    [0, 1, 2].map(|axis| hi[axis] - lo[axis])
}

/// How boxes are told apart before their places are looked at.
struct Plan {
    classes: [u8; BINS],
    /// Median of the longest edges; 0 if it is infinite.
    typical: f32,
}

/// Edge of the box that decides its class.
#[inline(always)]
fn size_of(bounds: &Bounds) -> f32 {
    let edge = |axis: usize| bounds.hi[axis] - bounds.lo[axis];
    let longest = edge(0).max(edge(1)).max(edge(2));
    // A box at infinity has no size; it goes with those without end.
    if longest < f32::INFINITY { longest } else { f32::INFINITY }
}

/// One more than the axis that the box is a rod along; 0 if it is none.
#[inline(always)]
fn rod_axis(bounds: &Bounds) -> usize {
    let [x, y, z] = [0, 1, 2].map(|axis| bounds.hi[axis] - bounds.lo[axis]);
    let along = |long: f32, one: f32, other: f32| long > ROD * one && long > ROD * other;
    // At most one of them is true.
    usize::from(along(x, y, z)) + 2 * usize::from(along(y, x, z)) + 3 * usize::from(along(z, x, y))
}

#[inline(always)]
fn bin_of(size: f32) -> usize {
    (size.to_bits() >> 22) as usize % BINS
}

impl Plan {
    fn new(slots: &Slots, ids: &[u32]) -> Self {
        let mut histogram = [0_u32; BINS];
        for &id in ids {
            histogram[bin_of(size_of(&slots.at(id).bounds()))] += 1;
        }
        let median = median(&histogram, ids.len());
        let typical = if median < bin_of(f32::INFINITY) { least_of(median) } else { 0.0 };
        Self { classes: classes(median), typical }
    }

    /// Class and rod.
    #[inline(always)]
    fn group(&self, bounds: &Bounds) -> usize {
        let class = self.classes[bin_of(size_of(bounds))];
        (usize::from(class) * 4 + rod_axis(bounds)) % GROUPS
    }
}

/// Smallest size of a bin.
fn least_of(bin: usize) -> f32 {
    f32::from_bits(narrow(bin) << 22)
}

/// Bin of the median size.
fn median(histogram: &[u32; BINS], count: usize) -> usize {
    let mut seen = 0;
    let reaches_half = |&n: &u32| {
        seen += n as usize;
        2 * seen > count
    };
    histogram.iter().position(reaches_half).unwrap_or(0)
}

/// Class of each bin of sizes.
fn classes(median: usize) -> [u8; BINS] {
    std::array::from_fn(|bin| {
        if bin >= bin_of(f32::INFINITY) {
            return TOP_CLASS;
        }
        let above = bin.saturating_sub(median + CLASS_FIRST).div_ceil(CLASS_STEP);
        u8::try_from(above).map_or(TOP_CLASS, |class| class.min(TOP_CLASS - 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The packing order of cubes of this edge, ids by place in the list.
    fn packed(corners: &[[f32; 3]], edge: f32) -> Vec<u32> {
        let mut slots = Slots::default();
        let mut ids = Vec::new();
        for (id, &lo) in (0..).zip(corners) {
            let slot = slots.make(id).slot;
            (slot.lo, slot.hi) = (lo, lo.map(|low| low + edge));
            ids.push(id);
        }
        Order::default().sort(impinge_shapes::simd::simd_level(), &slots, &mut ids);
        ids
    }

    #[test]
    fn cuts_lie_between_blocks_and_leave_a_quarter_on_either_side() {
        for start in 0..70 {
            for len in 0..700 {
                let Some(cut) = cut(start..start + len) else {
                    assert!(len == 0 || start / WIDTH == (start + len - 1) / WIDTH);
                    continue;
                };
                assert_eq!(cut % WIDTH, 0);
                assert!(start < cut && cut < start + len);
                let least = (cut - start).min(start + len - cut);
                assert!(least + 2 * WIDTH > len / 4, "{start} {len} {cut}");
            }
        }
    }

    #[test]
    fn a_shuffled_lattice_is_packed_into_cells_that_do_not_overlap() {
        let corners: Vec<[f32; 3]> = (0..4096_u16)
            .map(|index| {
                // An odd factor runs through all places in another order.
                let index = index.wrapping_mul(2731) % 4096;
                [index % 16, index / 16 % 16, index / 256].map(f32::from)
            })
            .collect();
        for block in packed(&corners, 0.5).chunks(WIDTH) {
            let mut bounds = Bounds::EMPTY;
            for &id in block {
                let at = corners[id as usize];
                bounds.include(&Bounds { lo: at, hi: at.map(|low| low + 1.0) });
            }
            let volume: f32 = (0..3).map(|axis| bounds.hi[axis] - bounds.lo[axis]).product();
            assert_eq!(volume.to_bits(), 16.0_f32.to_bits(), "{bounds:?}");
            assert!(bounds.edge_sum() <= 9.0, "{bounds:?}");
        }
    }

    #[test]
    fn giants_alone_are_packed_apart() {
        let sizes = [(1.0, 0), (31.0, 0), (49.0, 1), (600.0, 2), (1e9, 6), (f32::INFINITY, 7)];
        let classes = classes(bin_of(1.0));
        for (size, class) in sizes {
            assert_eq!(classes[bin_of(size)], class, "{size}");
        }
    }

    #[test]
    fn a_few_far_from_a_crowd_in_one_spot_share_blocks() {
        let mut corners = vec![[0.0; 3]; 5000];
        for index in [7, 1234, 4999] {
            corners[index] = [100.0, 0.0, 0.0];
        }
        let ids = packed(&corners, 1.0);
        let far = |block: &[u32]| block.iter().any(|&id| corners[id as usize][0] > 50.0);
        assert_eq!(ids.chunks(WIDTH).filter(|block| far(block)).count(), 1);
    }
}
