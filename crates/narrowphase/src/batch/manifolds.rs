//! Manifolds of any mix of pairs: in a list, or where the caller wants them.

use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::SimdLevel;
use smallvec::SmallVec;

use super::kinds::ask_kernels;
use super::onward::Onward;
use super::sort::{self, Lane};
use super::source::{Picked, Source};
use super::{PairOf, PairRef, boxes, in_cleared_runs};
use crate::pairs::cuboid_cuboid::lanes::CuboidCuboid;
use crate::slot::{Slots, begin_in};
use crate::witness::Room;
use crate::{ContactPoints, Manifold, common, queries};

/// Makes room for the manifolds of many pairs, one by one, where they are to stay.
///
/// A manifold is large (some 160 bytes), and most pairs whose bounds overlap have none: who keeps
/// manifolds in a place of its own has them made there by [`manifolds_into`], without a list of
/// answers in between.
///
/// ```
/// use impinge_narrowphase::batch::{ManifoldSink, PairRef, manifolds_into};
/// use impinge_narrowphase::{ContactPoints, Manifold};
/// use impinge_shapes::{Pose, Shape, glam::Vec3, simd::simd_level};
///
/// /// Contacts side by side, each with the index of its pair.
/// #[derive(Default)]
/// struct Contacts(Vec<(usize, Manifold)>);
///
/// impl ManifoldSink for Contacts {
///     fn begin(&mut self, pair: usize, normal: Vec3, parts: (u32, u32)) -> &mut ContactPoints {
///         let (part_a, part_b) = parts;
///         let empty = Manifold { normal, points: ContactPoints::new(), part_a, part_b };
///         self.0.push((pair, empty));
///         &mut self.0.last_mut().unwrap().1.points
///     }
/// }
///
/// let cube = Shape::cuboid(Vec3::ONE)?;
/// let poses = [0.0, 1.75, 5.0].map(|x| Pose::from_position(Vec3::X * x).unwrap());
/// let [a, b, c] = &poses;
/// let pair = |pose_a, pose_b| PairRef { a: &cube, pose_a, b: &cube, pose_b };
/// let mut found = Contacts::default();
/// manifolds_into(&[pair(a, c), pair(b, c), pair(a, b)], 0.0, simd_level(), &mut found);
/// let [(2, manifold)] = &found.0[..] else { panic!("only the last two touch") };
/// assert_eq!((manifold.distance(), manifold.points.len()), (-0.25, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ManifoldSink {
    /// Begins a manifold of the pair of this index: gives the list, which is empty, that its points
    /// are to be put in.
    ///
    /// - `normal`: unit, from A to B, in the world; `parts`: those of A and B, as in [`Manifold`].
    /// - Order: that of pairs is any; the manifolds of a pair begin one after the other, in the order
    ///   of [`manifolds`].
    fn begin(&mut self, pair: usize, normal: Vec3, parts: (u32, u32)) -> &mut ContactPoints;
}

/// [`manifolds`](crate::manifolds) of every pair, in their order; `out` is replaced.
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
/// batch::manifolds(&pairs, 0.5, simd_level(), &mut found);
/// assert_eq!((found[0][0].distance(), found[0][0].points.len()), (0.5, 1));
/// assert_eq!((found[1][0].distance(), found[1][0].points.len()), (-2.0, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn manifolds(
    pairs: &[PairRef<'_>],
    margin: f32,
    level: SimdLevel,
    out: &mut Vec<SmallVec<[Manifold; 1]>>,
) {
    let margin = margin.max(0.0);
    in_cleared_runs(pairs, out, |run, found| {
        manifolds_of_run(run, margin, level, &mut InLists(found), 0);
    });
}

