//! Time per call of pairs with a cylinder, a cone or a rounded shape, on random near pairs of which
//! half overlap; a word on the command line chooses the pairs that have it in their name.
#![expect(clippy::disallowed_methods, reason = "this example measures times")]
#![expect(clippy::print_stdout, reason = "prints its result")]

use std::hint::black_box;
use std::time::Instant;

use impinge_narrowphase::{closest, distance, manifold, overlaps, sweep};
use impinge_shapes::glam::{Quat, Vec3};
use impinge_shapes::{Pose, Shape};

const PAIRS: usize = 1024;
const KINDS: [&str; 8] =
    ["cylinder", "cone", "box", "triangle", "hull", "capsule", "round-cylinder", "half-space"];

struct Random(u64);

impl Random {
    fn bits(&mut self) -> u16 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        u16::try_from(self.0 >> 48).unwrap_or(0)
    }

    fn next(&mut self) -> f32 {
        f32::from(self.bits()) / 32768.0 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::from_array([0; 3].map(|_| self.next()))
    }

    fn size(&mut self) -> f32 {
        0.5 + 0.25 * self.next()
    }

    fn shape(&mut self, kind: &str) -> Option<Shape> {
        match kind {
            "cylinder" => Shape::cylinder(self.size(), self.size()).ok(),
            "cone" => Shape::cone(self.size(), self.size()).ok(),
            "box" => Shape::cuboid(Vec3::splat(0.5) + self.vector() * 0.25).ok(),
            "triangle" => Shape::triangle(self.vector(), self.vector(), self.vector()).ok(),
            "hull" => {
                let radii = Vec3::splat(0.6) + self.vector() * 0.25;
                let points: Vec<Vec3> =
                    (0..32).map(|_| self.vector().normalize_or(Vec3::X) * radii).collect();
                Shape::convex_hull(&points).ok()
            }
            "capsule" => Shape::capsule_along_y(self.size(), 0.25 + 0.1 * self.next()).ok(),
            "round-cylinder" => Shape::rounded(self.shape("cylinder")?, 0.1).ok(),
            _ => Shape::half_space(self.vector(), 0.0).ok(),
        }
    }
}

/// Least time of many rounds per call, in nanoseconds, because the machine may have other work.
fn least(calls: usize, mut run: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..60 {
        let start = Instant::now();
        run();
        least = least.min(start.elapsed().as_secs_f64());
    }
    least * 1e9 / calls as f64
}

type Placed = (Shape, Pose);

fn pairs(one: &str, other: &str) -> [Vec<(Placed, Placed)>; 2] {
    let mut random = Random(1);
    let mut found = [Vec::new(), Vec::new()];
    while found.iter().any(|half| half.len() < PAIRS / 2) {
        let mut pose = |place| {
            let axis = random.vector();
            Pose::new(place, Quat::from_xyzw(axis.x, axis.y, axis.z, 0.3)).ok()
        };
        let place = Vec3::new(9.0, -3.0, 20.0);
        let Some(pose_a) = pose(place) else { continue };
        let Some(pose_b) = pose(place + Vec3::ONE) else { continue };
        let away = random.vector().normalize_or(Vec3::X) * (1.3 + 1.1 * random.next());
        let Ok(pose_b) = Pose::new(place + away, pose_b.rotation()) else { continue };
        let (Some(a), Some(b)) = (random.shape(one), random.shape(other)) else { continue };
        let Some(near) = closest(&a, &pose_a, &b, &pose_b, 0.3) else { continue };
        let half = &mut found[usize::from(near.distance > 0.0)];
        if near.distance >= -0.3 && half.len() < PAIRS / 2 {
            let overlap = near.distance <= 0.0;
            assert_eq!(
                overlaps(&a, &pose_a, &b, &pose_b),
                overlap,
                "{a:?} {pose_a:?} {b:?} {pose_b:?}"
            );
            let apart = distance(&a, &pose_a, &b, &pose_b);
            assert_eq!(apart <= 0.0, overlap, "{a:?} {pose_a:?} {b:?} {pose_b:?}");
            half.push(((a, pose_a), (b, pose_b)));
        }
    }
    found
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    println!("{:34}{:>9}{:>9}{:>9}{:>9}", "pair", "apart", "overlap", "both", "sum");
    for (number, one) in KINDS.iter().enumerate() {
        for other in &KINDS[number..] {
            let is_round = |kind: &&str| kind.contains('c') && *kind != "half-space";
            let name = format!("{one} {other}");
            let asked = |question: &str| {
                let name = format!("{name} {question}");
                wanted.iter().all(|word| name.contains(word.as_str()))
            };
            if !(is_round(one) || is_round(other)) || *one == "half-space" {
                continue;
            }
            let halves = std::cell::LazyCell::new(|| pairs(one, other));
            let measure = |question: &str, ask: &dyn Fn(&Placed, &Placed) -> f64| {
                if !asked(question) {
                    return;
                }
                let mut both: Vec<_> = halves.iter().flatten().cloned().collect();
                // In an order that nobody can guess.
                let mut random = Random(7);
                for k in (1..both.len()).rev() {
                    both.swap(k, usize::from(random.bits()) % (k + 1));
                }
                let mut sum = 0.0;
                let [overlap, apart, mixed] = [&halves[0], &halves[1], &both].map(|half| {
                    least(half.len(), || {
                        sum = half.iter().map(|(a, b)| ask(a, b)).sum();
                        black_box(sum);
                    })
                });
                let name = format!("{name} {question}");
                println!("{name:34}{apart:9.1}{overlap:9.1}{mixed:9.1}{sum:22.12e}");
            };
            measure("overlap", &|(a, at), (b, there)| f64::from(overlaps(a, at, b, there)));
            measure("distance", &|(a, at), (b, there)| distance(a, at, b, there).into());
            measure("contact", &|(a, at), (b, there)| {
                closest(a, at, b, there, 0.0).map_or(0.0, |found| found.distance.into())
            });
            measure("closest", &|(a, at), (b, there)| {
                let sum = |v: Vec3| f64::from(v.x + 2.0 * v.y + 3.0 * v.z);
                closest(a, at, b, there, 9.0)
                    .map_or(0.0, |found| sum(found.normal) + sum(found.point_a))
            });
            measure("manifold", &|(a, at), (b, there)| {
                manifold(a, at, b, there, 0.0).map_or(0.0, |found| {
                    found.points.iter().map(|point| f64::from(point.distance)).sum()
                })
            });
            measure("sweep", &|(a, at), (b, there)| {
                let way = (at.position() - there.position()).normalize_or(Vec3::X) * 4.0;
                let start = there.position() - way;
                let Ok(start) = Pose::new(start, there.rotation()) else { return 0.0 };
                sweep(b, &start, way, a, at, &Default::default())
                    .map_or(0.0, |hit| hit.fraction.into())
            });
        }
    }
}
