//! Distances and contacts of two hulls step by step, for callers that do each step for many pairs.

use impinge_shapes::ConvexHull;
use impinge_shapes::simd::SimdLevel;

use super::glance::{Glance, Open};
use super::patch::{self, Faces, Four};
use super::{Cores, limit};
use crate::{Patch, Relative, Separation};

/// The first look of [`closest_within`](super::closest_within) and
/// [`manifold`](super::manifold) at two hulls, in f32; a way out may be left for
/// [`Open::ways_out`], and there is `None` until then.
#[inline]
pub(crate) fn look(
    open: &mut Open,
    level: SimdLevel,
    hulls: [&ConvexHull; 2],
    b_in_a: &Relative,
    margin: f64,
    name: usize,
) -> Option<Glance> {
    let (a, b) = (hulls[0].into(), hulls[1].into());
    if let Some(gap) = Cores::new(&a, &b, b_in_a).gap_at_side() {
        return Some(Glance::Told(gap));
    }
    open.look(level, hulls.into(), b_in_a, limit(margin), name)
}

/// [`closest_within`](super::closest_within) after that look.
pub(crate) fn closest_seen(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &Relative,
    most: f64,
    found: Option<Glance>,
) -> Option<Separation> {
    let (a, b) = (a.into(), b.into());
    let cores = Cores::new(&a, &b, b_in_a);
    Some(cores.separation(&cores.gap_seen(found, cores.start(), most)?))
}

/// Where the contact points of two hulls are looked for.
pub(crate) struct Contact {
    found: Separation,
    pub(crate) faces: Faces,
}

/// [`manifold`](super::manifold) after that look, as far as it needs no faces.
pub(crate) fn contact_seen(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &Relative,
    margin: f64,
    found: Option<Glance>,
) -> Option<Contact> {
    let found = closest_seen(a, b, b_in_a, margin, found)?;
    // Not by `then`, whose closure stays out of line.
    if found.distance > margin {
        return None;
    }
    Some(Contact { faces: patch::faces([a, b], b_in_a, found.normal), found })
}

/// The rest of it.
pub(crate) fn patch_of(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &Relative,
    margin: f64,
    contact: &Contact,
) -> Patch {
    let (a, b) = (a.into(), b.into());
    let cores = Cores::new(&a, &b, b_in_a);
    let mut patch = Patch { normal: contact.found.normal, points: Four::new() };
    patch::between(&cores, &contact.found, margin, contact.faces, &mut patch.points);
    patch
}
