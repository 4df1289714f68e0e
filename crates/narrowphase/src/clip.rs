//! Contact patches of flat faces: clipping, and the choice of four points.

use crate::tolerance;

/// Most corners a quad has after it was clipped by four lines.
const MOST: usize = 8;
/// Number of the first side line; smaller numbers name the quad's own edges.
const SIDES: u8 = 4;

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

/// A quad cut down to what lies over a reference rectangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polygon {
    /// The corners, and room for those that the next line leaves.
    rooms: [[Corner; MOST]; 2],
    /// The corners are in the second room.
    turned: bool,
    count: usize,
}

impl Polygon {
    /// No corners.
    pub(crate) const NONE: Self = Self {
        rooms: [[Corner { u: 0.0, v: 0.0, distance: 0.0, next_edge: 0, edges: 0 }; MOST]; 2],
        turned: false,
        count: 0,
    };

    /// Becomes the part of a quad over the rectangle `|u| <= half_u`, `|v| <= half_v`; the border
    /// belongs to it.
    ///
    /// - Source: Sutherland & Hodgman, *Reentrant polygon clipping* (1974).
    pub(crate) fn clip(&mut self, quad: &[Corner; 4], half_u: f64, half_v: f64) {
        (self.turned, self.count) = (false, 4);
        self.rooms[0][..4].copy_from_slice(quad);
        // A line that no corner of the quad is beyond has nothing to cut off later either.
        let beyond = |side: fn(&Corner) -> f64, limit: f64| quad.iter().any(|c| side(c) > limit);
        if beyond(height::<0>, half_u) {
            self.cut::<0>(half_u);
        }
        if beyond(height::<1>, half_u) {
            self.cut::<1>(half_u);
        }
        if beyond(height::<2>, half_v) {
            self.cut::<2>(half_v);
        }
        if beyond(height::<3>, half_v) {
            self.cut::<3>(half_v);
        }
        if let Some(last) = self.corners().last() {
            let mut before = last.next_edge;
            let count = self.count;
            for corner in &mut self.room()[..count] {
                corner.edges = before << 3 | corner.next_edge;
                before = corner.next_edge;
            }
        }
    }

