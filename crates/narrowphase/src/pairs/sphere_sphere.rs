//! Two spheres.

use std::cmp::Ordering;

use impinge_shapes::exact::{Exact, ExactVec3};
use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Pose, Sphere};

use crate::exact_pair::{
    certain, exact_difference, exact_length_squared, exact_sum, relation_of, settle,
};
use crate::quadratic::ball_entry;
use crate::real::{Mask, Placed, Real, Real3};
use crate::segment::nearest_to_origin;
use crate::touch::{Going, Met, Touch, Touching};
use crate::witness::{Round, Sides, Witness, room};
use crate::zonotope::Zonotope;
use crate::{FeatureId, Impact, Patch, Relation, Relative, Separation, tolerance};

/// The common case: centres apart, touch out of reach of rounding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SphereSphere;

room!(SphereSphere, Sphere, Sphere, {
    #[inline(always)]
    fn first_touch(
        (a, pose_a): (&Sphere, &Pose),
        (b, pose_b): (&Sphere, &Pose),
        a_moves: bool,
        way: Going<Vec3>,
    ) -> Option<Option<Met>> {
        let (a, b) = (Placed::of(a, pose_a), Placed::of(b, pose_b));
        Self::touch(&a, &b, a_moves, way.with(way.by.into())).told()
    }
});

impl Round for SphereSphere {
    #[inline(always)]
    fn witness<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Witness<R> {
        let between = b.position - a.position;
        let square = between.dot(between);
        let length = square.sqrt();
        let reach = a.numbers[0] + b.numbers[0];
        let distance = length - reach;
        let noise = (length + reach) * length.all(tolerance::SQUARES);
        let normal = between * (length.all(1.0) / length);
        let certain = distance.abs().above(noise) & length.above(length.all(0.0));
        let point_a = a.position + normal * a.numbers[0];
        let both = (certain, certain);
        Witness::from_a(both, distance, normal, point_a, length.all(0.0))
    }

    /// By squares, so that nothing waits for a root.
    #[inline(always)]
    fn sides<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Sides<R::Mask> {
        let between = b.position - a.position;
        let reach = a.numbers[0] + b.numbers[0];
        let (square, limit) = (between.dot(between), reach * reach);
        let (excess, noise) = (square - limit, (square + limit) * square.all(tolerance::SQUARES));
        Sides::new(excess.abs().above(noise), excess.below(noise.all(0.0)))
    }

    #[inline(always)]
    fn is_beyond(a: &Placed<f64>, b: &Placed<f64>, most: f64) -> bool {
        let between = b.position - a.position;
        // Before the root, which half of the pairs that are told apart here need not wait for.
        let limit = (a.numbers[0] + b.numbers[0] + most).max(0.0);
        between.dot(between) > limit * limit * (1.0 + tolerance::FRAME)
    }
}

/// From A's centre to B's in world axes: one rounding per component, none of a rotation.
fn centers(b_in_a: &Relative) -> DVec3 {
    b_in_a.pose_b().translation() - b_in_a.pose_a().translation()
}

fn exact_centers(b_in_a: &Relative) -> ExactVec3 {
    let (a, b) = (b_in_a.pose_a().position(), b_in_a.pose_b().position());
    ExactVec3::from(b).minus(&ExactVec3::from(a))
}

fn exact_reach(a: &Sphere, b: &Sphere) -> Exact {
    Exact::from(a.radius()) + Exact::from(b.radius())
}

fn reach(a: &Sphere, b: &Sphere) -> f64 {
    f64::from(a.radius()) + f64::from(b.radius())
}

/// How two spheres lie to each other. Exact.
///
/// - Degenerate: two points in one place touch.
#[must_use]
pub fn relation(a: &Sphere, b: &Sphere, b_in_a: &Relative) -> Relation {
    let distance = centers(b_in_a).length_squared();
    let reach = reach(a, b) * reach(a, b);
    let sign = certain(distance - reach, (distance + reach) * tolerance::SQUARES);
    relation_of(sign.unwrap_or_else(|| exact_compare(a, b, b_in_a)))
}

