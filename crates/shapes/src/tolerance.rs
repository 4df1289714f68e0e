//! Numbers that tune a tolerance, each with unit, reason and derivation.

/// Largest |cosine| of the angle between two axes that [`Obb::from_axes`](crate::Obb::from_axes)
/// still takes for perpendicular.
///
/// - Units: none (cosine). Scale-free, because the axes are normalised first.
/// - Reason: axes taken from an f32 matrix after many multiplications are off by some 1e-5;
///   0.06 degrees leaves room for those and refuses sheared frames.
pub const PERPENDICULAR_COSINE: f64 = 1.0 / 1024.0;

/// How far the squared length of a vector may be from 1 for the vector to count as normalised.
///
/// - Units: none (relative to the unit length).
/// - Derivation: a normalised vector is rounded once, each component by 2^-24 of itself, so that
///   its squared length is off by 2^-23 and a little; this is twice that.
pub const UNIT_LENGTH: f64 = 1.0 / (1_u64 << 22) as f64;

/// Relative widening of the f64 half extents of a rotated box's bounds before they are rounded
/// outward.
///
/// - Units: none (relative to the extent).
/// - Derivation: a rotation entry is a sum of four exact products (3 roundings), one sum of
///   squares (3) and a quotient (1), so it is off by less than 2^-49 of the sum of the absolute
///   products over `|q|²`, which is at most 1; the row sum adds 5 roundings of at most 2^-53
///   relative. 2^-46 of the sum of the half extents covers both with a factor of four.
pub const ROTATED_BOUNDS: f64 = 1.0 / (1_u64 << 46) as f64;

/// Error of a polynomial evaluated in f64, relative to the sum of the magnitudes of its terms.
///
/// - Units: none (relative).
/// - Derivation: a term that passes through `k` roundings is off by at most
///   `(1 + 2^-53)^k - 1` of its magnitude. A sum or difference adds one rounding to the larger
///   `k` of its operands, a product one to the sum of theirs. The longest chain of this crate,
///   the normal of a rotated cone where its parts cancel, has `k = 72`; this is `k = 128`,
///   and the rest covers the roundings of the magnitude itself.
pub const FILTER: f64 = 1.0 / (1_u64 << 46) as f64;

/// Largest relative error with which a reported distance or normal leaves f64.
///
/// - Units: none (relative).
/// - Reason: 1/16 of half an f32 ulp, so that rounding once is what remains. Where f64 cannot
///   promise it, the numbers are computed exactly before they are rounded.
pub const REPORTED: f64 = 1.0 / (1_u64 << 28) as f64;

/// Error of a coordinate in f64 in the frame of a turned shape, relative to the sum of the
/// coordinates and lengths that went into it.
///
/// - Units: none (relative).
/// - Derivation: entries of the turn times the squared length of its quaternion are sums of three
///   exact products and more (3 roundings of 2^-53), a difference of positions has 1, the product
///   with it and its sum 4, the quotient and further sums and products up to 4: 12, times √3 for
///   the length of a vector, below 2^-48. This is four times that.
pub const PLAIN: f64 = 1.0 / (1_u64 << 46) as f64;

/// Largest relative error with which a distance in plain f64 is taken for what it is.
///
/// - Units: none (relative).
/// - Reason: a quarter of [`REPORTED`], because two of them may add up.
pub const PLAIN_REPORTED: f64 = 1.0 / (1_u64 << 30) as f64;

/// By how much of the coordinates a ball around a part of a compound is larger than the part, so
/// that a ray which passes it passes the part where it is placed.
///
/// - Units: none (relative to the sum of the coordinates).
/// - Derivation: the part's place is rounded to f32, by 2^-24 of each coordinate, and so is a
///   distance; directions have unit length within 2^-22. 2^-20 covers them together.
pub(crate) const ROUNDED_PLACE: f64 = 1.0 / (1_u64 << 20) as f64;

/// Squared sine of the angle between a ray and the axis of a capsule below which plain f64 is not
/// asked where they meet.
///
/// - Units: none (squared sine).
/// - Reason: the errors of that place grow with one over it.
pub const STEEP: f64 = 1.0 / 64.0;

/// Error of a point's height above the plane of three others, relative to the sum of the
/// magnitudes of its terms.
///
/// - Units: none (relative).
/// - Derivation: as [`FILTER`] with `k = 8`: sides and arm are differences (1 rounding each), a
///   component of the normal has 4, its product with the arm 6, the sum 8. That is 2^-50; the
///   factor of two covers the roundings of the magnitudes.
pub(crate) const HULL_FILTER: f64 = 1.0 / (1_u64 << 49) as f64;

