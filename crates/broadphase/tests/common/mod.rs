//! Scenes and the naive reference of the broad phase's tests.

#![allow(dead_code, reason = "each test program uses its own part")]
#![allow(clippy::cast_possible_truncation, clippy::unwrap_used, reason = "tests of small numbers")]

use impinge_broadphase::{BroadPhase, Mobility, Pair, SimdLevel};
use impinge_shapes::Aabb;
use impinge_shapes::glam::Vec3;

/// A box of a scene.
pub(crate) type Item = (u32, Aabb, Mobility);

/// All pairs by testing all against all.
pub(crate) fn naive_pairs(boxes: &[Item]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (index, (a, bounds_a, mobility_a)) in boxes.iter().enumerate() {
        for (b, bounds_b, mobility_b) in &boxes[index + 1..] {
            let both_fixed = *mobility_a == Mobility::Fixed && *mobility_b == Mobility::Fixed;
            if !both_fixed && bounds_a.overlaps(bounds_b) {
                pairs.push(Pair::new(*a, *b));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in 0..n.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Uniform in [lo, hi).
    pub(crate) fn range(&mut self, lo: f32, hi: f32) -> f32 {
        lo + (hi - lo) * ((self.bits() >> 40) as f32 / 16_777_216.0)
    }

    pub(crate) fn vec(&mut self, lo: f32, hi: f32) -> Vec3 {
        Vec3::new(self.range(lo, hi), self.range(lo, hi), self.range(lo, hi))
    }
}

pub(crate) fn aabb(center: Vec3, half: Vec3) -> Aabb {
    Aabb::new(center - half, center + half).unwrap()
}

pub(crate) const SCENES: [&str; 16] = [
    "uniform",
    "clusters",
    "line",
    "plane",
    "spot",
    "ground",
    "sizes 100",
    "sizes 10000",
    "rods",
    "lattice",
    "far",
    "infinite",
    "flat",
    "zeros",
    "growing",
    "outlier",
];

/// A scene by name. About one box in eight is fixed.
pub(crate) fn scene(name: &str, n: usize, seed: u64) -> Vec<Item> {
    let mut r = Random(seed);
    let side = (n as f32).cbrt().max(1.0);
    (0..n)
        .map(|index| {
            let mobility = if r.below(8) == 0 { Mobility::Fixed } else { Mobility::Moving };
            (index as u32, scene_box(name, index, side, &mut r), mobility)
        })
        .collect()
}

fn scene_box(name: &str, index: usize, side: f32, r: &mut Random) -> Aabb {
    let center = r.vec(-side, side);
    let half = r.vec(0.25, 0.75);
    match name {
        "clusters" => {
            let cluster = Random(index as u64 % 5).vec(-4.0 * side, 4.0 * side);
            let spread = r.vec(-1.0, 1.0) * r.vec(0.0, 1.0) * side * 0.4;
            aabb(cluster + spread, half)
        }
        "line" => aabb(Vec3::new(center.x * side * side, 1.0, -2.0), half),
        "plane" => aabb(Vec3::new(center.x * side.sqrt(), 5.0, center.z * side.sqrt()), half),
        "spot" => {
            let spot = Vec3::splat((index % 7) as f32 * 10.0);
            aabb(spot, if index.is_multiple_of(2) { Vec3::ONE } else { half })
        }
        "ground" if index.is_multiple_of(97) => {
            let size = 1000.0 * (1.0 + index as f32);
            aabb(Vec3::new(0.0, -side, 0.0), Vec3::new(size, 0.5, size))
        }
        "sizes 100" => aabb(center * 1.5, half * [0.05, 0.2, 1.0, 5.0][r.below(4)]),
        "sizes 10000" => {
            let size = if r.below(50) == 0 { 50.0 } else { [0.005, 0.05, 0.5][r.below(3)] };
            aabb(center, half * size)
        }
        "rods" => {
            let mut half = Vec3::splat(0.1);
            half[index % 3] = side * 0.5;
            aabb(center * 2.0, half)
        }
        "lattice" => {
            let n = side.ceil() as usize;
            let cell = |k: usize| (k % n) as f32;
            let min = Vec3::new(cell(index), cell(index / n), cell(index / n / n));
            Aabb::new(min, min + 1.0).unwrap()
        }
        "far" => aabb(center + Vec3::new(10_000.0, -7_000.0, 3_000.0), half),
        "infinite" => {
            let mut bounds = aabb(center, half);
            if r.below(20) == 0 {
                let (mut min, mut max) = (bounds.min(), bounds.max());
                for axis in 0..3 {
                    if r.below(2) == 0 {
                        min[axis] = f32::NEG_INFINITY;
                    }
                    if r.below(2) == 0 {
                        max[axis] = f32::INFINITY;
                    }
                }
                bounds = Aabb::new(min, max).unwrap();
            }
            bounds
        }
        "flat" => {
            let mut half = half;
            half[r.below(3)] = 0.0;
            // Rounded, so that flat boxes touch often.
            aabb((center * 2.0).round() * 0.5, (half * 4.0).round() * 0.25)
        }
        "zeros" => {
            // Corners at zero of either sign.
            let low = |r: &mut Random| [-1.0, -0.0, 0.0][r.below(3)];
            let min = Vec3::new(low(r), low(r), low(r));
            let high =
                |r: &mut Random, min: f32| if min < 0.0 { [-0.0, 0.0][r.below(2)] } else { 1.0 };
            Aabb::new(min, Vec3::new(high(r, min.x), high(r, min.y), high(r, min.z))).unwrap()
        }
        "growing" => aabb(center * (1.0 + index as f32 * 0.01), half * (1.0 + index as f32 * 0.01)),
        "outlier" if index == 3 => aabb(Vec3::new(1e7, -1e7, 3e6), half),
        "outlier" => aabb(center, half),
        _ => aabb(center, half),
    }
}

/// A broad phase that holds the scene after some history, so that both forests are in use.
pub(crate) fn aged(boxes: &[Item], level: SimdLevel) -> BroadPhase {
    let mut broad = BroadPhase::with_simd_level(level);
    for &(id, bounds, mobility) in boxes {
        broad.set(id, bounds, mobility);
    }
    broad.update();
    // Some boxes go away and come back, so that lanes are vacant and the young forest is not.
    for &(id, ..) in boxes.iter().step_by(11) {
        broad.remove(id);
    }
    broad.update_index();
    for &(id, bounds, mobility) in boxes.iter().step_by(11) {
        broad.set(id, bounds, mobility);
    }
    assert!(boxes.is_empty() || !broad.index_is_current());
    broad.update_index();
    assert_eq!(broad.index().len(), boxes.len());
    broad
}

pub(crate) fn levels() -> Vec<SimdLevel> {
    SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name)).collect()
}

/// What this many queries visit, in order, if every third box that one meets cuts it to where it is
/// met, and one query in seven ends at its fourth box.
pub(crate) fn visits(
    queries: usize,
    visit: impl FnOnce(&mut dyn FnMut(usize, u32, f32, f32) -> f32),
) -> Vec<Vec<u32>> {
    let mut seen = vec![Vec::new(); queries];
    visit(&mut |query, id, at, limit| {
        seen[query].push(id);
        match (query % 7, seen[query].len()) {
            (0, 4) => -1.0,
            (_, count) if count.is_multiple_of(3) => at,
            _ => limit,
        }
    });
    seen
}
