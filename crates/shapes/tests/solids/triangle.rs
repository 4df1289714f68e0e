//! Triangles: rays, points, planes and bounds.

use std::cmp::Ordering;

use glam::{DVec3, Quat, Vec3};
use impinge_shapes::exact::{Exact, ExactRotation, ExactVec3};
use impinge_shapes::{
    Plane, PlaneSide, Pose, Ray, RayOptions, ShapeRayHit, StartedInside, Triangle,
};

use crate::draw::{Draw, EXIT, SKIP};
use crate::span::line_in_hull;

const HIT: RayOptions = RayOptions { started_inside: StartedInside::Hit, cull_back_faces: false };
const CULL: RayOptions = RayOptions { started_inside: StartedInside::Hit, cull_back_faces: true };

impl Draw {
    /// Lattice triangles of all sizes, slivers, needles, segments and points.
    pub(crate) fn triangle(&mut self) -> Triangle {
        let (a, b, c) = (self.vector(), self.vector(), self.vector());
        let third = match self.below(10) {
            0 => a,
            1 => a + (b - a) * 0.5,
            2 => a + (b - a) * 2.0,
            3 => b + c * 1e-6,
            4 => a + (b - a) * 0.5 + c * 1e-6,
            _ => c,
        };
        let scale = [1.0, 1.0, 1.0, 4096.0][usize::from(self.below(4))];
        Triangle::new(a * scale, b * scale, third * scale).unwrap()
    }

    /// A corner, a place on an edge or within, or one in or near the triangle, in the world.
    fn target(&mut self, triangle: &Triangle, pose: &Pose) -> Vec3 {
        let [a, b, c] = triangle.vertices();
        let part = |draw: &mut Self| f32::from(draw.below(5)) * 0.25;
        let (s, t) = (part(self), part(self));
        let local = match self.below(6) {
            0 => [a, b, c][usize::from(self.below(3))],
            1 => a + (b - a) * s,
            2 => b + (c - b) * s,
            3 => a + (b - a) * (0.1 + s * 0.5) + (c - a) * (0.1 + t * 0.2),
            _ => a + (b - a) * s + (c - a) * t,
        };
        pose.transform_point(local)
    }

    /// A ray through the target, one time in three along the line through two of the corners or
    /// in the plane of all three.
    pub(crate) fn ray_at(&mut self, triangle: &Triangle, pose: &Pose) -> Ray {
        let target = self.target(triangle, pose);
        if self.below(3) == 0 {
            let [a, b, c] = triangle.vertices();
            let s = self.coordinate();
            let along = [b - a, c - b, (b - a) * s + (c - a)];
            let along = along[usize::from(self.below(3))];
            let direction = pose.transform_vector(along);
            let back = f32::from(self.below(4));
            if let Ok(ray) = Ray::new(target - direction * back, direction) {
                return ray;
            }
        }
        self.ray_through(target)
    }
}

/// The corners in the world, in f64.
fn world(triangle: &Triangle, pose: &Pose) -> [DVec3; 3] {
    triangle.vertices().map(|v| pose.rotation_matrix() * v.as_dvec3() + pose.translation())
}

/// `d · (b - a) × (c - a)` times a positive number.
fn facing(triangle: &Triangle, pose: &Pose, ray: &Ray) -> Ordering {
    let [a, b, c] = triangle.vertices().map(ExactVec3::from);
    let normal = b.minus(&a).cross(&c.minus(&a));
    let rotation = ExactRotation::from(pose.rotation());
    rotation.rotate(&normal).dot(&ExactVec3::from(ray.direction())).sign()
}

fn assert_within_an_ulp(found: f32, exact: f64, context: &str) {
    let (low, high) = (f64::from(found.next_down()), f64::from(found.next_up()));
    assert!(low <= exact && exact <= high, "{found} for {exact}: {context}");
}

