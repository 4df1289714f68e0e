//! A sphere that moves toward a box.

use fearless_simd::{Simd, prelude::*};

use super::{Axis, Errors, Found, Rows, Window, along, found, splat, three, turned};
use crate::sixteen::{sum, within};
use crate::tolerance;

/// The bounds from the box grown by the radius, and from planes beside its edges and corners.
///
/// - Error: a coordinate in the box's frame is off by less than a third of
///   [`tolerance::AXIS_ERROR_F32`] of the size, and the displacement by as much of itself.
#[inline(always)]
pub(super) fn bounds<S: Simd>(simd: S, rows: &Rows) -> Found {
    let (zero, endless) = (splat(simd, 0.0), splat(simd, f32::INFINITY));
    let (arm, way) = (three(simd, &rows.arm), three(simd, &rows.displacement));
    let half = three(simd, &rows.target);
    let [radius, ..] = three(simd, &rows.mover);
    let (axes, n) = turned(simd, &rows.target_turn);
    let (size, travel) = (sum(&arm) + sum(&half) + radius, sum(&way));
    let share = splat(simd, tolerance::AXIS_ERROR_F32);
    let errors = Errors { place: size * share, speed: travel * share };
    let (centre, speed) = (along(&axes, &arm), along(&axes, &way));
    // The grown box, and the box itself, on each axis.
    let open = Window::open(simd);
    let (mut grown, mut own) = ([open; 3], [open; 3]);
    for k in 0..3 {
        let (centre, speed, reach) = (centre[k], speed[k], half[k]);
        grown[k] = Window::of(simd, &Axis { centre, speed, reach: reach + radius }, &errors);
        own[k] = Window::of(simd, &Axis { centre, speed, reach }, &errors);
    }
    let ([x, y, z], [u, v, w]) = (grown, own);
    let mut earliest = x.and(&y).and(&z).not_entered_before(simd);
    // The rounded box holds the box grown along any one axis.
    let latest = x.and(&v).and(&w).surely_entered(simd);
    let latest = latest.min(u.and(&y).and(&w).surely_entered(simd));
    let mut latest = latest.min(u.and(&v).and(&z).surely_entered(simd));
    // Wherever the centre is on its way, the plane across any direction that the box lies behind
    // holds the sphere back until it is met.
    let error = errors.place + errors.speed;
    let least = splat(simd, 1.0 - tolerance::FRACTION_F32);
    for plane in 0..tolerance::SWEEP_PLANES {
        // At a miss any place will do.
        let time = earliest.min(splat(simd, 1.0));
        let (mut square, mut total, mut rate) = (zero, zero, zero);
        for axis in 0..3 {
            let at = centre[axis] + speed[axis] * time;
            let over = (at.abs() - half[axis]).max(zero);
            let toward = at.simd_lt(zero).select(speed[axis], -speed[axis]);
            square += over * over;
            total += over;
            rate += over * toward;
        }
        let length = square.sqrt();
        let gap = square - length * radius - total * error;
        if plane == 0 {
            let inside = radius - error - error;
            let starts = earliest.simd_le(zero) & inside.simd_gt(zero) & length.simd_lt(inside);
            latest = starts.select(zero, latest);
        }
        let rate = (rate + total * errors.speed).max(zero);
        let later = (time + gap / rate) * least;
        let held = gap.simd_gt(zero);
        earliest = held.select(later.max(earliest), earliest);
        earliest = earliest.simd_le(splat(simd, 1.0)).select(earliest, endless);
    }
    // Squares must not underflow either.
    let sound = within(simd, size * size) & within(simd, travel * travel) & within(simd, n);
    let sound = sound & travel.simd_le(size * splat(simd, tolerance::LONGEST_WAY_F32));
    found(simd, (earliest, latest), sound)
}
