//! The face through which a ray enters a hull of many faces, found by walking over the hull.
//!
//! A ray that passes the plane of a face above a neighbour of the face meets that neighbour's plane
//! later; the face whose plane it passes below all neighbours is the one that it enters.

use glam::DVec3;

use super::ConvexHull;
use super::clear::{Clear, sum};
use crate::{Pose, Ray, tolerance};

/// A ray in the hull's frame, with what its heights above faces may be off.
struct Walker<'a> {
    hull: &'a ConvexHull,
    at: DVec3,
    step: DVec3,
    /// Error of a height of the origin, and of a slope.
    error: f64,
    step_error: f64,
}

/// A face that looks against the ray, whose origin lies clearly above it.
#[derive(Clone, Copy)]
struct Facing {
    face: usize,
    /// Where the ray passes its plane.
    place: f64,
}

impl ConvexHull {
    /// What is clear about a ray from outside, without looking at every face; `Nothing` where a
    /// look at all of them may tell more.
    ///
    /// - Derivation: a face is what its neighbours leave of its plane, so that to be clearly below
    ///   all of them is to be clearly inside of the face. Errors are those of [`Self::clear`].
    /// - Cost: about the square root of the number of faces.
    pub(super) fn walk(&self, pose: &Pose, ray: &Ray) -> Clear {
        let arm = ray.origin().as_dvec3() - pose.translation();
        let rows = pose.rotation_matrix().transpose();
        let direction = ray.direction().as_dvec3();
        let walker = Walker {
            hull: self,
            at: rows * arm,
            step: rows * direction,
            error: self.height_error(arm),
            step_error: sum(direction) * tolerance::HULL_CLEAR,
        };
        walker.walk()
    }
}

impl Walker<'_> {
    /// Height of the origin above a face, and how it grows along the ray.
    fn height(&self, face: usize) -> (f64, f64) {
        let (normal, offset) = (self.hull.normals[face], self.hull.offsets[face]);
        (normal.dot(self.at) - offset, normal.dot(self.step))
    }

    /// The face as one to enter by, unless that is not clear.
    fn facing(&self, face: usize) -> Option<Facing> {
        let (height, slope) = self.height(face);
        let is_clear = height > self.error && slope < -self.step_error;
        is_clear.then(|| Facing { face, place: -height / slope })
    }

    fn walk(&self) -> Clear {
        let count = self.hull.face_count();
        // Of some faces from all over the hull the one passed last is not far from the end.
        let mut best: Option<Facing> = None;
        for face in (0..count).step_by(count / tolerance::HULL_SCAN + 1) {
            let (height, slope) = self.height(face);
            if height > self.error && slope > self.step_error {
                return Clear::Miss;
            }
            if let Some(facing) = self.facing(face)
                && best.is_none_or(|best| facing.place > best.place)
            {
                best = Some(facing);
            }
        }
        let Some(mut here) = best else { return Clear::Nothing };
        // Each step goes on along the ray, so that none leads back.
        for _ in 0..count {
            match self.beyond(here) {
                Ok(clear) => return clear,
                Err(next) if next.place > here.place => here = next,
                Err(_) => return Clear::Nothing,
            }
        }
        Clear::Nothing
    }

    /// What is clear at the place where the ray passes a face, or the neighbour to go on to.
    fn beyond(&self, here: Facing) -> Result<Clear, Facing> {
        let hull = self.hull;
        let error = self.error + here.place * self.step_error;
        let point = self.at + self.step * here.place;
        let margin = error + 2.0 * error / hull.normals[here.face].dot(self.step).abs();
        if !margin.is_finite() {
            return Ok(Clear::Nothing);
        }
        let (mut highest, mut above) = (-margin, None);
        for &edge in &hull.face_edges[hull.faces.range(here.face)] {
            let Some([one, other]) = hull.edges[edge as usize].faces else {
                return Ok(Clear::Nothing);
            };
            let next = if one as usize == here.face { other } else { one } as usize;
            let height = hull.normals[next].dot(point) - hull.offsets[next];
            if height >= highest {
                (highest, above) = (height, Some(next));
            }
        }
        let Some(next) = above else { return Ok(Clear::Enters(here.face)) };
        if highest <= margin {
            return Ok(Clear::Nothing);
        }
        // Before this place the ray is above this face, after it above the next.
        if hull.normals[next].dot(self.step) > error / here.place {
            return Ok(Clear::Miss);
        }
        self.facing(next).ok_or(Clear::Nothing).map_or_else(Ok, Err)
    }
}
