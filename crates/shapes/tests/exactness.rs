//! Yes/no answers against other formulas in exact arithmetic, on numbers made to touch.

#![expect(clippy::unwrap_used, reason = "a value that cannot be made is a failed test")]

mod common;

use std::cmp::Ordering;

use common::Draw;
use glam::{DVec3, Quat, Vec3};
use impinge_shapes::exact::{Exact, ExactRotation, ExactVec3};
use impinge_shapes::{
    Aabb, Capsule, Cuboid, HalfSpace, Obb, Plane, PlaneSide, Pose, Ray, RayOptions, Shape,
    ShapeRayHit, Sphere, StartedInside,
};

impl Draw {
    /// Rotations of a cube, their close neighbours, and any others, of any length.
    fn rotation(&mut self) -> Quat {
        loop {
            let part = |draw: &mut Self| match draw.below(4) {
                0 => 1.0,
                1 => -1.0,
                _ => 0.0,
            };
            let exact = Quat::from_xyzw(part(self), part(self), part(self), part(self));
            let off = Quat::from_xyzw(self.unit(), self.unit(), self.unit(), self.unit());
            let scale = [1.0, 1e-30, 1e30, 0.7][usize::from(self.below(4))];
            let q = match self.below(5) {
                0 => off,
                1 => exact + off * 1e-7,
                2 => exact + off * 1e-22,
                _ => exact,
            };
            let q = q * scale;
            if Pose::new(Vec3::ZERO, q).is_ok() {
                return q;
            }
        }
    }

    fn pose(&mut self) -> Pose {
        Pose::new(self.vector(), self.rotation()).unwrap()
    }

    /// A ray that passes a point near the pose's origin.
    fn ray(&mut self, pose: &Pose) -> Ray {
        loop {
            let (target, direction) = (pose.position() + self.vector() * 0.5, self.vector());
            let back = f32::from(self.below(4));
            if let Ok(ray) = Ray::new(target - direction * back, direction) {
                return ray;
            }
        }
    }

    fn plane(&mut self) -> Plane {
        loop {
            if let Ok(plane) = Plane::new(self.vector(), self.coordinate()) {
                return plane;
            }
        }
    }

    fn cuboid(&mut self) -> Cuboid {
        Cuboid::new(self.vector().abs()).unwrap()
    }

    fn capsule(&mut self) -> Capsule {
        Capsule::new(self.vector(), self.vector(), self.coordinate().abs()).unwrap()
    }

    fn max_distance(&mut self) -> f32 {
        if self.below(2) == 0 { f32::INFINITY } else { self.coordinate().abs() * 4.0 }
    }
}

const SKIP: RayOptions = RayOptions { started_inside: StartedInside::Skip, cull_back_faces: false };
const EXIT: RayOptions = RayOptions { started_inside: StartedInside::Exit, cull_back_faces: false };

fn exact(v: Vec3) -> ExactVec3 {
    ExactVec3::from(v)
}

fn number(x: f32) -> Exact {
    Exact::from(x)
}

/// The reported distance is the exact one within an ulp: a ray that ends an ulp later arrives at
/// the same hit, and one that ends two ulps earlier does not arrive, both decided exactly.
fn assert_distance(shape: &Shape, pose: &Pose, ray: &Ray, hit: &ShapeRayHit, context: &str) {
    let options = if hit.started_inside { EXIT } else { SKIP };
    let beyond = shape.raycast(pose, ray, hit.distance.next_up(), &options);
    assert_eq!(beyond.as_ref(), Some(hit), "{context}");
    let short = hit.distance.next_down().next_down();
    assert_eq!(shape.raycast(pose, ray, short, &options), None, "{context}");
}

/// The point's place in the box's frame, `norm` times as far, and the box's reach likewise.
fn in_box(cuboid: &Cuboid, pose: &Pose, point: Vec3) -> (ExactRotation, ExactVec3, ExactVec3) {
    let rotation = ExactRotation::from(pose.rotation());
    let local = rotation.unrotate(&exact(point).minus(&exact(pose.position())));
    let reach = exact(cuboid.half_extents()).scale(&rotation.norm);
    (rotation, local, reach)
}

