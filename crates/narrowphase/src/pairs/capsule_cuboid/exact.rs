//! The relation of a capsule and a box without rounding.

use std::cmp::Ordering;

use impinge_shapes::exact::{Exact, ExactRotation, ExactVec3};
use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Capsule, Cuboid};

use crate::{Relation, Relative, convex};

/// The segment and the box in the box's frame, everything times both quaternions' squared lengths.
struct ExactCore {
    start: ExactVec3,
    along: ExactVec3,
    half: [Exact; 3],
    radius: Exact,
}

/// A fraction with a positive denominator.
#[derive(Clone)]
struct Fraction(Exact, Exact);

impl Fraction {
    fn compare(&self, other: &Self) -> Ordering {
        (self.0.clone() * other.1.clone()).cmp(&(other.0.clone() * self.1.clone()))
    }
}

impl ExactCore {
    fn new(a: &Capsule, b: &Cuboid, b_in_a: &Relative) -> Self {
        let rotation_a = ExactRotation::from(b_in_a.pose_a().rotation());
        let rotation_b = ExactRotation::from(b_in_a.pose_b().rotation());
        let between = ExactVec3::from(b_in_a.pose_a().position())
            .minus(&b_in_a.pose_b().position().into())
            .scale(&rotation_a.norm);
        let in_b = |end: Vec3| rotation_b.unrotate(&between.plus(&rotation_a.rotate(&end.into())));
        let norm = rotation_a.norm.clone() * rotation_b.norm.clone();
        let (start, end) = (in_b(a.a()), in_b(a.b()));
        Self {
            along: end.minus(&start),
            start,
            half: b.half_extents().to_array().map(|h| Exact::from(h) * norm.clone()),
            radius: Exact::from(a.radius()) * norm,
        }
    }

    /// The part of the segment, as fractions, on which coordinate `i` is below the box (-1),
    /// beside it (0) or above it (1), for all `i`; `None` where there is no such part.
    fn part(&self, sides: [i8; 3]) -> Option<(Fraction, Fraction)> {
        let one = || Exact::from(1.0_f64);
        let mut low = Fraction(Exact::ZERO, one());
        let mut high = Fraction(one(), one());
        for (i, side) in sides.into_iter().enumerate() {
            let (at, by, half) = (&self.start.0[i], &self.along.0[i], &self.half[i]);
            // Each condition reads `constant + share * factor >= 0`.
            let above = (at.clone() - half.clone(), by.clone());
            let below = (-at.clone() - half.clone(), -by.clone());
            let not = |(constant, factor): &(Exact, Exact)| (-constant.clone(), -factor.clone());
            let conditions: &[(Exact, Exact)] = match side {
                1 => &[above],
                -1 => &[below],
                _ => &[not(&above), not(&below)],
            };
            for (constant, factor) in conditions {
                let at_zero = Fraction(-constant.clone(), factor.clone());
                match factor.sign() {
                    Ordering::Equal if constant.sign() == Ordering::Less => return None,
                    Ordering::Equal => {}
                    Ordering::Greater if at_zero.compare(&low) == Ordering::Greater => {
                        low = at_zero;
                    }
                    Ordering::Greater => {}
                    Ordering::Less => {
                        let bound = Fraction(constant.clone(), -factor.clone());
                        if bound.compare(&high) == Ordering::Less {
                            high = bound;
                        }
                    }
                }
            }
        }
        (low.compare(&high) != Ordering::Greater).then_some((low, high))
    }

    /// Compares the least distance of a part of the segment with the radius.
    fn compare_part(&self, sides: [i8; 3]) -> Option<Ordering> {
        let (low, high) = self.part(sides)?;
        let (mut square, mut mixed) = (Exact::ZERO, Exact::ZERO);
        let mut terms: Vec<(Exact, Exact)> = Vec::with_capacity(3);
        for i in (0..3).filter(|&i| sides[i] != 0) {
            let (at, by, half) = (&self.start.0[i], &self.along.0[i], &self.half[i]);
            let (excess, rate) = if sides[i] > 0 {
                (at.clone() - half.clone(), by.clone())
            } else {
                (-at.clone() - half.clone(), -by.clone())
            };
            square = square + rate.square();
            mixed = mixed + excess.clone() * rate.clone();
            terms.push((excess, rate));
        }
        let mut least = low;
        if square.sign() == Ordering::Greater {
            let vertex = Fraction(-mixed, square);
            if vertex.compare(&least) == Ordering::Greater {
                least = if vertex.compare(&high) == Ordering::Greater { high } else { vertex };
            }
        }
        let distance = terms.into_iter().fold(Exact::ZERO, |sum, (excess, rate)| {
            sum + (excess * least.1.clone() + rate * least.0.clone()).square()
        });
        Some(distance.cmp(&(self.radius.clone() * least.1).square()))
    }

    /// Compares the distance of the segment and the box with the radius.
    fn compare(&self) -> Ordering {
        let sides = (0..27_i8).map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1]);
        sides.filter_map(|sides| self.compare_part(sides)).min().unwrap_or(Ordering::Greater)
    }

    /// Relation of a bare segment and the box: three faces, and the box's edges across it.
    fn segment_relation(&self) -> Relation {
        let twice_centre = self.start.scale(&Exact::from(2.0_f64)).plus(&self.along);
        let twice = |x: &Exact| x.clone() + x.clone();
        let mut relation = Relation::Penetrating;
        for i in 0..6 {
            let (centre, reach) = if i < 3 {
                (twice_centre.0[i].abs(), twice(&self.half[i]) + self.along.0[i].abs())
            } else {
                let (m, n) = ((i + 1) % 3, (i + 2) % 3);
                let (u, v) = (&self.along.0[m], &self.along.0[n]);
                if u.sign() == Ordering::Equal && v.sign() == Ordering::Equal {
                    continue;
                }
                let centre =
                    twice_centre.0[n].clone() * u.clone() - twice_centre.0[m].clone() * v.clone();
                let [h, g] = [(n, u), (m, v)].map(|(k, c)| twice(&self.half[k]) * c.abs());
                (centre.abs(), h + g)
            };
            match centre.cmp(&reach) {
                Ordering::Greater => return Relation::Apart,
                Ordering::Equal => relation = Relation::Touching,
                Ordering::Less => {}
            }
        }
        relation
    }
}

/// The relation of a capsule and a box, by polynomials of the inputs; `normal` is a guess of the
/// direction from A to B, in A's frame, which may be zero.
#[cold]
pub(super) fn relation(a: &Capsule, b: &Cuboid, b_in_a: &Relative, normal: DVec3) -> Relation {
    if let Some(relation) = convex::level_relation(a, b, b_in_a, normal) {
        return relation;
    }
    crate::common::passed_on!(Room);
    let core = ExactCore::new(a, b, b_in_a);
    if core.radius.sign() == Ordering::Equal {
        return core.segment_relation();
    }
    match core.compare() {
        Ordering::Greater => Relation::Apart,
        Ordering::Equal => Relation::Touching,
        Ordering::Less => Relation::Penetrating,
    }
}
