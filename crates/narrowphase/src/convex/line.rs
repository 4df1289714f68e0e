//! Straight lines on solids: edges, and the lines along round sides; and where two run side by side.

use std::cell::OnceCell;

use impinge_shapes::ConvexHull;
use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::glam::{DVec3, Vec3};
use smallvec::SmallVec;

use super::feature::{Feature, Plane, cuboid_corner};
use super::hull_edge;
use crate::{FeatureId, PatchPoint, Relative, tolerance};

/// A straight line on the surface of a core, and how the surface goes on beside it.
#[derive(Clone, Debug)]
pub(super) struct Line {
    ends: [DVec3; 2],
    names: [u32; 2],
    beside: Beside,
}

/// The surface of a core beside a line on it.
#[derive(Clone, Debug)]
enum Beside {
    /// Round an axis that starts at `start` in the direction `along`.
    Round { start: DVec3, along: DVec3, radius: f64, growth: f64 },
    /// Flat on both sides, with these normals; `None` where there is nothing beside the line.
    Flat(Option<[DVec3; 2]>),
    /// The faces of a hull that is not rounded, which are looked up only for lines that run side by
    /// side: they lie far apart in memory.
    OfHull,
}

impl Line {
    /// The line that lies farthest along `direction`, a unit vector; of those through the farthest
    /// corner of a polytope the one that runs most across it.
    pub(super) fn facing(solid: &Solid<'_>, direction: DVec3) -> Option<Self> {
        Some(Self::bare(solid, direction)?.dressed(solid))
    }

    /// As [`Line::facing`], on the core and without the surface beside it once that has grown.
    #[inline]
    fn bare(solid: &Solid<'_>, direction: DVec3) -> Option<Self> {
        let line = match &solid.core {
            Core::Point => None,
            Core::Segment([a, b]) => Some(segment([a.as_dvec3(), b.as_dvec3()])),
            Core::Cuboid(half) => Some(cuboid_edge(*half, direction)),
            Core::Triangle(vertices) => Some(triangle_edge(vertices, direction)),
            Core::Hull(hull) => hull_edge::along(hull, direction),
            Core::Cylinder(shape) => {
                let (h, r) = (f64::from(shape.half_height()), f64::from(shape.radius()));
                around_y(h, [r, r], direction)
            }
            Core::Cone(cone) => {
                let (h, r) = (f64::from(cone.half_height()), f64::from(cone.radius()));
                around_y(h, [r, 0.0], direction)
            }
        }?;
        if line.ends[0] == line.ends[1] { None } else { Some(line) }
    }

    /// The line with the surface beside it as it is once the core has grown.
    fn dressed(mut self, solid: &Solid<'_>) -> Self {
        if solid.radius() > 0.0 {
            self.look_beside(solid);
        }
        self.grown(solid.radius())
    }

    /// The line that lies farthest along `direction`, if it runs nearly at right angles to it.
    pub(super) fn level(solid: &Solid<'_>, direction: DVec3) -> Option<Self> {
        let line = Self::bare(solid, direction)?;
        // Most are not, and then nobody asks what is beside them.
        if line.runs_across(direction) { Some(line.dressed(solid)) } else { None }
    }

    /// Looks up the faces beside an edge of a hull, in the hull's frame.
    fn look_beside(&mut self, solid: &Solid<'_>) {
        if let (Beside::OfHull, Core::Hull(hull)) = (&self.beside, &solid.core) {
            self.beside = Beside::Flat(hull_edge::normals_beside(hull, self.names));
        }
    }

    /// As [`Line::look_beside`], of B in A's frame.
    fn looked_beside(mut self, solid: &Solid<'_>, at: Option<&Relative>) -> Self {
        if matches!(self.beside, Beside::OfHull) {
            self.look_beside(solid);
            self.turn_beside(at);
        }
        self
    }

