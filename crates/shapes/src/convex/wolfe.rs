//! Where the origin lies to a convex set of exact points: Wolfe's method without rounding.
//!
//! The point of a simplex nearest to the origin, then the point of the set farthest against it,
//! until none lies farther. Each step comes strictly nearer, so that it ends without any tolerance.

use std::cmp::Ordering;

use glam::{DVec3, Vec3};
use smallvec::{SmallVec, smallvec};

use crate::exact::{Exact, ExactVec3};

/// Compares the origin's distance from the convex hull of some points with `reach`, exactly.
///
/// - `least(d)` is the point that lies least along `d`, which is not zero; the first among equals.
/// - Sign: `Greater` for an origin farther away than `reach`. Without reach, an origin on the
///   boundary of the hull is `Equal`, and one inside, where no plane through it has the whole hull
///   on one side, is `Less`.
/// - Source: Wolfe, *Finding the nearest point in a polytope* (1976).
#[must_use]
pub fn compare_distance(least: impl Fn(&ExactVec3) -> ExactVec3, reach: &Exact) -> Ordering {
    let set = Set { least };
    match set.nearest_to_origin(reach) {
        Position::Outside(distance_to_reach) => distance_to_reach,
        Position::Within(_) if reach.sign() == Ordering::Greater => Ordering::Less,
        Position::Within(face) if set.is_inside(&face) => Ordering::Less,
        Position::Within(_) => Ordering::Equal,
    }
}

/// The first of some points that are farthest along a direction, exactly: f64 leaves out those that
/// certainly are not.
///
/// - `near` are the points within `error`, `direction` the direction as [`rough`] has it.
/// - `exact(k)` is a point, `height` how far out it is.
#[must_use]
pub fn extreme(
    near: &[DVec3],
    direction: DVec3,
    error: f64,
    exact: impl Fn(usize) -> ExactVec3,
    height: impl Fn(&ExactVec3) -> Exact,
) -> ExactVec3 {
    let most = near.iter().fold(f64::NEG_INFINITY, |most, v| most.max(direction.dot(*v)));
    // The direction has components of at most 1, each within 2^-51.
    let slack = 8.0 * error;
    let mut candidates = (0..near.len()).filter(|&k| direction.dot(near[k]) >= most - slack);
    let mut best = candidates.next().map_or_else(|| exact(0), &exact);
    let mut best_height: Option<Exact> = None;
    for k in candidates {
        let point = exact(k);
        let here = height(&point);
        let top = best_height.get_or_insert_with(|| height(&best));
        if here > *top {
            (best, best_height) = (point, Some(here));
        }
    }
    best
}

/// A direction in f64, its largest component 1.
#[must_use]
pub fn rough(direction: &ExactVec3) -> DVec3 {
    let [x, y, z] = &direction.0;
    let largest = [x, y, z].into_iter().map(Exact::abs).max().unwrap_or(Exact::ZERO);
    DVec3::new(x.ratio(&largest), y.ratio(&largest), z.ratio(&largest))
}

/// Where the origin lies.
#[expect(clippy::large_enum_variant, reason = "lives on the stack for the length of one query")]
enum Position {
    /// Outside of the hull; how its distance compares with the radii.
    Outside(Ordering),
    /// In the hull, within the face that these vertices span.
    Within(Face),
}

type Face = SmallVec<[ExactVec3; 4]>;

/// A set of points known by its extremes.
struct Set<F> {
    least: F,
}

impl<F: Fn(&ExactVec3) -> ExactVec3> Set<F> {
    fn least(&self, direction: &ExactVec3) -> ExactVec3 {
        (self.least)(direction)
    }

    /// Where the origin lies, and how its distance from the hull compares with `reach`.
    fn nearest_to_origin(&self, reach: &Exact) -> Position {
        let mut points: Face = smallvec![self.least(&ExactVec3::from(Vec3::X))];
        loop {
            let nearest = Nearest::of(&points);
            points = nearest.kept.iter().map(|&k| points[k].clone()).collect();
            if nearest.is_zero() {
                return Position::Within(points);
            }
            let next = self.least(&nearest.direction);
            let ahead = nearest.direction.dot(&next);
            if ahead >= nearest.direction.dot(&points[0]) {
                return Position::Outside(nearest.compare(reach));
            }
            if reach.sign() == Ordering::Equal && ahead.sign() == Ordering::Greater {
                return Position::Outside(Ordering::Greater);
            }
            points.push(next);
        }
    }

