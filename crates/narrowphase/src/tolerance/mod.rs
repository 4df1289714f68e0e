//! Numbers that tune a tolerance, each with unit, reason and derivation.

mod search;

pub use search::*;

/// Share of the pair's size within which an f64 value of a box pair's axis may differ from the
/// exact one.
///
/// - Units: none (relative to the sum of the distance between the centres and all half extents).
/// - Derivation: an entry of the relative rotation is within 2^-48 of its exact value and the
///   translation within 2^-48 of its length, so a projection or reach, a sum of at most six
///   products of two of them, is within 6 · 2^-48 plus 8 roundings of 2^-53; 2^-44 leaves a
///   factor of two.
pub const AXIS_ERROR: f64 = 1.0 / (1_u64 << 44) as f64;

/// Squared length below which the cross product of two unit edges counts as nearly zero, so that
/// the axis is not evaluated in f64 but covered by [`PARALLEL_SLACK`].
///
/// - Units: none (squared sine).
/// - Derivation: at a sine of 2^-40 the axis has lost all but a few of its bits.
pub const PARALLEL_SQUARED: f64 = 1.0 / (1_u128 << 80) as f64;

/// Squared length below which an edge axis is made a unit vector before the boxes are projected on
/// it, instead of after.
///
/// - Units: none (squared sine).
/// - Reason: the slower way costs about one face axis more; above a sine of 2^-10 dividing by the
///   length loses no more than ten of the bits that f64 has beyond f32.
pub const SHORT_SQUARED: f64 = 1.0 / (1_u64 << 20) as f64;

/// Overlap on all six face axes, as a share of the pair's size, above which an edge axis that is
/// shorter than the root of [`PARALLEL_SQUARED`] cannot part the boxes.
///
/// - Units: none (relative).
/// - Derivation: turning B by the angle `a` between the two edges makes them parallel, keeps the
///   projections on their common perpendicular, and changes a face's overlap by at most `a` times
///   the size. In the parallel case the faces decide. `a <= 2 sin a <= 2^-39` plus the error of
///   the computed sine, doubled.
pub const PARALLEL_SLACK: f64 = 1.0 / (1_u64 << 37) as f64;

/// Cosine between the edge that holds a nearest point and the direction to it below which that
/// direction is as good as at right angles to the edge.
///
/// - Units: none.
/// - Derivation: a plane tilted by it loses 2^-44 of the edge's length, no more than
///   [`FRAME`] allows a distance.
pub(crate) const TILT: f64 = 1.0 / (1_u64 << 44) as f64;

/// How much less deep, as a share of the depth, an edge axis must be than the best face for a
/// manifold to use it.
///
/// - Units: none (relative to the depth).
/// - Reason: a face gives up to four points and an edge one; where both are as good as equal, the
///   choice must not flicker. The depth reported exceeds the least depth by at most this share.
pub const FACE_PREFERENCE: f64 = 1.0 / (1_u64 << 10) as f64;

/// Squared sine of the angle between the normal of two shapes and that of a face up to which the
/// manifold of two boxes, or of other convex shapes, is made along the face; and between two lines
/// on convex shapes up to which they run side by side.
///
/// - Units: none (squared sine).
/// - Reason: bodies that rest on each other are never quite parallel, and then an edge, or the face
///   of the other body, is often the less deep by a part of the tilt. An edge gives one point
///   instead of four, and the other face gives other features, so that a stack would fall.
/// - Derivation: 2^-8 is 3.6 degrees, more than bodies at rest rock, and less than any tilt at
///   which a single edge is what holds them.
pub const NEAR_FACE: f64 = 1.0 / (1_u64 << 8) as f64;

/// By how much the two bounds of a point's distance from a triangle may differ, as a share of the
/// size of the pair, for the distance to be taken.
///
/// - Units: none (relative to the pair's size).
/// - Derivation: with 2^-46 for the place of the point and less than 2^-48 for the roundings of the
///   bounds it leaves a factor of two up to [`FRAME`]. The bounds of a triangle whose least angle is
///   above 2^-5 agree within it.
pub(crate) const BRACKET: f64 = 1.0 / (1_u64 << 46) as f64;

