//! The one `match` over two shapes, and the public queries that go through it.
//!
//! Compounds are taken apart here, so that the rooms see simple shapes only; poses become
//! [`Relative`] frames, and the rooms' f64 answers become f32 answers in the world.

use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Aabb, Capsule, Cuboid, HalfSpace, Pose, Shape, Sphere, round};
use smallvec::SmallVec;

use crate::pairs::{
    capsule_capsule, capsule_cuboid, capsule_half_space, capsule_sphere, cuboid_cuboid,
    cuboid_half_space, cuboid_sphere, half_space_half_space, half_space_sphere, sphere_sphere,
};
use crate::{
    Closest, ContactPoint, Impact, Manifold, Patch, Relation, Relative, Separation, ShapeSweepHit,
    SweepOptions, tolerance,
};

/// Two simple shapes in the order of their room.
#[derive(Clone, Copy)]
enum Pair<'a> {
    CapsuleCapsule(&'a Capsule, &'a Capsule),
    CapsuleCuboid(&'a Capsule, &'a Cuboid),
    CapsuleHalfSpace(&'a Capsule, &'a HalfSpace),
    CapsuleSphere(&'a Capsule, &'a Sphere),
    CuboidCuboid(&'a Cuboid, &'a Cuboid),
    CuboidHalfSpace(&'a Cuboid, &'a HalfSpace),
    CuboidSphere(&'a Cuboid, &'a Sphere),
    HalfSpaceHalfSpace(&'a HalfSpace, &'a HalfSpace),
    HalfSpaceSphere(&'a HalfSpace, &'a Sphere),
    SphereSphere(&'a Sphere, &'a Sphere),
}

/// What two shapes are to the rooms: one pair, or parts to be taken apart.
enum Kind<'a> {
    /// The pair and whether A and B changed places to get into the room's order.
    Simple(Pair<'a>, bool),
    /// At least one is a compound.
    Parts,
}

/// The registry: every ordered pair of shapes has an arm.
fn kind<'a>(a: &'a Shape, b: &'a Shape) -> Kind<'a> {
    use Shape::{Capsule, Compound, Cuboid, HalfSpace, Sphere};
    match (a, b) {
        (Capsule(a), Capsule(b)) => Kind::Simple(Pair::CapsuleCapsule(a, b), false),
        (Capsule(a), Cuboid(b)) => Kind::Simple(Pair::CapsuleCuboid(a, b), false),
        (Cuboid(a), Capsule(b)) => Kind::Simple(Pair::CapsuleCuboid(b, a), true),
        (Capsule(a), HalfSpace(b)) => Kind::Simple(Pair::CapsuleHalfSpace(a, b), false),
        (HalfSpace(a), Capsule(b)) => Kind::Simple(Pair::CapsuleHalfSpace(b, a), true),
        (Capsule(a), Sphere(b)) => Kind::Simple(Pair::CapsuleSphere(a, b), false),
        (Sphere(a), Capsule(b)) => Kind::Simple(Pair::CapsuleSphere(b, a), true),
        (Cuboid(a), Cuboid(b)) => Kind::Simple(Pair::CuboidCuboid(a, b), false),
        (Cuboid(a), HalfSpace(b)) => Kind::Simple(Pair::CuboidHalfSpace(a, b), false),
        (HalfSpace(a), Cuboid(b)) => Kind::Simple(Pair::CuboidHalfSpace(b, a), true),
        (Cuboid(a), Sphere(b)) => Kind::Simple(Pair::CuboidSphere(a, b), false),
        (Sphere(a), Cuboid(b)) => Kind::Simple(Pair::CuboidSphere(b, a), true),
        (HalfSpace(a), HalfSpace(b)) => Kind::Simple(Pair::HalfSpaceHalfSpace(a, b), false),
        (HalfSpace(a), Sphere(b)) => Kind::Simple(Pair::HalfSpaceSphere(a, b), false),
        (Sphere(a), HalfSpace(b)) => Kind::Simple(Pair::HalfSpaceSphere(b, a), true),
        (Sphere(a), Sphere(b)) => Kind::Simple(Pair::SphereSphere(a, b), false),
        (Compound(_), _) | (_, Compound(_)) => Kind::Parts,
    }
}

