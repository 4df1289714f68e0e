//! Batches of pairs and rays whose kind is known, where there are functions for it.

use impinge_narrowphase::Manifold;
use impinge_narrowphase::batch::{self, PlacedPair, PlacedRay};
use impinge_shapes::simd::simd_level;
use impinge_shapes::{
    Capsule, Cone, Cuboid, Cylinder, HalfSpace, RayOptions, Shape, Sphere, Triangle,
};

use super::Make;
use super::kinds::Kind;
use crate::kernels::ours::{batched, depth, hit_distance, known};
use crate::kernels::{Case, RAY_LENGTH, side};

/// The four questions about a pair, in the order of the columns.
type Questions = [Make; 4];

/// A as B and B as A.
fn exchanged(cases: &[Case]) -> Vec<Case> {
    let exchange = |case: &Case| {
        let Case { a, pose_a, b, pose_b, ray } = case.clone();
        Case { a: b, pose_a: pose_b, b: a, pose_b: pose_a, ray }
    };
    cases.iter().map(exchange).collect()
}

/// Those of a module of the batches, of the cases as they are or changed by a function.
macro_rules! questions {
    ($module:ident, $a:ident, $b:ident) => {
        questions!($module, $a, $b, <[Case]>::to_vec)
    };
    ($module:ident, $a:ident, $b:ident, $change:expr) => {{
        fn pairs(cases: &[Case]) -> Vec<PlacedPair<$a, $b>> {
            known(
                &$change(cases),
                |a| if let Shape::$a(a) = a { Some(a) } else { None },
                |b| if let Shape::$b(b) = b { Some(b) } else { None },
            )
        }
        let questions: Questions = [
            |cases| {
                let pairs = pairs(cases);
                batched(
                    move |found| batch::$module::overlaps(&pairs, simd_level(), found),
                    |&found| side(found),
                )
            },
            |cases| {
                let pairs = pairs(cases);
                batched(
                    move |found| batch::$module::distances(&pairs, simd_level(), found),
                    |&distance| distance,
                )
            },
            |cases| {
                let pairs = pairs(cases);
                batched(
                    move |found| batch::$module::closest(&pairs, 0.0, simd_level(), found),
                    depth,
                )
            },
            |cases| {
                let pairs = pairs(cases);
                batched(
                    move |found| batch::$module::manifolds(&pairs, 0.0, simd_level(), found),
                    |found| found.as_ref().map_or(f32::NAN, Manifold::distance),
                )
            },
        ];
        Some(questions)
    }};
}

/// The questions about a pair of these kinds, if there are functions for it.
pub(super) fn of_pair(a: Kind, b: Kind) -> Option<Questions> {
    match (a, b) {
        (Kind::HalfSpace, Kind::Sphere) => questions!(half_space_sphere, HalfSpace, Sphere),
        (Kind::HalfSpace, Kind::Triangle) => {
            questions!(triangle_half_space, Triangle, HalfSpace, exchanged)
        }
        (Kind::Cuboid, Kind::Cuboid) => questions!(cuboid_cuboid, Cuboid, Cuboid),
        (Kind::Cuboid, Kind::Sphere) => questions!(cuboid_sphere, Cuboid, Sphere),
        (Kind::Capsule, Kind::Capsule) => questions!(capsule_capsule, Capsule, Capsule),
        (Kind::Capsule, Kind::Sphere) => questions!(capsule_sphere, Capsule, Sphere),
        (Kind::Cylinder, Kind::Sphere) => questions!(cylinder_sphere, Cylinder, Sphere),
        (Kind::Cone, Kind::Sphere) => questions!(cone_sphere, Cone, Sphere),
        (Kind::Triangle, Kind::Sphere) => questions!(sphere_triangle, Sphere, Triangle, exchanged),
        (Kind::Sphere, Kind::Sphere) => questions!(sphere_sphere, Sphere, Sphere),
        _ => None,
    }
}

/// That of a module of the rays.
macro_rules! rays {
    ($module:ident, $shape:ident) => {{
        let ray: Make = |cases| {
            let placed = |case: &Case| match &case.a {
                // Some shapes are shared.
                Shape::$shape(shape) => Some(PlacedRay {
                    ray: case.ray,
                    shape: $shape::clone(shape),
                    pose: case.pose_a,
                }),
                _ => None,
            };
            let rays: Vec<_> = cases.iter().filter_map(placed).collect();
            assert_eq!(rays.len(), cases.len(), "cases of one kind hold the same shapes");
            let options = RayOptions::default();
            batched(
                move |found| {
                    batch::$module::raycast(&rays, RAY_LENGTH, &options, simd_level(), found);
                },
                hit_distance,
            )
        };
        Some(ray)
    }};
}

/// Rays at a shape of this kind, if there is a function for it.
pub(super) fn of_shape(kind: Kind) -> Option<Make> {
    match kind {
        Kind::Capsule => rays!(ray_capsule, Capsule),
        Kind::Cuboid => rays!(ray_cuboid, Cuboid),
        Kind::HalfSpace => rays!(ray_half_space, HalfSpace),
        Kind::Triangle => rays!(ray_triangle, Triangle),
        Kind::Sphere => rays!(ray_sphere, Sphere),
        _ => None,
    }
}
