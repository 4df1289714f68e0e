//! Contact patches of flat faces: clipping, and the choice of four points.

use smallvec::SmallVec;

use crate::{PatchPoint, tolerance};

/// Most corners a quad has after it was clipped by four lines.
const MOST: usize = 8;
/// Number of the first side line; smaller numbers name the quad's own edges.
const SIDES: u8 = 4;

/// A corner of a clipped quad: where it lies on the reference face, how far above it, and the
/// edge that leads on to the next corner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Corner {
    /// Along the reference face's first side.
    pub(crate) u: f64,
    /// Along its second side.
    pub(crate) v: f64,
    /// Signed distance from its plane.
    pub(crate) distance: f64,
    /// Edges 0 to 3 of the quad, 4 to 7 of the reference face.
    pub(crate) next_edge: u8,
}

/// A quad cut down to what lies over a reference rectangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polygon {
    corners: [Corner; MOST],
    count: usize,
}

impl Polygon {
    /// The part of a quad over the rectangle `|u| <= half_u`, `|v| <= half_v`; the border belongs
    /// to it.
    ///
    /// - Source: Sutherland & Hodgman, *Reentrant polygon clipping* (1974).
    pub(crate) fn clipped(quad: &[Corner; 4], half_u: f64, half_v: f64) -> Self {
        let mut polygon = Self { corners: [Corner::default(); MOST], count: 4 };
        polygon.corners[..4].copy_from_slice(quad);
        for side in 0..4 {
            let along_u = side < 2;
            let sign = if side % 2 == 0 { 1.0 } else { -1.0 };
            let half = if along_u { half_u } else { half_v };
            let height = |c: &Corner| if along_u { sign * c.u } else { sign * c.v };
            if (0..polygon.count).any(|k| height(&polygon.corners[k]) > half) {
                polygon = polygon.cut(half, height, SIDES + side, along_u, sign * half);
            }
        }
        polygon
    }

    /// The part with `height <= limit`.
    fn cut(
        &self,
        limit: f64,
        height: impl Fn(&Corner) -> f64,
        side: u8,
        along_u: bool,
        exact: f64,
    ) -> Self {
        let mut result = Self { corners: [Corner::default(); MOST], count: 0 };
        for (k, from) in self.corners().iter().enumerate() {
            let to = &self.corners[if k + 1 == self.count { 0 } else { k + 1 }];
            let (start, end) = (height(from), height(to));
            if start <= limit {
                result.push(*from);
            }
            if (start <= limit) == (end <= limit) {
                continue;
            }
            let share = (limit - start) / (end - start);
            let mut corner = Corner {
                u: from.u + (to.u - from.u) * share,
                v: from.v + (to.v - from.v) * share,
                distance: from.distance + (to.distance - from.distance) * share,
                next_edge: if start <= limit { side } else { from.next_edge },
            };
            // On the line by construction, whatever the rounding of the share.
            if along_u {
                corner.u = exact;
            } else {
                corner.v = exact;
            }
            result.push(corner);
        }
        result
    }

    fn push(&mut self, corner: Corner) {
        // A convex quad gains at most one corner per line; rounding may not add more.
        if self.count < MOST {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    /// The corners in order.
    pub(crate) fn corners(&self) -> &[Corner] {
        &self.corners[..self.count]
    }

    /// The two edges that meet in corner `k`, as a number below 64.
    pub(crate) fn edges_at(&self, k: usize) -> u32 {
        let before = if k == 0 { self.count - 1 } else { k - 1 };
        u32::from(self.corners[before].next_edge) << 3 | u32::from(self.corners[k].next_edge)
    }
}

/// Cuts a patch down to four points that span it, sorted by feature.
///
/// - Ties: deepest point, then the one farthest from it, then the largest area on either side of
///   the line between these two; among equals the smallest feature.
pub(crate) fn reduce(
    points: &mut SmallVec<[PatchPoint; 8]>,
    size: f64,
) -> SmallVec<[PatchPoint; 4]> {
    points.sort_unstable_by_key(|point| point.feature);
    let same = tolerance::SAME_POINT * size;
    let mut kept: SmallVec<[PatchPoint; 8]> = SmallVec::new();
    for point in points.iter() {
        let twin =
            |other: &PatchPoint| point.point_a.distance_squared(other.point_a) <= same * same;
        if !kept.iter().any(twin) {
            kept.push(*point);
        }
    }
    if kept.len() <= 4 {
        return kept.into_iter().collect();
    }
    let tie = tolerance::TIE * size;
    let pick = |value: &dyn Fn(&PatchPoint) -> f64, tie: f64| {
        let mut best = (0, f64::NEG_INFINITY);
        for (k, point) in kept.iter().enumerate() {
            let here = value(point);
            if here > best.1 + tie {
                best = (k, here);
            }
        }
        best.0
    };
    let deepest = pick(&|p| -p.distance, tie);
    let from = kept[deepest].point_a;
    let spread = kept.iter().map(|p| p.point_a.distance_squared(from)).fold(0.0, f64::max).sqrt();
    // Coordinates carry an error of `tie`; products of several of them that times the spread.
    let (tie_squared, tie_cubed) = (4.0 * tie * spread, 4.0 * tie * spread * spread * spread);
    let farthest = pick(&|p| p.point_a.distance_squared(from), tie_squared);
    let line = kept[farthest].point_a - from;
    // The point farthest from the line tells its perpendicular in the patch's plane.
    let third = pick(&|p| line.cross(p.point_a - from).length_squared(), tie_cubed);
    let up = line.cross(kept[third].point_a - from).cross(line);
    let above = pick(&|p| up.dot(p.point_a - from), tie_cubed);
    let below = pick(&|p| -up.dot(p.point_a - from), tie_cubed);
    let mut chosen: SmallVec<[usize; 4]> = SmallVec::from_slice(&[deepest, farthest, above, below]);
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().map(|k| kept[k]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quad(points: [(f64, f64); 4]) -> [Corner; 4] {
        let mut edge = 0;
        points.map(|(u, v)| {
            edge += 1;
            Corner { u, v, distance: u - v, next_edge: edge - 1 }
        })
    }

    #[test]
    fn a_quad_inside_stays_whole() {
        let inside = quad([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]);
        assert_eq!(Polygon::clipped(&inside, 1.0, 1.0).corners(), &inside);
    }

    #[test]
    fn a_diamond_over_a_square_has_eight_corners_with_own_edges() {
        let diamond = quad([(1.5, 0.0), (0.0, 1.5), (-1.5, 0.0), (0.0, -1.5)]);
        let polygon = Polygon::clipped(&diamond, 1.0, 1.0);
        assert_eq!(polygon.corners().len(), 8);
        let mut names: Vec<u32> = (0..8).map(|k| polygon.edges_at(k)).collect();
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
        assert!(Polygon::clipped(&outside, 1.0, 1.0).corners().is_empty());
    }
}
