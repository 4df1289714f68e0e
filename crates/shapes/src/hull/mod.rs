//! The convex hull of points.

use glam::{DVec3, Vec3};
use thiserror::Error;

mod bounds;
mod build;
mod clear;
mod compact;
mod eight;
mod extent;
mod mass;
mod merge;
mod planar;
pub(crate) mod predicates;
mod prefetch;
mod quick;
mod rays;
mod support;
#[cfg(test)]
mod tests;
mod topology;
mod walk;

pub use compact::FaceCorners;
pub use prefetch::HullPart;
pub use support::VertexLanes;

/// No index.
const NONE: u32 = u32::MAX;

/// A count that [`ConvexHull::MAX_POINTS`] keeps in the range of u32.
fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(NONE)
}

/// Exactly the convex hull of some points, in the shape's frame.
///
/// The points may be one, in line, or in a plane; the hull is then a point, a segment, or a
/// polygon with two opposite faces. Whatever the order of the points, and however often they
/// occur, vertices, faces and edges come out the same.
///
/// ```
/// use impinge_shapes::ConvexHull;
/// use glam::Vec3;
///
/// // A pyramid; the middle of its base is no corner.
/// let base = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0), Vec3::new(0.5, 0.5, 0.0)];
/// let pyramid = ConvexHull::new(&[&base[..], &[Vec3::Z]].concat())?;
/// assert_eq!((pyramid.vertices().len(), pyramid.faces().len(), pyramid.edges().len()), (5, 5, 8));
/// let down = pyramid.faces().find(|face| face.normal == -Vec3::Z.as_dvec3()).unwrap();
/// assert_eq!(down.vertices.len(), 4);
/// assert!(ConvexHull::new(&[]).is_err());
/// # Ok::<(), impinge_shapes::ConvexHullError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct ConvexHull {
    // In this order, so that what most tests read lies in a few lines of memory side by side.
    /// The vertices again, side by side, unless there are many.
    blocks: support::Blocks,
    /// Largest coordinates by magnitude.
    extents: Vec3,
    center: DVec3,
    min: Vec3,
    max: Vec3,
    vertices: Box<[Vec3]>,
    normals: Box<[DVec3]>,
    edges: Box<[HullEdge]>,
    /// What contacts need of all these lists of a small hull.
    compact: compact::Compact,
    /// The neighbours of vertex `v` are `neighbours[neighbour_starts[v]..neighbour_starts[v + 1]]`.
    neighbour_starts: Box<[u32]>,
    neighbours: Box<[u32]>,
    faces: Polygons,
    /// The edge of each side of each face, beside `faces.vertices`.
    face_edges: Box<[u32]>,
    /// Height of each face above the frame's origin along its normal.
    offsets: Box<[f64]>,
    dimension: u8,
}

/// An edge of a [`ConvexHull`].
///
/// ```
/// use impinge_shapes::ConvexHull;
/// use glam::Vec3;
///
/// let corner = |i: u8| Vec3::new(f32::from(i & 1), f32::from(i >> 1 & 1), f32::from(i >> 2));
/// let cube = ConvexHull::new(&(0..8).map(corner).collect::<Vec<_>>())?;
/// for edge in cube.edges() {
///     let [start, end] = edge.vertices.map(|at| cube.vertices()[at as usize]);
///     assert_eq!((start - end).length(), 1.0); // and none across a face
///     assert!(edge.vertices[0] < edge.vertices[1] && edge.faces.is_some());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HullEdge {
    /// Indices of the ends, ascending.
    pub vertices: [u32; 2],
    /// Indices of the two faces: first the one that has the edge in the order of `vertices`, to
    /// whose left it lies seen from outside. `None` for a hull that is a segment.
    pub faces: Option<[u32; 2]>,
}

/// A face of a [`ConvexHull`].
///
/// ```
/// use impinge_shapes::ConvexHull;
/// use glam::{DVec3, Vec3};
///
/// let corner = |i: u8| Vec3::new(f32::from(i & 1), f32::from(i >> 1 & 1), f32::from(i >> 2));
/// let cube = ConvexHull::new(&(0..8).map(corner).collect::<Vec<_>>())?;
/// let top = cube.faces().find(|face| face.normal == DVec3::Y).unwrap();
/// assert_eq!((top.vertices.len(), top.edges.len()), (4, 4));
/// assert!(top.vertices.iter().all(|&at| cube.vertices()[at as usize].y == 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HullFace<'a> {
    /// Indices of the corners, counter-clockwise seen from outside, from the lowest on; no three
    /// are in line.
    pub vertices: &'a [u32],
    /// Indices of the edges, each from the corner of the same place to the next.
    pub edges: &'a [u32],
    /// Outward unit normal, each component within 2^-46 of the exact one; zero where that is.
    pub normal: DVec3,
}

