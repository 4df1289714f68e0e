//! Pictures of worlds: what is drawn, how often, and where.

use crate::common::{Rng, random_change, random_world};
use impinge_narrowphase::project_point;
use impinge_shapes::glam::{Quat, Vec3, vec3};
use impinge_shapes::{Aabb, Pose, Ray, Shape};
use impinge_world::{
    Body, Color, DebugDraw, DrawColors, DrawOptions, Filter, World, draw_ray, draw_shape,
    draw_sweep,
};

/// What was drawn.
#[derive(Clone, Debug, Default, PartialEq)]
struct Drawn {
    lines: Vec<(Vec3, Vec3, Color)>,
}

impl DebugDraw for Drawn {
    fn line(&mut self, a: Vec3, b: Vec3, color: Color) {
        assert!(a.is_finite() && b.is_finite(), "{a} {b}");
        self.lines.push((a, b, color));
    }
}

impl Drawn {
    fn of(world: &World, options: &DrawOptions) -> Self {
        let mut drawn = Self::default();
        world.debug_draw(&mut drawn, options);
        drawn
    }

    fn count(&self, color: Color) -> usize {
        self.lines.iter().filter(|line| line.2 == color).count()
    }
}

/// Only shapes, only bounds and so on.
fn nothing() -> DrawOptions {
    let plain = DrawOptions::default();
    DrawOptions { shapes: false, bounds: false, pairs: false, contacts: false, ..plain }
}

/// Every kind of shape with the number of its lines.
fn shapes() -> Vec<(Shape, usize)> {
    let corners = || vec![Vec3::ZERO, Vec3::X, Vec3::Y, vec3(1.0, 1.0, 0.5)];
    let hull: Vec<Vec3> =
        [vec3(0.0, 0.0, 1.5), vec3(0.25, 0.0, -1.0)].into_iter().chain(corners()).collect();
    let cuboid = Shape::cuboid(vec3(0.5, 1.0, 2.0)).unwrap();
    let sphere = Shape::sphere(0.75).unwrap();
    let cone = Shape::cone(1.0, 0.5).unwrap();
    let parts =
        [(Pose::from_position(Vec3::X).unwrap(), sphere.clone()), (Pose::IDENTITY, cuboid.clone())];
    vec![
        (sphere, 3 * 32),
        (cuboid.clone(), 12),
        (
            Shape::capsule(vec3(1.0, 0.0, -1.0), vec3(-0.5, 2.0, 0.0), 0.5).unwrap(),
            2 * 32 + 4 * 16 + 4,
        ),
        (Shape::capsule(Vec3::ONE, Vec3::ONE, 0.5).unwrap(), 2 * 32 + 4 * 16 + 4),
        (Shape::cylinder(1.0, 0.5).unwrap(), 2 * 32 + 4),
        (cone.clone(), 32 + 4),
        (Shape::triangle(Vec3::ZERO, Vec3::X, vec3(0.0, 1.0, 3.0)).unwrap(), 3),
        // Six corners and seven faces, one of which has four corners.
        (Shape::convex_hull(&hull).unwrap(), 11),
        (Shape::convex_hull(&[Vec3::ONE]).unwrap(), 1),
        (Shape::rounded(cuboid, 0.25).unwrap(), 6 * 32),
        (Shape::rounded(cone, 0.25).unwrap(), 6 * 32),
        (Shape::rounded(Shape::convex_hull(&hull).unwrap(), 0.5).unwrap(), 6 * 32),
        (Shape::half_space(vec3(1.0, 2.0, 0.5), 3.0).unwrap(), 6),
        // Two triangles with a common edge.
        (Shape::triangle_mesh(corners(), vec![[0, 1, 2], [1, 3, 2]]).unwrap(), 5),
        // Two cells: 7 edges around and between, 2 diagonals.
        (
            Shape::height_field(2, 3, vec![0.0, 0.5, 0.0, 0.25, 0.0, 1.0], Vec3::splat(4.0))
                .unwrap(),
            9,
        ),
        (Shape::compound(parts).unwrap(), 3 * 32 + 12),
    ]
}

