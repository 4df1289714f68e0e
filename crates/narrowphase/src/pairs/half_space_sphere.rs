//! A half-space (A) and a sphere (B).

use std::cmp::Ordering;

use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{HalfSpace, Pose, Sphere};

use crate::exact_pair::{ExactPair, certain, leads_out, noise, relation_of, settle};
use crate::level::{self, Floor};
use crate::over_plane::Ground;
use crate::real::{Placed, Real, Real3};
use crate::touch::{Going, Met, Touch, Touching};
use crate::witness::{One, Round, Sides, Witness, room};
use crate::{FeatureId, Impact, Patch, Relation, Relative, Separation, over_plane};

/// The common case: the sphere's lowest point out of rounding's reach of the boundary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfSpaceSphere;

room!(HalfSpaceSphere, HalfSpace, Sphere, {
    #[inline(always)]
    fn first_touch(
        a: (&HalfSpace, &Pose),
        b: (&Sphere, &Pose),
        a_moves: bool,
        way: Going<Vec3>,
    ) -> Option<Option<Met>> {
        over_plane::sweep(b, a, !a_moves, way)
    }
});

impl Touching for HalfSpaceSphere {
    #[inline(always)]
    fn touch<R: Real>(
        a: &Placed<R>,
        b: &Placed<R>,
        a_moves: R::Mask,
        way: Going<Real3<R>>,
    ) -> Touch<R> {
        over_plane::touch::<Sphere, R>(b, a, !a_moves, way)
    }
}

impl Round for HalfSpaceSphere {
    #[inline(always)]
    fn witness<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Witness<R> {
        let (normal, distance, certain) = over_plane::ball(b, a);
        let radius = b.numbers[0];
        let ball = (b.position, radius);
        Witness::at_ball(certain, distance, normal, ball, radius.all(0.0))
    }

    #[inline(always)]
    fn sides<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Sides<R::Mask> {
        over_plane::sides::<Sphere, R>(b, a)
    }

    #[inline(always)]
    fn witness_of_one(a: &One<'_, HalfSpace>, b: &One<'_, Sphere>) -> Witness<f64> {
        if let Some(ground) = Ground::of(a.shape, a.pose)
            && let Some(gap) = ground.gap(b.shape, b.pose)
        {
            let ball = (b.placed.position, b.placed.numbers[0]);
            Witness::at_ball(true, gap, ground.outward(), ball, 0.0)
        } else {
            Self::witness(&a.placed, &b.placed)
        }
    }

    #[inline(always)]
    fn sides_of_one(a: &One<'_, HalfSpace>, b: &One<'_, Sphere>) -> Sides<bool> {
        over_plane::sides_of_one(b, a)
    }
}

/// Unit normal, the centre's height over the boundary, and the bound of the height's error.
///
/// The stored normal is a unit vector within an ulp; the set it bounds is meant exactly, so that
/// its length is divided out.
fn height(a: &HalfSpace, b: &Sphere, center: DVec3) -> (DVec3, f64, f64) {
    let normal = a.normal().as_dvec3();
    let (length, offset) = (normal.length(), f64::from(a.offset()));
    let height = (normal.dot(center) - offset) / length;
    (normal / length, height, noise([center], offset.abs() + f64::from(b.radius())))
}

/// How a half-space and a sphere lie to each other. Exact.
///
/// - Degenerate: a sphere of radius 0 on the boundary touches.
#[must_use]
pub fn relation(a: &HalfSpace, b: &Sphere, b_in_a: &Relative) -> Relation {
    let (_, height, noise) = height(a, b, b_in_a.translation());
    let sign = certain(height - f64::from(b.radius()), noise);
    relation_of(sign.unwrap_or_else(|| exact_compare(a, b, b_in_a, Vec3::ZERO)))
}

/// Compares the centre's height, `motion` later, with the radius.
#[cold]
fn exact_compare(a: &HalfSpace, b: &Sphere, b_in_a: &Relative, motion: Vec3) -> Ordering {
    let floor = Floor::new(a, b_in_a.pose_a(), b_in_a.pose_b());
    let gap = floor.and_then(|floor| {
        floor.gap_of_point(b_in_a.pose_b(), Vec3::ZERO, -motion, [b.radius(), 0.0])
    });
    if let Some(gap) = gap {
        return level::sign(gap);
    }
    let pair = ExactPair::new(b_in_a);
    let center = pair.position_of_b().plus(&pair.world(motion));
    pair.half_space_a(a).compare(&center, &pair.number(b.radius().into()))
}

/// Signed distance of a half-space and a sphere; however deep, the way out is along the normal.
///
/// - Error: the distance within 2^-44 of the sum of the coordinates; its sign is exact.
#[must_use]
pub fn closest(a: &HalfSpace, b: &Sphere, b_in_a: &Relative) -> Separation {
    let center = b_in_a.translation();
    let (normal, height, noise) = height(a, b, center);
    let distance = height - f64::from(b.radius());
    let distance = settle(distance, noise, || relation(a, b, b_in_a));
    let point_b = center - normal * f64::from(b.radius());
    Separation { distance, normal, point_a: point_b - normal * distance, point_b }
}

/// The one contact point of a half-space and a sphere; its feature is 0.
#[must_use]
pub fn manifold(a: &HalfSpace, b: &Sphere, b_in_a: &Relative, margin: f64) -> Option<Patch> {
    let separation = closest(a, b, b_in_a);
    (separation.distance <= margin).then(|| Patch::single(&separation, FeatureId(0)))
}

/// First touch of a half-space with a sphere that moves by `motion`. Exact yes/no.
///
/// - Degenerate: a motion that is not finite moves nothing.
#[must_use]
pub fn sweep(a: &HalfSpace, b: &Sphere, b_in_a: &Relative, motion: Vec3) -> Option<Impact> {
    if !motion.is_finite() {
        return None;
    }
    let along = b_in_a.vector_from_world(motion.as_dvec3());
    let (normal, height, error) = height(a, b, b_in_a.translation());
    let gap = height - f64::from(b.radius());
    let approach = -normal.dot(along);
    let fraction = match relation(a, b, b_in_a) {
        Relation::Penetrating => 0.0,
        Relation::Touching => {
            let sign = certain(approach, noise([along], 0.0))
                .unwrap_or_else(|| leads_out(a, b_in_a.pose_a(), motion).reverse());
            if sign != Ordering::Greater {
                return None;
            }
            0.0
        }
        Relation::Apart => {
            let sign = certain(gap - approach, error + noise([along], 0.0))
                .unwrap_or_else(|| exact_compare(a, b, b_in_a, motion));
            if sign == Ordering::Greater {
                return None;
            }
            if approach > gap { (gap / approach).max(0.0) } else { 1.0 }
        }
    };
    let point = b_in_a.translation() + along * fraction - normal * f64::from(b.radius());
    Some(Impact { fraction, normal, point })
}
