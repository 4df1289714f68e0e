//! Boxes near a box, alone and in turn with others.

#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests of small numbers")]

mod common;

use common::{Random, SCENES, aged, levels, scene, visits};
use impinge_broadphase::{BroadPhase, Mobility, Near};
use impinge_shapes::Aabb;
use impinge_shapes::glam::Vec3;

fn distance(a: &Aabb, b: &Aabb) -> f64 {
    let gap = |axis: usize| {
        let above = f64::from(b.min()[axis]) - f64::from(a.max()[axis]);
        let below = f64::from(a.min()[axis]) - f64::from(b.max()[axis]);
        above.max(below).max(0.0)
    };
    (gap(0) * gap(0) + gap(1) * gap(1) + gap(2) * gap(2)).sqrt()
}

#[test]
fn nearest_never_misses() {
    let (mut near, mut beyond) = (0, 0);
    for (seed, name) in (1..).zip(SCENES) {
        let boxes = scene(name, 700, seed);
        for level in levels() {
            let broad = aged(&boxes, level);
            let mut r = Random(seed);
            for step in 0..60 {
                let min = r.vec(-12.0, 12.0);
                let mut from = Aabb::new(min, min + r.vec(0.0, 2.0).round()).unwrap();
                if step % 16 == 0 {
                    from = Aabb::new(min, Vec3::new(min.x, f32::INFINITY, min.z)).unwrap();
                }
                let limit = [0.0, 0.5, 2.0, 5.0, f32::INFINITY][r.below(5)];
                let mut seen = vec![None; boxes.len()];
                broad.index().nearest(&from, limit, |id, lower| {
                    assert!(seen[id as usize].replace(lower).is_none());
                    f32::INFINITY
                });
                for (id, bounds, _) in &boxes {
                    let d = distance(&from, bounds);
                    if d <= f64::from(limit) {
                        let lower = seen[*id as usize].expect("missed");
                        assert!(f64::from(lower) <= d, "{name} {seed}: {lower} {d}");
                        near += 1;
                    } else {
                        beyond += 1;
                    }
                }
            }
        }
    }
    assert!(near > 10_000 && beyond > 10_000, "{near} {beyond}");
}

#[test]
fn many_queries_visit_what_each_alone_visits() {
    let (mut met, mut cut, mut none) = (0, 0, 0);
    for (seed, name) in (1..).zip(SCENES) {
        let boxes = scene(name, 700, seed);
        for level in levels() {
            let broad = aged(&boxes, level);
            let mut r = Random(seed);
            let queries: Vec<Near> = (0..150)
                .map(|_| {
                    let min = r.vec(-12.0, 12.0);
                    let from = match r.below(12) {
                        0 => Aabb::EVERYTHING,
                        1 => Aabb::from_point(min).unwrap(),
                        _ => Aabb::new(min, min + r.vec(0.0, 2.0)).unwrap(),
                    };
                    let limits = [1.0, 3.0, f32::INFINITY, 0.0, -1.0, f32::NAN];
                    Near { from, max_distance: limits[r.below(limits.len())] }
                })
                .collect();
            let together = visits(queries.len(), |visit| {
                broad.index().nearest_many(&queries, |met, limits| {
                    for (met, limit) in met.iter().zip(limits) {
                        *limit = visit(met.query as usize, met.id, met.at, *limit);
                    }
                });
            });
            let alone = visits(queries.len(), |visit| {
                for (number, near) in queries.iter().enumerate() {
                    let mut limit = near.max_distance;
                    broad.index().nearest(&near.from, limit, |id, at| {
                        limit = visit(number, id, at, limit);
                        limit
                    });
                }
            });
            assert_eq!(together, alone, "{name} {seed} {}", level.name());
            met += alone.iter().map(Vec::len).sum::<usize>();
            cut += alone.iter().filter(|seen| seen.len() > 3).count();
            none += alone.iter().filter(|seen| seen.is_empty()).count();
        }
    }
    assert!(met > 10_000 && cut > 1000 && none > 1000, "{met} {cut} {none}");
}

#[test]
fn gaps_whose_squares_underflow_are_not_taken_for_larger_ones() {
    let mut broad = BroadPhase::new();
    let near = Aabb::new(Vec3::new(3.2e-23, -1.0, -1.0), Vec3::ONE).unwrap();
    broad.set(5, near, Mobility::Moving);
    broad.update();
    let origin = Aabb::from_point(Vec3::ZERO).unwrap();
    let met = |limit: f32| {
        let mut met = 0;
        broad.index().nearest(&origin, limit, |id, _| {
            met += id;
            limit
        });
        met
    };
    assert_eq!((met(3.5e-23), met(2e-23)), (5, 0));
}
