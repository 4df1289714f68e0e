//! Pairs that parry3d has no function of its own for: whatever its dispatcher takes.

use std::cell::RefCell;

use parry3d::math::Pose;
use parry3d::query::{
    ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher, QueryDispatcher,
    ShapeCastOptions, Unsupported,
};
use parry3d::shape::{Shape, SharedShape};

use super::super::cases::LENGTH;
use super::{Tests, depth, shared};
use crate::convert;
use crate::kernels::{Case, Runner, runner, side, whole};

pub(super) const TESTS: Tests = Tests { overlap, distance, contact, manifold, sweep };

/// Two shapes and their poses.
type Pair = ((SharedShape, Pose), (SharedShape, Pose));

fn pair(case: &Case) -> Pair {
    let b = convert::shape(&case.b).expect("both have all kinds");
    (shared(case), (b, convert::pose(&case.pose_b)))
}

/// A runner, unless the dispatcher knows no answer.
fn asked<T: 'static>(
    pairs: Vec<T>,
    test: impl Fn(&T) -> Result<f32, Unsupported> + 'static,
) -> Option<Runner> {
    test(pairs.first()?).ok()?;
    Some(runner(pairs, move |pair| test(pair).unwrap_or(f32::NAN)))
}

/// A runner of a test that gets B's pose in A's frame.
fn in_a(
    cases: &[Case],
    test: impl Fn(&Pose, &dyn Shape, &dyn Shape) -> Result<f32, Unsupported> + 'static,
) -> Option<Runner> {
    asked(cases.iter().map(pair).collect(), move |((a, pose_a), (b, pose_b)): &Pair| {
        test(&pose_a.inv_mul(pose_b), &**a, &**b)
    })
}

fn overlap(cases: &[Case]) -> Option<Runner> {
    in_a(cases, |at, a, b| {
        DefaultQueryDispatcher.intersection_test(at, a, b).map(|found| side(found.intersecting))
    })
}

fn distance(cases: &[Case]) -> Option<Runner> {
    in_a(cases, |at, a, b| DefaultQueryDispatcher.distance(at, a, b).map(|found| found.distance))
}

fn contact(cases: &[Case]) -> Option<Runner> {
    in_a(cases, |at, a, b| DefaultQueryDispatcher.contact(at, a, b, 0.0).map(depth))
}

/// Every manifold, without what an earlier step would have left behind; the memory is used again.
fn manifold(cases: &[Case]) -> Option<Runner> {
    let scratch = RefCell::new(Vec::<ContactManifold<(), ()>>::new());
    in_a(cases, move |at, a, b| {
        let mut found = scratch.borrow_mut();
        found.clear();
        DefaultQueryDispatcher.contact_manifolds(at, a, b, 0.0, &mut found, &mut None)?;
        let depths = found.iter().filter_map(|manifold| manifold.find_deepest_contact());
        Ok(depths.map(|point| point.dist).min_by(f32::total_cmp).unwrap_or(f32::NAN))
    })
}

fn sweep(cases: &[Case]) -> Option<Runner> {
    let way = |case: &Case| convert::vector(case.ray.direction());
    let moves = cases.iter().map(|case| (pair(case), way(case))).collect();
    let options = ShapeCastOptions::with_max_time_of_impact(LENGTH);
    asked(moves, move |(((a, pose_a), (b, pose_b)), way)| {
        let way = pose_a.rotation.inverse() * *way;
        let at = pose_a.inv_mul(pose_b);
        let found = DefaultQueryDispatcher.cast_shapes(&at, way, &**a, &**b, options);
        found.map(|hit| whole(hit).map_or(f32::NAN, |hit| -hit.time_of_impact))
    })
}
