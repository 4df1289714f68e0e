//! A bounded shape and a ball.

use parry3d::query::details;
use parry3d::shape::{
    Ball, Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, RoundCone, RoundConvexPolyhedron,
    RoundCuboid, RoundCylinder, Shape, SupportMap, Triangle,
};

use super::super::kinds::Kind;
use super::{Tests, cast, depth, in_a, manifold};
use crate::kernels::side;

pub(super) fn tests(a: Kind) -> Tests {
    match a {
        Kind::Cuboid => of::<Cuboid>(),
        Kind::Capsule => of::<Capsule>(),
        Kind::Cylinder => of::<Cylinder>(),
        Kind::Cone => of::<Cone>(),
        Kind::Triangle => of::<Triangle>(),
        Kind::Hull => of::<ConvexPolyhedron>(),
        Kind::RoundCuboid => of::<RoundCuboid>(),
        Kind::RoundCylinder => of::<RoundCylinder>(),
        Kind::RoundCone => of::<RoundCone>(),
        Kind::RoundHull => of::<RoundConvexPolyhedron>(),
        Kind::Sphere => two(),
        Kind::Mesh | Kind::HeightField | Kind::Compound | Kind::HalfSpace => {
            super::dispatched::TESTS
        }
    }
}

fn of<A: SupportMap + Shape + Clone>() -> Tests {
    Tests {
        overlap: |cases| {
            in_a(cases, |at, a: &A, ball: &Ball| {
                side(details::intersection_test_point_query_ball(at, a, ball).intersecting)
            })
        },
        distance: |cases| {
            in_a(cases, |at, a: &A, ball: &Ball| {
                details::distance_convex_polyhedron_ball(at, a, ball)
            })
        },
        contact: |cases| {
            in_a(cases, |at, a: &A, ball: &Ball| {
                depth(details::contact_convex_polyhedron_ball(at, a, ball, 0.0))
            })
        },
        manifold: |cases| {
            manifold(cases, |at, a: &A, ball: &Ball, found| {
                details::contact_manifold_convex_ball(at, a, ball, None, None, 0.0, found, false);
            })
        },
        sweep: |cases| {
            cast(cases, |at, way, a: &A, ball: &Ball, options| {
                details::cast_shapes_support_map_support_map(at, way, a, ball, options)
            })
        },
    }
}

fn two() -> Tests {
    Tests {
        overlap: |cases| {
            in_a(cases, |at, a: &Ball, b: &Ball| {
                side(details::intersection_test_ball_ball(at.translation, a, b))
            })
        },
        distance: |cases| {
            in_a(cases, |at, a: &Ball, b: &Ball| details::distance_ball_ball(a, at.translation, b))
        },
        contact: |cases| {
            in_a(cases, |at, a: &Ball, b: &Ball| depth(details::contact_ball_ball(at, a, b, 0.0)))
        },
        manifold: |cases| {
            manifold(cases, |at, a: &Ball, b: &Ball, found| {
                details::contact_manifold_ball_ball(at, a, b, 0.0, found);
            })
        },
        sweep: |cases| {
            cast(cases, |at, way, a: &Ball, b: &Ball, options| {
                details::cast_shapes_ball_ball(at, way, a, b, options)
            })
        },
    }
}
