//! Surfaces act as one: their inner edges hold nothing up and turn no normal.

use impinge_narrowphase::{
    Manifold, Relation, ShapeSweepHit, SweepOptions, closest, distance, manifold, manifolds,
    relation, sweep,
};
use impinge_shapes::glam::{Quat, Vec3, vec3};
use impinge_shapes::{HeightField, Pose, Shape};

/// A flat square of two triangles a cell, as a mesh and as a height field.
fn floors() -> [Shape; 2] {
    const CELLS: u8 = 8;
    let place = |k: u8| f32::from(k) - f32::from(CELLS) / 2.0;
    let mut vertices = Vec::new();
    for i in 0..=CELLS {
        for j in 0..=CELLS {
            vertices.push(vec3(place(i), 0.0, place(j)));
        }
    }
    let at = |i: u8, j: u8| u32::from(i) * u32::from(CELLS + 1) + u32::from(j);
    let mut triangles = Vec::new();
    for i in 0..CELLS {
        for j in 0..CELLS {
            triangles.push([at(i, j), at(i, j + 1), at(i + 1, j)]);
            triangles.push([at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]);
        }
    }
    let side = f32::from(CELLS);
    let heights = vec![0.0; usize::from(CELLS + 1) * usize::from(CELLS + 1)];
    [
        Shape::triangle_mesh(vertices, triangles).expect("valid"),
        Shape::height_field(9, 9, heights, vec3(side, 1.0, side)).expect("valid"),
    ]
}

fn movers() -> [(Shape, f32); 4] {
    [
        (Shape::sphere(0.5).expect("valid"), 0.5),
        (Shape::cuboid(vec3(0.75, 0.25, 0.5)).expect("valid"), 0.25),
        (Shape::capsule_along_y(0.5, 0.25).expect("valid"), 0.75),
        (Shape::cylinder(0.5, 0.25).expect("valid"), 0.5),
    ]
}

fn at(position: Vec3) -> Pose {
    Pose::new(position, Quat::IDENTITY).expect("valid")
}

#[test]
fn what_rests_on_a_floor_slides_over_it_without_a_hit() {
    let slide = vec3(5.0, 0.0, 1.5);
    for floor in floors() {
        for (mover, height) in movers() {
            let start = at(vec3(-2.75, height, -1.125));
            let name = format!("{} {}", mover.kind_name(), floor.kind_name());
            assert_eq!(
                relation(&mover, &start, &floor, &Pose::IDENTITY),
                Relation::Touching,
                "{name}"
            );
            let go = |motion: Vec3, options: &SweepOptions| {
                sweep(&mover, &start, motion, &floor, &Pose::IDENTITY, options)
            };
            let options = SweepOptions::default();
            assert_eq!(go(slide, &options), None, "{name}");
            assert_eq!(go(vec3(1.0, 2.0, 0.0), &options), None, "{name}");
            let stopped = SweepOptions { stop_on_touch: true, ..options };
            assert!(go(slide, &stopped).is_some_and(|hit| hit.fraction <= 0.0), "{name}");
            let into = go(slide - Vec3::Y, &options).expect("it goes in");
            assert!(
                into.fraction <= 0.0 && (into.normal - Vec3::Y).length() < 1e-6,
                "{name}: {into:?}"
            );
        }
    }
}

#[test]
fn what_falls_onto_a_floor_meets_its_normal_everywhere() {
    for floor in floors() {
        for (mover, height) in movers() {
            for k in 0_u8..33 {
                // Over corners, edges and faces, straight and slanted.
                let over = vec3(f32::from(k) * 0.125 - 2.0, 2.0, f32::from(k % 5) * 0.25 - 0.5);
                for way in [vec3(0.0, -4.0, 0.0), vec3(1.5, -4.0, -0.75)] {
                    let hit = sweep(
                        &mover,
                        &at(over),
                        way,
                        &floor,
                        &Pose::IDENTITY,
                        &SweepOptions::default(),
                    );
                    let hit = hit.expect("it lands");
                    let fraction = (2.0 - height) / 4.0;
                    assert!((hit.fraction - fraction).abs() < 1e-6, "{k}: {hit:?}");
                    assert!((hit.normal - Vec3::Y).length() < 1e-5, "{k}: {hit:?}");
                }
            }
        }
    }
}

