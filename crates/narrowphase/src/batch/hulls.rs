//! Two convex hulls, each pair in lanes of its own.
//!
//! What such a pair waits for is memory: each hull has its numbers elsewhere. So hulls are fetched
//! while other pairs are looked at, and what only pairs in contact need is fetched once it is known
//! which they are, in groups of pairs.

use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{ConvexHull, HullPart, Shape};
use smallvec::SmallVec;

use super::PairOf;
use super::source::Picked;
use crate::convex::{self, Contact, Glance, glance};
use crate::slot::Slot;
use crate::{Closest, Relative, common, queries};

/// Pairs of a group: what is fetched for their contacts fills a part of 48 KiB.
const GROUP: usize = 16;

/// So many pairs before its turn a pair's hulls are fetched.
const AHEAD: usize = 8;

type Hulls<'a> = PairOf<'a, ConvexHull, ConvexHull>;

impl<'a> Picked<'_, 'a> {
    /// The hulls at a place.
    #[inline]
    fn hulls(&self, place: u16) -> Option<Hulls<'a>> {
        let PairOf { a, pose_a, b, pose_b } = *self.run.get(usize::from(place))?;
        match (a, b) {
            (Shape::ConvexHull(a), Shape::ConvexHull(b)) => Some(PairOf { a, pose_a, b, pose_b }),
            _ => None,
        }
    }

    /// Has parts of the hulls fetched whose turn this is.
    #[inline(always)]
    fn prefetch_at(&self, turn: usize, parts: &[HullPart]) {
        if let Some(hulls) = self.places.get(turn).and_then(|&place| self.hulls(place)) {
            for &part in parts {
                hulls.a.prefetch(part);
                hulls.b.prefetch(part);
            }
        }
    }

    /// Has what comes after a turn fetched: the parts of one pair, and for one before it what is
    /// found through them.
    #[inline(always)]
    fn prefetch_after(&self, turn: usize, parts: &[HullPart]) {
        self.prefetch_at(turn + AHEAD, parts);
        self.prefetch_at(turn + AHEAD / 2, &[HullPart::Vertices]);
    }

    /// As [`Picked::prefetch_after`], before the first turn.
    #[inline]
    fn prefetch_first(&self, parts: &[HullPart]) {
        (0..AHEAD).for_each(|turn| self.prefetch_at(turn, parts));
        (0..AHEAD / 2).for_each(|turn| self.prefetch_at(turn, &[HullPart::Vertices]));
    }
}

/// What a test for overlap reads first, and what others do.
const OVERLAP: &[HullPart] = &[HullPart::Own];
const CONTACT: &[HullPart] = &[HullPart::Own, HullPart::Lists];

/// Whether the pairs overlap, each answer at its place of `out`.
pub(super) fn overlaps(source: &Picked<'_, '_>, level: SimdLevel, out: &mut [bool]) {
    source.prefetch_first(OVERLAP);
    for (turn, &place) in source.places.iter().enumerate() {
        source.prefetch_after(turn, OVERLAP);
        let (pair, slot) = (source.hulls(place), out.get_mut(usize::from(place)));
        let (Some(PairOf { a, pose_a, b, pose_b }), Some(slot)) = (pair, slot) else {
            continue;
        };
        *slot = match glance::relation(level, (a, pose_a), (b, pose_b)) {
            Some(found) => found.overlaps(),
            None => asked(source, place),
        };
    }
}

/// One pair that f32 leaves open.
#[cold]
fn asked(source: &Picked<'_, '_>, place: u16) -> bool {
    let pair = source.run.get(usize::from(place));
    pair.is_some_and(|pair| queries::overlaps(pair.a, pair.pose_a, pair.b, pair.pose_b))
}

/// A pair that f32 has looked at, and that is not known to be apart.
struct Looked<'a> {
    place: usize,
    a: &'a ConvexHull,
    b: &'a ConvexHull,
    at: Relative,
    found: Option<Glance>,
}

