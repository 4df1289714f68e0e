//! Some thousand seeded inputs through each check, without a fuzzer.

use std::collections::BTreeMap;

use impinge_testkit::{check::case_factor, rng::Rng};

use super::*;

/// Runs a check on seeded inputs of so many words and demands that it saw each of the answers.
fn run_seeds(check: Check, count: u64, words: u64, answers: &[&str]) {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in 0..count * case_factor() {
        let rng = &mut Rng::stream(seed, 0xf022);
        let mut bytes = Vec::new();
        for _ in 0..words {
            bytes.extend(rng.bits().to_le_bytes());
        }
        // The library's answer panics with the case; this adds the seed.
        let told = Told(seed);
        let answer = check(&mut Input::new(&bytes)).unwrap_or("used up");
        std::mem::forget(told);
        *counts.entry(answer).or_default() += 1;
    }
    for answer in answers {
        assert!(counts.get(answer).is_some_and(|&n| n > count / 200), "{answer}: {counts:?}");
    }
}

/// Tells the seed when a check panics.
struct Told(u64);

impl Drop for Told {
    fn drop(&mut self) {
        eprintln!("seed {}", self.0);
    }
}

#[test]
fn closest_answers_as_the_oracle_does() {
    run_seeds(closest, 2_000, 64, &["apart", "penetrating"]);
}

#[test]
fn sweeps_meet_what_the_oracle_says() {
    run_seeds(sweep, 2_000, 64, &["hit", "miss", "overlapping"]);
}

#[test]
fn hulls_are_hulls() {
    run_seeds(hull, 1_000, 64, &["point", "solid"]);
}

#[test]
fn meshes_are_their_triangles() {
    run_seeds(mesh, 2_000, 64, &["refused", "hit", "missed"]);
}

#[test]
fn drawn_distances_are_those_of_the_oracle() {
    run_seeds(drawn::distance, 2_000, 64, &["apart", "overlap"]);
}

#[test]
fn drawn_courses_meet_what_the_oracle_says() {
    run_seeds(drawn::course, 2_000, 64, &["hit", "miss", "overlapping"]);
}

#[test]
fn drawn_impacts_are_never_late() {
    run_seeds(drawn::impact, 500, 64, &["touches", "apart", "started"]);
}

#[test]
fn drawn_manifolds_are_what_the_shapes_show() {
    run_seeds(drawn::manifold, 2_000, 64, &["none", "points"]);
}

#[test]
fn drawn_rays_meet_what_the_oracle_says() {
    run_seeds(drawn::ray, 2_000, 64, &["hit", "missed"]);
}

#[test]
fn batches_answer_as_single_calls() {
    run_seeds(drawn::batch, 60, 256, &["one answer", "both answers"]);
}

#[test]
fn worlds_do_as_naive_ones() {
    run_seeds(drawn::world, 40, 512, &["none", "contacts"]);
}
