//! How deep the origin lies in a convex set: a polytope within the set grows, in whole numbers,
//! until its face nearest to the origin is one of the set.
//!
//! - Source: van den Bergen, *Proximity Queries and Penetration Depth Computation on 3D Game
//!   Objects*, 2001. Exact arithmetic leaves none of its troubles: a face counts as seen from a
//!   point only if the point lies strictly beyond its plane, so no new face is degenerate.

use std::cell::OnceCell;
use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::nearest::{Corner, Nearest, Support};
use crate::oracle::number::{Fraction, Rough, Vector};

/// Where the origin lies in a set that contains it.
#[derive(Clone, Debug)]
pub(in crate::oracle) enum Room {
    /// The set has no inside.
    Flat,
    /// So far from the boundary.
    Depth {
        /// Squared distance, zero on the boundary; for a set that settles early, at least this.
        square: Fraction,
        /// At most this.
        above: Fraction,
    },
}

impl Room {
    /// Strictly inside.
    pub(in crate::oracle) fn is_inside(&self) -> bool {
        matches!(self, Self::Depth { square, .. } if !square.numerator.is_zero())
    }
}

/// Share of the terms of a height above a face by which it may be off in f64: each of the numbers
/// is within 2^-51 of the exact one, and five roundings follow.
const ROUNDING: f64 = 1.0 / (1_u64 << 47) as f64;

/// More than what numbers that f64 does not reach add to a height of numbers up to 1.
const LEAST: f64 = f64::MIN_POSITIVE * (1_u64 << 60) as f64 * (1_u64 << 60) as f64;

/// Points of the set, and in f64, over a power of two that leaves the first ones below 1.
struct Points {
    whole: Vec<Vector>,
    rough: Vec<DVec3>,
    power: i64,
}

/// The exponent of a power of two above all components.
fn power_above(vectors: &[Vector]) -> i64 {
    let parts = vectors.iter().flat_map(Vector::rough);
    let whole = parts.filter(|part| part.mantissa.abs() > 0.0);
    whole.map(|part| part.exponent).max().unwrap_or(0) + 1
}

fn over_power(vector: &Vector, power: i64) -> DVec3 {
    DVec3::from_array(vector.rough().map(|part| part.over_power(power)))
}

impl Points {
    fn new(whole: Vec<Vector>) -> Self {
        let power = power_above(&whole);
        let rough = whole.iter().map(|point| over_power(point, power)).collect();
        Self { whole, rough, power }
    }

    fn push(&mut self, point: Vector) {
        self.rough.push(over_power(&point, self.power));
        self.whole.push(point);
    }
}

/// A plane in whole numbers.
struct Exact {
    /// Outward.
    normal: Vector,
    /// Along the normal; not negative, as the origin is inside.
    offset: BigInt,
    /// Both in f64, the normal below 1 and the offset as the points.
    plane: (DVec3, f64),
    /// Squared distance, about.
    rough: Rough,
}

impl Exact {
    fn new([p, q, r]: [&Vector; 3], power: i64) -> Self {
        let normal = q.minus(p).cross(&r.minus(p));
        let offset = normal.dot(p);
        let height = Rough::of(&offset);
        let [x, y, z] = normal.rough().map(Rough::squared);
        let rough = height.squared().over(x.plus(y).plus(z));
        let above = power_above(std::slice::from_ref(&normal));
        let plane = (over_power(&normal, above), height.over_power(above + power));
        Self { normal, offset, plane, rough }
    }

    /// Squared distance from the origin.
    fn square(&self) -> Fraction {
        Fraction::new(&self.offset * &self.offset, self.normal.dot(&self.normal))
    }

    fn is_nearer(&self, other: &Self) -> bool {
        let order = self.rough.compare(other.rough);
        order.unwrap_or_else(|| self.square().cmp(&other.square())) == Ordering::Less
    }

    /// Whether a point lies strictly beyond the plane.
    fn is_seen(&self, points: &Points, i: usize) -> bool {
        let ((normal, offset), point) = (self.plane, points.rough[i]);
        let height = normal.dot(point) - offset;
        let terms = normal.abs().dot(point.abs()) + offset.abs();
        if height.abs() > terms * ROUNDING + LEAST {
            height > 0.0
        } else {
            self.normal.dot(&points.whole[i]) > self.offset
        }
    }
}

/// A face in f64, and in whole numbers once these are needed.
struct Face {
    corners: [usize; 3],
    /// Outward.
    normal: DVec3,
    /// What a component of the normal may be off.
    noise: f64,
    /// Distance of the plane from the origin, about, and what it may be off.
    distance: [f64; 2],
    exact: OnceCell<Exact>,
}