fn assert_weights(triangle: &Triangle, pose: &Pose, hit: &ShapeRayHit, context: &str) {
    let weights = hit.barycentric.unwrap();
    assert!(weights.iter().all(|w| (0.0..=1.0).contains(w)), "{context}");
    assert!((weights.iter().sum::<f32>() - 1.0).abs() < 3e-7, "{context}");
    let corners = world(triangle, pose);
    let mixed = (0..3).fold(DVec3::ZERO, |sum, i| sum + corners[i] * f64::from(weights[i]));
    let size = corners.iter().fold(0.0_f64, |size, v| size.max(v.abs().max_element()));
    let size = size.max(f64::from(hit.point.abs().max_element()));
    let off = (mixed - hit.point.as_dvec3()).length();
    assert!(off <= size * 4e-7, "{off} of {size}: {context}");
}

#[test]
fn rays_meet_triangles_exactly_where_planes_cut_them() {
    let mut draw = Draw(1);
    let (mut counts, mut flat, mut started, mut far) = ([0; 2], 0, 0, 0);
    for round in 0..12_000 {
        let (triangle, pose) = (draw.triangle(), draw.pose());
        let (ray, max) = (draw.ray_at(&triangle, &pose), draw.max_distance());
        let context = format!("{round}: {triangle:?} {pose:?} {ray:?} {max}");
        let span = line_in_hull(&triangle.vertices(), &pose, &ray)
            .filter(|[near, far]| far.compare(0.0).is_ge() && near.compare(max.min(1e30)).is_le());
        let hit = triangle.raycast(&pose, &ray, max, &HIT);
        assert_eq!(hit.is_some(), span.is_some(), "{context}");
        counts[usize::from(hit.is_some())] += 1;
        let facing = facing(&triangle, &pose, &ray);
        let culled = triangle.raycast(&pose, &ray, max, &CULL);
        assert_eq!(culled, hit.filter(|_| facing.is_lt()), "{context}");
        let (Some(hit), Some([near, end])) = (hit, span) else { continue };
        flat += usize::from(facing.is_eq());
        far += usize::from(hit.distance > 1000.0);
        let inside = near.compare(0.0).is_le();
        assert_eq!(hit.started_inside, inside, "{context}");
        assert_eq!(triangle.contains_point(&pose, ray.origin()), inside, "{context}");
        assert_weights(&triangle, &pose, &hit, &context);
        if inside {
            started += 1;
            assert_eq!((hit.distance, hit.normal), (0.0, -ray.direction()), "{context}");
            assert_eq!(triangle.raycast(&pose, &ray, max, &SKIP), None, "{context}");
            let exit = triangle.raycast(&pose, &ray, f32::INFINITY, &EXIT).unwrap();
            assert_within_an_ulp(exit.distance, end.to_f64(), &context);
            assert_weights(&triangle, &pose, &exit, &context);
            let outward = exit.normal.dot(ray.direction());
            assert!(outward > -1e-6 && (facing.is_ne() || outward > 0.999), "{context}");
        } else {
            assert_within_an_ulp(hit.distance, near.to_f64(), &context);
            let [a, b, c] = world(&triangle, &pose);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            if facing.is_eq() {
                assert_eq!(hit.normal, -ray.direction(), "{context}");
            } else if normal.cross(ray.direction().as_dvec3()).length() < 0.999 {
                assert!(hit.normal.dot(ray.direction()) <= 1e-6, "{context}");
            }
        }
    }
    assert!(counts[0] > 1500 && counts[1] > 1500, "{counts:?}");
    assert!(flat > 100 && started > 100 && far > 100, "{flat} {started} {far}");
}

