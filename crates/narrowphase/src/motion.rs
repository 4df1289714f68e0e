//! Bodies on their way: along a straight line, turning at a constant rate.

use impinge_shapes::glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use impinge_shapes::{Aabb, Pose, Shape, round};
use thiserror::Error;

use crate::tolerance;

/// How a body goes from its pose during the time from 0 to 1: its centre of turning along a
/// straight line, the body around this centre at a constant rate.
///
/// ```
/// use impinge_narrowphase::{Motion, MotionError};
/// use impinge_shapes::{Pose, glam::{Vec3, vec3}};
///
/// let half_turn = vec3(0.0, 0.0, std::f32::consts::PI);
/// let motion = Motion::new(Pose::IDENTITY, vec3(4.0, 0.0, 0.0), half_turn)?.about(Vec3::X)?;
/// // The centre is at x = 5, and the origin now lies on its other side.
/// assert_eq!(motion.pose_at(1.0).position().x, 6.0);
/// let lost = Motion::new(Pose::IDENTITY, Vec3::INFINITY, Vec3::ZERO);
/// assert_eq!(lost, Err(MotionError::DisplacementNotFinite(f32::INFINITY)));
/// # Ok::<(), MotionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "serial::RawMotion"))]
pub struct Motion {
    pose: Pose,
    displacement: Vec3,
    turn: Vec3,
    center: Vec3,
}

#[cfg(feature = "serde")]
mod serial {
    use super::{Motion, MotionError, Pose, Vec3};

    /// A motion as it is read, to be checked.
    #[derive(serde::Deserialize)]
    #[serde(rename = "Motion", deny_unknown_fields)]
    pub(super) struct RawMotion {
        pose: Pose,
        displacement: Vec3,
        turn: Vec3,
        #[serde(default)]
        center: Vec3,
    }

    impl TryFrom<RawMotion> for Motion {
        type Error = MotionError;

        fn try_from(raw: RawMotion) -> Result<Self, MotionError> {
            Self::new(raw.pose, raw.displacement, raw.turn)?.about(raw.center)
        }
    }
}

/// Why a [`Motion`] was refused.
///
/// ```
/// use impinge_narrowphase::{Motion, MotionError};
/// use impinge_shapes::{Pose, glam::Vec3};
///
/// let error = Motion::new(Pose::IDENTITY, Vec3::ZERO, Vec3::NAN).unwrap_err();
/// assert!(matches!(error, MotionError::TurnNotFinite(_)));
/// assert_eq!(error.to_string(), "turn: must be finite, got NaN");
/// ```
#[derive(Clone, Copy, Debug, Error)]
pub enum MotionError {
    /// A component of the displacement is NaN or infinite.
    #[error("displacement: must be finite, got {0}")]
    DisplacementNotFinite(f32),
    /// A component of the turn is NaN or infinite.
    #[error("turn: must be finite, got {0}")]
    TurnNotFinite(f32),
    /// A component of the centre of turning is NaN or infinite.
    #[error("center: must be finite, got {0}")]
    CenterNotFinite(f32),
}

impl PartialEq for MotionError {
    /// Compares the offending value by its bits, so that NaN equals itself.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::DisplacementNotFinite(a), Self::DisplacementNotFinite(b))
            | (Self::TurnNotFinite(a), Self::TurnNotFinite(b))
            | (Self::CenterNotFinite(a), Self::CenterNotFinite(b)) => a.to_bits() == b.to_bits(),
            _ => false,
        }
    }
}

impl Eq for MotionError {}

impl Motion {
    /// A motion that starts at `pose` and goes by `displacement`, turning around the body's origin.
    ///
    /// - Frame: `displacement` and `turn` are along the world's axes.
    /// - Units: `turn` is the axis times the angle in radians; more than a full turn is allowed.
    ///
    /// # Errors
    /// A component that is NaN or infinite.
    pub fn new(pose: Pose, displacement: Vec3, turn: Vec3) -> Result<Self, MotionError> {
        if let Some(bad) = first_not_finite(displacement) {
            return Err(MotionError::DisplacementNotFinite(bad));
        }
        if let Some(bad) = first_not_finite(turn) {
            return Err(MotionError::TurnNotFinite(bad));
        }
        Ok(Self { pose, displacement, turn, center: Vec3::ZERO })
    }

    /// A body that stays where it is.
    #[must_use]
    pub const fn still(pose: Pose) -> Self {
        Self { pose, displacement: Vec3::ZERO, turn: Vec3::ZERO, center: Vec3::ZERO }
    }

