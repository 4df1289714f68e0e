//! Rays through the world.

use std::ops::Range;
use std::slice::from_ref;

use impinge_broadphase::{Cast, Met};
use impinge_shapes::glam::Vec3;
use impinge_shapes::{Aabb, Ray, RayOptions, ShapeRayHit};

use super::best::Best;
use super::last_word::is_told_early;
use super::lists::Unsorted;
use super::volley::{Search, Volley};
use super::{Queries, lists};
use crate::body::Stored;
use crate::tolerance::{SEARCH_SLACK, TOLD_AS_ZERO};
use crate::{BodyId, Filter, RayHit};

/// Rays of a task by which it is told whether many start in a body.
const SAMPLE: usize = 32;

/// How many of them are many.
///
/// - Reason: what is around a start is found for many starts together, and need not be met again. It
///   pays where a quarter of the rays end there, as two fifths in `mixed` do (rays 1.11, at any body
///   1.08 times as fast), and costs up to a tenth or more where a tenth does.
const MANY: usize = SAMPLE / 4;

/// Tasks of fewer samples ask none.
const SAMPLES: usize = 8;

/// A ray with all that can be said about it.
///
/// ```
/// use impinge_shapes::{Ray, RayOptions, StartedInside, Shape, glam::Vec3};
/// use impinge_world::{Body, RayQuery, World};
///
/// let mut world = World::new();
/// world.insert(Body::fixed(Shape::sphere(2.0)?))?;
/// let out = RayQuery::new(Ray::new(Vec3::ZERO, Vec3::X)?, 10.0)
///     .options(RayOptions { started_inside: StartedInside::Exit, ..Default::default() });
/// let hit = world.queries().raycast_with(&out).unwrap();
/// assert_eq!((hit.distance, hit.normal), (2.0, Vec3::X));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RayQuery<'f> {
    /// Origin and direction.
    pub ray: Ray,
    /// How far along the ray to look, inclusive; may be infinite.
    pub max_distance: f32,
    /// Starts inside a shape, and back faces.
    pub options: RayOptions,
    /// Which bodies to see.
    pub filter: Filter<'f>,
}

impl<'f> RayQuery<'f> {
    /// Against every solid body.
    #[must_use]
    pub fn new(ray: Ray, max_distance: f32) -> Self {
        Self { ray, max_distance, options: RayOptions::default(), filter: Filter::default() }
    }

    /// With other options.
    #[must_use]
    pub fn options(mut self, options: RayOptions) -> Self {
        self.options = options;
        self
    }

    /// With a filter.
    #[must_use]
    pub fn filter(mut self, filter: Filter<'f>) -> Self {
        self.filter = filter;
        self
    }
}

impl RayQuery<'_> {
    /// What the index sees of the query.
    fn cast(&self) -> Cast {
        let mover = Aabb::from_point(self.ray.origin()).unwrap_or(Aabb::EVERYTHING);
        Cast::new(mover, self.ray.direction(), self.max_distance)
    }
}

