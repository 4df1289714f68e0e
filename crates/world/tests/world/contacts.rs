//! Names, slots, anchors, recycling and the ways through the contacts.

use std::collections::BTreeMap;

use crate::common::{Rng, move_most, nameless, random_change, random_world};
use impinge_narrowphase::closest;
use impinge_shapes::glam::{Quat, Vec3, vec3};
use impinge_shapes::{Pose, Shape};
use impinge_world::{
    Body, BodyError, BodyId, BodyKind, Contact, ContactId, Event, EventKind, Slot, World,
    WorldError,
};
use rayon::prelude::*;

/// What a contact point is recognised by.
type Name = (BodyId, BodyId, u32, u32, u32);

fn names(contact: &Contact) -> Vec<Name> {
    contact
        .points()
        .map(|(m, point)| (contact.a, contact.b, m.part_a, m.part_b, point.feature.0))
        .collect()
}

fn bits(slot: Slot) -> [u32; 4] {
    slot.map(f32::to_bits)
}

#[test]
fn slots_stay_with_their_features() {
    let seed = 31;
    let mut rng = Rng::new(seed);
    let mut world = random_world(&mut rng, 150, 4.0);
    world.set_slots(true);
    let mut model: BTreeMap<Name, Slot> = BTreeMap::new();
    let (mut kept, mut fresh, mut moved, mut number) = (0, 0, 0, 0.0);
    for step in 0..40 {
        world.update();
        let mut now = BTreeMap::new();
        for contact in world.contacts_mut() {
            let names = names(contact.contact);
            assert_eq!((names.len(), names.len()), (contact.slots.len(), contact.anchors.len()));
            let once = |name: &Name| names.iter().filter(|other| *other == name).count() == 1;
            for (name, slot) in names.iter().zip(contact.slots.iter_mut()) {
                if once(name) {
                    if let Some(expected) = model.get(name) {
                        assert_eq!(bits(*slot), bits(*expected), "seed {seed}, step {step}");
                        kept += 1;
                    } else if bits(*slot) == [0; 4] {
                        fresh += 1;
                    } else {
                        // It lies where another point of the same parts was.
                        let was = model.iter().find(|(_, old)| bits(**old) == bits(*slot)).unwrap();
                        assert_eq!(
                            (was.0.0, was.0.1, was.0.2, was.0.3),
                            (name.0, name.1, name.2, name.3)
                        );
                        assert!(!names.contains(was.0), "seed {seed}, step {step}");
                        moved += 1;
                    }
                }
                number += 1.0;
                *slot = [number, -number, 0.5, rng.range(-1.0, 1.0)];
                now.insert(*name, *slot);
            }
        }
        model = now;
        if step % 10 == 9 {
            // All contacts are found anew, and keep their slots.
            world.set_margin(0.25).unwrap();
        }
        for _ in 0..rng.below(30) {
            random_change(&mut rng, &mut world, 4.0);
        }
    }
    assert!(kept > 1000 && fresh > 300 && moved > 3, "{kept} {fresh} {moved}");
    world.set_slots(false);
    world.update();
    assert!(world.contacts().with_slots().all(|contact| contact.slots.is_empty()));
    world.set_slots(true);
    world.update();
    let mut slots = world.contacts().with_slots().flat_map(|contact| contact.slots);
    assert!(slots.all(|slot| slot.iter().all(|number| number.to_bits() == 0)));
}

