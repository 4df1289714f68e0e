//! Boxes that go on as they moved: most updates search nothing, and nothing is missed.

#![allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "tests of small numbers, compared as they are"
)]

mod common;

use std::ops::ControlFlow;

use common::{Item, Random, SCENES, aabb, naive_pairs, scene};
use impinge_broadphase::{BroadPhase, Mobility, Pair};
use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{Aabb, Plane, PlaneSide};

fn filled(boxes: &[Item]) -> BroadPhase {
    let mut broad = BroadPhase::new();
    broad.track_changes(true);
    for &(id, bounds, mobility) in boxes {
        broad.set(id, bounds, mobility);
    }
    broad.update();
    broad
}

/// Moves the boxes of every `every`-th id by their own step.
fn drift(broad: &mut BroadPhase, boxes: &mut [Item], steps: &[Vec3], every: usize) {
    let mut next = Vec::new();
    for (item, step) in boxes.iter_mut().zip(steps).step_by(every) {
        item.1 = Aabb::new(item.1.min() + *step, item.1.max() + *step).unwrap();
        next.push((item.0, item.1));
    }
    broad.set_many(&next);
}

fn steps(boxes: &[Item], most: f32, r: &mut Random) -> Vec<Vec3> {
    boxes.iter().map(|_| r.vec(-most, most)).collect()
}

/// The pairs of one sorted list that are not in another.
fn without(these: &[Pair], others: &[Pair]) -> Vec<Pair> {
    these.iter().filter(|pair| others.binary_search(pair).is_err()).copied().collect()
}

#[test]
fn a_steady_drift_is_searched_seldom_and_listed_exactly() {
    for (seed, name) in (1..).zip(SCENES) {
        for every in [1, 12] {
            let mut boxes = scene(name, 500, seed);
            let mut broad = filled(&boxes);
            let steps = steps(&boxes, 0.01, &mut Random(seed));
            let mut before = broad.pairs().to_vec();
            let (mut searched, mut moved) = (0, 0);
            for step in 0..36 {
                drift(&mut broad, &mut boxes, &steps, every);
                let report = broad.update();
                let pairs = naive_pairs(&boxes);
                assert!(broad.pairs().iter().eq(pairs.iter().copied()), "{name} {every} {step}");
                let gone = without(&before, &pairs);
                let fresh = without(&pairs, &before);
                assert!(broad.ended() == gone, "{name} {every} {step}");
                assert!(broad.begun() == fresh, "{name} {every} {step}");
                assert!(report.near >= report.pairs, "{name} {every} {step}");
                before = pairs;
                searched += report.searched;
                moved += report.moved;
            }
            // The first motion of each comes as a surprise. Boxes without size move fast for
            // their size, and so do those far away, whose steps are rounded.
            if ["uniform", "line", "plane", "clusters", "sizes 100"].contains(&name) {
                assert!(searched * 4 < moved, "{name} {every}: {searched} of {moved}");
            }
        }
    }
}

#[test]
fn boxes_that_tremble_are_searched_seldom() {
    let mut boxes = scene("uniform", 2_000, 3);
    let mut broad = filled(&boxes);
    let mut r = Random(3);
    let mut searched = 0;
    for _ in 0..100 {
        let steps = steps(&boxes, 0.001, &mut r);
        drift(&mut broad, &mut boxes, &steps, 1);
        searched += broad.update().searched;
    }
    assert_eq!(broad.pairs().to_vec(), naive_pairs(&boxes));
    assert!(searched < 4 * boxes.len(), "{searched}");
}