#[test]
fn contacts_with_a_floor_point_up_even_when_pressed_in() {
    for floor in floors() {
        for (mover, height) in movers() {
            for depth in [0.0, 0.001, 0.03] {
                for k in 0_u8..17 {
                    let over = vec3(f32::from(k) * 0.25 - 2.0, height - depth, 0.25);
                    let found = manifolds(&floor, &Pose::IDENTITY, &mover, &at(over), 0.0);
                    let name = format!("{} {} {depth} {k}", mover.kind_name(), floor.kind_name());
                    assert!(!found.is_empty(), "{name}");
                    for one in &found {
                        assert!((one.normal - Vec3::Y).length() < 1e-5, "{name}: {one:?}");
                        assert!(
                            one.distance() <= 0.0 && one.distance() > -depth - 1e-5,
                            "{name}: {one:?}"
                        );
                    }
                }
            }
        }
    }
}

/// A linear congruential generator.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    /// A multiple of an eighth from -4 to 4.
    fn eighths(&mut self) -> f32 {
        f32::from(u8::try_from(self.below(65)).expect("small")) / 8.0 - 4.0
    }

    fn vector(&mut self) -> Vec3 {
        vec3(self.eighths(), self.eighths(), self.eighths())
    }

    fn pose(&mut self) -> Pose {
        let turn = self.vector().extend(self.eighths());
        let turn = if self.below(2) == 0 || turn.length() < 0.5 {
            Quat::IDENTITY
        } else {
            Quat::from_vec4(turn)
        };
        Pose::new(self.vector(), turn).expect("valid")
    }
}

/// Rough ground as a height field and as a mesh, and its triangles one by one.
fn rough(draw: &mut Draw) -> [(Shape, Vec<Shape>); 2] {
    let heights: Vec<f32> = (0..49).map(|_| draw.eighths() * 0.25).collect();
    let field = HeightField::new(7, 7, heights, vec3(4.0, 1.0, 4.0)).expect("valid");
    let triangles: Vec<_> = (0..72).filter_map(|k| field.triangle(k)).collect();
    let corners: Vec<Vec3> = triangles.iter().flat_map(|t| t.vertices()).collect();
    let indices = (0_u32..72).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let mesh = Shape::triangle_mesh(corners, indices).expect("valid");
    let single: Vec<Shape> = triangles.into_iter().map(Shape::from).collect();
    assert_eq!(single.len(), 72);
    [(Shape::from(field), single.clone()), (mesh, single)]
}

