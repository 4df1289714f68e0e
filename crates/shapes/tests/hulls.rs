//! Queries on convex hulls: against boxes and capsules, and against other formulas in exact
//! arithmetic, on numbers made to touch.

#![expect(clippy::unwrap_used, reason = "a value that cannot be made is a failed test")]

mod common;

use std::cmp::Ordering;

use common::Draw;
use glam::{DVec3, Quat, Vec3};
use impinge_shapes::exact::{Exact, ExactRotation, ExactVec3};
use impinge_shapes::{
    Capsule, ConvexHull, Cuboid, MassProperties, Plane, PlaneSide, Pose, Ray, RayOptions,
    ShapeRayHit, StartedInside,
};

impl Draw {
    /// Rotations of a cube, their close neighbours, and any others, of any length.
    fn rotation(&mut self) -> Quat {
        loop {
            let mut part = || [1.0, -1.0, 0.0, 0.0][usize::from(self.below(4))];
            let exact = Quat::from_xyzw(part(), part(), part(), part());
            let off = Quat::from_xyzw(self.unit(), self.unit(), self.unit(), self.unit());
            let scale = [1.0, 1e-30, 1e30, 0.7][usize::from(self.below(4))];
            let q = match self.below(5) {
                0 => off,
                1 => exact + off * 1e-7,
                _ => exact,
            };
            if Pose::new(Vec3::ZERO, q * scale).is_ok() {
                return q * scale;
            }
        }
    }

    fn pose(&mut self) -> Pose {
        if self.below(3) > 0 {
            return self.cube_pose();
        }
        Pose::new(self.vector(), self.rotation()).unwrap()
    }

    /// A small multiple of a half on each axis.
    fn lattice(&mut self) -> Vec3 {
        let mut coordinate = || f32::from(self.below(9)) * 0.5 - 2.0;
        Vec3::new(coordinate(), coordinate(), coordinate())
    }

    /// A step on the lattice and a turn of a cube, which round no point of the lattice.
    fn cube_pose(&mut self) -> Pose {
        loop {
            if let Ok(pose) = Pose::new(self.lattice(), self.rotation())
                && pose.permutes_axes()
            {
                return pose;
            }
        }
    }

    /// A ray that passes a point of the hull, or one nearby.
    fn ray(&mut self, hull: &ConvexHull, pose: &Pose) -> Ray {
        let vertices = hull.vertices();
        loop {
            let mut vertex = || vertices[usize::from(self.below(1000)) % vertices.len()];
            let (a, b, c) = (vertex(), vertex(), vertex());
            let local =
                [a, (a + b) * 0.5, (a + b + c) / 3.0, a + b - c][usize::from(self.below(4))];
            let along = match self.below(4) {
                0 => a - b,
                1 => self.vector(),
                // Components of equal magnitude stay so at unit length.
                _ => self.lattice().round().clamp(Vec3::NEG_ONE, Vec3::ONE),
            };
            let beside = if self.below(3) == 0 { self.vector() * 0.25 } else { Vec3::ZERO };
            let target = pose.transform_point(local) + beside;
            let direction = pose.transform_vector(along);
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

    fn max_distance(&mut self) -> f32 {
        if self.below(2) == 0 { f32::INFINITY } else { self.coordinate().abs() * 4.0 }
    }

    /// A hull of few or many points.
    fn hull(&mut self) -> ConvexHull {
        let count = [3, 4, 5, 8, 12, 40][usize::from(self.below(6))];
        let kind = self.below(3);
        let mut point = || match kind {
            0 => self.lattice(),
            1 => self.vector(),
            _ => self.direction() * 1.5,
        };
        let points: Vec<Vec3> = (0..count).map(|_| point()).collect();
        ConvexHull::new(&points).unwrap()
    }

    fn direction(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(self.unit(), self.unit(), self.unit());
            if (0.01..1.0).contains(&v.length_squared()) {
                return v / v.length();
            }
        }
    }
}

fn options() -> [RayOptions; 3] {
    [StartedInside::Hit, StartedInside::Skip, StartedInside::Exit]
        .map(|started_inside| RayOptions { started_inside, ..RayOptions::default() })
}

fn number(x: f32) -> Exact {
    Exact::from(x)
}

/// A hull or a ray in the world, exactly, all times the rotation's norm.
struct World {
    rotation: ExactRotation,
    position: ExactVec3,
}

impl World {
    fn new(pose: &Pose) -> Self {
        let rotation = ExactRotation::from(pose.rotation());
        let position = ExactVec3::from(pose.position()).scale(&rotation.norm);
        Self { rotation, position }
    }

