//! Batches answer to the bit what the single functions answer.

use std::fmt::Debug;

use impinge_narrowphase::batch::{self, PairOf, PairRef, PlacedPair};
use impinge_narrowphase::{self as narrow, Manifold};
use impinge_shapes::Shape;
use impinge_shapes::simd::SimdLevel;
use impinge_testkit::{
    check::for_each_case,
    generate::{Kind, PairCase, pair},
    rng::Rng,
};

fn levels() -> Vec<SimdLevel> {
    SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name)).collect()
}

/// Cases of all classes of every ordered pair of kinds, shuffled.
fn cases(seed: u64, each: usize) -> Vec<PairCase> {
    let mut cases = Vec::new();
    for a in Kind::ALL {
        for b in Kind::ALL {
            for_each_case(seed, each, |class, rng| {
                cases.push(pair(class, a, b, rng));
                Ok(())
            });
        }
    }
    let mut rng = Rng::new(seed);
    for k in (1..cases.len()).rev() {
        cases.swap(k, rng.below(k + 1));
    }
    cases
}

fn references(cases: &[PairCase]) -> Vec<PairRef<'_>> {
    cases
        .iter()
        .map(|case| PairOf { a: &case.a, pose_a: &case.pose_a, b: &case.b, pose_b: &case.pose_b })
        .collect()
}

/// Compares by the printed numbers, which tell -0 from 0 and are different for different bits.
fn assert_same<T: Debug>(
    expected: &[T],
    found: &[T],
    cases: &[PairCase],
    what: &str,
    level: SimdLevel,
) {
    assert_eq!(expected.len(), found.len());
    for ((one, other), case) in expected.iter().zip(found).zip(cases) {
        let (one, other) = (format!("{one:?}"), format!("{other:?}"));
        assert!(one == other, "{what}, {}: {one}\nbatch: {other}\n{case:?}", level.name());
    }
}

const LIMITS: [f32; 4] = [-0.05, 0.0, 0.2, f32::INFINITY];

#[test]
fn any_mix_of_kinds_answers_as_one_by_one() {
    let cases = cases(0xba7c, 48);
    let pairs = references(&cases);
    let overlaps: Vec<bool> =
        cases.iter().map(|c| narrow::overlaps(&c.a, &c.pose_a, &c.b, &c.pose_b)).collect();
    let yes = overlaps.iter().filter(|&&yes| yes).count();
    assert!(yes > cases.len() / 5 && yes < cases.len() * 4 / 5, "{yes} of {}", cases.len());
    for level in levels() {
        let mut found = Vec::new();
        batch::overlaps(&pairs, level, &mut found);
        assert_same(&overlaps, &found, &cases, "overlaps", level);
    }
    for limit in LIMITS {
        let closest: Vec<_> = cases
            .iter()
            .map(|c| narrow::closest(&c.a, &c.pose_a, &c.b, &c.pose_b, limit))
            .collect();
        let manifolds: Vec<_> = cases
            .iter()
            .map(|c| narrow::manifolds(&c.a, &c.pose_a, &c.b, &c.pose_b, limit))
            .collect();
        for level in levels() {
            let mut found = Vec::new();
            batch::closest(&pairs, limit, level, &mut found);
            assert_same(&closest, &found, &cases, "closest", level);
            let mut found = Vec::new();
            batch::manifolds(&pairs, limit, level, &mut found);
            assert_same(&manifolds, &found, &cases, "manifolds", level);
        }
    }
}

/// Asks the module of a pair for every length up to three blocks of its lanes.
macro_rules! typed {
    ($name:ident, $module:ident, $a:ident, $b:ident, $seed:literal) => {
        #[test]
        fn $name() {
            let mut cases = Vec::new();
            for_each_case($seed, 600, |class, rng| {
                cases.push(pair(class, Kind::$a, Kind::$b, rng));
                Ok(())
            });
            let pairs: Vec<_> = cases
                .iter()
                .filter_map(|case| match (&case.a, &case.b) {
                    (Shape::$a(a), Shape::$b(b)) => {
                        Some(PairOf { a, pose_a: &case.pose_a, b, pose_b: &case.pose_b })
                    }
                    _ => None,
                })
                .collect();
            assert_eq!(pairs.len(), cases.len());
            let held: Vec<_> = pairs
                .iter()
                .map(|pair| PlacedPair {
                    a: *pair.a,
                    pose_a: *pair.pose_a,
                    b: *pair.b,
                    pose_b: *pair.pose_b,
                })
                .collect();
            let (mut overlaps, mut closest, mut manifolds) = (vec![], vec![], vec![]);
            let limit = 0.1;
            for level in levels() {
                let mut first = 0;
                for length in (0..50).cycle() {
                    if first + length > pairs.len() {
                        break;
                    }
                    let (run, of) = (&pairs[first..first + length], &cases[first..first + length]);
                    batch::$module::overlaps(run, level, &mut overlaps);
                    let one = |c: &PairCase| narrow::overlaps(&c.a, &c.pose_a, &c.b, &c.pose_b);
                    assert_same(
                        &of.iter().map(one).collect::<Vec<_>>(),
                        &overlaps,
                        of,
                        "overlaps",
                        level,
                    );
                    batch::$module::closest(run, limit, level, &mut closest);
                    let one =
                        |c: &PairCase| narrow::closest(&c.a, &c.pose_a, &c.b, &c.pose_b, limit);
                    assert_same(
                        &of.iter().map(one).collect::<Vec<_>>(),
                        &closest,
                        of,
                        "closest",
                        level,
                    );
                    batch::$module::manifolds(run, limit, level, &mut manifolds);
                    let one = |c: &PairCase| -> Option<Manifold> {
                        narrow::manifold(&c.a, &c.pose_a, &c.b, &c.pose_b, limit)
                    };
                    assert_same(
                        &of.iter().map(one).collect::<Vec<_>>(),
                        &manifolds,
                        of,
                        "manifolds",
                        level,
                    );
                    first += length;
                }
                assert!(first > 500, "{first}");
                let mut borrowed = vec![];
                batch::$module::closest(&pairs, limit, level, &mut borrowed);
                batch::$module::closest(&held, limit, level, &mut closest);
                assert_same(&borrowed, &closest, &cases, "closest of held pairs", level);
                let found = closest.iter().flatten().count();
                assert!(found > 100 && found < closest.len(), "{found}");
            }
        }
    };
}

typed!(two_capsules, capsule_capsule, Capsule, Capsule, 0xcaca);
typed!(a_capsule_and_a_sphere, capsule_sphere, Capsule, Sphere, 0xca5b);
typed!(two_boxes, cuboid_cuboid, Cuboid, Cuboid, 0xb0b0);
typed!(a_box_and_a_sphere, cuboid_sphere, Cuboid, Sphere, 0xb05b);
typed!(two_spheres, sphere_sphere, Sphere, Sphere, 0x5b5b);
