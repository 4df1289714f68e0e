//! The triangles of a tree that are nearest to a point or a box, four boxes or triangles at a time.

use std::ops::ControlFlow;

use fearless_simd::{Simd, f32x4, mask32x4, prelude::*};
use glam::{DMat3, DVec3, Vec3};
use smallvec::SmallVec;

use crate::simd::Bits;
use crate::triangles::tree::{Block, Boxes, Few, Tree, Visit, WIDTH, outward, push_in_order};
use crate::{Aabb, Triangle, at_baseline, round, tolerance};

/// How far boxes and triangles are at least, in squares of f32.
trait Measure {
    /// The square of a distance, no less than what is computed for anything that is that near.
    fn square(&self, distance: f64) -> f32;

    /// Squared distances of four boxes, and the lanes that hold one that is no farther than the
    /// root of `most`.
    fn of_boxes<S: Simd>(&self, simd: S, boxes: &Boxes, most: f32) -> ([f32; WIDTH], u64);

    /// Squares of distances that four triangles are certainly no nearer than.
    fn of_triangles<S: Simd>(&self, simd: S, corners: &[[Vec3; 3]; WIDTH]) -> [f32; WIDTH];

    /// The middle.
    fn middle(&self) -> Vec3;

    /// Bounds of all that is within a distance; `None` without an end.
    fn around(&self, distance: f64) -> Option<Aabb>;
}

/// Bounds of what is around a point, as far as `reach` and as far as `slack` beyond it.
fn bounds_around(point: DVec3, reach: DVec3, slack: f64) -> Option<Aabb> {
    let reach = reach + slack;
    outward(point - reach, point + reach)
}

/// The lanes that hold a box that is no farther than the root of `most`.
#[inline(always)]
fn lanes_within<S: Simd>(simd: S, boxes: &Boxes, square: f32x4<S>, most: f32) -> u64 {
    let [min, max] = [&boxes.min[0], &boxes.max[0]].map(|x| f32x4::from_slice(simd, x));
    // What is no number is not known to be far.
    (min.simd_le(max) & !square.simd_gt(f32x4::splat(simd, most))).to_bitmask()
}

/// A point among boxes and triangles in f32, measured in a unit of the size of it all, so that
/// nothing overflows and what underflows is far below the slack.
#[derive(Clone, Copy, Debug)]
struct Near {
    point: Vec3,
    /// One over the unit, a power of two; zero where the size is out of range, so that nothing is
    /// ever far.
    scale: f32,
    /// How far f32 and the caller may be off, in units of the scene.
    slack: f64,
}

impl Near {
    /// `reach` is how far what is around the point extends.
    fn new(point: DVec3, slack: f64, reach: f64, bounds: &Aabb) -> Self {
        let corner = bounds.min().abs().max(bounds.max().abs()).as_dvec3();
        let size = point.abs().element_sum() + corner.element_sum() + reach;
        let fits = (tolerance::NEAR_RANGE..tolerance::NEAR_RANGE.recip()).contains(&size);
        // The exponent alone: a power of two no larger than the size.
        let unit = f64::from_bits(size.to_bits() & f64::INFINITY.to_bits());
        Self {
            point: round::nearest_vec(point),
            scale: if fits { round::nearest(unit.recip()) } else { 0.0 },
            slack: slack + size * tolerance::NEAR_F32,
        }
    }

    /// The corner of four triangles from the point, in units.
    #[inline(always)]
    fn corner<S: Simd>(&self, simd: S, corners: &[[Vec3; 3]; WIDTH], k: usize) -> Lanes<S> {
        // One by one, because closures may stay out of line.
        let (p, q, r, s) = (corners[0][k], corners[1][k], corners[2][k], corners[3][k]);
        let (at, scale) = (self.point, self.scale);
        let x = f32x4::load_array(simd, [p.x, q.x, r.x, s.x]) - f32x4::splat(simd, at.x);
        let y = f32x4::load_array(simd, [p.y, q.y, r.y, s.y]) - f32x4::splat(simd, at.y);
        let z = f32x4::load_array(simd, [p.z, q.z, r.z, s.z]) - f32x4::splat(simd, at.z);
        Lanes([x * scale, y * scale, z * scale])
    }
}

impl Measure for Near {
    #[inline]
    fn middle(&self) -> Vec3 {
        self.point
    }

    #[inline]
    fn around(&self, distance: f64) -> Option<Aabb> {
        let reach = DVec3::splat(distance.max(0.0));
        bounds_around(self.point.as_dvec3(), reach, self.slack)
    }

    #[inline]
    fn square(&self, distance: f64) -> f32 {
        let units = (distance.max(0.0) + self.slack) * f64::from(self.scale);
        round::up(units * units * tolerance::NEAR_UP)
    }