/// Two values of a pair closer together than this share of its size count as tied, so that
/// rounding does not choose between symmetric features.
///
/// - Units: none (relative to the pair's size).
/// - Derivation: about 30 roundings of 2^-53.
pub const TIE: f64 = 1.0 / (1_u64 << 48) as f64;

/// By how much less than their distance, over the size of the pair, a plane may part two boxes and
/// still prove that no points of them are nearer.
///
/// - Units: none (relative to the pair's size).
/// - Derivation: the gap is a sum of fifteen products, each of which is off by less than nine
///   roundings of 2^-53 of the size and the distance, in sum by no more than 2^-49 of both. Entries
///   of B's axes are within 2^-48, so that their lengths are within 2^-47 and the angles between
///   them within 2^-46.2 of right ones. 2^-44 covers all of it four times.
pub(crate) const PARTED: f64 = 1.0 / (1_u64 << 44) as f64;

/// Cosine between the line from one of two boxes to the other and an edge up to which other points
/// along that edge may be as near.
///
/// - Units: none (cosine).
/// - Reason: far above rounding, and far below any angle between shapes in f32. Only decides who
///   computes: where several points are as near, their middle is told.
pub(crate) const LEVEL_WITH: f64 = 1.0 / (1_u64 << 30) as f64;

/// Least distance, over the size of the pair, of two boxes whose closest points are taken for what
/// they are.
///
/// - Units: none (relative to the pair's size).
/// - Derivation: coordinates are within 2^-50 of the size, the normal between the features that the
///   axis names then within 2^-30.
pub(crate) const FAR_ENOUGH: f64 = 1.0 / (1_u64 << 20) as f64;

/// Gap of a curved core, as a share of the size, below which its normal is asked whether the plane
/// across it parts the cores as far.
///
/// - Units: none (relative to the pair's size).
/// - Derivation: nearest points are off by 2^-40 of the size, so that the direction between them is
///   within 2^-20 from there on.
pub(crate) const SHORT_GAP: f64 = 1.0 / (1_u64 << 20) as f64;

/// Points of a contact patch closer together than this share of the pair's size are one point.
///
/// - Units: none (relative).
/// - Reason: far below the resolution of f32, in which the points are reported, and far above the
///   rounding of a clipped corner.
pub const SAME_POINT: f64 = 1.0 / (1_u64 << 36) as f64;

/// Radius of a rim, as a multiple of the distance at which points are one, from which on none of
/// the points shown of it are one, and none lies on a line between two others.
///
/// - Units: none (a multiple of [`SAME_POINT`]).
/// - Derivation: they are at least a sixteenth of the circle apart, that is 0.39 of the radius, and
///   the product of two such chords over the diameter, 0.07 of it, is the least that one of them is
///   off a line through two others.
pub(crate) const WIDE_RIM: f64 = 64.0;

/// How far off each other's lines the corners of two faces must be, as a multiple of the distance
/// at which points are one, for the corners of their common part to be told without looking for
/// such points.
///
/// - Units: none (a multiple of [`SAME_POINT`]).
/// - Derivation: neighbours on the border of the common part are then more than one such distance
///   apart, and each corner is off the line between its neighbours by more than one: the sines
///   involved are not below 1/√3, and a triangle's height is not below half of its shorter side
///   times the sine.
pub const CLEAR_OF_BORDERS: f64 = 8.0;

/// Error of a distance computed in A's frame, relative to the sum of the absolute coordinates
/// that went into it.
///
/// - Units: none (relative).
/// - Derivation: [`Relative`](crate::Relative) places a point within 2^-46 of that sum (rotation
///   and translation within 2^-48 each, three products and sums per coordinate), and the
///   operations of a room after it add less than 32 roundings of 2^-53. 2^-44 covers both with a
///   factor of three. It only decides how often exact arithmetic is asked, never an answer.
pub const FRAME: f64 = 1.0 / (1_u64 << 44) as f64;

/// Difference from 1 of the squared length of a stored normal up to which three terms of a series
/// give its reciprocal length.
///
/// - Units: none (squared length).
/// - Derivation: the fourth term is 5/16 of the third power, less than 2^-61; a vector that was
///   made a unit vector in f32 is within 2^-22.
pub(crate) const NEAR_UNIT: f64 = 1.0 / (1_u64 << 20) as f64;

