//! A capsule (A) and a half-space (B).

use std::cmp::Ordering;

use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Capsule, HalfSpace, Pose};
use smallvec::SmallVec;

use crate::exact_pair::{ExactPair, certain, leads_out, noise, relation_of, settle};
use crate::level::{self, Floor};
use crate::over_plane::{OverPlane, seen_over_plane};
use crate::real::{Placed, Real};
use crate::slot::Slot;
use crate::witness::{One, Round, Sides, Witness, room};
use crate::{FeatureId, Impact, Patch, PatchPoint, Relation, Relative, Separation, over_plane};

/// The common case: the lower cap out of rounding's reach of the boundary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CapsuleHalfSpace;

room!(CapsuleHalfSpace, Capsule, HalfSpace, {
    seen_over_plane!();
});

impl OverPlane for CapsuleHalfSpace {
    type Seen<'a> = &'a Capsule;

    #[inline(always)]
    fn seen(a: &Capsule) -> &Capsule {
        a
    }
}

impl Round for CapsuleHalfSpace {
    // There may be a point under the other end.
    const SINGLE: bool = false;

    #[inline(always)]
    fn witness<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Witness<R> {
        over_plane::witness::<Capsule, R>(a, b)
    }

    #[inline(always)]
    fn sides<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Sides<R::Mask> {
        over_plane::sides::<Capsule, R>(a, b)
    }

    #[inline(always)]
    fn witness_of_one(a: &One<'_, Capsule>, b: &One<'_, HalfSpace>) -> Witness<f64> {
        over_plane::witness_of_one(a, b)
    }

    #[inline(always)]
    fn distance_of_one(a: &One<'_, Capsule>, b: &One<'_, HalfSpace>) -> Option<f64> {
        over_plane::distance_of_one((a.shape, a.pose), (b.shape, b.pose))
    }

    #[inline(always)]
    fn sides_of_one(a: &One<'_, Capsule>, b: &One<'_, HalfSpace>) -> Sides<bool> {
        over_plane::sides_of_one(a, b)
    }
}

/// The pair in f64, in the capsule's frame.
#[derive(Clone, Copy)]
struct Heights {
    /// Unit, out of the half-space.
    outward: DVec3,
    ends: [DVec3; 2],
    /// Of the core's ends over the boundary.
    heights: [f64; 2],
    radius: f64,
    noise: f64,
}

impl Heights {
    fn new(a: &Capsule, b: &HalfSpace, b_in_a: &Relative) -> Self {
        let normal = b.normal().as_dvec3();
        let (length, offset) = (normal.length(), f64::from(b.offset()));
        let outward = *b_in_a.rotation() * (normal / length);
        let ends = [a.a().as_dvec3(), a.b().as_dvec3()];
        let shift = offset / length;
        let heights = ends.map(|end| outward.dot(end - b_in_a.translation()) - shift);
        let radius = f64::from(a.radius());
        let noise = noise([ends[0], ends[1], b_in_a.translation()], offset.abs() + radius);
        Self { outward, ends, heights, radius, noise }
    }

    /// The lower end, the first where both are level.
    fn lower(&self) -> usize {
        usize::from(self.heights[1] < self.heights[0])
    }

    /// The distance of one end's cap, whose sign is exact.
    fn distance(&self, a: &Capsule, b: &HalfSpace, b_in_a: &Relative, end: usize) -> f64 {
        settle(self.heights[end] - self.radius, self.noise, || {
            relation_of(exact_compare(a, b, b_in_a, [a.a(), a.b()][end], Vec3::ZERO))
        })
    }
}

/// Compares an end's height, after the half-space has moved by `motion`, with the radius.
#[cold]
fn exact_compare(
    a: &Capsule,
    b: &HalfSpace,
    b_in_a: &Relative,
    end: Vec3,
    motion: Vec3,
) -> Ordering {
    let pose = b_in_a.pose_a();
    let floor = Floor::new(b, b_in_a.pose_b(), pose);
    let gap = floor.and_then(|floor| floor.gap_of_point(pose, end, motion, [a.radius(), 0.0]));
    if let Some(gap) = gap {
        return level::sign(gap);
    }
    let pair = ExactPair::new(b_in_a);
    let point = pair.of_a(end).minus(&pair.world(motion));
    pair.half_space_b(b).compare(&point, &pair.number(a.radius().into()))
}

