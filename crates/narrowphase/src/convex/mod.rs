//! Any two convex solids, from support points alone.
//!
//! A shape with a [`Solid`] works with every other at once; a room of its own for a pair only makes
//! it exact or fast. The functions have the signatures of the rooms.

mod axes;
mod bowl;
mod cast;
mod clearance;
mod coaxial;
mod corners;
mod cuboid_triangle;
mod depth;
pub(crate) mod disc;
#[cfg(test)]
pub(crate) mod draw;
mod enclosure;
mod exact;
mod exchanged;
mod exit;
pub(crate) mod feature;
mod few;
mod fitted;
mod footing;
mod four;
pub(crate) mod glance;
mod hull_edge;
mod line;
mod looks;
pub(crate) mod patch;
mod planes;
mod point;
mod rims;
mod ring;
mod rod;
mod seen;
mod settle;
mod side;
mod slide;
mod sweep;
mod turned;
mod unrounded;
mod view;
mod walk;

use impinge_shapes::convex::gjk::{self, Enough, Nearest, Support};
use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::glam::DVec3;
use impinge_shapes::simd::SimdLevel;

use self::axes::{Told, told};
pub(crate) use self::clearance::clearance;
use self::depth::Search;
pub(crate) use self::footing::{Course, is_parted, level_course, level_relation};
pub(crate) use self::glance::Glance;
pub(crate) use self::patch::{Four, patch_along};
pub(crate) use self::slide::Slide;
use crate::{Patch, Relation, Relative, Separation, tolerance};

pub(crate) use seen::{Contact, closest_seen, contact_seen, look, patch_of};
pub use sweep::sweep;
pub(crate) use sweep::{step, sweep_from, sweep_from_afar, swept_relation};

/// Two solids in A's frame.
#[derive(Clone, Copy)]
struct Cores<'a> {
    a: &'a Solid<'a>,
    b: &'a Solid<'a>,
    at: &'a Relative,
    /// B's move since `at`, in A's frame.
    moved: DVec3,
    /// Sum of all radii.
    radius: f64,
    /// No coordinate is larger.
    size: f64,
}

/// What is known of a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proof {
    /// [`Gap::at_most`] may not be trusted to the last bits.
    Open,
    /// It may.
    Bounds,
    /// The grown cores touch, without any rounding.
    Touch,
}

/// The nearest points of two cores, or their way out of each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gap {
    /// Signed distance of the cores.
    distance: f64,
    /// The exact distance is no less than this, but for rounding; negative by at most the depth.
    at_least: f64,
    /// The exact distance is no more than this, but for rounding.
    at_most: f64,
    /// What is known for certain.
    proof: Proof,
    /// Unit, from A to B.
    normal: DVec3,
    /// On A's core.
    point_a: DVec3,
}

pub(crate) fn is_polytope(core: &Core<'_>) -> bool {
    !matches!(core, Core::Cylinder(_) | Core::Cone(_))
}

impl<'a> Cores<'a> {
    fn new(a: &'a Solid<'a>, b: &'a Solid<'a>, at: &'a Relative) -> Self {
        let radius = a.radius() + b.radius();
        let size = a.core.reach().element_sum()
            + b.core.reach().element_sum()
            + at.translation().abs().element_sum()
            + radius;
        Self { a, b, at, moved: DVec3::ZERO, radius, size }
    }

    /// Whether both cores are polytopes, so that exact arithmetic can decide about them.
    fn is_exact(&self) -> bool {
        is_polytope(&self.a.core) && is_polytope(&self.b.core)
    }

    fn moved(&self, by: DVec3) -> Self {
        Self { moved: self.moved + by, size: self.size + by.abs().element_sum(), ..*self }
    }

    /// Bound of the error of a distance.
    fn error(&self) -> f64 {
        tolerance::FRAME * self.size
    }

    #[inline]
    fn support(&self, n: DVec3) -> Support {
        let on_b = self.b.core.support_nearly(self.at.vector_to_b(-n));
        Support { a: self.a.core.support_nearly(n), b: self.at.point_from_b(on_b) + self.moved }
    }

    fn nearest(&self, start: DVec3) -> Nearest {
        self.nearest_until(start, &Enough::NEVER)
    }

