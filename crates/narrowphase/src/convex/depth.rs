//! How deep two cores overlap: the way out of the Minkowski difference, with a proof.
//!
//! The difference is enclosed from within by a polytope of support points, and from without by the
//! support planes seen so far. The nearest face of the polytope is a lower bound of the depth, the
//! nearest support plane an upper one; the polytope grows at its nearest face until both agree.

use impinge_shapes::convex::gjk::Support;
use impinge_shapes::glam::DVec3;
use impinge_shapes::simd::SimdLevel;
use smallvec::SmallVec;

use super::planes::{Corners, LANES, Planes};
use crate::tolerance;

/// The shallowest way out that was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct WayOut {
    /// Unit; moving B this way by `upper` parts the cores.
    pub(super) normal: DVec3,
    /// The overlap along `normal`: no less than the depth.
    pub(super) upper: f64,
    /// The depth is no less than this, if the polytope surely lies around the origin.
    pub(super) lower: f64,
    /// Whether it surely does: rounding did not turn any of its faces inside out.
    pub(super) encloses: bool,
    /// Points of both cores that meet along the normal, if the polytope has the face they lie on.
    pub(super) meeting: Option<Support>,
    /// Whether it leads through smooth parts of round cores, where none near it is shorter.
    pub(super) is_fitted: bool,
}

/// A way out that was looked along.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    /// Unit.
    pub(super) normal: DVec3,
    /// The overlap along it.
    pub(super) upper: f64,
    /// Points of both cores that meet along it, where they are known.
    pub(super) meeting: Option<Support>,
    /// The cosine of an angle around the normal within which no way out is shorter; 1 for unknown.
    pub(super) bowl: f64,
}

impl Exit {
    /// How far the way out is known to be no shorter within the angle, and a point that stands for
    /// all of the difference that the angle tells of: along no direction outside of it the point
    /// reaches as far as that.
    fn apex(&self, size: f64) -> Option<(f64, Support)> {
        let height = self.upper - tolerance::ROUND_DEPTH_GAP * size;
        let point = self.normal * (height / self.bowl);
        let is_known = self.bowl < 1.0 && height > 0.0;
        is_known.then_some((height, Support { a: point, b: DVec3::ZERO }))
    }
}

/// The way out of round cores near a face of the polytope, if it is found.
pub(super) type Round<'a> = &'a dyn Fn(&[Support; 3], DVec3) -> Option<Exit>;

/// What became of the search.
pub(super) enum Search {
    /// The difference has a volume.
    Found(WayOut),
    /// It is flat up to rounding, and this unit vector leads across it.
    Flat(DVec3),
    /// Rounding broke the polytope before anything was found.
    Lost,
}

/// Heights that are looked at side by side.
const ROW: usize = 16;

/// A triangle between three support points.
#[derive(Clone, Copy, Debug)]
struct Face {
    corners: [u16; 3],
    /// The side of another face beyond each side, which runs from the corner of its place to the
    /// next.
    beyond: [Side; 3],
    /// Unit, out of the polytope.
    normal: DVec3,
}

/// A side of a face.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Side {
    face: u16,
    place: u16,
}

/// A side beyond what a point sees, and its ends as they go around that.
#[derive(Clone, Copy, Debug)]
struct Rim {
    side: Side,
    from: u16,
    to: u16,
}

/// A polytope of support points around the origin. Hulls of some dozen corners grow it by half a
/// dozen points, each of which brings about as many faces.
struct Polytope {
    points: SmallVec<[Support; 24]>,
    /// Of the points, worked out once.
    differences: SmallVec<[DVec3; 24]>,
    faces: SmallVec<[Face; 64]>,
    /// Of the faces' planes from the origin, along their normals; infinite for a face that is no
    /// part of the polytope any more.
    heights: SmallVec<[f64; 64]>,
    /// Heights below this are rounding.
    noise: f64,
    /// The place among the points of one that is no support point, or none.
    apex: usize,
    /// Of the planes; asked for once, because that takes as long as a plane.
    level: SimdLevel,
}

