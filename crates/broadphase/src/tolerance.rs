//! Numbers that tune a tolerance or a choice, each with unit, reason and derivation.
//!
//! None of them changes an answer: the first two widen conservative tests, the others choose
//! between ways that give the same list.

/// Relative widening of both ends of a slab interval in f32.
///
/// - Units: none (relative to the interval's end).
/// - Derivation: an end is `(plane - start) * ((1 / component) * (1 ± SLAB))` with exact inputs: one
///   rounding for the difference, one for the reciprocal, one for its widening, one for the product,
///   each 2^-24 relative, and no cancellation after the first, so that signs are exact. 8 · 2^-24
///   covers their sum and the second-order terms.
/// - Source: Ize, *Robust BVH Ray Traversal*, JCGT 2 (2013), who widens the far end only; here the
///   near end is reported as a lower bound, so that it is widened, too.
pub(crate) const SLAB: f32 = 8.0 / 16_777_216.0;

/// Absolute widening of the far end: four steps of the smallest f32.
///
/// - Reason: below the smallest normal number the relative bound above does not hold; each of the
///   three roundings is off by at most half a step there.
pub(crate) const SLAB_UNDERFLOW: f32 = f32::from_bits(4);

/// Components of a displacement below this count as standing still (after the start was widened
/// by the whole movement along that axis).
///
/// - Reason: reciprocals of numbers from here to [`FASTEST`] are normal numbers.
pub(crate) const SLOWEST: f32 = 1.0 / (1_u128 << 120) as f32;

/// Movers with a coordinate above this are not pruned by slabs, only by their bounds.
///
/// - Derivation: half of the last place of `f32::MAX` is 2^103, so that the difference to no finite
///   coordinate overflows.
pub(crate) const FARTHEST: f32 = (1_u128 << 102) as f32;

/// Displacements with a component above this are not pruned by slabs, only by their bounds.
pub(crate) const FASTEST: f32 = (1_u128 << 120) as f32;

/// Least sum of squared gaps that a distance between boxes is taken from.
///
/// - Units: those of the scene, squared.
/// - Derivation: a square that underflows is off by 2^-150, far below [`DISTANCE`] of this.
pub(crate) const LEAST_SQUARE: f32 = 1.0 / (1_u128 << 100) as f32;

/// Relative narrowing of a distance between boxes in f32.
///
/// - Derivation: difference (1 rounding), square (2 · 1 + 1), sum of three (2), root (half of
///   these, + 1): below 5 · 2^-24; 8 · 2^-24 is used.
pub(crate) const DISTANCE: f32 = 8.0 / 16_777_216.0;

/// Relative error bound of `n · x - d` in f32, by the sum of the absolute terms.
///
/// - Derivation: product, two sums, difference: 4 roundings of 2^-24; 8 is used.
pub(crate) const PLANE: f32 = 8.0 / 16_777_216.0;

/// The same in f64: products of f32 are exact there, three sums of 2^-53 remain; 8 is used.
pub(crate) const PLANE_F64: f64 = 8.0 / (1_u64 << 53) as f64;

/// Updates that a fat box is made for at most, at the motion of the last one, where most boxes move.
///
/// - Reason: more of them make the search rarer and the near pairs more; twelve are near the least
///   time in all scenes (`docs/tried.md`) where the boxes' size allows as many.
pub(crate) const AHEAD: f32 = 12.0;

/// Searches sooner than this after the one before do not count where the room is adapted: they are
/// of boxes that jump, or that begin to move.
pub(crate) const AHEAD_LEAST: f32 = 4.0;

/// By how much room grows, up to [`AHEAD`], where it lasted: so slowly, because room that is too
/// large for some boxes costs a search of these beside one of all.
pub(crate) const AHEAD_MORE: f32 = 1.0 / 16.0;

/// Share of boxes that left their room, as a fraction `1 / LEFT_SHARE`, up to which it lasts.
pub(crate) const LEFT_SHARE: usize = 256;

/// The same where few boxes move, whose near pairs are few in any case (`docs/tried.md`).
pub(crate) const AHEAD_FEW: f32 = 24.0;

