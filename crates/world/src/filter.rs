//! Which bodies may meet, and which a query sees.

use std::fmt;

use crate::bodies::Bodies;
use crate::{BodyId, BodyKind};

/// Membership masks: the groups a body belongs to, and the groups it accepts.
///
/// Two bodies meet when each belongs to a group that the other accepts.
///
/// ```
/// use impinge_world::Groups;
///
/// let player = Groups::new(0b01, u32::MAX);
/// let ghost = Groups::new(0b10, !0b01);
/// assert!(player.meets(Groups::ALL));
/// assert!(!player.meets(ghost)); // the ghost does not accept players
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Groups {
    /// Groups the body belongs to, one bit each.
    pub memberships: u32,
    /// Groups whose members the body accepts.
    pub accepts: u32,
}

impl Groups {
    /// Member of every group, accepts every group.
    pub const ALL: Self = Self { memberships: u32::MAX, accepts: u32::MAX };
    /// Meets nothing.
    pub const NONE: Self = Self { memberships: 0, accepts: 0 };

    /// The two masks together.
    #[must_use]
    pub const fn new(memberships: u32, accepts: u32) -> Self {
        Self { memberships, accepts }
    }

    /// Whether each belongs to a group that the other accepts.
    #[must_use]
    #[inline]
    pub const fn meets(self, other: Self) -> bool {
        self.memberships & other.accepts != 0 && other.memberships & self.accepts != 0
    }
}

impl Default for Groups {
    fn default() -> Self {
        Self::ALL
    }
}

/// Kinds of body that a query sees; the three are disjoint.
///
/// ```
/// use impinge_world::{BodyKind, Kinds};
///
/// assert!(Kinds::FIXED.admits(BodyKind::Fixed, false));
/// assert!(!Kinds::FIXED.admits(BodyKind::Fixed, true)); // a sensor is neither
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Kinds {
    /// Fixed bodies that are no sensors.
    pub fixed: bool,
    /// Moving bodies that are no sensors.
    pub moving: bool,
    /// Sensors, fixed or moving.
    pub sensors: bool,
}

impl Kinds {
    /// Fixed and moving bodies without sensors; the default.
    pub const SOLID: Self = Self { fixed: true, moving: true, sensors: false };
    /// Every body.
    pub const ALL: Self = Self { fixed: true, moving: true, sensors: true };
    /// Fixed bodies only.
    pub const FIXED: Self = Self { fixed: true, moving: false, sensors: false };
    /// Moving bodies only.
    pub const MOVING: Self = Self { fixed: false, moving: true, sensors: false };
    /// Sensors only.
    pub const SENSORS: Self = Self { fixed: false, moving: false, sensors: true };

    /// Whether a body of this kind is among them.
    #[must_use]
    #[inline]
    pub const fn admits(self, kind: BodyKind, sensor: bool) -> bool {
        if sensor {
            return self.sensors;
        }
        match kind {
            BodyKind::Fixed => self.fixed,
            BodyKind::Moving => self.moving,
        }
    }
}

impl Default for Kinds {
    fn default() -> Self {
        Self::SOLID
    }
}

/// Which bodies a query sees.
///
/// The default sees every solid body; sensors are left out of every query unless asked for.
///
/// ```
/// use impinge_world::{BodyId, Filter, Groups, Kinds};
///
/// let me = BodyId::default();
/// let is_even = |id: BodyId| id.index() % 2 == 0;
/// let filter = Filter::new()
///     .groups(Groups::new(0b1, 0b1))
///     .kinds(Kinds::ALL)
///     .exclude(me)
///     .predicate(&is_even);
/// assert_eq!(filter.exclude, Some(me));
/// ```
#[derive(Clone, Copy, Default)]
pub struct Filter<'f> {
    /// Groups of the query itself: a body is seen when the two [meet](Groups::meets).
    pub groups: Groups,
    /// Kinds of body to see.
    pub kinds: Kinds,
    /// One body to leave out, such as the one that asks.
    pub exclude: Option<BodyId>,
    /// The body that asks: it is left out, and so is every body that it
    /// [ignores](crate::World::set_ignored).
    pub asked_by: Option<BodyId>,
    /// A last word on each body. It is asked any number of times, from any thread, and only about
    /// bodies near the query; the same body must always get the same answer.
    pub predicate: Option<&'f (dyn Fn(BodyId) -> bool + Sync)>,
}

