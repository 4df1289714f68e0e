//! Rays and points against a core grown by a radius, from support points alone.

use std::cmp::Ordering;

use glam::{DMat3, DVec3, Vec3};
use smallvec::SmallVec;

use super::gjk::{self, Support};
use super::{Core, Solid, wolfe};
use crate::crossing::{Found, Limits, Pass};
use crate::exact::{Exact, ExactRotation, ExactVec3};
use crate::ray::StartedInside;
use crate::{Pose, Ray, tolerance};

/// Where a core is nearest to a point.
struct Near {
    place: DVec3,
    /// Never below the exact one but for rounding.
    distance: f64,
    /// Never above the exact distance but for rounding.
    lower_bound: f64,
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
    /// The core's point nearest to a point of the same frame.
    ///
    /// The search from support points alone loses beside a flat disc what the radius takes of its
    /// digits, so that cores of discs have their own way.
    fn nearest(&self, point: DVec3) -> Near {
        let place = match self.core {
            Core::Cylinder(cylinder) => cylinder.nearest(point),
            Core::Cone(cone) => cone.nearest(point),
            _ => {
                let support = |n| Support { a: self.core.support_nearly(n), b: point };
                let found = gjk::nearest(support, point, self.size(point));
                let (distance, lower_bound) = (found.distance, found.lower_bound);
                return Near { place: found.point_a, distance, lower_bound };
            }
        };
        let distance = point.distance(place);
        Near { place, distance, lower_bound: distance }
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
        let place = |k: usize| ExactVec3::from(vertices[k]).scale(&rotation.norm);
        let least = |direction: &ExactVec3| {
            let rough = -wolfe::rough(direction);
            let lowest = wolfe::extreme(&near, rough, error, place, |p| -direction.dot(p));
            let beyond = lowest.minus(&at);
            let is_along = direction.dot(&way).sign() == Ordering::Greater;
            if is_along { beyond.minus(&way) } else { beyond }
        };
        let radii = Exact::from(self.radii[0]) + Exact::from(self.radii[1]);
        wolfe::compare_distance(least, &(radii * rotation.norm.clone())) != Ordering::Greater
    }

    /// What a ray finds on the solid.
    ///
    /// - Error: whether the ray enters is exact for polytopes; with a cylinder or a cone inside, a
    ///   path that passes within 2^-44 of the sizes and the path counts as a hit. The place is
    ///   within 2^-43 of them from the surface and never beyond the first touch by more than that,
    ///   over the cosine between ray and normal. Where a ray leaves is known as well as that.
    /// - Source: van den Bergen, *Ray casting against general convex objects* (2004), as Newton's
    ///   method on the convex distance of a point that moves along the ray.
    pub(crate) fn probe_ray(&self, pose: &Pose, ray: &Ray, limits: &Limits) -> Found {
        let inside = self.contains_point(pose, ray.origin());
        match (inside, limits.started_inside) {
            (true, StartedInside::Hit) => return Found::Inside,
            (true, StartedInside::Skip) => return Found::Miss,
            _ => {}
        }
        let seen = self.seen(pose, ray);
        let max = limits.max_distance.unwrap_or(seen.beyond);
        let found = if inside {
            self.exit(&seen).filter(|(distance, _)| *distance <= max)
        } else {
            match self.entry(seen.start, seen.direction, seen.beyond, max) {
                Entry::Clear => None,
                Entry::Certain(distance, normal) => Some((distance, normal)),
                Entry::Near(distance, normal) => self
                    .reaches(pose, ray.origin(), ray.direction(), max.min(seen.beyond))
                    .then_some((distance, normal)),
            }
        };
        let Some((distance, normal)) = found else { return Found::Miss };
        Found::Boundary { started_inside: inside, distance, normal: seen.world_from_shape * normal }
    }

    /// Where a ray that is known to meet the solid passes out of it, unless that is beyond `max`.
    pub(crate) fn leave(&self, pose: &Pose, ray: &Ray, max: Option<f64>) -> Option<Pass> {
        let seen = self.seen(pose, ray);
        let (distance, normal) = self.exit(&seen)?;
        let pass = Pass { distance, normal: seen.world_from_shape * normal };
        max.is_none_or(|max| distance <= max).then_some(pass)
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
        let mut normal = -direction;
        for _ in 0..tolerance::RAY_ITERATIONS {
            let point = start + direction * at;
            let nearest = self.nearest(point);
            if nearest.distance > error {
                normal = (point - nearest.place) / nearest.distance;
            }
            // Each step ends where a plane that was seen to part the two does.
            let gap = nearest.lower_bound - self.radius();
            let approach = -normal.dot(direction);
            if gap <= error {
                // Where a little beyond the point lies deep inside, no graze was taken for a hit.
                let beyond = (at + tolerance::PROBE * size / approach).min(end);
                let inside = self.nearest(start + direction * beyond).distance + error;
                let certain = !curved && approach > 0.0 && inside < self.radius() && beyond <= max;
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
        }
        Entry::Near(at, normal)
    }
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
