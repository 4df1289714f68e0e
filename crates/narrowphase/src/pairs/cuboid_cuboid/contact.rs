//! Where two boxes meet along one of their axes.

use impinge_shapes::glam::DVec3;
use smallvec::SmallVec;

use super::axes::{Best, Boxes, EDGES, after, edges};
use crate::clip::{Corner, Polygon};
use crate::{FeatureId, PatchPoint, Separation, tolerance};

/// Contact points along an axis, before they are reduced.
pub(super) type Points = SmallVec<[PatchPoint; 8]>;

/// First number of a feature that is not a corner of a clipped face.
const EDGE_FEATURE: u32 = 1 << 16;

/// Contact points along the axis `best`; empty where the supporting features do not face each
/// other, so that the boxes are closest elsewhere.
pub(super) fn points(boxes: &Boxes, best: &Best) -> Points {
    match best.index {
        0..3 => faces(boxes, best, best.index, false),
        3..EDGES => {
            let flipped = Best { normal: boxes.rotation().transpose() * -best.normal, ..*best };
            let mut points = faces(&boxes.flipped(), &flipped, best.index - 3, true);
            for point in &mut points {
                let on_a = boxes.rotation() * point.point_b + boxes.centre();
                point.point_a = on_a;
                point.point_b = on_a + best.normal * point.distance;
            }
            points
        }
        _ => edge_point(boxes, best).into_iter().collect(),
    }
}

/// The deepest place along the axis `best`: the middle of its deepest contact points. `None` where
/// these are less deep than the axis says by more than `slack`.
pub(super) fn witness(boxes: &Boxes, best: &Best, slack: f64) -> Option<Separation> {
    let points = points(boxes, best);
    let deepest = points.iter().map(|p| p.distance).fold(f64::INFINITY, f64::min);
    if points.is_empty() || deepest > best.separation + slack {
        return None;
    }
    let limit = deepest + 8.0 * tolerance::TIE * boxes.size();
    let (mut sum, mut count) = (DVec3::ZERO, 0.0);
    for point in points.iter().filter(|p| p.distance <= limit) {
        sum += point.point_a;
        count += 1.0;
    }
    let point_a = sum / count;
    Some(Separation {
        distance: best.separation,
        normal: best.normal,
        point_a,
        point_b: point_a + best.normal * best.separation,
    })
}

/// B's face that looks at A's face `i`, clipped by it. A is the reference.
fn faces(boxes: &Boxes, best: &Best, i: usize, reference_is_b: bool) -> Points {
    let (u, v) = after(i);
    let negative = best.normal[i] < 0.0;
    let sign = if negative { -1.0 } else { 1.0 };
    // The face of B whose outward normal is most against A's.
    let along = |j: usize| boxes.r[j][i].abs();
    let mut j = usize::from(along(1) > along(0));
    j = if along(2) > along(j) { 2 } else { j };
    let incident_negative = (boxes.r[j][i] > 0.0) != negative;
    let (k, l) = after(j);
    let axis = |j: usize, by: f64| DVec3::from_array(boxes.r[j]) * by;
    let half = if incident_negative { -boxes.b[j] } else { boxes.b[j] };
    let centre = boxes.centre() + axis(j, half);
    let (first, second) = (axis(k, boxes.b[k]), axis(l, boxes.b[l]));
    let mut edge = 0;
    let quad = [first + second, second - first, -first - second, first - second].map(|offset| {
        let corner = centre + offset;
        edge += 1;
        let distance = sign * corner[i] - boxes.a[i];
        Corner { u: corner[u], v: corner[v], distance, next_edge: edge - 1 }
    });
    let mut polygon = Polygon::clipped(&quad, boxes.a[u], boxes.a[v]);
    if polygon.corners().is_empty() {
        // Faces that meet exactly at their borders may miss each other by rounding.
        let slack = tolerance::TIE * boxes.size();
        polygon = Polygon::clipped(&quad, boxes.a[u] + slack, boxes.a[v] + slack);
    }
    let face =
        |axis: usize, negative: bool| u32::try_from(2 * axis).unwrap_or(0) + u32::from(negative);
    let name =
        u32::from(reference_is_b) << 12 | face(i, negative) << 9 | face(j, incident_negative) << 6;
    let mut points = Points::new();
    for (k, corner) in polygon.corners().iter().enumerate() {
        let mut point_a = DVec3::ZERO;
        (point_a[u], point_a[v], point_a[i]) = (corner.u, corner.v, sign * boxes.a[i]);
        let mut point_b = point_a;
        point_b[i] += sign * corner.distance;
        let feature = FeatureId(name | polygon.edges_at(k));
        points.push(PatchPoint { point_a, point_b, distance: corner.distance, feature });
    }
    points
}

/// The crossing of the two supporting edges, as seen along the axis.
fn edge_point(boxes: &Boxes, best: &Best) -> Option<PatchPoint> {
    let (i, j) = edges(best.index);
    let normal = best.normal;
    let (mut on_a, mut name) = (DVec3::ZERO, 0);
    let (m, n) = after(i);
    for k in [m, n] {
        let negative = normal[k] < 0.0;
        on_a[k] = if negative { -boxes.a[k] } else { boxes.a[k] };
        name = name << 1 | u32::from(negative);
    }
    let mut on_b = boxes.centre();
    let (k, l) = after(j);
    for k in [k, l] {
        let axis = DVec3::from_array(boxes.r[k]);
        let negative = axis.dot(normal) > 0.0;
        on_b += axis * if negative { -boxes.b[k] } else { boxes.b[k] };
        name = name << 1 | u32::from(negative);
    }
    // Both lines cross the plane that holds one of them and the normal (Ericson §5.1.8).
    let (along_a, along_b) = (DVec3::AXES[i], DVec3::from_array(boxes.r[j]));
    let between = on_b - on_a;
    let cosine = along_b[i];
    let sine_squared = boxes.edge_length_squared(i, j);
    if sine_squared <= tolerance::PARALLEL_SQUARED {
        return None;
    }
    let (to_a, to_b) = (between.dot(along_a), between.dot(along_b));
    let at_a = (to_a - cosine * to_b) / sine_squared;
    let at_b = (cosine * to_a - to_b) / sine_squared;
    let slack = tolerance::SAME_POINT * boxes.size();
    if at_a.abs() > boxes.a[i] + slack || at_b.abs() > boxes.b[j] + slack {
        return None;
    }
    let on_a = on_a + along_a * at_a.clamp(-boxes.a[i], boxes.a[i]);
    let on_b = on_b + along_b * at_b.clamp(-boxes.b[j], boxes.b[j]);
    let (middle, half) = ((on_a + on_b) * 0.5, normal * (best.separation * 0.5));
    let index = u32::try_from(best.index).unwrap_or(0);
    Some(PatchPoint {
        point_a: middle - half,
        point_b: middle + half,
        distance: best.separation,
        feature: FeatureId(EDGE_FEATURE | index << 4 | name),
    })
}
