//! The triangles of a tree that are nearest to a point or a box, four boxes or triangles at a time.

use std::ops::ControlFlow;

use fearless_simd::{Level, Simd, dispatch, f32x4, mask32x4, prelude::*};
use glam::{DMat3, DVec3, Vec3};
use smallvec::SmallVec;

use super::tree::{Boxes, Tree, WIDTH};
use crate::simd::Bits;
use crate::{Aabb, Triangle, round, tolerance};

/// How far boxes and triangles are at least, in squares of f32.
trait Measure {
    /// The square of a distance, no less than what is computed for anything that is that near.
    fn square(&self, distance: f64) -> f32;

    /// Squared distances of four boxes, and the lanes that hold one that is no farther than the
    /// root of `most`.
    fn of_boxes<S: Simd>(&self, simd: S, boxes: &Boxes, most: f32) -> ([f32; WIDTH], u64);

    /// Squares of distances that four triangles are certainly no nearer than.
    fn of_triangles<S: Simd>(&self, simd: S, corners: &[[Vec3; 3]; WIDTH]) -> [f32; WIDTH];
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
        Lanes(std::array::from_fn(|axis| {
            let of = |lane: usize| corners[lane][k][axis];
            let at = f32x4::splat(simd, self.point[axis]);
            (f32x4::from_slice(simd, &[of(0), of(1), of(2), of(3)]) - at) * self.scale
        }))
    }
}

impl Measure for Near {
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
        let [a, b, c] = [0, 1, 2].map(|k| self.corner(simd, corners, k));
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
}

impl NearBox {
    fn new(middle: Near, turn: &DMat3, half: DVec3) -> Self {
        let rows = turn.transpose();
        let spread = DVec3::from_array(std::array::from_fn(|i| rows.col(i).abs().dot(half)));
        let units = |v: DVec3| round::nearest_array((v * f64::from(middle.scale)).to_array());
        let axes = turn.to_cols_array_2d().map(round::nearest_array);
        Self { middle, axes, half: units(half), spread: units(spread) }
    }

    /// Vectors of the tree's frame along the axes of the box.
    #[inline(always)]
    fn turned<S: Simd>(&self, v: Lanes<S>) -> Lanes<S> {
        let [x, y, z] = v.0;
        Lanes(self.axes.map(|axis| x * axis[0] + y * axis[1] + z * axis[2]))
    }
}

impl Measure for NearBox {
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
            let [x, y, z] = axis.map(f32::abs);
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
        let [a, b, c] = [0, 1, 2].map(|k| self.turned(self.middle.corner(simd, corners, k)));
        let mut square = zero;
        for axis in 0..3 {
            let [p, q, r] = [a, b, c].map(|corner| corner.0[axis]);
            let (low, high) = (p.min(q).min(r), p.max(q).max(r));
            let gap = (low.max(zero - high) - self.half[axis]).max(zero);
            square += gap * gap;
        }
        let normal = (b - a).cross(c - a);
        let behind = normal.dot(a).simd_lt(zero);
        let normal = Lanes::pick(behind, normal.scaled(zero - 1.0), normal);
        let [x, y, z] = normal.0.map(f32x4::abs);
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
    visit: &mut impl FnMut(u32, Triangle) -> f64,
) {
    walk(tree, &Near::new(point, slack, 0.0, tree.root_bounds()), limit, visit);
}

/// Branch and bound: see [`TriangleMesh::nearest_to_box`](crate::TriangleMesh::nearest_to_box).
pub(crate) fn nearest_to_box<T: Tree>(
    tree: &T,
    (center, turn, half): (DVec3, &DMat3, DVec3),
    slack: f64,
    limit: f64,
    visit: &mut impl FnMut(u32, Triangle) -> f64,
) {
    let middle = Near::new(center, slack, half.element_sum(), tree.root_bounds());
    walk(tree, &NearBox::new(middle, turn, half), limit, visit);
}

fn walk<T: Tree>(
    tree: &T,
    near: &impl Measure,
    limit: f64,
    visit: &mut impl FnMut(u32, Triangle) -> f64,
) {
    let (mut limit, mut square) = (limit, near.square(limit));
    let mut scratch = None;
    let mut stack = SmallVec::<[(f32, T::Link); tolerance::STACK]>::new();
    let mut next = Some((0.0, tree.root()));
    while let Some((least, link)) = next.take().or_else(|| stack.pop()) {
        if least > square {
            continue;
        }
        if let Some(node) = tree.open(link, &mut scratch) {
            let (squares, lanes) =
                dispatch!(Level::baseline(), simd => near.of_boxes(simd, &node.boxes, square));
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
                        let mut at = stack.len();
                        stack.push(here);
                        while at > first && stack[at - 1].0 < here.0 {
                            stack.swap(at - 1, at);
                            at -= 1;
                        }
                    }
                }
            }
            continue;
        }
        let mut block = Block::EMPTY;
        let mut pass = |block: &Block| {
            let mut squares: [f32; WIDTH] =
                dispatch!(Level::baseline(), simd => near.of_triangles(simd, &block.corners));
            squares.iter_mut().skip(block.count).for_each(|none| *none = f32::INFINITY);
            // The nearest first, which may leave the others out.
            for _ in 0..block.count {
                let mut lane = 0;
                for other in 1..WIDTH {
                    lane = if squares[other] < squares[lane] { other } else { lane };
                }
                if squares[lane] > square {
                    break;
                }
                squares[lane] = f32::INFINITY;
                let found = visit(block.indices[lane], Triangle::from_finite(block.corners[lane]));
                if found < limit {
                    (limit, square) = (found, near.square(found));
                    if found == f64::NEG_INFINITY {
                        return ControlFlow::Break(());
                    }
                }
            }
            ControlFlow::Continue(())
        };
        let full = tree.leaf(link, &mut |index, corners| {
            if block.is_full() {
                pass(&block)?;
                block = Block::EMPTY;
            }
            block.push(index, corners);
            ControlFlow::Continue(())
        });
        if full.is_break() || pass(&block).is_break() {
            return;
        }
    }
}

