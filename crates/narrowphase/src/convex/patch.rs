//! Contact points of two convex solids along their normal: what lies over a face, the ends of two
//! lines that run side by side, or the nearest points.

use impinge_shapes::ConvexHull;
use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::glam::DVec3;
use smallvec::SmallVec;

use super::Cores;
use super::feature::{Feature, Plane, corner_name, face_looks_along};
pub(crate) use super::four::{four_of, reduced};
use super::line::{self, Line, edge_name};
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

    /// The face, in A's frame, where there is nothing yet, because it is large.
    #[inline]
    fn show_face(&self, face: &Plane<'_>, to: &mut Feature) {
        face.show(self.solid.radius(), self.direction, to);
        if let Some(at) = self.at {
            to.place(at);
        }
    }

    /// What of the solid may touch a face of the other one, in A's frame.
    #[inline]
    fn show_incident(&self, to: &mut Feature) {
        let has_grown = self.solid.radius() > 0.0;
        match &self.face {
            Some(face) if self.is_near || !has_grown => self.show_face(face, to),
            _ => *to = self.narrow(),
        }
    }

    /// The line or corner that lies farthest along the direction, in A's frame.
    fn narrow(&self) -> Feature {
        let mut narrow = Feature::narrow(self.solid, self.direction);
        if let Some(at) = self.at {
            narrow.place(at);
        }
        narrow
    }
}

fn shown<'a>(cores: &'a Cores<'_>, normal: DVec3, known: Faces) -> [Shown<'a>; 2] {
    let towards_a = cores.at.vector_to_b(-normal);
    [
        Shown::new(&cores.a, normal, None, known[0]),
        Shown::new(&cores.b, towards_a, Some(cores.at), known[1]),
    ]
}

/// The faces of two hulls that look most along the normal, by their indices, if they are known.
pub(crate) type Faces = [Option<u32>; 2];

/// The faces of two hulls that look most along the normal.
pub(super) fn faces([a, b]: [&ConvexHull; 2], at: &Relative, normal: DVec3) -> Faces {
    [a.face_along(normal), b.face_along(at.vector_to_b(-normal))]
}

/// The patch of two solids whose separation, at most `margin`, is known.
///
/// - Error: the least distance is that of `found`; each point is on both surfaces, but for what a
///   rounded edge or face that is turned from the normal is off: 2^-9 of the radius at most.
pub(super) fn between(cores: &Cores<'_>, found: &Separation, margin: f64, known: Faces) -> Patch {
    let (normal, solids) = (found.normal, (&cores.a, &cores.b));
    let directions = [normal, cores.at.vector_to_b(-normal)];
    if [solids.0, solids.1].iter().any(|solid| matches!(solid.core, Core::Point)) {
        return of_ball([solids.0, solids.1], directions, found, known);
    }
    let mut points = Points::new();
    over_features(&shown(cores, normal, known), normal, cores.size, &mut points);
    let mut names = None;
    if points.is_empty() {
        let (on_a, on_b) =
            (Line::level(solids.0, directions[0]), Line::level(solids.1, directions[1]));
        let known = [on_a.as_ref().map(Line::name), on_b.as_ref().map(Line::name)];
        if let (Some(on_a), Some(on_b)) = (on_a, on_b) {
            let at = cores.at;
            line::side_by_side([on_a, on_b], solids, at, normal, cores.size, &mut points);
        }
        if points.is_empty() {
            let name = name_nearest([solids.0, solids.1], directions, Some(known));
            return Patch::single(found, name);
        }
        names = Some(known);
    }
    let nearest = || name_nearest([solids.0, solids.1], directions, names);
    finished(&mut points, found, margin, cores.size, nearest)
}

