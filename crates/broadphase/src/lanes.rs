//! Sixteen boxes side by side, the unit of every kernel.

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use fearless_simd::Level;
use fearless_simd::{Simd, f32x16, prelude::*};
use impinge_shapes::Aabb;
pub(crate) use impinge_shapes::simd::Bits;
use prefetch_index::prefetch_index;

/// Boxes in one [`Lanes`].
pub(crate) const WIDTH: usize = 16;

/// Corners of one box as plain arrays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) lo: [f32; 3],
    pub(crate) hi: [f32; 3],
}

/// Without a branch for each number, which the compiler makes of arrays or leaves out by chance.
impl PartialEq for Bounds {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        let ([a, b, c], [d, e, f]) = (self.lo, self.hi);
        let ([i, j, k], [l, m, n]) = (other.lo, other.hi);
        (a == i) & (b == j) & (c == k) & (d == l) & (e == m) & (f == n)
    }
}

impl Bounds {
    /// Holds nothing: the neutral element of a union.
    pub(crate) const EMPTY: Self = Self { lo: [f32::INFINITY; 3], hi: [f32::NEG_INFINITY; 3] };

    /// Holds all that has no NaN.
    pub(crate) const EVERYTHING: Self = Self { lo: [f32::NEG_INFINITY; 3], hi: [f32::INFINITY; 3] };

    /// What an unused lane holds. Every comparison with a NaN is false, so that an unused lane
    /// touches nothing, not even a box without end (which an inverted box would touch).
    pub(crate) const UNUSED: Self = Self { lo: [f32::NAN; 3], hi: [f32::NAN; 3] };

    #[inline]
    pub(crate) fn of(bounds: &Aabb) -> Self {
        Self { lo: bounds.min().to_array(), hi: bounds.max().to_array() }
    }

    /// Grows to hold `other`; a NaN in `other` changes nothing.
    #[inline(always)]
    pub(crate) fn include(&mut self, other: &Self) {
        for axis in 0..3 {
            if other.lo[axis] < self.lo[axis] {
                self.lo[axis] = other.lo[axis];
            }
            if other.hi[axis] > self.hi[axis] {
                self.hi[axis] = other.hi[axis];
            }
        }
    }

    /// Shrinks to what `other` holds, too.
    #[inline(always)]
    pub(crate) fn narrow_to(&mut self, other: &Self) {
        for axis in 0..3 {
            self.lo[axis] = self.lo[axis].max(other.lo[axis]);
            self.hi[axis] = self.hi[axis].min(other.hi[axis]);
        }
    }

    /// Closed test; false where either holds NaN.
    #[inline(always)]
    pub(crate) fn touches(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.lo[axis] <= other.hi[axis] && other.lo[axis] <= self.hi[axis])
    }

    /// [`Bounds::touches`] without branches, for boxes of which nobody can guess whether they do.
    #[inline(always)]
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let axis =
            |axis: usize| (self.lo[axis] <= other.hi[axis]) & (other.lo[axis] <= self.hi[axis]);
        axis(0) & axis(1) & axis(2)
    }

    /// How far each face lies from that of `other`: lower faces, then upper ones.
    #[inline(always)]
    pub(crate) fn minus(&self, other: &Self) -> [f32; 6] {
        let ([a, b, c], [d, e, f]) = (self.lo, self.hi);
        let ([g, h, i], [j, k, l]) = (other.lo, other.hi);
        [a - g, b - h, c - i, d - j, e - k, f - l]
    }

    /// Whether all of `other` lies within.
    #[inline(always)]
    pub(crate) fn holds(&self, other: &Self) -> bool {
        let axis =
            |axis: usize| (self.lo[axis] <= other.lo[axis]) & (other.hi[axis] <= self.hi[axis]);
        axis(0) & axis(1) & axis(2)
    }

    /// Whether all of `other` lies within, and no face of it on one of these.
    #[inline(always)]
    pub(crate) fn surrounds(&self, other: &Self) -> bool {
        let axis =
            |axis: usize| (self.lo[axis] < other.lo[axis]) & (other.hi[axis] < self.hi[axis]);
        axis(0) & axis(1) & axis(2)
    }

    /// The empty union becomes an unused lane; anything else stays.
    ///
    /// A box that is one point at infinity keeps its place: `lo = hi` there.
    #[inline(always)]
    pub(crate) fn or_unused(self) -> Self {
        if self.lo[0] > self.hi[0] { Self::UNUSED } else { self }
    }

    /// Sum of the edge lengths: a measure of size that lines and planes have, too.
    #[inline(always)]
    pub(crate) fn edge_sum(&self) -> f32 {
        (self.hi[0] - self.lo[0]) + (self.hi[1] - self.lo[1]) + (self.hi[2] - self.lo[2])
    }
}

