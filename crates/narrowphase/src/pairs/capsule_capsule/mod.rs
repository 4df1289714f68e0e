//! Two capsules.

mod both;
mod witness;

use std::cmp::Ordering;

use impinge_shapes::Capsule;
use impinge_shapes::glam::{DVec3, Vec3};
use smallvec::SmallVec;

pub(crate) use witness::CapsuleCapsule;

use crate::convex::patch;
use crate::exact_pair::{ExactPair, noise, relation_of, settle};
use crate::quadratic::{Entry, ball_entry, earlier, side_entry};
use crate::segment::{self, Nearest, feature};
use crate::zonotope::{Zonotope, certain_distance};
use crate::{FeatureId, Impact, Patch, PatchPoint, Relation, Relative, Separation, tolerance};

/// The pair in f64, in A's frame.
#[derive(Clone, Copy)]
struct Cores {
    start: DVec3,
    along_a: DVec3,
    along_b: DVec3,
    /// From A's start to B's.
    offset: DVec3,
    radius_a: f64,
    reach: f64,
    noise: f64,
}

impl Cores {
    fn new(a: &Capsule, b: &Capsule, b_in_a: &Relative) -> Self {
        let (start, end) = (a.a().as_dvec3(), a.b().as_dvec3());
        let (start_b, end_b) = (b.a().as_dvec3(), b.b().as_dvec3());
        let radius_a = f64::from(a.radius());
        let reach = radius_a + f64::from(b.radius());
        Self {
            start,
            along_a: end - start,
            along_b: *b_in_a.rotation() * (end_b - start_b),
            offset: b_in_a.point_from_b(start_b) - start,
            radius_a,
            reach,
            noise: noise([start, end, start_b, end_b, b_in_a.translation()], reach),
        }
    }

    fn nearest(&self) -> Nearest {
        segment::nearest(self.offset, self.along_a, self.along_b)
    }

    fn compare(&self, nearest: &Nearest) -> Option<Ordering> {
        let generators = [-self.along_a, self.along_b];
        let Nearest { between, direction, .. } = *nearest;
        certain_distance(self.offset, &generators, between, direction, self.reach, self.noise)
    }

    /// As [`Self::compare`], for all of B's motion.
    fn compare_path(&self, nearest: &Nearest, motion: DVec3) -> Option<Ordering> {
        let generators = [-self.along_a, self.along_b, motion];
        let Nearest { between, direction, .. } = *nearest;
        certain_distance(self.offset, &generators, between, direction, self.reach, self.noise)
    }

    fn separate(&self, nearest: &Nearest, hint: DVec3) -> Separation {
        let normal = segment::normal(nearest, self.along_a, self.along_b, self.noise, hint);
        let distance = nearest.between.dot(normal).abs() - self.reach;
        let point_a = self.start + self.along_a * nearest.s + normal * self.radius_a;
        Separation { distance, normal, point_a, point_b: point_a + normal * distance }
    }

    /// Between places of both cores beside each other: from A's to its side, and how far it is along
    /// the normal from there to B's side; `None` where no line along the normal meets both.
    ///
    /// Cores that are not parallel part sidewards: the line is where it parts both circles alike.
    fn between_sides(&self, between: DVec3, normal: DVec3) -> Option<(DVec3, f64)> {
        let along = between.dot(normal);
        let aside = between - normal * along;
        let (square, most) = (aside.length_squared(), self.reach + self.noise);
        if square > most * most {
            return None;
        }
        let height = (self.reach * self.reach - square).max(0.0).sqrt();
        let share = if self.reach > 0.0 { self.radius_a / self.reach } else { 0.0 };
        let beside = (aside + normal * height) * share;
        Some((beside, along - height))
    }
}

/// How two capsules lie to each other. Exact.
///
/// - Degenerate: cores that meet touch when both radii are 0.
#[must_use]
pub fn relation(a: &Capsule, b: &Capsule, b_in_a: &Relative) -> Relation {
    let cores = Cores::new(a, b, b_in_a);
    let sign = cores.compare(&cores.nearest());
    relation_of(sign.unwrap_or_else(|| exact_compare(a, b, b_in_a)))
}

