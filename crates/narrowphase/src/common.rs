//! Two simple shapes whose kind is known: the common case first, then the room.
//!
//! See [`crate::witness`] for the common cases. The functions `of_kind` are for kinds that the
//! compiler knows: each is compiled once for each kind, without any choice left in it.

use impinge_shapes::{Pose, round};

use crate::dispatch::Pair;
use crate::pairs::capsule_capsule::CapsuleCapsule;
use crate::pairs::capsule_half_space::CapsuleHalfSpace;
use crate::pairs::capsule_sphere::CapsuleSphere;
use crate::pairs::cone_sphere::ConeSphere;
use crate::pairs::cuboid_half_space::CuboidHalfSpace;
use crate::pairs::cuboid_sphere::CuboidSphere;
use crate::pairs::cylinder_sphere::CylinderSphere;
use crate::pairs::half_space_sphere::HalfSpaceSphere;
use crate::pairs::sphere_sphere::SphereSphere;
use crate::pairs::sphere_triangle::SphereTriangle;
use crate::slot::Slot;
use crate::witness::Room;
use crate::{Closest, Manifold, Relation, Relative, Separation, over_plane, witness};

/// Counts a pair that a stage passes on, with the feature `counters`.
macro_rules! passed_on {
    ($stage:ident) => {
        #[cfg(feature = "counters")]
        $crate::counters::passed_on($crate::counters::Stage::$stage);
    };
}
pub(crate) use passed_on;

/// Asks the common case of a pair's kind, if it has one.
macro_rules! common {
    ($pair:expr, $call:ident($p:expr, $q:expr $(, $more:expr)*)) => {
        match $pair {
            Pair::CapsuleCapsule(a, b) => witness::$call::<CapsuleCapsule>(a, $p, b, $q $(, $more)*),
            Pair::CapsuleHalfSpace(a, b) => {
                witness::$call::<CapsuleHalfSpace>(a, $p, b, $q $(, $more)*)
            }
            Pair::ConvexHalfSpace(a, b) => over_plane::$call(&a, $p, b, $q $(, $more)*),
            Pair::CapsuleSphere(a, b) => witness::$call::<CapsuleSphere>(a, $p, b, $q $(, $more)*),
            Pair::ConeSphere(a, b) => witness::$call::<ConeSphere>(a, $p, b, $q $(, $more)*),
            Pair::CuboidHalfSpace(a, b) => {
                witness::$call::<CuboidHalfSpace>(a, $p, b, $q $(, $more)*)
            }
            Pair::CuboidSphere(a, b) => witness::$call::<CuboidSphere>(a, $p, b, $q $(, $more)*),
            Pair::CylinderSphere(a, b) => {
                witness::$call::<CylinderSphere>(a, $p, b, $q $(, $more)*)
            }
            Pair::HalfSpaceSphere(a, b) => {
                witness::$call::<HalfSpaceSphere>(a, $p, b, $q $(, $more)*)
            }
            Pair::SphereSphere(a, b) => witness::$call::<SphereSphere>(a, $p, b, $q $(, $more)*),
            Pair::SphereTriangle(a, b) => {
                witness::$call::<SphereTriangle>(a, $p, b, $q $(, $more)*)
            }
            _ => None,
        }
    };
}

