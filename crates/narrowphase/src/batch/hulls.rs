//! Two convex hulls, each pair in lanes of its own.
//!
//! What such a pair waits for is memory: each hull has its numbers elsewhere. So the pairs go in
//! groups, whose hulls are fetched at once before the first of them is looked at, and what only
//! pairs in contact need is fetched once it is known which they are.

use std::hint::black_box;

use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{ConvexHull, Shape};
use smallvec::SmallVec;

use super::PairOf;
use super::source::{Picked, Slot};
use crate::convex::{self, Contact, Glance, glance};
use crate::{Closest, Relative, common, queries};

/// Pairs of a group: their hulls, of 32 vertices each, fill a third of 48 KiB.
const GROUP: usize = 16;

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

    /// Has the hulls at some places in the cache.
    #[inline]
    fn fetch(&self, places: &[u16]) {
        let mut all = 0;
        for hulls in places.iter().filter_map(|&place| self.hulls(place)) {
            all ^= hulls.a.touch() ^ hulls.b.touch();
        }
        black_box(all);
    }
}

/// Whether the pairs overlap, each answer at its place of `out`.
pub(super) fn overlaps(source: &Picked<'_, '_>, level: SimdLevel, out: &mut [bool]) {
    for group in source.places.chunks(GROUP) {
        source.fetch(group);
        for &place in group {
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
    /// Has in the cache what tells which features meet.
    #[inline(always)]
    fn touch_features(&self) -> u32 {
        let mut all = self.a.touch_normals() ^ self.b.touch_normals();
        if let Some(Glance::Exit(exit)) = &self.found {
            for [on_a, on_b] in exit.face {
                all ^= near_vertex(self.a, on_a) ^ near_vertex(self.b, on_b);
            }
        }
        all
    }

    /// Has the faces of a contact in the cache.
    #[inline(always)]
    fn touch_faces(&self, contact: Option<&Contact>) -> u32 {
        let Some(Contact { faces: [on_a, on_b], .. }) = contact else { return 0 };
        on_a.map_or(0, |face| self.a.touch_face(face))
            ^ on_b.map_or(0, |face| self.b.touch_face(face))
    }
}

#[inline(always)]
fn near_vertex(hull: &ConvexHull, vertex: u8) -> u32 {
    hull.neighbours(vertex.into()).first().map_or(0, |&other| other)
}

/// The pairs of a group that may be within the margin.
#[inline]
fn near<'a>(
    source: &Picked<'_, 'a>,
    group: &[u16],
    margin: f64,
    level: SimdLevel,
    near: &mut SmallVec<[Looked<'a>; GROUP]>,
) {
    source.fetch(group);
    near.clear();
    for &place in group {
        let Some(PairOf { a, pose_a, b, pose_b }) = source.hulls(place) else { continue };
        common::passed_on!(Common);
        let at = Relative::new(pose_a, pose_b);
        let found = convex::look(level, a, b, &at, margin);
        if found != Some(Glance::Apart) {
            near.push(Looked { place: place.into(), a, b, at, found });
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
    for group in source.places.chunks(GROUP) {
        near(source, group, most, level, &mut rest);
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
    for group in source.places.chunks(GROUP) {
        near(source, group, margin, level, &mut rest);
        black_box(rest.iter().fold(0, |all, pair| all ^ pair.touch_features()));
        let mut contacts: [Option<Contact>; GROUP] = [const { None }; GROUP];
        for (Looked { a, b, at, found, .. }, contact) in rest.iter().zip(&mut contacts) {
            *contact = convex::contact_seen(a, b, at, margin, *found);
        }
        // Not in the loop before: what waits there lets nothing begin that comes after it.
        let pairs = rest.iter().zip(&contacts);
        black_box(pairs.fold(0, |all, (pair, contact)| all ^ pair.touch_faces(contact.as_ref())));
        for (Looked { place, a, b, at, .. }, contact) in rest.iter().zip(&contacts) {
            let (Some(contact), Some(slot)) = (contact, out.get_mut(*place)) else { continue };
            let patch = convex::patch_of(a, b, at, margin, contact);
            slot.fill(Some(patch.in_world(at.world_from_a(), at.pose_a().translation())));
        }
    }
}
