//! Random worlds, and the same worlds as plain lists that are asked one body at a time.
#![allow(dead_code, unreachable_pub, reason = "each test uses its part of it")]
#![allow(clippy::unwrap_used, missing_docs, reason = "test code")]

use std::collections::BTreeSet;

use impinge_narrowphase as narrow;
use impinge_shapes::glam::{Quat, Vec3};
use impinge_shapes::{Aabb, Pose, Shape, round};
use impinge_world::{
    Body, BodyId, BodyKind, Contact, ContactId, Event, EventKind, Filter, Groups, SensorOverlap,
    World,
};

/// SplitMix64 (Steele, Lea, Flood 2014).
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap()
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// Uniform in `[low, high)`.
    pub fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.next() >> 40) as f32 / (1_u64 << 24) as f32)
    }

    pub fn vec(&mut self, low: f32, high: f32) -> Vec3 {
        Vec3::new(self.range(low, high), self.range(low, high), self.range(low, high))
    }

    /// A point of a lattice of quarters, so that touching happens.
    pub fn lattice(&mut self, side: f32) -> Vec3 {
        (self.vec(-side, side) * 4.0).round() / 4.0
    }

    pub fn rotation(&mut self) -> Quat {
        if self.chance(40) {
            return Quat::IDENTITY;
        }
        loop {
            let q = self.vec(-1.0, 1.0).extend(self.range(-1.0, 1.0));
            if q.length_squared() > 0.01 {
                return Quat::from_vec4(q);
            }
        }
    }

    pub fn pose(&mut self, side: f32) -> Pose {
        let position = if self.chance(50) { self.lattice(side) } else { self.vec(-side, side) };
        Pose::new(position, self.rotation()).unwrap()
    }

    fn size(&mut self) -> f32 {
        match self.below(12) {
            0 => 0.0,
            1 => self.range(2.0, 4.0),
            2..=5 => 0.5,
            _ => self.range(0.05, 1.0),
        }
    }

    pub fn simple_shape(&mut self) -> Shape {
        match self.below(3) {
            0 => Shape::sphere(self.size()).unwrap(),
            1 => Shape::cuboid(Vec3::new(self.size(), self.size(), self.size())).unwrap(),
            _ => Shape::capsule_along_y(self.size(), self.size()).unwrap(),
        }
    }

    pub fn shape(&mut self) -> Shape {
        if !self.chance(15) {
            return self.simple_shape();
        }
        let parts: Vec<_> =
            (0..2 + self.below(3)).map(|_| (self.pose(1.0), self.simple_shape())).collect();
        Shape::compound(parts).unwrap()
    }

    pub fn groups(&mut self) -> Groups {
        if self.chance(70) {
            return Groups::ALL;
        }
        Groups::new(1 << self.below(3), (self.next() & 7) as u32)
    }

    pub fn body(&mut self, side: f32) -> Body {
        let shape = self.shape();
        let body = if self.chance(30) { Body::fixed(shape) } else { Body::moving(shape) };
        let margin = if self.chance(10) { self.range(0.0, 0.5) } else { 0.0 };
        body.pose(self.pose(side)).groups(self.groups()).sensor(self.chance(10)).margin(margin)
    }
}

/// What the plain list knows of a body.
#[derive(Clone, Debug)]
pub struct Plain {
    pub id: BodyId,
    pub shape: Shape,
    pub pose: Pose,
    pub kind: BodyKind,
    pub groups: Groups,
    pub sensor: bool,
    pub margin: f32,
    pub ignored: Vec<BodyId>,
}

impl Plain {
    pub fn aabb(&self) -> Aabb {
        self.shape.aabb(&self.pose)
    }
}

/// The plain list, in the order of ids.
pub struct Model {
    pub bodies: Vec<Plain>,
    pub contacts: Vec<Contact>,
    pub sensors: Vec<SensorOverlap>,
}