/// B's core as seen from A's, in exact arithmetic.
fn exact_cores(pair: &ExactPair, a: &Capsule, b: &Capsule) -> Zonotope<2> {
    let start = pair.point_of_b(b.a()).minus(&pair.of_a(a.a()));
    Zonotope::new(start, [pair.segment_of_a(a.b(), a.a()), pair.segment_of_b(b.a(), b.b())])
}

#[cold]
pub(crate) fn exact_compare(a: &Capsule, b: &Capsule, b_in_a: &Relative) -> Ordering {
    let pair = ExactPair::new(b_in_a);
    exact_cores(&pair, a, b).compare(&pair.reach(a.radius(), b.radius()))
}

/// Signed distance of two capsules.
///
/// - Ties: parallel cores take the pair of points nearest to A's first end. Cores that meet take
///   the direction of the cross product of A's core with B's, or, where both run along one line,
///   the axis most across it, the first of +x, +y, +z.
/// - Error: the distance within 2^-44 of the sum of the coordinates, for cores parallel within
///   2^-40 within 2^-40 of their lengths; its sign is exact.
#[must_use]
pub fn closest(a: &Capsule, b: &Capsule, b_in_a: &Relative) -> Separation {
    let cores = Cores::new(a, b, b_in_a);
    separation(a, b, b_in_a, &cores, &cores.nearest())
}

fn separation(
    a: &Capsule,
    b: &Capsule,
    b_in_a: &Relative,
    cores: &Cores,
    nearest: &Nearest,
) -> Separation {
    let mut found = cores.separate(nearest, DVec3::ZERO);
    found.distance = settle(found.distance, cores.noise, || {
        let sign = cores.compare(nearest);
        relation_of(sign.unwrap_or_else(|| exact_compare(a, b, b_in_a)))
    });
    found.point_b = found.point_a + found.normal * found.distance;
    found
}

/// Contact points of two capsules: two where they lie side by side, three where they also cross
/// in between, otherwise one.
///
/// - Side by side means: the cores are parallel within about a degree and both ends of the part
///   that they have in common are within the margin.
/// - Feature: three times A's feature plus B's, each 0 for the first end, 1 for the second, 2 for
///   the core between them.
/// - Error: the deepest point is that of [`closest`]; where the cores are not quite parallel, the
///   others are within 2^-11 of the radii of both surfaces.
#[must_use]
pub fn manifold(a: &Capsule, b: &Capsule, b_in_a: &Relative, margin: f64) -> Option<Patch> {
    let cores = Cores::new(a, b, b_in_a);
    let nearest = cores.nearest();
    let found = separation(a, b, b_in_a, &cores, &nearest);
    if found.distance > margin {
        return None;
    }
    let feature = FeatureId(3 * feature(nearest.s) + feature(nearest.t));
    if let Some(points) = side_by_side(&cores, &found, feature, margin) {
        return Some(Patch { normal: found.normal, points });
    }
    Some(Patch::single(&found, feature))
}

