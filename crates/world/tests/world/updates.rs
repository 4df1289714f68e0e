//! Contacts, sensor overlaps and events against pair-by-pair tests.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use crate::common::{
    Model, Rng, move_most, nameless, nameless_events, random_change, random_world,
};
use impinge_shapes::glam::{Vec3, vec3};
use impinge_shapes::{Pose, Ray, Shape};
use impinge_world::{
    Body, BodyId, BodyKind, Event, EventKind, Filter, Groups, Hits, OverlapQuery, QueryCounter,
    RayQuery, Stage, SweepQuery, UpdateObserver, UpdateOptions, World,
};

/// What the random worlds must have shown by the end.
#[derive(Default)]
struct Seen {
    begun: usize,
    persisted: usize,
    ended: usize,
    sensed: usize,
    filtered: usize,
    ignored: usize,
    apart: usize,
    compound: usize,
}

fn check_update(
    world: &mut World,
    model: &mut Model,
    filter: Option<&(dyn Fn(BodyId, BodyId) -> bool + Sync)>,
    seen: &mut Seen,
    seed: u64,
) {
    model.read(world);
    let events = model.update(world.margin(), &|a, b| filter.is_none_or(|filter| filter(a, b)));
    let options = UpdateOptions { contact_filter: filter, observer: None };
    let report = world.update_with(options);
    let contacts = nameless(world);
    assert_eq!(contacts, model.contacts, "seed {seed}");
    assert_eq!(world.sensor_overlaps(), model.sensors, "seed {seed}");
    assert_eq!(nameless_events(world), events, "seed {seed}");
    assert_eq!(report.contacts, contacts.len());
    assert_eq!(report.moved + report.resting, world.len());
    assert_eq!(report.pairs, world.pairs().count());
    let is_filtered = |&(a, b): &(BodyId, BodyId)| {
        let groups = |id| world.body(id).unwrap().groups();
        !groups(a).meets(groups(b))
            || world.is_ignored(a, b)
            || filter.is_some_and(|filter| !filter(a, b))
    };
    assert_eq!(report.filtered_pairs, world.pairs().filter(is_filtered).count(), "seed {seed}");
    let count = |kind| events.iter().filter(|event| event.kind == kind).count();
    assert_eq!(report.begun, count(EventKind::Begin));
    assert_eq!(report.persisted, count(EventKind::Persist));
    assert_eq!(report.ended, count(EventKind::End));
    seen.begun += report.begun;
    seen.persisted += report.persisted;
    seen.ended += report.ended;
    seen.sensed += report.sensor_overlaps;
    seen.filtered += report.filtered_pairs;
    seen.ignored += world.pairs().filter(|&(a, b)| world.is_ignored(a, b)).count();
    seen.apart += report.pairs - report.filtered_pairs - report.contacts - report.sensor_overlaps;
    seen.compound += contacts.iter().filter(|contact| contact.manifolds.len() > 1).count();
}

fn run(seed: u64, count: usize, steps: usize, changes: usize, seen: &mut Seen) {
    let mut rng = Rng::new(seed);
    let side = 1.1 * (count as f32).cbrt();
    let mut world = random_world(&mut rng, count, side);
    let mut model = Model::of(&world);
    let odd_apart = |a: BodyId, b: BodyId| !(a.index() + b.index()).is_multiple_of(3);
    for step in 0..steps {
        let filter: Option<&(dyn Fn(BodyId, BodyId) -> bool + Sync)> =
            if step % 5 == 3 { Some(&odd_apart) } else { None };
        if step % 6 == 4 {
            let margin = if world.margin() > 0.0 { 0.0 } else { 0.125 };
            world.set_margin(margin).unwrap();
        }
        check_update(&mut world, &mut model, filter, seen, seed);
        for _ in 0..rng.below(changes + 1) {
            random_change(&mut rng, &mut world, side);
        }
        if step % 4 == 2 {
            move_most(&mut rng, &mut world);
        }
        if step % 7 == 5 {
            // Refreshes the bounds before the update does.
            world.prepare_queries();
        }
    }
    world.clear();
    check_update(&mut world, &mut model, None, seen, seed);
    assert!(world.contacts().is_empty() && world.sensor_overlaps().is_empty());
    check_update(&mut world, &mut model, None, seen, seed);
    assert!(world.events().is_empty());
}