/// The shallowest way out of the difference of which `support` gives the farthest points, from a
/// simplex of one to four of them that holds the origin; `size` bounds every coordinate.
/// `known` says that the origin certainly lies inside, so that the polytope need not prove it.
///
/// - Error: `lower` and `upper` agree to [`tolerance::DEPTH_GAP`] of the size for polytopes; for
///   round cores to [`tolerance::ROUND_DEPTH_GAP`] where a way out through smooth parts was found,
///   else after at most [`tolerance::DEPTH_ITERATIONS`] points, and hold in any case.
/// - Source: van den Bergen, *Proximity queries and penetration depth computation on 3D game
///   objects* (2001), here with both bounds kept.
pub(super) fn way_out(
    support: &impl Fn(DVec3) -> Support,
    simplex: &[Support],
    size: f64,
    known: bool,
    round: Option<Round<'_>>,
) -> Search {
    search(support, simplex, size, known, (round, true))
        .or_else(|| search(support, simplex, size, known, (round, false)))
        .unwrap_or(Search::Lost)
}

/// The same, where `round` comes with whether what it knows around its ways out is used, of the first
/// that it finds; `None` where that did not lead to the end: where a shorter way out was found, or
/// rounding broke the polytope.
pub(super) fn search(
    support: &impl Fn(DVec3) -> Support,
    simplex: &[Support],
    size: f64,
    known: bool,
    (round, has_bowl): (Option<Round<'_>>, bool),
) -> Option<Search> {
    let mut polytope = Polytope::new(size);
    if let Err(lost) = polytope.begin(support, simplex) {
        return Some(lost);
    }
    let (mut best, mut lower): (Option<Exit>, f64) = (None, 0.0);
    // How far the apex of a bowl tells.
    let mut held = 0.0;
    for step in 0..tolerance::DEPTH_ITERATIONS {
        let Some(nearest) = polytope.nearest() else { break };
        let normal = polytope.faces[nearest].normal;
        lower = lower.max(polytope.heights[nearest].max(0.0));
        let least = best.map_or(f64::INFINITY, |best| best.upper);
        let (mut next, mut from) = (support(normal), nearest);
        let upper = next.difference().dot(normal);
        if upper < least - tolerance::TIE * size {
            best = Some(Exit { normal, upper, meeting: None, bowl: 1.0 });
        }
        let is_known = best.is_some_and(|best| {
            best.meeting.is_some()
                && (best.normal - normal).length_squared() <= tolerance::FIT_BESIDE
        });
        let every =
            if step < tolerance::FIT_OFTEN { tolerance::FIT_EVERY } else { tolerance::FIT_SELDOM };
        let is_due = step % every == 0
            && !is_known
            && least.min(upper) - lower <= tolerance::FIT_WITHIN * size;
        if let Some(round) = round.filter(|_| is_due) {
            let least = best.map_or(f64::INFINITY, |best| best.upper);
            let shorter = |exit: &Exit| exit.upper <= least + tolerance::TIE * size;
            if let Some(exit) = round(&polytope.face(nearest, next), normal).filter(shorter) {
                best = Some(exit);
                let apex = exit.apex(size).filter(|_| has_bowl && held == 0.0);
                let there = apex.map_or_else(|| support(exit.normal), |(_, apex)| apex);
                if let Some(face) = polytope.below(there.difference(), nearest) {
                    (next, from) = (there, face);
                    if let Some((height, _)) = apex {
                        (held, polytope.apex) = (height, polytope.points.len());
                    }
                }
            }
        }
        let (reached, is_fitted) =
            best.map_or((f64::INFINITY, false), |best| (best.upper, best.meeting.is_some()));
        let gap = if is_fitted { tolerance::ROUND_DEPTH_GAP } else { tolerance::DEPTH_GAP };
        if reached < held || reached - lower <= gap * size || !polytope.grow(from, next) {
            break;
        }
    }
    // Of less the polytope with an apex proves nothing.
    if lower < held {
        return None;
    }
    let Some(Exit { normal, upper, meeting, .. }) = best else { return Some(Search::Lost) };
    let is_fitted = meeting.is_some();
    let slack = tolerance::DEPTH_GAP * size;
    let meeting = meeting.or_else(|| polytope.meeting(normal, upper, slack));
    let encloses = known || polytope.encloses(lower);
    let lower = lower.min(upper);
    Some(Search::Found(WayOut { normal, upper, lower, encloses, meeting, is_fitted }))
}

impl Polytope {
    fn new(size: f64) -> Self {
        Self {
            points: SmallVec::new(),
            differences: SmallVec::new(),
            faces: SmallVec::new(),
            heights: SmallVec::new(),
            noise: tolerance::FRAME * size / 16.0,
            apex: usize::MAX,
            level: SimdLevel::detected(),
        }
    }

    /// A tetrahedron from some support points and as many more as it takes.
    fn begin(
        &mut self,
        support: &impl Fn(DVec3) -> Support,
        simplex: &[Support],
    ) -> Result<(), Search> {
        for point in simplex {
            self.push(*point);
        }
        if simplex.is_empty() {
            self.push(support(DVec3::X));
        }
        while self.points.len() < 4 {
            let next = self.off_plane(support)?;
            self.push(next);
        }
        // Two corners changed over turn all faces inside out.
        let [p, q, r] = self.corners([0, 1, 2]);
        let normal = normal_of([p, q, r]).ok_or(Search::Lost)?;
        let height = normal.dot(p).min(normal.dot(q)).min(normal.dot(r));
        if self.differences[3].dot(normal) > height {
            self.points.swap(1, 2);
            self.differences.swap(1, 2);
        }
        let side = |face, place| Side { face, place };
        let beyond = [
            [side(1, 2), side(3, 2), side(2, 0)],
            [side(2, 2), side(3, 0), side(0, 0)],
            [side(0, 2), side(3, 1), side(1, 0)],
            [side(1, 1), side(2, 1), side(0, 1)],
        ];
        let corners = [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]];
        if !self.add(corners, &beyond) {
            return Err(Search::Lost);
        }
        // The origin is inside or, for what the tetrahedron was completed from, on its boundary.
        let holds = self.heights.iter().all(|&height| height >= -16.0 * self.noise);
        if holds { Ok(()) } else { Err(Search::Lost) }
    }

    /// A support point off the point, line or plane of one to three others.
    #[cold]
    fn off_plane(&self, support: &impl Fn(DVec3) -> Support) -> Result<Support, Search> {
        let points = &self.differences;
        let from = points[0];
        let directions: SmallVec<[DVec3; 6]> = match points.len() {
            1 => DVec3::AXES.iter().flat_map(|&axis| [axis, -axis]).collect(),
            2 => across(points[1] - from).iter().flat_map(|&axis| [axis, -axis]).collect(),
            _ => {
                let normal = (points[1] - from).cross(points[2] - from);
                SmallVec::from_slice(&[normal, -normal])
            }
        };
        let mut farthest: Option<(f64, Support)> = None;
        for direction in directions {
            let length = direction.length();
            let next = support(direction);
            let away = (next.difference() - from).dot(direction) / length;
            if away > self.noise && farthest.is_none_or(|(most, _)| away > most) {
                farthest = Some((away, next));
            }
        }
        farthest.map(|(_, next)| next).ok_or_else(|| {
            let across = match points.len() {
                1 => DVec3::X,
                2 => across(points[1] - from)[0],
                _ => normal_of([0, 1, 2].map(|k| points[k])).unwrap_or(DVec3::X),
            };
            Search::Flat(across.normalize())
        })
    }

    #[inline]
    fn push(&mut self, point: Support) {
        self.points.push(point);
        self.differences.push(point.difference());
    }

    /// The support points of a face, one along its normal instead of the apex.
    fn face(&self, face: usize, along: Support) -> [Support; 3] {
        self.faces[face].corners.map(|place| {
            let place = usize::from(place);
            if place == self.apex { along } else { self.points[place] }
        })
    }

    #[inline(always)]
    fn corners(&self, face: [u16; 3]) -> [DVec3; 3] {
        let ([i, j, k], points) = (face, self.differences.as_slice());
        [points[usize::from(i)], points[usize::from(j)], points[usize::from(k)]]
    }

    /// As many more faces as what is beyond them tells; `false` where one has no area.
    #[inline(always)]
    fn add(&mut self, corners: [[u16; 3]; LANES], beyond: &[[Side; 3]]) -> bool {
        let mut points = Corners::default();
        for (lane, corners) in corners.iter().enumerate() {
            for (coordinates, point) in points.iter_mut().zip(self.corners(*corners)) {
                let [x, y, z] = coordinates;
                (x[lane], y[lane], z[lane]) = (point.x, point.y, point.z);
            }
        }
        let Some(planes) = Planes::new(self.level, &points) else { return false };
        for (lane, &beyond) in beyond.iter().enumerate().take(LANES) {
            self.heights.push(planes.heights[lane]);
            self.faces.push(Face { corners: corners[lane], beyond, normal: planes.normal(lane) });
        }
        true
    }

    /// The face nearest to the origin, the first of equal ones.
    fn nearest(&self) -> Option<usize> {
        let heights = self.heights.as_slice();
        // The least first, several side by side, because no branch could be guessed.
        let (rows, rest) = heights.as_chunks::<ROW>();
        let lesser = |one: f64, other: f64| if one < other { one } else { other };
        let mut least = [f64::INFINITY; ROW];
        for row in rows {
            for (least, &height) in least.iter_mut().zip(row) {
                *least = lesser(height, *least);
            }
        }
        let least =
            least.iter().chain(rest).fold(f64::INFINITY, |least, &height| lesser(height, least));
        let has = |row: &[f64; ROW]| row.iter().fold(false, |has, &height| has | (height <= least));
        let before = rows.iter().position(has).unwrap_or(rows.len()) * ROW;
        let place = heights[before..].iter().position(|&height| height <= least)?;
        (least < f64::INFINITY).then_some(before + place)
    }

    /// Whether the origin surely lies inside, as deep as `lower`: it is then behind every face, so
    /// that the angles under which it sees them add up to some times the whole sphere.
    ///
    /// Faces that are nearly without area may be turned by rounding, and then the polytope of a flat
    /// set can be open without a face near the origin.
    fn encloses(&self, lower: f64) -> bool {
        self.outside().all(|(face, height)| {
            let (p, [one, other]) = shorter_sides(self.corners(face.corners));
            let volume = one.cross(other).dot(p);
            let most = one.length_squared() * other.length_squared() * p.length_squared();
            let certain = volume * volume > tolerance::VOLUME * tolerance::VOLUME * most;
            volume > 0.0 && certain && height >= lower - self.noise
        })
    }

    /// The faces of the polytope and their heights.
    fn outside(&self) -> impl Iterator<Item = (&Face, f64)> {
        let heights = self.heights.iter().copied();
        self.faces.iter().zip(heights).filter(|(_, height)| *height < f64::INFINITY)
    }

    /// A face that a point is outside of: this one if it is, else the one farthest below it.
    fn below(&self, point: DVec3, nearest: usize) -> Option<usize> {
        let over = |&face: &usize| point.dot(self.faces[face].normal) - self.heights[face];
        let farthest = || (0..self.faces.len()).max_by(|i, j| over(i).total_cmp(&over(j)));
        let face = if self.is_seen(nearest, point) { Some(nearest) } else { farthest() };
        face.filter(|&face| self.is_seen(face, point))
    }

    /// Whether a point is outside of a face.
    fn is_seen(&self, face: usize, from: DVec3) -> bool {
        from.dot(self.faces[face].normal) - self.heights[face] > self.noise
    }

    /// Replaces what the new point sees by faces to it; `false` where it is no step outward or
    /// rounding lets the seen part have no simple border.
    ///
    /// - Source: van den Bergen (2001), on the silhouette: the sides of what is not seen, in order
    ///   around what is.
    fn grow(&mut self, nearest: usize, next: Support) -> bool {
        let point = next.difference();
        if !self.is_seen(nearest, point) {
            return false;
        }
        let mut seen: SmallVec<[(u16, f64); 16]> = SmallVec::new();
        let border = self.silhouette(nearest, point, &mut seen);
        if !self.replace(&border, next) {
            for (face, height) in seen {
                self.heights[usize::from(face)] = height;
            }
            return false;
        }
        true
    }

    /// The sides beyond what a point sees around a face that it sees, in order; what it sees is no
    /// part of the polytope from then on.
    fn silhouette(
        &mut self,
        nearest: usize,
        point: DVec3,
        seen: &mut SmallVec<[(u16, f64); 16]>,
    ) -> SmallVec<[Rim; 16]> {
        let (faces, heights) = (self.faces.as_slice(), self.heights.as_mut_slice());
        let mut border = SmallVec::new();
        let mut rest: SmallVec<[Side; 16]> = SmallVec::new();
        seen.push((to_u16(nearest), std::mem::replace(&mut heights[nearest], f64::INFINITY)));
        rest.extend_from_slice(&faces[nearest].beyond);
        rest.reverse();
        while let Some(side) = rest.pop() {
            let place = usize::from(side.face);
            let (face, height) = (&faces[place], heights[place]);
            // Seen and hidden on the way already.
            if height.is_infinite() {
                continue;
            }
            if point.dot(face.normal) - height > self.noise {
                seen.push((side.face, height));
                heights[place] = f64::INFINITY;
                let [first, second, third] = face.beyond;
                rest.extend_from_slice(&match side.place {
                    0 => [third, second],
                    1 => [first, third],
                    _ => [second, first],
                });
            } else {
                // Beyond, the side runs the other way.
                let [one, two, three] = face.corners;
                let (from, to) = match side.place {
                    0 => (two, one),
                    1 => (three, two),
                    _ => (one, three),
                };
                border.push(Rim { side, from, to });
            }
        }
        border
    }

    /// Faces from a border to a new point; `false` and none where the border is no simple loop or a
    /// face would have no area.
    fn replace(&mut self, border: &[Rim], next: Support) -> bool {
        let (count, before) = (border.len(), self.faces.len());
        let follows = |k: usize| border[k].to == border[if k + 1 < count { k + 1 } else { 0 }].from;
        let is_once = |k: usize| border[..k].iter().all(|other| other.from != border[k].from);
        // Sides are counted in u16.
        let fits = before + count < usize::from(u16::MAX);
        if count < 3 || !fits || !(0..count).all(|k| follows(k) && is_once(k)) {
            return false;
        }
        let (new, base) = (to_u16(self.points.len()), to_u16(before));
        self.push(next);
        let last = base + to_u16(count - 1);
        let mut face = base;
        for rims in border.chunks(LANES) {
            let (mut corners, mut beyond) = ([[0; 3]; LANES], [[Side::default(); 3]; LANES]);
            for lane in 0..LANES {
                // What is too many repeats the first.
                let Rim { side, from, to } = *rims.get(lane).unwrap_or(&rims[0]);
                let after = if face < last { face + 1 } else { base };
                let behind = if face > base { face - 1 } else { last };
                corners[lane] = [from, to, new];
                beyond[lane] =
                    [side, Side { face: after, place: 2 }, Side { face: behind, place: 1 }];
                face += u16::from(lane < rims.len());
            }
            if !self.add(corners, &beyond[..rims.len()]) {
                self.faces.truncate(before);
                self.heights.truncate(before);
                return false;
            }
        }
        let faces = self.faces.as_mut_slice();
        for (face, Rim { side, .. }) in (base..).zip(border) {
            faces[usize::from(side.face)].beyond[usize::from(side.place)] = Side { face, place: 0 };
        }
        true
    }

    /// Where the way out along a unit normal leaves the polytope at this height: on one of the
    /// faces across it, as points of both cores.
    fn meeting(&self, normal: DVec3, height: f64, slack: f64) -> Option<Support> {
        let exit = normal * height;
        // Of each point once, because each is a corner of several faces.
        let is_level = |(place, p): (usize, &DVec3)| {
            place != self.apex && (*p - exit).dot(normal).abs() <= slack
        };
        let level: SmallVec<[bool; 24]> =
            self.differences.iter().enumerate().map(is_level).collect();
        let level = level.as_slice();
        self.outside().find_map(|(face, _)| {
            if !face.corners.iter().all(|&place| level[usize::from(place)]) {
                return None;
            }
            meeting_in(face.corners.map(|place| self.points[usize::from(place)]), exit)
        })
    }
}

