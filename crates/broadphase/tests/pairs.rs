//! Pair lists against the naive reference.

#![allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "tests of small numbers, compared as they are"
)]

mod common;

use common::{Item, Random, SCENES, aabb, naive_pairs, scene};
use impinge_broadphase::{BroadPhase, Mobility, Pair, SimdLevel};
use impinge_shapes::Aabb;
use impinge_shapes::glam::Vec3;

fn insert(broad: &mut BroadPhase, boxes: &[Item]) {
    for &(id, bounds, mobility) in boxes {
        broad.set(id, bounds, mobility);
    }
}

#[test]
fn every_scene_and_size_gives_the_naive_list() {
    let (mut with, mut without) = (0, 0);
    for name in SCENES {
        for n in [0, 1, 2, 15, 16, 17, 100, 255, 256, 257, 1000, 5000] {
            let boxes = scene(name, n, n as u64 + 1);
            let mut broad = BroadPhase::new();
            insert(&mut broad, &boxes);
            let report = broad.update();
            let expected = naive_pairs(&boxes);
            assert!(broad.pairs().to_vec() == expected, "{name}, {n}: {} pairs", expected.len());
            assert_eq!((report.moved, report.pairs, broad.len()), (n, expected.len(), n));
            if expected.is_empty() { without += 1 } else { with += 1 }
        }
    }
    assert!(with > 100 && without > 10, "{with} {without}");
}

#[test]
fn sparse_ids_are_ids_like_any_other() {
    let mut r = Random(5);
    let mut boxes = scene("uniform", 500, 5);
    for (index, item) in boxes.iter_mut().enumerate() {
        item.0 = match index {
            0 => u32::MAX,
            1 => 3_000_000_000,
            _ => (r.below(40) * 1_000_000 + index) as u32,
        };
    }
    boxes.sort_by_key(|item| item.0);
    let mut broad = BroadPhase::new();
    insert(&mut broad, &boxes);
    broad.update();
    let expected = naive_pairs(&boxes);
    assert!(expected.len() > 100 && broad.pairs().to_vec() == expected);
    let (id, bounds, mobility) = boxes[17];
    broad.set(id, bounds, mobility);
    assert!(!broad.update().searched_all);
    assert!(broad.pairs().to_vec() == expected);
}

/// Random changes over many updates, the reference beside them.
fn run_history(seed: u64, name: &str, n: usize, updates: usize, levels: &[SimdLevel]) {
    let mut r = Random(seed);
    let pool = scene(name, n, seed);
    let mut current: Vec<Option<Item>> = vec![None; n];
    let mut broads: Vec<_> = levels.iter().map(|l| BroadPhase::with_simd_level(*l)).collect();
    for broad in &mut broads {
        broad.track_changes(true);
    }
    let mut before: Vec<Pair> = Vec::new();
    let (mut full, mut partial, mut changed) = (0, 0, 0);
    for step in 0..updates {
        let share = [1, 2, 5, 30, 100][r.below(5)];
        for id in 0..n {
            if step > 0 && r.below(100) >= share {
                continue;
            }
            let action = r.below(20);
            let old = current[id];
            current[id] = match (action, old) {
                (0..4, _) => None,
                (4..14, Some((id, bounds, mobility))) => {
                    let by = r.vec(-0.3, 0.3);
                    let moved = Aabb::new(bounds.min() + by, bounds.max() + by).unwrap();
                    Some((id, moved, mobility))
                }
                (14, Some((id, bounds, _))) => Some((id, bounds, Mobility::Fixed)),
                (15, Some((id, bounds, _))) => Some((id, bounds, Mobility::Moving)),
                _ => Some((id as u32, pool[r.below(n)].1, pool[id].2)),
            };
            for broad in &mut broads {
                match current[id] {
                    Some((id, bounds, mobility)) => broad.set(id, bounds, mobility),
                    None => assert_eq!(broad.remove(id as u32), old.is_some()),
                }
            }
        }
        let boxes: Vec<Item> = current.iter().flatten().copied().collect();
        let expected = naive_pairs(&boxes);
        for broad in &mut broads {
            if r.below(3) == 0 {
                broad.update_index();
                assert!(broad.index_is_current());
            }
            let report = broad.update();
            assert!(broad.is_current());
            let level = broad.simd_level().name();
            assert!(
                broad.pairs().to_vec() == expected,
                "seed {seed}, {name}, step {step}, {level}"
            );
            let (begun, ended) = (missing(&expected, &before), missing(&before, &expected));
            assert!(broad.begun() == begun, "seed {seed}, {name}, step {step}, {level}");
            assert!(broad.ended() == ended, "seed {seed}, {name}, step {step}, {level}");
            changed += usize::from(!begun.is_empty() && !ended.is_empty());
            assert_eq!(report.moved + report.resting, boxes.len());
            assert_eq!(broad.len(), broad.index().len());
            if report.searched_all { full += 1 } else { partial += 1 }
        }
        before = expected;
    }
    assert!(full > 0 && partial > 0 && changed > 5, "{full} {partial} {changed}");
}

/// What is in the first sorted list and not in the second.
fn missing(list: &[Pair], other: &[Pair]) -> Vec<Pair> {
    list.iter().copied().filter(|pair| other.binary_search(pair).is_err()).collect()
}

