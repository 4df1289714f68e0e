//! Rays over the grid from triangle to triangle, where rounding leaves no doubt which these are.

use super::cast::Way;
use super::cells::Cells;
use crate::triangles::Closest;

/// Where a ray is in the grid: in which triangle, and how far from the cell's first corner.
#[derive(Clone, Copy, Debug)]
struct Spot {
    row: usize,
    column: usize,
    /// Whether it is the cell's second triangle.
    second: bool,
    x: f64,
    z: f64,
}

impl Spot {
    /// How many edges a line crosses between two triangles: no grid line and no diagonal twice.
    fn edges_to(&self, other: &Self) -> usize {
        let diagonals = |spot: &Self| spot.row + spot.column + usize::from(spot.second);
        self.row.abs_diff(other.row)
            + self.column.abs_diff(other.column)
            + diagonals(self).abs_diff(diagonals(other))
    }
}

/// On which side of the surface a point of the ray certainly lies; a hole has none.
#[derive(Clone, Copy, Debug)]
struct Side {
    above: bool,
    below: bool,
}

impl Side {
    fn new(height: f64, slack: f64) -> Self {
        Self { above: height > slack, below: height < -slack }
    }

    /// Whether the ray has no point in a triangle that it enters here and leaves there.
    fn misses(self, other: Self) -> bool {
        (self.above & other.above) | (self.below & other.below)
    }
}

/// A sample beside the ray.
///
/// All but the height is linear over the grid, so that the sample across an edge has the sum of its
/// ends less what is behind it.
#[derive(Clone, Copy, Debug)]
struct Corner {
    /// How far to the left of the ray, times the ray's speed over the grid.
    left: f64,
    /// Height of the ray where it passes the sample.
    level: f64,
    /// The same above the sample's height.
    above: f64,
    index: usize,
}

/// The ray as it is seen from the samples.
#[derive(Clone, Copy, Debug)]
struct Strip<'a> {
    way: &'a Way,
    cells: &'a Cells,
    /// What a step along a row and one along a column add to [`Corner::left`] and
    /// [`Corner::level`].
    across: [f64; 2],
    climb: [f64; 2],
    /// How far both may be off.
    left_slack: f64,
    level_slack: f64,
}

/// Offers the triangles that the ray could meet, or tells that it does not know which these are:
/// then the ray runs along an edge, passes a sample, or begins or ends there, but for rounding.
///
/// - Derivation: the walk goes from triangle to triangle by the sides of the samples, each of which
///   is certain, as is where it begins and ends. Within a triangle the height above the surface is
///   linear along the ray.
/// - Source: Devillers, Pion and Teillaud, *Walking in a triangulation* (2001), the straight walk.
#[inline(always)]
#[must_use]
pub(super) fn offer(way: &Way, cells: &Cells, closest: &mut Closest<'_>) -> bool {
    let (Some(begin), Some(mut end)) = (spot(way, way.from), spot(way, way.to)) else {
        return false;
    };
    let mut side = side_within(way, cells, &begin, way.from);
    let mut last = side_within(way, cells, &end, way.to);
    let mut edges = begin.edges_to(&end);
    if edges == 0 {
        if !side.misses(last) {
            let _ = offer_triangle(cells, (begin.row, begin.column, begin.second), closest);
        }
        return true;
    }
    let strip = Strip::new(way, cells);
    let Some([mut left, mut right, mut ahead]) = strip.enter(&begin) else { return false };
    let (mut second, mut done) = (begin.second, 0);
    loop {
        let leaves = done == edges;
        let (next, behind) = if leaves {
            (last, ahead)
        } else {
            if ahead.left.abs() <= strip.left_slack {
                return false;
            }
            let to_left = ahead.left > 0.0;
            let behind = if to_left { left } else { right };
            (left, right) = if to_left { (ahead, right) } else { (left, ahead) };
            (strip.side_of(&left, &right), behind)
        };
        if !side.misses(next) {
            let place = strip.triangle([&left, &right, &behind], second);
            if let Some(distance) = offer_triangle(cells, place, closest) {
                let Some(spot) = spot(way, distance) else { return false };
                if distance < way.to {
                    end = spot;
                    last = side_within(way, cells, &end, distance);
                    edges = begin.edges_to(&end);
                }
            }
        }
        if leaves || done >= edges {
            return true;
        }
        done += 1;
        let Some(beyond) = strip.across(&left, &right, &behind) else { return false };
        (ahead, side, second) = (beyond, next, !second);
    }
}

/// Where the ray is; `None` where rounding hides which triangle it is over.
#[inline(always)]
fn spot(way: &Way, distance: f64) -> Option<Spot> {
    let ((column, x, clear_x), (row, z, clear_z)) = (way.x.place(distance), way.z.place(distance));
    let beyond = x + z - 1.0;
    let clear = clear_x & clear_z & (beyond.abs() > way.x.slack + way.z.slack);
    clear.then_some(Spot { row, column, second: beyond > 0.0, x, z })
}