    fn nearest_until(&self, start: DVec3, enough: &Enough) -> Nearest {
        if let Some(points) = self.triangle() {
            let nearest = gjk::nearest_of_triangle(points);
            let open = nearest.distance - nearest.lower_bound;
            let is_clear = nearest.distance > self.error()
                && open <= impinge_shapes::tolerance::GJK_GAP * nearest.distance;
            let is_enough = nearest.distance < enough.below || nearest.lower_bound > enough.above;
            if is_clear || is_enough {
                return nearest;
            }
        }
        if self.is_exact() {
            self.searched(start, enough)
        } else {
            self.nearest_of_round(start, enough)
        }
    }

    /// The nearest points by support points alone, which tells soonest whether cores overlap.
    fn searched(&self, start: DVec3, enough: &Enough) -> Nearest {
        // By itself, as nothing is turned and nothing asked of a point.
        if let (Core::Hull(hull), Core::Point) = (&self.a.core, &self.b.core) {
            let b = self.at.translation() + self.moved;
            let support = |n| Support { a: hull.support_nearly(n), b };
            return gjk::nearest_until(support, start, self.size, enough);
        }
        gjk::nearest_until(|n| self.support(n), start, self.size, enough)
    }

    /// From the middle of A to that of B.
    fn start(&self) -> DVec3 {
        self.at.point_from_b(self.b.core.middle()) + self.moved - self.a.core.middle()
    }

    /// Distance of the cores along a unit direction: negative by their overlap.
    fn along(&self, normal: DVec3) -> f64 {
        let support = self.support(normal);
        normal.dot(support.b - support.a)
    }

    /// The gap between the cores; `start` is a guess of the direction from A to B.
    fn gap(&self, start: DVec3) -> Gap {
        self.gap_of_point().unwrap_or_else(|| {
            let nearest = self.nearest(start);
            self.gap_of_sunk(&nearest).unwrap_or_else(|| self.gap_of(start, &nearest))
        })
    }

    /// The gap between the cores, unless they are certainly farther apart than `margin` once they
    /// are grown.
    fn gap_within(&self, margin: f64) -> Option<Gap> {
        let above = margin.max(0.0) + self.radius + self.error();
        if let Some(gap) = self.gap_of_point() {
            return (gap.at_least <= above).then_some(gap);
        }
        if !self.is_exact() {
            let told = self.gap_of_footing().or_else(|| self.gap_at_side());
            return match told {
                Some(gap) => (gap.at_least <= above).then_some(gap),
                None => self.gap_of_turned(above),
            };
        }
        let start = match told(self, above, true) {
            Some(Told::Apart) => return None,
            Some(Told::Gap(gap)) => return Some(gap),
            Some(Told::Towards(start)) => start,
            Some(Told::Open | Told::Overlap) | None => self.start(),
        };
        self.gap_seen(self.looked(SimdLevel::detected(), limit(margin)), start, margin)
    }

    /// As [`Cores::gap_within`] with what f32 has found and a guess of the direction from A to B.
    fn gap_seen(&self, found: Option<Glance>, start: DVec3, margin: f64) -> Option<Gap> {
        if let Some(gap) = self.gap_of_footing() {
            return Some(gap);
        }
        let above = margin.max(0.0) + self.radius + self.error();
        let near = match found {
            Some(Glance::Apart) => return None,
            Some(Glance::Told(gap)) => return (gap.at_least <= above).then_some(gap),
            Some(Glance::Exit(exit)) => {
                if let Some(gap) = self.through(&exit) {
                    return Some(gap);
                }
                None
            }
            Some(Glance::Near(near)) => Some(near),
            None => None,
        };
        let enough = Enough { above, ..Enough::NEVER };
        let nearest = near
            .and_then(|near| self.nearest_from(&near, &enough))
            .unwrap_or_else(|| self.nearest_until(start, &enough));
        (nearest.lower_bound <= above).then(|| self.gap_of(start, &nearest))
    }

    /// The relation as far as f32 knows it, where apart means by more than `margin`.
    fn glance(&self, margin: f64) -> Option<Relation> {
        glance::relation_at(self.a, self.b, self.at, margin)
    }

    /// The gap between cores whose nearest points are known, if they have any, and that no flat side
    /// tells.
    fn gap_of(&self, start: DVec3, nearest: &Nearest) -> Gap {
        self.or_exchanged(self.gap_in_order(start, nearest))
    }

    /// As [`Cores::gap`], but without asking B and A.
    fn gap_alone(&self) -> Gap {
        self.gap_of_point().unwrap_or_else(|| {
            let start = self.start();
            let nearest = self.nearest(start);
            self.gap_of_sunk(&nearest).unwrap_or_else(|| self.gap_in_order(start, &nearest))
        })
    }

