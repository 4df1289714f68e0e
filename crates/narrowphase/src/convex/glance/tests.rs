//! What f32 is certain about is what f64 and exact arithmetic say.

use impinge_shapes::convex::gjk::Enough;
use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::glam::{DVec3, Quat, Vec3};
use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{ConvexHull, Pose, Shape};

use super::clouds::Frame;
use super::portal::Certain;
use crate::convex::Cores;
use crate::{Relation, Relative};

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        f32::from(u16::try_from(self.0 >> 48).unwrap()) / 32_768.0 - 1.0
    }

    fn vec(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }

    fn turn(&mut self) -> Quat {
        Quat::from_xyzw(self.next(), self.next(), self.next(), self.next() + 1.5)
    }

    /// Corners nearly on an ellipsoid, away from the origin.
    fn hull(&mut self, count: usize) -> ConvexHull {
        let (radii, middle) = (self.vec().abs() + Vec3::splat(0.25), self.vec() * 0.5);
        let points: Vec<_> =
            (0..count).map(|_| self.vec().normalize_or(Vec3::X) * radii + middle).collect();
        ConvexHull::new(&points).unwrap()
    }

    /// Corners on a lattice, so that many pairs touch.
    fn lattice(&mut self) -> ConvexHull {
        let points: Vec<_> = (0..12).map(|_| (self.vec() * 2.0).round()).collect();
        ConvexHull::new(&points).unwrap()
    }
}

type Placed<'a> = (&'a ConvexHull, &'a Pose);

fn glance(level: SimdLevel, a: Placed<'_>, b: Placed<'_>) -> Option<Certain> {
    super::look(level, (a.0, b.0), &Frame::of_poses(a, b)?, 0.0)
}

fn solid(hull: &ConvexHull) -> Solid<'_> {
    Core::Hull(hull).into()
}

/// What two lists of pairs were found to be: apart, penetrating, open.
type Seen = [usize; 3];

fn count(seen: &mut Seen, found: Option<Relation>) {
    let place = match found {
        Some(Relation::Apart) => 0,
        Some(_) => 1,
        None => 2,
    };
    seen[place] += 1;
}

#[test]
fn f32_is_certain_of_most_pairs_and_f64_says_the_same() {
    let mut numbers = Numbers(11);
    let mut seen = [Seen::default(); 2];
    for case in 0..4000 {
        let counts = [5, 8, 20, 32, 40, 64];
        let (a, b) = (numbers.hull(counts[case % 6]), numbers.hull(counts[case / 6 % 6]));
        let pose_a = Pose::new(numbers.vec() * 9.0, numbers.turn()).unwrap();
        let place = pose_a.position() + numbers.vec() * 1.5;
        let pose_b = Pose::new(place, numbers.turn()).unwrap();
        let at = Relative::new(&pose_a, &pose_b);
        let (solid_a, solid_b) = (solid(&a), solid(&b));
        let cores = Cores::new(&solid_a, &solid_b, &at);
        let told = cores.relation(&cores.gap(cores.start()));
        let by_poses = super::relation(SimdLevel::detected(), (&a, &pose_a), (&b, &pose_b));
        let in_frame = super::relation_at(cores.a, cores.b, &at, 0.0);
        for (seen, found) in seen.iter_mut().zip([by_poses, in_frame]) {
            count(seen, found);
            assert!(found.is_none_or(|found| found == told), "case {case}: {found:?} {told:?}");
        }
    }
    for [apart, deep, open] in seen {
        assert!(apart > 1000 && deep > 1000 && open < 20, "{seen:?}");
    }
}

#[test]
fn what_touches_or_nearly_does_is_left_open() {
    let mut numbers = Numbers(12);
    let turns = [
        Quat::IDENTITY,
        Quat::from_xyzw(0.0, 1.0, 0.0, 1.0),
        Quat::from_xyzw(1.0, 1.0, -1.0, 1.0),
        Quat::from_xyzw(1.0, 2.0, 2.0, 4.0),
    ];
    let (mut seen, mut touching) = (Seen::default(), 0);
    for case in 0..1500 {
        let (a, b) = (numbers.lattice(), numbers.lattice());
        let pose_a = Pose::new((numbers.vec() * 3.0).round(), turns[case % 4]).unwrap();
        let mut place = (numbers.vec() * 3.0).round();
        if case % 3 == 0 {
            place.x = place.x.next_up();
        }
        let pose_b = Pose::new(place, turns[case / 4 % 4]).unwrap();
        let at = Relative::new(&pose_a, &pose_b);
        let told = Cores::new(&solid(&a), &solid(&b), &at).settled(DVec3::ZERO, None);
        touching += usize::from(told == Relation::Touching);
        let found = super::relation(SimdLevel::detected(), (&a, &pose_a), (&b, &pose_b));
        count(&mut seen, found);
        assert!(found.is_none_or(|found| found == told), "case {case}: {found:?} {told:?}");
    }
    let [apart, deep, open] = seen;
    assert!(apart > 100 && deep > 100 && open >= touching && touching > 20, "{seen:?} {touching}");
}

