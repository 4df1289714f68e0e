//! Which kernels answer for which kind of pairs.

pub(super) use super::sort::Lane;
pub(super) use super::source::Picked;
pub(super) use super::{boxes, capsules, hulls, over, round};
pub(super) use crate::pairs::capsule_capsule::CapsuleCapsule;
pub(super) use crate::pairs::capsule_cuboid::CapsuleCuboid;
pub(super) use crate::pairs::capsule_half_space::CapsuleHalfSpace;
pub(super) use crate::pairs::capsule_sphere::CapsuleSphere;
pub(super) use crate::pairs::cone_sphere::ConeSphere;
pub(super) use crate::pairs::convex_half_space::{
    ConeHalfSpace, CylinderHalfSpace, HullHalfSpace, RoundCuboidHalfSpace, TriangleHalfSpace,
};
pub(super) use crate::pairs::cuboid_cuboid::lanes::CuboidCuboid;
pub(super) use crate::pairs::cuboid_half_space::CuboidHalfSpace;
pub(super) use crate::pairs::cuboid_sphere::CuboidSphere;
pub(super) use crate::pairs::cylinder_sphere::CylinderSphere;
pub(super) use crate::pairs::half_space_sphere::HalfSpaceSphere;
pub(super) use crate::pairs::sphere_sphere::SphereSphere;
pub(super) use crate::pairs::sphere_triangle::SphereTriangle;

/// Asks the kernels of every kind of which a run has pairs: a function of this name, which the modules
/// of all of them have, with what it takes after the pairs.
///
/// `all_but_boxes` is for who has asked for pairs of boxes.
macro_rules! ask_kernels {
    (all, $run:ident, $order:ident, $ask:ident $with:tt) => {
        ask_kernels!(@of $run, $order, $ask $with, boxes: CuboidCuboid);
        ask_kernels!(all_but_boxes, $run, $order, $ask $with);
    };
    (all_but_boxes, $run:ident, $order:ident, $ask:ident $with:tt) => {
        ask_kernels!(@of $run, $order, $ask $with, round: SphereSphere CuboidSphere CapsuleSphere
            CapsuleCapsule ConeSphere CylinderSphere SphereTriangle HalfSpaceSphere);
        ask_kernels!(@of $run, $order, $ask $with, over: CapsuleHalfSpace CuboidHalfSpace
            CylinderHalfSpace ConeHalfSpace TriangleHalfSpace RoundCuboidHalfSpace HullHalfSpace);
        ask_kernels!(@of $run, $order, $ask $with, capsules: CapsuleCuboid);
        ask_kernels!(@one $run, $order, HullHull, hulls::$ask, $with);
    };
    (@of $run:ident, $order:ident, $ask:ident $with:tt, $by:ident: $($kind:ident)*) => {
        $(ask_kernels!(@one $run, $order, $kind, $by::$ask::<kinds::$kind>, $with);)*
    };
    (
        @one $run:ident, $order:ident, $kind:ident,
        $($kernel:ident)::+ $(::<$room:ty>)?, ($($with:expr),*)
    ) => {{
        use $crate::batch::kinds;
        let pairs = kinds::Picked { run: $run, places: $order.of(kinds::Lane::$kind) };
        // A kernel makes room before it looks at the first pair.
        if !pairs.places.is_empty() {
            kinds::$($kernel)::+ $(::<$room>)? (&pairs, $($with),*);
        }
    }};
}
pub(super) use ask_kernels;
