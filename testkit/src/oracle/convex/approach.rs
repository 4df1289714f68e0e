//! When a moving body first meets another.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{
    Contact,
    difference::{Difference, InF64, farthest},
    enter, expand,
    guess::guess,
    nearest::{Nearest, nearest},
    start,
};
use crate::oracle::{
    Sweep,
    number::{Fraction, Rough, Time, Vector},
};

/// Relative width to which a root is known.
const WIDTH: f64 = 1.0 / (1_u64 << 48) as f64;

/// Halvings after which the search gives up; reached by no case, as each gains a bit.
const MOST_STEPS: usize = 400;

/// Steps along a way in f64.
const MOST_ADVANCES: usize = 40;

/// Share of the way before a hit over which its incidence is taken, as a power of two.
const LAST_STRETCH: i32 = -30;

pub(super) fn sweep(difference: &Difference) -> Sweep {
    let start = start(difference);
    match start.contact {
        Contact::Penetrating => Sweep::StartOverlapping,
        Contact::Touching if start.is_flat => Sweep::StartTouching { enters: None },
        Contact::Touching => {
            let enters = if difference.has_radius() {
                // The distance falls, and what is convex and falls gets below.
                start.nearest.direction.dot(&difference.motion).is_positive()
            } else {
                enters(difference)
            };
            Sweep::StartTouching { enters: Some(enters) }
        }
        Contact::Apart => first_touch(difference),
    }
}

/// As [`sweep`] of bodies that are apart at the start.
pub(super) fn first_touch(difference: &Difference) -> Sweep {
    if difference.motion.is_zero() {
        Sweep::Miss
    } else if difference.has_radius() {
        into_reach(difference)
    } else {
        into_contact(difference)
    }
}

/// Whether a start on the boundary leads inside: the part of the line within a convex set lies
/// inside it or in its boundary as a whole.
fn enters(difference: &Difference) -> bool {
    if difference.motion.is_zero() {
        return false;
    }
    let Some(exit) = enter::exit(difference).filter(|t| t.numerator.is_positive()) else {
        return false;
    };
    let middle = difference.at(&exit.midpoint(&Fraction::zero()));
    expand::side(&middle, &nearest(&middle)).is_inside()
}

/// First touch of two bodies without radius that start apart.
fn into_contact(difference: &Difference) -> Sweep {
    let in_time =
        |time: &Fraction| time.numerator.is_positive() && *time <= Fraction::whole(BigInt::one());
    let Some(time) = enter::entry(difference).filter(in_time) else { return Sweep::Miss };
    let stretch = Fraction::whole(BigInt::one()).shifted(LAST_STRETCH);
    let share =
        Fraction::new(&stretch.denominator - &stretch.numerator, stretch.denominator.clone());
    let before = Fraction {
        numerator: &time.numerator * share.numerator,
        denominator: &time.denominator * share.denominator,
    };
    let just_before = difference.at(&before);
    let gap = nearest(&just_before).square;
    // The distance falls by `gap` in the last stretch of the time.
    let way = just_before.motion.times(&time.numerator);
    let square = &time.denominator * &time.denominator;
    let speed = Fraction::new(way.dot(&way), square).shifted(2 * LAST_STRETCH);
    let incidence =
        Fraction::new(gap.numerator * speed.denominator, gap.denominator * speed.numerator);
    Sweep::Hit { time: Time::Exact(time), incidence: incidence.sqrt_f64().min(1.0) }
}

/// The bodies at a time.
struct Moment {
    time: Fraction,
    /// The time in f64.
    about: f64,
    at: Difference,
    nearest: Nearest,
}

impl Moment {
    fn of(difference: &Difference, time: Fraction) -> Self {
        let at = difference.at(&time);
        let nearest = nearest(&at);
        Self { about: time.to_f64(), time, at, nearest }
    }

    fn is_in_reach(&self) -> bool {
        self.nearest.square <= self.at.reach()
    }