    /// The surface beside the line as it is once the core has grown.
    fn grown(mut self, by: f64) -> Self {
        if let Beside::Round { radius, growth, .. } = &mut self.beside {
            *radius += by * (1.0 + *growth * *growth).sqrt();
        } else if matches!(self.beside, Beside::Flat(None)) && by > 0.0 {
            let along = self.way().normalize_or_zero();
            self.beside = Beside::Round { start: self.ends[0], along, radius: by, growth: 0.0 };
        }
        self
    }

    /// The edge of a hull between two vertices, the lower one first.
    pub(super) fn of_hull(ends: [DVec3; 2], names: [u32; 2]) -> Self {
        Self { ends, names, beside: Beside::OfHull }
    }

    pub(super) fn is_round(&self) -> bool {
        matches!(self.beside, Beside::Round { .. })
    }

    /// Names the line among those of its core.
    pub(super) fn name(&self) -> u32 {
        edge_name(self.names)
    }

    /// Whether the line runs nearly at right angles to a unit vector.
    pub(super) fn runs_across(&self, direction: DVec3) -> bool {
        let along = self.way();
        along.dot(direction).powi(2) <= tolerance::NEAR_FACE * along.length_squared()
    }

    /// Fills a feature with the line on the surface of the solid that looks along `direction`.
    pub(super) fn fill(&self, solid: &Solid<'_>, direction: DVec3, feature: &mut Feature) {
        let radius = solid.radius();
        let out = if radius > 0.0 { self.outward(direction) * radius } else { DVec3::ZERO };
        let outer = usize::from(self.way().dot(direction) > 0.0);
        let outermost = self.ends[outer] + direction * radius;
        for (end, name) in self.ends.into_iter().zip(self.names) {
            feature.corners.push(end + out);
            feature.names.push(name);
        }
        feature.outermost = Some((outer, outermost));
    }

    /// From its first end to the other.
    fn way(&self) -> DVec3 {
        self.ends[1] - self.ends[0]
    }

    /// The unit vector across the line that is nearest to `direction`.
    fn outward(&self, direction: DVec3) -> DVec3 {
        let along = self.way().normalize_or_zero();
        (direction - along * along.dot(direction)).try_normalize().unwrap_or(direction)
    }

    /// The line on the surface of the solid, the surface around it, and all of B in A's frame.
    fn raised(mut self, radius: f64, direction: DVec3, at: Option<&Relative>) -> Self {
        if radius > 0.0 {
            let out = self.outward(direction) * radius;
            self.ends = self.ends.map(|end| end + out);
        }
        if let Some(at) = at {
            self.ends = self.ends.map(|end| at.point_from_b(end));
        }
        self.turn_beside(at);
        self
    }

    /// The surface beside a line of B in A's frame.
    fn turn_beside(&mut self, at: Option<&Relative>) {
        let Some(at) = at else { return };
        match &mut self.beside {
            Beside::Round { start, along, .. } => {
                (*start, *along) = (at.point_from_b(*start), *at.rotation() * *along);
            }
            Beside::Flat(normals) => {
                *normals = normals.map(|normals| normals.map(|normal| *at.rotation() * normal));
            }
            Beside::OfHull => {}
        }
    }

    /// The faces of the core on both sides of an edge, in A's frame; `None` for any other line.
    fn faces(&self, solid: &Solid<'_>, at: Option<&Relative>) -> Option<[Feature; 2]> {
        let Beside::Flat(Some(normals)) = &self.beside else { return None };
        let face = |normal: DVec3| {
            let normal = at.map_or(normal, |at| at.vector_to_b(normal));
            let face = match &solid.core {
                Core::Cuboid(half) => Some(Plane::of_cuboid(*half, normal)),
                Core::Triangle(vertices) => Plane::of_triangle(vertices, normal),
                Core::Hull(hull) => hull_face(hull, self.names, normal),
                _ => None,
            }?;
            let mut feature = Feature::nothing();
            face.fill(0.0, normal, &mut feature);
            if let Some(at) = at {
                feature.place(at);
            }
            Some(feature)
        };
        Some([face(normals[0])?, face(normals[1])?])
    }

