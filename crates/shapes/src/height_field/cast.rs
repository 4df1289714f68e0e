//! Rays over the grid, from cell to cell.

use super::HeightField;
use super::cells::Cells;
use crate::crossing::Limits;
use crate::triangles::Closest;
use crate::{Aabb, Pose, Ray, ShapeRayHit, tolerance};

/// The closest hit of a ray on the triangles.
///
/// A ray of few cells goes from one to the next, a long one down the pyramid; both offer all
/// triangles that it could meet, so that they answer alike.
pub(super) fn closest(
    field: &HeightField,
    pose: &Pose,
    ray: &Ray,
    limits: Limits,
) -> Option<ShapeRayHit> {
    let mut closest = Closest::new(pose, ray, limits);
    let way = Way::new(field, pose, ray, &closest)?;
    if way.last - way.first > tolerance::CELLS_IN_TURN {
        closest.offer_all(field, pose, ray);
    } else {
        way.walk(&field.cells, &mut closest);
    }
    closest.hit()
}

/// The first and the last row, and the first and the last column, of the cells that may touch
/// bounds in the frame of the field.
pub(super) fn cells_around(field: &HeightField, bounds: &Aabb) -> [(u32, u32); 2] {
    let [of_x, of_z] = field.density;
    let between = |low: f32, high: f32, density: f64, cells: usize| {
        let [low, high] =
            [low, high].map(|at| Along::new(at.into(), 0.0, tolerance::UNDERFLOW, density, cells));
        let (first, last) = low.between(low.start, high.start);
        // There are at most 2^31.
        (u32::try_from(first).unwrap_or(u32::MAX), u32::try_from(last).unwrap_or(u32::MAX))
    };
    let (min, max) = (bounds.min(), bounds.max());
    [
        between(min.z, max.z, of_z, field.cells.rows()),
        between(min.x, max.x, of_x, field.cells.columns()),
    ]
}

/// One of the two coordinates of a ray along the grid, in units of cells.
#[derive(Clone, Copy, Debug)]
struct Along {
    start: f64,
    speed: f64,
    /// Reciprocal of the speed, maybe infinite.
    per: f64,
    /// How far the ray and the samples may be from their places.
    slack: f64,
    cells: usize,
}

impl Along {
    #[inline(always)]
    fn new(at: f64, speed: f64, error: f64, density: f64, cells: usize) -> Self {
        // There are at most 2^31.
        let count = cells as f64;
        let speed = speed * density;
        let slack = 4.0 * (error * density + count * tolerance::EVEN_PLACE);
        Self { start: at * density + 0.5 * count, speed, per: 1.0 / speed, slack, cells }
    }

    #[inline(always)]
    fn at(&self, distance: f64) -> f64 {
        self.start + self.speed * distance
    }

    /// The cells between two places.
    #[inline(always)]
    fn between(&self, a: f64, b: f64) -> (usize, usize) {
        let (low, high) = sorted(a, b);
        (self.cell(low - self.slack), self.cell(high + self.slack))
    }

    #[inline(always)]
    fn cell(&self, at: f64) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the cell that the place lies in; cells beyond the grid become its last ones"
        )]
        let cell = at as u32;
        (cell as usize).min(self.cells - 1)
    }

    /// Distances between which the ray is in these cells.
    #[inline(always)]
    fn within(&self, first: f64, count: f64) -> (f64, f64) {
        let low = (first - self.slack - self.start) * self.per;
        let high = (first + count + self.slack - self.start) * self.per;
        if self.per < 0.0 { (high, low) } else { (low, high) }
    }
}

/// The part of a ray within the bounds of a height field.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// Along the axis on which it crosses more cells, and along the other one.
    major: Along,
    minor: Along,
    major_is_x: bool,
    /// Height at the ray's origin, its growth, and how far it may be off.
    height: f64,
    climb: f64,
    error: f64,
    from: f64,
    to: f64,
    /// Cells along the major axis.
    first: usize,
    last: usize,
}

