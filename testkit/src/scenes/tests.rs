use glam::Vec3;

use super::*;
use crate::naive;

/// Pairs and hash of each scene of 2,000 bodies, seed 1 (pruning: 42), half of them moving.
const GOLDEN: [(SceneKind, usize, u64); 15] = [
    (SceneKind::Uniform, 3_213, 0x9a187fef42240c72),
    (SceneKind::Plain, 2_657, 0x0e790a4b84e9eb8c),
    (SceneKind::Clusters, 2_401, 0x1602c3a18475d619),
    (SceneKind::Mixed, 6_778, 0x3f967422b225d4f8),
    (SceneKind::Stack, 21_954, 0x38861784d76faaec),
    (SceneKind::GiantGround, 3_963, 0x7c67d334f45b0836),
    (SceneKind::Pruning, 473, 0x1c3630d0b2889342),
    (SceneKind::Level, 17_272, 0x6ea7fec7c182ec70),
    (SceneKind::Line, 1_989, 0xac3d42680ddc6807),
    (SceneKind::Flat, 2_286, 0xd082dd8b2676f64e),
    (SceneKind::Spot, 1_999_000, 0x18e4daa88c67add6),
    (SceneKind::Sizes, 4_801, 0x7cd18b45eaa573e9),
    (SceneKind::Rods, 2_052, 0x8f08b08112e89dcf),
    (SceneKind::Islands, 1_543, 0x300658f62b7f50a2),
    (SceneKind::Far, 3_215, 0xe36b9fd735526f73),
];

fn seed_of(kind: SceneKind) -> u64 {
    if kind == SceneKind::Pruning { 42 } else { 1 }
}

#[test]
fn scenes_keep_their_bits() {
    let found: Vec<_> = SceneKind::every()
        .map(|kind| {
            let scene = build(kind, 2_000, 50.0, seed_of(kind));
            (kind, naive::pairs_sorted(&scene.aabbs()).len(), scene.hash())
        })
        .collect();
    assert_eq!(found, GOLDEN, "{found:#?}");
}

#[test]
fn counts_are_as_asked() {
    for kind in SceneKind::every() {
        for count in [0, 1, 1_000] {
            let scene = build(kind, count, 10.0, 7);
            let surroundings = match kind {
                SceneKind::GiantGround => 1,
                SceneKind::Level => 4_221,
                _ => 0,
            };
            assert_eq!(scene.bodies.len(), count + surroundings, "{kind}");
            assert_eq!(scene.bodies.iter().filter(|b| b.fixed).count(), surroundings, "{kind}");
            assert_eq!(scene.moving_count(), (count + 5) / 10, "{kind}");
            assert_eq!(scene.poses_at(3).count(), scene.moving_count(), "{kind}");
        }
        assert_eq!(build(kind, 100, 100.0, 7).moving_count(), 100);
        assert_eq!(build(kind, 100, 0.0, 7).moving_count(), 0);
    }
}

#[test]
fn shares_are_fixed_as_asked() {
    for kind in SceneKind::every() {
        let scene = build(kind, 1_000, 4.0, 7);
        let surroundings = scene.bodies.iter().filter(|body| body.fixed).count();
        for (percent, count) in [(0.0, 0), (50.0, 500), (95.0, 950), (100.0, 960)] {
            let fixed = scene.clone().with_fixed(percent, 7);
            let found = fixed.bodies.iter().filter(|body| body.fixed).count();
            assert_eq!(found, surroundings + count, "{kind}, {percent} %");
            assert_eq!(fixed.moving_count(), 40, "{kind}, {percent} %");
            assert_eq!(fixed.aabbs(), scene.aabbs(), "{kind}, {percent} %");
        }
    }
    let (one, other) = (build(SceneKind::Uniform, 1_000, 4.0, 7), |seed| {
        build(SceneKind::Uniform, 1_000, 4.0, 7).with_fixed(50.0, seed).hash()
    });
    assert!(other(7) == one.with_fixed(50.0, 7).hash() && other(7) != other(8));
}

