//! How deep two cores overlap: the way out of the Minkowski difference, with a proof.
//!
//! The difference is enclosed from within by a polytope of support points, and from without by the
//! support planes seen so far. The nearest face of the polytope is a lower bound of the depth, the
//! nearest support plane an upper one; the polytope grows at its nearest face until both agree.

use impinge_shapes::convex::gjk::Support;
use impinge_shapes::glam::DVec3;
use smallvec::SmallVec;

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
}

/// What became of the search.
pub(super) enum Search {
    /// The difference has a volume.
    Found(WayOut),
    /// It is flat up to rounding, and this unit vector leads across it.
    Flat(DVec3),
    /// Rounding broke the polytope before anything was found.
    Lost,
}

/// A triangle between three support points.
#[derive(Clone, Copy, Debug)]
struct Face {
    corners: [usize; 3],
    /// Unit, out of the polytope.
    normal: DVec3,
    /// Of its plane from the origin, along the normal.
    height: f64,
}

/// A polytope of support points around the origin.
struct Polytope {
    points: SmallVec<[Support; 32]>,
    faces: SmallVec<[Face; 48]>,
    /// Heights below this are rounding.
    noise: f64,
}

/// The shallowest way out of the difference of which `support` gives the farthest points, from a
/// simplex of one to four of them that holds the origin; `size` bounds every coordinate.
/// `known` says that the origin certainly lies inside, so that the polytope need not prove it.
///
/// - Error: `lower` and `upper` agree to [`tolerance::DEPTH_GAP`] of the size for polytopes; for
///   curved cores after at most [`tolerance::DEPTH_ITERATIONS`] points, and hold in any case.
/// - Source: van den Bergen, *Proximity queries and penetration depth computation on 3D game
///   objects* (2001), here with both bounds kept.
pub(super) fn way_out(
    support: &impl Fn(DVec3) -> Support,
    simplex: &[Support],
    size: f64,
    known: bool,
) -> Search {
    let noise = tolerance::FRAME * size / 16.0;
    let mut polytope = match Polytope::new(support, simplex, noise) {
        Ok(polytope) => polytope,
        Err(lost) => return lost,
    };
    let mut best: Option<WayOut> = None;
    let mut lower = 0.0_f64;
    for _ in 0..tolerance::DEPTH_ITERATIONS {
        let Some(nearest) = polytope.nearest() else { break };
        let face = polytope.faces[nearest];
        lower = lower.max(face.height.max(0.0));
        let next = support(face.normal);
        let upper = next.difference().dot(face.normal);
        if best.is_none_or(|best| upper < best.upper - tolerance::TIE * size) {
            best =
                Some(WayOut { normal: face.normal, upper, lower, encloses: false, meeting: None });
        }
        let reached = best.map_or(f64::INFINITY, |best| best.upper);
        if reached - lower <= tolerance::DEPTH_GAP * size || !polytope.grow(nearest, next) {
            break;
        }
    }
    best.map_or(Search::Lost, |best| {
        let meeting = polytope.meeting(&best, tolerance::DEPTH_GAP * size);
        let encloses = known || polytope.encloses(lower);
        Search::Found(WayOut { lower: lower.min(best.upper), encloses, meeting, ..best })
    })
}

impl Polytope {
    /// A tetrahedron from some support points and as many more as it takes.
    fn new(
        support: &impl Fn(DVec3) -> Support,
        simplex: &[Support],
        noise: f64,
    ) -> Result<Self, Search> {
        let mut points: SmallVec<[Support; 32]> = SmallVec::from_slice(simplex);
        if points.is_empty() {
            points.push(support(DVec3::X));
        }
        while points.len() < 4 {
            let from = points[0].difference();
            let directions: SmallVec<[DVec3; 6]> = match points.len() {
                1 => DVec3::AXES.iter().flat_map(|&axis| [axis, -axis]).collect(),
                2 => {
                    let along = points[1].difference() - from;
                    across(along).iter().flat_map(|&axis| [axis, -axis]).collect()
                }
                _ => {
                    let along = points[1].difference() - from;
                    let normal = along.cross(points[2].difference() - from);
                    SmallVec::from_slice(&[normal, -normal])
                }
            };
            let mut farthest: Option<(f64, Support)> = None;
            for direction in directions {
                let length = direction.length();
                let next = support(direction);
                let away = (next.difference() - from).dot(direction) / length;
                if away > noise && farthest.is_none_or(|(most, _)| away > most) {
                    farthest = Some((away, next));
                }
            }
            let Some((_, next)) = farthest else {
                let across = match points.len() {
                    1 => DVec3::X,
                    2 => across(points[1].difference() - from)[0],
                    _ => normal_of([0, 1, 2].map(|k| points[k].difference())).unwrap_or(DVec3::X),
                };
                return Err(Search::Flat(across.normalize()));
            };
            points.push(next);
        }
        let mut polytope = Self { points, faces: SmallVec::new(), noise };
        for [i, j, k, opposite] in [[0, 1, 2, 3], [0, 3, 1, 2], [0, 2, 3, 1], [1, 3, 2, 0]] {
            let face = polytope.face([i, j, k]).ok_or(Search::Lost)?;
            let other = polytope.points[opposite].difference();
            let inward = other.dot(face.normal) > face.height;
            let turned = if inward { polytope.face([i, k, j]) } else { Some(face) };
            polytope.faces.push(turned.ok_or(Search::Lost)?);
        }
        // The origin is inside or, for what the tetrahedron was completed from, on its boundary.
        let holds = polytope.faces.iter().all(|face| face.height >= -16.0 * noise);
        if holds { Ok(polytope) } else { Err(Search::Lost) }
    }

