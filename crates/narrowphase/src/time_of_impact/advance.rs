//! Conservative advancement: steps that provably end before the two touch.

use impinge_shapes::glam::DVec3;

use super::course::{Axis, Course};
use crate::tolerance;

/// How the motion of a pair ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outcome {
    Apart,
    Touches { time: f64, axis: Axis },
    Unconverged { safe: f64 },
}

/// Goes along the course until the two touch, the time is past `until`, or the steps are used up.
///
/// Each step keeps to one direction along which the two are apart. The separation along it is the
/// least over all pairs of points; between two times, at which it is known, each pair's lies above
/// the chord less what its bend allows. So a step is proven by two values and one bound, and its
/// length can be chosen by the secant rule.
///
/// - Source: Mirtich (1996) and Zhang, Redon, Lee & Kim, *Continuous collision detection for
///   articulated models* (2007), on advancement; the chord in place of the greatest speed makes it
///   converge as fast as root finding.
pub(super) fn advance(course: &Course<'_>, allowed: f64, until: f64, iterations: u32) -> Outcome {
    let steps = Steps { course, allowed, noise: course.noise(), speed: course.speed() };
    let mut time = 0.0_f64;
    let mut guess = None;
    for _ in 0..iterations {
        let axis = course.axis(time, guess);
        guess = Some(axis.normal);
        let apart = course.along(axis.normal, time);
        let step = if apart > allowed {
            steps.clear(axis.normal, time, apart)
        } else {
            match steps.near(axis.normal, time, apart) {
                Some(step) => step,
                None => return Outcome::Touches { time, axis },
            }
        };
        let next = time + step;
        if next >= 1.0 || next > until {
            return Outcome::Apart;
        }
        time = next;
    }
    Outcome::Unconverged { safe: time }
}

/// What a step is proven with.
struct Steps<'a> {
    course: &'a Course<'a>,
    /// The tolerance.
    allowed: f64,
    noise: f64,
    speed: f64,
}

impl Steps<'_> {
    /// A step, from where they are farther apart than the tolerance, that keeps them apart by half
    /// of it.
    fn clear(&self, normal: DVec3, time: f64, apart: f64) -> f64 {
        let rest = 1.0 - time;
        let floor = self.allowed * 0.5;
        let approach = self.course.approach(normal);
        if approach * rest <= apart - floor {
            return rest;
        }
        let surely = (apart - floor) / approach;
        let bend = self.course.bend(normal);
        let mut step = rest;
        for _ in 0..tolerance::IMPACT_TRIES {
            let there = self.course.along(normal, time + step);
            if lowest(apart, there, bend, step) >= floor {
                return step.max(surely);
            }
            // To between the floor and the tolerance, from where the next step knows a touch; what
            // fails by its bend alone is halved.
            let aim = self.allowed * 0.75;
            let share = if there < floor { (apart - aim) / (apart - there) } else { 0.5 };
            step *= share;
            if step <= surely {
                break;
            }
        }
        surely
    }

    /// A step from where they are near, which must not bring them nearer; `None` where each does.
    ///
    /// Between its ends they may sink by half of the tolerance. Where they touch at a corner there
    /// are many directions along which they are apart; the one that matters is that of where they
    /// go.
    fn near(&self, normal: DVec3, time: f64, apart: f64) -> Option<f64> {
        let rest = 1.0 - time;
        if lowest(apart, self.course.along(normal, 1.0), self.course.bend(normal), rest)
            > self.noise
        {
            return Some(rest);
        }
        let slack = apart.max(0.0) + self.allowed * 0.5;
        let longest = |bend: f64| rest.min((8.0 * slack / bend).sqrt());
        let first = longest(self.course.bend(normal));
        let short = |times: f64| times * self.allowed / self.speed;
        for step in [first, (first * 0.125).min(short(16.0)), (first / 64.0).min(short(1.0))] {
            if self.holds(normal, time, step, apart) {
                return Some(step);
            }
            let ahead = self.course.axis(time + step, Some(normal)).normal;
            let now = self.course.along(ahead, time);
            if now >= -self.noise && self.holds(ahead, time, step, now) {
                return Some(step);
            }
        }
        None
    }

    /// Whether a step ends no nearer than it began and sinks no deeper than it may.
    fn holds(&self, normal: DVec3, time: f64, step: f64, apart: f64) -> bool {
        let there = self.course.along(normal, time + step);
        there >= apart - self.noise
            && lowest(apart, there, self.course.bend(normal), step) >= self.allowed * -0.5
    }
}

/// Lower bound, over a step, of what is `from` at its start and `to` at its end and the least of
/// functions whose second derivatives are at most `bend`.
fn lowest(from: f64, to: f64, bend: f64, step: f64) -> f64 {
    let slope = (to - from) / step - bend * step * 0.5;
    let lowest_at = -slope / bend;
    if lowest_at > 0.0 && lowest_at < step {
        from - slope * slope / (2.0 * bend)
    } else {
        from.min(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_bound_is_that_of_the_parabola_through_both_ends() {
        assert!((lowest(1.0, 1.0, 2.0, 1.0) - 0.75).abs() < 1e-15);
        assert!((lowest(1.0, 1.0, 0.0, 1.0) - 1.0).abs() < 1e-15);
        // So steep that the lowest point is an end.
        assert!((lowest(5.0, 1.0, 2.0, 1.0) - 1.0).abs() < 1e-15);
        assert!(lowest(1.0, 0.5, 8.0, 1.0) < 0.5);
    }
}
