//! Contacts and sensor overlaps as the caller sees them.

use impinge_narrowphase::{ContactPoint, Manifold};
use impinge_shapes::glam::Vec3;
use rayon::prelude::*;
use smallvec::SmallVec;

use crate::bodies::Bodies;
use crate::entries::{Cursor, EntryIter};
use crate::events::{Key, Keyed};
use crate::store::ContactStore;
use crate::{BodyId, BodyKind};

/// Name of a contact from its Begin to its End.
///
/// - Ties: the name depends on what touched before, as that of a body does, but not on threads.
/// - Degenerate: the id of a contact that ended never names another one, and an id that an update
///   frees is used again by later updates only. The default id names none.
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, World};
///
/// let mut world = World::new();
/// let a = world.insert(Body::moving(Shape::sphere(1.0)?))?;
/// let b = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::X * 1.5))?;
/// world.update();
/// let id = world.contact(a, b).expect("they touch").id;
/// world.update();
/// assert_eq!(world.contacts().by_id(id).map(|contact| (contact.a, contact.b)), Some((a, b)));
/// world.remove(b);
/// world.update();
/// assert!(world.contacts().by_id(id).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactId {
    pub(crate) index: u32,
    /// How often the index was used; 0 for the default id.
    pub(crate) version: u32,
}

impl ContactId {
    pub(crate) const NONE: Self = Self { index: 0, version: 0 };

    /// Small, unique among the contacts of an update, and used again after an End: a place in
    /// tables of the caller's.
    #[must_use]
    pub fn index(self) -> u32 {
        self.index
    }

    /// The id as one number, to be stored elsewhere.
    #[must_use]
    pub fn to_bits(self) -> u64 {
        u64::from(self.version) << 32 | u64::from(self.index)
    }

    /// The id that [`ContactId::to_bits`] stored; any other number names no contact, or one by
    /// chance.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "the low half is the index")]
    pub fn from_bits(bits: u64) -> Self {
        Self { index: bits as u32, version: (bits >> 32) as u32 }
    }
}

/// Numbers of the caller's own at a contact point, such as the impulses that a solver starts from.
///
/// All zero where a point is new, and carried over from update to update as long as the same
/// features touch; see [`World::set_slots`](crate::World::set_slots).
pub type Slot = [f32; 4];

/// A contact point as its two bodies see it, at the poses of the last update.
///
/// - Error: each number is that of the world point within a rounding of its coordinates.
///
/// ```
/// use impinge_shapes::{Pose, Shape, glam::{Vec3, vec3}};
/// use impinge_world::{Body, World};
///
/// let mut world = World::new();
/// world.set_slots(true);
/// world.insert(Body::fixed(Shape::half_space(Vec3::Y, 0.0)?))?;
/// let ball = world.insert(Body::moving(Shape::sphere(0.5)?).at(vec3(3.0, 0.25, 0.0)))?;
/// world.update();
/// let contact = world.contacts().with_slots().next().unwrap();
/// let anchor = &contact.anchors[0];
/// assert_eq!(anchor.local_b, vec3(0.0, -0.5, 0.0)); // the lowest point, in the ball's frame
///
/// // Between updates a solver measures the depth anew from the poses of its own.
/// let raised = Pose::from_position(vec3(3.0, 0.375, 0.0))?;
/// let depth = |pose: &Pose| anchor.local_a.y - pose.transform_point(anchor.local_b).y;
/// assert_eq!((depth(&world.body(ball).unwrap().pose()), depth(&raised)), (0.25, 0.125));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Anchor {
    /// The point on A's surface, in A's frame.
    pub local_a: Vec3,
    /// The point on B's surface, in B's frame.
    pub local_b: Vec3,
    /// The normal, from A to B, in A's frame.
    pub local_normal: Vec3,
}

/// Two bodies that touch, or nearly do if the world has a contact margin.
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, World};
///
/// let mut world = World::new();
/// world.insert(Body::fixed(Shape::cuboid(Vec3::ONE)?))?;
/// world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::Y * 1.5))?;
/// world.update();
/// for contact in world.contacts() {
///     let manifold = &contact.manifolds[0];
///     assert_eq!(manifold.normal, Vec3::Y); // from the box to the ball
///     assert_eq!(manifold.points[0].distance, -0.5);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// Its name, the same from Begin to End.
    pub id: ContactId,
    /// The smaller id.
    pub a: BodyId,
    /// The larger id.
    pub b: BodyId,
    /// One for two simple shapes; one for each pair of touching parts otherwise. Never empty.
    pub manifolds: SmallVec<[Manifold; 1]>,
}

impl Contact {
    /// The least signed distance of all its points.
    #[must_use]
    pub fn distance(&self) -> f32 {
        self.manifolds.iter().map(Manifold::distance).fold(f32::INFINITY, f32::min)
    }

