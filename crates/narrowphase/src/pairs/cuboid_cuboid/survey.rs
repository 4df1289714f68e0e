//! All fifteen axes at once.

use super::axes::{Best, Boxes, EDGES};
use crate::{Relation, tolerance};

/// Overlaps of two boxes on their axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Survey {
    /// The unit of all errors.
    size: f64,
    /// On the face axes, A's first.
    faces: [f64; EDGES],
    /// On the edge axes, times their lengths.
    pub(super) edges: [[f64; 3]; 3],
}

/// Overlap on each edge axis, times its length.
#[inline]
pub(super) fn overlaps_on_edges(boxes: &Boxes) -> [[f64; 3]; 3] {
    let mut overlaps = [[0.0; 3]; 3];
    for (i, row) in overlaps.iter_mut().enumerate() {
        for (j, overlap) in row.iter_mut().enumerate() {
            *overlap = boxes.overlap_on_edges(i, j);
        }
    }
    overlaps
}

/// The least of some overlaps.
#[inline]
fn least(overlaps: &[f64]) -> f64 {
    overlaps.iter().copied().fold(f64::INFINITY, f64::min)
}

impl Survey {
    #[inline]
    pub(super) fn new(boxes: &Boxes) -> Self {
        let mut faces = [0.0; EDGES];
        for k in 0..3 {
            faces[k] = boxes.reach_on_a(k) - boxes.t[k].abs();
            faces[3 + k] = boxes.reach_on_b(k) - boxes.project(3 + k, &boxes.t).abs();
        }
        Self { size: boxes.size(), faces, edges: overlaps_on_edges(boxes) }
    }

    /// The relation where rounding cannot hide it; [`super::relation`] says the same then.
    pub(super) fn relation(&self, boxes: &Boxes) -> Option<Relation> {
        let error = tolerance::AXIS_ERROR * self.size;
        let (face, edge) = (least(&self.faces), least(self.edges.as_flattened()));
        if face.min(edge) < -error {
            return Some(Relation::Apart);
        }
        let deep = face > error && (edge > error || self.edges_deep(boxes, face, error));
        deep.then_some(Relation::Penetrating)
    }

    /// Whether each edge axis shows an overlap, or is all rounding because its edges are nearly
    /// parallel, where the faces speak for it.
    fn edges_deep(&self, boxes: &Boxes, least_face: f64, error: f64) -> bool {
        let covered = least_face > tolerance::PARALLEL_SLACK * self.size;
        self.edges.iter().enumerate().all(|(i, row)| {
            row.iter().enumerate().all(|(j, &overlap)| {
                let parallel = boxes.edge_length_squared(i, j) <= tolerance::PARALLEL_SQUARED;
                overlap > error || covered && parallel
            })
        })
    }

    /// The choice among the face axes.
    pub(super) fn best_face(&self) -> Choice {
        let mut choice = Choice::new(self.size);
        for (k, &overlap) in self.faces.iter().enumerate() {
            choice.face(k, overlap);
        }
        choice
    }

    /// The axis of largest signed separation, ties as in [`Boxes::best`]; `None` where some edge
    /// axis must be looked at by itself.
    pub(super) fn best(&self, boxes: &Boxes, preference: f64) -> Option<Best> {
        let mut choice = self.best_face();
        choice.prefer_faces(preference);
        for (i, row) in self.edges.iter().enumerate() {
            for (j, &overlap) in row.iter().enumerate() {
                let squared = boxes.edge_length_squared(i, j);
                if is_short(squared) {
                    return None;
                }
                choice.edge(EDGES + 3 * i + j, overlap, squared);
            }
        }
        Some(choice.best(boxes))
    }
}

/// Whether an edge axis of this squared length must be looked at by itself.
pub(super) fn is_short(squared: f64) -> bool {
    squared > tolerance::PARALLEL_SQUARED && squared <= tolerance::SHORT_SQUARED
}

/// The best of the axes shown to it so far: faces first, then edges, both by their numbers.
pub(super) struct Choice {
    tie: f64,
    index: usize,
    separation: f64,
    /// What an edge axis must exceed.
    threshold: f64,
}

impl Choice {
    /// No axis yet, of boxes of this size.
    #[inline]
    pub(super) fn new(size: f64) -> Self {
        let none = f64::NEG_INFINITY;
        Self { tie: tolerance::TIE * size, index: 0, separation: none, threshold: none }
    }

    #[inline]
    pub(super) fn face(&mut self, index: usize, overlap: f64) {
        let here = -overlap;
        if here > self.separation + self.tie {
            (self.index, self.separation) = (index, here);
        }
    }

    /// After the faces and before the edges: an edge must beat the best face by this share of its
    /// depth.
    #[inline]
    pub(super) fn prefer_faces(&mut self, preference: f64) {
        self.threshold = self.separation + preference * self.separation.abs();
    }

    /// `overlap` is times the axis' length, which `squared` is the square of.
    #[inline]
    pub(super) fn edge(&mut self, index: usize, overlap: f64, squared: f64) {
        if squared <= tolerance::PARALLEL_SQUARED {
            return;
        }
        // Compares squares first: most edge axes lose, and a root costs more than all else.
        let here = -overlap - self.tie;
        let (square, limit) = (here * here, self.threshold * self.threshold * squared);
        let inside = here <= 0.0;
        if inside && limit <= square || self.threshold > 0.0 && (inside || square <= limit) {
            return;
        }
        let length = squared.sqrt();
        if here > self.threshold * length {
            (self.index, self.separation) = (index, (here + self.tie) / length);
            self.threshold = self.separation;
        }
    }

    pub(super) fn best(&self, boxes: &Boxes) -> Best {
        let (index, separation) = (self.index, self.separation);
        Best { index, separation, normal: boxes.unit_axis(index) }
    }
}