#[test]
fn a_corner_that_crosses_an_edge_keeps_its_slot() {
    let mut world = World::new();
    world.set_slots(true);
    let cube = Shape::cuboid(Vec3::splat(0.5)).unwrap();
    world.insert(Body::fixed(cube.clone())).unwrap();
    let upper = world.insert(Body::moving(cube).at(Vec3::Y * 0.99)).unwrap();
    let mut names_seen = std::collections::BTreeSet::new();
    for step in 0..8_u8 {
        let x = [0.0, 1e-4, -1e-4, 2e-4][usize::from(step % 4)];
        let pose = Pose::from_position(vec3(x, 0.99, -x)).unwrap();
        world.set_pose(upper, pose).unwrap();
        world.update();
        let contact = world.contacts_mut().pop().unwrap();
        names_seen.insert(names(contact.contact));
        assert_eq!(contact.slots.len(), 4);
        let mut kept: Vec<u32> = contact.slots.iter().map(|slot| slot[0].to_bits()).collect();
        kept.sort_unstable();
        if step > 0 {
            assert_eq!(kept, [1.0_f32, 2.0, 3.0, 4.0].map(f32::to_bits), "step {step}");
        }
        for (number, slot) in [1.0, 2.0, 3.0, 4.0].into_iter().zip(contact.slots) {
            slot[0] = number;
        }
    }
    assert!(names_seen.len() > 1, "the features change");
}

#[test]
fn anchors_are_the_points_as_the_bodies_see_them() {
    let seed = 32;
    let mut rng = Rng::new(seed);
    let mut world = random_world(&mut rng, 300, 4.0);
    world.set_slots(true);
    world.set_margin(0.125).unwrap();
    world.update();
    let mut seen = 0;
    for contact in world.contacts().with_slots() {
        let pose = |id| world.body(id).unwrap().pose();
        let (a, b) = (pose(contact.contact.a), pose(contact.contact.b));
        for ((manifold, point), anchor) in contact.contact.points().zip(contact.anchors) {
            // Points of half-spaces and of huge bodies lie far from their origins.
            let near = 4e-7 * (1.0 + anchor.local_a.length() + anchor.local_b.length());
            assert!(a.transform_point(anchor.local_a).distance(point.point_a) < near);
            assert!(b.transform_point(anchor.local_b).distance(point.point_b) < near);
            assert!(a.transform_vector(anchor.local_normal).distance(manifold.normal) < 4e-7);
            seen += 1;
        }
    }
    assert!(seen > 300, "seed {seed}: {seen}");
}

#[test]
fn a_contact_has_one_name_from_begin_to_end() {
    let seed = 33;
    let mut rng = Rng::new(seed);
    let mut world = random_world(&mut rng, 100, 4.0);
    let mut named: BTreeMap<ContactId, (BodyId, BodyId)> = BTreeMap::new();
    let mut ended: Vec<ContactId> = Vec::new();
    for step in 0..60 {
        world.update();
        let before = std::mem::take(&mut named);
        for event in world.events().iter().filter(|event| !event.sensor) {
            let (id, pair) = (event.contact.unwrap(), (event.a, event.b));
            use impinge_world::EventKind::{Begin, End, Persist};
            match event.kind {
                Begin => {
                    assert!(!before.contains_key(&id) && !ended.contains(&id), "seed {seed}");
                    // An index that is given up now is not used again at once.
                    assert!(before.keys().all(|old| old.index() != id.index()), "seed {seed}");
                }
                Persist | End => assert_eq!(before.get(&id), Some(&pair), "seed {seed} {step}"),
            }
            if event.kind == End {
                ended.push(id);
            } else {
                assert!(named.insert(id, pair).is_none());
            }
        }
        let contacts = world.contacts();
        assert_eq!(contacts.len(), named.len());
        for contact in contacts {
            assert_eq!(named[&contact.id], (contact.a, contact.b));
            assert_eq!(contacts.by_id(contact.id), Some(contact));
            assert_eq!(ContactId::from_bits(contact.id.to_bits()), contact.id);
            assert!(contact.id.index() < 2000);
        }
        assert!(ended.iter().all(|&id| contacts.by_id(id).is_none()));
        assert!(world.events().iter().all(|event| event.sensor == event.contact.is_none()));
        for _ in 0..rng.below(25) {
            random_change(&mut rng, &mut world, 4.0);
        }
        if step % 3 == 1 {
            move_most(&mut rng, &mut world);
        }
    }
    assert!(ended.len() > 200 && named.len() > 20, "{} {}", ended.len(), named.len());
    assert!(world.contacts().by_id(ContactId::default()).is_none());
}

