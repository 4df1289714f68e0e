//! Batches of the queries about boxes, points, planes and movements.

use impinge_shapes::glam::Vec3;
use impinge_shapes::{Aabb, Plane};

use super::Queries;
use super::order::{answers_into, lists_into};
use crate::{BodyId, ClosestBody, Filter, Hits, PlaneSplit};

/// An axis-aligned box to be asked about.
#[derive(Clone, Copy, Debug)]
pub struct AabbQuery<'f> {
    /// The box.
    pub bounds: Aabb,
    /// Which bodies to see.
    pub filter: Filter<'f>,
}

/// A point to be asked about.
#[derive(Clone, Copy, Debug)]
pub struct PointQuery<'f> {
    /// The point, in the world.
    pub point: Vec3,
    /// How far to look for the closest body, inclusive.
    pub max_distance: f32,
    /// Which bodies to see.
    pub filter: Filter<'f>,
}

/// Planes to be asked about: one, or those of a frustum.
#[derive(Clone, Copy, Debug)]
pub struct PlanesQuery<'q> {
    /// The planes.
    pub planes: &'q [Plane],
    /// Which bodies to see.
    pub filter: Filter<'q>,
}

/// A movement of an axis-aligned box that is to be cut.
#[derive(Clone, Copy, Debug)]
pub struct MovementQuery<'f> {
    /// The box at the start.
    pub mover: Aabb,
    /// How far it is to go.
    pub movement: Vec3,
    /// Which bodies to see.
    pub filter: Filter<'f>,
}

impl Queries<'_> {
    /// [`Queries::overlap_aabb`] of each query.
    pub fn overlap_aabb_batch(&self, queries: &[AabbQuery<'_>], bodies: &mut Hits<BodyId>) {
        lists_into(
            self.batch(),
            queries,
            |query| query.bounds.center(),
            bodies,
            |query, bodies| {
                bodies.extend(self.overlap_aabb(&query.bounds, &query.filter));
            },
        );
    }

    /// [`Queries::aabb_candidates`] of each query.
    pub fn aabb_candidates_batch(&self, queries: &[AabbQuery<'_>], bodies: &mut Hits<BodyId>) {
        lists_into(
            self.batch(),
            queries,
            |query| query.bounds.center(),
            bodies,
            |query, bodies| {
                bodies.extend(self.aabb_candidates(&query.bounds, &query.filter));
            },
        );
    }

    /// [`Queries::contains_point`] of each query.
    pub fn contains_point_batch(&self, queries: &[PointQuery<'_>], bodies: &mut Hits<BodyId>) {
        lists_into(
            self.batch(),
            queries,
            |query| query.point,
            bodies,
            |query, bodies| {
                bodies.extend(self.contains_point(query.point, &query.filter));
            },
        );
    }

    /// [`Queries::closest_point`] of each query.
    pub fn closest_point_batch(
        &self,
        queries: &[PointQuery<'_>],
        found: &mut Vec<Option<ClosestBody>>,
    ) {
        answers_into(
            self.batch(),
            queries,
            |query| query.point,
            found,
            |query| self.closest_point(query.point, query.max_distance, &query.filter),
        );
    }

    /// [`Queries::overlap_plane`] of the first plane of each query; none finds nothing.
    pub fn overlap_plane_batch(&self, queries: &[PlanesQuery<'_>], bodies: &mut Hits<BodyId>) {
        lists_into(
            self.batch(),
            queries,
            |_| Vec3::ZERO,
            bodies,
            |query, bodies| {
                let plane = query.planes.first();
                bodies.extend(
                    plane.map(|plane| self.overlap_plane(plane, &query.filter)).unwrap_or_default(),
                );
            },
        );
    }

    /// [`Queries::classify_plane`] of the first plane of each query; without a plane all lists are
    /// empty.
    pub fn classify_plane_batch(&self, queries: &[PlanesQuery<'_>], splits: &mut Vec<PlaneSplit>) {
        answers_into(
            self.batch(),
            queries,
            |_| Vec3::ZERO,
            splits,
            |query| {
                let plane = query.planes.first();
                plane.map(|plane| self.classify_plane(plane, &query.filter)).unwrap_or_default()
            },
        );
    }

    /// [`Queries::overlap_frustum`] of each query.
    pub fn overlap_frustum_batch(&self, queries: &[PlanesQuery<'_>], bodies: &mut Hits<BodyId>) {
        lists_into(
            self.batch(),
            queries,
            |_| Vec3::ZERO,
            bodies,
            |query, bodies| {
                bodies.extend(self.overlap_frustum(query.planes, &query.filter));
            },
        );
    }

    /// [`Queries::clamp_movement`] of each query.
    pub fn clamp_movement_batch(&self, queries: &[MovementQuery<'_>], allowed: &mut Vec<Vec3>) {
        answers_into(
            self.batch(),
            queries,
            |query| query.mover.center(),
            allowed,
            |query| self.clamp_movement(&query.mover, query.movement, &query.filter),
        );
    }
}
