//! Watching a long batch, and ending it early.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Progress of the batches of a view, and a way to end them early; see
/// [`Queries::controlled`](crate::Queries::controlled).
///
/// A batch that was cancelled leaves the caller's list empty, so that no half of an answer is
/// taken for a whole one; of grids [`SweepGrid::is_complete`](crate::SweepGrid::is_complete) and
/// that of [`ImpactGrid`](crate::ImpactGrid) tell.
///
/// - Degenerate: a control watches one batch at a time; batches that run at once share its count.
///
/// ```
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use impinge_shapes::{Pose, Shape};
/// use impinge_world::{BatchControl, Body, OverlapQuery, World};
///
/// let mut world = World::new();
/// let ball = Shape::sphere(1.0)?;
/// world.insert(Body::moving(ball.clone()))?;
/// let queries = vec![OverlapQuery::new(&ball, Pose::IDENTITY); 1000];
///
/// let stop = AtomicBool::new(false);
/// let progress = |done, all| stop.store(done * 2 > all, Ordering::Relaxed);
/// let control = BatchControl::new().cancel_when(&stop).progress(&progress);
/// let mut found = Vec::new();
/// world.queries().controlled(&control).overlap_any_batch(&queries, &mut found);
/// assert!(control.is_cancelled() && control.done() > 500 && found.is_empty());
///
/// stop.store(false, Ordering::Relaxed);
/// world.queries().controlled(&control.progress(&|_, _| {})).overlap_any_batch(&queries, &mut found);
/// assert_eq!(found, vec![true; 1000]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct BatchControl<'c> {
    cancel: Option<&'c AtomicBool>,
    progress: Option<&'c (dyn Fn(usize, usize) + Sync)>,
    done: AtomicUsize,
}

impl<'c> BatchControl<'c> {
    /// How often progress is told: once in so many queries, and at the end.
    pub const INTERVAL: usize = 64;

    /// Only counts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends batches as soon as the flag is set; the queries that run then are finished.
    #[must_use]
    pub fn cancel_when(mut self, flag: &'c AtomicBool) -> Self {
        self.cancel = Some(flag);
        self
    }

    /// Tells how many queries of how many are done, from any thread; numbers may come out of
    /// order.
    #[must_use]
    pub fn progress(mut self, progress: &'c (dyn Fn(usize, usize) + Sync)) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Queries of the last batch that were answered.
    #[must_use]
    pub fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// Whether the flag is set.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    pub(crate) fn begin(control: Option<&Self>) {
        if let Some(control) = control {
            control.done.store(0, Ordering::Relaxed);
        }
    }

    /// Whether the batch of this many queries was ended before all were answered.
    pub(crate) fn ended_early(control: Option<&Self>, all: usize) -> bool {
        control.is_some_and(|control| control.done() < all)
    }

    /// Answers `count` queries of a batch, unless it is cancelled.
    #[inline]
    pub(crate) fn run<R: Default>(
        control: Option<&Self>,
        all: usize,
        count: usize,
        work: impl FnOnce() -> R,
    ) -> R {
        let Some(control) = control else { return work() };
        if control.is_cancelled() {
            return R::default();
        }
        let answer = work();
        let before = control.done.fetch_add(count, Ordering::Relaxed);
        let done = before + count;
        if let Some(progress) = control.progress {
            // Some at once may pass the end of an interval, and the last ones of two.
            for ended in before / Self::INTERVAL..done / Self::INTERVAL {
                progress((ended + 1) * Self::INTERVAL, all);
            }
            if done == all && !all.is_multiple_of(Self::INTERVAL) {
                progress(all, all);
            }
        }
        answer
    }
}

impl fmt::Debug for BatchControl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchControl")
            .field("cancelled", &self.is_cancelled())
            .field("progress", &self.progress.is_some())
            .field("done", &self.done)
            .finish()
    }
}
