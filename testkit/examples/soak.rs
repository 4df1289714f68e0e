//! Random operations on a world, each checked against a naive world: `soak [operations] [seed]`.
//!
//! Ends with exit status 1 and what differed, if anything did.
#![expect(clippy::disallowed_methods, reason = "tells how long it took")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people")]

use std::process::ExitCode;
use std::time::Instant;

use impinge_testkit::soak::{self, Figures};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let (operations, seed) = match (arguments.next(), arguments.next()) {
        (None, _) => (10_000, 1),
        (Some(Ok(operations)), None) => (operations, 1),
        (Some(Ok(operations)), Some(Ok(seed))) => (operations, seed),
        _ => {
            eprintln!("usage: soak [operations] [seed], both whole numbers");
            return ExitCode::from(2);
        }
    };
    println!("seed {seed}, {operations} operations");
    let start = Instant::now();
    match soak::run(seed, usize::try_from(operations).unwrap_or(usize::MAX)) {
        Ok(figures) => {
            print(&figures);
            println!("{:.1} s, nothing differed", start.elapsed().as_secs_f64());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn print(figures: &Figures) {
    println!("\noperations");
    for (operation, count) in &figures.operations {
        println!("  {count:>8} {operation:?}");
    }
    println!("questions: found nothing, found something");
    for (sort, [nothing, something]) in &figures.queries {
        println!("  {nothing:>8} {something:>8} {sort}");
    }
    println!("other checks");
    for (check, count) in &figures.checks {
        println!("  {count:>8} {check}");
    }
    println!("worlds by the binary exponent of their unit");
    for (exponent, count) in &figures.units {
        println!("  {count:>8} {exponent}");
    }
    println!("refused");
    for (sort, count) in &figures.refused {
        println!("  {count:>8} {sort}");
    }
    println!("shapes");
    for (kind, count) in &figures.shapes {
        println!("  {count:>8} {kind:?}");
    }
    println!("over all updates, with at most {} bodies", figures.most_bodies);
    println!("  {:>8} pairs, {} of them filtered", figures.pairs, figures.filtered);
    println!("  {:>8} contacts, {} overlaps", figures.contacts, figures.sensor_overlaps);
    let Figures { begun, persisted, ended, .. } = figures;
    println!("  {begun:>8} begun, {persisted} persisted, {ended} ended");
    println!("  {:>8} slots kept", figures.slots_kept);
    println!("hash {:016x}", figures.hash);
}