/// Largest sum of the magnitudes of a face's cross product, relative to its length, at which the
/// f64 normal is good to [`HULL_NORMAL`]; flatter corners are computed exactly.
///
/// - Units: none (relative).
/// - Derivation: a component has 4 roundings, 2^-51 of its terms, so the normal is off by at most
///   2^-47; dividing by the length adds less than 2^-50.
pub(crate) const HULL_CORNER: f64 = 16.0;

/// Error of a component of the unit normal of a hull's face.
///
/// - Units: none (of a unit vector).
/// - Derivation: 2^-47 from the cross product in f64, or less where that is worse and the product
///   is taken exactly; dividing by the length adds less than 2^-50.
pub const HULL_NORMAL: f64 = 1.0 / (1_u64 << 46) as f64;

/// Magnitude that stands for a component of a face's unit normal in a filter.
///
/// - Units: none (of a unit vector).
/// - Derivation: an error of [`HULL_NORMAL`] is what 32 roundings of this magnitude make. The
///   longest chain from there on, the comparison of two crossings of a polygon's sides, adds 60,
///   and [`FILTER`] allows 128.
pub(crate) const HULL_NORMAL_MAGNITUDE: f64 = 4.0;

/// Largest number of vertices that a support query looks through instead of climbing.
///
/// - Units: vertices.
/// - Reason: speed alone. A climb pays for its jumps through memory and looks at some six
///   neighbours for each step, while a scan runs straight through the array.
pub(crate) const HULL_SCAN: usize = 64;

/// Height in f32 by which a vertex may lie below the farthest one, relative to the product of the
/// magnitudes, and still be the farthest one.
///
/// - Units: none (relative).
/// - Derivation: the direction, three products and two sums are 4 roundings of 2^-24 for each term,
///   on either side, and the bound and its subtraction are within 2^-23: less than 2^-20 together.
pub(crate) const HULL_SCAN_ERROR: f32 = 1.0 / (1_u32 << 20) as f32;

/// Unit of the coordinates of normals that are kept in few bytes.
///
/// - Units: none (of a unit vector).
/// - Reason: those of a unit vector, rounded, are i16 numbers with room to spare.
pub(crate) const NORMAL_UNIT: f32 = 1.0 / (1_u32 << 14) as f32;

/// How many times [`HULL_SCAN_ERROR`] the heights of such normals are off besides.
///
/// - Units: none.
/// - Derivation: a coordinate is off by half a unit of 2^-14, and by a rounding of f64, on either
///   side: 2^-14 of the product of the magnitudes, which a unit vector may have in each coordinate.
///   That is 64 times 2^-20, and one more covers the rest.
pub(crate) const NORMAL_SLACK: f32 = 65.0;

/// Least such height in f32 at which products that underflow do not matter.
///
/// - Units: that of the product of a coordinate and a direction.
/// - Derivation: an underflow is off by at most 2^-150, and there are fewer than 16. Below it all
///   vertices are compared in f64, so that no answer depends on it.
pub(crate) const HULL_SCAN_LEAST: f32 = f32::MIN_POSITIVE;

/// Error of a point's height above a hull's face in plain f64, relative to the sums of the
/// magnitudes of the point's and the hull's coordinates.
///
/// - Units: none (relative).
/// - Derivation: in the hull's frame a component of the point is off by 2^-49 of the sum (see
///   [`ROTATED_BOUNDS`]) and 5 roundings, so the product with a unit normal by less than 2^-46;
///   the normal's own error of [`HULL_NORMAL`] adds 2^-46 times √3; the face's offset has the
///   same error for the hull's coordinates; a point on a ray adds two roundings. Less than 2^-44
///   altogether; this is four times as much.
pub(crate) const HULL_CLEAR: f64 = 1.0 / (1_u64 << 42) as f64;

/// Share of the distance within which GJK's upper and lower bound must agree.
///
/// - Units: none (relative to the distance).
/// - Reason: 16 bits better than f32, in which the distance is reported.
pub const GJK_GAP: f64 = 1.0 / (1_u64 << 40) as f64;

/// Share of the distance and the size by which GJK's bounds may differ where it gains nothing more
/// before it looks along the normal of its corners once more.
///
/// - Units: none (relative).
/// - Reason: what is promised of distances; corners that are 2^19 times as far as the nearest point
///   between them tell it, and so the direction to it, a thousand times less precisely.
pub const GJK_STALLED: f64 = 1.0 / (1_u64 << 40) as f64;