    /// Whether the origin, which lies within `face`, is inside of the hull and not on its boundary.
    ///
    /// A plane through the origin that has the whole hull on one side holds the face, so that only
    /// what lies across it matters: the hull is looked at along the face until either such a plane
    /// is found or the faces around the origin span all directions.
    fn is_inside(&self, face: &Face) -> bool {
        let mut view = View::along(face);
        while let Some(now) = &view {
            let mut points: Face = SmallVec::new();
            let mut direction = now.across();
            loop {
                let next = self.least(&direction);
                if direction.dot(&next).sign() != Ordering::Less {
                    return false;
                }
                points.push(next);
                let seen: Face = points.iter().map(|point| now.seen(point)).collect();
                let nearest = Nearest::of(&seen);
                points = nearest.kept.iter().map(|&k| points[k].clone()).collect();
                if nearest.is_zero() {
                    break;
                }
                direction = now.unseen(&nearest.direction);
            }
            view = now.and_along(&points);
        }
        true
    }
}

/// The point of a simplex nearest to the origin, without rounding: what a step of Wolfe's method, or
/// of GJK, goes on from.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use impinge_shapes::convex::wolfe::Nearest;
///
/// let nearest = Nearest::of(&[Vec3::new(1.0, 2.0, 0.0).into(), Vec3::new(1.0, -2.0, 0.0).into()]);
/// assert_eq!((nearest.distance(), nearest.direction()), (1.0, DVec3::X));
/// ```
#[derive(Clone, Debug)]
pub struct Nearest {
    /// From the origin to the point, of any length; zero where the origin lies in the simplex.
    direction: ExactVec3,
    /// Numerator and denominator of the square of its distance.
    square: (Exact, Exact),
    /// The vertices of the smallest face that holds the point.
    kept: SmallVec<[usize; 4]>,
}

impl Nearest {
    fn is_zero(&self) -> bool {
        self.square.0.sign() == Ordering::Equal
    }

    /// From the origin to the point in f64, of any length; zero where the origin lies in the simplex.
    #[must_use]
    pub fn direction(&self) -> DVec3 {
        rough(&self.direction)
    }

    /// How far the point is from the origin, within two ulp.
    #[must_use]
    pub fn distance(&self) -> f64 {
        self.square.0.ratio(&self.square.1).sqrt()
    }

    /// The indices of the points that span the smallest face with the nearest point in it.
    #[must_use]
    pub fn kept(&self) -> &[usize] {
        &self.kept
    }

    fn compare(&self, length: &Exact) -> Ordering {
        self.square.0.cmp(&(length.square() * self.square.1.clone()))
    }

    /// Of one point, or of up to four of which the last is less far along the nearest point of the
    /// others than these are, so that the nearest one of all has it in its face.
    ///
    /// Goes through the faces, the smaller ones first: it is the one whose own nearest point lies
    /// inside it and before all other vertices.
    #[must_use]
    pub fn of(points: &[ExactVec3]) -> Self {
        let newest = 1_u32 << points.len().saturating_sub(1);
        let mut masks: SmallVec<[u32; 8]> = (newest..2 * newest).collect();
        masks.sort_by_key(|mask| mask.count_ones());
        let mut last = None;
        for mask in masks {
            let kept: SmallVec<[usize; 4]> =
                (0..points.len()).filter(|k| mask >> k & 1 == 1).collect();
            let Some(face) = Self::within(points, kept) else { continue };
            let level = face.direction.dot(&points[face.kept[0]]);
            let is_nearest = points.iter().all(|point| face.direction.dot(point) >= level);
            if is_nearest {
                return face;
            }
            last = Some(face);
        }
        // Some face holds the nearest point: this is for the compiler.
        last.unwrap_or_else(|| {
            let first = points.first().cloned().unwrap_or_else(|| Vec3::ZERO.into());
            let square = (first.length_squared(), Exact::from(1.0));
            Self { direction: first, square, kept: smallvec![0] }
        })
    }

