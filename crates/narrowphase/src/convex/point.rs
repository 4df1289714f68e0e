//! A point and a cylinder or a cone: the gap from the profile that turns around the axis; and a
//! point and a triangle or a box.

use impinge_shapes::convex::Core;
use impinge_shapes::convex::gjk::Support;
use impinge_shapes::glam::{DVec3, Vec3};

use super::{Cores, Gap, Proof};
use crate::pairs::cuboid_sphere::surface;
use crate::profile::Profile;
use crate::real::Real3;
use crate::tolerance;
use crate::triangle::Nearest;

impl Cores<'_> {
    /// Whether sweeps go by [`Cores::gap_of_point`]; beside a box they are rays at the difference.
    pub(super) fn has_point(&self) -> bool {
        let known = |core| matches!(core, Core::Cylinder(_) | Core::Cone(_) | Core::Triangle(_));
        match (self.a.core, self.b.core) {
            (core, Core::Point) | (Core::Point, core) => known(core),
            _ => false,
        }
    }

    /// The gap where one core is a point, or a segment of one, and the other a cylinder or a cone with
    /// an inside, or a point and a triangle or a box that is clear of it.
    pub(super) fn gap_of_point(&self) -> Option<Gap> {
        match (&self.a.core, &self.b.core) {
            (core, Core::Point) | (Core::Point, core) => match core {
                Core::Cylinder(_) | Core::Cone(_) => self.gap_of_profile(DVec3::ZERO),
                Core::Triangle(_) => self.gap_of_corners(),
                Core::Cuboid(_) => self.gap_of_sides(),
                _ => None,
            },
            (Core::Cylinder(_) | Core::Cone(_), Core::Segment([from, to]))
            | (Core::Segment([from, to]), Core::Cylinder(_) | Core::Cone(_))
                if from == to =>
            {
                self.gap_of_profile(from.as_dvec3())
            }
            _ => None,
        }
    }

    /// All of the Minkowski difference of a point and a triangle.
    #[inline]
    pub(super) fn triangle(&self) -> Option<[Support; 3]> {
        match (&self.a.core, &self.b.core) {
            (Core::Point, Core::Triangle(corners)) => Some(corners.map(|corner| {
                let b = self.at.point_from_b(corner.as_dvec3()) + self.moved;
                Support { a: DVec3::ZERO, b }
            })),
            (Core::Triangle(corners), Core::Point) => {
                let b = self.at.translation() + self.moved;
                Some(corners.map(|corner| Support { a: corner.as_dvec3(), b }))
            }
            _ => None,
        }
    }

    /// The gap of a point and a triangle, unless they are so near that rounding hides the way
    /// between them, or the triangle is a sliver.
    ///
    /// - Error: that of [`Nearest::new`], less than [`Cores::error`].
    fn gap_of_corners(&self) -> Option<Gap> {
        let between = self.at.translation() + self.moved;
        let (flipped, corners, point) = match (&self.a.core, &self.b.core) {
            (Core::Triangle(corners), Core::Point) => (false, corners, between),
            (Core::Point, Core::Triangle(corners)) => {
                (true, corners, -self.at.vector_to_b(between))
            }
            _ => return None,
        };
        Some(self.beside_triangle(flipped, corners, [point, DVec3::ZERO])?.0)
    }

    /// The gap of a triangle and a point, as [`Cores::beside_surface`] takes them, and the normal in
    /// the triangle's frame.
    #[inline]
    fn beside_triangle(
        &self,
        flipped: bool,
        &[p, q, r]: &[Vec3; 3],
        [point, place]: [DVec3; 2],
    ) -> Option<(Gap, DVec3)> {
        let near = Nearest::new([p.into(), q.into(), r.into()], Real3::from(point));
        let is_told = near.length > self.error() && near.open <= tolerance::BRACKET * self.size;
        if !is_told {
            return None;
        }
        let (distance, outward) = (near.length, DVec3::from(near.outward));
        let found = self.beside_surface(flipped, [point, place], distance, outward);
        Some((Gap { at_least: distance - near.open, ..found }, outward))
    }

    /// The gap of a segment and a triangle where one end is nearest and the other clearly farther, so
    /// that all of the segment lies beyond a plane through the end.
    ///
    /// - Error: that of [`Nearest::new`], less than [`Cores::error`].
    #[inline]
    pub(super) fn gap_of_end(&self) -> Option<Gap> {
        let between = self.at.translation() + self.moved;
        // One by one, because closures may stay out of line.
        let (flipped, corners, places, from, to) = match (&self.a.core, &self.b.core) {
            (Core::Triangle(corners), Core::Segment([from, to])) => {
                let (from, to) = (from.as_dvec3(), to.as_dvec3());
                let turn = self.at.rotation();
                (false, corners, [from, to], between + *turn * from, between + *turn * to)
            }
            (Core::Segment([from, to]), Core::Triangle(corners)) => {
                let (from, to) = (from.as_dvec3(), to.as_dvec3());
                let [one, other] = [from - between, to - between];
                (true, corners, [from, to], self.at.vector_to_b(one), self.at.vector_to_b(other))
            }
            _ => return None,
        };
        let [p, q, r] = corners;
        let (p, q, r) = (p.as_dvec3(), q.as_dvec3(), r.as_dvec3());
        let across = (q - p).cross(r - p);
        let (one, other) = (across.dot(from - p), across.dot(to - p));
        if one * other < 0.0 {
            // It mostly crosses the triangle, or an edge is nearest.
            return None;
        }
        let is_second = other.abs() < one.abs();
        let (end, rest) = if is_second { (to, from) } else { (from, to) };
        let place = places[usize::from(is_second)];
        let (gap, outward) = self.beside_triangle(flipped, corners, [end, place])?;
        (outward.dot(rest - end) > tolerance::TIE * self.size).then_some(gap)
    }

    /// The gap of a point and a box, unless they are so near that rounding hides which way is out.
    ///
    /// - Error: that of the point's coordinates in the box's frame, less than [`Cores::error`].
    /// - Ties: inside, the first of the nearest faces in the order +x -x +y -y +z -z.
    fn gap_of_sides(&self) -> Option<Gap> {
        let between = self.at.translation() + self.moved;
        let (flipped, half, point) = match (&self.a.core, &self.b.core) {
            (Core::Cuboid(half), Core::Point) => (false, half.as_dvec3(), between),
            (Core::Point, Core::Cuboid(half)) => {
                (true, half.as_dvec3(), -self.at.vector_to_b(between))
            }
            _ => return None,
        };
        let (distance, outward) = surface(half, point);
        (distance.abs() > self.error())
            .then(|| self.beside_surface(flipped, [point, DVec3::ZERO], distance, outward))
    }

    /// The gap of a point and a solid, by the point's distance from the surface and the normal there,
    /// in the solid's frame; `place` is the point in its own frame.
    ///
    /// `flipped`: the point belongs to A.
    pub(super) fn beside_surface(
        &self,
        flipped: bool,
        [point, place]: [DVec3; 2],
        distance: f64,
        outward: DVec3,
    ) -> Gap {
        let (normal, point_a) = if flipped {
            (-(*self.at.rotation() * outward), place)
        } else {
            (outward, point - outward * distance)
        };
        Gap {
            distance,
            at_least: distance,
            at_most: distance,
            proof: Proof::Bounds,
            normal,
            point_a,
        }
    }

    /// The gap where one core is a point, at a place in its frame, and the other a cylinder or a cone
    /// with an inside.
    ///
    /// - Error: that of [`Profile::of_cylinder`], less than [`Cores::error`].
    /// - Ties: as there, and on the axis +X before all others.
    fn gap_of_profile(&self, place: DVec3) -> Option<Gap> {
        let between = self.at.translation() + self.moved;
        let (flipped, core, point) = match (&self.a.core, &self.b.core) {
            (core @ (Core::Cylinder(_) | Core::Cone(_)), _) => {
                (false, core, between + *self.at.rotation() * place)
            }
            (_, core @ (Core::Cylinder(_) | Core::Cone(_))) => {
                (true, core, self.at.vector_to_b(place - between))
            }
            _ => return None,
        };
        let sideways = DVec3::new(point.x, 0.0, point.z);
        let out = sideways.length();
        let (half, radius) = match core {
            Core::Cylinder(cylinder) => (cylinder.half_height(), cylinder.radius()),
            Core::Cone(cone) => (cone.half_height(), cone.radius()),
            _ => return None,
        };
        if half <= 0.0 || radius <= 0.0 {
            return None;
        }
        let (sizes, height) = ([half, radius].map(f64::from), point.y);
        let is_cone = matches!(core, Core::Cone(_));
        let Profile { distance, normal: [aside, up], .. } = if is_cone {
            Profile::of_cone(sizes, [out, height])
        } else {
            Profile::of_cylinder(sizes, [out, height])
        };
        let radial = if out > 0.0 { sideways / out } else { DVec3::X };
        let outward = radial * aside + DVec3::Y * up;
        Some(self.beside_surface(flipped, [point, place], distance, outward))
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::convex::Solid;
    use impinge_shapes::glam::Quat;
    use impinge_shapes::{Capsule, Cone, Cuboid, Cylinder, Pose, Sphere, Triangle};

    use super::*;
    use crate::Relative;

    /// Numbers from -1 to 1 that need no library.
    struct Draw(u64);

    impl Draw {
        fn next(&mut self) -> f32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((self.0 >> 40) as f32 / (1 << 23) as f32) - 1.0
        }

        fn vector(&mut self) -> Vec3 {
            Vec3::new(self.next(), self.next(), self.next())
        }

        fn pose(&mut self) -> Pose {
            let turn = Quat::from_vec4((self.vector(), self.next() + 1.5).into());
            Pose::new(self.vector(), turn).unwrap()
        }

        /// Whole halves, so that points lie on axes, faces and rims.
        fn halves(&mut self) -> Vec3 {
            (self.vector() * 4.0).round() * 0.5
        }
    }

    /// The gap found by the search through support points.
    fn searched(cores: &Cores<'_>) -> Gap {
        let start = cores.start();
        cores.gap_of(start, &cores.nearest(start))
    }

    #[test]
    fn points_are_as_near_as_the_search_through_support_points_finds_them() {
        let point = Sphere::new(0.0).unwrap();
        let mut seen = [0; 4];
        for seed in 0..4000 {
            let mut draw = Draw(seed);
            let (half, radius) = (draw.next().abs() + 0.01, draw.next().abs() + 0.01);
            let is_cone = seed % 2 == 0;
            let cylinder = Cylinder::new(half, radius).unwrap();
            let cone = Cone::new(half, radius).unwrap();
            let solid: Solid<'_> = if is_cone { (&cone).into() } else { (&cylinder).into() };
            let (at_a, at_b) = (draw.pose(), draw.pose());
            let away = Relative::new(&at_a, &at_b);
            let back = Relative::new(&at_b, &at_a);
            let mut distances = [0.0; 2];
            for (place, (a, b, at)) in
                [(solid, (&point).into(), &away), ((&point).into(), solid, &back)]
                    .into_iter()
                    .enumerate()
            {
                let cores = Cores::new(&a, &b, at);
                let (found, expected) = (cores.gap_of_point().unwrap(), searched(&cores));
                let apart = expected.at_least > cores.error();
                let allowed = if apart { 1e-9 } else { 2.0_f64.powi(-20) } * cores.size;
                let off = (found.distance - expected.distance).abs();
                assert!(off <= allowed, "seed {seed}: {found:?} {expected:?}");
                // No plane across the normal is wrong by more than rounding.
                let along = cores.along(found.normal);
                let bound = cores.error();
                assert!((along - found.distance).abs() <= bound, "seed {seed}: {along} {found:?}");
                distances[place] = found.distance;
                seen[2 * usize::from(is_cone) + usize::from(apart)] += 1;
            }
            assert!((distances[0] - distances[1]).abs() <= 1e-14, "seed {seed}: {distances:?}");
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
    }

    #[test]
    fn points_beside_and_in_boxes_are_as_near_as_the_search_finds_them() {
        let point = Sphere::new(0.0).unwrap();
        let mut seen = [0; 2];
        for seed in 0..4000 {
            let mut draw = Draw(seed);
            let cuboid = Cuboid::new(draw.vector().abs() + Vec3::splat(0.01)).unwrap();
            let solid: Solid<'_> = (&cuboid).into();
            let (at_a, at_b) = (draw.pose(), draw.pose());
            let (away, back) = (Relative::new(&at_a, &at_b), Relative::new(&at_b, &at_a));
            for (a, b, at) in [(solid, (&point).into(), &away), ((&point).into(), solid, &back)] {
                let cores = Cores::new(&a, &b, at);
                let (found, expected) = (cores.gap_of_point().unwrap(), searched(&cores));
                let off = (found.distance - expected.distance).abs();
                assert!(off <= 1e-12, "seed {seed}: {found:?} {expected:?}");
                // The distance is that along the normal, and lies between two places.
                let along = cores.along(found.normal);
                assert!((along - found.distance).abs() <= 1e-14, "seed {seed}: {along} {found:?}");
                let between = found.point_a + found.normal * found.distance;
                let point = if cores.a.core.reach() == DVec3::ZERO {
                    let local = cores.at.vector_to_b(between - cores.at.translation());
                    (local.abs() - cuboid.half_extents().as_dvec3()).max_element()
                } else {
                    (between - cores.at.translation()).length()
                };
                assert!(point.abs() <= 1e-14, "seed {seed}: {point} {found:?}");
                seen[usize::from(found.distance < 0.0)] += 1;
            }
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
    }

    #[test]
    fn ends_of_segments_are_as_near_to_triangles_as_the_search_finds_them() {
        let mut seen = [0; 2];
        for seed in 0..20_000 {
            let mut draw = Draw(seed);
            // Whole numbers, too, so that ends are level, and lie over edges and corners.
            let mut point = || if seed % 3 == 0 { draw.halves() } else { draw.vector() };
            let (corners, ends) = ([point(), point(), point()], [point(), point()]);
            let (Ok(triangle), Ok(capsule)) = (
                Triangle::new(corners[0], corners[1], corners[2]),
                Capsule::new(ends[0], ends[1], 0.0),
            ) else {
                continue;
            };
            let (one, other): (Solid<'_>, Solid<'_>) = ((&triangle).into(), (&capsule).into());
            let (mut at_a, mut at_b) = (draw.pose(), draw.pose());
            if seed % 3 == 0 {
                at_a = Pose::from_position(draw.halves()).unwrap();
                at_b = Pose::from_position(draw.halves()).unwrap();
            }
            let (away, back) = (Relative::new(&at_a, &at_b), Relative::new(&at_b, &at_a));
            let told = [(one, other, &away), (other, one, &back)].map(|(a, b, at)| {
                let cores = Cores::new(&a, &b, at);
                let found = cores.gap_of_end()?;
                let expected = searched(&cores);
                let off = (found.distance - expected.distance).abs();
                assert!(off <= 1e-9, "seed {seed}: {found:?} {expected:?}");
                // Both points are on the cores, and a plane between them parts these.
                let along = cores.along(found.normal);
                assert!((along - found.distance).abs() <= 1e-12, "seed {seed}: {along} {found:?}");
                let expected = expected.point_a;
                assert!((found.point_a - expected).length() <= 1e-5, "seed {seed}: {found:?}");
                Some(found.distance)
            });
            if let [Some(one), Some(other)] = told {
                assert!((one - other).abs() <= 1e-13, "seed {seed}: {told:?}");
            }
            seen[usize::from(told[0].is_some())] += 1;
        }
        assert!(seen.iter().all(|&count| count > 2_000), "{seen:?}");
    }

    #[test]
    fn what_lies_on_an_axis_a_rim_or_an_apex_has_a_unit_normal() {
        let point = Sphere::new(0.0).unwrap();
        let (cylinder, cone) = (Cylinder::new(1.0, 1.0).unwrap(), Cone::new(1.0, 1.0).unwrap());
        let mut on_surface = 0;
        for seed in 0..2000 {
            let mut draw = Draw(seed);
            let at = Relative::from_b_in_a(&Pose::from_position(draw.halves()).unwrap());
            for solid in [Solid::from(&cylinder), Solid::from(&cone)] {
                let point = (&point).into();
                let cores = Cores::new(&solid, &point, &at);
                let found = cores.gap_of_point().unwrap();
                let (length, along) = (found.normal.length(), cores.along(found.normal));
                assert!((length - 1.0).abs() < 1e-14, "seed {seed}: {found:?}");
                assert!((along - found.distance).abs() <= cores.error(), "seed {seed}: {found:?}");
                on_surface += usize::from(found.distance == 0.0);
            }
        }
        assert!(on_surface > 100, "{on_surface}");
    }

    #[test]
    fn what_has_no_inside_is_left_to_the_search() {
        let point = Sphere::new(0.0).unwrap();
        let at = Relative::from_b_in_a(&Pose::from_position(Vec3::ONE).unwrap());
        for solid in [&Cylinder::new(0.0, 1.0).unwrap(), &Cylinder::new(1.0, 0.0).unwrap()] {
            assert!(Cores::new(&solid.into(), &(&point).into(), &at).gap_of_point().is_none());
        }
        let disc = Cone::new(0.0, 1.0).unwrap();
        assert!(Cores::new(&(&disc).into(), &(&point).into(), &at).gap_of_point().is_none());
    }
}
