//! Manifolds of parts of shapes that are made of several: that of two, and the deepest of all.

use impinge_shapes::glam::DVec3;
use impinge_shapes::round;

use crate::convex::Four;
use crate::dispatch::Pair;
use crate::parts::Leaf;
use crate::queries::manifold_of_simple;
use crate::slot::Slot;
use crate::solids::prefetch;
use crate::surface::{Ball, Deepest, InTurn, Parts};
use crate::{Manifold, Patch, PatchPoint, Relative, Separation, convex, surface};

/// What the search for the nearest points of two parts tells.
enum Searched {
    /// Nothing: their room is asked for all.
    InRoom,
    /// They are farther apart than the margin.
    Beyond,
    /// The normal is that of the surface, so that the patch stays as it is.
    Flat(Separation),
    /// It is turned from it.
    Turned(Separation),
}

/// Two parts of which one is a triangle of a surface.
struct OnSurface<'l, 'a> {
    /// In the order of the room.
    leaves: (&'l Leaf<'a>, &'l Leaf<'a>),
    pair: Pair<'a>,
    flipped: bool,
    parts: (u32, u32),
}

impl<'l, 'a> OnSurface<'l, 'a> {
    #[inline]
    fn new(a: &'l Leaf<'a>, b: &'l Leaf<'a>) -> Self {
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
        let leaves = if flipped { (b, a) } else { (a, b) };
        Self { leaves, pair, flipped, parts: (a.part, b.part) }
    }

    /// The frame of the two, which that of the caller's order may be.
    #[inline]
    fn frame<'r>(&self, at: Option<&'r Relative>, made: &'r mut Option<Relative>) -> &'r Relative {
        match at {
            Some(at) if !self.flipped => at,
            _ => {
                let (first, second) = self.leaves;
                made.insert(self.pair.frame(&first.pose, &second.pose, false))
            }
        }
    }

    /// The leaves in the caller's order.
    fn in_order(&self) -> Parts<'a> {
        let (first, second) = self.leaves;
        if self.flipped { (*second, *first) } else { (*first, *second) }
    }

    fn ball(&self, at: &Relative, margin: f32, deepest: Option<f32>) -> Ball {
        surface::ball(self.leaves.0, self.leaves.1, at, margin.into(), deepest)
    }

    /// The contact point of a ball over the inside of a triangle.
    fn put_point(&self, found: &Separation, at: &Relative, slot: &mut impl Slot) {
        self.put(found.normal, &[surface::over_face(found)], at, slot);
    }

    /// How the two lie.
    #[inline]
    fn searched(&self, at: &Relative, margin: f32) -> Searched {
        let Pair::ConvexConvex(one, other) = &self.pair else { return Searched::InRoom };
        let margin = margin.into();
        match convex::closest_within(one, other, at, margin) {
            Some(found) if found.distance <= margin => {
                if surface::is_flat(self.leaves, at, found.normal) {
                    Searched::Flat(found)
                } else {
                    Searched::Turned(found)
                }
            }
            _ => Searched::Beyond,
        }
    }

    /// The points of two that are searched, into an empty list.
    fn points(&self, found: &Separation, at: &Relative, margin: f32, points: &mut Four) {
        if let Pair::ConvexConvex(one, other) = &self.pair {
            convex::points_between((one, other), at, found, margin.into(), points);
        }
    }

    /// The manifold of two whose patch stays as it is.
    fn put_points(&self, found: &Separation, at: &Relative, margin: f32, slot: &mut impl Slot) {
        let mut points = Four::new();
        self.points(found, at, margin, &mut points);
        self.put(found.normal, &points, at, slot);
    }

    /// A normal and points, in the world.
    #[inline]
    fn put(&self, normal: DVec3, points: &[PatchPoint], at: &Relative, slot: &mut impl Slot) {
        let (turn, origin) = (at.world_from_a(), at.pose_a().translation());
        let normal = round::nearest_vec(*turn * normal);
        let Some(all) = slot.make_of(if self.flipped { -normal } else { normal }, self.parts)
        else {
            return;
        };
        for point in points {
            let mut point = point.in_world(turn, origin);
            if self.flipped {
                std::mem::swap(&mut point.point_a, &mut point.point_b);
            }
            all.push(point);
        }
    }

    /// The manifold of two that are searched whose patch may change.
    fn smoothed_of(&self, found: &Separation, at: &Relative, margin: f32) -> Option<Manifold> {
        if let Some(patch) = surface::soon_smoothed(found, self.leaves, at, margin.into()) {
            return Some(self.in_world(&patch?, at));
        }
        let mut patch = Patch { normal: found.normal, points: Four::new() };
        self.points(found, at, margin, &mut patch.points);
        self.smoothed(patch, at, margin)
    }

    /// The manifold, freed from the edges within the surface unless it is `alone`.
    fn manifold(&self, at: &Relative, margin: f32, alone: bool) -> Option<Manifold> {
        let patch = self.pair.manifold(at, margin.into())?;
        if alone { Some(self.in_world(&patch, at)) } else { self.smoothed(patch, at, margin) }
    }

    fn smoothed(&self, patch: Patch, at: &Relative, margin: f32) -> Option<Manifold> {
        let patch = surface::smoothed(patch, self.leaves, at, margin.into())?;
        Some(self.in_world(&patch, at))
    }

    fn in_world(&self, patch: &Patch, at: &Relative) -> Manifold {
        let made = patch.in_world(at.world_from_a(), at.pose_a().translation());
        let mut made = if self.flipped { made.flipped() } else { made };
        (made.part_a, made.part_b) = self.parts;
        made
    }
}