    fn of_hull(&self, point: Vec3) -> ExactVec3 {
        self.rotation.rotate(&point.into()).plus(&self.position)
    }

    fn of_world(&self, point: Vec3) -> ExactVec3 {
        ExactVec3::from(point).scale(&self.rotation.norm)
    }
}

/// The corners of the hull's faces, cut into triangles.
fn triangles(hull: &ConvexHull) -> Vec<[Vec3; 3]> {
    let at = |v: u32| hull.vertices()[v as usize];
    hull.faces()
        .flat_map(|face| {
            let (first, rest) = face.vertices.split_first().unwrap();
            rest.windows(2).map(move |pair| [at(*first), at(pair[0]), at(pair[1])])
        })
        .collect()
}

/// Whether a ray meets a triangle that it is not parallel to, no farther than `max`.
///
/// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.3.4, by signed volumes.
fn ray_meets_triangle(
    from: &ExactVec3,
    step: &ExactVec3,
    corners: [ExactVec3; 3],
    max: f32,
) -> bool {
    let [a, b, c] = corners.map(|corner| corner.minus(from));
    let normal = b.minus(&a).cross(&c.minus(&a));
    let (slope, height) = (normal.dot(step), normal.dot(&a));
    if slope.sign() == Ordering::Equal {
        return false;
    }
    let sides = [(&a, &b), (&b, &c), (&c, &a)].map(|(u, v)| step.dot(&u.cross(v)).sign());
    let all = |sign: Ordering| sides.iter().all(|&side| side == sign || side.is_eq());
    let negative = slope.sign() == Ordering::Less;
    let (slope, height) = if negative { (-slope, -height) } else { (slope, height) };
    let reached = max.is_infinite() || height <= slope * number(max);
    (all(Ordering::Greater) || all(Ordering::Less)) && height.sign().is_ge() && reached
}

/// The reported distance is the exact one within an ulp, decided exactly: a ray that ends an ulp
/// later arrives, one that ends two ulps earlier does not.
fn assert_distance(hull: &ConvexHull, pose: &Pose, ray: &Ray, hit: &ShapeRayHit, context: &str) {
    let [_, skip, exit] = options();
    let options = if hit.started_inside { exit } else { skip };
    let beyond = hull.raycast(pose, ray, hit.distance.next_up(), &options);
    assert_eq!(beyond.as_ref(), Some(hit), "{context}");
    let short = hit.distance.next_down().next_down();
    assert_eq!(hull.raycast(pose, ray, short, &options), None, "{context}");
}

/// The hit lies on a face of its normal, which the ray enters, or leaves from inside.
fn assert_normal(hull: &ConvexHull, pose: &Pose, ray: &Ray, hit: &ShapeRayHit, context: &str) {
    let (m, size) = (pose.rotation_matrix(), 16.0);
    let found = hull.faces().any(|face| {
        let normal = m * face.normal;
        let corner = m * hull.vertices()[face.vertices[0] as usize].as_dvec3();
        let height = normal.dot(hit.point.as_dvec3() - pose.translation() - corner);
        let speed = normal.dot(ray.direction().as_dvec3());
        let through = if hit.started_inside { speed } else { -speed };
        let same = (normal - hit.normal.as_dvec3()).abs().max_element() < 1e-7;
        same && height.abs() < size * 1e-6 && through > -1e-7
    });
    assert!(found, "{context}: {hit:?}");
}

#[test]
fn rays_meet_solid_hulls_exactly_when_they_meet_a_triangle() {
    let mut draw = Draw(1);
    let (mut counts, mut inside) = ([0; 2], 0);
    for round in 0..3000 {
        let (hull, pose, max) = (draw.hull(), draw.pose(), draw.max_distance());
        if hull.dimension() < 3 {
            continue;
        }
        let ray = draw.ray(&hull, &pose);
        let context = format!("{round}: {:?} {pose:?} {ray:?} {max}", hull.vertices());
        let world = World::new(&pose);
        let (from, step) = (world.of_world(ray.origin()), world.of_world(ray.direction()));
        let meets = |max: f32| {
            triangles(&hull).into_iter().any(|corners| {
                let corners = corners.map(|corner| world.of_hull(corner));
                ray_meets_triangle(&from, &step, corners, max)
            })
        };
        let holds = hull.contains_point(&pose, ray.origin());
        let hits = options().map(|options| hull.raycast(&pose, &ray, max, &options));
        assert_eq!(hits[0].is_some(), holds || meets(max), "{context}");
        assert_eq!(hits[0].is_some_and(|hit| hit.started_inside), holds, "{context}");
        assert_eq!(hits[1].is_some(), !holds && meets(max), "{context}");
        counts[usize::from(hits[0].is_some())] += 1;
        inside += u32::from(holds);
        for hit in hits[2].iter().chain(&hits[1]) {
            assert_eq!(hit.started_inside, holds, "{context}");
            assert_distance(&hull, &pose, &ray, hit, &context);
            assert_normal(&hull, &pose, &ray, hit, &context);
        }
    }
    assert!(counts[0] > 300 && counts[1] > 300 && inside > 200, "{counts:?} {inside}");
}

#[test]
fn a_point_is_inside_if_it_does_not_change_the_hull() {
    let mut draw = Draw(2);
    let mut counts = [0; 2];
    for round in 0..6000 {
        let hull = draw.hull();
        let pose = draw.cube_pose();
        let moved: Vec<Vec3> = hull.vertices().iter().map(|&v| pose.transform_point(v)).collect();
        let world = World::new(&pose);
        let is_exact = |(v, w): (&Vec3, &Vec3)| world.of_hull(*v) == world.of_world(*w);
        if !hull.vertices().iter().zip(&moved).all(is_exact) {
            continue;
        }
        let (a, b) = (moved[0], moved[usize::from(draw.below(1000)) % moved.len()]);
        let point = match draw.below(4) {
            0 => draw.vector(),
            1 => (a + b) * 0.5,
            2 => b,
            _ => Vec3::new(b.x, b.y, b.z.next_up()),
        };
        let whole = ConvexHull::new(&moved).unwrap();
        let grown = ConvexHull::new(&[&moved[..], &[point]].concat()).unwrap();
        let expected = whole == grown;
        let context = format!("{round}: {:?} {pose:?} {point}", hull.vertices());
        assert_eq!(hull.contains_point(&pose, point), expected, "{context}");
        assert_eq!(whole.contains_point(&Pose::IDENTITY, point), expected, "{context}");
        counts[usize::from(expected)] += 1;
    }
    assert!(counts[0] > 500 && counts[1] > 500, "{counts:?}");
    assert!(!draw.hull().contains_point(&Pose::IDENTITY, Vec3::NAN));
}

#[test]
fn planes_see_the_vertices_that_lie_farthest_out() {
    let mut draw = Draw(3);
    let mut counts = [0; 3];
    for round in 0..6000 {
        let (hull, pose, plane) = (draw.hull(), draw.pose(), draw.plane());
        // Half of the planes touch a vertex, as well as f32 can.
        let plane = if draw.below(2) == 0 {
            Plane::through(pose.transform_point(hull.vertices()[0]), plane.normal()).unwrap()
        } else {
            plane
        };
        let world = World::new(&pose);
        let normal = ExactVec3::from(plane.normal());
        let level = number(plane.distance()) * world.rotation.norm.clone();
        let height = |&v: &Vec3| (normal.dot(&world.of_hull(v)) - level.clone()).sign();
        let all = |sign: Ordering| hull.vertices().iter().all(|v| height(v) == sign);
        let expected = if all(Ordering::Greater) {
            PlaneSide::Front
        } else if all(Ordering::Less) {
            PlaneSide::Behind
        } else {
            PlaneSide::Straddling
        };
        let context = format!("{round}: {:?} {pose:?} {plane:?}", hull.vertices());
        assert_eq!(hull.classify(&pose, &plane), expected, "{context}");
        counts[expected as usize] += 1;
    }
    assert!(counts.iter().all(|&n| n > 500), "{counts:?}");
}

#[test]
fn bounds_hold_every_vertex_and_nothing_to_spare() {
    let mut draw = Draw(4);
    let mut exact = 0;
    for round in 0..4000 {
        let (hull, pose) = (draw.hull(), draw.pose());
        let bounds = hull.aabb(&pose);
        let world = World::new(&pose);
        let moved: Vec<ExactVec3> = hull.vertices().iter().map(|&v| world.of_hull(v)).collect();
        for axis in 0..3 {
            let context = format!("{round}, axis {axis}: {:?} {pose:?}", hull.vertices());
            let scaled = |x: f32| number(x) * world.rotation.norm.clone();
            let (low, high) = (bounds.min()[axis], bounds.max()[axis]);
            let along = || moved.iter().map(|v| &v.0[axis]);
            assert!(along().all(|x| scaled(low) <= *x && *x <= scaled(high)), "{context}");
            // An ulp of f32 at the place, or of f64 at the largest coordinate.
            let slack = if pose.permutes_axes() { 0.0 } else { 1e-12 };
            let slack = Exact::from(slack) * world.rotation.norm.clone();
            let (inner_low, inner_high) = (scaled(low.next_up()), scaled(high.next_down()));
            assert!(along().any(|x| *x <= inner_low.clone() + slack.clone()), "{context}");
            assert!(along().any(|x| *x >= inner_high.clone() - slack.clone()), "{context}");
        }
        exact += u32::from(pose.permutes_axes());
    }
    assert!(exact > 500, "{exact}");
}

#[test]
fn supports_are_the_first_of_the_farthest_vertices() {
    let mut draw = Draw(5);
    let sphere: Vec<Vec3> = (0..700).map(|_| draw.direction()).collect();
    // Long straight edges and many vertices with equal coordinates.
    let prism: Vec<Vec3> =
        sphere.iter().flat_map(|v| [Vec3::new(v.x, v.y, -3.0), Vec3::new(v.x, v.y, 3.0)]).collect();
    let large = [ConvexHull::new(&sphere).unwrap(), ConvexHull::new(&prism).unwrap()];
    assert!(large.iter().all(|hull| hull.vertices().len() > 64));
    let mut ties = 0;
    for round in 0..3000 {
        let small = draw.hull();
        let hull = if round % 5 < 2 { &large[round % 5] } else { &small };
        let face = hull
            .face(u32::from(draw.below(1000)) % u32::try_from(hull.face_count().max(1)).unwrap());
        let direction = match draw.below(6) {
            0 => face.map_or(DVec3::ZERO, |face| face.normal),
            1 => Vec3::AXES[usize::from(draw.below(3))].as_dvec3() * f64::from(draw.unit()),
            2 => draw.vector().as_dvec3() * 1e300,
            3 => draw.vector().as_dvec3() * 1e-310,
            4 => DVec3::new(f64::from(draw.unit()), f64::INFINITY, f64::NAN),
            _ => draw.vector().as_dvec3(),
        };
        let finite =
            DVec3::from_array(direction.to_array().map(|x| if x.is_finite() { x } else { 0.0 }));
        let along = |v: u32| ExactVec3::from(hull.vertices()[v as usize]).dot(&finite.into());
        let (mut expected, mut equal) = (0, 0);
        for v in 1..u32::try_from(hull.vertices().len()).unwrap() {
            match along(v).cmp(&along(expected)) {
                Ordering::Greater => (expected, equal) = (v, 0),
                Ordering::Equal => equal += 1,
                Ordering::Less => {}
            }
        }
        ties += u32::from(equal > 0);
        assert_eq!(hull.support_vertex(direction), expected, "{round}: {direction}");
        let start = u32::from(draw.below(2000));
        assert_eq!(hull.support_vertex_from(direction, start), expected, "{round}: {direction}");
        let vertex = hull.vertices()[expected as usize].as_dvec3();
        assert_eq!(hull.support(direction), vertex, "{round}");
    }
    assert!((300..2700).contains(&ties), "{ties}");
}

fn cuboid_hull(draw: &mut Draw) -> (Cuboid, ConvexHull) {
    let mask = [Vec3::ONE, Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.0, 0.0, 1.0), Vec3::ZERO]
        [usize::from(draw.below(60).saturating_sub(56))];
    let cuboid = Cuboid::new(draw.vector().abs() * mask).unwrap();
    (cuboid, ConvexHull::new(&cuboid.corners()).unwrap())
}

