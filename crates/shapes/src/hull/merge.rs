//! From triangles to the faces of the hull: triangles of one plane become one polygon, and
//! vertices inside a face or an edge are dropped.

use std::cmp::Ordering;

use glam::Vec3;

use super::predicates::side;
use super::quick::Triangle;
use super::{NONE, Polygons, to_u32};

/// The hull's faces.
pub(super) fn merge(points: &[Vec3], triangles: &[Triangle]) -> Polygons {
    let face_of = group(points, triangles);
    // A point inside a face begins no edge between two faces, one inside an edge begins two, a
    // corner of the hull three or more.
    let mut degree = vec![0_u32; points.len()];
    for (index, triangle) in triangles.iter().enumerate() {
        for k in 0..3 {
            let outer = face_of[triangle.across[k] as usize] != face_of[index];
            degree[triangle.vertices[k] as usize] += u32::from(outer);
        }
    }
    let mut polygons = Polygons::default();
    let mut is_done = vec![false; triangles.len()];
    for (first, triangle) in triangles.iter().enumerate() {
        let face = face_of[first];
        if is_done[face as usize] {
            continue;
        }
        let outer = |k: &usize| face_of[triangle.across[*k] as usize] != face;
        let Some(side) = (0..3).find(outer) else { continue };
        is_done[face as usize] = true;
        let corners = Outline { triangles, face_of: &face_of, start: (first, side), at: None };
        polygons.push(corners.filter(|&v| degree[v as usize] > 2));
    }
    polygons
}

/// The face of each triangle: triangles that share an edge and a plane share a face.
///
/// On a convex surface the whole part in one plane is connected by such edges.
fn group(points: &[Vec3], triangles: &[Triangle]) -> Vec<u32> {
    let mut face_of = vec![NONE; triangles.len()];
    let mut stack = Vec::new();
    for first in 0..triangles.len() {
        if face_of[first] != NONE {
            continue;
        }
        face_of[first] = to_u32(first);
        stack.push(first);
        while let Some(index) = stack.pop() {
            let Triangle { vertices, across } = triangles[index];
            for (k, other) in across.into_iter().enumerate() {
                let other = other as usize;
                if face_of[other] == NONE && in_plane(points, vertices, triangles[other], k) {
                    face_of[other] = to_u32(first);
                    stack.push(other);
                }
            }
        }
    }
    face_of
}

/// Whether a triangle that shares the edge from vertex `k` on lies in the plane of the first.
fn in_plane(points: &[Vec3], vertices: [u32; 3], other: Triangle, k: usize) -> bool {
    let place = other.place_of(vertices[k]);
    // The neighbour runs along the edge the other way, so its free vertex comes after the start.
    let free = other.vertices[(place + 1) % 3];
    let [a, b, c] = vertices.map(|v| points[v as usize]);
    side(a, b, c, points[free as usize]) == Ordering::Equal
}

/// Starts of the edges around one face, counter-clockwise.
struct Outline<'a> {
    triangles: &'a [Triangle],
    face_of: &'a [u32],
    /// A triangle and its side that belongs to the outline.
    start: (usize, usize),
    at: Option<(usize, usize)>,
}

impl Iterator for Outline<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let at = match self.at {
            None => self.start,
            Some(at) => {
                let next = self.after(at);
                if next == self.start {
                    return None;
                }
                next
            }
        };
        self.at = Some(at);
        Some(self.triangles[at.0].vertices[at.1])
    }
}

impl Outline<'_> {
    /// The next side of the outline: around the end of this one, through the face's triangles.
    fn after(&self, (mut index, side): (usize, usize)) -> (usize, usize) {
        let face = self.face_of[index];
        let mut side = (side + 1) % 3;
        let pivot = self.triangles[index].vertices[side];
        loop {
            let beyond = self.triangles[index].across[side] as usize;
            if self.face_of[beyond] != face {
                return (index, side);
            }
            (index, side) = (beyond, self.triangles[beyond].place_of(pivot));
        }
    }
}
