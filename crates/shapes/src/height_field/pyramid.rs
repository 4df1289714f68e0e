//! Least and greatest heights of square blocks of cells, each level twice as coarse.

use super::cells::Cells;

/// Heights of blocks of 2, 4, 8, … cells on a side, up to one block that holds everything.
#[derive(Clone, Debug)]
pub(super) struct Pyramid {
    levels: Vec<Level>,
}

#[derive(Clone, Debug)]
struct Level {
    /// Blocks in a row of blocks.
    columns: usize,
    /// Least and greatest height of each block; inverted for a block without triangles.
    heights: Vec<[f32; 2]>,
}

/// No height at all.
pub(super) const NOTHING: [f32; 2] = [f32::INFINITY, f32::NEG_INFINITY];

fn union(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}

impl Level {
    fn get(&self, row: usize, column: usize) -> [f32; 2] {
        if column >= self.columns {
            return NOTHING;
        }
        self.heights.get(row * self.columns + column).copied().unwrap_or(NOTHING)
    }

    /// The level of blocks twice as large as those that `get` tells the heights of.
    fn above(rows: usize, columns: usize, get: impl Fn(usize, usize) -> [f32; 2]) -> Self {
        let (rows, columns) = (rows.div_ceil(2), columns.div_ceil(2));
        let mut heights = Vec::with_capacity(rows * columns);
        for row in 0..rows {
            for column in 0..columns {
                let (row, column) = (2 * row, 2 * column);
                let upper = union(get(row, column), get(row, column + 1));
                let lower = union(get(row + 1, column), get(row + 1, column + 1));
                heights.push(union(upper, lower));
            }
        }
        Self { columns, heights }
    }
}

impl Pyramid {
    pub(super) fn new(cells: &Cells) -> Self {
        let mut levels = Vec::new();
        let (mut rows, mut columns) = (cells.rows(), cells.columns());
        while rows > 1 || columns > 1 {
            let level = match levels.last() {
                None => Level::above(rows, columns, |row, column| cells.heights(row, column)),
                Some(below) => {
                    let below: &Level = below;
                    Level::above(rows, columns, |row, column| below.get(row, column))
                }
            };
            (rows, columns) = (rows.div_ceil(2), columns.div_ceil(2));
            levels.push(level);
        }
        Self { levels }
    }

    /// The level at which one block holds everything; 0 for a single cell.
    pub(super) fn top(&self) -> u32 {
        u32::try_from(self.levels.len()).unwrap_or(u32::MAX)
    }

    /// Least and greatest height of a block of `2^level` cells on a side.
    #[inline]
    pub(super) fn heights(&self, cells: &Cells, level: u32, row: u32, column: u32) -> [f32; 2] {
        let (row, column) = (row as usize, column as usize);
        match level.checked_sub(1) {
            None => cells.heights(row, column),
            Some(level) => {
                self.levels.get(level as usize).map_or(NOTHING, |level| level.get(row, column))
            }
        }
    }
}