#[test]
fn half_spaces_meet_surfaces_as_each_of_their_triangles() {
    let mut draw = Draw(3);
    let (mut seen, mut hits) = ([0; 3], [0; 2]);
    for case in 0..400 {
        let normal = [Vec3::Y, vec3(1.0, 2.0, -2.0), draw.vector()][case % 3];
        let Ok(ground) = Shape::half_space(normal, draw.eighths()) else { continue };
        let (pose, there, way) = (draw.pose(), draw.pose(), draw.vector());
        for (surface, triangles) in rough(&mut draw) {
            let all = |ask: &dyn Fn(&Shape) -> f32| {
                triangles.iter().map(ask).fold(f32::INFINITY, f32::min)
            };
            let relations = triangles.iter().map(|one| relation(one, &there, &ground, &pose));
            let expected = relations.max_by_key(|found| *found as usize).expect("some");
            assert_eq!(relation(&surface, &there, &ground, &pose), expected, "{case}");
            assert_eq!(relation(&ground, &pose, &surface, &there), expected, "{case}");
            seen[expected as usize] += 1;
            let least = all(&|one| {
                closest(one, &there, &ground, &pose, f32::INFINITY).expect("always").distance
            });
            for max in [f32::INFINITY, 0.5, 0.0, -0.5] {
                let found = closest(&ground, &pose, &surface, &there, max);
                let expected = Some(least).filter(|least| *least <= max);
                assert_eq!(found.map(|found| found.distance), expected, "{case} {max}");
                let other = closest(&surface, &there, &ground, &pose, max);
                assert_eq!(other.map(|found| found.distance), expected, "{case} {max}");
            }
            let touching = triangles
                .iter()
                .filter(|one| !manifolds(one, &there, &ground, &pose, 0.25).is_empty());
            let expected = touching.count();
            assert_eq!(manifolds(&surface, &there, &ground, &pose, 0.25).len(), expected, "{case}");
            let options = SweepOptions::default();
            let first = |hit: Option<ShapeSweepHit>| hit.map_or(f32::INFINITY, |hit| hit.fraction);
            let expected = all(&|one| first(sweep(one, &there, way, &ground, &pose, &options)));
            let found = first(sweep(&surface, &there, way, &ground, &pose, &options));
            assert_eq!(found.to_bits(), expected.to_bits(), "{case}");
            let expected = all(&|one| first(sweep(&ground, &pose, way, one, &there, &options)));
            let found = first(sweep(&ground, &pose, way, &surface, &there, &options));
            assert_eq!(found.to_bits(), expected.to_bits(), "{case}");
            hits[usize::from(found > 0.0 && found <= 1.0)] += 1;
        }
    }
    assert!(seen[0] > 50 && seen[2] > 50 && hits.iter().all(|&n| n > 50), "{seen:?} {hits:?}");
}

#[test]
fn sweeps_of_surfaces_find_the_first_of_all_pairs() {
    let mut draw = Draw(8);
    let (mut starts, mut hits, mut misses) = (0, 0, 0);
    for case in 0..120 {
        let [one, other] = rough(&mut draw);
        let (pose, there) = (draw.pose(), draw.pose());
        let way = draw.vector() * 3.0;
        let options = SweepOptions::default();
        let mut expected: Option<ShapeSweepHit> = None;
        for (part_mover, mover) in (0..).zip(&one.1) {
            for (part, target) in (0..).zip(&other.1) {
                let Some(hit) = sweep(mover, &pose, way, target, &there, &options) else {
                    continue;
                };
                let hit = ShapeSweepHit { part_mover, part, ..hit };
                let key = |x: &ShapeSweepHit| (x.fraction, -x.depth);
                if expected.is_none_or(|best| key(&hit) < key(&best)) {
                    expected = Some(hit);
                }
            }
        }
        let found = sweep(&one.0, &pose, way, &other.0, &there, &options);
        // The normals may differ, where those of the surface know of no edge.
        let key = |hit: ShapeSweepHit| (hit.fraction, hit.depth, hit.part_mover, hit.part);
        assert_eq!(found.map(key), expected.map(key), "{case}");
        match found {
            None => misses += 1,
            Some(hit) if hit.started_overlapping => starts += 1,
            Some(_) => hits += 1,
        }
    }
    assert!(starts > 5 && hits > 5 && misses > 5, "{starts} {hits} {misses}");
}

/// A convex body of any kind.
fn body(draw: &mut Draw) -> Shape {
    let size = |draw: &mut Draw| 0.125 + draw.eighths().abs() * 0.25;
    let (one, other) = (size(draw), size(draw));
    match draw.below(6) {
        0 => Shape::sphere(one).expect("valid"),
        1 => Shape::cuboid(vec3(one, other, one)).expect("valid"),
        2 => Shape::capsule_along_y(one, other).expect("valid"),
        3 => Shape::cylinder(one, other).expect("valid"),
        4 => Shape::cone(one, other).expect("valid"),
        _ => {
            let points: Vec<Vec3> = (0..12).map(|_| draw.vector() * 0.25).collect();
            let Ok(hull) = Shape::convex_hull(&points) else { return body(draw) };
            hull
        }
    }
}

