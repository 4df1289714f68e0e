//! Entrances for pairs whose kind is known, one module for each.

/// A module of a kind of pairs.
macro_rules! typed {
    ($module:ident, $doc:literal, $kernel:path, $by:path, $a:ident, $b:ident) => {
        #[doc = $doc]
        pub mod $module {
            use impinge_shapes::simd::SimdLevel;
            use $by as by;
            use $kernel as Kernel;

            use super::super::source::Known;
            use super::super::{AsPair, in_cleared_runs, in_runs};
            use crate::{Closest, Manifold};

            /// Whether the pairs overlap, in their order; `out` is replaced.
            pub fn overlaps<P: AsPair<impinge_shapes::$a, impinge_shapes::$b>>(
                pairs: &[P],
                level: SimdLevel,
                out: &mut Vec<bool>,
            ) {
                in_runs(pairs, out, |run, found| {
                    by::overlaps::<Kernel>(&Known(run), level, found);
                });
            }

            /// Distances of the pairs, zero where they overlap, in their order; `out` is replaced.
            pub fn distances<P: AsPair<impinge_shapes::$a, impinge_shapes::$b>>(
                pairs: &[P],
                level: SimdLevel,
                out: &mut Vec<f32>,
            ) {
                in_runs(pairs, out, |run, found| {
                    by::distances::<Kernel>(&Known(run), level, found);
                });
            }

            /// Closest points of the pairs, in their order; `out` is replaced.
            pub fn closest<P: AsPair<impinge_shapes::$a, impinge_shapes::$b>>(
                pairs: &[P],
                max_distance: f32,
                level: SimdLevel,
                out: &mut Vec<Option<Closest>>,
            ) {
                in_runs(pairs, out, |run, found| {
                    by::closest::<Kernel>(&Known(run), max_distance, level, found);
                });
            }

            /// Manifolds of the pairs, in their order; `out` is replaced.
            pub fn manifolds<P: AsPair<impinge_shapes::$a, impinge_shapes::$b>>(
                pairs: &[P],
                margin: f32,
                level: SimdLevel,
                out: &mut Vec<Option<Manifold>>,
            ) {
                in_cleared_runs(pairs, out, |run, found| {
                    by::manifolds::<Kernel>(&Known(run), margin.max(0.0), level, found);
                });
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
    capsule_cuboid,
    r"A capsule (A) and a box (B).

```
use impinge_narrowphase::batch::{PlacedPair, capsule_cuboid};
use impinge_shapes::{Capsule, Cuboid, Pose, glam::Vec3, simd::simd_level};

// A standing capsule comes down on the middle of a box.
let (a, b) = (Capsule::along_y(1.0, 0.5)?, Cuboid::new(Vec3::ONE)?);
let pairs: Vec<_> = [3.0, 2.75, 2.25]
    .into_iter()
    .map(|y| {
        let pose_a = Pose::from_position(Vec3::Y * y)?;
        Ok(PlacedPair { a, pose_a, b, pose_b: Pose::IDENTITY })
    })
    .collect::<Result<_, impinge_shapes::PoseError>>()?;
let mut found = Vec::new();
capsule_cuboid::closest(&pairs, 0.3, simd_level(), &mut found);
let distances: Vec<_> = found.iter().map(|found| found.map(|found| found.distance)).collect();
assert_eq!(distances, [None, Some(0.25), Some(-0.25)]);
# Ok::<(), Box<dyn std::error::Error>>(())
```",
    crate::pairs::capsule_cuboid::CapsuleCuboid,
    crate::batch::capsules,
    Capsule,
    Cuboid
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
    cone_sphere,
    "A cone (A) and a sphere (B).",
    crate::pairs::cone_sphere::ConeSphere,
    crate::batch::round,
    Cone,
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
    cylinder_sphere,
    r"A cylinder (A) and a sphere (B).

```
use impinge_narrowphase::batch::{PlacedPair, cylinder_sphere};
use impinge_shapes::{Cylinder, Pose, Sphere, glam::Vec3, simd::simd_level};

// Balls beside a drum that stands upright.
let (a, b) = (Cylinder::new(1.0, 2.0)?, Sphere::new(0.5)?);
let pairs: Vec<_> = [4.0, 2.25]
    .into_iter()
    .map(|x| {
        let pose_b = Pose::from_position(Vec3::X * x)?;
        Ok(PlacedPair { a, pose_a: Pose::IDENTITY, b, pose_b })
    })
    .collect::<Result<_, impinge_shapes::PoseError>>()?;
let mut found = Vec::new();
cylinder_sphere::manifolds(&pairs, 0.0, simd_level(), &mut found);
let depths: Vec<_> = found.iter().map(|found| found.as_ref().map(|one| one.distance())).collect();
assert_eq!(depths, [None, Some(-0.25)]);
# Ok::<(), Box<dyn std::error::Error>>(())
```",
    crate::pairs::cylinder_sphere::CylinderSphere,
    crate::batch::round,
    Cylinder,
    Sphere
);
typed!(
    half_space_sphere,
    r"A half-space (A) and a sphere (B).

```
use impinge_narrowphase::batch::{PlacedPair, half_space_sphere};
use impinge_shapes::{HalfSpace, Pose, Sphere, glam::Vec3, simd::simd_level};

// Balls over a floor.
let (a, b) = (HalfSpace::new(Vec3::Y, 0.0)?, Sphere::new(0.5)?);
let pairs: Vec<_> = [2.0, 0.75, 0.25]
    .into_iter()
    .map(|y| {
        let pose_b = Pose::from_position(Vec3::Y * y)?;
        Ok(PlacedPair { a, pose_a: Pose::IDENTITY, b, pose_b })
    })
    .collect::<Result<_, impinge_shapes::PoseError>>()?;
let mut found = Vec::new();
half_space_sphere::distances(&pairs, simd_level(), &mut found);
assert_eq!(found, [1.5, 0.25, 0.0]);
# Ok::<(), Box<dyn std::error::Error>>(())
```",
    crate::pairs::half_space_sphere::HalfSpaceSphere,
    crate::batch::round,
    HalfSpace,
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
    sphere_triangle,
    "A sphere (A) and a triangle (B).",
    crate::pairs::sphere_triangle::SphereTriangle,
    crate::batch::round,
    Sphere,
    Triangle
);
typed!(
    triangle_half_space,
    r"A triangle (A) and a half-space (B).

```
use impinge_narrowphase::batch::{PlacedPair, triangle_half_space};
use impinge_shapes::{HalfSpace, Pose, Triangle, glam::Vec3, simd::simd_level};

// A triangle that lies level, and one that stands on a corner, over a floor.
let floor = HalfSpace::new(Vec3::Y, 0.0)?;
let level = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Z)?;
let upright = Triangle::new(Vec3::NEG_Y, Vec3::new(-1.0, 1.0, 0.0), Vec3::ONE)?;
let at = Pose::from_position(Vec3::Y * 1.5)?;
let pairs =
    [level, upright].map(|a| PlacedPair { a, pose_a: at, b: floor, pose_b: Pose::IDENTITY });
let mut found = Vec::new();
triangle_half_space::distances(&pairs, simd_level(), &mut found);
assert_eq!(found, [1.5, 0.5]);
# Ok::<(), Box<dyn std::error::Error>>(())
```",
    crate::pairs::convex_half_space::TriangleHalfSpace,
    crate::batch::over,
    Triangle,
    HalfSpace
);

typed!(
    cuboid_cuboid,
    "Two boxes.",
    crate::pairs::cuboid_cuboid::lanes::CuboidCuboid,
    crate::batch::boxes,
    Cuboid,
    Cuboid
);
