//! The fifteen axes of two boxes in f64.

use impinge_shapes::Cuboid;
use impinge_shapes::glam::{DMat3, DVec3};

use crate::{Relative, tolerance};

/// Number of axes: A's three faces, B's three faces, nine pairs of edges.
pub(super) const COUNT: usize = 15;
/// Number of the first edge axis; edge `i` of A with edge `j` of B is `EDGES + 3 i + j`.
pub(super) const EDGES: usize = 6;

/// Two boxes in A's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Boxes {
    /// Half extents of A.
    pub(super) a: [f64; 3],
    /// Half extents of B.
    pub(super) b: [f64; 3],
    /// B's centre.
    pub(super) t: [f64; 3],
    /// B's axes: `r[j][i]` is component `i` of axis `j`.
    pub(super) r: [[f64; 3]; 3],
}

/// The axis of least overlap, or of the largest gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    /// Number of the axis.
    pub(super) index: usize,
    /// Signed distance along the unit normal.
    pub(super) separation: f64,
    /// Unit, from A to B.
    pub(super) normal: DVec3,
}

impl Boxes {
    pub(super) fn new(a: &Cuboid, b: &Cuboid, b_in_a: &Relative) -> Self {
        Self {
            a: a.half_extents().as_dvec3().to_array(),
            b: b.half_extents().as_dvec3().to_array(),
            t: b_in_a.translation().to_array(),
            r: b_in_a.rotation().to_cols_array_2d(),
        }
    }

    /// The same boxes after B has moved.
    pub(super) fn moved(&self, motion: DVec3) -> Self {
        Self { t: (self.centre() + motion).to_array(), ..*self }
    }

    /// A as seen from B.
    pub(super) fn flipped(&self) -> Self {
        let to_b = self.rotation().transpose();
        Self {
            a: self.b,
            b: self.a,
            t: (to_b * -self.centre()).to_array(),
            r: to_b.to_cols_array_2d(),
        }
    }

    /// B's centre.
    #[inline]
    pub(super) fn centre(&self) -> DVec3 {
        DVec3::from_array(self.t)
    }

    /// From B's frame to A's.
    #[inline]
    pub(super) fn rotation(&self) -> DMat3 {
        DMat3::from_cols_array_2d(&self.r)
    }

    /// Sum of the centres' distance, axis by axis, and all half extents: the unit of all errors.
    #[inline]
    pub(super) fn size(&self) -> f64 {
        let sum = |v: &[f64; 3]| v[0] + v[1] + v[2];
        sum(&self.t.map(f64::abs)) + sum(&self.a) + sum(&self.b)
    }

    /// Sum of the two half lengths on face axis `i` of A.
    #[inline]
    pub(super) fn reach_on_a(&self, i: usize) -> f64 {
        let r = &self.r;
        self.a[i]
            + (self.b[0] * r[0][i].abs() + self.b[1] * r[1][i].abs() + self.b[2] * r[2][i].abs())
    }

    /// Sum of the two half lengths on face axis `j` of B.
    #[inline]
    pub(super) fn reach_on_b(&self, j: usize) -> f64 {
        let c = &self.r[j];
        self.b[j] + (self.a[0] * c[0].abs() + self.a[1] * c[1].abs() + self.a[2] * c[2].abs())
    }

    /// Sum of the two half lengths on edge axis `(i, j)`, times the axis' length.
    #[inline]
    pub(super) fn reach_on_edges(&self, i: usize, j: usize) -> f64 {
        let (m, n) = after(i);
        let (k, l) = after(j);
        let r = &self.r;
        (self.a[m] * r[j][n].abs() + self.a[n] * r[j][m].abs())
            + (self.b[k] * r[l][i].abs() + self.b[l] * r[k][i].abs())
    }

    /// Squared length of edge axis `(i, j)`.
    #[inline]
    pub(super) fn edge_length_squared(&self, i: usize, j: usize) -> f64 {
        let (m, n) = after(i);
        self.r[j][m] * self.r[j][m] + self.r[j][n] * self.r[j][n]
    }

