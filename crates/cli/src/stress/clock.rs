//! Times the stages of updates.

use std::time::{Duration, Instant};

use impinge::{Stage, UpdateObserver};

use super::report::{self, ms, percentile};

/// Number of stages that take time.
const STAGES: usize = 4;

/// Hears when the stages of updates begin; one list of times for each stage.
#[derive(Debug, Default)]
pub(crate) struct StageClock {
    times: [Vec<Duration>; STAGES],
    running: Option<(usize, Instant)>,
}

impl UpdateObserver for StageClock {
    fn stage(&mut self, stage: Stage) {
        let now = Instant::now();
        if let Some((place, start)) = self.running.take() {
            self.times[place].push(now - start);
        }
        self.running = match stage {
            Stage::Bounds => Some((0, now)),
            Stage::Pairs => Some((1, now)),
            Stage::Contacts => Some((2, now)),
            Stage::Events => Some((3, now)),
            Stage::Done => None,
        };
    }
}

impl StageClock {
    /// The times of all updates since the first, and those of the first apart from them.
    pub(crate) fn stages(&self) -> report::Stages {
        let whole: Vec<Duration> = (0..self.times[0].len())
            .map(|update| self.times.iter().filter_map(|times| times.get(update)).sum())
            .collect();
        let [bounds, pairs, contacts, events] = &self.times;
        report::Stages {
            update: stage(&whole),
            bounds: stage(bounds),
            pairs: stage(pairs),
            contacts: stage(contacts),
            events: stage(events),
        }
    }
}

fn stage(times: &[Duration]) -> report::Stage {
    let (first, rest) = times.split_first().map_or((Duration::ZERO, times), |(x, xs)| (*x, xs));
    report::Stage {
        median_ms: ms(percentile(rest, 50)),
        p99_ms: ms(percentile(rest, 99)),
        first_ms: ms(first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_update_is_timed_once_per_stage() {
        let mut clock = StageClock::default();
        for _ in 0..3 {
            for stage in [Stage::Bounds, Stage::Pairs, Stage::Contacts, Stage::Events, Stage::Done]
            {
                clock.stage(stage);
            }
        }
        assert!(clock.times.iter().all(|times| times.len() == 3));
        let stages = clock.stages();
        assert!(stages.update.median_ms >= stages.pairs.median_ms);
    }
}
