//! Rays against every shape: the plain cases, the edges of the definition, and extreme numbers.

#![expect(clippy::unwrap_used, reason = "a value that cannot be made is a failed test")]

mod common;

use common::Draw;
use glam::{Quat, Vec3};
use impinge_shapes::{Compound, Pose, Ray, RayOptions, Shape, ShapeRayHit, StartedInside};

const HIT: RayOptions = RayOptions { started_inside: StartedInside::Hit, cull_back_faces: false };
const SKIP: RayOptions = RayOptions { started_inside: StartedInside::Skip, cull_back_faces: false };
const EXIT: RayOptions = RayOptions { started_inside: StartedInside::Exit, cull_back_faces: false };

fn ray(origin: [f32; 3], direction: [f32; 3]) -> Ray {
    Ray::new(origin.into(), direction.into()).unwrap()
}

fn at(position: [f32; 3]) -> Pose {
    Pose::from_position(position.into()).unwrap()
}

/// A ball, a box, a capsule and a floor that all pass through the point (0, 1, 0) with the
/// normal (0, 1, 0).
fn shapes() -> [Shape; 5] {
    let capsule = Shape::capsule_along_y(0.5, 0.5).unwrap();
    [
        Shape::sphere(1.0).unwrap(),
        Shape::cuboid(Vec3::new(2.0, 1.0, 3.0)).unwrap(),
        capsule.clone(),
        Shape::half_space(Vec3::Y, 1.0).unwrap(),
        Shape::compound([(Pose::IDENTITY, capsule)]).unwrap(),
    ]
}

fn assert_hit(hit: Option<ShapeRayHit>, distance: f32, point: Vec3, normal: Vec3, name: &str) {
    let hit = hit.unwrap_or_else(|| panic!("{name} was missed"));
    assert_eq!(hit.distance.to_bits(), distance.to_bits(), "{name}: {hit:?}");
    assert_eq!((hit.point, hit.normal), (point, normal), "{name}");
}

#[test]
fn straight_down_hits_the_top() {
    let down = ray([0.0, 4.0, 0.0], [0.0, -1.0, -0.0]);
    for shape in shapes() {
        let name = shape.kind_name();
        for options in [HIT, SKIP, EXIT] {
            let hit = shape.raycast(&Pose::IDENTITY, &down, f32::INFINITY, &options);
            assert_hit(hit, 3.0, Vec3::Y, Vec3::Y, name);
            assert!(!hit.unwrap().started_inside);
            let exact = shape.raycast(&Pose::IDENTITY, &down, 3.0, &options);
            assert_hit(exact, 3.0, Vec3::Y, Vec3::Y, name);
            let short = shape.raycast(&Pose::IDENTITY, &down, 3.0_f32.next_down(), &options);
            assert_eq!(short, None, "{name}");
        }
    }
}

#[test]
fn distances_that_are_no_lengths_hit_nothing() {
    let down = ray([0.0, 0.0, 0.0], [0.0, -1.0, 0.0]);
    for shape in shapes() {
        for bad in [-1.0, f32::NAN, f32::NEG_INFINITY] {
            assert_eq!(shape.raycast(&Pose::IDENTITY, &down, bad, &HIT), None);
        }
        assert!(shape.raycast(&Pose::IDENTITY, &down, 0.0, &HIT).is_some());
        assert!(shape.raycast(&Pose::IDENTITY, &down, -0.0, &HIT).is_some());
    }
}

#[test]
fn starts_inside_follow_the_options() {
    for origin in [[0.0, 0.25, 0.0], [0.0, 1.0, 0.0]] {
        let up = ray(origin, [0.0, 2.0, 0.0]);
        for shape in shapes() {
            let name = shape.kind_name();
            let hit = shape.raycast(&Pose::IDENTITY, &up, 10.0, &HIT);
            assert_hit(hit, 0.0, origin.into(), Vec3::NEG_Y, name);
            assert!(hit.unwrap().started_inside);
            assert_eq!(shape.raycast(&Pose::IDENTITY, &up, 10.0, &SKIP), None, "{name}");
            let leave = shape.raycast(&Pose::IDENTITY, &up, 10.0, &EXIT);
            assert_hit(leave, 1.0 - origin[1], Vec3::Y, Vec3::Y, name);
            assert!(leave.unwrap().started_inside);
            let end = 1.0 - origin[1];
            assert!(shape.raycast(&Pose::IDENTITY, &up, end, &EXIT).is_some(), "{name}");
            if end > 0.0 {
                let short = shape.raycast(&Pose::IDENTITY, &up, end.next_down(), &EXIT);
                assert_eq!(short, None, "{name}");
            }
            let culled = RayOptions { cull_back_faces: true, ..EXIT };
            assert_eq!(shape.raycast(&Pose::IDENTITY, &up, 10.0, &culled), None, "{name}");
        }
    }
}

