//! Axes of the world that are axes of a frame, too, as is one of whatever stands upright.
//!
//! Along them places are sums of given numbers, which f64 mostly has without any rounding: how what
//! rests on something lies to it is known without exact arithmetic.

use std::cmp::Ordering;

use impinge_shapes::convex::Core;
use impinge_shapes::glam::Vec3;
use impinge_shapes::{HalfSpace, Pose};

use crate::real::{Mask, Real, known_sum};
use crate::witness::Sides;

/// An axis of a frame that lies along an axis of the world, or against it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Own {
    /// Of the frame's three.
    pub(crate) index: usize,
    /// 1 where the two run the same way, else -1.
    pub(crate) sign: f64,
}

impl Own {
    /// The axis that lies along the world's axis `world`.
    ///
    /// - Derivation: the row of the rotation for that axis has two entries that are exactly zero.
    ///   They are sums of two products of f32 numbers, which f64 holds, or of four squares of which
    ///   two and two are equal.
    #[inline]
    pub(crate) fn of(pose: &Pose, world: usize) -> Option<Self> {
        let q = pose.rotation();
        let (v, w) = (q.xyz().as_dvec3(), f64::from(q.w));
        let (i, j) = ((world + 1) % 3, (world + 2) % 3);
        let (own, one, other) = (v[world], v[i], v[j]);
        let is_zero = |x: f64| x.abs() <= 0.0;
        if is_zero(one) && is_zero(other) {
            return Some(Self { index: world, sign: 1.0 });
        }
        if is_zero(own) && is_zero(w) {
            return Some(Self { index: world, sign: -1.0 });
        }
        let is_as_long = |a: f64, b: f64| is_zero(a.abs() - b.abs());
        let first_pairs = is_as_long(w, one) && is_as_long(own, other);
        let other_pairs = is_as_long(w, other) && is_as_long(own, one);
        if !(first_pairs || other_pairs) {
            return None;
        }
        // Half of the row's two other entries.
        let (first, second) = ((own * one, -(w * other)), (own * other, w * one));
        let side = |entry: (f64, f64)| if entry.0 + entry.1 > 0.0 { 1.0 } else { -1.0 };
        if is_zero(second.0 + second.1) {
            return Some(Self { index: i, sign: side(first) });
        }
        is_zero(first.0 + first.1).then(|| Self { index: j, sign: side(second) })
    }

    /// How far a vector of the frame goes along the world's axis.
    #[inline]
    pub(crate) fn along(self, v: Vec3) -> f64 {
        self.sign * f64::from(v[self.index])
    }

    /// How far a core reaches from its origin along the world's axis, or against it where `way` is
    /// -1.
    pub(crate) fn reach(self, core: &Core<'_>, way: f64) -> f64 {
        let farthest = |points: &[Vec3]| {
            points.iter().fold(f64::NEG_INFINITY, |most, point| {
                let here = way * self.along(*point);
                if here > most { here } else { most }
            })
        };
        let upright = |half_height: f32, radius: f32| {
            f64::from(if self.index == 1 { half_height } else { radius })
        };
        match core {
            Core::Point => 0.0,
            Core::Segment(ends) => farthest(ends),
            Core::Triangle(corners) => farthest(corners),
            Core::Cuboid(half) => f64::from(half[self.index]),
            Core::Hull(hull) => {
                let (side, bounds) = (way * self.sign, hull.local_aabb());
                let end = if side > 0.0 { bounds.max() } else { bounds.min() };
                side * f64::from(end[self.index])
            }
            Core::Cylinder(it) => upright(it.half_height(), it.radius()),
            Core::Cone(it) => upright(it.half_height(), it.radius()),
        }
    }
}

/// Whether a frame may have an axis that lies along one of the world's: two components of its
/// quaternion are then as long as each other, or both zero.
#[inline(always)]
pub(crate) fn may_have_own(pose: &Pose) -> bool {
    let [x, y, z, w] = pose.rotation().to_array().map(f32::to_bits).map(|bits| bits << 1);
    (x == y) | (x == z) | (x == w) | (y == z) | (y == w) | (z == w)
}

/// The sum of numbers where no step to it needs rounding.
#[inline]
pub(crate) fn sum<const N: usize>(numbers: [f64; N]) -> Option<f64> {
    let (mut total, mut is_exact) = (0.0, true);
    for x in numbers {
        let (next, is_known) = known_sum(total, x);
        (total, is_exact) = (next, is_exact & is_known);
    }
    is_exact.then_some(total)
}

