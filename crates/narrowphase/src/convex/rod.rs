//! A segment beside a cylinder or a cone: the distance of a point of the segment is a convex function
//! of its place, and known with its derivatives from the profile that turns.

use impinge_shapes::convex::Core;
use impinge_shapes::convex::gjk::{Enough, Nearest, Simplex, Support};
use impinge_shapes::glam::DVec3;

use super::Cores;
use crate::profile::Profile;
use crate::tolerance;

/// A cylinder or a cone with an inside, in its own frame.
#[derive(Clone, Copy)]
struct Turned {
    half: f64,
    radius: f64,
    is_cone: bool,
}

/// How far a point of the segment is from the solid.
#[derive(Clone, Copy)]
struct Seen {
    /// Place on the segment, from 0 to 1.
    place: f64,
    distance: f64,
    /// Unit, out of the solid.
    normal: DVec3,
    /// First and second derivative of the distance by the place.
    slope: f64,
    bend: f64,
}

impl Turned {
    fn of(core: &Core<'_>) -> Option<Self> {
        let (half, radius, is_cone) = match core {
            Core::Cylinder(shape) => (shape.half_height(), shape.radius(), false),
            Core::Cone(shape) => (shape.half_height(), shape.radius(), true),
            _ => return None,
        };
        let found = Self { half: half.into(), radius: radius.into(), is_cone };
        if half > 0.0 && radius > 0.0 { Some(found) } else { None }
    }

    /// The distance of `from + way * place`.
    ///
    /// - Source: of a surface that turns about an axis one curvature is that of the profile, which at
    ///   a corner is one over the distance, the other that of the turn, the normal's share across the
    ///   axis over the distance from it.
    #[inline]
    fn seen(&self, from: DVec3, way: DVec3, place: f64) -> Seen {
        let point = from + way * place;
        let out = (point.x * point.x + point.z * point.z).sqrt();
        let (sizes, at) = ([self.half, self.radius], [out, point.y]);
        let Profile { distance, normal: [aside, up], feature } = if self.is_cone {
            Profile::of_cone(sizes, at)
        } else {
            Profile::of_cylinder(sizes, at)
        };
        let is_corner = feature > 2.5 || (self.is_cone && feature > 0.5 && feature < 1.5);
        let inverse = 1.0 / out;
        let (x, z) = if out > 0.0 { (point.x * inverse, point.z * inverse) } else { (1.0, 0.0) };
        // Away from the axis, around it and along it.
        let (radial, around) = (way.x * x + way.z * z, way.z * x - way.x * z);
        let along = way.y * aside - radial * up;
        let turn = if out > 0.0 { around * around * (aside * inverse) } else { 0.0 };
        let corner = if is_corner { along * along / distance } else { 0.0 };
        Seen {
            place,
            distance,
            normal: DVec3::new(x * aside, up, z * aside),
            slope: radial * aside + way.y * up,
            bend: turn + corner,
        }
    }

    /// How far the solid reaches along a unit vector.
    #[inline]
    fn reach(&self, normal: DVec3) -> f64 {
        let out = (normal.x * normal.x + normal.z * normal.z).sqrt() * self.radius;
        let up = normal.y * self.half;
        if self.is_cone { up.max(out - up) } else { out + up.abs() }
    }
}

