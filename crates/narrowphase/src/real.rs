//! One source for one pair and for eight: the formulas of the common cases, written for numbers
//! that are an f64, or eight of them side by side.
//!
//! Both give the same bits: the operations are those of IEEE 754, in the order of the source.
//! A branch becomes a choice lane by lane; work that few lanes need is skipped where
//! [`Mask::any`] finds none, which for one f64 is the branch again.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use fearless_simd::{Simd, f64x2, f64x4, f64x8, mask64x2, mask64x4, mask64x8, prelude::*};
use impinge_shapes::Pose;
use impinge_shapes::glam::{DVec3, Vec3};

/// The vectors that the compiler may use anyway, so that nothing is dispatched; `None` where there
/// are none.
macro_rules! baseline {
    () => {{
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        let token = fearless_simd::Level::baseline().as_sse2();
        #[cfg(target_arch = "aarch64")]
        let token = fearless_simd::Level::baseline().as_neon();
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
        let token: Option<fearless_simd::Fallback> = None;
        token
    }};
}
pub(crate) use baseline;

/// Yes or no for each lane.
pub(crate) trait Mask:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// Whether it is yes in any lane.
    fn any(self) -> bool;

    /// No in all lanes.
    #[inline(always)]
    fn never(self) -> Self {
        self & !self
    }
}

/// An f64, or several side by side.
pub(crate) trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Answer of a comparison.
    type Mask: Mask;

    /// The value in all lanes; `self` only tells how many there are.
    fn all(self, value: f64) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// `self < other`.
    fn below(self, other: Self) -> Self::Mask;
    /// `self <= other`.
    fn at_most(self, other: Self) -> Self::Mask;
    /// `self == other`.
    fn equals(self, other: Self) -> Self::Mask;
    /// `yes` where the mask holds, `no` elsewhere.
    fn pick(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// `self > other`.
    #[inline(always)]
    fn above(self, other: Self) -> Self::Mask {
        other.below(self)
    }

    /// The smaller one; `other` where they are equal.
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        Self::pick(self.below(other), self, other)
    }

    /// The larger one; `other` where they are equal.
    #[inline(always)]
    fn most(self, other: Self) -> Self {
        Self::pick(other.below(self), self, other)
    }

    /// The number in `[0, 1]` nearest to it.
    #[inline(always)]
    fn to_share(self) -> Self {
        self.most(self.all(0.0)).least(self.all(1.0))
    }
}

impl Mask for bool {
    #[inline(always)]
    fn any(self) -> bool {
        self
    }
}

impl Real for f64 {
    type Mask = bool;

    #[inline(always)]
    fn all(self, value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self::abs(self)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::sqrt(self)
    }

    #[inline(always)]
    fn below(self, other: Self) -> bool {
        self < other
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> bool {
        self <= other
    }

    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        self <= other && other <= self
    }

    #[inline(always)]
    fn pick(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
}

/// A sum, and whether it is exact.
///
/// - Derivation: the sum less the larger of the two is not rounded (Dekker, Numerische Mathematik
///   18, 1971), so that it is the smaller one where nothing was lost, and nowhere else.
#[inline(always)]
pub(crate) fn known_sum<R: Real>(a: R, b: R) -> (R, R::Mask) {
    let sum = a + b;
    (sum, (sum - a).equals(b) & (sum - b).equals(a))
}

/// Implements both traits for lanes of one width.
macro_rules! lanes {
    ($real:ident, $mask:ident) => {
        impl<S: Simd> Mask for $mask<S> {
            #[inline(always)]
            fn any(self) -> bool {
                self.any_true()
            }
        }

        impl<S: Simd> Real for $real<S> {
            type Mask = $mask<S>;

            #[inline(always)]
            fn all(self, value: f64) -> Self {
                Self::splat(self.token(), value)
            }

            #[inline(always)]
            fn abs(self) -> Self {
                SimdBase::abs(self)
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                SimdFloat::sqrt(self)
            }

            #[inline(always)]
            fn below(self, other: Self) -> Self::Mask {
                self.simd_lt(other)
            }

            #[inline(always)]
            fn at_most(self, other: Self) -> Self::Mask {
                self.simd_le(other)
            }

            #[inline(always)]
            fn equals(self, other: Self) -> Self::Mask {
                self.simd_eq(other)
            }

            #[inline(always)]
            fn pick(mask: Self::Mask, yes: Self, no: Self) -> Self {
                mask.select(yes, no)
            }
        }
    };
}
lanes!(f64x2, mask64x2);
lanes!(f64x4, mask64x4);
lanes!(f64x8, mask64x8);

/// A vector of three [`Real`]s; its operations round like those of glam's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Real3<R> {
    pub(crate) x: R,
    pub(crate) y: R,
    pub(crate) z: R,
}

