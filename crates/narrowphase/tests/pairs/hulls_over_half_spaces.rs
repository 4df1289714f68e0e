//! Hulls that rest on half-spaces, or lie anywhere near them: batches to the bit as single calls, at
//! every level.

use crate::common::{Random, pose};
use impinge_narrowphase::batch::{self, PairOf, PairRef, SweepRef};
use impinge_narrowphase::{SweepOptions, closest, distance, manifolds, relation, sweep};
use impinge_shapes::glam::{Quat, Vec3};
use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{Pose, Shape};

fn levels() -> impl Iterator<Item = SimdLevel> {
    SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name))
}

/// Blocks, few corners or many, some of which are as far as others.
fn hull(random: &mut Random) -> Shape {
    let count = [8, 14, 40, 160][usize::try_from(random.next() % 4).unwrap_or(0)];
    let is_coarse = random.one_in(2);
    let points: Vec<Vec3> = (0..count)
        .map(|k| {
            let signs = Vec3::from([1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 }));
            let point = if count == 8 { signs } else { random.vector(1.0).normalize_or_zero() };
            if is_coarse { (point * 4.0).round() * 0.25 } else { point }
        })
        .collect();
    Shape::convex_hull(&points).expect("finite points")
}

/// A hull on a floor or near it, or near one that leans.
struct Body {
    hull: Shape,
    at: Pose,
    floor: Shape,
    flipped: bool,
    way: Vec3,
}

impl Body {
    fn drawn(seed: u64) -> Self {
        let mut random = Random(seed);
        let hull = hull(&mut random);
        let turn = match random.next() % 4 {
            0 => Quat::IDENTITY,
            1 => Quat::from_xyzw(0.0, random.within(-1.0, 1.0), 0.0, 1.0),
            2 => Quat::from_vec4((random.whole_vector(1), 1.0).into()),
            _ => random.rotation(),
        };
        let tilt = if random.one_in(4) { random.vector(0.1) } else { Vec3::ZERO };
        let floor = Shape::half_space(Vec3::Y + tilt, 0.25).expect("a normal");
        let low = hull.aabb(&pose(Vec3::ZERO, turn)).min().y;
        let gap = if random.one_in(2) { 0.0 } else { random.within(-0.5, 0.5) };
        let at = pose(random.vector(8.0).with_y(0.25 - low + gap), turn);
        let down = [0.0, -1.0, random.within(-1.0, 1.0)][random.axis()];
        let way = random.vector(1.0).with_y(down);
        Self { hull, at, floor, flipped: random.one_in(2), way }
    }

    fn pair(&self) -> PairRef<'_> {
        let Self { hull, at, floor, .. } = self;
        let under = &Pose::IDENTITY;
        if self.flipped {
            PairOf { a: floor, pose_a: under, b: hull, pose_b: at }
        } else {
            PairOf { a: hull, pose_a: at, b: floor, pose_b: under }
        }
    }

    fn sweep(&self) -> SweepRef<'_> {
        let PairOf { a: mover, pose_a: pose, b: target, pose_b: target_pose } = self.pair();
        SweepRef { mover, pose, displacement: self.way, target, target_pose }
    }
}

#[test]
fn hulls_side_by_side_are_told_as_one_by_one() {
    let bodies: Vec<Body> = (0..3_000).map(Body::drawn).collect();
    let pairs: Vec<PairRef<'_>> = bodies.iter().map(Body::pair).collect();
    let mut seen = [0; 3];
    for level in levels() {
        let (mut overlaps, mut distances) = (Vec::new(), Vec::new());
        let (mut nearest, mut contacts) = (Vec::new(), Vec::new());
        batch::overlaps(&pairs, level, &mut overlaps);
        batch::distances(&pairs, level, &mut distances);
        batch::closest(&pairs, 0.25, level, &mut nearest);
        batch::manifolds(&pairs, 0.25, level, &mut contacts);
        for (k, &PairOf { a, pose_a, b, pose_b }) in pairs.iter().enumerate() {
            let name = format!("seed {k}, {}", level.name());
            let relation = relation(a, pose_a, b, pose_b);
            seen[relation as usize] += 1;
            assert_eq!(overlaps[k], relation.overlaps(), "{name}");
            let distance = distance(a, pose_a, b, pose_b);
            assert_eq!(distances[k].to_bits(), distance.to_bits(), "{name}");
            assert_eq!(nearest[k], closest(a, pose_a, b, pose_b, 0.25), "{name}");
            assert_eq!(contacts[k], manifolds(a, pose_a, b, pose_b, 0.25), "{name}");
        }
    }
    assert!(seen.iter().all(|&count| count > 500), "{seen:?}");
}

#[test]
fn hulls_side_by_side_move_as_one_by_one() {
    let bodies: Vec<Body> = (0..3_000).map(Body::drawn).collect();
    let sweeps: Vec<SweepRef<'_>> = bodies.iter().map(Body::sweep).collect();
    for (level, stop_on_touch) in levels().flat_map(|level| [(level, false), (level, true)]) {
        let options = SweepOptions { stop_on_touch, ..SweepOptions::default() };
        let (mut found, mut hits) = (Vec::new(), 0);
        batch::sweeps(&sweeps, &options, level, &mut found);
        for (k, it) in sweeps.iter().enumerate() {
            let SweepRef { mover, pose, displacement, target, target_pose } = *it;
            let expected = sweep(mover, pose, displacement, target, target_pose, &options);
            assert_eq!(found[k], expected, "seed {k}, {}", level.name());
            hits += usize::from(expected.is_some());
        }
        assert!(hits > 500 && found.len() - hits > 500, "{hits}");
    }
}
