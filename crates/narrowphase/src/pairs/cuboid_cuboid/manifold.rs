//! Contact manifold of two boxes.

use impinge_shapes::Cuboid;
use impinge_shapes::glam::DVec3;
use impinge_shapes::simd::SimdLevel;
use smallvec::SmallVec;

use super::axes::{Best, Boxes, EDGES};
use super::closest::{nearest_apart, touch_outside};
use super::contact::{Contact, Sort};
use super::overlap::relation;
use super::survey::Survey;
use crate::{FeatureId, Patch, PatchPoint, Relation, Relative, Separation, tolerance};

/// The feature of a point between corners or edges that no axis names.
const LOOSE: FeatureId = FeatureId(1 << 17);

/// Contact points of two boxes that are no farther apart than `margin`.
///
/// - Normal: of the axis of least depth; a face where an edge is better by a rounding or by less
///   than [`tolerance::FACE_PREFERENCE`] of the depth. In place of
///   it the first face is taken whose normal is within [`tolerance::NEAR_FACE`] of it, if that
///   shows half of the depth or more.
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
    let mut contact = Contact::none(SimdLevel::scalar());
    let meeting = meet(&boxes, relation, &best, margin, &mut contact)?;
    let mut points = SmallVec::new();
    meeting.each_point(&boxes, &contact, |point| points.push(point));
    Some(Patch { normal: meeting.normal, points })
}

/// What a manifold is made of, together with a [`Contact`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    /// Unit, from A to B.
    pub(super) normal: DVec3,
    relation: Relation,
    margin: f64,
    /// The only point, where the contact has none to show.
    single: Option<Separation>,
}

/// [`manifold`] of boxes whose relation and best axis are known, if there is one.
///
/// `contact` is room to work in, which holds what the points are made of.
pub(super) fn meet(
    boxes: &Boxes,
    relation: Relation,
    best: &Best,
    margin: f64,
    contact: &mut Contact,
) -> Option<Meeting> {
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
    contact.find(boxes, &best);
    // Where boxes that are apart do not face each other along any axis, these are nearest.
    let off = relation == Relation::Apart && contact.deepest() > best.separation + tie;
    let nearest = off.then(|| nearest_apart(boxes, &best, contact));
    if nearest.is_some_and(|nearest| nearest.distance > margin) {
        return None;
    }
    let axis = nearest.map_or(best, |Separation { distance, normal, .. }| Best {
        index: EDGES,
        separation: distance,
        normal,
    });
    let alone = |found: Separation| {
        let normal = found.normal;
        Some(Meeting { normal, relation, margin, single: Some(found) })
    };
    if let Some(face) = steadier(boxes, relation, &axis, margin, contact) {
        best = face;
    } else if let Some(nearest) = nearest {
        return alone(nearest);
    }
    if contact.sort == Sort::Faces {
        contact.faces.polygon.reduce(margin + tie, size);
    }
    if contact.is_empty() {
        return alone(touch_outside(boxes, &best));
    }
    Some(Meeting { normal: best.normal, relation, margin, single: None })
}

impl Meeting {
    /// Calls `put` for each point.
    #[inline(always)]
    pub(super) fn each_point(
        &self,
        boxes: &Boxes,
        contact: &Contact,
        mut put: impl FnMut(PatchPoint),
    ) {
        if let Some(Separation { distance, point_a, point_b, .. }) = self.single {
            put(PatchPoint { point_a, point_b, distance, feature: LOOSE });
            return;
        }
        let size = boxes.size();
        match contact.sort {
            Sort::Faces => {
                let faces = &contact.faces;
                for corner in faces.polygon.corners() {
                    let distance = self.settled(corner.distance, size);
                    let point_a = faces.on_a(boxes, corner);
                    let point_b = point_a + self.normal * distance;
                    let feature = faces.feature(corner);
                    put(PatchPoint { point_a, point_b, distance, feature });
                }
            }
            Sort::Edges => {
                if let Some(point) = contact.edges {
                    put(PatchPoint { distance: self.settled(point.distance, size), ..point });
                }
            }
        }
    }

    /// A point's distance: within rounding of touching, the exact relation knows the sign.
    #[inline(always)]
    fn settled(&self, distance: f64, size: f64) -> f64 {
        let (tie, least) = (16.0 * tolerance::TIE * size, tolerance::LEAST_GAP * size);
        let known = match self.relation {
            Relation::Apart => distance.max(least),
            Relation::Touching if distance <= tie => 0.0,
            Relation::Penetrating if distance.abs() <= tie => distance.min(-least),
            Relation::Touching | Relation::Penetrating => distance,
        };
        known.min(self.margin)
    }
}

/// The first face that looks nearly along the best axis, where that is another one; none where that
/// would tell too little of how deep or how near the boxes are. `contact` becomes what meets along
/// it.
fn steadier(
    boxes: &Boxes,
    relation: Relation,
    best: &Best,
    margin: f64,
    contact: &mut Contact,
) -> Option<Best> {
    // Of unit vectors, the sine's square is what the cosine's lacks.
    let near = |cosine: f64| 1.0 - cosine * cosine <= tolerance::NEAR_FACE;
    let (index, direction) = (0..best.index.min(EDGES)).find_map(|index| {
        let axis = match index {
            0..3 => DVec3::AXES[index],
            _ => DVec3::from_array(boxes.r[index - 3]),
        };
        near(axis.dot(best.normal)).then_some((index, axis))
    })?;
    let normal = if direction.dot(best.normal) < 0.0 { -direction } else { direction };
    let separation = normal.dot(boxes.centre()) - boxes.reach_along(normal);
    let face = Best { index, separation, normal };
    let mut meeting = Contact::none(contact.level());
    meeting.find(boxes, &face);
    let size = boxes.size();
    let limit = match relation {
        // As much farther as the angle explains.
        Relation::Apart => {
            let sine = best.normal.cross(direction).length();
            margin.min(best.separation + sine * size)
        }
        Relation::Touching | Relation::Penetrating => {
            0.5 * best.separation + 16.0 * tolerance::TIE * size
        }
    };
    (meeting.deepest() <= limit).then(|| {
        *contact = meeting;
        face
    })
}