#[test]
fn a_ray_that_ends_on_a_round_surface_need_not_leave_it() {
    let exit = |shape: &Shape, from: [f32; 3], to: [f32; 3], max: f32| {
        shape.raycast(&Pose::IDENTITY, &ray(from, to), max, &EXIT).map(|hit| hit.distance)
    };
    // Straight in from the surface, without going anywhere.
    for shape in &shapes()[..3] {
        let name = shape.kind_name();
        assert_eq!(exit(shape, [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], 0.0), None, "{name}");
        assert_eq!(exit(shape, [0.0, 1.0, 0.0], [0.0, 1.0, 0.0], 0.0), Some(0.0), "{name}");
    }
    // Along the side of a capsule, and along one that is only a segment.
    for (radius, end) in [(0.5, 0.5), (0.0, 0.5)] {
        let capsule = Shape::capsule_along_y(0.5, radius).unwrap();
        for (start, up) in [(-0.25, 1.0), (0.25, -1.0)] {
            let (from, to) = ([radius, start, 0.0], [0.0, up, 0.0]);
            assert_eq!(exit(&capsule, from, to, 0.5), None);
            assert_eq!(exit(&capsule, from, to, 0.0), None);
            assert_eq!(exit(&capsule, from, to, 0.75), Some(end + 0.25));
        }
        assert_eq!(exit(&capsule, [radius, 0.0, 0.0], [1.0, 1.0, 0.0], 0.0), Some(0.0));
    }
}

#[test]
fn a_half_space_without_end_is_never_left_downward() {
    let floor = Shape::half_space(Vec3::Y, 1.0).unwrap();
    for direction in [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0]] {
        let inside = ray([0.0, 0.0, 0.0], direction);
        assert_eq!(floor.raycast(&Pose::IDENTITY, &inside, f32::INFINITY, &EXIT), None);
        let above = ray([0.0, 1.0_f32.next_up(), 0.0], [1.0, 0.0, 0.0]);
        assert_eq!(floor.raycast(&Pose::IDENTITY, &above, f32::INFINITY, &HIT), None);
    }
}

#[test]
fn grazing_counts_and_one_ulp_beside_does_not() {
    let (over, beside) = (1.0_f32, 1.0_f32.next_up());
    for shape in &shapes()[..3] {
        let name = shape.kind_name();
        let graze =
            shape.raycast(&Pose::IDENTITY, &ray([-9.0, over, 0.0], [1.0, 0.0, 0.0]), 99.0, &HIT);
        let hit = graze.unwrap_or_else(|| panic!("{name}"));
        assert_eq!(hit.point.y.to_bits(), 1.0_f32.to_bits(), "{name}");
        let miss =
            shape.raycast(&Pose::IDENTITY, &ray([-9.0, beside, 0.0], [1.0, 0.0, 0.0]), 99.0, &HIT);
        assert_eq!(miss, None, "{name}");
    }
}

