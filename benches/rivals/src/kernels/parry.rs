//! parry3d's tests for the very pair of shapes, without its dispatch.

use std::cell::RefCell;

use impinge_shapes::Shape;
use parry3d::math::Pose;
use parry3d::query::{Contact, ContactManifold, Ray, RayCast, details};
use parry3d::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, SharedShape};

use super::{Case, RAY_LENGTH, Runner, runner, side, whole};
use crate::convert;

/// Two shapes and their poses.
type Pair<A, B> = (A, Pose, B, Pose);

fn cuboid(shape: &SharedShape) -> Option<Cuboid> {
    shape.as_cuboid().copied()
}

fn ball(shape: &SharedShape) -> Option<Ball> {
    shape.as_ball().copied()
}

fn capsule(shape: &SharedShape) -> Option<Capsule> {
    shape.as_capsule().copied()
}

/// The depth of a contact whose points and normals are there, too.
fn depth(found: Option<Contact>) -> f32 {
    whole(found).map_or(f32::NAN, |contact| contact.dist)
}

/// The pairs in parry3d's types.
fn pairs<A, B>(
    cases: &[Case],
    a: fn(&SharedShape) -> Option<A>,
    b: fn(&SharedShape) -> Option<B>,
) -> Vec<Pair<A, B>> {
    let shape = |shape: &Shape| convert::shape(shape).expect("cases hold simple shapes");
    let pair = |case: &Case| {
        let (pose_a, pose_b) = (convert::pose(&case.pose_a), convert::pose(&case.pose_b));
        Some((a(&shape(&case.a))?, pose_a, b(&shape(&case.b))?, pose_b))
    };
    let pairs: Vec<Pair<A, B>> = cases.iter().filter_map(pair).collect();
    assert_eq!(pairs.len(), cases.len(), "cases of one kind hold the same shapes");
    pairs
}

pub(super) fn box_box_overlap(cases: &[Case]) -> Runner {
    runner(pairs(cases, cuboid, cuboid), |(a, pose_a, b, pose_b)| {
        side(details::intersection_test_cuboid_cuboid(&pose_a.inv_mul(pose_b), a, b))
    })
}

/// 0 where they overlap.
pub(super) fn box_box_distance(cases: &[Case]) -> Runner {
    runner(pairs(cases, cuboid, cuboid), |(a, pose_a, b, pose_b)| {
        details::distance_support_map_support_map(&pose_a.inv_mul(pose_b), a, b)
    })
}

pub(super) fn box_box_manifold(cases: &[Case]) -> Runner {
    let scratch = RefCell::new(ContactManifold::<(), ()>::new());
    runner(pairs(cases, cuboid, cuboid), move |(a, pose_a, b, pose_b)| {
        let mut manifold = scratch.borrow_mut();
        manifold.clear();
        let b_in_a = pose_a.inv_mul(pose_b);
        details::contact_manifold_cuboid_cuboid(&b_in_a, a, b, 0.0, &mut manifold);
        manifold.find_deepest_contact().map_or(f32::NAN, |point| point.dist)
    })
}

pub(super) fn box_box_contact(cases: &[Case]) -> Runner {
    runner(pairs(cases, cuboid, cuboid), |(a, pose_a, b, pose_b)| {
        let b_in_a = pose_a.inv_mul(pose_b);
        depth(details::contact_support_map_support_map(&b_in_a, a, b, 0.0))
    })
}

pub(super) fn box_sphere(cases: &[Case]) -> Runner {
    runner(pairs(cases, cuboid, ball), |(a, pose_a, b, pose_b)| {
        let b_in_a = pose_a.inv_mul(pose_b);
        depth(details::contact_convex_polyhedron_ball(&b_in_a, a, b, 0.0))
    })
}

pub(super) fn capsule_capsule(cases: &[Case]) -> Runner {
    let scratch = RefCell::new(ContactManifold::<(), ()>::new());
    runner(pairs(cases, capsule, capsule), move |(a, pose_a, b, pose_b)| {
        let mut manifold = scratch.borrow_mut();
        manifold.clear();
        let b_in_a = pose_a.inv_mul(pose_b);
        details::contact_manifold_capsule_capsule(&b_in_a, a, b, 0.0, &mut manifold);
        manifold.find_deepest_contact().map_or(f32::NAN, |point| point.dist)
    })
}

pub(super) fn capsule_box(cases: &[Case]) -> Runner {
    runner(pairs(cases, cuboid, capsule), |(a, pose_a, b, pose_b)| {
        let b_in_a = pose_a.inv_mul(pose_b);
        depth(details::contact_support_map_support_map(&b_in_a, a, b, 0.0))
    })
}

pub(super) fn sphere_sphere(cases: &[Case]) -> Runner {
    runner(pairs(cases, ball, ball), |(a, pose_a, b, pose_b)| {
        depth(details::contact_ball_ball(&pose_a.inv_mul(pose_b), a, b, 0.0))
    })
}

fn hull(shape: &SharedShape) -> Option<ConvexPolyhedron> {
    shape.as_convex_polyhedron().cloned()
}

pub(super) fn hull_hull_overlap(cases: &[Case]) -> Runner {
    runner(pairs(cases, hull, hull), |(a, pose_a, b, pose_b)| {
        side(details::intersection_test_support_map_support_map(&pose_a.inv_mul(pose_b), a, b))
    })
}

/// 0 where they overlap.
pub(super) fn hull_hull_distance(cases: &[Case]) -> Runner {
    runner(pairs(cases, hull, hull), |(a, pose_a, b, pose_b)| {
        details::distance_support_map_support_map(&pose_a.inv_mul(pose_b), a, b)
    })
}

pub(super) fn hull_hull_contact(cases: &[Case]) -> Runner {
    runner(pairs(cases, hull, hull), |(a, pose_a, b, pose_b)| {
        let b_in_a = pose_a.inv_mul(pose_b);
        depth(details::contact_support_map_support_map(&b_in_a, a, b, 0.0))
    })
}

pub(super) fn hull_hull_manifold(cases: &[Case]) -> Runner {
    let scratch = RefCell::new(ContactManifold::<(), ()>::new());
    runner(pairs(cases, hull, hull), move |(a, pose_a, b, pose_b)| {
        let mut manifold = scratch.borrow_mut();
        manifold.clear();
        let b_in_a = pose_a.inv_mul(pose_b);
        details::contact_manifold_pfm_pfm(&b_in_a, a, 0.0, None, b, 0.0, None, 0.0, &mut *manifold);
        manifold.find_deepest_contact().map_or(f32::NAN, |point| point.dist)
    })
}

/// With the normal, as impinge gives it too.
pub(super) fn ray_box(cases: &[Case]) -> Runner {
    let ray = |case: &Case| {
        let (origin, direction) = (case.ray.origin(), case.ray.direction());
        Ray::new(convert::vector(origin), convert::vector(direction))
    };
    let boxes = pairs(cases, cuboid, cuboid).into_iter();
    let pairs = boxes.zip(cases).map(|((a, pose_a, ..), case)| (a, pose_a, ray(case))).collect();
    runner(pairs, |(a, pose_a, ray): &(Cuboid, Pose, Ray)| {
        whole(a.cast_ray_and_get_normal(pose_a, ray, RAY_LENGTH, true))
            .map_or(f32::NAN, |hit| -hit.time_of_impact)
    })
}
