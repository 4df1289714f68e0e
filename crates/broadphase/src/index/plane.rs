//! Boxes and the side of a plane they lie on.

use std::cmp::Ordering;

use fearless_simd::{Simd, prelude::*};
use impinge_shapes::at_level;
use impinge_shapes::exact::Exact;
use impinge_shapes::{Plane, PlaneSide};

use super::QueryIndex;
use crate::forest::Forest;
use crate::lanes::{Bits, Bounds, Lanes, WIDTH, narrow, splat};
use crate::tolerance::{PLANE, PLANE_F64};

impl QueryIndex {
    /// Visits every box once, with the side of the plane that it lies on.
    ///
    /// - Error: exact but for the room given to moving boxes, which may straddle where the box does
    ///   not.
    /// - Degenerate: a box without end lies on one side if all its finite part and all its infinite
    ///   directions do.
    /// - Cost: whole nodes are classified at once; only what the plane cuts is looked at closer.
    pub fn plane(&self, plane: &Plane, mut visit: impl FnMut(u32, PlaneSide)) {
        self.visit_sides(plane, &mut visit);
    }

    fn visit_sides(&self, plane: &Plane, visit: &mut dyn FnMut(u32, PlaneSide)) {
        for forest in self.forests() {
            if !forest.is_empty() {
                at_level!(self.simd_level(), simd => classify(simd, forest, plane, visit));
            }
        }
    }
}

#[inline(always)]
fn classify<S: Simd>(
    simd: S,
    forest: &Forest,
    plane: &Plane,
    visit: &mut dyn FnMut(u32, PlaneSide),
) {
    let mut stack = vec![(narrow(forest.levels.len()), 0_u32, None::<PlaneSide>)];
    while let Some((level, index, known)) = stack.pop() {
        if level > 0 {
            let node = &forest.levels[level as usize - 1][index as usize];
            let below = if level == 1 {
                forest.blocks.len()
            } else {
                forest.levels[level as usize - 2].len()
            };
            let count = (below - index as usize * WIDTH).min(WIDTH);
            let sides = if known.is_some() { Sides::default() } else { sides(simd, node, plane) };
            for lane in 0..count {
                stack.push((level - 1, index * 16 + narrow(lane), known.or(sides.of(lane))));
            }
            continue;
        }
        let block = &forest.blocks[index as usize];
        let ids = &forest.members[index as usize].ids;
        let sides = if known.is_some() { Sides::default() } else { sides(simd, block, plane) };
        for lane in Bits(u64::from(forest.masks[index as usize].alive)) {
            let side = known.or(sides.of(lane));
            let side = side.unwrap_or_else(|| side_of(plane, &block.get(lane)));
            visit(ids[lane % WIDTH], side);
        }
    }
}

/// Lanes whose side is certain.
#[derive(Clone, Copy, Default)]
struct Sides {
    front: u64,
    behind: u64,
}

impl Sides {
    #[inline(always)]
    fn of(self, lane: usize) -> Option<PlaneSide> {
        if self.front >> lane & 1 == 1 {
            Some(PlaneSide::Front)
        } else if self.behind >> lane & 1 == 1 {
            Some(PlaneSide::Behind)
        } else {
            None
        }
    }
}

/// Sides in f32 with an error bound. Boxes without end give NaN or an infinite bound, and stay
/// uncertain.
#[inline(always)]
fn sides<S: Simd>(simd: S, lanes: &Lanes, plane: &Plane) -> Sides {
    let distance = splat(simd, plane.distance());
    let mut least = splat(simd, 0.0);
    let mut most = splat(simd, 0.0);
    let mut scale = distance.abs();
    for axis in 0..3 {
        let n = plane.normal()[axis];
        let back = usize::from(n < 0.0);
        let low = lanes.face(simd, axis, back) * splat(simd, n);
        let high = lanes.face(simd, axis, 1 - back) * splat(simd, n);
        least += low;
        most += high;
        scale += low.abs() + high.abs();
    }
    // Products may underflow, each by less than the smallest normal number times 2^-24.
    let error = scale * splat(simd, PLANE) + splat(simd, f32::MIN_POSITIVE);
    let front = (least - distance).simd_gt(error);
    let behind = (distance - most).simd_gt(error);
    Sides { front: front.to_bitmask(), behind: behind.to_bitmask() }
}

/// Side of one box, exactly.
fn side_of(plane: &Plane, bounds: &Bounds) -> PlaneSide {
    let normal = plane.normal().to_array();
    let corner =
        |upper: bool| {
            [0, 1, 2].map(|axis: usize| {
                if (normal[axis] < 0.0) == upper { bounds.lo[axis] } else { bounds.hi[axis] }
            })
        };
    if sign_at(normal, corner(false), plane.distance()) == Ordering::Greater {
        PlaneSide::Front
    } else if sign_at(normal, corner(true), plane.distance()) == Ordering::Less {
        PlaneSide::Behind
    } else {
        PlaneSide::Straddling
    }
}

/// Sign of `normal · point - distance`.
///
/// - Degenerate: infinite coordinates decide, unless the normal is zero there; if they disagree,
///   the sign is taken for zero.
fn sign_at(normal: [f32; 3], point: [f32; 3], distance: f32) -> Ordering {
    let mut value = -f64::from(distance);
    let mut scale = value.abs();
    for (n, x) in normal.into_iter().zip(point) {
        // Written so that zero times infinity is zero.
        let term = if n.abs() > 0.0 { f64::from(n) * f64::from(x) } else { 0.0 };
        value += term;
        scale += term.abs();
    }
    if value.is_infinite() || value.abs() > scale * PLANE_F64 {
        return value.partial_cmp(&0.0).unwrap_or(Ordering::Equal);
    }
    if value.is_nan() {
        return Ordering::Equal;
    }
    let exact = normal.into_iter().zip(point).filter(|(n, _)| n.abs() > 0.0);
    let sum = exact.map(|(n, x)| Exact::from(n) * Exact::from(x)).fold(Exact::ZERO, |a, b| a + b);
    (sum - Exact::from(distance)).sign()
}
