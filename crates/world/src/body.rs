//! Bodies: what goes into a world, and how it is read back.

use impinge_shapes::glam::{Quat, Vec3};
use impinge_shapes::{Aabb, Pose, Shape};
use slotmap::{Key, new_key_type};

use crate::Groups;
use crate::bodies::Bodies;
use crate::filter::Tag;

new_key_type! {
    /// Name of a body in its world.
    ///
    /// - Ties: ids are ordered by slot, then by how often the slot was used; results that are
    ///   equal otherwise come in this order.
    /// - Degenerate: a removed body's id never names another body of that world. The default id
    ///   names none. An id means nothing in another world.
    ///
    /// ```
    /// use impinge_shapes::Shape;
    /// use impinge_world::{Body, BodyId, World};
    ///
    /// let mut world = World::new();
    /// let first = world.insert(Body::moving(Shape::sphere(1.0)?))?;
    /// assert_eq!(BodyId::from_bits(first.to_bits()), first);
    /// world.remove(first);
    /// let second = world.insert(Body::moving(Shape::sphere(1.0)?))?;
    /// assert!(second.index() == first.index() && second != first && !world.contains(first));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub struct BodyId;
}

impl BodyId {
    /// Slot of the body: small, unique among the living bodies, and reused after a removal.
    #[must_use]
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the low half is the slot")]
    pub fn index(self) -> u32 {
        self.data().as_ffi() as u32
    }

    /// The id as one number, to be stored elsewhere.
    #[must_use]
    pub fn to_bits(self) -> u64 {
        self.data().as_ffi()
    }

    /// The id that [`BodyId::to_bits`] stored; any other number names no body, or a body of
    /// the world by chance.
    #[must_use]
    pub fn from_bits(bits: u64) -> Self {
        slotmap::KeyData::from_ffi(bits).into()
    }
}

/// Whether a body is expected to move.
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, BodyKind, World};
///
/// let mut world = World::new();
/// let floor = world.insert(Body::fixed(Shape::half_space(Vec3::Y, 0.0)?))?;
/// world.insert(Body::fixed(Shape::sphere(1.0)?))?;
/// assert_eq!(world.update().contacts, 0);
/// world.set_kind(floor, BodyKind::Moving)?;
/// assert_eq!(world.update().contacts, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BodyKind {
    /// Part of the scenery. It can still be moved, at a higher cost; two fixed bodies never make
    /// a contact.
    Fixed,
    /// Moves often.
    #[default]
    Moving,
}

/// A body to be inserted into a world: a shape, where it is and how it meets others.
///
/// Position and rotation are checked by [`World::insert`](crate::World::insert).
///
/// ```
/// use impinge_shapes::{Shape, glam::{Quat, Vec3, vec3}};
/// use impinge_world::{Body, BodyError, Groups, World};
///
/// let trigger = Body::fixed(Shape::cuboid(Vec3::ONE)?)
///     .at(vec3(0.0, 1.0, 0.0))
///     .rotated(Quat::from_xyzw(0.0, 1.0, 0.0, 1.0)) // any length is a rotation
///     .groups(Groups::new(0b1, 0b10))
///     .sensor(true)
///     .user_data(42);
/// let mut world = World::new();
/// let id = world.insert(trigger.clone())?;
/// assert_eq!(world.remove(id), Some(trigger));
///
/// let lost = Body::moving(Shape::sphere(1.0)?).at(Vec3::NAN);
/// assert!(matches!(world.insert(lost), Err(BodyError::Pose(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub(crate) shape: Shape,
    pub(crate) position: Vec3,
    pub(crate) rotation: Quat,
    pub(crate) tag: Tag,
    pub(crate) user_data: u64,
    pub(crate) margin: f32,
}

impl Body {
    /// A body that is part of the scenery, at the origin.
    #[must_use]
    pub fn fixed(shape: impl Into<Shape>) -> Self {
        Self::of_kind(BodyKind::Fixed, shape.into())
    }