/// Difference from 1 of the squared quotient of a length and what it is known to be about, up to
/// which a step of Newton's method gives the reciprocal length.
///
/// - Units: none (squared length).
/// - Derivation: 3/8 of its square is left, less than 2^-53; two spheres that touch are as far apart
///   as their radii within rounding of the coordinates.
pub(crate) const NEAR_REACH: f64 = 1.0 / (1_u64 << 26) as f64;

/// Difference of two squared lengths, relative to the square of a sum of lengths that is above both,
/// beyond which the lengths differ by more than rounding hides.
///
/// - Units: none (relative).
/// - Derivation: the difference of two squares is that of the lengths times their sum, which is at
///   most twice the sum of all lengths. So lengths whose squares are farther apart than 4 · 2^-44
///   differ by more than 2 · 2^-44, twice [`FRAME`]; the roundings of the squares, 8 of 2^-53, are
///   less than a hundredth of it.
pub(crate) const FRAME_SQUARES: f64 = 4.0 * FRAME;

/// Error of the difference of two squared lengths of a few f32 numbers, relative to their sum.
///
/// - Units: none (relative).
/// - Derivation: a difference (1 rounding), its square (1), and two sums (2) give 5 roundings of
///   2^-53 on one side, 3 on the other; 2^-49 covers the 8 with a factor of two.
pub const SQUARES: f64 = 1.0 / (1_u64 << 49) as f64;

/// Error of the least distance between a point and the straight path of another, relative to the
/// sum of the lengths.
///
/// - Units: none (relative).
/// - Derivation: the parameter of the nearest point is off by 7 roundings of 2^-53, which moves it
///   by as many shares of the distance; the point itself and its length add 6. 2^-48 covers the 13
///   with a factor of two.
pub const PATH: f64 = 1.0 / (1_u64 << 48) as f64;

/// Share of the error bound [`FRAME`] by which the entry into a round set is taken early.
///
/// - Units: none (relative to the error bound).
/// - Derivation: a graze turns an error `e` of the distance into `sqrt(2 r e)` along the path, so
///   the bound's safety factors are left out here: 2^-48 of the coordinates is the error of the
///   relative frame itself. No yes or no depends on it.
pub const GRAZE: f64 = 1.0 / 16.0;

/// Sine of the angle between two core segments up to which they count as parallel, where only the
/// choice among nearly equal witnesses depends on it.
///
/// - Units: none (sine).
/// - Derivation: their cross product is perpendicular to both within 2^-53 over the sine, so at
///   2^-40 a normal built from it is off by 2^-13 and a depth by 2^-27, less than one f32 ulp.
pub const PARALLEL_SINE: f64 = 1.0 / (1_u64 << 40) as f64;

/// Sine of the angle between two capsules up to which a manifold may have more than one point.
///
/// - Units: none (sine).
/// - Reason: about one degree. Over that angle two resting capsules rock if held at one point
///   only; the points themselves are measured at their own places, so none is claimed that is
///   farther than the margin.
pub const SIDE_BY_SIDE_SINE: f64 = 1.0 / 64.0;

/// Least distance reported for shapes that are known to be apart, as a share of their size.
///
/// - Units: none (relative).
/// - Reason: the exact relation may know a gap that the f64 distance has rounded away; the sign
///   must agree with it.
pub const LEAST_GAP: f64 = 1.0 / (1_u64 << 60) as f64;

/// Largest sine of the angle between a capsule and an edge of a box at which the capsule touches
/// along the edge, in two points, instead of across it, in one.
///
/// - Units: none (sine).
/// - Reason: parallel as far as f32 rotations can tell; the points then leave the surfaces by no
///   more than this share of the length.
pub const RUNS_ALONG: f64 = 1.0 / (1_u64 << 20) as f64;

/// Most steps of a sweep that advances by the distance over the speed along the normal.
///
/// - Units: steps.
/// - Derivation: Newton's method on a convex function from its left converges quadratically, and
///   halves the gap per step where the path only grazes; 64 halvings use up the bits of f64.
pub const ADVANCE_ITERATIONS: usize = 64;

