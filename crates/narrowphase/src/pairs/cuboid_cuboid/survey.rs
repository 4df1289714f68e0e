//! All fifteen axes at once, of one pair of boxes or of several side by side.

use super::axes::{Boxes, EDGES};
use crate::real::{Mask, Real};
use crate::{Relation, tolerance};

/// Overlaps of two boxes on their axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Survey<R> {
    /// The unit of all errors.
    pub(super) size: R,
    /// On the face axes, A's first.
    pub(super) faces: [R; EDGES],
    /// On the edge axes, times their lengths.
    pub(super) edges: [[R; 3]; 3],
}

/// The axis of largest signed separation.
pub(super) struct Found<R: Real> {
    /// Its number.
    pub(super) index: R,
    pub(super) separation: R,
    /// An edge axis is so short that [`Boxes::best`] must look at it by itself.
    pub(super) short: R::Mask,
}

/// Overlap on each edge axis, times its length.
#[inline(always)]
pub(super) fn overlaps_on_edges<R: Real>(boxes: &Boxes<R>) -> [[R; 3]; 3] {
    let mut overlaps = [[boxes.t[0]; 3]; 3];
    for (i, row) in overlaps.iter_mut().enumerate() {
        for (j, overlap) in row.iter_mut().enumerate() {
            let centre = boxes.project_on_edges(i, j, &boxes.t);
            *overlap = boxes.reach_on_edges(i, j) - centre.abs();
        }
    }
    overlaps
}

impl Survey<f64> {
    /// The relation where rounding cannot hide it.
    pub(super) fn relation(&self, boxes: &Boxes) -> Option<Relation> {
        if self.apart() {
            return Some(Relation::Apart);
        }
        self.deep(boxes).then_some(Relation::Penetrating)
    }
}

impl<R: Real> Survey<R> {
    #[inline(always)]
    pub(super) fn new(boxes: &Boxes<R>) -> Self {
        let (t, mut faces) = (&boxes.t, [boxes.t[0]; EDGES]);
        for k in 0..3 {
            let c = &boxes.r[k];
            let along_b = t[0] * c[0] + t[1] * c[1] + t[2] * c[2];
            faces[k] = boxes.reach_on_a(k) - t[k].abs();
            faces[3 + k] = boxes.reach_on_b(k) - along_b.abs();
        }
        Self { size: boxes.size(), faces, edges: overlaps_on_edges(boxes) }
    }

    #[inline(always)]
    fn error(&self) -> R {
        self.size.all(tolerance::AXIS_ERROR) * self.size
    }

    /// The least of some overlaps.
    #[inline(always)]
    fn least(overlaps: &[R]) -> R {
        let mut least = overlaps[0];
        for &overlap in &overlaps[1..] {
            least = overlap.least(least);
        }
        least
    }

    /// Where some axis surely parts the boxes; [`super::relation`] finds them apart then.
    #[inline(always)]
    pub(super) fn apart(&self) -> R::Mask {
        let least = Self::least(&self.faces).least(Self::least(self.edges.as_flattened()));
        least.below(-self.error())
    }

    /// Where they surely overlap on all axes; [`super::relation`] finds them penetrating then.
    #[inline(always)]
    pub(super) fn deep(&self, boxes: &Boxes<R>) -> R::Mask {
        let (error, least_face) = (self.error(), Self::least(&self.faces));
        let faces = least_face.above(error);
        let mut deep = faces & Self::least(self.edges.as_flattened()).above(error);
        if (faces & !deep).any() {
            // Near-parallel edges give an axis that is all rounding; the faces speak for it.
            let slack = self.size.all(tolerance::PARALLEL_SLACK) * self.size;
            let covered = least_face.above(slack);
            deep = faces;
            for (i, row) in self.edges.iter().enumerate() {
                for (j, overlap) in row.iter().enumerate() {
                    let squared = boxes.edge_length_squared(i, j);
                    let parallel = squared.at_most(squared.all(tolerance::PARALLEL_SQUARED));
                    deep = deep & (overlap.above(error) | (covered & parallel));
                }
            }
        }
        deep
    }

    /// The face axis of largest signed separation, its number first.
    #[inline(always)]
    pub(super) fn best_face(&self) -> (R, R) {
        let tie = self.size.all(tolerance::TIE) * self.size;
        let (mut index, mut separation) = (tie.all(0.0), tie.all(f64::NEG_INFINITY));
        for (k, overlap) in self.faces.iter().enumerate() {
            let here = -*overlap;
            let better = here.above(separation + tie);
            index = R::pick(better, tie.all(k as f64), index);
            separation = R::pick(better, here, separation);
        }
        (index, separation)
    }

    /// The axis of largest signed separation; ties as in [`Boxes::best`].
    #[inline(always)]
    pub(super) fn best(&self, boxes: &Boxes<R>, preference: f64) -> Found<R> {
        let tie = self.size.all(tolerance::TIE) * self.size;
        let zero = tie.all(0.0);
        let (mut index, mut separation) = self.best_face();
        let mut threshold = separation + tie.all(preference) * separation.abs();
        let mut short = zero.below(zero);
        for (i, row) in self.edges.iter().enumerate() {
            for (j, overlap) in row.iter().enumerate() {
                let squared = boxes.edge_length_squared(i, j);
                let parallel = squared.at_most(tie.all(tolerance::PARALLEL_SQUARED));
                short = short | (!parallel & squared.at_most(tie.all(tolerance::SHORT_SQUARED)));
                // Compares squares first: most edge axes lose, and a root costs more than all else.
                let here = -*overlap - tie;
                let (square, limit) = (here * here, threshold * threshold * squared);
                let inside = here.at_most(zero);
                let loses = (inside & limit.at_most(square))
                    | (threshold.above(zero) & (inside | square.at_most(limit)))
                    | parallel;
                if !(!loses).any() {
                    continue;
                }
                let length = squared.sqrt();
                let better = !loses & here.above(threshold * length);
                let number = (EDGES + 3 * i + j) as f64;
                index = R::pick(better, tie.all(number), index);
                separation = R::pick(better, (here + tie) / length, separation);
                threshold = R::pick(better, separation, threshold);
            }
        }
        Found { index, separation, short }
    }
}
