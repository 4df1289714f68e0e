//! Why a call on the world was refused.

use impinge_shapes::PoseError;
use thiserror::Error;

use crate::BodyId;

/// Why a [`Body`](crate::Body) was refused.
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
