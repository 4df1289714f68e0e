//! Distance of two convex sets from their support points alone.
//!
//! Every answer carries a lower bound that was proven by a separating plane on the way, so a
//! caller can see how far the distance may be off. Nothing here depends on an absolute number.

use glam::DVec3;

use crate::tolerance;

/// A support point of A, one of B, and their difference `a - b`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Support {
    /// Point of A.
    pub a: DVec3,
    /// Point of B.
    pub b: DVec3,
}

impl Support {
    /// `a - b`, a point of the Minkowski difference.
    #[must_use]
    #[inline]
    pub fn difference(&self) -> DVec3 {
        self.a - self.b
    }
}

/// Nearest points of two convex sets.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// Point of A nearest to B.
    pub point_a: DVec3,
    /// Point of B nearest to A.
    pub point_b: DVec3,
    /// Their distance, which is never below the exact one; zero where the sets overlap.
    pub distance: f64,
    /// No two points of the sets are closer than this, up to rounding.
    pub lower_bound: f64,
    /// The support points that hold the nearest points between them; four of them hold the origin
    /// of the Minkowski difference.
    pub simplex: Simplex,
    /// Unit, from A to B, where it is known more precisely than from the points.
    pub normal: Option<DVec3>,
    /// From A to B, of any length: across it lies the plane that parts the sets by `lower_bound`;
    /// zero where there is none, or it was not kept.
    pub plane: DVec3,
}

impl Nearest {
    /// Of nothing: for who ends a search through [`nearest_unless`] and needs no answer of it.
    pub const NOTHING: Self = Self {
        point_a: DVec3::ZERO,
        point_b: DVec3::ZERO,
        distance: 0.0,
        lower_bound: 0.0,
        simplex: Simplex::EMPTY,
        normal: None,
        plane: DVec3::ZERO,
    };

    /// The points, as the weights tell.
    #[inline]
    fn witness(&mut self) {
        let (mut point_a, mut point_b) = (DVec3::ZERO, DVec3::ZERO);
        for (point, &weight) in self.simplex.points().iter().zip(&self.simplex.weights) {
            point_a += point.a * weight;
            point_b += point.b * weight;
        }
        (self.point_a, self.point_b) = (point_a, point_b);
    }
}

/// Nearest points of two convex sets given by their support points.
///
/// - `support(n)` is the point of A farthest along `n` and the point of B farthest against it.
/// - `start` is a guess of the direction from A to B; `size` bounds every coordinate.
/// - Error: `lower_bound <= exact <= distance`, each up to some roundings of `size`. For polytopes
///   the two agree to [`tolerance::GJK_GAP`] of the distance plus [`tolerance::GJK_NOISE`] of the
///   size, unless the iteration limit stops it first; the bounds hold even then.
/// - Source: Gilbert, Johnson & Keerthi, *A fast procedure for computing the distance between
///   complex objects in three-dimensional space* (1988); the sub-simplex is found by going through
///   its faces instead of by a recursion, because that has no case that rounding can break.
#[must_use]
#[inline]
pub fn nearest(support: impl Fn(DVec3) -> Support, start: DVec3, size: f64) -> Nearest {
    nearest_until(support, start, size, &Enough::NEVER)
}

/// What is known well enough of a distance to look no further.
#[derive(Clone, Copy, Debug)]
pub struct Enough {
    /// It is less than this.
    pub below: f64,
    /// It is more than this.
    pub above: f64,
}

impl Enough {
    /// Every distance is looked for.
    pub const NEVER: Self = Self { below: 0.0, above: f64::INFINITY };
}

/// As [`nearest`], but ends as soon as one of the bounds of the distance tells enough.
#[must_use]
#[inline]
pub fn nearest_until(
    support: impl Fn(DVec3) -> Support,
    start: DVec3,
    size: f64,
    enough: &Enough,
) -> Nearest {
    nearest_unless(support, start, size, enough, |_| None)
}

