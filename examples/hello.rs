//! A ball falls on a floor: insert, move, update, read contacts and events.
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use impinge::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let floor = world.insert(Body::fixed(Shape::cuboid(vec3(10.0, 0.5, 10.0))?))?;
    let ball = world.insert(Body::moving(Shape::sphere(0.5)?).at(vec3(0.0, 3.0, 0.0)))?;
    println!("floor is {floor:?}, ball is {ball:?}");

    for step in 0..10_u8 {
        let height = 3.0 - 0.25 * f32::from(step);
        world.set_pose(ball, Pose::from_position(vec3(0.0, height, 0.0))?)?;
        let report = world.update();
        println!("height {height}: {} contact(s)", report.contacts);
        for event in world.events() {
            println!("  {:?}: {:?} and {:?}", event.kind, event.a, event.b);
        }
        for contact in world.contacts() {
            let manifold = &contact.manifolds[0];
            println!("  distance {}, normal {}", contact.distance(), manifold.normal);
        }
    }
    Ok(())
}
