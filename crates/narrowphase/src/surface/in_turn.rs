//! The order in which the triangles of a surface that a solid is in are asked, so that of many the one
//! that is the deepest comes first and few others are asked at all.

use smallvec::SmallVec;

use super::stand::{Lowest, Rank, Stand};
use crate::Relative;
use crate::parts::Leaf;

/// Two parts, in the caller's order.
pub(crate) type Parts<'a> = (Leaf<'a>, Leaf<'a>);

/// How deep the deepest of some parts are, and which.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deepest {
    pub(crate) distance: f32,
    pub(crate) parts: (u32, u32),
}

impl Deepest {
    /// Whether others are less deep, or as deep and of parts that come later.
    pub(crate) fn is_before(&self, distance: f32, parts: (u32, u32)) -> bool {
        !(distance < self.distance || (distance <= self.distance && parts < self.parts))
    }

    /// Whether it is that of parts that come after these.
    fn is_after(&self, a: &Leaf<'_>, b: &Leaf<'_>) -> bool {
        (a.part, b.part) < self.parts
    }
}

/// Parts that are asked later than they come, if at all.
#[derive(Default)]
pub(crate) struct InTurn<'a> {
    /// Triangles in whose plane the solid is, but with its lowest point beside them: mostly it is
    /// deeper in another one.
    beside: SmallVec<[(Parts<'a>, Stand); 8]>,
    /// Those that are as deep as the deepest at most, and come first if they are.
    level: SmallVec<[Parts<'a>; 4]>,
    is_sorted: bool,
    last: Option<Lowest>,
    /// That of the last ones that were asked later: most have the same.
    frame: Option<Relative>,
}

impl<'a> InTurn<'a> {
    /// A solid at the plane of a triangle of a surface, in the frame of the triangle.
    #[inline]
    pub(crate) fn stand(
        &mut self,
        leaves: (&Leaf<'a>, &Leaf<'a>),
        at: &Relative,
        triangle_first: bool,
    ) -> Option<Stand> {
        Stand::of(leaves, at, triangle_first, &mut self.last)
    }

    /// Whether a triangle and a solid, in the frame of the triangle, are asked now; the caller has the
    /// triangle first, or the solid.
    pub(crate) fn admits(
        &mut self,
        stand: &Stand,
        leaves: (&Leaf<'a>, &Leaf<'a>),
        at: &Relative,
        triangle_first: bool,
        deepest: Option<Deepest>,
    ) -> bool {
        let (a, b) = if triangle_first { leaves } else { (leaves.1, leaves.0) };
        let Some(deepest) = deepest else {
            if stand.is_beside() {
                self.beside.push(((*a, *b), *stand));
            }
            return !stand.is_beside();
        };
        let comes_first = deepest.is_after(a, b);
        let rank = stand.rank(leaves, at, deepest.distance, comes_first);
        if rank == Rank::NoDeeper && comes_first {
            self.level.push((*a, *b));
        }
        rank == Rank::Unknown
    }

    /// The next ones to be asked once all have come.
    pub(crate) fn next(&mut self, deepest: Option<Deepest>) -> Option<Parts<'a>> {
        // Not by `pop`, because they are large.
        while let Some((parts, stand)) = self.beside.last() {
            let comes_first = deepest.is_none_or(|deepest| deepest.is_after(&parts.0, &parts.1));
            let rank = match deepest {
                Some(deepest) => {
                    let leaves = ordered(parts);
                    let at = frame_of(leaves, &mut self.frame);
                    stand.rank(leaves, at, deepest.distance, comes_first)
                }
                None => Rank::Unknown,
            };
            let next = if rank == Rank::Unknown { Some(*parts) } else { None };
            if rank == Rank::NoDeeper && comes_first {
                self.level.push(*parts);
            }
            self.beside.truncate(self.beside.len() - 1);
            if next.is_some() {
                return next;
            }
        }
        if !self.is_sorted {
            self.level.sort_by_key(|parts| std::cmp::Reverse(numbers(parts)));
            self.is_sorted = true;
        }
        // The first that is as deep leaves nothing to those that come later.
        let next = self.level.pop()?;
        deepest.is_none_or(|deepest| numbers(&next) < deepest.parts).then_some(next)
    }
}

/// The frame of two leaves, which may be the last one.
fn frame_of<'r>((a, b): (&Leaf<'_>, &Leaf<'_>), last: &'r mut Option<Relative>) -> &'r Relative {
    if last.as_ref().is_some_and(|at| *at.pose_a() != a.pose || *at.pose_b() != b.pose) {
        *last = None;
    }
    last.get_or_insert_with(|| Relative::new(&a.pose, &b.pose))
}

fn numbers((a, b): &Parts<'_>) -> (u32, u32) {
    (a.part, b.part)
}

/// The triangle first.
fn ordered<'l, 'a>((a, b): &'l Parts<'a>) -> (&'l Leaf<'a>, &'l Leaf<'a>) {
    if a.surface.is_some() { (a, b) } else { (b, a) }
}
