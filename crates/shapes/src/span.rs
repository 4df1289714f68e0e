//! The part of a line in a convex solid that planes and one quadric bound.

use std::cmp::Ordering;

use glam::DVec3;

use crate::ball::Quadratic;
use crate::crossing::{Found, Limits, Pass};
use crate::filter::{Number, quotient, square_root};
use crate::ray::StartedInside;

/// Where a line passes a surface.
#[derive(Clone, Debug)]
pub(crate) enum Mark<N> {
    /// A numerator over a positive denominator.
    Ratio(N, N),
    /// The smaller root of the quadric's polynomial.
    Low,
    /// The larger root.
    High,
}

/// Where the part in the solid begins or ends.
#[derive(Clone, Debug)]
pub(crate) struct End<N> {
    pub(crate) mark: Mark<N>,
    /// On a plane, or on the quadric.
    pub(crate) on_cap: bool,
}

/// The part of a line in a solid; both ends belong to it and may be equal.
#[derive(Clone, Debug)]
pub(crate) struct LineSpan<N> {
    quadric: Option<Quadratic<N>>,
    enter: End<N>,
    leave: End<N>,
}

impl<N: Number> Quadratic<N> {
    /// How `n / m`, with a positive `m`, compares with the smaller or the larger root.
    ///
    /// - Derivation: the polynomial's sign there tells whether it lies between the roots, and
    ///   the slope's sign on which side, so no root is taken.
    pub(crate) fn compare(&self, (n, m): (&N, &N), root: &Mark<N>) -> Option<Ordering> {
        let slope = self.a.times(n).plus(&self.b.times(m));
        let value = n.times(&slope.plus(&self.b.times(m))).plus(&self.c.times(&m.squared()));
        let is_high = matches!(root, Mark::High);
        Some(match value.known_sign()? {
            Ordering::Less if is_high => Ordering::Less,
            Ordering::Less => Ordering::Greater,
            Ordering::Equal => match slope.known_sign()? {
                Ordering::Less if is_high => Ordering::Less,
                Ordering::Greater if !is_high => Ordering::Greater,
                _ => Ordering::Equal,
            },
            Ordering::Greater => slope.known_sign()?,
        })
    }
}

impl<N: Number> LineSpan<N> {
    /// What is common to the part between the planes and the part within the quadric, each
    /// from a beginning to an end, where `None` is no bound; `None` inside where they have nothing
    /// in common, outside where rounding hides it.
    ///
    /// Each of the two parts must not be empty, and together they must be bounded.
    ///
    /// - Ties: a plane before the quadric.
    pub(crate) fn common(
        quadric: Option<Quadratic<N>>,
        caps: [Option<(N, N)>; 2],
        sides: [Option<Mark<N>>; 2],
    ) -> Option<Option<Self>> {
        let compare = |a: &Mark<N>, b: &Mark<N>| compare(quadric.as_ref(), a, b);
        let end = |cap: Option<(N, N)>, side: Option<Mark<N>>, inner: Ordering| {
            let cap = cap.map(|(n, m)| Mark::Ratio(n, m));
            Some(match (cap, side) {
                (None, None) => None,
                (Some(mark), None) => Some(End { mark, on_cap: true }),
                (None, Some(mark)) => Some(End { mark, on_cap: false }),
                (Some(cap), Some(side)) => {
                    let on_cap = compare(&side, &cap)? != inner;
                    Some(End { mark: if on_cap { cap } else { side }, on_cap })
                }
            })
        };
        let ([first, last], [low, high]) = (caps, sides);
        let (enter, leave) =
            (end(first, low, Ordering::Greater)?, end(last, high, Ordering::Less)?);
        let (Some(enter), Some(leave)) = (enter, leave) else { return Some(None) };
        if enter.on_cap != leave.on_cap && compare(&enter.mark, &leave.mark)? == Ordering::Greater {
            return Some(None);
        }
        Some(Some(Self { quadric, enter, leave }))
    }

    /// How a mark compares with a distance along the ray.
    fn compare_with(&self, mark: &Mark<N>, distance: &N) -> Option<Ordering> {
        let distance = Mark::Ratio(distance.clone(), N::new(1.0));
        compare(self.quadric.as_ref(), mark, &distance)
    }

