//! A world as a plain list: nothing is kept from update to update but the last answer.

use std::collections::{BTreeMap, BTreeSet};

use impinge_narrowphase as narrow;
use impinge_shapes::{Aabb, Pose, Shape, round};
use impinge_world::{
    Body, BodyId, BodyKind, Contact, ContactId, Event, EventKind, Filter, Groups, SensorOverlap,
    Slot,
};

use crate::naive::Placed;

/// What the list knows of a body.
#[derive(Clone, Debug)]
pub(super) struct NaiveBody {
    pub(super) id: BodyId,
    pub(super) shape: Shape,
    pub(super) pose: Pose,
    pub(super) kind: BodyKind,
    pub(super) groups: Groups,
    pub(super) sensor: bool,
    pub(super) margin: f32,
    pub(super) user_data: u64,
}

impl NaiveBody {
    pub(super) fn aabb(&self) -> Aabb {
        self.shape.aabb(&self.pose)
    }

    /// The body as it would be inserted.
    pub(super) fn body(&self) -> Body {
        let new = match self.kind {
            BodyKind::Fixed => Body::fixed(self.shape.clone()),
            BodyKind::Moving => Body::moving(self.shape.clone()),
        };
        let placed = new.pose(self.pose).groups(self.groups).sensor(self.sensor);
        placed.margin(self.margin).user_data(self.user_data)
    }
}

/// A contact point's parts and feature, with what was written to its slot.
pub(super) type Mark = ((u32, u32, u32), Slot);

/// Two bodies, the smaller id first.
pub(super) type Key = (BodyId, BodyId);

/// Bodies in no order, and what the last update said.
#[derive(Clone, Debug, Default)]
pub(super) struct Naive {
    pub(super) bodies: Vec<NaiveBody>,
    pub(super) ignored: Vec<Key>,
    pub(super) margin: f32,
    pub(super) has_slots: bool,
    /// Bodies that changed since the last update.
    pub(super) changed: BTreeSet<BodyId>,
    /// Every id that was given out.
    pub(super) issued: BTreeSet<BodyId>,
    /// Pairs whose bounds met at the last update.
    pub(super) pairs: Vec<Key>,
    /// Those of them that groups, ignored pairs or the filter kept apart.
    pub(super) filtered: usize,
    /// Contacts of the last update, without names.
    pub(super) contacts: Vec<Contact>,
    pub(super) sensors: Vec<SensorOverlap>,
    /// Events of the last update, without names.
    pub(super) events: Vec<Event>,
    /// Names of the contacts that last, and every name that was given out.
    pub(super) names: BTreeMap<Key, ContactId>,
    pub(super) used_names: BTreeSet<ContactId>,
    /// What was written to the slots of each contact.
    pub(super) slots: BTreeMap<Key, Vec<Mark>>,
}

impl Naive {
    pub(super) fn position(&self, id: BodyId) -> Option<usize> {
        self.bodies.iter().position(|body| body.id == id)
    }

    pub(super) fn get(&self, id: BodyId) -> Option<&NaiveBody> {
        self.bodies.iter().find(|body| body.id == id)
    }

    /// Changes a body; `counts` says whether the next update is to count that as a change.
    pub(super) fn change(&mut self, id: BodyId, counts: bool, edit: impl FnOnce(&mut NaiveBody)) {
        if let Some(body) = self.bodies.iter_mut().find(|body| body.id == id) {
            edit(body);
            if counts {
                self.changed.insert(id);
            }
        }
    }

    pub(super) fn remove(&mut self, id: BodyId) -> Option<NaiveBody> {
        let place = self.position(id)?;
        self.ignored.retain(|&(a, b)| a != id && b != id);
        self.changed.remove(&id);
        // The order of the list means nothing, and the last body takes the place.
        Some(self.bodies.swap_remove(place))
    }

    pub(super) fn are_ignored(&self, a: BodyId, b: BodyId) -> bool {
        self.ignored.contains(&(a.min(b), a.max(b)))
    }

    pub(super) fn set_ignored(&mut self, a: BodyId, b: BodyId, ignored: bool) {
        if a == b || self.are_ignored(a, b) == ignored {
            return;
        }
        let key = (a.min(b), a.max(b));
        if ignored {
            self.ignored.push(key);
        } else {
            self.ignored.retain(|other| *other != key);
        }
        self.changed.extend([a, b]);
    }