#[test]
fn updates_agree_with_pair_by_pair_tests() {
    let mut seen = Seen::default();
    for (seed, count) in (0..40).zip((1..=60).step_by(7).cycle()) {
        run(seed, count, 14, 12, &mut seen);
    }
    run(1000, 400, 8, 60, &mut seen);
    run(2000, 1500, 3, 200, &mut seen);
    assert!(seen.begun > 1000 && seen.persisted > 1000 && seen.ended > 1000);
    assert!(
        seen.sensed > 100
            && seen.filtered > 100
            && seen.ignored > 20
            && seen.apart > 1000
            && seen.compound > 100
    );
}

#[test]
fn every_pair_begins_once_and_ends_once() {
    let seed = 7;
    let mut rng = Rng::new(seed);
    let mut world = random_world(&mut rng, 80, 4.0);
    let mut open: BTreeMap<(BodyId, BodyId, bool), usize> = BTreeMap::new();
    let (mut begun, mut ended) = (0, 0);
    for step in 0..120 {
        if step == 119 {
            world.clear();
        }
        let report = world.update();
        assert!(world.events().is_sorted_by(|a, b| key(a) < key(b)), "seed {seed}");
        for event in world.events() {
            assert!(event.a < event.b);
            match event.kind {
                EventKind::Begin => {
                    assert_eq!(open.insert(key(event), step), None, "begun twice, seed {seed}");
                    begun += 1;
                }
                EventKind::Persist => assert!(open[&key(event)] < step, "seed {seed}"),
                EventKind::End => {
                    assert!(open.remove(&key(event)).is_some(), "ended twice, seed {seed}");
                    ended += 1;
                }
            }
        }
        assert_eq!(open.len(), report.contacts + report.sensor_overlaps, "lost, seed {seed}");
        for _ in 0..rng.below(25) {
            random_change(&mut rng, &mut world, 4.0);
        }
    }
    assert!(open.is_empty() && begun == ended && begun > 300, "{begun} {ended}");
}

fn key(event: &Event) -> (BodyId, BodyId, bool) {
    (event.a, event.b, event.sensor)
}

fn ball(x: f32) -> Body {
    Body::moving(Shape::sphere(1.0).unwrap()).at(vec3(x, 0.0, 0.0))
}

fn kinds(world: &mut World) -> Vec<(EventKind, bool)> {
    world.update();
    world.events().iter().map(|event| (event.kind, event.sensor)).collect()
}

#[test]
fn whatever_ends_a_contact_is_told() {
    use EventKind::{Begin, End, Persist};
    let mut world = World::new();
    let a = world.insert(ball(0.0)).unwrap();
    let b = world.insert(ball(2.0)).unwrap(); // touching
    assert_eq!(kinds(&mut world), [(Begin, false)]);
    assert_eq!(kinds(&mut world), [(Persist, false)]);
    world.set_groups(b, Groups::NONE).unwrap();
    assert_eq!(kinds(&mut world), [(End, false)]);
    world.set_groups(b, Groups::ALL).unwrap();
    assert_eq!(kinds(&mut world), [(Begin, false)]);
    world.set_sensor(b, true).unwrap();
    assert_eq!(kinds(&mut world), [(End, false), (Begin, true)]);
    world.set_sensor(b, false).unwrap();
    assert_eq!(kinds(&mut world), [(Begin, false), (End, true)]);
    world.set_shape(b, Shape::sphere(0.5).unwrap()).unwrap();
    assert_eq!(kinds(&mut world), [(End, false)]);
    world.set_pose(b, Pose::from_position(Vec3::X).unwrap()).unwrap();
    assert_eq!(kinds(&mut world), [(Begin, false)]);
    world.set_kind(a, BodyKind::Fixed).unwrap();
    assert_eq!(kinds(&mut world), [(Persist, false)]);
    world.set_kind(b, BodyKind::Fixed).unwrap();
    assert_eq!(kinds(&mut world), [(End, false)]);
    world.set_kind(a, BodyKind::Moving).unwrap();
    assert_eq!(kinds(&mut world), [(Begin, false)]);
    world.remove(b).unwrap();
    let c = world.insert(ball(1.0)).unwrap();
    assert_eq!(b.index(), c.index());
    world.update();
    let events: Vec<_> = world.events().iter().map(|event| (event.b, event.kind)).collect();
    assert_eq!(events, [(b, End), (c, Begin)]);
}

