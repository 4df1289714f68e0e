//! Any two convex shapes, from support points alone.
//!
//! A shape that implements [`Convex`] works with every other at once; a room of its own for a pair
//! only makes it exact or fast. The functions have the signatures of the rooms.

use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Capsule, Cuboid, Sphere};
use smallvec::{SmallVec, smallvec};

use crate::gjk::{self, Nearest, Support};
use crate::{FeatureId, Impact, Patch, Relation, Relative, Separation, tolerance};

/// A convex core in its own frame, grown by a radius.
pub trait Convex {
    /// A point of the core farthest along `direction`, which need not have unit length.
    fn support(&self, direction: DVec3) -> DVec3;

    /// The radius by which the core is grown.
    fn radius(&self) -> f64;

    /// Directions of the core's edges, each once and of any length; the cross products of all
    /// edges of two cores hold the normals of the faces of their Minkowski difference.
    fn edges(&self) -> SmallVec<[DVec3; 3]>;
}

impl Convex for Sphere {
    fn support(&self, _: DVec3) -> DVec3 {
        DVec3::ZERO
    }

    fn radius(&self) -> f64 {
        Self::radius(self).into()
    }

    fn edges(&self) -> SmallVec<[DVec3; 3]> {
        smallvec![]
    }
}

impl Convex for Capsule {
    fn support(&self, direction: DVec3) -> DVec3 {
        let (a, b) = (self.a().as_dvec3(), self.b().as_dvec3());
        if direction.dot(b - a) > 0.0 { b } else { a }
    }

    fn radius(&self) -> f64 {
        Self::radius(self).into()
    }

    fn edges(&self) -> SmallVec<[DVec3; 3]> {
        smallvec![self.b().as_dvec3() - self.a().as_dvec3()]
    }
}

impl Convex for Cuboid {
    fn support(&self, direction: DVec3) -> DVec3 {
        Self::support(self, direction)
    }

    fn radius(&self) -> f64 {
        0.0
    }

    fn edges(&self) -> SmallVec<[DVec3; 3]> {
        let half = self.half_extents().as_dvec3();
        (0..3).filter(|&i| half[i] > 0.0).map(|i| DVec3::AXES[i] * half[i]).collect()
    }
}

/// Two cores in A's frame.
struct Cores<'a, A: ?Sized, B: ?Sized> {
    a: &'a A,
    b: &'a B,
    b_in_a: &'a Relative,
    /// B's move since `b_in_a`.
    moved: DVec3,
    /// Sum of both radii.
    radius: f64,
    /// No coordinate is larger.
    size: f64,
}

impl<'a, A: Convex + ?Sized, B: Convex + ?Sized> Cores<'a, A, B> {
    fn new(a: &'a A, b: &'a B, b_in_a: &'a Relative) -> Self {
        let reach = |support: &dyn Fn(DVec3) -> DVec3| {
            let ends = DVec3::AXES
                .map(|axis| support(axis).dot(axis).abs().max(support(-axis).dot(axis).abs()));
            ends[0] + ends[1] + ends[2]
        };
        let radius = a.radius() + b.radius();
        let size = reach(&|n| a.support(n))
            + reach(&|n| b.support(n))
            + b_in_a.translation().abs().element_sum()
            + radius;
        Self { a, b, b_in_a, moved: DVec3::ZERO, radius, size }
    }

    fn moved(&self, by: DVec3) -> Self {
        Self { moved: self.moved + by, size: self.size + by.abs().element_sum(), ..*self }
    }

    fn support(&self, n: DVec3) -> Support {
        let on_b = self.b.support(self.b_in_a.vector_to_b(-n));
        Support { a: self.a.support(n), b: self.b_in_a.point_from_b(on_b) + self.moved }
    }

    fn nearest(&self, start: DVec3) -> Nearest {
        gjk::nearest(|n| self.support(n), start, self.size)
    }

    /// Overlap of the cores along a unit direction, negative.
    fn along(&self, normal: DVec3) -> f64 {
        let support = self.support(normal);
        normal.dot(support.b - support.a)
    }

    /// Unit normals of the faces of the cores' Minkowski difference, each with its opposite; for a
    /// flat difference directions across it.
    fn normals(&self) -> SmallVec<[DVec3; 32]> {
        let mut edges: SmallVec<[DVec3; 6]> = self.a.edges().into_iter().collect();
        edges.extend(self.b.edges().into_iter().map(|edge| *self.b_in_a.rotation() * edge));
        let units: SmallVec<[DVec3; 6]> =
            edges.iter().filter_map(|edge| edge.try_normalize()).collect();
        let mut normals = SmallVec::new();
        for (k, first) in units.iter().enumerate() {
            for second in &units[k + 1..] {
                let cross = first.cross(*second);
                if cross.length_squared() > tolerance::PARALLEL_SQUARED {
                    let normal = cross / cross.length();
                    normals.extend([normal, -normal]);
                }
            }
        }
        if normals.is_empty() {
            // A segment or a point: any direction across it leads out at once.
            let along = units.first().copied().unwrap_or(DVec3::Z);
            let across = DVec3::AXES.map(|axis| axis - along * axis.dot(along));
            let widest = if across[0].length_squared() >= 0.25 { across[0] } else { across[1] };
            normals.push(widest / widest.length());
        }
        normals
    }

