//! Meshes and height fields against going through all their triangles.

use std::ops::ControlFlow;

use glam::{DVec3, Quat, Vec3};

use super::*;
use crate::{
    HeightField, Plane, PlaneSide, Pose, Ray, RayCrossing, RayCrossings, RayOptions, Shape,
    ShapeRayHit, StartedInside, TriangleMesh,
};

/// Plain random numbers; the seed names the case.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(self.0 >> 40).unwrap() % n
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(u32::try_from(from.len()).unwrap()) as usize]
    }

    /// A multiple of a quarter between -4 and 4, so that ties and touches are common.
    fn lattice(&mut self) -> Vec3 {
        let mut quarter = || self.below(33) as f32 * 0.25 - 4.0;
        Vec3::new(quarter(), quarter(), quarter())
    }

    /// Between -1 and 1.
    fn vector(&mut self) -> Vec3 {
        let mut number = || self.below(1 << 20) as f32 / (1 << 19) as f32 - 1.0;
        Vec3::new(number(), number(), number())
    }

    fn pose(&mut self) -> Pose {
        let axis = self.vector();
        let rotation = match self.below(4) {
            0 => Quat::IDENTITY,
            1 => Quat::from_xyzw(0.0, 1.0, 0.0, 1.0),
            _ => Quat::from_xyzw(axis.x, axis.y, axis.z, 0.5),
        };
        let far = [0.0, 1.0, 1000.0][self.below(3) as usize];
        Pose::new(self.lattice() * far, rotation).unwrap()
    }

    fn options(&mut self) -> RayOptions {
        let rules = [StartedInside::Hit, StartedInside::Skip, StartedInside::Exit];
        let started_inside = rules[self.below(3) as usize];
        RayOptions { started_inside, cull_back_faces: self.below(4) == 0 }
    }
}

/// A surface as a shape, with its own type forgotten by closures.
enum Surface {
    Mesh(TriangleMesh),
    Field(HeightField),
}

/// Calls a method that both types have.
macro_rules! on {
    ($surface:expr, $set:ident => $call:expr) => {
        match $surface {
            Surface::Mesh($set) => $call,
            Surface::Field($set) => $call,
        }
    };
}

impl Surface {
    fn triangles(&self) -> Vec<(u32, Triangle)> {
        let count = u32::try_from(on!(self, set => set.triangle_count())).unwrap();
        let triangle = |i| on!(self, set => set.triangle(i));
        (0..count).filter_map(|i| Some((i, triangle(i)?))).collect()
    }

    fn sides(&self) -> Sides {
        on!(self, set => set.sides())
    }
}

fn soup(random: &mut Random, count: u32, offset: Vec3) -> TriangleMesh {
    let vertices: Vec<Vec3> = (0..count).map(|_| random.lattice() + offset).collect();
    let triangles = (0..count).map(|_| [0; 3].map(|_: u32| random.below(count))).collect();
    TriangleMesh::new(vertices, triangles).unwrap()
}

/// A box whose faces are divided into `n` by `n` squares.
fn closed_box(n: u32) -> TriangleMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let at = |i: u32| i as f32 * (4.0 / n as f32) - 2.0;
    for axis in 0..3 {
        for side in [-2.0, 2.0] {
            for (i, j) in (0..n * n).map(|k| (k / n, k % n)) {
                let first = u32::try_from(vertices.len()).unwrap();
                for (i, j) in [(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)] {
                    let mut v = Vec3::splat(side);
                    v[(axis + 1) % 3] = at(i);
                    v[(axis + 2) % 3] = at(j);
                    vertices.push(v);
                }
                let faces = [[0, 1, 2], [2, 1, 3]].map(|face| face.map(|i| first + i));
                triangles
                    .extend(faces.map(|[a, b, c]| if side > 0.0 { [a, b, c] } else { [b, a, c] }));
            }
        }
    }
    TriangleMesh::new(vertices, triangles).unwrap()
}

fn field(random: &mut Random, rows: usize, columns: usize, holes: bool) -> HeightField {
    let mut height = |_| {
        let height = random.below(9) as f32 * 0.25 - 1.0;
        (!holes || random.below(4) > 0).then_some(height)
    };
    let heights = (0..rows * columns).map(&mut height).collect();
    HeightField::with_holes(rows, columns, heights, Vec3::new(8.0, 2.0, 6.0)).unwrap()
}