    #[inline(always)]
    fn of_boxes<S: Simd>(&self, simd: S, boxes: &Boxes, most: f32) -> ([f32; WIDTH], u64) {
        let zero = f32x4::splat(simd, 0.0);
        let mut square = zero;
        for axis in 0..3 {
            let min = f32x4::from_slice(simd, &boxes.min[axis]);
            let max = f32x4::from_slice(simd, &boxes.max[axis]);
            let at = f32x4::splat(simd, self.point[axis]);
            let gap = (min - at).max(at - max).max(zero) * self.scale;
            square += gap * gap;
        }
        (square.into(), lanes_within(simd, boxes, square, most))
    }

    /// All of each triangle lies beyond a plane that far away.
    ///
    /// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.1.5, for the part of the
    ///   triangle that is nearest; the plane is the one across the direction to it, so that
    ///   rounding may choose any part.
    #[inline(always)]
    fn of_triangles<S: Simd>(&self, simd: S, corners: &[[Vec3; 3]; WIDTH]) -> [f32; WIDTH] {
        let a = self.corner(simd, corners, 0);
        let b = self.corner(simd, corners, 1);
        let c = self.corner(simd, corners, 2);
        let (ab, ac, zero) = (b - a, c - a, f32x4::splat(simd, 0.0));
        // From each corner towards the point, along two sides.
        let (a_ab, a_ac) = (zero - ab.dot(a), zero - ac.dot(a));
        let (b_ab, b_ac) = (zero - ab.dot(b), zero - ac.dot(b));
        let (c_ab, c_ac) = (zero - ab.dot(c), zero - ac.dot(c));
        let of_a = b_ab * c_ac - c_ab * b_ac;
        let of_b = c_ab * a_ac - a_ab * c_ac;
        let of_c = a_ab * b_ac - b_ab * a_ac;
        let (b_bc, c_cb) = (b_ac - b_ab, c_ab - c_ac);
        let normal = ab.cross(ac);
        let behind = normal.dot(a).simd_lt(zero);
        let mut to = Lanes::pick(behind, normal.scaled(zero - 1.0), normal);
        let on_bc = of_a.simd_le(zero) & b_bc.simd_ge(zero) & c_cb.simd_ge(zero);
        to = Lanes::pick(on_bc, b.scaled(b_bc + c_cb) + (c - b).scaled(b_bc), to);
        let on_ac = of_b.simd_le(zero) & a_ac.simd_ge(zero) & c_ac.simd_le(zero);
        to = Lanes::pick(on_ac, a.scaled(a_ac - c_ac) + ac.scaled(a_ac), to);
        let on_ab = of_c.simd_le(zero) & a_ab.simd_ge(zero) & b_ab.simd_le(zero);
        to = Lanes::pick(on_ab, a.scaled(a_ab - b_ab) + ab.scaled(a_ab), to);
        to = Lanes::pick(c_ac.simd_ge(zero) & c_ab.simd_le(c_ac), c, to);
        to = Lanes::pick(b_ab.simd_ge(zero) & b_ac.simd_le(b_ab), b, to);
        to = Lanes::pick(a_ab.simd_le(zero) & a_ac.simd_le(zero), a, to);
        let least = to.dot(a).min(to.dot(b)).min(to.dot(c));
        let length = to.dot(to);
        // Below that the products have lost their digits.
        let known = least.simd_gt(zero) & length.simd_gt(zero + tolerance::NEAR_LEAST);
        known.select(least * least / length, zero).into()
    }
}

/// A box, turned against the frame of the tree.
#[derive(Clone, Copy, Debug)]
struct NearBox {
    middle: Near,
    /// The axes of the box in the frame of the tree.
    axes: [[f32; 3]; 3],
    /// Half extents along these axes, in units.
    half: [f32; 3],
    /// Half extents along the axes of the tree, in units.
    spread: [f32; 3],
    /// The same in units of the scene.
    reach: DVec3,
}

impl NearBox {
    fn new(middle: Near, turn: &DMat3, half: DVec3) -> Self {
        let rows = turn.transpose();
        let spread = DVec3::from_array(std::array::from_fn(|i| rows.col(i).abs().dot(half)));
        let units = |v: DVec3| round::nearest_array((v * f64::from(middle.scale)).to_array());
        let axes = turn.to_cols_array_2d().map(round::nearest_array);
        Self { middle, axes, half: units(half), spread: units(spread), reach: spread }
    }

    /// Vectors of the tree's frame along the axes of the box.
    #[inline(always)]
    fn turned<S: Simd>(&self, v: Lanes<S>) -> Lanes<S> {
        let [x, y, z] = v.0;
        let [u, v, w] = self.axes;
        Lanes([
            x * u[0] + y * u[1] + z * u[2],
            x * v[0] + y * v[1] + z * v[2],
            x * w[0] + y * w[1] + z * w[2],
        ])
    }
}