/// Whether two hits agree, up to which of the faces that meet at the place was named.
fn assert_same_hit(cuboid: &Cuboid, pose: &Pose, a: &ShapeRayHit, b: &ShapeRayHit, context: &str) {
    let ulps = a.distance.to_bits().abs_diff(b.distance.to_bits());
    assert!(ulps <= 1, "{context}: {a:?} {b:?}");
    assert_eq!(a.started_inside, b.started_inside, "{context}");
    if a.normal.abs_diff_eq(b.normal, 1e-6) {
        return;
    }
    // On an edge: the hit lies on the faces of both normals.
    let m = pose.rotation_matrix().transpose();
    let local = m * (a.point.as_dvec3() - pose.translation());
    let extreme = cuboid.half_extents().as_dvec3();
    for normal in [a.normal, b.normal] {
        let normal = m * normal.as_dvec3();
        let height = normal.dot(local) - normal.abs().dot(extreme);
        assert!(height.abs() < 1e-5, "{context}: {height} {a:?} {b:?}");
    }
}

#[test]
fn a_hull_of_a_boxs_corners_answers_as_the_box() {
    let mut draw = Draw(6);
    let (mut counts, mut dimensions) = ([0; 2], [0; 4]);
    for round in 0..12_000 {
        let (cuboid, hull) = cuboid_hull(&mut draw);
        let (pose, max) = (draw.pose(), draw.max_distance());
        let ray = draw.ray(&hull, &pose);
        let context = format!("{round}: {cuboid:?} {pose:?} {ray:?} {max}");
        for options in options() {
            let hit = hull.raycast(&pose, &ray, max, &options);
            let expected = cuboid.raycast(&pose, &ray, max, &options);
            assert_eq!(hit.is_some(), expected.is_some(), "{context} {options:?}");
            if let (Some(hit), Some(expected)) = (hit, expected) {
                // What has no size but in one direction looks across it; a box names a face.
                if hull.dimension() > 1 || expected.started_inside {
                    assert_same_hit(&cuboid, &pose, &hit, &expected, &context);
                }
            }
            counts[usize::from(hit.is_some())] += 1;
        }
        for point in [ray.origin(), pose.transform_point(hull.vertices()[0]), draw.vector()] {
            let holds = cuboid.contains_point(&pose, point);
            assert_eq!(hull.contains_point(&pose, point), holds, "{context} {point}");
        }
        let plane = draw.plane();
        assert_eq!(hull.classify(&pose, &plane), cuboid.classify(&pose, &plane), "{context}");
        let (a, b) = (hull.aabb(&pose), cuboid.aabb(&pose));
        let close = if pose.permutes_axes() { 0.0 } else { 1e-6 };
        assert!(a.min().abs_diff_eq(b.min(), close), "{context}: {a:?} {b:?}");
        assert!(a.max().abs_diff_eq(b.max(), close), "{context}: {a:?} {b:?}");
        assert_close(&hull.mass_properties(), &cuboid.mass_properties(), &context);
        dimensions[usize::from(hull.dimension())] += 1;
    }
    assert!(counts.iter().all(|&n| n > 5000), "{counts:?}");
    assert!(dimensions.iter().all(|&n| n > 50), "{dimensions:?}");
}

