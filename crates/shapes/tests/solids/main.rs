//! Triangles, cylinders, cones, and the crossings of every shape against other formulas in exact arithmetic, on numbers made to touch.

#![expect(clippy::unwrap_used, reason = "a value that cannot be made is a failed test")]

#[path = "../common/mod.rs"]
mod common;
mod crossings;
mod draw;
mod margins;
mod span;
mod triangle;
mod turned;
