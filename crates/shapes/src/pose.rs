//! Position and rotation of a body.

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use thiserror::Error;

use crate::round;

/// Where a body is: a position and a rotation, both finite, the rotation not zero.
///
/// A point `p` of the body lies at `position + R(rotation) · p` in the world, where `R(q)` is the
/// exact rotation of the quaternion divided by `|q|²`: a quaternion need not have unit length.
///
/// ```
/// use impinge_shapes::{Pose, PoseError};
/// use glam::{Quat, Vec3};
///
/// let pose = Pose::new(Vec3::Y, Quat::from_xyzw(0.0, 0.0, 0.0, 2.0))?;
/// assert_eq!(pose.transform_point(Vec3::X), Vec3::new(1.0, 1.0, 0.0));
/// assert_eq!(Pose::from_position(Vec3::NAN), Err(PoseError::PositionNotFinite(Vec3::NAN.x)));
/// # Ok::<(), PoseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    position: Vec3,
    rotation: Quat,
}

/// Why a [`Pose`] was refused.
#[derive(Clone, Copy, Debug, Error)]
pub enum PoseError {
    /// A component of the position is NaN or infinite.
    #[error("position: must be finite, got {0}")]
    PositionNotFinite(f32),
    /// A component of the rotation is NaN or infinite.
    #[error("rotation: must be finite, got {0}")]
    RotationNotFinite(f32),
    /// The quaternion is zero.
    #[error("rotation: must not be zero")]
    RotationZero,
}

impl PartialEq for PoseError {
    /// Compares the offending value by its bits, so that NaN equals itself.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::PositionNotFinite(a), Self::PositionNotFinite(b))
            | (Self::RotationNotFinite(a), Self::RotationNotFinite(b)) => {
                a.to_bits() == b.to_bits()
            }
            (Self::RotationZero, Self::RotationZero) => true,
            _ => false,
        }
    }
}

