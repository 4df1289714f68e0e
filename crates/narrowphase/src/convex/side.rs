//! What faces a flat side of another core: its nearest or deepest point there tells the gap, with a
//! proof.
//!
//! Where such a point lies over the inside of the side, the two are as far apart as the plane of
//! the side parts them. One that has sunk in needs no longer way out than along the normal; and none
//! is shorter than that of a point, because the Minkowski difference holds the core as seen from each
//! point of the other one. Of a point inside a core the shortest way out is a formula.
//!
//! Of a triangle the difference holds what lies between it as seen from the deepest point and from
//! one above: where both are over its inside, a ball around the origin fits in between.

use impinge_shapes::ConvexHull;
use impinge_shapes::convex::Core;
use impinge_shapes::convex::gjk::Nearest;
use impinge_shapes::glam::{DVec2, DVec3, Vec3};

use super::turned::Turned;
use super::{Cores, Gap};
use crate::tolerance;

/// A flat side of a core, in its frame.
pub(super) struct Side {
    /// Unit, out of the core.
    pub(super) normal: DVec3,
    /// Along the normal.
    height: f64,
    /// The face of a hull.
    face: usize,
}

impl Side {
    /// The flat side that a point of the core's frame is beyond by the most, or beneath by the least;
    /// `None` where a round side is.
    #[inline]
    fn towards(core: &Core<'_>, point: DVec3) -> Option<Self> {
        if let Core::Cuboid(half) = core {
            return Some(Self::of_cuboid(half.as_dvec3(), point));
        }
        if let Core::Hull(hull) = core {
            return Self::of_hull(hull, point);
        }
        if let Core::Triangle(corners) = core {
            return Self::of_triangle(corners, point);
        }
        let turned = Turned::of(core)?;
        let is_under = turned.is_cone || point.y < 0.0;
        let normal = if is_under { DVec3::NEG_Y } else { DVec3::Y };
        let side = Self { normal, height: turned.half, face: 0 };
        (side.over(point) >= turned.over_side(point)).then_some(side)
    }

    /// The same of a box.
    #[inline(always)]
    pub(super) fn of_cuboid(half: DVec3, point: DVec3) -> Self {
        let axis = (point.abs() - half).max_position();
        let normal = DVec3::AXES[axis] * 1.0_f64.copysign(point[axis]);
        Self { normal, height: half[axis], face: 0 }
    }

    /// The same of a hull; `None` of many faces.
    #[inline]
    fn of_hull(hull: &ConvexHull, point: DVec3) -> Option<Self> {
        if hull.face_count() > tolerance::SIDES {
            return None;
        }
        let (mut most, mut face) = (f64::NEG_INFINITY, 0);
        for (place, (normal, height)) in hull.normals().iter().zip(hull.heights()).enumerate() {
            let over = normal.dot(point) - height;
            if over > most {
                (most, face) = (over, place);
            }
        }
        let (normal, height) = (*hull.normals().get(face)?, *hull.heights().get(face)?);
        Some(Self { normal, height, face })
    }

    /// The side of a triangle that a point is on; `None` for a sliver, whose normal is hardly known.
    #[inline]
    fn of_triangle(corners: &[Vec3; 3], point: DVec3) -> Option<Self> {
        let [p, q, r] = corners.map(|corner| corner.as_dvec3());
        let (u, v) = (q - p, r - p);
        let across = u.cross(v);
        let area = across.length();
        if area <= tolerance::WIDE * (u.length_squared() + v.length_squared()) {
            return None;
        }
        let normal = across / area;
        let normal = if normal.dot(point - p) < 0.0 { -normal } else { normal };
        Some(Self { normal, height: normal.dot(p), face: 0 })
    }

    /// Whether a point lies over the inside of a triangle with room around it.
    #[inline]
    fn is_over_inside(&self, corners: &[Vec3; 3], point: DVec3, room: f64) -> bool {
        let [p, q, r] = corners.map(|corner| corner.as_dvec3());
        let turn = 1.0_f64.copysign((q - p).cross(r - p).dot(self.normal));
        let mut is_inside = true;
        for (from, to) in [(p, q), (q, r), (r, p)] {
            let inward = self.normal.cross(to - from) * turn;
            is_inside &= inward.dot(point - from) > room * inward.length();
        }
        is_inside
    }

    /// Whether so does a point twice as far above as the deepest one is beneath, on the way from there
    /// to the middle.
    #[inline]
    fn is_crossed(&self, corners: &[Vec3; 3], [deepest, middle]: [DVec3; 2], room: f64) -> bool {
        let (beneath, above) = (-self.over(deepest), self.over(middle));
        let higher = deepest + (middle - deepest) * (3.0 * beneath / (above + beneath));
        above >= 2.0 * beneath && self.is_over_inside(corners, higher, room)
    }

    /// How far a point is beyond the side.
    #[inline]
    fn over(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.height
    }

