//! A half-space and a bounded shape.

use parry3d::query::details;
use parry3d::shape::{
    Ball, Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, HalfSpace, RoundCuboid, Shape,
    SupportMap, Triangle,
};

use super::super::kinds::Kind;
use super::solids::Faced;
use super::{Make, Tests, cast, depth, in_a, manifold};
use crate::kernels::side;

pub(super) fn tests(b: Kind) -> Tests {
    match b {
        Kind::Cuboid => of::<Cuboid>(faced::<Cuboid>()),
        Kind::Capsule => of::<Capsule>(faced::<Capsule>()),
        Kind::Cylinder => of::<Cylinder>(faced::<Cylinder>()),
        Kind::Cone => of::<Cone>(faced::<Cone>()),
        Kind::Triangle => of::<Triangle>(faced::<Triangle>()),
        Kind::Hull => of::<ConvexPolyhedron>(faced::<ConvexPolyhedron>()),
        Kind::RoundCuboid => of::<RoundCuboid>(faced::<RoundCuboid>()),
        Kind::Sphere => of::<Ball>(|cases| {
            manifold(cases, |at, a: &HalfSpace, ball: &Ball, found| {
                details::contact_manifold_convex_ball(at, a, ball, None, None, 0.0, found, false);
            })
        }),
        _ => super::dispatched::TESTS,
    }
}

fn faced<B: Faced>() -> Make {
    |cases| {
        manifold(cases, |at, a: &HalfSpace, b: &B, found| {
            let (b, radius) = b.faced();
            details::contact_manifold_halfspace_pfm(at, a, b, radius, 0.0, found, false);
        })
    }
}

fn of<B: SupportMap + Shape + Clone>(manifold: Make) -> Tests {
    Tests {
        overlap: |cases| {
            in_a(cases, |at, a: &HalfSpace, b: &B| {
                side(details::intersection_test_halfspace_support_map(at, a, b))
            })
        },
        distance: |cases| {
            in_a(cases, |at, a: &HalfSpace, b: &B| {
                details::distance_halfspace_support_map(at, a, b)
            })
        },
        contact: |cases| {
            in_a(cases, |at, a: &HalfSpace, b: &B| {
                depth(details::contact_halfspace_support_map(at, a, b, 0.0))
            })
        },
        manifold,
        sweep: |cases| {
            cast(cases, |at, way, a: &HalfSpace, b: &B, options| {
                details::cast_shapes_halfspace_support_map(at, way, a, b, options)
            })
        },
    }
}
