//! Two convex hulls, each pair in lanes of its own.
//!
//! What such a pair waits for is memory: each hull has its numbers elsewhere. So hulls are fetched
//! while other pairs are looked at, and what only pairs in contact need is fetched once it is known
//! which they are, in groups of pairs.

use std::slice::from_ref;

use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{ConvexHull, HullPart, Shape};
use prefetch_index::prefetch_index;
use smallvec::SmallVec;

use super::PairOf;
use super::source::Picked;
use crate::convex::glance::{self, OPEN, Open};
use crate::convex::{self, Contact, Glance};
use crate::slot::Slots;
use crate::{Closest, Relative, common, queries};

/// Pairs of a group: what is fetched for their contacts fills a part of 48 KiB.
const GROUP: usize = OPEN;

/// So many pairs before its turn a pair's hulls are fetched.
const AHEAD: usize = 8;

type Hulls<'a> = PairOf<'a, ConvexHull, ConvexHull>;

impl<'a> Picked<'a> {
    /// The hulls at a place.
    #[inline]
    fn hulls(&self, place: u16) -> Option<Hulls<'a>> {
        let PairOf { a, pose_a, b, pose_b } = *self.run.get(usize::from(place))?;
        match (a, b) {
            (Shape::ConvexHull(a), Shape::ConvexHull(b)) => Some(PairOf { a, pose_a, b, pose_b }),
            _ => None,
        }
    }

    /// Has what says where the hulls are fetched, and their poses, of those whose turn this is.
    #[inline(always)]
    fn prefetch_pair(&self, turn: usize) {
        let pair = self.places.get(turn).and_then(|&place| self.run.get(usize::from(place)));
        if let Some(&PairOf { a, pose_a, b, pose_b }) = pair {
            prefetch_index(from_ref(a), 0);
            prefetch_index(from_ref(b), 0);
            prefetch_index(from_ref(pose_a), 0);
            prefetch_index(from_ref(pose_b), 0);
        }
    }

    /// Has a part of the hulls fetched whose turn this is.
    #[inline(always)]
    fn prefetch_part(&self, turn: usize, part: HullPart) {
        if let Some(hulls) = self.places.get(turn).and_then(|&place| self.hulls(place)) {
            hulls.a.prefetch(part);
            hulls.b.prefetch(part);
        }
    }

    /// Has what comes after a turn fetched: what of a pair is not found through anything else, and
    /// for those before it what is found through that.
    #[inline(always)]
    fn prefetch_after(&self, turn: usize) {
        self.prefetch_pair(turn + 2 * AHEAD);
        self.prefetch_part(turn + AHEAD, HullPart::Own);
        self.prefetch_part(turn + AHEAD / 2, HullPart::Vertices);
    }

    /// As [`Picked::prefetch_after`], before the first turn.
    #[inline]
    fn prefetch_first(&self) {
        (0..2 * AHEAD).for_each(|turn| self.prefetch_pair(turn));
        (0..AHEAD).for_each(|turn| self.prefetch_part(turn, HullPart::Own));
        (0..AHEAD / 2).for_each(|turn| self.prefetch_part(turn, HullPart::Vertices));
    }
}

