//! Where two boxes meet along one of their axes.

use impinge_shapes::glam::DVec3;
use impinge_shapes::simd::SimdLevel;

use super::axes::{Best, Boxes, EDGES, after, edges};
use crate::clip::{Corner, Polygon, Quad};
use crate::{FeatureId, PatchPoint, Separation, tolerance};

/// First number of a feature that is not a corner of a clipped face.
pub(super) const EDGE_FEATURE: u32 = 1 << 16;

/// What the supporting features of an axis share, as seen along it.
pub(super) struct Contact {
    pub(super) sort: Sort,
    /// A face over a face.
    pub(super) faces: Faces,
    /// An edge across an edge.
    pub(super) edges: Option<PatchPoint>,
}

/// Which features meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Faces,
    /// Two edges; none where the boxes are closest elsewhere.
    Edges,
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

impl Contact {
    /// Nothing found yet; `level` is what the machine offers for finding something.
    pub(super) fn none(level: SimdLevel) -> Self {
        let polygon = Polygon::none(level);
        let faces =
            Faces { polygon, axis: 0, sign: 0.0, half: 0.0, reference_is_b: false, name: 0 };
        Self { sort: Sort::Edges, faces, edges: None }
    }

    /// What the machine offers.
    pub(super) fn level(&self) -> SimdLevel {
        self.faces.polygon.level()
    }

    /// Becomes the contact along the axis `best`.
    ///
    /// In place, because it is large for something that is made for every pair in contact.
    pub(super) fn find(&mut self, boxes: &Boxes, best: &Best) {
        self.sort = Sort::Faces;
        match best.index {
            0..3 => self.faces.find(boxes, best.normal, best.index, false),
            3..EDGES => {
                let normal = boxes.rotation().transpose() * -best.normal;
                self.faces.find(&boxes.flipped(), normal, best.index - 3, true);
            }
            _ => {
                self.sort = Sort::Edges;
                self.edges = edge_point(boxes, best);
            }
        }
    }

    /// Whether it has no points.
    pub(super) fn is_empty(&self) -> bool {
        match self.sort {
            Sort::Faces => self.faces.polygon.corners().is_empty(),
            Sort::Edges => self.edges.is_none(),
        }
    }

    /// The least distance of its points; infinite where there are none.
    pub(super) fn deepest(&self) -> f64 {
        match self.sort {
            Sort::Faces => self.faces.polygon.deepest(),
            Sort::Edges => self.edges.map_or(f64::INFINITY, |point| point.distance),
        }
    }

    /// The place of the deepest points' middle on A.
    fn middle(&self, boxes: &Boxes, tie: f64) -> Option<DVec3> {
        if self.sort == Sort::Edges {
            return self.edges.map(|point| point.point_a);
        }
        let limit = self.faces.polygon.deepest() + tie;
        let (mut sum, mut count) = (Corner::default(), 0.0);
        for corner in self.faces.polygon.corners().iter().filter(|c| c.distance <= limit) {
            sum.u += corner.u;
            sum.v += corner.v;
            sum.distance += corner.distance;
            count += 1.0;
        }
        let (u, v, distance) = (sum.u / count, sum.v / count, sum.distance / count);
        (count > 0.0).then(|| self.faces.on_a(boxes, &Corner { u, v, distance, ..sum }))
    }
}

impl Faces {
    /// Becomes B's face that looks at A's face on axis `i`, clipped by it. A is the reference.
    fn find(&mut self, boxes: &Boxes, normal: DVec3, i: usize, reference_is_b: bool) {
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
        let place = |c: usize| [boxes.t[c] + r[j][c] * half, r[k][c] * b[k], r[l][c] * b[l]];
        let (on_u, on_v, [centre, rise_k, rise_l]) = (place(u), place(v), place(i));
        let quad = Quad {
            centre: [on_u[0], on_v[0], sign * centre - boxes.a[i]],
            halves: [[on_u[1], on_v[1], sign * rise_k], [on_u[2], on_v[2], sign * rise_l]],
        };
        let face = |axis: usize, negative: bool| {
            u32::try_from(2 * axis).unwrap_or(0) + u32::from(negative)
        };
        let name = u32::from(reference_is_b) << 12
            | face(i, negative) << 9
            | face(j, incident_negative) << 6;
        self.polygon.clip(&quad, [boxes.a[u], boxes.a[v]], boxes.size());
        (self.axis, self.sign, self.half) = (i, sign, boxes.a[i]);
        (self.reference_is_b, self.name) = (reference_is_b, name);
    }

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
///
/// `contact` is room to work in.
pub(super) fn witness(
    boxes: &Boxes,
    best: &Best,
    slack: f64,
    contact: &mut Contact,
) -> Option<Separation> {
    contact.find(boxes, best);
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
    let slack = tolerance::SAME_POINT * boxes.size();
    let place = |at_a: f64, at_b: f64| {
        let on_a = on_a + along_a * at_a.clamp(-boxes.a[i], boxes.a[i]);
        let on_b = on_b + along_b * at_b.clamp(-boxes.b[j], boxes.b[j]);
        let off = on_b - on_a;
        ((off - normal * off.dot(normal)).length() <= slack).then_some((on_a, on_b))
    };
    let at = between.cross(along_b).dot(cross) / square;
    let crossing = place(at, between.cross(along_a).dot(cross) / square);
    // Where nearly parallel edges cross is lost in rounding; then any place where they run beside
    // each other will do, and the middle is the best.
    let beside = || {
        let cosine = along_b[i];
        let (other, reach) = (between[i], boxes.b[j] * cosine.abs());
        let low = (-boxes.a[i]).max(other - reach);
        let high = boxes.a[i].min(other + reach);
        place(0.5 * (low + high), (0.5 * (low + high) - other) / cosine)
    };
    let (on_a, on_b) = crossing.or_else(beside)?;
    let (middle, half) = ((on_a + on_b) * 0.5, normal * (best.separation * 0.5));
    let index = u32::try_from(best.index).unwrap_or(0);
    Some(PatchPoint {
        point_a: middle - half,
        point_b: middle + half,
        distance: best.separation,
        feature: FeatureId(EDGE_FEATURE | index << 4 | name),
    })
}