impl Pair<'_> {
    /// The pair's frame with A and B in the room's order.
    ///
    /// How a sphere is turned shows in no answer, so its rotation is left out of the work.
    fn frame(self, pose_a: &Pose, pose_b: &Pose, flipped: bool) -> Relative {
        let (a, b) = if flipped { (pose_b, pose_a) } else { (pose_a, pose_b) };
        match self {
            Self::SphereSphere(..) => Relative::new(&a.unrotated(), &b.unrotated()),
            Self::CapsuleSphere(..) | Self::CuboidSphere(..) | Self::HalfSpaceSphere(..) => {
                Relative::new(a, &b.unrotated())
            }
            Self::CapsuleCapsule(..)
            | Self::CapsuleCuboid(..)
            | Self::CapsuleHalfSpace(..)
            | Self::CuboidCuboid(..)
            | Self::CuboidHalfSpace(..)
            | Self::HalfSpaceHalfSpace(..) => Relative::new(a, b),
        }
    }

    fn relation(self, at: &Relative) -> Relation {
        match self {
            Self::CapsuleCapsule(a, b) => capsule_capsule::relation(a, b, at),
            Self::CapsuleCuboid(a, b) => capsule_cuboid::relation(a, b, at),
            Self::CapsuleHalfSpace(a, b) => capsule_half_space::relation(a, b, at),
            Self::CapsuleSphere(a, b) => capsule_sphere::relation(a, b, at),
            Self::CuboidCuboid(a, b) => cuboid_cuboid::relation(a, b, at),
            Self::CuboidHalfSpace(a, b) => cuboid_half_space::relation(a, b, at),
            Self::CuboidSphere(a, b) => cuboid_sphere::relation(a, b, at),
            Self::HalfSpaceHalfSpace(a, b) => half_space_half_space::relation(a, b, at),
            Self::HalfSpaceSphere(a, b) => half_space_sphere::relation(a, b, at),
            Self::SphereSphere(a, b) => sphere_sphere::relation(a, b, at),
        }
    }

    fn closest(self, at: &Relative) -> Separation {
        match self {
            Self::CapsuleCapsule(a, b) => capsule_capsule::closest(a, b, at),
            Self::CapsuleCuboid(a, b) => capsule_cuboid::closest(a, b, at),
            Self::CapsuleHalfSpace(a, b) => capsule_half_space::closest(a, b, at),
            Self::CapsuleSphere(a, b) => capsule_sphere::closest(a, b, at),
            Self::CuboidCuboid(a, b) => cuboid_cuboid::closest(a, b, at),
            Self::CuboidHalfSpace(a, b) => cuboid_half_space::closest(a, b, at),
            Self::CuboidSphere(a, b) => cuboid_sphere::closest(a, b, at),
            Self::HalfSpaceHalfSpace(a, b) => half_space_half_space::closest(a, b, at),
            Self::HalfSpaceSphere(a, b) => half_space_sphere::closest(a, b, at),
            Self::SphereSphere(a, b) => sphere_sphere::closest(a, b, at),
        }
    }

    fn manifold(self, at: &Relative, margin: f64) -> Option<Patch> {
        match self {
            Self::CapsuleCapsule(a, b) => capsule_capsule::manifold(a, b, at, margin),
            Self::CapsuleCuboid(a, b) => capsule_cuboid::manifold(a, b, at, margin),
            Self::CapsuleHalfSpace(a, b) => capsule_half_space::manifold(a, b, at, margin),
            Self::CapsuleSphere(a, b) => capsule_sphere::manifold(a, b, at, margin),
            Self::CuboidCuboid(a, b) => cuboid_cuboid::manifold(a, b, at, margin),
            Self::CuboidHalfSpace(a, b) => cuboid_half_space::manifold(a, b, at, margin),
            Self::CuboidSphere(a, b) => cuboid_sphere::manifold(a, b, at, margin),
            Self::HalfSpaceHalfSpace(a, b) => half_space_half_space::manifold(a, b, at, margin),
            Self::HalfSpaceSphere(a, b) => half_space_sphere::manifold(a, b, at, margin),
            Self::SphereSphere(a, b) => sphere_sphere::manifold(a, b, at, margin),
        }
    }

    /// B moves by `motion`, along the world's axes.
    fn sweep(self, at: &Relative, motion: Vec3) -> Option<Impact> {
        match self {
            Self::CapsuleCapsule(a, b) => capsule_capsule::sweep(a, b, at, motion),
            Self::CapsuleCuboid(a, b) => capsule_cuboid::sweep(a, b, at, motion),
            Self::CapsuleHalfSpace(a, b) => capsule_half_space::sweep(a, b, at, motion),
            Self::CapsuleSphere(a, b) => capsule_sphere::sweep(a, b, at, motion),
            Self::CuboidCuboid(a, b) => cuboid_cuboid::sweep(a, b, at, motion),
            Self::CuboidHalfSpace(a, b) => cuboid_half_space::sweep(a, b, at, motion),
            Self::CuboidSphere(a, b) => cuboid_sphere::sweep(a, b, at, motion),
            Self::HalfSpaceHalfSpace(a, b) => half_space_half_space::sweep(a, b, at, motion),
            Self::HalfSpaceSphere(a, b) => half_space_sphere::sweep(a, b, at, motion),
            Self::SphereSphere(a, b) => sphere_sphere::sweep(a, b, at, motion),
        }
    }
}