#[test]
fn normals_are_those_of_the_plane() {
    let mut draw = Draw(2);
    let mut hits = [0; 2];
    for round in 0..4000 {
        let [mut a, mut b, mut c] = [Vec3::ZERO; 3];
        for corner in [&mut a, &mut b, &mut c] {
            *corner = Vec3::new(draw.unit(), draw.unit(), draw.unit());
        }
        // Down to needles of a millionth.
        if draw.below(2) == 0 {
            c = a + (b - a) * 0.5 + c * 1e-6;
        }
        let triangle = Triangle::new(a, b, c).unwrap();
        let pose = Pose::new(draw.vector(), draw.rotation()).unwrap();
        let ray = draw.ray_through(pose.transform_point((a + b + c) / 3.0));
        let Some(hit) = triangle.raycast(&pose, &ray, f32::INFINITY, &SKIP) else { continue };
        let facing = facing(&triangle, &pose, &ray);
        hits[usize::from(facing.is_lt())] += 1;
        let normal = ExactVec3::from(b).minus(&ExactVec3::from(a));
        let normal = normal.cross(&ExactVec3::from(c).minus(&ExactVec3::from(a))).0;
        let normal = DVec3::from_array(normal.map(|x| x.to_f64())).normalize();
        let normal = pose.rotation_matrix() * if facing.is_lt() { normal } else { -normal };
        let off = (hit.normal.as_dvec3() - normal).length();
        assert!(facing.is_eq() || off < 1e-7, "{round}: {off} {triangle:?} {pose:?} {ray:?}");
    }
    assert!(hits[0] > 200 && hits[1] > 200, "{hits:?}");
}

#[test]
fn points_are_on_triangles_exactly_where_three_planes_say() {
    let mut draw = Draw(3);
    let mut counts = [0; 2];
    for round in 0..8000 {
        let (triangle, pose) = (draw.triangle(), draw.pose());
        let point = draw.target(&triangle, &pose);
        // A ray that starts at the point holds it.
        let probe = Ray::new(point, Vec3::new(1.0, 2.0, -2.0)).unwrap();
        let span = line_in_hull(&triangle.vertices(), &pose, &probe);
        let expected =
            span.is_some_and(|[near, far]| near.compare(0.0).is_le() && far.compare(0.0).is_ge());
        let found = triangle.contains_point(&pose, point);
        assert_eq!(found, expected, "{round}: {triangle:?} {pose:?} {point}");
        counts[usize::from(found)] += 1;
        assert!(!found || triangle.aabb(&pose).contains_point(point), "{round}");
    }
    assert!(counts[0] > 500 && counts[1] > 500, "{counts:?}");
    let triangle = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y).unwrap();
    assert!(!triangle.contains_point(&Pose::IDENTITY, Vec3::NAN));
}

#[test]
fn planes_part_triangles_by_their_corners() {
    let mut draw = Draw(4);
    let mut counts = [0; 3];
    for round in 0..6000 {
        let (triangle, pose) = (draw.triangle(), draw.pose());
        let target = draw.target(&triangle, &pose);
        let plane = draw.plane_through(target);
        let rotation = ExactRotation::from(pose.rotation());
        let normal = ExactVec3::from(plane.normal());
        let signs = triangle.vertices().map(|v| {
            let arm = ExactVec3::from(pose.position()).scale(&rotation.norm);
            let height = normal.dot(&rotation.rotate(&ExactVec3::from(v)).plus(&arm));
            (height - rotation.norm.clone() * Exact::from(plane.distance())).sign()
        });
        let expected = match signs {
            [Ordering::Less, Ordering::Less, Ordering::Less] => PlaneSide::Behind,
            [Ordering::Greater, Ordering::Greater, Ordering::Greater] => PlaneSide::Front,
            _ => PlaneSide::Straddling,
        };
        let found = triangle.classify(&pose, &plane);
        assert_eq!(found, expected, "{round}: {triangle:?} {pose:?} {plane:?}");
        counts[found as usize] += 1;
    }
    assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
    let plane = Plane::new(Vec3::Y, 0.0).unwrap();
    let resting = Triangle::new(Vec3::ZERO, Vec3::Y, Vec3::ONE).unwrap();
    assert_eq!(resting.classify(&Pose::IDENTITY, &plane), PlaneSide::Straddling);
}

