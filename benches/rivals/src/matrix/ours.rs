//! impinge's answers to the questions that only this suite asks; the others are the kernels'.

use impinge_narrowphase::batch::{self, PointRef, SweepRef};
use impinge_narrowphase::{self as narrow, Projection, ShapeSweepHit, SweepOptions};
use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::simd_level;
use impinge_shapes::{Pose, Shape};

use super::cases::LENGTH;
use crate::kernels::ours::batched;
use crate::kernels::{Case, Runner, runner, whole};

pub(super) fn sweep(cases: &[Case]) -> Runner {
    let options = SweepOptions::default();
    runner(cases.to_vec(), move |Case { a, pose_a, b, pose_b, ray }| {
        let way = ray.direction() * LENGTH;
        whole(narrow::sweep(b, pose_b, way, a, pose_a, &options))
            .map_or(f32::NAN, |hit| -hit.distance)
    })
}

/// The same in a batch.
pub(super) fn sweep_batch(cases: &[Case]) -> Runner {
    let cases: &'static [Case] = Vec::leak(cases.to_vec());
    let sweeps = cases.iter().map(|case| SweepRef {
        mover: &case.b,
        pose: &case.pose_b,
        displacement: case.ray.direction() * LENGTH,
        target: &case.a,
        target_pose: &case.pose_a,
    });
    let sweeps: Vec<SweepRef<'static>> = sweeps.collect();
    let options = SweepOptions::default();
    batched(
        move |found| batch::sweeps(&sweeps, &options, simd_level(), found),
        |found: &Option<ShapeSweepHit>| found.map_or(f32::NAN, |hit| -hit.distance),
    )
}

/// Signed distance, with the nearest point.
pub(super) fn project(cases: &[Case]) -> Runner {
    let points = cases.iter().map(|case| (case.a.clone(), case.pose_a, case.ray.origin()));
    runner(points.collect(), |(shape, pose, point): &(Shape, Pose, _)| {
        whole(narrow::project_point(shape, pose, *point, f32::INFINITY))
            .map_or(f32::NAN, |found| found.distance)
    })
}

/// The same in a batch.
pub(super) fn project_batch(cases: &[Case]) -> Runner {
    let placed: &'static [(Shape, Pose, Vec3)] = Vec::leak(
        cases.iter().map(|case| (case.a.clone(), case.pose_a, case.ray.origin())).collect(),
    );
    let points = placed.iter().map(|(shape, pose, point)| PointRef { point: *point, shape, pose });
    let points: Vec<PointRef<'static>> = points.collect();
    batched(
        move |found| batch::project_points(&points, f32::INFINITY, simd_level(), found),
        |found: &Option<Projection>| found.map_or(f32::NAN, |found| found.distance),
    )
}
