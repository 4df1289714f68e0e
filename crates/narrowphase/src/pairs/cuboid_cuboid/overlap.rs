//! Whether two boxes overlap, touch or are apart: exact.

use std::cmp::Ordering;

use impinge_shapes::glam::{DMat3, Quat};
use impinge_shapes::{Cuboid, round};

use super::axes::{Boxes, COUNT, EDGES, edges};
use super::exact::ExactBoxes;
use super::survey::overlaps_on_edges;
use crate::level::Own;
use crate::{Relation, Relative, tolerance};

/// How the axes of the two boxes lie to each other, as far as it is known without rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alignment {
    /// Both boxes' axes lie along the world's.
    World,
    /// The two rotations are the same.
    Same,
    /// Anything else.
    General,
}

pub(super) fn alignment(b_in_a: &Relative) -> Alignment {
    // A computed rotation whose entries are all 0, 1 or -1 is exactly that: off the diagonal a
    // zero is a sum of two exact products, and these zeros leave only quarter turns, for which
    // the diagonal is exact too.
    if permutes(b_in_a.rotation()) && permutes(b_in_a.world_from_a()) {
        return Alignment::World;
    }
    let (a, b) = (b_in_a.pose_a().rotation(), b_in_a.pose_b().rotation());
    if same(a, b) || same(a, -b) { Alignment::Same } else { Alignment::General }
}

fn same(a: Quat, b: Quat) -> bool {
    a.x.to_bits() == b.x.to_bits()
        && a.y.to_bits() == b.y.to_bits()
        && a.z.to_bits() == b.z.to_bits()
        && a.w.to_bits() == b.w.to_bits()
}

#[inline]
fn permutes(m: &DMat3) -> bool {
    let whole = |x: f64| x.abs() <= 0.0 || x.abs() >= 1.0;
    whole(m.x_axis.x) && m.to_cols_array().into_iter().all(whole)
}

/// Exact relation of two boxes.
///
/// - Error: none. f64 with a proven bound decides almost always, exact arithmetic the rest.
/// - Degenerate: zero extents are flat boxes, segments and points, which can only touch each
///   other where their difference is flat.
/// - Source: Gottschalk, Lin & Manocha, *OBBTree* (1996); Ericson, *Real-Time Collision Detection*
///   (2005), §4.4.1, with the edges' cross products taken for what they are instead of an epsilon.
#[must_use]
pub fn relation(a: &Cuboid, b: &Cuboid, b_in_a: &Relative) -> Relation {
    let boxes = Boxes::new(a, b, b_in_a);
    let error = tolerance::AXIS_ERROR * boxes.size();
    let mut uncertain = 0_u32;
    let mut overlap = f64::INFINITY;
    for i in 0..3 {
        let here = boxes.reach_on_a(i) - boxes.t[i].abs();
        if here < -error {
            return Relation::Apart;
        }
        uncertain |= u32::from(here <= error) << i;
        overlap = overlap.min(here);
    }
    for j in 0..3 {
        let here = boxes.reach_on_b(j) - boxes.project(3 + j, &boxes.t).abs();
        if here < -error {
            return Relation::Apart;
        }
        uncertain |= u32::from(here <= error) << (3 + j);
        overlap = overlap.min(here);
    }
    let overlaps = overlaps_on_edges(&boxes);
    let least = overlaps.as_flattened().iter().copied().fold(f64::INFINITY, f64::min);
    if least < -error {
        return Relation::Apart;
    }
    if least <= error {
        // Near-parallel edges give an axis that is all rounding; the faces already speak for it.
        let covered = overlap > tolerance::PARALLEL_SLACK * boxes.size();
        for k in EDGES..COUNT {
            let (i, j) = edges(k);
            let parallel =
                covered && boxes.edge_length_squared(i, j) <= tolerance::PARALLEL_SQUARED;
            uncertain |= u32::from(overlaps[i][j] <= error && !parallel) << k;
        }
    }
    if uncertain == 0 { Relation::Penetrating } else { settle(a, b, b_in_a, uncertain) }
}

/// Decides the axes in `uncertain`; on all others the boxes are known to overlap.
#[cold]
fn settle(a: &Cuboid, b: &Cuboid, b_in_a: &Relative, uncertain: u32) -> Relation {
    let aligned = alignment(b_in_a);
    if aligned == Alignment::World {
        return settle_along_world(a, b, b_in_a);
    }
    let (mut relation, mut uncertain) = (Relation::Penetrating, uncertain);
    // Edge axes of boxes with the same axes are zero or faces over again.
    if aligned == Alignment::Same {
        uncertain &= 0b111;
    }
    if let Some((order, axes)) = settle_upright(a, b, b_in_a) {
        match order {
            Ordering::Greater => return Relation::Apart,
            Ordering::Equal => relation = Relation::Touching,
            Ordering::Less => {}
        }
        uncertain &= ((1 << EDGES) - 1) & !axes;
    }
    if uncertain == 0 {
        return relation;
    }
    let exact = ExactBoxes::new(a, b, b_in_a);
    for k in (0..COUNT).filter(|k| uncertain & (1 << k) != 0) {
        match exact.separation(k) {
            Some(Ordering::Greater) => return Relation::Apart,
            Some(Ordering::Equal) => relation = Relation::Touching,
            Some(Ordering::Less) | None => {}
        }
    }
    relation
}