    /// When the feature that is nearest now comes into reach, if it is the one.
    fn guess(&self) -> Option<f64> {
        if self.nearest.is_origin() {
            return None;
        }
        let w = &self.at.motion;
        // The nearest point is `v / σ`, and the part of the motion across its feature has the
        // squared length `across / β`.
        let sum: BigInt = self.nearest.corners.iter().map(|(_, share)| share).sum();
        let parts = self.nearest.corners.iter().map(|(corner, share)| corner.at.times(share));
        let v = parts.fold(Vector::zero(), |sum, part| sum.plus(&part));
        let points: Vec<&Vector> = self.nearest.corners.iter().map(|(c, _)| &c.at).collect();
        let (across, beta) = match points.as_slice() {
            [_] => (w.dot(w), BigInt::one()),
            [p, q] => {
                let e = q.minus(p);
                let turned = w.cross(&e);
                (turned.dot(&turned), e.dot(&e))
            }
            [p, q, r] => {
                let n = q.minus(p).cross(&r.minus(p));
                let along = n.dot(w);
                (&along * &along, n.dot(&n))
            }
            _ => return None,
        };
        let radius = &self.at.radius * &sum;
        let a = &across * &sum * &sum;
        let b = v.dot(w) * &sum * &beta;
        let c = (v.dot(&v) - &radius * &radius) * &beta;
        let discriminant = &b * &b - &a * &c;
        if !a.is_positive() || !b.is_positive() || discriminant.is_negative() {
            return None;
        }
        // The lower root `(b − √disc) / a` is also this, where nothing cancels out.
        let other = Rough::of(&b).plus(Rough::of(&discriminant).sqrt());
        Some(self.about + Rough::of(&c).over(other).over_power(0))
    }

    /// Share of the speed with which the distance falls.
    fn incidence(&self) -> f64 {
        let (v, w) = (&self.nearest.direction, &self.at.motion);
        let along = v.dot(w);
        let square = v.dot(v) * w.dot(w);
        if square.is_zero() { 1.0 } else { Fraction::new(&along * &along, square).sqrt_f64() }
    }
}

/// When the distance of two bodies that start apart first is the sum of their radii.
///
/// The distance is convex in time, so a moment out of reach before one in reach, and the latter,
/// have the first touch between them.
fn into_reach(difference: &Difference) -> Sweep {
    if let Some(t) = about(difference) {
        let times = [t - t * WIDTH / 4.0, t + t * WIDTH / 4.0];
        let [low, high] = times.map(|t| Moment::of(difference, Fraction::of_f64(t)));
        if high.about <= 1.0 && high.is_in_reach() && !low.is_in_reach() {
            return hit(low, high);
        }
    }
    let swept = difference.swept();
    let closest = nearest(&swept);
    if closest.square > swept.reach() {
        return Sweep::Miss;
    }
    let count = difference.a.len();
    let shares = |moved_only: bool| -> BigInt {
        let counted = closest.corners.iter().filter(|(c, _)| !moved_only || c.tag >= count);
        counted.map(|(_, share)| share).sum()
    };
    let mut high = Moment::of(difference, Fraction::new(shares(true), shares(false)));
    let mut low = Moment::of(difference, Fraction::zero());
    let mut guess = low.guess();
    for step in 0..MOST_STEPS {
        let (from, to) = (low.about, high.about);
        if to - from <= WIDTH * to {
            break;
        }
        let inside = guess.filter(|t| from < *t && *t < to && step % 4 != 3);
        let tries = match inside {
            Some(t) => [t - t * WIDTH / 4.0, t + t * WIDTH / 4.0],
            None => [f64::midpoint(from, to); 2],
        };
        for t in tries {
            let time = Fraction::of_f64(t);
            if time <= low.time || time >= high.time {
                continue;
            }
            let moment = Moment::of(difference, time);
            guess = moment.guess();
            if moment.is_in_reach() {
                high = moment;
            } else {
                low = moment;
            }
        }
    }
    hit(low, high)
}

/// A first touch after one moment and no later than the other.
fn hit(low: Moment, high: Moment) -> Sweep {
    let incidence = low.incidence();
    Sweep::Hit { time: Time::Between(low.time, high.time), incidence }
}

/// When the two come into reach, by planes between them in f64: mostly within rounding of it. Nothing
/// here is relied on.
fn about(difference: &Difference) -> Option<f64> {
    let InF64 { points: [a, b], motion, radius } = difference.in_f64();
    let mut time = 0.0;
    for _ in 0..MOST_ADVANCES {
        let lowest = |direction| {
            let (i, j) = (farthest(&a, direction), farthest(&b, -direction));
            (b[j] - a[i] - motion * time, ())
        };
        let nearest = guess(lowest).point();
        let distance = nearest.length();
        let next = time + (distance - radius) / (nearest.dot(motion) / distance);
        if next.is_nan() || next > 1.0 {
            return None;
        }
        if next <= time * (1.0 + f64::EPSILON) {
            return Some(time);
        }
        time = next;
    }
    None
}
