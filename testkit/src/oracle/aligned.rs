//! Axis-aligned boxes that move.

use glam::Vec3;
use impinge_shapes::Aabb;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::{
    Sweep, boxes,
    number::{Fraction, Scale, Vector},
};

struct Bounds {
    min: Vector,
    max: Vector,
}

fn whole(aabb: &Aabb, scale: Scale) -> Bounds {
    Bounds { min: scale.vector(aabb.min()), max: scale.vector(aabb.max()) }
}

fn numbers(aabb: &Aabb) -> impl Iterator<Item = f32> + use<> {
    aabb.min().to_array().into_iter().chain(aabb.max().to_array())
}

/// Linear motion of one finite box against another.
#[must_use]
pub fn sweep_aabbs(mover: &Aabb, displacement: Vec3, target: &Aabb) -> Sweep {
    let all = numbers(mover).chain(numbers(target)).chain(displacement.to_array());
    let scale = Scale::of(all);
    let (a, b, motion) = (whole(mover, scale), whole(target, scale), scale.vector(displacement));
    let slabs: Vec<_> = (0..3)
        .map(|i| {
            // Twice the difference of the centres, and the sum of the edges.
            let start = &a.min.0[i] + &a.max.0[i] - &b.min.0[i] - &b.max.0[i];
            let reach = &a.max.0[i] - &a.min.0[i] + &b.max.0[i] - &b.min.0[i];
            boxes::Slab { start, motion: &motion.0[i] * 2, reach, square: 4.into() }
        })
        .collect();
    boxes::through_slabs(&slabs, &motion.dot(&motion))
}

/// The movement that the per-axis rule permits: on each axis, obstacles that overlap the mover
/// strictly on the two others and lie entirely before or behind it cut the movement to the gap.
#[must_use]
pub fn clamp_movement(mover: &Aabb, movement: Vec3, obstacles: &[Aabb]) -> [Fraction; 3] {
    let all = obstacles.iter().flat_map(numbers).chain(numbers(mover));
    let scale = Scale::of(all.chain(movement.to_array()));
    let a = whole(mover, scale);
    let obstacles: Vec<Bounds> = obstacles.iter().map(|aabb| whole(aabb, scale)).collect();
    let strictly = |b: &Bounds, i: usize| a.min.0[i] < b.max.0[i] && b.min.0[i] < a.max.0[i];
    std::array::from_fn(|axis| {
        let mut way: BigInt = scale.whole(movement[axis]);
        for b in &obstacles {
            if !strictly(b, (axis + 1) % 3) || !strictly(b, (axis + 2) % 3) {
                continue;
            }
            let ahead = &b.min.0[axis] - &a.max.0[axis];
            let behind = &a.min.0[axis] - &b.max.0[axis];
            if way.is_positive() && !ahead.is_negative() {
                way = way.min(ahead);
            } else if way.is_negative() && !behind.is_negative() {
                way = way.max(-behind);
            }
        }
        if way.is_zero() {
            Fraction::zero()
        } else {
            Fraction::whole(way).shifted(scale.exponent())
        }
    })
}
