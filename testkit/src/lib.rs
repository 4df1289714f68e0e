//! Scenes, generators, naive references and exact oracles for impinge; not published.
//!
//! Tests that need this crate live in its own `tests` directory.

pub mod check;
pub mod generate;
pub mod hash;
pub mod naive;
pub mod oracle;
pub mod rng;
pub mod scenes;
pub mod soak;
