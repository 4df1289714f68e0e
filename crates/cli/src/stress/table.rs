//! Prints a run as a table.

use std::io::{self, Write};

use super::report::{Hash, Query, Run, Stage, per_second};

/// One line of the table.
struct Row {
    name: &'static str,
    median_ms: f64,
    p99_ms: f64,
    throughput: String,
    found: String,
}

/// Prints the run.
pub(crate) fn print(run: &Run, out: &mut impl Write) -> io::Result<()> {
    let plural = if run.threads == 1 { "" } else { "s" };
    writeln!(
        out,
        "{}: {} bodies, {} fixed, {} % moving, {} updates, {} thread{plural}, {}",
        run.scene,
        grouped(run.bodies),
        grouped(run.fixed),
        run.moving_percent,
        grouped(run.updates),
        run.threads,
        run.simd,
    )?;
    writeln!(
        out,
        "  {:<9}{:>11}{:>11}{:>20}  {:<18}found",
        "stage", "median ms", "p99 ms", "throughput", "hash"
    )?;
    for row in rows(run) {
        writeln!(
            out,
            "  {:<9}{:>11.3}{:>11.3}{:>20}  {}",
            row.name, row.median_ms, row.p99_ms, row.throughput, row.found
        )?;
    }
    let (first, index) = (run.stages.update.first_ms, run.index_ms);
    writeln!(out, "  first update, from nothing: {first:.3} ms; query index: {index:.3} ms")
}

fn rows(run: &Run) -> [Row; 8] {
    let stages = &run.stages;
    let pairs = found(run.hash, run.pairs, "pairs");
    let contacts = found(run.contacts_hash, run.contacts, "contacts");
    [
        stage("update", &stages.update, run.moving, "bodies", String::new()),
        stage("bounds", &stages.bounds, run.moving, "bodies", String::new()),
        stage("pairs", &stages.pairs, run.moving, "bodies", pairs),
        stage("contacts", &stages.contacts, run.pairs, "pairs", contacts),
        stage("events", &stages.events, run.contacts, "contacts", String::new()),
        query("raycast", &run.queries.raycast, "hits"),
        query("sweep", &run.queries.sweep, "hits"),
        query("overlap", &run.queries.overlap, "bodies"),
    ]
}

fn stage(name: &'static str, stage: &Stage, count: usize, unit: &str, found: String) -> Row {
    let rate = per_second(count, stage.median_ms / 1e3);
    // Where nothing moves, an update has nothing to be divided by its time.
    let throughput = if count == 0 { "-".to_owned() } else { scaled(rate, unit) };
    Row { name, median_ms: stage.median_ms, p99_ms: stage.p99_ms, throughput, found }
}

fn query(name: &'static str, query: &Query, unit: &str) -> Row {
    let hits = found(query.hash, query.hits, unit);
    Row {
        name,
        median_ms: query.median_ms,
        p99_ms: query.p99_ms,
        throughput: scaled(query.per_second, "queries"),
        found: format!("{hits}, {} queries", grouped(query.count)),
    }
}

fn found(hash: Hash, count: usize, unit: &str) -> String {
    format!("{hash}  {} {unit}", grouped(count))
}

/// A rate with up to three digits before the decimal point: `12.3 M bodies/s`.
fn scaled(value: f64, unit: &str) -> String {
    match value {
        v if v >= 1e9 => format!("{:.1} G {unit}/s", v / 1e9),
        v if v >= 1e6 => format!("{:.1} M {unit}/s", v / 1e6),
        v if v >= 1e3 => format!("{:.1} k {unit}/s", v / 1e3),
        v => format!("{v:.1} {unit}/s"),
    }
}

/// The number with commas between groups of three digits.
fn grouped(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1_144_045), "1,144,045");
        assert_eq!(grouped(999), "999");
        assert_eq!(scaled(12_345_678.0, "bodies"), "12.3 M bodies/s");
        assert_eq!(scaled(0.0, "pairs"), "0.0 pairs/s");
    }
}