impl Measure for NearBox {
    #[inline]
    fn middle(&self) -> Vec3 {
        self.middle.point
    }

    #[inline]
    fn around(&self, distance: f64) -> Option<Aabb> {
        let reach = self.reach + DVec3::splat(distance.max(0.0));
        bounds_around(self.middle.point.as_dvec3(), reach, self.middle.slack)
    }

    #[inline]
    fn square(&self, distance: f64) -> f32 {
        self.middle.square(distance)
    }

    /// Along the axes of the tree and along those of the box, whichever tells more.
    #[inline(always)]
    fn of_boxes<S: Simd>(&self, simd: S, boxes: &Boxes, most: f32) -> ([f32; WIDTH], u64) {
        let zero = f32x4::splat(simd, 0.0);
        let (mut center, mut half) = ([zero; 3], [zero; 3]);
        let mut along_tree = zero;
        for axis in 0..3 {
            let min = f32x4::from_slice(simd, &boxes.min[axis]);
            let max = f32x4::from_slice(simd, &boxes.max[axis]);
            let at = f32x4::splat(simd, self.middle.point[axis]);
            let scale = 0.5 * self.middle.scale;
            center[axis] = ((min - at) + (max - at)) * scale;
            half[axis] = (max - min) * scale;
            let gap = (center[axis].abs() - half[axis] - self.spread[axis]).max(zero);
            along_tree += gap * gap;
        }
        let center = self.turned(Lanes(center));
        let mut along_box = zero;
        for ((axis, center), own) in self.axes.iter().zip(center.0).zip(self.half) {
            let (x, y, z) = (axis[0].abs(), axis[1].abs(), axis[2].abs());
            let reach = half[0] * x + half[1] * y + half[2] * z;
            let gap = (center.abs() - reach - own).max(zero);
            along_box += gap * gap;
        }
        let square = along_tree.max(along_box);
        (square.into(), lanes_within(simd, boxes, square, most))
    }

    /// Along the axes of the box and along the normal of the triangle, whichever tells more.
    #[inline(always)]
    fn of_triangles<S: Simd>(&self, simd: S, corners: &[[Vec3; 3]; WIDTH]) -> [f32; WIDTH] {
        let zero = f32x4::splat(simd, 0.0);
        let a = self.turned(self.middle.corner(simd, corners, 0));
        let b = self.turned(self.middle.corner(simd, corners, 1));
        let c = self.turned(self.middle.corner(simd, corners, 2));
        let mut square = zero;
        for axis in 0..3 {
            let (p, q, r) = (a.0[axis], b.0[axis], c.0[axis]);
            let (low, high) = (p.min(q).min(r), p.max(q).max(r));
            let gap = (low.max(zero - high) - self.half[axis]).max(zero);
            square += gap * gap;
        }
        let normal = (b - a).cross(c - a);
        let behind = normal.dot(a).simd_lt(zero);
        let normal = Lanes::pick(behind, normal.scaled(zero - 1.0), normal);
        let [x, y, z] = normal.0;
        let (x, y, z) = (x.abs(), y.abs(), z.abs());
        let reach = x * self.half[0] + y * self.half[1] + z * self.half[2];
        let least = normal.dot(a).min(normal.dot(b)).min(normal.dot(c)) - reach;
        let length = normal.dot(normal);
        let known = least.simd_gt(zero) & length.simd_gt(zero + tolerance::NEAR_LEAST);
        square.max(known.select(least * least / length, zero)).into()
    }
}

/// Four vectors.
#[derive(Clone, Copy)]
struct Lanes<S: Simd>([f32x4<S>; 3]);

impl<S: Simd> Lanes<S> {
    #[inline(always)]
    fn dot(self, other: Self) -> f32x4<S> {
        let ([x, y, z], [u, v, w]) = (self.0, other.0);
        x * u + y * v + z * w
    }

    #[inline(always)]
    fn cross(self, other: Self) -> Self {
        let ([x, y, z], [u, v, w]) = (self.0, other.0);
        Self([y * w - z * v, z * u - x * w, x * v - y * u])
    }

    #[inline(always)]
    fn scaled(self, by: f32x4<S>) -> Self {
        let [x, y, z] = self.0;
        Self([x * by, y * by, z * by])
    }

    #[inline(always)]
    fn pick(mask: mask32x4<S>, yes: Self, no: Self) -> Self {
        let ([x, y, z], [u, v, w]) = (yes.0, no.0);
        Self([mask.select(x, u), mask.select(y, v), mask.select(z, w)])
    }
}

