//! Rays at capsules, as `capsule.rs` of `impinge-shapes` takes them in plain f64.

use impinge_shapes::tolerance::{PLAIN, PLAIN_REPORTED, STEEP};
use impinge_shapes::{Capsule, Shape, ShapeRayHit};

use super::RayOf;
use super::block::{Aimed, Cast, End, MOST_NUMBERS, Meeting, Target};
use crate::real::{Mask, Real, Real3};

/// Where a line comes as near to a place or an axis as the radius.
struct Met<R: Real> {
    /// Where rounding does not hide whether it does.
    clear: R::Mask,
    discriminant: R,
    place: R,
    /// How far the place may be off.
    slack: R,
}

impl<R: Real> Met<R> {
    #[inline(always)]
    fn new(off: Real3<R>, way: Real3<R>, square: R, [reach, radius, error]: [R; 3]) -> Self {
        let along = off.dot(way);
        let discriminant = along * along - square * (off.dot(off) - radius * radius);
        let hidden = along.all(8.0) * reach * error;
        let root = discriminant.sqrt();
        Self {
            clear: discriminant.abs().above(hidden),
            discriminant,
            place: (-along - root) / square,
            slack: along.all(4.0) * (error + hidden / root) / square,
        }
    }
}

impl Target for Capsule {
    const COUNT: usize = 7;
    const TURNED: bool = true;
    const WEIGHTED: bool = false;

    #[inline(always)]
    fn numbers(&self) -> [f32; MOST_NUMBERS] {
        let (a, b) = (self.a(), self.b());
        [a.x, a.y, a.z, b.x, b.y, b.z, self.radius(), 0.0, 0.0]
    }

    #[inline(always)]
    fn of(shape: &Shape) -> Option<&Self> {
        if let Shape::Capsule(capsule) = shape { Some(capsule) } else { None }
    }

    fn raycast(&self, item: &RayOf<'_, Self>, cast: &Cast<'_>) -> Option<ShapeRayHit> {
        self.raycast(item.pose, item.ray, cast.max_distance, cast.options)
    }

    #[inline(always)]
    fn meet<R: Real>(aim: &Aimed<R>, end: &End) -> Meeting<R> {
        let ([x, y, z], norm) = aim.scaled_rotation();
        let (zero, half) = (norm.all(0.0), norm.all(0.5));
        let per = norm.all(1.0) / norm;
        let (arm, way) = (aim.origin - aim.position, aim.direction);
        let (a, b, radius) = (aim.vector(0), aim.vector(3), aim.numbers[6]);
        let axis = b - a;
        let whole = axis.dot(axis).sqrt();
        let reach = half * whole + radius;
        let size = arm.sum_abs() + (a.sum_abs() + b.sum_abs());
        let error = norm.all(PLAIN) * (size + radius);
        let reported = norm.all(PLAIN_REPORTED);

        let direction = Real3::new(x.dot(way), y.dot(way), z.dot(way)) * per;
        let speed = direction.dot(direction);
        let start = Real3::new(x.dot(arm), y.dot(arm), z.dot(arm)) * per - (a + b) * half;
        let begin = -start.dot(direction) / speed;
        let near = start + direction * begin;
        let beside = (reach + error) * (norm.all(1.0) + reported);
        let nearest = Real3::pick(begin.at_most(zero), start, near);
        let mut missed = nearest.dot(nearest).above(beside * beside);

        let unit = Real3::new(axis.x / whole, axis.y / whole, axis.z / whole);
        let (climb, height) = (unit.dot(direction), unit.dot(near));
        let (across, off) = (direction - unit * climb, near - unit * height);
        let steepness = across.dot(across);
        let side = Met::new(off, across, steepness, [reach, radius, error]);
        let (mut place, mut slack) = (side.place, side.slack);
        let steep = norm.all(STEEP).at_most(steepness) & whole.above(zero);
        let told = steep & side.clear & !missed;
        missed = missed | (told & side.discriminant.below(zero));
        let (end_of_axis, level) = (half * whole, height + climb * place);
        let beyond = level.abs() - end_of_axis;
        let mut told = told & !missed & beyond.abs().above(slack + error);
        let mut center = unit * level;
        let caps = told & beyond.above(zero);
        if caps.any() {
            let end = R::pick(level.below(zero), -end_of_axis, end_of_axis);
            center = Real3::pick(caps, unit * end, center);
            let cap = Met::new(near - center, direction, speed, [whole + radius, radius, error]);
            missed = missed | (caps & cap.clear & cap.discriminant.below(zero));
            told = told & !missed & (cap.clear | !caps);
            place = R::pick(caps, cap.place, place);
            slack = R::pick(caps, cap.slack, slack);
        }
        let distance = begin + place;
        let told =
            told & slack.at_most(distance * reported) & (slack + error).at_most(radius * reported);
        let (max, spread) = (norm.all(end.max_distance), norm.all(4.0 * PLAIN_REPORTED) * distance);
        missed = missed | (told & (distance - spread).above(max));
        let hit = told & (distance + spread).below(max);
        let v = near + direction * place - center;
        let normal = x * v.x + y * v.y + z * v.z;
        let length = normal.dot(normal).sqrt();
        let normal = Real3::new(normal.x / length, normal.y / length, normal.z / length);
        let inside = hit.never();
        Meeting { missed, hit, inside, distance, normal, weights: normal }
    }
}
