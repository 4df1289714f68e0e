//! Cylinders and cones: rays, points, planes and bounds.

use std::cmp::Ordering;

use glam::{DVec3, Quat, Vec3};
use impinge_shapes::exact::{Exact, ExactRotation, ExactVec3};
use impinge_shapes::{
    Aabb, Cone, Cylinder, MassProperties, Plane, PlaneSide, Pose, Ray, RayCrossings, RayOptions,
    ShapeRayHit,
};

use crate::draw::{Draw, EXIT, SKIP};
use crate::span::Window;

/// A solid that is turned about Y.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Turned {
    Cylinder(Cylinder),
    Cone(Cone),
}

macro_rules! both {
    ($turned:expr, $solid:ident => $call:expr) => {
        match $turned {
            Turned::Cylinder($solid) => $call,
            Turned::Cone($solid) => $call,
        }
    };
}

impl Turned {
    pub(crate) fn new(is_cone: bool, half_height: f32, radius: f32) -> Self {
        if is_cone {
            Self::Cone(Cone::new(half_height, radius).unwrap())
        } else {
            Self::Cylinder(Cylinder::new(half_height, radius).unwrap())
        }
    }

    pub(crate) fn raycast(
        &self,
        pose: &Pose,
        ray: &Ray,
        max: f32,
        options: &RayOptions,
    ) -> Option<ShapeRayHit> {
        both!(self, solid => solid.raycast(pose, ray, max, options))
    }

    pub(crate) fn crossings(&self, pose: &Pose, ray: &Ray, max: f32) -> RayCrossings {
        both!(self, solid => solid.crossings(pose, ray, max))
    }

    fn contains_point(&self, pose: &Pose, point: Vec3) -> bool {
        both!(self, solid => solid.contains_point(pose, point))
    }

    fn classify(&self, pose: &Pose, plane: &Plane) -> PlaneSide {
        both!(self, solid => solid.classify(pose, plane))
    }

    fn aabb(&self, pose: &Pose) -> Aabb {
        both!(self, solid => solid.aabb(pose))
    }

    fn support(&self, direction: DVec3) -> DVec3 {
        both!(self, solid => solid.support(direction))
    }

    fn mass_properties(&self) -> MassProperties {
        both!(self, solid => solid.mass_properties())
    }

    pub(crate) fn half_height(&self) -> f32 {
        both!(self, solid => solid.half_height())
    }

    pub(crate) fn radius(&self) -> f32 {
        both!(self, solid => solid.radius())
    }

    /// Radius at the top.
    fn top(&self) -> f32 {
        if matches!(self, Self::Cone(_)) { 0.0 } else { self.radius() }
    }

    fn scaled(&self, scale: f32) -> Self {
        let is_cone = matches!(self, Self::Cone(_));
        Self::new(is_cone, self.half_height() * scale, self.radius() * scale)
    }
}

/// Whether the ray has a point in the solid between two distances: the part of the ray between
/// the planes of top and bottom, over which the quadratic form of the side has its minimum at an
/// end or where its slope is zero.
pub(crate) fn meets(solid: &Turned, pose: &Pose, ray: &Ray, from: f32, to: f32) -> bool {
    let number = |x: f32| Exact::from(x);
    let rotation = ExactRotation::from(pose.rotation());
    let arm = ExactVec3::from(ray.origin()).minus(&ExactVec3::from(pose.position()));
    let ExactVec3([x, y, z]) = rotation.unrotate(&arm);
    let ExactVec3([dx, dy, dz]) = rotation.unrotate(&ExactVec3::from(ray.direction()));
    let h = rotation.norm.clone() * number(solid.half_height());
    let r = rotation.norm.clone() * number(solid.radius());
    let between_planes = Window::new(from, to)
        .where_positive(h.clone() + y.clone(), dy.clone())
        .and_then(|window| window.where_positive(h.clone() - y.clone(), -dy.clone()));
    let Some(window) = between_planes else { return false };
    // c + 2 b t + a t² ≤ 0
    let dot =
        |x: &Exact, y: &Exact, z: &Exact, w: &Exact| x.clone() * y.clone() + z.clone() * w.clone();
    let [mut a, mut b, mut c] =
        [dot(&dx, &dx, &dz, &dz), dot(&x, &dx, &z, &dz), dot(&x, &x, &z, &z)];
    if matches!(solid, Turned::Cone(_)) && h.sign() == Ordering::Greater {
        let (length, left) = ((h.clone() + h.clone()).square(), h - y);
        a = a * length.clone() - r.square() * dy.square();
        b = b * length.clone() + r.square() * left.clone() * dy;
        c = c * length - r.square() * left.square();
    } else {
        c = c - r.square();
    }
    window.dips(&a, &b, &c)
}

