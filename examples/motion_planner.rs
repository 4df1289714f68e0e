//! A motion planner's questions: every link of an arm along every motion, with progress, and an end
//! as soon as somebody wants one.
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::sync::atomic::{AtomicBool, Ordering};

use impinge::prelude::*;
use impinge::{
    BatchControl, FirstImpact, GridMotion, GridMover, ImpactGrid, ImpactOptions, Motion, SweepGrid,
    SweepOptions,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let pallet = world.insert(Body::fixed(Shape::half_space(Vec3::Y, -0.25)?))?;
    let post = Shape::cuboid(vec3(0.1, 1.0, 0.1))?;
    for i in 0..12_u8 {
        let at = vec3(f32::from(i % 4) * 1.5 + 1.0, 0.75, f32::from(i / 4) * 1.5 - 0.75);
        world.insert(Body::fixed(post.clone()).at(at))?;
    }
    let queries = world.queries();

    // Three links, one after the other along x; the first stands on the pallet and may touch it.
    let (thick, thin) = (Shape::cuboid(vec3(0.3, 0.1, 0.1))?, Shape::sphere(0.125)?);
    let place = |x: f32| Pose::from_position(Vec3::X * x);
    let links = [
        GridMover::new(&thick, place(0.3)?).filter(Filter::new().exclude(pallet)),
        GridMover::new(&thick, place(0.9)?),
        GridMover::new(&thin, place(1.3)?),
    ];

    // Along straight lines, all at once.
    let ways: Vec<GridMotion> = (0..500_u16)
        .map(|i| {
            let displacement = vec3(0.5, 0.0, f32::from(i) * 0.004 - 1.0);
            GridMotion { pose: Pose::IDENTITY, displacement }
        })
        .collect();
    let mut swept = SweepGrid::new();
    queries.sweep_grid(&links, &ways, &SweepOptions::default(), &mut swept);
    let free = (0..ways.len()).filter(|&way| swept.first(way).is_none()).count();
    println!("{free} of {} straight ways are free", ways.len());
    if let Some((link, hit)) = (0..ways.len()).find_map(|way| swept.first(way)) {
        println!("the first that is not: link {link} meets {:?} at {}", hit.body, hit.fraction);
    }

    // Turning about the shoulder; nothing is sampled, so that no post is passed.
    let turns = (1..=200_u8)
        .map(|i| Motion::new(Pose::IDENTITY, Vec3::ZERO, Vec3::Y * (f32::from(i) * 0.01)))
        .collect::<Result<Vec<_>, _>>()?;
    let mut turned = ImpactGrid::new();
    queries.impact_grid(&links, &turns, &ImpactOptions::default(), &mut turned);
    let widest = (0..turns.len()).take_while(|&turn| turned.first(turn).is_none()).count();
    println!("the arm may turn by {:.2} radians", f64::from(u32::try_from(widest)?) * 0.01);
    if let Some((link, FirstImpact::Touches(hit))) = turned.first(widest) {
        println!("then link {link} meets {:?} at {}", hit.body, hit.point);
    }

    // A long batch tells how far it is, and ends when a flag is set, from wherever.
    let enough = AtomicBool::new(false);
    let progress = |done: usize, all: usize| enough.store(done * 4 >= all, Ordering::Relaxed);
    let control = BatchControl::new().cancel_when(&enough).progress(&progress);
    let watched = queries.controlled(&control);
    watched.sweep_grid(&links, &ways, &SweepOptions::default(), &mut swept);
    println!(
        "cancelled: {}, nothing half done: {}",
        control.is_cancelled(),
        swept.hits().is_empty()
    );
    Ok(())
}