fn surfaces(random: &mut Random) -> Vec<Surface> {
    let point = Vec3::new(1.0, 2.0, 3.0);
    let single = TriangleMesh::new(vec![Vec3::ZERO, Vec3::Z * 3.0, Vec3::X * 3.0], vec![[0, 1, 2]]);
    let degenerate = TriangleMesh::new(
        vec![point, Vec3::ZERO, Vec3::X, Vec3::X * 3.0],
        vec![[0, 0, 0], [1, 2, 3], [1, 2, 2], [3, 1, 0], [1, 3, 1], [0, 0, 1]],
    );
    let same = TriangleMesh::new(vec![Vec3::X, Vec3::Y, Vec3::Z], vec![[0, 1, 2]; 40]);
    vec![
        Surface::Mesh(single.unwrap()),
        Surface::Mesh(degenerate.unwrap()),
        Surface::Mesh(same.unwrap()),
        Surface::Mesh(soup(random, 60, Vec3::ZERO)),
        Surface::Mesh(soup(random, 30, Vec3::splat(4096.0)).with_sides(Sides::Front)),
        Surface::Mesh(closed_box(3)),
        Surface::Field(field(random, 2, 2, false)),
        Surface::Field(field(random, 7, 12, false)),
        Surface::Field(field(random, 9, 5, true).with_sides(Sides::Front)),
        Surface::Field(field(random, 2, 17, true)),
    ]
}

/// A point of some triangle: a corner, the middle of an edge, or any other.
fn place(random: &mut Random, surface: &Surface) -> Vec3 {
    let triangles = surface.triangles();
    let [a, b, c] = random.pick(&triangles).1.vertices();
    match random.below(4) {
        0 => a,
        1 => (b + c) * 0.5,
        2 => b * 0.25 + (a * 0.5 + c * 0.25),
        _ => a + random.vector(),
    }
}

fn closest_of_all(
    surface: &Surface,
    pose: &Pose,
    ray: &Ray,
    max_distance: f32,
    options: &RayOptions,
) -> Option<ShapeRayHit> {
    let cull_back_faces = options.cull_back_faces || surface.sides() == Sides::Front;
    let options = RayOptions { cull_back_faces, ..*options };
    let mut best: Option<ShapeRayHit> = None;
    for (part, triangle) in surface.triangles() {
        if let Some(hit) = triangle.raycast(pose, ray, max_distance, &options)
            && best.is_none_or(|best| hit.distance < best.distance)
        {
            best = Some(ShapeRayHit { part, ..hit });
        }
    }
    best
}

#[test]
fn rays_hit_what_the_closest_triangle_says() {
    let mut random = Random(1);
    let (mut hits, mut misses, mut inside) = (0, 0, 0);
    for round in 0..60 {
        for (i, surface) in surfaces(&mut random).iter().enumerate() {
            let pose = random.pose();
            let target = pose.transform_point(place(&mut random, surface));
            let direction = match random.below(3) {
                0 => Vec3::AXES[random.below(3) as usize] * [1.0, -1.0][random.below(2) as usize],
                1 => random.lattice(),
                _ => random.vector(),
            };
            let start = [0.0, 1.0, 4.0, 100.0][random.below(4) as usize];
            let Ok(ray) = Ray::new(target - direction * start, direction) else { continue };
            let options = random.options();
            let cast = |max: f32| on!(surface, set => set.raycast(&pose, &ray, max, &options));
            let check = |max: f32| {
                let expected = closest_of_all(surface, &pose, &ray, max, &options);
                assert_eq!(cast(max), expected, "{round} {i}: {pose:?} {ray:?} {max} {options:?}");
                expected
            };
            let Some(hit) = check(f32::INFINITY) else {
                misses += 1;
                continue;
            };
            for max in [hit.distance, hit.distance.next_up(), hit.distance.next_down(), 2.0] {
                check(max);
            }
            hits += 1;
            inside += u32::from(hit.started_inside);
        }
    }
    assert!(hits > 200 && misses > 50 && inside > 20, "{hits} {misses} {inside}");
}

