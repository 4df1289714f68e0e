//! The way out of two hulls through a face that f32 has found, proved in f64.

use impinge_shapes::convex::gjk::{self, Enough, Nearest, Support};
use impinge_shapes::glam::DVec3;
use impinge_shapes::simd::{Bits, SimdLevel};

use super::glance::{self, Corners, Exit, Glance, Near};
use super::{Cores, Gap, Proof, depth};
use crate::tolerance;

impl Cores<'_> {
    /// What a flat side tells, or f32 finds of two hulls; what is not known to be farther apart than
    /// the margin has its nearest corners.
    #[inline]
    pub(super) fn looked(&self, level: SimdLevel, margin: Option<f64>) -> Option<Glance> {
        if let Some(gap) = self.gap_at_side() {
            return Some(Glance::Told(gap));
        }
        glance::way_out(level, self.a, self.b, self.at, margin)
    }

    /// As [`Cores::nearest_until`], from the corners that are nearest in f32.
    pub(super) fn nearest_from(&self, near: &Near, enough: &Enough) -> Option<Nearest> {
        let points = self.corners(&near.corners)?;
        Some(gjk::nearest_from(|n| self.support(n), points, near.count, self.size, enough))
    }

    /// The way out through a face, if it is the plane that the difference reaches farthest along
    /// its normal; of all other planes f32 knows that they are farther out.
    pub(super) fn through(&self, exit: &Exit) -> Option<Gap> {
        let face = self.corners(&exit.face)?;
        let normal = depth::normal_of(face.map(|corner| corner.difference()))?;
        let support = self.farthest_of(exit, normal).unwrap_or_else(|| self.support(normal));
        let distance = -support.difference().dot(normal);
        let slack = tolerance::DEPTH_GAP * self.size;
        let heights = face.map(|corner| corner.difference().dot(normal));
        let lower = heights[0].min(heights[1]).min(heights[2]);
        if -distance - lower > slack {
            return None;
        }
        let leaves = normal * -distance;
        let beside = match &exit.beside {
            Some(beside) => Some(self.corners(beside)?),
            None => None,
        };
        // A face that is as near must be part of the same one.
        let is_level = |p: &Support| (p.difference() - leaves).dot(normal).abs() <= slack;
        if !beside.iter().flatten().all(is_level) {
            return None;
        }
        let mut faces = std::iter::once(face).chain(beside);
        let meeting = faces.find_map(|face| depth::meeting_in(face, leaves))?;
        let (at_least, at_most, point_a) = (distance, -lower.min(-distance), meeting.a);
        Some(Gap { distance, at_least, at_most, proof: Proof::Bounds, normal, point_a })
    }

    /// The support point along a normal, among the vertices that f32 leaves; `None` where the
    /// normal is too far from that in f32.
    pub(super) fn farthest_of(&self, exit: &Exit, normal: DVec3) -> Option<Support> {
        let turn = (normal - exit.normal.as_dvec3()).abs().element_sum();
        let is_near = turn <= tolerance::GLANCE_TURN;
        let (a, b) = glance::hulls(self.a, self.b).filter(|_| is_near)?;
        let [on_a, on_b] = exit.farthest;
        let on_b = b.farthest_among(Bits(on_b), self.at.vector_to_b(-normal));
        let a = a.farthest_among(Bits(on_a), normal);
        Some(Support { a, b: self.at.point_from_b(on_b) + self.moved })
    }

    /// The points of the difference between vertices of two hulls.
    fn corners(&self, face: &Corners) -> Option<[Support; 3]> {
        let (a, b) = glance::hulls(self.a, self.b)?;
        let corner = |[on_a, on_b]: [u8; 2]| {
            let (a, b) = (a.vertex(on_a.into())?, b.vertex(on_b.into())?);
            Some(Support { a, b: self.at.point_from_b(b) + self.moved })
        };
        let [p, q, r] = *face;
        Some([corner(p)?, corner(q)?, corner(r)?])
    }
}
