//! The oracle of polytopes against the older ones, which know other ways to the same answers, and
//! against the plain search through all faces.

use glam::Quat;

use super::{
    Contact, Polytope,
    difference::{Difference, Way},
    distance, nearest, raycast, relation, side_of_plane, sweep,
};
use crate::{
    check::{case_factor, for_each_case},
    generate::{Kind, pair, plane_case, ray_case, sweep_case},
    oracle::{self, Sweep, number::Fraction},
};
use glam::Vec3;
use impinge_shapes::Pose;

const PAIRS: [(Kind, Kind); 6] = [
    (Kind::Sphere, Kind::Sphere),
    (Kind::Sphere, Kind::Cuboid),
    (Kind::Cuboid, Kind::Sphere),
    (Kind::Capsule, Kind::Cuboid),
    (Kind::Capsule, Kind::Capsule),
    (Kind::Cuboid, Kind::Cuboid),
];

#[test]
fn the_older_oracles_agree_on_pairs() {
    let mut counts = [0; 3];
    for (a, b) in PAIRS {
        for_each_case(0xc0_17ac, 720, |_, rng| {
            let case = pair(crate::generate::Class::ALL[rng.below(12)], a, b, rng);
            let first = Polytope::of(&case.a, &case.pose_a).ok_or("no polytope")?;
            let second = Polytope::of(&case.b, &case.pose_b).ok_or("no polytope")?;
            let found = relation(&first, &second);
            counts[found as usize] += 1;
            let older = oracle::overlaps(&case.a, &case.pose_a, &case.b, &case.pose_b);
            if older != Some(found != Contact::Apart) {
                return Err(format!("{found:?} for {case:?}"));
            }
            if relation(&second, &first) != found {
                return Err(format!("not {found:?} when exchanged, for {case:?}"));
            }
            let here = distance(&first, &second);
            let fits = match found {
                Contact::Apart => here > 0.0,
                Contact::Touching => here.abs() <= 0.0,
                Contact::Penetrating => here < 0.0,
            };
            if !fits {
                return Err(format!("{here} for {found:?} of {case:?}"));
            }
            let older = oracle::distance(&case.a, &case.pose_a, &case.b, &case.pose_b);
            match older {
                // The older one takes roots before differences.
                Some(older) => {
                    let size = case.a.aabb(&Pose::IDENTITY).half_extents().as_dvec3().length()
                        + case.b.aabb(&Pose::IDENTITY).half_extents().as_dvec3().length();
                    let near = (here - older).abs() <= 1e-12 * older.abs() + 1e-14 * size;
                    if near { Ok(()) } else { Err(format!("{here}, not {older}, for {case:?}")) }
                }
                None => Ok(()),
            }
        });
    }
    assert!(counts.iter().all(|&n| n > 100), "{counts:?}");
}

#[test]
fn the_older_oracles_agree_on_sweeps() {
    let mut counts = [0; 6];
    for (a, b) in PAIRS {
        for_each_case(0x53e9, 480, |class, rng| {
            let case = sweep_case(class, a, b, rng);
            let pair = &case.pair;
            let way = case.displacement;
            let Some(older) = oracle::sweep(&pair.a, &pair.pose_a, way, &pair.b, &pair.pose_b)
            else {
                return Ok(());
            };
            let first = Polytope::of(&pair.a, &pair.pose_a).ok_or("no polytope")?;
            let second = Polytope::of(&pair.b, &pair.pose_b).ok_or("no polytope")?;
            let found = sweep(&first, way, &second);
            let same = match (&older, &found) {
                (Sweep::Miss, Sweep::Miss) => Some(0),
                (Sweep::StartOverlapping, Sweep::StartOverlapping) => Some(1),
                (
                    Sweep::StartTouching { enters: Some(older) },
                    Sweep::StartTouching { enters: Some(found) },
                ) => (older == found).then_some(2 + usize::from(*found)),
                (Sweep::StartTouching { .. }, Sweep::StartTouching { .. }) => Some(4),
                (
                    Sweep::Hit { time: older, incidence: expected },
                    Sweep::Hit { time: found, incidence },
                ) => {
                    let (older, found) = (older.to_f64(), found.to_f64());
                    let near =
                        (older - found).abs() <= 1e-13 * older && *incidence >= expected - 1e-5;
                    // At an edge, the older oracle takes one of its faces.
                    near.then_some(5)
                }
                _ => None,
            };
            let same = same.ok_or_else(|| format!("{found:?}, not {older:?}, for {case:?}"))?;
            counts[same] += 1;
            Ok(())
        });
    }
    assert!(counts.iter().all(|&n| n >= 5), "{counts:?}");
}