/// The points at the ends of the common part of nearly parallel capsules, and the nearest ones, of
/// that feature, where these are nearer; sorted by feature.
fn side_by_side(
    cores: &Cores,
    found: &Separation,
    nearest: FeatureId,
    margin: f64,
) -> Option<SmallVec<[PatchPoint; 4]>> {
    let Cores { along_a, along_b, offset, .. } = *cores;
    let sine = tolerance::SIDE_BY_SIDE_SINE;
    let sizes = along_a.length_squared() * along_b.length_squared();
    if along_a.cross(along_b).length_squared() > sine * sine * sizes {
        return None;
    }
    let (low, high) = segment::common_interval(offset, along_a, along_b);
    if low >= high {
        return None;
    }
    let is_along = along_a.dot(along_b) > 0.0;
    let mut points = SmallVec::<[PatchPoint; 4]>::new();
    for (s, is_low) in [(low, true), (high, false)] {
        let (_, between) = segment::nearest_to_origin(offset - along_a * s, along_b);
        // A point as deep as the deepest, but for rounding, takes its settled distance.
        let same = (between.length() - cores.reach - found.distance).abs() <= cores.noise;
        let (beside, distance) = if same {
            (found.normal * cores.radius_a, found.distance)
        } else {
            cores.between_sides(between, found.normal)?
        };
        if distance > margin && !same {
            return None;
        }
        let point_a = cores.start + along_a * s + beside;
        // The interval ends at an end of A or where B ends beside A.
        let own = feature(s);
        let other = if own == 2 { u32::from(is_low != is_along) } else { 2 };
        points.push(PatchPoint {
            point_a,
            point_b: point_a + found.normal * distance,
            distance,
            feature: FeatureId(3 * own + other),
        });
    }
    if points.iter().all(|point| point.distance > found.distance + cores.noise) {
        patch::add_nearest(&mut points, found, nearest);
    }
    points.sort_by_key(|point| point.feature);
    Some(points)
}

/// First touch of two capsules of which B moves by `motion`. Exact yes/no, grazing counts.
///
/// - Error: never late; where the path grazes, early as accuracy.md says. At the fraction the two
///   touch within 2^-40 of the coordinates.
/// - Degenerate: a motion that is not finite moves nothing.
/// - Source: a point's path against the parallelogram between the cores, rounded by both radii:
///   two faces, four edge cylinders, four balls.
#[must_use]
pub fn sweep(a: &Capsule, b: &Capsule, b_in_a: &Relative, motion: Vec3) -> Option<Impact> {
    if !motion.is_finite() {
        return None;
    }
    let mut cores = Cores::new(a, b, b_in_a);
    let along = b_in_a.vector_from_world(motion.as_dvec3());
    cores.noise += noise([along], 0.0);
    let start = cores.nearest();
    let sign = cores.compare(&start).unwrap_or_else(|| exact_compare(a, b, b_in_a));
    let fraction = match relation_of(sign) {
        Relation::Penetrating => 0.0,
        Relation::Touching => leads_in(a, b, b_in_a, motion).then_some(0.0)?,
        Relation::Apart => {
            // The plane across the nearest points parts the two; mostly it does so all the way.
            if cores.compare_path(&start, along) == Some(Ordering::Greater) {
                return None;
            }
            let entry = entry(&cores, along);
            let (sign, nearest) = path(&cores, along, entry);
            let sign = sign.unwrap_or_else(|| exact_sweep(a, b, b_in_a, motion));
            if sign == Ordering::Greater {
                return None;
            }
            // What starts nearer than rounding shows may lie on either side of where it enters.
            if start.between.length() <= cores.reach + cores.noise * tolerance::GRAZE {
                0.0
            } else {
                entry.map_or(nearest, |entry| entry.first.min(1.0))
            }
        }
    };
    cores.offset += along * fraction;
    let found = cores.separate(&cores.nearest(), -along);
    Some(Impact { fraction, normal: found.normal, point: found.point_a })
}

/// Whether a capsule that touches moves into the other. Exact.
fn leads_in(a: &Capsule, b: &Capsule, b_in_a: &Relative, motion: Vec3) -> bool {
    let pair = ExactPair::new(b_in_a);
    let nearest = exact_cores(&pair, a, b).nearest_at(&pair.reach(a.radius(), b.radius()));
    nearest.is_some_and(|between| between.dot(&motion.into()).sign() == Ordering::Less)
}

#[cold]
pub(crate) fn exact_sweep(a: &Capsule, b: &Capsule, b_in_a: &Relative, motion: Vec3) -> Ordering {
    let pair = ExactPair::new(b_in_a);
    let start = pair.point_of_b(b.a()).minus(&pair.of_a(a.a()));
    let generators =
        [pair.segment_of_a(a.b(), a.a()), pair.segment_of_b(b.a(), b.b()), pair.world(motion)];
    Zonotope::new(start, generators).compare(&pair.reach(a.radius(), b.radius()))
}

