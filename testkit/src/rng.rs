//! A small seeded generator of random numbers, the same on every platform.

use glam::{DVec3, Quat, Vec3};
use impinge_shapes::round;

use crate::hash::mix;

/// Random numbers from a seed, or from bytes that somebody else chose.
///
/// - Source: SplitMix64 (Steele, Lea, Flood, *Fast Splittable Pseudorandom Number Generators*,
///   2014). Only additions, products and square roots are used, so every platform draws the same
///   bits.
///
/// ```
/// use impinge_testkit::rng::Rng;
/// assert_eq!(Rng::new(7).bits(), Rng::new(7).bits());
/// ```
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
    /// Upper halves of the next numbers.
    tape: std::vec::IntoIter<u32>,
}

impl Rng {
    /// A generator; equal seeds give equal numbers.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed, tape: Vec::new().into_iter() }
    }

    /// A generator whose numbers a fuzzer chooses: four bytes are the upper half of each, and the
    /// rest follows from its place; where they are used up, so does all.
    #[must_use]
    pub fn over(bytes: &[u8]) -> Self {
        let (words, _) = bytes.as_chunks();
        let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        Self { state: 0, tape: words.into_iter() }
    }

    /// Whether no bytes are left of those it draws from.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.tape.as_slice().is_empty()
    }

    /// A generator of its own for one purpose, so that drawing more of one thing leaves the others
    /// as they were.
    #[must_use]
    pub fn stream(seed: u64, purpose: u64) -> Self {
        Self::new(mix(seed ^ mix(purpose)))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = mix(self.state);
        self.tape.next().map_or(word, |upper| u64::from(upper) << 32 | word >> 32)
    }

    /// Uniform in `[0, 1)`, a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform between `low` and `high`; rounding may return `high` itself.
    pub fn range(&mut self, low: f64, high: f64) -> f32 {
        round::nearest(low + (high - low) * self.unit())
    }

    /// A whole number below `count`, which must not be 0; its bias of `count / 2^64` is
    /// immaterial.
    pub fn below(&mut self, count: usize) -> usize {
        let wide = u128::from(self.bits()) * count as u128;
        usize::try_from(wide >> 64).unwrap_or(0)
    }

    /// True in one of `count` cases.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// One of the items, which must not be empty.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Any order of the items is as likely.
    ///
    /// - Source: Knuth, *The Art of Computer Programming* 2, §3.4.2, algorithm P.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for k in (1..items.len()).rev() {
            items.swap(k, self.below(k + 1));
        }
    }

    /// Each component uniform between those of `low` and `high`.
    pub fn vec(&mut self, low: Vec3, high: Vec3) -> Vec3 {
        let mut component = |axis: usize| self.range(low[axis].into(), high[axis].into());
        Vec3::new(component(0), component(1), component(2))
    }

    /// Each component uniform between `low` and `high`.
    pub fn cube(&mut self, low: f64, high: f64) -> Vec3 {
        Vec3::new(self.range(low, high), self.range(low, high), self.range(low, high))
    }

    /// A point uniform in the unit disc without its centre, and its squared distance from there.
    fn disc(&mut self) -> (f64, f64, f64) {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square < 1.0 && square > 0.0 {
                return (x, y, square);
            }
        }
    }

    /// A direction, uniform on the unit sphere, rounded once.
    ///
    /// - Source: Marsaglia, *Choosing a Point from the Surface of a Sphere*, 1972.
    pub fn direction(&mut self) -> Vec3 {
        let (x, y, square) = self.disc();
        let scale = 2.0 * (1.0 - square).sqrt();
        round::nearest_vec(DVec3::new(x * scale, y * scale, 1.0 - 2.0 * square))
    }

    /// A rotation, uniform over all of them, rounded once.
    ///
    /// - Source: Marsaglia 1972, two points in discs for a point on the sphere in four dimensions.
    pub fn rotation(&mut self) -> Quat {
        let (x, y, first) = self.disc();
        let (z, w, second) = self.disc();
        let scale = ((1.0 - first) / second).sqrt();
        let round = round::nearest;
        Quat::from_xyzw(round(x), round(y), round(z * scale), round(w * scale))
    }

    /// Standard normal, cut off at six.
    ///
    /// - Source: the sum of twelve uniform numbers less six (Irwin–Hall), which has mean 0 and
    ///   variance 1 and needs no logarithm.
    pub fn gaussian(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// `10^u` of a `u` uniform between `low` and `high`: log-uniform sizes.
    pub fn power_of_ten(&mut self, low: f64, high: f64) -> f64 {
        power_of_ten(low + (high - low) * self.unit())
    }
}

/// `10^u`, within some 1e-14 relative, from square roots only: the bits of `u` choose among the
/// factors 10, 10^½, 10^¼, …
#[must_use]
pub fn power_of_ten(u: f64) -> f64 {
    let whole = u.floor();
    let mut power = 1.0_f64;
    let mut left = whole;
    while left > 0.0 {
        power *= 10.0;
        left -= 1.0;
    }
    while left < 0.0 {
        power /= 10.0;
        left += 1.0;
    }
    let mut rest = u - whole;
    let mut factor = 10.0_f64;
    for _ in 0..50 {
        factor = factor.sqrt();
        rest *= 2.0;
        if rest >= 1.0 {
            rest -= 1.0;
            power *= factor;
        }
    }
    power
}

/// Cube root from the four operations only (Newton); numbers below 1 count as 1.
#[must_use]
pub fn cube_root(x: f64) -> f64 {
    let x = x.max(1.0);
    let mut root = x;
    // From above, the iteration falls until rounding stops it.
    loop {
        let next = (2.0 * root + x / (root * root)) / 3.0;
        if next < root {
            root = next;
        } else {
            return root;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_and_roots_are_right() {
        for (u, expected) in [(0.0, 1.0), (3.0, 1000.0), (-2.0, 0.01), (0.5, 10.0_f64.sqrt())] {
            assert!((power_of_ten(u) / expected - 1.0).abs() < 1e-14, "{u}");
        }
        assert!((power_of_ten(std::f64::consts::LOG10_2) - 2.0).abs() < 1e-13);
        assert_eq!(cube_root(0.0).to_bits(), 1.0_f64.to_bits());
        for n in [1.0, 8.0, 1000.0, 1e6] {
            let root = cube_root(n);
            assert!((root * root * root / n - 1.0).abs() < 1e-15, "{n}");
        }
    }

    #[test]
    fn draws_have_the_right_moments() {
        let mut rng = Rng::new(1);
        let n = 20_000;
        let (mut sum, mut square, mut side) = (0.0, 0.0, DVec3::ZERO);
        for _ in 0..n {
            let g = rng.gaussian();
            sum += g;
            square += g * g;
            let d = rng.direction();
            assert!((d.length() - 1.0).abs() < 1e-6);
            side += d.as_dvec3();
            assert!((rng.rotation().length() - 1.0).abs() < 1e-6);
            assert!(rng.below(7) < 7);
        }
        assert!((sum / f64::from(n)).abs() < 0.03);
        assert!((square / f64::from(n) - 1.0).abs() < 0.05);
        assert!((side / f64::from(n)).abs().max_element() < 0.03);
    }
}
