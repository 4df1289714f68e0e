//! The world against the naive one: after an update, and whenever nothing may have changed.

use std::collections::{BTreeMap, BTreeSet};

use impinge_world::{
    BodyId, BodyKind, Contact, ContactId, Event, EventKind, UpdateOptions, UpdateReport, Verdict,
};

use super::change::same_bits;
use super::naive::{Key, Mark, NaiveBody, meets};
use super::{Soak, draw};
use crate::check::expect_same;

fn apart_by_index(a: BodyId, b: BodyId) -> bool {
    !(a.index() + b.index()).is_multiple_of(3)
}

impl Soak {
    pub(super) fn update(&mut self) -> Result<(), String> {
        let filtered = self.rng.one_in(8);
        let filter: &(dyn Fn(BodyId, BodyId) -> bool + Sync) = &apart_by_index;
        let thorough = self.naive.bodies.len() <= 24 || self.rng.one_in(32);
        if self.rng.one_in(8) {
            // Refreshes the bounds before the update does.
            self.world.prepare_queries();
        }
        let changed = self.naive.changed.len();
        self.naive.update(&|a, b| !filtered || filter(a, b), thorough)?;
        let contact_filter = filtered.then_some(filter);
        let report = self.world.update_with(UpdateOptions { contact_filter, observer: None });
        self.check_report(&report, changed)?;
        self.check_names()?;
        self.check_slots()?;
        self.check_standing()?;
        self.check_contacts_of_bodies()?;
        self.figures.pairs += report.pairs;
        self.figures.filtered += report.filtered_pairs;
        self.figures.contacts += report.contacts;
        self.figures.sensor_overlaps += report.sensor_overlaps;
        self.figures.begun += report.begun;
        self.figures.persisted += report.persisted;
        self.figures.ended += report.ended;
        self.hash_update();
        Ok(())
    }

    fn check_report(&self, report: &UpdateReport, changed: usize) -> Result<(), String> {
        let naive = &self.naive;
        let of = |kind| naive.events.iter().filter(|event| event.kind == kind).count();
        // How much work it was is the world's own business.
        let mut expected = *report;
        expected.moved = changed;
        expected.resting = naive.bodies.len() - changed;
        expected.pairs = naive.pairs.len();
        expected.filtered_pairs = naive.filtered;
        expected.contacts = naive.contacts.len();
        expected.sensor_overlaps = naive.sensors.len();
        expected.begun = of(EventKind::Begin);
        expected.persisted = of(EventKind::Persist);
        expected.ended = of(EventKind::End);
        expect_same(*report, expected, &"report of the update")
    }

    /// A contact has one name from Begin to End, and no other ever has it.
    fn check_names(&mut self) -> Result<(), String> {
        let ended: BTreeSet<u32> = self
            .world
            .events()
            .iter()
            .filter(|event| event.kind == EventKind::End)
            .filter_map(|event| event.contact.map(ContactId::index))
            .collect();
        for event in self.world.events().iter().filter(|event| !event.sensor) {
            let key = (event.a, event.b);
            let Some(name) = event.contact else { return Err(format!("no name: {event:?}")) };
            let known = match event.kind {
                EventKind::Begin => {
                    if !self.naive.used_names.insert(name) || ended.contains(&name.index()) {
                        return Err(format!("the name was used before: {event:?}"));
                    }
                    self.naive.names.insert(key, name).is_none()
                }
                EventKind::Persist => self.naive.names.get(&key) == Some(&name),
                EventKind::End => self.naive.names.remove(&key) == Some(name),
            };
            if !known {
                return Err(format!("another name, or none, was expected: {event:?}"));
            }
            let alive = event.kind != EventKind::End;
            let named = self.world.contacts().by_id(name).map(|contact| (contact.a, contact.b));
            expect_same(named, alive.then_some(key), event)?;
        }
        let names =
            self.world.contacts().iter().map(|contact| ((contact.a, contact.b), contact.id));
        expect_same(names.collect::<BTreeMap<_, _>>(), self.naive.names.clone(), &"names")
    }