    /// The points of all manifolds, each with its manifold; slots and anchors come in this order.
    pub fn points(&self) -> impl Iterator<Item = (&Manifold, &ContactPoint)> {
        self.manifolds
            .iter()
            .flat_map(|manifold| manifold.points.iter().map(move |point| (manifold, point)))
    }

    /// Number of points of all manifolds.
    #[must_use]
    pub fn point_count(&self) -> usize {
        self.manifolds.iter().map(|manifold| manifold.points.len()).sum()
    }

    /// The other body of a contact of this body, `None` if it is neither.
    #[must_use]
    pub fn other(&self, body: BodyId) -> Option<BodyId> {
        if body == self.a {
            Some(self.b)
        } else if body == self.b {
            Some(self.a)
        } else {
            None
        }
    }
}

/// A contact with what a solver needs of it; both lists are empty unless the world
/// [keeps slots](crate::World::set_slots).
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, World};
///
/// let mut world = World::new();
/// world.set_slots(true);
/// world.insert(Body::fixed(Shape::half_space(Vec3::Y, 0.0)?))?;
/// world.insert(Body::moving(Shape::cuboid(Vec3::ONE)?).at(Vec3::Y))?;
/// world.update();
/// for found in world.contacts().with_slots() {
///     assert_eq!((found.anchors.len(), found.slots.len()), (4, 4));
///     for ((manifold, point), anchor) in found.contact.points().zip(found.anchors) {
///         assert_eq!((manifold.normal, point.distance), (Vec3::Y, 0.0));
///         assert_eq!(anchor.local_normal, Vec3::Y);
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ContactRef<'w> {
    /// The contact.
    pub contact: &'w Contact,
    /// One for each of its [points](Contact::points).
    pub anchors: &'w [Anchor],
    /// One for each of its [points](Contact::points).
    pub slots: &'w [Slot],
}

/// [`ContactRef`] whose slots can be written.
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, World};
///
/// let mut world = World::new();
/// world.set_slots(true);
/// let floor = world.insert(Body::fixed(Shape::half_space(Vec3::Y, 0.0)?))?;
/// let ball = world.insert(Body::moving(Shape::sphere(0.5)?).at(Vec3::Y * 0.5))?;
/// world.update();
/// // One loop warms up a solver: begin with what the slot holds, end with what was found.
/// for contact in world.contacts_mut() {
///     for ((_, point), slot) in contact.contact.points().zip(contact.slots) {
///         slot[0] = 0.5 * slot[0] + 9.81; // an impulse along the normal
///         assert_eq!(point.distance, 0.0);
///     }
/// }
/// world.update();
/// let kept = world.contacts().with_slots().next().unwrap();
/// assert_eq!((kept.contact.a, kept.contact.b, kept.slots[0][0]), (floor, ball, 9.81));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ContactMut<'w> {
    /// The contact.
    pub contact: &'w Contact,
    /// One for each of its [points](Contact::points).
    pub anchors: &'w [Anchor],
    /// One for each of its [points](Contact::points).
    pub slots: &'w mut [Slot],
}

/// Two bodies that overlap, at least one of which is a sensor.
///
/// ```
/// use impinge_shapes::Shape;
/// use impinge_world::{Body, SensorOverlap, World};
///
/// let mut world = World::new();
/// let a = world.insert(Body::moving(Shape::sphere(1.0)?))?;
/// let b = world.insert(Body::fixed(Shape::sphere(1.0)?).sensor(true))?;
/// world.update();
/// assert_eq!(world.sensor_overlaps(), [SensorOverlap { a, b }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SensorOverlap {
    /// The smaller id.
    pub a: BodyId,
    /// The larger id.
    pub b: BodyId,
}

/// The contacts of the last update, sorted by their bodies.
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, World};
///
/// let mut world = World::new();
/// let a = world.insert(Body::moving(Shape::sphere(1.0)?))?;
/// let b = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::X * 1.5))?;
/// world.update();
/// assert_eq!(world.contacts().len(), 1);
/// assert_eq!(world.contacts().of(b).filter_map(|contact| contact.other(b)).next(), Some(a));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Contacts<'w> {
    store: &'w ContactStore,
    bodies: &'w Bodies,
}

impl<'w> Contacts<'w> {
    pub(crate) fn new(store: &'w ContactStore, bodies: &'w Bodies) -> Self {
        Self { store, bodies }
    }