#[test]
fn any_history_gives_the_naive_list() {
    let levels = [SimdLevel::detected()];
    for (seed, name) in (1..).zip(SCENES) {
        run_history(seed, name, 300, 40, &levels);
    }
    run_history(100, "uniform", 2000, 25, &levels);
}

#[test]
fn every_simd_level_gives_the_same_list() {
    let levels: Vec<_> = SimdLevel::NAMES.iter().filter_map(|n| SimdLevel::by_name(n)).collect();
    assert!(!levels.is_empty());
    for (seed, name) in (1..).zip(SCENES) {
        run_history(seed, name, 150, 12, &levels);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_list() {
    let boxes = scene("sizes 100", 20_000, 3);
    let mut lists: Vec<Vec<Pair>> = Vec::new();
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut broad = BroadPhase::new();
        pool.install(|| {
            insert(&mut broad, &boxes);
            broad.update();
            for (id, bounds, mobility) in boxes.iter().step_by(10) {
                let moved = Aabb::new(bounds.min() + 0.1, bounds.max() + 0.1).unwrap();
                broad.set(*id, moved, *mobility);
            }
            assert!(!broad.update().searched_all);
        });
        lists.push(broad.pairs().to_vec());
    }
    assert!(lists[0].len() > 10_000);
    assert!(lists.iter().all(|list| *list == lists[0]));
}

/// Boxes set at once, page by page on several threads where their ids ascend, beside the same boxes
/// one after the other; new ones, some that were removed, and gaps between the ids among them.
#[test]
fn many_boxes_are_set_as_one_by_one() {
    let boxes = scene("uniform", 30_000, 8);
    let mut random = Random(4);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let (mut many, mut one) = (BroadPhase::new(), BroadPhase::new());
    let (mut large, mut small, mut searched) = (0, 0, 0);
    for step in 0..40 {
        let share = [1, 3, 2, 20][step % 4];
        let mut moved: Vec<(u32, Aabb)> = Vec::new();
        for &(id, bounds, _) in &boxes {
            if random.below(share) == 0 {
                let by = random.vec(-0.02, 0.02) + 0.01 * step as f32;
                // Ids with gaps, across pages that hold nothing.
                let id = id + id / 5000 * 10_000;
                moved.push((id, Aabb::new(bounds.min() + by, bounds.max() + by).unwrap()));
            }
        }
        if step % 8 == 7 {
            moved.swap(5, 900); // which takes the way of boxes in any order
        }
        pool.install(|| many.set_many(&moved));
        moved.iter().for_each(|&(id, bounds)| one.set(id, bounds, Mobility::Moving));
        for _ in 0..5 {
            let id = moved[random.below(moved.len())].0;
            assert_eq!(many.remove(id), one.remove(id));
        }
        let report = pool.install(|| many.update());
        assert_eq!(report, one.update(), "step {step}");
        assert!(many.pairs().iter().eq(one.pairs().iter()), "step {step}");
        assert_eq!((many.begun(), many.ended()), (one.begun(), one.ended()));
        assert_eq!(many.len(), one.len());
        *(if report.searched_all { &mut large } else { &mut small }) += 1;
        searched += report.searched;
    }
    assert!(large > 10 && small > 5 && searched > 1000, "{large} {small} {searched}");
    let pairs = many.pairs().len();
    assert!(pairs > 10_000, "{pairs}");
}

#[test]
fn resting_fixed_boxes_pair_again_when_they_become_moving() {
    let mut broad = BroadPhase::new();
    let unit = aabb(Vec3::ZERO, Vec3::ONE);
    for id in 0..20 {
        broad.set(id, unit, Mobility::Fixed);
    }
    assert_eq!(broad.update().pairs, 0);
    broad.set(3, unit, Mobility::Moving);
    assert_eq!(broad.update().pairs, 19);
    broad.set_many(&[(3, unit), (50, unit)]);
    assert_eq!(broad.update().pairs, 19 + 20);
    assert_eq!(broad.mobility(50), Some(Mobility::Moving));
    assert!(broad.remove(3) && !broad.remove(3) && !broad.remove(999));
    let report = broad.update();
    assert_eq!((report.pairs, report.removed), (19, 1));
    broad.clear();
    assert_eq!(broad.update().pairs, 0);
    assert!(broad.is_empty() && broad.pairs().is_empty() && broad.bounds(5).is_none());
}

/// The scene of Terdiman's box pruning project, as its test program makes it.
fn pruning(n: usize) -> Vec<Item> {
    let mut state = 42_u32;
    let mut rand = || {
        state = state.wrapping_mul(214_013).wrapping_add(2_531_011);
        state >> 16 & 0x7fff
    };
    let boxes = (0..n as u32).map(|id| {
        let mut center = || (rand() & 4095) as f32 - 2048.0;
        let center = Vec3::new(center(), center(), center());
        let mut extent = || (rand() & 127) as f32;
        let half = Vec3::new(extent(), extent(), extent());
        (id, aabb(center, half), Mobility::Moving)
    });
    boxes.collect()
}

#[test]
fn golden_pruning_counts() {
    for (n, count) in [(10_000, 11_811), (100_000, 1_144_045)] {
        let mut broad = BroadPhase::new();
        insert(&mut broad, &pruning(n));
        assert_eq!(broad.update().pairs, count, "{n} boxes");
    }
}
