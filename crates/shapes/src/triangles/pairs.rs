//! Two trees at once: triangles of the one near triangles of the other.

use std::ops::ControlFlow;

use glam::{DMat3, DVec3, Vec3};
use smallvec::SmallVec;

use super::TriangleSet;
use super::tree::{Tree, WIDTH, push_in_order, triangle_bounds};
use crate::{Aabb, Pose, round, tolerance};

/// Visits pairs of a triangle of `a` and one of `b`, among them every pair whose distance is at
/// most `margin`, until told to stop.
///
/// - Frame: the shapes are at `pose_a` and `pose_b`; `margin` is a length in the world.
/// - Ties: each pair is visited at most once, in an order that is always the same but means
///   nothing.
/// - Degenerate: a margin that is negative or NaN visits nothing.
/// - Cost: grows with the number of pairs whose bounds, those of `b` widened to the axes of `a`,
///   lie that close.
///
/// ```
/// use std::ops::ControlFlow;
/// use impinge_shapes::{HeightField, Pose, for_each_pair_in};
/// use glam::Vec3;
///
/// let floor = HeightField::new(2, 3, vec![0.0; 6], Vec3::new(4.0, 1.0, 2.0))?;
/// let beside = Pose::from_position(Vec3::new(4.0, 0.5, 0.0)).unwrap();
/// let mut pairs = Vec::new();
/// let _ = for_each_pair_in(&floor, &floor, &Pose::IDENTITY, &beside, 0.5, &mut |a, b| {
///     pairs.push((a, b));
///     ControlFlow::Continue(())
/// });
/// pairs.sort_unstable();
/// // The last cell of the one is half a unit below and beside the first of the other.
/// assert_eq!(pairs, [(2, 0), (2, 1), (3, 0), (3, 1)]);
/// # Ok::<(), impinge_shapes::HeightFieldError>(())
/// ```
pub fn for_each_pair_in<A: TriangleSet, B: TriangleSet>(
    a: &A,
    b: &B,
    pose_a: &Pose,
    pose_b: &Pose,
    margin: f64,
    visit: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if margin.is_nan() || margin < 0.0 {
        return ControlFlow::Continue(());
    }
    let place = Place::new(pose_a, pose_b, b.root_bounds());
    walk(a, b, &place, &least_distance, margin, &mut |a, b| visit(a, b).map_continue(|()| margin))
}

/// Branch and bound over the pairs of a triangle of `a` and one of `b`.
///
/// `visit` is called with pairs that may be closer than `limit` and answers with the new limit,
/// usually the distance of the pair where that is smaller; a larger one changes nothing. Pairs
/// that are exactly as far as the limit are visited too, so that ties can be decided.
///
/// - Frame: the shapes are at `pose_a` and `pose_b`; distances are those of the world.
/// - Ties: the nearer boxes come first; beyond that the order is always the same but means
///   nothing.
///
/// ```
/// use impinge_shapes::{HeightField, Pose, nearest_pair};
/// use glam::Vec3;
///
/// let floor = HeightField::new(2, 3, vec![0.0; 6], Vec3::new(4.0, 1.0, 2.0))?;
/// let above = Pose::from_position(Vec3::Y * 3.0)?;
/// let mut visited = 0;
/// nearest_pair(&floor, &floor, &Pose::IDENTITY, &above, f64::INFINITY, &mut |a, b| {
///     visited += 1;
///     assert!(floor.triangle(a).is_some() && floor.triangle(b).is_some());
///     3.0 // the distance of any two that lie above each other
/// });
/// assert!(visited > 0 && visited <= 16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn nearest_pair<A: TriangleSet, B: TriangleSet>(
    a: &A,
    b: &B,
    pose_a: &Pose,
    pose_b: &Pose,
    limit: f64,
    visit: &mut impl FnMut(u32, u32) -> f64,
) {
    first_pair(a, b, pose_a, pose_b, limit, &least_distance, visit);
}

/// [`nearest_pair`] by another measure than the distance, such as the time at which the two meet.
///
/// `bound` is a lower bound of it for all that two boxes hold; a box within another must not have
/// a lower one.
///
/// - Frame: both boxes of `bound` are along the axes of `a`, in its frame.
/// - Ties: the boxes with the lower bound come first, as with [`nearest_pair`].
///
/// ```
/// use impinge_shapes::{Aabb, HeightField, Pose, first_pair};
/// use glam::Vec3;
///
/// let floor = HeightField::new(2, 3, vec![0.0; 6], Vec3::new(4.0, 1.0, 2.0))?;
/// let above = Pose::from_position(Vec3::Y * 3.0)?;
/// // When they meet, if the upper one falls by one unit a second.
/// let fall = |low: &Aabb, high: &Aabb| f64::from(high.min().y) - f64::from(low.max().y);
/// let mut first = f64::INFINITY;
/// first_pair(&floor, &floor, &Pose::IDENTITY, &above, 9.0, &fall, &mut |_, _| {
///     first = 3.0;
///     first
/// });
/// assert_eq!(first, 3.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn first_pair<A: TriangleSet, B: TriangleSet>(
    a: &A,
    b: &B,
    pose_a: &Pose,
    pose_b: &Pose,
    limit: f64,
    bound: &impl Fn(&Aabb, &Aabb) -> f64,
    visit: &mut impl FnMut(u32, u32) -> f64,
) {
    let place = Place::new(pose_a, pose_b, b.root_bounds());
    let _ = walk(a, b, &place, bound, limit, &mut |a, b| ControlFlow::Continue(visit(a, b)));
}

/// Where B is as A sees it, and how far rounding may have moved its points.
struct Place {
    rotation: DMat3,
    translation: DVec3,
    slack: f64,
}