#[test]
fn edges_and_corners_are_hit_and_one_ulp_beside_is_not() {
    let triangle = Triangle::new(Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 2.0).unwrap();
    let s = std::f32::consts::FRAC_1_SQRT_2;
    for rotation in
        [Quat::IDENTITY, Quat::from_xyzw(s, 0.0, 0.0, s), Quat::from_xyzw(3.0, 3.0, 3.0, 3.0)]
    {
        let pose = Pose::new(Vec3::new(8192.0, -7.0, 11.0), rotation).unwrap();
        let shot = |x: f32, y: f32| {
            let direction = pose.transform_vector(Vec3::NEG_Z);
            let ray = Ray::new(pose.transform_point(Vec3::new(x, y, 5.0)), direction).unwrap();
            triangle.raycast(&pose, &ray, 5.0, &HIT)
        };
        let hit = shot(1.0, 1.0).unwrap();
        assert_eq!(hit.barycentric, Some([0.0, 0.5, 0.5]));
        assert_eq!((hit.distance, hit.normal), (5.0, pose.transform_vector(Vec3::Z)));
        assert_eq!(shot(0.0, 2.0).unwrap().barycentric, Some([0.0, 0.0, 1.0]));
        assert_eq!(shot(0.0, 0.0).unwrap().barycentric, Some([1.0, 0.0, 0.0]));
        // 1/1024 is an ulp of 8192.
        assert_eq!(shot(1.0 + 1.0 / 1024.0, 1.0), None);
        assert_eq!(shot(-1.0 / 1024.0, 1.0), None);
    }
}

#[test]
fn triangles_of_ten_kilometres_far_away_are_hit_within_an_ulp() {
    let mut draw = Draw(5);
    let mut hits = 0;
    for round in 0..3000 {
        let mut far = || Vec3::new(draw.unit(), draw.unit(), draw.unit()) * 10_000.0;
        let triangle = Triangle::new(far(), far(), far()).unwrap();
        let (at, from) = (far(), far());
        let pose = Pose::new(at, draw.rotation()).unwrap();
        let target = draw.target(&triangle, &pose);
        let Ok(ray) = Ray::new(from, target - from) else { continue };
        let span = line_in_hull(&triangle.vertices(), &pose, &ray)
            .filter(|[near, _]| near.compare(0.0).is_ge());
        let hit = triangle.raycast(&pose, &ray, f32::INFINITY, &HIT);
        let context = format!("{round}: {triangle:?} {pose:?} {ray:?}");
        assert_eq!(hit.is_some(), span.is_some(), "{context}");
        let (Some(hit), Some([near, _])) = (hit, span) else { continue };
        hits += 1;
        assert_within_an_ulp(hit.distance, near.to_f64(), &context);
        assert_weights(&triangle, &pose, &hit, &context);
    }
    assert!((500..2900).contains(&hits), "{hits}");
}

#[test]
fn scaling_by_a_power_of_two_scales_the_hit() {
    let mut draw = Draw(6);
    let mut hits = 0;
    for round in 0..2000 {
        let (triangle, pose) = (draw.triangle(), draw.pose());
        let ray = draw.ray_at(&triangle, &pose);
        let max = draw.max_distance();
        for scale in [2.0_f32.powi(-30), 2.0_f32.powi(40)] {
            let [a, b, c] = triangle.vertices().map(|v| v * scale);
            let larger = Triangle::new(a, b, c).unwrap();
            let place = Pose::new(pose.position() * scale, pose.rotation()).unwrap();
            let scaled = Ray::new(ray.origin() * scale, ray.direction()).unwrap();
            let numbers = [pose.position(), ray.origin(), triangle.a(), triangle.b(), triangle.c()];
            let subnormal = |x: f32| x != 0.0 && !x.is_normal();
            let rounded = numbers.iter().flat_map(|v| v.to_array()).any(subnormal);
            if rounded || scaled.direction() != ray.direction() {
                continue;
            }
            for options in [HIT, SKIP, EXIT, CULL] {
                let hit = triangle.raycast(&pose, &ray, max, &options);
                let found = larger.raycast(&place, &scaled, max * scale, &options);
                let expected = hit.map(|hit| ShapeRayHit {
                    distance: hit.distance * scale,
                    point: hit.point * scale,
                    ..hit
                });
                assert_eq!(found, expected, "{round}: {triangle:?} {pose:?} {ray:?} {scale}");
                hits += usize::from(hit.is_some());
            }
        }
    }
    assert!(hits > 1000, "{hits}");
}

