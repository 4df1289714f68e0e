//! Bodies in and out, stale ids, bad input, views.

use crate::common::Rng;
use impinge_shapes::glam::{Quat, Vec3, vec3};
use impinge_shapes::{Aabb, Pose, PoseError, Ray, Shape};
use impinge_world::{
    Body, BodyError, BodyId, BodyKind, Filter, Groups, Kinds, Queries, Stage, SweepQuery,
    UpdateObserver, UpdateOptions, World, WorldError,
};

fn ball() -> Body {
    Body::moving(Shape::sphere(1.0).unwrap())
}

fn at(x: f32) -> Pose {
    Pose::from_position(Vec3::X * x).unwrap()
}

#[test]
fn bad_bodies_are_refused_and_named() {
    let mut world = World::new();
    let nan = world.insert(ball().at(vec3(0.0, f32::NAN, 0.0))).unwrap_err();
    assert_eq!(nan.to_string(), "position: must be finite, got NaN");
    let zero = world.insert(ball().rotated(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)));
    assert_eq!(zero, Err(BodyError::Pose(PoseError::RotationZero)));
    assert!(world.is_empty() && world.iter().next().is_none());
}

#[test]
fn bodies_can_be_read_back() {
    let mut world = World::with_capacity(2);
    let body = Body::fixed(Shape::cuboid(vec3(1.0, 2.0, 3.0)).unwrap())
        .pose(at(3.0))
        .groups(Groups::new(1, 2))
        .sensor(true)
        .user_data(99);
    let id = world.insert(body.clone()).unwrap();
    let read = world.body(id).unwrap();
    assert_eq!(read.id(), id);
    assert_eq!((read.kind(), read.is_sensor(), read.user_data()), (BodyKind::Fixed, true, 99));
    assert_eq!((read.shape(), read.groups()), (body.shape(), Groups::new(1, 2)));
    assert_eq!(
        (read.pose().position(), read.pose().rotation()),
        (body.position(), body.rotation())
    );
    world.set_pose(id, at(5.0)).unwrap();
    world.set_user_data(id, 7).unwrap();
    let read = world.body(id).unwrap();
    assert_eq!(read.aabb(), Aabb::new(vec3(4.0, -2.0, -3.0), vec3(6.0, 2.0, 3.0)).unwrap());
    assert_eq!(read.user_data(), 7);
    assert_eq!(world.remove(id), Some(body.pose(at(5.0)).user_data(7)));
    assert_eq!(world.len(), 0);
}

#[test]
fn stale_ids_name_no_body() {
    let mut world = World::new();
    let gone = world.insert(ball()).unwrap();
    world.remove(gone).unwrap();
    let reused = world.insert(ball()).unwrap();
    assert_eq!(gone.index(), reused.index());
    let mut larger = World::new();
    let foreign = (0..5).map(|_| larger.insert(ball()).unwrap()).last().unwrap();
    for id in [gone, foreign, BodyId::default(), BodyId::from_bits(u64::MAX)] {
        let stale = Err(WorldError::StaleId(id));
        assert!(!world.contains(id) && world.body(id).is_none());
        assert_eq!(world.remove(id), None);
        assert_eq!(world.set_pose(id, at(1.0)), stale);
        assert_eq!(world.set_shape(id, Shape::sphere(2.0).unwrap()), stale);
        assert_eq!(world.set_groups(id, Groups::NONE), stale);
        assert_eq!(world.set_kind(id, BodyKind::Fixed), stale);
        assert_eq!(world.set_sensor(id, true), stale);
        assert_eq!(world.set_user_data(id, 1), stale);
        assert_eq!(world.contact(id, reused), None);
        // Excluding a body that is not there excludes nothing.
        let filter = Filter::new().exclude(id);
        assert_eq!(world.queries().contains_point(Vec3::ZERO, &filter), [reused]);
    }
    assert_eq!(world.body(reused).unwrap().pose(), Pose::IDENTITY);
    assert_eq!(BodyId::from_bits(reused.to_bits()), reused);
}

#[test]
fn poses_are_set_together_or_not_at_all() {
    let mut world = World::new();
    let ids: Vec<BodyId> = (0..5000).map(|_| world.insert(ball()).unwrap()).collect();
    let mut poses: Vec<_> = (0..).zip(&ids).map(|(i, &id)| (id, at(i as f32))).collect();
    let gone = ids[4321];
    world.remove(gone).unwrap();
    let refused = world.set_poses(&poses);
    assert_eq!(refused, Err(WorldError::StaleIdAt { index: 4321, id: gone }));
    assert!(world.iter().all(|(_, body)| body.pose() == Pose::IDENTITY));
    poses.remove(4321);
    world.set_poses(&poses).unwrap();
    for (id, pose) in &poses {
        assert_eq!(world.body(*id).unwrap().pose(), *pose);
    }
    Rng::new(3).shuffle(&mut poses);
    let poses: Vec<_> = poses.iter().map(|(id, pose)| (*id, at(-pose.position().x))).collect();
    world.set_poses(&poses).unwrap();
    for (id, pose) in &poses {
        assert_eq!(world.body(*id).unwrap().pose(), *pose);
    }
    world.set_poses(&[]).unwrap();
}

