//! The events of the last update, and how they become those of the next one.

use std::sync::Arc;

use impinge_broadphase::Pair;

use crate::events::{Counts, Event, EventKind};
use crate::patch::{Edits, Kept, before};
use crate::shared::put;

/// The events of an update, in order.
///
/// Most of them say that nothing happened. So the list of the next update is made of this one by
/// changing what did not stay the same, instead of writing all of it anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventList {
    list: Vec<Event>,
    /// Places of the events that tell of a beginning or an end.
    changes: Vec<usize>,
    /// The bodies' slots are in order, too. Where a slot was used again, its old body comes first.
    by_slots: bool,
}

impl EventList {
    pub(crate) fn new(list: Vec<Event>) -> Self {
        let places = list.iter().enumerate();
        let changes = places.filter(|(_, e)| e.kind != EventKind::Persist).map(|(k, _)| k);
        Self { changes: changes.collect(), by_slots: list.is_sorted_by_key(Kept::slots), list }
    }

    pub(crate) fn all(&self) -> &[Event] {
        &self.list
    }

    /// Events of the last update that tell of an end.
    pub(crate) fn ends(&self) -> impl Iterator<Item = &Event> {
        let changes = self.changes.iter().map(|&place| &self.list[place]);
        changes.filter(|event| event.kind == EventKind::End)
    }

    /// What there is of each kind.
    pub(crate) fn counts(&self) -> Counts {
        let ended = self.ends().count();
        let begun = self.changes.len() - ended;
        Counts { begun, persisted: self.list.len() - begun - ended, ended }
    }

    /// The empty list, with its memory if nobody shares it.
    pub(crate) fn take(events: &mut Arc<Self>) -> Vec<Event> {
        let own = Arc::get_mut(events).map(std::mem::take);
        let mut list = own.unwrap_or_default().list;
        list.clear();
        list
    }

    /// Becomes the events of the next update, at which all that is not at the sorted keys stayed as
    /// it was. `told` are the events at the keys, in order; `edits` is room to work in.
    ///
    /// Returns what there is of each kind, or `None` where all events have to be looked at: if a
    /// slot was used again.
    pub(crate) fn advance(
        events: &mut Arc<Self>,
        told: &[Event],
        keys: &[Pair],
        edits: &mut Edits<Event>,
    ) -> Option<Counts> {
        let used_again = |pair: &[Event]| {
            let (first, second) = (pair[0].a, pair[1].a);
            first != second && first.index() == second.index()
        };
        if !events.by_slots || told.windows(2).any(used_again) {
            return None;
        }
        edits.clear();
        let (mut rest, mut changes, mut place) = (told, events.changes.as_slice(), 0);
        let stays = |edits: &mut Edits<Event>, change: usize| {
            let event = events.list[change];
            let begun = event.kind == EventKind::Begin;
            let lasts = begun.then_some(Event { kind: EventKind::Persist, ..event });
            edits.replace(change, 1, lasts);
        };
        for key in keys {
            let key = key.slots();
            let start = place + before(&events.list[place..], key);
            while let Some((&change, later)) = changes.split_first().filter(|(c, _)| **c < start) {
                stays(edits, change);
                changes = later;
            }
            let at = |events: &[Event]| events.iter().take_while(|e| e.slots() == key).count();
            let (was, now) = (at(&events.list[start..]), at(rest));
            place = start + was;
            changes = &changes[changes.iter().take_while(|change| **change < place).count()..];
            if events.list[start..place] != rest[..now] {
                edits.replace(start, was, rest[..now].iter().copied());
            }
            rest = &rest[now..];
        }
        changes.iter().for_each(|&change| stays(edits, change));
        // The changes at the keys are those that are told, also where they are the same again.
        if told.iter().all(|e| e.kind == EventKind::Persist) && edits.is_empty() {
            return Some(events.counts());
        }
        let own = Arc::make_mut(events);
        edits.apply_in_place(&mut own.list);
        own.changes.clear();
        let mut place = 0;
        for event in told.iter().filter(|e| e.kind != EventKind::Persist) {
            let key = event.slots();
            place += before(&own.list[place..], key);
            while own.list.get(place).is_some_and(|other| other != event) {
                place += 1;
            }
            own.changes.push(place);
        }
        Some(own.counts())
    }

    /// Becomes this list of events; returns what there is of each kind.
    pub(crate) fn replace(events: &mut Arc<Self>, list: Vec<Event>) -> Counts {
        put(events, Self::new(list));
        events.counts()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodyId, ContactId};

    fn event(slots: (u64, u64), version: u64, kind: EventKind, sensor: bool) -> Event {
        let id = |slot: u64| BodyId::from_bits(version << 32 | slot);
        let contact = (!sensor).then(ContactId::default);
        Event { a: id(slots.0), b: id(slots.1), kind, contact, sensor }
    }

    fn keys(slots: &[(u32, u32)]) -> Vec<Pair> {
        slots.iter().map(|&(a, b)| Pair { a, b }).collect()
    }

    #[test]
    fn changes_of_the_last_update_last_or_go() {
        use EventKind::{Begin, End, Persist};
        let make = |kinds: [(u64, EventKind); 4]| {
            kinds.map(|(b, kind)| event((1, b), 1, kind, false)).to_vec()
        };
        let first = make([(2, Persist), (3, Begin), (4, End), (5, Persist)]);
        let mut list = Arc::new(EventList::new(first));
        let mut edits = Edits::default();
        let advance = |list: &mut Arc<EventList>, told: &[Event], keys, edits: &mut _| {
            let counts = EventList::advance(list, told, keys, edits).unwrap();
            let found = list.all().iter().map(|event| (event.b.index(), event.kind));
            assert_eq!(counts.ended, list.ends().count());
            assert_eq!(counts.begun + counts.persisted + counts.ended, list.all().len());
            found.collect::<Vec<_>>()
        };
        let found = advance(&mut list, &[], &[], &mut edits);
        assert_eq!(found, [(2, Persist), (3, Persist), (5, Persist)]);
        // Nothing happened: nothing is written, though somebody else holds the list.
        let other = Arc::clone(&list);
        advance(&mut list, &[], &[], &mut edits);
        assert!(Arc::ptr_eq(&list, &other));
        let told = [
            event((1, 2), 1, End, false),
            event((1, 2), 1, Begin, true),
            event((1, 4), 1, Begin, false),
        ];
        let at = keys(&[(1, 2), (1, 3), (1, 4), (1, 4)]);
        // The contact at (1, 3) was looked at and is gone without a word: that is told here, too.
        let found = advance(&mut list, &told, &at, &mut edits);
        assert_eq!(found, [(2, End), (2, Begin), (4, Begin), (5, Persist)]);
        assert_eq!(other.all().len(), 3);
        let found = advance(&mut list, &[], &[], &mut edits);
        assert_eq!(found, [(2, Persist), (4, Persist), (5, Persist)]);
    }

    #[test]
    fn slots_that_are_used_again_ask_for_all_events() {
        use EventKind::{Begin, End};
        let mut list = Arc::new(EventList::new(Vec::new()));
        let told = [event((1, 5), 1, End, false), event((1, 3), 3, Begin, false)];
        let at = keys(&[(1, 3), (1, 5)]);
        let mut edits = Edits::default();
        assert!(EventList::advance(&mut list, &told, &at, &mut edits).is_none());
        let counts = EventList::replace(&mut list, told.to_vec());
        assert_eq!((counts.begun, counts.ended), (1, 1));
        // The list is not in the order of the slots now.
        assert!(EventList::advance(&mut list, &[], &[], &mut edits).is_none());
    }
}
