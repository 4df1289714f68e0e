//! impinge's tests, called as a user calls them.

use impinge_narrowphase as narrow;
use impinge_shapes::RayOptions;

use super::{Case, Runner, runner, side};

pub(super) fn box_box_overlap(cases: &[Case]) -> Runner {
    runner(cases.to_vec(), |case| {
        side(narrow::overlaps(&case.a, &case.pose_a, &case.b, &case.pose_b))
    })
}

/// Depth, normal and points of those that overlap.
fn contact(cases: &[Case]) -> Runner {
    runner(cases.to_vec(), |case| {
        narrow::closest(&case.a, &case.pose_a, &case.b, &case.pose_b, 0.0)
            .map_or(f32::NAN, |closest| closest.distance)
    })
}

/// 0 where they overlap, as others give it.
pub(super) fn box_box_distance(cases: &[Case]) -> Runner {
    runner(cases.to_vec(), |case| {
        narrow::closest(&case.a, &case.pose_a, &case.b, &case.pose_b, f32::INFINITY)
            .map_or(f32::NAN, |closest| closest.distance.max(0.0))
    })
}

pub(super) fn box_box_manifold(cases: &[Case]) -> Runner {
    runner(cases.to_vec(), |case| {
        narrow::manifold(&case.a, &case.pose_a, &case.b, &case.pose_b, 0.0)
            .map_or(f32::NAN, |manifold| manifold.distance())
    })
}

pub(super) fn box_box_contact(cases: &[Case]) -> Runner {
    contact(cases)
}

pub(super) fn box_sphere(cases: &[Case]) -> Runner {
    contact(cases)
}

pub(super) fn capsule_capsule(cases: &[Case]) -> Runner {
    contact(cases)
}

pub(super) fn capsule_box(cases: &[Case]) -> Runner {
    contact(cases)
}

pub(super) fn sphere_sphere(cases: &[Case]) -> Runner {
    contact(cases)
}

pub(super) fn ray_box(cases: &[Case]) -> Runner {
    runner(cases.to_vec(), |case| {
        case.a
            .raycast(&case.pose_a, &case.ray, 10.0, &RayOptions::default())
            .map_or(f32::NAN, |hit| -hit.distance)
    })
}