#[cold]
pub(crate) fn exact_compare(a: &Sphere, b: &Sphere, b_in_a: &Relative) -> Ordering {
    // Spheres that touch by design mostly do so in numbers that need no rounding.
    let between = || exact_difference(b_in_a.pose_b().translation(), b_in_a.pose_a().translation());
    let reach = || exact_sum(a.radius().into(), b.radius().into());
    let square = |reach: f64| exact_length_squared(DVec3::X * reach);
    let squares = between().and_then(exact_length_squared).zip(reach().and_then(square));
    if let Some((distance, reach)) = squares {
        return distance.total_cmp(&reach);
    }
    exact_centers(b_in_a).length_squared().cmp(&exact_reach(a, b).square())
}

/// Signed distance of two spheres.
///
/// - Ties: concentric spheres take the world's +x for the normal.
/// - Error: the distance within 2^-50 of the distance of the centres plus both radii; its sign is
///   exact.
#[must_use]
pub fn closest(a: &Sphere, b: &Sphere, b_in_a: &Relative) -> Separation {
    let between = centers(b_in_a);
    let (length, reach) = (between.length(), reach(a, b));
    let unit = if length > 0.0 { between / length } else { DVec3::X };
    let normal = b_in_a.vector_from_world(unit);
    let noise = (length + reach) * tolerance::SQUARES;
    let distance = settle(length - reach, noise, || relation(a, b, b_in_a));
    let point_a = normal * f64::from(a.radius());
    Separation { distance, normal, point_a, point_b: point_a + normal * distance }
}

/// The one contact point of two spheres; its feature is 0.
#[must_use]
pub fn manifold(a: &Sphere, b: &Sphere, b_in_a: &Relative, margin: f64) -> Option<Patch> {
    let separation = closest(a, b, b_in_a);
    (separation.distance <= margin).then(|| Patch::single(&separation, FeatureId(0)))
}

/// First touch of sphere A with sphere B, which moves by `motion`. Exact yes/no, grazing counts.
///
/// - Error: never late; where the path grazes, early as accuracy.md says. At the fraction the spheres
///   touch within 2^-44 of the coordinates.
/// - Degenerate: a motion that is not finite moves nothing.
#[must_use]
pub fn sweep(a: &Sphere, b: &Sphere, b_in_a: &Relative, motion: Vec3) -> Option<Impact> {
    if !motion.is_finite() {
        return None;
    }
    let (start, along, reach) = (centers(b_in_a), motion.as_dvec3(), reach(a, b));
    let noise = path_noise(start.into(), along.into(), reach);
    let fraction = match relation(a, b, b_in_a) {
        Relation::Penetrating => 0.0,
        Relation::Touching => {
            let inward =
                certain(start.dot(along), start.length() * along.length() * tolerance::SQUARES)
                    .unwrap_or_else(|| exact_centers(b_in_a).dot(&motion.into()).sign());
            if inward != Ordering::Less || reach <= 0.0 {
                return None;
            }
            0.0
        }
        Relation::Apart => {
            let (nearest, least) = nearest_to_origin(start, along);
            let hit = certain(least.length() - reach, noise)
                .unwrap_or_else(|| exact_sweep(a, b, b_in_a, motion));
            if hit == Ordering::Greater {
                return None;
            }
            ball_entry(start, along, reach, noise).map_or(nearest, |entry| entry.first.min(1.0))
        }
    };
    let between = start + along * fraction;
    let normal = b_in_a.vector_from_world(normal_at(between, along, reach, noise));
    Some(Impact { fraction, normal, point: normal * f64::from(a.radius()) })
}

