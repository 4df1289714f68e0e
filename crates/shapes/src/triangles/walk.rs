//! Walks over a tree of boxes: what touches bounds, what is nearest, what is farthest along a
//! direction, on which side of a plane everything lies.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use glam::{DVec3, Vec3};
use smallvec::SmallVec;

use super::tree::{Tree, WIDTH, push_in_order, triangle_bounds};
use crate::exact::Exact;
use crate::filter::{Approx, Number, Rotation, Vector};
use crate::{Aabb, Plane, PlaneSide, Pose, Triangle, round, tolerance};

/// Visits the triangles whose bounds touch `bounds`, corners included.
pub(crate) fn for_each_in<T: Tree>(
    tree: &T,
    bounds: &Aabb,
    visit: &mut impl FnMut(u32, &[Vec3; 3]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if !bounds.overlaps(tree.root_bounds()) {
        return ControlFlow::Continue(());
    }
    let mut scratch = None;
    let mut stack = SmallVec::<[T::Link; tolerance::STACK]>::new();
    stack.push(tree.root());
    while let Some(link) = stack.pop() {
        if let Some(node) = tree.open(link, &mut scratch) {
            let mut lanes = node.boxes.touching(bounds);
            while lanes != 0 {
                stack.push(node.links[lanes.trailing_zeros() as usize]);
                lanes &= lanes - 1;
            }
            continue;
        }
        for_each_of_leaf(tree, link, bounds, visit)?;
    }
    ControlFlow::Continue(())
}

/// Visits the triangles of a leaf whose bounds touch `bounds`, corners included.
#[inline]
pub(crate) fn for_each_of_leaf<T: Tree>(
    tree: &T,
    leaf: T::Link,
    bounds: &Aabb,
    visit: &mut impl FnMut(u32, &[Vec3; 3]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    tree.leaf(leaf, &mut |index, corners| {
        if triangle_bounds(corners).overlaps(bounds) {
            visit(index, corners)
        } else {
            ControlFlow::Continue(())
        }
    })
}

/// Branch and bound: see [`TriangleMesh::nearest`](crate::TriangleMesh::nearest).
pub(crate) fn nearest<T: Tree>(
    tree: &T,
    limit: f64,
    bound: &mut impl FnMut(&Aabb) -> f64,
    visit: &mut dyn FnMut(u32, &[Vec3; 3]) -> f64,
) {
    let mut limit = limit;
    let mut scratch = None;
    let mut stack = SmallVec::<[(f64, T::Link); tolerance::STACK]>::new();
    stack.push((bound(tree.root_bounds()), tree.root()));
    while let Some((least, link)) = stack.pop() {
        // A bound that is no number excludes nothing.
        if least > limit {
            continue;
        }
        if let Some(node) = tree.open(link, &mut scratch) {
            let first = stack.len();
            for lane in 0..WIDTH {
                let Some(bounds) = node.boxes.get(lane) else { continue };
                let least = bound(&bounds);
                if least > limit {
                    continue;
                }
                push_in_order(&mut stack, first, (least, node.links[lane]), |it| it.0);
            }
            continue;
        }
        let _ = tree.leaf(link, &mut |index, corners| {
            let least = bound(&triangle_bounds(corners));
            if least > limit {
                return ControlFlow::Continue(());
            }
            limit = limit.min(visit(index, corners));
            ControlFlow::Continue(())
        });
    }
}

/// The corner farthest along a direction of the tree's frame, and how far.
///
/// - Ties: one of the corners, always the same.
pub(crate) fn extreme<T: Tree>(tree: &T, direction: DVec3) -> (f64, Vec3) {
    let height = |v: Vec3| {
        // Rounding is monotonic, so that no corner of a box lies below a corner within it.
        let v = v.as_dvec3() * direction;
        v.x + v.y + v.z
    };
    let farthest = |bounds: &Aabb| {
        let (min, max) = (bounds.min(), bounds.max());
        height(Vec3::select(direction.cmpgt(DVec3::ZERO), max, min))
    };
    let mut best: Option<(f64, Vec3)> = None;
    let mut bound = |bounds: &Aabb| -farthest(bounds);
    let mut visit = |_: u32, corners: &[Vec3; 3]| {
        for corner in corners {
            let height = height(*corner);
            if best.is_none_or(|(most, _)| height > most) {
                best = Some((height, *corner));
            }
        }
        // Equal corners need not be looked at.
        best.map_or(f64::INFINITY, |(most, _)| (-most).next_down())
    };
    nearest(tree, f64::INFINITY, &mut bound, &mut visit);
    best.unwrap_or((0.0, Vec3::ZERO))
}

/// Bounds in the world of the triangles of a tree, rounded outward.
pub(crate) fn world_bounds<T: Tree>(tree: &T, pose: &Pose) -> Aabb {
    let m = pose.rotation_matrix();
    let bounds = tree.root_bounds();
    let (rows, translation) = (m.transpose(), pose.translation());
    let (mut min, mut max) = (Vec3::ZERO, Vec3::ZERO);
    let exact = pose.permutes_axes();
    let size = bounds.min().abs().max(bounds.max().abs()).as_dvec3().element_sum();
    let slack = if exact { 0.0 } else { size * tolerance::ROTATED_BOUNDS };
    for axis in 0..3 {
        let row = rows.col(axis);
        let farthest = |direction: DVec3| extreme(tree, direction).0;
        // Each sum is directed, so that the slack is not rounded away.
        let up = round::add_up(farthest(row), slack);
        let down = round::add_up(farthest(-row), slack);
        min[axis] = round::sum_down(translation[axis], -down);
        max[axis] = round::sum_up(translation[axis], up);
    }
    Aabb::from_sorted(min, max)
}

/// Heights of corners above a plane of the world, each times one positive number.
struct Heights<N> {
    along: Vector<N>,
    offset: N,
}

impl<N: Number> Heights<N> {
    fn new(pose: &Pose, plane: &Plane) -> Self {
        let rotation = Rotation::<N>::new(pose.rotation());
        let normal = Vector::<N>::new(plane.normal());
        let offset = normal
            .dot(&Vector::new(pose.position()))
            .minus(&N::new(plane.distance().into()))
            .times(&rotation.norm);
        Self { along: rotation.unrotate(&normal), offset }
    }

    fn sign(&self, corner: Vec3) -> Option<Ordering> {
        self.along.dot(&Vector::new(corner)).plus(&self.offset).known_sign()
    }
}

/// Side of the plane on which all triangles of a tree lie. Exact.
pub(crate) fn side<T: Tree>(tree: &T, pose: &Pose, plane: &Plane) -> PlaneSide {
    let approx = Heights::<Approx>::new(pose, plane);
    let mut exact: Option<Heights<Exact>> = None;
    let mut sign = |corner: Vec3| {
        approx
            .sign(corner)
            .or_else(|| exact.get_or_insert_with(|| Heights::new(pose, plane)).sign(corner))
    };
    let rough = RoughPlane::new(pose, plane);
    let (mut front, mut behind) = (false, false);
    let mut scratch = None;
    let mut stack = SmallVec::<[T::Link; tolerance::STACK]>::new();
    match rough.side(tree.root_bounds()) {
        Some(side) => return side,
        None => stack.push(tree.root()),
    }
    while let Some(link) = stack.pop() {
        if front && behind {
            break;
        }
        if let Some(node) = tree.open(link, &mut scratch) {
            for lane in 0..WIDTH {
                let Some(bounds) = node.boxes.get(lane) else { continue };
                match rough.side(&bounds) {
                    Some(PlaneSide::Front) => front = true,
                    Some(PlaneSide::Behind) => behind = true,
                    _ => stack.push(node.links[lane]),
                }
            }
            continue;
        }
        let touching = tree.leaf(link, &mut |_, corners| {
            for corner in corners {
                match sign(*corner) {
                    Some(Ordering::Greater) => front = true,
                    Some(Ordering::Less) => behind = true,
                    _ => return ControlFlow::Break(()),
                }
            }
            ControlFlow::Continue(())
        });
        if touching.is_break() {
            return PlaneSide::Straddling;
        }
    }
    match (front, behind) {
        (true, false) => PlaneSide::Front,
        (false, true) => PlaneSide::Behind,
        _ => PlaneSide::Straddling,
    }
}

/// A plane of the world in the frame of a tree, in plain f64.
struct RoughPlane {
    normal: DVec3,
    offset: f64,
    /// Sum of the magnitudes in the offset.
    size: f64,
}

impl RoughPlane {
    fn new(pose: &Pose, plane: &Plane) -> Self {
        let (normal, distance) = (plane.normal().as_dvec3(), f64::from(plane.distance()));
        let at = pose.translation();
        Self {
            normal: pose.rotation_matrix().transpose() * normal,
            offset: normal.dot(at) - distance,
            size: normal.abs().dot(at.abs()) + distance.abs(),
        }
    }

    /// The side of a box where it is clear.
    fn side(&self, bounds: &Aabb) -> Option<PlaneSide> {
        let (min, max) = (bounds.min().as_dvec3(), bounds.max().as_dvec3());
        let ascending = self.normal.cmpgt(DVec3::ZERO);
        let low = self.normal.dot(DVec3::select(ascending, min, max)) + self.offset;
        let high = self.normal.dot(DVec3::select(ascending, max, min)) + self.offset;
        // A unit normal has components up to 1 and 2^-23 more.
        let size = self.size + 2.0 * min.abs().max(max.abs()).element_sum();
        let error = size * tolerance::IN_FRAME;
        if low > error {
            Some(PlaneSide::Front)
        } else if high < -error {
            Some(PlaneSide::Behind)
        } else {
            None
        }
    }
}

/// Whether a point of the world lies on a triangle of the tree. Exact.
pub(crate) fn contains_point<T: Tree>(tree: &T, pose: &Pose, point: Vec3) -> bool {
    let mut holds = |_: u32, corners: &[Vec3; 3]| {
        if Triangle::from_finite(*corners).contains_point(pose, point) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    point.is_finite() && for_each_in(tree, &local_point(pose, point), &mut holds).is_break()
}

/// The place of a point of the world in the frame of a body, as a box around all that rounding
/// may have made of it.
fn local_point(pose: &Pose, point: Vec3) -> Aabb {
    let arm = point.as_dvec3() - pose.translation();
    let at = pose.rotation_matrix().transpose() * arm;
    let error = arm.abs().element_sum() * tolerance::IN_FRAME + tolerance::UNDERFLOW;
    let lower = (at - error).to_array().map(round::down);
    let upper = (at + error).to_array().map(round::up);
    Aabb::from_sorted(lower.into(), upper.into())
}