impl<S: Simd> std::ops::Add for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([x, y, z], [u, v, w]) = (self.0, other.0);
        Self([x + u, y + v, z + w])
    }
}

impl<S: Simd> std::ops::Sub for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let ([x, y, z], [u, v, w]) = (self.0, other.0);
        Self([x - u, y - v, z - w])
    }
}

/// Branch and bound: see [`TriangleMesh::nearest_to`](crate::TriangleMesh::nearest_to).
pub(crate) fn nearest_to<T: Tree>(
    tree: &T,
    point: DVec3,
    slack: f64,
    limit: f64,
    visit: Visit<'_>,
) {
    walk(tree, &Near::new(point, slack, 0.0, tree.root_bounds()), limit, visit);
}

/// Branch and bound: see [`TriangleMesh::nearest_to_box`](crate::TriangleMesh::nearest_to_box).
pub(crate) fn nearest_to_box<T: Tree>(
    tree: &T,
    (center, turn, half): (DVec3, &DMat3, DVec3),
    slack: f64,
    limit: f64,
    visit: Visit<'_>,
) {
    let middle = Near::new(center, slack, half.element_sum(), tree.root_bounds());
    walk(tree, &NearBox::new(middle, turn, half), limit, visit);
}

/// What is left of a search: all within `limit`, whose square is `square`.
struct Search<'a, M> {
    near: &'a M,
    visit: Visit<'a>,
    limit: f64,
    square: f32,
}

impl<M: Measure> Search<'_, M> {
    /// Visits those of a few triangles that may be within the limit, the nearest first.
    fn pass(&mut self, block: &Block) -> ControlFlow<()> {
        let near = self.near;
        let mut squares: [f32; WIDTH] =
            at_baseline!(simd => near.of_triangles(simd, &block.corners));
        squares.iter_mut().skip(block.count).for_each(|none| *none = f32::INFINITY);
        // The nearest first, which may leave the others out.
        for _ in 0..block.count {
            let mut lane = 0;
            for other in 1..WIDTH {
                lane = if squares[other] < squares[lane] { other } else { lane };
            }
            if squares[lane] > self.square {
                break;
            }
            squares[lane] = f32::INFINITY;
            let found =
                (self.visit)(block.indices[lane], Triangle::from_finite(block.corners[lane]));
            if found < self.limit {
                (self.limit, self.square) = (found, near.square(found));
                if found == f64::NEG_INFINITY {
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits the triangles of leaves, four at a time.
    fn leaves<T: Tree>(
        &mut self,
        tree: &T,
        leaves: impl IntoIterator<Item = T::Link>,
    ) -> ControlFlow<()> {
        let mut block = Block::EMPTY;
        for link in leaves {
            tree.leaf(link, &mut |index, corners| {
                if block.is_full() {
                    self.pass(&block)?;
                    block.count = 0;
                }
                block.push(index, corners);
                ControlFlow::Continue(())
            })?;
        }
        self.pass(&block)
    }
}

fn walk<T: Tree>(tree: &T, near: &impl Measure, limit: f64, visit: Visit<'_>) {
    let mut search = Search { near, visit, limit, square: near.square(limit) };
    // Next to nothing is as near as what lies below, where it is known.
    let below = if limit >= f64::INFINITY { tree.leaf_below(near.middle()) } else { None };
    if let Some(below) = below
        && search.leaves(tree, [below]).is_break()
    {
        return;
    }
    let is_other = |link: &T::Link| Some(*link) != below;
    let mut few = Few::new();
    if let Some(bounds) = near.around(search.limit)
        && tree.few_leaves(&bounds, &mut few)
    {
        // Whether it ended early does not matter.
        let _ = search.leaves(tree, few.iter().copied().filter(is_other));
        return;
    }
    let mut scratch = None;
    let mut stack = SmallVec::<[(f32, T::Link); tolerance::STACK]>::new();
    let mut next = Some((0.0, tree.root()));
    while let Some((least, link)) = next.take().or_else(|| stack.pop()) {
        let square = search.square;
        if least > square {
            continue;
        }
        if let Some(node) = tree.open(link, &mut scratch) {
            let (squares, lanes) = at_baseline!(simd => near.of_boxes(simd, &node.boxes, square));
            let first = stack.len();
            for lane in Bits(lanes) {
                let mut here = (squares[lane], node.links[lane]);
                // The nearest is taken at once, of the others the nearest comes last.
                match &mut next {
                    None => next = Some(here),
                    Some(nearest) => {
                        if here.0 < nearest.0 {
                            std::mem::swap(&mut here, nearest);
                        }
                        push_in_order(&mut stack, first, here, |it| it.0);
                    }
                }
            }
            continue;
        }
        if is_other(&link) && search.leaves(tree, [link]).is_break() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