#[test]
fn contacts_are_listed_by_body_and_by_kind() {
    let seed = 34;
    let mut rng = Rng::new(seed);
    let mut world = random_world(&mut rng, 200, 4.0);
    world.update();
    let all: Vec<Contact> = world.contacts().iter().cloned().collect();
    assert!(all.len() > 100);
    let gone = all[0].a;
    world.remove(gone).unwrap();
    let reused = world.insert(rng.body(4.0)).unwrap();
    assert_eq!(gone.index(), reused.index());
    let ids: Vec<BodyId> = world.iter().map(|(id, _)| id).chain([gone]).collect();
    for &id in &ids {
        let expected = all.iter().filter(|contact| contact.other(id).is_some());
        assert!(world.contacts().of(id).eq(expected), "seed {seed}");
    }
    assert_eq!(world.contacts().of(reused).count(), 0, "it has none yet");
    assert_eq!(world.contacts().of(BodyId::default()).count(), 0);
    let kind = |id| world.body(id).map(|body| body.kind());
    let (fixed, moving) = (BodyKind::Fixed, BodyKind::Moving);
    let mixed: Vec<_> = world.contacts().of_kinds(fixed, moving).collect();
    assert!(world.contacts().of_kinds(moving, fixed).eq(mixed.iter().copied()));
    let expected = all.iter().filter(|contact| {
        [kind(contact.a), kind(contact.b)].contains(&Some(fixed))
            && [kind(contact.a), kind(contact.b)].contains(&Some(moving))
    });
    assert!(mixed.iter().copied().eq(expected) && mixed.len() > 10);
    assert!(world.contacts().of_kinds(moving, moving).count() > 10);
    assert_eq!(world.contacts().of_kinds(fixed, fixed).count(), 0);
    let parallel: Vec<&Contact> = world.contacts().par_iter().collect();
    assert!(parallel.into_iter().eq(&all));
    let opened: Vec<Contact> =
        world.contacts_mut().par_iter().map(|contact| contact.contact.clone()).collect();
    assert_eq!(opened, all);
}

#[test]
fn margins_of_bodies_add_to_the_worlds() {
    let ball = |x: f32| Body::moving(Shape::sphere(1.0).unwrap()).at(Vec3::X * x);
    let mut world = World::new();
    let [a, b] = [ball(0.0).margin(0.25), ball(3.0)].map(|body| world.insert(body).unwrap());
    assert_eq!(world.update().contacts, 0);
    world.set_margin(0.5).unwrap();
    world.set_body_margin(b, 0.25).unwrap();
    assert_eq!(world.update().contacts, 1);
    assert_eq!(world.contact(a, b).unwrap().distance().to_bits(), 1.0_f32.to_bits());
    world.set_body_margin(a, 0.2).unwrap();
    assert_eq!(world.update().ended, 1);
    assert_eq!(world.body(a).unwrap().margin().to_bits(), 0.2_f32.to_bits());
    for bad in [-1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(world.set_body_margin(a, bad), Err(WorldError::Margin(_))));
        assert!(matches!(world.insert(ball(0.0).margin(bad)), Err(BodyError::Margin(_))));
        assert!(matches!(world.set_recycling(bad), Err(WorldError::Recycling(_))));
    }
    world.remove(b).unwrap();
    assert_eq!(world.set_body_margin(b, 1.0), Err(WorldError::StaleId(b)));
    assert_eq!(world.set_ignored(a, b, true), Err(WorldError::StaleId(b)));
}

#[test]
fn an_ignored_pair_ends_and_begins_again() {
    let mut world = World::new();
    let ball = || Body::moving(Shape::sphere(1.0).unwrap());
    let [a, b] = [(); 2].map(|()| world.insert(ball()).unwrap());
    assert_eq!(world.update().begun, 1);
    world.set_ignored(b, a, true).unwrap();
    let report = world.update();
    assert_eq!((report.ended, report.filtered_pairs, report.moved), (1, 1, 2));
    assert_eq!(world.body(a).unwrap().ignored().collect::<Vec<_>>(), [b]);
    world.set_ignored(a, b, false).unwrap();
    assert_eq!(world.update().begun, 1);
    world.set_ignored(a, b, true).unwrap();
    world.remove(a).unwrap();
    let reused = world.insert(ball()).unwrap();
    assert_eq!(reused.index(), a.index());
    assert!(!world.is_ignored(reused, b), "what was ignored is gone");
    assert_eq!(world.body(b).unwrap().ignored().count(), 0);
    world.set_ignored(b, b, true).unwrap();
    assert!(!world.is_ignored(b, b));
    assert_eq!(world.update().contacts, 1);
}

