//! Contact points of needles, slivers and other shapes beside whose features it is easy to miss
//! them: each regression is named after what was wrong.

use impinge_narrowphase::{Manifold, closest, manifold};
use impinge_shapes::glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use impinge_shapes::{Pose, Shape};

fn place(position: [f32; 3], rotation: [f32; 4]) -> Pose {
    Pose::new(Vec3::from(position), Quat::from_array(rotation)).expect("a pose")
}

/// The points on A and on B as their own shapes see them.
fn own(found: &Manifold, pose_a: &Pose, pose_b: &Pose) -> Vec<[DVec3; 2]> {
    let local = |pose: &Pose, point: Vec3| {
        let turn = pose.rotation().to_array().map(f64::from);
        let turn = DMat3::from_quat(DQuat::from_array(turn).normalize());
        turn.transpose() * (point.as_dvec3() - pose.position().as_dvec3())
    };
    found.points.iter().map(|p| [local(pose_a, p.point_a), local(pose_b, p.point_b)]).collect()
}

fn hull(points: &[[f32; 3]]) -> Shape {
    Shape::convex_hull(&points.iter().map(|&p| Vec3::from(p)).collect::<Vec<_>>()).expect("a hull")
}

/// The face of a needle that looks most along the normal may lie beyond the face of the box, while
/// its nearest edge lies over it; edges of the box far from the needle made contacts then.
#[test]
fn a_needle_whose_nearest_edge_is_not_on_its_facing_face_has_contacts_on_itself() {
    let needle = hull(&[
        [-9.414463, 0.00010089391, 0.00016728697],
        [-6.1885457, 0.00018235395, -8.407018e-5],
        [-1.8943664, -0.00018760182, -8.1321734e-5],
        [1.9203985, -0.00012650805, -0.00016062106],
        [2.131828, -9.693316e-5, -0.00017991851],
        [2.7020016, -0.00014592042, 0.00014267399],
        [17.426306, -0.00015601673, 6.7904824e-5],
        [21.25381, 7.963782e-5, 0.00012754567],
        [21.447313, 5.0942803e-5, -0.0001402175],
        [23.372341, -2.9030267e-5, -0.00013310622],
        [25.884623, 3.992658e-5, 0.00010800328],
        [27.581861, -5.962424e-5, -7.6265125e-5],
    ]);
    let cuboid = Shape::cuboid(Vec3::new(10.710041, 5.5495033, 5.7984176)).unwrap();
    let at =
        place([6.746956, 51.697517, 16.75914], [-0.4495434, -0.7637843, -0.06065977, -0.45920008]);
    let found = manifold(&needle, &at, &cuboid, &at, 32.0).unwrap();
    assert_eq!(found.points.len(), 2, "{found:?}");
    for [on_a, on_b] in own(&found, &at, &at) {
        assert!(on_a.y.abs() < 2e-4 && on_a.z.abs() < 2e-4, "{on_a} of {found:?}");
        assert!(on_a.x > -9.5 && on_a.x < 10.7101, "{on_a} of {found:?}");
        assert!((on_b.y.abs() - 5.5495033).abs() < 1e-5, "{on_b} of {found:?}");
    }
}

/// What is a little beyond both sides of a sharp corner may be far beyond the corner.
#[test]
fn a_sharp_corner_of_a_face_ends_what_lies_over_it() {
    let solid = hull(&[
        [-5038.7886, -2519.3943, -2519.3943],
        [-5038.7886, 5038.7886, 0.0],
        [-2519.3943, -5038.7886, 2519.3943],
        [0.0, -2519.3943, 0.0],
        [2519.3943, 5038.7886, 0.0],
    ]);
    let pose_a =
        place([6463.434, -8525.395, -3737.0732], [0.4117712, -0.6166774, -0.6691329, -0.049138904]);
    let corners = [
        Vec3::new(0.58770764, -1.1602603, 1.2502458),
        Vec3::new(-1.9319268, 0.95442635, 1.113138),
        Vec3::new(0.58770204, -1.1602494, 1.2502452),
    ];
    let [a, b, c] = corners;
    let needle = Shape::triangle(a, b, c).unwrap();
    let pose_b =
        place([12450.076, -7889.828, -2382.5518], [-0.16141036, 0.3810216, -0.22842139, 0.8812451]);
    let found = manifold(&solid, &pose_a, &needle, &pose_b, 124.5).unwrap();
    let (low, high) = (a.min(b).min(c).as_dvec3(), a.max(b).max(c).as_dvec3());
    // Eight last places of the coordinates in the world.
    let slack = 8.0 / 1024.0;
    for [_, on_b] in own(&found, &pose_a, &pose_b) {
        let is_in = on_b.cmpge(low - slack).all() && on_b.cmple(high + slack).all();
        assert!(is_in, "{on_b} is not between {low} and {high}: {found:?}");
    }
}

