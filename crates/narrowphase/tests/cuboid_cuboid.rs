//! Boxes against boxes: known answers, exact touching, degenerate boxes, and random pairs whose
//! queries must agree with each other.

use impinge_narrowphase::pairs::cuboid_cuboid::{closest, manifold, relation, sweep};
use impinge_narrowphase::{Relation, Relative};
use impinge_shapes::glam::{DVec3, Quat, Vec3};
use impinge_shapes::{Cuboid, Pose};

/// A small generator of repeatable numbers.
///
/// - Source: Steele, Lea & Flood, *Fast splittable pseudorandom number generators* (2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn within(&mut self, low: f32, high: f32) -> f32 {
        let bits = u16::try_from(self.next() >> 48).unwrap_or(0);
        low + (high - low) * (f32::from(bits) / 65536.0)
    }

    fn axis(&mut self) -> usize {
        usize::try_from(self.next() % 3).unwrap_or(0)
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.next().is_multiple_of(n)
    }

    fn vector(&mut self, reach: f32) -> Vec3 {
        Vec3::from_array([0, 1, 2].map(|_| self.within(-reach, reach)))
    }

    fn rotation(&mut self) -> Quat {
        Quat::from_array([0, 1, 2, 3].map(|_| self.within(-1.0, 1.0)))
    }
}

fn cuboid(half_extents: impl Into<Vec3>) -> Cuboid {
    Cuboid::new(half_extents.into()).expect("valid half extents")
}

fn pose(position: impl Into<Vec3>, rotation: Quat) -> Pose {
    Pose::new(position.into(), rotation).expect("valid pose")
}

struct Pair {
    a: Cuboid,
    b: Cuboid,
    at_a: Pose,
    at_b: Pose,
}

impl Pair {
    fn relative(&self) -> Relative {
        Relative::new(&self.at_a, &self.at_b)
    }

    fn flipped(&self) -> Self {
        Self { a: self.b, b: self.a, at_a: self.at_b, at_b: self.at_a }
    }

    fn random(random: &mut Random) -> Self {
        let mut half = || {
            let mut half = (random.vector(1.0) + Vec3::ONE) * 0.75;
            if random.one_in(4) {
                half[random.axis()] = 0.0;
            }
            if random.one_in(8) {
                half[random.axis()] = 0.0;
            }
            cuboid(half)
        };
        let (a, b) = (half(), half());
        let at_a = pose(random.vector(1.0), random.rotation());
        let at_b = pose(random.vector(1.75), random.rotation());
        Self { a, b, at_a, at_b }
    }
}

fn size(pair: &Pair) -> f64 {
    let sum = |v: Vec3| f64::from(v.abs().element_sum());
    sum(pair.a.half_extents())
        + sum(pair.b.half_extents())
        + sum(pair.at_b.position() - pair.at_a.position())
}

/// How far a point in the frame of a box is outside it.
fn outside(cuboid: &Cuboid, point: DVec3) -> f64 {
    (point.abs() - cuboid.half_extents().as_dvec3()).max_element()
}

fn moved(pair: &Pair, by: DVec3) -> Pair {
    let at = pair.at_b.translation() + by;
    let position = Vec3::from_array(at.to_array().map(impinge_shapes::round::nearest));
    Pair { at_b: pose(position, pair.at_b.rotation()), ..*pair }
}

#[test]
fn depths_that_peers_got_wrong() {
    let first = Pair {
        a: cuboid([0.407_455_77, 0.509_751_6, 0.472_506_7]),
        b: cuboid([0.707_055_3, 0.686_152_6, 0.323_586_46]),
        at_a: pose(
            [250.1714, 0.481_038, 53.436_848],
            Quat::from_xyzw(0.461_800_7, 0.561_586_14, 0.588_830_95, -0.353_042_87),
        ),
        at_b: pose(
            [251.48564, 1.237_220_4, 53.09353],
            Quat::from_xyzw(0.265_647_74, 0.085_019_14, -0.348_037_33, 0.895_026_86),
        ),
    };
    let second = Pair {
        a: cuboid([2.494_981, 1.670_790_2, 1.087_987_5]),
        b: cuboid([0.199_923_74, 0.139_655_55, 0.198_026_66]),
        at_a: pose(
            [73.49193, 35.3338, 1.566_285_1],
            Quat::from_xyzw(-0.261_053_38, 0.963_163, -0.065_404_244, -0.016_592_9),
        ),
        at_b: pose(
            [72.57556, 35.117794, 1.096_991_1],
            Quat::from_xyzw(-0.218_008, -0.892_531_16, 0.278_427_1, -0.279_891_07),
        ),
    };
    for (pair, exact, tolerance) in [(&first, -0.030_468, 1e-6), (&second, -0.902, 5e-4)] {
        for pair in [pair, &pair.flipped()] {
            let found = closest(&pair.a, &pair.b, &pair.relative());
            assert!((found.distance - exact).abs() < tolerance, "{found:?}");
            let patch = manifold(&pair.a, &pair.b, &pair.relative(), 0.0).unwrap();
            let deepest = patch.points.iter().map(|p| p.distance).fold(0.0, f64::min);
            assert!((deepest - exact).abs() < 2.0 * tolerance, "{patch:?}");
        }
    }
}

