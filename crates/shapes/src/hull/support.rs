//! The farthest vertex along a direction.

use std::cmp::Ordering;

use fearless_simd::{Simd, f32x8, prelude::*};
use glam::{DVec3, Vec3};
use smallvec::SmallVec;

use super::{ConvexHull, to_u32};
use crate::exact::Exact;
use crate::filter::{Approx, Number, Vector};
use crate::simd::{Bits, SimdLevel};
use crate::{at_baseline, at_level, round, tolerance};

/// Vertices side by side, coordinate by coordinate.
pub(super) const LANES: usize = 8;

/// Most blocks that a scan goes through.
const MOST_BLOCKS: usize = tolerance::HULL_SCAN / LANES;

/// The blocks of a hull, beside its other numbers where there are few: each separate place in
/// memory is one more wait for a hull that is not in cache.
pub(super) type Blocks = SmallVec<[VertexLanes; 4]>;

/// Eight vertices of a hull, coordinate by coordinate; where there are fewer, the first one of the
/// hull fills the rest.
///
/// ```
/// use impinge_shapes::ConvexHull;
/// use glam::Vec3;
///
/// let pyramid = ConvexHull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?;
/// let [lanes] = pyramid.vertex_lanes() else { panic!("one block is enough") };
/// for (lane, vertex) in pyramid.vertices().iter().enumerate() {
///     assert_eq!([lanes.x[lane], lanes.y[lane], lanes.z[lane]], vertex.to_array());
/// }
/// # Ok::<(), impinge_shapes::ConvexHullError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexLanes {
    /// First coordinates.
    pub x: [f32; LANES],
    /// Second coordinates.
    pub y: [f32; LANES],
    /// Third coordinates.
    pub z: [f32; LANES],
}

impl VertexLanes {
    /// The vertices of a hull that a scan goes through; none of a larger one.
    pub(super) fn all(vertices: &[Vec3]) -> Blocks {
        if vertices.len() > tolerance::HULL_SCAN {
            return Blocks::new();
        }
        let block = |chunk: &[Vec3]| {
            let of = |axis: usize| {
                std::array::from_fn(|lane| chunk.get(lane).unwrap_or(&vertices[0])[axis])
            };
            Self { x: of(0), y: of(1), z: of(2) }
        };
        vertices.chunks(LANES).map(block).collect()
    }

    #[inline]
    fn vertex(&self, lane: usize) -> DVec3 {
        let lane = lane % LANES;
        DVec3::new(self.x[lane].into(), self.y[lane].into(), self.z[lane].into())
    }
}

/// Eight normals of a hull, coordinate by coordinate in units of [`tolerance::NORMAL_UNIT`]: half
/// as many lines of memory as f32 numbers take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NormalLanes {
    x: [i16; LANES],
    y: [i16; LANES],
    z: [i16; LANES],
}

impl NormalLanes {
    /// Most blocks of a hull.
    pub(super) const MOST: usize = MOST_BLOCKS;

    /// The normals of a hull that a scan goes through, of which the first fills the rest of a block.
    pub(super) fn all(normals: &[DVec3]) -> [Self; MOST_BLOCKS] {
        let mut blocks = [Self { x: [0; LANES], y: [0; LANES], z: [0; LANES] }; MOST_BLOCKS];
        let unit = f64::from(tolerance::NORMAL_UNIT);
        for (block, chunk) in blocks.iter_mut().zip(normals.chunks(LANES)) {
            for lane in 0..LANES {
                let normal = *chunk.get(lane).unwrap_or(&normals[0]) / unit;
                block.x[lane] = round::to_units(normal.x);
                block.y[lane] = round::to_units(normal.y);
                block.z[lane] = round::to_units(normal.z);
            }
        }
        blocks
    }

    /// How many blocks there are for so many normals.
    #[inline]
    pub(super) fn count(normals: usize) -> usize {
        normals.div_ceil(LANES).min(MOST_BLOCKS)
    }
}

/// Eight points side by side.
pub(super) trait Lanes {
    /// Their heights along a direction by f32 numbers.
    fn along<S: Simd>(&self, simd: S, direction: [f32; 3]) -> f32x8<S>;
}

