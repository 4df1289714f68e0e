//! impinge's tests, called as a user calls them.

use std::cell::RefCell;

use impinge_narrowphase::batch::{AsPair, AsRay, PairRef, PlacedPair, PlacedRay, RayRef};
use impinge_narrowphase::{self as narrow, Closest, batch};
use impinge_shapes::simd::simd_level;
use impinge_shapes::{Capsule, Cuboid, Pose, Ray, RayOptions, Shape, ShapeRayHit, Sphere};

use super::{Case, RAY_LENGTH, Runner, runner, side, whole};

pub(crate) fn overlap(cases: &[Case]) -> Runner {
    runner(placed(cases), |pair| {
        side(narrow::overlaps(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b))
    })
}

/// The shapes and where they are, without the ray.
fn placed(cases: &[Case]) -> Vec<PlacedPair<Shape, Shape>> {
    let pair = |case: &Case| PlacedPair {
        a: case.a.clone(),
        pose_a: case.pose_a,
        b: case.b.clone(),
        pose_b: case.pose_b,
    };
    cases.iter().map(pair).collect()
}

/// Depth, normal and points of those that overlap.
pub(crate) fn contact(cases: &[Case]) -> Runner {
    runner(placed(cases), |pair| {
        whole(narrow::closest(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, 0.0))
            .map_or(f32::NAN, |closest| closest.distance)
    })
}

/// 0 where they overlap, as others give it.
pub(crate) fn distance(cases: &[Case]) -> Runner {
    runner(placed(cases), |pair| narrow::distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b))
}

pub(crate) fn manifold(cases: &[Case]) -> Runner {
    runner(placed(cases), |pair| {
        whole(narrow::manifold(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, 0.0))
            .map_or(f32::NAN, |manifold| manifold.distance())
    })
}

pub(super) fn box_box_contact(cases: &[Case]) -> Runner {
    contact(cases)
}

pub(super) fn hull_hull_contact(cases: &[Case]) -> Runner {
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

pub(crate) fn ray_box(cases: &[Case]) -> Runner {
    let rays = cases.iter().map(|case| (case.a.clone(), case.pose_a, case.ray)).collect();
    runner(rays, |(shape, pose, ray): &(Shape, Pose, Ray)| {
        whole(shape.raycast(pose, ray, RAY_LENGTH, &RayOptions::default()))
            .map_or(f32::NAN, |hit| -hit.distance)
    })
}

/// Rays at shapes of any kind.
pub(crate) fn mixed_ray_box(cases: &[Case]) -> Runner {
    let placed =
        |case: &Case| PlacedRay { ray: case.ray, shape: case.a.clone(), pose: case.pose_a };
    let rays: &'static [PlacedRay<Shape>] = Vec::leak(cases.iter().map(placed).collect());
    let rays: Vec<RayRef<'static>> = rays.iter().map(AsRay::as_ray).collect();
    let options = RayOptions::default();
    batched(
        move |found| batch::raycast(&rays, RAY_LENGTH, &options, simd_level(), found),
        hit_distance,
    )
}

/// Rays at boxes, side by side as the peers have them.
pub(super) fn lanes_ray_box(cases: &[Case]) -> Runner {
    let placed = |case: &Case| {
        let shape = *cuboid(&case.a).expect("rays of this kind meet boxes");
        PlacedRay { ray: case.ray, shape, pose: case.pose_a }
    };
    let rays: Vec<PlacedRay<Cuboid>> = cases.iter().map(placed).collect();
    let options = RayOptions::default();
    batched(
        move |found| batch::ray_cuboid::raycast(&rays, RAY_LENGTH, &options, simd_level(), found),
        hit_distance,
    )
}

pub(crate) fn hit_distance(found: &Option<ShapeRayHit>) -> f32 {
    found.map_or(f32::NAN, |hit| -hit.distance)
}

/// Cases that live as long as the program, so that pairs can borrow them.
fn kept(cases: &[Case]) -> &'static [PlacedPair<Shape, Shape>] {
    Vec::leak(placed(cases))
}

/// Pairs of any kind.
fn mixed(cases: &[Case]) -> Vec<PairRef<'static>> {
    kept(cases).iter().map(AsPair::as_pair).collect()
}

/// Pairs of a known kind, side by side as the peers have them.
pub(crate) fn known<A: Copy, B: Copy>(
    cases: &[Case],
    a: fn(&Shape) -> Option<&A>,
    b: fn(&Shape) -> Option<&B>,
) -> Vec<PlacedPair<A, B>> {
    let pair = |case: &Case| {
        let (a, b) = (*a(&case.a)?, *b(&case.b)?);
        Some(PlacedPair { a, pose_a: case.pose_a, b, pose_b: case.pose_b })
    };
    let pairs: Vec<_> = cases.iter().filter_map(pair).collect();
    assert_eq!(pairs.len(), cases.len(), "cases of one kind hold the same shapes");
    pairs
}