#[test]
fn crossings_are_those_of_all_triangles() {
    let mut random = Random(11);
    let (mut some, mut none) = (0, 0);
    for round in 0..30 {
        for (i, surface) in surfaces(&mut random).iter().enumerate() {
            let pose = random.pose();
            let target = pose.transform_point(place(&mut random, surface));
            let direction = if round % 2 == 0 { random.lattice() } else { random.vector() };
            let Ok(ray) = Ray::new(target - direction, direction) else { continue };
            for max in [f32::INFINITY, 5.0, -1.0] {
                let mut expected = RayCrossings::new();
                for (part, triangle) in surface.triangles() {
                    let own = triangle.crossings(&pose, &ray, max);
                    expected.extend(own.into_iter().map(|own| RayCrossing { part, ..own }));
                }
                expected
                    .sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.part.cmp(&b.part)));
                let found = on!(surface, set => set.crossings(&pose, &ray, max));
                assert_eq!(found, expected, "{round} {i}: {pose:?} {ray:?} {max}");
                some += u32::from(found.len() > 2);
                none += u32::from(found.is_empty());
            }
        }
    }
    assert!(some > 50 && none > 100, "{some} {none}");
}

#[test]
fn scaling_by_a_power_of_two_scales_the_hits() {
    let mut random = Random(2);
    let mut hits = 0;
    for round in 0..40 {
        let mesh = soup(&mut random, 30, Vec3::ZERO);
        let field = field(&mut random, 5, 6, true);
        let heights = |rows: usize| (0..rows * 6).map(|i| field.vertex(i / 6, i % 6).map(|v| v.y));
        let (pose, target) = (random.pose(), random.lattice());
        let ray = Ray::new(target + random.vector() * 30.0, random.vector()).unwrap();
        let ray = Ray::new(ray.origin(), pose.transform_point(target) - ray.origin()).unwrap();
        for exponent in [-70, -3, 5, 60] {
            let scale = 2.0_f32.powi(exponent);
            let vertices = mesh.vertices().iter().map(|&v| v * scale).collect();
            let scaled_mesh = TriangleMesh::new(vertices, mesh.triangles().to_vec()).unwrap();
            let size = Vec3::new(8.0, 1.0, 6.0) * scale;
            let scaled_field = HeightField::with_holes(5, 6, heights(5).collect(), size).unwrap();
            let scaled_pose = Pose::new(pose.position() * scale, pose.rotation()).unwrap();
            let scaled_ray = Ray::new(ray.origin() * scale, ray.direction()).unwrap();
            let cast = |set: &Surface, pose: &Pose, ray: &Ray| on!(set, set => set.raycast(pose, ray, f32::INFINITY, &RayOptions::default()));
            let pairs = [
                (Surface::Mesh(mesh.clone()), Surface::Mesh(scaled_mesh)),
                (Surface::Field(field.clone()), Surface::Field(scaled_field)),
            ];
            for (unit, scaled) in pairs {
                let expected = cast(&unit, &pose, &ray).map(|hit| ShapeRayHit {
                    distance: hit.distance * scale,
                    point: hit.point * scale,
                    ..hit
                });
                assert_eq!(
                    cast(&scaled, &scaled_pose, &scaled_ray),
                    expected,
                    "{round} {exponent}"
                );
                hits += u32::from(expected.is_some());
            }
        }
    }
    assert!(hits > 60, "{hits}");
}

#[test]
fn bounds_find_the_triangles_that_touch_them() {
    let mut random = Random(3);
    let (mut some, mut none) = (0, 0);
    for round in 0..40 {
        for (i, surface) in surfaces(&mut random).iter().enumerate() {
            let center = place(&mut random, surface) + random.lattice() * 0.25;
            let half = random.vector().abs() * [0.0, 0.5, 4.0][random.below(3) as usize];
            let bounds = Aabb::from_center_half_extents(center, half).unwrap();
            let mut found = Vec::new();
            let mut visit = |index| {
                found.push(index);
                ControlFlow::Continue(())
            };
            assert!(on!(surface, set => set.for_each_in(&bounds, &mut visit)).is_continue());
            found.sort_unstable();
            let touches = |(index, triangle): (u32, Triangle)| {
                triangle_bounds(&triangle.vertices()).overlaps(&bounds).then_some(index)
            };
            let expected: Vec<u32> = surface.triangles().into_iter().filter_map(touches).collect();
            assert_eq!(found, expected, "{round} {i}: {bounds:?}");
            some += u32::from(!found.is_empty());
            none += u32::from(found.is_empty());
            let mut visits = 0;
            let stopped = on!(surface, set => set.for_each_in(&bounds, &mut |_| {
                visits += 1;
                ControlFlow::Break(())
            }));
            assert_eq!((stopped.is_break(), visits), (!found.is_empty(), found.len().min(1)));
        }
    }
    assert!(some > 100 && none > 50, "{some} {none}");
}

