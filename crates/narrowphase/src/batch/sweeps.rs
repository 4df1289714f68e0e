//! Sweeps of many pairs: of two spheres and beside half-spaces in lanes, of boxes and balls at boxes
//! after a look in lanes.

use std::hint::select_unpredictable;

use fearless_simd::{Simd, f32x16, f64x8, mask64x8, prelude::*};
use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::{Bits, SimdLevel};
use impinge_shapes::{Cuboid, Shape, Sphere};

use super::gather::{Eight, eight_from};
use super::sort::{self, Lane, Order};
use super::source::Picked;
use super::{AsPair, PairOf, in_runs};
use crate::lanes::lanes;
use crate::pairs::capsule_half_space::CapsuleHalfSpace;
use crate::pairs::convex_half_space::{
    ConeHalfSpace, CylinderHalfSpace, HullHalfSpace, RoundCuboidHalfSpace, TriangleHalfSpace,
};
use crate::pairs::cuboid_cuboid::lanes::CuboidCuboid;
use crate::pairs::cuboid_half_space::CuboidHalfSpace;
use crate::pairs::cuboid_sphere::CuboidSphere;
use crate::pairs::half_space_sphere::HalfSpaceSphere;
use crate::pairs::sphere_sphere::SphereSphere;
use crate::real::{Numbers, Real, Real3};
use crate::sweep_bounds::{SweepAt, SweepBounds, of_boxes, of_spheres};
use crate::touch::{Going, Touch, Touching};
use crate::turn::{WIDTH, each, turn_back, turn_eight};
use crate::witness::Room;
use crate::{ShapeSweepHit, SweepOptions, sweep, sweep_within};

/// A placed shape of any kind that moves without turning, and one in its way.
pub type SweepRef<'a> = SweepAt<'a, Shape, Shape>;

impl AsPair<Shape, Shape> for SweepRef<'_> {
    #[inline(always)]
    fn as_pair(&self) -> PairOf<'_, Shape, Shape> {
        PairOf { a: self.mover, pose_a: self.pose, b: self.target, pose_b: self.target_pose }
    }
}

/// [`sweep`](crate::sweep) of every pair, in their order; `out` is replaced.
///
/// - Ties: the level changes no answer.
///
/// ```
/// use impinge_narrowphase::SweepOptions;
/// use impinge_narrowphase::batch::{self, SweepRef};
/// use impinge_shapes::{Pose, Shape, glam::Vec3, simd::simd_level};
///
/// let (ball, floor) = (Shape::sphere(1.0)?, Shape::half_space(Vec3::Y, 0.0)?);
/// let (pose, target_pose) = (&Pose::from_position(Vec3::Y * 5.0)?, &Pose::IDENTITY);
/// let falls: Vec<SweepRef<'_>> = [2.0, 8.0]
///     .into_iter()
///     .map(|by| {
///         let displacement = Vec3::NEG_Y * by;
///         SweepRef { mover: &ball, pose, displacement, target: &floor, target_pose }
///     })
///     .collect();
/// let mut found = Vec::new();
/// batch::sweeps(&falls, &SweepOptions::default(), simd_level(), &mut found);
/// let fractions: Vec<_> = found.iter().map(|found| found.map(|hit| hit.fraction)).collect();
/// assert_eq!(fractions, [None, Some(0.5)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sweeps(
    asked: &[SweepRef<'_>],
    options: &SweepOptions,
    level: SimdLevel,
    out: &mut Vec<Option<ShapeSweepHit>>,
) {
    in_runs(asked, out, |run, found| {
        if run.len() < sort::FEW {
            return Sweeps { run, places: sort::in_order(run), options }.one_by_one(found);
        }
        let order = Order::new(run);
        let of = |kind| Sweeps { run, places: order.of(kind), options };
        of(Lane::SphereSphere).told::<SphereSphere>(level, found);
        of(Lane::HalfSpaceSphere).told::<HalfSpaceSphere>(level, found);
        of(Lane::CapsuleHalfSpace).told::<CapsuleHalfSpace>(level, found);
        of(Lane::CuboidHalfSpace).told::<CuboidHalfSpace>(level, found);
        of(Lane::CylinderHalfSpace).told::<CylinderHalfSpace>(level, found);
        of(Lane::ConeHalfSpace).told::<ConeHalfSpace>(level, found);
        of(Lane::TriangleHalfSpace).told::<TriangleHalfSpace>(level, found);
        of(Lane::HullHalfSpace).told::<HullHalfSpace>(level, found);
        of(Lane::RoundCuboidHalfSpace).told::<RoundCuboidHalfSpace>(level, found);
        let boxes = |asked: &[SweepAt<'_, Cuboid>], found: &mut _| of_boxes(asked, level, found);
        of(Lane::CuboidCuboid).bounded(two_boxes, boxes, found);
        let balls = |asked: &[SweepAt<'_, Sphere>], found: &mut _| of_spheres(asked, level, found);
        of(Lane::CuboidSphere).bounded(ball_at_box, balls, found);
        for kind in ALONE {
            of(kind).one_by_one(found);
        }
    });
}

/// Kinds without lanes here.
const ALONE: [Lane; 8] = [
    Lane::CapsuleSphere,
    Lane::CapsuleCapsule,
    Lane::CapsuleCuboid,
    Lane::ConeSphere,
    Lane::CylinderSphere,
    Lane::SphereTriangle,
    Lane::HullHull,
    Lane::None,
];

fn two_boxes<'a>(mover: &'a Shape, target: &'a Shape) -> Option<(&'a Cuboid, &'a Cuboid)> {
    CuboidCuboid::of(mover, target).map(|(mover, target, _)| (mover, target))
}

fn ball_at_box<'a>(mover: &'a Shape, target: &'a Shape) -> Option<(&'a Sphere, &'a Cuboid)> {
    let (target, mover, ball_moves) = CuboidSphere::of(mover, target)?;
    ball_moves.then_some((mover, target))
}

