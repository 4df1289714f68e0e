//! What serde writes is read again to the bit, and bad values are refused.

use std::fmt::Debug;

use glam::{Quat, Vec3, vec3};
use impinge_narrowphase::{Motion, closest};
use impinge_shapes::{
    Aabb, HeightField, Obb, Plane, Pose, Ray, RayOptions, Shape, Sides, TriangleMesh,
};
use impinge_world::{
    Body, BodyId, ContactId, Filter, FirstImpact, Groups, Kinds, Snapshot, Stage, World,
};
use serde::{Serialize, de::DeserializeOwned};

/// Writes and reads the value; the debug form tells the bits of all its numbers but signs of NaN.
#[track_caller]
fn back<T: Serialize + DeserializeOwned + Debug>(value: &T) -> String {
    let json = serde_json::to_string(value).expect("can be written");
    let read: T = serde_json::from_str(&json).expect("was written so");
    assert_eq!(format!("{value:?}"), format!("{read:?}"), "{json}");
    json
}

/// Why the text is no such value.
#[track_caller]
fn refused<T: DeserializeOwned + Debug>(json: &str) -> String {
    serde_json::from_str::<T>(json).expect_err(json).to_string()
}

/// A shape of each kind.
fn shapes() -> Vec<Shape> {
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, vec3(0.3, 0.1, 0.7)];
    let hull = Shape::convex_hull(&corners).expect("valid");
    let mesh = TriangleMesh::new(corners, vec![[0, 1, 2], [0, 2, 4]]).expect("valid");
    let heights = vec![Some(0.1), Some(1.7), None, Some(0.0), Some(-1.0), Some(0.3)];
    let field = HeightField::with_holes(2, 3, heights, vec3(3.0, 0.3, 2.0)).expect("valid");
    let part = Pose::new(Vec3::X / 3.0, Quat::from_xyzw(0.1, 0.2, 0.3, 3.0)).expect("valid");
    let rounded = Shape::rounded(hull.clone(), 0.1).expect("valid");
    vec![
        Shape::sphere(0.1).expect("valid"),
        Shape::cuboid(vec3(0.1, 0.2, 1e-20)).expect("valid"),
        Shape::capsule(Vec3::X / 7.0, Vec3::Y, 0.2).expect("valid"),
        Shape::cylinder(0.5, 0.6).expect("valid"),
        Shape::cone(0.5, 0.6).expect("valid"),
        Shape::triangle(Vec3::X, Vec3::Y / 3.0, Vec3::Z).expect("valid"),
        Shape::half_space(vec3(1.0, 3.0, 7.0), -0.1).expect("valid"),
        Shape::compound([(part, rounded.clone()), (Pose::IDENTITY, mesh.clone().into())])
            .expect("valid"),
        field.with_sides(Sides::Front).into(),
        mesh.with_sides(Sides::Front).into(),
        rounded,
        hull,
    ]
}

