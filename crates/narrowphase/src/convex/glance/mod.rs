//! A first look at two hulls in f32 numbers, the vertices side by side.
//!
//! Whatever it says comes with a bound on its error, and what the bound leaves open is for f64. So
//! nothing here decides an answer, it only decides how much of it is left to do.

mod clouds;
mod depth;
mod nearest;
mod portal;
#[cfg(test)]
mod tests;

use fearless_simd::Simd;
use impinge_shapes::at_level;
use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{ConvexHull, HullPart, Pose};
use smallvec::SmallVec;

use self::clouds::{Clouds, Extreme, Frame};
pub(super) use self::depth::Corners;
pub(crate) use self::depth::Exit;
use self::depth::Room;
pub(crate) use self::nearest::Near;
use self::portal::Certain;
use super::Gap;
use crate::{Relation, Relative};

/// Blocks of sixteen vertices of hulls that are small, and of the largest.
const FEW: usize = 2;
const MANY: usize = 4;

/// Most pairs whose ways out are looked for together.
pub(crate) const OPEN: usize = 16;

/// The relation of two placed hulls, if f32 is certain about it.
#[inline(never)]
pub(crate) fn relation(
    level: SimdLevel,
    a: (&ConvexHull, &Pose),
    b: (&ConvexHull, &Pose),
) -> Option<Relation> {
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
    let margin = frame.margin(margin)?;
    let found = look(SimdLevel::detected(), hulls, &frame, margin).map(Certain::relation);
    found.filter(|&found| found == Relation::Apart || margin <= 0.0)
}

/// What f32 finds where a depth or the nearest points are asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Glance {
    /// Nothing was looked for: a flat side has told the gap.
    Told(Gap),
    /// The hulls are farther apart than the margin.
    Apart,
    /// They are apart, and these are likely nearest.
    Near(Near),
    /// They penetrate, and the way out leads through a face.
    Exit(Exit),
}

/// As [`relation_at`], with the way out of what penetrates. Of what is apart by less than the margin,
/// or if there is none, with the corners that are nearest.
#[inline]
pub(super) fn way_out(
    level: SimdLevel,
    a: &Solid<'_>,
    b: &Solid<'_>,
    at: &Relative,
    margin: Option<f64>,
) -> Option<Glance> {
    let hulls = hulls(a, b)?;
    let frame = Frame::of_relative(hulls, at)?;
    // A margin beyond the unit is none: nothing but whether they count as apart may depend on it.
    let asked = margin.and_then(|margin| frame.margin(margin));
    look_out(level, hulls, &frame, asked)
}

/// Pairs of small hulls that penetrate, and whose ways out are looked for together.
pub(crate) struct Open {
    /// Only as many as there were at a time.
    clouds: SmallVec<[Clouds<FEW>; OPEN]>,
    portals: [[Extreme; 3]; OPEN],
    /// What the caller calls each pair.
    names: [usize; OPEN],
    count: usize,
    room: Room,
}

impl Open {
    #[inline]
    pub(crate) fn new() -> Self {
        Self {
            clouds: SmallVec::new(),
            portals: [[Extreme::NONE; 3]; OPEN],
            names: [0; OPEN],
            count: 0,
            room: Room::new(),
        }
    }

    /// As [`way_out`], but a way out that is still to be looked for is left to [`Open::ways_out`],
    /// and `None` until then.
    #[inline]
    pub(crate) fn look(
        &mut self,
        level: SimdLevel,
        hulls: Hulls<'_>,
        at: &Relative,
        margin: Option<f64>,
        name: usize,
    ) -> Option<Glance> {
        let frame = Frame::of_relative(hulls, at)?;
        let asked = margin.and_then(|margin| frame.margin(margin));
        if self.count >= OPEN || blocks(hulls) > 2 * FEW {
            return look_out(level, hulls, &frame, asked);
        }
        if self.count >= self.clouds.len() {
            self.clouds.push(Clouds::EMPTY);
        }
        self.names[self.count] = name;
        at_level!(level, simd => self.look_at(simd, hulls, &frame, asked))
    }

    #[inline(always)]
    fn look_at<S: Simd>(
        &mut self,
        simd: S,
        hulls: Hulls<'_>,
        frame: &Frame,
        margin: Option<f32>,
    ) -> Option<Glance> {
        let place = self.count % OPEN;
        let clouds = self.clouds.get_mut(place)?;
        clouds.take(simd, hulls, frame)?;
        match first_look(simd, clouds, frame.middle, margin) {
            First::Known(found) => found,
            First::Open(portal) => {
                self.portals[place] = portal;
                self.count += 1;
                None
            }
        }
    }

    /// The ways out that were left, with what each pair is called; then none are.
    pub(crate) fn ways_out(
        &mut self,
        level: SimdLevel,
        mut visit: impl FnMut(usize, Option<Glance>),
    ) {
        let count = std::mem::take(&mut self.count).min(OPEN);
        let (Some(clouds), room) = (self.clouds.get(..count), &mut self.room) else { return };
        let (portals, mut found) = (&self.portals[..count], [None; OPEN]);
        if count > 0 {
            at_level!(level, simd => {
                depth::ways_out(simd, room, clouds, portals, &mut found);
            });
        }
        for (name, exit) in self.names[..count].iter().zip(found) {
            visit(*name, exit.map(Glance::Exit));
        }
    }
}