/// A segment or ray meets a box unless one of six axes parts them (Gottschalk 1996).
fn ray_meets_box(cuboid: &Cuboid, pose: &Pose, ray: &Ray, max: f32) -> bool {
    let (rotation, from, reach) = in_box(cuboid, pose, ray.origin());
    let step = rotation.unrotate(&exact(ray.direction()));
    for i in 0..3 {
        let (p, e, h) = (&from.0[i], &step.0[i], &reach.0[i]);
        let (mut ends, mut signs) = (vec![p.clone()], vec![]);
        if max.is_finite() {
            ends.push(p.clone() + e.clone() * number(max));
        } else {
            signs.push(e.sign());
        }
        let above = ends.iter().all(|end| end > h) && signs.iter().all(|s| s.is_ge());
        let below = ends.iter().all(|end| *end < -h.clone()) && signs.iter().all(|s| s.is_le());
        if above || below {
            return false;
        }
        let j = (i + 1) % 3;
        let moment = from.0[i].clone() * step.0[j].clone() - from.0[j].clone() * step.0[i].clone();
        let span = reach.0[i].clone() * step.0[j].abs() + reach.0[j].clone() * step.0[i].abs();
        if moment.abs() > span {
            return false;
        }
    }
    true
}

#[test]
fn rays_meet_boxes_exactly_when_no_axis_parts_them() {
    let mut draw = Draw(1);
    let mut counts = [0; 2];
    for round in 0..8000 {
        let (cuboid, pose, max) = (draw.cuboid(), draw.pose(), draw.max_distance());
        let ray = draw.ray(&pose);
        let expected = ray_meets_box(&cuboid, &pose, &ray, max);
        let hit = cuboid.raycast(&pose, &ray, max, &RayOptions::default());
        assert_eq!(hit.is_some(), expected, "{round}: {cuboid:?} {pose:?} {ray:?} {max}");
        counts[usize::from(expected)] += 1;
        let holds = cuboid.contains_point(&pose, ray.origin());
        assert_eq!(hit.is_some_and(|hit| hit.started_inside), holds, "{round}");
        let obb = Obb::from_cuboid(cuboid, pose);
        assert_eq!(obb.raycast(&ray, max, &RayOptions::default()), hit);
        if pose.rotation() == Quat::IDENTITY && pose.position() == Vec3::ZERO {
            let h = cuboid.half_extents();
            let same = Aabb::new(-h, h).unwrap().raycast(&ray, max, &RayOptions::default());
            assert_eq!(same, hit, "{round}");
        }
    }
    assert!(counts[0] > 1000 && counts[1] > 1000, "{counts:?}");
}

#[test]
fn box_hits_lie_on_the_face_of_their_normal() {
    let mut draw = Draw(2);
    let mut hits = 0;
    for round in 0..4000 {
        let (cuboid, pose) = (draw.cuboid(), draw.pose());
        let ray = draw.ray(&pose);
        for options in [SKIP, EXIT] {
            let Some(hit) = cuboid.raycast(&pose, &ray, f32::INFINITY, &options) else { continue };
            hits += 1;
            assert_distance(&cuboid.into(), &pose, &ray, &hit, &format!("{round}"));
            let m = pose.rotation_matrix();
            let local = m.transpose() * (hit.point.as_dvec3() - pose.translation());
            let normal = m.transpose() * hit.normal.as_dvec3();
            let axis = (0..3).find(|&i| normal[i].abs() > 0.999).unwrap();
            let face = f64::from(cuboid.half_extents()[axis]) * normal[axis];
            let scale = f64::from(ray.origin().abs().max_element()) + 8.0;
            let error = (local[axis] - face).abs();
            assert!(error <= scale * 2e-7, "{round}: {error} {cuboid:?} {pose:?} {ray:?} {hit:?}");
            let faces_ray = hit.normal.dot(ray.direction()) <= 1e-6;
            assert!(faces_ray || hit.started_inside, "{round}");
        }
    }
    assert!(hits > 1000, "{hits}");
}

