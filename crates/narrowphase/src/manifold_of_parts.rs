//! The manifold of two parts of shapes that are made of several.

use impinge_shapes::round;

use crate::dispatch::Pair;
use crate::parts::Leaf;
use crate::queries::manifold_of_simple;
use crate::slot::Slot;
use crate::solids::prefetch;
use crate::surface::Ball;
use crate::{Manifold, Relative, surface};

/// How deep the deepest manifold so far is, and of which parts.
#[derive(Clone, Copy)]
pub(crate) struct Deepest {
    distance: f32,
    parts: (u32, u32),
}

impl Deepest {
    pub(crate) fn of(manifold: &Manifold) -> Self {
        let parts = (manifold.part_a, manifold.part_b);
        Self { distance: manifold.distance(), parts }
    }

    /// Whether another one is less deep, or as deep and of parts that come later.
    pub(crate) fn is_before(&self, distance: f32, parts: (u32, u32)) -> bool {
        !(distance < self.distance || (distance <= self.distance && parts < self.parts))
    }
}

/// The manifold of two parts, in their frame where it is known, made where it stays; unless it is
/// not the deepest, if there is one so far, in place of which it is made.
pub(crate) fn manifold_of_pair(
    (a, b): (&Leaf<'_>, &Leaf<'_>),
    at: Option<&Relative>,
    margin: f32,
    so_far: Option<Deepest>,
    slot: &mut impl Slot,
) {
    let parts = (a.part, b.part);
    let fill = |found: Option<Manifold>, slot: &mut _| {
        let Some(mut found) = found else { return };
        (found.part_a, found.part_b) = parts;
        if !so_far.is_some_and(|so_far| so_far.is_before(found.distance(), parts)) {
            Slot::fill(slot, Some(found));
        }
    };
    if a.surface.is_none() && b.surface.is_none() {
        fill(manifold_of_simple(&a.simple, &a.pose, &b.simple, &b.pose, margin), slot);
        return;
    }
    let (pair, flipped) = Pair::of(&a.simple, &b.simple);
    if let Pair::ConvexConvex(a, b) = &pair {
        prefetch(a, b);
    }
    // The order of the room, and where it takes any the same one whichever of the two is A: what
    // lies right in a surface leaves it either way.
    let (pair, flipped) = match pair {
        Pair::ConvexConvex(one, other) if surface::comes_first(b, a) => {
            (Pair::ConvexConvex(other, one), true)
        }
        _ => (pair, flipped),
    };
    let made;
    let at = match at {
        Some(at) if !flipped => at,
        _ => {
            made = pair.frame(&a.pose, &b.pose, flipped);
            &made
        }
    };
    let (first, second) = if flipped { (b, a) } else { (a, b) };
    let margin = margin.into();
    let deepest = so_far.map(|so_far| so_far.distance);
    let patch = match surface::ball(first, second, at, margin, deepest) {
        Ball::Known(None) => return,
        Ball::Known(Some(found)) => {
            let distance = round::nearest(found.distance);
            if so_far.is_some_and(|so_far| so_far.is_before(distance, parts)) {
                return;
            }
            let (turn, origin) = (at.world_from_a(), at.pose_a().translation());
            let mut point = surface::over_face(&found).in_world(turn, origin);
            let mut normal = round::nearest_vec(*turn * found.normal);
            if flipped {
                std::mem::swap(&mut point.point_a, &mut point.point_b);
                normal = -normal;
            }
            if let Some(points) = slot.make_of(normal, parts) {
                points.push(point);
            }
            return;
        }
        Ball::Alone => pair.manifold(at, margin),
        Ball::Unknown => {
            let patch = pair.manifold(at, margin);
            patch.and_then(|patch| surface::smoothed(patch, (first, second), at, margin))
        }
    };
    let Some(patch) = patch else { return };
    let manifold = patch.in_world(at.world_from_a(), at.pose_a().translation());
    fill(Some(if flipped { manifold.flipped() } else { manifold }), slot);
}
