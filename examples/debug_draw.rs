//! A picture of a world as an SVG: `cargo run --example debug_draw > world.svg`.
#![expect(clippy::print_stdout, reason = "the picture is what it prints")]

use impinge::prelude::*;
use impinge::{Color, DebugDraw, DrawOptions, draw_ray, draw_sweep};

/// Lines of a picture, seen from the front, the right and above, without perspective.
#[derive(Default)]
struct Svg {
    lines: String,
}

impl Svg {
    fn place(point: Vec3) -> (f32, f32) {
        let right = point.dot(vec3(0.87, 0.0, -0.49));
        let up = point.dot(vec3(-0.17, 0.94, -0.3));
        (320.0 + 48.0 * right, 240.0 - 48.0 * up)
    }
}

impl DebugDraw for Svg {
    fn line(&mut self, a: Vec3, b: Vec3, color: Color) {
        let (((ax, ay), (bx, by)), Color { r, g, b }) = ((Self::place(a), Self::place(b)), color);
        self.lines.push_str(&format!(
            "<path d=\"M{ax:.1} {ay:.1}L{bx:.1} {by:.1}\" stroke=\"#{r:02x}{g:02x}{b:02x}\"/>\n"
        ));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(Body::fixed(Shape::half_space(Vec3::Y, 0.0)?))?;
    let cuboid = Shape::cuboid(vec3(0.5, 0.5, 0.5))?;
    world.insert(Body::moving(cuboid.clone()).at(vec3(0.0, 0.5, 0.0)))?;
    world.insert(Body::moving(Shape::rounded(cuboid, 0.25)?).at(vec3(-2.5, 1.5, 0.0)))?;
    world.insert(Body::moving(Shape::cylinder(0.5, 0.5)?).at(vec3(0.25, 1.5, 0.0)))?;
    world.insert(Body::moving(Shape::cone(0.75, 0.5)?).at(vec3(2.5, 1.5, 0.0)))?;
    let tetrahedron = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    world.insert(Body::moving(Shape::convex_hull(&tetrahedron)?).at(vec3(2.0, 0.0, 2.0)))?;
    let zone = Shape::capsule_along_y(0.5, 0.5)?;
    world.insert(Body::fixed(zone).at(vec3(-2.0, 1.0, 3.0)).sensor(true))?;
    world.update();

    let mut svg = Svg::default();
    let options = DrawOptions { bounds: true, extent: 4.0, ..DrawOptions::default() };
    world.debug_draw(&mut svg, &options);

    let queries = world.queries();
    let ray = Ray::new(vec3(-4.0, 2.5, 1.0), vec3(1.0, -0.4, -0.3))?;
    let hit = queries.raycast(&ray, 10.0, &Filter::default());
    draw_ray(&mut svg, &ray, 10.0, hit.as_ref(), &options);

    let (ball, start) = (Shape::sphere(0.25)?, Pose::from_position(vec3(4.0, 3.0, 0.0))?);
    let way = vec3(-2.0, -2.0, 0.0);
    let hit = queries.sweep(&ball, &start, way, &Filter::default());
    draw_sweep(&mut svg, &ball, &start, way, hit.as_ref(), &options);

    println!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 400\" fill=\"none\">\n{}</svg>",
        svg.lines
    );
    Ok(())
}
