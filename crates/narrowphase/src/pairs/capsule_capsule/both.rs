//! The common case of one pair of capsules, with what is done for either core side by side.
//!
//! Two f64 fit into the registers of every machine that has any for vectors: A's number in the
//! first place, B's in the second. Most of [`super::witness`] does the same for both, and so does
//! each end that may be the nearest; the operations are the same ones in the same order, so that
//! the answers are the same to the bit. A choice between the ends is one of lanes, which no branch
//! has to guess.

use fearless_simd::{Simd, f32x4, f64x2, mask64x2, prelude::*};
use impinge_shapes::{Capsule, Pose};

use super::witness::{CapsuleCapsule, beyond, nearer_end};
use crate::pairs::capsule_sphere::cap;
use crate::real::{Numbers, Real, Real3, Turn, baseline};
use crate::tolerance;
use crate::witness::{One, Round, Witness};

/// A's number and B's.
type Both<S> = f64x2<S>;

/// The pair's nearest points; see [`Round::witness_of_one`].
#[inline(always)]
pub(super) fn witness(a: &One<'_, Capsule>, b: &One<'_, Capsule>) -> Witness<f64> {
    match baseline!() {
        Some(simd) => side_by_side(simd, (a.shape, a.pose), (b.shape, b.pose)),
        None => CapsuleCapsule::witness(&a.placed, &b.placed),
    }
}

/// Rows of four numbers of both.
#[inline(always)]
fn rows<S: Simd>(simd: S, a: [f32; 4], b: [f32; 4]) -> [Both<S>; 4] {
    let (a, b) = (f32x4::load_array(simd, a), f32x4::load_array(simd, b));
    let (x, y) = simd.widen_f32x4(a.zip_low(b));
    let (z, w) = simd.widen_f32x4(a.zip_high(b));
    [x, y, z, w]
}

/// B's numbers in A's place, and A's in B's.
#[inline(always)]
fn crossed<S: Simd>(v: Real3<Both<S>>) -> Real3<Both<S>> {
    Real3::new(v.x.reverse(), v.y.reverse(), v.z.reverse())
}

#[inline(always)]
fn first<S: Simd>(v: Both<S>) -> f64 {
    let [first, _]: [f64; 2] = v.into();
    first
}

#[inline(always)]
fn second<S: Simd>(v: Both<S>) -> f64 {
    let [_, second]: [f64; 2] = v.into();
    second
}

#[inline(always)]
fn of_a<S: Simd>(v: Real3<Both<S>>) -> Real3<f64> {
    Real3::new(first(v.x), first(v.y), first(v.z))
}

#[inline(always)]
fn of_b<S: Simd>(v: Real3<Both<S>>) -> Real3<f64> {
    Real3::new(second(v.x), second(v.y), second(v.z))
}

#[inline(always)]
fn spread<S: Simd>(simd: S, v: Real3<f64>) -> Real3<Both<S>> {
    Real3::new(f64x2::splat(simd, v.x), f64x2::splat(simd, v.y), f64x2::splat(simd, v.z))
}

/// See [`super::witness`].
#[inline(always)]
fn side_by_side<S: Simd>(simd: S, a: (&Capsule, &Pose), b: (&Capsule, &Pose)) -> Witness<f64> {
    let rotation = rows(simd, a.1.rotation().to_array(), b.1.rotation().to_array());
    let [ax, ay, az, ex, ey, ez, radius_a, ..] = a.0.numbers();
    let [bx, by, bz, fx, fy, fz, radius_b, ..] = b.0.numbers();
    let [x, y, z, _] = rows(simd, [ax, ay, az, ex], [bx, by, bz, fx]);
    let starts = Real3::new(x, y, z);
    let [x, y, z, _] = rows(simd, [ex, ey, ez, radius_a], [fx, fy, fz, radius_b]);
    let ends = Real3::new(x, y, z);
    let radius_a = f64::from(radius_a);
    let reach = radius_a + f64::from(radius_b);
    let position = Real3::from(a.1.position());
    let arm = Real3::from(b.1.position()) - position;
    let sizes = starts.sum_abs() + ends.sum_abs();
    let noise = (first(sizes) + second(sizes) + arm.sum_abs() + reach) * tolerance::FRAME;

    let [starts, along] = Turn::apply_twice(rotation, starts, ends - starts);
    let (start, along_a) = (of_a(starts), of_a(along));
    let offset = (arm + of_b(starts)) - start;
    let lines = Lines { simd, offset, along, other: crossed(along), squares: along.dot(along) };
    let cross = lines.cross();
    let square = cross.dot(cross);
    let sine = tolerance::SIDE_BY_SIDE_SINE;
    let slanted = square > sine * sine * first(lines.squares) * second(lines.squares);
    let inner = lines.inner(cross * (1.0 / square));
    let outside = beyond(inner);
    let (s, t, between, direction) = if outside.any_true() {
        let (s, t, between) = lines.at_ends(inner, outside);
        (s, t, between, between)
    } else {
        let moved = lines.along * inner;
        let between = offset + of_b(moved) - of_a(moved);
        let side = if between.dot(cross) < 0.0 { -1.0 } else { 1.0 };
        (first(inner), second(inner), between, cross * side)
    };
    let length = direction.dot(direction).sqrt();
    let normal = direction * (1.0 / length);
    let height = between.dot(normal);
    let distance = height - reach;
    let certain = (distance.abs() > noise) & (height > noise) & slanted;
    let point_a = position + (start + along_a * s + normal * radius_a);
    Witness {
        certain,
        single: certain,
        distance,
        normal,
        point_a,
        point_b: point_a + normal * distance,
        feature: 3.0 * cap(s) + cap(t),
    }
}

