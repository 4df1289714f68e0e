//! Several shapes that move as one.

mod near;

use glam::{DVec3, Vec3};
use thiserror::Error;

use self::near::{Hold, Way};
pub use self::near::{PartsByBound, PlacedCompound};
use crate::{
    Aabb, MassProperties, Plane, PlaneSide, Pose, Ray, RayCrossing, RayCrossings, RayOptions,
    Shape, ShapeRayHit,
};

/// Shapes fixed to one another, each at a pose in the compound's frame.
///
/// A part sits in the world at `body pose · part pose`, composed in f64 and rounded once to a
/// [`Pose`]; every answer about the compound is the exact answer about its parts at those poses.
///
/// ```
/// use impinge_shapes::{Pose, Ray, RayOptions, Shape};
/// use glam::Vec3;
///
/// let bell = Shape::sphere(1.0)?;
/// let at = |x: f32| Pose::from_position(Vec3::new(x, 0.0, 0.0)).unwrap();
/// let dumbbell = Shape::compound([(at(-3.0), bell.clone()), (at(3.0), bell)]).unwrap();
/// let ray = Ray::new(Vec3::new(9.0, 0.0, 0.0), Vec3::NEG_X).unwrap();
/// let hit = dumbbell.raycast(&Pose::IDENTITY, &ray, 100.0, &RayOptions::default()).unwrap();
/// assert_eq!((hit.part, hit.distance), (1, 5.0));
/// # Ok::<(), impinge_shapes::SphereError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Compound {
    parts: Vec<(Pose, Shape)>,
    /// What is known of each part beforehand.
    holds: Vec<Hold>,
    /// The greatest of theirs.
    extent: f64,
    part_count: usize,
}

/// Why a [`Compound`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CompoundError {
    /// There are no parts.
    #[error("parts: must not be empty")]
    Empty,
    /// There are more simple shapes, triangles of surfaces included, than a `u32` counts.
    #[error("parts: must be fewer than 2^32, got {0}")]
    TooMany(usize),
}

impl Compound {
    /// A compound of the parts in the order given; a part that is a compound itself is taken
    /// apart, its parts' poses composed as the type's documentation says.
    ///
    /// # Errors
    /// No parts, or 2^32 and more.
    pub fn new(parts: impl IntoIterator<Item = (Pose, Shape)>) -> Result<Self, CompoundError> {
        let mut flat = Vec::new();
        for (pose, shape) in parts {
            match shape {
                Shape::Compound(inner) => flat.extend(
                    inner.parts.iter().map(|(at, shape)| (pose.compose(at), shape.clone())),
                ),
                simple => flat.push((pose, simple)),
            }
        }
        if flat.is_empty() {
            return Err(CompoundError::Empty);
        }
        let mut part_count = 0_usize;
        let mut holds = Vec::with_capacity(flat.len());
        for (pose, shape) in &flat {
            holds.push(Hold::new(u32::try_from(part_count).unwrap_or(u32::MAX), pose, shape));
            part_count = part_count.saturating_add(shape.part_count());
        }
        if u32::try_from(part_count).is_err() {
            return Err(CompoundError::TooMany(part_count));
        }
        let extent = holds.iter().map(Hold::extent).fold(0.0, f64::max);
        Ok(Self { parts: flat, holds, extent, part_count })
    }

    /// Number of simple shapes: a surface counts all its triangles.
    #[must_use]
    pub fn part_count(&self) -> usize {
        self.part_count
    }

    /// The parts, none of them a compound.
    #[must_use]
    pub fn parts(&self) -> &[(Pose, Shape)] {
        &self.parts
    }

    /// The parts with the number of their first simple shape among those of all, and their world
    /// pose.
    pub fn placed(&self, pose: &Pose) -> impl Iterator<Item = (u32, Pose, &Shape)> {
        let mut placed = self.at(pose);
        (0..self.parts.len()).filter_map(move |index| placed.part(index))
    }