/// Compares with zero.
#[inline]
pub(crate) fn sign(x: f64) -> Ordering {
    x.partial_cmp(&0.0).unwrap_or(Ordering::Equal)
}

/// Whether a number is zero, in lanes.
#[inline(always)]
pub(crate) fn is_zero<R: Real>(x: R) -> R::Mask {
    x.equals(x.all(0.0))
}

/// A distance along an axis, and where it is known without rounding, in lanes.
#[derive(Clone, Copy)]
pub(crate) struct Gap<R: Real> {
    pub(crate) known: R::Mask,
    pub(crate) height: R,
}

impl<R: Real> Gap<R> {
    /// Less a number.
    #[inline(always)]
    pub(crate) fn less(self, number: R) -> Self {
        let (height, is_exact) = known_sum(self.height, -number);
        Self { known: self.known & is_exact, height }
    }

    /// Settles distances that are not certain.
    #[inline(always)]
    pub(crate) fn settle(self, certain: &mut R::Mask, distance: &mut R) {
        *distance = R::pick(*certain, *distance, R::pick(self.known, self.height, *distance));
        *certain = *certain | self.known;
    }

    /// On which side of touch, where that is known.
    #[inline(always)]
    pub(crate) fn sides(self) -> Sides<R::Mask> {
        let never = self.known.never();
        self.settle_sides(Sides::new(never, never))
    }

    /// Settles sides that are not certain.
    #[inline(always)]
    pub(crate) fn settle_sides(self, sides: Sides<R::Mask>) -> Sides<R::Mask> {
        let (zero, level) = (self.height.all(0.0), self.known & !sides.certain);
        Sides {
            certain: sides.certain | level,
            deep: (sides.deep & sides.certain) | (level & self.height.below(zero)),
            touch: level & is_zero(self.height),
        }
    }

    /// Not known where it is zero and `held`.
    #[inline(always)]
    pub(crate) fn unless_touching(self, held: R::Mask) -> Self {
        Self { known: self.known & !(held & is_zero(self.height)), ..self }
    }

    /// Whether those that are not deep come to touch, or to penetrate if they touch already, where
    /// the gap becomes less by `approach`, which is not rounded: where that is known, and where so.
    #[inline(always)]
    pub(crate) fn is_met(self, approach: R) -> (R::Mask, R::Mask) {
        let zero = approach.all(0.0);
        let (beyond, is_exact) = known_sum(approach, -self.height);
        let known = self.known & is_exact & zero.at_most(self.height);
        (known, approach.above(zero) & zero.at_most(beyond))
    }
}

/// The boundary of a half-space, where it lies across an axis of the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Floor {
    /// The world's axis.
    axis: usize,
    /// 1 where the half-space lies against the axis, seen from its boundary, else -1.
    up: f64,
    /// Height over the boundary of another's position.
    height: f64,
}

impl Floor {
    /// The floor below what is at `other`.
    pub(crate) fn new(shape: &HalfSpace, pose: &Pose, other: &Pose) -> Option<Self> {
        let normal = shape.normal();
        let is_zero = |i: usize| normal[i].abs() <= 0.0;
        let index = (0..3).find(|&i| is_zero((i + 1) % 3) && is_zero((i + 2) % 3))?;
        // Unit, without any rounding.
        if !(1.0..=1.0).contains(&normal[index].abs()) {
            return None;
        }
        let own_of = |axis| Own::of(pose, axis).filter(|own| own.index == index);
        let (axis, own) = (0..3).find_map(|axis| Some((axis, own_of(axis)?)))?;
        let up = own.along(normal);
        let [from, to] = [pose, other].map(|pose| up * f64::from(pose.position()[axis]));
        Some(Self { axis, up, height: sum([to, -from, -f64::from(shape.offset())])? })
    }

    /// The height of a point of the body at `pose`, which is the other, after the half-space has
    /// moved by `motion`, less a sum of radii.
    pub(crate) fn gap_of_point(
        &self,
        pose: &Pose,
        point: Vec3,
        motion: Vec3,
        [one, other]: [f32; 2],
    ) -> Option<f64> {
        let rise = if point.cmpeq(Vec3::ZERO).all() {
            0.0
        } else {
            self.up * Own::of(pose, self.axis)?.along(point)
        };
        sum([self.height, rise, -self.along(motion), -f64::from(one), -f64::from(other)])
    }

