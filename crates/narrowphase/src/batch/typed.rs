//! Entrances for pairs whose kind is known, one module for each.

/// A module of a kind of pairs.
macro_rules! typed {
    ($module:ident, $doc:literal, $kernel:path, $by:path, $a:ident, $b:ident) => {
        #[doc = $doc]
        pub mod $module {
            use impinge_shapes::simd::SimdLevel;
            use $by as by;
            use $kernel as Kernel;

            use super::super::PairOf;
            use crate::{Closest, Manifold};

            /// Whether the pairs overlap, in their order; `out` is replaced.
            pub fn overlaps(
                pairs: &[PairOf<'_, impinge_shapes::$a, impinge_shapes::$b>],
                level: SimdLevel,
                out: &mut Vec<bool>,
            ) {
                out.clear();
                out.resize(pairs.len(), false);
                by::overlaps::<Kernel>(pairs, level, out);
            }

            /// Closest points of the pairs, in their order; `out` is replaced.
            pub fn closest(
                pairs: &[PairOf<'_, impinge_shapes::$a, impinge_shapes::$b>],
                max_distance: f32,
                level: SimdLevel,
                out: &mut Vec<Option<Closest>>,
            ) {
                out.clear();
                out.resize(pairs.len(), None);
                by::closest::<Kernel>(pairs, max_distance, level, out);
            }

            /// Manifolds of the pairs, in their order; `out` is replaced.
            pub fn manifolds(
                pairs: &[PairOf<'_, impinge_shapes::$a, impinge_shapes::$b>],
                margin: f32,
                level: SimdLevel,
                out: &mut Vec<Option<Manifold>>,
            ) {
                out.clear();
                out.resize_with(pairs.len(), || None);
                by::manifolds::<Kernel>(pairs, margin.max(0.0), level, out);
            }
        }
    };
}

typed!(
    capsule_capsule,
    "Two capsules.",
    crate::pairs::capsule_capsule::CapsuleCapsule,
    crate::batch::round,
    Capsule,
    Capsule
);
typed!(
    capsule_sphere,
    "A capsule (A) and a sphere (B).",
    crate::pairs::capsule_sphere::CapsuleSphere,
    crate::batch::round,
    Capsule,
    Sphere
);
typed!(
    cuboid_sphere,
    "A box (A) and a sphere (B).",
    crate::pairs::cuboid_sphere::CuboidSphere,
    crate::batch::round,
    Cuboid,
    Sphere
);
typed!(
    sphere_sphere,
    "Two spheres.",
    crate::pairs::sphere_sphere::SphereSphere,
    crate::batch::round,
    Sphere,
    Sphere
);

typed!(
    cuboid_cuboid,
    "Two boxes.",
    crate::pairs::cuboid_cuboid::lanes::CuboidCuboid,
    crate::batch::boxes,
    Cuboid,
    Cuboid
);