    /// Radius of the surface around the line at the height of a point.
    fn radius_at(&self, point: DVec3, margin: f64) -> f64 {
        match self.beside {
            Beside::Round { start, along, radius, growth } => {
                (radius + growth * (point - start).dot(along)).max(0.0)
            }
            Beside::Flat(_) | Beside::OfHull => margin,
        }
    }

    /// How far from `point`, which lies beside the line by `aside`, the surface is along the unit
    /// vector `way`, mostly negative; `None` where there is none.
    fn rise(&self, point: DVec3, aside: DVec3, way: DVec3, margin: f64) -> Option<f64> {
        if aside.length_squared() <= 0.0 {
            return Some(0.0);
        }
        match self.beside {
            Beside::Round { start, along, radius, growth } => {
                let off = point - start;
                let (place, slope) = (off.dot(along), way.dot(along));
                let (off, way) = (off - along * place, way - along * slope);
                let (here, change) = (radius + growth * place, growth * slope);
                let (a, b) = (way.length_squared() - change * change, off.dot(way) - here * change);
                let c = off.length_squared() - here * here;
                let root = b * b - a * c;
                // The line itself lies on the surface, so the root near to zero is wanted.
                let rise = -c / (b + root.sqrt());
                (root >= 0.0 && b > 0.0 && rise.is_finite()).then_some(rise)
            }
            Beside::Flat(normals) => {
                let far = aside.length();
                let rises = normals?.map(|normal| {
                    let (cosine, sine) = (normal.dot(way), normal.dot(aside) / far);
                    if sine <= 0.0 {
                        0.0
                    } else if far <= margin * sine {
                        (margin * margin - far * far).sqrt() - margin
                    } else if cosine > 0.0 {
                        margin * (1.0 / cosine - 1.0) - far * sine / cosine
                    } else {
                        f64::NEG_INFINITY
                    }
                });
                let rise = rises[0].min(rises[1]);
                rise.is_finite().then_some(rise)
            }
            // Of lines that run side by side it is known.
            Beside::OfHull => None,
        }
    }
}

/// A name for the edge between two named corners, in any order.
pub(super) fn edge_name([one, other]: [u32; 2]) -> u32 {
    // Of a segment or a round side, which have no other line.
    const ONLY: u32 = FeatureId::of([0, 1, 0, 0]).0;
    match [one.min(other), one.max(other)] {
        [0, 1] => ONLY,
        [low, high] => FeatureId::of([low, high, 0, 0]).0,
    }
}

fn segment(ends: [DVec3; 2]) -> Line {
    Line { ends, names: [0, 1], beside: Beside::Flat(None) }
}

/// The line along the side of a cylinder or a cone that looks in this direction.
fn around_y(h: f64, [low, high]: [f64; 2], direction: DVec3) -> Option<Line> {
    let out = DVec3::new(direction.x, 0.0, direction.z).try_normalize()?;
    let (start, growth) = (DVec3::Y * -h, (high - low) / (2.0 * h));
    let beside = Beside::Round { start, along: DVec3::Y, radius: low, growth };
    let ends = [out * low - DVec3::Y * h, out * high + DVec3::Y * h];
    growth.is_finite().then_some(Line { ends, names: [0, 1], beside })
}

fn cuboid_edge(half: Vec3, direction: DVec3) -> Line {
    let half = half.as_dvec3();
    let size = direction.abs();
    let mut axis = usize::from(size.y < size.x);
    axis = if size.z < size[axis] { 2 } else { axis };
    let mut signs = direction.map(|x| if x > 0.0 { 1.0 } else { -1.0 });
    let [one, other] =
        [(axis + 1) % 3, (axis + 2) % 3].map(|k| (DVec3::AXES[k] * signs[k], half[k]));
    // A flat box has the same face on both sides, and a box that is a segment has none.
    let beside = match (one, other) {
        ((one, high), (other, wide)) if high > 0.0 && wide > 0.0 => Some([one, other]),
        ((one, _), (_, wide)) if wide > 0.0 => Some([one, -one]),
        ((_, high), (other, _)) if high > 0.0 => Some([other, -other]),
        _ => None,
    };
    let mut end = |sign: f64| {
        signs[axis] = sign;
        (signs * half, cuboid_corner(signs))
    };
    let [(from, first), (to, last)] = [end(-1.0), end(1.0)];
    Line { ends: [from, to], names: [first, last], beside: Beside::Flat(beside) }
}