impl<'f> Filter<'f> {
    /// Every solid body.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With other groups.
    #[must_use]
    pub fn groups(mut self, groups: Groups) -> Self {
        self.groups = groups;
        self
    }

    /// With other kinds of body.
    #[must_use]
    pub fn kinds(mut self, kinds: Kinds) -> Self {
        self.kinds = kinds;
        self
    }

    /// Without this body.
    #[must_use]
    pub fn exclude(mut self, body: BodyId) -> Self {
        self.exclude = Some(body);
        self
    }

    /// On behalf of this body: without it and without the bodies that it
    /// [ignores](crate::World::set_ignored).
    #[must_use]
    pub fn asked_by(mut self, body: BodyId) -> Self {
        self.asked_by = Some(body);
        self
    }

    /// With a last word on each body.
    #[must_use]
    pub fn predicate(mut self, predicate: &'f (dyn Fn(BodyId) -> bool + Sync)) -> Self {
        self.predicate = Some(predicate);
        self
    }

    /// Whether it sees every body with a brief: no sensors, and all groups.
    pub(crate) fn is_plain(&self) -> bool {
        self.kinds.fixed
            && self.kinds.moving
            && self.groups.meets(Groups::ALL)
            && self.exclude.is_none()
            && self.asked_by.is_none()
            && self.predicate.is_none()
    }

    /// Whether the query sees this body.
    #[inline]
    pub(crate) fn admits(&self, id: BodyId, tag: Tag, bodies: &Bodies) -> bool {
        self.kinds.admits(tag.kind, tag.sensor)
            && self.groups.meets(tag.groups)
            && self.exclude != Some(id)
            && self.asked_by.is_none_or(|asker| asker != id && !bodies.are_ignored(asker, id))
            && self.predicate.is_none_or(|predicate| predicate(id))
    }
}

impl fmt::Debug for Filter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filter")
            .field("groups", &self.groups)
            .field("kinds", &self.kinds)
            .field("exclude", &self.exclude)
            .field("asked_by", &self.asked_by)
            .field("predicate", &self.predicate.is_some())
            .finish()
    }
}

/// What filters need to know of a body, apart from its shape and pose so that it stays in cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) groups: Groups,
    pub(crate) kind: BodyKind,
    pub(crate) sensor: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_must_accept() {
        let a = Groups::new(0b01, 0b10);
        let b = Groups::new(0b10, 0b01);
        let deaf = Groups::new(0b10, 0);
        assert!(a.meets(b) && b.meets(a));
        assert!(!a.meets(deaf) && !deaf.meets(a));
        assert!(!Groups::NONE.meets(Groups::ALL));
    }

    #[test]
    fn kinds_are_disjoint() {
        for (kinds, fixed, moving, sensor) in [
            (Kinds::SOLID, true, true, false),
            (Kinds::ALL, true, true, true),
            (Kinds::FIXED, true, false, false),
            (Kinds::MOVING, false, true, false),
            (Kinds::SENSORS, false, false, true),
        ] {
            assert_eq!(kinds.admits(BodyKind::Fixed, false), fixed, "{kinds:?}");
            assert_eq!(kinds.admits(BodyKind::Moving, false), moving, "{kinds:?}");
            assert_eq!(kinds.admits(BodyKind::Fixed, true), sensor, "{kinds:?}");
            assert_eq!(kinds.admits(BodyKind::Moving, true), sensor, "{kinds:?}");
        }
    }
}