/// Names what of each solid lies farthest along its direction: a line that is level with it, whose
/// name may be known, or a corner.
fn name_nearest(
    [a, b]: [&Solid<'_>; 2],
    directions: [DVec3; 2],
    lines: Option<[Option<u32>; 2]>,
) -> FeatureId {
    let [on_a, on_b] = match lines {
        Some(lines) => lines,
        None => [line_name(a, directions[0]), line_name(b, directions[1])],
    };
    let [on_a, on_b] = [name_of(a, directions[0], on_a), name_of(b, directions[1], on_b)];
    FeatureId::of([on_a, on_b, 0, 4])
}

fn line_name(solid: &Solid<'_>, direction: DVec3) -> Option<u32> {
    Some(Line::level(solid, direction)?.name())
}

fn name_of(solid: &Solid<'_>, direction: DVec3, line: Option<u32>) -> u32 {
    match line {
        Some(name) => name,
        None => corner_name(&solid.core, direction),
    }
}

/// The one point of a ball and another solid, named by the other's face that looks nearly along
/// the normal, whichever it is, or by its edge or corner.
fn of_ball(
    solids: [&Solid<'_>; 2],
    directions: [DVec3; 2],
    found: &Separation,
    known: Faces,
) -> Patch {
    let is_near = |k: usize| face_looks_along(solids[k], directions[k], known[k]);
    let feature = match [0, 1].into_iter().find(|&k| is_near(k)) {
        // A corner of the other one over the face.
        Some(face) => FeatureId::of([0, u32::from(face == 0), 0, 1]),
        None => name_nearest(solids, directions, None),
    };
    Patch::single(found, feature)
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
    Patch { normal: found.normal, points: reduced(points, found.normal, size) }
}

/// The patch of a face of one solid that the other looks at along the normal, with what of it lies
/// over the face within `margin`; `None` where there is no such face or nothing over it.
pub(super) fn over_faces(cores: &Cores<'_>, found: &Separation, margin: f64) -> Option<Patch> {
    let normal = found.normal;
    let mut points = Points::new();
    over_features(&shown(cores, normal, [None; 2]), normal, cores.size, &mut points);
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
fn add_nearest(points: &mut Points, found: &Separation, feature: FeatureId) {
    let from = |point: &PatchPoint| (point.point_a - found.point_a).length();
    let extent = points.iter().map(from).fold(0.0, f64::max);
    let next = points.iter().map(from).enumerate().min_by(|p, q| p.1.total_cmp(&q.1));
    let next = next.filter(|(_, far)| *far <= tolerance::NEXT_TO * extent);
    let nearest = |feature: FeatureId| PatchPoint {
        point_a: found.point_a,
        point_b: found.point_b,
        distance: found.distance,
        feature,
    };
    match next.and_then(|(place, _)| points.get_mut(place)) {
        Some(point) => *point = nearest(point.feature),
        None => points.push(nearest(feature)),
    }
}

/// What one of the two shows over a face of the other that nearly looks along the normal, A's face
/// before B's; nothing where there is no such face.
fn over_features([a, b]: &[Shown<'_>; 2], normal: DVec3, size: f64, points: &mut Points) {
    let is_b = !a.is_near;
    let (under, above) = if is_b { (b, a) } else { (a, b) };
    let Some(plane) = under.face.as_ref().filter(|_| under.is_near) else { return };
    let (mut face, mut incident) = (Feature::none(), Feature::none());
    under.show_face(plane, &mut face);
    let Some(outward) = face.normal else { return };
    let mut over = Over { face: &face, is_b, outward, normal, sharp: SmallVec::new() };
    let sides = over.bounds();
    let slack = tolerance::SAME_POINT * size;
    above.show_incident(&mut incident);
    over.add(&incident, &sides, slack, points);
    if points.is_empty() && incident.normal.is_some() {
        // The face that looks along the normal lies elsewhere on the solid than what is nearest:
        // on a needle all faces look nearly the same way around.
        over.add(&above.narrow(), &sides, slack, points);
    }
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
    /// Sharp corners of the face, which get a side of their own after the others: a little beyond
    /// the sides that meet there is far beyond the corner.
    sharp: SmallVec<[usize; 2]>,
}

impl Over<'_> {
    /// How far a point is beyond each side of the face, and beyond each sharp corner.
    fn bounds(&mut self) -> SmallVec<[Side; 8]> {
        let mut sides = self.sides();
        let count = sides.len();
        let corners = &self.face.corners;
        let is_sharp = |&k: &usize| {
            let before = sides[(k + count - 1) % count].0;
            (before + sides[k].0).length_squared() < tolerance::SHARP
        };
        self.sharp = (0..count).filter(is_sharp).collect();
        for &k in &self.sharp {
            let [before, here, after] = [k + count - 1, k, k + 1].map(|k| corners[k % count]);
            let out = (here - before) + (here - after);
            let out = (out - self.normal * self.normal.dot(out)).normalize_or_zero();
            sides.push((out, out.dot(here)));
        }
        sides
    }

    fn sides(&self) -> SmallVec<[Side; 8]> {
        let corners = &self.face.corners;
        let middle = corners.iter().fold(DVec3::ZERO, |sum, &p| sum + p) / count(corners.len());
        let side = |(k, &from): (usize, &DVec3)| {
            let to = corners[(k + 1) % corners.len()];
            let outward = (to - from).cross(self.normal).normalize_or_zero();
            let outward = if outward.dot(middle - from) > 0.0 { -outward } else { outward };
            (outward, outward.dot(from))
        };
        corners.iter().enumerate().map(side).collect()
    }

    /// What of a feature lies over the face.
    fn add(&self, incident: &Feature, sides: &[Side], slack: f64, points: &mut Points) {
        match incident.corners[..] {
            [point] => {
                if sides.iter().all(|(out, limit)| out.dot(point) - limit <= slack) {
                    points.push(self.point(point, self.corner(incident, 0)));
                }
            }
            [from, to] => self.add_line(incident, [from, to], sides, slack, points),
            _ => self.add_face(incident, sides, slack, points),
        }
    }

    /// The ends of the part of a line that lies over the face.
    fn add_line(
        &self,
        line: &Feature,
        [from, to]: [DVec3; 2],
        sides: &[Side],
        slack: f64,
        points: &mut Points,
    ) {
        let (mut low, mut high) = ((0.0, None), (1.0, None));
        for (k, (out, limit)) in sides.iter().enumerate() {
            let [start, end] = [from, to].map(|point| out.dot(point) - limit - slack);
            let share = start / (start - end);
            match (start > 0.0, end > 0.0) {
                (true, true) => return,
                (true, false) if share > low.0 => low = (share, Some(k)),
                (false, true) if share < high.0 => high = (share, Some(k)),
                _ => {}
            }
        }
        if low.0 > high.0 {
            return;
        }
        let end_of = |end: usize| {
            // The solid's support point beside the end may already lie beside the face.
            let point = line.end(end);
            let is_over = sides.iter().all(|(out, limit)| out.dot(point) - limit <= slack);
            if is_over { point } else { line.corners[end] }
        };
        for (end, (share, side)) in [(0, low), (1, high)] {
            points.push(match side {
                None => self.point(end_of(end), self.corner(line, end)),
                Some(side) => self.point(from + (to - from) * share, self.crossing(line, 0, side)),
            });
        }
    }

    /// The corners of the part of a face that lies over the face.
    fn add_face(&self, incident: &Feature, sides: &[Side], slack: f64, points: &mut Points) {
        let own = incident.corners.iter().enumerate();
        let mut corners: SmallVec<[Corner; 16]> = SmallVec::new();
        corners.extend(own.map(|(k, &point)| Corner { point, edge: Edge::Own(k) }));
        let mut left: SmallVec<[Corner; 16]> = SmallVec::new();
        // Turn by turn, because they are large.
        let (mut corners, mut left) = (&mut corners, &mut left);
        for (k, (out, limit)) in sides.iter().enumerate() {
            let height = |p: DVec3| out.dot(p) - limit - slack;
            if corners.iter().all(|corner| height(corner.point) <= 0.0) {
                continue;
            }
            cut(corners, height, Edge::Side(k), left);
            std::mem::swap(&mut corners, &mut left);
        }
        let mut last = corners.last();
        for corner in corners.iter() {
            let before = last.replace(corner).unwrap_or(corner);
            points.push(self.point(corner.point, self.meet(incident, before, corner)));
        }
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

    /// A point of the incident feature, and the face's point beneath it along the normal.
    fn point(&self, point: DVec3, feature: FeatureId) -> PatchPoint {
        let height =
            (point - self.face.corners[0]).dot(self.outward) / self.outward.dot(self.normal);
        let beneath = point - self.normal * height;
        if self.is_b {
            PatchPoint { point_a: point, point_b: beneath, distance: -height, feature }
        } else {
            PatchPoint { point_a: beneath, point_b: point, distance: height, feature }
        }
    }
}

/// The name of a corner.
fn name(feature: &Feature, place: usize) -> u32 {
    feature.names.get(place).map_or(0, |name| *name)
}

/// The part of a polygon where `height` is not positive, into `left`.
///
/// - Source: Sutherland & Hodgman, *Reentrant polygon clipping* (1974).
fn cut(
    corners: &[Corner],
    height: impl Fn(DVec3) -> f64,
    side: Edge,
    left: &mut SmallVec<[Corner; 16]>,
) {
    left.clear();
    let Some(&last) = corners.last() else { return };
    let (mut from, mut start) = (last, height(last.point));
    for &to in corners {
        let end = height(to.point);
        if (start <= 0.0) != (end <= 0.0) {
            let share = start / (start - end);
            let point = from.point + (to.point - from.point) * share;
            left.push(Corner { point, edge: if start <= 0.0 { side } else { from.edge } });
        }
        if end <= 0.0 {
            left.push(to);
        }
        (from, start) = (to, end);
    }
}

fn count(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}
