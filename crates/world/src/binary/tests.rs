//! Bytes that are foreign, cut off, changed or made up.

use std::sync::Arc;

use impinge_narrowphase::Manifold;
use impinge_shapes::glam::{Quat, Vec3, vec3};
use impinge_shapes::{HeightField, Pose, Ray, Shape, Sides};

use super::*;
use crate::entries::Entry;
use crate::event_list::EventList;
use crate::events::event;
use crate::state::{CHANGED, NEW, RESHAPED, State};
use crate::{Body, ContactId, Event, EventKind, Filter, Groups, Kinds};

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap()
    }
}

/// A shape of each kind, and some that are shared.
fn shapes() -> Vec<Shape> {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, vec3(0.3, 0.3, 0.3)];
    let hull = Shape::convex_hull(&corners).unwrap();
    let mesh = Shape::triangle_mesh(corners[..4].to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let heights = vec![Some(0.5), Some(1.5), None, Some(0.0), Some(-1.0), Some(0.25)];
    let field = HeightField::with_holes(2, 3, heights, vec3(3.0, 0.3, 2.0)).unwrap();
    let rounded = Shape::rounded(hull.clone(), 0.1).unwrap();
    let part = Pose::from_position(Vec3::X).unwrap();
    vec![
        Shape::sphere(0.7).unwrap(),
        Shape::cuboid(vec3(0.5, 0.25, 0.75)).unwrap(),
        Shape::capsule(Vec3::X, Vec3::Y, 0.2).unwrap(),
        Shape::cylinder(0.5, 0.6).unwrap(),
        Shape::cone(0.5, 0.6).unwrap(),
        Shape::triangle(Vec3::X, Vec3::Y, Vec3::Z).unwrap(),
        Shape::half_space(vec3(1.0, 3.0, 7.0), -0.5).unwrap(),
        field.with_sides(Sides::Front).into(),
        Shape::compound([(part, rounded.clone()), (Pose::IDENTITY, mesh.clone())]).unwrap(),
        hull.clone(),
        rounded,
        mesh,
        hull,
    ]
}

/// A world of everything that is saved.
fn world() -> World {
    let mut world = World::new();
    world.set_slots(true);
    let shapes = shapes();
    let mut ids = Vec::new();
    for (shape, x) in shapes.iter().zip(0_u8..) {
        let at = vec3(f32::from(x % 4), f32::from(x / 4) * 0.5, 0.0);
        let body = Body::moving(shape.clone()).at(at);
        ids.push(world.insert(body.sensor(x == 3).user_data((x / 5).into())).unwrap());
    }
    world.set_groups(ids[4], Groups::new(3, !0)).unwrap();
    world.set_body_margin(ids[5], 0.125).unwrap();
    world.set_ignored(ids[0], ids[1], true).unwrap();
    world.update();
    world.remove(ids[9]).unwrap();
    world.remove(ids[2]).unwrap();
    world.update();
    let turned = Pose::new(vec3(0.5, 0.5, 0.0), Quat::from_xyzw(0.1, 0.2, 0.3, 2.0)).unwrap();
    world.set_pose(ids[1], turned).unwrap();
    world
}