fn apart(point: Vec3, bounds: &Aabb) -> f64 {
    let nearest = point.clamp(bounds.min(), bounds.max());
    (point.as_dvec3() - nearest.as_dvec3()).length()
}

#[test]
fn the_nearest_and_all_ties_are_visited() {
    let mut random = Random(4);
    let (mut visits, mut triangles, mut ties) = (0, 0, 0);
    for round in 0..40 {
        for (i, surface) in surfaces(&mut random).iter().enumerate() {
            let point = place(&mut random, surface) + random.lattice();
            let all = surface.triangles();
            let costs: Vec<(f64, u32)> = (all.iter())
                .map(|(index, triangle)| {
                    (apart(point, &triangle_bounds(&triangle.vertices())), *index)
                })
                .collect();
            let least = costs.iter().fold(f64::INFINITY, |least, cost| least.min(cost.0));
            let mut found = Vec::new();
            let mut visit = |index: u32| {
                let cost = costs.iter().find(|cost| cost.1 == index).unwrap().0;
                found.push((cost, index));
                visits += 1;
                cost
            };
            let mut bound = |bounds: &Aabb| apart(point, bounds);
            on!(surface, set => set.nearest(f64::INFINITY, &mut bound, &mut visit));
            found.retain(|&(cost, _)| cost <= least);
            found.sort_by_key(|found| found.1);
            let expected: Vec<_> = costs.iter().copied().filter(|cost| cost.0 <= least).collect();
            assert_eq!(found, expected, "{round} {i}: {point}");
            triangles += all.len();
            ties += usize::from(found.len() > 1);
            let mut unreached = |_: u32| panic!("beyond the limit");
            on!(surface, set => set.nearest(least.next_down(), &mut bound, &mut unreached));
        }
    }
    assert!(ties > 50 && visits * 2 < triangles, "{visits} of {triangles}, {ties} ties");
}

#[test]
fn bounds_supports_and_sides_are_those_of_all_triangles() {
    let mut random = Random(5);
    let mut sides = [0; 3];
    for round in 0..30 {
        for (i, surface) in surfaces(&mut random).iter().enumerate() {
            let pose = random.pose();
            let all = surface.triangles();
            let name = format!("{round} {i}: {pose:?}");
            let bounds = all.iter().map(|(_, triangle)| triangle.aabb(&pose));
            let expected = bounds.reduce(|all, one| all.union(&one)).unwrap();
            let bounds = on!(surface, set => set.aabb(&pose));
            assert!(bounds.contains(&expected), "{name}");
            // The slack is that of the whole surface, not of the outermost triangle.
            let size = on!(surface, set => set.bounds().max().abs().max_element()).max(4.0);
            assert!(expected.inflate(size * 1e-12).contains(&bounds), "{name}");
            assert!(!pose.permutes_axes() || bounds == expected, "{name}");

            let direction = if round % 2 == 0 { random.lattice() } else { random.vector() };
            let direction = direction.as_dvec3();
            let farthest = |v: DVec3| direction.x * v.x + direction.y * v.y + direction.z * v.z;
            let corners = all.iter().flat_map(|(_, triangle)| triangle.vertices());
            let most = corners.map(|v| farthest(v.as_dvec3())).fold(f64::NEG_INFINITY, f64::max);
            let support = on!(surface, set => set.support(direction));
            assert_eq!(farthest(support).to_bits(), most.to_bits(), "{name} {direction}");

            let touched = pose.transform_point(place(&mut random, surface));
            let normal = pose.transform_vector(random.lattice());
            let Ok(plane) = Plane::through(touched + random.lattice(), normal) else { continue };
            let each = all.iter().map(|(_, triangle)| triangle.classify(&pose, &plane));
            let side = on!(surface, set => set.classify(&pose, &plane));
            assert_eq!(Some(side), each.reduce(PlaneSide::with), "{name} {plane:?}");
            sides[side as usize] += 1;
            // The plane through the farthest corner touches, and a step further it does not.
            if pose == Pose::IDENTITY {
                let axis = Vec3::AXES[random.below(3) as usize];
                let most = on!(surface, set => set.support(axis.as_dvec3())).as_vec3().dot(axis);
                let side = |at: f32| {
                    let plane = Plane::new(axis, at).unwrap();
                    on!(surface, set => set.classify(&pose, &plane))
                };
                assert_eq!(side(most), PlaneSide::Straddling, "{name}");
                assert_eq!(side(most.next_up()), PlaneSide::Behind, "{name}");
            }
        }
    }
    assert!(sides.iter().all(|&n| n > 20), "{sides:?}");
}