/// Why a [`ConvexHull`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum ConvexHullError {
    /// There are no points.
    #[error("points: must not be empty")]
    Empty,
    /// A point has a component that is NaN or infinite.
    #[error("points[{index}]: must be finite, got {value}")]
    NotFinite {
        /// Index of the first such point.
        index: usize,
        /// The component.
        value: f32,
    },
    /// There are more points than [`ConvexHull::MAX_POINTS`].
    #[error("points: must be at most {max}, got {0}", max = ConvexHull::MAX_POINTS)]
    TooMany(usize),
}

/// Polygons in two flat arrays.
#[derive(Clone, Debug, PartialEq)]
struct Polygons {
    /// Polygon `i` is `vertices[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    vertices: Vec<u32>,
}

impl Default for Polygons {
    fn default() -> Self {
        Self { starts: vec![0], vertices: Vec::new() }
    }
}

impl Polygons {
    fn push(&mut self, polygon: impl Iterator<Item = u32>) {
        self.vertices.extend(polygon);
        self.starts.push(to_u32(self.vertices.len()));
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn range(&self, index: usize) -> std::ops::Range<usize> {
        self.starts[index] as usize..self.starts[index + 1] as usize
    }

    fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|index| &self.vertices[self.range(index)])
    }
}

impl ConvexHull {
    /// Most points that a hull is made of: its faces have up to six times as many corners, which
    /// a u32 counts.
    pub const MAX_POINTS: usize = (1 << 29) - 1;

    /// The hull of the points.
    ///
    /// - Cost: about `n log n` for `n` points spread evenly over a surface or a solid.
    /// - Degenerate: `-0.0` counts as `0.0`. One point, points in line and points in one plane
    ///   are all valid; which they are is decided exactly.
    /// - Source: Barber, Dobkin and Huhdanpaa, *The Quickhull Algorithm for Convex Hulls* (1996),
    ///   with the exact orientations of Shewchuk, *Adaptive Precision Floating-Point Arithmetic*
    ///   (1997), in place of its thick facets.
    ///
    /// # Errors
    /// No points, a point that is not finite, or more than [`ConvexHull::MAX_POINTS`].
    pub fn new(points: &[Vec3]) -> Result<Self, ConvexHullError> {
        if points.is_empty() {
            return Err(ConvexHullError::Empty);
        }
        if points.len() > Self::MAX_POINTS {
            return Err(ConvexHullError::TooMany(points.len()));
        }
        for (index, point) in points.iter().enumerate() {
            if let Some(value) = crate::pose::first_not_finite(&point.to_array()) {
                return Err(ConvexHullError::NotFinite { index, value });
            }
        }
        let points = build::weld(points);
        Ok(topology::assemble(&points, &build::build(&points)))
    }

    /// The hull's corners in lexicographic order; none lies in the hull of the others.
    #[must_use]
    #[inline]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The faces, sorted by their vertices: no two in one plane, but for the two of a polygon. A
    /// point and a segment have none.
    pub fn faces(&self) -> impl ExactSizeIterator<Item = HullFace<'_>> {
        (0..self.face_count()).map(|index| self.at(index))
    }

    /// Number of faces.
    #[must_use]
    #[inline]
    pub fn face_count(&self) -> usize {
        self.faces.len()
    }

    /// The outward normals of the faces, in their order; see [`HullFace::normal`].
    #[must_use]
    #[inline]
    pub fn normals(&self) -> &[DVec3] {
        &self.normals
    }

    /// How far each face is from the frame's origin along its normal, in their order.
    ///
    /// - Error: 2^-45 of the sum of the absolute coordinates of the face's first vertex.
    #[must_use]
    #[inline]
    pub fn heights(&self) -> &[f64] {
        &self.offsets
    }

    /// A face by its index; `None` from [`ConvexHull::face_count`] on.
    #[must_use]
    #[inline]
    pub fn face(&self, index: u32) -> Option<HullFace<'_>> {
        ((index as usize) < self.face_count()).then(|| self.at(index as usize))
    }

    #[inline]
    fn at(&self, index: usize) -> HullFace<'_> {
        let range = self.faces.range(index);
        HullFace {
            vertices: &self.faces.vertices[range.clone()],
            edges: &self.face_edges[range],
            normal: self.normals[index],
        }
    }

    /// The edges, sorted by their vertices.
    #[must_use]
    #[inline]
    pub fn edges(&self) -> &[HullEdge] {
        &self.edges
    }

    /// The vertices at the other ends of a vertex's edges, ascending; none for an index that is
    /// not a vertex.
    #[must_use]
    #[inline]
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        let Some(&[start, end, ..]) = self.neighbour_starts.get(vertex as usize..) else {
            return &[];
        };
        &self.neighbours[start as usize..end as usize]
    }

    /// The mean of the vertices: inside the hull, up to its rounding.
    #[must_use]
    #[inline]
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// 0 for a point, 1 for a segment, 2 for a polygon, 3 for a solid.
    #[must_use]
    #[inline]
    pub fn dimension(&self) -> u8 {
        self.dimension
    }
}
