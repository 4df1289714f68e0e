//! The farthest vertex along a direction.

use std::cmp::Ordering;

use glam::DVec3;

use super::{ConvexHull, to_u32};
use crate::exact::Exact;
use crate::filter::{Approx, Number, Vector};
use crate::tolerance;

fn vector<N: Number>(v: DVec3) -> Vector<N> {
    Vector(v.to_array().map(N::new))
}

impl ConvexHull {
    /// See [`Shape::support`](crate::Shape::support).
    #[must_use]
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        self.position(self.support_vertex(direction))
    }

    /// Index of the vertex farthest along `direction`. Exact.
    ///
    /// - Ties: the lowest index.
    /// - Degenerate: components that are NaN or infinite count as zero.
    /// - Cost: linear for up to 64 vertices, about the square root of their number beyond.
    #[must_use]
    pub fn support_vertex(&self, direction: DVec3) -> u32 {
        let count = self.vertices.len();
        if count <= tolerance::HULL_SCAN {
            return self.scan(direction);
        }
        // The best of some vertices from all over the hull is a start not far from the end.
        let (mut start, mut farthest) = (0, f64::NEG_INFINITY);
        for index in (0..count).step_by(count / tolerance::HULL_SCAN + 1) {
            let along = direction.dot(self.vertices[index].as_dvec3());
            if along > farthest {
                (start, farthest) = (index, along);
            }
        }
        self.support_vertex_from(direction, to_u32(start))
    }

    /// As [`ConvexHull::support_vertex`], with the same result, searched from the vertex `start`
    /// on, which pays where the result is known to be near; a `start` that is no vertex is 0.
    ///
    /// - Source: Ericson, *Real-Time Collision Detection* (2005), §9.5.4, on hill climbing.
    #[must_use]
    pub fn support_vertex_from(&self, direction: DVec3, start: u32) -> u32 {
        let start = if (start as usize) < self.vertices.len() { start } else { 0 };
        let (filtered, near) = (vector(direction), self.near(direction));
        // Rounded numbers go most of the way. From there on every step is exact, so that none
        // can lead back.
        let mut best = self.climb(direction, start);
        // Vertices are in lexicographic order, so to prefer the lower index among equals is to
        // tilt the direction by an infinitesimal amount; for the tilted one no two vertices are
        // equal, and a vertex above its neighbours is above all.
        loop {
            let least = direction.dot(self.position(best)) - near;
            let mut next = best;
            for &other in self.neighbours(best) {
                let is_lower = direction.dot(self.position(other)) < least;
                if !is_lower && self.is_beyond(&filtered, direction, other, next) {
                    next = other;
                }
            }
            if next == best {
                return best;
            }
            best = next;
        }
    }

    /// A vertex that no neighbour exceeds, by rounded numbers.
    fn climb(&self, direction: DVec3, start: u32) -> u32 {
        let (mut best, mut farthest) = (start, direction.dot(self.position(start)));
        loop {
            let from = best;
            for &other in self.neighbours(from) {
                let along = direction.dot(self.position(other));
                if along > farthest {
                    (best, farthest) = (other, along);
                }
            }
            if best == from {
                return best;
            }
        }
    }

    /// How close to one another two rounded products with the direction may be without telling
    /// which vertex is farther.
    fn near(&self, direction: DVec3) -> f64 {
        let size = direction.abs().dot(self.extents());
        // The least normal number covers products that underflow. After an overflow, and for a
        // direction that is not finite, nothing tells.
        let error = size * tolerance::HULL_FILTER + f64::MIN_POSITIVE;
        if size.is_finite() { 2.0 * error } else { f64::INFINITY }
    }

    fn scan(&self, direction: DVec3) -> u32 {
        let (mut best, mut farthest, mut second) = (0, f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (index, vertex) in self.vertices.iter().enumerate() {
            let along = direction.dot(vertex.as_dvec3());
            second = second.max(farthest.min(along));
            if along > farthest {
                (best, farthest) = (index, along);
            }
        }
        // False for an infinite `near`, also where it makes a NaN.
        if second < farthest - self.near(direction) {
            return to_u32(best);
        }
        self.scan_equals(direction, farthest)
    }

    /// The farthest vertex of those that rounding does not tell from the farthest.
    #[cold]
    fn scan_equals(&self, direction: DVec3, farthest: f64) -> u32 {
        let (filtered, least) = (vector(direction), farthest - self.near(direction));
        let mut best = None;
        for (index, vertex) in self.vertices.iter().enumerate() {
            // Never for a NaN, so that after an overflow all are compared.
            if direction.dot(vertex.as_dvec3()) < least {
                continue;
            }
            let index = to_u32(index);
            best = match best {
                Some(best) if !self.is_beyond(&filtered, direction, index, best) => Some(best),
                _ => Some(index),
            };
        }
        best.unwrap_or(0)
    }

    /// Whether vertex `a` is farther along the direction than `b`, or as far and before it.
    #[inline]
    fn is_beyond(&self, along: &Vector<Approx>, direction: DVec3, a: u32, b: u32) -> bool {
        let (from, to) = (self.vertices[b as usize], self.vertices[a as usize]);
        let sign = along
            .dot(&Vector::between(from, to))
            .known_sign()
            .unwrap_or_else(|| vector::<Exact>(direction).dot(&Vector::between(from, to)).sign());
        sign == Ordering::Greater || sign == Ordering::Equal && a < b
    }

    /// A vertex in f64.
    #[inline]
    pub(super) fn position(&self, vertex: u32) -> DVec3 {
        self.vertices[vertex as usize].as_dvec3()
    }

    /// Largest coordinates by magnitude.
    #[inline]
    pub(super) fn extents(&self) -> DVec3 {
        self.min.abs().max(self.max.abs()).as_dvec3()
    }
}