impl Face {
    fn new(corners: [usize; 3], points: &Points) -> Self {
        let [p, q, r] = corners.map(|i| points.rough[i]);
        let (one, other) = (q - p, r - p);
        let normal = one.cross(other);
        let most = [p, q, r].map(|point| point.abs().max_element()).into_iter().fold(0.0, f64::max);
        let edges = one.abs().max_element() + other.abs().max_element();
        let (length, noise) = (normal.length(), 2.0 * ROUNDING * most * edges + LEAST);
        let distance = [normal.dot(p) / length, 16.0 * noise * most / length];
        let mut face = Self { corners, normal, noise, distance, exact: OnceCell::new() };
        if length <= 8.0 * noise {
            // A sliver, whose normal is hardly known.
            let (normal, offset) = face.exact(points).plane;
            let distance = offset / normal.length();
            face.distance = [distance, 4.0 * ROUNDING * distance.abs() + LEAST];
        }
        face
    }

    fn exact(&self, points: &Points) -> &Exact {
        let corners = self.corners.map(|i| &points.whole[i]);
        self.exact.get_or_init(|| Exact::new(corners, points.power))
    }

    /// Whether the plane is nearer to the origin, as far as f64 tells.
    fn is_clearly_nearer(&self, other: &Self) -> bool {
        self.distance[0] < other.distance[0]
    }

    fn is_nearer(&self, other: &Self, points: &Points) -> bool {
        let ([here, off], [there, slack]) = (self.distance, other.distance);
        if (here - there).abs() > off + slack {
            here < there
        } else {
            self.exact(points).is_nearer(other.exact(points))
        }
    }

    /// Whether a point lies strictly beyond the plane.
    fn is_seen(&self, points: &Points, i: usize) -> bool {
        let (from, point) = (points.rough[self.corners[0]], points.rough[i]);
        let step = point - from;
        let (height, step) = (self.normal.dot(step), step.abs().max_element());
        let most = from.abs().max_element() + point.abs().max_element();
        let off =
            4.0 * self.noise * step + 4.0 * self.normal.abs().max_element() * (most * ROUNDING);
        if height.abs() > off + LEAST {
            height > 0.0
        } else {
            self.exact(points).is_seen(points, i)
        }
    }
}

fn rough_of(fraction: &Fraction) -> Rough {
    Rough::of(&fraction.numerator).over(Rough::of(&fraction.denominator))
}

/// Compares numbers that are not negative, first roughly.
fn is_less(one: (&Fraction, Rough), other: (&Fraction, Rough)) -> bool {
    let order = one.1.compare(other.1);
    order.unwrap_or_else(|| one.0.cmp(other.0)) == Ordering::Less
}

/// Four points of the set that span a volume and contain the origin, if the set has a volume.
fn tetrahedron(set: &impl Support, nearest: &Nearest) -> Option<Vec<Vector>> {
    let mut points: Vec<Vector> = nearest.corners.iter().map(|(c, _)| c.at.clone()).collect();
    while points.len() < 4 {
        let axes: Vec<Vector> = match points.as_slice() {
            [_] => (0..3).map(Vector::unit).collect(),
            [p, q] => (0..3).map(|i| q.minus(p).cross(&Vector::unit(i))).collect(),
            [p, q, r] => vec![q.minus(p).cross(&r.minus(p))],
            _ => return None,
        };
        let both_ways = axes.into_iter().flat_map(|axis| [axis.negated(), axis]);
        let mut beyond = both_ways.filter(|axis| !axis.is_zero()).filter_map(|axis| {
            let Corner { at, .. } = set.lowest(&axis);
            (axis.dot(&at) != axis.dot(&points[0])).then_some(at)
        });
        let next = beyond.next()?;
        points.push(next);
    }
    Some(points)
}

fn hull_of_four(points: &Points) -> Vec<Face> {
    let mut faces = Vec::new();
    for corners in [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]] {
        let opposite = 6 - corners.iter().sum::<usize>();
        let face = Face::new(corners, points);
        if face.is_seen(points, opposite) {
            faces.push(Face::new([corners[0], corners[2], corners[1]], points));
        } else {
            faces.push(face);
        }
    }
    faces
}

/// Adds the last of the points to the hull.
fn grow(faces: &mut Vec<Face>, points: &Points) {
    let apex = points.whole.len() - 1;
    let mut edges: Vec<[usize; 2]> = Vec::new();
    let mut i = 0;
    while i < faces.len() {
        if faces[i].is_seen(points, apex) {
            // Faces are large: none but the last one moves.
            let [p, q, r] = faces.swap_remove(i).corners;
            edges.extend([[p, q], [q, r], [r, p]]);
        } else {
            i += 1;
        }
    }
    for &[p, q] in &edges {
        if !edges.contains(&[q, p]) {
            faces.push(Face::new([p, q, apex], points));
        }
    }
}

