//! Why a call on the world was refused.

use impinge_shapes::PoseError;
use thiserror::Error;

use crate::BodyId;

/// Why a [`Body`](crate::Body) was refused.
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, BodyError, World};
///
/// let mut world = World::new();
/// let ball = || Ok::<_, impinge_shapes::SphereError>(Body::moving(Shape::sphere(1.0)?));
/// assert!(matches!(world.insert(ball()?.at(Vec3::NAN)), Err(BodyError::Pose(_))));
/// assert!(matches!(world.insert(ball()?.margin(-1.0)), Err(BodyError::Margin(_))));
/// assert!(world.is_empty()); // what is refused changes nothing
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum BodyError {
    /// The position or the rotation is not finite, or the rotation is zero.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// The contact margin is negative, NaN or infinite.
    #[error("margin: must be finite and not negative, got {0}")]
    Margin(f32),
    /// The world holds 2^32 - 2 bodies already.
    #[error("body: the world is full")]
    Full,
}

/// Why a change of the world was refused.
///
/// ```
/// use impinge_shapes::{Pose, Shape};
/// use impinge_world::{Body, World, WorldError};
///
/// let mut world = World::new();
/// let ball = world.insert(Body::moving(Shape::sphere(1.0)?))?;
/// let gone = world.insert(Body::moving(Shape::sphere(1.0)?))?;
/// world.remove(gone);
/// assert_eq!(world.set_pose(gone, Pose::IDENTITY), Err(WorldError::StaleId(gone)));
/// let poses = [(ball, Pose::IDENTITY), (gone, Pose::IDENTITY)];
/// assert_eq!(world.set_poses(&poses), Err(WorldError::StaleIdAt { index: 1, id: gone }));
/// assert!(matches!(world.set_margin(f32::NAN), Err(WorldError::Margin(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum WorldError {
    /// The body was removed, or never belonged to this world.
    #[error("id: {0:?} is not a body of this world")]
    StaleId(BodyId),
    /// The body at this place of the list was removed, or never belonged to this world.
    #[error("poses[{index}]: {id:?} is not a body of this world")]
    StaleIdAt {
        /// Place in the list that was given.
        index: usize,
        /// The id found there.
        id: BodyId,
    },
    /// The contact margin is negative, NaN or infinite.
    #[error("margin: must be finite and not negative, got {0}")]
    Margin(f32),
    /// The length up to which contacts are recycled is negative, NaN or infinite.
    #[error("recycling: must be finite and not negative, got {0}")]
    Recycling(f32),
}
