//! Batches into memory of a fixed size, which tell what did not fit.

use rayon::prelude::*;

use super::Queries;
use super::order::CHUNK;
use crate::{
    AabbQuery, BatchControl, BodyId, ClosestBody, ClosestQuery, OverlapQuery, PlanesQuery,
    PointQuery, RayHit, RayQuery, SweepHit, SweepQuery, spans,
};

/// The first few results of each query of a batch, and how many there were.
///
/// Memory is one block that follows the number of queries, whatever they find; it is kept from
/// batch to batch. A query has no more results than there are bodies, so that no more room is made
/// for it; [`Hits`](crate::Hits) has room for what is found only.
///
/// - Degenerate: where there is no memory for so many results of so many queries, fewer of each
///   are kept, and the others are left out.
///
/// ```
/// use impinge_shapes::{Ray, Shape, glam::Vec3};
/// use impinge_world::{Body, FixedHits, RayQuery, World};
///
/// let mut world = World::new();
/// for x in 1..=5_u8 {
///     world.insert(Body::moving(Shape::sphere(0.25)?).at(Vec3::X * f32::from(x)))?;
/// }
/// let rays = [RayQuery::new(Ray::new(Vec3::ZERO, Vec3::X)?, 100.0)];
/// let mut hits = FixedHits::new(2);
/// world.queries().raycast_all_fixed(&rays, &mut hits);
/// let near: Vec<f32> = hits.of(0).map(|hit| hit.distance).collect();
/// assert_eq!(near, [0.75, 1.75]);
/// assert_eq!((hits.found(0), hits.left_out(0), hits.left_out_in_all()), (5, 3, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FixedHits<T> {
    /// As the caller wants.
    per_query: usize,
    /// Results that the last batch had room for, of each query.
    kept: usize,
    /// Rows of as many, or of one where none are kept.
    items: Vec<Option<T>>,
    found: Vec<usize>,
}

/// By what was asked for and what was found, not by how much room there was.
impl<T: Copy + PartialEq> PartialEq for FixedHits<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.per_query, &self.found) == (other.per_query, &other.found)
            && (0..self.len()).all(|query| self.of(query).eq(other.of(query)))
    }
}

impl<T: Copy> FixedHits<T> {
    /// Room for this many results of each query; none only counts them, and `usize::MAX` keeps
    /// all.
    #[must_use]
    pub const fn new(per_query: usize) -> Self {
        Self { per_query, kept: 0, items: Vec::new(), found: Vec::new() }
    }

    /// The same with memory for this many queries, beyond which it grows.
    ///
    /// - Degenerate: where there is not so much memory, none is taken before the first batch,
    ///   which takes what it needs.
    #[must_use]
    pub fn with_capacity(queries: usize, per_query: usize) -> Self {
        let mut hits = Self::new(per_query);
        let items = queries.checked_mul(per_query.max(1));
        if items.is_some_and(|items| hits.items.try_reserve_exact(items).is_ok())
            && hits.found.try_reserve_exact(queries).is_err()
        {
            hits.items = Vec::new();
        }
        hits
    }

    /// Number of queries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there are no queries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The results that were kept of this query, the first in the order of all.
    pub fn of(&self, query: usize) -> impl Iterator<Item = &T> {
        let row = self.items.chunks(self.stride()).nth(query).unwrap_or_default();
        row.iter().flatten()
    }

    /// How many results this query has, kept or not.
    #[must_use]
    pub fn found(&self, query: usize) -> usize {
        self.found.get(query).copied().unwrap_or(0)
    }

    /// How many results of this query did not fit.
    #[must_use]
    pub fn left_out(&self, query: usize) -> usize {
        self.found(query).saturating_sub(self.kept)
    }

    /// How many results of all queries did not fit.
    #[must_use]
    pub fn left_out_in_all(&self) -> usize {
        (0..self.len()).map(|query| self.left_out(query)).sum()
    }

    fn stride(&self) -> usize {
        self.kept.max(1)
    }

    /// Makes empty rows for queries of a world with so many bodies.
    fn make_rows(&mut self, queries: usize, bodies: usize) {
        self.items.clear();
        self.take_room(queries, bodies);
        self.items.resize(queries.saturating_mul(self.stride()), None);
        self.found.clear();
        self.found.resize(queries, 0);
    }

    /// Takes memory for rows of what a query can find, or shorter ones if there is none for these.
    fn take_room(&mut self, queries: usize, bodies: usize) {
        self.kept = self.per_query.min(bodies);
        while !self.has_room(queries) && self.kept > 0 {
            self.kept /= 2;
        }
    }

    /// Takes the memory for these queries, if there is as much.
    fn has_room(&mut self, queries: usize) -> bool {
        let items = queries.checked_mul(self.stride());
        items.is_some_and(|items| self.items.try_reserve_exact(items).is_ok())
    }
}

