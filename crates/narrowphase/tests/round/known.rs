//! Configurations whose answers are known.

use impinge_narrowphase::pairs::{
    capsule_capsule, capsule_half_space, capsule_sphere, cuboid_sphere, half_space_half_space,
    half_space_sphere, sphere_sphere,
};
use impinge_narrowphase::{FeatureId, Relation, Relative};
use impinge_shapes::glam::{DVec3, Quat, Vec3};
use impinge_shapes::{Capsule, Cuboid, HalfSpace, Pose, Sphere};

fn at(x: f32, y: f32, z: f32) -> Relative {
    Relative::from_b_in_a(&Pose::from_position(Vec3::new(x, y, z)).unwrap())
}

fn sphere(radius: f32) -> Sphere {
    Sphere::new(radius).unwrap()
}

fn assert_near(found: DVec3, expected: DVec3) {
    assert!((found - expected).length() < 1e-12, "{found}, not {expected}");
}

#[test]
fn concentric_spheres_part_along_x() {
    let found = sphere_sphere::closest(&sphere(1.0), &sphere(2.0), &at(0.0, 0.0, 0.0));
    assert_eq!((found.distance, found.normal), (-3.0, DVec3::X));
    let points = sphere_sphere::relation(&sphere(0.0), &sphere(0.0), &at(0.0, 0.0, 0.0));
    assert_eq!(points, Relation::Touching);
    let inner = sphere_sphere::closest(&sphere(10.0), &sphere(1.0), &at(0.0, 2.0, 0.0));
    assert_eq!((inner.distance, inner.normal), (-9.0, DVec3::Y));
}

#[test]
fn a_turned_sphere_is_the_same_sphere() {
    let turned = Pose::new(Vec3::ZERO, Quat::from_xyzw(0.3, 0.1, -0.5, 0.2)).unwrap();
    let b_in_a = Relative::new(&turned, &turned);
    let found = sphere_sphere::closest(&sphere(1.0), &sphere(1.0), &b_in_a);
    assert_near(b_in_a.vector_to_world(found.normal), DVec3::X);
}

#[test]
fn a_centre_in_a_box_leaves_by_the_nearest_face_in_order() {
    let cube = Cuboid::new(Vec3::ONE).unwrap();
    let normal = |x, y, z| cuboid_sphere::closest(&cube, &sphere(0.5), &at(x, y, z)).normal;
    assert_eq!(normal(0.0, 0.0, 0.0), DVec3::X);
    assert_eq!(normal(-0.5, 0.5, 0.5), DVec3::NEG_X);
    assert_eq!(normal(0.25, -0.5, 0.5), DVec3::NEG_Y);
    assert_eq!(normal(0.25, 0.0, -0.5), DVec3::NEG_Z);
    let found = cuboid_sphere::closest(&cube, &sphere(0.5), &at(0.0, 0.75, 0.0));
    assert_eq!((found.distance, found.point_a), (-0.75, DVec3::Y));
    assert_eq!(found.point_b, DVec3::new(0.0, 0.25, 0.0));
}

#[test]
fn issue_parry_34_a_centre_on_a_corner_edge_or_face_has_a_normal() {
    let cube = Cuboid::new(Vec3::ONE).unwrap();
    for (place, expected) in [
        (Vec3::ONE, DVec3::X),
        (Vec3::new(0.0, 1.0, 1.0), DVec3::Y),
        (Vec3::new(0.0, 0.5, -1.0), DVec3::NEG_Z),
    ] {
        let b_in_a = at(place.x, place.y, place.z);
        let found = cuboid_sphere::closest(&cube, &sphere(0.5), &b_in_a);
        assert_eq!((found.distance, found.normal), (-0.5, expected));
        let point = cuboid_sphere::relation(&cube, &sphere(0.0), &b_in_a);
        assert_eq!(point, Relation::Touching);
        assert_eq!(cuboid_sphere::relation(&cube, &sphere(1e-45), &b_in_a), Relation::Penetrating);
    }
}

