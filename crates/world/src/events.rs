//! What began, lasted and ended between two updates.

use std::cmp::Ordering;

use crate::BodyId;

/// What happened to a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// The smaller id.
    pub a: BodyId,
    /// The larger id.
    pub b: BodyId,
    /// What happened.
    pub kind: EventKind,
    /// The pair overlaps through a sensor and has no contact. A body that becomes a sensor ends
    /// its contacts and begins overlaps.
    pub sensor: bool,
}

impl Event {
    fn key(&self) -> (BodyId, BodyId, bool) {
        (self.a, self.b, self.sensor)
    }
}

/// A pair as events see it.
pub(crate) type Key = (BodyId, BodyId);

/// Number of events of each kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) begun: usize,
    pub(crate) persisted: usize,
    pub(crate) ended: usize,
}

/// Appends what changed between two sorted lists of pairs, in their order.
pub(crate) fn compare(
    before: impl Iterator<Item = Key>,
    now: impl Iterator<Item = Key>,
    sensor: bool,
    events: &mut Vec<Event>,
) -> Counts {
    let (mut before, mut now) = (before.peekable(), now.peekable());
    let mut counts = Counts::default();
    loop {
        let order = match (before.peek(), now.peek()) {
            (None, None) => return counts,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => old.cmp(new),
        };
        let (kind, pair) = match order {
            Ordering::Less => {
                counts.ended += 1;
                (EventKind::End, before.next())
            }
            Ordering::Greater => {
                counts.begun += 1;
                (EventKind::Begin, now.next())
            }
            Ordering::Equal => {
                counts.persisted += 1;
                before.next();
                (EventKind::Persist, now.next())
            }
        };
        events.extend(pair.map(|(a, b)| Event { a, b, kind, sensor }));
    }
}

/// Brings the events of contacts (up to `middle`) and of sensors into one order.
pub(crate) fn merge(events: &mut [Event], middle: usize) {
    if middle < events.len() {
        // Two sorted runs: the stable sort finds and merges them.
        events.sort_by_key(Event::key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_gets_one_event() {
        let id = BodyId::from_bits;
        let (a, b, c, d) = (id(1 << 32 | 1), id(1 << 32 | 2), id(1 << 32 | 3), id(3 << 32 | 3));
        let mut events = Vec::new();
        let counts =
            compare([(a, b), (a, c)].into_iter(), [(a, b), (a, d)].into_iter(), false, &mut events);
        let kinds: Vec<_> = events.iter().map(|event| (event.b, event.kind)).collect();
        let expected = [(b, EventKind::Persist), (c, EventKind::End), (d, EventKind::Begin)];
        assert_eq!(kinds, expected);
        assert_eq!((counts.begun, counts.persisted, counts.ended), (1, 1, 1));
    }
}
