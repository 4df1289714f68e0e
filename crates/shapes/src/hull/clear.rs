//! What plain f64 arithmetic is sure of about rays and points.
//!
//! Most rays pass the edges of a hull at some distance, and then two short loops over its faces
//! settle which one they enter. What is not clear goes to the filtered predicates, which cost ten
//! times as much.

use glam::{DVec3, Vec3};

use super::ConvexHull;
use crate::{Pose, Ray, tolerance};

/// Sum of the magnitudes of the components.
#[inline]
pub(super) fn sum(v: DVec3) -> f64 {
    v.abs().element_sum()
}

/// What is certain about a ray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clear {
    /// The ray, however long, has no point in the hull.
    Miss,
    /// It starts inside; nothing is said about where it leaves.
    Inside,
    /// It starts outside and enters through this face, away from its edges.
    Enters(usize),
    /// It starts inside and leaves through this face, away from its edges.
    Leaves(usize),
    /// Nothing is certain.
    Nothing,
}

impl ConvexHull {
    /// Error of the heights above the faces of a point that is `arm` away from the hull's frame.
    pub(super) fn height_error(&self, arm: DVec3) -> f64 {
        (sum(arm) + self.extents().element_sum()) * tolerance::HULL_CLEAR
    }

    /// Whether the point is clearly inside or outside; `None` where it is not.
    pub(super) fn clearly_contains(&self, pose: &Pose, point: Vec3) -> Option<bool> {
        let arm = point.as_dvec3() - pose.translation();
        let (at, error) = (pose.rotation_matrix().transpose() * arm, self.height_error(arm));
        let mut highest = f64::NEG_INFINITY;
        for (normal, offset) in self.normals.iter().zip(&self.offsets) {
            let height = normal.dot(at) - offset;
            if height > error {
                return Some(false);
            }
            highest = highest.max(height);
        }
        (highest < -error && self.dimension == 3).then_some(true)
    }

    /// What is clear about a ray and a solid hull; where it leaves only if `leaves` asks for it.
    ///
    /// - Derivation: a height is off by [`tolerance::HULL_CLEAR`] of the sizes that enter it, and
    ///   grows by no more than the length of `d`. So the place where the ray crosses face `k` is
    ///   off by `error / |slope_k|`, and a height there by the two together.
    pub(super) fn clear(&self, pose: &Pose, ray: &Ray, leaves: bool) -> Clear {
        if self.dimension < 3 {
            return Clear::Nothing;
        }
        let (arm, direction) =
            (ray.origin().as_dvec3() - pose.translation(), ray.direction().as_dvec3());
        let rows = pose.rotation_matrix().transpose();
        let (at, step, error) = (rows * arm, rows * direction, self.height_error(arm));
        let step_error = sum(direction) * tolerance::HULL_CLEAR;
        let (mut outside, mut unclear) = (false, false);
        // The face entered last and the one left first, and where.
        let (mut entry, mut exit) = ((0, f64::NEG_INFINITY), (0, f64::INFINITY));
        for (face, (normal, offset)) in self.normals.iter().zip(&self.offsets).enumerate() {
            let (height, slope) = (normal.dot(at) - offset, normal.dot(step));
            let (is_above, place) = (height > error, -height / slope);
            if is_above && slope > step_error {
                return Clear::Miss;
            }
            outside |= is_above;
            unclear |= height >= -error && (!is_above || slope >= -step_error);
            let (arrival, departure) = if is_above {
                (place, f64::INFINITY)
            } else {
                (f64::NEG_INFINITY, if slope > step_error { place } else { f64::INFINITY })
            };
            if arrival > entry.1 {
                entry = (face, arrival);
            }
            if departure < exit.1 {
                exit = (face, departure);
            }
        }
        if unclear {
            return Clear::Nothing;
        }
        if !outside && !leaves {
            return Clear::Inside;
        }
        let (face, place) = if outside { entry } else { exit };
        let error = error + place * step_error;
        self.clear_crossing(face, place, (at, step), error, outside)
    }

    /// Whether the ray crosses a face with all others clearly not yet left, or clearly left.
    fn clear_crossing(
        &self,
        crossed: usize,
        place: f64,
        (at, step): (DVec3, DVec3),
        error: f64,
        enters: bool,
    ) -> Clear {
        let point = at + step * place;
        let margin = error + 2.0 * error / self.normals[crossed].dot(step).abs();
        let mut unclear = !margin.is_finite();
        for (face, (normal, offset)) in self.normals.iter().zip(&self.offsets).enumerate() {
            let height = normal.dot(point) - offset;
            if height < -margin || face == crossed {
                continue;
            }
            if enters && height > margin && normal.dot(step) > error / place {
                return Clear::Miss;
            }
            unclear = true;
        }
        match (unclear, enters) {
            (true, _) => Clear::Nothing,
            (false, true) => Clear::Enters(crossed),
            (false, false) => Clear::Leaves(crossed),
        }
    }
}