/// A is the mover: two of a kind keep the caller's order.
///
/// The same answer as that of [`sweep`]: what is told by squares here is told by roots there.
impl Touching for SphereSphere {
    #[inline(always)]
    fn touch<R: Real>(
        mover: &Placed<R>,
        target: &Placed<R>,
        _a_moves: R::Mask,
        Going { by: way, .. }: Going<Real3<R>>,
    ) -> Touch<R> {
        let start = mover.position - target.position;
        let reach = target.numbers[0] + mover.numbers[0];
        let (zero, one) = (reach.all(0.0), reach.all(1.0));
        let (square, travel) = (start.dot(start), way.dot(way));
        let noise = path_noise(start, way, reach);
        let outer = reach + noise;
        // Rounding of the squares is a part of that of the path.
        let apart = square.above(outer * outer);
        let inward = -start.dot(way);
        let approaches = apart & inward.above(zero);
        if !approaches.any() {
            return Touch::none(apart, zero);
        }
        // The square of the least distance and of the reach, times that of the path beside its
        // middle.
        let (end, cross) = (start + way, start.cross(way));
        let (ends_before, beside) = (travel.at_most(inward), cross.dot(cross));
        let least = R::pick(ends_before, end.dot(end), beside);
        let scale = R::pick(ends_before, one, travel);
        let inner = (reach - noise).most(zero);
        let passes = least.above(outer * outer * scale);
        let enters = least.below(inner * inner * scale);
        let certain = apart & (!approaches | passes | enters);
        let hits = approaches & enters;
        if !hits.any() {
            return Touch::none(certain, zero);
        }
        // As `ball_entry` and `normal_at` have it.
        let chord = outer * outer * travel - beside;
        let first = (square - reach * reach) / (chord.sqrt() + inward);
        let fraction = first.most(zero).least(one);
        let between = start + way * fraction;
        let per_reach = one / reach;
        let excess = between.dot(between) * (per_reach * per_reach) - one;
        let near = reach.above(noise) & excess.abs().below(zero.all(tolerance::NEAR_REACH));
        let normal = between * ((one - zero.all(0.5) * excess) * per_reach);
        Touch {
            certain: certain & (!hits | (near & chord.above(zero))),
            hits,
            started: hits.never(),
            depth: zero,
            fraction,
            normal,
            point: normal * target.numbers[0] + target.position,
        }
    }
}

/// Bound of the error of a distance from the path.
#[inline(always)]
fn path_noise<R: Real>(start: Real3<R>, along: Real3<R>, reach: R) -> R {
    (start.sum_abs() + along.sum_abs() + reach) * reach.all(tolerance::PATH)
}

/// From A's centre to B's, or against the motion where they are in one place; `reach` is about as
/// far as they are apart.
///
/// - Error: unit within 2^-52. Where the reach is the length within 2^-26 of it, a step of Newton's
///   method leaves 3/8 of the square of that, and no root is waited for.
#[inline(always)]
fn normal_at(between: DVec3, along: DVec3, reach: f64, noise: f64) -> DVec3 {
    let per_reach = 1.0 / reach;
    let excess = between.length_squared() * (per_reach * per_reach) - 1.0;
    if reach > noise && excess.abs() < tolerance::NEAR_REACH {
        return between * ((1.0 - 0.5 * excess) * per_reach);
    }
    normal_of(between, along, noise)
}

/// [`normal_at`] for any length.
#[cold]
#[inline(never)]
fn normal_of(between: DVec3, along: DVec3, noise: f64) -> DVec3 {
    let length = between.length();
    if length > noise {
        return between / length;
    }
    let speed = along.length();
    if speed > 0.0 { -along / speed } else { DVec3::X }
}

/// Compares the least distance of the path from A's centre with both radii.
#[cold]
pub(crate) fn exact_sweep(a: &Sphere, b: &Sphere, b_in_a: &Relative, motion: Vec3) -> Ordering {
    Zonotope::new(exact_centers(b_in_a), [motion.into()]).compare(&exact_reach(a, b))
}
