//! Clipping line by line, which copes with everything that rounding makes of corners and borders.

use super::{Corner, MOST, Polygon};

/// Number of the first side line; smaller numbers name the quad's own edges.
const SIDES: u8 = 4;

impl Polygon {
    /// Becomes the part of a quad over the rectangle `|u| <= half_u`, `|v| <= half_v`; the border
    /// belongs to it.
    ///
    /// - Source: Sutherland & Hodgman, *Reentrant polygon clipping* (1974).
    pub(super) fn cut_by_sides(&mut self, quad: &[Corner; 4], [half_u, half_v]: [f64; 2]) {
        (self.turned, self.plain, self.count) = (false, false, 4);
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