    /// As [`Cores::gap_of`], but without asking B and A.
    fn gap_in_order(&self, start: DVec3, nearest: &Nearest) -> Gap {
        // Only what a plane was seen to part is certainly apart.
        if nearest.lower_bound > self.error() {
            let gap = self.upright(Self::apart(nearest), nearest.plane);
            return self.stepped(&gap).map_or(gap, |found| self.leaving(found));
        }
        if let Some(gap) = self.out_about_axis() {
            return self.leaving(gap);
        }
        let simplex = nearest.simplex.points();
        let known = enclosure::is_certain(simplex, self.error());
        let round = |face: &[Support; 3], normal| self.exit_of_round(face, normal);
        let round: Option<depth::Round<'_>> = if self.is_exact() { None } else { Some(&round) };
        match depth::way_out(&|n| self.support(n), simplex, self.size, known, round) {
            Search::Found(found) => {
                let (normal, distance) = (found.normal, -found.upper);
                let gap = Gap {
                    distance,
                    at_least: distance,
                    at_most: -found.lower,
                    proof: if found.encloses { Proof::Bounds } else { Proof::Open },
                    normal,
                    point_a: found.meeting.map_or(DVec3::ZERO, |meeting| meeting.a),
                };
                let proven = tolerance::ROUND_DEPTH_GAP * self.size;
                match found.meeting {
                    Some(_) if found.is_fitted && gap.at_most - distance <= proven => gap,
                    Some(meeting) if gap.at_most - distance <= tolerance::DEPTH_GAP * self.size => {
                        self.witnessed(gap, meeting.b)
                    }
                    _ => self.left_open(gap),
                }
            }
            Search::Flat(across) => {
                // Of a line many directions are across, of which that to the origin is the one.
                let between = Self::apart(nearest).normal;
                let between = if between == DVec3::ZERO { across } else { between };
                let ways = [across, -across, between].map(|normal| (normal, self.along(normal)));
                let (normal, distance) = ways
                    .into_iter()
                    .fold(ways[0], |best, way| if way.1 > best.1 { way } else { best });
                let (at_most, point_a) = (nearest.distance.max(distance), nearest.point_a);
                Gap { distance, at_least: distance, at_most, proof: Proof::Bounds, normal, point_a }
            }
            Search::Lost => {
                let between = nearest.point_b - nearest.point_a;
                let normal = [between, start].into_iter().find_map(DVec3::try_normalize);
                let normal = normal.unwrap_or(DVec3::X);
                let distance = self.along(normal);
                let at_most = nearest.distance;
                let point_a = nearest.point_a;
                let gap = Gap {
                    distance,
                    at_least: distance,
                    at_most,
                    proof: Proof::Open,
                    normal,
                    point_a,
                };
                self.left_open(gap)
            }
        }
    }

    /// The gap with what any other search knows, and with its witness.
    fn left_open(&self, gap: Gap) -> Gap {
        let gap = self.through_axes(gap);
        self.leaving(self.around_sides(self.stepped(&gap).unwrap_or(gap)))
    }

    /// The gap with its witness, and with a better way out where one is near: moved out along the
    /// normal and beyond, B is nearest to A where it overlapped most.
    ///
    /// Along the direction between the nearest points the cores, where they were, overlap by no
    /// more than along the normal, because after the move they are no closer along it.
    fn leaving(&self, gap: Gap) -> Gap {
        let (mut best, mut on_b) = (gap, None);
        // How far out B goes, over how far it is rounded there, is what remains of a wrong
        // direction: soon only a little. Along the right one points only slip aside afar.
        let is_known = self.is_exact() && gap.at_most <= gap.distance;
        let mut beyond = self.size * if is_known { tolerance::LEAVING_LEAST } else { 1.0 / 16.0 };
        for _ in 0..tolerance::LEAVING_ITERATIONS {
            let apart = self.moved(best.normal * (beyond - best.distance));
            beyond = (beyond / 2.0).max(tolerance::LEAVING_LEAST * self.size);
            let nearest = apart.nearest(best.normal);
            best.point_a = nearest.point_a;
            on_b = Some(nearest.point_b - apart.moved);
            let Some(normal) = (nearest.point_b - nearest.point_a).try_normalize() else { break };
            let distance = self.along(normal);
            if distance <= best.distance + tolerance::TIE * self.size {
                break;
            }
            best = Gap { distance, at_least: distance, normal, ..best };
        }
        on_b.map_or(best, |on_b| self.witnessed(best, on_b))
    }