/// First entry of the path into the rounded parallelogram.
fn entry(cores: &Cores, motion: DVec3) -> Option<Entry> {
    let Cores { along_a, along_b, offset, reach, .. } = *cores;
    let slack = cores.noise * tolerance::GRAZE;
    let corner = |s: f64, t: f64| offset - along_a * s + along_b * t;
    let ball = |s: f64, t: f64| ball_entry(corner(s, t), motion, reach, slack);
    let side = |s: f64, t: f64, axis: DVec3| side_entry(corner(s, t), motion, axis, reach, slack);
    let balls =
        earlier(earlier(ball(0.0, 0.0), ball(1.0, 0.0)), earlier(ball(0.0, 1.0), ball(1.0, 1.0)));
    let sides_a = earlier(side(0.0, 0.0, along_a), side(0.0, 1.0, along_a));
    let sides_b = earlier(side(0.0, 0.0, -along_b), side(1.0, 0.0, -along_b));
    earlier(earlier(face_entry(cores, motion), earlier(sides_a, sides_b)), balls)
}

/// Entry through one of the two faces of the rounded parallelogram.
fn face_entry(cores: &Cores, motion: DVec3) -> Option<Entry> {
    let Cores { along_a, along_b, offset, reach, noise, .. } = *cores;
    let cross = along_a.cross(along_b);
    let square = cross.length_squared();
    let least = tolerance::PARALLEL_SINE * tolerance::PARALLEL_SINE;
    if square <= least * along_a.length_squared() * along_b.length_squared() {
        return None;
    }
    let unit = cross / square.sqrt();
    let (height, speed) = (offset.dot(unit), motion.dot(unit));
    let (height, speed) = if height < 0.0 { (-height, -speed) } else { (height, speed) };
    // A start that is apart by less than rounding shows is on the face.
    if speed >= 0.0 || height < reach - noise {
        return None;
    }
    let first = ((reach - height) / speed).max(0.0);
    let there = offset + motion * first;
    let s = there.cross(along_b).dot(cross) / square;
    let t = there.cross(along_a).dot(cross) / square;
    let inside = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
    inside.then(|| Entry { first, middle: -height / speed })
}

/// Compares the least distance along the path with the reach, where f64 can tell, and the
/// fraction at it.
///
/// The least distance is taken where the path is nearest to one of the parallelogram's corners,
/// edges or its plane, or at its ends; the distance there is measured afresh and certified.
fn path(cores: &Cores, motion: DVec3, entry: Option<Entry>) -> (Option<Ordering>, f64) {
    let Cores { along_a, along_b, offset, .. } = *cores;
    let at = |t: f64| segment::nearest(offset + motion * t, along_a, along_b);
    let certain = |nearest: &Nearest| cores.compare_path(nearest, motion);
    if let Some(entry) = entry {
        let middle = entry.middle.min(1.0);
        let sign = certain(&at(middle));
        if sign == Some(Ordering::Less) {
            return (sign, middle);
        }
    }
    let mut best = (0.0, at(0.0));
    let corners = [offset, offset - along_a, offset + along_b, offset - along_a + along_b];
    let lowest = |from: DVec3, across: DVec3| {
        let square = across.length_squared();
        let out = |v: DVec3| {
            if square > 0.0 { v - across * (v.dot(across) / square) } else { v }
        };
        segment::nearest_to_origin(out(from), out(motion)).0
    };
    let cross = along_a.cross(along_b);
    let plane = (-offset.dot(cross) / motion.dot(cross)).clamp(0.0, 1.0);
    let [a, b, c, d] = corners.map(|corner| lowest(corner, DVec3::ZERO));
    let (e, f) = (lowest(corners[0], along_a), lowest(corners[2], along_a));
    let (g, h) = (lowest(corners[0], along_b), lowest(corners[1], along_b));
    for t in [1.0, a, b, c, d, e, f, g, h, if plane.is_nan() { 0.0 } else { plane }] {
        let found = at(t);
        if found.between.length_squared() < best.1.between.length_squared() {
            best = (t, found);
        }
    }
    (certain(&best.1), best.0)
}
