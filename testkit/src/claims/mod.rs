//! What answers must be, case by case: tests ask it of seeded cases, fuzzers of cases that they
//! draw.

pub mod batch;
pub mod distance;
pub mod impact;
pub mod manifold;
pub mod ray;
pub mod same;
pub mod sweep;