/// How far the origin is from the boundary of a set that contains it, as `nearest` has shown.
pub(in crate::oracle) fn room(set: &impl Support, nearest: &Nearest) -> Room {
    expand(set, nearest, false)
}

/// As [`room`], with some lower bound of the depth: enough to tell whether the origin is inside.
pub(in crate::oracle) fn side(set: &impl Support, nearest: &Nearest) -> Room {
    expand(set, nearest, true)
}

/// Expands until the depth is known, or only that there is one.
///
/// # Panics
/// If the arithmetic is broken: a polytope always has faces.
fn expand(set: &impl Support, nearest: &Nearest, side_only: bool) -> Room {
    let Some(corners) = tetrahedron(set, nearest) else { return Room::Flat };
    let mut points = Points::new(corners);
    let mut faces = hull_of_four(&points);
    let mut above: Option<(Fraction, Rough)> = None;
    // Comparing exactly takes long, and only the last face must be the nearest.
    let mut exactly = false;
    loop {
        let is_nearer = |face: &Face, best: &Face| match exactly {
            true => face.is_nearer(best, &points),
            false => face.is_clearly_nearer(best),
        };
        let best =
            faces.iter().reduce(|best, face| if is_nearer(face, best) { face } else { best });
        let best = best.expect("a polytope has faces").exact(&points);
        let farthest = set.lowest(&best.normal.negated());
        let reach = best.normal.dot(&farthest.at);
        let gain = &reach - &best.offset;
        let square = best.square();
        // The plane through the farthest point bounds the set.
        let bound = Fraction::new(&reach * &reach, square.denominator.clone());
        let rough = rough_of(&bound);
        let (bound, rough) = match above {
            Some((least, its)) if is_less((&least, its), (&bound, rough)) => (least, its),
            _ => (bound, rough),
        };
        let decided = side_only && best.offset.is_positive();
        if decided || set.is_settled(&gain, &best.offset, &square.denominator) {
            debug_assert!(!best.offset.is_negative(), "the origin lies inside");
            if exactly {
                return Room::Depth { square, above: bound };
            }
            (above, exactly) = (Some((bound, rough)), true);
            continue;
        }
        (above, exactly) = (Some((bound, rough)), false);
        points.push(farthest.at);
        grow(&mut faces, &points);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Whole numbers of up to so many bits.
    fn point(rng: &mut Rng, bits: u32) -> Vector {
        Vector(std::array::from_fn(|_| {
            let number = BigInt::from(rng.bits()) << 64 | BigInt::from(rng.bits());
            let number: BigInt = number >> (128 - bits);
            if rng.one_in(2) { -number } else { number }
        }))
    }

    #[test]
    fn faces_in_f64_tell_what_they_tell_in_whole_numbers() {
        let (mut seen, mut exact, mut slivers) = ([0; 2], 0, 0);
        for seed in 0..6_000 {
            let mut rng = Rng::new(seed);
            let bits = rng.pick(&[20, 48, 90, 128]);
            let base = point(&mut rng, bits);
            // Next to each other, or to a line or plane, by so many bits less.
            let less = rng.pick(&[0, 10, 19]);
            let [one, other, off] = [0, 1, 2].map(|_| point(&mut rng, bits - less));
            let third = match rng.below(3) {
                0 => base.plus(&one).plus(&one).plus(&point(&mut rng, 3)),
                _ => base.plus(&other),
            };
            let apex = match rng.below(3) {
                0 => base.plus(&off),
                1 => point(&mut rng, bits),
                _ => base.plus(&one).plus(&other).plus(&point(&mut rng, 2)),
            };
            let points = Points::new(vec![base.clone(), base.plus(&one), third, apex]);
            let face = Face::new([0, 1, 2], &points);
            slivers += usize::from(face.exact.get().is_some());
            let is_seen = face.is_seen(&points, 3);
            exact += usize::from(face.exact.get().is_some());
            let plane = face.exact(&points);
            assert_eq!(is_seen, plane.normal.dot(&points.whole[3]) > plane.offset, "seed {seed}");
            seen[usize::from(is_seen)] += 1;
            if plane.normal.is_zero() {
                continue;
            }
            let unit = i32::try_from(points.power).expect("small numbers");
            let length = plane.square().shifted(-2 * unit).sqrt_f64();
            let distance = if plane.offset.is_negative() { -length } else { length };
            let [told, off] = face.distance;
            assert!((told - distance).abs() <= off, "seed {seed}: {told} {distance} {off}");
        }
        assert!(seen.iter().all(|&count| count > 1_000), "{seen:?}");
        assert!(exact - slivers > 200 && slivers > 200 && exact < 5_000, "{exact} {slivers}");
    }
}
