//! Tables and pictures of what the rival bench measured, from the CSVs that it writes.
//!
//! A crate of its own, so that its tests need none of the other libraries.

mod plot;
mod results;
mod tables;

pub use plot::draw;
pub use tables::tables;

/// Whether `suite`, a name of a report, belongs to the suite of that name on the command line.
///
/// ```
/// use impinge_charts::belongs;
///
/// assert!(belongs("box sweeps", "sweeps") && belongs("pairs", "pairs"));
/// assert!(!belongs("box sweeps", "overlaps"));
/// ```
#[must_use]
pub fn belongs(suite: &str, asked: &str) -> bool {
    suite.split(' ').next_back() == Some(asked)
}