    /// The gap of overlapping cores with its witnesses where one point of each core is known.
    ///
    /// Where a curved core leaves the way out a little wrong, these are not right across each other.
    /// The point across from that on the less curved core is then nearly on the other one, while
    /// that across from the other is not.
    fn witnessed(&self, gap: Gap, on_b: DVec3) -> Gap {
        let between = on_b - gap.point_a;
        let aside = between - gap.normal * gap.normal.dot(between);
        let least = tolerance::ASIDE * self.size;
        if self.is_exact() || aside.length_squared() <= least * least {
            return gap;
        }
        let across = gap.normal * gap.distance;
        let (from_a, from_b) = (gap.point_a + across, on_b - across);
        let off = |support: &dyn Fn(DVec3) -> Support| {
            gjk::nearest_until(support, gap.normal, self.size, &Enough::NEVER).distance
        };
        let off_b = off(&|n| Support { a: from_a, ..self.support(n) });
        let off_a = off(&|n| Support { b: from_b, ..self.support(n) });
        if off_a < off_b { Gap { point_a: from_b, ..gap } } else { gap }
    }

    /// The short gap of a curved core with the normal of the plane that parts the cores best, where
    /// that between its points, which are off by little beside the sizes, does not part them as far.
    fn upright(&self, gap: Gap, plane: DVec3) -> Gap {
        let is_short = gap.distance <= tolerance::SHORT_GAP * self.size;
        if !self.is_exact()
            && is_short
            && let Some(normal) = plane.try_normalize()
            && self.along(gap.normal) < gap.at_least - self.error()
        {
            return Gap { normal, ..gap };
        }
        gap
    }

    fn apart(nearest: &Nearest) -> Gap {
        let between = nearest.point_b - nearest.point_a;
        let mut normal = nearest.normal.unwrap_or(between / between.length());
        match nearest.simplex.points() {
            _ if nearest.normal.is_some() => {}
            // Between the ends of a long edge rounding tilts a short vector.
            [p, q] => {
                let along = (q.difference() - p.difference()).normalize_or_zero();
                let tilt = along.dot(normal);
                if tilt.abs() > tolerance::TILT {
                    normal = (normal - along * tilt).normalize_or(normal);
                }
            }
            // Three support points span a face, whose normal is more precise than a short vector.
            [p, q, r] => {
                let [p, q, r] = [p, q, r].map(Support::difference);
                if let Some(across) = (q - p).cross(r - p).try_normalize() {
                    normal = if across.dot(between) < 0.0 { -across } else { across };
                }
            }
            _ => {}
        }
        Gap {
            distance: nearest.distance,
            at_least: nearest.lower_bound,
            at_most: nearest.distance,
            proof: Proof::Bounds,
            normal: if normal.is_finite() { normal } else { DVec3::ZERO },
            point_a: nearest.point_a,
        }
    }

    /// The separation of the grown cores; witnesses lie on their surfaces.
    fn grown(&self, gap: &Gap) -> Separation {
        let distance = gap.distance - self.radius;
        let point_a = gap.point_a + gap.normal * self.a.radius();
        Separation {
            distance,
            normal: gap.normal,
            point_a,
            point_b: point_a + gap.normal * distance,
        }
    }

    /// The contact points of a gap, if it is within the margin, into an empty list; their normal.
    fn patch(&self, gap: &Gap, margin: f64, points: &mut Four) -> Option<DVec3> {
        let found = self.separation(gap);
        if found.distance > margin {
            return None;
        }
        patch::between(self, &found, margin, [None; 2], points);
        Some(found.normal)
    }
}

/// Relation of two convex solids.
///
/// - Error: none for polytopes, grown or not. With a cylinder or a cone, distances within 2^-44 of
///   the pair's size count as touching.
#[must_use]
pub fn relation<'a>(
    a: impl Into<Solid<'a>>,
    b: impl Into<Solid<'a>>,
    b_in_a: &Relative,
) -> Relation {
    relation_of(&a.into(), &b.into(), b_in_a)
}