/// Answers for two shapes if they are of a kind that has functions of its own; goes on otherwise.
///
/// Settled by the shapes themselves: a [`Pair`] is large, because any two solids fit in.
macro_rules! answer_known_kinds {
    ($a:expr, $b:expr, $call:ident($($more:expr),*)) => {{
        use impinge_shapes::Shape::{
            Capsule, Cone, ConvexHull, Cuboid, Cylinder, HalfSpace, Rounded, Sphere, Triangle,
        };
        use $crate::common::$call;
        use $crate::pairs::capsule_capsule::CapsuleCapsule;
        use $crate::pairs::capsule_cuboid::CapsuleCuboid;
        use $crate::pairs::capsule_half_space::CapsuleHalfSpace;
        use $crate::pairs::capsule_sphere::CapsuleSphere;
        use $crate::pairs::convex_half_space::{
            ConeHalfSpace, CylinderHalfSpace, HullHalfSpace, RoundCuboidHalfSpace,
            RoundedHalfSpace, TriangleHalfSpace,
        };
        use $crate::pairs::cone_sphere::ConeSphere;
        use $crate::pairs::cuboid_cuboid::lanes::CuboidCuboid;
        use $crate::pairs::cuboid_half_space::CuboidHalfSpace;
        use $crate::pairs::cuboid_sphere::CuboidSphere;
        use $crate::pairs::cylinder_sphere::CylinderSphere;
        use $crate::pairs::half_space_sphere::HalfSpaceSphere;
        use $crate::pairs::sphere_sphere::SphereSphere;
        use $crate::pairs::sphere_triangle::SphereTriangle;
        match ($a, $b) {
            (Sphere(a), Sphere(b)) => return $call::<SphereSphere>(a, b, false, $($more),*),
            (Cuboid(a), Sphere(b)) => return $call::<CuboidSphere>(a, b, false, $($more),*),
            (Sphere(b), Cuboid(a)) => return $call::<CuboidSphere>(a, b, true, $($more),*),
            (Capsule(a), Sphere(b)) => return $call::<CapsuleSphere>(a, b, false, $($more),*),
            (Sphere(b), Capsule(a)) => return $call::<CapsuleSphere>(a, b, true, $($more),*),
            (Capsule(a), Capsule(b)) => return $call::<CapsuleCapsule>(a, b, false, $($more),*),
            (Capsule(a), Cuboid(b)) => return $call::<CapsuleCuboid>(a, b, false, $($more),*),
            (Cuboid(b), Capsule(a)) => return $call::<CapsuleCuboid>(a, b, true, $($more),*),
            (Cuboid(a), Cuboid(b)) => return $call::<CuboidCuboid>(a, b, false, $($more),*),
            (HalfSpace(a), Sphere(b)) => {
                return $call::<HalfSpaceSphere>(a, b, false, $($more),*);
            }
            (Sphere(b), HalfSpace(a)) => return $call::<HalfSpaceSphere>(a, b, true, $($more),*),
            (Capsule(a), HalfSpace(b)) => {
                return $call::<CapsuleHalfSpace>(a, b, false, $($more),*);
            }
            (HalfSpace(b), Capsule(a)) => return $call::<CapsuleHalfSpace>(a, b, true, $($more),*),
            (Cuboid(a), HalfSpace(b)) => return $call::<CuboidHalfSpace>(a, b, false, $($more),*),
            (HalfSpace(b), Cuboid(a)) => return $call::<CuboidHalfSpace>(a, b, true, $($more),*),
            (Cylinder(a), HalfSpace(b)) => {
                return $call::<CylinderHalfSpace>(a, b, false, $($more),*);
            }
            (HalfSpace(b), Cylinder(a)) => {
                return $call::<CylinderHalfSpace>(a, b, true, $($more),*);
            }
            (Cone(a), HalfSpace(b)) => {
                return $call::<ConeHalfSpace>(a, b, false, $($more),*);
            }
            (HalfSpace(b), Cone(a)) => {
                return $call::<ConeHalfSpace>(a, b, true, $($more),*);
            }
            (Triangle(a), HalfSpace(b)) => {
                return $call::<TriangleHalfSpace>(a, b, false, $($more),*);
            }
            (HalfSpace(b), Triangle(a)) => {
                return $call::<TriangleHalfSpace>(a, b, true, $($more),*);
            }
            (ConvexHull(a), HalfSpace(b)) => {
                return $call::<HullHalfSpace>(a, b, false, $($more),*);
            }
            (HalfSpace(b), ConvexHull(a)) => {
                return $call::<HullHalfSpace>(a, b, true, $($more),*);
            }
            (Rounded(a), HalfSpace(b)) => {
                if let Cuboid(_) = a.core() {
                    return $call::<RoundCuboidHalfSpace>(a, b, false, $($more),*);
                }
                return $call::<RoundedHalfSpace>(a, b, false, $($more),*);
            }
            (HalfSpace(b), Rounded(a)) => {
                if let Cuboid(_) = a.core() {
                    return $call::<RoundCuboidHalfSpace>(a, b, true, $($more),*);
                }
                return $call::<RoundedHalfSpace>(a, b, true, $($more),*);
            }
            (Cone(a), Sphere(b)) => return $call::<ConeSphere>(a, b, false, $($more),*),
            (Sphere(b), Cone(a)) => return $call::<ConeSphere>(a, b, true, $($more),*),
            (Cylinder(a), Sphere(b)) => return $call::<CylinderSphere>(a, b, false, $($more),*),
            (Sphere(b), Cylinder(a)) => return $call::<CylinderSphere>(a, b, true, $($more),*),
            (Sphere(a), Triangle(b)) => return $call::<SphereTriangle>(a, b, false, $($more),*),
            (Triangle(b), Sphere(a)) => return $call::<SphereTriangle>(a, b, true, $($more),*),
            _ => {}
        }
    }};
}
pub(crate) use answer_known_kinds;

