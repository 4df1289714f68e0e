//! What is near.

use std::slice::from_ref;

use impinge_broadphase::Near;
use impinge_narrowphase::{self as narrow, Closest};
use impinge_shapes::glam::Vec3;
use impinge_shapes::{Aabb, Pose, Shape, Sphere};

use super::best::Best;
use super::last_word::within_bounds;
use super::ray::STOP;
use super::{Queries, lists};
use crate::body::Stored;
use crate::{BodyId, ClosestBody, Filter};

/// A shape whose surroundings are asked about.
///
/// ```
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
/// use impinge_world::{Body, ClosestQuery, Filter, World};
///
/// let mut world = World::new();
/// let near = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::X * 4.0))?;
/// let far = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::Y * 9.0))?;
/// let ball = Shape::sphere(1.0)?;
/// let around = ClosestQuery::new(&ball, Pose::IDENTITY, 10.0);
/// let mut found = Vec::new();
/// world.queries().closest_all_with(&around, &mut found);
/// let distances: Vec<_> = found.iter().map(|found| (found.body, found.closest.distance)).collect();
/// assert_eq!(distances, [(near, 2.0), (far, 7.0)]);
/// let but_one = around.filter(Filter::new().exclude(near));
/// assert_eq!(world.queries().closest_with(&but_one).map(|found| found.body), Some(far));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ClosestQuery<'q> {
    /// The shape, in its own frame.
    pub shape: &'q Shape,
    /// Where it is.
    pub pose: Pose,
    /// How far to look, inclusive; may be infinite. Below zero only overlaps of this depth and
    /// more are found.
    pub max_distance: f32,
    /// Which bodies to see.
    pub filter: Filter<'q>,
}

impl<'q> ClosestQuery<'q> {
    /// Against every solid body.
    #[must_use]
    pub fn new(shape: &'q Shape, pose: Pose, max_distance: f32) -> Self {
        Self { shape, pose, max_distance, filter: Filter::default() }
    }

    /// With a filter.
    #[must_use]
    pub fn filter(mut self, filter: Filter<'q>) -> Self {
        self.filter = filter;
        self
    }
}

impl ClosestQuery<'_> {
    /// What the index sees of the query.
    pub(super) fn near(&self) -> Near {
        if self.max_distance.is_nan() {
            return Near { from: Aabb::EVERYTHING, max_distance: STOP };
        }
        let from = self.shape.aabb(&self.pose);
        Near { from, max_distance: self.max_distance.max(0.0) }
    }
}

impl Queries<'_> {
    /// The body closest to a shape, or the one that it overlaps most deeply.
    ///
    /// ```
    /// use impinge_shapes::{Pose, Shape, glam::Vec3};
    /// use impinge_world::{Body, Filter, World};
    ///
    /// let mut world = World::new();
    /// let near = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::X * 4.0))?;
    /// world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::Y * 9.0))?;
    /// let ball = Shape::sphere(1.0)?;
    /// let queries = world.queries();
    /// let found = queries.closest(&ball, &Pose::IDENTITY, 10.0, &Filter::default()).unwrap();
    /// assert_eq!((found.body, found.closest.distance), (near, 2.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn closest(
        &self,
        shape: &Shape,
        pose: &Pose,
        max_distance: f32,
        filter: &Filter<'_>,
    ) -> Option<ClosestBody> {
        self.closest_with(&ClosestQuery::new(shape, *pose, max_distance).filter(*filter))
    }

    /// The body closest to a point; none for a point that is not finite.
    #[must_use]
    pub fn closest_point(
        &self,
        point: Vec3,
        max_distance: f32,
        filter: &Filter<'_>,
    ) -> Option<ClosestBody> {
        let shape = Sphere::new(0.0).ok()?.into();
        self.closest(&shape, &Pose::from_position(point).ok()?, max_distance, filter)
    }

    /// Whether any body lies within a distance of a shape.
    #[must_use]
    pub fn closest_any(
        &self,
        shape: &Shape,
        pose: &Pose,
        max_distance: f32,
        filter: &Filter<'_>,
    ) -> bool {
        self.closest_any_with(&ClosestQuery::new(shape, *pose, max_distance).filter(*filter))
    }

    /// Every body within a distance of a shape, the closest first; `found` is overwritten.
    pub fn closest_all(
        &self,
        shape: &Shape,
        pose: &Pose,
        max_distance: f32,
        filter: &Filter<'_>,
        found: &mut Vec<ClosestBody>,
    ) {
        let query = ClosestQuery::new(shape, *pose, max_distance).filter(*filter);
        self.closest_all_with(&query, found);
    }

    /// [`Queries::closest`] as a query.
    #[must_use]
    pub fn closest_with(&self, query: &ClosestQuery<'_>) -> Option<ClosestBody> {
        let mut best = None;
        self.around(query, |slot, from| {
            let limit = best.limit(query.max_distance);
            if let Some(found) = self.closest_to(query, from, slot, limit) {
                best.offer(found);
            }
            // Bounds are never closer than 0, while shapes may overlap to any depth.
            best.reach(query.max_distance).max(0.0)
        });
        best
    }

    /// [`Queries::closest_any`] as a query.
    #[must_use]
    pub fn closest_any_with(&self, query: &ClosestQuery<'_>) -> bool {
        let mut found = false;
        self.around(query, |slot, from| {
            found = self.closest_to(query, from, slot, query.max_distance).is_some();
            if found { STOP } else { query.max_distance.max(0.0) }
        });
        found
    }

    /// [`Queries::closest_all`] as a query.
    pub fn closest_all_with(&self, query: &ClosestQuery<'_>, found: &mut Vec<ClosestBody>) {
        found.clear();
        self.append_closest(query, found);
    }

    /// Appends every body within the distance, sorted.
    pub(super) fn append_closest(&self, query: &ClosestQuery<'_>, found: &mut Vec<ClosestBody>) {
        lists::append(found, |found| self.closest_all_many(from_ref(query), found));
    }

    fn closest_to(
        &self,
        query: &ClosestQuery<'_>,
        from: &Aabb,
        slot: u32,
        limit: f32,
    ) -> Option<ClosestBody> {
        let (body, stored) = self.seen(slot, &query.filter)?;
        let closest = self.closest_of(query, from, (body, stored), limit)?;
        Some(ClosestBody { body, closest })
    }

    /// How close a body is to a query with these bounds.
    pub(super) fn closest_of(
        &self,
        query: &ClosestQuery<'_>,
        from: &Aabb,
        (body, stored): (BodyId, &Stored),
        limit: f32,
    ) -> Option<Closest> {
        let (shape, pose) = (&stored.shape, &stored.pose);
        let closest = narrow::closest(query.shape, &query.pose, shape, pose, limit)?;
        let bounds = self.bodies.bounds(body.index());
        within_bounds((query.shape, from), (shape, bounds), closest, limit)
    }

    /// Visits the bodies whose bounds lie within the distance that the visits return.
    fn around(&self, query: &ClosestQuery<'_>, mut visit: impl FnMut(u32, &Aabb) -> f32) {
        let Near { from, max_distance } = query.near();
        self.index.nearest(&from, max_distance, |slot, _| visit(slot, &from));
    }
}
