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
use crate::{Patch, PatchPoint, Relative, ShapeSweepHit, convex, tolerance};

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
    for (leaf, is_b) in [(a, false), (b, true)] {
        let Some(triangle) = Corners::of(leaf) else { continue };
        let outward = if is_b { at.vector_to_b(-patch.normal) } else { patch.normal };
        let other = if is_b { a } else { b };
        let Some(face) = triangle.face_normal(side_of(other, at, is_b, &triangle, outward)) else {
            continue;
        };
        if face.cross(outward).length_squared() <= tolerance::FLAT_ON {
            continue;
        }
        let on_leaf = |point: &PatchPoint| {
            if is_b { at.vector_to_b(point.point_b - at.translation()) } else { point.point_a }
        };
        // The normal comes from the deepest point; others only lie along it.
        let deepest = patch.points.iter().min_by(|p, q| p.distance.total_cmp(&q.distance));
        if !deepest.is_some_and(|point| triangle.goes_on(on_leaf(point), outward)) {
            continue;
        }
        let (Some(one), Some(other)) = (a.simple.solid(), b.simple.solid()) else { continue };
        let normal = if is_b { *at.rotation() * -face } else { face };
        patch = convex::patch_along(one, other, at, normal, margin)?;
    }
    Some(patch)
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
