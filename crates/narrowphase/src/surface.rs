//! Contacts with the triangles of a surface, freed from the edges within it.
//!
//! A triangle of a mesh has three edges, but the surface has none where it goes on level or rises:
//! a body that slides over it must not be held up there. What touches a triangle at such an edge
//! only touches the surface, along the triangle's normal.

use std::ops::ControlFlow;

use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Aabb, round};

use crate::dispatch::Simple;
use crate::parts::Leaf;
use crate::real::Real3;
use crate::triangle::Nearest;
use crate::{FeatureId, Patch, PatchPoint, Relative, Separation, ShapeSweepHit, convex, tolerance};

mod in_turn;
mod stand;

pub(crate) use in_turn::{Deepest, InTurn, Parts};
pub(crate) use stand::Stand;

/// Whether of two simple shapes, one of them at least a triangle of a surface, `one` is the A of
/// their contacts whichever the caller's is: the triangle before any other shape, and of two
/// triangles the one with the smaller numbers.
pub(crate) fn comes_first(one: &Leaf<'_>, other: &Leaf<'_>) -> bool {
    match (one.surface.is_some(), other.surface.is_some()) {
        (true, true) => {
            let numbers = |leaf: &Leaf<'_>| {
                let corners = match leaf.simple {
                    Simple::Triangle(triangle) => triangle.vertices(),
                    _ => [Vec3::ZERO; 3],
                };
                let (at, turn) = (leaf.pose.position(), leaf.pose.rotation().to_array());
                (at.to_array(), turn, corners.map(|corner| corner.to_array()))
            };
            numbers(one) < numbers(other)
        }
        (is_surface, _) => is_surface,
    }
}

/// The patch of two simple shapes in A's frame, its normal that of the triangle where it touches
/// at an edge within a surface; `None` where then nothing of it lies over the triangle, but over
/// the next one.
pub(crate) fn smoothed(
    patch: Patch,
    (a, b): (&Leaf<'_>, &Leaf<'_>),
    at: &Relative,
    margin: f64,
) -> Option<Patch> {
    let mut patch = patch;
    for is_b in [false, true] {
        // The normal comes from the deepest point; others only lie along it.
        let deepest = patch.points.iter().min_by(|p, q| p.distance.total_cmp(&q.distance));
        let Some(PatchPoint { point_a, point_b, .. }) = deepest else { continue };
        if let Some(normal) = freed((a, b), is_b, at, patch.normal, [*point_a, *point_b])
            && let (Some(one), Some(other)) = (a.simple.solid(), b.simple.solid())
        {
            patch = convex::patch_along(one, other, at, normal, margin)?;
        }
    }
    Some(patch)
}

/// The patch of a triangle of a surface and a solid along the normal of the triangle, where they touch
/// at an edge within the surface, told by the nearest points alone; `None` outside for any others.
pub(crate) fn soon_smoothed(
    found: &Separation,
    (a, b): (&Leaf<'_>, &Leaf<'_>),
    at: &Relative,
    margin: f64,
) -> Option<Option<Patch>> {
    let is_b = b.surface.is_some();
    if is_b == a.surface.is_some() {
        return None;
    }
    let normal = freed((a, b), is_b, at, found.normal, [found.point_a, found.point_b])?;
    let (one, other) = (a.simple.solid()?, b.simple.solid()?);
    Some(convex::patch_along(one, other, at, normal, margin))
}

/// The normal of A, or of B, that takes the place of the normal at two points, one on each, if that is
/// a triangle which they touch at an edge within its surface.
fn freed(
    (a, b): (&Leaf<'_>, &Leaf<'_>),
    is_b: bool,
    at: &Relative,
    normal: DVec3,
    [point_a, point_b]: [DVec3; 2],
) -> Option<DVec3> {
    let (leaf, other) = if is_b { (b, a) } else { (a, b) };
    let triangle = Corners::of(leaf)?;
    let outward = if is_b { at.vector_to_b(-normal) } else { normal };
    let face = triangle.face_normal(side_of(other, at, is_b, &triangle, outward))?;
    if face.cross(outward).length_squared() <= tolerance::FLAT_ON {
        return None;
    }
    let place = if is_b { at.vector_to_b(point_b - at.translation()) } else { point_a };
    triangle.goes_on(place, outward).then(|| if is_b { *at.rotation() * -face } else { face })
}