fn assert_close(a: &MassProperties, b: &MassProperties, context: &str) {
    let same = |x: f32, y: f32, size: f32| (x - y).abs() <= size * 1e-6;
    assert!(same(a.volume, b.volume, b.volume), "{context}: {a:?} {b:?}");
    let size = b.inertia.to_cols_array().iter().fold(0.0_f32, |size, x| size.max(x.abs()));
    let center = a.center_of_mass.abs_diff_eq(b.center_of_mass, 1e-6);
    let pairs = a.inertia.to_cols_array().into_iter().zip(b.inertia.to_cols_array());
    let inertia = pairs.into_iter().all(|(x, y)| same(x, y, size));
    assert!(center && inertia, "{context}: {a:?} {b:?}");
}

#[test]
fn a_segment_and_a_point_answer_as_capsules_without_radius() {
    let mut draw = Draw(7);
    let (mut counts, mut holds) = ([0; 2], 0);
    for round in 0..8000 {
        let end = |draw: &mut Draw| if round % 3 == 0 { draw.vector() } else { draw.lattice() };
        let a = end(&mut draw);
        let b = if round % 4 == 0 { a } else { end(&mut draw) };
        let hull = ConvexHull::new(&[a, b]).unwrap();
        let capsule = Capsule::new(a, b, 0.0).unwrap();
        let (pose, max) = (draw.pose(), draw.max_distance());
        let ray = draw.ray(&hull, &pose);
        let context = format!("{round}: {capsule:?} {pose:?} {ray:?} {max}");
        for options in options() {
            let hit = hull.raycast(&pose, &ray, max, &options);
            let expected = capsule.raycast(&pose, &ray, max, &options);
            assert_eq!(hit.is_some(), expected.is_some(), "{context} {options:?}");
            counts[usize::from(hit.is_some())] += 1;
            if let (Some(hit), Some(expected)) = (hit, expected) {
                let ulps = hit.distance.to_bits().abs_diff(expected.distance.to_bits());
                assert!(ulps <= 1, "{context}: {hit:?} {expected:?}");
                assert_eq!(hit.started_inside, expected.started_inside, "{context}");
                let opposed = hit.normal.dot(ray.direction()) <= 1e-6;
                assert!(opposed || hit.started_inside, "{context}: {hit:?}");
                assert!((hit.normal.length() - 1.0).abs() < 1e-6, "{context}: {hit:?}");
            }
        }
        for point in [ray.origin(), pose.transform_point(b), pose.transform_point((a + b) * 0.5)] {
            let expected = capsule.contains_point(&pose, point);
            assert_eq!(hull.contains_point(&pose, point), expected, "{context} {point}");
            holds += u32::from(expected);
        }
        let plane = Plane::through(pose.transform_point(a), draw.direction()).unwrap();
        assert_eq!(hull.classify(&pose, &plane), capsule.classify(&pose, &plane), "{context}");
    }
    assert!(counts.iter().all(|&n| n > 2000) && holds > 3000, "{counts:?} {holds}");
}