#[test]
fn apart_means_by_more_than_the_margin() {
    let mut numbers = Numbers(13);
    let mut seen = Seen::default();
    for case in 0..2000 {
        let (a, b) = (numbers.hull(16), numbers.hull(32));
        let pose_b = Pose::new(numbers.vec() * 4.0, numbers.turn()).unwrap();
        let at = Relative::new(&Pose::IDENTITY, &pose_b);
        let (solid_a, solid_b) = (solid(&a), solid(&b));
        let cores = Cores::new(&solid_a, &solid_b, &at);
        let distance = cores.gap(cores.start()).distance;
        if distance <= 0.0 {
            continue;
        }
        // From clearly less, past some that are too near to tell, to clearly more.
        let shift = 1.0 / (1_u64 << (2 + case % 28)) as f64;
        let margin = distance * if case & 32 == 0 { 1.0 + shift } else { 1.0 - shift };
        let found = super::relation_at(cores.a, cores.b, &at, margin);
        count(&mut seen, found);
        assert!(found.is_none() || margin < distance, "case {case}: {found:?} {margin} {distance}");
        assert_ne!(found, Some(Relation::Penetrating), "case {case}");
    }
    assert!(seen[0] > 200 && seen[2] > 200, "{seen:?}");
}

#[test]
fn flat_hulls_segments_and_points_are_told_right() {
    let mut numbers = Numbers(14);
    let mut seen = Seen::default();
    for case in 0..1000 {
        let mut flat = |corners: usize| {
            let [p, u, v] = [numbers.vec(), numbers.vec(), numbers.vec()];
            // Multiples of a power of two: exactly in one plane.
            let points: Vec<_> = (0..corners)
                .map(|_| (p + u * numbers.next().round() + v * numbers.next().round()) * 0.5)
                .collect();
            ConvexHull::new(&points).unwrap()
        };
        let (a, b) = (flat(1 + case % 5), flat(1 + case / 5 % 5));
        let pose_b = Pose::new(numbers.vec() * 0.25, numbers.turn()).unwrap();
        let at = Relative::new(&Pose::IDENTITY, &pose_b);
        let told = Cores::new(&solid(&a), &solid(&b), &at).settled(DVec3::ZERO, None);
        let found = super::relation(SimdLevel::detected(), (&a, &Pose::IDENTITY), (&b, &pose_b));
        count(&mut seen, found);
        assert!(found.is_none_or(|found| found == told), "case {case}: {found:?} {told:?}");
    }
    assert!(seen[0] > 500 && seen[1] > 10 && seen[2] > 2, "{seen:?}");
}

#[test]
fn powers_of_two_change_nothing_and_what_is_out_of_range_is_left_open() {
    let mut numbers = Numbers(15);
    let mut seen = Seen::default();
    for case in 0..200 {
        let (a, b) = (numbers.hull(12), numbers.hull(32));
        let (turn, place) = (numbers.turn(), numbers.vec());
        let of = |factor: f32| {
            let scaled = |hull: &ConvexHull| {
                let points: Vec<_> = hull.vertices().iter().map(|&v| v * factor).collect();
                ConvexHull::new(&points).unwrap()
            };
            let pose_b = Pose::new(place * factor, turn).unwrap();
            super::relation(
                SimdLevel::detected(),
                (&scaled(&a), &Pose::IDENTITY),
                (&scaled(&b), &pose_b),
            )
        };
        let plain = of(1.0);
        count(&mut seen, plain);
        for exponent in [-96, -40, -3, 1, 30, 96] {
            assert_eq!(of(2.0_f32.powi(exponent)), plain, "case {case}: 2^{exponent}");
        }
        for exponent in [-149, -126, -104, 104, 125] {
            assert_eq!(of(2.0_f32.powi(exponent)), None, "case {case}: 2^{exponent}");
        }
    }
    assert!(seen[0] > 50 && seen[1] > 50, "{seen:?}");
}

