//! Numbers that tune a tolerance, each with unit, reason and derivation.

/// Largest |cosine| of the angle between two axes that [`Obb::from_axes`](crate::Obb::from_axes)
/// still takes for perpendicular.
///
/// - Units: none (cosine). Scale-free, because the axes are normalised first.
/// - Reason: axes taken from an f32 matrix after many multiplications are off by some 1e-5;
///   0.06 degrees leaves room for those and refuses sheared frames.
pub const PERPENDICULAR_COSINE: f64 = 1.0 / 1024.0;

/// Relative widening of the f64 half extents of a rotated box's bounds before they are rounded
/// outward.
///
/// - Units: none (relative to the extent).
/// - Derivation: a rotation entry is a sum of four exact products (3 roundings), one sum of
///   squares (3) and a quotient (1), so it is off by less than 2^-49 of the sum of the absolute
///   products over `|q|²`, which is at most 1; the row sum adds 5 roundings of at most 2^-53
///   relative. 2^-46 of the sum of the half extents covers both with a factor of four.
pub const ROTATED_BOUNDS: f64 = 1.0 / (1_u64 << 46) as f64;