    /// The same motion with another centre of turning, in the body's frame: its centre of mass, for
    /// one. The displacement is that of this centre.
    ///
    /// # Errors
    /// A component that is NaN or infinite.
    pub fn about(self, center: Vec3) -> Result<Self, MotionError> {
        match first_not_finite(center) {
            Some(bad) => Err(MotionError::CenterNotFinite(bad)),
            None => Ok(Self { center, ..self }),
        }
    }

    /// The motion of what sits at `place` in the frame that moves, such as a link of a robot.
    ///
    /// - Error: its pose and its centre of turning are rounded once each, to f32.
    ///
    /// ```
    /// use impinge_narrowphase::Motion;
    /// use impinge_shapes::{Pose, glam::Vec3};
    ///
    /// let arm = Motion::new(Pose::IDENTITY, Vec3::ZERO, Vec3::Z * std::f32::consts::PI)?;
    /// let hand = arm.of_part(&Pose::from_position(Vec3::X * 2.0)?);
    /// assert_eq!(hand.pose().position(), Vec3::X * 2.0);
    /// assert_eq!(hand.pose_at(1.0).position().x, -2.0); // around the arm's origin
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_part(&self, place: &Pose) -> Self {
        let from_place = self.center.as_dvec3() - place.translation();
        let center = round::nearest_vec(place.rotation_matrix().transpose() * from_place);
        Self { pose: self.pose.compose(place), center, ..*self }
    }

    /// Where the body starts.
    #[must_use]
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// World vector by which the centre of turning moves.
    #[must_use]
    pub fn displacement(&self) -> Vec3 {
        self.displacement
    }

    /// Axis of the world times the angle in radians.
    #[must_use]
    pub fn turn(&self) -> Vec3 {
        self.turn
    }

    /// The centre of turning, in the body's frame.
    #[must_use]
    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// Neither moves nor turns.
    #[must_use]
    pub fn is_still(&self) -> bool {
        self.displacement.cmpeq(Vec3::ZERO).all() && self.turn.cmpeq(Vec3::ZERO).all()
    }

    /// Where the body is after a part of the motion.
    ///
    /// - Error: computed in f64 and rounded once; at 0, and without a turn, the rotation is that of
    ///   the start bit for bit.
    /// - Degenerate: a fraction that is not finite counts as 0; positions beyond f32 saturate.
    #[must_use]
    pub fn pose_at(&self, fraction: f32) -> Pose {
        let fraction = if fraction.is_finite() { f64::from(fraction) } else { 0.0 };
        let (axis, angle) = self.axis_and_angle();
        let angle = angle * fraction;
        let travel = self.displacement.as_dvec3() * fraction;
        let arm = self.pose.translation() - self.world_center();
        let swing = (turned(axis, angle) - DMat3::IDENTITY) * arm;
        let position = round::nearest_vec(self.pose.translation() + travel + swing);
        let rotation = if angle.abs() > 0.0 {
            let (sine, cosine) = (libm::sin(angle * 0.5), libm::cos(angle * 0.5));
            let [x, y, z] = (axis * sine).to_array();
            let start = DQuat::from_array(self.pose.rotation().to_array().map(f64::from));
            let there = DQuat::from_xyzw(x, y, z, cosine) * (start / start.length());
            Quat::from_array(there.to_array().map(round::nearest))
        } else {
            self.pose.rotation()
        };
        Pose::new(position, rotation).unwrap_or(self.pose)
    }

    /// Bounds of all places that a shape takes by turning alone, without the displacement, grown by
    /// `margin`; rounded outward.
    ///
    /// - Degenerate: everything for a shape without bounds, and where f32 does not reach.
    #[must_use]
    pub fn turning_bounds(&self, shape: &Shape, margin: f64) -> Aabb {
        let bounds = shape.aabb(&self.pose);
        let (min, max) = (bounds.min().as_dvec3(), bounds.max().as_dvec3());
        if !(min.is_finite() && max.is_finite()) {
            return Aabb::EVERYTHING;
        }
        let (center, (_, angle)) = (self.world_center(), self.axis_and_angle());
        let radius = (min - center).abs().max((max - center).abs()).length();
        // No point leaves the ball around the centre, nor goes farther than its arc.
        let arc = angle * radius;
        let size = min.abs().max(max.abs()).element_sum() + center.abs().element_sum() + radius;
        let slack = tolerance::FRAME * size + margin.max(0.0);
        let low = (center - radius).min(min).max(min - arc) - slack;
        let high = (center + radius).max(max).min(max + arc) + slack;
        let low = low.to_array().map(round::down);
        let high = high.to_array().map(round::up);
        Aabb::new(low.into(), high.into()).unwrap_or(Aabb::EVERYTHING)
    }

