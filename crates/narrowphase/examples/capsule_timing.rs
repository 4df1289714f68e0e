//! Time per pair of a capsule and a box, single and in batches, on near pairs of which half overlap.
#![expect(clippy::disallowed_methods, reason = "this example measures times")]
#![expect(clippy::print_stdout, reason = "prints its result")]

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use impinge_narrowphase::batch::{self, AsPair, PairRef, PlacedPair, capsule_cuboid};
use impinge_narrowphase::{closest, manifold, overlaps};
use impinge_shapes::glam::{Quat, Vec3};
use impinge_shapes::simd::simd_level;
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

fn main() -> Result<(), Box<dyn Error>> {
    let pairs = near(4096)?;
    let level = simd_level();
    let shapes: Vec<PlacedPair<Shape, Shape>> = pairs
        .iter()
        .map(|&PlacedPair { a, pose_a, b, pose_b }| PlacedPair {
            a: b.into(),
            pose_a: pose_b,
            b: a.into(),
            pose_b: pose_a,
        })
        .collect();
    let refs: Vec<PairRef<'_>> = shapes.iter().map(AsPair::as_pair).collect();
    let (mut yes, mut yes_too) = (Vec::new(), Vec::new());
    let (mut near, mut near_too, mut near_one) = (Vec::new(), Vec::new(), Vec::new());
    let (mut met, mut met_too, mut met_one) = (Vec::new(), Vec::new(), Vec::new());
    times(
        pairs.len(),
        vec![
            (
                "overlaps, single",
                Box::new(|| {
                    for PairRef { a, pose_a, b, pose_b } in &refs {
                        black_box(overlaps(a, pose_a, b, pose_b));
                    }
                }),
            ),
            ("overlaps, batch", Box::new(|| batch::overlaps(&refs, level, &mut yes))),
            (
                "overlaps, of a kind",
                Box::new(|| capsule_cuboid::overlaps(&pairs, level, &mut yes_too)),
            ),
        ],
    );
    for limit in [0.0, f32::INFINITY] {
        println!("closest within {limit}");
        times(
            pairs.len(),
            vec![
                (
                    "closest, single",
                    Box::new(|| {
                        near_one.clear();
                        near_one.extend(
                            refs.iter().map(|pair| {
                                closest(pair.a, pair.pose_a, pair.b, pair.pose_b, limit)
                            }),
                        );
                    }),
                ),
                ("closest, batch", Box::new(|| batch::closest(&refs, limit, level, &mut near))),
                (
                    "closest, of a kind",
                    Box::new(|| capsule_cuboid::closest(&pairs, limit, level, &mut near_too)),
                ),
            ],
        );
    }
    for margin in [0.0, 0.05] {
        println!("manifolds within {margin}");
        times(
            pairs.len(),
            vec![
                (
                    "manifolds, single",
                    Box::new(|| {
                        met_one.clear();
                        met_one.extend(refs.iter().map(|pair| {
                            manifold(pair.a, pair.pose_a, pair.b, pair.pose_b, margin)
                        }));
                    }),
                ),
                ("manifolds, batch", Box::new(|| batch::manifolds(&refs, margin, level, &mut met))),
                (
                    "manifolds, of a kind",
                    Box::new(|| capsule_cuboid::manifolds(&pairs, margin, level, &mut met_too)),
                ),
            ],
        );
    }
    Ok(())
}
