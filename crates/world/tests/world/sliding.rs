//! A walker that falls a little in each step, and slides along what it meets.

use impinge_narrowphase::SweepOptions;
use impinge_shapes::glam::{Quat, Vec3, vec3};
use impinge_shapes::{Pose, Shape};
use impinge_world::{Body, Filter, Queries, SweepQuery, World};

/// Where a walker gets in so many steps of this way.
fn walk(
    queries: &Queries<'_>,
    shape: &Shape,
    mut at: Vec3,
    way: Vec3,
    options: SweepOptions,
) -> Vec3 {
    for _ in 0..200 {
        let mut rest = way;
        for _ in 0..3 {
            let pose = Pose::from_position(at).unwrap();
            let Some(hit) =
                queries.sweep_with(&SweepQuery::new(shape, pose, rest).options(options))
            else {
                at += rest;
                break;
            };
            at += rest * hit.fraction;
            rest *= 1.0 - hit.fraction;
            rest -= hit.normal * rest.dot(hit.normal);
        }
    }
    at
}

fn floors() -> Vec<(&'static str, Shape)> {
    let [a, b, c, d] =
        [(-20.0, -20.0), (-20.0, 20.0), (20.0, 20.0), (20.0, -20.0)].map(|(x, z)| vec3(x, 0.0, z));
    let grid = |i: u8| vec3(f32::from(i % 9) * 5.0 - 20.0, 0.0, f32::from(i / 9) * 5.0 - 20.0);
    let corners: Vec<Vec3> = (0..81).map(grid).collect();
    let cells = (0..72_u32).filter(|i| i % 9 < 8);
    let triangles: Vec<[u32; 3]> =
        cells.flat_map(|i| [[i, i + 9, i + 1], [i + 1, i + 9, i + 10]]).collect();
    let slab: Vec<Vec3> =
        [a, b, c, d].into_iter().flat_map(|at| [at, at - Vec3::Y * 2.0]).collect();
    vec![
        ("half-space", Shape::half_space(Vec3::Y, 0.0).unwrap()),
        ("triangle", Shape::triangle(a * 3.0, b * 3.0, c * 3.0).unwrap()),
        ("hull", Shape::convex_hull(&slab).unwrap()),
        ("mesh", Shape::triangle_mesh(corners, triangles).unwrap()),
        ("field", Shape::height_field(9, 9, vec![0.0; 81], vec3(40.0, 1.0, 40.0)).unwrap()),
    ]
}

#[test]
fn a_walker_that_ends_in_the_floor_by_rounding_slides_on() {
    let slides = SweepOptions { skip_leaving: true, ..SweepOptions::default() };
    let mut stuck = 0;
    for (name, floor) in floors() {
        for tilt in [0.0, 0.25] {
            let mut world = World::new();
            let turn = Quat::from_rotation_z(tilt);
            let pose = Pose::new(Vec3::ZERO, turn).unwrap();
            world.insert(Body::fixed(floor.clone()).pose(pose)).unwrap();
            let queries = world.queries();
            for radius in [0.2_f32, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5] {
                let walkers = [
                    Shape::capsule_along_y(0.5, radius).unwrap(),
                    Shape::sphere(radius).unwrap(),
                    Shape::cuboid(vec3(radius, 0.7, radius)).unwrap(),
                ];
                for shape in walkers {
                    let (start, way) = (vec3(-1.0, 2.0, 0.3), vec3(0.05, -0.01, 0.0));
                    let end = walk(&queries, &shape, start, way, slides);
                    // Uphill a step goes on along the slope.
                    assert!(end.x > 6.0, "{name} {tilt} {shape:?} {end}");
                    let pose = Pose::from_position(end).unwrap();
                    let near = queries.closest(&shape, &pose, 9.0, &Filter::default()).unwrap();
                    assert!(near.closest.distance > -1e-4, "{name} {tilt} {shape:?} {near:?}");
                    let plain = walk(&queries, &shape, start, way, SweepOptions::default());
                    stuck += usize::from(plain.x < 6.0);
                }
            }
        }
    }
    assert!(stuck > 10, "only {stuck} walkers need the option");
}
