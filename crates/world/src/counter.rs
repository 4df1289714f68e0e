//! Counting what queries do.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts what the queries of a view do; see [`Queries::counting`](crate::Queries::counting).
///
/// The counts are sums, so that threads do not show in them.
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, Filter, Kinds, QueryCounter, World};
///
/// let mut world = World::new();
/// for x in 0..10_u8 {
///     let ball = Body::moving(Shape::sphere(0.25)?).at(Vec3::X * f32::from(x));
///     world.insert(ball.sensor(x == 3))?;
/// }
/// let counter = QueryCounter::new();
/// let queries = world.queries().counting(&counter);
/// assert_eq!(queries.contains_point(Vec3::X * 2.0, &Filter::default()).len(), 1);
/// assert!(queries.contains_point(Vec3::X * 3.0, &Filter::default()).is_empty());
/// assert_eq!((counter.candidates(), counter.filtered(), counter.tested()), (2, 1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct QueryCounter {
    candidates: AtomicU64,
    filtered: AtomicU64,
}

impl QueryCounter {
    /// Nothing counted yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { candidates: AtomicU64::new(0), filtered: AtomicU64::new(0) }
    }

    /// Bodies whose bounds the queries met; rays and batches of sweeps leave out some that cannot be
    /// first, the latter as many as the SIMD level tells. Large batches of rays that look around
    /// their starts first count bodies there once more.
    #[must_use]
    pub fn candidates(&self) -> u64 {
        self.candidates.load(Ordering::Relaxed)
    }

    /// Those of them that filters left out.
    #[must_use]
    pub fn filtered(&self) -> u64 {
        self.filtered.load(Ordering::Relaxed)
    }

    /// The others, whose bounds or shapes were looked at.
    #[must_use]
    pub fn tested(&self) -> u64 {
        self.candidates().saturating_sub(self.filtered())
    }

    /// Starts again from nothing.
    pub fn reset(&self) {
        self.candidates.store(0, Ordering::Relaxed);
        self.filtered.store(0, Ordering::Relaxed);
    }

    pub(crate) fn count(&self, passed: bool) {
        self.candidates.fetch_add(1, Ordering::Relaxed);
        if !passed {
            self.filtered.fetch_add(1, Ordering::Relaxed);
        }
    }
}