/// On which side of the surface the ray is over a spot.
#[inline(always)]
fn side_within(way: &Way, cells: &Cells, spot: &Spot, distance: f64) -> Side {
    let Spot { row, column, second, x, z } = *spot;
    let Some(around) = cells.around(row, column) else { return Side::new(0.0, 0.0) };
    let [near, right, front, far] = around.map(f64::from);
    let (corner, along, across) =
        if second { (far, front - far, right - far) } else { (near, right - near, front - near) };
    let (x, z) = if second { (1.0 - x, 1.0 - z) } else { (x, z) };
    let slack = way.error + along.abs() * way.x.slack + across.abs() * way.z.slack;
    Side::new(way.height + way.climb * distance - (corner + along * x + across * z), slack)
}

/// If it is the closest so far, the answer is a distance beyond which nothing matters any more.
#[inline(always)]
pub(super) fn offer_triangle(
    cells: &Cells,
    (row, column, second): (usize, usize, bool),
    closest: &mut Closest<'_>,
) -> Option<f64> {
    let corners = cells.triangle(row, column, second)?;
    let index = 2 * (row * cells.columns() + column) + usize::from(second);
    // There are at most 2^32 triangles, as the constructor sees to.
    closest.offer(u32::try_from(index).unwrap_or(u32::MAX), &corners)
}

impl<'a> Strip<'a> {
    #[inline(always)]
    fn new(way: &'a Way, cells: &'a Cells) -> Self {
        let (x, z) = (&way.x, &way.z);
        // No number, and so no side of the surface, where the ray hardly moves over the grid.
        let per = way.climb / (x.speed * x.speed + z.speed * z.speed);
        let slack = x.speed.abs() * x.slack + z.speed.abs() * z.slack;
        Self {
            way,
            cells,
            across: [-z.speed, x.speed],
            climb: [per * x.speed, per * z.speed],
            left_slack: x.speed.abs() * z.slack + z.speed.abs() * x.slack,
            level_slack: way.error + per.abs() * slack,
        }
    }

    /// The corners of the triangle over which the ray begins: the ends of the edge that its line
    /// enters by, to its left and to its right, and the third one.
    #[inline(always)]
    fn enter(&self, begin: &Spot) -> Option<[Corner; 3]> {
        let Spot { row, column, second, .. } = *begin;
        let (x, z) = (column as f64 - self.way.x.start, row as f64 - self.way.z.start);
        let width = self.cells.columns() + 1;
        let first = Corner {
            left: self.across[0] * x + self.across[1] * z,
            level: self.way.height + (self.climb[0] * x + self.climb[1] * z),
            above: 0.0,
            index: row * width + column,
        };
        let step = |from: &Corner, along: usize, steps: usize| Corner {
            left: from.left + self.across[along],
            level: from.level + self.climb[along],
            above: 0.0,
            index: from.index + steps,
        };
        let (right, front) = (step(&first, 0, 1), step(&first, 1, width));
        let corner = if second { step(&right, 1, width) } else { first };
        let others = if second { [front, right] } else { [right, front] };
        let around = [self.known(corner)?, self.known(others[0])?, self.known(others[1])?];
        // Counter-clockwise, so that it is entered from a corner to the left to one to the right.
        let [a, b, c] = around;
        let [on_a, on_b, on_c] = around.map(|corner| corner.left > 0.0);
        if around.iter().any(|corner| corner.left.abs() <= self.left_slack) {
            return None;
        }
        match (on_a, on_b, on_c) {
            (true, false, _) => Some([a, b, c]),
            (_, true, false) => Some([b, c, a]),
            (false, _, true) => Some([c, a, b]),
            _ => None,
        }
    }

    /// The sample across an edge.
    #[inline(always)]
    fn across(&self, left: &Corner, right: &Corner, behind: &Corner) -> Option<Corner> {
        self.known(Corner {
            left: left.left + right.left - behind.left,
            level: left.level + right.level - behind.level,
            above: 0.0,
            index: (left.index + right.index).checked_sub(behind.index)?,
        })
    }

    #[inline(always)]
    fn known(&self, corner: Corner) -> Option<Corner> {
        let height = self.cells.height(corner.index)?;
        Some(Corner { above: corner.level - f64::from(height), ..corner })
    }

    /// On which side of an edge the ray passes.
    ///
    /// - Derivation: the height above it is the mean of those above its ends, weighted by the ways
    ///   to the other end. The weights are off by at most `left_slack`, and by less than
    ///   themselves; the heights by `level_slack`.
    #[inline(always)]
    fn side_of(&self, left: &Corner, right: &Corner) -> Side {
        let height = left.left * right.above - right.left * left.above;
        let slack = 2.0 * self.level_slack * (left.left - right.left)
            + self.left_slack * (left.above.abs() + right.above.abs());
        Side::new(height, slack)
    }

    /// The row and the column of a triangle's cell.
    fn triangle(&self, corners: [&Corner; 3], second: bool) -> (usize, usize, bool) {
        let [a, b, c] = corners.map(|corner| corner.index);
        // A cell's first sample, or the one beside it.
        let least = a.min(b).min(c).saturating_sub(usize::from(second));
        let width = self.cells.columns() + 1;
        (least / width, least % width, second)
    }
}