#[test]
fn two_fixed_bodies_are_no_pair() {
    let scene = build(SceneKind::Uniform, 2_000, 5.0, 1);
    let all = scene.pairs_at(0);
    assert_eq!(all, naive::pairs_sorted(&scene.aabbs()));
    let fixed = scene.with_fixed(95.0, 1);
    let left = fixed.pairs_at(0);
    let moves = |&(a, b): &(u32, u32)| [a, b].iter().any(|&id| fixed.bodies[id as usize].moving);
    assert!(left.len() > 100 && left.len() < all.len() / 5, "{} of {}", left.len(), all.len());
    assert!(all.iter().copied().filter(moves).eq(left));
}

#[test]
fn motion_does_not_change_the_bodies_and_seeds_do() {
    for kind in SceneKind::every() {
        let (still, moving) = (build(kind, 300, 0.0, 5), build(kind, 300, 100.0, 5));
        assert_eq!(still.aabbs(), moving.aabbs(), "{kind}");
        assert_ne!(moving.aabbs_at(40), moving.aabbs(), "{kind}");
        if kind != SceneKind::Stack {
            assert_ne!(build(kind, 300, 0.0, 6).aabbs(), still.aabbs(), "{kind}");
        }
    }
}

#[test]
fn bodies_drift_by_their_step() {
    let scene = build(SceneKind::Uniform, 100, 100.0, 9);
    for (index, pose) in scene.poses_at(100) {
        let way = pose.translation() - scene.bodies[index].pose.translation();
        assert!((way.length() - 3.0).abs() < 1e-4, "{way}");
    }
}

#[test]
fn the_pruning_scene_has_its_published_pairs() {
    let scene = build(SceneKind::Pruning, 10_000, 100.0, 42);
    assert_eq!(naive::pairs_sorted(&scene.aabbs()).len(), 11_811);
}

#[test]
fn the_large_pruning_scene_has_its_published_pairs() {
    let scene = build(SceneKind::Pruning, 100_000, 100.0, 42);
    assert_eq!(naive::pairs_sorted(&scene.aabbs()).len(), 1_144_045);
}

#[test]
fn every_neighbour_in_a_stack_touches() {
    let scene = build(SceneKind::Stack, 1_000, 0.0, 1);
    // Two cubes of a 10³ lattice touch if they differ by at most one on each axis: 28 of the 100
    // ordered pairs a row, as many on each axis, less the cubes themselves.
    assert_eq!(naive::pairs_quadratic(&scene.aabbs()).len(), (28_usize.pow(3) - 1_000) / 2);
}

#[test]
fn queries_are_reproducible_and_in_range() {
    let scene = build(SceneKind::Clusters, 1_000, 0.0, 2);
    assert_eq!(scene.rays(50, 3), scene.rays(50, 3));
    assert_ne!(scene.rays(50, 3), scene.rays(50, 4));
    for case in scene.rays(50, 3) {
        assert!(scene.bounds.contains_point(case.ray.origin()));
        assert!((f64::from(case.max_distance) - scene.side() * 0.5).abs() < 1e-4);
    }
    for (index, case) in scene.sweeps(QueryShape::Alternating, 50, 3).iter().enumerate() {
        let length = case.displacement.length();
        assert!((0.499..10.001).contains(&length), "{length}");
        assert_eq!(case.shape.kind_name(), ["sphere", "cuboid"][index % 2]);
    }
    let spheres = scene.overlaps(QueryShape::Sphere, 20, 3);
    let cuboids = scene.overlaps(QueryShape::Cuboid, 20, 3);
    for (a, b) in spheres.iter().zip(&cuboids) {
        assert_eq!(a.pose.position(), b.pose.position());
        assert!(b.shape.aabb(&b.pose).contains_point(b.pose.position()));
        assert_ne!(a.pose.position(), Vec3::ZERO);
    }
}

#[test]
fn names_lead_back_to_scenes() {
    for kind in SceneKind::every() {
        assert_eq!(kind.name().parse(), Ok(kind));
    }
    let error = "pile".parse::<SceneKind>().unwrap_err().to_string();
    assert!(error.starts_with("no scene is called \"pile\"; there are uniform, plain"), "{error}");
}
