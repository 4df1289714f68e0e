//! Those of searches by support points and axes: for nearest points, ways out and first touches.

use super::FRAME;

/// Squared sine of the angle between two edges below which the axis across them, or across the
/// triangle between them, proves no depth. That across edges may still be seen not to be the best, by
/// [`SLANTED_MISS`].
///
/// - Units: none (squared sine).
/// - Derivation: edges within 2^-47 of their direction then give an axis within 2^-41 of what it
///   stands for.
pub const SLANTED: f64 = 1.0 / (1_u64 << 12) as f64;

/// Squared sine of the angle between two edges below which the axis across them is not looked along.
///
/// - Units: none (squared sine).
/// - Derivation: such an axis would be off by more than 2^-15, and so tell next to nothing.
pub const LEAST_SLANTED: f64 = 1.0 / (1_u64 << 63) as f64 * 0.5;

/// Share of the size, over the sine of the angle between two edges, by which the axis across them must
/// fall behind the best one.
///
/// - Units: none (relative to the pair's size).
/// - Derivation: edges within 2^-47 of their direction give an axis that is off by 2^-47 over that
///   sine, and misses no more than that of the size; as much again for all roundings.
pub const SLANTED_MISS: f64 = 1.0 / (1_u64 << 46) as f64;

/// Share of the size by which two cores may be farther apart, or overlap less, than the best of the
/// axes across their faces and edges tells.
///
/// - Units: none (relative to the pair's size).
/// - Derivation: an axis that is tilted by 2^-41, as [`SLANTED`] allows, misses no more than that of
///   the size; as much again for the error of the distance along it.
pub const TILTED: f64 = 1.0 / (1_u64 << 40) as f64;

/// Squared sine of the angle between two axes up to which they count as one.
///
/// - Units: none (squared sine).
/// - Reason: as normals in f32 they hardly differ, so that either may stand for both.
pub const SAME_AXIS: f64 = 1.0 / (1_u64 << 48) as f64;

/// Share of the size within which the bounds of a depth must agree.
///
/// - Units: none (relative to the pair's size).
/// - Reason: faces of polytopes agree but for rounding; curved cores gain about two bits per
///   point, and reach the 2^-20 that is promised for them well before the limit of points.
pub const DEPTH_GAP: f64 = 1.0 / (1_u64 << 42) as f64;

/// Share of the product of two sides of a triangle and the distance of their corner from the origin
/// which the volume between the triangle and the origin must exceed to have a certain sign.
///
/// - Units: none (relative).
/// - Derivation: a component of a side is within 2^-53 of itself, those of the cross product
///   within 2^-51 of the product of the sides, and the product with the corner adds 3 roundings of
///   its terms: less than 2^-49 altogether. Factor of two.
pub const VOLUME: f64 = 1.0 / (1_u64 << 48) as f64;

/// Most points by which the polytope inside of a Minkowski difference grows.
///
/// - Units: points.
/// - Reason: the bounds are valid whenever it stops; polytopes of some hundred corners need some
///   dozen, most round cores less than ten. No number of points tells the shortest of a ring of ways
///   out of nearly one length, as of a pebble in the middle of a cone, so that such rings are looked
///   around; with that no depth of 364,499, drawn to be awkward, was larger by 2^-20 than with 1,024
///   points, and with 48 five were (`docs/decisions/030-ways-out-around-an-axis.md`).
pub const DEPTH_ITERATIONS: usize = 128;

/// Places around the side of a core from which the shortest way out across it is looked for.
///
/// - Units: places.
/// - Reason: what leaves goes up and down as often as it has corners around; one that is passed over
///   between two places is better by at most a twentieth of the size of what leaves.
pub const RING_LOOKS: usize = 128;

/// Steps by which each of them is improved.
///
/// - Units: steps, each of which leaves 0.62 of an angle.
/// - Reason: from a tenth of the unit angle to 2^-28 of it, so that the height is within rounding at
///   a smooth place, and within 2^-28 of the size of what leaves at a corner.
pub const RING_STEPS: usize = 36;

/// Most steps by which a way out of curved cores is improved.
///
/// - Units: steps.
/// - Reason: each is no deeper than the one before; from a face or the nearest axis a few settle it
///   to the resolution of f32.
pub const LEAVING_ITERATIONS: usize = 24;

