//! Runs of `impinge stress`, small ones.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::{impinge, impinge_with};

/// Every scene, and a number of bodies at which there is something to find.
const SCENES: [(&str, &str); 8] = [
    ("uniform", "300"),
    ("plain", "300"),
    ("clusters", "300"),
    ("mixed", "300"),
    ("stack", "300"),
    ("giant-ground", "300"),
    ("pruning", "3000"),
    ("level", "100"),
];

/// Runs with `--json` and returns the report; `name` keeps parallel tests apart.
fn report(name: &str, arguments: &[&str]) -> Value {
    report_with(&[], name, arguments)
}

/// [`report`] with environment variables.
fn report_with(variables: &[(&str, &str)], name: &str, arguments: &[&str]) -> Value {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
    let json = path.to_str().unwrap();
    let small = ["--updates", "3", "--rays", "500", "--sweeps", "200", "--overlaps", "200"];
    let all = [&["stress"][..], &small, &["--json", json], arguments].concat();
    let outcome = impinge_with(variables, &all, b"");
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert_eq!(outcome.stderr, "", "no progress bar away from a terminal");
    let text = fs::read_to_string(&path).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn only_run(report: &Value) -> &Value {
    let runs = report["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1);
    &runs[0]
}

/// What must not depend on threads or times.
fn found(run: &Value) -> Vec<&Value> {
    let queries = ["raycast", "sweep", "overlap"].map(|kind| &run["queries"][kind]);
    let fields = ["pairs", "contacts", "hash", "contacts_hash"];
    let of_queries = queries.iter().flat_map(|query| [&query["hits"], &query["hash"]]);
    fields.iter().map(|field| &run[*field]).chain(of_queries).collect()
}

#[test]
fn every_scene_finds_something_whatever_the_threads() {
    for (scene, bodies) in SCENES {
        let run = |threads: &str| {
            let name = format!("{scene}-{threads}");
            report(&name, &["--scene", scene, "--bodies", bodies, "--threads", threads])
        };
        let (one, two) = (run("1"), run("2"));
        assert!(one["machine"]["cores"].as_u64().unwrap() > 0);
        assert!(!one["commit"].as_str().unwrap().is_empty());
        let (one, two) = (only_run(&one), only_run(&two));
        assert_eq!(one["scene"], scene);
        assert_eq!((&one["threads"], &two["threads"]), (&1.into(), &2.into()));
        assert!(!one["simd"].as_str().unwrap().is_empty());
        for field in ["pairs", "contacts"] {
            assert!(one[field].as_u64().unwrap() > 0, "{scene}: {field}");
        }
        for stage in ["update", "bounds", "pairs", "contacts", "events"] {
            let stage = &one["stages"][stage];
            assert!(stage["median_ms"].as_f64() <= stage["p99_ms"].as_f64(), "{scene}: {stage}");
        }
        for (kind, count) in [("raycast", 500), ("sweep", 200), ("overlap", 200)] {
            let query = &one["queries"][kind];
            assert_eq!(query["count"], count);
            assert!(query["per_second"].as_f64().unwrap() > 0.0);
            assert!(query["hits"].as_u64().unwrap() > 0, "{scene}: {kind}");
        }
        assert_eq!(found(one), found(two), "{scene}");
    }
}

#[test]
fn no_answer_depends_on_the_simd_level() {
    for (scene, bodies) in SCENES {
        let run = |level: &str| {
            let name = format!("{scene}-simd-{level}");
            let variables = if level.is_empty() { &[][..] } else { &[("IMPINGE_SIMD", level)] };
            report_with(variables, &name, &["--scene", scene, "--bodies", bodies])
        };
        let (scalar, best) = (run("scalar"), run(""));
        let (scalar, best) = (only_run(&scalar), only_run(&best));
        assert_eq!(scalar["simd"], "scalar");
        assert_eq!(found(scalar), found(best), "{scene}");
    }
}

#[test]
fn the_pruning_scene_has_its_known_number_of_pairs() {
    let report = report("pruning-known", &["--scene", "pruning"]);
    let run = only_run(&report);
    assert_eq!(run["bodies"], 10_000);
    assert_eq!(run["moving_percent"], 0.0);
    assert_eq!(run["pairs"], 11_811);
}

#[test]
fn flags_reach_the_run() {
    let arguments = [
        "--scene",
        "stack,uniform",
        "--scene",
        "plain",
        "--bodies",
        "64",
        "--moving",
        "12.5",
        "--seed",
        "7",
    ];
    let report = report("flags", &arguments);
    let runs = report["runs"].as_array().unwrap();
    let names: Vec<&Value> = runs.iter().map(|run| &run["scene"]).collect();
    assert_eq!(names, ["stack", "uniform", "plain"]);
    for run in runs {
        assert_eq!((&run["bodies"], &run["seed"]), (&64.into(), &7.into()));
        assert_eq!((&run["moving_percent"], &run["updates"]), (&12.5.into(), &3.into()));
    }
}

#[test]
fn a_run_without_queries_is_a_run() {
    let none = ["--rays", "0", "--sweeps", "0", "--overlaps", "0", "--updates", "1"];
    let outcome =
        impinge(&[&["stress", "--scene", "uniform", "--bodies", "1"][..], &none].concat(), b"");
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""));
    assert!(outcome.stdout.contains("uniform: 1 bodies"), "{}", outcome.stdout);
}
