//! Where rays enter and leave every shape.

use std::cmp::Ordering;

use glam::Vec3;
use impinge_shapes::exact::{Exact, ExactRotation, ExactVec3};
use impinge_shapes::{
    Capsule, ConvexHull, Cuboid, HalfSpace, Pose, Ray, RayCrossing, RayCrossings, RayOptions,
    Shape, ShapeRayHit, Sphere, Triangle,
};

use crate::draw::{Draw, EXIT, SKIP};
use crate::span::{Window, line_in_hull};
use crate::turned::{Turned, meets};

/// What a case must say, from a test whether the ray has a point in the shape between two
/// distances.
struct Case<'a> {
    ray: Ray,
    max: f32,
    meets: &'a dyn Fn(f32, f32) -> bool,
    hit: &'a dyn Fn(&RayOptions) -> Option<ShapeRayHit>,
    context: String,
}

#[derive(Debug, Default)]
struct Counts {
    misses: usize,
    passed: usize,
    inside: usize,
    grazed: usize,
    ends_within: usize,
}

fn same(crossing: &RayCrossing, hit: Option<ShapeRayHit>) -> bool {
    hit.is_some_and(|hit| {
        (hit.distance, hit.point, hit.normal, hit.part)
            == (crossing.distance, crossing.point, crossing.normal, crossing.part)
    })
}

impl Case<'_> {
    fn check(&self, crossings: &RayCrossings, counts: &mut Counts) {
        let Self { ray, max, meets, hit, context } = self;
        let enter = crossings.iter().find(|crossing| crossing.entering);
        let leave = crossings.iter().find(|crossing| !crossing.entering);
        let found = usize::from(enter.is_some()) + usize::from(leave.is_some());
        assert_eq!(found, crossings.len(), "{context}");
        let inside = meets(0.0, 0.0);
        assert_eq!(enter.is_some(), !inside && meets(0.0, *max), "{context}");
        if let Some(enter) = enter {
            assert!(same(enter, hit(&SKIP)), "{enter:?} {context}");
            assert_eq!(crossings[0], *enter);
        }
        if inside {
            let exit = hit(&EXIT);
            assert_eq!(leave.is_some(), exit.is_some(), "{context}");
            assert!(leave.is_none_or(|leave| same(leave, exit)), "{leave:?} {context}");
        }
        if let Some(leave) = leave {
            let distance = leave.distance;
            let low = distance.next_down().next_down();
            assert!(meets(low, f32::INFINITY), "{leave:?} {context}");
            assert!(!meets(distance.next_up().next_up(), f32::INFINITY), "{leave:?} {context}");
            assert!((0.0..=*max).contains(&distance), "{leave:?} {context}");
            let stays = max.is_finite() && meets(max.next_up(), f32::INFINITY);
            assert!(!stays, "{leave:?} {context}");
            assert!(leave.normal.dot(ray.direction()) > -1e-6, "{leave:?} {context}");
            assert!((leave.normal.length() - 1.0).abs() < 1e-6, "{leave:?} {context}");
            assert!(enter.is_none_or(|enter| enter.distance <= distance), "{context}");
        } else if inside || enter.is_some() {
            assert!(meets(*max, f32::INFINITY), "{context}");
            counts.ends_within += 1;
        }
        counts.misses += usize::from(crossings.is_empty() && !inside);
        counts.inside += usize::from(inside);
        counts.passed += usize::from(crossings.len() == 2);
        let flat = |(a, b): (&RayCrossing, &RayCrossing)| a.distance >= b.distance;
        counts.grazed += usize::from(enter.zip(leave).is_some_and(flat));
    }
}

impl Counts {
    fn assert_balanced(&self, ends_within: usize) {
        assert!(self.misses > 300 && self.passed > 300 && self.inside > 100, "{self:?}");
        assert!(self.grazed > 20 && self.ends_within >= ends_within, "{self:?}");
    }
}