#[test]
fn a_ray_in_a_polygons_plane_hits_as_if_it_were_thick() {
    let mut draw = Draw(8);
    let mut counts = [0; 2];
    for round in 0..3000 {
        let mut flat = || Vec3::new(draw.coordinate(), draw.coordinate(), 0.0);
        let corners: Vec<Vec3> = (0..6).map(|_| flat()).collect();
        let (from, to) = (flat(), flat());
        let Ok(ray) = Ray::new(from - (to - from) * 2.0, to - from) else { continue };
        let hull = ConvexHull::new(&corners).unwrap();
        let thick: Vec<Vec3> = corners.iter().flat_map(|&c| [c - Vec3::Z, c + Vec3::Z]).collect();
        let thick = ConvexHull::new(&thick).unwrap();
        if hull.dimension() != 2 {
            continue;
        }
        let max = draw.max_distance();
        for options in options() {
            let hit = hull.raycast(&Pose::IDENTITY, &ray, max, &options);
            let expected = thick.raycast(&Pose::IDENTITY, &ray, max, &options);
            let context = format!("{round}: {corners:?} {ray:?} {max} {options:?}");
            assert_eq!(hit.is_some(), expected.is_some(), "{context}");
            if let (Some(hit), Some(expected)) = (hit, expected) {
                let ulps = hit.distance.to_bits().abs_diff(expected.distance.to_bits());
                assert!(ulps <= 1, "{context}: {hit:?} {expected:?}");
                assert_eq!(hit.started_inside, expected.started_inside, "{context}");
                // In the plane, and across one of the sides.
                assert!(hit.started_inside || hit.normal.z.abs() <= 0.0, "{context} {hit:?}");
                counts[1] += 1;
            } else {
                counts[0] += 1;
            }
        }
    }
    assert!(counts.iter().all(|&n| n > 1000), "{counts:?}");
}

