//! Faces, edges and neighbours of a hull in a canonical order, in flat arrays.

use glam::{DVec3, Vec3};

use super::VertexLanes;
use super::build::Hull;
use super::compact::Compact;
use super::{ConvexHull, HullEdge, NONE, Polygons, to_u32};
use crate::exact::Exact;
use crate::filter::Vector;
use crate::tolerance;

/// The hull of welded points, numbered anew: vertices by their coordinates, faces and edges by
/// their vertices.
pub(super) fn assemble(points: &[Vec3], hull: &Hull) -> ConvexHull {
    let (corners, polygons, dimension) = match hull {
        Hull::Point => (vec![0], Polygons::default(), 0),
        Hull::Segment => (vec![0, to_u32(points.len() - 1)], Polygons::default(), 1),
        Hull::Flat(polygons) => (corners(points.len(), polygons), polygons.clone(), 2),
        Hull::Solid(polygons) => (corners(points.len(), polygons), polygons.clone(), 3),
    };
    let vertices: Vec<Vec3> = corners.iter().map(|&v| points[v as usize]).collect();
    let mut numbers = vec![NONE; points.len()];
    for (number, &corner) in corners.iter().enumerate() {
        numbers[corner as usize] = to_u32(number);
    }
    let faces = sorted(&polygons, &numbers);
    let mut edges = Edges::of(&faces);
    if dimension == 1 {
        edges.edges.push(HullEdge { vertices: [0, 1], faces: None });
    }
    let mut normals: Vec<DVec3> = faces.iter().map(|face| unit_normal(&vertices, face)).collect();
    if let ([first, second], 2) = (&mut normals[..], dimension) {
        // The same plane twice, from different corners.
        *second = -*first + DVec3::ZERO;
    }
    let height =
        |(face, normal): (&[u32], &DVec3)| normal.dot(vertices[face[0] as usize].as_dvec3());
    let offsets = faces.iter().zip(&normals).map(height).collect();
    let (neighbour_starts, neighbours) = neighbours(vertices.len(), &edges.edges);
    let min = vertices.iter().copied().reduce(Vec3::min).unwrap_or(Vec3::ZERO);
    let max = vertices.iter().copied().reduce(Vec3::max).unwrap_or(Vec3::ZERO);
    ConvexHull {
        center: mean(&vertices),
        min,
        max,
        extents: min.abs().max(max.abs()),
        blocks: VertexLanes::all(&vertices),
        vertices: vertices.into(),
        face_edges: edges.of_sides.into(),
        compact: Compact::new(&normals, &faces, (&neighbour_starts, &neighbours)),
        faces,
        normals: normals.into(),
        offsets,
        edges: edges.edges.into(),
        neighbour_starts: neighbour_starts.into(),
        neighbours: neighbours.into(),
        dimension,
    }
}

/// The points that the polygons use, ascending.
fn corners(count: usize, polygons: &Polygons) -> Vec<u32> {
    let mut is_used = vec![false; count];
    for &vertex in &polygons.vertices {
        is_used[vertex as usize] = true;
    }
    (0..to_u32(count)).filter(|&v| is_used[v as usize]).collect()
}

/// The polygons with new numbers, each from its lowest vertex on, sorted.
fn sorted(polygons: &Polygons, numbers: &[u32]) -> Polygons {
    let mut renumbered = Polygons::default();
    for polygon in polygons.iter() {
        let number = |&v: &u32| numbers[v as usize];
        let lowest = polygon.iter().enumerate().min_by_key(|&(_, v)| number(v));
        let (before, after) = polygon.split_at(lowest.map_or(0, |(place, _)| place));
        renumbered.push(after.iter().chain(before).map(number));
    }
    let mut order: Vec<&[u32]> = renumbered.iter().collect();
    order.sort_unstable();
    let mut faces = Polygons::default();
    for polygon in order {
        faces.push(polygon.iter().copied());
    }
    faces
}

/// The edges, and the edge of each side of each face.
struct Edges {
    edges: Vec<HullEdge>,
    of_sides: Vec<u32>,
}

impl Edges {
    fn of(faces: &Polygons) -> Self {
        /// A side of a face, by its ends in ascending order.
        #[derive(PartialEq, Eq, PartialOrd, Ord)]
        struct Side {
            ends: [u32; 2],
            descends: bool,
            face: u32,
            place: u32,
        }
        let mut sides = Vec::with_capacity(faces.vertices.len());
        for (face, polygon) in faces.iter().enumerate() {
            let next = polygon.iter().cycle().skip(1);
            for (&from, &to) in polygon.iter().zip(next) {
                sides.push(Side {
                    ends: [from.min(to), from.max(to)],
                    descends: from > to,
                    face: to_u32(face),
                    place: to_u32(sides.len()),
                });
            }
        }
        sides.sort_unstable();
        let mut edges = Self { edges: Vec::new(), of_sides: vec![NONE; sides.len()] };
        for pair in sides.chunks_exact(2) {
            for side in pair {
                edges.of_sides[side.place as usize] = to_u32(edges.edges.len());
            }
            let faces = Some([pair[0].face, pair[1].face]);
            edges.edges.push(HullEdge { vertices: pair[0].ends, faces });
        }
        edges
    }
}

/// The other ends of each vertex's edges: where the list of each vertex starts, and the lists,
/// which ascend because the edges do.
fn neighbours(count: usize, edges: &[HullEdge]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; count + 1];
    for vertex in edges.iter().flat_map(|edge| edge.vertices) {
        starts[vertex as usize + 1] += 1;
    }
    for i in 0..count {
        starts[i + 1] += starts[i];
    }
    let mut ends = starts.clone();
    let mut lists = vec![NONE; 2 * edges.len()];
    for &HullEdge { vertices: [a, b], .. } in edges {
        for (vertex, other) in [(a, b), (b, a)] {
            let end = &mut ends[vertex as usize];
            lists[*end as usize] = other;
            *end += 1;
        }
    }
    (starts, lists)
}

/// The outward normal of a face, whose first three corners are not in line.
///
/// - Error: [`tolerance::HULL_NORMAL`] each component; zero exactly where the exact normal is.
fn unit_normal(vertices: &[Vec3], face: &[u32]) -> DVec3 {
    let &[a, b, c, ..] = face else { return DVec3::ZERO };
    let [a, b, c] = [a, b, c].map(|v| vertices[v as usize]);
    let (u, v) = (b.as_dvec3() - a.as_dvec3(), c.as_dvec3() - a.as_dvec3());
    let normal = u.cross(v);
    let (s, t) = (u.abs(), v.abs());
    let terms = DVec3::new(s.y * t.z + s.z * t.y, s.z * t.x + s.x * t.z, s.x * t.y + s.y * t.x);
    let length = normal.length();
    let hides_zero = (0..3).any(|i| normal[i].abs() <= 0.0 && terms[i] > 0.0);
    let normal = if hides_zero || terms.element_sum() > tolerance::HULL_CORNER * length {
        let vector = |to: Vec3| Vector::<Exact>::between(a, to);
        vector(b).cross(&vector(c)).value()
    } else {
        normal
    };
    // Adding zero turns -0.0 into 0.0.
    normal / normal.length() + DVec3::ZERO
}

/// The mean of the vertices, taken from the first one so that it is accurate far from the origin.
fn mean(vertices: &[Vec3]) -> DVec3 {
    let first = vertices.first().map_or(DVec3::ZERO, |v| v.as_dvec3());
    let sum = vertices.iter().fold(DVec3::ZERO, |sum, v| sum + (v.as_dvec3() - first));
    first + sum / vertices.len() as f64
}
