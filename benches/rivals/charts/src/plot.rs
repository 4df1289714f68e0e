//! Pictures of a CSV of ours: one SVG for each suite, with a bar for each row.
//!
//! A bar begins at 1 and ends at the best peer's number divided by impinge's best, on a
//! logarithmic axis.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context;

use crate::results::{Row, distinct, read};

/// Draws the suites of a CSV that are `wanted` into a directory, and returns how many.
///
/// # Errors
///
/// A file that cannot be written, a missing column, or a cell that is no number.
pub fn draw(csv: &str, wanted: impl Fn(&str) -> bool, directory: &Path) -> anyhow::Result<usize> {
    let rows = read(csv)?;
    let mut suites: Vec<&str> = Vec::new();
    for row in &rows {
        if wanted(&row.suite) && !suites.contains(&row.suite.as_str()) {
            suites.push(&row.suite);
        }
    }
    std::fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
    for suite in &suites {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.suite == **suite).collect();
        let path = directory.join(format!("{}.svg", suite.replace(' ', "-")));
        std::fs::write(&path, picture(suite, &rows)).with_context(|| path.display().to_string())?;
    }
    Ok(suites.len())
}

const WIDTH: f64 = 760.0;
/// Where the axis begins and ends.
const LEFT: f64 = 190.0;
const RIGHT: f64 = 600.0;
const BAR: f64 = 15.0;
const GAP: f64 = 9.0;
const TOP: f64 = 64.0;

/// Both schemes; a viewer that knows neither takes the first.
const STYLE: &str = "text{font:13px sans-serif;fill:#333}.small{font-size:11px;fill:#666}\
    .grid{stroke:#ccc}.one{stroke:#333;stroke-width:1.5}\
    .b0{fill:#2456a6}.b1{fill:#4f86d9}.b2{fill:#8fb4ee}.b3{fill:#b9d0f5}\
    .l0{fill:#a3480b}.l1{fill:#cf6c22}.l2{fill:#e79a5c}.l3{fill:#f0bd94}\
    @media(prefers-color-scheme:dark){text{fill:#ddd}.small{fill:#aaa}.grid{stroke:#444}\
    .one{stroke:#ddd}.b0{fill:#8fb4ee}.b2{fill:#2f62b5}.l0{fill:#f0a669}.l2{fill:#a3480b}}";

/// A logarithmic axis between two powers of two.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// One that all bars end on, with room on both sides of 1.
    fn new(rows: &[&Row]) -> Self {
        let ratios = || rows.iter().filter_map(|row| row.ratio(&[]));
        let low = libm::floor(libm::log2(ratios().fold(0.5, f64::min)));
        let high = libm::ceil(libm::log2(ratios().fold(2.0, f64::max)));
        Self { low, high }
    }

    fn at(&self, ratio: f64) -> f64 {
        LEFT + (libm::log2(ratio) - self.low) / (self.high - self.low) * (RIGHT - LEFT)
    }

    /// Lines at the powers of two, down to `bottom`.
    fn lines(&self, bottom: f64) -> String {
        let mut text = String::new();
        let mut power = self.low;
        while power <= self.high {
            let ratio = libm::exp2(power);
            let (x, class) = (self.at(ratio), if power.abs() < 0.5 { "one" } else { "grid" });
            let _ = writeln!(
                text,
                "<line class=\"{class}\" x1=\"{x:.1}\" y1=\"{:.0}\" x2=\"{x:.1}\" \
                 y2=\"{bottom:.0}\"/><text class=\"small\" x=\"{x:.1}\" y=\"{:.0}\" \
                 text-anchor=\"middle\">{ratio}</text>",
                TOP - 6.0,
                bottom + 14.0
            );
            power += 1.0;
        }
        text
    }
}