#[test]
fn bounds_hold_every_corner_and_support_reaches_it() {
    let mut draw = Draw(7);
    for round in 0..3000 {
        let (triangle, pose) = (draw.triangle(), draw.pose());
        let bounds = triangle.aabb(&pose);
        let rotation = ExactRotation::from(pose.rotation());
        for corner in triangle.vertices() {
            let place = rotation
                .rotate(&ExactVec3::from(corner))
                .plus(&ExactVec3::from(pose.position()).scale(&rotation.norm));
            for (i, x) in place.0.iter().enumerate() {
                let [low, high] = [bounds.min(), bounds.max()]
                    .map(|end| Exact::from(end[i]) * rotation.norm.clone());
                assert!(low <= *x && *x <= high, "{round}: {triangle:?} {pose:?}");
            }
        }
        let direction = draw.vector().as_dvec3();
        let farthest = triangle.support(direction);
        for corner in triangle.vertices() {
            assert!(direction.dot(corner.as_dvec3()) <= direction.dot(farthest), "{round}");
        }
        let size = bounds.max() - bounds.min();
        let corners = world(&triangle, &pose);
        let length = corners.iter().fold(0.0, |length, v| v.length().max(length));
        for i in 0..3 {
            let [a, b, c] = corners.map(|corner| corner[i]);
            let reach = f64::from(bounds.max()[i].abs().max(bounds.min()[i].abs()));
            let slack = f64::from(size[i]) - (a.max(b).max(c) - a.min(b).min(c));
            assert!(slack <= reach * 3e-7 + length * 1e-12 + 1e-44, "{round}: {slack}");
        }
    }
}

#[test]
fn extreme_sizes_are_answered_exactly() {
    let sizes = [1e-45, 1e-30, 1.0, 1e30, 1e38];
    let mut draw = Draw(8);
    let mut counts = [0; 2];
    for round in 0..3000 {
        let mut corner = || draw.vector() * sizes[usize::from(draw.below(5))];
        let triangle = Triangle::new(corner(), corner(), corner()).unwrap();
        let pose = Pose::new(draw.vector(), draw.rotation()).unwrap();
        let target = draw.target(&triangle, &pose);
        let back = draw.vector() * sizes[usize::from(draw.below(5))] * 0.25;
        let origin = (target - back).clamp(Vec3::MIN, Vec3::MAX);
        let Ok(ray) = Ray::new(origin, back) else { continue };
        let context = format!("{round}: {triangle:?} {pose:?} {ray:?}");
        let span = line_in_hull(&triangle.vertices(), &pose, &ray)
            .filter(|[_, far]| far.compare(0.0).is_ge());
        let hit = triangle.raycast(&pose, &ray, f32::INFINITY, &HIT);
        assert_eq!(hit.is_some(), span.is_some(), "{context}");
        counts[usize::from(hit.is_some())] += 1;
        let Some(hit) = hit else { continue };
        assert!((hit.normal.length() - 1.0).abs() < 1e-6, "{hit:?} {context}");
        assert!(hit.normal.dot(ray.direction()) < 1e-6, "{hit:?} {context}");
        let weights = hit.barycentric.unwrap();
        assert!((weights.iter().sum::<f32>() - 1.0).abs() < 3e-7, "{hit:?} {context}");
    }
    assert!(counts[0] > 200 && counts[1] > 200, "{counts:?}");
}
