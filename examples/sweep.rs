//! A moving shape: where it stops, how it slides on, and what is near it there.
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use impinge::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(Body::fixed(Shape::half_space(Vec3::Y, 0.0)?))?;
    world.insert(Body::fixed(Shape::cuboid(vec3(0.5, 2.0, 2.0))?).at(vec3(4.0, 1.0, 0.0)))?;

    let walker = Shape::capsule_along_y(0.5, 0.25)?;
    let mut position = vec3(0.0, 1.0, 0.0);
    let mut movement = vec3(6.0, 0.0, 1.5);
    let queries = world.queries();
    let filter = Filter::default();

    // Three slides are enough for a corner of two walls and a floor.
    for _ in 0..3 {
        let pose = Pose::from_position(position)?;
        let Some(hit) = queries.sweep(&walker, &pose, movement, &filter) else {
            position += movement;
            break;
        };
        println!("hit {:?} after {}, normal {}", hit.body, hit.distance, hit.normal);
        position += movement * hit.fraction;
        // What is left of the movement goes on along the surface.
        let rest = movement * (1.0 - hit.fraction);
        movement = rest - hit.normal * rest.dot(hit.normal);
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
