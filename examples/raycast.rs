//! Rays: the first hit, any hit, all hits, and what a filter leaves out.
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use impinge::prelude::*;
use impinge::{RayOptions, StartedInside};

/// Groups are bits of the caller's choice.
const GLASS: u32 = 0b10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let pane = Shape::cuboid(vec3(0.125, 2.0, 2.0))?;
    for x in [2.0, 4.0] {
        world.insert(
            Body::fixed(pane.clone())
                .at(vec3(x, 0.0, 0.0))
                .groups(Groups::new(GLASS, u32::MAX))
                .user_data(u64::from(GLASS)),
        )?;
    }
    world.insert(Body::fixed(Shape::sphere(1.0)?).at(vec3(8.0, 0.0, 0.0)))?;

    let ray = Ray::new(Vec3::ZERO, Vec3::X)?;
    let everything = Filter::new();
    let opaque = Filter::new().groups(Groups::new(u32::MAX, !GLASS));
    let queries = world.queries();

    if let Some(hit) = queries.raycast(&ray, 100.0, &everything) {
        println!("first hit: {:?} at {}, normal {}", hit.body, hit.distance, hit.normal);
    }
    if let Some(hit) = queries.raycast(&ray, 100.0, &opaque) {
        println!("through the glass: {:?} at {}", hit.body, hit.distance);
    }
    println!("anything within 5: {}", queries.raycast_any(&ray, 5.0, &opaque));

    let mut hits = Vec::new();
    queries.raycast_all(&ray, 100.0, &everything, &mut hits);
    for hit in &hits {
        println!("on the way: {:?} at {} ({})", hit.body, hit.distance, hit.point);
    }

    let from_within = RayQuery::new(Ray::new(vec3(8.0, 0.0, 0.0), Vec3::Y)?, 10.0)
        .options(RayOptions { started_inside: StartedInside::Exit, ..RayOptions::default() });
    if let Some(hit) = queries.raycast_with(&from_within) {
        println!("out of the sphere after {}", hit.distance);
    }
    Ok(())
}