/// The same bytes with the checksum that belongs to them.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let content = bytes.len() - FOOTER;
    let checksum = Digest::of_bytes(&bytes[..content]);
    bytes[content..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Whatever was read must be a world that works.
fn use_world(mut world: World) {
    let again = World::from_bytes(&world.to_bytes()).unwrap();
    assert_eq!(again.hash(), world.hash());
    let _ = world.pairs().count() + world.contacts().with_slots().len();
    for (id, _) in world.iter().take(3) {
        let _ = world.contacts().of(id).count();
    }
    let ray = Ray::new(vec3(0.2, 9.0, 0.1), Vec3::NEG_Y).unwrap();
    let all = Filter::new().kinds(Kinds::ALL);
    let _ = world.queries().raycast(&ray, 99.0, &all);
    world.update();
    world.update();
    world.insert(Body::moving(Shape::sphere(1.0).unwrap())).unwrap();
    let contacts: Vec<_> = world.contacts().iter().map(|contact| contact.id).collect();
    assert!(contacts.iter().all(|&id| world.contacts().by_id(id).is_some()));
}

#[test]
fn every_kind_of_shape_comes_back_and_stays_shared() {
    let bodies = shapes();
    let mut world = World::new();
    for shape in &bodies {
        world.insert(Body::moving(shape.clone())).unwrap();
    }
    let read = World::from_bytes(&world.to_bytes()).unwrap();
    let found: Vec<Shape> = read.iter().map(|(_, body)| body.shape().clone()).collect();
    assert_eq!(found, bodies);
    let hull = |at: usize| match &found[at] {
        Shape::ConvexHull(hull) => Arc::as_ptr(hull),
        other => unreachable!("{other:?}"),
    };
    assert_eq!(hull(9), hull(12));
    let Shape::Rounded(rounded) = &found[10] else { unreachable!() };
    let Shape::ConvexHull(core) = rounded.core() else { unreachable!() };
    assert_eq!(Arc::as_ptr(core), hull(9));
    // Shared or not, the content counts.
    let mut apart = World::new();
    for place in 0..bodies.len() {
        apart.insert(Body::moving(shapes()[place].clone())).unwrap();
    }
    assert_eq!(apart.hash(), world.hash());
    assert!(apart.to_bytes().len() > world.to_bytes().len());
}

#[test]
fn foreign_bytes_are_told_from_damaged_ones() {
    let bytes = world().to_bytes();
    let read = |bytes: &[u8]| World::from_bytes(bytes).map(|world| world.len());
    assert_eq!(read(&bytes), Ok(11));
    for foreign in [&b""[..], b"\n", b"impinge\r\n", b"{\"bodies\": []}", b"imp0"] {
        assert_eq!(read(foreign), Err(DecodeError::Foreign), "{foreign:?}");
    }
    let mut newer = bytes.clone();
    newer[8] = 2;
    assert_eq!(read(&newer), Err(DecodeError::Version { found: 2, newest: 1 }));
    // Version 0 was told to be "at most 1".
    let mut none = bytes.clone();
    none[8] = 0;
    let message = read(&none).unwrap_err().to_string();
    assert_eq!(message, "version: must be 1, got 0");
    let found = bytes.len() as u64;
    let longer = [&bytes[..], b"x"].concat();
    assert_eq!(read(&longer), Err(DecodeError::Length { stated: found, found: found + 1 }));
    for length in 1..bytes.len() {
        let found = read(&bytes[..length]).unwrap_err();
        assert!(matches!(found, DecodeError::Length { .. }), "{length}: {found}");
    }
    let message = read(&longer).unwrap_err().to_string();
    assert_eq!(message, format!("length: {found} bytes are stated, got {}", found + 1));
}

#[test]
fn every_changed_bit_is_noticed() {
    let bytes = world().to_bytes();
    for at in 0..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[at / 8] ^= 1 << (at % 8);
        let found = Snapshot::from_bytes(&changed).unwrap_err();
        let header = !matches!(found, DecodeError::Checksum { .. });
        assert_eq!(header, at / 8 < HEADER && !(12..16).contains(&(at / 8)), "bit {at}: {found}");
    }
}

#[test]
fn made_up_bytes_are_refused_or_make_a_world() {
    let bytes = world().to_bytes();
    let (mut refused, mut read) = (0, 0);
    for seed in 0..6000 {
        let mut rng = Rng(seed);
        let mut made_up = bytes.clone();
        for _ in 0..1 + rng.below(3) {
            // Most bytes are halves of numbers; small ones and large ones hit counts and kinds.
            let at = HEADER + rng.below(bytes.len() - HEADER - FOOTER);
            made_up[at] = match rng.below(4) {
                0 => 0,
                1 => u8::try_from(rng.below(16)).unwrap(),
                2 => 0xff,
                _ => made_up[at] ^ 1 << rng.below(8),
            };
        }
        match World::from_bytes(&sealed(made_up)) {
            Ok(world) => {
                read += 1;
                if seed % 8 == 0 {
                    use_world(world);
                }
            }
            Err(error) => {
                refused += 1;
                let message = error.to_string();
                let mut names = SECTIONS.iter().chain(&["header"]);
                let named = names.any(|section| message.starts_with(section));
                assert!(named, "seed {seed}: {message}");
            }
        }
    }
    assert!(refused > 1000 && read > 1000, "{refused} refused, {read} read");
    use_world(World::from_bytes(&bytes).unwrap());
}