/// Few move, so that most stay within their leeway: some of these turn, stop, jump, are set again,
/// change their mobility or go and come back before the update.
#[test]
fn boxes_within_their_leeway_are_counted_and_listed_exactly() {
    for (seed, name) in (1..).zip(SCENES) {
        let mut boxes = scene(name, 400, seed);
        let mut broad = filled(&boxes);
        let mut r = Random(seed);
        let mut ways = steps(&boxes, 0.03, &mut r);
        let mut gone: Vec<Item> = Vec::new();
        let mut before = broad.pairs().to_vec();
        let (mut began, mut ended) = (0, 0);
        for step in 0..48 {
            let place = format!("{name} {step}");
            let mut set = vec![false; 400];
            let (again, back) = (r.below(3), r.below(2));
            for item in gone.drain(..) {
                broad.set(item.0, item.1, item.2);
                set[item.0 as usize] = true;
                boxes.push(item);
            }
            for _ in 0..=again {
                let mut next = Vec::new();
                for item in boxes.iter_mut().filter(|item| item.0 % 6 == 1) {
                    let way = &mut ways[item.0 as usize];
                    match r.below(40) {
                        0 => *way = r.vec(-0.03, 0.03),
                        1 => *way = Vec3::ZERO,
                        2 => *way = r.vec(-2.0, 2.0),
                        3 => continue,
                        _ => {}
                    }
                    item.1 = Aabb::new(item.1.min() + *way, item.1.max() + *way).unwrap();
                    if way.length() > 0.1 {
                        *way = r.vec(-0.03, 0.03);
                    }
                    set[item.0 as usize] = true;
                    next.push((item.0, item.1));
                }
                broad.set_many(&next);
            }
            assert!(!broad.is_current(), "{place}");
            for _ in 0..2 {
                let item = &mut boxes[r.below(400)];
                let fixed = r.below(2) == 0;
                item.2 = if fixed { Mobility::Fixed } else { Mobility::Moving };
                broad.set(item.0, item.1, item.2);
                set[item.0 as usize] = true;
            }
            let mut removed = 0;
            for at in [r.below(300), r.below(300)] {
                let item = boxes.swap_remove(at);
                assert!(broad.remove(item.0), "{place}");
                if back == 0 {
                    broad.set(item.0, item.1, item.2);
                    set[item.0 as usize] = true;
                    boxes.push(item);
                } else {
                    removed += 1;
                    set[item.0 as usize] = false;
                    gone.push(item);
                }
            }
            boxes.sort_unstable_by_key(|item| item.0);
            let report = broad.update();
            let moved = set.iter().filter(|set| **set).count();
            assert_eq!((report.moved, report.removed), (moved, removed), "{place}");
            assert_eq!(report.resting, boxes.len() - moved, "{place}");
            let pairs = naive_pairs(&boxes);
            assert!(broad.pairs().iter().eq(pairs.iter().copied()), "{place}");
            assert!(broad.begun() == without(&pairs, &before), "{place}");
            assert!(broad.ended() == without(&before, &pairs), "{place}");
            assert!(broad.is_current(), "{place}");
            (began, ended) = (began + broad.begun().len(), ended + broad.ended().len());
            before = pairs;
        }
        assert!(began > 40 && ended > 40, "{name} {began} {ended}");
    }
}

/// Updates in which all move and those in which few do come by turns, most of them without a search
/// of all near pairs, with changes asked for or not.
#[test]
fn all_and_few_may_move_by_turns() {
    // From few to all and from all to few, with a search of all near pairs and without.
    let mut turns = [[0; 2]; 2];
    for (seed, name) in (1..).zip(SCENES) {
        let mut boxes = scene(name, 400, seed);
        let mut broad = filled(&boxes);
        let mut r = Random(seed);
        let steps = steps(&boxes, 0.003, &mut r);
        let mut before = broad.pairs().to_vec();
        let mut all_moved = true;
        for step in 0..60 {
            let place = format!("{name} {step}");
            let all = r.below(3) == 0;
            let tracks = r.below(3) > 0;
            broad.track_changes(tracks);
            // A step of three leaves any room.
            let far: Vec<Vec3> = steps.iter().map(|step| *step * 1000.0).collect();
            let leaves = !all && r.below(4) == 0;
            let steps = if leaves { &far } else { &steps };
            drift(&mut broad, &mut boxes, steps, if all { 1 } else { 6 });
            let report = broad.update();
            assert_eq!(report.searched_all, all, "{place}");
            let pairs = naive_pairs(&boxes);
            assert!(broad.pairs().iter().eq(pairs.iter().copied()), "{place}");
            assert_eq!((report.pairs, broad.pairs().len()), (pairs.len(), pairs.len()), "{place}");
            assert!(report.near >= report.pairs, "{place}");
            if tracks || !all {
                assert!(broad.begun() == without(&pairs, &before), "{place}");
                assert!(broad.ended() == without(&before, &pairs), "{place}");
            }
            for &(id, ..) in &boxes {
                let partners = broad.partners(id);
                assert_eq!(partners.is_some(), !all, "{place}");
                if let Some((smaller, larger)) = partners {
                    let theirs = pairs.iter().filter(|pair| pair.b == id).map(|pair| pair.a);
                    assert!(theirs.eq(smaller.iter().copied()), "{place}");
                    assert_eq!(larger, broad.pairs().row(id), "{place}");
                }
            }
            if all != all_moved {
                turns[usize::from(all)][usize::from(report.searched < boxes.len())] += 1;
            }
            (before, all_moved) = (pairs, all);
        }
    }
    assert!(turns.iter().flatten().all(|&count| count > 10), "{turns:?}");
}

