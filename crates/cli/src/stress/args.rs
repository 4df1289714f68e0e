//! Flags of `impinge stress`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{RangedU64ValueParser, TypedValueParser};
use impinge_testkit::scenes::{SceneKind, UnknownScene};

/// Most bodies of a scene: beyond it memory, not time, is what ends the run.
const MOST_BODIES: u64 = 20_000_000;
/// Most queries of a kind, for the same reason.
const MOST_QUERIES: u64 = 100_000_000;
/// More threads than any machine has cores are a typing error.
const MOST_THREADS: u64 = 4096;

/// Moves the bodies of a scene, asks it queries, and prints how long each stage took
///
/// With no flags: the game level, and 10,000 boxes in a cube.
#[derive(Clone, Debug, Args)]
pub(crate) struct StressArgs {
    /// Scenes to run: uniform, plain, clusters, mixed, stack, giant-ground, pruning, level, or all
    /// of these; and the hard ones line, flat, spot, sizes, rods, islands, far
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAME",
        default_value = "level,uniform",
        value_parser = scenes
    )]
    scene: Vec<Scenes>,
    /// Bodies of each scene, surroundings not counted [default: 1000 in the level, else 10000]
    #[arg(long, value_name = "N", value_parser = count(1, MOST_BODIES))]
    bodies: Option<usize>,
    /// Share of the bodies that moves, in percent [default: 0 in the pruning scene, else 100]
    #[arg(long, value_name = "PERCENT", value_parser = percent, allow_negative_numbers = true)]
    moving: Option<f32>,
    /// Share of the bodies that is fixed, in percent, taken from those that do not move
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = percent, allow_negative_numbers = true)]
    pub(crate) fixed: f32,
    /// Updates that are measured, after a first one that builds everything
    #[arg(long, value_name = "N", default_value = "100", value_parser = count(1, 1_000_000))]
    pub(crate) updates: usize,
    /// Rays to cast
    #[arg(long, value_name = "N", default_value = "100000", value_parser = count(0, MOST_QUERIES))]
    pub(crate) rays: usize,
    /// Spheres and boxes to sweep
    #[arg(long, value_name = "N", default_value = "20000", value_parser = count(0, MOST_QUERIES))]
    pub(crate) sweeps: usize,
    /// Spheres and boxes to overlap
    #[arg(long, value_name = "N", default_value = "20000", value_parser = count(0, MOST_QUERIES))]
    pub(crate) overlaps: usize,
    /// Threads to use [default: one per core]
    #[arg(long, value_name = "N", value_parser = count(1, MOST_THREADS))]
    pub(crate) threads: Option<usize>,
    /// Seed of the scene, its motion and the queries
    #[arg(long, value_name = "N", default_value = "42")]
    pub(crate) seed: u64,
    /// Write what was measured to this file too, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

/// One item of `--scene`.
#[derive(Clone, Debug)]
enum Scenes {
    All,
    One(SceneKind),
}

/// What one run does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunPlan {
    pub(crate) scene: SceneKind,
    pub(crate) bodies: usize,
    pub(crate) moving_percent: f32,
}

impl StressArgs {
    /// The runs that were asked for, in their order.
    pub(crate) fn plans(&self) -> Vec<RunPlan> {
        let kinds = self.scene.iter().flat_map(|scenes| match scenes {
            Scenes::All => SceneKind::ALL.to_vec(),
            Scenes::One(kind) => vec![*kind],
        });
        kinds.map(|kind| self.plan(kind)).collect()
    }

    fn plan(&self, scene: SceneKind) -> RunPlan {
        // The pruning scene is known by its count of pairs, which holds where its boxes start.
        let moves = if scene == SceneKind::Pruning { 0.0 } else { 100.0 };
        RunPlan {
            scene,
            bodies: self.bodies.unwrap_or(scene.default_bodies()),
            moving_percent: self.moving.unwrap_or(moves),
        }
    }
}

fn count(least: u64, most: u64) -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::<u64>::new()
        .range(least..=most)
        .try_map(|n| usize::try_from(n).map_err(|_| "too large for this machine"))
}

fn scenes(name: &str) -> Result<Scenes, String> {
    if name == "all" {
        return Ok(Scenes::All);
    }
    name.parse().map(Scenes::One).map_err(|error: UnknownScene| error.to_string())
}

fn percent(text: &str) -> Result<f32, String> {
    let value: f32 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=100.0).contains(&value) {
        Ok(value)
    } else {
        Err("a percentage lies between 0 and 100".to_owned())
    }
}