/// Two cores in world axes, from A's position.
#[derive(Clone, Copy)]
struct Lines<S: Simd> {
    simd: S,
    /// From A's start to B's.
    offset: Real3<f64>,
    along: Real3<Both<S>>,
    /// B's in A's place, and A's in B's.
    other: Real3<Both<S>>,
    squares: Both<S>,
}

impl<S: Simd> Lines<S> {
    #[inline(always)]
    fn cross(&self) -> Real3<f64> {
        let (v, w) = (self.along, self.other);
        let (x, y, z) = (v.y * w.z, v.z * w.x, v.x * w.y);
        Real3::new(first(x) - second(x), first(y) - second(y), first(z) - second(z))
    }

    /// The parameters where the two lines are nearest.
    #[inline(always)]
    fn inner(&self, scaled: Real3<f64>) -> Both<S> {
        spread(self.simd, self.offset).cross(self.other).dot(spread(self.simd, scaled))
    }

    /// The nearest points with A's end in the first place, and with B's end in the second; of them
    /// the nearer ones, if both ends may be it.
    #[inline(always)]
    fn at_ends(&self, inner: Both<S>, outside: mask64x2<S>) -> (f64, f64, Real3<f64>) {
        let ends = nearer_end(inner);
        let sign = f64x2::load_array(self.simd, [-1.0, 1.0]);
        let along = self.along * sign;
        let from = spread(self.simd, self.offset) + along * ends;
        let squares = self.squares.reverse();
        let shares = (from.dot(self.other) * sign / squares).to_share();
        let between = from + crossed(along) * shares;
        let (zero, one) = (ends.all(0.0), ends.all(1.0));
        let within = shares.above(zero) & shares.below(one);
        let tilt = Real::pick(within, between.dot(self.other) / squares, zero);
        let between = between - self.other * tilt;
        let square = between.dot(between);
        let nearer = square.at_most(square.reverse());
        // What the mask of the second place would be shows nowhere.
        let beside_b = outside.reverse();
        let of_a = outside & (!beside_b | nearer);
        let pick = |v: Both<S>, w: Both<S>| first(Real::pick(of_a, v, w.reverse()));
        let Real3 { x, y, z } = between;
        let between = Real3::new(pick(x, x), pick(y, y), pick(z, z));
        (pick(ends, shares), pick(shares, ends), between)
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::{Quat, Vec3};

    use super::*;

    fn bits(found: &Witness<f64>) -> [u64; 11] {
        let (n, a, b) = (found.normal, found.point_a, found.point_b);
        [found.distance, n.x, n.y, n.z, a.x, a.y, a.z, b.x, b.y, b.z, found.feature]
            .map(f64::to_bits)
    }

    /// One in the other's place, and cores along y as well as along anything.
    #[test]
    fn both_cores_side_by_side_answer_as_one_after_the_other() {
        for seed in 1..=4_u64 {
            let mut state = seed;
            let mut random = |coarse: bool| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let x = f32::from(u16::try_from(state >> 48).unwrap()) / 32768.0 - 1.0;
                if coarse { (x * 2.0).round() * 0.5 } else { x }
            };
            let (mut certain, mut inner, mut clear) = (0, 0, 0);
            for round in 0..10_000 {
                let coarse = round % 4 == 0;
                let mut vector =
                    |size: f32| Vec3::from_array([0; 3].map(|_| random(coarse))) * size;
                let mut placed = || {
                    let (start, end, axis) = (vector(1.0), vector(1.0), vector(1.0));
                    let radius = vector(0.4).x.abs();
                    let capsule = if round % 3 == 0 {
                        Capsule::new(start, end, radius).unwrap()
                    } else {
                        Capsule::along_y(start.x.abs(), radius).unwrap()
                    };
                    let turn = Quat::from_xyzw(axis.x, axis.y, axis.z, 0.5);
                    (capsule, Pose::new(vector(0.8), turn).unwrap())
                };
                let ((a, pose_a), (b, pose_b)) = (placed(), placed());
                let (one, other) = (One::new(&a, &pose_a), One::new(&b, &pose_b));
                let expected = CapsuleCapsule::witness(&one.placed, &other.placed);
                let found = witness(&one, &other);
                let case = format!("seed {seed}, round {round}: {a:?} {pose_a:?} {b:?} {pose_b:?}");
                assert_eq!(found.certain, expected.certain, "{case}");
                assert_eq!(found.single, expected.single, "{case}");
                if expected.certain {
                    assert_eq!(bits(&found), bits(&expected), "{case}");
                    certain += 1;
                    inner += u32::from(found.feature.to_bits() == 8.0_f64.to_bits());
                    clear += u32::from(found.distance > 0.0);
                }
            }
            let counts = [certain, certain - inner, inner, clear, certain - clear];
            assert!(counts.iter().all(|&count| count > 500), "seed {seed}: {counts:?}");
            assert!(certain < 10_000, "seed {seed}: no core without length, nor parallel ones");
        }
    }
}