#[test]
fn edges_and_corners_take_the_first_face() {
    let cube = Shape::cuboid(Vec3::ONE).unwrap();
    // Through the corner (1, 1, 1) along the diagonal, and through the edge x = 1, z = 1.
    let corner = cube.raycast(&Pose::IDENTITY, &ray([3.0; 3], [-1.0; 3]), 99.0, &HIT).unwrap();
    assert_eq!((corner.point, corner.normal), (Vec3::ONE, Vec3::X));
    let edge = cube.raycast(&Pose::IDENTITY, &ray([0.0, 2.0, 2.0], [0.0, -1.0, -1.0]), 99.0, &HIT);
    assert_eq!(edge.unwrap().normal, Vec3::Y);
    // Touching the edge from outside, across the corner of the x-z square.
    let across = ray([2.0, 0.0, 0.0], [-1.0, 0.0, 1.0]);
    let touch = cube.raycast(&Pose::IDENTITY, &across, 99.0, &HIT).unwrap();
    assert_eq!((touch.point, touch.normal), (Vec3::new(1.0, 0.0, 1.0), Vec3::X));
}

#[test]
fn a_small_ball_far_away_is_hit() {
    let ball = Shape::sphere(0.5).unwrap();
    let center = Vec3::new(6000.0, -3000.0, 7421.0);
    let shot = Ray::new(Vec3::ZERO, center).unwrap();
    let pose = Pose::from_position(center).unwrap();
    let hit = ball.raycast(&pose, &shot, f32::INFINITY, &HIT).unwrap();
    assert!((hit.distance - (center.length() - 0.5)).abs() < 2e-3);
    assert!(hit.normal.dot(shot.direction()) < -0.99);
    let back = Ray::new(Vec3::ZERO, -center).unwrap();
    assert_eq!(ball.raycast(&pose, &back, f32::INFINITY, &HIT), None);
}

#[test]
fn capsules_are_hit_on_side_and_caps() {
    let capsule = Shape::capsule(Vec3::ZERO, Vec3::new(4.0, 0.0, 0.0), 1.0).unwrap();
    let pose = at([0.0, 10.0, 0.0]);
    for x in [0.0, 1.0, 4.0] {
        let hit = capsule.raycast(&pose, &ray([x, 0.0, 0.0], [0.0, 1.0, 0.0]), 99.0, &HIT);
        assert_hit(hit, 9.0, Vec3::new(x, 9.0, 0.0), Vec3::NEG_Y, "side");
        let hit = capsule.raycast(&pose, &ray([x, 10.0, 0.0], [0.0, 1.0, 0.0]), 99.0, &EXIT);
        assert_hit(hit, 1.0, Vec3::new(x, 11.0, 0.0), Vec3::Y, "side from within");
    }
    let end = capsule.raycast(&pose, &ray([-5.0, 10.0, 0.0], [1.0, 0.0, 0.0]), 99.0, &HIT);
    assert_hit(end, 4.0, Vec3::new(-1.0, 10.0, 0.0), Vec3::NEG_X, "cap");
    let along = capsule.raycast(&pose, &ray([-5.0, 11.0, 0.0], [1.0, 0.0, 0.0]), 99.0, &HIT);
    assert_hit(along, 5.0, Vec3::new(0.0, 11.0, 0.0), Vec3::Y, "along the side");
    let beyond = ray([5.0_f32.next_up(), 0.0, 0.0], [0.0, 1.0, 0.0]);
    assert_eq!(capsule.raycast(&pose, &beyond, 99.0, &HIT), None);
}

