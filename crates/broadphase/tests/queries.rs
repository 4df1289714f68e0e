//! Queries against all boxes: never a miss.

#![allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "tests of small numbers, compared as they are"
)]

mod common;

use std::ops::ControlFlow;

use common::{Random, SCENES, aged, levels, naive_pairs, scene, visits};
use impinge_broadphase::{BroadPhase, Cast, Met, Mobility, Near, SimdLevel};
use impinge_shapes::exact::Exact;
use impinge_shapes::glam::Vec3;
use impinge_shapes::{Aabb, Plane, PlaneSide};

/// Interval of `t` at which the moving box touches the other, exactly where f64 is; `None` if
/// never. Written with divisions of f64, so that it is good to some 2^-52.
fn touch(mover: &Aabb, d: Vec3, other: &Aabb) -> Option<(f64, f64)> {
    let (mut first, mut last) = (0.0_f64, f64::INFINITY);
    for axis in 0..3 {
        let (lo, hi) = (f64::from(other.min()[axis]), f64::from(other.max()[axis]));
        let (from, to) = (f64::from(mover.min()[axis]), f64::from(mover.max()[axis]));
        let d = f64::from(d[axis]);
        if d == 0.0 {
            if lo > to || hi < from {
                return None;
            }
            continue;
        }
        let (a, b) = ((lo - to) / d, (hi - from) / d);
        first = first.max(a.min(b));
        last = last.min(a.max(b));
    }
    (first <= last).then_some((first, last))
}

/// A displacement that is random, parallel to axes, diagonal, tiny or zero.
fn direction(r: &mut Random, side: f32) -> Vec3 {
    let mut d = r.vec(-side, side);
    match r.below(8) {
        0 => d[r.below(3)] = 0.0,
        1 => {
            let axis = r.below(3);
            let value = d[axis];
            d = Vec3::splat(-0.0);
            d[axis] = value;
        }
        2 => d = d.signum() * r.below(5) as f32,
        3 => d *= 1e-30,
        4 => d[r.below(3)] *= 1e-42,
        5 => d = Vec3::ZERO,
        _ => {}
    }
    d
}

/// A point or a box that goes anywhere, some so that slabs cannot treat it, up to any limit.
fn cast(r: &mut Random) -> Cast {
    let at = r.vec(-9.0, 9.0);
    let half = if r.below(2) == 0 { Vec3::ZERO } else { r.vec(0.0, 2.0) };
    let mover = Aabb::new(at - half, at + half).unwrap();
    let displacement = match r.below(12) {
        0 => Vec3::NAN,
        1 => Vec3::splat(f32::MAX),
        _ => direction(r, 9.0),
    };
    let limits = [1.0, 3.0, f32::INFINITY, 0.0, -1.0, f32::NAN];
    Cast::new(mover, displacement, limits[r.below(limits.len())])
}

#[test]
fn casts_and_rays_never_miss() {
    let (mut hits, mut misses, mut ties) = (0, 0, 0);
    for (seed, name) in (1..).zip(SCENES) {
        let boxes = scene(name, 700, seed);
        for level in levels() {
            let broad = aged(&boxes, level);
            let mut r = Random(seed);
            for _ in 0..60 {
                let side = 9.0;
                let pick = boxes[r.below(boxes.len())].1;
                // From a corner of some box: grazing and touching starts are common.
                let origin = match r.below(3) {
                    0 if pick.min().is_finite() => pick.min() - (r.below(3) as f32),
                    1 if pick.max().is_finite() => pick.max() + (r.below(3) as f32),
                    _ => r.vec(-side, side),
                };
                let half = if r.below(2) == 0 { Vec3::ZERO } else { r.vec(0.0, 2.0).round() * 0.5 };
                let mover = Aabb::new(origin - half, origin + half).unwrap();
                let d = direction(&mut r, side);
                let mut limit = [1.0, 0.5, 3.0, f32::INFINITY][r.below(4)];
                let reference: Vec<_> = boxes.iter().map(|b| touch(&mover, d, &b.1)).collect();
                if r.below(3) == 0 {
                    // A limit at exactly some entry: a tie must be visited.
                    let entry = reference.iter().flatten().map(|t| t.0 as f32).fold(0.0, f32::max);
                    if f64::from(entry) <= f64::from(f32::MAX) {
                        limit = entry;
                        ties += 1;
                    }
                }
                let mut seen = vec![None; boxes.len()];
                broad.index().cast(&mover, d, limit, |id, entry| {
                    assert!(seen[id as usize].replace(entry).is_none(), "{name}: twice");
                    f32::INFINITY
                });
                for (id, touch) in reference.iter().enumerate() {
                    let due = touch.filter(|t| t.0 <= f64::from(limit));
                    if let Some((first, _)) = due {
                        let Some(entry) = seen[id] else {
                            panic!("{name} {seed} {}: missed {id}, {mover:?} {d}", level.name());
                        };
                        assert!(
                            f64::from(entry) <= first * (1.0 + 1e-15),
                            "{name}: {entry} {first}"
                        );
                        hits += 1;
                    } else {
                        misses += 1;
                    }
                }
            }
        }
    }
    assert!(hits > 10_000 && misses > 10_000 && ties > 100, "{hits} {misses} {ties}");
}