#[test]
fn masses_are_those_of_the_textbook() {
    // The corner tetrahedron: volume 1/6, centre 1/4, ∫x² = 1/60 and ∫xy = 1/120 about the corner.
    let corner = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    for (scale, at) in [(1.0_f32, Vec3::ZERO), (8.0, Vec3::new(4096.0, -8192.0, 65536.0))] {
        let points = corner.map(|v| v * scale + at);
        let mass = ConvexHull::new(&points).unwrap().mass_properties();
        let cube = scale * scale * scale;
        assert!((mass.volume / cube - 1.0 / 6.0).abs() < 1e-7, "{mass:?}");
        let center = at + Vec3::splat(scale / 4.0);
        assert_eq!(mass.center_of_mass, center, "{mass:?}");
        let about_center = [2.0 / 60.0 - 2.0 / 96.0, 1.0 / 96.0 - 1.0 / 120.0];
        let unit = mass.inertia * (1.0 / (cube * scale * scale));
        assert!((unit.x_axis.x - about_center[0]).abs() < 1e-8, "{mass:?}");
        assert!((unit.x_axis.y - about_center[1]).abs() < 1e-8, "{mass:?}");
        assert!((unit.y_axis.z - about_center[1]).abs() < 1e-8, "{mass:?}");
    }
    // Three quarters of an L: the centroid of the area, not the mean of the corners.
    let flat = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (2.0, 2.0), (0.0, 2.0)]
        .map(|(x, y)| Vec3::new(x, y, 5.0));
    let mass = ConvexHull::new(&flat).unwrap().mass_properties();
    assert_eq!(mass.volume.to_bits(), 0.0_f32.to_bits());
    // A rectangle of area 6 about (1.5, 1) without a triangle of area 1/2 about (8/3, 5/3).
    let expected = Vec3::new((9.0 - 4.0 / 3.0) / 5.5, (6.0 - 5.0 / 6.0) / 5.5, 5.0);
    assert!(mass.center_of_mass.abs_diff_eq(expected, 1e-6), "{mass:?}");
}