    fn face(&self, corners: [usize; 3]) -> Option<Face> {
        let [p, q, r] = corners.map(|k| self.points[k].difference());
        let normal = normal_of([p, q, r])?;
        let height = normal.dot(p).min(normal.dot(q)).min(normal.dot(r));
        Some(Face { corners, normal, height })
    }

    /// The face nearest to the origin, the first of equal ones.
    fn nearest(&self) -> Option<usize> {
        let (mut best, mut least) = (None, f64::INFINITY);
        for (k, face) in self.faces.iter().enumerate() {
            if face.height < least {
                (best, least) = (Some(k), face.height);
            }
        }
        best
    }

    /// Whether the origin surely lies inside, as deep as `lower`: it is then behind every face, so
    /// that the angles under which it sees them add up to some times the whole sphere.
    ///
    /// Faces that are nearly without area may be turned by rounding, and then the polytope of a flat
    /// set can be open without a face near the origin.
    fn encloses(&self, lower: f64) -> bool {
        self.faces.iter().all(|face| {
            let corners = face.corners.map(|k| self.points[k].difference());
            let (p, [one, other]) = shorter_sides(corners);
            let volume = one.cross(other).dot(p);
            let most = one.length_squared() * other.length_squared() * p.length_squared();
            let certain = volume * volume > tolerance::VOLUME * tolerance::VOLUME * most;
            volume > 0.0 && certain && face.height >= lower - self.noise
        })
    }

    /// Replaces what the new point sees by faces to it; `false` where it is no step outward or
    /// rounding lets the seen part have no simple border.
    fn grow(&mut self, nearest: usize, next: Support) -> bool {
        let point = next.difference();
        let noise = self.noise;
        let sees = |face: &Face| point.dot(face.normal) - face.height > noise;
        if !sees(&self.faces[nearest]) {
            return false;
        }
        let mut border: SmallVec<[(usize, usize); 16]> = SmallVec::new();
        for face in self.faces.iter().filter(|face| sees(face)) {
            for k in 0..3 {
                let edge = (face.corners[k], face.corners[(k + 1) % 3]);
                match border.iter().position(|&(from, to)| (to, from) == edge) {
                    Some(twin) => {
                        border.swap_remove(twin);
                    }
                    None => border.push(edge),
                }
            }
        }
        let leaves_once = |&(from, to): &(usize, usize)| {
            border.iter().filter(|other| other.0 == from).count() == 1
                && border.iter().any(|other| other.0 == to)
        };
        if border.len() < 3 || !border.iter().all(leaves_once) {
            return false;
        }
        let new = self.points.len();
        self.points.push(next);
        let mut added: SmallVec<[Face; 16]> = SmallVec::new();
        for (from, to) in border {
            let Some(face) = self.face([from, to, new]) else { return false };
            added.push(face);
        }
        self.faces.retain(|face| !sees(face));
        self.faces.extend(added);
        true
    }

    /// Where the way out leaves the polytope: on one of the faces across it, as points of both
    /// cores.
    fn meeting(&self, way: &WayOut, slack: f64) -> Option<Support> {
        let exit = way.normal * way.upper;
        self.faces.iter().find_map(|face| {
            let corners = face.corners.map(|k| self.points[k]);
            let [p, q, r] = corners.map(|corner| corner.difference() - exit);
            let level = [p, q, r].iter().all(|p| p.dot(way.normal).abs() <= slack);
            let normal = (q - p).cross(r - p);
            let areas = [q.cross(r), r.cross(p), p.cross(q)].map(|area| area.dot(normal));
            let sum = areas[0] + areas[1] + areas[2];
            if !level || sum <= 0.0 || areas.iter().any(|&area| area < 0.0) {
                return None;
            }
            let blend = |of: fn(&Support) -> DVec3| {
                (0..3).fold(DVec3::ZERO, |total, k| total + of(&corners[k]) * (areas[k] / sum))
            };
            Some(Support { a: blend(|corner| corner.a), b: blend(|corner| corner.b) })
        })
    }
}

/// A corner of a triangle and the sides from it to the next and to the one before, the two shorter
/// ones, whose cross product is the most precise.
fn shorter_sides([p, q, r]: [DVec3; 3]) -> (DVec3, [DVec3; 2]) {
    let squares = [q - p, r - q, p - r].map(DVec3::length_squared);
    if squares[1] >= squares[0] && squares[1] >= squares[2] {
        (p, [q - p, r - p])
    } else if squares[2] >= squares[0] {
        (q, [r - q, p - q])
    } else {
        (r, [p - r, q - r])
    }
}

/// Unit normal of a triangle; `None` for one without area.
fn normal_of(corners: [DVec3; 3]) -> Option<DVec3> {
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
