//! Where the origin lies to a convex set of exact points: Wolfe's method without rounding.
//!
//! The point of a simplex nearest to the origin, then the point of the set farthest against it,
//! until none lies farther. Each step comes strictly nearer, so that it ends without any tolerance.

use std::cmp::Ordering;

use glam::{DVec3, Vec3};
use smallvec::{SmallVec, smallvec};

use crate::exact::{Exact, ExactVec3};
use crate::filter::{Number, Vector};
use crate::tracked::Tracked;
use crate::{round, tolerance};

/// Compares the origin's distance from the convex hull of some points with `reach`, exactly.
///
/// The method runs with numbers that know what was rounded first, which tell where shapes rest on
/// each other as they do in ordinary scenes, and with exact ones where those do not know a sign.
///
/// - `least(d)` is the point that lies least along `d`, which is not zero; `None` where `d` does not
///   know.
/// - `first` is a guess of the direction from the origin to the hull, or zero; the answer does not
///   depend on it.
/// - Sign: `Greater` for an origin farther away than `reach`. Without reach, an origin on the
///   boundary of the hull is `Equal`, and one inside, where no plane through it has the whole hull
///   on one side, is `Less`.
/// - Source: Wolfe, *Finding the nearest point in a polytope* (1976).
#[must_use]
#[expect(clippy::missing_panics_doc, reason = "exact numbers know every sign")]
pub fn compare_distance(
    least: impl Fn(&Direction<'_>) -> Option<Place>,
    first: DVec3,
    reach: &Exact,
) -> Ordering {
    // What is nearly an axis is one: guesses are rounded.
    let largest = first.abs().max_element();
    let first = DVec3::select(first.abs().cmpgt(DVec3::splat(largest * 1e-9)), first, DVec3::ZERO);
    let first = if largest > 0.0 && first.is_finite() { first / largest } else { DVec3::X };
    let set = Set { least, first };
    set.compare::<Tracked>(reach)
        .or_else(|| set.compare::<Exact>(reach))
        .expect("exact numbers know every sign")
}

/// A place in exact numbers.
#[derive(Clone, Debug)]
pub struct Place {
    /// The coordinates in f64, where that is what they are.
    at: DVec3,
    /// Where it is not.
    exact: Option<Box<ExactVec3>>,
}

impl Place {
    /// From one place to another.
    #[must_use]
    #[inline]
    pub fn to(&self, other: &Self) -> Self {
        if self.exact.is_none() && other.exact.is_none() {
            let sums = [0, 1, 2].map(|k| round::two_sum(other.at[k], -self.at[k]));
            if sums.iter().all(|(_, error)| error.abs() <= 0.0) {
                return DVec3::from_array(sums.map(|(difference, _)| difference)).into();
            }
        }
        other.exact().minus(&self.exact()).into()
    }

    fn exact(&self) -> ExactVec3 {
        self.exact.as_deref().cloned().unwrap_or_else(|| self.at.into())
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        match (&self.exact, &other.exact) {
            (None, None) => self.at == other.at,
            _ => self.exact() == other.exact(),
        }
    }
}

impl From<Vec3> for Place {
    fn from(v: Vec3) -> Self {
        v.as_dvec3().into()
    }
}

impl From<DVec3> for Place {
    fn from(at: DVec3) -> Self {
        Self { at, exact: None }
    }
}

impl From<ExactVec3> for Place {
    fn from(exact: ExactVec3) -> Self {
        match exact.0.each_ref().map(Exact::as_f64) {
            [Some(x), Some(y), Some(z)] => DVec3::new(x, y, z).into(),
            _ => Self { at: DVec3::ZERO, exact: Some(Box::new(exact)) },
        }
    }
}

/// A direction, which may be known but for rounding.
#[expect(missing_debug_implementations, reason = "it asks a closure")]
pub struct Direction<'a> {
    /// The largest component is 1.
    rough: DVec3,
    /// Of a component of the rough one, at most.
    error: f64,
    /// Which way along it a way leads.
    along: &'a dyn Fn(&Place) -> Option<Ordering>,
}

