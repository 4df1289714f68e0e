//! Entrances for rays at shapes whose kind is known, one module for each.

/// A module of a kind of shapes.
macro_rules! typed {
    ($module:ident, $doc:literal, $shape:ident) => {
        #[doc = $doc]
        pub mod $module {
            use impinge_shapes::simd::SimdLevel;
            use impinge_shapes::{RayOptions, ShapeRayHit};

            use super::super::super::in_runs;
            use super::super::block::Cast;
            use super::super::sink::{Hits, Slots};
            use super::super::{AsRay, Known};

            /// Where each ray hits its shape, in their order; `out` is replaced.
            pub fn raycast<P: AsRay<impinge_shapes::$shape>>(
                rays: &[P],
                max_distance: f32,
                options: &RayOptions,
                level: SimdLevel,
                out: &mut Vec<Option<ShapeRayHit>>,
            ) {
                let cast = Cast { max_distance, options, level };
                in_runs(rays, out, |run, found| {
                    cast.answer::<impinge_shapes::$shape>(&Known(run), &mut Slots::new(found));
                });
            }

            /// Those of the rays that hit, each by its place among them, in their order; `out` is
            /// replaced.
            ///
            /// - Cost: less than [`raycast`] where many miss.
            pub fn hits<P: AsRay<impinge_shapes::$shape>>(
                rays: &[P],
                max_distance: f32,
                options: &RayOptions,
                level: SimdLevel,
                out: &mut Vec<(usize, ShapeRayHit)>,
            ) {
                let cast = Cast { max_distance, options, level };
                out.clear();
                cast.answer::<impinge_shapes::$shape>(&Known(rays), &mut Hits(out));
            }
        }
    };
}

typed!(ray_capsule, "Rays at capsules.", Capsule);
typed!(ray_cuboid, "Rays at boxes.", Cuboid);
typed!(ray_half_space, "Rays at half-spaces.", HalfSpace);
typed!(ray_sphere, "Rays at spheres.", Sphere);
typed!(ray_triangle, "Rays at triangles.", Triangle);
