//! What the queries answer.
//!
//! Public results are f32 in the world. The rooms answer in f64 in A's frame ([`Separation`],
//! [`Patch`], [`Impact`]); `queries` turns these into the public ones and rounds once.

use impinge_shapes::glam::{DMat3, DVec3, Vec3};
use impinge_shapes::round;
use smallvec::SmallVec;

/// How two closed sets lie to each other; exact where the pair's room says so.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FeatureId(pub u32);

impl FeatureId {
    /// One number for what made a point; other parts give another number, but for one chance in
    /// 2^32.
    ///
    /// - Source: the mixing function of Steele, Lea & Flood, *Fast splittable pseudorandom number
    ///   generators* (2014).
    pub(crate) fn of(parts: [u32; 4]) -> Self {
        let mut state = 0_u64;
        for part in parts {
            state = (state ^ u64::from(part)).wrapping_add(0x9e37_79b9_7f4a_7c15);
            state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            state ^= state >> 31;
        }
        let [a, b, c, d, ..] = state.to_le_bytes();
        Self(u32::from_le_bytes([a, b, c, d]))
    }
}

/// One point of a [`Patch`], in A's frame in f64.
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

/// Contact points of one pair that share a normal, in A's frame in f64.
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
        points.push(PatchPoint {
            point_a: separation.point_a,
            point_b: separation.point_b,
            distance: separation.distance,
            feature,
        });
        Self { normal: separation.normal, points }
    }

    /// The manifold in the world of a patch in the frame that `world_from_a` turns and `origin`
    /// places; each number is rounded once.
    pub(crate) fn in_world(&self, world_from_a: &DMat3, origin: DVec3) -> Manifold {
        let world = |point: DVec3| round::nearest_vec(*world_from_a * point + origin);
        let points = self.points.iter().map(|point| ContactPoint {
            point_a: world(point.point_a),
            point_b: world(point.point_b),
            distance: round::nearest(point.distance),
            feature: point.feature,
        });
        Manifold {
            normal: round::nearest_vec(*world_from_a * self.normal),
            points: points.collect(),
            part_a: 0,
            part_b: 0,
        }
    }
}

/// First touch of two shapes of which B moves, in A's frame in f64.
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

/// One point at which two shapes touch or nearly touch.
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

/// Contact points of two simple shapes that share a normal.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Manifold {
    /// Unit, from A to B, in the world.
    pub normal: Vec3,
    /// One to four points, sorted by feature.
    pub points: SmallVec<[ContactPoint; 4]>,
    /// Part of A, 0 for a simple shape.
    pub part_a: u32,
    /// Part of B, 0 for a simple shape.
    pub part_b: u32,
}

impl Manifold {
    /// The least signed distance of its points.
    #[must_use]
    pub fn distance(&self) -> f32 {
        self.points.iter().map(|point| point.distance).fold(f32::INFINITY, f32::min)
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SweepOptions {
    /// Touching at the start and moving apart or along is a hit at fraction 0.
    pub stop_on_touch: bool,
    /// Leave out shapes that overlap the mover at the start.
    pub skip_started: bool,
}

/// Where a moving shape first touches another.
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
