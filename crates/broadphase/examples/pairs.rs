//! Times updates and rays on the standard scenes: `pairs [boxes] [percent moving] [scene]`.
#![expect(clippy::disallowed_methods, reason = "this example measures times")]
#![allow(clippy::print_stdout, clippy::cast_possible_truncation, reason = "a program for people")]

use std::hint::black_box;
use std::time::Instant;

use impinge_broadphase::{BroadPhase, Mobility};
use impinge_shapes::Aabb;
use impinge_shapes::glam::{Mat3, Quat, Vec3};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / 16_777_216.0
    }

    fn vec(&mut self, lo: f32, hi: f32) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit()) * (hi - lo) + lo
    }

    fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.vec(-1.0, 1.0);
            if v.length_squared() <= 1.0 && v.length_squared() > 0.01 {
                return v.normalize();
            }
        }
    }

    fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.unit()).sum::<f32>() - 6.0
    }
}

/// Half extents of the box around a rotated box.
fn rotated(half: Vec3, r: &mut Random) -> Vec3 {
    let axis = r.direction();
    let q = Quat::from_xyzw(axis.x, axis.y, axis.z, r.normal()).normalize();
    let m = Mat3::from_quat(q);
    m.x_axis.abs() * half.x + m.y_axis.abs() * half.y + m.z_axis.abs() * half.z
}

fn scene(name: &str, n: usize) -> Vec<(Vec3, Vec3)> {
    let mut r = Random(1);
    let side = 2.0 * (n as f32).cbrt();
    let plain = 1.6 * (n as f32).sqrt();
    let centers: Vec<_> = (0..(n / 500).max(4)).map(|_| r.vec(0.0, 2.0 * side)).collect();
    let body = |index: usize| {
        let half = r.vec(0.25, 0.75);
        match name {
            "plain" => {
                let (center, height) = (r.vec(0.0, plain), r.unit() * 3.0);
                (Vec3::new(center.x, height, center.z), rotated(half, &mut r))
            }
            "clusters" => {
                let center = centers[(r.unit() * centers.len() as f32) as usize];
                let offset = Vec3::new(r.normal(), r.normal(), r.normal()) * 6.0;
                (center + offset, rotated(half, &mut r))
            }
            "mixed" => {
                // 1.1 to the 48.3 is 100.
                let size = 0.04 * 1.1_f32.powi((r.unit() * 48.3) as i32);
                (r.vec(0.0, side), rotated(half * size, &mut r))
            }
            "stack" => {
                let edge = (n as f32).cbrt().ceil() as usize;
                let cell = [index % edge, index / edge % edge, index / edge / edge];
                (Vec3::from_array(cell.map(|c| c as f32)), Vec3::splat(0.5))
            }
            _ => (r.vec(0.0, side), rotated(half, &mut r)),
        }
    };
    (0..n).map(body).collect()
}

fn run(name: &str, n: usize, percent: f64) {
    let mut r = Random(7);
    let mut bodies = scene(name, n);
    let drift: Vec<_> = (0..n).map(|_| r.direction() * 0.03).collect();
    let moving: Vec<_> = (0..n).filter(|_| f64::from(r.unit()) * 100.0 < percent).collect();
    let aabb = |(center, half): (Vec3, Vec3)| Aabb::new(center - half, center + half);
    let mut broad = BroadPhase::new();
    for (id, body) in bodies.iter().enumerate() {
        broad.set(id as u32, aabb(*body).expect("in order"), Mobility::Moving);
    }
    let start = Instant::now();
    let first = broad.update();
    let build = start.elapsed().as_secs_f64() * 1e3;
    let (mut set_times, mut times, mut packed) = (Vec::new(), Vec::new(), 0);
    for _ in 0..if n > 200_000 { 20 } else { 60 } {
        for &id in &moving {
            bodies[id].0 += drift[id];
        }
        let boxes = moving.iter().map(|&id| (id as u32, aabb(bodies[id]).expect("in order")));
        let boxes: Vec<_> = boxes.collect();
        let start = Instant::now();
        broad.set_many(&boxes);
        set_times.push(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        packed += usize::from(broad.update().packed);
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
    let (mean, set) = (mean(&times), mean(&set_times));
    times.sort_by(f64::total_cmp);
    let (least, median) = (times[0], times[times.len() / 2]);
    let most = times[times.len() - 1];
    let side = bodies.iter().map(|b| b.0).fold(Vec3::ZERO, Vec3::max);
    let rays = 100_000.min(20 * n);
    let ray: Vec<_> = (0..rays).map(|_| (r.vec(0.0, 1.0) * side, r.direction())).collect();
    let length = 0.5 * side.max_element();
    let start = Instant::now();
    let mut hits = 0;
    for (origin, direction) in &ray {
        // The closest box by its lower bound: no narrow test.
        let mut limit = length;
        let mut hit = false;
        broad.index().ray(*origin, *direction, length, |_, entry| {
            limit = entry.min(limit);
            hit = true;
            limit
        });
        hits += usize::from(black_box(hit));
    }
    let ray_rate = rays as f64 / start.elapsed().as_secs_f64() / 1e6;
    println!(
        "{name:9} {:8} pairs  first {build:7.3} ms  set {set:6.3}  update mean {mean:7.3} (least \
         {least:7.3}, median {median:7.3}, most {most:7.3}, packed {packed})  rays {ray_rate:5.2} M/s ({hits} hit)",
        first.pairs
    );
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let n = arguments.first().and_then(|a| a.parse().ok()).unwrap_or(100_000);
    let percent = arguments.get(1).and_then(|a| a.parse().ok()).unwrap_or(100.0);
    let wanted = arguments.get(2);
    println!("{n} boxes, {percent} % moving, {}", BroadPhase::new().simd_level().name());
    for name in ["uniform", "plain", "clusters", "mixed", "stack"] {
        if wanted.is_none_or(|w| w == name) {
            run(name, n, percent);
        }
    }
}
