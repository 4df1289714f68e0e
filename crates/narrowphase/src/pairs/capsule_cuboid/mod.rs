//! A capsule and a box: the capsule's segment against the box, in the box's frame.

mod core;
mod exact;
pub(crate) mod lanes;
mod manifold;
mod rod;
mod sweep;

use impinge_shapes::glam::DVec3;
use impinge_shapes::{Capsule, Cuboid};

use self::core::{Best, Core, Nearest};
use crate::witness::room;
use crate::{Relation, Relative, Separation, tolerance};

pub use manifold::manifold;
pub use sweep::sweep;

/// The kind of pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CapsuleCuboid;

room!(CapsuleCuboid, Capsule, Cuboid);

/// Exact relation of a capsule and a box.
///
/// - Error: none. f64 decides almost always; the rest is decided by polynomials, piece by piece of
///   the segment.
/// - Degenerate: a capsule without length is a sphere, one without radius a segment.
#[must_use]
pub fn relation(a: &Capsule, b: &Cuboid, b_in_a: &Relative) -> Relation {
    let core = Core::new(a, b, b_in_a);
    settle(a, b, b_in_a, &core, &core.nearest())
}

/// The relation, from where the segment and the box are nearest in f64.
fn settle(a: &Capsule, b: &Cuboid, b_in_a: &Relative, core: &Core, nearest: &Nearest) -> Relation {
    let (error, distance) = (tolerance::AXIS_ERROR * core.size, nearest.excess.length());
    if distance > core.radius + error {
        Relation::Apart
    } else if distance < core.radius - error {
        Relation::Penetrating
    } else {
        exact::relation(a, b, b_in_a, *b_in_a.rotation() * -nearest.excess)
    }
}

/// Closest points of a capsule and a box, or how deep they overlap.
///
/// - Sign: agrees with [`relation`], which is exact.
/// - Ties: the middle of all nearest places on the segment; where the segment enters the box, the
///   box's faces before its edges, x before y before z, + before -.
/// - Error: 2^-44 of the sizes and the distance.
/// - Source: distance: Ericson, *Real-Time Collision Detection* (2005), §5.1.4, along the segment;
///   depth: the face nearest to the origin of the segment's and the box's Minkowski difference,
///   which the radius only moves outward.
#[must_use]
pub fn closest(a: &Capsule, b: &Cuboid, b_in_a: &Relative) -> Separation {
    let core = Core::new(a, b, b_in_a);
    let nearest = core.nearest();
    let relation = settle(a, b, b_in_a, &core, &nearest);
    contact(&core, &nearest, relation).separation(&core, b_in_a)
}

/// Where the two are nearest or deepest, in the box's frame.
#[derive(Clone, Copy, Debug)]
struct Contact {
    /// Place on the segment.
    share: f64,
    /// Unit, from the capsule to the box.
    normal: DVec3,
    /// Signed distance of the surfaces, with the sign of the exact relation.
    distance: f64,
    /// The axis of the segment's overlap, if it enters the box.
    axis: Option<Best>,
}

/// The contact for a known relation.
fn contact(core: &Core, nearest: &Nearest, relation: Relation) -> Contact {
    let length = nearest.excess.length();
    let least = tolerance::LEAST_GAP * core.size;
    let settle = |distance: f64| match relation {
        Relation::Apart => distance.max(least),
        Relation::Touching => 0.0,
        Relation::Penetrating => distance.min(-least),
    };
    if length > tolerance::DIRECTION * core.size {
        let (share, normal) = (nearest.share, -nearest.excess / length);
        return Contact { share, normal, distance: settle(length - core.radius), axis: None };
    }
    let best = core.best();
    // Beyond rounding the distance is known, though not its direction.
    let known = length > tolerance::AXIS_ERROR * core.size;
    let between = if known { length } else { best.separation.min(0.0) };
    let distance = settle(between - core.radius);
    // A segment that hardly enters the box is deepest where it is nearest.
    let grazes = best.separation.abs() <= tolerance::DIRECTION * core.size;
    let share = if grazes { nearest.share } else { core.deepest(&best) };
    Contact { share, normal: best.normal, distance, axis: Some(best) }
}

impl Contact {
    fn separation(&self, core: &Core, b_in_a: &Relative) -> Separation {
        let surface = core.at(self.share) + self.normal * core.radius;
        self.at_surface(surface, self.distance, b_in_a)
    }

    /// The separation of a point of the capsule's surface from the box, along the normal.
    fn at_surface(&self, surface: DVec3, distance: f64, b_in_a: &Relative) -> Separation {
        let normal = *b_in_a.rotation() * self.normal;
        let point_a = b_in_a.point_from_b(surface);
        Separation { distance, normal, point_a, point_b: point_a + normal * distance }
    }
}
