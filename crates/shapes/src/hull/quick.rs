//! The triangulated hull of points that do not lie in one plane.

use glam::Vec3;

use super::predicates::TrianglePlane;
use super::{NONE, to_u32};

/// A triangle of a closed surface, counter-clockwise seen from outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    pub(super) vertices: [u32; 3],
    /// The triangle on the other side of the edge from vertex `k` to the next.
    pub(super) across: [u32; 3],
}

impl Triangle {
    /// The place of a vertex that the triangle has.
    pub(super) fn place_of(&self, vertex: u32) -> usize {
        self.vertices.iter().position(|&v| v == vertex).unwrap_or(0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Kept,
    /// The point about to be added lies above it.
    Seen,
    /// Its place may be used again.
    Free,
}

#[derive(Clone, Debug)]
struct Facet {
    triangle: Triangle,
    plane: TrianglePlane,
    /// First of the points above the facet that are kept with it, linked by `Quickhull::next`.
    first: u32,
    /// The highest of them, and its height.
    highest: u32,
    height: f64,
    state: State,
}

/// An edge between a seen facet and one that is kept.
#[derive(Clone, Copy, Debug)]
struct Rim {
    from: u32,
    to: u32,
    beyond: u32,
}

struct Quickhull<'a> {
    points: &'a [Vec3],
    facets: Vec<Facet>,
    free: Vec<u32>,
    /// Facets that got points; some may have lost them again.
    pending: Vec<u32>,
    next: Vec<u32>,
    /// The new facet whose rim edge starts at a point.
    starts: Vec<u32>,
    seen: Vec<u32>,
    rim: Vec<Rim>,
    fresh: Vec<u32>,
}

/// The hull's surface in triangles, of which neighbours may lie in one plane; their vertices need
/// not be corners of the hull.
///
/// A point sees a facet if it lies strictly above its plane, decided exactly. A point outside the
/// hull sees some facet. Moved a little towards the inside it still sees the same ones and lies
/// in no facet's plane, so that they form a disc, as in general position; all triangles of one
/// plane are seen or none is. No new triangle is degenerate, for a point in line with an edge of
/// the rim lies in the plane of the facet that it should see.
///
/// - Source: Barber, Dobkin and Huhdanpaa, *The Quickhull Algorithm for Convex Hulls* (1996).
pub(super) fn triangulate(points: &[Vec3], simplex: [u32; 4]) -> Vec<Triangle> {
    let mut hull = Quickhull {
        points,
        facets: Vec::new(),
        free: Vec::new(),
        pending: Vec::new(),
        next: vec![NONE; points.len()],
        starts: vec![NONE; points.len()],
        seen: Vec::new(),
        rim: Vec::new(),
        fresh: Vec::new(),
    };
    hull.begin(simplex);
    while let Some(slot) = hull.pending.pop() {
        let facet = &hull.facets[slot as usize];
        if facet.state == State::Kept && facet.first != NONE {
            hull.add(slot, facet.highest);
        }
    }
    hull.finish()
}

impl Quickhull<'_> {
    /// A tetrahedron whose fourth corner lies below the plane of the first three.
    fn begin(&mut self, [a, b, c, d]: [u32; 4]) {
        let corners = [[a, b, c], [a, c, d], [c, b, d], [b, a, d]];
        let across = [[3, 2, 1], [0, 2, 3], [0, 3, 1], [0, 1, 2]];
        for (vertices, across) in corners.into_iter().zip(across) {
            let slot = self.place(Triangle { vertices, across });
            self.fresh.push(slot);
        }
        for point in 0..to_u32(self.points.len()) {
            self.assign(point);
        }
    }

    fn place(&mut self, triangle: Triangle) -> u32 {
        let corners = triangle.vertices.map(|v| self.points[v as usize]);
        let facet = Facet {
            triangle,
            plane: TrianglePlane::new(corners),
            first: NONE,
            highest: NONE,
            height: f64::NEG_INFINITY,
            state: State::Kept,
        };
        if let Some(slot) = self.free.pop() {
            self.facets[slot as usize] = facet;
            slot
        } else {
            self.facets.push(facet);
            to_u32(self.facets.len() - 1)
        }
    }

