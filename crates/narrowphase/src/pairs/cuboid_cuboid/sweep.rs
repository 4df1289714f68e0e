//! First touch of a moving box with another.

use std::array;
use std::cmp::Ordering;

use impinge_shapes::Cuboid;
use impinge_shapes::exact::Exact;
use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::simd::SimdLevel;

use super::axes::{Best, Boxes, COUNT, EDGES};
use super::closest::touch_outside;
use super::contact::{self, Contact};
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
///   along the normal, wherever f64 decides, and within 2^-52 elsewhere; beside nearly parallel
///   edges it may be early, never late, by up to 2^-23 of the size over that speed.
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

/// The fractions during which the projections overlap on all axes so far, each with its error.
struct Window {
    /// Not entered before, and surely entered at.
    entry: (f64, f64),
    /// Surely not left before, and left at.
    exit: (f64, f64),
    /// The axis that is entered last.
    index: usize,
    fraction: f64,
    /// How far projections may differ by rounding alone.
    tie: f64,
    /// Some axis along which B hardly moves might or might not part the boxes.
    uncertain: bool,
}

impl Window {
    /// Adds an axis on which B's centre is at `centre` and moves by `speed`; tells whether the
    /// window is still open.
    #[inline]
    fn add(
        &mut self,
        index: usize,
        (centre, speed, reach): (f64, f64, f64),
        error: f64,
        speed_error: f64,
    ) -> bool {
        if speed.abs() <= 2.0 * speed_error {
            let drift = speed.abs() + speed_error + error;
            self.uncertain |= centre.abs() >= reach - drift;
            return centre.abs() <= reach + drift;
        }
        let centre = if speed < 0.0 { -centre } else { centre };
        // The roundings of the quotients are far below the errors that they are widened by.
        let (fast, slow) = (1.0 / (speed.abs() + speed_error), 1.0 / (speed.abs() - speed_error));
        let (to_entry, to_exit) = (-reach - centre, reach - centre);
        let below = |x: f64| x * if x < 0.0 { slow } else { fast };
        let above = |x: f64| x * if x < 0.0 { fast } else { slow };
        let (earliest, latest) = (below(to_entry - error), above(to_entry + error));
        self.select(index, to_entry / speed.abs(), self.tie / speed.abs());
        self.entry = (self.entry.0.max(earliest), self.entry.1.max(latest));
        let (left, surely_left) = (below(to_exit - error), above(to_exit + error));
        self.exit = (self.exit.0.min(left), self.exit.1.min(surely_left));
        self.entry.0 <= self.exit.1
    }

    /// Makes `index` the axis of the touch if it is entered later than all before, by more than
    /// the rounding of faces and long edges.
    #[inline]
    fn select(&mut self, index: usize, fraction: f64, tie: f64) {
        if fraction > self.fraction + tie {
            (self.index, self.fraction) = (index, fraction);
        }
    }
}

/// The fraction at which B enters short edge axis `index`, from projections on the axis as a unit
/// vector: those on the axis itself lose the bits that its length has lost.
fn entry_of_short(boxes: &Boxes, index: usize, motion: DVec3) -> f64 {
    let normal = boxes.unit_axis(index);
    let speed = normal.dot(motion);
    let centre = normal.dot(boxes.centre());
    let centre = if speed < 0.0 { -centre } else { centre };
    (-boxes.reach_along(normal) - centre) / speed.abs()
}

/// The window of all axes in f64.
fn passages(boxes: &Boxes, motion: DVec3) -> Decision {
    let motion = motion.to_array();
    let travel = motion[0].abs() + motion[1].abs() + motion[2].abs();
    let size = boxes.size() + travel;
    let speed_error = tolerance::AXIS_ERROR * travel;
    let squares: [[f64; 3]; 3] =
        array::from_fn(|i| array::from_fn(|j| boxes.edge_length_squared(i, j)));
    let parallel = |square: f64| square <= tolerance::PARALLEL_SQUARED;
    // An edge axis that is nearly zero cannot part boxes whose faces overlap by the slack, so it
    // only shifts the times by what the slack takes.
    let slack = if squares.as_flattened().iter().any(|&square| parallel(square)) {
        tolerance::PARALLEL_SLACK * size
    } else {
        0.0
    };
    let error = tolerance::AXIS_ERROR * size;
    let mut window = Window {
        entry: (0.0, 0.0),
        exit: (1.0, 1.0),
        index: COUNT,
        fraction: f64::NEG_INFINITY,
        tie: tolerance::TIE * size,
        uncertain: false,
    };
    for (i, &speed) in motion.iter().enumerate() {
        let here = (boxes.t[i], speed, boxes.reach_on_a(i));
        if !window.add(i, here, error + slack, speed_error) {
            return Decision::Miss;
        }
    }
    for j in 0..3 {
        let project = |v: &[f64; 3]| boxes.project(3 + j, v);
        let here = (project(&boxes.t), project(&motion), boxes.reach_on_b(j));
        if !window.add(3 + j, here, error + slack, speed_error) {
            return Decision::Miss;
        }
    }
    for (i, squares) in squares.iter().enumerate() {
        for j in (0..3).filter(|&j| !parallel(squares[j])) {
            let project = |v: &[f64; 3]| boxes.project_on_edges(i, j, v);
            let here = (project(&boxes.t), project(&motion), boxes.reach_on_edges(i, j));
            let index = EDGES + 3 * i + j;
            let so_far = (window.index, window.fraction);
            if !window.add(index, here, error, speed_error) {
                return Decision::Miss;
            }
            if squares[j] <= tolerance::SHORT_SQUARED {
                (window.index, window.fraction) = so_far;
                let entry = entry_of_short(boxes, index, motion.into());
                // Only as far as the bounds go: beyond them it is rounding.
                if entry <= window.exit.1 {
                    window.select(index, entry, window.tie / travel);
                }
            }
        }
    }
    let Window { entry, exit, index, fraction, uncertain, .. } = window;
    let fraction = fraction.clamp(0.0, 1.0);
    if entry.0 > 0.0 && entry.1 <= exit.0 && !uncertain {
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
    // All entries lie behind: some axis that parts them now was left before the start.
    if entry.entry.sign() == Ordering::Less {
        return None;
    }
    let in_time =
        |exit: &Passage| compare(&entry.entry, entry, &exit.exit, exit) != Ordering::Greater;
    // Boxes that are apart now and were together before the start have left each other for good.
    let ahead = entry.entry.sign() == Ordering::Greater;
    let hit = ahead
        && entry.entry <= entry.speed
        && (0..count).filter(moving).all(|k| in_time(&passages[k]));
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
    let mut contact = Contact::none(SimdLevel::scalar());
    let touch = contact::witness(boxes, &best, f64::INFINITY, &mut contact)
        .unwrap_or_else(|| touch_outside(boxes, &best));
    Impact { fraction, normal, point: (touch.point_a + touch.point_b) * 0.5 }
}