/// Whether two hulls penetrate, or which of their corners are nearest.
#[inline]
pub(super) fn clearance(
    level: SimdLevel,
    a: &Solid<'_>,
    b: &Solid<'_>,
    at: &Relative,
) -> Option<Clearance> {
    let hulls = hulls(a, b)?;
    let frame = Frame::of_relative(hulls, at)?;
    look_between(level, hulls, &frame)
}

/// What f32 finds where a distance is asked for, but no depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Clearance {
    /// None.
    Penetrating,
    /// These are likely nearest.
    Near(Near),
}

impl Certain {
    fn relation(self) -> Relation {
        match self {
            Self::Apart(_) => Relation::Apart,
            Self::Penetrating(_) => Relation::Penetrating,
        }
    }
}

/// Has two hulls fetched at once: otherwise there is a wait for what the frame needs, and then one
/// for the vertices.
#[inline]
pub(crate) fn prefetch(a: &ConvexHull, b: &ConvexHull) {
    for part in [HullPart::Own, HullPart::Vertices] {
        a.prefetch(part);
        b.prefetch(part);
    }
}

pub(crate) type Hulls<'a> = (&'a ConvexHull, &'a ConvexHull);

/// Hulls that have not grown.
#[inline]
pub(crate) fn hulls<'a>(a: &Solid<'a>, b: &Solid<'a>) -> Option<Hulls<'a>> {
    match (a.core, b.core) {
        (Core::Hull(one), Core::Hull(other)) if a.radius() + b.radius() <= 0.0 => {
            Some((one, other))
        }
        _ => None,
    }
}

/// Blocks of eight vertices of the larger of two hulls.
#[inline]
fn blocks(hulls: Hulls<'_>) -> usize {
    hulls.0.vertex_lanes().len().max(hulls.1.vertex_lanes().len())
}

/// What is certain about two hulls, with enough blocks for both.
macro_rules! in_lanes {
    ($level:expr, $hulls:expr, $call:ident($($more:expr),*)) => {{
        if blocks($hulls) <= 2 * FEW {
            at_level!($level, simd => $call::<_, FEW>(simd, $hulls, $($more),*))
        } else {
            at_level!($level, simd => $call::<_, MANY>(simd, $hulls, $($more),*))
        }
    }};
}

fn look(level: SimdLevel, hulls: Hulls<'_>, frame: &Frame, margin: f32) -> Option<Certain> {
    in_lanes!(level, hulls, look_at(frame, margin))
}

fn look_out(
    level: SimdLevel,
    hulls: Hulls<'_>,
    frame: &Frame,
    margin: Option<f32>,
) -> Option<Glance> {
    in_lanes!(level, hulls, look_out_at(frame, margin))
}

fn look_between(level: SimdLevel, hulls: Hulls<'_>, frame: &Frame) -> Option<Clearance> {
    in_lanes!(level, hulls, look_between_at(frame))
}

#[inline(always)]
fn look_at<S: Simd, const N: usize>(
    simd: S,
    hulls: Hulls<'_>,
    frame: &Frame,
    margin: f32,
) -> Option<Certain> {
    let mut clouds = Clouds::<N>::EMPTY;
    clouds.take(simd, hulls, frame)?;
    portal::relation(simd, &clouds, frame.middle, margin)
}

#[inline(always)]
fn look_out_at<S: Simd, const N: usize>(
    simd: S,
    hulls: Hulls<'_>,
    frame: &Frame,
    margin: Option<f32>,
) -> Option<Glance> {
    let mut clouds = Clouds::<N>::EMPTY;
    clouds.take(simd, hulls, frame)?;
    match first_look(simd, &clouds, frame.middle, margin) {
        First::Known(found) => found,
        First::Open(portal) => depth::way_out(simd, &clouds, &portal).map(Glance::Exit),
    }
}

/// What is known before the way out of what penetrates is looked for.
enum First {
    Known(Option<Glance>),
    /// They penetrate: the points of [`Certain::Penetrating`].
    Open([Extreme; 3]),
}

#[inline(always)]
fn first_look<S: Simd, const N: usize>(
    simd: S,
    clouds: &Clouds<N>,
    middle: Vec3,
    margin: Option<f32>,
) -> First {
    let grown = margin.unwrap_or(0.0);
    if grown > 0.0
        && let Some(Certain::Apart(_)) = portal::relation(simd, clouds, middle, grown)
    {
        return First::Known(Some(Glance::Apart));
    }
    First::Known(match portal::relation(simd, clouds, middle, 0.0) {
        Some(Certain::Penetrating(portal)) => return First::Open(portal),
        Some(Certain::Apart(_)) if margin.is_some() && grown <= 0.0 => Some(Glance::Apart),
        Some(Certain::Apart(first)) => Some(Glance::Near(nearest::nearest(simd, clouds, &first))),
        None => None,
    })
}

#[inline(always)]
fn look_between_at<S: Simd, const N: usize>(
    simd: S,
    hulls: Hulls<'_>,
    frame: &Frame,
) -> Option<Clearance> {
    let mut clouds = Clouds::<N>::EMPTY;
    clouds.take(simd, hulls, frame)?;
    Some(match portal::relation(simd, &clouds, frame.middle, 0.0)? {
        Certain::Penetrating(_) => Clearance::Penetrating,
        Certain::Apart(first) => Clearance::Near(nearest::nearest(simd, &clouds, &first)),
    })
}