    /// Keeps the point with the first fresh facet that it sees. One that sees none lies inside:
    /// what it saw is gone, and whoever sees a facet on each side of a rim edge also sees the new
    /// one between them.
    fn assign(&mut self, point: u32) {
        let at = self.points[point as usize];
        for &slot in &self.fresh {
            let facet = &mut self.facets[slot as usize];
            if let Some(height) = facet.plane.above(at) {
                if facet.first == NONE {
                    self.pending.push(slot);
                }
                self.next[point as usize] = facet.first;
                facet.first = point;
                if height > facet.height || facet.highest == NONE {
                    (facet.highest, facet.height) = (point, height);
                }
                return;
            }
        }
    }

    /// Replaces the facets that the point sees, `facet` among them, by a cone from it to their
    /// rim.
    fn add(&mut self, facet: u32, apex: u32) {
        self.find_seen(facet, apex);
        self.raise_cone(apex);
        for i in 0..self.seen.len() {
            let mut point = self.facets[self.seen[i] as usize].first;
            while point != NONE {
                let after = self.next[point as usize];
                if point != apex {
                    self.assign(point);
                }
                point = after;
            }
        }
        for &slot in &self.seen {
            self.facets[slot as usize].state = State::Free;
            self.free.push(slot);
        }
    }

    /// Marks the facets that the point sees, from one of them on, and collects their rim.
    fn find_seen(&mut self, facet: u32, apex: u32) {
        let at = self.points[apex as usize];
        self.seen.clear();
        self.rim.clear();
        self.facets[facet as usize].state = State::Seen;
        self.seen.push(facet);
        let mut done = 0;
        while let Some(&slot) = self.seen.get(done) {
            done += 1;
            let Triangle { vertices, across } = self.facets[slot as usize].triangle;
            for k in 0..3 {
                let beyond = &mut self.facets[across[k] as usize];
                if beyond.state == State::Seen {
                    continue;
                }
                if beyond.plane.above(at).is_some() {
                    beyond.state = State::Seen;
                    self.seen.push(across[k]);
                } else {
                    let (from, to) = (vertices[k], vertices[(k + 1) % 3]);
                    self.rim.push(Rim { from, to, beyond: across[k] });
                }
            }
        }
    }

    /// One facet from the point to each edge of the rim, which is a simple cycle.
    fn raise_cone(&mut self, apex: u32) {
        self.fresh.clear();
        for i in 0..self.rim.len() {
            let Rim { from, to, beyond } = self.rim[i];
            let slot =
                self.place(Triangle { vertices: [from, to, apex], across: [beyond, NONE, NONE] });
            let beyond = &mut self.facets[beyond as usize].triangle;
            let place = beyond.place_of(to);
            beyond.across[place] = slot;
            self.starts[from as usize] = slot;
            self.fresh.push(slot);
        }
        for &slot in &self.fresh {
            let to = self.facets[slot as usize].triangle.vertices[1];
            let after = self.starts[to as usize];
            self.facets[slot as usize].triangle.across[1] = after;
            self.facets[after as usize].triangle.across[2] = slot;
        }
    }

    /// The facets that are left, without gaps.
    fn finish(self) -> Vec<Triangle> {
        let mut count = 0;
        let numbers: Vec<u32> = self
            .facets
            .iter()
            .map(|facet| {
                let kept = u32::from(facet.state == State::Kept);
                count += kept;
                count - kept
            })
            .collect();
        let kept = self.facets.iter().filter(|facet| facet.state == State::Kept);
        kept.map(|facet| Triangle {
            across: facet.triangle.across.map(|slot| numbers[slot as usize]),
            ..facet.triangle
        })
        .collect()
    }
}