/// Share of a distance's error bound by which a step of a sweep along a plane stays short of it.
///
/// - Units: none (relative to the error bound).
/// - Derivation: places in A's frame are within a quarter of [`FRAME`]. A step that is too long by
///   that over the speed goes far along a plane that the path hardly approaches, and past the end of
///   a needle.
pub(crate) const SHORT: f64 = 0.25;

/// Length of a path over how far it approaches a plane, above which its steps stay [`SHORT`] of it.
///
/// - Units: none (ratio).
/// - Derivation: a step of a less slanted path goes too far by no more than twice the error bound,
///   within which nothing is told to be clear.
pub(crate) const SLANTING: f64 = 8.0;

/// Share of the size of two boxes by which the gap across the direction between their nearest
/// points may fall short of their distance before these points count as unproven, and up to which
/// the largest gap along their axes is reported in their place; and within which the deepest point
/// of a patch is the nearest pair itself.
///
/// - Units: none (relative to the pair's size).
/// - Reason: the resolution of the f32 coordinates that the points are reported in.
pub const UNPROVEN: f64 = 1.0 / (1_u64 << 23) as f64;

/// Share of the size of two polytopes by which one distance must exceed another to be the larger one
/// whatever their errors are.
///
/// - Units: none (relative to the pair's size).
/// - Derivation: depths are off by 2^-40 of the size at most, and a distance along a given normal by
///   [`FRAME`]. It decides which pairs are asked for the deepest.
pub(crate) const SHALLOWER: f64 = 1.0 / (1_u64 << 39) as f64;

/// Tangents of the angles by which the normal of a triangle is turned for an axis along which a solid
/// whose lowest point lies beside the triangle is less deep in it.
///
/// - Units: none (tangent).
/// - Reason: by less than the solid leans, or another point of it becomes the lowest, and by enough
///   that it shows in f32. The first serves what leans by more than 0.0035 degrees, the second what
///   leans by more than 2^-20; either proves all that it tells, and what it does not tell is asked.
pub(crate) const TURNED_OUT: [f64; 2] = [1.0 / (1_u64 << 14) as f64, 1.0 / (1_u64 << 20) as f64];

/// How much farther than the first hit so far a sweep of parts looks for others, relative to its
/// fraction.
///
/// - Units: none (relative to the fraction).
/// - Reason: a fraction is rounded to f32, and may be early by a few roundings of f64; a pair of
///   parts that is put level with the first one must be looked at, so that the tie goes by part.
/// - Derivation: half an ulp of f32 each way is 2^-23; 2^-20 covers eight.
pub const SWEPT_SLACK: f64 = 1.0 / (1_u64 << 20) as f64;

/// Squared sine of the angle between a contact's normal and a triangle of a surface up to which the
/// normal counts as that of the triangle.
///
/// - Units: none (squared sine).
/// - Reason: a twentieth of a degree. A normal between faces is that of a face to within rounding;
///   nearly flat faces of a hull that was made of rounded points are no farther off than this.
pub const FLAT_ON: f64 = 1.0 / (1_u64 << 20) as f64;

/// Share of the extent of a patch within which its points count as equally deep, far from each
/// other, or far to the side, when four of them are chosen.
///
/// - Units: none (relative to the extent of the points).
/// - Reason: bodies at rest tilt by less than this, a fifth of a degree; which four of the corners
///   of a disc carry it must not change with every such tilt. The deepest point is always kept.
pub const LEVEL: f64 = 1.0 / (1_u64 << 8) as f64;

/// Share of the area of the four points that are best chosen from the deepest on which those must
/// cover in which it took the place of another one.
///
/// - Units: none (relative to that area).
/// - Reason: which four of the corners of a disc carry it changes less if only one of them does;
///   of the eight it stands for that leaves 6/7 of the area.
pub const EXCHANGED: f64 = 0.75;

/// Squared length of the sum of two unit vectors out of a face, across the sides that meet in a
/// corner, below which the corner is sharp.
///
/// - Units: none (four times the squared sine of half the angle between the sides).
/// - Derivation: what lies within [`SAME_POINT`] of the size of both sides is within that over the
///   sine of the corner, 2^-31 of the size here, which f32 does not show.
pub const SHARP: f64 = 1.0 / (1_u64 << 8) as f64;

