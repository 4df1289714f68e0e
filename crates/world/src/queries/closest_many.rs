//! What is near, of many queries, which go through the index in turn.

use impinge_broadphase::{Met, Near};
use impinge_narrowphase::Closest;
use impinge_narrowphase::batch::{self, PairRef};

use super::best::Best;
use super::last_word::has_lanes;
use super::lists::Unsorted;
use super::ray::STOP;
use super::{ClosestQuery, Queries};
use crate::body::Stored;
use crate::{BodyId, ClosestBody};

/// What becomes of near bodies.
trait Keep {
    /// How near the next body of this query is to be.
    fn limit(&self, place: usize, query: &ClosestQuery<'_>) -> f32;

    /// Takes a body of this query, which may lie a little beyond that limit but not beyond the
    /// query's end.
    fn offer(&mut self, place: usize, body: BodyId, closest: Closest);
}

/// What becomes of near bodies where they end the search.
trait Search: Keep {
    /// How far the search must go on; a negative number ends it.
    fn reach(&self, place: usize, query: &ClosestQuery<'_>) -> f32;
}

/// Keeps the closest of each query.
impl Keep for &mut [Option<ClosestBody>] {
    fn limit(&self, place: usize, query: &ClosestQuery<'_>) -> f32 {
        self[place].limit(query.max_distance)
    }

    fn offer(&mut self, place: usize, body: BodyId, closest: Closest) {
        self[place].offer(ClosestBody { body, closest });
    }
}

impl Search for &mut [Option<ClosestBody>] {
    fn reach(&self, place: usize, query: &ClosestQuery<'_>) -> f32 {
        // Bounds are never closer than 0, while shapes may overlap to any depth.
        self[place].reach(query.max_distance).max(0.0)
    }
}

/// Keeps whether there is any.
impl Keep for &mut [bool] {
    fn limit(&self, _: usize, query: &ClosestQuery<'_>) -> f32 {
        query.max_distance
    }

    fn offer(&mut self, place: usize, _: BodyId, _: Closest) {
        self[place] = true;
    }
}

impl Search for &mut [bool] {
    fn reach(&self, place: usize, query: &ClosestQuery<'_>) -> f32 {
        if self[place] { STOP } else { query.max_distance.max(0.0) }
    }
}

/// Keeps all.
impl Keep for Unsorted<ClosestBody> {
    fn limit(&self, _: usize, query: &ClosestQuery<'_>) -> f32 {
        query.max_distance
    }

    fn offer(&mut self, place: usize, body: BodyId, closest: Closest) {
        self.push(place, ClosestBody { body, closest });
    }
}

impl Queries<'_> {
    /// [`Queries::closest_with`] of each query, side by side; `found` holds none yet.
    pub(super) fn closest_many(
        &self,
        queries: &[ClosestQuery<'_>],
        mut found: &mut [Option<ClosestBody>],
    ) {
        self.around_many(queries, &mut found);
    }

    /// [`Queries::closest_any_with`] of each query, side by side.
    pub(super) fn closest_any_many(&self, queries: &[ClosestQuery<'_>], mut found: &mut [bool]) {
        self.around_many(queries, &mut found);
    }

    /// Finds what [`Queries::closest_all_with`] lists for each query, side by side.
    pub(super) fn closest_all_many(
        &self,
        queries: &[ClosestQuery<'_>],
        found: &mut Unsorted<ClosestBody>,
    ) {
        let near: Vec<Near> = queries.iter().map(ClosestQuery::near).collect();
        let mut neighbours = Neighbours::new(self, queries, &near);
        self.index.nearest_all(&near, |met| neighbours.look(met, found));
    }

    /// Looks at the bodies around each query, as far as what is kept asks for.
    fn around_many(&self, queries: &[ClosestQuery<'_>], kept: &mut impl Search) {
        let near: Vec<Near> = queries.iter().map(ClosestQuery::near).collect();
        let mut neighbours = Neighbours::new(self, queries, &near);
        self.index.nearest_many(&near, |met, limits| {
            neighbours.look(met, kept);
            for (met, limit) in met.iter().zip(limits) {
                let place = met.query as usize;
                *limit = kept.reach(place, &queries[place]);
            }
        });
    }
}

/// Bodies near different queries; pairs of kinds that have lanes wait until all are known.
struct Neighbours<'q> {
    view: &'q Queries<'q>,
    queries: &'q [ClosestQuery<'q>],
    /// What the index sees of each.
    near: &'q [Near],
    pairs: Vec<PairRef<'q>>,
    /// Whose pairs they are.
    of: Vec<(usize, BodyId, &'q Stored)>,
    answers: Vec<Option<Closest>>,
}

impl<'q> Neighbours<'q> {
    fn new(view: &'q Queries<'q>, queries: &'q [ClosestQuery<'q>], near: &'q [Near]) -> Self {
        Self { view, queries, near, pairs: Vec::new(), of: Vec::new(), answers: Vec::new() }
    }

    /// Looks at the bodies that queries met.
    fn look(&mut self, met: &[Met], kept: &mut impl Keep) {
        let (view, queries) = (self.view, self.queries);
        view.fetch(met.iter().map(|met| met.id));
        self.pairs.clear();
        self.of.clear();
        let mut longest = f32::NEG_INFINITY;
        for met in met {
            let place = met.query as usize;
            let query = &queries[place];
            let Some((body, stored)) = view.seen(met.id, &query.filter) else { continue };
            let (a, pose_a, b, pose_b) = (query.shape, &query.pose, &stored.shape, &stored.pose);
            let limit = kept.limit(place, query);
            if has_lanes(a) && has_lanes(b) {
                self.pairs.push(PairRef { a, pose_a, b, pose_b });
                self.of.push((place, body, stored));
                longest = longest.max(limit);
            } else if let Some(closest) =
                view.closest_of(query, &self.near[place].from, (body, stored), limit)
            {
                kept.offer(place, body, closest);
            }
        }
        let level = view.index.simd_level();
        batch::closest(&self.pairs, longest, level, &mut self.answers);
        for (&(place, body, stored), closest) in self.of.iter().zip(&self.answers) {
            let (query, Some(closest)) = (&queries[place], closest) else { continue };
            let from = &self.near[place].from;
            let end = query.max_distance;
            // What rounded numbers tell from the end by more than a step, exact ones do, too.
            if closest.distance.next_up() < end {
                kept.offer(place, body, *closest);
            } else if closest.distance <= end.next_up()
                && let Some(closest) =
                    view.closest_of(query, from, (body, stored), kept.limit(place, query))
            {
                kept.offer(place, body, closest);
            }
        }
    }
}
