//! What rounded numbers know of many sweeps: which miss, and between which fractions others hit.
//!
//! Sixteen sweeps go side by side in f32. Each number comes with a bound on its error, so that
//! nothing here decides an answer: it tells which calls of [`sweep`](crate::sweep) can be left out.

mod boxes;
mod spheres;

use fearless_simd::{Simd, f32x16, mask32x16, prelude::*};
use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{Cuboid, Pose, Sphere, glam::Vec3};

use crate::lanes::lanes;
use crate::sixteen::{Lane, Three, WIDE, dot, turn};
use crate::{Relation, tolerance};

/// A shape that moves without turning, and a shape in its way.
///
/// ```
/// use impinge_narrowphase::sweep_bounds::{SweepAt, of_spheres};
/// use impinge_shapes::{Cuboid, Pose, Sphere, glam::Vec3, simd::simd_level};
///
/// let (ball, wall) = (Sphere::new(0.5)?, Cuboid::new(Vec3::ONE)?);
/// let (start, there) = (Pose::IDENTITY, Pose::from_position(Vec3::X * 4.0)?);
/// let (mover, pose, target, target_pose) = (&ball, &start, &wall, &there);
/// let away = SweepAt { mover, pose, displacement: Vec3::NEG_X, target, target_pose };
/// let mut found = Vec::new();
/// of_spheres(&[away], simd_level(), &mut found);
/// assert!(found[0].latest == f32::INFINITY); // it does not hit
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SweepAt<'a, M, T = Cuboid> {
    /// What moves.
    pub mover: &'a M,
    /// Where it starts.
    pub pose: &'a Pose,
    /// Where it goes from there.
    pub displacement: Vec3,
    /// What rests.
    pub target: &'a T,
    /// Where it is.
    pub target_pose: &'a Pose,
}

impl<M, T> Clone for SweepAt<'_, M, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, T> Copy for SweepAt<'_, M, T> {}

/// Between which fractions [`sweep`](crate::sweep) tells a hit.
///
/// ```
/// use impinge_narrowphase::sweep_bounds::SweepBounds;
///
/// assert!(!SweepBounds::UNKNOWN.misses() && !SweepBounds::UNKNOWN.starts_inside());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepBounds {
    /// No fraction that is told is less; infinite where the sweep certainly misses.
    pub earliest: f32,
    /// A hit is certainly told, at a fraction that is no greater; infinite where that is not
    /// certain. Zero only where the two certainly penetrate each other at the start. It does not
    /// hold for sweeps that leave out what they start in, unless `earliest` is above zero.
    pub latest: f32,
}

impl SweepBounds {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { earliest: 0.0, latest: f32::INFINITY };

    /// Whether there is certainly no hit.
    #[must_use]
    #[inline]
    pub fn misses(&self) -> bool {
        self.earliest > 1.0
    }

    /// Whether the two certainly penetrate each other at the start.
    #[must_use]
    #[inline]
    pub fn starts_inside(&self) -> bool {
        self.latest <= 0.0
    }

    /// How the two lie at the start, where it is certain.
    pub(crate) fn relation(&self) -> Option<Relation> {
        if self.starts_inside() {
            Some(Relation::Penetrating)
        } else {
            (self.earliest > 0.0).then_some(Relation::Apart)
        }
    }
}

