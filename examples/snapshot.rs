//! Snapshots: what a late player saw, going back, saving and loading.
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::collections::VecDeque;

use impinge::Snapshot;
use impinge::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(Body::fixed(Shape::half_space(Vec3::Y, 0.0)?))?;
    let runner = world.insert(Body::moving(Shape::capsule_along_y(0.6, 0.3)?))?;

    // The server keeps the last few updates; what did not move is there once.
    let mut kept: VecDeque<Snapshot> = VecDeque::new();
    for tick in 0..20_u8 {
        world.set_pose(runner, Pose::from_position(vec3(f32::from(tick) * 0.4, 0.9, 0.0))?)?;
        world.update();
        kept.push_front(world.snapshot());
        kept.truncate(8);
    }

    // A shot arrives whose player saw the world of five updates ago.
    let shot = Ray::new(vec3(5.6, 1.0, 9.0), Vec3::NEG_Z)?;
    let now = world.queries().raycast(&shot, 20.0, &Filter::default());
    println!("now it hits {:?}", now.map(|hit| hit.body));
    let then = kept.get(5).ok_or("too old")?;
    if let Some(hit) = then.queries().raycast(&shot, 20.0, &Filter::default()) {
        println!("five updates ago it hit {:?} at {}", hit.body, hit.distance);
    }

    // Back to that moment, and the same way again: the same bits.
    let end = world.hash();
    world.restore(then);
    for tick in 15..20_u8 {
        world.set_pose(runner, Pose::from_position(vec3(f32::from(tick) * 0.4, 0.9, 0.0))?)?;
        world.update();
    }
    println!("the same once more: {}", world.hash() == end);

    // A file, or a message.
    let bytes = world.to_bytes();
    let loaded = World::from_bytes(&bytes)?;
    println!("{} bytes, loaded the same: {}", bytes.len(), loaded.hash() == end);
    let mut damaged = bytes;
    damaged[40] ^= 1;
    match World::from_bytes(&damaged) {
        Ok(_) => println!("nobody noticed"),
        Err(error) => println!("refused: {error}"),
    }
    Ok(())
}