/// Least distance by which a core is moved out of a curved one, beyond leaving it, to look for a
/// better way out, as a share of the size of the pair.
///
/// - Units: none (relative).
/// - Reason: the direction back is then within 2^-36 for the noise of the search, 2^-50 of the
///   size; and of the angle by which a way out is wrong remains only this over the radius there.
pub const LEAVING_LEAST: f64 = 1.0 / (1_u64 << 14) as f64;

/// How far, as a share of the size of the pair, the witnesses of curved cores that overlap may be
/// from lying across each other before the better one of the two is looked for.
///
/// - Units: none (relative).
/// - Reason: a last place of f32, below which neither is seen to be off its core.
pub const ASIDE: f64 = 1.0 / (1_u64 << 24) as f64;

/// Sine of the angle between a motion and a surface up to which what touches the surface at the
/// start counts as sliding over its other triangles, and a ray at a difference as grazing it.
///
/// - Units: none (sine).
/// - Derivation: where a round body only grazes, it counts as touching from the place on where it
///   is within 2^-44 of the sizes, so that its normal is off by 2^-21.5 times the root of the sizes
///   over the radius: 2^-16 covers a path of two thousand radii. What goes into the triangle that
///   it touches is a hit however shallow, because that one is decided exactly.
pub const ALONG: f64 = 1.0 / (1_u64 << 16) as f64;

/// Least size, and inverse of the largest, of two hulls that are looked at in f32 first.
///
/// - Units: those of the scene.
/// - Derivation: the unit and its inverse are then normal f32 numbers.
/// - Reason: only decides who computes, never an answer.
pub const GLANCE_LEAST: f64 = 1.0 / (1_u128 << 100) as f64;

/// Error of the height of a point of the Minkowski difference of two hulls in f32, over the sum of
/// the magnitudes of the direction's components, in the unit in which the size of the pair, the sum
/// of the coordinates of both and of the distance between, is between a half and one.
///
/// - Units: none (relative).
/// - Derivation, with `u = 2^-24`: a coordinate of A is exact, one of B in A's frame is off by 5 `u`
///   of the sum of its terms (entry, product, three sums). A height adds 3 `u` of the sum of its
///   terms, so that both heights are off by 8 `u`, because the coordinates of the two share the
///   unit; their sum adds 1 `u`. A margin, no larger than the unit, times the direction's length adds
///   4 `u`, its sum 2 `u`. A product that underflows is off by 2^-150, which beside
///   [`GLANCE_DIRECTION`] is nothing. 16 `u` covers these 15 `u`.
pub const GLANCE_HEIGHT: f32 = 1.0 / (1_u32 << 20) as f32;

/// Square of the share of two sides of a face which the volume between the face and the origin must
/// exceed for the origin to be certainly behind the face and farther from it than the corners are
/// off, in the unit of [`GLANCE_HEIGHT`].
///
/// - Units: none (relative).
/// - Derivation: a coordinate of a corner is off by 6 `u`, the corner by less than 11 `u`, and so
///   may be the face. A side is rounded once, its product with the other by 8 `u` of both lengths,
///   and the product with a corner, which is no longer than one, adds 3 `u`. The height is the
///   volume over the area, which is no more than the product of the sides: 22 `u` of it, and 64 `u`
///   leave room for the roundings of the squares.
pub const GLANCE_VOLUME: f32 = 1.0 / (1_u64 << 36) as f32;

/// Length of a direction below which nothing is looked for along it, in the unit of
/// [`GLANCE_HEIGHT`].
///
/// - Units: none (relative).
/// - Reason: far above what underflows, far below what points of any two hulls have between them.
pub const GLANCE_DIRECTION: f32 = 1.0 / (1_u64 << 60) as f32;

/// Most directions that are looked along in f32 once there is a portal.
///
/// - Units: directions.
/// - Reason: hulls of 64 vertices need six in the mean; what needs more is left to f64.
pub const GLANCE_STEPS: usize = 24;

/// How far in f32 a point is beyond a face of the polytope in the difference of two hulls that it
/// sees, in the unit of [`GLANCE_HEIGHT`].
///
/// - Units: none (relative).
/// - Reason: some roundings, so that points level with a face do not see it by chance. The face that
///   is found is proved in f64.
pub const GLANCE_LEVEL: f32 = 1.0 / (1_u32 << 22) as f32;

/// Up to how much farther in f32 than the nearest face of the difference of two hulls another one
/// may be as near, in the unit of [`GLANCE_HEIGHT`].
///
/// - Units: none (relative).
/// - Derivation: no corner of a face is lower along any direction than the height says, but for 3 `u`
///   of its product and 11 `u` of its coordinates; the height of the nearest is off by as much. 64
///   `u` covers both twice.
pub const GLANCE_TIE: f32 = 1.0 / (1_u32 << 18) as f32;

