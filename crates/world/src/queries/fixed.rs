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
/// batch to batch.
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
#[derive(Clone, Debug, PartialEq)]
pub struct FixedHits<T> {
    per_query: usize,
    items: Vec<Option<T>>,
    found: Vec<usize>,
}

impl<T: Copy> FixedHits<T> {
    /// Room for this many results of each query; none only counts them.
    #[must_use]
    pub const fn new(per_query: usize) -> Self {
        Self { per_query, items: Vec::new(), found: Vec::new() }
    }

    /// The same with memory for this many queries, beyond which it grows.
    #[must_use]
    pub fn with_capacity(queries: usize, per_query: usize) -> Self {
        let mut hits = Self::new(per_query);
        hits.items.reserve(queries.saturating_mul(hits.stride()));
        hits.found.reserve(queries);
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
        self.found(query).saturating_sub(self.per_query)
    }

    /// How many results of all queries did not fit.
    #[must_use]
    pub fn left_out_in_all(&self) -> usize {
        (0..self.len()).map(|query| self.left_out(query)).sum()
    }

    fn stride(&self) -> usize {
        self.per_query.max(1)
    }
}

impl Queries<'_> {
    /// [`Queries::raycast_all_batch`] of which the first hits of each ray are kept.
    pub fn raycast_all_fixed(&self, queries: &[RayQuery<'_>], hits: &mut FixedHits<RayHit>) {
        fixed_into(queries, self.control, hits, |query, hits| self.append_ray_hits(query, hits));
    }

    /// [`Queries::sweep_all_batch`] of which the first hits of each mover are kept.
    pub fn sweep_all_fixed(&self, queries: &[SweepQuery<'_>], hits: &mut FixedHits<SweepHit>) {
        fixed_into(queries, self.control, hits, |query, hits| self.append_sweep_hits(query, hits));
    }

    /// [`Queries::overlap_batch`] of which the first bodies of each query are kept.
    pub fn overlap_fixed(&self, queries: &[OverlapQuery<'_>], bodies: &mut FixedHits<BodyId>) {
        fixed_into(queries, self.control, bodies, |query, bodies| {
            self.append_overlaps(query, bodies);
        });
    }

    /// [`Queries::closest_all_batch`] of which the closest bodies of each query are kept.
    pub fn closest_all_fixed(
        &self,
        queries: &[ClosestQuery<'_>],
        found: &mut FixedHits<ClosestBody>,
    ) {
        fixed_into(queries, self.control, found, |query, found| self.append_closest(query, found));
    }

    /// [`Queries::overlap_aabb_batch`] of which the first bodies of each query are kept.
    pub fn overlap_aabb_fixed(&self, queries: &[AabbQuery<'_>], bodies: &mut FixedHits<BodyId>) {
        fixed_into(queries, self.control, bodies, |query, bodies| {
            bodies.extend(self.overlap_aabb(&query.bounds, &query.filter));
        });
    }

    /// [`Queries::aabb_candidates_batch`] of which the first bodies of each query are kept.
    pub fn aabb_candidates_fixed(&self, queries: &[AabbQuery<'_>], bodies: &mut FixedHits<BodyId>) {
        fixed_into(queries, self.control, bodies, |query, bodies| {
            bodies.extend(self.aabb_candidates(&query.bounds, &query.filter));
        });
    }

    /// [`Queries::contains_point_batch`] of which the first bodies of each query are kept.
    pub fn contains_point_fixed(&self, queries: &[PointQuery<'_>], bodies: &mut FixedHits<BodyId>) {
        fixed_into(queries, self.control, bodies, |query, bodies| {
            bodies.extend(self.contains_point(query.point, &query.filter));
        });
    }

    /// [`Queries::overlap_plane_batch`] of which the first bodies of each query are kept.
    pub fn overlap_plane_fixed(&self, queries: &[PlanesQuery<'_>], bodies: &mut FixedHits<BodyId>) {
        fixed_into(queries, self.control, bodies, |query, bodies| {
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
        fixed_into(queries, self.control, bodies, |query, bodies| {
            bodies.extend(self.overlap_frustum(query.planes, &query.filter));
        });
    }
}

fn fixed_into<Q: Sync, T: Copy + Send>(
    queries: &[Q],
    control: Option<&BatchControl<'_>>,
    out: &mut FixedHits<T>,
    append: impl Fn(&Q, &mut Vec<T>) + Send + Sync,
) {
    let _span = spans::batch(queries.len());
    BatchControl::begin(control);
    let (stride, kept) = (out.stride(), out.per_query);
    out.items.clear();
    out.items.resize(queries.len().saturating_mul(stride), None);
    out.found.clear();
    out.found.resize(queries.len(), 0);
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
