//! The scene of the box-pruning benchmark.

use glam::{Quat, Vec3};

use super::{Scene, body, bounds, cuboid};

/// The generator of Microsoft's C library: 15 bits of a linear congruence.
struct CRand(u32);

impl CRand {
    fn next(&mut self) -> i16 {
        self.0 = self.0.wrapping_mul(214_013).wrapping_add(2_531_011);
        // Bits 16 to 30, which always fit.
        i16::try_from((self.0 >> 16) & 0x7fff).unwrap_or(0)
    }
}

/// - Source: Terdiman's box-pruning test, in which 10,000 boxes make 11,811 pairs and 100,000 make
///   1,144,045. Those counts come out when its extents are half edge lengths; some are zero.
pub(super) fn pruning(count: usize, seed: u64) -> Scene {
    let low = u32::try_from(seed & u64::from(u32::MAX)).unwrap_or(0);
    let mut rand = CRand(low);
    let mut draw = || {
        let mut center = || f32::from((rand.next() & 4095) - 2048);
        let position = Vec3::new(center(), center(), center());
        let mut extent = || f32::from(rand.next() & 127);
        let half_extents = Vec3::new(extent(), extent(), extent());
        body(cuboid(half_extents), position, Quat::IDENTITY)
    };
    let bodies = (0..count).map(|_| draw()).collect();
    Scene {
        name: "",
        bodies,
        bounds: bounds(Vec3::splat(-2048.0), Vec3::splat(2047.0)),
        sparse: false,
    }
}
