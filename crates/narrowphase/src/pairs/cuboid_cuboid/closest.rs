//! Closest points of two boxes, or how deep they overlap.

use impinge_shapes::Cuboid;
use impinge_shapes::convex::gjk::{self, Support};
use impinge_shapes::glam::DVec3;
use impinge_shapes::simd::SimdLevel;
use impinge_shapes::tolerance as gjk_tolerance;

use super::apart::{Along, Apart};
use super::axes::{Best, Boxes};
use super::contact::{self, Contact};
use super::overlap::relation;
use super::survey::Survey;
use crate::real::Real3;
use crate::{Relation, Relative, Separation, tolerance};

/// Closest points of two boxes, or how deep they overlap.
///
/// - Sign: agrees with [`relation`], which is exact.
/// - Ties: axes of equal depth in the order A's faces, B's faces, edges; each along + before -.
///   An edge axis must be less deep by more than rounding.
/// - Degenerate: boxes without thickness that cross have depth zero along their common normal.
/// - Error: 2^-40 of the distance plus 2^-38 of the pair's size; beside nearly
///   parallel edges up to [`tolerance::UNPROVEN`] of the size, the resolution of f32 coordinates.
///   The sign is that of [`super::relation`].
/// - Source: depth: the face of the boxes' Minkowski difference nearest to the origin, which
///   belongs to one of the fifteen axes; distance: what is nearest along the axis with the largest
///   gap, where a plane proves it, else GJK, with all pairs of features as its check.
#[must_use]
pub fn closest(a: &Cuboid, b: &Cuboid, b_in_a: &Relative) -> Separation {
    let boxes = Boxes::new(a, b, b_in_a);
    let survey = Survey::new(&boxes);
    let relation = survey.relation(&boxes).unwrap_or_else(|| relation(a, b, b_in_a));
    let mut contact = Contact::none(SimdLevel::scalar());
    separation_of(&boxes, relation, &boxes.best(&survey, 0.0), &mut contact)
}

/// [`closest`] of boxes whose relation and best axis are known; `contact` is room to work in.
pub(super) fn separation_of(
    boxes: &Boxes,
    relation: Relation,
    best: &Best,
    contact: &mut Contact,
) -> Separation {
    let mut best = *best;
    let least = tolerance::LEAST_GAP * boxes.size();
    match relation {
        Relation::Apart => return nearest_apart(boxes, &best, contact),
        Relation::Touching => best.separation = 0.0,
        Relation::Penetrating => best.separation = best.separation.min(-least),
    }
    contact::witness(boxes, &best, f64::INFINITY, contact)
        .unwrap_or_else(|| touch_outside(boxes, &best))
}

/// The place of touch after B has been moved out along the axis, where rounding hides the common
/// features.
pub(super) fn touch_outside(boxes: &Boxes, best: &Best) -> Separation {
    let outside = boxes.moved(best.normal * -best.separation);
    let found = gjk::nearest(|n| support(&outside, n), best.normal, outside.size());
    let point_a = (found.point_a + found.point_b) * 0.5;
    let point_b = point_a + best.normal * best.separation;
    Separation { distance: best.separation, normal: best.normal, point_a, point_b }
}

/// Closest points of boxes that are known to be apart; `best` is their axis of largest gap,
/// `contact` room to work in.
pub(super) fn nearest_apart(boxes: &Boxes, best: &Best, contact: &mut Contact) -> Separation {
    nearest_along(boxes, best.index).unwrap_or_else(|| search(boxes, best, contact))
}

/// The same by a search.
fn search(boxes: &Boxes, best: &Best, contact: &mut Contact) -> Separation {
    let size = boxes.size();
    let least = tolerance::LEAST_GAP * size;
    let best = Best { separation: best.separation.max(least), ..*best };
    // Where the supporting features face each other, the gap along the axis is the distance.
    let slack = 16.0 * tolerance::TIE * size;
    if let Some(witness) = contact::witness(boxes, &best, slack, contact) {
        return witness;
    }
    // How far the plane across the line between two points parts the boxes.
    let gap = |(on_a, on_b): (DVec3, DVec3)| {
        let normal = (on_b - on_a).normalize_or_zero();
        let ends = support(boxes, normal);
        (ends.b - ends.a).dot(normal)
    };
    let found = gjk::nearest(|n| support(boxes, n), best.normal, size);
    let allowed = gjk_tolerance::GJK_GAP * found.distance + 16.0 * gjk_tolerance::GJK_NOISE * size;
    let mut points = (found.point_a, found.point_b);
    if found.distance - found.lower_bound > allowed {
        // Of two pairs of points the one that proves more is nearer to the truth: close to touching
        // the distance itself hardly tells them apart.
        let other = by_features(boxes);
        points = if gap(other) > gap(points) { other } else { points };
    }
    let (point_a, point_b) = points;
    let between = point_b - point_a;
    let distance = between.length();
    // The gap along an axis is a lower bound, and the better number where rounding eats the rest:
    // at the resolution of f64, and where nearest points on nearly parallel edges are off so far
    // that no plane across them parts the boxes.
    let proven = || gap(points) >= distance - tolerance::UNPROVEN * size;
    let is_near = distance - best.separation <= tolerance::UNPROVEN * size;
    if distance <= slack || is_near && !proven() {
        let middle = (point_a + point_b) * 0.5;
        let half = best.normal * (best.separation * 0.5);
        let (point_a, point_b) = (middle - half, middle + half);
        return Separation { distance: best.separation, normal: best.normal, point_a, point_b };
    }
    Separation { distance, normal: between / distance, point_a, point_b }
}

