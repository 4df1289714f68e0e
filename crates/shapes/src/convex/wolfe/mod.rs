//! Where the origin lies to a convex set of exact points: Wolfe's method without rounding.
//!
//! The point of a simplex nearest to the origin, then the point of the set farthest against it,
//! until none lies farther. Each step comes strictly nearer, so that it ends without any tolerance.

mod known;
mod nearest;
mod place;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use glam::{DVec3, Vec3};
use smallvec::{SmallVec, smallvec};

pub use nearest::Nearest;
pub use place::{Direction, Extreme, Place};

use self::known::{Known, axis, tidy};
use self::nearest::Closest;
use crate::exact::Exact;
use crate::filter::Vector;
use crate::tolerance;
use crate::tracked::Tracked;

/// Compares the origin's distance from the convex hull of some points with `reach`, exactly.
///
/// The method runs with numbers that know what was rounded first, which tell where shapes rest on
/// each other as they do in ordinary scenes, and with exact ones where those do not know a sign.
///
/// - `least(d)` is the point that lies least along `d`, which is not zero.
/// - `first` is a guess of the direction from the origin to the hull, or zero; the answer does not
///   depend on it.
/// - Sign: `Greater` for an origin farther away than `reach`. Without reach, an origin on the
///   boundary of the hull is `Equal`, and one inside, where no plane through it has the whole hull
///   on one side, is `Less`.
/// - Source: Wolfe, *Finding the nearest point in a polytope* (1976).
#[must_use]
#[expect(clippy::missing_panics_doc, reason = "exact numbers know every sign")]
pub fn compare_distance(
    least: impl Fn(&Direction<'_>) -> Extreme,
    first: DVec3,
    reach: &Exact,
) -> Ordering {
    // What is nearly an axis is one: guesses are rounded.
    let largest = first.abs().max_element();
    let small = DVec3::splat(largest * tolerance::NEARLY_AXIS);
    let first = DVec3::select(first.abs().cmpgt(small), first, DVec3::ZERO);
    let first = if largest > 0.0 && first.is_finite() { first / largest } else { DVec3::X };
    let set = Set { least, first };
    set.compare::<Tracked>(reach)
        .or_else(|| set.compare::<Exact>(reach))
        .expect("exact numbers know every sign")
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
#[expect(clippy::large_enum_variant, reason = "lives on the stack for the length of one query")]
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

impl<F: Fn(&Direction<'_>) -> Extreme> Set<F> {
    /// `None` where rounding hides a sign, as do those below.
    fn compare<N: Known>(&self, reach: &Exact) -> Option<Ordering> {
        let direction = Vector(self.first.to_array().map(N::new));
        let (first, is_known) = self.least(&direction)?;
        // Where the whole hull lies beyond a plane through the origin, it is not inside.
        let ahead = direction.dot(&first.at).known_sign().filter(|_| is_known);
        let has_reach = reach.sign() == Ordering::Greater;
        if ahead == Some(Ordering::Greater) && !has_reach {
            return Some(Ordering::Greater);
        }
        Some(match self.nearest_to_origin(first, reach)? {
            Position::Outside(distance_to_reach) => distance_to_reach,
            Position::Within(_) if has_reach => Ordering::Less,
            Position::Within(_) if ahead == Some(Ordering::Equal) => Ordering::Equal,
            Position::Within(face) if self.is_inside(&face)? => Ordering::Less,
            Position::Within(_) => Ordering::Equal,
        })
    }

    /// The point that lies least along a direction, and whether none lies less far.
    fn least<N: Known>(&self, direction: &Vector<N>) -> Option<(Point<N>, bool)> {
        let (rough, error) = N::rough(direction)?;
        let along = |way: &Place| direction.dot(&N::at(way)).known_sign();
        let Extreme { place, is_known } = (self.least)(&Direction { rough, error, along: &along });
        Some((Point::new(place), is_known))
    }

    /// Where the origin lies, and how its distance from the hull compares with `reach`.
    fn nearest_to_origin<N: Known>(&self, first: Point<N>, reach: &Exact) -> Option<Position<N>> {
        let mut points: Face<N> = smallvec![first];
        // Each step comes strictly nearer, but where signs are guessed: then there is an end, too.
        for _ in 0..N::STEPS {
            let at: SmallVec<[_; 4]> = points.iter().map(|point| point.at.clone()).collect();
            let nearest = Closest::of(&at, |i, j| points[i].to(&points[j]))?;
            points = nearest.kept.iter().map(|&k| points[k].clone()).collect();
            if nearest.is_zero()? {
                return Some(Position::Within(points));
            }
            let (next, is_known) = self.least(&nearest.direction)?;
            let ahead = nearest.direction.dot(&points[0].to(&next)).known_sign();
            // Of its own points the face knows.
            let is_own = points.iter().any(|point| point.place == next.place);
            if is_own || ahead? != Ordering::Less {
                if !is_known {
                    return None;
                }
                // Straight along an axis the distance is a coordinate.
                let compared = match axis(&nearest.direction) {
                    Some((k, _)) => points[0].place.exact().0[k].abs().cmp(reach),
                    None => nearest.compare(reach)?,
                };
                return Some(Position::Outside(compared));
            }
            if reach.sign() == Ordering::Equal
                && is_known
                && nearest.direction.dot(&next.at).known_sign() == Some(Ordering::Greater)
            {
                return Some(Position::Outside(Ordering::Greater));
            }
            points.push(next);
        }
        None
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
            let mut steps = 0..N::STEPS;
            loop {
                steps.next()?;
                let (next, is_known) = self.least(&direction)?;
                if direction.dot(&next.at).known_sign()? != Ordering::Less {
                    return is_known.then_some(false);
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