#[test]
fn the_closest_hit_survives_a_shrinking_limit() {
    let mut found = 0;
    for (seed, name) in (1..).zip(SCENES) {
        let boxes = scene(name, 1500, seed);
        let broad = aged(&boxes, SimdLevel::detected());
        let mut r = Random(seed);
        for _ in 0..100 {
            let origin = r.vec(-15.0, 15.0);
            let d = r.vec(-1.0, 1.0);
            let point = Aabb::from_point(origin).unwrap();
            let exact = |id: u32| touch(&point, d, &boxes[id as usize].1);
            let mut best: Option<(f64, u32)> = None;
            broad.index().ray(origin, d, f32::INFINITY, |id, _| {
                if let Some((t, _)) = exact(id) {
                    let better = best.is_none_or(|(b, other)| t < b || (t <= b && id < other));
                    best = if better { Some((t, id)) } else { best };
                }
                best.map_or(f32::INFINITY, |(t, _)| impinge_shapes::round::up(t))
            });
            let all = (0..boxes.len() as u32).filter_map(|id| exact(id).map(|t| (t.0, id)));
            let expected = all.min_by(|a, b| a.partial_cmp(b).unwrap());
            assert_eq!(best, expected, "{name} {seed}");
            found += usize::from(best.is_some());
        }
    }
    assert!(found > 300, "{found}");
}

#[test]
fn many_casts_visit_what_each_alone_visits() {
    let (mut met, mut cut, mut wild) = (0, 0, 0);
    for (seed, name) in (1..).zip(SCENES) {
        let boxes = scene(name, 700, seed);
        for level in levels() {
            let broad = aged(&boxes, level);
            let mut r = Random(seed);
            let casts: Vec<Cast> = (0..150).map(|_| cast(&mut r)).collect();
            wild += casts.iter().filter(|cast| cast.displacement.x.is_nan()).count();
            let together = visits(casts.len(), |visit| {
                broad.index().cast_many(&casts, |met, limits| {
                    for (met, limit) in met.iter().zip(limits) {
                        *limit = visit(met.query as usize, met.id, met.at, *limit);
                    }
                });
            });
            let alone = visits(casts.len(), |visit| {
                for (number, cast) in casts.iter().enumerate() {
                    let mut limit = cast.max_fraction;
                    broad.index().cast(&cast.mover, cast.displacement, limit, |id, at| {
                        limit = visit(number, id, at, limit);
                        limit
                    });
                }
            });
            assert_eq!(together, alone, "{name} {seed} {}", level.name());
            met += alone.iter().map(Vec::len).sum::<usize>();
            cut += alone.iter().filter(|seen| seen.len() > 3).count();
        }
    }
    assert!(met > 10_000 && cut > 1000 && wild > 20, "{met} {cut} {wild}");
}

#[test]
fn all_that_many_casts_meet_is_what_each_of_them_meets() {
    let (mut met, mut wild, mut nothing) = (0, 0, 0);
    for (seed, name) in (11..).zip(SCENES) {
        let boxes = scene(name, 700, seed);
        for level in levels() {
            let broad = aged(&boxes, level);
            let mut r = Random(seed);
            let mut casts: Vec<Cast> = (0..150).map(|_| cast(&mut r)).collect();
            wild += casts.iter().filter(|cast| cast.displacement.x.is_nan()).count();
            casts.iter_mut().step_by(3).for_each(|cast| cast.beyond_start = true);
            let sorted = |mut list: Vec<(u32, u32, u32)>| {
                list.sort_unstable();
                list
            };
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            let entry = |met: &Met| (met.query, met.id, met.at.to_bits());
            broad.index().cast_all(&casts, |met| found.extend(met.iter().map(entry)));
            broad.index().cast_many(&casts, |met, _| expected.extend(met.iter().map(entry)));
            nothing += casts.len() - found.chunk_by(|a, b| a.0 == b.0).count();
            assert_eq!(sorted(found), sorted(expected.clone()), "{name} {seed} {}", level.name());
            met += expected.len();
        }
    }
    assert!(met > 50_000 && wild > 20 && nothing > 500, "{met} {wild} {nothing}");
}