/// Names and distances of the points of a contact when it was found, and the distance of the shapes.
type Found = (Vec<Name>, Vec<f32>, f32);

/// What rounding may add to lengths of these worlds.
const SLACK: f32 = 1e-5;

/// Signed distance of the shapes of two bodies, whatever their contact says.
fn true_distance(world: &World, (a, b): (BodyId, BodyId)) -> f32 {
    let (a, b) = (world.body(a).unwrap(), world.body(b).unwrap());
    closest(a.shape(), &a.pose(), b.shape(), &b.pose(), f32::INFINITY).unwrap().distance
}

#[test]
fn recycling_keeps_its_promise() {
    let (mut recycled, mut tested, mut kept_distances) = (0, 0, 0);
    for seed in 40..60 {
        let mut rng = Rng::new(seed);
        let mut world = random_world(&mut rng, 120, 3.5);
        let length = 0.03125;
        world.set_recycling(length).unwrap();
        let mut fresh = world.clone();
        fresh.set_recycling(0.0).unwrap();
        let mut made: BTreeMap<(BodyId, BodyId), Found> = BTreeMap::new();
        for _ in 0..12 {
            let report = world.update();
            fresh.update();
            recycled += report.recycled_pairs;
            tested += report.tested_pairs;
            // No contact begins late.
            let late = |contact: &&Contact| world.contact(contact.a, contact.b).is_none();
            assert_eq!(fresh.contacts().iter().find(late), None, "seed {seed}");
            let mut now = BTreeMap::new();
            for contact in world.contacts() {
                let pair = (contact.a, contact.b);
                let distance = true_distance(&world, pair);
                // None lasts for longer than `length` beyond its margin.
                let margin: f32 =
                    [pair.0, pair.1].map(|id| world.body(id).unwrap().margin()).iter().sum();
                assert!(distance <= margin + length + SLACK, "seed {seed}: {distance} {margin}");
                let points = contact.points().map(|(_, point)| point.distance);
                let (points, features) = (points.collect::<Vec<_>>(), names(contact));
                let is_fresh = fresh
                    .contact(pair.0, pair.1)
                    .is_some_and(|fresh| fresh.manifolds == contact.manifolds);
                if is_fresh {
                    now.insert(pair, (features, points, distance));
                    continue;
                }
                // Carried along: points and shapes are not off by more than `length` each.
                let found: &Found = &made[&pair];
                assert_eq!(features, found.0, "seed {seed}");
                for (point, before) in points.iter().zip(&found.1) {
                    assert!((point - before).abs() <= length + SLACK, "seed {seed}");
                }
                assert!((distance - found.2).abs() <= length + SLACK, "seed {seed}");
                kept_distances += 1;
                now.insert(pair, found.clone());
            }
            made = now;
            for _ in 0..3 {
                let state = rng.next();
                random_change(&mut Rng::new(state), &mut world, 3.5);
                random_change(&mut Rng::new(state), &mut fresh, 3.5);
            }
            let nudged: Vec<(BodyId, Pose)> = world
                .iter()
                .filter(|(_, body)| body.kind() == BodyKind::Moving)
                .map(|(id, body)| {
                    let at = body.pose().position() + rng.vec(-0.002, 0.002);
                    let turned = body.pose().rotation().normalize()
                        * Quat::from_vec4(rng.vec(-0.001, 0.001).extend(1.0));
                    (id, Pose::new(at, turned).unwrap())
                })
                .collect();
            world.set_poses(&nudged).unwrap();
            fresh.set_poses(&nudged).unwrap();
        }
        world.set_recycling(0.0).unwrap();
        world.update();
        fresh.update();
        assert_eq!(nameless(&world), nameless(&fresh), "seed {seed}");
    }
    assert!(recycled > 3000 && tested > 3000, "{recycled} {tested}");
    assert!(kept_distances > 3000, "{kept_distances}");
}