/// Each box is near some fifty others, so that its near pairs are tested many at a time.
#[test]
fn a_crowd_is_listed_exactly_at_every_level() {
    let mut r = Random(11);
    let mut start: Vec<Item> = Vec::new();
    for id in 0..360 {
        let bounds = aabb(r.vec(-2.0, 2.0), r.vec(0.3, 0.8));
        let mobility = if id % 5 == 0 { Mobility::Fixed } else { Mobility::Moving };
        start.push((id, bounds, mobility));
    }
    let steps = steps(&start, 0.03, &mut r);
    for level in SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name)) {
        let mut boxes = start.clone();
        let mut broad = BroadPhase::with_simd_level(level);
        boxes.iter().for_each(|item| broad.set(item.0, item.1, item.2));
        broad.update();
        let mut before = broad.pairs().to_vec();
        let (mut began, mut ended, mut most) = (0, 0, 0);
        for step in 0..40 {
            drift(&mut broad, &mut boxes, &steps, 6);
            broad.update();
            let pairs = naive_pairs(&boxes);
            assert!(broad.pairs().iter().eq(pairs.iter().copied()), "{level:?} {step}");
            assert!(broad.begun() == without(&pairs, &before), "{level:?} {step}");
            assert!(broad.ended() == without(&before, &pairs), "{level:?} {step}");
            (began, ended) = (began + broad.begun().len(), ended + broad.ended().len());
            let row = |id| broad.partners(id).map_or(0, |(a, b)| a.len() + b.len());
            most = most.max((0..360).step_by(6).map(row).max().unwrap());
            before = pairs;
        }
        assert!(began > 100 && ended > 100, "{began} {ended}");
        assert!(most > 32, "{most}");
    }
}

/// A box whose fat box began at zero was set to begin at the zero below it, and promised another
/// to stay where it was not; a third one believed it.
#[test]
fn a_box_that_begins_at_a_zero_below_zero_keeps_its_promises() {
    let mut listed = 0;
    for zero in [0.0_f32, -0.0] {
        let mut broad = BroadPhase::new();
        let aabb = |x: [f32; 2], y: [f32; 2], z: [f32; 2]| {
            Aabb::new(Vec3::new(x[0], y[0], z[0]), Vec3::new(x[1], y[1], z[1])).unwrap()
        };
        for far in 0..60_u16 {
            let at = 100.0 + 3.0 * f32::from(far);
            broad.set(
                10 + u32::from(far),
                aabb([at, at + 1.0], [0.0, 1.0], [0.0, 1.0]),
                Mobility::Moving,
            );
        }
        let a = |low: f32| aabb([low, low + 1.0], [0.0, 1.0], [0.0, 1.0]);
        let d = |high: f32| aabb([high - 0.5, high], [0.25, 0.75], [0.25, 0.75]);
        broad.set(1, a(0.6), Mobility::Moving);
        broad.set(2, aabb([-1.0, 2.0], [1.01, 2.0], [0.0, 1.0]), Mobility::Moving);
        broad.set(3, d(-0.4), Mobility::Moving);
        broad.update();
        broad.update();
        broad.set(1, a(0.5), Mobility::Moving);
        broad.update();
        broad.set(1, a(zero), Mobility::Moving);
        broad.set(3, d(-0.3), Mobility::Moving);
        broad.update();
        broad.set(3, d(-0.1), Mobility::Moving);
        broad.update();
        broad.set(3, d(0.1), Mobility::Moving);
        broad.update();
        listed += usize::from(broad.pairs().iter().any(|pair| pair == Pair { a: 1, b: 3 }));
    }
    assert_eq!(listed, 2);
}

#[test]
fn queries_miss_no_box_that_drifts() {
    let (mut touched, mut spared, mut tight, mut sides) = (0, 0, 0, [0; 3]);
    for (seed, name) in (1..).zip(SCENES) {
        let mut boxes = scene(name, 400, seed);
        let mut broad = filled(&boxes);
        let mut r = Random(seed);
        let steps = steps(&boxes, 0.05, &mut r);
        for step in 0..24 {
            drift(&mut broad, &mut boxes, &steps, 1 + step % 3);
            broad.update_index();
            assert!(broad.index_is_current());
            let pick = boxes[r.below(boxes.len())].1;
            let corner = if pick.max().is_finite() { pick.max() } else { r.vec(-9.0, 9.0) };
            let query = Aabb::new(corner, corner + r.vec(0.0, 4.0)).unwrap();
            let displacement = r.vec(-6.0, 6.0);
            let normal = if step % 2 == 0 { Vec3::X } else { Vec3::new(1.0, -2.0, 0.5) };
            let plane = Plane::through(corner, normal).unwrap();
            // Halfway the mover is somewhere that the cast must know.
            let half = displacement * 0.5;
            let midway = Aabb::new(query.min() + half, query.max() + half).unwrap();
            for index in [broad.index(), broad.index_for(boxes.len())] {
                let is_tight = !std::ptr::eq(index, broad.index());
                tight += usize::from(is_tight);
                let mut seen = vec![[false; 2]; boxes.len()];
                index.overlap(&query, |id| {
                    seen[id as usize][0] = true;
                    ControlFlow::Continue(())
                });
                index.cast(&query, displacement, 1.0, |id, _| {
                    seen[id as usize][1] = true;
                    1.0
                });
                index.plane(&plane, |id, side| {
                    let exact = boxes[id as usize].1.classify(&plane);
                    let open = side == PlaneSide::Straddling && !is_tight;
                    assert!(side == exact || open, "{name} {seed} {step}");
                    sides[side as usize] += 1;
                });
                for (id, bounds, _) in &boxes {
                    let [overlapped, met] = seen[*id as usize];
                    let overlaps = bounds.overlaps(&query);
                    assert!(overlapped || !overlaps, "{name} {seed} {step} {id}");
                    assert!(!is_tight || overlapped == overlaps, "{name} {seed} {step} {id}");
                    assert!(met || !bounds.overlaps(&midway), "{name} {seed} {step} {id}");
                    if met { touched += 1 } else { spared += 1 }
                }
            }
        }
    }
    assert!(tight > 300, "{tight}");
    assert!(touched > 5_000 && spared > 10_000, "{touched} {spared}");
    assert!(sides.iter().all(|side| *side > 1_000), "{sides:?}");
}

