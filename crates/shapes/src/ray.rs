//! Rays and what they hit.

use glam::{DVec3, Vec3};
use smallvec::SmallVec;
use thiserror::Error;

use crate::{pose::first_not_finite, round, tolerance};

/// Half-line from a finite origin along a unit direction.
///
/// The ray is the set `origin + t · direction`, `t ≥ 0`, of the stored f32 values: `direction` is
/// normalised on construction, so its length is 1 within one ulp.
///
/// ```
/// use impinge_shapes::{Ray, RayError};
/// use glam::Vec3;
///
/// let ray = Ray::new(Vec3::ZERO, Vec3::new(0.0, -2.0, 0.0))?;
/// assert_eq!(ray.direction(), Vec3::NEG_Y);
/// assert_eq!(Ray::new(Vec3::ZERO, Vec3::ZERO), Err(RayError::DirectionZero));
/// # Ok::<(), RayError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    origin: Vec3,
    direction: Vec3,
}

/// Why a [`Ray`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum RayError {
    /// A component of the origin is NaN or infinite.
    #[error("origin must be finite, got {0}")]
    OriginNotFinite(f32),
    /// A component of the direction is NaN or infinite.
    #[error("direction must be finite, got {0}")]
    DirectionNotFinite(f32),
    /// The direction has no length.
    #[error("direction must not be zero")]
    DirectionZero,
    /// A component of the end is NaN or infinite.
    #[error("end must be finite, got {0}")]
    EndNotFinite(f32),
    /// The end is the origin.
    #[error("end must not be the origin")]
    EndAtOrigin,
}

impl Ray {
    /// A ray from a point along a direction of any length.
    ///
    /// # Errors
    /// A component that is NaN or infinite, or a direction of zeros.
    pub fn new(origin: Vec3, direction: Vec3) -> Result<Self, RayError> {
        if let Some(bad) = first_not_finite(&origin.to_array()) {
            return Err(RayError::OriginNotFinite(bad));
        }
        if let Some(bad) = first_not_finite(&direction.to_array()) {
            return Err(RayError::DirectionNotFinite(bad));
        }
        let direction = normalize(direction).ok_or(RayError::DirectionZero)?;
        Ok(Self { origin, direction })
    }

    /// A ray whose direction has unit length already, up to rounding, and is kept to the bit, such
    /// as that of another ray; any other is normalised.
    ///
    /// # Errors
    /// As [`Ray::new`].
    pub fn from_unit(origin: Vec3, direction: Vec3) -> Result<Self, RayError> {
        let ray = Self::new(origin, direction)?;
        Ok(if is_unit(direction) { Self { direction, ..ray } } else { ray })
    }

    /// A ray through two points, and its length from one to the other: a line of sight.
    ///
    /// - Error: the point at that length is within 2^-23 of the length of `end`, or next to it in
    ///   f32, so that what merely touches the end may be missed.
    /// - Degenerate: a length beyond the largest f32 is that.
    ///
    /// # Errors
    /// A component that is NaN or infinite, or an end that is the origin.
    ///
    /// ```
    /// use impinge_shapes::{Pose, Ray, RayOptions, Shape};
    /// use glam::Vec3;
    ///
    /// let (eye, lamp) = (Vec3::ZERO, Vec3::new(3.0, 0.0, 4.0));
    /// let (ray, length) = Ray::between(eye, lamp)?;
    /// assert_eq!(length, 5.0);
    /// let (ball, options) = (Shape::sphere(1.0)?, RayOptions::default());
    /// let is_hidden_by = |at: Vec3| -> Result<bool, impinge_shapes::PoseError> {
    ///     let pose = Pose::from_position(at)?;
    ///     Ok(ball.raycast(&pose, &ray, length, &options).is_some())
    /// };
    /// assert!(is_hidden_by(lamp * 0.5)? && !is_hidden_by(lamp * 1.5)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn between(origin: Vec3, end: Vec3) -> Result<(Self, f32), RayError> {
        if let Some(bad) = first_not_finite(&origin.to_array()) {
            return Err(RayError::OriginNotFinite(bad));
        }
        if let Some(bad) = first_not_finite(&end.to_array()) {
            return Err(RayError::EndNotFinite(bad));
        }
        let way = end.as_dvec3() - origin.as_dvec3();
        let (direction, length) = unit_and_length(way).ok_or(RayError::EndAtOrigin)?;
        Ok((Self { origin, direction }, round::nearest(length)))
    }

    /// Where the ray starts.
    #[must_use]
    #[inline]
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// Unit direction.
    #[must_use]
    #[inline]
    pub fn direction(&self) -> Vec3 {
        self.direction
    }

    /// The point `distance` along the ray, rounded once.
    #[must_use]
    pub fn point_at(&self, distance: f32) -> Vec3 {
        round::nearest_vec(self.point_at_f64(distance.into()))
    }

    /// The point `distance` along the ray, in f64.
    #[must_use]
    #[inline]
    pub fn point_at_f64(&self, distance: f64) -> DVec3 {
        self.origin.as_dvec3() + self.direction.as_dvec3() * distance
    }
}