/// The poses in the room's order.
#[inline(always)]
fn ordered<'a>(flipped: bool, pose_a: &'a Pose, pose_b: &'a Pose) -> (&'a Pose, &'a Pose) {
    if flipped { (pose_b, pose_a) } else { (pose_a, pose_b) }
}

/// How the two lie to each other.
#[inline(always)]
pub(crate) fn relation(pair: Pair<'_>, flipped: bool, pose_a: &Pose, pose_b: &Pose) -> Relation {
    let (p, q) = ordered(flipped, pose_a, pose_b);
    common!(pair, relation(p, q)).unwrap_or_else(|| {
        passed_on!(Common);
        pair.relation(&pair.frame(pose_a, pose_b, flipped))
    })
}

/// Their closest points, if they are at most `most` apart.
#[inline(always)]
pub(crate) fn closest(
    pair: Pair<'_>,
    flipped: bool,
    pose_a: &Pose,
    pose_b: &Pose,
    most: f32,
) -> Option<Closest> {
    let (p, q) = ordered(flipped, pose_a, pose_b);
    common!(pair, closest(p, q, flipped, most))
        .unwrap_or_else(|| closest_in_room(pair, flipped, pose_a, pose_b, most))
}

#[inline(always)]
fn closest_in_room(
    pair: Pair<'_>,
    flipped: bool,
    pose_a: &Pose,
    pose_b: &Pose,
    most: f32,
) -> Option<Closest> {
    closest_at(pair, flipped, &pair.frame(pose_a, pose_b, flipped), most)
}

/// The room's answer in a frame that is known.
#[inline(always)]
pub(crate) fn closest_at(
    pair: Pair<'_>,
    flipped: bool,
    at: &Relative,
    most: f32,
) -> Option<Closest> {
    passed_on!(Common);
    // A little farther than the limit, for what rounds to it.
    rounded(&pair.closest_within(at, most.next_up().into())?, flipped, at, most)
}

/// What a room found in its frame, as an answer in the world.
#[inline(always)]
pub(crate) fn rounded(
    found: &Separation,
    flipped: bool,
    at: &Relative,
    most: f32,
) -> Option<Closest> {
    let distance = round::nearest(found.distance);
    let oriented = if flipped { found.flipped() } else { *found };
    // Not by `then`, whose closure stays out of line.
    if distance <= most {
        Some(Closest {
            distance,
            normal: round::nearest_vec(at.vector_to_world(oriented.normal)),
            point_a: round::nearest_vec(at.point_to_world(oriented.point_a)),
            point_b: round::nearest_vec(at.point_to_world(oriented.point_b)),
            part_a: 0,
            part_b: 0,
        })
    } else {
        None
    }
}

/// Their manifold.
#[inline(always)]
pub(crate) fn manifold(
    pair: Pair<'_>,
    flipped: bool,
    pose_a: &Pose,
    pose_b: &Pose,
    margin: f64,
) -> Option<Manifold> {
    let (p, q) = ordered(flipped, pose_a, pose_b);
    match common!(pair, manifold(p, q, flipped, margin)) {
        Some(found) => found,
        None => manifold_in_room(pair, flipped, pose_a, pose_b, margin),
    }
}

#[inline(always)]
fn manifold_in_room(
    pair: Pair<'_>,
    flipped: bool,
    pose_a: &Pose,
    pose_b: &Pose,
    margin: f64,
) -> Option<Manifold> {
    passed_on!(Common);
    let at = pair.frame(pose_a, pose_b, flipped);
    let patch = pair.manifold(&at, margin)?;
    let mut found = Some(patch.in_world(at.world_from_a(), at.pose_a().translation()));
    if flipped {
        found = found.map(|manifold| manifold.flipped());
    }
    found
}

/// [`relation`] of two shapes in the room's order and their poses in the caller's.
#[inline(never)]
pub(crate) fn relation_of_kind<K: Room>(
    a: &K::A,
    b: &K::B,
    flipped: bool,
    pose_a: &Pose,
    pose_b: &Pose,
) -> Relation {
    let (p, q) = ordered(flipped, pose_a, pose_b);
    common!(K::pair(a, b), relation(p, q))
        .unwrap_or_else(|| asked_relation::<K>(a, b, flipped, pose_a, pose_b))
}

