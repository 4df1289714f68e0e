//! The nearest point of a simplex.

use std::cmp::Ordering;

use glam::{DVec3, Vec3};
use smallvec::{SmallVec, smallvec};

use super::known::{Known, tidy};
use super::place::Place;
use crate::exact::Exact;
use crate::filter::Vector;
use crate::tolerance;
use crate::tracked::Tracked;

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
pub(super) struct Closest<N> {
    /// From the origin to the point, of any length; zero where the origin lies in the simplex.
    pub(super) direction: Vector<N>,
    /// Numerator and denominator of the square of its distance.
    square: (N, N),
    /// The vertices of the smallest face that holds the point.
    pub(super) kept: SmallVec<[usize; 4]>,
}

impl<N: Known> Closest<N> {
    pub(super) fn is_zero(&self) -> Option<bool> {
        Some(self.square.0.known_sign()? == Ordering::Equal)
    }

    pub(super) fn compare(&self, length: &Exact) -> Option<Ordering> {
        self.square.0.compared(&N::of(length).squared().times(&self.square.1))
    }

    /// See [`Nearest::of`]; `between(i, j)` is the way from one point to another.
    ///
    /// Goes through the faces, the smaller ones first: it is the one whose own nearest point lies
    /// inside it and before all other vertices. Where rounding hides which, it may be a smaller one.
    pub(super) fn of(
        points: &[Vector<N>],
        between: impl Fn(usize, usize) -> Vector<N>,
    ) -> Option<Self> {
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
                let ahead = face.direction.dot(&between(face.kept[0], other)).known_sign();
                is_nearest &= ahead != Some(Ordering::Less);
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
                if along.dot(q).known_sign() != Some(Ordering::Greater)
                    || along.dot(p).known_sign() != Some(Ordering::Less)
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
                    if p.cross(q).dot(&normal).known_sign() != Some(Ordering::Greater) {
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
                    let side = p.dot(&q.cross(r)).known_sign();
                    if side.is_none_or(Ordering::is_eq) || *sides.get_or_insert(side) != side {
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
