//! Runs other collision libraries and impinge through the same scenes, in one run.

mod convert;
mod kernels;
mod machine;
mod matrix;
mod measure;
mod meshes;
mod pairs;
mod queries;
mod report;
mod update;

use std::path::PathBuf;

use anyhow::Context;
use clap::{Parser, ValueEnum};
use impinge_testkit::scenes::{self, QueryShape, Scene, SceneKind};

use crate::{matrix::resting::Rest, queries::Kind, report::Report};

/// What to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Suite {
    /// Complete list of overlapping bounds, step after step.
    Pairs,
    /// First body along each ray, whether there is any, and all of them.
    Rays,
    /// First body that each moving sphere or box touches.
    Sweeps,
    /// All bodies that each sphere or box overlaps.
    Overlaps,
    /// An index of all bodies made from nothing.
    Builds,
    /// Tests between two shapes.
    Kernels,
    /// Every pair of shapes that parry3d has, too, and every question about it.
    Matrix,
    /// The pairs of the matrix at rest on a flat floor.
    Resting,
    /// The same, leaning and sunk a little, as a solver leaves them.
    Settled,
    /// Rays, spheres and boxes against meshes.
    Meshes,
    /// Whole updates, from poses to manifolds.
    Update,
}

/// Measures other collision libraries beside impinge, on the same scenes, in one run.
#[derive(Debug, Parser)]
struct Args {
    /// What to measure; everything if left out.
    suites: Vec<Suite>,
    /// Numbers of bodies.
    #[arg(long, value_delimiter = ',', default_value = "10000,100000")]
    bodies: Vec<usize>,
    /// Scenes.
    #[arg(long, value_delimiter = ',', default_value = "uniform,plain,clusters,mixed,stack")]
    scenes: Vec<SceneKind>,
    /// Percentages of bodies that move (pairs and update only).
    #[arg(long, value_delimiter = ',', default_value = "100,10,1")]
    moving: Vec<f32>,
    /// Percentage of bodies that are fixed, taken from those that do not move: two of them are no
    /// pair (pairs and update only).
    #[arg(long, default_value_t = 0.0)]
    fixed: f32,
    /// Number of threads; the peers use more than one only with `--features parallel`.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Measured steps or rounds; more of them steady the medians.
    #[arg(long, default_value_t = 25)]
    rounds: u32,
    /// Seed of scenes and queries.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Measure only contenders whose name contains one of these; impinge is always measured.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Of the matrix and what rests, ask only cases whose name contains one of these.
    #[arg(long, value_delimiter = ',')]
    cases: Vec<String>,
    /// Also write every number to this file.
    #[arg(long)]
    csv: Option<PathBuf>,
    /// Also draw the ratios into this directory, one SVG for each suite.
    #[arg(long)]
    plots: Option<PathBuf>,
    /// Also print every number in tables of Markdown.
    #[arg(long)]
    tables: bool,
    /// Measure nothing and take the numbers from these files instead.
    #[arg(long, value_delimiter = ',')]
    from: Vec<PathBuf>,
}

impl Args {
    fn wants(&self, suite: Suite) -> bool {
        self.suites.is_empty() || self.suites.contains(&suite)
    }

    /// A scene of bodies that move, and the name of its rows.
    fn scene(&self, kind: SceneKind, bodies: usize, moving: f32) -> (Scene, String) {
        let scene = scenes::build(kind, bodies, moving, self.seed);
        if self.fixed > 0.0 {
            let name = format!("{} {} % fixed", kind.name(), self.fixed);
            return (scene.with_fixed(self.fixed, self.seed), name);
        }
        (scene, kind.name().to_owned())
    }

    /// Whether to measure this case of the matrix.
    fn asks_of(&self, case: &str) -> bool {
        self.cases.is_empty() || self.cases.iter().any(|part| case.contains(part.as_str()))
    }

    /// Whether to measure this contender.
    fn admits(&self, name: &str) -> bool {
        let chosen = |part: &String| name.contains(part.as_str());
        let wanted =
            self.only.is_empty() || name.starts_with("impinge") || self.only.iter().any(chosen);
        wanted && !(name.starts_with("embree") && machine::absent().is_some())
    }
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    if !args.from.is_empty() {
        let read = |path| std::fs::read_to_string(path).with_context(|| format!("{path:?}"));
        let files: Vec<String> = args.from.iter().map(read).collect::<anyhow::Result<_>>()?;
        return show(&args, &files.join("\n"));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    println!("{}", machine::describe(args.threads));
    if let Some(reason) = machine::absent() {
        println!("embree is left out: {reason}");
    }
    let report = pool.install(|| run(&args));
    let csv = report.csv();
    if let Some(path) = &args.csv {
        std::fs::write(path, &csv).with_context(|| path.display().to_string())?;
    }
    show(&args, &csv)
}

/// Prints tables and draws plots, if they are asked for.
fn show(args: &Args, csv: &str) -> anyhow::Result<()> {
    let name = |suite: &Suite| suite.to_possible_value().map(|value| value.get_name().to_owned());
    let asked: Vec<String> = args.suites.iter().filter_map(name).collect();
    let wanted = |suite: &str| {
        asked.is_empty() || asked.iter().any(|asked| impinge_charts::belongs(suite, asked))
    };
    if args.tables {
        print!("{}", impinge_charts::tables(csv, wanted)?);
    }
    if let Some(directory) = &args.plots {
        let count = impinge_charts::draw(csv, wanted, directory)?;
        println!("\n{count} plot(s) in {}", directory.display());
    }
    Ok(())
}

fn run(args: &Args) -> Report {
    let mut report = Report::new(args.threads);
    if args.wants(Suite::Pairs) {
        pairs::run(args, &mut report);
    }
    let (sphere, cuboid) = (QueryShape::Sphere, QueryShape::Cuboid);
    let kinds = [
        (Suite::Rays, Kind::Rays),
        (Suite::Rays, Kind::AnyRays),
        (Suite::Rays, Kind::AllRays),
        (Suite::Sweeps, Kind::Sweeps(sphere)),
        (Suite::Sweeps, Kind::Sweeps(cuboid)),
        (Suite::Overlaps, Kind::Overlaps(sphere)),
        (Suite::Overlaps, Kind::Overlaps(cuboid)),
        (Suite::Builds, Kind::Builds),
    ];
    for (_, kind) in kinds.into_iter().filter(|&(suite, _)| args.wants(suite)) {
        queries::run(args, kind, &mut report);
    }
    if args.wants(Suite::Kernels) {
        kernels::run(args, &mut report);
    }
    if args.wants(Suite::Matrix) {
        matrix::run(args, &mut report);
    }
    if args.wants(Suite::Resting) {
        matrix::resting::run(args, Rest::Exact, &mut report);
    }
    if args.wants(Suite::Settled) {
        matrix::resting::run(args, Rest::Settled, &mut report);
    }
    if args.wants(Suite::Meshes) {
        meshes::run(args, &mut report);
    }
    if args.wants(Suite::Update) {
        update::run(args, &mut report);
    }
    report
}