/// Both numbers in their order. Not by `min` and `max`, which ask whether they are numbers.
#[inline(always)]
fn sorted(a: f64, b: f64) -> (f64, f64) {
    if a < b { (a, b) } else { (b, a) }
}

/// The part of both ranges; a limit that is no number is none.
#[inline(always)]
fn common((from, to): (f64, f64), (low, high): (f64, f64)) -> (f64, f64) {
    (if low > from { low } else { from }, if high < to { high } else { to })
}

impl Way {
    /// `None` for a ray that has no point in the bounds.
    ///
    /// - Error: with `s` the size of all that is added, a point of the ray within the bounds is off
    ///   by less than [`tolerance::IN_FRAME`]` · s`, and all bounds are wider by more.
    #[inline(always)]
    fn new(field: &HeightField, pose: &Pose, ray: &Ray, closest: &Closest<'_>) -> Option<Self> {
        let (origin, direction) = closest.facets.local();
        let arm = (ray.origin().as_dvec3() - pose.translation()).abs().element_sum();
        let (low, high) = (field.bounds.min().as_dvec3(), field.bounds.max().as_dvec3());
        let size = arm + low.abs().max(high.abs()).element_sum();
        let error = size * tolerance::IN_FRAME + tolerance::UNDERFLOW;
        let (cells, [of_x, of_z]) = (&field.cells, field.density);
        let x = Along::new(origin.x, direction.x, error, of_x, cells.columns());
        let z = Along::new(origin.z, direction.z, error, of_z, cells.rows());
        let per = 1.0 / direction.y;
        let (bottom, top) = ((low.y - error - origin.y) * per, (high.y + error - origin.y) * per);
        let upright = if per < 0.0 { (top, bottom) } else { (bottom, top) };
        let end = closest.facets.limits().max_distance.unwrap_or(f64::INFINITY);
        let range = common((0.0, end), upright);
        let range = common(range, x.within(0.0, x.cells as f64));
        let (from, to) = common(range, z.within(0.0, z.cells as f64));
        if from > to {
            return None;
        }
        let major_is_x = x.speed.abs() >= z.speed.abs();
        let (major, minor) = if major_is_x { (x, z) } else { (z, x) };
        let (first, last) = major.between(major.at(from), major.at(to));
        let (height, climb) = (origin.y, direction.y);
        Some(Self { major, minor, major_is_x, height, climb, error, from, to, first, last })
    }

    /// Offers the triangles of all cells that the ray could meet, in their order along the ray.
    #[inline(always)]
    fn walk(&self, cells: &Cells, closest: &mut Closest<'_>) {
        let Self { major, minor, mut to, .. } = *self;
        let (start, step) = if major.per < 0.0 { (self.last, usize::MAX) } else { (self.first, 1) };
        let mut slab = start;
        for _ in 0..self.last - self.first + 1 {
            let range = common((self.from, to), major.within(slab as f64, 1.0));
            if range.0 > to {
                return;
            }
            let (first, last) = minor.between(minor.at(range.0), minor.at(range.1));
            let (mut cell, across) = if minor.per < 0.0 { (last, usize::MAX) } else { (first, 1) };
            for _ in 0..last - first + 1 {
                let range = common(range, minor.within(cell as f64, 1.0));
                let place = if self.major_is_x { (cell, slab) } else { (slab, cell) };
                to = sorted(to, self.offer(cells, place, range, closest)).0;
                cell = cell.wrapping_add(across);
            }
            slab = slab.wrapping_add(step);
        }
    }