impl Draw {
    /// Solids of all sizes, also flat ones; cones also with sides at 45 degrees.
    pub(crate) fn turned(&mut self, is_cone: bool) -> Turned {
        let half_height = self.coordinate().abs();
        let radius = match self.below(4) {
            0 => half_height * 2.0,
            _ => self.coordinate().abs(),
        };
        let scale = [1.0, 1.0, 1.0, 2048.0][usize::from(self.below(4))];
        Turned::new(is_cone, half_height * scale, radius * scale)
    }

    /// A place on the axis, the rim, the side, or anywhere near, in the world.
    pub(crate) fn place(&mut self, solid: &Turned, pose: &Pose) -> Vec3 {
        let (h, r) = (solid.half_height(), solid.radius());
        let y = [-h, 0.0, h, h * 0.5][usize::from(self.below(4))];
        let share = if h > 0.0 { (h - y) / (h + h) } else { 1.0 };
        let rim = if matches!(solid, Turned::Cone(_)) { r * share } else { r };
        let local = match self.below(6) {
            0 => Vec3::new(0.0, y, 0.0),
            1 => Vec3::new(rim, y, 0.0),
            2 => Vec3::new(0.0, y, -rim),
            3 => Vec3::new(0.6 * rim, y, 0.8 * rim),
            4 => Vec3::new(rim * self.unit(), h * self.unit(), 0.0),
            _ => self.vector(),
        };
        pose.transform_point(local)
    }

    /// A ray through such a place, one time in three in one of the solid's own directions.
    pub(crate) fn ray_near(&mut self, solid: &Turned, pose: &Pose) -> Ray {
        let target = self.place(solid, pose);
        if self.below(3) == 0 {
            let (h, r) = (solid.half_height(), solid.radius());
            let own = [Vec3::Y, Vec3::NEG_Z, Vec3::new(r, 2.0 * h, 0.0), Vec3::new(0.0, h, -r)];
            let own = own[usize::from(self.below(4))];
            let direction = pose.transform_vector(if self.below(2) == 0 { own } else { -own });
            let back = f32::from(self.below(4));
            if let Ok(ray) = Ray::new(target - direction * back, direction) {
                return ray;
            }
        }
        self.ray_through(target)
    }
}

/// Between the distances an ulp beside the one reported, the ray meets the solid first.
fn assert_entry(solid: &Turned, pose: &Pose, ray: &Ray, distance: f32, context: &str) {
    assert!(meets(solid, pose, ray, 0.0, distance.next_up()), "{context}");
    assert!(!meets(solid, pose, ray, 0.0, distance.next_down().next_down()), "{context}");
}

/// And there it leaves.
fn assert_exit(solid: &Turned, pose: &Pose, ray: &Ray, distance: f32, context: &str) {
    let low = distance.next_down().next_down();
    assert!(meets(solid, pose, ray, low, f32::INFINITY), "{context}");
    assert!(!meets(solid, pose, ray, distance.next_up().next_up(), f32::INFINITY), "{context}");
}

/// The normal is that of a surface that passes the point, as far as the point's rounding tells.
fn assert_normal(solid: &Turned, pose: &Pose, ray: &Ray, hit: &ShapeRayHit, context: &str) {
    let m = pose.rotation_matrix();
    let point = ray.point_at_f64(hit.distance.into());
    let local = m.transpose() * (point - pose.translation());
    let normal = m.transpose() * hit.normal.as_dvec3();
    let (h, r) = (f64::from(solid.half_height()), f64::from(solid.radius()));
    let reach = pose.translation().abs().max_element() + f64::from(hit.distance) + h + r;
    let slack = reach * 2e-7 + 1e-30;
    let cap = |y: f64| (local.y - y).abs() <= slack && (normal.y * y.signum() - 1.0).abs() < 1e-6;
    let along = DVec3::new(local.x, 0.0, local.z);
    let top = f64::from(solid.top());
    // Outward across the side: (2 h, r - top) in the plane of the axis.
    let steepness = DVec3::new(2.0 * h, r - top, 0.0).normalize_or(DVec3::X);
    let side = along.normalize_or_zero() * steepness.x + DVec3::Y * steepness.y;
    let blur = slack / along.length().max(1e-30);
    let on_side = (normal - side).length() <= blur + 1e-6;
    let at_apex = matches!(solid, Turned::Cone(_)) && (local - DVec3::Y * h).length() <= slack;
    let is_thin = h <= slack || r <= slack;
    assert!(
        is_thin || cap(-h) || (top > 0.0 && cap(h)) || on_side || at_apex || blur > 0.1,
        "{local} {normal} {side} {context}"
    );
}

