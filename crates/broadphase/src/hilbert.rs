//! The Hilbert curve in three dimensions.
//!
//! - Source: Hamilton, *Compact Hilbert Indices* (Dalhousie CS-2006-07): entry point and direction
//!   of the curve in each sub-cube, here as a table of 24 states.

use crate::lanes::narrow;

/// Levels of the curve: cells along each axis are `2^LEVELS`.
pub(crate) const LEVELS: u32 = 9;
/// Bits of a place on the curve.
pub(crate) const BITS: u32 = 3 * LEVELS;
/// Cells along each axis.
pub(crate) const CELLS: usize = 1 << LEVELS;

const STATES: usize = 24;

/// Bits of a coordinate spread to every third place.
const SPREAD: [u32; CELLS] = spread();
/// Low three bits: place within the sub-cube; the rest: next state, times eight.
const STEPS: [u8; STATES * 8] = steps();

/// Place on the curve of a cell; coordinates are taken modulo [`CELLS`].
#[inline(always)]
pub(crate) fn place(cell: [usize; 3]) -> u32 {
    let [x, y, z] = cell.map(|c| SPREAD[c % CELLS]);
    let morton = x << 2 | y << 1 | z;
    let mut state = 0_usize;
    let mut place = 0;
    for level in (0..LEVELS).rev() {
        let octant = (morton >> (3 * level) & 7) as usize;
        let step = STEPS[(state + octant) % STEPS.len()];
        place = place << 3 | u32::from(step & 7);
        state = usize::from(step & !7);
    }
    place
}

const fn spread() -> [u32; CELLS] {
    let mut table = [0; CELLS];
    let mut value = 0;
    while value < CELLS {
        let mut bit = 0;
        while bit < LEVELS {
            table[value] |= ((narrow(value) >> bit) & 1) << (3 * bit);
            bit += 1;
        }
        value += 1;
    }
    table
}

const fn rotate_left(value: u32, by: u32) -> u32 {
    let by = by % 3;
    (value << by | value >> (3 - by)) & 7
}

const fn gray(value: u32) -> u32 {
    value ^ (value >> 1)
}

/// Where the curve enters sub-cube `w`.
const fn entry(w: u32) -> u32 {
    if w == 0 { 0 } else { gray(2 * ((w - 1) / 2)) }
}

/// Along which axis the curve runs in sub-cube `w`.
const fn direction(w: u32) -> u32 {
    if w == 0 {
        0
    } else if w.is_multiple_of(2) {
        (w - 1).trailing_ones() % 3
    } else {
        w.trailing_ones() % 3
    }
}

const fn steps() -> [u8; STATES * 8] {
    let mut table = [0; STATES * 8];
    let mut state = 0;
    while state < STATES {
        let (e, d) = (narrow(state) / 3, narrow(state) % 3);
        let mut octant = 0;
        while octant < 8 {
            let turned = rotate_left(narrow(octant) ^ e, 3 - (d + 1) % 3);
            let w = turned ^ (turned >> 1) ^ (turned >> 2);
            let next_e = e ^ rotate_left(entry(w), d + 1);
            let next_d = (d + direction(w) + 1) % 3;
            // At most 7 + 23 * 8: it fits a byte.
            table[state * 8 + octant] = (w | (next_e * 3 + next_d) << 3).to_le_bytes()[0];
            octant += 1;
        }
        state += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_on_the_curve_are_neighbours_in_space() {
        // The lowest three levels hold all of the curve's turns.
        let mut cells = Vec::new();
        for index in 0..512_usize {
            let cell = [index & 7, index >> 3 & 7, index >> 6];
            cells.push((place(cell), cell));
        }
        cells.sort_unstable();
        for pair in cells.windows(2) {
            assert_eq!(pair[0].0 + 1, pair[1].0);
            let steps: usize = (0..3).map(|axis| pair[0].1[axis].abs_diff(pair[1].1[axis])).sum();
            assert_eq!(steps, 1, "{pair:?}");
        }
    }
}
