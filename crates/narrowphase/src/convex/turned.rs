//! A cylinder or a cone beside another core: what turns around an axis is known by its profile, so
//! that the distance of a point is a formula, and its derivatives are, too.

use impinge_shapes::convex::Core;
use impinge_shapes::convex::gjk::{Enough, Nearest, Simplex, Support};
use impinge_shapes::glam::{DMat3, DVec3};

use super::{Cores, Gap, Proof, enclosure};
use crate::Relation;
use crate::profile::Profile;
use crate::tolerance;

/// A cylinder or a cone with an inside, in its own frame.
#[derive(Clone, Copy)]
pub(super) struct Turned {
    pub(super) half: f64,
    pub(super) radius: f64,
    pub(super) is_cone: bool,
}

/// How far a point of a line is from the solid.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    /// Place on the line.
    pub(super) place: f64,
    pub(super) distance: f64,
    /// Unit, out of the solid.
    pub(super) normal: DVec3,
    /// First and second derivative of the distance by the place.
    pub(super) slope: f64,
    pub(super) bend: f64,
}

/// What part of the surface a point is nearest to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Feature {
    Side,
    Flat,
    Apex,
    /// The rim at this height.
    Rim(f64),
}

impl Turned {
    #[inline]
    pub(super) fn of(core: &Core<'_>) -> Option<Self> {
        let (half, radius, is_cone) = match core {
            Core::Cylinder(shape) => (shape.half_height(), shape.radius(), false),
            Core::Cone(shape) => (shape.half_height(), shape.radius(), true),
            _ => return None,
        };
        let found = Self { half: half.into(), radius: radius.into(), is_cone };
        if half > 0.0 && radius > 0.0 { Some(found) } else { None }
    }

    #[inline]
    fn profile(&self, out: f64, height: f64) -> Profile<f64> {
        let sizes = [self.half, self.radius];
        if self.is_cone {
            Profile::of_cone(sizes, [out, height])
        } else {
            Profile::of_cylinder(sizes, [out, height])
        }
    }

    /// The distance of `from + way * place`.
    ///
    /// - Source: of a surface that turns about an axis one curvature is that of the profile, which at
    ///   a corner is one over the distance, the other that of the turn, the normal's share across the
    ///   axis over the distance from it.
    #[inline(always)]
    pub(super) fn seen(&self, from: DVec3, way: DVec3, place: f64) -> Seen {
        let point = from + way * place;
        let out = (point.x * point.x + point.z * point.z).sqrt();
        let Profile { distance, normal: [aside, up], feature } = self.profile(out, point.y);
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

    /// The signed distance of a point, the normal there, and the part that it is nearest to.
    #[inline]
    pub(super) fn beside(&self, point: DVec3) -> (f64, DVec3, Feature) {
        let out = (point.x * point.x + point.z * point.z).sqrt();
        let Profile { distance, normal: [aside, up], feature } = self.profile(out, point.y);
        let inverse = 1.0 / out;
        let (x, z) = if out > 0.0 { (point.x * inverse, point.z * inverse) } else { (1.0, 0.0) };
        let feature = if feature < 0.5 {
            Feature::Side
        } else if feature > 3.5 {
            Feature::Rim(-self.half)
        } else if feature > 2.5 {
            Feature::Rim(self.half)
        } else if feature < 1.5 && self.is_cone {
            Feature::Apex
        } else {
            Feature::Flat
        };
        (distance, DVec3::new(x * aside, up, z * aside), feature)
    }

    /// How far the solid reaches along a unit vector.
    #[inline]
    pub(super) fn reach(&self, normal: DVec3) -> f64 {
        let out = (normal.x * normal.x + normal.z * normal.z).sqrt() * self.radius;
        let up = normal.y * self.half;
        if self.is_cone { up.max(out - up) } else { out + up.abs() }
    }

    /// The point that reaches farthest along a unit vector.
    #[inline]
    pub(super) fn support(&self, normal: DVec3) -> DVec3 {
        let out = (normal.x * normal.x + normal.z * normal.z).sqrt();
        let (x, z) = if out > 0.0 { (normal.x / out, normal.z / out) } else { (1.0, 0.0) };
        match self.first_along(normal) {
            Feature::Rim(height) => DVec3::new(x * self.radius, height, z * self.radius),
            _ => DVec3::Y * self.half,
        }
    }

    /// The rim, or the apex, that reaches farthest along a unit vector.
    #[inline]
    pub(super) fn first_along(&self, normal: DVec3) -> Feature {
        if !self.is_cone {
            return Feature::Rim(self.half.copysign(normal.y));
        }
        let out = (normal.x * normal.x + normal.z * normal.z).sqrt() * self.radius;
        let up = normal.y * self.half;
        if up > out - up { Feature::Apex } else { Feature::Rim(-self.half) }
    }

    /// The upper or the lower end of the side.
    #[inline]
    pub(super) fn end(&self, is_upper: bool) -> Feature {
        match is_upper {
            true if self.is_cone => Feature::Apex,
            true => Feature::Rim(self.half),
            false => Feature::Rim(-self.half),
        }
    }

    /// How far the normal of the side goes up.
    #[inline]
    pub(super) fn slope(&self) -> f64 {
        self.side()[1]
    }

    /// How far the normal of the side goes out and up.
    #[inline]
    pub(super) fn side(&self) -> [f64; 2] {
        if !self.is_cone {
            return [1.0, 0.0];
        }
        let whole = self.half + self.half;
        let length = (self.radius * self.radius + whole * whole).sqrt();
        [whole / length, self.radius / length]
    }

    /// The ends of the line along the side whose normal this is.
    #[inline]
    pub(super) fn line(&self, normal: DVec3) -> [DVec3; 2] {
        let scale = self.radius / (normal.x * normal.x + normal.z * normal.z).sqrt();
        let (x, z) = (normal.x * scale, normal.z * scale);
        let top = if self.is_cone { 0.0 } else { 1.0 };
        [DVec3::new(x, -self.half, z), DVec3::new(x * top, self.half, z * top)]
    }
}

/// What is known of two cores of which one turns.
#[derive(Clone, Copy, Debug)]
pub(super) enum Soon {
    /// They certainly overlap, by more than their places may be off.
    Overlap,
    /// Bounds of their distance, proven or enough.
    Near(Close),
}

/// The nearest points of cores that are apart: [`Nearest`] without its simplex, which is large.
#[derive(Clone, Copy, Debug)]
pub(super) struct Close {
    pub(super) points: Support,
    pub(super) distance: f64,
    pub(super) lower_bound: f64,
    /// Unit, from A to B.
    pub(super) normal: DVec3,
}

impl Close {
    #[inline]
    pub(super) fn nearest(&self) -> Nearest {
        Nearest {
            point_a: self.points.a,
            point_b: self.points.b,
            distance: self.distance,
            lower_bound: self.lower_bound,
            simplex: Simplex::single(self.points),
            normal: Some(self.normal),
            plane: self.normal,
        }
    }

