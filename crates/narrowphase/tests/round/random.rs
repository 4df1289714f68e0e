//! A small generator of test inputs; every failure prints the seed it came from.

use impinge_narrowphase::Relative;
use impinge_shapes::Pose;
use impinge_shapes::glam::{Quat, Vec3};

/// Splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number in `low..=high`.
    pub(crate) fn whole(&mut self, low: i16, high: i16) -> i16 {
        let count = u64::from((high - low).unsigned_abs()) + 1;
        low + i16::try_from(self.next() % count).unwrap()
    }

    /// A multiple of 2^-`bits` in `[-limit, limit]`: sums and halves of these stay exact.
    pub(crate) fn grid(&mut self, limit: i16, bits: u32) -> f32 {
        let steps = u64::from(limit.unsigned_abs()) << bits;
        let step = self.next() % (2 * steps + 1);
        let value = i32::try_from(step).unwrap() - i32::try_from(steps).unwrap();
        f64_to_f32(f64::from(value) / f64::from(1_u32 << bits))
    }

    pub(crate) fn grid_vec(&mut self, limit: i16, bits: u32) -> Vec3 {
        Vec3::new(self.grid(limit, bits), self.grid(limit, bits), self.grid(limit, bits))
    }

    pub(crate) fn whole_vec(&mut self, limit: i16) -> Vec3 {
        let mut one = || f32::from(self.whole(-limit, limit));
        Vec3::new(one(), one(), one())
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::try_from(self.next()).unwrap() % from.len()]
    }

    /// Any rotation, a quarter turn, or none.
    pub(crate) fn rotation(&mut self) -> Quat {
        match self.whole(0, 3) {
            0 => Quat::IDENTITY,
            1 => self.quarter_turn(),
            _ => loop {
                let [x, y, z] = self.grid_vec(1, 10).to_array();
                let q = Quat::from_xyzw(x, y, z, self.grid(1, 10));
                if q.length_squared() > 0.01 {
                    return q;
                }
            },
        }
    }

    /// A rotation that maps axes onto axes without rounding.
    pub(crate) fn quarter_turn(&mut self) -> Quat {
        loop {
            let [x, y, z] = self.whole_vec(1).to_array();
            let w = f32::from(self.whole(-1, 1));
            let q = Quat::from_xyzw(x, y, z, w);
            if [1.0, 2.0, 4.0].iter().any(|n| (q.length_squared() - n).abs() < 0.1) {
                return q;
            }
        }
    }

    /// Two poses within some metres of each other.
    pub(crate) fn poses(&mut self) -> (Pose, Pose) {
        let around = self.pick(&[Vec3::ZERO, Vec3::ZERO, Vec3::new(10_240.0, -512.0, 8192.0)]);
        let a = Pose::new(around + self.grid_vec(4, 8), self.rotation()).unwrap();
        (a, Pose::new(around + self.grid_vec(4, 8), self.rotation()).unwrap())
    }
}

/// The pose moved by a world vector, whose sum with the position must be exact.
pub(crate) fn moved(pose: &Pose, by: Vec3) -> Pose {
    Pose::new(pose.position() + by, pose.rotation()).unwrap()
}

/// B moved by a world vector.
pub(crate) fn with_b_moved(b_in_a: &Relative, by: Vec3) -> Relative {
    Relative::new(b_in_a.pose_a(), &moved(b_in_a.pose_b(), by))
}

pub(crate) fn f64_to_f32(x: f64) -> f32 {
    impinge_shapes::round::nearest(x)
}
