//! The collision world of impinge: bodies, update, contacts, events, queries.
//!
//! The only crate that knows both phases: it keeps the bodies, hands their bounds to the broad
//! phase and the pairs that come back to the narrow phase.
//!
//! ```
//! use impinge_shapes::{Ray, Shape, glam::{Vec3, vec3}};
//! use impinge_world::{Body, EventKind, Filter, World};
//!
//! let mut world = World::new();
//! let floor = world.insert(Body::fixed(Shape::half_space(Vec3::Y, 0.0)?))?;
//! let ball = world.insert(Body::moving(Shape::sphere(0.5)?).at(vec3(0.0, 0.5, 0.0)))?;
//!
//! world.update();
//! assert_eq!(world.contacts().len(), 1); // touching counts
//! assert_eq!(world.events()[0].kind, EventKind::Begin);
//!
//! let ray = Ray::new(vec3(0.0, 5.0, 0.0), Vec3::NEG_Y)?;
//! let hit = world.queries().raycast(&ray, 100.0, &Filter::default()).unwrap();
//! assert_eq!((hit.body, hit.distance), (ball, 4.0));
//! # assert!(floor < ball);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod anchors;
mod binary;
mod bodies;
mod body;
mod by_slot;
mod contacts;
mod counter;
mod debug_draw;
mod entries;
mod error;
mod event_list;
mod events;
mod explain;
mod face;
mod filter;
mod hits;
mod names;
mod page;
mod parallel;
mod patch;
mod queries;
#[cfg(feature = "serde")]
mod serial;
mod settings;
mod shared;
mod snapshot;
mod spans;
mod state;
mod store;
mod task;
mod tolerance;
mod update;
mod work;
mod world;

pub use binary::DecodeError;
pub use body::{Body, BodyId, BodyKind, BodyRef};
pub use contacts::{
    Anchor, Contact, ContactId, ContactIter, ContactMut, ContactRef, Contacts, SensorOverlap, Slot,
};
pub use counter::QueryCounter;
pub use debug_draw::{Color, DebugDraw, DrawColors, DrawOptions, draw_ray, draw_shape, draw_sweep};
pub use error::{BodyError, WorldError};
pub use events::{Event, EventKind};
pub use explain::{Explanation, Verdict};
pub use filter::{Filter, Groups, Kinds};
pub use hits::{BodyImpact, ClosestBody, FirstImpact, Hits, PlaneSplit, RayHit, SweepHit};
pub use queries::{
    AabbQuery, BatchControl, ClosestQuery, FixedHits, GridMotion, GridMover, ImpactGrid,
    ImpactQuery, MovementQuery, OverlapQuery, PlanesQuery, PointQuery, Queries, RayQuery,
    SweepGrid, SweepQuery,
};
pub use snapshot::Snapshot;
pub use update::{Stage, UpdateObserver, UpdateOptions, UpdateReport};
pub use world::World;
