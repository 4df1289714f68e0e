//! What the queries answer.
//!
//! Public results are f32 in the world. The rooms answer in f64 in A's frame ([`Separation`],
//! [`Patch`], [`Impact`]); `queries` turns these into the public ones and rounds once.

use impinge_shapes::glam::{DMat3, DVec3, Vec3};
use impinge_shapes::round;
use smallvec::SmallVec;

use crate::slot::Slot;

/// How two closed sets lie to each other; exact where the pair's room says so.
///
/// ```
/// use impinge_narrowphase::{Relation, relation};
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let ball = Shape::sphere(1.0)?;
/// let ask = |x: f32| {
///     let there = Pose::from_position(Vec3::X * x).ok()?;
///     Some(relation(&ball, &Pose::IDENTITY, &ball, &there))
/// };
/// assert_eq!(ask(2.0), Some(Relation::Touching)); // exactly
/// assert_eq!(ask(2.0_f32.next_up()), Some(Relation::Apart));
/// assert_eq!(ask(2.0_f32.next_down()), Some(Relation::Penetrating));
/// assert!(Relation::Touching.overlaps());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Relation {
    /// No common point.
    Apart,
    /// Common points, but some arbitrarily small move parts them.
    Touching,
    /// Overlapping by more than touch.
    Penetrating,
}

impl Relation {
    /// Whether the closed sets have a common point: touching counts.
    #[must_use]
    #[inline]
    pub fn overlaps(self) -> bool {
        self != Self::Apart
    }
}

/// Signed distance of two shapes with its witnesses, in A's frame in f64.
///
/// ```
/// use impinge_narrowphase::{Relative, pairs::sphere_sphere};
/// use impinge_shapes::{Pose, Sphere, glam::{DVec3, Vec3}};
///
/// let ball = Sphere::new(1.0)?;
/// let b_in_a = Relative::from_b_in_a(&Pose::from_position(Vec3::X * 3.0)?);
/// let found = sphere_sphere::closest(&ball, &ball, &b_in_a);
/// assert_eq!((found.distance, found.normal), (1.0, DVec3::X));
/// assert_eq!(found.flipped().normal, DVec3::NEG_X);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Positive apart, zero touching, negative by the depth of overlap; `-inf` where no finite
    /// move parts the two (half-spaces).
    pub distance: f64,
    /// Unit, from A to B. Moving B by `-distance * normal` leaves the two just touching.
    pub normal: DVec3,
    /// Point of A nearest to B, or deepest inside B.
    pub point_a: DVec3,
    /// Point of B nearest to A, or deepest inside A; `point_a + distance * normal`.
    pub point_b: DVec3,
}

impl Separation {
    /// The same answer with A and B exchanged, still in A's frame.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self {
            distance: self.distance,
            normal: -self.normal,
            point_a: self.point_b,
            point_b: self.point_a,
        }
    }
}

/// Names the two features that made a contact point; stable from update to update while the same
/// features touch.
///
/// The number has no meaning beyond equality and order.
///
/// ```
/// use impinge_narrowphase::manifold;
/// use impinge_shapes::{Pose, Shape, glam::{Vec3, vec3}};
///
/// let cube = Shape::cuboid(Vec3::ONE)?;
/// let features = |x: f32, y: f32| {
///     let upper = Pose::from_position(vec3(x, y, 0.0)).unwrap();
///     let found = manifold(&cube, &Pose::IDENTITY, &cube, &upper, 0.0).unwrap();
///     found.points.iter().map(|point| point.feature).collect::<Vec<_>>()
/// };
/// assert_eq!(features(0.25, 1.75), features(0.375, 1.5)); // the same corners and edges still
/// assert_ne!(features(0.25, 1.75), features(1.75, 0.25)); // other faces
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FeatureId(pub u32);

