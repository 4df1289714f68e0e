//! Two bounded shapes, none of which is a ball.

use parry3d::query::details;
use parry3d::shape::{
    Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, PolygonalFeatureMap, RoundCone,
    RoundConvexPolyhedron, RoundCuboid, RoundCylinder, RoundShape, Segment, Shape, SupportMap,
    Triangle,
};

use super::super::kinds::Kind;
use super::{Tests, cast, depth, in_a, manifold};
use crate::kernels::{Case, Runner, side};

/// A shape as parry3d's manifolds see it: a core with faces, and a radius.
pub(super) trait Faced: SupportMap + Shape + Clone {
    type Core: PolygonalFeatureMap;
    fn faced(&self) -> (&Self::Core, f32);
}

macro_rules! has_faces {
    ($($shape:ty),*) => {$(
        impl Faced for $shape {
            type Core = Self;
            fn faced(&self) -> (&Self, f32) {
                (self, 0.0)
            }
        }
    )*};
}
has_faces!(Cuboid, Cylinder, Cone, Triangle, ConvexPolyhedron);

impl Faced for Capsule {
    type Core = Segment;
    fn faced(&self) -> (&Segment, f32) {
        (&self.segment, self.radius)
    }
}

impl<S: PolygonalFeatureMap> Faced for RoundShape<S>
where
    Self: SupportMap + Shape + Clone,
{
    type Core = S;
    fn faced(&self) -> (&S, f32) {
        (&self.inner_shape, self.border_radius)
    }
}

pub(super) fn tests(a: Kind, b: Kind) -> Tests {
    macro_rules! known {
        ($($a:ident: $peer_a:ty, $b:ident: $peer_b:ty;)*) => {
            match (a, b) {
                $((Kind::$a, Kind::$b) => general::<$peer_a, $peer_b>(),)*
                _ => super::dispatched::TESTS,
            }
        };
    }
    let general = known!(
        Cuboid: Cuboid, Cuboid: Cuboid;
        Cuboid: Cuboid, Capsule: Capsule;
        Cuboid: Cuboid, Cylinder: Cylinder;
        Cuboid: Cuboid, Cone: Cone;
        Cuboid: Cuboid, Triangle: Triangle;
        Cuboid: Cuboid, Hull: ConvexPolyhedron;
        Cuboid: Cuboid, RoundCuboid: RoundCuboid;
        Cuboid: Cuboid, RoundCylinder: RoundCylinder;
        Cuboid: Cuboid, RoundCone: RoundCone;
        Cuboid: Cuboid, RoundHull: RoundConvexPolyhedron;
        Capsule: Capsule, Capsule: Capsule;
        Capsule: Capsule, Cylinder: Cylinder;
        Capsule: Capsule, Cone: Cone;
        Capsule: Capsule, Triangle: Triangle;
        Capsule: Capsule, Hull: ConvexPolyhedron;
        Capsule: Capsule, RoundCuboid: RoundCuboid;
        Cylinder: Cylinder, Cylinder: Cylinder;
        Cylinder: Cylinder, Cone: Cone;
        Cylinder: Cylinder, Triangle: Triangle;
        Cylinder: Cylinder, Hull: ConvexPolyhedron;
        Cylinder: Cylinder, RoundCuboid: RoundCuboid;
        Cone: Cone, Cone: Cone;
        Cone: Cone, Triangle: Triangle;
        Cone: Cone, Hull: ConvexPolyhedron;
        Cone: Cone, RoundCuboid: RoundCuboid;
        Triangle: Triangle, Triangle: Triangle;
        Triangle: Triangle, Hull: ConvexPolyhedron;
        Triangle: Triangle, RoundCuboid: RoundCuboid;
        Hull: ConvexPolyhedron, Hull: ConvexPolyhedron;
        Hull: ConvexPolyhedron, RoundCuboid: RoundCuboid;
        RoundCuboid: RoundCuboid, RoundCuboid: RoundCuboid;
        RoundCylinder: RoundCylinder, RoundCylinder: RoundCylinder;
        RoundCone: RoundCone, RoundCone: RoundCone;
        RoundHull: RoundConvexPolyhedron, RoundHull: RoundConvexPolyhedron;
    );
    match (a, b) {
        (Kind::Cuboid, Kind::Cuboid) => {
            Tests { overlap: boxes_overlap, manifold: boxes_manifold, ..general }
        }
        (Kind::Cuboid, Kind::Triangle) => {
            Tests { overlap: triangle_overlap, manifold: triangle_manifold, ..general }
        }
        // Its manifold of two capsules is faster than its contact, and has all that a contact has.
        (Kind::Capsule, Kind::Capsule) => {
            Tests { contact: capsules_manifold, manifold: capsules_manifold, ..general }
        }
        _ => general,
    }
}

fn general<A: Faced, B: Faced>() -> Tests {
    Tests {
        overlap: |cases| {
            in_a(cases, |at, a: &A, b: &B| {
                side(details::intersection_test_support_map_support_map(at, a, b))
            })
        },
        distance: |cases| {
            in_a(cases, |at, a: &A, b: &B| details::distance_support_map_support_map(at, a, b))
        },
        contact: |cases| {
            in_a(cases, |at, a: &A, b: &B| {
                depth(details::contact_support_map_support_map(at, a, b, 0.0))
            })
        },
        manifold: |cases| {
            manifold(cases, |at, a: &A, b: &B, found| {
                let ((a, radius_a), (b, radius_b)) = (a.faced(), b.faced());
                details::contact_manifold_pfm_pfm(
                    at, a, radius_a, None, b, radius_b, None, 0.0, found,
                );
            })
        },
        sweep: |cases| {
            cast(cases, |at, way, a: &A, b: &B, options| {
                details::cast_shapes_support_map_support_map(at, way, a, b, options)
            })
        },
    }
}

fn boxes_overlap(cases: &[Case]) -> Option<Runner> {
    in_a(cases, |at, a: &Cuboid, b: &Cuboid| {
        side(details::intersection_test_cuboid_cuboid(at, a, b))
    })
}

fn boxes_manifold(cases: &[Case]) -> Option<Runner> {
    manifold(cases, |at, a: &Cuboid, b: &Cuboid, found| {
        details::contact_manifold_cuboid_cuboid(at, a, b, 0.0, found);
    })
}

fn triangle_overlap(cases: &[Case]) -> Option<Runner> {
    in_a(cases, |at, a: &Cuboid, b: &Triangle| {
        side(details::intersection_test_cuboid_triangle(at, a, b))
    })
}

fn triangle_manifold(cases: &[Case]) -> Option<Runner> {
    manifold(cases, |at, a: &Cuboid, b: &Triangle, found| {
        let back = at.inverse();
        details::contact_manifold_cuboid_triangle(at, &back, a, b, None, None, 0.0, found, false);
    })
}

fn capsules_manifold(cases: &[Case]) -> Option<Runner> {
    manifold(cases, |at, a: &Capsule, b: &Capsule, found| {
        details::contact_manifold_capsule_capsule(at, a, b, 0.0, found);
    })
}
