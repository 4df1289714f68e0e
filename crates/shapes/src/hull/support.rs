//! The farthest vertex along a direction.

use std::cmp::Ordering;

use glam::{DVec3, Vec3};

use super::{ConvexHull, to_u32};
use crate::exact::Exact;
use crate::filter::{Approx, Number, Vector};
use crate::tolerance;

/// Vertices side by side, coordinate by coordinate.
const LANES: usize = 8;

/// Eight vertices of a hull; where there are fewer, the first one fills the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Block {
    x: [f32; LANES],
    y: [f32; LANES],
    z: [f32; LANES],
}

impl Block {
    /// The vertices of a hull that a scan goes through; none of a larger one.
    pub(super) fn all(vertices: &[Vec3]) -> Box<[Self]> {
        if vertices.len() > tolerance::HULL_SCAN {
            return Box::new([]);
        }
        let block = |chunk: &[Vec3]| {
            let of = |axis: usize| {
                std::array::from_fn(|lane| chunk.get(lane).unwrap_or(&vertices[0])[axis])
            };
            Self { x: of(0), y: of(1), z: of(2) }
        };
        vertices.chunks(LANES).map(block).collect()
    }

    /// Heights along a direction. Plain loops over one axis each: `map` may stay out of line, and
    /// with x and y next to each other the compiler takes them for two lanes.
    #[inline(always)]
    fn along(&self, direction: DVec3) -> [f64; LANES] {
        let mut heights = [0.0; LANES];
        for (height, &x) in heights.iter_mut().zip(&self.x) {
            *height = f64::from(x) * direction.x;
        }
        for (height, &z) in heights.iter_mut().zip(&self.z) {
            *height += f64::from(z) * direction.z;
        }
        for (height, &y) in heights.iter_mut().zip(&self.y) {
            *height += f64::from(y) * direction.y;
        }
        heights
    }
}

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

    /// A vertex that is farthest along `direction` up to rounding, found sooner than the exact one.
    ///
    /// - Error: no vertex is farther by more than 2^-50 of the product of the magnitudes.
    /// - Ties: the first one by rounded numbers in a small hull, any in a large one.
    #[must_use]
    #[inline]
    pub fn support_nearly(&self, direction: DVec3) -> DVec3 {
        self.position(if self.blocks.is_empty() {
            self.climb(direction, self.sampled(direction))
        } else if self.blocks.len() <= 4 {
            self.scan_blocks::<4>(direction)
        } else {
            self.scan_blocks::<{ tolerance::HULL_SCAN / LANES }>(direction)
        })
    }

    /// The first of the vertices that are farthest by rounded numbers, of at most `N` blocks.
    #[inline]
    fn scan_blocks<const N: usize>(&self, direction: DVec3) -> u32 {
        let mut all = [[f64::NEG_INFINITY; LANES]; N];
        let mut most = [f64::NEG_INFINITY; LANES];
        for (heights, block) in all.iter_mut().zip(&self.blocks) {
            *heights = block.along(direction);
            for (most, &height) in most.iter_mut().zip(&*heights) {
                *most = if height > *most { height } else { *most };
            }
        }
        let farthest = most.iter().fold(f64::NEG_INFINITY, |far, &x| if x > far { x } else { far });
        let first = all.as_flattened().iter().position(|&height| height >= farthest);
        // Where a number is none, every vertex is as good.
        first.filter(|&first| first < self.vertices.len()).map_or(0, to_u32)
    }

    /// The best of some vertices from all over the hull, a start not far from the end.
    fn sampled(&self, direction: DVec3) -> u32 {
        let count = self.vertices.len();
        let (mut start, mut farthest) = (0, f64::NEG_INFINITY);
        for index in (0..count).step_by(count / tolerance::HULL_SCAN + 1) {
            let along = direction.dot(self.vertices[index].as_dvec3());
            if along > farthest {
                (start, farthest) = (index, along);
            }
        }
        to_u32(start)
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
        self.support_vertex_from(direction, self.sampled(direction))
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
    pub(crate) fn extents(&self) -> DVec3 {
        self.min.abs().max(self.max.abs()).as_dvec3()
    }
}
