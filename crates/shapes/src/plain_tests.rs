//! Rays in plain f64 beside those in exact arithmetic.

use glam::{Quat, Vec3};

use crate::crossing::{Found, Limits};
use crate::{Capsule, Compound, HalfSpace, Pose, Ray, RayOptions, Shape, ShapeRayHit};

const CASES: u64 = 12_000;

/// Source: Steele, Lea & Flood, *Fast splittable pseudorandom number generators* (2014).
pub(crate) struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: u64) -> usize {
        usize::try_from(self.next() % count).unwrap_or(0)
    }

    /// A number from -1 to 1, on a lattice if asked.
    fn number(&mut self, lattice: bool) -> f32 {
        if lattice {
            [-1.0, -0.5, 0.0, 0.5, 1.0][self.below(5)]
        } else {
            f32::from(u16::try_from(self.next() >> 48).unwrap_or(0)) / 32768.0 - 1.0
        }
    }

    fn vector(&mut self, lattice: bool) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| self.number(lattice)))
    }

    fn pose(&mut self, lattice: bool, at: Vec3) -> Pose {
        loop {
            let q = Quat::from_array([(); 4].map(|()| self.number(lattice)));
            if let Ok(pose) = Pose::new(at, q) {
                return pose;
            }
        }
    }
}

struct Case {
    scale: f32,
    lattice: bool,
    pose: Pose,
    ray: Ray,
    max: f32,
}

/// A ray at what lies around the pose: on a lattice, from afar, from near, from within.
fn drawn(random: &mut Random) -> Case {
    let lattice = random.below(3) == 0;
    let powers = [1e-3, 1e-2, 0.1, 1.0, 10.0, 1e2, 1e3, 1e4];
    let scale = if lattice { 1.0 } else { powers[random.below(8)] };
    let far = if random.below(4) == 0 { random.vector(true) * 1024.0 } else { Vec3::ZERO };
    let at = far + random.vector(lattice) * scale;
    let pose = random.pose(lattice, at);
    let away = [0.5, 2.0, 2.0, 64.0][random.below(4)];
    let ray = loop {
        let from = at + random.vector(lattice) * scale * away;
        let to = at + random.vector(lattice) * scale;
        if let Ok(ray) = Ray::new(from, to - from) {
            break ray;
        }
    };
    let max = [f32::INFINITY, 100.0 * scale, scale, 2.0 * scale][random.below(4)];
    Case { scale, lattice, pose, ray, max }
}

/// Whether the hit is that of exact arithmetic, up to rounding.
fn assert_alike(found: Found, exact: Found, case: &Case, limits: &Limits, name: &str) -> bool {
    let [found, exact] = [found, exact].map(|found| found.hit(&case.ray, limits));
    let (Some(found), Some(exact)) = (found, exact) else {
        assert_eq!(found.is_some(), exact.is_some(), "{name}: {found:?} {exact:?}");
        return false;
    };
    let off = (found.distance - exact.distance).abs();
    assert!(off <= exact.distance * f32::EPSILON, "{name}: {found:?} {exact:?}");
    assert!((found.normal - exact.normal).length() <= 2e-7, "{name}: {found:?} {exact:?}");
    assert_eq!(found.started_inside, exact.started_inside, "{name}: {found:?} {exact:?}");
    true
}

/// Asks both ways; `plain` and `exact` are told about the case and draw their shape from `random`.
fn check(ask: impl Fn(&mut Random, &Case, &Limits) -> Option<(Option<Found>, Found, String)>) {
    let (mut hits, mut misses, mut left) = (0, 0, 0);
    for seed in 0..CASES {
        let mut random = Random(seed);
        let case = drawn(&mut random);
        let limits = Limits::new(case.max, &RayOptions::default()).unwrap();
        let Some((plain, exact, name)) = ask(&mut random, &case, &limits) else { continue };
        let name = format!("seed {seed}: {name} {:?} {:?} {}", case.pose, case.ray, case.max);
        match plain {
            None => left += 1,
            Some(found) if assert_alike(found, exact, &case, &limits, &name) => hits += 1,
            Some(_) => misses += 1,
        }
    }
    assert!(hits > 1000 && misses > 1000 && left > 50, "{hits} hits, {misses} misses, {left} left");
}

#[test]
fn half_spaces_are_told_plainly_or_left() {
    check(|random, case, limits| {
        let offset = random.number(case.lattice) * case.scale;
        let it = HalfSpace::new(random.vector(case.lattice), offset).ok()?;
        let exact = it.exactly(&case.pose, &case.ray, limits);
        Some((it.plainly(&case.pose, &case.ray, limits), exact, format!("{it:?}")))
    });
}

#[test]
fn capsules_are_told_plainly_or_left() {
    check(|random, case, limits| {
        let [a, b] = [(); 2].map(|()| random.vector(case.lattice) * case.scale);
        let radius = random.number(case.lattice).abs() * case.scale * 0.5;
        let it = Capsule::new(a, b, radius).ok()?;
        let exact = it.exactly(&case.pose, &case.ray, limits);
        Some((it.plainly(&case.pose, &case.ray, limits), exact, format!("{it:?}")))
    });
}

#[test]
fn no_part_that_is_hit_is_passed() {
    let (mut hits, mut misses) = (0, 0);
    for seed in 0..CASES {
        let mut random = Random(seed);
        let case = drawn(&mut random);
        let parts: Vec<(Pose, Shape)> = (0..4)
            .filter_map(|kind| {
                let at = random.vector(case.lattice) * case.scale;
                let pose = random.pose(case.lattice, at);
                let size = random.vector(case.lattice).abs() * case.scale * 0.5;
                let shape = match kind {
                    0 => Shape::sphere(size.x).ok()?,
                    1 => Shape::capsule(-size, size, size.y).ok()?,
                    2 => Shape::cylinder(size.x, size.y).ok()?,
                    _ => Shape::cuboid(size).ok()?,
                };
                Some((pose, shape))
            })
            .collect();
        let Ok(compound) = Compound::new(parts) else { continue };
        let options = RayOptions::default();
        let found = compound.raycast(&case.pose, &case.ray, case.max, &options);
        let mut best: Option<ShapeRayHit> = None;
        for (part, at, shape) in compound.placed(&case.pose) {
            let hit = shape.raycast(&at, &case.ray, case.max, &options);
            if let Some(hit) =
                hit.filter(|hit| best.is_none_or(|best| hit.distance < best.distance))
            {
                best = Some(ShapeRayHit { part, ..hit });
            }
        }
        assert_eq!(found, best, "seed {seed}: {compound:?} {:?} {:?}", case.pose, case.ray);
        hits += u64::from(found.is_some());
        misses += u64::from(found.is_none());
    }
    assert!(hits > 2000 && misses > 2000, "{hits} hits, {misses} misses");
}
