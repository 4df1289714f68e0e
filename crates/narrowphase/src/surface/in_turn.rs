//! The order in which the triangles of a surface that a solid is in are asked, so that of many the one
//! that is the deepest comes first and few others are asked at all.

use smallvec::SmallVec;

use super::stand::{Rank, Stand};
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
}

impl<'a> InTurn<'a> {
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
        let comes_first = (a.part, b.part) < deepest.parts;
        match stand.rank(leaves, at, deepest.distance, comes_first) {
            Rank::Shallower => false,
            Rank::NoDeeper => {
                if comes_first {
                    self.level.push((*a, *b));
                }
                false
            }
            Rank::Unknown => true,
        }
    }

    /// The next ones to be asked once all have come.
    pub(crate) fn next(&mut self, deepest: Option<Deepest>) -> Option<Parts<'a>> {
        while let Some((parts, stand)) = self.beside.pop() {
            let leaves = ordered(&parts);
            let at = Relative::new(&leaves.0.pose, &leaves.1.pose);
            if deepest.is_none()
                || self.admits(&stand, leaves, &at, parts.0.surface.is_some(), deepest)
            {
                return Some(parts);
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

fn numbers((a, b): &Parts<'_>) -> (u32, u32) {
    (a.part, b.part)
}

/// The triangle first.
fn ordered<'l, 'a>((a, b): &'l Parts<'a>) -> (&'l Leaf<'a>, &'l Leaf<'a>) {
    if a.surface.is_some() { (a, b) } else { (b, a) }
}