    /// Whether a point is deeper than that beneath the rest of the surface.
    #[inline]
    fn is_beneath_rest(&self, core: &Core<'_>, point: DVec3, room: f64) -> bool {
        let from_opposite = self.normal.dot(point) + self.height;
        if let Core::Cuboid(half) = core {
            // Across the normal.
            let is_side = self.normal.abs().cmplt(DVec3::ONE);
            let beneath = half.as_dvec3() - point.abs();
            let beneath = DVec3::select(is_side, beneath, DVec3::INFINITY).min_element();
            return beneath.min(from_opposite) > room;
        }
        if let Core::Hull(hull) = core {
            for (place, (normal, height)) in hull.normals().iter().zip(hull.heights()).enumerate() {
                if normal.dot(point) + room >= *height && place != self.face {
                    return false;
                }
            }
            return true;
        }
        let Some(turned) = Turned::of(core) else { return false };
        let beneath = -turned.over_side(point);
        (if turned.is_cone { beneath } else { beneath.min(from_opposite) }) > room
    }
}

impl Turned {
    /// How far a point is beyond the round side, if that had no end.
    #[inline]
    fn over_side(&self, point: DVec3) -> f64 {
        let [out, up] = self.side();
        let from_rim = DVec2::new(point.x, point.z).length() - self.radius;
        out * from_rim + up * (point.y + self.half)
    }
}