impl FeatureId {
    /// One number for what made a point; other parts give another number, but for one chance in
    /// 2^32.
    ///
    /// - Source: the mixing function of Steele, Lea & Flood, *Fast splittable pseudorandom number
    ///   generators* (2014).
    pub(crate) const fn of(parts: [u32; 4]) -> Self {
        let (mut state, mut k) = (0_u64, 0);
        while k < parts.len() {
            state = (state ^ parts[k] as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
            state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            state ^= state >> 31;
            k += 1;
        }
        let [a, b, c, d, ..] = state.to_le_bytes();
        Self(u32::from_le_bytes([a, b, c, d]))
    }
}

/// One point of a [`Patch`], in A's frame in f64.
///
/// ```
/// use impinge_narrowphase::{Relative, pairs::half_space_sphere};
/// use impinge_shapes::{HalfSpace, Pose, Sphere, glam::{DVec3, Vec3}};
///
/// let (floor, ball) = (HalfSpace::new(Vec3::Y, 0.0)?, Sphere::new(1.0)?);
/// let b_in_a = Relative::from_b_in_a(&Pose::from_position(Vec3::Y * 0.75)?);
/// let patch = half_space_sphere::manifold(&floor, &ball, &b_in_a, 0.0).unwrap();
/// let point = &patch.points[0];
/// assert_eq!((point.distance, point.point_b), (-0.25, DVec3::Y * -0.25));
/// assert_eq!(point.point_a + patch.normal * point.distance, point.point_b);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchPoint {
    /// On A's surface.
    pub point_a: DVec3,
    /// On B's surface.
    pub point_b: DVec3,
    /// Signed, along the patch's normal.
    pub distance: f64,
    /// The two features that made the point.
    pub feature: FeatureId,
}

impl PatchPoint {
    /// The nearest points themselves.
    pub(crate) fn nearest(separation: &Separation, feature: FeatureId) -> Self {
        let Separation { distance, point_a, point_b, .. } = *separation;
        Self { point_a, point_b, distance, feature }
    }

    /// The point in the world, from the frame that `world_from_a` turns and `origin` places; each
    /// number is rounded once.
    #[inline(always)]
    pub(crate) fn in_world(&self, world_from_a: &DMat3, origin: DVec3) -> ContactPoint {
        let Self { point_a, point_b, distance, feature } = *self;
        let (a, b) = (*world_from_a * point_a + origin, *world_from_a * point_b + origin);
        let [distance, ax, ay, az, bx, by, bz] =
            round::nearest_array([distance, a.x, a.y, a.z, b.x, b.y, b.z]);
        let (point_a, point_b) = (Vec3::new(ax, ay, az), Vec3::new(bx, by, bz));
        ContactPoint { point_a, point_b, distance, feature }
    }
}

/// Contact points of one pair that share a normal, in A's frame in f64.
///
/// ```
/// use impinge_narrowphase::{Relative, pairs::cuboid_cuboid};
/// use impinge_shapes::{Cuboid, Pose, glam::{DVec3, Vec3}};
///
/// let cube = Cuboid::new(Vec3::ONE)?;
/// let b_in_a = Relative::from_b_in_a(&Pose::from_position(Vec3::Y * 1.5)?);
/// let patch = cuboid_cuboid::manifold(&cube, &cube, &b_in_a, 0.0).unwrap();
/// assert_eq!((patch.normal, patch.points.len()), (DVec3::Y, 4));
/// assert!(patch.points.iter().all(|point| point.distance == -0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Unit, from A to B.
    pub normal: DVec3,
    /// One to four points.
    pub points: SmallVec<[PatchPoint; 4]>,
}

impl Patch {
    /// The patch of a single witness pair.
    #[must_use]
    pub fn single(separation: &Separation, feature: FeatureId) -> Self {
        let mut points = SmallVec::new();
        points.push(PatchPoint::nearest(separation, feature));
        Self { normal: separation.normal, points }
    }

    /// As [`Patch::in_world`], made where it stays.
    #[inline(always)]
    pub(crate) fn put_in_world(&self, world_from_a: &DMat3, origin: DVec3, slot: &mut impl Slot) {
        put_in_world((self.normal, &self.points), world_from_a, origin, slot);
    }