impl Queries<'_> {
    /// The first body along a ray.
    #[must_use]
    pub fn raycast(&self, ray: &Ray, max_distance: f32, filter: &Filter<'_>) -> Option<RayHit> {
        self.raycast_with(&RayQuery::new(*ray, max_distance).filter(*filter))
    }

    /// Whether a ray hits any body.
    #[must_use]
    pub fn raycast_any(&self, ray: &Ray, max_distance: f32, filter: &Filter<'_>) -> bool {
        self.raycast_any_with(&RayQuery::new(*ray, max_distance).filter(*filter))
    }

    /// Every body along a ray, each at its first hit, by distance; `hits` is overwritten.
    pub fn raycast_all(
        &self,
        ray: &Ray,
        max_distance: f32,
        filter: &Filter<'_>,
        hits: &mut Vec<RayHit>,
    ) {
        self.raycast_all_with(&RayQuery::new(*ray, max_distance).filter(*filter), hits);
    }

    /// [`Queries::raycast`] with options.
    #[must_use]
    pub fn raycast_with(&self, query: &RayQuery<'_>) -> Option<RayHit> {
        let mut best: Option<RayHit> = None;
        self.along(query, query.max_distance, |slot| {
            if !best.is_first_before(slot)
                && let Some((body, stored)) = self.seen(slot, &query.filter)
            {
                let limit = best.limit(query.max_distance);
                if let Some(hit) = self.ray_at(query, body, stored, limit) {
                    best.offer(RayHit::new(body, hit));
                }
            }
            best.reach(query.max_distance)
        });
        best
    }

    /// [`Queries::raycast_with`] of each query, side by side; `hits` holds none yet.
    pub(super) fn raycast_many(&self, queries: &[RayQuery<'_>], mut hits: &mut [Option<RayHit>]) {
        let casts = self.casts(queries, &mut hits);
        self.cast_many(queries, &casts, &mut hits);
    }

    /// [`Queries::raycast_any_with`] of each query, side by side.
    pub(super) fn raycast_any_many(&self, queries: &[RayQuery<'_>], mut hits: &mut [bool]) {
        let casts = self.casts(queries, &mut hits);
        self.cast_many(queries, &casts, &mut hits);
    }

    /// Finds what [`Queries::raycast_all_with`] lists for each query, side by side.
    pub(super) fn raycast_all_many(&self, queries: &[RayQuery<'_>], found: &mut Unsorted<RayHit>) {
        let casts: Vec<Cast> = queries.iter().map(RayQuery::cast).collect();
        let mut volley = Volley::new(self, queries);
        self.index.cast_all(&casts, |met| volley.fire(queries, met, found));
    }

    /// What the index sees of the queries, but for those that are settled because they start in a
    /// body, which are looked for if so many of the first do.
    fn casts(&self, queries: &[RayQuery<'_>], kept: &mut impl Search) -> Vec<Cast> {
        let mut casts: Vec<Cast> = queries.iter().map(RayQuery::cast).collect();
        if queries.len() >= SAMPLES * SAMPLE {
            let settled = self.cast_at_starts(queries, &mut casts, 0..SAMPLE, kept);
            if settled >= MANY {
                self.cast_at_starts(queries, &mut casts, SAMPLE..queries.len(), kept);
            }
        }
        casts
    }

    /// Casts rays at the bodies around their starts. Those that start in a body are settled, and
    /// their casts end before they begin; how many they are.
    ///
    /// Of the bodies hit at 0 the one with the smallest id is to be found, and all of them are
    /// around the start: a hit that is told at 0 lies within two of the smallest f32, and so do the
    /// body's bounds. Of shapes whose hits may be told earlier, the bounds are asked
    /// ([`Queries::ray_at`]). What the index tells at 0 is around the start, too, and need not be
    /// met again.
    fn cast_at_starts(
        &self,
        queries: &[RayQuery<'_>],
        casts: &mut [Cast],
        places: Range<usize>,
        kept: &mut impl Search,
    ) -> usize {
        let mut volley = Volley::new(self, queries);
        let mut near: Vec<Met> = Vec::new();
        let around = |cast: &Cast| around(cast.mover.min());
        let starts: Vec<Aabb> = casts[places.clone()].iter().map(around).collect();
        self.index.overlap_many(&starts, |met| {
            near.clear();
            for met in met {
                let place = met.query as usize + places.start;
                // No hit lies within a limit that is negative or no number.
                if let (true, Ok(query)) = (queries[place].max_distance >= 0.0, place.try_into()) {
                    near.push(Met { query, ..*met });
                }
            }
            volley.fire(queries, &near, kept);
        });
        let mut settled = 0;
        for place in places {
            let limit = kept.reach(place, &queries[place]);
            let cast = &mut casts[place];
            // What is around the start was met.
            cast.beyond_start = true;
            cast.max_fraction = if kept.is_settled(place) { STOP } else { limit };
            settled += usize::from(cast.max_fraction < 0.0);
        }
        settled
    }

    /// Casts the rays at all bodies that they meet.
    fn cast_many(&self, queries: &[RayQuery<'_>], casts: &[Cast], kept: &mut impl Search) {
        let mut volley = Volley::new(self, queries);
        self.index.cast_many(casts, |met, limits| {
            volley.fire(queries, met, kept);
            for (met, limit) in met.iter().zip(limits) {
                let place = met.query as usize;
                *limit = kept.reach(place, &queries[place]);
            }
        });
    }

    /// [`Queries::raycast_any`] with options.
    #[must_use]
    pub fn raycast_any_with(&self, query: &RayQuery<'_>) -> bool {
        let mut is_hit = false;
        self.along(query, query.max_distance, |slot| {
            is_hit = self.ray_hit(query, slot).is_some();
            if is_hit { STOP } else { query.max_distance }
        });
        is_hit
    }

    /// [`Queries::raycast_all`] with options.
    pub fn raycast_all_with(&self, query: &RayQuery<'_>, hits: &mut Vec<RayHit>) {
        hits.clear();
        self.append_ray_hits(query, hits);
    }

    /// Appends every hit of a ray, sorted.
    pub(super) fn append_ray_hits(&self, query: &RayQuery<'_>, hits: &mut Vec<RayHit>) {
        lists::append(hits, |found| self.raycast_all_many(from_ref(query), found));
    }

    fn ray_hit(&self, query: &RayQuery<'_>, slot: u32) -> Option<RayHit> {
        let (body, stored) = self.seen(slot, &query.filter)?;
        let hit = self.ray_at(query, body, stored, query.max_distance)?;
        Some(RayHit::new(body, hit))
    }

    /// Where a ray hits a body, up to a limit or a little beyond.
    ///
    /// Where a shape may tell a hit a little early, or one that passes it by, its bounds have the
    /// last word, so that no answer depends on how much larger they are in the index.
    pub(super) fn ray_at(
        &self,
        query: &RayQuery<'_>,
        body: BodyId,
        stored: &Stored,
        limit: f32,
    ) -> Option<ShapeRayHit> {
        let mut hit = stored.shape.raycast(&stored.pose, &query.ray, limit, &query.options)?;
        if is_told_early(&stored.shape) {
            let bounds = self.bodies.bounds(body.index());
            let entry = bounds.raycast(&query.ray, query.max_distance, &RayOptions::default())?;
            // What rounding alone may make of it, a search looks for anyway.
            if entry.distance > hit.distance + hit.distance * SEARCH_SLACK {
                (hit.distance, hit.point) = (entry.distance, entry.point);
                if hit.started_inside {
                    (hit.started_inside, hit.normal) = (false, entry.normal);
                }
            }
        }
        Some(hit)
    }

    /// Visits the bodies whose bounds the ray meets, up to the distance that the visits return.
    fn along(&self, query: &RayQuery<'_>, max: f32, mut visit: impl FnMut(u32) -> f32) {
        if max >= 0.0 {
            let ray = &query.ray;
            self.index.ray(ray.origin(), ray.direction(), max, |slot, _| visit(slot));
        }
    }
}

/// A box that holds all that a ray from here is told to hit at 0, and perhaps a few last places more.
fn around(start: Vec3) -> Aabb {
    // More than a step of what is large, and all of what is small.
    let room = start.abs() * (2.0 * f32::EPSILON) + TOLD_AS_ZERO;
    Aabb::new(start - room, start + room).unwrap_or(Aabb::EVERYTHING)
}

/// A maximum below every distance: ends a search.
pub(super) const STOP: f32 = -1.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_at_zero_lies_around_the_start() {
        let least = f32::from_bits(1);
        for x in [0.0, -0.0, least, 3.0 * TOLD_AS_ZERO, 1e-20, 0.1, -1.0, 1e7, -1e30, f32::MAX] {
            let (bounds, exact) = (around(Vec3::splat(x)), f64::from(x));
            assert!(f64::from(bounds.min().x) <= exact - f64::from(TOLD_AS_ZERO), "{x}");
            assert!(f64::from(bounds.max().y) >= exact + f64::from(TOLD_AS_ZERO), "{x}");
            assert!(bounds.min().z < x && bounds.max().z > x, "{x}");
            let wide = bounds.max().x - bounds.min().x;
            assert!(x >= f32::MAX || wide <= 3.0 * TOLD_AS_ZERO + x.abs() * 1e-6, "{x}");
        }
    }
}