/// Sixteen boxes as a structure of arrays: for each axis the lower faces, then the upper ones.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Lanes {
    faces: [[[f32; WIDTH]; 2]; 3],
}

impl Lanes {
    /// No lane used.
    pub(crate) const UNUSED: Self = Self { faces: [[[f32::NAN; WIDTH]; 2]; 3] };

    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, bounds: &Bounds) {
        for axis in 0..3 {
            self.faces[axis][0][lane % WIDTH] = bounds.lo[axis];
            self.faces[axis][1][lane % WIDTH] = bounds.hi[axis];
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, lane: usize) -> Bounds {
        let lane = lane % WIDTH;
        let [x, y, z] = &self.faces;
        Bounds {
            lo: [x[0][lane], y[0][lane], z[0][lane]],
            hi: [x[1][lane], y[1][lane], z[1][lane]],
        }
    }

    #[inline(always)]
    pub(crate) fn lower<S: Simd>(&self, simd: S, axis: usize) -> f32x16<S> {
        self.face(simd, axis, 0)
    }

    #[inline(always)]
    pub(crate) fn upper<S: Simd>(&self, simd: S, axis: usize) -> f32x16<S> {
        self.face(simd, axis, 1)
    }

    /// The lower faces, side 0, or the upper ones, side 1.
    #[inline(always)]
    pub(crate) fn face<S: Simd>(&self, simd: S, axis: usize, side: usize) -> f32x16<S> {
        load(simd, &self.faces[axis][side % 2])
    }

    /// Fetches them ahead.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        for face in self.faces.as_flattened() {
            prefetch_index(face, 0);
        }
    }

    /// Bit mask of the lanes that touch the box; closed and exact, false for unused lanes.
    #[inline(always)]
    pub(crate) fn touching<S: Simd>(&self, simd: S, bounds: &Bounds) -> u64 {
        Loaded::new(simd, self).touching(bounds)
    }

    /// [`Lanes::touching`] without vectors, as a loop in one place: sixteen inlined comparisons
    /// times six, at every call, made the scalar kernels take minutes to compile.
    fn touching_one_by_one(&self, bounds: &Bounds) -> u64 {
        (0..WIDTH).fold(0, |bits, lane| bits | u64::from(self.get(lane).touches(bounds)) << lane)
    }

    /// Smallest box that holds the used lanes; [`Bounds::UNUSED`] if there is none.
    #[inline(always)]
    pub(crate) fn bounds<S: Simd>(&self, simd: S) -> Bounds {
        let mut all = Bounds::EMPTY;
        let least = f32x16::splat(simd, f32::NEG_INFINITY);
        let most = f32x16::splat(simd, f32::INFINITY);
        for axis in 0..3 {
            let (lo, hi) = (self.lower(simd, axis), self.upper(simd, axis));
            all.lo[axis] = lo.simd_eq(lo).select(lo, most).reduce_min();
            all.hi[axis] = hi.simd_eq(hi).select(hi, least).reduce_max();
        }
        all.or_unused()
    }
}

/// [`Lanes`] in registers, for more than one question.
pub(crate) struct Loaded<'l, S: Simd> {
    simd: S,
    lanes: &'l Lanes,
    low: [f32x16<S>; 3],
    high: [f32x16<S>; 3],
}

