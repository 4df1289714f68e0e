//! What f32 knows about the fifteen axes of sixteen pairs of boxes.
//!
//! Each number comes with a bound on its error; what the bound leaves open is for f64. So nothing
//! here decides an answer, it only decides how much of it is left to do.

use fearless_simd::{Simd, f32x16, mask32x16, prelude::*};

use super::gather::Sixteen;
use crate::sixteen::{Lane, Three, WIDE, dot, sum, turn, within};
use crate::tolerance;

/// Which relations are known, as bits of lanes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// The boxes are surely apart.
    pub(super) apart: u64,
    /// They surely penetrate.
    pub(super) deep: u64,
}

/// What is known about the axes, as bits of lanes where nothing else is said.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axes {
    /// The boxes are surely apart.
    pub(super) apart: u64,
    /// They surely penetrate.
    pub(super) deep: u64,
    /// They are apart by surely more than the block's margin.
    pub(super) beyond: u64,
    /// Only face axes may be the best, and no edge axis is a short one.
    pub(super) plain: u64,
    /// Some edges are so nearly parallel that their axis may be a short one.
    slanted: u64,
    /// The axes that may be the best, a bit each, as the sum of those bits.
    candidates: [f32; WIDE],
}

impl Axes {
    pub(super) const NOTHING: Self =
        Self { apart: 0, deep: 0, beyond: 0, plain: 0, slanted: 0, candidates: [0.0; WIDE] };

    /// The axes of a lane that may be the best, a bit each, and whether some edges of it are so
    /// nearly parallel that their axis may be a short one.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole numbers below 2^15"
    )]
    #[inline(always)]
    pub(super) fn candidates(&self, lane: usize) -> (u64, bool) {
        (self.candidates[lane % WIDE] as u64, self.slanted >> lane & 1 == 1)
    }
}

/// Overlaps on the axes.
struct Overlaps<S: Simd> {
    faces: [Lane<S>; 6],
    /// Times the axes' lengths.
    edges: [[Lane<S>; 3]; 3],
    /// Component `i` of B's axis `j`, in A's frame, is `r[j][i]`.
    r: [Three<S>; 3],
    size: Lane<S>,
    /// Bound on the error of an overlap.
    error: Lane<S>,
    /// Where the bound holds.
    sound: mask32x16<S>,
}

/// What is known about the relations.
#[inline(always)]
pub(super) fn relation_in_lanes<S: Simd>(simd: S, pairs: &Sixteen<S>) -> Known {
    let (apart, deep) = Overlaps::new(simd, pairs).relation(simd);
    Known { apart: apart.to_bitmask(), deep: deep.to_bitmask() }
}

/// What is known about the axes, of which an edge must beat the best face by the share `preference`
/// of its depth.
///
/// An axis is left out only where another one is better by more than twice the error, which is far
/// more than any tie in f64; so the choice among those that are left is the choice among all.
#[inline(always)]
pub(super) fn axes_in_lanes<S: Simd>(
    simd: S,
    pairs: &Sixteen<S>,
    preference: f64,
    margin: f64,
) -> Axes {
    let overlaps = Overlaps::new(simd, pairs);
    let (apart, deep) = overlaps.relation(simd);
    let mut axes = Axes { apart: apart.to_bitmask(), deep: deep.to_bitmask(), ..Axes::NOTHING };
    if !(apart | deep).any_true() {
        return axes;
    }
    let zero = f32x16::splat(simd, 0.0);
    let (error, mut nearest) = (overlaps.error, overlaps.faces[0]);
    for &face in &overlaps.faces[1..] {
        nearest = least(face, nearest);
    }
    let margin = f32x16::splat(simd, impinge_shapes::round::up(margin));
    axes.beyond = (apart & (-nearest - error * 2.0).simd_gt(margin)).to_bitmask();
    let (mut sum, mut bit) = (zero, 1.0);
    let limit = nearest + error * 4.0;
    for &face in &overlaps.faces {
        sum += face.simd_le(limit).select(f32x16::splat(simd, bit), zero);
        bit *= 2.0;
    }
    // The least that an edge's separation must exceed.
    let most = -nearest - error;
    let threshold = most + most.abs() * impinge_shapes::round::down(preference);
    let slack = error + threshold.abs() * tolerance::SINE_ERROR_F32;
    let sines = f32x16::splat(simd, tolerance::SHORT_SINE_F32);
    let mut slanted = zero.simd_lt(zero);
    for (i, row) in overlaps.edges.iter().enumerate() {
        for (j, &overlap) in row.iter().enumerate() {
            let sine = overlaps.sine(i, j);
            slanted |= sine.simd_le(sines);
            let may_win = (slack - overlap).simd_ge(threshold * sine);
            sum += may_win.select(f32x16::splat(simd, bit), zero);
            bit *= 2.0;
        }
    }
    axes.slanted = slanted.to_bitmask();
    axes.plain = (!slanted & sum.simd_lt(f32x16::splat(simd, 64.0))).to_bitmask();
    sum.store_slice(&mut axes.candidates);
    axes
}

