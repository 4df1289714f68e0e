//! Contact points of two convex solids along their normal: what lies over a face, the ends of two
//! lines that run side by side, or the nearest points.

use impinge_shapes::ConvexHull;
use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::glam::DVec3;
use smallvec::SmallVec;

use super::disc::quarters;
use super::feature::{Feature, Plane, corner_name, face_looks_along};
use super::four::reduce;
pub(crate) use super::four::{Four, reduced};
use super::hull_edge;
use super::line::{self, Line, edge_name};
use super::{Cores, Gap, Proof};
use crate::{FeatureId, Patch, PatchPoint, Relative, Separation, tolerance};

/// A corner of a polygon that is clipped, and the edge from it to the next one.
#[derive(Clone, Copy, Debug)]
struct Corner {
    point: DVec3,
    edge: Edge,
}

/// An edge of the polygon that is clipped, or a side of the one that clips, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    Own(usize),
    Side(usize),
}

/// The points of a patch on the way, which are large: written where they stay.
pub(crate) type Points = SmallVec<[PatchPoint; 16]>;

/// What one solid shows along the normal.
struct Shown<'a> {
    solid: &'a Solid<'a>,
    /// B's frame in A's for what belongs to B.
    at: Option<&'a Relative>,
    /// Unit, out of this solid towards the other, in its own frame.
    direction: DVec3,
    /// The face that looks most along the direction, in the solid's frame.
    face: Option<Plane<'a>>,
    /// Whether it nearly looks along it.
    is_near: bool,
}

impl<'a> Shown<'a> {
    #[inline(always)]
    fn new(
        solid: &'a Solid<'a>,
        direction: DVec3,
        at: Option<&'a Relative>,
        known: Option<u32>,
    ) -> Self {
        let face = Plane::facing(solid, direction, known);
        let is_near = face.as_ref().is_some_and(|face| face.looks_along(direction));
        Self { solid, at, direction, face, is_near }
    }

    /// Fills in the face, in A's frame.
    fn face(&self, face: &Plane<'_>, feature: &mut Feature) {
        face.fill(self.solid.radius(), self.direction, feature);
        if let Some(at) = self.at {
            feature.place(at);
        }
    }

    /// Fills in what of the solid may touch a face of the other one, in A's frame.
    fn incident(&self, feature: &mut Feature) {
        let has_grown = self.solid.radius() > 0.0;
        match &self.face {
            Some(face) if self.is_near || !has_grown => self.face(face, feature),
            _ => self.narrow(feature),
        }
    }

    /// Fills in the line or corner that lies farthest along the direction, in A's frame.
    fn narrow(&self, feature: &mut Feature) {
        feature.narrow(self.solid, self.direction);
        if let Some(at) = self.at {
            feature.place(at);
        }
    }
}

#[inline(always)]
fn shown<'a>(cores: &'a Cores<'_>, normal: DVec3, known: Faces) -> [Shown<'a>; 2] {
    let towards_a = cores.at.vector_to_b(-normal);
    [
        Shown::new(cores.a, normal, None, known[0]),
        Shown::new(cores.b, towards_a, Some(cores.at), known[1]),
    ]
}

/// The faces of two hulls that look most along the normal, by their indices, if they are known.
pub(crate) type Faces = [Option<u32>; 2];

/// The faces of two hulls that look most along the normal.
pub(super) fn faces([a, b]: [&ConvexHull; 2], at: &Relative, normal: DVec3) -> Faces {
    [a.face_along(normal), b.face_along(at.vector_to_b(-normal))]
}

/// The patch of two solids whose separation, at most `margin`, is known: its points, into an empty
/// list; its normal is that of the separation.
///
/// - Error: the least distance is that of `found`; each point is on both surfaces, but for what a
///   rounded edge or face that is turned from the normal is off: 2^-9 of the radius at most.
pub(super) fn between(
    cores: &Cores<'_>,
    found: &Separation,
    margin: f64,
    known: Faces,
    four: &mut Four,
) {
    let (normal, solids) = (found.normal, (cores.a, cores.b));
    let directions = [normal, cores.at.vector_to_b(-normal)];
    if [solids.0, solids.1].iter().any(|solid| matches!(solid.core, Core::Point)) {
        let name = of_ball([solids.0, solids.1], directions, known);
        four.push(PatchPoint::nearest(found, name));
        return;
    }
    let mut points = Points::new();
    let is_over =
        over_features(&shown(cores, normal, known), normal, cores.size, margin, &mut points);
    let mut names = None;
    if !is_over {
        let (on_a, on_b) =
            (Line::level(solids.0, directions[0]), Line::level(solids.1, directions[1]));
        let known = [on_a.as_ref().map(Line::name), on_b.as_ref().map(Line::name)];
        if let (Some(on_a), Some(on_b)) = (on_a, on_b) {
            let at = cores.at;
            line::side_by_side([on_a, on_b], solids, at, normal, cores.size, &mut points);
        }
        if points.is_empty() {
            let name = name_nearest([solids.0, solids.1], directions, Some(known));
            four.push(PatchPoint::nearest(found, name));
            return;
        }
        names = Some(known);
    }
    let nearest = || name_nearest([solids.0, solids.1], directions, names);
    finish(&mut points, found, margin, cores.size, nearest, four);
}

