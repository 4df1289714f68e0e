//! The state of a world at one moment, kept.

use std::fmt;
use std::sync::{Arc, OnceLock};

use impinge_broadphase::{Pair, QueryIndex};
use impinge_shapes::Aabb;

use crate::state::State;
use crate::world::{World, announced};
use crate::{BodyId, BodyRef, Contact, Contacts, Event, Queries, SensorOverlap};

/// A world as it was at one moment: to ask it questions, to go back to it, or to go on from it
/// elsewhere.
///
/// A snapshot shares with its world, and with the snapshots before it, all that did not change in
/// between. It can be sent to and read from any thread.
///
/// - Cost: taking one counts references: one for every 64 bodies, one for every sixteen with the
///   contacts of theirs and one for every page of contacts, and copies a byte for each body. The
///   next update copies what it changes: the chunks of the bodies that moved, the lists of contacts
///   of these, and the query index. A snapshot between two updates, with bodies that changed since
///   the last one, also lists all pairs, and indexes its bodies anew for its first query.
///
/// ```
/// use impinge_shapes::{Pose, Ray, Shape, glam::Vec3};
/// use impinge_world::{Body, Filter, World};
///
/// let mut world = World::new();
/// let ball = world.insert(Body::moving(Shape::sphere(1.0)?))?;
/// world.update();
/// let then = world.snapshot();
/// world.set_pose(ball, Pose::from_position(Vec3::X * 50.0)?)?;
/// world.update();
///
/// // What did this ray hit back then?
/// let ray = Ray::new(Vec3::Y * 5.0, Vec3::NEG_Y)?;
/// assert!(world.queries().raycast(&ray, 9.0, &Filter::default()).is_none());
/// assert_eq!(then.queries().raycast(&ray, 9.0, &Filter::default()).unwrap().body, ball);
///
/// // And back.
/// world.restore(&then);
/// assert_eq!(world.body(ball).unwrap().pose().position(), Vec3::ZERO);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Snapshot {
    kept: Arc<Kept>,
}

/// What the clones of a snapshot share.
#[derive(Debug)]
struct Kept {
    state: State,
    /// The query index of the bodies, unless it was out of date.
    index: Option<QueryIndex>,
    /// The world again, made when a snapshot without index is first asked.
    indexed: OnceLock<Box<World>>,
}

impl World {
    /// The world as it is now; see [`Snapshot`].
    ///
    /// - Cost: least right after an update.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let is_current = self.state.stale.is_empty() && self.broad.index_is_current();
        let state = State { pairs_before: self.pairs_between(), ..self.state.clone() };
        Snapshot::new(state, is_current.then(|| self.broad.index_for(0).clone()))
    }

    /// Pairs of the last update, if bounds changed since, so that they do not follow from these.
    pub(crate) fn pairs_between(&self) -> Option<Arc<Vec<Pair>>> {
        if self.state.pairs_before.is_some() {
            return self.state.pairs_before.clone();
        }
        let is_between = !self.state.stale.is_empty() || !self.broad.is_current();
        is_between.then(|| Arc::new(self.raw_pairs().collect()))
    }

    /// Makes the world what it was when the snapshot was taken, of this world or another: bodies
    /// with their ids, settings, contacts with their names and slots, events, and what changed
    /// since the last update. It goes on from there with the same bits.
    ///
    /// - Cost: looks at the chunks of bodies that differ, and brings pairs and query index up to
    ///   date with the bodies that do.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.restore_broad_phase(snapshot.state());
        self.state = snapshot.state().clone();
    }

    /// Brings the broad phase to the bounds that the state knows. Its answers do not depend on how
    /// it came there.
    fn restore_broad_phase(&mut self, state: &State) {
        // Bounds that the broad phase got are those of the bodies but for the stale ones; with
        // another margin all differ.
        let same_margin = self.state.margin.to_bits() == state.margin.to_bits();
        let all = self.state.bodies.end().max(state.bodies.end());
        let all = if same_margin { 0 } else { u32::try_from(all).unwrap_or(u32::MAX) };
        let differing: Vec<u32> = self.state.bodies.unshared(&state.bodies).collect();
        let stale = self.state.stale.iter().copied();
        for slot in differing.into_iter().chain(stale).chain(0..all) {
            if !state.bodies.is_alive(slot) {
                self.broad.remove(slot);
                continue;
            }
            let (bounds, mobility) = announced(&state.bodies, slot, state.margin);
            let is_known = self.broad.bounds(slot).is_some_and(|known| same_bits(&known, &bounds))
                && self.broad.mobility(slot) == Some(mobility);
            if !is_known {
                self.broad.set(slot, bounds, mobility);
            }
        }
        self.broad.update();
    }
}

fn same_bits(a: &Aabb, b: &Aabb) -> bool {
    let bits = |bounds: &Aabb| [bounds.min(), bounds.max()].map(|v| v.to_array().map(f32::to_bits));
    bits(a) == bits(b)
}

impl Snapshot {
    pub(crate) fn new(state: State, index: Option<QueryIndex>) -> Self {
        Self { kept: Arc::new(Kept { state, index, indexed: OnceLock::new() }) }
    }

