//! A mesh of a real planning problem against all of its triangles one by one.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};
use impinge_narrowphase::{closest, overlaps};
use impinge_shapes::{Aabb, Pose, Ray, RayOptions, Shape, ShapeRayHit, Triangle, round};
use impinge_testkit::rng::Rng;

/// The triangles of a file of lines `v x y z` and `f a b c`.
fn triangles(text: &str) -> Vec<[Vec3; 3]> {
    let numbers = |line: &str| -> Vec<f32> {
        line.split_whitespace().skip(1).map(|word| word.parse().expect("a number")).collect()
    };
    let vertices: Vec<Vec3> = text
        .lines()
        .filter(|line| line.starts_with("v "))
        .map(|line| Vec3::from_slice(&numbers(line)))
        .collect();
    let corner = |word: &str| vertices[word.parse::<usize>().expect("a number") - 1];
    let faces = text.lines().filter_map(|line| line.strip_prefix("f "));
    faces
        .map(|line| {
            let corners: Vec<Vec3> = line.split_whitespace().map(corner).collect();
            [corners[0], corners[1], corners[2]]
        })
        .collect()
}

fn environment() -> Vec<[Vec3; 3]> {
    let found = triangles(include_str!("../../data/planning-environment.obj"));
    assert_eq!(found.len(), 2180);
    found
}

