//! The neighbours of a mesh's triangles across their edges.

use glam::Vec3;

use super::fan;
use crate::triangles::{Bends, bend};

/// What the edges of a mesh say about it.
#[derive(Clone, Debug)]
pub(super) struct Edges {
    /// [`Bends`] of the three edges of each triangle, the first in the lowest bits.
    bends: Vec<u16>,
    /// Every edge is run along as often in one direction as in the other.
    closed: bool,
}

/// A triangle at an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    /// The edge's end with the larger number after welding.
    high: u32,
    pub(super) triangle: u32,
    /// Which edge of the triangle it is.
    edge: u8,
    /// Whether the triangle runs along it from the lower end to the higher one.
    pub(super) ascending: bool,
}

impl Edges {
    /// Matches the edges of triangles whose vertices exist; vertices at one position are one.
    pub(super) fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let welded = weld(vertices);
        let (mut sides, starts) = by_lower_end(&welded, triangles);
        let mut edges = Self { bends: vec![0; triangles.len()], closed: true };
        let mesh = Corners { vertices, triangles };
        for ends in starts.windows(2) {
            let sides = &mut sides[ends[0]..ends[1]];
            sides.sort_unstable_by_key(|side| (side.high, side.triangle, side.edge));
            for shared in sides.chunk_by(|a, b| a.high == b.high) {
                edges.connect(&mesh, shared);
            }
        }
        edges
    }

    /// Whether the surface has no border and all triangles agree which side is out.
    pub(super) fn closed(&self) -> bool {
        self.closed
    }

    /// The bends at an edge of a triangle; `None` for one that does not exist.
    pub(super) fn get(&self, triangle: u32, edge: usize) -> Option<Bends> {
        let edge = u32::try_from(edge).ok().filter(|&edge| edge < 3)?;
        let bends = self.bends.get(usize::try_from(triangle).ok()?)?;
        Some(Bends::from_bits(bends >> (edge * Bends::BITS)))
    }

    fn add(&mut self, side: &Side, bends: Bends) {
        let shift = u32::from(side.edge) * Bends::BITS;
        self.bends[side.triangle as usize] |= bends.bits() << shift;
    }

    /// Notes the bends among all the triangles at one edge.
    fn connect(&mut self, mesh: &Corners, shared: &[Side]) {
        let ascending = shared.iter().filter(|side| side.ascending).count();
        self.closed &= ascending * 2 == shared.len();
        match shared {
            [_] => {}
            // A triangle with two equal corners has an edge twice and is no neighbour of itself.
            [a, b] if a.triangle == b.triangle => {}
            [a, b] => {
                // Four points span one volume, whichever triangle looks at the other.
                let [p, q, r] = mesh.seen_from(a);
                let found = bend([p, q, r], mesh.opposite(b));
                let back = if a.ascending == b.ascending { found.flipped() } else { found };
                self.add(a, Bends::from(found));
                self.add(b, Bends::from(back));
            }
            many => fan::for_each(mesh, many, |side, bends| self.add(side, bends)),
        }
    }
}

/// The corners of a mesh's triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corners<'a> {
    vertices: &'a [Vec3],
    triangles: &'a [[u32; 3]],
}

impl Corners<'_> {
    fn get(&self, side: &Side, after: usize) -> Vec3 {
        let corner = (usize::from(side.edge) + after) % 3;
        self.vertices[self.triangles[side.triangle as usize][corner] as usize]
    }

    /// The triangle's corners, the edge's first.
    pub(super) fn seen_from(&self, side: &Side) -> [Vec3; 3] {
        std::array::from_fn(|i| self.get(side, i))
    }

    /// The triangle's corner that is not on the edge.
    pub(super) fn opposite(&self, side: &Side) -> Vec3 {
        self.get(side, 2)
    }
}

/// For each vertex the first one at the same position.
fn weld(vertices: &[Vec3]) -> Vec<u32> {
    // Adding zero turns -0.0 into 0.0.
    let bits = |x: f32| u128::from((x + 0.0).to_bits());
    let key =
        |(i, v): (u32, &Vec3)| bits(v.x) << 96 | bits(v.y) << 64 | bits(v.z) << 32 | u128::from(i);
    let mut keys: Vec<u128> = (0..).zip(vertices).map(key).collect();
    keys.sort_unstable();
    let mut welded = vec![0; vertices.len()];
    for group in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
        let index = |key: &u128| u32::try_from(key & u128::from(u32::MAX)).unwrap_or(0);
        let first = group.first().map_or(0, index);
        for key in group {
            welded[index(key) as usize] = first;
        }
    }
    welded
}

/// The sides of all edges that have a length, sorted by their lower end, and where those of each
/// vertex begin.
fn by_lower_end(welded: &[u32], triangles: &[[u32; 3]]) -> (Vec<Side>, Vec<usize>) {
    let sides = || {
        (0_u32..).zip(triangles).flat_map(|(triangle, corners)| {
            let [a, b, c] = corners.map(|corner| welded[corner as usize]);
            [(0, a, b), (1, b, c), (2, c, a)].into_iter().filter_map(move |(edge, from, to)| {
                let side = Side { high: from.max(to), triangle, edge, ascending: from < to };
                (from != to).then_some((from.min(to) as usize, side))
            })
        })
    };
    let mut starts = vec![0; welded.len() + 1];
    for (low, _) in sides() {
        starts[low + 1] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut next = starts.clone();
    let nothing = Side { high: 0, triangle: 0, edge: 0, ascending: false };
    let mut sorted = vec![nothing; starts.last().copied().unwrap_or(0)];
    for (low, side) in sides() {
        sorted[next[low]] = side;
        next[low] += 1;
    }
    (sorted, starts)
}