fn cuboid(shape: &Shape) -> Option<&Cuboid> {
    if let Shape::Cuboid(cuboid) = shape { Some(cuboid) } else { None }
}

fn sphere(shape: &Shape) -> Option<&Sphere> {
    if let Shape::Sphere(sphere) = shape { Some(sphere) } else { None }
}

fn capsule(shape: &Shape) -> Option<&Capsule> {
    if let Shape::Capsule(capsule) = shape { Some(capsule) } else { None }
}

/// A runner of a batch: `run` fills the vector, `answer` reads each of its answers.
pub(crate) fn batched<T: 'static>(
    run: impl Fn(&mut Vec<T>) + 'static,
    answer: impl Fn(&T) -> f32 + 'static,
) -> Runner {
    let scratch = RefCell::new(Vec::new());
    Box::new(move |answers| {
        let mut found = scratch.borrow_mut();
        run(&mut found);
        answers.clear();
        answers.extend(found.iter().map(&answer));
    })
}

pub(crate) fn depth(found: &Option<Closest>) -> f32 {
    found.map_or(f32::NAN, |closest| closest.distance)
}

/// Contacts of a mix, which is all of one kind here.
pub(crate) fn mixed_contact(cases: &[Case]) -> Runner {
    let pairs = mixed(cases);
    batched(move |found| batch::closest(&pairs, 0.0, simd_level(), found), depth)
}

pub(crate) fn mixed_overlap(cases: &[Case]) -> Runner {
    let pairs = mixed(cases);
    batched(move |found| batch::overlaps(&pairs, simd_level(), found), |&found| side(found))
}

pub(crate) fn mixed_manifold(cases: &[Case]) -> Runner {
    let pairs = mixed(cases);
    batched(
        move |found| batch::manifolds(&pairs, 0.0, simd_level(), found),
        |found| {
            let depths = found.iter().map(narrow::Manifold::distance);
            depths.min_by(f32::total_cmp).unwrap_or(f32::NAN)
        },
    )
}

pub(crate) fn mixed_distance(cases: &[Case]) -> Runner {
    let pairs = mixed(cases);
    batched(move |found| batch::distances(&pairs, simd_level(), found), |&distance| distance)
}

pub(super) fn lanes_box_box_overlap(cases: &[Case]) -> Runner {
    let pairs = known(cases, cuboid, cuboid);
    batched(
        move |found| batch::cuboid_cuboid::overlaps(&pairs, simd_level(), found),
        |&found| side(found),
    )
}

pub(super) fn lanes_box_box_distance(cases: &[Case]) -> Runner {
    let pairs = known(cases, cuboid, cuboid);
    batched(
        move |found| {
            batch::cuboid_cuboid::closest(&pairs, f32::INFINITY, simd_level(), found);
        },
        |found| depth(found).max(0.0),
    )
}

pub(super) fn lanes_box_box_manifold(cases: &[Case]) -> Runner {
    let pairs = known(cases, cuboid, cuboid);
    batched(
        move |found| batch::cuboid_cuboid::manifolds(&pairs, 0.0, simd_level(), found),
        |found| found.as_ref().map_or(f32::NAN, narrow::Manifold::distance),
    )
}

pub(super) fn lanes_box_box_contact(cases: &[Case]) -> Runner {
    let pairs = known(cases, cuboid, cuboid);
    batched(move |found| batch::cuboid_cuboid::closest(&pairs, 0.0, simd_level(), found), depth)
}

pub(super) fn lanes_box_sphere(cases: &[Case]) -> Runner {
    let pairs = known(cases, cuboid, sphere);
    batched(move |found| batch::cuboid_sphere::closest(&pairs, 0.0, simd_level(), found), depth)
}

pub(super) fn lanes_capsule_capsule(cases: &[Case]) -> Runner {
    let pairs = known(cases, capsule, capsule);
    batched(move |found| batch::capsule_capsule::closest(&pairs, 0.0, simd_level(), found), depth)
}

/// With the capsule first, as the functions of the kind have it.
pub(super) fn lanes_capsule_box(cases: &[Case]) -> Runner {
    let pairs: Vec<_> = known(cases, cuboid, capsule)
        .into_iter()
        .map(|PlacedPair { a, pose_a, b, pose_b }| PlacedPair {
            a: b,
            pose_a: pose_b,
            b: a,
            pose_b: pose_a,
        })
        .collect();
    batched(move |found| batch::capsule_cuboid::closest(&pairs, 0.0, simd_level(), found), depth)
}

pub(super) fn lanes_sphere_sphere(cases: &[Case]) -> Runner {
    let pairs = known(cases, sphere, sphere);
    batched(move |found| batch::sphere_sphere::closest(&pairs, 0.0, simd_level(), found), depth)
}