impl Lanes for VertexLanes {
    #[inline(always)]
    fn along<S: Simd>(&self, simd: S, direction: [f32; 3]) -> f32x8<S> {
        // One by one: a closure in `map` stays out of line.
        let x = f32x8::from_slice(simd, &self.x);
        let y = f32x8::from_slice(simd, &self.y);
        let z = f32x8::from_slice(simd, &self.z);
        x * direction[0] + z * direction[2] + y * direction[1]
    }
}

impl Lanes for NormalLanes {
    /// In units of [`tolerance::NORMAL_UNIT`].
    #[inline(always)]
    fn along<S: Simd>(&self, simd: S, direction: [f32; 3]) -> f32x8<S> {
        let [mut x, mut y, mut z] = [[0.0; LANES]; 3];
        for lane in 0..LANES {
            x[lane] = f32::from(self.x[lane]);
            y[lane] = f32::from(self.y[lane]);
            z[lane] = f32::from(self.z[lane]);
        }
        let x = f32x8::from_slice(simd, &x);
        let y = f32x8::from_slice(simd, &y);
        let z = f32x8::from_slice(simd, &z);
        x * direction[0] + z * direction[2] + y * direction[1]
    }
}

/// The vertex in a place counted through all blocks.
#[inline]
fn vertex_of(blocks: &[VertexLanes], place: usize) -> DVec3 {
    blocks.get(place / LANES).map_or(DVec3::ZERO, |block| block.vertex(place))
}

/// The height of a vertex, in the order of its terms that every scan has.
#[inline]
fn height(vertex: DVec3, direction: DVec3) -> f64 {
    vertex.x * direction.x + vertex.z * direction.z + vertex.y * direction.y
}

/// Of at most `N` blocks, the places of the vertices among which the farthest one is, by f32
/// numbers, whose error is less than half of `slack`.
#[inline(always)]
fn near_farthest<S: Simd, const N: usize>(
    simd: S,
    blocks: &[impl Lanes],
    direction: [f32; 3],
    slack: f32,
) -> Bits {
    let mut all = [f32x8::splat(simd, f32::NEG_INFINITY); N];
    let mut most = all[0];
    for (heights, block) in all.iter_mut().zip(blocks) {
        *heights = block.along(simd, direction);
        most = most.max(*heights);
    }
    // As a tree, because one after the other each would wait for the one before.
    let (low, high) = most.split();
    let [p, q, r, s]: [f32; LANES / 2] = low.max(high).into();
    let larger = |one: f32, other: f32| if one > other { one } else { other };
    let farthest = larger(larger(p, q), larger(r, s));
    let least = f32x8::splat(simd, farthest - slack);
    let mut near = 0;
    for (k, heights) in all.iter().enumerate() {
        near |= heights.simd_ge(least).to_bitmask() << (k * LANES);
    }
    Bits(near)
}

fn vector<N: Number>(v: DVec3) -> Vector<N> {
    Vector(v.to_array().map(N::new))
}

/// A direction in f32 and twice the most by which heights of points within the extents are off;
/// `None` where f32 numbers underflow or overflow, and for what is no number.
#[inline]
fn narrowed(direction: DVec3, extents: Vec3) -> Option<([f32; 3], f32)> {
    let narrow = round::nearest_unbounded(direction);
    let size = narrow.abs().dot(extents);
    let slack = size * tolerance::HULL_SCAN_ERROR;
    (slack > tolerance::HULL_SCAN_LEAST && size < f32::MAX).then_some((narrow.to_array(), slack))
}

/// The same for rounded normals, in units of [`tolerance::NORMAL_UNIT`].
#[inline]
fn narrowed_to_normals(direction: DVec3) -> Option<([f32; 3], f32)> {
    let (narrow, slack) = narrowed(direction, Vec3::splat(1.0 / tolerance::NORMAL_UNIT))?;
    Some((narrow, slack * (1.0 + tolerance::NORMAL_SLACK)))
}

/// All places of some blocks.
#[inline]
fn everywhere(blocks: &[VertexLanes]) -> Bits {
    Bits(u64::MAX >> (64 - LANES * blocks.len().clamp(1, MOST_BLOCKS)))
}

/// Of at most `N` blocks of points within the extents, the places among which the first one is
/// that is farthest along a direction by rounded f64 numbers, and all that are lower by at most
/// `below`: the slack has room for the rounding of a sum.
#[inline]
fn among<const N: usize>(
    blocks: &[VertexLanes],
    direction: DVec3,
    extents: Vec3,
    below: f32,
) -> Bits {
    narrowed(direction, extents).map_or_else(
        || everywhere(blocks),
        |(narrow, slack)| {
            at_baseline!(simd => near_farthest::<_, N>(simd, blocks, narrow, slack + below))
        },
    )
}