/// A shape at a pose, as a part of the shape the caller gave.
#[derive(Clone, Copy)]
struct Placed<'a> {
    part: u32,
    pose: Pose,
    shape: &'a Shape,
}

/// The simple shapes of a shape, placed; those that `reach` cannot touch are left out.
fn parts<'a>(shape: &'a Shape, pose: &Pose, reach: &Aabb) -> SmallVec<[Placed<'a>; 4]> {
    match shape {
        Shape::Compound(compound) => compound
            .placed(pose)
            .filter(|(_, pose, shape)| shape.aabb(pose).overlaps(reach))
            .map(|(part, pose, shape)| Placed { part, pose, shape })
            .collect(),
        simple => SmallVec::from_iter([Placed { part: 0, pose: *pose, shape: simple }]),
    }
}

/// Calls `visit` with every pair of parts whose bounds, grown by `margin`, touch, in the order of
/// A's parts and then B's.
fn for_part_pairs<'a>(
    a: Placed<'a>,
    b: Placed<'a>,
    margin: f32,
    mut visit: impl FnMut(Placed<'a>, Placed<'a>),
) {
    let reach_b = b.shape.aabb(&b.pose).inflate(margin);
    for part_a in parts(a.shape, &a.pose, &reach_b) {
        let reach_a = part_a.shape.aabb(&part_a.pose).inflate(margin);
        for part_b in parts(b.shape, &b.pose, &reach_a) {
            visit(part_a, part_b);
        }
    }
}

/// Both shapes as the caller gave them.
fn whole<'a>(shape: &'a Shape, pose: &Pose) -> Placed<'a> {
    Placed { part: 0, pose: *pose, shape }
}

