//! Every pair of shapes that both impinge and parry3d have, and every question about it.
//!
//! The other suites measure a few pairs with care; this one finds the pairs at which a peer is
//! faster.

mod cases;
mod kinds;
mod ours;
mod parry;
pub(crate) mod resting;
mod typed;

use self::cases::Question;
use self::kinds::{KINDS, Kind};
use crate::Args;
use crate::kernels::{self, Case, Runner, compare};
use crate::report::Report;

/// Calls a round, of convex shapes without memory of their own.
const CALLS: usize = 2048;
/// The same where a call takes long, or shapes have memory of their own.
const FEW_CALLS: usize = 512;

type Make = fn(&[Case]) -> Runner;

/// One question about a pair: its name, and who answers how.
struct Column {
    name: &'static str,
    question: Question,
    ours: &'static [(&'static str, Make)],
    /// Where there are functions for pairs of these kinds alone.
    of_a_kind: fn(Kind, Kind) -> Option<Make>,
    parry: fn(Kind, Kind) -> parry::Make,
}

const OF_PAIRS: [Column; 5] = [
    Column {
        name: "overlap",
        question: Question::Near,
        ours: &[
            ("impinge", kernels::ours::overlap),
            ("impinge batch", kernels::ours::mixed_overlap),
        ],
        of_a_kind: |a, b| typed::of_pair(a, b).map(|of| of[0]),
        parry: |a, b| parry::tests(a, b).overlap,
    },
    Column {
        name: "distance",
        question: Question::Near,
        ours: &[
            ("impinge", kernels::ours::distance),
            ("impinge batch", kernels::ours::mixed_distance),
        ],
        of_a_kind: |a, b| typed::of_pair(a, b).map(|of| of[1]),
        parry: |a, b| parry::tests(a, b).distance,
    },
    Column {
        name: "contact",
        question: Question::Near,
        ours: &[
            ("impinge", kernels::ours::contact),
            ("impinge batch", kernels::ours::mixed_contact),
        ],
        of_a_kind: |a, b| typed::of_pair(a, b).map(|of| of[2]),
        parry: |a, b| parry::tests(a, b).contact,
    },
    Column {
        name: "manifold",
        question: Question::Near,
        ours: &[
            ("impinge", kernels::ours::manifold),
            ("impinge batch", kernels::ours::mixed_manifold),
        ],
        of_a_kind: |a, b| typed::of_pair(a, b).map(|of| of[3]),
        parry: |a, b| parry::tests(a, b).manifold,
    },
    Column {
        name: "sweep",
        question: Question::Sweep,
        ours: &[("impinge", ours::sweep), ("impinge batch", ours::sweep_batch)],
        of_a_kind: |_, _| None,
        parry: |a, b| parry::tests(a, b).sweep,
    },
];

const OF_SHAPES: [Column; 2] = [
    Column {
        name: "ray",
        question: Question::Ray,
        ours: &[
            ("impinge", kernels::ours::ray_box),
            ("impinge batch", kernels::ours::mixed_ray_box),
        ],
        of_a_kind: |a, _| typed::of_shape(a),
        parry: |_, _| parry::ray,
    },
    Column {
        name: "point",
        question: Question::Point,
        ours: &[("impinge", ours::project), ("impinge batch", ours::project_batch)],
        of_a_kind: |_, _| None,
        parry: |_, _| parry::project,
    },
];

pub(crate) fn run(args: &Args, report: &mut Report) {
    let mut without = Vec::new();
    let first = report.rows().len();
    let mut ask = |column: &Column, (a, b): (Kind, Kind), pair: &str| {
        let scene = format!("{pair} {}", column.name);
        if !args.asks_of(&scene) {
            return;
        }
        let few = [a, b].into_iter().any(|kind| kind.is_surface() || kind.has_memory());
        let calls = if few { FEW_CALLS } else { CALLS };
        let cases = cases::cases(a, b, column.question, calls, args.seed);
        measure(args, report, column, (a, b), ("matrix", scene), &cases, &mut without);
    };
    for (number, &a) in KINDS.iter().enumerate() {
        for column in &OF_SHAPES {
            ask(column, (a, Kind::Sphere), a.name());
        }
        for &b in KINDS[number..].iter().filter(|&&b| a.meets(b)) {
            let pair = format!("{} {}", a.name(), b.name());
            for column in &OF_PAIRS {
                ask(column, (a, b), &pair);
            }
        }
    }
    summary(report, first, &without);
}

fn measure(
    args: &Args,
    report: &mut Report,
    column: &Column,
    (a, b): (Kind, Kind),
    (suite, scene): (&'static str, String),
    cases: &[Case],
    without: &mut Vec<String>,
) {
    let mut field: Vec<(&'static str, Runner)> =
        column.ours.iter().map(|&(name, make)| (name, make(cases))).collect();
    if let Some(make) = (column.of_a_kind)(a, b) {
        field.push(("impinge of a kind", make(cases)));
    }
    match (column.parry)(a, b)(cases) {
        Some(runner) => field.push(("parry3d", runner)),
        None => without.push(scene.clone()),
    }
    report.add(compare(args, (suite, scene), cases.len(), args.rounds, field.into_iter()));
}

/// What a peer has no answer to, where it is faster, worst first, and where only single calls are
/// slower.
fn summary(report: &Report, first: usize, without: &[String]) {
    if !without.is_empty() {
        println!("\nparry3d has no answer to: {}", without.join(", "));
    }
    let rows = &report.rows()[first..];
    let mut slower: Vec<(f64, &str)> = Vec::new();
    let mut single: Vec<(f64, &str)> = Vec::new();
    for row in rows {
        let (Some(best), Some(alone)) = (row.ratio(), row.ratio_of("impinge")) else { continue };
        if best < 1.0 {
            slower.push((best, &row.scene));
        } else if alone < 1.0 {
            single.push((alone, &row.scene));
        }
    }
    for (title, mut list) in
        [("parry3d is faster", slower), ("parry3d is faster than single calls only", single)]
    {
        list.sort_by(|x, y| x.0.total_cmp(&y.0));
        println!("\n{title}: {} of {}", list.len(), rows.len());
        for (ratio, scene) in list {
            println!("{ratio:>8.2}  {scene}");
        }
    }
}
