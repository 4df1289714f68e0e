//! A collision world: exact overlap, raycast and sweep queries over many moving bodies, their
//! contacts and their events, in parallel and with the same bits on every machine.
//!
//! ```
//! use impinge::prelude::*;
//!
//! let mut world = World::new();
//! let floor = world.insert(Body::fixed(Shape::half_space(Vec3::Y, 0.0)?))?;
//! let ball = world.insert(Body::moving(Shape::sphere(0.5)?).at(vec3(0.0, 3.0, 0.0)))?;
//! world.update();
//! assert!(world.contacts().is_empty());
//!
//! world.set_pose(ball, Pose::from_position(vec3(0.0, 0.4, 0.0))?)?;
//! world.update();
//! for contact in world.contacts() {
//!     assert_eq!((contact.a, contact.b), (floor, ball));
//!     assert_eq!(contact.manifolds[0].normal, Vec3::Y); // from a to b
//! }
//!
//! let queries = world.queries();
//! let ray = Ray::new(vec3(0.0, 9.0, 0.0), Vec3::NEG_Y)?;
//! let hit = queries.raycast(&ray, 100.0, &Filter::default()).unwrap();
//! assert_eq!(hit.body, ball);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What every answer means, touching, ties and bad input included, is in `docs/semantics.md`.
//! The crates behind this one can be used alone: [`shapes`], [`broadphase`] (boxes and ids),
//! [`narrowphase`] (two shapes) and [`world`].

pub use impinge_broadphase as broadphase;
pub use impinge_narrowphase as narrowphase;
pub use impinge_shapes as shapes;
pub use impinge_world as world;

pub use impinge_narrowphase::{
    Closest, ContactPoint, FeatureId, ImpactHit, ImpactOptions, Manifold, Motion, MotionError,
    Projection, Relation, ShapeSweepHit, SweepOptions, TimeOfImpact, time_of_impact,
};
pub use impinge_shapes::{
    Aabb, AabbError, Capsule, CapsuleError, Compound, CompoundError, Cone, ConeError, ConvexHull,
    ConvexHullError, Cuboid, CuboidError, Cylinder, CylinderError, EdgeKind, HalfSpace,
    HalfSpaceError, HeightField, HeightFieldError, MassProperties, Obb, ObbError, Plane,
    PlaneError, PlaneSide, Pose, PoseError, Ray, RayCrossing, RayCrossings, RayError, RayOptions,
    Rounded, RoundedError, Shape, ShapeRayHit, Sides, Sphere, SphereError, StartedInside, Triangle,
    TriangleError, TriangleMesh, TriangleMeshError, TriangleSet, glam,
};
pub use impinge_world::{
    AabbQuery, Anchor, BatchControl, Body, BodyError, BodyId, BodyImpact, BodyKind, BodyRef,
    ClosestBody, ClosestQuery, Color, Contact, ContactId, ContactIter, ContactMut, ContactRef,
    Contacts, DebugDraw, DecodeError, DrawColors, DrawOptions, Event, EventKind, Explanation,
    Filter, FirstImpact, FixedHits, GridMotion, GridMover, Groups, Hits, ImpactGrid, ImpactQuery,
    Kinds, MovementQuery, OverlapQuery, PlaneSplit, PlanesQuery, PointQuery, Queries, QueryCounter,
    RayHit, RayQuery, SensorOverlap, Slot, Snapshot, Stage, SweepGrid, SweepHit, SweepQuery,
    UpdateObserver, UpdateOptions, UpdateReport, Verdict, World, WorldError, draw_ray, draw_shape,
    draw_sweep,
};

/// What most programs need, glam's vectors included.
pub mod prelude {
    pub use crate::glam::{Quat, Vec3, vec3};
    pub use crate::{
        Aabb, Body, BodyId, BodyKind, ClosestQuery, Contact, Event, EventKind, Filter, Groups,
        Hits, Kinds, OverlapQuery, Plane, Pose, Queries, Ray, RayHit, RayQuery, Shape, SweepHit,
        SweepQuery, World,
    };
}

/// The examples of the README and of the pages, compiled and run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;

    #[doc = include_str!("../docs/batches.md")]
    struct Batches;

    #[doc = include_str!("../docs/contacts.md")]
    struct Contacts;
}
