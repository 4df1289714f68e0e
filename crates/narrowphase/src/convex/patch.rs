//! Contact points of two convex solids along their normal: a face clipped by another, two parallel
//! edges, or the nearest points.

use impinge_shapes::glam::DVec3;
use smallvec::{SmallVec, smallvec};

use super::Cores;
use super::feature::{Feature, plane_axes};
use crate::{FeatureId, Patch, PatchPoint, Separation, segment, tolerance};

/// A corner of a clipped feature and what made it.
#[derive(Clone, Copy, Debug)]
struct Corner {
    point: DVec3,
    /// Place of the corner or edge of the feature that is clipped.
    own: u32,
    /// Place of the side that cut it; `u32::MAX` for a corner of its own.
    side: u32,
}

/// The feature that clips.
struct Reference<'a> {
    face: &'a Feature,
    normal: DVec3,
    is_b: bool,
}

/// The patch of two solids whose separation, at most `margin`, is known.
pub(super) fn between(cores: &Cores<'_>, found: &Separation, margin: f64) -> Patch {
    let normal = found.normal;
    let towards_a = cores.at.vector_to_b(-normal);
    let on_a = Feature::facing(&cores.a, normal);
    let on_b = Feature::facing(&cores.b, towards_a).of_b(cores.at);
    let over = over_features(cores, found, margin, [&on_a, &on_b]);
    if let Some(patch) = over.filter(|patch| !patch.points.is_empty()) {
        return patch;
    }
    let (tip_a, tip_b) = (Feature::tip(&cores.a, normal), Feature::tip(&cores.b, towards_a));
    let names = [tip_a.name, tip_b.name, 0, 3];
    let edge_a = edge_of(on_a, tip_a);
    let edge_b = edge_of(on_b, tip_b.of_b(cores.at));
    edge_a
        .zip(edge_b)
        .and_then(|(a, b)| edges(cores, found, margin, [&a, &b]))
        .filter(|points| !points.is_empty())
        .map_or_else(
            || Patch::single(found, FeatureId::of(names)),
            |points| Patch { normal, points },
        )
}

/// The patch of a face of one solid that the other looks at along the normal, with what of it lies
/// over the face within `margin`; `None` where there is no such face or nothing over it.
pub(super) fn over_faces(cores: &Cores<'_>, found: &Separation, margin: f64) -> Option<Patch> {
    let towards_a = cores.at.vector_to_b(-found.normal);
    let on_a = Feature::facing(&cores.a, found.normal);
    let on_b = Feature::facing(&cores.b, towards_a).of_b(cores.at);
    over_features(cores, found, margin, [&on_a, &on_b])
}

/// As [`over_faces`], with what the solids show along the normal, in A's frame.
fn over_features(
    cores: &Cores<'_>,
    found: &Separation,
    margin: f64,
    [on_a, on_b]: [&Feature; 2],
) -> Option<Patch> {
    let normal = found.normal;
    let on = |feature: &Feature, along: DVec3| {
        let face = feature.normal.filter(|face| face.dot(along) > 0.0)?;
        let tilt = face.cross(along).length_squared();
        (tilt <= tolerance::FLAT_ON).then_some((face, tilt))
    };
    // The face that the normal belongs to; A's where it is that of both.
    let reference = match (on(on_a, normal), on(on_b, -normal)) {
        (None, None) => None,
        (Some((face, tilt)), other)
            if other.is_none_or(|(_, other)| tilt <= other + tolerance::SAME_TILT) =>
        {
            Some((Reference { face: on_a, normal: face, is_b: false }, on_b))
        }
        (_, Some((face, _))) => Some((Reference { face: on_b, normal: face, is_b: true }, on_a)),
        (Some(_), None) => None,
    };
    let (reference, incident) = reference?;
    let points = clip(cores, &reference, incident, found, margin);
    (!points.is_empty()).then_some(Patch { normal, points })
}

/// The incident feature, cut down to what lies over the reference face.
fn clip(
    cores: &Cores<'_>,
    reference: &Reference<'_>,
    incident: &Feature,
    found: &Separation,
    margin: f64,
) -> SmallVec<[PatchPoint; 4]> {
    let slack = tolerance::SAME_POINT * cores.size;
    let mut corners: SmallVec<[Corner; 16]> = (0..)
        .zip(&incident.corners)
        .map(|(own, &point)| Corner { point, own, side: u32::MAX })
        .collect();
    let mut left: SmallVec<[Corner; 16]> = SmallVec::new();
    let sides = &reference.face.corners;
    let middle = sides.iter().fold(DVec3::ZERO, |sum, &p| sum + p) / count(sides.len());
    for (k, &from) in sides.iter().enumerate() {
        let to = sides[(k + 1) % sides.len()];
        let Some(outward) = (to - from).cross(found.normal).try_normalize() else { continue };
        let outward = if outward.dot(middle - from) > 0.0 { -outward } else { outward };
        let side = u32::try_from(k).unwrap_or(u32::MAX);
        cut(&corners, |p| outward.dot(p - from) - slack, side, &mut left);
        std::mem::swap(&mut corners, &mut left);
        if corners.is_empty() {
            return SmallVec::new();
        }
    }
    let normal = found.normal;
    let steep = reference.normal.dot(normal);
    let mut points: SmallVec<[PatchPoint; 16]> = SmallVec::new();
    for corner in &corners {
        let height = (corner.point - sides[0]).dot(reference.normal) / steep;
        let core_distance = if reference.is_b { -height } else { height };
        // The separation is the least distance there is; only rounding can go below it.
        let distance = (core_distance - cores.radius).max(found.distance);
        if distance > margin {
            continue;
        }
        let on_a =
            if reference.is_b { corner.point } else { corner.point - normal * core_distance };
        let point_a = on_a + normal * cores.a.radius();
        let names = [reference.face.name, incident.name, corner.own, corner.side];
        points.push(PatchPoint {
            point_a,
            point_b: point_a + normal * distance,
            distance,
            feature: FeatureId::of(names.map(|name| name ^ u32::from(reference.is_b))),
        });
    }
    reduced(points, normal, cores.size)
}