#[test]
fn the_older_oracles_agree_on_rays_and_planes() {
    let mut counts = [0; 5];
    for kind in [Kind::Sphere, Kind::Cuboid, Kind::Capsule] {
        for_each_case(0x7a11, 960, |class, rng| {
            let case = ray_case(class, kind, rng);
            let (ray, limit) = (&case.ray, case.max_distance);
            let older = oracle::raycast(&case.shape, &case.pose, ray, limit).ok_or("no oracle")?;
            let body = Polytope::of(&case.shape, &case.pose).ok_or("no polytope")?;
            let found = raycast(&body, ray, limit);
            counts[usize::from(found.is_some())] += 1;
            let near = match (&older, &found) {
                (None, None) => true,
                (Some(older), Some(found)) => {
                    (older.to_f64() - found.to_f64()).abs() <= 1e-13 * older.to_f64()
                }
                _ => false,
            };
            if !near {
                return Err(format!("{found:?}, not {older:?}, for {case:?}"));
            }
            let case = plane_case(class, kind, rng);
            let older = oracle::side_of_plane(&case.shape, &case.pose, &case.plane);
            let body = Polytope::of(&case.shape, &case.pose).ok_or("no polytope")?;
            let found = side_of_plane(&body, &case.plane);
            counts[2 + found as usize] += 1;
            if older == Some(found) {
                Ok(())
            } else {
                Err(format!("{found:?}, not {older:?}, for {case:?}"))
            }
        });
    }
    assert!(counts.iter().all(|&n| n > 20), "{counts:?}");
}

/// The least overlap along all normals of faces that the points of a difference could have.
fn depth_by_all_triples(difference: &Difference) -> Option<Fraction> {
    let points: Vec<_> =
        difference.b.iter().flat_map(|b| difference.a.iter().map(|a| b.minus(a))).collect();
    let mut least: Option<Fraction> = None;
    for (i, p) in points.iter().enumerate() {
        for (j, q) in points.iter().enumerate().skip(i + 1) {
            for r in points.iter().skip(j + 1) {
                let n = q.minus(p).cross(&r.minus(p));
                let offset = n.dot(p);
                let sides: Vec<_> = points.iter().map(|x| n.dot(x).cmp(&offset)).collect();
                let is_face = !(sides.iter().any(|s| s.is_lt()) && sides.iter().any(|s| s.is_gt()));
                if !n.is_zero() && is_face {
                    let square = Fraction::new(&offset * &offset, n.dot(&n));
                    least = Some(least.map_or(square.clone(), |least| least.min(square)));
                }
            }
        }
    }
    least
}

/// Points on a coarse lattice, so that many lie in common planes and on common lines.
fn lattice(rng: &mut crate::rng::Rng, most: usize) -> Polytope {
    let spread = rng.pick(&[0.25_f32, 0.5, 1.0]);
    let mut point = || {
        let mut coordinate = || rng.pick(&[-2.0_f32, -1.0, 0.0, 1.0, 2.0]);
        Vec3::new(coordinate(), coordinate(), coordinate())
    };
    let vertices: Vec<Vec3> = (0..most).map(|_| point()).collect();
    let position = point() * spread;
    let turns = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 2.0]];
    let turn = Quat::from_array(rng.pick(&turns));
    let pose = Pose::new(position, turn).expect("whole numbers are finite");
    Polytope { vertices, pose, radius: 0.0, margin: 0.0 }
}