/// As [`nearest_until`], with somebody who is shown the simplex now and then once a plane has parted
/// the sets, and may know the rest of the way.
///
/// - `known(simplex)` is the answer, with bounds that are proven, or `None`.
#[must_use]
#[inline]
pub fn nearest_unless(
    support: impl Fn(DVec3) -> Support,
    start: DVec3,
    size: f64,
    enough: &Enough,
    known: impl FnMut(&Simplex) -> Option<Nearest>,
) -> Nearest {
    let mut nearest = Nearest::NOTHING;
    nearest.simplex.start(support(start));
    descend(&support, &mut nearest, size, enough, known);
    nearest
}

/// As [`nearest_until`], from one to three support points on that are a guess of the nearest
/// points' simplex.
///
/// ```
/// use impinge_shapes::convex::gjk::{Enough, Support, nearest_from};
/// use impinge_shapes::glam::DVec3;
///
/// // Two points, each a set of its own.
/// let only = Support { a: DVec3::ZERO, b: DVec3::new(3.0, 4.0, 0.0) };
/// let found = nearest_from(|_| only, [only, only, only], 1, 7.0, &Enough::NEVER);
/// assert_eq!((found.distance, found.point_b), (5.0, only.b));
/// ```
#[must_use]
#[inline]
pub fn nearest_from(
    support: impl Fn(DVec3) -> Support,
    points: [Support; 3],
    count: usize,
    size: f64,
    enough: &Enough,
) -> Nearest {
    let mut nearest = Nearest::NOTHING;
    let simplex = &mut nearest.simplex;
    simplex.start(points[0]);
    for point in &points[1..count.clamp(1, 3)] {
        simplex.push(*point, point.difference());
    }
    if let Some(part) = simplex.reduced(size) {
        simplex.keep(&part);
    }
    descend(&support, &mut nearest, size, enough, |_| None);
    nearest
}

/// The search from a simplex on whose weights are those of its nearest point.
///
/// The answer is made where the simplex is, which is large.
#[inline]
fn descend(
    support: &impl Fn(DVec3) -> Support,
    nearest: &mut Nearest,
    size: f64,
    enough: &Enough,
    mut known: impl FnMut(&Simplex) -> Option<Nearest>,
) {
    let simplex = &mut nearest.simplex;
    let noise = tolerance::GJK_NOISE * size;
    let mut v = simplex.nearest();
    let mut square = v.length_squared();
    let (mut along, mut lower_bound) = (0.0, 0.0_f64);
    let (mut idle, mut strict) = (tolerance::GJK_IDLE, None);
    let mut against = DVec3::ZERO;
    for step in 0..tolerance::GJK_ITERATIONS {
        let length = square.sqrt();
        if length <= noise || length < enough.below {
            break;
        }
        if step % 2 == 0
            && lower_bound > 0.0
            && let Some(found) = known(simplex)
        {
            *nearest = found;
            return;
        }
        let mut next = support(-v);
        let mut difference = next.difference();
        along = difference.dot(v) / length;
        if along > lower_bound {
            (lower_bound, against) = (along, v);
        }
        let allowed = tolerance::GJK_GAP * length + noise;
        if lower_bound > enough.above || length - lower_bound <= allowed {
            break;
        }
        if simplex.holds(difference) {
            // Where the corners are far from the nearest point, that is along the normal more
            // precisely than it is between them.
            let is_open = length - lower_bound > tolerance::GJK_STALLED * (length + size);
            let Some(upright) = simplex.upright(v).filter(|_| is_open) else { break };
            next = support(-upright);
            difference = next.difference();
            let parted = difference.dot(upright) / upright.length();
            if parted > lower_bound {
                (lower_bound, against) = (parted, upright);
            }
            if simplex.holds(difference) {
                break;
            }
        }
        simplex.push(next, difference);
        let Some(mut part) = simplex.reduced(size) else {
            // A plane that parts the sets was found: the tetrahedron is flat up to rounding.
            if lower_bound > noise {
                simplex.count -= 1;
                break;
            }
            nearest.witness();
            return;
        };
        // Rounding may take the search in circles.
        if part.square >= square {
            let is_open = length - lower_bound > tolerance::GJK_STALLED * (length + size);
            let other =
                if is_open && idle > 0 { simplex.beside_newest(length + noise) } else { None };
            let Some(other) = other else {
                simplex.count -= 1;
                break;
            };
            (part, idle) = (other, idle - 1);
            if strict.is_none() {
                strict = Some((simplex.normal_before_newest(), along));
            }
        }
        simplex.keep(&part);
        (v, square) = (part.point, part.square);
    }
    // Going on without a gain may end at a face so thin that its normal is rounding.
    nearest.normal = match strict {
        Some((normal, parted)) if parted > along => normal,
        _ => None,
    };
    nearest.plane = -against;
    let length = v.length();
    let distance = if length <= noise { 0.0 } else { length };
    (nearest.distance, nearest.lower_bound) = (distance, lower_bound.min(distance));
    nearest.witness();
}

