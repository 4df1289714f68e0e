//! Where two boxes meet along one of their axes.

use impinge_shapes::glam::DVec3;

use super::axes::{Best, Boxes, EDGES, after, edges};
use crate::clip::{Corner, Polygon};
use crate::{FeatureId, PatchPoint, Separation, tolerance};

/// First number of a feature that is not a corner of a clipped face.
const EDGE_FEATURE: u32 = 1 << 16;

/// What the supporting features of an axis share, as seen along it.
#[expect(clippy::large_enum_variant, reason = "lives on the stack for the length of one query")]
pub(super) enum Contact {
    /// A face over a face.
    Faces(Faces),
    /// An edge across an edge.
    Edges(PatchPoint),
    /// Nothing: the boxes are closest elsewhere.
    Nothing,
}

/// The part of an incident face over a reference face.
pub(super) struct Faces {
    /// In the reference face's own coordinates.
    pub(super) polygon: Polygon,
    /// The reference box's axis, and the one of its two faces.
    axis: usize,
    sign: f64,
    half: f64,
    reference_is_b: bool,
    name: u32,
}

/// The contact along the axis `best`.
pub(super) fn contact(boxes: &Boxes, best: &Best) -> Contact {
    match best.index {
        0..3 => Contact::Faces(faces(boxes, best.normal, best.index, false)),
        3..EDGES => {
            let normal = boxes.rotation().transpose() * -best.normal;
            Contact::Faces(faces(&boxes.flipped(), normal, best.index - 3, true))
        }
        _ => edge_point(boxes, best).map_or(Contact::Nothing, Contact::Edges),
    }
}

impl Contact {
    /// The least distance of its points; infinite where there are none.
    pub(super) fn deepest(&self) -> f64 {
        match self {
            Self::Faces(faces) => faces.polygon.deepest(),
            Self::Edges(point) => point.distance,
            Self::Nothing => f64::INFINITY,
        }
    }

    /// The place of the deepest points' middle on A.
    fn middle(&self, boxes: &Boxes, tie: f64) -> Option<DVec3> {
        let faces = match self {
            Self::Faces(faces) => faces,
            Self::Edges(point) => return Some(point.point_a),
            Self::Nothing => return None,
        };
        let limit = faces.polygon.deepest() + tie;
        let (mut sum, mut count) = (Corner::default(), 0.0);
        for corner in faces.polygon.corners().iter().filter(|c| c.distance <= limit) {
            sum.u += corner.u;
            sum.v += corner.v;
            sum.distance += corner.distance;
            count += 1.0;
        }
        let (u, v, distance) = (sum.u / count, sum.v / count, sum.distance / count);
        (count > 0.0).then(|| faces.on_a(boxes, &Corner { u, v, distance, ..sum }))
    }
}

impl Faces {
    /// The corner's point of A, in A's frame.
    pub(super) fn on_a(&self, boxes: &Boxes, corner: &Corner) -> DVec3 {
        let (u, v) = after(self.axis);
        let mut point = [0.0; 3];
        (point[u], point[v], point[self.axis]) = (corner.u, corner.v, self.sign * self.half);
        if self.reference_is_b {
            point[self.axis] += self.sign * corner.distance;
            boxes.rotation() * DVec3::from_array(point) + boxes.centre()
        } else {
            DVec3::from_array(point)
        }
    }

    /// Names the two features that meet in the corner.
    pub(super) fn feature(&self, corner: &Corner) -> FeatureId {
        FeatureId(self.name | u32::from(corner.edges))
    }
}

/// The deepest place along the axis `best`: the middle of its deepest contact points. `None` where
/// these are less deep than the axis says by more than `slack`.
pub(super) fn witness(boxes: &Boxes, best: &Best, slack: f64) -> Option<Separation> {
    let contact = contact(boxes, best);
    if contact.deepest() > best.separation + slack {
        return None;
    }
    let point_a = contact.middle(boxes, 8.0 * tolerance::TIE * boxes.size())?;
    Some(Separation {
        distance: best.separation,
        normal: best.normal,
        point_a,
        point_b: point_a + best.normal * best.separation,
    })
}