#[test]
fn the_plain_search_finds_the_same_depth() {
    let mut counts = [0; 3];
    for seed in 0..800 * case_factor() {
        let rng = &mut crate::rng::Rng::stream(0xdee9, seed);
        let (few, more) = (1 + rng.below(4), 1 + rng.below(4));
        let (mut a, mut b) = (lattice(rng, few), lattice(rng, more));
        if rng.one_in(3) {
            // Both in one plane.
            for body in [&mut a, &mut b] {
                body.vertices.iter_mut().for_each(|v| v.z = 0.0);
                let position = body.pose.position() * Vec3::new(1.0, 1.0, 0.0);
                body.pose = Pose::new(position, body.pose.rotation()).expect("still finite");
            }
        }
        let difference = Difference::new(&a, &b, &Way::none());
        let found = nearest(&difference);
        if !found.is_origin() {
            counts[0] += 1;
            continue;
        }
        match super::expand::room(&difference, &found) {
            super::expand::Room::Flat => {
                counts[1] += 1;
                assert_eq!(relation(&a, &b), Contact::Touching, "seed {seed}");
            }
            super::expand::Room::Depth { square, .. } => {
                counts[2] += 1;
                let expected = depth_by_all_triples(&difference).expect("there are faces");
                assert_eq!(square, expected, "seed {seed}: {a:?} and {b:?}");
            }
        }
    }
    assert!(counts.iter().all(|&n| n > 20), "{counts:?}");
}

/// A sweep hits if what the mover passes over meets the target; and at the hit, they touch.
#[test]
fn sweeps_of_lattice_points_stop_at_the_touch() {
    let mut counts = [0; 4];
    for seed in 0..2_000 * case_factor() {
        let rng = &mut crate::rng::Rng::stream(0x5eeb, seed);
        let (few, more) = (1 + rng.below(5), 1 + rng.below(5));
        let (mut a, b) = (lattice(rng, few), lattice(rng, more));
        a.radius = rng.pick(&[0.0, 0.0, 1.0, 2.0]);
        let mut step = || rng.pick(&[-3.0_f32, -1.0, 0.0, 0.0, 2.0]);
        let way = Vec3::new(step(), step(), step());
        let difference = Difference::new(&a, &b, &Way::of(way));
        let swept = difference.swept();
        let meets = nearest(&swept).square <= swept.reach();
        let started = relation(&a, &b);
        let told = format!("seed {seed}: {a:?} by {way} to {b:?}");
        match sweep(&a, way, &b) {
            Sweep::Miss => {
                counts[0] += 1;
                assert!(!meets, "{told}");
            }
            Sweep::Hit { time, incidence } => {
                counts[1] += 1;
                assert!(meets && started == Contact::Apart, "{told}");
                assert!((0.0..=1.0).contains(&incidence), "{told}");
                let (low, high) = match time {
                    oracle::Time::Exact(time) => {
                        let just_before = Fraction::of_f64(time.to_f64() * (1.0 - 1e-15));
                        (just_before, time)
                    }
                    oracle::Time::Between(low, high) => (low, high),
                    oracle::Time::Root(_) => panic!("{told}"),
                };
                let is_in_reach = |time: &Fraction| {
                    let there = difference.at(time);
                    nearest(&there).square <= there.reach()
                };
                assert!(!is_in_reach(&low) && is_in_reach(&high), "{told}");
                assert!(high.to_f64() - low.to_f64() <= 1e-14 * high.to_f64(), "{told}");
            }
            Sweep::StartOverlapping => {
                counts[2] += 1;
                assert_eq!(started, Contact::Penetrating, "{told}");
            }
            Sweep::StartTouching { enters } => {
                counts[3] += 1;
                assert_eq!(started, Contact::Touching, "{told}");
                let Some(enters) = enters else { continue };
                let moved = super::start(&difference.at(&Fraction::of_f64(1e-9)));
                assert_eq!(moved.contact == Contact::Penetrating, enters, "{told}");
            }
        }
    }
    assert!(counts.iter().all(|&n| n > 10), "{counts:?}");
}