/// Whether a unit normal, from A to B in A's frame, is that of each triangle of a surface among the
/// two, so that [`smoothed`] leaves their patch as it is.
pub(crate) fn is_flat((a, b): (&Leaf<'_>, &Leaf<'_>), at: &Relative, normal: DVec3) -> bool {
    [(a, normal), (b, at.vector_to_b(-normal))].into_iter().all(|(leaf, outward)| {
        let face = Corners::of(leaf).and_then(|triangle| triangle.face_normal(outward));
        face.is_none_or(|face| face.cross(outward).length_squared() <= tolerance::FLAT_ON)
    })
}

/// What is known of a sphere beside a triangle of a surface before its patch is made.
#[derive(Debug)]
pub(crate) enum Ball {
    /// The nearest points, over the inside of the triangle, or that there is no patch.
    Known(Option<Separation>),
    /// The patch is that of the triangle alone.
    Alone,
    /// Nothing: another pair, or one where rounding hides it.
    Unknown,
}

/// The patch of a triangle of a surface (A) and a sphere (B), freed from the edges within the
/// surface, as far as it takes no search for features. A patch that is no deeper than `deepest` may
/// be left out.
pub(crate) fn ball(
    a: &Leaf<'_>,
    b: &Leaf<'_>,
    at: &Relative,
    margin: f64,
    deepest: Option<f32>,
) -> Ball {
    let (Some(triangle), Simple::Sphere(sphere)) = (Corners::of(a), b.simple) else {
        return Ball::Unknown;
    };
    let (center, radius) = (at.translation(), f64::from(sphere.radius()));
    let [p, q, r] = triangle.corners.map(|p| Real3::new(p.x, p.y, p.z));
    let size = p.sum_abs().max(q.sum_abs()).max(r.sum_abs()) + center.abs().element_sum() + radius;
    let near = Nearest::new([p, q, r], Real3::new(center.x, center.y, center.z));
    let noise = size * tolerance::FRAME;
    let distance = near.length - radius;
    let told = near.length > noise
        && near.open <= size * tolerance::BRACKET
        && (distance - margin).abs() > noise;
    if !told {
        return Ball::Unknown;
    }
    if distance > margin {
        return Ball::Known(None);
    }
    let normal = DVec3::new(near.outward.x, near.outward.y, near.outward.z);
    let point_a = center - normal * near.length;
    if near.feature <= 0.0 {
        let separation =
            Separation { distance, normal, point_a, point_b: point_a + normal * distance };
        return Ball::Known(Some(separation));
    }
    let [p, q, r] = triangle.corners;
    let Some(face) = (q - p).cross(r - p).try_normalize() else { return Ball::Unknown };
    if face.cross(normal).length_squared() <= tolerance::FLAT_ON {
        return Ball::Unknown;
    }
    // Along the face's normal nothing of the sphere lies over a triangle that it is clearly beside.
    let clear = size * tolerance::UNPROVEN;
    let beside = |from: DVec3, to: DVec3| {
        let way = (to - from).cross(face);
        way.dot(center - from) > clear * way.length()
    };
    let is_beside = beside(p, q) || beside(q, r) || beside(r, p);
    // Then there is the patch of the triangle alone or none, which takes a look around.
    if is_beside && deepest.is_some_and(|deepest| round::nearest(distance) > deepest) {
        return Ball::Known(None);
    }
    match (triangle.goes_on(point_a, normal), is_beside) {
        (false, _) => Ball::Alone,
        (true, true) => Ball::Known(None),
        (true, false) => Ball::Unknown,
    }
}

/// The contact point of a sphere over the inside of a triangle, named as `convex` names a point over
/// a face of A.
pub(crate) fn over_face(found: &Separation) -> PatchPoint {
    const NAME: FeatureId = FeatureId::of([0, 1, 0, 1]);
    PatchPoint::nearest(found, NAME)
}

