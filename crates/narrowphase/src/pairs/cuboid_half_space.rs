//! A box and a half-space: the box's lowest corner against the plane.

use std::cmp::Ordering;

use impinge_shapes::convex::Core;
use impinge_shapes::exact::{Exact, ExactRotation, ExactVec3};
use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Cuboid, HalfSpace, Pose};
use smallvec::SmallVec;

use crate::level::{self, Floor};
use crate::over_plane::{Facing, Ground, OverPlane, Plane, seen_over_plane};
use crate::real::{Mask, Placed, Real, Real3, Turn};
use crate::slot::Slot;
use crate::witness::{One, Round, Sides, Witness, room};
use crate::{
    FeatureId, Impact, Patch, PatchPoint, Relation, Relative, Separation, over_plane, tolerance,
};

/// The common case: the lowest corner out of rounding's reach of the boundary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CuboidHalfSpace;

room!(CuboidHalfSpace, Cuboid, HalfSpace, {
    seen_over_plane!();
});

impl OverPlane for CuboidHalfSpace {
    type Seen<'a> = &'a Cuboid;

    #[inline(always)]
    fn seen(a: &Cuboid) -> &Cuboid {
        a
    }
}

impl Round for CuboidHalfSpace {
    // There may be points at other corners.
    const SINGLE: bool = false;

    #[inline(always)]
    fn witness<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Witness<R> {
        let facing = Facing::of(b);
        let plane = Plane::new(&facing);
        let away = a.position - b.position;
        let turned = Turn::scaled(a.rotation);
        let [x, y, z] = turned.0.columns;
        let ups = Real3::new(plane.outward.dot(x), plane.outward.dot(y), plane.outward.dot(z));
        let mut corner = Corner::new(a, turned, ups, (plane.height(away), away, plane.offset));
        let Corner { certain, distance, .. } = &mut corner;
        over_plane::settle::<Self::A, R>(a, &facing, certain, distance);
        corner.witness(plane.outward)
    }

    #[inline(always)]
    fn witness_of_one(a: &One<'_, Cuboid>, b: &One<'_, HalfSpace>) -> Witness<f64> {
        let Some(ground) = Ground::of(b.shape, b.pose) else {
            return Self::witness(&a.placed, &b.placed);
        };
        let away = a.placed.position - b.placed.position;
        let (turned, ups) = (Turn::scaled(a.placed.rotation), ground.up(a.placed.rotation).0);
        let above = (ground.height(away), away, b.placed.numbers[3]);
        let mut corner = Corner::new(&a.placed, turned, ups, above);
        if !corner.certain
            && let Some(gap) = ground.gap(a.shape, a.pose)
        {
            (corner.certain, corner.distance) = (true, gap);
        }
        corner.witness(ground.outward())
    }

    #[inline(always)]
    fn sides_of_one(a: &One<'_, Cuboid>, b: &One<'_, HalfSpace>) -> Sides<bool> {
        over_plane::sides_of_one(a, b)
    }

    #[inline(always)]
    fn sides<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Sides<R::Mask> {
        over_plane::sides::<Cuboid, R>(a, b)
    }
}

/// The lowest corner of a box, or the middle of what lies level.
struct Corner<R: Real> {
    place: Real3<R>,
    /// Height over the boundary, and where that has a proven sign.
    distance: R,
    certain: R::Mask,
}

impl<R: Real> Corner<R> {
    /// `ups`: how much the box's axes, each times the squared length of its quaternion, go up; last come
    /// the height of its middle, how far away that is from the half-space's origin, and the offset.
    #[inline(always)]
    fn new(
        a: &Placed<R>,
        (axes, norm): (Turn<R>, R),
        ups: Real3<R>,
        (height, away, offset): (R, Real3<R>, R),
    ) -> Self {
        let (per, Real3 { x, y, z }) = (norm.all(1.0) / norm, a.vector(0));
        let size = (away.sum_abs() + ((x + y) + z)) + offset.abs();
        let tie = size * size.all(tolerance::TIE);
        let (mut distance, mut place) = (height, a.position);
        for ((axis, half), up) in axes.columns.into_iter().zip([x, y, z]).zip([ups.x, ups.y, ups.z])
        {
            let half = half * per;
            let reach = (up * half).abs();
            distance = distance - reach;
            // The end of the axis that lies lower; its middle where it is level.
            let down = R::pick(up.above(up.all(0.0)), -half, half);
            place = place + axis * R::pick(reach.above(tie), down, half.all(0.0));
        }
        Self { place, distance, certain: over_plane::is_clear(distance, size) }
    }