#[test]
fn all_that_is_near_many_boxes_is_what_is_near_each_of_them() {
    let (mut met, mut nothing) = (0, 0);
    for (seed, name) in (31..).zip(SCENES) {
        let boxes = scene(name, 700, seed);
        for level in levels() {
            let broad = aged(&boxes, level);
            let mut r = Random(seed);
            let mut queries = Vec::new();
            for place in 0..150 {
                let from = Aabb::from_point(r.vec(-9.0, 9.0)).unwrap();
                let max_distance = [0.0, 0.5, 3.0, f32::NAN, -1.0, f32::INFINITY][place % 6];
                queries.push(Near { from, max_distance });
            }
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            let entry = |met: &Met| (met.query, met.id, met.at.to_bits());
            broad.index().nearest_all(&queries, |met| found.extend(met.iter().map(entry)));
            broad.index().nearest_many(&queries, |met, _| expected.extend(met.iter().map(entry)));
            nothing += queries.len() - found.chunk_by(|a, b| a.0 == b.0).count();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{name} {seed} {}", level.name());
            met += expected.len();
        }
    }
    assert!(met > 50_000 && nothing > 500, "{met} {nothing}");
}

#[test]
fn casts_beyond_their_start_leave_out_what_is_told_at_zero() {
    let (mut left_out, mut met) = (0, 0);
    for (seed, name) in (1..).zip(SCENES) {
        let boxes = scene(name, 700, seed);
        for level in levels() {
            let broad = aged(&boxes, level);
            let mut r = Random(seed);
            let mut casts = Vec::new();
            for _ in 0..100 {
                let mover = Aabb::from_point(r.vec(-9.0, 9.0)).unwrap();
                casts.push(Cast::new(mover, direction(&mut r, 9.0), f32::INFINITY));
            }
            let lists = |casts: &[Cast]| {
                let mut lists = vec![Vec::new(); casts.len()];
                broad.index().cast_many(casts, |met, _| {
                    for met in met {
                        lists[met.query as usize].push((met.id, met.at));
                    }
                });
                lists
            };
            let mut all = lists(&casts);
            for cast in casts.iter_mut().step_by(2) {
                cast.beyond_start = true;
            }
            for list in all.iter_mut().step_by(2) {
                let count = list.len();
                list.retain(|(_, at)| *at > 0.0);
                left_out += count - list.len();
                met += list.len();
            }
            assert_eq!(lists(&casts), all, "{name} {seed} {}", level.name());
        }
    }
    assert!(left_out > 1000 && met > 1000, "{left_out} {met}");
}

#[test]
fn a_negative_answer_stops() {
    let broad = aged(&scene("spot", 400, 1), SimdLevel::detected());
    let everything = Aabb::EVERYTHING;
    let mut count = 0;
    let mut stop = |_: u32, _: f32| {
        count += 1;
        -1.0
    };
    broad.index().cast(&Aabb::from_point(Vec3::ZERO).unwrap(), Vec3::ONE, 100.0, &mut stop);
    broad.index().cast(&everything, Vec3::ONE, 1.0, &mut stop);
    broad.index().nearest(&everything, 1.0, &mut stop);
    broad.index().nearest(&everything, -1.0, &mut stop);
    broad.index().ray(Vec3::NAN, Vec3::ONE, 1.0, &mut stop);
    broad.index().overlap(&everything, |id| {
        stop(id, 0.0);
        ControlFlow::Break(())
    });
    assert_eq!(count, 4);
}

#[test]
fn wild_movements_visit_all_they_may_touch() {
    let boxes = scene("infinite", 300, 2);
    let broad = aged(&boxes, SimdLevel::detected());
    let count = |mover: &Aabb, d: Vec3, limit: f32| {
        let mut seen = vec![false; boxes.len()];
        broad.index().cast(mover, d, limit, |id, _| {
            assert!(!std::mem::replace(&mut seen[id as usize], true));
            f32::INFINITY
        });
        seen.into_iter().filter(|s| *s).count()
    };
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE).unwrap();
    assert_eq!(count(&unit, Vec3::NAN, 1.0), boxes.len());
    assert_eq!(count(&Aabb::EVERYTHING, Vec3::ZERO, 1.0), boxes.len());
    assert_eq!(count(&unit, Vec3::splat(f32::MAX), 2.0), boxes.len());
    assert_eq!(count(&unit, Vec3::X, f32::NAN), 0);
    assert_eq!(count(&unit, Vec3::X, -1.0), 0);
}

