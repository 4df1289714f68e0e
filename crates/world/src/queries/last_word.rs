//! Bounds have the last word.
//!
//! Shapes may be told to touch, or to be nearer, by rounding more than they are. What lies there is
//! found only if its bounds in the index come as near, and these are larger than the body's own, by as
//! much as its history says. So that no answer depends on it, no answer is nearer than bounds are.

use impinge_broadphase::Cast;
use impinge_narrowphase::{Closest, sweep_aabb};
use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Aabb, Shape, round};

use super::{OverlapQuery, Queries, SweepQuery};
use crate::SweepHit;
use crate::body::Stored;

/// Whether what comes very near the shape may count as touching it.
pub(super) fn is_told_early(shape: &Shape) -> bool {
    matches!(shape, Shape::Cylinder(_) | Shape::Cone(_) | Shape::Rounded(_) | Shape::Compound(_))
}

/// Whether pairs of this kind with others like it are told side by side, and as near as they are.
pub(super) fn has_lanes(shape: &Shape) -> bool {
    matches!(shape, Shape::Sphere(_) | Shape::Cuboid(_) | Shape::Capsule(_))
}

/// What bounds say about the closest points of a shape and a body.
pub(super) fn within_bounds(
    (shape, bounds): (&Shape, &Aabb),
    (other, others): (&Shape, &Aabb),
    mut closest: Closest,
    limit: f32,
) -> Option<Closest> {
    if !(has_lanes(shape) && has_lanes(other)) {
        let gap = gap(bounds, others);
        // Bounds that overlap say nothing about depths.
        if gap > 0.0 && closest.distance < gap {
            closest.distance = gap;
        }
    }
    (closest.distance <= limit).then_some(closest)
}

/// The distance of two boxes.
fn gap(a: &Aabb, b: &Aabb) -> f32 {
    let apart = |min: Vec3, max: Vec3| min.as_dvec3() - max.as_dvec3();
    let gaps = apart(b.min(), a.max()).max(apart(a.min(), b.max()));
    round::nearest(gaps.max(DVec3::ZERO).length())
}

impl Queries<'_> {
    /// Whether the bounds of a body let it touch this query.
    pub(super) fn may_touch(&self, query: &OverlapQuery<'_>, slot: u32, stored: &Stored) -> bool {
        !(is_told_early(query.shape) || is_told_early(&stored.shape))
            || self.bodies.bounds(slot).overlaps(&query.shape.aabb(&query.pose))
    }
}

impl SweepQuery<'_> {
    /// What bounds say about a hit of a query, which is what the index sees as `cast`.
    pub(super) fn hit_within(
        &self,
        cast: &Cast,
        mut hit: SweepHit,
        shape: &Shape,
        bounds: &Aabb,
    ) -> Option<SweepHit> {
        if has_lanes(self.shape) && has_lanes(shape) {
            return Some(hit);
        }
        if self.displacement == Vec3::ZERO {
            return self.shape.aabb(&self.pose).overlaps(bounds).then_some(hit);
        }
        let first = sweep_aabb(&cast.mover, self.displacement, bounds)?.fraction;
        if hit.fraction < first {
            hit.fraction = first;
            let way = self.displacement.as_dvec3().length();
            hit.distance = round::nearest(f64::from(first) * way);
            (hit.started_overlapping, hit.depth) = (false, 0.0);
        }
        Some(hit)
    }
}