    /// The manifold in the world of a patch in the frame that `world_from_a` turns and `origin`
    /// places; each number is rounded once.
    pub(crate) fn in_world(&self, world_from_a: &DMat3, origin: DVec3) -> Manifold {
        let normal = round::nearest_vec(*world_from_a * self.normal);
        let mut found = Manifold { normal, points: SmallVec::new(), part_a: 0, part_b: 0 };
        place_points(&self.points, world_from_a, origin, &mut found.points);
        found
    }
}

/// As [`Patch::put_in_world`], of a normal and points.
#[inline(always)]
pub(crate) fn put_in_world(
    (normal, points): (DVec3, &[PatchPoint]),
    world_from_a: &DMat3,
    origin: DVec3,
    slot: &mut impl Slot,
) {
    let normal = round::nearest_vec(*world_from_a * normal);
    if let Some(all) = slot.make(normal) {
        place_points(points, world_from_a, origin, all);
    }
}

#[inline(always)]
fn place_points(
    points: &[PatchPoint],
    world_from_a: &DMat3,
    origin: DVec3,
    all: &mut ContactPoints,
) {
    for point in points {
        all.push(point.in_world(world_from_a, origin));
    }
}

/// First touch of two shapes of which B moves, in A's frame in f64.
///
/// ```
/// use impinge_narrowphase::{Relative, pairs::sphere_sphere};
/// use impinge_shapes::{Pose, Sphere, glam::{DVec3, Vec3}};
///
/// let ball = Sphere::new(1.0)?;
/// let b_in_a = Relative::from_b_in_a(&Pose::from_position(Vec3::X * 4.0)?);
/// let hit = sphere_sphere::sweep(&ball, &ball, &b_in_a, Vec3::X * -4.0).unwrap();
/// assert_eq!((hit.normal, hit.point), (DVec3::X, DVec3::X));
/// assert!(hit.fraction <= 0.5 && hit.fraction > 0.499); // never late
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Part of the motion done at the touch, in `[0, 1]`.
    pub fraction: f64,
    /// Unit, from A to B, at the touch.
    pub normal: DVec3,
    /// Point of the touch.
    pub point: DVec3,
}

/// Signed distance of two placed shapes with its witnesses.
///
/// ```
/// use impinge_narrowphase::closest;
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let (ball, cube) = (Shape::sphere(1.0)?, Shape::cuboid(Vec3::ONE)?);
/// let beside = Pose::from_position(Vec3::X * 4.0)?;
/// let gap = closest(&ball, &Pose::IDENTITY, &cube, &beside, f32::INFINITY).unwrap();
/// assert_eq!((gap.distance, gap.normal), (2.0, Vec3::X));
/// assert_eq!((gap.point_a, gap.point_b), (Vec3::X, Vec3::X * 3.0));
///
/// // Overlapping, the distance is minus the depth, and this move leaves the two touching.
/// let within = Pose::from_position(Vec3::X * 1.5)?;
/// let deep = closest(&ball, &Pose::IDENTITY, &cube, &within, 0.0).unwrap();
/// assert_eq!(within.position() - deep.distance * deep.normal, Vec3::X * 2.0);
/// assert!(closest(&ball, &Pose::IDENTITY, &cube, &beside, 1.0).is_none()); // farther than asked
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Closest {
    /// Positive apart, zero touching, negative by the depth of overlap; `-inf` where no finite
    /// move parts the two (half-spaces).
    pub distance: f32,
    /// Unit, from A to B, in the world. Moving B by `-distance * normal` leaves the two touching.
    pub normal: Vec3,
    /// World point of A nearest to B, or deepest inside B.
    pub point_a: Vec3,
    /// World point of B nearest to A, or deepest inside A.
    pub point_b: Vec3,
    /// Part of A, 0 for a simple shape.
    pub part_a: u32,
    /// Part of B, 0 for a simple shape.
    pub part_b: u32,
}