#[test]
fn every_level_is_certain_of_the_same() {
    let mut numbers = Numbers(16);
    let mut seen = [0; 2];
    for case in 0..300 {
        let (a, b) = (numbers.hull(9 + case % 50), numbers.hull(32));
        let pose_a = Pose::new(numbers.vec(), numbers.turn()).unwrap();
        let pose_b = Pose::new(numbers.vec(), numbers.turn()).unwrap();
        let at = |level| glance(level, (&a, &pose_a), (&b, &pose_b));
        let frame = Frame::of_poses((&a, &pose_a), (&b, &pose_b)).unwrap();
        let exit = |level| super::look_out(level, (&a, &b), &frame, None);
        let scalar = at(SimdLevel::scalar());
        seen[usize::from(matches!(scalar, Some(Certain::Penetrating(_))))] += 1;
        for level in SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name)) {
            assert_eq!(at(level), scalar, "case {case}: {}", level.name());
            assert_eq!(exit(level), exit(SimdLevel::scalar()), "case {case}: {}", level.name());
        }
    }
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
}

#[test]
fn hulls_without_lanes_or_with_radii_are_left_open() {
    let mut numbers = Numbers(17);
    let (large, small) = (numbers.hull(300), numbers.hull(10));
    assert!(large.vertices().len() > 64);
    let far = Pose::from_position(Vec3::X * 50.0).unwrap();
    for (a, b, known) in [(&large, &small, false), (&small, &large, false), (&small, &small, true)]
    {
        let found = super::relation(SimdLevel::detected(), (a, &Pose::IDENTITY), (b, &far));
        assert_eq!(found, known.then_some(Relation::Apart));
        assert_eq!(
            super::relation(SimdLevel::detected(), (a, &Pose::IDENTITY), (b, &Pose::IDENTITY)),
            None
        );
    }
    let grown = Solid { radii: [0.5, 0.0], ..solid(&small) };
    let at = Relative::new(&Pose::IDENTITY, &far);
    assert_eq!(super::relation_at(&grown, &solid(&small), &at, 0.0), None);
    assert_eq!(super::relation_at(&solid(&small), &solid(&small), &at, 0.0), Some(Relation::Apart));
}

/// Compares the way out that f32 finds with that of the polytope in f64; whether f32 found one.
fn compare_ways_out(cores: &Cores<'_>, case: usize) -> Option<bool> {
    let start = cores.start();
    let told = cores.gap_of(start, &cores.nearest(start));
    let found = match cores.looked(SimdLevel::detected(), None) {
        Some(super::Glance::Exit(exit)) => cores.through(&exit),
        _ => None,
    };
    if told.distance >= 0.0 {
        assert!(found.is_none(), "case {case}: {found:?} {told:?}");
        return None;
    }
    let Some(found) = found else { return Some(false) };
    let within = |share: f64| share * cores.size;
    assert!((found.distance - told.distance).abs() < within(1e-12), "{case}: {found:?} {told:?}");
    assert!((found.normal - told.normal).length() < 1e-9, "case {case}: {found:?} {told:?}");
    assert!((found.point_a - told.point_a).length() < within(1e-9), "{case}: {found:?} {told:?}");
    assert!(found.at_most >= found.distance && found.at_most < 0.0, "case {case}: {found:?}");
    Some(true)
}

#[test]
fn the_way_out_is_that_of_the_polytope_in_f64() {
    let mut numbers = Numbers(18);
    let mut seen = [0; 2];
    for case in 0..3000 {
        let counts = [4, 8, 20, 32, 40, 64];
        let (a, b) = (numbers.hull(counts[case % 6]), numbers.hull(counts[case / 6 % 6]));
        let pose_a = Pose::new(numbers.vec() * 9.0, numbers.turn()).unwrap();
        let place = pose_a.position() + numbers.vec();
        let at = Relative::new(&pose_a, &Pose::new(place, numbers.turn()).unwrap());
        if let Some(found) = compare_ways_out(&Cores::new(&solid(&a), &solid(&b), &at), case) {
            seen[usize::from(found)] += 1;
        }
    }
    println!("open, found: {seen:?}");
    assert!(seen[1] > 1000 && seen[0] < seen[1] / 20, "{seen:?}");
}