impl Looked<'_> {
    /// Has what tells which features meet fetched.
    #[inline(always)]
    fn prefetch_features(&self) {
        self.a.prefetch(HullPart::Normals);
        self.b.prefetch(HullPart::Normals);
        self.prefetch_ends(HullPart::Vertex);
    }

    /// Has a part for each vertex beside the way out fetched.
    #[inline(always)]
    fn prefetch_ends(&self, part: impl Fn(u32) -> HullPart) {
        if let Some(Glance::Exit(exit)) = &self.found {
            for [on_a, on_b] in exit.face {
                self.a.prefetch(part(on_a.into()));
                self.b.prefetch(part(on_b.into()));
            }
        }
    }

    /// Has a part for each face of a contact fetched.
    #[inline(always)]
    fn prefetch_faces(&self, contact: &Contact, part: impl Fn(u32) -> HullPart) {
        let [on_a, on_b] = contact.faces;
        on_a.into_iter().for_each(|face| self.a.prefetch(part(face)));
        on_b.into_iter().for_each(|face| self.b.prefetch(part(face)));
    }
}

/// The pairs of a group that may be within the margin.
#[inline]
fn near<'a>(
    source: &Picked<'_, 'a>,
    (first, group): (usize, &[u16]),
    margin: f64,
    level: SimdLevel,
    with_features: bool,
    near: &mut SmallVec<[Looked<'a>; GROUP]>,
) {
    near.clear();
    for (turn, &place) in (first..).zip(group) {
        source.prefetch_after(turn, CONTACT);
        let Some(PairOf { a, pose_a, b, pose_b }) = source.hulls(place) else { continue };
        common::passed_on!(Common);
        let at = Relative::new(pose_a, pose_b);
        let found = convex::look(level, a, b, &at, margin);
        if found != Some(Glance::Apart) {
            let looked = Looked { place: place.into(), a, b, at, found };
            if with_features {
                looked.prefetch_features();
            }
            near.push(looked);
        }
    }
}

/// Closest points of the pairs, each answer at its place of `out`, which holds none yet.
pub(super) fn closest(
    source: &Picked<'_, '_>,
    max_distance: f32,
    level: SimdLevel,
    out: &mut [Option<Closest>],
) {
    // A little farther than the limit, for what rounds to it.
    let most = max_distance.next_up().into();
    let mut rest = SmallVec::new();
    source.prefetch_first(CONTACT);
    for group in groups(source.places) {
        near(source, group, most, level, false, &mut rest);
        for Looked { place, a, b, at, found } in &rest {
            let Some(slot) = out.get_mut(*place) else { continue };
            let found = convex::closest_seen(a, b, at, most, *found);
            *slot = found.and_then(|found| common::rounded(&found, false, at, max_distance));
        }
    }
}

/// Manifolds of the pairs, each at its place of `out`; `margin` is not negative.
pub(super) fn manifolds(
    source: &Picked<'_, '_>,
    margin: f32,
    level: SimdLevel,
    out: &mut [impl Slot],
) {
    let margin = margin.into();
    let mut rest = SmallVec::new();
    source.prefetch_first(CONTACT);
    for group in groups(source.places) {
        near(source, group, margin, level, true, &mut rest);
        let mut contacts: [Option<Contact>; GROUP] = [const { None }; GROUP];
        for (pair, slot) in rest.iter().zip(&mut contacts) {
            let Looked { a, b, at, found, .. } = pair;
            *slot = convex::contact_seen(a, b, at, margin, *found);
            if let Some(contact) = slot {
                pair.prefetch_faces(contact, HullPart::Face);
            }
        }
        let met =
            || rest.iter().zip(&contacts).filter_map(|(pair, met)| Some((pair, met.as_ref()?)));
        for (pair, contact) in met() {
            pair.prefetch_faces(contact, HullPart::Corners);
            pair.prefetch_ends(HullPart::Neighbours);
        }
        for (Looked { place, a, b, at, .. }, contact) in met() {
            let Some(slot) = out.get_mut(*place) else { continue };
            let patch = convex::patch_of(a, b, at, margin, contact);
            slot.fill(Some(patch.in_world(at.world_from_a(), at.pose_a().translation())));
        }
    }
}

/// The groups of some places, each with the turn of its first one.
fn groups(places: &[u16]) -> impl Iterator<Item = (usize, &[u16])> {
    places.chunks(GROUP).enumerate().map(|(k, group)| (k * GROUP, group))
}
