//! Why bodies meet or not, and what queries count.

use crate::common::{Rng, random_change, random_world};
use impinge_shapes::glam::{Vec3, vec3};
use impinge_shapes::{Pose, Shape};
use impinge_world::{
    Body, BodyId, BodyKind, Filter, Groups, Kinds, OverlapQuery, QueryCounter, UpdateOptions,
    Verdict, World,
};

#[test]
fn explanations_agree_with_updates() {
    let mut told = [0; 7];
    for seed in 60..64 {
        let mut rng = Rng::new(seed);
        let mut world = random_world(&mut rng, 70, 3.0);
        let some = |a: BodyId, b: BodyId| {
            assert!(a < b);
            !(a.index() + b.index()).is_multiple_of(7)
        };
        for step in 0..4 {
            if step == 2 {
                world.set_margin(0.25).unwrap();
            }
            for _ in 0..20 {
                random_change(&mut rng, &mut world, 3.0);
            }
            // Asked before the update that is explained.
            let explained: Vec<_> =
                pairs(&world).map(|(a, b)| (a, b, world.explain_with(b, a, Some(&some)))).collect();
            world.update_with(UpdateOptions::new().contact_filter(&some));
            for (a, b, why) in explained {
                let contact = world.contact(a, b);
                let sensed = world.sensor_overlaps().iter().any(|pair| (pair.a, pair.b) == (a, b));
                assert_eq!(why.verdict == Verdict::Contact, contact.is_some(), "{seed}: {why}");
                assert_eq!(why.verdict == Verdict::SensorOverlap, sensed, "{seed}: {why}");
                assert_eq!(why.meet(), contact.is_some() || sensed);
                assert_eq!(why.to_string().starts_with("apart"), !why.meet());
                let distance = why.closest.unwrap().distance;
                let kind = match why.verdict {
                    Verdict::StaleId(_) | Verdict::SameBody => unreachable!(),
                    Verdict::BothFixed => 0,
                    Verdict::Groups { .. } => 1,
                    Verdict::Ignored => 2,
                    Verdict::ContactFilter => 3,
                    Verdict::BoundsApart { gap, .. } => {
                        assert!(gap >= 0.0 && distance > why.margin);
                        assert!(world.pairs().all(|pair| pair != (a, b)), "seed {seed}");
                        4
                    }
                    Verdict::ShapesApart => {
                        assert!(distance >= why.margin, "seed {seed}: {why}");
                        5
                    }
                    Verdict::SensorOverlap | Verdict::Contact => {
                        assert!(distance <= why.margin, "seed {seed}: {why}");
                        6
                    }
                };
                told[kind] += 1;
            }
        }
    }
    assert!(told.iter().all(|&count| count > 2), "{told:?}");
}

fn pairs(world: &World) -> impl Iterator<Item = (BodyId, BodyId)> {
    let ids: Vec<BodyId> = world.iter().map(|(id, _)| id).collect();
    let others = ids.clone();
    ids.into_iter()
        .flat_map(move |a| others.clone().into_iter().filter(move |&b| a < b).map(move |b| (a, b)))
}

#[test]
fn explanations_say_what_they_mean() {
    let mut world = World::new();
    let ball = || Body::moving(Shape::sphere(1.0).unwrap());
    let a = world.insert(ball()).unwrap();
    let b = world.insert(ball().at(vec3(1.5, 1.5, 0.0))).unwrap();
    let says = |world: &World| world.explain(a, b).to_string();
    assert!(says(&world).starts_with("apart: the shapes are distance 0.12"), "{}", says(&world));
    world.set_pose(b, Pose::from_position(Vec3::X * 2.0).unwrap()).unwrap();
    assert_eq!(says(&world), "in contact: distance 0 along (1, 0, 0), margin 0");
    world.set_sensor(b, true).unwrap();
    assert!(says(&world).starts_with("overlap through a sensor: distance 0"));
    world.set_ignored(a, b, true).unwrap();
    assert_eq!(says(&world), "apart: the bodies ignore each other");
    world.set_groups(a, Groups::new(1, 2)).unwrap();
    world.set_groups(b, Groups::new(1, 2)).unwrap();
    assert!(says(&world).starts_with("apart: groups 0x1 accepting 0x2"));
    world.set_kind(a, BodyKind::Fixed).unwrap();
    world.set_kind(b, BodyKind::Fixed).unwrap();
    assert_eq!(says(&world), "apart: both bodies are fixed");
    assert_eq!(world.explain(a, a).verdict, Verdict::SameBody);
    world.remove(b).unwrap();
    assert_eq!(world.explain(a, b).verdict, Verdict::StaleId(b));
    assert!(!world.explain(b, a).meet());
}

#[test]
fn counters_count_bodies_near_the_query() {
    let seed = 65;
    let mut rng = Rng::new(seed);
    let mut world = random_world(&mut rng, 400, 6.0);
    let counter = QueryCounter::new();
    let shape = Shape::sphere(1.0).unwrap();
    let queries: Vec<_> = (0..200).map(|_| OverlapQuery::new(&shape, rng.pose(6.0))).collect();
    let mut hits = impinge_world::Hits::new();
    let counted = world.queries().counting(&counter);
    counted.overlap_batch(&queries, &mut hits);
    let (candidates, filtered) = (counter.candidates(), counter.filtered());
    assert_eq!(counter.tested(), candidates - filtered);
    assert!(counter.tested() >= hits.items().len() as u64 && filtered > 50);
    // A second time alone, and on one thread: the same sums.
    counter.reset();
    for query in &queries {
        let found = counted.overlap(query.shape, &query.pose, &query.filter);
        assert!(found.len() < 400);
    }
    assert_eq!((counter.candidates(), counter.filtered()), (candidates, filtered));
    counter.reset();
    let none = Filter::new().kinds(Kinds { fixed: false, moving: false, sensors: false });
    assert!(counted.overlap(&shape, &Pose::IDENTITY, &none).is_empty());
    assert_eq!((counter.tested(), counter.filtered()), (0, counter.candidates()));
}