#[test]
fn sweeps_along_surfaces_find_the_first_of_their_triangles() {
    let mut draw = Draw(21);
    let (mut starts, mut hits, mut misses) = (0, 0, 0);
    for case in 0..500 {
        let body = body(&mut draw);
        let (pose, there, way) = (draw.pose(), draw.pose(), draw.vector() * 2.0);
        let options = SweepOptions::default();
        for (surface, triangles) in rough(&mut draw) {
            for is_mover in [false, true] {
                let go = |surface: &Shape| {
                    if is_mover {
                        sweep(surface, &there, way, &body, &pose, &options)
                    } else {
                        sweep(&body, &pose, way, surface, &there, &options)
                    }
                };
                let mut expected: Option<ShapeSweepHit> = None;
                for (part, one) in (0..).zip(&triangles) {
                    let Some(hit) = go(one) else { continue };
                    let (part, part_mover) = if is_mover { (0, part) } else { (part, 0) };
                    let hit = ShapeSweepHit { part_mover, part, ..hit };
                    let key = |x: &ShapeSweepHit| (x.fraction, -x.depth);
                    if expected.is_none_or(|best| key(&hit) < key(&best)) {
                        expected = Some(hit);
                    }
                }
                let touches = relation(&body, &pose, &surface, &there) == Relation::Touching;
                if touches {
                    continue;
                }
                let found = go(&surface);
                let key = |hit: ShapeSweepHit| (hit.fraction, hit.depth, hit.part_mover, hit.part);
                assert_eq!(found.map(key), expected.map(key), "{case} {is_mover} {body:?}");
                match found {
                    None => misses += 1,
                    Some(hit) if hit.started_overlapping => starts += 1,
                    Some(_) => hits += 1,
                }
            }
        }
    }
    assert!(starts > 50 && hits > 100 && misses > 200, "{starts} {hits} {misses}");
}

#[test]
fn the_contact_of_a_ball_is_the_deepest_of_all() {
    let mut draw = Draw(34);
    let (mut none, mut one, mut several) = (0, 0, 0);
    for case in 0..1500 {
        let ball = Shape::sphere(0.125 + draw.eighths().abs() * 0.25).expect("valid");
        let (pose, there) = (draw.pose(), draw.pose());
        let margin = draw.eighths().abs() * 0.25;
        for (surface, _) in rough(&mut draw) {
            let both = [((&surface, &there), (&ball, &pose)), ((&ball, &pose), (&surface, &there))];
            for ((a, pose_a), (b, pose_b)) in both {
                let all = manifolds(a, pose_a, b, pose_b, margin);
                let key = |it: &Manifold| (it.distance(), it.part_a, it.part_b);
                let less = |one: &Manifold, other: &Manifold| key(one) < key(other);
                let mut deepest: Option<&Manifold> = None;
                for found in &all {
                    if deepest.is_none_or(|deepest| less(found, deepest)) {
                        deepest = Some(found);
                    }
                }
                let found = manifold(a, pose_a, b, pose_b, margin);
                assert_eq!(found.as_ref(), deepest, "{case}");
                match all.len() {
                    0 => none += 1,
                    1 => one += 1,
                    _ => several += 1,
                }
            }
        }
    }
    assert!(none > 100 && one > 100 && several > 100, "{none} {one} {several}");
}

