//! Rays over the grid, from cell to cell.

use super::cells::Cells;
use super::{HeightField, strip};
use crate::crossing::Limits;
use crate::triangles::Closest;
use crate::{Aabb, Pose, Ray, ShapeRayHit, tolerance};

/// The closest hit of a ray on the triangles.
///
/// A ray of few cells goes from triangle to triangle, or from cell to cell where rounding hides its
/// way, a long one down the pyramid; all offer every triangle that it could meet, so that they
/// answer alike.
pub(super) fn closest(
    field: &HeightField,
    pose: &Pose,
    ray: &Ray,
    limits: Limits,
) -> Option<ShapeRayHit> {
    let mut closest = Closest::new(pose, ray, limits);
    let way = Way::new(field, pose, ray, &closest)?;
    if way.is_long() {
        closest.offer_all(field, pose, ray);
    } else if !strip::offer(&way, &field.cells, &mut closest) {
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
        low.between(low.start, high.start)
    };
    let (min, max) = (bounds.min(), bounds.max());
    [
        between(min.z, max.z, of_z, field.cells.rows()),
        between(min.x, max.x, of_x, field.cells.columns()),
    ]
}

/// One of the two coordinates of a ray along the grid, in units of cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along {
    pub(super) start: f64,
    pub(super) speed: f64,
    /// Reciprocal of the speed, maybe infinite.
    per: f64,
    /// How far the ray and the samples may be from their places.
    pub(super) slack: f64,
    /// The last cell.
    last: u32,
}

impl Along {
    #[inline(always)]
    fn new(at: f64, speed: f64, error: f64, density: f64, cells: usize) -> Self {
        // There are at most 2^31.
        let last = u32::try_from(cells - 1).unwrap_or(u32::MAX);
        let count = f64::from(last) + 1.0;
        let speed = speed * density;
        let slack = 4.0 * (error * density + count * tolerance::EVEN_PLACE);
        Self { start: at * density + 0.5 * count, speed, per: 1.0 / speed, slack, last }
    }

    #[inline(always)]
    fn at(&self, distance: f64) -> f64 {
        self.start + self.speed * distance
    }

    /// The cell at a distance, how far into it, and whether it is certainly that one; beyond the
    /// grid it is the nearest one.
    #[inline(always)]
    pub(super) fn place(&self, distance: f64) -> (usize, f64, bool) {
        let at = self.at(distance);
        let cell = self.cell(at);
        let within = at - f64::from(cell);
        let clear = ((within > self.slack) | (cell == 0))
            & ((within < 1.0 - self.slack) | (cell == self.last));
        (cell as usize, within, clear)
    }

    /// The cells between two places.
    #[inline(always)]
    fn between(&self, a: f64, b: f64) -> (u32, u32) {
        let (low, high) = sorted(a, b);
        (self.cell(low - self.slack), self.cell(high + self.slack))
    }

    #[inline(always)]
    fn cell(&self, at: f64) -> u32 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the cell that the place lies in; cells beyond the grid become its last ones"
        )]
        let cell = at as u32;
        cell.min(self.last)
    }

    /// Distances between which the ray is in the cells from one to another.
    #[inline(always)]
    fn within(&self, first: u32, last: u32) -> (f64, f64) {
        let low = (f64::from(first) - self.slack - self.start) * self.per;
        let high = (f64::from(last) + 1.0 + self.slack - self.start) * self.per;
        if self.per < 0.0 { (high, low) } else { (low, high) }
    }
}

/// The part of a ray within the bounds of a height field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) x: Along,
    pub(super) z: Along,
    /// Height at the ray's origin, its growth, and how far it may be off.
    pub(super) height: f64,
    pub(super) climb: f64,
    pub(super) error: f64,
    /// Distances from the ray's origin.
    pub(super) from: f64,
    pub(super) to: f64,
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
    pub(super) fn new(
        field: &HeightField,
        pose: &Pose,
        ray: &Ray,
        closest: &Closest<'_>,
    ) -> Option<Self> {
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
        let range = common(range, x.within(0, x.last));
        let (from, to) = common(range, z.within(0, z.last));
        let (height, climb) = (origin.y, direction.y);
        (from <= to).then_some(Self { x, z, height, climb, error, from, to })
    }

    /// Whether it is shorter down the pyramid.
    #[inline(always)]
    fn is_long(&self) -> bool {
        self.x.speed.abs().max(self.z.speed.abs()) * (self.to - self.from)
            > tolerance::CELLS_IN_TURN
    }

    /// Offers the triangles of all cells that the ray could meet, in their order along the ray.
    #[inline(never)]
    fn walk(&self, cells: &Cells, closest: &mut Closest<'_>) {
        let Self { x, z, mut to, .. } = *self;
        // Slabs across the axis on which it crosses more cells.
        let major_is_x = x.speed.abs() >= z.speed.abs();
        let (major, minor) = if major_is_x { (x, z) } else { (z, x) };
        let (first, last) = major.between(major.at(self.from), major.at(to));
        let (mut slab, step) = if major.per < 0.0 { (last, u32::MAX) } else { (first, 1) };
        for _ in 0..last - first + 1 {
            let range = common((self.from, to), major.within(slab, slab));
            if range.0 > to {
                return;
            }
            let (first, last) = minor.between(minor.at(range.0), minor.at(range.1));
            let (mut cell, across) = if minor.per < 0.0 { (last, u32::MAX) } else { (first, 1) };
            for _ in 0..last - first + 1 {
                let range = common(range, minor.within(cell, cell));
                let (row, column) = if major_is_x { (cell, slab) } else { (slab, cell) };
                let place = (row as usize, column as usize);
                to = sorted(to, self.offer_cell(cells, place, range, closest)).0;
                cell = cell.wrapping_add(across);
            }
            slab = slab.wrapping_add(step);
        }
    }

    /// Offers the triangles of one cell that the ray could meet by its heights between two
    /// distances; the answer is a distance beyond which nothing matters any more.
    fn offer_cell(
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
        for second in [false, true] {
            end = strip::offer_triangle(cells, (row, column, second), closest).unwrap_or(end);
        }
        end
    }
}
