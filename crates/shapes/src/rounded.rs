//! A convex shape grown by a margin.

use glam::{DMat3, DVec3, Vec3};
use thiserror::Error;

use crate::convex::Solid;
use crate::crossing::{self, Limits};
use crate::exact::Exact;
use crate::filter::{Approx, Number, Rotation, Vector};
use crate::tracked::Tracked;
use crate::{
    Aabb, ConvexHull, MassProperties, Plane, PlaneSide, Pose, Ray, RayCrossings, RayOptions, Shape,
    ShapeRayHit, round, tolerance,
};

/// All points within `radius` of a convex shape: a box, hull or cylinder with round edges.
///
/// ```
/// use impinge_shapes::{Pose, Shape};
/// use glam::Vec3;
///
/// let die = Shape::rounded(Shape::cuboid(Vec3::splat(0.75))?, 0.25)?;
/// assert!(die.contains_point(&Pose::IDENTITY, Vec3::new(1.0, 0.0, 0.0)));
/// assert!(!die.contains_point(&Pose::IDENTITY, Vec3::splat(0.95))); // its corners are round
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rounded {
    core: Shape,
    radius: f32,
}

/// Why a [`Rounded`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum RoundedError {
    /// The radius is negative, NaN or infinite.
    #[error("radius: must be finite and not negative, got {0}")]
    Radius(f32),
    /// The core is not a bounded convex shape.
    #[error("core: must be a bounded convex shape, got {0}")]
    Core(&'static str),
}

impl Rounded {
    /// A convex shape grown by `radius`; the margins of a rounded core add up, rounded once.
    ///
    /// # Errors
    /// A radius that is negative, NaN or infinite; a core that is a half-space, a mesh, a height
    /// field or a compound.
    pub fn new(core: Shape, radius: f32) -> Result<Self, RoundedError> {
        if !(radius.is_finite() && radius >= 0.0) {
            return Err(RoundedError::Radius(radius));
        }
        if let Shape::Rounded(inner) = &core {
            let sum = round::nearest(f64::from(inner.radius) + f64::from(radius));
            return Ok(Self { core: inner.core.clone(), radius: sum });
        }
        if core.solid().is_none() {
            return Err(RoundedError::Core(core.kind_name()));
        }
        Ok(Self { core, radius: radius.abs() })
    }

    /// The shape without its margin; never rounded itself.
    #[must_use]
    #[inline]
    pub fn core(&self) -> &Shape {
        &self.core
    }

