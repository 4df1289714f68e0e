use glam::Quat;

use super::*;
use crate::convex::gjk::Support;
use crate::convex::{Core, gjk};
use crate::{HeightField, Pose, TriangleMesh, TriangleSet};

/// Plain random numbers between -1 and 1; the seed names the case.
struct Random(u64);

impl Random {
    fn number(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        f32::from(u16::try_from(self.0 >> 48).unwrap()) / 32768.0 - 1.0
    }

    fn vector(&mut self, scale: f32) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number()) * scale
    }

    /// Many of them without area, or corners far apart.
    fn triangle(&mut self, scale: f32) -> [Vec3; 3] {
        let [a, b, c] = [self.vector(scale), self.vector(scale), self.vector(scale)];
        match self.number() {
            x if x < -0.8 => [a, b, a + (b - a) * 0.3],
            x if x < -0.6 => [a, a, b],
            x if x < -0.2 => [a, a + b * 1e-3, a + c * 1e-3],
            _ => [a, b, c],
        }
    }
}

fn distance(corners: &[Vec3; 3], point: DVec3) -> f64 {
    gjk::distance_of_triangle(corners.map(|corner| corner.as_dvec3() - point)).0
}

#[test]
fn no_triangle_and_no_box_is_nearer_than_said() {
    let (mut close, mut nothing) = (0, 0);
    for case in 0..4000 {
        let mut random = Random(case);
        let power = [0, 20, -20, 60, -60, -120][usize::try_from(case % 6).unwrap()];
        let scale = 2.0_f32.powi(power);
        let corners = [(); WIDTH].map(|()| random.triangle(scale));
        let point = random.vector(scale * 2.0).as_dvec3();
        let bounds = Aabb::new(Vec3::splat(-scale), Vec3::splat(scale)).unwrap();
        let near = Near::new(point, 0.0, 0.0, &bounds);
        let squares = at_baseline!(simd => near.of_triangles(simd, &corners));
        let mut boxes = Boxes::NONE;
        for (lane, corners) in corners.iter().enumerate().skip(1) {
            let bounds = super::super::triangle_bounds(corners);
            boxes.set(lane, bounds.min(), bounds.max());
        }
        let (to_boxes, lanes) = at_baseline!(simd => near.of_boxes(simd, &boxes, f32::INFINITY));
        assert_eq!(lanes, 0b1110, "{case}: the first lane has no box");
        for (lane, corners) in corners.iter().enumerate() {
            let exact = distance(corners, point);
            assert!(squares[lane] <= near.square(exact), "{case}: {corners:?} {near:?}");
            assert!(lane == 0 || to_boxes[lane] <= near.square(exact), "{case}: {corners:?}");
            let tight = squares[lane] * 1.01 >= near.square(exact * 0.99 - near.slack);
            close += u32::from(tight && squares[lane] > 0.0);
            nothing += u32::from(squares[lane] <= 0.0);
        }
    }
    // Those near or without area say nothing, and none does that is too small for f32.
    assert!(close > 9000 && nothing > 500, "{close}, {nothing} of nothing");
}

#[test]
fn no_triangle_and_no_box_is_nearer_to_a_box_than_said() {
    let (mut close, mut zero) = (0, 0);
    for case in 0..3000 {
        let mut random = Random(case);
        let scale = 2.0_f32.powi([0, 30, -50][usize::try_from(case % 3).unwrap()]);
        let corners = [(); WIDTH].map(|()| random.triangle(scale));
        let axis = random.vector(1.0);
        let turn = Quat::from_xyzw(axis.x, axis.y, axis.z, 0.4);
        let turn = Pose::new(Vec3::ZERO, turn).unwrap().rotation_matrix();
        let center = random.vector(scale * 2.0).as_dvec3();
        let half = (random.vector(0.5).abs() * scale).as_dvec3();
        let bounds = Aabb::new(Vec3::splat(-scale), Vec3::splat(scale)).unwrap();
        let middle = Near::new(center, 0.0, half.element_sum(), &bounds);
        let near = NearBox::new(middle, &turn, half);
        let mut boxes = Boxes::NONE;
        for (lane, corners) in corners.iter().enumerate() {
            let bounds = super::super::triangle_bounds(corners);
            boxes.set(lane, bounds.min(), bounds.max());
        }
        let (squares, (to_boxes, _)) = at_baseline!(simd => (
            near.of_triangles(simd, &corners),
            near.of_boxes(simd, &boxes, f32::INFINITY)
        ));
        for (lane, corners) in corners.iter().enumerate() {
            let core = Core::Triangle(*corners);
            let support = |n: DVec3| Support {
                a: center
                    + turn * Core::Cuboid(round::nearest_vec(half)).support(turn.transpose() * n),
                b: core.support(-n),
            };
            let size = 8.0 * f64::from(scale);
            let exact = gjk::nearest(support, core.middle() - center, size).distance;
            let square = near.square(exact);
            assert!(squares[lane] <= square, "{case}: {corners:?} {near:?}");
            assert!(to_boxes[lane] <= square, "{case}: {corners:?} {near:?}");
            close += u32::from(squares[lane] > 0.0 && squares[lane] * 1.5 >= square);
            zero += u32::from(squares[lane] <= 0.0);
        }
    }
    assert!(close > 6000 && zero > 200, "{close}, {zero} that may touch");
}

