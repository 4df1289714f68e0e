//! Many questions at once, in parallel.
//!
//! The result for each query is that of the single call, and lies at the query's place of the
//! batch. Lists of the caller's are overwritten and keep their memory.

use super::order::{answers_into, lists_into};
use crate::{
    BodyId, ClosestBody, ClosestQuery, FirstImpact, Hits, ImpactQuery, OverlapQuery, Queries,
    RayHit, RayQuery, SweepHit, SweepQuery,
};

impl Queries<'_> {
    /// [`Queries::raycast_with`] of each query.
    ///
    /// ```
    /// use impinge_shapes::{Ray, Shape, glam::{Vec3, vec3}};
    /// use impinge_world::{Body, RayQuery, World};
    ///
    /// let mut world = World::new();
    /// let ball = world.insert(Body::moving(Shape::sphere(1.0)?))?;
    /// let rays: Vec<RayQuery> = [0.0, 2.0]
    ///     .into_iter()
    ///     .map(|x| Ok(RayQuery::new(Ray::new(vec3(x, 5.0, 0.0), Vec3::NEG_Y)?, 100.0)))
    ///     .collect::<Result<_, impinge_shapes::RayError>>()?;
    /// let mut hits = Vec::new();
    /// world.queries().raycast_batch(&rays, &mut hits);
    /// assert_eq!(hits[0].map(|hit| hit.body), Some(ball));
    /// assert_eq!(hits[1], None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn raycast_batch(&self, queries: &[RayQuery<'_>], hits: &mut Vec<Option<RayHit>>) {
        answers_into(
            self.batch(),
            queries,
            |query| query.ray.origin(),
            hits,
            |query| self.raycast_with(query),
        );
    }

    /// [`Queries::raycast_any_with`] of each query.
    pub fn raycast_any_batch(&self, queries: &[RayQuery<'_>], hits: &mut Vec<bool>) {
        answers_into(
            self.batch(),
            queries,
            |query| query.ray.origin(),
            hits,
            |query| self.raycast_any_with(query),
        );
    }

    /// [`Queries::raycast_all_with`] of each query.
    pub fn raycast_all_batch(&self, queries: &[RayQuery<'_>], hits: &mut Hits<RayHit>) {
        lists_into(
            self.batch(),
            queries,
            |query| query.ray.origin(),
            hits,
            |query, hits| self.append_ray_hits(query, hits),
        );
    }

    /// [`Queries::sweep_with`] of each query.
    pub fn sweep_batch(&self, queries: &[SweepQuery<'_>], hits: &mut Vec<Option<SweepHit>>) {
        answers_into(
            self.batch(),
            queries,
            |query| query.pose.position(),
            hits,
            |query| self.sweep_with(query),
        );
    }

    /// [`Queries::sweep_any_with`] of each query.
    pub fn sweep_any_batch(&self, queries: &[SweepQuery<'_>], hits: &mut Vec<bool>) {
        answers_into(
            self.batch(),
            queries,
            |query| query.pose.position(),
            hits,
            |query| self.sweep_any_with(query),
        );
    }

    /// [`Queries::sweep_all_with`] of each query.
    pub fn sweep_all_batch(&self, queries: &[SweepQuery<'_>], hits: &mut Hits<SweepHit>) {
        lists_into(
            self.batch(),
            queries,
            |query| query.pose.position(),
            hits,
            |query, hits| self.append_sweep_hits(query, hits),
        );
    }

    /// [`Queries::time_of_impact_with`] of each query.
    pub fn time_of_impact_batch(&self, queries: &[ImpactQuery<'_>], found: &mut Vec<FirstImpact>) {
        answers_into(
            self.batch(),
            queries,
            |query| query.motion.pose().position(),
            found,
            |query| self.time_of_impact_with(query),
        );
    }

    /// [`Queries::overlap_into`] of each query.
    pub fn overlap_batch(&self, queries: &[OverlapQuery<'_>], bodies: &mut Hits<BodyId>) {
        lists_into(
            self.batch(),
            queries,
            |query| query.pose.position(),
            bodies,
            |query, bodies| self.append_overlaps(query, bodies),
        );
    }

    /// [`Queries::overlap_any_with`] of each query.
    pub fn overlap_any_batch(&self, queries: &[OverlapQuery<'_>], found: &mut Vec<bool>) {
        answers_into(
            self.batch(),
            queries,
            |query| query.pose.position(),
            found,
            |query| self.overlap_any_with(query),
        );
    }

    /// [`Queries::closest_with`] of each query.
    pub fn closest_batch(
        &self,
        queries: &[ClosestQuery<'_>],
        found: &mut Vec<Option<ClosestBody>>,
    ) {
        answers_into(
            self.batch(),
            queries,
            |query| query.pose.position(),
            found,
            |query| self.closest_with(query),
        );
    }

    /// [`Queries::closest_any_with`] of each query.
    pub fn closest_any_batch(&self, queries: &[ClosestQuery<'_>], found: &mut Vec<bool>) {
        answers_into(
            self.batch(),
            queries,
            |query| query.pose.position(),
            found,
            |query| self.closest_any_with(query),
        );
    }

    /// [`Queries::closest_all_with`] of each query.
    pub fn closest_all_batch(&self, queries: &[ClosestQuery<'_>], found: &mut Hits<ClosestBody>) {
        lists_into(
            self.batch(),
            queries,
            |query| query.pose.position(),
            found,
            |query, found| self.append_closest(query, found),
        );
    }
}