impl Queries<'_> {
    /// [`Queries::raycast_all_batch`] of which the first hits of each ray are kept.
    pub fn raycast_all_fixed(&self, queries: &[RayQuery<'_>], hits: &mut FixedHits<RayHit>) {
        fixed_into(queries, self, hits, |query, hits| self.append_ray_hits(query, hits));
    }

    /// [`Queries::sweep_all_batch`] of which the first hits of each mover are kept.
    pub fn sweep_all_fixed(&self, queries: &[SweepQuery<'_>], hits: &mut FixedHits<SweepHit>) {
        fixed_into(queries, self, hits, |query, hits| self.append_sweep_hits(query, hits));
    }

    /// [`Queries::overlap_batch`] of which the first bodies of each query are kept.
    pub fn overlap_fixed(&self, queries: &[OverlapQuery<'_>], bodies: &mut FixedHits<BodyId>) {
        fixed_into(queries, self, bodies, |query, bodies| {
            self.append_overlaps(query, bodies);
        });
    }

    /// [`Queries::closest_all_batch`] of which the closest bodies of each query are kept.
    pub fn closest_all_fixed(
        &self,
        queries: &[ClosestQuery<'_>],
        found: &mut FixedHits<ClosestBody>,
    ) {
        fixed_into(queries, self, found, |query, found| self.append_closest(query, found));
    }

    /// [`Queries::overlap_aabb_batch`] of which the first bodies of each query are kept.
    pub fn overlap_aabb_fixed(&self, queries: &[AabbQuery<'_>], bodies: &mut FixedHits<BodyId>) {
        fixed_into(queries, self, bodies, |query, bodies| {
            bodies.extend(self.overlap_aabb(&query.bounds, &query.filter));
        });
    }

    /// [`Queries::aabb_candidates_batch`] of which the first bodies of each query are kept.
    pub fn aabb_candidates_fixed(&self, queries: &[AabbQuery<'_>], bodies: &mut FixedHits<BodyId>) {
        fixed_into(queries, self, bodies, |query, bodies| {
            bodies.extend(self.aabb_candidates(&query.bounds, &query.filter));
        });
    }

    /// [`Queries::contains_point_batch`] of which the first bodies of each query are kept.
    pub fn contains_point_fixed(&self, queries: &[PointQuery<'_>], bodies: &mut FixedHits<BodyId>) {
        fixed_into(queries, self, bodies, |query, bodies| {
            bodies.extend(self.contains_point(query.point, &query.filter));
        });
    }

    /// [`Queries::overlap_plane_batch`] of which the first bodies of each query are kept.
    pub fn overlap_plane_fixed(&self, queries: &[PlanesQuery<'_>], bodies: &mut FixedHits<BodyId>) {
        fixed_into(queries, self, bodies, |query, bodies| {
            let plane = query.planes.first();
            bodies.extend(plane.into_iter().flat_map(|at| self.overlap_plane(at, &query.filter)));
        });
    }

    /// [`Queries::overlap_frustum_batch`] of which the first bodies of each query are kept.
    pub fn overlap_frustum_fixed(
        &self,
        queries: &[PlanesQuery<'_>],
        bodies: &mut FixedHits<BodyId>,
    ) {
        fixed_into(queries, self, bodies, |query, bodies| {
            bodies.extend(self.overlap_frustum(query.planes, &query.filter));
        });
    }
}

fn fixed_into<Q: Sync, T: Copy + Send>(
    queries: &[Q],
    view: &Queries<'_>,
    out: &mut FixedHits<T>,
    append: impl Fn(&Q, &mut Vec<T>) + Send + Sync,
) {
    let _span = spans::batch(queries.len());
    let control = view.control;
    BatchControl::begin(control);
    out.make_rows(queries.len(), view.bodies.len());
    let (stride, kept) = (out.stride(), out.kept);
    let rows = out.items.par_chunks_mut(stride).zip(&mut out.found).zip(queries);
    rows.with_min_len(CHUNK).for_each_init(Vec::new, |all, ((row, found), query)| {
        all.clear();
        BatchControl::run(control, queries.len(), 1, || append(query, all));
        *found = all.len();
        for (place, item) in row.iter_mut().zip(&*all).take(kept) {
            *place = Some(*item);
        }
    });
    if BatchControl::ended_early(control, queries.len()) {
        out.items.clear();
        out.found.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More room than there is memory for: the rest is left out, and told to be.
    #[test]
    fn rows_are_as_long_as_there_is_memory_for() {
        let mut hits: FixedHits<RayHit> = FixedHits::new(usize::MAX);
        hits.take_room(2, usize::MAX);
        assert!((1..1 << 58).contains(&hits.kept), "{}", hits.kept);
        hits.take_room(0, usize::MAX);
        assert_eq!(hits.kept, usize::MAX);
        hits.make_rows(3, 5);
        assert_eq!((hits.kept, hits.items.len(), hits.len()), (5, 15, 3));
    }
}