#[test]
fn negative_infinity_ends_the_search() {
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let all = vec![[0, 1, 2], [0, 2, 3], [0, 1, 3], [1, 2, 3]];
    let mesh = TriangleMesh::new(corners, [all.clone(), all].concat()).unwrap();
    for end in [f64::NEG_INFINITY, 0.0] {
        let (mut of_point, mut of_box) = (0, 0);
        mesh.nearest_to(DVec3::ZERO, 0.0, 1.0, &mut |_, _| {
            of_point += 1;
            end
        });
        let place = (DVec3::ZERO, &DMat3::IDENTITY, DVec3::ONE);
        mesh.nearest_to_box(place, 0.0, 1.0, &mut |_, _| {
            of_box += 1;
            end
        });
        let expected = if end < 0.0 { (1, 1) } else { (6, 8) };
        assert_eq!((of_point, of_box), expected, "{end}");
    }
}

/// All triangles no farther than the nearest one and `beyond` are visited, and few others.
fn check(set: &impl TriangleSet, seed: u64, beyond: f64) -> (usize, usize) {
    let mut random = Random(seed);
    let point = random.vector(6.0).as_dvec3();
    let count = u32::try_from(set.triangle_count()).unwrap();
    let corners = |index| Some(set.triangle(index)?.vertices());
    let all: Vec<(u32, f64)> =
        (0..count).filter_map(|index| Some((index, distance(&corners(index)?, point)))).collect();
    let least = all.iter().fold(f64::INFINITY, |least, (_, distance)| least.min(*distance));
    let mut seen = Vec::new();
    set.nearest_to(point, beyond, f64::INFINITY, &mut |index, triangle| {
        assert_eq!(Some(triangle.vertices()), corners(index), "{seed}");
        seen.push(index);
        distance(&triangle.vertices(), point)
    });
    for (index, distance) in &all {
        assert!(*distance > least + beyond || seen.contains(index), "{seed}: {index}");
    }
    let mut unreached = 0;
    set.nearest_to(point, 0.0, least * 0.5, &mut |_, _| {
        unreached += 1;
        f64::NEG_INFINITY
    });
    assert_eq!(unreached, 0, "{seed}: nothing is within half of {least}");
    (seen.len(), all.len())
}

#[test]
fn the_nearest_to_a_point_are_visited() {
    let (mut seen, mut all) = (0, 0);
    for seed in 0..60 {
        let mut random = Random(seed + 1000);
        let vertices: Vec<Vec3> = (0..120).map(|_| random.vector(4.0)).collect();
        let named = (0..118).map(|k| [k, k + 1, k + 2]).collect();
        let mesh = TriangleMesh::new(vertices, named).unwrap();
        let heights = (0..90).map(|_| random.number()).collect();
        let field = HeightField::new(9, 10, heights, Vec3::new(8.0, 1.0, 8.0)).unwrap();
        for beyond in [0.0, 0.5] {
            for (visited, of) in [check(&mesh, seed, beyond), check(&field, seed, beyond)] {
                (seen, all) = (seen + visited, all + of);
            }
        }
    }
    assert!(seen * 4 < all, "{seen} of {all} triangles were looked at");
}

/// All that is within the limit is visited, once, whether its cells are few or not.
#[test]
fn triangles_of_few_cells_and_of_many_are_visited_once() {
    let (mut within, mut none, mut few, mut many) = (0, 0, 0, 0);
    for seed in 0..300 {
        let mut random = Random(seed);
        let size = 2.0_f32.powi([0, 40, -60][usize::try_from(seed % 3).unwrap()]);
        let heights = (0..110).map(|_| (random.number() > -0.8).then(|| random.number() * size));
        let scale = Vec3::new(9.0 * size, 1.0, 10.0 * size);
        let field = HeightField::with_holes(11, 10, heights.collect(), scale).unwrap();
        let axis = random.vector(1.0);
        let turn = Quat::from_xyzw(axis.x, axis.y, axis.z, 0.4);
        let turn = Pose::new(Vec3::ZERO, turn).unwrap().rotation_matrix();
        let half = random.vector(size).abs() * if seed % 2 == 0 { 0.5 } else { 4.0 };
        let center = (random.vector(5.0 * size) * Vec3::new(1.0, 0.3, 1.0)).as_dvec3();
        let limit = f64::from(random.number().abs() * size);
        let (mut of_box, mut of_ball) = (Vec::new(), Vec::new());
        field.nearest_to_box((center, &turn, half.as_dvec3()), 0.0, limit, &mut |index, _| {
            of_box.push(index);
            limit
        });
        field.nearest_to(center, 0.0, limit, &mut |index, _| {
            of_ball.push(index);
            limit
        });
        let bounds = bounds_around(center, half.as_dvec3(), limit).unwrap();
        let is_few = field.few_leaves(&bounds, &mut Few::new());
        (few, many) = (few + u32::from(is_few), many + u32::from(!is_few));
        for index in 0..180 {
            let Some(triangle) = field.triangle(index) else { continue };
            let core = Core::Triangle(triangle.vertices());
            let support = |n: DVec3| Support {
                a: center + turn * Core::Cuboid(half).support(turn.transpose() * n),
                b: core.support(-n),
            };
            let reach = 8.0 * f64::from(size);
            let to_box = gjk::nearest(support, core.middle() - center, reach).distance;
            let to_ball = distance(&triangle.vertices(), center);
            for (distance, found) in [(to_box, &of_box), (to_ball, &of_ball)] {
                let times = found.iter().filter(|&&other| other == index).count();
                assert!(times <= 1, "{seed}: {index}");
                assert!(times == 1 || distance > limit, "{seed}: {index} {distance} {limit}");
                within += u32::from(distance <= limit);
            }
        }
        none += u32::from(of_ball.is_empty());
    }
    assert!(within > 5000 && none > 20 && few > 100 && many > 10, "{within} {none} {few} {many}");
}
