//! Pictures of a CSV of ours: one SVG for each suite, with a bar for each row.
//!
//! A bar begins at 1 and ends at the best peer's number divided by impinge's best, on a
//! logarithmic axis.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context;

/// Everyone's numbers for the same work.
#[derive(Debug, Default)]
struct Row {
    suite: String,
    scene: String,
    bodies: String,
    moving: String,
    /// Best number and whose, with an asterisk if the answers differ.
    ours: Option<f64>,
    peer: Option<(f64, String)>,
}

impl Row {
    fn same_work(&self, other: &Self) -> bool {
        let key =
            |row: &Self| [&row.suite, &row.scene, &row.bodies, &row.moving].map(ToOwned::to_owned);
        key(self) == key(other)
    }

    /// Best peer's number over our best; above 1 we are faster.
    fn ratio(&self) -> Option<f64> {
        Some(self.peer.as_ref()?.0 / self.ours?)
    }
}

/// Whether `suite`, a name of a report, belongs to the suite of that name on the command line.
pub(crate) fn belongs(suite: &str, asked: &str) -> bool {
    suite.split(' ').next_back() == Some(asked)
}

/// Draws the suites of a CSV that are `wanted` into a directory, and returns how many.
pub(crate) fn draw(
    csv: &str,
    wanted: impl Fn(&str) -> bool,
    directory: &Path,
) -> anyhow::Result<usize> {
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

/// The rows of one or more CSVs, one after the other, each with its head.
fn read(csv: &str) -> anyhow::Result<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    let mut head: Vec<&str> = Vec::new();
    for line in csv.lines().filter(|line| !line.is_empty()) {
        let cells: Vec<&str> = line.split(',').collect();
        if cells[0] == "cpu" {
            head = cells;
            continue;
        }
        let find = |name: &str| {
            let column = head.iter().position(|&column| column == name)?;
            cells.get(column).copied()
        };
        let cell = |name: &str| find(name).with_context(|| format!("no {name} in: {line}"));
        let [suite, scene, bodies, moving] = ["suite", "scene", "bodies", "moving_percent"]
            .map(|name| cell(name).map(ToOwned::to_owned));
        let work = Row {
            suite: suite?,
            scene: scene?,
            bodies: bodies?,
            moving: moving?,
            ..Row::default()
        };
        let contender = cell("contender")?;
        // Files from before there was the figure that stands for a contender.
        let column = match find("figure") {
            Some(_) => "figure",
            None if uneven(&work.suite, contender) => "mean",
            None => "median",
        };
        let figure: f64 = cell(column)?.parse().with_context(|| format!("no number: {line}"))?;
        if !rows.last().is_some_and(|last| last.same_work(&work)) {
            rows.push(work);
        }
        let Some(row) = rows.last_mut() else { continue };
        if contender.starts_with("impinge") {
            row.ours = Some(row.ours.map_or(figure, |best| best.min(figure)));
        } else if row.peer.as_ref().is_none_or(|(best, _)| figure < *best) {
            let mark = if cell("remark")?.is_empty() { "" } else { "*" };
            row.peer = Some((figure, format!("{contender}{mark}")));
        }
    }
    Ok(rows)
}

/// Whether the mean stood for a contender, in files that do not say it.
fn uneven(suite: &str, contender: &str) -> bool {
    match suite {
        "pairs" => !contender.starts_with("parry3d") || contender == "parry3d fat",
        "update" => !contender.starts_with("parry3d"),
        _ => false,
    }
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
        let ratios = || rows.iter().filter_map(|row| row.ratio());
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

/// The different values of a column, in the order of the rows.
fn distinct<'r, T: PartialEq>(rows: &[&'r Row], column: impl Fn(&'r Row) -> T) -> Vec<T> {
    let mut values = Vec::new();
    for value in rows.iter().map(|row| column(row)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

/// One suite's bars, grouped by scene, in the order of the rows.
fn picture(suite: &str, rows: &[&Row]) -> String {
    let axis = Axis::new(rows);
    let shares = distinct(rows, |row| row.moving.as_str());
    let one_size = distinct(rows, |row| &row.bodies).len() < 2;
    let mut bars = String::new();
    let mut y = TOP;
    for (scene, bodies) in distinct(rows, |row| (&row.scene, &row.bodies)) {
        let of = |row: &&&Row| row.scene == *scene && row.bodies == *bodies;
        let members: Vec<&&Row> = rows.iter().filter(of).collect();
        let middle = y + BAR * members.len() as f64 / 2.0 + 4.5;
        let label = if one_size { scene.clone() } else { format!("{scene}, {bodies}") };
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
    let (Some(ratio), Some((_, peer))) = (row.ratio(), &row.peer) else { return String::new() };
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

    const CSV: &str = "\
cpu,suite,scene,bodies,moving_percent,contender,median,mean,remark
x,pairs,uniform,10,100,impinge,1,4,
x,pairs,uniform,10,100,impinge one slice,1,5,
x,pairs,uniform,10,100,parry3d refit,3,9,
x,pairs,uniform,10,100,parry3d fat,1,2,one missing
x,pairs,uniform,10,1,impinge,1,4,
x,pairs,uniform,10,1,parry3d refit,8,2,
cpu,suite,scene,bodies,moving_percent,contender,median,mean,figure,remark
x,box sweeps,stack,10,0,impinge,1,1,2,
x,box sweeps,stack,10,0,bvh,1,1,1,
";

    #[test]
    fn ratios_are_those_of_the_figures_that_stand() {
        let rows = read(CSV).expect("well formed");
        let found: Vec<_> = rows.iter().map(|row| (row.ratio(), row.peer.clone())).collect();
        let peer = |figure, name: &str| Some((figure, name.to_owned()));
        assert_eq!(
            found,
            [
                (Some(0.5), peer(2.0, "parry3d fat*")),
                (Some(2.0), peer(8.0, "parry3d refit")),
                (Some(0.5), peer(1.0, "bvh")),
            ]
        );
    }

    #[test]
    fn bars_lie_on_the_side_of_who_is_faster() {
        let rows = read(CSV).expect("well formed");
        let pairs: Vec<&Row> = rows.iter().filter(|row| row.suite == "pairs").collect();
        let picture = picture("pairs", &pairs);
        // From 0.5 to 1 and from 1 to 2, of an axis from 0.5 to 2.
        assert!(picture.contains("class=\"l0\" x=\"190.0\" y=\"64.0\" width=\"205.0\""));
        assert!(picture.contains("class=\"b1\" x=\"395.0\" y=\"79.0\" width=\"205.0\""));
    }

    #[test]
    fn a_cell_that_is_no_number_is_named() {
        let error = read(&CSV.replace(",8,2,", ",eight,2,")).expect_err("a word");
        assert!(format!("{error:#}").contains("eight"));
    }

    #[test]
    fn suites_go_by_their_last_word() {
        assert!(belongs("box sweeps", "sweeps") && belongs("pairs", "pairs"));
        assert!(!belongs("box sweeps", "overlaps"));
    }
}