    /// A body that moves, at the origin.
    #[must_use]
    pub fn moving(shape: impl Into<Shape>) -> Self {
        Self::of_kind(BodyKind::Moving, shape.into())
    }

    fn of_kind(kind: BodyKind, shape: Shape) -> Self {
        Self {
            shape,
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            tag: Tag { groups: Groups::ALL, kind, sensor: false },
            user_data: 0,
            margin: 0.0,
        }
    }

    /// At this world position.
    #[must_use]
    pub fn at(mut self, position: Vec3) -> Self {
        self.position = position;
        self
    }

    /// Turned by this quaternion of any length but zero.
    #[must_use]
    pub fn rotated(mut self, rotation: Quat) -> Self {
        self.rotation = rotation;
        self
    }

    /// At this pose.
    #[must_use]
    pub fn pose(self, pose: Pose) -> Self {
        self.at(pose.position()).rotated(pose.rotation())
    }

    /// With these groups; a new body meets everything.
    #[must_use]
    pub fn groups(mut self, groups: Groups) -> Self {
        self.tag.groups = groups;
        self
    }

    /// A sensor reports overlaps and never makes contacts.
    #[must_use]
    pub fn sensor(mut self, sensor: bool) -> Self {
        self.tag.sensor = sensor;
        self
    }

    /// With a number of the caller's own.
    #[must_use]
    pub fn user_data(mut self, user_data: u64) -> Self {
        self.user_data = user_data;
        self
    }

    /// With a contact margin of its own, added to those of the world and of the other body.
    #[must_use]
    pub fn margin(mut self, margin: f32) -> Self {
        self.margin = margin;
        self
    }

    /// Shape in the body's frame.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// World position as it was given.
    #[must_use]
    pub fn position(&self) -> Vec3 {
        self.position
    }

    /// Rotation as it was given.
    #[must_use]
    pub fn rotation(&self) -> Quat {
        self.rotation
    }
}

/// Read access to a body of a world.
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, World};
///
/// let mut world = World::new();
/// let id = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::X).user_data(7))?;
/// let body = world.body(id).expect("it is there");
/// assert_eq!((body.user_data(), body.aabb().max()), (7, Vec3::new(2.0, 1.0, 1.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BodyRef<'w> {
    pub(crate) bodies: &'w Bodies,
    pub(crate) stored: &'w Stored,
    pub(crate) id: BodyId,
}

impl<'w> BodyRef<'w> {
    /// Name of the body.
    #[must_use]
    pub fn id(&self) -> BodyId {
        self.id
    }

    /// Shape in the body's frame.
    #[must_use]
    pub fn shape(&self) -> &'w Shape {
        &self.stored.shape
    }

    /// Where the body is.
    #[must_use]
    pub fn pose(&self) -> Pose {
        self.stored.pose
    }

    /// Fixed or moving.
    #[must_use]
    pub fn kind(&self) -> BodyKind {
        self.tag().kind
    }

    /// Groups it belongs to and accepts.
    #[must_use]
    pub fn groups(&self) -> Groups {
        self.tag().groups
    }

    /// Whether it reports overlaps only.
    #[must_use]
    pub fn is_sensor(&self) -> bool {
        self.tag().sensor
    }

    /// The caller's own number.
    #[must_use]
    pub fn user_data(&self) -> u64 {
        self.bodies.user_data(self.id.index())
    }

    /// Its own contact margin, without that of the world.
    #[must_use]
    pub fn margin(&self) -> f32 {
        self.bodies.margin(self.id.index())
    }

    /// The bodies that it ignores, in their order.
    pub fn ignored(&self) -> impl Iterator<Item = BodyId> + use<'w> {
        self.bodies.ignored_by(self.id)
    }

    /// World bounds at the present pose, rounded outward, without the contact margin.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        self.stored.shape.aabb(&self.stored.pose)
    }

    fn tag(&self) -> Tag {
        self.bodies.tag(self.id.index())
    }
}

/// The part of a body that the narrow phase reads: one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Stored {
    pub(crate) shape: Shape,
    pub(crate) pose: Pose,
}
