//! Two simple shapes whose kind is known: the common case first, then the room.
//!
//! See [`crate::witness`] for the common cases.

use impinge_shapes::{Pose, round};

use crate::dispatch::Pair;
use crate::pairs::capsule_capsule::CapsuleCapsule;
use crate::pairs::capsule_sphere::CapsuleSphere;
use crate::pairs::cuboid_sphere::CuboidSphere;
use crate::pairs::sphere_sphere::SphereSphere;
use crate::{Closest, Manifold, Relation, witness};

/// Asks the common case of a pair's kind, if it has one.
macro_rules! common {
    ($pair:expr, $call:ident($p:expr, $q:expr $(, $more:expr)*)) => {
        match $pair {
            Pair::CapsuleCapsule(a, b) => witness::$call::<CapsuleCapsule>(a, $p, b, $q $(, $more)*),
            Pair::CapsuleSphere(a, b) => witness::$call::<CapsuleSphere>(a, $p, b, $q $(, $more)*),
            Pair::CuboidSphere(a, b) => witness::$call::<CuboidSphere>(a, $p, b, $q $(, $more)*),
            Pair::SphereSphere(a, b) => witness::$call::<SphereSphere>(a, $p, b, $q $(, $more)*),
            _ => None,
        }
    };
}

/// How the two lie to each other.
#[inline]
pub(crate) fn relation(pair: Pair<'_>, flipped: bool, pose_a: &Pose, pose_b: &Pose) -> Relation {
    let (p, q) = if flipped { (pose_b, pose_a) } else { (pose_a, pose_b) };
    match common!(pair, overlaps(p, q)) {
        Some(true) => Relation::Penetrating,
        Some(false) => Relation::Apart,
        None => pair.relation(&pair.frame(pose_a, pose_b, flipped)),
    }
}

/// Their closest points.
#[inline]
pub(crate) fn closest(pair: Pair<'_>, flipped: bool, pose_a: &Pose, pose_b: &Pose) -> Closest {
    let (p, q) = if flipped { (pose_b, pose_a) } else { (pose_a, pose_b) };
    if let Some(found) = common!(pair, closest(p, q, flipped)) {
        return found;
    }
    let at = pair.frame(pose_a, pose_b, flipped);
    let found = pair.closest(&at);
    let oriented = if flipped { found.flipped() } else { found };
    Closest {
        distance: round::nearest(oriented.distance),
        normal: round::nearest_vec(at.vector_to_world(oriented.normal)),
        point_a: round::nearest_vec(at.point_to_world(oriented.point_a)),
        point_b: round::nearest_vec(at.point_to_world(oriented.point_b)),
        part_a: 0,
        part_b: 0,
    }
}

/// Their manifold.
#[inline]
pub(crate) fn manifold(
    pair: Pair<'_>,
    flipped: bool,
    pose_a: &Pose,
    pose_b: &Pose,
    margin: f64,
) -> Option<Manifold> {
    let (p, q) = if flipped { (pose_b, pose_a) } else { (pose_a, pose_b) };
    if let Some(found) = common!(pair, manifold(p, q, flipped, margin)) {
        return found;
    }
    let at = pair.frame(pose_a, pose_b, flipped);
    let patch = pair.manifold(&at, margin)?;
    let manifold = patch.in_world(at.world_from_a(), at.pose_a().translation());
    Some(if flipped { manifold.flipped() } else { manifold })
}