    pub(crate) fn state(&self) -> &State {
        &self.kept.state
    }

    /// A world of its own that goes on from here.
    ///
    /// - Cost: finds all pairs and builds a query index.
    #[must_use]
    pub fn to_world(&self) -> World {
        let mut world = World::new();
        world.restore(self);
        world
    }

    /// Questions about the bodies as they were.
    #[must_use]
    pub fn queries(&self) -> Queries<'_> {
        if let Some(index) = &self.kept.index {
            return Queries::new(&self.kept.state.bodies, index);
        }
        let indexed = self.kept.indexed.get().unwrap_or_else(|| {
            // Made before the cell is locked: while it waits for other threads, this one may be
            // given a task that asks the same snapshot.
            let mut world = self.to_world();
            world.prepare_queries();
            self.kept.indexed.get_or_init(|| Box::new(world))
        });
        Queries::of_world(&indexed.state.bodies, &indexed.broad)
    }

    /// Number of bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.state.bodies.len()
    }

    /// Whether there were no bodies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the body was in the world.
    #[must_use]
    pub fn contains(&self, id: BodyId) -> bool {
        self.kept.state.bodies.contains(id)
    }

    /// The body of this id as it was, `None` if it was not there.
    #[must_use]
    pub fn body(&self, id: BodyId) -> Option<BodyRef<'_>> {
        let stored = self.kept.state.bodies.get(id)?;
        Some(BodyRef { bodies: &self.kept.state.bodies, stored, id })
    }

    /// All bodies in the order of ids.
    pub fn iter(&self) -> impl Iterator<Item = (BodyId, BodyRef<'_>)> {
        self.kept.state.bodies.ids().filter_map(|id| Some((id, self.body(id)?)))
    }

    /// The contacts of the last update before it, sorted by their bodies.
    #[must_use]
    pub fn contacts(&self) -> Contacts<'_> {
        Contacts::new(&self.kept.state.contacts, &self.kept.state.bodies)
    }

    /// The contact of two bodies, in either order.
    #[must_use]
    pub fn contact(&self, a: BodyId, b: BodyId) -> Option<&Contact> {
        self.contacts().between(a, b)
    }

    /// The sensor overlaps of the last update before it, sorted by their bodies.
    #[must_use]
    pub fn sensor_overlaps(&self) -> &[SensorOverlap] {
        &self.kept.state.sensors
    }

    /// The events of the last update before it, sorted by bodies.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        self.kept.state.all_events()
    }

    /// [`Snapshot::events`] without what lasted, sorted by bodies.
    #[must_use]
    pub fn changed_events(&self) -> &[Event] {
        self.kept.state.events.changes()
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("bodies", &self.len())
            .field("contacts", &self.contacts().len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::Vec3;
    use impinge_shapes::{Pose, Shape};

    use super::*;
    use crate::Body;
    use crate::bodies::CHUNK;

    /// A line of balls, each touching the next.
    fn line(count: u8) -> World {
        let mut world = World::new();
        for x in 0..count {
            let ball = Body::moving(Shape::sphere(0.5).unwrap()).at(Vec3::X * f32::from(x));
            world.insert(ball).unwrap();
        }
        world.update();
        world
    }

    #[test]
    fn only_what_changed_is_copied() {
        let mut world = line(200);
        let (first, second) = (world.snapshot(), world.snapshot());
        assert_eq!(first.state().bodies.unshared(&second.state().bodies).count(), 0);
        let id = first.iter().nth(70).unwrap().0;
        world.set_pose(id, Pose::from_position(Vec3::Y * 9.0).unwrap()).unwrap();
        // A pose that is the same moves nothing.
        let same = first.iter().nth(5).map(|(id, body)| (id, body.pose())).unwrap();
        world.set_pose(same.0, same.1).unwrap();
        world.set_poses(&[same]).unwrap();
        world.update();
        let third = world.snapshot();
        let copied: Vec<u32> = first.state().bodies.unshared(&third.state().bodies).collect();
        assert_eq!((copied.len(), copied.contains(&id.index())), (CHUNK, true));
        assert_eq!((first.contacts().len(), third.contacts().len()), (199, 197));
        let kept = [&first, &third].map(|snapshot| snapshot.contacts().get(0).unwrap());
        assert!(std::ptr::eq(kept[0], kept[1]));
    }

    #[test]
    fn snapshots_after_an_update_list_no_pairs() {
        let mut world = line(9);
        assert!(world.snapshot().state().pairs_before.is_none());
        assert!(world.snapshot().kept.index.is_some());
        let id = world.iter().next().unwrap().0;
        world.remove(id);
        let between = world.snapshot();
        assert_eq!(between.state().pairs_before.as_ref().map(|pairs| pairs.len()), Some(8));
        assert!(between.kept.index.is_none());
        world.update();
        world.restore(&between);
        assert_eq!(world.pairs().count(), 7);
        assert_eq!(world.update().pairs, 7);
        assert!(world.snapshot().state().pairs_before.is_none());
    }

    #[test]
    fn snapshots_cross_threads() {
        fn check<T: Send + Sync + Clone>() {}
        check::<Snapshot>();
    }
}