/// Most steps in which GJK goes on without a gain where its bounds are as far apart as
/// [`GJK_STALLED`].
///
/// - Units: steps.
/// - Reason: each brings the direction nearer to that of the plane between corners far away, of
///   which there are few; the bounds are valid whenever it stops.
pub(crate) const GJK_IDLE: usize = 8;

/// Share of the size that GJK takes for rounding.
///
/// - Units: none (relative to the largest coordinate).
/// - Derivation: about eight roundings of 2^-53 in a support point, a difference and a product.
pub const GJK_NOISE: f64 = 1.0 / (1_u64 << 50) as f64;

/// Most steps of GJK.
///
/// - Units: steps.
/// - Reason: polytopes of a few dozen corners need fewer than ten; round shapes gain about a
///   factor of two per step. The bounds are valid whenever it stops.
pub const GJK_ITERATIONS: usize = 64;

/// Error of a distance computed in a shape's frame, relative to the sum of the absolute coordinates
/// that went into it.
///
/// - Units: none (relative).
/// - Derivation: a rotation is within 2^-49 of its exact value, so that a point is placed within
///   2^-46 of that sum; a support, a difference and a length after it add less than 32 roundings of
///   2^-53. 2^-44 covers both with a factor of three.
pub const FRAME: f64 = 1.0 / (1_u64 << 44) as f64;

/// Most steps of a ray against a convex distance.
///
/// - Units: steps.
/// - Derivation: Newton's method on a convex function from its left converges quadratically, and
///   halves the gap per step where the ray only grazes; 64 halvings use up the bits of f64.
pub(crate) const RAY_ITERATIONS: usize = 64;

/// Up to which share of the sizes a margin is so thin that a ray that goes on into the core has the
/// normal there.
///
/// - Units: none (relative).
/// - Reason: the way between two points within rounding of 2^-52 of the sizes and as far apart as
///   this is a direction to 2^-16; and 2^-36 is far below what f32 tells of a place.
pub(crate) const THIN: f64 = 1.0 / (1_u64 << 36) as f64;

/// How deep a ray that seems to touch must go to be seen to enter, as a share of the sizes and the
/// path.
///
/// - Units: none (relative).
/// - Reason: 2^14 errors of a distance, so that a ray that is no flatter than 1 : 1000 is seen to
///   enter. What is not seen to enter is decided exactly.
pub(crate) const PROBE: f64 = 1.0 / (1_u64 << 30) as f64;

/// Error of a point, a distance along a ray or a height above a plane that is carried into the
/// frame of a body in f64, relative to the sum of the magnitudes of all that enters.
///
/// - Units: none (relative).
/// - Derivation: an entry of the rotation is within 2^-49, that of a product of two within 2^-48;
///   three products and their sum, a difference of positions, and a step along the ray that is
///   itself off by as much stay below 2^-46. The factor of four is room.
pub(crate) const IN_FRAME: f64 = 1.0 / (1_u64 << 44) as f64;

/// Error of a ray against the planes of a box in f32, as a displacement of the planes, relative to
/// the size of the tree that the box belongs to.
///
/// - Units: none (relative).
/// - Derivation: with the size as the unit, a plane's place is off by 2^-24, that of the ray by
///   2^-24, their difference by 2^-23 and its quotient by the direction by 2^-22 more; a direction
///   replaced by [`LEAST_SLOPE`] adds 2^-22. That is less than 2^-20.
pub(crate) const BOX_TEST: f64 = 1.0 / (1_u64 << 20) as f64;

/// Least component of a direction that a ray divides by.
///
/// - Units: none (of a unit vector).
/// - Reason: its reciprocal is finite, and replacing a smaller component by it moves the ray by
///   less than 2^-22 of a box that it passes.
pub(crate) const LEAST_SLOPE: f64 = 1.0 / (1_u64 << 24) as f64;

/// What a few f32 operations may lose by underflow.
///
/// - Units: those of the scene; smaller than 2^9 times the smallest denormal, so that it means
///   nothing beside any size that f32 can represent with full precision.
/// - Reason: relative bounds do not hold where results are denormal.
pub(crate) const UNDERFLOW: f64 = f64::from_bits((1023 - 140) << 52);