#[test]
fn points_are_on_the_surface_if_they_are_on_a_triangle() {
    let mut random = Random(6);
    let (mut on_it, mut off) = (0, 0);
    for round in 0..60 {
        for (i, surface) in surfaces(&mut random).iter().enumerate() {
            let pose = random.pose();
            let point = pose.transform_point(place(&mut random, surface));
            let all = surface.triangles();
            let expected = all.iter().any(|(_, triangle)| triangle.contains_point(&pose, point));
            let found = on!(surface, set => set.contains_point(&pose, point));
            assert_eq!(found, expected, "{round} {i}: {pose:?} {point}");
            on_it += u32::from(found);
            off += u32::from(!found);
            assert!(!on!(surface, set => set.contains_point(&pose, Vec3::splat(f32::NAN))));
        }
    }
    assert!(on_it > 100 && off > 100, "{on_it} {off}");
}

#[test]
fn pairs_of_unturned_boxes_are_found_exactly() {
    let mut random = Random(7);
    let (mut found_pairs, mut none) = (0, 0);
    for round in 0..12 {
        let (all_a, all_b) = (surfaces(&mut random), surfaces(&mut random));
        for (i, a) in all_a.iter().enumerate() {
            let b = random.pick(&all_b);
            let offset = place(&mut random, a) - place(&mut random, b) + random.lattice();
            let at = Pose::from_position((offset * 4.0).round() * 0.25).unwrap();
            // Coordinates are multiples of 1/8, so that no distance is near the margin.
            let margin = [0.01, 0.3, 1.03][random.below(3) as usize];
            let mut found = Vec::new();
            let mut visit = |a, b| {
                found.push((a, b));
                ControlFlow::Continue(())
            };
            let stay = Pose::IDENTITY;
            let done = on!(a, a => on!(b, b => {
                for_each_pair_in(a, b, &stay, &at, margin, &mut visit)
            }));
            assert!(done.is_continue());
            found.sort_unstable();
            let mut expected = Vec::new();
            for (i, triangle) in a.triangles() {
                for (j, other) in b.triangles() {
                    let (a, b) = (triangle.aabb(&stay), other.aabb(&at));
                    let below = b.min().as_dvec3() - a.max().as_dvec3();
                    let above = a.min().as_dvec3() - b.max().as_dvec3();
                    if below.max(above).max(DVec3::ZERO).length() <= margin {
                        expected.push((i, j));
                    }
                }
            }
            assert_eq!(found, expected, "{round} {i}: {at:?} {margin}");
            none += u32::from(found.is_empty());
            found_pairs += found.len();
        }
    }
    assert!(found_pairs > 500 && none > 10, "{found_pairs} {none}");
}

#[test]
fn pairs_hold_all_that_is_near_and_the_nearest() {
    let mut random = Random(8);
    let (mut near, mut visits, mut all) = (0, 0, 0);
    for round in 0..12 {
        let (all_a, all_b) = (surfaces(&mut random), surfaces(&mut random));
        for (i, a) in all_a.iter().enumerate() {
            let b = random.pick(&all_b);
            let (pose_a, pose_b) = (random.pose(), random.pose());
            // The corner of each triangle that stands for it, in the world.
            let corners = |set: &Surface, pose: &Pose| -> Vec<(u32, DVec3)> {
                let place = |v: Vec3| pose.rotation_matrix() * v.as_dvec3() + pose.translation();
                set.triangles().iter().map(|(i, t)| (*i, place(t.b()))).collect()
            };
            let (in_a, in_b) = (corners(a, &pose_a), corners(b, &pose_b));
            let distance = |i: u32, j: u32| {
                let of = |all: &[(u32, DVec3)], i: u32| all.iter().find(|v| v.0 == i).unwrap().1;
                (of(&in_a, i) - of(&in_b, j)).length()
            };
            let each = in_a.iter().flat_map(|a| in_b.iter().map(|b| (a.0, b.0)));
            let least = each.clone().map(|(i, j)| distance(i, j)).fold(f64::INFINITY, f64::min);
            // Rounding moves the corners by far less than this.
            let margin = least * 1.25 + 1e-6;
            let mut found = Vec::new();
            let _ = on!(a, a => on!(b, b => {
                for_each_pair_in(a, b, &pose_a, &pose_b, margin, &mut |a, b| {
                    found.push((a, b));
                    ControlFlow::Continue(())
                })
            }));
            let count = found.len();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), count, "{round} {i}");
            for pair in each.filter(|&(i, j)| distance(i, j) < margin - 1e-6) {
                assert!(found.binary_search(&pair).is_ok(), "{round} {i}: {pair:?}");
                near += 1;
            }
            let mut best = f64::INFINITY;
            on!(a, a => on!(b, b => {
                nearest_pair(a, b, &pose_a, &pose_b, f64::INFINITY, &mut |i, j| {
                    visits += 1;
                    best = best.min(distance(i, j));
                    best
                });
            }));
            assert_eq!(best.to_bits(), least.to_bits(), "{round} {i}");
            all += in_a.len() * in_b.len();
        }
    }
    assert!(near > 200 && visits * 4 < all, "{near} {visits} of {all}");
}

