//! The events of the last update.

use std::sync::{Mutex, OnceLock, PoisonError};

use crate::contacts::SensorOverlap;
use crate::entries::Entries;
use crate::events::{Counts, Event, EventKind, event};

/// What began and ended at an update; what lasted is what is there and did not begin.
#[derive(Debug, Default)]
pub(crate) struct EventList {
    /// In order.
    changes: Vec<Event>,
    /// All events, made when they are first asked for.
    all: OnceLock<Vec<Event>>,
    /// Memory of the events of an earlier update.
    spare: Mutex<Vec<Event>>,
}

impl Clone for EventList {
    /// What began and ended; a list of all is made anew.
    fn clone(&self) -> Self {
        Self { changes: self.changes.clone(), ..Self::default() }
    }
}

impl EventList {
    /// Those of an update at which this began and ended, and nothing else.
    pub(crate) fn new(changes: Vec<Event>) -> Self {
        Self { changes, ..Self::default() }
    }

    /// Begins and ends, sorted.
    pub(crate) fn changes(&self) -> &[Event] {
        &self.changes
    }

    /// The list of an earlier update without its events, for those of this one; they are to be
    /// written in order.
    pub(crate) fn renew(&mut self) -> &mut Vec<Event> {
        if let Some(mut memory) = self.all.take() {
            memory.clear();
            *self.spare.get_mut().unwrap_or_else(PoisonError::into_inner) = memory;
        }
        self.changes.clear();
        &mut self.changes
    }

    /// All events of the update that left these contacts and sensor overlaps.
    pub(crate) fn all(&self, contacts: &Entries, sensors: &[SensorOverlap]) -> &[Event] {
        self.all.get_or_init(|| {
            let spare = &mut *self.spare.lock().unwrap_or_else(PoisonError::into_inner);
            let mut all = std::mem::take(spare);
            list(&self.changes, contacts, sensors, &mut all);
            all
        })
    }

    /// What there is of each kind, where so many contacts and sensor overlaps are left.
    pub(crate) fn counts(&self, left: usize) -> Counts {
        let ended = self.changes.iter().filter(|event| event.kind == EventKind::End).count();
        let begun = self.changes.len() - ended;
        Counts { begun, persisted: left.saturating_sub(begun), ended }
    }
}

/// Lists changes, and a `Persist` for all that is there without one, in order.
fn list(changes: &[Event], contacts: &Entries, sensors: &[SensorOverlap], all: &mut Vec<Event>) {
    all.clear();
    all.reserve(contacts.len() + sensors.len() + changes.len());
    let mut changes = changes.iter().peekable();
    let mut sensors = sensors.iter().map(|pair| event(EventKind::Persist, pair, true)).peekable();
    // Writes all that comes before, and the event itself unless it is told as another kind.
    let mut write = |lasting: Event, all: &mut Vec<Event>| {
        while let Some(change) = changes.next_if(|change| change.key() < lasting.key()) {
            all.push(*change);
        }
        let told = changes.next_if(|change| change.key() == lasting.key());
        all.push(told.copied().unwrap_or(lasting));
    };
    for entry in contacts.iter() {
        let lasting = event(EventKind::Persist, entry, false);
        while let Some(sensor) = sensors.next_if(|sensor| sensor.key() < lasting.key()) {
            write(sensor, all);
        }
        write(lasting, all);
    }
    for sensor in sensors {
        write(sensor, all);
    }
    all.extend(changes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entries::{Entry, Place};
    use crate::{BodyId, ContactId};

    fn ids((a, b): (u64, u64)) -> (BodyId, BodyId) {
        let id = |slot: u64| BodyId::from_bits(1 << 32 | slot);
        (id(a), id(b))
    }

    fn change(kind: EventKind, slots: (u64, u64), sensor: bool) -> Event {
        let (a, b) = ids(slots);
        let contact = (!sensor).then(|| ContactId::from_bits(1 << 32 | slots.1));
        Event { a, b, kind, contact, sensor }
    }

    #[test]
    fn what_did_not_begin_lasted() {
        use EventKind::{Begin, End, Persist};
        let mut contacts = Entries::default();
        for slots in [(1, 2), (1, 4), (2, 3), (5, 6)] {
            let (a, b) = ids(slots);
            let (id, place) =
                (ContactId::from_bits(1 << 32 | slots.1), Place { page: 0, index: 0 });
            contacts.append(&[Entry { a, b, id, place }]);
        }
        let overlaps = [(1, 3), (2, 4), (7, 8)].map(|slots| {
            let (a, b) = ids(slots);
            SensorOverlap { a, b }
        });
        let mut events = EventList::default();
        let changes = [
            change(End, (1, 1), false),
            change(Begin, (1, 4), false),
            change(End, (1, 4), true),
            change(End, (2, 4), false),
            change(Begin, (2, 4), true),
            change(End, (9, 10), true),
        ];
        for _ in 0..2 {
            events.renew().extend(changes);
            let all = events.all(&contacts, &overlaps);
            let told: Vec<_> =
                all.iter().map(|e| (e.a.index(), e.b.index(), e.kind, e.sensor)).collect();
            let expected = [
                (1, 1, End, false),
                (1, 2, Persist, false),
                (1, 3, Persist, true),
                (1, 4, Begin, false),
                (1, 4, End, true),
                (2, 3, Persist, false),
                (2, 4, End, false),
                (2, 4, Begin, true),
                (5, 6, Persist, false),
                (7, 8, Persist, true),
                (9, 10, End, true),
            ];
            assert_eq!(told, expected);
            assert!(all.iter().all(|event| event.sensor == event.contact.is_none()));
            let counts = events.counts(contacts.len() + overlaps.len());
            assert_eq!((counts.begun, counts.persisted, counts.ended), (2, 5, 4));
        }
        events.renew();
        assert_eq!(events.all(&Entries::default(), &[]), []);
    }
}
