//! Pairs that meet in one place: their common case, straight from the two poses.
//!
//! A room's own functions answer for every pair there is, in A's frame, with the frame of the pair
//! worked out in full. Most pairs of round shapes need far less. [`Round`] is that part, written
//! once for one pair and for eight side by side; it says where its answer holds, and elsewhere the
//! room is asked.

use fearless_simd::{Simd, f64x8};
use impinge_shapes::glam::Vec3;
use impinge_shapes::{
    Capsule, Cone, Cuboid, Cylinder, HalfSpace, Pose, Shape, Sphere, Triangle, round,
};
use smallvec::smallvec;

use crate::dispatch::Pair;
use crate::real::{MOST_NUMBERS, Mask, Numbers, Placed, Real, Real3};
use crate::slot::Slot;
use crate::touch::{Going, Met};
use crate::{Closest, ContactPoint, FeatureId, Manifold, Relation, tolerance};

/// The place where two shapes meet or are nearest, in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Witness<R: Real> {
    /// Where the rest is the answer, and the sign of the distance is proven.
    pub(crate) certain: R::Mask,
    /// Where it is also the only contact point.
    pub(crate) single: R::Mask,
    pub(crate) distance: R,
    /// Unit, from A to B.
    pub(crate) normal: Real3<R>,
    pub(crate) point_a: Real3<R>,
    pub(crate) point_b: Real3<R>,
    /// The feature's number.
    pub(crate) feature: R,
}

impl<R: Real> Witness<R> {
    /// From A's point; `single`: where that is the only one.
    #[inline(always)]
    pub(crate) fn from_a(
        (certain, single): (R::Mask, R::Mask),
        distance: R,
        normal: Real3<R>,
        point_a: Real3<R>,
        feature: R,
    ) -> Self {
        let point_b = point_a + normal * distance;
        Self { certain, single, distance, normal, point_a, point_b, feature }
    }

    /// At B, a ball, which meets nothing in a second point.
    #[inline(always)]
    pub(crate) fn at_ball(
        certain: R::Mask,
        distance: R,
        normal: Real3<R>,
        (center, radius): (Real3<R>, R),
        feature: R,
    ) -> Self {
        let point_b = center - normal * radius;
        let point_a = point_b - normal * distance;
        Self { certain, single: certain, distance, normal, point_a, point_b, feature }
    }
}

/// A kind of pair; A and B in the order of its room.
pub(crate) trait Room {
    /// The first shape.
    type A: 'static;
    /// The second shape.
    type B: 'static;

    /// The two as a pair of the dispatch.
    fn pair<'a>(a: &'a Self::A, b: &'a Self::B) -> Pair<'a>;

    /// Two shapes of this kind in the room's order, and whether they changed places for it; `None`
    /// if they are of another kind.
    fn of<'a>(a: &'a Shape, b: &'a Shape) -> Option<(&'a Self::A, &'a Self::B, bool)>;

    /// Looks up numbers of eight A that are not theirs alone; where no `points` are wanted only those
    /// that yes or no and the distance need.
    #[inline(always)]
    fn look_up<S: Simd>(
        _simd: S,
        _shapes: [&Self::A; 8],
        _a: &mut Placed<f64x8<S>>,
        _b: &Placed<f64x8<S>>,
        _points: bool,
    ) {
    }

    /// The manifold of a pair that may have several points, written where it stays; `None` where
    /// the room must be asked.
    #[inline(always)]
    fn points(
        _a: (&Self::A, &Pose),
        _b: (&Self::B, &Pose),
        _flipped: bool,
        _margin: f64,
        _found: &mut impl Slot,
    ) -> Option<()> {
        None
    }

    /// First touch, in the world, of two, of which A moves or B: `None` inside for none, `None` where
    /// the room must be asked.
    #[inline(always)]
    fn first_touch(
        _a: (&Self::A, &Pose),
        _b: (&Self::B, &Pose),
        _a_moves: bool,
        _way: Going<Vec3>,
    ) -> Option<Option<Met>> {
        None
    }
}

/// Implements [`Room`] for a name of a [`Pair`], with what it answers of its own.
macro_rules! room {
    ($name:ident, $a:ident, $b:ident $(, { $($more:tt)* })?) => {
        impl crate::witness::Room for $name {
            type A = $a;
            type B = $b;

            #[inline(always)]
            fn pair<'a>(a: &'a $a, b: &'a $b) -> crate::dispatch::Pair<'a> {
                crate::dispatch::Pair::$name(a, b)
            }

            #[inline(always)]
            #[allow(unreachable_patterns, reason = "two shapes of one kind have one order")]
            fn of<'a>(
                a: &'a impinge_shapes::Shape,
                b: &'a impinge_shapes::Shape,
            ) -> Option<(&'a $a, &'a $b, bool)> {
                match (a, b) {
                    (impinge_shapes::Shape::$a(a), impinge_shapes::Shape::$b(b)) => {
                        Some((a, b, false))
                    }
                    (impinge_shapes::Shape::$b(b), impinge_shapes::Shape::$a(a)) => {
                        Some((a, b, true))
                    }
                    _ => None,
                }
            }

            $($($more)*)?
        }
    };
}
pub(crate) use room;

