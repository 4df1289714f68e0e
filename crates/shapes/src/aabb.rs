//! Axis-aligned bounding boxes.

use std::cmp::Ordering;

use glam::{DVec3, Vec3};
use thiserror::Error;

use crate::crossing::{Found, Limits};
use crate::exact::Exact;
use crate::filter::{Approx, Number, Vector};
use crate::slab::{self, Slab};
use crate::tracked::Tracked;
use crate::{Plane, PlaneSide, Ray, RayOptions, ShapeRayHit, round};

/// Axis-aligned box: the closed set `min ≤ x ≤ max`.
///
/// Coordinates may be infinite (a half-space has no end), never NaN, and `min ≤ max` holds on
/// every axis; a flat box or a single point is valid.
///
/// ```
/// use impinge_shapes::{Aabb, AabbError};
/// use glam::Vec3;
///
/// let a = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
/// let b = Aabb::new(Vec3::ONE, Vec3::splat(2.0))?;
/// assert!(a.overlaps(&b)); // touching counts
/// # Ok::<(), AabbError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    min: Vec3,
    max: Vec3,
}

/// Why an [`Aabb`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum AabbError {
    /// A corner's coordinate on this axis (0, 1, 2) is NaN.
    #[error("axis {0}: must not be NaN")]
    NotANumber(usize),
    /// The lower corner lies above the upper one on this axis.
    #[error("axis {axis}: min {min} must not be above max {max}")]
    Inverted {
        /// Axis 0, 1 or 2.
        axis: usize,
        /// Lower corner on that axis.
        min: f32,
        /// Upper corner on that axis.
        max: f32,
    },
    /// A half extent is negative.
    #[error("half_extents[{axis}]: must not be negative, got {value}")]
    Negative {
        /// Axis 0, 1 or 2.
        axis: usize,
        /// The half extent given.
        value: f32,
    },
}

impl Aabb {
    /// All of space.
    pub const EVERYTHING: Self = Self { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };

    /// A box from its lower and upper corner.
    ///
    /// # Errors
    /// A NaN, or a lower coordinate above the upper one.
    pub fn new(min: Vec3, max: Vec3) -> Result<Self, AabbError> {
        for axis in 0..3 {
            if min[axis].is_nan() || max[axis].is_nan() {
                return Err(AabbError::NotANumber(axis));
            }
            if min[axis] > max[axis] {
                return Err(AabbError::Inverted { axis, min: min[axis], max: max[axis] });
            }
        }
        Ok(Self { min, max })
    }

    /// The smallest box of f32 corners that holds `center ± half_extents`.
    ///
    /// - Error: exact where the corners are f32 numbers, otherwise rounded outward.
    ///
    /// # Errors
    /// A NaN, or a negative half extent.
    pub fn from_center_half_extents(center: Vec3, half_extents: Vec3) -> Result<Self, AabbError> {
        for axis in 0..3 {
            if center[axis].is_nan() || half_extents[axis].is_nan() {
                return Err(AabbError::NotANumber(axis));
            }
            if half_extents[axis] < 0.0 {
                return Err(AabbError::Negative { axis, value: half_extents[axis] });
            }
            if center[axis].is_infinite() && half_extents[axis].is_infinite() {
                // The corner opposite to the centre's infinity would be a NaN.
                return Err(AabbError::NotANumber(axis));
            }
        }
        let lower =
            |axis: usize| round::sum_down(center[axis].into(), (-half_extents[axis]).into());
        let upper = |axis: usize| round::sum_up(center[axis].into(), half_extents[axis].into());
        Ok(Self {
            min: Vec3::new(lower(0), lower(1), lower(2)),
            max: Vec3::new(upper(0), upper(1), upper(2)),
        })
    }

    /// Bounds known to be in order; the crate's own constructors use it.
    #[inline]
    pub(crate) fn from_sorted(min: Vec3, max: Vec3) -> Self {
        debug_assert!(min.cmple(max).all(), "{min} {max}");
        Self { min, max }
    }

    /// The box that holds one point.
    ///
    /// # Errors
    /// A NaN.
    pub fn from_point(point: Vec3) -> Result<Self, AabbError> {
        Self::new(point, point)
    }

    /// Lower corner.
    #[must_use]
    #[inline]
    pub fn min(&self) -> Vec3 {
        self.min
    }

    /// Upper corner.
    #[must_use]
    #[inline]
    pub fn max(&self) -> Vec3 {
        self.max
    }

    /// Middle of the box, rounded to f32.
    ///
    /// - Degenerate: an axis without end on both sides has its centre at 0; with one end, at the
    ///   infinite side.
    #[must_use]
    pub fn center(&self) -> Vec3 {
        let middle = |axis: usize| {
            let middle = (f64::from(self.min[axis]) + f64::from(self.max[axis])) * 0.5;
            if middle.is_nan() { 0.0 } else { round::nearest(middle) }
        };
        Vec3::new(middle(0), middle(1), middle(2))
    }

