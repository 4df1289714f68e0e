//! What contacts of small hulls need of faces and vertices, beside the hull's other numbers.
//!
//! Each list of its own lies on a page of memory of its own, and where pages are many, finding one
//! takes longer than reading a line of it.

use std::mem::offset_of;
use std::slice;

use glam::DVec3;

use super::support::NormalLanes;
use super::{ConvexHull, Polygons};
use crate::tolerance;

/// Most corners of all faces together, which by Euler's formula are twice the edges, so that a byte
/// counts them.
const SIDES: usize = 4 * (tolerance::HULL_SCAN - 1);

/// Most vertices, and most faces.
const MOST: usize = tolerance::HULL_SCAN;

/// The normals, faces and neighbours of a hull of at most 64 vertices and 64 faces.
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Compact {
    pub(super) normals: [NormalLanes; NormalLanes::MOST],
    /// Faces; none for a larger hull.
    faces: u8,
    /// Vertices; none for a larger hull.
    vertices: u8,
    /// The corners of face `f` are `corners[corner_starts[f]..corner_starts[f + 1]]`.
    corner_starts: [u8; MOST + 1],
    /// The same of the neighbours of each vertex.
    neighbour_starts: [u8; MOST + 1],
    corners: [u8; SIDES],
    neighbours: [u8; SIDES],
}

impl Compact {
    /// Where the lists begin that the numbers before lead to.
    pub(super) const LISTS: usize = offset_of!(Self, corners);

    pub(super) fn new(
        normals: &[DVec3],
        faces: &Polygons,
        (neighbour_starts, neighbours): (&[u32], &[u32]),
    ) -> Self {
        let mut compact = Self {
            normals: NormalLanes::all(&[]),
            faces: 0,
            vertices: 0,
            corner_starts: [0; MOST + 1],
            neighbour_starts: [0; MOST + 1],
            corners: [0; SIDES],
            neighbours: [0; SIDES],
        };
        let copied = narrow(&faces.starts, &mut compact.corner_starts)
            .and(narrow(&faces.vertices, &mut compact.corners))
            .and(narrow(neighbour_starts, &mut compact.neighbour_starts))
            .and(narrow(neighbours, &mut compact.neighbours));
        let counts = (u8::try_from(normals.len()), u8::try_from(neighbour_starts.len() - 1));
        if let (Some(()), (Ok(faces), Ok(vertices))) = (copied, counts) {
            (compact.faces, compact.vertices) = (faces, vertices);
            compact.normals = NormalLanes::all(normals);
        }
        compact
    }

    /// Blocks of normals.
    #[inline]
    pub(super) fn normal_blocks(&self) -> &[NormalLanes] {
        &self.normals[..NormalLanes::count(self.faces.into())]
    }

    /// The corners of a face of a small hull.
    #[inline]
    pub(super) fn corners(&self, face: u32) -> Option<&[u8]> {
        let face = (face as usize) % MOST;
        if face >= self.faces.into() {
            return None;
        }
        part(&self.corners, self.corner_starts[face], self.corner_starts[face + 1])
    }

    /// The neighbours of a vertex of a small hull.
    #[inline]
    pub(super) fn neighbours(&self, vertex: u32) -> Option<&[u8]> {
        let vertex = (vertex as usize) % MOST;
        if vertex >= self.vertices.into() {
            return None;
        }
        part(&self.neighbours, self.neighbour_starts[vertex], self.neighbour_starts[vertex + 1])
    }
}

#[inline]
fn part(list: &[u8; SIDES], start: u8, end: u8) -> Option<&[u8]> {
    list.get(usize::from(start)..usize::from(end))
}

/// Numbers as bytes, if they are and there is room for them.
fn narrow(from: &[u32], to: &mut [u8]) -> Option<()> {
    let to = to.get_mut(..from.len())?;
    for (to, &from) in to.iter_mut().zip(from) {
        *to = u8::try_from(from).ok()?;
    }
    Some(())
}

/// The corners of a face: see [`ConvexHull::face_corners`].
///
/// ```
/// use impinge_shapes::{ConvexHull, FaceCorners};
/// use glam::Vec3;
///
/// let hull = ConvexHull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?;
/// let corners: FaceCorners<'_> = hull.face_corners(0);
/// assert_eq!(corners.count(), 3);
/// # Ok::<(), impinge_shapes::ConvexHullError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FaceCorners<'a> {
    /// Of a small hull.
    few: slice::Iter<'a, u8>,
    /// Of a larger one.
    many: slice::Iter<'a, u32>,
}

impl FaceCorners<'_> {
    /// Those of a small hull; none of a larger one.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.few.as_slice()
    }
}

impl Iterator for FaceCorners<'_> {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        if let Some(&corner) = self.few.next() {
            return Some(corner.into());
        }
        self.many.next().copied()
    }
}

impl ConvexHull {
    /// The corners of a face, in its order; none of an index that is no face.
    ///
    /// - Cost: as [`ConvexHull::face`] tells them, but of small hulls beside what support points are
    ///   found from.
    ///
    /// ```
    /// use impinge_shapes::ConvexHull;
    /// use glam::Vec3;
    ///
    /// let hull = ConvexHull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?;
    /// let corners: Vec<u32> = hull.face_corners(2).collect();
    /// assert_eq!(Some(&corners[..]), hull.face(2).map(|face| face.vertices));
    /// # Ok::<(), impinge_shapes::ConvexHullError>(())
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn face_corners(&self, face: u32) -> FaceCorners<'_> {
        let (mut few, mut many): (&[u8], &[u32]) = (&[], &[]);
        if (face as usize) < self.face_count() {
            if self.compact.faces > 0 {
                few = self.compact.corners(face).unwrap_or_default();
            } else if let Some(face) = self.face(face) {
                many = face.vertices;
            }
        }
        FaceCorners { few: few.iter(), many: many.iter() }
    }

    /// Calls back for each of [`ConvexHull::neighbours`], in their order.
    ///
    /// - Cost: of small hulls they are found beside what support points are found from.
    ///
    /// ```
    /// use impinge_shapes::ConvexHull;
    /// use glam::Vec3;
    ///
    /// let hull = ConvexHull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?;
    /// let mut found = Vec::new();
    /// hull.for_each_neighbour(1, |vertex| found.push(vertex));
    /// assert_eq!(found, hull.neighbours(1));
    /// # Ok::<(), impinge_shapes::ConvexHullError>(())
    /// ```
    #[inline(always)]
    pub fn for_each_neighbour(&self, vertex: u32, mut visit: impl FnMut(u32)) {
        if self.compact.vertices > 0 {
            if (vertex as usize) < self.vertices.len() {
                for &other in self.compact.neighbours(vertex).unwrap_or_default() {
                    visit(other.into());
                }
            }
        } else {
            self.neighbours(vertex).iter().for_each(|&other| visit(other));
        }
    }
}