/// The vector at unit length, rounded once; `None` for zero. Works from denormals to the largest
/// f32, because the squares are taken in f64.
pub(crate) fn normalize(v: Vec3) -> Option<Vec3> {
    unit_and_length(v.as_dvec3()).map(|(unit, _)| unit)
}

/// The same of a vector in f64, with its length.
fn unit_and_length(v: DVec3) -> Option<(Vec3, f64)> {
    let length = v.length();
    (length > 0.0).then(|| (round::nearest_vec(v / length), length))
}

/// Whether the vector may be what [`normalize`] made.
pub(crate) fn is_unit(v: Vec3) -> bool {
    (v.as_dvec3().length_squared() - 1.0).abs() <= tolerance::UNIT_LENGTH
}

/// What a ray does with a shape that contains its origin.
///
/// ```
/// use impinge_shapes::{Pose, Ray, RayOptions, Shape, StartedInside};
/// use glam::Vec3;
///
/// let (ball, ray) = (Shape::sphere(2.0)?, Ray::new(Vec3::ZERO, Vec3::X)?);
/// let cast = |started_inside| {
///     let options = RayOptions { started_inside, ..RayOptions::default() };
///     ball.raycast(&Pose::IDENTITY, &ray, 10.0, &options).map(|hit| (hit.distance, hit.normal))
/// };
/// assert_eq!(cast(StartedInside::Hit), Some((0.0, Vec3::NEG_X)));
/// assert_eq!(cast(StartedInside::Skip), None);
/// assert_eq!(cast(StartedInside::Exit), Some((2.0, Vec3::X)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum StartedInside {
    /// Hit it at distance 0 with `normal = -direction`.
    #[default]
    Hit,
    /// Leave the shape out.
    Skip,
    /// Hit its boundary from within, where the ray leaves it; the normal still points out of the
    /// shape's solid, along the ray.
    Exit,
}

/// How a ray treats starts inside a shape and back faces.
///
/// ```
/// use impinge_shapes::{Pose, Ray, RayOptions, Shape, StartedInside};
/// use glam::Vec3;
///
/// let room = Shape::cuboid(Vec3::new(3.0, 2.0, 3.0)).unwrap();
/// let up = Ray::new(Vec3::ZERO, Vec3::Y)?;
/// let options = RayOptions { started_inside: StartedInside::Exit, ..RayOptions::default() };
/// let ceiling = room.raycast(&Pose::IDENTITY, &up, 10.0, &options).unwrap();
/// assert_eq!((ceiling.distance, ceiling.normal), (2.0, Vec3::Y));
/// # Ok::<(), impinge_shapes::RayError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayOptions {
    /// Rule for shapes that contain the origin (touching counts).
    pub started_inside: StartedInside,
    /// Leave out faces whose outward normal does not oppose the ray. Solids are entered through
    /// front faces only, so for them it matters under [`StartedInside::Exit`] alone.
    pub cull_back_faces: bool,
}

/// Where a ray meets one shape.
///
/// ```
/// use impinge_shapes::{Pose, Ray, RayOptions, Shape};
/// use glam::Vec3;
///
/// let tile = Shape::triangle(Vec3::ZERO, Vec3::X * 4.0, Vec3::Z * 4.0)?;
/// let down = Ray::new(Vec3::new(1.0, 5.0, 2.0), Vec3::NEG_Y)?;
/// let hit = tile.raycast(&Pose::IDENTITY, &down, 9.0, &RayOptions::default()).unwrap();
/// assert_eq!((hit.distance, hit.point), (5.0, Vec3::new(1.0, 0.0, 2.0)));
/// assert_eq!((hit.normal, hit.barycentric), (Vec3::Y, Some([0.25, 0.25, 0.5])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ShapeRayHit {
    /// Along the unit direction, in `[0, max_distance]`.
    pub distance: f32,
    /// World position of the hit.
    pub point: Vec3,
    /// Unit, out of the shape; `-direction` for a start inside.
    pub normal: Vec3,
    /// The origin lies in the shape or on its boundary.
    pub started_inside: bool,
    /// Part that was hit: a triangle of a surface, a part of a compound; 0 for a simple shape.
    pub part: u32,
    /// Weights of the corners a, b, c at the point hit, of a triangle; `None` of other shapes.
    ///
    /// - Error: each within 2^-24 of the exact weight, in `[0, 1]`, and exactly 0 for the corner
    ///   opposite an edge that is hit.
    pub barycentric: Option<[f32; 3]>,
}