impl Model {
    /// Reads every body back from the world.
    pub fn of(world: &World) -> Self {
        let mut model = Self { bodies: Vec::new(), contacts: Vec::new(), sensors: Vec::new() };
        model.read(world);
        model
    }

    pub fn read(&mut self, world: &World) {
        self.bodies = world
            .iter()
            .map(|(id, body)| Plain {
                id,
                shape: body.shape().clone(),
                pose: body.pose(),
                kind: body.kind(),
                groups: body.groups(),
                sensor: body.is_sensor(),
                margin: body.margin(),
                ignored: body.ignored().collect(),
            })
            .collect();
        assert!(self.bodies.is_sorted_by(|a, b| a.id < b.id));
    }

    /// The bodies a filter lets through.
    pub fn seen<'m>(&'m self, filter: &'m Filter<'_>) -> impl Iterator<Item = &'m Plain> {
        self.bodies.iter().filter(move |body| {
            filter.kinds.admits(body.kind, body.sensor)
                && filter.groups.meets(body.groups)
                && filter.exclude != Some(body.id)
                && filter.asked_by != Some(body.id)
                && filter.asked_by.is_none_or(|asker| !body.ignored.contains(&asker))
                && filter.predicate.is_none_or(|predicate| predicate(body.id))
        })
    }

    /// Finds contacts and overlaps pair by pair; returns the events since the last call.
    pub fn update(&mut self, margin: f32, allowed: &dyn Fn(BodyId, BodyId) -> bool) -> Vec<Event> {
        let (mut contacts, mut sensors) = (Vec::new(), Vec::new());
        let grown = |body: &Plain| body.aabb().inflate(margin + body.margin);
        let bounds: Vec<_> = self.bodies.iter().map(grown).collect();
        for (i, a) in self.bodies.iter().enumerate() {
            for (j, b) in self.bodies.iter().enumerate().skip(i + 1) {
                let both_fixed = a.kind == BodyKind::Fixed && b.kind == BodyKind::Fixed;
                // For small worlds nothing is left out that the narrow phase did not see.
                let far = self.bodies.len() > 100 && !bounds[i].overlaps(&bounds[j]);
                let ignored = a.ignored.contains(&b.id);
                assert_eq!(ignored, b.ignored.contains(&a.id));
                let meets = a.groups.meets(b.groups) && !ignored && allowed(a.id, b.id);
                if far || both_fixed || !meets {
                    continue;
                }
                let own = f64::from(a.margin) + f64::from(b.margin);
                let margin = round::down(f64::from(margin) + own);
                if a.sensor || b.sensor {
                    if narrow::overlaps(&a.shape, &a.pose, &b.shape, &b.pose) {
                        sensors.push(SensorOverlap { a: a.id, b: b.id });
                    }
                    continue;
                }
                let manifolds = narrow::manifolds(&a.shape, &a.pose, &b.shape, &b.pose, margin);
                if !manifolds.is_empty() {
                    let id = ContactId::default();
                    contacts.push(Contact { id, a: a.id, b: b.id, manifolds });
                }
            }
        }
        let before = pairs(&self.contacts, &self.sensors);
        let now = pairs(&contacts, &sensors);
        let event = |&(a, b, sensor): &(BodyId, BodyId, bool), kind| {
            let contact = (!sensor).then(ContactId::default);
            Event { a, b, kind, contact, sensor }
        };
        let mut events: Vec<_> = Vec::new();
        events.extend(now.difference(&before).map(|pair| event(pair, EventKind::Begin)));
        events.extend(now.intersection(&before).map(|pair| event(pair, EventKind::Persist)));
        events.extend(before.difference(&now).map(|pair| event(pair, EventKind::End)));
        events.sort_by_key(|event| (event.a, event.b, event.sensor));
        (self.contacts, self.sensors) = (contacts, sensors);
        events
    }
}

/// The contacts of a world as a model has them, without names.
pub fn nameless(world: &World) -> Vec<Contact> {
    let contacts = world.contacts().iter().cloned();
    contacts.map(|contact| Contact { id: ContactId::default(), ..contact }).collect()
}