    /// The margin.
    #[must_use]
    #[inline]
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// The core and its radii, as convex algorithms see them.
    #[must_use]
    #[inline]
    pub fn solid(&self) -> Solid<'_> {
        let mut solid = self.core.solid().unwrap_or_else(|| crate::convex::Core::Point.into());
        solid.radii[1] = self.radius;
        solid
    }

    /// See [`Shape::aabb`].
    #[must_use]
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        self.core.aabb(pose).inflate(self.radius)
    }

    /// See [`Shape::support`].
    #[must_use]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let solid = self.solid();
        solid.core.support(direction) + direction.normalize_or_zero() * solid.radius()
    }

    /// See [`Shape::raycast`].
    ///
    /// - Error: whether a ray from outside hits is exact; with a cylinder or a cone inside, a ray
    ///   that passes within 2^-44 of the sizes and the distance counts as a hit. The reported
    ///   place lies within 2^-43 of them from the surface, and no farther beyond the first touch
    ///   than that over the cosine between ray and normal; grazing rays may be early by the chord
    ///   that so thin a shell adds. Without a margin the answer is the core's.
    /// - Normal: that of the core where the margin is below 2^-36 of the sizes and the core is hit.
    #[must_use]
    pub fn raycast(
        &self,
        pose: &Pose,
        ray: &Ray,
        max_distance: f32,
        options: &RayOptions,
    ) -> Option<ShapeRayHit> {
        if self.radius <= 0.0 {
            let hit = self.core.raycast(pose, ray, max_distance, options)?;
            return Some(ShapeRayHit { barycentric: None, ..hit });
        }
        let limits = Limits::new(max_distance, options)?;
        self.solid().probe_ray(&self.core, pose, ray, &limits).hit(ray, &limits)
    }

    /// See [`Shape::crossings`], with the error of [`Rounded::raycast`].
    #[must_use]
    pub fn crossings(&self, pose: &Pose, ray: &Ray, max_distance: f32) -> RayCrossings {
        if self.radius <= 0.0 {
            return self.core.crossings(pose, ray, max_distance);
        }
        let solid = self.solid();
        crossing::crossings(
            ray,
            max_distance,
            |limits| Some(solid.probe_ray(&self.core, pose, ray, limits)),
            |max| solid.leave(&self.core, pose, ray, max),
        )
    }

    /// See [`Shape::contains_point`]; with a cylinder or a cone inside, a point within 2^-44 of
    /// the size counts as on the boundary.
    #[must_use]
    pub fn contains_point(&self, pose: &Pose, point: Vec3) -> bool {
        self.solid().contains_point(pose, point)
    }

    /// See [`Shape::classify`]; with a cylinder or a cone inside, in f64.
    #[must_use]
    pub fn classify(&self, pose: &Pose, plane: &Plane) -> PlaneSide {
        self.side::<Approx>(pose, plane)
            .or_else(|| self.side::<Tracked>(pose, plane))
            .or_else(|| self.side::<Exact>(pose, plane))
            .unwrap_or(PlaneSide::Straddling)
    }

    fn side<N: Number>(&self, pose: &Pose, plane: &Plane) -> Option<PlaneSide> {
        let solid = self.solid();
        let rotation = Rotation::<N>::new(pose.rotation());
        let normal = Vector::<N>::new(plane.normal());
        let height = normal
            .dot(&Vector::new(pose.position()))
            .minus(&N::new(plane.distance().into()))
            .times(&rotation.norm);
        let along = rotation.unrotate(&normal);
        let margins = N::new(solid.radii[0].into()).plus(&N::new(solid.radii[1].into()));
        let radius = rotation.norm.times(&margins);
        let squared = normal.length_squared();
        let end = |end: [f64; 3]| {
            let [x, y, z] = std::array::from_fn(|i| along.0[i].times(&N::new(end[i])));
            PlaneSide::of_ball(&height.plus(&x).plus(&y).plus(&z), &radius, &squared)
        };
        let Some(vertices) = solid.core.vertices() else {
            // The highest and the lowest point of a curved core.
            let up = along.value();
            let [top, low] = [up, -up].map(|up| solid.core.support(up).to_array());
            return Some(end(top)?.with(end(low)?));
        };
        let mut side: Option<PlaneSide> = None;
        for vertex in vertices {
            let here = end(vertex.as_dvec3().to_array())?;
            side = Some(side.map_or(here, |side| side.with(here)));
        }
        side
    }

    /// See [`Shape::mass_properties`].
    ///
    /// - Error: within 2 % of the exact values: the round parts are taken as a polyhedron of some
    ///   hundred corners whose ball has the exact volume.
    #[must_use]
    pub fn mass_properties(&self) -> MassProperties {
        let solid = self.solid();
        let radius = solid.radius() * BALL_OF_SAME_VOLUME;
        let vertices = solid.core.vertices();
        let level = solid.core.reach().element_sum() * tolerance::FRAME;
        let mut points: Vec<Vec3> = Vec::new();
        for direction in directions() {
            let support = solid.core.support(direction);
            points.push(round::nearest_vec(support + direction * radius));
            let top = direction.dot(support) - level;
            for vertex in vertices.iter().flatten().map(|vertex| vertex.as_dvec3()) {
                if direction.dot(vertex) >= top && vertex != support {
                    points.push(round::nearest_vec(vertex + direction * radius));
                }
            }
        }
        ConvexHull::new(&points).map_or_else(
            |_| MassProperties::from_f64(0.0, DVec3::ZERO, DMat3::ZERO),
            |hull| hull.mass_properties(),
        )
    }
}

/// Steps along an edge of the cube that [`directions`] come from.
const STEPS: u8 = 10;

/// Radius of the polyhedron of [`directions`] whose volume is that of the unit ball.
const BALL_OF_SAME_VOLUME: f64 = 1.003_844;