#[test]
fn compounds_report_the_closest_part() {
    let ball = Shape::sphere(1.0).unwrap();
    let row = [at([6.0, 0.0, 0.0]), at([3.0, 0.0, 0.0]), at([3.0, 0.0, 0.0])];
    let compound = Shape::compound(row.map(|pose| (pose, ball.clone()))).unwrap();
    let forward = ray([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    let hit = compound.raycast(&Pose::IDENTITY, &forward, 99.0, &HIT).unwrap();
    assert_eq!((hit.part, hit.distance.to_bits()), (1, 2.0_f32.to_bits()));
    let from_within = ray([3.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    let skip = compound.raycast(&Pose::IDENTITY, &from_within, 99.0, &SKIP).unwrap();
    assert_eq!((skip.part, skip.distance.to_bits()), (0, 2.0_f32.to_bits()));
}

/// All parts one by one: none is passed over that is hit, near the origin and far from it.
#[test]
fn rays_at_compounds_hit_what_rays_at_their_parts_hit() {
    let mut draw = Draw(77);
    let (mut hits, mut misses, mut later) = (0, 0, 0);
    for round in 0..12_000_u16 {
        let scale = [1.0, 1.0, 1e-3, 1e6, 1e-15, 1e15][usize::from(round % 6)];
        let mut number = || (f32::from(draw.below(4097)) / 2048.0 - 1.0) * scale;
        let mut vector = |size: f32| Vec3::new(number(), number(), number()) * size;
        let mut pose = |size: f32| {
            let turn = vector(1.0 / scale);
            let turn = Quat::from_xyzw(turn.x, turn.y, turn.z, 0.5);
            Pose::new(vector(size), turn).unwrap()
        };
        let body = pose(if round % 4 == 0 { 1000.0 } else { 1.0 });
        let places = [(); 6].map(|()| pose(1.5));
        let count = 1 + usize::from(round / 6 % 6);
        let parts = places.into_iter().take(count).enumerate().map(|(k, at)| {
            let size = vector(0.75).abs();
            let shape = match (k + usize::from(round / 6)) % 5 {
                0 => Shape::sphere(size.x).unwrap(),
                1 => Shape::cuboid(size).unwrap(),
                2 => Shape::capsule(vector(0.5), vector(0.5), size.y).unwrap(),
                3 => Shape::rounded(Shape::cuboid(size).unwrap(), size.z).unwrap(),
                _ => Shape::cylinder(size.x, size.y).unwrap(),
            };
            (at, shape)
        });
        let parts: Vec<(Pose, Shape)> = parts.collect();
        let compound = Compound::new(parts).unwrap();
        let aim = body.position() + vector(0.75);
        let origin = aim + vector(if round % 3 == 0 { 0.5 } else { 4.0 });
        let Ok(ray) = Ray::new(origin, aim - origin) else { continue };
        let max = if round % 5 == 0 { 2.0 * scale } else { f32::INFINITY };
        for options in [HIT, SKIP, EXIT] {
            let mut expected: Option<ShapeRayHit> = None;
            for (first, at, shape) in compound.placed(&body) {
                if let Some(hit) = shape.raycast(&at, &ray, max, &options)
                    && expected.is_none_or(|best| hit.distance < best.distance)
                {
                    expected = Some(ShapeRayHit { part: first + hit.part, ..hit });
                }
            }
            let found = compound.raycast(&body, &ray, max, &options);
            assert_eq!(found, expected, "seed 77, round {round}, {ray:?}, {compound:?}");
            hits += usize::from(found.is_some());
            misses += usize::from(found.is_none());
            later += usize::from(found.is_some_and(|hit| hit.part > 3));
        }
    }
    assert!(hits > 6000 && misses > 6000 && later > 500, "{hits} hits, {misses} misses, {later}");
}

/// Whatever the numbers, an answer holds no NaN, its distance is within the ray and its normal is
/// a unit vector.
#[test]
fn extreme_numbers_give_sound_answers() {
    let values = [0.0, -0.0, 1e-45, -1e-38, 1.0, -3.0, 1e20, f32::MAX, -f32::MAX];
    let sizes = [0.0, 1e-45, 1e-20, 1.0, 1e20, f32::MAX];
    let mut draw = Draw(12_345);
    let mut pick = |from: &[f32]| from[usize::from(draw.below(u16::try_from(from.len()).unwrap()))];
    let (mut hits, mut misses) = (0, 0);
    for round in 0..6000 {
        let mut triple = |from: &[f32]| Vec3::new(pick(from), pick(from), pick(from));
        let (position, origin, toward) = (triple(&values), triple(&values), triple(&values));
        let (a, b, half, imaginary) =
            (triple(&values), triple(&values), triple(&sizes), triple(&values));
        let rotation = Quat::from_xyzw(imaginary.x, imaginary.y, imaginary.z, pick(&values));
        let (Ok(pose), Ok(ray)) = (Pose::new(position, rotation), Ray::new(origin, toward)) else {
            continue;
        };
        let shape = match round % 5 {
            0 => Shape::sphere(half.x).unwrap(),
            1 => Shape::cuboid(half).unwrap(),
            2 => Shape::capsule(a, b, half.x).unwrap(),
            3 => match Shape::half_space(a, b.x) {
                Ok(shape) => shape,
                Err(_) => continue,
            },
            _ => Shape::compound([(pose, Shape::cuboid(half).unwrap())]).unwrap(),
        };
        for max in [f32::INFINITY, 1.0] {
            for options in [HIT, SKIP, EXIT] {
                let Some(hit) = shape.raycast(&pose, &ray, max, &options) else {
                    misses += 1;
                    continue;
                };
                hits += 1;
                assert!(hit.distance >= 0.0 && hit.distance <= max, "{round}: {hit:?}");
                assert!(hit.distance.is_finite() && hit.point.is_finite(), "{round}: {hit:?}");
                assert!((hit.normal.length() - 1.0).abs() < 1e-6, "{round}: {hit:?}");
            }
        }
    }
    assert!(hits > 1000 && misses > 1000, "{hits} hits, {misses} misses");
}

/// Shapes of about unit size, `scale` times as large.
fn scaled_shapes(scale: f32) -> [Shape; 4] {
    let half = Vec3::new(0.75, 1.25, 0.375);
    [
        Shape::sphere(0.8125 * scale).unwrap(),
        Shape::cuboid(half * scale).unwrap(),
        Shape::capsule(half * -scale, Vec3::X * scale, 0.5 * scale).unwrap(),
        Shape::half_space(half, 0.25 * scale).unwrap(),
    ]
}

#[test]
fn a_scene_scaled_by_a_power_of_two_gives_the_same_bits() {
    let mut draw = Draw(7);
    let mut hits = 0;
    for round in 0..500 {
        let mut vector = || Vec3::new(draw.unit(), draw.unit(), draw.unit());
        let (position, origin, direction, imaginary) =
            (vector(), vector() * 5.0, vector(), vector());
        let rotation = Quat::from_xyzw(imaginary.x, imaginary.y, imaginary.z, 0.5);
        let toward = if round % 2 == 0 { direction } else { position - origin };
        let cast = |shape: &Shape, scale: f32, options: &RayOptions| {
            let pose = Pose::new(position * scale, rotation).unwrap();
            let ray = Ray::new(origin * scale, toward).unwrap();
            shape.raycast(&pose, &ray, 4.0 * scale, options)
        };
        for exponent in [-60, -1, 20, 60] {
            let scale = 2.0_f32.powi(exponent);
            for (unit, scaled) in scaled_shapes(1.0).iter().zip(&scaled_shapes(scale)) {
                for options in [HIT, EXIT] {
                    let expected = cast(unit, 1.0, &options).map(|hit| ShapeRayHit {
                        distance: hit.distance * scale,
                        point: hit.point * scale,
                        ..hit
                    });
                    assert_eq!(cast(scaled, scale, &options), expected, "{round} 2^{exponent}");
                    hits += usize::from(expected.is_some());
                }
            }
        }
    }
    assert!(hits > 2000, "{hits}");
}

/// Far from the origin and far from the ray's start, the distance is still the exact one within an
/// ulp: the ray that ends there decides it.
#[test]
fn distances_are_right_far_away() {
    let mut draw = Draw(11);
    let mut hits = 0;
    for round in 0..300 {
        let mut vector = || Vec3::new(draw.unit(), draw.unit(), draw.unit());
        let far = 10.0_f32.powi(round % 8);
        let (position, origin, imaginary) = (vector() * far, vector() * far, vector());
        let rotation = Quat::from_xyzw(imaginary.x, imaginary.y, imaginary.z, 0.5);
        let pose = Pose::new(position, rotation).unwrap();
        let ray = Ray::new(origin, position - origin).unwrap();
        for shape in scaled_shapes(1.0) {
            for options in [SKIP, EXIT] {
                let Some(hit) = shape.raycast(&pose, &ray, f32::INFINITY, &options) else {
                    continue;
                };
                let end = hit.distance.next_up();
                assert_eq!(shape.raycast(&pose, &ray, end, &options), Some(hit), "{round}");
                let short = hit.distance.next_down().next_down();
                assert_eq!(shape.raycast(&pose, &ray, short, &options), None, "{round}");
                hits += 1;
            }
        }
    }
    assert!(hits > 500, "{hits}");
}