#[test]
fn a_view_ends_with_the_first_change() {
    let mut world = World::new();
    let id = world.insert(ball()).unwrap();
    let changes: [&dyn Fn(&mut World); 6] = [
        &|world| assert!(world.insert(ball()).is_ok()),
        &|world| world.set_pose(id, at(2.0)).unwrap(),
        &|world| world.set_poses(&[(id, at(3.0))]).unwrap(),
        &|world| world.set_shape(id, Shape::sphere(3.0).unwrap()).unwrap(),
        &|world| world.set_margin(0.5).unwrap(),
        &|world| drop(world.remove(id).unwrap()),
    ];
    for change in changes {
        world.prepare_queries();
        assert!(world.view().is_some());
        change(&mut world);
        assert!(world.view().is_none());
        world.update();
        assert!(world.view().is_some());
    }
    // What filters read is always up to date.
    let other = world.iter().next().unwrap().0;
    world.set_groups(other, Groups::NONE).unwrap();
    world.set_sensor(other, true).unwrap();
    let pose = world.body(other).unwrap().pose();
    world.set_pose(other, pose).unwrap();
    let view = world.view().unwrap();
    assert!(view.contains_point(Vec3::ZERO, &Filter::new().kinds(Kinds::ALL)).is_empty());
}

#[test]
fn many_threads_ask_one_view() {
    let mut world = World::new();
    let id = world.insert(ball()).unwrap();
    world.prepare_queries();
    let view: Queries<'_> = world.view().unwrap();
    let ray = Ray::new(Vec3::X * 5.0, Vec3::NEG_X).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                let hit = view.raycast(&ray, 10.0, &Filter::default()).unwrap();
                assert_eq!(hit.body, id);
            });
        }
    });
}

#[test]
fn sensors_are_seen_when_asked_for() {
    let mut world = World::new();
    let id = world.insert(ball().sensor(true)).unwrap();
    let queries = world.queries();
    assert!(queries.contains_point(Vec3::ZERO, &Filter::default()).is_empty());
    assert_eq!(queries.contains_point(Vec3::ZERO, &Filter::new().kinds(Kinds::SENSORS)), [id]);
    let mut other = World::new();
    other.insert(ball().sensor(true)).unwrap();
    other.insert(ball().sensor(true)).unwrap();
    assert_eq!(other.update().sensor_overlaps, 1);
}

#[test]
fn stages_come_in_order() {
    struct Heard(Vec<Stage>);
    impl UpdateObserver for Heard {
        fn stage(&mut self, stage: Stage) {
            self.0.push(stage);
        }
    }
    let mut heard = Heard(Vec::new());
    let report = World::new().update_with(UpdateOptions::new().observer(&mut heard));
    let stages = [Stage::Bounds, Stage::Pairs, Stage::Contacts, Stage::Events, Stage::Done];
    assert_eq!(heard.0, stages);
    assert_eq!(report, Default::default());
}

#[test]
fn only_what_changed_counts_as_moved() {
    let mut world = World::new();
    let ids: Vec<BodyId> = (0..10).map(|_| world.insert(ball()).unwrap()).collect();
    assert_eq!(world.update().moved, 10);
    assert_eq!(world.update().moved, 0);
    world.set_pose(ids[3], Pose::IDENTITY).unwrap();
    assert_eq!(world.update().moved, 0, "the same pose is no move");
    world.set_pose(ids[3], at(0.5)).unwrap();
    world.set_pose(ids[3], at(0.25)).unwrap();
    world.set_groups(ids[4], Groups::NONE).unwrap();
    world.set_pose(ids[5], at(0.5)).unwrap();
    world.remove(ids[5]).unwrap();
    let report = world.update();
    assert_eq!((report.moved, report.resting), (2, 7));
}

#[test]
fn a_clone_goes_on_alone_with_the_same_answers() {
    fn shared<T: Send + Sync>(_: &T) {}
    let mut rng = Rng::new(21);
    let mut world = crate::common::random_world(&mut rng, 200, 5.0);
    world.update();
    let mut clone = world.clone();
    let mut other = world.clone();
    shared(&clone);
    shared(&clone.queries());
    let mut said = Vec::new();
    for (seed, world) in [(1, &mut clone), (2, &mut other), (1, &mut world)] {
        let mut rng = Rng::new(seed);
        for _ in 0..60 {
            crate::common::random_change(&mut rng, world, 5.0);
        }
        let report = world.update();
        let contacts: Vec<_> = world.contacts().iter().cloned().collect();
        said.push(format!("{report:?} {:?} {contacts:?}", world.events()));
    }
    assert!(said[0] == said[2] && said[0] != said[1]);
}

/// A mover that comes to touch a face only at the end of its way, by less than any number that it
/// is measured with, is told to touch it where it passes the edge: at the same fraction as the
/// body beside. The first of the two by its id must win, whichever was met first.
#[test]
fn the_first_of_two_that_are_level_within_rounding_wins() {
    let cube = Shape::cuboid(Vec3::splat(0.5)).unwrap();
    let point = Shape::sphere(0.0).unwrap();
    let mut world = World::new();
    for x in [-0.5, 0.5] {
        world.insert(Body::fixed(cube.clone()).at(Vec3::X * x)).unwrap();
    }
    let start = Pose::from_position(Vec3::new(2e-30, 0.0, 3.5)).unwrap();
    let way = SweepQuery::new(&point, start, Vec3::new(-2e-30, 0.0, -4.0));
    let mut all = Vec::new();
    let queries = world.queries();
    queries.sweep_all_with(&way, &mut all);
    assert_eq!(all.len(), 2);
    assert_eq!(queries.sweep_with(&way), all.first().copied());
}
