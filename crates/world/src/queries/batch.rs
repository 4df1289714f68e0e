//! Many questions at once, in parallel.
//!
//! The result for each query is that of the single call, and lies at the query's place of the
//! batch. Lists of the caller's are overwritten and keep their memory.

use super::order::{answers_by_many, answers_into, lists_by_many};
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
        let view = self.for_many(queries.len());
        answers_by_many(
            view.batch(),
            queries,
            |query| query.ray.origin(),
            hits,
            |queries, hits| view.raycast_many(queries, hits),
        );
    }

    /// [`Queries::raycast_any_with`] of each query.
    pub fn raycast_any_batch(&self, queries: &[RayQuery<'_>], hits: &mut Vec<bool>) {
        let view = self.for_many(queries.len());
        answers_by_many(
            view.batch(),
            queries,
            |query| query.ray.origin(),
            hits,
            |queries, hits| view.raycast_any_many(queries, hits),
        );
    }

    /// [`Queries::raycast_all_with`] of each query.
    ///
    /// ```
    /// use impinge_shapes::{Ray, Shape, glam::{Vec3, vec3}};
    /// use impinge_world::{Body, Filter, Hits, RayHit, RayQuery, World};
    ///
    /// let mut world = World::new();
    /// let [a, b] = [1.0, 4.0].map(|x| Body::fixed(Shape::sphere(0.5).unwrap()).at(Vec3::X * x));
    /// let (a, b) = (world.insert(a)?, world.insert(b)?);
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X)?;
    /// // Each query has its own limit and filter.
    /// let queries = [
    ///     RayQuery::new(ray, 100.0),
    ///     RayQuery::new(ray, 2.0),
    ///     RayQuery::new(ray, 100.0).filter(Filter::new().exclude(a)),
    ///     RayQuery::new(Ray::new(Vec3::ZERO, Vec3::Y)?, 100.0),
    /// ];
    /// let mut hits: Hits<RayHit> = Hits::new();
    /// world.queries().raycast_all_batch(&queries, &mut hits);
    /// let bodies: Vec<Vec<_>> =
    ///     hits.iter().map(|hits| hits.iter().map(|hit| hit.body).collect()).collect();
    /// assert_eq!(bodies, [vec![a, b], vec![a], vec![b], vec![]]);
    /// assert_eq!((hits.items().len(), hits.ends()), (4, &[2, 3, 4, 4][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn raycast_all_batch(&self, queries: &[RayQuery<'_>], hits: &mut Hits<RayHit>) {
        let view = self.for_many(queries.len());
        lists_by_many(
            view.batch(),
            queries,
            |query| query.ray.origin(),
            hits,
            |queries, found| view.raycast_all_many(queries, found),
        );
    }

    /// [`Queries::sweep_with`] of each query.
    ///
    /// ```
    /// use impinge_shapes::{Pose, Shape, glam::Vec3};
    /// use impinge_world::{Body, SweepQuery, World};
    ///
    /// let mut world = World::new();
    /// let wall = world.insert(Body::fixed(Shape::cuboid(Vec3::ONE)?).at(Vec3::X * 5.0))?;
    /// let ball = Shape::sphere(1.0)?;
    /// let ways = [Vec3::X * 6.0, Vec3::Y * 6.0];
    /// let ways = ways.map(|way| SweepQuery::new(&ball, Pose::IDENTITY, way));
    /// let mut hits = Vec::new();
    /// world.queries().sweep_batch(&ways, &mut hits);
    /// assert_eq!(hits[0].map(|hit| (hit.body, hit.distance)), Some((wall, 3.0)));
    /// assert_eq!(hits[1], None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sweep_batch(&self, queries: &[SweepQuery<'_>], hits: &mut Vec<Option<SweepHit>>) {
        let view = self.for_many(queries.len());
        answers_by_many(
            view.batch(),
            queries,
            |query| query.pose.position(),
            hits,
            |queries, hits| view.sweep_many(queries, hits),
        );
    }

    /// [`Queries::sweep_any_with`] of each query.
    pub fn sweep_any_batch(&self, queries: &[SweepQuery<'_>], hits: &mut Vec<bool>) {
        let view = self.for_many(queries.len());
        answers_by_many(
            view.batch(),
            queries,
            |query| query.pose.position(),
            hits,
            |queries, hits| view.sweep_any_many(queries, hits),
        );
    }

    /// [`Queries::sweep_all_with`] of each query.
    pub fn sweep_all_batch(&self, queries: &[SweepQuery<'_>], hits: &mut Hits<SweepHit>) {
        let view = self.for_many(queries.len());
        lists_by_many(
            view.batch(),
            queries,
            |query| query.pose.position(),
            hits,
            |queries, found| view.sweep_all_many(queries, found),
        );
    }

    /// [`Queries::time_of_impact_with`] of each query.
    ///
    /// ```
    /// use impinge_narrowphase::Motion;
    /// use impinge_shapes::{Pose, Shape, glam::Vec3};
    /// use impinge_world::{Body, FirstImpact, ImpactQuery, World};
    ///
    /// let mut world = World::new();
    /// let post = world.insert(Body::fixed(Shape::sphere(0.25)?).at(Vec3::Y * 1.5))?;
    /// let rod = Shape::capsule_along_y(1.5, 0.125)?;
    /// let start = Pose::from_position(Vec3::X)?;
    /// let turning = Motion::new(start, Vec3::ZERO, Vec3::Z * 3.0)?;
    /// let queries = [turning, Motion::still(start)].map(|motion| ImpactQuery::new(&rod, motion));
    /// let mut found = Vec::new();
    /// world.queries().time_of_impact_batch(&queries, &mut found);
    /// assert!(matches!(found[0], FirstImpact::Touches(hit) if hit.body == post));
    /// assert_eq!(found[1], FirstImpact::Apart);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn time_of_impact_batch(&self, queries: &[ImpactQuery<'_>], found: &mut Vec<FirstImpact>) {
        let view = self.for_many(queries.len());
        answers_into(
            view.batch(),
            queries,
            |query| query.motion.pose().position(),
            found,
            |query| view.time_of_impact_with(query),
        );
    }

    /// [`Queries::overlap_into`] of each query.
    pub fn overlap_batch(&self, queries: &[OverlapQuery<'_>], bodies: &mut Hits<BodyId>) {
        self.overlap_together(queries, bodies);
    }

    /// [`Queries::overlap_any_with`] of each query.
    pub fn overlap_any_batch(&self, queries: &[OverlapQuery<'_>], found: &mut Vec<bool>) {
        let view = self.for_many(queries.len());
        answers_into(
            view.batch(),
            queries,
            |query| query.pose.position(),
            found,
            |query| view.overlap_any_with(query),
        );
    }

    /// [`Queries::closest_with`] of each query.
    ///
    /// ```
    /// use impinge_shapes::{Pose, Shape, glam::Vec3};
    /// use impinge_world::{Body, ClosestQuery, World};
    ///
    /// let mut world = World::new();
    /// let body = world.insert(Body::fixed(Shape::sphere(1.0)?))?;
    /// let ball = Shape::sphere(1.0)?;
    /// let at = Pose::from_position(Vec3::X * 5.0)?;
    /// let queries = [9.0, 2.0].map(|limit| ClosestQuery::new(&ball, at, limit));
    /// let mut found = Vec::new();
    /// world.queries().closest_batch(&queries, &mut found);
    /// assert_eq!(found[0].map(|near| (near.body, near.closest.distance)), Some((body, 3.0)));
    /// assert_eq!(found[1], None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn closest_batch(
        &self,
        queries: &[ClosestQuery<'_>],
        found: &mut Vec<Option<ClosestBody>>,
    ) {
        let view = self.for_many(queries.len());
        answers_by_many(
            view.batch(),
            queries,
            |query| query.pose.position(),
            found,
            |queries, found| view.closest_many(queries, found),
        );
    }

    /// [`Queries::closest_any_with`] of each query.
    pub fn closest_any_batch(&self, queries: &[ClosestQuery<'_>], found: &mut Vec<bool>) {
        let view = self.for_many(queries.len());
        answers_by_many(
            view.batch(),
            queries,
            |query| query.pose.position(),
            found,
            |queries, found| view.closest_any_many(queries, found),
        );
    }

    /// [`Queries::closest_all_with`] of each query.
    pub fn closest_all_batch(&self, queries: &[ClosestQuery<'_>], found: &mut Hits<ClosestBody>) {
        let view = self.for_many(queries.len());
        lists_by_many(
            view.batch(),
            queries,
            |query| query.pose.position(),
            found,
            |queries, found| view.closest_all_many(queries, found),
        );
    }
}
