//! Trees of boxes around triangles, four children to a node.

use std::fmt::Debug;
use std::ops::ControlFlow;

use glam::{DVec3, Vec3};
use smallvec::{Array, SmallVec};

use crate::{Aabb, Triangle, round, tolerance};

/// Leaves that are looked at one after the other.
pub(crate) type Few<Link> = SmallVec<[Link; tolerance::FEW_LEAVES]>;

/// Children of a node.
pub(crate) const WIDTH: usize = 4;

/// Four boxes, coordinate by coordinate; a lane without a child is inverted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boxes {
    /// Lower corners, by axis and lane.
    pub min: [[f32; WIDTH]; 3],
    /// Upper corners, by axis and lane.
    pub max: [[f32; WIDTH]; 3],
}

impl Boxes {
    /// No box in any lane.
    pub const NONE: Self =
        Self { min: [[f32::INFINITY; WIDTH]; 3], max: [[f32::NEG_INFINITY; WIDTH]; 3] };

    /// Puts a box into a lane.
    #[inline]
    pub fn set(&mut self, lane: usize, min: Vec3, max: Vec3) {
        for axis in 0..3 {
            self.min[axis][lane] = min[axis];
            self.max[axis][lane] = max[axis];
        }
    }

    /// The box of a lane, `None` without one.
    #[inline]
    pub fn get(&self, lane: usize) -> Option<Aabb> {
        let corner = |side: &[[f32; WIDTH]; 3]| Vec3::from_array(side.map(|axis| axis[lane]));
        let (min, max) = (corner(&self.min), corner(&self.max));
        min.cmple(max).all().then(|| Aabb::from_sorted(min, max))
    }

    /// Bit for each lane whose box touches `bounds`.
    #[inline]
    pub fn touching(&self, bounds: &Aabb) -> u8 {
        let (min, max) = (bounds.min(), bounds.max());
        let mut hit = [true; WIDTH];
        for axis in 0..3 {
            let (lower, upper) = (&self.min[axis], &self.max[axis]);
            for lane in 0..WIDTH {
                hit[lane] &= lower[lane] <= max[axis] && min[axis] <= upper[lane];
            }
        }
        bits(hit)
    }
}

/// The lanes that hold, as bits.
#[inline]
pub(super) fn bits(lanes: [bool; WIDTH]) -> u8 {
    lanes.iter().rev().fold(0, |bits, &lane| bits << 1 | u8::from(lane))
}

/// Four boxes and where they lead.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Node<L> {
    /// The children's boxes.
    pub boxes: Boxes,
    /// The children; a lane without a box leads to a leaf without triangles.
    pub links: [L; WIDTH],
}

/// Triangles in a tree of boxes, in the frame of the shape they belong to.
///
/// The tree decides the order of visits only. Boxes are exact: closed, and no smaller or larger
/// than what they hold.
pub trait Tree {
    /// Names a node or a leaf.
    type Link: Copy + Debug + PartialEq;

    /// The node or leaf that holds everything.
    fn root(&self) -> Self::Link;

    /// Bounds of all triangles.
    fn root_bounds(&self) -> &Aabb;

    /// Whether there is no node behind the link, but triangles.
    fn is_leaf(&self, link: Self::Link) -> bool;

    /// The node of an inner link, either stored or made in `scratch`; `None` for a leaf.
    fn open<'a>(
        &'a self,
        link: Self::Link,
        scratch: &'a mut Option<Node<Self::Link>>,
    ) -> Option<&'a Node<Self::Link>>;

    /// A leaf that is likely to hold what is nearest to a point, where one is soon found.
    #[inline]
    fn leaf_below(&self, _point: Vec3) -> Option<Self::Link> {
        None
    }

    /// Whether leaves that may touch bounds are few and soon found: then all of them, each once.
    #[inline]
    fn few_leaves(&self, _bounds: &Aabb, _found: &mut Few<Self::Link>) -> bool {
        false
    }

    /// Visits the triangles of a leaf with their index and corners.
    fn leaf(
        &self,
        link: Self::Link,
        visit: &mut impl FnMut(u32, &[Vec3; 3]) -> ControlFlow<()>,
    ) -> ControlFlow<()>;
}

/// What answers for a triangle with the new limit of a search; called, because a copy of the search
/// for every caller takes longer to compile than a call takes beside the answer.
pub(super) type Visit<'a> = &'a mut dyn FnMut(u32, Triangle) -> f64;

/// Pushes among those pushed since `first`, of which the one with the least key comes last and so is
/// taken first.
#[inline]
pub(super) fn push_in_order<A: Array, K: PartialOrd>(
    stack: &mut SmallVec<A>,
    first: usize,
    next: A::Item,
    key: impl Fn(&A::Item) -> K,
) {
    let (mut at, own) = (stack.len(), key(&next));
    stack.push(next);
    while at > first && key(&stack[at - 1]) < own {
        stack.swap(at - 1, at);
        at -= 1;
    }
}

/// Bounds of all between two corners, rounded outward; `None` where they have no end.
pub(super) fn outward(low: DVec3, high: DVec3) -> Option<Aabb> {
    (low.is_finite() && high.is_finite()).then(|| {
        let (low, high) = (low.to_array().map(round::down), high.to_array().map(round::up));
        Aabb::from_sorted(low.into(), high.into())
    })
}

/// Up to four triangles of leaves.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) corners: [[Vec3; 3]; WIDTH],
    pub(super) indices: [u32; WIDTH],
    pub(super) count: usize,
}

impl Block {
    pub(super) const EMPTY: Self =
        Self { corners: [[Vec3::ZERO; 3]; WIDTH], indices: [0; WIDTH], count: 0 };

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.count == WIDTH
    }

    #[inline]
    pub(super) fn push(&mut self, index: u32, corners: &[Vec3; 3]) {
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = *corners;
            self.indices[self.count] = index;
            self.count += 1;
        }
    }
}

/// Bounds of a triangle.
#[inline]
pub(crate) fn triangle_bounds(corners: &[Vec3; 3]) -> Aabb {
    let [a, b, c] = *corners;
    Aabb::from_sorted(a.min(b).min(c), a.max(b).max(c))
}