impl<R: Real> Real3<R> {
    #[inline(always)]
    pub(crate) fn new(x: R, y: R, z: R) -> Self {
        Self { x, y, z }
    }

    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> R {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub(crate) fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - other.y * self.z,
            y: self.z * other.x - other.z * self.x,
            z: self.x * other.y - other.x * self.y,
        }
    }

    #[inline(always)]
    pub(crate) fn abs(self) -> Self {
        Self { x: self.x.abs(), y: self.y.abs(), z: self.z.abs() }
    }

    /// Sum of the absolute components.
    #[inline(always)]
    pub(crate) fn sum_abs(self) -> R {
        self.x.abs() + self.y.abs() + self.z.abs()
    }

    #[inline(always)]
    pub(crate) fn pick(mask: R::Mask, yes: Self, no: Self) -> Self {
        Self {
            x: R::pick(mask, yes.x, no.x),
            y: R::pick(mask, yes.y, no.y),
            z: R::pick(mask, yes.z, no.z),
        }
    }
}

impl<R: Real> Add for Real3<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<R: Real> Sub for Real3<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl<R: Real> Mul<R> for Real3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: R) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

impl<R: Real> Neg for Real3<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z }
    }
}

impl From<Vec3> for Real3<f64> {
    #[inline(always)]
    fn from(v: Vec3) -> Self {
        Self { x: v.x.into(), y: v.y.into(), z: v.z.into() }
    }
}

impl From<DVec3> for Real3<f64> {
    #[inline(always)]
    fn from(v: DVec3) -> Self {
        Self { x: v.x, y: v.y, z: v.z }
    }
}

impl From<Real3<f64>> for DVec3 {
    #[inline(always)]
    fn from(v: Real3<f64>) -> Self {
        Self::new(v.x, v.y, v.z)
    }
}

/// A rotation by its columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn<R> {
    pub(crate) columns: [Real3<R>; 3],
}

impl<R: Real> Turn<R> {
    /// [`Pose::rotation_matrix`] to the bit.
    #[inline(always)]
    pub(crate) fn of([x, y, z, w]: [R; 4]) -> Self {
        let (zero, one) = (x.all(0.0), x.all(1.0));
        let unturned = (x.abs() + y.abs() + z.abs()).at_most(zero);
        let identity = Self {
            columns: [
                Real3::new(one, zero, zero),
                Real3::new(zero, one, zero),
                Real3::new(zero, zero, one),
            ],
        };
        if !(!unturned).any() {
            return identity;
        }
        let (Self { columns }, n) = Self::scaled([x, y, z, w]);
        // One by one, because closures may stay out of line.
        let [a, b, c] = columns;
        let first = Real3 { x: a.x / n, y: a.y / n, z: a.z / n };
        let second = Real3 { x: b.x / n, y: b.y / n, z: b.z / n };
        let third = Real3 { x: c.x / n, y: c.y / n, z: c.z / n };
        if !unturned.any() {
            return Self { columns: [first, second, third] };
        }
        let [a, b, c] = identity.columns;
        Self {
            columns: [
                Real3::pick(unturned, a, first),
                Real3::pick(unturned, b, second),
                Real3::pick(unturned, c, third),
            ],
        }
    }

    /// The rotation times the squared length of the quaternion, and that.
    ///
    /// - Error: entries within 2^-51 of the squared length: products of two f32 numbers are exact,
    ///   and no more than three sums of them follow.
    #[inline(always)]
    pub(crate) fn scaled([x, y, z, w]: [R; 4]) -> (Self, R) {
        let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
        // Twice the components instead of twice the six sums: no rounding is any different.
        let (twice_x, twice_y, twice_z) = (x + x, y + y, z + z);
        let (xy, xz, yz) = (twice_x * y, twice_x * z, twice_y * z);
        let (wx, wy, wz) = (w * twice_x, w * twice_y, w * twice_z);
        let columns = [
            Real3::new((ww + xx) - (yy + zz), xy + wz, xz - wy),
            Real3::new(xy - wz, (ww + yy) - (xx + zz), yz + wx),
            Real3::new(xz + wy, yz - wx, (ww + zz) - (xx + yy)),
        ];
        (Self { columns }, (xx + yy) + (zz + ww))
    }