fn check_rays(is_cone: bool, seed: u64) {
    let mut draw = Draw(seed);
    let (mut counts, mut exits, mut far, mut ends) = ([0; 2], 0, 0, 0);
    for round in 0..12_000 {
        let (solid, pose) = (draw.turned(is_cone), draw.pose());
        let (ray, max) = (draw.ray_near(&solid, &pose), draw.max_distance());
        let context = format!("{round}: {solid:?} {pose:?} {ray:?} {max}");
        let hit = solid.raycast(&pose, &ray, max, &RayOptions::default());
        assert_eq!(hit.is_some(), meets(&solid, &pose, &ray, 0.0, max), "{context}");
        counts[usize::from(hit.is_some())] += 1;
        let inside = meets(&solid, &pose, &ray, 0.0, 0.0);
        assert_eq!(solid.contains_point(&pose, ray.origin()), inside, "{context}");
        let Some(hit) = hit else { continue };
        assert_eq!(hit.started_inside, inside, "{context}");
        assert_eq!(hit.barycentric, None);
        far += usize::from(hit.distance > 1000.0);
        if inside {
            assert_eq!((hit.distance, hit.normal), (0.0, -ray.direction()), "{context}");
            assert_eq!(solid.raycast(&pose, &ray, max, &SKIP), None, "{context}");
            let exit = solid.raycast(&pose, &ray, f32::INFINITY, &EXIT).unwrap();
            assert_exit(&solid, &pose, &ray, exit.distance, &context);
            assert_normal(&solid, &pose, &ray, &exit, &context);
            assert!(exit.normal.dot(ray.direction()) > -1e-6, "{context}");
            let within = solid.raycast(&pose, &ray, max, &EXIT);
            assert!(within.is_none_or(|within| within == exit), "{context}");
            // The distance that is reported may be rounded to the end of the ray.
            assert!(within.is_some() || exit.distance >= max, "{context}");
            assert!(within.is_none() || exit.distance <= max, "{context}");
            exits += 1;
        } else {
            assert_entry(&solid, &pose, &ray, hit.distance, &context);
            assert_normal(&solid, &pose, &ray, &hit, &context);
            assert!(hit.normal.dot(ray.direction()) < 1e-6, "{context}");
            ends += usize::from(hit.distance >= max);
        }
        assert!((hit.normal.length() - 1.0).abs() < 1e-6, "{context}");
    }
    assert!(counts[0] > 2000 && counts[1] > 2000, "{counts:?}");
    assert!(exits > 300 && far > 100 && ends > 2, "{exits} {far} {ends}");
}

#[test]
fn rays_meet_cylinders_exactly_where_the_form_has_its_least_value() {
    check_rays(false, 11);
}

#[test]
fn rays_meet_cones_exactly_where_the_form_has_its_least_value() {
    check_rays(true, 12);
}

#[test]
fn points_are_inside_exactly_where_the_form_says() {
    for is_cone in [false, true] {
        let mut draw = Draw(13);
        let mut counts = [0; 2];
        for round in 0..6000 {
            let (solid, pose) = (draw.turned(is_cone), draw.pose());
            let point = draw.place(&solid, &pose);
            let probe = Ray::new(point, Vec3::X).unwrap();
            let expected = meets(&solid, &pose, &probe, 0.0, 0.0);
            let found = solid.contains_point(&pose, point);
            assert_eq!(found, expected, "{round}: {solid:?} {pose:?} {point}");
            assert!(!found || solid.aabb(&pose).contains_point(point), "{round}");
            counts[usize::from(found)] += 1;
        }
        assert!(counts[0] > 1000 && counts[1] > 1000, "{counts:?}");
        assert!(!draw.turned(is_cone).contains_point(&Pose::IDENTITY, Vec3::NAN));
    }
}

