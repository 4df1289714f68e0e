//! The tree of a mesh, built from the top by the surface area heuristic over binned centres.
//!
//! - Source: Wald, *On fast Construction of SAH-based Bounding Volume Hierarchies* (2007); ranges
//!   are split until a node has its four, the largest first (Wald, Benthin and Boulos, *Getting
//!   Rid of Packets*, 2008, §3).

use glam::Vec3;

use crate::triangles::{Boxes, Node, WIDTH, triangle_bounds};
use crate::{Aabb, tolerance};

/// A node, or a run of triangles in the tree's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Index of the node, or of the first triangle.
    pub first: u32,
    /// Number of triangles; [`Link::NODE`] for a node.
    pub count: u32,
}

impl Link {
    /// Marks a node.
    pub const NODE: u32 = u32::MAX;
    /// No triangle at all.
    const NOTHING: Self = Self { first: 0, count: 0 };
}

/// A triangle in the tree's order, with its index in the mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// Corners in the order of the mesh.
    pub corners: [Vec3; 3],
    /// Index in the mesh.
    pub index: u32,
}

/// The tree of a mesh.
#[derive(Clone, Debug)]
pub(super) struct MeshTree {
    /// Nodes, parents before their children.
    pub nodes: Vec<Node<Link>>,
    /// The triangles, those of a leaf beside each other.
    pub triangles: Vec<Placed>,
    /// Bounds of all triangles.
    pub bounds: Aabb,
    /// Where to begin.
    pub root: Link,
}

/// A triangle while the tree is built.
#[derive(Clone, Copy, Debug)]
struct Item {
    min: Vec3,
    max: Vec3,
    index: u32,
}

impl Item {
    /// Halved before they are added, so that nothing overflows.
    #[inline]
    fn center(&self) -> Vec3 {
        self.min * 0.5 + self.max * 0.5
    }
}

/// Bounds that grow; those of nothing are inverted.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    min: Vec3,
    max: Vec3,
}

impl Bounds {
    const NOTHING: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    #[inline]
    fn add(&mut self, min: Vec3, max: Vec3) {
        // Not `Vec3::min`, whose treatment of NaN costs two more instructions.
        let least = |a: f32, b: f32| if b < a { b } else { a };
        let most = |a: f32, b: f32| if b > a { b } else { a };
        for axis in 0..3 {
            self.min[axis] = least(self.min[axis], min[axis]);
            self.max[axis] = most(self.max[axis], max[axis]);
        }
    }

    fn of(items: &[Item]) -> Self {
        let mut bounds = Self::NOTHING;
        for item in items {
            bounds.add(item.min, item.max);
        }
        bounds
    }

    /// Half of the surface; zero for nothing.
    fn area(&self) -> f64 {
        let size = self.max.as_dvec3() - self.min.as_dvec3();
        if size.x < 0.0 { 0.0 } else { size.x * size.y + size.y * size.z + size.z * size.x }
    }
}

/// Some of the items, beginning at `first`.
#[derive(Clone, Copy, Debug)]
struct Range {
    first: usize,
    end: usize,
    bounds: Bounds,
    /// Splits above it.
    depth: u32,
}

impl Range {
    fn len(&self) -> usize {
        self.end - self.first
    }
}

impl From<Bounds> for Aabb {
    fn from(bounds: Bounds) -> Self {
        Self::from_sorted(bounds.min, bounds.max)
    }
}

struct Builder {
    items: Vec<Item>,
    nodes: Vec<Node<Link>>,
}

/// Builds the tree of the triangles numbered from 0 to `count`, given by their corners.
pub(super) fn build(count: u32, corners: impl Fn(u32) -> [Vec3; 3]) -> MeshTree {
    let item = |index: u32| {
        let bounds = triangle_bounds(&corners(index));
        Item { min: bounds.min(), max: bounds.max(), index }
    };
    let items: Vec<Item> = (0..count).map(item).collect();
    let all = Range { first: 0, end: items.len(), bounds: Bounds::of(&items), depth: 0 };
    let nodes = Vec::with_capacity(items.len() / WIDTH);
    let mut builder = Builder { items, nodes };
    let root = builder.build(all);
    let place = |item: &Item| Placed { corners: corners(item.index), index: item.index };
    let triangles = builder.items.iter().map(place).collect();
    MeshTree { nodes: builder.nodes, triangles, bounds: all.bounds.into(), root }
}

/// An index or number of triangles, which are fewer than 2^32.
fn number(x: usize) -> u32 {
    u32::try_from(x).unwrap_or(u32::MAX)
}

impl Builder {
    fn build(&mut self, range: Range) -> Link {
        if range.len() <= tolerance::LEAF_TRIANGLES {
            return Link { first: number(range.first), count: number(range.len()) };
        }
        let mut ranges = [None; WIDTH];
        ranges[0] = Some(range);
        for free in 1..WIDTH {
            let Some(widest) = self.widest(&ranges) else { break };
            let Some(range) = ranges[widest] else { break };
            let (left, right) = self.split(&range);
            ranges[widest] = Some(left);
            ranges[free] = Some(right);
        }
        let at = self.nodes.len();
        self.nodes.push(Node { boxes: Boxes::NONE, links: [Link::NOTHING; WIDTH] });
        for (lane, range) in ranges.into_iter().enumerate() {
            let Some(range) = range else { continue };
            let link = self.build(range);
            let node = &mut self.nodes[at];
            node.boxes.set(lane, range.bounds.min, range.bounds.max);
            node.links[lane] = link;
        }
        Link { first: number(at), count: Link::NODE }
    }