    /// [`Turn::scaled`] and one over the squared length: one quotient in place of nine, for which
    /// the lanes of some machines have to wait one after the other.
    ///
    /// What maps axes onto axes has [`Turn::of`] and 1, so that nothing is rounded there.
    ///
    /// - Error: a vector turned by it and then multiplied is within 2^-50 of its length, besides the
    ///   sums: the entries within 2^-51, the squared length within 2^-52, the reciprocal and the
    ///   product within 2^-53 each.
    #[inline(always)]
    pub(crate) fn shared(rotation: [R; 4]) -> (Self, R) {
        let (Self { columns: [a, b, c] }, norm) = Self::scaled(rotation);
        let one = norm.all(1.0);
        let per_norm = one / norm;
        // Components add up to no more than the length where all but one of them are zero.
        let aligned = a.sum_abs().at_most(norm) & b.sum_abs().at_most(norm);
        if !aligned.any() {
            return (Self { columns: [a, b, c] }, per_norm);
        }
        let Self { columns: [x, y, z] } = Self::of(rotation);
        let columns =
            [Real3::pick(aligned, x, a), Real3::pick(aligned, y, b), Real3::pick(aligned, z, c)];
        (Self { columns }, R::pick(aligned, one, per_norm))
    }

    /// The second column of [`Turn::of`] to the bit, but for the zeros of what is not turned.
    #[inline(always)]
    pub(crate) fn second([x, y, z, w]: [R; 4]) -> Real3<R> {
        let two = x.all(2.0);
        let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
        let n = (xx + yy) + (zz + ww);
        Real3 {
            x: two * (x * y - w * z) / n,
            y: ((ww + yy) - (xx + zz)) / n,
            z: two * (y * z + w * x) / n,
        }
    }

    /// Two vectors turned from the body's axes to the world's: [`Turn::apply`] to the bit.
    ///
    /// Along the body's second axis, where capsules mostly lie, one column is enough: the others
    /// only add zeros, which show in nothing but the sign of a zero.
    #[inline(always)]
    pub(crate) fn apply_twice(rotation: [R; 4], u: Real3<R>, v: Real3<R>) -> [Real3<R>; 2] {
        let zero = u.x.all(0.0);
        let off = (u.x.abs() + u.z.abs()) + (v.x.abs() + v.z.abs());
        if !off.above(zero).any() {
            let column = Self::second(rotation);
            let product = ((column.x * column.y) * column.z) * (u.y * v.y);
            if !product.abs().at_most(zero).any() {
                return [column * u.y, column * v.y];
            }
        }
        let turn = Self::of(rotation);
        [turn.apply(u), turn.apply(v)]
    }

    /// From the body's axes to the world's.
    #[inline(always)]
    pub(crate) fn apply(&self, v: Real3<R>) -> Real3<R> {
        let [a, b, c] = self.columns;
        a * v.x + b * v.y + c * v.z
    }

    /// From the world's axes to the body's.
    #[inline(always)]
    pub(crate) fn undo(&self, v: Real3<R>) -> Real3<R> {
        let [a, b, c] = self.columns;
        Real3 { x: a.dot(v), y: b.dot(v), z: c.dot(v) }
    }
}

/// A pose and the numbers of the shape there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<R> {
    pub(crate) position: Real3<R>,
    /// The quaternion, x, y, z, w.
    pub(crate) rotation: [R; 4],
    /// As [`Numbers::numbers`] gives them.
    pub(crate) numbers: [R; MOST_NUMBERS],
}

/// A pose's quaternion, x, y, z, w.
#[inline(always)]
pub(crate) fn quaternion(pose: &Pose) -> [f64; 4] {
    let q = pose.rotation();
    [q.x.into(), q.y.into(), q.z.into(), q.w.into()]
}

/// Most numbers that a shape with a kernel has.
pub(crate) const MOST_NUMBERS: usize = 9;

/// A shape that is a few numbers.
pub(crate) trait Numbers {
    /// How many.
    const COUNT: usize;

    /// Whether it shows how the shape is turned.
    const TURNED: bool = true;

    /// Whether many pairs are likely to share one.
    const SHARED: bool = false;

    /// They come first; the rest is zero.
    fn numbers(&self) -> [f32; MOST_NUMBERS];

    /// The same in f64.
    #[inline(always)]
    fn wide(&self) -> [f64; MOST_NUMBERS] {
        // One by one, because closures may stay out of line.
        let [a, b, c, d, e, f, g, h, i] = self.numbers();
        [a.into(), b.into(), c.into(), d.into(), e.into(), f.into(), g.into(), h.into(), i.into()]
    }
}

impl Placed<f64> {
    #[inline(always)]
    pub(crate) fn of(shape: &impl Numbers, pose: &Pose) -> Self {
        Self { position: pose.position().into(), rotation: quaternion(pose), numbers: shape.wide() }
    }
}

