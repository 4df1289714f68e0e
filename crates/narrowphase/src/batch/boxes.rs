//! Two boxes: whether they overlap in sixteen f32 lanes, where in eight of f64.

use fearless_simd::{Simd, f32x16, f64x8, mask32x16, prelude::*};
use impinge_shapes::Cuboid;
use impinge_shapes::simd::{Bits, SimdLevel};

use super::gather::{Block, Rows, WIDTH};
use super::lanes::lanes;
use super::source::{self, Item, Slot, Source};
use crate::pairs::cuboid_cuboid::lanes::{ROWS, Settled, prepare};
use crate::witness::Room;
use crate::{Closest, Relation, tolerance};

/// Pairs in a block of f32 lanes.
const WIDE: usize = 16;

/// Whether the pairs overlap, each answer at its place of `out`.
pub(super) fn overlaps<'a, K: Room<A = Cuboid, B = Cuboid>>(
    source: &(impl Source<'a, K> + ?Sized),
    level: SimdLevel,
    out: &mut [bool],
) {
    let mut block = Block::<WIDE>::EMPTY;
    for first in (0..source.count()).step_by(WIDE) {
        block.gather(source, first);
        let (apart, deep) = lanes!(level, simd => axes_in_lanes(simd, &block)).unwrap_or_default();
        for lane in Bits(block.used) {
            let known = (apart | deep) >> lane & 1 == 1;
            let Some(slot) = out.get_mut(source.place(first + lane)) else { continue };
            *slot =
                if known { deep >> lane & 1 == 1 } else { source::overlaps(source, first + lane) };
        }
    }
}

/// Closest points of the pairs, each answer at its place of `out`.
pub(super) fn closest<'a, K: Room<A = Cuboid, B = Cuboid>>(
    source: &(impl Source<'a, K> + ?Sized),
    max_distance: f32,
    level: SimdLevel,
    out: &mut [Option<Closest>],
) {
    let mut block = Block::<WIDTH>::EMPTY;
    block.margin = max_distance.into();
    let (all, touching) = (max_distance > 0.0, max_distance >= 0.0);
    for first in (0..source.count()).step_by(WIDTH) {
        block.gather(source, first);
        let found = prepared(level, &block, 0.0, all);
        let known = found.known(all);
        // The gap along an axis is a lower bound of the distance.
        let beyond = if all {
            found.beyond & !found.short
        } else if touching {
            found.sizable
        } else {
            u64::MAX
        };
        for lane in Bits(block.used & !(found.apart & beyond)) {
            let Some(slot) = out.get_mut(source.place(first + lane)) else { continue };
            let Some(item) = source.item(first + lane) else { continue };
            *slot = if known >> lane & 1 == 1 {
                let answer = found.settled(lane, &item).closest();
                (answer.distance <= max_distance).then_some(answer)
            } else {
                source::closest(source, first + lane, max_distance)
            };
        }
    }
}

/// Manifolds of the pairs, each at its place of `out`; `margin` is not negative.
pub(super) fn manifolds<'a, K: Room<A = Cuboid, B = Cuboid>>(
    source: &(impl Source<'a, K> + ?Sized),
    margin: f32,
    level: SimdLevel,
    out: &mut [impl Slot],
) {
    let mut block = Block::<WIDTH>::EMPTY;
    block.margin = f64::from(margin);
    for first in (0..source.count()).step_by(WIDTH) {
        block.gather(source, first);
        let all = margin > 0.0;
        let found = prepared(level, &block, tolerance::FACE_PREFERENCE, all);
        let known = found.known(all);
        let none = if all { found.above & !found.short } else { u64::MAX };
        for lane in Bits(block.used & !(found.apart & none)) {
            let Some(slot) = out.get_mut(source.place(first + lane)) else { continue };
            let Some(item) = source.item(first + lane) else { continue };
            slot.fill(if known >> lane & 1 == 1 {
                found.settled(lane, &item).manifold(margin.into())
            } else {
                source::manifold(source, first + lane, margin)
            });
        }
    }
}

/// What the lanes found about a block: numbers, a row each, and bits of lanes.
struct Found {
    rows: [[f64; WIDTH]; ROWS],
    apart: u64,
    deep: u64,
    short: u64,
    /// The separation along the best axis is above the block's margin.
    above: u64,
    /// It is so by more than any error of a distance.
    beyond: u64,
    /// The boxes are so large that no gap between them is rounded to 0.
    sizable: u64,
}

