//! How deep the origin lies in a convex set: a polytope within the set grows, in whole numbers,
//! until its face nearest to the origin is one of the set.
//!
//! - Source: van den Bergen, *Proximity Queries and Penetration Depth Computation on 3D Game
//!   Objects*, 2001. Exact arithmetic leaves none of its troubles: a face counts as seen from a
//!   point only if the point lies strictly beyond its plane, so no new face is degenerate.

use std::cmp::Ordering;

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

struct Face {
    corners: [usize; 3],
    /// Outward.
    normal: Vector,
    /// Of the plane along the normal; not negative, as the origin is inside.
    offset: BigInt,
    /// Squared distance of the plane.
    square: Fraction,
    rough: Rough,
}

impl Face {
    fn new(corners: [usize; 3], points: &[Vector]) -> Self {
        let [p, q, r] = corners.map(|i| &points[i]);
        let normal = q.minus(p).cross(&r.minus(p));
        let offset = normal.dot(p);
        let square = Fraction::new(&offset * &offset, normal.dot(&normal));
        let rough = Rough::of(&square.numerator).over(Rough::of(&square.denominator));
        Self { corners, normal, offset, square, rough }
    }

    fn is_nearer(&self, other: &Self) -> bool {
        let order = self.rough.compare(other.rough);
        order.unwrap_or_else(|| self.square.cmp(&other.square)) == Ordering::Less
    }
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

fn hull_of_four(points: &[Vector]) -> Vec<Face> {
    let mut faces = Vec::new();
    for corners in [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]] {
        let opposite = 6 - corners.iter().sum::<usize>();
        let face = Face::new(corners, points);
        if face.normal.dot(&points[opposite]) > face.offset {
            faces.push(Face::new([corners[0], corners[2], corners[1]], points));
        } else {
            faces.push(face);
        }
    }
    faces
}

/// Adds the last of the points to the hull.
fn grow(faces: Vec<Face>, points: &[Vector]) -> Vec<Face> {
    let apex = points.len() - 1;
    let (seen, mut kept): (Vec<Face>, Vec<Face>) =
        faces.into_iter().partition(|face| face.normal.dot(&points[apex]) > face.offset);
    let edges: Vec<[usize; 2]> = seen
        .iter()
        .flat_map(|face| {
            let [p, q, r] = face.corners;
            [[p, q], [q, r], [r, p]]
        })
        .collect();
    for &[p, q] in &edges {
        if !edges.contains(&[q, p]) {
            kept.push(Face::new([p, q, apex], points));
        }
    }
    kept
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
    let Some(mut points) = tetrahedron(set, nearest) else { return Room::Flat };
    let mut faces = hull_of_four(&points);
    let mut above: Option<Fraction> = None;
    loop {
        let best = faces.iter().reduce(|best, face| if face.is_nearer(best) { face } else { best });
        let best = best.expect("a polytope has faces");
        let farthest = set.lowest(&best.normal.negated());
        let reach = best.normal.dot(&farthest.at);
        let gain = &reach - &best.offset;
        let square = &best.square.denominator;
        // The plane through the farthest point bounds the set.
        let bound = Fraction::new(&reach * &reach, square.clone());
        let bound = above.map_or(bound.clone(), |above| above.min(bound));
        let decided = side_only && best.offset.is_positive();
        if decided || set.is_settled(&gain, &best.offset, square) {
            debug_assert!(!best.offset.is_negative(), "the origin lies inside");
            return Room::Depth { square: best.square.clone(), above: bound };
        }
        above = Some(bound);
        points.push(farthest.at);
        faces = grow(faces, &points);
    }
}