    /// Slots stay with their features, begin as zero, and are never doubled; then writes them.
    fn check_slots(&mut self) -> Result<(), String> {
        let mut now = BTreeMap::new();
        for with_slots in self.world.contacts().with_slots() {
            let contact = with_slots.contact;
            let key = (contact.a, contact.b);
            let expected = if self.naive.has_slots { contact.point_count() } else { 0 };
            let lengths = (with_slots.slots.len(), with_slots.anchors.len());
            expect_same(lengths, (expected, expected), contact)?;
            let names = contact
                .points()
                .map(|(manifold, point)| (manifold.part_a, manifold.part_b, point.feature.0));
            let marks: Vec<Mark> = names.zip(with_slots.slots.iter().copied()).collect();
            let old = self.naive.slots.get(&key).map_or(&[][..], Vec::as_slice);
            self.figures.slots_kept += slots_kept(old, &marks, contact)?;
            now.insert(key, marks);
        }
        for contact in self.world.contacts_mut() {
            let key: Key = (contact.contact.a, contact.contact.b);
            for (place, slot) in contact.slots.iter_mut().enumerate() {
                self.mark += 1;
                let digit = |shift: u32| u16::try_from(self.mark >> shift & 0xffff).unwrap_or(0);
                *slot = [f32::from(digit(0)) + 1.0, f32::from(digit(16)), -1.0, 0.5];
                if let Some((_, mark)) = now.get_mut(&key).and_then(|marks| marks.get_mut(place)) {
                    *mark = *slot;
                }
            }
        }
        self.naive.slots = if self.naive.has_slots { now } else { BTreeMap::new() };
        Ok(())
    }

    /// The world is what the naive one is, and says of the last update what it said then.
    pub(super) fn check_standing(&self) -> Result<(), String> {
        let (world, naive) = (&self.world, &self.naive);
        let mut bodies: Vec<&NaiveBody> = naive.bodies.iter().collect();
        bodies.sort_unstable_by_key(|body| body.id);
        let ids: Vec<BodyId> = world.iter().map(|(id, _)| id).collect();
        expect_same(ids, bodies.iter().map(|body| body.id).collect(), &"ids")?;
        for body in bodies {
            let Some(found) = world.body(body.id) else {
                return Err(format!("lost: {:?}", body.id));
            };
            let ignored: Vec<BodyId> = found.ignored().collect();
            let mut expected: Vec<BodyId> = naive
                .ignored
                .iter()
                .filter_map(
                    |&(a, b)| {
                        if a == body.id { Some(b) } else { (b == body.id).then_some(a) }
                    },
                )
                .collect();
            expected.sort_unstable();
            let same = same_bits(&found.pose(), &body.pose)
                && *found.shape() == body.shape
                && (found.kind(), found.groups()) == (body.kind, body.groups)
                && (found.is_sensor(), found.user_data()) == (body.sensor, body.user_data)
                && found.margin().to_bits() == body.margin.to_bits()
                && found.aabb() == body.aabb()
                && ignored == expected;
            if !same {
                return Err(format!("found {found:?} ignoring {ignored:?}, expected {body:?}"));
            }
        }
        expect_same(world.margin().to_bits(), naive.margin.to_bits(), &"margin")?;
        expect_same(world.has_slots(), naive.has_slots, &"slots")?;
        let alive = |&(a, b): &Key| world.contains(a) && world.contains(b);
        let pairs: Vec<Key> = naive.pairs.iter().copied().filter(alive).collect();
        expect_same(world.pairs().collect::<Vec<Key>>(), pairs, &"pairs")?;
        let nameless = |contact: &Contact| Contact { id: ContactId::default(), ..contact.clone() };
        let contacts: Vec<Contact> = world.contacts().iter().map(nameless).collect();
        for (found, expected) in contacts.iter().zip(&naive.contacts) {
            expect_same(found, expected, &"contact")?;
        }
        expect_same(contacts.len(), naive.contacts.len(), &"number of contacts")?;
        expect_same(world.sensor_overlaps(), &naive.sensors[..], &"overlaps")?;
        let nameless = |event: &Event| Event {
            contact: event.contact.map(|_| ContactId::default()),
            ..*event
        };
        let events: Vec<Event> = world.events().iter().map(nameless).collect();
        expect_same(events, naive.events.clone(), &"events")
    }