impl Place {
    fn new(pose_a: &Pose, pose_b: &Pose, bounds_b: &Aabb) -> Self {
        let to_a = pose_a.rotation_matrix().transpose();
        let arm = pose_b.translation() - pose_a.translation();
        let corner = bounds_b.min().abs().max(bounds_b.max().abs()).as_dvec3();
        let size = arm.abs().element_sum() + corner.element_sum();
        Self {
            rotation: to_a * pose_b.rotation_matrix(),
            translation: to_a * arm,
            slack: size * tolerance::IN_FRAME,
        }
    }

    /// Bounds of a box of B along A's axes.
    fn bounds(&self, bounds: &Aabb) -> Aabb {
        let (min, max) = (bounds.min().as_dvec3(), bounds.max().as_dvec3());
        let (center, half) = ((min + max) * 0.5, (max - min) * 0.5);
        let center = self.rotation * center + self.translation;
        let rows = self.rotation.transpose();
        let reach = |axis: usize| rows.col(axis).abs().dot(half);
        let half = DVec3::new(reach(0), reach(1), reach(2)) + self.slack;
        Self::outward(center - half, center + half)
    }

    /// Bounds of a triangle of B along A's axes.
    fn triangle_bounds(&self, corners: &[Vec3; 3]) -> Aabb {
        let [a, b, c] = corners.map(|v| self.rotation * v.as_dvec3() + self.translation);
        Self::outward(a.min(b).min(c) - self.slack, a.max(b).max(c) + self.slack)
    }

    fn outward(min: DVec3, max: DVec3) -> Aabb {
        let (min, max) = (min.to_array().map(round::down), max.to_array().map(round::up));
        Aabb::from_sorted(min.into(), max.into())
    }
}

/// A lower bound of the distance of two boxes.
fn least_distance(a: &Aabb, b: &Aabb) -> f64 {
    let below = b.min().as_dvec3() - a.max().as_dvec3();
    let above = a.min().as_dvec3() - b.max().as_dvec3();
    below.max(above).max(DVec3::ZERO).length() * tolerance::LENGTH_DOWN
}

/// A node or leaf of each tree, its box, and the lower bound of the two.
#[derive(Clone, Copy, Debug)]
struct Step<L, M> {
    least: f64,
    a: L,
    bounds_a: Aabb,
    b: M,
    bounds_b: Aabb,
}

/// Both bounds are along A's axes.
fn size(bounds: &Aabb) -> f64 {
    (bounds.max().as_dvec3() - bounds.min().as_dvec3()).element_sum()
}

/// What answers for two triangles with the new limit; called, so that there is one walk for all.
type Visit<'a> = &'a mut dyn FnMut(u32, u32) -> ControlFlow<(), f64>;

fn walk<A: Tree, B: Tree>(
    a: &A,
    b: &B,
    place: &Place,
    bound: &impl Fn(&Aabb, &Aabb) -> f64,
    limit: f64,
    visit: Visit<'_>,
) -> ControlFlow<()> {
    let mut limit = limit;
    let (mut scratch_a, mut scratch_b) = (None, None);
    let (bounds_a, bounds_b) = (*a.root_bounds(), place.bounds(b.root_bounds()));
    let least = bound(&bounds_a, &bounds_b);
    let mut stack = SmallVec::<[Step<A::Link, B::Link>; tolerance::STACK]>::new();
    stack.push(Step { least, a: a.root(), bounds_a, b: b.root(), bounds_b });
    while let Some(step) = stack.pop() {
        if step.least > limit {
            continue;
        }
        // The larger of the two is taken apart, a leaf never.
        let larger_a = size(&step.bounds_a) >= size(&step.bounds_b);
        let open_a = if larger_a { !a.is_leaf(step.a) } else { b.is_leaf(step.b) };
        let node_a = if open_a { a.open(step.a, &mut scratch_a) } else { None };
        let node_b = if open_a { None } else { b.open(step.b, &mut scratch_b) };
        let first = stack.len();
        let mut push = |next: Step<A::Link, B::Link>| {
            // A bound that is no number excludes nothing.
            if next.least > limit {
                return;
            }
            push_in_order(&mut stack, first, next, |it| it.least);
        };
        if let Some(node) = node_a {
            for lane in 0..WIDTH {
                let Some(bounds_a) = node.boxes.get(lane) else { continue };
                let least = bound(&bounds_a, &step.bounds_b);
                push(Step { least, a: node.links[lane], bounds_a, ..step });
            }
        } else if let Some(node) = node_b {
            for lane in 0..WIDTH {
                let Some(bounds) = node.boxes.get(lane) else { continue };
                let bounds_b = place.bounds(&bounds);
                let least = bound(&step.bounds_a, &bounds_b);
                push(Step { least, b: node.links[lane], bounds_b, ..step });
            }
        } else {
            leaves(a, b, place, bound, &step, &mut limit, visit)?;
        }
    }
    ControlFlow::Continue(())
}

fn leaves<A: Tree, B: Tree>(
    a: &A,
    b: &B,
    place: &Place,
    bound: &impl Fn(&Aabb, &Aabb) -> f64,
    step: &Step<A::Link, B::Link>,
    limit: &mut f64,
    visit: Visit<'_>,
) -> ControlFlow<()> {
    b.leaf(step.b, &mut |in_b, corners| {
        let bounds_b = place.triangle_bounds(corners);
        if bound(&step.bounds_a, &bounds_b) > *limit {
            return ControlFlow::Continue(());
        }
        a.leaf(step.a, &mut |in_a, corners| {
            if bound(&triangle_bounds(corners), &bounds_b) <= *limit {
                *limit = limit.min(visit(in_a, in_b)?);
            }
            ControlFlow::Continue(())
        })
    })
}