/// Where a ray passes the boundary of a shape.
///
/// ```
/// use impinge_shapes::{Pose, Ray, Shape};
/// use glam::Vec3;
///
/// let ball = Shape::sphere(1.0)?;
/// let ray = Ray::new(Vec3::X * -3.0, Vec3::X)?;
/// let crossings = ball.crossings(&Pose::IDENTITY, &ray, 100.0);
/// let seen: Vec<_> = crossings.iter().map(|at| (at.distance, at.entering)).collect();
/// assert_eq!(seen, [(2.0, true), (4.0, false)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayCrossing {
    /// Along the unit direction, in `[0, max_distance]`.
    pub distance: f32,
    /// World position of the crossing.
    pub point: Vec3,
    /// Unit, out of the shape: against the ray where it enters, along it where it leaves.
    pub normal: Vec3,
    /// Into the shape, or out of it.
    pub entering: bool,
    /// Part that is entered or left: a triangle of a surface, a part of a compound; 0 for a simple
    /// shape.
    pub part: u32,
}

/// The crossings of a ray with one shape; at most two of a convex one, which need no memory.
pub type RayCrossings = SmallVec<[RayCrossing; 2]>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_rays_are_refused_and_named() {
        let zero = Ray::new(Vec3::ZERO, Vec3::new(0.0, -0.0, 0.0));
        assert_eq!(zero.unwrap_err().to_string(), "direction must not be zero");
        let infinite = Ray::new(Vec3::ZERO, Vec3::new(f32::INFINITY, 0.0, 0.0));
        assert_eq!(infinite.unwrap_err().to_string(), "direction must be finite, got inf");
        let lost = Ray::new(Vec3::new(0.0, f32::NEG_INFINITY, 0.0), Vec3::X);
        assert_eq!(lost.unwrap_err().to_string(), "origin must be finite, got -inf");
    }

    #[test]
    fn rays_between_two_points_end_where_they_say() {
        let refused = |origin: Vec3, end: Vec3| Ray::between(origin, end).unwrap_err().to_string();
        assert_eq!(refused(Vec3::ONE, Vec3::ONE), "end must not be the origin");
        assert_eq!(refused(Vec3::ZERO, Vec3::NEG_INFINITY), "end must be finite, got -inf");
        assert_eq!(refused(Vec3::NAN, Vec3::ZERO), "origin must be finite, got NaN");
        let (ray, length) = Ray::between(Vec3::splat(f32::MIN), Vec3::splat(f32::MAX)).unwrap();
        assert!(is_unit(ray.direction()) && length.to_bits() == f32::MAX.to_bits());

        let mut state = 11_u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f32::from(u16::try_from(state >> 48).unwrap()) / 32768.0 - 1.0
        };
        let mut beside = 0;
        for case in 0..4000 {
            let scale = 2.0_f32.powi([0, 40, -40, -130, -140][case % 5]);
            let mut point = || Vec3::new(number(), number(), number()) * scale;
            let (origin, step) = (point(), point());
            let end = origin + step * [1.0, 1e-3, 1e-6][case % 3];
            let Ok((ray, length)) = Ray::between(origin, end) else { continue };
            assert!(is_unit(ray.direction()), "{case}: {ray:?}");
            let off = (ray.point_at_f64(length.into()) - end.as_dvec3()).length();
            let bound = (f64::from(length) * 2.0_f64.powi(-23)).max(2.0_f64.powi(-149));
            assert!(off <= bound, "{case}: {origin} to {end}, {off:e} off");
            beside += u32::from(off > bound * 0.25);
        }
        assert!(beside > 300, "{beside}");
    }

    #[test]
    fn directions_of_any_length_normalise() {
        for scale in [1e-45_f32, 1e-30, 1.0, 1e30, f32::MAX] {
            let ray = Ray::new(Vec3::ZERO, Vec3::new(0.0, 0.0, -scale)).unwrap();
            assert_eq!(ray.direction(), Vec3::NEG_Z);
        }
    }
}