/// The direction that tells on which side of a triangle the other shape lies: from the triangle to
/// the middle of the other's extent across it, or, for one in the middle, the contact's.
fn side_of(
    other: &Leaf<'_>,
    at: &Relative,
    triangle_is_b: bool,
    triangle: &Corners<'_>,
    outward: DVec3,
) -> DVec3 {
    let (Some(face), Some(solid)) = (triangle.face_normal(outward), other.simple.solid()) else {
        return outward;
    };
    // Everything along the face's normal, in the frame of the other.
    let (across, level) = if triangle_is_b {
        let across = *at.rotation() * face;
        (across, across.dot(at.point_from_b(triangle.corners[0])))
    } else {
        (at.vector_to_b(face), face.dot(triangle.corners[0] - at.translation()))
    };
    let [top, low] = [across, -across].map(|way| across.dot(solid.core.support(way)));
    let height = 0.5 * (top + low) - level;
    if height < 0.0 { -face } else { face }
}

/// The world's normal of a hit at a world point, freed from the edges within a surface; `way` is
/// the motion of what hit it.
pub(crate) fn smoothed_normal(normal: DVec3, point: DVec3, leaf: &Leaf<'_>, way: DVec3) -> DVec3 {
    let Some(triangle) = Corners::of(leaf) else { return normal };
    let turn = leaf.pose.rotation_matrix();
    let outward = turn.transpose() * normal;
    let Some(face) = triangle.face_normal(outward) else { return normal };
    // Where the normal runs along the face, the motion tells on which side the mover comes.
    let face = if (turn * face).dot(way) > 0.0 { -face } else { face };
    let flat = face.cross(outward).length_squared() <= tolerance::FLAT_ON;
    let place = turn.transpose() * (point - leaf.pose.translation());
    if !flat && triangle.goes_on(place, outward) { turn * face } else { normal }
}

/// Whether the mover only comes to touch along its way, without going in.
pub(crate) fn runs_along(hit: &ShapeSweepHit, displacement: Vec3) -> bool {
    let (normal, way) = (hit.normal.as_dvec3(), displacement.as_dvec3());
    !hit.started_overlapping && normal.dot(way) >= -tolerance::ALONG * way.length()
}

/// A triangle of a surface.
struct Corners<'a> {
    corners: [DVec3; 3],
    leaf: &'a Leaf<'a>,
}

impl<'a> Corners<'a> {
    fn of(leaf: &'a Leaf<'a>) -> Option<Self> {
        leaf.surface?;
        let Simple::Triangle(triangle) = leaf.simple else { return None };
        Some(Self { corners: triangle.vertices().map(|v| v.as_dvec3()), leaf })
    }

    /// Unit normal on the side of `outward`.
    fn face_normal(&self, outward: DVec3) -> Option<DVec3> {
        let [p, q, r] = self.corners;
        let face = (q - p).cross(r - p).try_normalize()?;
        Some(if face.dot(outward) < 0.0 { -face } else { face })
    }

