//! Rays at triangles, as `facet.rs` of `impinge-shapes` takes them where f64 decides.

use impinge_shapes::tolerance::{FILTER, REPORTED};
use impinge_shapes::{Shape, ShapeRayHit, Triangle};

use super::RayOf;
use super::ball::unit;
use super::block::{Aimed, Cast, End, MOST_NUMBERS, Meeting, Target};
use crate::real::{Real, Real3, Turn};

/// Components of quaternions outside these bounds, zero excepted, are left to the single call.
///
/// - Units: none.
/// - Derivation: the single call scales the quaternion by a power of two first, which changes no
///   bit as long as no product underflows. The least factors are then 2^-208 of an entry of the
///   rotation (two components of 2^-81 with their last places) and 2^-149 of each coordinate; the
///   longest product, a weight, has two entries and three coordinates: 2^-863.
const COMPONENTS: [f64; 2] = [1.0 / (1_u64 << 60) as f64, (1_u64 << 20) as f64];

impl Target for Triangle {
    const COUNT: usize = 9;
    const TURNED: bool = true;
    const WEIGHTED: bool = true;

    #[inline(always)]
    fn numbers(&self) -> [f32; MOST_NUMBERS] {
        let [a, b, c] = self.vertices();
        [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z]
    }

    #[inline(always)]
    fn of(shape: &Shape) -> Option<&Self> {
        if let Shape::Triangle(triangle) = shape { Some(triangle) } else { None }
    }

    fn raycast(&self, item: &RayOf<'_, Self>, cast: &Cast<'_>) -> Option<ShapeRayHit> {
        self.raycast(item.pose, item.ray, cast.max_distance, cast.options)
    }

    /// - Error: the bounds are those of `RoughRay::misses` in `impinge-shapes`: at least twice what
    ///   the filtered predicate allows, so what is clear here is clear there, by the same numbers.
    #[inline(always)]
    fn meet<R: Real>(aim: &Aimed<R>, end: &End) -> Meeting<R> {
        let (columns, norm) = aim.scaled_rotation();
        let local =
            |v: Real3<R>| Real3::new(columns[0].dot(v), columns[1].dot(v), columns[2].dot(v));
        let number = |value| norm.all(value);
        let arm = aim.origin - aim.position;
        let (from, d) = (local(arm), local(aim.direction));
        let (a, b, c) = (aim.vector(0), aim.vector(3), aim.vector(6));
        let (ab, ca) = (b - a, a - c);
        let normal = ca.cross(ab);
        let speed = d.dot(normal);
        let to_a = a * norm - from;
        let height = to_a.dot(normal);
        let moment = d.cross(to_a);
        let (of_b, of_c) = (ca.dot(moment), ab.dot(moment));
        let whole = speed * norm;
        let weights = Real3::new(whole - of_b - of_c, of_b, of_c);

        let edge = largest(ab).most(largest(ca));
        let size = norm * largest(a) + norm * arm.sum_abs();
        let most_speed = norm * aim.direction.sum_abs();
        let share = number(2.0 * FILTER * 6.0) * edge;
        let error = share * most_speed * (number(2.0) * size + norm * edge);
        let speed_error = share * edge * most_speed;
        let height_error = share * edge * size;

        let zero = number(0.0);
        let turned = speed.below(zero);
        let facing = |x: R| R::pick(turned, -x, x);
        let (rate, ahead) = (facing(speed), facing(height));
        let sure = rate.above(speed_error);
        let over = weights.x.above(error) | weights.y.above(error) | weights.z.above(error);
        let under = weights.x.below(-error) | weights.y.below(-error) | weights.z.below(-error);
        let mut missed = (over & under) | (sure & ahead.below(-height_error));
        let within = |weight: R| facing(weight).above(error);
        let mut hit = sure
            & within(weights.x)
            & within(weights.y)
            & within(weights.z)
            & ahead.above(height_error);
        if end.max_distance.is_finite() {
            let max = number(end.max_distance);
            missed = missed | (sure & (ahead - height_error).above(max * (rate + speed_error)));
            hit = hit & (ahead + height_error).below(max * (rate - speed_error));
        }
        if end.cull_back_faces {
            missed = missed | (sure & !turned);
            hit = hit & turned;
        }
        for component in aim.rotation {
            let magnitude = component.abs();
            let plain =
                number(COMPONENTS[0]).at_most(magnitude) & magnitude.at_most(number(COMPONENTS[1]));
            hit = hit & (plain | magnitude.at_most(zero));
        }

        // Three times the error: of a weight, and of the whole times a share near one at most.
        let room = whole.abs() - error;
        hit = hit & (number(3.0) * error).at_most(room * number(REPORTED));
        let extent = largest(normal);
        hit = hit & (share * edge).at_most(extent * number(REPORTED));
        let distance = height / speed;
        let error = height_error + distance.abs() * speed_error;
        let room = (rate - speed_error) * number(REPORTED);
        hit = hit & error.at_most(distance.abs() * room);

        let shares = weights * (number(1.0) / whole);
        let outward = Real3::pick(turned, normal, -normal);
        let normal = unit(Turn::scaled(aim.rotation).0.apply(outward));
        let inside = hit & !hit;
        Meeting { missed, hit, inside, distance, normal, weights: shares }
    }
}

/// The largest magnitude of a component.
#[inline(always)]
fn largest<R: Real>(v: Real3<R>) -> R {
    let Real3 { x, y, z } = v.abs();
    x.most(y.most(z))
}