#[test]
fn rays_meet_spheres_by_the_textbook_discriminant() {
    let mut draw = Draw(3);
    let mut counts = [0; 2];
    for round in 0..8000 {
        let (sphere, pose) = (Sphere::new(draw.coordinate().abs()).unwrap(), draw.pose());
        let (ray, max) = (draw.ray(&pose), draw.max_distance());
        let m = exact(ray.origin()).minus(&exact(pose.position()));
        let d = exact(ray.direction());
        let c = m.length_squared() - number(sphere.radius()).square();
        let (b, dd) = (m.dot(&d), d.length_squared());
        let inside = c.sign().is_le();
        let line = b.sign() == Ordering::Less && b.square() >= dd.clone() * c;
        let reached = !max.is_finite() || {
            let end = m.plus(&d.scale(&number(max)));
            end.length_squared() <= number(sphere.radius()).square() || -b <= dd * number(max)
        };
        let expected = inside || (line && reached);
        let hit = sphere.raycast(&pose, &ray, max, &RayOptions::default());
        assert_eq!(hit.is_some(), expected, "{round}: {sphere:?} {pose:?} {ray:?} {max}");
        assert_eq!(sphere.contains_point(&pose, ray.origin()), inside, "{round}");
        counts[usize::from(expected)] += 1;
        if let Some(hit) = hit.filter(|hit| !hit.started_inside) {
            assert_distance(&sphere.into(), &pose, &ray, &hit, &format!("{round}"));
            let arm = hit.point.as_dvec3() - pose.translation();
            let error = (arm.length() - f64::from(sphere.radius())).abs();
            assert!(error < 4e-6, "{round}: {error}");
            let error = (arm - hit.normal.as_dvec3() * f64::from(sphere.radius())).length();
            assert!(error < 4e-6, "{round}: {error}");
        }
    }
    assert!(counts[0] > 500 && counts[1] > 500, "{counts:?}");
}

/// Distance of a point from a segment, in f64.
fn distance_to_segment(point: DVec3, a: DVec3, b: DVec3) -> f64 {
    let s = b - a;
    let along = (point - a).dot(s) / s.length_squared();
    let along = if along.is_finite() { along.clamp(0.0, 1.0) } else { 0.0 };
    (point - a - s * along).length()
}

#[test]
fn rays_meet_capsules_where_a_search_finds_them() {
    let mut draw = Draw(4);
    let (mut hits, mut misses, mut touches) = (0, 0, 0);
    for round in 0..6000 {
        let (capsule, pose) = (draw.capsule(), draw.pose());
        let ray = draw.ray(&pose);
        let m = pose.rotation_matrix();
        let world = |v: Vec3| m * v.as_dvec3() + pose.translation();
        let (a, b, r) = (world(capsule.a()), world(capsule.b()), f64::from(capsule.radius()));
        let gap = |t: f64| distance_to_segment(ray.point_at_f64(t), a, b) - r;
        // The distance from a convex set is convex along the ray.
        let (mut low, mut high) = (0.0, 100.0);
        for _ in 0..200 {
            let (x, y) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if gap(x) <= gap(y) { high = y } else { low = x }
        }
        let least = gap(low).min(gap(0.0));
        let hit = capsule.raycast(&pose, &ray, f32::INFINITY, &RayOptions::default());
        let context = format!("{round}: {least} {capsule:?} {pose:?} {ray:?} {hit:?}");
        if least.abs() < 1e-6 {
            touches += 1;
        } else {
            assert_eq!(hit.is_some(), least < 0.0, "{context}");
        }
        assert_eq!(
            hit.is_some_and(|hit| hit.started_inside),
            capsule.contains_point(&pose, ray.origin()),
            "{context}"
        );
        let Some(hit) = hit else {
            misses += 1;
            continue;
        };
        hits += 1;
        for hit in [Some(hit), capsule.raycast(&pose, &ray, f32::INFINITY, &EXIT)] {
            let hit = hit.unwrap();
            if hit.distance <= 0.0 {
                continue;
            }
            let point = hit.point.as_dvec3();
            assert!((distance_to_segment(point, a, b) - r).abs() < 4e-6, "{context}");
            let core = point - hit.normal.as_dvec3() * r;
            assert!(distance_to_segment(core, a, b) < 1e-5, "{context}");
            // Entered here: a little before is outside; left here: a little later is.
            let beside = f64::from(hit.distance) * if hit.started_inside { 1.01 } else { 0.99 };
            assert!(gap(beside) > -1e-6, "{context}");
            assert_distance(&capsule.into(), &pose, &ray, &hit, &context);
        }
    }
    assert!(hits > 500 && misses > 500 && touches > 5, "{hits} {misses} {touches}");
}

