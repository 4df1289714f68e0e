//! Planes and the side of a plane that something lies on.

use std::cmp::Ordering;

use glam::Vec3;
use thiserror::Error;

use crate::exact::Exact;
use crate::filter::{Approx, Number, Vector};
use crate::tracked::Tracked;
use crate::{pose::first_not_finite, ray, round};

/// The plane `normal · x = distance` of a unit normal.
///
/// - Sign: `distance` is how far the plane lies from the origin along its normal. For a plane that
///   is stored as `a·x + b·y + c·z + d = 0`, whose constant has the other sign, use
///   [`Plane::from_equation`].
///
/// ```
/// use impinge_shapes::{Plane, PlaneError};
/// use glam::Vec3;
///
/// let plane = Plane::new(Vec3::Y, 2.0)?;
/// assert_eq!(plane, Plane::from_equation(0.0, 3.0, 0.0, -6.0)?);
/// assert_eq!(plane, Plane::through(Vec3::new(7.0, 2.0, -1.0), Vec3::Y)?);
/// # Ok::<(), PlaneError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    normal: Vec3,
    distance: f32,
}

/// Why a [`Plane`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum PlaneError {
    /// A component of the normal is NaN or infinite.
    #[error("normal must be finite, got {0}")]
    NormalNotFinite(f32),
    /// The normal has no length.
    #[error("normal must not be zero")]
    NormalZero,
    /// The distance is NaN or infinite, or not an f32 number after division by the normal's
    /// length.
    #[error("distance must be finite, got {0}")]
    DistanceNotFinite(f32),
    /// A component of the point is NaN or infinite.
    #[error("point must be finite, got {0}")]
    PointNotFinite(f32),
}

impl Plane {
    /// A plane from a normal of any length, which is normalised, and the distance along the unit
    /// normal.
    ///
    /// # Errors
    /// A value that is NaN or infinite, or a normal of zeros.
    pub fn new(normal: Vec3, distance: f32) -> Result<Self, PlaneError> {
        if let Some(bad) = first_not_finite(&normal.to_array()) {
            return Err(PlaneError::NormalNotFinite(bad));
        }
        if !distance.is_finite() {
            return Err(PlaneError::DistanceNotFinite(distance));
        }
        let normal = ray::normalize(normal).ok_or(PlaneError::NormalZero)?;
        Ok(Self { normal, distance })
    }

    /// A plane whose normal has unit length already, up to rounding, and is kept to the bit, such
    /// as that of another plane; any other is normalised.
    ///
    /// # Errors
    /// As [`Plane::new`].
    pub fn from_unit(normal: Vec3, distance: f32) -> Result<Self, PlaneError> {
        let plane = Self::new(normal, distance)?;
        Ok(if ray::is_unit(normal) { Self { normal, ..plane } } else { plane })
    }

    /// The plane `a·x + b·y + c·z + d = 0`, whose coefficients may have any common scale.
    ///
    /// # Errors
    /// A value that is NaN or infinite, `a`, `b` and `c` all zero, or a plane farther away than
    /// the largest f32.
    pub fn from_equation(a: f32, b: f32, c: f32, d: f32) -> Result<Self, PlaneError> {
        let normal = Vec3::new(a, b, c);
        // Checks the normal and `d` first, so that their errors come before the quotient's.
        let unscaled = Self::new(normal, d)?;
        let distance = -f64::from(d) / normal.as_dvec3().length();
        if distance.abs() > f32::MAX.into() {
            return Err(PlaneError::DistanceNotFinite(f32::INFINITY.copysign(-d)));
        }
        Ok(Self { normal: unscaled.normal, distance: round::nearest(distance) })
    }

    /// The plane through a point; its distance is rounded once.
    ///
    /// # Errors
    /// A value that is NaN or infinite, or a normal of zeros.
    pub fn through(point: Vec3, normal: Vec3) -> Result<Self, PlaneError> {
        if let Some(bad) = first_not_finite(&point.to_array()) {
            return Err(PlaneError::PointNotFinite(bad));
        }
        let plane = Self::new(normal, 0.0)?;
        let distance = plane.normal.as_dvec3().dot(point.as_dvec3());
        Ok(Self { normal: plane.normal, distance: round::nearest(distance) })
    }

    /// Unit normal.
    #[must_use]
    #[inline]
    pub fn normal(&self) -> Vec3 {
        self.normal
    }

    /// Distance from the origin along the normal.
    #[must_use]
    #[inline]
    pub fn distance(&self) -> f32 {
        self.distance
    }

