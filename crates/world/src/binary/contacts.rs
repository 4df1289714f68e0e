//! Contacts, events and the rest of the last update as numbers.

use impinge_broadphase::Pair;
use impinge_narrowphase::{ContactPoint, FeatureId, Manifold};
use impinge_shapes::Shape;
use impinge_shapes::glam::Vec3;
use smallvec::SmallVec;

use super::reader::{Reader, Refusal};
use super::shapes::{read_pose, write_pose};
use super::sink::Sink;
use crate::BodyId;
use crate::contacts::{Anchor, Contact, ContactId, SensorOverlap};
use crate::event_list::EventList;
use crate::events::{Event, EventKind, Key};
use crate::names::ContactIds;
use crate::page::Extras;
use crate::patch::Kept;
use crate::state::{NEW, RESHAPED, State};
use crate::store::ContactStore;
use crate::tolerance;

/// Most points of a manifold.
const POINTS: u8 = 4;

pub(super) fn write_contacts<S: Sink>(state: &State, to: &mut S) {
    let ids = state.contacts.ids();
    to.count(ids.len());
    ids.versions().for_each(|version| to.u32(version));
    to.count(ids.vacant().len());
    ids.vacant().iter().for_each(|&index| to.u32(index));
    let entries = state.contacts.entries();
    let has_extras =
        entries.iter().next().is_some_and(|entry| state.contacts.made(entry).is_some());
    to.count(entries.len());
    to.u8(has_extras.into());
    for entry in entries.iter() {
        let all = state.contacts.with_slots(entry);
        to.body(all.contact.a);
        to.body(all.contact.b);
        to.u64(all.contact.id.to_bits());
        to.count(all.contact.manifolds.len());
        all.contact.manifolds.iter().for_each(|manifold| write_manifold(manifold, to));
        for pose in state.contacts.made(entry).iter().flatten() {
            write_pose(pose, to);
        }
        for anchor in all.anchors {
            to.vec(anchor.local_a);
            to.vec(anchor.local_b);
            to.vec(anchor.local_normal);
        }
        all.slots.iter().for_each(|slot| to.f32s(slot));
    }
}

fn write_manifold<S: Sink>(manifold: &Manifold, to: &mut S) {
    to.vec(manifold.normal);
    to.u32(manifold.part_a);
    to.u32(manifold.part_b);
    // One to four.
    to.u8(u8::try_from(manifold.points.len()).unwrap_or(u8::MAX));
    for point in &manifold.points {
        to.vec(point.point_a);
        to.vec(point.point_b);
        to.f32(point.distance);
        to.u32(point.feature.0);
    }
}

pub(super) fn read_contacts(from: &mut Reader<'_>, state: &mut State) -> Result<(), Refusal> {
    let mut names = read_names(from)?;
    // Two bodies, a name, a number of manifolds.
    let count = from.count(32)?;
    if count + names.vacant.len() != names.used.len() {
        return Err(from.refuse("names that are neither in use nor vacant"));
    }
    let has_extras = from.bool()?;
    let wants_extras = state.has_slots || state.recycling > 0.0;
    if count > 0 && has_extras != wants_extras && !state.retest_all {
        return Err(from.refuse("contacts with slots in a world without, or without in one with"));
    }
    let mut contacts: Vec<(Contact, Option<Extras>)> = Vec::with_capacity(count);
    for _ in 0..count {
        let (a, b, id) = (from.body()?, from.body()?, ContactId::from_bits(from.u64()?));
        if !names.give(id, (a, b)) {
            return Err(from.refuse("a name that was given to another contact, or to none"));
        }
        let contact = Contact { id, a, b, manifolds: read_manifolds(from)? };
        check_manifolds(from, &contact, [a, b].map(|body| shape_then(state, body)))?;
        let extras = if has_extras { Some(read_extras(from, &contact)?) } else { None };
        contacts.push((contact, extras));
    }
    check_bodies(from, state, contacts.iter().map(|(contact, _)| (contact.a, contact.b)))?;
    state.contacts = ContactStore::of(contacts, ContactIds::of(names.used, names.vacant));
    from.end()
}

/// Names of contacts, as they are read.
struct Names {
    /// How often each index was used, and by which bodies now.
    used: Vec<(u32, Key)>,
    vacant: Vec<u32>,
    /// Whether the index is vacant or was given.
    is_gone: Vec<bool>,
}

impl Names {
    /// Whether the name may be given to the contact of these bodies.
    fn give(&mut self, id: ContactId, bodies: Key) -> bool {
        let index = id.index() as usize;
        let (Some(used), Some(is_gone)) = (self.used.get_mut(index), self.is_gone.get_mut(index))
        else {
            return false;
        };
        used.1 = bodies;
        id != ContactId::NONE && used.0 == id.version && !std::mem::replace(is_gone, true)
    }
}

