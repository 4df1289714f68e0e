//! Numbers that tune a tolerance, each with unit, reason and derivation.

/// Below this share of the pair's size, a computed distance does not settle on which side of
/// touching the pair lies, and the exact relation is asked.
///
/// - Units: none (relative to the largest coordinate of the pair in A's frame).
/// - Derivation: the relative frame is within 2^-48 of its exact value and the rooms' closed forms
///   add some tens of roundings of 2^-53; 2^-40 leaves a factor of more than a hundred, and costs
///   an exact test only for pairs that close to touching.
pub const SETTLE_SIGN: f64 = 1.0 / (1_u64 << 40) as f64;
