//! A walker that falls a little in each step: where it stops, how it slides on, and what is near it.
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use impinge::SweepOptions;
use impinge::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(Body::fixed(Shape::half_space(Vec3::Y, 0.0)?))?;
    world.insert(Body::fixed(Shape::cuboid(vec3(0.5, 2.0, 2.0))?).at(vec3(4.0, 1.0, 0.0)))?;

    let walker = Shape::capsule_along_y(0.5, 0.25)?;
    let mut position = vec3(0.0, 1.0, 0.0);
    let queries = world.queries();
    let filter = Filter::default();
    // A walker that stops at the floor may end in it by rounding, and must not stay there for good.
    let options = SweepOptions { skip_leaving: true, ..SweepOptions::default() };

    for step in 0..10 {
        let mut movement = vec3(0.6, -0.1, 0.15);
        // Three slides are enough for a corner of two walls and a floor.
        for _ in 0..3 {
            let pose = Pose::from_position(position)?;
            let sweep = SweepQuery::new(&walker, pose, movement).options(options);
            let Some(hit) = queries.sweep_with(&sweep) else {
                position += movement;
                break;
            };
            println!("step {step}: {:?} after {}, normal {}", hit.body, hit.distance, hit.normal);
            position += movement * hit.fraction;
            // What is left of the movement goes on along the surface.
            let rest = movement * (1.0 - hit.fraction);
            movement = rest - hit.normal * rest.dot(hit.normal);
        }
    }
    println!("stopped at {position}");

    let pose = Pose::from_position(position)?;
    let mut near = Vec::new();
    queries.closest_all(&walker, &pose, 1.0, &filter, &mut near);
    for found in &near {
        println!("near: {:?} at {}", found.body, found.closest.distance);
    }
    Ok(())
}