impl Eq for PoseError {}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// The world's own frame.
    pub const IDENTITY: Self = Self { position: Vec3::ZERO, rotation: Quat::IDENTITY };

    /// A pose from a position and a rotation of any non-zero length.
    ///
    /// # Errors
    /// A component that is NaN or infinite, or a quaternion of zeros.
    pub fn new(position: Vec3, rotation: Quat) -> Result<Self, PoseError> {
        if let Some(bad) = first_not_finite(&position.to_array()) {
            return Err(PoseError::PositionNotFinite(bad));
        }
        if let Some(bad) = first_not_finite(&rotation.to_array()) {
            return Err(PoseError::RotationNotFinite(bad));
        }
        if rotation.to_array().iter().all(|c| c.abs() <= 0.0) {
            return Err(PoseError::RotationZero);
        }
        Ok(Self { position, rotation })
    }

    /// An unrotated pose.
    ///
    /// # Errors
    /// A component that is NaN or infinite.
    pub fn from_position(position: Vec3) -> Result<Self, PoseError> {
        Self::new(position, Quat::IDENTITY)
    }

    /// World position of the body's origin.
    #[must_use]
    #[inline]
    pub fn position(&self) -> Vec3 {
        self.position
    }

    /// The quaternion as it was given, unit or not.
    #[must_use]
    #[inline]
    pub fn rotation(&self) -> Quat {
        self.rotation
    }

    /// The same place without the rotation: where a shape that looks alike from all sides is.
    #[must_use]
    #[inline]
    pub fn unrotated(&self) -> Self {
        Self { position: self.position, rotation: Quat::IDENTITY }
    }

    /// World position of the body's origin, in f64.
    #[must_use]
    #[inline]
    pub fn translation(&self) -> DVec3 {
        self.position.as_dvec3()
    }

    /// `R(q)`, from the body's frame to the world.
    ///
    /// - Error: each entry within 2^-49 of the exact rotation. Quarter turns whose components are
    ///   equal in magnitude, and the identity, come out exact.
    #[must_use]
    #[inline]
    pub fn rotation_matrix(&self) -> DMat3 {
        if self.is_unrotated() {
            // Many bodies are not turned, and the quotients below would say the same.
            return DMat3::IDENTITY;
        }
        let (DMat3 { x_axis, y_axis, z_axis }, n) = self.scaled_rotation();
        DMat3::from_cols(x_axis / n, y_axis / n, z_axis / n)
    }

    /// Whether the rotation is the identity, exactly.
    #[must_use]
    #[inline]
    pub fn is_unrotated(&self) -> bool {
        let [x, y, z, _] = self.rotation.to_array();
        x.abs() + y.abs() + z.abs() <= 0.0
    }

    /// `|q|² · R(q)` and `|q|²`, in f64.
    #[inline(always)]
    pub(crate) fn scaled_rotation(&self) -> (DMat3, f64) {
        scaled_rotation(self.rotation.to_array())
    }

    /// Whether the rotation maps every axis exactly onto an axis: the identity, quarter and half
    /// turns, and thirds about a diagonal. [`Pose::rotation_matrix`] is exact for these.
    ///
    /// The 24 rotations of a cube are the quaternions with one, two or four components of equal
    /// magnitude and the rest zero.
    #[must_use]
    pub fn permutes_axes(&self) -> bool {
        permutes_axes(self.rotation.to_array())
    }

    /// World position of a point of the body.
    #[must_use]
    pub fn transform_point(&self, point: Vec3) -> Vec3 {
        round::nearest_vec(self.rotation_matrix() * point.as_dvec3() + self.translation())
    }

    /// World direction of a vector of the body.
    #[must_use]
    pub fn transform_vector(&self, vector: Vec3) -> Vec3 {
        round::nearest_vec(self.rotation_matrix() * vector.as_dvec3())
    }

    /// Pose in the world of something that sits at `child` in this body's frame.
    ///
    /// - Error: composed in f64 and rounded once; the rotation comes out with unit length.
    /// - Degenerate: positions beyond f32 saturate at its largest finite value.
    #[must_use]
    pub fn compose(&self, child: &Self) -> Self {
        self.frame().compose(child)
    }

    /// What [`Pose::compose`] needs of this pose, worked out once for many children.
    #[inline]
    pub(crate) fn frame(&self) -> Frame {
        let turn = self.rotation_matrix();
        Frame { turn, unit: unit(self.rotation), translation: self.translation() }
    }

    /// See [`Nearly`].
    #[inline(always)]
    pub(crate) fn nearly(&self) -> Nearly {
        let (turn, n) = self.scaled_rotation();
        Nearly { turn: turn * (1.0 / n), translation: self.translation() }
    }

    /// The pose that undoes this one: `pose.inverse()` sits at the world's origin as seen from
    /// the body.
    ///
    /// - Error: computed in f64 and rounded once; the rotation comes out with unit length.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let position = self.rotation_matrix().transpose() * -self.translation();
        let [x, y, z, w] = unit(self.rotation).conjugate().to_array().map(round::nearest);
        Self { position: round::nearest_vec(position), rotation: Quat::from_xyzw(x, y, z, w) }
    }
}

/// A pose in f64, for what sits in its frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    turn: DMat3,
    unit: DQuat,
    translation: DVec3,
}

impl Frame {
    /// See [`Pose::compose`].
    #[inline]
    pub(crate) fn compose(&self, child: &Pose) -> Pose {
        self.compose_unit(child, unit(child.rotation))
    }

    /// [`Frame::compose`] of a child whose rotation at unit length is known.
    #[inline(always)]
    pub(crate) fn compose_unit(&self, child: &Pose, rotation: DQuat) -> Pose {
        let position = self.turn * child.translation() + self.translation;
        let product = self.unit * rotation;
        let (p, q) = (position, product);
        let [px, py, pz, x, y, z, w] = round::nearest_array([p.x, p.y, p.z, q.x, q.y, q.z, q.w]);
        Pose { position: Vec3::new(px, py, pz), rotation: Quat::from_xyzw(x, y, z, w) }
    }
}

/// A pose in f64 by one quotient, for bounds: a few roundings of f64 away from its [`Frame`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearly {
    turn: DMat3,
    translation: DVec3,
}

impl Nearly {
    /// A point of the world in this frame.
    #[inline(always)]
    pub(crate) fn undo(&self, point: DVec3) -> DVec3 {
        self.undo_turn(point - self.translation)
    }

    /// A direction of the world in this frame.
    #[inline(always)]
    pub(crate) fn undo_turn(&self, way: DVec3) -> DVec3 {
        let DMat3 { x_axis, y_axis, z_axis } = self.turn;
        DVec3::new(x_axis.dot(way), y_axis.dot(way), z_axis.dot(way))
    }