/// What is known of each sweep of a box, in their order; `out` is replaced.
///
/// - Ties: the level changes what is known, and no answer.
///
/// ```
/// use impinge_narrowphase::sweep_bounds::{SweepAt, SweepBounds, of_boxes};
/// use impinge_shapes::{Cuboid, Pose, glam::Vec3, simd::{SimdLevel, simd_level}};
///
/// let cube = Cuboid::new(Vec3::ONE)?;
/// let (start, there) = (Pose::IDENTITY, Pose::from_position(Vec3::X * 4.0)?);
/// let (pose, target_pose, displacement) = (&start, &there, Vec3::X * 4.0);
/// let sweep = SweepAt { mover: &cube, pose, displacement, target: &cube, target_pose };
/// let mut found = Vec::new();
/// of_boxes(&[sweep], simd_level(), &mut found);
/// assert!(found[0].earliest <= 0.5 && found[0].latest >= 0.5);
/// of_boxes(&[sweep], SimdLevel::scalar(), &mut found);
/// assert_eq!(found, [SweepBounds::UNKNOWN]); // not worth it without lanes
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn of_boxes(sweeps: &[SweepAt<'_, Cuboid>], level: SimdLevel, out: &mut Vec<SweepBounds>) {
    out.clear();
    for sixteen in sweeps.chunks(WIDE) {
        let mut rows = Rows::EMPTY;
        for (lane, sweep) in sixteen.iter().enumerate() {
            rows.set(lane, sweep, sweep.mover.half_extents());
        }
        let found = lanes!(level, simd => boxes::bounds(simd, &rows));
        store(found, sixteen.len(), out);
    }
}

/// What is known of each sweep of a sphere, in their order; `out` is replaced.
///
/// - Ties: the level changes what is known, and no answer.
///
/// ```
/// use impinge_narrowphase::sweep_bounds::{SweepAt, of_spheres};
/// use impinge_shapes::{Cuboid, Pose, Sphere, glam::Vec3, simd::simd_level};
///
/// let (ball, wall) = (Sphere::new(0.5)?, Cuboid::new(Vec3::ONE)?);
/// let (start, there) = (Pose::IDENTITY, Pose::from_position(Vec3::X * 4.0)?);
/// let (mover, pose, target, target_pose) = (&ball, &start, &wall, &there);
/// let displacement = Vec3::X * 5.0;
/// let mut found = Vec::new();
/// let sweeps = [SweepAt { mover, pose, displacement, target, target_pose }];
/// of_spheres(&sweeps, simd_level(), &mut found);
/// assert!(found[0].earliest <= 0.5 && found[0].latest >= 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn of_spheres(sweeps: &[SweepAt<'_, Sphere>], level: SimdLevel, out: &mut Vec<SweepBounds>) {
    out.clear();
    for sixteen in sweeps.chunks(WIDE) {
        let mut rows = Rows::EMPTY;
        for (lane, sweep) in sixteen.iter().enumerate() {
            rows.set(lane, sweep, Vec3::X * sweep.mover.radius());
        }
        let found = lanes!(level, simd => spheres::bounds(simd, &rows));
        store(found, sixteen.len(), out);
    }
}

fn store(found: Option<Found>, count: usize, out: &mut Vec<SweepBounds>) {
    match found {
        Some(found) => {
            let both = found.earliest.into_iter().zip(found.latest).take(count);
            out.extend(both.map(|(earliest, latest)| SweepBounds { earliest, latest }));
        }
        None => out.extend(std::iter::repeat_n(SweepBounds::UNKNOWN, count)),
    }
}

/// The bounds of sixteen sweeps.
struct Found {
    earliest: [f32; WIDE],
    latest: [f32; WIDE],
}

/// Sixteen sweeps: a row for each of their numbers.
#[repr(align(64))]
struct Rows {
    /// From the target to the mover.
    arm: [[f32; WIDE]; 3],
    displacement: [[f32; WIDE]; 3],
    /// Half extents, or the radius.
    mover: [[f32; WIDE]; 3],
    mover_turn: [[f32; WIDE]; 4],
    target: [[f32; WIDE]; 3],
    target_turn: [[f32; WIDE]; 4],
}

impl Rows {
    const EMPTY: Self = Self {
        arm: [[0.0; WIDE]; 3],
        displacement: [[0.0; WIDE]; 3],
        mover: [[0.0; WIDE]; 3],
        mover_turn: [[0.0; WIDE]; 4],
        target: [[0.0; WIDE]; 3],
        target_turn: [[0.0; WIDE]; 4],
    };

    #[inline(always)]
    fn set<M>(&mut self, lane: usize, sweep: &SweepAt<'_, M>, mover: Vec3) {
        let lane = lane % WIDE;
        // Rounded once, as differences in lanes are.
        let arm = sweep.pose.position() - sweep.target_pose.position();
        let target = sweep.target.half_extents();
        for axis in 0..3 {
            self.arm[axis][lane] = arm[axis];
            self.displacement[axis][lane] = sweep.displacement[axis];
            self.mover[axis][lane] = mover[axis];
            self.target[axis][lane] = target[axis];
        }
        let turns = (sweep.pose.rotation().to_array(), sweep.target_pose.rotation().to_array());
        for part in 0..4 {
            self.mover_turn[part][lane] = turns.0[part];
            self.target_turn[part][lane] = turns.1[part];
        }
    }
}

#[inline(always)]
fn splat<S: Simd>(simd: S, number: f32) -> Lane<S> {
    f32x16::splat(simd, number)
}

#[inline(always)]
fn row<S: Simd>(simd: S, row: &[f32; WIDE]) -> Lane<S> {
    f32x16::load_array_ref(simd, row)
}

#[inline(always)]
fn three<S: Simd>(simd: S, rows: &[[f32; WIDE]; 3]) -> Three<S> {
    let [x, y, z] = rows;
    [row(simd, x), row(simd, y), row(simd, z)]
}

/// Rotation matrices by their columns, and the quaternions' squared lengths.
#[inline(always)]
fn turned<S: Simd>(simd: S, rows: &[[f32; WIDE]; 4]) -> ([Three<S>; 3], Lane<S>) {
    let [x, y, z, w] = rows;
    turn(simd, &[row(simd, x), row(simd, y), row(simd, z), row(simd, w)])
}

