//! A first look at two hulls in f32 numbers, the vertices side by side.
//!
//! Whatever it says comes with a bound on its error, and what the bound leaves open is for f64. So
//! nothing here decides an answer, it only decides how much of it is left to do.

mod clouds;
mod portal;
#[cfg(test)]
mod tests;

use fearless_simd::{Simd, dispatch};
use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{ConvexHull, Pose, round};

use self::clouds::{Clouds, Frame};
use self::portal::Certain;
use crate::{Relation, Relative};

/// Blocks of eight vertices of hulls that are small, and of the largest.
const FEW: usize = 4;
const MANY: usize = 8;

/// The relation of two placed hulls, if f32 is certain about it.
#[inline(never)]
pub(crate) fn relation(a: (&ConvexHull, &Pose), b: (&ConvexHull, &Pose)) -> Option<Relation> {
    let level = SimdLevel::detected();
    look(level, (a.0, b.0), &Frame::of_poses(a, b)?, 0.0).map(Certain::relation)
}

/// The same in a frame that is known; apart means farther apart than `margin`, with which nothing
/// is known to penetrate.
#[inline]
pub(super) fn relation_at(
    a: &Solid<'_>,
    b: &Solid<'_>,
    at: &Relative,
    margin: f64,
) -> Option<Relation> {
    let hulls = hulls(a, b)?;
    let frame = Frame::of_relative(hulls, at)?;
    let margin = round::up(margin / frame.unit());
    // A larger one would have larger errors than the hulls.
    let found =
        if margin <= 1.0 { look(SimdLevel::detected(), hulls, &frame, margin) } else { None };
    found.filter(|found| *found == Certain::Apart || margin <= 0.0).map(Certain::relation)
}

impl Certain {
    fn relation(self) -> Relation {
        match self {
            Self::Apart => Relation::Apart,
            Self::Penetrating => Relation::Penetrating,
        }
    }
}

/// Hulls that have not grown.
#[inline]
fn hulls<'a>(a: &Solid<'a>, b: &Solid<'a>) -> Option<(&'a ConvexHull, &'a ConvexHull)> {
    match (a.core, b.core) {
        (Core::Hull(one), Core::Hull(other)) if a.radius() + b.radius() <= 0.0 => {
            Some((one, other))
        }
        _ => None,
    }
}

fn look(
    level: SimdLevel,
    hulls: (&ConvexHull, &ConvexHull),
    frame: &Frame,
    margin: f32,
) -> Option<Certain> {
    let level = level.level();
    let blocks = hulls.0.vertex_lanes().len().max(hulls.1.vertex_lanes().len());
    if blocks <= FEW {
        dispatch!(level, simd => look_at::<_, FEW>(simd, hulls, frame, margin))
    } else {
        dispatch!(level, simd => look_at::<_, MANY>(simd, hulls, frame, margin))
    }
}

#[inline(always)]
fn look_at<S: Simd, const N: usize>(
    simd: S,
    hulls: (&ConvexHull, &ConvexHull),
    frame: &Frame,
    margin: f32,
) -> Option<Certain> {
    let clouds = Clouds::<N>::new(simd, hulls, frame)?;
    portal::relation(simd, &clouds, frame.middle, margin)
}