    /// Number of contacts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.store.entries().len()
    }

    /// Whether nothing touches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The contacts in the order of their bodies.
    #[must_use]
    pub fn iter(&self) -> ContactIter<'w> {
        ContactIter { store: self.store, entries: self.store.entries().iter() }
    }

    /// The contact at this place of the order.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<&'w Contact> {
        (place < self.len()).then(|| self.store.nth(place, &mut Cursor::default()))
    }

    /// The contact of this name, `None` once it has ended.
    ///
    /// - Cost: a look-up of its bodies.
    #[must_use]
    pub fn by_id(&self, id: ContactId) -> Option<&'w Contact> {
        let (a, b) = self.store.ids().bodies(id)?;
        self.between(a, b).filter(|contact| contact.id == id)
    }

    /// The contacts of one body, in the order of all.
    ///
    /// - Cost: the first call after an update lists the contacts of every body; from then on it
    ///   follows the contacts of the body.
    pub fn of(&self, body: BodyId) -> impl Iterator<Item = &'w Contact> + use<'w> {
        let store = self.store;
        let of_slot = store.by_slot().of(body.index()).iter().map(|&place| store.at(place));
        of_slot.filter(move |contact| contact.a == body || contact.b == body)
    }

    /// The contacts between bodies of these kinds, as they are now, in either order; those of
    /// removed bodies are left out.
    pub fn of_kinds(
        &self,
        one: BodyKind,
        other: BodyKind,
    ) -> impl Iterator<Item = &'w Contact> + use<'w> {
        let bodies = self.bodies;
        let kind = |id: BodyId| bodies.get(id).map(|_| bodies.tag(id.index()).kind);
        self.iter().filter(move |contact| {
            let kinds = (kind(contact.a), kind(contact.b));
            kinds == (Some(one), Some(other)) || kinds == (Some(other), Some(one))
        })
    }

    /// The contacts in parallel, in the caller's rayon pool; what is collected comes in order.
    ///
    /// ```
    /// use impinge_shapes::{Shape, glam::Vec3};
    /// use impinge_world::{Body, World};
    /// use rayon::prelude::*;
    ///
    /// let mut world = World::new();
    /// for x in 0..4_u8 {
    ///     world.insert(Body::moving(Shape::sphere(0.75)?).at(Vec3::X * f32::from(x)))?;
    /// }
    /// world.update();
    /// let depths: Vec<f32> = world.contacts().par_iter().map(|c| -c.distance()).collect();
    /// assert_eq!(depths, [0.5; 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn par_iter(&self) -> impl IndexedParallelIterator<Item = &'w Contact> + use<'w> {
        let store = self.store;
        let places = (0..self.len()).into_par_iter();
        places.map_init(Cursor::default, |cursor, place| store.nth(place, cursor))
    }

    /// The contacts with their anchors and slots, in the order of their bodies.
    pub fn with_slots(&self) -> impl ExactSizeIterator<Item = ContactRef<'w>> + use<'w> {
        let store = self.store;
        store.entries().iter().map(|entry| store.with_slots(entry))
    }

    /// The contact of two bodies, in either order.
    ///
    /// - Cost: a binary search among the contacts of the smaller id.
    #[must_use]
    pub fn between(&self, a: BodyId, b: BodyId) -> Option<&'w Contact> {
        let (a, b) = (a.min(b), a.max(b));
        let entry = self.store.entries().find((a.index(), b.index()))?;
        (entry.key() == (a, b)).then(|| self.store.at(entry.place))
    }
}

impl<'w> IntoIterator for Contacts<'w> {
    type Item = &'w Contact;
    type IntoIter = ContactIter<'w>;

    fn into_iter(self) -> ContactIter<'w> {
        self.iter()
    }
}

/// Iterator over [`Contacts`].
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, World};
///
/// let mut world = World::new();
/// for x in 0..4_u8 {
///     world.insert(Body::moving(Shape::sphere(0.75)?).at(Vec3::X * f32::from(x)))?;
/// }
/// world.update();
/// let contacts = world.contacts().iter();
/// assert_eq!(contacts.len(), 3);
/// assert!(contacts.clone().is_sorted_by_key(|contact| (contact.a, contact.b)));
/// assert_eq!(contacts.rev().next(), world.contacts().get(2)); // from the end, too
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ContactIter<'w> {
    store: &'w ContactStore,
    entries: EntryIter<'w>,
}

impl<'w> Iterator for ContactIter<'w> {
    type Item = &'w Contact;

    fn next(&mut self) -> Option<&'w Contact> {
        self.entries.next().map(|entry| self.store.at(entry.place))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entries.size_hint()
    }
}

impl DoubleEndedIterator for ContactIter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.entries.next_back().map(|entry| self.store.at(entry.place))
    }
}

impl ExactSizeIterator for ContactIter<'_> {}

impl Keyed for SensorOverlap {
    fn key(&self) -> Key {
        (self.a, self.b)
    }
}
