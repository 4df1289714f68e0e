//! Contact manifold of two boxes.

use impinge_shapes::Cuboid;
use smallvec::SmallVec;

use super::axes::{Best, Boxes};
use super::closest::{nearest_apart, touch_outside};
use super::contact::{Contact, contact};
use super::overlap::relation;
use super::survey::Survey;
use crate::{FeatureId, Patch, PatchPoint, Relation, Relative, tolerance};

/// The feature of a point between corners or edges that no axis names.
const LOOSE: FeatureId = FeatureId(1 << 17);

/// Contact points of two boxes that are no farther apart than `margin`.
///
/// - Normal: of the axis of least depth; a face where an edge is better by a rounding or by less
///   than [`tolerance::FACE_PREFERENCE`] of the depth.
/// - Ties: axes as in [`closest`](super::closest); of more than four points the deepest, the one
///   farthest from it and the two that span the largest area.
/// - Error: for a margin of zero, `None` exactly when the boxes are apart; each distance within
///   2^-44 of the pair's size.
/// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.5.3; clipping as in Catto,
///   *Contact Manifolds* (2007).
#[must_use]
pub fn manifold(a: &Cuboid, b: &Cuboid, b_in_a: &Relative, margin: f64) -> Option<Patch> {
    let boxes = Boxes::new(a, b, b_in_a);
    let survey = Survey::new(&boxes);
    let relation = survey.relation(&boxes).unwrap_or_else(|| relation(a, b, b_in_a));
    if relation == Relation::Apart && margin <= 0.0 {
        return None;
    }
    let best = boxes.best(&survey, tolerance::FACE_PREFERENCE);
    patch_of(&boxes, relation, &best, margin)
}

/// [`manifold`] of boxes whose relation and best axis are known.
pub(super) fn patch_of(
    boxes: &Boxes,
    relation: Relation,
    best: &Best,
    margin: f64,
) -> Option<Patch> {
    if relation == Relation::Apart && margin <= 0.0 {
        return None;
    }
    let size = boxes.size();
    let (tie, least) = (16.0 * tolerance::TIE * size, tolerance::LEAST_GAP * size);
    let mut best = *best;
    best.separation = match relation {
        Relation::Apart => best.separation.max(least),
        Relation::Touching => 0.0,
        Relation::Penetrating => best.separation.min(-least),
    };
    if best.separation > margin {
        return None;
    }
    let mut contact = contact(boxes, &best);
    if relation == Relation::Apart && contact.deepest() > best.separation + tie {
        // The closest features do not face each other along any axis.
        let nearest = nearest_apart(boxes, &best);
        return (nearest.distance <= margin).then(|| Patch::single(&nearest, LOOSE));
    }
    // Within rounding of touching, the exact relation knows the sign.
    let settle = |distance: f64| {
        let known = match relation {
            Relation::Apart => distance.max(least),
            Relation::Touching if distance <= tie => 0.0,
            Relation::Penetrating if distance.abs() <= tie => distance.min(-least),
            Relation::Touching | Relation::Penetrating => distance,
        };
        known.min(margin)
    };
    let mut points: SmallVec<[PatchPoint; 4]> = SmallVec::new();
    match &mut contact {
        Contact::Faces(faces) => {
            faces.polygon.reduce(margin + tie, size);
            for corner in faces.polygon.corners() {
                let (point_a, distance) = (faces.on_a(boxes, corner), settle(corner.distance));
                let point_b = point_a + best.normal * distance;
                let feature = faces.feature(corner);
                points.push(PatchPoint { point_a, point_b, distance, feature });
            }
        }
        Contact::Edges(point) => {
            points.push(PatchPoint { distance: settle(point.distance), ..*point });
        }
        Contact::Nothing => {}
    }
    if points.is_empty() {
        return Some(Patch::single(&touch_outside(boxes, &best), LOOSE));
    }
    Some(Patch { normal: best.normal, points })
}