impl<'l, S: Simd> Loaded<'l, S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, lanes: &'l Lanes) -> Self {
        let [x, y, z] = &lanes.faces;
        let low = [load(simd, &x[0]), load(simd, &y[0]), load(simd, &z[0])];
        let high = [load(simd, &x[1]), load(simd, &y[1]), load(simd, &z[1])];
        Self { simd, lanes, low, high }
    }

    /// [`Lanes::touching`].
    #[inline(always)]
    pub(crate) fn touching(&self, bounds: &Bounds) -> u64 {
        if self.simd.level().is_fallback() {
            return self.lanes.touching_one_by_one(bounds);
        }
        let (lo, hi) = (&bounds.lo, &bounds.hi);
        let below_x = self.low[0].simd_le(splat(self.simd, hi[0]));
        let below_y = self.low[1].simd_le(splat(self.simd, hi[1]));
        let below_z = self.low[2].simd_le(splat(self.simd, hi[2]));
        let above_x = self.high[0].simd_ge(splat(self.simd, lo[0]));
        let above_y = self.high[1].simd_ge(splat(self.simd, lo[1]));
        let above_z = self.high[2].simd_ge(splat(self.simd, lo[2]));
        (below_x & above_x & below_y & above_y & below_z & above_z).to_bitmask()
    }
}

#[inline(always)]
fn load<S: Simd>(simd: S, faces: &[f32; WIDTH]) -> f32x16<S> {
    f32x16::load_array_ref(simd, faces)
}

/// The value in all lanes.
#[inline(always)]
pub(crate) fn splat<S: Simd>(simd: S, value: f32) -> f32x16<S> {
    f32x16::splat(simd, value)
}

/// Index that is known to fit: lanes, nodes and ids are counted in u32.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "counts of boxes stay below 2^32")]
pub(crate) const fn narrow(index: usize) -> u32 {
    index as u32
}

/// Whether compressing is one instruction.
#[inline(always)]
pub(crate) fn compresses_fast<S: Simd>(simd: S) -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return matches!(simd.level(), Level::Avx512(_));
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    return false;
}

#[cfg(test)]
pub(crate) mod tests {
    use fearless_simd::dispatch;
    use impinge_shapes::simd::SimdLevel;

    use super::*;

    /// Numbers below what it is given.
    pub(crate) fn random(mut state: u32) -> impl FnMut(u32) -> u32 {
        move |below| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        }
    }

    /// Boxes on a small lattice, so that faces meet often; some faces are infinite, some are
    /// neighbours among the numbers.
    pub(crate) fn draw(random: &mut impl FnMut(u32) -> u32) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        for axis in 0..3 {
            let mut face = || match random(40) {
                0 => f32::NEG_INFINITY,
                1 => f32::INFINITY,
                2 => 3.0_f32.next_up(),
                3 => 3.0_f32.next_down(),
                4 => -0.0,
                face => f32::from(u8::try_from(face % 10).unwrap()),
            };
            let (one, other) = (face(), face());
            (bounds.lo[axis], bounds.hi[axis]) = (one.min(other), one.max(other));
        }
        bounds
    }

    /// One lane at a time is compiled into the library where a machine has no vectors, and here.
    #[test]
    fn boxes_are_told_to_touch_as_one_by_one_at_every_level() {
        let mut random = random(3);
        let levels: Vec<SimdLevel> =
            SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name)).collect();
        let mut found = [0, 0];
        for round in 0..2000 {
            let (own, others) = (draw(&mut random), [(); WIDTH - 1].map(|()| draw(&mut random)));
            // The last one stays unused, and touches not even a box without end.
            let mut lanes = Lanes::UNUSED;
            for (lane, other) in others.iter().enumerate() {
                lanes.set(lane, other);
            }
            let expected = (0..).zip(&others).fold(0, |bits, (lane, other)| {
                found[usize::from(own.touches(other))] += 1;
                bits | u64::from(own.touches(other)) << lane
            });
            for level in &levels {
                let bits = dispatch!(level.level(), simd => lanes.touching(simd, &own));
                assert_eq!(bits, expected, "round {round}, {}", level.name());
            }
        }
        assert!(levels.len() > 1 && found[0] > 3000 && found[1] > 3000, "{found:?}");
    }
}