/// The manifold of two parts, in their frame where it is known, made where it stays.
pub(crate) fn manifold_of_pair(
    (a, b): (&Leaf<'_>, &Leaf<'_>),
    at: Option<&Relative>,
    margin: f32,
    slot: &mut impl Slot,
) {
    if a.surface.is_none() && b.surface.is_none() {
        fill(manifold_of_solids((a, b), margin), slot);
        return;
    }
    let pair = OnSurface::new(a, b);
    let mut made = None;
    let at = pair.frame(at, &mut made);
    match pair.ball(at, margin, None) {
        Ball::Known(None) => {}
        Ball::Known(Some(found)) => pair.put_point(&found, at, slot),
        Ball::Alone => fill(pair.manifold(at, margin, true), slot),
        Ball::Unknown => match pair.searched(at, margin) {
            Searched::InRoom => fill(pair.manifold(at, margin, false), slot),
            Searched::Beyond => {}
            Searched::Flat(found) => pair.put_points(&found, at, margin, slot),
            Searched::Turned(found) => fill(pair.smoothed_of(&found, at, margin), slot),
        },
    }
}

/// Puts a manifold there, if there is one: a slot that is empty may be left so.
fn fill(found: Option<Manifold>, slot: &mut impl Slot) {
    if found.is_some() {
        slot.fill(found);
    }
}

/// The manifold of two parts, neither of which is a triangle of a surface.
fn manifold_of_solids((a, b): (&Leaf<'_>, &Leaf<'_>), margin: f32) -> Option<Manifold> {
    let mut found = manifold_of_simple(&a.simple, &a.pose, &b.simple, &b.pose, margin)?;
    (found.part_a, found.part_b) = (a.part, b.part);
    Some(found)
}

/// The search for the deepest manifold of all parts; of equally deep ones that of the first parts.
///
/// Its points take most of the time, and how deep two parts are is mostly known without them: they
/// are made once the search is over.
pub(crate) struct Search<'a> {
    margin: f32,
    deepest: Option<Deepest>,
    /// The parts of the deepest manifold, in the caller's order, if its points are not made yet.
    open: Option<(Parts<'a>, Separation)>,
    made: Option<Manifold>,
    turn: InTurn<'a>,
}

impl<'a> Search<'a> {
    pub(crate) fn new(margin: f32) -> Self {
        Self { margin, deepest: None, open: None, made: None, turn: InTurn::default() }
    }

    /// Asks two parts, in their frame where it is known.
    pub(crate) fn ask(&mut self, a: &Leaf<'a>, b: &Leaf<'a>, at: Option<&Relative>) {
        if a.surface.is_none() && b.surface.is_none() {
            self.make(manifold_of_solids((a, b), self.margin));
            return;
        }
        let pair = OnSurface::new(a, b);
        let mut made = None;
        let at = pair.frame(at, &mut made);
        match pair.ball(at, self.margin, self.deepest.map(|it| it.distance)) {
            Ball::Known(None) => {}
            Ball::Known(Some(found)) => {
                if self.is_deepest(found.distance, pair.parts) {
                    self.open = None;
                    pair.put_point(&found, at, &mut self.made);
                }
            }
            Ball::Alone => self.make(pair.manifold(at, self.margin, true)),
            Ball::Unknown => self.ask_searched(&pair, at),
        }
    }