/// How boxes that have an axis of the world in common lie to each other along it, and which two of
/// their axes it is. Their edges then say nothing that the other faces do not.
fn settle_upright(a: &Cuboid, b: &Cuboid, b_in_a: &Relative) -> Option<(Ordering, u32)> {
    let (at_a, at_b) = (b_in_a.pose_a(), b_in_a.pose_b());
    let own = |axis| Some((Own::of(at_a, axis)?, Own::of(at_b, axis)?));
    let (axis, (on_a, on_b)) = (0..3).find_map(|axis| Some((axis, own(axis)?)))?;
    let [p, q] = [at_a, at_b].map(|pose| f64::from(pose.position()[axis]));
    let (half_a, half_b) = (a.half_extents()[on_a.index], b.half_extents()[on_b.index]);
    let order = compare_gap(p, q, half_a.into(), half_b.into());
    Some((order, 1 << on_a.index | 8 << on_b.index))
}

/// Boxes whose axes all lie along the world's: three intervals, compared without rounding.
fn settle_along_world(a: &Cuboid, b: &Cuboid, b_in_a: &Relative) -> Relation {
    let (at_a, at_b) = (b_in_a.pose_a().translation(), b_in_a.pose_b().translation());
    let (a, b) = (a.half_extents().as_dvec3(), b.half_extents().as_dvec3());
    // Entries are 0, 1 or -1, so these products only pick and are exact.
    let world_from_b = *b_in_a.world_from_a() * *b_in_a.rotation();
    let pick = |m: &DMat3| DMat3::from_cols(m.x_axis.abs(), m.y_axis.abs(), m.z_axis.abs());
    let (a, b) = (pick(b_in_a.world_from_a()) * a, pick(&world_from_b) * b);
    let mut relation = Relation::Penetrating;
    for i in 0..3 {
        match compare_gap(at_a[i], at_b[i], a[i], b[i]) {
            Ordering::Greater => return Relation::Apart,
            Ordering::Equal => relation = Relation::Touching,
            Ordering::Less => {}
        }
    }
    relation
}

/// Compares `|q - p|` with `a + b` for f32 values, exactly.
fn compare_gap(p: f64, q: f64, a: f64, b: f64) -> Ordering {
    let (gap, gap_error) = round::two_sum(q, -p);
    let (reach, reach_error) = round::two_sum(a, b);
    let gap_error = if gap < 0.0 { -gap_error } else { gap_error };
    // Rounding is monotonic: only equal sums need their errors.
    let by_error = || gap_error.partial_cmp(&reach_error).unwrap_or(Ordering::Equal);
    gap.abs().partial_cmp(&reach).unwrap_or(Ordering::Equal).then_with(by_error)
}

#[cfg(test)]
mod tests {
    use impinge_shapes::Pose;
    use impinge_shapes::glam::Vec3;

    use super::*;
    use crate::convex::draw::Draw;

    #[test]
    fn boxes_with_a_common_axis_need_only_their_faces() {
        let mut draw = Draw(7);
        let mut next = |count: u64| f32::from(u16::try_from(draw.below(count)).unwrap());
        let mut seen = [0; 3];
        for round in 0..20_000 {
            let mut shape = || Cuboid::new(Vec3::new(next(4), next(4), next(4)) * 0.25).unwrap();
            let (a, b) = (shape(), shape());
            let mut pose = || {
                let turn = match next(3) {
                    x if x < 1.0 => Quat::from_xyzw(0.0, next(5) - 2.0, 0.0, 1.0),
                    x if x < 2.0 => Quat::from_xyzw(next(2), 0.0, 0.0, 1.0),
                    _ => Quat::from_xyzw(1.0, next(3) * 0.5, -next(3) * 0.5, 1.0),
                };
                Pose::new(Vec3::new(next(8), next(8), next(8)) * 0.25, turn).unwrap()
            };
            let at = Relative::new(&pose(), &pose());
            let exact = ExactBoxes::new(&a, &b, &at);
            let orders = (0..COUNT).filter_map(|k| exact.separation(k));
            let (expected, place) = match orders.max().unwrap_or(Ordering::Less) {
                Ordering::Greater => (Relation::Apart, 0),
                Ordering::Equal => (Relation::Touching, 1),
                Ordering::Less => (Relation::Penetrating, 2),
            };
            assert_eq!(settle(&a, &b, &at, (1 << COUNT) - 1), expected, "{round}: {at:?}");
            seen[place] += 1;
        }
        assert!(seen.iter().all(|&count| count > 1_000), "{seen:?}");
    }

    #[test]
    fn gaps_are_compared_beyond_f64() {
        let tiny = 2.0_f64.powi(-140);
        assert_eq!(compare_gap(0.0, 2.0, 1.0, 1.0), Ordering::Equal);
        assert_eq!(compare_gap(-tiny, 2.0, 1.0, 1.0), Ordering::Greater);
        assert_eq!(compare_gap(-tiny, 2.0, 2.0, tiny), Ordering::Equal);
        assert_eq!(compare_gap(2.0, 0.0, 2.0, tiny), Ordering::Less);
        assert_eq!(compare_gap(2.0, -tiny, 2.0, 0.0), Ordering::Greater);
    }
}