impl<R: Real> Placed<R> {
    /// Three of the numbers as a vector.
    #[inline(always)]
    pub(crate) fn vector(&self, first: usize) -> Real3<R> {
        let n = &self.numbers;
        Real3 { x: n[first], y: n[first + 1], z: n[first + 2] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_known_where_nothing_was_lost() {
        let (mut state, mut seen) = (5_u64, [0; 2]);
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let digits = (state >> 11) as f64 * 2.0_f64.powi(-53) - 0.5;
            let short = 2.0_f64.powi([8, 24, 40, 52][(state >> 9 & 3) as usize]);
            // From next to nothing to next to infinity.
            let size = [0, 0, 7, -7, 30, -30, 1_023, -1_073][(state >> 6 & 7) as usize];
            (digits * short).round() / short * 2.0_f64.powi(size)
        };
        for case in 0..100_000 {
            let (a, mut b) = (random(), random());
            if case % 7 == 0 {
                b = [0.0, -0.0, -a, a, -a * 0.5, f64::MAX, f64::MIN_POSITIVE][case / 7 % 7];
            }
            let (sum, is_exact) = known_sum(a, b);
            let (expected, error) = impinge_shapes::round::two_sum(a, b);
            assert_eq!(sum.to_bits(), expected.to_bits(), "{a} {b}");
            assert_eq!(is_exact, error == 0.0, "{a} {b}");
            seen[usize::from(is_exact)] += 1;
        }
        assert!(seen.iter().all(|&count| count > 10_000), "{seen:?}");
        assert!(!known_sum(f64::MAX, f64::MAX).1 && !known_sum(f64::NAN, 1.0).1);
    }

    /// By one quotient or nine; to the bit where axes come onto axes.
    #[test]
    fn a_shared_quotient_turns_as_nine_do() {
        let mut state = 11_u64;
        let (mut exact, mut near) = (0, 0);
        let mut random = |coarse: bool| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let x = f64::from(u32::try_from(state >> 33).unwrap()) / f64::from(1 << 30) - 1.0;
            // As poses have them: f32 numbers.
            if coarse {
                x.round() * f64::from(0.707_106_77_f32)
            } else {
                (x * 4096.0).round() / 4096.0
            }
        };
        for round in 0..20_000 {
            let coarse = round % 2 == 0;
            let rotation = [random(coarse), random(coarse), random(coarse), random(coarse)];
            if rotation.iter().all(|x| x.abs() <= 0.0) {
                continue;
            }
            let v = Real3::new(random(false), random(false), random(false));
            let ((turn, per_norm), of) = (Turn::shared(rotation), Turn::of(rotation));
            let (found, expected) = (turn.apply(v) * per_norm, of.apply(v));
            let (back, expected_back) = (turn.undo(v) * per_norm, of.undo(v));
            let most = v.sum_abs() / f64::from(1 << 25) / f64::from(1 << 24);
            for (a, b) in [(found, expected), (back, expected_back)] {
                assert!((a - b).sum_abs() <= most, "round {round}: {rotation:?} {v:?}");
            }
            let bits = |v: Real3<f64>| [v.x, v.y, v.z].map(f64::to_bits);
            let entries = of.columns.map(|column| [column.x, column.y, column.z]);
            if entries.as_flattened().iter().all(|x| x.fract().abs() <= 0.0) {
                assert_eq!(bits(found), bits(expected), "round {round}: {rotation:?} {v:?}");
                exact += 1;
            } else {
                near += 1;
            }
        }
        assert!(exact > 1000 && near > 1000, "seed 11: {exact} {near}");
    }

    /// One column or three, the sign of each zero included.
    #[test]
    fn a_vector_along_the_second_axis_turns_as_any_other() {
        let (mut state, mut zeros) = (7_u64, [0, 0]);
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let x = f64::from(u32::try_from(state >> 33).unwrap()) / f64::from(1 << 30) - 1.0;
            // Zeros of either sign among them, and much that is equal.
            if state >> 32 & 1 == 0 { (x * 1.5).round() } else { x }
        };
        for round in 0..20_000 {
            let rotation = [random(), random(), random(), random()];
            if rotation.iter().all(|x| x.abs() <= 0.0) {
                continue;
            }
            let mut vector = || match round % 3 {
                0 => Real3::new(random(), random(), random()),
                1 => Real3::new(0.0, random(), 0.0),
                _ => Real3::new(-0.0, random(), 0.0),
            };
            let (u, v) = (vector(), vector());
            let turn = Turn::of(rotation);
            let found = Turn::apply_twice(rotation, u, v);
            for (found, expected) in found.into_iter().zip([turn.apply(u), turn.apply(v)]) {
                let bits = |v: Real3<f64>| [v.x, v.y, v.z].map(f64::to_bits);
                assert_eq!(bits(found), bits(expected), "round {round}: {rotation:?} {u:?} {v:?}");
                zeros[usize::from(bits(found).iter().any(|&x| x << 1 == 0))] += 1;
            }
        }
        assert!(zeros.iter().all(|&count| count > 5000), "{zeros:?}");
    }
}
