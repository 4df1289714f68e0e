//! The world: its bodies and their changes.

use impinge_broadphase::{BroadPhase, Mobility, Pair};
use impinge_shapes::{Aabb, Pose, Shape};

use crate::bodies::{Bodies, grown};
use crate::body::Stored;
use crate::filter::Tag;
use crate::state::{CHANGED, CHANGES, NEW, RESHAPED, STALE, State};
use crate::work::Work;
use crate::{
    Body, BodyError, BodyId, BodyKind, BodyRef, Contact, ContactMut, Contacts, Event, Groups,
    Queries, SensorOverlap, WorldError,
};

/// Bodies that can be moved, asked about, and updated to find their contacts.
///
/// - Order: ids, contacts, events and results come sorted; the same calls give the same bits for
///   any number of threads.
/// - Degenerate: a clone goes on alone, with the same ids and the same answers.
/// - Cost: an update and the first query after a change follow what changed, not what exists.
///
/// ```
/// use impinge_shapes::{Pose, Shape, glam::{Vec3, vec3}};
/// use impinge_world::{Body, Filter, World};
///
/// let mut world = World::new();
/// let ball = world.insert(Body::moving(Shape::sphere(1.0)?).at(vec3(9.0, 0.0, 0.0)))?;
/// world.set_pose(ball, Pose::from_position(Vec3::ZERO)?)?;
/// let here = world.queries().contains_point(Vec3::X, &Filter::default());
/// assert_eq!(here, [ball]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct World {
    /// All but what follows from it.
    pub(crate) state: State,
    pub(crate) broad: BroadPhase,
    pub(crate) work: Work,
}

impl World {
    /// An empty world.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty world with room for this many bodies.
    #[must_use]
    pub fn with_capacity(bodies: usize) -> Self {
        let state = State { bodies: Bodies::with_capacity(bodies), ..State::default() };
        Self { state, ..Self::default() }
    }

