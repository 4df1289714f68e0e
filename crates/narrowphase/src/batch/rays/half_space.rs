//! Rays at half-spaces, as `half_space.rs` of `impinge-shapes` takes them in plain f64.

use impinge_shapes::tolerance::{PLAIN, PLAIN_REPORTED};
use impinge_shapes::{HalfSpace, Shape, ShapeRayHit};

use super::RayOf;
use super::block::{Aimed, Cast, End, MOST_NUMBERS, Meeting, Target};
use crate::real::{Real, Real3};

impl Target for HalfSpace {
    const COUNT: usize = 4;
    const TURNED: bool = true;
    const WEIGHTED: bool = false;

    #[inline(always)]
    fn numbers(&self) -> [f32; MOST_NUMBERS] {
        let n = self.normal();
        [n.x, n.y, n.z, self.offset(), 0.0, 0.0, 0.0, 0.0, 0.0]
    }

    #[inline(always)]
    fn of(shape: &Shape) -> Option<&Self> {
        if let Shape::HalfSpace(half_space) = shape { Some(half_space) } else { None }
    }

    fn raycast(&self, item: &RayOf<'_, Self>, cast: &Cast<'_>) -> Option<ShapeRayHit> {
        self.raycast(item.pose, item.ray, cast.max_distance, cast.options)
    }

    #[inline(always)]
    fn meet<R: Real>(aim: &Aimed<R>, end: &End) -> Meeting<R> {
        let ([x, y, z], norm) = aim.scaled_rotation();
        let (stored, offset) = (aim.vector(0), aim.numbers[3]);
        let normal = x * stored.x + y * stored.y + z * stored.z;
        let arm = aim.origin - aim.position;
        let height = normal.dot(arm) - norm * offset;
        let slope = normal.dot(aim.direction);
        let error = norm * norm.all(PLAIN);
        let height_error = error * (arm.sum_abs() + offset.abs());
        let slope_error = norm.all(2.0) * error;
        let inside = height.below(-height_error);
        let outside = height.above(height_error);
        let away = slope.above(slope_error);
        let distance = height / -slope;
        let reported = norm.all(PLAIN_REPORTED);
        let known =
            height_error.at_most(height * reported) & slope_error.at_most(-slope * reported);
        let (max, slack) = (norm.all(end.max_distance), norm.all(4.0 * PLAIN_REPORTED) * distance);
        let told = outside & known & !away;
        let missed = (outside & away) | (told & (distance - slack).above(max));
        let hit = told & (distance + slack).below(max);
        let length = normal.dot(normal).sqrt();
        let unit = Real3::new(normal.x / length, normal.y / length, normal.z / length);
        Meeting { missed, hit, inside, distance, normal: unit, weights: unit }
    }
}
