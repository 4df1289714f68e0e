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
        let reach = aim.vector(0) * norm;
        let share = 2.0 * FILTER;
        let size = norm * arm.sum_abs() + (reach.x + reach.y + reach.z);
        let way = aim.direction.sum_abs();
        // No closures here: the compiler leaves them out of line, where they lose the vectors.
        let ([x, y, z], way_in_world) = (columns, aim.direction);
        Self {
            from: [x.dot(arm), y.dot(arm), z.dot(arm)],
            direction: [x.dot(way_in_world), y.dot(way_in_world), z.dot(way_in_world)],
            reach: [reach.x, reach.y, reach.z],
            columns,
            norm,
            error: norm.all(share) * size,
            speed_error: norm.all(share) * norm * way,
            cross_error: norm.all(4.0 * share) * norm * way * size,
        }
    }

    /// Where the ray certainly misses.
    #[inline(always)]
    fn misses(&self, max_distance: R) -> R::Mask {
        let Self { from: m, direction: d, reach, .. } = *self;
        let zero = self.norm.all(0.0);
        let mut apart = zero.above(zero);
        for i in 0..3 {
            let gap = m[i].abs() - reach[i] - self.error;
            // As in `entry`, which needs the same number.
            let closing = self.speed_error + R::pick(m[i].below(zero), d[i], -d[i]);
            let late = (closing * max_distance).below(gap);
            apart = apart | (gap.above(zero) & (closing.at_most(zero) | late));
        }
        for (j, k) in [(1, 2), (2, 0), (0, 1)] {
            let height = (m[j] * d[k] - m[k] * d[j]).abs();
            let most = reach[j] * d[k].abs() + reach[k] * d[j].abs() + self.cross_error;
            apart = apart | height.above(most);
        }
        apart
    }

    /// Where the ray certainly starts in the box.
    #[inline(always)]
    fn starts_inside(&self) -> R::Mask {
        let Self { from: [x, y, z], reach: [a, b, c], error, .. } = *self;
        (x.abs() + error).below(a) & (y.abs() + error).below(b) & (z.abs() + error).below(c)
    }

    /// Where the ray certainly enters from outside, at which distance and with which normal.
    #[inline(always)]
    fn entry(&self, max_distance: R) -> (R::Mask, R, Real3<R>) {
        let Self { from: m, direction: d, reach, error, speed_error, .. } = *self;
        let (zero, one, two) = (self.norm.all(0.0), self.norm.all(1.0), self.norm.all(2.0));
        let (mut gap, mut speed) = (zero, one);
        let mut later = [zero.above(zero); 3];
        for i in 0..3 {
            let gap_here = m[i].abs() - reach[i];
            let closing = R::pick(m[i].below(zero), d[i], -d[i]);
            let last = (gap_here * speed).above(gap * closing);
            later[i] = gap_here.above(error) & closing.above(speed_error) & last;
            gap = R::pick(later[i], gap_here, gap);
            speed = R::pick(later[i], closing, speed);
        }
        // The last axis that was later than those before it.
        let chosen = [later[0] & !(later[1] | later[2]), later[1] & !later[2], later[2]];
        // One quotient for both.
        let per_both = one / (speed * self.norm);
        let (per_speed, per_norm) = (per_both * self.norm, per_both * speed);
        let distance = gap * per_speed;
        let noise = two * (error + distance * speed_error);
        let spread = noise * per_speed;
        let mut unclear = spread.above(distance * self.norm.all(REPORTED))
            | (distance + spread).above(max_distance);
        for i in 0..3 {
            let place = (m[i] + d[i] * distance).abs();
            let reached = (place + d[i].abs() * spread + noise).above(reach[i]);
            unclear = unclear | (!chosen[i] & reached);
        }
        let [x, y, z] = self.columns;
        let column = Real3::pick(chosen[0], x, Real3::pick(chosen[1], y, z));
        let from = R::pick(chosen[0], m[0], R::pick(chosen[1], m[1], m[2]));
        let normal = column * R::pick(from.below(zero), -per_norm, per_norm);
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
            let none = !missed;
            return Meeting { missed, hit: none, inside: none, distance, normal, weights: normal };
        }
        let (entered, distance, normal) = aim.entry(max_distance);
        let inside = aim.starts_inside();
        Meeting { missed, hit: entered & !missed, inside, distance, normal, weights: normal }
    }
}
