//! Time per ray of boxes, spheres and triangles, one by one and in batches, on random rays of which
//! about half hit.
#![expect(clippy::disallowed_methods, reason = "this example measures times")]
#![expect(clippy::print_stdout, reason = "prints its result")]

use std::hint::black_box;
use std::time::Instant;

use impinge_narrowphase::batch::{self, RayRef};
use impinge_shapes::glam::{Quat, Vec3};
use impinge_shapes::simd::simd_level;
use impinge_shapes::{Pose, Ray, RayOptions, Shape};

const RAYS: usize = 2048;

struct Random(u64);

impl Random {
    fn vector(&mut self, reach: f32) -> Vec3 {
        Vec3::from_array([0, 1, 2].map(|_| {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let bits = u16::try_from(self.0 >> 48).unwrap_or(0);
            reach * (f32::from(bits) / 32768.0 - 1.0)
        }))
    }
}

/// Least time of many rounds per ray, in nanoseconds, because the machine may have other work.
fn least(mut run: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..2000 {
        let start = Instant::now();
        run();
        least = least.min(start.elapsed().as_secs_f64());
    }
    least * 1e9 / RAYS as f64
}

/// Makes a shape of a kind.
type Make = fn(&mut Random) -> Option<Shape>;

fn main() {
    let (level, options) = (simd_level(), RayOptions::default());
    println!("level {}", level.name());
    let mut random = Random(1);
    let kinds: [(&str, Make); 3] = [
        ("box", |random| Shape::cuboid(random.vector(0.8).abs()).ok()),
        ("sphere", |random| Shape::sphere(0.3 + random.vector(0.5).x.abs()).ok()),
        ("triangle", |random| {
            Shape::triangle(random.vector(1.2), random.vector(1.2), random.vector(1.2)).ok()
        }),
    ];
    for (name, make) in kinds {
        let mut cases = Vec::new();
        while cases.len() < RAYS {
            let (at, axis) = (random.vector(9.0), random.vector(1.0));
            let origin = at + random.vector(4.0);
            let pose = Pose::new(at, Quat::from_xyzw(axis.x, axis.y, axis.z, 0.3));
            let ray = Ray::new(origin, at + random.vector(0.6) - origin);
            let (Some(shape), Ok(pose), Ok(ray)) = (make(&mut random), pose, ray) else { continue };
            // As many hits as misses.
            let hit = shape.raycast(&pose, &ray, 20.0, &options).is_some();
            if hit == (cases.len() % 2 == 0) {
                cases.push((random.vector(1.0).x, shape, pose, ray));
            }
        }
        // In an order that nobody can guess.
        cases.sort_by(|a, b| a.0.total_cmp(&b.0));
        let rays: Vec<RayRef<'_>> =
            cases.iter().map(|(_, shape, pose, ray)| RayRef { ray, shape, pose }).collect();
        let mut found = Vec::new();
        let singly = least(|| {
            found.clear();
            found.extend(rays.iter().map(|r| r.shape.raycast(r.pose, r.ray, 20.0, &options)));
            black_box(&found);
        });
        let (hits, expected) = (found.iter().flatten().count(), found.clone());
        let together = least(|| {
            batch::raycast(&rays, 20.0, &options, level, &mut found);
            black_box(&found);
        });
        assert_eq!(expected, found, "{name}");
        println!("ray-{name}: {singly:.1} ns one by one, {together:.1} ns in a batch, {hits} hits");
    }
}
