//! The triangles that a box may meet along a way, four boxes or triangles at a time.

use std::ops::ControlFlow;

use glam::DVec3;
use smallvec::SmallVec;

use super::cast::BoxRay;
use super::tree::{Block, Boxes, Few, Tree, Visit, WIDTH, outward, push_in_order, triangle_bounds};
use crate::simd::Bits;
use crate::{Aabb, Triangle, tolerance};

/// What is left of a way.
struct Search<'a> {
    path: BoxRay,
    /// All of the way, and the part of it that counts, from where it passes the middle.
    length: f64,
    end: f32,
    passes: &'a mut dyn FnMut(&Aabb) -> bool,
    visit: Visit<'a>,
}

impl Search<'_> {
    /// The boxes that are met, the last one first.
    fn met(&self, boxes: &Boxes) -> SmallVec<[(f32, usize); WIDTH]> {
        let (near, lanes) = self.path.enter(boxes, self.end);
        let mut found = SmallVec::<[(f32, usize); WIDTH]>::new();
        for lane in Bits(lanes.into()) {
            push_in_order(&mut found, 0, (near[lane], lane), |it| it.0);
        }
        found
    }

    /// Whether a lane holds a box that is not passed.
    fn counts(&mut self, boxes: &Boxes, lane: usize) -> bool {
        boxes.get(lane).is_some_and(|bounds| !(self.passes)(&bounds))
    }

    /// Visits those of a few triangles that may be met, the first one first.
    fn pass(&mut self, block: &Block) {
        let mut boxes = Boxes::NONE;
        for (lane, corners) in block.corners.iter().enumerate().take(block.count) {
            let bounds = triangle_bounds(corners);
            boxes.set(lane, bounds.min(), bounds.max());
        }
        for (near, lane) in self.met(&boxes).into_iter().rev() {
            if near > self.end {
                break;
            }
            // Asked anew for each, as the one before may have changed the answer.
            if self.counts(&boxes, lane) {
                let triangle = Triangle::from_finite(block.corners[lane]);
                let found = (self.visit)(block.indices[lane], triangle);
                self.end = self.end.min(self.path.end(found * self.length));
            }
        }
    }

    /// Visits the triangles of leaves; whether there may be more, as not all is passed.
    fn leaves<T: Tree>(&mut self, tree: &T, leaves: impl IntoIterator<Item = T::Link>) -> bool {
        let mut block = Block::EMPTY;
        for link in leaves {
            let _ = tree.leaf(link, &mut |index, corners| {
                if block.is_full() {
                    self.pass(&block);
                    block.count = 0;
                }
                block.push(index, corners);
                ControlFlow::Continue(())
            });
        }
        self.pass(&block);
        !(self.passes)(tree.root_bounds())
    }
}

/// See [`TriangleSet::first_met`](crate::TriangleSet::first_met).
pub(super) fn first_met<T: Tree>(
    tree: &T,
    mover: &Aabb,
    way: DVec3,
    limit: f64,
    passes: &mut dyn FnMut(&Aabb) -> bool,
    visit: Visit<'_>,
) {
    let (min, max) = (mover.min().as_dvec3(), mover.max().as_dvec3());
    let length = way.length();
    let direction = way.try_normalize().unwrap_or(DVec3::X);
    let (middle, half) = ((min + max) * 0.5, (max - min) * 0.5);
    let root = tree.root_bounds();
    let path = if middle.is_finite() && half.is_finite() {
        let size = min.abs().max(max.abs()).element_sum();
        BoxRay::of(middle, direction, half, size, root)
    } else {
        // Everywhere at once.
        let center = root.center().as_dvec3();
        BoxRay::of(center, direction, DVec3::INFINITY, 0.0, root)
    };
    let Some(path) = path else { return };
    let end = path.end(limit * length);
    let mut search = Search { path, length, end, passes, visit };
    let mut few = Few::new();
    if let Some(bounds) = bounds_of_way(mover, way * limit)
        && tree.few_leaves(&bounds, &mut few)
    {
        // What is touched at the start may leave nothing to the others.
        let mut first = Few::new();
        if !tree.few_leaves(mover, &mut first) || search.leaves(tree, first.iter().copied()) {
            few.retain(|link| !first.contains(link));
            search.leaves(tree, few);
        }
        return;
    }
    let mut stack = SmallVec::<[(f32, T::Link); tolerance::STACK]>::new();
    stack.push((path.begin, tree.root()));
    let mut scratch = None;
    while let Some((near, link)) = stack.pop() {
        if near > search.end {
            continue;
        }
        if let Some(node) = tree.open(link, &mut scratch) {
            let mut met = search.met(&node.boxes);
            met.retain(|&mut (_, lane)| search.counts(&node.boxes, lane));
            stack.extend(met.into_iter().map(|(near, lane)| (near, node.links[lane])));
        } else if !search.leaves(tree, [link]) {
            return;
        }
    }
}

/// Bounds of all that a box comes by; `None` where it has no end.
fn bounds_of_way(mover: &Aabb, way: DVec3) -> Option<Aabb> {
    let (min, max) = (mover.min().as_dvec3(), mover.max().as_dvec3());
    let size = min.abs().max(max.abs()) + way.abs();
    let slack = size.element_sum() * tolerance::IN_FRAME;
    outward(min + way.min(DVec3::ZERO) - slack, max + way.max(DVec3::ZERO) + slack)
}
