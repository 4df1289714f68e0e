//! Contact patches of flat faces: clipping, and the choice of four points.

mod crossings;
mod cut;
pub(crate) mod eight;

use fearless_simd::Fallback;
use impinge_shapes::simd::SimdLevel;

use crate::lanes::lanes;
use crate::real::baseline;
use crate::tolerance;

/// Most corners a quad has after it was clipped by four lines.
pub(crate) const MOST: usize = 8;

/// A corner of a clipped quad: where it lies on the reference face, how far above it, and the
/// edges that meet there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Corner {
    /// Along the reference face's first side.
    pub(crate) u: f64,
    /// Along its second side.
    pub(crate) v: f64,
    /// Signed distance from its plane.
    pub(crate) distance: f64,
    /// The edge to the next corner: 0 to 3 of the quad, 4 to 7 of the reference face.
    pub(crate) next_edge: u8,
    /// Names the two edges that meet here, below 64; set by [`Polygon::clip`].
    pub(crate) edges: u8,
}

/// Corners of a quad in order, as signs on its two half sides: number `k` is the sum of the centre
/// and these multiples of them. The edge to the next corner has the corner's number.
const SIGNS: [[f64; 4]; 2] = [[1.0, -1.0, -1.0, 1.0], [1.0, 1.0, -1.0, -1.0]];

/// A parallelogram above a reference face: its centre and its two half sides, each along the face's
/// first and second side and away from its plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quad {
    pub(crate) centre: [f64; 3],
    pub(crate) halves: [[f64; 3]; 2],
}

impl Quad {
    /// Its corners in order.
    fn corners(&self) -> [Corner; 4] {
        let [k, l] = &self.halves;
        let mut corners = [Corner::default(); 4];
        for (edge, corner) in (0_u8..).zip(&mut corners) {
            let [sign_k, sign_l] = SIGNS.map(|signs| signs[usize::from(edge)]);
            let at = |n: usize| self.centre[n] + (sign_k * k[n] + sign_l * l[n]);
            *corner = Corner { u: at(0), v: at(1), distance: at(2), next_edge: edge, edges: 0 };
        }
        corners
    }
}

/// A quad cut down to what lies over a reference rectangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polygon {
    level: SimdLevel,
    /// The corners, and room for those that the next line leaves.
    rooms: [[Corner; MOST]; 2],
    /// The corners are in the second room.
    turned: bool,
    /// The corners are known to be apart and not in line, and lie in the order of their names.
    plain: bool,
    count: usize,
}

impl Polygon {
    /// No corners; `level` is what the machine offers for finding some.
    pub(crate) fn none(level: SimdLevel) -> Self {
        let rooms = [[Corner::default(); MOST]; 2];
        Self { level, rooms, turned: false, plain: false, count: 0 }
    }

    /// What the machine offers.
    pub(crate) fn level(&self) -> SimdLevel {
        self.level
    }

    /// Becomes the part of a quad over the rectangle `|u| <= half_u`, `|v| <= half_v`; the border
    /// belongs to it, also where rounding hides it. `size` is the unit of the quad's errors.
    pub(crate) fn clip(&mut self, quad: &Quad, half: [f64; 2], size: f64) {
        let same = tolerance::SAME_POINT * size;
        (self.turned, self.plain) = (false, true);
        let corners = &mut self.rooms[0];
        let count = lanes!(self.level, simd => crossings::find(simd, quad, half, same, corners));
        let count = count.unwrap_or_else(|| match baseline!() {
            Some(simd) => crossings::find(simd, quad, half, same, corners),
            None => crossings::find(Fallback::new(), quad, half, same, corners),
        });
        if let Some(count) = count {
            self.count = count;
            return;
        }
        let corners = quad.corners();
        self.cut_by_sides(&corners, half);
        if self.corners().is_empty() {
            // Faces that meet exactly at their borders may miss each other by rounding.
            let slack = tolerance::TIE * size;
            self.cut_by_sides(&corners, half.map(|half| half + slack));
        }
    }

    /// Where the corners are.
    #[inline(always)]
    fn room(&mut self) -> &mut [Corner; MOST] {
        let [one, other] = &mut self.rooms;
        if self.turned { other } else { one }
    }

    /// The corners in order.
    #[inline(always)]
    pub(crate) fn corners(&self) -> &[Corner] {
        let [one, other] = &self.rooms;
        if self.turned { &other[..self.count] } else { &one[..self.count] }
    }