/// Side of a disc: where the rim comes closest to the plane, `height² ≤ r² · slant²` there.
fn side_of_disc(height: &Exact, reach: &Exact) -> PlaneSide {
    match (height.square() <= *reach, height.sign()) {
        (true, _) => PlaneSide::Straddling,
        (false, Ordering::Less) => PlaneSide::Behind,
        (false, _) => PlaneSide::Front,
    }
}

#[test]
fn planes_part_them_by_their_discs() {
    for is_cone in [false, true] {
        let mut draw = Draw(14);
        let mut counts = [0; 3];
        for round in 0..6000 {
            let (solid, pose) = (draw.turned(is_cone), draw.pose());
            let plane = draw.plane_through(draw_place(&mut Draw(round), &solid, &pose));
            let rotation = ExactRotation::from(pose.rotation());
            let (n, axis) = (ExactVec3::from(plane.normal()), &rotation.columns[1]);
            let center = n.dot(&ExactVec3::from(pose.position())) - Exact::from(plane.distance());
            let rise = n.dot(axis) * Exact::from(solid.half_height());
            // |n × axis| is what a disc across the axis reaches.
            let slant = n.cross(axis).length_squared();
            let center = center * rotation.norm.clone();
            let side = |height: Exact, radius: f32| {
                side_of_disc(&height, &(Exact::from(radius).square() * slant.clone()))
            };
            let top = side(center.clone() + rise.clone(), solid.top());
            let expected = top.with(side(center - rise, solid.radius()));
            let found = solid.classify(&pose, &plane);
            assert_eq!(found, expected, "{round}: {solid:?} {pose:?} {plane:?}");
            counts[found as usize] += 1;
        }
        assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
    }
}

fn draw_place(draw: &mut Draw, solid: &Turned, pose: &Pose) -> Vec3 {
    draw.place(solid, pose)
}

#[test]
fn cylinders_are_touched_exactly() {
    let s = std::f32::consts::FRAC_1_SQRT_2;
    for rotation in
        [Quat::IDENTITY, Quat::from_xyzw(s, 0.0, 0.0, s), Quat::from_xyzw(3.0, 3.0, 3.0, 3.0)]
    {
        let pose = Pose::new(Vec3::new(3.0, -7.0, 11.0), rotation).unwrap();
        let cylinder = Cylinder::new(2.0, 0.5).unwrap();
        let cases = [
            (Vec3::new(0.5, -9.0, 0.0), Vec3::Y, Vec3::X),
            (Vec3::new(0.5, 1.0, -5.0), Vec3::Z, Vec3::X),
            (Vec3::new(0.5, 5.0, -3.0), Vec3::new(0.0, -1.0, 1.0), Vec3::X),
            (Vec3::new(-4.0, 2.0, 0.0), Vec3::X, Vec3::Y),
            (Vec3::new(-4.0, -2.0, 0.5), Vec3::X, Vec3::Z),
        ];
        for (origin, direction, aside) in cases {
            let shot = |origin: Vec3| {
                let direction = pose.transform_vector(direction);
                let ray = Ray::new(pose.transform_point(origin), direction).unwrap();
                cylinder.raycast(&pose, &ray, f32::INFINITY, &RayOptions::default())
            };
            let hit = shot(origin).unwrap_or_else(|| panic!("{rotation} {origin} {direction}"));
            assert!(hit.normal.dot(pose.transform_vector(direction)) <= 1e-6, "{hit:?}");
            assert_eq!(shot(origin + aside * 2e-6), None, "{rotation} {origin} {direction}");
        }
        // The rim belongs to the cap.
        let down = Ray::new(
            pose.transform_point(Vec3::new(3.5, 5.0, 0.0)),
            pose.transform_vector(Vec3::new(-1.0, -1.0, 0.0)),
        );
        let hit = cylinder.raycast(&pose, &down.unwrap(), 9.0, &RayOptions::default()).unwrap();
        assert_eq!(hit.normal, pose.transform_vector(Vec3::Y));
    }
}