fn read_names(from: &mut Reader<'_>) -> Result<Names, Refusal> {
    let count = from.count(4)?;
    let mut used = Vec::with_capacity(count);
    for _ in 0..count {
        used.push((from.u32()?, Key::default()));
    }
    let count = from.count(4)?;
    let mut vacant = Vec::with_capacity(count);
    let mut is_gone = vec![false; used.len()];
    for _ in 0..count {
        let index = from.u32()?;
        match is_gone.get_mut(index as usize) {
            Some(place) if !*place => *place = true,
            _ => return Err(from.refuse("a vacant name that was never used, or is listed twice")),
        }
        vacant.push(index);
    }
    Ok(Names { used, vacant, is_gone })
}

fn read_manifolds(from: &mut Reader<'_>) -> Result<SmallVec<[Manifold; 1]>, Refusal> {
    // A normal, two parts, a number of points, a point.
    let count = from.count(12 + 8 + 1 + 32)?;
    if count == 0 {
        return Err(from.refuse("a contact without manifolds"));
    }
    let mut manifolds = SmallVec::with_capacity(count);
    for _ in 0..count {
        let (normal, part_a, part_b) = (from.vec()?, from.u32()?, from.u32()?);
        let count = from.u8()?;
        if !(1..=POINTS).contains(&count) {
            return Err(from.refuse("a manifold without points, or with too many"));
        }
        let mut points = SmallVec::new();
        for _ in 0..count {
            let (point_a, point_b) = (from.vec()?, from.vec()?);
            let (distance, feature) = (from.f32()?, FeatureId(from.u32()?));
            points.push(ContactPoint { point_a, point_b, distance, feature });
        }
        manifolds.push(Manifold { normal, points, part_a, part_b });
    }
    Ok(manifolds)
}

/// Refuses numbers that no contact has; shapes that the bodies had at the last update and have no
/// more are not known.
fn check_manifolds(
    from: &Reader<'_>,
    contact: &Contact,
    shapes: [Option<&Shape>; 2],
) -> Result<(), Refusal> {
    let has = |shape: Option<&Shape>, part: u32| {
        shape.is_none_or(|shape| (part as usize) < shape.part_count())
    };
    for manifold in &contact.manifolds {
        if !is_unit(manifold.normal) {
            return Err(from.refuse("a normal that has not length 1"));
        }
        if !has(shapes[0], manifold.part_a) || !has(shapes[1], manifold.part_b) {
            return Err(from.refuse("a part that the body does not have"));
        }
        for point in &manifold.points {
            if !point.point_a.is_finite() || !point.point_b.is_finite() {
                return Err(from.refuse("a contact point that is not finite"));
            }
            // Two half-spaces that overlap do so without end.
            let endless = || point.distance < f32::MIN && shapes.into_iter().all(may_be_endless);
            if !point.distance.is_finite() && !endless() {
                return Err(from.refuse("a distance that is not finite"));
            }
        }
        if !manifold.points.is_sorted_by_key(|point| point.feature) {
            return Err(from.refuse("contact points out of order"));
        }
    }
    if !contact.manifolds.is_sorted_by(|one, other| parts(one) < parts(other)) {
        return Err(from.refuse("manifolds out of order"));
    }
    Ok(())
}

fn parts(manifold: &Manifold) -> (u32, u32) {
    (manifold.part_a, manifold.part_b)
}

/// The shape of a body at the last update, if it still has it.
fn shape_then(state: &State, id: BodyId) -> Option<&Shape> {
    let stored = state.bodies.get(id)?;
    (state.marks.changes(id.index()) & (NEW | RESHAPED) == 0).then_some(&stored.shape)
}

/// Whether the shape may be or hold a half-space.
fn may_be_endless(shape: Option<&Shape>) -> bool {
    shape.is_none_or(|shape| match shape {
        Shape::Compound(compound) => {
            compound.parts().iter().any(|(_, part)| matches!(part, Shape::HalfSpace(_)))
        }
        shape => matches!(shape, Shape::HalfSpace(_)),
    })
}

/// Whether a normal has length 1, within rounding.
fn is_unit(normal: Vec3) -> bool {
    // Not a number is in no range.
    (normal.as_dvec3().length_squared() - 1.0).abs() <= tolerance::UNIT_NORMAL
}

fn read_extras(from: &mut Reader<'_>, contact: &Contact) -> Result<Extras, Refusal> {
    let made = [read_pose(from)?, read_pose(from)?];
    let mut extras = Extras { made, anchors: SmallVec::new(), slots: SmallVec::new() };
    for _ in 0..contact.point_count() {
        let (local_a, local_b, local_normal) = (from.vec()?, from.vec()?, from.vec()?);
        if !local_a.is_finite() || !local_b.is_finite() {
            return Err(from.refuse("an anchor that is not finite"));
        }
        if !is_unit(local_normal) {
            return Err(from.refuse("a normal of an anchor that has not length 1"));
        }
        extras.anchors.push(Anchor { local_a, local_b, local_normal });
    }
    // The caller's own numbers, whatever they are.
    for _ in 0..contact.point_count() {
        extras.slots.push([from.f32()?, from.f32()?, from.f32()?, from.f32()?]);
    }
    Ok(extras)
}