/// A kind of pair that mostly meets in one place.
pub(crate) trait Round: Room<A: Numbers, B: Numbers> {
    /// The pair's nearest points.
    fn witness<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Witness<R>;

    /// [`Round::witness`] of one pair, to the bit.
    #[inline(always)]
    fn witness_of_one(a: &One<'_, Self::A>, b: &One<'_, Self::B>) -> Witness<f64> {
        Self::witness(&a.placed, &b.placed)
    }

    /// The distance of one pair, where it is certain.
    #[inline(always)]
    fn distance_of_one(a: &One<'_, Self::A>, b: &One<'_, Self::B>) -> Option<f64> {
        let found = Self::witness_of_one(a, b);
        // Not by `then`, whose closure stays out of line.
        if found.certain { Some(found.distance) } else { None }
    }

    /// Whether the witness may be the only contact point: otherwise manifolds are the room's.
    const SINGLE: bool = true;

    /// Whether two blocks of pairs in one pass are faster than one, where a vector holds a number
    /// of each pair of a block: of pairs that lie side by side, and of those picked out of a mix.
    const IN_TWOS: [bool; 2] = [false, false];

    /// Whether the two overlap, where that is certain: without lengths and points, where a kind can
    /// tell it so.
    #[inline(always)]
    fn sides<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Sides<R::Mask> {
        Sides::of(&Self::witness(a, b))
    }

    /// [`Round::sides`] of one pair.
    #[inline(always)]
    fn sides_of_one(a: &One<'_, Self::A>, b: &One<'_, Self::B>) -> Sides<bool> {
        Self::sides(&a.placed, &b.placed)
    }

    /// Whether the two are certainly farther apart than `most`, by as much as rounding could hide,
    /// where that is known before the rest; `false` means nothing.
    #[inline(always)]
    fn is_beyond(_a: &Placed<f64>, _b: &Placed<f64>, _most: f64) -> bool {
        false
    }
}

/// On which side of touch pairs are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides<M> {
    /// Where the rest is the answer.
    pub(crate) certain: M,
    /// They penetrate.
    pub(crate) deep: M,
    /// They touch.
    pub(crate) touch: M,
}

impl Sides<bool> {
    /// Not by `then`, whose closure stays out of line.
    #[inline(always)]
    pub(crate) fn told(self) -> Option<Relation> {
        if !self.certain {
            return None;
        }
        Some(match (self.deep, self.touch) {
            (true, _) => Relation::Penetrating,
            (_, true) => Relation::Touching,
            _ => Relation::Apart,
        })
    }
}

impl<M: Mask> Sides<M> {
    /// Of pairs of which those that touch are not certain.
    #[inline(always)]
    pub(crate) fn new(certain: M, deep: M) -> Self {
        Self { certain, deep, touch: certain.never() }
    }

    #[inline(always)]
    pub(crate) fn of<R: Real<Mask = M>>(found: &Witness<R>) -> Self {
        Self::new(found.certain, found.distance.below(found.distance.all(0.0)))
    }

    /// Whether they overlap.
    #[inline(always)]
    pub(crate) fn overlaps(self) -> M {
        self.deep | self.touch
    }

    /// Two cores at a distance of this square that have grown by `reach` together; `size` is the sum
    /// of all lengths that went into it, each times one and the same factor.
    ///
    /// Neither a root nor the factor's quotient is waited for.
    #[inline(always)]
    pub(crate) fn by_squares<R: Real<Mask = M>>(square: R, reach: R, size: R) -> Self {
        let excess = square - reach * reach;
        let noise = (size * size) * size.all(tolerance::FRAME_SQUARES);
        Self::new(excess.abs().above(noise), excess.below(noise.all(0.0)))
    }

    /// The same where a core holds the other at a depth.
    #[inline(always)]
    pub(crate) fn or_inside<R: Real<Mask = M>>(self, depth: R, size: R) -> Self {
        let inside = depth.above((size + size) * size.all(tolerance::FRAME));
        Self { certain: self.certain | inside, deep: self.deep | inside, ..self }
    }
}

/// One placed shape, as it was given and in f64.
pub(crate) struct One<'a, T> {
    pub(crate) shape: &'a T,
    pub(crate) pose: &'a Pose,
    pub(crate) placed: Placed<f64>,
}

