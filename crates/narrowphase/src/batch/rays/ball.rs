//! Rays at spheres, as `ball.rs` of `impinge-shapes` takes them where f64 decides.

use impinge_shapes::tolerance::{FILTER, REPORTED};
use impinge_shapes::{Shape, ShapeRayHit, Sphere};

use super::RayOf;
use super::block::{Aimed, Cast, End, MOST_NUMBERS, Meeting, Target};
use crate::real::{Real, Real3};

/// A number and the sum of the magnitudes of its terms; see `filter::Approx` in `impinge-shapes`.
///
/// No product of these kernels is so small that the least magnitude there would count: they have
/// at most six factors of 2^-149.
#[derive(Clone, Copy)]
struct Bounded<R> {
    value: R,
    magnitude: R,
}

impl<R: Real> Bounded<R> {
    #[inline(always)]
    fn error(self) -> R {
        self.magnitude * self.value.all(FILTER)
    }

    #[inline(always)]
    fn is_positive(self) -> R::Mask {
        self.value.above(self.error())
    }

    #[inline(always)]
    fn is_negative(self) -> R::Mask {
        (-self.value).above(self.error())
    }
}

/// A scalar product with its magnitude.
#[inline(always)]
fn dot<R: Real>(a: Real3<R>, b: Real3<R>) -> Bounded<R> {
    let (x, y, z) = (a.x * b.x, a.y * b.y, a.z * b.z);
    Bounded { value: x + y + z, magnitude: x.abs() + y.abs() + z.abs() }
}

/// A difference of two products with its magnitude.
#[inline(always)]
fn minor<R: Real>(a: R, b: R, c: R, d: R) -> Bounded<R> {
    let (first, second) = (a * b, c * d);
    Bounded { value: first - second, magnitude: first.abs() + second.abs() }
}

/// How the squared length of vectors compares with a square.
#[inline(always)]
fn beyond<R: Real>(v: Real3<R>, magnitudes: Real3<R>, square: R) -> Bounded<R> {
    Bounded { value: v.dot(v) - square, magnitude: magnitudes.dot(magnitudes) + square }
}

impl Target for Sphere {
    const COUNT: usize = 1;
    const TURNED: bool = false;
    const WEIGHTED: bool = false;

    #[inline(always)]
    fn numbers(&self) -> [f32; MOST_NUMBERS] {
        [self.radius(), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    }

    #[inline(always)]
    fn of(shape: &Shape) -> Option<&Self> {
        if let Shape::Sphere(sphere) = shape { Some(sphere) } else { None }
    }

    fn raycast(&self, item: &RayOf<'_, Self>, cast: &Cast<'_>) -> Option<ShapeRayHit> {
        self.raycast(item.pose, item.ray, cast.max_distance, cast.options)
    }

    #[inline(always)]
    fn meet<R: Real>(aim: &Aimed<R>, end: &End) -> Meeting<R> {
        let (from, d) = (aim.origin - aim.position, aim.direction);
        let radius = aim.numbers[0];
        let number = |value| radius.all(value);
        let square = radius * radius;
        let b = dot(from, d);
        let c = beyond(from, from, square);
        let moment = [
            minor(from.y, d.z, from.z, d.y),
            minor(from.z, d.x, from.x, d.z),
            minor(from.x, d.y, from.y, d.x),
        ];
        // One by one, because closures may stay out of line.
        let [mx, my, mz] = moment;
        let values = Real3::new(mx.value, my.value, mz.value);
        let magnitudes = Real3::new(mx.magnitude, my.magnitude, mz.magnitude);
        let a = d.dot(d);
        let discriminant = Bounded {
            value: a * square - values.dot(values),
            magnitude: a * square + magnitudes.dot(magnitudes),
        };
        let outside = c.is_positive();
        let mut missed = outside & (b.is_positive() | discriminant.is_negative());
        let mut hit = outside & b.is_negative() & discriminant.is_positive();
        if end.max_distance.is_finite() {
            let max = number(end.max_distance);
            // Where the line comes closest to the centre, and where the ray ends.
            let reach = max * a;
            let along = Bounded { value: -b.value - reach, magnitude: b.magnitude + reach };
            let way = d * max;
            let last = beyond(from + way, from.abs() + way.abs(), square);
            missed = missed | (outside & along.is_positive() & last.is_positive());
            hit = hit & (along.is_negative() | (along.is_positive() & last.is_negative()));
        }
        // The nearer root, in the form without cancellation.
        let root = discriminant.value.most(number(0.0)).sqrt();
        let root_error = {
            let error = discriminant.error();
            let wide = (root * root).above(error);
            R::pick(wide, error / root, (number(2.0) * error).sqrt()) + root * number(f64::EPSILON)
        };
        let denominator = root - b.value;
        let distance = c.value / denominator;
        let denominator_error = b.error() + root_error;
        let error = (c.error() + distance * denominator_error) / (denominator - denominator_error)
            + distance.abs() * number(2.0) * number(f64::EPSILON);
        hit = hit & number(0.0).at_most(error);
        hit = hit & error.at_most(distance.abs() * number(REPORTED));
        // The normal from the moment, which does not cancel for a start far away.
        let moment_error = moment[0].error() + moment[1].error() + moment[2].error();
        let error = d.dot(d).sqrt() * (moment_error + root_error);
        hit = hit & error.at_most(a * radius * number(REPORTED));
        let normal = d.cross(values) + d * (root * number(-1.0));
        hit = hit & normal.dot(normal).above(number(0.0));
        let inside = c.is_negative();
        Meeting { missed, hit, inside, distance, normal: unit(normal), weights: normal }
    }
}

/// The vector at unit length, as `crossing.rs` of `impinge-shapes` makes it.
///
/// No hit of these kernels has a normal so long or so short that its square needed a scale there:
/// it is about the radius of a ball, or the product of two edges and of the magnitudes of
/// `facet.rs`.
#[inline(always)]
pub(super) fn unit<R: Real>(v: Real3<R>) -> Real3<R> {
    let square = v.dot(v);
    v * (square.all(1.0) / square.sqrt())
}
