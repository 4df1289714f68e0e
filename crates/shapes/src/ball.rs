//! Rays against balls: spheres, and the caps of capsules.

use std::cmp::Ordering;

use glam::DVec3;

use crate::crossing::{Found, Limits, Pass};
use crate::filter::{Number, Vector, square_root};
use crate::ray::StartedInside;
use crate::tolerance;

/// The ray `from + t · direction` against the ball of a radius around zero.
#[derive(Clone, Debug)]
pub(crate) struct Ball<N> {
    pub(crate) from: Vector<N>,
    pub(crate) direction: Vector<N>,
    pub(crate) radius: N,
}

/// The polynomial `a t² + 2 b t + c` with `a > 0` and `discriminant = b² - a c ≥ 0`.
#[derive(Clone, Debug)]
pub(crate) struct Quadratic<N> {
    pub(crate) a: N,
    pub(crate) b: N,
    pub(crate) c: N,
    pub(crate) discriminant: N,
}

/// A root in f64 and a bound on its error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Root {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

impl Root {
    /// `None` where the error exceeds [`tolerance::REPORTED`]; a negative bound means that not
    /// even the divisor's sign is known.
    fn new(value: f64, error: f64) -> Option<Self> {
        let error = error + value.abs() * 2.0 * f64::EPSILON;
        (error >= 0.0 && error <= value.abs() * tolerance::REPORTED)
            .then_some(Self { value, error })
    }
}

impl<N: Number> Quadratic<N> {
    /// The smaller root where both are positive (`c > 0`, `b < 0`); `None` where the error
    /// exceeds [`tolerance::REPORTED`].
    ///
    /// - Source: Press et al., *Numerical Recipes* (2007), §5.6: the form without cancellation.
    pub(crate) fn first_root(&self) -> Option<Root> {
        let (root, root_error) = square_root(&self.discriminant);
        let denominator = root - self.b.value();
        let t = self.c.value() / denominator;
        let denominator_error = self.b.error() + root_error;
        let error = self.c.error() + t * denominator_error;
        Root::new(t, error / (denominator - denominator_error))
    }

    /// The larger root, where it is not negative; `None` where the error exceeds
    /// [`tolerance::REPORTED`].
    pub(crate) fn last_root(&self) -> Option<Root> {
        let (root, root_error) = square_root(&self.discriminant);
        let (numerator, denominator, numerator_error, denominator_error);
        if self.b.value() <= 0.0 {
            (numerator, denominator) = (root - self.b.value(), self.a.value());
            (numerator_error, denominator_error) = (self.b.error() + root_error, self.a.error());
        } else {
            (numerator, denominator) = (-self.c.value(), root + self.b.value());
            (numerator_error, denominator_error) = (self.c.error(), self.b.error() + root_error);
        }
        let t = numerator / denominator;
        let error = numerator_error + t * denominator_error;
        Root::new(t, error / (denominator - denominator_error))
    }
}

impl<N: Number> Ball<N> {
    /// How the point's distance from the centre compares with the radius.
    pub(crate) fn compare_distance(point: &Vector<N>, radius: &N) -> Option<Ordering> {
        point.length_squared().compared(&radius.squared())
    }

    /// What the ray finds; `None` where rounding hides it.
    pub(crate) fn probe(&self, limits: &Limits) -> Option<Found> {
        let inside = Self::compare_distance(&self.from, &self.radius)? != Ordering::Greater;
        match (inside, limits.started_inside) {
            (true, StartedInside::Hit) => return Some(Found::Inside),
            (true, StartedInside::Skip) => return Some(Found::Miss),
            _ => {}
        }
        let max = limits.max_distance.map(N::new);
        let pass = if inside {
            if let Some(max) = &max
                && self.stays_beyond(max)?
            {
                return Some(Found::Miss);
            }
            self.last_pass()?
        } else {
            if !self.is_hit(max.as_ref())? {
                return Some(Found::Miss);
            }
            self.first_pass()?
        };
        let Some(Pass { distance, normal }) = pass else { return Some(Found::Miss) };
        Some(Found::Boundary { started_inside: inside, distance, normal })
    }

    /// Where the ray, which enters up to `max`, leaves again up to `max`; the outer `None` where
    /// rounding hides it.
    pub(crate) fn leave(&self, max: Option<f64>) -> Option<Option<Pass>> {
        if let Some(max) = max
            && self.stays_beyond(&N::new(max))?
        {
            return Some(None);
        }
        self.last_pass()
    }