type Slots = [Option<ShapeSweepHit>];

/// Sweeps of one kind, picked out of a mix.
struct Sweeps<'r> {
    run: &'r [SweepRef<'r>],
    places: &'r [u16],
    options: &'r SweepOptions,
}

impl<'r> Sweeps<'r> {
    /// Each with its place.
    fn all(&self) -> impl Iterator<Item = (usize, &'r SweepRef<'r>)> {
        let places = self.places.iter().map(|&place| usize::from(place));
        places.filter_map(|place| Some((place, self.run.get(place)?)))
    }

    /// By single calls.
    fn one_by_one(&self, out: &mut Slots) {
        for (place, sweep) in self.all() {
            if let Some(slot) = out.get_mut(place) {
                *slot = self.ask(sweep);
            }
        }
    }

    fn ask(&self, at: &SweepRef<'_>) -> Option<ShapeSweepHit> {
        let SweepAt { mover, pose, displacement, target, target_pose } = *at;
        sweep(mover, pose, displacement, target, target_pose, self.options)
    }

    /// By single calls, but for those that `bounds` tells to miss; `parts` are the two shapes.
    fn bounded<M: 'r>(
        &self,
        parts: impl Fn(&'r Shape, &'r Shape) -> Option<(&'r M, &'r Cuboid)>,
        bounds: impl Fn(&[SweepAt<'_, M>], &mut Vec<SweepBounds>),
        out: &mut Slots,
    ) {
        if self.places.is_empty() {
            return;
        }
        let (mut asked, mut places, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for (place, at) in self.all() {
            let SweepAt { pose, displacement, target_pose, .. } = *at;
            if let Some((mover, target)) = parts(at.mover, at.target) {
                asked.push(SweepAt { mover, pose, displacement, target, target_pose });
                places.push((place, at));
            } else if let Some(slot) = out.get_mut(place) {
                *slot = self.ask(at);
            }
        }
        bounds(&asked, &mut found);
        for ((place, at), bounds) in places.into_iter().zip(&found) {
            let Some(slot) = out.get_mut(place) else { continue };
            let SweepAt { mover, pose, displacement, target, target_pose } = *at;
            let options = self.options;
            *slot = if bounds.misses() {
                None
            } else {
                sweep_within(mover, pose, displacement, target, target_pose, options, bounds)
            };
        }
    }

    /// By plain numbers, eight side by side.
    fn told<K: Touching<A: Numbers, B: Numbers>>(&self, level: SimdLevel, out: &mut Slots) {
        if self.places.is_empty() {
            return;
        }
        let mut nowhere = None;
        let kept = &mut nowhere;
        if lanes!(level, simd => self.in_lanes::<_, K>(simd, out, kept)).is_none() {
            self.one_by_one(out);
        }
    }

    /// `nowhere` is what is struck out where an answer stays; see `round::closest_in_lanes`.
    #[inline(always)]
    fn in_lanes<S: Simd, K: Touching<A: Numbers, B: Numbers>>(
        &self,
        simd: S,
        out: &mut Slots,
        nowhere: &mut Option<ShapeSweepHit>,
    ) {
        let source = Picked { run: self.run, places: self.places };
        let mut found = Answers::UNKNOWN;
        for first in (0..self.places.len()).step_by(WIDTH) {
            found.certain = 0;
            let Some(places) = eight_from(self.places, first) else { continue };
            if let Some(Eight { a, b, flipped }) = Eight::gather::<K>(simd, &source, first, true) {
                let [x, y, z, _] = turn_eight(simd, each!(places, &place => self.way(place)));
                let b_moves = mask64x8::from_bitmask(simd, flipped);
                let way = Real3::new(x, y, z);
                let going = Going::new(way, self.options);
                found.fill(simd, &K::touch(&a, &b, !b_moves, going), way);
            }
            let used = ALL >> (WIDTH - WIDTH.min(self.places.len() - first));
            for (lane, &place) in places.into_iter().enumerate() {
                let Some(slot) = out.get_mut(usize::from(place)) else { continue };
                *slot = Some(found.get(lane));
                let hits = found.hits >> lane & 1 == 1;
                *select_unpredictable(hits, &mut *nowhere, slot) = None;
            }
            for lane in Bits(used & !found.certain) {
                let place = usize::from(*places[lane % WIDTH]);
                if let (Some(slot), Some(at)) = (out.get_mut(place), self.run.get(place)) {
                    *slot = self.ask(at);
                }
            }
        }
    }

    #[inline(always)]
    fn way(&self, place: u16) -> [f32; 4] {
        match self.run.get(usize::from(place)) {
            Some(at) => [at.displacement.x, at.displacement.y, at.displacement.z, 0.0],
            None => [0.0; 4],
        }
    }
}

/// Bits of all lanes.
const ALL: u64 = (1 << WIDTH) - 1;

/// Rounded touches of a block, pair by pair, and bits of lanes.
#[repr(align(64))]
struct Answers {
    /// Fraction, distance and two numbers of the point; the third and the normal. Of what overlaps at
    /// the start, the depth in place of the fraction, which is zero.
    parts: [[[f32; 4]; WIDTH]; 2],
    /// Yes or no is the answer, and the numbers are.
    certain: u64,
    /// The answer is yes.
    hits: u64,
    /// They overlap at the start.
    started: u64,
}

impl Answers {
    /// Every pair is left to the single call.
    const UNKNOWN: Self = Self { parts: [[[0.0; 4]; WIDTH]; 2], certain: 0, hits: 0, started: 0 };

    /// Takes the touches of a block.
    #[inline(always)]
    fn fill<S: Simd>(&mut self, simd: S, found: &Touch<f64x8<S>>, way: Real3<f64x8<S>>) {
        let (length, point, normal) = (Real::sqrt(way.dot(way)), found.point, found.normal);
        let share = Real::pick(found.started, found.depth, found.fraction);
        let share = share.narrow(found.fraction * length);
        let (first, second) = (point.x.narrow(point.y), point.z.narrow(normal.x));
        let last = normal.y.narrow(normal.z);
        // None of the numbers is infinite, and the way is not, which may not show where it misses.
        let sum = (share + first) + (second + last);
        let endless = f32x16::splat(simd, f32::INFINITY);
        let finite = sum.abs().simd_lt(endless).to_bitmask();
        let ends = length.simd_lt(f64x8::splat(simd, f64::INFINITY)).to_bitmask();
        let [one, two] = &mut self.parts;
        turn_back(share, first, one);
        turn_back(second, last, two);
        self.hits = found.hits.to_bitmask();
        self.started = found.started.to_bitmask();
        self.certain = found.certain.to_bitmask() & ends & (!self.hits | finite & finite >> WIDTH);
    }

    #[inline(always)]
    fn get(&self, lane: usize) -> ShapeSweepHit {
        let [one, two] = &self.parts;
        let [share, distance, x, y] = one[lane % WIDTH];
        let started = self.started >> lane & 1 == 1;
        let (fraction, depth) = select_unpredictable(started, (0.0, share), (share, 0.0));
        let [z, nx, ny, nz] = two[lane % WIDTH];
        ShapeSweepHit {
            fraction,
            distance,
            point: Vec3::new(x, y, z),
            normal: Vec3::new(nx, ny, nz),
            started_overlapping: started,
            depth,
            part_mover: 0,
            part: 0,
        }
    }
}
