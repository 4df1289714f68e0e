//! The scenes of the rigid-body example, smaller: contacts carry a solver.
#![allow(clippy::unwrap_used, reason = "test code")]

#[path = "../examples/rigid_bodies/scenes.rs"]
mod scenes;
#[path = "../examples/rigid_bodies/solver.rs"]
mod solver;

use solver::SLOP;

#[test]
fn a_stack_of_ten_stands_still() {
    let figures = scenes::stack(10, 20.0).unwrap();
    assert!(figures.drift < 2.0 * SLOP * 10.0 && figures.depth <= SLOP, "{figures:?}");
    assert!(figures.seconds > 19.0 && figures.fastest < 0.005, "{figures:?}");
}

#[test]
fn a_pyramid_stands() {
    let figures = scenes::pyramid(8, 10.0).unwrap();
    assert_eq!(figures.bodies, 36);
    assert!(figures.drift < 0.1 && figures.depth <= SLOP, "{figures:?}");
    assert!(figures.fastest < 0.01, "{figures:?}");
}

#[test]
fn mixed_bodies_come_to_rest_in_a_container() {
    for count in [150, 400] {
        let figures = scenes::container(count, 8.0).unwrap();
        assert_eq!(figures.lost, 0);
        assert!(figures.drift > 0.3, "they fell: {figures:?}");
        // No contact of the last second is deeper than the slop, and nothing rocks.
        assert!(figures.depth <= SLOP && figures.speed < 0.02, "{figures:?}");
    }
}

#[test]
fn a_fast_ball_does_not_tunnel() {
    for speed in [20.0, 300.0, 4000.0] {
        let farthest = scenes::bullet(speed).unwrap();
        // The ball's radius and half of the wall, less the slop.
        assert!((-0.1..-0.04 + SLOP).contains(&farthest), "{speed} m/s: {farthest}");
    }
}