#[test]
fn the_farthest_of_the_vertices_that_f32_leaves_is_the_farthest_of_all() {
    let mut numbers = Numbers(24);
    let (mut seen, mut kept) = ([0; 2], 0);
    for case in 0..3000 {
        let counts = [4, 8, 20, 32, 40, 64];
        let (a, b) = (numbers.hull(counts[case % 6]), numbers.hull(counts[case / 6 % 6]));
        let pose_b = Pose::new(numbers.vec(), numbers.turn()).unwrap();
        let at = Relative::new(&Pose::IDENTITY, &pose_b);
        let (solid_a, solid_b) = (solid(&a), solid(&b));
        let cores = Cores::new(&solid_a, &solid_b, &at);
        let found = cores.looked(SimdLevel::detected(), None);
        let Some(super::Glance::Exit(exit)) = found else { continue };
        kept += exit.farthest.iter().map(|places| places.count_ones()).sum::<u32>();
        // Up to the bound, and beyond it.
        let turn = numbers.vec().as_dvec3() * if case % 2 == 0 { 1.5e-5 } else { 1e-3 };
        let normal = (exit.normal.as_dvec3() + turn).normalize();
        let farthest = cores.farthest_of(&exit, normal);
        seen[usize::from(farthest.is_some())] += 1;
        if let Some(found) = farthest {
            let told = cores.support(normal);
            assert_eq!((found.a, found.b), (told.a, told.b), "case {case}");
        }
    }
    println!("too far, found: {seen:?}; {kept} vertices");
    assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
    assert!(kept < 5 * (seen[0] + seen[1]), "{kept} of {seen:?}");
}

#[test]
fn ways_out_of_equal_depth_are_left_open() {
    let mut numbers = Numbers(19);
    let mut seen = [0; 2];
    let turns = [Quat::IDENTITY, Quat::from_xyzw(0.0, 1.0, 0.0, 1.0)];
    for case in 0..1500 {
        let (a, b) = (numbers.lattice(), numbers.lattice());
        let pose_b = Pose::new((numbers.vec() * 6.0).round() * 0.5, turns[case % 2]).unwrap();
        let at = Relative::new(&Pose::IDENTITY, &pose_b);
        if let Some(found) = compare_ways_out(&Cores::new(&solid(&a), &solid(&b), &at), case) {
            seen[usize::from(found)] += 1;
        }
    }
    println!("open, found: {seen:?}");
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
}

/// Ways out of up to sixteen pairs at a time are those of each alone, at every level.
#[test]
fn ways_out_that_are_left_open_are_those_of_each_pair() {
    let mut numbers = Numbers(25);
    let (mut seen, mut open) = ([0; 4], super::Open::new());
    for group in 0..160 {
        // Large hulls are not left open, and some of a lattice have no way out that f32 finds.
        let pairs: Vec<_> = (0..1 + group % 24)
            .map(|case| {
                if case % 4 == 3 {
                    let (a, b) = (numbers.lattice(), numbers.lattice());
                    let place = (numbers.vec() * 6.0).round() * 0.5;
                    let pose_b = Pose::from_position(place).unwrap();
                    return (a, b, Relative::new(&Pose::IDENTITY, &pose_b));
                }
                let counts = [4, 8, 20, 32, 40];
                let (a, b) = (counts[case % 5], counts[(case / 5 + group) % 5]);
                let (a, b) = (numbers.hull(a), numbers.hull(b));
                let pose_b = Pose::new(numbers.vec() * 1.5, numbers.turn()).unwrap();
                (a, b, Relative::new(&Pose::IDENTITY, &pose_b))
            })
            .collect();
        let margin = [None, Some(0.0), Some(0.25)][group % 3];
        for level in SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name)) {
            let mut found: Vec<_> = (0..)
                .zip(&pairs)
                .map(|(name, (a, b, at))| open.look(level, (a, b), at, margin, name))
                .collect();
            open.ways_out(level, |name, exit| {
                assert_eq!(found[name], None, "group {group}: {name}");
                found[name] = exit;
                seen[if exit.is_some() { 0 } else { 1 }] += 1;
            });
            open.ways_out(level, |name, _| panic!("group {group}: {name} once more"));
            for (case, ((a, b, at), found)) in pairs.iter().zip(found).enumerate() {
                let told = super::way_out(level, &solid(a), &solid(b), at, margin);
                assert_eq!(found, told, "group {group}: {case}");
                match told {
                    Some(super::Glance::Exit(_)) => {}
                    Some(super::Glance::Near(_)) => seen[2] += 1,
                    _ => seen[3] += 1,
                }
            }
        }
    }
    println!("found, not found, near, else: {seen:?}");
    assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
}

