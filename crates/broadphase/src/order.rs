//! The order in which boxes are packed: by class of size, then along a Morton curve.
//!
//! - Classes: a block of sixteen neighbours must not be blown up by one large box among them.
//!   Class 0 holds everything up to twice the median size, each further class a factor of four.
//! - Bits: the curve spends its bits where the scene is long, so that a flat scene is ordered in
//!   two dimensions and a line in one. Runs of equal keys are ordered again inside their own
//!   bounds.

use crate::lanes::{Bounds, narrow};
use crate::radix;
use crate::slots::Slots;

/// Largest class; it also takes the boxes without end.
const TOP_CLASS: u8 = 7;
const CLASS_BITS: u32 = 3;
/// Most bits that the curve may use, so that class and curve fit 32.
const CURVE_BITS: u32 = 27;
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
    scratch: Vec<u64>,
}

impl Order {
    /// Brings the ids into packing order.
    pub(crate) fn sort(&mut self, slots: &Slots, ids: &mut [u32]) {
        self.sort_level(slots, ids, 0);
    }

    fn sort_level(&mut self, slots: &Slots, ids: &mut [u32], depth: u32) {
        if ids.len() <= 1 || depth > DEEPEST {
            return;
        }
        let Some(plan) = Plan::new(slots, ids) else { return };
        self.words.clear();
        let words = ids.iter().map(|&id| {
            let bounds = slots.at(id).bounds();
            (u64::from(plan.key(&bounds)) << 32) | u64::from(id)
        });
        self.words.extend(words);
        radix::sort_by_upper_half(&mut self.words, &mut self.scratch, plan.bits());
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
    scale: [f32; 3],
    /// Largest cell of each axis.
    last: [f32; 3],
    curve_bits: u32,
    classes: [u8; BINS],
    /// Cell number to its bits on the curve, split in three digits of nine bits.
    spread: Vec<[[u32; 512]; 3]>,
}

/// Edge of the box that decides its class.
#[inline(always)]
fn size_of(bounds: &Bounds) -> f32 {
    let edge = |axis: usize| bounds.hi[axis] - bounds.lo[axis];
    let longest = edge(0).max(edge(1)).max(edge(2));
    // A box at infinity has no size; it goes with those without end.
    if longest < f32::INFINITY { longest } else { f32::INFINITY }
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
        let classes = classes(&histogram, ids.len());
        let extent = [0, 1, 2].map(|axis| {
            // Halved extents cannot overflow.
            let half = centers.hi[axis] * 0.5 - centers.lo[axis] * 0.5;
            if half > 0.0 { half } else { 0.0 }
        });
        let one_class = {
            let mut used = histogram.iter().zip(&classes).filter(|(count, _)| **count > 0);
            let first = used.next().map(|(_, class)| *class);
            used.all(|(_, class)| Some(*class) == first)
        };
        if one_class && extent.iter().all(|e| *e <= 0.0) {
            return None;
        }
        let wanted = (usize::BITS - ids.len().leading_zeros() + 8).min(CURVE_BITS);
        let axes = deal_bits(extent, wanted);
        let mut bits = [0_u32; 3];
        for &axis in &axes {
            bits[axis] += 1;
        }
        let cells = bits.map(|b| (1_u64 << b) as f32);
        let scale = [0, 1, 2].map(|axis| {
            let scale = cells[axis] * 0.5 / extent[axis];
            if scale < f32::INFINITY { scale } else { 0.0 }
        });
        Some(Self {
            origin: centers.lo.map(|lo| if lo < f32::INFINITY { lo } else { 0.0 }),
            scale,
            last: cells.map(|c| c - 1.0),
            curve_bits: narrow(axes.len()),
            classes,
            spread: spread_tables(&axes),
        })
    }

    fn bits(&self) -> u32 {
        self.curve_bits + CLASS_BITS
    }

    #[inline(always)]
    fn key(&self, bounds: &Bounds) -> u32 {
        let mut key = u32::from(self.classes[bin_of(size_of(bounds))]) << self.curve_bits;
        for axis in 0..3 {
            let offset = (middle(bounds, axis) - self.origin[axis]) * self.scale[axis];
            // The comparison also turns a NaN of an endless box into cell 0.
            let cell = if offset > 0.0 { offset.min(self.last[axis]) } else { 0.0 };
            #[expect(clippy::cast_possible_truncation, reason = "at most 2^27, clamped above")]
            let cell = cell as i32 as usize;
            let table = &self.spread[axis];
            key |=
                table[0][cell & 511] | table[1][(cell >> 9) & 511] | table[2][(cell >> 18) & 511];
        }
        key
    }
}

/// Class of each bin of sizes.
fn classes(histogram: &[u32; BINS], count: usize) -> [u8; BINS] {
    let mut seen = 0;
    let median = histogram
        .iter()
        .position(|&n| {
            seen += n as usize;
            2 * seen > count
        })
        .unwrap_or(0);
    // Two bins are a factor of two.
    std::array::from_fn(|bin| {
        if bin >= bin_of(f32::INFINITY) {
            return TOP_CLASS;
        }
        let above = bin.saturating_sub(median + 2).div_ceil(4);
        u8::try_from(above).map_or(TOP_CLASS, |class| class.min(TOP_CLASS - 1))
    })
}

/// Axis of each bit of the curve, highest first: always the axis whose cells are longest.
fn deal_bits(extent: [f32; 3], wanted: u32) -> Vec<usize> {
    let mut cell = extent;
    let mut axes = Vec::new();
    for _ in 0..wanted {
        let longest =
            [1, 2].into_iter().fold(0, |l, axis| if cell[axis] > cell[l] { axis } else { l });
        if cell[longest] <= 0.0 {
            break;
        }
        cell[longest] *= 0.5;
        axes.push(longest);
    }
    axes
}

fn spread_tables(axes: &[usize]) -> Vec<[[u32; 512]; 3]> {
    let mut tables = vec![[[0; 512]; 3]; 3];
    let mut place = [0_usize; 3];
    // From the lowest bit up: bit `place` of the axis's cell number goes to bit `bit` of the key.
    for (bit, &axis) in axes.iter().rev().enumerate() {
        let (digit, within) = (place[axis] / 9, place[axis] % 9);
        for (value, entry) in tables[axis][digit].iter_mut().enumerate() {
            if value >> within & 1 == 1 {
                *entry |= 1 << bit;
            }
        }
        place[axis] += 1;
    }
    tables
}
