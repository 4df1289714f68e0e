//! Many pairs in one call: the same answers as one by one, to the bit, for a part of the time.
//!
//! [`overlaps`], [`distances`], [`closest`] and [`manifolds`] take any mix of shapes. They sort the pairs by kind
//! and work on eight or sixteen of a kind side by side, in the lanes of the machine's vectors.
//! Convex hulls go one by one, each in lanes of its own, but are fetched from memory side by side.
//! Kinds without lanes, the lanes whose answer is too close to call, and fewer than eight pairs go one by
//! one through the functions of the same name without `batch`. Answers come in the order of the pairs.
//!
//! [`raycast`] does the same for rays and placed shapes: boxes, capsules, half-spaces, spheres and
//! triangles in lanes, the others one by one through [`Shape::raycast`]; [`project_points`] for points
//! and placed shapes; [`sweeps`] for shapes that move along a line, of which spheres at spheres and
//! what meets a half-space go in lanes, and boxes and spheres at boxes are told apart there.
//!
//! Who knows the kinds beforehand asks the module of the pair, which takes the shapes themselves:
//! [`cuboid_cuboid`], [`cuboid_sphere`], [`ray_cuboid`], and so on.
//!
//! ```
//! use impinge_narrowphase::batch::{self, PairRef};
//! use impinge_shapes::{Pose, Shape, glam::Vec3, simd::simd_level};
//!
//! let (ball, crate_) = (Shape::sphere(0.5)?, Shape::cuboid(Vec3::ONE)?);
//! let poses: Vec<Pose> =
//!     (0..100).map(|i| Pose::from_position(Vec3::X * (0.5 * i as f32))).collect::<Result<_, _>>()?;
//! let pairs: Vec<PairRef<'_>> = poses
//!     .iter()
//!     .map(|pose| PairRef { a: &crate_, pose_a: &Pose::IDENTITY, b: &ball, pose_b: pose })
//!     .collect();
//! let mut found = Vec::new();
//! batch::overlaps(&pairs, simd_level(), &mut found);
//! assert_eq!(found.iter().filter(|&&overlaps| overlaps).count(), 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod box_axes;
mod boxes;
mod capsules;
mod gather;
mod hulls;
mod kinds;
mod manifolds;
mod onward;
mod over;
mod points;
mod rays;
mod round;
mod sort;
mod source;
mod sweeps;
mod two;
mod typed;

use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{Pose, Shape};

use crate::{Closest, queries};
use kinds::ask_kernels;
use sort::Lane;

pub use manifolds::{ManifoldSink, manifolds, manifolds_into};
pub use points::{PointRef, project_points};
pub use rays::{
    AsRay, PlacedRay, RayOf, RayRef, ray_capsule, ray_cuboid, ray_half_space, ray_sphere,
    ray_triangle, raycast,
};
pub use sweeps::{SweepRef, sweeps};
pub use typed::{
    capsule_capsule, capsule_cuboid, capsule_sphere, cone_sphere, cuboid_cuboid, cuboid_sphere,
    cylinder_sphere, half_space_sphere, sphere_sphere, sphere_triangle, triangle_half_space,
};

/// Two placed shapes, borrowed.
///
/// ```
/// use impinge_narrowphase::batch::{PairRef, overlaps};
/// use impinge_shapes::{Pose, Shape, simd::SimdLevel};
///
/// let (ball, pose) = (Shape::sphere(1.0)?, Pose::IDENTITY);
/// let pair = PairRef { a: &ball, pose_a: &pose, b: &ball, pose_b: &pose };
/// let mut found = Vec::new();
/// overlaps(&[pair; 3], SimdLevel::scalar(), &mut found);
/// assert_eq!(found, [true; 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PairOf<'a, A, B> {
    /// The first shape.
    pub a: &'a A,
    /// Where it is.
    pub pose_a: &'a Pose,
    /// The second shape.
    pub b: &'a B,
    /// Where it is.
    pub pose_b: &'a Pose,
}

impl<A, B> Clone for PairOf<'_, A, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, B> Copy for PairOf<'_, A, B> {}

