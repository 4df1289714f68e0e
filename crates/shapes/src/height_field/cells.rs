//! The samples of a height field and the triangles between them.

use glam::Vec3;

use super::pyramid::NOTHING;

/// A grid of samples. A cell lies between four of them and has two triangles.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cells {
    /// Coordinates of the columns of samples, not descending.
    x: Vec<f32>,
    /// Coordinates of the rows of samples, not descending.
    z: Vec<f32>,
    /// Heights row by row; infinite for a hole.
    y: Vec<f32>,
}

/// Marks a sample that is a hole; no vertex is there.
pub(super) const HOLE: f32 = f32::INFINITY;

impl Cells {
    /// At least two rows and columns, and a height for every sample.
    pub(super) fn new(x: Vec<f32>, z: Vec<f32>, y: Vec<f32>) -> Self {
        Self { x, z, y }
    }

    /// Rows of cells.
    pub(super) fn rows(&self) -> usize {
        self.z.len() - 1
    }

    /// Cells in a row.
    pub(super) fn columns(&self) -> usize {
        self.x.len() - 1
    }

    /// Heights row by row, `None` for a hole.
    pub(super) fn heights_of_samples(&self) -> impl ExactSizeIterator<Item = Option<f32>> {
        self.y.iter().map(|&y| (y < HOLE).then_some(y))
    }

    /// Coordinate of a column of samples; of the last one beyond it.
    #[inline]
    pub(super) fn x(&self, column: usize) -> f32 {
        self.x[column.min(self.x.len() - 1)]
    }

    /// Coordinate of a row of samples; of the last one beyond it.
    #[inline]
    pub(super) fn z(&self, row: usize) -> f32 {
        self.z[row.min(self.z.len() - 1)]
    }

    /// The vertex of a sample, `None` for a hole and outside of the grid.
    pub(super) fn vertex(&self, row: usize, column: usize) -> Option<Vec3> {
        let x = *self.x.get(column)?;
        let y = *self.y.get(row * self.x.len() + column)?;
        (y < HOLE).then(|| Vec3::new(x, y, self.z[row]))
    }

    /// Height of a sample, counted row by row; infinite for a hole.
    #[inline]
    pub(super) fn height(&self, sample: usize) -> Option<f32> {
        self.y.get(sample).copied()
    }

    /// Heights of the four samples around a cell, row by row.
    #[inline]
    pub(super) fn around(&self, row: usize, column: usize) -> Option<[f32; 4]> {
        if column >= self.columns() || row >= self.rows() {
            return None;
        }
        let width = self.x.len();
        let from = self.y.get(row * width + column..)?;
        match (from.get(..2)?, from.get(width..width + 2)?) {
            (&[near, right], &[front, far]) => Some([near, right, front, far]),
            _ => None,
        }
    }

    /// Least and greatest height of the triangles of a cell.
    #[inline]
    pub(super) fn heights(&self, row: usize, column: usize) -> [f32; 2] {
        let Some([near, right, front, far]) = self.around(row, column) else { return NOTHING };
        // Both triangles have the two corners on the diagonal.
        if right.max(front).max(near.min(far)) >= HOLE {
            return NOTHING;
        }
        let low = right.min(front).min(near).min(far);
        let or_less = |y: f32| if y < HOLE { y } else { f32::NEG_INFINITY };
        let high = right.max(front).max(or_less(near)).max(or_less(far));
        [low, high]
    }

    /// The corners of a cell's first (0) or second (1) triangle; `None` where it is missing.
    #[inline]
    pub(super) fn triangle(&self, row: usize, column: usize, second: bool) -> Option<[Vec3; 3]> {
        let [near, right, front, far] = self.around(row, column)?;
        let (x, z) = ([self.x[column], self.x[column + 1]], [self.z[row], self.z[row + 1]]);
        let (right, front) = (Vec3::new(x[1], right, z[0]), Vec3::new(x[0], front, z[1]));
        let corners = if second {
            [front, Vec3::new(x[1], far, z[1]), right]
        } else {
            [Vec3::new(x[0], near, z[0]), front, right]
        };
        corners.iter().all(|corner| corner.y < HOLE).then_some(corners)
    }
}