fn mesh(corners: &[[Vec3; 3]]) -> Shape {
    let count = u32::try_from(corners.len()).expect("few");
    let indices = (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    Shape::triangle_mesh(corners.concat(), indices).expect("a mesh")
}

fn singles(corners: &[[Vec3; 3]]) -> Vec<Shape> {
    corners.iter().map(|[a, b, c]| Triangle::new(*a, *b, *c).expect("valid").into()).collect()
}

/// Where the mesh is: as in its file, turned by whole steps, or anyhow.
fn pose(case: usize, rng: &mut Rng) -> Pose {
    let at = rng.vec(Vec3::splat(-500.0), Vec3::splat(500.0));
    let turn = rng.vec(Vec3::NEG_ONE, Vec3::ONE).extend(0.5);
    match case % 3 {
        0 => Pose::IDENTITY,
        1 => Pose::new(at.round(), Quat::from_xyzw(1.0, 0.0, 0.0, 1.0)).expect("valid"),
        _ => Pose::new(at, Quat::from_vec4(turn)).expect("valid"),
    }
}

/// A ray at a random place of the mesh, at a corner, or along an edge of it.
fn ray(case: usize, pose: &Pose, corners: &[[Vec3; 3]], rng: &mut Rng) -> Option<Ray> {
    let side = Vec3::splat(3000.0);
    let [a, b, c] = rng.pick(corners);
    let anywhere = pose.transform_point(rng.vec(-side, side));
    let [a, b, middle] = [a, b, (a + b + c) / 3.0].map(|p| pose.transform_point(p));
    let axis = rng.pick(&Vec3::AXES) * rng.pick(&[1.0, -1.0]);
    match case / 3 % 5 {
        0 => Ray::new(anywhere, rng.vec(Vec3::NEG_ONE, Vec3::ONE)).ok(),
        1 => Ray::new(anywhere, middle - anywhere).ok(),
        2 => Ray::new(anywhere, a - anywhere).ok(),
        // Exactly through a corner, where the mesh is not turned.
        3 => Ray::new(a - axis * 8192.0, axis).ok(),
        _ => Ray::new(a - (b - a) * rng.pick(&[0.0, 0.5, 2.0]), b - a).ok(),
    }
}

#[test]
fn rays_find_what_they_find_on_the_triangles_one_by_one() {
    let corners = environment();
    let (shape, single) = (mesh(&corners), singles(&corners));
    let (mut hits, mut misses, mut many) = (0, 0, 0);
    for case in 0..3000 {
        let mut rng = Rng::stream(0x0e57, case as u64);
        let pose = pose(case, &mut rng);
        let Some(ray) = ray(case, &pose, &corners, &mut rng) else { continue };
        let max = rng.pick(&[f32::INFINITY, 4000.0, 500.0]);
        let options = RayOptions::default();
        let mut first: Option<ShapeRayHit> = None;
        let mut crossings = Vec::new();
        for (part, triangle) in (0..).zip(&single) {
            if let Some(hit) = triangle.raycast(&pose, &ray, max, &options)
                && first.is_none_or(|first| hit.distance < first.distance)
            {
                first = Some(ShapeRayHit { part, ..hit });
            }
            let own = triangle.crossings(&pose, &ray, max);
            crossings.extend(own.iter().map(|crossing| (crossing.distance, part)));
        }
        crossings.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let context = format!("case {case}: {pose:?} {ray:?} {max}");
        assert_eq!(shape.raycast(&pose, &ray, max, &options), first, "{context}");
        let found = shape.crossings(&pose, &ray, max);
        let found: Vec<_> = found.iter().map(|found| (found.distance, found.part)).collect();
        assert_eq!(found, crossings, "{context}");
        *if first.is_some() { &mut hits } else { &mut misses } += 1;
        many += usize::from(crossings.len() > 4);
    }
    assert!(hits > 1000 && misses > 200 && many > 300, "{hits} {misses} {many}");
}

/// The triangles of each part of the mesh that is closed: no edge has one side only.
fn closed_parts(corners: &[[Vec3; 3]]) -> Vec<Vec<[Vec3; 3]>> {
    let key = |v: Vec3| v.to_array().map(f32::to_bits);
    let mut part_of: BTreeMap<[u32; 3], usize> = BTreeMap::new();
    let mut parts: Vec<Vec<[Vec3; 3]>> = Vec::new();
    for triangle in corners {
        let mut known: Vec<_> =
            triangle.iter().filter_map(|v| part_of.get(&key(*v)).copied()).collect();
        known.sort_unstable();
        known.dedup();
        let into = known.first().copied().unwrap_or(parts.len());
        if into == parts.len() {
            parts.push(Vec::new());
        }
        for &other in known.iter().skip(1) {
            let moved = std::mem::take(&mut parts[other]);
            parts[into].extend(moved);
            part_of.values_mut().filter(|part| **part == other).for_each(|part| *part = into);
        }
        parts[into].push(*triangle);
        part_of.extend(triangle.iter().map(|v| (key(*v), into)));
    }
    parts.retain(|part| {
        let mut sides: BTreeMap<[[u32; 3]; 2], usize> = BTreeMap::new();
        for triangle in part {
            for k in 0..3 {
                let mut edge = [key(triangle[k]), key(triangle[(k + 1) % 3])];
                edge.sort_unstable();
                *sides.entry(edge).or_default() += 1;
            }
        }
        !part.is_empty() && sides.values().all(|&sides| sides == 2)
    });
    parts
}

#[test]
fn no_ray_leaves_a_closed_part_through_an_edge_or_a_corner() {
    let parts = closed_parts(&environment());
    assert_eq!(parts.len(), 27);
    let mut rays = 0;
    for (number, part) in parts.iter().enumerate() {
        let shape = mesh(part);
        let whole: Vec<Vec3> = part.concat();
        // The parts are boxes.
        let center = whole.iter().fold(Vec3::ZERO, |sum, v| sum + *v) / whole.len() as f32;
        let mut rng = Rng::stream(0x1eac, number as u64);
        for case in 0..3 {
            let pose = pose(case, &mut rng);
            let start = pose.transform_point(center);
            for [a, b, c] in part {
                let on_edges = [(a, b), (b, c), (c, a)].into_iter().flat_map(|(from, to)| {
                    (0_u8..8).map(move |k| *from + (*to - *from) * (k as f32 / 8.0))
                });
                for target in on_edges {
                    let toward = pose.transform_point(target) - start;
                    let Ok(ray) = Ray::new(start, toward) else { continue };
                    let hit = shape.raycast(&pose, &ray, f32::INFINITY, &RayOptions::default());
                    let hit = hit.unwrap_or_else(|| panic!("{number} {case}: {pose:?} {ray:?}"));
                    // It is stopped where the surface is, not by chance elsewhere.
                    let off = (hit.distance - toward.length()).abs();
                    assert!(off < 2e-3 * toward.length(), "{number} {case}: {hit:?} {target}");
                    rays += 1;
                }
            }
        }
    }
    assert!(rays > 20_000, "{rays}");
}

#[test]
fn bodies_meet_what_they_meet_of_the_triangles_one_by_one() {
    let corners = environment();
    let (shape, single) = (mesh(&corners), singles(&corners));
    let (mut apart, mut meeting, mut skipped) = (0, 0, 0);
    for case in 0..240 {
        let mut rng = Rng::stream(0xb0d1, case as u64);
        let pose = pose(case, &mut rng);
        let size = rng.range(5.0, 400.0);
        let body = match case % 4 {
            0 => Shape::sphere(size).expect("valid"),
            1 => Shape::capsule_along_y(size, size * 0.25).expect("valid"),
            _ => Shape::cuboid(Vec3::new(size, size * 0.5, size * 0.125)).expect("valid"),
        };
        let side = Vec3::splat(3000.0);
        let turn = rng.vec(Vec3::NEG_ONE, Vec3::ONE).extend(1.0);
        let place = pose.transform_point(rng.vec(-side, side));
        let there = Pose::new(place, Quat::from_vec4(turn)).expect("valid");
        let reach = body.aabb(&there);
        let mut touches = false;
        let mut least = f32::INFINITY;
        for triangle in &single {
            // Bounds that lie farther apart than the best cannot matter.
            if gap(&triangle.aabb(&pose), &reach) > least.max(0.0) {
                skipped += 1;
                continue;
            }
            touches |= overlaps(&body, &there, triangle, &pose);
            let found = closest(&body, &there, triangle, &pose, f32::INFINITY).expect("valid");
            least = least.min(found.distance);
        }
        let context = format!("case {case}: {body:?} {there:?} {pose:?}");
        assert_eq!(overlaps(&body, &there, &shape, &pose), touches, "{context}");
        assert_eq!(overlaps(&shape, &pose, &body, &there), touches, "{context}");
        let found = closest(&body, &there, &shape, &pose, f32::INFINITY).expect("valid");
        // A sphere and a triangle by itself come straight from the poses, those of a mesh from its
        // frame, so that f64 may round to neighbours in f32.
        let ulps = found.distance.to_bits().abs_diff(least.to_bits());
        assert!(ulps <= u32::from(case % 4 == 0), "{} {least} {context}", found.distance);
        let near = closest(&body, &there, &shape, &pose, 50.0);
        assert_eq!(near.is_some(), least <= 50.0, "{context}");
        *if touches { &mut meeting } else { &mut apart } += 1;
    }
    assert!(apart > 50 && meeting > 20 && skipped > 0, "{apart} {meeting} {skipped}");
}

/// A lower bound of the distance of two boxes.
fn gap(a: &Aabb, b: &Aabb) -> f32 {
    let between = (a.min() - b.max()).max(b.min() - a.max()).max(Vec3::ZERO);
    round::down(between.as_dvec3().length() * 0.999_999)
}