#[test]
fn a_floor_that_moves_meets_others_along_its_own_normal() {
    for floor in floors() {
        for (body, height) in movers() {
            for k in 0_u8..33 {
                let there =
                    at(vec3(f32::from(k) * 0.125 - 2.0, 2.0, f32::from(k % 5) * 0.25 - 0.5));
                for way in [vec3(0.0, 4.0, 0.0), vec3(1.5, 4.0, -0.75)] {
                    let options = SweepOptions::default();
                    let hit = sweep(&floor, &Pose::IDENTITY, way, &body, &there, &options);
                    let hit = hit.expect("it lifts it");
                    assert!((hit.fraction - (2.0 - height) / 4.0).abs() < 1e-6, "{k}: {hit:?}");
                    // Out of the body that was hit: down.
                    assert!((hit.normal + Vec3::Y).length() < 1e-5, "{k}: {hit:?}");
                }
            }
        }
    }
}

/// With both options a surface of which a triangle was left out went on as if it was slid along.
#[test]
fn leaving_out_what_is_overlapped_is_the_same_whatever_is_said_of_a_part_of_it() {
    let ball = Shape::sphere(0.25).expect("valid");
    let start = Pose::from_position(vec3(0.1, 0.125, 0.1)).expect("valid");
    for floor in floors() {
        let go = |skip_started, skip_leaving| {
            let options = SweepOptions { skip_started, skip_leaving, ..SweepOptions::default() };
            sweep(&ball, &start, Vec3::X * 3.0, &floor, &Pose::IDENTITY, &options)
        };
        let skipped = go(true, false).expect("the next cell is ahead");
        assert!(!skipped.started_overlapping && skipped.fraction > 0.0);
        assert_eq!(go(true, true), Some(skipped));
        assert_eq!(go(false, true), None);
        assert!(go(false, false).expect("it starts in overlap").started_overlapping);
    }
}

/// A regression: the middle of bounds that f32 does not hold was no number, and no cell is below it.
#[test]
fn a_capsule_that_reaches_beyond_f32_is_as_near_to_a_height_field_as_to_its_triangles() {
    let field = Shape::height_field(2, 2, vec![0.0; 4], Vec3::ONE).unwrap();
    let mesh = {
        let corners = [
            vec3(-0.5, 0.0, -0.5),
            vec3(0.5, 0.0, -0.5),
            vec3(-0.5, 0.0, 0.5),
            vec3(0.5, 0.0, 0.5),
        ];
        Shape::triangle_mesh(corners.to_vec(), vec![[0, 2, 1], [3, 1, 2]]).unwrap()
    };
    let (mut overlap, mut apart) = (0, 0);
    for (radius, height) in [(1e38, 0.0), (1e38, 1.5e38), (1e38, -1.5e38), (2e38, 2.5e38)] {
        for turn in [Quat::IDENTITY, Quat::from_xyzw(0.0, 0.4, 0.0, 1.0)] {
            let capsule = Shape::capsule(Vec3::ZERO, Vec3::X * 3e38, radius).unwrap();
            let (here, there) = (Pose::IDENTITY, Pose::new(Vec3::Y * height, turn).unwrap());
            let of = |surface: &Shape| {
                let near = closest(surface, &here, &capsule, &there, f32::INFINITY).unwrap();
                let back = closest(&capsule, &there, surface, &here, f32::INFINITY).unwrap();
                let back = (near.distance - back.distance).abs();
                assert!(back <= 0.0, "{radius} {height}: {back}");
                let clear = distance(surface, &here, &capsule, &there);
                let off = (clear - near.distance.max(0.0)).abs();
                assert!(off <= 0.0, "{radius} {height}: {off}");
                near.distance
            };
            let found = of(&field);
            let expected = height.abs() - radius;
            assert!((found - expected).abs() <= 1e32, "{radius} {height}: {found}");
            assert!((found - of(&mesh)).abs() <= 0.0, "{radius} {height}");
            if found > 0.0 { apart += 1 } else { overlap += 1 }
        }
    }
    assert!(overlap > 1 && apart > 1, "{overlap} {apart}");
}
