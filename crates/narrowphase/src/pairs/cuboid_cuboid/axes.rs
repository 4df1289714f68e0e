//! The fifteen axes of two boxes in f64.

use impinge_shapes::Cuboid;
use impinge_shapes::glam::{DMat3, DVec3};
use impinge_shapes::simd::Bits;

use super::survey::{Choice, Survey, is_short};
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

    /// Axis `index` with unit length, on the side on which B's centre lies; the positive side
    /// where it lies on neither.
    pub(super) fn unit_axis(&self, index: usize) -> DVec3 {
        let of_unit_length = |direction: DVec3| direction / direction.length();
        let unit = match index {
            0..3 => DVec3::AXES[index],
            3..EDGES => of_unit_length(DVec3::from_array(self.r[index - 3])),
            _ => {
                let (i, j) = edges(index);
                of_unit_length(DVec3::AXES[i].cross(DVec3::from_array(self.r[j])))
            }
        };
        if self.project(index, &self.t) < 0.0 { -unit } else { unit }
    }

    /// Sum of the two half lengths along a direction.
    pub(super) fn reach_along(&self, n: DVec3) -> f64 {
        let in_b = (self.rotation().transpose() * n).abs();
        n.abs().dot(DVec3::from_array(self.a)) + in_b.dot(DVec3::from_array(self.b))
    }

    /// The axis of largest signed separation; `survey` is of these boxes.
    ///
    /// - Ties: A's faces before B's before edges; an edge must beat the best face by more than
    ///   rounding and by the share `preference` of its depth.
    pub(super) fn best(&self, survey: &Survey, preference: f64) -> Best {
        survey
            .best(self, preference)
            .unwrap_or_else(|| self.best_with_short_edges(survey, preference))
    }

    /// [`Boxes::best`] where only the axes whose bits are set in `candidates` can be it, and where
    /// no edge axis is short unless `slanted`.
    pub(super) fn best_of(&self, candidates: u64, slanted: bool, preference: f64) -> Best {
        if slanted && self.has_short_edges() {
            return self.best_with_short_edges(&Survey::new(self), preference);
        }
        let mut choice = Choice::new(self.size());
        for k in Bits(candidates & 0b111) {
            choice.face(k, self.reach_on_a(k) - self.t[k].abs());
        }
        for k in Bits(candidates >> 3 & 0b111) {
            choice.face(3 + k, self.reach_on_b(k) - self.project(3 + k, &self.t).abs());
        }
        choice.prefer_faces(preference);
        for k in Bits(candidates >> EDGES) {
            let (i, j) = edges(EDGES + k);
            choice.edge(EDGES + k, self.overlap_on_edges(i, j), self.edge_length_squared(i, j));
        }
        choice.best(self)
    }

    /// Whether some edge axis must be looked at by itself.
    pub(super) fn has_short_edges(&self) -> bool {
        (EDGES..COUNT).any(|k| is_short(self.edge_length_squared(edges(k).0, edges(k).1)))
    }

    /// [`Boxes::best`] where edge axes are short, which are made unit vectors first.
    #[cold]
    fn best_with_short_edges(&self, survey: &Survey, preference: f64) -> Best {
        let tie = tolerance::TIE * self.size();
        let mut best = survey.best_face().best(self);
        let mut threshold = best.separation + preference * best.separation.abs();
        for k in EDGES..COUNT {
            let (i, j) = edges(k);
            let squared = self.edge_length_squared(i, j);
            if squared <= tolerance::PARALLEL_SQUARED {
                continue;
            }
            let normal = self.unit_axis(k);
            let (here, found) = if squared <= tolerance::SHORT_SQUARED {
                // Dividing a short axis' overlap by its length would blow up its rounding.
                let here = normal.dot(self.centre()).abs() - self.reach_along(normal);
                (here - tie, here)
            } else {
                let length = squared.sqrt();
                let here = -survey.edges[i][j] - tie;
                (here / length, (here + tie) / length)
            };
            if here > threshold {
                (best, threshold) = (Best { index: k, separation: found, normal }, found);
            }
        }
        best
    }

    /// Sum of the centres' distance, axis by axis, and all half extents: the unit of all errors.
    #[inline(always)]
    pub(super) fn size(&self) -> f64 {
        let (a, b, t) = (&self.a, &self.b, &self.t);
        (t[0].abs() + t[1].abs() + t[2].abs()) + (a[0] + a[1] + a[2]) + (b[0] + b[1] + b[2])
    }

    /// Sum of the two half lengths on face axis `i` of A.
    #[inline(always)]
    pub(super) fn reach_on_a(&self, i: usize) -> f64 {
        let r = &self.r;
        self.a[i]
            + (self.b[0] * r[0][i].abs() + self.b[1] * r[1][i].abs() + self.b[2] * r[2][i].abs())
    }

    /// Sum of the two half lengths on face axis `j` of B.
    #[inline(always)]
    pub(super) fn reach_on_b(&self, j: usize) -> f64 {
        let c = &self.r[j];
        self.b[j] + (self.a[0] * c[0].abs() + self.a[1] * c[1].abs() + self.a[2] * c[2].abs())
    }

    /// Sum of the two half lengths on edge axis `(i, j)`, times the axis' length.
    #[inline(always)]
    pub(super) fn reach_on_edges(&self, i: usize, j: usize) -> f64 {
        let (m, n) = after(i);
        let (k, l) = after(j);
        let r = &self.r;
        (self.a[m] * r[j][n].abs() + self.a[n] * r[j][m].abs())
            + (self.b[k] * r[l][i].abs() + self.b[l] * r[k][i].abs())
    }

    /// Overlap on edge axis `(i, j)`, times the axis' length.
    #[inline(always)]
    pub(super) fn overlap_on_edges(&self, i: usize, j: usize) -> f64 {
        self.reach_on_edges(i, j) - self.project_on_edges(i, j, &self.t).abs()
    }

    /// Squared length of edge axis `(i, j)`.
    #[inline(always)]
    pub(super) fn edge_length_squared(&self, i: usize, j: usize) -> f64 {
        let (m, n) = after(i);
        self.r[j][m] * self.r[j][m] + self.r[j][n] * self.r[j][n]
    }

    /// Projection of `v` on edge axis `(i, j)`, times the axis' length.
    #[inline(always)]
    pub(super) fn project_on_edges(&self, i: usize, j: usize, v: &[f64; 3]) -> f64 {
        let (m, n) = after(i);
        v[n] * self.r[j][m] - v[m] * self.r[j][n]
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
