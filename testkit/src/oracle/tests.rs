use glam::{DVec3, Quat};
use impinge_shapes::{Aabb, Plane, PlaneSide};

use super::{curved::Outcome, *};
use crate::{check::case_factor, claims::sweep::draw, generate::Kind, rng::Rng};

fn at(x: f32, y: f32, z: f32) -> Pose {
    Pose::from_position(Vec3::new(x, y, z)).unwrap()
}

fn turned(x: f32, y: f32, z: f32, rotation: [f32; 4]) -> Pose {
    Pose::new(Vec3::new(x, y, z), Quat::from_array(rotation)).unwrap()
}

/// A turn around z whose matrix is that of the 3-4-5 triangle.
const TURN_345: [f32; 4] = [0.0, 0.0, 1.0, 2.0];

fn cuboid(x: f32, y: f32, z: f32) -> Shape {
    Shape::cuboid(Vec3::new(x, y, z)).unwrap()
}

fn next_up(x: f32) -> f32 {
    x.next_up()
}

#[test]
fn boxes_touch_to_the_last_bit() {
    // The turned box reaches 5·3/5 + 10·4/5 = 11 along x, at y = 2.
    let (a, b) = (cuboid(1.0, 4.0, 1.0), cuboid(5.0, 10.0, 1.0));
    let touching = turned(12.0, 0.0, 0.0, TURN_345);
    assert_eq!(overlaps(&a, &Pose::IDENTITY, &b, &touching), Some(true));
    let d = distance(&a, &Pose::IDENTITY, &b, &touching).unwrap();
    assert!(d.abs() <= 0.0, "{d}");
    let apart = turned(next_up(12.0), 0.0, 0.0, TURN_345);
    assert_eq!(overlaps(&a, &Pose::IDENTITY, &b, &apart), Some(false));
    assert_eq!(distance(&a, &Pose::IDENTITY, &b, &apart), None);
}

#[test]
fn flat_boxes_in_one_plane_can_be_apart() {
    // Crossing axes of the frames say nothing about two segments in one plane.
    let segment = cuboid(1.0, 0.0, 0.0);
    let other = turned(0.0, 3.0, 0.0, [0.5, 0.25, 0.125, 1.0]);
    assert_eq!(overlaps(&segment, &at(5.0, 0.0, 0.0), &segment, &Pose::IDENTITY), Some(false));
    assert_eq!(overlaps(&segment, &at(2.0, 0.0, 0.0), &segment, &Pose::IDENTITY), Some(true));
    let point = cuboid(0.0, 0.0, 0.0);
    assert_eq!(overlaps(&point, &at(1.0, 2.0, 3.0), &point, &at(1.0, 2.0, 3.0)), Some(true));
    assert_eq!(overlaps(&point, &at(1.0, 2.0, 3.0), &point, &other), Some(false));
    let square = cuboid(1.0, 1.0, 0.0);
    let diagonal = turned(4.0, 0.0, 0.0, TURN_345);
    assert_eq!(overlaps(&square, &Pose::IDENTITY, &square, &diagonal), Some(false));
    let closer = turned(2.0, 0.0, 0.0, TURN_345);
    assert_eq!(overlaps(&square, &Pose::IDENTITY, &square, &closer), Some(true));
}

#[test]
fn round_shapes_know_their_distances() {
    let sphere = Shape::sphere(1.0).unwrap();
    let far = distance(&sphere, &Pose::IDENTITY, &sphere, &at(3.0, 4.0, 0.0)).unwrap();
    assert!((far - 3.0).abs() < 1e-15, "{far}");
    let capsule = Shape::capsule_along_y(2.0, 0.5).unwrap();
    let beside = distance(&capsule, &Pose::IDENTITY, &sphere, &at(3.0, 1.0, 0.0)).unwrap();
    assert!((beside - 1.5).abs() < 1e-15, "{beside}");
    let above = distance(&capsule, &Pose::IDENTITY, &sphere, &at(3.0, 6.0, 0.0)).unwrap();
    assert!((above - 3.5).abs() < 1e-15, "{above}");
    let inside = distance(&cuboid(1.0, 2.0, 3.0), &Pose::IDENTITY, &sphere, &at(0.5, 0.0, 0.0));
    assert!((inside.unwrap() + 1.5).abs() < 1e-15, "{inside:?}");
    let crossing = turned(3.0, 0.0, 0.0, [0.0, 0.0, 1.0, 1.0]);
    let end = distance(&capsule, &Pose::IDENTITY, &capsule, &crossing).unwrap();
    assert!(end.abs() < 1e-15, "{end}");
    assert_eq!(overlaps(&capsule, &Pose::IDENTITY, &capsule, &crossing), Some(true));
    let beyond = turned(next_up(3.0), 0.0, 0.0, [0.0, 0.0, 1.0, 1.0]);
    assert_eq!(overlaps(&capsule, &Pose::IDENTITY, &capsule, &beyond), Some(false));
    let wall = cuboid(1.0, 8.0, 8.0);
    let wall_distance = distance(&wall, &at(-3.0, 0.0, 0.0), &capsule, &crossing).unwrap();
    assert!((wall_distance - 2.5).abs() < 1e-15, "{wall_distance}");
}