/// The point of a shape's boundary nearest to a given point.
///
/// ```
/// use impinge_narrowphase::project_point;
/// use impinge_shapes::{Pose, Shape, glam::{Vec3, vec3}};
///
/// let cube = Shape::cuboid(Vec3::ONE)?;
/// let out = project_point(&cube, &Pose::IDENTITY, vec3(0.5, 3.0, 0.0), 9.0).unwrap();
/// assert_eq!((out.distance, out.point), (2.0, vec3(0.5, 1.0, 0.0)));
/// let within = project_point(&cube, &Pose::IDENTITY, vec3(0.5, 0.0, 0.0), 9.0).unwrap();
/// assert_eq!((within.distance, within.normal), (-0.5, Vec3::X));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Projection {
    /// Positive outside, zero on the boundary, negative inside.
    pub distance: f32,
    /// Unit, out of the shape, in the world.
    pub normal: Vec3,
    /// The nearest point of the boundary, in the world.
    pub point: Vec3,
    /// Part of the shape, 0 for a simple shape.
    pub part: u32,
}

impl Projection {
    /// The point of A nearest to a B that is a single point.
    pub(crate) fn on_a(found: Closest) -> Self {
        let Closest { distance, normal, point_a: point, part_a: part, .. } = found;
        Self { distance, normal, point, part }
    }
}

/// One point at which two shapes touch or nearly touch.
///
/// - Degenerate: the upper end of a capsule or another rounded line that slopes has a point, too,
///   if that is within the margin: of the ball at this end, inside of the shape.
///
/// ```
/// use impinge_narrowphase::manifold;
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let (floor, ball) = (Shape::half_space(Vec3::Y, 0.0)?, Shape::sphere(1.0)?);
/// let sunk = Pose::from_position(Vec3::Y * 0.75)?;
/// let found = manifold(&floor, &Pose::IDENTITY, &ball, &sunk, 0.0).unwrap();
/// let point = &found.points[0];
/// assert_eq!((point.point_a, point.point_b), (Vec3::ZERO, Vec3::Y * -0.25));
/// // The distance is that of the two points along the normal.
/// assert_eq!(found.normal.dot(point.point_b - point.point_a), point.distance);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactPoint {
    /// World position on A's surface.
    pub point_a: Vec3,
    /// World position on B's surface.
    pub point_b: Vec3,
    /// Signed, along the manifold's normal: positive apart, negative by the depth of overlap.
    pub distance: f32,
    /// The two features that made the point, to recognise it at the next update.
    pub feature: FeatureId,
}

/// The points of a [`Manifold`], which need no memory of their own.
pub type ContactPoints = SmallVec<[ContactPoint; 4]>;

/// Contact points of two simple shapes that share a normal.
///
/// ```
/// use impinge_narrowphase::manifold;
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let (slab, crate_) = (Shape::cuboid(Vec3::new(9.0, 1.0, 9.0))?, Shape::cuboid(Vec3::ONE)?);
/// let on_top = Pose::from_position(Vec3::Y * 2.125)?;
/// assert!(manifold(&slab, &Pose::IDENTITY, &crate_, &on_top, 0.0).is_none());
/// // With a margin there is a contact before they touch.
/// let found = manifold(&slab, &Pose::IDENTITY, &crate_, &on_top, 0.25).unwrap();
/// assert_eq!((found.normal, found.points.len(), found.distance()), (Vec3::Y, 4, 0.125));
/// assert!(found.points.is_sorted_by_key(|point| point.feature));
/// assert_eq!(found.flipped().normal, Vec3::NEG_Y);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Manifold {
    /// Unit, from A to B, in the world.
    pub normal: Vec3,
    /// One to four points, sorted by feature.
    pub points: ContactPoints,
    /// Part of A, 0 for a simple shape.
    pub part_a: u32,
    /// Part of B, 0 for a simple shape.
    pub part_b: u32,
}