    fn at(&self, t: &N) -> Vector<N> {
        self.from.plus(&self.direction.scaled(t))
    }

    /// Whether the ray, which meets the ball up to `max`, is still inside after it.
    fn stays_beyond(&self, max: &N) -> Option<bool> {
        let end = self.at(max);
        Some(match Self::compare_distance(&end, &self.radius)? {
            Ordering::Less => true,
            // A ray of no length that starts on the surface may look inward.
            Ordering::Equal => end.dot(&self.direction).known_sign()? == Ordering::Less,
            Ordering::Greater => false,
        })
    }

    /// Whether the line comes closest to the centre before `max`.
    fn passes_before(&self, max: &N) -> Option<bool> {
        let along = self.from.dot(&self.direction).negated();
        along.at_most(&max.times(&self.direction.length_squared()))
    }

    /// Whether the ray meets the ball, its origin being outside.
    pub(crate) fn is_hit(&self, max: Option<&N>) -> Option<bool> {
        if self.from.dot(&self.direction).known_sign()? != Ordering::Less
            || self.line().1.discriminant.known_sign()? == Ordering::Less
        {
            return Some(false);
        }
        let Some(max) = max else { return Some(true) };
        let reaches = |end| Some(Self::compare_distance(&end, &self.radius)? != Ordering::Greater);
        Some(self.passes_before(max)? || reaches(self.at(max))?)
    }

    /// The moment `from × direction`, and the quadratic of the squared distance from the centre.
    ///
    /// Its discriminant is taken as `|d|² r² - |m × d|²`, which by Lagrange's identity equals
    /// `(m·d)² - |d|² (|m|² - r²)` but does not cancel for a start far away.
    fn line(&self) -> (Vector<N>, Quadratic<N>) {
        let moment = self.from.cross(&self.direction);
        let a = self.direction.length_squared();
        let squared_radius = self.radius.squared();
        let discriminant = a.times(&squared_radius).minus(&moment.length_squared());
        let b = self.from.dot(&self.direction);
        let c = self.from.length_squared().minus(&squared_radius);
        (moment, Quadratic { a, b, c, discriminant })
    }

    /// Where the line enters ahead of its origin, which is outside.
    pub(crate) fn first_pass(&self) -> Option<Option<Pass>> {
        let (moment, quadratic) = self.line();
        if quadratic.b.known_sign()? != Ordering::Less
            || quadratic.discriminant.known_sign()? == Ordering::Less
        {
            return Some(None);
        }
        let distance = quadratic.first_root()?.value;
        Some(Some(Pass { distance, normal: self.normal(&moment, &quadratic, -1.0)? }))
    }

    /// Where the line leaves at or ahead of its origin.
    pub(crate) fn last_pass(&self) -> Option<Option<Pass>> {
        let (moment, quadratic) = self.line();
        let outside = quadratic.c.known_sign()? == Ordering::Greater;
        if quadratic.discriminant.known_sign()? == Ordering::Less
            || (outside && quadratic.b.known_sign()? != Ordering::Less)
        {
            return Some(None);
        }
        let distance = quadratic.last_root()?.value;
        Some(Some(Pass { distance, normal: self.normal(&moment, &quadratic, 1.0)? }))
    }

    /// The normal where the line enters (`side` -1) or leaves (1).
    ///
    /// The point is `(d × (m × d) ± √discriminant · d) / |d|²`, whose first part is the place
    /// closest to the centre. Unlike `m + t d` it does not cancel for a start far away.
    fn normal(&self, moment: &Vector<N>, quadratic: &Quadratic<N>, side: f64) -> Option<DVec3> {
        let direction = self.direction.value();
        let (root, root_error) = square_root(&quadratic.discriminant);
        let error = direction.length() * (moment.error() + root_error);
        let length = quadratic.a.value() * self.radius.value();
        if error > length * tolerance::REPORTED {
            return None;
        }
        let normal = direction.cross(moment.value()) + direction * (root * side);
        // A ball without radius has no normal of its own.
        Some(if normal.length_squared() > 0.0 { normal } else { direction * side })
    }
}

