//! Triangles, cylinders and cones against other formulas in exact arithmetic, on numbers made to touch.

#![expect(clippy::unwrap_used, reason = "a value that cannot be made is a failed test")]

mod draw;
mod span;
mod triangle;
mod turned;