/// Whether the pairs overlap, each answer at its place of `out`.
pub(super) fn overlaps(source: &Picked<'_>, level: SimdLevel, out: &mut [bool]) {
    source.prefetch_first();
    for (turn, &place) in source.places.iter().enumerate() {
        source.prefetch_after(turn);
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
fn asked(source: &Picked<'_>, place: u16) -> bool {
    let pair = source.run.get(usize::from(place));
    pair.is_some_and(|pair| queries::overlaps(pair.a, pair.pose_a, pair.b, pair.pose_b))
}

/// Distances of the pairs, zero where they overlap, each answer at its place of `out`.
///
/// By single calls, because of no pair the look by f32 tells that its distance is not wanted.
pub(super) fn distances(source: &Picked<'_>, _level: SimdLevel, out: &mut [f32]) {
    source.prefetch_first();
    for (turn, &place) in source.places.iter().enumerate() {
        source.prefetch_after(turn);
        let place = usize::from(place);
        if let (Some(pair), Some(slot)) = (source.run.get(place), out.get_mut(place)) {
            *slot = queries::distance(pair.a, pair.pose_a, pair.b, pair.pose_b);
        }
    }
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
    }

    /// Has the neighbours of the vertices beside the way out fetched, and the faces of a contact.
    #[inline(always)]
    fn prefetch_lists(&self, contact: &Contact) {
        if let Some(Glance::Exit(exit)) = &self.found {
            for [on_a, on_b] in exit.face {
                self.a.prefetch(HullPart::Neighbours(on_a.into()));
                self.b.prefetch(HullPart::Neighbours(on_b.into()));
            }
        }
        let [on_a, on_b] = contact.faces;
        on_a.into_iter().for_each(|face| self.a.prefetch(HullPart::Face(face)));
        on_b.into_iter().for_each(|face| self.b.prefetch(HullPart::Face(face)));
    }
}

/// The pairs of a group that may be within the margin.
#[inline]
fn near<'a>(
    source: &Picked<'a>,
    (first, group): (usize, &[u16]),
    margin: f64,
    level: SimdLevel,
    with_features: bool,
    open: &mut Open,
    near: &mut SmallVec<[Looked<'a>; GROUP]>,
) {
    near.clear();
    for (turn, &place) in (first..).zip(group) {
        source.prefetch_after(turn);
        let Some(PairOf { a, pose_a, b, pose_b }) = source.hulls(place) else { continue };
        common::passed_on!(Common);
        let name = near.len();
        // Where it stays, because it is large.
        near.push(Looked {
            place: place.into(),
            a,
            b,
            at: Relative::new(pose_a, pose_b),
            found: None,
        });
        let Some(looked) = near.last_mut() else { continue };
        looked.found = convex::look(open, level, [a, b], &looked.at, margin, name);
        if looked.found == Some(Glance::Apart) {
            near.truncate(name);
        } else if with_features {
            looked.prefetch_features();
        }
    }
    open.ways_out(level, |name, found| {
        if let Some(looked) = near.get_mut(name) {
            looked.found = found;
        }
    });
}

/// Closest points of the pairs, each answer at its place of `out`.
pub(super) fn closest(
    source: &Picked<'_>,
    max_distance: f32,
    level: SimdLevel,
    out: &mut [Option<Closest>],
) {
    // A little farther than the limit, for what rounds to it.
    let most = max_distance.next_up().into();
    let mut rest = SmallVec::new();
    let mut open = Open::new();
    source.prefetch_first();
    for group in groups(source.places) {
        near(source, group, most, level, false, &mut open, &mut rest);
        for &place in group.1 {
            if let Some(slot) = out.get_mut(usize::from(place)) {
                *slot = None;
            }
        }
        for Looked { place, a, b, at, found } in &rest {
            let Some(slot) = out.get_mut(*place) else { continue };
            let found = convex::closest_seen(a, b, at, most, *found);
            *slot = found.and_then(|found| common::rounded(&found, false, at, max_distance));
        }
    }
}

/// Manifolds of the pairs, each at its place of `out`; `margin` is not negative.
pub(super) fn manifolds(
    source: &Picked<'_>,
    margin: f32,
    level: SimdLevel,
    out: &mut (impl Slots + ?Sized),
) {
    let margin = margin.into();
    let mut rest = SmallVec::new();
    let mut open = Open::new();
    source.prefetch_first();
    for group in groups(source.places) {
        near(source, group, margin, level, true, &mut open, &mut rest);
        let mut contacts: [Option<Contact>; GROUP] = [const { None }; GROUP];
        for (pair, slot) in rest.iter().zip(&mut contacts) {
            let Looked { a, b, at, found, .. } = pair;
            *slot = convex::contact_seen(a, b, at, margin, *found);
            if let Some(contact) = slot {
                pair.prefetch_lists(contact);
            }
        }
        for (Looked { place, a, b, at, .. }, contact) in rest.iter().zip(&contacts) {
            let Some(contact) = contact else { continue };
            let Some(mut slot) = out.slot(*place) else { continue };
            let patch = convex::patch_of(a, b, at, margin, contact);
            patch.put_in_world(at.world_from_a(), at.pose_a().translation(), &mut slot);
        }
    }
}

/// The groups of some places, each with the turn of its first one.
fn groups(places: &[u16]) -> impl Iterator<Item = (usize, &[u16])> {
    places.chunks(GROUP).enumerate().map(|(k, group)| (k * GROUP, group))
}
