//! Two cores that turn, each a cylinder or a cone: nearest places on the rim of one of them by
//! Newton's method around it, as the distance from the other one is a formula.

use impinge_shapes::convex::gjk::Enough;
use impinge_shapes::glam::DVec3;

use super::Cores;
use super::turned::{Beside, Feature, Soon, Turned, Way};
use crate::tolerance;

/// Two solids that turn, in the frame of the first one.
struct Two {
    beside: Beside,
    /// The other one.
    far: Turned,
}

/// What was found on a part of the surface.
enum Step {
    Done(Soon),
    /// The nearest point is on other parts, of the other solid and of the solid, than this one in the
    /// solid's frame.
    Wrong(Feature, Feature, DVec3),
    Lost,
}

impl Two {
    /// From the other's frame to the solid's.
    #[inline]
    fn place(&self, point: DVec3) -> DVec3 {
        self.beside.turn * point + self.beside.shift
    }

    /// How far along `normal` the other one begins.
    #[inline]
    fn begin(&self, normal: DVec3) -> f64 {
        normal.dot(self.beside.shift) - self.far.reach(self.beside.turn.transpose() * -normal)
    }

    /// The part of the other one that begins first as the solid sees a point.
    fn lowest(&self, point: DVec3) -> Step {
        let (_, normal, near) = self.beside.solid.beside(point);
        let far = self.far.first_along(self.beside.turn.transpose() * -normal);
        Step::Wrong(far, near, point)
    }

    /// The axis of the other one.
    #[inline]
    fn axis(&self) -> DVec3 {
        self.beside.turn.y_axis
    }
}