/// Two placed shapes, held: pairs that lie side by side are read faster than those that are borrowed
/// from all over the memory.
///
/// ```
/// use impinge_narrowphase::batch::{PlacedPair, cuboid_sphere};
/// use impinge_shapes::{Cuboid, Pose, Sphere, glam::Vec3, simd::simd_level};
///
/// // The kind is known, so that nothing has to be sorted.
/// let (a, b) = (Cuboid::new(Vec3::ONE)?, Sphere::new(0.5)?);
/// let pairs: Vec<_> = (0..20_u8)
///     .map(|i| {
///         let pose_b = Pose::from_position(Vec3::X * (0.25 * f32::from(i)))?;
///         Ok(PlacedPair { a, pose_a: Pose::IDENTITY, b, pose_b })
///     })
///     .collect::<Result<_, impinge_shapes::PoseError>>()?;
/// let mut found = Vec::new();
/// cuboid_sphere::overlaps(&pairs, simd_level(), &mut found);
/// assert_eq!(found.iter().filter(|&&overlaps| overlaps).count(), 7); // up to 1.5, touching
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedPair<A, B> {
    /// The first shape.
    pub a: A,
    /// Where it is.
    pub pose_a: Pose,
    /// The second shape.
    pub b: B,
    /// Where it is.
    pub pose_b: Pose,
}

/// What is a pair of placed shapes: a [`PairOf`] or a [`PlacedPair`].
///
/// ```
/// use impinge_narrowphase::batch::{AsPair, PairOf, sphere_sphere};
/// use impinge_shapes::{Pose, Sphere, glam::Vec3, simd::simd_level};
///
/// // Pairs of a scene of one's own need not be copied.
/// struct Neighbours<'s>(&'s (Sphere, Pose), &'s (Sphere, Pose));
/// impl AsPair<Sphere, Sphere> for Neighbours<'_> {
///     fn as_pair(&self) -> PairOf<'_, Sphere, Sphere> {
///         PairOf { a: &self.0.0, pose_a: &self.0.1, b: &self.1.0, pose_b: &self.1.1 }
///     }
/// }
/// let row: Vec<(Sphere, Pose)> = [0.0, 1.5, 4.0]
///     .into_iter()
///     .map(|x| Ok((Sphere::new(1.0)?, Pose::from_position(Vec3::X * x)?)))
///     .collect::<Result<_, Box<dyn std::error::Error>>>()?;
/// let pairs = [Neighbours(&row[0], &row[1]), Neighbours(&row[1], &row[2])];
/// let mut found = Vec::new();
/// sphere_sphere::overlaps(&pairs, simd_level(), &mut found);
/// assert_eq!(found, [true, false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait AsPair<A, B> {
    /// The pair, borrowed.
    fn as_pair(&self) -> PairOf<'_, A, B>;
}

impl<A, B> AsPair<A, B> for PairOf<'_, A, B> {
    #[inline(always)]
    fn as_pair(&self) -> PairOf<'_, A, B> {
        *self
    }
}

impl<A, B> AsPair<A, B> for PlacedPair<A, B> {
    #[inline(always)]
    fn as_pair(&self) -> PairOf<'_, A, B> {
        let Self { a, pose_a, b, pose_b } = self;
        PairOf { a, pose_a, b, pose_b }
    }
}

/// Two placed shapes of any kind.
pub type PairRef<'a> = PairOf<'a, Shape, Shape>;

/// [`overlaps`](crate::overlaps) of every pair, in their order; `out` is replaced.
///
/// - Ties: the level changes no answer.
///
/// ```
/// use impinge_narrowphase::batch::{self, PairRef};
/// use impinge_shapes::{Pose, Shape, glam::Vec3, simd::simd_level};
///
/// let (ball, cube) = (Shape::sphere(1.0)?, Shape::cuboid(Vec3::ONE)?);
/// let (here, there) = (Pose::IDENTITY, Pose::from_position(Vec3::X * 2.5)?);
/// let pairs = [
///     PairRef { a: &ball, pose_a: &here, b: &cube, pose_b: &there },
///     PairRef { a: &cube, pose_a: &here, b: &cube, pose_b: &here },
/// ];
/// let mut found = Vec::new();
/// batch::overlaps(&pairs, simd_level(), &mut found);
/// assert_eq!(found, [false, true]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn overlaps(pairs: &[PairRef<'_>], level: SimdLevel, out: &mut Vec<bool>) {
    let single = |PairOf { a, pose_a, b, pose_b }: PairRef<'_>, slot: &mut bool| {
        *slot = queries::overlaps(a, pose_a, b, pose_b);
    };
    in_runs(pairs, out, |run, found| {
        if run.len() < sort::FEW {
            return others(run, sort::in_order(run), found, single);
        }
        let order = sort::Order::new(run);
        ask_kernels!(all, run, order, overlaps(level, found));
        others(run, order.of(Lane::None), found, single);
    });
}