/// Share of the extent of a patch within which the nearest points of two shapes take the place of a
/// point of the patch, instead of making one more.
///
/// - Units: none (relative to the distance from the nearest points to the farthest point).
/// - Reason: a tilted edge that is rounded is nearest beside the end of its line, by part of the
///   angle times the radius; one point there is enough, and it keeps its name.
pub const NEXT_TO: f64 = 1.0 / (1_u64 << 5) as f64;

/// How deep a path that seems to touch must go to be seen to enter, as a share of the sizes and
/// the path.
///
/// - Units: none (relative to the pair's size and path).
/// - Reason: 2^14 errors of a distance, so that a path that is no flatter than 1 : 1000 is seen
///   to enter; a thousandth of a sliver of 1 : 1,000,000, so that it is not passed unseen. What is
///   not seen to enter is decided exactly.
pub const PROBE: f64 = 1.0 / (1_u64 << 30) as f64;

/// A motion that runs steeper than one over this against the surface that it starts on certainly
/// enters it or leaves it.
///
/// - Units: none (inverse sine of the angle between the motion and the surface).
/// - Derivation: a normal longer than [`DIRECTION`] of the size, whose ends are within
///   [`AXIS_ERROR`] of it, is off by less than 2^-7.
pub const INCLINED: f64 = 64.0;

/// Share of the coordinates within which a contact point lies on an edge of a triangle.
///
/// - Units: none (relative to the largest coordinate).
/// - Reason: far above the error of a witness, and far below what a body moves in an update. It
///   only decides whether a normal is made that of the triangle.
pub const ON_EDGE: f64 = 1.0 / (1_u64 << 20) as f64;

/// Distance of two cores, as a share of their size, below which the direction between them is not
/// taken from their nearest points but from the axis of least overlap.
///
/// - Units: none (relative to the pair's size).
/// - Derivation: coordinates are within 2^-50 of the size, so at this distance the direction is
///   within 2^-14, whose square is below the resolution of f32; taking the axis instead changes
///   the distance of the rounded shapes by less than this share.
pub const DIRECTION: f64 = 1.0 / (1_u64 << 36) as f64;

/// Squared sine by which one face may be more tilted against a normal than another and still count
/// as level with it.
///
/// - Units: none (squared sine).
/// - Derivation: a normal is within 2^-46 of that of a face, so that the square is within some
///   2^-88 of zero where the normal is that of both.
pub const SAME_TILT: f64 = 1.0 / (1_u128 << 80) as f64;

/// Most steps by which the end of what two lines that run side by side have in common is looked for.
///
/// - Units: steps.
/// - Reason: each halves what is open; the resolution of f32.
pub const COMMON_ITERATIONS: usize = 24;

/// Default tolerance of a time of impact, as a share of the largest half extent of the smaller of
/// the two shapes.
///
/// - Units: none (relative).
/// - Reason: a quarter of a millimetre for a body of two metres. Where bodies approach, the number
///   of steps grows with the logarithm of its inverse only; where they slide while turning, with
///   the root of its inverse: this is some 32 steps for each radian.
pub const IMPACT: f64 = 1.0 / (1_u64 << 12) as f64;

/// Least tolerance of a time of impact, as a share of all lengths of the pair and its motion.
///
/// - Units: none (relative).
/// - Derivation: a separation along a direction is within [`FRAME`] of those lengths, 2^-44, and
///   a body that slides may sink by that much at each step. 2^-32 leaves 2^12 of these.
pub const LEAST_IMPACT: f64 = 1.0 / (1_u64 << 32) as f64;

/// Default of the most steps of a time of impact, for each pair of simple shapes.
///
/// - Units: steps.
/// - Reason: five turns of a body that slides while it turns, at the default tolerance; bodies that
///   approach need a dozen.
pub const IMPACT_ITERATIONS: u32 = 1024;

/// Most lengths that are tried for one step of a time of impact along one direction.
///
/// - Units: lengths.
/// - Reason: the secant rule roughly squares the error with each, and the step that the greatest
///   speed allows always remains.
pub const IMPACT_TRIES: usize = 8;

