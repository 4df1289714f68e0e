//! What `impinge stress` measures, as it is written to `--json`.

use std::fmt;
use std::fs;
use std::time::Duration;

use serde::{Serialize, Serializer};

/// Everything of one call of the program.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) machine: Machine,
    /// Of the sources the program was built from, `unknown` without git.
    pub(crate) commit: &'static str,
    pub(crate) runs: Vec<Run>,
}

/// What it ran on.
#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    /// Model name; architecture and system where that cannot be read.
    pub(crate) cpu: String,
    /// Hardware threads.
    pub(crate) cores: usize,
}

/// One scene. Counts and hashes are those after the last update.
#[derive(Debug, Serialize)]
pub(crate) struct Run {
    pub(crate) scene: &'static str,
    /// All bodies in the world, surroundings included.
    pub(crate) bodies: usize,
    pub(crate) moving_percent: f32,
    /// Bodies that move.
    pub(crate) moving: usize,
    /// Bodies that are fixed, surroundings included.
    pub(crate) fixed: usize,
    pub(crate) updates: usize,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    /// SIMD level in use.
    pub(crate) simd: &'static str,
    /// Pairs of bodies whose closed AABBs overlap, two fixed bodies left out.
    pub(crate) pairs: usize,
    pub(crate) contacts: usize,
    /// Of the pairs, as places in the order of insertion, smaller first; their order is ignored.
    pub(crate) hash: Hash,
    /// Of the contacts, every bit of them; their order is ignored.
    pub(crate) contacts_hash: Hash,
    pub(crate) stages: Stages,
    /// Time to bring the query index up to date after the last update.
    pub(crate) index_ms: f64,
    pub(crate) queries: Queries,
}

#[derive(Debug, Serialize)]
pub(crate) struct Stages {
    /// All of the update.
    pub(crate) update: Stage,
    pub(crate) bounds: Stage,
    pub(crate) pairs: Stage,
    pub(crate) contacts: Stage,
    /// Comparison with the update before.
    pub(crate) events: Stage,
}

/// Times of one stage of an update.
#[derive(Debug, Serialize)]
pub(crate) struct Stage {
    pub(crate) median_ms: f64,
    pub(crate) p99_ms: f64,
    /// Of the update that built everything, which the other two leave out.
    pub(crate) first_ms: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Queries {
    pub(crate) raycast: Query,
    pub(crate) sweep: Query,
    pub(crate) overlap: Query,
}

/// One kind of query.
#[derive(Debug, Serialize)]
pub(crate) struct Query {
    pub(crate) count: usize,
    /// Queries that hit; for overlaps, bodies found.
    pub(crate) hits: usize,
    pub(crate) per_second: f64,
    /// Of one batch.
    pub(crate) median_ms: f64,
    /// Of one batch.
    pub(crate) p99_ms: f64,
    /// Of the hits, every bit of them, each with the number of its query.
    pub(crate) hash: Hash,
}

/// A hash on its way out: JSON numbers cannot hold 64 bits, so it is 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hash(pub(crate) u64);

impl fmt::Display for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Machine {
    /// This one.
    pub(crate) fn this() -> Self {
        let otherwise = || format!("{} {}", std::env::consts::ARCH, std::env::consts::OS);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { cpu: cpu_model().unwrap_or_else(otherwise), cores }
    }
}

fn cpu_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    let name = line.split_once(':')?.1.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Milliseconds. Nanoseconds are whole, so the quotient prints with six decimals at most.
pub(crate) fn ms(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e6
}

/// The least of the times that `percent` of them do not exceed; zero if there are none.
pub(crate) fn percentile(times: &[Duration], percent: usize) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

/// How many a second; zero if there were none.
pub(crate) fn per_second(count: usize, seconds: f64) -> f64 {
    // A clock that did not advance would make an infinity, which JSON cannot hold.
    if count == 0 { 0.0 } else { count as f64 / seconds.max(1e-9) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_occurred() {
        let times: Vec<Duration> = (1..=200).rev().map(Duration::from_millis).collect();
        assert_eq!(percentile(&times, 50), Duration::from_millis(100));
        assert_eq!(percentile(&times, 99), Duration::from_millis(198));
        assert_eq!(percentile(&times[..1], 50), Duration::from_millis(200));
        assert_eq!(percentile(&[], 99), Duration::ZERO);
    }
}