#[test]
fn capsules_are_touched_exactly() {
    // Quarter turns keep the numbers exact: a ray in the tangent plane touches, one ulp beside
    // it misses; along the side, across it, at the caps, and through its end.
    let s = std::f32::consts::FRAC_1_SQRT_2;
    for rotation in
        [Quat::IDENTITY, Quat::from_xyzw(s, 0.0, 0.0, s), Quat::from_xyzw(3.0, 3.0, 3.0, 3.0)]
    {
        let pose = Pose::new(Vec3::new(3.0, -7.0, 11.0), rotation).unwrap();
        let m = pose.rotation_matrix();
        let capsule = Capsule::along_y(2.0, 0.5).unwrap();
        let world = |v: Vec3| (m * v.as_dvec3() + pose.translation()).as_vec3();
        let turn = |v: Vec3| (m * v.as_dvec3()).as_vec3();
        let cases = [
            (Vec3::new(0.5, -9.0, 0.0), Vec3::Y, Vec3::X),
            (Vec3::new(0.5, 1.0, -5.0), Vec3::Z, Vec3::X),
            (Vec3::new(0.5, 2.0, -5.0), Vec3::Z, Vec3::X),
            (Vec3::new(-4.0, 2.5, 0.0), Vec3::X, Vec3::Y),
            (Vec3::new(0.5, 5.0, -3.0), Vec3::new(0.0, -1.0, 1.0), Vec3::X),
        ];
        for (origin, direction, aside) in cases {
            let shot = |origin: Vec3| {
                let ray = Ray::new(world(origin), turn(direction)).unwrap();
                capsule.raycast(&pose, &ray, f32::INFINITY, &RayOptions::default())
            };
            let hit = shot(origin).unwrap_or_else(|| panic!("{rotation} {origin} {direction}"));
            assert!((hit.normal - turn(aside)).length() < 1e-6, "{hit:?}");
            assert_eq!(shot(origin + aside * 2e-6), None, "{rotation} {origin} {direction}");
        }
    }
}

#[test]
fn half_spaces_answer_by_their_inequality() {
    let mut draw = Draw(5);
    let mut counts = [0; 2];
    for round in 0..6000 {
        let Ok(half_space) = HalfSpace::new(draw.vector(), draw.coordinate()) else { continue };
        let (pose, max) = (draw.pose(), draw.max_distance());
        let ray = draw.ray(&pose);
        let rotation = ExactRotation::from(pose.rotation());
        let normal = rotation.rotate(&exact(half_space.normal()));
        let height = |from: &ExactVec3| {
            normal.dot(&from.minus(&exact(pose.position())))
                - rotation.norm.clone() * number(half_space.offset())
        };
        let (origin, direction) = (exact(ray.origin()), exact(ray.direction()));
        let inside = height(&origin).sign().is_le();
        let expected = inside
            || if max.is_finite() {
                height(&origin.plus(&direction.scale(&number(max)))).sign().is_le()
            } else {
                normal.dot(&direction).sign().is_lt()
            };
        let hit = half_space.raycast(&pose, &ray, max, &RayOptions::default());
        assert_eq!(hit.is_some(), expected, "{round}: {half_space:?} {pose:?} {ray:?} {max}");
        assert_eq!(half_space.contains_point(&pose, ray.origin()), inside, "{round}");
        counts[usize::from(expected)] += 1;
    }
    assert!(counts[0] > 500 && counts[1] > 500, "{counts:?}");
}