#[test]
fn large_counts_ask_for_no_memory() {
    let bytes = world().to_bytes();
    let mut refused = 0;
    // Wherever a count is, this is one that no input has.
    for at in HEADER..bytes.len() - FOOTER - 8 {
        let mut made_up = bytes.clone();
        made_up[at..at + 8].copy_from_slice(&(1_u64 << 60).to_le_bytes());
        refused += usize::from(Snapshot::from_bytes(&sealed(made_up)).is_err());
    }
    assert!(refused > 100, "{refused}");
}

/// Such bytes were read, and a later update looked for a contact where there was none.
#[test]
fn what_does_not_fit_together_is_refused() {
    let refused = |change: &dyn Fn(&mut State)| {
        let mut world = world();
        world.update();
        change(&mut world.state);
        let bytes = world.to_bytes();
        assert_eq!(sealed(bytes.clone()), bytes);
        World::from_bytes(&bytes).is_err()
    };
    assert!(!refused(&|_| ()));
    let mark = |mark: u8| move |state: &mut State| state.marks.set(1, mark, &mut state.changed);
    assert!(refused(&mark(RESHAPED)) && refused(&mark(NEW)) && !refused(&mark(CHANGED)));
    assert!(refused(&|state| state.has_slots = false));
    assert!(!refused(&|state| (state.has_slots, state.retest_all) = (false, true)));
    let begin = |name: u64| {
        move |state: &mut State| {
            let entry = *state.contacts.entries().iter().next().unwrap();
            let contact = Some(ContactId::from_bits(entry.id.to_bits() + name));
            let event = Event { kind: EventKind::Begin, contact, ..event_of(&entry) };
            state.events = Arc::new(EventList::new(vec![event]));
        }
    };
    assert!(!refused(&begin(0)) && refused(&begin(1 << 32)));
    let end = |state: &mut State| {
        let entry = *state.contacts.entries().iter().next().unwrap();
        state.events = Arc::new(EventList::new(vec![event_of(&entry)]));
    };
    assert!(refused(&end));
}

