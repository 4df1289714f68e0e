//! Rays at boxes, as `miss.rs` of `impinge-shapes` takes them.

use impinge_shapes::tolerance::{FILTER, REPORTED};
use impinge_shapes::{Cuboid, Shape, ShapeRayHit};

use super::RayOf;
use super::block::{Aimed, Cast, End, MOST_NUMBERS, Meeting, Target};
use crate::real::{Mask, Real, Real3};

/// `miss::Aim` of a box around zero: the ray in its frame, everything times `norm`.
struct Aim<R> {
    from: [R; 3],
    direction: [R; 3],
    reach: [R; 3],
    columns: [Real3<R>; 3],
    norm: R,
    error: R,
    speed_error: R,
    cross_error: R,
}

impl<R: Real> Aim<R> {
    #[inline(always)]
    fn new(aim: &Aimed<R>) -> Self {
        let arm = aim.origin - aim.position;
        let (columns, norm) = aim.scaled_rotation();
        let in_box = |v: Real3<R>| columns.map(|column| column.dot(v));
        let reach = aim.vector(0) * norm;
        let number = |value| norm.all(value);
        let share = 2.0 * FILTER;
        let size = norm * arm.sum_abs() + (reach.x + reach.y + reach.z);
        let way = aim.direction.sum_abs();
        Self {
            from: in_box(arm),
            direction: in_box(aim.direction),
            reach: [reach.x, reach.y, reach.z],
            columns,
            norm,
            error: number(share) * size,
            speed_error: number(share) * norm * way,
            cross_error: number(4.0 * share) * norm * way * size,
        }
    }

    /// Where the ray certainly misses.
    #[inline(always)]
    fn misses(&self, max_distance: R) -> R::Mask {
        let Self { from: m, direction: d, reach, .. } = *self;
        let zero = self.norm.all(0.0);
        let beside = |i: usize| {
            let speed = R::pick(m[i].below(zero), -d[i], d[i]);
            let gap = m[i].abs() - reach[i] - self.error;
            let closing = self.speed_error - speed;
            gap.above(zero) & (closing.at_most(zero) | (closing * max_distance).below(gap))
        };
        let past = |j: usize, k: usize| {
            let height = (m[j] * d[k] - m[k] * d[j]).abs();
            height.above(reach[j] * d[k].abs() + reach[k] * d[j].abs() + self.cross_error)
        };
        beside(0) | beside(1) | beside(2) | past(1, 2) | past(2, 0) | past(0, 1)
    }

    /// Where the ray certainly enters from outside, at which distance and with which normal.
    #[inline(always)]
    fn entry(&self, max_distance: R) -> (R::Mask, R, Real3<R>) {
        let Self { from: m, direction: d, reach, error, speed_error, .. } = *self;
        let number = |value| self.norm.all(value);
        let zero = number(0.0);
        let (mut distance, mut gap, mut speed) = (zero, zero, zero);
        let later = [0, 1, 2].map(|i| {
            let gap_here = m[i].abs() - reach[i];
            let closing = R::pick(m[i].below(zero), d[i], -d[i]);
            let here = gap_here / closing;
            let later = gap_here.above(error) & closing.above(speed_error) & here.above(distance);
            distance = R::pick(later, here, distance);
            gap = R::pick(later, gap_here, gap);
            speed = R::pick(later, closing, speed);
            later
        });
        // The last axis that was later than those before it.
        let chosen = [later[0] & !(later[1] | later[2]), later[1] & !later[2], later[2]];
        let share = number(2.0) * (error / gap + speed_error / speed);
        let spread = distance * share;
        let noise = number(2.0) * (error + distance * speed_error);
        let mut unclear = share.above(number(REPORTED)) | (distance + spread).above(max_distance);
        for i in 0..3 {
            let place = (m[i] + d[i] * distance).abs();
            let reached = (place + d[i].abs() * spread + noise).above(reach[i]);
            unclear = unclear | (!chosen[i] & reached);
        }
        let [x, y, z] = self.columns;
        let column = Real3::pick(chosen[0], x, Real3::pick(chosen[1], y, z));
        let from = R::pick(chosen[0], m[0], R::pick(chosen[1], m[1], m[2]));
        let length = R::pick(from.below(zero), -self.norm, self.norm);
        let normal = Real3::new(column.x / length, column.y / length, column.z / length);
        (!unclear & (later[0] | later[1] | later[2]), distance, normal)
    }
}

impl Target for Cuboid {
    const COUNT: usize = 3;
    const TURNED: bool = true;
    const WEIGHTED: bool = false;

    #[inline(always)]
    fn numbers(&self) -> [f32; MOST_NUMBERS] {
        let h = self.half_extents();
        [h.x, h.y, h.z, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    }

    #[inline(always)]
    fn of(shape: &Shape) -> Option<&Self> {
        if let Shape::Cuboid(cuboid) = shape { Some(cuboid) } else { None }
    }

    fn raycast(&self, item: &RayOf<'_, Self>, cast: &Cast<'_>) -> Option<ShapeRayHit> {
        self.raycast(item.pose, item.ray, cast.max_distance, cast.options)
    }

    #[inline(always)]
    fn meet<R: Real>(aim: &Aimed<R>, end: &End) -> Meeting<R> {
        let max_distance = aim.numbers[0].all(end.max_distance);
        let aim = Aim::new(aim);
        let missed = aim.misses(max_distance);
        if !(!missed).any() {
            let (distance, normal) = (aim.norm, aim.columns[0]);
            return Meeting { missed, hit: !missed, distance, normal, weights: normal };
        }
        let (entered, distance, normal) = aim.entry(max_distance);
        Meeting { missed, hit: entered & !missed, distance, normal, weights: normal }
    }
}
