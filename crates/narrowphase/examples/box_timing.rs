//! Time per pair of the rooms with boxes, on random pairs of which about half overlap.
#![expect(clippy::disallowed_methods, reason = "this example measures times")]
#![expect(clippy::print_stdout, reason = "prints its result")]

use std::hint::black_box;
use std::time::Instant;

use impinge_narrowphase::Relative;
use impinge_narrowphase::pairs::{capsule_cuboid, cuboid_cuboid, cuboid_half_space};
use impinge_shapes::glam::{Quat, Vec3};
use impinge_shapes::{Capsule, Cuboid, HalfSpace, Pose};

struct Random(u64);

impl Random {
    fn within(&mut self, low: f32, high: f32) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let bits = u16::try_from(self.0 >> 48).unwrap_or(0);
        low + (high - low) * (f32::from(bits) / 65536.0)
    }

    fn vector(&mut self, reach: f32) -> Vec3 {
        Vec3::from_array([0, 1, 2].map(|_| self.within(-reach, reach)))
    }
}

fn time<T>(name: &str, pairs: &[T], run: impl Fn(&T)) {
    if pairs.is_empty() {
        return;
    }
    // The fastest of many short rounds, because the machine may have other work.
    let mut fastest = f64::INFINITY;
    for _ in 0..300 {
        let start = Instant::now();
        for pair in pairs {
            run(pair);
        }
        fastest = fastest.min(start.elapsed().as_secs_f64());
    }
    println!("{name:32} {:8.1} ns", fastest * 1e9 / pairs.len() as f64);
}

fn main() {
    for (scene, reach) in [("near", 1.2), ("apart", 3.0), ("yaw stack", 0.0)] {
        let mut random = Random(7);
        let pairs: Vec<(Cuboid, Cuboid, Capsule, Relative, Vec3)> = (0..2000)
            .filter_map(|_| {
                let half = |random: &mut Random| Vec3::splat(0.6) + random.vector(0.4);
                let a = Cuboid::new(half(&mut random)).ok()?;
                let b = Cuboid::new(half(&mut random)).ok()?;
                let capsule = Capsule::along_y(0.5, 0.3).ok()?;
                let mut turn = || Quat::from_array([0, 1, 2, 3].map(|_| random.within(-1.0, 1.0)));
                let (mut p, mut q) = (turn(), turn());
                let mut at = random.vector(reach);
                if reach <= 0.0 {
                    (p.x, p.z, q.x, q.z) = (0.0, 0.0, 0.0, 0.0);
                    at = Vec3::new(0.1, a.half_extents().y + b.half_extents().y - 1e-4, 0.2);
                }
                let relative =
                    Relative::new(&Pose::new(Vec3::ZERO, p).ok()?, &Pose::new(at, q).ok()?);
                Some((a, b, capsule, relative, random.vector(3.0)))
            })
            .collect();
        let mut overlapping = 0;
        for (a, b, _, r, _) in &pairs {
            let overlap = cuboid_cuboid::relation(a, b, r).overlaps();
            overlapping += usize::from(overlap);
            assert_eq!(
                overlap,
                cuboid_cuboid::closest(a, b, r).distance <= 0.0,
                "{a:?} {b:?} {r:?}"
            );
            let met = cuboid_cuboid::manifold(a, b, r, 0.0).is_some();
            assert_eq!(overlap, met, "{a:?} {b:?} {r:?}");
        }
        println!("{scene}: {overlapping} of {} overlap", pairs.len());
        let floor = HalfSpace::new(Vec3::Y, 0.0).ok();
        time("  relative frame", &pairs, |(_, _, _, r, _)| {
            black_box(Relative::new(black_box(r.pose_a()), black_box(r.pose_b())));
        });
        time("  box-box relation", &pairs, |(a, b, _, r, _)| {
            black_box(cuboid_cuboid::relation(black_box(a), b, r));
        });
        time("  box-box closest", &pairs, |(a, b, _, r, _)| {
            black_box(cuboid_cuboid::closest(black_box(a), b, r));
        });
        time("  box-box manifold", &pairs, |(a, b, _, r, _)| {
            black_box(cuboid_cuboid::manifold(black_box(a), b, r, 0.0));
        });
        time("  box-box manifold, margin 0.05", &pairs, |(a, b, _, r, _)| {
            black_box(cuboid_cuboid::manifold(black_box(a), b, r, 0.05));
        });
        // Sweeps of what overlaps at the start are contacts.
        let apart: Vec<_> = pairs
            .iter()
            .filter(|(a, b, _, r, _)| !cuboid_cuboid::relation(a, b, r).overlaps())
            .cloned()
            .collect();
        time("  box-box sweep", &apart, |(a, b, _, r, m)| {
            black_box(cuboid_cuboid::sweep(black_box(a), b, r, *m));
        });
        time("  capsule-box relation", &pairs, |(_, b, c, r, _)| {
            black_box(capsule_cuboid::relation(black_box(c), b, r));
        });
        time("  capsule-box manifold", &pairs, |(_, b, c, r, _)| {
            black_box(capsule_cuboid::manifold(black_box(c), b, r, 0.0));
        });
        let apart: Vec<_> = pairs
            .iter()
            .filter(|(_, b, c, r, _)| !capsule_cuboid::relation(c, b, r).overlaps())
            .cloned()
            .collect();
        time("  capsule-box sweep", &apart, |(_, b, c, r, m)| {
            black_box(capsule_cuboid::sweep(black_box(c), b, r, *m));
        });
        if let Some(floor) = floor {
            time("  box-half-space manifold", &pairs, |(a, _, _, r, _)| {
                black_box(cuboid_half_space::manifold(black_box(a), &floor, r, 0.0));
            });
        }
    }
}
