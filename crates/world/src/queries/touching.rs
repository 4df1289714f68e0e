//! Overlaps of many queries, tested together.

use std::ops::ControlFlow;

use impinge_narrowphase::batch::{self, PairRef};

use super::{OverlapQuery, Queries};
use crate::{BodyId, Hits};

/// Candidates that are tested together: few enough for the nearest cache, and enough to fill the
/// lanes of the kernels.
const TOGETHER: usize = 256;

/// Bodies whose bounds the queries touch.
struct Candidates<'q> {
    queries: &'q Queries<'q>,
    shapes: &'q [OverlapQuery<'q>],
    /// Place of a query and slot of a body, by query.
    met: Vec<(u32, u32)>,
    pairs: Vec<PairRef<'q>>,
    /// Whose pairs they are.
    of: Vec<(u32, BodyId)>,
    answers: Vec<bool>,
    /// What overlaps, by query.
    found: Vec<(u32, BodyId)>,
}

impl Queries<'_> {
    /// Adds the list of [`Queries::overlap_into`] of each query.
    pub(super) fn append_overlaps_of_many(
        &self,
        queries: &[OverlapQuery<'_>],
        bodies: &mut Hits<BodyId>,
    ) {
        let mut candidates = Candidates::new(self, queries);
        for (place, query) in (0..).zip(queries) {
            self.index.overlap(&query.shape.aabb(&query.pose), |slot| {
                candidates.met.push((place, slot));
                if candidates.met.len() >= TOGETHER {
                    candidates.test();
                }
                ControlFlow::Continue(())
            });
        }
        candidates.test();
        let mut found = &candidates.found[..];
        for (place, _) in (0..).zip(queries) {
            let end = found.iter().position(|&(query, _)| query != place).unwrap_or(found.len());
            let (own, rest) = found.split_at(end);
            found = rest;
            bodies.push_with(|list| {
                let start = list.len();
                list.extend(own.iter().map(|&(_, body)| body));
                list[start..].sort_unstable();
            });
        }
    }
}

impl<'q> Candidates<'q> {
    fn new(queries: &'q Queries<'q>, shapes: &'q [OverlapQuery<'q>]) -> Self {
        Self {
            queries,
            shapes,
            met: Vec::with_capacity(TOGETHER),
            pairs: Vec::with_capacity(TOGETHER),
            of: Vec::with_capacity(TOGETHER),
            answers: Vec::with_capacity(TOGETHER),
            found: Vec::new(),
        }
    }

    /// Tests the candidates in hand.
    fn test(&mut self) {
        let queries = self.queries;
        queries.fetch(self.met.iter().map(|&(_, slot)| slot));
        self.pairs.clear();
        self.of.clear();
        for (place, slot) in self.met.drain(..) {
            let query = &self.shapes[place as usize];
            let Some((body, stored)) = queries.seen(slot, &query.filter) else { continue };
            let (a, pose_a, b, pose_b) = (query.shape, &query.pose, &stored.shape, &stored.pose);
            self.pairs.push(PairRef { a, pose_a, b, pose_b });
            self.of.push((place, body));
        }
        batch::overlaps(&self.pairs, queries.index.simd_level(), &mut self.answers);
        let answered = self.of.iter().zip(&self.answers);
        self.found.extend(answered.filter(|&(_, &overlaps)| overlaps).map(|(&of, _)| of));
    }
}
