//! Many queries at once, on all threads, answered in the order they were asked: filters and limits
//! of their own, all hits in one list, and memory of a fixed size.
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use impinge::prelude::*;
use impinge::{FixedHits, RayError};

/// Groups are bits of the caller's choice.
const RED: u32 = 0b01;
const BLUE: u32 = 0b10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let ball = Shape::sphere(0.4)?;
    for i in 0..20_u8 {
        for j in 0..20_u8 {
            let at = vec3(f32::from(i), 0.0, f32::from(j));
            let color = if i % 2 == 0 { RED } else { BLUE };
            let body = Body::moving(ball.clone()).at(at).groups(Groups::new(color, u32::MAX));
            world.insert(body)?;
        }
    }
    world.prepare_queries();
    // A view shares the world: other systems may ask it at the same time.
    let queries = world.view().ok_or("the world has changed")?;

    // Every query of a batch has a limit and a filter of its own, predicates among them.
    let near_the_edge = |id: BodyId| world.body(id).is_some_and(|b| b.pose().position().z < 4.0);
    let filters = [
        Filter::new(),
        Filter::new().groups(Groups::new(u32::MAX, RED)),
        Filter::new().groups(Groups::new(u32::MAX, BLUE)),
        Filter::new().predicate(&near_the_edge),
    ];
    let rays = (0..1000_u16)
        .map(|i| {
            let ray = Ray::new(vec3(-1.0, 0.0, f32::from(i) * 0.02), Vec3::X)?;
            let limit = if i % 8 < 4 { 1.0 } else { 100.0 };
            Ok(RayQuery::new(ray, limit).filter(filters[usize::from(i % 4)]))
        })
        .collect::<Result<Vec<_>, RayError>>()?;

    // The first hit of each; the list keeps its memory from batch to batch.
    let mut first = Vec::new();
    queries.raycast_batch(&rays, &mut first);
    println!("{} of {} rays hit", first.iter().flatten().count(), rays.len());

    // All hits: one list, and where the part of each query ends.
    let mut all: Hits<RayHit> = Hits::new();
    queries.raycast_all_batch(&rays, &mut all);
    println!("{} hits in all, the last ray has {}", all.items().len(), all[999].len());
    let longest = all.iter().map(<[RayHit]>::len).max();
    println!("at most {} of one ray", longest.unwrap_or(0));

    // No more memory than this, whatever is found; what did not fit is told.
    let mut some = FixedHits::with_capacity(rays.len(), 3);
    queries.raycast_all_fixed(&rays, &mut some);
    let kept: usize = (0..some.len()).map(|query| some.of(query).count()).sum();
    println!("{kept} kept, {} did not fit", some.left_out_in_all());

    let probe = Shape::sphere(1.5)?;
    let overlaps = (0..10_u8)
        .map(|i| Ok(OverlapQuery::new(&probe, Pose::from_position(Vec3::X * f32::from(i))?)))
        .collect::<Result<Vec<_>, impinge::PoseError>>()?;
    let mut bodies: Hits<BodyId> = Hits::new();
    queries.overlap_batch(&overlaps, &mut bodies);
    for (query, found) in bodies.iter().enumerate() {
        println!("probe {query} overlaps {} bodies", found.len());
    }
    Ok(())
}
