//! Tables on the screen and rows in a file.

use crate::{machine, measure::Times};

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Milliseconds per step.
    MillisecondsPerStep,
    /// Nanoseconds per query or call.
    NanosecondsPerCall,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::MillisecondsPerStep => "ms/step",
            Self::NanosecondsPerCall => "ns/call",
        }
    }

    fn scale(self) -> f64 {
        match self {
            Self::MillisecondsPerStep => 1e3,
            Self::NanosecondsPerCall => 1e9,
        }
    }
}

/// One contender's number.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Its name; impinge's own begin with `impinge`.
    pub(crate) contender: &'static str,
    /// Seconds, per round.
    pub(crate) times: Times,
    /// Whether its rounds differ in work, so that the mean stands for them, not the median.
    pub(crate) uneven: bool,
    /// Calls per round.
    pub(crate) calls: usize,
    /// How many pairs, hits or points it found.
    pub(crate) found: u64,
    /// In what its answers differ from the reference; empty if in nothing.
    pub(crate) remark: String,
}

/// One row: the same work, done by everyone.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Pairs, rays and so on.
    pub(crate) suite: &'static str,
    /// The scene, or the kind of pair.
    pub(crate) scene: String,
    /// Number of bodies.
    pub(crate) bodies: usize,
    /// Share that moves, in percent.
    pub(crate) moving: f32,
    /// Unit of the numbers.
    pub(crate) unit: Unit,
    /// Everyone's numbers.
    pub(crate) entries: Vec<Entry>,
}

impl Row {
    fn value(&self, entry: &Entry, seconds: f64) -> f64 {
        seconds * self.unit.scale() / entry.calls as f64
    }

    /// The number that stands for an entry.
    fn figure(&self, entry: &Entry) -> f64 {
        let times = &entry.times;
        self.value(entry, if entry.uneven { times.mean() } else { times.median() })
    }

    fn best(&self, ours: bool) -> Option<f64> {
        let side = self.entries.iter().filter(|e| e.contender.starts_with("impinge") == ours);
        side.map(|entry| self.figure(entry)).min_by(f64::total_cmp)
    }

    /// Best peer's time over our best time; above 1 we are faster.
    pub(crate) fn ratio(&self) -> Option<f64> {
        Some(self.best(false)? / self.best(true)?)
    }

    /// Best peer's time over that of one contender.
    pub(crate) fn ratio_of(&self, contender: &str) -> Option<f64> {
        let entry = self.entries.iter().find(|entry| entry.contender == contender)?;
        Some(self.best(false)? / self.figure(entry))
    }
}

/// All rows of a run.
#[derive(Debug)]
pub(crate) struct Report {
    threads: usize,
    rows: Vec<Row>,
}

impl Report {
    /// What was measured so far.
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(crate) fn new(threads: usize) -> Self {
        Self { threads, rows: Vec::new() }
    }

    /// Prints a row and keeps it.
    ///
    /// The names are printed above the first row and wherever they change.
    pub(crate) fn add(&mut self, row: Row) {
        let names = |row: &Row| {
            let names: Vec<&str> = row.entries.iter().map(|entry| entry.contender).collect();
            (row.suite, names)
        };
        if self.rows.last().is_none_or(|last| names(last) != names(&row)) {
            let heads = row.entries.iter().map(|entry| format!("{:>20}", entry.contender));
            let heads: String = heads.collect();
            println!("\n{}, {}", row.suite, row.unit.name());
            println!("{:<36}{:>8}{:>6}{heads}{:>8}", "scene", "bodies", "move", "ratio");
        }
        let figures = row.entries.iter().map(|entry| {
            let mark = if entry.remark.is_empty() { "" } else { "*" };
            format!("{:>20}", format!("{:.3}{mark}", row.figure(entry)))
        });
        let figures: String = figures.collect();
        let ratio = row.ratio().map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
        println!("{:<36}{:>8}{:>6}{figures}{ratio:>8}", row.scene, row.bodies, row.moving);
        for entry in row.entries.iter().filter(|entry| !entry.remark.is_empty()) {
            println!("    * {}: {}", entry.contender, entry.remark);
        }
        self.rows.push(row);
    }

    /// Every number, one line each.
    pub(crate) fn csv(&self) -> String {
        let head = "cpu,threads,suite,scene,bodies,moving_percent,contender,version,unit,median,mean,least,most,figure,found,remark";
        let mut text = format!("{head}\n");
        let cpu = machine::processor().replace(',', ";");
        for row in &self.rows {
            for entry in &row.entries {
                let name = entry.contender.split(' ').next().unwrap_or_default();
                let version =
                    if name == "impinge" { String::new() } else { machine::version(name) };
                let times = &entry.times;
                let [median, mean, least, most] =
                    [times.median(), times.mean(), times.least(), times.most()]
                        .map(|seconds| format!("{:.4}", row.value(entry, seconds)));
                let figure = format!("{:.4}", row.figure(entry));
                let cells = [
                    cpu.clone(),
                    self.threads.to_string(),
                    row.suite.to_owned(),
                    row.scene.clone(),
                    row.bodies.to_string(),
                    row.moving.to_string(),
                    entry.contender.to_owned(),
                    version,
                    row.unit.name().to_owned(),
                    median,
                    mean,
                    least,
                    most,
                    figure,
                    entry.found.to_string(),
                    entry.remark.replace(',', ";"),
                ];
                text.push_str(&cells.join(","));
                text.push('\n');
            }
        }
        text
    }
}
