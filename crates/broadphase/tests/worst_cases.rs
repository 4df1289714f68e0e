//! Scenes that are hard for sweeps, grids or trees: the pairs are right, and the work is bounded.
//!
//! Work is counted in tests of sixteen boxes against one ([`UpdateReport::tests`]), which no noise
//! of the machine touches. No list of pairs can cost less than the pairs it holds, so the bounds
//! are in boxes and near pairs, and these are bounded by the pairs.
//!
//! [`UpdateReport::tests`]: impinge_broadphase::UpdateReport::tests

#![allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "tests of small numbers, compared as they are"
)]

mod common;

use common::{Item, Random, naive_pairs, scene};
use impinge_broadphase::BroadPhase;
use impinge_shapes::Aabb;

/// Tests that a box may cost, and a pair.
const PER_BOX: f64 = 4.0;
/// The same for rods in three directions, whose blocks cannot but cross.
const PER_ROD: f64 = 8.0;
const PER_NEAR: f64 = 0.5;
/// Near pairs that a box may have, and a pair, where all boxes jump to and fro by a tenth of their
/// size, which is the hardest to foresee.
const NEAR_PER_BOX: usize = 4;
const NEAR_PER_PAIR: usize = 4;
/// Tests that a box may cost when few are set, beside those of its pairs.
const PER_SET_BOX: f64 = 40.0;

const SCENES: [&str; 11] = [
    "uniform",
    "line",
    "plane",
    "spot",
    "ground",
    "sizes 100",
    "sizes 10000",
    "rods",
    "clusters",
    "far",
    "infinite",
];

fn moved(item: &Item, by: f32, r: &mut Random) -> (u32, Aabb) {
    let &(id, bounds, _) = item;
    let by = r.vec(-by, by);
    (id, Aabb::new(bounds.min() + by, bounds.max() + by).unwrap())
}

fn set(broad: &mut BroadPhase, boxes: &mut [Item], next: &[(u32, Aabb)]) {
    broad.set_many(next);
    for &(id, bounds) in next {
        boxes[id as usize].1 = bounds;
    }
}

#[test]
fn work_follows_boxes_and_pairs() {
    for name in SCENES {
        let n = if name == "spot" { 2_000 } else { 6_000 };
        let mut boxes = scene(name, n, 11);
        let mut r = Random(5);
        let mut broad = BroadPhase::new();
        for &(id, bounds, mobility) in &boxes {
            broad.set(id, bounds, mobility);
        }
        for step in 0..3 {
            let report = broad.update();
            let tests = report.tests as f64;
            let per_box = if name == "rods" { PER_ROD } else { PER_BOX };
            let limit = per_box * n as f64 + PER_NEAR * report.near as f64;
            assert!(report.searched_all, "{name}, step {step}");
            assert!(step > 0 || tests > 0.0, "{name}, step {step}");
            assert!(tests <= limit, "{name}, step {step}: {tests} tests, {} near", report.near);
            let most = NEAR_PER_BOX * n + NEAR_PER_PAIR * report.pairs;
            assert!(report.near <= most, "{name}: {} near of {}", report.near, report.pairs);
            let next: Vec<_> = boxes.iter().map(|item| moved(item, 0.1, &mut r)).collect();
            set(&mut broad, &mut boxes, &next);
        }
        broad.update();
        // One box in fifty moves.
        for step in 0..3 {
            let next: Vec<_> =
                boxes.iter().step_by(50).map(|item| moved(item, 0.1, &mut r)).collect();
            set(&mut broad, &mut boxes, &next);
            let report = broad.update();
            assert!(!report.searched_all, "{name}, step {step}");
            let own: usize = next.iter().map(|&(id, _)| partners(&broad, id)).sum();
            let limit = PER_SET_BOX * next.len() as f64 + own as f64;
            let tests = report.tests as f64;
            assert!(tests <= limit, "{name}, step {step}: {tests} tests for {own} pairs");
        }
        assert_eq!(broad.pairs().to_vec(), naive_pairs(&boxes), "{name}");
        assert_eq!(broad.update().tests, 0, "{name}: nothing moved");
    }
}

/// Number of boxes that a box is paired with.
fn partners(broad: &BroadPhase, id: u32) -> usize {
    broad.pairs().iter().filter(|pair| pair.a == id || pair.b == id).count()
}

#[test]
fn a_hundred_thousand_boxes_come_and_go_at_once() {
    let n = 100_000;
    let boxes = scene("uniform", n + 1, 3);
    let mut broad = BroadPhase::new();
    broad.track_changes(true);
    let (last, rest) = boxes.split_last().unwrap();
    broad.set(last.0, last.1, last.2);
    assert_eq!(broad.update().pairs, 0);
    for &(id, bounds, mobility) in rest {
        broad.set(id, bounds, mobility);
    }
    let report = broad.update();
    assert!(report.pairs > 20_000 && broad.begun().len() == report.pairs);
    let limit = PER_BOX * n as f64 + PER_NEAR * report.near as f64;
    assert!(report.tests as f64 <= limit, "{} tests", report.tests);
    let begun = broad.begun().to_vec();
    for (id, ..) in rest {
        assert!(broad.remove(*id));
    }
    let report = broad.update();
    assert_eq!((report.pairs, report.removed, broad.len()), (0, n, 1));
    assert_eq!(broad.ended(), begun);
    assert!(broad.begun().is_empty() && broad.pairs().is_empty());
}