fn check_hull(
    points: &[Vec3],
    pose: &Pose,
    (ray, max): (Ray, f32),
    crossings: &RayCrossings,
    hit: &dyn Fn(&RayOptions) -> Option<ShapeRayHit>,
    context: String,
    counts: &mut Counts,
) {
    let span = line_in_hull(points, pose, &ray);
    let meets = |low: f32, high: f32| {
        span.as_ref().is_some_and(|[near, far]| {
            far.compare(low) != Ordering::Less
                && (high.is_infinite() || near.compare(high) != Ordering::Greater)
        })
    };
    Case { ray, max, meets: &meets, hit, context }.check(crossings, counts);
}

#[test]
fn boxes_are_left_where_planes_cut_them() {
    let mut draw = Draw(21);
    let mut counts = Counts::default();
    for round in 0..6000 {
        let cuboid = Cuboid::new(draw.vector().abs()).unwrap();
        let (pose, max) = (draw.pose(), draw.max_distance());
        let target = pose.transform_point(cuboid.half_extents() * draw.lattice());
        let ray = draw.ray_through(target);
        let context = format!("{round}: {cuboid:?} {pose:?} {ray:?} {max}");
        let found = cuboid.crossings(&pose, &ray, max);
        let hit = |options: &RayOptions| cuboid.raycast(&pose, &ray, max, options);
        check_hull(&cuboid.corners(), &pose, (ray, max), &found, &hit, context, &mut counts);
    }
    counts.assert_balanced(20);
}

#[test]
fn triangles_are_left_where_planes_cut_them() {
    let mut draw = Draw(22);
    let mut counts = Counts::default();
    for round in 0..8000 {
        let (triangle, pose) = (draw.triangle(), draw.pose());
        let (ray, max) = (draw.ray_at(&triangle, &pose), draw.max_distance());
        let context = format!("{round}: {triangle:?} {pose:?} {ray:?} {max}");
        let found = triangle.crossings(&pose, &ray, max);
        let hit = |options: &RayOptions| triangle.raycast(&pose, &ray, max, options);
        check_hull(&triangle.vertices(), &pose, (ray, max), &found, &hit, context, &mut counts);
    }
    counts.assert_balanced(1);
}

#[test]
fn hulls_are_left_where_planes_cut_them() {
    let mut draw = Draw(23);
    let mut counts = Counts::default();
    for round in 0..4000 {
        let count = 1 + draw.below(9);
        let mut points: Vec<_> = (0..count).map(|_| draw.vector()).collect();
        if draw.below(4) == 0 {
            points.iter_mut().for_each(|point| point.y = 0.5);
        }
        let hull = ConvexHull::new(&points).unwrap();
        let (pose, max) = (draw.pose(), draw.max_distance());
        let pick = |draw: &mut Draw| points[usize::from(draw.below(count))];
        let mixed = pick(&mut draw) * 0.5 + pick(&mut draw) * 0.5;
        let ray = draw.ray_through(pose.transform_point(mixed));
        let context = format!("{round}: {points:?} {pose:?} {ray:?} {max}");
        let found = hull.crossings(&pose, &ray, max);
        let hit = |options: &RayOptions| hull.raycast(&pose, &ray, max, options);
        check_hull(&points, &pose, (ray, max), &found, &hit, context, &mut counts);
    }
    counts.assert_balanced(20);
}

#[test]
fn cylinders_and_cones_are_left_where_the_form_ends() {
    for is_cone in [false, true] {
        let mut draw = Draw(24);
        let mut counts = Counts::default();
        for round in 0..6000 {
            let (solid, pose) = (draw.turned(is_cone), draw.pose());
            let (ray, max) = (draw.ray_near(&solid, &pose), draw.max_distance());
            let meets = |low: f32, high: f32| meets(&solid, &pose, &ray, low, high);
            let hit = |options: &RayOptions| solid.raycast(&pose, &ray, max, options);
            let context = format!("{round}: {solid:?} {pose:?} {ray:?} {max}");
            let case = Case { ray, max, meets: &meets, hit: &hit, context };
            case.check(&solid.crossings(&pose, &ray, max), &mut counts);
        }
        counts.assert_balanced(20);
    }
}