fn triangle_edge(vertices: &[Vec3; 3], direction: DVec3) -> Line {
    let corners = vertices.map(|vertex| vertex.as_dvec3());
    let [a, b, c] = corners;
    let height = corners.map(|corner| corner.dot(direction));
    let mut top = usize::from(height[1] > height[0]);
    top = if height[2] > height[top] { 2 } else { top };
    let slope = |other: usize| {
        let along = corners[other] - corners[top];
        along.dot(direction).powi(2) / along.length_squared()
    };
    let (next, last) = ((top + 1) % 3, (top + 2) % 3);
    let other = if slope(last) < slope(next) { last } else { next };
    let (first, second) = (top.min(other), top.max(other));
    let normal = (b - a).cross(c - a).try_normalize();
    Line {
        ends: [corners[first], corners[second]],
        names: [first, second].map(|place| u32::try_from(place).unwrap_or(0)),
        beside: Beside::Flat(normal.map(|normal| [normal, -normal])),
    }
}

/// The face beside the edge between two vertices of a hull whose normal is nearest to a direction.
fn hull_face(hull: &ConvexHull, vertices: [u32; 2], direction: DVec3) -> Option<Plane<'_>> {
    let place = hull.edges().binary_search_by_key(&vertices, |edge| edge.vertices).ok()?;
    let [left, right] = hull.edges().get(place)?.faces?;
    let [left, right] = [Plane::of_hull(hull, left), Plane::of_hull(hull, right)];
    let along = |face: &Option<Plane<'_>>| {
        face.map_or(f64::NEG_INFINITY, |face| face.normal.dot(direction))
    };
    if along(&right) > along(&left) { right } else { left }
}

/// How much of a way over a face that starts on its border stays on it, at most all.
fn part_on(face: &Feature, from: DVec3, way: DVec3, slack: f64) -> f64 {
    let Some(normal) = face.normal else { return 0.0 };
    let corners = &face.corners;
    let middle = corners.iter().fold(DVec3::ZERO, |sum, &p| sum + (p - from));
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).fold(1.0, |part: f64, (&start, &end)| {
        let out = (end - start).cross(normal).normalize_or_zero();
        let inside = out.dot(middle) - out.dot(start - from) * count(corners.len());
        let out = if inside > 0.0 { -out } else { out };
        let (speed, left) = (out.dot(way), slack - out.dot(from - start));
        if speed > 0.0 && left < part * speed { (left / speed).max(0.0) } else { part }
    })
}