/// Share of the pair's size within which a value of a box pair's axis, computed in f32, may differ
/// from the exact one.
///
/// - Units: none (relative to the sum of the distance between the centres, axis by axis, and all
///   half extents).
/// - Derivation, with `u = 2^-24` and the size `M`: an entry of a rotation matrix is a quotient of
///   polynomials in the quaternion, whose numerator is within 3 `u` of the squared length and
///   whose denominator within 3 `u`; with the reciprocal and the product the entry is within 8 `u`.
///   An entry of the relative rotation is a product of two unit vectors: 2 √3 · 8 `u` and 3
///   roundings, 31 `u`. A coordinate of the centre is within 12 `u` of the distance, axis by axis.
///   A face's value is then within 36 `u M`; on an edge's axis the centre is within
///   `√2 (31 + 12) u + 4 u` of the distance and the reach within 34 `u` of the half extents, 67 `u M`
///   together. 128 `u` leaves a factor of almost two, also for the rounding of `M` itself.
/// - Reason: what it leaves open is computed again in f64, so it only decides how often.
pub const AXIS_ERROR_F32: f32 = 1.0 / (1_u32 << 17) as f32;

/// Error of the sine of the angle between two edges, computed in f32.
///
/// - Units: none (sine).
/// - Derivation: two entries within 31 `u` of their exact values (see [`AXIS_ERROR_F32`]) make
///   √2 · 31 `u` = 44 `u`; 64 `u` covers the roundings of the root.
pub const SINE_ERROR_F32: f32 = 1.0 / (1_u32 << 18) as f32;

/// Sine of the angle between two edges, computed in f32, up to which their axis may be a short one.
///
/// - Units: none (sine).
/// - Derivation: the root of [`SHORT_SQUARED`] is 2^-10, the error [`SINE_ERROR_F32`].
/// - Reason: up to here the lengths are computed again in f64, so it only decides how often.
pub const SHORT_SINE_F32: f32 = 1.0 / (1_u32 << 9) as f32;

/// Sizes and squared quaternion lengths below this, or above its inverse, are left to f64.
///
/// - Units: those of the scene, or none.
/// - Derivation: products of f32 numbers that underflow are off by 2^-150, which beside 2^-100
///   is far below the rounding of f32; and no product of numbers below 2^100 · 2^24 overflows.
/// - Reason: only decides who computes, never an answer.
pub const LEAST_F32: f32 = 1.0 / (1_u128 << 100) as f32;

/// Share by which the bound of a fraction, a quotient in f32 of two numbers with their errors, is
/// widened.
///
/// - Units: none (relative to the fraction).
/// - Derivation: two sums each in dividend and divisor, the quotient, and the rounding of the
///   fraction that is told are some 8 `u`, with `u = 2^-24`, as far as they are not within the room
///   that [`AXIS_ERROR_F32`] leaves; 16 `u` covers them twice.
/// - Reason: only decides which sweeps are left out, never an answer.
pub const FRACTION_F32: f32 = 1.0 / (1_u32 << 20) as f32;

/// Longest path, in sizes of the pair, of whose fraction f32 knows bounds.
///
/// - Units: none (relative).
/// - Derivation: a sweep tells fractions up to 2^-48 of the size and the path early; of such a path
///   that is 2^-24 of the size, less than what [`AXIS_ERROR_F32`] leaves free. Quotients of numbers
///   that are no farther apart do not underflow, either.
pub const LONGEST_WAY_F32: f32 = (1_u32 << 24) as f32;

/// Planes between a box and a sphere on its way that are tried one after the other in f32.
///
/// - Units: planes.
/// - Reason: the search begins where the box grown by the radius is met; each plane squares what
///   the bound lacks beside an edge or a corner, and what is left open is asked exactly.
pub const SWEEP_PLANES: usize = 3;

/// How steeply a mover may go into what it overlaps and still count as going along it.
///
/// - Units: none (the sine of an angle).
/// - Derivation: a way from which the part along a unit f32 normal was taken in f32 keeps some
///   roundings of it, 2^-24 of the way each; this is sixteen.
pub const GOING_ALONG: f64 = 1.0 / (1_u32 << 20) as f64;