    /// The range with the largest surface among those that are no leaf.
    fn widest(&self, ranges: &[Option<Range>; WIDTH]) -> Option<usize> {
        let mut widest: Option<(usize, f64)> = None;
        for (i, range) in ranges.iter().enumerate() {
            if let Some(range) = range
                && range.len() > tolerance::LEAF_TRIANGLES
                && widest.is_none_or(|(_, area)| range.bounds.area() > area)
            {
                widest = Some((i, range.bounds.area()));
            }
        }
        Some(widest?.0)
    }

    fn split(&mut self, range: &Range) -> (Range, Range) {
        let items = &mut self.items[range.first..range.end];
        let mut centers = Bounds::NOTHING;
        for item in items.iter() {
            let center = item.center();
            centers.add(center, center);
        }
        // The guard keeps the depth below some eighty splits for any input, however uneven.
        let cut = if range.depth < tolerance::UNEVEN_SPLITS {
            Cut::find(items, &centers).map(|cut| cut.apply(items))
        } else {
            None
        };
        let middle = cut.unwrap_or_else(|| halve(items, &centers));
        let (left, right) = items.split_at(middle);
        let (left, right) = (Bounds::of(left), Bounds::of(right));
        let (middle, depth) = (range.first + middle, range.depth + 1);
        (
            Range { first: range.first, end: middle, bounds: left, depth },
            Range { first: middle, end: range.end, bounds: right, depth },
        )
    }
}

/// Moves the lower half of the items along the longest axis of their centres to the front.
fn halve(items: &mut [Item], centers: &Bounds) -> usize {
    let size = centers.max * 0.5 - centers.min * 0.5;
    let axis = size.max_position();
    let middle = items.len() / 2;
    if size[axis] > 0.0 {
        items.select_nth_unstable_by(middle, |a, b| {
            a.center()[axis].total_cmp(&b.center()[axis]).then(a.index.cmp(&b.index))
        });
    }
    middle
}

const BINS: usize = tolerance::BINS;

/// Items whose bin on the axis is below `bin` go to the left.
#[derive(Clone, Copy, Debug)]
struct Cut {
    axis: usize,
    bin: usize,
    scale: Scale,
}

/// From centres to bins.
#[derive(Clone, Copy, Debug)]
struct Scale {
    low: f32,
    factor: f32,
}

impl Scale {
    fn new(low: f32, high: f32) -> Self {
        // Both infinite and NaN products land in some bin, so extreme sizes only split badly.
        Self { low, factor: BINS as f32 / (high - low) }
    }

    #[inline]
    fn bin(self, center: f32) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "truncation finds the bin")]
        #[expect(clippy::cast_sign_loss, reason = "no centre lies below the lowest")]
        let bin = ((center - self.low) * self.factor) as usize;
        bin.min(BINS - 1)
    }
}

impl Cut {
    /// The cut with the least sum of surface times count; `None` where all centres fall into one
    /// bin.
    fn find(items: &[Item], centers: &Bounds) -> Option<Self> {
        let size = centers.max * 0.5 - centers.min * 0.5;
        let longest = size.max_position();
        let mut best: Option<(f64, Self)> = None;
        for axis in 0..3 {
            // Large ranges hardly gain from the shorter axes, and their items cost the most.
            if (items.len() > tolerance::ALL_AXES && axis != longest) || size[axis] <= 0.0 {
                continue;
            }
            let scale = Scale::new(centers.min[axis], centers.max[axis]);
            if let Some((cost, bin)) = Self::along(items, axis, scale)
                && best.is_none_or(|(least, _)| cost < least)
            {
                best = Some((cost, Self { axis, bin, scale }));
            }
        }
        Some(best?.1)
    }

    fn along(items: &[Item], axis: usize, scale: Scale) -> Option<(f64, usize)> {
        let mut bins = [(Bounds::NOTHING, 0_usize); BINS];
        for item in items {
            let (bounds, count) = &mut bins[scale.bin(item.center()[axis])];
            bounds.add(item.min, item.max);
            *count += 1;
        }
        let mut left = [(0.0, 0); BINS];
        let (mut bounds, mut total) = (Bounds::NOTHING, 0);
        for (bin, left) in left.iter_mut().enumerate() {
            *left = (bounds.area(), total);
            bounds.add(bins[bin].0.min, bins[bin].0.max);
            total += bins[bin].1;
        }
        let mut best: Option<(f64, usize)> = None;
        let (mut bounds, mut right) = (Bounds::NOTHING, 0);
        for bin in (1..BINS).rev() {
            bounds.add(bins[bin].0.min, bins[bin].0.max);
            right += bins[bin].1;
            let (area, count) = left[bin];
            let cost = area * count as f64 + bounds.area() * right as f64;
            if count > 0 && right > 0 && best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, bin));
            }
        }
        best
    }

    /// Moves the left items to the front; returns their number.
    fn apply(self, items: &mut [Item]) -> usize {
        let is_left = |item: &Item| self.scale.bin(item.center()[self.axis]) < self.bin;
        let (mut left, mut right) = (0, items.len());
        while left < right {
            if is_left(&items[left]) {
                left += 1;
            } else {
                right -= 1;
                items.swap(left, right);
            }
        }
        left
    }
}
