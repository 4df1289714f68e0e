//! Cases for tests: random ones, and those where tests between shapes usually go wrong.
//!
//! Every case carries its [`Class`], so that a test can assert that each class occurred.

#![expect(
    clippy::missing_panics_doc,
    reason = "what is generated is valid by construction; a panic is a bug of a generator"
)]

mod courses;
mod exact;
mod pairs;
pub mod points;
mod shapes;
mod single;

use glam::Vec3;
use impinge_shapes::{Pose, round};

use crate::rng::Rng;

pub use courses::{Course, course, nudged};
pub use exact::ExactTurn;
pub use pairs::{PairCase, pair};
pub use shapes::{landmark, shape};
pub use single::{
    AabbCase, PlaneCase, RayCase, SweepCase, aabbs, plane_case, point_case, ray_case, sweep_case,
};

/// What is special about a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Nothing: about half of them overlap.
    Random,
    /// Within some 1e-7, relative, of touching along a random, a face's or an edge's direction.
    NearTouching,
    /// Touching exactly, by construction from numbers that every step keeps exact.
    Touching,
    /// One unit in the last place of a coordinate away from touching exactly.
    UlpFromTouching,
    /// Axes parallel, or within 1e-8 to 1e-2 of it, and near touching.
    Parallel,
    /// The same shape in the same place.
    Identical,
    /// One deep inside the other.
    Contained,
    /// Zero extents, lengths or radii.
    Flat,
    /// Sizes around 1 at 1e4 to 1e6 from the origin.
    FarAway,
    /// Sizes and distances among the denormal numbers.
    Denormal,
    /// Zeros of both signs among the coordinates.
    NegativeZero,
    /// Sizes that differ by factors up to a million.
    MixedScale,
}

impl Class {
    /// Every class.
    pub const ALL: [Self; 12] = [
        Self::Random,
        Self::NearTouching,
        Self::Touching,
        Self::UlpFromTouching,
        Self::Parallel,
        Self::Identical,
        Self::Contained,
        Self::Flat,
        Self::FarAway,
        Self::Denormal,
        Self::NegativeZero,
        Self::MixedScale,
    ];
}

/// Kinds of shapes that are generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// [`impinge_shapes::Sphere`].
    Sphere,
    /// [`impinge_shapes::Cuboid`].
    Cuboid,
    /// [`impinge_shapes::Capsule`].
    Capsule,
    /// [`impinge_shapes::Cylinder`].
    Cylinder,
    /// [`impinge_shapes::Cone`].
    Cone,
    /// [`impinge_shapes::Triangle`].
    Triangle,
    /// [`impinge_shapes::ConvexHull`] of at most 16 points.
    ConvexHull,
    /// [`impinge_shapes::Rounded`] of one of the convex ones.
    Rounded,
    /// [`Kind::Rounded`] whose core has corners only, so that answers are known exactly.
    RoundedPolytope,
    /// [`impinge_shapes::HalfSpace`].
    HalfSpace,
    /// [`impinge_shapes::TriangleMesh`] of a few triangles.
    TriangleMesh,
    /// [`impinge_shapes::HeightField`] of a few cells.
    HeightField,
    /// [`impinge_shapes::Compound`] of two or three of the bounded ones.
    Compound,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::Sphere,
        Self::Cuboid,
        Self::Capsule,
        Self::Cylinder,
        Self::Cone,
        Self::Triangle,
        Self::ConvexHull,
        Self::Rounded,
        Self::HalfSpace,
        Self::TriangleMesh,
        Self::HeightField,
        Self::Compound,
    ];

    /// The kinds with rooms for their pairs, and compounds of them.
    pub const WITH_ROOMS: [Self; 5] =
        [Self::Sphere, Self::Cuboid, Self::Capsule, Self::HalfSpace, Self::Compound];

    /// The bounded convex kinds.
    pub const CONVEX: [Self; 9] = [
        Self::Sphere,
        Self::Cuboid,
        Self::Capsule,
        Self::Cylinder,
        Self::Cone,
        Self::Triangle,
        Self::ConvexHull,
        Self::Rounded,
        Self::RoundedPolytope,
    ];

    /// The kinds that are not made of others, and have exact rays, points and planes.
    pub const SIMPLE: [Self; 9] = [
        Self::Sphere,
        Self::Cuboid,
        Self::Capsule,
        Self::Cylinder,
        Self::Cone,
        Self::Triangle,
        Self::ConvexHull,
        Self::RoundedPolytope,
        Self::HalfSpace,
    ];
}

/// A pose from finite numbers.
pub(crate) fn pose(position: Vec3, rotation: glam::Quat) -> Pose {
    Pose::new(position, rotation).expect("generated poses are finite")
}

/// `v` with each component moved by at most `steps` units in the last place.
#[must_use]
pub fn nudge(v: Vec3, steps: usize, rng: &mut Rng) -> Vec3 {
    Vec3::from_array(v.to_array().map(|mut x| {
        let up = rng.one_in(2);
        for _ in 0..rng.below(steps + 1) {
            x = if up { x.next_up() } else { x.next_down() };
        }
        x
    }))
}

/// A size between 1e-3 and 1e4.
pub(crate) fn any_size(rng: &mut Rng) -> f64 {
    rng.power_of_ten(-3.0, 4.0)
}

/// A point at about `reach` times a factor up to `most` from another, in any direction.
pub(crate) fn beside(point: Vec3, reach: f64, most: f64, rng: &mut Rng) -> Vec3 {
    let way = rng.direction().as_dvec3() * (reach * most * rng.unit());
    round::nearest_vec(point.as_dvec3() + way)
}