    /// The same for the lowest point of a core.
    pub(crate) fn gap(
        &self,
        pose: &Pose,
        core: &Core<'_>,
        motion: Vec3,
        [one, other]: [f32; 2],
    ) -> Option<f64> {
        let reach = Own::of(pose, self.axis)?.reach(core, -self.up);
        sum([self.height, -reach, -self.along(motion), -f64::from(one), -f64::from(other)])
    }

    /// How far a way of the world leads out of the half-space.
    #[inline]
    pub(crate) fn along(&self, way: Vec3) -> f64 {
        self.up * f64::from(way[self.axis])
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::exact::{Exact, ExactRotation};
    use impinge_shapes::glam::Quat;

    use super::*;

    /// Every quaternion of components from a short list, beside the rotation in exact arithmetic.
    #[test]
    fn axes_are_own_where_two_entries_of_a_row_are_zero() {
        let components = [0.0, 1.0, -1.0, 0.3, -0.3, 0.7];
        let (mut told, mut missed, mut none) = (0, 0, 0);
        for k in 0..6_usize.pow(4) {
            let of = |place: u32| components[k / 6_usize.pow(place) % 6];
            let q = Quat::from_xyzw(of(0), of(1), of(2), of(3));
            let Ok(pose) = Pose::new(Vec3::ZERO, q) else { continue };
            let exact = ExactRotation::from(pose.rotation());
            for world in 0..3 {
                let row: [&Exact; 3] = std::array::from_fn(|i| &exact.columns[i].0[world]);
                let others = row.iter().filter(|x| x.sign() != Ordering::Equal).count();
                match Own::of(&pose, world) {
                    Some(own) => {
                        assert!(may_have_own(&pose), "{q}");
                        assert_eq!(others, 1, "{q} {world}");
                        let expected =
                            if own.sign > 0.0 { Ordering::Greater } else { Ordering::Less };
                        assert_eq!(row[own.index].sign(), expected, "{q} {world}");
                        told += 1;
                    }
                    None if others == 1 => missed += 1,
                    None => none += 1,
                }
            }
        }
        assert!(told > 400 && none > 1_000, "{told} {none}");
        assert_eq!(missed, 0, "{told} {none}");
    }

    #[test]
    fn floors_tell_heights_without_rounding() {
        let below = HalfSpace::new(Vec3::Z, 0.5).unwrap();
        // Its Z is the world's Y.
        let quarter = Quat::from_xyzw(-0.5, 0.0, 0.0, 0.5);
        let pose = Pose::new(Vec3::new(3.0, 2.0, 1.0), quarter).unwrap();
        let turned = Quat::from_xyzw(0.0, 0.3, 0.0, 0.7);
        let other = Pose::new(Vec3::new(-4.0, 3.0, 9.0), turned).unwrap();
        let floor = Floor::new(&below, &pose, &other).unwrap();
        let compare = |point: Vec3, motion: Vec3, radius: f32| {
            floor.gap_of_point(&other, point, motion, [radius, 0.0]).map(sign)
        };
        let down = Vec3::new(1.0, -0.25, 2.0);
        assert_eq!(compare(down, Vec3::ZERO, 0.25), Some(Ordering::Equal));
        assert_eq!(compare(down, Vec3::Y * 1e-6, 0.25), Some(Ordering::Less));
        assert_eq!(compare(down, Vec3::Y * -1e-6, 0.25), Some(Ordering::Greater));
        assert_eq!(compare(Vec3::ZERO, Vec3::X, 0.5), Some(Ordering::Equal));
        let core = Core::Cuboid(Vec3::new(1.0, 0.25, 2.0));
        assert_eq!(floor.gap(&other, &core, Vec3::ZERO, [0.125, 0.125]), Some(0.0));
        // Digits that f64 does not hold are not guessed.
        assert_eq!(compare(down, Vec3::ZERO, 1e-30), None);
        let tilted = HalfSpace::new(Vec3::new(1e-30, 0.0, 1.0), 0.5).unwrap();
        assert!(Floor::new(&tilted, &pose, &other).is_none());
        let askew = Pose::new(Vec3::ZERO, Quat::from_xyzw(0.1, 0.0, 0.0, 1.0)).unwrap();
        assert!(Floor::new(&below, &askew, &other).is_none());
        assert_eq!(floor.gap_of_point(&askew, down, Vec3::ZERO, [0.0; 2]), None);
    }
}