    /// Number of bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.state.bodies.len()
    }

    /// Whether there are no bodies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the body is in the world.
    #[must_use]
    pub fn contains(&self, id: BodyId) -> bool {
        self.state.bodies.contains(id)
    }

    /// The body of this id, `None` if it was removed.
    #[must_use]
    pub fn body(&self, id: BodyId) -> Option<BodyRef<'_>> {
        let stored = self.state.bodies.get(id)?;
        Some(BodyRef { bodies: &self.state.bodies, stored, id })
    }

    /// All bodies in the order of ids.
    pub fn iter(&self) -> impl Iterator<Item = (BodyId, BodyRef<'_>)> {
        self.state.bodies.ids().filter_map(|id| Some((id, self.body(id)?)))
    }

    /// Adds a body.
    ///
    /// # Errors
    /// A position or rotation that is not finite, or a rotation of zeros.
    pub fn insert(&mut self, body: Body) -> Result<BodyId, BodyError> {
        let id = self.state.bodies.insert(body)?;
        let slot = id.index();
        self.state.marks.set(slot, CHANGED | NEW, &mut self.state.changed);
        self.announce(slot);
        Ok(id)
    }

    /// Takes a body out; its contacts end at the next update.
    pub fn remove(&mut self, id: BodyId) -> Option<Body> {
        let body = self.state.bodies.remove(id)?;
        let slot = id.index();
        self.state.marks.take(slot, STALE | CHANGES);
        self.broad.remove(slot);
        Some(body)
    }

    /// Takes all bodies out; their contacts end at the next update.
    pub fn clear(&mut self) {
        let ids: Vec<BodyId> = self.state.bodies.ids().collect();
        for id in ids {
            self.remove(id);
        }
    }

    /// Puts a body elsewhere.
    ///
    /// # Errors
    /// A stale id.
    pub fn set_pose(&mut self, id: BodyId, pose: Pose) -> Result<(), WorldError> {
        if self.state.bodies.set_pose(id, &pose).ok_or(WorldError::StaleId(id))? {
            self.mark_moved(id.index());
        }
        Ok(())
    }

    /// Puts many bodies elsewhere, in parallel; for a body that is named twice the last pose
    /// counts.
    ///
    /// - Cost: least when the ids come sorted.
    ///
    /// # Errors
    /// A stale id, the first of the list; no body is moved then.
    pub fn set_poses(&mut self, poses: &[(BodyId, Pose)]) -> Result<(), WorldError> {
        if let Some(index) = self.state.bodies.first_stale(poses) {
            return Err(WorldError::StaleIdAt { index, id: poses[index].0 });
        }
        let mut moved = std::mem::take(&mut self.work.moved);
        self.state.bodies.set_poses(poses, &mut moved);
        let State { marks, stale, changed, .. } = &mut self.state;
        for ((id, _), _) in poses.iter().zip(&moved).filter(|(_, moved)| **moved) {
            marks.set_moved(id.index(), stale, changed);
        }
        self.work.moved = moved;
        Ok(())
    }

    /// Gives a body another shape.
    ///
    /// # Errors
    /// A stale id.
    pub fn set_shape(&mut self, id: BodyId, shape: impl Into<Shape>) -> Result<(), WorldError> {
        let stored = self.state.bodies.get_mut(id).ok_or(WorldError::StaleId(id))?;
        stored.shape = shape.into();
        self.mark_moved(id.index());
        self.state.marks.set(id.index(), CHANGED | RESHAPED, &mut self.state.changed);
        Ok(())
    }

    /// Gives a body other groups.
    ///
    /// # Errors
    /// A stale id.
    pub fn set_groups(&mut self, id: BodyId, groups: Groups) -> Result<(), WorldError> {
        self.set_tag(id, |tag| tag.groups = groups)
    }

    /// Makes a body fixed or moving.
    ///
    /// # Errors
    /// A stale id.
    pub fn set_kind(&mut self, id: BodyId, kind: BodyKind) -> Result<(), WorldError> {
        self.set_tag(id, |tag| tag.kind = kind)
    }

    /// Makes a body a sensor or a solid.
    ///
    /// # Errors
    /// A stale id.
    pub fn set_sensor(&mut self, id: BodyId, sensor: bool) -> Result<(), WorldError> {
        self.set_tag(id, |tag| tag.sensor = sensor)
    }

    /// Gives a body another number of the caller's own.
    ///
    /// # Errors
    /// A stale id.
    pub fn set_user_data(&mut self, id: BodyId, user_data: u64) -> Result<(), WorldError> {
        if !self.state.bodies.contains(id) {
            return Err(WorldError::StaleId(id));
        }
        self.state.bodies.set_user_data(id.index(), user_data);
        Ok(())
    }

    /// Pairs of bodies whose bounds overlapped at the last update, sorted, the smaller id first.
    ///
    /// - Degenerate: after a removal the pairs of the removed body are left out.
    pub fn pairs(&self) -> impl Iterator<Item = (BodyId, BodyId)> {
        let pairs = self.raw_pairs().filter(|pair| !self.state.marks.any(pair.a, pair.b, NEW));
        pairs
            .map(|pair| (self.state.bodies.id(pair.a), self.state.bodies.id(pair.b)))
            .filter(|&(a, b)| a != BodyId::default() && b != BodyId::default())
    }

    /// Pairs of slots at the last update, whoever is there now.
    pub(crate) fn raw_pairs(&self) -> impl Iterator<Item = Pair> {
        let before = self.state.pairs_before.as_deref();
        let known = before.is_none().then(|| self.broad.pairs().iter());
        before.into_iter().flatten().copied().chain(known.into_iter().flatten())
    }

    /// The contacts of the last update, sorted by their bodies.
    #[must_use]
    pub fn contacts(&self) -> Contacts<'_> {
        Contacts::new(&self.state.contacts, &self.state.bodies)
    }

    /// The contacts of the last update in the same order, with their slots to be written.
    ///
    /// The list can be cut, shuffled and worked on in parallel; see [`World::set_slots`].
    ///
    /// - Cost: a list of references to all contacts.
    #[must_use]
    pub fn contacts_mut(&mut self) -> Vec<ContactMut<'_>> {
        self.state.contacts.open()
    }

    /// The contact of two bodies at the last update, in either order.
    #[must_use]
    pub fn contact(&self, a: BodyId, b: BodyId) -> Option<&Contact> {
        self.contacts().between(a, b)
    }

    /// The sensor overlaps of the last update, sorted by their bodies.
    #[must_use]
    pub fn sensor_overlaps(&self) -> &[SensorOverlap] {
        &self.state.sensors
    }

    /// What began, lasted and ended at the last update, sorted by bodies.
    ///
    /// - Cost: the first call after an update lists all that lasted; see
    ///   [`World::changed_events`] for the rest alone.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        self.state.all_events()
    }

    /// What began and ended at the last update, sorted by bodies: [`World::events`] without what
    /// lasted.
    ///
    /// ```
    /// use impinge_shapes::{Shape, glam::Vec3};
    /// use impinge_world::{Body, EventKind, World};
    ///
    /// let mut world = World::new();
    /// let a = world.insert(Body::moving(Shape::sphere(1.0)?))?;
    /// let b = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::X * 1.5))?;
    /// world.update();
    /// assert_eq!(world.changed_events()[0].kind, EventKind::Begin);
    /// world.update();
    /// assert_eq!((world.changed_events().len(), world.events().len()), (0, 1));
    /// # assert!(a < b);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn changed_events(&self) -> &[Event] {
        self.state.events.changes()
    }

    /// Questions about the bodies as they are now.
    ///
    /// - Cost: brings the query index up to date with what changed; nothing if nothing did.
    pub fn queries(&mut self) -> Queries<'_> {
        self.prepare_queries();
        Queries::of_world(&self.state.bodies, &self.broad)
    }

    /// Brings the query index up to date, so that [`World::view`] answers.
    pub fn prepare_queries(&mut self) {
        self.refresh_bounds();
        if !self.broad.index_is_current() {
            self.broad.update_index();
        }
    }

    /// [`World::queries`] from a shared world: `None` if a body was inserted, removed, moved or
    /// given another shape or kind since the last [`World::queries`] or
    /// [`World::prepare_queries`].
    ///
    /// ```
    /// use impinge_shapes::{Pose, Shape, glam::Vec3};
    /// use impinge_world::{Body, World};
    ///
    /// let mut world = World::new();
    /// let id = world.insert(Body::moving(Shape::sphere(1.0)?))?;
    /// assert!(world.view().is_none());
    /// world.prepare_queries();
    /// assert!(world.view().is_some());
    /// world.set_pose(id, Pose::from_position(Vec3::X)?)?;
    /// assert!(world.view().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn view(&self) -> Option<Queries<'_>> {
        let is_current = self.state.stale.is_empty() && self.broad.index_is_current();
        is_current.then(|| Queries::of_world(&self.state.bodies, &self.broad))
    }

    fn set_tag(&mut self, id: BodyId, change: impl FnOnce(&mut Tag)) -> Result<(), WorldError> {
        if !self.state.bodies.contains(id) {
            return Err(WorldError::StaleId(id));
        }
        let slot = id.index();
        let before = self.state.bodies.tag(slot);
        let mut after = before;
        change(&mut after);
        if after != before {
            self.state.bodies.set_tag(slot, after);
            self.state.marks.set(slot, CHANGED, &mut self.state.changed);
        }
        if after.kind != before.kind {
            self.announce(slot);
        }
        Ok(())
    }

    /// Present bounds of a body, as the broad phase is to know them.
    pub(crate) fn grown_bounds(&self, id: BodyId, stored: &Stored) -> Aabb {
        let growth = self.state.bodies.growth(id.index(), self.state.margin);
        grown(stored.shape.aabb(&stored.pose), growth)
    }

    pub(crate) fn mark_moved(&mut self, slot: u32) {
        let State { marks, stale, changed, .. } = &mut self.state;
        marks.set_moved(slot, stale, changed);
    }

    /// Tells the broad phase about a new body, or one of another kind.
    fn announce(&mut self, slot: u32) {
        let (bounds, mobility) = announced(&self.state.bodies, slot, self.state.margin);
        self.broad.set(slot, bounds, mobility);
    }

    /// Computes the bounds of moved bodies and hands them to the broad phase.
    pub(crate) fn refresh_bounds(&mut self) {
        self.state.stale.retain(|&slot| self.state.marks.take(slot, STALE));
        if self.state.stale.is_empty() {
            return;
        }
        // In the order of slots, so that the order of calls shows nowhere, and memory is walked in
        // one direction.
        let stale = &mut self.state.stale;
        if !stale.is_sorted() {
            stale.sort_unstable();
        }
        let level = self.broad.simd_level();
        let refreshed = &mut self.work.refreshed;
        self.state.bodies.refresh_bounds(stale, self.state.margin, level, refreshed);
        self.broad.set_many(&self.work.refreshed);
        self.state.stale.clear();
    }
}

/// What the broad phase is to know of a body in a world with this margin.
pub(crate) fn announced(bodies: &Bodies, slot: u32, margin: f32) -> (Aabb, Mobility) {
    let mobility = match bodies.tag(slot).kind {
        BodyKind::Fixed => Mobility::Fixed,
        BodyKind::Moving => Mobility::Moving,
    };
    (grown(*bodies.bounds(slot), bodies.growth(slot, margin)), mobility)
}

/// Whether two poses have the same bits.
pub(crate) fn is_same(a: &Pose, b: &Pose) -> bool {
    a.position().to_array().map(f32::to_bits) == b.position().to_array().map(f32::to_bits)
        && a.rotation().to_array().map(f32::to_bits) == b.rotation().to_array().map(f32::to_bits)
}
