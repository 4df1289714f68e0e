//! Rays against slabs: boxes and half-spaces are intersections of them.

use std::cmp::Ordering;

use glam::DVec3;

use crate::crossing::{Found, Limits, Pass};
use crate::filter::{Number, quotient};
use crate::ray::StartedInside;

/// The points `t` of a ray with `lower ≤ t · slope ≤ upper`, where `None` is no bound. The ray
/// starts at 0, so a positive lower bound or a negative upper one says that it starts outside.
#[derive(Clone, Debug)]
pub(crate) struct Slab<N> {
    pub(crate) lower: Option<N>,
    pub(crate) upper: Option<N>,
    pub(crate) slope: N,
}

/// A slab that the ray crosses: `near ≤ t · speed ≤ far` with a positive speed.
struct Span<N> {
    axis: usize,
    near: Option<N>,
    far: Option<N>,
    speed: N,
    ascending: bool,
}

impl<N: Number> Slab<N> {
    fn holds_origin(&self) -> Option<bool> {
        let below = self.lower.as_ref().map_or(Some(Ordering::Equal), N::known_sign)?;
        let above = self.upper.as_ref().map_or(Some(Ordering::Equal), N::known_sign)?;
        Some(below != Ordering::Greater && above != Ordering::Less)
    }

    /// `None` for a ray that runs along the slab.
    fn span(&self, axis: usize) -> Option<Option<Span<N>>> {
        let (lower, upper) = (self.lower.as_ref(), self.upper.as_ref());
        Some(match self.slope.known_sign()? {
            Ordering::Equal => None,
            Ordering::Greater => Some(Span {
                axis,
                near: lower.cloned(),
                far: upper.cloned(),
                speed: self.slope.clone(),
                ascending: true,
            }),
            Ordering::Less => Some(Span {
                axis,
                near: upper.map(N::negated),
                far: lower.map(N::negated),
                speed: self.slope.negated(),
                ascending: false,
            }),
        })
    }
}

impl<N: Number> Span<N> {
    /// The pass at `at`, one of the span's ends.
    ///
    /// A ray enters through the face that looks against it and leaves through the opposite one.
    #[inline(always)]
    fn pass(&self, at: &N, normals: impl Fn(usize) -> DVec3, leaving: bool) -> Option<Pass> {
        let distance = quotient(at, &self.speed)?;
        let normal = normals(self.axis);
        Some(Pass { distance, normal: if self.ascending == leaving { normal } else { -normal } })
    }
}

/// Where a ray meets the common part of the slabs, up to three; `None` where rounding hides it.
///
/// `normals` gives the direction in which each slab's upper face looks.
///
/// - Ties: the first slab.
/// - Source: Kay and Kajiya (1986) on slabs; interval ends `a / b` and `c / d` of positive
///   denominators are compared by the products `a d` and `c b`, so nothing is divided.
pub(crate) fn probe<N: Number>(
    slabs: &[Slab<N>],
    normals: impl Fn(usize) -> DVec3,
    limits: &Limits,
) -> Option<Found> {
    let Some((inside, spans)) = begin(slabs)? else { return Some(Found::Miss) };
    let max = limits.max_distance.map(N::new);
    let crossed = match (inside, limits.started_inside) {
        (true, StartedInside::Hit) => return Some(Found::Inside),
        (true, StartedInside::Skip) => return Some(Found::Miss),
        (true, StartedInside::Exit) => exit(&spans, max.as_ref())?,
        (false, _) => entry(&spans, max.as_ref())?,
    };
    let Some((span, at)) = crossed else { return Some(Found::Miss) };
    let Pass { distance, normal } = span.pass(at, normals, inside)?;
    Some(Found::Boundary { started_inside: inside, distance, normal })
}

/// Where a ray that meets the common part leaves it, up to `max`; the outer `None` where rounding
/// hides it.
pub(crate) fn leave<N: Number>(
    slabs: &[Slab<N>],
    normals: impl Fn(usize) -> DVec3,
    max: Option<f64>,
) -> Option<Option<Pass>> {
    let Some((_, spans)) = begin(slabs)? else { return Some(None) };
    let max = max.map(N::new);
    let Some((span, at)) = exit(&spans, max.as_ref())? else { return Some(None) };
    Some(Some(span.pass(at, normals, true)?))
}

/// Whether the ray starts inside, and where it crosses each slab; `None` inside where it runs
/// beside one or leaves one behind.
#[inline(always)]
#[expect(clippy::type_complexity, reason = "two layers of absence around a pair")]
fn begin<N: Number>(slabs: &[Slab<N>]) -> Option<Option<(bool, [Option<Span<N>>; 3])>> {
    let mut inside = true;
    let mut spans: [Option<Span<N>>; 3] = [None, None, None];
    for (axis, slab) in slabs.iter().enumerate().take(3) {
        let holds = slab.holds_origin()?;
        inside &= holds;
        // The bounds on the far side of the start are cheap and settle most misses.
        spans[axis] = slab.span(axis)?;
        match &spans[axis] {
            None if !holds => return Some(None),
            Some(Span { far: Some(far), .. }) if far.known_sign()? == Ordering::Less => {
                return Some(None);
            }
            _ => {}
        }
    }
    Some(Some((inside, spans)))
}

/// The slab that is entered last and where, unless another is left before or the ray ends.
fn entry<'a, N: Number>(
    spans: &'a [Option<Span<N>>; 3],
    max: Option<&N>,
) -> Option<Option<(&'a Span<N>, &'a N)>> {
    let mut last: Option<(&Span<N>, &N)> = None;
    for span in spans.iter().flatten() {
        let Some(near) = &span.near else { continue };
        let later = match last {
            None => true,
            Some((best, at)) => {
                near.times(&best.speed).compared(&at.times(&span.speed))? == Ordering::Greater
            }
        };
        if later {
            last = Some((span, near));
        }
    }
    let Some((best, at)) = last else { return Some(None) };
    if let Some(max) = max
        && !at.at_most(&max.times(&best.speed))?
    {
        return Some(None);
    }
    for span in spans.iter().flatten() {
        if let Some(far) = &span.far
            && span.axis != best.axis
            && !at.times(&span.speed).at_most(&far.times(&best.speed))?
        {
            return Some(None);
        }
    }
    Some(last)
}

/// The slab that is left first and where, unless the ray ends before.
fn exit<'a, N: Number>(
    spans: &'a [Option<Span<N>>; 3],
    max: Option<&N>,
) -> Option<Option<(&'a Span<N>, &'a N)>> {
    let mut first: Option<(&Span<N>, &N)> = None;
    for span in spans.iter().flatten() {
        let Some(far) = &span.far else { continue };
        let earlier = match first {
            None => true,
            Some((best, at)) => {
                far.times(&best.speed).compared(&at.times(&span.speed))? == Ordering::Less
            }
        };
        if earlier {
            first = Some((span, far));
        }
    }
    let (Some((best, at)), Some(max)) = (first, max) else { return Some(first) };
    Some(if at.at_most(&max.times(&best.speed))? { first } else { None })
}