    /// Contacts found by body, by two bodies and by kinds, and why two bodies meet.
    fn check_contacts_of_bodies(&mut self) -> Result<(), String> {
        for _ in 0..4 {
            let Some(a) = draw::id(&self.naive, &mut self.rng) else { return Ok(()) };
            let Some(b) = draw::id(&self.naive, &mut self.rng) else { return Ok(()) };
            let contacts = self.world.contacts();
            let keys: Vec<Key> = contacts.of(a).map(|contact| (contact.a, contact.b)).collect();
            let all = self.naive.contacts.iter().map(|contact| (contact.a, contact.b));
            let expected: Vec<Key> = all.filter(|pair| pair.0 == a || pair.1 == a).collect();
            expect_same(keys, expected, &a)?;
            let between = self
                .naive
                .contacts
                .iter()
                .any(|contact| (contact.a, contact.b) == (a.min(b), a.max(b)));
            expect_same(contacts.between(a, b).is_some(), between, &(a, b))?;
            self.check_explanation(a, b)?;
        }
        let fixed = |id| self.naive.get(id).is_some_and(|body| body.kind == BodyKind::Fixed);
        let expected = self.naive.contacts.iter().filter(|c| fixed(c.a) || fixed(c.b)).count();
        let found = self.world.contacts().of_kinds(BodyKind::Fixed, BodyKind::Moving).count();
        expect_same(found, expected, &"contacts with fixed bodies")
    }

    /// Why two bodies meet or not, right after an update without a filter or with one.
    fn check_explanation(&mut self, a: BodyId, b: BodyId) -> Result<(), String> {
        let (Some(one), Some(other)) = (self.naive.get(a), self.naive.get(b)) else {
            return Ok(());
        };
        let explanation = self.world.explain(a, b);
        let near = self.naive.pairs.contains(&(a.min(b), a.max(b)));
        let fits = match explanation.verdict {
            Verdict::StaleId(_) | Verdict::ContactFilter => false,
            Verdict::SameBody => a == b,
            Verdict::BothFixed => one.kind == BodyKind::Fixed && other.kind == BodyKind::Fixed,
            Verdict::Groups { .. } => !meets(one.groups, other.groups),
            Verdict::Ignored => self.naive.are_ignored(a, b),
            Verdict::BoundsApart { .. } => !near,
            Verdict::ShapesApart | Verdict::Contact | Verdict::SensorOverlap => near,
        };
        let sort = if explanation.meet() { "explained contacts" } else { "explained gaps" };
        self.tick(sort);
        if fits { Ok(()) } else { Err(format!("{explanation:?} of {a:?} and {b:?}")) }
    }

    fn hash_update(&mut self) {
        let mut words = vec![self.naive.pairs.len() as u64];
        for event in self.world.events() {
            words.extend([event.a.to_bits(), event.b.to_bits(), event.kind as u64]);
        }
        for contact in self.world.contacts() {
            words.push(contact.id.to_bits());
            words.extend(contact.points().map(|(_, point)| u64::from(point.distance.to_bits())));
        }
        for word in words {
            self.hash_in(word);
        }
    }
}

/// Checks the slots of one contact against those it had; how many stayed with their features.
fn slots_kept(old: &[Mark], new: &[Mark], contact: &Contact) -> Result<usize, String> {
    let is_new = |slot: &[f32; 4]| slot.iter().all(|x| x.to_bits() == 0);
    let same = |a: &[f32; 4], b: &[f32; 4]| a.map(f32::to_bits) == b.map(f32::to_bits);
    let mut kept = 0;
    for (place, (name, slot)) in new.iter().enumerate() {
        let alone = new.iter().filter(|(other, _)| other == name).count() == 1;
        let mut before = old.iter().filter(|(other, _)| other == name);
        let fits = match (before.next(), before.next()) {
            (Some((_, was)), None) if alone => {
                kept += 1;
                same(was, slot)
            }
            // A feature that is new, or made several points: a new slot, or one of the contact's.
            _ => is_new(slot) || old.iter().any(|(_, was)| same(was, slot)),
        };
        let doubled = !is_new(slot) && new[..place].iter().any(|(_, other)| same(other, slot));
        if !fits || doubled {
            return Err(format!("slot {slot:?} of {name:?}, before {old:?}: {contact:?}"));
        }
    }
    Ok(kept)
}