/// How a capsule and a half-space lie to each other. Exact.
///
/// - Degenerate: a capsule of radius 0 that reaches the boundary and no farther touches.
#[must_use]
pub fn relation(a: &Capsule, b: &HalfSpace, b_in_a: &Relative) -> Relation {
    let found = Heights::new(a, b, b_in_a);
    relation_of(compare(a, b, b_in_a, &found))
}

/// Compares the height of the lower end with the radius.
fn compare(a: &Capsule, b: &HalfSpace, b_in_a: &Relative, found: &Heights) -> Ordering {
    let least = found.heights[0].min(found.heights[1]);
    certain(least - found.radius, found.noise).unwrap_or_else(|| {
        let end = |end: Vec3| exact_compare(a, b, b_in_a, end, Vec3::ZERO);
        end(a.a()).min(end(a.b()))
    })
}

/// Signed distance of a capsule and a half-space; however deep, the way out is along the normal.
///
/// - Ties: a capsule along the boundary takes the point at its first end.
/// - Error: the distance within 2^-44 of the sum of the coordinates; its sign is exact.
#[must_use]
pub fn closest(a: &Capsule, b: &HalfSpace, b_in_a: &Relative) -> Separation {
    let found = Heights::new(a, b, b_in_a);
    let lower = found.lower();
    let distance = settle(found.heights[lower] - found.radius, found.noise, || {
        relation_of(compare(a, b, b_in_a, &found))
    });
    let normal = -found.outward;
    let point_a = found.ends[lower] + normal * found.radius;
    Separation { distance, normal, point_a, point_b: point_a + normal * distance }
}

/// Contact points of a capsule and a half-space: one under each end within the margin.
///
/// - Feature: 0 under the capsule's first end, 1 under its second.
#[must_use]
pub fn manifold(a: &Capsule, b: &HalfSpace, b_in_a: &Relative, margin: f64) -> Option<Patch> {
    let found = Heights::new(a, b, b_in_a);
    let normal = -found.outward;
    let mut points = SmallVec::new();
    // A capsule without length has one end only.
    let ends = if a.a() == a.b() { 0..1 } else { 0..2 };
    for (feature, end) in (0..).zip(ends) {
        let distance = found.distance(a, b, b_in_a, end);
        if distance <= margin {
            let point_a = found.ends[end] + normal * found.radius;
            let point_b = point_a + normal * distance;
            points.push(PatchPoint { point_a, point_b, distance, feature: FeatureId(feature) });
        }
    }
    (!points.is_empty()).then_some(Patch { normal, points })
}

/// First touch of a capsule with a half-space that moves by `motion`. Exact yes/no.
///
/// - Degenerate: a motion that is not finite moves nothing.
#[must_use]
pub fn sweep(a: &Capsule, b: &HalfSpace, b_in_a: &Relative, motion: Vec3) -> Option<Impact> {
    if !motion.is_finite() {
        return None;
    }
    let along = b_in_a.vector_from_world(motion.as_dvec3());
    let found = Heights::new(a, b, b_in_a);
    let lower = found.lower();
    let gap = found.heights[lower] - found.radius;
    let approach = found.outward.dot(along);
    let fraction = match relation_of(compare(a, b, b_in_a, &found)) {
        Relation::Penetrating => 0.0,
        Relation::Touching => {
            let sign = certain(approach, noise([along], 0.0))
                .unwrap_or_else(|| leads_out(b, b_in_a.pose_b(), motion));
            if sign != Ordering::Greater {
                return None;
            }
            0.0
        }
        Relation::Apart => {
            let sign =
                certain(gap - approach, found.noise + noise([along], 0.0)).unwrap_or_else(|| {
                    let end = |end: Vec3| exact_compare(a, b, b_in_a, end, motion);
                    end(a.a()).min(end(a.b()))
                });
            if sign == Ordering::Greater {
                return None;
            }
            if approach > gap { (gap / approach).max(0.0) } else { 1.0 }
        }
    };
    let normal = -found.outward;
    Some(Impact { fraction, normal, point: found.ends[lower] + normal * found.radius })
}