#[test]
fn the_apex_of_a_cone_has_a_normal_against_the_ray() {
    let cone = Cone::new(1.0, 0.5).unwrap();
    let shot = |origin: Vec3, direction: Vec3, options: &RayOptions| {
        let ray = Ray::new(origin, direction).unwrap();
        cone.raycast(&Pose::IDENTITY, &ray, 100.0, options).map(|hit| (hit.distance, hit.normal))
    };
    let default = RayOptions::default();
    assert_eq!(shot(Vec3::Y * 3.0, Vec3::NEG_Y, &default), Some((2.0, Vec3::Y)));
    assert_eq!(shot(Vec3::new(-3.0, 1.0, 0.0), Vec3::X, &default), Some((3.0, Vec3::Y)));
    // The side is steeper than a ray that rises at 45 degrees and touches the apex alone.
    let rising = Vec3::new(3.0, 3.0, 0.0);
    let (distance, normal) = shot(Vec3::Y - rising, rising, &default).unwrap();
    assert!((distance - 18.0_f32.sqrt()).abs() < 1e-6, "{distance}");
    assert!((normal - Vec3::new(-1.0, 1.0, 0.0).normalize()).length() < 1e-6, "{normal}");
    // From within to the apex, and up a side of 45 degrees.
    assert_eq!(shot(Vec3::ZERO, Vec3::Y, &EXIT), Some((1.0, Vec3::Y)));
    let up = Ray::new(Vec3::new(3.0, -2.0, 0.0), Vec3::new(-1.0, 1.0, 0.0)).unwrap();
    let wide = Cone::new(1.0, 2.0).unwrap();
    let hit = wide.raycast(&Pose::IDENTITY, &up, 100.0, &default).unwrap();
    assert_eq!((hit.normal, hit.point), (Vec3::NEG_Y, Vec3::new(2.0, -1.0, 0.0)));
}

#[test]
fn normals_far_away_are_right() {
    let pose = Pose::from_position(Vec3::new(8192.0, 0.0, 0.0)).unwrap();
    for z in [0.03_f32, -0.0625, 0.099] {
        let ray = Ray::new(Vec3::new(-2000.0, 0.0, z), Vec3::X).unwrap();
        let across = f64::from(z) / f64::from(0.1_f32);
        let expected = DVec3::new(-(1.0 - across * across).sqrt(), 0.0, across);
        let cylinder = Cylinder::new(1.0, 0.1).unwrap();
        let hit = cylinder.raycast(&pose, &ray, f32::INFINITY, &SKIP).unwrap();
        assert!((hit.normal.as_dvec3() - expected).length() < 1e-7, "{hit:?} {expected}");
        // At the middle of a cone that is twice as wide; its side falls by 0.2 over 0.2.
        let cone = Cone::new(0.1, 0.2).unwrap();
        let hit = cone.raycast(&pose, &ray, f32::INFINITY, &SKIP).unwrap();
        let expected = (expected + DVec3::Y) * 0.5_f64.sqrt();
        assert!((hit.normal.as_dvec3() - expected).length() < 1e-7, "{hit:?} {expected}");
    }
}

#[test]
fn scaling_by_a_power_of_two_scales_the_hit() {
    for is_cone in [false, true] {
        let mut draw = Draw(15);
        let mut hits = 0;
        for round in 0..2000 {
            let (solid, pose) = (draw.turned(is_cone), draw.pose());
            let ray = draw.ray_near(&solid, &pose);
            let max = draw.max_distance();
            for scale in [2.0_f32.powi(-30), 2.0_f32.powi(40)] {
                let larger = solid.scaled(scale);
                let place = Pose::new(pose.position() * scale, pose.rotation()).unwrap();
                let scaled = Ray::new(ray.origin() * scale, ray.direction()).unwrap();
                let sizes = [solid.half_height(), solid.radius()];
                let numbers = [pose.position(), ray.origin()].into_iter();
                let mut numbers = numbers.flat_map(|v| v.to_array()).chain(sizes);
                let rounded = numbers.any(|x| x != 0.0 && !x.is_normal());
                if rounded || scaled.direction() != ray.direction() {
                    continue;
                }
                for options in [RayOptions::default(), SKIP, EXIT] {
                    let hit = solid.raycast(&pose, &ray, max, &options);
                    let subnormal =
                        |hit: ShapeRayHit| hit.distance != 0.0 && !hit.distance.is_normal();
                    if hit.is_some_and(subnormal) {
                        continue;
                    }
                    let found = larger.raycast(&place, &scaled, max * scale, &options);
                    let expected = hit.map(|hit| ShapeRayHit {
                        distance: hit.distance * scale,
                        point: hit.point * scale,
                        ..hit
                    });
                    assert_eq!(found, expected, "{round}: {solid:?} {pose:?} {ray:?} {scale}");
                    hits += usize::from(hit.is_some());
                }
            }
        }
        assert!(hits > 1000, "{hits}");
    }
}