/// Nearest points of two sets whose Minkowski difference is the triangle between three points.
///
/// - Error: as [`nearest`], but the bounds agree only as far as the triangle's corners allow, and
///   nothing is rounded to zero.
#[must_use]
#[inline]
pub fn nearest_of_triangle(points: [Support; 3]) -> Nearest {
    let [p, q, r] = points;
    let differences = points.map(|point| point.difference());
    let [x, y, z] = differences;
    let mut nearest = Nearest::NOTHING;
    let simplex = &mut nearest.simplex;
    (simplex.points, simplex.differences, simplex.count) = ([p, q, r, r], [x, y, z, z], 3);
    let part = simplex.triangle(0, 1, 2);
    simplex.keep(&part);
    (nearest.distance, nearest.lower_bound) = bounds_of_triangle(&differences, &part);
    nearest.witness();
    nearest
}

/// The distance and its lower bound that [`nearest_of_triangle`] finds, without the points, from
/// the differences alone.
#[must_use]
#[inline]
pub fn distance_of_triangle(differences: [DVec3; 3]) -> (f64, f64) {
    let part = nearest_in_triangle(&differences, [0, 1, 2]);
    bounds_of_triangle(&differences, &part)
}

/// The distance of a triangle's point nearest to the origin, and of the plane through it across the
/// direction to it.
#[inline]
fn bounds_of_triangle([x, y, z]: &[DVec3; 3], part: &Part) -> (f64, f64) {
    let distance = part.square.sqrt();
    let least = x.dot(part.point).min(y.dot(part.point)).min(z.dot(part.point));
    (distance, if distance > 0.0 { (least / distance).clamp(0.0, distance) } else { 0.0 })
}

/// Up to four support points with the weights of the point nearest to the origin.
#[derive(Clone, Copy, Debug)]
pub struct Simplex {
    points: [Support; 4],
    /// Of the points, worked out once.
    differences: [DVec3; 4],
    weights: [f64; 4],
    count: usize,
}

/// The face of a simplex that holds its point nearest to the origin.
#[derive(Clone, Copy)]
struct Part {
    /// The places of its corners, ascending or not.
    corners: [usize; 3],
    weights: [f64; 3],
    count: usize,
    /// The point nearest to the origin.
    point: DVec3,
    /// Square of its distance.
    square: f64,
}

impl Simplex {
    /// The one to four support points.
    #[must_use]
    pub fn points(&self) -> &[Support] {
        &self.points[..self.count]
    }

    const EMPTY: Self = Self {
        points: [Support { a: DVec3::ZERO, b: DVec3::ZERO }; 4],
        differences: [DVec3::ZERO; 4],
        weights: [0.0; 4],
        count: 0,
    };

    /// One point alone.
    #[must_use]
    pub fn single(point: Support) -> Self {
        let mut simplex = Self::EMPTY;
        simplex.start(point);
        simplex
    }

    /// The first point.
    #[inline]
    fn start(&mut self, point: Support) {
        (self.points[0], self.differences[0]) = (point, point.difference());
        (self.weights[0], self.count) = (1.0, 1);
    }