    /// Whether the surface goes on beyond a border of the triangle that the point lies on, to the
    /// side that the normal looks to, so that a contact there is none with the border.
    ///
    /// Both are in the frame of the surface.
    fn goes_on(&self, point: DVec3, normal: DVec3) -> bool {
        let Some((surface, index)) = self.leaf.surface else { return false };
        let size = self.corners.iter().fold(point.abs(), |most, p| most.max(p.abs()));
        let near = tolerance::ON_EDGE * size.max_element();
        let (low, high) = ((point - near).to_array(), (point + near).to_array());
        let Ok(around) = Aabb::new(low.map(round::down).into(), high.map(round::up).into()) else {
            return false;
        };
        surface
            .for_each_in(&around, &mut |other| {
                let Some(triangle) = surface.triangle(other).filter(|_| other != index) else {
                    return ControlFlow::Continue(());
                };
                let corners = triangle.vertices().map(|v| v.as_dvec3());
                let rises = corners.iter().any(|p| normal.dot(*p - point) > 2.0 * near);
                if rises && is_on(&corners, point, near) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
            .is_break()
    }
}

/// Whether the point is within `near` of the triangle.
fn is_on(corners: &[DVec3; 3], point: DVec3, near: f64) -> bool {
    let [p, q, r] = *corners;
    let normal = (q - p).cross(r - p).normalize_or_zero();
    let beside = |from: DVec3, to: DVec3| {
        (to - from).cross(normal).normalize_or_zero().dot(point - from) <= near
    };
    normal.dot(point - p).abs() <= near && beside(p, q) && beside(q, r) && beside(r, p)
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::Quat;
    use impinge_shapes::{HeightField, Pose, Sphere};

    use super::*;
    use crate::dispatch::Pair;
    use crate::parts::Surface;

    #[test]
    fn a_sphere_beside_a_triangle_has_the_contact_that_the_search_for_features_finds() {
        let mut state = 11_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f32::from(u16::try_from(state >> 48).unwrap()) / 32768.0 - 1.0
        };
        // Inside, beside an edge within, alone, too far, and not told.
        let (mut seen, mut left_out) = ([0; 5], 0);
        for case in 0..400 {
            let size = 2.0_f32.powi([0, 0, 30, -50][case % 4]);
            // Also fields whose edges are mostly level.
            let step = if case % 3 == 0 { 2.0 } else { 0.1 };
            let heights = (0..30).map(|_| (random() * 3.0 / step).round() * step * size);
            let extent = Vec3::new(4.0, 1.0, 5.0) * size;
            let field = HeightField::new(6, 5, heights.collect(), extent.with_y(0.3)).unwrap();
            let turn = Quat::from_xyzw(random(), random(), random(), 1.1);
            let place = Vec3::new(random(), random(), random()) * 9.0 * size;
            let pose = Pose::new(place, turn).unwrap();
            let sphere = Sphere::new((random().abs() + 0.05) * size).unwrap();
            let center = Vec3::new(random() * 2.0, random(), random() * 2.5) * size;
            let center =
                if case % 5 == 0 { (center / size * 2.0).round() * 0.5 * size } else { center };
            let at = Pose::from_position(pose.transform_point(center)).unwrap();
            let ball_leaf = Leaf::whole(Simple::Sphere(&sphere), &at);
            let between = Relative::new(&pose, &at);
            let margin = f64::from(random().abs() * size) * 0.3;
            for index in 0..40 {
                let triangle = field.triangle(index).unwrap();
                let simple = Simple::Triangle(triangle);
                let surface = Some((Surface::Field(&field), index));
                let leaf = Leaf { part: index, pose, simple, surface };
                let (pair, _) = Pair::of(&leaf.simple, &ball_leaf.simple);
                let alone = pair.manifold(&between, margin);
                let searched =
                    alone.clone().and_then(|p| smoothed(p, (&leaf, &ball_leaf), &between, margin));
                let single = |found: &Separation| Patch {
                    normal: found.normal,
                    points: [over_face(found)].into_iter().collect(),
                };
                // One that is not deeper than others may be left out.
                let least = alone.as_ref().map_or(0.0, |alone| alone.points[0].distance);
                let most = round::nearest(least).next_down();
                match ball(&leaf, &ball_leaf, &between, margin, Some(most)) {
                    Ball::Known(None) => left_out += usize::from(searched.is_some()),
                    Ball::Known(Some(found)) => assert_eq!(Some(single(&found)), searched),
                    Ball::Alone => assert_eq!(alone, searched, "{case} {index}"),
                    Ball::Unknown => {}
                }
                let outcome = match ball(&leaf, &ball_leaf, &between, margin, None) {
                    Ball::Known(found) => {
                        let found = found.map(|found| single(&found));
                        assert_eq!(found, searched, "{case} {index}");
                        if found.is_some() { 0 } else { 1 + 2 * usize::from(alone.is_none()) }
                    }
                    Ball::Alone => {
                        assert_eq!(alone, searched, "{case} {index}");
                        2
                    }
                    Ball::Unknown => 4,
                };
                seen[outcome] += 1;
            }
        }
        assert!(seen[..4].iter().all(|&count| count > 100), "{seen:?}");
        assert!(left_out > 100, "{left_out}");
        assert!(seen[4] * 20 < seen.iter().sum(), "{seen:?}");
    }
}