/// What is nearest along an axis, where that is proved to be nearest of all.
pub(super) fn nearest_along(boxes: &Boxes, index: usize) -> Option<Separation> {
    let vector = |[x, y, z]: [f64; 3]| Real3::new(x, y, z);
    let [u, v, w] = boxes.r;
    let apart = Apart {
        a: vector(boxes.a),
        b: vector(boxes.b),
        centre: vector(boxes.t),
        axes: [vector(u), vector(v), vector(w)],
        size: boxes.size(),
    };
    let found = apart.nearest(&Along::new(index));
    let point = |Real3 { x, y, z }: Real3<f64>| DVec3::new(x, y, z);
    found.proved.then(|| Separation {
        distance: found.distance,
        normal: point(found.normal),
        point_a: point(found.point_a),
        point_b: point(found.point_b),
    })
}

/// Corner of A farthest along `n` and corner of B farthest against it.
fn support(boxes: &Boxes, n: DVec3) -> Support {
    let pick = |along: f64, half: f64| if along < 0.0 { -half } else { half };
    let mut b = boxes.centre();
    let mut a = DVec3::ZERO;
    for k in 0..3 {
        a[k] = pick(n[k], boxes.a[k]);
        let axis = DVec3::from_array(boxes.r[k]);
        b -= axis * pick(n.dot(axis), boxes.b[k]);
    }
    Support { a, b }
}

/// Closest points of boxes that are apart by going through all corners and pairs of edges.
///
/// - Cost: 16 corners and 144 pairs of edges; only where GJK could not prove its answer, and in tests.
pub(super) fn by_features(boxes: &Boxes) -> (DVec3, DVec3) {
    let corner = |half: &[f64; 3], k: usize| {
        let side = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
        DVec3::new(side(1) * half[0], side(2) * half[1], side(4) * half[2])
    };
    let (rotation, centre) = (boxes.rotation(), boxes.centre());
    let (half_a, half_b) = (DVec3::from_array(boxes.a), DVec3::from_array(boxes.b));
    let mut best = (DVec3::ZERO, centre);
    let mut least = f64::INFINITY;
    let mut keep = |on_a: DVec3, on_b: DVec3| {
        let here = on_a.distance_squared(on_b);
        if here < least {
            (best, least) = ((on_a, on_b), here);
        }
    };
    for k in 0..8 {
        let on_b = rotation * corner(&boxes.b, k) + centre;
        keep(on_b.clamp(-half_a, half_a), on_b);
        let on_a = corner(&boxes.a, k);
        let in_b = rotation.transpose() * (on_a - centre);
        keep(on_a, rotation * in_b.clamp(-half_b, half_b) + centre);
    }
    for (k, i) in (0..8).flat_map(|k| (0..3).map(move |i| (k, i))).filter(|(k, i)| k >> i & 1 == 0)
    {
        let (p, q) = (corner(&boxes.a, k), corner(&boxes.a, k | 1 << i));
        for (l, j) in
            (0..8).flat_map(|l| (0..3).map(move |j| (l, j))).filter(|(l, j)| l >> j & 1 == 0)
        {
            let (r, s) = (corner(&boxes.b, l), corner(&boxes.b, l | 1 << j));
            let (on_a, on_b) = between_segments(p, q, rotation * r + centre, rotation * s + centre);
            keep(on_a, on_b);
        }
    }
    best
}

/// Closest points of two segments that are nearest to each other between their ends; where they
/// are not, some pair of points on them.
///
/// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.1.8.
fn between_segments(p: DVec3, q: DVec3, r: DVec3, s: DVec3) -> (DVec3, DVec3) {
    let (first, second, offset) = (q - p, s - r, r - p);
    let (a, b, c) = (first.length_squared(), first.dot(second), second.length_squared());
    let determinant = a * c - b * b;
    let (d, e) = (offset.dot(first), offset.dot(second));
    let share = |numerator: f64| {
        if determinant > 0.0 { (numerator / determinant).clamp(0.0, 1.0) } else { 0.0 }
    };
    (p + first * share(d * c - e * b), r + second * share(d * b - e * a))
}
