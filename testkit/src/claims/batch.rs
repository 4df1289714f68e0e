//! What batches must be: to the bit what single calls are, at every level.

use glam::Vec3;
use impinge_narrowphase::batch::{self, ManifoldSink, PairOf, PairRef};
use impinge_narrowphase::{self as narrow, ContactPoints, Manifold};

use super::same::assert_same;
use crate::{check::levels, generate::PairCase};

const LIMITS: [f32; 4] = [-0.05, 0.0, 0.2, f32::INFINITY];

/// Pairs that borrow the cases.
#[must_use]
pub fn references(cases: &[PairCase]) -> Vec<PairRef<'_>> {
    cases
        .iter()
        .map(|case| PairOf { a: &case.a, pose_a: &case.pose_a, b: &case.b, pose_b: &case.pose_b })
        .collect()
}

/// Compares batches of pairs at every level with single calls; how many of them overlap.
///
/// # Panics
/// An answer differs in a bit.
#[must_use]
pub fn check(cases: &[PairCase]) -> usize {
    let pairs = references(cases);
    let overlaps: Vec<bool> =
        cases.iter().map(|c| narrow::overlaps(&c.a, &c.pose_a, &c.b, &c.pose_b)).collect();
    let distances: Vec<f32> =
        cases.iter().map(|c| narrow::distance(&c.a, &c.pose_a, &c.b, &c.pose_b)).collect();
    for level in levels() {
        let mut found = Vec::new();
        batch::overlaps(&pairs, level, &mut found);
        assert_same(&overlaps, &found, cases, "overlaps", level);
        let mut found = Vec::new();
        batch::distances(&pairs, level, &mut found);
        assert_same(&distances, &found, cases, "distances", level);
    }
    for limit in LIMITS {
        let _ = check_limit(cases, &pairs, limit);
    }
    overlaps.iter().filter(|&&yes| yes).count()
}

/// Closest points and manifolds of batches with this limit, which are compared with those of single
/// calls; the closest points.
///
/// # Panics
/// An answer differs in a bit.
#[must_use]
pub fn check_limit(
    cases: &[PairCase],
    pairs: &[PairRef<'_>],
    limit: f32,
) -> Vec<Option<narrow::Closest>> {
    let closest: Vec<_> =
        cases.iter().map(|c| narrow::closest(&c.a, &c.pose_a, &c.b, &c.pose_b, limit)).collect();
    let manifolds: Vec<_> =
        cases.iter().map(|c| narrow::manifolds(&c.a, &c.pose_a, &c.b, &c.pose_b, limit)).collect();
    for level in levels() {
        let mut found = Vec::new();
        batch::closest(pairs, limit, level, &mut found);
        assert_same(&closest, &found, cases, "closest", level);
        let mut found = Vec::new();
        batch::manifolds(pairs, limit, level, &mut found);
        assert_same(&manifolds, &found, cases, "manifolds", level);
        let mut found = Found { manifolds: vec![Vec::new(); pairs.len()], order: Vec::new() };
        batch::manifolds_into(pairs, limit, level, &mut found);
        let all: Vec<_> = manifolds.iter().map(|all| all.to_vec()).collect();
        assert_same(&all, &found.manifolds, cases, "manifolds elsewhere", level);
        // Those of a pair come in a row.
        found.order.dedup();
        let met = manifolds.iter().filter(|all| !all.is_empty()).count();
        assert_eq!(found.order.len(), met);
    }
    closest
}

/// Manifolds as they come.
struct Found {
    manifolds: Vec<Vec<Manifold>>,
    /// The pair of each.
    order: Vec<usize>,
}

impl ManifoldSink for Found {
    fn begin(
        &mut self,
        pair: usize,
        normal: Vec3,
        (part_a, part_b): (u32, u32),
    ) -> &mut ContactPoints {
        let all = &mut self.manifolds[pair];
        all.push(Manifold { normal, points: ContactPoints::new(), part_a, part_b });
        self.order.push(pair);
        &mut all.last_mut().expect("one was put there").points
    }
}