/// Factor that makes the computed length of a vector a lower bound.
///
/// - Units: none.
/// - Derivation: three differences, squares, two additions and a root have a relative error below
///   2^-50.
pub(crate) const LENGTH_DOWN: f64 = 1.0 - 1.0 / (1_u64 << 48) as f64;

/// Error in f32 of the distance of a point or a box from the boxes and triangles of a tree, relative
/// to the sum of the magnitudes of all coordinates and extents.
///
/// - Units: none (relative).
/// - Derivation: a difference from the point is within 2 · 2^-24 of the coordinates, and its product
///   with an axis, whose components are within 2^-24, and with a unit normal adds 4 roundings; the
///   reach of a box along an axis is within 4 · 2^-24 of its extents. 10 · 2^-24 for a coordinate
///   are 18 · 2^-24 for a length; 32 leave room.
/// - Reason: what it leaves open is looked at in f64, so it only decides how often.
pub(crate) const NEAR_F32: f64 = 1.0 / (1_u64 << 19) as f64;

/// Factor that makes up for the roundings of f32 in squared distances.
///
/// - Units: none.
/// - Derivation: a squared length has 3 roundings of 2^-24 in its sum, its comparison 3 more; 2^-20
///   covers them with a factor of two.
pub(crate) const NEAR_UP: f64 = 1.0 + 1.0 / (1_u64 << 20) as f64;

/// Squared length of a direction, in units of the size, below which nothing is said of what lies
/// across it.
///
/// - Units: none (relative to the size of the tree and the point).
/// - Derivation: a squared distance is at least that of [`NEAR_F32`], 2^-38, so that the product of
///   both is at least 2^-118, which f32 has with all its digits.
pub(crate) const NEAR_LEAST: f32 = 1.0 / (1_u128 << 80) as f32;

/// Least size, and inverse of the largest, for which distances are computed in f32.
///
/// - Units: those of the scene.
/// - Derivation: the factor that makes the size one is then a normal number, and no difference
///   overflows.
/// - Reason: only decides how much is looked at in f64, never an answer.
pub(crate) const NEAR_RANGE: f64 = 1.0 / (1_u128 << 100) as f64;

/// Largest number of triangles in a leaf of a mesh's tree.
///
/// - Units: triangles.
/// - Reason: speed only.
pub(crate) const LEAF_TRIANGLES: usize = 4;

/// Bins into which the centres of triangles are sorted to find a split.
///
/// - Units: bins.
/// - Reason: speed only. More than sixteen hardly improve the splits (Wald 2007).
pub(crate) const BINS: usize = 16;

/// Number of triangles above which splits are looked for along the longest axis only.
///
/// - Units: triangles.
/// - Reason: speed only.
pub(crate) const ALL_AXES: usize = 1024;

/// Number of splits, one below the other, after which ranges are halved.
///
/// - Units: splits.
/// - Reason: bounds the depth of the tree at this plus 32 for any input. A well-formed mesh of a
///   million triangles is some 25 deep.
pub(crate) const UNEVEN_SPLITS: u32 = 48;

/// Steps of a walk that are kept without an allocation.
///
/// - Units: nodes.
/// - Reason: speed only: three wait at each level of a tree, and trees have some ten levels.
pub(crate) const STACK: usize = 48;

/// How far a coordinate of a height field's sample may be from its even place, relative to the
/// extent of the field along that axis.
///
/// - Units: none (relative).
/// - Derivation: it is at most half of the extent and rounded to f32, by 2^-24 of itself; this is
///   twice that.
pub(crate) const EVEN_PLACE: f64 = 1.0 / (1_u64 << 24) as f64;

/// Component of a direction, beside its largest one, below which it is taken for zero where the
/// direction is a guess that rounding may have turned off an axis.
///
/// - Units: none (relative).
/// - Reason: speed only; along an axis nothing is rounded.
pub(crate) const NEARLY_AXIS: f64 = 1e-9;

/// Most steps of a search whose numbers do not know every sign, before it begins again with exact
/// ones.
///
/// - Units: steps.
/// - Reason: speed only; searches take about ten.
pub(crate) const KNOWN_STEPS: usize = 64;

/// Most cells along an axis past which a ray goes one by one; a ray past more of a height field asks
/// for the heights of blocks.
///
/// - Units: cells.
/// - Reason: speed only.
pub(crate) const CELLS_IN_TURN: f64 = 64.0;

/// Most leaves that are looked at one after the other instead of down a tree.
///
/// - Units: leaves.
/// - Reason: speed only.
pub(crate) const FEW_LEAVES: usize = 16;
