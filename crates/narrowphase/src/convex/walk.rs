//! Whether two cores overlap, by a walk from the inside of their difference towards the origin.

use impinge_shapes::glam::DVec3;

use super::{Cores, enclosure};
use crate::{Relation, tolerance};

/// A point of the difference, or what is known then; `Err(None)` where nothing is.
type Looked = Result<DVec3, Option<Relation>>;

impl Cores<'_> {
    /// The relation, where it is certain; that of cores that overlap by less than they have grown is
    /// not.
    ///
    /// Three points of the difference make a portal that the way from a point between the middles to
    /// the origin goes through, and farther points take their places. Every direction that is looked
    /// along may part the cores, every tetrahedron of the inner point and the portal may hold the
    /// origin. A step is a support point and a few products, where GJK looks at all sides of a
    /// tetrahedron.
    ///
    /// - Source: Snethen, *XenoCollide: Complex Collision Made Simple*, Game Programming Gems 7
    ///   (2008), on the walk.
    pub(super) fn walked(&self) -> Option<Relation> {
        let middle = -self.start();
        // Where the middles are at one place there is no way to go, but from aside of it.
        let is_concentric = middle == DVec3::ZERO;
        let inner = if is_concentric { self.support(DVec3::X).difference() / 16.0 } else { middle };
        self.walk_from(inner).map_or_else(|known| known, Some)
    }

    fn walk_from(&self, middle: DVec3) -> Result<Relation, Option<Relation>> {
        let mut p = self.look(-middle)?;
        let mut q = self.look(middle.cross(p))?;
        let mut across = (p - middle).cross(q - middle);
        if across.dot(middle) > 0.0 {
            (p, q, across) = (q, p, -across);
        }
        let mut steps = 0..tolerance::CAST_STEPS;
        let mut r = loop {
            let r = self.look(across)?;
            if p.cross(r).dot(middle) < 0.0 {
                q = r;
            } else if r.cross(q).dot(middle) < 0.0 {
                p = r;
            } else {
                break r;
            }
            across = (p - middle).cross(q - middle);
            steps.next().ok_or(None)?;
        };
        for _ in steps {
            let across = (q - p).cross(r - p);
            if across.dot(p) > 0.0 && enclosure::holds([middle, p, q, r], self.error()) {
                return Ok(Relation::Penetrating);
            }
            let next = self.look(across)?;
            if (next - p).dot(across) <= 0.0 {
                break;
            }
            let aside = next.cross(middle);
            let place = match (p.dot(aside) > 0.0, q.dot(aside) > 0.0, r.dot(aside) > 0.0) {
                (true, true, _) | (false, _, false) => &mut p,
                (true, false, _) => &mut r,
                (false, _, true) => &mut q,
            };
            *place = next;
        }
        Err(None)
    }

    /// The point of the difference farthest along a direction, unless a plane across it certainly
    /// parts the two.
    #[inline]
    fn look(&self, along: DVec3) -> Looked {
        let point = self.support(along).difference();
        let (reach, least) = (point.dot(along), self.radius + self.error());
        let is_parted = reach < 0.0 && reach * reach > least * least * along.length_squared();
        if is_parted { Err(Some(Relation::Apart)) } else { Ok(point) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Relative;
    use crate::convex::draw::Draw;

    #[test]
    fn what_a_walk_is_certain_of_is_what_the_nearest_points_tell() {
        let mut seen = [0; 3];
        for seed in 0..24_000 {
            let mut draw = Draw(seed);
            let scale = draw.scale();
            let mut shape = |round: bool| {
                if round { draw.round(scale) } else { draw.cornered(scale) }
            };
            let (one, other) = (shape(seed % 3 == 0), shape(seed % 4 == 0));
            let place = draw.vector() * scale * if seed.is_multiple_of(16) { 1e3 } else { 1.0 };
            let away = draw.vector() * scale * if seed.is_multiple_of(32) { 0.0 } else { 1.6 };
            let (pose, there) = (draw.pose(place), draw.pose(place + away));
            let at = Relative::new(&pose, &there);
            let (mut a, mut b) = (one.solid().unwrap(), other.solid().unwrap());
            (a.radii, b.radii) = ([0.0; 2], [0.0; 2]);
            let cores = Cores::new(&a, &b, &at);
            let expected = cores.relation(&cores.gap(cores.start()));
            match cores.walked() {
                Some(found) => assert_eq!(found, expected, "seed {seed}"),
                None => seen[2] += 1,
            }
            seen[usize::from(expected == Relation::Penetrating)] += 1;
        }
        assert!(seen[..2].iter().all(|&count| count > 4_000), "{seen:?}");
        assert!(seen[2] < 4_000, "{seen:?}");
    }
}
