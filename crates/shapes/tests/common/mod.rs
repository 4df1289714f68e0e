//! Numbers for the tests: a linear congruential generator, and draws that often coincide.
#![allow(dead_code, reason = "each test uses its part of it")]

use glam::Vec3;

/// - Source: the multiplier of Knuth's MMIX; Knuth, *The Art of Computer Programming* 2, §3.3.4.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// A number from 0 on, below `n`.
    pub(crate) fn below(&mut self, n: u16) -> u16 {
        u16::try_from(self.next() % u64::from(n)).unwrap()
    }

    /// Uniform in -1 to 1.
    pub(crate) fn unit(&mut self) -> f32 {
        f32::from(i16::try_from((self.next() % 65536) as i64 - 32768).unwrap()) / 32768.0
    }

    /// Mostly small multiples of a half, sometimes anything, sometimes one ulp beside.
    pub(crate) fn coordinate(&mut self) -> f32 {
        let lattice = f32::from(self.below(9)) * 0.5 - 2.0;
        match self.below(8) {
            0 => self.unit() * 2.0,
            1 => lattice.next_up(),
            2 => self.unit() * 1e-20,
            _ => lattice,
        }
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.coordinate(), self.coordinate(), self.coordinate())
    }
}