#[test]
fn every_end_of_a_line_lies_on_the_boundary_of_the_shape() {
    let poses = [
        Pose::IDENTITY,
        Pose::new(vec3(3.0, -2.0, 1.0), Quat::from_xyzw(0.5, 0.1, -0.7, 0.9)).unwrap(),
    ];
    let color = Color::new(1, 2, 3);
    for (shape, lines) in shapes() {
        for pose in &poses {
            let mut drawn = Drawn::default();
            draw_shape(&mut drawn, &shape, pose, 4.0, color);
            assert_eq!((drawn.lines.len(), drawn.count(color)), (lines, lines), "{shape:?}");
            for (a, b, _) in drawn.lines {
                for end in [a, b] {
                    let on = project_point(&shape, pose, end, f32::INFINITY).unwrap();
                    // Parts of a compound may lie within each other.
                    let inside = matches!(shape, Shape::Compound(_)) && on.distance < 0.0;
                    assert!(on.distance.abs() < 1e-5 || inside, "{shape:?}: {end} {}", on.distance);
                }
            }
        }
    }
}

#[test]
fn colors_tell_the_state_of_the_bodies() {
    let colors = DrawColors::default();
    let options = DrawOptions { shapes: true, ..nothing() };
    let cube = Shape::cuboid(Vec3::splat(0.5)).unwrap();
    let at = |x: f32| Body::moving(cube.clone()).at(Vec3::X * x);
    let mut world = World::new();
    world.insert(Body::fixed(cube.clone()).at(Vec3::X * 10.0)).unwrap();
    world.insert(at(20.0)).unwrap();
    world.insert(at(30.0).sensor(true)).unwrap();
    world.insert(at(0.0)).unwrap();
    let other = world.insert(at(0.75)).unwrap();
    let count = |world: &World| {
        let drawn = Drawn::of(world, &options);
        [colors.fixed, colors.moving, colors.sensor, colors.overlapping]
            .map(|color| drawn.count(color))
    };
    assert_eq!(count(&world), [12, 36, 12, 0], "nothing touches before the first update");
    world.update();
    assert_eq!(count(&world), [12, 12, 12, 24]);
    world.set_pose(other, Pose::from_position(Vec3::X * 29.5).unwrap()).unwrap();
    world.update();
    assert_eq!(count(&world), [12, 24, 0, 24], "an overlap with a sensor");
}

