//! Where one shape is, as the other sees it.

use impinge_shapes::Pose;
use impinge_shapes::glam::{DMat3, DVec3};

/// Two placed shapes, reduced to B's place in A's frame.
///
/// The rooms compute in A's frame in f64. The poses themselves are kept, because the exact answer
/// to a yes/no question depends on them and not on the rounded relative frame.
///
/// ```
/// use impinge_narrowphase::Relative;
/// use impinge_shapes::{Pose, glam::{DVec3, Quat, Vec3, vec3}};
///
/// // A is turned by a quarter: what lies above it in the world lies along its own x.
/// let a = Pose::new(Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 1.0, 1.0))?;
/// let b = Pose::from_position(vec3(0.0, 2.0, 0.0))?;
/// assert_eq!(Relative::new(&a, &b).translation(), DVec3::X * 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Relative {
    pose_a: Pose,
    pose_b: Pose,
    world_from_a: DMat3,
    rotation: DMat3,
    translation: DVec3,
}

impl Relative {
    /// B at `pose_b` as seen from A at `pose_a`.
    ///
    /// - Error: each entry of the rotation within 2^-48, the translation within 2^-48 of the
    ///   distance between the two positions.
    #[must_use]
    pub fn new(pose_a: &Pose, pose_b: &Pose) -> Self {
        let world_from_a = pose_a.rotation_matrix();
        let a_from_world = world_from_a.transpose();
        Self {
            pose_a: *pose_a,
            pose_b: *pose_b,
            world_from_a,
            rotation: a_from_world * pose_b.rotation_matrix(),
            translation: a_from_world * (pose_b.translation() - pose_a.translation()),
        }
    }

    /// B at `b_in_a` in the frame of A, which is the world's.
    #[must_use]
    pub fn from_b_in_a(b_in_a: &Pose) -> Self {
        Self::new(&Pose::IDENTITY, b_in_a)
    }

    /// Two frames in f64: those of bodies on their way, which no pose in f32 describes.
    ///
    /// The poses are left at the identity, so that this serves for distances, which need the frames
    /// alone, and never for the exact relation.
    pub(crate) fn between_frames(
        (rotation_a, position_a): (DMat3, DVec3),
        (rotation_b, position_b): (DMat3, DVec3),
    ) -> Self {
        let a_from_world = rotation_a.transpose();
        Self {
            pose_a: Pose::IDENTITY,
            pose_b: Pose::IDENTITY,
            world_from_a: rotation_a,
            rotation: a_from_world * rotation_b,
            translation: a_from_world * (position_b - position_a),
        }
    }

    /// The same two shapes with their roles exchanged.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self::new(&self.pose_b, &self.pose_a)
    }

    /// A's pose in the world.
    #[must_use]
    #[inline]
    pub fn pose_a(&self) -> &Pose {
        &self.pose_a
    }

    /// B's pose in the world.
    #[must_use]
    #[inline]
    pub fn pose_b(&self) -> &Pose {
        &self.pose_b
    }

    /// From B's frame to A's; its columns are B's axes.
    #[must_use]
    #[inline]
    pub fn rotation(&self) -> &DMat3 {
        &self.rotation
    }

    /// B's origin in A's frame.
    #[must_use]
    #[inline]
    pub fn translation(&self) -> DVec3 {
        self.translation
    }

    /// From A's frame to the world's axes.
    #[must_use]
    #[inline]
    pub fn world_from_a(&self) -> &DMat3 {
        &self.world_from_a
    }

    /// A point of B's frame in A's.
    #[must_use]
    #[inline]
    pub fn point_from_b(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// A direction of A's frame in B's.
    #[must_use]
    #[inline]
    pub fn vector_to_b(&self, vector: DVec3) -> DVec3 {
        self.rotation.transpose() * vector
    }

    /// A point of A's frame in the world, in f64.
    #[must_use]
    #[inline]
    pub fn point_to_world(&self, point: DVec3) -> DVec3 {
        self.world_from_a * point + self.pose_a.translation()
    }

    /// A direction of A's frame in the world, in f64.
    #[must_use]
    #[inline]
    pub fn vector_to_world(&self, vector: DVec3) -> DVec3 {
        self.world_from_a * vector
    }

    /// A world direction in A's frame.
    #[must_use]
    #[inline]
    pub fn vector_from_world(&self, vector: DVec3) -> DVec3 {
        self.world_from_a.transpose() * vector
    }
}