/// As [`relation`].
pub(crate) fn relation_of(a: &Solid<'_>, b: &Solid<'_>, b_in_a: &Relative) -> Relation {
    let cores = Cores::new(a, b, b_in_a);
    if let Some(gap) = cores.gap_of_point() {
        return cores.relation(&gap);
    }
    if let Some(relation) = cuboid_triangle::relation(&cores) {
        return relation.unwrap_or_else(|| cores.settled(DVec3::ZERO, None));
    }
    if !cores.is_exact() {
        return cores.level_or_dips().unwrap_or_else(|| cores.relation_of_curved());
    }
    let enough = cores.enough();
    let start = match told(&cores, enough.above, false) {
        Some(Told::Apart) => return Relation::Apart,
        Some(Told::Overlap) => return Relation::Penetrating,
        Some(Told::Gap(gap)) => return cores.relation(&gap),
        Some(Told::Towards(start)) => start,
        Some(Told::Open) | None => cores.start(),
    };
    if let Some(relation) = cores.level_or_dips() {
        return relation;
    }
    let walked = || if cores.is_hardly_grown() { cores.walked() } else { None };
    if let Some(relation) = cores.glance(0.0).or_else(walked) {
        return relation;
    }
    let nearest = cores.nearest_until(start, &enough);
    if let Some(relation) = cores.seen(&nearest, &enough) {
        return relation;
    }
    if cores.radius > 0.0 {
        cores.settled(nearest.plane, None)
    } else {
        cores.relation(&cores.gap_of(start, &nearest))
    }
}

/// Closest points of two convex solids, or how deep they overlap.
///
/// - Error: 2^-40 of the distance plus 2^-40 of the size where a core is apart from the other or
///   both are polytopes. A depth with a cylinder or a cone is an upper bound, and too large by at
///   most 2^-20 of the size.
/// - Degenerate: cores without thickness that cross are as deep as their radii.
/// - Source: distance: GJK; depth: the face of the Minkowski difference nearest to the origin.
#[must_use]
pub fn closest<'a>(
    a: impl Into<Solid<'a>>,
    b: impl Into<Solid<'a>>,
    b_in_a: &Relative,
) -> Separation {
    let (a, b) = (a.into(), b.into());
    let cores = Cores::new(&a, &b, b_in_a);
    let gap = cores.gap_within(f64::INFINITY);
    cores.separation(&gap.unwrap_or_else(|| cores.gap(cores.start())))
}

/// As [`closest`]; `None` where a plane certainly parts the solids by more than `most`.
pub(crate) fn closest_within(
    a: &Solid<'_>,
    b: &Solid<'_>,
    b_in_a: &Relative,
    most: f64,
) -> Option<Separation> {
    let cores = Cores::new(a, b, b_in_a);
    Some(cores.separation(&cores.gap_within(most)?))
}

/// A margin that parts can be farther apart than.
fn limit(margin: f64) -> Option<f64> {
    margin.is_finite().then_some(margin.max(0.0))
}

/// [`closest`] without the exact sign, for frames that are f64 numbers themselves; `start` is a
/// guess of the direction from A to B, in A's frame.
#[must_use]
pub(crate) fn closest_in_f64(
    a: Solid<'_>,
    b: Solid<'_>,
    b_in_a: &Relative,
    start: DVec3,
) -> Separation {
    let cores = Cores::new(&a, &b, b_in_a);
    cores.grown(&cores.gap(start))
}

/// Contact points of two convex solids that are no farther apart than `margin`: those of the flat
/// faces or edges that look at each other, or the nearest points.
#[must_use]
pub fn manifold<'a>(
    a: impl Into<Solid<'a>>,
    b: impl Into<Solid<'a>>,
    b_in_a: &Relative,
    margin: f64,
) -> Option<Patch> {
    let mut patch = Patch { normal: DVec3::X, points: Four::new() };
    patch.normal = manifold_into(&a.into(), &b.into(), b_in_a, margin, &mut patch.points)?;
    Some(patch)
}

/// The contact points of two solids whose separation, no more than the margin, is known, into an
/// empty list.
pub(crate) fn points_between(
    (a, b): (&Solid<'_>, &Solid<'_>),
    b_in_a: &Relative,
    found: &Separation,
    margin: f64,
    points: &mut Four,
) {
    patch::between(&Cores::new(a, b, b_in_a), found, margin, [None; 2], points);
}

/// The sum of the coordinates of a pair, of which errors are a part.
pub(crate) fn size_of((a, b): (&Solid<'_>, &Solid<'_>), b_in_a: &Relative) -> f64 {
    Cores::new(a, b, b_in_a).size
}

/// As [`manifold`], with the points into an empty list; their normal.
pub(crate) fn manifold_into(
    a: &Solid<'_>,
    b: &Solid<'_>,
    b_in_a: &Relative,
    margin: f64,
    points: &mut Four,
) -> Option<DVec3> {
    let cores = Cores::new(a, b, b_in_a);
    cores.patch(&cores.gap_within(margin)?, margin, points)
}