#[test]
fn pairs_contacts_and_bounds_are_drawn_where_they_are() {
    let colors = DrawColors::default();
    let mut world = World::new();
    let ground = world.insert(Body::fixed(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    let cube = Shape::cuboid(Vec3::ONE).unwrap();
    let cube = world.insert(Body::moving(cube).at(vec3(3.0, 0.5, 0.0))).unwrap();
    world.update();
    let drawn = Drawn::of(&world, &DrawOptions { pairs: true, ..nothing() });
    assert_eq!(drawn.lines, [(Vec3::ZERO, vec3(3.0, 0.5, 0.0), colors.pair)]);

    let drawn = Drawn::of(&world, &DrawOptions { contacts: true, ..nothing() });
    let points = world.contact(ground, cube).unwrap().point_count();
    // From surface to surface, and three lines across.
    assert_eq!((points, drawn.count(colors.contact), drawn.count(colors.normal)), (4, 16, 4));
    for (a, b, color) in drawn.lines {
        if color == colors.normal {
            assert!((a.y, b.y) == (-0.5, -0.25), "upward from the lower face: {a} {b}");
        }
    }

    let drawn = Drawn::of(&world, &DrawOptions { bounds: true, extent: 8.0, ..nothing() });
    assert_eq!(drawn.count(colors.bounds), 24);
    let (first, second) = drawn.lines.split_at(12);
    let hull = |lines: &[(Vec3, Vec3, Color)]| {
        let ends = || lines.iter().flat_map(|line| [line.0, line.1]);
        Aabb::new(ends().reduce(Vec3::min).unwrap(), ends().reduce(Vec3::max).unwrap()).unwrap()
    };
    let below = Aabb::new(vec3(-8.0, -8.0, -8.0), vec3(8.0, 0.0, 8.0)).unwrap();
    assert_eq!((hull(first), hull(second)), (below, world.body(cube).unwrap().aabb()));
}

#[test]
fn rays_and_sweeps_end_where_they_hit() {
    let (colors, options) = (DrawColors::default(), DrawOptions::default());
    let mut world = World::new();
    world.insert(Body::fixed(Shape::sphere(1.0).unwrap()).at(Vec3::X * 5.0)).unwrap();
    let queries = world.queries();
    let ray = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
    let hit = queries.raycast(&ray, 9.0, &Filter::default());
    let mut drawn = Drawn::default();
    draw_ray(&mut drawn, &ray, 9.0, hit.as_ref(), &options);
    assert_eq!(drawn.lines[0], (Vec3::ZERO, Vec3::X * 4.0, colors.ray));
    assert_eq!(drawn.lines[4], (Vec3::X * 4.0, Vec3::X * 3.75, colors.normal));
    assert_eq!((drawn.lines.len(), drawn.count(colors.hit)), (5, 3));
    for (max, end) in [(9.0, 9.0), (f32::INFINITY, 50.0), (f32::NAN, 50.0)] {
        let mut drawn = Drawn::default();
        draw_ray(&mut drawn, &ray, max, None, &options);
        assert_eq!(drawn.lines, [(Vec3::ZERO, Vec3::X * end, colors.ray)]);
    }
    let cube = Shape::cuboid(Vec3::ONE).unwrap();
    let way = Vec3::X * 6.0;
    let hit = queries.sweep(&cube, &Pose::IDENTITY, way, &Filter::default());
    let mut drawn = Drawn::default();
    draw_sweep(&mut drawn, &cube, &Pose::IDENTITY, way, hit.as_ref(), &options);
    assert_eq!((drawn.count(colors.ray), drawn.count(colors.hit)), (13, 15));
    assert!(drawn.lines.contains(&(Vec3::ZERO, Vec3::X * 3.0, colors.ray)), "where it stops");
    let mut drawn = Drawn::default();
    draw_sweep(&mut drawn, &cube, &Pose::IDENTITY, Vec3::INFINITY, None, &options);
    assert_eq!((drawn.lines.len(), drawn.count(colors.ray)), (12, 12));
}

/// Draws marks and boxes in its own way.
#[derive(Default)]
struct Counts {
    lines: usize,
    points: usize,
    boxes: usize,
}

impl DebugDraw for Counts {
    fn line(&mut self, _: Vec3, _: Vec3, _: Color) {
        self.lines += 1;
    }

    fn point(&mut self, _: Vec3, _: f32, _: Color) {
        self.points += 1;
    }

    fn aabb(&mut self, _: &Aabb, _: Color) {
        self.boxes += 1;
    }
}

#[test]
fn equal_worlds_give_equal_pictures_and_marks_can_be_replaced() {
    let picture = |threads: usize| {
        let mut rng = Rng::new(5);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = random_world(&mut rng, 60, 4.0);
            for _ in 0..30 {
                random_change(&mut rng, &mut world, 4.0);
                world.update();
            }
            (Drawn::of(&world, &DrawOptions::all()), world)
        })
    };
    let ((first, world), (second, _)) = (picture(1), picture(3));
    assert!(first.lines.len() > 1000 && first == second);
    let mut counts = Counts::default();
    let caller: &mut dyn DebugDraw = &mut counts;
    world.debug_draw(caller, &DrawOptions::all());
    let points: usize = world.contacts().iter().map(|contact| contact.point_count()).sum();
    assert!(points > 20 && counts.points == points);
    assert_eq!(counts.boxes, world.len());
    assert_eq!(counts.lines + 3 * points + 12 * world.len(), first.lines.len());
}