/// Beside two edges that cross at a small angle the contact lies on a face, which may end sooner
/// than the edge.
#[test]
fn edges_side_by_side_have_contacts_only_where_their_faces_are() {
    let points = [
        [-7.8125, -3.90625, -3.90625],
        [-7.8125, 3.90625, 7.8125],
        [-3.90625, -7.8125, 0.0],
        [-3.90625, 3.90625, -7.8125],
        [0.0, -3.90625, -7.8125],
        [7.8125, 0.0, 3.90625],
        [7.8125, 7.8125, -7.8125],
    ];
    let solid = hull(&points);
    let pose_a = place([-23.5, 4.0, 7.0], [2.0, 0.0, 0.0, 1.0]);
    let cuboid = Shape::cuboid(Vec3::new(15.625, 15.625, 11.71875)).unwrap();
    let pose_b = place([-50.0625, 9.46875, 11.6875], [0.0, 0.5, 0.0, 1.0]);
    let found = manifold(&solid, &pose_a, &cuboid, &pose_b, 15.65).unwrap();
    let Shape::ConvexHull(hull) = &solid else { unreachable!("made above") };
    assert!(found.points.len() == 2 && found.distance().abs() < 1e-5, "{found:?}");
    for [on_a, on_b] in own(&found, &pose_a, &pose_b) {
        for face in hull.faces() {
            let corner = points[face.vertices[0] as usize].map(f64::from);
            let height = face.normal.normalize().dot(on_a - DVec3::from(corner));
            assert!(height < 1e-5, "{on_a} is {height} out: {found:?}");
        }
        let out = on_b.abs() - DVec3::new(15.625, 15.625, 11.71875);
        assert!(out.max_element() < 1e-5, "{on_b} is {out} out: {found:?}");
    }
}

/// The way out of a cylinder is hard to tell for what is small and near its axis; the witness on
/// the cylinder is then not across from that on the small shape.
#[test]
fn a_small_triangle_in_a_cylinder_has_its_contact_on_itself() {
    let cylinder = Shape::cylinder(5.48347, 5.244783).unwrap();
    let corners = [
        Vec3::new(0.005363433, -0.0026941332, -0.00018744978),
        Vec3::new(0.006789958, -0.006305453, -0.0011810687),
        Vec3::new(0.0053634187, -0.0026941225, -0.00018740525),
    ];
    let [a, b, c] = corners;
    let triangle = Shape::triangle(a, b, c).unwrap();
    let at =
        place([11.680437, -2.0884829, -9.325649], [0.51965094, 0.5915612, 0.5825141, -0.20173141]);
    let found = manifold(&cylinder, &at, &triangle, &at, 0.0).unwrap();
    for [on_a, on_b] in own(&found, &at, &at) {
        let near = corners.map(|corner| corner.as_dvec3().distance(on_b));
        assert!(near.into_iter().fold(f64::INFINITY, f64::min) < 1e-5, "{on_b} of {found:?}");
        let out = (on_a.x * on_a.x + on_a.z * on_a.z).sqrt() - 5.244783;
        assert!(out.abs() < 1e-5, "{on_a} is {out} out: {found:?}");
    }
}

/// The support point beside the end of a sloping capsule may lie beside the face that the end of
/// its line lies over.
#[test]
fn the_lowest_point_of_a_capsule_is_over_the_face_it_has_a_contact_with() {
    let half = Vec3::new(0.001402068, 0.0005172124, 0.00035388608);
    let radius = 0.00056038337;
    let plate = Shape::rounded(Shape::cuboid(half).unwrap(), radius).unwrap();
    let pose_a = place(
        [0.0003025968, 0.0025217528, 0.0036828562],
        [-0.6009629, 0.019997463, -0.5993473, 0.52841896],
    );
    let rod = Shape::capsule_along_y(0.0018260407, 0.0010702652).unwrap();
    let pose_b = place(
        [0.0017375234, 2.6535768e-5, 0.007135167],
        [0.63970774, 0.12459302, -0.2428095, -0.7185361],
    );
    let found = manifold(&plate, &pose_a, &rod, &pose_b, 5.6624944e-5).unwrap();
    for [on_a, on_b] in own(&found, &pose_a, &pose_b) {
        let out = (on_a.abs() - half.as_dvec3()).max(DVec3::ZERO).length() - f64::from(radius);
        assert!(out.abs() < 4e-9, "{on_a} is {out} out: {found:?}");
        let axis = DVec3::new(0.0, on_b.y.clamp(-0.0018260407, 0.0018260407), 0.0);
        let out = on_b.distance(axis) - 0.0010702652;
        assert!(out.abs() < 4e-9, "{on_b} is {out} out: {found:?}");
    }
}

/// Corners five million times as far as the nearest point between them do not tell the direction to
/// it; the search ended there, a third too far away.
#[test]
fn a_hull_much_longer_than_its_distance_is_as_near_in_both_orders() {
    let solid = hull(&[
        [-5.0, 12.625, 12.499999],
        [-0.00013094372, 1.75, -15.375001],
        [1.875, -1.375, 8.25],
        [11.625, -13.25, -6.625],
    ]);
    let long = hull(&[
        [-4872079.0, 3.3749998, 1.75],
        [-0.625, -634347.9, -13.124999],
        [7.1249995, 2.375, 5.5000005],
        [9.625, -3.245641e-9, 2.0273772e-5],
        [4355201.0, -11.75, -13.875],
    ]);
    let here = place([3.25, 15.375, 0.00039656888], [0.0, 0.0, 0.0, 1.0]);
    let there = place([5.625, -2.375, 7.2499995], [0.0, -2.0, 2.0, -2.0]);
    let one = closest(&solid, &here, &long, &there, f32::INFINITY).expect("no limit");
    let other = closest(&long, &there, &solid, &here, f32::INFINITY).expect("no limit");
    // From the exact oracle.
    let exact = 9.952286;
    assert!((one.distance - exact).abs() < 1e-4, "{one:?}");
    assert!((other.distance - exact).abs() < 1e-4, "{other:?}");
}