impl Manifold {
    /// The least signed distance of its points.
    ///
    /// - Error: that of two boxes is measured along a face nearly across the best axis, and may differ
    ///   from [`closest`](crate::closest) by part of the angle, either way.
    #[must_use]
    pub fn distance(&self) -> f32 {
        let points = self.points.as_slice();
        let Some(last) = points.len().checked_sub(1) else { return f32::INFINITY };
        // How many they are could not be guessed: the last one again in place of a loop.
        let at = |place: usize| points[place.min(last)].distance;
        let least = at(0).min(at(1)).min(at(2).min(at(3)));
        points.iter().skip(4).fold(least, |least, point| least.min(point.distance))
    }

    /// The same contact with A and B exchanged.
    #[must_use]
    pub fn flipped(mut self) -> Self {
        self.normal = -self.normal;
        std::mem::swap(&mut self.part_a, &mut self.part_b);
        for point in &mut self.points {
            std::mem::swap(&mut point.point_a, &mut point.point_b);
        }
        self
    }
}

/// How a sweep treats touch and overlap at the start.
///
/// ```
/// use impinge_narrowphase::{SweepOptions, sweep};
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let (floor, ball) = (Shape::half_space(Vec3::Y, 0.0)?, Shape::sphere(1.0)?);
/// let slide = |height: f32, options: SweepOptions| {
///     let start = Pose::from_position(Vec3::Y * height).unwrap();
///     sweep(&ball, &start, Vec3::X, &floor, &Pose::IDENTITY, &options).map(|hit| hit.fraction)
/// };
/// let plain = SweepOptions::default();
/// let sticky = SweepOptions { stop_on_touch: true, ..plain };
/// let through = SweepOptions { skip_started: true, ..plain };
/// assert_eq!((slide(1.0, plain), slide(1.0, sticky)), (None, Some(0.0))); // touching
/// assert_eq!((slide(0.5, plain), slide(0.5, through)), (Some(0.0), None)); // overlapping
/// let along = SweepOptions { skip_leaving: true, ..plain };
/// assert_eq!(slide(0.5, along), None); // and not deeper
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SweepOptions {
    /// Touching at the start and moving apart or along is a hit at fraction 0.
    pub stop_on_touch: bool,
    /// Leave out shapes that overlap the mover at the start.
    pub skip_started: bool,
    /// Leave out those of them that the mover moves along or out of: against the normal of least
    /// penetration it goes by at most 2^-20 of its way. A mover without a way leaves none out.
    ///
    /// A mover that slides may end in a surface by rounding, and goes on with this.
    pub skip_leaving: bool,
}

impl SweepOptions {
    /// Whether every overlap at the start is a hit.
    pub(crate) fn keep_starts(&self) -> bool {
        !self.skip_started && !self.skip_leaving
    }
}

/// Where a moving shape first touches another.
///
/// ```
/// use impinge_narrowphase::{SweepOptions, sweep};
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let (ball, wall) = (Shape::sphere(1.0)?, Shape::cuboid(Vec3::ONE)?);
/// let there = Pose::from_position(Vec3::X * 5.0)?;
/// let way = Vec3::X * 6.0;
/// let hit = sweep(&ball, &Pose::IDENTITY, way, &wall, &there, &SweepOptions::default()).unwrap();
/// assert_eq!((hit.fraction, hit.distance), (0.5, 3.0));
/// assert_eq!((hit.point, hit.normal), (Vec3::X * 4.0, Vec3::NEG_X));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ShapeSweepHit {
    /// Part of the displacement done at the touch, in `[0, 1]`.
    pub fraction: f32,
    /// `fraction * |displacement|`.
    pub distance: f32,
    /// World point of the touch.
    pub point: Vec3,
    /// Unit, out of the shape that was hit, against the motion; for a start in overlap the normal
    /// of least penetration.
    pub normal: Vec3,
    /// The shapes overlap at the start; `fraction` is 0 and `depth` says how deep.
    pub started_overlapping: bool,
    /// Depth of the overlap at the start, 0 otherwise.
    pub depth: f32,
    /// Part of the mover, 0 for a simple shape.
    pub part_mover: u32,
    /// Part of the shape that was hit, 0 for a simple shape.
    pub part: u32,
}