    /// Its point nearest to the origin, as the weights tell.
    #[must_use]
    #[inline]
    pub fn nearest(&self) -> DVec3 {
        let [p, q, r, _] = self.differences;
        let [one, two, three, _] = self.weights;
        match self.count {
            0 | 1 => p,
            2 => p * one + q * two,
            _ => p * one + q * two + r * three,
        }
    }

    #[inline]
    fn holds(&self, difference: DVec3) -> bool {
        self.differences[..self.count].contains(&difference)
    }

    /// The direction of the plane or line through the corners as seen from the origin, at right
    /// angles to it, on the side of their nearest point; `None` for one corner or without such a
    /// direction.
    fn upright(&self, nearest: DVec3) -> Option<DVec3> {
        let [p, q, r, _] = self.differences;
        let across = match self.count {
            2 => {
                let along = (q - p).try_normalize()?;
                let near = if p.length_squared() < q.length_squared() { p } else { q };
                let off = near - along * near.dot(along);
                // Once more, for what the rounding of the large part left.
                off - along * off.dot(along)
            }
            3 => {
                let normal = (q - p).cross(r - p);
                if normal.dot(nearest) < 0.0 { -normal } else { normal }
            }
            _ => return None,
        };
        across.try_normalize()
    }

    /// One more point; a full simplex was a volume and never asks for more.
    #[inline]
    fn push(&mut self, point: Support, difference: DVec3) {
        let end = self.count.min(3);
        self.points[end] = point;
        self.differences[end] = difference;
        self.weights[end] = 0.0;
        self.count = end + 1;
    }

    /// The smallest face that holds the point nearest to the origin; `None` where the origin is
    /// inside a tetrahedron.
    #[inline]
    fn reduced(&self, size: f64) -> Option<Part> {
        match self.count {
            0 | 1 => Some(self.corner(0)),
            2 => Some(self.edge(0, 1)),
            3 => Some(self.triangle(0, 1, 2)),
            _ => self.tetrahedron(size),
        }
    }

    /// Leaves only a face.
    #[inline]
    fn keep(&mut self, part: &Part) {
        let [i, j, k] = part.corners;
        // All are read before any is written, as places may change.
        let [p, q, r] = [self.points[i], self.points[j], self.points[k]];
        let [x, y, z] = [self.differences[i], self.differences[j], self.differences[k]];
        // One by one: a slice is copied by a call.
        (self.points[0], self.points[1], self.points[2]) = (p, q, r);
        (self.differences[0], self.differences[1], self.differences[2]) = (x, y, z);
        let [one, two, three] = part.weights;
        self.weights = [one, two, three, 0.0];
        self.count = part.count;
    }

    #[inline]
    fn corner(&self, i: usize) -> Part {
        nearest_corner(&self.differences, i)
    }

    #[inline]
    fn edge(&self, i: usize, j: usize) -> Part {
        nearest_in_edge(&self.differences, i, j)
    }

    #[inline]
    fn triangle(&self, i: usize, j: usize, k: usize) -> Part {
        nearest_in_triangle(&self.differences, [i, j, k])
    }

    /// The direction that was known before the newest point.
    #[cold]
    fn normal_before_newest(&self) -> Option<DVec3> {
        let before = Self { count: self.count.checked_sub(1)?, ..*self };
        let v = before.nearest();
        (-before.upright(v).unwrap_or(v)).try_normalize()
    }

    /// The face with the newest point that is nearest to the origin, if it is no farther than `most`.
    ///
    /// Where that point lies beyond the plane across the nearest one, it is the nearest of all faces,
    /// although between corners far away it may be no nearer than rounding.
    #[cold]
    fn beside_newest(&self, most: f64) -> Option<Part> {
        let newest = self.count.checked_sub(1)?;
        let edges = (0..newest).map(|i| self.edge(i, newest));
        let pairs = (0..newest).flat_map(|j| (0..j).map(move |i| [i, j]));
        let parts = edges.chain(pairs.map(|[i, j]| self.triangle(i, j, newest)));
        let with_it = parts.filter(|part| part.corners[..part.count].contains(&newest));
        with_it.fold(None, nearer_of).filter(|part| part.square <= most * most)
    }