    /// The same without what only filters look at.
    pub(super) fn placed(&self, filter: &Filter<'_>) -> impl Iterator<Item = Placed<'_>> {
        self.seen(filter).into_iter().map(|body| (body.id, &body.shape, &body.pose))
    }

    /// The bodies that a filter lets through.
    pub(super) fn seen(&self, filter: &Filter<'_>) -> Vec<&NaiveBody> {
        let admitted = |body: &&NaiveBody| {
            let right_kind = match (body.sensor, body.kind) {
                (true, _) => filter.kinds.sensors,
                (false, BodyKind::Fixed) => filter.kinds.fixed,
                (false, BodyKind::Moving) => filter.kinds.moving,
            };
            let asker = filter.asked_by;
            right_kind
                && meets(filter.groups, body.groups)
                && filter.exclude != Some(body.id)
                && asker.is_none_or(|asker| asker != body.id && !self.are_ignored(asker, body.id))
                && filter.predicate.is_none_or(|predicate| predicate(body.id))
        };
        self.bodies.iter().filter(admitted).collect()
    }

    /// Bounds up to which a body looks for others.
    fn reach(&self, body: &NaiveBody) -> Aabb {
        let half = if self.margin > 0.0 { (self.margin * 0.5).max(f32::from_bits(1)) } else { 0.0 };
        let growth =
            if body.margin > 0.0 { round::sum_up(half.into(), body.margin.into()) } else { half };
        body.aabb().inflate(growth)
    }

    /// Distance from which on two bodies are in contact.
    pub(super) fn pair_margin(&self, a: &NaiveBody, b: &NaiveBody) -> f32 {
        let own = f64::from(a.margin) + f64::from(b.margin);
        if own > 0.0 { round::down(f64::from(self.margin) + own) } else { self.margin }
    }

    /// Finds everything anew, each body against each other.
    ///
    /// - Cost: with `thorough` the narrow phase sees every pair, so that bounds which miss one are
    ///   found out; otherwise those whose bounds meet.
    pub(super) fn update(
        &mut self,
        allowed: &dyn Fn(BodyId, BodyId) -> bool,
        thorough: bool,
    ) -> Result<(), String> {
        let before = self.met();
        let (mut pairs, mut filtered) = (Vec::new(), 0);
        let (mut contacts, mut sensors) = (Vec::new(), Vec::new());
        let reaches: Vec<Aabb> = self.bodies.iter().map(|body| self.reach(body)).collect();
        for (i, one) in self.bodies.iter().enumerate() {
            for (j, other) in self.bodies.iter().enumerate().skip(i + 1) {
                if one.kind == BodyKind::Fixed && other.kind == BodyKind::Fixed {
                    continue;
                }
                let is_near = boxes_meet(&reaches[i], &reaches[j]);
                if !is_near && !thorough {
                    continue;
                }
                let (a, b) = if one.id < other.id { (one, other) } else { (other, one) };
                let (meet, manifolds) = if a.sensor || b.sensor {
                    let overlap = narrow::overlaps(&a.shape, &a.pose, &b.shape, &b.pose);
                    (overlap, None)
                } else {
                    let margin = self.pair_margin(a, b);
                    let found = narrow::manifolds(&a.shape, &a.pose, &b.shape, &b.pose, margin);
                    (!found.is_empty(), Some(found))
                };
                if !is_near {
                    if meet {
                        let bounds = (a.aabb(), b.aabb());
                        return Err(format!("{bounds:?} apart, shapes not: {a:?} and {b:?}"));
                    }
                    continue;
                }
                pairs.push((a.id, b.id));
                let ignored = self.are_ignored(a.id, b.id);
                if ignored || !meets(a.groups, b.groups) || !allowed(a.id, b.id) {
                    filtered += 1;
                    continue;
                }
                let (a, b, id) = (a.id, b.id, ContactId::default());
                match manifolds {
                    None if meet => sensors.push(SensorOverlap { a, b }),
                    Some(manifolds) if meet => contacts.push(Contact { id, a, b, manifolds }),
                    _ => {}
                }
            }
        }
        pairs.sort_unstable();
        sensors.sort_unstable();
        contacts.sort_by_key(|contact| (contact.a, contact.b));
        (self.pairs, self.filtered, self.contacts, self.sensors) =
            (pairs, filtered, contacts, sensors);
        self.events = events(&before, &self.met());
        self.changed.clear();
        Ok(())
    }

    /// The pairs that met at the last update, with whether a sensor is among them.
    fn met(&self) -> BTreeSet<(BodyId, BodyId, bool)> {
        let solid = self.contacts.iter().map(|contact| (contact.a, contact.b, false));
        solid.chain(self.sensors.iter().map(|pair| (pair.a, pair.b, true))).collect()
    }
}

/// Whether two boxes have a common point, on each axis by itself.
fn boxes_meet(a: &Aabb, b: &Aabb) -> bool {
    (0..3).all(|axis| a.min()[axis] <= b.max()[axis] && b.min()[axis] <= a.max()[axis])
}

/// Whether each belongs to a group that the other accepts.
pub(super) fn meets(a: Groups, b: Groups) -> bool {
    a.memberships & b.accepts != 0 && b.memberships & a.accepts != 0
}

/// What a change from one set of pairs to another is told as.
fn events(
    before: &BTreeSet<(BodyId, BodyId, bool)>,
    now: &BTreeSet<(BodyId, BodyId, bool)>,
) -> Vec<Event> {
    let all: BTreeSet<_> = before.union(now).copied().collect();
    let event = |pair: (BodyId, BodyId, bool)| {
        let kind = match (before.contains(&pair), now.contains(&pair)) {
            (true, true) => EventKind::Persist,
            (true, false) => EventKind::End,
            _ => EventKind::Begin,
        };
        let (a, b, sensor) = pair;
        Event { a, b, kind, contact: (!sensor).then(ContactId::default), sensor }
    };
    all.into_iter().map(event).collect()
}
