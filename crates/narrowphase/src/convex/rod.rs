//! A segment beside a cylinder or a cone: the distance of a point of the segment is a convex function
//! of its place, and known with its derivatives from the profile that turns.

use impinge_shapes::convex::Core;
use impinge_shapes::convex::gjk::Enough;
use impinge_shapes::glam::DVec3;

use super::Cores;
use super::turned::{Seen, Soon, Turned, Way};
use crate::tolerance;

impl Cores<'_> {
    /// The nearest points of a segment and a cylinder or a cone with an inside, with the bounds that
    /// the search by simplexes would go on to, or that they certainly overlap; `None` where neither
    /// is found soon.
    ///
    /// - Ties: of places on the segment that are as near, that nearest to the solid's origin.
    /// - Error: that of [`Profile::of_cylinder`](crate::profile::Profile::of_cylinder); the bounds are
    ///   those of a plane.
    pub(super) fn soon_of_rod(&self, enough: &Enough) -> Option<Soon> {
        let (beside, [p, q]) = match (&self.a.core, &self.b.core) {
            (_, Core::Segment(ends)) => (self.beside(false)?, ends),
            (Core::Segment(ends), _) => (self.beside(true)?, ends),
            _ => return None,
        };
        let [p, q] = [p, q].map(|end| beside.turn * end.as_dvec3() + beside.shift);
        let (from, way) = (p, q - p);
        let square = way.length_squared();
        if square <= 0.0 {
            return None;
        }
        let (seen, is_enough) = self.lowest(&beside.solid, from, way, square, enough)?;
        if seen.distance <= self.error() {
            // Twice as deep as places may be off.
            return (seen.distance < -2.0 * self.error()).then_some(Soon::Overlap);
        }
        let mut normal = seen.normal;
        if !is_enough && 0.0 < seen.place && seen.place < 1.0 {
            // Where the two are near, rounding tilts the way between them.
            normal = (normal - way * (normal.dot(way) / square)).try_normalize()?;
        }
        let plane = normal.dot(p).min(normal.dot(q)) - beside.solid.reach(normal);
        let point = from + way * seen.place;
        let way = Way { point, distance: seen.distance, normal };
        self.proven(&beside, &way, plane, enough).map(Soon::Near)
    }

    /// The place of a segment that is nearest to a solid, or one that tells enough: at least how near
    /// they are, or that they are no farther apart than rounding.
    #[inline(always)]
    pub(super) fn lowest(
        &self,
        solid: &Turned,
        from: DVec3,
        way: DVec3,
        square: f64,
        enough: &Enough,
    ) -> Option<(Seen, bool)> {
        let (mut low, mut high) = (0.0, 1.0);
        // Whether these places were looked at.
        let (mut has_low, mut has_high) = (false, false);
        let mut next = (-from.dot(way) / square).clamp(0.0, 1.0);
        let mut is_last = false;
        for _ in 0..tolerance::ROD_STEPS {
            let seen = solid.seen(from, way, next);
            if seen.distance.is_nan() {
                return None;
            }
            if seen.distance <= self.error() {
                return Some((seen, true));
            }
            // The distance is no less than its tangent at the ends.
            let rest = if seen.slope > 0.0 { seen.place } else { seen.place - 1.0 };
            let least = seen.distance - seen.slope * rest;
            if seen.distance < enough.below || least - self.error() > enough.above {
                return Some((seen, true));
            }
            if is_last || rest == 0.0 || seen.slope == 0.0 {
                return Some((seen, false));
            }
            let newton = seen.place - seen.slope / seen.bend;
            if seen.slope > 0.0 {
                (high, has_high) = (seen.place, true);
            } else {
                (low, has_low) = (seen.place, true);
            }
            // Beyond an end that was not looked at yet, the end; beyond one that was, the middle.
            next = if newton > low && newton < high {
                newton
            } else if seen.slope > 0.0 && !has_low {
                0.0
            } else if seen.slope < 0.0 && !has_high {
                1.0
            } else {
                0.5 * (low + high)
            };
            is_last = (next - seen.place).abs() <= tolerance::ROD_FITTED;
        }
        None
    }
}