    /// Offers the triangles of one cell that the ray could meet, between two distances; the answer
    /// is a distance beyond which nothing matters any more.
    #[inline(always)]
    fn offer(
        &self,
        cells: &Cells,
        (row, column): (usize, usize),
        (from, to): (f64, f64),
        closest: &mut Closest<'_>,
    ) -> f64 {
        let mut end = f64::INFINITY;
        let Some(around) = cells.around(row, column) else { return end };
        let [near, right, front, far] = around.map(f64::from);
        // A hole is infinitely high, and so says nothing of what is below.
        let (ends, others) = (sorted(near, right), sorted(front, far));
        let (low, high) = (sorted(ends.0, others.0).0, sorted(ends.1, others.1).1);
        let heights = [self.height + self.climb * from, self.height + self.climb * to];
        let (lowest, highest) = sorted(heights[0], heights[1]);
        let above = lowest - self.error > high;
        let below = highest + self.error < low;
        if (from > to) | above | below {
            return end;
        }
        let (x, z) =
            if self.major_is_x { (&self.major, &self.minor) } else { (&self.minor, &self.major) };
        let (x_from, z_from) = (x.at(from) - column as f64, z.at(from) - row as f64);
        let (x_to, z_to) = (x.at(to) - column as f64, z.at(to) - row as f64);
        let slacks = (x.slack, z.slack, self.error);
        let ends = [(x_from, z_from, heights[0]), (x_to, z_to, heights[1])];
        let first = Half { corner: near, along: right - near, across: front - near };
        let far_ends =
            [(1.0 - x_from, 1.0 - z_from, heights[0]), (1.0 - x_to, 1.0 - z_to, heights[1])];
        let second = Half { corner: far, along: front - far, across: right - far };
        // Which of them tells is anybody's guess: one branch.
        let missed = [first.misses(ends, slacks), second.misses(far_ends, slacks)];
        if missed[0] & missed[1] {
            return end;
        }
        for (second, missed) in missed.into_iter().enumerate() {
            if !missed && let Some(corners) = cells.triangle(row, column, second == 1) {
                let index = 2 * (row * cells.columns() + column) + second;
                // There are at most 2^32 triangles, as the constructor sees to.
                let index = u32::try_from(index).unwrap_or(u32::MAX);
                end = closest.offer(index, &corners).unwrap_or(end);
            }
        }
        end
    }
}

/// A triangle over half of a cell: its height at the right angle, and how much higher the two
/// others corners are.
#[derive(Clone, Copy, Debug)]
struct Half {
    corner: f64,
    along: f64,
    across: f64,
}

impl Half {
    /// Whether a line certainly has no point in the triangle between two ends within its cell,
    /// each given by the way from the right angle in cells and the height, and all three known but
    /// for `slacks`; no number, for a hole, says nothing.
    ///
    /// - Derivation: the height `g` above the triangle's plane and the way `s` beyond its long side
    ///   are linear along the line. Where `g` is at most its slack, `s` is at least
    ///   `(s₀ g₁ - s₁ g₀ - |s₁ - s₀| slack) / |g₁ - g₀|`, all with the sign of `g₁ - g₀`.
    #[inline(always)]
    fn misses(&self, ends: [(f64, f64, f64); 2], slacks: (f64, f64, f64)) -> bool {
        let Self { corner, along, across } = *self;
        let [(x0, z0, y0), (x1, z1, y1)] = ends;
        let (x_slack, z_slack, error) = slacks;
        let slack = error + along.abs() * x_slack + across.abs() * z_slack;
        let (g0, g1) =
            (y0 - (corner + along * x0 + across * z0), y1 - (corner + along * x1 + across * z1));
        let passes = ((g0 > slack) & (g1 > slack)) | ((g0 < -slack) & (g1 < -slack));
        let (s0, s1) = (x0 + z0 - 1.0, x1 + z1 - 1.0);
        let turned = g1 - g0;
        let beyond = s0 * g1 - s1 * g0;
        let beyond = if turned < 0.0 { -beyond } else { beyond };
        let room = (x_slack + z_slack) * (turned.abs() + slack);
        passes | (beyond > (s1 - s0).abs() * slack + room)
    }
}