    fn ask_searched(&mut self, pair: &OnSurface<'_, 'a>, at: &Relative) {
        let triangle_first = !pair.flipped;
        let stand = self.turn.stand(pair.leaves, at, triangle_first);
        if stand.is_none_or(|stand| {
            self.turn.admits(&stand, pair.leaves, at, triangle_first, self.deepest)
        }) {
            self.search(pair, at);
        }
    }

    fn search(&mut self, pair: &OnSurface<'_, 'a>, at: &Relative) {
        match pair.searched(at, self.margin) {
            Searched::InRoom => self.make(pair.manifold(at, self.margin, false)),
            Searched::Beyond => {}
            Searched::Turned(found) => self.make(pair.smoothed_of(&found, at, self.margin)),
            Searched::Flat(found) => {
                if self.is_deepest(found.distance, pair.parts) {
                    self.open = Some((pair.in_order(), found));
                }
            }
        }
    }

    fn make(&mut self, found: Option<Manifold>) {
        let Some(found) = found else { return };
        let parts = (found.part_a, found.part_b);
        let of = Deepest { distance: found.distance(), parts };
        if !self.deepest.is_some_and(|it| it.is_before(of.distance, of.parts)) {
            (self.deepest, self.open, self.made) = (Some(of), None, Some(found));
        }
    }

    /// Whether a distance is the deepest so far, which it then is.
    fn is_deepest(&mut self, distance: f64, parts: (u32, u32)) -> bool {
        let distance = round::nearest(distance);
        let is_deepest = !self.deepest.is_some_and(|it| it.is_before(distance, parts));
        if is_deepest {
            self.deepest = Some(Deepest { distance, parts });
        }
        is_deepest
    }

    /// The deepest.
    pub(crate) fn done(&mut self) -> Option<Manifold> {
        while let Some((a, b)) = self.turn.next(self.deepest) {
            let (pair, mut at) = (OnSurface::new(&a, &b), None);
            self.search(&pair, pair.frame(None, &mut at));
        }
        let Some(((a, b), found)) = &self.open else { return self.made.take() };
        let pair = OnSurface::new(a, b);
        let (mut at, mut made) = (None, None);
        pair.put_points(found, pair.frame(None, &mut at), self.margin, &mut made);
        made
    }
}

#[cfg(test)]
mod tests {
    use crate::convex::draw::Draw;
    use crate::convex::is_polytope;
    use crate::queries::{is_deeper, manifold, manifolds};

    #[test]
    fn the_deepest_of_all_is_found_before_its_points_are_made() {
        let (mut none, mut alone, mut tied, mut deeper, mut left_out) = (0, 0, 0, 0, 0);
        for seed in 0..8_000 {
            let mut draw = Draw(seed);
            let [(ground, under), (it, at)] = draw.on_surface();
            let margin = if draw.below(2) == 0 { 0.0 } else { 0.25 };
            let (one, other) = ((&ground, &under), (&it, &at));
            let (a, b) = if draw.below(2) == 0 { (one, other) } else { (other, one) };
            let all = manifolds(a.0, a.1, b.0, b.1, margin);
            let mut deepest = None;
            for found in &all {
                if deepest.is_none_or(|deepest| is_deeper(found, deepest)) {
                    deepest = Some(found);
                }
            }
            let found = manifold(a.0, a.1, b.0, b.1, margin);
            let Some(deepest) = deepest else {
                assert_eq!(found, None, "seed {seed}: {a:?} {b:?}");
                none += 1;
                continue;
            };
            if found.as_ref() != Some(deepest) {
                // The depth of a curved body may be told too large, and is left out where a plane
                // tells less.
                let curved = !it.solid().is_some_and(|it| is_polytope(&it.core));
                let off = found.map(|found| found.distance() - deepest.distance());
                let near = off.is_some_and(|off| (0.0..2.0_f32.powi(-18)).contains(&off));
                assert!(curved && near, "seed {seed}: {off:?} {deepest:?} {a:?} {b:?}");
                left_out += 1;
            }
            let equal = all.iter().filter(|it| it.distance() <= deepest.distance()).count();
            match (all.len(), equal) {
                (1, _) => alone += 1,
                (_, 1) => deeper += 1,
                _ => tied += 1,
            }
        }
        let seen = [none, alone, tied, deeper];
        assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
        assert!(left_out < 40, "{left_out}");
    }
}
