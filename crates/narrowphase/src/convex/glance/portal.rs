//! Whether two hulls overlap, as far as f32 can tell.

use std::ops::ControlFlow::{self, Break, Continue};

use fearless_simd::Simd;
use impinge_shapes::glam::Vec3;

use super::clouds::{Clouds, Extreme};
use crate::tolerance;

/// What is certain about two hulls, if anything is.
pub(super) type Found = Option<Certain>;

/// What is certain about two hulls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Certain {
    /// A plane parts them by more than the margin; without one, the point of the difference that is
    /// farthest along the plane's normal.
    Apart(Extreme),
    /// They penetrate, once one of them has grown by the margin: these points of the difference go
    /// around the outside of a face of a tetrahedron that holds the origin.
    Penetrating([Extreme; 3]),
}

/// Walks from a point in the inside of the Minkowski difference towards the origin: three points of
/// the difference make a portal that the way goes through, and farther points replace them until
/// the origin lies on one side for certain.
///
/// Every direction that is looked along may part the hulls, and every tetrahedron of the inner point
/// and the portal may hold the origin. These two alone decide, with bounds of their errors; the walk
/// only proposes them.
///
/// - Source: Snethen, *XenoCollide: Complex Collision Made Simple*, Game Programming Gems 7 (2008),
///   on the walk.
#[inline(always)]
pub(super) fn relation<S: Simd, const N: usize>(
    simd: S,
    clouds: &Clouds<N>,
    middle: Vec3,
    margin: f32,
) -> Found {
    match walk(simd, clouds, middle, margin) {
        Break(found) => found,
        Continue(()) => None,
    }
}

#[inline(always)]
fn walk<S: Simd, const N: usize>(
    simd: S,
    clouds: &Clouds<N>,
    middle: Vec3,
    margin: f32,
) -> ControlFlow<Found> {
    let look = |along: Vec3| look(simd, clouds, along, margin);
    let mut p = look(-middle)?;
    let mut q = look(middle.cross(p.point))?;
    let mut across = (p.point - middle).cross(q.point - middle);
    if across.dot(middle) > 0.0 {
        (p, q, across) = (q, p, -across);
    }
    let mut steps = 0..tolerance::GLANCE_STEPS;
    let mut r = loop {
        let r = look(across)?;
        if p.point.cross(r.point).dot(middle) < 0.0 {
            q = r;
        } else if r.point.cross(q.point).dot(middle) < 0.0 {
            p = r;
        } else {
            break r;
        }
        across = (p.point - middle).cross(q.point - middle);
        if steps.next().is_none() {
            return Break(None);
        }
    };
    for _ in steps {
        let portal = [p.point, q.point, r.point];
        let across = (q.point - p.point).cross(r.point - p.point);
        let reach = across.dot(p.point);
        if reach > 0.0 && surround(middle, portal) {
            return Break(Some(Certain::Penetrating([p, q, r])));
        }
        let next = look(across)?;
        if next.height - reach <= tolerance::GLANCE_HEIGHT * length(across) {
            break;
        }
        let aside = next.point.cross(middle);
        if p.point.dot(aside) > 0.0 {
            if q.point.dot(aside) > 0.0 { p = next } else { r = next }
        } else if r.point.dot(aside) > 0.0 {
            q = next;
        } else {
            p = next;
        }
    }
    Break(None)
}

/// The farthest point along a direction, unless the hulls are apart along it.
#[inline(always)]
fn look<S: Simd, const N: usize>(
    simd: S,
    clouds: &Clouds<N>,
    along: Vec3,
    margin: f32,
) -> ControlFlow<Found, Extreme> {
    let length = length(along);
    if length < tolerance::GLANCE_DIRECTION {
        return Break(None);
    }
    let mut found = clouds.farthest(simd, along);
    if margin > 0.0 {
        // The same question about the difference grown by the margin.
        let way = margin * along.length();
        found.height += way;
        found.point += along * (way / along.dot(along));
    }
    if found.height < -tolerance::GLANCE_HEIGHT * length {
        return Break(Some(Certain::Apart(found)));
    }
    Continue(found)
}

/// At least the length of a vector.
#[inline(always)]
fn length(v: Vec3) -> f32 {
    let size = v.abs();
    size.x + size.y + size.z
}

/// Whether a tetrahedron, whose last three corners go around the outside of a face, certainly holds
/// the origin, farther inside than its corners are off.
#[inline(always)]
fn surround(apex: Vec3, [p, q, r]: [Vec3; 3]) -> bool {
    let [to_p, to_q, to_r] = [p - apex, q - apex, r - apex];
    let square = |v: Vec3| v.dot(v);
    let squares = [square(to_p), square(to_q), square(to_r)];
    let is_inside = |corner: Vec3, one: Vec3, other: Vec3, sides: f32| {
        let volume = one.cross(other).dot(corner);
        volume > 0.0 && volume * volume > tolerance::GLANCE_VOLUME * sides
    };
    is_inside(p, q - p, r - p, square(q - p) * square(r - p))
        & is_inside(apex, to_q, to_p, squares[1] * squares[0])
        & is_inside(apex, to_r, to_q, squares[2] * squares[1])
        & is_inside(apex, to_p, to_r, squares[0] * squares[2])
}