/// Names what of each solid lies farthest along its direction: a line that is level with it, whose
/// name may be known, or a corner.
fn name_nearest(
    [a, b]: [&Solid<'_>; 2],
    directions: [DVec3; 2],
    lines: Option<[Option<u32>; 2]>,
) -> FeatureId {
    let [on_a, on_b] = match lines {
        Some([on_a, on_b]) => [
            on_a.unwrap_or_else(|| corner_name(&a.core, directions[0])),
            on_b.unwrap_or_else(|| corner_name(&b.core, directions[1])),
        ],
        None => [name_along(a, directions[0]), name_along(b, directions[1])],
    };
    FeatureId::of([on_a, on_b, 0, 4])
}

/// Names the line that is level with a direction and lies farthest along it, or the corner.
fn name_along(solid: &Solid<'_>, direction: DVec3) -> u32 {
    if let Core::Hull(hull) = solid.core {
        return hull_edge::name_along(hull, direction);
    }
    match Line::level(solid, direction) {
        Some(line) => line.name(),
        None => corner_name(&solid.core, direction),
    }
}

/// Names the one point of a ball and another solid by the other's face that looks nearly along the
/// normal, whichever it is, or by its edge or corner.
fn of_ball(solids: [&Solid<'_>; 2], directions: [DVec3; 2], known: Faces) -> FeatureId {
    let is_near = |k: usize| face_looks_along(solids[k], directions[k], known[k]);
    match [0, 1].into_iter().find(|&k| is_near(k)) {
        // A corner of the other one over the face.
        Some(face) => FeatureId::of([0, u32::from(face == 0), 0, 1]),
        None => name_nearest(solids, directions, None),
    }
}

/// The patch of some points, all of which but for rounding are no nearer than `found`, which is
/// within the margin; the nearest points, with their own name, are added where none is as near.
pub(crate) fn finished(
    points: &mut Points,
    found: &Separation,
    margin: f64,
    size: f64,
    nearest: impl FnOnce() -> FeatureId,
) -> Patch {
    let mut patch = Patch { normal: found.normal, points: Four::new() };
    finish(points, found, margin, size, nearest, &mut patch.points);
    patch
}

/// As [`finished`], into an empty list.
#[inline]
fn finish(
    points: &mut Points,
    found: &Separation,
    margin: f64,
    size: f64,
    nearest: impl FnOnce() -> FeatureId,
    four: &mut Four,
) {
    settle(points, found, margin);
    let least = points.iter().map(|point| point.distance).fold(f64::INFINITY, f64::min);
    if least > found.distance + tolerance::UNPROVEN * size {
        add_nearest(points, found, nearest());
    } else {
        for point in points.iter_mut().filter(|point| point.distance <= least) {
            point.distance = found.distance;
            point.point_b = point.point_a + found.normal * found.distance;
        }
    }
    reduce(points, found.normal, size, four);
}

/// Contact points along a given unit normal: those of the faces or edges that look at each other
/// along it, if any lies within `margin`.
#[must_use]
pub(crate) fn patch_along(
    a: Solid<'_>,
    b: Solid<'_>,
    b_in_a: &Relative,
    normal: DVec3,
    margin: f64,
) -> Option<Patch> {
    let cores = Cores::new(&a, &b, b_in_a);
    let support = cores.support(normal);
    let distance = normal.dot(support.b - support.a);
    let (at_least, at_most, point_a) = (distance, distance, support.a);
    let gap = Gap { distance, at_least, at_most, proof: Proof::Bounds, normal, point_a };
    let found = cores.grown(&gap);
    if found.distance > margin {
        return None;
    }
    over_faces(&cores, &found, margin)
}

/// The patch of a face of one solid that the other looks at along the normal, with what of it lies
/// over the face within `margin`; `None` where there is no such face or nothing over it.
fn over_faces(cores: &Cores<'_>, found: &Separation, margin: f64) -> Option<Patch> {
    let normal = found.normal;
    let mut points = Points::new();
    over_features(&shown(cores, normal, [None; 2]), normal, cores.size, margin, &mut points);
    settle(&mut points, found, margin);
    let points = reduced(&points, normal, cores.size);
    (!points.is_empty()).then_some(Patch { normal, points })
}

/// Leaves the points within the margin; the separation is the least distance there is, and only
/// rounding can go below it.
fn settle(points: &mut Points, found: &Separation, margin: f64) {
    for point in points.iter_mut() {
        point.distance = point.distance.max(found.distance);
        point.point_b = point.point_a + found.normal * point.distance;
    }
    points.retain(|point| point.distance <= margin);
}

/// The nearest points as one more point, or in place of one that is next to them.
pub(crate) fn add_nearest<const N: usize>(
    points: &mut SmallVec<[PatchPoint; N]>,
    found: &Separation,
    feature: FeatureId,
) {
    let from = |point: &PatchPoint| (point.point_a - found.point_a).length();
    let extent = points.iter().map(from).fold(0.0, f64::max);
    let next = points.iter().map(from).enumerate().min_by(|p, q| p.1.total_cmp(&q.1));
    let next = next.filter(|(_, far)| *far <= tolerance::NEXT_TO * extent);
    match next.and_then(|(place, _)| points.get_mut(place)) {
        Some(point) => *point = PatchPoint::nearest(found, point.feature),
        None => points.push(PatchPoint::nearest(found, feature)),
    }
}

/// What one of the two shows over a face of the other that nearly looks along the normal, A's face
/// before B's; nothing where there is no such face. Of what is there the points beyond the margin
/// are left out, which most are; whether there is anything.
fn over_features(
    [a, b]: &[Shown<'_>; 2],
    normal: DVec3,
    size: f64,
    margin: f64,
    points: &mut Points,
) -> bool {
    let is_b = !a.is_near;
    let (under, above) = if is_b { (b, a) } else { (a, b) };
    let Some(plane) = under.face.as_ref().filter(|_| under.is_near) else { return false };
    let mut face = Feature::nothing();
    under.face(plane, &mut face);
    let Some(outward) = face.normal else { return false };
    let mut over = Over { face: &face, is_b, outward, normal, margin, sharp: SmallVec::new() };
    let sides = over.bounds();
    let slack = tolerance::SAME_POINT * size;
    let mut incident = Feature::nothing();
    above.incident(&mut incident);
    if over.add(&incident, &sides, slack, points) {
        return true;
    }
    // The face that looks along the normal lies elsewhere on the solid than what is nearest: on a
    // needle all faces look nearly the same way around.
    if incident.normal.is_none() {
        return false;
    }
    above.narrow(&mut incident);
    over.add(&incident, &sides, slack, points)
}

/// A bound of what lies over a face: unit, out of it, and how far along that it is.
type Side = (DVec3, f64);

/// A face that something lies over.
struct Over<'f> {
    face: &'f Feature,
    /// Whether the face is B's.
    is_b: bool,
    /// Unit, out of the face.
    outward: DVec3,
    /// Unit, from A to B.
    normal: DVec3,
    /// Points that are farther apart are left out.
    margin: f64,
    /// Sharp corners of the face, which get a side of their own after the others: a little beyond
    /// the sides that meet there is far beyond the corner.
    sharp: SmallVec<[usize; 2]>,
}

impl Over<'_> {
    /// How far a point is beyond each side of the face, and beyond each sharp corner.
    #[inline(always)]
    fn bounds(&mut self) -> SmallVec<[Side; 8]> {
        let mut sides = SmallVec::new();
        self.add_sides(&mut sides);
        let count = sides.len();
        let corners = &self.face.corners;
        let mut before = count.saturating_sub(1);
        for k in 0..count {
            if (sides[before].0 + sides[k].0).length_squared() < tolerance::SHARP {
                self.sharp.push(k);
            }
            before = k;
        }
        for &k in &self.sharp {
            let [before, here, after] = [k + count - 1, k, k + 1].map(|k| corners[k % count]);
            let out = (here - before) + (here - after);
            let out = (out - self.normal * self.normal.dot(out)).normalize_or_zero();
            sides.push((out, out.dot(here)));
        }
        sides
    }

    #[inline(always)]
    fn add_sides(&self, sides: &mut SmallVec<[Side; 8]>) {
        let corners = &self.face.corners[..];
        let (mut middle, mut count) = (DVec3::ZERO, 0.0);
        for &corner in corners {
            middle += corner;
            count += 1.0;
        }
        middle /= count;
        // Not by a closure, which stays out of line.
        let next = corners.iter().skip(1).chain(corners.first());
        for (&from, &to) in corners.iter().zip(next) {
            let outward = (to - from).cross(self.normal).normalize_or_zero();
            let outward = if outward.dot(middle - from) > 0.0 { -outward } else { outward };
            sides.push((outward, outward.dot(from)));
        }
    }

    /// Adds what of a feature lies over the face; whether anything does.
    fn add(&self, incident: &Feature, sides: &[Side], slack: f64, points: &mut Points) -> bool {
        match incident.corners[..] {
            [point] => {
                let is_over = sides.iter().all(|(out, limit)| out.dot(point) - limit <= slack);
                if is_over {
                    self.push(point, points, || self.corner(incident, 0));
                }
                is_over
            }
            [from, to] => self.add_line(incident, [from, to], sides, slack, points),
            _ => self.add_face(incident, sides, slack, points),
        }
    }

    /// The ends of the part of a line that lies over the face; whether any does.
    fn add_line(
        &self,
        line: &Feature,
        [from, to]: [DVec3; 2],
        sides: &[Side],
        slack: f64,
        points: &mut Points,
    ) -> bool {
        let (mut low, mut high) = ((0.0, None), (1.0, None));
        for (k, (out, limit)) in sides.iter().enumerate() {
            let [start, end] = [from, to].map(|point| out.dot(point) - limit - slack);
            let share = start / (start - end);
            match (start > 0.0, end > 0.0) {
                (true, true) => return false,
                (true, false) if share > low.0 => low = (share, Some(k)),
                (false, true) if share < high.0 => high = (share, Some(k)),
                _ => {}
            }
        }
        if low.0 > high.0 {
            return false;
        }
        let end_of = |end: usize| {
            // The solid's support point beside the end may already lie beside the face.
            let point = line.end(end);
            let is_over = sides.iter().all(|(out, limit)| out.dot(point) - limit <= slack);
            if is_over { point } else { line.corners[end] }
        };
        for (end, (share, side)) in [(0, low), (1, high)] {
            match side {
                None => self.push(end_of(end), points, || self.corner(line, end)),
                Some(side) => {
                    let point = from + (to - from) * share;
                    self.push(point, points, || self.crossing(line, 0, side));
                }
            }
        }
        true
    }

    /// The corners of the part of a face that lies over the face; whether any does.
    fn add_face(
        &self,
        incident: &Feature,
        sides: &[Side],
        slack: f64,
        points: &mut Points,
    ) -> bool {
        if self.is_whole(incident, sides, slack) {
            return self.add_whole(incident, slack, points);
        }
        let mut corners: SmallVec<[Corner; 16]> = SmallVec::new();
        for (k, &point) in incident.corners.iter().enumerate() {
            corners.push(Corner { point, edge: Edge::Own(k) });
        }
        let mut left: SmallVec<[Corner; 16]> = SmallVec::new();
        // Turn by turn, because they are large.
        let (mut corners, mut left) = (&mut corners, &mut left);
        let mut heights: SmallVec<[f64; 16]> = SmallVec::new();
        for (k, (out, limit)) in sides.iter().enumerate() {
            heights.clear();
            let mut is_within = true;
            for corner in corners.iter() {
                let height = out.dot(corner.point) - limit - slack;
                is_within &= height <= 0.0;
                heights.push(height);
            }
            if !is_within {
                cut(corners, &heights, Edge::Side(k), left);
                std::mem::swap(&mut corners, &mut left);
            }
        }
        let mut last = corners.last();
        for corner in corners.iter() {
            let before = last.replace(corner).unwrap_or(corner);
            self.push(corner.point, points, || self.meet(incident, before, corner));
        }
        last.is_some()
    }

    /// Whether all of a feature lies over the face.
    fn is_whole(&self, feature: &Feature, sides: &[Side], slack: f64) -> bool {
        sides.iter().all(|(out, limit)| {
            feature.corners.iter().all(|corner| out.dot(*corner) - limit - slack <= 0.0)
        })
    }

    /// Adds the corners of a face all of which lies over this one; whether there are any.
    fn add_whole(&self, incident: &Feature, slack: f64, points: &mut Points) -> bool {
        if incident.rim > tolerance::WIDE_RIM * slack {
            let quarters = QUARTERS.map(|rims| rims[usize::from(!self.is_b)]);
            let distance = |corner| self.distance(self.height(corner));
            for (place, point) in incident.kept(self.margin, distance, quarters) {
                self.push(point, points, || self.corner(incident, place));
            }
        } else {
            for (place, &point) in incident.corners.iter().enumerate() {
                self.push(point, points, || self.corner(incident, place));
            }
        }
        !incident.corners.is_empty()
    }

    /// Names a corner by the two edges that meet there.
    fn meet(&self, incident: &Feature, last: &Corner, corner: &Corner) -> FeatureId {
        match (last.edge, corner.edge) {
            (Edge::Own(_), Edge::Own(k)) => self.corner(incident, k),
            (Edge::Own(own), Edge::Side(side)) | (Edge::Side(side), Edge::Own(own)) => {
                self.crossing(incident, own, side)
            }
            (Edge::Side(j), Edge::Side(k)) => {
                if let Some(corner) = self.sharp_corner(j).or(self.sharp_corner(k)) {
                    return self.face_corner(corner);
                }
                // The polygon may go around the face either way.
                let next = (j + 1) % self.face.corners.len();
                self.face_corner(if next == k { k } else { j })
            }
        }
    }

    /// The corner that has a side of its own, if this is one.
    fn sharp_corner(&self, side: usize) -> Option<usize> {
        self.sharp.get(side.checked_sub(self.face.corners.len())?).copied()
    }

    /// Names a corner of the incident feature.
    fn corner(&self, incident: &Feature, place: usize) -> FeatureId {
        FeatureId::of([name(incident, place), u32::from(!self.is_b), 0, 1])
    }

    /// Names a corner of the face.
    fn face_corner(&self, place: usize) -> FeatureId {
        FeatureId::of([name(self.face, place), u32::from(self.is_b), 0, 1])
    }

    /// Names the crossing of an edge of the incident feature and a side of the face.
    fn crossing(&self, incident: &Feature, own: usize, side: usize) -> FeatureId {
        let edge = |feature: &Feature, k: usize| {
            let next = if k + 1 < feature.names.len() { k + 1 } else { 0 };
            edge_name([name(feature, k), name(feature, next)])
        };
        let (side, kind) = match self.sharp_corner(side) {
            Some(corner) => (name(self.face, corner), 5),
            None => (edge(self.face, side), 2),
        };
        let own = edge(incident, own);
        let [a, b] = if self.is_b { [own, side] } else { [side, own] };
        FeatureId::of([a, b, 0, kind])
    }

    /// How far a point is from the face, along the normal.
    #[inline(always)]
    fn height(&self, point: DVec3) -> f64 {
        (point - self.face.corners[0]).dot(self.outward) / self.outward.dot(self.normal)
    }

    /// The distance of a point at such a height.
    #[inline(always)]
    fn distance(&self, height: f64) -> f64 {
        if self.is_b { -height } else { height }
    }

    /// Adds a point of the incident feature, and the face's point beneath it along the normal,
    /// unless they are farther apart than the margin: names take longer than all else here.
    #[inline]
    fn push(&self, point: DVec3, points: &mut Points, name: impl FnOnce() -> FeatureId) {
        let height = self.height(point);
        let distance = self.distance(height);
        if distance > self.margin {
            return;
        }
        let beneath = point - self.normal * height;
        let (point_a, point_b) = if self.is_b { (point, beneath) } else { (beneath, point) };
        points.push(PatchPoint { point_a, point_b, distance, feature: name() });
    }
}

/// Which of a rim's corners stand for all, by whether it is a solid's lower one, and A's.
const QUARTERS: [[u8; 2]; 2] = [
    [quarters([0, 0, 0, 1]), quarters([0, 1, 0, 1])],
    [quarters([1, 0, 0, 1]), quarters([1, 1, 0, 1])],
];

/// The name of a corner.
fn name(feature: &Feature, place: usize) -> u32 {
    feature.names.get(place).map_or(0, |name| *name)
}

/// The part of a polygon where the height is not positive, of which each corner's is known, into
/// `left`.
///
/// - Source: Sutherland & Hodgman, *Reentrant polygon clipping* (1974).
fn cut(corners: &[Corner], heights: &[f64], side: Edge, left: &mut SmallVec<[Corner; 16]>) {
    left.clear();
    let (Some(mut from), Some(&(mut start))) = (corners.last(), heights.last()) else { return };
    for (to, &end) in corners.iter().zip(heights) {
        if (start <= 0.0) != (end <= 0.0) {
            let share = start / (start - end);
            let point = from.point + (to.point - from.point) * share;
            left.push(Corner { point, edge: if start <= 0.0 { side } else { from.edge } });
        }
        if end <= 0.0 {
            left.push(*to);
        }
        (from, start) = (to, end);
    }
}