/// The first of some directions that lies most along another.
#[inline]
fn first_most(directions: impl Iterator<Item = (usize, DVec3)>, along: DVec3) -> Option<u32> {
    let (mut best, mut most) = (None, f64::NEG_INFINITY);
    for (place, direction) in directions {
        let here = direction.dot(along);
        if here > most {
            (best, most) = (Some(to_u32(place)), here);
        }
    }
    best
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
        match self.blocks.len() {
            0 => self.position(self.climb(direction, self.sampled(direction))),
            1..=4 => self.scan_blocks::<4>(direction),
            _ => self.scan_blocks::<MOST_BLOCKS>(direction),
        }
    }

    /// The first of the vertices that are farthest by rounded f64 numbers, of at most `N` blocks.
    #[inline]
    fn scan_blocks<const N: usize>(&self, direction: DVec3) -> DVec3 {
        let near = among::<N>(&self.blocks, direction, self.extents, 0.0);
        let mut rest = near;
        let first = vertex_of(&self.blocks, rest.next().unwrap_or(0));
        if rest.0 == 0 {
            return first;
        }
        let (mut best, mut farthest) = (first, f64::NEG_INFINITY);
        for place in near {
            let vertex = vertex_of(&self.blocks, place);
            let height = height(vertex, direction);
            if height > farthest {
                (best, farthest) = (vertex, height);
            }
        }
        best
    }

    /// The vertex farthest along a direction as [`ConvexHull::support_nearly`] gives it, of a hull
    /// of at most 64, where it is known to be one of those in some places.
    ///
    /// ```
    /// use impinge_shapes::{ConvexHull, simd::Bits};
    /// use glam::{DVec3, Vec3};
    ///
    /// let hull = ConvexHull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?;
    /// let known = hull.farthest_among(Bits(0b1010), DVec3::X);
    /// assert_eq!(known, hull.support_nearly(DVec3::X));
    /// # Ok::<(), impinge_shapes::ConvexHullError>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn farthest_among(&self, places: Bits, direction: DVec3) -> DVec3 {
        let (mut best, mut farthest) = (DVec3::ZERO, f64::NEG_INFINITY);
        for place in places {
            let vertex = vertex_of(&self.blocks, place);
            let height = height(vertex, direction);
            if height > farthest {
                (best, farthest) = (vertex, height);
            }
        }
        best
    }

    /// The vertices side by side, in their order, eight to a block; none of a hull of more than 64.
    #[must_use]
    #[inline]
    pub fn vertex_lanes(&self) -> &[VertexLanes] {
        &self.blocks
    }

    /// A vertex by its index; `None` for an index that is not a vertex.
    ///
    /// - Cost: that of [`ConvexHull::vertices`], but beside what support points are found from.
    #[must_use]
    #[inline]
    pub fn vertex(&self, index: u32) -> Option<DVec3> {
        let place = index as usize;
        if place >= self.vertices.len() {
            return None;
        }
        let is_scanned = !self.blocks.is_empty();
        Some(if is_scanned { vertex_of(&self.blocks, place) } else { self.position(index) })
    }

    /// Calls back for each vertex whose height along `direction` is less than that of
    /// [`ConvexHull::support_nearly`] by at most `below`, in their order.
    ///
    /// - Error: heights are products rounded in f64.
    /// - Degenerate: none for a direction or a `below` that is no number.
    pub fn vertices_within(&self, direction: DVec3, below: f64, mut visit: impl FnMut(u32)) {
        if self.blocks.is_empty() {
            let least = self.support_nearly(direction).dot(direction) - below;
            for (place, vertex) in self.vertices.iter().enumerate() {
                if direction.dot(vertex.as_dvec3()) >= least {
                    visit(to_u32(place));
                }
            }
            return;
        }
        let near = self.candidates(direction, round::up(below));
        let least = self.farthest_among(near, direction).dot(direction) - below;
        for place in self.of_vertices(near) {
            if direction.dot(vertex_of(&self.blocks, place)) >= least {
                visit(to_u32(place));
            }
        }
    }

    /// Index of the face whose normal lies most along `direction`; `None` for a hull without any.
    ///
    /// - Error: that of the products in f64; the first one of equals.
    #[must_use]
    pub fn face_along(&self, direction: DVec3) -> Option<u32> {
        // A few are told sooner by their own numbers than by rounded ones and then by these.
        if self.compact.normal_blocks().is_empty() || self.normals.len() <= LANES {
            return first_most(
                (0..self.normals.len()).map(|face| (face, self.normals[face])),
                direction,
            );
        }
        let near = self.normals_along(direction);
        let mut rest = near;
        let first = rest.next().unwrap_or(0);
        if rest.0 == 0 && first < self.normals.len() {
            // Without a look at the normal itself, which lies elsewhere in memory.
            return Some(to_u32(first));
        }
        let faces = near.filter_map(|face| Some((face, *self.normals.get(face)?)));
        first_most(faces, direction)
    }

    /// [`ConvexHull::face_along`] where the lanes of the machine are at hand.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub fn face_along_in_lanes<S: Simd>(&self, simd: S, direction: DVec3) -> Option<u32> {
        if let (blocks @ [_], Some((narrow, slack))) =
            (self.compact.normal_blocks(), narrowed_to_normals(direction))
        {
            // The first one fills the rest of the block.
            let all = (1 << self.normals.len()) - 1;
            let mut near = Bits(near_farthest::<_, 1>(simd, blocks, narrow, slack).0 & all);
            if let (Some(face), 0) = (near.next(), near.0) {
                return Some(to_u32(face));
            }
        }
        self.face_along(direction)
    }

    /// The places in all blocks among which the normals are that lie most along a direction.
    #[inline]
    fn normals_along(&self, direction: DVec3) -> Bits {
        let blocks = self.compact.normal_blocks();
        let Some((narrow, slack)) = narrowed_to_normals(direction) else {
            return Bits(u64::MAX >> (64 - LANES * blocks.len().clamp(1, MOST_BLOCKS)));
        };
        // Without lanes of its own, making f32 numbers of the normals takes longer than the rest.
        at_level!(SimdLevel::detected(), simd => {
            near_farthest::<_, MOST_BLOCKS>(simd, blocks, narrow, slack)
        })
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

    /// As [`ConvexHull::support_vertex`], of a hull whose vertices are in blocks.
    fn scan(&self, direction: DVec3) -> u32 {
        let candidates = self.candidates(direction, 0.0);
        let mut rest = candidates;
        let first = rest.next().unwrap_or(0);
        if rest.0 == 0 {
            return to_u32(first);
        }
        let (mut best, mut farthest, mut second) = (0, f64::NEG_INFINITY, f64::NEG_INFINITY);
        for place in self.of_vertices(candidates) {
            let along = direction.dot(vertex_of(&self.blocks, place));
            second = second.max(farthest.min(along));
            if along > farthest {
                (best, farthest) = (place, along);
            }
        }
        // False for an infinite `near`, also where it makes a NaN.
        if second < farthest - self.near(direction) {
            return to_u32(best);
        }
        self.scan_equals(direction, farthest, candidates)
    }

    /// The places in all blocks among which the vertices are that are farthest, exactly, or lower by
    /// at most `below`.
    #[inline]
    fn candidates(&self, direction: DVec3, below: f32) -> Bits {
        if self.blocks.len() <= 4 {
            among::<4>(&self.blocks, direction, self.extents, below)
        } else {
            among::<MOST_BLOCKS>(&self.blocks, direction, self.extents, below)
        }
    }

    /// Without the places that only fill a block.
    #[inline]
    fn of_vertices(&self, places: Bits) -> impl Iterator<Item = usize> {
        let count = self.vertices.len();
        places.take_while(move |&place| place < count)
    }

    /// The farthest vertex of those that rounding does not tell from the farthest.
    #[cold]
    fn scan_equals(&self, direction: DVec3, farthest: f64, candidates: Bits) -> u32 {
        let (filtered, least) = (vector(direction), farthest - self.near(direction));
        let mut best = None;
        for place in self.of_vertices(candidates) {
            // Never for a NaN, so that after an overflow all are compared.
            if direction.dot(vertex_of(&self.blocks, place)) < least {
                continue;
            }
            let index = to_u32(place);
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
        self.extents.as_dvec3()
    }
}
