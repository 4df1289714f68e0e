//! Which vertices of two hulls that are apart hold their nearest points between them, as far as f32
//! can tell.

use fearless_simd::Simd;
use impinge_shapes::glam::Vec3;

use super::clouds::{Clouds, Extreme};
use crate::tolerance;

/// One to three points of the difference, whose nearest point to the origin is that of the
/// difference, or not far from it: a start for the search in f64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Near {
    /// The vertices of A and of B that make each.
    pub(crate) corners: [[u8; 2]; 3],
    pub(crate) count: usize,
}

/// The face of a simplex that holds its point nearest to the origin.
#[derive(Clone, Copy)]
struct Part {
    corners: [usize; 3],
    count: usize,
    point: Vec3,
    square: f32,
}

/// The search for the nearest point, from a point of the difference on; the origin lies outside.
///
/// - Source: Gilbert, Johnson & Keerthi (1988), as the search in f64.
#[inline(always)]
pub(super) fn nearest<S: Simd, const N: usize>(
    simd: S,
    clouds: &Clouds<N>,
    first: &Extreme,
) -> Near {
    let (mut points, mut names) = ([first.point; 4], [first.vertices; 4]);
    let (mut count, mut nearest) = (1, first.point);
    let mut square = nearest.dot(nearest);
    for _ in 0..tolerance::GLANCE_STEPS {
        let next = clouds.farthest(simd, -nearest);
        let size = nearest.abs();
        let slack = tolerance::GLANCE_LEVEL * (size.x + size.y + size.z);
        // A height that is no number ends it, too.
        let is_nearer = square + next.height > slack;
        if !is_nearer || names[..count].contains(&next.vertices) {
            break;
        }
        (points[count], names[count]) = (next.point, next.vertices);
        let part = match count {
            1 => in_edge(&points, 0, 1),
            2 => in_triangle(&points, [0, 1, 2]),
            _ => {
                // The nearest point is on a face with the new corner.
                let two = nearer(in_triangle(&points, [0, 1, 3]), in_triangle(&points, [1, 2, 3]));
                nearer(two, in_triangle(&points, [2, 0, 3]))
            }
        };
        let is_progress = part.square < square;
        if !is_progress {
            break;
        }
        let [i, j, k] = part.corners;
        points = [points[i], points[j], points[k], points[k]];
        names = [names[i], names[j], names[k], names[k]];
        (count, nearest, square) = (part.count, part.point, part.square);
    }
    Near { corners: [names[0], names[1], names[2]], count }
}

#[inline(always)]
fn nearer(a: Part, b: Part) -> Part {
    if b.square < a.square { b } else { a }
}

#[inline(always)]
fn in_edge(points: &[Vec3; 4], i: usize, j: usize) -> Part {
    let (p, q) = (points[i], points[j]);
    let along = q - p;
    let (at, whole) = (-p.dot(along), along.dot(along));
    let (corners, count, point) = if at <= 0.0 {
        ([i, i, i], 1, p)
    } else if at >= whole {
        ([j, j, j], 1, q)
    } else {
        ([i, j, j], 2, p + along * (at / whole))
    };
    Part { corners, count, point, square: point.dot(point) }
}

#[inline(always)]
fn in_triangle(points: &[Vec3; 4], [i, j, k]: [usize; 3]) -> Part {
    let (p, q, r) = (points[i], points[j], points[k]);
    let normal = (q - p).cross(r - p);
    let areas = [q.cross(r).dot(normal), r.cross(p).dot(normal), p.cross(q).dot(normal)];
    if areas[0] > 0.0 && areas[1] > 0.0 && areas[2] > 0.0 {
        let point = normal * (normal.dot(p) / normal.dot(normal));
        return Part { corners: [i, j, k], count: 3, point, square: point.dot(point) };
    }
    // On a side that is seen from the origin; of a triangle without area on any.
    let all = !(areas[0] > 0.0 || areas[1] > 0.0 || areas[2] > 0.0);
    let mut best = Part { corners: [i; 3], count: 1, point: p, square: p.dot(p) };
    if all || areas[0] <= 0.0 {
        best = nearer(best, in_edge(points, j, k));
    }
    if all || areas[1] <= 0.0 {
        best = nearer(best, in_edge(points, k, i));
    }
    if all || areas[2] <= 0.0 {
        best = nearer(best, in_edge(points, i, j));
    }
    best
}