    /// The nearest point of the affine hull of some vertices, if it lies strictly between them.
    fn within(points: &[ExactVec3], kept: SmallVec<[usize; 4]>) -> Option<Self> {
        let positive = |x: &Exact| x.sign() == Ordering::Greater;
        let one = || Exact::from(1.0);
        let (direction, square) = match kept[..] {
            [i] => (points[i].clone(), (points[i].length_squared(), one())),
            [i, j] => {
                let (p, q) = (&points[i], &points[j]);
                let along = q.minus(p);
                if !(positive(&along.dot(q)) && positive(&-along.dot(p))) {
                    return None;
                }
                let moment = p.cross(q);
                (along.cross(&moment), (moment.length_squared(), along.length_squared()))
            }
            [i, j, k] => {
                let (p, q, r) = (&points[i], &points[j], &points[k]);
                let normal = q.minus(p).cross(&r.minus(p));
                let weights = [q.cross(r), r.cross(p), p.cross(q)].map(|area| area.dot(&normal));
                if !weights.iter().all(positive) {
                    return None;
                }
                let height = normal.dot(p);
                let toward = match height.sign() {
                    Ordering::Less => normal.scale(&-one()),
                    Ordering::Equal => normal.scale(&Exact::ZERO),
                    Ordering::Greater => normal.clone(),
                };
                (toward, (height.square(), normal.length_squared()))
            }
            [i, j, k, l] => {
                let (p, q, r, s) = (&points[i], &points[j], &points[k], &points[l]);
                let volume = |p: &ExactVec3, q: &ExactVec3, r: &ExactVec3| p.dot(&q.cross(r));
                let parts = [volume(q, s, r), volume(p, r, s), volume(p, s, q), volume(p, q, r)];
                let inside =
                    parts.iter().all(positive) || parts.iter().all(|x| x.sign() == Ordering::Less);
                if !inside {
                    return None;
                }
                (ExactVec3::from(Vec3::ZERO), (Exact::ZERO, one()))
            }
            _ => return None,
        };
        Some(Self { direction, square, kept })
    }
}

/// The hull as seen along a face around the origin: what lies along it is left out.
enum View {
    /// Along a point: everything is seen.
    Whole,
    /// Along a line.
    Across(ExactVec3),
    /// Along a plane with this normal.
    Edge(ExactVec3),
}

impl View {
    /// Along a face that holds the origin; `None` for a volume, in which nothing is left to see.
    fn along(face: &Face) -> Option<Self> {
        match &face[..] {
            [_] => Some(Self::Whole),
            [p, q] => Some(Self::Across(q.minus(p))),
            [p, q, r] => Some(Self::Edge(q.minus(p).cross(&r.minus(p)))),
            _ => None,
        }
    }

    /// Along the given face as well, which holds the origin as seen from here.
    fn and_along(&self, face: &Face) -> Option<Self> {
        match (self, &face[..]) {
            (Self::Whole, _) => Self::along(face),
            (Self::Across(line), [p, _]) => Some(Self::Edge(line.cross(p))),
            _ => None,
        }
    }

    /// Some direction across what is left out.
    fn across(&self) -> ExactVec3 {
        match self {
            Self::Whole => Vec3::X.into(),
            Self::Across(line) => {
                let sides = Vec3::AXES.map(|axis| line.cross(&axis.into()));
                let [first, second, _] = sides;
                if first.length_squared().sign() == Ordering::Equal { second } else { first }
            }
            Self::Edge(normal) => normal.clone(),
        }
    }

    /// A point as seen from here, in coordinates of the view.
    fn seen(&self, point: &ExactVec3) -> ExactVec3 {
        match self {
            Self::Whole => point.clone(),
            Self::Across(line) => line.cross(point),
            Self::Edge(normal) => ExactVec3([normal.dot(point), Exact::ZERO, Exact::ZERO]),
        }
    }

    /// The direction in space along which points lie as their images do along `direction`.
    fn unseen(&self, direction: &ExactVec3) -> ExactVec3 {
        match self {
            Self::Whole => direction.clone(),
            Self::Across(line) => direction.cross(line),
            Self::Edge(normal) => normal.scale(&direction.0[0]),
        }
    }
}
