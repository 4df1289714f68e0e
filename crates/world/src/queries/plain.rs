//! Batches of the queries about boxes, points, planes and movements.

use impinge_narrowphase::clamp_movement;
use impinge_shapes::glam::Vec3;
use impinge_shapes::{Aabb, Plane, Pose, Shape, Sphere};

use super::Queries;
use super::order::{answers_by_many, lists_into, unplaced_answers_into};
use crate::{BodyId, ClosestBody, ClosestQuery, Filter, Hits, PlaneSplit};

/// An axis-aligned box to be asked about.
///
/// ```
/// use impinge_shapes::{Aabb, Shape, glam::Vec3};
/// use impinge_world::{AabbQuery, Body, BodyId, Filter, Hits, Kinds, World};
///
/// let mut world = World::new();
/// let ball = world.insert(Body::moving(Shape::sphere(1.0)?))?;
/// let gate = world.insert(Body::fixed(Shape::cuboid(Vec3::ONE)?).sensor(true))?;
/// let corner = Aabb::new(Vec3::splat(0.75), Vec3::ONE)?;
/// let queries = [
///     AabbQuery::new(corner), // the corner of the ball's bounds, not of the ball
///     AabbQuery::new(corner).filter(Filter::new().kinds(Kinds::ALL)),
/// ];
/// let mut bodies: Hits<BodyId> = Hits::new();
/// world.queries().overlap_aabb_batch(&queries, &mut bodies);
/// assert_eq!((&bodies[0], &bodies[1]), (&[][..], &[gate][..]));
/// world.queries().aabb_candidates_batch(&queries, &mut bodies);
/// assert_eq!((&bodies[0], &bodies[1]), (&[ball][..], &[ball, gate][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AabbQuery<'f> {
    /// The box.
    pub bounds: Aabb,
    /// Which bodies to see.
    pub filter: Filter<'f>,
}

impl<'f> AabbQuery<'f> {
    /// Against every solid body.
    #[must_use]
    pub fn new(bounds: Aabb) -> Self {
        Self { bounds, filter: Filter::default() }
    }

    /// With a filter.
    #[must_use]
    pub fn filter(mut self, filter: Filter<'f>) -> Self {
        self.filter = filter;
        self
    }
}

/// A point to be asked about.
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, Filter, PointQuery, World};
///
/// let mut world = World::new();
/// let near = world.insert(Body::moving(Shape::sphere(1.0)?))?;
/// let far = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::X * 5.0))?;
/// let here = Vec3::X * 2.0;
/// let queries = [
///     PointQuery::new(here, 0.5),
///     PointQuery::new(here, 9.0),
///     PointQuery::new(here, 9.0).filter(Filter::new().exclude(near)),
/// ];
/// let mut found = Vec::new();
/// world.queries().closest_point_batch(&queries, &mut found);
/// let bodies: Vec<_> = found.iter().map(|found| found.map(|found| found.body)).collect();
/// assert_eq!(bodies, [None, Some(near), Some(far)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PointQuery<'f> {
    /// The point, in the world.
    pub point: Vec3,
    /// How far to look for the closest body, inclusive.
    pub max_distance: f32,
    /// Which bodies to see.
    pub filter: Filter<'f>,
}

impl<'f> PointQuery<'f> {
    /// Against every solid body.
    #[must_use]
    pub fn new(point: Vec3, max_distance: f32) -> Self {
        Self { point, max_distance, filter: Filter::default() }
    }

    /// With a filter.
    #[must_use]
    pub fn filter(mut self, filter: Filter<'f>) -> Self {
        self.filter = filter;
        self
    }
}

/// Planes to be asked about: one, or those of a frustum.
///
/// ```
/// use impinge_shapes::{Plane, Shape, glam::Vec3};
/// use impinge_world::{Body, BodyId, Hits, PlanesQuery, World};
///
/// let mut world = World::new();
/// let inside = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::X * 3.0))?;
/// let across = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::X * 0.5))?;
/// world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::X * 9.0))?;
/// // What lies between x = 0 and x = 6.
/// let slab = [Plane::new(Vec3::X, 0.0)?, Plane::new(Vec3::NEG_X, -6.0)?];
/// let mut bodies: Hits<BodyId> = Hits::new();
/// world.queries().overlap_frustum_batch(&[PlanesQuery::new(&slab)], &mut bodies);
/// assert_eq!(&bodies[0], [inside, across]);
/// world.queries().overlap_plane_batch(&[PlanesQuery::new(&slab)], &mut bodies);
/// assert_eq!(&bodies[0], [across]); // what touches the first of them
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PlanesQuery<'q> {
    /// The planes.
    pub planes: &'q [Plane],
    /// Which bodies to see.
    pub filter: Filter<'q>,
}

impl<'q> PlanesQuery<'q> {
    /// Against every solid body.
    #[must_use]
    pub fn new(planes: &'q [Plane]) -> Self {
        Self { planes, filter: Filter::default() }
    }

    /// With a filter.
    #[must_use]
    pub fn filter(mut self, filter: Filter<'q>) -> Self {
        self.filter = filter;
        self
    }
}

