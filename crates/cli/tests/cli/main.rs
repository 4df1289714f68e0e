//! Runs the program the way users do.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test, with its place")]

mod arguments;
mod bad_input;
mod meshes;
mod query;
mod stress;
mod support;
