//! Settings and bodies as numbers.

use impinge_shapes::Shape;
use impinge_shapes::glam::Quat;

use super::reader::{Reader, Refusal};
use super::shapes;
use super::sink::Sink;
use crate::bodies::is_margin;
use crate::filter::Tag;
use crate::state::State;
use crate::state::{CHANGED, CHANGES};
use crate::{Body, BodyKind, Groups};

/// The body is fixed.
const FIXED: u8 = 1;
/// The body is a sensor.
const SENSOR: u8 = 2;
/// Groups follow; else it meets everything.
const GROUPS: u8 = 4;
/// A number of the caller's follows; else it is 0.
const USER_DATA: u8 = 8;
/// A contact margin follows; else it is 0.
const MARGIN: u8 = 16;
/// A rotation follows; else there is none.
const ROTATION: u8 = 32;
/// What changed since the last update follows; else nothing did.
const MARKS: u8 = 64;

pub(super) fn write_settings<S: Sink>(state: &State, to: &mut S) {
    to.f32s(&[state.margin, state.recycling]);
    to.u8(state.has_slots.into());
    to.u8(state.retest_all.into());
    to.u8(state.had_contact_filter.into());
}

pub(super) fn read_settings(from: &mut Reader<'_>, state: &mut State) -> Result<(), Refusal> {
    (state.margin, state.recycling) = (from.f32()?, from.f32()?);
    if !is_margin(state.margin) || !is_margin(state.recycling) {
        return Err(from.refuse("a length that is negative or not finite"));
    }
    state.has_slots = from.bool()?;
    state.retest_all = from.bool()?;
    state.had_contact_filter = from.bool()?;
    from.end()
}

/// Reads the shared shapes, each after those it is made of.
pub(super) fn read_table(from: &mut Reader<'_>) -> Result<Vec<Shape>, Refusal> {
    // A plain number, or a kind and a number, at least.
    let count = from.count(5)?;
    let mut table = Vec::with_capacity(count);
    for _ in 0..count {
        let shape = shapes::read_shared(from, &table)?;
        table.push(shape);
    }
    from.end()?;
    Ok(table)
}

pub(super) fn write_bodies<S: Sink>(state: &State, to: &mut S) {
    let bodies = &state.bodies;
    // Slot 0 is nobody's.
    to.count(bodies.end().saturating_sub(1));
    for slot in (1..).take(bodies.end().saturating_sub(1)) {
        to.u32(bodies.version(slot));
        let Some(stored) = bodies.stored(slot) else { continue };
        let (tag, marks) = (bodies.tag(slot), state.marks.changes(slot));
        let (user_data, margin) = (bodies.user_data(slot), bodies.margin(slot));
        let rotation = stored.pose.rotation().to_array();
        let is_turned = rotation.map(f32::to_bits) != Quat::IDENTITY.to_array().map(f32::to_bits);
        let has = |is: bool, flag: u8| if is { flag } else { 0 };
        let flags = has(tag.kind == BodyKind::Fixed, FIXED)
            | has(tag.sensor, SENSOR)
            | has(tag.groups != Groups::ALL, GROUPS)
            | has(user_data != 0, USER_DATA)
            | has(margin.to_bits() != 0, MARGIN)
            | has(is_turned, ROTATION)
            | has(marks != 0, MARKS);
        to.u8(flags);
        to.vec(stored.pose.position());
        if is_turned {
            to.f32s(&rotation);
        }
        if flags & GROUPS != 0 {
            to.u32(tag.groups.memberships);
            to.u32(tag.groups.accepts);
        }
        if flags & USER_DATA != 0 {
            to.u64(user_data);
        }
        if flags & MARGIN != 0 {
            to.f32(margin);
        }
        if flags & MARKS != 0 {
            to.u8(marks);
        }
        to.shape(&stored.shape);
    }
    to.count(bodies.vacant().len());
    bodies.vacant().iter().for_each(|&slot| to.u32(slot));
    to.count(bodies.ignored().count());
    for (a, b) in bodies.ignored() {
        to.u32(a.index());
        to.u32(b.index());
    }
}

pub(super) fn read_bodies(
    from: &mut Reader<'_>,
    table: &[Shape],
    state: &mut State,
) -> Result<(), Refusal> {
    let count = from.count(4)?;
    for _ in 0..count {
        let version = from.u32()?;
        let body = if version.is_multiple_of(2) { None } else { Some(read_body(from, table)?) };
        let (body, marks) = body.unzip();
        let slot = u32::try_from(state.bodies.end().max(1)).unwrap_or(u32::MAX);
        state.bodies.push(version, body).map_err(|error| from.refuse(&error.to_string()))?;
        let marks = marks.unwrap_or(0);
        if marks & !CHANGES != 0 || (marks != 0 && marks & CHANGED == 0) {
            return Err(from.refuse("a change of no kind"));
        }
        if marks != 0 {
            state.marks.set(slot, marks, &mut state.changed);
        }
    }
    let count = from.count(4)?;
    let mut vacant = Vec::with_capacity(count);
    for _ in 0..count {
        vacant.push(from.u32()?);
    }
    if !state.bodies.list_vacant(vacant) {
        return Err(from.refuse("vacant slots that are not all of them, each once"));
    }
    for _ in 0..from.count(8)? {
        let (a, b) = (from.u32()?, from.u32()?);
        if a >= b || !state.bodies.is_alive(a) || !state.bodies.is_alive(b) {
            return Err(from.refuse("an ignored pair that is none"));
        }
        let (a, b) = (state.bodies.id(a), state.bodies.id(b));
        state.bodies.set_ignored(a, b, true);
    }
    from.end()
}

/// A body, and what changed about it since the last update.
fn read_body(from: &mut Reader<'_>, table: &[Shape]) -> Result<(Body, u8), Refusal> {
    let flags = from.u8()?;
    if flags & 128 != 0 {
        return Err(from.refuse("a body of no kind"));
    }
    let has = |flag: u8| flags & flag != 0;
    let position = from.vec()?;
    let rotation = if has(ROTATION) {
        Quat::from_xyzw(from.f32()?, from.f32()?, from.f32()?, from.f32()?)
    } else {
        Quat::IDENTITY
    };
    let groups = if has(GROUPS) { Groups::new(from.u32()?, from.u32()?) } else { Groups::ALL };
    let user_data = if has(USER_DATA) { from.u64()? } else { 0 };
    let margin = if has(MARGIN) { from.f32()? } else { 0.0 };
    let marks = if has(MARKS) { from.u8()? } else { 0 };
    let kind = if has(FIXED) { BodyKind::Fixed } else { BodyKind::Moving };
    let shape = shapes::read(from, table)?;
    let tag = Tag { groups, kind, sensor: has(SENSOR) };
    Ok((Body { shape, position, rotation, tag, user_data, margin }, marks))
}
