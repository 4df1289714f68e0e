//! rapier3d with parry's narrow phase and with impinge's: `impinge-rapier-seam [bodies] [steps]`.
#![expect(clippy::print_stdout, reason = "prints its figures")]

use anyhow::{Context, Result};
use impinge_rapier_seam::scene::{self, Driver};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |name: &str, default: usize| {
        let given = arguments.next().map(|text| text.parse::<usize>());
        given.unwrap_or(Ok(default)).with_context(|| format!("{name}: must be a whole number"))
    };
    let (bodies, steps) = (number("bodies", 700)?, number("steps", 600)?);
    println!("{bodies} bodies in a container and a stack of ten boxes, {steps} steps of 1/60 s");
    println!(
        "{:<16} {:>9} {:>9} {:>7} {:>9} {:>11} {:>9} {:>9} {:>5}",
        "narrow phase",
        "ms/step",
        "depth m",
        "> 2 cm",
        "touching",
        "energy J/kg",
        "drift m",
        "sunk m",
        "lost"
    );
    for driver in Driver::ALL {
        let figures = scene::run(driver, bodies, steps)?;
        println!(
            "{:<16} {:>9.2} {:>9.4} {:>7} {:>9} {:>11.5} {:>9.4} {:>9.4} {:>5}",
            format!("{driver:?}"),
            figures.time.as_secs_f64() * 1000.0 / steps.max(1) as f64,
            figures.depth,
            figures.deep,
            figures.touching,
            figures.energy,
            figures.drift,
            figures.sunk,
            figures.lost,
        );
    }
    Ok(())
}
