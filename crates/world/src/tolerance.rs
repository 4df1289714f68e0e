//! The numbers that the world tunes.

/// How much farther than the best result so far a search goes on, relative to that result.
///
/// - Units: none (relative to the distance or fraction).
/// - Reason: the narrow phase may report a hit a few ulp before the body's bounds are met. A body
///   that it puts level with the best one must be looked at, or the tie would go to whichever
///   came first instead of the smaller id.
/// - Derivation: reported numbers are off by a few ulp, 2^-24 each; 2^-20 covers sixteen.
pub(crate) const SEARCH_SLACK: f32 = 1.0 / (1_u32 << 20) as f32;
