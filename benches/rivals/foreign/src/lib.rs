//! Safe calls into two libraries that are not written in Rust, as many as the rival bench makes.
//!
//! All code here that the compiler cannot check stands in `embree` and `box3d`. What they
//! offer is safe: pointers that the libraries keep are owned by the values that keep them alive,
//! and whatever the libraries demand of their input is asserted or follows from the types.

#[cfg(feature = "box3d")]
#[allow(unsafe_code, reason = "calls into a C library; every block says why it is sound")]
pub mod box3d;
#[cfg(feature = "embree")]
#[allow(unsafe_code, reason = "calls into a C library; every block says why it is sound")]
pub mod embree;

/// A point or a direction.
pub type Vector = [f32; 3];

/// Lower and upper corner of a box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower corner.
    pub min: Vector,
    /// Upper corner.
    pub max: Vector,
}

/// A position and a rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Where it is.
    pub position: Vector,
    /// A unit quaternion: x, y, z, w.
    pub rotation: [f32; 4],
}