/// Up to four triangles of a leaf.
#[derive(Clone, Copy)]
struct Block {
    corners: [[Vec3; 3]; WIDTH],
    indices: [u32; WIDTH],
    count: usize,
}

impl Block {
    const EMPTY: Self = Self { corners: [[Vec3::ZERO; 3]; WIDTH], indices: [0; WIDTH], count: 0 };

    #[inline]
    fn is_full(&self) -> bool {
        self.count == WIDTH
    }

    #[inline]
    fn push(&mut self, index: u32, corners: &[Vec3; 3]) {
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = *corners;
            self.indices[self.count] = index;
            self.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::convex::gjk::Support;
    use crate::convex::{Core, gjk};
    use crate::{HeightField, Pose, TriangleMesh, TriangleSet};

    /// Plain random numbers between -1 and 1; the seed names the case.
    struct Random(u64);

    impl Random {
        fn number(&mut self) -> f32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f32::from(u16::try_from(self.0 >> 48).unwrap()) / 32768.0 - 1.0
        }

        fn vector(&mut self, scale: f32) -> Vec3 {
            Vec3::new(self.number(), self.number(), self.number()) * scale
        }

        /// Many of them without area, or corners far apart.
        fn triangle(&mut self, scale: f32) -> [Vec3; 3] {
            let [a, b, c] = [self.vector(scale), self.vector(scale), self.vector(scale)];
            match self.number() {
                x if x < -0.8 => [a, b, a + (b - a) * 0.3],
                x if x < -0.6 => [a, a, b],
                x if x < -0.2 => [a, a + b * 1e-3, a + c * 1e-3],
                _ => [a, b, c],
            }
        }
    }

    fn distance(corners: &[Vec3; 3], point: DVec3) -> f64 {
        gjk::distance_of_triangle(corners.map(|corner| corner.as_dvec3() - point)).0
    }

    #[test]
    fn no_triangle_and_no_box_is_nearer_than_said() {
        let (mut close, mut nothing) = (0, 0);
        for case in 0..4000 {
            let mut random = Random(case);
            let power = [0, 20, -20, 60, -60, -120][usize::try_from(case % 6).unwrap()];
            let scale = 2.0_f32.powi(power);
            let corners = [(); WIDTH].map(|()| random.triangle(scale));
            let point = random.vector(scale * 2.0).as_dvec3();
            let bounds = Aabb::new(Vec3::splat(-scale), Vec3::splat(scale)).unwrap();
            let near = Near::new(point, 0.0, 0.0, &bounds);
            let squares = dispatch!(Level::baseline(), simd => near.of_triangles(simd, &corners));
            let mut boxes = Boxes::NONE;
            for (lane, corners) in corners.iter().enumerate().skip(1) {
                let bounds = super::super::triangle_bounds(corners);
                boxes.set(lane, bounds.min(), bounds.max());
            }
            let (to_boxes, lanes) = dispatch!(
                Level::baseline(),
                simd => near.of_boxes(simd, &boxes, f32::INFINITY)
            );
            assert_eq!(lanes, 0b1110, "{case}: the first lane has no box");
            for (lane, corners) in corners.iter().enumerate() {
                let exact = distance(corners, point);
                assert!(squares[lane] <= near.square(exact), "{case}: {corners:?} {near:?}");
                assert!(lane == 0 || to_boxes[lane] <= near.square(exact), "{case}: {corners:?}");
                let tight = squares[lane] * 1.01 >= near.square(exact * 0.99 - near.slack);
                close += u32::from(tight && squares[lane] > 0.0);
                nothing += u32::from(squares[lane] <= 0.0);
            }
        }
        // Those near or without area say nothing, and none does that is too small for f32.
        assert!(close > 9000 && nothing > 500, "{close}, {nothing} of nothing");
    }