#[test]
fn points_and_flat_boxes_have_no_inside() {
    let flat = Cuboid::new(Vec3::new(1.0, 0.0, 1.0)).unwrap();
    let point = |y: f32| cuboid_sphere::relation(&flat, &sphere(0.0), &at(0.5, y, 0.0));
    assert_eq!(point(0.0), Relation::Touching);
    assert_eq!(point(1e-45), Relation::Apart);
    let ball = cuboid_sphere::relation(&flat, &sphere(0.25), &at(0.5, 0.0, 0.0));
    assert_eq!(ball, Relation::Penetrating);
    let cube = Cuboid::new(Vec3::ONE).unwrap();
    let inside = cuboid_sphere::relation(&cube, &sphere(0.0), &at(0.5, 0.0, 0.0));
    assert_eq!(inside, Relation::Penetrating);
}

#[test]
fn huge_ratios_keep_their_digits() {
    let ground = Cuboid::new(Vec3::new(1e6, 1.0, 1e6)).unwrap();
    let found = cuboid_sphere::closest(&ground, &sphere(0.001), &at(3e5, 1.5, -7e5));
    assert!((found.distance - 0.499).abs() < 1e-9 && found.normal == DVec3::Y);
    let planet = sphere(6.4e6);
    let found = sphere_sphere::closest(&planet, &sphere(0.5), &at(0.0, 6.4e6 + 1.0, 0.0));
    assert_eq!((found.distance, found.normal), (0.5, DVec3::Y));
}

#[test]
fn a_sphere_beside_a_capsule() {
    let capsule = Capsule::along_y(2.0, 0.5).unwrap();
    let found = capsule_sphere::closest(&capsule, &sphere(1.0), &at(3.0, 1.0, 0.0));
    assert_eq!((found.distance, found.normal), (1.5, DVec3::X));
    assert_eq!(found.point_a, DVec3::new(0.5, 1.0, 0.0));
    // On the core: the axis most across it, x before z.
    let found = capsule_sphere::closest(&capsule, &sphere(1.0), &at(0.0, 1.0, 0.0));
    assert_eq!((found.distance, found.normal), (-1.5, DVec3::X));
    let feature = |y: f32| {
        let patch = capsule_sphere::manifold(&capsule, &sphere(1.0), &at(1.0, y, 0.0), 1.0);
        patch.unwrap().points[0].feature
    };
    let features = [feature(-2.5), feature(2.5), feature(0.0)];
    assert_eq!(features, [FeatureId(0), FeatureId(1), FeatureId(2)]);
}

#[test]
fn crossing_capsules_part_along_the_cross_product() {
    let a = Capsule::along_y(2.0, 0.5).unwrap();
    let b = Capsule::new(Vec3::X * -2.0, Vec3::X * 2.0, 0.25).unwrap();
    let found = capsule_capsule::closest(&a, &b, &at(0.0, 0.0, 0.0));
    assert_eq!((found.distance, found.normal), (-0.75, DVec3::NEG_Z));
    let found = capsule_capsule::closest(&a, &b, &at(0.0, 0.0, 2.0));
    assert_eq!((found.distance, found.normal), (1.25, DVec3::Z));
    let lines = Capsule::along_y(2.0, 0.0).unwrap();
    let thin = Capsule::new(Vec3::X * -2.0, Vec3::X * 2.0, 0.0).unwrap();
    let crossing = capsule_capsule::relation(&lines, &thin, &at(0.0, 0.0, 0.0));
    assert_eq!(crossing, Relation::Touching);
    // One core within the other's line: any way across it is as short.
    let found = capsule_capsule::closest(&a, &a, &at(0.0, 1.0, 0.0));
    assert_eq!((found.distance, found.normal), (-1.0, DVec3::X));
}