/// How two placed shapes lie to each other.
///
/// - Error: none for pairs of spheres, cuboids and half-spaces; the other rooms state theirs.
///   Compounds are penetrating if any two parts are.
#[must_use]
pub fn relation(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Relation {
    match kind(a, b) {
        Kind::Simple(pair, flipped) => pair.relation(&pair.frame(pose_a, pose_b, flipped)),
        Kind::Parts => {
            let mut found = Relation::Apart;
            for_part_pairs(whole(a, pose_a), whole(b, pose_b), 0.0, |a, b| {
                if found != Relation::Penetrating {
                    let of_parts = relation(a.shape, &a.pose, b.shape, &b.pose);
                    if of_parts != Relation::Apart {
                        found = of_parts;
                    }
                }
            });
            found
        }
    }
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
    relation(a, pose_a, b, pose_b).overlaps()
}

/// Signed distance of two placed shapes, with the points that witness it.
///
/// `None` means farther apart than `max_distance`, which may be infinite.
///
/// - Frame: the result is in the world.
/// - Sign: positive apart, zero touching, negative by the depth of overlap. An exact distance
///   below the error bound is settled by [`relation`], so that the sign never contradicts
///   [`overlaps`]; two shapes that are barely apart may be reported at 0.
/// - Normal: unit, from A to B. Moving B by `-distance * normal` leaves the two just touching; for
///   overlapping compounds this holds for the reported parts, which are the deepest pair.
/// - Ties: the first pair of parts, then the rules of the pair's room.
/// - Degenerate: a `max_distance` that is NaN finds nothing, a negative one only overlaps at least
///   that deep.
#[must_use]
pub fn closest(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    max_distance: f32,
) -> Option<Closest> {
    let mut best: Option<Closest> = None;
    match kind(a, b) {
        Kind::Simple(pair, flipped) => {
            best = Some(closest_of_pair(pair, flipped, pose_a, pose_b));
        }
        Kind::Parts => {
            let reach = if max_distance.is_nan() { 0.0 } else { max_distance };
            for_part_pairs(whole(a, pose_a), whole(b, pose_b), reach, |a, b| {
                if let Kind::Simple(pair, flipped) = kind(a.shape, b.shape) {
                    let found = closest_of_pair(pair, flipped, &a.pose, &b.pose);
                    if best.is_none_or(|best| found.distance < best.distance) {
                        best = Some(Closest { part_a: a.part, part_b: b.part, ..found });
                    }
                }
            });
        }
    }
    best.filter(|best| best.distance <= max_distance)
}

fn closest_of_pair(pair: Pair<'_>, flipped: bool, pose_a: &Pose, pose_b: &Pose) -> Closest {
    let at = pair.frame(pose_a, pose_b, flipped);
    let mut found = pair.closest(&at);
    let sizes = found.point_a.abs().max_element().max(found.point_b.abs().max_element());
    let scale = sizes.max(at.translation().abs().max_element());
    if found.distance.abs() <= scale * tolerance::SETTLE_SIGN {
        found.distance = match pair.relation(&at) {
            Relation::Apart => found.distance.max(0.0),
            Relation::Touching => 0.0,
            Relation::Penetrating => found.distance.min(0.0),
        };
    }
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

/// Contact points of two placed shapes that are at most `margin` apart, one manifold for each pair
/// of parts in contact; empty when there is none.
///
/// - Frame: the result is in the world.
/// - Normal: unit, from A to B.
/// - Ties: manifolds in the order of A's parts, then B's; points by feature.
/// - Degenerate: a `margin` that is negative or NaN counts as 0.
#[must_use]
pub fn manifolds(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    margin: f32,
) -> SmallVec<[Manifold; 1]> {
    let margin = margin.max(0.0);
    let mut found = SmallVec::new();
    match kind(a, b) {
        Kind::Simple(pair, flipped) => {
            found.extend(manifold_of_pair(pair, flipped, pose_a, pose_b, margin));
        }
        Kind::Parts => {
            for_part_pairs(whole(a, pose_a), whole(b, pose_b), margin, |a, b| {
                if let Kind::Simple(pair, flipped) = kind(a.shape, b.shape) {
                    found.extend(
                        manifold_of_pair(pair, flipped, &a.pose, &b.pose, margin)
                            .map(|one| Manifold { part_a: a.part, part_b: b.part, ..one }),
                    );
                }
            });
        }
    }
    found
}

/// The manifold of two simple shapes, or of the deepest pair of parts; see [`manifolds`].
#[must_use]
pub fn manifold(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    margin: f32,
) -> Option<Manifold> {
    manifolds(a, pose_a, b, pose_b, margin)
        .into_iter()
        .reduce(|deepest, next| if next.distance() < deepest.distance() { next } else { deepest })
}

fn manifold_of_pair(
    pair: Pair<'_>,
    flipped: bool,
    pose_a: &Pose,
    pose_b: &Pose,
    margin: f32,
) -> Option<Manifold> {
    let at = pair.frame(pose_a, pose_b, flipped);
    let patch = pair.manifold(&at, margin.into())?;
    let points = patch.points.iter().map(|point| ContactPoint {
        point_a: round::nearest_vec(at.point_to_world(point.point_a)),
        point_b: round::nearest_vec(at.point_to_world(point.point_b)),
        distance: round::nearest(point.distance),
        feature: point.feature,
    });
    let manifold = Manifold {
        normal: round::nearest_vec(at.vector_to_world(patch.normal)),
        points: points.collect(),
        part_a: 0,
        part_b: 0,
    };
    Some(if flipped { manifold.flipped() } else { manifold })
}

/// Where `mover`, going by `displacement` without turning, first touches `target`.
///
/// - Frame: `displacement` and the result are in the world.
/// - Normal: out of the target, against the motion.
/// - Ties: the first pair of parts (the mover's first), then the rules of the pair's room.
/// - Degenerate: zero displacement is an overlap test; a displacement that is not finite hits
///   nothing.
/// - Error: `fraction` is rounded to nearest; the rooms state the error before that.
#[must_use]
pub fn sweep(
    mover: &Shape,
    pose: &Pose,
    displacement: Vec3,
    target: &Shape,
    target_pose: &Pose,
    options: &SweepOptions,
) -> Option<ShapeSweepHit> {
    if !displacement.is_finite() {
        return None;
    }
    let swept = mover.aabb(pose).sweep_bounds(displacement);
    let mut best: Option<ShapeSweepHit> = None;
    for moving in parts(mover, pose, &Aabb::EVERYTHING) {
        for resting in parts(target, target_pose, &swept) {
            let hit = sweep_simple(&moving, displacement, &resting, options);
            if let Some(hit) = hit
                && best.is_none_or(|best| is_before(&hit, &best))
            {
                best = Some(hit);
            }
        }
    }
    best
}

/// Earlier, or as early and deeper.
fn is_before(a: &ShapeSweepHit, b: &ShapeSweepHit) -> bool {
    a.fraction < b.fraction || (a.fraction <= b.fraction && a.depth > b.depth)
}

fn sweep_simple(
    mover: &Placed<'_>,
    displacement: Vec3,
    target: &Placed<'_>,
    options: &SweepOptions,
) -> Option<ShapeSweepHit> {
    let Kind::Simple(pair, flipped) = kind(target.shape, mover.shape) else { return None };
    let at = pair.frame(&target.pose, &mover.pose, flipped);
    // In the room's order A rests: if that is the mover, the target moves the other way instead.
    let motion = if flipped { -displacement } else { displacement };
    let outward = if flipped { -1.0 } else { 1.0 };
    let hit = |fraction: f64, normal: DVec3, point: DVec3, depth: f64, started: bool| {
        let travel = if flipped { displacement.as_dvec3() * fraction } else { DVec3::ZERO };
        ShapeSweepHit {
            fraction: round::nearest(fraction),
            distance: round::nearest(fraction * displacement.as_dvec3().length()),
            point: round::nearest_vec(at.point_to_world(point) + travel),
            normal: round::nearest_vec(at.vector_to_world(normal * outward)),
            started_overlapping: started,
            depth: round::nearest(depth),
            part_mover: mover.part,
            part: target.part,
        }
    };
    let relation = pair.relation(&at);
    let started = relation == Relation::Penetrating;
    let resting = displacement.cmpeq(Vec3::ZERO).all();
    if started && options.skip_started {
        return None;
    }
    if started || (relation == Relation::Touching && (resting || options.stop_on_touch)) {
        let found = pair.closest(&at);
        let on_target = if flipped { found.point_b } else { found.point_a };
        let depth = if started { (-found.distance).max(0.0) } else { 0.0 };
        return Some(hit(0.0, found.normal, on_target, depth, started));
    }
    if resting {
        return None;
    }
    let impact = pair.sweep(&at, motion)?;
    Some(hit(impact.fraction.clamp(0.0, 1.0), impact.normal, impact.point, 0.0, false))
}
