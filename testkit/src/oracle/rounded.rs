//! A point that moves along a line, against a box or a segment: the squared distance is a convex
//! piecewise quadratic of the time, whose least value and first descent below a bound are exact.
//!
//! Spheres and capsules against spheres, capsules and boxes all come down to it: a capsule is the
//! path of a sphere, and radii add up.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::number::{Fraction, Surd, Time, Vector};

/// `start + time · motion`, for times from 0 to `last` (without end for `None`).
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) start: Vector,
    pub(super) motion: Vector,
    pub(super) last: Option<Fraction>,
}

/// What the point approaches, in the frame of the path.
#[derive(Clone, Debug)]
pub(super) enum Core {
    /// `|x_i| ≤ half_i`.
    Cuboid(Vector),
    /// Between two points.
    Segment(Vector, Vector),
}

/// `a·t² + 2·b·t + c` between two times.
struct Piece {
    start: Fraction,
    end: Option<Fraction>,
    a: BigInt,
    b: BigInt,
    c: BigInt,
}

/// The squared distance times `factor`, piece by piece.
pub(super) struct SquaredDistance {
    pieces: Vec<Piece>,
    factor: BigInt,
}

/// Squared distance from a path to a core.
pub(super) fn squared_distance(path: &Path, core: &Core) -> SquaredDistance {
    let mut breaks = vec![Fraction::zero()];
    let mut add = |value: BigInt, slope: &BigInt| {
        // The time at which `value + slope · t` is zero.
        if slope.is_zero() {
            return;
        }
        let time = Fraction::new(-value, slope.clone());
        if time > Fraction::zero() && path.last.as_ref().is_none_or(|last| time < *last) {
            breaks.push(time);
        }
    };
    let factor = match core {
        Core::Cuboid(half) => {
            for i in 0..3 {
                add(&path.start.0[i] - &half.0[i], &path.motion.0[i]);
                add(&path.start.0[i] + &half.0[i], &path.motion.0[i]);
            }
            BigInt::one()
        }
        Core::Segment(a, b) => {
            let along = b.minus(a);
            let slope = path.motion.dot(&along);
            add(path.start.minus(a).dot(&along), &slope);
            add(path.start.minus(b).dot(&along), &slope);
            let square = along.dot(&along);
            if square.is_zero() { BigInt::one() } else { square }
        }
    };
    breaks.sort();
    let ends = breaks.iter().skip(1).cloned().map(Some).chain([path.last.clone()]);
    let pieces = breaks.iter().cloned().zip(ends).map(|(start, end)| {
        let inside = end.as_ref().map_or_else(|| start.plus_one(), |end| start.midpoint(end));
        let [a, b, c] = match core {
            Core::Cuboid(half) => cuboid_piece(path, half, &inside),
            Core::Segment(from, to) => segment_piece(path, from, to, &inside),
        };
        Piece { start, end, a, b, c }
    });
    SquaredDistance { pieces: pieces.collect(), factor }
}

/// The quadratic that holds at a time, for a box.
fn cuboid_piece(path: &Path, half: &Vector, time: &Fraction) -> [BigInt; 3] {
    let [mut a, mut b, mut c] = [BigInt::zero(), BigInt::zero(), BigInt::zero()];
    for i in 0..3 {
        let (start, motion) = (&path.start.0[i], &path.motion.0[i]);
        // The coordinate at that time, times the denominator.
        let there = start * &time.denominator + motion * &time.numerator;
        let limit = &half.0[i] * &time.denominator;
        let (excess, slope) = if there > limit {
            (start - &half.0[i], motion.clone())
        } else if there < -limit {
            (-start - &half.0[i], -motion.clone())
        } else {
            continue;
        };
        a += &slope * &slope;
        b += &slope * &excess;
        c += &excess * &excess;
    }
    [a, b, c]
}

