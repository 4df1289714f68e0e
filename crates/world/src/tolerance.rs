//! The numbers that the world tunes.

/// How much farther than the best result so far a search goes on, relative to that result.
///
/// - Units: none (relative to the distance or fraction).
/// - Reason: the narrow phase may report a hit a few ulp before the body's bounds are met. A body
///   that it puts level with the best one must be looked at, or the tie would go to whichever
///   came first instead of the smaller id.
/// - Derivation: reported numbers are off by a few ulp, 2^-24 each; 2^-20 covers sixteen.
pub(crate) const SEARCH_SLACK: f32 = 1.0 / (1_u32 << 20) as f32;

/// Farthest hit of a ray that may be told at distance 0.
///
/// - Units: those of the scene.
/// - Derivation: distances are told within two last places, of which the smallest are 2^-148, and the
///   index tells at 0 what a ray meets before 2^-144.
pub(crate) const TOLD_AS_ZERO: f32 = 1.0 / (1_u128 << 126) as f32;

/// How much a mover's bounds are grown to look for what it meets, relative to its extents and its
/// way.
///
/// - Units: none (relative to the sum of extents and displacement over the axes).
/// - Reason: the narrow phase may report a touch while 2^-38 of the sizes and the way are left,
///   which a mover that slides towards a face takes long to close: what bounds meet only then is
///   told at the same fraction as the best one, and must be looked at for the tie.
/// - Derivation: covers bodies up to 2^14 times as large as the mover and its way.
pub(crate) const SWEEP_ROOM: f64 = 1.0 / (1_u32 << 24) as f64;

/// Room for rounding in the half lengths of a turned box in f32, as a share of the sum of its half
/// extents.
///
/// - Units: none (relative).
/// - Derivation, with `u = 2^-24`: an entry of the scaled rotation is within 3 `u` of the squared
///   length, a product with a half extent adds 1, two sums 2, the squared length 3 and its
///   reciprocal 1: 10 `u` of the sum of the half extents. 16 `u`.
/// - Reason: only decides which bodies are looked at.
pub(crate) const TURNED_BOUNDS: f64 = 1.0 / (1_u32 << 20) as f64;

/// Squared lengths of quaternions, and sizes, below this or above its inverse are left to f64.
///
/// - Units: those of the scene, or none.
/// - Derivation: products that underflow are off by 2^-150, which beside 2^-120 is far below what
///   [`TURNED_BOUNDS`] leaves free, and none overflows.
pub(crate) const TAMEST: f32 = 1.0 / (1_u64 << 60) as f32;

/// How far a contact point whose features are new may lie from an old one to take its slot, as a
/// share of the contact's extent.
///
/// - Units: none (relative to the distance between the contact's points).
/// - Reason: a corner that lies exactly over an edge of the other box is now a corner, now a
///   crossing of two edges; a solver that lost its impulses each time would make the box rock.
/// - Derivation: corners of a contact are about an extent apart, so that 2^-5 takes none for
///   another one, and a body that slides by it within one update is far from rest.
pub(crate) const SAME_PLACE: f64 = 1.0 / 32.0;

/// How far the squared length of a contact's normal may be from 1.
///
/// - Units: none (relative to the unit length).
/// - Reason: only decides which saved worlds are read; none that the library made is refused.
/// - Derivation: a normal is rounded to f32, turned and rounded again where its contact is carried
///   along, which is 2^-22 of the squared length and a little; four times that.
pub(crate) const UNIT_NORMAL: f64 = 1.0 / (1_u32 << 20) as f64;