impl<'a, T: Numbers> One<'a, T> {
    #[inline(always)]
    pub(crate) fn new(shape: &'a T, pose: &'a Pose) -> Self {
        Self { shape, pose, placed: Placed::of(shape, pose) }
    }
}

impl Numbers for Sphere {
    const COUNT: usize = 1;
    const TURNED: bool = false;

    #[inline(always)]
    fn numbers(&self) -> [f32; MOST_NUMBERS] {
        [self.radius(), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    }
}

impl Numbers for Cuboid {
    const COUNT: usize = 3;

    #[inline(always)]
    fn numbers(&self) -> [f32; MOST_NUMBERS] {
        let h = self.half_extents();
        [h.x, h.y, h.z, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    }
}

impl Numbers for Capsule {
    const COUNT: usize = 7;

    #[inline(always)]
    fn numbers(&self) -> [f32; MOST_NUMBERS] {
        let (a, b) = (self.a(), self.b());
        [a.x, a.y, a.z, b.x, b.y, b.z, self.radius(), 0.0, 0.0]
    }
}

impl Numbers for HalfSpace {
    const COUNT: usize = 4;
    const SHARED: bool = true;

    #[inline(always)]
    fn numbers(&self) -> [f32; MOST_NUMBERS] {
        let n = self.normal();
        [n.x, n.y, n.z, self.offset(), 0.0, 0.0, 0.0, 0.0, 0.0]
    }
}

impl Numbers for Cylinder {
    const COUNT: usize = 2;

    #[inline(always)]
    fn numbers(&self) -> [f32; MOST_NUMBERS] {
        [self.half_height(), self.radius(), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    }
}

impl Numbers for Cone {
    const COUNT: usize = 2;

    #[inline(always)]
    fn numbers(&self) -> [f32; MOST_NUMBERS] {
        [self.half_height(), self.radius(), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    }
}

impl Numbers for Triangle {
    const COUNT: usize = 9;

    #[inline(always)]
    fn numbers(&self) -> [f32; MOST_NUMBERS] {
        let [a, b, c] = self.vertices();
        [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z]
    }
}

/// What one pair's witness says, rounded.
///
/// `flipped`: the caller's A is the room's B.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rounded {
    pub(crate) distance: f32,
    pub(crate) normal: Vec3,
    pub(crate) point_a: Vec3,
    pub(crate) point_b: Vec3,
}

impl Rounded {
    #[inline(always)]
    fn of([distance, nx, ny, nz, ax, ay, az, bx, by, bz]: [f32; 10]) -> Self {
        Self {
            distance,
            normal: Vec3::new(nx, ny, nz),
            point_a: Vec3::new(ax, ay, az),
            point_b: Vec3::new(bx, by, bz),
        }
    }

    #[inline(always)]
    pub(crate) fn oriented(self, flipped: bool) -> Self {
        if flipped {
            Self { normal: -self.normal, point_a: self.point_b, point_b: self.point_a, ..self }
        } else {
            self
        }
    }

    #[inline(always)]
    pub(crate) fn closest(self) -> Closest {
        Closest {
            distance: self.distance,
            normal: self.normal,
            point_a: self.point_a,
            point_b: self.point_b,
            part_a: 0,
            part_b: 0,
        }
    }

    #[inline(always)]
    pub(crate) fn manifold(self, feature: FeatureId) -> Manifold {
        let points = smallvec![self.contact(feature)];
        Manifold { normal: self.normal, points, part_a: 0, part_b: 0 }
    }

    #[inline(always)]
    fn contact(self, feature: FeatureId) -> ContactPoint {
        let Self { distance, point_a, point_b, .. } = self;
        ContactPoint { point_a, point_b, distance, feature }
    }