/// Whether the ray has a point in the capsule between two distances: before the segment, beside
/// it and behind it, the squared distance from it is a quadratic of its own.
fn meets_capsule(capsule: &Capsule, pose: &Pose, ray: &Ray, from: f32, to: f32) -> bool {
    let rotation = ExactRotation::from(pose.rotation());
    let local = |v: Vec3| ExactVec3::from(v).scale(&rotation.norm);
    let arm = ExactVec3::from(ray.origin()).minus(&ExactVec3::from(pose.position()));
    let p = rotation.unrotate(&arm).minus(&local(capsule.a()));
    let d = rotation.unrotate(&ExactVec3::from(ray.direction()));
    let s = local(capsule.b()).minus(&local(capsule.a()));
    let square = (rotation.norm.clone() * Exact::from(capsule.radius())).square();
    let (along, speed, whole) = (p.dot(&s), d.dot(&s), s.length_squared());
    let ball = |p: &ExactVec3, window: Option<Window>| {
        let c = p.length_squared() - square.clone();
        window.is_some_and(|window| window.dips(&d.length_squared(), &p.dot(&d), &c))
    };
    let window = || Window::new(from, to);
    let beyond = along.clone() - whole.clone();
    let side = (whole.sign() == Ordering::Greater)
        .then(window)
        .and_then(|window| window.where_positive(along.clone(), speed.clone()))
        .and_then(|window| window.where_positive(-beyond.clone(), -speed.clone()));
    let a = d.length_squared() * whole.clone() - speed.square();
    let b = p.dot(&d) * whole.clone() - along.clone() * speed.clone();
    let c = (p.length_squared() - square.clone()) * whole - along.square();
    ball(&p, window().where_positive(-along, -speed.clone()))
        || ball(&p.minus(&s), window().where_positive(beyond, speed))
        || side.is_some_and(|window| window.dips(&a, &b, &c))
}

#[test]
fn balls_and_capsules_are_left_where_the_distance_grows() {
    let mut draw = Draw(25);
    let mut counts = Counts::default();
    for round in 0..8000 {
        let (capsule, pose) = (draw.capsule(), draw.pose());
        let max = draw.max_distance();
        let radius = capsule.radius();
        let across = [Vec3::ZERO, Vec3::X * radius, Vec3::Z * -radius];
        let local = capsule.a().lerp(capsule.b(), draw.lattice().x);
        let local = local + across[usize::from(draw.below(3))];
        let mut ray = draw.ray_through(pose.transform_point(local));
        // Along the segment, sometimes on the surface.
        let along = pose.transform_vector(capsule.b() - capsule.a());
        if draw.below(3) == 0
            && let Ok(sliding) = Ray::new(ray.origin(), along)
        {
            ray = sliding;
        }
        let meets = |low: f32, high: f32| meets_capsule(&capsule, &pose, &ray, low, high);
        let hit = |options: &RayOptions| capsule.raycast(&pose, &ray, max, options);
        let context = format!("{round}: {capsule:?} {pose:?} {ray:?} {max}");
        let case = Case { ray, max, meets: &meets, hit: &hit, context };
        case.check(&capsule.crossings(&pose, &ray, max), &mut counts);
        let sphere = Sphere::new(radius).unwrap();
        let ball = Capsule::new(Vec3::ZERO, Vec3::ZERO, radius).unwrap();
        let meets = |low: f32, high: f32| meets_capsule(&ball, &pose, &ray, low, high);
        let hit = |options: &RayOptions| sphere.raycast(&pose, &ray, max, options);
        let context = format!("{round}: {sphere:?} {pose:?} {ray:?} {max}");
        let case = Case { ray, max, meets: &meets, hit: &hit, context };
        case.check(&sphere.crossings(&pose, &ray, max), &mut counts);
    }
    counts.assert_balanced(20);
}

#[test]
fn a_thin_capsule_is_left_through_the_end_it_started_at() {
    // Away from the segment at an angle: the side is farther than the end's ball, and lies behind
    // the end by less than any f64 slack of the segment's length shows.
    let capsule = Capsule::new(Vec3::ZERO, Vec3::X, 2.0_f32.powi(-70)).unwrap();
    let ray = Ray::new(Vec3::ZERO, Vec3::new(-1.0, 3.0, 0.0)).unwrap();
    let found = capsule.crossings(&Pose::IDENTITY, &ray, 1.0);
    assert_eq!(found.len(), 1);
    assert!((found[0].distance / capsule.radius() - 1.0).abs() < 2e-7, "{found:?}");
    assert!(found[0].normal.dot(ray.direction()) > 0.999_999, "{found:?}");
}

