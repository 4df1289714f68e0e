//! First touch of a moving box with another.

use std::cmp::Ordering;

use impinge_shapes::Cuboid;
use impinge_shapes::exact::Exact;
use impinge_shapes::glam::{DVec3, Vec3};

use super::axes::{Best, Boxes, COUNT, EDGES, edges};
use super::closest::deepest_corner;
use super::contact;
use super::exact::{ExactBoxes, Passage};
use super::overlap::{Alignment, alignment};
use crate::{Impact, Relative, tolerance};

/// First touch of B, which moves by `motion`, with A, which rests.
///
/// - Frame: `motion` is in the world's axes; the answer is in A's frame.
/// - Ties: of axes that are met at the same time A's faces, B's faces, edges.
/// - Degenerate: boxes that touch at the start hit at 0 if the motion leads into penetration, and
///   not at all otherwise.
/// - Error: hit or miss is exact. The fraction is within 2^-40 of the pair's size over the speed
///   along the normal, wherever f64 decides, and within 2^-52 elsewhere.
/// - Source: a ray against the fifteen slabs of the boxes' Minkowski difference (Kay & Kajiya,
///   *Ray tracing complex scenes*, 1986, on slabs).
#[must_use]
pub fn sweep(a: &Cuboid, b: &Cuboid, b_in_a: &Relative, motion: Vec3) -> Option<Impact> {
    let boxes = Boxes::new(a, b, b_in_a);
    let along = b_in_a.vector_from_world(motion.as_dvec3());
    let (index, fraction) = match passages(&boxes, along) {
        Decision::Miss => return None,
        Decision::Hit { index, fraction } => (index, fraction),
        Decision::Uncertain => settle(a, b, b_in_a, motion)?,
    };
    Some(impact(&boxes.moved(along * fraction), index, along, fraction))
}

/// What f64 can tell.
enum Decision {
    Miss,
    Hit { index: usize, fraction: f64 },
    Uncertain,
}

/// The fractions during which the projections overlap, axis by axis, each with its error.
fn passages(boxes: &Boxes, motion: DVec3) -> Decision {
    let motion = motion.to_array();
    let travel = motion[0].abs() + motion[1].abs() + motion[2].abs();
    let size = boxes.size() + travel;
    let speed_error = tolerance::AXIS_ERROR * travel;
    let nearly_zero = |k: usize| {
        let (i, j) = edges(k);
        boxes.edge_length_squared(i, j) <= tolerance::PARALLEL_SQUARED
    };
    // An edge axis that is nearly zero cannot part boxes whose faces overlap by the slack, so it
    // only shifts the times by what the slack takes.
    let slack =
        if (EDGES..COUNT).any(nearly_zero) { tolerance::PARALLEL_SLACK * size } else { 0.0 };
    let (mut entry, mut surely_entered) = (0.0_f64, 0.0_f64);
    let (mut surely_left, mut exit) = (1.0_f64, 1.0_f64);
    let (mut index, mut fraction) = (COUNT, f64::NEG_INFINITY);
    let mut uncertain = false;
    for k in (0..COUNT).filter(|&k| k < EDGES || !nearly_zero(k)) {
        let reach = boxes.reach(k);
        let (centre, speed) = (boxes.project(k, &boxes.t), boxes.project(k, &motion));
        let error = tolerance::AXIS_ERROR * size + if k < EDGES { slack } else { 0.0 };
        if speed.abs() <= 2.0 * speed_error {
            let drift = speed.abs() + speed_error + error;
            if centre.abs() > reach + drift {
                return Decision::Miss;
            }
            uncertain |= centre.abs() >= reach - drift;
            continue;
        }
        let centre = if speed < 0.0 { -centre } else { centre };
        let (fast, slow) = (speed.abs() + speed_error, speed.abs() - speed_error);
        let (to_entry, to_exit) = (-reach - centre, reach - centre);
        let below = |x: f64| if x < 0.0 { x / slow } else { x / fast };
        let above = |x: f64| if x < 0.0 { x / fast } else { x / slow };
        let (earliest, latest) = (below(to_entry - error), above(to_entry + error));
        // The first axis keeps the hit unless a later one is surely met later.
        if index == COUNT || earliest > fraction {
            (index, fraction) = (k, to_entry / speed.abs());
        }
        entry = entry.max(earliest);
        surely_entered = surely_entered.max(latest);
        surely_left = surely_left.min(below(to_exit - error));
        exit = exit.min(above(to_exit + error));
    }
    if entry > exit {
        Decision::Miss
    } else if entry > 0.0 && surely_entered <= surely_left && !uncertain {
        Decision::Hit { index, fraction }
    } else {
        Decision::Uncertain
    }
}

/// The same without rounding: the axis that is met last, and when.
#[cold]
fn settle(a: &Cuboid, b: &Cuboid, b_in_a: &Relative, motion: Vec3) -> Option<(usize, f64)> {
    let exact = ExactBoxes::new(a, b, b_in_a);
    let count = if alignment(b_in_a) == Alignment::General { COUNT } else { 3 };
    let passages: Vec<Passage> = (0..count).map(|k| exact.passage(k, motion)).collect();
    if passages.iter().all(|passage| !passage.apart) {
        let mut touching = (0..count).filter(|&k| passages[k].touches).peekable();
        let index = touching.peek().copied().unwrap_or(0);
        return touching.all(|k| passages[k].inward).then_some((index, 0.0));
    }
    let moving = |k: &usize| passages[*k].speed.sign() == Ordering::Greater;
    if (0..count).any(|k| passages[k].apart && !moving(&k)) {
        return None;
    }
    let last = (0..count).filter(moving).reduce(|best, k| {
        let later =
            compare(&passages[k].entry, &passages[k], &passages[best].entry, &passages[best]);
        if later == Ordering::Greater { k } else { best }
    })?;
    let entry = &passages[last];
    let in_time =
        |exit: &Passage| compare(&entry.entry, entry, &exit.exit, exit) != Ordering::Greater;
    let hit =
        entry.entry <= entry.speed && (0..count).filter(moving).all(|k| in_time(&passages[k]));
    hit.then(|| (last, entry.entry.ratio(&entry.speed).min(1.0)))
}

/// Compares two fractions, each over its passage's speed.
fn compare(x: &Exact, over_x: &Passage, y: &Exact, over_y: &Passage) -> Ordering {
    (x.clone() * over_y.speed.clone()).cmp(&(y.clone() * over_x.speed.clone()))
}

/// Normal and point of the touch of boxes that have met along axis `index`.
fn impact(boxes: &Boxes, index: usize, motion: DVec3, fraction: f64) -> Impact {
    let normal = boxes.unit_axis(index);
    // B still moves against the normal at the touch, whatever rounding says of its centre.
    let normal = if normal.dot(motion) > 0.0 { -normal } else { normal };
    let best = Best { index, separation: 0.0, normal };
    let touch = contact::witness(boxes, &best, f64::INFINITY)
        .unwrap_or_else(|| deepest_corner(boxes, &best));
    Impact { fraction, normal, point: (touch.point_a + touch.point_b) * 0.5 }
}
