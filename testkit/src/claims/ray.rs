//! What a ray at any shape must meet, by exact distances or certain bounds of them.

use impinge_shapes::{Pose, RayOptions};

use crate::{
    check::{expect_near, expect_same, ulp},
    generate::RayCase,
    oracle::{self, curved::Outcome},
};

/// Tests one ray, whose distance is to be within `ulps` of the exact one; whether it hits.
///
/// # Errors
/// The case, and what is wrong with its answer.
pub fn check(case: &RayCase, ulps: f64) -> Result<bool, String> {
    let exact = oracle::raycast(&case.shape, &case.pose, &case.ray, case.max_distance)
        .ok_or("no oracle")?;
    let found =
        case.shape.raycast(&case.pose, &case.ray, case.max_distance, &RayOptions::default());
    expect_same(found.is_some(), exact.is_some(), case)?;
    let (Some(found), Some(exact)) = (found, exact) else { return Ok(false) };
    let exact = exact.to_f64();
    expect_near(found.distance, exact, ulps, exact, case)?;
    expect_same(found.started_inside, exact <= 0.0, case)?;
    if (found.normal.length() - 1.0).abs() > 1e-6 {
        return Err(format!("normal {} for {case:?}", found.normal));
    }
    // The normal opposes the ray, a grazing one within rounding.
    if found.normal.dot(case.ray.direction()) > 1e-6 {
        return Err(format!("normal {} along the ray for {case:?}", found.normal));
    }
    expect_same(found.distance <= case.max_distance, true, case)?;
    Ok(true)
}

/// The farthest that a ray needs to go for a shape, a power of two.
fn beyond(case: &RayCase) -> f64 {
    let size = case.shape.aabb(&Pose::IDENTITY).max().as_dvec3().length();
    let between = case.pose.translation().distance(case.ray.origin().as_dvec3());
    let mut length = 1.0_f64;
    while length < 4.0 * (size + between) {
        length *= 2.0;
    }
    length
}

/// Tests a ray at a rounded cylinder or cone, within certain bounds; `None` where they do not tell.
///
/// # Errors
/// The case, and what is wrong with its answer.
pub fn check_round(case: &RayCase) -> Result<Option<bool>, String> {
    let is_endless = case.max_distance.is_infinite();
    let length = if is_endless { beyond(case) } else { f64::from(case.max_distance) };
    let outcome = oracle::ray_outcome(&case.shape, &case.pose, &case.ray, length);
    let found =
        case.shape.raycast(&case.pose, &case.ray, case.max_distance, &RayOptions::default());
    let outcome = outcome.ok_or("no oracle")?;
    // A start next to the surface may count as inside.
    let starts = oracle::ray_gap(&case.shape, &case.pose, &case.ray).ok_or("no oracle")?;
    let size = case.shape.aabb(&case.pose).half_extents().as_dvec3().length();
    let near = starts.low.max(-starts.high) < size / (1_u64 << 41) as f64;
    if found.is_some_and(|hit| hit.started_inside) && near {
        return Ok(None);
    }
    match outcome {
        Outcome::Unknown | Outcome::StartTouching { .. } => return Ok(None),
        Outcome::Miss => expect_same(found, None, case)?,
        Outcome::StartOverlapping => {
            let inside = found.is_some_and(|hit| hit.started_inside && hit.distance <= 0.0);
            expect_same(inside, true, &(case, found))?;
        }
        Outcome::Hit { time, incidence } => {
            let Some(hit) = found else { return Err(format!("missed {time:?}: {case:?}")) };
            let exact = [time.low * length, time.high * length];
            let size = case.shape.aabb(&Pose::IDENTITY).max().as_dvec3().length() + exact[1];
            // What a shell four times as thick as promised around the shape makes of it.
            let shell = size / (1_u64 << 41) as f64;
            let late = 2.0 * ulp(exact[1]) + shell / incidence;
            let chord = (2.0 * size * shell).sqrt();
            let early = 2.0 * ulp(exact[1]) + (shell / incidence).min(chord);
            let at = f64::from(hit.distance);
            if at < exact[0] - early || at > exact[1] + late {
                return Err(format!("{hit:?}, exact {exact:?} at {incidence}: {case:?}"));
            }
            expect_same(hit.started_inside, false, case)?;
            let along = hit.normal.dot(case.ray.direction());
            let fits = (hit.normal.length() - 1.0).abs() < 1e-6 && along <= 1e-6;
            expect_same(fits, true, &(case, hit))?;
        }
    }
    Ok(Some(found.is_some()))
}