/// [`manifolds`] of every pair, each made where the sink says; see [`ManifoldSink`].
///
/// - Ties: the level changes no answer, and no order of pairs.
///
/// ```
/// use impinge_narrowphase::batch::{ManifoldSink, PairRef, manifolds_into};
/// use impinge_narrowphase::ContactPoints;
/// use impinge_shapes::{Pose, Shape, glam::Vec3, simd::simd_level};
///
/// /// Who only wants normals lets go of the points.
/// #[derive(Default)]
/// struct Normals(Vec<Vec3>, ContactPoints);
///
/// impl ManifoldSink for Normals {
///     fn begin(&mut self, _: usize, normal: Vec3, _: (u32, u32)) -> &mut ContactPoints {
///         self.0.push(normal);
///         self.1.clear();
///         &mut self.1
///     }
/// }
///
/// let (ball, floor) = (Shape::sphere(1.0)?, Shape::half_space(Vec3::Y, 0.0)?);
/// let (here, there) = (&Pose::IDENTITY, &Pose::from_position(Vec3::Y * 0.5)?);
/// let pair = PairRef { a: &floor, pose_a: here, b: &ball, pose_b: there };
/// let mut found = Normals::default();
/// manifolds_into(&[pair], 0.0, simd_level(), &mut found);
/// assert_eq!(found.0, [Vec3::Y]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn manifolds_into(
    pairs: &[PairRef<'_>],
    margin: f32,
    level: SimdLevel,
    sink: &mut (impl ManifoldSink + ?Sized),
) {
    let (margin, mut sink) = (margin.max(0.0), By(sink));
    for (first, run) in (0..).step_by(sort::RUN).zip(pairs.chunks(sort::RUN)) {
        manifolds_of_run(run, margin, level, &mut sink, first);
    }
}

/// A sink of any type, which has a size.
struct By<'s, S: ?Sized>(&'s mut S);

impl<S: ManifoldSink + ?Sized> ManifoldSink for By<'_, S> {
    #[inline]
    fn begin(&mut self, pair: usize, normal: Vec3, parts: (u32, u32)) -> &mut ContactPoints {
        self.0.begin(pair, normal, parts)
    }
}

/// The list of each pair.
struct InLists<'l>(&'l mut [SmallVec<[Manifold; 1]>]);

impl ManifoldSink for InLists<'_> {
    #[inline]
    fn begin(&mut self, pair: usize, normal: Vec3, parts: (u32, u32)) -> &mut ContactPoints {
        begin_in(&mut self.0[pair], normal, parts)
    }
}

/// The manifolds of a run.
fn manifolds_of_run(
    run: &[PairRef<'_>],
    margin: f32,
    level: SimdLevel,
    sink: &mut impl ManifoldSink,
    first: usize,
) {
    if run.len() < sort::FEW {
        let places = sort::in_order(run);
        return manifolds_one_by_one(run, places, margin, &mut Onward { sink, first });
    }
    let order = sort::Order::new(run);
    let two = Picked { run, places: order.of(Lane::CuboidCuboid) };
    boxes::manifolds::<CuboidCuboid>(&two, margin, level, &mut Onward { sink, first });
    if two.places.len() < run.len() {
        manifolds_of_others(run, &order, margin, level, &mut Onward { sink, first });
    }
}

/// The manifolds of all but boxes, made by a sink whose type is not known, so that the kernels of all
/// these kinds and levels are compiled once, and not for each sink.
fn manifolds_of_others(
    run: &[PairRef<'_>],
    order: &sort::Order,
    margin: f32,
    level: SimdLevel,
    found: &mut Onward<'_, dyn ManifoldSink + '_>,
) {
    ask_kernels!(all_but_boxes, run, order, manifolds(margin, level, found));
    manifolds_one_by_one(run, order.of(Lane::None), margin, found);
}

/// The manifolds of the pairs at some places, by single calls.
fn manifolds_one_by_one(
    run: &[PairRef<'_>],
    places: &[u16],
    margin: f32,
    found: &mut Onward<'_, dyn ManifoldSink + '_>,
) {
    for &place in places {
        let place = usize::from(place);
        let Some(&PairOf { a, pose_a, b, pose_b }) = run.get(place) else { continue };
        found.put_all(place, |all| queries::manifolds_into(a, pose_a, b, pose_b, margin, all));
    }
}

/// Manifolds of several points of the pairs of a known kind, made where they stay.
#[inline(never)]
pub(super) fn several<'a, K: Room>(
    source: &(impl Source<'a, K> + ?Sized),
    margin: f32,
    out: &mut (impl Slots + ?Sized),
) {
    for index in 0..source.count() {
        let slot = out.slot(source.place(index));
        if let (Some(mut slot), Some(item)) = (slot, source.item(index)) {
            let PairOf { a, b, .. } = item.pair;
            common::several::<K>(a, b, item.flipped, item.poses(), margin.into(), &mut slot);
        }
    }
}