    /// The centre of turning at the start, in the world.
    pub(crate) fn world_center(&self) -> DVec3 {
        self.pose.rotation_matrix() * self.center.as_dvec3() + self.pose.translation()
    }

    /// Unit axis, or zero without a turn, and the angle.
    pub(crate) fn axis_and_angle(&self) -> (DVec3, f64) {
        let turn = self.turn.as_dvec3();
        let angle = turn.length();
        if angle > 0.0 { (turn / angle, angle) } else { (DVec3::ZERO, 0.0) }
    }
}

/// The rotation by an angle around a unit axis; the identity for an angle of zero.
///
/// - Error: each entry within 2^-50.
/// - Source: the formula of Rodrigues (1840).
pub(crate) fn turned(axis: DVec3, angle: f64) -> DMat3 {
    if angle.abs() <= 0.0 {
        return DMat3::IDENTITY;
    }
    // One minus the cosine, without losing the bits of a small angle.
    let half = libm::sin(angle * 0.5);
    let (sine, rest) = (libm::sin(angle), 2.0 * half * half);
    let column = |e: DVec3| e + axis.cross(e) * sine + axis.cross(axis.cross(e)) * rest;
    DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
}

/// First component that is NaN or infinite.
fn first_not_finite(v: Vec3) -> Option<f32> {
    v.to_array().into_iter().find(|x| !x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_values_are_refused_and_named() {
        let nan = Vec3::new(0.0, f32::NAN, 0.0);
        let error = Motion::new(Pose::IDENTITY, nan, Vec3::ZERO).unwrap_err();
        assert_eq!(error.to_string(), "displacement: must be finite, got NaN");
        let error = Motion::new(Pose::IDENTITY, Vec3::ZERO, Vec3::INFINITY).unwrap_err();
        assert_eq!(error, MotionError::TurnNotFinite(f32::INFINITY));
        let error = Motion::still(Pose::IDENTITY).about(nan).unwrap_err();
        assert_eq!(error, MotionError::CenterNotFinite(f32::NAN));
    }

    #[test]
    fn a_quarter_turn_about_a_point_beside() {
        let pose = Pose::from_position(Vec3::new(1.0, 2.0, 3.0)).unwrap();
        let turn = Vec3::Z * std::f32::consts::FRAC_PI_2;
        let motion = Motion::new(pose, Vec3::Y * 5.0, turn).unwrap().about(Vec3::X).unwrap();
        let end = motion.pose_at(1.0);
        // The centre goes from (2, 2, 3) to (2, 7, 3), the origin from its left to below it.
        assert!(end.position().distance(Vec3::new(2.0, 6.0, 3.0)) < 1e-6, "{end:?}");
        assert!(end.transform_vector(Vec3::X).distance(Vec3::Y) < 1e-6, "{end:?}");
        assert_eq!(motion.pose_at(0.0), pose);
        assert_eq!(motion.pose_at(f32::NAN), pose);
        assert!(!motion.is_still() && Motion::still(pose).is_still());
    }

    #[test]
    fn a_part_goes_with_its_frame() {
        let frame = Pose::new(Vec3::new(1.0, -2.0, 0.5), Quat::from_xyzw(1.0, 2.0, -1.0, 3.0));
        let place = Pose::new(Vec3::new(0.5, 3.0, -1.0), Quat::from_xyzw(0.0, -1.0, 2.0, 2.0));
        let (frame, place) = (frame.unwrap(), place.unwrap());
        let motion = Motion::new(frame, Vec3::new(2.0, 1.0, -3.0), Vec3::new(0.5, -2.0, 1.0));
        let motion = motion.unwrap().about(Vec3::new(0.25, -0.5, 2.0)).unwrap();
        let part = motion.of_part(&place);
        for step in 0..=8_u8 {
            let fraction = f32::from(step) / 8.0;
            let (there, expected) =
                (part.pose_at(fraction), motion.pose_at(fraction).compose(&place));
            assert!(there.position().distance(expected.position()) < 4e-6, "{step}");
            let turned = |pose: &Pose| pose.transform_vector(Vec3::ONE);
            assert!(turned(&there).distance(turned(&expected)) < 2e-6, "{step}");
        }
        assert_eq!(motion.of_part(&Pose::IDENTITY).center(), motion.center());
    }

    #[test]
    fn turns_add_up() {
        let axis = DVec3::new(1.0, 2.0, -2.0) / 3.0;
        let twice = turned(axis, 0.7) * turned(axis, 0.7);
        assert!(twice.abs_diff_eq(turned(axis, 1.4), 1e-15));
        assert!(
            (turned(axis, 1e-9) * DVec3::X - DVec3::X - axis.cross(DVec3::X) * 1e-9).length()
                < 1e-17
        );
    }
}
