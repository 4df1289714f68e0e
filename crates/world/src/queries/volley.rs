//! Rays of different queries, cast together at the bodies that they met.

use impinge_broadphase::Met;
use impinge_narrowphase::batch::{RayOf, ray_cuboid, ray_sphere, ray_triangle};
use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{Cuboid, RayOptions, Shape, ShapeRayHit, Sphere, Triangle};

use super::best::Best;
use super::lists::Unsorted;
use super::ray::STOP;
use super::{Queries, RayQuery};
use crate::body::Stored;
use crate::{BodyId, RayHit};

/// What becomes of hits.
pub(super) trait Keep {
    /// How far a ray at the next body of this query is to go.
    fn limit(&self, place: usize, query: &RayQuery<'_>) -> f32;

    /// Whether no hit of the body in this slot could count.
    fn passes_over(&self, place: usize, slot: u32) -> bool;

    /// Takes a hit of this query, which may lie a little beyond that limit but not beyond the
    /// query's end.
    fn offer(&mut self, place: usize, body: BodyId, hit: ShapeRayHit);
}

/// What becomes of hits where they end the search.
pub(super) trait Search: Keep {
    /// How far the search must go on; a negative number ends it.
    fn reach(&self, place: usize, query: &RayQuery<'_>) -> f32;

    /// Whether nothing that is met beyond the start could count.
    fn is_settled(&self, _place: usize) -> bool {
        false
    }
}

/// Keeps the first hit of each query.
impl Keep for &mut [Option<RayHit>] {
    #[inline]
    fn limit(&self, place: usize, query: &RayQuery<'_>) -> f32 {
        self[place].limit(query.max_distance)
    }

    #[inline]
    fn passes_over(&self, place: usize, slot: u32) -> bool {
        self[place].is_first_before(slot)
    }

    #[inline]
    fn offer(&mut self, place: usize, body: BodyId, hit: ShapeRayHit) {
        self[place].offer(RayHit::new(body, hit));
    }
}

impl Search for &mut [Option<RayHit>] {
    #[inline]
    fn reach(&self, place: usize, query: &RayQuery<'_>) -> f32 {
        self[place].reach(query.max_distance)
    }

    #[inline]
    fn is_settled(&self, place: usize) -> bool {
        self[place].is_at_start()
    }
}

/// Keeps whether there is any hit.
impl Keep for &mut [bool] {
    #[inline]
    fn limit(&self, _: usize, query: &RayQuery<'_>) -> f32 {
        query.max_distance
    }

    #[inline]
    fn passes_over(&self, place: usize, _: u32) -> bool {
        self[place]
    }

    #[inline]
    fn offer(&mut self, place: usize, _: BodyId, _: ShapeRayHit) {
        self[place] = true;
    }
}

impl Search for &mut [bool] {
    #[inline]
    fn reach(&self, place: usize, query: &RayQuery<'_>) -> f32 {
        if self[place] { STOP } else { query.max_distance }
    }
}

/// Keeps all hits.
impl Keep for Unsorted<RayHit> {
    #[inline]
    fn limit(&self, _: usize, query: &RayQuery<'_>) -> f32 {
        query.max_distance
    }

    #[inline]
    fn passes_over(&self, _: usize, _: u32) -> bool {
        false
    }

    #[inline]
    fn offer(&mut self, place: usize, body: BodyId, hit: ShapeRayHit) {
        self.push(place, RayHit::new(body, hit));
    }
}

impl Queries<'_> {
    /// Casts the ray of a query at a body.
    fn cast_alone(
        &self,
        query: &RayQuery<'_>,
        (place, body, stored): (usize, BodyId, &Stored),
        kept: &mut impl Keep,
    ) {
        let limit = kept.limit(place, query);
        if let Some(hit) = self.ray_at(query, body, stored, limit) {
            kept.offer(place, body, hit);
        }
    }
}

/// Rays at bodies; those at shapes with kernels for rays wait until all are known.
pub(super) struct Volley<'q> {
    queries: &'q Queries<'q>,
    /// No filter leaves out a body like most, and nobody counts.
    is_plain: bool,
    cuboids: Shots<'q, Cuboid>,
    spheres: Shots<'q, Sphere>,
    triangles: Shots<'q, Triangle>,
    /// Those that hit, each by its place among the rays.
    found: Vec<(usize, ShapeRayHit)>,
}

/// Rays at shapes of one kind.
struct Shots<'q, T> {
    rays: Vec<RayOf<'q, T>>,
    /// The query of each, and the body.
    of: Vec<(usize, BodyId, &'q Stored)>,
}

