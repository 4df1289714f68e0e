//! Thousands of random operations on a world, checked against a naive world.

use impinge_testkit::generate::Kind;
use impinge_testkit::soak::{self, Figures, Operation};

fn run(seed: u64, operations: usize) -> Figures {
    soak::run(seed, operations).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_world_does_as_the_naive_one() {
    let figures = run(1, 6000);
    for operation in Operation::ALL {
        assert!(figures.operations.contains_key(&operation), "no {operation:?}");
    }
    for kind in Kind::ALL {
        assert!(figures.shapes.contains_key(&kind), "no {kind:?}");
    }
    assert_eq!(figures.queries.len(), 13, "{:?}", figures.queries.keys());
    for (sort, &[nothing, something]) in &figures.queries {
        assert!(something > 10 && nothing > 10, "{sort}: {nothing}, {something}");
    }
    let checks =
        ["explained contacts", "explained gaps", "odd questions", "visits of extreme bodies"];
    assert!(checks.iter().all(|check| figures.checks[check] > 10), "{:?}", figures.checks);
    for way in ["worlds read from bytes", "damaged worlds refused", "worlds made of snapshots"] {
        assert!(figures.checks.contains_key(way), "{way}: {:?}", figures.checks);
    }
    assert!(figures.units.len() > 1, "{:?}", figures.units);
    assert!(figures.refused.len() >= 40, "{:?}", figures.refused);
    assert!(figures.pairs > figures.filtered && figures.filtered > 100);
    assert!(figures.contacts > 1000 && figures.sensor_overlaps > 100);
    assert!(figures.begun > 500 && figures.persisted > 1000 && figures.ended > 500);
    assert!(figures.slots_kept > 1000 && figures.most_bodies > 50);
}

#[test]
fn equal_seeds_do_the_same() {
    let (first, second) = (run(5, 600), run(5, 600));
    assert_eq!(first, second);
    assert_ne!(first.hash, run(6, 600).hash);
}