impl Direction<'_> {
    /// Whether a way leads forward (`Greater`), back or across; `None` where rounding hides it.
    #[must_use]
    pub fn along(&self, way: &Place) -> Option<Ordering> {
        (self.along)(way)
    }

    /// The first of some places that are farthest along the direction, or against it.
    ///
    /// - `near` are the places within `error`, `exact(k)` one of them.
    #[must_use]
    pub fn extreme(
        &self,
        forward: bool,
        near: &[DVec3],
        error: f64,
        exact: impl Fn(usize) -> Place,
    ) -> Option<Place> {
        let rough = if forward { self.rough } else { -self.rough };
        let (mut most, mut size) = (f64::NEG_INFINITY, 0.0_f64);
        for v in near {
            most = most.max(rough.dot(*v));
            size = size.max(v.abs().element_sum());
        }
        // The direction has components of at most 1.
        let least = most - (8.0 * error + 4.0 * self.error * size);
        let mut candidates = (0..near.len()).filter(|&k| rough.dot(near[k]) >= least);
        let mut best = candidates.next().map_or_else(|| exact(0), &exact);
        for k in candidates {
            let place = exact(k);
            let ahead = self.along(&best.to(&place))?;
            if ahead == (if forward { Ordering::Greater } else { Ordering::Less }) {
                best = place;
            }
        }
        Some(best)
    }
}

/// What the method computes with.
trait Known: Number {
    fn of(x: &Exact) -> Self;
    fn at(place: &Place) -> Vector<Self>;
    /// The vector divided by its largest component, and the most that a component may be off by.
    fn rough(vector: &Vector<Self>) -> Option<(DVec3, f64)>;
    /// The quotient of two numbers, of which the divisor is not zero, within [`tolerance::FILTER`].
    fn ratio(number: &Self, divisor: &Self) -> Option<f64>;
}

impl Known for Tracked {
    fn of(x: &Exact) -> Self {
        Self::of(x)
    }

    #[inline]
    fn at(place: &Place) -> Vector<Self> {
        let exact = place.exact.as_deref();
        exact.map_or_else(
            || Vector(place.at.to_array().map(Self::new)),
            |exact| Vector(exact.0.each_ref().map(Self::of)),
        )
    }

    fn rough(vector: &Vector<Self>) -> Option<(DVec3, f64)> {
        let value = vector.value();
        let largest = value.abs().max_element();
        let error = vector.error() / largest;
        let is_known = (f64::MIN_POSITIVE..f64::INFINITY).contains(&largest) && error < 0.5;
        is_known.then(|| (value / largest, 4.0 * error + 4.0 * f64::EPSILON))
    }

    fn ratio(number: &Self, divisor: &Self) -> Option<f64> {
        let (number, error) = (number.value(), number.error());
        let room = divisor.value().abs() - divisor.error();
        let quotient = number / divisor.value();
        let error = error + quotient.abs() * divisor.error();
        // More than any underflow of the quotient.
        let is_normal = (f64::MIN_POSITIVE..f64::INFINITY).contains(&quotient.abs());
        (is_normal && error <= 0.5 * tolerance::FILTER * quotient.abs() * room).then_some(quotient)
    }
}

impl Known for Exact {
    fn of(x: &Exact) -> Self {
        x.clone()
    }

    fn at(place: &Place) -> Vector<Self> {
        Vector(place.exact().0)
    }

    fn rough(vector: &Vector<Self>) -> Option<(DVec3, f64)> {
        let [x, y, z] = &vector.0;
        let largest = [x, y, z].into_iter().map(Self::abs).max().unwrap_or(Self::ZERO);
        let rough = DVec3::new(x.ratio(&largest), y.ratio(&largest), z.ratio(&largest));
        Some((rough, 4.0 * f64::EPSILON))
    }

    fn ratio(number: &Self, divisor: &Self) -> Option<f64> {
        Some(number.ratio(divisor))
    }
}

/// The vector, of length one where it is known to lie along an axis: its length does not matter, and
/// what is multiplied by one is not rounded.
fn tidy<N: Number>(vector: Vector<N>) -> Vector<N> {
    let signs = vector.0.each_ref().map(N::known_sign);
    let is_zero = |k: usize| signs[k] == Some(Ordering::Equal);
    for (axis, sign) in signs.into_iter().enumerate() {
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        let one = match sign {
            Some(Ordering::Less) => -1.0,
            Some(Ordering::Greater) => 1.0,
            _ => continue,
        };
        if is_zero(next) && is_zero(last) {
            return Vector(std::array::from_fn(|k| if k == axis { N::new(one) } else { N::ZERO }));
        }
    }
    vector
}

