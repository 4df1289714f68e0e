//! Boxes and triangles, of which each of thirteen axes alone parts some, against the generic path
//! for hulls of the same corners.

use crate::common::{Random, cuboid, nudged, pose, random_cuboid};
use impinge_narrowphase::{Relation, Relative, convex};
use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{ConvexHull, Cuboid, Pose, Triangle};

const CASES: u64 = 4000;

/// The relation by the axes, in both orders, and by hulls of the corners, which all must agree.
fn relation(
    a: &Cuboid,
    pose_a: &Pose,
    b: &Triangle,
    pose_b: &Pose,
    case: &dyn std::fmt::Display,
) -> Relation {
    let (at, turned) = (Relative::new(pose_a, pose_b), Relative::new(pose_b, pose_a));
    let found = convex::relation(a, b, &at);
    assert_eq!(convex::relation(b, a, &turned), found, "{case}: exchanged");
    let hull_a = ConvexHull::new(&a.corners()).expect("eight corners");
    let hull_b = ConvexHull::new(&b.vertices()).expect("three corners");
    assert_eq!(convex::relation(&hull_a, &hull_b, &at), found, "{case}: hulls");
    found
}

/// The normals of a box along its frame's axes and of a triangle, and the cross products of their
/// edges.
fn axes([p, q, r]: [DVec3; 3]) -> Vec<DVec3> {
    let edges = [q - p, r - q, p - r];
    let crosses = DVec3::AXES.iter().flat_map(|axis| edges.map(|edge| axis.cross(edge)));
    DVec3::AXES.into_iter().chain([edges[0].cross(edges[1])]).chain(crosses).collect()
}

/// How far apart they are along an axis, negative by their overlap.
fn gap(half: DVec3, corners: [DVec3; 3], axis: DVec3) -> f64 {
    let axis = axis.normalize();
    let along = corners.map(|corner| corner.dot(axis));
    let low = along.iter().copied().fold(f64::INFINITY, f64::min);
    let high = along.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    low.max(-high) - half.dot(axis.abs())
}

#[test]
fn each_of_the_thirteen_axes_parts_some_alone() {
    let (mut alone, mut overlapping) = ([0; 13], 0);
    for seed in 0..60 * CASES {
        let mut random = Random(seed);
        let half = (random.vector(1.0) + Vec3::splat(1.1)) * 0.5;
        let middle = random.vector(1.6);
        let corners = [0; 3].map(|_| middle + random.vector(1.2));
        let gaps: Vec<f64> = axes(corners.map(|corner| corner.as_dvec3()))
            .into_iter()
            .map(|axis| gap(half.as_dvec3(), corners.map(|corner| corner.as_dvec3()), axis))
            .collect();
        let parting: Vec<usize> = (0..13).filter(|&k| gaps[k] > 1e-9).collect();
        let is_clear = gaps.iter().all(|gap| gap.abs() > 1e-9);
        let [only] = parting[..] else {
            overlapping += usize::from(is_clear && parting.is_empty());
            if is_clear && parting.is_empty() && overlapping % 64 == 0 {
                let triangle = Triangle::new(corners[0], corners[1], corners[2]).expect("finite");
                let (a, at) = (cuboid(half), Pose::IDENTITY);
                let found = relation(&a, &at, &triangle, &at, &format!("seed {seed}"));
                assert_eq!(found, Relation::Penetrating, "seed {seed}");
            }
            continue;
        };
        if !is_clear || alone[only] >= 40 {
            continue;
        }
        alone[only] += 1;
        let triangle = Triangle::new(corners[0], corners[1], corners[2]).expect("finite corners");
        let (a, at) = (cuboid(half), Pose::IDENTITY);
        let found = relation(&a, &at, &triangle, &at, &format!("seed {seed}, axis {only}"));
        assert_eq!(found, Relation::Apart, "seed {seed}, axis {only}");
        // Turned and moved together they stay apart.
        let both = pose(random.vector(4.0), random.rotation());
        let found = relation(&a, &both, &triangle, &both, &format!("seed {seed}, turned"));
        assert_eq!(found, Relation::Apart, "seed {seed}, axis {only}, turned");
    }
    assert!(alone.iter().all(|&count| count >= 10), "{alone:?}");
    assert!(overlapping > 1000, "{overlapping}");
}

#[test]
fn on_a_lattice_and_off_it_they_relate_as_hulls_do() {
    let mut seen = [0; 3];
    for seed in 0..CASES {
        let mut random = Random(seed);
        let a = random_cuboid(&mut random);
        let a = Cuboid::new((a.half_extents() * 2.0).round() * 0.5).expect("valid");
        let [p, q, r] = [0; 3].map(|_| random.whole_vector(2) * 0.5);
        // Some of these have no area.
        let Ok(triangle) = Triangle::new(p, q, r) else { continue };
        let mut lattice = || pose(random.whole_vector(2) * 0.5, random.whole_rotation());
        let (pose_a, mut pose_b) = (lattice(), lattice());
        if random.one_in(2) {
            pose_b = nudged(&pose_b, &mut random);
        }
        let found = relation(&a, &pose_a, &triangle, &pose_b, &format!("seed {seed}"));
        seen[found as usize] += 1;
    }
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
}

#[test]
fn corners_edges_and_faces_that_touch_are_told_exactly() {
    let unit = cuboid(Vec3::ONE);
    let at = Pose::IDENTITY;
    let over = [Vec3::new(-3.0, 1.0, -3.0), Vec3::new(3.0, 1.0, -3.0), Vec3::new(0.0, 1.0, 3.0)];
    let corner = [Vec3::ONE, Vec3::new(1.0, 3.0, 2.0), Vec3::new(2.0, 3.0, 1.0)];
    let edge = [Vec3::new(1.0, 1.0, -0.5), Vec3::new(1.0, 1.0, 0.5), Vec3::new(2.0, 3.0, 0.0)];
    let crossing = [Vec3::new(0.0, 2.0, 0.5), Vec3::new(2.0, 0.0, 0.5), Vec3::new(3.0, 3.0, 0.5)];
    let step = 4.0 * f32::EPSILON;
    let (up, side) = (Vec3::Y, Vec3::new(1.0, 1.0, 0.0));
    let cases = [
        ("face", over, up),
        ("corner", corner, Vec3::ONE),
        ("edge", edge, side),
        ("crossing", crossing, side),
    ];
    for (name, corners, way) in cases {
        let expected =
            [(0.0, Relation::Touching), (step, Relation::Apart), (-step, Relation::Penetrating)];
        for (by, expected) in expected {
            let [p, q, r] = corners.map(|corner| corner + way * by);
            let triangle = Triangle::new(p, q, r).expect("valid");
            assert_eq!(relation(&unit, &at, &triangle, &at, &name), expected, "{name} {by}");
        }
    }
}
