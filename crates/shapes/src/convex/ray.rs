//! Rays and points against a core grown by a radius, from support points alone.

use std::cell::Cell;
use std::cmp::Ordering;

use glam::{DMat3, DVec3, Vec3};
use smallvec::SmallVec;

use super::gjk::{self, Support};
use super::wolfe::{self, Direction, Extreme, Place};
use super::{Core, Solid};
use crate::crossing::{Found, Limits, Pass};
use crate::exact::{Exact, ExactRotation, ExactVec3};
use crate::ray::{RayCrossing, StartedInside};
use crate::{Pose, Ray, Shape, tolerance};

/// How near a core is to a point.
struct Near {
    /// Never below the exact one but for rounding.
    distance: f64,
    /// Never above the exact distance but for rounding.
    lower_bound: f64,
    /// Of a plane that has the core behind it and the point as far before it as the lower bound,
    /// which the way to the nearest point is not where rounding counts in it.
    normal: DVec3,
}

/// A ray in the frame of a solid.
struct Seen {
    world_from_shape: DMat3,
    start: DVec3,
    direction: DVec3,
    /// Distance from which on nothing of the solid is left.
    beyond: f64,
}

impl Solid<'_> {
    /// How near the core is to a point of the same frame.
    ///
    /// The search from support points alone loses beside a flat disc what the radius takes of its
    /// digits, so that cores of discs have their own way.
    fn nearest(&self, point: DVec3) -> Near {
        let way = match self.core {
            Core::Cylinder(cylinder) => cylinder.way_to(point),
            Core::Cone(cone) => cone.way_to(point),
            _ => return self.nearest_by_planes(point),
        };
        let distance = way.length();
        Near { distance, lower_bound: distance, normal: way / distance }
    }

    fn nearest_by_planes(&self, point: DVec3) -> Near {
        let size = self.size(point);
        let last = Cell::new((DVec3::ZERO, DVec3::ZERO));
        let support = |n| {
            let a = self.core.support_nearly(n);
            last.set((n, a));
            Support { a, b: point }
        };
        let found = gjk::nearest(support, point, size);
        let distance = found.distance;
        let (n, a) = last.get();
        let normal = n * (1.0 / n.length());
        let lower_bound = (point - a).dot(normal);
        let error = tolerance::FRAME * size;
        let is_best = lower_bound >= found.lower_bound - tolerance::GJK_NOISE * size;
        // Where no plane parts what is apart, a search would end too early.
        let parts_all = lower_bound - self.radius() > 8.0 * error;
        if is_best && (parts_all || distance - self.radius() <= error) {
            return Near { distance, lower_bound, normal };
        }
        self.parted(point, size)
    }

    /// As [`Solid::nearest_by_planes`], where the last plane was not the best one or rounding ended
    /// the search.
    #[cold]
    #[inline(never)]
    fn parted(&self, point: DVec3, size: f64) -> Near {
        let best = Cell::new((0.0, DVec3::ZERO));
        let support = |n: DVec3| {
            let a = self.core.support_nearly(n);
            let normal = n.normalize_or_zero();
            let lower_bound = (point - a).dot(normal);
            if lower_bound > best.get().0 {
                best.set((lower_bound, normal));
            }
            Support { a, b: point }
        };
        let found = gjk::nearest(support, point, size);
        // The corners themselves tell of no cancellation.
        let corners: SmallVec<[DVec3; 4]> = found.simplex.points().iter().map(|p| p.a).collect();
        for n in uprights(&corners, point) {
            support(n);
        }
        let (lower_bound, normal) = best.get();
        Near { distance: found.distance, lower_bound, normal }
    }

    fn size(&self, point: DVec3) -> f64 {
        self.core.reach().element_sum() + point.abs().element_sum() + self.radius()
    }

    /// Whether the world point lies in the solid or on its boundary.
    ///
    /// - Error: none for polytopes; with curved cores distances within 2^-44 of the size and the
    ///   distance from the centre count as touching.
    pub(crate) fn contains_point(&self, pose: &Pose, point: Vec3) -> bool {
        if !point.is_finite() {
            return false;
        }
        let turn = pose.rotation_matrix().transpose();
        let arm = turn * (point.as_dvec3() - pose.translation());
        let nearest = self.nearest(arm);
        let error = tolerance::FRAME * self.size(arm);
        if nearest.lower_bound - error > self.radius() {
            return false;
        }
        if nearest.distance + error < self.radius() {
            return true;
        }
        self.reaches(pose, point, Vec3::ZERO, 0.0)
    }

    /// Whether the way from a world point to `length` times a direction beyond it has a point in
    /// the solid or on its boundary; exact for polytopes, and true for curved cores.
    fn reaches(&self, pose: &Pose, from: Vec3, direction: Vec3, length: f64) -> bool {
        let Some(vertices) = self.core.vertices() else { return true };
        // In the shape's frame, everything times the squared length of the quaternion.
        let rotation = ExactRotation::from(pose.rotation());
        let at = rotation.unrotate(&ExactVec3::from(from).minus(&ExactVec3::from(pose.position())));
        let way = rotation.unrotate(&ExactVec3::from(direction).scale(&Exact::from(length)));
        let near: SmallVec<[DVec3; 8]> = vertices.iter().map(|v| v.as_dvec3()).collect();
        let error = self.core.reach().element_sum() * tolerance::FRAME;
        let place = |k: usize| Place::from(ExactVec3::from(vertices[k]).scale(&rotation.norm));
        let end = Place::from(at.plus(&way));
        let (at, way) = (Place::from(at), Place::from(way));
        let least = |direction: &Direction<'_>| {
            let Extreme { place, is_known } = direction.extreme(false, &near, error, place);
            let along = direction.along(&way);
            let from = if along == Some(Ordering::Greater) { &end } else { &at };
            Extreme { place: from.to(&place), is_known: is_known && along.is_some() }
        };
        let radii = Exact::from(self.radii[0]) + Exact::from(self.radii[1]);
        let reach = radii.times(&rotation.norm);
        wolfe::compare_distance(least, DVec3::ZERO, &reach) != Ordering::Greater
    }

    /// What a ray finds on the solid, which is `core` and a margin around it.
    ///
    /// - Error: whether the ray enters is exact for polytopes; with a cylinder or a cone inside, a
    ///   path that passes within 2^-44 of the sizes and the path counts as a hit. The place is
    ///   within 2^-43 of them from the surface and never beyond the first touch by more than that,
    ///   over the cosine between ray and normal. Where a ray leaves is known as well as that.
    /// - Source: van den Bergen, *Ray casting against general convex objects* (2004), as Newton's
    ///   method on the convex distance of a point that moves along the ray.
    pub(crate) fn probe_ray(&self, core: &Shape, pose: &Pose, ray: &Ray, limits: &Limits) -> Found {
        let inside = self.contains_point(pose, ray.origin());
        match (inside, limits.started_inside) {
            (true, StartedInside::Hit) => return Found::Inside,
            (true, StartedInside::Skip) => return Found::Miss,
            _ => {}
        }
        if inside {
            return self.leave(core, pose, ray, limits.max_distance).map_or(
                Found::Miss,
                |Pass { distance, normal }| Found::Boundary {
                    started_inside: true,
                    distance,
                    normal,
                },
            );
        }
        let seen = self.seen(pose, ray);
        let max = limits.max_distance.unwrap_or(seen.beyond);
        let (is_certain, distance, normal) =
            match self.entry(seen.start, seen.direction, seen.beyond, max) {
                Entry::Clear => return Found::Miss,
                Entry::Certain(distance, normal) => (true, distance, normal),
                Entry::Near(distance, normal) => (false, distance, normal),
            };
        let of_core = self.crossing_of_core(core, pose, ray, &seen, true);
        let enters_core =
            of_core.is_some_and(|at| f64::from(at.distance.next_up().next_up()) < max);
        let reach = max.min(seen.beyond);
        if !(is_certain || enters_core || self.reaches(pose, ray.origin(), ray.direction(), reach))
        {
            return Found::Miss;
        }
        let normal =
            of_core.map_or(seen.world_from_shape * normal, |crossing| crossing.normal.as_dvec3());
        Found::Boundary { started_inside: false, distance, normal }
    }

    /// Where a ray that is known to meet the solid passes out of it, unless that is beyond `max`.
    pub(crate) fn leave(
        &self,
        core: &Shape,
        pose: &Pose,
        ray: &Ray,
        max: Option<f64>,
    ) -> Option<Pass> {
        let seen = self.seen(pose, ray);
        let (distance, normal) = self.exit(&seen)?;
        if max.is_some_and(|max| distance > max) {
            return None;
        }
        let normal = self
            .crossing_of_core(core, pose, ray, &seen, false)
            .map_or(seen.world_from_shape * normal, |crossing| crossing.normal.as_dvec3());
        Some(Pass { distance, normal })
    }

    /// Where the ray enters or leaves the core itself, if the margin around that is so thin that
    /// rounding hides its directions, and its surface is as good as that of the core.
    fn crossing_of_core(
        &self,
        core: &Shape,
        pose: &Pose,
        ray: &Ray,
        seen: &Seen,
        entering: bool,
    ) -> Option<RayCrossing> {
        let size = self.size(seen.start);
        if f64::from(self.radii[1]) > tolerance::THIN * size {
            return None;
        }
        let crossings = core.crossings(pose, ray, f32::INFINITY);
        crossings.into_iter().find(|crossing| crossing.entering == entering)
    }

    fn seen(&self, pose: &Pose, ray: &Ray) -> Seen {
        let world_from_shape = pose.rotation_matrix();
        let shape_from_world = world_from_shape.transpose();
        let start = shape_from_world * (ray.origin().as_dvec3() - pose.translation());
        let direction = shape_from_world * ray.direction().as_dvec3();
        let reach = self.core.reach().element_sum() + self.radius();
        let beyond = 2.0 * (start.length() + reach) / direction.length();
        Seen { world_from_shape, start, direction, beyond }
    }

    /// Where the ray leaves the solid: coming back from beyond, it is entered there.
    fn exit(&self, seen: &Seen) -> Option<(f64, DVec3)> {
        let far = seen.start + seen.direction * seen.beyond;
        match self.entry(far, -seen.direction, seen.beyond, seen.beyond) {
            Entry::Clear => None,
            Entry::Certain(back, normal) | Entry::Near(back, normal) => {
                Some((seen.beyond - back, normal))
            }
        }
    }

    /// Where a ray enters the solid, which its start lies outside of.
    ///
    /// `end` is where nothing of the solid is left, `max` how far the ray goes. The place does not
    /// depend on `max`, so that whoever looks for the first of many solids finds the same one with
    /// the same bits, in whatever order it looks.
    fn entry(&self, start: DVec3, direction: DVec3, end: f64, max: f64) -> Entry {
        let size = self.size(start) + end * direction.length();
        let error = tolerance::FRAME * size;
        let curved = matches!(self.core, Core::Cylinder(_) | Core::Cone(_));
        let mut at = 0.0_f64;
        let mut before = -direction;
        for _ in 0..tolerance::RAY_ITERATIONS {
            let nearest = self.nearest(start + direction * at);
            // Each step ends where a plane that was seen to part the two does.
            let gap = nearest.lower_bound - self.radius();
            let approach = -nearest.normal.dot(direction);
            let is_known = nearest.distance > error && approach > 0.0;
            let normal = if is_known { nearest.normal } else { before };
            if gap <= error {
                // Where a little beyond the point lies deep inside, no graze was taken for a hit.
                let beyond = at - tolerance::PROBE * size / normal.dot(direction);
                let inside = self.nearest(start + direction * beyond.min(end)).distance + error;
                let certain = !curved && inside < self.radius() && beyond.min(end) <= max;
                return if certain { Entry::Certain(at, normal) } else { Entry::Near(at, normal) };
            }
            if approach <= 0.0 || at >= end {
                let certain = curved || gap > 2.0 * error;
                return if certain { Entry::Clear } else { Entry::Near(at, normal) };
            }
            // What is left of the gap where the ray ends.
            let doubt = if curved { error } else { 2.0 * error };
            if gap - approach * (max - at) > doubt {
                return Entry::Clear;
            }
            at = (at + gap / approach).min(end);
            before = nearest.normal;
        }
        Entry::Near(at, before)
    }
}

/// Directions at right angles to the faces and edges between up to three corners, to the side of
/// `point`.
fn uprights(corners: &[DVec3], point: DVec3) -> SmallVec<[DVec3; 4]> {
    let mut found = SmallVec::new();
    if let [p, q, r] = corners {
        let normal = (q - p).cross(r - p).normalize_or_zero();
        found.push(if normal.dot(point - p) < 0.0 { -normal } else { normal });
    }
    for (k, p) in corners.iter().enumerate() {
        for q in &corners[k + 1..] {
            let along = (q - p).normalize_or_zero();
            let off = (point - p) - along * (point - p).dot(along);
            // Once more, for what the rounding of the large part left.
            found.push(off - along * off.dot(along));
        }
    }
    found
}

/// How a ray that starts outside runs past a solid: distance and normal of where it enters.
enum Entry {
    /// It stays clear.
    Clear,
    /// It enters.
    Certain(f64, DVec3),
    /// It enters, or passes so near that rounding hides which.
    Near(f64, DVec3),
}
