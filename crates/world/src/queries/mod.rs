//! Questions about the bodies of a world.

mod batch;
mod best;
mod closest;
mod closest_many;
mod control;
mod fixed;
mod grid;
mod impact;
mod last_word;
mod lists;
mod order;
mod overlap;
mod plain;
mod plane;
mod ray;
mod sweep;
mod sweep_many;
mod touching;
mod volley;

use impinge_broadphase::{BroadPhase, QueryIndex};

use crate::bodies::{Bodies, Encounter};
use crate::body::Stored;
use crate::{BodyId, Filter, QueryCounter};
use order::Batch;

pub use closest::ClosestQuery;
pub use control::BatchControl;
pub use fixed::FixedHits;
pub use grid::{GridMotion, GridMover, ImpactGrid, SweepGrid};
pub use impact::ImpactQuery;
pub use overlap::OverlapQuery;
pub use plain::{AabbQuery, MovementQuery, PlanesQuery, PointQuery};
pub use ray::RayQuery;
pub use sweep::SweepQuery;

/// A view of the world that answers questions; made by [`World::queries`](crate::World::queries),
/// [`World::view`](crate::World::view) or [`Snapshot::queries`](crate::Snapshot::queries).
///
/// It borrows the world, so it is never out of date, and it can be shared between threads.
///
/// - Ties: results come by distance (or fraction), then body, then part; a single result is the
///   first of these.
/// - Degenerate: a maximum distance that is NaN and a displacement that is not finite hit nothing.
/// - Cost: follows the bodies near the query. A filter is asked before the shape is looked at.
///
/// ```
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
/// use impinge_world::{Body, Filter, World};
///
/// let mut world = World::new();
/// let id = world.insert(Body::moving(Shape::cuboid(Vec3::ONE)?))?;
/// let (queries, all) = (world.queries(), Filter::default());
/// let probe = Shape::sphere(0.5)?;
/// assert_eq!(queries.overlap(&probe, &Pose::from_position(Vec3::X)?, &all), [id]);
/// assert_eq!(queries.closest_point(Vec3::X * 3.0, 9.0, &all).map(|near| near.body), Some(id));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Queries<'w> {
    bodies: &'w Bodies,
    index: &'w QueryIndex,
    /// What the index belongs to, which may have a better one for many queries.
    broad: Option<&'w BroadPhase>,
    counter: Option<&'w QueryCounter>,
    control: Option<&'w BatchControl<'w>>,
}

impl<'w> Queries<'w> {
    pub(crate) fn new(bodies: &'w Bodies, index: &'w QueryIndex) -> Self {
        Self { bodies, index, broad: None, counter: None, control: None }
    }

    /// Of a world whose index is up to date, or one without room that many queries had made.
    pub(crate) fn of_world(bodies: &'w Bodies, broad: &'w BroadPhase) -> Self {
        Self { broad: Some(broad), ..Self::new(bodies, broad.index_for(0)) }
    }

    /// The same view, with the best index for this many queries.
    fn for_many(&self, queries: usize) -> Self {
        let index = self.broad.map_or(self.index, |broad| broad.index_for(queries));
        Self { index, ..*self }
    }

    /// The same view, whose queries are counted.
    #[must_use]
    pub fn counting<'c>(self, counter: &'c QueryCounter) -> Queries<'c>
    where
        'w: 'c,
    {
        Queries { counter: Some(counter), ..self }
    }

    /// The same view, whose batches tell their progress and can be cancelled.
    #[must_use]
    pub fn controlled<'c>(self, control: &'c BatchControl<'c>) -> Queries<'c>
    where
        'w: 'c,
    {
        Queries { control: Some(control), ..self }
    }

    fn batch(&self) -> Batch<'_> {
        Batch { bodies: self.index.len(), control: self.control }
    }

    /// Fetches ahead the bodies that queries met.
    fn fetch(&self, slots: impl Iterator<Item = u32>) {
        slots.for_each(|slot| self.bodies.prefetch(slot));
    }

    /// [`Queries::seen`] with a filter that is plain.
    #[inline(always)]
    fn seen_plainly(&self, slot: u32, filter: &Filter<'_>) -> Option<(BodyId, &'w Stored)> {
        match self.bodies.glimpse(slot) {
            Some((stored, brief)) if brief.is_known() => Some((brief.id(slot), stored)),
            _ => self.seen(slot, filter),
        }
    }

    /// The body in this slot, if the filter lets it through.
    #[inline(always)]
    fn seen(&self, slot: u32, filter: &Filter<'_>) -> Option<(BodyId, &'w Stored)> {
        let Encounter { id, tag, stored } = self.bodies.met(slot)?;
        let admitted = filter.admits(id, tag, self.bodies);
        if let Some(counter) = self.counter {
            counter.count(admitted);
        }
        admitted.then_some((id, stored))
    }
}
