//! Contacts over time: a row of boxes passes a sensor, and an observer measures the stages.
#![expect(clippy::disallowed_methods, reason = "an example may time the stages")]
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::time::Instant;

use impinge::prelude::*;
use impinge::{Stage, UpdateObserver, UpdateOptions};

/// The library reads no clocks, so the caller does.
struct Stopwatch(Vec<(Stage, Instant)>);

impl UpdateObserver for Stopwatch {
    fn stage(&mut self, stage: Stage) {
        self.0.push((stage, Instant::now()));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let gate = Body::fixed(Shape::cuboid(vec3(0.25, 1.0, 1.0))?).sensor(true);
    world.insert(gate.at(vec3(6.0, 0.5, 0.0)))?;
    let cube = Shape::cuboid(Vec3::splat(0.5))?;
    let row: Vec<BodyId> = (0..4_u8)
        .map(|i| world.insert(Body::moving(cube.clone()).at(Vec3::X * f32::from(i))))
        .collect::<Result<_, _>>()?;

    for step in 0..5_u8 {
        let poses = (0..4_u8)
            .zip(&row)
            .map(|(i, &id)| {
                let x = f32::from(i) + f32::from(step);
                Ok((id, Pose::from_position(Vec3::X * x)?))
            })
            .collect::<Result<Vec<_>, impinge::PoseError>>()?;
        world.set_poses(&poses)?;
        let report = world.update();
        // Neighbours of the row touch: distance 0 is a contact.
        println!("step {step}: {} contacts, {} begun", report.contacts, report.begun);
        for event in world.events().iter().filter(|event| event.sensor) {
            println!("  gate: {:?} {:?}", event.kind, event.b);
        }
    }

    let mut watch = Stopwatch(Vec::new());
    world.update_with(UpdateOptions::new().observer(&mut watch));
    for pair in watch.0.windows(2) {
        println!("{:?} took {:?}", pair[0].0, pair[1].1 - pair[0].1);
    }
    Ok(())
}