    /// The compound at a pose.
    #[must_use]
    #[inline]
    pub fn at(&self, pose: &Pose) -> PlacedCompound<'_> {
        PlacedCompound::new(self, pose)
    }

    /// See [`Shape::aabb`].
    #[must_use]
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        self.placed(pose)
            .map(|(_, at, shape)| shape.aabb(&at))
            .reduce(|all, part| all.union(&part))
            .unwrap_or(Aabb::EVERYTHING)
    }

    /// See [`Shape::support`].
    #[must_use]
    pub fn support(&self, direction: DVec3) -> Option<DVec3> {
        let mut best: Option<DVec3> = None;
        for (pose, shape) in &self.parts {
            let m = pose.rotation_matrix();
            let point = m * shape.support(m.transpose() * direction)? + pose.translation();
            if best.is_none_or(|best| direction.dot(point) > direction.dot(best)) {
                best = Some(point);
            }
        }
        best
    }

    /// See [`Shape::raycast`]: the closest of the parts' hits.
    ///
    /// - Ties: the part with the smaller index among equal distances in f32.
    /// - Degenerate: a start inside concerns the parts that hold the origin; the others are met
    ///   as usual.
    #[must_use]
    pub fn raycast(
        &self,
        pose: &Pose,
        ray: &Ray,
        max_distance: f32,
        options: &RayOptions,
    ) -> Option<ShapeRayHit> {
        let mut best: Option<ShapeRayHit> = None;
        let way = Way::new(&pose.nearly(), self.extent, ray);
        let frame = pose.frame();
        for (hold, (at, shape)) in self.holds.iter().zip(&self.parts) {
            // A later part counts only if it is strictly closer, so the search may end there.
            let end = best.map_or(max_distance, |best| best.distance);
            if way.misses(hold, end) {
                continue;
            }
            let at = hold.placed(&frame, at);
            if let Some(hit) = shape.raycast(&at, ray, end, options)
                && best.is_none_or(|best| hit.distance < best.distance)
            {
                best = Some(ShapeRayHit { part: hold.first + hit.part, ..hit });
            }
        }
        best
    }

    /// See [`Shape::crossings`]: those of all parts, each entered and left by itself.
    ///
    /// - Ties: the part with the smaller index, and of one part the entry, among equal distances
    ///   in f32.
    #[must_use]
    pub fn crossings(&self, pose: &Pose, ray: &Ray, max_distance: f32) -> RayCrossings {
        let mut crossings = RayCrossings::new();
        for (first, at, shape) in self.placed(pose) {
            let of_part = shape.crossings(&at, ray, max_distance);
            let numbered = |crossing: RayCrossing| {
                let part = first + crossing.part;
                RayCrossing { part, ..crossing }
            };
            crossings.extend(of_part.into_iter().map(numbered));
        }
        // Stable: what one part answers is in order already.
        crossings.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.part.cmp(&b.part)));
        crossings
    }

    /// See [`Shape::contains_point`].
    #[must_use]
    pub fn contains_point(&self, pose: &Pose, point: Vec3) -> bool {
        self.placed(pose).any(|(_, at, shape)| shape.contains_point(&at, point))
    }

    /// See [`Shape::classify`]: parts on both sides are straddling, even if none touches.
    #[must_use]
    pub fn classify(&self, pose: &Pose, plane: &Plane) -> PlaneSide {
        self.placed(pose)
            .map(|(_, at, shape)| shape.classify(&at, plane))
            .reduce(PlaneSide::with)
            .unwrap_or(PlaneSide::Straddling)
    }

    /// See [`Shape::mass_properties`]; where parts overlap, both count.
    #[must_use]
    pub fn mass_properties(&self) -> Option<MassProperties> {
        let parts: Option<Vec<_>> = self
            .parts
            .iter()
            .map(|(pose, shape)| Some((*pose, shape.mass_properties()?)))
            .collect();
        Some(MassProperties::combine(&parts?))
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    fn at(x: f32) -> Pose {
        Pose::from_position(Vec3::new(x, 0.0, 0.0)).unwrap()
    }

    #[test]
    fn nested_compounds_are_taken_apart() {
        let inner = Shape::compound([(at(1.0), Shape::sphere(0.5).unwrap())]).unwrap();
        let outer = Compound::new([(at(2.0), inner)]).unwrap();
        assert_eq!(outer.parts(), &[(at(3.0), Shape::sphere(0.5).unwrap())]);
        assert_eq!(Compound::new([]), Err(CompoundError::Empty));
    }

    #[test]
    fn two_halves_weigh_like_the_whole() {
        let half = Shape::cuboid(Vec3::new(0.5, 1.0, 1.0)).unwrap();
        let both = Compound::new([(at(-0.5), half.clone()), (at(0.5), half)]).unwrap();
        let whole = Shape::cuboid(Vec3::ONE).unwrap().mass_properties().unwrap();
        let both = both.mass_properties().unwrap();
        assert_eq!(both.volume.to_bits(), whole.volume.to_bits());
        assert_eq!(both.center_of_mass, whole.center_of_mass);
        // The parts' own inertia was rounded to f32 before it was summed.
        assert!(both.inertia.abs_diff_eq(whole.inertia, 1e-6));
    }
}