/// The kernel for shapes of one kind.
type Kernel<'q, T> =
    fn(&[RayOf<'q, T>], f32, &RayOptions, SimdLevel, &mut Vec<(usize, ShapeRayHit)>);

impl<'q, T> Shots<'q, T> {
    fn new() -> Self {
        Self { rays: Vec::new(), of: Vec::new() }
    }

    fn clear(&mut self) {
        self.rays.clear();
        self.of.clear();
    }

    #[inline(always)]
    fn push(
        &mut self,
        shape: &'q T,
        query: &'q RayQuery<'q>,
        place: usize,
        body: BodyId,
        stored: &'q Stored,
    ) {
        self.rays.push(RayOf { ray: &query.ray, shape, pose: &stored.pose });
        self.of.push((place, body, stored));
    }
}

impl<'q> Volley<'q> {
    /// For rays of these queries.
    pub(super) fn new(queries: &'q Queries<'q>, rays: &[RayQuery<'_>]) -> Self {
        let (cuboids, spheres, triangles) = (Shots::new(), Shots::new(), Shots::new());
        let is_plain = queries.counter.is_none() && rays.iter().all(|ray| ray.filter.is_plain());
        Self { queries, is_plain, cuboids, spheres, triangles, found: Vec::new() }
    }

    /// Casts the rays at the bodies they met.
    pub(super) fn fire(&mut self, queries: &'q [RayQuery<'q>], met: &[Met], kept: &mut impl Keep) {
        let open = |met: &&Met| !kept.passes_over(met.query as usize, met.id);
        self.queries.fetch(met.iter().filter(open).map(|met| met.id));
        self.cuboids.clear();
        self.spheres.clear();
        self.triangles.clear();
        let (mut shared, mut longest): (Option<&RayOptions>, f32) = (None, 0.0);
        for met in met {
            let place = met.query as usize;
            let query = &queries[place];
            if kept.passes_over(place, met.id) {
                continue;
            }
            let seen = if self.is_plain {
                self.queries.seen_plainly(met.id, &query.filter)
            } else {
                self.queries.seen(met.id, &query.filter)
            };
            let Some((body, stored)) = seen else { continue };
            // One call of a kernel takes one set of options.
            let fits = shared.is_none_or(|shared| *shared == query.options);
            match &stored.shape {
                Shape::Cuboid(cuboid) if fits => {
                    self.cuboids.push(cuboid, query, place, body, stored);
                }
                Shape::Sphere(sphere) if fits => {
                    self.spheres.push(sphere, query, place, body, stored);
                }
                Shape::Triangle(triangle) if fits => {
                    self.triangles.push(triangle, query, place, body, stored);
                }
                _ => {
                    self.queries.cast_alone(query, (place, body, stored), kept);
                    continue;
                }
            }
            shared = Some(&query.options);
            longest = longest.max(kept.limit(place, query));
        }
        if let Some(options) = shared {
            let (view, found) = (self.queries, &mut self.found);
            let end = End { longest, options, view };
            end.cast(&self.cuboids, ray_cuboid::hits, queries, found, kept);
            end.cast(&self.spheres, ray_sphere::hits, queries, found, kept);
            end.cast(&self.triangles, ray_triangle::hits, queries, found, kept);
        }
    }
}

/// What the rays of one call of a kernel share.
struct End<'q> {
    /// At least as far as each of them goes.
    longest: f32,
    options: &'q RayOptions,
    view: &'q Queries<'q>,
}

impl End<'_> {
    fn cast<'q, T>(
        &self,
        shots: &Shots<'q, T>,
        kernel: Kernel<'q, T>,
        queries: &[RayQuery<'_>],
        found: &mut Vec<(usize, ShapeRayHit)>,
        kept: &mut impl Keep,
    ) {
        if shots.rays.is_empty() {
            return;
        }
        let level = self.view.index.simd_level();
        kernel(&shots.rays, self.longest, self.options, level, found);
        for (at, hit) in found.drain(..) {
            let shot = shots.of[at];
            let (place, body, _) = shot;
            let query = &queries[place];
            // What rounded numbers tell from the end by more than a step, exact ones do, too.
            if is_before(hit.distance, query.max_distance) {
                kept.offer(place, body, hit);
            } else if hit.distance <= query.max_distance.next_up() {
                self.view.cast_alone(query, shot, kept);
            }
        }
    }
}

/// Whether a distance, which is not negative, lies more than a step before the end; most lie far
/// before it.
#[inline(always)]
fn is_before(distance: f32, end: f32) -> bool {
    // What is added is more than a step, and no branch.
    (distance + f32::MIN_POSITIVE) * (1.0 + 4.0 * f32::EPSILON) < end || distance.next_up() < end
}
