//! Distances certified by the shapes' support points: the extent along the normal bounds the
//! distance from below, the witnesses bound it from above, and no direction parts deeper pairs
//! sooner than the normal does.

use impinge_narrowphase::{Relative, Separation};
use impinge_shapes::glam::{DVec3, Quat, Vec3};
use impinge_shapes::{Capsule, Cuboid, Pose, Sphere};

use crate::random::Random;
use crate::rooms::{
    Kind, Room, capsule_capsule_room, capsule_sphere_room, cuboid_sphere_room, sphere_sphere_room,
};

/// How far the two are apart along a unit direction, negative where they overlap.
fn extent<A: Kind, B: Kind>(a: &A, b: &B, b_in_a: &Relative, direction: DVec3) -> f64 {
    let far_of_a = a.support(direction);
    let near_of_b = b_in_a.point_from_b(b.support(b_in_a.vector_to_b(-direction)));
    direction.dot(near_of_b - far_of_a)
}

fn assert_certified<A: Kind, B: Kind>(
    found: &Separation,
    a: &A,
    b: &B,
    b_in_a: &Relative,
    error: f64,
    context: &str,
) {
    let along = extent(a, b, b_in_a, found.normal);
    assert!((along - found.distance).abs() <= error, "{context}: {found:?}, extent {along}");
    for x in [-1.0, -0.3, 0.0, 0.7] {
        for (y, z) in [(1.0, 0.2), (-0.4, 1.0), (0.1, -1.0), (-1.0, -0.8)] {
            let other = extent(a, b, b_in_a, DVec3::new(x, y, z).normalize());
            assert!(other <= found.distance + error, "{context}: {found:?}, extent {other}");
        }
    }
}

#[test]
fn random_pairs_are_certified() {
    fn check<A: Kind, B: Kind>(room: &Room<A, B>) {
        let (mut apart, mut deep) = (0, 0);
        for seed in 0..10_000 {
            let mut random = Random(seed);
            let whole = seed % 3 == 0;
            let (a, b) = if whole {
                (A::whole(&mut random), B::whole(&mut random))
            } else {
                (A::random(&mut random), B::random(&mut random))
            };
            let (pose_a, pose_b) = random.poses();
            let b_in_a = Relative::new(&pose_a, &pose_b);
            let found = (room.closest)(&a, &b, &b_in_a);
            let context = format!("{} seed {seed}: {a:?} {b:?} {b_in_a:?}", room.name);
            assert_certified(&found, &a, &b, &b_in_a, 1e-12, &context);
            apart += u32::from(found.distance > 0.0);
            deep += u32::from(found.distance < 0.0);
        }
        assert!(apart > 100 && deep > 100, "{}: {apart} {deep}", room.name);
    }
    check(&sphere_sphere_room());
    check(&capsule_sphere_room());
    check(&cuboid_sphere_room());
    check(&capsule_capsule_room());
}

#[test]
fn nearly_parallel_capsules_are_certified_at_every_angle() {
    let room = capsule_capsule_room();
    let (mut apart, mut deep) = (0, 0);
    for seed in 0..10_000 {
        let mut random = Random(seed);
        let angle = 2.0_f32.powi(-i32::from(random.whole(0, 50)));
        let a = Capsule::along_y(2.0, 0.25).unwrap();
        let (low, high) = (random.grid(2, 8), random.grid(2, 8));
        let b = Capsule::new(Vec3::Y * low, Vec3::Y * high, 0.5).unwrap();
        let gap = random.pick(&[0.0, 1e-12, 1e-6, 0.75, 0.75, 2.0]);
        let tilt = Quat::from_xyzw(random.grid(1, 8) * angle, 0.0, random.grid(1, 8) * angle, 1.0);
        let turn = random.rotation();
        let pose_a = Pose::new(Vec3::ZERO, turn).unwrap();
        let turned = Pose::new(Vec3::ZERO, tilt).unwrap();
        let lift = Pose::from_position(Vec3::new(gap, random.grid(2, 8), 0.0)).unwrap();
        let pose_b = pose_a.compose(&lift).compose(&turned);
        let b_in_a = Relative::new(&pose_a, &pose_b);
        let found = (room.closest)(&a, &b, &b_in_a);
        let context = format!("seed {seed}: {b:?} {b_in_a:?}");
        // Along the valley between parallel cores the distance tells places apart only to the root
        // of its own error, and the normal turns with the place.
        assert_certified(&found, &a, &b, &b_in_a, 1e-7, &context);
        let least = sampled(&a, &b, &b_in_a);
        assert!((least - found.distance).abs() < 4e-12, "{context}: {found:?} {least}");
        let back = (room.closest)(&b, &a, &b_in_a.flipped());
        assert!((back.distance - found.distance).abs() < 1e-11, "{context}: {found:?} {back:?}");
        apart += u32::from(found.distance > 0.0);
        deep += u32::from(found.distance < 0.0);
    }
    assert!(apart > 100 && deep > 100, "{apart} {deep}");
}

/// The distance of two capsules from points of A's core against B's, by ternary search, which is
/// valid because the distance is convex along the core.
fn sampled(a: &Capsule, b: &Capsule, b_in_a: &Relative) -> f64 {
    let (start, end) = (a.a().as_dvec3(), a.b().as_dvec3());
    let from = b_in_a.point_from_b(b.a().as_dvec3());
    let along = b_in_a.point_from_b(b.b().as_dvec3()) - from;
    let reach = f64::from(a.radius()) + f64::from(b.radius());
    let distance = |s: f64| {
        let point = start + (end - start) * s;
        let t = (point - from).dot(along) / along.length_squared();
        let t = if t.is_nan() { 0.0 } else { t.clamp(0.0, 1.0) };
        (from + along * t - point).length() - reach
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..90 {
        let (one, two) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if distance(one) < distance(two) { high = two } else { low = one }
    }
    distance(low).min(distance(0.0)).min(distance(1.0))
}

#[test]
fn distances_far_from_the_origin_keep_the_error_of_the_coordinates() {
    let room = cuboid_sphere_room();
    for seed in 0..1000 {
        let mut random = Random(seed);
        let far = Vec3::new(10_240.0, -10_240.0, 10_240.0);
        let (a, b) = (Cuboid::random(&mut random), Sphere::random(&mut random));
        let turn = random.rotation();
        let (near_a, near_b) = (random.grid_vec(3, 6), random.grid_vec(3, 6));
        let at = |center: Vec3| {
            let pose_a = Pose::new(center + near_a, turn).unwrap();
            let pose_b = Pose::from_position(center + near_b).unwrap();
            (room.closest)(&a, &b, &Relative::new(&pose_a, &pose_b))
        };
        // Positions on a grid lose nothing there: the same bits come out.
        assert_eq!(at(Vec3::ZERO), at(far), "seed {seed}");
    }
}
