//! Two blocks in one pass: while one waits for a quotient or a root, the other goes on.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use crate::real::{Mask, Placed, Real, Real3};
use crate::witness::Witness;

/// A number of one block and of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Two<T>(T, T);

/// Implements an operator of two numbers.
macro_rules! operator {
    ($($trait:ident, $name:ident, $bound:ident;)*) => {$(
        impl<T: $bound> $trait for Two<T> {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self($trait::$name(self.0, other.0), $trait::$name(self.1, other.1))
            }
        }
    )*};
}
operator! {
    Add, add, Real;
    Sub, sub, Real;
    Mul, mul, Real;
    Div, div, Real;
    BitAnd, bitand, Mask;
    BitOr, bitor, Mask;
}

impl<R: Real> Neg for Two<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl<M: Mask> Not for Two<M> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0, !self.1)
    }
}

impl<M: Mask> Mask for Two<M> {
    #[inline(always)]
    fn any(self) -> bool {
        (self.0 | self.1).any()
    }
}

impl<R: Real> Real for Two<R> {
    type Mask = Two<R::Mask>;

    #[inline(always)]
    fn all(self, value: f64) -> Self {
        Self(self.0.all(value), self.1.all(value))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs(), self.1.abs())
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt(), self.1.sqrt())
    }

    #[inline(always)]
    fn below(self, other: Self) -> Self::Mask {
        Two(self.0.below(other.0), self.1.below(other.1))
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> Self::Mask {
        Two(self.0.at_most(other.0), self.1.at_most(other.1))
    }

    #[inline(always)]
    fn equals(self, other: Self) -> Self::Mask {
        Two(self.0.equals(other.0), self.1.equals(other.1))
    }

    #[inline(always)]
    fn pick(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(R::pick(mask.0, yes.0, no.0), R::pick(mask.1, yes.1, no.1))
    }
}

impl<R: Real> Two<R> {
    #[inline(always)]
    fn vectors(one: Real3<R>, other: Real3<R>) -> Real3<Self> {
        Real3 { x: Self(one.x, other.x), y: Self(one.y, other.y), z: Self(one.z, other.z) }
    }

    /// Shapes of one block and of another.
    #[inline(always)]
    pub(super) fn placed(one: &Placed<R>, other: &Placed<R>) -> Placed<Self> {
        let two = |p: R, q: R| Self(p, q);
        let ([a, b, c, d], [e, f, g, h]) = (one.rotation, other.rotation);
        let ([i, j, k, l, m, n, o, ..], [p, q, r, s, t, u, v, ..]) = (one.numbers, other.numbers);
        let ([.., w, x], [.., y, z]) = (one.numbers, other.numbers);
        Placed {
            position: Self::vectors(one.position, other.position),
            rotation: [two(a, e), two(b, f), two(c, g), two(d, h)],
            numbers: [
                two(i, p),
                two(j, q),
                two(k, r),
                two(l, s),
                two(m, t),
                two(n, u),
                two(o, v),
                two(w, y),
                two(x, z),
            ],
        }
    }
}

impl<R: Real> Witness<Two<R>> {
    /// The answers of one block and of the other.
    #[inline(always)]
    pub(super) fn parted(&self) -> [Witness<R>; 2] {
        let Self { certain, single, distance, normal, point_a, point_b, feature } = *self;
        let one = |v: Real3<Two<R>>| Real3 { x: v.x.0, y: v.y.0, z: v.z.0 };
        let other = |v: Real3<Two<R>>| Real3 { x: v.x.1, y: v.y.1, z: v.z.1 };
        [
            Witness {
                certain: certain.0,
                single: single.0,
                distance: distance.0,
                normal: one(normal),
                point_a: one(point_a),
                point_b: one(point_b),
                feature: feature.0,
            },
            Witness {
                certain: certain.1,
                single: single.1,
                distance: distance.1,
                normal: other(normal),
                point_a: other(point_a),
                point_b: other(point_b),
                feature: feature.1,
            },
        ]
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::{Quat, Vec3};
    use impinge_shapes::{Capsule, Cuboid, Pose, Sphere};

    use super::*;
    use crate::pairs::capsule_capsule::CapsuleCapsule;
    use crate::pairs::capsule_sphere::CapsuleSphere;
    use crate::pairs::cuboid_sphere::CuboidSphere;
    use crate::real::Numbers;
    use crate::witness::Round;

    fn bits(found: &Witness<f64>) -> [u64; 13] {
        let (n, a, b) = (found.normal, found.point_a, found.point_b);
        let sure = [found.certain, found.single].map(u64::from);
        let [d, f] = [found.distance, found.feature].map(f64::to_bits);
        let [i, j, k, l, m, o, p, q, r] =
            [n.x, n.y, n.z, a.x, a.y, a.z, b.x, b.y, b.z].map(f64::to_bits);
        [d, f, i, j, k, l, m, o, p, q, r, sure[0], sure[1]]
    }

    /// Each pair beside the one before, which may take the other way of every branch.
    fn check<K: Round>(a: impl Fn(Vec3) -> K::A, b: impl Fn(Vec3) -> K::B) {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f32::from(u16::try_from(state >> 48).unwrap()) / 32768.0 - 1.0
        };
        let (mut certain, mut deep) = (0, 0);
        let mut last: Option<(Placed<f64>, Placed<f64>)> = None;
        for round in 0..2000 {
            let mut vector = || Vec3::from_array([0; 3].map(|_| random()));
            let turn = if round % 7 == 0 { Vec3::ZERO } else { vector() };
            let pose = |at: Vec3| Pose::new(at, Quat::from_xyzw(turn.x, turn.y, turn.z, 0.5));
            let (pose_a, pose_b) = (pose(vector()).unwrap(), pose(vector()).unwrap());
            let pair = (Placed::of(&a(vector()), &pose_a), Placed::of(&b(vector()), &pose_b));
            if let Some((c, d)) = last.replace(pair) {
                let (one, other) = (K::witness(&pair.0, &pair.1), K::witness(&c, &d));
                let both = (Two::placed(&pair.0, &c), Two::placed(&pair.1, &d));
                let [found, next] = K::witness(&both.0, &both.1).parted();
                assert_eq!(found.certain, one.certain, "round {round}");
                if one.certain && other.certain {
                    assert_eq!(bits(&found), bits(&one), "round {round}");
                    assert_eq!(bits(&next), bits(&other), "round {round}");
                    certain += 1;
                    deep += u32::from(one.distance < 0.0);
                }
            }
        }
        assert!(deep > 100 && certain > deep + 100, "{certain} certain, {deep} deep");
        assert!(K::A::COUNT > 1 && K::IN_TWOS[0]);
    }

    #[test]
    fn two_pairs_in_one_pass_answer_as_one_after_the_other() {
        let capsule = |v: Vec3| {
            let (start, end) = if v.x < 0.0 { (Vec3::Y * v.y, Vec3::Y) } else { (v, -v * 0.5) };
            Capsule::new(start, end, v.z.abs() * 0.3).unwrap()
        };
        let cuboid = |v: Vec3| Cuboid::new(v.abs() * 0.5).unwrap();
        let sphere = |v: Vec3| Sphere::new(v.x.abs() * 0.5).unwrap();
        check::<CapsuleCapsule>(capsule, capsule);
        check::<CapsuleSphere>(capsule, sphere);
        check::<CuboidSphere>(cuboid, sphere);
    }
}
