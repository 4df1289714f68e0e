//! When shapes that move and turn first touch, against bounds of their distance along the way.

use impinge_testkit::{
    check::case_factor, claims::impact::draw, generate::Kind, hash::mix, rng::Rng,
};

/// Checks cases of a kind against every other.
fn check_kind(a: Kind, count: u64) {
    let (mut labels, mut steps) = (std::collections::BTreeMap::<&str, u64>::new(), 0);
    for b in Kind::ALL.into_iter().filter(|&b| (a, b) != (Kind::HalfSpace, Kind::HalfSpace)) {
        for index in 0..count * case_factor() {
            let rng = &mut Rng::new(mix(0x7_0311).wrapping_add(mix(index)));
            let case = draw(a, b, rng);
            match case.check(&mut steps) {
                Ok(label) => *labels.entry(label).or_default() += 1,
                Err(message) => panic!("{a:?}, {b:?}, case {index}: {message} for {case:?}"),
            }
        }
    }
    let of = |label| labels.get(label).copied().unwrap_or(0);
    let total: u64 = labels.values().sum();
    let least = total / 20;
    assert!(of("touches") > least && of("apart") > least, "{a:?}: {labels:?}");
    assert!(of("started") > least / 4 && of("unconverged") <= total / 50, "{a:?}: {labels:?}");
    assert!(steps as u64 > 2 * total, "{a:?}: {steps} steps");
}

#[test]
fn round_shapes_are_never_late() {
    for kind in [Kind::Sphere, Kind::Capsule, Kind::Cylinder, Kind::Cone, Kind::Rounded] {
        check_kind(kind, 288);
    }
}

#[test]
fn flat_faces_are_never_late() {
    for kind in [Kind::Cuboid, Kind::Triangle, Kind::ConvexHull, Kind::HalfSpace] {
        check_kind(kind, 288);
    }
}

#[test]
fn shapes_of_many_parts_are_never_late() {
    for kind in [Kind::TriangleMesh, Kind::HeightField, Kind::Compound] {
        check_kind(kind, 288);
    }
}
