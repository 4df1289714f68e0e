//! The public queries between any two placed shapes.
//!
//! Shapes of several parts are taken apart, poses become [`Relative`] frames, and the rooms' f64
//! answers become f32 answers in the world.

use std::ops::ControlFlow;

use impinge_shapes::convex::Core;
use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{Pose, Shape, Sphere, round};
use smallvec::SmallVec;

use crate::common::{answer_known_kinds, closest_of_kind};
use crate::compound::Beside;
use crate::convex::glance;
use crate::dispatch::{Pair, Simple};
use crate::manifold_of_parts::{Search, manifold_of_pair};
use crate::pairs::cone_sphere::ConeSphere;
use crate::pairs::cylinder_sphere::CylinderSphere;
use crate::pairs::sphere_sphere::SphereSphere;
use crate::pairs::sphere_triangle::SphereTriangle;
use crate::parts::{self, Leaf};
use crate::solids::{
    ask_solids, closest_of_solids, distance_of_solids, have_no_room, manifold_of_solids, prefetch,
    put_manifold_of_solids, relation_of_solids,
};
use crate::surface::{Deepest, InTurn};
use crate::{Closest, Manifold, Projection, Relation, Relative, common, witness};

/// How two placed shapes lie to each other.
///
/// - Error: none for half-spaces, spheres, capsules, boxes, triangles and hulls, grown or not, nor
///   for what is made of them. With a cylinder or a cone, distances within 2^-44 of the pair's
///   size count as touching, beside parallel round sides those within 2^-30.
/// - Degenerate: shapes of several parts are penetrating if any two parts are.
///
/// ```
/// use impinge_narrowphase::{Relation, relation};
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let ball = Shape::sphere(1.0)?;
/// let at = Pose::from_position(Vec3::X * 2.0)?;
/// assert_eq!(relation(&ball, &Pose::IDENTITY, &ball, &at), Relation::Touching);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn relation(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Relation {
    answer_known_kinds!(a, b, relation_of_kind(pose_a, pose_b));
    relation_of_any(a, pose_a, b, pose_b)
}