/// The bends at an edge by going through all triangles.
fn kind_of(surface: &Surface, index: u32, edge: usize, behind: bool) -> Option<EdgeKind> {
    let all = surface.triangles();
    let own = all.iter().find(|(i, _)| *i == index)?.1.vertices();
    let [p, q, r] = [edge, edge + 1, edge + 2].map(|i| own[i % 3]);
    let mut bends = Bends::default();
    for (i, other) in &all {
        let other = other.vertices();
        for i in (0..3).filter(|_| *i != index && p != q) {
            let (from, to) = (other[i], other[(i + 1) % 3]);
            if (from, to) == (p, q) || (from, to) == (q, p) {
                bends.add(bend([p, q, r], other[(i + 2) % 3]));
            }
        }
    }
    Some(bends.kind(behind))
}

#[test]
fn edges_are_what_their_neighbours_make_them() {
    let mut random = Random(9);
    let mut kinds = [0; 4];
    for round in 0..8 {
        let mut surfaces = surfaces(&mut random);
        // Few positions, so that many triangles meet at an edge.
        let vertices = (0..9).map(|_| random.lattice().round().clamp(-Vec3::ONE, Vec3::ONE));
        let vertices: Vec<Vec3> = vertices.collect();
        let crowd = (0..150).map(|_| [0; 3].map(|_: u32| random.below(9))).collect();
        surfaces.push(Surface::Mesh(TriangleMesh::new(vertices, crowd).unwrap()));
        for (i, surface) in surfaces.iter().enumerate() {
            for index in 0..200 {
                for edge in 0..3 {
                    let found = on!(surface, set => {
                        (set.edge_kind(index, edge), set.edge_kind_from_behind(index, edge))
                    });
                    let expected =
                        [false, true].map(|behind| kind_of(surface, index, edge, behind));
                    assert_eq!(found, expected.into(), "{round} {i}: {index} {edge}");
                    if let (Some(kind), _) = found {
                        kinds[kind as usize] += 1;
                    }
                }
                assert_eq!(on!(surface, set => set.edge_kind(index, 3)), None);
            }
        }
    }
    assert!(kinds.iter().all(|&n| n > 200), "{kinds:?}");
}

#[test]
fn a_box_of_triangles_is_hit_where_a_box_is() {
    let mesh = closed_box(4);
    let solid = Shape::cuboid(Vec3::splat(2.0)).unwrap();
    let mut random = Random(10);
    let mut hits = 0;
    for round in 0..500 {
        let (pose, target) = (random.pose(), random.lattice());
        let from = pose.transform_point(target + random.vector().normalize() * 20.0);
        let ray = Ray::new(from, pose.transform_point(target) - from).unwrap();
        let cast = |max: f32, mesh: Option<&TriangleMesh>| match mesh {
            Some(mesh) => mesh.raycast(&pose, &ray, max, &RayOptions::default()),
            None => solid.raycast(&pose, &ray, max, &RayOptions::default()),
        };
        let expected = cast(f32::INFINITY, None);
        let found = cast(f32::INFINITY, Some(&mesh));
        // The same set of points, and both answers are exact.
        assert_eq!(found.is_some(), expected.is_some(), "{round}: {pose:?} {ray:?}");
        if let (Some(found), Some(expected)) = (found, expected) {
            let off = (found.distance - expected.distance).abs();
            assert!(off <= expected.distance * f32::EPSILON, "{round}: {found:?} {expected:?}");
            hits += 1;
        }
    }
    assert!((100..490).contains(&hits), "{hits}");
}

mod swept;