    fn distance(&self, mark: &Mark<N>) -> Option<f64> {
        match (mark, &self.quadric) {
            (Mark::Ratio(n, m), _) => quotient(n, m),
            (Mark::Low, Some(quadric)) => Some(quadric.first_root()?.value),
            (Mark::High, Some(quadric)) => Some(quadric.last_root()?.value),
            (_, None) => None,
        }
    }

    /// Where the ray passes an end that is not behind it; `None` inside beyond `max`.
    fn pass(
        &self,
        end: &End<N>,
        max: Option<&N>,
        outward: impl FnOnce(&End<N>) -> Option<DVec3>,
    ) -> Option<Option<Pass>> {
        if let Some(max) = max
            && self.compare_with(&end.mark, max)? == Ordering::Greater
        {
            return Some(None);
        }
        let at_start = self.compare_with(&end.mark, &N::ZERO)? == Ordering::Equal;
        let distance = if at_start { 0.0 } else { self.distance(&end.mark)? };
        Some(Some(Pass { distance, normal: outward(end)? }))
    }

    /// What a ray along the line finds; `None` where rounding hides it.
    ///
    /// `outward` gives the normal where the line enters (`false`) or leaves (`true`).
    pub(crate) fn probe(
        &self,
        limits: &Limits,
        outward: impl Fn(&End<N>, bool) -> Option<DVec3>,
    ) -> Option<Found> {
        if self.compare_with(&self.leave.mark, &N::ZERO)? == Ordering::Less {
            return Some(Found::Miss);
        }
        let inside = self.compare_with(&self.enter.mark, &N::ZERO)? != Ordering::Greater;
        match (inside, limits.started_inside) {
            (true, StartedInside::Hit) => return Some(Found::Inside),
            (true, StartedInside::Skip) => return Some(Found::Miss),
            _ => {}
        }
        let end = if inside { &self.leave } else { &self.enter };
        let max = limits.max_distance.map(N::new);
        Some(match self.pass(end, max.as_ref(), |end| outward(end, inside))? {
            None => Found::Miss,
            Some(Pass { distance, normal }) => {
                Found::Boundary { started_inside: inside, distance, normal }
            }
        })
    }

    /// Where a ray that meets the solid leaves it, up to `max`; the outer `None` where rounding
    /// hides it.
    pub(crate) fn leave(
        &self,
        max: Option<f64>,
        outward: impl FnOnce(&End<N>) -> Option<DVec3>,
    ) -> Option<Option<Pass>> {
        self.pass(&self.leave, max.map(N::new).as_ref(), outward)
    }
}

/// How two marks compare; both roots are of the same polynomial.
fn compare<N: Number>(
    quadric: Option<&Quadratic<N>>,
    a: &Mark<N>,
    b: &Mark<N>,
) -> Option<Ordering> {
    match (a, b, quadric) {
        (Mark::Ratio(n, m), Mark::Ratio(p, q), _) => n.times(q).compared(&p.times(m)),
        (Mark::Ratio(n, m), root, Some(quadric)) => quadric.compare((n, m), root),
        (root, Mark::Ratio(n, m), Some(quadric)) => {
            quadric.compare((n, m), root).map(Ordering::reverse)
        }
        _ => None,
    }
}

/// `x + y √d` in f64 and a bound on its error.
///
/// - Derivation: where the two parts cancel, the sum is `(x² - y² d) / (x - y √d)`.
pub(crate) fn surd<N: Number>(x: &N, y: &N, d: &N) -> (f64, f64) {
    let (root, root_error) = square_root(d);
    let part = y.value() * root;
    let part_error = y.error() * (root + root_error) + y.value().abs() * root_error;
    let error = x.error() + part_error;
    if x.value() * part >= 0.0 {
        let sum = x.value() + part;
        return (sum, error + 2.0 * sum.abs() * f64::EPSILON);
    }
    let (numerator, denominator) = (x.squared().minus(&y.squared().times(d)), x.value() - part);
    let room = denominator.abs() * (1.0 - 2.0 * f64::EPSILON) - error;
    let sum = numerator.value() / denominator;
    let error = (numerator.error() + sum.abs() * error) / room;
    // Without room not even the denominator's sign is known.
    (sum, if room > 0.0 { error + 2.0 * sum.abs() * f64::EPSILON } else { f64::INFINITY })
}