    #[test]
    fn no_triangle_and_no_box_is_nearer_to_a_box_than_said() {
        let (mut close, mut zero) = (0, 0);
        for case in 0..3000 {
            let mut random = Random(case);
            let scale = 2.0_f32.powi([0, 30, -50][usize::try_from(case % 3).unwrap()]);
            let corners = [(); WIDTH].map(|()| random.triangle(scale));
            let axis = random.vector(1.0);
            let turn = Quat::from_xyzw(axis.x, axis.y, axis.z, 0.4);
            let turn = Pose::new(Vec3::ZERO, turn).unwrap().rotation_matrix();
            let center = random.vector(scale * 2.0).as_dvec3();
            let half = (random.vector(0.5).abs() * scale).as_dvec3();
            let bounds = Aabb::new(Vec3::splat(-scale), Vec3::splat(scale)).unwrap();
            let middle = Near::new(center, 0.0, half.element_sum(), &bounds);
            let near = NearBox::new(middle, &turn, half);
            let mut boxes = Boxes::NONE;
            for (lane, corners) in corners.iter().enumerate() {
                let bounds = super::super::triangle_bounds(corners);
                boxes.set(lane, bounds.min(), bounds.max());
            }
            let (squares, (to_boxes, _)) = dispatch!(Level::baseline(), simd => (
                near.of_triangles(simd, &corners),
                near.of_boxes(simd, &boxes, f32::INFINITY)
            ));
            for (lane, corners) in corners.iter().enumerate() {
                let core = Core::Triangle(*corners);
                let support = |n: DVec3| Support {
                    a: center
                        + turn
                            * Core::Cuboid(round::nearest_vec(half)).support(turn.transpose() * n),
                    b: core.support(-n),
                };
                let size = 8.0 * f64::from(scale);
                let exact = gjk::nearest(support, core.middle() - center, size).distance;
                let square = near.square(exact);
                assert!(squares[lane] <= square, "{case}: {corners:?} {near:?}");
                assert!(to_boxes[lane] <= square, "{case}: {corners:?} {near:?}");
                close += u32::from(squares[lane] > 0.0 && squares[lane] * 1.5 >= square);
                zero += u32::from(squares[lane] <= 0.0);
            }
        }
        assert!(close > 6000 && zero > 200, "{close}, {zero} that may touch");
    }

    #[test]
    fn negative_infinity_ends_the_search() {
        let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let all = vec![[0, 1, 2], [0, 2, 3], [0, 1, 3], [1, 2, 3]];
        let mesh = TriangleMesh::new(corners, [all.clone(), all].concat()).unwrap();
        for end in [f64::NEG_INFINITY, 0.0] {
            let (mut of_point, mut of_box) = (0, 0);
            mesh.nearest_to(DVec3::ZERO, 0.0, 1.0, &mut |_, _| {
                of_point += 1;
                end
            });
            let place = (DVec3::ZERO, &DMat3::IDENTITY, DVec3::ONE);
            mesh.nearest_to_box(place, 0.0, 1.0, &mut |_, _| {
                of_box += 1;
                end
            });
            let expected = if end < 0.0 { (1, 1) } else { (6, 8) };
            assert_eq!((of_point, of_box), expected, "{end}");
        }
    }

    /// All triangles no farther than the nearest one and `beyond` are visited, and few others.
    fn check(set: &impl TriangleSet, seed: u64, beyond: f64) -> (usize, usize) {
        let mut random = Random(seed);
        let point = random.vector(6.0).as_dvec3();
        let count = u32::try_from(set.triangle_count()).unwrap();
        let corners = |index| Some(set.triangle(index)?.vertices());
        let all: Vec<(u32, f64)> = (0..count)
            .filter_map(|index| Some((index, distance(&corners(index)?, point))))
            .collect();
        let least = all.iter().fold(f64::INFINITY, |least, (_, distance)| least.min(*distance));
        let mut seen = Vec::new();
        set.nearest_to(point, beyond, f64::INFINITY, &mut |index, triangle| {
            assert_eq!(Some(triangle.vertices()), corners(index), "{seed}");
            seen.push(index);
            distance(&triangle.vertices(), point)
        });
        for (index, distance) in &all {
            assert!(*distance > least + beyond || seen.contains(index), "{seed}: {index}");
        }
        let mut unreached = 0;
        set.nearest_to(point, 0.0, least * 0.5, &mut |_, _| {
            unreached += 1;
            f64::NEG_INFINITY
        });
        assert_eq!(unreached, 0, "{seed}: nothing is within half of {least}");
        (seen.len(), all.len())
    }

    #[test]
    fn the_nearest_to_a_point_are_visited() {
        let (mut seen, mut all) = (0, 0);
        for seed in 0..60 {
            let mut random = Random(seed + 1000);
            let vertices: Vec<Vec3> = (0..120).map(|_| random.vector(4.0)).collect();
            let named = (0..118).map(|k| [k, k + 1, k + 2]).collect();
            let mesh = TriangleMesh::new(vertices, named).unwrap();
            let heights = (0..90).map(|_| random.number()).collect();
            let field = HeightField::new(9, 10, heights, Vec3::new(8.0, 1.0, 8.0)).unwrap();
            for beyond in [0.0, 0.5] {
                for (visited, of) in [check(&mesh, seed, beyond), check(&field, seed, beyond)] {
                    (seen, all) = (seen + visited, all + of);
                }
            }
        }
        assert!(seen * 4 < all, "{seen} of {all} triangles were looked at");
    }
}