impl Cores<'_> {
    /// The nearest points of two solids that turn, or that they overlap; `None` where neither is
    /// found soon.
    pub(super) fn soon_of_two_turned(&self, enough: &Enough) -> Option<Soon> {
        let (beside, other) = (self.beside(false)?, self.beside(true)?);
        let one = Two { beside, far: other.solid };
        let two = Two { beside: other, far: beside.solid };
        let inside = -2.0 * self.error();
        // From the middle of B to A, from there to B, and so on: each of these is a point of one.
        let mut point = beside.shift;
        let (mut feature_a, mut feature_b) = (Feature::Side, Feature::Side);
        for _ in 0..tolerance::ALTERNATIONS {
            let (distance, normal, feature) = beside.solid.beside(point);
            if distance < inside {
                return Some(Soon::Overlap);
            }
            feature_a = feature;
            let plane = one.begin(normal) - beside.solid.reach(normal);
            let way = Way { point, distance, normal };
            if let Some(nearest) = self.proven(&beside, &way, plane, enough) {
                return Some(Soon::Near(nearest));
            }
            let on_a = point - normal * distance;
            let there = two.place(on_a);
            let (distance, normal, feature) = other.solid.beside(there);
            if distance < inside {
                return Some(Soon::Overlap);
            }
            feature_b = feature;
            point = one.place(there - normal * distance);
        }
        for _ in 0..tolerance::TURNED_STEPS {
            let (step, flipped) = match (feature_a, feature_b) {
                (_, Feature::Apex) => (self.at_apex(&one, enough), false),
                (_, Feature::Rim(height)) => (self.around_rim(&one, height, point, enough), false),
                (Feature::Apex, _) => (self.at_apex(&two, enough), true),
                (Feature::Rim(height), _) => {
                    (self.around_rim(&two, height, two.place(point), enough), true)
                }
                (Feature::Side, Feature::Side) => (self.side_by_side(&one, point, enough), false),
                // Over what is flat the other one is lowest on a rim or at its apex.
                (Feature::Flat, _) => (one.lowest(point), false),
                (_, Feature::Flat) => (two.lowest(two.place(point)), true),
            };
            match step {
                Step::Done(told) => return Some(told),
                Step::Lost => return None,
                Step::Wrong(far, near, at) if flipped => {
                    (feature_a, feature_b, point) = (far, near, one.place(at));
                }
                Step::Wrong(far, near, at) => (feature_a, feature_b, point) = (near, far, at),
            }
        }
        None
    }

    /// The distance of the apex of the other one.
    fn at_apex(&self, two: &Two, enough: &Enough) -> Step {
        let point = two.place(DVec3::Y * two.far.half);
        let (distance, normal, near) = two.beside.solid.beside(point);
        self.tried(two, Way { point, distance, normal }, Feature::Apex, near, enough)
    }

    /// Whether a plane proves a way; if not, what part of the other one it lies on.
    fn tried(&self, two: &Two, way: Way, far: Feature, near: Feature, enough: &Enough) -> Step {
        if way.distance < -2.0 * self.error() {
            return Step::Done(Soon::Overlap);
        }
        let plane = two.begin(way.normal) - two.beside.solid.reach(way.normal);
        if let Some(nearest) = self.proven(&two.beside, &way, plane, enough) {
            return Step::Done(Soon::Near(nearest));
        }
        // Where another part begins sooner the nearest point is between the two, on the side, and where
        // the same one does, the nearest point of a rim is not that of what is flat within it.
        let first = two.far.first_along(two.beside.turn.transpose() * -way.normal);
        let other = if first == far { Feature::Flat } else { Feature::Side };
        Step::Wrong(other, near, way.point)
    }

    /// The place of the other one's rim at `height` that is nearest to the solid.
    fn around_rim(&self, two: &Two, height: f64, start: DVec3, enough: &Enough) -> Step {
        let (axis, radius) = (two.axis(), two.far.radius);
        let middle = two.beside.shift + axis * height;
        let aside = start - middle;
        let Some(mut out) = (aside - axis * axis.dot(aside)).try_normalize() else {
            return Step::Lost;
        };
        // Places beyond which the nearest one does not lie, as seen around the axis.
        let (mut low, mut high) = (None, None);
        for _ in 0..tolerance::RIM_STEPS {
            let (point, way) = (middle + out * radius, axis.cross(out));
            let seen = two.beside.solid.seen(point, way, 0.0);
            if seen.distance <= self.error() || seen.distance.is_nan() {
                let inside = seen.distance < -2.0 * self.error();
                return if inside { Step::Done(Soon::Overlap) } else { Step::Lost };
            }
            let open = seen.bend * radius - seen.normal.dot(out);
            let turn = -seen.slope / open;
            if turn.abs() <= tolerance::ROD_FITTED {
                let (_, _, near) = two.beside.solid.beside(point);
                let way = Way { point, distance: seen.distance, normal: seen.normal };
                return self.tried(two, way, Feature::Rim(height), near, enough);
            }
            *if seen.slope > 0.0 { &mut high } else { &mut low } = Some(out);
            // What is far from the place, or beyond it, goes where the plane is lowest.
            let mut next = if open > 0.0 && turn.abs() < 1.0 {
                out + way * turn
            } else {
                axis * axis.dot(seen.normal) - seen.normal
            };
            if let (Some(low), Some(high)) = (low, high) {
                let is_between =
                    axis.cross(low).dot(next) > 0.0 && axis.cross(high).dot(next) < 0.0;
                if !is_between {
                    next = low + high;
                }
            }
            let Some(next) = next.try_normalize() else { return Step::Lost };
            out = next;
        }
        Step::Lost
    }

    /// Lines of both sides that cross each other, as seen along the way between them.
    fn side_by_side(&self, two: &Two, from: DVec3, enough: &Enough) -> Step {
        let (near, far) = (&two.beside.solid, &two.far);
        let axis = two.axis();
        // The normal has a known slope along both axes.
        let (slope, other) = (near.slope(), -far.slope());
        let along = axis.y;
        let square = 1.0 - along * along;
        let (x, y) = ((slope - other * along) / square, (other - slope * along) / square);
        let across = DVec3::Y.cross(axis);
        let flat = DVec3::Y * x + axis * y;
        let rest = (1.0 - flat.length_squared()) / square;
        if rest.is_nan() || rest <= 0.0 {
            return two.lowest(from);
        }
        let up = across * rest.sqrt();
        let normal = if up.dot(two.beside.shift) < 0.0 { flat - up } else { flat + up };
        // Where the axes are nearly level with each other, rounding spoils its length.
        let Some(normal) = normal.try_normalize() else { return Step::Lost };
        let plane = two.begin(normal) - near.reach(normal);
        let line = near.line(normal);
        let there = far.line(two.beside.turn.transpose() * -normal);
        let there = [two.place(there[0]), two.place(there[1])];
        let (way, beside) = (line[1] - line[0], there[1] - there[0]);
        let between = there[0] - line[0];
        // Where each line passes the other one.
        let crossed = way.cross(beside);
        let square = crossed.length_squared();
        let here = between.cross(beside).dot(crossed) / square;
        let place = between.cross(way).dot(crossed) / square;
        let point = there[0] + beside * place;
        // Beyond the end of a line it is the end.
        if !(0.0..=1.0).contains(&place) {
            return Step::Wrong(far.end(place > 0.5), Feature::Side, point);
        }
        if !(0.0..=1.0).contains(&here) {
            return Step::Wrong(Feature::Side, near.end(here > 0.5), point);
        }
        let distance = normal.dot(point - line[0] - way * here);
        let (beside, _, _) = near.beside(point);
        if beside < -2.0 * self.error() {
            return Step::Done(Soon::Overlap);
        }
        // The nearest point of the solid is right across, unless rounding has spoilt the places.
        let is_across = (beside - distance).abs() <= self.error();
        let way = Way { point, distance, normal };
        let found = if is_across { self.proven(&two.beside, &way, plane, enough) } else { None };
        found.map_or(Step::Lost, |nearest| Step::Done(Soon::Near(nearest)))
    }
}