/// A ball at the origin, another that touches it, and bodies at rest elsewhere.
fn two_that_touch(sensor: bool, at_rest: u8) -> (World, BodyId, BodyId) {
    let mut world = World::new();
    let a = world.insert(ball(0.0)).unwrap();
    let b = world.insert(ball(2.0).sensor(sensor)).unwrap();
    for i in 0..at_rest {
        world.insert(ball(100.0 + 10.0 * f32::from(i))).unwrap();
    }
    world.update();
    world.update();
    (world, a, b)
}

/// What ends a contact or an overlap, and what begins it again.
type Cause = (&'static str, fn(&mut World, BodyId, BodyId), fn(&mut World, BodyId, BodyId));

const CAUSES: [Cause; 7] = [
    (
        "teleported",
        |world, _, b| world.set_pose(b, Pose::from_position(Vec3::Y * 9.0).unwrap()).unwrap(),
        |world, _, b| world.set_pose(b, Pose::from_position(Vec3::Y).unwrap()).unwrap(),
    ),
    (
        "teleported with others",
        |world, a, b| {
            let away = Pose::from_position(Vec3::Y * 9.0).unwrap();
            world.set_poses(&[(a, Pose::IDENTITY), (b, away)]).unwrap();
        },
        |world, _, b| world.set_poses(&[(b, Pose::IDENTITY)]).unwrap(),
    ),
    (
        "another shape",
        |world, a, _| world.set_shape(a, Shape::sphere(0.5).unwrap()).unwrap(),
        |world, a, _| world.set_shape(a, Shape::sphere(2.5).unwrap()).unwrap(),
    ),
    (
        "other groups",
        |world, a, _| world.set_groups(a, Groups::new(1, 0)).unwrap(),
        |world, a, _| world.set_groups(a, Groups::new(1, 1)).unwrap(),
    ),
    (
        "groups of the other",
        |world, _, b| world.set_groups(b, Groups::NONE).unwrap(),
        |world, _, b| world.set_groups(b, Groups::ALL).unwrap(),
    ),
    (
        "ignored",
        |world, a, b| world.set_ignored(a, b, true).unwrap(),
        |world, a, b| world.set_ignored(a, b, false).unwrap(),
    ),
    (
        "both fixed",
        |world, a, b| {
            world.set_kind(a, BodyKind::Fixed).unwrap();
            world.set_kind(b, BodyKind::Fixed).unwrap();
        },
        |world, a, _| world.set_kind(a, BodyKind::Moving).unwrap(),
    ),
];

#[test]
fn every_cause_ends_and_begins_contacts_and_overlaps_once() {
    use EventKind::{Begin, End, Persist};
    // Few bodies are looked at all, of many only those that changed.
    for (sensor, at_rest) in [(false, 0), (true, 0), (false, 100), (true, 100)] {
        for (cause, ends, begins) in CAUSES {
            let (mut world, a, b) = two_that_touch(sensor, at_rest);
            let events = |world: &World| -> Vec<EventKind> {
                let of_pair = |event: &&Event| (event.a, event.b) == (a, b);
                let all: Vec<&Event> = world.events().iter().filter(of_pair).collect();
                assert!(all.iter().all(|event| event.sensor == sensor), "{cause}");
                all.iter().map(|event| event.kind).collect()
            };
            assert_eq!(events(&world), [Persist], "{cause}");
            for (change, first, then) in [(ends, End, None), (begins, Begin, Some(Persist))] {
                change(&mut world, a, b);
                world.update();
                assert_eq!(events(&world), [first], "{cause}, sensor {sensor}, {at_rest}");
                world.update();
                assert_eq!(events(&world), then.as_slice(), "{cause}, sensor {sensor}");
            }
        }
    }
}

#[test]
fn a_removed_body_ends_its_contacts_and_overlaps_once() {
    for (sensor, at_rest, first) in [
        (false, 0, true),
        (true, 0, false),
        (false, 100, false),
        (true, 100, true),
        (true, 100, false),
    ] {
        let (mut world, a, b) = two_that_touch(sensor, at_rest);
        let gone = if first { a } else { b };
        let body = world.remove(gone).unwrap();
        // The same slot at once, at the same place.
        let again = world.insert(body).unwrap();
        assert!(again.index() == gone.index() && again != gone);
        world.update();
        let told: Vec<_> =
            world.events().iter().map(|event| (event.a, event.b, event.kind)).collect();
        let pair = if first { (again, b) } else { (a, again) };
        let expected = [(a, b, EventKind::End), (pair.0, pair.1, EventKind::Begin)];
        assert_eq!(told, expected, "sensor {sensor}, {at_rest} at rest");
        assert!(world.events().iter().all(|event| event.sensor == sensor));
        world.clear();
        world.update();
        let kinds: Vec<_> = world.events().iter().map(|event| event.kind).collect();
        assert_eq!(kinds, [EventKind::End]);
        world.update();
        assert!(world.events().is_empty());
    }
}

#[test]
fn contacts_are_found_by_their_bodies() {
    let mut world = World::new();
    let [a, b, c] = [0.0, 1.5, 9.0].map(|x| world.insert(ball(x)).unwrap());
    world.update();
    assert_eq!(world.contact(b, a), world.contacts().get(0));
    assert_eq!(world.contact(a, b).unwrap().distance().to_bits(), (-0.5_f32).to_bits());
    assert!(world.contact(a, c).is_none());
    assert_eq!(world.pairs().collect::<Vec<_>>(), [(a, b)]);
    world.remove(a);
    assert_eq!(world.pairs().count(), 0);
    let reused = world.insert(ball(50.0)).unwrap();
    assert_eq!(reused.index(), a.index());
    assert_eq!(world.pairs().count(), 0, "the pairs are those of the removed body");
    // Contacts tell of the last update, whatever happened since.
    assert_eq!(world.contacts().len(), 1);
}

#[test]
fn a_margin_makes_contacts_before_touch() {
    let mut world = World::new();
    let [a, b] = [0.0, 2.25].map(|x| world.insert(ball(x)).unwrap());
    assert_eq!(world.update().contacts, 0);
    world.set_margin(0.25).unwrap();
    assert_eq!(world.update().contacts, 1);
    assert_eq!(world.contact(a, b).unwrap().distance().to_bits(), 0.25_f32.to_bits());
    world.set_margin(0.125).unwrap();
    assert_eq!(world.update().ended, 1);
    for bad in [-1.0, f32::NAN, f32::INFINITY] {
        assert!(world.set_margin(bad).is_err());
    }
    assert_eq!(world.margin().to_bits(), 0.125_f32.to_bits());
}

#[test]
fn a_contact_filter_holds_for_one_update() {
    let mut world = World::new();
    let [a, b] = [0.0, 1.0].map(|x| world.insert(ball(x)).unwrap());
    let never = |x: BodyId, y: BodyId| {
        assert!(x == a && y == b);
        false
    };
    let filtered = |world: &mut World| {
        world.update_with(UpdateOptions::new().contact_filter(&never));
        world.events().iter().map(|event| event.kind).collect::<Vec<_>>()
    };
    assert_eq!(filtered(&mut world), []);
    assert_eq!(kinds(&mut world), [(EventKind::Begin, false)]);
    assert_eq!(filtered(&mut world), [EventKind::End]);
    assert_eq!(filtered(&mut world), []);
    assert_eq!(kinds(&mut world), [(EventKind::Begin, false)]);
}

#[test]
fn batches_among_moving_bodies_are_their_single_calls() {
    let (mut rng, side) = (Rng::new(23), 8.0);
    let mut world = random_world(&mut rng, 400, side);
    let probe = Shape::cuboid(vec3(0.5, 0.25, 0.75)).unwrap();
    let (mut hits, mut first, mut bodies) = (Vec::new(), Vec::new(), Hits::new());
    let mut found = [[0; 2]; 3];
    let mut spared = 0;
    for round in 0..16 {
        // The index alone is brought up to date, or the pairs as well.
        if round % 2 == 0 {
            world.prepare_queries();
        } else {
            world.update();
        }
        let poses: Vec<Pose> = (0..100).map(|_| rng.pose(side)).collect();
        let ways: Vec<Vec3> = poses.iter().map(|_| rng.vec(-4.0, 4.0)).collect();
        let start = |pose: &Pose, way: &Vec3| Ray::new(pose.position(), *way).unwrap();
        let rays: Vec<RayQuery<'_>> = poses
            .iter()
            .zip(&ways)
            .map(|(pose, way)| RayQuery::new(start(pose, way), 9.0))
            .collect();
        let places: Vec<OverlapQuery<'_>> =
            poses.iter().map(|&pose| OverlapQuery::new(&probe, pose)).collect();
        let sweeps: Vec<SweepQuery<'_>> = poses
            .iter()
            .zip(&ways)
            .map(|(&pose, &way)| SweepQuery::new(&probe, pose, way))
            .collect();
        let view = world.view().unwrap();
        // Of both the same rays, which look at fewer bodies where these have no room.
        let [alone, together] = [QueryCounter::default(), QueryCounter::default()];
        view.counting(&together).raycast_batch(&rays, &mut hits);
        view.overlap_batch(&places, &mut bodies);
        view.sweep_batch(&sweeps, &mut first);
        for (place, query) in rays.iter().enumerate() {
            let single = view.counting(&alone).raycast_with(query);
            assert_eq!(hits[place], single, "round {round}");
            found[0][usize::from(single.is_some())] += 1;
            let single = view.overlap(&probe, &poses[place], &Filter::new());
            assert_eq!(bodies.get(place), Some(single.as_slice()), "round {round}");
            found[1][usize::from(!single.is_empty())] += 1;
            let single = view.sweep_with(&sweeps[place]);
            assert_eq!(first[place], single, "round {round}");
            found[2][usize::from(single.is_some())] += 1;
        }
        spared += usize::from(together.candidates() < alone.candidates());
        if round % 3 == 0 {
            random_change(&mut rng, &mut world, side);
        }
        move_most(&mut rng, &mut world);
    }
    assert!(found.iter().flatten().all(|&count| count > 40), "{found:?}");
    assert!(spared > 8, "{spared}");
}

#[test]
fn an_update_after_one_that_panicked_finds_what_is_there() {
    struct Breaks(Stage);
    impl UpdateObserver for Breaks {
        fn stage(&mut self, stage: Stage) {
            assert_ne!(stage, self.0, "on purpose");
        }
    }
    let stages = [Stage::Bounds, Stage::Pairs, Stage::Contacts, Stage::Events, Stage::Done];
    let (mut seen, mut broken) = (Seen::default(), 0);
    for seed in 0..120 {
        println!("seed {seed}");
        let mut rng = Rng::new(seed);
        let mut world = random_world(&mut rng, 60, 4.0);
        world.set_slots(rng.chance(50));
        let mut model = Model::of(&world);
        check_update(&mut world, &mut model, None, &mut seen, seed);
        for _ in 0..6 {
            (0..1 + rng.below(4)).for_each(|_| random_change(&mut rng, &mut world, 4.0));
            model.read(&world);
            let (calls, last) = (AtomicUsize::new(0), rng.below(60));
            let filter = |_, _| calls.fetch_add(1, Relaxed) != last || panic!("on purpose");
            let stage = rng.below(2 * stages.len());
            let mut observer = Breaks(stages[stage % stages.len()]);
            let options = match stages.get(stage) {
                None => UpdateOptions::new().contact_filter(&filter),
                Some(_) => UpdateOptions::new().observer(&mut observer),
            };
            let is_done = catch_unwind(AssertUnwindSafe(|| world.update_with(options))).is_ok();
            broken += usize::from(!is_done);
            // The filter was not asked so often, or all was done.
            if is_done || stages.get(stage) == Some(&Stage::Done) {
                model.update(world.margin(), &|_, _| true);
            }
            if rng.chance(50) {
                random_change(&mut rng, &mut world, 4.0);
            }
            check_update(&mut world, &mut model, None, &mut seen, seed);
        }
    }
    assert!(broken > 300 && seen.begun > 100 && seen.ended > 100, "{broken}");
}
