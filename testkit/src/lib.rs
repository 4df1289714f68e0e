//! Scenes, generators, naive references and exact oracles for impinge; not published.
//!
//! Tests that need this crate live in its own `tests` directory.

pub mod check;
#[cfg(feature = "oracles")]
pub mod claims;
pub mod generate;
pub mod hash;
pub mod naive;
#[cfg(feature = "oracles")]
pub mod oracle;
pub mod rng;
pub mod scenes;
#[cfg(feature = "worlds")]
pub mod soak;