fn count(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

/// The points at the two ends of the part that two lines have in common, where the lines of the two
/// solids that lie farthest along the normal, given in their own frames, run side by side, nearly at
/// right angles to it; nothing where they do not.
///
/// Between the lines, which may part sidewards, each surface is where it is beside its line.
pub(super) fn side_by_side(
    [on_a, on_b]: [Line; 2],
    (a, b): (&Solid<'_>, &Solid<'_>),
    at: &Relative,
    normal: DVec3,
    size: f64,
    points: &mut SmallVec<[PatchPoint; 16]>,
) {
    // Most do not, and raising them takes longest.
    if are_askew(on_a.way(), *at.rotation() * on_b.way(), normal) {
        return;
    }
    let id = |place: u32| FeatureId::of([on_a.name(), on_b.name(), place, 3]);
    let ids = [id(0), id(1)];
    let margins = [a.radius(), b.radius()];
    let on_a = on_a.raised(margins[0], normal, None);
    let on_b = on_b.raised(margins[1], at.vector_to_b(-normal), Some(at));
    let slack = tolerance::SAME_POINT * size;
    let way = on_a.way();
    let Some(along) = (way - normal * normal.dot(way)).try_normalize() else { return };
    let [reach, parts] = course(&on_b, along, normal);
    if parts.powi(2) > tolerance::NEAR_FACE * (parts.powi(2) + reach.powi(2)) {
        return;
    }
    let spans = [&on_a, &on_b].map(|line| line.ends.map(|end| (end - on_a.ends[0]).dot(along)));
    let lines = [on_a.looked_beside(a, None), on_b.looked_beside(b, Some(at))];
    let faces = [const { OnceCell::new() }; 2];
    let pair = Pair { lines, solids: [a, b], at, faces, margins, normal, along, spans, slack };
    let found = pair.stations().into_iter().flatten().zip(ids);
    points.extend(found.filter_map(|(place, id)| pair.point(place, id)));
}

/// Whether two ways, as seen along a normal, are so far from parallel that rounding is no part of it.
fn are_askew(one: DVec3, other: DVec3, normal: DVec3) -> bool {
    let (one, aside) = (one - normal * normal.dot(one), normal.cross(one));
    let (reach, parts) = (other.dot(one), other.dot(aside));
    parts.powi(2) > 2.0 * tolerance::NEAR_FACE * (parts.powi(2) + reach.powi(2))
}

/// How far a line goes along a unit vector across the normal, and to the side of it.
fn course(line: &Line, along: DVec3, normal: DVec3) -> [f64; 2] {
    let way = line.way();
    [way.dot(along).abs(), way.dot(normal.cross(along)).abs()]
}

/// Two lines that run side by side, in A's frame.
struct Pair<'a> {
    lines: [Line; 2],
    solids: [&'a Solid<'a>; 2],
    at: &'a Relative,
    /// What is beside each where it is an edge, once that was asked for.
    faces: [OnceCell<Option<[Feature; 2]>>; 2],
    /// How much each core has grown.
    margins: [f64; 2],
    /// Unit, from A to B.
    normal: DVec3,
    /// Unit, along A's line as seen along the normal.
    along: DVec3,
    /// Where each line begins and ends, as lengths along [`Pair::along`].
    spans: [[f64; 2]; 2],
    /// Length that does not count.
    slack: f64,
}