/// One suite's bars, grouped by scene, in the order of the rows.
fn picture(suite: &str, rows: &[&Row]) -> String {
    let axis = Axis::new(rows);
    let shares = distinct(rows, |row| row.moving.as_str());
    let one_size = distinct(rows, |row| &row.bodies).len() < 2;
    let one_pool = distinct(rows, |row| &row.threads).len() < 2;
    let mut bars = String::new();
    let mut y = TOP;
    for (scene, bodies, threads) in distinct(rows, |row| (&row.scene, &row.bodies, &row.threads)) {
        let of = |row: &&&Row| (&row.scene, &row.bodies, &row.threads) == (scene, bodies, threads);
        let members: Vec<&&Row> = rows.iter().filter(of).collect();
        let middle = y + BAR * members.len() as f64 / 2.0 + 4.5;
        let size = if one_size { String::new() } else { format!(", {bodies}") };
        let pool = if one_pool { String::new() } else { format!(", {threads} threads") };
        let label = format!("{scene}{size}{pool}");
        let _ = writeln!(
            bars,
            "<text x=\"{:.0}\" y=\"{middle:.1}\" text-anchor=\"end\">{label}</text>",
            LEFT - 8.0
        );
        for row in members {
            let shade = shares.iter().position(|share| *share == row.moving).unwrap_or(0);
            bars.push_str(&bar(row, &axis, shade, y));
            y += BAR;
        }
        y += GAP;
    }
    let (lines, legend, height) = (axis.lines(y), legend(&shares), y + 22.0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\">\n\
         <title>{suite}: time of the best peer divided by impinge's</title>\n\
         <style>{STYLE}</style>\n\
         <text x=\"12\" y=\"22\">{suite}: best peer's time / impinge's; to the right of 1 impinge \
         is faster</text>\n{legend}{lines}{bars}</svg>\n"
    )
}

/// The bar of a row, with its ratio and the name of the peer; nothing if one side is missing.
fn bar(row: &Row, axis: &Axis, shade: usize, y: f64) -> String {
    let (Some(ratio), Some(peer)) = (row.ratio(&[]), row.best_peer(&[])) else {
        return String::new();
    };
    let peer = peer.marked();
    let class = if ratio < 1.0 { 'l' } else { 'b' };
    let (from, to) = (axis.at(ratio.min(1.0)), axis.at(ratio.max(1.0)));
    format!(
        "<rect class=\"{class}{}\" x=\"{from:.1}\" y=\"{y:.1}\" width=\"{:.1}\" \
         height=\"{:.0}\"/><text class=\"small\" x=\"{:.1}\" y=\"{:.1}\">{ratio:.2} {peer}</text>\n",
        shade.min(3),
        to - from,
        BAR - 2.0,
        to + 5.0,
        y + 10.5
    )
}

/// Which shade is which share of moving bodies; nothing where there is one only.
fn legend(shares: &[&str]) -> String {
    let mut text = String::new();
    let mut x = 12.0;
    for (shade, share) in shares.iter().enumerate().filter(|_| shares.len() > 1) {
        let shade = shade.min(3);
        let _ = writeln!(
            text,
            "<rect class=\"b{shade}\" x=\"{x:.0}\" y=\"34\" width=\"12\" height=\"12\"/>\
             <rect class=\"l{shade}\" x=\"{:.0}\" y=\"34\" width=\"12\" height=\"12\"/>\
             <text class=\"small\" x=\"{:.0}\" y=\"44\">{share} % move</text>",
            x + 12.0,
            x + 29.0
        );
        x += 120.0;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::CSV;

    #[test]
    fn bars_lie_on_the_side_of_who_is_faster() {
        let rows = read(CSV).expect("well formed");
        let pairs: Vec<&Row> = rows.iter().filter(|row| row.suite == "pairs").collect();
        let picture = picture("pairs", &pairs);
        // From 0.5 to 1 and from 1 to 2, of an axis from 0.5 to 2.
        assert!(picture.contains("class=\"l0\" x=\"190.0\" y=\"64.0\" width=\"205.0\""));
        assert!(picture.contains("class=\"b1\" x=\"395.0\" y=\"79.0\" width=\"205.0\""));
    }
}