/// The part of a polygon, an edge or a point where `height` is not positive, into `left`.
#[inline]
fn cut(
    corners: &[Corner],
    height: impl Fn(DVec3) -> f64,
    side: u32,
    left: &mut SmallVec<[Corner; 16]>,
) {
    left.clear();
    let Some(&first) = corners.first() else { return };
    let (mut from, mut start) = (first, height(first.point));
    let first_height = start;
    // An edge is a polygon that goes there and back; one way is enough.
    let ways = if corners.len() > 2 { corners.len() } else { corners.len() - 1 };
    for k in 1..=ways {
        let (to, end) = match corners.get(k) {
            Some(&to) => (to, height(to.point)),
            None => (first, first_height),
        };
        if start <= 0.0 {
            left.push(from);
        }
        if (start <= 0.0) != (end <= 0.0) {
            let share = start / (start - end);
            let point = from.point + (to.point - from.point) * share;
            left.push(Corner { point, own: from.own, side });
        }
        (from, start) = (to, end);
    }
    if corners.len() < 3 && start <= 0.0 {
        left.push(from);
    }
}

/// Two points where edges that look at each other run side by side.
fn edges(
    cores: &Cores<'_>,
    found: &Separation,
    margin: f64,
    [on_a, on_b]: [&Feature; 2],
) -> Option<SmallVec<[PatchPoint; 4]>> {
    let normal = found.normal;
    let (start_a, start_b) = (on_a.corners[0], on_b.corners[0]);
    let (along_a, along_b) = (on_a.corners[1] - start_a, on_b.corners[1] - start_b);
    let parallel = along_a.cross(along_b).length_squared()
        <= tolerance::RUNS_ALONG.powi(2) * along_a.length_squared() * along_b.length_squared();
    let (low, high) = segment::common_interval(start_b - start_a, along_a, along_b);
    if !parallel || low >= high {
        return None;
    }
    let mut points: SmallVec<[PatchPoint; 4]> = SmallVec::new();
    for (place, s) in [(0, low), (1, high)] {
        let core_a = start_a + along_a * s;
        let (_, between) = segment::nearest_to_origin(start_b - core_a, along_b);
        let distance = (between.dot(normal) - cores.radius).max(found.distance);
        if distance <= margin {
            let point_a = core_a + normal * cores.a.radius();
            points.push(PatchPoint {
                point_a,
                point_b: point_a + normal * distance,
                distance,
                feature: FeatureId::of([on_a.name, on_b.name, place, 2]),
            });
        }
    }
    Some(points)
}

/// The edge that a core shows: what it faces with if that is one, or its outermost one.
fn edge_of(facing: Feature, tip: Feature) -> Option<Feature> {
    let edge = if facing.corners.len() == 2 { facing } else { tip };
    (edge.corners.len() == 2).then_some(edge)
}

/// At most four points that span all others, sorted by feature.
///
/// - Ties: the deepest, then the one farthest from it, then the largest area on either side of
///   these two; the first among equals.
pub(crate) fn reduced(
    mut points: SmallVec<[PatchPoint; 16]>,
    normal: DVec3,
    size: f64,
) -> SmallVec<[PatchPoint; 4]> {
    let [u, v] = plane_axes(normal);
    points.sort_by_key(|point| point.feature);
    let same = tolerance::SAME_POINT * size;
    let mut kept: SmallVec<[PatchPoint; 16]> = SmallVec::new();
    for point in points {
        if kept.iter().all(|other| (other.point_a - point.point_a).length() > same) {
            kept.push(point);
        }
    }
    if kept.len() <= 4 {
        return kept.into_iter().collect();
    }
    let tie = tolerance::TIE * size;
    let pick = |value: &dyn Fn(&PatchPoint) -> f64, tie: f64| {
        let mut best = (0, f64::NEG_INFINITY);
        for (k, point) in kept.iter().enumerate() {
            let here = value(point);
            if here > best.1 + tie {
                best = (k, here);
            }
        }
        best.0
    };
    let deepest = pick(&|point| -point.distance, tie);
    let from = kept[deepest].point_a;
    let farthest = pick(&|point| (point.point_a - from).length(), tie);
    let way = kept[farthest].point_a - from;
    let side = |point: &PatchPoint| {
        let off = point.point_a - from;
        way.dot(u) * off.dot(v) - way.dot(v) * off.dot(u)
    };
    let area_tie = tie * way.length();
    let chosen = [deepest, farthest, pick(&side, area_tie), pick(&|p| -side(p), area_tie)];
    let mut places: SmallVec<[usize; 4]> = smallvec![];
    for k in chosen {
        if !places.contains(&k) {
            places.push(k);
        }
    }
    places.sort_unstable();
    places.into_iter().map(|k| kept[k]).collect()
}

fn count(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}