    /// Half of each edge length, rounded up, so that `center ± half_extents` differs from the box
    /// by the rounding of the centre only.
    #[must_use]
    pub fn half_extents(&self) -> Vec3 {
        let half = |axis: usize| {
            if self.min[axis].is_infinite() || self.max[axis].is_infinite() {
                f32::INFINITY
            } else {
                round::up(round::add_up(self.max[axis].into(), -f64::from(self.min[axis])) * 0.5)
            }
        };
        Vec3::new(half(0), half(1), half(2))
    }

    /// Closed overlap test: boxes that touch overlap. Exact.
    #[must_use]
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Whether every point of `other` lies in this box. Exact.
    #[must_use]
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        self.min.cmple(other.min).all() && other.max.cmple(self.max).all()
    }

    /// Whether the point lies in the box or on its boundary; never for a NaN. Exact.
    #[must_use]
    #[inline]
    pub fn contains_point(&self, point: Vec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// Where a ray first meets the box, within `max_distance` (inclusive, may be infinite). Exact,
    /// as [`Shape::raycast`](crate::Shape::raycast) is.
    ///
    /// ```
    /// use impinge_shapes::{Aabb, Ray, RayOptions};
    /// use glam::Vec3;
    ///
    /// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// // A ray in the plane of a face grazes the box, and that is a hit.
    /// let ray = Ray::new(Vec3::new(-2.0, 1.0, 0.5), Vec3::X).unwrap();
    /// let hit = unit.raycast(&ray, f32::INFINITY, &RayOptions::default()).unwrap();
    /// assert_eq!((hit.distance, hit.normal), (2.0, Vec3::NEG_X));
    /// # Ok::<(), impinge_shapes::AabbError>(())
    /// ```
    #[must_use]
    pub fn raycast(
        &self,
        ray: &Ray,
        max_distance: f32,
        options: &RayOptions,
    ) -> Option<ShapeRayHit> {
        let limits = Limits::new(max_distance, options)?;
        let found = self
            .probe::<Approx>(ray, &limits)
            .or_else(|| self.probe::<Tracked>(ray, &limits))
            .or_else(|| self.probe::<Exact>(ray, &limits))?;
        found.hit(ray, &limits)
    }

    fn probe<N: Number>(&self, ray: &Ray, limits: &Limits) -> Option<Found> {
        for axis in 0..3 {
            // A box that is nothing but infinity on an axis holds no point of any ray.
            if self.min[axis] >= f32::INFINITY || self.max[axis] <= f32::NEG_INFINITY {
                return Some(Found::Miss);
            }
        }
        let slabs = std::array::from_fn::<_, 3, _>(|axis| {
            let origin = ray.origin()[axis];
            let bound = |at: f32| at.is_finite().then(|| N::difference(at, origin));
            Slab {
                lower: bound(self.min[axis]),
                upper: bound(self.max[axis]),
                slope: N::new(ray.direction()[axis].into()),
            }
        });
        slab::probe(&slabs, |axis| DVec3::AXES[axis], limits)
    }

    /// Side of the plane on which the box lies. Exact; infinite coordinates are understood.
    #[must_use]
    pub fn classify(&self, plane: &Plane) -> PlaneSide {
        fn height<N: Number>(plane: &Plane, corner: Vec3) -> Option<Ordering> {
            let along = Vector::<N>::new(plane.normal()).dot(&Vector::new(corner));
            along.compared(&N::new(plane.distance().into()))
        }
        // The corners farthest behind and farthest in front.
        let (mut lowest, mut highest) = (Vec3::ZERO, Vec3::ZERO);
        for axis in 0..3 {
            let slope = plane.normal()[axis];
            if slope > 0.0 {
                (lowest[axis], highest[axis]) = (self.min[axis], self.max[axis]);
            } else if slope < 0.0 {
                (lowest[axis], highest[axis]) = (self.max[axis], self.min[axis]);
            }
        }
        let compare = |corner: Vec3| {
            height::<Approx>(plane, corner)
                .or_else(|| height::<Tracked>(plane, corner))
                .or_else(|| height::<Exact>(plane, corner))
        };
        if lowest.is_finite() && compare(lowest) == Some(Ordering::Greater) {
            PlaneSide::Front
        } else if highest.is_finite() && compare(highest) == Some(Ordering::Less) {
            PlaneSide::Behind
        } else {
            PlaneSide::Straddling
        }
    }

    /// Smallest box that holds both.
    #[must_use]
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The common part, `None` when the boxes are apart.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        self.overlaps(other)
            .then(|| Self { min: self.min.max(other.min), max: self.max.min(other.max) })
    }

    /// The box grown by `margin` on every side, rounded outward.
    ///
    /// - Degenerate: a margin that is negative or NaN counts as zero.
    #[must_use]
    pub fn inflate(&self, margin: f32) -> Self {
        let margin = f64::from(margin.max(0.0));
        let lower = |x: f32| round::sum_down(x.into(), -margin);
        let upper = |x: f32| round::sum_up(x.into(), margin);
        if margin.is_infinite() {
            return Self::EVERYTHING;
        }
        Self {
            min: Vec3::new(lower(self.min.x), lower(self.min.y), lower(self.min.z)),
            max: Vec3::new(upper(self.max.x), upper(self.max.y), upper(self.max.z)),
        }
    }

    /// The box of all places this box passes when it moves by `displacement`, rounded outward.
    ///
    /// - Degenerate: a component of the displacement that is NaN sweeps the whole axis.
    #[must_use]
    pub fn sweep_bounds(&self, displacement: Vec3) -> Self {
        let lower = |x: f32, d: f32| {
            let moved = if d < 0.0 { round::sum_down(x.into(), d.into()) } else { x };
            if d.is_nan() || moved.is_nan() { f32::NEG_INFINITY } else { moved }
        };
        let upper = |x: f32, d: f32| {
            let moved = if d > 0.0 { round::sum_up(x.into(), d.into()) } else { x };
            if d.is_nan() || moved.is_nan() { f32::INFINITY } else { moved }
        };
        let (min, max, d) = (self.min, self.max, displacement);
        Self {
            min: Vec3::new(lower(min.x, d.x), lower(min.y, d.y), lower(min.z, d.z)),
            max: Vec3::new(upper(max.x, d.x), upper(max.y, d.y), upper(max.z, d.z)),
        }
    }

    /// The eight corners; bit 0 of the index chooses x, bit 1 y, bit 2 z (0 = min).
    #[must_use]
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|i| {
            let pick = |bit: usize, axis: usize| {
                if i & bit == 0 { self.min[axis] } else { self.max[axis] }
            };
            Vec3::new(pick(1, 0), pick(2, 1), pick(4, 2))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aabb(min: [f32; 3], max: [f32; 3]) -> Aabb {
        Aabb::new(min.into(), max.into()).unwrap()
    }

    #[test]
    fn constructors_refuse_what_is_no_box() {
        assert_eq!(Aabb::new(Vec3::NAN, Vec3::ONE), Err(AabbError::NotANumber(0)));
        let inverted = Aabb::new(Vec3::new(0.0, 2.0, 0.0), Vec3::ONE);
        assert_eq!(inverted, Err(AabbError::Inverted { axis: 1, min: 2.0, max: 1.0 }));
        let negative = Aabb::from_center_half_extents(Vec3::ZERO, Vec3::new(0.0, 0.0, -1.0));
        assert_eq!(negative, Err(AabbError::Negative { axis: 2, value: -1.0 }));
    }

    #[test]
    fn both_forms_agree_and_round_outward() {
        let exact = Aabb::from_center_half_extents(Vec3::ONE, Vec3::splat(0.5)).unwrap();
        assert_eq!(exact, aabb([0.5; 3], [1.5; 3]));
        let inexact = Aabb::from_center_half_extents(Vec3::ONE, Vec3::splat(1e-30)).unwrap();
        assert!(inexact.min().x < 1.0 && inexact.max().x > 1.0);
    }

    #[test]
    fn touching_overlaps_and_one_ulp_apart_does_not() {
        let a = aabb([0.0; 3], [1.0; 3]);
        assert!(a.overlaps(&aabb([1.0; 3], [2.0; 3])));
        let apart = aabb([1.0_f32.next_up(), 0.0, 0.0], [2.0; 3]);
        assert!(!a.overlaps(&apart));
        assert!(a.overlaps(&aabb([-0.0; 3], [0.0; 3])));
        assert!(a.overlaps(&Aabb::EVERYTHING));
    }

    #[test]
    fn swept_bounds_hold_both_ends() {
        let a = aabb([0.0; 3], [1.0; 3]);
        let swept = a.sweep_bounds(Vec3::new(2.0, -3.0, 0.0));
        assert_eq!(swept, aabb([0.0, -3.0, 0.0], [3.0, 1.0, 1.0]));
        let lost = a.sweep_bounds(Vec3::new(f32::NAN, 0.0, 0.0));
        assert!(lost.min().x.is_infinite() && lost.max().x.is_infinite());
    }

    #[test]
    fn corners_follow_the_bits() {
        let corners = aabb([0.0, 1.0, 2.0], [3.0, 4.0, 5.0]).corners();
        assert_eq!(corners[0], Vec3::new(0.0, 1.0, 2.0));
        assert_eq!(corners[5], Vec3::new(3.0, 1.0, 5.0));
        assert_eq!(corners[7], Vec3::new(3.0, 4.0, 5.0));
    }
}
