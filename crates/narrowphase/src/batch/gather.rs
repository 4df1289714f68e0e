//! Pairs side by side.

use fearless_simd::{Simd, f64x8, prelude::*};
use impinge_shapes::Pose;
use impinge_shapes::glam::DVec3;

use super::PairOf;
use super::source::{Item, Source};
use crate::real::{MOST_NUMBERS, Numbers, Placed, Real3};
use crate::witness::Room;

/// Pairs in a block of f64 lanes.
pub(super) const WIDTH: usize = 8;

/// Placed shapes side by side: a row for each of their numbers.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Rows<const W: usize> {
    pub(super) position: [[f32; W]; 3],
    pub(super) rotation: [[f32; W]; 4],
    pub(super) numbers: [[f32; W]; MOST_NUMBERS],
}

impl<const W: usize> Rows<W> {
    const EMPTY: Self = Self {
        position: [[0.0; W]; 3],
        rotation: [[0.0; W]; 4],
        numbers: [[0.0; W]; MOST_NUMBERS],
    };

    #[inline(always)]
    fn set<T: Numbers>(&mut self, lane: usize, shape: &T, pose: &Pose) {
        let position = pose.position();
        let lane = lane % W;
        self.position[0][lane] = position.x;
        self.position[1][lane] = position.y;
        self.position[2][lane] = position.z;
        if T::TURNED {
            let rotation = pose.rotation();
            self.rotation[0][lane] = rotation.x;
            self.rotation[1][lane] = rotation.y;
            self.rotation[2][lane] = rotation.z;
            self.rotation[3][lane] = rotation.w;
        }
        let numbers = self.numbers.iter_mut().zip(shape.numbers()).take(T::COUNT);
        for (row, number) in numbers {
            row[lane] = number;
        }
    }
}

impl<const W: usize> Rows<W> {
    /// The place of the shape in a lane, and its first three numbers.
    #[inline(always)]
    pub(super) fn place(&self, lane: usize) -> (DVec3, [f64; 3]) {
        let lane = lane % W;
        let three = |[x, y, z]: [&[f32; W]; 3]| [x[lane], y[lane], z[lane]].map(f64::from);
        let ([x, y, z], [a, b, c, ..]) = (&self.position, &self.numbers);
        (DVec3::from_array(three([x, y, z])), three([a, b, c]))
    }
}

impl Rows<WIDTH> {
    #[inline(always)]
    fn load<S: Simd>(&self, simd: S) -> Placed<f64x8<S>> {
        let [x, y, z] = &self.position;
        let [i, j, k, w] = &self.rotation;
        let [a, b, c, d, e, f, g] = &self.numbers;
        Placed {
            position: Real3 { x: widen(simd, x), y: widen(simd, y), z: widen(simd, z) },
            rotation: [widen(simd, i), widen(simd, j), widen(simd, k), widen(simd, w)],
            numbers: [
                widen(simd, a),
                widen(simd, b),
                widen(simd, c),
                widen(simd, d),
                widen(simd, e),
                widen(simd, f),
                widen(simd, g),
            ],
        }
    }
}

#[inline(always)]
pub(super) fn widen<S: Simd>(simd: S, row: &[f32; WIDTH]) -> f64x8<S> {
    let mut wide = [0.0; WIDTH];
    for (wide, &number) in wide.iter_mut().zip(row) {
        *wide = f64::from(number);
    }
    f64x8::load_array(simd, wide)
}

/// Pairs of one kind, as many as there are lanes or fewer.
pub(super) struct Block<const W: usize> {
    pub(super) a: Rows<W>,
    pub(super) b: Rows<W>,
    /// Bits of the lanes whose pairs are flipped.
    pub(super) flipped: u64,
    /// Bits of the lanes in use.
    pub(super) used: u64,
    /// What distances are compared with.
    pub(super) margin: f64,
}

impl<const W: usize> Block<W> {
    pub(super) const EMPTY: Self =
        Self { a: Rows::EMPTY, b: Rows::EMPTY, flipped: 0, used: 0, margin: 0.0 };

    /// Takes a pair.
    #[inline(always)]
    pub(super) fn set<A: Numbers, B: Numbers>(&mut self, lane: usize, pair: &PairOf<'_, A, B>) {
        self.a.set(lane, pair.a, pair.pose_a);
        self.b.set(lane, pair.b, pair.pose_b);
    }

    /// Takes the pairs from `first` on; lanes without a pair keep what they held.
    #[inline(always)]
    pub(super) fn gather<'a, K: Room>(
        &mut self,
        source: &(impl Source<'a, K> + ?Sized),
        first: usize,
    ) {
        (self.flipped, self.used) = (0, 0);
        for lane in 0..W {
            let Some(Item { pair, flipped }) = source.item(first + lane) else { break };
            self.set(lane, &pair);
            self.flipped |= u64::from(flipped) << lane;
            self.used |= 1 << lane;
        }
    }
}

impl Block<WIDTH> {
    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S) -> (Placed<f64x8<S>>, Placed<f64x8<S>>) {
        (self.a.load(simd), self.b.load(simd))
    }
}
