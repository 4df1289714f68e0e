//! Box3D's tests for the very pair of shapes, without anything remembered from a step before.

use impinge_foreign::box3d::{self, BoxHull, Capsule, Manifold, PointHull, Sphere};
use impinge_shapes::Shape;
use parry3d::math::Pose;

use super::{Case, Runner, runner, side, whole};
use crate::convert;

/// Two shapes and their poses.
type Pair<A, B> = (A, Pose, B, Pose);

fn cuboid(shape: &Shape) -> Option<BoxHull> {
    let Shape::Cuboid(cuboid) = shape else { return None };
    Some(BoxHull::new(cuboid.half_extents().to_array()))
}

fn sphere(shape: &Shape) -> Option<Sphere> {
    let Shape::Sphere(sphere) = shape else { return None };
    Some(Sphere::new(sphere.radius()))
}

fn capsule(shape: &Shape) -> Option<Capsule> {
    let Shape::Capsule(capsule) = shape else { return None };
    Some(Capsule::new(capsule.a().to_array(), capsule.b().to_array(), capsule.radius()))
}

fn hull(shape: &Shape) -> Option<PointHull> {
    let Shape::ConvexHull(hull) = shape else { return None };
    let points: Vec<_> = hull.vertices().iter().map(|vertex| vertex.to_array()).collect();
    PointHull::new(&points)
}

/// The pairs in Box3D's types.
fn pairs<A, B>(
    cases: &[Case],
    a: fn(&Shape) -> Option<A>,
    b: fn(&Shape) -> Option<B>,
) -> Vec<Pair<A, B>> {
    let pair = |case: &Case| {
        let (pose_a, pose_b) = (convert::pose(&case.pose_a), convert::pose(&case.pose_b));
        Some((a(&case.a)?, pose_a, b(&case.b)?, pose_b))
    };
    let pairs: Vec<Pair<A, B>> = cases.iter().filter_map(pair).collect();
    assert_eq!(pairs.len(), cases.len(), "cases of one kind hold the same shapes");
    pairs
}

/// The second pose from the first one.
fn relative(a: &Pose, b: &Pose) -> impinge_foreign::Pose {
    convert::foreign_pose(&a.inv_mul(b))
}

/// The depth of a contact, where it is one: shapes a little apart have points, too.
fn depth(manifold: Manifold) -> f32 {
    let deepest = whole(manifold).deepest();
    deepest.filter(|&depth| depth <= 0.0).unwrap_or(f32::NAN)
}

pub(super) fn box_box_overlap(cases: &[Case]) -> Runner {
    runner(pairs(cases, cuboid, cuboid), |(a, pose_a, b, pose_b)| {
        let (a, b) = (a.hull().cloud(), b.hull().cloud());
        side(box3d::distance(a, b, &relative(pose_a, pose_b)) <= 0.0)
    })
}

/// 0 where they overlap.
pub(super) fn box_box_distance(cases: &[Case]) -> Runner {
    runner(pairs(cases, cuboid, cuboid), |(a, pose_a, b, pose_b)| {
        box3d::distance(a.hull().cloud(), b.hull().cloud(), &relative(pose_a, pose_b))
    })
}

pub(super) fn box_box_manifold(cases: &[Case]) -> Runner {
    runner(pairs(cases, cuboid, cuboid), |(a, pose_a, b, pose_b)| {
        depth(box3d::collide_hulls(a.hull(), b.hull(), &relative(pose_a, pose_b)))
    })
}

pub(super) fn box_sphere(cases: &[Case]) -> Runner {
    runner(pairs(cases, cuboid, sphere), |(a, pose_a, b, pose_b)| {
        depth(box3d::collide_hull_and_sphere(a.hull(), b, &relative(pose_a, pose_b)))
    })
}

pub(super) fn capsule_capsule(cases: &[Case]) -> Runner {
    runner(pairs(cases, capsule, capsule), |(a, pose_a, b, pose_b)| {
        depth(box3d::collide_capsules(a, b, &relative(pose_a, pose_b)))
    })
}

pub(super) fn capsule_box(cases: &[Case]) -> Runner {
    runner(pairs(cases, cuboid, capsule), |(a, pose_a, b, pose_b)| {
        depth(box3d::collide_hull_and_capsule(a.hull(), b, &relative(pose_a, pose_b)))
    })
}

pub(super) fn sphere_sphere(cases: &[Case]) -> Runner {
    runner(pairs(cases, sphere, sphere), |(a, pose_a, b, pose_b)| {
        depth(box3d::collide_spheres(a, b, &relative(pose_a, pose_b)))
    })
}

pub(super) fn hull_hull_overlap(cases: &[Case]) -> Runner {
    runner(pairs(cases, hull, hull), |(a, pose_a, b, pose_b)| {
        let (a, b) = (a.hull().cloud(), b.hull().cloud());
        side(box3d::distance(a, b, &relative(pose_a, pose_b)) <= 0.0)
    })
}

/// 0 where they overlap.
pub(super) fn hull_hull_distance(cases: &[Case]) -> Runner {
    runner(pairs(cases, hull, hull), |(a, pose_a, b, pose_b)| {
        box3d::distance(a.hull().cloud(), b.hull().cloud(), &relative(pose_a, pose_b))
    })
}

pub(super) fn hull_hull_manifold(cases: &[Case]) -> Runner {
    runner(pairs(cases, hull, hull), |(a, pose_a, b, pose_b)| {
        depth(box3d::collide_hulls(a.hull(), b.hull(), &relative(pose_a, pose_b)))
    })
}

/// With the normal, as impinge gives it too.
pub(super) fn ray_box(cases: &[Case]) -> Runner {
    let boxes = pairs(cases, cuboid, cuboid).into_iter();
    let rays = boxes.zip(cases).map(|((a, pose_a, ..), case)| {
        let way = case.ray.direction() * 10.0;
        (a, pose_a, convert::vector(case.ray.origin()), convert::vector(way))
    });
    runner(rays.collect(), |(a, pose_a, origin, way)| {
        let origin = pose_a.inverse_transform_point(*origin).to_array();
        let local = pose_a.inverse_transform_vector(*way).to_array();
        let hit = box3d::ray_hull(a.hull(), origin, local, 1.0)
            .map(|(part, normal)| (part, pose_a.transform_vector(normal.into())));
        whole(hit).map_or(f32::NAN, |(part, _)| -part * 10.0)
    })
}