    fn tetrahedron(&self, size: f64) -> Option<Part> {
        const FACES: [[usize; 4]; 4] = [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 3, 2, 0]];
        let mut best: Option<Part> = None;
        for [i, j, k, opposite] in FACES {
            let points = &self.differences;
            let (p, q, r, s) = (points[i], points[j], points[k], points[opposite]);
            let normal = (q - p).cross(r - p);
            let (origin_side, other_side) = (-p.dot(normal), (s - p).dot(normal));
            // A tetrahedron that is flat up to rounding has no inside: each of its faces is a
            // candidate.
            let longest = (q - p).length_squared().max((r - p).length_squared());
            let noise = tolerance::GJK_NOISE * size * longest.max((s - p).length_squared());
            let within = origin_side * other_side > 0.0
                && origin_side.abs() > noise
                && other_side.abs() > noise;
            if !within {
                best = nearer_of(best, nearest_in_triangle_across(points, [i, j, k], normal));
            }
        }
        best
    }
}

#[inline]
fn nearest_corner(points: &[DVec3], i: usize) -> Part {
    let point = points[i];
    let square = point.length_squared();
    Part { corners: [i; 3], weights: [1.0, 0.0, 0.0], count: 1, point, square }
}

#[inline]
fn nearest_in_edge(points: &[DVec3], i: usize, j: usize) -> Part {
    let (p, q) = (points[i], points[j]);
    let along = q - p;
    let (at, length_squared) = (-p.dot(along), along.length_squared());
    if at <= 0.0 {
        nearest_corner(points, i)
    } else if at >= length_squared {
        nearest_corner(points, j)
    } else {
        let share = at / length_squared;
        let weights = [1.0 - share, share, 0.0];
        let point = p * weights[0] + q * weights[1];
        Part { corners: [i, j, j], weights, count: 2, point, square: point.length_squared() }
    }
}

#[inline]
fn nearest_in_triangle(points: &[DVec3], [i, j, k]: [usize; 3]) -> Part {
    let normal = (points[j] - points[i]).cross(points[k] - points[i]);
    nearest_in_triangle_across(points, [i, j, k], normal)
}

/// As [`nearest_in_triangle`] with the cross product of its sides.
///
/// Here and above no closures, which stay out of line.
#[inline]
fn nearest_in_triangle_across(points: &[DVec3], [i, j, k]: [usize; 3], normal: DVec3) -> Part {
    let (p, q, r) = (points[i], points[j], points[k]);
    let areas = [q.cross(r).dot(normal), r.cross(p).dot(normal), p.cross(q).dot(normal)];
    let sum = areas[0] + areas[1] + areas[2];
    if areas[0] > 0.0 && areas[1] > 0.0 && areas[2] > 0.0 && sum > 0.0 {
        let weights = [areas[0] / sum, areas[1] / sum, areas[2] / sum];
        let point = p * weights[0] + q * weights[1] + r * weights[2];
        let corners = [i, j, k];
        return Part { corners, weights, count: 3, point, square: point.length_squared() };
    }
    // The nearest point lies on a side that is seen from the origin.
    let mut best: Option<Part> = None;
    if areas[0] <= 0.0 {
        best = nearer_of(best, nearest_in_edge(points, j, k));
    }
    if areas[1] <= 0.0 {
        best = nearer_of(best, nearest_in_edge(points, k, i));
    }
    if areas[2] <= 0.0 {
        best = nearer_of(best, nearest_in_edge(points, i, j));
    }
    match best {
        Some(best) => best,
        None => nearer(
            nearer(nearest_in_edge(points, i, j), nearest_in_edge(points, j, k)),
            nearest_in_edge(points, k, i),
        ),
    }
}

#[inline]
fn nearer(a: Part, b: Part) -> Part {
    if b.square < a.square { b } else { a }
}

#[inline]
fn nearer_of(best: Option<Part>, other: Part) -> Option<Part> {
    Some(match best {
        Some(best) => nearer(best, other),
        None => other,
    })
}

#[cfg(test)]
mod tests;