    /// Projection of `v` on axis `index`, times the axis' length.
    #[inline]
    pub(super) fn project(&self, index: usize, v: &[f64; 3]) -> f64 {
        match index {
            0..3 => v[index],
            3..EDGES => {
                let c = &self.r[index - 3];
                v[0] * c[0] + v[1] * c[1] + v[2] * c[2]
            }
            _ => self.project_on_edges(edges(index).0, edges(index).1, v),
        }
    }

    /// Projection of `v` on edge axis `(i, j)`, times the axis' length.
    #[inline]
    pub(super) fn project_on_edges(&self, i: usize, j: usize, v: &[f64; 3]) -> f64 {
        let (m, n) = after(i);
        v[n] * self.r[j][m] - v[m] * self.r[j][n]
    }

    /// Overlap on each edge axis, times its length.
    #[inline]
    pub(super) fn overlaps_on_edges(&self) -> [[f64; 3]; 3] {
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let centre = self.project_on_edges(i, j, &self.t);
                self.reach_on_edges(i, j) - centre.abs()
            })
        })
    }

    /// Axis `index` with unit length, on the side on which B's centre lies; the positive side
    /// where it lies on neither.
    pub(super) fn unit_axis(&self, index: usize) -> DVec3 {
        let direction = match index {
            0..3 => DVec3::AXES[index],
            3..EDGES => DVec3::from_array(self.r[index - 3]),
            _ => {
                let (i, j) = edges(index);
                DVec3::AXES[i].cross(DVec3::from_array(self.r[j]))
            }
        };
        let unit = direction / direction.length();
        if self.project(index, &self.t) < 0.0 { -unit } else { unit }
    }

    /// Sum of the two half lengths along a direction.
    pub(super) fn reach_along(&self, n: DVec3) -> f64 {
        let in_b = (self.rotation().transpose() * n).abs();
        n.abs().dot(DVec3::from_array(self.a)) + in_b.dot(DVec3::from_array(self.b))
    }

    /// The axis of largest signed separation.
    ///
    /// - Ties: A's faces before B's before edges; an edge must beat the best face by more than
    ///   rounding and by the share `preference` of its depth.
    pub(super) fn best(&self, preference: f64) -> Best {
        let tie = tolerance::TIE * self.size();
        let (mut index, mut separation) = (0, f64::NEG_INFINITY);
        for i in 0..3 {
            let here = self.t[i].abs() - self.reach_on_a(i);
            if here > separation + tie {
                (index, separation) = (i, here);
            }
        }
        for j in 0..3 {
            let here = self.project(3 + j, &self.t).abs() - self.reach_on_b(j);
            if here > separation + tie {
                (index, separation) = (3 + j, here);
            }
        }
        let mut threshold = separation + preference * separation.abs();
        let overlaps = self.overlaps_on_edges();
        for k in EDGES..COUNT {
            let (i, j) = edges(k);
            let squared = self.edge_length_squared(i, j);
            if squared <= tolerance::PARALLEL_SQUARED {
                continue;
            }
            if squared <= tolerance::SHORT_SQUARED {
                // Dividing a short axis' overlap by its length would blow up its rounding.
                let normal = self.unit_axis(k);
                let here = normal.dot(self.centre()).abs() - self.reach_along(normal);
                if here > threshold + tie {
                    (index, separation, threshold) = (k, here, here);
                }
                continue;
            }
            // Compares squares first: most edge axes lose, and a root costs more than all else.
            let here = -overlaps[i][j] - tie;
            let (square, limit) = (here * here, threshold * threshold * squared);
            let loses = here <= 0.0 && square >= limit
                || threshold > 0.0 && (here <= 0.0 || square <= limit);
            if loses {
                continue;
            }
            let length = squared.sqrt();
            if here > threshold * length {
                (index, separation) = (k, (here + tie) / length);
                threshold = separation;
            }
        }
        Best { index, separation, normal: self.unit_axis(index) }
    }
}

/// The edges of edge axis `index`: A's and B's.
#[inline]
pub(super) fn edges(index: usize) -> (usize, usize) {
    ((index - EDGES) / 3, (index - EDGES) % 3)
}

/// The two other axes in cyclic order.
#[inline]
pub(super) fn after(i: usize) -> (usize, usize) {
    ((i + 1) % 3, (i + 2) % 3)
}