/// Unit vectors all around: a grid on the faces of a cube, drawn onto the sphere.
fn directions() -> Vec<DVec3> {
    let place = |k: u8| f64::from(2 * k) / f64::from(STEPS) - 1.0;
    let mut found = Vec::new();
    for i in 0..=STEPS {
        for j in 0..=STEPS {
            for k in 0..=STEPS {
                if [i, j, k].iter().any(|&k| k == 0 || k == STEPS) {
                    found.push(DVec3::new(place(i), place(j), place(k)).normalize());
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Shape, StartedInside};

    fn rounded(core: Shape, radius: f32) -> Rounded {
        Rounded::new(core, radius).unwrap()
    }

    #[test]
    fn bad_margins_and_cores_are_refused_and_named() {
        let cube = Shape::cuboid(Vec3::ONE).unwrap();
        assert_eq!(Rounded::new(cube.clone(), -1.0), Err(RoundedError::Radius(-1.0)));
        assert!(matches!(Rounded::new(cube.clone(), f32::NAN), Err(RoundedError::Radius(_))));
        let error = Rounded::new(Shape::half_space(Vec3::Y, 0.0).unwrap(), 1.0).unwrap_err();
        assert_eq!(error.to_string(), "core: must be a bounded convex shape, got half_space");
        let twice = rounded(rounded(cube.clone(), 0.25).into(), 0.5);
        assert_eq!(twice, rounded(cube, 0.75));
    }

    #[test]
    fn a_rounded_point_is_a_ball_and_a_rounded_segment_a_capsule() {
        let ball = rounded(Shape::cuboid(Vec3::ZERO).unwrap(), 1.5);
        let capsule = rounded(Shape::cuboid(Vec3::new(0.0, 1.0, 0.0)).unwrap(), 0.5);
        let pairs = [
            (ball, Shape::sphere(1.5).unwrap()),
            (capsule, Shape::capsule_along_y(1.0, 0.5).unwrap()),
        ];
        for (rounded, same) in pairs {
            let pose = Pose::from_position(Vec3::new(3.0, -1.0, 0.5)).unwrap();
            assert_eq!(rounded.aabb(&pose), same.aabb(&pose));
            for k in 0_u8..40 {
                let lean = f32::from(k) * 0.1 - 2.0;
                let ray =
                    Ray::new(Vec3::new(-5.0, lean, 0.25), Vec3::new(1.0, 0.125, 0.0)).unwrap();
                for started_inside in [StartedInside::Hit, StartedInside::Exit] {
                    let options = RayOptions { started_inside, ..RayOptions::default() };
                    let one = rounded.raycast(&pose, &ray, 20.0, &options);
                    let other = same.raycast(&pose, &ray, 20.0, &options);
                    assert_eq!(one.is_some(), other.is_some(), "{lean}");
                    let (Some(one), Some(other)) = (one, other) else { continue };
                    assert!((one.distance - other.distance).abs() < 1e-5, "{one:?} {other:?}");
                    assert!((one.normal - other.normal).length() < 1e-4, "{one:?} {other:?}");
                }
                let point = pose.position() + Vec3::new(lean, 0.5 * lean, 0.25);
                let holds = rounded.contains_point(&pose, point);
                assert_eq!(holds, same.contains_point(&pose, point));
            }
            let (mass, same) = (rounded.mass_properties(), same.mass_properties().unwrap());
            assert!((mass.volume / same.volume - 1.0).abs() < 0.01, "{mass:?} {same:?}");
            let inertia = mass.inertia.x_axis.x / same.inertia.x_axis.x;
            assert!((inertia - 1.0).abs() < 0.02, "{mass:?} {same:?}");
        }
    }

    /// The closed forms of balls and capsules are exact, and so must this be.
    #[test]
    fn grazing_rays_hit_rounded_points_and_segments_as_balls_and_capsules() {
        let mut state = 5_u64;
        let mut below = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            f32::from(u16::try_from((state >> 33) % n).unwrap())
        };
        let mut seen = [0; 2];
        for case in 0..8000 {
            let half = below(3);
            let radius = (below(4) + 1.0) * 0.5;
            let radius = [radius.next_down(), radius, radius.next_up()][case % 3];
            let core = Shape::cuboid(Vec3::new(0.0, half, 0.0)).unwrap();
            let ball_or_rod = Shape::capsule_along_y(half, radius).unwrap();
            let turn = glam::Quat::from_xyzw(below(3), below(3), below(3), 1.0);
            let turn = if case % 2 == 0 { turn } else { glam::Quat::IDENTITY };
            let far = if case % 5 == 0 { 8192.0 } else { 16.0 };
            let center = Vec3::new(below(5) - 2.0, below(5) - 2.0, 0.25);
            let pose = Pose::new(center, turn).unwrap();
            let (x, y) = ((below(13) - 6.0) * 0.5, (below(13) - 6.0) * 0.5);
            let start = [Vec3::new(x, y, -far), Vec3::new(x, -far, y), Vec3::new(-far, x, y)];
            let way = [Vec3::Z, Vec3::Y, Vec3::X];
            let ray = Ray::new(start[case / 3 % 3], way[case / 3 % 3]).unwrap();
            let max = if case % 7 == 0 { far - radius } else { far * 2.0 };
            let one = rounded(core, radius).raycast(&pose, &ray, max, &RayOptions::default());
            let other = ball_or_rod.raycast(&pose, &ray, max, &RayOptions::default());
            let context = format!("{case}: {half} {radius} {pose:?} {ray:?} {max}");
            assert_eq!(one.is_some(), other.is_some(), "{context} {one:?} {other:?}");
            seen[usize::from(one.is_some())] += 1;
            if let (Some(one), Some(other)) = (one, other) {
                // A graze may be early by the chord of a shell of 2^-43 of the sizes.
                let off = f64::from(one.distance - other.distance).abs();
                let shell = f64::from(far) / 2.0_f64.powi(41);
                let chord = (2.0 * f64::from(radius) * shell).sqrt();
                assert!(off <= chord + f64::from(far) * 2.0_f64.powi(-23), "{context} {off}");
            }
        }
        assert!(seen.iter().all(|&n| n > 1000), "{seen:?}");
    }

    /// A world that has found something tells the next shape to look no farther: were the answer
    /// another one then, it would depend on the order of the search.
    #[test]
    fn where_a_hit_lies_does_not_depend_on_how_far_the_ray_goes() {
        let mut state = 11_u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            f32::from(u16::try_from(state >> 48).unwrap()) / 65536.0
        };
        let mut hits = 0;
        for case in 0..2000 {
            let mut vector = |size: f32| (Vec3::new(unit(), unit(), unit()) - 0.5) * size;
            let half = vector(2.0).abs();
            let core = match case % 3 {
                0 => Shape::cuboid(half).unwrap(),
                1 => Shape::triangle(vector(2.0), vector(2.0), vector(2.0)).unwrap(),
                _ => Shape::cylinder(half.x, half.y).unwrap(),
            };
            let turn = glam::Quat::from_vec4(vector(1.0).extend(0.25));
            let pose = Pose::new(vector(2.0), turn).unwrap();
            let shape = rounded(core, half.z * 0.25);
            let from = vector(8.0);
            let ray = Ray::new(from, pose.position() - from + vector(0.5)).unwrap();
            for started_inside in [StartedInside::Hit, StartedInside::Exit] {
                let options = RayOptions { started_inside, ..RayOptions::default() };
                let cast = |max: f32| shape.raycast(&pose, &ray, max, &options);
                let Some(hit) = cast(f32::INFINITY) else { continue };
                hits += 1;
                let further = hit.distance + 2.0_f32.powi(-19);
                for max in [further, hit.distance * 1.5 + 2.0_f32.powi(-19), 100.0] {
                    assert_eq!(cast(max), Some(hit), "{case}: {shape:?} {pose:?} {ray:?} {max}");
                }
            }
        }
        assert!(hits > 1000, "{hits}");
    }

    /// Directions were those of rounding there, so that rays at the core missed, came late or had
    /// a normal along them.
    #[test]
    fn margins_of_nothing_hide_nothing_of_what_rays_find_on_the_core() {
        let ray = |from: [f32; 3], way: [f32; 3]| Ray::new(from.into(), way.into()).unwrap();
        let segment = [Vec3::new(-1.0, 0.0, 0.75), Vec3::new(1.0, 0.0, 0.75)];
        let turn = glam::Quat::from_xyzw(0.0, 1e-8, 0.0, 1.0);
        let turned = Pose::new(Vec3::new(1.0, 0.0, 1.25), turn).unwrap();
        let [a, b, c] = [[-1e3, 0.0, 0.0], [1e3, 1.0, 0.0], [1e3, -1.0, 0.0]].map(Vec3::from);
        let needle = Shape::cuboid(Vec3::new(1e4, 1.0, 1.0)).unwrap();
        let slanted = [1.0, -8.235_294e-5, -8.823_529e-5];
        let short = Shape::cuboid(Vec3::new(1e3, 1.0, 1.0)).unwrap();
        let rod = Shape::capsule(Vec3::ZERO, Vec3::new(0.0, -1e4, 2e11), 6e3).unwrap();
        let cases = [
            (Shape::convex_hull(&segment).unwrap(), turned, ray([0.0, 0.0, 2.0], [1.0, 0.0, 0.0])),
            (
                Shape::triangle(a, b, c).unwrap(),
                Pose::IDENTITY,
                ray([-2e3, 0.0, -0.3], [2e3, 0.1, 0.3]),
            ),
            (needle, Pose::IDENTITY, ray([-15e3, 1.5, 1.5], slanted)),
            (short, Pose::IDENTITY, ray([-2e3, 1.5, 1.5], [1600.0, -1.5, -0.5])),
            (rod, Pose::IDENTITY, ray([1e4, 0.0, 0.0], [-13e3, 0.0, 1e11])),
        ];
        for (core, pose, ray) in cases {
            let cast = |shape: &Shape| {
                shape.raycast(&pose, &ray, f32::INFINITY, &RayOptions::default()).unwrap()
            };
            let expected = cast(&core);
            for margin in [0.0, 1e-30, 1e-20, 1e-14] {
                let hit = cast(&rounded(core.clone(), margin).into());
                let off = (hit.distance - expected.distance).abs();
                assert!(off <= expected.distance * 1e-6, "{hit:?} {expected:?} {margin}");
                assert_eq!(hit.normal, expected.normal, "{hit:?} {expected:?} {margin}");
                assert_eq!((hit.started_inside, hit.barycentric), (false, None));
            }
        }
    }

    /// Passes of far less than f64 can tell.
    #[test]
    fn a_ray_past_a_rounded_box_by_a_hair_is_no_hit() {
        let tiny = 2.0_f32.powi(-46);
        let above = 2.0_f32.powi(-23);
        for (radius, expected) in [(above - tiny, false), (above, true), (above + tiny, true)] {
            let die = rounded(Shape::cuboid(Vec3::ONE).unwrap(), radius);
            let ray = Ray::new(Vec3::new(-8.0, 1.0 + above, 0.5), Vec3::X).unwrap();
            for max in [f32::INFINITY, 9.0] {
                let hit = die.raycast(&Pose::IDENTITY, &ray, max, &RayOptions::default());
                assert_eq!(hit.is_some(), expected, "{radius} {max}");
            }
            // To its end only.
            let ray = Ray::new(Vec3::new(0.5, 8.0, 0.5), Vec3::NEG_Y).unwrap();
            let max = 7.0 - above;
            let hit = die.raycast(&Pose::IDENTITY, &ray, max, &RayOptions::default());
            assert_eq!(hit.is_some(), 7.0 - f64::from(max) <= f64::from(radius), "{radius}");
        }
    }

    #[test]
    fn a_ray_leaves_where_the_ray_back_enters() {
        let die = rounded(Shape::cuboid(Vec3::splat(0.75)).unwrap(), 0.25);
        let ray = Ray::new(Vec3::new(0.25, 0.0, 0.0), Vec3::X).unwrap();
        let exit = RayOptions { started_inside: StartedInside::Exit, ..RayOptions::default() };
        let hit = die.raycast(&Pose::IDENTITY, &ray, 5.0, &exit).unwrap();
        assert!((hit.distance - 0.75).abs() < 1e-6 && hit.started_inside);
        assert!((hit.normal - Vec3::X).length() < 1e-6);
        assert!(die.raycast(&Pose::IDENTITY, &ray, 0.5, &exit).is_none());
        let corner = Vec3::splat(0.75 + 0.25 / 3.0_f32.sqrt());
        assert!(die.contains_point(&Pose::IDENTITY, corner * 0.999));
        assert!(!die.contains_point(&Pose::IDENTITY, corner * 1.001));
        let plane = Plane::new(Vec3::ONE, 0.0).unwrap();
        assert_eq!(die.classify(&Pose::IDENTITY, &plane), PlaneSide::Straddling);
        let beyond = Plane::new(Vec3::X, 1.0).unwrap();
        assert_eq!(die.classify(&Pose::IDENTITY, &beyond), PlaneSide::Straddling);
        let clear = Plane::new(Vec3::X, 1.0_f32.next_up()).unwrap();
        assert_eq!(die.classify(&Pose::IDENTITY, &clear), PlaneSide::Behind);
    }
}