    #[inline]
    fn gap(&self) -> Gap {
        Gap {
            distance: self.distance,
            at_least: self.lower_bound,
            at_most: self.distance,
            proof: Proof::Bounds,
            normal: self.normal,
            point_a: self.points.a,
        }
    }
}

/// One core in the frame of the other one, which is a [`Turned`].
#[derive(Clone, Copy)]
pub(super) struct Beside {
    pub(super) solid: Turned,
    /// Whether the solid is B.
    pub(super) flipped: bool,
    /// From the other core's frame to that of the solid.
    pub(super) turn: DMat3,
    pub(super) shift: DVec3,
}

/// A point of the other core, in the frame of the solid.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub(super) point: DVec3,
    pub(super) distance: f64,
    /// Unit, out of the solid.
    pub(super) normal: DVec3,
}

impl Cores<'_> {
    /// A, or B where `flipped`, as the frame of both.
    #[inline]
    pub(super) fn beside(&self, flipped: bool) -> Option<Beside> {
        let between = self.at.translation() + self.moved;
        let turn = *self.at.rotation();
        Some(if flipped {
            let solid = Turned::of(&self.b.core)?;
            Beside { solid, flipped, turn: turn.transpose(), shift: -self.at.vector_to_b(between) }
        } else {
            Beside { solid: Turned::of(&self.a.core)?, flipped, turn, shift: between }
        })
    }

    /// The relation of cores of which one turns, where it is soon certain.
    ///
    /// A plane that parts a polytope from them is found sooner by support points alone.
    pub(super) fn relation_of_turned(&self, enough: &Enough) -> Option<Relation> {
        if self.has_polytope() {
            return None;
        }
        match self.soon_of_turned(enough)? {
            Soon::Overlap => Some(Relation::Penetrating),
            Soon::Near(nearest) if nearest.lower_bound > enough.above => Some(Relation::Apart),
            Soon::Near(nearest) if nearest.distance < enough.below => Some(Relation::Penetrating),
            Soon::Near(_) => None,
        }
    }

    /// As [`Cores::gap_within`], of cores of which one turns.
    pub(super) fn gap_of_turned(&self, above: f64) -> Option<Gap> {
        let enough = Enough { above, ..Enough::NEVER };
        let start = self.start();
        // Most that are asked for no more than touch overlap, or a plane parts them that support
        // points alone find sooner.
        let is_near = above <= self.radius + self.size * tolerance::TURNED_NEAR;
        if is_near
            && !self.has_rod()
            && let Some(found) = self.nearest_or_apart(start, above)
        {
            if found.lower_bound > above {
                return None;
            }
            if enclosure::is_certain(found.simplex.points(), self.error()) {
                return Some(self.gap_of(start, &found));
            }
        }
        if let Some(Soon::Near(close)) = self.soon_of_turned(&enough) {
            return (close.lower_bound <= above).then(|| close.gap());
        }
        let nearest = self.nearest_by_simplexes(start, &enough);
        (nearest.lower_bound <= above).then(|| self.gap_of(start, &nearest))
    }

    fn has_rod(&self) -> bool {
        matches!((&self.a.core, &self.b.core), (Core::Segment(_), _) | (_, Core::Segment(_)))
    }

    /// Whether one of the two is a polytope, but for a segment.
    fn has_polytope(&self) -> bool {
        let is_other =
            |core: &Core<'_>| !matches!(core, Core::Cylinder(_) | Core::Cone(_) | Core::Segment(_));
        is_other(&self.a.core) || is_other(&self.b.core)
    }

    /// As [`super::clearance`], of cores of which one turns.
    pub(super) fn clearance_of_turned(&self, above: f64) -> f64 {
        let error = self.error();
        let enough = Enough { below: self.radius - error, above };
        let nearest = match self.soon_of_turned(&enough) {
            Some(Soon::Overlap) => return 0.0,
            Some(Soon::Near(close)) => {
                return if close.lower_bound > above {
                    f64::INFINITY
                } else if close.distance < enough.below {
                    0.0
                } else {
                    self.separation(&close.gap()).distance.max(0.0)
                };
            }
            None => self.nearest_by_simplexes(self.start(), &enough),
        };
        if nearest.lower_bound > above {
            return f64::INFINITY;
        }
        let overlaps = nearest.distance < enough.below
            || enclosure::is_certain(nearest.simplex.points(), error);
        if overlaps {
            return 0.0;
        }
        self.separation(&self.gap_of(self.start(), &nearest)).distance.max(0.0)
    }

    /// What can be told soon of cores of which one turns.
    #[inline]
    pub(super) fn soon_of_turned(&self, enough: &Enough) -> Option<Soon> {
        match (&self.a.core, &self.b.core) {
            (Core::Cylinder(_) | Core::Cone(_), Core::Cylinder(_) | Core::Cone(_)) => {
                self.soon_of_two_turned(enough)
            }
            (Core::Cylinder(_) | Core::Cone(_), Core::Segment(_))
            | (Core::Segment(_), Core::Cylinder(_) | Core::Cone(_)) => self.soon_of_rod(enough),
            (Core::Cylinder(_) | Core::Cone(_), other) => {
                self.soon_of_corners(other, &self.beside(false)?, enough)
            }
            (other, Core::Cylinder(_) | Core::Cone(_)) => {
                self.soon_of_corners(other, &self.beside(true)?, enough)
            }
            _ => None,
        }
    }

    /// The nearest points of a way and the solid's surface, with a plane that parts the cores by
    /// `plane`; `None` where that neither proves the distance nor is enough.
    #[inline]
    pub(super) fn proven(
        &self,
        beside: &Beside,
        way: &Way,
        plane: f64,
        enough: &Enough,
    ) -> Option<Close> {
        let Way { point, distance, normal } = *way;
        if distance.is_nan() || distance <= self.error() {
            return None;
        }
        let lower_bound = plane.min(distance);
        let allowed = impinge_shapes::tolerance::GJK_GAP * distance
            + impinge_shapes::tolerance::GJK_NOISE * self.size;
        let is_enough = distance < enough.below || lower_bound - self.error() > enough.above;
        let is_proven = distance - lower_bound <= allowed
            && plane - distance <= self.error()
            && lower_bound > self.error();
        if !(is_proven || is_enough) {
            return None;
        }
        let on_solid = point - normal * distance;
        let (points, normal) = if beside.flipped {
            let (turn, between) = (self.at.rotation(), self.at.translation() + self.moved);
            let [a, b] = [*turn * point + between, *turn * on_solid + between];
            (Support { a, b }, -(*turn * normal))
        } else {
            (Support { a: on_solid, b: point }, normal)
        };
        Some(Close { points, distance, lower_bound: lower_bound.max(0.0), normal })
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::Shape;

    use super::*;
    use crate::Relative;
    use crate::convex::draw::Draw;

    /// Compares what is told soon with the search through support points, and counts: overlaps, those
    /// told, pairs that are apart, those told.
    fn check(seed: u64, (one, other): (&Shape, &Shape), draw: &mut Draw, seen: &mut [usize; 4]) {
        let scale = draw.scale();
        let (one, other) = (one.solid().unwrap(), other.solid().unwrap());
        let reach = one.core.reach().max(other.core.reach()).max_element();
        let size = impinge_shapes::round::nearest(reach);
        let place = draw.vector() * size * if seed.is_multiple_of(16) { 1e3 } else { 1.0 };
        let far = if seed.is_multiple_of(7) { 1.0 + scale } else { 1.0 };
        let away = draw.vector() * size * far * if seed.is_multiple_of(3) { 0.8 } else { 2.0 };
        let (pose, there) = (draw.pose(place), draw.pose(place + away));
        let at = Relative::new(&pose, &there);
        let (a, b) = if seed.is_multiple_of(2) { (one, other) } else { (other, one) };
        let cores = Cores::new(&a, &b, &at);
        let expected = cores.searched(cores.start(), &Enough::NEVER);
        let is_apart = expected.lower_bound > cores.error();
        let soon = cores.soon_of_turned(&Enough::NEVER);
        seen[2 * usize::from(is_apart) + usize::from(soon.is_some())] += 1;
        let far = cores.size * 0.25;
        let enough = Enough { below: far, above: far };
        if let Some(Soon::Near(told)) = cores.soon_of_turned(&enough) {
            let slack = cores.error();
            assert!(told.lower_bound <= expected.distance + slack, "seed {seed}: {told:?}");
            assert!(told.distance + slack >= expected.lower_bound, "seed {seed}: {told:?}");
            assert!(told.distance < far || told.lower_bound > far, "seed {seed}: {told:?}");
        }
        let found = match soon {
            None => return,
            Some(Soon::Overlap) => {
                assert!(!is_apart, "seed {seed}: {expected:?}");
                return;
            }
            Some(Soon::Near(found)) => found,
        };
        assert!(is_apart, "seed {seed}: {found:?} {expected:?}");
        let slack = expected.distance * 2.0_f64.powi(-39) + cores.error();
        let excess = found.distance - expected.distance;
        assert!(excess <= slack, "seed {seed}: {found:?} {expected:?}");
        let lack = expected.lower_bound - found.distance;
        assert!(lack <= slack, "seed {seed}: {found:?} {expected:?}");
        // What it says is how far the cores are apart along its normal, and between its points.
        let Support { a, b } = found.points;
        let along = cores.along(found.normal);
        assert!((along - found.distance).abs() <= slack, "seed {seed}: {along} {found:?}");
        let off = b - a - found.normal * found.distance;
        assert!(off.length() <= cores.error(), "seed {seed}: {off} {found:?}");
    }

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
            check(seed, (&round, &rod), &mut draw, &mut seen);
        }
        assert!(seen[1] > 500 && seen[0] < seen[1], "{seen:?}");
        assert!(seen[3] > 4_000 && seen[2] < seen[3] / 2, "{seen:?}");
    }

    #[test]
    fn corners_are_as_near_as_the_search_through_support_points_finds_them() {
        let mut seen = [0; 4];
        for seed in 0..12_000 {
            let mut draw = Draw(seed);
            let scale = draw.scale();
            let (round, cornered) = (draw.round(scale), draw.cornered(scale));
            check(seed, (&round, &cornered), &mut draw, &mut seen);
        }
        assert!(seen[1] > 1_000 && seen[0] < seen[1], "{seen:?}");
        assert!(seen[3] > 4_000 && seen[2] < seen[3] / 2, "{seen:?}");
    }

    #[test]
    fn what_turns_is_as_near_as_the_search_through_support_points_finds_it() {
        let mut seen = [0; 4];
        for seed in 0..12_000 {
            let mut draw = Draw(seed);
            let scale = draw.scale();
            let (one, other) = (draw.round(scale), draw.round(scale));
            check(seed, (&one, &other), &mut draw, &mut seen);
        }
        assert!(seen[1] > 500 && seen[0] < 4 * seen[1], "{seen:?}");
        assert!(seen[3] > 3_000 && seen[2] < seen[3], "{seen:?}");
    }
}