fn prepared(level: SimdLevel, block: &Block<WIDTH>, preference: f64, all: bool) -> Found {
    let found = lanes!(level, simd => prepared_in_lanes(simd, block, preference, all));
    found.unwrap_or(Found::UNKNOWN)
}

#[inline(always)]
fn prepared_in_lanes<S: Simd>(simd: S, block: &Block<WIDTH>, preference: f64, all: bool) -> Found {
    let (a, b) = block.load(simd);
    let found = prepare(&a, &b, preference, all);
    let mut rows = [[0.0; WIDTH]; ROWS];
    for (row, numbers) in rows.iter_mut().zip(found.rows) {
        numbers.store_slice(row);
    }
    let margin = f64x8::splat(simd, block.margin);
    let slack = found.size * tolerance::UNPROVEN;
    let sizable = found.size.simd_gt(f64x8::splat(simd, tolerance::LEAST_F32.into()));
    Found {
        rows,
        apart: found.apart.to_bitmask(),
        deep: found.deep.to_bitmask(),
        short: found.short.to_bitmask(),
        above: found.separation.simd_gt(margin).to_bitmask(),
        beyond: (found.separation - slack).simd_gt(margin).to_bitmask(),
        sizable: sizable.to_bitmask(),
    }
}

impl Found {
    /// Every pair is left to its room.
    const UNKNOWN: Self = Self {
        rows: [[0.0; WIDTH]; ROWS],
        apart: 0,
        deep: 0,
        short: 0,
        above: 0,
        beyond: 0,
        sizable: 0,
    };

    /// Lanes whose relation and axis are known; of those that are apart if `all` were prepared.
    fn known(&self, all: bool) -> u64 {
        (self.deep | if all { self.apart } else { 0 }) & !self.short
    }

    /// The pair of a lane that is known.
    fn settled<K: Room<A = Cuboid, B = Cuboid>>(&self, lane: usize, item: &Item<'_, K>) -> Settled {
        let mut rows = [0.0; ROWS];
        for (number, row) in rows.iter_mut().zip(&self.rows) {
            *number = row[lane % WIDTH];
        }
        let apart = self.apart >> lane & 1 == 1;
        let relation = if apart { Relation::Apart } else { Relation::Penetrating };
        Settled::new(item.pair.a, item.pair.pose_a, item.pair.b, relation, &rows)
    }
}

type Lane<S> = f32x16<S>;

/// Three numbers of sixteen pairs.
type Three<S> = [Lane<S>; 3];

#[inline(always)]
fn load<S: Simd>(simd: S, rows: &[[f32; WIDE]; 3]) -> Three<S> {
    let [x, y, z] = rows;
    [
        f32x16::load_array_ref(simd, x),
        f32x16::load_array_ref(simd, y),
        f32x16::load_array_ref(simd, z),
    ]
}

#[inline(always)]
fn dot<S: Simd>(a: &Three<S>, b: &Three<S>) -> Lane<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn sum<S: Simd>(a: &Three<S>) -> Lane<S> {
    a[0].abs() + a[1].abs() + a[2].abs()
}

/// Rotation matrices by their columns, and the quaternions' squared lengths.
#[inline(always)]
fn turn<S: Simd>(simd: S, rows: &Rows<WIDE>) -> ([Three<S>; 3], Lane<S>) {
    let [x, y, z, w] = &rows.rotation;
    let (x, y) = (f32x16::load_array_ref(simd, x), f32x16::load_array_ref(simd, y));
    let (z, w) = (f32x16::load_array_ref(simd, z), f32x16::load_array_ref(simd, w));
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    let (xy, xz, yz) = (x * y, x * z, y * z);
    let (wx, wy, wz) = (w * x, w * y, w * z);
    let n = (xx + yy) + (zz + ww);
    let share = f32x16::splat(simd, 1.0) / n;
    let twice = share + share;
    let columns = [
        [((ww + xx) - (yy + zz)) * share, (xy + wz) * twice, (xz - wy) * twice],
        [(xy - wz) * twice, ((ww + yy) - (xx + zz)) * share, (yz + wx) * twice],
        [(xz + wy) * twice, (yz - wx) * twice, ((ww + zz) - (xx + yy)) * share],
    ];
    (columns, n)
}