#[test]
fn bounds_and_support_agree() {
    for is_cone in [false, true] {
        let mut draw = Draw(16);
        for round in 0..3000 {
            let (solid, pose) = (draw.turned(is_cone), draw.pose());
            let (bounds, m) = (solid.aabb(&pose), pose.rotation_matrix());
            let size = f64::from(solid.half_height() + solid.radius());
            for axis in 0..3 {
                for sign in [-1.0, 1.0] {
                    let direction = DVec3::AXES[axis] * sign;
                    let farthest =
                        m * solid.support(m.transpose() * direction) + pose.translation();
                    let end = if sign < 0.0 { bounds.min()[axis] } else { bounds.max()[axis] };
                    let slack = (f64::from(end) - farthest[axis]) * sign;
                    let reach = f64::from(end.abs());
                    let context = format!("{round}: {slack} {solid:?} {pose:?}");
                    assert!(slack >= -size * 1e-15 - reach * 2e-16, "{context}");
                    assert!(slack <= reach * 1.2e-7 + size * 1e-12 + 1e-44, "{context}");
                }
            }
            // No place of the solid is farther along a direction than its support.
            let direction = draw.vector().as_dvec3();
            let farthest = direction.dot(solid.support(direction));
            let place = Pose::IDENTITY;
            let point = draw.place(&solid, &place);
            if solid.contains_point(&place, point) {
                let along = direction.dot(point.as_dvec3());
                assert!(along <= farthest + size * 1e-14, "{round}: {solid:?} {direction}");
            }
        }
    }
}

#[test]
fn flat_solids_weigh_nothing() {
    for solid in [(0.0, 1.0), (1.0, 0.0), (0.0, 0.0)] {
        for is_cone in [false, true] {
            let mass = Turned::new(is_cone, solid.0, solid.1).mass_properties();
            assert_eq!(mass.volume.to_bits(), 0);
            assert!(mass.inertia.is_finite());
        }
    }
}

#[test]
fn extreme_sizes_are_answered_exactly() {
    let sizes = [1e-45, 1e-30, 1.0, 1e30, f32::MAX];
    for is_cone in [false, true] {
        let mut draw = Draw(17);
        let mut counts = [0; 2];
        for round in 0..2000 {
            let mut size = || sizes[usize::from(draw.below(5))];
            let solid = Turned::new(is_cone, size(), size());
            let at = if draw.below(2) == 0 { Vec3::ZERO } else { draw.vector() * 1e20 };
            let pose = Pose::new(at, draw.rotation()).unwrap();
            let target = draw.place(&solid, &pose);
            let direction = draw.vector();
            let back = draw.vector() * sizes[usize::from(draw.below(5))] * 0.25;
            let origin = (target - back).clamp(Vec3::MIN, Vec3::MAX);
            let Ok(ray) = Ray::new(origin, if draw.below(2) == 0 { back } else { direction })
            else {
                continue;
            };
            let context = format!("{round}: {solid:?} {pose:?} {ray:?}");
            let found = solid.crossings(&pose, &ray, f32::INFINITY);
            let expected = meets(&solid, &pose, &ray, 0.0, f32::INFINITY);
            assert_eq!(!found.is_empty(), expected, "{context}");
            counts[usize::from(expected)] += 1;
            for crossing in &found {
                let length = crossing.normal.length();
                assert!((length - 1.0).abs() < 1e-6, "{crossing:?} {context}");
                assert!(crossing.distance >= 0.0 && crossing.point.is_finite(), "{context}");
                let sign = if crossing.entering { 1.0 } else { -1.0 };
                let against = crossing.normal.dot(ray.direction()) * sign;
                assert!(against < 1e-6, "{crossing:?} {context}");
            }
        }
        assert!(counts[0] > 200 && counts[1] > 200, "{counts:?}");
    }
}