    /// The least distance; infinite where nothing is left.
    pub(crate) fn deepest(&self) -> f64 {
        self.corners().iter().map(|c| c.distance).fold(f64::INFINITY, f64::min)
    }

    /// Keeps at most four corners that are no farther than `limit` and span the others, sorted by
    /// the edges that meet in them.
    ///
    /// - Ties: deepest corner, then the one farthest from it, then the largest area on either side
    ///   of the line between these two; among equals the smallest name.
    pub(crate) fn reduce(&mut self, limit: f64, size: f64) {
        self.retain(|_, corner| corner.distance <= limit);
        if !self.plain {
            self.join_twins(tolerance::SAME_POINT * size);
            self.straighten(tolerance::SAME_POINT * size);
            self.sort();
        }
        if self.count > 4 {
            self.keep_four(tolerance::TIE * size);
        }
    }

    /// Drops the corners of which `keep` is false.
    fn retain(&mut self, keep: impl Fn(usize, &Corner) -> bool) {
        let (all, mut count) = (self.count, 0);
        let corners = self.room();
        for k in 0..all {
            if keep(k, &corners[k]) {
                corners[count] = corners[k];
                count += 1;
            }
        }
        self.count = count;
    }

    /// Sorts the corners by the edges that meet in them.
    fn sort(&mut self) {
        let count = self.count;
        let corners = &mut self.room()[..count];
        for k in 1..count {
            let mut at = k;
            while at > 0 && corners[at].edges < corners[at - 1].edges {
                corners.swap(at, at - 1);
                at -= 1;
            }
        }
    }

    /// Drops corners that lie on their neighbour; of two the one with the smaller name stays.
    fn join_twins(&mut self, same: f64) {
        let twins = |p: &Corner, q: &Corner| (p.u - q.u).abs() <= same && (p.v - q.v).abs() <= same;
        let (all, mut count) = (self.count, 0);
        let corners = self.room();
        for k in 0..all {
            let corner = corners[k];
            if count > 0 && twins(&corners[count - 1], &corner) {
                if corner.edges < corners[count - 1].edges {
                    corners[count - 1] = corner;
                }
            } else {
                corners[count] = corner;
                count += 1;
            }
        }
        if count > 1 && twins(&corners[0], &corners[count - 1]) {
            count -= 1;
            if corners[count].edges < corners[0].edges {
                corners[0] = corners[count];
            }
        }
        self.count = count;
    }

    /// Drops corners of more than four that lie on the line between their neighbours: where edges
    /// of both faces run along each other, rounding makes them cross anywhere, and such a crossing
    /// would take the place of a corner among the four.
    fn straighten(&mut self, same: f64) {
        let mut k = 0;
        while self.count > 4 && k < self.count {
            let at = |place: usize| self.corners()[place % self.count];
            let (from, here, to) = (at(k + self.count - 1), at(k), at(k + 1));
            let (u, v) = (to.u - from.u, to.v - from.v);
            let off = u * (here.v - from.v) - v * (here.u - from.u);
            if off.abs() <= same * (u * u + v * v).sqrt() {
                self.retain(|place, _| place != k);
            } else {
                k += 1;
            }
        }
    }

    /// Keeps four of more than four corners, in their order.
    fn keep_four(&mut self, tie: f64) {
        let corners = self.corners();
        let deepest = pick(corners, |c| -c.distance, tie).0;
        let from = corners[deepest];
        let reach = |c: &Corner| {
            let (u, v) = (c.u - from.u, c.v - from.v);
            u * u + v * v
        };
        // Coordinates carry an error of `tie`; products of two of them that times the spread.
        let spread = pick(corners, reach, 0.0).1.sqrt();
        let tie = 4.0 * tie * spread;
        let farthest = pick(corners, reach, tie).0;
        let (u, v) = (corners[farthest].u - from.u, corners[farthest].v - from.v);
        let side = |c: &Corner| u * (c.v - from.v) - v * (c.u - from.u);
        let (above, below) = (pick(corners, side, tie).0, pick(corners, |c| -side(c), tie).0);
        self.retain(|k, _| k == deepest || k == farthest || k == above || k == below);
    }
}

/// The place of the largest value, the first of those within `tie` of each other, and the value.
#[inline(always)]
fn pick(corners: &[Corner], value: impl Fn(&Corner) -> f64, tie: f64) -> (usize, f64) {
    let mut best = (0, f64::NEG_INFINITY);
    for (k, corner) in corners.iter().enumerate() {
        let here = value(corner);
        if here > best.1 + tie {
            best = (k, here);
        }
    }
    best
}

#[cfg(test)]
mod tests;