impl Cores<'_> {
    /// The nearest points of a segment and a cylinder or a cone with an inside, with the bounds that
    /// the search by simplexes would go on to; `None` where they are not clear of each other, and
    /// where the place is not found soon.
    ///
    /// - Ties: of places on the segment that are as near, that nearest to the solid's origin.
    /// - Error: that of [`Profile::of_cylinder`]; the bounds are those of a plane.
    pub(super) fn nearest_of_rod(&self, enough: &Enough) -> Option<Nearest> {
        let between = self.at.translation() + self.moved;
        let (flipped, solid, ends) = match (&self.a.core, &self.b.core) {
            (core, Core::Segment([p, q])) => {
                let [p, q] =
                    [self.at.point_from_b(p.as_dvec3()), self.at.point_from_b(q.as_dvec3())];
                (false, Turned::of(core)?, [p + self.moved, q + self.moved])
            }
            (Core::Segment([p, q]), core) => {
                let solid = Turned::of(core)?;
                let [p, q] = [p.as_dvec3() - between, q.as_dvec3() - between];
                (true, solid, [self.at.vector_to_b(p), self.at.vector_to_b(q)])
            }
            _ => return None,
        };
        let (from, way) = (ends[0], ends[1] - ends[0]);
        let square = way.length_squared();
        if square <= 0.0 {
            return None;
        }
        let (seen, is_enough) = self.lowest(&solid, from, way, square, enough)?;
        let mut normal = seen.normal;
        if !is_enough && 0.0 < seen.place && seen.place < 1.0 {
            // Where the two are near, rounding tilts the way between them.
            normal = (normal - way * (normal.dot(way) / square)).try_normalize()?;
        }
        let plane = normal.dot(ends[0]).min(normal.dot(ends[1])) - solid.reach(normal);
        let lower_bound = plane.min(seen.distance);
        let allowed = impinge_shapes::tolerance::GJK_GAP * seen.distance
            + impinge_shapes::tolerance::GJK_NOISE * self.size;
        let is_proven = seen.distance - lower_bound <= allowed && lower_bound > self.error();
        if !(is_proven || is_enough) {
            return None;
        }
        let on_rod = from + way * seen.place;
        let on_solid = on_rod - normal * seen.distance;
        let (points, normal) = if flipped {
            let turn = self.at.rotation();
            let [a, b] = [*turn * on_rod + between, *turn * on_solid + between];
            (Support { a, b }, -(*turn * normal))
        } else {
            (Support { a: on_solid, b: on_rod }, normal)
        };
        Some(Nearest {
            point_a: points.a,
            point_b: points.b,
            distance: seen.distance,
            lower_bound: lower_bound.max(0.0),
            simplex: Simplex::single(points),
            normal: Some(normal),
        })
    }

    /// The place of a segment that is nearest to a solid, or one that tells enough.
    #[inline]
    fn lowest(
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
            if seen.distance <= self.error() || seen.distance.is_nan() {
                return None;
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

#[cfg(test)]
mod tests {
    use impinge_shapes::Shape;

    use super::*;
    use crate::Relative;
    use crate::convex::draw::Draw;

    #[test]
    fn rods_are_as_near_as_the_search_through_support_points_finds_them() {
        let mut seen = [0; 4];
        for seed in 0..12_000 {
            let mut draw = Draw(seed);
            let scale = draw.scale();
            let round = draw.round(scale);
            let (p, q) = (draw.vector() * scale, draw.vector() * scale);
            // Along an axis now and then, so that rods lie level with ends and sides.
            let q = if seed % 5 == 0 { p.with_y(q.y) } else { q };
            let rod = Shape::capsule(p, q, scale * 0.3).unwrap();
            let place = draw.vector() * scale * if seed.is_multiple_of(16) { 1e3 } else { 1.0 };
            let away = draw.vector() * scale * if seed % 3 == 0 { 0.8 } else { 2.0 };
            let (pose, there) = (draw.pose(place), draw.pose(place + away));
            let at = Relative::new(&pose, &there);
            let (one, other) = (round.solid().unwrap(), rod.solid().unwrap());
            let (a, b) = if seed % 2 == 0 { (one, other) } else { (other, one) };
            let cores = Cores::new(a, b, &at);
            let expected = cores.searched(cores.start(), &Enough::NEVER);
            let is_apart = expected.lower_bound > cores.error();
            let found = cores.nearest_of_rod(&Enough::NEVER);
            seen[2 * usize::from(is_apart) + usize::from(found.is_some())] += 1;
            let far = cores.size * 0.25;
            let enough = Enough { below: far, above: far };
            if let Some(told) = cores.nearest_of_rod(&enough) {
                let slack = cores.error();
                assert!(told.lower_bound <= expected.distance + slack, "seed {seed}: {told:?}");
                assert!(told.distance + slack >= expected.lower_bound, "seed {seed}: {told:?}");
                assert!(told.distance < far || told.lower_bound > far, "seed {seed}: {told:?}");
            }
            let Some(found) = found else { continue };
            assert!(is_apart, "seed {seed}: {found:?} {expected:?}");
            let slack = expected.distance * 2.0_f64.powi(-39) + cores.error();
            let excess = found.distance - expected.distance;
            assert!(excess <= slack, "seed {seed}: {found:?} {expected:?}");
            let lack = expected.lower_bound - found.distance;
            assert!(lack <= slack, "seed {seed}: {found:?} {expected:?}");
            // What it says is how far the cores are apart along its normal, and between its points.
            let normal = found.normal.unwrap();
            let along = cores.along(normal);
            assert!((along - found.distance).abs() <= slack, "seed {seed}: {along} {found:?}");
            let off = found.point_b - found.point_a - normal * found.distance;
            assert!(off.length() <= cores.error(), "seed {seed}: {off} {found:?}");
        }
        assert!(seen[1] == 0 && seen[0] > 500, "{seen:?}");
        assert!(seen[3] > 4_000 && seen[2] < seen[3] / 2, "{seen:?}");
    }
}