impl Pair<'_> {
    /// How far B's line goes along A's and to the side of it.
    fn course(&self) -> [f64; 2] {
        course(&self.lines[1], self.along, self.normal)
    }

    /// The ends of the common part; none where there is no such part.
    fn stations(&self) -> Option<[f64; 2]> {
        let [[start, end], [from, to]] = self.spans;
        let (low, high) = (from.min(to).max(start), from.max(to).min(end));
        // A line that is lost in the coordinates of the other, or so short that rounding leaves nothing
        // of it, has no places to tell apart.
        if high - low <= self.slack {
            return None;
        }
        let [reach, parts] = self.course();
        let slopes = [0, 1].map(|k| {
            let way = self.lines[k].way();
            self.normal.dot(way).abs() / way.length()
        });
        // What is beside the end of a line that slopes or turns is a little beyond it.
        let steepest = parts / reach + slopes[0] + slopes[1];
        let inset = |place: f64| self.apart(place).2.length() * steepest;
        let [low, high] = [low + inset(low), high - inset(high)];
        if high - low <= self.slack {
            return None;
        }
        let is_common = |place: f64| self.share(place).is_some();
        if is_common(low) && is_common(high) {
            return Some([low, high]);
        }
        // Faces beside sharp edges end somewhere; where the edges cross they are next to each other.
        let side = self.normal.cross(self.along);
        let [start, end] = [low, high].map(|place| side.dot(self.apart(place).2));
        let crossing = low + (high - low) * (start / (start - end)).clamp(0.0, 1.0);
        is_common(crossing).then(|| {
            [low, high].map(|end| {
                let (mut good, mut bad) = (crossing, end);
                if is_common(end) {
                    return end;
                }
                for _ in 0..tolerance::COMMON_ITERATIONS {
                    let middle = 0.5 * (good + bad);
                    *(if is_common(middle) { &mut good } else { &mut bad }) = middle;
                }
                good
            })
        })
    }

    /// Where between the lines, as a share of the way from A's to B's, both surfaces lie across
    /// each other; `None` where they do not.
    fn share(&self, place: f64) -> Option<f64> {
        let ([a, b], [margin_a, margin_b]) = (&self.lines, self.margins);
        let (on_a, on_b, off) = self.apart(place);
        let radii = [a.radius_at(on_a, margin_a), b.radius_at(on_b, margin_b)];
        let round = radii[0] + radii[1];
        // The rounder side falls away the less.
        let share = if round > off.length() { radii[0] / round } else { 0.5 };
        if off.length() <= self.slack {
            return Some(share);
        }
        let on_a = self.part(0, on_a, off, self.normal)?;
        let on_b = self.part(1, on_b, -off, -self.normal)?;
        (on_a + on_b >= 1.0).then(|| share.max(1.0 - on_b).min(on_a))
    }

    /// How much of the way `aside` from a place on a line, at most all, the surface goes on as it
    /// begins: `way` is unit, out of the solid.
    fn part(&self, k: usize, from: DVec3, aside: DVec3, way: DVec3) -> Option<f64> {
        let (line, margin) = (&self.lines[k], self.margins[k]);
        let Beside::Flat(Some(normals)) = &line.beside else { return Some(1.0) };
        // Round up to where the face's normal is; what is flat beyond that is no wider than the face.
        let far = aside.length();
        let normal =
            if normals[1].dot(aside) > normals[0].dot(aside) { normals[1] } else { normals[0] };
        let round = (margin * normal.dot(aside) / far).max(0.0);
        if margin > 0.0 && (round >= far || normal.dot(way) <= 0.0) {
            return Some(1.0);
        }
        let Some(faces) = self.faces(k) else { return Some(1.0) };
        let beside = |face: &&Feature| face.normal.map_or(0.0, |normal| normal.dot(aside));
        let face = faces.iter().max_by(|p, q| beside(p).total_cmp(&beside(q)))?;
        if margin <= 0.0 {
            let rise = line.rise(from, aside, way, 0.0)?;
            return Some(part_on(face, from, aside + way * rise, self.slack));
        }
        let (core, flat) = (from - line.outward(way) * margin, aside * (1.0 - round / far));
        let rise = line.rise(core, flat, way, 0.0)?;
        let part = part_on(face, core, flat + way * rise, self.slack);
        Some((round + part * (far - round)) / far)
    }

    /// The faces beside a line, which are looked up for the first that asks.
    fn faces(&self, k: usize) -> Option<&[Feature; 2]> {
        let at = (k == 1).then_some(self.at);
        self.faces[k].get_or_init(|| self.lines[k].faces(self.solids[k], at)).as_ref()
    }

    /// The places of both lines there, and the way to the side from A's to B's.
    fn apart(&self, place: f64) -> (DVec3, DVec3, DVec3) {
        let [on_a, on_b] = [0, 1].map(|k| {
            let ([from, to], [first, last]) = (self.spans[k], self.lines[k].ends);
            first + (last - first) * ((place - from) / (to - from))
        });
        let off = on_b - on_a;
        (on_a, on_b, off - self.normal * self.normal.dot(off))
    }

    /// The points of both surfaces on a line along the normal that passes between the two lines.
    fn point(&self, place: f64, feature: FeatureId) -> Option<PatchPoint> {
        let ([a, b], [margin_a, margin_b], normal) = (&self.lines, self.margins, self.normal);
        let (on_a, on_b, off) = self.apart(place);
        let share = self.share(place)?;
        let (mut point_a, mut point_b) = (on_a + off * share, on_b + off * (share - 1.0));
        if off.length() > self.slack {
            point_a += normal * a.rise(point_a, off * share, normal, margin_a)?;
            point_b -= normal * b.rise(point_b, off * (share - 1.0), -normal, margin_b)?;
        }
        let distance = (point_b - point_a).dot(normal);
        Some(PatchPoint { point_a, point_b, distance, feature })
    }
}
