//! What the signed distance, the normal and the witnesses of two convex shapes must be, by exact
//! distances or certain bounds.

use glam::{DVec3, Vec3};
use impinge_narrowphase::Closest;
use impinge_shapes::{Pose, Shape};

use crate::{
    check::ulp,
    generate::PairCase,
    oracle::{self, curved::Bounds},
};

/// How far two shapes are apart along a direction: at most their distance, and minus the depth to
/// which they overlap where a move along it is the shortest that parts them.
fn gap_along(case: &PairCase, normal: DVec3) -> Option<f64> {
    let farthest = |shape: &Shape, pose: &Pose, direction: DVec3| {
        let m = pose.rotation_matrix();
        let point = m * shape.support(m.transpose() * direction)? + pose.translation();
        Some(direction.dot(point))
    };
    let top = farthest(&case.a, &case.pose_a, normal)?;
    let bottom = farthest(&case.b, &case.pose_b, -normal)?;
    Some(-bottom - top)
}

/// How far a point is from a shape, from the oracle.
fn off_shape(shape: &Shape, pose: &Pose, point: Vec3) -> Option<f64> {
    let dot = Shape::sphere(0.0).ok()?;
    oracle::clearance(shape, pose, &dot, &Pose::from_position(point).ok()?)
}

/// The largest errors seen, in last places of the largest coordinate.
#[derive(Debug, Default)]
pub struct Worst {
    /// Of the signed distance.
    pub distance: f64,
    /// Of the gap along the normal that was told.
    pub normal: f64,
    /// Of points off the shapes.
    pub points: f64,
}

/// Tests one answer, and keeps the largest errors; what is found step by step may be off by 2^-20
/// of `size`.
///
/// # Errors
/// The case, and what is wrong with its answer.
pub fn check(
    case: &PairCase,
    found: &Closest,
    exact: Bounds,
    size: f64,
    worst: &mut Worst,
) -> Result<(), String> {
    let told = || format!("{found:?}, exact {exact:?}, for {case:?}");
    let unit = ulp(case.magnitude());
    // The depth of curved shapes is found step by step, and its place is as flat as they are.
    let curved = case.is_curved();
    let depth_slack = if curved && exact.low < 0.0 { size / f64::from(1 << 20) } else { 0.0 };
    let place_slack = if curved { size / f64::from(1 << 11) } else { 0.0 };
    let miss = exact.miss(found.distance.into());
    worst.distance = worst.distance.max(miss / unit);
    if miss.is_nan() || miss > 4.0 * unit + depth_slack {
        return Err(format!("{} ulp off: {}", miss / unit, told()));
    }
    let normal = found.normal.as_dvec3();
    if (normal.length() - 1.0).abs() > 1e-6 {
        return Err(format!("no unit normal: {}", told()));
    }
    // The normal is rounded, which tilts it by an ulp of 1 times the sizes.
    let gap = gap_along(case, normal.normalize()).ok_or_else(told)?;
    let off = (gap - f64::from(found.distance)).abs();
    worst.normal = worst.normal.max((off - miss - exact.width()) / unit);
    if off > 8.0 * unit + miss + exact.width() + place_slack {
        return Err(format!("{gap} along the normal: {}", told()));
    }
    let step = (found.point_b.as_dvec3() - found.point_a.as_dvec3()) - normal * gap;
    if step.length() > 16.0 * unit + exact.width() + place_slack {
        return Err(format!("points {} off the normal: {}", step.length() / unit, told()));
    }
    let on_a = off_shape(&case.a, &case.pose_a, found.point_a).ok_or_else(told)?;
    let on_b = off_shape(&case.b, &case.pose_b, found.point_b).ok_or_else(told)?;
    worst.points = worst.points.max(on_a.max(on_b) / unit);
    if on_a.max(on_b) > if curved { 64.0 } else { 4.0 } * unit {
        return Err(format!("points {on_a} and {on_b} off the shapes: {}", told()));
    }
    Ok(())
}
