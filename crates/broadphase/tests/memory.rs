//! What boxes cost in memory, and that steady updates ask for none.

#![allow(clippy::cast_possible_truncation, clippy::unwrap_used, reason = "tests of small numbers")]

mod common;

use allocation_counter::measure;
use common::{Random, scene};
use impinge_broadphase::{BroadPhase, Mobility};
use impinge_shapes::Aabb;

/// One test, because allocations are counted on the thread that asks: the pool is this thread
/// alone, and there is no other.
#[test]
fn boxes_cost_little_memory_and_steady_updates_none() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().unwrap();
    a_box_costs_what_the_documentation_says();
    an_index_without_room_costs_what_the_documentation_says();
    steady_updates_reuse_their_memory();
}

fn steady_updates_reuse_their_memory() {
    let boxes = scene("uniform", 20_000, 9);
    let mut broad = BroadPhase::new();
    for &(id, bounds, mobility) in &boxes {
        broad.set(id, bounds, mobility);
    }
    let mut r = Random(1);
    let mut step = |every: usize, broad: &mut BroadPhase| {
        let place = |&(id, bounds, _): &(u32, Aabb, Mobility)| {
            let by = r.vec(-0.05, 0.05);
            (id, Aabb::new(bounds.min() + by, bounds.max() + by).unwrap())
        };
        let next: Vec<_> = boxes.iter().step_by(every).map(place).collect();
        let allocated = measure(|| {
            broad.set_many(&next);
            broad.update();
        });
        allocated.bytes_total
    };
    for every in [1, 50] {
        for _ in 0..20 {
            step(every, &mut broad);
        }
        // Lists of tasks are made anew, and a row that outgrows its place may enlarge its page.
        let most = (0..20).map(|_| step(every, &mut broad)).max().unwrap();
        assert!(most < 200_000, "every {every}: {most} bytes");
    }
}

fn a_box_costs_what_the_documentation_says() {
    let boxes = scene("uniform", 50_000, 9);
    let mut broad = BroadPhase::new();
    let all = measure(|| {
        for &(id, bounds, mobility) in &boxes {
            broad.set(id, bounds, mobility);
        }
        broad.update();
    });
    let each = all.bytes_current as f64 / boxes.len() as f64;
    assert!((100.0..250.0).contains(&each), "{each} bytes a box");
}

fn an_index_without_room_costs_what_the_documentation_says() {
    let boxes = scene("uniform", 50_000, 9);
    let mut broad = BroadPhase::new();
    let step = |by: f32, broad: &mut BroadPhase| {
        let place = |&(id, bounds, _): &(u32, Aabb, Mobility)| {
            (id, Aabb::new(bounds.min() + by, bounds.max() + by).unwrap())
        };
        broad.set_many(&boxes.iter().map(place).collect::<Vec<_>>());
        broad.update();
    };
    (0..3_u8).for_each(|number| step(f32::from(number) / 64.0, &mut broad));
    let make = |broad: &BroadPhase| {
        let made = measure(|| assert!(!std::ptr::eq(broad.index_for(boxes.len()), broad.index())));
        made.bytes_total as f64 / boxes.len() as f64
    };
    let each = make(&broad);
    assert!((28.0..34.0).contains(&each), "{each} bytes a box");
    // The next one is made in its memory; lists of tasks are made anew.
    step(4.0 / 64.0, &mut broad);
    let again = make(&broad);
    assert!(again < 1.0, "{again} bytes a box");
}