    /// The same, made where it stays.
    #[inline(always)]
    pub(crate) fn put_manifold(self, feature: FeatureId, found: &mut impl Slot) {
        if let Some(points) = found.make(self.normal) {
            points.push(self.contact(feature));
        }
    }
}

/// Numbers whose rounding is finite without a look at it.
const ORDINARY: f64 = f32::MAX as f64 / 2.0;

/// The one rounding of the results, of an ordinary number.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the one rounding of the results")]
pub(crate) fn narrow(number: f64) -> f32 {
    number as f32
}

#[inline(always)]
pub(crate) fn narrow_vec(v: Real3<f64>) -> Vec3 {
    Vec3::new(narrow(v.x), narrow(v.y), narrow(v.z))
}

/// A length and a point as [`round::nearest`] makes them.
#[inline(always)]
pub(crate) fn rounded_place(length: f64, point: Real3<f64>) -> (f32, Vec3) {
    if point.sum_abs() + length.abs() < ORDINARY {
        return (narrow(length), narrow_vec(point));
    }
    let [length, x, y, z] = nearest_array(&[length, point.x, point.y, point.z]);
    (length, Vec3::new(x, y, z))
}

impl Witness<f64> {
    #[inline(always)]
    pub(crate) fn rounded(&self) -> Rounded {
        let (n, a, b) = (self.normal, self.point_a, self.point_b);
        // One test for all; the normal is a unit vector.
        let sum = (a.x.abs() + b.x.abs()) + (a.y.abs() + b.y.abs()) + (a.z.abs() + b.z.abs());
        if sum + self.distance.abs() < ORDINARY {
            // One by one, because the closure of a map may stay out of line.
            return Rounded {
                distance: narrow(self.distance),
                normal: narrow_vec(n),
                point_a: narrow_vec(a),
                point_b: narrow_vec(b),
            };
        }
        let all = [self.distance, n.x, n.y, n.z, a.x, a.y, a.z, b.x, b.y, b.z];
        Rounded::of(nearest_array(&all))
    }
}

/// A distance alone, rounded.
#[inline(always)]
fn rounded_distance(distance: f64) -> f32 {
    if distance.abs() < ORDINARY {
        return narrow(distance);
    }
    let [distance] = nearest_array(&[distance]);
    distance
}

/// [`round::nearest_array`], out of the way.
#[cold]
#[inline(never)]
fn nearest_array<const N: usize>(numbers: &[f64; N]) -> [f32; N] {
    round::nearest_array(*numbers)
}

/// Number of a feature from its place in a lane.
#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "features are small whole numbers"
)]
pub(crate) fn feature_id(number: f64) -> FeatureId {
    FeatureId(number as u32)
}

/// Closest points of the common case, `None` inside for farther apart than `most`; `None` where the
/// room must be asked.
#[inline(always)]
pub(crate) fn closest<K: Round>(
    a: &K::A,
    pose_a: &Pose,
    b: &K::B,
    pose_b: &Pose,
    flipped: bool,
    most: f32,
) -> Option<Option<Closest>> {
    let (a, b) = (One::new(a, pose_a), One::new(b, pose_b));
    // A little farther than the limit, because what lies nearer may round to it.
    let limit = f64::from(most);
    let limit = limit + (limit.abs() * f64::from(f32::EPSILON) + LEAST);
    // What lies beyond the largest number rounds to it.
    let limit = if most < f32::MAX { limit } else { f64::INFINITY };
    if K::is_beyond(&a.placed, &b.placed, limit) {
        return Some(None);
    }
    let found = K::witness_of_one(&a, &b);
    if !found.certain {
        return None;
    }
    // Before the points, which those out of reach need not have; not by `then`, whose closure stays
    // out of line.
    Some(if rounded_distance(found.distance) <= most {
        Some(found.rounded().oriented(flipped).closest())
    } else {
        None
    })
}

/// The smallest f32 above zero.
const LEAST: f64 = f32::from_bits(1) as f64;

/// How two shapes of the common case lie to each other; `None` where the room must be asked.
#[inline(always)]
pub(crate) fn relation<K: Round>(
    a: &K::A,
    pose_a: &Pose,
    b: &K::B,
    pose_b: &Pose,
) -> Option<Relation> {
    K::sides_of_one(&One::new(a, pose_a), &One::new(b, pose_b)).told()
}

/// Zero or the distance of two shapes of the common case; `None` where the room must be asked.
#[inline(always)]
pub(crate) fn distance<K: Round>(a: &K::A, pose_a: &Pose, b: &K::B, pose_b: &Pose) -> Option<f32> {
    let distance = K::distance_of_one(&One::new(a, pose_a), &One::new(b, pose_b))?;
    Some(rounded_distance(distance).max(0.0))
}

/// Manifold of the common case, `None` inside for none; `None` where the room must be asked.
#[inline(always)]
pub(crate) fn manifold<K: Round>(
    a: &K::A,
    pose_a: &Pose,
    b: &K::B,
    pose_b: &Pose,
    flipped: bool,
    margin: f64,
) -> Option<Option<Manifold>> {
    if !K::SINGLE {
        let mut found = None;
        K::points((a, pose_a), (b, pose_b), flipped, margin, &mut found)?;
        return Some(found);
    }
    let (a, b) = (One::new(a, pose_a), One::new(b, pose_b));
    if K::is_beyond(&a.placed, &b.placed, margin) {
        return Some(None);
    }
    let found = K::witness_of_one(&a, &b);
    if !found.certain {
        return None;
    }
    if found.distance > margin {
        return Some(None);
    }
    found.single.then(|| {
        let rounded = found.rounded().oriented(flipped);
        Some(rounded.manifold(feature_id(found.feature)))
    })
}
