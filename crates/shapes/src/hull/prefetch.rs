//! Hulls fetched into the cache ahead of use.

use std::mem::{offset_of, size_of};
use std::slice::from_ref;

use prefetch_index::prefetch_index;

use super::ConvexHull;
use super::support::VertexLanes;

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// Numbers of four bytes in it.
const WORDS: usize = LINE / 4;

/// A part of a [`ConvexHull`] that can be fetched by itself.
///
/// Each but the first two is found through the parts before it that its text names, so these
/// should be in the cache, or there is a wait for them.
///
/// ```
/// use impinge_shapes::{ConvexHull, HullPart};
/// use glam::Vec3;
///
/// let hulls = [ConvexHull::new(&[Vec3::ZERO, Vec3::X])?, ConvexHull::new(&[Vec3::Y])?];
/// // Of several hulls at once, and long before they are used.
/// hulls.iter().for_each(|hull| hull.prefetch(HullPart::Own));
/// # Ok::<(), impinge_shapes::ConvexHullError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HullPart {
    /// The extents, the middle, and how many vertices there are to look at.
    Own,
    /// Where the lists are.
    Lists,
    /// [`ConvexHull::vertex_lanes`]; through the hull's own part.
    Vertices,
    /// What [`ConvexHull::face_along`] looks at; through the lists.
    Normals,
    /// The normal of a face and where its corners are; through the lists.
    Face(u32),
    /// The corners of a face; through the face.
    Corners(u32),
    /// Where the neighbours of a vertex are; through the lists.
    Vertex(u32),
    /// The neighbours of a vertex; through the vertex.
    Neighbours(u32),
}

impl ConvexHull {
    /// Has a part of the hull fetched into the cache, without a wait for it. Never changes an answer.
    ///
    /// ```
    /// use impinge_shapes::{ConvexHull, HullPart};
    /// use glam::Vec3;
    ///
    /// let hull = ConvexHull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?;
    /// hull.prefetch(HullPart::Own);
    /// hull.prefetch(HullPart::Corners(9)); // no face, and nothing to fetch
    /// # Ok::<(), impinge_shapes::ConvexHullError>(())
    /// ```
    #[inline(always)]
    pub fn prefetch(&self, part: HullPart) {
        match part {
            HullPart::Own => {
                self.prefetch_lines(0, LINE);
                self.prefetch_lines(offset_of!(Self, extents), offset_of!(Self, vertices));
            }
            HullPart::Lists => self.prefetch_lines(offset_of!(Self, vertices), size_of::<Self>()),
            HullPart::Vertices => prefetch_all(&self.blocks),
            HullPart::Normals => prefetch_all(&self.normal_blocks),
            HullPart::Face(face) => {
                prefetch_index(&self.normals, face as usize);
                prefetch_index(&self.faces.starts, face as usize);
            }
            HullPart::Corners(face) => {
                if let Some(&start) = self.faces.starts.get(face as usize) {
                    prefetch_index(&self.faces.vertices, start as usize);
                }
            }
            HullPart::Vertex(vertex) => prefetch_index(&self.neighbour_starts, vertex as usize),
            HullPart::Neighbours(vertex) => {
                if let Some(&start) = self.neighbour_starts.get(vertex as usize) {
                    prefetch_index(&self.neighbours, start as usize);
                }
            }
        }
    }

    /// The lines of the hull itself from one of its bytes to before another. Nothing of them is
    /// read to find them.
    #[inline(always)]
    fn prefetch_lines(&self, start: usize, end: usize) {
        let known = from_ref(&self.extents.x);
        for line in start / LINE..end.div_ceil(LINE) {
            let words = (line * WORDS).wrapping_sub(offset_of!(Self, extents) / 4);
            prefetch_index(known, words);
        }
    }
}

/// All lines of some blocks.
#[inline(always)]
fn prefetch_all(blocks: &[VertexLanes]) {
    let Some(VertexLanes { x, .. }) = blocks.first() else { return };
    let words = size_of_val(blocks) / 4;
    (0..words).step_by(WORDS).for_each(|word| prefetch_index(x, word));
    prefetch_index(x, words - 1);
}