#[test]
fn random_pairs_agree_with_themselves() {
    let mut counts = [0; 3];
    for seed in 0..10_000 {
        let pair = Pair::random(&mut Random(seed));
        let relative = pair.relative();
        let relation = relation(&pair.a, &pair.b, &relative);
        let found = closest(&pair.a, &pair.b, &relative);
        counts[relation as usize] += 1;
        let sign = match relation {
            Relation::Apart => found.distance > 0.0,
            Relation::Touching => found.distance.abs() <= 0.0,
            Relation::Penetrating => found.distance < 0.0,
        };
        let size = size(&pair);
        assert!(sign, "seed {seed}: {relation:?} {found:?}");
        let gap = found.point_b - found.point_a - found.normal * found.distance;
        assert!(gap.length() < 1e-12 * size, "seed {seed}: {found:?}");
        assert!((found.normal.length() - 1.0).abs() < 1e-12, "seed {seed}: {found:?}");
        let in_b = relative.vector_to_b(found.point_b - relative.translation());
        assert!(outside(&pair.a, found.point_a) < 1e-10 * size, "seed {seed}: {found:?}");
        assert!(outside(&pair.b, in_b) < 1e-10 * size, "seed {seed}: {found:?}");

        let flipped = pair.flipped();
        let other = closest(&flipped.a, &flipped.b, &flipped.relative());
        assert!((other.distance - found.distance).abs() < 1e-11 * size, "seed {seed}");

        // Moving B by -distance * normal leaves the two just touching.
        let by = relative.vector_to_world(-found.normal * found.distance);
        let touching = moved(&pair, by);
        let after = closest(&touching.a, &touching.b, &touching.relative());
        assert!(after.distance.abs() < 1e-6 * size, "seed {seed}: {after:?}");

        for margin in [0.0, 0.25] {
            let patch = manifold(&pair.a, &pair.b, &relative, margin);
            assert_eq!(patch.is_some(), found.distance <= margin, "seed {seed}: {found:?}");
            let Some(patch) = patch else { continue };
            assert!((1..=4).contains(&patch.points.len()));
            assert!(patch.points.is_sorted_by_key(|p| p.feature));
            let mut deepest = f64::INFINITY;
            for p in &patch.points {
                let gap = p.point_b - p.point_a - patch.normal * p.distance;
                assert!(gap.length() < 1e-12 * size, "seed {seed}: {patch:?}");
                assert!(p.distance <= margin);
                let in_b = relative.vector_to_b(p.point_b - relative.translation());
                assert!(outside(&pair.a, p.point_a).abs() < 1e-10 * size, "seed {seed}: {patch:?}");
                assert!(outside(&pair.b, in_b).abs() < 1e-10 * size, "seed {seed}: {patch:?}");
                deepest = deepest.min(p.distance);
            }
            let slack = 1e-10 * size + 1e-3 * found.distance.abs();
            assert!((deepest - found.distance).abs() < slack, "seed {seed}: {patch:?} {found:?}");
        }
    }
    assert!(counts[0] > 2000 && counts[2] > 2000, "{counts:?}");
}

#[test]
fn random_sweeps_end_in_touch() {
    let (mut hits, mut misses) = (0, 0);
    for seed in 0..10_000 {
        let mut random = Random(seed);
        let pair = Pair::random(&mut random);
        if relation(&pair.a, &pair.b, &pair.relative()) != Relation::Apart {
            continue;
        }
        let motion = random.vector(3.0);
        let size = size(&pair) + f64::from(motion.abs().element_sum());
        let path = |fraction: f64| {
            let there = moved(&pair, motion.as_dvec3() * fraction);
            closest(&there.a, &there.b, &there.relative()).distance
        };
        if let Some(impact) = sweep(&pair.a, &pair.b, &pair.relative(), motion) {
            hits += 1;
            assert!((0.0..=1.0).contains(&impact.fraction), "seed {seed}");
            let at = path(impact.fraction);
            assert!(at.abs() < 1e-6 * size, "seed {seed}: {at} {impact:?}");
            let along = pair.relative().vector_from_world(motion.as_dvec3());
            assert!(impact.normal.dot(along) <= 0.0, "seed {seed}");
            assert!(outside(&pair.a, impact.point).abs() < 1e-6 * size, "seed {seed}: {impact:?}");
            for k in 1..8 {
                let before = path(impact.fraction * f64::from(k) / 8.0);
                assert!(before > -1e-6 * size, "seed {seed}: {before}");
            }
        } else {
            misses += 1;
            for k in 0..=16 {
                let there = path(f64::from(k) / 16.0);
                assert!(there > -1e-6 * size, "seed {seed}: {there}");
            }
        }
    }
    assert!(hits > 1000 && misses > 1000, "{hits} {misses}");
}