/// A point of the hull.
#[derive(Clone)]
struct Point<N> {
    place: Place,
    at: Vector<N>,
}

impl<N: Known> Point<N> {
    fn new(place: Place) -> Self {
        Self { at: N::at(&place), place }
    }

    /// The way to another is known better than both points may be.
    fn to(&self, other: &Self) -> Vector<N> {
        N::at(&self.place.to(&other.place))
    }
}

type Face<N> = SmallVec<[Point<N>; 4]>;

/// Where the origin lies.
enum Position<N: Known> {
    /// Outside of the hull; how its distance compares with the radii.
    Outside(Ordering),
    /// In the hull, within the face that these vertices span.
    Within(Face<N>),
}

/// A set of points known by its extremes.
struct Set<F> {
    least: F,
    /// Where to look first.
    first: DVec3,
}

impl<F: Fn(&Direction<'_>) -> Option<Place>> Set<F> {
    /// `None` where rounding hides a sign, as do those below.
    fn compare<N: Known>(&self, reach: &Exact) -> Option<Ordering> {
        let direction = Vector(self.first.to_array().map(N::new));
        let first = self.least(&direction)?;
        // Where the whole hull lies beyond a plane through the origin, it is not inside.
        let ahead = direction.dot(&first.at).known_sign()?;
        let has_reach = reach.sign() == Ordering::Greater;
        if ahead == Ordering::Greater && !has_reach {
            return Some(Ordering::Greater);
        }
        Some(match self.nearest_to_origin(first, reach)? {
            Position::Outside(distance_to_reach) => distance_to_reach,
            Position::Within(_) if has_reach => Ordering::Less,
            Position::Within(_) if ahead == Ordering::Equal => Ordering::Equal,
            Position::Within(face) if self.is_inside(&face)? => Ordering::Less,
            Position::Within(_) => Ordering::Equal,
        })
    }

    fn least<N: Known>(&self, direction: &Vector<N>) -> Option<Point<N>> {
        let (rough, error) = N::rough(direction)?;
        let along = |way: &Place| direction.dot(&N::at(way)).known_sign();
        (self.least)(&Direction { rough, error, along: &along }).map(Point::new)
    }

    /// Where the origin lies, and how its distance from the hull compares with `reach`.
    fn nearest_to_origin<N: Known>(&self, first: Point<N>, reach: &Exact) -> Option<Position<N>> {
        let mut points: Face<N> = smallvec![first];
        loop {
            let at: SmallVec<[_; 4]> = points.iter().map(|point| point.at.clone()).collect();
            let nearest = Closest::of(&at, |i, j| points[i].to(&points[j]))?;
            points = nearest.kept.iter().map(|&k| points[k].clone()).collect();
            if nearest.is_zero()? {
                return Some(Position::Within(points));
            }
            let next = self.least(&nearest.direction)?;
            let ahead = nearest.direction.dot(&points[0].to(&next)).known_sign();
            // Of its own points the face knows.
            let is_own = points.iter().any(|point| point.place == next.place);
            if is_own || ahead? != Ordering::Less {
                return Some(Position::Outside(nearest.compare(reach)?));
            }
            if reach.sign() == Ordering::Equal
                && nearest.direction.dot(&next.at).known_sign()? == Ordering::Greater
            {
                return Some(Position::Outside(Ordering::Greater));
            }
            points.push(next);
        }
    }

    /// Whether the origin, which lies within `face`, is inside of the hull and not on its boundary.
    ///
    /// A plane through the origin that has the whole hull on one side holds the face, so that only
    /// what lies across it matters: the hull is looked at along the face until either such a plane
    /// is found or the faces around the origin span all directions.
    fn is_inside<N: Known>(&self, face: &Face<N>) -> Option<bool> {
        let mut view = View::along(face);
        while let Some(now) = &view {
            let mut points: Face<N> = SmallVec::new();
            let mut direction = now.across()?;
            loop {
                let next = self.least(&direction)?;
                if direction.dot(&next.at).known_sign()? != Ordering::Less {
                    return Some(false);
                }
                points.push(next);
                let seen: SmallVec<[_; 4]> =
                    points.iter().map(|point| now.seen(&point.at)).collect();
                let nearest = Closest::of(&seen, |i, j| now.seen(&points[i].to(&points[j])))?;
                points = nearest.kept.iter().map(|&k| points[k].clone()).collect();
                if nearest.is_zero()? {
                    break;
                }
                direction = now.unseen(&nearest.direction);
            }
            view = now.and_along(&points);
        }
        Some(true)
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
    direction: DVec3,
    distance: f64,
    kept: SmallVec<[usize; 4]>,
}

impl Nearest {
    /// Of one point, or of up to four of which the last is less far along the nearest point of the
    /// others than these are, so that the nearest one of all has it in its face.
    #[must_use]
    #[expect(clippy::missing_panics_doc, reason = "exact numbers know every sign")]
    pub fn of(points: &[Place]) -> Self {
        Self::known::<Tracked>(points)
            .or_else(|| Self::known::<Exact>(points))
            .expect("exact numbers know every sign")
    }

    fn known<N: Known>(points: &[Place]) -> Option<Self> {
        let at: SmallVec<[_; 4]> = points.iter().map(N::at).collect();
        let closest = Closest::of(&at, |i, j| N::at(&points[i].to(&points[j])))?;
        let Closest { direction, square, kept } = closest;
        if square.0.known_sign()? == Ordering::Equal {
            return Some(Self { direction: DVec3::ZERO, distance: 0.0, kept });
        }
        let (direction, error) = N::rough(&direction)?;
        let distance = N::ratio(&square.0, &square.1)?.sqrt();
        (error <= tolerance::FILTER).then_some(Self { direction, distance, kept })
    }

    /// From the origin to the point, the largest component 1; zero where the origin lies in the
    /// simplex.
    #[must_use]
    pub fn direction(&self) -> DVec3 {
        self.direction
    }

    /// How far the point is from the origin, within 2^-46.
    #[must_use]
    pub fn distance(&self) -> f64 {
        self.distance
    }

    /// The indices of the points that span the smallest face with the nearest point in it.
    #[must_use]
    pub fn kept(&self) -> &[usize] {
        &self.kept
    }
}

/// As [`Nearest`], in numbers that may not know a sign.
#[derive(Clone, Debug)]
struct Closest<N> {
    /// From the origin to the point, of any length; zero where the origin lies in the simplex.
    direction: Vector<N>,
    /// Numerator and denominator of the square of its distance.
    square: (N, N),
    /// The vertices of the smallest face that holds the point.
    kept: SmallVec<[usize; 4]>,
}

impl<N: Known> Closest<N> {
    fn is_zero(&self) -> Option<bool> {
        Some(self.square.0.known_sign()? == Ordering::Equal)
    }

    fn compare(&self, length: &Exact) -> Option<Ordering> {
        self.square.0.compared(&N::of(length).squared().times(&self.square.1))
    }

    /// See [`Nearest::of`]; `between(i, j)` is the way from one point to another.
    ///
    /// Goes through the faces, the smaller ones first: it is the one whose own nearest point lies
    /// inside it and before all other vertices.
    fn of(points: &[Vector<N>], between: impl Fn(usize, usize) -> Vector<N>) -> Option<Self> {
        let newest = 1_u32 << points.len().saturating_sub(1);
        let mut masks: SmallVec<[u32; 8]> = (newest..2 * newest).collect();
        masks.sort_by_key(|mask| mask.count_ones());
        let mut last = None;
        for mask in masks {
            let kept: SmallVec<[usize; 4]> =
                (0..points.len()).filter(|k| mask >> k & 1 == 1).collect();
            let Some(face) = Self::within(points, &between, kept)? else { continue };
            let mut is_nearest = true;
            for other in (0..points.len()).filter(|&k| mask >> k & 1 == 0) {
                let ahead = face.direction.dot(&between(face.kept[0], other)).known_sign()?;
                is_nearest &= ahead != Ordering::Less;
            }
            if is_nearest {
                return Some(face);
            }
            last = Some(face);
        }
        // Some face holds the nearest point: this is for the compiler.
        Some(last.unwrap_or_else(|| {
            let first = points.first().cloned().unwrap_or_else(|| Vector::new(Vec3::ZERO));
            let square = (first.length_squared(), N::new(1.0));
            Self { direction: first, square, kept: smallvec![0] }
        }))
    }

    /// The nearest point of the affine hull of some vertices, if it lies strictly between them.
    fn within(
        points: &[Vector<N>],
        between: impl Fn(usize, usize) -> Vector<N>,
        kept: SmallVec<[usize; 4]>,
    ) -> Option<Option<Self>> {
        let one = || N::new(1.0);
        let (direction, square) = match kept[..] {
            [i] => (points[i].clone(), (points[i].length_squared(), one())),
            [i, j] => {
                let (p, q) = (&points[i], &points[j]);
                let along = tidy(between(i, j));
                if along.dot(q).known_sign()? != Ordering::Greater
                    || along.dot(p).known_sign()? != Ordering::Less
                {
                    return Some(None);
                }
                let moment = p.cross(&along);
                (along.cross(&moment), (moment.length_squared(), along.length_squared()))
            }
            [i, j, k] => {
                let (p, q, r) = (&points[i], &points[j], &points[k]);
                let normal = tidy(between(i, j).cross(&between(i, k)));
                for (p, q) in [(q, r), (r, p), (p, q)] {
                    if p.cross(q).dot(&normal).known_sign()? != Ordering::Greater {
                        return Some(None);
                    }
                }
                let height = normal.dot(p);
                let toward = match height.known_sign()? {
                    Ordering::Less => normal.scaled(&N::new(-1.0)),
                    Ordering::Equal => Vector::new(Vec3::ZERO),
                    Ordering::Greater => normal.clone(),
                };
                (toward, (height.squared(), normal.length_squared()))
            }
            [i, j, k, l] => {
                let (p, q, r, s) = (&points[i], &points[j], &points[k], &points[l]);
                let mut sides = None;
                for [p, q, r] in [[q, s, r], [p, r, s], [p, s, q], [p, q, r]] {
                    let side = p.dot(&q.cross(r)).known_sign()?;
                    if side == Ordering::Equal || *sides.get_or_insert(side) != side {
                        return Some(None);
                    }
                }
                (Vector::new(Vec3::ZERO), (N::ZERO, one()))
            }
            _ => return Some(None),
        };
        Some(Some(Self { direction, square, kept }))
    }
}

/// The hull as seen along a face around the origin: what lies along it is left out.
enum View<N> {
    /// Along a point: everything is seen.
    Whole,
    /// Along a line.
    Across(Vector<N>),
    /// Along a plane with this normal.
    Edge(Vector<N>),
}

impl<N: Known> View<N> {
    /// Along a face that holds the origin; `None` for a volume, in which nothing is left to see.
    fn along(face: &Face<N>) -> Option<Self> {
        match &face[..] {
            [_] => Some(Self::Whole),
            [p, q] => Some(Self::Across(tidy(p.to(q)))),
            [p, q, r] => Some(Self::Edge(tidy(p.to(q).cross(&p.to(r))))),
            _ => None,
        }
    }

    /// Along the given face as well, which holds the origin as seen from here.
    fn and_along(&self, face: &Face<N>) -> Option<Self> {
        match (self, &face[..]) {
            (Self::Whole, _) => Self::along(face),
            (Self::Across(line), [p, _]) => Some(Self::Edge(tidy(line.cross(&p.at)))),
            _ => None,
        }
    }

    /// Some direction across what is left out; `None` where rounding hides which are.
    fn across(&self) -> Option<Vector<N>> {
        let Self::Across(line) = self else {
            return Some(match self {
                Self::Edge(normal) => normal.clone(),
                _ => Vector::new(Vec3::X),
            });
        };
        for axis in [Vec3::X, Vec3::Y] {
            let side = line.cross(&Vector::new(axis));
            for component in &side.0 {
                if component.known_sign()? != Ordering::Equal {
                    return Some(side);
                }
            }
        }
        None
    }

    /// A point as seen from here, in coordinates of the view.
    fn seen(&self, point: &Vector<N>) -> Vector<N> {
        match self {
            Self::Whole => point.clone(),
            Self::Across(line) => line.cross(point),
            Self::Edge(normal) => Vector([normal.dot(point), N::ZERO, N::ZERO]),
        }
    }

    /// The direction in space along which points lie as their images do along `direction`.
    fn unseen(&self, direction: &Vector<N>) -> Vector<N> {
        match self {
            Self::Whole => direction.clone(),
            Self::Across(line) => direction.cross(line),
            Self::Edge(normal) => normal.scaled(&direction.0[0]),
        }
    }
}