    #[inline(always)]
    fn witness(&self, outward: Real3<R>) -> Witness<R> {
        let Self { place, distance, certain } = *self;
        let (single, feature) = (certain.never(), distance.all(0.0));
        Witness::from_a((certain, single), distance, -outward, place, feature)
    }
}

/// The plane in the box's frame.
struct Lowest {
    /// Outward normal as it is stored, unit up to the rounding of f32.
    normal: DVec3,
    /// Its length.
    length: f64,
    half: DVec3,
    /// Height of the box's centre over the plane, times `length`.
    centre: f64,
    /// Height of its lowest corner over the plane, times `length`.
    value: f64,
    /// Sum of all lengths that went into `value`.
    size: f64,
}

impl Lowest {
    fn new(a: &Cuboid, b: &HalfSpace, b_in_a: &Relative) -> Self {
        let normal = *b_in_a.rotation() * b.normal().as_dvec3();
        let half = a.half_extents().as_dvec3();
        let (at, offset) = (b_in_a.translation(), f64::from(b.offset()));
        let centre = -normal.dot(at) - offset;
        let value = centre - half.dot(normal.abs());
        let size = at.abs().element_sum() + half.element_sum() + offset.abs();
        Self { normal, length: b.normal().as_dvec3().length(), half, centre, value, size }
    }

    /// Signed distance, with the sign of the exact relation.
    fn distance(&self, relation: Relation) -> f64 {
        let distance = self.value / self.length;
        let least = tolerance::LEAST_GAP * self.size;
        match relation {
            Relation::Apart => distance.max(least),
            Relation::Touching => 0.0,
            Relation::Penetrating => distance.min(-least),
        }
    }
}

/// Exact relation of a box and a half-space.
///
/// - Error: none; the half-space is that of the stored f32 normal, unit or not.
/// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.2.3.
#[must_use]
pub fn relation(a: &Cuboid, b: &HalfSpace, b_in_a: &Relative) -> Relation {
    let lowest = Lowest::new(a, b, b_in_a);
    let error = tolerance::AXIS_ERROR * lowest.size;
    if lowest.value > error {
        Relation::Apart
    } else if lowest.value < -error {
        Relation::Penetrating
    } else {
        let level = level_height(a, b, b_in_a).map(|(height, _)| level::sign(height));
        match level.unwrap_or_else(|| exact_height(a, b, b_in_a, Vec3::ZERO).0.sign()) {
            Ordering::Greater => Relation::Apart,
            Ordering::Equal => Relation::Touching,
            Ordering::Less => Relation::Penetrating,
        }
    }
}

/// Height of the lowest corner over a plane that is level, without rounding.
fn level_height(a: &Cuboid, b: &HalfSpace, b_in_a: &Relative) -> Option<(f64, Floor)> {
    let pose = b_in_a.pose_a();
    let floor = Floor::new(b, b_in_a.pose_b(), pose)?;
    let core = Core::Cuboid(a.half_extents());
    Some((floor.gap(pose, &core, Vec3::ZERO, [0.0; 2])?, floor))
}

/// Height of the lowest corner over the plane and how fast the plane rises, both times the squared
/// lengths of the two quaternions and the length of the normal.
#[cold]
fn exact_height(a: &Cuboid, b: &HalfSpace, b_in_a: &Relative, motion: Vec3) -> (Exact, Exact) {
    let rotation_a = ExactRotation::from(b_in_a.pose_a().rotation());
    let rotation_b = ExactRotation::from(b_in_a.pose_b().rotation());
    let normal = rotation_b.rotate(&b.normal().into());
    let at_a = ExactVec3::from(b_in_a.pose_a().position());
    let centre = normal.dot(&at_a.minus(&b_in_a.pose_b().position().into()));
    let offset = Exact::from(b.offset()) * rotation_b.norm;
    let mut height = (centre - offset) * rotation_a.norm.clone();
    for (column, half) in rotation_a.columns.iter().zip(a.half_extents().to_array()) {
        height = height - normal.dot(column).abs() * Exact::from(half);
    }
    (height, normal.dot(&motion.into()) * rotation_a.norm)
}

