//! Overlaps of many queries, which go through the index together.

use std::slice::from_ref;

use impinge_broadphase::Met;
use impinge_narrowphase::batch::{self, PairRef};
use impinge_shapes::Aabb;
use impinge_shapes::glam::Vec3;
use prefetch_index::prefetch_index;

use super::order::sparse_lists_into;
use super::{OverlapQuery, Queries};
use crate::hits::Sparse;
use crate::{BodyId, Hits, parallel};

/// How many candidates ahead they are fetched.
const AHEAD: usize = 16;

/// Bodies whose bounds some queries touch.
struct Candidates<'q> {
    view: &'q Queries<'q>,
    queries: &'q [OverlapQuery<'q>],
    /// Which of them these are.
    places: &'q [usize],
    pairs: Vec<PairRef<'q>>,
    /// Whose pairs they are.
    of: Vec<(usize, BodyId)>,
    answers: Vec<bool>,
    /// What overlaps, by query.
    found: Vec<(usize, BodyId)>,
}

impl Queries<'_> {
    /// [`Queries::overlap_into`] of each query.
    pub(super) fn overlap_together(&self, queries: &[OverlapQuery<'_>], bodies: &mut Hits<BodyId>) {
        let view = self.for_many(queries.len());
        let mut bounds = Vec::new();
        // Here, while the shapes come in the order of memory; most are not looked at again where
        // most queries meet nothing.
        parallel::map_into(queries, super::order::CHUNK, &mut bounds, |query| {
            query.shape.aabb(&query.pose)
        });
        sparse_lists_into(
            view.batch(),
            queries,
            |query| query.pose.position(),
            bodies,
            |places| {
                let boxes: Vec<Aabb> = places.iter().map(|&place| bounds[place]).collect();
                let mut candidates = Candidates::new(&view, queries, places);
                view.index.overlap_many(&boxes, |met| candidates.test(met));
                lists_of(candidates.found)
            },
        );
    }

    /// Lists for each query what `test` finds at the bodies whose bounds touch the query's `bounds`.
    pub(super) fn list_together<Q: Sync>(
        &self,
        queries: &[Q],
        place: impl Fn(&Q) -> Vec3 + Send + Sync,
        bounds: impl Fn(&Q) -> Option<Aabb> + Send + Sync,
        test: impl Fn(&Q, u32) -> Option<BodyId> + Send + Sync,
        bodies: &mut Hits<BodyId>,
    ) {
        let view = self.for_many(queries.len());
        sparse_lists_into(view.batch(), queries, place, bodies, |places| {
            let bounds = |&place: &usize| Some((place, bounds(&queries[place])?));
            let (asked, boxes): (Vec<usize>, Vec<Aabb>) = places.iter().filter_map(bounds).unzip();
            let mut found = Vec::new();
            view.near_boxes(&boxes, |number, slot| {
                let place = asked[number];
                found.extend(test(&queries[place], slot).map(|body| (place, body)));
            });
            lists_of(found)
        });
    }

    /// Visits the bodies whose bounds in the index touch any of the boxes, each with the place of
    /// that box: box after box, and fetched ahead.
    pub(super) fn near_boxes(&self, boxes: &[Aabb], mut visit: impl FnMut(usize, u32)) {
        self.index.overlap_many(boxes, |met| {
            let mut ahead = met.iter();
            ahead.by_ref().take(AHEAD).for_each(|met| self.bodies.prefetch(met.id));
            for met in met {
                ahead.next().into_iter().for_each(|met| self.bodies.prefetch(met.id));
                visit(met.query as usize, met.id);
            }
        });
    }
}

impl<'q> Candidates<'q> {
    fn new(view: &'q Queries<'q>, queries: &'q [OverlapQuery<'q>], places: &'q [usize]) -> Self {
        let (pairs, of) = (Vec::new(), Vec::new());
        Self { view, queries, places, pairs, of, answers: Vec::new(), found: Vec::new() }
    }

    /// Fetches ahead the body, and the shape that asks.
    #[inline]
    fn fetch(&self, met: &Met) {
        self.view.bodies.prefetch(met.id);
        prefetch_index(from_ref(self.queries[self.places[met.query as usize]].shape), 0);
    }

    /// Tests these candidates.
    fn test(&mut self, met: &[Met]) {
        self.pairs.clear();
        self.of.clear();
        let mut ahead = met.iter();
        ahead.by_ref().take(AHEAD).for_each(|met| self.fetch(met));
        for met in met {
            ahead.next().into_iter().for_each(|met| self.fetch(met));
            let place = self.places[met.query as usize];
            let query = &self.queries[place];
            let Some((body, stored)) = self.view.seen(met.id, &query.filter) else { continue };
            if !self.view.may_touch(query, met.id, stored) {
                continue;
            }
            let (a, pose_a, b, pose_b) = (query.shape, &query.pose, &stored.shape, &stored.pose);
            self.pairs.push(PairRef { a, pose_a, b, pose_b });
            self.of.push((place, body));
        }
        batch::overlaps(&self.pairs, self.view.index.simd_level(), &mut self.answers);
        let answered = self.of.iter().zip(&self.answers);
        self.found.extend(answered.filter(|&(_, &overlaps)| overlaps).map(|(&of, _)| of));
    }
}

/// The lists of those queries that have found anything, each in the order of ids; what belongs to
/// one query lies together.
fn lists_of(mut found: Vec<(usize, BodyId)>) -> Sparse<BodyId> {
    let mut lists = Sparse::default();
    for own in found.chunk_by_mut(|a, b| a.0 == b.0) {
        own.sort_unstable_by_key(|&(_, body)| body);
        if let [(place, _), ..] = *own {
            lists.push(place, own.iter().map(|&(_, body)| body));
        }
    }
    lists
}