#[test]
fn what_moves_together_is_recycled_for_ever() {
    let mut world = World::new();
    world.set_recycling(0.001).unwrap();
    let cube = Shape::cuboid(Vec3::splat(0.5)).unwrap();
    let at = |y: f32| Body::moving(cube.clone()).at(vec3(0.0, y, 0.0));
    let [a, b] = [0.0, 0.99].map(|y| world.insert(at(y)).unwrap());
    assert_eq!(world.update().tested_pairs, 1);
    for step in 1..=50_u8 {
        let turn = Quat::from_xyzw(f32::from(step) * 0.05, 0.0, 0.0, 1.0);
        let frame = Pose::new(vec3(f32::from(step), 0.0, 0.0), turn).unwrap();
        let upper = frame.compose(&Pose::from_position(vec3(0.0, 0.99, 0.0)).unwrap());
        world.set_poses(&[(a, frame), (b, upper)]).unwrap();
        let report = world.update();
        assert_eq!((report.recycled_pairs, report.tested_pairs), (1, 0));
        let manifold = &world.contact(a, b).unwrap().manifolds[0];
        assert!(manifold.normal.distance(frame.transform_vector(Vec3::Y)) < 1e-6);
        assert!(manifold.points.iter().all(|point| (point.distance + 0.01).abs() < 1e-5));
    }
    world.set_shape(b, Shape::sphere(0.5).unwrap()).unwrap();
    assert_eq!(world.update().tested_pairs, 1);
}

#[test]
fn another_margin_of_the_world_ends_recycling_once() {
    let mut world = World::new();
    world.set_recycling(0.5).unwrap();
    let ball = |x: f32| Body::moving(Shape::sphere(1.0).unwrap()).at(Vec3::X * x);
    let [_, b] = [0.0, 1.9].map(|x| world.insert(ball(x)).unwrap());
    world.update();
    world.set_pose(b, Pose::from_position(Vec3::X * 1.95).unwrap()).unwrap();
    assert_eq!(world.update().recycled_pairs, 1);
    world.set_pose(b, Pose::from_position(Vec3::X * 1.9).unwrap()).unwrap();
    world.set_margin(0.125).unwrap();
    let report = world.update();
    assert_eq!((report.recycled_pairs, report.tested_pairs), (0, 1));
}

/// Found by the soak: events went by slots where an update looked at few pairs only.
#[test]
fn events_are_sorted_by_bodies_when_a_slot_is_used_again() {
    let ball = |x| Body::moving(Shape::sphere(1.0).unwrap()).at(vec3(x, 0.0, 0.0));
    let mut world = World::new();
    // Enough bodies at rest for an update that looks at what changed only.
    for i in 0..100_u8 {
        world.insert(ball(100.0 + 10.0 * f32::from(i))).unwrap();
    }
    let ids = [0.0, 0.5, 1.0].map(|x| world.insert(ball(x)).unwrap());
    world.update();
    world.update();
    world.remove(ids[0]).unwrap();
    let again = world.insert(ball(0.25)).unwrap();
    assert_eq!(again.index(), ids[0].index());
    world.update();
    let key = |event: &Event| (event.a, event.b);
    assert!(world.events().is_sorted_by_key(key), "{:?}", world.events());
    let kinds: Vec<_> = world.events().iter().map(|event| (key(event), event.kind)).collect();
    let [_, b, c] = ids;
    let expected = [
        ((ids[0], b), EventKind::End),
        ((ids[0], c), EventKind::End),
        ((again, b), EventKind::Begin),
        ((again, c), EventKind::Begin),
        ((b, c), EventKind::Persist),
    ];
    assert_eq!(kinds, expected);
}
