//! Many queries at once, on all threads, answered in the order they were asked.
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use impinge::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let ball = Shape::sphere(0.4)?;
    for i in 0..20_u8 {
        for j in 0..20_u8 {
            let at = vec3(f32::from(i), 0.0, f32::from(j));
            world.insert(Body::moving(ball.clone()).at(at))?;
        }
    }
    world.prepare_queries();
    // A view shares the world: other systems may ask it at the same time.
    let queries = world.view().ok_or("the world has changed")?;

    let rays = (0..1000_u16)
        .map(|i| {
            let x = f32::from(i) * 0.02;
            Ok(RayQuery::new(Ray::new(vec3(x, 5.0, 2.5), vec3(0.0, -1.0, 0.1))?, 10.0))
        })
        .collect::<Result<Vec<_>, impinge::RayError>>()?;
    // Both lists keep their memory from batch to batch.
    let mut first = Vec::new();
    queries.raycast_batch(&rays, &mut first);
    println!("{} of {} rays hit", first.iter().flatten().count(), rays.len());

    let probe = Shape::sphere(1.5)?;
    let overlaps = (0..10_u8)
        .map(|i| Ok(OverlapQuery::new(&probe, Pose::from_position(Vec3::X * f32::from(i))?)))
        .collect::<Result<Vec<_>, impinge::PoseError>>()?;
    let mut bodies: Hits<BodyId> = Hits::new();
    queries.overlap_batch(&overlaps, &mut bodies);
    for (query, found) in bodies.iter().enumerate() {
        println!("probe {query} overlaps {} bodies", found.len());
    }
    println!("{} in all, in one allocation", bodies.items().len());
    Ok(())
}