/// The events of a world as a model has them, without names.
pub fn nameless_events(world: &World) -> Vec<Event> {
    let nameless =
        |event: &Event| Event { contact: event.contact.map(|_| ContactId::default()), ..*event };
    world.events().iter().map(nameless).collect()
}

fn pairs(contacts: &[Contact], sensors: &[SensorOverlap]) -> BTreeSet<(BodyId, BodyId, bool)> {
    let solid = contacts.iter().map(|contact| (contact.a, contact.b, false));
    solid.chain(sensors.iter().map(|overlap| (overlap.a, overlap.b, true))).collect()
}

/// A world of random bodies on a ground; `side` is half of the edge of the cube they lie in.
pub fn random_world(rng: &mut Rng, count: usize, side: f32) -> World {
    let mut world = World::with_capacity(count);
    if rng.chance(70) {
        let ground = Shape::half_space(Vec3::Y, 0.0).unwrap();
        world.insert(Body::fixed(ground).at(Vec3::Y * -side * 0.75)).unwrap();
    }
    for _ in 0..count {
        world.insert(rng.body(side)).unwrap();
    }
    world
}

/// One random change of a random body, an insertion or a removal.
pub fn random_change(rng: &mut Rng, world: &mut World, side: f32) {
    let ids: Vec<BodyId> = world.iter().map(|(id, _)| id).collect();
    if ids.is_empty() || rng.chance(8) {
        world.insert(rng.body(side)).unwrap();
        return;
    }
    let id = ids[rng.below(ids.len())];
    let pose = world.body(id).unwrap().pose();
    match rng.below(24) {
        0 => drop(world.remove(id).unwrap()),
        1 => world.set_shape(id, rng.shape()).unwrap(),
        2 => world.set_groups(id, rng.groups()).unwrap(),
        3 => world.set_sensor(id, rng.chance(30)).unwrap(),
        4 => {
            let kind = if rng.chance(50) { BodyKind::Fixed } else { BodyKind::Moving };
            world.set_kind(id, kind).unwrap();
        }
        5 | 6 => world.set_pose(id, rng.pose(side)).unwrap(),
        7 => {
            let poses: Vec<_> = ids.iter().map(|&id| (id, rng.pose(side))).step_by(3).collect();
            world.set_poses(&poses).unwrap();
        }
        8 => {
            // Out and in again: the slot is used by another body at once.
            let body = world.remove(id).unwrap();
            world.insert(body).unwrap();
        }
        9 => world.set_body_margin(id, rng.range(0.0, 0.5)).unwrap(),
        10 | 11 => {
            let (other, ignored) = (ids[rng.below(ids.len())], rng.chance(80));
            world.set_ignored(id, other, ignored).unwrap();
            assert_eq!(world.is_ignored(other, id), ignored && other != id);
        }
        12 => {
            // Most ignored pairs are far apart; this one is not.
            if let Some((a, b)) = world.contacts().get(0).map(|contact| (contact.a, contact.b)) {
                let alive = world.contains(a) && world.contains(b);
                assert_eq!(world.set_ignored(a, b, true).is_ok(), alive);
            }
        }
        _ => {
            let moved = pose.position() + rng.vec(-0.25, 0.25);
            world.set_pose(id, Pose::new(moved, pose.rotation()).unwrap()).unwrap();
        }
    }
}

/// Moves all bodies that are not fixed a little, which is more than an update edits in place.
pub fn move_most(rng: &mut Rng, world: &mut World) {
    let bodies = world.iter().filter(|(_, body)| body.kind() == BodyKind::Moving);
    let mut poses: Vec<_> = bodies.map(|(id, body)| (id, body.pose())).collect();
    for (_, pose) in &mut poses {
        *pose = Pose::new(pose.position() + rng.vec(-0.05, 0.05), pose.rotation()).unwrap();
    }
    world.set_poses(&poses).unwrap();
}