#[test]
fn every_shape_comes_back() {
    for shape in shapes() {
        let json = back(&shape);
        assert_eq!(serde_json::from_str::<Shape>(&json).expect("read before"), shape);
        let body =
            Body::fixed(shape).at(Vec3::ONE / 3.0).rotated(Quat::from_xyzw(0.0, 1.0, 0.0, 1.0));
        back(&body.clone().groups(Groups::new(1, 6)).sensor(true).user_data(9).margin(0.1));
        back(&body);
    }
    let json = back(&Shape::sphere(0.5).expect("valid"));
    assert_eq!(json, r#"{"sphere":{"radius":0.5}}"#);
}

#[test]
fn numbers_without_a_shape_come_back() {
    let pose =
        Pose::new(vec3(0.1, -0.0, 3e38), Quat::from_xyzw(0.1, 0.2, 0.3, 2.0)).expect("valid");
    back(&pose);
    back(&Aabb::new(Vec3::NEG_ONE / 3.0, Vec3::ONE).expect("valid"));
    back(&Obb::new(pose, Vec3::ONE / 7.0).expect("valid"));
    back(&Motion::new(pose, Vec3::X, Vec3::Y / 3.0).expect("valid").about(Vec3::Z).expect("valid"));
    for x in 1..50_u8 {
        // Normalised once, not again.
        let direction = vec3(f32::from(x), 3.0, 7.0);
        back(&Ray::new(Vec3::ONE / 3.0, direction).expect("valid"));
        back(&Plane::new(direction, 0.1).expect("valid"));
    }
    back(&RayOptions::default());
    back(&Kinds::SENSORS);
    back(&Stage::Events);
    back(&BodyId::from_bits(7 << 32 | 5));
    back(&ContactId::from_bits(7 << 32 | 5));
}

#[test]
fn bad_values_are_refused_and_named() {
    for (json, why) in [
        (r#"{"sphere":{"radius":-1.0}}"#, "radius: must be finite and not negative, got -1"),
        (r#"{"sphere":{"radius":1.0,"colour":2}}"#, "unknown field `colour`"),
        (r#"{"sphere":{}}"#, "missing field `radius`"),
        (r#"{"ball":{"radius":1.0}}"#, "unknown variant `ball`"),
        (r#"{"cuboid":{"half_extents":[1.0,-2.0,1.0]}}"#, "half_extents"),
        (r#"{"capsule":{"a":[0,0,0],"b":[0,0,1e39],"radius":1}}"#, "number out of range"),
        (r#"{"cylinder":{"half_height":-1,"radius":1}}"#, "half_height"),
        (r#"{"cone":{"half_height":1,"radius":-1}}"#, "radius"),
        (r#"{"triangle":{"a":[0,0,0],"b":[0,0,0],"c":[0,1e39,0]}}"#, "number out of range"),
        (r#"{"convex_hull":{"vertices":[]}}"#, "points: must not be empty"),
        (r#"{"half_space":{"normal":[0,0,0],"offset":1}}"#, "normal: must not be zero"),
        (r#"{"triangle_mesh":{"vertices":[[0,0,0]],"triangles":[[0,0,1]]}}"#, "below 1, got 1"),
        (
            r#"{"height_field":{"rows":2,"columns":2,"scale":[1,1,1],"scaled_heights":[1,2]}}"#,
            "heights: must be 4",
        ),
        (
            r#"{"height_field":{"rows":99999999999,"columns":99999999999,"scale":[1,1,1],"scaled_heights":[]}}"#,
            "rows and columns",
        ),
        (r#"{"compound":{"parts":[]}}"#, "parts: must not be empty"),
        (
            r#"{"rounded":{"core":{"half_space":{"normal":[0,1,0],"offset":1}},"radius":1}}"#,
            "core: must be a bounded convex shape",
        ),
    ] {
        let found = refused::<Shape>(json);
        assert!(found.contains(why), "{json}: {found}");
    }
    let zero = refused::<Pose>(r#"{"position":[0,0,0],"rotation":[0,0,0,0]}"#);
    assert!(zero.contains("rotation: must not be zero"), "{zero}");
    assert!(refused::<Aabb>(r#"{"min":[1,0,0],"max":[0,0,0]}"#).contains("min"));
    assert!(refused::<Ray>(r#"{"origin":[0,0,0],"direction":[0,0,0]}"#).contains("direction"));
    let body = r#"{"shape":{"sphere":{"radius":1}},"kind":"Moving","position":[0,0,0]"#;
    assert!(serde_json::from_str::<Body>(&format!("{body}}}")).is_ok());
    assert!(refused::<Body>(&format!(r#"{body},"margin":-1}}"#)).contains("margin"));
    assert!(refused::<Body>(&format!(r#"{body},"rotation":[0,0,0,0]}}"#)).contains("rotation"));
}

/// A world with contacts, overlaps and events.
fn world() -> World {
    let mut world = World::new();
    world.set_slots(true);
    for (shape, x) in shapes().into_iter().zip(0_u8..) {
        let body = Body::moving(shape).at(Vec3::X * f32::from(x) / 3.0);
        world.insert(body.sensor(x % 5 == 4)).expect("valid");
    }
    world.update();
    world
}

#[test]
fn answers_come_back() {
    let mut world = world();
    assert!(world.contacts().len() > 5 && world.sensor_overlaps().len() > 2);
    for contact in world.contacts() {
        back(contact);
    }
    for contact in world.contacts().with_slots() {
        contact.anchors.iter().for_each(|anchor| drop(back(anchor)));
        contact.slots.iter().for_each(|slot| drop(back(slot)));
    }
    world.events().iter().for_each(|event| drop(back(event)));
    world.sensor_overlaps().iter().for_each(|overlap| drop(back(overlap)));
    let report = world.update();
    back(&report);
    let ids: Vec<BodyId> = world.iter().map(|(id, _)| id).collect();
    back(&world.explain(ids[0], ids[1]));
    let queries = world.queries();
    let ray = Ray::new(vec3(0.05, 0.1, 9.0), Vec3::NEG_Z).expect("valid");
    let shape = Shape::sphere(0.3).expect("valid");
    back(&queries.raycast(&ray, 99.0, &Filter::default()).expect("hits the row"));
    let from = Pose::from_position(Vec3::Z * 9.0).expect("valid");
    back(&queries.sweep(&shape, &from, Vec3::NEG_Z * 9.0, &Filter::default()));
    back(&queries.closest(&shape, &from, 99.0, &Filter::default()));
    back(&closest(&shape, &from, &shapes()[1], &Pose::IDENTITY, 99.0));
    back(&FirstImpact::Unconverged { safe: 0.5 });
}

#[test]
fn worlds_come_back_as_bytes() {
    let mut world = world();
    let json = serde_json::to_string(&world).expect("can be written");
    let mut read: World = serde_json::from_str(&json).expect("was written so");
    assert_eq!(read.hash(), world.hash());
    world.update();
    read.update();
    assert_eq!(read.hash(), world.hash());
    let then: Snapshot = serde_json::from_str(&json).expect("was written so");
    assert_eq!(serde_json::to_string(&then).expect("can be written"), json);
    assert!(refused::<World>("[1,2,3]").contains("not a saved world"));
    assert!(refused::<World>("{}").contains("the bytes of a saved world"));
}
