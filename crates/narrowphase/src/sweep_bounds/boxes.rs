//! A box that moves toward a box.

use fearless_simd::{Simd, prelude::*};

use super::{Axis, Errors, Found, Rows, Window, along, row, splat, three, turned};
use crate::sixteen::{dot, sum, within};
use crate::tolerance;

/// The bounds from the fifteen axes.
///
/// - Error: a number of an axis is off by [`tolerance::AXIS_ERROR_F32`] of the size, or of the
///   displacement for the speed, whose derivation is that of the distance between the centres.
///   What [`sweep`](crate::sweep) tells is off by less than what that leaves free, but for edges
///   that are nearly parallel, which say nothing here.
#[allow(clippy::needless_range_loop, reason = "the indices are those of the formulas")]
#[inline(always)]
pub(super) fn bounds<S: Simd>(simd: S, rows: &Rows) -> Found {
    let zero = splat(simd, 0.0);
    let (arm, way) = (three(simd, &rows.arm), three(simd, &rows.displacement));
    let (a, b) = (three(simd, &rows.target), three(simd, &rows.mover));
    let (turn_a, n_a) = turned(simd, &rows.target_turn);
    let (turn_b, n_b) = turned(simd, &rows.mover_turn);
    let (size, travel) = (sum(&arm) + sum(&a) + sum(&b), sum(&way));
    let share = splat(simd, tolerance::AXIS_ERROR_F32);
    let errors = Errors { place: size * share, speed: travel * share };
    let (t, s) = (along(&turn_a, &arm), along(&turn_a, &way));
    // Component `i` of B's axis `j`, in A's frame, is `r[j][i]`.
    let (mut r, mut r_abs) = ([[zero; 3]; 3], [[zero; 3]; 3]);
    for j in 0..3 {
        for i in 0..3 {
            r[j][i] = dot(&turn_a[i], &turn_b[j]);
            r_abs[j][i] = r[j][i].abs();
        }
    }
    let mut window = Window::open(simd);
    for k in 0..3 {
        let from_b = b[0] * r_abs[0][k] + b[1] * r_abs[1][k] + b[2] * r_abs[2][k];
        let on_a = Axis { centre: t[k], speed: s[k], reach: a[k] + from_b };
        window = window.and(&Window::of(simd, &on_a, &errors));
        let (centre, speed) = (dot(&turn_b[k], &arm), dot(&turn_b[k], &way));
        let on_b = Axis { centre, speed, reach: b[k] + dot(&a, &r_abs[k]) };
        window = window.and(&Window::of(simd, &on_b, &errors));
    }
    // Boxes that are not turned have edges along their faces' axes or none.
    let [x, y, z, _] = &rows.target_turn;
    let [u, v, w, _] = &rows.mover_turn;
    let turned_a = sum(&[row(simd, x), row(simd, y), row(simd, z)]);
    let turned_b = sum(&[row(simd, u), row(simd, v), row(simd, w)]);
    let same = (turned_a + turned_b).simd_le(zero);
    let faces = window;
    let mut short = zero.simd_lt(zero);
    let least_sine = tolerance::SHORT_SINE_F32;
    let least_square = splat(simd, least_sine * least_sine);
    for i in 0..3 {
        let (m, n) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (k, l) = ((j + 1) % 3, (j + 2) % 3);
            let reach = (a[m] * r_abs[j][n] + a[n] * r_abs[j][m])
                + (b[k] * r_abs[l][i] + b[l] * r_abs[k][i]);
            let centre = t[n] * r[j][m] - t[m] * r[j][n];
            let axis = Axis { centre, speed: s[n] * r[j][m] - s[m] * r[j][n], reach };
            let here = Window::of(simd, &axis, &errors);
            let is_short = (r[j][m] * r[j][m] + r[j][n] * r[j][n]).simd_le(least_square);
            short |= is_short;
            // A short axis says nothing.
            let known = Window {
                entry: (is_short.select(zero, here.entry.0), here.entry.1),
                exit: (here.exit.0, is_short.select(faces.exit.1, here.exit.1)),
            };
            window = window.and(&known);
        }
    }
    let endless = splat(simd, f32::INFINITY);
    let general = short.select(endless, window.surely_entered(simd));
    let latest = same.select(faces.surely_entered(simd), general);
    let earliest = same.select(faces.not_entered_before(simd), window.not_entered_before(simd));
    let sound = within(simd, size) & within(simd, travel) & within(simd, n_a) & within(simd, n_b);
    let sound = sound & travel.simd_le(size * splat(simd, tolerance::LONGEST_WAY_F32));
    super::found(simd, (earliest, latest), sound)
}
