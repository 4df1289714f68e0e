//! A polytope beside a cylinder or a cone: the corner, edge or face that is nearest, by corners of
//! the polytope alone, as the distance of the other solid is a formula.

use impinge_shapes::convex::Core;
use impinge_shapes::convex::gjk::Enough;
use impinge_shapes::glam::DVec3;

use super::Cores;
use super::turned::{Beside, Soon, Way};
use crate::tolerance;

/// One to three corners of a polytope, in the solid's frame.
struct Corners {
    corners: [DVec3; 3],
    count: usize,
}

/// What is nearest between some corners.
enum Between {
    /// A point that is certainly in both.
    Inside,
    Way(Way),
}

impl Cores<'_> {
    /// The nearest points of a polytope and the solid, or that they overlap; `None` where neither is
    /// found soon.
    ///
    /// The nearest point between some corners of the polytope says where a plane parts them from the
    /// solid, and along that plane's normal there is a farther corner, or the plane proves it.
    ///
    /// - Ties: those of [`Cores::soon_of_rod`].
    pub(super) fn soon_of_corners(
        &self,
        other: &Core<'_>,
        beside: &Beside,
        enough: &Enough,
    ) -> Option<Soon> {
        let support = |normal: DVec3| {
            let along = beside.turn.transpose() * -normal;
            beside.turn * other.support_nearly(along) + beside.shift
        };
        // A point inside of both is twice as deep as places may be off.
        let inside = -2.0 * self.error();
        let middle = beside.turn * other.middle() + beside.shift;
        let (distance, normal, _) = beside.solid.beside(middle);
        if distance < inside {
            return Some(Soon::Overlap);
        }
        let first = support(normal);
        let mut found = Corners { corners: [first; 3], count: 1 };
        let (distance, normal, _) = beside.solid.beside(first);
        let mut way = Way { point: first, distance, normal };
        for _ in 0..tolerance::CORNER_STEPS {
            if way.distance < inside {
                return Some(Soon::Overlap);
            }
            if way.distance <= self.error() || way.distance.is_nan() {
                return None;
            }
            let next = support(way.normal);
            let plane = way.normal.dot(next) - beside.solid.reach(way.normal);
            if let Some(nearest) = self.proven(beside, &way, plane, enough) {
                return Some(Soon::Near(nearest));
            }
            if found.corners[..found.count].contains(&next) {
                return None;
            }
            way = match self.with_corner(&mut found, &way, next, beside)? {
                Between::Inside => return Some(Soon::Overlap),
                Between::Way(nearer) if nearer.distance < way.distance => nearer,
                Between::Way(_) => return None,
            };
        }
        None
    }

    /// The nearest point between the corners and one more, which lies beyond the plane there.
    fn with_corner(
        &self,
        found: &mut Corners,
        way: &Way,
        next: DVec3,
        beside: &Beside,
    ) -> Option<Between> {
        let [p, q, _] = found.corners;
        if found.count == 1 {
            return self.between(found, [p, next], beside);
        }
        if found.count > 2 {
            return None;
        }
        // The plane through all three, and what of the solid reaches farthest towards it.
        let across = (q - p).cross(next - p).try_normalize()?;
        let across = if across.dot(way.normal) < 0.0 { -across } else { across };
        let top = beside.solid.support(across);
        let height = across.dot(p - top);
        // Twice the areas between it and the sides, those opposite to the first two corners.
        let one = (next - q).cross(top - q).dot(across);
        let other = (p - next).cross(top - next).dot(across);
        let third = (q - p).cross(top - p).dot(across);
        let turned = if (q - p).cross(next - p).dot(across) < 0.0 { -1.0 } else { 1.0 };
        let (one, other, third) = (one * turned, other * turned, third * turned);
        if one >= 0.0 && other >= 0.0 && third >= 0.0 {
            if height <= self.error() {
                return None;
            }
            found.corners[2] = next;
            found.count = 3;
            let point = top + across * height;
            return Some(Between::Way(Way { point, distance: height, normal: across }));
        }
        let sides = if one < other { [[q, next], [p, next]] } else { [[p, next], [q, next]] };
        for side in sides {
            let nearer = self.between(found, side, beside)?;
            match nearer {
                Between::Way(nearer) if nearer.distance >= way.distance => {}
                nearer => return Some(nearer),
            }
        }
        None
    }

    /// The nearest point between two corners, of which only one is left where it is an end.
    fn between(
        &self,
        found: &mut Corners,
        [from, to]: [DVec3; 2],
        beside: &Beside,
    ) -> Option<Between> {
        let way = to - from;
        let square = way.length_squared();
        if square <= 0.0 {
            return None;
        }
        let (seen, _) = self.lowest(&beside.solid, from, way, square, &Enough::NEVER)?;
        if seen.distance < -2.0 * self.error() {
            return Some(Between::Inside);
        }
        let mut normal = seen.normal;
        found.corners[0] = if seen.place >= 1.0 { to } else { from };
        found.count = 1;
        if 0.0 < seen.place && seen.place < 1.0 {
            // Where the two are near, rounding tilts the way between them.
            normal = (normal - way * (normal.dot(way) / square)).try_normalize()?;
            found.corners[1] = to;
            found.count = 2;
        }
        let point = from + way * seen.place;
        Some(Between::Way(Way { point, distance: seen.distance, normal }))
    }
}
