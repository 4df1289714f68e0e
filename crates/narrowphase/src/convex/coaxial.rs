//! Overlapping cores that turn about one axis: their difference does, too, and the shortest way out
//! of its profile, a polygon, is across one of the sides.
//!
//! Around the axis all ways out are equal, so that a search by support points would go all around.

use impinge_shapes::convex::Core;
use impinge_shapes::glam::DVec3;

use super::turned::Turned;
use super::{Cores, Gap, Proof};
use crate::tolerance;

impl Cores<'_> {
    /// The shortest way out of two cores about one axis, one of which is a cylinder or a cone with an
    /// inside; without the point. `None` where they do not surely overlap.
    ///
    /// - Ties: along the axis first, then across A's side; around the axis towards A's X.
    /// - Error: [`tolerance::FRAME`] of the size, by which the axes may be off, too.
    /// - Source: a sum of polygons has the sides of both.
    pub(super) fn out_about_axis(&self) -> Option<Gap> {
        let axis = self.at.rotation().y_axis;
        let shift = self.at.translation() + self.moved;
        let is_off = |v: DVec3, most: f64| v.x * v.x + v.z * v.z > most * most;
        if self.is_exact() || is_off(axis, tolerance::FRAME) || is_off(shift, self.error()) {
            return None;
        }
        let ([out_a, up_a], [out_b, up_b]) = (side(&self.a.core)?, side(&self.b.core)?);
        let normals = [
            DVec3::Y,
            DVec3::NEG_Y,
            DVec3::new(out_a, up_a, 0.0),
            DVec3::new(out_b, -up_b * axis.y.signum(), 0.0),
        ];
        let (mut distance, mut normal) = (f64::NEG_INFINITY, DVec3::Y);
        for found in normals {
            let along = self.along(found);
            if along > distance {
                (distance, normal) = (along, found);
            }
        }
        (distance < -self.error()).then_some(Gap {
            distance,
            at_least: distance,
            at_most: distance,
            proof: Proof::Bounds,
            normal,
            point_a: DVec3::ZERO,
        })
    }
}

/// How far the normal of the side of what turns about Y goes out and up.
fn side(core: &Core<'_>) -> Option<[f64; 2]> {
    if let Core::Segment(ends) = core {
        return ends.iter().all(|end| end.x == 0.0 && end.z == 0.0).then_some([1.0, 0.0]);
    }
    Some(Turned::of(core)?.side())
}

#[cfg(test)]
mod tests {
    use impinge_shapes::convex::gjk::Enough;
    use impinge_shapes::glam::{Quat, Vec3};
    use impinge_shapes::{Pose, Shape};

    use super::*;
    use crate::Relative;
    use crate::convex::depth::{self, Search};
    use crate::convex::draw::Draw;

    /// A cylinder, a cone, or a capsule along their axis.
    fn shape(kind: u64, draw: &mut Draw, scale: f32) -> Shape {
        if kind.is_multiple_of(4) {
            Shape::capsule_along_y(scale * 0.5, scale * 0.3).unwrap()
        } else {
            draw.round(scale)
        }
    }

    #[test]
    fn ways_out_about_an_axis_are_within_the_bounds_of_the_search() {
        let mut seen = [0; 3];
        for seed in 0..3_000 {
            let mut draw = Draw(seed);
            let scale = draw.scale();
            let (one, other) = (shape(seed, &mut draw, scale), shape(seed / 4, &mut draw, scale));
            let (a, b) = (one.solid().unwrap(), other.solid().unwrap());
            let turn =
                if seed % 3 == 0 { Quat::IDENTITY } else { Quat::from_xyzw(1.0, 0.0, 0.0, 0.0) };
            let spin = Quat::from_rotation_y(draw.next() * 3.0) * turn;
            let place = Vec3::Y * (scale * draw.next() * 1.5);
            let at = Relative::from_b_in_a(&Pose::new(place, spin).unwrap());
            let cores = Cores::new(&a, &b, &at);
            let Some(found) = cores.out_about_axis() else {
                seen[0] += 1;
                continue;
            };
            let searched = cores.searched(cores.start(), &Enough::NEVER);
            assert!(searched.lower_bound <= cores.error(), "seed {seed}: {found:?}");
            let (support, points) = (|n| cores.support(n), searched.simplex.points());
            let Search::Found(way) = depth::way_out(&support, points, cores.size, false, None)
            else {
                continue;
            };
            let is_sideways = found.normal.x > 0.0;
            seen[1 + usize::from(is_sideways)] += 1;
            let depth = -found.distance;
            assert!(depth <= way.upper + cores.error(), "seed {seed}: {found:?} {way:?}");
            if way.encloses {
                assert!(depth >= way.lower - cores.error(), "seed {seed}: {found:?} {way:?}");
            }
            assert!(way.upper - way.lower <= 1e-3 * cores.size, "seed {seed}: {way:?}");
            // With its points.
            let gap = cores.leaving(found);
            assert!((gap.distance - found.distance).abs() <= cores.error(), "seed {seed}: {gap:?}");
        }
        assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
    }
}
