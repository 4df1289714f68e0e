//! The order in which boxes are packed: by class of size, then along a Hilbert curve.
//!
//! - Classes: a block of sixteen neighbours must not be blown up by one large box among them.
//!   Class 0 holds everything up to eight times the median size, each further class a factor of
//!   eight.
//! - Rods along an axis are kept apart by that axis, and their place along it counts for nothing:
//!   sixteen parallel neighbours make a slim block, sixteen crossing ones a block as wide as long.
//! - Cells are cubes, so that a flat scene is ordered in two dimensions and a line in one. Runs of
//!   equal keys are ordered again inside their own bounds.

use crate::hilbert;
use crate::lanes::{Bounds, narrow};
use crate::radix;
use crate::slots::Slots;

/// Largest class; it also takes the boxes without end.
const TOP_CLASS: u8 = 7;
const CLASS_BITS: u32 = 3;
const ROD_BITS: u32 = 2;
/// A box this many times longer than wide is a rod.
const ROD: f32 = 4.0;
/// Bins of a class: two bins are a factor of two.
const CLASS_STEP: usize = 6;
/// Longest run of equal keys that is left alone.
const LONGEST_RUN: usize = 32;
/// Rounds of ordering equal keys again; each one shrinks the cells by 2^9 on every axis.
const DEEPEST: u32 = 12;
/// Size histogram: exponent and upper mantissa bit of an f32.
const BINS: usize = 512;

/// Scratch memory of the ordering.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    words: Vec<u64>,
    memory: radix::Memory,
    /// Median of the longest edges of the boxes ordered last, rounded down to a power of two or one
    /// and a half of it.
    pub(crate) typical: f32,
}

impl Order {
    /// Brings the ids into packing order.
    pub(crate) fn sort(&mut self, slots: &Slots, ids: &mut [u32]) {
        self.typical = 0.0;
        self.sort_level(slots, ids, 0);
    }

    fn sort_level(&mut self, slots: &Slots, ids: &mut [u32], depth: u32) {
        if ids.len() <= 1 || depth > DEEPEST {
            return;
        }
        let Some(plan) = Plan::new(slots, ids) else { return };
        if depth == 0 {
            self.typical = plan.typical;
        }
        self.words.clear();
        let words = ids.iter().map(|&id| {
            let bounds = slots.at(id).bounds();
            (u64::from(plan.key(&bounds)) << 32) | u64::from(id)
        });
        self.words.extend(words);
        radix::sort_by_upper_half(
            &mut self.words,
            &mut self.memory,
            hilbert::BITS + CLASS_BITS + ROD_BITS,
        );
        let mut runs = Vec::new();
        let mut start = 0;
        for (index, word) in self.words.iter().enumerate() {
            ids[index] = low_half(*word);
            if word >> 32 != self.words[start] >> 32 {
                if index - start > LONGEST_RUN {
                    runs.push(start..index);
                }
                start = index;
            }
        }
        if ids.len() - start > LONGEST_RUN {
            runs.push(start..ids.len());
        }
        for run in runs {
            self.sort_level(slots, &mut ids[run], depth + 1);
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is wanted")]
fn low_half(word: u64) -> u32 {
    word as u32
}

/// How boxes become keys.
struct Plan {
    origin: [f32; 3],
    /// Cells per unit of length.
    scale: f32,
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

/// Middle of the box; overflow is avoided by halving first.
#[inline(always)]
fn middle(bounds: &Bounds, axis: usize) -> f32 {
    bounds.lo[axis] * 0.5 + bounds.hi[axis] * 0.5
}

#[inline(always)]
fn bin_of(size: f32) -> usize {
    (size.to_bits() >> 22) as usize % BINS
}

impl Plan {
    /// `None` if all boxes are alike, so that there is nothing to order by.
    fn new(slots: &Slots, ids: &[u32]) -> Option<Self> {
        let mut histogram = [0_u32; BINS];
        let mut centers = Bounds::EMPTY;
        for &id in ids {
            let bounds = slots.at(id).bounds();
            let size = size_of(&bounds);
            histogram[bin_of(size)] += 1;
            if size < f32::INFINITY {
                let center = [0, 1, 2].map(|axis| middle(&bounds, axis));
                centers.include(&Bounds { lo: center, hi: center });
            }
        }
        let median = median(&histogram, ids.len());
        let classes = classes(median);
        let longest = (0..3).fold(0.0, |longest: f32, axis| {
            // Halved, so that it cannot overflow; no box at all gives a negative number.
            longest.max(centers.hi[axis] * 0.5 - centers.lo[axis] * 0.5)
        });
        let mut used = histogram.iter().zip(&classes).filter(|(count, _)| **count > 0);
        let first = used.next().map(|(_, class)| *class);
        let one_class = used.all(|(_, class)| Some(*class) == first);
        if one_class && longest <= 0.0 {
            return None;
        }
        let scale = 0.5 * hilbert::CELLS as f32 / longest;
        Some(Self {
            origin: centers.lo,
            scale: if scale < f32::INFINITY { scale } else { 0.0 },
            classes,
            typical: if median < bin_of(f32::INFINITY) { least_of(median) } else { 0.0 },
        })
    }

    #[inline(always)]
    fn key(&self, bounds: &Bounds) -> u32 {
        let class = u32::from(self.classes[bin_of(size_of(bounds))]);
        let rod = rod_axis(bounds);
        let cell = [0, 1, 2].map(|axis| {
            if rod == axis + 1 {
                return 0;
            }
            let offset = (middle(bounds, axis) - self.origin[axis]) * self.scale;
            // The comparison also turns a NaN of an endless box into cell 0.
            let offset = if offset > 0.0 { offset.min(hilbert::CELLS as f32 - 1.0) } else { 0.0 };
            #[expect(clippy::cast_possible_truncation, reason = "clamped above")]
            let cell = offset as i32 as usize;
            cell
        });
        (class << ROD_BITS | narrow(rod)) << hilbert::BITS | hilbert::place(cell)
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
        let above = bin.saturating_sub(median + CLASS_STEP).div_ceil(CLASS_STEP);
        u8::try_from(above).map_or(TOP_CLASS, |class| class.min(TOP_CLASS - 1))
    })
}
