//! Pairs as rows both ways, and what is known of a box's partners before a search.

use crate::pair::Changes;
use crate::rows::Rows;
use crate::slots::Slots;

/// Rows of larger partners, and of smaller ones once an update needs them.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairRows {
    larger: Rows,
    smaller: Rows,
    has_smaller: bool,
}

impl PairRows {
    pub(crate) fn larger(&self) -> &Rows {
        &self.larger
    }

    pub(crate) fn larger_mut(&mut self) -> &mut Rows {
        &mut self.larger
    }

    /// Pairs, each counted once.
    pub(crate) fn len(&self) -> usize {
        self.larger.len()
    }

    pub(crate) fn clear(&mut self) {
        self.larger.clear();
        self.has_smaller = false;
    }

    /// Replaces the larger partners; the smaller ones are forgotten.
    pub(crate) fn remake<R>(&mut self, make: impl FnOnce(&mut Rows) -> R) -> R {
        self.has_smaller = false;
        make(&mut self.larger)
    }

    /// Makes the smaller partners, if they are not there.
    pub(crate) fn make_smaller(&mut self) {
        if !self.has_smaller {
            self.larger.transpose(&mut self.smaller);
            self.has_smaller = true;
        }
    }

    /// Smaller and larger partners, if the smaller ones are known.
    pub(crate) fn partners(&self, id: u32) -> Option<(&[u32], &[u32])> {
        self.has_smaller.then(|| self.rows(id))
    }

    /// Smaller and larger partners, both ascending, where the smaller ones are known.
    #[inline(always)]
    pub(crate) fn rows(&self, id: u32) -> (&[u32], &[u32]) {
        (self.smaller.row(id), self.larger.row(id))
    }

    /// Applies changes where both ways are known.
    pub(crate) fn patch(&mut self, changes: &Changes) {
        for pair in &changes.ended {
            self.larger.remove(pair.a, pair.b);
            self.smaller.remove(pair.b, pair.a);
        }
        for pair in &changes.begun {
            self.larger.insert(pair.a, pair.b);
            self.smaller.insert(pair.b, pair.a);
        }
    }
}

/// What is known before a search for the partners of some boxes.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) slots: &'a Slots,
    /// The pairs so far, both ways.
    pub(crate) rows: &'a PairRows,
    /// Flag of the boxes that are searched for.
    pub(crate) pending: u32,
}

impl Known<'_> {
    /// Whether a change of the pair is counted when `id` is in hand: both boxes of a pair may be
    /// searched for.
    #[inline(always)]
    fn counts(&self, id: u32, other: u32) -> bool {
        id < other || !self.slots.at(other).has(self.pending)
    }

    /// Adds how the partners of `id`, ascending, differ from those known.
    #[inline(always)]
    pub(crate) fn compare(&self, id: u32, partners: &[u32], changes: &mut Changes) {
        let (smaller, larger) = self.rows.rows(id);
        let before = || smaller.iter().chain(larger);
        // Most boxes keep their partners.
        let same = partners.len() == smaller.len() + larger.len()
            && partners.iter().zip(before()).all(|(new, old)| new == old);
        if !same {
            changes.compare(id, before().copied(), partners, |other| self.counts(id, other));
        }
    }
}
