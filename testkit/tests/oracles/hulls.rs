//! The hull of points against the exact oracle: its vertices are points that the others do not
//! hold, and every point lies in their hull and behind each face.

use impinge_shapes::{ConvexHull, Pose, glam::Vec3};
use impinge_testkit::{
    check::case_factor,
    generate::points::{Cloud, cloud},
    oracle::convex::{Contact, Polytope, contains_point, relation, side_of_points},
    rng::Rng,
};

fn body(vertices: Vec<Vec3>) -> Polytope {
    Polytope { vertices, pose: Pose::IDENTITY, radius: 0.0, margin: 0.0 }
}

#[test]
fn hulls_hold_their_points_and_no_corner_is_idle() {
    let mut dimensions = [0; 4];
    for seed in 0..450 * case_factor() {
        let rng = &mut Rng::stream(0x4011, seed);
        let kind = Cloud::ALL[usize::try_from(seed).unwrap() % Cloud::ALL.len()];
        let size = rng.power_of_ten(-3.0, 4.0);
        let points = cloud(kind, size, rng);
        let told = format!("seed {seed}, {kind:?}: {points:?}");
        let hull = ConvexHull::new(&points).unwrap();
        let vertices = hull.vertices().to_vec();
        dimensions[usize::from(hull.dimension())] += 1;
        let whole = body(vertices.clone());
        for &point in &points {
            assert!(contains_point(&whole, point), "{point} is outside: {told}");
        }
        for (i, &vertex) in vertices.iter().enumerate() {
            assert!(points.contains(&vertex), "{vertex} is no point: {told}");
            let mut others = vertices.clone();
            others.remove(i);
            let idle = !others.is_empty() && contains_point(&body(others), vertex);
            assert!(!idle, "{vertex} is no corner: {told}");
        }
        for face in hull.faces() {
            let corner = |i: usize| vertices[face.vertices[i] as usize];
            let plane = [corner(0), corner(1), corner(2)];
            let sides = points.iter().map(|&point| side_of_points(plane, point));
            assert!(sides.into_iter().all(|side| side.is_le()), "{face:?}: {told}");
            let on = vertices.iter().filter(|&&v| side_of_points(plane, v).is_eq()).count();
            assert_eq!(on, face.vertices.len(), "{face:?}: {told}");
        }
        if hull.dimension() == 3 {
            let (v, e, f) = (vertices.len(), hull.edges().len(), hull.face_count());
            assert_eq!(v + f, e + 2, "{told}");
            let inside = body(vec![hull.center().as_vec3()]);
            // The mean lies inside, up to its rounding.
            let flat = matches!(kind, Cloud::Sliver | Cloud::Needle);
            assert!(flat || relation(&inside, &whole) == Contact::Penetrating, "{told}");
        }
    }
    assert!(dimensions.iter().all(|&n| n > 20), "{dimensions:?}");
}