/// Most support points that are looked at to find where a ray enters, and to come near it before;
/// and of a walk towards the origin of a difference.
///
/// - Units: support points.
/// - Reason: hulls of a dozen corners need about eight; what is open after these is left to the
///   search for the nearest points.
pub const CAST_STEPS: usize = 48;

/// Most steps towards the nearest points of two cores whose simplices are exact.
///
/// - Units: steps.
/// - Reason: they are asked where other searches have left a gap open; with this many all but two
///   distances of 756,000 awkward pairs that are apart are within 2^-40 of the size.
pub const EXACT_STEPS: usize = 128;

/// How many errors of a place a path must keep from the borders of a portal, from its plane to the
/// middle of the difference, and from there to its own end, to certainly enter through it.
///
/// - Units: none (a multiple of [`FRAME`] of the sizes and the path).
/// - Derivation: three corners and the path are each within one error; factor of one and a third.
pub const THROUGH: f64 = 4.0;

/// Rounding of twice the area between a ray and a side of a portal, and of the areas in the height
/// where the ray passes it.
///
/// - Units: none (relative to the largest squared distance of a corner from the ray).
/// - Derivation: two products and their difference are within 2^-52 of it; the height is off by three
///   of them, over their sum, times how much the corners differ in height: 2^-50 covers both.
pub const PORTAL_AREA: f64 = 1.0 / (1_u64 << 50) as f64;

/// How many errors of a place a point must keep from the border of a face to certainly lie on it.
///
/// - Units: none (a multiple of [`FRAME`] of the sizes and the path, times the lengths that a product
///   across an edge is made of).
/// - Derivation: the ends of the edge, the point and the path are each within √3 errors, which is
///   seven of them together; what rounding adds to a product is a 2^-8 of one.
pub const FOOTING: f64 = 8.0;

/// Most steps of Newton's method between smooth parts of a surface.
///
/// - Units: steps.
/// - Reason: from where the parts are known it squares what is open; from elsewhere it is tried
///   again once more is known.
pub const FIT_STEPS: usize = 12;

/// Squared step in the slope of a plane, relative to its length, after which Newton's method has
/// nothing to add.
///
/// - Units: none (squared slope).
/// - Derivation: what is open after a step of 2^-25 is of the order of its square, 2^-50.
pub const FITTED: f64 = 1.0 / (1_u64 << 50) as f64;

/// Cosine between a plane's normal and the axis of a round core from which on the plane may be that
/// of the core's flat end.
///
/// - Units: none (cosine).
/// - Reason: Newton's method finds what is less upright; only decides who computes.
pub const CAP: f64 = 0.875;

/// Most faces of a hull that are looked through for the one that another core faces.
///
/// - Units: faces.
/// - Reason: speed alone. So many are looked through in the time of a support point or two.
pub const SIDES: usize = 16;

/// How many times as large as another core a hull has to be for its faces to be looked through.
///
/// - Units: none (a sum of lengths over another one).
/// - Reason: speed alone. Hulls that are no larger mostly meet at edges and corners, and to look
///   through their faces would take longer than it saves (`docs/tried.md`).
pub const GROUND: f64 = 2.0;

/// Twice the area of a triangle, as a share of the squares of two of its sides, beyond which its
/// normal is known as well as its corners.
///
/// - Units: none (area over area).
/// - Derivation: the cross product of these sides is off by some 2^-51 of the product of their
///   lengths, so that across the triangle the plane is off by some 2^-45 of these, half of
///   [`FRAME`].
pub const WIDE: f64 = 1.0 / (1_u64 << 6) as f64;

/// Squared sine of the angle between the axes of two round cores up to which their flat ends lie on
/// each other.
///
/// - Units: none (squared sine).
/// - Derivation: [`FRAME`], squared: the ends are then as level as places are known.
pub const LEVEL_CAPS: f64 = FRAME * FRAME;

/// Square of the share of the step before it that a step of Newton's method must not exceed.
///
/// - Units: none (relative, squared).
/// - Reason: what does not come nearer soon is not near enough to begin; it only decides who
///   computes.
pub const FIT_SHORTER: f64 = 0.25;

/// A normal's share along the plane of a circle down to which its place on the circle is told.
///
/// - Units: none (relative).
/// - Derivation: unit vectors are within 2^-50, so that the direction of such a share is within
///   2^-30, and what a circle gains by it within that of its radius.
pub const AROUND: f64 = 1.0 / (1_u64 << 20) as f64;