impl<S: Simd> Overlaps<S> {
    /// - Error: see [`tolerance::AXIS_ERROR_F32`].
    #[allow(clippy::needless_range_loop, reason = "the indices are those of the formulas")]
    #[inline(always)]
    fn new(simd: S, pairs: &Sixteen<S>) -> Self {
        let Sixteen { a, b } = pairs;
        let (at_a, at_b) = (a.position, b.position);
        let ((turn_a, n_a), (turn_b, n_b)) = (turn(simd, &a.rotation), turn(simd, &b.rotation));
        let (a, b) = (a.half, b.half);
        let arm = [at_b[0] - at_a[0], at_b[1] - at_a[1], at_b[2] - at_a[2]];
        let t = [dot(&turn_a[0], &arm), dot(&turn_a[1], &arm), dot(&turn_a[2], &arm)];
        let size = sum(&arm) + (a[0] + a[1] + a[2]) + (b[0] + b[1] + b[2]);
        let zero = f32x16::splat(simd, 0.0);
        let (mut r, mut r_abs) = ([[zero; 3]; 3], [[zero; 3]; 3]);
        for j in 0..3 {
            for i in 0..3 {
                r[j][i] = dot(&turn_a[i], &turn_b[j]);
                r_abs[j][i] = r[j][i].abs();
            }
        }
        let mut faces = [zero; 6];
        for k in 0..3 {
            let from_b = b[0] * r_abs[0][k] + b[1] * r_abs[1][k] + b[2] * r_abs[2][k];
            faces[k] = a[k] + from_b - t[k].abs();
            let along = dot(&turn_b[k], &arm);
            faces[3 + k] = b[k] + dot(&a, &r_abs[k]) - along.abs();
        }
        let mut edges = [[zero; 3]; 3];
        for i in 0..3 {
            let (m, n) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let (k, l) = ((j + 1) % 3, (j + 2) % 3);
                let reach = (a[m] * r_abs[j][n] + a[n] * r_abs[j][m])
                    + (b[k] * r_abs[l][i] + b[l] * r_abs[k][i]);
                edges[i][j] = reach - (t[n] * r[j][m] - t[m] * r[j][n]).abs();
            }
        }
        let sound = within(simd, size) & within(simd, n_a) & within(simd, n_b);
        Self { faces, edges, r, size, error: size * tolerance::AXIS_ERROR_F32, sound }
    }

    /// Sine of the angle between edge `i` of A and edge `j` of B.
    ///
    /// - Error: [`tolerance::SINE_ERROR_F32`].
    #[inline(always)]
    fn sine(&self, i: usize, j: usize) -> Lane<S> {
        let (m, n) = ((i + 1) % 3, (i + 2) % 3);
        let r = &self.r[j];
        (r[m] * r[m] + r[n] * r[n]).sqrt()
    }

    /// Where the boxes are surely apart, and where they surely penetrate.
    ///
    /// Edges that are so nearly parallel that their axis shows nothing are left out where the faces
    /// overlap by more than the angle times the size: see [`tolerance::PARALLEL_SLACK`].
    #[inline(always)]
    fn relation(&self, simd: S) -> (mask32x16<S>, mask32x16<S>) {
        let mut face = self.faces[0];
        for &overlap in &self.faces[1..] {
            face = least(overlap, face);
        }
        let mut edge = self.edges[0][0];
        for &overlap in &self.edges.as_flattened()[1..] {
            edge = least(overlap, edge);
        }
        let error = self.error;
        let apart = least(face, edge).simd_lt(-error) & self.sound;
        let faces = face.simd_gt(error) & self.sound & !apart;
        let mut deep = faces & edge.simd_gt(error);
        if (faces & !deep).any_true() {
            deep = faces;
            for (i, row) in self.edges.iter().enumerate() {
                for (j, &overlap) in row.iter().enumerate() {
                    // Twice the sine is no less than the angle.
                    let sine = self.sine(i, j) + f32x16::splat(simd, tolerance::SINE_ERROR_F32);
                    let covered = (face - error).simd_gt((sine + sine) * self.size);
                    deep &= overlap.simd_gt(error) | covered;
                }
            }
        }
        (apart, deep)
    }
}

/// The smaller one of two numbers.
#[inline(always)]
fn least<S: Simd>(a: Lane<S>, b: Lane<S>) -> Lane<S> {
    a.simd_lt(b).select(a, b)
}