fn hit(sweep: &Sweep) -> f64 {
    match sweep {
        Sweep::Hit { time, .. } => time.to_f64(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn sweeps_stop_at_the_touch() {
    let (sphere, unit) = (Shape::sphere(1.0).unwrap(), cuboid(1.0, 1.0, 1.0));
    let go = |shape: &Shape, pose: &Pose, way: Vec3| {
        sweep(shape, pose, way, &unit, &Pose::IDENTITY).unwrap()
    };
    let right = Vec3::new(8.0, 0.0, 0.0);
    assert!((hit(&go(&sphere, &at(-4.0, 0.0, 0.0), right)) - 0.25).abs() < 1e-15);
    assert!((hit(&go(&unit, &at(-4.0, 0.0, 0.0), right)) - 0.25).abs() < 1e-15);
    // Past an edge, the sphere touches where its centre is 1 from it: √(1 − 0.36) = 0.8 before.
    let past = hit(&go(&sphere, &at(-4.0, 1.6, 0.0), right));
    assert!((past - 2.2 / 8.0).abs() < 1e-7, "{past}");
    let Sweep::Hit { incidence, .. } = go(&sphere, &at(-4.0, 1.6, 0.0), right) else { panic!() };
    assert!((incidence - 0.8).abs() < 1e-7, "{incidence}");
    assert!(hit(&go(&sphere, &at(-4.0, 2.0, 0.0), right)) > 0.25);
    assert!(matches!(go(&sphere, &at(-4.0, next_up(2.0), 0.0), right), Sweep::Miss));
    assert!(matches!(go(&unit, &at(-4.0, 2.0, 0.0), right), Sweep::Hit { .. }));
    assert!(matches!(go(&unit, &at(0.5, 0.0, 0.0), right), Sweep::StartOverlapping));
    let touching = |way| go(&unit, &at(-2.0, 0.0, 0.0), way);
    assert!(matches!(touching(Vec3::X), Sweep::StartTouching { enters: Some(true) }));
    assert!(matches!(touching(Vec3::Y), Sweep::StartTouching { enters: Some(false) }));
    assert!(matches!(touching(-Vec3::X), Sweep::StartTouching { enters: Some(false) }));
    let touching = |way| go(&sphere, &at(-2.0, 0.0, 0.0), way);
    assert!(matches!(touching(Vec3::X), Sweep::StartTouching { enters: Some(true) }));
    assert!(matches!(touching(Vec3::Y), Sweep::StartTouching { enters: Some(false) }));
    // One step short of the box.
    assert!(matches!(go(&unit, &at(-4.0, 0.0, 0.0), Vec3::X * next_up(-2.0).abs()), Sweep::Miss));
}

#[test]
fn rays_graze() {
    let cast = |shape: &Shape, origin: Vec3, max: f32| {
        let ray = Ray::new(origin, Vec3::X).unwrap();
        raycast(shape, &turned(0.0, 0.0, 0.0, TURN_345), &ray, max).unwrap().map(|t| t.to_f64())
    };
    // Turned by 3-4-5, the box of half extents 5 and 10 reaches 5·4/5 + 10·3/5 = 10 along y.
    let shape = cuboid(5.0, 10.0, 1.0);
    assert!(cast(&shape, Vec3::new(-20.0, 10.0, 1.0), f32::INFINITY).is_some());
    assert!(cast(&shape, Vec3::new(-20.0, next_up(10.0), 0.0), f32::INFINITY).is_none());
    assert_eq!(cast(&shape, Vec3::new(1.0, 0.0, -1.0), 0.0), Some(0.0));
    assert_eq!(cast(&shape, Vec3::new(20.0, 0.0, 0.0), f32::INFINITY), None);
    let sphere = Shape::sphere(2.0).unwrap();
    assert_eq!(cast(&sphere, Vec3::new(-5.0, 0.0, 0.0), 3.0), Some(3.0));
    assert_eq!(cast(&sphere, Vec3::new(-5.0, 0.0, 0.0), 3.0_f32.next_down()), None);
    assert_eq!(cast(&sphere, Vec3::new(-5.0, 2.0, 0.0), 8.0), Some(5.0));
}

#[test]
fn planes_touch() {
    let plane = Plane::new(Vec3::Y, 2.0).unwrap();
    let side = |shape: &Shape, y: f32| side_of_plane(shape, &at(0.0, y, 0.0), &plane).unwrap();
    for shape in [cuboid(3.0, 1.0, 3.0), Shape::capsule_along_y(0.5, 0.5).unwrap()] {
        assert_eq!(side(&shape, 3.0), PlaneSide::Straddling);
        assert_eq!(side(&shape, next_up(3.0)), PlaneSide::Front);
        assert_eq!(side(&shape, 1.0), PlaneSide::Straddling);
        assert_eq!(side(&shape, 1.0_f32.next_down()), PlaneSide::Behind);
    }
    let flat = Aabb::new(Vec3::new(0.0, 2.0, 0.0), Vec3::new(1.0, 2.0, 1.0)).unwrap();
    assert_eq!(side_of_aabb(&flat, &plane), PlaneSide::Straddling);
    let floor = Shape::half_space(Vec3::Y, 1.0).unwrap();
    let unit = cuboid(1.0, 1.0, 1.0);
    assert_eq!(overlaps(&floor, &at(0.0, 1.0, 0.0), &unit, &at(0.0, 3.0, 0.0)), Some(true));
    let above = at(0.0, next_up(3.0), 0.0);
    assert_eq!(overlaps(&floor, &at(0.0, 1.0, 0.0), &unit, &above), Some(false));
    let gap = distance(&unit, &at(0.0, 5.5, 0.0), &floor, &at(0.0, 1.0, 0.0)).unwrap();
    assert!((gap - 2.5).abs() < 1e-15, "{gap}");
    let ray = Ray::new(Vec3::new(0.0, 4.0, 0.0), Vec3::NEG_Y).unwrap();
    let hit = raycast(&floor, &at(0.0, 1.0, 0.0), &ray, 2.0).unwrap();
    assert!((hit.unwrap().to_f64() - 2.0).abs() < 1e-15);
    assert_eq!(contains_point(&floor, &at(0.0, 1.0, 0.0), Vec3::new(9.0, 2.0, 0.0)), Some(true));
}

#[test]
fn movement_is_cut_axis_by_axis() {
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE).unwrap();
    let wall = Aabb::new(Vec3::new(3.0, 0.0, 0.0), Vec3::new(4.0, 1.0, 1.0)).unwrap();
    let clamp = |movement: Vec3, obstacles: &[Aabb]| {
        DVec3::from_array(clamp_movement(&unit, movement, obstacles).map(|x| x.to_f64()))
    };
    assert_eq!(clamp(Vec3::new(5.0, 5.0, -5.0), &[wall]), DVec3::new(2.0, 5.0, -5.0));
    assert_eq!(clamp(Vec3::new(-5.0, 0.0, 0.0), &[wall]), DVec3::new(-5.0, 0.0, 0.0));
    // Touching from the side overlaps nowhere strictly.
    let beside = Aabb::new(Vec3::new(3.0, 1.0, 0.0), Vec3::new(4.0, 2.0, 1.0)).unwrap();
    assert_eq!(clamp(Vec3::new(5.0, 0.0, 0.0), &[beside]), DVec3::new(5.0, 0.0, 0.0));
    assert_eq!(clamp(Vec3::new(5.0, 5.0, 5.0), &[unit]), DVec3::splat(5.0));
    let swept = sweep_aabbs(&unit, Vec3::new(4.0, 0.0, 0.0), &wall);
    assert!((hit(&swept) - 0.5).abs() < 1e-15);
}

/// Triangles that are met after another are left out, and no others.
#[test]
fn of_a_surface_the_first_hit_is_that_of_all_triangles() {
    let (mut left_out, mut hits) = (0, 0);
    for index in 0..600 * case_factor() {
        let case = draw(index, Kind::Cuboid, Kind::TriangleMesh, &mut Rng::stream(0x1a7e, index));
        let (pair, way) = (&case.pair, case.displacement);
        let Shape::TriangleMesh(mesh) = &pair.b else { panic!("no mesh") };
        let sweep = |target: &Shape| {
            outcomes(&pair.a, &pair.pose_a, way, target, &pair.pose_b).expect("it has an oracle")
        };
        let count = u32::try_from(mesh.triangles().len()).expect("meshes are small");
        let triangles = (0..count).filter_map(|part| mesh.triangle(part));
        let alone: Vec<_> = triangles.flat_map(|triangle| sweep(&triangle.into())).collect();
        let together = sweep(&pair.b);
        let end = |outcome: &Outcome| match outcome {
            Outcome::Hit { time, .. } => time.high,
            _ => f64::INFINITY,
        };
        let first = alone.iter().map(end).fold(f64::INFINITY, f64::min);
        let found = together.iter().map(end).fold(f64::INFINITY, f64::min);
        assert_eq!(found.to_bits(), first.to_bits(), "stream {index}: {case:?}");
        assert_eq!(together.len(), alone.len(), "stream {index}");
        for (one, other) in alone.iter().zip(&together).filter(|(one, other)| one != other) {
            assert_eq!(*other, Outcome::Miss, "stream {index}: {one:?} of {case:?}");
            assert!(end(one) > first && end(one).is_finite(), "stream {index}: {one:?}");
            left_out += 1;
        }
        hits += u32::from(first.is_finite());
    }
    assert!(hits > 50 && left_out > 50, "{hits} hits, {left_out} left out");
}
