//! The edge or corner of a hull that lies farthest along a direction.

use impinge_shapes::ConvexHull;
use impinge_shapes::convex::Core;
use impinge_shapes::glam::DVec3;

use super::line::Line;
use crate::tolerance;

/// The edge of a hull that lies farthest along a unit vector: of those at the vertex that is exactly
/// the farthest, the one that runs most across it.
pub(super) fn along(hull: &ConvexHull, direction: DVec3) -> Option<Line> {
    Level::of(hull, direction).edge(hull, direction)
}

/// Names what of a hull lies farthest along a unit vector: an edge that runs nearly at right angles
/// to it, or the corner.
pub(super) fn name_along(hull: &ConvexHull, direction: DVec3) -> u32 {
    let level = Level::of(hull, direction);
    match level.edge(hull, direction).filter(|line| line.runs_across(direction)) {
        Some(line) => line.name(),
        None => level.top(hull, direction),
    }
}

/// The vertices of a hull that rounding does not tell from the farthest one: the first and the last
/// of them, and how many there are.
struct Level {
    vertices: [u32; 2],
    count: usize,
}

impl Level {
    fn of(hull: &ConvexHull, direction: DVec3) -> Self {
        let reach = Core::Hull(hull).reach().dot(direction.abs());
        let mut level = Self { vertices: [0; 2], count: 0 };
        hull.vertices_within(direction, tolerance::FRAME * reach, |vertex| {
            level.vertices[level.count.min(1)] = vertex;
            level.count += 1;
        });
        level
    }

    /// The vertex that is exactly the farthest.
    fn top(&self, hull: &ConvexHull, direction: DVec3) -> u32 {
        if self.count == 1 { self.vertices[0] } else { hull.support_vertex(direction) }
    }

    fn edge(&self, hull: &ConvexHull, direction: DVec3) -> Option<Line> {
        if let Some(line) = self.level_edge(hull, direction) {
            return Some(line);
        }
        let top = self.top(hull, direction);
        edge_between(hull, [top, flattest(hull, top, direction)?])
    }

    /// The edge where its ends are the only ones there: it is that of either, whichever is exactly
    /// the farthest.
    fn level_edge(&self, hull: &ConvexHull, direction: DVec3) -> Option<Line> {
        let [one, other] = self.vertices;
        let is_edge = self.count == 2
            && flattest(hull, one, direction) == Some(other)
            && flattest(hull, other, direction) == Some(one);
        if is_edge { edge_between(hull, self.vertices) } else { None }
    }
}

/// The neighbour of a vertex to which the edge slopes least against a direction.
fn flattest(hull: &ConvexHull, top: u32, direction: DVec3) -> Option<u32> {
    let from = hull.vertex(top)?;
    let mut best: Option<(f64, u32)> = None;
    hull.for_each_neighbour(top, |other| {
        let along = hull.vertex(other).unwrap_or(from) - from;
        let slope = along.dot(direction).powi(2) / along.length_squared();
        if best.is_none_or(|(least, _)| slope < least) {
            best = Some((slope, other));
        }
    });
    best.map(|(_, other)| other)
}

fn edge_between(hull: &ConvexHull, [one, other]: [u32; 2]) -> Option<Line> {
    let names = [one.min(other), one.max(other)];
    Some(Line::of_hull([hull.vertex(names[0])?, hull.vertex(names[1])?], names))
}

/// The normals of the faces on both sides of the edge between two vertices of a hull.
pub(super) fn normals_beside(hull: &ConvexHull, vertices: [u32; 2]) -> Option<[DVec3; 2]> {
    let place = hull.edges().binary_search_by_key(&vertices, |edge| edge.vertices).ok()?;
    let [left, right] = hull.edges().get(place)?.faces?;
    let normal = |face: u32| hull.face(face)?.normal.try_normalize();
    Some([normal(left)?, normal(right)?])
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::Vec3;

    use super::*;

    /// Corners on a lattice, of which every other hull's are off it.
    fn hull(state: &mut u64, is_even: bool) -> ConvexHull {
        let mut number = || {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let value = f32::from(u16::try_from(*state >> 48).unwrap()) / 16_384.0 - 2.0;
            if is_even { value.round() } else { value }
        };
        let points: Vec<_> = (0..14).map(|_| Vec3::new(number(), number(), number())).collect();
        ConvexHull::new(&points).unwrap()
    }

    #[test]
    fn a_level_edge_is_that_of_the_vertex_that_is_exactly_farthest() {
        let (mut state, mut seen) = (21_u64, [0; 2]);
        for case in 0..200 {
            let hull = hull(&mut state, case % 2 == 0);
            for edge in hull.edges() {
                let normals = normals_beside(&hull, edge.vertices).unwrap();
                let between = (normals[0] * 0.75 + normals[1] * 0.25).normalize();
                for direction in [between, normals[0], between + DVec3::X * 1e-15] {
                    let top = hull.support_vertex(direction);
                    let other = flattest(&hull, top, direction).unwrap();
                    let level = Level::of(&hull, direction).level_edge(&hull, direction);
                    seen[usize::from(level.is_some())] += 1;
                    let name = level.map(|line| line.name());
                    let exact = edge_between(&hull, [top, other]).map(|line| line.name());
                    assert!(name.is_none() || name == exact, "case {case}: {name:?}");
                }
            }
        }
        assert!(seen.iter().all(|&count| count > 500), "{seen:?}");
    }
}
