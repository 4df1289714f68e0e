//! A small rigid-body engine on the contacts of a world: do stacks stand, do piles come to rest?
//!
//! `cargo run --release --example rigid_bodies` prints the figures of every scene; a number as
//! argument takes that many bodies for the container.
#![expect(clippy::disallowed_methods, reason = "an example may time its scenes")]
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

mod scenes;
mod solver;

use std::time::Instant;

use scenes::Figures;

fn show(name: &str, scene: impl FnOnce() -> Result<Figures, Box<dyn std::error::Error>>) {
    let start = Instant::now();
    match scene() {
        Ok(Figures { bodies, seconds, drift, depth, fastest, speed, lost }) => println!(
            "{name}: {bodies} bodies, {seconds} s simulated in {:.1?}: moved {drift:.4} m, \
             deepest contact of the last second {depth:.4} m (slop {}), fastest {fastest:.4} m/s, \
             mean square speed {speed:.4} m/s, {lost} lost",
            start.elapsed(),
            solver::SLOP
        ),
        Err(error) => println!("{name}: {error}"),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count = std::env::args().nth(1).map_or(Ok(5000), |count| count.parse())?;
    show("stack", || scenes::stack(10, 60.0));
    show("pyramid", || scenes::pyramid(20, 30.0));
    println!("bullet: at most {:.4} m from the wall's middle", scenes::bullet(300.0)?);
    show("container", || scenes::container(count, 15.0));
    Ok(())
}