/// A vector along three axes.
#[inline(always)]
fn along<S: Simd>(axes: &[Three<S>; 3], v: &Three<S>) -> Three<S> {
    [dot(&axes[0], v), dot(&axes[1], v), dot(&axes[2], v)]
}

/// One axis of sixteen sweeps.
struct Axis<S: Simd> {
    /// The mover's centre from the target's.
    centre: Lane<S>,
    /// How far the displacement goes.
    speed: Lane<S>,
    /// Sum of the two half lengths.
    reach: Lane<S>,
}

/// How far the numbers of an [`Axis`] may be off.
#[derive(Clone, Copy)]
struct Errors<S: Simd> {
    /// That of the distance by which the projections are apart.
    place: Lane<S>,
    speed: Lane<S>,
}

/// Bounds of the fractions during which projections overlap.
#[derive(Clone, Copy)]
struct Window<S: Simd> {
    /// Not entered before, and surely entered at.
    entry: (Lane<S>, Lane<S>),
    /// Surely not left before, and surely left at.
    exit: (Lane<S>, Lane<S>),
}

impl<S: Simd> Window<S> {
    /// Open from the start for ever.
    #[inline(always)]
    fn open(simd: S) -> Self {
        let (zero, endless) = (splat(simd, 0.0), splat(simd, f32::INFINITY));
        Self { entry: (zero, zero), exit: (endless, endless) }
    }

    /// When the projections on one axis overlap.
    #[inline(always)]
    fn of(simd: S, axis: &Axis<S>, errors: &Errors<S>) -> Self {
        let (zero, endless) = (splat(simd, 0.0), splat(simd, f32::INFINITY));
        let beside = axis.centre.abs();
        // How fast the centres come nearer.
        let toward = axis.centre.simd_lt(zero).select(axis.speed, -axis.speed);
        let (fastest, slowest) = (toward + errors.speed, toward - errors.speed);
        let over = beside - axis.reach;
        let (least, most) = (over - errors.place, over + errors.place);
        let first = least.simd_gt(zero).select(least / fastest.max(zero), zero);
        let last = most.simd_gt(zero).select(most / slowest.max(zero), zero);
        // The way to the far side leads past the centre for what comes nearer.
        let far = slowest.simd_gt(zero).select(beside, -beside);
        let farthest = fastest.simd_gt(zero).select(beside, -beside);
        let (near_end, far_end) =
            (axis.reach - errors.place + far, axis.reach + errors.place + farthest);
        let rate = toward.abs();
        let slow = rate - errors.speed;
        let left = near_end / (rate + errors.speed);
        let surely_left = slow.simd_gt(zero).select(far_end / slow, endless);
        Self { entry: (first, last), exit: (left, surely_left) }
    }

    /// When both are open.
    #[inline(always)]
    fn and(&self, other: &Self) -> Self {
        Self {
            entry: (self.entry.0.max(other.entry.0), self.entry.1.max(other.entry.1)),
            exit: (self.exit.0.min(other.exit.0), self.exit.1.min(other.exit.1)),
        }
    }

    /// The bound from above of a window that surely opens; infinite where that is not sure.
    #[inline(always)]
    fn surely_entered(&self, simd: S) -> Lane<S> {
        let last = self.entry.1 * splat(simd, 1.0 + tolerance::FRACTION_F32);
        let left = self.exit.0 * splat(simd, 1.0 - tolerance::FRACTION_F32);
        let opens = last.simd_le(left) & last.simd_le(splat(simd, 1.0));
        opens.select(last, splat(simd, f32::INFINITY))
    }

    /// The bound from below; infinite where the window surely does not open in time.
    #[inline(always)]
    fn not_entered_before(&self, simd: S) -> Lane<S> {
        let first = self.entry.0 * splat(simd, 1.0 - tolerance::FRACTION_F32);
        let left = self.exit.1 * splat(simd, 1.0 + tolerance::FRACTION_F32);
        let may = first.simd_le(left) & first.simd_le(splat(simd, 1.0));
        may.select(first, splat(simd, f32::INFINITY))
    }
}

/// Bounds as they are stored; nothing is known where they are not sound.
#[inline(always)]
fn found<S: Simd>(simd: S, (earliest, latest): (Lane<S>, Lane<S>), sound: mask32x16<S>) -> Found {
    let mut found = Found { earliest: [0.0; WIDE], latest: [0.0; WIDE] };
    let (zero, endless) = (splat(simd, 0.0), splat(simd, f32::INFINITY));
    sound.select(earliest, zero).store_array(&mut found.earliest);
    sound.select(latest, endless).store_array(&mut found.latest);
    found
}
