//! Linear motion of every pair of convex shapes, against exact times or certain bounds of them.

use std::collections::BTreeMap;

use impinge_testkit::{
    check::case_factor,
    claims::sweep::{check, draw},
    generate::Kind,
    hash::mix,
    rng::Rng,
};

fn check_sweeps(a: Kind, b: Kind, count: usize) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for index in 0..count as u64 * case_factor() {
        let rng = &mut Rng::new(mix(0x5eed).wrapping_add(mix(index)));
        match check(&draw(index, a, b, rng)) {
            Ok(label) => *counts.entry(label).or_default() += 1,
            Err(message) => panic!("{a:?} to {b:?}, case {index}: {message}"),
        }
    }
    for label in ["hit", "miss", "overlapping"] {
        let seen = counts.get(label).copied().unwrap_or(0);
        assert!(seen > count / 200, "{label}: {counts:?}");
    }
    let unknown = counts.get("unknown").copied().unwrap_or(0);
    assert!(unknown * 3 < count, "{counts:?}");
}

#[test]
fn spheres_and_boxes() {
    check_sweeps(Kind::Sphere, Kind::Sphere, 10_000);
    check_sweeps(Kind::Sphere, Kind::Cuboid, 10_000);
    check_sweeps(Kind::Cuboid, Kind::Sphere, 10_000);
    check_sweeps(Kind::Cuboid, Kind::Cuboid, 10_000);
}

#[test]
fn capsules() {
    check_sweeps(Kind::Capsule, Kind::Sphere, 10_000);
    check_sweeps(Kind::Capsule, Kind::Cuboid, 10_000);
    check_sweeps(Kind::Cuboid, Kind::Capsule, 10_000);
    check_sweeps(Kind::Capsule, Kind::Capsule, 10_000);
}

#[test]
fn triangles() {
    for other in [Kind::Sphere, Kind::Capsule, Kind::Cuboid, Kind::Triangle] {
        check_sweeps(other, Kind::Triangle, 10_000);
    }
    check_sweeps(Kind::Triangle, Kind::Cuboid, 10_000);
}

#[test]
fn hulls() {
    for other in [Kind::Sphere, Kind::Capsule, Kind::Cuboid, Kind::Triangle, Kind::ConvexHull] {
        check_sweeps(other, Kind::ConvexHull, 10_000);
    }
    check_sweeps(Kind::ConvexHull, Kind::Sphere, 10_000);
}

#[test]
fn rounded_shapes() {
    for other in [Kind::Sphere, Kind::Cuboid, Kind::ConvexHull, Kind::RoundedPolytope] {
        check_sweeps(Kind::RoundedPolytope, other, 10_000);
    }
}

fn check_round(round: Kind) {
    let others = [Kind::Sphere, Kind::Capsule, Kind::Cuboid, Kind::Triangle, Kind::ConvexHull];
    for other in others {
        check_sweeps(round, other, 10_000);
    }
    check_sweeps(Kind::Cuboid, round, 10_000);
}

#[test]
fn cylinders() {
    check_round(Kind::Cylinder);
}

#[test]
fn cones() {
    check_round(Kind::Cone);
}

fn check_surface(surface: Kind) {
    for mover in [Kind::Sphere, Kind::Capsule, Kind::Cuboid, Kind::ConvexHull] {
        check_sweeps(mover, surface, 10_000);
    }
}

#[test]
fn meshes() {
    check_surface(Kind::TriangleMesh);
}

#[test]
fn height_fields() {
    check_surface(Kind::HeightField);
}

#[test]
fn half_spaces() {
    for kind in Kind::SIMPLE.into_iter().filter(|&kind| kind != Kind::HalfSpace) {
        check_sweeps(kind, Kind::HalfSpace, 10_000);
        check_sweeps(Kind::HalfSpace, kind, 10_000);
    }
}
