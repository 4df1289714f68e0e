//! The rooms of spheres, capsules, half-spaces and the box with a sphere, by their own rules:
//! exact relations, signs, witnesses, sweeps, scaling, and numbers from both ends of f32.

#![expect(clippy::unwrap_used, reason = "helpers of tests are tests, too")]

mod bad_numbers;
mod certificates;
mod consistency;
mod fractions;
mod known;
mod random;
mod rooms;
mod touching;
