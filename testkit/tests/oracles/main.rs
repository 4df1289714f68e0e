//! Answers beside exact oracles, bounds that are certain, definitions and each other: all tests that
//! need no program of their own, as to compile and link one takes seconds.

mod balls;
mod convex_distance;
mod convex_exact;
mod convex_sweeps;
mod degenerate;
mod exchange;
mod flat;
mod hulls;
mod manifolds;
mod never_miss;
mod pairs_exact;
mod peers;
mod planes;
mod properties;
mod rays;
mod real_meshes;
mod regressions;
mod scaling;
mod sweep_bounds;
mod swept;
mod time_of_impact;
