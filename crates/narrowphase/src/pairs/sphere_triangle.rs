//! A sphere (A) and a triangle (B).

use impinge_shapes::glam::Vec3;
use impinge_shapes::{Sphere, Triangle};

use crate::real::{Placed, Real, Real3, Turn};
use crate::triangle::{self, Nearest};
use crate::witness::{Round, Sides, Witness, feature_id, room};
use crate::{Impact, Patch, Relation, Relative, Separation, convex, tolerance};

/// The common case: bounds of the distance that agree, a centre clear of the triangle, touch out of
/// reach of rounding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SphereTriangle;

room!(SphereTriangle, Sphere, Triangle);

impl Round for SphereTriangle {
    #[inline(always)]
    fn witness<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Witness<R> {
        let radius = a.numbers[0];
        let corners = [b.vector(0), b.vector(3), b.vector(6)];
        let (turn, norm) = Turn::scaled(b.rotation);
        let per_norm = norm.all(1.0) / norm;
        let center = turn.undo(a.position - b.position) * per_norm;
        // One by one, because closures may stay out of line.
        let [p, q, r] = corners;
        let (p, q, r) = (p.sum_abs(), q.sum_abs(), r.sum_abs());
        let size = p.most(q).most(r) + center.sum_abs() + radius;
        let noise = size * size.all(tolerance::FRAME);
        let near = Nearest::new(corners, center);
        let distance = near.length - radius;
        let certain = distance.abs().above(noise)
            & near.length.above(noise)
            & near.open.at_most(size * size.all(tolerance::BRACKET));
        let normal = -(turn.apply(near.outward) * per_norm);
        let point_a = a.position + normal * radius;
        let both = (certain, certain);
        Witness::from_a(both, distance, normal, point_a, near.feature)
    }

    #[inline(always)]
    fn sides<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Sides<R::Mask> {
        let (turn, norm) = Turn::scaled(b.rotation);
        let center = turn.undo(a.position - b.position);
        // Everything times the squared length of the quaternion.
        let [p, q, r] = [b.vector(0) * norm, b.vector(3) * norm, b.vector(6) * norm];
        let reach = a.numbers[0] * norm;
        let size = p.sum_abs().most(q.sum_abs()).most(r.sum_abs()) + center.sum_abs() + reach;
        triangle::sides([p, q, r], center, reach, size)
    }
}

/// How a sphere and a triangle lie to each other. Exact.
///
/// - Degenerate: a sphere of radius 0 on the triangle touches.
#[must_use]
pub fn relation(a: &Sphere, b: &Triangle, b_in_a: &Relative) -> Relation {
    convex::relation(a, b, b_in_a)
}

/// Signed distance of a sphere and a triangle.
///
/// - Error: the distance within 2^-40 of itself and of the sum of the coordinates; its sign is
///   exact.
#[must_use]
pub fn closest(a: &Sphere, b: &Triangle, b_in_a: &Relative) -> Separation {
    convex::closest(a, b, b_in_a)
}

/// The one contact point of a sphere and a triangle.
///
/// - Feature: 0 the inside, 1 to 3 the corners, 4 to 6 the edges from there.
#[must_use]
pub fn manifold(a: &Sphere, b: &Triangle, b_in_a: &Relative, margin: f64) -> Option<Patch> {
    let found = closest(a, b, b_in_a);
    if found.distance > margin {
        return None;
    }
    let real = |v: Vec3| Real3::from(v);
    let center = -b_in_a.vector_to_b(b_in_a.translation());
    let center = Real3::new(center.x, center.y, center.z);
    let feature = Nearest::new(b.vertices().map(real), center).feature;
    Some(Patch::single(&found, feature_id(feature)))
}

/// First touch of a sphere with a triangle that moves by `motion`. Exact yes/no, grazing counts.
///
/// - Error: as [`convex::sweep`].
#[must_use]
pub fn sweep(a: &Sphere, b: &Triangle, b_in_a: &Relative, motion: Vec3) -> Option<Impact> {
    convex::sweep(a, b, b_in_a, motion)
}