    /// Sum of the coordinates of its place.
    #[inline(always)]
    pub(crate) fn size(&self) -> f64 {
        self.translation.abs().element_sum()
    }
}

/// The quaternion in f64 with unit length; exact for one that has unit length already.
pub(crate) fn unit(q: Quat) -> DQuat {
    let q = DQuat::from_array(q.to_array().map(f64::from));
    q / q.length()
}

/// First value that is NaN or infinite.
pub(crate) fn first_not_finite(values: &[f32]) -> Option<f32> {
    values.iter().copied().find(|v| !v.is_finite())
}

/// See [`Pose::scaled_rotation`].
#[inline(always)]
pub(crate) fn scaled_rotation(rotation: [f32; 4]) -> (DMat3, f64) {
    rotation_of(rotation.map(f64::from))
}

/// `|q|² · R(q)` and `|q|²` of the components of `q`.
#[inline(always)]
pub(crate) fn rotation_of([x, y, z, w]: [f64; 4]) -> (DMat3, f64) {
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    let (xy, xz, yz) = (x * y, x * z, y * z);
    let (wx, wy, wz) = (w * x, w * y, w * z);
    let n = (xx + yy) + (zz + ww);
    let scaled = DMat3::from_cols(
        DVec3::new((ww + xx) - (yy + zz), 2.0 * (xy + wz), 2.0 * (xz - wy)),
        DVec3::new(2.0 * (xy - wz), (ww + yy) - (xx + zz), 2.0 * (yz + wx)),
        DVec3::new(2.0 * (xz + wy), 2.0 * (yz - wx), (ww + zz) - (xx + yy)),
    );
    (scaled, n)
}

/// See [`Pose::permutes_axes`].
#[inline(always)]
pub(crate) fn permutes_axes(rotation: [f32; 4]) -> bool {
    let components = rotation.map(f32::abs);
    let largest = components.iter().fold(0.0_f32, |largest, &x| largest.max(x));
    let equal: u32 = components.iter().map(|&x| u32::from(x >= largest)).sum();
    let zero: u32 = components.iter().map(|&x| u32::from(x <= 0.0)).sum();
    (equal + zero == 4) & (equal != 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_values_are_refused_and_named() {
        let nan = Pose::new(Vec3::new(0.0, f32::NAN, 0.0), Quat::IDENTITY);
        assert_eq!(nan.unwrap_err().to_string(), "position: must be finite, got NaN");
        let infinite = Pose::new(Vec3::ZERO, Quat::from_xyzw(f32::INFINITY, 0.0, 0.0, 1.0));
        assert_eq!(infinite.unwrap_err().to_string(), "rotation: must be finite, got inf");
        let zero = Pose::new(Vec3::ZERO, Quat::from_xyzw(0.0, -0.0, 0.0, 0.0));
        assert_eq!(zero, Err(PoseError::RotationZero));
    }

    #[test]
    fn quarter_turns_are_exact() {
        let s = std::f32::consts::FRAC_1_SQRT_2;
        let pose = Pose::new(Vec3::ZERO, Quat::from_xyzw(0.0, s, 0.0, s)).unwrap();
        assert_eq!(pose.rotation_matrix() * DVec3::X, -DVec3::Z);
        let cyclic = Pose::new(Vec3::ZERO, Quat::from_xyzw(3.0, 3.0, 3.0, 3.0)).unwrap();
        assert_eq!(cyclic.rotation_matrix() * DVec3::X, DVec3::Y);
    }

    #[test]
    fn tiny_and_huge_quaternions_rotate_alike() {
        let q = Quat::from_xyzw(0.3, -0.4, 0.1, 0.8);
        let reference = Pose::new(Vec3::ZERO, q).unwrap().rotation_matrix();
        for scale in [2.0_f32.powi(-100), 2.0_f32.powi(100)] {
            let scaled = Pose::new(Vec3::ZERO, q * scale).unwrap();
            assert_eq!(scaled.rotation_matrix(), reference);
        }
    }

    #[test]
    fn composition_with_the_inverse_is_the_identity() {
        let pose =
            Pose::new(Vec3::new(1.0, -2.0, 3.0), Quat::from_xyzw(0.1, 0.2, 0.3, 0.9)).unwrap();
        let there_and_back = pose.compose(&pose.inverse());
        assert!(there_and_back.position().length() < 1e-6);
        assert!((there_and_back.rotation().w.abs() - 1.0).abs() < 1e-6);
    }
}
