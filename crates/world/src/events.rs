//! What began, lasted and ended between two updates.

use std::cmp::Ordering;

use crate::{BodyId, ContactId};

/// What happened to a pair of bodies.
///
/// ```
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
/// use impinge_world::{Body, EventKind, World};
///
/// let mut world = World::new();
/// world.insert(Body::fixed(Shape::half_space(Vec3::Y, 0.0)?))?;
/// let ball = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::Y * 5.0))?;
/// let mut told = Vec::new();
/// for height in [5.0, 1.0, 0.5, 5.0, 5.0] {
///     world.set_pose(ball, Pose::from_position(Vec3::Y * height)?)?;
///     world.update();
///     told.push(world.events().first().map(|event| event.kind));
/// }
/// use EventKind::{Begin, End, Persist};
/// assert_eq!(told, [None, Some(Begin), Some(Persist), Some(End), None]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EventKind {
    /// In contact now, not at the last update.
    Begin,
    /// In contact at both updates.
    Persist,
    /// In contact at the last update, not now.
    End,
}

/// A change, or its absence, between the last two updates.
///
/// For each pair there is one `Begin`, then a `Persist` at each update, then one `End`, whatever
/// ended it: a move, a change of shape, kind or groups, or a removal. The ids of an `End` may
/// therefore be stale.
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, EventKind, World};
///
/// let mut world = World::new();
/// let a = world.insert(Body::moving(Shape::sphere(1.0)?))?;
/// let b = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::X * 1.5))?;
/// world.update();
/// world.remove(a);
/// world.update();
/// let end = world.events()[0];
/// assert_eq!((end.kind, end.a, end.b, end.sensor), (EventKind::End, a, b, false));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// The smaller id.
    pub a: BodyId,
    /// The larger id.
    pub b: BodyId,
    /// What happened.
    pub kind: EventKind,
    /// The contact, which an `End` names for the last time; `None` for sensors.
    pub contact: Option<ContactId>,
    /// The pair overlaps through a sensor and has no contact. A body that becomes a sensor ends
    /// its contacts and begins overlaps.
    pub sensor: bool,
}

impl Event {
    pub(crate) fn key(&self) -> (BodyId, BodyId, bool) {
        (self.a, self.b, self.sensor)
    }
}

/// A pair of bodies, the smaller id first.
pub(crate) type Key = (BodyId, BodyId);

/// What has a pair of bodies.
pub(crate) trait Keyed {
    fn key(&self) -> Key;

    /// Name of the contact, if it is one.
    fn contact(&self) -> Option<ContactId> {
        None
    }
}

/// Number of events of each kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) begun: usize,
    pub(crate) persisted: usize,
    pub(crate) ended: usize,
}

pub(crate) fn event<T: Keyed>(kind: EventKind, pair: &T, sensor: bool) -> Event {
    let (a, b) = pair.key();
    Event { a, b, kind, contact: pair.contact(), sensor }
}

/// Appends what began and ended between two sorted lists of pairs, in their order.
pub(crate) fn compare<T: Keyed>(
    mut before: &[T],
    mut now: &[T],
    sensor: bool,
    events: &mut Vec<Event>,
) {
    loop {
        let order = match (before.first(), now.first()) {
            (None, None) => return,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => old.key().cmp(&new.key()),
        };
        let change = match order {
            Ordering::Less => before.split_off_first().map(|pair| (EventKind::End, pair)),
            Ordering::Greater => now.split_off_first().map(|pair| (EventKind::Begin, pair)),
            Ordering::Equal => {
                (before, now) = (&before[1..], &now[1..]);
                None
            }
        };
        events.extend(change.map(|(kind, pair)| event(kind, pair, sensor)));
    }
}

/// [`compare`] where at most one pair was, and one is.
pub(crate) fn compare_one<T: Keyed>(
    before: Option<&T>,
    now: Option<&T>,
    sensor: bool,
    events: &mut Vec<Event>,
) {
    let [before, now] =
        [before, now].map(|pair| pair.map(std::slice::from_ref).unwrap_or_default());
    compare(before, now, sensor, events);
}

pub(crate) fn sort(events: &mut [Event]) {
    events.sort_by_key(Event::key);
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Keyed for Key {
        fn key(&self) -> Key {
            *self
        }
    }

    #[test]
    fn every_pair_that_changed_gets_one_event() {
        let id = BodyId::from_bits;
        let (a, b, c, d) = (id(1 << 32 | 1), id(1 << 32 | 2), id(1 << 32 | 3), id(3 << 32 | 3));
        let mut events = Vec::new();
        let (before, now) = ([(a, b), (a, c)], [(a, b), (a, d)]);
        compare(&before, &now, false, &mut events);
        let kinds: Vec<_> = events.iter().map(|event| (event.b, event.kind)).collect();
        assert_eq!(kinds, [(c, EventKind::End), (d, EventKind::Begin)]);
    }
}
