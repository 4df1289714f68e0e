//! Hulls fetched into the cache ahead of use.

use std::mem::offset_of;
use std::slice::from_ref;

use prefetch_index::prefetch_index;

use super::ConvexHull;
use super::compact::Compact;
use super::support::VertexLanes;

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// Numbers of four bytes in it.
const WORDS: usize = LINE / 4;

/// A part of a [`ConvexHull`] that can be fetched by itself.
///
/// Each but the first and the normals is found through the parts before it that its text names, so
/// these should be in the cache, or there is a wait for them.
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
    /// [`ConvexHull::vertex_lanes`]; through the hull's own part.
    Vertices,
    /// What [`ConvexHull::face_along`] looks at, and where faces and neighbours are.
    Normals,
    /// The normal of a face, and its corners; through the normals.
    Face(u32),
    /// The neighbours of a vertex; through the normals.
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
    /// hull.prefetch(HullPart::Face(9)); // no face, and nothing to fetch
    /// # Ok::<(), impinge_shapes::ConvexHullError>(())
    /// ```
    #[inline(always)]
    pub fn prefetch(&self, part: HullPart) {
        match part {
            HullPart::Own => {
                self.prefetch_lines(0, LINE);
                self.prefetch_lines(offset_of!(Self, extents), offset_of!(Self, vertices));
            }
            HullPart::Vertices => {
                if let Some(VertexLanes { x, .. }) = self.blocks.first() {
                    prefetch_all(x, size_of_val(&self.blocks[..]));
                }
            }
            HullPart::Normals => {
                let start = offset_of!(Self, compact) + offset_of!(Compact, normals);
                self.prefetch_lines(offset_of!(Self, normals), offset_of!(Self, edges));
                self.prefetch_lines(start, offset_of!(Self, compact) + Compact::LISTS);
            }
            HullPart::Face(face) => {
                prefetch_index(&self.normals, face as usize);
                prefetch_index(self.compact.corners(face).unwrap_or_default(), 0);
            }
            HullPart::Neighbours(vertex) => {
                prefetch_index(self.compact.neighbours(vertex).unwrap_or_default(), 0);
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

/// All lines of some blocks of which these are the first numbers.
#[inline(always)]
fn prefetch_all<T>(first: &[T], bytes: usize) {
    let count = bytes / size_of::<T>();
    (0..count).step_by(LINE / size_of::<T>()).for_each(|place| prefetch_index(first, place));
    prefetch_index(first, count.saturating_sub(1));
}