/// Side of a plane from the exact heights of points and the reach around each.
fn side_of(heights: &[Exact]) -> PlaneSide {
    if heights.iter().all(|height| height.sign() == Ordering::Greater) {
        PlaneSide::Front
    } else if heights.iter().all(|height| height.sign() == Ordering::Less) {
        PlaneSide::Behind
    } else {
        PlaneSide::Straddling
    }
}

#[test]
fn boxes_are_classified_by_their_corners() {
    let mut draw = Draw(6);
    let mut counts = [0; 3];
    for round in 0..3000 {
        let (cuboid, pose, plane) = (draw.cuboid(), draw.pose(), draw.plane());
        let rotation = ExactRotation::from(pose.rotation());
        let normal = exact(plane.normal());
        let heights = cuboid.corners().map(|corner| {
            let at =
                rotation.rotate(&exact(corner)).plus(&exact(pose.position()).scale(&rotation.norm));
            normal.dot(&at) - rotation.norm.clone() * number(plane.distance())
        });
        let expected = side_of(&heights);
        let context = format!("{round}: {cuboid:?} {pose:?} {plane:?}");
        assert_eq!(cuboid.classify(&pose, &plane), expected, "{context}");
        assert_eq!(cuboid.classify(&pose, &plane.flipped()), expected.flipped(), "{context}");
        counts[expected as usize] += 1;

        let still = Pose::from_position(pose.position()).unwrap();
        let by_extents = plane.classify_box(pose.position(), cuboid.half_extents());
        assert_eq!(by_extents, cuboid.classify(&still, &plane), "{context}");
        let (x, y) = (pose.position(), pose.position() + cuboid.half_extents());
        let bounds = Aabb::new(x.min(y), x.max(y)).unwrap();
        let corners = bounds.corners().map(|c| normal.dot(&exact(c)) - number(plane.distance()));
        assert_eq!(bounds.classify(&plane), side_of(&corners), "{context}");
    }
    assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
}

#[test]
fn round_shapes_are_classified_by_exact_heights() {
    let mut draw = Draw(7);
    let mut counts = [0; 3];
    for round in 0..3000 {
        let (capsule, pose, plane) = (draw.capsule(), draw.pose(), draw.plane());
        let rotation = ExactRotation::from(pose.rotation());
        let normal = exact(plane.normal());
        let side = |end: Vec3| {
            let at =
                rotation.rotate(&exact(end)).plus(&exact(pose.position()).scale(&rotation.norm));
            let height = normal.dot(&at) - rotation.norm.clone() * number(plane.distance());
            let reach = (rotation.norm.clone() * number(capsule.radius())).square()
                * normal.length_squared();
            match (height.square() > reach, height.sign()) {
                (true, Ordering::Greater) => PlaneSide::Front,
                (true, Ordering::Less) => PlaneSide::Behind,
                _ => PlaneSide::Straddling,
            }
        };
        let (a, b) = (side(capsule.a()), side(capsule.b()));
        let expected = if a == b { a } else { PlaneSide::Straddling };
        assert_eq!(capsule.classify(&pose, &plane), expected, "{round}");
        counts[expected as usize] += 1;
        let sphere = Sphere::new(capsule.radius()).unwrap();
        let ball = Capsule::new(Vec3::ZERO, Vec3::ZERO, capsule.radius()).unwrap();
        assert_eq!(sphere.classify(&pose, &plane), ball.classify(&pose, &plane), "{round}");
    }
    assert!(counts.iter().all(|&count| count > 200), "{counts:?}");
}