/// The relation of two hulls, where f32 knows it.
#[inline(always)]
fn glance_at_hulls(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Relation> {
    let (Shape::ConvexHull(a), Shape::ConvexHull(b)) = (a, b) else { return None };
    glance::prefetch(a, b);
    glance::relation(SimdLevel::detected(), (a, pose_a), (b, pose_b))
}

#[inline(never)]
fn relation_of_any(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Relation {
    if let Some(found) = glance_at_hulls(a, pose_a, b, pose_b) {
        return found;
    }
    let asked = ask_solids!(a, b, |one, other| relation_of_solids((one, pose_a), (other, pose_b)));
    if let Some(found) = asked {
        return found;
    }
    if let Some(a) = Simple::of(a)
        && let Some(b) = Simple::of(b)
    {
        return relation_of_pair(&a, pose_a, &b, pose_b);
    }
    if let Some(mut pair) = Beside::of(a, pose_a, b, pose_b) {
        return pair.relation();
    }
    let mut found = Relation::Apart;
    // Whether it ended early does not matter.
    let _ = parts::for_each_leaf_pair((a, pose_a), (b, pose_b), 0.0, &mut |a, b, at| {
        match relation_of_leaves(&a, &b, at) {
            Relation::Apart => ControlFlow::Continue(()),
            Relation::Touching => {
                found = Relation::Touching;
                ControlFlow::Continue(())
            }
            Relation::Penetrating => {
                found = Relation::Penetrating;
                ControlFlow::Break(())
            }
        }
    });
    found
}

/// [`relation_of_pair`] of parts, in their frame where it is known.
pub(crate) fn relation_of_leaves(a: &Leaf<'_>, b: &Leaf<'_>, at: Option<&Relative>) -> Relation {
    match (at, Pair::of(&a.simple, &b.simple)) {
        (Some(at), (pair @ Pair::ConvexConvex(..), false)) => pair.relation(at),
        _ => relation_of_pair(&a.simple, &a.pose, &b.simple, &b.pose),
    }
}

#[inline(never)]
fn relation_of_pair(a: &Simple<'_>, pose_a: &Pose, b: &Simple<'_>, pose_b: &Pose) -> Relation {
    let (pair, flipped) = Pair::of(a, b);
    common::relation(pair, flipped, pose_a, pose_b)
}

/// Whether two placed shapes have a common point: touching counts.
///
/// ```
/// use impinge_narrowphase::overlaps;
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let ball = Shape::sphere(1.0)?;
/// let touching = Pose::from_position(Vec3::new(0.0, 2.0, 0.0)).expect("finite");
/// assert!(overlaps(&ball, &Pose::IDENTITY, &ball, &touching));
/// # Ok::<(), impinge_shapes::SphereError>(())
/// ```
#[must_use]
pub fn overlaps(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    if let (Shape::Sphere(a), Shape::Sphere(b)) = (a, b)
        && let Some(found) = witness::relation::<SphereSphere>(a, pose_a, b, pose_b)
    {
        return found.overlaps();
    }
    answer_known_kinds!(a, b, overlaps_of_kind(pose_a, pose_b));
    overlaps_of_any(a, pose_a, b, pose_b)
}

#[inline(never)]
fn overlaps_of_any(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    if let Some(found) = glance_at_hulls(a, pose_a, b, pose_b) {
        return found.overlaps();
    }
    let asked = ask_solids!(a, b, |one, other| relation_of_solids((one, pose_a), (other, pose_b)));
    if let Some(found) = asked {
        return found.overlaps();
    }
    if let Some(a) = Simple::of(a)
        && let Some(b) = Simple::of(b)
    {
        return relation_of_pair(&a, pose_a, &b, pose_b).overlaps();
    }
    if let Some(mut pair) = Beside::of(a, pose_a, b, pose_b) {
        return pair.overlaps();
    }
    parts::for_each_leaf_pair((a, pose_a), (b, pose_b), 0.0, &mut |a, b, at| {
        let found = relation_of_leaves(&a, &b, at);
        if found.overlaps() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .is_break()
}

/// Signed distance of two placed shapes, with the points that witness it.
///
/// `None` means farther apart than `max_distance`, which may be infinite.
///
/// - Frame: the result is in the world.
/// - Sign: positive apart, zero touching, negative by the depth of overlap; it never contradicts
///   [`overlaps`], but for gaps and depths that f32 cannot tell from zero.
/// - Normal: unit, from A to B. Moving B by `-distance * normal` leaves the two just touching; for
///   overlapping shapes of several parts this holds for the reported parts, which are the deepest
///   pair.
/// - Ties: the first pair of parts, then the rules of the pair's room.
/// - Degenerate: a `max_distance` that is NaN finds nothing, a negative one only overlaps at least
///   that deep.
///
/// ```
/// use impinge_narrowphase::closest;
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let (cube, ball) = (Shape::cuboid(Vec3::ONE)?, Shape::sphere(0.5)?);
/// let at = Pose::from_position(Vec3::X * 4.0)?;
/// let near = closest(&cube, &Pose::IDENTITY, &ball, &at, 9.0).expect("within the limit");
/// assert_eq!((near.distance, near.point_a, near.normal), (2.5, Vec3::X, Vec3::X));
/// assert!(closest(&cube, &Pose::IDENTITY, &ball, &at, 2.0).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn closest(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    max_distance: f32,
) -> Option<Closest> {
    if let (Shape::Sphere(a), Shape::Sphere(b)) = (a, b) {
        return common::closest_inline::<SphereSphere>(a, b, false, pose_a, pose_b, max_distance);
    }
    answer_known_kinds!(a, b, closest_of_kind(pose_a, pose_b, max_distance));
    closest_of_any(a, pose_a, b, pose_b, max_distance)
}

#[inline(never)]
fn closest_of_any(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    max_distance: f32,
) -> Option<Closest> {
    let asked = ask_solids!(a, b, |one, other| {
        closest_of_solids((one, pose_a), (other, pose_b), None, max_distance)
    });
    if let Some(found) = asked {
        return found;
    }
    if let Some(a) = Simple::of(a)
        && let Some(b) = Simple::of(b)
    {
        return closest_of_pair(&a, pose_a, &b, pose_b, max_distance);
    }
    // A little farther than the limit, for what rounds to it.
    let reach = if max_distance.is_nan() { 0.0 } else { max_distance.next_up().into() };
    if let Some(mut pair) = Beside::of(a, pose_a, b, pose_b) {
        return pair.closest(reach).filter(|best| best.distance <= max_distance);
    }
    let (mut best, mut turn) = (None, InTurn::default());
    let mut later = f64::INFINITY;
    parts::nearest_leaves((a, pose_a), (b, pose_b), reach, &mut |a, b, at| {
        if is_asked((&mut turn, &mut later), (a, b), at, best.as_ref()) {
            take_closest(&mut best, (a, b), at);
        }
        let most = best.map_or_else(|| round::up(later), |best: Closest| best.distance);
        // As far as what rounds to the same distance, which may come first among equals.
        reach.min(most.next_up().into())
    });
    while let Some((a, b)) = turn.next(deepest_of(best.as_ref())) {
        take_closest(&mut best, (&a, &b), None);
    }
    best.filter(|best| best.distance <= max_distance)
}

/// Whether two parts are asked now for their closest points: not where one is a triangle and the other,
/// whose depth takes long, certainly is deeper in another triangle, and later where it seems so.
///
/// `later` becomes how far apart the nearest of those are at most that are asked later.
fn is_asked<'a>(
    (turn, later): (&mut InTurn<'a>, &mut f64),
    (a, b): (&Leaf<'a>, &Leaf<'a>),
    at: Option<&Relative>,
    best: Option<&Closest>,
) -> bool {
    let solid = if a.surface.is_some() { b } else { a };
    let takes_long = solid.simple.solid().is_some_and(|solid| {
        matches!(solid.core, Core::Hull(_) | Core::Cylinder(_) | Core::Cone(_))
    });
    // Beside what is apart or touches, too, all are asked: mostly nothing overlaps then.
    let is_open = best.is_none_or(|best| best.distance < 0.0);
    if !(takes_long && is_open) || a.surface.is_some() == b.surface.is_some() {
        return true;
    }
    let of_its_own;
    let (leaves, at) = match at {
        Some(at) if a.surface.is_some() => ((a, b), at),
        _ => {
            let leaves = if a.surface.is_some() { (a, b) } else { (b, a) };
            of_its_own = Relative::new(&leaves.0.pose, &leaves.1.pose);
            (leaves, &of_its_own)
        }
    };
    let Some(stand) = turn.stand(leaves, at, a.surface.is_some()) else { return true };
    if best.is_none() && stand.is_beside() {
        *later = later.min(stand.most(at));
    }
    turn.admits(&stand, leaves, at, a.surface.is_some(), deepest_of(best))
}

/// As far as two overlap.
fn deepest_of(best: Option<&Closest>) -> Option<Deepest> {
    let best = best.filter(|best| best.distance < 0.0)?;
    Some(Deepest { distance: best.distance, parts: (best.part_a, best.part_b) })
}

/// The closest points of two parts in place of the best ones so far, if they are closer.
fn take_closest(best: &mut Option<Closest>, (a, b): (&Leaf<'_>, &Leaf<'_>), at: Option<&Relative>) {
    let most = best.map_or(f32::INFINITY, |best| best.distance);
    let Some(found) = closest_of_leaves(a, b, at, most) else { return };
    let found = Closest { part_a: a.part, part_b: b.part, ..found };
    if best.is_none_or(|best| is_closer(&found, &best)) {
        *best = Some(found);
    }
}

/// Closer, or as close and of parts that come first.
pub(crate) fn is_closer(a: &Closest, b: &Closest) -> bool {
    let parts = |x: &Closest| (x.part_a, x.part_b);
    a.distance < b.distance || (a.distance <= b.distance && parts(a) < parts(b))
}

/// [`closest_of_pair`] of parts, in their frame where it is known.
fn closest_of_leaves(
    a: &Leaf<'_>,
    b: &Leaf<'_>,
    at: Option<&Relative>,
    max_distance: f32,
) -> Option<Closest> {
    match (at, Pair::of(&a.simple, &b.simple)) {
        (Some(_), (Pair::ConvexConvex(one, other), false)) => {
            closest_of_solids((&one, &a.pose), (&other, &b.pose), at, max_distance)
        }
        _ => closest_of_pair(&a.simple, &a.pose, &b.simple, &b.pose, max_distance),
    }
}

#[inline(never)]
fn closest_of_pair(
    a: &Simple<'_>,
    pose_a: &Pose,
    b: &Simple<'_>,
    pose_b: &Pose,
    max_distance: f32,
) -> Option<Closest> {
    let (pair, flipped) = Pair::of(a, b);
    if let Pair::ConvexConvex(a, b) = &pair {
        prefetch(a, b);
    }
    common::closest(pair, flipped, pose_a, pose_b, max_distance)
}

/// Distance of two placed shapes, and zero where they touch or overlap.
///
/// The same as that of [`closest`], but for its sign, and sooner for convex shapes that overlap,
/// whose depth nobody asks for.
///
/// ```
/// use impinge_narrowphase::distance;
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let ball = Shape::sphere(1.0)?;
/// let at = |x| Pose::from_position(Vec3::new(x, 0.0, 0.0)).expect("finite");
/// assert_eq!(distance(&ball, &at(0.0), &ball, &at(5.0)), 3.0);
/// assert_eq!(distance(&ball, &at(0.0), &ball, &at(1.0)), 0.0);
/// # Ok::<(), impinge_shapes::SphereError>(())
/// ```
#[must_use]
pub fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f32 {
    answer_known_kinds!(a, b, distance_of_kind(pose_a, pose_b));
    distance_of_any(a, pose_a, b, pose_b)
}

#[inline(never)]
fn distance_of_any(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f32 {
    let asked = ask_solids!(a, b, |one, other| {
        distance_of_solids((one, pose_a), (other, pose_b), None, f32::INFINITY)
    });
    if let Some(found) = asked {
        return found;
    }
    if let Some(a) = Simple::of(a)
        && let Some(b) = Simple::of(b)
    {
        return distance_of_pair((&a, pose_a), (&b, pose_b), None, f32::INFINITY);
    }
    if let Some(mut pair) = Beside::of(a, pose_a, b, pose_b) {
        return pair.distance();
    }
    let mut best = f32::INFINITY;
    parts::nearest_leaves((a, pose_a), (b, pose_b), f64::INFINITY, &mut |a, b, at| {
        if best > 0.0 {
            let (a, b) = ((&a.simple, &a.pose), (&b.simple, &b.pose));
            best = best.min(distance_of_pair(a, b, at, best));
        }
        // Nothing is nearer than what touches.
        if best > 0.0 { best.into() } else { f64::NEG_INFINITY }
    });
    best
}

/// [`distance`], or any more than the limit beyond it.
pub(crate) fn distance_within(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    limit: f32,
) -> f32 {
    answer_known_kinds!(a, b, distance_of_kind(pose_a, pose_b));
    match (Simple::of(a), Simple::of(b)) {
        (Some(a), Some(b)) => distance_of_pair((&a, pose_a), (&b, pose_b), None, limit),
        _ => distance_of_any(a, pose_a, b, pose_b),
    }
}

/// Zero, the distance, or infinity for more than the limit; of two convex solids in their frame
/// where it is known.
#[inline(never)]
fn distance_of_pair(
    (a, pose_a): (&Simple<'_>, &Pose),
    (b, pose_b): (&Simple<'_>, &Pose),
    at: Option<&Relative>,
    limit: f32,
) -> f32 {
    let (pair, flipped) = Pair::of(a, b);
    if let Pair::ConvexConvex(solid_a, solid_b) = pair {
        return distance_of_solids((&solid_a, pose_a), (&solid_b, pose_b), at, limit);
    }
    common::closest(pair, flipped, pose_a, pose_b, limit)
        .map_or(f32::INFINITY, |found| found.distance.max(0.0))
}

/// The point of a placed shape's boundary nearest to a world point, and how far it is.
///
/// `None` means farther than `max_distance`, or a point that is not finite.
///
/// - Frame: the point and the result are in the world.
/// - Sign: `distance` is positive outside, zero on the boundary, negative inside; a surface has no
///   inside.
/// - Ties, Degenerate: as [`closest`] with a sphere without radius.
///
/// ```
/// use impinge_narrowphase::project_point;
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let ball = Shape::sphere(2.0)?;
/// let inside = project_point(&ball, &Pose::IDENTITY, Vec3::X, 9.0).expect("no limit matters");
/// assert_eq!((inside.distance, inside.point), (-1.0, Vec3::X * 2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn project_point(
    shape: &Shape,
    pose: &Pose,
    point: Vec3,
    max_distance: f32,
) -> Option<Projection> {
    let at = Pose::from_position(point).ok()?;
    let tip = Sphere::new(0.0).ok()?;
    match shape {
        Shape::Cone(cone) => {
            closest_of_kind::<ConeSphere>(cone, &tip, false, pose, &at, max_distance)
        }
        Shape::Cylinder(cylinder) => {
            closest_of_kind::<CylinderSphere>(cylinder, &tip, false, pose, &at, max_distance)
        }
        Shape::Triangle(triangle) => {
            closest_of_kind::<SphereTriangle>(&tip, triangle, true, pose, &at, max_distance)
        }
        _ => closest(shape, pose, &tip.into(), &at, max_distance),
    }
    .map(Projection::on_a)
}

/// Contact points of two placed shapes that are at most `margin` apart, one manifold for each pair
/// of parts in contact; empty when there is none.
///
/// - Frame: the result is in the world.
/// - Normal: unit, from A to B. At an edge within a mesh or a height field, where the surface goes
///   on level or rises, it is the triangle's.
/// - Ties: manifolds in the order of A's parts, then B's; points by feature.
/// - Degenerate: a `margin` that is negative or NaN counts as 0.
///
/// ```
/// use impinge_narrowphase::manifolds;
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let (floor, cube) = (Shape::half_space(Vec3::Y, 0.0)?, Shape::cuboid(Vec3::ONE)?);
/// let at = Pose::from_position(Vec3::Y * 0.75)?;
/// let found = manifolds(&floor, &Pose::IDENTITY, &cube, &at, 0.0);
/// assert_eq!((found.len(), found[0].points.len(), found[0].normal), (1, 4, Vec3::Y));
/// assert_eq!(found[0].distance(), -0.25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn manifolds(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    margin: f32,
) -> SmallVec<[Manifold; 1]> {
    let mut found = SmallVec::new();
    manifolds_into(a, pose_a, b, pose_b, margin.max(0.0), &mut found);
    found
}

/// As [`manifolds`], into an empty list; the margin is not negative.
pub(crate) fn manifolds_into(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    margin: f32,
    found: &mut SmallVec<[Manifold; 1]>,
) {
    let asked = ask_solids!(a, b, |one, other| {
        put_manifold_of_solids((one, pose_a), (other, pose_b), margin, found);
    });
    if asked.is_some() {
        return;
    }
    if Simple::of(a).is_some() && Simple::of(b).is_some() {
        // Not by `extend`, which goes on to look for more.
        if let Some(one) = manifold(a, pose_a, b, pose_b, margin) {
            found.push(one);
        }
        return;
    }
    if let Some(mut pair) = Beside::of(a, pose_a, b, pose_b) {
        pair.manifolds(margin, found);
    } else {
        let _ = parts::for_each_leaf_pair((a, pose_a), (b, pose_b), margin, &mut |a, b, at| {
            manifold_of_pair((&a, &b), at, margin, found);
            ControlFlow::Continue(())
        });
    }
    if found.len() > 1 {
        found.sort_by_key(|manifold| (manifold.part_a, manifold.part_b));
    }
}

/// The manifold of two simple shapes, or of the deepest pair of parts; see [`manifolds`].
///
/// ```
/// use impinge_narrowphase::{manifold, manifolds};
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let at = |x: f32| Pose::from_position(Vec3::X * x).unwrap();
/// let (small, large) = (Shape::sphere(1.0)?, Shape::sphere(1.5)?);
/// let dumbbell = Shape::compound([(at(-2.0), small), (at(2.0), large)])?;
/// let floor = Shape::half_space(Vec3::Y, 0.0)?;
/// let low = Pose::from_position(Vec3::Y * 0.75)?;
/// assert_eq!(manifolds(&dumbbell, &low, &floor, &Pose::IDENTITY, 0.0).len(), 2);
/// let deepest = manifold(&dumbbell, &low, &floor, &Pose::IDENTITY, 0.0).unwrap();
/// assert_eq!((deepest.part_a, deepest.distance()), (1, -0.75));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn manifold(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    margin: f32,
) -> Option<Manifold> {
    let margin = margin.max(0.0);
    answer_known_kinds!(a, b, manifold_of_kind(pose_a, pose_b, margin.into()));
    manifold_of_any(a, pose_a, b, pose_b, margin)
}

#[inline(never)]
fn manifold_of_any(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    margin: f32,
) -> Option<Manifold> {
    // Without the macro, because the answer is large and made where it stays.
    if have_no_room(a, b) {
        let (one, other) = (a.solid(), b.solid());
        if let (Some(one), Some(other)) = (&one, &other) {
            return manifold_of_solids((one, pose_a), (other, pose_b), margin);
        }
    }
    if let Some(a) = Simple::of(a)
        && let Some(b) = Simple::of(b)
    {
        return manifold_of_simple(&a, pose_a, &b, pose_b, margin);
    }
    if let Some(mut pair) = Beside::of(a, pose_a, b, pose_b) {
        return pair.manifold(margin);
    }
    let mut search = Search::new(margin);
    let _ = parts::for_each_leaf_pair((a, pose_a), (b, pose_b), margin, &mut |a, b, at| {
        search.ask(&a, &b, at);
        ControlFlow::Continue(())
    });
    search.done()
}

/// Deeper, or as deep and of parts that come first.
pub(crate) fn is_deeper(a: &Manifold, b: &Manifold) -> bool {
    let parts = (b.part_a, b.part_b);
    !Deepest { distance: b.distance(), parts }.is_before(a.distance(), (a.part_a, a.part_b))
}

/// The manifold of two bodies that are not made of parts.
#[inline(never)]
pub(crate) fn manifold_of_simple(
    a: &Simple<'_>,
    pose_a: &Pose,
    b: &Simple<'_>,
    pose_b: &Pose,
    margin: f32,
) -> Option<Manifold> {
    let (pair, flipped) = Pair::of(a, b);
    if let Pair::ConvexConvex(a, b) = &pair {
        prefetch(a, b);
    }
    common::manifold(pair, flipped, pose_a, pose_b, margin.into())
}