/// What a fat box has on every side beside that, in steps of its fastest face: room for rounding
/// and for turning.
pub(crate) const SWERVE: f32 = 0.25;

/// The same two for a box that left its fat box before [`EARLY`] motions: it turned, and may turn
/// again, so that it gets room on all sides.
pub(crate) const AHEAD_TURNED: f32 = 2.0;
pub(crate) const SWERVE_TURNED: f32 = 2.0;
pub(crate) const EARLY: u32 = 4;

/// Least that a moving box's fat box is larger on every side, in the scene's typical edges.
///
/// - Reason: bodies at rest tremble under a solver by much less; three parts in a hundred of the
///   size add about a tenth to the near pairs. Of a giant's own size it would be too much.
pub(crate) const ROOM: f32 = 1.0 / 64.0;

/// Most that a fat box is larger on one side, in edges: the box's longest or the scene's typical
/// one. A box that moves farther than this in one update has no fat.
///
/// - Reason: where small boxes or fast ones move, it is this that ends their room; a half takes 1.1 to
///   1.2 times as long where few move, and a whole is no better (`docs/tried.md`).
pub(crate) const REACH: f32 = 0.75;

/// Share of boxes that were set, as a fraction `1 / FULL_SHARE`, from which the pairs are made anew
/// rather than patched.
pub(crate) const FULL_SHARE: usize = 4;

/// Share of boxes that left their fat boxes, as a fraction `1 / SEARCH_SHARE`, from which the near
/// pairs are searched from scratch rather than for each of them.
pub(crate) const SEARCH_SHARE: usize = 8;

/// Share of boxes, as a fraction `1 / YOUNG_SHARE`, that the young forest may hold before both
/// forests are built anew as one.
pub(crate) const YOUNG_SHARE: usize = 8;

/// Growth of the blocks' surfaces, on average since they were built, from which a forest is built
/// anew.
///
/// - Reason: rays take as much longer, and may take 1.3 times as long; where all boxes move, the
///   better index pays for its making (decision 028).
pub(crate) const WORN: f32 = 1.25;

/// Growth of the edges of one block that counts at most in that average, so that one runaway box
/// does not decide.
pub(crate) const WORN_MOST: f32 = 4.0;

/// Boxes written since the growth was last measured, as a fraction `1 / WORN_SHARE` of the blocks,
/// from which it is measured again, by a pass over the bounds of all blocks.
pub(crate) const WORN_SHARE: usize = 4;

/// Queries of a batch that take turns in the index.
///
/// - Reason: what they meet fills rounds of lanes; their stacks take some 80 KiB, of which little is
///   in use at a time. Half as many take 1.01 to 1.05 times as long, in rays as in sweeps.
pub(crate) const FLIGHTS: usize = 64;

/// How many of them are to have come to a box before these are told.
///
/// - Reason: with half or seven eighths of them rays take 0.99 to 1.03 times as long: fewer fill
///   fewer lanes, more leave fewer under way whose steps overlap.
pub(crate) const LANDED: usize = FLIGHTS / 4 * 3;

/// Blocks met by the queries of a packet from which on they go one by one: a quarter of a thousand
/// for each, in half a MiB.
///
/// - Reason: such queries are many times as long as what they have in common.
pub(crate) const TOUCHED_MOST: usize = 1 << 14;

/// Boxes from which on the visitor of many overlaps is told of them.
///
/// - Reason: enough to fill the lanes of the narrow phase many times, and few enough for the bodies
///   to stay in the nearest cache until they are tested.
pub(crate) const TOLD: usize = 256;

/// Queries between two changes, as a fraction `1 / TIGHT_SHARE` of the boxes, from which the index
/// is copied without room.
///
/// - Reason: from there on rays that come with every update pay for the copy (decision 028).
pub(crate) const TIGHT_SHARE: usize = 16;

/// Share of boxes with room, as a fraction `1 / ROOMY_SHARE`, from which it is.
pub(crate) const ROOMY_SHARE: usize = 4;