/// Lanes whose boxes are surely apart, and those whose boxes surely penetrate.
///
/// - Error: see [`tolerance::AXIS_ERROR_F32`]. Edges that are so nearly parallel that their axis
///   shows nothing are left out where the faces overlap by more than the angle times the size: see
///   [`tolerance::PARALLEL_SLACK`].
#[allow(clippy::needless_range_loop, reason = "the indices are those of the formulas")]
#[inline(always)]
fn axes_in_lanes<S: Simd>(simd: S, block: &Block<WIDE>) -> (u64, u64) {
    let (at_a, at_b) = (load(simd, &block.a.position), load(simd, &block.b.position));
    let [ax, ay, az, ..] = block.a.numbers;
    let [bx, by, bz, ..] = block.b.numbers;
    let (a, b) = (load(simd, &[ax, ay, az]), load(simd, &[bx, by, bz]));
    let ((turn_a, n_a), (turn_b, n_b)) = (turn(simd, &block.a), turn(simd, &block.b));
    let arm = [at_b[0] - at_a[0], at_b[1] - at_a[1], at_b[2] - at_a[2]];
    let t = [dot(&turn_a[0], &arm), dot(&turn_a[1], &arm), dot(&turn_a[2], &arm)];
    let size = sum(&arm) + (a[0] + a[1] + a[2]) + (b[0] + b[1] + b[2]);
    let error = size * tolerance::AXIS_ERROR_F32;
    // Component `i` of B's axis `j` is `r[j][i]`.
    let zero = f32x16::splat(simd, 0.0);
    let (mut r, mut r_abs) = ([[zero; 3]; 3], [[zero; 3]; 3]);
    for j in 0..3 {
        for i in 0..3 {
            r[j][i] = dot(&turn_a[i], &turn_b[j]);
            r_abs[j][i] = r[j][i].abs();
        }
    }
    let mut face = f32x16::splat(simd, f32::INFINITY);
    for k in 0..3 {
        let from_b = b[0] * r_abs[0][k] + b[1] * r_abs[1][k] + b[2] * r_abs[2][k];
        face = least(face, a[k] + from_b - t[k].abs());
        let along = dot(&turn_b[k], &arm);
        face = least(face, b[k] + dot(&a, &r_abs[k]) - along.abs());
    }
    let (mut edge, mut least_edge) = ([[zero; 3]; 3], f32x16::splat(simd, f32::INFINITY));
    for i in 0..3 {
        let (m, n) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (k, l) = ((j + 1) % 3, (j + 2) % 3);
            let reach = (a[m] * r_abs[j][n] + a[n] * r_abs[j][m])
                + (b[k] * r_abs[l][i] + b[l] * r_abs[k][i]);
            edge[i][j] = reach - (t[n] * r[j][m] - t[m] * r[j][n]).abs();
            least_edge = least(least_edge, edge[i][j]);
        }
    }
    let sound = within(simd, size) & within(simd, n_a) & within(simd, n_b);
    let apart = least(face, least_edge).simd_lt(-error) & sound;
    let faces = face.simd_gt(error) & sound & !apart;
    let mut deep = faces & least_edge.simd_gt(error);
    if (faces & !deep).any_true() {
        deep = faces;
        for i in 0..3 {
            let (m, n) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let square = r[j][m] * r[j][m] + r[j][n] * r[j][n];
                // Twice the sine is no less than the angle.
                let sine = square.sqrt() + f32x16::splat(simd, tolerance::SINE_ERROR_F32);
                let covered = (face - error).simd_gt((sine + sine) * size);
                deep &= edge[i][j].simd_gt(error) | covered;
            }
        }
    }
    (apart.to_bitmask(), deep.to_bitmask())
}

/// The smaller one of two numbers.
#[inline(always)]
fn least<S: Simd>(a: Lane<S>, b: Lane<S>) -> Lane<S> {
    a.simd_lt(b).select(a, b)
}

/// Where neither overflow nor underflow can have touched what was made of the number.
#[inline(always)]
fn within<S: Simd>(simd: S, number: Lane<S>) -> mask32x16<S> {
    let low = f32x16::splat(simd, tolerance::LEAST_F32);
    let high = f32x16::splat(simd, 1.0 / tolerance::LEAST_F32);
    number.simd_ge(low) & number.simd_le(high)
}