    /// The separation; witnesses lie on the grown surfaces.
    fn separation(&self, start: DVec3) -> Separation {
        let nearest = self.nearest(start);
        let between = nearest.point_b - nearest.point_a;
        if nearest.distance > tolerance::DIRECTION * self.size {
            let normal = between / between.length();
            return self.grown(nearest.point_a, normal, nearest.distance);
        }
        let tie = tolerance::TIE * self.size;
        let mut best = (DVec3::X, f64::NEG_INFINITY);
        for normal in self.normals() {
            let here = self.along(normal);
            if here > best.1 + tie {
                best = (normal, here);
            }
        }
        let (normal, depth) = (best.0, best.1.min(nearest.distance));
        // Moved out along the face's normal and beyond, B is nearest to A where it overlapped most.
        let apart = self.moved(normal * (self.size / 16.0 - depth));
        self.grown(apart.nearest(normal).point_a, normal, depth)
    }

    fn grown(&self, core_a: DVec3, normal: DVec3, core_distance: f64) -> Separation {
        let distance = core_distance - self.radius;
        let point_a = core_a + normal * self.a.radius();
        Separation { distance, normal, point_a, point_b: point_a + normal * distance }
    }
}

/// Relation of two convex shapes.
///
/// - Error: distances within 2^-44 of the pair's size count as touching.
#[must_use]
pub fn relation<A, B>(a: &A, b: &B, b_in_a: &Relative) -> Relation
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let error = tolerance::AXIS_ERROR * Cores::new(a, b, b_in_a).size;
    let distance = closest(a, b, b_in_a).distance;
    if distance > error {
        Relation::Apart
    } else if distance < -error {
        Relation::Penetrating
    } else {
        Relation::Touching
    }
}

/// Closest points of two convex shapes, or how deep they overlap.
///
/// - Error: 2^-40 of the distance plus 2^-35 of the size, for cores with flat faces. For cores
///   with curved faces, which [`Convex::edges`] cannot list, the depth is an upper bound.
/// - Degenerate: cores without thickness that cross are as deep as their radii.
/// - Source: distance: GJK; depth: the face of the Minkowski difference nearest to the origin,
///   found by going through all of them.
#[must_use]
pub fn closest<A, B>(a: &A, b: &B, b_in_a: &Relative) -> Separation
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    Cores::new(a, b, b_in_a).separation(b_in_a.translation())
}

/// The one contact point of two convex shapes that are no farther apart than `margin`.
#[must_use]
pub fn manifold<A, B>(a: &A, b: &B, b_in_a: &Relative, margin: f64) -> Option<Patch>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let error = tolerance::AXIS_ERROR * Cores::new(a, b, b_in_a).size;
    let mut separation = closest(a, b, b_in_a);
    if separation.distance > margin + error {
        return None;
    }
    separation.distance = separation.distance.min(margin);
    Some(Patch::single(&separation, FeatureId::default()))
}

/// First touch of B, which moves by `motion`, with A, which rests.
///
/// - Frame: `motion` is in the world's axes; the answer is in A's frame.
/// - Degenerate: touching at the start is a hit at 0 if the motion leads into penetration, and no
///   hit otherwise.
/// - Error: never later than the exact touch by more than 2^-38 of the sizes and the path, over
///   the speed along the normal. A path that passes within 2^-44 of them counts as a hit.
/// - Source: van den Bergen, *Ray casting against general convex objects* (2004), as Newton's
///   method on the convex distance.
#[must_use]
pub fn sweep<A, B>(a: &A, b: &B, b_in_a: &Relative, motion: Vec3) -> Option<Impact>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let cores = Cores::new(a, b, b_in_a);
    let motion = b_in_a.vector_from_world(motion.as_dvec3());
    let travel = motion.abs().element_sum();
    let enough = tolerance::AXIS_ERROR * (cores.size + travel);
    let still = tolerance::AXIS_ERROR * travel;
    let mut fraction = 0.0_f64;
    let mut here = cores.separation(b_in_a.translation());
    for _ in 0..tolerance::ADVANCE_ITERATIONS {
        let approach = -here.normal.dot(motion);
        let arrived = here.distance <= enough;
        if arrived && (fraction > 0.0 || approach > still) {
            break;
        }
        if approach <= 0.0 || arrived || fraction >= 1.0 {
            return None;
        }
        fraction = (fraction + here.distance / approach).min(1.0);
        here = cores.moved(motion * fraction).separation(here.normal);
    }
    let point = (here.point_a + here.point_b) * 0.5;
    Some(Impact { fraction, normal: here.normal, point })
}