pub(super) fn write_events<S: Sink>(state: &State, to: &mut S) {
    to.count(state.sensors.len());
    for overlap in state.sensors.iter() {
        to.body(overlap.a);
        to.body(overlap.b);
    }
    write_pairs(&state.filtered, to);
    let events = state.all_events();
    to.count(events.len());
    for event in events {
        to.body(event.a);
        to.body(event.b);
        let kind = match event.kind {
            EventKind::Begin => 0,
            EventKind::Persist => 1,
            EventKind::End => 2,
        };
        to.u8(kind);
        // No contact has the name 0.
        to.u64(event.contact.map_or(0, ContactId::to_bits));
    }
    to.u8(state.pairs_before.is_some().into());
    if let Some(pairs) = &state.pairs_before {
        write_pairs(pairs, to);
    }
}

fn write_pairs<S: Sink>(pairs: &[Pair], to: &mut S) {
    to.count(pairs.len());
    for pair in pairs {
        to.u32(pair.a);
        to.u32(pair.b);
    }
}

pub(super) fn read_events(from: &mut Reader<'_>, state: &mut State) -> Result<(), Refusal> {
    let count = from.count(16)?;
    let mut sensors = Vec::with_capacity(count);
    for _ in 0..count {
        sensors.push(SensorOverlap { a: from.body()?, b: from.body()? });
    }
    check_bodies(from, state, sensors.iter().map(|overlap| (overlap.a, overlap.b)))?;
    let filtered = read_pairs(from, state)?;
    let count = from.count(16 + 1 + 8)?;
    let mut events: Vec<Event> = Vec::with_capacity(count);
    for _ in 0..count {
        let (a, b) = (from.body()?, from.body()?);
        let kind = match from.u8()? {
            0 => EventKind::Begin,
            1 => EventKind::Persist,
            2 => EventKind::End,
            _ => return Err(from.refuse("an event of no kind")),
        };
        let contact = Some(ContactId::from_bits(from.u64()?)).filter(|id| *id != ContactId::NONE);
        events.push(Event { a, b, kind, contact, sensor: contact.is_none() });
    }
    if !events.is_sorted_by(|a, b| a.key() < b.key()) || events.iter().any(|e| e.a >= e.b) {
        return Err(from.refuse("events out of order"));
    }
    state.sensors = sensors.into();
    state.filtered = filtered.into();
    let changes = events.iter().filter(|event| event.kind != EventKind::Persist);
    state.events = EventList::new(changes.copied().collect()).into();
    // What lasted follows from what is there.
    let is_told = |event: &Event| (event.kind == EventKind::End) != is_there(state, event);
    if !state.events.changes().iter().all(is_told) || state.all_events() != events {
        return Err(from.refuse("events that do not fit the contacts and overlaps"));
    }
    if from.bool()? {
        state.pairs_before = Some(read_pairs(from, state)?.into());
    }
    from.end()
}

/// Whether there is the contact or the overlap that the event tells of.
fn is_there(state: &State, event: &Event) -> bool {
    let (a, b) = (event.a, event.b);
    if event.sensor {
        return state.sensors.binary_search(&SensorOverlap { a, b }).is_ok();
    }
    let entry = state.contacts.entries().find((a.index(), b.index()));
    entry.is_some_and(|entry| {
        (entry.a, entry.b) == (a, b)
            && (event.kind == EventKind::End || Some(entry.id) == event.contact)
    })
}

fn read_pairs(from: &mut Reader<'_>, state: &State) -> Result<Vec<Pair>, Refusal> {
    let count = from.count(8)?;
    let mut pairs = Vec::with_capacity(count);
    for _ in 0..count {
        pairs.push(Pair { a: from.u32()?, b: from.u32()? });
    }
    check_pairs(from, state, pairs.iter().map(Kept::slots))?;
    Ok(pairs)
}

/// Refuses pairs of slots that are not sorted, not in order, or of no use so far.
fn check_pairs(
    from: &Reader<'_>,
    state: &State,
    pairs: impl Iterator<Item = (u32, u32)> + Clone,
) -> Result<(), Refusal> {
    let end = state.bodies.end();
    if pairs.clone().any(|(a, b)| a == 0 || a >= b || b as usize >= end) {
        return Err(from.refuse("a pair that is none"));
    }
    if !pairs.is_sorted_by(|a, b| a < b) {
        return Err(from.refuse("pairs out of order"));
    }
    Ok(())
}

/// Refuses pairs of bodies that cannot have met at the last update.
fn check_bodies(
    from: &Reader<'_>,
    state: &State,
    pairs: impl Iterator<Item = Key> + Clone,
) -> Result<(), Refusal> {
    check_pairs(from, state, pairs.clone().map(|(a, b)| (a.index(), b.index())))?;
    let was_there = |id: BodyId| {
        let slot = id.index();
        // Where a body came since, or one went, another one was there.
        let is_same = state.bodies.is_alive(slot) && state.marks.changes(slot) & NEW == 0;
        is_same == (state.bodies.id(slot) == id)
    };
    let mut all = pairs.clone().flat_map(|(a, b)| [a, b]);
    if !pairs.is_sorted() || !all.all(was_there) {
        return Err(from.refuse("a body that was not there"));
    }
    Ok(())
}
