//! The one `match` over two shapes: which room answers for a pair.
//!
//! Rooms see two simple shapes in a defined order. Shapes of several parts are taken apart in
//! `parts`, and the public queries are in `queries`.

use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::glam::Vec3;
use impinge_shapes::{
    Aabb, Capsule, Cone, Cuboid, Cylinder, HalfSpace, Pose, Shape, Sphere, Triangle,
};

use crate::pairs::{
    capsule_capsule, capsule_cuboid, capsule_half_space, capsule_sphere, cone_sphere,
    convex_half_space, cuboid_cuboid, cuboid_half_space, cuboid_sphere, cylinder_sphere,
    half_space_half_space, half_space_sphere, sphere_sphere, sphere_triangle,
};
use crate::{Impact, Patch, Relation, Relative, Separation, convex, solids};

/// A shape that is not made of parts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Simple<'a> {
    Capsule(&'a Capsule),
    Cuboid(&'a Cuboid),
    HalfSpace(&'a HalfSpace),
    Sphere(&'a Sphere),
    /// A triangle of a mesh.
    Triangle(Triangle),
    /// Any other convex shape.
    Convex(&'a Shape),
}

impl<'a> Simple<'a> {
    /// `None` for a shape of several parts.
    #[inline]
    pub(crate) fn of(shape: &'a Shape) -> Option<Self> {
        Some(match shape {
            Shape::Capsule(capsule) => Self::Capsule(capsule),
            Shape::Cuboid(cuboid) => Self::Cuboid(cuboid),
            Shape::HalfSpace(half_space) => Self::HalfSpace(half_space),
            Shape::Sphere(sphere) => Self::Sphere(sphere),
            Shape::Cylinder(_)
            | Shape::Cone(_)
            | Shape::Triangle(_)
            | Shape::ConvexHull(_)
            | Shape::Rounded(_) => Self::Convex(shape),
            Shape::TriangleMesh(_) | Shape::HeightField(_) | Shape::Compound(_) => return None,
        })
    }

    /// Whether it is a sphere, or one with a margin.
    #[inline]
    pub(crate) fn is_ball(&self) -> bool {
        match self {
            Self::Sphere(_) => true,
            Self::Convex(Shape::Rounded(it)) => matches!(it.core(), Shape::Sphere(_)),
            _ => false,
        }
    }

    /// Whether `other` is a sphere, and the two have a room.
    pub(crate) fn is_beside_sphere(&self, other: &Self) -> bool {
        let has_room = match self {
            Self::Convex(shape) => {
                matches!(shape, Shape::Cone(_) | Shape::Cylinder(_) | Shape::Triangle(_))
            }
            Self::Triangle(_) => false,
            _ => true,
        };
        has_room && matches!(other, Self::Sphere(_))
    }

    /// Bounds in the world.
    pub(crate) fn aabb(&self, pose: &Pose) -> Aabb {
        match self {
            Self::Capsule(capsule) => capsule.aabb(pose),
            Self::Cuboid(cuboid) => cuboid.aabb(pose),
            Self::HalfSpace(half_space) => half_space.aabb(pose),
            Self::Sphere(sphere) => sphere.aabb(pose),
            Self::Triangle(triangle) => triangle.aabb(pose),
            Self::Convex(shape) => shape.aabb(pose),
        }
    }

    /// The core and its radii; `None` for a half-space.
    pub(crate) fn solid(&self) -> Option<Solid<'a>> {
        match *self {
            Self::Capsule(capsule) => Some(capsule.into()),
            Self::Cuboid(cuboid) => Some(cuboid.into()),
            Self::HalfSpace(_) => None,
            Self::Sphere(sphere) => Some(sphere.into()),
            Self::Triangle(triangle) => Some(Core::Triangle(triangle.vertices()).into()),
            Self::Convex(shape) => shape.solid(),
        }
    }
}

/// Two simple shapes in the order of their room.
#[derive(Clone, Copy)]
pub(crate) enum Pair<'a> {
    CapsuleCapsule(&'a Capsule, &'a Capsule),
    CapsuleCuboid(&'a Capsule, &'a Cuboid),
    CapsuleHalfSpace(&'a Capsule, &'a HalfSpace),
    CapsuleSphere(&'a Capsule, &'a Sphere),
    ConeSphere(&'a Cone, &'a Sphere),
    ConvexConvex(Solid<'a>, Solid<'a>),
    ConvexHalfSpace(Solid<'a>, &'a HalfSpace),
    CuboidCuboid(&'a Cuboid, &'a Cuboid),
    CuboidHalfSpace(&'a Cuboid, &'a HalfSpace),
    CuboidSphere(&'a Cuboid, &'a Sphere),
    CylinderSphere(&'a Cylinder, &'a Sphere),
    HalfSpaceHalfSpace(&'a HalfSpace, &'a HalfSpace),
    HalfSpaceSphere(&'a HalfSpace, &'a Sphere),
    SphereSphere(&'a Sphere, &'a Sphere),
    SphereTriangle(&'a Sphere, &'a Triangle),
}

impl<'a> Pair<'a> {
    /// The registry: every ordered pair has an arm. Also says whether A and B changed places to
    /// get into the room's order.
    #[inline]
    pub(crate) fn of(a: &Simple<'a>, b: &Simple<'a>) -> (Self, bool) {
        use Simple::{Capsule, Convex, Cuboid, HalfSpace, Sphere, Triangle};
        match (*a, *b) {
            (Capsule(a), Capsule(b)) => (Self::CapsuleCapsule(a, b), false),
            (Capsule(a), Cuboid(b)) => (Self::CapsuleCuboid(a, b), false),
            (Cuboid(a), Capsule(b)) => (Self::CapsuleCuboid(b, a), true),
            (Capsule(a), HalfSpace(b)) => (Self::CapsuleHalfSpace(a, b), false),
            (HalfSpace(a), Capsule(b)) => (Self::CapsuleHalfSpace(b, a), true),
            (Capsule(a), Sphere(b)) => (Self::CapsuleSphere(a, b), false),
            (Sphere(a), Capsule(b)) => (Self::CapsuleSphere(b, a), true),
            (Cuboid(a), Cuboid(b)) => (Self::CuboidCuboid(a, b), false),
            (Cuboid(a), HalfSpace(b)) => (Self::CuboidHalfSpace(a, b), false),
            (HalfSpace(a), Cuboid(b)) => (Self::CuboidHalfSpace(b, a), true),
            (Cuboid(a), Sphere(b)) => (Self::CuboidSphere(a, b), false),
            (Sphere(a), Cuboid(b)) => (Self::CuboidSphere(b, a), true),
            (HalfSpace(a), HalfSpace(b)) => (Self::HalfSpaceHalfSpace(a, b), false),
            (HalfSpace(a), Sphere(b)) => (Self::HalfSpaceSphere(a, b), false),
            (Sphere(a), HalfSpace(b)) => (Self::HalfSpaceSphere(b, a), true),
            (Sphere(a), Sphere(b)) => (Self::SphereSphere(a, b), false),
            (Convex(Shape::Cone(a)), Sphere(b)) => (Self::ConeSphere(a, b), false),
            (Sphere(b), Convex(Shape::Cone(a))) => (Self::ConeSphere(a, b), true),
            (Convex(Shape::Cylinder(a)), Sphere(b)) => (Self::CylinderSphere(a, b), false),
            (Sphere(b), Convex(Shape::Cylinder(a))) => (Self::CylinderSphere(a, b), true),
            (Sphere(a), Convex(Shape::Triangle(b))) => (Self::SphereTriangle(a, b), false),
            (Convex(Shape::Triangle(b)), Sphere(a)) => (Self::SphereTriangle(a, b), true),
            (HalfSpace(half_space), Convex(_) | Triangle(_)) => {
                (Self::ConvexHalfSpace(over_plane(b), half_space), true)
            }
            (Convex(_) | Triangle(_), HalfSpace(half_space)) => {
                (Self::ConvexHalfSpace(over_plane(a), half_space), false)
            }
            (Convex(_) | Triangle(_), _) | (_, Convex(_) | Triangle(_)) => {
                (Self::ConvexConvex(solid(a), solid(b)), false)
            }
        }
    }

    /// The pair's frame with A and B in the room's order.
    ///
    /// How a ball is turned shows in no answer, so its rotation is left out of the work.
    #[inline(always)]
    pub(crate) fn frame(self, pose_a: &Pose, pose_b: &Pose, flipped: bool) -> Relative {
        let (a, b) = if flipped { (pose_b, pose_a) } else { (pose_a, pose_b) };
        match self {
            Self::SphereSphere(..) => Relative::new(&a.unrotated(), &b.unrotated()),
            Self::CapsuleSphere(..)
            | Self::ConeSphere(..)
            | Self::CuboidSphere(..)
            | Self::CylinderSphere(..)
            | Self::HalfSpaceSphere(..) => Relative::new(a, &b.unrotated()),
            Self::SphereTriangle(..) => Relative::new(&a.unrotated(), b),
            Self::ConvexConvex(one, other) => solids::frame((&one, a), (&other, b)),
            Self::ConvexHalfSpace(one, _) => Relative::new(&solids::shown(&one, a), b),
            Self::CapsuleCapsule(..)
            | Self::CapsuleCuboid(..)
            | Self::CapsuleHalfSpace(..)
            | Self::CuboidCuboid(..)
            | Self::CuboidHalfSpace(..)
            | Self::HalfSpaceHalfSpace(..) => Relative::new(a, b),
        }
    }

    #[inline(always)]
    pub(crate) fn relation(self, at: &Relative) -> Relation {
        match self {
            Self::CapsuleCapsule(a, b) => capsule_capsule::relation(a, b, at),
            Self::CapsuleCuboid(a, b) => capsule_cuboid::relation(a, b, at),
            Self::CapsuleHalfSpace(a, b) => capsule_half_space::relation(a, b, at),
            Self::CapsuleSphere(a, b) => capsule_sphere::relation(a, b, at),
            Self::ConeSphere(a, b) => cone_sphere::relation(a, b, at),
            Self::ConvexConvex(a, b) => convex::relation(a, b, at),
            Self::ConvexHalfSpace(a, b) => convex_half_space::relation(a, b, at),
            Self::CuboidCuboid(a, b) => cuboid_cuboid::relation(a, b, at),
            Self::CuboidHalfSpace(a, b) => cuboid_half_space::relation(a, b, at),
            Self::CuboidSphere(a, b) => cuboid_sphere::relation(a, b, at),
            Self::CylinderSphere(a, b) => cylinder_sphere::relation(a, b, at),
            Self::HalfSpaceHalfSpace(a, b) => half_space_half_space::relation(a, b, at),
            Self::HalfSpaceSphere(a, b) => half_space_sphere::relation(a, b, at),
            Self::SphereSphere(a, b) => sphere_sphere::relation(a, b, at),
            Self::SphereTriangle(a, b) => sphere_triangle::relation(a, b, at),
        }
    }

    #[inline(always)]
    pub(crate) fn closest(self, at: &Relative) -> Separation {
        match self {
            Self::CapsuleCapsule(a, b) => capsule_capsule::closest(a, b, at),
            Self::CapsuleCuboid(a, b) => capsule_cuboid::closest(a, b, at),
            Self::CapsuleHalfSpace(a, b) => capsule_half_space::closest(a, b, at),
            Self::CapsuleSphere(a, b) => capsule_sphere::closest(a, b, at),
            Self::ConeSphere(a, b) => cone_sphere::closest(a, b, at),
            Self::ConvexConvex(a, b) => convex::closest(a, b, at),
            Self::ConvexHalfSpace(a, b) => convex_half_space::closest(a, b, at),
            Self::CuboidCuboid(a, b) => cuboid_cuboid::closest(a, b, at),
            Self::CuboidHalfSpace(a, b) => cuboid_half_space::closest(a, b, at),
            Self::CuboidSphere(a, b) => cuboid_sphere::closest(a, b, at),
            Self::CylinderSphere(a, b) => cylinder_sphere::closest(a, b, at),
            Self::HalfSpaceHalfSpace(a, b) => half_space_half_space::closest(a, b, at),
            Self::HalfSpaceSphere(a, b) => half_space_sphere::closest(a, b, at),
            Self::SphereSphere(a, b) => sphere_sphere::closest(a, b, at),
            Self::SphereTriangle(a, b) => sphere_triangle::closest(a, b, at),
        }
    }

    /// As [`Pair::closest`]; `None` where some pairs tell early that they are farther apart than
    /// `most`.
    #[inline(always)]
    pub(crate) fn closest_within(self, at: &Relative, most: f64) -> Option<Separation> {
        match self {
            Self::ConvexConvex(a, b) => convex::closest_within(&a, &b, at, most),
            _ => Some(self.closest(at)),
        }
    }

    #[inline(always)]
    pub(crate) fn manifold(self, at: &Relative, margin: f64) -> Option<Patch> {
        match self {
            Self::CapsuleCapsule(a, b) => capsule_capsule::manifold(a, b, at, margin),
            Self::CapsuleCuboid(a, b) => capsule_cuboid::manifold(a, b, at, margin),
            Self::CapsuleHalfSpace(a, b) => capsule_half_space::manifold(a, b, at, margin),
            Self::CapsuleSphere(a, b) => capsule_sphere::manifold(a, b, at, margin),
            Self::ConeSphere(a, b) => cone_sphere::manifold(a, b, at, margin),
            Self::ConvexConvex(a, b) => convex::manifold(a, b, at, margin),
            Self::ConvexHalfSpace(a, b) => convex_half_space::manifold(a, b, at, margin),
            Self::CuboidCuboid(a, b) => cuboid_cuboid::manifold(a, b, at, margin),
            Self::CuboidHalfSpace(a, b) => cuboid_half_space::manifold(a, b, at, margin),
            Self::CuboidSphere(a, b) => cuboid_sphere::manifold(a, b, at, margin),
            Self::CylinderSphere(a, b) => cylinder_sphere::manifold(a, b, at, margin),
            Self::HalfSpaceHalfSpace(a, b) => half_space_half_space::manifold(a, b, at, margin),
            Self::HalfSpaceSphere(a, b) => half_space_sphere::manifold(a, b, at, margin),
            Self::SphereSphere(a, b) => sphere_sphere::manifold(a, b, at, margin),
            Self::SphereTriangle(a, b) => sphere_triangle::manifold(a, b, at, margin),
        }
    }

    /// [`Pair::sweep`] of two that are certainly apart at the start, where some pairs tell it sooner;
    /// `None` inside for none before the share `most` of the path.
    #[inline(always)]
    pub(crate) fn sweep_from_afar(
        self,
        at: &Relative,
        motion: Vec3,
        most: f64,
    ) -> Option<Option<Impact>> {
        match self {
            Self::ConvexConvex(a, b) => convex::sweep_from_afar(a, b, at, motion, most),
            _ => None,
        }
    }

    /// B moves by `motion`, along the world's axes.
    pub(crate) fn sweep(self, at: &Relative, motion: Vec3) -> Option<Impact> {
        match self {
            Self::CapsuleCapsule(a, b) => capsule_capsule::sweep(a, b, at, motion),
            Self::CapsuleCuboid(a, b) => capsule_cuboid::sweep(a, b, at, motion),
            Self::CapsuleHalfSpace(a, b) => capsule_half_space::sweep(a, b, at, motion),
            Self::CapsuleSphere(a, b) => capsule_sphere::sweep(a, b, at, motion),
            Self::ConeSphere(a, b) => cone_sphere::sweep(a, b, at, motion),
            Self::ConvexConvex(a, b) => convex::sweep(a, b, at, motion),
            Self::ConvexHalfSpace(a, b) => convex_half_space::sweep(a, b, at, motion),
            Self::CuboidCuboid(a, b) => cuboid_cuboid::sweep(a, b, at, motion),
            Self::CuboidHalfSpace(a, b) => cuboid_half_space::sweep(a, b, at, motion),
            Self::CuboidSphere(a, b) => cuboid_sphere::sweep(a, b, at, motion),
            Self::CylinderSphere(a, b) => cylinder_sphere::sweep(a, b, at, motion),
            Self::HalfSpaceHalfSpace(a, b) => half_space_half_space::sweep(a, b, at, motion),
            Self::HalfSpaceSphere(a, b) => half_space_sphere::sweep(a, b, at, motion),
            Self::SphereSphere(a, b) => sphere_sphere::sweep(a, b, at, motion),
            Self::SphereTriangle(a, b) => sphere_triangle::sweep(a, b, at, motion),
        }
    }
}

/// The core of a shape that the match knows to be convex.
fn solid<'a>(shape: &Simple<'a>) -> Solid<'a> {
    shape.solid().unwrap_or_else(|| Core::Point.into())
}

/// The same over a half-space, where a cylinder or a cone without a radius has the points and names
/// of any other.
fn over_plane<'a>(shape: &Simple<'a>) -> Solid<'a> {
    match shape {
        Simple::Convex(Shape::Cylinder(cylinder)) => cylinder.into(),
        Simple::Convex(Shape::Cone(cone)) => cone.into(),
        _ => solid(shape),
    }
}
