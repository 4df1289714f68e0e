//! Two half-spaces.
//!
//! Unless their normals are exactly opposite they overlap, and no finite move parts them: their
//! distance is `-inf`. Opposite ones are a slab's complement, or overlap in a slab, or touch.

use std::cmp::Ordering;

use impinge_shapes::HalfSpace;
use impinge_shapes::exact::{Exact, ExactVec3};
use impinge_shapes::glam::{DVec3, Vec3};

use crate::exact_pair::{ExactPair, certain, leads_out, noise, relation_of, settle};
use crate::{FeatureId, Impact, Patch, Relation, Relative, Separation, tolerance};

/// The pair in f64, in A's frame.
#[derive(Clone, Copy)]
struct Planes {
    /// A's unit normal.
    normal: DVec3,
    /// Offset of A's boundary along it.
    offset: f64,
    /// B's unit normal and the offset of its boundary along it.
    other: DVec3,
    other_offset: f64,
    noise: f64,
}

impl Planes {
    fn new(a: &HalfSpace, b: &HalfSpace, b_in_a: &Relative) -> Self {
        let (normal, other) = (a.normal().as_dvec3(), b.normal().as_dvec3());
        let (length, other_length) = (normal.length(), other.length());
        let (offset, own) = (f64::from(a.offset()), f64::from(b.offset()));
        let other = *b_in_a.rotation() * (other / other_length);
        Self {
            normal: normal / length,
            offset: offset / length,
            other,
            other_offset: own / other_length + other.dot(b_in_a.translation()),
            noise: noise([b_in_a.translation()], offset.abs() + own.abs()),
        }
    }

    /// Width of the slab between two opposite boundaries.
    fn gap(&self) -> f64 {
        -self.other_offset - self.offset
    }
}

/// Whether the normals are exactly opposite.
fn opposite(a: &HalfSpace, b: &HalfSpace, b_in_a: &Relative, planes: &Planes) -> bool {
    let apart = (planes.normal + planes.other).length() > tolerance::FRAME;
    !apart && {
        let pair = ExactPair::new(b_in_a);
        let (normal, other) = (pair.half_space_a(a).normal, pair.half_space_b(b).normal);
        normal.cross(&other) == ExactVec3::from(DVec3::ZERO)
    }
}

/// Compares the width between two opposite boundaries, after B has moved by `motion`, with zero.
///
/// B's normal is `-k` times A's with `k = -other · normal / normal²`, so B's boundary lies at
/// `-other_offset / k` along A's normal.
#[cold]
fn exact_gap(a: &HalfSpace, b: &HalfSpace, b_in_a: &Relative, motion: Vec3) -> Ordering {
    let pair = ExactPair::new(b_in_a);
    let (a, b) = (pair.half_space_a(a), pair.half_space_b(b));
    let square = a.normal.length_squared();
    let across: Exact = -b.normal.dot(&a.normal);
    let moved = b.offset + b.normal.dot(&pair.world(motion));
    (-(moved * square) - across * a.offset).sign()
}

/// How two half-spaces lie to each other. Exact.
#[must_use]
pub fn relation(a: &HalfSpace, b: &HalfSpace, b_in_a: &Relative) -> Relation {
    let planes = Planes::new(a, b, b_in_a);
    if !opposite(a, b, b_in_a, &planes) {
        return Relation::Penetrating;
    }
    let sign = certain(planes.gap(), planes.noise);
    relation_of(sign.unwrap_or_else(|| exact_gap(a, b, b_in_a, Vec3::ZERO)))
}

/// Signed distance of two half-spaces along A's normal: `-inf` unless the normals are exactly
/// opposite.
///
/// - Degenerate: at a distance of `-inf` both witnesses are one common point: A's point nearest to
///   its origin where B holds it, otherwise the nearest to it that lies on both boundaries.
/// - Error: the distance within 2^-44 of the sum of the coordinates; its sign is exact.
#[must_use]
pub fn closest(a: &HalfSpace, b: &HalfSpace, b_in_a: &Relative) -> Separation {
    let planes = Planes::new(a, b, b_in_a);
    let normal = planes.normal;
    let point_a = normal * planes.offset;
    if opposite(a, b, b_in_a, &planes) {
        let distance = settle(planes.gap(), planes.noise, || relation(a, b, b_in_a));
        return Separation { distance, normal, point_a, point_b: point_a + normal * distance };
    }
    let outside = planes.other.dot(point_a) - planes.other_offset;
    let along = planes.other - normal * planes.other.dot(normal);
    let square = along.length_squared();
    let common = if outside <= 0.0 {
        point_a
    } else if square > tolerance::FRAME * tolerance::FRAME {
        point_a - along * (outside / square)
    } else {
        // Boundaries that are parallel to the last bit: the common part starts at B's.
        point_a - normal * outside
    };
    Separation { distance: f64::NEG_INFINITY, normal, point_a: common, point_b: common }
}

/// The one contact point of two half-spaces, that of [`closest`]; its feature is 0.
#[must_use]
pub fn manifold(a: &HalfSpace, b: &HalfSpace, b_in_a: &Relative, margin: f64) -> Option<Patch> {
    let separation = closest(a, b, b_in_a);
    (separation.distance <= margin).then(|| Patch::single(&separation, FeatureId(0)))
}

/// First touch of a half-space with another that moves by `motion`. Exact yes/no.
///
/// - Degenerate: a motion that is not finite moves nothing.
#[must_use]
pub fn sweep(a: &HalfSpace, b: &HalfSpace, b_in_a: &Relative, motion: Vec3) -> Option<Impact> {
    if !motion.is_finite() {
        return None;
    }
    let planes = Planes::new(a, b, b_in_a);
    let along = b_in_a.vector_from_world(motion.as_dvec3());
    let (gap, approach) = (planes.gap(), -planes.normal.dot(along));
    let slack = noise([along], 0.0);
    let fraction = match relation(a, b, b_in_a) {
        Relation::Penetrating => 0.0,
        Relation::Touching => {
            let sign = certain(approach, slack)
                .unwrap_or_else(|| leads_out(a, b_in_a.pose_a(), motion).reverse());
            if sign != Ordering::Greater {
                return None;
            }
            0.0
        }
        Relation::Apart => {
            let sign = certain(gap - approach, planes.noise + slack)
                .unwrap_or_else(|| exact_gap(a, b, b_in_a, motion));
            if sign == Ordering::Greater {
                return None;
            }
            if approach > gap { (gap / approach).max(0.0) } else { 1.0 }
        }
    };
    Some(Impact { fraction, normal: planes.normal, point: planes.normal * planes.offset })
}
