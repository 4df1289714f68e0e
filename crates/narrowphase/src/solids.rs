//! Two solids without a room of their own, straight from their shapes.
//!
//! Numbers in structs that are made piece by piece and copied at once hold up whoever reads them, so
//! that these go from the shapes to the search without a pair of any kind between.

use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::{Pose, Shape, round};

use crate::convex::{self, Four, glance};
use crate::result::put_in_world;
use crate::slot::Slot;
use crate::{Closest, Manifold, Relation, Relative, common};

/// Whether two shapes are solids without a room of their own, if they are solids.
#[inline]
pub(crate) fn have_no_room(a: &Shape, b: &Shape) -> bool {
    use Shape::{Capsule, Compound, Cone, Cuboid, Cylinder, HalfSpace, Sphere, Triangle};
    !matches!(
        (a, b),
        (Capsule(_) | Cuboid(_) | Sphere(_), Capsule(_) | Cuboid(_) | Sphere(_))
            | (Sphere(_), Cone(_) | Cylinder(_) | Triangle(_))
            | (Cone(_) | Cylinder(_) | Triangle(_), Sphere(_))
            | (Compound(_) | HalfSpace(_), _)
            | (_, Compound(_) | HalfSpace(_))
    )
}

/// Asks about two solids without a room of their own; `None` for other shapes.
macro_rules! ask_solids {
    ($a:expr, $b:expr, |$one:ident, $other:ident| $ask:expr) => {
        if $crate::solids::have_no_room($a, $b) {
            // Where they are made, they stay.
            let (one, other) = ($a.solid(), $b.solid());
            match (&one, &other) {
                (Some($one), Some($other)) => Some($ask),
                _ => None,
            }
        } else {
            None
        }
    };
}
pub(crate) use ask_solids;

/// The pose of a solid, without the rotation if it is a ball, in whose answers that does not show.
#[inline]
pub(crate) fn shown(solid: &Solid<'_>, pose: &Pose) -> Pose {
    if matches!(solid.core, Core::Point) { pose.unrotated() } else { *pose }
}

/// The frame of two solids.
#[inline]
pub(crate) fn frame(a: (&Solid<'_>, &Pose), b: (&Solid<'_>, &Pose)) -> Relative {
    Relative::new(&shown(a.0, a.1), &shown(b.0, b.1))
}

/// The relation of two solids without a room of their own.
#[inline(never)]
pub(crate) fn relation_of_solids(
    (a, pose_a): (&Solid<'_>, &Pose),
    (b, pose_b): (&Solid<'_>, &Pose),
) -> Relation {
    common::passed_on!(Common);
    convex::relation_of(a, b, &frame((a, pose_a), (b, pose_b)))
}

/// The closest points of two solids without a room of their own, in their frame where it is known.
#[inline(never)]
pub(crate) fn closest_of_solids(
    (a, pose_a): (&Solid<'_>, &Pose),
    (b, pose_b): (&Solid<'_>, &Pose),
    at: Option<&Relative>,
    max_distance: f32,
) -> Option<Closest> {
    common::passed_on!(Common);
    prefetch(a, b);
    let made;
    let at = match at {
        Some(at) => at,
        None => {
            made = frame((a, pose_a), (b, pose_b));
            &made
        }
    };
    // A little farther than the limit, for what rounds to it.
    let found = convex::closest_within(a, b, at, max_distance.next_up().into())?;
    common::rounded(&found, false, at, max_distance)
}

/// Zero, the distance, or infinity for more than the limit, in their frame where it is known.
#[inline(never)]
pub(crate) fn distance_of_solids(
    (a, pose_a): (&Solid<'_>, &Pose),
    (b, pose_b): (&Solid<'_>, &Pose),
    at: Option<&Relative>,
    limit: f32,
) -> f32 {
    prefetch(a, b);
    let clearance = |at: &Relative| convex::clearance(a, b, at, limit.into());
    let found = at.map_or_else(|| clearance(&frame((a, pose_a), (b, pose_b))), clearance);
    round::nearest(found)
}

/// The manifold of two solids without a room of their own.
#[inline(never)]
pub(crate) fn manifold_of_solids(
    a: (&Solid<'_>, &Pose),
    b: (&Solid<'_>, &Pose),
    margin: f32,
) -> Option<Manifold> {
    let mut found = None;
    put_manifold_of_solids(a, b, margin, &mut found);
    found
}

/// As [`manifold_of_solids`], made where it stays.
#[inline]
pub(crate) fn put_manifold_of_solids(
    (a, pose_a): (&Solid<'_>, &Pose),
    (b, pose_b): (&Solid<'_>, &Pose),
    margin: f32,
    found: &mut impl Slot,
) {
    common::passed_on!(Common);
    prefetch(a, b);
    let at = frame((a, pose_a), (b, pose_b));
    let mut points = Four::new();
    if let Some(normal) = convex::manifold_into(a, b, &at, margin.into(), &mut points) {
        put_in_world((normal, &points), at.world_from_a(), pose_a.translation(), found);
    }
}

/// Has two solids fetched if they are hulls, which lie elsewhere in memory.
#[inline]
pub(crate) fn prefetch(a: &Solid<'_>, b: &Solid<'_>) {
    if let Some((a, b)) = glance::hulls(a, b) {
        glance::prefetch(a, b);
    }
}