/// Distance of a box and a half-space, or how deep they overlap.
///
/// - Sign: agrees with [`relation`], which is exact.
/// - Normal: against the half-space's own.
/// - Ties: the middle of the lowest corners.
/// - Error: 2^-43 of the sizes and offsets involved.
/// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.2.3.
#[must_use]
pub fn closest(a: &Cuboid, b: &HalfSpace, b_in_a: &Relative) -> Separation {
    let lowest = Lowest::new(a, b, b_in_a);
    let normal = -lowest.normal / lowest.normal.length();
    let tie = tolerance::TIE * lowest.size;
    let mut point_a = DVec3::ZERO;
    for i in 0..3 {
        if (lowest.half[i] * normal[i]).abs() > tie {
            point_a[i] = lowest.half[i].copysign(normal[i]);
        }
    }
    let distance = lowest.distance(relation(a, b, b_in_a));
    Separation { distance, normal, point_a, point_b: point_a + normal * distance }
}

/// The up to four lowest corners of a box that are no farther than `margin` over the plane.
///
/// - Ties: the corner with the smaller number, as in [`Cuboid::corners`].
/// - Error: for a margin of zero, `None` exactly when the two are apart.
#[must_use]
pub fn manifold(a: &Cuboid, b: &HalfSpace, b_in_a: &Relative, margin: f64) -> Option<Patch> {
    let lowest = Lowest::new(a, b, b_in_a);
    let distance = lowest.distance(relation(a, b, b_in_a));
    if distance > margin {
        return None;
    }
    let normal = -lowest.normal / lowest.normal.length();
    let tie = tolerance::TIE * lowest.size;
    let mut corners: SmallVec<[PatchPoint; 8]> = SmallVec::new();
    for k in 0..8_u32 {
        let side = |i: u32| if k >> i & 1 == 0 { -1.0 } else { 1.0 };
        // A flat box has each corner more than once; the first stands for all.
        if (0..3).any(|i| k >> i & 1 == 1 && lowest.half[i] <= 0.0) {
            continue;
        }
        let point_a = DVec3::new(side(0), side(1), side(2)) * lowest.half;
        let height = (lowest.centre + lowest.normal.dot(point_a)) / lowest.length;
        // The lowest corners lie where the exact relation puts them.
        let height = if height <= distance + tie { distance } else { height };
        if height <= margin {
            let point_b = point_a + normal * height;
            corners.push(PatchPoint { point_a, point_b, distance: height, feature: FeatureId(k) });
        }
    }
    let mut points: SmallVec<[PatchPoint; 4]> = SmallVec::new();
    while points.len() < 4 && !corners.is_empty() {
        let mut lowest_corner = 0;
        for k in 1..corners.len() {
            if corners[k].distance < corners[lowest_corner].distance - tie {
                lowest_corner = k;
            }
        }
        points.push(corners.remove(lowest_corner));
    }
    points.sort_unstable_by_key(|point| point.feature);
    Some(Patch { normal, points })
}

/// First touch of a half-space, which moves by `motion`, with a box, which rests.
///
/// - Frame: `motion` is in the world's axes; the answer is in A's frame.
/// - Degenerate: touching at the start is a hit at 0 if the motion leads into penetration, and no
///   hit otherwise.
/// - Error: hit or miss is exact; the fraction is within 2^-43 of the pair's size over the speed
///   along the normal.
#[must_use]
pub fn sweep(a: &Cuboid, b: &HalfSpace, b_in_a: &Relative, motion: Vec3) -> Option<Impact> {
    let lowest = Lowest::new(a, b, b_in_a);
    let along = b_in_a.vector_from_world(motion.as_dvec3());
    let rise = lowest.normal.dot(along);
    let error = tolerance::AXIS_ERROR * (lowest.size + along.abs().element_sum());
    let fraction = if lowest.value > error && (rise - lowest.value).abs() > error {
        if rise < lowest.value {
            return None;
        }
        lowest.value / rise
    } else if let Some((height, floor)) = level_height(a, b, b_in_a) {
        let rise = floor.along(motion);
        let is_apart = height > 0.0;
        if rise <= 0.0 || (is_apart && rise < height) {
            return None;
        }
        if is_apart { height / rise } else { 0.0 }
    } else {
        let (height, rise) = exact_height(a, b, b_in_a, motion);
        let apart = height.sign() == Ordering::Greater;
        if rise.sign() != Ordering::Greater || (apart && rise < height) {
            return None;
        }
        if apart { height.ratio(&rise).min(1.0) } else { 0.0 }
    };
    let touch = closest(a, b, b_in_a);
    Some(Impact { fraction, normal: touch.normal, point: touch.point_a })
}

