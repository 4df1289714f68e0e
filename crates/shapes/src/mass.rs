//! Volume, centre of mass and inertia.

use glam::{DMat3, DVec3, Mat3, Vec3};

use crate::{Pose, round};

/// Mass properties of a solid of density 1; multiply `volume` and `inertia` by the density.
///
/// ```
/// use impinge_shapes::{MassProperties, Pose, Shape};
/// use glam::Vec3;
///
/// let brick = Shape::cuboid(Vec3::new(0.5, 1.0, 1.5))?.mass_properties().expect("it has an end");
/// assert_eq!((brick.volume, brick.center_of_mass), (6.0, Vec3::ZERO));
/// let mass = 2.0 * brick.volume; // of density 2
/// let about_x = 2.0 * brick.inertia.x_axis.x;
/// assert_eq!(about_x, mass / 3.0 * (1.0 + 1.5 * 1.5));
///
/// let at = |x: f32| Pose::from_position(Vec3::X * x);
/// let two = MassProperties::combine(&[(at(-1.0)?, brick), (at(3.0)?, brick)]);
/// assert_eq!((two.volume, two.center_of_mass), (12.0, Vec3::X));
/// assert!(Shape::half_space(Vec3::Y, 0.0)?.mass_properties().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MassProperties {
    /// Volume, the mass at density 1.
    pub volume: f32,
    /// Centre of mass in the shape's frame.
    pub center_of_mass: Vec3,
    /// Inertia about the centre of mass, along the shape's axes, at density 1.
    pub inertia: Mat3,
}

impl MassProperties {
    /// Rounds each number once.
    pub(crate) fn from_f64(volume: f64, center: DVec3, inertia: DMat3) -> Self {
        Self {
            volume: round::nearest(volume),
            center_of_mass: round::nearest_vec(center),
            inertia: Mat3::from_cols(
                round::nearest_vec(inertia.x_axis),
                round::nearest_vec(inertia.y_axis),
                round::nearest_vec(inertia.z_axis),
            ),
        }
    }

    /// Properties of several solids together, each at its pose; where they overlap, both count.
    ///
    /// - Degenerate: without any volume the centre is the mean of the parts' centres.
    /// - Source: parallel-axis theorem (Steiner).
    #[must_use]
    pub fn combine(parts: &[(Pose, Self)]) -> Self {
        let place = |(pose, part): &(Pose, Self)| {
            let center =
                pose.rotation_matrix() * part.center_of_mass.as_dvec3() + pose.translation();
            (f64::from(part.volume), center)
        };
        let volume: f64 = parts.iter().map(|part| place(part).0).sum();
        let mean = |weight: &dyn Fn(f64) -> f64, total: f64| {
            let sum = parts.iter().fold(DVec3::ZERO, |sum, part| {
                let (volume, center) = place(part);
                sum + center * weight(volume)
            });
            sum / total
        };
        let center = if volume > 0.0 {
            mean(&|volume| volume, volume)
        } else if parts.is_empty() {
            DVec3::ZERO
        } else {
            mean(&|_| 1.0, parts.iter().map(|_| 1.0).sum())
        };
        let mut inertia = DMat3::ZERO;
        for part in parts {
            let (volume, at) = place(part);
            let rotation = part.0.rotation_matrix();
            let own = part.1.inertia.as_dmat3();
            inertia += rotation * own * rotation.transpose();
            let arm = at - center;
            let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
            inertia += (DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer) * volume;
        }
        Self::from_f64(volume, center, inertia)
    }
}
