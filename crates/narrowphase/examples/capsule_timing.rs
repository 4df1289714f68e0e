//! Time per pair of a capsule and a box, single and in batches, on near pairs of which half overlap.
#![expect(clippy::disallowed_methods, reason = "this example measures times")]
#![expect(clippy::print_stdout, reason = "prints its result")]

use std::error::Error;
use std::time::Instant;

use impinge_narrowphase::batch::{self, AsPair, PairRef, PlacedPair, capsule_cuboid};
use impinge_narrowphase::{Closest, Manifold, closest, manifold, overlaps};
use impinge_shapes::glam::{Quat, Vec3};
use impinge_shapes::simd::{SimdLevel, simd_level};
use impinge_shapes::{Capsule, Cuboid, Pose, Shape};

struct Random(u64);

impl Random {
    fn within(&mut self, low: f32, high: f32) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let bits = u16::try_from(self.0 >> 48).unwrap_or(0);
        low + (high - low) * (f32::from(bits) / 65536.0)
    }

    fn vector(&mut self, reach: f32) -> Vec3 {
        Vec3::from_array([0; 3].map(|_| self.within(-reach, reach)))
    }

    fn pose(&mut self, at: Vec3) -> Result<Pose, impinge_shapes::PoseError> {
        Pose::new(at, Quat::from_array([0; 4].map(|_| self.within(-1.0, 1.0))))
    }
}

/// Pairs that are apart or overlap by less than 0.3, as many of the ones as of the others.
fn near(count: usize) -> Result<Vec<PlacedPair<Capsule, Cuboid>>, Box<dyn Error>> {
    let (mut random, mut pairs) = (Random(7), Vec::new());
    while pairs.len() < count {
        let a = Capsule::along_y(random.within(0.25, 0.75), random.within(0.15, 0.4))?;
        let b = Cuboid::new(Vec3::splat(0.5) + random.vector(0.25))?;
        let (at, by) = (random.vector(50.0), random.vector(1.5));
        let (pose_a, pose_b) = (random.pose(at)?, random.pose(at + by)?);
        let found = closest(&a.into(), &pose_a, &b.into(), &pose_b, 0.3);
        let wanted = pairs.len() % 2 == 0;
        if found.is_some_and(|found| found.distance > -0.3 && (found.distance > 0.0) == wanted) {
            pairs.push(PlacedPair { a, pose_a, b, pose_b });
        }
    }
    // In no order that a branch could learn.
    for k in (1..pairs.len()).rev() {
        let other = random.within(0.0, 1.0) * f32::from(u16::try_from(k)?);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below k")]
        pairs.swap(k, other as usize);
    }
    Ok(pairs)
}

type Run<'r> = (&'r str, Box<dyn FnMut() + 'r>);

/// The least times of many rounds that take turns, because the machine may have other work.
fn times(count: usize, mut runs: Vec<Run<'_>>) {
    let mut least = vec![f64::INFINITY; runs.len()];
    for _ in 0..300 {
        for ((_, run), least) in runs.iter_mut().zip(&mut least) {
            let start = Instant::now();
            run();
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    for ((name, _), least) in runs.iter().zip(least) {
        println!("{name:32} {:8.1} ns", least * 1e9 / f64::from(u32::try_from(count).unwrap_or(1)));
    }
}

/// The same pairs as the batch of any kinds has them, the box first, and of a known kind.
struct Pairs<'p> {
    refs: Vec<PairRef<'p>>,
    known: &'p [PlacedPair<Capsule, Cuboid>],
    level: SimdLevel,
}

impl Pairs<'_> {
    fn overlaps(&self) {
        let (mut single, mut batch, mut known) = (Vec::new(), Vec::new(), Vec::new());
        let one = |pair: &PairRef<'_>| overlaps(pair.a, pair.pose_a, pair.b, pair.pose_b);
        let runs: Vec<Run<'_>> = vec![
            (
                "overlaps, single",
                Box::new(|| {
                    single.clear();
                    single.extend(self.refs.iter().map(one));
                }),
            ),
            ("overlaps, batch", Box::new(|| batch::overlaps(&self.refs, self.level, &mut batch))),
            (
                "overlaps, of a kind",
                Box::new(|| capsule_cuboid::overlaps(self.known, self.level, &mut known)),
            ),
        ];
        times(self.known.len(), runs);
        assert!(single == batch && single == known, "batches answer as single calls");
        let overlapping = single.iter().filter(|overlap| **overlap).count();
        assert_eq!(2 * overlapping, self.known.len(), "half of them overlap");
    }

    fn closest(&self, limit: f32) {
        let (mut single, mut batch, mut known) = (Vec::new(), Vec::new(), Vec::new());
        let one = |pair: &PairRef<'_>| closest(pair.a, pair.pose_a, pair.b, pair.pose_b, limit);
        let runs: Vec<Run<'_>> = vec![
            (
                "closest, single",
                Box::new(|| {
                    single.clear();
                    single.extend(self.refs.iter().map(one));
                }),
            ),
            (
                "closest, batch",
                Box::new(|| batch::closest(&self.refs, limit, self.level, &mut batch)),
            ),
            (
                "closest, of a kind",
                Box::new(|| capsule_cuboid::closest(self.known, limit, self.level, &mut known)),
            ),
        ];
        println!("closest within {limit}");
        times(self.known.len(), runs);
        assert_eq!(batch, single, "batches answer as single calls");
        let distance = |found: &Option<Closest>| found.map(|found| found.distance);
        assert!(known.iter().map(distance).eq(single.iter().map(distance)), "{limit}");
    }

    fn manifolds(&self, margin: f32) {
        let (mut single, mut batch, mut known) = (Vec::new(), Vec::new(), Vec::new());
        let one = |pair: &PairRef<'_>| manifold(pair.a, pair.pose_a, pair.b, pair.pose_b, margin);
        let runs: Vec<Run<'_>> = vec![
            (
                "manifolds, single",
                Box::new(|| {
                    single.clear();
                    single.extend(self.refs.iter().map(one));
                }),
            ),
            (
                "manifolds, batch",
                Box::new(|| batch::manifolds(&self.refs, margin, self.level, &mut batch)),
            ),
            (
                "manifolds, of a kind",
                Box::new(|| capsule_cuboid::manifolds(self.known, margin, self.level, &mut known)),
            ),
        ];
        println!("manifolds within {margin}");
        times(self.known.len(), runs);
        assert!(batch.iter().map(|all| all.first()).eq(single.iter().map(Option::as_ref)));
        let distance = |met: &Option<Manifold>| met.as_ref().map(Manifold::distance);
        assert!(known.iter().map(distance).eq(single.iter().map(distance)), "{margin}");
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let known = near(4096)?;
    let shapes: Vec<PlacedPair<Shape, Shape>> = known
        .iter()
        .map(|&PlacedPair { a, pose_a, b, pose_b }| PlacedPair {
            a: b.into(),
            pose_a: pose_b,
            b: a.into(),
            pose_b: pose_a,
        })
        .collect();
    let refs = shapes.iter().map(AsPair::as_pair).collect();
    let pairs = Pairs { refs, known: &known, level: simd_level() };
    pairs.overlaps();
    [0.0, f32::INFINITY].into_iter().for_each(|limit| pairs.closest(limit));
    [0.0, 0.05].into_iter().for_each(|margin| pairs.manifolds(margin));
    Ok(())
}
