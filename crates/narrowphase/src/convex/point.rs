//! A point and a cylinder or a cone: the way to the nearest place on the surface, from the profile
//! that turns around the axis.
//!
//! Round sides take GJK and the expanding polytope many steps, each of which adds one corner.

use impinge_shapes::convex::Core;
use impinge_shapes::glam::{DVec2, DVec3};
use impinge_shapes::{Cone, Cylinder};

use super::{Cores, Gap};

/// Signed distance of a point from a profile, and the unit normal there, out of the solid; x is
/// the distance from the axis, y the height.
struct Profile {
    distance: f64,
    normal: DVec2,
}

impl Cores<'_> {
    /// The gap where one core is a point and the other a cylinder or a cone with an inside.
    ///
    /// - Error: distances from planes and from the round side are differences and products of a few
    ///   coordinates, each rounded to 2^-53 of the size, at most twelve of them in a row: less
    ///   than [`Cores::error`], 2^-44 of the size. Within that of a rim or an apex the normal is
    ///   any of those there.
    /// - Ties: inside, the round side comes before a flat one, and on the axis +X before all others.
    pub(super) fn gap_of_point(&self) -> Option<Gap> {
        let (flipped, core, point) = match (&self.a.core, &self.b.core) {
            (core @ (Core::Cylinder(_) | Core::Cone(_)), Core::Point) => {
                (false, core, self.at.translation() + self.moved)
            }
            (Core::Point, core @ (Core::Cylinder(_) | Core::Cone(_))) => {
                (true, core, -self.at.vector_to_b(self.at.translation() + self.moved))
            }
            _ => return None,
        };
        let sideways = DVec3::new(point.x, 0.0, point.z);
        let out = sideways.length();
        let place = DVec2::new(out, point.y);
        let Profile { distance, normal } = match core {
            Core::Cylinder(cylinder) => of_cylinder(cylinder, place)?,
            Core::Cone(cone) => of_cone(cone, place)?,
            _ => return None,
        };
        let radial = if out > 0.0 { sideways / out } else { DVec3::X };
        let outward = radial * normal.x + DVec3::Y * normal.y;
        let (normal, point_a) = if flipped {
            (-(*self.at.rotation() * outward), DVec3::ZERO)
        } else {
            (outward, point - outward * distance)
        };
        Some(Gap { distance, at_least: distance, at_most: distance, proven: true, normal, point_a })
    }
}

/// The place beyond a corner, whose own normal serves for what is on it.
fn beyond(corner: DVec2, place: DVec2, normal: DVec2) -> Profile {
    let arm = place - corner;
    let distance = arm.length();
    Profile { distance, normal: if distance > 0.0 { arm / distance } else { normal } }
}

fn of_cylinder(cylinder: &Cylinder, place: DVec2) -> Option<Profile> {
    let corner = DVec2::new(cylinder.radius().into(), cylinder.half_height().into());
    if corner.min_element() <= 0.0 {
        return None;
    }
    let upper = DVec2::new(place.x, place.y.abs());
    let off = upper - corner;
    let upward = if off.min_element() > 0.0 {
        beyond(corner, upper, DVec2::X)
    } else if off.x >= off.y {
        Profile { distance: off.x, normal: DVec2::X }
    } else {
        Profile { distance: off.y, normal: DVec2::Y }
    };
    let normal = DVec2::new(upward.normal.x, upward.normal.y.copysign(place.y));
    Some(Profile { normal, ..upward })
}

fn of_cone(cone: &Cone, place: DVec2) -> Option<Profile> {
    let (radius, half) = (f64::from(cone.radius()), f64::from(cone.half_height()));
    if radius <= 0.0 || half <= 0.0 {
        return None;
    }
    let (rim, apex) = (DVec2::new(radius, -half), DVec2::new(0.0, half));
    let length = (apex - rim).length();
    // Up along the side, and out of it.
    let along = (apex - rim) / length;
    let side = DVec2::new(along.y, -along.x);
    let arm = place - rim;
    let (above_side, up, below) = (side.dot(arm), along.dot(arm), -arm.y);
    Some(if above_side <= 0.0 && below <= 0.0 {
        if above_side >= below {
            Profile { distance: above_side, normal: side }
        } else {
            Profile { distance: below, normal: DVec2::NEG_Y }
        }
    } else if below > 0.0 && arm.x <= 0.0 {
        Profile { distance: below, normal: DVec2::NEG_Y }
    } else if up < 0.0 {
        beyond(rim, place, side)
    } else if up > length {
        beyond(apex, place, side)
    } else {
        Profile { distance: above_side, normal: side }
    })
}

#[cfg(test)]
mod tests {
    use impinge_shapes::convex::Solid;
    use impinge_shapes::glam::{Quat, Vec3};
    use impinge_shapes::{Pose, Sphere};

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
            let pose = |draw: &mut Draw| {
                let turn = Quat::from_vec4((draw.vector(), draw.next() + 1.5).into());
                Pose::new(draw.vector(), turn).unwrap()
            };
            let (at_a, at_b) = (pose(&mut draw), pose(&mut draw));
            let away = Relative::new(&at_a, &at_b);
            let back = Relative::new(&at_b, &at_a);
            let mut distances = [0.0; 2];
            for (place, (a, b, at)) in
                [(solid, (&point).into(), &away), ((&point).into(), solid, &back)]
                    .into_iter()
                    .enumerate()
            {
                let cores = Cores::new(a, b, at);
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
    fn what_lies_on_an_axis_a_rim_or_an_apex_has_a_unit_normal() {
        let point = Sphere::new(0.0).unwrap();
        let (cylinder, cone) = (Cylinder::new(1.0, 1.0).unwrap(), Cone::new(1.0, 1.0).unwrap());
        let mut on_surface = 0;
        for seed in 0..2000 {
            let mut draw = Draw(seed);
            let at = Relative::from_b_in_a(&Pose::from_position(draw.halves()).unwrap());
            for solid in [Solid::from(&cylinder), Solid::from(&cone)] {
                let cores = Cores::new(solid, (&point).into(), &at);
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
            assert!(Cores::new(solid.into(), (&point).into(), &at).gap_of_point().is_none());
        }
        let disc = Cone::new(0.0, 1.0).unwrap();
        assert!(Cores::new((&disc).into(), (&point).into(), &at).gap_of_point().is_none());
    }
}