#[test]
fn half_spaces_are_left_once_at_most() {
    let mut draw = Draw(26);
    let mut counts = [0; 3];
    for round in 0..4000 {
        let Ok(half_space) = HalfSpace::new(draw.vector(), draw.coordinate()) else { continue };
        let (pose, max) = (draw.pose(), draw.max_distance());
        let at = half_space.normal() * half_space.offset();
        let ray = draw.ray_through(pose.transform_point(at));
        let found = half_space.crossings(&pose, &ray, max);
        let inside = half_space.contains_point(&pose, ray.origin());
        let options = if inside { EXIT } else { SKIP };
        let hit = half_space.raycast(&pose, &ray, max, &options);
        assert_eq!(found.len(), usize::from(hit.is_some()), "{round}");
        for crossing in &found {
            assert!(same(crossing, hit) && crossing.entering != inside, "{round}: {crossing:?}");
        }
        counts[usize::from(hit.is_some()) * (1 + usize::from(inside))] += 1;
    }
    assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
}

#[test]
fn compounds_tell_of_every_part_in_order() {
    let at = |x: f32| Pose::from_position(Vec3::new(x, 0.0, 0.0)).unwrap();
    let unit = Shape::cuboid(Vec3::splat(0.5)).unwrap();
    let row = [at(3.0), at(1.0), at(2.0), at(9.0)].map(|pose| (pose, unit.clone()));
    let ball = (at(1.0), Shape::sphere(0.5).unwrap());
    let compound = Shape::compound(row.into_iter().chain([ball])).unwrap();
    let ray = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
    let found = compound.crossings(&Pose::IDENTITY, &ray, 9.0);
    let told: Vec<_> = found.iter().map(|c| (c.distance, c.part, c.entering)).collect();
    let expected = [
        (0.5, 1, true),
        (0.5, 4, true),
        (1.5, 1, false),
        (1.5, 2, true),
        (1.5, 4, false),
        (2.5, 0, true),
        (2.5, 2, false),
        (3.5, 0, false),
        (8.5, 3, true),
    ];
    assert_eq!(told, expected);
    assert!(compound.crossings(&Pose::IDENTITY, &ray, -1.0).is_empty());
    assert!(compound.crossings(&Pose::IDENTITY, &ray, f32::NAN).is_empty());
}

#[test]
fn what_touches_is_entered_and_left_at_once() {
    let graze = Ray::new(Vec3::new(-3.0, 1.0, 0.0), Vec3::X).unwrap();
    let both = |found: RayCrossings| {
        let told: Vec<_> = found.iter().map(|c| (c.distance, c.normal, c.entering)).collect();
        assert_eq!(told, [(3.0, Vec3::Y, true), (3.0, Vec3::Y, false)]);
    };
    both(Sphere::new(1.0).unwrap().crossings(&Pose::IDENTITY, &graze, 3.0));
    let across = glam::Quat::from_xyzw(1.0, 0.0, 0.0, 1.0);
    let lying = Pose::new(Vec3::ZERO, across).unwrap();
    both(Turned::new(false, 2.0, 1.0).crossings(&lying, &graze, 3.0));
    both(Turned::new(true, 1.0, 0.5).crossings(&Pose::IDENTITY, &graze, 3.0));
    let triangle = Triangle::new(Vec3::ZERO, Vec3::Y * 2.0, Vec3::new(0.0, 1.0, 1.0)).unwrap();
    let found = triangle.crossings(&Pose::IDENTITY, &graze, 3.0);
    let told: Vec<_> = found.iter().map(|c| (c.distance, c.normal, c.entering)).collect();
    assert_eq!(told, [(3.0, Vec3::NEG_X, true), (3.0, Vec3::X, false)]);
}
