//! The point of a convex set that is nearest to the origin, in whole numbers.
//!
//! - Source: Gilbert, Johnson, Keerthi, *A Fast Procedure for Computing the Distance Between Complex
//!   Objects*, 1988. In exact arithmetic each step comes strictly nearer, so for a polytope it
//!   ends, and it ends with the proof: a plane through the nearest point, perpendicular to it, that
//!   has every point of the set beyond it.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::oracle::number::{Fraction, Vector};

/// A point of a set, and which one it is.
#[derive(Clone, Debug)]
pub(in crate::oracle) struct Corner {
    pub(in crate::oracle) at: Vector,
    pub(in crate::oracle) tag: usize,
}

/// A convex set, known by its points farthest out.
pub(in crate::oracle) trait Support {
    /// A point of the set that lies lowest along a direction.
    fn lowest(&self, direction: &Vector) -> Corner;

    /// One to four points of the set to start with, best those around the nearest point.
    fn first(&self) -> Vec<Corner>;

    /// Whether a point that lies lower by `gain`, along a direction of the squared length `square`,
    /// is as good as none; `here` is what has been reached along it.
    fn is_settled(&self, gain: &BigInt, _here: &BigInt, _square: &BigInt) -> bool {
        !gain.is_positive()
    }
}

/// The point nearest to the origin.
#[derive(Clone, Debug)]
pub(in crate::oracle) struct Nearest {
    /// The point times a positive number; zero where the set contains the origin.
    pub(in crate::oracle) direction: Vector,
    /// Its squared distance from the origin.
    pub(in crate::oracle) square: Fraction,
    /// Up to four points around it, with their shares, positive and over their sum.
    pub(in crate::oracle) corners: Vec<(Corner, BigInt)>,
}

impl Nearest {
    pub(in crate::oracle) fn is_origin(&self) -> bool {
        self.square.numerator.is_zero()
    }
}

/// The nearest point of the affine hull of some points, if it lies strictly inside their own.
struct Candidate {
    shares: Vec<BigInt>,
    direction: Vector,
    square: Fraction,
}

impl Candidate {
    fn of(points: &[&Vector]) -> Option<Self> {
        let found = match points {
            [p] => Some(Self {
                shares: vec![BigInt::one()],
                direction: (*p).clone(),
                square: Fraction::whole(p.dot(p)),
            }),
            [p, q] => Self::of_segment(p, q),
            [p, q, r] => Self::of_triangle(p, q, r),
            [p, q, r, s] => Self::of_tetrahedron(p, q, r, s),
            _ => None,
        };
        found.filter(|candidate| candidate.shares.iter().all(Signed::is_positive))
    }

    fn of_segment(p: &Vector, q: &Vector) -> Option<Self> {
        let e = q.minus(p);
        let square = e.dot(&e);
        let shares = vec![q.dot(&e), -p.dot(&e)];
        if square.is_zero() || !shares.iter().all(Signed::is_positive) {
            return None;
        }
        let direction = p.times(&shares[0]).plus(&q.times(&shares[1]));
        let moment = p.cross(q);
        Some(Self { shares, direction, square: Fraction::new(moment.dot(&moment), square) })
    }

    fn of_triangle(p: &Vector, q: &Vector, r: &Vector) -> Option<Self> {
        let n = q.minus(p).cross(&r.minus(p));
        let square = n.dot(&n);
        if square.is_zero() {
            return None;
        }
        let shares = vec![n.dot(&q.cross(r)), n.dot(&r.cross(p)), n.dot(&p.cross(q))];
        let height = n.dot(p);
        let direction = if height.is_negative() { n.negated() } else { n };
        let direction = if height.is_zero() { Vector::zero() } else { direction };
        Some(Self { shares, direction, square: Fraction::new(&height * &height, square) })
    }

    fn of_tetrahedron(p: &Vector, q: &Vector, r: &Vector, s: &Vector) -> Option<Self> {
        let volume = |x: &Vector, y: &Vector, z: &Vector| x.dot(&y.cross(z));
        // Cramer's rule: these times the points sum to zero.
        let shares = [volume(q, r, s), -volume(p, r, s), volume(p, q, s), -volume(p, q, r)];
        let sign = if shares[0].is_negative() { -1 } else { 1 };
        let shares = shares.into_iter().map(|share| share * sign).collect();
        Some(Self { shares, direction: Vector::zero(), square: Fraction::zero() })
    }
}

/// The nearest point of the hull of at most four points, sought with the subsets of them that are
/// given as bits.
fn nearest_of_few(corners: &[Corner], mut subsets: impl Iterator<Item = usize>) -> Option<Nearest> {
    subsets.find_map(|subset| {
        let is_in = |i: usize| subset >> i & 1 == 1;
        let count = corners.len();
        let points: Vec<&Vector> =
            (0..count).filter(|&i| is_in(i)).map(|i| &corners[i].at).collect();
        let Candidate { shares, direction, square } = Candidate::of(&points)?;
        let height = direction.dot(points[0]);
        // The proof: nothing of the hull lies lower along the direction.
        if (0..count).any(|i| !is_in(i) && direction.dot(&corners[i].at) < height) {
            return None;
        }
        let mut shares = shares.into_iter();
        let kept = corners.iter().enumerate().filter(|(i, _)| is_in(*i));
        let corners = kept.filter_map(|(_, corner)| Some((corner.clone(), shares.next()?)));
        Some(Nearest { direction, square, corners: corners.collect() })
    })
}

/// The point of a convex set that is nearest to the origin.
///
/// # Panics
/// If the arithmetic is broken: some subset always holds the nearest point of a simplex.
pub(in crate::oracle) fn nearest(set: &impl Support) -> Nearest {
    let first = set.first();
    // Most likely all of them are needed.
    let subsets = (1..1_usize << first.len()).rev();
    let mut best = nearest_of_few(&first, subsets).expect("a simplex has a nearest point");
    while !best.is_origin() {
        let lowest = set.lowest(&best.direction);
        let here = best.direction.dot(&best.corners[0].0.at);
        let gain = &here - best.direction.dot(&lowest.at);
        if set.is_settled(&gain, &here, &best.direction.dot(&best.direction)) {
            break;
        }
        let mut corners: Vec<Corner> = best.corners.into_iter().map(|(c, _)| c).collect();
        corners.push(lowest);
        // It needs the last.
        let last = 1 << (corners.len() - 1);
        let subsets = last..2 * last;
        best = nearest_of_few(&corners, subsets).expect("a simplex has a nearest point");
    }
    best
}