/// Along an axis that does not move, boxes beside the mover are left out however far the query
/// goes; only those a last place beside it may be visited.
#[test]
fn axes_without_movement_bound_endless_queries() {
    let (mut met, mut passed) = (0, 0);
    for (seed, name) in (1..).zip(SCENES) {
        let boxes = scene(name, 700, seed);
        for level in levels() {
            let mut broad = BroadPhase::with_simd_level(level);
            for &(id, bounds, _) in &boxes {
                broad.set(id, bounds, Mobility::Fixed);
            }
            broad.update();
            let mut r = Random(seed);
            for query in 0..60 {
                let at = r.vec(-9.0, 9.0);
                let mover = Aabb::new(at, at + r.vec(0.0, 1.0)).unwrap();
                let mut d = Vec3::ZERO;
                if query % 3 > 0 {
                    d[r.below(3)] = r.vec(-1.0, 1.0).x;
                }
                let widened = |c: Vec3, step: fn(f32) -> f32| Vec3::from(c.to_array().map(step));
                let (low, high) =
                    (widened(mover.min(), f32::next_down), widened(mover.max(), f32::next_up));
                let near = |other: &Aabb| {
                    let axis = |a: usize| low[a] <= other.max()[a] && other.min()[a] <= high[a];
                    (0..3).all(|a| d[a] != 0.0 || axis(a))
                };
                broad.index().cast(&mover, d, f32::INFINITY, |id, _| {
                    // Of a box without end nothing says where it would be left.
                    let other = &boxes[id as usize].1;
                    let endless = !(other.max() - other.min()).is_finite();
                    assert!(endless || near(other), "{name} {seed} {query} {}: {id}", level.name());
                    met += 1;
                    f32::INFINITY
                });
                passed += boxes.iter().filter(|(_, other, _)| !near(other)).count();
            }
        }
    }
    assert!(met > 1000 && passed > 10_000, "{met} {passed}");
}

#[test]
fn overlaps_are_exact() {
    let mut hits = 0;
    for (seed, name) in (1..).zip(SCENES) {
        let boxes = scene(name, 700, seed);
        for level in levels() {
            let broad = aged(&boxes, level);
            let mut r = Random(seed);
            let mut queries = vec![Aabb::EVERYTHING; 2];
            for _ in 0..60 {
                let pick = boxes[r.below(boxes.len())].1;
                let corner = if pick.max().is_finite() { pick.max() } else { r.vec(-9.0, 9.0) };
                queries.push(Aabb::new(corner, corner + r.vec(0.0, 4.0)).unwrap());
            }
            let (mut many, mut lists) = (Vec::new(), 0);
            broad.index().overlap_many(&queries, |met| {
                assert!(met.iter().all(|met| met.at == 0.0) && !met.is_empty());
                many.extend(met.iter().map(|met| (met.query, met.id)));
                lists += 1;
            });
            assert!(lists > 4, "{name} {seed}: {lists}");
            let mut singly = Vec::new();
            for (number, query) in (0..).zip(queries) {
                let mut seen = Vec::new();
                broad.index().overlap(&query, |id| {
                    seen.push(id);
                    ControlFlow::Continue(())
                });
                singly.extend(seen.iter().map(|&id| (number, id)));
                seen.sort_unstable();
                let expected = boxes.iter().filter(|b| b.1.overlaps(&query)).map(|b| b.0);
                assert!(seen.iter().copied().eq(expected), "{name} {seed} {query:?}");
                hits += seen.len();
            }
            assert!(many == singly, "{name} {seed} {}", level.name());
        }
    }
    assert!(hits > 10_000, "{hits}");
}

#[test]
fn boxes_that_touch_everything_go_with_those_that_touch_little() {
    // More than a packet, more than it keeps, and one that ends in between.
    let seed = 5;
    let boxes = scene("uniform", 6000, seed);
    let mut r = Random(seed + 1);
    let (mut empty, mut full) = (0, 0);
    for level in levels() {
        let broad = aged(&boxes, level);
        let mut queries = vec![Aabb::EVERYTHING; 70];
        for _ in 0..30 {
            let corner = r.vec(-18.0, 18.0);
            queries.push(Aabb::new(corner, corner + r.vec(0.0, 2.0)).unwrap());
        }
        let mut counts = vec![0; queries.len()];
        broad.index().overlap_many(&queries, |met| {
            assert!(met.windows(2).all(|two| two[0].query <= two[1].query));
            met.iter().for_each(|met| counts[met.query as usize] += 1);
        });
        assert!(counts[..70].iter().all(|&count| count == boxes.len()), "{}", level.name());
        for (query, count) in queries.iter().zip(counts) {
            let expected = boxes.iter().filter(|item| item.1.overlaps(query)).count();
            assert_eq!(count, expected, "seed {seed}, {} {query:?}", level.name());
            *(if count == 0 { &mut empty } else { &mut full }) += 1;
        }
    }
    assert!(empty > 0 && full > 0, "seed {seed}: {empty} {full}");
}