/// The quadratic that holds at a time, for a segment, times its squared length (if it has one).
fn segment_piece(path: &Path, from: &Vector, to: &Vector, time: &Fraction) -> [BigInt; 3] {
    let quadratic = |offset: &Vector| {
        [path.motion.dot(&path.motion), offset.dot(&path.motion), offset.dot(offset)]
    };
    let along = to.minus(from);
    let square = along.dot(&along);
    let offset = path.start.minus(from);
    if square.is_zero() {
        return quadratic(&offset);
    }
    let (start, slope) = (offset.dot(&along), path.motion.dot(&along));
    let there = &start * &time.denominator + &slope * &time.numerator;
    if there <= BigInt::zero() {
        return quadratic(&offset).map(|x| x * &square);
    }
    if there >= &square * &time.denominator {
        return quadratic(&path.start.minus(to)).map(|x| x * &square);
    }
    let [a, b, c] = quadratic(&offset).map(|x| x * &square);
    [a - &slope * &slope, b - &slope * &start, c - &start * &start]
}

impl Piece {
    fn at(&self, time: &Fraction) -> Fraction {
        let (p, q) = (&time.numerator, &time.denominator);
        Fraction {
            numerator: &self.a * p * p + &self.b * p * q * 2 + &self.c * q * q,
            denominator: q * q,
        }
    }

    /// The first time in this piece at which the value is at most the bound.
    fn first_at_most(&self, bound: &BigInt) -> Option<Time> {
        if self.at(&self.start) <= Fraction::whole(bound.clone()) {
            return Some(Time::Exact(self.start.clone()));
        }
        if self.a.is_zero() {
            return None;
        }
        // The value at the start lies above, so both roots lie on the same side of it: behind
        // unless the vertex −b/a comes later.
        if Fraction::new(-self.b.clone(), self.a.clone()) <= self.start {
            return None;
        }
        let discriminant = &self.b * &self.b - &self.a * (&self.c - bound);
        if discriminant.is_negative() {
            return None;
        }
        let in_time = self.end.as_ref().is_none_or(|end| {
            // −b − √disc ≤ a · end.
            let lead = -&self.b * &end.denominator - &self.a * &end.numerator;
            !lead.is_positive()
                || &lead * &lead <= &discriminant * &end.denominator * &end.denominator
        });
        let root = Surd { minus_b: -self.b.clone(), discriminant, a: self.a.clone(), exponent: 0 };
        in_time.then(|| Time::Root(Box::new(root)))
    }
}

impl SquaredDistance {
    /// The value at the start.
    pub(super) fn at_start(&self) -> Fraction {
        self.over_factor(self.pieces[0].at(&Fraction::zero()))
    }

    /// Whether the distance falls at the start.
    pub(super) fn falls_at_start(&self) -> bool {
        self.pieces[0].b.is_negative()
    }

    /// The least value on the path.
    pub(super) fn minimum(&self) -> Fraction {
        let mut least = self.at_start();
        for piece in &self.pieces {
            if let Some(end) = &piece.end {
                least = least.min(self.over_factor(piece.at(end)));
            }
            if !piece.a.is_zero() {
                let vertex = Fraction::new(-piece.b.clone(), piece.a.clone());
                let ends = piece.end.as_ref().is_some_and(|end| vertex > *end);
                if vertex > piece.start && !ends {
                    let value = &piece.a * &piece.c - &piece.b * &piece.b;
                    let value = Fraction::new(value, piece.a.clone());
                    least = least.min(self.over_factor(value));
                }
            }
        }
        least
    }

    /// The first time at which the squared distance is at most `square`.
    pub(super) fn first_at_most(&self, square: &BigInt) -> Option<Time> {
        let bound = square * &self.factor;
        self.pieces.iter().find_map(|piece| piece.first_at_most(&bound))
    }

    /// Share of the speed with which the distance falls at a root for this squared distance: its
    /// derivative is `√discriminant / (factor · distance)`.
    pub(super) fn incidence(&self, time: &Time, path: &Path, square: &BigInt) -> f64 {
        let Time::Root(surd) = time else { return 1.0 };
        let speed = path.motion.dot(&path.motion) * &self.factor;
        if square.is_zero() {
            // Without a radius the distance itself falls to zero, at the rate `√a`.
            return Fraction::new(surd.a.clone(), speed).sqrt_f64();
        }
        let whole = &self.factor * square * speed;
        Fraction::new(surd.discriminant.clone(), whole).sqrt_f64()
    }

    fn over_factor(&self, value: Fraction) -> Fraction {
        Fraction { numerator: value.numerator, denominator: value.denominator * &self.factor }
    }
}