/// [`closest`](crate::closest) of every pair, in their order; `out` is replaced.
///
/// - Ties: the level changes no answer.
///
/// ```
/// use impinge_narrowphase::batch::{self, PairRef};
/// use impinge_shapes::{Pose, Shape, glam::Vec3, simd::simd_level};
///
/// let (ball, cube) = (Shape::sphere(1.0)?, Shape::cuboid(Vec3::ONE)?);
/// let (here, there) = (Pose::IDENTITY, Pose::from_position(Vec3::X * 2.5)?);
/// let pairs = [
///     PairRef { a: &ball, pose_a: &here, b: &cube, pose_b: &there },
///     PairRef { a: &cube, pose_a: &here, b: &cube, pose_b: &here },
/// ];
/// let mut found = Vec::new();
/// batch::closest(&pairs, 9.0, simd_level(), &mut found);
/// let distances: Vec<_> = found.iter().map(|found| found.map(|found| found.distance)).collect();
/// assert_eq!(distances, [Some(0.5), Some(-2.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn closest(
    pairs: &[PairRef<'_>],
    max_distance: f32,
    level: SimdLevel,
    out: &mut Vec<Option<Closest>>,
) {
    let most = max_distance;
    let single = |PairOf { a, pose_a, b, pose_b }: PairRef<'_>, slot: &mut Option<Closest>| {
        *slot = queries::closest(a, pose_a, b, pose_b, most);
    };
    in_runs(pairs, out, |run, found| {
        if run.len() < sort::FEW {
            return others(run, sort::in_order(run), found, single);
        }
        let order = sort::Order::new(run);
        ask_kernels!(all, run, order, closest(most, level, found));
        others(run, order.of(Lane::None), found, single);
    });
}

/// [`distance`](crate::distance) of every pair, in their order; `out` is replaced.
///
/// - Ties: the level changes no answer.
///
/// ```
/// use impinge_narrowphase::batch::{self, PairRef};
/// use impinge_shapes::{Pose, Shape, glam::Vec3, simd::simd_level};
///
/// let (ball, cube) = (Shape::sphere(1.0)?, Shape::cuboid(Vec3::ONE)?);
/// let (here, there) = (Pose::IDENTITY, Pose::from_position(Vec3::X * 2.5)?);
/// let pairs = [
///     PairRef { a: &ball, pose_a: &here, b: &cube, pose_b: &there },
///     PairRef { a: &cube, pose_a: &here, b: &cube, pose_b: &here },
/// ];
/// let mut found = Vec::new();
/// batch::distances(&pairs, simd_level(), &mut found);
/// assert_eq!(found, [0.5, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distances(pairs: &[PairRef<'_>], level: SimdLevel, out: &mut Vec<f32>) {
    let single = |PairOf { a, pose_a, b, pose_b }: PairRef<'_>, slot: &mut f32| {
        *slot = queries::distance(a, pose_a, b, pose_b);
    };
    in_runs(pairs, out, |run, found| {
        if run.len() < sort::FEW {
            return others(run, sort::in_order(run), found, single);
        }
        let order = sort::Order::new(run);
        ask_kernels!(all, run, order, distances(level, found));
        others(run, order.of(Lane::None), found, single);
    });
}

/// Answers run by run in place of what `out` holds: every place is written.
///
/// By runs, because answers are large: those of all pairs would leave the cache between the time
/// when their places are made and the time when they are written.
#[inline(always)]
fn in_runs<P, T: Default>(asked: &[P], out: &mut Vec<T>, mut answer: impl FnMut(&[P], &mut [T])) {
    out.truncate(asked.len());
    out.reserve(asked.len() - out.len());
    for (start, run) in (0..).step_by(sort::RUN).zip(asked.chunks(sort::RUN)) {
        let end = start + run.len();
        out.resize_with(out.len().max(end), T::default);
        answer(run, &mut out[start..end]);
    }
}

/// [`in_runs`] of answers that may have memory of their own; each place holds none at first.
#[inline(always)]
fn in_cleared_runs<P, T: Default>(
    asked: &[P],
    out: &mut Vec<T>,
    mut answer: impl FnMut(&[P], &mut [T]),
) {
    in_runs(asked, out, |run, found| {
        found.fill_with(T::default);
        answer(run, found);
    });
}

/// Answers for the pairs of a kind without lanes.
fn others<T>(
    run: &[PairRef<'_>],
    places: &[u16],
    out: &mut [T],
    answer: impl Fn(PairRef<'_>, &mut T),
) {
    for &place in places {
        let place = usize::from(place);
        if let (Some(pair), Some(slot)) = (run.get(place), out.get_mut(place)) {
            answer(*pair, slot);
        }
    }
}