#[test]
fn parallel_half_spaces_lie_on_one_side() {
    let side = |normal: Vec3, offset: f32, plane: &Plane| {
        HalfSpace::new(normal, offset).unwrap().classify(&Pose::IDENTITY, plane)
    };
    let ground = Plane::new(Vec3::Y, 1.0).unwrap();
    assert_eq!(side(Vec3::Y, 1.0, &ground), PlaneSide::Straddling);
    assert_eq!(side(Vec3::Y, 1.0_f32.next_down(), &ground), PlaneSide::Behind);
    assert_eq!(side(Vec3::NEG_Y, -1.0, &ground), PlaneSide::Straddling);
    assert_eq!(side(Vec3::NEG_Y, (-1.0_f32).next_down(), &ground), PlaneSide::Front);
    assert_eq!(side(Vec3::NEG_Y, 5.0, &ground), PlaneSide::Straddling);
    assert_eq!(side(Vec3::new(1e-30, 1.0, 0.0), -9.0, &ground), PlaneSide::Straddling);
}

/// Bounds never cut off a bit of the exact shape, whatever the rotation.
#[test]
fn bounds_hold_the_exact_shape() {
    let mut draw = Draw(8);
    let (mut tight, mut bounded) = (0, 0);
    for round in 0..6000 {
        let (cuboid, capsule, pose) = (draw.cuboid(), draw.capsule(), draw.pose());
        let rotation = ExactRotation::from(pose.rotation());
        let (a, b) = (rotation.rotate(&exact(capsule.a())), rotation.rotate(&exact(capsule.b())));
        let r = rotation.norm.clone() * number(capsule.radius());
        for axis in 0..3 {
            let above = |bound: f32| {
                (number(bound) - number(pose.position()[axis])) * rotation.norm.clone()
            };
            let h = exact(cuboid.half_extents());
            let reach = (0..3).fold(Exact::ZERO, |sum, j| {
                sum + rotation.columns[j].0[axis].abs() * h.0[j].clone()
            });
            let bounds = cuboid.aabb(&pose);
            let context = format!("{round}: {cuboid:?} {capsule:?} {pose:?}");
            assert!(above(bounds.max()[axis]) >= reach, "{context}");
            assert!(above(bounds.min()[axis]) <= -reach.clone(), "{context}");
            tight += usize::from(above(bounds.max()[axis].next_down()) < reach);

            let bounds = capsule.aabb(&pose);
            let (a, b) = (a.0[axis].clone(), b.0[axis].clone());
            assert!(above(bounds.max()[axis]) >= a.clone().max(b.clone()) + r.clone(), "{context}");
            assert!(above(bounds.min()[axis]) <= a.min(b) - r.clone(), "{context}");
        }
        let Ok(half_space) = HalfSpace::new(draw.vector(), draw.coordinate()) else { continue };
        let normal = rotation.rotate(&exact(half_space.normal()));
        let bounds = half_space.aabb(&pose);
        for axis in 0..3 {
            let offset = rotation.norm.clone() * number(half_space.offset());
            let height = |bound: f32| {
                normal.0[axis].clone() * (number(bound) - number(pose.position()[axis]))
            };
            for bound in [bounds.min()[axis], bounds.max()[axis]] {
                if bound.is_finite() {
                    bounded += 1;
                    assert!(height(bound) >= offset, "{round}: {half_space:?} {pose:?}");
                    let others = [normal.0[(axis + 1) % 3].sign(), normal.0[(axis + 2) % 3].sign()];
                    assert_eq!(others, [Ordering::Equal; 2], "{round}");
                }
            }
        }
    }
    // Almost all bounds are the tightest in f32; bounded half-spaces did occur.
    assert!(tight > 15_000 && bounded > 25, "{tight} {bounded}");
}

/// A floor that is only turned about its own normal keeps its bound.
#[test]
fn a_yawed_floor_is_bounded_above() {
    let floor = HalfSpace::new(Vec3::Y, 1.0).unwrap();
    let yawed = Pose::new(Vec3::ZERO, Quat::from_xyzw(0.0, 0.3, 0.0, 0.9)).unwrap();
    assert_eq!(floor.aabb(&yawed).max().y.to_bits(), 1.0_f32.to_bits());
    let tilted = Pose::new(Vec3::ZERO, Quat::from_xyzw(1e-30, 0.3, 0.0, 0.9)).unwrap();
    assert_eq!(floor.aabb(&tilted), Aabb::EVERYTHING);
}