/// Exact side of a finite box.
fn side(plane: &Plane, bounds: &Aabb) -> PlaneSide {
    let value = |p: Vec3| {
        let n = plane.normal();
        let terms = (0..3).map(|axis| Exact::from(n[axis]) * Exact::from(p[axis]));
        terms.fold(-Exact::from(plane.distance()), |a, b| a + b)
    };
    let values = bounds.corners().map(value);
    let zero = Exact::ZERO;
    if values.iter().all(|v| *v > zero) {
        PlaneSide::Front
    } else if values.iter().all(|v| *v < zero) {
        PlaneSide::Behind
    } else {
        PlaneSide::Straddling
    }
}

#[test]
fn planes_see_every_box_once_on_its_exact_side() {
    let mut counts = [0; 3];
    for (seed, name) in (1..).zip(SCENES) {
        let boxes = scene(name, 300, seed);
        for level in levels() {
            let broad = aged(&boxes, level);
            let mut r = Random(seed);
            for step in 0..10 {
                let pick = boxes[r.below(boxes.len())].1;
                let through = if pick.max().is_finite() { pick.max() } else { Vec3::ZERO };
                let normal = if step % 2 == 0 { Vec3::AXES[r.below(3)] } else { r.vec(-1.0, 1.0) };
                let Ok(plane) = Plane::through(through, normal) else { continue };
                let mut seen = vec![None; boxes.len()];
                broad.index().plane(&plane, |id, side| {
                    assert!(seen[id as usize].replace(side).is_none(), "{name}: twice");
                });
                for (id, bounds, _) in &boxes {
                    let got = seen[*id as usize].expect("every box");
                    if bounds.min().is_finite() && bounds.max().is_finite() {
                        assert_eq!(got, side(&plane, bounds), "{name} {seed} {bounds:?} {plane:?}");
                    }
                    counts[got as usize] += 1;
                }
            }
        }
    }
    assert!(counts.iter().all(|c| *c > 1000), "{counts:?}");
}

#[test]
fn endless_boxes_lie_on_a_side_where_they_can() {
    let mut broad = BroadPhase::new();
    let inf = f32::INFINITY;
    let above = Aabb::new(Vec3::new(-inf, 1.0, -inf), Vec3::splat(inf)).unwrap();
    broad.set(0, above, Mobility::Fixed);
    broad.update();
    let side = |normal: Vec3, distance: f32| {
        let mut side = None;
        broad.index().plane(&Plane::new(normal, distance).unwrap(), |_, s| side = Some(s));
        side
    };
    assert_eq!(side(Vec3::Y, 0.5), Some(PlaneSide::Front));
    assert_eq!(side(Vec3::NEG_Y, -0.5), Some(PlaneSide::Behind));
    assert_eq!(side(Vec3::Y, 1.0), Some(PlaneSide::Straddling));
    assert_eq!(side(Vec3::ONE, 0.5), Some(PlaneSide::Straddling));
}

#[test]
fn every_box_is_listed_once() {
    let boxes = scene("clusters", 900, 4);
    let broad = aged(&boxes, SimdLevel::detected());
    let mut ids = Vec::new();
    broad.index().for_each(|id| ids.push(id));
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..900));
    assert!(!naive_pairs(&boxes).is_empty());
}

#[test]
fn a_long_way_to_the_largest_coordinate_is_not_lost() {
    let mut broad = BroadPhase::new();
    let far = Aabb::new(Vec3::new(f32::MAX, 0.0, 0.0), Vec3::new(f32::MAX, 1000.0, 0.0)).unwrap();
    broad.set(3, far, Mobility::Moving);
    broad.update();
    let power = |exponent: u32| (1_u128 << exponent) as f32;
    for start in [power(120), power(103), power(101), 0.0] {
        let from = Aabb::from_point(Vec3::NEG_X * start).unwrap();
        let mut met = 0;
        broad.index().cast(&from, Vec3::new(power(120), 1.0, 0.0), f32::INFINITY, |id, _| {
            met += id;
            f32::INFINITY
        });
        assert_eq!(met, 3, "from {start}");
    }
}