/// What [`Ball::probe`] says, to the bit, of a ray `from + t · direction` that clearly misses the
/// ball of a radius around zero or clearly enters it from outside; `None` means nothing.
///
/// - Error: with `m` and `d` the sums of the components of both, products of the two have terms of
///   `m d` at most together, those of the moment's components of `2 m d`, so that the squares of
///   these are at most `4 m² d²`; [`tolerance::FILTER`] times that bounds the errors.
#[inline(always)]
pub(crate) fn plainly(
    from: DVec3,
    direction: DVec3,
    radius: f64,
    limits: &Limits,
) -> Option<Found> {
    // Doubled for the roundings of the magnitudes themselves.
    let share = 2.0 * tolerance::FILTER;
    let (m, d) = (from.abs().element_sum(), direction.abs().element_sum());
    let (square, squared_radius) = (from.length_squared(), radius * radius);
    let (b, c) = (from.dot(direction), square - squared_radius);
    let (b_error, c_error) = (share * m * d, share * (m * m + squared_radius));
    let outside = c > c_error;
    if !outside {
        return None;
    }
    let (moment, a) = (from.cross(direction), direction.length_squared());
    let discriminant = a * squared_radius - moment.length_squared();
    let error = share * d * d * (squared_radius + 4.0 * m * m);
    if b > b_error || discriminant < -error {
        return Some(Found::Miss);
    }
    let reached = limits.max_distance.is_none_or(|max| b_error - b < max * (a - share * d * d));
    if !(b < -b_error && discriminant > error && reached) {
        return None;
    }
    let root = discriminant.sqrt();
    let denominator = root - b;
    let distance = c / denominator;
    // As exact as they are reported, with half of it for the roundings from here on.
    let root_error = error / root;
    let denominator_error = b_error + root_error;
    let reported = 0.5 * tolerance::REPORTED;
    let told = (c_error + distance * denominator_error
        <= distance * (denominator - denominator_error) * reported)
        & (d * (2.0 * share * m * d + root_error) <= a * radius * reported);
    if !told {
        return None;
    }
    let normal = direction.cross(moment) + direction * -root;
    Some(Found::Boundary { started_inside: false, distance, normal })
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::exact::Exact;
    use crate::filter::Approx;
    use crate::{Ray, RayOptions};

    #[test]
    fn what_is_clear_is_also_true_and_most_is_clear() {
        let mut state = 3_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f32::from(u16::try_from(state >> 48).unwrap()) / 32768.0 - 1.0
        };
        let (mut clear_misses, mut misses, mut clear_hits, mut hits) = (0, 0, 0, 0);
        for round in 0..20_000 {
            let mut vector = |scale: f32| Vec3::new(random(), random(), random()) * scale;
            let scale = 2.0_f32.powi([0, 0, 40, -60, -120][round % 5]);
            let (origin, aim, sizes) = (vector(4.0 * scale), vector(1.5 * scale), vector(1.0));
            let radius = sizes.x.abs() * scale;
            let max = if sizes.y > 0.0 { f32::INFINITY } else { 6.0 * scale * sizes.z.abs() };
            let Ok(ray) = Ray::new(origin, aim - origin) else { continue };
            let limits = Limits::new(max, &RayOptions::default()).unwrap();
            fn ball<N: Number>(ray: &Ray, radius: f32) -> Ball<N> {
                let (from, direction) = (Vector::new(ray.origin()), Vector::new(ray.direction()));
                Ball { from, direction, radius: N::new(radius.into()) }
            }
            let exact = ball::<Exact>(&ray, radius).probe(&limits).unwrap();
            let (from, direction) = (ray.origin().as_dvec3(), ray.direction().as_dvec3());
            let said = plainly(from, direction, radius.into(), &limits);
            let missed = matches!(exact, Found::Miss);
            let entered = matches!(exact, Found::Boundary { .. });
            match said {
                Some(Found::Boundary { started_inside, distance, normal }) => {
                    assert!(entered && !started_inside, "{round}: {ray:?} {radius} {max}");
                    let approx = ball::<Approx>(&ray, radius).probe(&limits).unwrap();
                    let Found::Boundary { distance: d, normal: n, .. } = approx else {
                        panic!("{round}: {approx:?}");
                    };
                    assert_eq!(distance.to_bits(), d.to_bits(), "{round}: {ray:?} {radius}");
                    let bits = |v: DVec3| v.to_array().map(f64::to_bits);
                    assert_eq!(bits(normal), bits(n), "{round}: {ray:?} {radius}");
                    clear_hits += 1;
                }
                Some(found) => {
                    assert!(missed && matches!(found, Found::Miss), "{round}: {ray:?} {radius}");
                    clear_misses += 1;
                }
                None => {}
            }
            misses += u32::from(missed);
            hits += u32::from(entered);
        }
        assert!(clear_hits * 100 > hits * 80 && hits > 2000, "{clear_hits} of {hits}");
        assert!(clear_misses * 100 > misses * 80 && misses > 3000, "{clear_misses} of {misses}");
    }
}