/// A movement of an axis-aligned box that is to be cut.
///
/// ```
/// use impinge_shapes::{Aabb, Shape, glam::{Vec3, vec3}};
/// use impinge_world::{Body, Filter, MovementQuery, World};
///
/// let mut world = World::new();
/// let wall = world.insert(Body::fixed(Shape::cuboid(Vec3::ONE)?).at(vec3(4.0, 0.0, 0.0)))?;
/// let mover = Aabb::new(Vec3::NEG_ONE, Vec3::ONE)?;
/// let way = MovementQuery::new(mover, vec3(5.0, 0.5, 0.0));
/// let mut allowed = Vec::new();
/// let through = way.filter(Filter::new().exclude(wall));
/// world.queries().clamp_movement_batch(&[way, through], &mut allowed);
/// assert_eq!(allowed, [vec3(2.0, 0.5, 0.0), vec3(5.0, 0.5, 0.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MovementQuery<'f> {
    /// The box at the start.
    pub mover: Aabb,
    /// How far it is to go.
    pub movement: Vec3,
    /// Which bodies to see.
    pub filter: Filter<'f>,
}

impl<'f> MovementQuery<'f> {
    /// Against every solid body.
    #[must_use]
    pub fn new(mover: Aabb, movement: Vec3) -> Self {
        Self { mover, movement, filter: Filter::default() }
    }

    /// With a filter.
    #[must_use]
    pub fn filter(mut self, filter: Filter<'f>) -> Self {
        self.filter = filter;
        self
    }
}

impl Queries<'_> {
    /// [`Queries::overlap_aabb`] of each query.
    pub fn overlap_aabb_batch(&self, queries: &[AabbQuery<'_>], bodies: &mut Hits<BodyId>) {
        self.list_together(
            queries,
            |query| query.bounds.center(),
            |query| Some(query.bounds),
            |query, slot| self.in_box(&query.bounds, &query.filter, slot),
            bodies,
        );
    }

    /// [`Queries::aabb_candidates`] of each query.
    pub fn aabb_candidates_batch(&self, queries: &[AabbQuery<'_>], bodies: &mut Hits<BodyId>) {
        self.list_together(
            queries,
            |query| query.bounds.center(),
            |query| Some(query.bounds),
            |query, slot| self.near_box(&query.bounds, &query.filter, slot),
            bodies,
        );
    }

    /// [`Queries::contains_point`] of each query.
    pub fn contains_point_batch(&self, queries: &[PointQuery<'_>], bodies: &mut Hits<BodyId>) {
        self.list_together(
            queries,
            |query| query.point,
            |query| Aabb::from_point(query.point).ok(),
            |query, slot| self.around_point(query.point, &query.filter, slot),
            bodies,
        );
    }

    /// [`Queries::closest_point`] of each query.
    pub fn closest_point_batch(
        &self,
        queries: &[PointQuery<'_>],
        found: &mut Vec<Option<ClosestBody>>,
    ) {
        let view = self.for_many(queries.len());
        let shape = Sphere::new(0.0).ok().map(Shape::from);
        answers_by_many(
            view.batch(),
            queries,
            |query| query.point,
            found,
            |queries, found| {
                let Some(shape) = &shape else { return };
                let around = queries.iter().map(|query| {
                    // Nothing is close to a point that is not finite.
                    let (pose, max_distance) = Pose::from_position(query.point)
                        .map_or((Pose::IDENTITY, f32::NAN), |pose| (pose, query.max_distance));
                    ClosestQuery::new(shape, pose, max_distance).filter(query.filter)
                });
                let around: Vec<ClosestQuery<'_>> = around.collect();
                view.closest_many(&around, found);
            },
        );
    }

    /// [`Queries::overlap_plane`] of the first plane of each query; none finds nothing.
    pub fn overlap_plane_batch(&self, queries: &[PlanesQuery<'_>], bodies: &mut Hits<BodyId>) {
        let view = self.for_many(queries.len());
        lists_into(
            view.batch(),
            queries,
            |_| Vec3::ZERO,
            bodies,
            |query, bodies| {
                let plane = query.planes.first();
                bodies.extend(
                    plane.map(|plane| view.overlap_plane(plane, &query.filter)).unwrap_or_default(),
                );
            },
        );
    }

    /// [`Queries::classify_plane`] of the first plane of each query; without a plane all lists are
    /// empty.
    pub fn classify_plane_batch(&self, queries: &[PlanesQuery<'_>], splits: &mut Vec<PlaneSplit>) {
        let view = self.for_many(queries.len());
        unplaced_answers_into(view.batch(), queries, splits, |query| {
            let plane = query.planes.first();
            plane.map(|plane| view.classify_plane(plane, &query.filter)).unwrap_or_default()
        });
    }

    /// [`Queries::overlap_frustum`] of each query.
    pub fn overlap_frustum_batch(&self, queries: &[PlanesQuery<'_>], bodies: &mut Hits<BodyId>) {
        let view = self.for_many(queries.len());
        lists_into(
            view.batch(),
            queries,
            |_| Vec3::ZERO,
            bodies,
            |query, bodies| {
                bodies.extend(view.overlap_frustum(query.planes, &query.filter));
            },
        );
    }

    /// [`Queries::clamp_movement`] of each query.
    pub fn clamp_movement_batch(&self, queries: &[MovementQuery<'_>], allowed: &mut Vec<Vec3>) {
        let view = self.for_many(queries.len());
        answers_by_many(
            view.batch(),
            queries,
            |query| query.mover.center(),
            allowed,
            |queries, allowed| {
                let ways = queries.iter().map(|query| query.mover.sweep_bounds(query.movement));
                let ways: Vec<Aabb> = ways.collect();
                for (query, allowed) in queries.iter().zip(&mut *allowed) {
                    *allowed = clamp_movement(&query.mover, query.movement, []);
                }
                view.near_boxes(&ways, |place, slot| {
                    let MovementQuery { mover, filter, .. } = &queries[place];
                    allowed[place] = view.clamped_at(slot, mover, allowed[place], filter);
                });
            },
        );
    }
}