#[cfg(test)]
mod tests {
    use impinge_shapes::Pose;
    use impinge_shapes::glam::Quat;

    use super::*;

    fn shapes() -> (Cuboid, HalfSpace) {
        (Cuboid::new(Vec3::new(1.0, 2.0, 3.0)).unwrap(), HalfSpace::new(Vec3::Y, 0.5).unwrap())
    }

    fn at(height: f32) -> Relative {
        let pose = Pose::new(Vec3::new(7.0, height, 0.0), Quat::from_xyzw(0.0, 0.6, 0.0, 0.8));
        Relative::new(&pose.unwrap(), &Pose::IDENTITY)
    }

    #[test]
    fn one_ulp_decides() {
        let (a, b) = shapes();
        assert_eq!(relation(&a, &b, &at(2.5)), Relation::Touching);
        assert_eq!(relation(&a, &b, &at(2.5_f32.next_up())), Relation::Apart);
        assert_eq!(relation(&a, &b, &at(2.5_f32.next_down())), Relation::Penetrating);
        assert!(manifold(&a, &b, &at(2.5_f32.next_up()), 0.0).is_none());
        assert_eq!(manifold(&a, &b, &at(2.5), 0.0).unwrap().points.len(), 4);
    }

    #[test]
    fn depth_and_witnesses() {
        let (a, b) = shapes();
        let found = closest(&a, &b, &at(2.0));
        assert!((found.distance + 0.5).abs() < 1e-15);
        assert_eq!(found.normal, DVec3::NEG_Y);
        assert_eq!(found.point_a, DVec3::new(0.0, -2.0, 0.0));
        assert!((found.point_b - DVec3::new(0.0, -1.5, 0.0)).length() < 1e-15);
    }

    #[test]
    fn sweeps_hit_at_both_ends_and_from_touch_only_inward() {
        let (a, b) = shapes();
        let up = |y: f32| Vec3::new(3.0, y, 0.0);
        let half = sweep(&a, &b, &at(3.5), up(2.0)).unwrap();
        assert!((half.fraction - 0.5).abs() < 1e-15);
        assert!((sweep(&a, &b, &at(3.5), up(1.0)).unwrap().fraction - 1.0).abs() < 1e-15);
        assert!(sweep(&a, &b, &at(3.5), up(1.0_f32.next_down())).is_none());
        assert!(sweep(&a, &b, &at(3.5), up(-1.0)).is_none());
        assert!(sweep(&a, &b, &at(2.5), up(0.0)).is_none());
        assert!(sweep(&a, &b, &at(2.5), up(-1.0)).is_none());
        assert!(sweep(&a, &b, &at(2.5), up(1e-30)).unwrap().fraction <= 0.0);
    }

    #[test]
    fn a_flat_box_has_four_corners_and_a_point_one() {
        let b = HalfSpace::new(Vec3::Y, 0.5).unwrap();
        let flat = Cuboid::new(Vec3::new(1.0, 0.0, 1.0)).unwrap();
        assert_eq!(manifold(&flat, &b, &at(0.25), 0.0).unwrap().points.len(), 4);
        let point = Cuboid::new(Vec3::ZERO).unwrap();
        assert_eq!(manifold(&point, &b, &at(0.25), 0.0).unwrap().points.len(), 1);
        assert_eq!(relation(&point, &b, &at(0.5)), Relation::Touching);
    }
}
