//! A cylinder (A) and a sphere (B).

use impinge_shapes::glam::{DVec2, Vec3};
use impinge_shapes::{Cylinder, Sphere};

use crate::profile::{Ball, Profile};
use crate::real::{Placed, Real, Real3, Turn};
use crate::witness::{Round, Sides, Witness, feature_id, room};
use crate::{Impact, Patch, Relation, Relative, Separation, convex};

/// The common case: a cylinder with an inside, a centre off the axis, touch out of reach of rounding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CylinderSphere;

room!(CylinderSphere, Cylinder, Sphere);

impl Round for CylinderSphere {
    #[inline(always)]
    fn witness<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Witness<R> {
        let sizes = [a.numbers[0], a.numbers[1]];
        let ball = Ball::new(a, b);
        ball.witness(&Profile::of_cylinder(sizes, ball.place), b, sizes)
    }

    #[inline(always)]
    fn sides<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Sides<R::Mask> {
        // Everything times the squared length of the quaternion.
        let (turn, norm) = Turn::scaled(a.rotation);
        let (half, radius) = (a.numbers[0] * norm, a.numbers[1] * norm);
        let (zero, reach) = (norm.all(0.0), b.numbers[0] * norm);
        let Real3 { x, y, z } = turn.undo(b.position - a.position);
        let out = (x * x + z * z).sqrt();
        let (aside, above) = (out - radius, y.abs() - half);
        let (beside, over) = (aside.most(zero), above.most(zero));
        let size = (half + radius + reach) + (out + y.abs());
        let square = beside * beside + over * over;
        Sides::by_squares(square, reach, size).or_inside(-aside.most(above), size)
    }
}

/// How a cylinder and a sphere lie to each other.
///
/// - Error: distances within 2^-44 of the pair's size count as touching.
/// - Degenerate: a sphere of radius 0 touches the boundary and penetrates the inside, which a flat
///   cylinder does not have.
#[must_use]
pub fn relation(a: &Cylinder, b: &Sphere, b_in_a: &Relative) -> Relation {
    convex::relation(a, b, b_in_a)
}

/// Signed distance of a cylinder and a sphere.
///
/// - Ties: a centre inside takes the side before a flat end, and on the axis +x.
/// - Error: the distance within 2^-44 of the sum of the coordinates.
#[must_use]
pub fn closest(a: &Cylinder, b: &Sphere, b_in_a: &Relative) -> Separation {
    convex::closest(a, b, b_in_a)
}

/// The one contact point of a cylinder and a sphere.
///
/// - Feature: 0 the side, 1 the upper end, 2 the lower one, 3 and 4 their rims.
#[must_use]
pub fn manifold(a: &Cylinder, b: &Sphere, b_in_a: &Relative, margin: f64) -> Option<Patch> {
    let found = closest(a, b, b_in_a);
    if found.distance > margin {
        return None;
    }
    let center = b_in_a.translation();
    let sizes = [a.half_height(), a.radius()].map(f64::from);
    let profile = Profile::of_cylinder(sizes, [DVec2::new(center.x, center.z).length(), center.y]);
    Some(Patch::single(&found, feature_id(profile.feature)))
}

/// First touch of a cylinder with a sphere that moves by `motion`.
///
/// - Error: as [`convex::sweep`].
#[must_use]
pub fn sweep(a: &Cylinder, b: &Sphere, b_in_a: &Relative, motion: Vec3) -> Option<Impact> {
    convex::sweep(a, b, b_in_a, motion)
}
