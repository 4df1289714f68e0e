//! All tests of worlds that need no program of their own: to compile and link one takes seconds.
#![allow(clippy::unwrap_used, reason = "test code")]

mod batches;
#[path = "../common/mod.rs"]
mod common;
mod contacts;
mod debug_draw;
mod explain;
mod filters;
mod histories;
mod impacts;
mod near;
mod queries;
mod saved;
mod sliding;
mod snapshots;
mod threads;
mod updates;
mod worlds;