impl Cores<'_> {
    /// The gap where the nearest point of one core lies over the inside of a flat side of a box, a
    /// triangle, a cylinder, a cone or a larger hull by more than rounding hides, or the deepest one has sunk
    /// in and is nearest to that side; of a triangle, far enough from its edges.
    ///
    /// - Error: that of the point's coordinates in the frame of the side, less than [`Cores::error`].
    #[inline]
    pub(super) fn gap_at_side(&self) -> Option<Gap> {
        self.at_side(false).or_else(|| self.at_side(true))
    }

    /// The same of cores whose nearest points are known, where these do not show that a plane parts
    /// them.
    #[inline]
    pub(super) fn gap_of_sunk(&self, nearest: &Nearest) -> Option<Gap> {
        if nearest.lower_bound > self.error() { None } else { self.gap_at_side() }
    }

    /// `flipped`: the side is B's.
    #[inline]
    fn at_side(&self, flipped: bool) -> Option<Gap> {
        let (around, other) = if flipped { (self.b, self.a) } else { (self.a, self.b) };
        let is_asked = match &around.core {
            Core::Point | Core::Segment(_) => false,
            Core::Hull(_) => {
                let sizes = [around, other].map(|solid| solid.core.reach().element_sum());
                sizes[0] >= tolerance::GROUND * sizes[1]
            }
            _ => true,
        };
        if !is_asked {
            return None;
        }
        // A point of the other core as seen from the one with the side.
        let seen = |point: DVec3| {
            if flipped {
                self.at.vector_to_b(point - self.at.translation() - self.moved)
            } else {
                self.at.point_from_b(point) + self.moved
            }
        };
        let middle = seen(other.core.middle());
        let side = Side::towards(&around.core, middle)?;
        let place = other.core.support_nearly(if flipped {
            -(*self.at.rotation() * side.normal)
        } else {
            self.at.vector_to_b(-side.normal)
        });
        let point = seen(place);
        let (distance, error) = (side.over(point), self.error());
        if distance.abs() <= 2.0 * error {
            return None;
        }
        let room = 4.0 * error - distance.min(0.0);
        let beneath = point - side.normal * distance.max(0.0);
        let is_told = match &around.core {
            Core::Triangle(corners) => {
                side.is_over_inside(corners, beneath, room)
                    && (distance > 0.0 || side.is_crossed(corners, [point, middle], room))
            }
            core => side.is_beneath_rest(core, beneath, room),
        };
        // Not by `then`, whose closure stays out of line.
        if is_told {
            Some(self.beside_surface(flipped, [point, place], distance, side.normal))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::{Cuboid, Pose, Shape, Sphere};

    use super::*;
    use crate::Relative;
    use crate::convex::depth::{self, Search};
    use crate::convex::draw::{Draw, off};

    /// The side that something sinks into.
    fn around(draw: &mut Draw, kind: u64, scale: f32) -> Shape {
        let mut size = || (draw.next().abs() + 0.2) * scale;
        match kind {
            0 => Shape::cuboid(Vec3::new(size(), size(), size())).unwrap(),
            1 => Shape::cylinder(size(), size()).unwrap(),
            2 => Shape::cone(size(), size()).unwrap(),
            4 => {
                let points: Vec<_> = (0..8).map(|_| draw.vector() * scale).collect();
                Shape::convex_hull(&points).unwrap()
            }
            _ => {
                let corner = Vec3::new(size(), 0.0, size());
                Shape::triangle(corner, Vec3::new(-corner.x, 0.0, size()), -corner).unwrap()
            }
        }
    }

    #[test]
    fn no_points_are_nearer_and_no_way_out_is_shorter() {
        let (mut seen, mut open, mut exact) = ([[0; 4]; 5], 0, 0);
        for seed in 0..20_000 {
            let mut draw = Draw(seed);
            let kind = draw.below(5);
            let scale = draw.scale();
            let side = around(&mut draw, kind, scale * if seed % 2 == 0 { 1.0 } else { 8.0 });
            let other = if draw.below(3) == 0 { draw.round(scale) } else { draw.cornered(scale) };
            // Mostly through a flat side.
            let half = side.aabb(&Pose::IDENTITY).max();
            let up = [half.y, half.y, -half.y, scale * 0.6, half.y][usize::try_from(kind).unwrap()];
            let beside = if kind == 3 { half * 0.4 } else { half };
            let away = draw.vector() * beside + Vec3::Y * up;
            let far = draw.vector() * scale * if seed % 16 == 0 { 1e3 } else { 1.0 };
            let pose = draw.pose(far);
            let there = draw.pose(pose.transform_point(away));
            let (side, other) = (side.solid().unwrap(), other.solid().unwrap());
            let flipped = seed % 4 < 2;
            let (a, b, at) = if flipped {
                (&other, &side, Relative::new(&there, &pose))
            } else {
                (&side, &other, Relative::new(&pose, &there))
            };
            let moved = if seed % 8 == 0 { draw.vector().as_dvec3() * 0.1 } else { DVec3::ZERO };
            let cores = Cores::new(a, b, &at).moved(moved * f64::from(scale));
            let Some(found) = cores.gap_at_side() else {
                open += 1;
                continue;
            };
            let is_sunk = found.distance < 0.0;
            let which = 2 * usize::from(flipped) + usize::from(is_sunk);
            seen[usize::try_from(kind).unwrap()][which] += 1;
            let (depth, slack) = (-found.distance, cores.size / (1_u64 << 38) as f64);
            assert!((found.normal.length() - 1.0).abs() < 1e-14, "seed {seed}: {found:?}");
            let along = cores.along(found.normal);
            assert!((along + depth).abs() < slack, "seed {seed}: {found:?} {along}");
            let on_b = found.point_a + found.normal * found.distance;
            let apart = [off(&cores, found.point_a)[0], off(&cores, on_b)[1]];
            assert!(apart.iter().all(|&apart| apart < slack), "seed {seed}: {found:?} {apart:?}");
            let nearest = cores.nearest(cores.start());
            if !is_sunk {
                let apart = nearest.lower_bound - slack..nearest.distance + slack;
                assert!(apart.contains(&found.distance), "seed {seed}: {found:?} {nearest:?}");
                continue;
            }
            let support = |n| cores.support(n);
            let points = nearest.simplex.points();
            match depth::way_out(&support, points, cores.size, false, None) {
                Search::Found(way) => {
                    let is_between = way.lower < depth + slack && depth < way.upper + slack;
                    assert!(is_between, "seed {seed}: {found:?} {way:?}");
                    let differ = (way.normal - found.normal).length();
                    if cores.is_exact() && differ < 1e-6 {
                        assert!(depth > way.upper - slack, "seed {seed}: {found:?} {way:?}");
                        exact += 1;
                    }
                }
                Search::Flat(_) | Search::Lost => {}
            }
        }
        assert!(seen.iter().flatten().all(|&count| count > 100), "{seen:?} {open} {exact}");
        assert!(open > 2_000 && exact > 500, "{seen:?} {open} {exact}");
    }

    /// What is as near to another side, or over an edge, has others to choose.
    #[test]
    fn ties_of_sides_stay_open() {
        let (cube, ball) = (Cuboid::new(Vec3::ONE).unwrap(), Sphere::new(0.0).unwrap());
        let (cube, ball) = ((&cube).into(), (&ball).into());
        let gap = |place: Vec3| {
            let at = Relative::from_b_in_a(&Pose::from_position(place).unwrap());
            let cores = Cores::new(&cube, &ball, &at);
            cores.gap_at_side().map(|gap| (gap.normal, gap.distance, gap.point_a))
        };
        let sunk = (DVec3::NEG_Z, -0.25, DVec3::new(0.5, 0.0, -1.0));
        assert_eq!(gap(Vec3::new(0.5, 0.0, -0.75)), Some(sunk));
        assert_eq!(gap(Vec3::new(0.75, 0.0, -0.75)), None);
        assert_eq!(gap(Vec3::ZERO), None);
        assert_eq!(gap(Vec3::new(0.0, 1.0, 0.0)), None);
        let over = (DVec3::Y, 0.5, DVec3::new(0.5, 1.0, 0.25));
        assert_eq!(gap(Vec3::new(0.5, 1.5, 0.25)), Some(over));
        assert_eq!(gap(Vec3::new(1.0, 1.5, 0.25)), None);
    }
}
