//! Yes, touching and no of every pair of convex shapes, against the exact oracle of polytopes.

use impinge_narrowphase::{Relation, overlaps, relation};
use impinge_testkit::{
    check::{Tally, expect_same, for_each_case},
    generate::{Kind, pair},
    oracle::{self, convex::Contact},
};

/// What an oracle says, in the library's words.
fn as_relation(contact: Contact) -> Relation {
    match contact {
        Contact::Apart => Relation::Apart,
        Contact::Touching => Relation::Touching,
        Contact::Penetrating => Relation::Penetrating,
    }
}

/// The relation of a pair, both ways round.
fn check_relations(a: Kind, b: Kind, count: usize) {
    let (mut tally, mut touching) = (Tally::default(), 0);
    for_each_case(0xc0_17ac, count, |class, rng| {
        let case = pair(class, a, b, rng);
        let exact = oracle::relation(&case.a, &case.pose_a, &case.b, &case.pose_b)
            .ok_or_else(|| format!("no oracle for {case:?}"))?;
        tally.count(class, exact != Contact::Apart);
        touching += usize::from(exact == Contact::Touching);
        let exact = as_relation(exact);
        expect_same(relation(&case.a, &case.pose_a, &case.b, &case.pose_b), exact, &case)?;
        expect_same(relation(&case.b, &case.pose_b, &case.a, &case.pose_a), exact, &case)?;
        let found = overlaps(&case.a, &case.pose_a, &case.b, &case.pose_b);
        expect_same(found, exact.overlaps(), &case)
    });
    tally.assert_balanced();
    assert!(touching > count / 100, "{touching} of {count} touch");
}

#[test]
fn spheres_and_boxes() {
    check_relations(Kind::Sphere, Kind::Sphere, 10_000);
    check_relations(Kind::Sphere, Kind::Cuboid, 10_000);
    check_relations(Kind::Cuboid, Kind::Cuboid, 10_000);
}

#[test]
fn capsules() {
    check_relations(Kind::Capsule, Kind::Sphere, 10_000);
    check_relations(Kind::Capsule, Kind::Cuboid, 10_000);
    check_relations(Kind::Capsule, Kind::Capsule, 10_000);
}

#[test]
fn triangles() {
    for other in [Kind::Sphere, Kind::Capsule, Kind::Cuboid, Kind::Triangle] {
        check_relations(Kind::Triangle, other, 10_000);
    }
}

#[test]
fn hulls() {
    for other in [Kind::Sphere, Kind::Capsule, Kind::Cuboid, Kind::Triangle, Kind::ConvexHull] {
        check_relations(Kind::ConvexHull, other, 10_000);
    }
}

#[test]
fn rounded_shapes() {
    let others = [
        Kind::Sphere,
        Kind::Capsule,
        Kind::Cuboid,
        Kind::Triangle,
        Kind::ConvexHull,
        Kind::RoundedPolytope,
    ];
    for other in others {
        check_relations(Kind::RoundedPolytope, other, 10_000);
    }
}

#[test]
fn half_spaces() {
    let others = [Kind::Triangle, Kind::ConvexHull, Kind::RoundedPolytope];
    for other in others {
        check_relations(Kind::HalfSpace, other, 10_000);
    }
}

#[test]
fn meshes_and_height_fields() {
    for surface in [Kind::TriangleMesh, Kind::HeightField] {
        for other in [Kind::Sphere, Kind::Cuboid, Kind::ConvexHull, Kind::RoundedPolytope] {
            check_relations(surface, other, 10_000);
        }
    }
}