/// Every how many points of a growing polytope a way out through smooth parts is looked for.
///
/// - Units: points.
/// - Reason: a look after every point or every fourth one took longer in sum (`docs/tried.md`).
pub const FIT_EVERY: usize = 2;

/// Points of a growing polytope after which it is looked for every [`FIT_SELDOM`] points.
///
/// - Units: points.
/// - Reason: what has not been found by then is mostly a ring of ways out without a shortest one.
pub const FIT_OFTEN: usize = 32;

/// Every how many points such a way out is looked for after [`FIT_OFTEN`] of them.
///
/// - Units: points.
/// - Reason: as there; it only decides who computes.
pub const FIT_SELDOM: usize = 8;

/// Share of the size by which a way out through smooth parts of round cores, than which none near
/// it is shorter, may exceed what is proven of the depth.
///
/// - Units: none (relative to the pair's size).
/// - Reason: only ways out elsewhere can be shorter, and by no more than this; with 2^-13 one was
///   taken that was 2^-16 too long (`docs/tried.md`). Half of what is promised, because the size is
///   not the same in both orders of the cores.
pub const ROUND_DEPTH_GAP: f64 = 1.0 / (1_u64 << 21) as f64;

/// Squared angle from a way out through smooth parts within which no other one is looked for.
///
/// - Units: none (squared angle).
/// - Reason: a look from so near finds the same one; it only decides who computes.
pub const FIT_BESIDE: f64 = 1.0 / 16.0;

/// Share of the size between the bounds of a depth from which on a way out through smooth parts is
/// looked for.
///
/// - Units: none (relative to the pair's size).
/// - Reason: before, the faces tell little of the parts that it leads through; it only decides who
///   computes.
pub const FIT_WITHIN: f64 = 1.0 / 64.0;

/// Most places of a segment that are looked at for the one nearest to a cylinder or a cone.
///
/// - Units: places.
/// - Reason: Newton's method takes three to six, and some more where the nearest point passes from
///   one part of the surface to another; what takes longer is searched by simplexes.
pub const ROD_STEPS: usize = 16;

/// Step along a segment after which Newton's method looks at one more place and ends.
///
/// - Units: none (relative to the segment's length).
/// - Derivation: what is open after it is of the order of its square, 2^-40 of the length, and what
///   that adds to the distance of the order of the square of this.
pub const ROD_FITTED: f64 = 1.0 / (1_u64 << 20) as f64;

/// How much lower in f32 than the farthest along the normal of a face, in the unit of
/// [`GLANCE_HEIGHT`], a vertex is that is not the farthest along the same normal in f64 either.
///
/// - Units: none (relative).
/// - Reason: what lies within is looked at one by one; hulls of some dozen vertices have no others
///   there but those of the face.
pub const GLANCE_BESIDE: f32 = 1.0 / (1_u32 << 12) as f32;

/// How far the two normals may be from each other, as the sum of what their coordinates differ by.
///
/// - Units: none (of a unit vector).
/// - Derivation: no coordinate of a vertex exceeds one, so that a height along the one is off from
///   that along the other by no more than this, and by 8 `u` in f32 ([`GLANCE_HEIGHT`]): less than
///   half of [`GLANCE_BESIDE`].
pub const GLANCE_TURN: f64 = 1.0 / (1_u32 << 14) as f64;

/// Most corners of a polytope that are looked at for those nearest to a cylinder or a cone.
///
/// - Units: corners.
/// - Reason: most need two to four; what takes more is searched by simplexes.
pub const CORNER_STEPS: usize = 8;

/// How many times the nearest points of two round cores to each other's are looked for, before the
/// parts that they are on are taken for those of the nearest points.
///
/// - Units: times, each a point of both.
/// - Reason: it only decides who computes.
pub const ALTERNATIONS: usize = 2;

/// Most parts of two round cores on which their nearest points are looked for.
///
/// - Units: parts.
/// - Reason: it only decides who computes.
pub const TURNED_STEPS: usize = 4;

/// Most places of a rim that are looked at for the one nearest to a cylinder or a cone.
///
/// - Units: places.
/// - Reason: as [`ROD_STEPS`].
pub const RIM_STEPS: usize = 16;

/// How far apart two cores of which one turns may be for them to be near, as a share of the size.
///
/// - Units: none (relative).
/// - Reason: it only decides who computes first.
pub const TURNED_NEAR: f64 = 1.0 / 16.0;
