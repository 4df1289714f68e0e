//! What the cores know when asked about as B and A: a search may end early here or there.

use super::{Cores, Gap};
use crate::{Relation, tolerance};

impl Cores<'_> {
    /// Asks B and A, in B's frame.
    #[cold]
    fn exchanged<T>(&self, ask: impl FnOnce(&Cores<'_>) -> T) -> T {
        let at = self.at.flipped();
        let moved = -self.at.vector_to_b(self.moved);
        ask(&Cores { a: self.b, b: self.a, at: &at, moved, ..*self })
    }

    /// The relation as far as any search of B and A is certain of it.
    pub(super) fn known_of_exchanged(&self) -> Option<Relation> {
        self.exchanged(|cores| cores.known_of_curved())
    }

    /// A gap of curved cores, or, where it left the depth open, that of B and A if their way out is
    /// the shorter one.
    ///
    /// - Ties: the given one.
    pub(super) fn or_exchanged(&self, gap: Gap) -> Gap {
        let is_known = gap.at_most - gap.distance <= tolerance::ROUND_DEPTH_GAP * self.size;
        if is_known || self.is_exact() {
            return gap;
        }
        let other = self.exchanged(|cores| cores.gap_alone());
        if other.distance <= gap.distance + tolerance::TIE * self.size {
            return gap;
        }
        let normal = -(*self.at.rotation() * other.normal);
        let on_b = self.at.point_from_b(other.point_a) + self.moved;
        Gap { normal, point_a: on_b - normal * other.distance, ..other }
    }
}
