//! Surfaces act as one: their inner edges hold nothing up and turn no normal.

use impinge_narrowphase::{Relation, SweepOptions, manifolds, relation, sweep};
use impinge_shapes::glam::{Quat, Vec3, vec3};
use impinge_shapes::{Pose, Shape};

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