/// Whether two shapes in the room's order overlap; their poses are in the caller's.
#[inline(always)]
pub(crate) fn overlaps_of_kind<K: Room>(
    a: &K::A,
    b: &K::B,
    flipped: bool,
    pose_a: &Pose,
    pose_b: &Pose,
) -> bool {
    relation_of_kind::<K>(a, b, flipped, pose_a, pose_b).overlaps()
}

/// The room's answer, out of the way of the common case.
#[inline(never)]
fn asked_relation<K: Room>(
    a: &K::A,
    b: &K::B,
    flipped: bool,
    pose_a: &Pose,
    pose_b: &Pose,
) -> Relation {
    passed_on!(Common);
    let pair = K::pair(a, b);
    pair.relation(&pair.frame(pose_a, pose_b, flipped))
}

/// [`closest`] of two shapes in the room's order and their poses in the caller's.
#[inline(never)]
pub(crate) fn closest_of_kind<K: Room>(
    a: &K::A,
    b: &K::B,
    flipped: bool,
    pose_a: &Pose,
    pose_b: &Pose,
    most: f32,
) -> Option<Closest> {
    closest_inline::<K>(a, b, flipped, pose_a, pose_b, most)
}

/// Zero or the distance of two shapes in the room's order; their poses are in the caller's.
#[inline(never)]
pub(crate) fn distance_of_kind<K: Room>(
    a: &K::A,
    b: &K::B,
    flipped: bool,
    pose_a: &Pose,
    pose_b: &Pose,
) -> f32 {
    let (p, q) = ordered(flipped, pose_a, pose_b);
    if let Some(found) = common!(K::pair(a, b), distance(p, q)) {
        return found;
    }
    asked_closest::<K>(a, b, flipped, pose_a, pose_b, f32::INFINITY)
        .map_or(f32::INFINITY, |found| found.distance.max(0.0))
}

/// [`closest_of_kind`] where even the call would show.
#[inline(always)]
pub(crate) fn closest_inline<K: Room>(
    a: &K::A,
    b: &K::B,
    flipped: bool,
    pose_a: &Pose,
    pose_b: &Pose,
    most: f32,
) -> Option<Closest> {
    let (p, q) = ordered(flipped, pose_a, pose_b);
    if let Some(found) = common!(K::pair(a, b), closest(p, q, flipped, most)) {
        return found;
    }
    asked_closest::<K>(a, b, flipped, pose_a, pose_b, most)
}

/// The room's answer, out of the way of the common case.
#[inline(never)]
fn asked_closest<K: Room>(
    a: &K::A,
    b: &K::B,
    flipped: bool,
    pose_a: &Pose,
    pose_b: &Pose,
    most: f32,
) -> Option<Closest> {
    closest_in_room(K::pair(a, b), flipped, pose_a, pose_b, most)
}

/// [`manifold`] of two shapes in the room's order and their poses in the caller's.
#[inline(never)]
pub(crate) fn manifold_of_kind<K: Room>(
    a: &K::A,
    b: &K::B,
    flipped: bool,
    pose_a: &Pose,
    pose_b: &Pose,
    margin: f64,
) -> Option<Manifold> {
    let (p, q) = ordered(flipped, pose_a, pose_b);
    match K::pair(a, b) {
        Pair::CapsuleHalfSpace(..) | Pair::CuboidHalfSpace(..) | Pair::ConvexHalfSpace(..) => {
            let mut found = None;
            several::<K>(a, b, flipped, (pose_a, pose_b), margin, &mut found);
            found
        }
        pair => match common!(pair, manifold(p, q, flipped, margin)) {
            Some(found) => found,
            None => asked_manifold::<K>(a, b, flipped, pose_a, pose_b, margin),
        },
    }
}

/// A manifold that may have several points, written where it stays.
#[inline(always)]
pub(crate) fn several<K: Room>(
    a: &K::A,
    b: &K::B,
    flipped: bool,
    (pose_a, pose_b): (&Pose, &Pose),
    margin: f64,
    found: &mut impl Slot,
) {
    let (p, q) = ordered(flipped, pose_a, pose_b);
    let told = K::points((a, p), (b, q), flipped, margin, found);
    if told.is_none() {
        found.fill(asked_manifold::<K>(a, b, flipped, pose_a, pose_b, margin));
    }
}

/// The room's answer, out of the way of the common case.
#[inline(never)]
pub(crate) fn asked_manifold<K: Room>(
    a: &K::A,
    b: &K::B,
    flipped: bool,
    pose_a: &Pose,
    pose_b: &Pose,
    margin: f64,
) -> Option<Manifold> {
    manifold_in_room(K::pair(a, b), flipped, pose_a, pose_b, margin)
}