    /// The same plane, facing the other way.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self { normal: -self.normal, distance: -self.distance }
    }

    /// Side on which the box `center ± half_extents` lies. Exact.
    ///
    /// - Degenerate: half extents count by their magnitude, an infinite one reaches the plane
    ///   unless the normal has no part along its axis; a NaN or an infinite centre is straddling.
    /// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.2.3: `|n·c - d|` against
    ///   `e·|n|`.
    ///
    /// ```
    /// use impinge_shapes::{Plane, PlaneSide};
    /// use glam::Vec3;
    ///
    /// let floor = Plane::new(Vec3::Y, 0.0)?;
    /// let touching = floor.classify_box(Vec3::new(0.0, 1.0, 0.0), Vec3::ONE);
    /// assert_eq!(touching, PlaneSide::Straddling);
    /// let above = floor.classify_box(Vec3::new(0.0, 1.0_f32.next_up(), 0.0), Vec3::ONE);
    /// assert_eq!(above, PlaneSide::Front);
    /// # Ok::<(), impinge_shapes::PlaneError>(())
    /// ```
    #[must_use]
    pub fn classify_box(&self, center: Vec3, half_extents: Vec3) -> PlaneSide {
        fn side<N: Number>(plane: &Plane, center: Vec3, half_extents: Vec3) -> Option<PlaneSide> {
            let normal = Vector::<N>::new(plane.normal);
            let height = normal.dot(&Vector::new(center)).minus(&N::new(plane.distance.into()));
            let reach = Vector::new(plane.normal.abs()).dot(&Vector::new(half_extents));
            PlaneSide::of_interval(&height, &reach)
        }
        let mut half_extents = half_extents.abs();
        for axis in 0..3 {
            if self.normal[axis].abs() <= 0.0 && half_extents[axis].is_infinite() {
                half_extents[axis] = 0.0;
            }
        }
        if !center.is_finite() || !half_extents.is_finite() {
            return PlaneSide::Straddling;
        }
        side::<Approx>(self, center, half_extents)
            .or_else(|| side::<Tracked>(self, center, half_extents))
            .or_else(|| side::<Exact>(self, center, half_extents))
            .unwrap_or(PlaneSide::Straddling)
    }

    /// Distance of a point from the plane, positive in front.
    #[must_use]
    pub fn signed_distance(&self, point: Vec3) -> f32 {
        let along = self.normal.as_dvec3().dot(point.as_dvec3());
        round::nearest(along - f64::from(self.distance))
    }
}

/// Side of a plane on which a closed set lies.
///
/// ```
/// use impinge_shapes::{Plane, PlaneSide, Pose, Shape};
/// use glam::Vec3;
///
/// let (ball, plane) = (Shape::sphere(1.0)?, Plane::new(Vec3::Y, 0.0)?);
/// let side = |y: f32| ball.classify(&Pose::from_position(Vec3::Y * y).unwrap(), &plane);
/// assert_eq!((side(2.0), side(-2.0)), (PlaneSide::Front, PlaneSide::Behind));
/// assert_eq!(side(1.0), PlaneSide::Straddling); // touching counts
/// assert_eq!(side(2.0).flipped(), PlaneSide::Behind);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PlaneSide {
    /// Every point has a positive distance.
    Front,
    /// Some point lies on the plane, touching counts, or there are points on both sides (of a set
    /// in several pieces).
    Straddling,
    /// Every point has a negative distance.
    Behind,
}

impl PlaneSide {
    /// The side as the flipped plane sees it.
    #[must_use]
    pub fn flipped(self) -> Self {
        match self {
            Self::Front => Self::Behind,
            Self::Straddling => Self::Straddling,
            Self::Behind => Self::Front,
        }
    }

    /// The side of two sets together: theirs, if it is the same.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        if self == other { self } else { Self::Straddling }
    }

    /// Side of the values from `height - reach` to `height + reach`.
    pub(crate) fn of_interval<N: Number>(height: &N, reach: &N) -> Option<Self> {
        Some(if height.magnitude().at_most(reach)? {
            Self::Straddling
        } else if height.known_sign()? == Ordering::Less {
            Self::Behind
        } else {
            Self::Front
        })
    }

    /// Side of a ball whose centre lies `height` above the plane, in units of a normal of the
    /// given squared length.
    pub(crate) fn of_ball<N: Number>(height: &N, radius: &N, squared_normal: &N) -> Option<Self> {
        Some(if height.squared().at_most(&radius.squared().times(squared_normal))? {
            Self::Straddling
        } else if height.known_sign()? == Ordering::Less {
            Self::Behind
        } else {
            Self::Front
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_planes_are_refused_and_named() {
        let zero = Plane::new(Vec3::ZERO, 1.0);
        assert_eq!(zero.unwrap_err().to_string(), "normal must not be zero");
        let lost = Plane::new(Vec3::Y, f32::NAN);
        assert_eq!(lost.unwrap_err().to_string(), "distance must be finite, got NaN");
        let far = Plane::from_equation(1e-30, 0.0, 0.0, -1e30);
        assert_eq!(far, Err(PlaneError::DistanceNotFinite(f32::INFINITY)));
    }

    #[test]
    fn both_signs_of_the_constant_meet() {
        let plane = Plane::new(Vec3::new(0.0, 0.0, 4.0), -3.0).unwrap();
        assert_eq!(plane, Plane::from_equation(0.0, 0.0, 2.0, 6.0).unwrap());
        assert_eq!(plane.signed_distance(Vec3::ZERO).to_bits(), 3.0_f32.to_bits());
        assert_eq!(plane.flipped().flipped(), plane);
    }

    #[test]
    fn unit_normals_are_kept_to_the_bit() {
        // Normalising some of them again changes a last bit.
        let kept = (1..200_u8).map(|x| Plane::new(Vec3::new(f32::from(x), 3.0, 7.0), 1.0).unwrap());
        let mut changed = 0;
        for plane in kept {
            assert_eq!(Plane::from_unit(plane.normal(), 1.0), Ok(plane));
            changed += usize::from(Plane::new(plane.normal(), 1.0) != Ok(plane));
        }
        assert!(changed > 0);
        assert_eq!(Plane::from_unit(Vec3::Y * 2.0, 1.0), Plane::new(Vec3::Y, 1.0));
        assert_eq!(Plane::from_unit(Vec3::ZERO, 1.0), Err(PlaneError::NormalZero));
    }
}