#[test]
fn parallel_capsules_touch_at_two_points() {
    let a = Capsule::along_y(2.0, 0.5).unwrap();
    let b_in_a = at(1.0, 1.0, 0.0);
    let found = capsule_capsule::closest(&a, &a, &b_in_a);
    assert_eq!((found.distance.to_bits(), found.normal), (0.0_f64.to_bits(), DVec3::X));
    assert_eq!(found.point_a, DVec3::new(0.5, -1.0, 0.0));
    let patch = capsule_capsule::manifold(&a, &a, &b_in_a, 0.0).unwrap();
    let ys = patch.points.iter().map(|point| point.point_a.y).collect::<Vec<_>>();
    assert_eq!(ys, [2.0, -1.0]);
    assert!(patch.points[0].feature < patch.points[1].feature);
    let apart = capsule_capsule::manifold(&a, &a, &at(1.5, 1.0, 0.0), 0.25);
    assert!(apart.is_none());
    let behind = capsule_capsule::manifold(&a, &a, &at(0.0, 5.0, 0.0), 0.0).unwrap();
    assert_eq!(behind.points.len(), 1);
    let tilted = Pose::new(Vec3::X, Quat::from_xyzw(0.0, 0.0, 0.5, 1.0)).unwrap();
    let tilted = Relative::from_b_in_a(&tilted);
    assert_eq!(capsule_capsule::manifold(&a, &a, &tilted, 0.0).unwrap().points.len(), 1);
}

#[test]
fn a_capsule_lies_on_a_floor_with_both_ends() {
    let floor = HalfSpace::new(Vec3::Y, 0.0).unwrap();
    let lying = Capsule::new(Vec3::X * -1.0, Vec3::X, 0.5).unwrap();
    let b_in_a = at(0.0, -0.5, 0.0);
    assert_eq!(capsule_half_space::relation(&lying, &floor, &b_in_a), Relation::Touching);
    let patch = capsule_half_space::manifold(&lying, &floor, &b_in_a, 0.0).unwrap();
    assert_eq!((patch.normal, patch.points.len()), (DVec3::NEG_Y, 2));
    let found = capsule_half_space::closest(&lying, &floor, &b_in_a);
    assert_eq!(found.point_a, DVec3::new(-1.0, -0.5, 0.0));
    let standing = Capsule::along_y(1.0, 0.5).unwrap();
    let patch = capsule_half_space::manifold(&standing, &floor, &at(0.0, -1.5, 0.0), 0.0);
    assert_eq!(patch.unwrap().points.len(), 1);
    let ball = Capsule::along_y(0.0, 0.5).unwrap();
    let patch = capsule_half_space::manifold(&ball, &floor, &b_in_a, 0.0);
    assert_eq!(patch.unwrap().points.len(), 1);
}

#[test]
fn a_sphere_deep_in_a_half_space_leaves_along_its_normal() {
    let floor = HalfSpace::new(Vec3::Y, 1.0).unwrap();
    let found = half_space_sphere::closest(&floor, &sphere(0.5), &at(4.0, -99.0, 0.0));
    assert_eq!((found.distance, found.normal), (-100.5, DVec3::Y));
    assert_eq!(found.point_a, DVec3::new(4.0, 1.0, 0.0));
}

#[test]
fn half_spaces_part_only_when_exactly_opposite() {
    let floor = HalfSpace::new(Vec3::Y, 0.0).unwrap();
    let ceiling = HalfSpace::new(Vec3::NEG_Y, 0.0).unwrap();
    let found = half_space_half_space::closest(&floor, &ceiling, &at(0.0, 2.0, 0.0));
    assert_eq!((found.distance, found.normal), (2.0, DVec3::Y));
    let found = half_space_half_space::closest(&floor, &ceiling, &at(0.0, -2.0, 0.0));
    assert_eq!(found.distance.to_bits(), (-2.0_f64).to_bits());
    let tilt = Quat::from_xyzw(1e-30, 0.0, 0.0, 1.0);
    let tilted = Relative::from_b_in_a(&Pose::new(Vec3::Y * 2.0, tilt).unwrap());
    assert_eq!(half_space_half_space::relation(&floor, &ceiling, &tilted), Relation::Penetrating);
    let found = half_space_half_space::closest(&floor, &ceiling, &tilted);
    assert!(found.distance.is_infinite() && found.point_a == found.point_b);
    let wall = HalfSpace::new(Vec3::X, 3.0).unwrap();
    let found = half_space_half_space::closest(&floor, &wall, &at(-5.0, 0.0, 0.0));
    assert_near(found.point_a, DVec3::new(-2.0, 0.0, 0.0));
}

