//! Times, round by round, with the contenders taking turns.

use std::time::Instant;

#[cfg(target_os = "linux")]
use rustix::time::{ClockId, clock_gettime};

/// A clock's reading, in seconds.
///
/// With one thread it is the thread's own processor time, where the system tells it, so that a
/// contender does not pay for what else runs on the machine; otherwise the wall's.
fn now() -> f64 {
    #[cfg(target_os = "linux")]
    if rayon::current_num_threads() == 1 {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        return time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9;
    }
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Times of one contender, in seconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    /// Runs the work and keeps its time.
    pub(crate) fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = now();
        let result = std::hint::black_box(work());
        self.0.push(now() - start);
        result
    }

    /// Middle time.
    pub(crate) fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// Mean time: what a contender pays that saves work in some steps to do more in others.
    pub(crate) fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    /// Greatest time.
    pub(crate) fn most(&self) -> f64 {
        self.0.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Least time.
    pub(crate) fn least(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// Order in which `count` contenders take their turn in this round.
///
/// Each round begins with the next one, so that none always inherits the caches of the same other.
pub(crate) fn turns(count: usize, round: u32) -> impl Iterator<Item = usize> {
    (0..count).map(move |turn| (turn + round as usize) % count)
}