#[test]
fn the_margin_changes_no_way_out() {
    let mut numbers = Numbers(20);
    let mut seen = Seen::default();
    for case in 0..600 {
        let (a, b) = (numbers.hull(16), numbers.hull(32));
        let pose_b = Pose::new(numbers.vec() * 1.5, numbers.turn()).unwrap();
        let at = Relative::new(&Pose::IDENTITY, &pose_b);
        let (solid_a, solid_b) = (solid(&a), solid(&b));
        let cores = Cores::new(&solid_a, &solid_b, &at);
        let of = |margin| super::way_out(SimdLevel::detected(), cores.a, cores.b, &at, margin);
        let [plain, with] = [of(Some(0.0)), of(Some(0.25))];
        match plain {
            Some(super::Glance::Exit(_)) => {
                seen[1] += 1;
                assert_eq!(with.is_some(), plain.is_some(), "case {case}");
                assert_eq!(with, plain, "case {case}");
            }
            Some(super::Glance::Apart) => {
                let is_apart = with == Some(super::Glance::Apart);
                seen[if is_apart { 0 } else { 2 }] += 1;
                let apart = cores.gap(cores.start()).distance;
                assert_eq!(is_apart, apart > 0.25, "case {case}: {apart}");
            }
            found => assert_eq!(found, None, "case {case}"),
        }
    }
    assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
}

/// Parallel faces have many nearest points; which are told must not depend on the limit, on which
/// a search among bodies in another order may ask with another one.
#[test]
fn the_limit_changes_no_nearest_points() {
    let mut numbers = Numbers(23);
    let corners = |half: Vec3| -> Vec<Vec3> {
        let side = |k: usize, bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
        (0..8).map(|k| half * Vec3::new(side(k, 1), side(k, 2), side(k, 4))).collect()
    };
    let mut apart = 0;
    for case in 0..2_000 {
        let mut hull = || {
            let half = (numbers.vec() + Vec3::splat(1.5)) * Vec3::new(1.0, 1.0, 0.25);
            Shape::convex_hull(&corners(half)).unwrap()
        };
        let (a, b) = (hull(), hull());
        let turn = if case % 2 == 0 { Quat::IDENTITY } else { Quat::from_rotation_z(0.6) };
        let pose_b = Pose::new(numbers.vec() * 4.0, turn).unwrap();
        let ask = |limit| crate::closest(&a, &Pose::IDENTITY, &b, &pose_b, limit);
        let told = ask(f32::INFINITY).unwrap();
        apart += usize::from(told.distance > 0.0);
        for limit in [told.distance, told.distance.next_up(), 0.25, 20.0, 100.0, f32::MAX] {
            let expected = (told.distance <= limit).then_some(told);
            assert_eq!(ask(limit), expected, "case {case}, limit {limit}");
            let distance = crate::distance(&a, &Pose::IDENTITY, &b, &pose_b);
            assert_eq!(distance.to_bits(), told.distance.max(0.0).to_bits(), "case {case}");
        }
    }
    assert!(apart > 200 && apart < 1_900, "{apart}");
}

/// The nearest corners in f32 lead to the same distance as the search in f64 from the start.
#[test]
fn nearest_corners_are_a_good_start() {
    let mut numbers = Numbers(21);
    let (mut apart, mut at_once) = (0, 0);
    for case in 0..3000 {
        let counts = [1, 2, 4, 8, 20, 32, 40, 64];
        let (a, b) = (numbers.hull(counts[case % 8]), numbers.hull(counts[case / 8 % 8]));
        let pose_a = Pose::new(numbers.vec() * 9.0, numbers.turn()).unwrap();
        let place = pose_a.position() + numbers.vec() * 2.0;
        let at = Relative::new(&pose_a, &Pose::new(place, numbers.turn()).unwrap());
        let (solid_a, solid_b) = (solid(&a), solid(&b));
        let cores = Cores::new(&solid_a, &solid_b, &at);
        let found = cores.looked(SimdLevel::detected(), None);
        let Some(super::Glance::Near(near)) = found else { continue };
        let told = cores.nearest(cores.start());
        let found = cores.nearest_from(&near, &Enough::NEVER).unwrap();
        let slack = 1e-11 * cores.size;
        apart += 1;
        at_once += usize::from(found.simplex.points().len() == near.count);
        assert!((found.distance - told.distance).abs() < slack, "{case}: {found:?} {told:?}");
        assert!(found.distance - found.lower_bound < slack, "{case}: {found:?} {told:?}");
        let between = found.point_b - found.point_a;
        assert!((between.length() - told.distance).abs() < slack, "{case}: {found:?} {told:?}");
    }
    println!("{apart} apart, {at_once} with as many corners");
    assert!(apart > 1000 && at_once > apart * 9 / 10, "{at_once} of {apart}");
}