#[test]
fn a_thrown_sphere_hits_a_box_s_face_edge_and_corner() {
    let cube = Cuboid::new(Vec3::ONE).unwrap();
    let ball = sphere(0.5);
    let hit = |x, y, z, motion| cuboid_sphere::sweep(&cube, &ball, &at(x, y, z), motion);
    let face = hit(-4.0, 0.5, 0.5, Vec3::X * 10.0).unwrap();
    assert!((face.fraction - 0.25).abs() < 1e-12);
    assert_near(face.normal, DVec3::NEG_X);
    assert_near(face.point, DVec3::new(-1.0, 0.5, 0.5));
    // 0.3 above the top edge: it is met 0.4 before the face's plane.
    let edge = hit(-4.0, 1.3, 0.0, Vec3::X * 10.0).unwrap();
    assert!((edge.fraction - 0.26).abs() < 1e-7);
    assert!((edge.normal - DVec3::new(-0.8, 0.6, 0.0)).length() < 1e-6);
    let corner = hit(4.0, 4.0, 4.0, Vec3::splat(-4.0)).unwrap();
    assert_near(corner.normal, DVec3::splat((1.0_f64 / 3.0).sqrt()));
    let expected = (3.0 - 0.5 * (1.0_f64 / 3.0).sqrt()) / 4.0;
    assert!((corner.fraction - expected).abs() < 1e-12);
    assert!(hit(-4.0, 1.6, 0.0, Vec3::X * 10.0).is_none());
    assert!(hit(-4.0, 0.0, 0.0, Vec3::X * -10.0).is_none());
    // Touching: along and away pass, inward stops at once.
    assert!(hit(-1.5, 0.0, 0.0, Vec3::Y * 10.0).is_none());
    assert!(hit(-1.5, 0.0, 0.0, Vec3::X * -10.0).is_none());
    let inward = hit(-1.5, 0.0, 0.0, Vec3::new(1e-20, 10.0, 0.0)).unwrap();
    assert_eq!((inward.fraction.to_bits(), inward.normal), (0, DVec3::NEG_X));
}

#[test]
fn thrown_capsules_meet_at_faces_edges_and_ends() {
    let standing = Capsule::along_y(2.0, 0.5).unwrap();
    let lying = Capsule::new(Vec3::Z * -2.0, Vec3::Z * 2.0, 0.25).unwrap();
    let thrown = |x, y, z, motion| capsule_capsule::sweep(&standing, &lying, &at(x, y, z), motion);
    let face = thrown(-4.75, 1.0, 1.0, Vec3::X * 8.0).unwrap();
    assert!((face.fraction - 0.5).abs() < 1e-12);
    assert_near(face.normal, DVec3::NEG_X);
    let edge = thrown(-4.0, 2.45, 0.0, Vec3::X * 8.0).unwrap();
    assert!((edge.fraction - (4.0 - 0.6) / 8.0).abs() < 1e-7, "{edge:?}");
    let end = thrown(0.0, 7.0, 2.0, Vec3::Y * -8.0).unwrap();
    assert!((end.fraction - 4.25 / 8.0).abs() < 1e-12, "{end:?}");
    let parallel = capsule_capsule::sweep(&standing, &standing, &at(5.0, 1.0, 0.0), Vec3::X * -8.0);
    assert!((parallel.unwrap().fraction - 0.5).abs() < 1e-12);
    assert!(thrown(-4.0, 2.8, 0.0, Vec3::X * 8.0).is_none());
}

#[test]
fn points_and_lines_meet_with_a_normal_against_the_motion() {
    let line = Capsule::along_y(2.0, 0.0).unwrap();
    let point = sphere(0.0);
    let hit = capsule_sphere::sweep(&line, &point, &at(4.0, 1.0, 0.0), Vec3::X * -8.0).unwrap();
    assert!((hit.fraction - 0.5).abs() < 1e-12);
    assert_near(hit.normal, DVec3::X);
    assert!(capsule_sphere::sweep(&line, &point, &at(4.0, 1.0, 1e-30), Vec3::X * -8.0).is_none());
    let meets =
        sphere_sphere::sweep(&point, &point, &at(4.0, 4.0, 0.0), Vec3::new(-8.0, -8.0, 0.0));
    assert!((meets.unwrap().fraction - 0.5).abs() < 1e-12);
}