    /// Leaves the part on the inner side of a line.
    fn cut<const SIDE: u8>(&mut self, limit: f64) {
        let [one, other] = &mut self.rooms;
        let (all, left) = if self.turned { (other, one) } else { (one, other) };
        let all = &all[..self.count];
        (self.turned, self.count) = (!self.turned, 0);
        let Some(mut from) = all.last() else { return };
        let mut start = height::<SIDE>(from);
        let mut count = 0;
        // A convex quad gains at most one corner per line; rounding may not add more.
        for to in all {
            let end = height::<SIDE>(to);
            if (start <= limit) != (end <= limit) && count < MOST {
                left[count] = crossing::<SIDE>(limit, from, to, start, end);
                count += 1;
            }
            if end <= limit && count < MOST {
                left[count] = *to;
                count += 1;
            }
            (from, start) = (to, end);
        }
        self.count = count;
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
        self.join_twins(tolerance::SAME_POINT * size);
        self.straighten(tolerance::SAME_POINT * size);
        self.sort();
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

/// How far out a corner is as side `SIDE` of the rectangle sees it: 0 and 1 look along +u and -u, 2
/// and 3 along +v and -v.
#[inline(always)]
fn height<const SIDE: u8>(corner: &Corner) -> f64 {
    match SIDE {
        0 => corner.u,
        1 => -corner.u,
        2 => corner.v,
        _ => -corner.v,
    }
}

/// Where the way from one corner to the next crosses a side's line.
#[inline(always)]
fn crossing<const SIDE: u8>(
    limit: f64,
    from: &Corner,
    to: &Corner,
    start: f64,
    end: f64,
) -> Corner {
    let share = (limit - start) / (end - start);
    let mut corner = Corner {
        u: from.u + (to.u - from.u) * share,
        v: from.v + (to.v - from.v) * share,
        distance: from.distance + (to.distance - from.distance) * share,
        next_edge: if start <= limit { SIDES + SIDE } else { from.next_edge },
        edges: 0,
    };
    // On the line by construction, whatever the rounding of the share.
    match SIDE {
        0 => corner.u = limit,
        1 => corner.u = -limit,
        2 => corner.v = limit,
        _ => corner.v = -limit,
    }
    corner
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clipped(quad: &[Corner; 4], half_u: f64, half_v: f64) -> Polygon {
        let mut polygon = Polygon::NONE;
        polygon.clip(quad, half_u, half_v);
        polygon
    }

    fn quad(points: [(f64, f64); 4]) -> [Corner; 4] {
        let mut edge = 0;
        points.map(|(u, v)| {
            edge += 1;
            Corner { u, v, distance: u - v, next_edge: edge - 1, edges: 0 }
        })
    }

    #[test]
    fn a_quad_inside_stays_whole() {
        let inside = quad([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]);
        let polygon = clipped(&inside, 1.0, 1.0);
        assert_eq!(polygon.corners().len(), 4);
        for (corner, original) in polygon.corners().iter().zip(&inside) {
            assert_eq!((corner.u, corner.v), (original.u, original.v));
        }
    }

    #[test]
    fn a_diamond_over_a_square_has_eight_corners_with_own_edges() {
        let diamond = quad([(1.5, 0.0), (0.0, 1.5), (-1.5, 0.0), (0.0, -1.5)]);
        let polygon = clipped(&diamond, 1.0, 1.0);
        assert_eq!(polygon.corners().len(), 8);
        let mut names: Vec<u8> = polygon.corners().iter().map(|c| c.edges).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 8);
        for corner in polygon.corners() {
            assert!((corner.u.abs() - 1.0).abs() < 1e-15 || (corner.v.abs() - 1.0).abs() < 1e-15);
            assert!((corner.distance - (corner.u - corner.v)).abs() < 1e-15);
        }
    }

    #[test]
    fn a_quad_outside_leaves_nothing() {
        let outside = quad([(4.0, 1.0), (2.0, 1.0), (2.0, -1.0), (4.0, -1.0)]);
        assert!(clipped(&outside, 1.0, 1.0).corners().is_empty());
    }

    #[test]
    fn four_corners_span_the_eight_of_a_diamond() {
        let diamond = quad([(1.5, 0.0), (0.0, 1.5), (-1.5, 0.0), (0.0, -1.5)]);
        let mut polygon = clipped(&diamond, 1.0, 1.0);
        polygon.reduce(f64::INFINITY, 8.0);
        assert_eq!(polygon.corners().len(), 4);
        assert!(polygon.corners().is_sorted_by_key(|c| c.edges));
        // The deepest stays: u - v is least at (-1, 0.5) and (-0.5, 1).
        assert!((polygon.deepest() + 1.5).abs() < 1e-15);
        polygon.reduce(-1.0, 8.0);
        assert!(polygon.corners().iter().all(|c| c.distance <= -1.0));
    }

    /// Faces that lie on each other have crossings of edges that run along each other anywhere.
    #[test]
    fn crossings_on_a_straight_edge_give_way_to_the_corners() {
        let tiny = 2.0_f64.powi(-50);
        let square = quad([(1.0 + tiny, 1.0), (-1.0, 1.0 + tiny), (-1.0, -1.0), (1.0, -1.0)]);
        let mut polygon = clipped(&square.map(|c| Corner { distance: -1.0, ..c }), 1.0, 1.0);
        assert!(polygon.corners().len() > 4);
        polygon.reduce(f64::INFINITY, 8.0);
        assert_eq!(polygon.corners().len(), 4);
        for corner in polygon.corners() {
            let off = (corner.u.abs() - 1.0).abs().max((corner.v.abs() - 1.0).abs());
            assert!(off < 1e-12, "{corner:?}");
        }
    }

    #[test]
    fn twins_are_joined() {
        let flat = quad([(0.5, 0.25), (0.5, 0.25), (-0.5, 0.25), (-0.5, 0.25)]);
        let mut polygon = clipped(&flat, 0.25, 1.0);
        polygon.reduce(f64::INFINITY, 2.0);
        assert_eq!(polygon.corners().len(), 2);
    }
}