#[test]
fn a_box_that_changes_its_mobility_within_its_room_pairs_anew() {
    let unit = |x: f32| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0)).unwrap();
    let mut broad = BroadPhase::new();
    broad.set(0, unit(0.0), Mobility::Fixed);
    broad.set(1, unit(0.5), Mobility::Moving);
    broad.update();
    broad.set(1, unit(0.51), Mobility::Moving);
    assert_eq!(broad.update().pairs, 1);
    broad.set(1, unit(0.52), Mobility::Fixed);
    assert_eq!(broad.update().pairs, 0);
    broad.set(1, unit(0.53), Mobility::Moving);
    assert_eq!(broad.update().pairs, 1);
}

#[test]
fn an_index_without_room_is_forgotten_at_every_change() {
    let unit = |x: f32| Aabb::new(Vec3::splat(x), Vec3::splat(x + 1.0)).unwrap();
    let around = |broad: &BroadPhase, bounds: &Aabb, queries: usize| {
        let mut met = Vec::new();
        broad.index_for(queries).overlap(bounds, |id| {
            met.push(id);
            ControlFlow::Continue(())
        });
        met.sort_unstable();
        met
    };
    let mut broad = BroadPhase::new();
    assert_eq!(around(&broad, &unit(0.0), 9), []);
    let mut at = 0.0;
    for _ in 0..3 {
        at += 0.25;
        broad.set_many(&[(0, unit(at)), (1, unit(at + 5.0))]);
        broad.update();
    }
    let beside = |x: f32| Aabb::new(Vec3::splat(x + 1.01), Vec3::splat(x + 1.02)).unwrap();
    // Few ask first, then many, and then nobody asks more.
    assert_eq!(around(&broad, &beside(at), 0), [0]);
    assert_eq!(around(&broad, &beside(at), 1), []);
    assert_eq!(around(&broad, &beside(at), 0), []);
    assert_eq!(around(&broad.clone(), &beside(at), 0), [0]);
    // One box moves within its room, of which the index need not know.
    broad.set(1, unit(at + 5.0625), Mobility::Moving);
    assert!(broad.index_is_current() && !broad.is_current());
    assert_eq!(around(&broad, &beside(at), 0), [0]);
    assert_eq!(around(&broad, &beside(at), 1), []);
    assert_eq!(around(&broad, &beside(at + 5.0), 1), [1]);
    assert_eq!(around(&broad, &beside(at + 5.0625), 1), []);
    // An update that moves nothing changes nothing.
    broad.update();
    assert_eq!(around(&broad, &beside(at), 0), []);
    // One jumps: before the update nobody knows where to.
    broad.set(1, unit(50.0), Mobility::Moving);
    assert!(!broad.index_is_current());
    assert_eq!(around(&broad, &beside(at), 9), [0]);
    broad.update();
    assert_eq!(around(&broad, &unit(50.0), 9), [1]);
    assert!(broad.remove(1));
    broad.update();
    assert_eq!(around(&broad, &unit(50.0), 9), []);
    assert_eq!(around(&broad, &beside(at), 9), []);
    broad.clear();
    assert_eq!(around(&broad, &unit(at), 9), []);
    // Where few boxes have room, it does not pay.
    for step in [0.0, 0.25, 0.5] {
        (1..10).for_each(|id| broad.set(id, unit(f32::from(id as u8) * 9.0), Mobility::Moving));
        broad.set(0, unit(step), Mobility::Moving);
        broad.update();
    }
    assert!(std::ptr::eq(broad.index_for(1000), broad.index()));
    assert_eq!(around(&broad, &beside(0.5), 1000), [0]);
}