/// Contacts were read whatever their numbers were.
#[test]
fn numbers_that_no_contact_has_are_refused() {
    // Two half-spaces, a compound of two balls and a ball, in a world with slots.
    let mut world = World::new();
    world.set_slots(true);
    let (ball, floor) = (Shape::sphere(1.0).unwrap(), Shape::half_space(Vec3::Y, 0.0).unwrap());
    let two =
        [(Pose::IDENTITY, ball.clone()), (Pose::from_position(Vec3::X).unwrap(), ball.clone())];
    let compound = world.insert(Body::moving(Shape::compound(two).unwrap())).unwrap();
    world.insert(Body::moving(ball).at(vec3(0.5, 1.5, 0.0))).unwrap();
    let tilted = Shape::half_space(Vec3::ONE, -90.0).unwrap();
    for plane in [floor, tilted] {
        world.insert(Body::moving(plane).at(Vec3::Y * -90.0)).unwrap();
    }
    world.update();
    let bytes = world.to_bytes();
    let found: Vec<_> = world.contacts().iter().map(|contact| contact.manifolds.len()).collect();
    assert_eq!(found, [2, 1]);
    assert!(world.contacts().get(1).unwrap().distance() < f32::MIN);
    // The bytes of a number of the state, found by its neighbours, with another one in its place.
    let told = |old: &[f32], at: usize, new: u32| {
        let whole: Vec<u8> = old.iter().flat_map(|x| x.to_le_bytes()).collect();
        let place = bytes.windows(whole.len()).position(|window| window == whole).unwrap();
        let mut made_up = bytes.clone();
        made_up[place + at * 4..place + at * 4 + 4].copy_from_slice(&new.to_le_bytes());
        World::from_bytes(&sealed(made_up)).map(|world| world.contacts().len())
    };
    let refused =
        |what: &str| Err(DecodeError::Invalid { section: "contacts", what: what.to_owned() });
    let (nan, infinite, two) = (f32::NAN.to_bits(), f32::INFINITY.to_bits(), 2.0_f32.to_bits());
    let below = f32::NEG_INFINITY.to_bits();
    let contact = world.contacts().with_slots().next().unwrap();
    let [first, second] = &contact.contact.manifolds[..] else { panic!("{contact:?}") };
    let head = |manifold: &Manifold| {
        let parts = [manifold.part_a, manifold.part_b].map(f32::from_bits);
        [&manifold.normal.to_array()[..], &parts].concat()
    };
    let point = &second.points[0];
    let numbers =
        [&point.point_a.to_array()[..], &point.point_b.to_array(), &[point.distance]].concat();
    let anchor = &contact.anchors[1];
    let anchors = [anchor.local_a, anchor.local_b, anchor.local_normal].map(|v| v.to_array());
    for bad in [nan, infinite, two] {
        assert_eq!(told(&head(first), 1, bad), refused("a normal that has not length 1"));
        let normal = told(&anchors.concat(), 8, bad);
        assert_eq!(normal, refused("a normal of an anchor that has not length 1"));
    }
    for (part, what) in [(2, "a part that the body does not have"), (0, "manifolds out of order")] {
        assert_eq!(told(&head(second), 3, part), refused(what));
    }
    assert_eq!(told(&head(second), 4, 1), refused("a part that the body does not have"));
    for bad in [nan, infinite, below] {
        for at in [0, 5] {
            assert_eq!(told(&numbers, at, bad), refused("a contact point that is not finite"));
            assert_eq!(told(&anchors.concat(), at, bad), refused("an anchor that is not finite"));
        }
        assert_eq!(told(&numbers, 6, bad), refused("a distance that is not finite"));
    }
    assert_eq!(told(&numbers, 6, two), Ok(2));
    // What lies between half-spaces has no end below, and slots are the caller's.
    let endless = world.contacts().get(1).unwrap().manifolds[0].points[0];
    let numbers = [&endless.point_b.to_array()[..], &[endless.distance]].concat();
    assert_eq!(told(&numbers, 3, infinite), refused("a distance that is not finite"));
    let mut free = World::from_bytes(&bytes).unwrap();
    free.contacts_mut()[0].slots[1] = [f32::NAN; 4];
    assert_eq!(World::from_bytes(&free.to_bytes()).unwrap().hash(), free.hash());
    // Which parts a body had before it got another shape is not known.
    world.set_shape(compound, Shape::sphere(1.0).unwrap()).unwrap();
    assert_eq!(World::from_bytes(&world.to_bytes()).unwrap().hash(), world.hash());
}

fn event_of(entry: &Entry) -> Event {
    event(EventKind::End, entry, false)
}

#[test]
fn a_margin_of_zero_below_zero_is_none() {
    let body = |margin: f32| Body::moving(Shape::sphere(1.0).unwrap()).margin(margin);
    let mut worlds = [0.0, -0.0].map(|margin| {
        let mut world = World::new();
        let id = world.insert(body(margin)).unwrap();
        world.insert(body(0.25).at(Vec3::X * 9.0)).unwrap();
        world.update();
        world.set_body_margin(id, margin).unwrap();
        world
    });
    let [one, other] = &mut worlds;
    assert_eq!(one.hash(), other.hash());
    assert_eq!((one.update().moved, other.update().moved), (0, 0));
}