/// A point of the difference as points of both cores, if it is on the triangle of these three.
pub(super) fn meeting_in(corners: [Support; 3], exit: DVec3) -> Option<Support> {
    let [p, q, r] = corners.map(|corner| corner.difference() - exit);
    let normal = (q - p).cross(r - p);
    let areas = [q.cross(r), r.cross(p), p.cross(q)].map(|area| area.dot(normal));
    let sum = areas[0] + areas[1] + areas[2];
    if sum <= 0.0 || areas.iter().any(|&area| area < 0.0) {
        return None;
    }
    let blend = |of: fn(&Support) -> DVec3| {
        (0..3).fold(DVec3::ZERO, |total, k| total + of(&corners[k]) * (areas[k] / sum))
    };
    Some(Support { a: blend(|corner| corner.a), b: blend(|corner| corner.b) })
}

/// A place that is counted in u16; the polytope stops growing before it is out of range.
fn to_u16(place: usize) -> u16 {
    u16::try_from(place).unwrap_or(u16::MAX)
}

/// A corner of a triangle and the sides from it to the next and to the one before, the two shorter
/// ones, whose cross product is the most precise.
#[inline(always)]
fn shorter_sides([p, q, r]: [DVec3; 3]) -> (DVec3, [DVec3; 2]) {
    let sides = [q - p, r - q, p - r];
    let squares = [sides[0].length_squared(), sides[1].length_squared(), sides[2].length_squared()];
    // As a place and not by branches, which nothing could guess.
    let first = (squares[1] >= squares[0]) & (squares[1] >= squares[2]);
    let place = usize::from(!first) * (2 - usize::from(squares[2] >= squares[0]));
    let before = [2, 0, 1][place];
    // What is subtracted from zero has the zeros of the difference the other way around.
    ([p, q, r][place], [sides[place], DVec3::ZERO - sides[before]])
}

/// Unit normal of a triangle; `None` for one without area.
#[inline(always)]
pub(super) fn normal_of(corners: [DVec3; 3]) -> Option<DVec3> {
    let (_, [one, other]) = shorter_sides(corners);
    one.cross(other).try_normalize()
}

/// Two directions perpendicular to `along` and to each other; the axes for none.
pub(super) fn across(along: DVec3) -> [DVec3; 2] {
    let size = along.abs();
    let axis = if size.x <= size.y && size.x <= size.z {
        DVec3::X
    } else if size.y <= size.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    let first = along.cross(axis);
    match first.try_normalize() {
        Some(first) => [first, along.cross(first) / along.length()],
        None => [DVec3::Y, DVec3::Z],
    }
}