/// B's face that looks at A's face on axis `i`, clipped by it. A is the reference.
fn faces(boxes: &Boxes, normal: DVec3, i: usize, reference_is_b: bool) -> Faces {
    let (u, v) = after(i);
    let negative = normal[i] < 0.0;
    let sign = if negative { -1.0 } else { 1.0 };
    // The face of B whose outward normal is most against A's.
    let along = |j: usize| boxes.r[j][i].abs();
    let mut j = usize::from(along(1) > along(0));
    j = if along(2) > along(j) { 2 } else { j };
    let incident_negative = (boxes.r[j][i] > 0.0) != negative;
    let (k, l) = after(j);
    let half = if incident_negative { -boxes.b[j] } else { boxes.b[j] };
    let (r, b) = (&boxes.r, &boxes.b);
    // The quad in the reference face's coordinates: its centre and its two half sides.
    let place = |c: usize| (boxes.t[c] + r[j][c] * half, r[k][c] * b[k], r[l][c] * b[l]);
    let (on_u, on_v, on_i) = (place(u), place(v), place(i));
    let mut edge = 0;
    let quad = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].map(|(first, second)| {
        let at = |(centre, k, l): (f64, f64, f64)| centre + (first * k + second * l);
        edge += 1;
        let distance = sign * at(on_i) - boxes.a[i];
        Corner { u: at(on_u), v: at(on_v), distance, next_edge: edge - 1, edges: 0 }
    });
    let face =
        |axis: usize, negative: bool| u32::try_from(2 * axis).unwrap_or(0) + u32::from(negative);
    let name =
        u32::from(reference_is_b) << 12 | face(i, negative) << 9 | face(j, incident_negative) << 6;
    let mut faces = Faces {
        polygon: Polygon::clipped(&quad, boxes.a[u], boxes.a[v]),
        axis: i,
        sign,
        half: boxes.a[i],
        reference_is_b,
        name,
    };
    if faces.polygon.corners().is_empty() {
        // Faces that meet exactly at their borders may miss each other by rounding.
        let slack = tolerance::TIE * boxes.size();
        faces.polygon = Polygon::clipped(&quad, boxes.a[u] + slack, boxes.a[v] + slack);
    }
    faces
}

/// The crossing of the two supporting edges, as seen along the axis.
///
/// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.1.8, with the products that keep
///   their precision when the lines are nearly parallel.
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
    let (along_a, along_b) = (DVec3::AXES[i], DVec3::from_array(boxes.r[j]));
    let (between, cross) = (on_b - on_a, along_a.cross(along_b));
    let square = cross.length_squared();
    let crossing =
        [between.cross(along_b).dot(cross) / square, between.cross(along_a).dot(cross) / square];
    // Where nearly parallel edges cross is lost in rounding; then any place where they run beside
    // each other will do, and the middle is the best.
    let cosine = along_b[i];
    let (other, reach) = (between[i], boxes.b[j] * cosine.abs());
    let low = (-boxes.a[i]).max(other - reach);
    let high = boxes.a[i].min(other + reach);
    let beside = [0.5 * (low + high), (0.5 * (low + high) - other) / cosine];
    let slack = tolerance::SAME_POINT * boxes.size();
    let (on_a, on_b) = [crossing, beside].into_iter().find_map(|[at_a, at_b]| {
        let on_a = on_a + along_a * at_a.clamp(-boxes.a[i], boxes.a[i]);
        let on_b = on_b + along_b * at_b.clamp(-boxes.b[j], boxes.b[j]);
        let off = on_b - on_a;
        ((off - normal * off.dot(normal)).length() <= slack).then_some((on_a, on_b))
    })?;
    let (middle, half) = ((on_a + on_b) * 0.5, normal * (best.separation * 0.5));
    let index = u32::try_from(best.index).unwrap_or(0);
    Some(PatchPoint {
        point_a: middle - half,
        point_b: middle + half,
        distance: best.separation,
        feature: FeatureId(EDGE_FEATURE | index << 4 | name),
    })
}
